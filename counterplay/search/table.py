"""The transposition table: what was found out about a state, for when it is reached again by another way.

One allocation of entries of four 64-bit words:

    word 0    key ^ word 1 ^ word 2 ^ word 3
    word 1    the value for MAX, a float64
    word 2    the best action, or NO_ACTION
    word 3    depth << 32 | within + 1 << 16 | age << 4 | bound

Threads share the table without locks. One may read an entry while another writes it; then the words do not fit the
key any more, because each is part of word 0, and the entry is taken for empty (Hyatt & Mann 2002). A key owns two
entries side by side: the deeper of the current search stays, the other is replaced.
"""

from __future__ import annotations

import mmap
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import UserError
from counterplay.core.primitives import as_bits, as_float, load, prefetch, store

__all__ = [
    "AT_LEAST",
    "AT_MOST",
    "EXACT",
    "NOTHING",
    "NO_ACTION",
    "UNPROVEN",
    "Entry",
    "TranspositionTable",
    "answers",
    "bound_of",
    "expect",
    "find",
    "keep",
    "table_key",
]

AT_LEAST, AT_MOST, EXACT = 1, 2, 3
NO_ACTION = -(1 << 62)
UNPROVEN = -1
_WORDS = 4
_LINE = 64  # bytes
_AGES = 1 << 12
_HAS_LARGE_PAGES = hasattr(mmap, "MADV_HUGEPAGE")  # on Linux
_COLLAPSE = 25  # MADV_COLLAPSE of Linux 6.1, which Python has no name for


class TranspositionTable:
    """The memory of a table and the age of what is in it."""

    def __init__(self, megabytes: float) -> None:
        if not 0 < megabytes <= 1 << 20:
            raise UserError(f"a table has more than 0 MB, not {megabytes}")
        entries = 2
        while entries * 2 * _WORDS * 8 <= megabytes * (1 << 20):
            entries *= 2
        try:
            self._pages = _Pages(entries * _WORDS * 8)
        except (MemoryError, OSError, ValueError, OverflowError):
            raise UserError(f"there is no memory for a table of {megabytes:g} MB; try 64") from None
        self._memory = self._pages.words
        self.address = int(self._memory.ctypes.data)
        self.mask = entries - 2  # the number of the first entry of a pair
        self.age = 0

    def grow_older(self) -> None:
        """A new search begins: what is in the table is still true, but gives way to what is new."""
        self.age = (self.age + 1) % _AGES

    def expect_much(self) -> None:
        """Many states will come: get all of the memory now, in large pages, which are the fastest then."""
        self._pages.make_large()

    def clear(self) -> None:
        """Forget everything."""
        self._memory[:] = 0
        self.age = 0

    @property
    def bytes(self) -> int:
        return int(self._memory.nbytes)

    @property
    def permille(self) -> int:
        """How many of a thousand entries hold something, by looking at a few thousand: quick enough while searching."""
        few = self._memory[3 : 3 + 4_000 * _WORDS : _WORDS]
        return round(1000 * int(np.count_nonzero(few)) / len(few))

    @property
    def used(self) -> float:
        """The part of the entries that hold something."""
        return float(np.count_nonzero(self._memory[3::_WORDS]) / (len(self._memory) / _WORDS))


