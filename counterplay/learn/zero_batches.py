"""Zero with a convolutional network: many games at once, whose leaves the network weighs together.

    model = learn.ConvolutionalNetwork(game, channels=32, blocks=4)
    learn.zero(game, model, games=5_000, simulations=100, slots=64, progress=print)

What is searched, remembered and learned is as in `zero.py`. The games are in `batches.py`; between its steps Python
hands arrays to onnxruntime, or to torch where that is missing, and from time to time lets torch learn from positions at
random, each turned by one of the game's symmetries. Threads have games and a replay of their own, and share the
network; one at a time learns.

Every game that has ended is on the disk at once, as a shard beside the checkpoint, so that a training that is killed
loses no more than the games under way, and what was learned since its last checkpoint.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.files import read_bytes, read_json, write_files
from counterplay.core.game import Game
from counterplay.core.randomness import new_random, seed_at, word
from counterplay.core.records import new_record
from counterplay.learn.batches import NOTED, Batch, draw
from counterplay.learn.convolution import ConvolutionalNetwork
from counterplay.learn.replay import ReplayTraining
from counterplay.learn.runtimes import Learner, Runtime, new_runtime
from counterplay.learn.temporal import TOGETHER, Progress, Training, go_on
from counterplay.learn.zero import INPUTS, POSITIONS, ZeroSettings, ZeroTraining, _replay
from counterplay.search.suited import must_be_opponents

__all__ = ["BatchSettings", "BatchTraining", "Shards", "train"]

STEPS = 16
"""So many steps are learned at a time, before the network that plays is made anew."""
_LEARNER = "learner."
_COUNTS = ("games", "plies", "positions", "seen", "resigned", "watched", "mistaken")
_POSITIONS = ("count", "count_moves", "player", "viewer", "proven", "target", "searched")
_INPUTS, _MOVES = ("index", "value"), ("action", "share")


class BatchSettings(NamedTuple):
    """How to train; all but the last five are as in `ZeroSettings`."""

    games: int
    rate: tuple[float, float] = ConvolutionalNetwork.rate
    simulations: int = 100
    quick: int = 20
    share: float = 0.25
    puct: float = 1.5
    noise: float = 0.25
    opening: int = 6
    warm: float = 0.3
    mix: float = 0.5
    resign: float = 0.0
    repeats: float = 8.0
    threads: int = 1
    seed: int = 0
    slots: int = 64
    """Games at once in each thread: so many leaves are weighed together."""
    batch: int = 128
    """Positions that are learned from together."""
    playouts: float = 0.0
    """The share of a playout in what a leaf is worth, by the game's `quick_action` if it has one; the rest is what the
    network says (Silver et al., Mastering the game of Go with deep neural networks and tree search, 2016)."""
    rave: float = 0.0
    hunch: float = 0.0
    """If not 0: both as in `mcts`, so that a search knows something before the network does."""

    def in_words(self) -> str:
        return ZeroSettings.in_words(self)  # type: ignore[arg-type]

    def must_be_sensible(self) -> None:
        known = {name: value for name, value in self._asdict().items() if name in ZeroSettings._fields}
        ZeroSettings(**known).must_be_sensible()
        if not 0.0 <= self.playouts <= 1.0:
            raise UserError(f"playouts is a share, from 0 to 1, not {self.playouts}")
        if self.rave < 0.0 or self.hunch < 0.0 or (self.hunch > 0.0 and self.rave == 0.0):
            raise UserError("rave and hunch are 0 or more, and hunches count among all moves: they need rave")
        if not 1 <= self.slots <= 4096 or not 1 <= self.batch <= 1 << 14:
            raise UserError("zero plays 1 to 4,096 games at once (slots) and learns from batches of up to 16,384")

    def rate_at(self, game: int) -> float:
        return ZeroSettings.rate_at(self, game)  # type: ignore[arg-type]


class BatchTraining(ReplayTraining):
    """A training under way, as `Training` is."""

    _counted = ZeroTraining._counted
    _room = ZeroTraining._room

    settings: Any  # BatchSettings; those of the other trainings have not all of it

    def __init__(self, game: Game, model: ConvolutionalNetwork, settings: BatchSettings) -> None:
        Training.__init__(self, game, model, settings)  # type: ignore[arg-type]
        must_be_opponents(game, "zero")
        slots = min(settings.slots, settings.games)
        self._works = [new_record(_replay(1)) for _ in range(settings.threads)]
        self._batches = [Batch(self.game, model, slots, settings) for _ in range(settings.threads)]
        self._randoms = [new_random(seed_at(settings.seed, thread)) for thread in range(settings.threads)]
        self._learner = Learner(model)
        self._runtime: Runtime | None = None
        self._learning = threading.Lock()
        self._owed = [0.0] * settings.threads  # positions that each thread has still to learn from
        self._shards: Shards | None = None
        self._is_begun = False
        self.losses = (0.0, 0.0)
        """The cross entropy of moves and of values in the last step."""

    def run(self, seconds: float | None = None, until: int | None = None) -> None:
        if not self._is_begun:
            self._learner.take_back()
            self._runtime = new_runtime(self._network)
            for batch, random in zip(self._batches, self._randoms, strict=True):
                batch.seed(word(random))
            self._is_begun = True
        super().run(seconds, until)

    @property
    def _network(self) -> ConvolutionalNetwork:
        assert isinstance(self.model, ConvolutionalNetwork)
        return self.model

    def _play(self, thread: int, deadline: float) -> None:
        """What a thread does: one batch of leaves after the other, and learning now and then."""
        r, batch = self._works[thread], self._batches[thread]
        try:
            while not self._stopped:
                with self._lock:
                    number = min(TOGETHER, self._last - self._taken)
                    self._taken += number
                if number <= 0:
                    return
                most = int(r.games) + number
                while r.games < most and not self._stopped:
                    before, known = int(r.games), int(r.seen)
                    assert self._runtime is not None
                    batch.advance(r, self._runtime, most)
                    if r.games > before:
                        if self._shards is not None:
                            self._shards.write(thread, r, known)
                        self._owed[thread] += (int(r.seen) - known) * self.settings.repeats
                        self._learn_what_is_owed(thread)
                    if time.perf_counter() >= deadline:
                        return
        except BaseException:
            self.stop()
            raise

    @property
    def about(self) -> dict[str, Any]:
        """How often it was given up, and how often wrongly."""
        return (
            {}
            if self.settings.resign == 0.0
            else {name: int(sum(r[name] for r in self._works)) for name in _COUNTS[4:]}
        )

    # ---- learning

    def _learn_what_is_owed(self, thread: int) -> None:
        settings, r = self.settings, self._works[thread]
        batch = settings.batch
        while self._owed[thread] >= STEPS * batch and not self._stopped:
            with self._learning:
                self._improve(r, self._randoms[thread], batch, settings.rate_at(self.games))
            self._owed[thread] -= STEPS * batch

    def _improve(self, r: Any, random: Any, size: int, rate: float) -> None:
        """Some steps down the gradient."""
        model = self._network
        arrays: dict[str, Any] = {
            "planes": np.zeros((size, model.planes, model.cells), np.float32),
            "others": np.zeros((size, model.others), np.float32),
            "legal": np.zeros((size, model.moves), np.int8),
            "shares": np.zeros((size, model.moves), np.float32),
            "targets": np.zeros(size, np.float32),
        }
        board = arrays["planes"].reshape(size, model.planes, model.rows, model.columns)
        for _ in range(STEPS):
            draw(self.game, r, random, *model.turns, *arrays.values())
            self.losses = self._learner.step({**arrays, "planes": board}, rate)
            r.learned += size
        self._learner.write_back()
        self._runtime = new_runtime(model)

    # ---- on paper

    def memory(self) -> dict[str, Any]:
        learner = self._learner.memory()
        return {**super().memory(), **{f"{_LEARNER}{name}": array for name, array in learner.items()}}

    def take_up(self, state: dict[str, Any], memory: dict[str, Any]) -> None:
        for i in range(len(self._works)):
            for name in ("count", "count_moves"):
                _must_lie(memory[f"{i}.{name}"], name, NOTED)
        learner = {name[len(_LEARNER) :]: array for name, array in memory.items() if name.startswith(_LEARNER)}
        self._learner.remember(learner)
        super().take_up(state, {name: array for name, array in memory.items() if not name.startswith(_LEARNER)})
        self._is_begun = False  # the games under way are lost

    def keep_in(self, folder: Path) -> bool:
        """Write every game that has ended into that folder at once; this training can."""
        self._shards = Shards(folder, self.model.inputs)
        return True

    def catch_up(self) -> None:
        """Take in the games that ended after the checkpoint was written."""
        assert self._shards is not None
        for thread, r in enumerate(self._works):
            known = int(r.seen)
            self._shards.read(thread, r)
            self._owed[thread] += (int(r.seen) - known) * self.settings.repeats

    def written(self) -> None:
        """A checkpoint has all games up to now."""
        if self._shards is not None:
            self._shards.forget([int(r.games) for r in self._works])


def train(
    game: Game,
    model: ConvolutionalNetwork,
    games: int,
    rate: float | Sequence[float] | None,
    progress: Callable[[Progress], None] | None,
    checkpoint: str | Path | None,
    every: float,
    **settings: Any,
) -> Progress:
    """What `learn.zero` does with a convolutional network."""
    for name in settings:
        if name not in BatchSettings._fields:
            raise UserError(f"zero has no setting '{name}' here; it has: {', '.join(BatchSettings._fields)}")
    training = BatchTraining(game, model, BatchSettings(games, model.rates(rate), **settings))
    return go_on(training, "zero", progress, checkpoint, every)


# ---- shards


class Shards:
    """The replay between two checkpoints: a file for each bunch of games, named by thread and last game."""

    def __init__(self, folder: Path, inputs: int) -> None:
        self.folder, self.inputs = folder, inputs

    def write(self, thread: int, r: Any, first: int) -> None:
        """Write the positions from number `first` on."""
        from safetensors.numpy import save as as_bytes

        numbers = np.arange(first, int(r.seen)) % POSITIONS
        arrays = {name: r[name][numbers] for name in _POSITIONS}
        for names, total, counts in ((_INPUTS, int(r.inputs), "count"), (_MOVES, int(r.moves), "count_moves")):
            places = np.arange(total - int(arrays[counts].sum()), total) % INPUTS
            arrays.update({name: r[name][places] for name in names})
        about = {name: int(r[name]) for name in _COUNTS} | {"first": first}
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / f"{thread}-{int(r.games):012}.safetensors"
        write_files({file: as_bytes(arrays, {"counterplay": json.dumps(about)})})

    def read(self, thread: int, r: Any) -> None:
        """Add to a replay what is not yet in it."""
        for file in sorted(self.folder.glob(f"{thread}-*.safetensors")):
            about, arrays = self._read(file)
            if about["games"] <= r.games:
                continue
            if about["first"] != r.seen:
                raise UserError(f"{file} cannot be added: the shard before it is missing")
            numbers = np.arange(about["first"], about["seen"]) % POSITIONS
            for name in _POSITIONS:
                r[name][numbers] = arrays[name]
            for names, total, counts, firsts in (
                (_INPUTS, "inputs", "count", "first"),
                (_MOVES, "moves", "count_moves", "first_move"),
            ):
                ends = int(r[total]) + np.cumsum(arrays[counts])
                r[firsts][numbers] = ends - arrays[counts]
                places = np.arange(int(r[total]), int(ends[-1]) if len(ends) else int(r[total])) % INPUTS
                for name in names:
                    r[name][places] = arrays[name]
                r[total] += len(places)
            for name in _COUNTS:
                r[name] = about[name]

    def _read(self, file: Path) -> tuple[dict[str, int], dict[str, Any]]:
        from safetensors import SafetensorError
        from safetensors.numpy import load as from_bytes

        data = read_bytes(file)
        try:
            arrays = from_bytes(data)
            length = int.from_bytes(data[:8], "little")
            about = read_json(read_json(data[8 : 8 + length].decode())["__metadata__"]["counterplay"])
            if not all(isinstance(about[name], int) for name in (*_COUNTS, "first")):
                raise ValueError("its counts are no numbers")
            self._must_be_sound(about, arrays)
        except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise UserError(f"{file} is a damaged shard of a replay ({error}): delete it to go on without") from None
        return about, arrays

    def _must_be_sound(self, about: dict[str, int], arrays: dict[str, Any]) -> None:
        number = about["seen"] - about["first"]
        for name in _POSITIONS:
            if arrays[name].shape != (number, *([1] if name in ("target", "searched") else [])):
                raise ValueError(f"'{name}' has another shape")
        _must_lie(arrays["count"], "count", NOTED)
        _must_lie(arrays["count_moves"], "count_moves", NOTED)
        for names, counts in ((_INPUTS, "count"), (_MOVES, "count_moves")):
            for name in names:
                if arrays[name].shape != (int(arrays[counts].sum()),):
                    raise ValueError(f"'{name}' has another shape")
        _must_lie(arrays["index"], "index", self.inputs - 1)
        for name in ("target", "searched", "share"):
            _must_lie(arrays[name], name, 1.0 + 1e-6)
        _must_lie(np.abs(arrays["value"]), "value", inf)

    def forget(self, games: list[int]) -> None:
        """Delete what a checkpoint has that has so many games of each thread."""
        for file in self.folder.glob("*-*.safetensors"):
            thread, _, last = file.stem.partition("-")
            if thread.isdigit() and int(thread) < len(games) and last.isdigit() and int(last) <= games[int(thread)]:
                with suppress(OSError):
                    file.unlink()


def _must_lie(array: Any, name: str, most: float) -> None:
    """Refuse numbers below 0, above the most, or none at all."""
    if array.size and not (np.isfinite(array).all() and array.min() >= 0 and array.max() <= most):
        raise ValueError(f"'{name}' has a number that cannot be")
