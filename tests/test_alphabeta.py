"""Alpha-beta: the same values as minimax with any refinements, the textbook's nodes with none, and honest answers."""

import itertools
import random
from math import ceil, floor
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import Game, UserError, games, native, search
from counterplay.core.game import is_repeated
from counterplay.games.tree import Tree
from counterplay.search.alphabeta.engine import REFINEMENTS, AlphaBeta, alphabeta
from counterplay.search.alphabeta.ordering import (
    ALL,
    NOTHING_YET,
    THE_PROMISING,
    THE_QUIET,
    drop_quiets,
    next_in_time,
    order_quiets,
    order_urgent,
)
from counterplay.search.alphabeta.workspace import (
    PLIES,
    SELECTIVE,
    begin_notes,
    go_without_notes,
    new_workspace,
    notes_before,
    notes_of,
)
from counterplay.search.limits import Limits
from counterplay.search.table import NO_ACTION
from tests.random_tree import KnowingTree, RandomTree, UniformTree
from tests.test_search import tree

INEXACT = {"quiescence", *SELECTIVE}


def must_agree(result, truth):
    """The value is minimax's, the move is one of the best, exact values are exact and bounds are bounds."""
    assert result.value == truth.value
    true_value = {each.action: each.value for each in truth.actions}
    if truth.action is None:
        assert result.action is None
        return
    assert true_value[result.action] == truth.value
    player = truth.game.player(truth.state)
    for each in result.actions:
        if each.exact:
            assert each.value == true_value[each.action]
        elif player == 0:
            assert truth.value >= each.value >= true_value[each.action]
        else:
            assert truth.value <= each.value <= true_value[each.action]
    assert next(each.exact for each in result.actions if each.action == result.action)


class ListedTree(KnowingTree):
    """A random tree whose noisy actions are listed by themselves, whatever their priority; and that of others."""

    width: int = 7

    def is_noisy(self, s, a):
        return self.noise(s, 20 + a) % 2 == 0

    def noisy_actions(self, s):
        for a in self.actions(s):
            if self.noise(s, 20 + a) % 2 == 0:
                yield a


class QuietTree(ListedTree):
    """The same, and its quiet actions by themselves, and those of them that may make something urgent."""

    selective = True

    def is_urgent(self, s):
        return self.noise(s, 40) % 3 == 0

    def quiet_actions(self, s):
        for a in self.actions(s):
            if self.noise(s, 20 + a) % 2 == 1:
                yield a

    def urgent_actions(self, s):
        for a in self.quiet_actions(s):
            if a % 3 == 0 or self.makes_urgent(s, a):
                yield a


def in_time(game, s, known, w, dropped_after=None):
    """The moves as a search gets them; the quiet ones are dropped after so many of them."""
    came, quiets, listed, n = [], 0, NOTHING_YET, 0
    while True:
        a, listed, n = next_in_time(game, s, 0, 2, 0, *(known or [NO_ACTION]), listed, n, w)
        if a == NO_ACTION and listed == THE_PROMISING:
            order = order_urgent if dropped_after == 0 else order_quiets
            listed, n = THE_QUIET, order(game, s, 0, 2, 0, *(known or [NO_ACTION]), w)
        elif a == NO_ACTION:
            return came
        else:
            came.append(a)
            quiets += listed in (THE_QUIET, ALL) and not game.is_noisy(s, a)
            if quiets > 0 and quiets == dropped_after:
                n, dropped_after = drop_quiets(game, s, 0, 0, listed, n, w), None


@pytest.mark.parametrize("kind", [ListedTree, QuietTree])
def test_every_move_comes_once_whenever_it_is_listed(kind):
    game = kind()
    w = new_workspace(game, None, frozenset({"killers", "history"}))
    for seed in range(60):
        s = game.State(0, 0, seed)
        actions = list(game.actions(s))
        for known in ([], [actions[-1]]):
            promising = [a for a in game.noisy_actions(s) if game.priority(s, a) > 0 and a not in known]
            others = [a for a in actions if a not in promising and a not in known]
            if kind is QuietTree:
                others.sort(key=lambda a: (game.is_noisy(s, a), -game.priority(s, a)))
            else:
                others.sort(key=lambda a: -game.priority(s, a))
            came = in_time(game, s, known, w)
            assert came == known + sorted(promising, key=lambda a: -game.priority(s, a)) + others


