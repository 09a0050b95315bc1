"""An engine: a search as an object that can be asked again, stopped, and asked what it can do.

    engine = search.AlphaBeta(game, table_mb=64)
    engine.search(s, Limits(seconds=1))        the best move; what was seen is remembered for the next one
    job = engine.start(s)                      the same beside what you do; job.stop(), job.done, job.result()
    engine.stop()                              ends the search that is going on, from any thread
    engine.new_game()                          forget everything

Many engines may search at once. One engine answers one question at a time.
"""

from __future__ import annotations

import functools
import inspect
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Concatenate, NamedTuple, ParamSpec

from counterplay.core.game import Game, Position, UserError
from counterplay.search.limits import Limits
from counterplay.search.result import ActionValue, Result, Unsuited
from counterplay.search.run import Job, Progress, new_tally
from counterplay.search.suited import must_be_finite, must_be_open, must_be_opponents
from counterplay.search.tabled import table_answer
from counterplay.search.values import must_be_sane

__all__ = ["Abilities", "Engine", "Request", "of_position", "why_stopped", "with_line"]

P = ParamSpec("P")


@dataclass(frozen=True)
class Abilities:
    """What a search can do, so that nobody needs to know it by its name."""

    limits: tuple[str, ...] = ("depth", "rounds", "nodes", "seconds")
    """The limits that it knows, the usual one first."""
    needs_limit: bool = True
    """Without a limit it goes on to the end of the game, however far that is."""
    every_value: bool = False
    """It has the value of every move, however few are asked for."""
    history: bool = False
    """It sees that a position repeats one before the root."""
    seed: bool = False
    """Something random in it depends on a setting `seed`."""
    threads: bool = False
    """It can search in several threads, by a setting of that name."""
    chance: bool = True
    """It plays games with chance."""
    many_players: bool = False
    """It plays games of three and more players, and of two who are no opponents."""
    hidden: bool = False
    """It plays games in which something is hidden, or moves are made at the same time."""


class Request(NamedTuple):
    """What an engine is asked."""

    state: Any
    limits: Limits
    multi: int
    also: frozenset[int]
    history: Sequence[Any]
    only: frozenset[int] = frozenset()

    @property
    def wants_several(self) -> bool:
        """Whether more is wanted than the value of the best move."""
        return self.multi > 1 or bool(self.also)


