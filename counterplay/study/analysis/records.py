"""A game from a file: saved by `play`, recorded by `match`, or its moves as plain text, a PGN's for example."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from counterplay import games
from counterplay.arena import GameRecord, SavedGame
from counterplay.arena.game_texts import headers_of_text, moves_of_text, split_games
from counterplay.core.files import read_json, read_text
from counterplay.core.game import Game, UserError

__all__ = ["moves_of_text", "read_record"]


def read_record(file: Path, game: Game | None = None, position: str | None = None, number: int = 1) -> SavedGame:
    """The game in a file, or number so and so of several there, from 1.

    A text needs the `game` that its moves are of and may begin at a `position`; other files say that themselves, and
    `game`, if it is given, has to be the same. A game of somebody's own rules is always given: see `SavedGame.load`.
    """
    text = read_text(file)
    first, *others = _json_lines(text)
    if first is None:
        return _of_text(file, text, game, position, number)
    if position is not None:
        raise UserError(f"{file} says itself where the game begins; --position is for moves as plain text")
    if "moves" in first:
        _choose(file, [first], number)
        return SavedGame.read(file, game)
    about = SavedGame(str(first["game"]), "", source=str(first.get("source", "")))
    try:
        loaded = about.load(game)
    except UserError as error:
        raise UserError(f"{file}: {error}") from None
    chosen = _choose(file, others, number)
    try:
        played = GameRecord.read(chosen)
        seats = tuple(str(first["players"][seat]) for seat in played.seats)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
        raise UserError(f"{file} is not the record of a match, as `counterplay match --record` writes it") from None
    begins = played.begins or loaded.to_text(loaded.initial())
    return replace(about, begins=begins, moves=played.moves, players=seats)


def _json_lines(text: str) -> list[Any]:
    """A saved game, or the lines of a match's record, of which the last may not be finished; [None] for other texts."""
    found: list[Any] = []
    with suppress(ValueError):
        found = [read_json(text)]
    if not found:
        with suppress(ValueError):
            found.extend(map(read_json, text.splitlines()))
    first, *others = found or [None]
    is_ours = isinstance(first, dict) and "game" in first and first.keys() & {"moves", "players"}
    return [first, *(each for each in others if isinstance(each, dict) and "moves" in each)] if is_ours else [None]


def _choose(file: Path, several: list[Any], number: int) -> Any:
    if not several:
        raise UserError(f"{file} has no game in it")
    if not 1 <= number <= len(several):
        has = f"games 1 to {len(several)}" if len(several) > 1 else "one game"
        raise UserError(f"{file} has {has}; there is no number {number}")
    return several[number - 1]


# ---- plain text


def _of_text(file: Path, text: str, game: Game | None, position: str | None, number: int) -> SavedGame:
    if game is None and file.suffix.lower() == ".pgn":
        game = games.load("chess")
    if game is None:
        raise UserError(f"{file} is neither a saved game nor a match's record; say which GAME its moves are of")
    text = _choose(file, split_games(text), number)
    headers = headers_of_text(text)
    begins = position or headers.get("FEN")
    s = game.initial() if begins is None else game.from_text(begins)
    players = (headers["White"], headers["Black"]) if {"White", "Black"} <= headers.keys() else ()
    return SavedGame(str(game), game.to_text(s), moves_of_text(text), players)
