"""A player that is another program, whatever its protocol, and what happens when it fails.

A text names the program as in a shell, and after commas what it is told, `name=value` each:

    uci:stockfish,UCI_Elo=2000,seconds=0.1
    gtp:gnugo --mode gtp --level 1

`seconds`, `nodes` and `depth` limit a move. `patience` is how many seconds longer than that we wait for one.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

from counterplay.arena.outside.process import Child, Lost
from counterplay.arena.timing import TimeLeft
from counterplay.core.game import Game, UserError, listed_actions
from counterplay.core.texts import read_value
from counterplay.search.limits import Limits

__all__ = ["Forfeit", "Order", "Program", "Resignation", "action_between", "find_program", "is_installed", "read_order"]

START_SECONDS = 60.0
"""That a program has to say that it is ready."""
LEAVE_SECONDS = 2.0
"""That it has to leave; then it is killed."""
PATIENCE = 60.0
"""How much longer than it was told to take a program may take for a move."""
MOVE_SECONDS = 600.0
"""What it may take if it was told nothing about time."""

_LIMITS = {"seconds": float, "nodes": int, "depth": int, "patience": float}
_SETTING = re.compile(r",(?=\s*\w[\w .-]*=)")
"""The comma before a setting; a name may have blanks in it, as `Skill Level` has."""
_PLACES = ("/usr/games", "/usr/local/games")
"""Where Debian has programs that play; they are not on everybody's path."""


class Forfeit(UserError):
    """A player that cannot go on and loses the game by it: who, and why."""


class Resignation(Forfeit):
    """A player that gives up, which it may."""


class Order(NamedTuple):
    """What a text says about a player that is a program."""

    text: str
    command: tuple[str, ...]
    options: dict[str, str]
    """What the program itself is told."""
    limits: Limits
    patience: float | None


def read_order(kind: str, text: str, given: Mapping[str, Any], has_command: bool = True) -> Order:
    """The order of the text after `kind:`. `given` are the limits that hold where it has none."""
    command, *parts = _SETTING.split(text if has_command else f",{text}")
    options: dict[str, str] = {}
    for part in parts:
        name, _, value = part.partition("=")
        options[name.strip()] = value.strip()
    limits = {name: value for name, value in given.items() if name in _LIMITS}
    for name in _LIMITS.keys() & options.keys():
        value = read_value(options.pop(name))
        if isinstance(value, bool) or not isinstance(value, int | _LIMITS[name]):
            raise UserError(f"'{kind}:{text}': {name} is a number, not '{value}'")
        limits[name] = value
    patience = limits.pop("patience", None)
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UserError(f"'{kind}:{text}' is no command: {error}") from None
    return Order(f"{kind}:{text}", words, options, Limits(**limits), patience)


