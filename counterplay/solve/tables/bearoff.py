"""Bearing off: what is exact where dice are thrown, but nobody can hinder the other.

What a throw lets a side do does not depend on the other's checkers. So every play of every placing is made once, by the
rules of the game; then the points that the player to throw can expect are, from the end backwards,

    E(mine, theirs) = the mean over all throws of the best of  1 if nothing is left of mine, else -E(theirs, mine then)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.game import Game
from counterplay.games._endings import Numbering, Unit
from counterplay.games._endings.backgammon import MOST, ways
from counterplay.games.backgammon.board import POINTS, count_on
from counterplay.games.backgammon.text import digits
from counterplay.native import native
from counterplay.solve.cfr import ARRAYS
from counterplay.solve.tables.files import Slice, save_table

__all__ = ["build_bearoff"]

_THROWS = [(big, small) for big in range(1, 7) for small in range(1, big + 1)]
_MOST_PLAYS = 64
"""Different placings that a throw can lead to: of ten checkers on six points far less."""


@native
def survey(game, s, first, after):  # type: ignore[no-untyped-def]
    """The placings that plays at `s` lead to, each once; -1 for none left. How many they are."""
    n = 0
    for a in game.actions(s):
        t = game.result(s, a)
        place = -1 if game.is_terminal(t) else game.placing(t.theirs, first)
        is_new = True
        for k in range(n):
            if after[k] == place:
                is_new = False
        if is_new:
            after[n] = place
            n += 1
    return n


@native
def expect(game, order, size, after, counts, shares, values):  # type: ignore[no-untyped-def]
    """Fill in what each pair of placings is worth, in an order in which less is left before more."""
    for pair in order:
        mine, theirs = pair // size, pair % size
        total = 0.0
        for throw in range(len(shares)):
            best = -1.0
            for k in range(counts[mine, throw]):
                left = after[mine, throw, k]
                best = max(best, 1.0 if left < 0 else -values[theirs, left])
            total += shares[throw] * best
        values[mine, theirs] = total / 36


def build_bearoff(game: Game, numbering: Numbering, unit: Unit, file: Path) -> None:
    """Solve the positions in which a side has as many checkers as the unit says, and the other no more; into a file."""
    placings = [each for n in range(1, unit.pieces + 1) for each in _placings(n, 6)]
    men = [digits({point: n for point, n in enumerate(each, 1) if n}) for each in placings]
    first = np.cumsum([0, 0, *(_number(n) for n in range(1, unit.pieces))])
    ruled: Any = game.extended(placing=placing)
    here = [ruled.placing(side, first) for side in men]
    size = len(placings)
    after = np.zeros((size, len(_THROWS), _MOST_PLAYS), np.int32)
    counts = np.zeros((size, len(_THROWS)), np.int32)
    for number, side in zip(here, men, strict=True):
        for throw, (big, small) in enumerate(_THROWS):
            s = ruled.State(side, men[0], 0, big, small)
            counts[number, throw] = survey(ruled, s, first, after[number, throw])
    shares = np.array([1 if big == small else 2 for big, small in _THROWS])  # of 36
    pips = np.zeros(size, np.int64)
    pips[here] = [sum(point * n for point, n in enumerate(each, 1)) for each in placings]
    order = np.argsort((pips[:, None] + pips[None, :]).ravel(), kind="stable")
    values = np.zeros((size, size))
    expect(ARRAYS, order, size, after, counts, shares, values)
    slices = {}
    for number in unit.slices:
        a, b = number // MOST + 1, number % MOST + 1
        part = values[first[a] : first[a] + _number(a), first[b] : first[b] + _number(b)]
        slices[number] = Slice(values=part.ravel().copy())
    every = np.concatenate([each.values for each in slices.values()])
    about = {
        "game": str(game),
        "name": unit.name,
        "positions": len(every),
        "wins": int((every > 0.0).sum()),
        "draws": int((every == 0.0).sum()),
        "losses": int((every < 0.0).sum()),
        "longest": 0,
        "moves": int(counts.sum()),
    }
    save_table(file, about, slices)


def placing(self: Any, men: Any, first: Any) -> int:
    """The number of a placing among those of so many checkers or fewer."""
    return int(first[count_on(men, POINTS)] + ways(men))  # type: ignore[no-untyped-call]


def _placings(n: int, points: int) -> list[tuple[int, ...]]:
    """All ways to put `n` checkers on so many points."""
    if points == 1:
        return [(n,)]
    return [(k, *rest) for k in range(n + 1) for rest in _placings(n - k, points - 1)]


def _number(n: int) -> int:
    return len(_placings(n, 6))
