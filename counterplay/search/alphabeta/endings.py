"""How soon a game that is decided ends: the shortest win, and the longest defence against it.

A proof says that a value comes about, within so many plies; it need not be the shortest way. Here one question is
asked of one depth after the other: is the game decided by then? No estimate counts in the answer, and nothing is
left out that could hide a win, so the first depth of which it is true is the distance.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import Game
from counterplay.search.alphabeta.root import kernel_of
from counterplay.search.alphabeta.workspace import SELECTIVE, new_workspace, set_strict
from counterplay.search.table import UNPROVEN, TranspositionTable

__all__ = ["Ending", "Endings"]

_TABLE_MB = 4


class Ending(NamedTuple):
    """The end of a decided game, if the winner wins as soon as can be and the loser holds out as long."""

    line: tuple[int, ...]
    """The actions up to the end of the game."""

    @property
    def plies(self) -> int:
        return len(self.line)


class Endings:
    """Finds the ends of decided games, with a memory of its own."""

    def __init__(self, game: Game, without: frozenset[str]) -> None:
        self.game = game
        self.table = TranspositionTable(_TABLE_MB)
        self.w = new_workspace(game, self.table, without | SELECTIVE | {"quiescence"})
        self._decided: tuple[int, float] | None = None

    def find(self, s: Any, winner: int, v: float, within: int, most_nodes: int) -> Ending | None:
        """The end of a game that is worth `v` to MAX, which `winner` can bring about within so many plies.

        None if that takes more nodes than may be looked at.
        """
        self._ask_about(winner, v)
        self.w.nodes, self.w.most_nodes = 0, most_nodes
        plies = next((d for d in range(within + 1) if self.is_decided(s, d) or self.w.stop), within)
        line = []
        while plies > 0 and not self.w.stop:
            plies -= 1
            a = self._next(s, winner, plies)
            if a is None:
                break
            line.append(a)
            s = self.game.result(s, a)
        return Ending(tuple(line)) if plies == 0 and not self.w.stop else None

    def is_decided(self, s: Any, plies: int) -> bool:
        """Whether the winner can end the game from `s` within so many plies, for no less than was asked about."""
        assert self._decided is not None
        winner, v = self._decided
        alpha, beta = (np.nextafter(v, -inf), v) if winner == 0 else (v, np.nextafter(v, inf))
        found = kernel_of(self.game)(self.game, s, alpha, beta, plies, 1, self.w)
        return bool(not self.w.stop and self.w.within != UNPROVEN and (found >= v if winner == 0 else found <= v))

    def _next(self, s: Any, winner: int, plies: int) -> int | None:
        """The move at `s`, which is decided in one ply more: the winner keeps to that, the other does not hasten it."""
        game = self.game
        for a in map(int, game.actions(s)):
            t = game.result(s, a)
            if self.is_decided(t, plies) and (
                game.player(s) == winner or plies == 0 or not self.is_decided(t, plies - 1)
            ):
                return a
            if self.w.stop:
                break
        return None

    def _ask_about(self, winner: int, v: float) -> None:
        """What the table knows is about one winner and value."""
        if self._decided != (winner, v):
            if self._decided is not None:
                self.table.clear()
            self._decided = winner, v
            set_strict(self.w, -inf if winner == 0 else inf)
