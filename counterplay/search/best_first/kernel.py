"""Unbounded best-first minimax: a tree in memory that grows where both play best, one leaf at a time.

It is Korf and Chickering's best-first minimax (1996) as Cohen-Solal took it up (Learning to play two-player perfect-
information games without knowledge, 2020). An iteration has three steps:

    1. descent       from the root, each player takes the child that is worth most to it by all that is known below
    2. expansion     the leaf gets all its children, each with its utility if it is an end, else with its estimate
    3. backup        every node on the way is worth its best child

Nothing is pruned and no depth is set: a line is followed as long as it seems best. With completion, what is proven is
kept apart from what is guessed: each node has the least and the most that MAX gets for sure, a child of which nothing
better can come is not gone into, and the search ends when the root is proven.

With `x.descent` an iteration does not end at the first leaf, but goes on from there to the end of the game. This is
Cohen-Solal's descent minimax: it sees real results early, which is what a learner needs.

The memory is that of `mcts`, with what its variations keep:

    visits   iterations through the node       guess   its value, as far as known
    low      the least that MAX is sure of     high    the most that MAX can get
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from counterplay.core.primitives import store
from counterplay.core.records import new_record, record_type
from counterplay.native import native
from counterplay.search.mcts.nodes import (
    DEEPEST_NODE,
    MOST_CHILDREN,
    NodeStore,
    action_of,
    add,
    link_of,
    pack,
    reserve,
    unpack,
    visits_of,
)
from counterplay.search.mcts.variations import clamped, get, highest, is_futile, is_proven, put, refine
from counterplay.search.repetition import comes_again, draw_value
from counterplay.search.values import sane_estimate, sane_utility

__all__ = ["KEPT", "begin_tree", "grow", "new_growth"]

KEPT = ("prior", "low", "high", "guess")
"""What is kept of each node; there are no dice, and so no `prior` of them, but what reads it finds it."""

_GROWTH = record_type([(name, np.int64) for name in (*KEPT, "use_solver", "descent", "every")])


def new_growth(memory: NodeStore, is_descent: bool) -> Any:
    """Where the kernel finds what is kept, and how it is to grow.

    `descent`: whether each iteration goes to the end of the game; `every`: whether every move at the root is to be
    proven, however bad it is.
    """
    x = new_record(_GROWTH)
    for name in KEPT:
        x[name] = memory.address_of(name)
    x.use_solver, x.descent = 1, is_descent
    return x


# ---- compiled with the search


@native
def grow(game, s, w, x):  # type: ignore[no-untyped-def]
    """Iterations from `s`, the root, until there were `w.most_simulations` or something else ends them."""
    while w.simulations < w.most_simulations and w.nodes < w.most_nodes and not w.stop:
        iterate(game, s, w, x)
        w.simulations += 1
        if link_of(0, w) != 0 and best_open(game, 0, w, x) < 0:
            w.solved = 1
            break
    return w.simulations


def begin_tree(game: Any, x: Any) -> None:
    """A root of which nothing is known."""
    put(x.low, 0, float(game.utility_range[0]))
    put(x.high, 0, highest(game))


def iterate(game: Any, s: Any, w: Any, x: Any) -> None:
    """One iteration: down, a leaf expanded or all to the end of the game, and up."""
    node, ply, is_leaf = 0, 0, False
    w.walk[0] = 0
    while not is_leaf or x.descent:
        if link_of(node, w) == 0:
            is_leaf = True
            if not expand(game, s, node, ply, w, x):
                break
        node = best_open(game, node, w, x)
        if node < 0 or (is_leaf and not x.descent):
            break
        s = game.result(s, action_of(node, w))
        ply += 1
        w.walk[ply] = node
        if game.knows.reversible:
            comes_again(game, s, game.key(s), ply, w)  # it does not, but from now on it is on the way
    w.ply = ply
    w.deepest = max(w.deepest, ply + 1)
    for d in range(ply, -1, -1):
        if link_of(w.walk[d], w) != 0:
            update(game, w.walk[d], w, x)
        add(w.stats, 2 * w.walk[d], 1, 0)


def update(game: Any, node: int, w: Any, x: Any) -> None:
    """Bring a node up to date from its children."""
    refine(game, x.low, node, w, x)
    refine(game, x.high, node, w, x)
    refine(game, x.guess, node, w, x)
    put(x.guess, node, clamped(get(x.guess, node), node, x))


def best_open(game: Any, node: int, w: Any, x: Any) -> int:
    """The child that is worth most to who moves, of equals the one least visited; -1: nothing is left to find out."""
    first, p, count = unpack(link_of(node, w))
    best, most, fewest = -1, -inf, 0
    for child in range(first, first + count):
        if is_proven(child, x) or (is_futile(child, node, p, x) and not (node == 0 and x.every)):
            continue
        v = get(x.guess, child) if p == 0 else -get(x.guess, child)
        n = visits_of(game, child, w)
        if v > most or (v == most and n < fewest):
            best, most, fewest = child, v, n
    return best


def expand(game: Any, s: Any, node: int, ply: int, w: Any, x: Any) -> bool:
    """Make the children of a node, each with what it is worth; whether there was room for them."""
    count = int(game.count_actions(s))
    if count > MOST_CHILDREN:
        w.too_wide, w.stop = 1, 1
        return False
    first = reserve(count, w) if ply < DEEPEST_NODE else 0
    if first == 0:
        w.full, w.stop = 1, 1
        return False
    child = first
    for a in game.actions(s):
        store(w.moves, 2 * child, a)
        appraise(game, game.result(s, a), child, ply + 1, w, x)
        child += 1
    w.nodes += count
    store(w.moves, 2 * node + 1, pack(first, int(game.player(s)), count))
    update(game, node, w, x)
    return True


def appraise(game: Any, s: Any, node: int, ply: int, w: Any, x: Any) -> None:
    """Write down what a new node is worth to MAX, and whether that is certain."""
    v, is_known = 0.0, True
    if game.is_terminal(s):
        v = sane_utility(game, s, 0, w)
    elif game.knows.reversible and comes_again(game, s, game.key(s), ply, w):
        v = draw_value(game)
    else:
        is_known = False
        if game.knows.solved:
            v, left = game.solved(s)
            is_known = left >= 0
        if not is_known:
            v = sane_estimate(game, s, 0, w)
    put(x.low, node, v if is_known else float(game.utility_range[0]))
    put(x.high, node, v if is_known else highest(game))
    put(x.guess, node, v if is_known else clamped(v, node, x))
