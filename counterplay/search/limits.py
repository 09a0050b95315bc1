"""How long a search may take, and how depth is counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterplay.core.game import UserError

__all__ = ["DEEPEST", "Limits", "as_depth", "deeper"]

DEEPEST = 20_000
"""Plies that fit the stack of a search; none of our games is a tenth as long."""

_ROUND = 1 << 32  # a depth in rounds is written as rounds * _ROUND + plies that the stack still has room for


@dataclass(frozen=True)
class Limits:
    """What ends a search: the first of these to be reached. With none it goes on until the game is solved."""

    depth: int | None = None
    """Plies: single moves, chance's included."""
    rounds: int | None = None
    """Rounds instead of plies: a round ends where the game says so, with the last player's move."""
    nodes: int | None = None
    seconds: float | None = None
    simulations: int | None = None
    """For searches by simulations."""

    def __post_init__(self) -> None:
        for name in ("depth", "rounds"):
            plies = getattr(self, name)
            if plies is not None and not 1 <= plies <= DEEPEST:
                unit = "plies" if name == "depth" else "rounds"
                raise UserError(f"a search looks 1 to {DEEPEST:,} {unit} ahead, not {plies}")
        if self.depth is not None and self.rounds is not None:
            raise UserError("a depth is given in plies or in rounds, not in both")
        if self.nodes is not None and self.nodes < 1:
            raise UserError(f"a search may look at 1 node or more, not {self.nodes}")
        if self.seconds is not None and not 0 < self.seconds < 1e9:
            raise UserError(f"a search may take more than 0 seconds, not {self.seconds}")
        if self.simulations is not None and self.simulations < 1:
            raise UserError(f"a search has 1 simulation or more, not {self.simulations}")

    @property
    def is_anytime(self) -> bool:
        """Whether the end may come at any time, so that the search must deepen step by step."""
        return self.nodes is not None or self.seconds is not None

    @property
    def steps(self) -> int:
        """The largest depth, in plies or rounds."""
        return self.depth or self.rounds or DEEPEST

    def given(self) -> dict[str, Any]:
        """The limits that were set, for the record."""
        return {name: value for name, value in vars(self).items() if value is not None}


def as_depth(steps: int, in_rounds: bool) -> int:
    """A number of plies or rounds as the depth that a search counts down."""
    return steps * _ROUND + DEEPEST if in_rounds else steps


def deeper(game: Any, s: Any, depth: int) -> int:
    """The depth that is left after a move at `s`; 0 when it is used up."""
    if depth < _ROUND:
        return depth - 1
    left = depth - 1 - (_ROUND if game.ends_round(s) else 0)
    return left if left > _ROUND else 0
