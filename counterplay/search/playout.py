"""Random play: the generator of random numbers, a random action, a game played to its end.

The generator is SplitMix64 over a counter, so the same seed gives the same game, interpreted and compiled, on every
machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.game import CHANCE
from counterplay.native import native
from counterplay.primitives import mix64

__all__ = ["mean_utility", "new_random", "playout", "random_action"]

_RANDOM = np.dtype([("counter", np.int64)])


def new_random(seed: int) -> Any:
    """A source of random numbers; those of different seeds have nothing to do with each other."""
    source = np.zeros(1, _RANDOM).view(np.recarray)[0]
    source.counter = mix64(seed) >> 2  # leaves room to count up
    return source


def word(random: Any) -> int:
    """A random integer of 32 bits."""
    random.counter += 1
    return mix64(random.counter) & 0xFFFFFFFF


def unit(random: Any) -> float:
    """A random number from 0 up to but not including 1."""
    random.counter += 1
    return (mix64(random.counter) & 0x1FFFFFFFFFFFFF) * 2.0**-53


def choose(game: Any, s: Any, random: Any) -> int:
    """A random action: by its probability for CHANCE, each as likely as the other for a player."""
    if game.chance and game.player(s) == CHANCE:
        rest, chosen = unit(random), -1
        for a in game.actions(s):
            chosen = a
            rest -= game.probability(s, a)
            if rest < 0.0:
                break
        return chosen
    return game.sample(s, word(random))


@native
def random_action(game, s, random):  # type: ignore[no-untyped-def]
    """A random action at `s`."""
    return choose(game, s, random)


@native
def playout(game, s, random):  # type: ignore[no-untyped-def]
    """The state at the end of a random game from `s`."""
    while not game.is_terminal(s):
        s = game.result(s, choose(game, s, random))
    return s


@native
def mean_utility(game, s, n, random):  # type: ignore[no-untyped-def]
    """What player 0 gets on average in `n` random games from `s`."""
    total = 0.0
    for _ in range(n):
        end = s
        while not game.is_terminal(end):
            end = game.result(end, choose(game, end, random))
        total += game.utility(end, 0)
    return total / n
