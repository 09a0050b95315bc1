"""Information-set Monte Carlo tree search: the kernel.

Every simulation imagines a state that the player at the root may be in, plays from there, and learns about what
players *know*: the tree's nodes are information sets and no states (Cowling, Powley and Whitehouse, Information set
Monte Carlo tree search, 2012). A move that is legal in some of the imagined states only is compared with the others by
how often it was there to be taken.

There are no nodes in memory but only edges, in one hash table: what a player knows together with a move. `whose`
information that is makes the search:

    EACH        whoever is to move, his own: nobody acts on what he cannot know
    a player    the one at the root, for all (single-observer): the others seem to act on what he knows
    ALL         the whole state: everybody sees everything in the imagined state (determinisation)
"""

from __future__ import annotations

from math import inf, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import CHANCE
from counterplay.core.primitives import mix64, state_key
from counterplay.core.randomness import first_counter, word
from counterplay.core.records import new_record, record_type
from counterplay.native import native
from counterplay.search.playout import MOST_PLIES, choose
from counterplay.search.values import sane_utility

__all__ = ["ALL", "EACH", "Edges", "begin", "edge_of", "new_edges", "new_work", "node_key", "simulate"]

EACH, ALL = -1, -2

_DEEPEST = 256  # moves of players that are learnt about; what comes later is played at random

_FIRST = 100
"""Simulations that show how far results spread. Later ones would show less: who folds always gets the same."""

_COUNTS = ("nodes", "most_nodes", "simulations", "most_simulations", "deepest", "stop", "strange", "endless", "full")
_WORK = record_type(
    [
        *((name, np.int64) for name in (*_COUNTS, "counter", "whose", "imagines", "used", "room")),
        *((name, np.float64) for name in ("exploration", "total", "squares", "spread")),
        ("path", np.int64, (_DEEPEST,)),
        ("chooser", np.int64, (_DEEPEST,)),
    ]
)


class Edges(NamedTuple):
    """A hash table of moves at information sets; a place that was never available is empty."""

    keys: Any
    available: Any
    """How often the move could have been taken."""
    visits: Any
    total: Any
    """What who takes it got in all of them."""


def new_edges(room: int) -> Edges:
    """Room for so many, a power of two."""
    return Edges(np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(room))


def new_work() -> Any:
    """What a search counts, and its `stop`. Bounds are in units of `spread`, that of the first results."""
    return new_record(_WORK)


def begin(w: Any, whose: int, room: int, exploration: float, spread: float, seed: int) -> None:
    """Count from the beginning; `spread` is taken for that of the results as long as there are few."""
    for name in (*_COUNTS, "used", "total", "squares"):
        if name != "stop":  # may have been set by now
            setattr(w, name, 0)
    w.counter, w.whose, w.imagines, w.room = first_counter(seed), whose, 1, room - room // 4
    w.exploration, w.spread = exploration, spread


# ---- compiled with the search


def node_key(game: Any, s: Any, p: int, whose: int) -> int:
    """The number of what is known where `p` is to move."""
    if whose == ALL:
        return state_key(s)
    knower = p if whose == EACH else whose
    return mix64(mix64(state_key(game.information(s, knower)) ^ knower) + p)


def edge_of(edges: Any, node: int, a: int) -> int:
    """Where a move at a node is in the table, or belongs."""
    key = mix64(node + a)
    i = key & (len(edges.keys) - 1)
    while edges.available[i] > 0 and edges.keys[i] != key:
        i = (i + 1) & (len(edges.keys) - 1)
    edges.keys[i] = key
    return i


def imagined(game: Any, s: Any, p: int, w: Any) -> Any:
    """The state that a simulation begins with."""
    return game.sample_state(s, p, w) if w.imagines > 0 and p != CHANCE else s


def select(game: Any, s: Any, p: int, edges: Any, w: Any) -> Any:
    """A move with its edge: one that was never tried if there is any, else the one with the highest bound (UCB1).

    -1 and -1 if there is no room to learn about any of them.
    """
    node = node_key(game, s, p, w.whose)
    best, chosen, edge, untried = -inf, -1, -1, 0
    for a in game.actions(s):
        i = edge_of(edges, node, a)
        if edges.available[i] == 0:
            if w.used >= w.room:
                w.full = 1
                continue
            w.used += 1
        edges.available[i] += 1
        n = edges.visits[i]
        if n == 0:
            untried += 1
            if word(w) * untried >> 32 == 0:  # each of those untried is as likely as the others
                chosen, edge = a, i
        elif untried == 0:
            bound = edges.total[i] / n + w.exploration * w.spread * sqrt(log(edges.available[i]) / n)
            if bound > best:
                best, chosen, edge = bound, a, i
    return chosen, edge


def simulation(game: Any, s: Any, edges: Any, w: Any) -> None:
    """One game from `s`: down the tree, one step beyond it, and on at random; all on the way learn what came of it."""
    depth, plies, is_inside = 0, 0, True
    while not game.is_terminal(s):
        p, a, edge = game.player(s), -1, -1
        if is_inside and p != CHANCE:
            a, edge = select(game, s, p, edges, w)
            is_inside = edge >= 0 and edges.visits[edge] > 0 and depth < _DEEPEST - 1
        if edge >= 0:
            w.path[depth], w.chooser[depth] = edge, p
            depth += 1
        else:
            a = choose(game, s, w)
        s = game.result(s, a)
        plies += 1
        w.nodes += 1
        if plies >= MOST_PLIES:
            w.endless = w.stop = 1
            return
    for i in range(depth):
        edges.visits[w.path[i]] += 1
        edges.total[w.path[i]] += sane_utility(game, s, w.chooser[i], w)
    v = sane_utility(game, s, 0, w)
    w.total += v
    w.squares += v * v
    w.deepest = max(w.deepest, depth)


@native
def simulate(game, s, p, edges, w):  # type: ignore[no-untyped-def]
    """Simulations for player `p`, who is to move at `s` or at a state that he cannot tell from it, up to the limits."""
    while w.simulations < w.most_simulations and w.nodes < w.most_nodes and w.stop == 0:
        simulation(game, imagined(game, s, p, w), edges, w)
        w.simulations += 1
        if w.simulations == _FIRST:
            variance = w.squares / _FIRST - (w.total / _FIRST) ** 2
            if variance > 0.0:
                w.spread = sqrt(variance)
    return 0
