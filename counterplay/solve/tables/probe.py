"""Asking a table: the rules that a game has once tables are joined to it, and where their numbers are in memory.

A number of a position has its slice in it (`games/_endings`), and of every slice a row of `table_at` says where its
numbers are: addresses of files that are mapped into memory, so that nothing is read before it is asked for, and several
processes share it.

    RESULTS    two bits a position: NOTHING, LOSS, WIN or DRAW, for the player to move
               (where dice are thrown: what that player can expect, a float each)
    PLIES      how soon that comes about if the winner hurries and the loser does not; WIDTH bits each, 8 or 16
    KEYS       where positions are numbered by their hash: the keys, in a hash table of MASK + 1 places
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.memory import Memory
from counterplay.core.primitives import load, state_key
from counterplay.games._endings import PLACE, SLICE_AT
from counterplay.native import native
from counterplay.search.repetition import draw_value

__all__ = ["DRAW", "LOSS", "NOTHING", "WIN", "Places", "probing", "table_code"]

NOTHING, LOSS, WIN, DRAW = range(4)
RESULTS, PLIES, WIDTH, KEYS, MASK, COLUMNS = range(6)


class Places(Memory):
    """Where the numbers of each slice are. It keeps the files open, and opens them again in another process."""

    __slots__ = ("files", "held")

    files: tuple[Path, ...]
    held: list[Any]
    """What must live as long as the addresses are used."""

    def __init__(self, slices: int) -> None:
        super().__init__(np.zeros((slices, COLUMNS), np.int64))
        self.files, self.held = (), []

    def point(self, number: int, results: Any, plies: Any = None, keys: Any = None, values: Any = None) -> None:
        """Let a slice be looked up in these arrays, of whole words of 64 bits; `values` stand instead of `results`."""
        row = self.array[number]
        self.held += [results, plies, keys, values]
        if plies is not None:
            row[PLIES], row[WIDTH] = plies.ctypes.data, 8 * plies.itemsize
        if keys is not None:
            row[KEYS], row[MASK] = keys.ctypes.data, len(keys) - 1
        row[RESULTS] = (results if values is None else values).ctypes.data

    def __reduce__(self) -> tuple[Any, ...]:
        from counterplay.solve.tables.files import reopened

        return reopened, (len(self.array), tuple(map(str, self.files)))


def probing(places: Places, rules: dict[str, Any]) -> dict[str, Any]:
    """What a game is extended with, so that every search asks the tables."""
    hashed = {} if "index" in rules else {"index": index}
    timed = {} if "comes_in_time" in rules else {"comes_in_time": comes_in_time}
    return {"solved": solved, "table_code": code, **rules, **hashed, **timed, "table_at": places}


# ---- the rules


def index(self: Any, s: Any) -> int:
    """The place of a state in a hash table; -1 if it is not there."""
    keys, mask, key = self.table_at[0, KEYS], self.table_at[0, MASK], state_key(s)
    if keys == 0:
        return -1
    at = key & mask
    while True:
        found = load(keys, at)
        if found == key:
            return int(at)
        if found == 0:
            return -1
        at = at + 1 & mask


def comes_in_time(self: Any, s: Any, plies: int) -> bool:
    return True


def code(self: Any, i: int) -> int:
    return table_code(self, i)  # type: ignore[no-any-return]


def solved(self: Any, s: Any) -> tuple[float, int]:
    """What the tables know of `s`, see `Game.solved`."""
    return ask(self, s)  # type: ignore[no-any-return]


# Compiled once and called, not copied into every search.


@native
def table_code(game, i):  # type: ignore[no-untyped-def]
    """What is known of the position of that number: `plies << 2 | result`; 0 for nothing."""
    number, place = i >> SLICE_AT, i & PLACE
    results = game.table_at[number, RESULTS]
    if results == 0:
        return 0
    result = load(results, place >> 5) >> 2 * (place & 31) & 3
    if result == NOTHING:
        return 0
    plies = game.table_at[number, PLIES]
    if game.table_at[number, WIDTH] == 8:
        return (load(plies, place >> 3) >> 8 * (place & 7) & 0xFF) << 2 | result
    return (load(plies, place >> 2) >> 16 * (place & 3) & 0xFFFF) << 2 | result


@native
def ask(game, s):  # type: ignore[no-untyped-def]
    i = game.index(s)
    known = table_code(game, i) if i >= 0 else 0
    result, plies = known & 3, known >> 2
    if result == DRAW:
        return draw_value(game), 0
    if result == NOTHING or not game.comes_in_time(s, plies):
        return 0.0, -1
    low, high = game.utility_range
    return (high if (result == WIN) == (game.player(s) == 0) else low), plies
