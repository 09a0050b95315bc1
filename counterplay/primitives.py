"""The few operations that are not plain Python arithmetic: 64-bit mixing, the hash of a state, items by number.

Each is an ordinary function here and has a compiled twin of the same result in `native/primitives.py`. Rules and
searches call them by these names in either mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Sized
from itertools import islice
from typing import Any

from counterplay.bits import Bits

__all__ = ["count", "mix64", "nth", "replace", "state_key"]

_MASK = (1 << 64) - 1


def _signed(x: int) -> int:
    """The 64-bit word `x` as a machine sees it when it is a signed integer."""
    return x - (1 << 64) if x >> 63 else x


def mix64(x: int) -> int:
    """Scramble a 64-bit integer: a bijection that turns a counter into noise (SplitMix64, Steele et al. 2014)."""
    x = (int(x) * 0x9E3779B97F4A7C15) & _MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & _MASK
    return _signed(x ^ x >> 31)


def state_key(s: Any) -> int:
    """A 64-bit hash of a whole state: numbers, `Bits` and tuples of them, in order."""
    h = 0
    for word in _words(s):
        h = mix64(_signed((h ^ word) & _MASK) + 1)
    return h


def _words(value: Any) -> list[int]:
    """The 64-bit words that make up a value, in order."""
    if isinstance(value, tuple):
        return [word for item in value for word in _words(item)]
    if isinstance(value, Bits):
        return [int(value) >> shift & _MASK for shift in range(0, value.width, 64)]
    if isinstance(value, float):
        import struct

        return [int.from_bytes(struct.pack("<d", value + 0.0), "little")]
    return [int(value) & _MASK]


def count(items: Iterable[int]) -> int:
    """How many items there are; a generator is used up by it."""
    return len(items) if isinstance(items, Sized) else sum(1 for _ in items)


def nth(items: Iterable[int], k: int) -> int:
    """Item number `k`, counted from 0; there must be so many."""
    return next(islice(items, k, None))


def replace(items: Any, i: int, item: Any) -> Any:
    """The tuple `items` with `item` at index `i`, which counts from 0."""
    if not 0 <= i < len(items):
        raise IndexError("replace: index out of range")
    return (*items[:i], item, *items[i + 1 :])
