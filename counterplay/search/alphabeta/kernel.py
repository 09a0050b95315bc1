"""Alpha-beta: minimax that does not look where nothing can change the decision, with a modern engine's refinements.

Every refinement can be switched off by name; with all of them off this is the textbook's alpha-beta search (Russell &
Norvig, figure 5.7), node for node. `docs/search.md` goes from the one to the other in steps.

    alpha    what MAX is sure of on the path to the root
    beta     what MIN is sure of
    p        the player to move; `sign` turns values for MAX into values for p and back
    w        the thread's workspace: counters, move lists, killers, history, and the principal variation, `w.line`

The value returned is exact if it lies between alpha and beta, at most the true one if it is beta or more, at least
the true one if it is alpha or less (fail-soft).
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from counterplay.native import native
from counterplay.search.alphabeta.workspace import (
    PLIES,
    order_moves,
    reward,
    show_busy,
    take_free,
    take_next,
)
from counterplay.search.limits import deeper
from counterplay.search.repetition import comes_again, draw_value
from counterplay.search.table import (
    NO_ACTION,
    UNPROVEN,
    Entry,
    answers,
    bound_of,
    find,
    keep,
    table_key,
)
from counterplay.search.values import sane_estimate, sane_utility

__all__ = ["quiet_value", "value", "worth"]


@native
def value(game, s, alpha, beta, depth, ply, w) -> float:  # type: ignore[no-untyped-def]
    """What `s` is worth to MAX, `depth` plies ahead.

    Leaves in `w.within` in how many plies that comes about, whatever the other side does; or UNPROVEN, if an estimate
    had a part in it.
    """
    # 1. The end of the game, or what a table knows of it.
    w.nodes += 1
    w.unused = min(w.unused, depth)
    w.length[ply] = 0
    w.within = 0
    if game.is_terminal(s):
        return sane_utility(game, s, 0, w)
    if w.nodes >= w.most_nodes:
        w.stop = 1
    if game.knows.solved and not w.is_strict:  # strict: tables do not say by which moves
        v, w.within = game.solved(s)
        if w.within >= 0:
            return float(v)

    # 2. The end of the search.
    if depth == 0 or ply == PLIES - 1 or w.stop:
        if game.knows.is_noisy and w.use_quiescence and ply < PLIES - 1 and not w.stop:
            return quiet_value(game, s, alpha, beta, ply, w)  # type: ignore[no-any-return]
        w.within = UNPROVEN
        w.cutoffs += 1
        return w.unknown if w.is_strict else sane_estimate(game, s, 0, w)

    # 3. A position that comes again.
    if game.knows.reversible and w.use_repetition and comes_again(game, s, ply, w):
        w.within = UNPROVEN
        w.cutoffs += 1
        return draw_value(game)

    # 4. From here on everything is seen by the player to move, who wants more than `low` and gets no more than `high`.
    p = game.player(s)
    sign = 1.0 if p == 0 else -1.0
    low, high = (alpha, beta) if p == 0 else (-beta, -alpha)

    # 5. What the transposition table knows of this state, if it was seen equally deep or to the end.
    key, known, is_canonical = 0, NO_ACTION, True
    if w.use_table:
        key = table_key(game, s)
        is_canonical = not game.knows.canonical or key == game.key(s)
        entry = find(w.table_at, w.mask, key)
        if answers(entry, alpha, beta, depth) and not (w.is_strict and entry.within > depth):
            w.within = entry.within
            w.cutoffs += 1 if entry.within == UNPROVEN else 0
            w.unused = min(w.unused, max(0, depth - (entry.depth if entry.within == UNPROVEN else entry.within)))
            return entry.value
        if entry.bound != 0 and is_canonical:
            known = entry.action

    # 6. If even passing is too good, so is some move.
    after = deeper(game, s, depth)
    if game.knows.passed and w.use_null_move and depth > 3 and high < inf and sign * game.evaluate(s, 0) >= high:
        other = game.passed(s)
        if game.player(other) != p:
            below, above = (np.nextafter(high, -inf), high) if p == 0 else (-high, np.nextafter(-high, inf))
            v = sign * value(game, other, below, above, depth - 3, ply + 1, w)
            if v >= high and not w.stop:
                w.within = UNPROVEN
                return sign * v  # type: ignore[no-any-return]

    # 7. The moves, the most promising first.
    n = order_moves(game, s, p, depth, ply, known, False, w)
    is_shared = w.busy_at != 0 and depth > 3
    best, best_move = -inf, NO_ACTION
    within = 0
    for i in range(n):
        a = take_free(game, s, ply, i, n, w) if is_shared else take_next(ply, i, n, w)
        child = game.result(s, a)
        if is_shared:
            show_busy(table_key(game, child), True, w)
        is_open = True  # whether its value matters and is not known yet
        if i > 0 and w.use_scout and low > -inf:
            # 8. Scout: is it better than the best so far at all? Late moves are asked at a lesser depth first.
            just_above = np.nextafter(low, inf)
            below, above = (low, just_above) if p == 0 else (-just_above, -low)
            is_late = game.reduces_late and w.use_reductions and i > 3 and depth > 2
            if is_late and not (game.knows.is_noisy and game.is_noisy(s, a)):
                v = sign * value(game, child, below, above, after - 1, ply + 1, w)
                is_open = v > low
            if is_open:
                v = sign * value(game, child, below, above, after, ply + 1, w)
                is_open = low < v < high
        if is_open:
            # 9. Its value.
            below, above = (low, high) if p == 0 else (-high, -low)
            v = sign * value(game, child, below, above, after, ply + 1, w)
        if is_shared:
            show_busy(table_key(game, child), False, w)
        if w.stop:
            break
        if v > best:
            best, best_move = v, a
            low = max(low, v)
            w.line[ply, 0] = a
            w.length[ply] = w.length[ply + 1] + 1
            for j in range(w.length[ply + 1]):
                w.line[ply, j + 1] = w.line[ply + 1, j]
        # 10. Too good: the opponent will not let us get here.
        if v >= high:
            within = one_more(w.within)
            reward(p, a, depth, ply, w)
            break
        within = longer(within, one_more(w.within))

    w.within = UNPROVEN if w.stop else within
    if w.use_table and not w.stop:
        best_move = best_move if is_canonical else NO_ACTION
        bound = bound_of(sign * best, alpha, beta)
        keep(w.table_at, w.mask, w.age, key, Entry(sign * best, best_move, depth, within, bound))
    return sign * best


def one_more(within: int) -> int:
    """A proof for the state before: a ply longer."""
    return UNPROVEN if within == UNPROVEN else within + 1


def longer(one: int, other: int) -> int:
    """The longer of two proofs that are both needed."""
    return UNPROVEN if one == UNPROVEN or other == UNPROVEN else max(one, other)


@native
def quiet_value(game, s, alpha, beta, ply, w) -> float:  # type: ignore[no-untyped-def]
    """What `s` is worth when nothing is left to capture: the player to move may stand pat or make a noisy move."""
    w.cutoffs += 1
    w.within = UNPROVEN
    p = game.player(s)
    sign = 1.0 if p == 0 else -1.0
    low, high = (alpha, beta) if p == 0 else (-beta, -alpha)
    best = sign * sane_estimate(game, s, 0, w)
    if best >= high or ply == PLIES - 1 or w.stop:
        return sign * best
    low = max(low, best)
    n = order_moves(game, s, p, 0, ply, NO_ACTION, True, w)
    for i in range(n):
        a = take_next(ply, i, n, w)
        child = game.result(s, a)
        w.nodes += 1
        w.length[ply + 1] = 0
        if game.is_terminal(child):
            v = sign * sane_utility(game, child, 0, w)
        else:
            v, plies = game.solved(child) if game.knows.solved else (0.0, -1)
            v *= sign
            if plies < 0 or w.is_strict:
                below, above = (low, high) if p == 0 else (-high, -low)
                v = sign * quiet_value(game, child, below, above, ply + 1, w)
        best = max(best, v)
        low = max(low, v)
        if v >= high or w.stop:
            break
    w.within = UNPROVEN
    return sign * best


def worth(game: Any, s: Any, p: int, known: float, depth: int, w: Any) -> float:
    """What `s`, to which `p` has moved, is worth to MAX, for compiled callers, who have an engine's `memory`.

    `known` is what `p` has elsewhere, for MAX: how much worse than that `s` is need not be known.
    """
    low, high = (np.nextafter(known, -inf), inf) if p == 0 else (-inf, np.nextafter(known, inf))
    return float(value(game, s, low, high, depth, 1, w))
