"""Many searched games at once, in compiled code: each goes on to a leaf, and all leaves are weighed together.

A batch of games is a row of slots. A slot has a game under way, the tree of its next move, and one leaf of that tree
that waits for the network. `advance` takes what the network says of all leaves, lets every game go on to its next one,
through ends of searches and of games, and writes these into two arrays. So Python does one thing a batch, not one a
leaf. As every tree waits for one leaf only, a search is the same as if it were alone.

What a game remembers stays in its slot until it has ended. Only then does it go to the replay, with the result, and so
nothing there is ever half known.
"""

from __future__ import annotations

from math import exp, inf
from typing import Any

import numpy as np

from counterplay.core.features import new_active
from counterplay.core.game import CHANCE, Game
from counterplay.core.primitives import keep_state, kept_state, room_for_state
from counterplay.core.randomness import first_counter, seed_at, unit, word
from counterplay.core.records import new_record, record_type
from counterplay.learn.convolution import ConvolutionalNetwork
from counterplay.learn.rooted import add_noise, pick, share_proven, share_visits
from counterplay.learn.runtimes import Runtime
from counterplay.learn.selfplay import PLIES
from counterplay.learn.zero import INPUTS, OPENED, POSITIONS, WATCHED, begin, is_hopeless, remember
from counterplay.native import native
from counterplay.search.mcts.leaf import weigh
from counterplay.search.mcts.nodes import DEEPEST_NODE, NodeStore, action_of, clear, link_of, new_workspace, unpack
from counterplay.search.mcts.uct import backup, expand
from counterplay.search.mcts.uct import gather as go_down
from counterplay.search.mcts.variations import get, highest, is_proven, new_variations, put, sections_for
from counterplay.search.playout import choose
from counterplay.search.run import NO_LIMIT

__all__ = ["Batch", "advance", "draw"]

NOTES = 512
"""So many positions of a game are learned from."""
NOTED = 1 << 16
"""And so many inputs of them, or moves."""

_SLOT = record_type(
    [(name, np.int64) for name in ("state", "leaf", "is_on", "searches", "waits", "is_full", "is_noisy")]
    + [(name, np.int64) for name in ("is_watched", "loser", "is_given_up")]
    + [(name, np.int64) for name in ("plies", "end", "seen", "inputs", "moves")]
    + [
        (name, np.int64, (NOTES,))
        for name in ("first", "count", "first_move", "count_moves", "player", "viewer", "proven")
    ]
    + [("searched", np.float32, (NOTES, 1))]
    + [("index", np.int32, (NOTED,)), ("value", np.float32, (NOTED,))]
    + [("action", np.int32, (NOTED,)), ("share", np.float32, (NOTED,))]
)
"""A game under way: where its state is, and that of the leaf that waits; its search; and, as in the replay, what it
remembers."""


_PLAN = record_type(
    [(name, np.int64) for name in ("simulations", "quick", "opening", "most_games")]
    + [(name, np.float64) for name in ("share", "noise", "warm", "mix", "resign", "playouts")]
)
"""The settings that compiled games go by. (A record is handed over faster than a tuple of as many numbers.)"""


