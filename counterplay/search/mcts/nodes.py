"""The memory of a Monte Carlo tree search: the tree, and one thread's workspace.

The tree is one allocation of 64-bit words. `n` is the most nodes that fit, `k` the values kept of each: 1 if all others
follow from the first player's, else one for each player. Nodes are numbered from 0, the root; all children of a node
are side by side, and come after it.

    used       8 words             word 0: how many nodes there are; the rest fills a line of the cache
    stats      n x (1 + k) words   word 0: visits; then for each value its sum over all visits, a float64
    moves      n x 2 words         word 0: the action that leads here; word 1: the link to the children
    sections   n words each        what a variation keeps, see `SECTIONS`; none for plain search

    link       first child << 28 | (player to move + 1) << 20 | how many children; 0: none yet; -1: being made

What a choice looks at, the children's stats, is contiguous; what is needed of the chosen one, its action and link, is
in one line of the cache. States are not kept: the way down makes them again, which is quicker than fetching them.

A value is for the first player, MAX, if only one is kept. A node that is not expanded has no children yet; of new
children every word but the action is 0.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import Game, UserError
from counterplay.core.primitives import as_bits, as_float, compare_swap, load, state_key, store
from counterplay.core.randomness import first_counter
from counterplay.core.records import new_record, record_type
from counterplay.native import native
from counterplay.search.mcts.thoughts import Thoughts
from counterplay.search.repetition import PAST

__all__ = ["DEEPEST_NODE", "MOST_CHILDREN", "SECTIONS", "Link", "NodeStore", "new_workspace", "values_kept"]

DEEPEST_NODE = 1024
"""Plies from the root to the deepest node; below it there are playouts only."""
_MOST_PLAYERS = 64
_USED = 8  # words before the stats
_FEW = 1024  # visits, below which what UCB1 needs of their number is kept
_DOUBT = [0.0, *(sqrt(log(visits)) for visits in range(1, _FEW))]
_COUNT_BITS, _PLAYER_BITS = 20, 8
MOST_CHILDREN = (1 << _COUNT_BITS) - 1

SECTIONS = (
    "prior",  # PUCT: how likely a move is taken to be the best; below a throw of dice, the probability
    "hint",  # progressive bias: the evaluation of the state, for who chooses it
    "guess",  # implicit minimax: the minimax value of the tree below by evaluation alone, for MAX
    "low",  # solver: the least that MAX is sure of
    "high",  # solver: the most that MAX can get
    "amaf_visits",  # RAVE: simulations in which the move was played later by the same player
    "amaf_total",  # RAVE: the sum of what that player got in them
)


class Link(NamedTuple):
    """Where a node's children are, and who chooses among them."""

    first: int
    player: int
    size: int
    """How many children there are."""


class NodeStore:
    """The words of a tree, and views of them as arrays."""

    def __init__(self, game: Game, megabytes: float, sections: tuple[str, ...] = ()) -> None:
        if not 0 < megabytes <= 1 << 20:
            raise UserError(f"a tree has more than 0 MB, not {megabytes}")
        self.kept = values_kept(game)
        self.sections = sections
        words = int(megabytes * 1_000_000) // 8 - _USED
        self.capacity = words // (1 + self.kept + 2 + len(sections))
        if self.capacity < 2:
            raise UserError(f"a tree of {megabytes} MB has no room for a single move")
        self.words = np.zeros(_USED + self.capacity * (3 + self.kept + len(sections)), np.int64)
        self.address = int(self.words.ctypes.data)
        self._starts = {"stats": _USED, "moves": _USED + self.capacity * (1 + self.kept)}
        after = self._starts["moves"] + 2 * self.capacity
        for i, name in enumerate(sections):
            self._starts[name] = after + i * self.capacity
        self.words[0] = 1
        self.thoughts: list[Thoughts] = []
        """What a model made of states, of each thread that searches here."""

    @property
    def used(self) -> int:
        """How many nodes there are."""
        return min(int(self.words[0]), self.capacity)

    @property
    def bytes(self) -> int:
        return int(self.words.nbytes)

    def address_of(self, name: str) -> int:
        """Where a part begins; 0 if there is none of that name."""
        return self.address + 8 * self._starts[name] if name in self._starts else 0

    @property
    def visits(self) -> Any:
        """How often each node was visited, the nodes in use only; an array of shape (used,)."""
        return self._rows("stats", 1 + self.kept)[:, 0]

    @property
    def totals(self) -> Any:
        """The sums of values; float64, shape (used, kept)."""
        return self._rows("stats", 1 + self.kept)[:, 1:].view(np.float64)

    @property
    def actions(self) -> Any:
        """The action that leads to each node; shape (used,)."""
        return self._rows("moves", 2)[:, 0]

    @property
    def links(self) -> Any:
        """The link of each node, packed; shape (used,)."""
        return self._rows("moves", 2)[:, 1]

    def section(self, name: str) -> Any:
        """What a variation keeps; shape (used,), float64 except for `amaf_visits`."""
        words = self._rows(name, 1)[:, 0]
        return words if name == "amaf_visits" else words.view(np.float64)

    def children(self, node: int) -> range:
        """The numbers of a node's children."""
        link = unpack(int(self.links[node]))
        return range(link.first, link.first + link.size)

    def clear(self) -> None:
        """Only the root is left, unvisited."""
        used = self.used
        for name, start in self._starts.items():
            wide = {"stats": 1 + self.kept, "moves": 2}.get(name, 1)
            self.words[start : start + used * wide] = 0
        self.words[0] = 1

    def _rows(self, name: str, wide: int) -> Any:
        start = self._starts[name]
        return self.words[start : start + self.used * wide].reshape(self.used, wide)


