"""The search of one move while `zero` learns: what is done at its root, and what is to be learned from it.

The search is that of `mcts`; here is what leads it at the root, each with the paper it comes from:

    noise            a share of noise in the priors, so that every move has a chance (Silver et al. 2017)
    Gumbel           some moves are drawn by their priors and share the simulations; the worse half is dropped again
                     and again (Danihelka et al., Policy improvement by planning with Gumbel, 2022)
    forced playouts  a move that was tried is tried often enough to be judged; what was forced is not learned
                     (Wu, Accelerating self-play learning in Go, 2019)

A move is forced by a prior that outweighs everything for as long as it is: the search itself knows nothing of it. What
is kept of each child of the root besides what the search keeps:

    guess    its prior, with noise      hint    its Gumbel score: prior and luck; -inf when it was dropped

Afterwards `prior` has the share of each move, which is what the network learns and what moves are drawn by.
"""

from __future__ import annotations

from math import exp, inf, log, sqrt
from typing import Any

from counterplay.core.randomness import unit
from counterplay.native import native
from counterplay.search.mcts.nodes import clear, link_of, unpack, visits_of
from counterplay.search.mcts.uct import simulate
from counterplay.search.mcts.variations import get, highest, is_proven, mean_for, put

__all__ = ["KEPT", "pick", "ponder"]

KEPT = ("hint", "guess")
"""Sections of the tree that are used at the root."""
FORCE = 1e15
"""A prior that outweighs all."""
GUMBEL_VISITS = 50.0
"""How many visits more a value counts than the most visited move has; c_visit of Danihelka et al."""
SURE = 1e-9


@native
def ponder(game, s, w, x, sections, simulations, is_full, settings):  # type: ignore[no-untyped-def]
    """Search `s` anew, led at the root if `is_full`; the share of each move is left as its prior."""
    clear(game, w, sections)
    w.solved = 0
    if x.use_solver:
        put(x.low, 0, float(game.utility_range[0]))
        put(x.high, 0, highest(game))
    end = w.simulations + simulations
    is_led = is_full and (settings.noise > 0.0 or settings.gumbel > 0 or settings.forced > 0.0)
    if is_led:
        w.most_simulations = min(w.simulations + 2, end)  # the second visit makes the children
        simulate(game, s, w, x)
        lead(game, s, end, w, x, settings)
    w.most_simulations = end
    if not w.solved:
        simulate(game, s, w, x)
    if x.use_solver and is_proven(0, x):
        share_proven(game, w, x)
    elif is_led and settings.gumbel > 0:
        share_gumbel(game, w, x, settings.gumbel_scale)
    else:
        share_visits(game, w, x, settings.forced if is_led else 0.0)
    return w.simulations


@native
def lead(game, s, end, w, x, settings):  # type: ignore[no-untyped-def]
    """Let the moves at the root have the simulations that they should."""
    first, _, count = unpack(link_of(0, w))
    if settings.gumbel > 0:
        for child in range(first, first + count):
            prior = max(get(x.prior, child), SURE)
            put(x.guess, child, prior)
            put(x.hint, child, log(prior) - log(-log(max(unit(w), SURE))))
        halve(game, s, end, w, x, settings.gumbel, settings.gumbel_scale)
        return 0
    if settings.noise > 0.0:
        add_noise(w, x, settings.noise)
    for child in range(first, first + count):
        put(x.guess, child, get(x.prior, child))
    while settings.forced > 0.0 and w.simulations < end and not w.solved and not w.stop:
        wanted = -1
        for child in range(first, first + count):
            n = visits_of(game, child, w)
            if wanted < 0 and 0 < n < forced_visits(game, child, w, x, settings.forced):
                wanted = child
        visit(game, s, wanted, 1, end, w, x)
    return 0


def visit(game: Any, s: Any, child: int, times: int, end: int, w: Any, x: Any) -> None:
    """Simulations through one child of the root, or through any if it is -1."""
    w.most_simulations = min(w.simulations + times, end)
    if child >= 0:
        put(x.prior, child, FORCE)
    simulate(game, s, w, x)
    if child >= 0:
        put(x.prior, child, get(x.guess, child))


def add_noise(w: Any, x: Any, noise: float) -> None:
    """Mix noise into the priors at the root: each move a number of the exponential distribution, their sum 1."""
    first, _, count = unpack(link_of(0, w))
    total, counter = 0.0, w.counter
    for _ in range(count):
        total -= log(1.0 - unit(w))
    w.counter = counter  # and the same numbers again
    for child in range(first, first + count):
        part = -log(1.0 - unit(w)) / total
        put(x.prior, child, (1.0 - noise) * get(x.prior, child) + noise * part)


# ---- Gumbel


