"""Alpha-beta to the end of the game: no estimate has a part in the value, so what it finds is proven.

Near the end of a game a search that knows where the end is does better than one that counts plies. Nothing depends on a
depth, so what was found of a state holds whenever it comes again. The last plies are most of the tree: there the order
of moves and the table cost more than they save, and a game may know a quicker way (`finish`).

    alpha, beta    what MAX and MIN are sure of on the path to the root
    low, high      the same for the player to move
    left           at most how many plies are left
    t              the tally: nodes, limits, stop
    w              the memory: moves of each ply, the table, numbers that say from how many plies on something pays
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from counterplay.core.primitives import list_actions, list_sound, load, store
from counterplay.native import native
from counterplay.search.exact.memory import BUSY, PLIES, SOUND, WIDTH
from counterplay.search.exact.table import NO_MOVE, Known, bounds_of, expect, note
from counterplay.search.table import table_key
from counterplay.search.values import sane_utility

__all__ = ["ask", "settle"]


@native
def settle(game, s, alpha, beta, ply, t, w) -> float:  # type: ignore[no-untyped-def]
    """What `s` is worth to MAX if both play on to the end; exact between alpha and beta, else a bound beyond them.

    If the tally says stop, what is returned means nothing.
    """
    # 1. The end of the game, or of the search.
    t.nodes += 1
    if game.is_terminal(s):
        w.deepest = max(w.deepest, ply)
        return sane_utility(game, s, 0, t)
    if t.nodes >= t.most_nodes:
        t.stop = 1
    if t.nodes >= w.most_nodes or ply >= PLIES - 1:
        w.stop = 1
    if t.stop or w.stop:
        return float(alpha)
    left = game.plies_left(s)
    if game.knows.finish and left <= game.finish_plies:
        w.deepest = max(w.deepest, ply + left)
        return float(game.finish(s, alpha, beta))

    # 2. The moves. Where all of them lose at once, so does the state. (Further down nobody can win at once: the move
    # before was a sound one.) Where there is only one, nothing need be kept of the state.
    p = game.player(s)
    key, is_kept = 0, left >= w.table_from
    if is_kept:
        key = table_key(game, s)
        expect(w, key)
    if game.knows.sound_actions and ply <= 1 and wins_at_once(game, s, p):
        return float(game.utility_range[1 - p])
    n = list_sound(game, s, w.moves[ply]) if game.knows.sound_actions else list_actions(game, s, w.moves[ply])
    if n == 0:
        return float(game.utility_range[p])
    if n > WIDTH:
        w.stop = 1
        return float(alpha)
    is_kept = is_kept and n > 1

    # 3. What can still be won.
    if game.knows.still_possible:
        least, most = game.still_possible(s)
        if least >= beta or least == most:
            return float(least)
        if most <= alpha:
            return float(most)
        if least > alpha:
            alpha = np.nextafter(least, -inf)
        if most < beta:
            beta = np.nextafter(most, inf)

    # 4. What is known of this state, and of those that its moves lead to.
    known, is_canonical = Known(-inf, inf, NO_MOVE), True
    if is_kept:
        is_canonical = not game.knows.canonical or key == game.key(s)
        known = bounds_of(w, key)
        if known.least >= beta or known.least == known.most:
            return float(known.least)
        if known.most <= alpha:
            return float(known.most)
    sign = 1.0 if p == 0 else -1.0
    low, high = (alpha, beta) if p == 0 else (-beta, -alpha)
    if n > 1 and rate_moves(game, s, p, low, high, left, ply, n, known.move if is_canonical else NO_MOVE, w):
        return float(w.cut)

    # 5. One after the other, the most promising first; after the first only whether it is better.
    first_low, best, best_number = low, -inf, NO_MOVE
    is_shared = w.busy_at != 0 and left >= w.share_from
    for i in range(n):
        a, number = take_move(ply, i, n, w)
        if is_shared:
            a, number = take_free(game, s, ply, i, n, a, number, w)
        child = game.result(s, a)
        if is_shared:
            child_key = table_key(game, child)
            store(w.busy_at, child_key & (BUSY - 1), child_key)
        is_open = True
        if i > 0:
            above = np.nextafter(low, inf)
            v = sign * settle(game, child, low if p == 0 else -above, above if p == 0 else -low, ply + 1, t, w)
            is_open = low < v < high
        if is_open:
            v = sign * settle(game, child, low if p == 0 else -high, high if p == 0 else -low, ply + 1, t, w)
        if is_shared:
            store(w.busy_at, table_key(game, child) & (BUSY - 1), 0)
        if t.stop or w.stop:
            return float(alpha)
        if v > best:
            best, best_number = v, number
            low = max(low, v)
            if v >= high:
                break

    # 6. What was found out.
    if is_kept:
        worst, top = (best if best > first_low else -inf), (best if best < high else inf)
        least, most = (worst, top) if p == 0 else (-top, -worst)
        number = best_number if is_canonical and best_number < NO_MOVE else NO_MOVE
        note(w, key, Known(max(least, known.least), min(most, known.most), number), left)
    return float(sign * best)


@native
def ask(game, s, alpha, beta, ply, t, w) -> float:  # type: ignore[no-untyped-def]
    """What Python calls, so that there is one piece of machine code: `settle`, or with SOUND for a ply `sound`."""
    if ply == SOUND:
        sound(game, s, 0, t, w)
        return 0.0
    return settle(game, s, alpha, beta, ply, t, w)  # type: ignore[no-any-return]


@native
def sound(game, s, ply, t, w) -> float:  # type: ignore[no-untyped-def]
    """Play on by the order of moves to the end, and from there back solve what is left, as long as that costs little.

    `w.cost` has the nodes for each ply, 0 where it was not tried. By how much it grows from ply to ply one can say what
    the whole would cost.
    """
    w.cost[ply] = 0
    if game.is_terminal(s) or ply >= PLIES - 2:
        return 0.0
    n = list_actions(game, s, w.moves[ply])
    if n > WIDTH:
        w.stop = 1
        return 0.0
    rate_moves(game, s, game.player(s), -inf, inf, game.plies_left(s), ply, n, NO_MOVE, w)
    a, _ = take_move(ply, 0, n, w)
    sound(game, game.result(s, a), ply + 1, t, w)
    if not w.stop and not t.stop:
        before = t.nodes
        settle(game, s, game.utility_range[0], game.utility_range[1], ply * 0 + 1, t, w)
        w.cost[ply] = t.nodes - before
        if w.cost[ply] > w.most_cost:
            w.stop = 1
    return 0.0


def wins_at_once(game: Any, s: Any, p: int) -> bool:
    """Whether some move ends the game with the most there is for `p`."""
    for a in game.actions(s):
        child = game.result(s, a)
        if game.is_terminal(child) and game.utility(child, p) >= game.utility_range[1]:
            return True
    return False


def take_free(game: Any, s: Any, ply: int, i: int, n: int, a: int, number: int, w: Any) -> tuple[int, int]:
    """The next move, but last those that another thread is looking at, as alpha-beta does it."""
    while i > 0 and w.scores[ply, i] > -inf:
        key = table_key(game, game.result(s, a))
        if load(w.busy_at, key & (BUSY - 1)) != key:
            break
        w.scores[ply, i] = -inf
        a, number = take_move(ply, i, n, w)
    return a, number


def rate_moves(
    game: Any, s: Any, p: int, low: float, high: float, left: int, ply: int, n: int, known: int, w: Any
) -> bool:
    """Give each move a score, larger to be looked at earlier; or find in the table that one of them is good enough."""
    is_far, is_probed = left >= w.order_from, left >= w.probe_from
    for i in range(n):
        a = int(w.moves[ply, i])
        if is_probed:
            w.keys[ply, i] = table_key(game, game.result(s, a))
            expect(w, w.keys[ply, i])
        w.numbers[ply, i] = i
        score = 0.0
        if game.knows.glance:
            score = float(game.glance(s, a))
        elif game.knows.priority:
            score = game.priority(s, a)
        if is_far and (game.knows.glance or not game.knows.priority):
            child = game.result(s, a)
            score -= 16.0 * game.count_actions(child)
            if game.knows.evaluate and left >= w.estimate_from:
                score += w.estimate_weight * game.evaluate(child, p)
        if i == known:
            score = inf
        w.scores[ply, i] = score
    if is_probed:
        for i in range(n):
            there = bounds_of(w, w.keys[ply, i])
            if (there.least >= high) if p == 0 else (-there.most >= high):
                w.cut = there.least if p == 0 else there.most
                return True
    return False


def take_move(ply: int, i: int, n: int, w: Any) -> tuple[int, int]:
    """Move number `i` by its score, and its number in the game's order."""
    best = i
    for j in range(i + 1, n):
        if w.scores[ply, j] > w.scores[ply, best]:
            best = j
    a, number, score = w.moves[ply, best], w.numbers[ply, best], w.scores[ply, best]
    w.moves[ply, best], w.numbers[ply, best] = w.moves[ply, i], w.numbers[ply, i]
    w.scores[ply, best] = w.scores[ply, i]
    w.moves[ply, i], w.numbers[ply, i], w.scores[ply, i] = a, number, score
    return int(a), int(number)
