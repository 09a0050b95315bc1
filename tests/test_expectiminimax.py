"""Expectiminimax: whatever is pruned, the value is minimax's, and what is called exact is."""

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CHANCE, Game, UserError, games, native, search
from counterplay.games.tree import Tree
from counterplay.search.engine import Request
from counterplay.search.limits import Limits
from counterplay.search.plain.expectiminimax import PRUNING, STAR2, UNTRIED, Expectiminimax, How, expectiminimax, value
from counterplay.search.plain.minimax import value as plain_value
from counterplay.search.run import new_tally
from counterplay.search.table import TranspositionTable
from tests.both_modes import both_modes
from tests.references import obvious_value

pytestmark = pytest.mark.long

DEEP = 1000  # more plies than any tree here has


# ---- random trees


def node(who, children, weights):
    """A written node; CHANCE's children get probabilities in proportion to the weights."""
    if who == "chance" and weights:
        given = (weights * len(children))[: len(children)]
        children = [f"{weight / sum(given)!r}*{child}" for weight, child in zip(given, children, strict=True)]
    return f"{who}[{','.join(children)}]"


def trees(leaves, weights):
    """Trees with children of all kinds side by side, so that players move twice and depths are unequal."""
    who = st.sampled_from(["", "max", "min", "chance", "chance"])
    return st.recursive(
        leaves.map(str),
        lambda child: st.builds(node, who, st.lists(child, min_size=1, max_size=4), weights),
        max_leaves=40,
    ).filter(lambda text: text.endswith("]"))


any_tree = trees(
    st.integers(-9, 9) | st.floats(-9, 9).map(lambda x: round(x, 3)), st.lists(st.integers(1, 9), max_size=4)
)

# Small integers and equal halves or quarters: sums of these are exact, and ties are many.
exact_tree = trees(st.integers(-2, 2), st.just([])).filter(lambda text: is_binary(Tree(text)))


def is_binary(game):
    return not any(len(each.children) == 3 for each in game.nodes)


def searched(game, level, alpha=-inf, beta=inf, depth=DEEP, table=None):
    """The value and the nodes looked at."""
    tally = new_tally(depth)
    how = How(level) if table is None else How(level, table.address, table.mask)
    with native.interpreted():
        v = value(game, game.initial(), UNTRIED, alpha, beta, depth, tally, how)
    return v, int(tally.nodes)


PRUNED = range(1, 4)  # the levels of pruning beyond none


@settings(max_examples=1000, deadline=None, derandomize=True)
@given(text=any_tree)
def test_the_value_is_that_of_plain_recursion(text):
    game = Tree(text)
    true = obvious_value(game, game.initial())
    for level in PRUNED:
        v, nodes = searched(game, level)
        assert v == pytest.approx(true, abs=1e-9)
        assert nodes <= len(game.nodes)  # no state is looked at twice


@pytest.mark.slow
@settings(max_examples=1000, deadline=None, derandomize=True)
@given(text=exact_tree, low=st.integers(-10, 9), width=st.integers(1, 8))
def test_outside_the_window_the_value_is_a_bound(text, low, width):
    game = Tree(text)
    true = obvious_value(game, game.initial())
    for level in PRUNED:
        assert searched(game, level)[0] == true  # to the last bit: sums of such numbers are exact
        alpha, beta = low / 4, (low + width) / 4
        v = searched(game, level, alpha, beta)[0]
        if v <= alpha:
            assert true <= v
        elif v >= beta:
            assert true >= v
        else:
            assert v == true


@settings(max_examples=300, deadline=None, derandomize=True)
@given(text=any_tree, depth=st.integers(1, 5))
def test_to_a_depth_the_value_is_that_of_minimax(text, depth):
    game = Tree(text)
    tally = new_tally(depth)
    with native.interpreted():
        plain = plain_value(game, game.initial(), depth, tally)
    for level in PRUNED:
        v, nodes = searched(game, level, depth=depth)
        assert v == pytest.approx(plain, abs=1e-9)
        assert nodes <= tally.nodes


@settings(max_examples=300, deadline=None, derandomize=True)
@given(text=exact_tree, windows=st.lists(st.tuples(st.integers(-10, 9), st.integers(1, 8)), min_size=2, max_size=4))
def test_a_table_filled_by_other_windows_and_depths_tells_nothing_wrong(text, windows):
    game = Tree(text)
    for level in PRUNED:
        table = TranspositionTable(0.0005)
        for depth in (2, 3, DEEP):
            true = searched(game, level, depth=depth)[0]
            for low, width in windows:
                alpha, beta = low / 4, (low + width) / 4
                v = searched(game, level, alpha, beta, depth, table)[0]
                assert true <= v if v <= alpha else true >= v if v >= beta else v == true


