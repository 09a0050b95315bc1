"""Expectimax: best play against players who do not play best, but by a known policy.

This is the textbook's max node over chance nodes: one player maximises its own utility, and every other player moves
at random, by default with each action as likely as the other. Only the player's own utility decides, so the game may
have any number of players and utilities of any kind.

A policy is a function `policy(game, s, a)` that says how likely the player to move at `s` is to choose `a`, in
proportion to its other actions: probabilities, or any weights. It is compiled with the rules of the game.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import inf
from typing import Any

from counterplay.game import CHANCE, Game, UserError
from counterplay.native import native
from counterplay.primitives import replace
from counterplay.search.limits import Limits, deeper
from counterplay.search.result import ActionValue, Result
from counterplay.search.run import Iteration, Progress, deepen, new_tally
from counterplay.search.suited import must_be_open

__all__ = ["Weights", "expectimax", "uniform"]

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
        return utilities(game, s)
    if depth == 0 or tally.stop:
        tally.cutoffs += 1
        return estimates(game, s)
    if tally.nodes >= tally.most_nodes:
        tally.stop = 1
    p, depth = game.player(s), deeper(game, s, depth)
    v = game.zero_for_each
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


def utilities(game: Any, s: Any) -> Any:
    v = game.zero_for_each
    for p in range(game.players):
        v = replace(v, p, float(game.utility(s, p)))
    return v


def estimates(game: Any, s: Any) -> Any:
    v = game.zero_for_each
    for p in range(game.players):
        v = replace(v, p, float(game.evaluate(s, p)))
    return v


def weight(game: Any, s: Any, p: int, a: int) -> float:
    """How likely `p`, who is chance or an opponent, is to choose `a` at `s`."""
    if game.chance and p == CHANCE:
        return float(game.probability(s, a))
    w = float(game.opponents_policy(s, a))
    if not 0.0 <= w < inf:
        raise UserError("a policy must give every action a weight of 0 or more")
    return w


def plus(v: Any, w: float, u: Any) -> Any:
    """v + w u."""
    for i in range(len(v)):
        v = replace(v, i, v[i] + w * u[i])
    return v


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

    def opponents_policy(self: Any, s: Any, a: int) -> float:
        return policy(self, s, a)

    kind = type(game)
    members = {
        "__module__": kind.__module__,
        "opponents_policy": opponents_policy,
        "zero_for_each": (0.0,) * game.players,
    }
    changed: Game = type(kind.__name__, (kind,), members)(**game.settings)
    return changed


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
    must_be_open(game, "expectimax")
    if not 0 <= player < game.players:
        raise UserError(f"{game} has players 0 to {game.players - 1}, not {player}")
    s = game.initial() if s is None else s
    policy = policy or uniform
    changed = against(game, policy)
    values(changed, s, player, 0, new_tally())  # compiles, outside the clock

    def look(steps: int, tally: Any) -> Iteration:
        return _decide(changed, s, player, steps, tally)

    settings = {"player": player, "policy": getattr(policy, "__name__", type(policy).__name__)}
    return deepen(game, s, "expectimax", Limits(depth, rounds, nodes, seconds), look, progress, settings=settings)


def _decide(game: Any, s: Any, me: int, depth: int, tally: Any) -> Iteration:
    """The values, those of every root action, and the player's moves up to another's turn."""
    if game.is_terminal(s):
        return Iteration(values(game, s, me, depth, tally), (), ())
    tally.nodes += 1
    depth = deeper(game, s, depth)
    found: dict[int, tuple[float, ...]] = {}
    for a in map(int, game.actions(s)):
        u = values(game, game.result(s, a), me, depth, tally)
        if tally.stop:
            tally.cutoffs += 1  # so that an unfinished search is not called exact
            break
        found[a] = u
    unknown = (game.utility_range[1],) * game.players
    actions = tuple(_action_value(int(a), found.get(int(a)), unknown) for a in game.actions(s))
    p = game.player(s)
    if p == me:
        best = max(found, key=lambda a: found[a][me], default=actions[0].action)
        line = [] if tally.stop else _line(game, game.result(s, best), me, depth, found[best], tally)
        return Iteration(found.get(best, estimates(game, s)), actions, (best, *line))
    if tally.stop:
        return Iteration(estimates(game, s), actions, ())
    v, total = game.zero_for_each, 0.0
    for a, u in found.items():
        w = weight(game, s, p, a)
        v, total = plus(v, w, u), total + w
    return Iteration(mean(v, total, p), actions, ())


def _action_value(a: int, v: tuple[float, ...] | None, unknown: tuple[float, ...]) -> ActionValue:
    known = unknown if v is None else v
    return ActionValue(a, known[0], v is not None, known)


def _line(game: Any, s: Any, me: int, depth: int, v: tuple[float, ...], tally: Any) -> list[int]:
    """The player's best moves from `s`, whose values are `v`: at each step the first action that keeps its own.

    What is looked at again for this is not counted; a stop ends the line early.
    """
    line: list[int] = []
    counted = tally.nodes, tally.cutoffs, tally.unused, tally.most_nodes
    tally.most_nodes = new_tally().most_nodes
    while depth > 0 and not game.is_terminal(s) and game.player(s) == me:
        depth = deeper(game, s, depth)
        *others, best = (int(a) for a in game.actions(s))
        for a in others:  # if none of them keeps the value, the last one does
            if values(game, game.result(s, a), me, depth, tally)[me] == v[me]:
                best = a
                break
        if tally.stop:
            break
        line.append(best)
        s = game.result(s, best)
    tally.nodes, tally.cutoffs, tally.unused, tally.most_nodes = counted
    return line
