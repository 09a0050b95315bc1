"""A player's clock: seconds for the whole game, and an increment after each move. Written `300+2`, or `300`."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

from counterplay.core.game import UnreadableText

__all__ = ["Clock"]

_MOVES_TO_GO = 20
"""A computer plays as if so many moves were still to come: the rule of thumb of chess programs."""
_SAFE = 0.8
"""Of the increment so much is used up, and the rest saved."""


class Clock(NamedTuple):
    """How much time a player has."""

    seconds: float
    increment: float = 0.0

    @classmethod
    def read(cls, text: str) -> Clock:
        """The clock of a text."""
        seconds, _, increment = text.partition("+")
        try:
            clock = cls(float(seconds), float(increment or 0))
        except ValueError:
            clock = cls(0.0)
        if not (isfinite(sum(clock)) and clock.seconds > 0 <= clock.increment):
            raise UnreadableText(f"'{text}' is no clock: write seconds and increment like '300+2', or '300'")
        return clock

    def left(self, used: Sequence[float]) -> float:
        """Seconds that are left after moves that took so long."""
        return self.seconds + self.increment * len(used) - sum(used)

    def allowance(self, left: float) -> float:
        """How long a computer should think about one move."""
        return left / _MOVES_TO_GO + _SAFE * min(self.increment, left)

    def __str__(self) -> str:
        return f"{self.seconds:.10g}+{self.increment:.10g}"
