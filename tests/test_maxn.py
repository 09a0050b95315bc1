"""Maxⁿ: a slow obvious twin, the book's example, Korf's pruning, which changes nothing, and games of any number."""

from dataclasses import replace
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CHANCE, games, native, search
from counterplay.core.primitives import repeat
from counterplay.games.tree import Tree
from counterplay.native import CannotCompile
from counterplay.search.limits import Limits
from counterplay.search.plain.maxn import maxn, most_of
from tests.both_modes import both_modes
from tests.random_tree import RandomTree
from tests.small_games import LongGame, OnePlayer
from tests.test_search import tree

pytestmark = pytest.mark.long

thorough = settings(max_examples=400, deadline=None, derandomize=True)

BOOK = "p1[p2[p3[(1,2,6),(4,2,3)],p3[(6,1,2),(7,4,1)]],p2[p3[(5,1,1),(1,5,2)],p3[(7,7,1),(5,4,5)]]]"
"""Russell & Norvig, figure 5.4: players A, B and C in turn. C's nodes are worth (1,2,6), (6,1,2), (1,5,2), (5,4,5) and
B's (1,2,6), (1,5,2). A gets 1 either way and takes the first: (1,2,6), as in the book."""


def obvious_vector(game, s, depth=inf):
    """Maxⁿ as it is defined; `max` takes the first of equals."""
    everyone = range(game.players)
    if game.is_terminal(s):
        return tuple(game.utility(s, p) for p in everyone)
    if depth == 0:
        return tuple(game.evaluate(s, p) for p in everyone)
    below = [(a, obvious_vector(game, game.result(s, a), depth - 1)) for a in game.actions(s)]
    if game.player(s) == CHANCE:
        return tuple(sum(game.probability(s, a) * v[p] for a, v in below) for p in everyone)
    return max((v for _, v in below), key=lambda v: v[game.player(s)])


def trees(players, total=None, chance=True):
    """Texts of trees in which anyone moves at any time; `total` is the sum of the utilities, None any."""

    def leaf(numbers):
        last = numbers[-1] if total is None else total - sum(numbers[:-1])
        return f"({','.join(map(str, [*numbers[:-1], last]))})"

    movers = ["", *(f"p{p + 1}" for p in range(players)), *(["chance"] if chance else [])]
    leaves = st.lists(st.integers(-3, 3), min_size=players, max_size=players).map(leaf)
    return st.recursive(
        leaves,
        lambda child: st.builds(
            lambda who, children: f"{who}[{','.join(children)}]",
            st.sampled_from(movers),
            st.lists(child, min_size=1, max_size=4),
        ),
        max_leaves=40,
    ).filter(lambda text: text.endswith("]"))


class TenCoins(Tree):
    """A tree whose leaves divide ten coins."""

    zero_sum = True
    utility_sum = 10.0


any_game = st.one_of(
    *(trees(n).map(Tree) for n in (2, 3, 4)),
    *(trees(n, 0).map(Tree) for n in (2, 3, 4)),
    *(trees(n, 0, chance=False).map(Tree) for n in (3, 4)),
    trees(3, 10).map(TenCoins),
)


def must_be_right(game, s=None, depth=None):
    """Pruned and plain give the vector of the definition; what is said of each action is true."""
    s = game.initial() if s is None else s
    plain, pruned = maxn(game, s, depth, prune=False), maxn(game, s, depth)
    assert plain.values == pruned.values
    assert (plain.action, plain.line, plain.value) == (pruned.action, pruned.line, pruned.values[0])
    assert pruned.nodes <= plain.nodes
    assert all(each.exact for each in plain.actions)
    for claim, truth in zip(pruned.actions, plain.actions, strict=True):
        assert claim.value == claim.values[0]
        if claim.exact:
            assert replace(claim, proven=truth.proven) == truth
            assert claim.proven >= truth.proven  # what was cut may have held the only estimate
        else:
            assert all(most >= v for most, v in zip(claim.values, truth.values, strict=True))
            assert claim.action != pruned.action
    return plain, pruned


# ---- worked examples


def test_the_books_three_players():
    plain, pruned = must_be_right(Tree(BOOK))
    assert plain.values == (1.0, 2.0, 6.0)
    assert (plain.value, plain.line, plain.proven, plain.stopped) == (1.0, (0, 0, 0), True, "solved")
    assert [each.values for each in plain.actions] == [(1.0, 2.0, 6.0), (1.0, 5.0, 2.0)]
    assert pruned.nodes == plain.nodes == 15  # nobody has the most there is, and the sums differ


def test_what_the_others_get_depends_on_the_order_of_equal_actions():
    first = "p2[p3[(1,2,6),(4,2,3)],p3[(6,1,2),(7,4,1)]]"
    second = "p2[p3[(5,1,1),(1,5,2)],p3[(7,7,1),(5,4,5)]]"
    assert maxn(Tree(f"p1[{first},{second}]")).values == (1.0, 2.0, 6.0)
    assert maxn(Tree(f"p1[{second},{first}]")).values == (1.0, 5.0, 2.0)


