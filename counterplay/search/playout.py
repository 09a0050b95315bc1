"""Random play: a random action, a game played to its end. The same seed gives the same game, in either mode.

Compiled code hears no ctrl-C, so a game that never ends has to be noticed: after `MOST_PLIES` it is an `EndlessGame`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.errors import EndlessGame
from counterplay.core.game import CHANCE, Game
from counterplay.core.randomness import unit, word
from counterplay.core.records import new_record, record_type
from counterplay.native import native
from counterplay.search.run import new_tally, run

__all__ = ["MOST_PLIES", "mean_utility", "playout", "random_action", "total_utility"]

MOST_PLAYERS = 64
MOST_PLIES = 100_000
"""A random game that is longer is taken for one that never ends; at random none of our games has a hundredth of it."""
_AT_ONCE = 4096
_MANY = record_type(
    [("counter", np.int64), ("nodes", np.int64), ("stop", np.int64), ("value", np.float64, (MOST_PLAYERS,))]
)
_ENDLESS = "a random game from here did not end within 100,000 plies; `counterplay check` looks for the cause"


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
    plies = 0
    while not game.is_terminal(s):
        if plies >= MOST_PLIES:
            raise EndlessGame(_ENDLESS)
        s = game.result(s, choose(game, s, random))
        plies += 1
    return s


@native
def total_utility(game, s, n, random, tally):  # type: ignore[no-untyped-def]
    """What player 0 gets in all of `n` random games from `s`, or in fewer if `tally.stop` is set."""
    total = 0.0
    for _ in range(n):
        end, plies = s, 0
        while not game.is_terminal(end):
            if plies >= MOST_PLIES:
                raise EndlessGame(_ENDLESS)
            end = game.result(end, choose(game, end, random))
            plies += 1
        total += game.utility(end, 0)
        tally.nodes += 1
        if tally.stop:
            break
    return total


@native
def total_of_many(game, s, n, w, room):  # type: ignore[no-untyped-def]
    """The same by the game's own `playouts`, some thousand games at a time."""
    total = 0.0
    while w.nodes < n and not w.stop:
        games = min(_AT_ONCE, n - w.nodes)
        if game.playouts(s, games, w, room) < 0:
            raise EndlessGame(_ENDLESS)
        total += w.value[0]
        w.nodes += games
    return total


def mean_utility(game: Game, s: Any, n: int, random: Any) -> float:
    """What player 0 gets on average in `n` random games from `s`. Ctrl-C ends it at once, whatever the mode."""
    if game.knows.playouts:
        return _mean_of_many(game, s, n, random)
    tally = new_tally()
    total_utility(game, s, 0, random, tally)  # compiles, where ctrl-C is heard
    total = run(lambda: float(total_utility(game, s, n, random, tally)), tally)
    if tally.nodes < n:
        raise KeyboardInterrupt
    return total / n


def _mean_of_many(game: Game, s: Any, n: int, random: Any) -> float:
    w, memory = new_record(_MANY), np.zeros(game.playout_words, np.int64)
    w.counter = random.counter
    total_of_many(game, s, 0, w, memory.ctypes.data)
    total = run(lambda: float(total_of_many(game, s, n, w, memory.ctypes.data)), w)
    random.counter = w.counter
    if w.nodes < n:
        raise KeyboardInterrupt
    return total / n
