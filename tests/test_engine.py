"""Engines: asked again, stopped, many at once, and what they declare about themselves."""

import os
import re
import sys
import threading
import time
import weakref
from functools import partial
from pathlib import Path

import pytest

from counterplay import UserError, games, native, search
from counterplay.search import ENGINES, AlphaBeta, Limits, Minimax, MonteCarlo
from counterplay.search import run as deep_threads
from counterplay.search.run import Helpers, Job, new_tally, run
from tests.pile import python
from tests.processes import WATCHDOG_SECONDS
from tests.small_games import Nim as SmallNim

GAME_FOR = {"expectiminimax": "pig:goal=6", "expectimax": "pig:goal=6", "maxn": "pig:goal=5,players=3"}
OPEN = [name for name, kind in ENGINES.items() if not kind.abilities.hidden]  # test_ismcts.py has the others
SMALL = {name: GAME_FOR.get(name, "nim:heaps=[2,3]") for name in OPEN}
CONNECT_FOUR = games.load("connect_four")


def small_engine(name):
    engine = search.new_engine(name, games.load(SMALL[name]))
    usual = engine.abilities.limits[0]
    return engine, Limits(**{usual: 4 if usual == "depth" else 300})


def told(result):
    """What must not differ from one run to the next."""
    return result.action, result.values, result.nodes, result.proven, result.stopped, result.actions


# ---- asking


@pytest.mark.parametrize("name", OPEN)
def test_a_new_game_is_as_good_as_a_new_engine(name):
    engine, limits = small_engine(name)
    first = engine.search(None, limits)
    engine.search(None, limits)
    engine.new_game(seed=0)
    assert told(engine.search(None, limits)) == told(first)
    assert first.algorithm == name


@pytest.mark.parametrize("name", OPEN)
def test_every_engine_gives_the_values_of_all_moves_if_asked(name):
    engine, limits = small_engine(name)
    game = engine.game
    several = engine.search(None, limits, multi=100)
    assert all(each.exact for each in several.actions)
    worst = min(several.actions, key=lambda each: each.values[game.player(game.initial())]).action
    also = next(each for each in engine.search(None, limits, also=[worst]).actions if each.action == worst)
    assert also.exact
    if engine.abilities.every_value:
        assert all(each.exact for each in engine.search(None, limits).actions)


@pytest.mark.parametrize("name", OPEN)
def test_only_some_moves_can_be_asked_for(name):
    """Any one of them, and the two worst: of these the better is chosen, with the value that it has among all."""
    engine, limits = small_engine(name)
    game, s = engine.game, engine.game.initial()
    every = {each.action: each for each in engine.search(None, limits, multi=100).actions}
    for a in every:
        alone = engine.search(None, limits, only=[a])
        assert (alone.action, alone.line[0], len(alone.actions)) == (a, a, 1)
    if len(every) > 1 and not engine.abilities.every_value:
        *_, better, worst = sorted(every.values(), key=lambda each: -each.values[game.player(s)])
        found = engine.search(None, limits, only=[better.action, worst.action])
        assert found.values == better.values
        assert {each.action for each in found.actions} == {better.action, worst.action}
    with pytest.raises(UserError, match="only legal actions"):
        engine.search(None, limits, only=[next(iter(every)), 10_000])


@pytest.mark.parametrize("name", OPEN)
def test_what_an_engine_cannot_do_is_refused_in_one_line(name):
    engine, limits = small_engine(name)
    with pytest.raises(UserError, match="not a text"):
        engine.search("443", limits)
    with pytest.raises(UserError, match="1 or more, not 0"):
        engine.search(None, limits, multi=0)
    with pytest.raises(UserError, match=f"{name} has no setting 'colour'; it has: {engine.abilities.limits[0]}"):
        search.new_engine(name, engine.game, colour="red")
    with pytest.raises(UserError, match="the position is one of tic_tac_toe"):
        engine.search(games.load("tic_tac_toe").at("b2"), limits)
    unknown = "depth" if "depth" not in engine.abilities.limits else "simulations"
    with pytest.raises(UserError, match=f"{name} has no limit '{unknown}'"):
        engine.search(None, Limits(**{unknown: 3}))


