"""The server: the page, what it asks for, and who may ask. Started by `counterplay studio`."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from threading import Timer
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.websockets import WebSocket

from counterplay.apps.studio import analyse, learn, play, quiz, watch
from counterplay.apps.studio.catalogue import Catalogue
from counterplay.apps.studio.guard import Guard, TooLong
from counterplay.apps.studio.live import Live
from counterplay.apps.studio.store import Store
from counterplay.apps.studio.tables import Tables
from counterplay.apps.studio.workers import Workers
from counterplay.core.game import UserError

__all__ = ["application", "run"]

VIEWS = (play, analyse, watch, quiz, learn)
"""Each has `routes(tables)` and `REQUESTS`."""
MOST_FRAME = 500_000
"""Bytes of a message by the socket."""


def application(tables: Tables, token: str, host: str, port: int) -> Guard:
    """The whole server as an ASGI application."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        tables.workers.close()
        tables.store.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    page = _static()
    requests = {name: request for view in VIEWS for name, request in view.REQUESTS.items()}

    @app.exception_handler(UserError)
    async def mendable(request: Request, error: UserError) -> JSONResponse:
        return JSONResponse({"error": str(error)}, 400)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        return JSONResponse({"error": "that is not what this address takes"}, 400)

    @app.exception_handler(TooLong)
    async def too_long(request: Request, error: TooLong) -> JSONResponse:
        return JSONResponse({"error": "that is too long"}, 413)

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> JSONResponse:  # of somebody's rules, mostly
        return JSONResponse({"error": f"{type(error).__name__}: {error}"}, 500)

    @app.get("/api/games")
    def games() -> list[dict[str, Any]]:
        return [tables.catalogue.about(name) for name in tables.catalogue.names]

    for view in VIEWS:
        app.include_router(view.routes(tables))

    @app.websocket("/live")
    async def live(socket: WebSocket) -> None:
        await Live(socket, tables, requests).serve()

    @app.get("/{name}")
    async def file(name: str) -> Response:
        if name not in page:
            return JSONResponse({"error": "there is nothing here"}, 404)
        content, kind = page[name]
        return Response(content, media_type=kind)

    @app.get("/")
    async def start() -> Response:
        return await file("index.html")

    return Guard(app, token, host, port)


def _static() -> dict[str, tuple[bytes, str]]:
    """The files of the page, read once: so no request names a path."""
    kinds = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
    folder = files("counterplay.apps.studio") / "static"
    found = [each for each in folder.iterdir() if Path(each.name).suffix in kinds]
    return {each.name: (each.read_bytes(), kinds[Path(each.name).suffix]) for each in found}


def run(
    named: Sequence[str] = (),
    *,
    engines: Sequence[str] = (),
    host: str = "127.0.0.1",
    port: int = 0,
    store: Path | None = None,
    processes: int | None = None,
    opens: bool = True,
    as_json: bool = False,
) -> None:
    """Serve until ctrl-C. `port` 0: any that is free; `store` None: games are kept in memory only."""
    catalogue = Catalogue(named, engines, None if store is None else store.parent / "models")
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    tables = Tables(catalogue, Store(store), Workers(processes or os.cpu_count() or 1))
    shown = f"[{host}]" if ":" in host else "127.0.0.1" if host == "0.0.0.0" else host  # noqa: S104
    first = next(iter(catalogue.names)) if named else ""
    address = f"http://{shown}:{port}/{token}/" + (f"#play/{first}" if first else "")
    _announce(address, host, as_json)
    if opens:
        Timer(0.3, webbrowser.open, (address,)).start()
    config = uvicorn.Config(
        application(tables, token, host, port),
        log_level="warning",
        access_log=False,  # an address has the token in it
        server_header=False,
        ws="websockets-sansio",
        ws_max_size=MOST_FRAME,
        limit_concurrency=600,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio looks for the protocol's name before it sends small answers at once: without, each takes 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)  # so that whoever reads the address can come at once
    except (OSError, OverflowError) as error:
        listening.close()
        raise UserError(f"nothing can be served at {host}, port {port}: {error}") from None
    return listening


def _announce(address: str, host: str, as_json: bool) -> None:
    if host not in ("127.0.0.1", "localhost", "::1"):
        warning = f"everybody who can reach {host} and learns the address below can play, and let this machine think"
        print(f"counterplay: {warning}", file=sys.stderr)
    if as_json:
        import json

        print(json.dumps({"address": address}), flush=True)
    else:
        print(f"The studio is open at {address}\nctrl-C closes it; open games are kept.", flush=True)
