"""`Cells`: a fixed number of small numbers, the board type of games that count: pits, heaps, hands, grids of digits.

The class below is the whole definition. Compiled rules see the same type, packed into one machine integer
(`native/cells.py`), and behave the same: the tests compare both with plain tuples.

    >>> pits = Cells(48, [4, 4, 0])
    >>> pits[0], sum(pits), max(pits[1:]), pits.count(4)
    (4, 8, 4, 2)
    >>> from counterplay.core.primitives import replace
    >>> replace(pits, 0, 0, 2, 9)
    Cells(48, [0, 4, 9])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import index
from typing import Any, overload

__all__ = ["Cells"]

MOST_BITS = 32


class Cells:
    """An immutable row of numbers, each from `least` to `most`: read like a tuple, changed by `replace`.

    An index counts from 0; unlike a tuple's it is never negative. A number or an index out of range is an error, in
    compiled rules too. Rows of the same length and range are of one type; rows of others are never equal.
    """

    __slots__ = ("_items", "_least", "_most")

    _items: tuple[int, ...]
    _least: int
    _most: int

    def __init__(self, most: int, items: Iterable[int], least: int = 0) -> None:
        _SET_LEAST(self, index(least))
        _SET_MOST(self, index(most))
        _SET_ITEMS(self, tuple(map(self._in_range, items)))
        if not self._least < self._most < self._least + (1 << MOST_BITS):
            raise ValueError(f"a Cells has numbers of at most {MOST_BITS} bits, not from {least} to {most}")
        if not self._items:
            raise ValueError("a Cells has at least one number")

    @classmethod
    def unpacked(cls, most: int, least: int, length: int, packed: int) -> Cells:
        """The row that `packed` packs."""
        cells = _NEW(cls)
        _SET_LEAST(cells, least)
        _SET_MOST(cells, most)
        bits = cells.bits
        _SET_ITEMS(cells, tuple((packed >> bits * i & (1 << bits) - 1) + least for i in range(length)))
        return cells

    @property
    def least(self) -> int:
        return self._least

    @property
    def most(self) -> int:
        return self._most

    @property
    def bits(self) -> int:
        """How many bits a number takes when it is packed: a power of two, so that none lies across two words."""
        return 1 << ((self._most - self._least).bit_length() - 1).bit_length()

    @property
    def packed(self) -> int:
        """All numbers as one, each less `least`, the first in the lowest bits."""
        bits, n = self.bits, 0
        for x in reversed(self._items):
            n = n << bits | x - self._least
        return n

    # ---- one number

    def _in_range(self, x: int) -> int:
        if not self._least <= x <= self._most:
            raise ValueError(f"{x} is no number from {self._least} to {self._most}, as these Cells have")
        return index(x)

    def _inside(self, i: int) -> int:
        if not 0 <= i < len(self._items):
            raise IndexError(f"{i} is no index of {len(self._items)} Cells; it counts from 0")
        return index(i)

    def replaced(self, i: int, x: int) -> Cells:
        """These numbers with `x` at index `i`: what `replace(cells, i, x)` is."""
        i = self._inside(i)
        cells = _NEW(Cells)
        _SET_LEAST(cells, self._least)
        _SET_MOST(cells, self._most)
        _SET_ITEMS(cells, (*self._items[:i], self._in_range(x), *self._items[i + 1 :]))
        return cells

    @overload
    def __getitem__(self, i: int) -> int: ...

    @overload
    def __getitem__(self, i: slice) -> tuple[int, ...]: ...

    def __getitem__(self, i: Any) -> Any:
        if not isinstance(i, slice):
            return self._items[self._inside(i)]
        if i.step is not None or min(i.start or 0, i.stop or 0) < 0:
            raise IndexError("a part of Cells is [first:end], which count from 0")
        return self._items[i]

    # ---- all of them

    def count(self, x: int) -> int:
        """How many of the numbers are `x`."""
        return self._items.count(x)

    def __contains__(self, x: int) -> bool:
        return x in self._items

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[int]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cells):
            return NotImplemented
        return self._items == other._items and self._least == other._least and self._most == other._most

    def __hash__(self) -> int:
        return hash((len(self._items), self.packed))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Cells do not change; replace(cells, i, x) returns new ones")

    def __repr__(self) -> str:
        return f"Cells({self._most}, {list(self._items)}{f', least={self._least}' if self._least else ''})"

    def __reduce__(self) -> tuple[object, tuple[int, tuple[int, ...], int]]:
        return Cells, (self._most, self._items, self._least)


# The way past `__setattr__` that is quickest, because interpreted rules do little else.
_NEW, _SET_LEAST, _SET_MOST, _SET_ITEMS = (
    object.__new__,
    *(vars(Cells)[name].__set__ for name in ("_least", "_most", "_items")),
)
