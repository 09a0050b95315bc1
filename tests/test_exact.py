"""Solving the rest of a game: the values of minimax, whatever rules a game gives for it, and no proof that is none."""

import random
from math import inf, nextafter

import pytest

from counterplay import games, native, search
from counterplay.games.connect_four import ConnectFour
from counterplay.games.othello import Othello
from counterplay.search import AlphaBeta, Limits
from counterplay.search.exact import solver
from counterplay.search.exact.kernel import ask, settle
from counterplay.search.exact.memory import PLIES, SOUND, is_solvable, new_memory
from counterplay.search.exact.table import NO_MOVE, Known, bounds_of, note
from counterplay.search.run import new_tally
from counterplay.search.table import TranspositionTable
from tests.both_modes import both_modes
from tests.random_tree import RandomTree
from tests.references import obvious_value, random_states
from tests.test_alphabeta import must_agree

pytestmark = pytest.mark.long


class Ending(RandomTree):
    """A random tree that says how far its end is, with utilities that the table has to round."""

    height: int = 7

    def plies_left(self, s):
        return self.height - s.ply

    def utility(self, s, p):
        v = (self.noise(s, 4) % 9 - 4) * 0.1
        return v if p == 0 else -v

    def count_actions(self, s):
        return 0 if self.is_terminal(s) else 1 + self.noise(s, 2) % self.width


class Finished(Ending):
    """The same with all the rules that help: the last plies by a rule of its own, what is possible, an order."""

    finish_plies = 1

    def finish(self, s, low, high):
        best = -inf if self.player(s) == 0 else inf
        for a in self.actions(s):
            v = self.utility(self.result(s, a), 0)
            best = max(best, v) if self.player(s) == 0 else min(best, v)
        return best

    def still_possible(self, s):
        return -0.4, 0.4

    def sound_actions(self, s):
        return self.actions(s)  # nobody gets the most there is

    def glance(self, s, a):
        return self.noise(s, 6 + a) % 3


GAMES = (Ending(), Ending(meet=False), Finished())