_COUNTS = [
    *("nodes", "most_nodes", "simulations", "most_simulations", "stop", "counter", "deepest", "full", "solved"),
    *(
        "ply",
        "past",
        "drawn",
        "settled",
        "too_wide",
        "endless",
        "strange",
        "shared",
        "capacity",
        "tree",
        "stats",
        "moves",
    ),
]
_WORKSPACE = record_type(
    [(name, np.int64) for name in _COUNTS]
    + [
        ("exploration", np.float64),
        ("doubt", np.float64, (_FEW,)),
        ("value", np.float64, (_MOST_PLAYERS,)),
        ("walk", np.int64, (DEEPEST_NODE + 1,)),
        ("chooser", np.int64, (DEEPEST_NODE + 1,)),
        ("path", np.int64, (PAST + DEEPEST_NODE + 1,)),
    ]
)


def new_workspace(game: Game, memory: NodeStore, seed: int) -> Any:
    """What one thread needs: its counters, random numbers, and the way from the root to where it is.

    `walk` has the nodes on the way and `chooser` who chose each; `path` has the states' keys, for repetitions; `value`
    is what the last simulation gave, for each value kept; `doubt` what `doubt_at` says of few visits.
    """
    if game.players > _MOST_PLAYERS:
        raise UserError(f"mcts is for up to {_MOST_PLAYERS} players; {game} has {game.players}")
    w = new_record(_WORKSPACE)
    w.doubt[:] = _DOUBT
    w.counter = first_counter(seed)
    w.capacity, w.tree = memory.capacity, memory.address
    w.stats, w.moves = memory.address_of("stats"), memory.address_of("moves")
    return w


# ---- compiled with the search


def values_kept(game: Any) -> int:
    """How many values a node keeps: one if the others follow from it."""
    return 1 if game.players == 1 or (game.players == 2 and game.zero_sum) else game.players


def pack(first: int, player: int, count: int) -> int:
    """A link in one word, so that other threads see all of it or nothing."""
    return ((first << _PLAYER_BITS) + player + 1 << _COUNT_BITS) + count


def unpack(link: int) -> Link:
    """The parts of a link."""
    player = (link >> _COUNT_BITS & (1 << _PLAYER_BITS) - 1) - 1
    return Link(link >> _COUNT_BITS + _PLAYER_BITS, player, link & (1 << _COUNT_BITS) - 1)


def visits_of(game: Any, node: int, w: Any) -> int:
    return load(w.stats, (1 + values_kept(game)) * node)


def total_of(game: Any, node: int, p: int, w: Any) -> float:
    """The sum of what `p` got in all visits to the node, up to a constant that depends on visits and `p` only."""
    if values_kept(game) > 1:
        return as_float(load(w.stats, (1 + values_kept(game)) * node + 1 + p))
    total = as_float(load(w.stats, 2 * node + 1))
    return total if p == 0 else -total


def doubt_at(visits: int, w: Any) -> float:
    """What UCB1 has of its node's visits: the root of their logarithm.

    Looked up, as it takes longer than all else of a choice. (And a search by PUCT would wait for it, too: LLVM computes
    a logarithm rather than to ask whether it is needed.)
    """
    return float(w.doubt[visits]) if visits < _FEW else sqrt(log(visits))


def link_of(node: int, w: Any) -> int:
    return load(w.moves, 2 * node + 1)


