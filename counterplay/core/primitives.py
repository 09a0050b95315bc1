"""The few operations that are not plain Python arithmetic: 64-bit mixing, the hash of a state, items by number.

Each is an ordinary function here and has a compiled twin of the same result in `native/primitives.py`. Rules and
searches call them by these names in either mode.
"""

from __future__ import annotations

import ctypes
import itertools
import struct
from collections.abc import Iterable, Iterator, Sized
from threading import Lock
from typing import Any

from counterplay.core.bits import Bits
from counterplay.core.cells import Cells
from counterplay.core.errors import RulesError

__all__ = [
    "Table",
    "as_bits",
    "as_float",
    "compare_swap",
    "count",
    "keep_state",
    "kept_state",
    "list_actions",
    "list_noisy",
    "list_quiet",
    "list_sound",
    "list_urgent",
    "load",
    "load_short",
    "lowest_one",
    "mix64",
    "nth",
    "nth_action",
    "prefetch",
]
__all__ += ["number_of_actions", "ones", "repeat", "replace", "room_for_state", "state_key", "store", "store_short"]
__all__ += ["weighted_sum"]

_MASK = (1 << 64) - 1
_MANY = 1_000_000  # actions, beyond which none are counted when interpreted


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
    """A 64-bit hash of a whole state: numbers, `Bits`, `Cells` and tuples of them, in order."""
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
    if isinstance(value, Cells):
        return [value.packed >> shift & _MASK for shift in range(0, len(value) * value.bits, 64)]
    if isinstance(value, float):
        return [as_bits(value + 0.0) & _MASK]
    return [int(value) & _MASK]


class Table:
    """A constant row of numbers, or of `Bits` of one width, to look things up in by an index that is computed.

    Compiled, it is data beside the code: a look-up is one load. (A tuple would do, but compiles to a choice among
    all its items.) The index counts from 0; unlike a tuple's it is never negative.
    """

    __slots__ = ("_items",)

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = tuple(items)
        kinds = {(type(item), getattr(item, "width", 0)) for item in self._items}
        if len(kinds) != 1 or next(iter(kinds))[0] not in (int, float, Bits):
            raise TypeError("a Table has items, all of them int, float, or Bits of one width")

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, i: int) -> Any:
        if i < 0:
            raise IndexError(f"a Table's index counts from 0; there is no {i}")
        return self._items[i]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self._items == other._items

    def __hash__(self) -> int:
        return hash(self._items)

    def __repr__(self) -> str:
        return f"Table({list(self._items)})"


def count(items: Iterable[int]) -> int:
    """How many items there are; a generator is used up by it."""
    return len(items) if isinstance(items, Sized) else sum(1 for _ in items)


def nth(items: Iterable[int], k: int) -> int:
    """Item number `k`, counted from 0; there must be so many."""
    for item in itertools.islice(items, k, None):
        return item
    raise RulesError("there is a state without actions that is not over; `counterplay check` says which")


def list_actions(game: Any, s: Any, row: Any) -> int:
    """Write the actions of `s` into `row`, as many as it has room for; how many, or over a million."""
    return _list(game.actions(s), row)


def list_noisy(game: Any, s: Any, row: Any) -> int:
    """The same with what `noisy_actions` gives."""
    return _list(game.noisy_actions(s), row)


def list_quiet(game: Any, s: Any, row: Any) -> int:
    """The same with what `quiet_actions` gives."""
    return _list(game.quiet_actions(s), row)


def list_urgent(game: Any, s: Any, row: Any) -> int:
    """The same with what `urgent_actions` gives."""
    return _list(game.urgent_actions(s), row)


def list_sound(game: Any, s: Any, row: Any) -> int:
    """The same with what `sound_actions` gives."""
    return _list(game.sound_actions(s), row)


def _list(actions: Any, row: Any) -> int:
    n = 0
    for n, a in enumerate(actions, 1):
        if n <= len(row):
            row[n - 1] = a
        elif n > _MANY:
            break  # there may be a thousand million, and to count them would take minutes
    return n


def number_of_actions(game: Any, s: Any) -> int:
    """How many actions there are at `s`, by going through them."""
    return count(game.actions(s))


def nth_action(game: Any, s: Any, k: int) -> int:
    """Action number `k` of `s`, counted from 0; there must be so many."""
    return nth(game.actions(s), k)