@pytest.mark.slow
def test_with_a_table_states_reached_twice_are_looked_at_once():
    game = games.load("pig:goal=12")
    plain = expectiminimax(game, depth=9, table_mb=0)
    remembering = expectiminimax(game, depth=9)
    assert remembering.value == pytest.approx(plain.value, abs=1e-9)
    assert remembering.action == plain.action
    assert remembering.nodes < 0.7 * plain.nodes
    assert (plain.settings["table_bytes"], remembering.settings["table_bytes"]) == (0, 16_777_216)


class Prioritised(Tree):
    """A tree in which the last of the actions seem the best."""

    def priority(self, s, a):
        return float(a)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(text=any_tree)
def test_a_probe_of_the_action_with_the_largest_priority(text):
    game = Prioritised(text)
    v, nodes = searched(game, STAR2)
    assert v == pytest.approx(obvious_value(game, game.initial()), abs=1e-9)
    assert nodes <= len(game.nodes)


# ---- the root


def true_values(game, s):
    return {a: obvious_value(game, game.result(s, a)) for a in game.actions(s)}


@settings(max_examples=500, deadline=None, derandomize=True)
@given(text=exact_tree, prune=st.sampled_from(PRUNING))
def test_root_actions_are_exact_or_bounds_and_ties_go_to_the_first(text, prune):
    game = Tree(text)
    s = game.initial()
    result, true = expectiminimax(game, prune=prune), true_values(game, s)
    assert (result.proven, result.stopped, result.value) == (True, "solved", obvious_value(game, s))
    mover = game.player(s)
    for each in result.actions:
        if each.exact:
            assert each.value == true[each.action]
        elif mover == 0:
            assert true[each.action] <= each.value <= result.value
        else:
            assert true[each.action] >= each.value >= result.value
    if mover == CHANCE:
        assert result.action is None
        assert all(each.exact for each in result.actions)
    else:
        assert result.action == (max if mover == 0 else min)(true, key=true.__getitem__)
        assert result.actions[result.action].exact
    if prune == "none":
        assert all(each.exact for each in result.actions)
        assert result.nodes == len(game.nodes)
    for a in result.line:  # each step of the line keeps the value
        s = game.result(s, a)
        assert obvious_value(game, s) == result.value
    assert game.is_terminal(s) or game.player(s) == CHANCE


@pytest.mark.parametrize("prune", PRUNING)
@pytest.mark.parametrize(
    "text",
    [
        "min[0.45,chance[0.1*0.1,0.1*-0.4,0.8*max[0.6,1,-1]]]",
        "max[0.23,chance[0.1*0.0,0.1*0.7,0.8*min[0.2,-1,1]]]",
        "min[-0.4,chance[0.2*0.8,0.2*-0.1,0.6*max[-0.9,1,-1]]]",
        "max[0.37,chance[0.7*0.6,0.2*0.0,0.1*min[-0.5,-1,1]]]",
    ],
)
def test_rounding_makes_no_bound_exact(text, prune):
    """The first reply after the throw makes the second action as good as the first, but for the last bit of a sum."""
    game = Tree(text)
    true, result = true_values(game, game.initial()), expectiminimax(game, prune=prune)
    assert result.action == 0
    assert all(each.value == pytest.approx(true[each.action]) for each in result.actions if each.exact)


@pytest.mark.parametrize("prune", PRUNING)
def test_a_bound_does_not_win_a_tie(prune):
    """The second action is worth 2, which is less than 3, but its first reply alone only shows that it is at most 3."""
    result = expectiminimax(Tree([[3, 12], [3, 2]]), prune=prune)
    mirrored = expectiminimax(Tree("min[max[-3, -12], max[-3, -2]]"), prune=prune)
    assert (result.action, result.value, result.nodes) == (0, 3.0, 7 if prune == "none" else 6)
    assert (mirrored.action, mirrored.value, mirrored.nodes) == (0, -3.0, result.nodes)
    for each in (result, mirrored):
        assert [action.exact for action in each.actions] == [True, prune == "none"]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(text=exact_tree, level=st.integers(0, 3))
def test_after_a_stop_nothing_unfinished_is_called_exact(text, level):
    """Stopped after every possible number of nodes, the actions that are called exact are."""
    game = Tree(text)
    s = game.initial()
    true = true_values(game, s)
    for most_nodes in range(1, len(game.nodes) + 1):
        tally = new_tally(DEEP, most_nodes)
        with native.interpreted():
            engine = Expectiminimax(game, prune=PRUNING[level], table_mb=0)
            found = engine._root(Request(s, Limits(), 1, frozenset(), ()), tally).look(DEEP)
        assert all(each.value == true[each.action] for each in found.actions if each.exact)
        if found.proven:
            assert found.values[0] == obvious_value(game, s)
        if tally.stop and game.player(s) != CHANCE:
            assert found.line[0] in true