def action_of(node: int, w: Any) -> int:
    return load(w.moves, 2 * node)


def add(address: int, i: int, x: int, shared: int) -> None:
    """Add to a word; if threads share the tree, in one step."""
    if shared:
        old = load(address, i)
        while not compare_swap(address, i, old, old + x):
            old = load(address, i)
    else:
        store(address, i, load(address, i) + x)


def add_float(address: int, i: int, x: float, shared: int) -> None:
    """Add to a float64; if threads share the tree, in one step."""
    if shared:
        old = load(address, i)
        while not compare_swap(address, i, old, as_bits(as_float(old) + x)):
            old = load(address, i)
    else:
        store(address, i, as_bits(as_float(load(address, i)) + x))


def reserve(count: int, w: Any) -> int:
    """The first of `count` nodes that nobody else uses, or 0 if there is no room; then the search goes on without."""
    first = load(w.tree, 0)
    while first + count <= w.capacity:
        if not w.shared:
            store(w.tree, 0, first + count)
            return first
        if compare_swap(w.tree, 0, first, first + count):
            return first
        first = load(w.tree, 0)
    w.full = 1
    return 0


def loss_for(game: Any, p: int) -> float:
    """What a loss of `p` is, in the value that is kept: for MAX if it is the only one."""
    if values_kept(game) > 1 or p == 0:
        return float(game.utility_range[0])
    return float(game.utility_sum - game.utility_range[0])


# ---- moving the root


@native
def clear(game, w, sections):  # type: ignore[no-untyped-def]
    """Only the root is left, unvisited: `NodeStore.clear` for compiled code."""
    stride, used = 1 + values_kept(game), min(load(w.tree, 0), w.capacity)
    for i in range(stride * used):
        store(w.stats, i, 0)
    for i in range(2 * used):
        store(w.moves, i, 0)
    for section in sections:
        for i in range(used):
            store(section, i, 0)
    store(w.tree, 0, 1)
    return used


@native
def locate(game, s, key, node, plies, w):  # type: ignore[no-untyped-def]
    """The node of the state of that `state_key`, at most `plies` below `node` whose state is `s`; -1: there is none."""
    if state_key(s) == key:
        return node
    link = link_of(node, w)
    if plies > 0 and link > 0:
        first, _, count = unpack(link)
        for child in range(first, first + count):
            if visits_of(game, child, w) > 0:
                found = locate(game, game.result(s, action_of(child, w)), key, child, plies - 1, w)
                if found >= 0:
                    return found
    return -1


@native
def keep_below(game, root, w, sections):  # type: ignore[no-untyped-def]
    """Make `root` the root: move what is below it to the front, in the same order, and clear the rest.

    Children come after their parent, so three passes from front to back do, without other memory: mark what is below
    (with the sign of its visits); number what is marked (beside the visits, which need half a word); move it. What a
    link leads to has not been moved when its parent is, so its number is still there.
    """
    stride, used = 1 + values_kept(game), min(load(w.tree, 0), w.capacity)
    mark = -(1 << 62)
    store(w.stats, stride * root, load(w.stats, stride * root) + mark)
    for node in range(root, used):
        link = link_of(node, w)
        if load(w.stats, stride * node) < 0 and link > 0:
            first, _, count = unpack(link)
            for child in range(first, first + count):
                store(w.stats, stride * child, load(w.stats, stride * child) + mark)
    kept = 0
    for node in range(root, used):
        visits = load(w.stats, stride * node)
        if visits < 0:
            store(w.stats, stride * node, visits - mark + (kept << 31) + mark)
            kept += 1
    to = 0
    for node in range(root, used):
        visits = load(w.stats, stride * node)
        if visits < 0:
            link = link_of(node, w)
            if link > 0:
                first, p, count = unpack(link)
                link = pack((load(w.stats, stride * first) - mark) >> 31, p, count)
            store(w.stats, stride * to, visits - mark & (1 << 31) - 1)
            for i in range(1, stride):
                store(w.stats, stride * to + i, load(w.stats, stride * node + i))
            store(w.moves, 2 * to, action_of(node, w))
            store(w.moves, 2 * to + 1, link)
            for section in sections:
                store(section, to, load(section, node))
            to += 1
    for i in range(stride * to, stride * used):
        store(w.stats, i, 0)
    for i in range(2 * to, 2 * used):
        store(w.moves, i, 0)
    for section in sections:
        for i in range(to, used):
            store(section, i, 0)
    store(w.tree, 0, to)
    return to