class Batch:
    """So many games at once, and the arrays of their leaves."""

    def __init__(self, game: Game, model: ConvolutionalNetwork, slots: int, settings: Any) -> None:
        self.game, self.start = game, game.initial()
        self._plan = new_record(_PLAN)
        for name in _PLAN.names or ():
            if name != "most_games":
                self._plan[name] = getattr(settings, name)
        puct = settings.puct * 0.5 * (game.utility_range[1] - game.utility_range[0])
        simulations = max(settings.simulations, settings.quick)
        given = {"puct": puct, "fpu": 0.0, "solver": 1.0, "outside": 1.0}
        given |= {name: getattr(settings, name) for name in ("rave", "hunch") if getattr(settings, name) > 0.0}
        if settings.playouts > 0.0 and game.knows.quick_action:
            given["quick"] = 1.0
        names = sections_for(game, given)
        # A simulation makes the children of a node. Small trees stay near, and one that is full goes on without.
        megabytes = 8e-6 * ((simulations + 2) * (2 * model.widest + 8) * (4 + len(names)) + 16)
        self._trees = [NodeStore(game, megabytes, names) for _ in range(slots)]
        spaces = [new_workspace(game, tree, 0) for tree in self._trees]
        variations = [new_variations(game, tree, given) for tree in self._trees]
        self.works = np.zeros(slots, spaces[0].dtype)
        self.extras = np.zeros(slots, variations[0].dtype)
        self.slots = np.zeros(slots, _SLOT)
        self.sections = np.array([[tree.address_of(name) for name in names] for tree in self._trees], np.int64)
        room = room_for_state(self.start)
        self._states = np.zeros(2 * slots * room // 8 + 8, np.int64)
        for i in range(slots):
            self.works[i], self.extras[i] = spaces[i], variations[i]
            self.works[i]["most_nodes"] = NO_LIMIT
            self.slots[i]["state"] = self._states.ctypes.data + 2 * i * room
            self.slots[i]["leaf"] = self._states.ctypes.data + (2 * i + 1) * room
        self.planes = np.zeros((slots, model.planes, model.rows, model.columns), np.float32)
        self.planes[:, -1] = 1.0
        self.others = np.zeros((slots, model.others), np.float32)
        self._rows = self.planes.reshape(slots, -1)  # the same numbers
        self.waiting = 0
        """How many leaves wait."""
        self._no_answers = np.zeros((slots, model.moves), np.float32), np.zeros(slots, np.float32)

    def seed(self, seed: int) -> None:
        """Begin all games anew, with chance of their own."""
        for name in ("is_on", "searches", "waits"):
            self.slots[name] = 0
        self.waiting = 0
        for i in range(len(self.works)):
            self.works[i]["counter"] = first_counter(seed_at(seed, i))

    def advance(self, r: Any, run: Runtime, most_games: int) -> int:
        """Have the leaves that wait weighed, and let all games go on to the next, or until the replay has had so many
        games; how many leaves wait now."""
        scores, values = run(self.planes, self.others) if self.waiting else self._no_answers
        self._plan.most_games = most_games
        given = self.slots, self.works, self.extras, self.sections, self._rows, self.others, scores, values
        self.waiting = int(advance(self.game, self.start, r, *given, self._plan))
        return self.waiting


# ---- compiled: leaves


@native
def advance(game, start, r, slots, works, extras, sections, planes, others, scores, values, settings):  # type: ignore[no-untyped-def]
    """See `Batch.advance`. A slot is done with before the next, so that its tree is fetched once."""
    found = 0
    for i in range(len(slots)):
        if slots[i].waits:
            absorb(game, kept_state(slots[i].leaf, start), scores[i], values[i], works[i], extras[i], settings)
            slots[i].waits = 0
        next_leaf(game, start, r, slots[i], works[i], extras[i], sections[i], settings)
        if slots[i].waits:
            show(game, kept_state(slots[i].leaf, start), planes[i], others[i])
            found += 1
    return found


@native
def next_leaf(game, start, r, g, w, x, sections, settings):  # type: ignore[no-untyped-def]
    """Let a game go on until one of its leaves waits, or until there were so many games."""
    while r.games < settings.most_games and not r.stop:
        if not g.is_on:
            keep_state(g.state, begin(game, start, w, settings.opening, OPENED), start)
            g.is_on, g.searches, g.plies, g.seen, g.inputs, g.moves = 1, 0, 0, 0, 0, 0
            g.is_watched, g.loser, g.is_given_up = 1 if settings.resign > 0.0 and unit(w) < WATCHED else 0, -1, 0
        s = kept_state(g.state, start)
        if not g.searches:
            while game.chance and not game.is_terminal(s) and game.player(s) == CHANCE:
                s = game.result(s, choose(game, s, w))
                g.plies += 1
            keep_state(g.state, s, start)
            if game.is_terminal(s) or g.plies >= PLIES or g.is_given_up:
                finish(game, s, r, g, settings)
                continue
            begin_search(game, w, x, sections)
            g.searches, g.is_full = 1, 1 if unit(w) < settings.share else 0
            g.is_noisy = 1 if g.is_full and settings.noise > 0.0 else 0
            g.end = w.simulations + (settings.simulations if g.is_full else settings.quick)
        if g.is_noisy and link_of(0, w) > 0:
            add_noise(w, x, settings.noise)
            g.is_noisy = 0
        if w.simulations < g.end and not w.solved:
            leaf = go_down(game, s, w, x)
            if not w.settled:
                keep_state(g.leaf, leaf, start)
                g.waits = 1
                break
        else:
            move_on(game, start, s, r, g, w, x, settings)
    return g.waits


def begin_search(game: Any, w: Any, x: Any, sections: Any) -> None:
    clear(game, w, sections)
    w.solved = 0
    put(x.low, 0, float(game.utility_range[0]))
    put(x.high, 0, highest(game))


@native
def move_on(game, start, s, r, g, w, x, settings):  # type: ignore[no-untyped-def]
    """Remember what the search found, and play a move."""
    r.positions += settings.simulations if g.is_full else settings.quick
    if is_proven(0, x):
        share_proven(game, w, x)
    else:
        share_visits(game, w, x, 0.0)
    room = NOTED - game.model_most - game.count_actions(s)
    if g.is_full and g.seen < NOTES and g.inputs <= room and g.moves <= room:
        remember(game, s, s, -1, g, w, x)
    if settings.resign > 0.0 and g.loser < 0 and is_hopeless(game, s, w, settings.resign):
        g.loser = game.player(s)
        g.is_given_up = 1 - g.is_watched
    g.plies += 1
    warm = settings.warm * r.plies / max(r.games, 1)
    a = action_of(pick(game, w, x, g.plies <= warm, False), w)
    keep_state(g.state, game.result(s, a), start)
    g.searches = 0


@native
def finish(game, s, r, g, settings):  # type: ignore[no-untyped-def]
    """Move what a game remembers to the replay, with its result."""
    low, high = game.utility_range
    for i in range(g.seen):
        k, searched = r.seen % POSITIONS, float(g.searched[i, 0])
        r.first[k], r.count[k], r.first_move[k], r.count_moves[k] = r.inputs, g.count[i], r.moves, g.count_moves[i]
        r.player[k], r.viewer[k], r.proven[k] = g.player[i], g.viewer[i], g.proven[i]
        r.searched[k, 0], r.target[k, 0] = searched, searched
        if (g.is_given_up or game.is_terminal(s)) and not g.proven[i]:
            if g.is_given_up:
                result = 0.0 if g.viewer[i] == g.loser else 1.0
            else:
                result = (game.utility(s, g.viewer[i]) - low) / (high - low)
            r.target[k, 0] = settings.mix * result + (1.0 - settings.mix) * searched
        for j in range(g.count[i]):
            r.index[(r.inputs + j) % INPUTS] = g.index[g.first[i] + j]
            r.value[(r.inputs + j) % INPUTS] = g.value[g.first[i] + j]
        for j in range(g.count_moves[i]):
            r.action[(r.moves + j) % INPUTS] = g.action[g.first_move[i] + j]
            r.share[(r.moves + j) % INPUTS] = g.share[g.first_move[i] + j]
        r.inputs += g.count[i]
        r.moves += g.count_moves[i]
        r.seen += 1
    if g.is_given_up:
        r.resigned += 1
    elif g.loser >= 0:
        r.watched += 1
        r.mistaken += 1 if not game.is_terminal(s) or game.utility(s, g.loser) > low else 0
    r.plies += g.plies
    r.games += 1
    g.is_on = 0
    return r.games


@native
def show(game, s, planes, others):  # type: ignore[no-untyped-def]
    """Write a state into rows of the network's inputs."""
    on = new_active(game.model_inputs, game.model_most)
    game.model_see(s, on)
    for i in range((game.model_planes - 1) * game.model_cells):
        planes[i] = 0.0
    for i in range(len(others)):
        others[i] = 0.0
    for k in range(len(on)):
        t = game.model_layout[on.index(k)]
        if t >= 0:
            planes[t] = on.value(k)
        elif t < -1:
            others[-2 - t] = on.value(k)
    return len(on)


@native
def absorb(game, s, scores, value, w, x, settings):  # type: ignore[no-untyped-def]
    """End the simulation whose leaf is `s`, with what the network says of it, and a playout, if there are any."""
    low, high = game.utility_range
    v = min(max(low + (high - low) * float(value), low), high)
    v = v if game.viewer(s) == 0 else game.utility_sum - v
    if settings.playouts > 0.0:
        weigh(game, s, w, x)
        v += settings.playouts * (w.value[0] - v)
    w.value[0] = v
    node = w.walk[w.ply]
    if link_of(node, w) == 0 and w.ply < DEEPEST_NODE:
        link = expand(game, s, node, w, x)
        if link > 0:
            furnish_priors(game, link, scores, w, x)
    backup(game, w, x)
    return node


def furnish_priors(game: Any, link: int, scores: Any, w: Any, x: Any) -> None:
    """The odds of the moves as the network scores them."""
    first, p, count = unpack(link)
    if p == CHANCE:
        return
    most, total = -inf, 0.0
    for child in range(first, first + count):
        most = max(most, float(scores[action_of(child, w) % game.model_moves]))
    for child in range(first, first + count):
        odds = exp(float(scores[action_of(child, w) % game.model_moves]) - most)
        put(x.prior, child, odds)
        total += odds
    for child in range(first, first + count):
        put(x.prior, child, get(x.prior, child) / total)


# ---- compiled: positions to learn from


@native
def draw(game, r, random, cells, moves, planes, others, legal, shares, targets):  # type: ignore[no-untyped-def]
    """Fill the arrays with remembered positions, any of them, each turned as one of the symmetries turns it."""
    known, drawn = min(r.seen, POSITIONS), 0
    planes[:] = 0.0
    others[:] = 0.0
    legal[:] = 0
    shares[:] = 0.0
    while drawn < len(targets):
        k = (r.seen - 1 - (word(random) * known >> 32)) % POSITIONS
        turn = word(random) * len(cells) >> 32
        if r.inputs - r.first[k] > INPUTS or r.moves - r.first_move[k] > INPUTS:
            continue  # written over
        for i in range(r.first[k], r.first[k] + r.count[k]):
            t = game.model_layout[r.index[i % INPUTS]]
            if t >= 0:
                planes[drawn, t // game.model_cells, cells[turn, t % game.model_cells]] = r.value[i % INPUTS]
            elif t < -1:
                others[drawn, -2 - t] = r.value[i % INPUTS]
        for cell in range(game.model_cells):
            planes[drawn, game.model_planes - 1, cell] = 1.0
        for i in range(r.first_move[k], r.first_move[k] + r.count_moves[k]):
            move = moves[turn, r.action[i % INPUTS] % game.model_moves]
            legal[drawn, move] = 1
            shares[drawn, move] += r.share[i % INPUTS]
        targets[drawn] = r.target[k, 0]
        drawn += 1
    return drawn
