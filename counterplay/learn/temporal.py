"""TD(λ): a model learns what states are worth from games that it plays against itself (Sutton 1988, Tesauro 1992).

    learn.td(game, model, games=300_000, threads=2, progress=print)

In each position the player chooses the move whose successor the model likes best, or at times a random one. After the
game its positions are learned from the last to the first. What each should have been is the λ-return: a mixture of the
result and of what the model says of the positions after it,

    target(t) = (1 - λ) value(t + 1) + λ target(t + 1)

seen by whoever is to move. λ = 0 looks one position ahead, λ = 1 at the result only. After a random move the target is
the value of the best one, so that nothing is learned from blunders but about the positions they led to.

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
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.features import MOST_ACTIVE, new_active
from counterplay.core.game import CHANCE, Game
from counterplay.core.randomness import new_random, seed_at, unit, word
from counterplay.core.records import new_record, record_type
from counterplay.core.vectors import scratch
from counterplay.learn.files import resume, save
from counterplay.learn.model import Model
from counterplay.native import native
from counterplay.search.playout import choose
from counterplay.search.run import Job, must_be_threads

__all__ = ["Progress", "Settings", "Training", "td"]

PLIES = 4096
"""A game is learned from so many positions; one that is longer is broken off there, as if it went on as expected."""
ACTIVE = 1 << 18
"""The active inputs of all positions of a game."""
OUTPUTS = 16
TOGETHER = 64
"""So many games are played at one rate."""

_WORK = record_type(
    [(name, np.int64) for name in ("stop", "games", "plies", "seen", "positions")]
    + [
        ("first", np.int64, (PLIES + 1,)),
        ("viewer", np.int64, (PLIES,)),
        ("is_random", np.int64, (PLIES,)),
        ("best", np.float32, (PLIES, OUTPUTS)),
        ("index", np.int32, (ACTIVE,)),
        ("value", np.float32, (ACTIVE,)),
    ]
)
"""One thread's game: for each position where its active inputs begin, whose view they are, whether a random move
followed and what the best would have led to."""


# ---- compiled: a game, and learning from it


@native
def play_and_learn(game, start, w, random, games, rate, trace, explore):  # type: ignore[no-untyped-def]
    """Play so many games against oneself, and learn from each."""
    for _ in range(games):
        if w.stop:
            break
        end = play(game, start, w, random, explore)
        learn_from(game, end, w, rate, trace)
        w.games += 1
    return w.games


@native
def play(game, start, w, random, explore):  # type: ignore[no-untyped-def]
    """A game, its positions noted in `w`; the state at its end, or where there is no more room for notes."""
    s = start
    w.seen = 0
    note(game, s, w, False)
    while not game.is_terminal(s) and w.seen < PLIES and w.first[w.seen] < ACTIVE - MOST_ACTIVE:
        if game.chance and game.player(s) == CHANCE:
            s = game.result(s, choose(game, s, random))
            if not game.is_terminal(s):
                note(game, s, w, True)
            continue
        p, best_value, best = game.player(s), -inf, s
        for a in game.actions(s):
            after = game.result(s, a)
            v = game.evaluate(after, p)
            w.positions += 1
            if v > best_value:
                best_value, best = v, after
        if explore > 0.0 and unit(random) < explore:
            note_best(game, best, w)
            best = game.result(s, game.sample(s, word(random)))
        s = best
        if not game.is_terminal(s):
            note(game, s, w, False)
    return s


@native
def note(game, s, w, unless_same):  # type: ignore[no-untyped-def]
    """Write down a position as the model sees it; after a throw of dice only if it sees them."""
    on = new_active(game.model_inputs, game.model_most)
    game.model_see(s, on)
    if unless_same and is_same(w, on):
        w.viewer[w.seen - 1] = game.viewer(s)
        return
    first = w.first[w.seen]
    for k in range(len(on)):
        w.index[first + k] = on.index(k)
        w.value[first + k] = on.value(k)
    w.viewer[w.seen] = game.viewer(s)
    w.is_random[w.seen] = 0
    w.seen += 1
    w.first[w.seen] = first + len(on)


def is_same(w: Any, on: Any) -> bool:
    """Whether the last position noted has just these inputs."""
    first, end = w.first[w.seen - 1], w.first[w.seen]
    if end - first != len(on):
        return False
    k = 0
    while k < len(on) and w.index[first + k] == on.index(k) and w.value[first + k] == on.value(k):
        k += 1
    return k == len(on)


@native
def note_best(game, best, w):  # type: ignore[no-untyped-def]
    """Write down what the best move leads to, for the player of the last position: a random one follows."""
    y, viewer = scratch(game.model_room), w.viewer[w.seen - 1]
    if game.is_terminal(best):
        game.model_result(best, viewer, y)
    else:
        on = new_active(game.model_inputs, game.model_most)
        game.model_see(best, on)
        game.model_guess(on, y)
        if game.viewer(best) != viewer:
            game.model_turn(y)
    w.is_random[w.seen - 1] = 1
    for j in range(game.model_outputs):
        w.best[w.seen - 1, j] = y[j]


@native
def learn_from(game, end, w, rate, trace):  # type: ignore[no-untyped-def]
    """Learn the positions of a game from the last to the first."""
    on = new_active(game.model_inputs, game.model_most)
    y, target = scratch(game.model_room), scratch(game.model_room)
    viewer = w.viewer[w.seen - 1]
    if game.is_terminal(end):
        game.model_result(end, viewer, target)
    else:
        recall(w, w.seen - 1, on)
        game.model_guess(on, target)
    for back in range(w.seen):
        t = w.seen - 1 - back
        if w.viewer[t] != viewer:
            game.model_turn(target)
            viewer = w.viewer[t]
        if w.is_random[t]:
            for j in range(game.model_outputs):
                target[j] = w.best[t, j]
        recall(w, t, on)
        game.model_learn(on, target, rate)
        game.model_guess(on, y)
        for j in range(game.model_outputs):
            target[j] = trace * target[j] + (1.0 - trace) * y[j]
    w.plies += w.seen


def recall(w: Any, t: int, on: Any) -> None:
    """The inputs of the position number `t` of the game."""
    on.clear()
    for k in range(w.first[t], w.first[t + 1]):
        on.add(w.index[k], w.value[k])


# ---- training


class Settings(NamedTuple):
    """How to train. The rate falls from the first to the last, by the same part with each game."""

    games: int
    rate: tuple[float, float]
    trace: float
    explore: float
    threads: int = 1
    seed: int = 0

    def must_be_sensible(self) -> None:
        must_be_threads(self.threads)
        if self.games < 1:
            raise UserError(f"a training has one game or more, not {self.games}")
        if not 0.0 <= self.trace <= 1.0:
            raise UserError(f"a trace (lambda) is a number from 0 to 1, not {self.trace}")
        if not 0.0 <= self.explore <= 1.0:
            raise UserError(f"explore is how often to move at random, from 0 to 1, not {self.explore}")

    def rate_at(self, game: int) -> float:
        """The rate of a game, the same for `TOGETHER` of them."""
        first, last = self.rate
        part = game // TOGETHER * TOGETHER / self.games
        return float(first * (last / first) ** part) if last > 0.0 else first


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

    def __init__(self, game: Game, model: Model, settings: Settings) -> None:
        settings.must_be_sensible()
        if model.outputs > OUTPUTS:
            raise UserError(f"a model with {model.outputs} outputs cannot be trained; {OUTPUTS} is the most")
        self.game: Game = game.with_model(model)
        self.model, self.settings = model, settings
        self.seconds = 0.0
        self._start = game.initial()
        self._lock = threading.Lock()
        self._taken = 0  # games that some thread has played or plays
        self._last = settings.games  # games to play before `run` ends
        self._stopped = False
        self._works = [new_record(_WORK) for _ in range(settings.threads)]
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

    def _play(self, thread: int, deadline: float) -> None:
        """What a thread does: take some games, play them, take more."""
        settings = self.settings
        try:
            while not self._stopped:
                with self._lock:
                    first = self._taken
                    number = min(TOGETHER - first % TOGETHER, self._last - first)
                    self._taken += number
                if number <= 0:
                    return
                self._learn(thread, number, settings.rate_at(first))
                if time.perf_counter() >= deadline:
                    return
        except BaseException:
            self.stop()
            raise

    def _learn(self, thread: int, number: int, rate: float) -> None:
        """Play so many games in a thread, and learn from them."""
        settings, w, random = self.settings, self._works[thread], self._randoms[thread]
        play_and_learn(self.game, self._start, w, random, number, rate, settings.trace, settings.explore)

    # ---- on paper

    def state(self) -> dict[str, Any]:
        """All that it needs besides the weights to go on as if nothing had happened."""
        counts = [{name: int(w[name]) for name in ("games", "plies", "positions")} for w in self._works]
        random = [int(source.counter) for source in self._randoms]
        return {"settings": self.settings._asdict(), "counts": counts, "random": random, "seconds": self.seconds}

    def take_up(self, state: dict[str, Any]) -> None:
        """Go on from there."""
        before = Settings(**{**state["settings"], "rate": tuple(state["settings"]["rate"])})
        if before != self.settings:
            changed = [name for name in Settings._fields if getattr(before, name) != getattr(self.settings, name)]
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
    threads: int = 1,
    seed: int = 0,
    progress: Callable[[Progress], None] | None = None,
    checkpoint: str | Path | None = None,
    every: float = 10.0,
) -> Progress:
    """Train the model by games against itself, in place; how far it came.

    `rate` is one number, or the first and the last; `trace` is λ; `explore` is how often to move at random, by default
    one move in ten, and never where there are dice. `every` so many seconds the model is written to the file
    `checkpoint`, and ten times as often `progress` is called. If the file exists already, the training that was begun
    there goes on. At ctrl-C what was learned is kept, and written.
    """
    explores = (0.0 if game.chance else 0.1) if explore is None else explore
    settings = Settings(games, model.rates(rate), model.trace if trace is None else trace, explores, threads, seed)
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
    if file is not None and file.exists():
        resume(training, file)
    how = {"method": method, **settings._asdict(), "rate": list(settings.rate)}
    written = time.perf_counter()
    with suppress(KeyboardInterrupt):
        while not training.progress.is_done:
            training.run(every / 10)
            if progress is not None:
                progress(training.progress)
            if file is not None and time.perf_counter() - written >= every:
                save(model, file, training.state())
                written = time.perf_counter()
    if model.pedigree and how.items() <= model.pedigree[-1].items():  # it was stopped before, and went on
        model.pedigree.pop()
    model.pedigree.append({**how, "played": training.games, "seconds": round(training.seconds, 1)})
    if file is not None:
        save(model, file, training.state())
    return training.progress