# ---- Star1 and Star2 on trees small enough to follow


def counted(text, prune):
    result = expectiminimax(Tree(text), prune=prune)
    return result.value, result.nodes


def test_star1_ends_a_throw_that_can_no_longer_matter():
    """Utilities lie in [-10, 10]. After -10 with probability 0.9 the mean is -8 at most, and MAX has 0 already."""
    text = "[0, chance[0.9*-10, 0.1*max[10, 9, 8]]]"
    assert counted(text, "none") == counted(text, "alphabeta") == (0.0, 8)
    assert counted(text, "star1") == counted(text, "star2") == (0.0, 4)


def test_star1_narrows_the_window_of_an_outcome():
    """For the mean to be above 0 the second outcome must be worth more than 5: MIN's 4 is enough to see it is not."""
    text = "[0, chance[-5, min[4, -10, 10]]]"
    assert counted(text, "alphabeta") == (0.0, 8)
    assert counted(text, "star1") == (0.0, 6)


def test_star2_looks_at_one_reply_to_each_outcome_first():
    """MIN has a reply of -1 to both outcomes, so the mean is -1 at most, and the other replies do not matter."""
    text = "[0, chance[min[-1, 10, 9], min[-1, 10, 8]]]"
    assert counted(text, "star1") == (0.0, 9)  # all of the first outcome, then one reply to the second
    assert counted(text, "star2") == (0.0, 7)


@pytest.mark.parametrize("prune", PRUNING)
def test_where_there_is_nothing_to_cut_every_state_is_counted_once(prune):
    text = "[chance[chance[1, max[2, 3]], min[4, 3], 5]]"
    assert counted(text, prune) == (pytest.approx(10 / 3), 11)


@pytest.mark.parametrize(("prune", "nodes"), [("none", 3524), ("alphabeta", 3524), ("star1", 3410), ("star2", 3174)])
def test_pig_node_counts(prune, nodes):
    result = expectiminimax(games.load("pig"), depth=8, prune=prune, table_mb=0)
    assert (result.value, result.nodes) == (search.minimax(games.load("pig"), depth=8).value, nodes)


# ---- the lectures' worked examples


def values(result):
    return {result.game.action_name(result.state, each.action): each.value for each in result.actions if each.exact}


@pytest.mark.parametrize("prune", PRUNING)
@pytest.mark.parametrize(
    ("name", "move", "all_values"),
    [
        ("bins", "B", {"A": -50.0, "B": 1.0, "C": -5.0}),
        ("bins:opponent_is_random=true", "C", {"A": 0.0, "B": 2.0, "C": 5.0}),
        ("bins:coin=true", "C", {"A": -27.5, "B": -24.5, "C": -2.0}),
    ],
)
def test_bins(name, move, all_values, prune):
    result = expectiminimax(games.load(name), prune=prune)
    assert (result.action_name, result.value, result.proven) == (move, all_values[move], True)
    assert values(result).items() <= all_values.items()
    if prune == "none":
        assert values(result) == all_values


@pytest.mark.parametrize("prune", PRUNING)
def test_two_ply_tree_has_value_3(prune):
    result = expectiminimax(Tree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), prune=prune)
    assert (result.value, result.action, result.line) == (3.0, 0, (0, 0))
    assert result.nodes == (13 if prune == "none" else 11)  # without the leaves 4 and 6
    assert [each.value for each in result.actions] == [3.0, 2.0, 2.0]
    mirrored = expectiminimax(Tree("min[max[-3,-12,-8],max[-2,-4,-6],max[-14,-5,-2]]"), prune=prune)
    assert (mirrored.value, mirrored.action, mirrored.nodes) == (-3.0, 0, result.nodes)


# ---- compiled and interpreted


@pytest.mark.parametrize("prune", PRUNING)
@pytest.mark.parametrize("name", ["pig", "pig:goal=12", "bins", "bins:coin=true", "tic_tac_toe"])
def test_compiled_and_interpreted_agree_to_the_last_node(name, prune):
    depth = 4 if name == "tic_tac_toe" else 6
    game = games.load(name)
    result = both_modes(lambda: expectiminimax(game, depth=depth, prune=prune).as_dict() | {"seconds": 0})
    assert result["value"] == search.minimax(game, depth=depth).value
    assert result["prune"] == prune


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Tree, Prioritised])
def test_compiled_trees_equal_interpreted_ones(kind):
    first = "chance[0.25*min[8,1,chance[3,5]],0.75*max[-8,2]]"
    text = f"[{first},min[1,chance[min[2,7],max[4,0],-3]],chance[max[1,9],min[2,1]]]"
    result = both_modes(lambda: expectiminimax(kind(text)).as_dict() | {"seconds": 0})
    assert result["value"] == search.minimax(kind(text)).value
    assert result["nodes"] < search.minimax(kind(text)).nodes


