"""Engines that look so many plies ahead: at once, or a ply deeper each time while the limits last."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from counterplay.core.game import CHANCE
from counterplay.search.engine import Engine, Request, why_stopped, with_line
from counterplay.search.limits import as_depth
from counterplay.search.result import Result
from counterplay.search.root import Iteration, PlainRoot, Root
from counterplay.search.run import NO_LIMIT, Progress, new_tally, run

__all__ = ["DepthEngine", "PlainEngine"]


class DepthEngine(Engine):
    """An engine whose search is of one depth after the other."""

    def _settings(self, request: Request) -> dict[str, Any]:
        """The settings, for the record."""
        return {}

    def _deepen(self, request: Request, root: Root, plan: Iterable[int], progress: Progress | None) -> Result:
        """Search to each depth of the plan while the limits last.

        Of a depth that was not finished only the actions that were are of use, and only if there is nothing better
        from before; or if the root says that one of them is.
        """
        limits, tally = request.limits, self._tally
        tally.nodes, tally.most_nodes = 0, limits.nodes or NO_LIMIT
        tell = getattr(progress, "found", None)
        began = time.perf_counter()

        def work() -> Result:
            last: _Depth | None = None
            for steps in plan:
                tally.cutoffs, tally.unused = 0, steps
                found = root.look(as_depth(steps, limits.rounds is not None))
                if last is not None and not found.finished:
                    if found.better:
                        last = last._replace(found=found)
                    return replace(self._result(request, last), stopped="stopped")
                depth = steps if limits.rounds else steps - int(tally.unused)
                is_stopped = bool(tally.stop)
                last = _Depth(found, depth, int(tally.nodes), time.perf_counter() - began, is_stopped)
                if tell is not None:
                    tell(self._result(request, last))
                if found.proven or tally.stop:
                    break
            assert last is not None  # there is a depth in every plan
            return self._finished(self._result(request, last), request)

        result = run(work, tally, progress, limits.seconds, self.stop)
        seconds, stopped = time.perf_counter() - began, result.stopped
        if stopped == "stopped":
            stopped = why_stopped(limits, int(tally.nodes), seconds)
        return replace(result, nodes=int(tally.nodes), seconds=seconds, stopped=stopped)

    def _finished(self, result: Result, request: Request) -> Result:
        """The result with what else there is to say of it; still within the limits."""
        return result

    def _result(self, request: Request, last: _Depth) -> Result:
        found = last.found
        return Result(
            game=self.game,
            state=request.state,
            algorithm=self.name,
            action=found.line[0] if found.line else None,
            value=found.values[0],
            values=found.values,
            line=found.line,
            actions=with_line(found.actions, found.line),
            nodes=last.nodes,
            depth=last.depth,
            seconds=last.seconds,
            proven=found.proven,
            stopped="solved" if found.proven else "stopped" if last.is_stopped else "depth",
            settings={"limits": request.limits.given(), **self._settings(request)},
            within=found.within,
        )


class _Depth(NamedTuple):
    """A depth that was searched: what was found, how far that was, and what it took since the beginning."""

    found: Iteration
    depth: int
    nodes: int
    seconds: float
    is_stopped: bool


class PlainEngine(DepthEngine):
    """An engine that looks at the actions in the game's order, and remembers nothing that needs care."""

    @abstractmethod
    def _root(self, request: Request, tally: Any) -> PlainRoot:
        """The position as this search looks at it."""

    def _answer(self, request: Request, progress: Progress | None) -> Result:
        self._root(request, new_tally()).child(request.state, 0, CHANCE, None)  # compiles, outside the clock
        limits = request.limits
        plan = range(1 if limits.is_anytime else limits.steps, limits.steps + 1)
        root = self._root(request, self._tally)
        root.only = request.only
        return self._deepen(request, root, plan, progress)
