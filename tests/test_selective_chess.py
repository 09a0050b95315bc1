"""What chess tells a selective search: noisy moves, checks, gains, kinds; the numbers of that search; its problems."""

import importlib
import random
from pathlib import Path

import pytest

from counterplay import UserError, games, native
from counterplay.core.primitives import list_noisy, list_quiet, list_urgent
from counterplay.games.chess.exchanges import is_capture
from counterplay.search import AlphaBeta, Limits
from counterplay.search.alphabeta.pruning import NUMBERS, is_certain, moved

CHESS = games.load("chess")
BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture
def states():
    """Those of a few random games."""
    chosen, found = random.Random(3), []
    with native.interpreted():
        for _ in range(4):
            s = CHESS.initial()
            while not CHESS.is_terminal(s) and s.number < 30:
                found.append(s)
                s = CHESS.result(s, chosen.choice(list(CHESS.actions(s))))
    return found[::3]


def test_the_noisy_moves_are_those_that_are_noisy_in_the_same_order(states):
    row = [0] * 50
    for s in states:
        noisy = [a for a in CHESS.actions(s) if CHESS.is_noisy(s, a)]
        assert [a for a in CHESS.noisy_actions(s) if CHESS.is_noisy(s, a)] == noisy
        assert list_noisy(CHESS, s, row) == len(list(CHESS.noisy_actions(s)))
        assert row[0] in noisy or not noisy or not CHESS.is_noisy(s, row[0])


def test_the_quiet_moves_are_the_others_and_among_those_listed_as_urgent_are_all_checks(states):
    listed, checks, row = 0, 0, [0] * 250
    for s in states:
        noisy, quiet, urgent = (
            set(rule(s)) for rule in (CHESS.noisy_actions, CHESS.quiet_actions, CHESS.urgent_actions)
        )
        assert [a for a in CHESS.actions(s) if a not in noisy] == list(CHESS.quiet_actions(s))
        assert [a for a in CHESS.quiet_actions(s) if a in urgent] == list(CHESS.urgent_actions(s))
        giving = {a for a in quiet if CHESS.makes_urgent(s, a)}
        assert giving <= urgent
        assert list_quiet(CHESS, s, row) == len(quiet)
        assert list_urgent(CHESS, s, row) == len(urgent)
        listed, checks = listed + len(urgent), checks + len(giving)
    assert 20 < checks <= listed < 2 * checks


@pytest.mark.parametrize(
    ("position", "checks"),
    [
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "O-O Rf1 Rh8"),  # castling
        (
            "3k4/8/8/8/8/3B4/8/3RK3 w - - 0 1",
            "Ba6 Bb1 Bb5 Bc2 Bc4 Be2 Be4 Bf1 Bf5 Bg6 Bh7",
        ),  # the bishop uncovers the rook
        ("8/4P1k1/8/8/8/8/8/K7 w - - 0 1", "e8=N"),  # no new queen
        ("6k1/8/8/5P2/8/8/K7/8 w - - 0 1", ""),
        ("8/6k1/8/5P2/8/8/K7/8 w - - 0 1", "f6"),
    ],
)
def test_quiet_checks_of_every_kind_are_listed(position, checks):
    s = CHESS.from_text(position)
    found = {CHESS.action_name(s, a).rstrip("+#") for a in CHESS.urgent_actions(s) if CHESS.makes_urgent(s, a)}
    assert found == set(checks.split())


def test_a_check_is_foreseen_and_every_capture_wins_something(states):
    checks = 0
    for s in states:
        for a in CHESS.actions(s):
            after = CHESS.result(s, a)
            assert CHESS.makes_urgent(s, a) == CHESS.is_urgent(after) == CHESS.in_check(after)
            assert (CHESS.gain(s, a) > 0) == (is_capture(s, a) or a >> 12 == 1)
            assert 0 <= CHESS.kind(s, a) < 1023
            checks += CHESS.in_check(after)
    assert checks > 20


@pytest.mark.parametrize(
    ("move", "is_unsound"),
    [("Qh7+", True), ("Qh5", True), ("Qd3", False), ("Nc6", True), ("Ne6", True), ("Nf5", False), ("g3", False)],
)
def test_a_quiet_move_is_unsound_if_what_moves_is_lost(move, is_unsound):
    """The files c and h belong to rooks, h7 is the king's too, e6 a pawn's."""
    s = CHESS.from_text("2r3kr/5p2/8/8/3N2P1/7Q/6P1/6K1 w - - 0 1")
    assert CHESS.is_unsound(s, CHESS.parse_action(s, move)) == is_unsound


def test_a_value_is_moved_by_pawns_as_estimates_are_bent():
    assert moved(CHESS, CHESS.squash(1.0), 2.0, 1.0) == pytest.approx(CHESS.squash(3.0))
    assert moved(CHESS, -CHESS.squash(1.0), 2.0, -1.0) == pytest.approx(CHESS.squash(1.0))
    assert moved(CHESS, 1.0, -5.0, 1.0) == 1.0
    assert [is_certain(CHESS, v, 1.0) for v in (-1.0, 0.0, 1.0)] == [True, False, True]


def test_numbers_are_changed_without_compiling_and_those_that_are_none_refused():
    engine = AlphaBeta(games.load("breakthrough:rows=6,columns=5"), table_mb=1)
    with native.interpreted():
        usual = engine.search(None, Limits(depth=4)).nodes
        engine.new_game()
        engine.tune({"late_depth": 0, "futile_depth": -1, "safe_depth": 0})
        assert engine.search(None, Limits(depth=4)).nodes > usual
        engine.new_game()
        engine.tune(NUMBERS)
        assert engine.search(None, Limits(depth=4)).nodes == usual
    with pytest.raises(UserError, match="there is no number 'late'; there are: safe_depth"):
        engine.tune({"late": 1.0})


def test_the_problems_have_moves_that_can_be_made(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    tactics = importlib.import_module("tactics")
    found = list(tactics.problems())
    assert len(found) >= 100
    for fen, move in found[::10]:
        s = CHESS.from_text(fen)
        assert CHESS.parse_action(s, move) in CHESS.actions(s)