def halve(game: Any, s: Any, end: int, w: Any, x: Any, considered: int, scale: float) -> None:
    """Sequential halving: the moves that are left share the simulations of a phase, then the worse half is dropped."""
    first, _, count = unpack(link_of(0, w))
    left = count
    while left > considered:
        drop(game, w, x, 0.0)
        left -= 1
    phases, after = 1, left
    while after > 2:
        phases, after = phases + 1, (after + 1) // 2
    budget = end - w.simulations
    while w.simulations < end and not w.solved and not w.stop:
        each = max(budget // (phases * left), 1)
        for child in range(first, first + count):
            if get(x.hint, child) > -inf and w.simulations < end and not w.solved:
                visit(game, s, child, each, end, w, x)
        if w.simulations < end:
            keep = (left + 1) // 2
            while left > keep:
                drop(game, w, x, scale)
                left -= 1


def drop(game: Any, w: Any, x: Any, scale: float) -> None:
    """Leave out the worst of the moves that are left."""
    first, _, count = unpack(link_of(0, w))
    worst, least = first, inf
    for child in range(first, first + count):
        if get(x.hint, child) > -inf:
            score = get(x.hint, child) + (worth_of(game, child, w, scale) if scale > 0.0 else 0.0)
            if score < least:
                worst, least = child, score
    put(x.hint, worst, -inf)


def worth_of(game: Any, child: int, w: Any, scale: float) -> float:
    """How much the value of a move counts beside the logarithm of its prior; one never tried as the root itself."""
    first, p, count = unpack(link_of(0, w))
    most = 0
    for each in range(first, first + count):
        most = max(most, visits_of(game, each, w))
    low, high = game.utility_range
    mean = mean_for(game, child if visits_of(game, child, w) > 0 else 0, p, w)
    return float((GUMBEL_VISITS + most) * scale * (mean - low) / (high - low))


def share_gumbel(game: Any, w: Any, x: Any, scale: float) -> None:
    """The priors, bettered by what the search found: the completed policy of Danihelka et al.

    The move that has won is marked by what it has in `hint`, for `pick`.
    """
    first, _, count = unpack(link_of(0, w))
    most = -inf
    for child in range(first, first + count):
        worth = worth_of(game, child, w, scale)
        if get(x.hint, child) > -inf:
            put(x.hint, child, get(x.hint, child) + worth)
        put(x.prior, child, log(max(get(x.guess, child), SURE)) + worth)
        most = max(most, get(x.prior, child))
    total = 0.0
    for child in range(first, first + count):
        total += exp(get(x.prior, child) - most)
    for child in range(first, first + count):
        put(x.prior, child, exp(get(x.prior, child) - most) / total)


# ---- what is learned


def share_proven(game: Any, w: Any, x: Any) -> None:
    """Where the root is proven, only moves that keep what it is worth have a share, by their visits."""
    first, _, count = unpack(link_of(0, w))
    total = 0
    for child in range(first, first + count):
        if is_as_good(child, x):
            total += 1 + visits_of(game, child, w)
    for child in range(first, first + count):
        put(x.prior, child, (1 + visits_of(game, child, w)) / max(total, 1) if is_as_good(child, x) else 0.0)


def is_as_good(child: int, x: Any) -> bool:
    """Whether a child of a proven root keeps what that is worth, for sure."""
    return is_proven(child, x) and get(x.low, child) == get(x.low, 0)


def share_visits(game: Any, w: Any, x: Any, forced: float) -> None:
    """The share of the visits of each move, less those that were forced."""
    first, p, count = unpack(link_of(0, w))
    best, most = first, -1
    for child in range(first, first + count):
        if visits_of(game, child, w) > most:
            best, most = child, visits_of(game, child, w)
    total = 0.0
    for child in range(first, first + count):
        n = float(visits_of(game, child, w))
        if forced > 0.0 and child != best and n > 0.0:
            n = pruned(game, child, best, p, w, x, forced)
        put(x.prior, child, n)
        total += n
    for child in range(first, first + count):
        put(x.prior, child, get(x.prior, child) / max(total, 1.0))


def forced_visits(game: Any, child: int, w: Any, x: Any, forced: float) -> float:
    """The visits that a move should have, by its prior and all visits."""
    return sqrt(forced * get(x.guess, child) * visits_of(game, 0, w))


def pruned(game: Any, child: int, best: int, p: int, w: Any, x: Any, forced: float) -> float:
    """The visits of a move without those that it was given only because they were forced (policy target pruning).

    As many are taken away as were forced, while it would still look worse than the best; a single one says nothing.
    """
    spread = x.puct * sqrt(visits_of(game, 0, w))
    bound = mean_for(game, best, p, w) + spread * get(x.guess, best) / (1 + visits_of(game, best, w))
    n, mean = visits_of(game, child, w), mean_for(game, child, p, w)
    least = n - forced_visits(game, child, w, x, forced)
    while n > 0 and n - 1 >= least and mean + spread * get(x.guess, child) / n < bound:
        n -= 1
    return float(n) if n > 1 else 0.0


def pick(game: Any, w: Any, x: Any, is_drawn: bool, is_gumbel: bool) -> int:
    """The child of the root that is played: of the largest share, or by chance by the shares; or Gumbel's winner."""
    first, _, count = unpack(link_of(0, w))
    best, most, rest = first, -inf, unit(w)
    by_hint = is_gumbel and not (x.use_solver and is_proven(0, x))
    for child in range(first, first + count):
        score = get(x.hint, child) if by_hint else get(x.prior, child)
        if score > most:
            best, most = child, score
    if is_drawn and not by_hint:
        for child in range(first, first + count):
            rest -= get(x.prior, child)
            if rest < 0.0:
                return child
    return best