class _Pages:
    """Memory, all zeros, that the system provides page by page when they are first used.

    A small search must not wait until 64 MB are cleared, as happens where pages are large. A long one is a fifth
    faster with large pages. So they are small at first.
    """

    def __init__(self, size: int) -> None:
        self._map: mmap.mmap | None = None
        if _HAS_LARGE_PAGES:
            self._map = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            self._advise(mmap.MADV_NOHUGEPAGE)
        self.words = _zeros(size // 8) if self._map is None else np.frombuffer(self._map, np.int64)

    def make_large(self) -> None:
        """Exchange the small pages for large ones, once."""
        if self._map is not None:
            self._advise(mmap.MADV_HUGEPAGE)
            self._advise(_COLLAPSE)
            self._map = None  # `words` keeps it

    def _advise(self, advice: int) -> None:
        with suppress(OSError):  # a system that does not know this advice goes on with small pages
            self._map.madvise(advice)  # type: ignore[union-attr]


def _zeros(words: int) -> Any:
    """Words that begin where a line of the processor's cache does, so that a pair of entries is one line."""
    memory = np.zeros(words + _LINE // 8, np.int64)
    skipped = -memory.ctypes.data % _LINE // 8
    return memory[skipped : skipped + words]


class Entry(NamedTuple):
    """What the table says of a state. `bound` 0: nothing."""

    value: float
    action: int
    depth: int
    within: int
    """The value holds whatever the depth, no estimate was used: it comes about within so many plies. Or UNPROVEN."""
    bound: int


NOTHING = Entry(0.0, NO_ACTION, 0, UNPROVEN, 0)


def table_key(game: Any, s: Any) -> int:
    """The key of a state in the table: one for all states that are alike by symmetry.

    The best action is kept only for the one that stands for all, since with the others it has another number.
    """
    return game.key(game.canonical(s)) if game.knows.canonical else game.key(s)  # type: ignore[no-any-return]


def expect(table: int, mask: int, key: int) -> None:
    """That key will be asked for soon: the memory is slow, and may fetch its line meanwhile."""
    prefetch(table, (key & mask) * _WORDS)


def find(table: int, mask: int, key: int) -> Entry:
    """What is known of the state of that key."""
    for slot in range(2):
        at = ((key & mask) + slot) * _WORDS
        value, action, meta = load(table, at + 1), load(table, at + 2), load(table, at + 3)
        if meta != 0 and load(table, at) == key ^ value ^ action ^ meta:
            return Entry(as_float(value), action, meta >> 32, (meta >> 16 & 0xFFFF) - 1, meta & 3)
    return NOTHING


def answers(entry: Entry, alpha: float, beta: float, depth: int) -> bool:
    """Whether an entry is all that a search of that window and depth asks: seen equally deep, or to the end."""
    if entry.bound == 0 or not (entry.within != UNPROVEN or entry.depth == depth):
        return False
    if entry.bound == AT_LEAST:
        return entry.value >= beta
    return entry.bound == EXACT or entry.value <= alpha


def bound_of(v: float, alpha: float, beta: float) -> int:
    """What a search of that window has found out by `v`."""
    return AT_MOST if v <= alpha else AT_LEAST if v >= beta else EXACT


def keep(table: int, mask: int, age: int, key: int, entry: Entry) -> None:
    """Remember it: over what is known of the same state, else over an older search's or the shallower of the two.

    A proof stays while it is the shorter one: so what is proven comes nearer with every move.
    """
    place = (key & mask) * _WORDS
    least = 1 << 62
    for slot in range(2):
        at = ((key & mask) + slot) * _WORDS
        meta = load(table, at + 3)
        if load(table, at) == key ^ load(table, at + 1) ^ load(table, at + 2) ^ meta:
            place = at
            if is_no_longer(meta, load(table, at + 1), entry):
                entry = Entry(entry.value, load(table, at + 2), meta >> 32, (meta >> 16 & 0xFFFF) - 1, entry.bound)
            break
        worth = (meta >> 32) + (1 << 46 if (meta >> 4) % _AGES == age and meta != 0 else 0)
        if worth < least:
            place, least = at, worth
    value = as_bits(entry.value)
    meta = entry.depth << 32 | entry.within + 1 << 16 | age << 4 | entry.bound
    store(table, place + 1, value)
    store(table, place + 2, entry.action)
    store(table, place + 3, meta)
    store(table, place, key ^ value ^ entry.action ^ meta)


def is_no_longer(meta: int, value: int, entry: Entry) -> bool:
    """Whether an entry of the table proves what a new one does, within as many plies or fewer."""
    within = (meta >> 16 & 0xFFFF) - 1
    return within != UNPROVEN and meta & 3 == entry.bound and value == as_bits(entry.value) and within <= entry.within
