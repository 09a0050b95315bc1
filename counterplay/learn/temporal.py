"""TD(λ): a model learns what states are worth from games that it plays against itself (Sutton 1988, Tesauro 1992).

    learn.td(game, model, games=300_000, threads=2, progress=print)

In each position the player chooses the move whose successor the model likes best, or at times a random one, or, when
it is `warm`, any by softmax: the better it looks, the more often. After the game its positions are learned from the
last to the first. What each should have been is the λ-return: a mixture of the result and of what the model says of the
positions after it,

    target(t) = (1 - λ) value(t + 1) + λ target(t + 1)

seen by whoever is to move. λ = 0 looks one position ahead, λ = 1 at the result only. After a random move the target is
the value of the best one, so that nothing is learned from blunders but about the positions they led to.

With a discount γ below 1 what comes later is worth less. The rule of the textbook is for what is still to come, V, and
for rewards r on the way,

    w ← w - rate [V(s; w) - (r + γ V(s'; w))] ∇V

The result of our games is all that a player gets, so that at a live state it is what he has `earned` on the way and
what is still to come. A model estimates the whole, value = earned + V, since that is what searches compare. The reward
of a move is what it adds to `earned`; so the same rule says that the value before a move should be

    earned(s') + γ (value(s') - earned(s'))

which is never outside the range of utilities. The last move's reward is all that was not earned before, at once. In a
game without rewards on the way the value shrinks by γ with each move that it is away from the end, so that quick wins
are better than slow ones. Throws of dice are no moves. With γ = 1 the rewards cancel out, and nothing is changed.

Computed backwards, this costs no more than λ = 0: no trace of a gradient has to be kept. The eligibility traces of the
textbook come to the same and are in `traces.py`, to be read.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from counterplay.core.errors import UserError
from counterplay.core.game import Game
from counterplay.core.randomness import new_random, seed_at
from counterplay.core.records import new_record
from counterplay.learn.ahead import learn_expected, learn_leaves
from counterplay.learn.files import resume, save
from counterplay.learn.model import Model
from counterplay.learn.selfplay import OUTPUTS, WORK, play_and_learn
from counterplay.search.mcts.nodes import values_kept
from counterplay.search.run import Job, must_be_threads

__all__ = ["Progress", "Settings", "Training", "falling", "td"]

DEEPEST = 20
"""Plies; it plays as many moves as there are positions to learn, so that a deep search would take for ever."""
TOGETHER = 64
"""So many games are played at one rate."""


def falling(rate: tuple[float, float], part: float) -> float:
    """The rate after that part of a training: from the first to the last, by the same part with each game."""
    first, last = rate
    return float(first * (last / first) ** part) if last > 0.0 else first


class Settings(NamedTuple):
    """How to train. The rate falls from the first to the last, by the same part with each game."""

    games: int
    rate: tuple[float, float]
    trace: float
    explore: float
    threads: int = 1
    seed: int = 0
    depth: int = 1
    """How many plies the model looks ahead while it learns; see `ahead.py` for more than one."""
    warm: float = 0.0
    """The temperature of softmax: a move that looks worse by so much utility is played 1/e times as often; 0: never."""
    discount: float = 1.0
    """What the same is worth a move later: gamma."""

    def in_words(self) -> str:
        """How games are played and learned from, for people."""
        ahead = f", {self.depth} plies ahead" if self.depth > 1 else ""
        drawn = f", drawn by softmax at {self.warm:g}" if self.warm > 0.0 else ""
        later = f", discount {self.discount:g}" if self.discount < 1.0 else ""
        return f"lambda {self.trace:g}{later}, {self.explore:.0%} random moves{drawn}{ahead}"

    def must_be_sensible(self) -> None:
        must_be_threads(self.threads)
        if self.games < 1:
            raise UserError(f"a training has one game or more, not {self.games}")
        if not 0.0 <= self.trace <= 1.0:
            raise UserError(f"a trace (lambda) is a number from 0 to 1, not {self.trace}")
        if not 0.0 <= self.explore <= 1.0:
            raise UserError(f"explore is how often to move at random, from 0 to 1, not {self.explore}")
        if not 1 <= self.depth <= DEEPEST:
            raise UserError(f"a learner looks 1 to {DEEPEST} plies ahead, not {self.depth}")
        if not 0.0 <= self.warm < inf:
            raise UserError(f"warm is a temperature in units of utility, 0 or more, not {self.warm}")
        if self.warm > 0.0 and self.depth > 1:
            raise UserError(
                "softmax needs what every move is worth, which a search ahead does not tell: depth=1 or warm=0"
            )
        if not 0.0 <= self.discount <= 1.0:
            raise UserError(f"a discount (gamma) is a number from 0 to 1, not {self.discount}")
        if self.discount < 1.0 and self.depth > 1:
            raise UserError("a search ahead knows of no discount: depth=1 or discount=1")

    def rate_at(self, game: int) -> float:
        """The rate of a game, the same for `TOGETHER` of them."""
        return falling(self.rate, game // TOGETHER * TOGETHER / self.games)


class Progress(NamedTuple):
    """How far a training is; what `progress` is called with, and what `td` returns."""

    games: int
    of: int
    plies: int
    """Positions learned."""
    positions: int
    """Positions looked at to choose moves."""
    seconds: float
    rate: float

    @property
    def is_done(self) -> bool:
        """Whether all games were played, not stopped before."""
        return self.games >= self.of


class Training:
    """A training under way: it goes on, is stopped, written down and taken up again.

    With one thread all is decided by the settings: stopped and taken up anywhere, it ends with the same weights to the
    last bit. Several threads share the weights and look at nobody else, so that each run is another.
    """

    _counted: ClassVar[tuple[str, ...]] = ("games", "plies", "positions")

    def __init__(self, game: Game, model: Model, settings: Settings) -> None:
        settings.must_be_sensible()
        if type(self) is Training and values_kept(game) > 1:
            raise UserError(f"td is for two opponents; {game} is not for two: learn by zero")
        if type(self) is Training and model.outputs > OUTPUTS:
            raise UserError(f"a model with {model.outputs} outputs cannot be trained; {OUTPUTS} is the most")
        self.game: Game = game.with_model(model)
        self.model, self.settings = model, settings
        self.seconds = 0.0
        self._start = game.initial()
        self._lock = threading.Lock()
        self._taken = 0  # games that some thread has played or plays
        self._last = settings.games  # games to play before `run` ends
        self._stopped = False
        self._works = [new_record(WORK) for _ in range(settings.threads)]
        self._randoms = [new_random(seed_at(settings.seed, thread)) for thread in range(settings.threads)]

    @property
    def games(self) -> int:
        """How many games have been played and learned."""
        return int(sum(w.games for w in self._works))

    @property
    def progress(self) -> Progress:
        done, settings = self.games, self.settings
        plies, positions = (int(sum(w[name] for w in self._works)) for name in ("plies", "positions"))
        return Progress(done, settings.games, plies, positions, self.seconds, settings.rate_at(done))

    @property
    def about(self) -> dict[str, Any]:
        """What there is to tell of it besides how far it is."""
        return {}

    def run(self, seconds: float | None = None, until: int | None = None) -> None:
        """Go on to the end, or about so long but for a few games at least, or to so many games, or until `stop`."""
        self._stopped, self._taken = False, self.games
        self._last = self.settings.games if until is None else min(until, self.settings.games)
        for w in self._works:
            w.stop = 0
        began, before = time.perf_counter(), self.seconds
        deadline = inf if seconds is None else began + seconds
        jobs = [Job(partial(self._play, i, deadline), self.stop) for i in range(self.settings.threads)]
        try:
            for job in jobs:
                while not job.wait(0.1):
                    self.seconds = before + time.perf_counter() - began
        except BaseException:
            self.stop()
            raise
        finally:
            for job in jobs:
                job.wait()
            self.seconds = before + time.perf_counter() - began
        for job in jobs:
            job.result()

    def stop(self) -> None:
        """End soon, after the game that is being played."""
        self._stopped = True
        for w in self._works:
            w.stop = 1

    def close(self) -> None:
        """Let go of whatever plays for it; a training with workers has some."""

    def _play(self, thread: int, deadline: float) -> None:
        """What a thread does: take some games, play them, take more."""
        settings, w, random = self.settings, self._works[thread], self._randoms[thread]
        try:
            while not self._stopped:
                with self._lock:
                    first = self._taken
                    number = min(TOGETHER - first % TOGETHER, self._last - first)
                    self._taken += number
                if number <= 0:
                    return
                rate = settings.rate_at(first)
                self._learn(w, random, number, rate)
                if time.perf_counter() >= deadline:
                    return
        except BaseException:
            self.stop()
            raise

    def _learn(self, w: Any, random: Any, number: int, rate: float) -> None:
        """Play and learn so many games."""
        game, start = self.game, self._start
        trace, explore, depth = self.settings.trace, self.settings.explore, self.settings.depth
        if depth == 1:
            warm, discount = self.settings.warm, self.settings.discount
            play_and_learn(game, start, w, random, number, rate, trace, explore, warm, discount)
        elif game.chance:
            learn_expected(game, start, w, random, number, rate, explore, depth)
        else:
            learn_leaves(game, start, w, random, number, rate, trace, explore, depth)

    # ---- on paper

    def state(self) -> dict[str, Any]:
        """All that it needs besides the weights to go on as if nothing had happened."""
        counts = [{name: int(w[name]) for name in self._counted} for w in self._works]
        random = [int(source.counter) for source in self._randoms]
        return {"settings": self.settings._asdict(), "counts": counts, "random": random, "seconds": self.seconds}

    def memory(self) -> dict[str, Any]:
        """Arrays that it needs besides."""
        return {}

    def keep_in(self, folder: Path) -> bool:
        """Keep in that folder what happens between checkpoints; whether this training does so."""
        return False

    def catch_up(self) -> None:
        """Take in what was kept there after the checkpoint was written."""

    def written(self) -> None:
        """All is in a checkpoint now."""

    def take_up(self, state: dict[str, Any], memory: dict[str, Any]) -> None:
        """Go on from there."""
        kind = type(self.settings)
        before = kind(**{**state["settings"], "rate": tuple(state["settings"]["rate"])})
        if before != self.settings:
            changed = [name for name in kind._fields if getattr(before, name) != getattr(self.settings, name)]
            told = ", ".join(f"{name}={getattr(before, name)}" for name in changed)
            raise UserError(f"the training that was begun has {told}: go on with the same, or write to another file")
        for w, counts in zip(self._works, state["counts"], strict=True):
            for name, number in counts.items():
                w[name] = number
        for random, counter in zip(self._randoms, state["random"], strict=True):
            random.counter = counter
        self.seconds = state["seconds"]


def td(
    game: Game,
    model: Model,
    games: int,
    rate: float | Sequence[float] | None = None,
    trace: float | None = None,
    explore: float | None = None,
    warm: float = 0.0,
    depth: int = 1,
    discount: float = 1.0,
    threads: int = 1,
    seed: int = 0,
    progress: Callable[[Progress], None] | None = None,
    checkpoint: str | Path | None = None,
    every: float = 10.0,
) -> Progress:
    """Train the model by games against itself, in place; how far it came.

    `rate` is one number, or the first and the last; `trace` is λ; `explore` is how often to move at random, by default
    one move in ten, and never where there are dice; `warm` is the temperature at which other moves are drawn by
    softmax, in units of utility: at 0.1 a move that looks worse by 0.1 is played 1/e times as often. With a `depth` of
    2 and more it looks so many plies ahead and learns from what it finds there: by TD-leaf or, with dice, by the mean
    over throws, where a trace plays no part. With a `discount` below 1 what comes later is worth less, but for what is
    in hand by then, which the game's rule `earned` tells.

    `every` so many seconds the model is written to the file `checkpoint`, and ten times as often `progress` is called.
    If the file exists already, the training that was begun there goes on. At ctrl-C what was learned is kept, and
    written.
    """
    model.must_learn_by("td")
    explores = (0.0 if game.chance else 0.1) if explore is None else explore
    traced = model.trace if trace is None else trace
    settings = Settings(games, model.rates(rate), traced, explores, threads, seed, depth, warm, discount)
    return go_on(Training(game, model, settings), "td", progress, checkpoint, every)


def go_on(
    training: Training,
    method: str,
    progress: Callable[[Progress], None] | None,
    checkpoint: str | Path | None,
    every: float,
) -> Progress:
    """Let a training go on to its end, or to ctrl-C, and tell and write how far it is."""
    model, settings = training.model, training.settings
    file = None if checkpoint is None else Path(checkpoint)
    keeps = file is not None and training.keep_in(file.with_name(f"{file.name}.replay"))
    if file is not None and file.exists():
        resume(training, file)
        training.catch_up()
    elif file is not None and keeps:
        save(model, file, training)
    how = {"method": method, **settings._asdict(), "rate": list(settings.rate)}
    written = time.perf_counter()
    with suppress(KeyboardInterrupt):
        while not training.progress.is_done:
            training.run(every / 10)
            if progress is not None:
                progress(training.progress)
            if file is not None and time.perf_counter() - written >= every:
                save(model, file, training)
                training.written()
                written = time.perf_counter()
    if model.pedigree and how.items() <= model.pedigree[-1].items():  # it was stopped before, and went on
        model.pedigree.pop()
    model.pedigree.append({**how, **training.about, "played": training.games, "seconds": round(training.seconds, 1)})
    if file is not None:
        save(model, file, training)
        training.written()
    return training.progress