def test_there_is_no_engine_of_another_name():
    with pytest.raises(UserError, match="no algorithm 'deepblue'; there are: minimax"):
        search.new_engine("deepblue", CONNECT_FOUR)


@pytest.mark.parametrize("name", OPEN)
def test_engines_declare_what_they_play(name):
    kind = ENGINES[name]
    assert kind.suits(games.load("tic_tac_toe"))
    assert kind.suits(games.load("pig")) == kind.abilities.chance
    assert kind.suits(games.load("pig:players=3")) == kind.abilities.many_players
    assert ("seed" in kind.setting_names()) == kind.abilities.seed
    assert ("threads" in kind.setting_names()) == kind.abilities.threads


def test_the_strongest_search_follows_from_what_a_game_knows():
    assert isinstance(search.strongest(games.load("othello")), AlphaBeta)
    assert isinstance(search.strongest(CONNECT_FOUR), MonteCarlo)  # it has no estimates
    assert search.strongest(games.load("backgammon")).name == "expectiminimax"


@pytest.mark.parametrize("name", OPEN)
def test_a_position_is_a_game_and_a_state(name):
    with native.interpreted():
        here = games.load(SMALL[name]).at()
        after = here.after(next(iter(here.game.actions(here.state))))
        found = search.ALGORITHMS[name](after, 3)
        assert told(found) == told(search.ALGORITHMS[name](after.game, after.state, 3))
        assert (found.game, found.state) == after


def test_a_text_is_no_game():
    with pytest.raises(UserError, match="a search takes a game or a position"):
        search.alphabeta("nim")


def test_a_position_brings_its_history():
    """Knights go out and back: with the history the third repetition is near, and the search sees it."""
    chess = games.load("chess")
    played = chess.at("e2e4 e7e5 g1f3 b8c6 f3g1 c6b8 g1f3 b8c6 f3g1")
    with_past = AlphaBeta(chess, table_mb=1, without="selective").search(played, Limits(depth=4))
    given = AlphaBeta(chess, table_mb=1, without="selective").search(
        played.state, Limits(depth=4), history=played.history
    )
    without = AlphaBeta(chess, table_mb=1, without="selective").search(played.state, Limits(depth=4))
    assert told(with_past) == told(given)
    assert with_past.nodes != without.nodes


def test_a_limit_in_rounds_switches_nothing_off_for_the_next_search():
    game = games.load("breakthrough:rows=6,columns=4")
    kept, fresh = AlphaBeta(game, table_mb=1), AlphaBeta(game, table_mb=1)
    kept.search(None, Limits(rounds=1))
    kept.new_game()
    assert told(kept.search(None, Limits(depth=6))) == told(fresh.search(None, Limits(depth=6)))
    assert kept.memory.use_reductions == fresh.memory.use_reductions == 1


# ---- stopping


@pytest.mark.parametrize("name", OPEN)
def test_stop_ends_a_search_from_another_thread(name):
    game = games.load({"nim:heaps=[2,3]": "connect_four"}.get(SMALL[name], SMALL[name].replace("goal=", "goal=10")))
    engine = search.new_engine(name, game)
    limits = Limits(seconds=600)
    began = threading.Event()
    job = engine.start(None, limits, progress=lambda tally: began.set())
    began.wait()
    assert not job.done
    job.stop()
    result = job.result()
    assert (result.stopped, result.proven) == ("interrupted", False)
    assert job.done
    assert result.action in [int(a) for a in game.actions(game.initial())]
    assert engine.search(None, Limits(nodes=10)).stopped == "nodes"  # it goes on as if nothing had happened


def test_a_stop_counts_from_the_moment_the_search_is_started():
    for engine in (AlphaBeta(CONNECT_FOUR), Minimax(CONNECT_FOUR), MonteCarlo(CONNECT_FOUR, memory_mb=8)):
        job = engine.start(None, Limits(seconds=600))
        engine.stop()
        assert job.result().stopped == "interrupted"


def test_who_started_a_search_is_told_of_its_end():
    told = threading.Event()
    job = AlphaBeta(games.load("nim"), table_mb=0.1).start(None, Limits(depth=2), then=told.set)
    assert told.wait(WATCHDOG_SECONDS)
    assert job.done


