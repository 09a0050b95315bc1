"""Clocks, and how long to think: nobody who obeys `allot` loses on time."""

from dataclasses import replace
from math import inf
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import games, native, search
from counterplay.apps.protocols import thinker
from counterplay.apps.protocols.gtp import _is_lost
from counterplay.arena import Budget, Clock, TimeLeft, allot
from counterplay.core.game import UnreadableText

seconds = st.floats(0, 10_000)
overheads = st.floats(0, 5)
lefts = st.builds(
    TimeLeft, seconds, st.floats(0, 60), st.none() | st.integers(1, 100), st.floats(0, 120), st.integers(0, 10)
)


@given(lefts, overheads)
def test_nobody_thinks_longer_than_there_is_time(left, overhead):
    budget = allot(left, overhead)
    assert 0 <= budget.target <= budget.limit + 1e-9
    assert budget.limit <= max(0.0, left.total - overhead) + 1e-9
    if left.periods:  # nor loses a period that it need not
        assert budget.limit <= max(0.0, left.seconds + left.period - overhead) + 1e-9


clocks = st.one_of(
    st.tuples(st.floats(1, 1000), st.floats(0.06, 30)),
    st.tuples(st.floats(10, 1000), st.just(0.0), st.integers(1, 100)),
    st.tuples(st.floats(0.1, 1000), st.just(0.0), st.none(), st.floats(0.1, 60), st.integers(1, 5)),
).map(lambda parts: Clock(*parts))


@settings(max_examples=60)
@given(clocks, st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=8))
def test_a_long_game_never_runs_out(clock, moves):
    """300 moves, of which each takes the target or the limit, and then any part of the overhead."""
    overhead = 0.05 if clock.moves is None else min(0.05, 0.9 * clock.seconds / clock.moves)
    used = []
    for ply in range(300):
        is_hard, lag = moves[ply % len(moves)]
        left = clock.after(used)
        assert left.total > 0
        budget = allot(left, overhead)
        used.append((budget.limit if is_hard else budget.target) + lag * overhead)
        assert used[-1] <= left.total
    if clock.periods:
        assert clock.after(used).periods == clock.periods


def test_without_increments_a_game_of_125_moves_is_no_trouble():
    used = []
    for _ in range(125):
        used.append(allot(Clock(60).after(used), 0.02).target + 0.02)
    assert Clock(60).after(used).total > 0


def test_how_long():
    assert allot(TimeLeft(100)) == Budget(5, 15)
    assert allot(TimeLeft(10, 30)).limit < 10
    assert allot(TimeLeft(100, moves=1), 0.5) == Budget(99.5, 99.5)
    assert allot(TimeLeft(100, moves=10)).target == 10
    assert allot(TimeLeft(0, period=30, periods=2)).target == 24
    assert allot(TimeLeft(0.01), 0.05) == Budget(0, 0)
    assert allot(TimeLeft(-3)) == Budget(0, 0)


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("300", Clock(300)),
        ("300+2", Clock(300, 2)),
        ("40/300", Clock(300, moves=40)),
        ("40/300+0.5", Clock(300, 0.5, 40)),
        ("300+3x30", Clock(300, period=30, periods=3)),
    ],
)
def test_clocks_are_texts(text, clock):
    assert Clock.read(text) == Clock.read(str(clock)) == clock


@pytest.mark.parametrize("text", ["", "0", "5+3x0", "0/5", "40/5+3x1", "1e3", "5x3", "1.2.3", "9" * 13, "3+", "-1"])
def test_what_is_no_clock(text):
    with pytest.raises(UnreadableText, match="is no clock"):
        Clock.read(text)


def test_moves_bring_time():
    clock = Clock.read("3/60+1")
    assert clock.after([]) == TimeLeft(60, 1, 3)
    assert clock.after([10, 10]) == TimeLeft(42, 1, 1)
    assert clock.after([10, 10, 10]) == TimeLeft(93, 1, 3)
    assert clock.after([10, 10, 10], 5) == TimeLeft(88, 1, 3)


def test_periods():
    clock = Clock.read("60+3x30")
    assert clock.after([50]) == TimeLeft(10, period=30, periods=3)
    assert clock.after([50, 39]) == TimeLeft(0, period=30, periods=3)
    assert clock.after([50, 39, 29, 29]).total == 90
    assert clock.after([50, 75]) == TimeLeft(0, period=30, periods=1)  # two were used up
    assert clock.after([60], 10) == TimeLeft(20, period=30, periods=2)
    assert clock.after([60], 70) == TimeLeft(20, period=30, periods=0)
    assert clock.after([60], 90).total == clock.after([60, 90]).total == 0


# ---- certainty


class Searching:
    """An asker whose engine simulates, and says what it is told to say of its lead."""

    deepens, simulates = False, True

    says = None

    def lead(self):
        return self.says

    def start(self, here, progress, then):
        return None


@pytest.mark.parametrize(
    ("spent", "lead", "is_enough"),
    [
        (2.0, None, False),
        (2.0, 1.4, False),  # three more seconds may bring one and a half times as many simulations
        (2.0, 1.6, True),
        (4.0, 0.3, True),
        (5.0, 0.2, True),
        (5.0, 0.05, False),  # a close race: it may go on
        (5.0, None, True),  # nobody knows
    ],
)
def test_a_search_by_simulations_ends_when_it_is_sure(monkeypatch, spent, lead, is_enough):
    now = [100.0]
    monkeypatch.setattr(thinker.time, "monotonic", lambda: now[0])
    asker, tally = Searching(), SimpleNamespace(stop=0)
    going = thinker._Search(asker, None, Budget(5.0, 15.0), False, None, None, None, None)
    going.hurry()
    assert going.deadline == 115.0  # it may be a close race
    now[0] += spent
    asker.says = lead
    going(tally)
    assert bool(tally.stop) == is_enough


def test_a_fixed_time_is_used_in_full():
    asker, tally = Searching(), SimpleNamespace(stop=0)
    going = thinker._Search(asker, None, Budget(inf, 5.0), False, None, None, None, None)
    going.hurry()
    asker.says = 100.0
    going(tally)
    assert not tally.stop


def test_the_lead_is_of_this_search():
    with native.interpreted():
        engine = search.MonteCarlo(games.load("tic_tac_toe"), seed=1)
        assert engine.lead() is None
        result = engine.search(limits=search.Limits(simulations=60))
        first, second, *_ = sorted((each.visits for each in result.actions), reverse=True)
        assert engine.lead() == (first - second) / 60
        result = engine.search(limits=search.Limits(simulations=20))  # in the same tree
        first, second, *_ = sorted((each.visits for each in result.actions), reverse=True)
        assert engine.lead() == (first - second) / 20


def test_who_wins_next_to_nothing_resigns():
    with native.interpreted():
        result = search.mcts(games.load("nim"), simulations=20, seed=1)
    assert not _is_lost(result)
    assert _is_lost(replace(result, values=(-0.95, 0.95), simulations=1_000))
    assert not _is_lost(replace(result, values=(-0.95, 0.95), simulations=999))
    assert not _is_lost(replace(result, values=(-0.9, 0.9), simulations=9_000))
    assert _is_lost(replace(result, values=(-1.0, 1.0), simulations=9, proven=True))
    assert not _is_lost(replace(result, values=(-0.95, 0.95), simulations=1_000, proven=True))
