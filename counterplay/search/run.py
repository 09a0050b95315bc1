"""Running a search so that it can be watched, limited and stopped, and deepening it step by step.

Compiled code hears no signals, so a search runs in a thread of its own while the caller's thread keeps the clock,
reports progress and takes ctrl-C. The thread has a large stack: a search goes as deep as the game is long.
"""

from __future__ import annotations

import contextvars
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from counterplay.game import CHANCE, Game
from counterplay.search.limits import DEEPEST, Limits, as_depth, deeper
from counterplay.search.result import ActionValue, Result

__all__ = ["Iteration", "Progress", "deepen", "follow", "new_tally", "run", "with_line"]

_STACK_BYTES = 512 * 1024 * 1024
_REPORT_SECONDS = 0.1
_NO_LIMIT = (1 << 62) - 1

_TALLY = np.dtype([(name, np.int64) for name in ("nodes", "most_nodes", "cutoffs", "unused", "stop")])

Progress = Callable[[Any], None]
"""Called about ten times a second with the tally while a search runs.

If it has a method `found`, that is called with the result of each depth, as soon as there is one."""


def new_tally(depth: int = 0, most_nodes: int = _NO_LIMIT) -> Any:
    """What a search of `depth` plies counts while it runs.

    `nodes` looked at, of `most_nodes`; `cutoffs`, how often an estimate was used; `unused`, the plies that the longest
    line left over; `stop`, which ends the search when set.
    """
    tally = np.zeros(1, _TALLY).view(np.recarray)[0]
    tally.unused = depth
    tally.most_nodes = most_nodes
    return tally


def run(work: Callable[[], Any], tally: Any, progress: Progress | None = None, seconds: float | None = None) -> Any:
    """Do `work` in a thread. When the time is up, or at ctrl-C, set `tally.stop` and wait for what `work` returns."""
    outcome: list[Any] = []
    failure: list[BaseException] = []
    done = threading.Event()

    def body() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            failure.append(error)
        finally:
            done.set()

    deadline = time.perf_counter() + (seconds or 1e9)
    with _deep_recursion():
        threading.Thread(target=contextvars.copy_context().run, args=(body,), daemon=True).start()
        while not done.is_set():
            try:
                left = deadline - time.perf_counter()
                if left <= 0:
                    tally.stop = 1
                    done.wait()
                elif not done.wait(min(left, _REPORT_SECONDS)) and progress is not None:
                    progress(tally)
            except KeyboardInterrupt:
                tally.stop = 1
    if failure:
        raise failure[0]
    return outcome[0]


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """New threads get a large stack, and Python's own limit is no smaller than ours."""
    limit, stack = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
    sys.setrecursionlimit(max(limit, 8 * DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(stack)


# ---- deepening


@dataclass(frozen=True)
class Iteration:
    """What a search to one depth found at the root."""

    values: tuple[float, ...]
    """One for each player."""
    actions: tuple[ActionValue, ...]
    line: tuple[int, ...]


def deepen(
    game: Game,
    s: Any,
    algorithm: str,
    limits: Limits,
    look: Callable[[int, Any], Iteration],
    progress: Progress | None = None,
    plan: Iterable[int] | None = None,
    settings: dict[str, Any] | None = None,
    tally: Any = None,
) -> Result:
    """Search with `look(depth, tally)`: at once to the full depth, or a ply deeper each time while the limits last.

    `plan` has the depths; by default all from 1 if the end may come at any time, else the full depth. Of a depth that
    was not finished only the actions that were are of use, and only if there is nothing better.
    """
    tally = new_tally(most_nodes=limits.nodes or _NO_LIMIT) if tally is None else tally
    if plan is None:
        plan = range(1 if limits.is_anytime else limits.steps, limits.steps + 1)
    tell = getattr(progress, "found", None)
    began = time.perf_counter()

    def work() -> Result | None:
        best = None
        for steps in plan:
            tally.cutoffs, tally.unused = 0, steps
            found = look(as_depth(steps, limits.rounds is not None), tally)
            if tally.stop and best is not None:
                return replace(best, stopped="stopped")
            exact = bool(tally.cutoffs == 0)
            best = Result(
                game=game,
                state=s,
                algorithm=algorithm,
                action=found.line[0] if found.line else None,
                value=found.values[0],
                values=found.values,
                line=found.line,
                actions=with_line(found.actions, found.line),
                nodes=int(tally.nodes),
                depth=steps if limits.rounds else steps - int(tally.unused),
                seconds=time.perf_counter() - began,
                exact=exact,
                stopped="stopped" if tally.stop else "solved" if exact else "depth",
                settings={"limits": limits.given(), **(settings or {})},
            )
            if tell is not None:
                tell(best)
            if exact or tally.stop:
                return best
        return best

    result: Result = run(work, tally, progress, limits.seconds)
    seconds = time.perf_counter() - began
    return replace(result, nodes=int(tally.nodes), seconds=seconds, stopped=_why(result, limits, tally, seconds))


def with_line(actions: tuple[ActionValue, ...], line: tuple[int, ...]) -> tuple[ActionValue, ...]:
    """The actions, the first one of `line` with that line."""
    return tuple(replace(each, line=line) if line and each.action == line[0] else each for each in actions)


def follow(game: Game, s: Any, depth: int, tally: Any, keeps: Callable[[Any, int], bool]) -> list[int]:
    """Best play from `s`: at each step the first action after which `keeps(state, depth)` says the value is the same.

    What is looked at again for this is not counted; a stop ends the line early.
    """
    line: list[int] = []
    counted = tally.nodes, tally.cutoffs, tally.unused, tally.most_nodes
    tally.most_nodes = _NO_LIMIT
    while depth > 0 and not tally.stop and not game.is_terminal(s) and game.player(s) != CHANCE:
        depth = deeper(game, s, depth)
        *others, last = (int(a) for a in game.actions(s))
        best = next((a for a in others if keeps(game.result(s, a), depth)), last)  # if no other keeps it, the last does
        if not tally.stop:
            line.append(best)
            s = game.result(s, best)
    tally.nodes, tally.cutoffs, tally.unused, tally.most_nodes = counted
    return line


def _why(result: Result, limits: Limits, tally: Any, seconds: float) -> str:
    """What ended a search, in a word."""
    if result.stopped != "stopped":
        return result.stopped
    if limits.nodes is not None and tally.nodes >= limits.nodes:
        return "nodes"
    return "seconds" if limits.seconds is not None and seconds >= limits.seconds else "interrupted"
