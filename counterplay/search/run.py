"""Running work so that it can be watched, limited and stopped: threads with a deep stack, and what ends them.

Compiled code hears no signals, so a search runs in a thread of its own while the caller's thread keeps the clock,
reports progress and takes ctrl-C. The thread has a large stack: a search goes as deep as the game is long.

Many searches may run at once. The size of the stack is set for the moment in which a thread is started. Python's limit
of recursion belongs to the whole process: it is raised while such a thread has work, and the last one puts it back.
"""

from __future__ import annotations

import contextvars
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from counterplay.core.game import UserError
from counterplay.core.records import new_record, record_type
from counterplay.search.limits import DEEPEST

__all__ = ["MOST_THREADS", "NO_LIMIT", "Helpers", "Job", "Progress", "must_be_threads", "new_tally", "run"]

MOST_THREADS = 256
"""More than any machine of ours has processors; each thread takes memory and time to start."""

NO_LIMIT = (1 << 62) - 1

_STACK_BYTES = 512 * 1024 * 1024
_REPORT_SECONDS = 0.1
_POLL_SECONDS = 0.005
_IDLE_SECONDS = 0.5

_TALLY = record_type([(name, np.int64) for name in ("nodes", "most_nodes", "cutoffs", "unused", "stop", "strange")])

Progress = Callable[[Any], None]
"""Called about ten times a second with the tally while a search runs.

If it has a method `found`, that is called with the result of each depth, as soon as there is one."""

T = TypeVar("T")
_Letterbox = SimpleQueue[tuple[Callable[[], None], Callable[[], None]]]


def new_tally(depth: int = 0, most_nodes: int = NO_LIMIT) -> Any:
    """What a search of `depth` plies counts while it runs.

    `nodes` looked at, of `most_nodes`; `cutoffs`, how often an estimate was used; `unused`, the plies that the longest
    line left over; `stop`, which ends the search when set; `strange`, whether it met a value that is none.
    """
    tally = new_record(_TALLY)
    tally.unused = depth
    tally.most_nodes = most_nodes
    return tally


# ---- threads


def must_be_threads(threads: int) -> None:
    """Refuse what is no sensible number of threads."""
    if not isinstance(threads, int) or not 1 <= threads <= MOST_THREADS:
        raise UserError(f"a search has 1 to {MOST_THREADS} threads, not {threads}")


class Job(Generic[T]):
    """Work that goes on in a thread of its own, in the context of who began it."""

    def __init__(self, work: Callable[[], T], stop: Callable[[], None], then: Callable[[], None] | None = None) -> None:
        """`then` is called in that thread when it is done."""
        self._stop = stop
        self._outcome: list[T] = []
        self._failure: list[BaseException] = []
        self._done = threading.Event()

        def body() -> None:
            try:
                self._outcome.append(work())
            except BaseException as error:
                self._failure.append(error)

        def done() -> None:
            self._done.set()
            if then is not None:
                then()

        _DeepThreads.start(partial(contextvars.copy_context().run, body), done)

    def stop(self) -> None:
        """Ask for the end; what is known by then is the result."""
        self._stop()

    @property
    def done(self) -> bool:
        return self._done.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is done, at most so long; whether it is."""
        return self._done.wait(seconds)

    def result(self, seconds: float | None = None) -> T:
        """What the work returned, or the exception that it raised. TimeoutError if it is not done in time."""
        if not self.wait(seconds):
            raise TimeoutError(f"the work was not done after {seconds:g} seconds")
        if self._failure:
            raise self._failure[0]
        return self._outcome[0]


class _DeepThreads:
    """Threads with a deep stack, and the limit of recursion while one of them has work.

    To start a thread and map its stack takes as long as a search of a thousand nodes, so that they wait a
    little for the next work when they are done.
    """

    _lock = threading.Lock()
    _running = 0
    _limit_before = 0
    _limit = 8 * DEEPEST
    _waiting: ClassVar[list[_Letterbox]] = []
    """Where the threads that wait get their work; the last to have had some is the first to get more."""

    @classmethod
    def start(cls, work: Callable[[], None], done: Callable[[], None]) -> None:
        """Let a thread do `work`, and then `done`, when everything is as it was before."""
        with cls._lock:
            if cls._running == 0:
                cls._limit_before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(cls._limit_before, cls._limit))
            cls._running += 1
            if cls._waiting:
                cls._waiting.pop().put((work, done))
                return
            letterbox: _Letterbox = SimpleQueue()
            letterbox.put((work, done))
            thread = threading.Thread(target=cls._serve, args=(letterbox,), daemon=True)
            stack = threading.stack_size(_STACK_BYTES)
            try:
                thread.start()
            except BaseException:
                cls._put_back()
                raise
            finally:
                threading.stack_size(stack)

    @classmethod
    def _serve(cls, letterbox: _Letterbox) -> None:
        """The life of a thread: work, as long as there is some."""
        while True:
            try:
                work, done = letterbox.get(timeout=_IDLE_SECONDS)
            except Empty:
                with cls._lock:
                    if letterbox in cls._waiting:
                        cls._waiting.remove(letterbox)
                        return
                continue  # work was sent at the last moment
            work()
            with cls._lock:
                cls._put_back()
                cls._waiting.append(letterbox)
            done()
            del work, done  # and all that they hold

    @classmethod
    def _put_back(cls) -> None:
        cls._running -= 1
        if cls._running == 0 and sys.getrecursionlimit() == cls._limit:  # else somebody has set another meanwhile
            sys.setrecursionlimit(cls._limit_before)

    @classmethod
    def _after_fork(cls) -> None:
        """The child of a fork has none of its parent's threads."""
        cls._lock, cls._waiting = threading.Lock(), []


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_DeepThreads._after_fork)


def run(
    work: Callable[[], T],
    tally: Any,
    progress: Progress | None = None,
    seconds: float | None = None,
    stop: Callable[[], None] | None = None,
) -> T:
    """Do `work` in a thread. When the time is up, or at ctrl-C, stop it, and wait for what it returns.

    How to stop it: by setting `tally.stop`, if nothing else is said.
    """

    def stop_tally() -> None:
        tally.stop = 1

    deadline = time.perf_counter() + (seconds or 1e9)
    job = Job(work, stop or stop_tally)
    while not job.done:
        try:
            left = deadline - time.perf_counter()
            if left <= 0:
                job.stop()
                job.wait()
            elif not job.wait(min(left, _REPORT_SECONDS)) and progress is not None:
                progress(tally)
        except KeyboardInterrupt:
            job.stop()
        except BaseException:  # of `progress`: nobody waits for the work any more
            job.stop()
            job.wait()
            raise
    return job.result()


class Helpers:
    """Threads that work beside the one that leads, from `start` to the end of a `with`.

    What one of them raises ends all, and is raised at the end. `stop` ends the works, and what the leader does.
    """

    def __init__(self, works: Sequence[Callable[[], None]], stop: Callable[[], None]) -> None:
        self._works, self._stop = works, stop
        self._jobs: list[Job[None]] = []

    def __enter__(self) -> Helpers:
        return self

    def start(self) -> None:
        """Let them begin, if they have not."""
        if not self._jobs:
            self._jobs = [Job(partial(self._body, work), self._stop) for work in self._works]

    def _body(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException:
            self._stop()
            raise

    def wait(self, is_enough: Callable[[], bool]) -> None:
        """Wait until all have done their share, or it is enough."""
        for job in self._jobs:
            while not is_enough() and not job.wait(_POLL_SECONDS):
                pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stop()
        for job in self._jobs:
            job.wait()
        if kind is None:
            for job in self._jobs:
                job.result()
