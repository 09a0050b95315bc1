"""Numbers beside the rules that may change: weights that are learned, large tables, files mapped into memory.

    weights = np.zeros(64)
    game = Othello().extended(evaluate=weighted, weights=Memory(weights))   # weighted(self, s, p) has self.weights[i]
    weights[3] = 0.5                                                        # the next search sees it, in either mode

A constant is part of the machine code; of a memory the machine code knows only what kind of numbers it has and how
many. So games that differ in nothing but the content of their memory share machine code.
"""

from __future__ import annotations

import operator
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Memory", "MemoryKind"]

_NUMBERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float32", "float64")


class MemoryKind(NamedTuple):
    """What machine code knows of a memory; all but the numbers and where they are."""

    dtype: str
    shape: tuple[int, ...]
    writable: bool

    def __str__(self) -> str:
        return f"Memory({self.dtype}[{', '.join(map(str, self.shape))}])"


class Memory:
    """An array that rules read, and may write, as it is at that moment; an attribute of a game.

    `memory[i]`, or `memory[i, j]` in two dimensions, is a Python number in either mode: a float of 64 bits, whatever
    the array's kind of float, or an integer. Storing rounds to the array's kind. An index counts from 0 and is never
    negative. `len(memory)` and `memory.shape` are constants.

    The array is not copied. Two memories are equal if they are the same place.
    """

    __slots__ = ("address", "array", "kind")

    array: np.ndarray[Any, Any]
    address: int
    kind: MemoryKind

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        import numpy as np

        if not isinstance(array, np.ndarray) or array.ndim == 0:
            raise TypeError(f"a Memory is made of a NumPy array, not of {type(array).__name__}")
        if array.dtype.name not in _NUMBERS:
            raise TypeError(f"a Memory has numbers of {', '.join(_NUMBERS)}; not {array.dtype.name}")
        if not (array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative):
            raise TypeError("a Memory's array lies in one piece, row after row: use np.ascontiguousarray(array)")
        self.array = array.view(np.ndarray)  # of its own: whether it may be written stays as it is now
        self.address = self.array.ctypes.data
        self.kind = MemoryKind(array.dtype.name, array.shape, array.flags.writeable)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.kind.shape

    def __len__(self) -> int:
        return self.kind.shape[0]

    def __getitem__(self, index: int | tuple[int, ...]) -> Any:
        inside = self._inside(index)
        return self.array.item(inside)

    def __setitem__(self, index: int | tuple[int, ...], value: Any) -> None:
        inside = self._inside(index)
        self.array[inside] = value if self.array.dtype.kind == "f" else operator.index(value)

    def _inside(self, index: int | tuple[int, ...]) -> tuple[int, ...]:
        each = tuple(map(operator.index, index if isinstance(index, tuple) else (index,)))
        if len(each) != len(self.shape):
            raise IndexError(f"a Memory of {len(self.shape)} dimensions has as many indices, not {len(each)}")
        if not all(0 <= i < n for i, n in zip(each, self.shape, strict=True)):
            raise IndexError(f"an index is outside its Memory: {index}")
        return each

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Memory) and (self.address, self.kind) == (other.address, other.kind)

    def __hash__(self) -> int:
        return hash((self.address, self.kind))

    def __reduce__(self) -> tuple[Any, ...]:
        return Memory, (self.array,)

    def __repr__(self) -> str:
        return str(self.kind)


class NoContent(Memory):
    """What stands for a memory while rules are compiled: to read a number then would make a constant of it."""

    __slots__ = ()

    def __init__(self, kind: MemoryKind) -> None:
        self.kind, self.address = kind, 0

    def _inside(self, index: int | tuple[int, ...]) -> tuple[int, ...]:
        raise TypeError("a property of the game reads memory, which may change: make it a method")


# ---- arrays that are constants


def is_array(value: object) -> bool:
    """Whether it is a NumPy array, without importing NumPy to find out."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy that cannot be written."""
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def freeze(array: np.ndarray[Any, Any]) -> None:
    """Whoever writes to this array from now on, or to one that it is a part of, is told that it is read-only."""
    part: Any = array
    while is_array(part):
        part.flags.writeable = False
        part = part.base
