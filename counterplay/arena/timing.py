"""Time: a player's clock, and how long a computer should think about one move.

    300         five minutes for the whole game
    300+2       and two seconds more after each move
    40/300      five minutes for 40 moves, and again for the next 40
    300+3x30    five minutes, then three periods of 30 seconds: one is lost when a move takes longer (byo-yomi)

`Clock` is what was agreed on, `TimeLeft` what a side has of it, and `allot` says what to do with that. Protocols,
sessions and matches all ask `allot`, so that none of them loses on time where another would not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from counterplay.core.game import UnreadableText

__all__ = ["Budget", "Clock", "TimeLeft", "allot", "is_sure", "longest"]

_MOVES_TO_GO = 20
"""Where nobody says how many moves are still to come, so many: the rule of thumb of chess programs."""
_LONG_GAME = 30
"""And the overhead of so many is kept back, which may cost a little time but never the game."""
_SAFE = 0.8
"""Of what a move brings, an increment or a period, so much is used up, and the rest saved or left alone."""
_STRETCH = 3.0
"""A move that turns out to be difficult gets so many times the usual."""
_CLOSE, _SHORT = 0.1, 0.25
"""By simulations it is difficult if the best move is ahead by less than this part of them. That is asked ten times a
second, so that where the usual is less than so many seconds it is all there is."""


class TimeLeft(NamedTuple):
    """What a side has when it begins to think; all in seconds."""

    seconds: float
    """On the clock, without the periods."""
    increment: float = 0.0
    """What a move brings, once it is made."""
    moves: int | None = None
    """How many moves this time is for; None: the rest of the game."""
    period: float = 0.0
    """Once `seconds` are used up, what there is for each move, again and again."""
    periods: int = 0
    """How many periods may be used up; the last one must not."""

    @property
    def total(self) -> float:
        """When the flag falls."""
        return self.seconds + self.periods * self.period


class Budget(NamedTuple):
    """How long to think about one move, in seconds."""

    target: float
    """The usual: no new depth should begin after it."""
    limit: float
    """Never longer than that; 0: move at once."""


def allot(left: TimeLeft, overhead: float = 0.0) -> Budget:
    """How long to think. A move takes up to `overhead` seconds more than the thinking: on the line, in the GUI.

    The limit leaves the overhead of this move on the clock, and that of the moves to come as far as increments do not
    pay for it. So a side that obeys it does not lose on time, if there is a number of moves to go, an increment that
    pays for the overhead, or a period longer than that.
    """
    moves = _MOVES_TO_GO if left.moves is None else max(1, left.moves)
    free = left.period if left.periods > 0 else 0.0  # it comes back with each move, and cannot be saved
    later = _LONG_GAME if left.moves is None else moves - 1
    unpaid = 0.0 if free else later * max(0.0, overhead - left.increment)
    most = max(0.0, left.seconds + free - overhead - unpaid)
    gain = free or max(0.0, min(left.increment, left.seconds))
    target = min(max(0.0, left.seconds - unpaid) / moves + _SAFE * gain, most)
    return Budget(target, min(_STRETCH * target, 0.5 * (target + most)))


def longest(budget: Budget, deepens: bool, simulates: bool) -> float:
    """When a search is stopped at the latest: one that can say before that it knows enough may go to the limit."""
    may_go_on = deepens or (simulates and budget.target >= _SHORT)
    return budget.limit if may_go_on else min(budget.target, budget.limit)


def is_sure(lead: float | None, spent: float, budget: Budget) -> bool:
    """Whether a search by simulations knows enough after so many seconds; `lead` is what its engine says of it.

    Either no other move can come before the best in the usual time, or that is over and the best is well ahead.
    """
    if spent >= budget.target:
        return lead is None or lead >= _CLOSE
    return lead is not None and lead > (budget.target - spent) / spent


_CLOCK = re.compile(r"(?:(\d{1,4})/)?([\d.]{1,12})(?:\+(?:(\d{1,3})x)?([\d.]{1,12}))?", re.ASCII)


class Clock(NamedTuple):
    """What a player has for a game."""

    seconds: float
    increment: float = 0.0
    moves: int | None = None
    """So many moves, and `seconds` are added again."""
    period: float = 0.0
    periods: int = 0

    @classmethod
    def read(cls, text: str) -> Clock:
        """The clock of a text, as shown above."""
        fits = _CLOCK.fullmatch(text.strip())
        try:
            moves, seconds, *rest = fits.groups() if fits else ("", "", "", "")
            periods, more = int(rest[0] or 0), float(rest[1] or 0)
            plain = cls(float(seconds), more, int(moves) if moves else None)
            clock = plain._replace(increment=0.0, period=more, periods=periods) if periods else plain
        except ValueError:
            clock = cls(0.0)
        makes_sense = clock.moves is None or (clock.moves > 0 and not clock.periods)
        if not (clock.seconds > 0 and (clock.period > 0 or not clock.periods) and makes_sense):
            raise UnreadableText(
                f"'{text}' is no clock: write seconds and increment like '300+2', or '300', '40/300', '300+3x30'"
            )
        return clock

    def after(self, used: Sequence[float], now: float = 0.0) -> TimeLeft:
        """What is left after moves that took so long, `now` seconds into the next one; negative if it is used up."""
        if not self.periods:
            rounds, done = divmod(len(used), self.moves) if self.moves else (0, 0)
            seconds = self.seconds * (1 + rounds) + self.increment * len(used) - sum(used) - now
            return TimeLeft(seconds, self.increment, self.moves and self.moves - done)
        seconds, periods = self.seconds, self.periods
        for took in (*used, now):
            over, seconds = took - seconds, max(0.0, seconds - took)
            if over > 0:
                periods -= int(over // self.period)
        if now > 0 and seconds == 0.0:  # a period is on
            seconds, periods = self.period - max(0.0, over) % self.period, periods - 1
        return TimeLeft(seconds if periods >= 0 else 0.0, 0.0, None, self.period, max(0, periods))

    def __str__(self) -> str:
        more = f"{self.periods}x{self.period:.10g}" if self.periods else f"{self.increment:.10g}"
        return (f"{self.moves}/" if self.moves else "") + f"{self.seconds:.10g}+{more}"
