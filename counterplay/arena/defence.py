"""Playing on when all is lost: for discs or points, where the game says that these still count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from counterplay import search
from counterplay.arena.practice import practise
from counterplay.core.game import Game
from counterplay.core.words import is_duel
from counterplay.search.run import Progress

__all__ = ["Defence", "is_lost"]

_HOPELESS = 0.02
"""A chance to win, by simulations, that is as good as none."""


def is_lost(found: search.Result) -> bool:
    """Whether who is to move has lost: for certain, or in nearly all simulations."""
    low, high = found.game.utility_range
    v = found.values[found.player]
    if found.action is None or not is_duel(found.game) or found.game.players == 1:
        return False
    return v <= low if found.proven else found.simulations is not None and v - low < _HOPELESS * (high - low)


class Defence:
    """Finds the move for who has lost: the best one in the game's `consolation`, by the same kind of engine."""

    def __init__(self, game: Game, new_engine: Callable[[Game], search.Engine]) -> None:
        self._game, self._new_engine = game, new_engine
        self._engine: search.Engine | None = None

    def prepare(self) -> None:
        """Have everything compiled and loaded, if there is anything to play on for."""
        game = self._game.consolation()
        if game is not None and self._engine is None:
            self._engine = self._new_engine(game)
            practise(self._engine)

    def instead(
        self, found: search.Result, limits: search.Limits, history: Sequence[Any], progress: Progress | None = None
    ) -> search.Result:
        """What to play instead of what was found, if that loses and something else counts; else what was found.

        Of a limit in seconds what is left may be used, and nothing is compiled then.
        """
        game = self._game.consolation() if found.stopped != "interrupted" and is_lost(found) else None
        if game is None:
            return found
        if limits.seconds is not None:
            if self._engine is None or found.seconds >= limits.seconds / 2:
                return found
            limits = replace(limits, seconds=limits.seconds - found.seconds)
        self._engine = self._engine or self._new_engine(game)
        other = self._engine.search(found.state, limits, history=history, progress=progress)
        if other.action is None:
            return found
        return replace(other, nodes=found.nodes + other.nodes, seconds=found.seconds + other.seconds)

    def stop(self) -> None:
        """End the search that is going on, if one is."""
        if self._engine is not None:
            self._engine.stop()