def memory(game, megabytes=1.0):
    """A table, which must stay, and memory that has it."""
    table = TranspositionTable(megabytes)
    return table, new_memory(game, table.address, table.bytes // 16)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_random_trees_have_the_values_of_minimax(game):
    with native.interpreted():
        for seed in range(20):
            s, multi = game.State(0, 0, seed), 1 + seed % 3
            truth = search.minimax(game, s)
            for without in ([], ["deepening"]):
                must_agree(search.alphabeta(game, s, multi=multi, table_mb=0.01, without=without), truth)


def test_both_modes_look_at_the_same_nodes():
    game = Finished()
    for seed in range(20):
        s = game.State(0, 0, seed)
        found = both_modes(
            lambda s=s: search.alphabeta(game, s, table_mb=0.01, without=["deepening"]).as_dict() | {"seconds": 0}
        )
        assert found["proven"]


def test_the_kernel_is_exact_inside_its_window_and_a_bound_beyond_it():
    game, t = Ending(), new_tally()
    for seed in range(20):
        s = game.State(0, 0, seed)
        v = obvious_value(game, s)
        table, w = memory(game, 0.01)
        w.root_left = game.height
        for low, high in ((-4.0, 4.0), (v, nextafter(v, inf)), (nextafter(v, -inf), v), (v - 0.2, v - 0.1), (v, 4.0)):
            found = settle.interpreted(game, s, low, high, 0, t, w)
            assert found == v if low < v < high else v <= found <= low if v <= low else high <= found <= v
        table.clear()


def test_a_stopped_search_proves_nothing_that_is_false():
    game, proven = Ending(), 0
    with native.interpreted():
        for seed in range(12):
            s = game.State(0, 0, seed)
            v = obvious_value(game, s)
            for nodes in (5, 20, 60, 150, 600):
                result = search.alphabeta(game, s, nodes=nodes, table_mb=0.05, without=["deepening"])
                assert result.nodes <= nodes + 10
                proven += result.proven
                assert not result.proven or result.value == v
                for each in result.actions:
                    assert not each.proven or each.value == obvious_value(game, game.result(s, each.action))
    assert proven > 5


@pytest.mark.parametrize("margin", [False, True])
def test_the_last_squares_of_othello(margin):
    """`finish`, and what is solved with it, on boards of 4x4 and 6x6."""
    with native.interpreted():
        for size, empties in ((4, 6), (6, 5)):
            game = Othello(size=size, margin=margin)
            for seed in range(3):
                for s in random_states(game, seed):
                    left = (game.plies_left(s) + 1) // 2
                    if left > empties or game.is_terminal(s):
                        continue
                    v = obvious_value(game, s)
                    if game.plies_left(s) <= game.finish_plies:
                        assert game.finish(s, -1.0, 1.0) == v
                    if left == empties:
                        result = search.alphabeta(game, s, table_mb=0.1)
                        assert (result.value, result.proven) == (v, True)


@pytest.mark.slow
def test_a_whole_game_of_othello_on_a_small_board():
    game = Othello(size=4, margin=True)
    result = both_modes(lambda: (lambda found: (found.value, found.nodes, found.line))(search.alphabeta(game)))
    assert result[0] == search.alphabeta(game, without=["exact"]).value == -0.625


def test_what_connect_four_says_is_still_possible():
    """Lines that are spoilt, and who answers on top of each stone: true bounds, and each of them comes up."""
    game, said = ConnectFour(rows=6, columns=4), set()
    for seed in range(150):
        for s in random_states(game, seed):
            if game.plies_left(s) <= 7 and not game.is_terminal(s):
                least, most = game.still_possible(s)
                assert least <= obvious_value(game, s) <= most
                said.add((least, most))
    assert said == {(-1.0, 1.0), (-1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (1.0, 1.0), (-1.0, -1.0)}


@pytest.mark.parametrize(("columns", "connect", "least_known"), [(5, 4, 200), (5, 3, 5), (7, 4, 50)])
def test_who_answers_in_pairs_gets_what_is_said(columns, connect, least_known):
    """Far from the end, too, where several columns have an odd number of stones, and threats shut some."""
    game, known = ConnectFour(rows=4, columns=columns, connect=connect), 0
    engine = AlphaBeta(game, table_mb=4, without=["exact"])
    for seed in range(100):
        for s in random_states(game, seed):
            if game.plies_left(s) > 16 or game.is_terminal(s) or game.still_possible(s) == (-1.0, 1.0):
                continue
            least, most = game.still_possible(s)
            assert least <= engine.search(s).value <= most
            known += 1
    assert known > least_known


def test_two_columns_with_an_odd_number_of_stones_are_a_pair():
    game = ConnectFour(rows=2, columns=5, connect=3)
    assert game.still_possible(game.at("1 3").state) == (-1.0, 0.0)
    assert game.still_possible(game.at("1 5").state) == (-1.0, 1.0)


@pytest.mark.parametrize("moves", ["1 1 2 2", "1 2 3 4 1", "4 3 2 1 1 2"])
def test_compiled_and_interpreted_solve_connect_four_alike(moves):
    game = ConnectFour(rows=4, columns=4)
    s = game.at(moves).state
    both_modes(lambda: search.alphabeta(game, s, table_mb=1, without=["deepening"]).as_dict() | {"seconds": 0})


@pytest.mark.parametrize(("rows", "columns", "connect"), [(3, 4, 3), (4, 4, 4), (3, 5, 4)])
def test_connect_four_on_small_boards(rows, columns, connect):
    game = ConnectFour(rows=rows, columns=columns, connect=connect)
    late = [s for seed in range(30) for s in random_states(game, seed) if game.plies_left(s) == 6]
    live = [s for s in late if not game.is_terminal(s)][:5]
    assert live
    with native.interpreted():
        for s in live:
            truth = search.minimax(game, s)
            for without in ([], ["deepening"]):
                must_agree(search.alphabeta(game, s, table_mb=1, without=without), truth)
            every = search.alphabeta(game, s, multi=9, table_mb=1, without=["deepening"])
            assert [each.value for each in every.actions] == [each.value for each in truth.actions]
            assert all(each.proven for each in every.actions)


FOUR = "connect_four:rows=4,columns=5"


def test_threads_agree():
    game = games.load(FOUR)
    one, two = (search.alphabeta(game, table_mb=8, threads=threads) for threads in (1, 2))
    assert (one.value, one.proven) == (two.value, two.proven) == (0.0, True)


def test_the_line_is_best_play_to_the_end():
    game = games.load(FOUR)
    for moves in ("", "1", "1 2 2"):
        result = search.alphabeta(game, game.at(moves).state, table_mb=8)
        s = result.state
        for a in result.line:
            s = game.result(s, a)
        assert game.is_terminal(s)
        assert game.utility(s, 0) == result.value


def test_a_limit_is_used_to_solve_what_can_be_solved():
    game = games.load(FOUR)
    s = game.at("3 3 3 3").state
    result = search.alphabeta(game, s, nodes=100_000)
    assert (result.proven, result.stopped) == (True, "solved")
    assert result.value == search.alphabeta(game, s, without=["exact"]).value
    few = search.alphabeta(game, nodes=4_000)
    assert (few.proven, few.stopped) == (False, "nodes")


def test_what_solving_costs_is_found_out_first():
    game = Ending()
    engine = AlphaBeta(game, table_mb=0.1)
    w, t = new_memory(game, engine.table.address, 16), new_tally()
    w.most_cost, w.root_left = 1 << 40, game.height
    ask.interpreted(game, game.State(0, 0, 1), 0.0, 0.0, SOUND, t, w)
    assert w.cost[0] > 0
    assert not w.cost[game.height :].any()
    w.most_cost, w.stop = 0, 0
    ask.interpreted(game, game.State(0, 0, 1), 0.0, 0.0, SOUND, t, w)
    assert (w.cost > 0).sum() == 1


def test_an_engine_keeps_what_it_has_solved_until_a_new_game():
    game = ConnectFour(rows=4, columns=4)
    engine = AlphaBeta(game, table_mb=1)
    first = engine.search()
    again = engine.search()
    assert (first.value, first.proven) == (again.value, again.proven) == (0.0, True)
    assert again.nodes < first.nodes
    engine.new_game()
    assert engine.search().nodes == first.nodes


def test_it_is_for_games_whose_end_is_in_sight():
    assert is_solvable(games.load("othello"))
    assert not is_solvable(games.load("chess"))
    assert not is_solvable(games.load("pig"))
    game = Ending(height=8)
    shallow = search.alphabeta(game, game.State(0, 0, 5), 3)
    assert shallow.value == search.minimax(game, game.State(0, 0, 5), 3).value
    assert search.alphabeta(game, game.State(0, 0, 5), rounds=3).depth == 3


def test_the_table_rounds_away_from_the_value():
    game = Ending()
    table, w = memory(game, 0.01)
    w.root_left = 9
    chosen = random.Random(5)
    for key in range(1, 40):
        least, most = sorted(chosen.choice((0.1, -0.7, 0.5, 3 / 64, 1e-9, -1e300)) * chosen.random() for _ in range(2))
        note(w, key * 7919, Known(least, most, 3), 5)
        known = bounds_of(w, key * 7919)
        assert known.least <= least <= most <= known.most
        assert known.move == 3
        assert known.most - known.least <= most - least + 1e-3 * (abs(most) + abs(least))
    note(w, 77, Known(-0.5, 3 / 64, NO_MOVE), 5)
    assert bounds_of(w, 77) == Known(-0.5, 3 / 64, NO_MOVE)
    note(w, 78, Known(-inf, inf, 1), 5)
    assert bounds_of(w, 78) == Known(-inf, inf, 1)
    table.clear()
    assert bounds_of(w, 78) == Known(-inf, inf, NO_MOVE)


def test_the_table_gives_up_what_can_not_come_again_then_the_fewest_plies():
    table, w = memory(Ending(), 0.0001)
    w.root_left, step = 9, w.mask + 4
    keys = [step * i for i in range(1, 7)]
    for key, plies in zip(keys[:4], (5, 12, 3, 7), strict=True):
        note(w, key, Known(0.0, 1.0, 0), plies)
    assert all(bounds_of(w, key).most == 1.0 for key in keys[:4])
    note(w, keys[4], Known(0.0, 1.0, 0), 8)
    assert [bounds_of(w, key).most for key in keys[:5]] == [1.0, inf, 1.0, 1.0, 1.0]
    note(w, keys[5], Known(0.0, 1.0, 0), 2)
    assert [bounds_of(w, key).most for key in keys] == [1.0, inf, inf, 1.0, 1.0, 1.0]
    assert table.used > 0


def test_too_long_a_line_ends_the_attempt():
    game = Ending()
    _, w = memory(game)
    settle.interpreted(game, game.State(0, 0, 1), -4.0, 4.0, PLIES - 1, new_tally(), w)
    assert w.stop


def test_a_solver_without_hope_does_not_try(monkeypatch):
    game = games.load(FOUR)
    s = game.at("3 3 3 3").state
    monkeypatch.setattr(solver, "_SURVEY", 500)
    hopeful = search.alphabeta(game, s, nodes=6_000)
    monkeypatch.setattr(solver, "_BLIND_HOPE", 0.0)
    assert AlphaBeta(game).search(s, Limits(nodes=6_000)).stopped == "nodes"
    assert hopeful.stopped == "solved"