@pytest.mark.parametrize("kind", [ListedTree, QuietTree])
def test_quiet_moves_that_are_dropped_do_not_come_unless_they_make_something_urgent(kind):
    game = kind()
    w = new_workspace(game, None, frozenset({"killers", "history"}))
    dropped = 0
    for seed in range(60):
        s = game.State(0, 0, seed)
        for known in ([], [next(iter(game.actions(s)))]):
            every = in_time(game, s, known, w)
            for after in range(1 if kind is ListedTree else 0, 4):
                quiets = [a for a in every if not game.is_noisy(s, a) and a not in known]
                out = {a for a in quiets[after:] if not game.makes_urgent(s, a)}
                if kind is ListedTree:  # it knows nothing of what is urgent
                    out = set(quiets[after:])
                assert in_time(game, s, known, w, after) == [a for a in every if a not in out]
                dropped += len(out)
    assert dropped > 100


@pytest.mark.parametrize("game", [ListedTree(), QuietTree()])
def test_lists_of_moves_change_no_value(game):
    for seed in range(30):
        s = game.State(0, 0, seed)
        must_agree(alphabeta(game, s, table_mb=0.01, without=INEXACT), search.minimax(game, s))


def subset(seed):
    """Some refinements to leave out; all that are inexact among them."""
    chosen = random.Random(seed)
    return {name for name in REFINEMENTS if chosen.random() < 0.5} | INEXACT


@settings(max_examples=400, deadline=None, derandomize=True)
@given(tree.filter(lambda text: "chance" not in text), st.integers(0, 10**6))
def test_any_refinements_give_the_value_of_minimax_on_written_trees(text, seed):
    game = Tree(text)
    must_agree(alphabeta(game, table_mb=0.01, without=subset(seed)), search.minimax(game))


@pytest.mark.parametrize(
    "game",
    [KnowingTree(), *(pytest.param(game, marks=pytest.mark.rare) for game in (RandomTree(), RandomTree(meet=False)))],
)
def test_any_refinements_give_the_value_of_minimax_on_thousands_of_compiled_trees(game):
    for seed in range(600):
        s = game.State(0, 0, seed)
        depth = None if seed % 3 == 0 else 1 + seed % 5
        truth = search.minimax(game, s, depth)
        result = alphabeta(game, s, depth, table_mb=0.05, without=subset(seed))
        must_agree(result, truth)
        if result.proven:  # a proof may need less than the depth
            assert result.value == search.minimax(game, s).value


@pytest.mark.slow
def test_each_refinement_alone_and_all_but_each():
    game = KnowingTree()
    for name in REFINEMENTS:
        if name in INEXACT:
            continue
        for without in ({name} | INEXACT, set(REFINEMENTS) - {name}):
            for seed in range(60):
                s = game.State(0, 0, seed)
                must_agree(alphabeta(game, s, 4, table_mb=0.05, without=without), search.minimax(game, s, 4))


def test_compiled_and_interpreted_agree_to_the_last_node():
    game = KnowingTree()

    def work(without):
        results = [alphabeta(game, game.State(0, 0, seed), 4, table_mb=0.05, without=without) for seed in range(12)]
        return [(r.value, r.line, r.nodes, r.actions) for r in results]

    for without in ([], ["all"]):
        with native.compiled():
            compiled = work(without)
        with native.interpreted():
            assert work(without) == compiled


@pytest.mark.parametrize("name", ["breakthrough:rows=6,columns=4", "checkers", "kalah", "connect_four"])
def test_rules_that_a_game_leaves_out_leave_machine_code(name):
    """Noisy moves and nothing urgent, for one: what a game does not know must not become a constant of a recursion."""
    with native.compiled():
        assert AlphaBeta(games.load(name), table_mb=1).search(None, Limits(depth=3)).depth == 3


# ---- the textbook


def textbook(game, s, alpha, beta, depth, count):
    """Russell & Norvig, figure 5.7, in one function."""
    count[0] += 1
    if game.is_terminal(s):
        count[1] += 1
        return game.utility(s, 0)
    if depth == 0:
        count[1] += 1
        return game.evaluate(s, 0)
    if game.player(s) == 0:
        v = float("-inf")
        for a in game.actions(s):
            v = max(v, textbook(game, game.result(s, a), alpha, beta, depth - 1, count))
            if v >= beta:
                return v
            alpha = max(alpha, v)
        return v
    v = float("inf")
    for a in game.actions(s):
        v = min(v, textbook(game, game.result(s, a), alpha, beta, depth - 1, count))
        if v <= alpha:
            return v
        beta = min(beta, v)
    return v


