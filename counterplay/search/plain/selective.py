"""Looking ahead at the best few moves only.

Where there are dice, a ply more means some twenty throws, and some twenty replies to each. Whoever has a good estimate
need not follow every move that far: the `width` best at first sight are enough, by what is thought of the positions
that they lead to; and of the moves after these fewer still, as `replies` says. TD-Gammon chose its moves so (G.
Tesauro, Temporal difference learning and TD-Gammon, 1995), and GNU Backgammon does.

It is no proof of anything. A move that looks bad and is good is left out, so whatever was found after leaving something
out counts as an estimate. Nothing else is pruned: alpha-beta has little to cut between two throws.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.primitives import count, nth
from counterplay.native import native
from counterplay.search.limits import deeper
from counterplay.search.result import ActionValue
from counterplay.search.root import OpponentsRoot, PlainRoot, Vector
from counterplay.search.suited import for_each_player
from counterplay.search.values import sane_estimate, sane_utility

__all__ = ["SelectiveRoot", "value"]


@native
def value(game, s, width, depth, tally):  # type: ignore[no-untyped-def]
    """What `s` is worth to MAX, `depth` plies ahead, if nobody plays but the `width` best moves at first sight."""
    tally.nodes += 1
    tally.unused = min(tally.unused, depth)
    if game.is_terminal(s):
        return sane_utility(game, s, 0, tally)
    if game.knows.solved:
        v, plies = game.solved(s)
        if plies >= 0:
            return float(v)
    if depth == 0 or tally.stop:
        tally.cutoffs += 1
        return sane_estimate(game, s, 0, tally)
    if tally.nodes >= tally.most_nodes:
        tally.stop = 1
    p, depth = game.player(s), deeper(game, s, depth)
    if game.chance and p == CHANCE:
        mean = 0.0
        for a in game.actions(s):
            mean += game.probability(s, a) * value(game, game.result(s, a), width, depth, tally)
        return mean

    sign, best = 1.0 if p == 0 else -1.0, -inf
    left_out = count(game.actions(s)) - width if depth > 0 else 0  # at the end a look is all there is
    if left_out <= 0:
        for a in game.actions(s):
            best = max(best, sign * value(game, game.result(s, a), width, depth, tally))
        return sign * best
    tally.nodes += left_out
    tally.cutoffs += 1
    looks = first_sight(game, s, tally)
    for _ in range(width):
        i = best_look(looks)
        looks[i] = -inf
        best = max(best, sign * value(game, game.result(s, nth(game.actions(s), i)), width, depth, tally))
    return sign * best


def first_sight(game: Any, s: Any, tally: Any) -> Any:
    """What each action of `s` seems to be worth to whoever moves, without looking further."""
    looks = np.empty(count(game.actions(s)), np.float64)
    sign = 1.0 if game.player(s) == 0 else -1.0
    for i, a in enumerate(game.actions(s)):
        after = game.result(s, a)
        looks[i] = sign * glance(game, after, tally)
    return looks


def glance(game: Any, s: Any, tally: Any) -> float:
    """What is known of `s`, or thought of it, without looking ahead."""
    if game.is_terminal(s):
        return float(sane_utility(game, s, 0, tally))
    if game.knows.solved:
        v, plies = game.solved(s)
        if plies >= 0:
            return float(v)
    return float(sane_estimate(game, s, 0, tally))


def best_look(looks: Any) -> int:
    """The number of the largest, the first of equals."""
    best = 0
    for i in range(1, len(looks)):
        if looks[i] > looks[best]:
            best = i
    return best


class SelectiveRoot(OpponentsRoot, PlainRoot):
    """A position of which the `most` best moves are followed, and those in `also`, however bad they look.

    Below it the `width` best are.
    """

    def __init__(self, game: Game, s: Any, tally: Any, width: int, most: int, also: frozenset[int]) -> None:
        super().__init__(game, s, tally)
        self.width, self.most, self.also = width, most, also

    def followed(self, p: int, depth: int) -> Sequence[int]:
        if p == CHANCE or depth == 0 or len(self.actions) <= self.most:
            return self.actions
        tally, sign = self.tally, 1.0 if p == 0 else -1.0
        counted = int(tally.nodes), int(tally.cutoffs), int(tally.unused)
        best = sorted(self.actions, key=lambda a: -sign * self._value(self.game.result(self.s, a), 0))
        chosen = [a for i, a in enumerate(best) if i < self.most or a in self.also]
        left_out = len(best) - len(chosen)
        tally.nodes, tally.cutoffs, tally.unused = counted[0] + left_out, counted[1] + (left_out > 0), counted[2]
        return chosen

    def _value(self, t: Any, depth: int) -> float:
        return float(value(self.game, t, self.width, depth, self.tally))

    def child(self, t: Any, depth: int, p: int, best: ActionValue | None) -> tuple[Vector, bool]:
        return for_each_player(self.game, self._value(t, depth)), True

    def keeps(self, t: Any, depth: int, values: Vector) -> bool:
        return self._value(t, depth) == values[0]
