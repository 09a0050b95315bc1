"""The socket of a page: it hears of a table, asks for what takes thought, and is what keeps thinking going.

    page:    {"watch": "ID"}                               tell me of this table; nothing, to look at none
             {"do": "lines", "id": 7, ...}                 think about this; see `requests` in the views
             {"stop": 7}                                   I do not want to know any more
    server:  {"table": {...}}                              how a table stands
             {"id": 7, "progress" | "done" | "failed": ...}

When the page is closed, all that it asked for is given up.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocket, WebSocketDisconnect

from counterplay.apps.studio.guard import Bucket
from counterplay.apps.studio.tables import Table, Tables
from counterplay.apps.studio.workers import Job
from counterplay.core.game import UserError

__all__ = ["MOST_SOCKETS", "Asked", "Live", "Request"]

MOST_SOCKETS = 200
_MOST_JOBS = 4
"""That one page has at a time."""
_MOST_WAITING = 500
"""Jobs of all pages that nobody has begun."""
_MOST_UNREAD = 200
"""Messages for a page that does not listen; then it is hung up."""


class Asked(NamedTuple):
    """A job that a page wants."""

    kind: str
    """A function of `jobs.py`."""
    game: str
    """What loads the game; empty for none."""
    arguments: dict[str, Any]
    seconds: float


Request = Callable[[Tables, dict[str, Any]], Asked]
"""Makes a job of what a page asks for, or says by a UserError what is wrong with it."""


class Live:
    """One page's socket."""

    open_sockets = 0

    def __init__(self, socket: WebSocket, tables: Tables, requests: dict[str, Request]) -> None:
        self._socket, self._tables, self._requests = socket, tables, requests
        self._table: Table | None = None
        self._jobs: dict[int, Job] = {}
        self._unsent: asyncio.Queue[dict[str, Any]] = asyncio.Queue(_MOST_UNREAD)
        self._loop = asyncio.get_running_loop()
        self._bucket = Bucket(50, 200)

    async def serve(self) -> None:
        """Answer the page until it is closed."""
        if Live.open_sockets >= MOST_SOCKETS:
            await self._socket.close(1013, "too many pages are open")
            return
        Live.open_sockets += 1
        await self._socket.accept()
        sending = asyncio.create_task(self._send_all())
        try:
            while True:
                text = await self._socket.receive_text()
                if not self._bucket.take():
                    await self._socket.close(1008, "too many messages")
                    break
                await self._hear(text)
        except (WebSocketDisconnect, RuntimeError, KeyError):  # KeyError: a frame of bytes, which we never ask for
            pass
        finally:
            Live.open_sockets -= 1
            sending.cancel()
            for job in self._jobs.values():
                job.cancel()
            await run_in_threadpool(self._look_at, None)

    async def _send_all(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._socket.send_text(json.dumps(await self._unsent.get(), allow_nan=False))

    async def _hear(self, text: str) -> None:
        try:
            message = json.loads(text)
            if not isinstance(message, dict):
                raise ValueError
        except (ValueError, RecursionError):
            self._put({"failed": "that is no message"})
            return
        number = message.get("id", 0)
        try:
            if "watch" in message:
                await run_in_threadpool(self._look_at, message["watch"])
            elif "stop" in message:
                self._cancel(message["stop"])
            else:
                await run_in_threadpool(self._begin, number, message)
        except UserError as error:
            self._put({"id": number, "failed": str(error)})

    def _look_at(self, id: Any) -> None:
        if self._table is not None:
            self._table.leave(self._on_change)
            self._table = None
        if isinstance(id, str) and id:
            self._table = self._tables.find(id)
            self._table.listen(self._on_change)

    def _begin(self, number: Any, message: dict[str, Any]) -> None:
        request = self._requests.get(str(message.get("do")))
        if request is None or type(number) is not int:
            raise UserError("nobody here knows how to do that")
        self._cancel(number)
        if len(self._jobs) >= _MOST_JOBS:
            raise UserError("this page has enough to think about; stop something first")
        if self._tables.workers.waiting >= _MOST_WAITING:
            raise UserError("too much is being thought about already; try again in a moment")
        asked = request(self._tables, message)

        def tell(what: str, said: Any) -> None:
            if what != "progress":
                self._jobs.pop(number, None)
            self._put_soon({"id": number, what: said})

        self._jobs[number] = self._tables.workers.begin(
            asked.kind, asked.game, asked.arguments, tell, seconds=asked.seconds
        )

    def _cancel(self, number: Any) -> None:
        job = self._jobs.pop(number, None) if type(number) is int else None
        if job is not None:
            job.cancel()

    # ---- from other threads

    def _on_change(self, state: dict[str, Any]) -> None:
        self._put_soon({"table": state})

    def _put_soon(self, message: dict[str, Any]) -> None:
        with suppress(RuntimeError):  # the loop is closed: so is the page
            self._loop.call_soon_threadsafe(self._put, message)

    def _put(self, message: dict[str, Any]) -> None:
        try:
            self._unsent.put_nowait(message)
        except asyncio.QueueFull:
            self._loop.create_task(self._hang_up())

    async def _hang_up(self) -> None:
        with suppress(RuntimeError):
            await self._socket.close(1013, "the page does not listen")
