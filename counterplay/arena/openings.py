"""Openings: where the games of a match begin, each played twice, with the sides swapped.

They are drawn at random, all different and perhaps balanced; or read from a file, which may have

    positions           a line each: EPD, FEN, or as the game writes them
    moves               a line each, with commas or numbers or without
    games               a PGN, or a PDN's ballots, with headers; they may begin at a position of their own
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from counterplay import search
from counterplay.arena.adjudication import Adjudication, Judge
from counterplay.arena.game_texts import headers_of_text, moves_of_text, split_games
from counterplay.core.files import read_text
from counterplay.core.game import CHANCE, Game, UserError

__all__ = ["Opening", "Openings", "random_openings", "read_openings"]

_JUDGE = replace(Adjudication(), nodes=2_000)
"""How closely it is looked whether an opening is balanced."""
_EPD_FIELDS = 4
_TRIES = 100
"""Random openings that are tried for each that is wanted, before longer ones are."""


class Opening(NamedTuple):
    """A position, and moves from there on."""

    begins: str
    """The text of the position; empty for the one in which the game always begins."""
    moves: tuple[int, ...]


class Openings(NamedTuple):
    """What a match is told about its openings."""

    plies: int | None = None
    """Moves of a random opening, by default 4; of a file's games, where they are cut off, by default at their end."""
    file: Path | None = None
    balanced: float | None = None
    """Only openings in which the judge gives no side more than this over an even chance."""

    def about(self) -> dict[str, Any]:
        """For the record, which belongs to these openings only."""
        plies = self.plies if self.file is not None else _PLIES if self.plies is None else self.plies
        about: dict[str, Any] = {"opening_plies": plies}
        if self.file is not None:
            about["openings"] = {"file": self.file.name, "sha256": sha256(read_text(self.file).encode()).hexdigest()}
        return about if self.balanced is None else about | {"balanced": self.balanced}

    def make(self, game: Game, wanted: int, seed: int) -> list[Opening]:
        """So many openings, or fewer, which then come again."""
        if self.plies is not None and self.plies < 0:
            raise UserError(f"an opening has 0 plies or more, not {self.plies}")
        if self.balanced is not None and not 0 <= self.balanced <= 0.5:
            raise UserError(f"balanced is how far a chance may be from even, 0 to 0.5, not {self.balanced:g}")
        if self.file is None:
            return random_openings(game, wanted, _PLIES if self.plies is None else self.plies, seed, self.balanced)
        return read_openings(game, self.file, self.plies, self.balanced)


_PLIES = 4


# ---- at random


def random_openings(game: Game, wanted: int, plies: int, seed: int, balanced: float | None = None) -> list[Opening]:
    """Distinct random openings of so many plies, or of more where there are not enough; none of them ends the game."""
    if plies == 0:
        return [Opening("", ())]
    found: dict[int, Opening] = {}
    looked_at: set[int] = set()
    random, judge = search.new_random(seed), None if balanced is None else Judge(game, _JUDGE)
    while True:
        is_over = True  # every game ends before it has so many plies
        for states, moves in islice(_walks(game, plies, random), _TRIES * wanted):
            s = states[-1]
            if game.is_terminal(s):
                continue
            is_over, key = False, game.key(s)
            if key not in looked_at and _is_balanced(game, states, judge, balanced):
                found[key] = Opening("", moves)
            looked_at.add(key)
            if len(found) == wanted:
                return list(found.values())
        if is_over:
            which = "different" if balanced is None else "balanced"
            raise UserError(f"{game} has not {wanted} {which} openings; play fewer games")
        plies += 1


def _walks(game: Game, plies: int, random: Any) -> Iterator[tuple[list[Any], tuple[int, ...]]]:
    """The states and moves of random play, again and again."""
    while True:
        states: list[Any] = [game.initial()]
        moves: list[int] = []
        while len(moves) < plies and not game.is_terminal(states[-1]):
            moves.append(int(search.random_action(game, states[-1], random)))
            states.append(game.result(states[-1], moves[-1]))
        yield states, tuple(moves)


def _is_balanced(game: Game, states: list[Any], judge: Judge | None, within: float | None) -> bool:
    if judge is None or within is None or game.player(states[-1]) == CHANCE:
        return True
    return abs(judge.chance(states)[0] - 0.5) <= within


# ---- from a file


def read_openings(game: Game, file: Path, plies: int | None = None, balanced: float | None = None) -> list[Opening]:
    """The openings of a file in their order, each once; of games there, the first `plies` moves."""
    found: dict[int, Opening] = {}
    judge = None if balanced is None else Judge(game, _JUDGE)
    for where, text in _parts(read_text(file)):
        try:
            opening, states = _read(game, text, plies)
        except UserError as error:
            raise UserError(f"{file}, {where}: {error}") from None
        if game.is_terminal(states[-1]):
            raise UserError(f"{file}, {where}: the game is over after this opening; cut it off by --opening-plies")
        if _is_balanced(game, states, judge, balanced):
            found.setdefault(game.key(states[-1]), opening)
    if not found:
        raise UserError(f"{file} has no {'' if balanced is None else 'balanced '}opening in it")
    return list(found.values())


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Each opening of a file, and where it is."""
    if any(line.startswith("[") and line.rstrip().endswith('"]') for line in text.splitlines()):
        for number, part in enumerate(split_games(text), 1):
            yield f"game {number}", part
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield f"line {number}", line.strip()


def _read(game: Game, text: str, plies: int | None) -> tuple[Opening, list[Any]]:
    """An opening and its states: a game, moves, or a position."""
    begins, names = headers_of_text(text).get("FEN", ""), moves_of_text(text)
    s = game.from_text(begins) if begins else game.initial()
    try:
        moves = game.read_moves(s, names)
    except UserError as not_moves:
        try:
            s, moves = _position(game, text), []
        except UserError:
            raise not_moves from None
    moves = moves if plies is None else moves[:plies]
    states = [s]
    for a in moves:
        states.append(game.result(states[-1], a))
    return Opening("" if s == game.initial() else game.to_text(s), tuple(moves)), states


def _position(game: Game, text: str) -> Any:
    """The position of a line. An EPD's has four fields, and then operations, which end in semicolons."""
    try:
        return game.from_text(text)
    except UserError:
        if ";" not in text:
            raise
        return game.from_text(" ".join(text.split(";")[0].split()[:_EPD_FIELDS]))
