"""The uniform tree: best play and what alpha-beta must look at are known beforehand."""

import itertools
from math import ceil, floor

import pytest

from counterplay import UnreadableText, games, native, search
from counterplay.games.uniform_tree import ORDERS, UniformTree
from tests.test_alphabeta import textbook

SIZES = [*itertools.product((1, 2, 3, 4), (1, 2, 3, 4, 5)), (2, 9), (3, 6), (7, 3)]


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


def plain(game, s=None):
    """Nodes of the textbook's alpha-beta."""
    result = search.alphabeta(game, s, without=["all"])
    assert result.proven
    return result.nodes


def least(b, m):
    """The leaves of the smallest tree that proves a value (Knuth & Moore 1975)."""
    return b ** ceil(m / 2) + b ** floor(m / 2) - 1


def states(game, s):
    yield s
    for a in game.actions(s):
        yield from states(game, game.result(s, a))


# ---- what alpha-beta looks at


@pytest.mark.parametrize(("b", "m"), SIZES)
def test_in_best_order_alpha_beta_looks_at_the_least_leaves_possible(b, m):
    game = UniformTree(width=b, height=m, order="best")
    count = [0, 0]
    assert textbook(game, game.initial(), float("-inf"), float("inf"), m, count) == 0
    assert count[1] == least(b, m)
    assert plain(game) == count[0] == sum(least(b, k) for k in range(m + 1))


@pytest.mark.parametrize(("b", "m"), SIZES)
def test_in_worst_order_alpha_beta_looks_at_everything(b, m):
    game = UniformTree(width=b, height=m, order="worst")
    assert plain(game) == search.minimax(game).nodes == sum(b**k for k in range(m + 1))


@pytest.mark.parametrize(("b", "m"), [(2, 6), (3, 5), (5, 3)])
def test_random_order_is_in_between(b, m):
    game = UniformTree(width=b, height=m)
    nodes = [plain(game, game.State(0, 0, path)) for path in range(20)]
    low, high = (plain(UniformTree(width=b, height=m, order=order)) for order in ("best", "worst"))
    assert all(low <= n <= high for n in nodes)
    assert low < sum(nodes) / 20 < high
    assert len(set(nodes)) > 5, "every path is another tree"


def test_refinements_make_up_for_random_order():
    game = UniformTree(width=3, height=8)
    starts = [game.State(0, 0, path) for path in range(3)]
    refined = sum(search.alphabeta(game, s, table_mb=1).nodes for s in starts)
    assert refined < sum(plain(game, s) for s in starts)


@pytest.mark.parametrize("order", ORDERS)
def test_the_last_plies_of_a_tall_tree_are_a_small_one(order):
    tall = UniformTree(height=9, order=order)
    for m in range(1, 6):
        small = UniformTree(height=m, order=order)
        assert plain(tall, tall.State(9 - m, 0, 5)) == plain(small, small.State(0, 0, 5))


# ---- values


@pytest.mark.parametrize("order", ORDERS)
def test_best_play_is_free_and_the_value_is_0(order):
    game = UniformTree(width=3, height=5, order=order)
    for result in (search.minimax(game), search.alphabeta(game), search.alphabeta(game, without=["all"])):
        assert (result.value, result.proven) == (0.0, True)
        s = game.initial()
        for a in result.line:
            assert game.cost(s, a) == 0
            s = game.result(s, a)
        assert game.is_terminal(s)


def test_the_lead_is_the_value():
    game = UniformTree(width=3, height=4)
    for s in states(game, game.initial()):
        assert search.minimax(game, s).value == s.lead


@pytest.mark.parametrize(("b", "m"), [(1, 3), (2, 1), (3, 4), (4, 3)])
def test_the_range_is_reached_and_kept(b, m):
    game = UniformTree(width=b, height=m)
    ends = [game.utility(s, p) for s in states(game, game.initial()) if game.is_terminal(s) for p in range(2)]
    assert (min(ends), max(ends)) == game.utility_range


def test_estimates_mistake_neighbours_one_time_in_eight():
    game = UniformTree(width=2, height=12, order="best")
    all_states = [game.State(2, 0, path) for path in range(4000)]
    wrong = sum(game.evaluate(game.result(s, 0), 0) < game.evaluate(game.result(s, 1), 0) for s in all_states)
    assert 0.11 < wrong / len(all_states) < 0.14
    low, high = game.utility_range
    assert low <= min(game.evaluate(s, p) for s in all_states for p in range(2))
    assert high >= max(game.evaluate(s, p) for s in all_states for p in range(2))
    assert game.evaluate(game.State(2, int(high), 1), 0) <= high


# ---- moves and states


def test_every_order_of_costs_is_equally_likely_at_random():
    game = UniformTree(width=3, height=2)
    seen = [tuple(game.cost(game.State(0, 0, path), a) for a in range(3)) for path in range(6000)]
    for costs in itertools.permutations(range(3)):
        assert 900 < seen.count(costs) < 1100


def test_costs_are_listed_as_the_order_says():
    s = UniformTree.State(0, 0, 0)
    assert [UniformTree(width=4, order="best").cost(s, a) for a in range(4)] == [0, 1, 2, 3]
    assert [UniformTree(width=4, order="worst").cost(s, a) for a in range(4)] == [3, 2, 1, 0]


@pytest.mark.parametrize("order", ORDERS)
def test_no_two_ways_meet(order):
    game = UniformTree(width=3, height=6, order=order)
    found = list(states(game, game.initial()))
    assert len({s.path for s in found}) == len({game.key(s) for s in found}) == len(found) == (3**7 - 1) // 2


# ---- what cannot be


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ("order=good", "order is one of best, worst, random; not 'good'"),
        ("width=0", "a width of 1 to 512"),
        ("width=513,height=1", "a width of 1 to 512"),
        ("height=0", "a height of 1 to 200"),
        ("width=1,height=201", "a height of 1 to 200"),
        ("width=10,height=40", "so as to add up exactly"),
    ],
)
def test_silly_trees_are_refused(parameters, why):
    with pytest.raises(UnreadableText, match=why):
        games.load(f"uniform_tree:{parameters}")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ply=7 lead=0 path=0", "ply is 0 to 6"),
        ("ply=-1 lead=0 path=0", "ply is 0 to 6"),
        ("ply=0 lead=0 path=9223372036854775808", "64 bits"),
        ("ply=0 lead=1 path=0", "at ply 0 the lead is from 0 to 0"),
        ("ply=1 lead=-19 path=0", "at ply 1 the lead is from -18 to 0"),
        ("ply=2 lead=19 path=0", "at ply 2 the lead is from -18 to 18"),
        ("lead=0", "write it like 'ply=0 lead=0 path=0'"),
    ],
)
def test_positions_that_cannot_be_are_refused(text, why):
    with pytest.raises(UnreadableText, match=why):
        UniformTree().from_text(text)


def test_the_largest_trees_add_up_exactly():
    game = UniformTree(width=512, height=10, order="best")
    s = game.initial()
    while not game.is_terminal(s):
        s = game.result(s, 511 if game.player(s) == 0 else 0)
    assert s.lead == -(512**5 - 1)
    assert (game.utility(s, 0), game.utility(s, 1)) == game.utility_range
    with pytest.raises(UnreadableText):
        UniformTree(width=512, height=11)
