"""Expectiminimax: minimax with chance nodes, pruned by bounds.

Alpha-beta cuts at MAX and MIN. Chance nodes can be cut as well (Ballard 1983, "The *-minimax search procedure for
trees containing chance nodes"): the outcomes that were not looked at yet lie in the game's `utility_range`, and that
may be enough to know that the mean lies outside the window.

    none        every line is followed, as by minimax
    alphabeta   cuts at MAX and MIN only: below a chance node the window is open again
    star1       a chance node gives each outcome a window, and ends when the mean must lie outside its own
    star2       the same after a probe of one reply to each outcome, which narrows the outcome's bounds
"""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any

import numpy as np

from counterplay.game import CHANCE, Game, UserError
from counterplay.native import native
from counterplay.primitives import count, nth
from counterplay.search.limits import Limits, deeper
from counterplay.search.minimax import value as plain_value
from counterplay.search.result import ActionValue, Result
from counterplay.search.run import Iteration, Progress, deepen, new_tally
from counterplay.search.suited import for_each_player, must_be_opponents

__all__ = ["PRUNING", "expectiminimax"]

PRUNING = ("none", "alphabeta", "star1", "star2")
"""How much is pruned; a kernel is given the number."""

NONE, ALPHABETA, STAR1, STAR2 = range(4)


UNTRIED = (-1, 0.0)
"""No action's value is known."""


@native
def value(game, s, known, alpha, beta, depth, tally, prune):  # type: ignore[no-untyped-def]
    """What `s` is worth to MAX, `depth` plies ahead, if that is between `alpha` and `beta`.

    If it is not, a bound that shows it: a number from the value up to `alpha`, or from `beta` up to the value.
    `known` is the number of an action that was tried before, and its value.
    """
    tried, v = known
    if tried < 0:
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

    if p == 0:
        v = v if tried >= 0 else -inf
        for i, a in enumerate(game.actions(s)):
            if v >= beta:
                break
            if i != tried:
                v = max(v, value(game, game.result(s, a), UNTRIED, max(alpha, v), beta, depth, tally, prune))
        return v
    if not game.chance or p != CHANCE:
        v = v if tried >= 0 else inf
        for i, a in enumerate(game.actions(s)):
            if v <= alpha:
                break
            if i != tried:
                v = min(v, value(game, game.result(s, a), UNTRIED, alpha, min(beta, v), depth, tally, prune))
        return v

    v = 0.0
    if prune == ALPHABETA:
        for a in game.actions(s):
            v += game.probability(s, a) * value(game, game.result(s, a), UNTRIED, -inf, inf, depth, tally, prune)
        return v

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

    n = count(game.actions(s))
    at_least, at_most = np.full(n, float(worst)), np.full(n, float(best))
    replies = np.empty(n)
    low, high = float(worst), float(best)  # bounds of the mean
    for i, a in enumerate(game.actions(s)):
        p, outcome = game.probability(s, a), game.result(s, a)
        low, high = low - p * at_least[i], high - p * at_most[i]  # without this outcome
        least, most = (alpha - high) / p, (beta - low) / p
        if game.is_terminal(outcome):
            at_least[i] = at_most[i] = value(game, outcome, UNTRIED, worst, best, depth, tally, prune)
        elif game.player(outcome) != CHANCE:
            tally.nodes += 1
            below = deeper(game, outcome, depth)
            reply = game.result(outcome, nth(game.actions(outcome), promising(game, outcome)))
            u = value(game, reply, UNTRIED, max(least, worst), min(most, best), below, tally, prune)
            replies[i] = u
            if game.player(outcome) == 0 and u > least:
                at_least[i] = u
            elif game.player(outcome) != 0 and u < most:
                at_most[i] = u
        low, high = low + p * at_least[i], high + p * at_most[i]
        if at_most[i] <= least:
            return high
        if at_least[i] >= most:
            return low
    for i, a in enumerate(game.actions(s)):
        p, outcome = game.probability(s, a), game.result(s, a)
        low, high = low - p * at_least[i], high - p * at_most[i]
        least, most = (alpha - high) / p, (beta - low) / p
        if at_least[i] >= at_most[i]:
            u = at_least[i]
        else:
            if game.player(outcome) == CHANCE:
                known = UNTRIED
            else:
                known = (promising(game, outcome), replies[i])
            u = value(game, outcome, known, max(least, at_least[i]), min(most, at_most[i]), depth, tally, prune)
        v, low, high = v + p * u, low + p * u, high + p * u
        if u <= least:
            return high
        if u >= most:
            return low
    return v


def promising(game, s):  # type: ignore[no-untyped-def]
    """The number of the action with the largest priority."""
    chosen, largest = 0, -inf
    if game.knows.priority:
        for i, a in enumerate(game.actions(s)):
            if game.priority(s, a) > largest:
                chosen, largest = i, game.priority(s, a)
    return chosen


def hair(game):  # type: ignore[no-untyped-def]
    """How much wider than needed the windows at chance nodes are, so that rounding never decides about a cut."""
    worst, best = game.utility_range
    return 1e-9 * max(abs(worst), abs(best))