def test_with_all_refinements_off_it_is_the_textbook_node_for_node():
    game = RandomTree()
    for seed in range(200):
        s = game.State(0, 0, seed)
        count = [0, 0]
        v = textbook(game, s, float("-inf"), float("inf"), 5, count)
        result = alphabeta(game, s, 5, without=["all"])
        assert (result.value, result.nodes) == (v, count[0])
        assert count[0] <= search.minimax(game, s, 5).nodes


def test_connect_four_ten_plies_deep_in_column_order():
    result = alphabeta(games.load("connect_four"), depth=10, without=["all"])
    assert (result.nodes, result.value) == (155_590, 0.0)


@pytest.mark.parametrize(("b", "m"), [*itertools.product((1, 2, 3, 5), (1, 2, 3, 4, 5))])
def test_in_best_order_it_looks_at_the_least_leaves_possible(b, m):
    """b^⌈m/2⌉ + b^⌊m/2⌋ − 1 leaves (Knuth & Moore 1975)."""
    game = UniformTree(width=b, height=m)
    count = [0, 0]
    textbook(game, game.initial(), float("-inf"), float("inf"), m, count)
    assert count[1] == b ** ceil(m / 2) + b ** floor(m / 2) - 1
    with native.interpreted():
        assert alphabeta(game, without=["all"]).nodes == count[0]


def test_two_ply_tree_skips_4_and_6():
    result = alphabeta(Tree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), without=["all"])
    assert (result.value, result.nodes) == (3.0, 13 - 2)
    assert [(each.value, each.exact) for each in result.actions] == [(3.0, True), (2.0, False), (2.0, False)]


def test_small_examples_prune_what_the_notes_say():
    assert alphabeta(Tree([[10, 8], [4, 50]]), without=["all"]).nodes == 7 - 1
    assert alphabeta(Tree([[3, 5], [2, 10]]), without=["all"]).nodes == 7 - 1
    assert alphabeta(Tree([[2, 10], [3, 5]]), without=["all"]).nodes == 7


# ---- the root


def test_a_bound_never_wins_a_tie():
    """The second action's pruned value looks like the first's, but is only a bound."""
    result = alphabeta(Tree([[3, 9], [3, -50]]), without=["all"])
    assert (result.action, result.value) == (0, 3.0)
    assert [each.exact for each in result.actions] == [True, False]
    low = alphabeta(Tree("min[max[3,-9],max[3,50]]"), without=["all"])
    assert (low.action, low.value, [each.exact for each in low.actions]) == (0, 3.0, [True, False])


@pytest.mark.parametrize("k", [1, 2, 3, 9])
def test_multi_gives_the_exact_values_of_the_best(k):
    game = RandomTree()
    for seed in range(80):
        s = game.State(0, 0, seed)
        truth = search.minimax(game, s, 5)
        sign = 1 if game.player(s) == 0 else -1
        best = sorted((sign * each.value for each in truth.actions), reverse=True)[:k]
        result = alphabeta(game, s, 5, multi=k, table_mb=0.05, without=INEXACT | ({"bounds"} if k > 1 else set()))
        must_agree(result, truth)
        exact = sorted((sign * each.value for each in result.actions if each.exact), reverse=True)[:k]
        assert exact == best


def test_the_line_is_legal_and_keeps_the_value():
    game = RandomTree()
    for seed in range(100):
        s = game.State(0, 0, seed)
        result = alphabeta(game, s, 5, without=INEXACT | {"table"})
        end = s
        for a in result.line:
            assert a in game.actions(end)
            end = game.result(end, a)
        assert game.evaluate(end, 0) == result.value


def test_the_line_of_a_proven_win_goes_to_the_end_of_the_game():
    game = games.load("connect_four")
    ends = 0
    for text in ("2217515424311147", "44433221117", "5534142"):
        s = game.at(position=text).state
        result = alphabeta(game, s, table_mb=200)
        for a in result.line:
            assert a in game.actions(s)
            s = game.result(s, a)
        if game.is_terminal(s):
            assert game.utility(s, 0) == result.value
            ends += 1
    assert ends == 3


# ---- repetition


