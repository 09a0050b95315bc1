"""Continual re-solving: DeepStack's way to play, which holds no strategy for the whole game (Moravčík et al. 2017).

1. The trunk, the beginning of the game, is solved by CFR as if it ended at its leaves. What it is worth to come to a
   leaf with a hand depends on how likely both come there with which hands; who says that is asked at every iteration.
   `Nested` solves the subgames for it each time and forgets them; `leaf_network.py` learns to guess it.
2. Kept of that are two things: how likely the player himself comes to each leaf with each hand, and what the opponent
   was worth there with each of his.
3. When play comes to a leaf, its subgame is solved again, and only this one. So that the opponent gains nothing by it,
   he may decline to enter with a hand, and take what he was worth before (CFR-D; Burch, Johanson and Bowling 2014).

    player = Resolver(games.load("leduc_poker"))
    player.mix(view)                  {"call": 0.7, "raise": 0.3}, after some thought
    player.strategy()                 what he would do everywhere, to measure him
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import Game, UserError
from counterplay.core.views import View
from counterplay.native import native
from counterplay.solve.cfr import (
    ARRAYS,
    Work,
    add_up,
    behaviour,
    gains,
    learn,
    new_work,
    plan,
    weights_of,
)
from counterplay.solve.sequences import SequenceForm
from counterplay.solve.strategy import About, Mixed, Strategy
from counterplay.solve.subgames import Trunk, cut

__all__ = ["RESOLVING", "LeafValues", "Nested", "Resolver"]

RESOLVING = "resolving"
"""The name of the method."""
TRUNK_ITERATIONS, NESTED_ITERATIONS, SUBGAME_ITERATIONS = 1_000, 100, 1_000  # if nothing is said
METHOD = "dcfr"

LeafValues = Callable[[tuple[Any, Any]], tuple[Any, Any]]
"""By hand of all leaves: from how likely each player comes there by his own choices to what each gets, chance and the
other's choices multiplied in."""


# ---- kernels


@native
def solve_subgames(game, sides, work, values, me, promised, declined, weights):  # type: ignore[no-untyped-def]
    """Solve subgames: an iteration for each row of `weights`. `values` become what each hand of both is worth.

    The players come with hand h as likely as `work.x[p][1 + h]` says. If `me` is a player, the other comes with any,
    may decline for what is `promised` by hand, and learns when to; `declined` has his regrets, to enter and to decline.
    """
    plan(sides[0], work.now[0], work.x[0])
    plan(sides[1], work.now[1], work.x[1])
    all_weights = 0.0
    for t in range(len(weights)):
        w = weights[t]
        all_weights = all_weights * w[2] + w[3]
        for p in range(2):
            x, g = work.x[p], work.g[p]
            if p == me:
                add_up(work.total[p], x, w)
            gains(sides[p], work.x[1 - p], g)
            learn(sides[p], g, work.now[p], work.regret[p], w[0], w[1])
            add_up(values[p], g[1:], w)
            if me == 1 - p:
                enter(x[1:], g[1:], promised, declined, w)
            plan(sides[p], work.now[p], x)
    for p in range(2):
        for h in range(len(values[p])):
            values[p][h] /= all_weights
    return 0


def enter(x: Any, g: Any, promised: Any, declined: Any, weights: Any) -> None:
    """How likely the opponent enters with each hand, by regrets: where it gains `g`, and `promised` is offered."""
    for h in range(len(promised)):
        v = x[h] * g[h] + (1.0 - x[h]) * promised[h]
        enters, declines = declined[0, h], declined[1, h]
        enters = enters * weights[0 if enters > 0.0 else 1] + g[h] - v
        declines = declines * weights[0 if declines > 0.0 else 1] + promised[h] - v
        declined[0, h], declined[1, h] = enters, declines
        total = max(enters, 0.0) + max(declines, 0.0)
        x[h] = max(enters, 0.0) / total if total > 0.0 else 0.5


@native
def trunk_turn(game, side, work, p, into, leaf_values, weights):  # type: ignore[no-untyped-def]
    """Player `p`'s part of an iteration in the trunk, where coming to a leaf by sequence `into[h]` has a value."""
    add_up(work.total[p], work.x[p], weights)
    gains(side, work.x[1 - p], work.g[p])
    for h in range(len(into)):
        work.g[p][into[h]] += leaf_values[h]
    learn(side, work.g[p], work.now[p], work.regret[p], weights[0], weights[1])
    plan(side, work.now[p], work.x[p])
    return 0


@native
def plans(game, sides, strategies, x):  # type: ignore[no-untyped-def]
    """The realisation plans of strategies."""
    plan(sides[0], strategies[0], x[0])
    plan(sides[1], strategies[1], x[1])
    return 0


# ---- subgames


class Solved(NamedTuple):
    """What came out of subgames."""

    values: tuple[Any, Any]
    """By player and hand: what it is worth."""
    work: Work


def solve_from(
    form: SequenceForm, reach: tuple[Any, Any], iterations: int, me: int = -1, promised: Any = None
) -> Solved:
    """Solve subgames that the players come to as likely as `reach` says, by hand.

    If `me` is a player, the strategy is for him: the other comes with any hand, and may decline for what is `promised`.
    """
    work = new_work(form.sides)
    values = np.zeros(len(reach[0])), np.zeros(len(reach[1]))
    for p in (0, 1):
        work.x[p][1 : 1 + len(reach[p])] = reach[p] if me in (-1, p) else 0.5
    promised = np.zeros(0) if promised is None else promised
    declined = np.zeros((2, len(promised)))
    solve_subgames(ARRAYS, form.sides, work, values, me, promised, declined, weights_of(METHOD, iterations))
    return Solved(values, work)