@pytest.mark.parametrize("prune", PRUNING)
def test_depth_in_rounds(prune):
    """A round is MAX's move, a throw and MIN's move; what comes after one of them is not seen."""
    game = Tree("[chance[min[3,[9,9]],min[4,1]],chance[min[2,5],min[4,[8,7]]]]")
    plain, result = search.minimax(game, rounds=1), expectiminimax(game, rounds=1, prune=prune)
    assert (result.value, result.depth, result.proven) == (plain.value, 1, False) == (1.0, 1, False)
    assert expectiminimax(game, rounds=2, prune=prune).value == 3.0


# ---- limits


@pytest.mark.parametrize("prune", PRUNING)
def test_a_limit_of_nodes_is_kept_to(prune):
    result = expectiminimax(games.load("pig"), nodes=5000, prune=prune)
    assert (result.stopped, result.action_name, result.proven) == ("nodes", "roll", False)
    assert 5000 <= result.nodes <= 5000 + 6 * 20  # the siblings on the way back up are counted too


def test_a_limit_of_seconds_ends_the_search():
    result = expectiminimax(games.load("pig"), seconds=0.05)
    assert (result.stopped, result.action_name) == ("seconds", "roll")


@pytest.mark.parametrize("prune", PRUNING)
def test_a_stop_gives_a_legal_move(prune):
    """The progress call is the only thing that can stop it: a game of pig has no last move."""

    def stop(tally):
        tally.stop = 1

    game = games.load("pig")
    s = game.at("roll 6 roll 5").state
    result = expectiminimax(game, s, depth=100, prune=prune, progress=stop)
    assert (result.stopped, result.proven, result.action) == ("interrupted", False, 0)
    assert not any(each.exact for each in result.actions)
    at_a_throw = expectiminimax(game, game.at("roll").state, depth=100, prune=prune, progress=stop)
    assert (at_a_throw.stopped, at_a_throw.proven, at_a_throw.action) == ("interrupted", False, None)


# ---- the result


def test_at_a_throw_of_the_dice_there_is_a_value_and_no_move():
    game = games.load("pig")
    s = game.at("roll").state
    result = expectiminimax(game, s, depth=5)
    assert (result.action, result.line) == (None, ())
    assert all(each.exact for each in result.actions)
    assert result.value == search.minimax(game, s, depth=5).value


def test_a_finished_game_has_a_value_and_no_move():
    game = games.load("tic_tac_toe")
    result = expectiminimax(game, game.at("a1 b1 a2 b2 a3").state)
    assert (result.action, result.value, result.values, result.line) == (None, 8.0, (8.0, -8.0), ())


class Wager(Game):
    """One player with 4 coins: three times, put none or one at stake, which is doubled or lost."""

    players = 1
    zero_sum = False
    chance = True
    utility_range = (1.0, 7.0)

    def initial(self):
        return (4, 0, 0)  # coins, throws, at stake

    def player(self, s):
        return CHANCE if s[2] else 0

    def actions(self, s):
        return range(2 if s[1] < 3 else 0)

    def probability(self, s, a):
        return 0.75 if a else 0.25

    def result(self, s, a):
        if s[2]:
            return (s[0] + (1 if a else -1), s[1] + 1, 0)
        return (s[0], s[1], 1) if a else (s[0], s[1] + 1, 0)

    def is_terminal(self, s):
        return s[1] == 3

    def utility(self, s, p):
        return float(s[0])


@pytest.mark.parametrize("prune", PRUNING)
def test_one_player(prune):
    result = both_modes(lambda: expectiminimax(Wager(), prune=prune).as_dict() | {"seconds": 0})
    assert (result["value"], result["values"], result["action"]) == (5.5, [5.5], 1)


def test_what_it_is_not_for():
    with pytest.raises(search.Unsuited, match=r"expectiminimax is for two opponents .* has 3 players"):
        expectiminimax(games.load("pig:players=3"))
    with pytest.raises(UserError, match="prune is one of none, alphabeta, star1, star2, not 'star3'"):
        expectiminimax(games.load("pig"), depth=2, prune="star3")
