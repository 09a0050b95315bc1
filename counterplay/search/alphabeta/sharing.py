"""How the threads of one search keep from doing the same work twice (a simple form of ABDADA, Weill 1996).

They share a table, and an array of 64-bit numbers at `w.busy_at` (0: there is one thread only):

    0 ...       states that some thread is looking at, each at a place that follows from its key
    FINISHED    the last step of the root that one of them has finished
    FOUND       the number of the move that was best there
    ENDED       whether all are to end
    CALLS ...   for each thread the ply of a state on its path that another one is done with, or 0
    PATHS ...   for each thread its path: the tasks it is at, by ply
    MORES ...   and what it has found out of each before it came to the moves

A move that another thread is busy with is put off (`ordering.put_off`). Who comes to a task that another one is at
does not ask again whether to pass, nor whether the table's move stands out, but goes on with the moves. When a thread
is done with a state and another one has it on its path, at the same ply and depth, that one is called back: it gives
up all below and asks the table.

Nothing is locked. What one thread reads while another one writes costs at most some work that was not needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.primitives import load, store
from counterplay.search.alphabeta.workspace import PLIES
from counterplay.search.run import MOST_THREADS

__all__ = [
    "ENDED",
    "FINISHED",
    "FOUND",
    "NEVER",
    "OVERTAKEN",
    "SHARED",
    "WINDOWS",
    "call_back",
    "found_elsewhere",
    "has_ended",
    "is_busy",
    "joined",
    "look_round",
    "new_board",
    "next_depth",
    "show_busy",
    "show_task",
    "task_of",
    "tell_finished",
]

_BUSY = 1 << 12
FINISHED, FOUND, ENDED = _BUSY, _BUSY + 1, _BUSY + 2
_CALLS = ENDED + 1
_PATHS = _CALLS + MOST_THREADS
_MORES = _PATHS + MOST_THREADS * PLIES
OVERTAKEN = 2
"""Instead of 1 in `w.stop`: give up only what is below ply `w.back_to`, and look into the table there."""
SHARED = 4
"""The depth from which on states are shared: what is below takes no longer than to tell."""

WINDOWS = 1 << 8
"""More than the root takes steps to a depth: each window of aspiration is one, the last stands for all."""
NEVER = 1 << 62
"""A step that no thread will have finished."""


def new_board(threads: int) -> Any:
    """The array, with nothing on it."""
    return np.zeros(_MORES + threads * PLIES, np.int64)


def is_busy(key: int, w: Any) -> bool:
    """Whether another thread looks at a state. If its note is overwritten or out of date, both look: no harm done."""
    return bool(load(w.busy_at, key & (_BUSY - 1)) == key)


def show_busy(key: int, is_busy: bool, w: Any) -> None:
    """Tell the other threads that this one looks at a state, or does so no more."""
    store(w.busy_at, key & (_BUSY - 1), key if is_busy else 0)


def task_of(key: int, depth: int) -> int:
    """A state and how deep to look, in one number; 0 is no task."""
    return key ^ (2 * depth + 1 << 1)


def show_task(task: int, more: int, ply: int, w: Any) -> None:
    """Put a task on this thread's path, by how much more deeply the table's move is to be looked at; 0 when done."""
    w.tasks[ply] = task
    store(w.busy_at, _MORES + w.thread * PLIES + ply, more)
    store(w.busy_at, _PATHS + w.thread * PLIES + ply, task)


def joined(task: int, ply: int, w: Any) -> tuple[bool, int]:
    """Whether another thread looks at the moves of a task, and by how much more deeply at the table's move."""
    for other in range(w.threads):
        if other != w.thread and load(w.busy_at, _PATHS + other * PLIES + ply) == task:
            return True, load(w.busy_at, _MORES + other * PLIES + ply)
    return False, 0


def call_back(task: int, ply: int, w: Any) -> None:
    """A task is done, and the table has the answer: call back the threads that are at it, too."""
    for other in range(w.threads):
        at = _PATHS + other * PLIES + ply
        if other != w.thread and load(w.busy_at, at) == task:
            store(w.busy_at, at, ~task)
            if not 0 < load(w.busy_at, _CALLS + other) < ply:
                store(w.busy_at, _CALLS + other, ply)


def tell_finished(step: int, w: Any) -> None:
    """A step of the root is done: other threads that are at it, or behind, may give it up."""
    if w.busy_at != 0:
        store(w.busy_at, FOUND, w.best)
        store(w.busy_at, FINISHED, max(load(w.busy_at, FINISHED), step))


def found_elsewhere(w: Any) -> int:
    """The number of the move that was best where another thread has finished a step."""
    return int(load(w.busy_at, FOUND))


def next_depth(depth: int, w: Any) -> int:
    """The next depth that no thread has finished."""
    depth += w.stride
    while (depth + 1) * WINDOWS - 1 <= load(w.busy_at, FINISHED):
        depth += w.stride
    return depth


def has_ended(w: Any) -> bool:
    return bool(load(w.busy_at, ENDED))


def look_round(w: Any) -> None:
    """Give up what this thread is looking at, if all are to end, or another one has done what it is wanted for."""
    if has_ended(w):
        w.stop = 1
    elif not w.stop and load(w.busy_at, FINISHED) >= w.root_step:
        w.stop, w.back_to = OVERTAKEN, 0
    elif load(w.busy_at, _CALLS + w.thread) != 0:
        ply = load(w.busy_at, _CALLS + w.thread)
        store(w.busy_at, _CALLS + w.thread, 0)
        # It may come late: then there is another task, or none.
        if not w.stop and load(w.busy_at, _PATHS + w.thread * PLIES + ply) == ~w.tasks[ply]:
            w.stop, w.back_to = OVERTAKEN, ply
