"""The table of a search without estimates: two words for a state, four states side by side in a line of the cache.

    word 0    key ^ word 1
    word 1    least << 40 | most << 16 | which move << 8 | plies left

What is known of a state is between which bounds its value for MAX lies. That is true for good, so an entry never grows
old; it is free when more plies are left there than at the root, since it can not come up again. A bound is the upper 24
bits of a float64: utilities such as 0.5 or 3/64 as they are, others rounded away from the value, which stays true.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

from counterplay.core.primitives import as_bits, as_float, load, prefetch, store

__all__ = ["NO_MOVE", "Known", "bounds_of", "expect", "note"]

NO_MOVE = 255
_CODE = 1 << 24
_LOST = (1 << 40) - 1  # the bits of a float64 that are left out
_PLACES = 4


class Known(NamedTuple):
    """What the table says of a state: bounds for MAX, and the number of its best move in the game's order."""

    least: float
    most: float
    move: int


def bounds_of(w: Any, key: int) -> Known:
    """What is known of the state of that key."""
    first = (key & w.mask) * 2
    for place in range(_PLACES):
        word = load(w.table_at, first + 2 * place + 1)
        if word != 0 and load(w.table_at, first + 2 * place) ^ word == key:
            most = word >> 16 & (_CODE - 1)
            if most >= _CODE >> 1:
                most -= _CODE
            return Known(as_float(word >> 40 << 40), as_float(most << 40), word >> 8 & 255)
    return Known(-inf, inf, NO_MOVE)


def expect(w: Any, key: int) -> None:
    """What is known of that state will be asked for soon."""
    prefetch(w.table_at, (key & w.mask) * 2)


def note(w: Any, key: int, known: Known, plies: int) -> None:
    """Write down what is known of a state with so many plies left: over itself, a free place, or the fewest plies."""
    least, most = as_bits(known.least), as_bits(known.most)
    low, high = least >> 40, most >> 40
    if least & _LOST != 0 and known.least < 0.0:
        low += 1
    if most & _LOST != 0 and known.most > 0.0:
        high += 1
    plies = min(plies, 255)
    word = low << 40 | (high & (_CODE - 1)) << 16 | known.move << 8 | plies
    first = (key & w.mask) * 2
    chosen, fewest = first, 1 << 16
    for place in range(_PLACES):
        at = first + 2 * place
        there = load(w.table_at, at + 1)
        if there == 0 or load(w.table_at, at) ^ there == key:
            chosen = at
            break
        left = there & 255
        if left > w.root_left:
            left = -1
        if left < fewest:
            chosen, fewest = at, left
    store(w.table_at, chosen, key ^ word)
    store(w.table_at, chosen + 1, word)
