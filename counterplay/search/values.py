"""The numbers that a game gives a search, looked at: a value that is none must not end up in a proof.

A search that meets a utility outside of the range that the game declares, or something that is no number, stops; its
engine says so.
"""

from __future__ import annotations

from math import inf
from typing import Any

from counterplay.core.game import Game, RulesError
from counterplay.core.primitives import as_bits, as_float

__all__ = ["just_above", "just_below", "must_be_sane", "sane", "sane_estimate", "sane_utility"]

_SLACK = 1e-9  # rounding is no fault


def sane_utility(game: Any, s: Any, p: int, tally: Any) -> float:
    """What the terminal state `s` is worth to `p`."""
    v = float(game.utility(s, p))
    least, most = game.utility_range
    slack = _SLACK * max(abs(least), abs(most))
    if not least - slack <= v <= most + slack:
        tally.strange = tally.stop = 1
    return v


def sane_estimate(game: Any, s: Any, p: int, tally: Any) -> float:
    """What the game thinks that `s`, which is not terminal, is worth to `p`."""
    if game.has_weighed_terms:
        return sane(game.weighed(s, p), tally)
    return sane(game.evaluate(s, p), tally)


def sane(estimate: Any, tally: Any) -> float:
    """The estimate, if it is a number."""
    v = float(estimate)
    if v != v:
        tally.strange = tally.stop = 1
    return v


def just_above(x: float) -> float:
    """The next larger number, as `np.nextafter(x, inf)` has it; compiled, that would be a call."""
    bits = as_bits(x + 0.0)  # of -0.0 those of 0.0
    return x if x == inf else as_float(bits + (1 if bits >= 0 else -1))


def just_below(x: float) -> float:
    """The next smaller number."""
    return -just_above(-x)


def must_be_sane(game: Game, tally: Any) -> None:
    """Raise RulesError if a search has met a value that is none."""
    if tally.strange:
        least, most = game.utility_range
        raise RulesError(
            f"{game} has a position whose value is no number, or outside of its utility_range, "
            f"which is from {least:g} to {most:g}; `counterplay check` finds it"
        )