def test_shallow_pruning_by_hand():
    """Ten coins among three: p1 has 5. Where p2 gets 5, at most 5 are left for p1, who will not go there."""
    pruned = maxn(TenCoins("p1[(5,2,3),p2[(1,5,4),(0,9,1)]]"))
    assert (pruned.values, pruned.nodes) == ((5.0, 2.0, 3.0), 4)
    assert [each.exact for each in pruned.actions] == [True, False]
    assert pruned.actions[1].values == (5.0, 9.0, 5.0)  # at most; the largest utility in this tree is 9
    kept = maxn(TenCoins("p1[(5,2,3),p2[(1,4,5),(6,4,0)]]"))
    assert (kept.values, kept.nodes) == ((5.0, 2.0, 3.0), 5)
    assert [each.exact for each in kept.actions] == [True, True]


def test_deep_pruning_would_be_wrong():
    """p1 has 5, and p3, two plies below, gets 5: no vector with more than 5 for p1 comes from there. And yet what p3
    does decides where p2 goes, and so whether p1 gets its 6."""
    tens = "p1[(5,2,3),p2[(6,2,2),p3[(2,3,5),{}]]]"
    for last, values in (("(0,4,6)", (5.0, 2.0, 3.0)), ("(3,1,6)", (6.0, 2.0, 2.0))):
        game = TenCoins(tens.format(last))
        assert maxn(game).values == maxn(game, prune=False).values == values


def test_immediate_pruning_by_hand():
    """Nothing is better than the most there is, even if the utilities add up to anything."""
    pruned = maxn(Tree("p1[p2[(1,9),(2,3)],(9,0),(9,9)]"))
    assert (pruned.values, pruned.nodes) == ((9.0, 0.0), 4)
    assert pruned.actions[2].values == (9.0, 9.0)
    assert [each.exact for each in pruned.actions] == [True, True, False]


def test_chance_has_the_mean_vector():
    result = maxn(Tree("p1[chance[0.25*(8,0,4),0.75*(0,4,0)],(1,9,9)]"))
    assert (result.values, result.line) == ((2.0, 3.0, 1.0), (0,))
    result = maxn(Tree("chance[0.25*(8,0,4),0.75*p2[(0,4,0),(9,1,9)]]"))
    assert (result.values, result.action, result.line) == ((2.0, 3.0, 1.0), None, ())
    assert [each.values for each in result.actions] == [(8.0, 0.0, 4.0), (0.0, 4.0, 0.0)]


def test_below_chance_nobody_has_anything_elsewhere():
    """p1 has 2 and p2 gets 9 of 10, but p1 may come here all the same, for the 8 of the other outcome."""
    game = TenCoins("p1[(2,4,4),chance[p2[(0,9,1),(0.5,9.5,0)],(8,1,1)]]")
    assert maxn(game).values == maxn(game, prune=False).values == (4.25, 5.25, 0.5)


def test_rounded_means_do_not_make_pruning_differ():
    """The mean of five times 3, the most there is, comes out a little larger: where chance is, nothing is the most."""
    plain, _ = must_be_right(Tree("p1[(3,0),chance[(3,2),(3,2),(3,2),(3,2),(3,2)]]"))
    assert plain.value > 3.0


# ---- random trees


@thorough
@given(any_game)
def test_maxn_equals_the_obvious_recursion_with_and_without_pruning(game):
    plain, pruned = must_be_right(game)
    assert plain.values == obvious_vector(game, game.initial())
    assert plain.nodes == len(game.nodes)
    assert plain.proven
    assert pruned.proven
    s = game.initial()
    for a in plain.line:  # each step of the line keeps the vector
        s = game.result(s, a)
        assert obvious_vector(game, s) == plain.values


@thorough
@given(any_game, st.integers(1, 3))
def test_so_it_is_at_any_depth(game, depth):
    """The default estimate is the middle of the range, whatever that adds up to."""
    plain, _ = must_be_right(game, depth=depth)
    assert plain.values == obvious_vector(game, game.initial(), depth)


@thorough
@given(tree)
def test_for_two_opponents_it_is_minimax(text):
    game = Tree(text)
    truth = search.minimax(game)
    for prune in (True, False):
        result = maxn(game, prune=prune)
        assert (result.value, result.action, result.line) == (truth.value, truth.action, truth.line)


# ---- compiled


class Coins(RandomTree):
    """A random tree of three players who divide eight coins, with estimates that add up to anything."""

    players = 3
    utility_range = (0.0, 8.0)
    utility_sum = 8.0

    def player(self, s):
        return self.noise(s, 1) % 3

    def utility(self, s, p):
        first = self.noise(s, 4) % 9
        second = self.noise(s, 5) % (9 - first)
        return float(first if p == 0 else second if p == 1 else 8 - first - second)

    def evaluate(self, s, p):
        return self.utility(s, p) if self.is_terminal(s) else float(self.noise(s, 6 + p) % 9)


