"""The root of a search: each action looked at in turn, the best of them, and best play after it.

The end of the game, a stop, bounds and lines are the same for every search. What differs is asked of the root that a
search has: how a child is looked at, and what is better.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from counterplay.core.game import CHANCE, Game
from counterplay.search.limits import deeper
from counterplay.search.result import ActionValue
from counterplay.search.run import NO_LIMIT
from counterplay.search.suited import for_each_player, some_actions

__all__ = ["Iteration", "OpponentsRoot", "PlainRoot", "Root", "Vector"]

Vector = tuple[float, ...]
"""A value for each player."""


@dataclass(frozen=True)
class Iteration:
    """What a search to one depth found at the root."""

    values: Vector
    tell: Callable[[], tuple[ActionValue, ...]]
    """What was found of every action, put together when somebody asks."""
    line: tuple[int, ...]
    finished: bool
    """False: it was stopped, and the best is the best of those actions that were looked at."""
    proven: bool
    """True: no estimate had a part in the values, and nothing that matters was left out."""
    better: bool = False
    """It was stopped, but has a better move already than the depth before."""
    within: int | None = None
    """If they are proven, in how many plies they come about at most; None if that is not known."""

    @property
    def actions(self) -> tuple[ActionValue, ...]:
        """Every action, in the game's order."""
        return self.tell()


class Root(ABC):
    """A position as a search looks at it. Values are vectors, with a number for each player."""

    def __init__(self, game: Game, s: Any, tally: Any) -> None:
        self.game, self.s, self.tally = game, s, tally

    only: frozenset[int] = frozenset()
    """If there are some, the root has no other actions than these."""

    @cached_property
    def actions(self) -> tuple[int, ...]:
        """The actions of a live position that are looked at, in the game's order."""
        return tuple(a for a in map(int, some_actions(self.game, self.s)) if not self.only or a in self.only)

    @abstractmethod
    def look(self, depth: int) -> Iteration:
        """Search to a depth."""

    def over(self, depth: int) -> Iteration:
        """What there is to say of the end of a game."""
        self.tally.nodes += 1
        self.tally.unused = min(self.tally.unused, depth)
        return Iteration(self.utilities(), tuple, (), True, True)

    def utilities(self) -> Vector:
        """What the position is worth if the game is over."""
        return tuple(float(self.game.utility(self.s, p)) for p in range(self.game.players))

    def estimates(self) -> Vector:
        """What it is worth without looking ahead."""
        return tuple(float(self.game.evaluate(self.s, p)) for p in range(self.game.players))

    def worth(self, values: Vector, p: int) -> float:
        """What `p`, who chooses, wants to be large."""
        return values[p]

    def mean(self, found: Sequence[ActionValue]) -> Vector:
        """The value where nobody chooses, from those of all outcomes."""
        means = [0.0] * self.game.players
        for each in found:
            probability = self.game.probability(self.s, each.action)
            means = [mean + probability * v for mean, v in zip(means, each.values, strict=True)]
        return tuple(means)

    def unseen(self, p: int) -> Vector:
        """The best that an action could be that was not looked at."""
        return (float(self.game.utility_range[1]),) * self.game.players

    def report(self, found: Mapping[int, ActionValue], p: int) -> tuple[ActionValue, ...]:
        """Every action in the game's order: what was found of it, or the best that it could be."""
        v = self.unseen(p)
        return tuple(found.get(a) or ActionValue(a, v[0], False, v) for a in self.actions)


class OpponentsRoot(Root):
    """The root of a search for two opponents, or for one player: the first one's value says it all."""

    def utilities(self) -> Vector:
        return for_each_player(self.game, float(self.game.utility(self.s, 0)))

    def estimates(self) -> Vector:
        return for_each_player(self.game, float(self.game.evaluate(self.s, 0)))

    def worth(self, values: Vector, p: int) -> float:
        return values[0] if p == 0 else -values[0]

    def mean(self, found: Sequence[ActionValue]) -> Vector:
        return for_each_player(self.game, super().mean(found)[0])

    def unseen(self, p: int) -> Vector:
        return for_each_player(self.game, float(self.game.utility_range[1 if p == 0 else 0]))


class PlainRoot(Root):
    """A root whose actions are looked at one after the other, as the game lists them."""

    @abstractmethod
    def child(self, t: Any, depth: int, p: int, best: ActionValue | None) -> tuple[Vector, bool]:
        """What `t`, to which `p` may move, is worth; and whether that is exact, and not only a bound.

        `best` is the best action so far, or None: how much worse than that another is need not be known.
        """

    @abstractmethod
    def keeps(self, t: Any, depth: int, values: Vector) -> bool:
        """Whether `t` is worth `values`, so that a move to it may be part of best play."""

    def chooses(self, p: int) -> bool:
        """Whether `p` takes the best action; if not, its actions have weights, and the value is the mean."""
        return p != CHANCE

    def is_enough(self, best: ActionValue, p: int) -> bool:
        """Whether nothing can be better for `p`."""
        return False

    def followed(self, p: int, depth: int) -> Sequence[int]:
        """The actions of `p` that are looked at, `depth` plies further."""
        return self.actions

    def look(self, depth: int) -> Iteration:
        game, s, tally = self.game, self.s, self.tally
        if game.is_terminal(s):
            return self.over(depth)
        tally.nodes += 1
        p, left = game.player(s), deeper(game, s, depth)
        found: dict[int, ActionValue] = {}
        best: ActionValue | None = None
        for a in self.followed(p, left):
            if best is not None and self.is_enough(best, p):
                break
            estimates = int(tally.cutoffs)
            values, exact = self.child(game.result(s, a), left, p, best)
            if tally.stop:
                break
            found[a] = ActionValue(a, values[0], exact, values, exact and bool(tally.cutoffs == estimates))
            if best is None or self.worth(values, p) > self.worth(best.values, p):
                best = found[a]
        finished = not tally.stop
        proven = finished and bool(tally.cutoffs == 0)
        actions = self.report(found, p)
        if not self.chooses(p):
            values = self.mean(tuple(found.values())) if finished else self.estimates()
            return Iteration(values, lambda: actions, (), finished, proven)
        if best is None:
            return Iteration(self.estimates(), lambda: actions, (actions[0].action,), False, False)
        line = self.follow(game.result(s, best.action), left, best.values)
        return Iteration(best.values, lambda: actions, (best.action, *line), finished, proven)

    def follow(self, s: Any, depth: int, values: Vector) -> list[int]:
        """The principal variation from `s` on: at each step the first action that keeps the values.

        What is looked at again for this is not counted; a stop ends the line early.
        """
        game, tally = self.game, self.tally
        line: list[int] = []
        counted = tally.nodes, tally.cutoffs, tally.unused, tally.most_nodes
        tally.most_nodes = NO_LIMIT
        while depth > 0 and not tally.stop and not game.is_terminal(s) and self.chooses(game.player(s)):
            depth = deeper(game, s, depth)
            *others, last = map(int, some_actions(game, s))
            kept = (a for a in others if self.keeps(game.result(s, a), depth, values))
            best = next(kept, last)  # if no other keeps them, the last does
            if not tally.stop:
                line.append(best)
                s = game.result(s, best)
        tally.nodes, tally.cutoffs, tally.unused, tally.most_nodes = counted
        return line
