"""Expectimax: best play against players who do not play best, but by a known policy.

This is the textbook's max node over chance nodes: one player maximises its own utility, and every other player moves
at random, by default with each action as likely as the other. Only the player's own utility decides, so the game may
have any number of players and utilities of any kind.

A policy is a function `policy(game, s, a)` that says how likely the player to move at `s` is to choose `a`, in
proportion to its other actions: probabilities, or any weights. It is compiled with the rules of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import inf
from typing import Any

from counterplay.core.game import CHANCE, Game, UserError
from counterplay.core.primitives import repeat, replace
from counterplay.native import native
from counterplay.search.deepening import PlainEngine
from counterplay.search.engine import Abilities, Request, of_position
from counterplay.search.limits import Limits, deeper
from counterplay.search.result import ActionValue, Result
from counterplay.search.root import PlainRoot, Vector
from counterplay.search.run import Progress
from counterplay.search.vectors import estimates, plus, utilities

__all__ = ["Expectimax", "Weights", "against", "expectimax", "uniform", "worth"]

Weights = Callable[[Any, Any, int], float]
"""A policy as a function of the game, the state and the action."""


def uniform(game: Any, s: Any, a: int) -> float:
    """The policy of a player to whom all actions are alike."""
    return 1.0


@native
def values(game, s, me, depth, tally):  # type: ignore[no-untyped-def]
    """What each player gets from `s`, `depth` plies ahead: the most for `me`, the mean at every other node."""
    tally.nodes += 1
    tally.unused = min(tally.unused, depth)
    if game.is_terminal(s):
        return utilities(game, s, tally)
    if depth == 0 or tally.stop:
        tally.cutoffs += 1
        return estimates(game, s, tally)
    if tally.nodes >= tally.most_nodes:
        tally.stop = 1
    p, depth = game.player(s), deeper(game, s, depth)
    v = repeat(0.0, game.players)
    if p == me:
        most = -inf
        for a in game.actions(s):
            u = values(game, game.result(s, a), me, depth, tally)
            if u[me] > most:
                most, v = u[me], u
        return v
    total = 0.0
    for a in game.actions(s):
        w = weight(game, s, p, a)
        if w > 0.0:
            total += w
            v = plus(v, w, values(game, game.result(s, a), me, depth, tally))
    return mean(v, total, p)


def weight(game: Any, s: Any, p: int, a: int) -> float:
    """How likely `p`, who is chance or an opponent, is to choose `a` at `s`."""
    if game.chance and p == CHANCE:
        return float(game.probability(s, a))
    w = float(game.opponents_policy(s, a))
    if not 0.0 <= w < inf:
        raise UserError("a policy must give every action a weight of 0 or more")
    return w


def mean(v: Any, total: float, p: int) -> Any:
    """The weighted sum `v` as a mean. Chance's weights are probabilities, with sum 1 already."""
    if p == CHANCE:
        return v
    if total == 0.0:
        raise UserError("a policy must give at least one action a weight above 0")
    for i in range(len(v)):
        v = replace(v, i, v[i] / total)
    return v


@lru_cache(maxsize=64)
def against(game: Game, policy: Weights) -> Game:
    """The same game with the policy as one more of its methods, so that it is compiled as a rule is."""
    return game.extended(opponents_policy=policy)


class _Root(PlainRoot):
    def __init__(self, game: Any, s: Any, tally: Any, me: int) -> None:
        super().__init__(game, s, tally)
        self.me = me

    def child(self, t: Any, depth: int, p: int, best: ActionValue | None) -> tuple[Vector, bool]:
        return values(self.game, t, self.me, depth, self.tally), True

    def keeps(self, t: Any, depth: int, values: Vector) -> bool:
        return bool(self.child(t, depth, self.me, None)[0][self.me] == values[self.me])

    def chooses(self, p: int) -> bool:
        return p == self.me

    def mean(self, found: Sequence[ActionValue]) -> Vector:
        game: Any = self.game
        p, v, total = game.player(self.s), repeat(0.0, game.players), 0.0
        for each in found:
            w = weight(game, self.s, p, each.action)
            v, total = plus(v, w, each.values), total + w
        return mean(v, total, p)  # type: ignore[no-any-return]


class Expectimax(PlainEngine):
    """Expectimax as an engine."""

    name = "expectimax"
    abilities = Abilities(every_value=True, many_players=True)

    def __init__(self, game: Game, *, policy: Weights | None = None, player: int = 0) -> None:
        super().__init__(game)
        if not 0 <= player < game.players:
            raise UserError(f"{game} has players 0 to {game.players - 1}, not {player}")
        self.policy, self.player = policy or uniform, player
        self._staged = against(game, self.policy)

    def _root(self, request: Request, tally: Any) -> _Root:
        return _Root(self._staged, request.state, tally, self.player)

    def _settings(self, request: Request) -> dict[str, Any]:
        return {"player": self.player, "policy": getattr(self.policy, "__name__", type(self.policy).__name__)}


def worth(game: Any, s: Any, me: int, depth: int, tally: Any) -> float:
    """What `s` is worth to `me`, for compiled callers, who have a game from `against` and a tally from `new_tally`."""
    return float(values(game, s, me, depth, tally)[me])


@of_position
def expectimax(
    game: Game,
    s: Any = None,
    depth: int | None = None,
    *,
    rounds: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    policy: Weights | None = None,
    player: int = 0,
    progress: Progress | None = None,
) -> Result:
    """The best that `player` can do on average from `s` (default: the initial state) if all others follow `policy`.

    `Result.values` has what each player gets then, so `values[player]` is what was maximised, and `value` is the
    first player's as always; equally good actions of `player` count as the first of them. There is an action if it is
    `player`'s turn, and the line ends before chance or another player moves. Limits are as for minimax.
    """
    engine = Expectimax(game, policy=policy, player=player)
    return engine.search(s, Limits(depth, rounds, nodes, seconds), progress=progress)