class Perpetual(Game):
    """MAX, who stands badly, may give check for ever: from the even squares to the odd ones and back."""

    class State(NamedTuple):
        square: int
        turn: int
        quiet: int  # plies since something changed for good

    def initial(self):
        return self.State(0, 0, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        if not self.is_terminal(s):
            yield 0
            if s.turn == 0:
                yield 1

    def result(self, s, a):
        if a == 1:
            return self.State(2, 1, 0)  # gives in
        return self.State(1 - s.square, 1 - s.turn, s.quiet + 1)

    def is_terminal(self, s):
        return s.square == 2

    def utility(self, s, p):
        return -1.0 if p == 0 else 1.0

    def evaluate(self, s, p):
        return -0.5 if p == 0 else 0.5

    def reversible(self, s):
        return s.quiet

    def key(self, s):
        return s.square + 1


def test_a_position_that_comes_again_is_a_draw():
    game = Perpetual()
    s = game.initial()
    for mode in (native.compiled, native.interpreted):
        with mode():
            assert alphabeta(game, s, 6).value == 0.0
            assert alphabeta(game, s, 6, without=["repetition"]).value == -0.5
            assert not alphabeta(game, s, 6).proven  # it depends on how the position was reached


def test_what_was_played_before_counts_when_it_came_twice():
    game = Perpetual()
    states = [game.initial()]
    while len(states) < 5:
        states.append(game.result(states[-1], 0))
    assert not is_repeated(game, states[:4])
    assert is_repeated(game, states)
    assert not is_repeated(games.load("nim"), [games.load("nim").initial()])
    with native.interpreted():
        assert alphabeta(game, states[3], 1).value == -0.5
        assert alphabeta(game, states[3], 2, history=states[:3]).value == 0.0
        assert alphabeta(game, states[2], 3, history=states[:2]).value == 0.0  # the root comes again
        assert alphabeta(game, states[2], 2, history=states[:2]).value == -0.5  # too far ahead to be seen


# ---- known games


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tic_tac_toe", 0),
        pytest.param("tic_tac_toe:m=4,n=3,k=3", 1, marks=pytest.mark.slow),
        pytest.param("tic_tac_toe:m=4,n=4,k=4", 0, marks=pytest.mark.slow),
        pytest.param("connect_four:rows=4,columns=4", 0, marks=pytest.mark.slow),
        ("connect_four:rows=4,columns=5", 0),
        ("nim:heaps=[3,4,5]", 1),
        ("nim:heaps=[1,4,5]", -1),
        ("nim:heaps=[4,5,6]", 1),
    ],
)
def test_small_games_are_solved_and_agree_with_theory(name, value):
    small = name.startswith("nim")  # sooner interpreted than compiled
    with native.interpreted() if small else native.compiled():
        result = alphabeta(games.load(name), table_mb=16)
    assert (result.value > 0) - (result.value < 0) == value
    assert (result.proven, result.stopped) == (True, "solved")


def test_connect_four_with_many_stones_is_solved():
    """A position of 16 stones: what the search says must hold after every reply, searched anew."""
    game = games.load("connect_four")
    here = game.at(position="2217515424311147")
    result = alphabeta(game, here.state, multi=7, table_mb=32)
    assert result.proven
    for each in result.actions:
        below = alphabeta(game, game.result(here.state, each.action), table_mb=32)
        assert below.proven
        assert below.value == each.value


# ---- limits, reuse, threads


def test_a_node_limit_is_kept_and_gives_a_move():
    game = games.load("connect_four")
    for nodes in (1, 10, 1000, 20_000):
        result = alphabeta(game, nodes=nodes)
        assert result.nodes <= nodes + 10
        assert (result.stopped, result.proven) == ("nodes", False)
        assert result.action in range(7)
    assert alphabeta(game, nodes=20_000).as_dict() | {"seconds": 0} == result.as_dict() | {"seconds": 0}


def test_a_time_limit_gives_a_move():
    result = alphabeta(games.load("connect_four"), seconds=0.05)
    assert (result.stopped, result.action in range(7)) == ("seconds", True)


def test_stopping_gives_the_best_so_far():
    def stop(tally):
        tally.stop = 1

    result = alphabeta(games.load("connect_four"), progress=stop)
    assert result.stopped == "interrupted"
    assert result.action in range(7)


