"""The analysis engine: `counterplay analyse GAME --stdin`. Queries and answers are objects of JSON, one a line.

    {"id": "a", "moves": "e4 e5", "limits": {"nodes": 100000}, "lines": 3}
    {"id": "b", "position": "...", "only": ["Nf3"], "priority": 5, "report_every": 0.5}
    {"action": "terminate", "id": "b"}        {"action": "terminate_all"}        {"action": "version"}

Several are searched at once, those of the highest priority first, and answered when they are done, in any order, each
by one object with its `id` and `"final": true`. docs/analysis-engine.md has every field.
"""

from __future__ import annotations

import contextvars
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from queue import PriorityQueue, Queue
from typing import Any

from counterplay import __version__
from counterplay.apps.protocols.dispatcher import in_a_line
from counterplay.apps.protocols.lines import LONGEST, Line
from counterplay.core.game import Game, Position, UserError
from counterplay.learn import model_of
from counterplay.search import Limits, Result
from counterplay.study.analysis import BestLines
from counterplay.study.analysis.lines import SECONDS, new_engine

__all__ = ["AnalysisEngine"]

_MOST_WAITING = 100_000
"""Queries; whoever sends more is told so."""
_MOST_LINES = 500
_FIELDS = ("id", "position", "moves", "limits", "lines", "only", "priority", "report_every")


@dataclass
class Query:
    """What is asked, and what has become of it."""

    id: str | int
    here: Position
    limits: Limits
    lines: int = 1
    only: tuple[int, ...] = ()
    priority: int = 0
    report_every: float | None = None
    is_terminated: bool = False
    stop: Callable[[], None] | None = None
    """Ends its search, if that has begun."""
    reported: float = field(default_factory=time.monotonic)
    """When something was last told of it."""


