"""Engines that look so many plies ahead: at once, or a ply deeper each time while the limits last."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

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

        Of a depth that was not finished only the actions that were are of use, and only if there is nothing better.
        """
        limits, tally = request.limits, self._tally
        tally.nodes, tally.most_nodes = 0, limits.nodes or NO_LIMIT
        tell = getattr(progress, "found", None)
        began = time.perf_counter()

        def work() -> Result | None:
            best = None
            for steps in plan:
                tally.cutoffs, tally.unused = 0, steps
                found = root.look(as_depth(steps, limits.rounds is not None))
                if best is not None and not found.finished:
                    return replace(best, stopped="stopped")
                depth = steps if limits.rounds else steps - int(tally.unused)
                best = self._result(request, found, depth, time.perf_counter() - began)
                if tell is not None:
                    tell(best)
                if best.proven or tally.stop:
                    break
            return best if best is None else self._finished(best, request)

        result = run(work, tally, progress, limits.seconds)
        assert result is not None  # there is a depth in every plan
        seconds, stopped = time.perf_counter() - began, result.stopped
        if stopped == "stopped":
            stopped = why_stopped(limits, int(tally.nodes), seconds)
        return replace(result, nodes=int(tally.nodes), seconds=seconds, stopped=stopped)

    def _finished(self, result: Result, request: Request) -> Result:
        """The result with what else there is to say of it; still within the limits."""
        return result

    def _result(self, request: Request, found: Iteration, depth: int, seconds: float) -> Result:
        tally = self._tally
        return Result(
            game=self.game,
            state=request.state,
            algorithm=self.name,
            action=found.line[0] if found.line else None,
            value=found.values[0],
            values=found.values,
            line=found.line,
            actions=with_line(found.actions, found.line),
            nodes=int(tally.nodes),
            depth=depth,
            seconds=seconds,
            proven=found.proven,
            stopped="solved" if found.proven else "stopped" if tally.stop else "depth",
            settings={"limits": request.limits.given(), **self._settings(request)},
            within=found.within,
        )


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