def test_rounds_count_the_last_player_s_moves():
    game = games.load("connect_four")
    assert alphabeta(game, rounds=2, without=["all"]).nodes == alphabeta(game, depth=4, without=["all"]).nodes
    after = game.at("4").state  # one ply to the end of the round
    by_rounds = alphabeta(game, after, rounds=2, without=["all"])
    assert by_rounds.nodes == alphabeta(game, after, depth=3, without=["all"]).nodes
    assert search.minimax(game, rounds=1).nodes == search.minimax(game, depth=2).nodes


def test_a_searcher_that_is_kept_needs_less_for_the_next_move():
    game = games.load("connect_four")
    kept = AlphaBeta(game, table_mb=16)
    s = game.at("4 4").state
    first = kept.search(s, Limits(depth=12))
    s = game.result(game.result(s, first.line[0]), first.line[1])
    again = kept.search(s, Limits(depth=10))
    fresh = AlphaBeta(game, table_mb=16).search(s, Limits(depth=10))
    assert again.value == fresh.value
    assert again.nodes < fresh.nodes / 10


def test_what_the_table_answers_was_looked_at_as_deep():
    game = games.load("connect_four")
    kept = AlphaBeta(game, table_mb=16, without=["deepening"])
    first, again = (kept.search(game.at("4 4").state, Limits(depth=8)) for _ in range(2))
    assert again.nodes < first.nodes
    assert first.depth == again.depth == 8


def test_threads_agree_on_the_value():
    game = games.load("connect_four")
    s = game.at(position="4444").state
    one = alphabeta(game, s, depth=12, table_mb=16)
    two = alphabeta(game, s, depth=12, table_mb=16, threads=2)
    assert two.value == one.value
    assert two.depth == one.depth
    assert one.nodes == alphabeta(game, s, depth=12, table_mb=16).nodes


def test_threads_learn_together():
    game = games.load("connect_four")
    engine = AlphaBeta(game, table_mb=4, threads=2)
    engine.search(game.at("4 4"), Limits(depth=10))
    leader, helper = engine._tallies
    assert leader.lore.any()
    assert not helper.lore.any()
    engine.new_game()
    assert not leader.lore.any()


def test_in_a_hurry_all_memory_is_got_before_the_first_search(monkeypatch):
    engine, got = AlphaBeta(games.load("nim"), table_mb=4), []
    monkeypatch.setattr(engine.table, "expect_much", lambda: got.append(engine.table))
    engine.hasten()
    assert got == [engine.table]
    AlphaBeta(games.load("nim"), without=["table"]).hasten()


@pytest.mark.parametrize(
    ("name", "limits", "begins_large"),
    [
        ("breakthrough", Limits(seconds=60, nodes=9_000), True),
        ("breakthrough", Limits(nodes=11_000), True),
        ("breakthrough", Limits(nodes=9_000), False),
        ("breakthrough", Limits(seconds=60, depth=3), False),
        ("nim", Limits(seconds=60), False),  # no estimates, and solved at once
    ],
)
def test_a_search_that_will_be_large_gets_its_memory_at_once(monkeypatch, name, limits, begins_large):
    engine, nodes = AlphaBeta(games.load(name), table_mb=4), []
    monkeypatch.setattr(engine.table, "expect_much", lambda: nodes.append(int(engine.memory.nodes)))
    engine.search(None, limits)
    assert (nodes[:1] == [0]) == begins_large


def test_the_notes_that_a_search_goes_on_from_are_never_those_that_it_writes():
    w = new_workspace(games.load("nim"), None, frozenset())
    begin_notes(w)
    for ply in range(PLIES):
        go_without_notes(ply, w)  # so that those before are far away, and once in a while in the same place
        assert notes_before(ply, w) != notes_of(ply, w)


def test_what_cannot_be_is_refused():
    with pytest.raises(UserError, match="no refinement 'killer'; there are: table"):
        alphabeta(games.load("nim"), without=["killer"])
    with pytest.raises(search.Unsuited, match="use expectiminimax"):
        alphabeta(games.load("pig"))
    with pytest.raises(search.Unsuited, match="use maxn"):
        alphabeta(Tree("[(1,2),(3,3)]"))
    for bad in (
        {"threads": 0},
        {"multi": 0},
        {"table_mb": 0},
        {"seconds": -1},
        {"nodes": 0},
        {"depth": 1, "rounds": 1},
    ):
        with pytest.raises(UserError):
            alphabeta(games.load("nim"), **bad)
    with native.interpreted(), pytest.raises(UserError, match="more than 512 moves"):
        alphabeta(UniformTree(width=600, height=2))
