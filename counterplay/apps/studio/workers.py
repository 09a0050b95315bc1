"""Processes that think, so that the server never does.

A job is a function of `jobs.py` by its name, with a game and plain arguments. The most urgent job that waits goes to
the next process that is free; each process does one at a time. Whoever asked hears of progress and of the end, in a
thread of the pool. A job that is cancelled is asked to stop, and if it does not, its process is killed: so it is with
one that takes too long. What it compiles meanwhile it compiles to the end, as the next job will need it. Every process
has a bound on its memory and is replaced when it has grown.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import PriorityQueue
from typing import Any

from counterplay import games, native
from counterplay.core.game import Game, UserError

__all__ = ["Job", "Tell", "Workers"]

_STOP_SECONDS = 0.5
"""That a job has to hear that it is not wanted any more."""
_GRACE_SECONDS = 90.0
"""On top of what a job may take: to compile, on a machine with much else to do."""
_POLL_SECONDS = 0.02
_MOST_BYTES = 6 << 30
"""Of address space for a process; half a gigabyte of it is a search's stack, which is mostly never touched."""
_GROWN_KB = 1_500_000
"""A process that has used more is replaced after its job."""
_TELL_SECONDS = 0.1
_LOOK_SECONDS = 0.2
"""Between two looks whether something is compiled; less than a job has to stop."""


@dataclass(order=True)
class Job:
    """Something to think about."""

    urgency: int
    """Small numbers first."""
    number: int
    kind: str = field(compare=False)
    game: str = field(compare=False)
    """What loads the game; never the page's own words."""
    arguments: dict[str, Any] = field(compare=False)
    seconds: float = field(compare=False)
    """After so many it is ended, and so long again to compile."""
    tell: Callable[[str, Any], None] = field(compare=False)
    """Hears `progress`, and at the end `done` or `failed`; nothing after it was cancelled."""
    is_cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        """Nobody wants to know any more."""
        self.is_cancelled = True


class Workers:
    """So many processes: one that is ready at once, the others started when there is work for them."""

    def __init__(self, number: int) -> None:
        self._waiting: PriorityQueue[Job] = PriorityQueue()
        self._numbers = itertools.count()
        self._is_closed = False
        self._threads = [threading.Thread(target=self._serve, args=(i == 0,), daemon=True) for i in range(number)]
        for thread in self._threads:
            thread.start()

    def begin(
        self,
        kind: str,
        game: str,
        arguments: dict[str, Any],
        tell: Callable[[str, Any], None],
        *,
        seconds: float = 30.0,
        urgency: int = 1,
    ) -> Job:
        """Have something thought about."""
        job = Job(urgency, next(self._numbers), kind, game, arguments, seconds, tell)
        self._waiting.put(job)
        return job

    @property
    def waiting(self) -> int:
        """How many jobs nobody has begun; among them may be some that nobody wants any more."""
        return self._waiting.qsize()

    def close(self) -> None:
        """End all that runs."""
        self._is_closed = True
        for _ in self._threads:
            self._waiting.put(Job(-1, next(self._numbers), "", "", {}, 0.0, lambda *_: None, True))
        for thread in self._threads:
            thread.join()

    def _serve(self, at_once: bool) -> None:
        process = _Process() if at_once else None
        while not self._is_closed:
            job = self._waiting.get()
            if job.is_cancelled:
                continue
            if process is None or not process.is_alive:
                process = _Process()
            if not process.do(job, lambda: self._is_closed):
                process.kill()
                process = None
        if process is not None:
            process.kill()


class _Process:
    """A process, seen from the server."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, _is_interpreted()), daemon=True)
        self._process.start()
        theirs.close()

    @property
    def is_alive(self) -> bool:
        return bool(self._process.is_alive())

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
        self._ours.close()

    def do(self, job: Job, is_closed: Callable[[], bool]) -> bool:
        """Have a job done; whether the process can be used again."""
        until, give_up = time.monotonic() + job.seconds + _GRACE_SECONDS, None
        is_compiling = False

        def is_unwanted() -> bool:
            return job.is_cancelled or is_closed()

        try:
            self._ours.send((job.kind, job.game, job.arguments, job.seconds))
            while True:
                if self._ours.poll(_POLL_SECONDS):
                    what, said = self._ours.recv()
                    if what == "compiling":
                        is_compiling = said
                    elif not is_unwanted():
                        _tell(job, what, said)
                    if what in ("done", "failed"):
                        return not self._has_grown()
                now = time.monotonic()
                if give_up is None and is_unwanted():
                    self._ours.send("stop")
                    give_up = now + _STOP_SECONDS
                if give_up is not None and is_compiling and not is_closed():
                    give_up = now + _STOP_SECONDS
                if give_up is not None and now > give_up:
                    return False
                if now > until:
                    _tell(job, "failed", "this takes too long; ask for less")
                    return False
        except (EOFError, OSError):
            if not is_unwanted():
                _tell(job, "failed", "the process that thought about this has ended: did it need too much memory?")
            return False

    def _has_grown(self) -> bool:
        try:
            with open(f"/proc/{self._process.pid}/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") > _GROWN_KB * 1024
        except (OSError, ValueError):  # elsewhere than on Linux
            return False


def _tell(job: Job, what: str, said: Any) -> None:
    """Tell whoever asked. A mistake there, of somebody's rules mostly, must not end the thread that serves all."""
    try:
        job.tell(what, said)
    except Exception:
        traceback.print_exc()