class Engine(ABC):
    """A search of one game. Settings are given when it is made, limits with each question."""

    name: ClassVar[str]
    abilities: ClassVar[Abilities] = Abilities()

    def __init__(self, game: Game) -> None:
        self.must_suit(game)
        self.game = game
        self._tallies = [new_tally()]
        self._is_searching = threading.Lock()

    @classmethod
    def must_suit(cls, game: Game) -> None:
        """Raise Unsuited for a game that this search cannot play."""
        if not cls.abilities.hidden:
            must_be_open(game, cls.name)
        if not cls.abilities.many_players:
            must_be_opponents(game, cls.name)
        if game.chance and not cls.abilities.chance:
            raise Unsuited(f"{cls.name} is for games without chance; {game} has chance: use expectiminimax")

    @classmethod
    def suits(cls, game: Game) -> bool:
        """Whether this search can play the game."""
        try:
            cls.must_suit(game)
        except Unsuited:
            return False
        return True

    @classmethod
    def setting_names(cls) -> tuple[str, ...]:
        """What can be set when an engine is made."""
        known = inspect.signature(cls.__init__).parameters.values()
        return tuple(each.name for each in known if each.kind is each.KEYWORD_ONLY)

    # ---- asking

    def search(
        self,
        s: Any = None,
        limits: Limits | None = None,
        *,
        multi: int = 1,
        also: Iterable[int] = (),
        only: Iterable[int] = (),
        history: Sequence[Any] = (),
        progress: Progress | None = None,
    ) -> Result:
        """The best move at `s`, a state or a Position (default: the initial state), as far as the limits allow.

        The values of the `multi` best moves are exact, and those of the actions in `also`, however bad they are. With
        `only` it is as if there were no other actions at `s` than these; what is proven is proven of them.
        `history` has the states before `s`, for games in which a repetition is a draw; a Position has its own.
        """
        request = self._begin(s, limits, multi, also, only, history)
        try:
            return self._sane_answer(request, progress)
        finally:
            self._is_searching.release()

    def start(
        self,
        s: Any = None,
        limits: Limits | None = None,
        *,
        multi: int = 1,
        also: Iterable[int] = (),
        only: Iterable[int] = (),
        history: Sequence[Any] = (),
        progress: Progress | None = None,
        then: Callable[[], None] | None = None,
    ) -> Job[Result]:
        """The same in a thread of its own, in which `progress` is called too, and `then` when it is done."""
        request = self._begin(s, limits, multi, also, only, history)

        def work() -> Result:
            try:
                return self._sane_answer(request, progress)
            finally:
                self._is_searching.release()

        try:
            return Job(work, self.stop, then)
        except BaseException:  # no thread could be started
            self._is_searching.release()
            raise

    def stop(self) -> None:
        """End the search that is going on, within some milliseconds, with what is known by then."""
        for tally in self._tallies:
            tally.stop = 1

    def new_game(self, seed: int | None = None) -> None:  # noqa: B027  (most have nothing to forget)
        """Forget what earlier searches have seen. With a `seed`, all that is random begins anew from it."""

    def hasten(self) -> None:  # noqa: B027  (most are in no hurry)
        """From now on do what gains time in short searches, though that takes longer at first: compile, get memory."""

    def lead(self) -> float | None:
        """While it searches: by how much the best move is ahead, as a part of all that was done for this search.

        If what is left to do is a smaller part, no other move can come before it. None: such a search is not of that
        kind, or has just begun.
        """
        return None

    def _begin(
        self,
        s: Any,
        limits: Limits | None,
        multi: int,
        also: Iterable[int],
        only: Iterable[int],
        history: Sequence[Any],
    ) -> Request:
        """What is asked, proven to make sense; from now on a `stop` counts, and nobody else can ask."""
        game, limits = self.game, limits or Limits()
        if isinstance(s, Position):
            if s.game != game:
                raise UserError(f"this engine plays {game}; the position is one of {s.game}")
            history, s = history or s.history, s.state
        if isinstance(s, str):
            raise UserError(f"a search takes a state or a position, not a text: game.at(position={s[:60]!r})")
        if multi < 1:
            raise UserError(f"multi is the number of best moves wanted, 1 or more, not {multi}")
        for limit in limits.given():
            if limit not in self.abilities.limits:
                raise UserError(f"{self.name} has no limit '{limit}'; it has: {', '.join(self.abilities.limits)}")
        s, allowed = game.initial() if s is None else s, frozenset(only)
        if allowed and (game.is_terminal(s) or not allowed <= set(map(int, game.actions(s)))):
            raise UserError(f"only legal actions can be searched, not all of {sorted(allowed)} are")
        request = Request(s, limits, multi, frozenset(also), history, allowed)
        if not self._is_searching.acquire(blocking=False):
            raise UserError(f"this engine ({self.name}) is searching already; wait, stop it, or make another one")
        for tally in self._tallies:
            tally.stop = tally.strange = 0
        return request

    def _sane_answer(self, request: Request, progress: Progress | None) -> Result:
        """The answer, by a table if there is one that knows it; unless the game has given a value that is none."""
        try:
            known = self._by_table(request)
            return known or must_be_finite(self._answer(request, progress))
        finally:
            for tally in self._tallies:
                must_be_sane(self.game, tally)

    def _by_table(self, request: Request) -> Result | None:
        """What a table knows, if the game has one."""
        if not self.game.knows.solved:
            return None
        return table_answer(self.game, request.state, request.only, request.multi)

    @property
    def _tally(self) -> Any:
        """What the first thread counts while it searches, and its `stop`, which ends it."""
        return self._tallies[0]

    @abstractmethod
    def _answer(self, request: Request, progress: Progress | None) -> Result:
        """Search, and count it in the tallies, of which each thread has one."""


def of_position(function: Callable[Concatenate[Game, P], Result]) -> Callable[Concatenate[Game | Position, P], Result]:
    """A search that takes a game and a state also takes a Position, which has both: `alphabeta(game.at("4 4"), 8)`."""

    def search(game: Game | Position, /, *args: P.args, **kwargs: P.kwargs) -> Result:
        if isinstance(game, Position):
            return function(game.game, game, *args, **kwargs)  # type: ignore[arg-type]
        if not isinstance(game, Game):
            raise UserError(f"a search takes a game or a position, as in games.load('nim'), not {str(game)[:60]!r}")
        return function(game, *args, **kwargs)

    return functools.update_wrapper(search, function)


def with_line(actions: tuple[ActionValue, ...], line: tuple[int, ...]) -> tuple[ActionValue, ...]:
    """The actions, the first one of `line` with that line."""
    return tuple(replace(each, line=line) if line and each.action == line[0] else each for each in actions)


def why_stopped(limits: Limits, nodes: int, seconds: float) -> str:
    """What ended a search that did not get to its end, in a word."""
    if limits.nodes is not None and nodes >= limits.nodes:
        return "nodes"
    return "seconds" if limits.seconds is not None and seconds >= limits.seconds else "interrupted"
