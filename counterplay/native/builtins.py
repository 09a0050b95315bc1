"""Functions of Python's own that Numba does not know, or not for all that rules can loop over."""

from __future__ import annotations

from numba import types
from numba.extending import overload

from counterplay.native.bits import BitsType
from counterplay.native.cells import CellsType, PartType


def _can_be_looped_over(items) -> bool:
    """By an ordinary loop: all but texts, and tuples whose items have different types."""
    return isinstance(items, types.IterableType | types.UniTuple) and not isinstance(
        items, types.UnicodeType | types.Tuple
    )


@overload(any)
def _any(items):
    def any(items):
        for each in items:  # noqa: SIM110  (this is what `any` is)
            if each:
                return True
        return False

    return any if _can_be_looped_over(items) else None


@overload(all)
def _all(items):
    def all(items):
        for each in items:  # noqa: SIM110
            if not each:
                return False
        return True

    return all if _can_be_looped_over(items) else None


@overload(sum)
def _sum(items):
    def sum(items):
        total = 0
        for x in items:
            total += x
        return total

    return sum if isinstance(items, BitsType | CellsType | PartType | types.Generator) else None
