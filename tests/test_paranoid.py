"""Paranoid: a slow obvious twin, minimax for two, alpha-beta that changes nothing, and what a pessimist is sure of."""

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CHANCE, UserError, games, search
from counterplay.games.tree import Tree
from counterplay.search.plain.maxn import maxn
from counterplay.search.plain.paranoid import paranoid
from tests.both_modes import both_modes
from tests.small_games import LongGame, OnePlayer
from tests.test_maxn import BOOK, Coins, any_game, stop
from tests.test_search import tree

pytestmark = pytest.mark.long

thorough = settings(max_examples=400, deadline=None, derandomize=True)


def obvious_vector(game, s, me, depth=inf):
    """Everyone plays for or against `me`; `max` and `min` take the first of equals."""
    everyone = range(game.players)
    if game.is_terminal(s):
        return tuple(game.utility(s, p) for p in everyone)
    if depth == 0:
        return tuple(game.evaluate(s, p) for p in everyone)
    below = [(a, obvious_vector(game, game.result(s, a), me, depth - 1)) for a in game.actions(s)]
    if game.player(s) == CHANCE:
        return tuple(sum(game.probability(s, a) * v[p] for a, v in below) for p in everyone)
    return (max if game.player(s) == me else min)((v for _, v in below), key=lambda v: v[me])


def must_be_right(game, player, s=None, depth=None):
    """Pruned and plain give the same; what is said of each action is true, and a bound is never chosen."""
    s = game.initial() if s is None else s
    plain = paranoid(game, s, depth, player=player, prune=False)
    pruned = paranoid(game, s, depth, player=player)
    assert (plain.values, plain.action, plain.line) == (pruned.values, pruned.action, pruned.line)
    assert pruned.nodes <= plain.nodes
    assert all(each.exact for each in plain.actions)
    for claim, truth in zip(pruned.actions, plain.actions, strict=True):
        if claim.exact:
            assert claim == truth
        else:
            bound, v = claim.values[player], truth.values[player]
            assert (
                v <= bound <= plain.values[player] if game.player(s) == player else v >= bound >= plain.values[player]
            )
            assert claim.action != pruned.action
    return plain, pruned


# ---- worked examples


def test_the_pessimist_goes_where_nobody_can_hurt():
    """p2 would rather have 5 than 4 and so give p1 its 9; who trusts in that is maxⁿ, who does not is paranoid."""
    game = Tree("p1[p2[(9,5,0),(0,4,0)],(3,0,0)]")
    assert maxn(game).values == (9.0, 5.0, 0.0)
    result = paranoid(game)
    assert (result.values, result.line, result.proven) == ((3.0, 0.0, 0.0), (1,), True)
    assert [(each.values, each.exact) for each in result.actions] == [((0.0, 4.0, 0.0), True), ((3.0, 0.0, 0.0), True)]


def test_the_books_three_players_against_a():
    """C leaves A 1 and 6, and so B leaves it 1. On the right C leaves it 1 at once: it need not go there."""
    plain, pruned = must_be_right(Tree(BOOK), 0)
    assert plain.values == (1.0, 2.0, 6.0)
    assert (plain.nodes, pruned.nodes) == (15, 12)  # C's last node and its leaves are not seen
    assert [each.exact for each in pruned.actions] == [True, False]


def test_each_player_can_ask():
    """C leaves B 2 and 1 on the left, 1 and 4 on the right; B takes 2 and 4; A goes left. For C it is 6, 2, 2, 5."""
    result = paranoid(Tree(BOOK), player=1)
    assert result.values[1] == 2.0
    assert result.settings == {"limits": {}, "player": 1, "prune": True}
    assert paranoid(Tree(BOOK), player=2).values[2] == 2.0


