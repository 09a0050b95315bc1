"""A game from a file: saved by `play`, recorded by `match`, or its moves as plain text, a PGN's for example."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from counterplay import games
from counterplay.arena import SavedGame
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
    names, moves = first["players"], chosen["moves"]
    if not isinstance(names, list) or not isinstance(moves, list):
        raise UserError(f"{file} is not the record of a match, as `counterplay match --record` writes it")
    seats = names if chosen.get("first") == 0 else names[::-1]
    begins = loaded.to_text(loaded.initial())
    return replace(about, begins=begins, moves=tuple(map(str, moves)), players=tuple(map(str, seats)))


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
    text = _choose(
        file, [each for each in re.split(r"^(?=\[Event )", text, flags=re.MULTILINE) if each.strip()], number
    )
    headers = dict(re.findall(r'^\[(\w+) +"(.*)"\]', text, re.MULTILINE))
    begins = position or headers.get("FEN")
    s = game.initial() if begins is None else game.from_text(begins)
    players = (headers["White"], headers["Black"]) if {"White", "Black"} <= headers.keys() else ()
    return SavedGame(str(game), game.to_text(s), moves_of_text(text), players)


_LONGEST = 1_000_000
"""Characters of one game; a longer text is no game that anybody has played."""
_MARKS = re.compile(r"^\[.*\][ \t]*$|^%.*$|;.*$|\{[^}]*\}?|[()]", re.MULTILINE)
_NUMBERED = re.compile(r"\(\s*\d+\.")
_NUMBER = re.compile(r"^\d+\.+\s*")
_NO_MOVE = re.compile(r"1-0|0-1|1/2-1/2|\*|\$\d+|e\.p\.|")


def moves_of_text(text: str) -> tuple[str, ...]:
    """The names of the moves in a text, without what else a PGN has: headers, comments, variations, numbers, results.

    Blanks stand between moves; in a text with commas the commas and the ends of lines do, for names that have blanks.
    """
    if len(text) > _LONGEST:
        raise UserError(f"a game of {len(text):,} characters is too long to be read; {_LONGEST:,} is the most")
    text = _main_line(text)
    words = re.split(r"[,\n]", text) if "," in text else text.split()
    names = (_NUMBER.sub("", word.strip()).rstrip("!?").strip() for word in words)
    return tuple(name for name in names if not _NO_MOVE.fullmatch(name))


def _main_line(text: str) -> str:
    """A text without headers, comments and variations, in one pass however deeply they are nested.

    A parenthesis opens a variation if a blank is before it or a number follows; else it is the end of a move, as in
    8/4(2) or e8(Q).
    """
    kept: list[str] = []
    opened: list[bool] = []  # of every open parenthesis, whether it is a variation's
    depth, end, is_apart = 0, 0, True  # variations that are open; what was looked at; whether a mark ended just there
    for mark in _MARKS.finditer(text):
        start, found = mark.span()[0], mark[0]
        if depth == 0:
            kept.append(text[end:start])
        before = text[start - 1 : start] if start > end else ""
        is_apart = before.isspace() if before else is_apart
        end = mark.end()
        if found == "(":
            opened.append(depth > 0 or is_apart or _NUMBERED.match(text, start) is not None)
            depth += opened[-1]
            part = "" if opened[-1] else found
        elif found == ")":
            is_variation = bool(opened) and opened.pop()
            depth -= is_variation
            part = " " if is_variation else found
        elif found.startswith("{") and not found.endswith("}"):
            raise UserError("a comment is opened by '{' and never closed")
        else:
            part = " "
        is_apart = part != found
        if depth == 0:
            kept.append(part)
    if depth:
        raise UserError("a variation is opened by '(' and never closed")
    return "".join([*kept, text[end:]])
