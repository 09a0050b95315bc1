"""Building tables: retrograde analysis, from the ends of the game backwards, without taking a move back.

Of the positions of a unit:

    survey       every move is made once: what leads out of the unit is looked up in what is solved already, what stays
                 inside is written down
    link         which positions come before each
    settle       ply by ply: who can move to a lost position wins, who can only move to won ones loses

What is never settled is a draw: both could go on for ever. (K. Thompson, Retrograde analysis of certain endgames, 1986;
the counters are J. Schaeffer's and others', see `docs/tables.md`.)

A unit that is finished is a file, so that what was interrupted goes on with the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import copy_context
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.game import Game
from counterplay.core.primitives import list_actions
from counterplay.games._endings import PLACE, SLICE_AT, Numbering, Unit
from counterplay.native import native
from counterplay.solve.cfr import ARRAYS
from counterplay.solve.tables.files import Slice, packed, save_table
from counterplay.solve.tables.probe import DRAW, LOSS, NOTHING, WIN, Places, probing

__all__ = ["News", "build_unit"]

UNKNOWN, NONE, WILL_WIN, WILL_LOSE = 0, 4, 5, 6
"""Besides LOSS, WIN and DRAW: what may still turn out; no position; decided outside of the unit, in so many plies."""

_AT_ONCE = 1 << 15
"""Positions that are surveyed before ctrl-C is heard."""
_MOST_PLIES = 1 << 15
_MOST_MOVES = 4096
_FINE, _FULL, _LEAVES, _AGAIN, _SCORED, _WIDE = range(6)


class News(NamedTuple):
    """How far the building of a unit is."""

    unit: str
    step: str
    done: int
    of: int


Progress = Callable[[News], None]


class Unsettled(NamedTuple):
    """The positions of a unit while they are solved, each an array with a number for each position."""

    code: Any
    plies: Any
    """How far the end is; before that is known, what moves out of the unit say of it."""
    open: Any
    """Moves that are not known to lose."""
    inside: Any
    """Moves that stay in the unit."""


# ---- the kernels


@native
def survey(game, number, lo, hi, base, unit, targets, row, report):  # type: ignore[no-untyped-def]
    """Make all moves of the positions from `lo` on; where it stopped. `targets` gets those that stay in the unit."""
    n = 0
    for j in range(lo, hi):
        u, i = base[number] + j, number << SLICE_AT | j
        if not game.is_position(i):
            unit.code[u] = NONE
            continue
        s = game.position(i)
        p = game.player(s)
        first, still_open, soonest, latest = n, 0, _MOST_PLIES, 0
        moves = list_actions(game, s, row)
        if moves > len(row):
            report[0] = _WIDE
            return hi
        for m in range(moves):
            t = game.result(s, int(row[m]))
            k = game.index(t)
            if k >= 0 and base[k >> SLICE_AT] >= 0:
                if n == len(targets):
                    report[0], report[1] = _FULL, first
                    return j
                targets[n] = base[k >> SLICE_AT] + (k & PLACE)
                n += 1
                still_open += 1
                if game.player(t) == p:
                    report[0] = _AGAIN
                continue
            known = game.table_code(k) if k >= 0 else 0
            result, plies = known & 3, known >> 2
            if result == NOTHING:
                if not game.is_terminal(t):
                    report[0], report[2] = _LEAVES, i
                    return hi
                result = worth(game, t, 1 - p, report)
            elif game.player(t) == p:
                report[0] = _AGAIN
            if result == LOSS:
                soonest = min(soonest, plies + 1)
            if result == WIN:
                latest = max(latest, plies + 1)
            else:
                still_open += 1
        unit.inside[u], unit.open[u] = n - first, still_open
        if moves == 0:
            result = worth(game, s, p, report)
            unit.code[u] = WILL_WIN if result == WIN else WILL_LOSE if result == LOSS else DRAW
            unit.plies[u] = 0
        elif soonest < _MOST_PLIES:
            unit.code[u], unit.plies[u] = WILL_WIN, soonest
        else:
            unit.code[u], unit.plies[u] = WILL_LOSE if still_open == 0 else UNKNOWN, latest
    report[1] = n
    return hi


def worth(game: Any, s: Any, p: int, report: Any) -> int:
    """How the game has ended at `s` for `p`."""
    u, (low, high) = game.utility(s, p), game.utility_range
    if u == high:
        return WIN
    if u == low:
        return LOSS
    if u != game.utility_sum / game.players:
        report[0] = _SCORED
    return DRAW


@native
def count(game, targets, ends):  # type: ignore[no-untyped-def]
    """How many moves lead to each position."""
    for t in targets:
        ends[t] += 1


@native
def link(game, lo, hi, targets, unit, ends, back):  # type: ignore[no-untyped-def]
    """The positions before each position: those before `j` end at `ends[j]`, which comes to be where they begin."""
    n = 0
    for u in range(lo, hi):
        for _ in range(unit.inside[u]):
            j = targets[n]
            n += 1
            ends[j] -= 1
            back[ends[j]] = u


@native
def arrange(game, unit, heads, nexts):  # type: ignore[no-untyped-def]
    """Put what is decided outside of the unit on the list of its ply. Lists go from `heads[ply]` by `nexts`."""
    for u in range(len(unit.code)):
        if unit.code[u] == WILL_WIN or unit.code[u] == WILL_LOSE:
            nexts[u] = heads[unit.plies[u]]
            heads[unit.plies[u]] = u


@native
def settle(game, ply, lo, hi, unit, starts, back, queue, heads, nexts):  # type: ignore[no-untyped-def]
    """What follows from the positions whose end is `ply` plies away: those from `lo` to `hi`, and the list's.

    Returns where the positions of this ply end in the queue, and those of the next.
    """
    u = heads[ply]
    while u >= 0:
        if unit.code[u] == WILL_WIN or unit.code[u] == WILL_LOSE:
            unit.code[u] = WIN if unit.code[u] == WILL_WIN else LOSS
            queue[hi] = u
            hi += 1
        u = nexts[u]
    n = hi
    for at in range(lo, hi):
        u = queue[at]
        for k in range(starts[u], starts[u + 1]):
            i = back[k]
            if unit.code[u] == LOSS:
                if unit.code[i] == UNKNOWN or unit.code[i] == WILL_WIN:
                    unit.code[i], unit.plies[i] = WIN, ply + 1
                    queue[n] = i
                    n += 1
            elif unit.code[i] == UNKNOWN:
                unit.open[i] -= 1
                if unit.open[i] == 0:
                    if unit.plies[i] <= ply + 1:
                        unit.code[i], unit.plies[i] = LOSS, ply + 1
                        queue[n] = i
                        n += 1
                    else:  # a move out of the unit loses too, but later
                        unit.code[i] = WILL_LOSE
                        nexts[i] = heads[unit.plies[i]]
                        heads[unit.plies[i]] = i
    return hi, n


# ---- a unit


def build_unit(
    game: Game,
    numbering: Numbering,
    unit: Unit,
    places: Places,
    file: Path,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> None:
    """Solve the positions of a unit, of which all that it needs is in `places`, and write them to a file."""
    solver = _Solver(game.extended(**probing(places, numbering.rules)), numbering, unit, threads, progress)
    slices = solver.solved()
    totals = np.bincount(solver.positions.code, minlength=4)
    won = solver.positions.code != DRAW
    about = {
        "game": str(game),
        "name": unit.name,
        "positions": int(totals[LOSS] + totals[WIN] + totals[DRAW]),
        "wins": int(totals[WIN]),
        "draws": int(totals[DRAW]),
        "losses": int(totals[LOSS]),
        "longest": int(solver.positions.plies[won].max(initial=0)),
        "moves": solver.moves,
    }
    save_table(file, about, slices)


class _Solver:
    """The work on one unit."""

    def __init__(self, game: Game, numbering: Numbering, unit: Unit, threads: int, progress: Progress | None) -> None:
        self._game, self._unit, self._threads, self._progress = game, unit, threads, progress
        self._sizes = [numbering.sizes[number] for number in unit.slices]
        self._base = np.full(len(numbering.sizes), -1, np.int64)
        self._base[list(unit.slices)] = np.cumsum([0, *self._sizes[:-1]])
        n = sum(self._sizes)
        self.positions = Unsettled(
            np.zeros(n, np.uint8), np.zeros(n, np.uint16), np.zeros(n, np.uint16), np.zeros(n, np.uint16)
        )
        self.moves = 0

    def solved(self) -> dict[int, Slice]:
        """The slices, solved."""
        rows = self._survey()
        starts, back = self._link(rows)
        rows.clear()
        self._settle(starts, back)
        code, plies = self.positions.code, self.positions.plies
        code[code == UNKNOWN] = DRAW
        plies[(code == DRAW) | (code == NONE)] = 0
        code[code == NONE] = NOTHING
        slices = {}
        for number, size in zip(self._unit.slices, self._sizes, strict=True):
            first = self._base[number]
            slices[number] = packed(code[first : first + size], plies[first : first + size])
        return slices

    def _survey(self) -> list[tuple[int, int, Any]]:
        """The moves inside the unit: by ranges of positions, where they lead."""
        tasks = [
            (number, lo, min(lo + _AT_ONCE, size))
            for number, size in zip(self._unit.slices, self._sizes, strict=True)
            for lo in range(0, size, _AT_ONCE)
        ]
        rows: list[tuple[int, int, Any]] = []
        for found in self._each(self._survey_some, tasks):
            rows += found
            self._tell("survey", rows[-1][1])
        return rows

    def _each(self, work: Callable[..., Any], tasks: Sequence[Any]) -> Any:
        """What `work` makes of each task, in order, several at once."""
        if self._threads == 1:
            yield from (work(*task) for task in tasks)
            return
        from concurrent.futures import ThreadPoolExecutor

        yield work(*tasks[0])  # alone, because it may have to be compiled
        with ThreadPoolExecutor(self._threads) as pool:
            jobs = [pool.submit(copy_context().run, work, *task) for task in tasks[1:]]
            try:
                for job in jobs:
                    yield job.result()
            finally:
                for job in jobs:
                    job.cancel()

    def _survey_some(self, number: int, lo: int, hi: int) -> list[tuple[int, int, Any]]:
        room, rows, base, row = 16 * (hi - lo), [], int(self._base[number]), np.empty(_MOST_MOVES, np.int64)
        while lo < hi:
            targets, report = np.empty(room, np.int32), np.zeros(3, np.int64)
            end = survey(self._game, number, lo, hi, self._base, self.positions, targets, row, report)
            self._must_be_fine(report)
            rows.append((base + lo, base + end, targets[: report[1]].copy()))
            room = room if end > lo else 2 * room
            lo = end
        return rows

    def _must_be_fine(self, report: Any) -> None:
        what, game = int(report[0]), cast(Any, self._game)
        if what == _LEAVES:
            where = game.to_text(game.position(int(report[2])))
            raise UserError(f"from '{where}' a move leads to a position that is in no table")
        if what == _WIDE:
            raise UserError(f"{game} has more than {_MOST_MOVES:,} moves in a position, too many for a table")
        if what == _AGAIN:
            raise UserError(f"{game} lets a player move twice, which a numbered table is not for")
        if what == _SCORED:
            raise UserError(f"{game} ends with more than a win, a draw or a loss, which is all that a table knows")

    def _link(self, rows: list[tuple[int, int, Any]]) -> tuple[Any, Any]:
        ends = np.zeros(len(self.positions.code) + 1, np.int64)
        for _, _, targets in rows:
            count(ARRAYS, targets, ends)
        np.cumsum(ends, out=ends)
        self.moves = int(ends[-1])
        back = np.empty(self.moves, np.int32)
        for lo, hi, targets in rows:
            link(ARRAYS, lo, hi, targets, self.positions, ends, back)
            self._tell("link", hi)
        return ends, back

    def _settle(self, starts: Any, back: Any) -> None:
        n = len(self.positions.code)
        heads, nexts, queue = np.full(_MOST_PLIES + 1, -1, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
        arrange(ARRAYS, self.positions, heads, nexts)
        lo = hi = ply = 0
        while lo < hi or (heads[ply:] >= 0).any():
            end, following = settle(ARRAYS, ply, lo, hi, self.positions, starts, back, queue, heads, nexts)
            lo, hi, ply = end, following, ply + 1
            self._tell("settle", hi)

    def _tell(self, step: str, done: int) -> None:
        if self._progress is not None:
            self._progress(News(self._unit.name, step, done, len(self.positions.code)))