class Nested:
    """Leaf values by solving all subgames, at every question anew."""

    def __init__(self, trunk: Trunk, iterations: int = NESTED_ITERATIONS) -> None:
        self._form, self.iterations = trunk.unfold(), iterations

    def __call__(self, reach: tuple[Any, Any]) -> tuple[Any, Any]:
        return solve_from(self._form, reach, self.iterations).values


# ---- the player


class Resolver(Mixed):
    """Who plays by continual re-solving. He thinks about the trunk first, and about a subgame when he comes to it."""

    def __init__(
        self,
        game: Game,
        iterations: int = TRUNK_ITERATIONS,
        *,
        trunk: Trunk | None = None,
        leaf_values: LeafValues | None = None,
        subgame_iterations: int = SUBGAME_ITERATIONS,
    ) -> None:
        """`trunk`: where the game is cut; `leaf_values`: who says what leaves are worth, `Nested` if nobody."""
        if min(iterations, subgame_iterations) < 1:
            raise UserError(f"there is 1 iteration or more, not {min(iterations, subgame_iterations)}")
        self.game, self.iterations, self.subgame_iterations = game, iterations, subgame_iterations
        self.trunk = cut(game) if trunk is None else trunk
        self._into = self.trunk.into(0), self.trunk.into(1)
        self._thought: tuple[int, int, Any] = -1, -1, None  # the last subgame, for whom, and his strategy
        self._solve_trunk(Nested(self.trunk) if leaf_values is None else leaf_values)

    def _solve_trunk(self, leaf_values: LeafValues) -> None:
        """CFR of the trunk. Kept are the average strategies, and what each hand was worth at the leaves."""
        sides, into, work = self.trunk.sides, self._into, new_work(self.trunk.sides)
        promised, all_weights = [np.zeros(len(into[0])), np.zeros(len(into[1]))], 0.0
        plans(ARRAYS, sides, work.now, work.x)
        for w in weights_of(METHOD, self.iterations):
            all_weights = all_weights * w[2] + w[3]
            for p in (0, 1):
                values = leaf_values((work.x[0][into[0]], work.x[1][into[1]]))[p] if self.trunk.leaves else promised[p]
                promised[p] = promised[p] * w[2] + w[3] * values
                trunk_turn(ARRAYS, sides[p], work, p, into[p], values, w)
        self._strategies = behaviour(sides[0], work.total[0]), behaviour(sides[1], work.total[1])
        self._promised = promised[0] / all_weights, promised[1] / all_weights
        plans(ARRAYS, sides, self._strategies, work.x)
        self._reach = work.x[0][into[0]], work.x[1][into[1]]

    def _solve_again(self, leaf: int, me: int) -> Any:
        """The strategy of player `me` in the subgame of a leaf, by sequence; thought of once in a hand."""
        if self._thought[:2] != (leaf, me):
            form = self.trunk.leaves[leaf].form
            reach, promised = (
                tuple(each[p][_hands(self.trunk, leaf, p)] for p in (0, 1)) for each in (self._reach, self._promised)
            )
            solved = solve_from(form, (reach[0], reach[1]), self.subgame_iterations, me, promised[1 - me])
            self._thought = leaf, me, behaviour(form.sides[me], solved.work.total[me])
        return self._thought[2]

    def chances_at(self, known: View) -> dict[int, float]:
        """How likely each action of a view is."""
        p, key = known.seat, known.key
        side, strategy = self.trunk.sides[p], self._strategies[p]
        found = np.flatnonzero(side.keys == key)
        for leaf in range(len(self.trunk.leaves)):
            if len(found) or not known.moves:
                break
            side = self.trunk.leaves[leaf].form.sides[p]
            found = np.flatnonzero(side.keys == key)
            if len(found):
                strategy = self._solve_again(leaf, p)
        if not len(found):
            return dict.fromkeys(known.moves.values(), 1.0 / len(known.moves)) if known.moves else {}
        a, b = side.first[found[0]], side.first[found[0] + 1]
        return dict(zip(side.actions[a:b].tolist(), strategy[a:b].tolist(), strict=True))

    def strategy(self) -> Strategy:
        """What he would do everywhere: to measure him. He does not need it to play."""
        parts = []
        for p in (0, 1):
            parts.append((self.trunk.sides[p], self._strategies[p]))
            for leaf in range(len(self.trunk.leaves)):
                parts.append((self.trunk.leaves[leaf].form.sides[p], self._solve_again(leaf, p)))
        sizes = np.concatenate([np.diff(side.first) for side, _ in parts])
        return Strategy(
            self.game,
            np.concatenate([side.keys for side, _ in parts]),
            np.append(0, np.cumsum(sizes)).astype(np.int64),
            np.concatenate([side.actions[side.first[0] :] for side, _ in parts]),
            np.concatenate([chances[side.first[0] :] for side, chances in parts]),
            About(RESOLVING, self.iterations),
        )


def _hands(trunk: Trunk, leaf: int, p: int) -> slice:
    """Where the hands of a leaf are among those of all."""
    before = sum(len(each.hands[p]) for each in trunk.leaves[:leaf])
    return slice(before, before + len(trunk.leaves[leaf].hands[p]))
