"""The threads of alpha-beta: what they tell each other, and that no value depends on it."""

from math import inf

import pytest

from counterplay import games, native
from counterplay.search.alphabeta import kernel, root
from counterplay.search.alphabeta.engine import AlphaBeta, alphabeta
from counterplay.search.alphabeta.kernel import value
from counterplay.search.alphabeta.ordering import note_tried, put_off
from counterplay.search.alphabeta.root import begin, look, look_on, worth_of
from counterplay.search.alphabeta.sharing import (
    ENDED,
    FINISHED,
    FOUND,
    NEVER,
    OVERTAKEN,
    WINDOWS,
    call_back,
    joined,
    look_round,
    show_busy,
    show_task,
    task_of,
)
from counterplay.search.alphabeta.workspace import new_workspace
from counterplay.search.limits import Limits
from counterplay.search.table import table_key


def test_a_depth_that_another_thread_has_finished_is_given_up_and_the_value_is_the_same():
    game = games.load("connect_four")
    s, truth = game.at("4 4").state, alphabeta(game, game.at("4 4").state, depth=6, table_mb=4)
    engine = AlphaBeta(game, table_mb=4, threads=2)
    w = engine.memory

    def looked(finished, ended):
        begin(game, s, w)
        w.multi, (w.least, w.most), w.stop, w.nodes = 1, game.utility_range, 0, 0
        engine._busy[[FINISHED, ENDED]] = finished, ended
        look(game, s, None, 6, w)
        return bool(w.is_finished), w.found, int(w.root_step)

    step = 6 * WINDOWS
    assert looked(step - 1, 0) == (True, truth.value, step)
    assert engine._busy[FINISHED] == 7 * WINDOWS - 1
    engine.new_game()
    assert looked(step, 0) == (True, truth.value, NEVER)  # overtaken once, and never again
    engine.new_game()
    assert not looked(step, 1)[0]
    assert w.stop == 1


def test_who_gives_up_a_depth_looks_first_at_what_the_other_thread_found_best(monkeypatch):
    game = games.load("connect_four")
    s = game.at("4 4").state
    engine = AlphaBeta(game, table_mb=4, threads=2)
    w = engine.memory
    begin(game, s, w)
    w.multi, (w.least, w.most) = 1, game.utility_range
    before, looked_at = w.order[: w.choices].tolist(), []

    def recorded(game, s, child, i, floor, high, depth, w):
        looked_at.append((int(w.order[i]), child))
        return worth_of(game, s, child, i, floor, high, depth, w)

    monkeypatch.setattr(root, "worth_of", recorded)
    found = before[4]
    engine._busy[[FINISHED, FOUND]] = 6 * WINDOWS, found
    look(game, s, None, 6, w)
    numbers = [before[0], found, *before[1:4], before[0], *before[5:]]
    assert [number for number, _ in looked_at] == numbers
    assert [child for _, child in looked_at] == [game.result(s, int(w.action[number])) for number in numbers]
    assert w.found == alphabeta(game, s, depth=6, table_mb=4).value
    assert engine._busy[FOUND] == w.best


def test_a_window_of_the_root_that_another_thread_has_finished_is_given_up():
    """The first window about what is expected is too low here; whoever has found that out saves it the others."""
    game = games.load("connect_four")
    engine = AlphaBeta(game, table_mb=4, threads=2)
    w = engine.memory
    begin(game, game.at("4 4").state, w)
    w.multi, (w.least, w.most), w.is_expected, w.expected = 1, game.utility_range, 1, -0.9
    look(game, game.at("4 4").state, None, 6, w)
    assert w.is_finished
    assert w.root_step == 6 * WINDOWS + 1
    assert engine._busy[FINISHED] == 7 * WINDOWS - 1


def test_who_looks_at_what_another_thread_is_done_with_is_called_back():
    game = games.load("connect_four")
    engine = AlphaBeta(game, table_mb=4, threads=2)  # it holds the memory
    mine, other = engine._tallies
    for w in (mine, other):
        w.root_step = NEVER
    show_task(task_of(5, 8), 0, 3, mine)
    call_back(task_of(5, 7), 3, other)  # not so deep
    call_back(task_of(5, 8), 4, other)  # elsewhere
    look_round(mine)
    assert not mine.stop
    call_back(task_of(5, 8), 3, other)
    look_round(other)
    assert not other.stop
    look_round(mine)
    assert (mine.stop, mine.back_to) == (OVERTAKEN, 3)


@pytest.mark.parametrize("instead", [0, task_of(6, 8)])
def test_a_call_that_comes_late_is_for_nobody(instead):
    game = games.load("connect_four")
    engine = AlphaBeta(game, table_mb=4, threads=2)
    mine, other = engine._tallies
    mine.root_step = NEVER
    show_task(task_of(5, 8), 0, 3, mine)
    call_back(task_of(5, 8), 3, other)
    late = engine._busy.copy()
    show_task(instead, 0, 3, mine)
    engine._busy[:] = late  # as if the other had written after that
    look_round(mine)
    assert not mine.stop


