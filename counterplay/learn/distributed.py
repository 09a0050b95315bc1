"""Zero with many workers: they play the games, and one learner learns from them.

    learn.zero_by_workers(game, model, games=20_000, workers=4)   # processes of this machine
    learn.zero_by_workers(game, model, games=10**6, workers=64, executor="ray", address="auto")

A parcel is some games. A worker gets the number of a parcel and plays its games with the weights of a generation; what
it remembers of them comes back as arrays. The learner learns from parcels in the order of their numbers, whoever is
ready first, and after each `together` of them hands out its weights as the next generation. The parcels of generation
g are played with weights from before generation g - 1 ended, so that nobody waits for the learner unless it is a whole
generation behind.

So the number of a parcel decides all: its seed, its weights, what is learned before and after it. With the same
settings a run ends with the same weights to the last bit, however fast its workers are, wherever they are, and however
many of them are lost on the way.

With a `journal` each parcel is on the disk before it is learned from: what was finished is not played again after the
learner was lost, too.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from counterplay.core.errors import UserError
from counterplay.core.files import read_bytes, read_json, write_files
from counterplay.core.game import Game
from counterplay.core.randomness import first_counter, seed_at
from counterplay.executors import Executor, Parcel, Role, executor, must_be_sensible
from counterplay.executors.roles import Arrays
from counterplay.learn.dual import DualNetwork
from counterplay.learn.identity import fingerprint
from counterplay.learn.temporal import Progress, Training, go_on
from counterplay.learn.zero import POSITIONS, ZeroSettings, ZeroTraining, learn, play_games

__all__ = ["Spread", "SpreadTraining", "selfplays", "spread_over", "zero_by_workers"]

PARCEL = 64
"""Games of a parcel."""
_WAIT_SECONDS = 0.1
_STREAM = 7
"""Which of the random numbers that a seed gives are for parcels."""
_COUNTS = ".counts"
_MOST_PARCEL_BYTES = 1_000_000_000


class Spread(NamedTuple):
    """Who plays."""

    workers: int
    executor: str = "local"
    address: str | None = None
    parcel: int = PARCEL

    def must_be_sensible(self) -> None:
        must_be_sensible(self.workers, self.executor, self.address)
        if not 1 <= self.parcel <= POSITIONS:
            raise UserError(f"a parcel has 1 game or more, not {self.parcel}")


@dataclass
class _Generation:
    """Weights that parcels are played with."""

    arrays: dict[str, NDArray[Any]]
    handle: int
    """Their number with the executor; 0 as long as it does not have them."""

    @property
    def digest(self) -> str:
        found = blake2b(digest_size=16)
        for name in sorted(self.arrays):
            found.update(self.arrays[name].tobytes())
        return found.hexdigest()


class SpreadTraining(ZeroTraining):
    """A training whose games are played by workers."""

    def __init__(
        self, game: Game, model: DualNetwork, settings: ZeroSettings, spread: Spread, journal: Path | None = None
    ) -> None:
        spread.must_be_sensible()
        if settings.threads != 1:
            raise UserError("with workers there is one thread, which learns: say --workers or --threads")
        if settings._asdict().get("gate"):
            raise UserError("with workers every network plays on: leave the gate out")
        if settings._asdict().get("average"):
            raise UserError("with workers no weights are averaged: leave that out")
        super().__init__(game, model, settings)
        self._zero = settings
        self._spread, self._plain, self._journal = spread, game, journal
        self._together, self._parcel = spread.workers, spread.parcel
        self._executor: Executor | None = None
        self._learned = self._given = 0  # parcels
        self._given_games = 0
        self._arrived: dict[int, Parcel] = {}
        self._generations: dict[int, _Generation] = {}
        self._checkpointed = 0

    # ---- the loop

    def run(self, seconds: float | None = None, until: int | None = None) -> None:
        if self._executor is None:
            about = {"settings": self.settings._asdict(), "shape": self.model.shape, "rules": fingerprint(self._plain)}
            role = Role(f"{__name__}:{selfplays.__name__}", self._plain, about)
            if self._spread.executor == "local" and self._spread.workers > 1:
                selfplays(self._plain, about).prepare()  # so that machine code is made once, not in every process
            at_work = executor(role, self._spread.workers, self._spread.executor, self._spread.address)
            self._executor = at_work.__enter__()
        super().run(seconds, until)

    def close(self) -> None:
        """Let the workers go; what they were playing is played again when it goes on."""
        if self._executor is not None:
            self._executor.__exit__(None, None, None)
        self._executor = None
        self._given, self._given_games = self._learned, self.games
        self._arrived.clear()
        for each in self._generations.values():
            each.handle = 0

    def _play(self, thread: int, deadline: float) -> None:
        assert self._executor is not None  # `run` has made it
        try:
            while not self._stopped and self.games < self._last:
                self._hand_out(self._executor)
                if self._learned in self._arrived:
                    self._absorb(self._arrived.pop(self._learned))
                elif (found := self._executor.finished(_WAIT_SECONDS)) is not None:
                    self._receive(*found)
                if time.perf_counter() >= deadline:
                    return
        except BaseException:
            self.stop()
            raise

    def _hand_out(self, at_work: Executor) -> None:
        """Give parcels to who is free, as far as their generation is there."""
        if not self._generations:
            self._publish(0)
        while at_work.room > 0 and self._given_games < self._last:
            number, first = self._given, self._given_games
            generation = self._generations.get(self._generation_of(number))
            if generation is None:
                return
            games = min(self._parcel - first % self._parcel, self._last - first)
            self._given, self._given_games = number + 1, first + games
            if (kept := self._kept(number, games, generation)) is not None:
                self._arrived[number] = kept
                continue
            if generation.handle == 0:
                generation.handle = at_work.share(generation.arrays)
            text = {"parcel": number, "games": games, "weights": generation.digest}
            at_work.begin(Parcel(json.dumps(text)), generation.handle)

    def _generation_of(self, parcel: int) -> int:
        return max(0, parcel // self._together - 1)

    def _publish(self, number: int) -> None:
        """The weights as they are now are this generation's; those that nobody needs any more are forgotten."""
        r = self._works[0]
        counts = np.array([r.games, r.plies], np.int64)
        self._generations[number] = _Generation({**_copies(self.model.weights), _COUNTS: counts}, 0)
        for old in [each for each in self._generations if each < self._generation_of(self._learned)]:
            del self._generations[old]

    def _receive(self, task: Parcel, answer: Parcel) -> None:
        asked = json.loads(task.text)
        told = self._checked(answer, asked["games"], f"what came back for parcel {asked['parcel']}")
        if self._journal is not None:
            from safetensors.numpy import save

            self._journal.mkdir(parents=True, exist_ok=True)
            about = json.dumps({**asked, "told": json.loads(told.text)})
            write_files({self._file(asked["parcel"]): save(dict(told.arrays), {"counterplay": about})})
        self._arrived[asked["parcel"]] = told

    def _absorb(self, answer: Parcel) -> None:
        """Remember what was played, and learn."""
        r, w, told = self._works[0], self._randoms[0], json.loads(answer.text)
        rate = self.settings.rate_at(self.games)
        before = {of: int(r[of]) for of in ("seen", "inputs", "moves")}
        arrays = dict(answer.arrays)
        arrays["first"] = before["inputs"] + _starts(arrays["count"])
        arrays["first_move"] = before["moves"] + _starts(arrays["count_moves"])
        for name, of in _rooms(r).items():
            _put(r[name], before[of], arrays[name])
        for name, number in told.items():
            r[name] += number
        positions = told["seen"] / (1 + self._zero._asdict().get("images", 0))
        learn(self.game, r, w, int(positions * self._zero.repeats), rate)
        self._learned += 1
        if self._learned % self._together == 0:
            self._publish(self._learned // self._together)

    # ---- what comes from elsewhere

    def _checked(self, answer: Parcel, games: int, what: str) -> Parcel:
        """The answer, if it can be one: numbers out of their range would be somebody else's memory."""
        try:
            told = json.loads(answer.text)
            if set(told) != set(self._counted) or not all(type(each) is int and each >= 0 for each in told.values()):
                raise ValueError("its counts are others")
            if told["games"] != games or told["seen"] > len(self._works[0]["first"]) // 2:
                raise ValueError("it has another number of games")
            r, arrays = self._works[0], answer.arrays
            rooms = {name: of for name, of in _rooms(r).items() if name not in _DERIVED}
            if set(arrays) != set(rooms):
                raise ValueError("its arrays are others")
            for name, of in rooms.items():
                array, room = arrays[name], r[name]
                kind = np.dtype(np.int32) if room.dtype == np.int64 else room.dtype
                if array.dtype != kind or array.shape != (told[of], *room.shape[1:]):
                    raise ValueError(f"'{name}' has another shape")
                if array.dtype.kind == "f" and not np.isfinite(array).all():
                    raise ValueError(f"'{name}' has a number that is not finite")
            below = {"index": self.model.inputs, "player": self.game.players, "viewer": self.game.players}
            for name in ("index", "player", "viewer", "count", "count_moves", "action"):
                array = arrays[name]
                if array.size and not 0 <= array.min() <= array.max() < below.get(name, 1 << 31):
                    raise ValueError(f"'{name}' has a number that cannot be")
            for name, of in (("count", "inputs"), ("count_moves", "moves")):
                if int(arrays[name].sum(dtype=np.int64)) != told[of]:
                    raise ValueError(f"'{name}' does not add up")
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise UserError(f"{what} is of no use: {error}") from None
        return answer

    # ---- on paper

    def _file(self, parcel: int) -> Path:
        assert self._journal is not None
        return self._journal / f"{parcel:012}.safetensors"

    def _kept(self, number: int, games: int, generation: _Generation) -> Parcel | None:
        """What the journal has of a parcel, if it was played just so."""
        if self._journal is None or not (file := self._file(number)).exists():
            return None
        from safetensors import SafetensorError
        from safetensors.numpy import load

        data = read_bytes(file, _MOST_PARCEL_BYTES)
        try:
            arrays = load(data)
            length = int.from_bytes(data[:8], "little")
            about = read_json(read_json(data[8 : 8 + length].decode())["__metadata__"]["counterplay"])
            text = json.dumps(about["told"])
            is_this = (about["parcel"], about["games"], about["weights"]) == (number, games, generation.digest)
        except (SafetensorError, ValueError, KeyError, TypeError) as error:
            raise UserError(f"{file} is damaged ({error}): delete it, and it is played again") from None
        return self._checked(Parcel(text, arrays), games, str(file)) if is_this else None

    def state(self) -> dict[str, Any]:
        if self._journal is not None:  # what the checkpoint before this one has learned is not needed any more
            for file in self._journal.glob("*.safetensors"):
                if file.stem.isdigit() and int(file.stem) < self._checkpointed:
                    with suppress(OSError):
                        file.unlink()
        self._checkpointed = self._learned
        spread = {"learned": self._learned, "together": self._together, "parcel": self._parcel}
        return {**super().state(), "spread": {**spread, "generations": sorted(self._generations)}}

    def memory(self) -> dict[str, Any]:
        kept = {
            f"generation.{number}.{name}": array
            for number, each in self._generations.items()
            for name, array in each.arrays.items()
        }
        return {**super().memory(), **kept}

    def take_up(self, state: dict[str, Any], memory: dict[str, Any]) -> None:
        spread = state.get("spread")  # one that had no workers until now has none
        found: dict[int, _Generation] = {}
        for number in spread["generations"] if spread else ():
            arrays = {name: memory[f"generation.{number}.{name}"] for name in (*self.model.weights, _COUNTS)}
            for name, weights in self.model.weights.items():
                if arrays[name].shape != weights.shape or not np.isfinite(arrays[name]).all():
                    raise ValueError(f"the weights '{name}' of generation {number} are not what they should be")
            found[int(number)] = _Generation(arrays, 0)
        super().take_up(state, memory)
        self._given_games = self.games
        if spread:
            self._learned = self._given = self._checkpointed = int(spread["learned"])
            self._together, self._parcel = int(spread["together"]), int(spread["parcel"])
        self._generations = found


_DERIVED = ("first", "first_move")
"""Where the inputs and moves of a position begin: they come one after the other, so that their numbers tell."""


def _rooms(r: Any) -> dict[str, str]:
    """The arrays of what is remembered, and by what count each is filled."""
    fields = {name: kind.shape for name, (kind, *_) in r.dtype.fields.items() if kind.shape}
    of_moves = {name: "moves" if name in ("action", "share") else "inputs" for name in fields}
    window = fields["first"]
    return {name: "seen" if shape[:1] == window else of_moves[name] for name, shape in fields.items()}


def _put(room: NDArray[Any], at: int, array: NDArray[Any]) -> None:
    """Write an array into a room that begins anew at its end."""
    at %= len(room)
    fit = min(len(array), len(room) - at)
    room[at : at + fit] = array[:fit]
    room[: len(array) - fit] = array[fit:]


def _starts(counts: NDArray[Any]) -> NDArray[np.int64]:
    starts: NDArray[np.int64] = np.cumsum(counts, dtype=np.int64) - counts
    return starts


def _copies(arrays: Arrays) -> dict[str, NDArray[Any]]:
    return {name: np.array(array) for name, array in arrays.items()}


# ---- in whatever process


def selfplays(game: Game, about: dict[str, Any]) -> _SelfPlay:
    """The role of who plays games against himself for others to learn from."""
    if about["rules"] != fingerprint(game):
        raise UserError(f"the rules of {game} are others here than where the training was begun")
    given = {**about["settings"], "rate": tuple(about["settings"]["rate"])}
    return _SelfPlay(game, DualNetwork(game, **about["shape"]), ZeroSettings(**given))


class _SelfPlay(ZeroTraining):
    """Plays parcels; learns nothing itself."""

    _games, _plies = 0, 0

    def prepare(self) -> None:
        self.work(Parcel(json.dumps({"parcel": 0, "games": 1})))

    def take(self, arrays: Arrays) -> None:
        for name, weights in self.model.weights.items():
            weights[:] = arrays[name]
        self._games, self._plies = (int(number) for number in arrays[_COUNTS])

    def work(self, parcel: Parcel) -> Parcel:
        asked = json.loads(parcel.text)
        r, w = self._works[0], self._randoms[0]
        for name in self._counted:
            r[name] = 0
        r.games, r.plies = self._games, self._plies  # how long games are, as all know it
        w.counter, w.simulations = first_counter(seed_at(self.settings.seed, _STREAM, asked["parcel"])), 0
        _, tools, exact = self._trees[int(w.tree)]
        play_games(self.game, self._start, r, w, tools, exact, asked["games"], self.settings)
        r.games -= self._games
        r.plies -= self._plies
        rooms = {name: of for name, of in _rooms(r).items() if name not in _DERIVED}
        if any(int(r[of]) > len(r[name]) // 2 for name, of in rooms.items()):
            raise UserError(f"a parcel of {asked['games']} games is too large for {self.game}: take fewer")
        arrays = {name: r[name][: int(r[of])] for name, of in rooms.items()}
        small = {name: each.astype(np.int32 if each.dtype == np.int64 else each.dtype) for name, each in arrays.items()}
        return Parcel(json.dumps({name: int(r[name]) for name in self._counted}), small)


# ---- for those who train


def spread_over(game: Game, training: Training, spread: Spread, journal: Path | None = None) -> SpreadTraining:
    """A training that has not begun, as one whose games are played by workers."""
    if not isinstance(training, ZeroTraining):
        raise UserError("only zero is played by workers: add --method zero")
    settings = training.settings
    return SpreadTraining(game, cast("DualNetwork", training.model), settings, spread, journal)


def zero_by_workers(
    game: Game,
    model: DualNetwork,
    games: int,
    workers: int = 2,
    executor: str = "local",
    address: str | None = None,
    parcel: int = PARCEL,
    rate: float | Sequence[float] | None = None,
    progress: Callable[[Progress], None] | None = None,
    checkpoint: str | Path | None = None,
    every: float = 10.0,
    **settings: Any,
) -> Progress:
    """Train the model as `zero` does, with games that so many workers play, `parcel` games at a time.

    They are processes of this machine, or with `executor="ray"` workers of the Ray cluster at the `address`; without an
    address, of a Ray that is started for this machine alone. With a `checkpoint` the games that came in after it was
    written are kept in a folder beside it, so that none is lost.
    """
    for name in settings:
        if name not in ZeroSettings._fields:
            raise UserError(f"zero has no setting '{name}'; it has: {', '.join(ZeroSettings._fields)}")
    journal = None if checkpoint is None else Path(f"{checkpoint}.parcels")
    training = SpreadTraining(
        game,
        model,
        ZeroSettings(games, model.rates(rate), **settings),
        Spread(workers, executor, address, parcel),
        journal,
    )
    try:
        return go_on(training, "zero", progress, checkpoint, every)
    finally:
        training.close()
