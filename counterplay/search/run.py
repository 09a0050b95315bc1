"""Running a long computation so that it can be watched and stopped.

Compiled code hears no signals, so it runs in a thread of its own while the caller's thread waits, reports progress
and takes ctrl-C. The thread has a large stack: a search goes as deep as the game is long.
"""

from __future__ import annotations

import contextvars
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

__all__ = ["DEEPEST", "Progress", "new_tally", "run"]

DEEPEST = 20_000
"""Plies that fit the stack of a search; none of our games is a tenth as long."""

_STACK_BYTES = 512 * 1024 * 1024
_REPORT_SECONDS = 0.1

_TALLY = np.dtype([(name, np.int64) for name in ("nodes", "cutoffs", "unused", "stop")])

Progress = Callable[[Any], None]
"""Called about ten times a second with the tally while a search runs."""


def new_tally(depth: int = 0) -> Any:
    """What a search of `depth` plies counts while it runs.

    `nodes` looked at; `cutoffs`, how often an estimate was used; `unused`, the plies that the longest line left over;
    `stop`, which ends the search when set.
    """
    tally = np.zeros(1, _TALLY).view(np.recarray)[0]
    tally.unused = depth
    return tally


def run(work: Callable[[], Any], tally: Any, progress: Progress | None = None) -> Any:
    """Do `work` in a thread; ctrl-C sets `tally.stop` and waits for what `work` then returns."""
    outcome: list[Any] = []
    failure: list[BaseException] = []

    def body() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            failure.append(error)
        finally:
            done.set()

    done = threading.Event()
    with _deep_recursion():
        thread = threading.Thread(target=contextvars.copy_context().run, args=(body,), daemon=True)
        thread.start()
    while not done.is_set():
        try:
            if not done.wait(_REPORT_SECONDS) and progress is not None:
                progress(tally)
        except KeyboardInterrupt:
            tally.stop = 1
    if failure:
        raise failure[0]
    return outcome[0]


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """New threads get a large stack, and Python's own limit is no smaller than ours."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 8 * DEEPEST))
    before = threading.stack_size(_STACK_BYTES)
    try:
        yield
    finally:
        threading.stack_size(before)