def test_how_full_the_table_is():
    engine = AlphaBeta(games.load("nim"), table_mb=0.1)
    assert engine.table.permille == 0
    engine.search(None, Limits(depth=6))
    assert engine.table.permille == round(1000 * engine.table.used) > 0


def test_one_engine_answers_one_question_at_a_time():
    engine = AlphaBeta(CONNECT_FOUR)
    began = threading.Event()
    job = engine.start(None, Limits(seconds=600), progress=lambda tally: began.set())
    began.wait()
    with pytest.raises(UserError, match="searching already"):
        engine.search(None, Limits(depth=1))
    job.stop()
    job.result()
    assert engine.search(None, Limits(depth=1)).stopped == "depth"


def test_a_job_that_is_not_done_says_so():
    gate = threading.Event()
    job = Job(gate.wait, gate.set)
    with pytest.raises(TimeoutError, match=r"0.01 seconds"):
        job.result(0.01)
    job.stop()
    assert job.result() is True


def test_what_progress_raises_ends_the_search():
    engine = Minimax(CONNECT_FOUR)

    def fail(tally):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        engine.search(progress=fail)
    assert engine.search(None, Limits(depth=1)).stopped == "depth"


@pytest.mark.slow
def test_a_search_that_is_stopped_proves_nothing_that_is_not_so():
    """A stop at the first depth looked at leaves moves out: whatever was seen by then is no proof."""
    game = games.load("connect_four:rows=4,columns=5")
    truth = search.alphabeta(game).value
    claims = 0
    for nodes in range(1, 20_000, 97):
        result = AlphaBeta(game, table_mb=1, without=["deepening"]).search(None, Limits(nodes=nodes))
        assert result.value == truth or not result.proven
        claims += result.proven
    assert claims < 200


# ---- many at once


def _limits_of_the_process():
    return sys.getrecursionlimit(), threading.stack_size()


def wait_until_all_went_home():
    while deep_threads._DeepThreads._waiting:
        time.sleep(0.01)


@pytest.mark.parametrize("threads", [1, 2])
def test_searches_at_once_are_right_and_leave_nothing_behind(threads, monkeypatch):
    monkeypatch.setattr(deep_threads, "_IDLE_SECONDS", 0.01)
    before, running = _limits_of_the_process(), threading.active_count()
    positions = [games.load("connect_four").at(moves) for moves in ("4 4 4 4 4 3", "3 4 4 3 5 1")]
    alone = [search.alphabeta(here.game, here.state, depth=9).value for here in positions]
    for _ in range(10):
        engines = [AlphaBeta(here.game, table_mb=4, threads=threads) for here in positions]
        jobs = [engine.start(here, Limits(depth=9)) for engine, here in zip(engines, positions, strict=True)]
        assert [job.result().value for job in jobs] == alone
    assert _limits_of_the_process() == before
    wait_until_all_went_home()
    assert threading.active_count() <= running + 1  # a thread that is done may still be on its way out


def test_a_deep_search_keeps_its_depth_while_another_ends():
    """Interpreted, the limit of recursion matters: the end of a short search must not lower it under a long one."""
    gate, before = threading.Event(), sys.getrecursionlimit()

    def deep(n):
        return 0 if n == 0 else 1 + deep(n - 1)

    def work():
        gate.wait()
        return deep(20_000)

    long = Job(work, gate.set)
    assert run(lambda: deep(20_000), new_tally()) == 20_000
    assert sys.getrecursionlimit() > before
    gate.set()
    assert long.result() == 20_000
    assert sys.getrecursionlimit() == before


# ---- what a small search costs


def test_one_thread_does_one_search_after_the_other():
    """Interpreted, a rule can see which thread calls it."""
    callers = set()

    class Seen(SmallNim):
        def utility(self, s, p):
            callers.add(threading.current_thread())
            return super().utility(s, p)

    engine = Minimax(Seen())
    with native.interpreted():
        for _ in range(20):
            engine.search(None, Limits(depth=30))
    assert len(callers) == 1


def test_threads_that_wait_do_the_next_works():
    def both():
        meet = threading.Barrier(2, timeout=WATCHDOG_SECONDS)

        def work():
            meet.wait()
            return threading.current_thread()

        jobs = [Job(work, meet.abort) for _ in range(2)]
        return {job.result() for job in jobs}

    assert len(both() | both() | both()) == 2


