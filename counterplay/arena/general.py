"""A general player: it meets a game it has never seen, has some time to look at it, and then some for each move.

Before the first move everything is compiled, and alpha-beta tries to solve the game. Then, at each move:

    nothing hidden      alpha-beta for a part of the time, and what it finds if that is proven, be it a puzzle for one;
                        else Monte Carlo tree search, of several games at once where the game has `playouts`
    moves at once       a strategy close to an equilibrium, if the game is small; else the move that did best in
                        random games

Whatever happens, there is a legal move when the time is up.
"""

from __future__ import annotations

import contextvars
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from contextlib import suppress
from typing import Any

from counterplay import search, solve
from counterplay.arena.practice import practise
from counterplay.core.game import Game, UserError, listed_actions
from counterplay.core.randomness import new_random, word
from counterplay.core.views import view

__all__ = ["GeneralPlayer"]

_SOLVING = 0.25
"""The share of the time in which alpha-beta may prove something."""
_MOST_UNFOLDED = 200_000
"""Histories of a game whose equilibrium is computed before the first move."""
_ITERATIONS = 2_000
_LARGE = 500
"""Words of memory for many playouts at once; of smaller games one after the other is as good (docs/gdl.md)."""
_LATE_SECONDS = 0.05
"""How long after its time a search may take to say what it has found."""


class GeneralPlayer:
    """Plays a seat of any game within its clocks."""

    def __init__(self, game: Game, seat: int, seed: int = 0) -> None:
        self.game, self.seat = game, seat
        self.plan = "random"
        """How it will choose, as far as it knows by now: `random`, `mcts`, `solved`, `equilibrium` or `samples`."""
        self._random = new_random(seed)
        self._engines: dict[str, search.Engine] = {}
        self._strategy: solve.Strategy | None = None
        self._worker = ThreadPoolExecutor(1, "general player")

    def prepare(self, seconds: float) -> None:
        """Look at the game for so long; what takes longer goes on, and what is known by then is used."""
        self._within(seconds, self._study)

    def choose(self, states: Sequence[Any], seconds: float) -> int:
        """An action at the last of `states`, where it is this seat's turn, in so many seconds."""
        found = self._within(seconds, lambda deadline: self._think(states, deadline))
        actions = listed_actions(self.game, states[-1])
        return found if found in actions else actions[word(self._random) * len(actions) >> 32]

    def close(self) -> None:
        """The game is over."""
        self._stop()
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _stop(self) -> None:
        for engine in self._engines.values():
            engine.stop()

    def _within(self, seconds: float, task: Callable[[float], Any]) -> Any:
        """What a task with that deadline gives, or None if it is not ready in time or fails."""
        context = contextvars.copy_context()  # whether all is interpreted, for one
        work: Future[Any] = self._worker.submit(context.run, task, time.monotonic() + seconds)
        with suppress(TooLate, UserError):
            try:
                return work.result(max(seconds, 0.0))
            except TooLate:
                if work.cancel():  # it has not begun: something else takes long
                    raise
                self._stop()
                return work.result(_LATE_SECONDS)
        return None

    # ---- in the other thread

    def _study(self, deadline: float) -> None:
        game = self.game
        if not game.perfect_information:
            self.plan = "samples"
            if game.players == 2:
                with suppress(solve.TooLarge):
                    solve.unfold(game, _MOST_UNFOLDED)
                    self._strategy = solve.equilibrium(game, iterations=_ITERATIONS)
                    self.plan = "equilibrium"
            return
        is_duel = game.players == 1 or (game.players == 2 and game.zero_sum)
        is_wide = game.knows.playouts and game.playout_words > _LARGE
        settings = {"solver": is_duel, "wide": is_wide, "memory_mb": 64}
        self._engines["mcts"] = search.new_engine("mcts", game, **settings)
        practise(self._engines["mcts"])
        self.plan = "mcts"
        if is_duel:
            deep = search.new_engine("alphabeta", game, table_mb=32)
            practise(deep)
            self._engines["alphabeta"] = deep
            seconds = 0.5 * (deadline - time.monotonic())
            if seconds > 0 and deep.search(game.initial(), search.Limits(seconds=seconds)).proven:
                self.plan = "solved"

    def _think(self, states: Sequence[Any], deadline: float) -> int | None:
        *earlier, s = states
        if self._strategy is not None:
            return self._strategy.choose(view(self.game, s, self.seat), self._random)
        if self.plan == "samples":
            return self._best_of_samples(s, deadline)
        for name, share in (("alphabeta", 1.0 if self.plan == "solved" else _SOLVING), ("mcts", 1.0)):
            seconds = share * (deadline - time.monotonic())
            if name in self._engines and seconds > 0:
                found = self._engines[name].search(s, search.Limits(seconds=seconds), history=earlier)
                is_lost = found.values[self.seat] <= self.game.utility_range[0]
                if name == "mcts" or (found.proven and not is_lost):
                    return found.action
        return None

    def _best_of_samples(self, s: Any, deadline: float) -> int:
        """The action after which random games went best; what others have chosen already is any of their choices."""
        game, actions = self.game, listed_actions(self.game, s)
        totals, rounds = dict.fromkeys(actions, 0.0), 0
        while rounds == 0 or time.monotonic() < deadline:
            for a in actions:
                end = search.playout(game, game.result(s, a), self._random)
                totals[a] += game.utility(end, self.seat)
            rounds += 1
        best: Callable[[int], float] = totals.__getitem__
        return max(actions, key=best)
