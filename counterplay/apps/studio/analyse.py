"""What the view Analyse asks for: a position or a game from a text, its best lines as they are found, verdicts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body

from counterplay.apps.studio.board import moves as clickable
from counterplay.apps.studio.board import picture
from counterplay.apps.studio.live import Asked, Request
from counterplay.apps.studio.tables import Tables
from counterplay.arena import SavedGame
from counterplay.arena.game_texts import headers_of_text, moves_of_text, split_games
from counterplay.core.game import Game, UserError
from counterplay.core.words import player_name

__all__ = ["REQUESTS", "routes"]

Fields = dict[str, Any]
Given = Annotated[Fields, Body()]
_LINES_SECONDS, _REVIEW_SECONDS, _WHY_SECONDS = 60.0, 600.0, 10.0
_MOST_LINES, _MOST_TEXT = 10, 400_000


def routes(tables: Tables) -> APIRouter:
    """The addresses of this view."""
    router = APIRouter()

    @router.post("/api/read")
    def read(asked: Given) -> Fields:
        """A game from a text: saved, PGN, moves; or a position."""
        name = asked.get("game")
        game = _open_game(tables, name)
        saved = _read(game, _text(asked.get("text")), _text(asked.get("position")))
        return {"game": name, "begins": saved.begins, "moves": list(saved.moves), "players": list(saved.players)}

    @router.post("/api/position")
    def position(asked: Given) -> Fields:
        """A position of a game that the page holds: its picture and moves."""
        game = _open_game(tables, asked.get("game"))
        saved = _line(game, asked)
        states = saved.states(game)
        s, is_over = states[-1], game.is_terminal(states[-1])
        return {
            "picture": picture(game, s, states[-2] if len(states) > 1 else None),
            "legal": [] if is_over else clickable(game, s),
            "whose": "" if is_over else player_name(game, int(game.player(s))),
            "ending": game.outcome(s) if is_over else "",
            "text": game.to_text(s),
        }

    return router


def _open_game(tables: Tables, name: Any) -> Game:
    game = tables.catalogue.game(name)
    if not game.perfect_information:
        raise UserError(f"{game} has something hidden, and lines of it cannot be analysed; see `equilibrium`")
    return game


def _text(text: Any) -> str:
    if text is None:
        return ""
    if not isinstance(text, str) or len(text) > _MOST_TEXT:
        raise UserError(f"a text has at most {_MOST_TEXT:,} characters")
    return text.strip()


def _read(game: Game, text: str, position: str) -> SavedGame:
    """The game in a text that somebody has pasted."""
    if text.startswith("{"):
        saved = SavedGame.parse(text, Path("this text"))
        saved.load(game)
        saved.states(game)
        return saved
    first = split_games(text)[0] if text else ""
    headers = headers_of_text(first)
    begins = position or headers.get("FEN")
    s = game.initial() if not begins else game.from_text(begins)
    players = (headers["White"], headers["Black"]) if {"White", "Black"} <= headers.keys() else ()
    names, here = [], s
    for a in game.read_moves(s, moves_of_text(first)):
        names.append(game.action_name(here, a))
        here = game.result(here, a)
    return SavedGame(str(game), game.to_text(s), tuple(names), players)


def _line(game: Game, asked: Fields) -> SavedGame:
    """The game that the page holds: where it begins, and the names of its moves."""
    begins, moves = asked.get("begins"), asked.get("moves", [])
    if not isinstance(moves, list) or not all(isinstance(each, str) for each in moves):
        raise UserError("moves are a list of names")
    begins = game.to_text(game.initial()) if not begins else _text(begins)
    return SavedGame(str(game), begins, tuple(moves))


def _asked(kind: str, seconds: float) -> Request:
    """A request about a game that the page holds."""

    def request(tables: Tables, asked: Fields) -> Asked:
        game = _open_game(tables, asked.get("game"))
        saved = _line(game, asked)
        arguments: Fields = {"saved": asdict(saved)}
        if kind == "lines":
            multi = asked.get("multi", 3)
            if type(multi) is not int or not 1 <= multi <= _MOST_LINES:
                raise UserError(f"1 to {_MOST_LINES} lines can be shown, not {multi}")
            arguments["multi"] = multi
        if kind == "reasons":
            arguments |= {"ply": len(saved.moves), "move": _text(asked.get("move")) or None}
        return Asked(kind, tables.catalogue.text(asked.get("game")), arguments, seconds)

    return request


REQUESTS: dict[str, Request] = {
    "lines": _asked("lines", _LINES_SECONDS),
    "review": _asked("reviewed", _REVIEW_SECONDS),
    "reasons": _asked("reasons", _WHY_SECONDS),
}
