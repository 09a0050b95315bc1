"""Minimax: the value of a game when everyone plays best, by looking at every line.

This is the textbook's function (Russell & Norvig, figure 5.3, with chance nodes as in 5.5). Every later search must
agree with it; none may look at more nodes.
"""

from __future__ import annotations

from math import inf
from typing import Any

from counterplay.game import CHANCE, Game
from counterplay.native import native
from counterplay.search.limits import Limits, deeper
from counterplay.search.result import ActionValue, Result
from counterplay.search.run import Iteration, Progress, deepen, follow, new_tally
from counterplay.search.suited import for_each_player, must_be_opponents

__all__ = ["minimax"]


@native
def value(game, s, depth, tally):  # type: ignore[no-untyped-def]
    """What `s` is worth to MAX, `depth` plies ahead: MAX takes the largest, MIN the smallest, CHANCE the mean."""
    tally.nodes += 1
    tally.unused = min(tally.unused, depth)
    if game.is_terminal(s):
        return game.utility(s, 0)
    if depth == 0 or tally.stop:
        tally.cutoffs += 1
        return game.evaluate(s, 0)
    if tally.nodes >= tally.most_nodes:
        tally.stop = 1
    p, depth = game.player(s), deeper(game, s, depth)
    if game.chance and p == CHANCE:
        v = 0.0
        for a in game.actions(s):
            v += game.probability(s, a) * value(game, game.result(s, a), depth, tally)
    elif p == 0:
        v = -inf
        for a in game.actions(s):
            v = max(v, value(game, game.result(s, a), depth, tally))
    else:
        v = inf
        for a in game.actions(s):
            v = min(v, value(game, game.result(s, a), depth, tally))
    return v


def minimax(
    game: Game,
    s: Any = None,
    depth: int | None = None,
    *,
    rounds: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> Result:
    """The minimax value of `s` (default: the initial state), exact, or as far as the limits allow.

    At the depth limit the game's `evaluate` stands for the value. With a limit of nodes or seconds the search goes a
    ply deeper each time until it is reached; ctrl-C ends it with what is known by then.
    """
    must_be_opponents(game, "minimax")
    s = game.initial() if s is None else s
    value(game, s, 0, new_tally())  # compiles, outside the clock
    limits = Limits(depth, rounds, nodes, seconds)
    return deepen(game, s, "minimax", limits, lambda steps, tally: _decide(game, s, steps, tally), progress)


def _decide(game: Game, s: Any, depth: int, tally: Any) -> Iteration:
    """The value, every root action's value, and the principal line."""
    if game.is_terminal(s):
        return Iteration(for_each_player(game, float(value(game, s, depth, tally))), (), ())
    tally.nodes += 1
    depth = deeper(game, s, depth)
    values: dict[int, float] = {}
    for a in game.actions(s):
        v = value(game, game.result(s, a), depth, tally)
        if tally.stop:
            tally.cutoffs += 1  # so that an unfinished search is not called exact
            break
        values[int(a)] = float(v)
    p = game.player(s)
    unknown = game.utility_range[1 if p == 0 else 0]
    actions = tuple(_action_value(game, int(a), values.get(int(a)), unknown) for a in game.actions(s))
    if p == CHANCE and not tally.stop:
        v = sum(game.probability(s, a) * v for a, v in values.items())
        return Iteration(for_each_player(game, v), actions, ())
    if not values or p == CHANCE:
        line = () if p == CHANCE else (actions[0].action,)
        return Iteration(for_each_player(game, float(game.evaluate(s, 0))), actions, line)
    best = (max if p == 0 else min)(values, key=values.__getitem__)
    v = values[best]
    rest = follow(game, game.result(s, best), depth, tally, lambda t, left: value(game, t, left, tally) == v)
    return Iteration(for_each_player(game, v), actions, (best, *rest))


def _action_value(game: Game, a: int, v: float | None, unknown: float) -> ActionValue:
    known = unknown if v is None else v
    return ActionValue(a, known, v is not None, for_each_player(game, known))
