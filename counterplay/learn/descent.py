"""Descent: values learned from nothing but games, by best-first minimax (Cohen-Solal & Cazenave, Minimax strikes back).

    model = learn.Network(game, hidden=64)
    learn.descent(game, model, games=5_000, simulations=8, progress=print)

Before each move the player goes `simulations` times from where it is to the end of the game, each time along the moves
that look best by all that it has seen (`search.best_first` with `descent`). Each way ends with a real result, which is
carried up: every position in the tree is worth its best successor, and what is proven is certain. All positions of the
tree that have successors are learned, with these values; nothing is averaged, and moves have no probabilities.

The tree below the move that is played serves on. The games, the tree and the learning are one piece of compiled code a
thread, and threads share the weights without locks, as in `td`. Any model learns so: it needs a value only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.features import new_active
from counterplay.core.game import Game
from counterplay.core.randomness import seed_at, unit, word
from counterplay.core.records import new_record, record_type
from counterplay.core.vectors import scratch
from counterplay.learn.model import Model
from counterplay.learn.replay import ReplayTraining
from counterplay.learn.selfplay import PLIES
from counterplay.learn.temporal import Progress, falling, go_on
from counterplay.native import native
from counterplay.search.best_first.kernel import KEPT, begin_tree, grow, new_growth
from counterplay.search.mcts.nodes import NodeStore, action_of, clear, keep_below, link_of, new_workspace, unpack
from counterplay.search.mcts.variations import get, is_proven
from counterplay.search.run import NO_LIMIT, must_be_threads

__all__ = ["DescentSettings", "DescentTraining", "descent"]

POSITIONS = 1 << 17
"""So many positions are remembered."""
INPUTS = 1 << 23
"""And so many active inputs of them; whichever is full first, the oldest are forgotten."""
BATCH = 4
"""After so many games of a thread it learns."""

_MEMORY = record_type(
    [(name, np.int64) for name in ("stop", "games", "plies", "positions", "seen", "inputs", "learned")]
    + [(name, np.int64, (POSITIONS,)) for name in ("first", "count")]
    + [("target", np.float32, (POSITIONS,)), ("index", np.int32, (INPUTS,)), ("value", np.float32, (INPUTS,))]
)


class DescentSettings(NamedTuple):
    """How to train."""

    games: int
    rate: tuple[float, float]
    simulations: int = 8
    """How often it goes to the end of the game before each move."""
    explore: float = 0.1
    """How often a move is played that is not the best: any."""
    opening: int = 6
    """Half of the games begin with up to so many random moves."""
    repeats: float = 10.0
    """How often a position is learned from, on average."""
    memory_mb: float = 32.0
    """How large the tree of one game may become."""
    threads: int = 1
    seed: int = 0

    def in_words(self) -> str:
        """How games are played, for people."""
        return f"{self.simulations} descents a move, {self.explore:.0%} random moves"

    def must_be_sensible(self) -> None:
        must_be_threads(self.threads)
        if self.games < 1 or self.simulations < 1:
            raise UserError("descent needs one game or more, and one descent or more a move")
        if not 0.0 <= self.explore <= 1.0:
            raise UserError(f"explore is a share, from 0 to 1, not {self.explore}")

    def rate_at(self, game: int) -> float:
        """The rate of a game, the same for `BATCH` of them."""
        return falling(self.rate, game // BATCH * BATCH / self.games)


# ---- compiled: a game, and learning from what is remembered


@native
def play_and_learn(game, start, r, w, x, sections, games, rate, settings):  # type: ignore[no-untyped-def]
    """Play so many games, then learn."""
    before = r.seen
    for _ in range(games):
        if r.stop:
            break
        play(game, start, r, w, x, sections, settings)
        r.games += 1
    learn(game, r, w, int((r.seen - before) * settings.repeats), rate)
    return r.games


@native
def play(game, start, r, w, x, sections, settings):  # type: ignore[no-untyped-def]
    """A game against oneself, of whose tree all that has successors is remembered."""
    s, plies = start, 0
    if settings.opening > 0 and unit(w) < 0.5:
        for _ in range(word(w) * (settings.opening + 1) >> 32):
            after = game.result(s, game.sample(s, word(w)))
            if not game.is_terminal(after):
                s = after
    clear(game, w, sections)
    begin_tree(game, x)
    while not game.is_terminal(s) and plies < PLIES:
        plies += 1
        if game.knows.reversible:
            w.past = 0
            w.path[0] = game.key(s)
        w.stop = w.full = w.solved = w.nodes = 0
        w.most_simulations = w.simulations + settings.simulations
        if link_of(0, w) == 0 or not is_proven(0, x):
            grow(game, s, w, x)
        r.positions += w.nodes
        if link_of(0, w) == 0:  # no room, not even for the moves
            break
        chosen = pick(game, w, x, unit(w) < settings.explore)
        remember_below(game, s, 0, chosen, r, w, x)
        s = game.result(s, action_of(chosen, w))
        keep_below(game, chosen, w, sections)
        if w.full:  # what is left would leave no room
            clear(game, w, sections)
            begin_tree(game, x)
    if not game.is_terminal(s):
        remember_below(game, s, 0, 0, r, w, x)
    r.plies += plies
    return plies


def pick(game: Any, w: Any, x: Any, is_any: bool) -> int:
    """The child of the root that is played: the one that is worth most, of equals any; or any at all."""
    first, p, count = unpack(link_of(0, w))
    if is_any:
        return first + (word(w) * count >> 32)
    best, most, equals = first, -inf, 0
    for child in range(first, first + count):
        v = get(x.guess, child) if p == 0 else -get(x.guess, child)
        if v > most:
            best, most, equals = child, v, 1
        elif v == most:
            equals += 1
            if word(w) * equals >> 32 == 0:
                best = child
    return best


@native
def remember_below(game, s, node, chosen, r, w, x):  # type: ignore[no-untyped-def]
    """Write down a position and all below it that have successors, but for what is below `chosen`: that comes later."""
    link = link_of(node, w)
    if link == 0:
        return r.seen
    remember(game, s, node, r, x)
    first, _, count = unpack(link)
    for child in range(first, first + count):
        if child != chosen and link_of(child, w) != 0:
            remember_below(game, game.result(s, action_of(child, w)), child, chosen, r, w, x)
    return r.seen


def remember(game: Any, s: Any, node: int, r: Any, x: Any) -> None:
    """Write down a position: its inputs, and what it is worth to its viewer."""
    k = r.seen % POSITIONS
    on = new_active(game.model_inputs, game.model_most)
    game.model_see(s, on)
    r.first[k], r.count[k] = r.inputs, len(on)
    for i in range(len(on)):
        r.index[(r.inputs + i) % INPUTS] = on.index(i)
        r.value[(r.inputs + i) % INPUTS] = on.value(i)
    r.inputs += len(on)
    low, high = game.utility_range
    v = get(x.guess, node)
    r.target[k] = ((v if game.viewer(s) == 0 else game.utility_sum - v) - low) / (high - low)
    r.seen += 1


@native
def learn(game, r, w, steps, rate):  # type: ignore[no-untyped-def]
    """Learn from so many of the positions that are remembered, any of them."""
    on, target = new_active(game.model_inputs, game.model_most), scratch(game.model_room)
    known = min(r.seen, POSITIONS)
    for _ in range(steps):
        k = (r.seen - 1 - (word(w) * known >> 32)) % POSITIONS
        if r.inputs - r.first[k] > INPUTS:
            continue  # written over
        on.clear()
        for i in range(r.first[k], r.first[k] + r.count[k]):
            on.add(r.index[i % INPUTS], r.value[i % INPUTS])
        target[0] = r.target[k]
        game.model_learn(on, target, rate)
        r.learned += 1
    return r.learned


# ---- training


class DescentTraining(ReplayTraining):
    """A training under way, as `Training` is. What it remembers is written down, too."""

    _counted = ("games", "plies", "positions", "seen", "inputs", "learned")
    _room: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("first", "count", "target"), "seen"),
        **dict.fromkeys(("index", "value"), "inputs"),
    }

    def __init__(self, game: Game, model: Model, settings: DescentSettings) -> None:
        if game.chance or game.players > 2:
            raise UserError(f"descent is for one player or two opponents without dice; {game} is not: try td or zero")
        if model.outputs > 1:
            raise UserError(f"descent needs a model with one output, not {model.outputs}")
        super().__init__(game, model, settings)  # type: ignore[arg-type]
        self._works = [new_record(_MEMORY) for _ in range(settings.threads)]
        self._trees: dict[int, tuple[Any, ...]] = {}
        self._randoms = []
        for thread in range(settings.threads):
            memory = NodeStore(self.game, settings.memory_mb, KEPT)
            w = new_workspace(self.game, memory, seed_at(settings.seed, thread))
            w.most_nodes = NO_LIMIT
            addresses = np.array([memory.address_of(name) for name in KEPT], np.int64)
            self._trees[memory.address] = memory, new_growth(memory, True), addresses
            self._randoms.append(w)

    def _learn(self, w: Any, random: Any, number: int, rate: float) -> None:
        _, x, sections = self._trees[int(random.tree)]
        for first in range(0, number, BATCH):
            if not w.stop:
                some = min(BATCH, number - first)
                play_and_learn(self.game, self._start, w, random, x, sections, some, rate, self.settings)


def descent(
    game: Game,
    model: Model,
    games: int,
    rate: float | Sequence[float] | None = None,
    progress: Callable[[Progress], None] | None = None,
    checkpoint: str | Path | None = None,
    every: float = 10.0,
    **settings: Any,
) -> Progress:
    """Train the model by games against itself, in place, from all that best-first minimax sees; how far it came.

    `settings` are those of `DescentSettings`; all else is as for `td`.
    """
    model.must_learn_by("descent")
    for name in settings:
        if name not in DescentSettings._fields:
            raise UserError(f"descent has no setting '{name}'; it has: {', '.join(DescentSettings._fields)}")
    training = DescentTraining(game, model, DescentSettings(games, model.rates(rate), **settings))
    return go_on(training, "descent", progress, checkpoint, every)