class AnalysisEngine:
    """Answers queries about one game, several at once."""

    def __init__(
        self,
        game: Game,
        say: Callable[[str], None],
        workers: int = 1,
        threads: int | None = None,
        table_mb: float | None = None,
        default: Limits | None = None,
    ) -> None:
        """`workers` searches run at once, each in so many `threads`; `default`: limits of queries that have none."""
        if not 1 <= workers <= 256:
            raise UserError(f"an analysis engine has 1 to 256 workers, not {workers}")
        self.game, self._say_line = game, say
        model = model_of(game)
        self._model = {} if model is None else {"model": model.as_dict()}
        self._default = default or Limits(seconds=SECONDS)
        self._lock, self._order = threading.Lock(), count()
        self._waiting: PriorityQueue[tuple[float, int, Query | None]] = PriorityQueue()
        self._open: dict[str | int, Query] = {}
        """Queries that have no final answer yet."""
        engines = [new_engine(game, threads, table_mb) for _ in range(workers)]
        self._workers = [
            threading.Thread(target=contextvars.copy_context().run, args=(self._work, each), daemon=True)
            for each in engines
        ]
        for worker in self._workers:
            worker.start()

    # ---- lines of input

    def serve(self, lines: Queue[Line | None]) -> None:
        """Take lines until they end, then wait for what is still being searched."""
        while (line := lines.get()) is not None:
            self.answer(line)
        self.finish()

    def finish(self) -> None:
        """Wait until all queries are answered."""
        for _ in self._workers:
            self._waiting.put((float("inf"), next(self._order), None))  # after all others
        for worker in self._workers:
            worker.join()

    def answer(self, line: Line) -> None:
        """Take one line. What is wrong with it gets one answer and changes nothing."""
        asked: Any = None
        try:
            if not line.is_whole:
                raise UserError(f"the line has more than {LONGEST:,} bytes")
            if line.text.strip():
                asked = _read_json(line.text)
                self._act(asked) if "action" in asked else self._enqueue(asked)
        except Exception as error:
            why = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
            known = {"id": asked["id"]} if isinstance(asked, dict) and _is_id(asked.get("id")) else {}
            self._say({**known, "error": in_a_line(why)})

    def _act(self, asked: dict[str, Any]) -> None:
        action = asked["action"]
        _must_have(asked, ("action", "id") if action == "terminate" else ("action",))
        if action == "version":
            self._say({"action": action, "version": __version__, "game": str(self.game), **self._model})
        elif action == "terminate_all":
            self._terminate(action, list(self._open.values()))
        elif action == "terminate":
            if not _is_id(asked.get("id")):
                raise UserError("terminate wants the id of a query")
            self._terminate(action, [each for each in list(self._open.values()) if each.id == asked["id"]])
        else:
            raise UserError(f"there are the actions terminate, terminate_all and version, not {action!r}")

    def _terminate(self, action: str, queries: list[Query]) -> None:
        self._say({"action": action, "ids": [each.id for each in queries]})
        for query in queries:
            with self._lock:
                query.is_terminated = True
                stop, is_open = query.stop, query.id in self._open
                if stop is None and is_open:
                    del self._open[query.id]
            if stop is not None:
                stop()
            elif is_open:
                self._say({"id": query.id, "final": True, "terminated": True})

    def _enqueue(self, asked: dict[str, Any]) -> None:
        query = self._read(asked)
        with self._lock:
            if query.id in self._open:
                raise UserError(f"there is a query {query.id!r} that is not answered yet")
            if len(self._open) >= _MOST_WAITING:
                raise UserError(f"{_MOST_WAITING:,} queries wait already")
            self._open[query.id] = query
        self._waiting.put((-query.priority, next(self._order), query))

    def _read(self, asked: dict[str, Any]) -> Query:
        _must_have(asked, _FIELDS)
        if not _is_id(asked.get("id")):
            raise UserError("a query has an id, a text or a whole number")
        position, moves = asked.get("position"), asked.get("moves", ())
        if not (position is None or isinstance(position, str)):
            raise UserError("position is a text")
        here = self.game.at(_texts("moves", moves) if not isinstance(moves, str) else moves, position)
        only = tuple(self.game.parse_action(here.state, name) for name in _texts("only", asked.get("only", ())))
        given = asked.get("limits", {})
        if not isinstance(given, dict):
            raise UserError('limits are an object, as in {"nodes": 100000}')
        _must_have(given, ("depth", "nodes", "seconds"))
        depth, nodes = (_whole(name, given.get(name)) for name in ("depth", "nodes"))
        limits = Limits(depth, None, nodes, _number("seconds", given.get("seconds")))
        lines = _whole("lines", asked.get("lines", 1)) or 0
        if not 1 <= lines <= _MOST_LINES:
            raise UserError(f"lines are 1 to {_MOST_LINES}")
        return Query(
            asked["id"],
            here,
            limits if limits.given() else self._default,
            lines,
            only,
            _whole("priority", asked.get("priority", 0)) or 0,
            _number("report_every", asked.get("report_every")),
        )

    # ---- searching

    def _work(self, engine: Any) -> None:
        while (query := self._waiting.get()[2]) is not None:
            watch = _Watch(query, engine, self._report)
            with self._lock:
                if query.is_terminated:
                    continue
                query.stop = watch.stop
            try:
                engine.new_game()  # so that the answer does not depend on what was asked before
                found = engine.search(query.here, query.limits, multi=query.lines, only=query.only, progress=watch)
                told = {**BestLines(found, query.lines).as_dict(), **self._model, "terminated": query.is_terminated}
            except Exception as error:
                told = {"error": in_a_line(f"{type(error).__name__}: {error}")}
            with self._lock:
                del self._open[query.id]
            self._say({"id": query.id, "final": True, **told})

    def _report(self, query: Query, result: Result) -> None:
        """Tell what a depth has found, if it is time to."""
        if query.report_every is not None and time.monotonic() - query.reported >= query.report_every:
            query.reported = time.monotonic()
            self._say({"id": query.id, "final": False, **BestLines(result, query.lines).as_dict()})

    def _say(self, answer: dict[str, Any]) -> None:
        text = json.dumps(answer, allow_nan=False)
        with self._lock:
            self._say_line(text)


class _Watch:
    """Stands between a search and its query."""

    def __init__(self, query: Query, engine: Any, report: Callable[[Query, Result], None]) -> None:
        self._query, self._engine, self._report = query, engine, report

    def __call__(self, tally: Any) -> None:
        if self._query.is_terminated:  # it may have been said before there was anything to stop
            tally.stop = 1

    def found(self, result: Result) -> None:
        self._report(self._query, result)

    def stop(self) -> None:
        self._engine.stop()


# ---- what a query may be


def _read_json(text: str) -> dict[str, Any]:
    def no_number(name: str) -> None:
        raise UserError(f"{name} is no number of JSON")

    try:
        asked = json.loads(text, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        raise error if isinstance(error, UserError) else UserError(f"not JSON: {error}") from None
    if not isinstance(asked, dict):
        raise UserError('a query is an object, like {"id": "a", "moves": "e4"}')
    return asked


def _must_have(asked: dict[str, Any], known: tuple[str, ...]) -> None:
    """Refuse fields that nobody knows: they would be misspelt ones."""
    for name in asked:
        if name not in known:
            raise UserError(f"there is no field '{name}'; there are: {', '.join(known)}")


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _texts(what: str, value: Any) -> list[str]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise UserError(f"{what} are a list of names")
    return list(value)


def _whole(what: str, value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 1 << 62:
        raise UserError(f"{what} is a whole number, not {value!r}")
    return value


def _number(what: str, value: Any) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 1e9:
        raise UserError(f"{what} is a number of seconds, not {value!r}")
    return float(value)
