"""What a demonstration shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["Claim", "Outcome", "Reel"]


class Claim(NamedTuple):
    """What the lectures say, in the figures of this run, and whether it was so."""

    text: str
    holds: bool


class Reel(NamedTuple):
    """A game to watch."""

    title: str
    game: Any
    states: Sequence[Any]


@dataclass(frozen=True)
class Outcome:
    """What a demonstration found. The rows are a table: each has the same names."""

    seeds: int
    rows: list[dict[str, Any]]
    claims: list[Claim]
    text: str = ""
    """What there is to see before the figures: a position, a tree."""
    reels: list[Reel] = field(default_factory=list)
    picture: str = ""
    """An SVG, if there is no game to watch."""

    @property
    def holds(self) -> bool:
        return all(claim.holds for claim in self.claims)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "seeds": self.seeds,
            "rows": self.rows,
            "claims": [claim._asdict() for claim in self.claims],
            "holds": self.holds,
        }