def test_two_plies_with_alpha_beta_skip_the_leaves_of_the_lectures():
    result = paranoid(Tree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    assert (result.value, result.action, result.nodes) == (3.0, 0, 11)
    assert [(each.value, each.exact) for each in result.actions] == [(3.0, True), (2.0, False), (2.0, False)]


def test_a_bound_never_wins_a_tie():
    """The second action looks like 3, the value of the first, and is worth 1."""
    result = paranoid(Tree([[3, 12], [3, 1]]))
    assert (result.action, result.actions[1].value, result.actions[1].exact) == (0, 3.0, False)


def test_chance_is_looked_at_with_open_windows():
    game = Tree("p1[(2,0,0),chance[p2[(9,0,1),(1,5,0)],p3[(5,1,0),(9,0,9)]]]")
    result = paranoid(game)
    assert (result.values, result.action, result.nodes) == ((3.0, 3.0, 0.0), 1, 9)
    assert result.actions[1].exact
    dice = Tree("chance[0.25*(8,0,4),0.75*p2[(0,4,0),(9,1,9)]]")
    result = paranoid(dice)
    assert (result.values, result.action) == ((2.0, 3.0, 1.0), None)
    assert result.settings["player"] == 0
    assert paranoid(dice, player=1).values == (2.0, 3.0, 1.0)
    assert paranoid(dice, player=2).values == (2.0, 3.0, 1.0)


# ---- random trees


@thorough
@given(any_game, st.integers(0, 3), st.sampled_from([None, None, 1, 2, 3]))
def test_paranoid_equals_the_obvious_recursion_with_and_without_pruning(game, player, depth):
    player %= game.players
    plain, _ = must_be_right(game, player, depth=depth)
    assert plain.values == obvious_vector(game, game.initial(), player, depth or inf)
    if depth is None:
        assert plain.nodes == len(game.nodes)
        assert plain.proven
        s = game.initial()
        for a in plain.line:  # each step of the line keeps the vector
            s = game.result(s, a)
            assert obvious_vector(game, s, player) == plain.values


@thorough
@given(tree)
def test_for_two_opponents_it_is_minimax_whoever_asks(text):
    game = Tree(text)
    truth = search.minimax(game)
    for player in (None, 0, 1):
        result = paranoid(game, player=player)
        assert (result.values, result.action, result.line) == (truth.values, truth.action, truth.line)
        assert result.nodes <= truth.nodes


@thorough
@given(any_game)
def test_nobody_is_sure_of_more_than_it_gets_when_the_others_mind_themselves(game):
    for player in range(game.players):
        assert paranoid(game, player=player).values[player] <= maxn(game).values[player] + 1e-9


# ---- compiled


def test_most_nodes_are_saved_and_no_vector_changes():
    game, nodes = Coins(width=5, height=7), [0, 0]
    for seed in range(200):
        s = game.State(0, 0, seed)
        plain, pruned = must_be_right(game, seed % 3, s, None if seed % 2 else 1 + seed % 5)
        nodes[0] += plain.nodes
        nodes[1] += pruned.nodes
    assert nodes[1] < 0.5 * nodes[0]


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("pig:players=3", {"depth": 5}),
        ("pig:players=3", {"depth": 5, "player": 2}),
        ("pig:players=3", {"nodes": 300}),
        ("nim", {"rounds": 2}),
        ("bins:coin=true", {}),
    ],
)
def test_compiled_and_interpreted_agree_to_the_last_node(name, limit):
    for prune in (True, False):
        both_modes(lambda prune=prune: paranoid(games.load(name), prune=prune, **limit).as_dict() | {"seconds": 0})


def test_tic_tac_toe_is_a_draw():
    result = paranoid(games.load("tic_tac_toe"))
    assert (result.value, result.proven, result.nodes) == (0.0, True, 18_297)


def test_one_player_just_takes_the_best():
    assert paranoid(OnePlayer()).values == (4.0,)


def test_it_goes_as_deep_as_the_game_is_long():
    assert paranoid(LongGame(length=3000)).depth == 3000


# ---- what it is for, and where it ends


def test_what_is_refused():
    with pytest.raises(UserError, match="players 0 to 2, not 3"):
        paranoid(Tree(BOOK), player=3)
    with pytest.raises(search.Unsuited, match="paranoid needs moves in turn"):
        paranoid(type("Hidden", (OnePlayer,), {"perfect_information": False})())


def test_a_finished_game_has_a_vector_and_no_move():
    game = games.load("pig:players=3,goal=2")
    result = paranoid(game, game.State((0, 2, 0), 2, 0, False))
    assert (result.values, result.action) == ((-0.5, 1.0, -0.5), None)


def test_a_limit_of_nodes_is_obeyed():
    game = games.load("pig:players=3")
    for limit in (1, 10, 1000, 50_000):
        result = paranoid(game, nodes=limit)
        assert result.stopped == "nodes"
        assert limit <= result.nodes <= limit + 7 * (result.depth + 2)  # those seen on the way back up
        assert result.action_name == "roll"


def test_stop_gives_a_legal_move():
    result = paranoid(games.load("connect_four"), player=1, progress=stop)
    assert (result.stopped, result.proven) == ("interrupted", False)
    assert result.action in range(7)
    assert result.actions[-1].values == (1.0, -1.0)  # the first player moves, against the second
    assert not result.actions[-1].exact
