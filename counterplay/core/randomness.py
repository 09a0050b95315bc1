"""All random numbers come from here. They are SplitMix64 over a counter: for a seed the same on every machine, in every
version of Python, interpreted and compiled.

    new_random, word, unit      a source that rules and searches draw from, compiled too
    seed_at                     a seed for one moment of a game, from the game's seed
    Dice                        choices among things, for what never needs to be fast
    any_seed                    a seed for people who like another game each time
"""

from __future__ import annotations

import random as _random
from collections.abc import Sequence
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

from counterplay.core.primitives import mix64
from counterplay.core.records import new_record, record_type

__all__ = ["Dice", "any_seed", "first_counter", "new_random", "seed_at", "unit", "word"]

_T = TypeVar("_T")
_RANDOM = record_type([("counter", np.int64)])


def new_random(seed: int) -> Any:
    """A source of random numbers; those of different seeds have nothing to do with each other."""
    source = new_record(_RANDOM)
    source.counter = first_counter(seed)
    return source


def first_counter(seed: int) -> int:
    """Where the counter of a seed begins: a record with a field `counter` that begins there is a source, too."""
    return mix64(seed) >> 2  # leaves room to count up


def word(random: Any) -> int:
    """A random integer of 32 bits."""
    random.counter += 1
    return mix64(random.counter) & 0xFFFFFFFF


def unit(random: Any) -> float:
    """A random number from 0 up to but not including 1."""
    random.counter += 1
    return (mix64(random.counter) & 0x1FFFFFFFFFFFFF) * 2.0**-53


def seed_at(seed: int, *numbers: int) -> int:
    """The seed for something random that depends on these numbers, as a seat and a ply, and on nothing else."""
    for number in numbers:
        seed = mix64(mix64(seed) + number)
    return seed & 0x7FFFFFFF


def any_seed(below: int) -> int:
    """A seed that nobody can foresee; the only number here that is another each time."""
    return _random.randrange(below)


class Dice:
    """Choices at random, from a seed of numbers and words."""

    def __init__(self, *seed: int | str) -> None:
        self._state = 0
        for part in seed:
            self._state = mix64(self._state ^ mix64(crc32(part.encode()) if isinstance(part, str) else part + 1))

    def below(self, n: int) -> int:
        """One of 0, 1, ..., n - 1."""
        self._state = mix64(self._state + 1)
        return (self._state >> 8) % n

    def choice(self, items: Sequence[_T]) -> _T:
        return items[self.below(len(items))]

    def sample(self, items: Sequence[_T], n: int) -> list[_T]:
        """`n` different ones, in any order."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(n)]
