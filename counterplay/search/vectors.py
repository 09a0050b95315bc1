"""Values as vectors, with a number for each player: what searches for any number of players compute with.

Compiled with the searches; a vector is a tuple of `game.players` floats.
"""

from __future__ import annotations

from typing import Any

from counterplay.core.primitives import repeat, replace
from counterplay.search.values import sane_estimate, sane_utility

__all__ = ["estimates", "plus", "utilities"]


def utilities(game: Any, s: Any, tally: Any) -> Any:
    """What the terminal state `s` is worth to each player."""
    v = repeat(0.0, game.players)
    for p in range(game.players):
        v = replace(v, p, sane_utility(game, s, p, tally))
    return v


def estimates(game: Any, s: Any, tally: Any) -> Any:
    """What `s` is worth to each player, by the game's own estimate."""
    v = repeat(0.0, game.players)
    for p in range(game.players):
        v = replace(v, p, sane_estimate(game, s, p, tally))
    return v


def plus(v: Any, weight: float, w: Any) -> Any:
    """The vector v + weight · w."""
    for p in range(len(v)):
        v = replace(v, p, v[p] + weight * w[p])
    return v