def test_a_thread_that_is_called_back_takes_the_answer_from_the_table(monkeypatch):
    game = games.load("tic_tac_toe")
    s = game.initial()
    engine = AlphaBeta(game, table_mb=4, threads=2)
    mine, other = engine._tallies
    mine.root_step = other.root_step = NEVER
    called = []

    def look_round_after_a_while(w):
        if w is mine and w.nodes >= 100 and not called:
            called.append(value(game, s, -inf, inf, 9, 1, other))
        look_round(w)

    monkeypatch.setattr(kernel, "look_round", look_round_after_a_while)
    with native.interpreted():
        found = value(game, s, -inf, inf, 9, 1, mine)
    assert [found] == called == [0.0]
    assert (mine.stop, mine.back_to) == (0, 1)
    assert mine.nodes <= 102 < other.nodes  # one to notice it, one to look it up


def test_stopping_ends_all_threads_and_the_next_search_is_not_hurt():
    game = games.load("connect_four")
    engine = AlphaBeta(game, table_mb=4, threads=2)
    engine.stop()
    assert engine._busy[ENDED] == 1
    assert engine.search(game.at("4 4"), Limits(depth=6)).stopped == "depth"
    job = engine.start(game.initial())
    job.stop()
    assert job.result(60).stopped == "interrupted"


def test_moves_that_another_thread_is_busy_with_come_after_all_others(monkeypatch):
    game = games.load("connect_four")
    s = game.at("4 4 1").state
    engine = AlphaBeta(game, table_mb=4, threads=2, without="bounds")
    looked_at = []

    def note(a, tried, ply, w):
        if ply == 1:
            looked_at.append(a)
        return note_tried(a, tried, ply, w)

    def searched(busy_with):
        engine.new_game()
        looked_at.clear()
        mine, other = engine._tallies
        mine.root_step = NEVER
        for a in busy_with:
            show_busy(table_key(game, game.result(s, a)), True, other)
        return value(game, s, -inf, inf, 5, 1, mine), list(looked_at)

    monkeypatch.setattr(kernel, "note_tried", note)
    with native.interpreted():
        v, order = searched([])
        assert len(order) == 7
        # Not the first: if that is enough, the others need not be looked at.
        assert searched(order[:3]) == (v, [order[0], *order[3:], *order[1:3]])


def test_moves_that_were_put_off_keep_their_ranks():
    w = new_workspace(games.load("connect_four"), None, frozenset())
    assert put_off(9, 5, 0, 3, w) == 1
    assert put_off(7, 6, 1, 3, w) == 2
    assert w.put_off[3, :2].tolist() == [9, 7]
    assert w.ranks[3, :2].tolist() == [5, 6]


def test_who_comes_to_a_task_that_another_thread_is_at_takes_over_what_that_has_found_out():
    engine = AlphaBeta(games.load("breakthrough"), table_mb=4, threads=2)  # it holds the memory
    mine, other = engine._tallies
    assert joined(task_of(5, 8), 3, mine) == (False, 0)
    show_task(task_of(5, 8), -1, 3, other)
    assert joined(task_of(5, 8), 3, mine) == (True, -1)
    assert joined(task_of(5, 8), 3, other) == (False, 0)  # not itself
    assert joined(task_of(5, 7), 3, mine) == joined(task_of(5, 8), 4, mine) == (False, 0)
    show_task(0, 0, 3, other)
    assert joined(task_of(5, 8), 3, mine) == (False, 0)


@pytest.mark.parametrize(("finished", "depths"), [(0, [2, 3, 4, 5]), (4, [2, 5]), (5, [2])])
def test_a_thread_that_helps_goes_deeper_until_the_end_and_leaves_out_what_others_have_finished(finished, depths):
    game = games.load("connect_four")
    engine = AlphaBeta(game, table_mb=4, threads=2)
    w, seen = engine.memory, []
    begin(game, game.initial(), w)
    w.multi, (w.least, w.most), w.last_depth, w.stride = 1, game.utility_range, 5, 1

    class Children(list):
        def __getitem__(self, k):
            seen.append(w.root_step // WINDOWS if w.root_step != NEVER else seen[-1])
            engine._busy[FINISHED] = max(engine._busy[FINISHED], (finished + 1) * WINDOWS - 1)
            return super().__getitem__(k)

    look_on(game, game.initial(), Children(game.result(game.initial(), a) for a in range(7)), 2, w)
    assert sorted(set(seen)) == depths
    seen.clear()
    engine._busy[ENDED] = 1
    look_on(game, game.initial(), Children(), 2, w)
    assert not seen