def find_program(name: str) -> str:
    """The path of a program, also of those that Debian keeps for games."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *_PLACES))
    found = shutil.which(name, path=path)
    if found is None:
        raise UserError(
            f"there is no program '{name}' on the path; install it (Debian: apt install {name}) or name its file"
        )
    return found


def is_installed(name: str) -> bool:
    """Whether there is such a program."""
    with suppress(UserError):
        return bool(find_program(name))
    return False


class Program(ABC):
    """A player that is a program. It is started for its first move; if it is lost, once more, and then it forfeits."""

    kind: ClassVar[str]
    """What stands before the colon of its text."""
    example: ClassVar[str]
    needs_limit: ClassVar[bool] = False
    """Whether it thinks for ever if nobody says how long."""

    def __init__(self, game: Game, order: Order) -> None:
        self.must_suit(game)
        if not order.command:
            raise UserError(f"'{order.text}' names no program; write it like '{self.example}'")
        if self.needs_limit and order.limits == Limits():
            raise UserError(f"'{order.text}' needs a limit, as in '{self.example},seconds=0.1'")
        self.game, self.order = game, order
        self._command = (find_program(order.command[0]), *order.command[1:])
        self._child: Child | None = None
        self._was_lost = False
        self._clocks: Sequence[TimeLeft] | None = None
        self._known: list[Any] = []
        self._moves: list[int] = []

    # ---- what each protocol has of its own

    @classmethod
    @abstractmethod
    def must_suit(cls, game: Game) -> None:
        """Raise UserError for a game that the protocol is not for."""

    @abstractmethod
    def _greet(self) -> None:
        """Make a program that has just been started ready for the game."""

    @abstractmethod
    def _ask(self, states: Sequence[Any]) -> str:
        """What it plays at the last of the states, in its own words."""

    def _action(self, s: Any, name: str) -> int:
        """The legal action that it means."""
        return int(self.game.parse_action(s, name))

    def _leave(self) -> None:
        """Say goodbye."""
        self.send("quit")

    # ---- a player

    def choose(self, states: Sequence[Any]) -> int:
        name = self._answer(states)
        try:
            a = self._action(states[-1], name)
        except UserError:
            a = None
        if a is None or a not in listed_actions(self.game, states[-1]):
            raise self.forfeit(f"plays '{name}', which is not legal")
        return a

    def prepare(self) -> None:
        """Start the program, so that it takes no time at its first move."""
        if self._child is None:
            try:
                self._start()
            except (Lost, Forfeit) as error:  # no game has begun: the user has to mend it
                self._end()
                what = f"{self.order.text} {error}" if isinstance(error, Lost) else error
                raise UserError(f"{what}, before it was ready") from None

    def tell_time(self, clocks: Sequence[TimeLeft]) -> None:
        """What each seat has on its clock at the next move; the program keeps its time itself then."""
        self._clocks = clocks

    def close(self) -> None:
        """Let the program leave, or end it."""
        if self._child is not None:
            with suppress(Lost):
                self._leave()
            self._end(LEAVE_SECONDS)

    def _answer(self, states: Sequence[Any]) -> str:
        while True:
            try:
                if not self._was_lost:
                    self.prepare()
                elif self._child is None:
                    self._start()
                return self._ask(states)
            except Lost as lost:
                self._end()
                if self._was_lost:
                    raise self.forfeit(f"{lost}; it had been started again once") from None
                self._was_lost = True
            except BaseException:  # ctrl-C among others: whatever it says from now on is no answer
                self._end()
                raise

    def _start(self) -> None:
        self._child = Child(self._command, self._environment())
        self._known, self._moves = [], []
        self._greet()

    def _end(self, patience: float = 0.0) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.close(patience)

    def _environment(self) -> Mapping[str, str] | None:
        """What it should find in its environment."""
        return None

    def forfeit(self, why: str) -> Forfeit:
        return Forfeit(f"{self.order.text} {why}")

    # ---- for the protocols

    def send(self, line: str) -> None:
        assert self._child is not None  # it was started
        self._child.send(line)

    def lines(self, seconds: float) -> Iterator[str]:
        """What it says, for so many seconds in all; then it is lost."""
        assert self._child is not None  # it was started
        until = time.monotonic() + seconds
        while True:
            yield self._child.line(until)

    @property
    def move_seconds(self) -> float:
        """How long we wait for a move."""
        seconds = self.order.limits.seconds
        if self._clocks is not None:
            seconds = max(left.total for left in self._clocks)
        if self.order.patience is not None:
            return (seconds or 0.0) + self.order.patience
        return MOVE_SECONDS if seconds is None else seconds + PATIENCE

    def moves(self, states: Sequence[Any]) -> list[int]:
        """The actions between the states. Those that were found before are not looked for again."""
        found = len(self._known)
        if list(states[:found]) != self._known:  # another game, or one that was taken back
            found, self._moves = 0, []
        between = pairwise(states[max(0, found - 1) :])
        self._moves += [action_between(self.game, before, after) for before, after in between]
        self._known = list(states)
        return self._moves


def action_between(game: Game, before: Any, after: Any) -> int:
    """The action that leads from a state to the next."""
    return next(int(a) for a in game.actions(before) if game.result(before, a) == after)