def test_the_thread_that_waits_goes_home(monkeypatch):
    monkeypatch.setattr(deep_threads, "_IDLE_SECONDS", 0.01)
    run(lambda: 0, new_tally())  # in a thread that waits the usual time, or the first one that does not
    thread = run(threading.current_thread, new_tally())
    wait_until_all_went_home()
    thread.join(WATCHDOG_SECONDS)
    assert not thread.is_alive()
    assert run(lambda: 7, new_tally()) == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_a_thread_of_its_own(tmp_path):
    """The one that waits in the parent is not there in the child, which would wait for it for ever."""
    code = """
        import os
        from counterplay.search.run import new_tally, run
        run(lambda: 0, new_tally())
        if os.fork() == 0:
            os._exit(run(lambda: 7, new_tally()))
        print(os.waitstatus_to_exitcode(os.wait()[1]))
    """
    assert python(tmp_path, code).stdout == "7\n"


def test_the_outcome_is_not_kept_by_the_thread_that_waits():
    class Large:
        pass

    made = run(Large, new_tally())
    gone = weakref.ref(made)
    del made
    while gone() is not None:  # until the thread is back in its waiting room
        time.sleep(0.001)


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="asks Linux how much memory is in use")
@pytest.mark.parametrize(("depth", "is_small"), [(4, True), (11, False)])
def test_only_a_long_search_gets_all_of_its_table(depth, is_small):
    engine = AlphaBeta(CONNECT_FOUR, table_mb=64)
    engine.search(None, Limits(depth=depth))
    assert (_resident_bytes(engine.table.address) < engine.table.bytes / 8) == is_small


def _resident_bytes(address):
    """How much of the memory at an address the system has provided."""
    is_there = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, *rest = line.split()
        if re.fullmatch("[0-9a-f]+-[0-9a-f]+", name):
            low, high = (int(each, 16) for each in name.split("-"))
            is_there = low <= address < high
        elif is_there and name == "Rss:":
            return int(rest[0]) * 1024
    raise AssertionError("no such memory")


# ---- helpers


def test_helpers_work_in_the_mode_of_who_asks():
    """Interpreted, a rule can see which threads call it; compiled it could not."""
    callers = set()

    class Seen(type(CONNECT_FOUR)):
        def result(self, s, a):
            callers.add(threading.get_ident())
            return super().result(s, a)

    with native.interpreted():
        AlphaBeta(Seen(), table_mb=1, threads=3).search(None, Limits(depth=5))
        assert len(callers) >= 3
        callers.clear()
        MonteCarlo(Seen(), memory_mb=1, threads=3).search(None, Limits(simulations=60))
        assert len(callers) >= 3


@pytest.mark.parametrize("kind", [AlphaBeta, partial(MonteCarlo, memory_mb=1)])
def test_what_goes_wrong_in_a_helper_is_raised(kind):
    leader = []

    class Flawed(type(CONNECT_FOUR)):
        def is_terminal(self, s):
            here = threading.get_ident()
            if s.ply > 2 and leader and here not in leader:
                raise ZeroDivisionError
            return super().is_terminal(s)

        def lands_on(self, s, column):
            if s.ply == 0 and threading.current_thread() is not threading.main_thread() and not leader:
                leader.append(threading.get_ident())
            return super().lands_on(s, column)

    with native.interpreted(), pytest.raises(ZeroDivisionError):
        kind(Flawed(), threads=2).search(None, Limits(seconds=600))


def test_helpers_end_with_what_they_help():
    stop = threading.Event()
    ended = []

    def work():
        stop.wait()
        ended.append(True)

    def fail_beside(helpers):
        with helpers:
            helpers.start()
            helpers.start()
            raise KeyError

    with pytest.raises(KeyError):
        fail_beside(Helpers([work, work], stop.set))
    assert ended == [True, True]
    done = []
    with Helpers([partial(done.append, 1)] * 3, stop.set) as helpers:
        assert not done
        helpers.start()
        helpers.wait(lambda: False)
        assert done == [1, 1, 1]
