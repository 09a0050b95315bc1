"""Zero: values and moves learned from nothing but games against oneself (Silver et al., AlphaGo Zero, 2017).

    model = learn.DualNetwork(game, hidden=(64, 32))
    learn.zero(game, model, games=20_000, simulations=100, threads=2, progress=print)

In each position a tree search looks ahead, led by what the network says of moves and states, and so knows better than
the network alone. What it found is what the network learns: of the moves the shares of the visits, of the state half of
the value that the search found and half of the game's result. A better network makes a better search, and so on.

The search is `mcts` with `puct`, `cutoff=0` and `solver`; it, the games and the learning are one piece of compiled code
a thread. Positions are kept, the last `POSITIONS` of each thread, and each is learned from `repeats` times on average
as it grows old. Threads share the weights without locks, as in `td`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.features import new_active
from counterplay.core.game import CHANCE, Game
from counterplay.core.primitives import as_float, load
from counterplay.core.randomness import seed_at, unit, word
from counterplay.core.records import new_record, record_type
from counterplay.core.vectors import scratch
from counterplay.learn.convolution import ConvolutionalNetwork
from counterplay.learn.dual import DualNetwork, learn_both
from counterplay.learn.selfplay import PLIES
from counterplay.learn.temporal import Progress, Training, go_on
from counterplay.native import native
from counterplay.search.mcts.nodes import NodeStore, action_of, clear, link_of, new_workspace, unpack, visits_of
from counterplay.search.mcts.uct import simulate
from counterplay.search.mcts.variations import get, highest, is_proven, new_variations, put, sections_for
from counterplay.search.playout import choose
from counterplay.search.run import NO_LIMIT, must_be_threads

__all__ = ["ZeroSettings", "ZeroTraining", "zero"]

POSITIONS = 1 << 16
"""So many positions are remembered."""
INPUTS = 1 << 22
"""And so many active inputs of them, and of moves; whichever is full first, the oldest are forgotten."""
BATCH = 16
"""After so many games of a thread it learns."""

_REPLAY = record_type(
    [(name, np.int64) for name in ("stop", "games", "plies", "positions", "seen", "inputs", "moves", "learned")]
    + [(name, np.int64, (POSITIONS,)) for name in ("first", "count", "first_move", "count_moves", "player", "viewer")]
    + [("target", np.float32, (POSITIONS,)), ("searched", np.float32, (POSITIONS,))]
    + [("index", np.int32, (INPUTS,)), ("value", np.float32, (INPUTS,))]
    + [("action", np.int32, (INPUTS,)), ("share", np.float32, (INPUTS,))]
)
"""What a thread remembers. Positions, inputs and moves are counted on for ever, and are where their number modulo the
room says."""

_ROOM = {
    **dict.fromkeys(("first", "count", "first_move", "count_moves", "player", "viewer", "target", "searched"), "seen"),
    "index": "inputs",
    "value": "inputs",
    "action": "moves",
    "share": "moves",
}
"""Its arrays, and by what count each is filled."""


class ZeroSettings(NamedTuple):
    """How to train."""

    games: int
    rate: tuple[float, float] = DualNetwork.rate
    simulations: int = 100
    """What a move is searched by where the position is learned from."""
    quick: int = 20
    """And where it is not: most of a game, so that there are more games (playout cap randomisation, Wu 2019)."""
    share: float = 0.5
    """The share of moves that are searched in full and learned from."""
    puct: float = 1.5
    noise: float = 0.25
    """The share of noise in the priors at the root of a full search."""
    opening: int = 6
    """Half of the games begin with up to so many random moves."""
    warm: float = 0.3
    """In the first part of a game, this share of its usual length, moves are drawn by their visits; then the most
    visited is played."""
    mix: float = 0.5
    """The share of the game's result in the target of a value; the rest is what the search found."""
    repeats: float = 10.0
    """How often a position is learned from, on average."""
    threads: int = 1
    seed: int = 0

    def must_be_sensible(self) -> None:
        must_be_threads(self.threads)
        if self.games < 1 or self.simulations < 2 or self.quick < 2:
            raise UserError("zero needs one game or more, and two simulations or more a move")
        for name in ("share", "noise", "warm", "mix"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise UserError(f"{name} is a share, from 0 to 1, not {getattr(self, name)}")

    def rate_at(self, game: int) -> float:
        """The rate falls from the first to the last, by the same part with each game."""
        first, last = self.rate
        return float(first * (last / first) ** (game // BATCH * BATCH / self.games)) if last > 0.0 else first


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
    """A game against oneself; some of its positions are remembered, with what became of them."""
    s, first = begin(game, start, w, settings.opening), r.seen
    plies, warm = 0, settings.warm * r.plies / max(r.games, 1)
    while not game.is_terminal(s) and plies < PLIES:
        plies += 1
        if game.chance and game.player(s) == CHANCE:
            s = game.result(s, choose(game, s, w))
            continue
        is_full = unit(w) < settings.share
        ponder(game, s, w, x, sections, settings.simulations if is_full else settings.quick, is_full, settings)
        r.positions += settings.simulations if is_full else settings.quick
        if is_full and r.seen - first < POSITIONS // 2:
            remember(game, s, r, w, x)
        s = game.result(s, action_of(pick(game, w, x, plies <= warm), w))
    r.plies += plies
    low, high = game.utility_range
    for i in range(first, r.seen):
        k = i % POSITIONS
        if game.is_terminal(s):
            result = (game.utility(s, r.viewer[k]) - low) / (high - low)
            r.target[k] = settings.mix * result + (1.0 - settings.mix) * float(r.searched[k])
        else:
            r.target[k] = r.searched[k]
    return plies


def begin(game: Any, start: Any, w: Any, opening: int) -> Any:
    """The start, or in half of the games without dice a position after some random moves."""
    s = start
    if not game.chance and opening > 0 and unit(w) < 0.5:
        for _ in range(word(w) * (opening + 1) >> 32):
            after = game.result(s, choose(game, s, w))
            if not game.is_terminal(after):
                s = after
    return s


@native
def ponder(game, s, w, x, sections, simulations, is_noisy, settings):  # type: ignore[no-untyped-def]
    """Search `s` anew, with some noise at the root if so."""
    clear(game, w, sections)
    w.solved = 0
    if x.use_solver:
        put(x.low, 0, float(game.utility_range[0]))
        put(x.high, 0, highest(game))
    end = w.simulations + simulations
    if is_noisy and settings.noise > 0.0:
        w.most_simulations = min(w.simulations + 2, end)  # the second visit makes the children
        simulate(game, s, w, x)
        add_noise(w, x, settings.noise)
    w.most_simulations = end
    if not w.solved:
        simulate(game, s, w, x)
    return w.simulations


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


def weight_of(game: Any, child: int, w: Any, x: Any) -> int:
    """What a move counts: its visits; where the root is proven, only if it keeps what that is worth."""
    if x.use_solver and is_proven(0, x):
        is_as_good = is_proven(child, x) and get(x.low, child) == get(x.low, 0)
        return 1 + visits_of(game, child, w) if is_as_good else 0
    return visits_of(game, child, w)


def pick(game: Any, w: Any, x: Any, is_drawn: bool) -> int:
    """The child of the root that is played: the one that counts most, or by chance as they count."""
    first, _, count = unpack(link_of(0, w))
    total, best, most = 0, first, -1
    for child in range(first, first + count):
        weight = weight_of(game, child, w, x)
        total += weight
        if weight > most:
            best, most = child, weight
    rest = word(w) * total >> 32
    if is_drawn:
        for child in range(first, first + count):
            rest -= weight_of(game, child, w, x)
            if rest < 0:
                return child
    return best


@native
def remember(game, s, r, w, x):  # type: ignore[no-untyped-def]
    """Write down the position that was searched: its inputs, its moves with their visits, its value."""
    k, p = r.seen % POSITIONS, game.player(s)
    on = new_active(game.model_inputs, game.model_most)
    game.model_see(s, on)
    viewer = game.viewer(s)
    r.first[k], r.count[k], r.player[k], r.viewer[k] = r.inputs, len(on), p, viewer
    for i in range(len(on)):
        r.index[(r.inputs + i) % INPUTS] = on.index(i)
        r.value[(r.inputs + i) % INPUTS] = on.value(i)
    r.inputs += len(on)
    first, _, count = unpack(link_of(0, w))
    total = 0
    for child in range(first, first + count):
        total += weight_of(game, child, w, x)
    r.first_move[k], r.count_moves[k] = r.moves, count
    for i in range(count):
        r.action[(r.moves + i) % INPUTS] = action_of(first + i, w)
        r.share[(r.moves + i) % INPUTS] = weight_of(game, first + i, w, x) / max(total, 1)
    r.moves += count
    low, high = game.utility_range
    mean = as_float(load(w.stats, 1)) / visits_of(game, 0, w)
    r.searched[k] = ((mean if viewer == 0 else game.utility_sum - mean) - low) / (high - low)
    r.seen += 1
    return count


@native
def learn(game, r, w, steps, rate):  # type: ignore[no-untyped-def]
    """Learn from so many of the positions that are remembered, any of them."""
    on, target = new_active(game.model_inputs, game.model_most), scratch(game.model_room)
    known = min(r.seen, POSITIONS)
    for _ in range(steps):
        k = (r.seen - 1 - (word(w) * known >> 32)) % POSITIONS
        if r.inputs - r.first[k] > INPUTS or r.moves - r.first_move[k] > INPUTS:
            continue  # written over
        on.clear()
        for i in range(r.first[k], r.first[k] + r.count[k]):
            on.add(r.index[i % INPUTS], r.value[i % INPUTS])
        target[0] = r.target[k]
        learn_both(game, on, target, r.player[k], r.action, r.share, r.first_move[k], r.count_moves[k], rate)
        r.learned += 1
    return r.learned


# ---- training


class ZeroTraining(Training):
    """A training under way, as `Training` is. What it remembers is written down, too."""

    _counted = ("games", "plies", "positions", "seen", "inputs", "moves", "learned")

    def __init__(self, game: Game, model: DualNetwork, settings: ZeroSettings) -> None:
        super().__init__(game, model, settings)  # type: ignore[arg-type]
        self._works = [new_record(_REPLAY) for _ in range(settings.threads)]
        given = {"puct": settings.puct * _half_range(game), "fpu": 0.0, "cutoff": 0.0, "solver": 1.0}
        sections = sections_for(self.game, given)
        self._trees: dict[int, tuple[Any, ...]] = {}
        self._randoms = []
        for thread in range(settings.threads):
            memory = NodeStore(self.game, _megabytes(settings), sections)
            w = new_workspace(self.game, memory, seed_at(settings.seed, thread))
            w.most_nodes = NO_LIMIT
            addresses = np.array([memory.address_of(name) for name in sections], np.int64)
            self._trees[memory.address] = memory, new_variations(self.game, memory, given), addresses
            self._randoms.append(w)  # each search draws from its own workspace

    def _learn(self, w: Any, random: Any, number: int, rate: float) -> None:
        _, x, sections = self._trees[int(random.tree)]
        for first in range(0, number, BATCH):
            if not w.stop:
                some = min(BATCH, number - first)
                play_and_learn(self.game, self._start, w, random, x, sections, some, rate, self.settings)

    def memory(self) -> dict[str, Any]:
        found = {}
        for i, r in enumerate(self._works):
            for name, of in _ROOM.items():
                found[f"{i}.{name}"] = r[name][: min(int(r[of]), len(r[name]))].copy()
        return found

    def take_up(self, state: dict[str, Any], memory: dict[str, Any]) -> None:
        inputs = self.model.inputs
        for i, counts in enumerate(state["counts"]):
            for name, of in _ROOM.items():
                kept, room = memory[f"{i}.{name}"], self._works[i][name]
                if kept.dtype != room.dtype or kept.shape != (min(counts[of], len(room)),):
                    raise ValueError(f"'{name}' has another shape")
                if not np.isfinite(kept).all() or (
                    name == "index" and kept.size and not 0 <= kept.min() <= kept.max() < inputs
                ):
                    raise ValueError(f"'{name}' has a number that cannot be")
        super().take_up(state, memory)
        for i, r in enumerate(self._works):
            for name in _ROOM:
                kept = memory[f"{i}.{name}"]
                r[name][: len(kept)] = kept


def _half_range(game: Game) -> float:
    return 0.5 * (game.utility_range[1] - game.utility_range[0])


def _megabytes(settings: ZeroSettings) -> float:
    """Room for the tree of one search: every simulation makes the children of one node at most."""
    return max(4.0, settings.simulations * 256 * 80 / 1e6)


def zero(
    game: Game,
    model: DualNetwork | ConvolutionalNetwork,
    games: int,
    rate: float | Sequence[float] | None = None,
    progress: Callable[[Progress], None] | None = None,
    checkpoint: str | Path | None = None,
    every: float = 10.0,
    **settings: Any,
) -> Progress:
    """Train the model by games against itself, in place, each move searched; how far it came.

    `settings` are those of `ZeroSettings`, or of `BatchSettings` for a convolutional network; all else is as for `td`.
    """
    if isinstance(model, ConvolutionalNetwork):
        from counterplay.learn.zero_batches import train

        return train(game, model, games, rate, progress, checkpoint, every, **settings)
    for name in settings:
        if name not in ZeroSettings._fields:
            raise UserError(f"zero has no setting '{name}'; it has: {', '.join(ZeroSettings._fields)}")
    training = ZeroTraining(game, model, ZeroSettings(games, model.rates(rate), **settings))
    return go_on(training, "zero", progress, checkpoint, every)
