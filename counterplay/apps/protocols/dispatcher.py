"""Gives each line of input to a protocol, one after the other, and lets no line end the process.

Everything happens in one thread, in the order of a queue: lines come from the thread that reads, what a search finds
from the threads that search. A line that needs the engine waits while it thinks; those that a protocol declares to be
urgent do not.
"""

from __future__ import annotations

import re
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from functools import partial
from math import inf
from queue import Empty, SimpleQueue
from typing import ClassVar

from counterplay import native
from counterplay.apps.protocols.lines import LONGEST, Line
from counterplay.apps.protocols.thinker import Thinker
from counterplay.core.game import Game, UserError
from counterplay.core.texts import printable

__all__ = ["Dispatcher", "Protocol"]

_MOST_WAITING = 10_000
"""Lines that may wait for a search to end; whoever sends more is told so."""
_MOST_UNHEARD = 10_000
"""Lines that are read ahead of the one that is being answered."""
_GRACE_SECONDS = 10.0
"""When the input has ended, a search that has an end of its own gets so much time for it."""
_LONGEST_ANSWER = 500
"""Characters of what was wrong with a line; it may have all of the line in it."""


class Protocol(ABC):
    """A protocol: what each command means, and how things are said. A command `x` is the method `do_x`."""

    urgent: ClassVar[frozenset[str]] = frozenset()
    """Commands that are answered while a search goes on."""
    early: ClassVar[frozenset[str]] = frozenset()
    """Commands that are answered while the first search is being compiled, too."""
    games: ClassVar[tuple[type[Game], ...]] = (Game,)
    """What it is for."""
    begins_warm: ClassVar[bool] = True
    """Whether it is worth while to compile the game at once, because it will not be changed."""

    def __init__(self, thinker: Thinker, say: Callable[[str], None]) -> None:
        self.thinker, self.say = thinker, say
        self.is_over = False
        """Whether it was told to quit."""

    def answer(self, text: str) -> None:
        """Do what a line says. What is wrong with it is raised as a UserError, before anything has changed."""
        command, _, rest = text.strip().partition(" ")
        if command:
            self.command(command)(rest.strip())

    def command(self, name: str) -> Callable[[str], None]:
        """What a command does, given the rest of the line."""
        found: Callable[[str], None] | None = None
        if re.fullmatch(r"[A-Za-z][\w-]*", name, re.ASCII):
            found = getattr(self, f"do_{name.replace('-', '_')}", None)
        if found is None:
            raise UserError(f"unknown command '{name}'")
        return found

    @classmethod
    def commands(cls) -> list[str]:
        """The names of all commands."""
        return sorted(name.removeprefix("do_") for name in dir(cls) if name.startswith("do_"))

    @abstractmethod
    def complain(self, text: str, why: str) -> None:
        """Say that a line was wrong, in the protocol's own words."""

    @property
    def is_busy(self) -> bool:
        """Whether lines that are not urgent have to wait."""
        return self.thinker.is_thinking

    def is_urgent(self, text: str) -> bool:
        """Whether a line is answered though the engine is busy."""
        command = (text.split() or [""])[0]
        return command in (self.early if self.thinker.is_warming else self.early | self.urgent)

    def release(self) -> None:  # noqa: B027  (most have nothing that waits)
        """Nobody will say any more that an open search may be answered: do it now."""


class Dispatcher:
    """The events of one engine process."""

    def __init__(
        self, game: Game, kind: Callable[[Thinker, Callable[[str], None]], Protocol], say: Callable[[str], None]
    ) -> None:
        self._events: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.thinker = Thinker(game, self._events.put)
        self.protocol = kind(self.thinker, say)
        self._waiting: deque[Line] = deque()
        self._room = threading.Semaphore(_MOST_UNHEARD)
        self._has_ended = False
        self._last_line = 0.0

    def hear(self, line: Line | None) -> None:
        """A line has come, or the end of them; from any thread, which waits if too many have not been taken yet."""
        self._room.acquire()
        self._events.put(partial(self._take_heard, line))

    def serve(self) -> None:
        """Take what comes until the input ends or the protocol is told to quit."""
        if self.protocol.begins_warm:
            self.thinker.warm_up()
        try:
            while not self.is_over:
                self.step()
        finally:
            self.thinker.close()

    @property
    def is_over(self) -> bool:
        return self.protocol.is_over or (self._has_ended and not self._waiting and not self._is_searching)

    @property
    def _is_searching(self) -> bool:
        return self.protocol.is_busy and not self.thinker.is_warming

    def step(self) -> None:
        """Take one event, or stop a search whose time is up."""
        if self._has_ended and self.protocol.is_busy:
            self.protocol.release()
        if time.monotonic() >= self.thinker.deadline:  # there may be events without end
            self.thinker.stop()
        deadline = self.thinker.deadline
        if self._has_ended:
            deadline = min(deadline, self._last_line + _GRACE_SECONDS)
        try:
            event = self._events.get(timeout=None if deadline == inf else max(0.0, deadline - time.monotonic()))
        except Empty:
            self._last_line = time.monotonic()
            if self._last_line >= self.thinker.deadline or not native.is_compiling():  # that is no thinking
                self.thinker.stop()
            return
        self._guarded("", event)
        while self._waiting and not self.protocol.is_busy and not self.protocol.is_over:
            for _ in range(len(self._waiting)):  # each once: if one begins a search, those after it wait again
                self._take(self._waiting.popleft())

    def _take_heard(self, line: Line | None) -> None:
        self._room.release()
        self._take(line)

    def _take(self, line: Line | None) -> None:
        self._last_line = time.monotonic()
        if line is None:
            self._has_ended = True
        elif not self.protocol.is_busy or self.protocol.is_urgent(line.text):
            self._answer(line)
        elif len(self._waiting) >= _MOST_WAITING:
            self.protocol.complain(line.text, "too many lines wait for the search to end; this one is left out")
        else:
            self._waiting.append(line)

    def _answer(self, line: Line) -> None:
        self._last_line = time.monotonic()
        if line.is_whole:
            self._guarded(line.text, partial(self.protocol.answer, line.text))
        else:
            self.protocol.complain("", f"the line has more than {LONGEST:,} bytes")

    def _guarded(self, text: str, work: Callable[[], None]) -> None:
        """Do something, and say in one line what goes wrong."""
        try:
            work()
        except BrokenPipeError:  # nobody listens any more
            self.protocol.is_over = True
        except Exception as error:
            why = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
            self.protocol.complain(text, in_a_line(why))


def in_a_line(text: str) -> str:
    """A text of anybody's that is fit to be part of an answer."""
    return printable(" ".join(text.split()), _LONGEST_ANSWER)
