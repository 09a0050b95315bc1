"""Monte Carlo tree search: averages of random games, with a tree that grows where they promise most.

A simulation has four steps (Kocsis & Szepesvári, Bandit based Monte-Carlo planning, 2006; Coulom 2006):

    1. selection     from the root, each player takes the child with the best upper confidence bound (UCB1),
                     mean + c * sqrt(log(parent's visits) / visits); CHANCE throws its dice
    2. expansion     a leaf that was visited before gets all its children, side by side
    3. simulation    a random game from there, or what `leaf.py` has instead
    4. backup        visits and sums of values, of every node on the way

The share of the best move grows towards 1, and so the mean at the root towards the minimax value; in games of several
players towards what each gets when each maximises its own.

    w    the thread's workspace, x the variations that are on, or None for plain search: then they cost nothing,
         because the compiler drops every branch on x

Threads that share a tree add up visits and sums in atomic steps, and count a visit on the way down, with a loss that is
taken back on the way up (virtual loss, Chaslot et al. 2008), so that they spread. One makes the children of a node, and
meanwhile it is a leaf for the others. Two things may be out of date, which is harmless: what a thread compares while
others add to it, and RAVE's sums, which may miss some.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

from counterplay.core.game import CHANCE
from counterplay.core.primitives import compare_swap, store
from counterplay.core.randomness import unit, word
from counterplay.native import native
from counterplay.search.mcts.leaf import foresee, weigh
from counterplay.search.mcts.nodes import (
    DEEPEST_NODE,
    MOST_CHILDREN,
    action_of,
    add,
    add_float,
    doubt_at,
    link_of,
    loss_for,
    pack,
    reserve,
    total_of,
    unpack,
    values_kept,
    visits_of,
)
from counterplay.search.mcts.variations import (
    clamped,
    error_of,
    furnish,
    is_ordered,
    is_proven,
    learn_from_all_moves,
    pick_by_all,
    put,
    refine_above,
    sort_by_prior,
)
from counterplay.search.repetition import comes_again, draw_value

__all__ = ["absorb", "gather", "simulate"]


# ---- a simulation


@native
def simulate(game, s, w, x):  # type: ignore[no-untyped-def]
    """Simulations from `s`, the root, until there were `w.most_simulations` or something else ends them."""
    while w.simulations < w.most_simulations and w.nodes < w.most_nodes and not w.stop:
        leaf = descend(game, s, w, x)
        if not w.drawn:
            weigh(game, leaf, w, x)
        backup(game, w, x)
        if x is not None and is_proven(0, x):
            w.solved = 1
            break
    return w.simulations


def descend(game: Any, s: Any, w: Any, x: Any) -> Any:
    """Go from the root to a leaf, whose state is returned; `w.walk` has the nodes on the way, `w.ply` their last."""
    node, ply = 0, 0
    w.drawn = 0
    w.walk[0], w.chooser[0] = 0, CHANCE
    if w.shared:
        add(w.stats, 0, 1, 1)
    while ply < DEEPEST_NODE:
        link = link_of(node, w)
        if link <= 0:
            if link < 0 or visits_of(game, node, w) == w.shared or game.is_terminal(s):
                break
            if x is not None and x.use_expand and ply > 0 and visits_of(game, node, w) - w.shared < x.expand - 1:
                break
            if game.knows.solved and ply > 0 and game.solved(s)[1] >= 0:
                break
            if x is not None and ply > 0 and is_proven(node, x):
                break
            if x is not None and x.use_outside:
                break
            link = expand(game, s, node, w, x)
            if link <= 0:
                break
        if x is not None and is_proven(node, x):
            break
        node = pick(game, s, node, link, w, x)
        s = game.result(s, action_of(node, w))
        ply += 1
        w.walk[ply] = node
        if w.shared:
            lose_for_now(game, node, ply, unpack(link).player, w)
        if game.knows.reversible and comes_again(game, s, game.key(s), ply, w):
            w.drawn = 1
            for k in range(values_kept(game)):
                w.value[k] = draw_value(game)
            break
    w.ply = ply
    w.nodes += ply
    w.deepest = max(w.deepest, ply)
    return s


def pick(game: Any, s: Any, node: int, link: int, w: Any, x: Any) -> int:
    """The child to go to: thrown by CHANCE; for a player one that was not tried, else the best by UCB1."""
    first, p, count = unpack(link)
    if game.chance and p == CHANCE:
        return first + thrown(game, s, w)
    if x is not None:
        return pick_by_all(game, node, link, w, x)
    if visits_of(game, first + count - 1, w) == 0:  # children are tried in order
        child = first
        while visits_of(game, child, w) != 0 and child < first + count - 1:
            child += 1
        return child
    spread = w.exploration * doubt_at(visits_of(game, node, w), w)
    best, best_score = first, -inf
    for child in range(first, first + count):
        inverse = 1.0 / visits_of(game, child, w)
        score = total_of(game, child, p, w) * inverse + spread * sqrt(inverse)
        if score > best_score:
            best, best_score = child, score
    return best


def thrown(game: Any, s: Any, w: Any) -> int:
    """The number of the action that CHANCE takes at `s`."""
    rest, i = unit(w), 0
    for a in game.actions(s):
        rest -= game.probability(s, a)
        if rest < 0.0:
            return i
        i += 1
    return i - 1


def expand(game: Any, s: Any, node: int, w: Any, x: Any) -> int:
    """Make the children of a node, in random order unless the order says something; its link, 0 if it stays a leaf."""
    if w.shared and not compare_swap(w.moves, 2 * node + 1, 0, -1):
        return 0
    count = int(game.count_actions(s))
    if count > MOST_CHILDREN:
        w.too_wide, w.stop = 1, 1
        return 0
    first = reserve(count, w)
    if first == 0:
        if w.shared:
            store(w.moves, 2 * node + 1, 0)
        return 0
    p = int(game.player(s))
    last = first
    for a in game.actions(s):
        at = last
        if not is_ordered(p, x):  # a random place among those before, whose action goes to the end
            at = first + (word(w) * (last - first + 1) >> 32)
            store(w.moves, 2 * last, action_of(at, w))
        store(w.moves, 2 * at, a)
        last += 1
    if x is not None:
        furnish(game, s, node, first, p, count, w, x)
    link = pack(first, p, count)
    if w.shared:
        compare_swap(w.moves, 2 * node + 1, -1, link)  # all that was written before is seen by who sees this
    else:
        store(w.moves, 2 * node + 1, link)
    return link


def lose_for_now(game: Any, node: int, ply: int, p: int, w: Any) -> None:
    """Count the visit at once, as a loss for who chose it, so that other threads look elsewhere meanwhile."""
    stride = 1 + values_kept(game)
    w.chooser[ply] = p
    add(w.stats, stride * node, 1, 1)
    if p != CHANCE:
        add_float(w.stats, stride * node + (1 + p if stride > 2 else 1), loss_for(game, p), 1)


def backup(game: Any, w: Any, x: Any) -> None:
    """Add the simulation to every node on the way."""
    stride = 1 + values_kept(game)
    if x is not None:
        if x.use_rave:
            learn_from_all_moves(game, w, x)
        if x.use_minimax:
            refine_above(game, x.guess, w, x)
        if x.use_solver:
            refine_above(game, x.low, w, x)
            refine_above(game, x.high, w, x)
    error = 0.0
    for d in range(w.ply, -1, -1):
        at = stride * w.walk[d]
        p = w.chooser[d]
        if x is not None and x.use_solver:
            w.value[0] = clamped(w.value[0], w.walk[d], x)
            if is_proven(w.walk[d], x) and not w.shared:
                error = error_of(w.walk[d], w, x)
            add_float(w.stats, at + 1, error, w.shared)
        for k in range(stride - 1):
            v = w.value[k]
            if w.shared and p != CHANCE and (k == p or stride == 2):
                v -= loss_for(game, p)
            add_float(w.stats, at + 1 + k, v, w.shared)
        if not w.shared:
            add(w.stats, at, 1, 0)
    w.simulations += 1


# ---- simulations whose leaves are weighed from outside, many at once


@native
def gather(game, s, w, x):  # type: ignore[no-untyped-def]
    """Go down to a leaf and return its state. If that is worth something by the rules, the simulation is done."""
    leaf = descend(game, s, w, x)
    is_over = game.is_terminal(leaf) or (game.knows.solved and game.solved(leaf)[1] >= 0)
    if x.use_solver and w.ply > 0 and not w.drawn and not is_over:
        foresee(game, leaf, w, x)
    w.settled = 1 if is_over or w.drawn or is_proven(w.walk[w.ply], x) else 0
    if w.settled:
        if not w.drawn:
            weigh(game, leaf, w, x)
        backup(game, w, x)
        w.solved = is_proven(0, x)
    return leaf


@native
def absorb(game, s, priors, w, x):  # type: ignore[no-untyped-def]
    """End the simulation whose leaf is `s`, with its value in `w.value`; `priors` are of its actions, in order."""
    node = w.walk[w.ply]
    if link_of(node, w) == 0 and w.ply < DEEPEST_NODE:
        link = expand(game, s, node, w, x)
        if link > 0:
            first, _, count = unpack(link)
            for i in range(min(count, len(priors))):
                put(x.prior, first + i, priors[i])
            if x.use_widening:
                sort_by_prior(first, count, w, x)
    backup(game, w, x)
