"""Random play: a random action, a game played to its end. The same seed gives the same game, in either mode."""

from __future__ import annotations

from typing import Any

from counterplay.core.game import CHANCE
from counterplay.core.randomness import unit, word
from counterplay.native import native

__all__ = ["mean_utility", "playout", "random_action"]


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