def lowest_one(n: int) -> int:
    """The place of the lowest one among the binary digits of `n`, which is not 0."""
    return (n & -n).bit_length() - 1


def ones(n: int) -> int:
    """How many of the 64 binary digits of `n` are ones."""
    return (int(n) & _MASK).bit_count()


def replace(items: Any, i: int, item: Any, *more: Any) -> Any:
    """The tuple or `Cells` with `item` at index `i`, which counts from 0; more indices and items may follow."""
    if more:
        return replace(replace(items, i, item), *more)
    if isinstance(items, Cells):
        return items.replaced(i, item)
    if not 0 <= i < len(items):
        raise IndexError("replace: index out of range")
    return (*items[:i], item, *items[i + 1 :])


def weighted_sum(terms: Any, weights: Any) -> float:
    """Each of the `terms`, a tuple, by its weight, added up from the first to the last; without weights 1 each."""
    if weights and len(weights) != len(terms):
        raise ValueError(f"there are {len(terms)} terms, but {len(weights)} weights")
    total = 0.0
    for i, term in enumerate(terms):
        x = float(weights[i]) * float(term) if weights else float(term)
        total = total + x if i else x
    return total


def repeat(item: Any, n: int) -> Any:
    """The tuple of `n` times `item`; compiled, `n` must be known beforehand: a number or an attribute of the game."""
    return (item,) * n


# ---- memory by its address: large tables that threads share, without counting references at every access


def load(address: int, i: int) -> int:
    """The 64-bit integer number `i` at an address that the caller keeps alive."""
    return ctypes.c_int64.from_address(int(address) + 8 * int(i)).value


def store(address: int, i: int, value: int) -> None:
    """Put a 64-bit integer there."""
    ctypes.c_int64.from_address(int(address) + 8 * int(i)).value = int(value)


def load_short(address: int, i: int) -> int:
    """The 16-bit integer number `i` at an address that the caller keeps alive."""
    return ctypes.c_int16.from_address(int(address) + 2 * int(i)).value


def store_short(address: int, i: int, value: int) -> None:
    """Put a 16-bit integer there."""
    ctypes.c_int16.from_address(int(address) + 2 * int(i)).value = int(value)


def prefetch(address: int, i: int) -> None:
    """That number will be asked for soon: the processor may fetch it meanwhile."""


class _OneAtATime:
    """Interpreted, what is one step of the machine needs a lock. (In a class, where it is no part of a fingerprint.)"""

    lock = Lock()


def compare_swap(address: int, i: int, old: int, new: int) -> bool:
    """Put `new` there if `old` is there, as one step that no other thread comes between; whether it was."""
    with _OneAtATime.lock:
        if load(address, i) != old:
            return False
        store(address, i, new)
        return True


def keep_state(address: int, s: Any, like: Any) -> None:
    """Put a state there, where there is room for `room_for_state` bytes; `like` is any state of the same game."""
    for i, word in enumerate(_words(s)):
        store(address, i, _signed(word))


def kept_state(address: int, like: Any) -> Any:
    """The state that was put there, or one of nothing but 0 where all is 0; `like` is any state of the same game."""
    return _of_words(like, (load(address, i) & _MASK for i in itertools.count()))


def _of_words(like: Any, words: Iterator[int]) -> Any:
    """The value that is like another and made up of these words, of which it takes as many as it needs."""
    if isinstance(like, tuple):
        items = [_of_words(item, words) for item in like]
        return type(like)(*items) if hasattr(like, "_fields") else tuple(items)
    several = sum(next(words) << 64 * i for i in range(len(_words(like))))
    if isinstance(like, Bits):
        return Bits.from_int(like.width, several)
    if isinstance(like, Cells):
        return Cells.unpacked(like.most, like.least, len(like), several)
    return as_float(_signed(several)) if isinstance(like, float) else type(like)(_signed(several))


def room_for_state(s: Any) -> int:
    """So many bytes are enough for such a state: each of its numbers may begin at a multiple of 16."""
    return 16 * (len(_words(s)) + 1)


def as_bits(x: float) -> int:
    """The 64 bits of a floating-point number, as an integer."""
    return int(struct.unpack("<q", struct.pack("<d", x))[0])


def as_float(bits: int) -> float:
    """The floating-point number of those 64 bits."""
    return float(struct.unpack("<d", struct.pack("<q", int(bits)))[0])