def test_thousands_of_nodes_are_saved_and_no_vector_changes():
    game, nodes = Coins(width=5, height=7), [0, 0]
    for seed in range(200):
        s = game.State(0, 0, seed)
        plain, pruned = must_be_right(game, s, None if seed % 2 else 1 + seed % 5)
        nodes[0] += plain.nodes
        nodes[1] += pruned.nodes
    assert nodes[1] < 0.5 * nodes[0]


def test_random_trees_agree_with_the_definition():
    game = Coins(width=3, height=5)
    for seed in range(30):
        s = game.State(0, 0, seed)
        for depth in (None, 2, 4):
            truth = obvious_vector(game, s, depth or inf)
            assert both_modes(lambda s=s, depth=depth: maxn(game, s, depth).values) == truth


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("pig:players=3", {"depth": 5}),
        ("pig:players=3", {"nodes": 300}),
        ("pig:players=4,goal=6", {"depth": 6}),
        ("nim", {"rounds": 2}),
        ("nim:heaps=[2,2,1]", {}),
        ("bins:coin=true", {}),
    ],
)
def test_compiled_and_interpreted_agree_to_the_last_node(name, limit):
    for prune in (True, False):
        both_modes(lambda prune=prune: maxn(games.load(name), prune=prune, **limit).as_dict() | {"seconds": 0})


def test_one_player_just_takes_the_best():
    result = both_modes(lambda: maxn(OnePlayer()).as_dict() | {"seconds": 0})
    assert (result["values"], result["line"]) == ([4.0], [1, 1])


def test_it_goes_as_deep_as_the_game_is_long():
    assert both_modes(lambda: maxn(LongGame(length=3000)).depth) == 3000


# ---- what it is for, and where it ends


def test_bounds_come_only_from_what_is_known():
    nim, pig, tree = games.load("nim"), games.load("pig:players=3"), Tree(BOOK)
    assert most_of(nim, Limits()) == (1.0, 0.0)
    assert most_of(nim, Limits(depth=3)) == (1.0, 0.0)  # the default estimates add up to 0 as well
    assert most_of(pig, Limits()) == pytest.approx((1.0, 1.0))
    assert most_of(pig, Limits(depth=3)).two == inf  # its estimates do not add up to anything
    assert most_of(tree, Limits()) == (7.0, inf)  # nor do these utilities


def test_hidden_things_and_moves_at_the_same_time_are_refused():
    with pytest.raises(search.Unsuited, match="maxn needs moves in turn"):
        maxn(type("Hidden", (OnePlayer,), {"perfect_information": False})())


def test_a_finished_game_has_a_vector_and_no_move():
    game = games.load("pig:players=3,goal=2")
    s = game.State((0, 2, 0), 2, 0, False)
    result = maxn(game, s)
    assert (result.values, result.action, result.line, result.actions) == ((-0.5, 1.0, -0.5), None, (), ())


def test_a_limit_of_nodes_is_obeyed():
    game = games.load("pig:players=3")
    for limit in (1, 10, 1000, 50_000):
        result = maxn(game, nodes=limit)
        assert result.stopped == "nodes"
        assert limit <= result.nodes <= limit + 7 * (result.depth + 2)  # those seen on the way back up
        assert result.action_name == "roll"


def stop(tally):
    tally.stop = 1


def test_stop_gives_a_legal_move():
    result = maxn(games.load("connect_four"), progress=stop)
    assert (result.stopped, result.proven) == ("interrupted", False)
    assert result.action in range(7)
    assert result.actions[-1].values == (1.0, 1.0)
    assert not result.actions[-1].exact


def test_stop_at_a_throw_of_the_dice_gives_an_estimate():
    game = games.load("pig:players=3")
    s = game.at("roll").state
    result = maxn(game, s, progress=stop)
    assert (result.action, result.proven, result.stopped) == (None, False, "interrupted")
    assert result.values == tuple(game.evaluate(s, p) for p in range(3))


# ---- repeat, on which the vectors rest


@native.native
def repeated(game, item):
    return repeat(item, 3), repeat(item, game.players), repeat((item, 1), 1), repeat(item, 0)


@native.native
def repeated_unknown(game, n):
    return repeat(0.0, n)


@pytest.mark.parametrize("item", [0, -1.5, True])
def test_repeat_compiled_is_repeat(item):
    game = games.load("pig:players=4")
    result = both_modes(lambda: repeated(game, item))
    assert result == ((item,) * 3, (item,) * 4, ((item, 1),), ())


def test_repeat_needs_a_number_known_beforehand():
    with pytest.raises(CannotCompile):
        repeated_unknown.compiled(games.load("nim"), 3)
