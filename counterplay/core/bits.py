"""`Bits`: a fixed-width set of squares, the board type of every game.

The class below is the whole definition. Compiled rules see the same type, lowered to one machine integer
(`native/bits.py`), and behave the same: the tests compare both with plain Python integers.

    >>> corners = Bits(9, [0, 2, 6, 8])
    >>> corners & Bits(9, [0, 1, 2])
    Bits(9, [0, 2])
    >>> len(corners), 4 in corners, list(corners >> 2)
    (4, False, [0, 4, 6])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import index

__all__ = ["Bits"]


class Bits:
    """An immutable set of squares out of `0 .. width-1`, at most `width` of them.

    `& | ^ - ~` are the set operations, `<< k` and `>> k` move every square up or down by `k` and drop those that
    leave the board. Both sides of an operation must have the same width; a plain integer is not a set.
    """

    __slots__ = ("_n", "_width")

    _n: int
    _width: int

    def __init__(self, width: int, squares: Iterable[int] = ()) -> None:
        if width < 1:
            raise ValueError(f"a Bits is at least 1 square wide, not {width}")
        object.__setattr__(self, "_width", index(width))
        n = 0
        for square in squares:
            n |= 1 << self._on_board(square)
        object.__setattr__(self, "_n", n)

    @classmethod
    def from_int(cls, width: int, n: int) -> Bits:
        """The set whose square `k` is bit `k` of `n`; bits outside the width are dropped."""
        bits = cls(width)
        object.__setattr__(bits, "_n", index(n) & ((1 << bits._width) - 1))
        return bits

    @classmethod
    def full(cls, width: int) -> Bits:
        """All squares of the board."""
        return cls.from_int(width, -1)

    @property
    def width(self) -> int:
        return self._width

    def __int__(self) -> int:
        return self._n

    # ---- set operations

    def _same_width(self, other: Bits) -> int:
        if not isinstance(other, Bits):
            raise TypeError(f"a Bits combines with a Bits, not with {other!r}")
        if other._width != self._width:
            raise TypeError(f"these Bits have different widths: {self._width} and {other._width}")
        return other._n

    def _with(self, n: int) -> Bits:
        bits = _NEW(Bits)
        _SET_WIDTH(bits, self._width)
        _SET_N(bits, n)
        return bits

    def __and__(self, other: Bits) -> Bits:
        return self._with(self._n & self._same_width(other))

    def __or__(self, other: Bits) -> Bits:
        return self._with(self._n | self._same_width(other))

    def __xor__(self, other: Bits) -> Bits:
        return self._with(self._n ^ self._same_width(other))

    def __sub__(self, other: Bits) -> Bits:
        return self._with(self._n & ~self._same_width(other))

    def __invert__(self) -> Bits:
        return self._with(~self._n & ((1 << self._width) - 1))

    def __lshift__(self, k: int) -> Bits:
        return self._with((self._n << index(k)) & ((1 << self._width) - 1) if k < self._width else 0)

    def __rshift__(self, k: int) -> Bits:
        return self._with(self._n >> index(k))

    def runs(self, step: int, length: int) -> Bits:
        """The squares `q` from which `q, q + step, ...`, `length` squares in all, are in the set: rows of k in a row.

        Nothing is known of edges here: leave room between the rows of a board, or mask the squares where a run fits.
        """
        found, reach = self, 1
        while reach < length:  # doubles what is known until it is long enough
            more = min(reach, length - reach)
            found &= found >> more * step
            reach += more
        return found

    def seen(self, square: int, blockers: Bits) -> Bits:
        """Of this line, what one sees from `square` in both directions: up to the first blocker, which is seen too."""
        stones = self._n & self._same_width(blockers)
        below, above = stones & (1 << self._on_board(square)) - 1, stones >> square + 1
        first = below.bit_length() - 1 if below else 0
        last = square + (above & -above).bit_length() if above else self._width - 1
        return self._with(self._n & (2 << last) - (1 << first) & ~(1 << square))

    def flanked(self, square: int, mine: Bits, theirs: Bits) -> Bits:
        """Of this line, what is in `theirs` without gaps between `square` and the first of `mine`, on either side."""
        own, through = self._same_width(mine), self._same_width(theirs)
        rest, here = self._n & ~through, 1 << self._on_board(square)
        below, above = rest & here - 1, rest & -2 * here
        last, first = 1 << below.bit_length() >> 1, above & -above
        low = last << 1 if last & own else here
        high = first if first & own else here
        return self._with(self._n & high - low & ~here if high > low else 0)

    def between(self, one: int, other: int) -> Bits:
        """The squares of this set that lie between two others, without these."""
        low, high = sorted((self._on_board(one), self._on_board(other)))
        return self._with(self._n & (1 << high) - 1 & -2 << low)

    # ---- one square

    def _on_board(self, square: int) -> int:
        """The square as Python's own integer, because NumPy's would shift within 64 bits."""
        if not 0 <= square < self._width:
            raise ValueError(f"square {square} is outside a Bits of width {self._width}")
        return index(square)

    def add(self, square: int) -> Bits:
        """This set and `square`."""
        return self._with(self._n | 1 << self._on_board(square))

    def remove(self, square: int) -> Bits:
        """This set without `square`."""
        return self._with(self._n & ~(1 << self._on_board(square)))

    def lowest(self) -> int:
        """The first square of the set; the width if the set is empty."""
        return (self._n & -self._n).bit_length() - 1 if self._n else self._width

    def __contains__(self, square: int) -> bool:
        return 0 <= square < self._width and bool(self._n >> index(square) & 1)

    # ---- the whole set

    def __bool__(self) -> bool:
        return self._n != 0

    def __len__(self) -> int:
        return self._n.bit_count()

    def __iter__(self) -> Iterator[int]:
        n = self._n
        while n:
            lowest = n & -n
            yield lowest.bit_length() - 1
            n ^= lowest

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bits):
            return NotImplemented
        return self._width == other._width and self._n == other._n

    def __hash__(self) -> int:
        return hash((self._width, self._n))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Bits does not change; `add`, `remove` and the operators return a new one")

    def __repr__(self) -> str:
        return f"Bits({self._width}, {list(self)})" if self else f"Bits({self._width})"

    def __reduce__(self) -> tuple[object, tuple[int, int]]:
        return Bits.from_int, (self._width, self._n)


# The way past `__setattr__` that is quickest, because interpreted rules do little else.
_NEW, _SET_WIDTH, _SET_N = object.__new__, vars(Bits)["_width"].__set__, vars(Bits)["_n"].__set__
