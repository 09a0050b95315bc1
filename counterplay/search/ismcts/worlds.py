"""What may be hidden: the states that a player cannot tell from the one he is in.

A game says it by `sample_state`. Where it does not, the whole game is gone through once, if it is small: others are
taken to have moved at random.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import Any

from counterplay.core.game import CHANCE, Game, listed_actions
from counterplay.core.randomness import unit
from counterplay.core.views import information_key
from counterplay.native import native
from counterplay.search.result import Unsuited

__all__ = ["Worlds", "imagine"]

MOST_STATES = 100_000
"""States of a game that is gone through; that takes about a second."""


@native
def sampled(game, s, p, random):  # type: ignore[no-untyped-def]
    """A state that player `p` cannot tell from `s`, as the game draws it."""
    return game.sample_state(s, p, random)


class Worlds:
    """The states that a player cannot tell apart, each as likely as chance makes it and others who move at random."""

    def __init__(self, states: list[Any], chances: list[float]) -> None:
        self.states = states
        self._sums = list(accumulate(chances))

    def draw(self, random: Any) -> Any:
        """One of them."""
        x = unit(random) * self._sums[-1]
        return next((s for s, total in zip(self.states, self._sums, strict=True) if x < total), self.states[-1])


def imagine(game: Game, s: Any, p: int, random: Any) -> Any:
    """A state that player `p`, who is to move, may be in as well as in `s`: nothing else of `s` is in it."""
    return sampled(game, s, p, random) if game.knows.sample_state else worlds_of(game, s, p).draw(random)


def worlds_of(game: Game, s: Any, p: int) -> Worlds:
    """All states that player `p`, who is to move, may be in; Unsuited for a game that is too large."""
    return _worlds(game)[information_key(game.information(s, p), p)]


@lru_cache(maxsize=2)
def _worlds(game: Game) -> dict[int, Worlds]:
    """For every information set, by its key."""
    found: dict[int, tuple[list[Any], list[float]]] = {}
    waiting, seen = [(game.initial(), 1.0)], 0
    while waiting:
        s, chance = waiting.pop()
        seen += 1
        if seen > MOST_STATES:
            raise Unsuited(
                f"{game} has more than {MOST_STATES:,} states, too many to find those that a player may be in: "
                "it needs  def sample_state(self, s, p, random)"
            )
        if game.is_terminal(s):
            continue
        p, actions = game.player(s), listed_actions(game, s)
        if p != CHANCE:
            states, chances = found.setdefault(information_key(game.information(s, p), p), ([], []))
            states.append(s)
            chances.append(chance)
        for a in actions:
            odds = float(game.probability(s, a)) if p == CHANCE else 1.0 / len(actions)
            waiting.append((game.result(s, a), chance * odds))
    return {key: Worlds(*each) for key, each in found.items()}
