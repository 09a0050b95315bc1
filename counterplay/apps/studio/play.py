"""What the view Play asks for: games begun, moves, what else can be done; hints and reasons by the socket."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Body
from fastapi.responses import PlainTextResponse

from counterplay.apps.studio.live import Asked, Request
from counterplay.apps.studio.tables import Tables
from counterplay.core.game import UserError

__all__ = ["REQUESTS", "routes"]

Fields = dict[str, Any]
Given = Annotated[Fields, Body()]
_THINK_SECONDS = 10.0


def routes(tables: Tables) -> APIRouter:
    """The addresses of this view. Functions that are not `async` run in threads, as rules may take their time."""
    router = APIRouter()

    @router.get("/api/tables")
    def newest() -> list[Fields]:
        return tables.store.newest()

    @router.post("/api/tables")
    def begin(asked: Given) -> Fields:
        return tables.begin(asked).state()

    @router.post("/api/load")
    def load(asked: Given) -> Fields:
        return tables.load(asked.get("text"), asked.get("game")).state()

    @router.get("/api/tables/{id}")
    def state(id: str) -> Fields:
        return tables.find(id).state()

    @router.get("/api/tables/{id}/at/{ply}")
    def at(id: str, ply: int) -> Fields:
        return tables.find(id).picture_at(ply)

    @router.get("/api/tables/{id}/text")
    def text(id: str) -> PlainTextResponse:
        return PlainTextResponse(tables.find(id).download())

    @router.post("/api/tables/{id}/play")
    def play(id: str, asked: Given) -> Fields:
        table = tables.find(id)
        move = asked.get("move")
        if not isinstance(move, str):
            raise UserError("a move is a name")
        table.play(move)
        return table.state()

    @router.post("/api/tables/{id}/undo")
    def undo(id: str) -> Fields:
        table = tables.find(id)
        table.undo()
        return table.state()

    @router.post("/api/tables/{id}/resign")
    def resign(id: str) -> Fields:
        table = tables.find(id)
        table.resign()
        return table.state()

    @router.post("/api/tables/{id}/seat")
    def seat(id: str, asked: Given) -> Fields:
        table = tables.find(id)
        table.take_over(asked.get("seat"), asked.get("player"))
        return table.state()

    @router.post("/api/tables/{id}/forget")
    def forget(id: str) -> Fields:
        tables.forget(id)
        return {}

    return router


def _hint(tables: Tables, asked: Fields) -> Asked:
    table = tables.find(str(asked.get("table")))
    return Asked("advise", tables.catalogue.text(table.name), {"saved": asdict(table.saved())}, _THINK_SECONDS)


def _why(tables: Tables, asked: Fields) -> Asked:
    table, ply = tables.find(str(asked.get("table"))), asked.get("ply")
    saved = table.saved()
    if type(ply) is not int or not 0 <= ply <= len(saved.moves):
        raise UserError("there is no such move in this game")
    arguments = {"saved": asdict(saved), "ply": ply}
    return Asked("reasons", tables.catalogue.text(table.name), arguments, _THINK_SECONDS)


REQUESTS: dict[str, Request] = {"hint": _hint, "why": _why}
"""What the page asks for by the socket."""