def _is_interpreted() -> bool:
    """Whether everything is to run interpreted, as for the server itself."""
    return os.environ.get("COUNTERPLAY_INTERPRETED", "") not in ("", "0")


# ---- in the other process


class Tell:
    """Follows what a job does, as the `progress` of a search too, and ends it when nobody wants it any more."""

    def __init__(self, connection: Any, seconds: float) -> None:
        self._connection, self._until = connection, time.monotonic() + seconds
        self._one_at_a_time = threading.Lock()
        self._last = 0.0
        self.is_stopped = False
        self.describe: Callable[[Any], Any] | None = None
        """Makes a message of a search's result, at each new depth."""

    def __call__(self, tally: Any) -> None:
        """About ten times a second, with the tally of a search."""
        if self.is_over:
            tally.stop = 1

    @property
    def left(self) -> float:
        """Seconds that the job still has."""
        return self._until - time.monotonic()

    @property
    def is_over(self) -> bool:
        return self.is_stopped or self.left < 0

    def found(self, result: Any) -> None:
        if self.describe is not None and time.monotonic() - self._last > _TELL_SECONDS:
            self._last = time.monotonic()
            self.say(self.describe(result))

    def say(self, what: Any) -> None:
        """A word on the way."""
        self.send("progress", what)

    def compiles(self, does: bool) -> None:
        """Whether machine code is made at this time."""
        self.send("compiling", does)
        if does:
            self.say({"compiling": True})

    def send(self, what: str, said: Any) -> None:
        """To the server, from whichever thread."""
        with self._one_at_a_time:
            self._connection.send((what, said))


def _work(connection: Any, is_interpreted: bool) -> None:
    """Do what comes, until nobody is there any more."""
    from counterplay.apps.studio import jobs

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _bound_memory()
    with suppress(AttributeError, OSError):  # Windows has no such thing
        os.nice(10)  # pages are answered first
    current: list[Tell] = []
    orders: list[Any] = []
    has_order = threading.Semaphore(0)

    def listen() -> None:
        with suppress(EOFError, OSError):
            while True:
                if (order := connection.recv()) == "stop":
                    for tell in current:
                        tell.is_stopped = True
                else:
                    orders.append(order)
                    has_order.release()
        os._exit(0)  # the server is gone

    threading.Thread(target=listen, daemon=True).start()
    known: dict[str, Game] = {}
    with suppress(BrokenPipeError):
        while has_order.acquire():
            kind, text, arguments, seconds = orders.pop(0)
            tell = Tell(connection, seconds)
            current[:] = [tell]
            done = threading.Event()
            threading.Thread(target=_say_compiling, args=(tell, done), daemon=True).start()
            try:
                if text and text not in known:
                    known[text] = games.load(text)
                answer = ("done", getattr(jobs, kind)(known.get(text), tell, **arguments))
            except UserError as error:
                answer = ("failed", str(error))
            except KeyboardInterrupt:
                answer = ("failed", "stopped")
            except MemoryError:
                answer = ("failed", "this needs more memory than it may have")
            except Exception as error:  # of a user's rules, mostly
                answer = ("failed", f"{type(error).__name__}: {error}")
            done.set()
            current.clear()
            tell.send(*answer)


def _say_compiling(tell: Tell, done: threading.Event) -> None:
    """Let the page know why nothing happens yet, and the server why nothing stops."""
    was_compiling = False
    with suppress(OSError):
        while not done.wait(_LOOK_SECONDS):
            if native.is_compiling() != was_compiling:
                was_compiling = not was_compiling
                tell.compiles(was_compiling)


def _bound_memory() -> None:
    with suppress(ImportError, ValueError, OSError):  # Windows has no such thing
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
