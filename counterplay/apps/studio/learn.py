"""What the view Learn asks for: a training that is watched, and matches between players."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from counterplay.apps.studio.live import Asked, Request
from counterplay.apps.studio.tables import Tables
from counterplay.arena import HUMAN
from counterplay.core.game import Game, UserError
from counterplay.learn.recipes import RECIPES

__all__ = ["REQUESTS", "routes"]

Fields = dict[str, Any]
_MOST_TRAINING = 3600.0
_MATCH_SECONDS = 1800.0
_MOST_PLAYERS, _MOST_GAMES, _MOST_A_MOVE = 8, 200, 5.0


def routes(tables: Tables) -> APIRouter:
    """The addresses of this view."""
    router = APIRouter()

    @router.get("/api/recipes")
    def recipes() -> list[Fields]:
        return [{"name": each.name, "about": each.about, "games": each.games} for each in RECIPES.values()]

    return router


def _open_game(tables: Tables, asked: Fields) -> Game:
    game = tables.catalogue.game(asked.get("game"))
    if not game.perfect_information:
        raise UserError(f"{game} has something hidden: nobody learns it so; see `equilibrium`")
    return game


def _train(tables: Tables, asked: Fields) -> Asked:
    game, recipe, games = _open_game(tables, asked), asked.get("recipe") or None, asked.get("games")
    seconds = asked.get("seconds", 30)
    if recipe is not None and recipe not in RECIPES:
        raise UserError(f"there is no such recipe; there are: {', '.join(RECIPES)}")
    if games is not None and (type(games) is not int or not 1 <= games <= 10_000_000):
        raise UserError("a training has 1 to 10,000,000 games")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 1 <= seconds <= _MOST_TRAINING:
        raise UserError(f"a training takes 1 to {_MOST_TRAINING:g} seconds here")
    arguments = {"recipe": recipe, "games": games, "seconds": seconds, "out": str(tables.catalogue.trained(game))}
    return Asked("trained", tables.catalogue.text(asked.get("game")), arguments, _MOST_TRAINING)


def _match(tables: Tables, asked: Fields) -> Asked:
    game, seats = _open_game(tables, asked), asked.get("players")
    games, seconds = asked.get("games", 10), asked.get("seconds", 0.1)
    if not isinstance(seats, list) or not 2 <= len(seats) <= _MOST_PLAYERS:
        raise UserError(f"2 to {_MOST_PLAYERS} players meet here")
    players = [tables.catalogue.player(game, seat) for seat in seats]
    if HUMAN in players:
        raise UserError("people do not play in matches")
    if type(games) is not int or not 2 <= games <= _MOST_GAMES:
        raise UserError(f"each two play 2 to {_MOST_GAMES} games")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0.01 <= seconds <= _MOST_A_MOVE:
        raise UserError(f"a move takes 0.01 to {_MOST_A_MOVE:g} seconds here")
    arguments = {"players": players, "games": games, "seconds": float(seconds)}
    return Asked("matched", tables.catalogue.text(asked.get("game")), arguments, _MATCH_SECONDS)


REQUESTS: dict[str, Request] = {"train": _train, "match": _match}
