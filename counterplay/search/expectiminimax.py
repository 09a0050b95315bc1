"""Expectiminimax: minimax with chance nodes, pruned by bounds.

Alpha-beta cuts at MAX and MIN. Chance nodes can be cut as well (Ballard 1983, "The *-minimax search procedure for
trees containing chance nodes"): outcomes that were not looked at yet lie in the game's `utility_range`, and that may
be enough to know that the mean lies outside the window.

    none        every line is followed, as by minimax
    alphabeta   cuts at MAX and MIN only: below a chance node the window is open again
    star1       a chance node gives each outcome a window, and ends when the mean must lie outside its own
    star2       the same after a probe of one reply to each outcome, which narrows the outcome's bounds
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from counterplay.game import CHANCE, Game, UserError
from counterplay.native import native
from counterplay.primitives import count, nth
from counterplay.search.limits import Limits, deeper
from counterplay.search.minimax import value as plain_value
from counterplay.search.result import ActionValue, Result
from counterplay.search.run import Iteration, Progress, deepen, follow, new_tally
from counterplay.search.suited import for_each_player, must_be_opponents

__all__ = ["PRUNING", "expectiminimax"]

PRUNING = ("none", "alphabeta", "star1", "star2")
"""How much may be pruned."""

NONE, ALPHABETA, STAR1, STAR2 = range(4)

UNTRIED = (-1, 0.0)
"""No action was tried before."""


@native
def value(game, s, tried, alpha, beta, depth, tally, prune):  # type: ignore[no-untyped-def]
    """What `s` is worth to MAX, `depth` plies ahead, if that is between `alpha` and `beta`.

    If it is not, a bound that shows it: a number from the value up to `alpha`, or from `beta` up to the value.
    `tried` is the number and the value of an action that a probe has looked at before, or UNTRIED.
    """
    known, v = tried
    if known < 0:
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

    # MAX and MIN: alpha-beta.
    if p == 0:
        v = v if known >= 0 else -inf
        for i, a in enumerate(game.actions(s)):
            if v >= beta:
                break
            if i != known:
                v = max(v, value(game, game.result(s, a), UNTRIED, max(alpha, v), beta, depth, tally, prune))
        return v
    if not game.chance or p != CHANCE:
        v = v if known >= 0 else inf
        for i, a in enumerate(game.actions(s)):
            if v <= alpha:
                break
            if i != known:
                v = min(v, value(game, game.result(s, a), UNTRIED, alpha, min(beta, v), depth, tally, prune))
        return v

    # CHANCE: the mean.
    v = 0.0
    if prune == ALPHABETA:
        for a in game.actions(s):
            v += game.probability(s, a) * value(game, game.result(s, a), UNTRIED, -inf, inf, depth, tally, prune)
        return v

    # Star1. An outcome worth `least` or less keeps the mean at alpha or below, though all that follow be the best;
    # one worth `most` or more keeps it at beta or above, though they be the worst.
    worst, best = game.utility_range
    alpha, beta = alpha - hair(game), beta + hair(game)
    if prune == STAR1 or depth == 0:
        rest = 1.0
        for a in game.actions(s):
            p = game.probability(s, a)
            rest -= p
            least, most = (alpha - v - rest * best) / p, (beta - v - rest * worst) / p
            u = value(game, game.result(s, a), UNTRIED, max(least, worst), min(most, best), depth, tally, prune)
            v += p * u
            if u <= least:
                return v + rest * best
            if u >= most:
                return v + rest * worst
        return v

    # Star2, the probes. What one reply brings, MAX gets at least and MIN gives at most. If that does not end it, it
    # is the exact value of the reply.
    n = count(game.actions(s))
    at_least, at_most = np.full(n, float(worst)), np.full(n, float(best))
    low, high = float(worst), float(best)  # the bounds of the mean
    for i, a in enumerate(game.actions(s)):
        p, outcome = game.probability(s, a), game.result(s, a)
        low, high = low - p * at_least[i], high - p * at_most[i]  # of all but this outcome
        least, most = (alpha - high) / p, (beta - low) / p
        if game.is_terminal(outcome):
            at_least[i] = at_most[i] = value(game, outcome, UNTRIED, worst, best, depth, tally, prune)
        elif game.player(outcome) != CHANCE:
            tally.nodes += 1
            reply = game.result(outcome, nth(game.actions(outcome), promising(game, outcome)))
            below = deeper(game, outcome, depth)
            if game.player(outcome) == 0:
                at_least[i] = value(game, reply, UNTRIED, worst, min(most, best), below, tally, prune)
            else:
                at_most[i] = value(game, reply, UNTRIED, max(least, worst), best, below, tally, prune)
        low, high = low + p * at_least[i], high + p * at_most[i]
        if at_most[i] <= least:
            return high
        if at_least[i] >= most:
            return low

    # Star2, the search: as Star1 with the narrower bounds, and without the replies that are known.
    for i, a in enumerate(game.actions(s)):
        p, outcome = game.probability(s, a), game.result(s, a)
        low, high = low - p * at_least[i], high - p * at_most[i]
        least, most = (alpha - high) / p, (beta - low) / p
        u = at_least[i]
        if u < at_most[i]:
            reply = tried_reply(game, outcome, at_least[i], at_most[i])
            u = value(game, outcome, reply, max(least, at_least[i]), min(most, at_most[i]), depth, tally, prune)
        v, low, high = v + p * u, low + p * u, high + p * u
        if u <= least:
            return high
        if u >= most:
            return low
    return v


def promising(game: Any, s: Any) -> int:
    """The number of the action with the largest priority."""
    chosen, largest = 0, -inf
    if game.knows.priority:
        for i, a in enumerate(game.actions(s)):
            if game.priority(s, a) > largest:
                chosen, largest = i, game.priority(s, a)
    return chosen


def tried_reply(game: Any, s: Any, at_least: float, at_most: float) -> tuple[int, float]:
    """The number of the action that a probe of `s` looked at, and what it found."""
    if game.player(s) == CHANCE:
        return UNTRIED
    return promising(game, s), at_least if game.player(s) == 0 else at_most


def hair(game: Any) -> float:
    """How much wider than need be the windows of chance nodes are, so that rounding never decides about a cut."""
    worst, best = game.utility_range
    return 1e-9 * float(max(abs(worst), abs(best)))


def expectiminimax(
    game: Game,
    s: Any = None,
    depth: int | None = None,
    *,
    rounds: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    prune: str = "star2",
    progress: Progress | None = None,
) -> Result:
    """The value of `s` (default: the initial state) for two opponents and chance, as minimax finds it.

    Whatever `prune` is, the value is minimax's but for rounding: within 1e-9 of the largest utility, and the same to
    the last bit where nothing was cut. For this `evaluate` must lie in `utility_range` and probabilities must add up
    to 1. The best action is exact; others are exact or bounds, which are never better than the best found before.
    Limits are as for minimax.
    """
    must_be_opponents(game, "expectiminimax")
    if prune not in PRUNING:
        raise UserError(f"prune is one of {', '.join(PRUNING)}, not {prune!r}")
    s = game.initial() if s is None else s
    level = PRUNING.index(prune)
    _value(game, s, -inf, inf, 0, new_tally(), level)  # compiles, outside the clock

    def look(steps: int, tally: Any) -> Iteration:
        return _decide(game, s, steps, tally, level)

    limits = Limits(depth, rounds, nodes, seconds)
    return deepen(game, s, "expectiminimax", limits, look, progress, settings={"prune": prune})


def _value(game: Game, s: Any, alpha: float, beta: float, depth: int, tally: Any, prune: int) -> float:
    if prune == NONE:
        return float(plain_value(game, s, depth, tally))
    return float(value(game, s, UNTRIED, alpha, beta, depth, tally, prune))


def _decide(game: Game, s: Any, depth: int, tally: Any, prune: int) -> Iteration:
    """The value, every root action's value or bound, and the principal line."""
    if game.is_terminal(s):
        return Iteration(for_each_player(game, _value(game, s, -inf, inf, depth, tally, prune)), (), ())
    tally.nodes += 1
    p, depth = game.player(s), deeper(game, s, depth)
    alpha, beta = -inf, inf
    found: dict[int, ActionValue] = {}
    for a in map(int, game.actions(s)):
        v = _value(game, game.result(s, a), alpha, beta, depth, tally, prune)
        if tally.stop:
            tally.cutoffs += 1  # so that an unfinished search is not called exact
            break
        found[a] = ActionValue(a, v, prune == NONE or alpha < v < beta, for_each_player(game, v))
        if p == 0:
            alpha = max(alpha, v)
        elif p != CHANCE:
            beta = min(beta, v)
    unknown = game.utility_range[1 if p == 0 else 0]
    unseen = (ActionValue(int(a), unknown, False, for_each_player(game, unknown)) for a in game.actions(s))
    actions = tuple(found.get(each.action, each) for each in unseen)
    if not found or (p == CHANCE and tally.stop):
        v = float(game.evaluate(s, 0))
        return Iteration(for_each_player(game, v), actions, () if p == CHANCE else (actions[0].action,))
    if p == CHANCE:
        v = sum(game.probability(s, a) * each.value for a, each in found.items())
        return Iteration(for_each_player(game, v), actions, ())
    best = (max if p == 0 else min)(found.values(), key=lambda each: each.value)  # the first one, which is exact
    low, high = best.value - hair(game), best.value + hair(game)
    t = game.result(s, best.action)
    line = follow(game, t, depth, tally, lambda t, left: low < _value(game, t, low, high, left, tally, prune) < high)
    return Iteration(best.values, actions, (best.action, *line))
