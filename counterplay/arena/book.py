"""Opening books: moves that were thought about beforehand, longer than anybody can at the board.

    alphabeta:nodes=100000,book=on      a player that asks the book first

A book is a text with a line of moves in each row, as the game calls them; `#` begins a comment. Where a position comes
about in several ways, all lines that go through it count. `books/` has those that come with Counterplay, each named
like its game; `python benchmarks/book.py` makes them, by our own searches and from nothing else.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from counterplay import games
from counterplay.core.errors import UserError
from counterplay.core.game import Game
from counterplay.core.randomness import Dice

__all__ = ["Book", "has_book", "shipped_book"]

_FOLDER = Path(__file__).parent / "books"


class Book:
    """Which moves are known at a position, and by how many lines."""

    def __init__(self, game: Game, text: str) -> None:
        self.game = game
        self._known: dict[int, dict[int, int]] = {}
        for number, row in enumerate(text.splitlines(), 1):
            s = game.initial()
            for name in row.partition("#")[0].split():
                try:
                    a = game.parse_action(s, name)
                except UserError as error:
                    raise UserError(f"row {number} of the book of {game}: {error}") from None
                moves = self._known.setdefault(game.key(s), {})
                moves[a] = moves.get(a, 0) + 1
                s = game.result(s, a)

    def __len__(self) -> int:
        """How many positions it knows."""
        return len(self._known)

    def moves(self, s: Any) -> dict[int, int]:
        """The moves that it has for a position, and the number of lines that each is in."""
        return dict(self._known.get(self.game.key(s), {}))

    def choose(self, s: Any, dice: Dice) -> int | None:
        """A move for the position, one of many lines more often than one of few; None if it knows none."""
        found = self.moves(s)
        return dice.choice([a for a, lines in found.items() for _ in range(lines)]) if found else None


def has_book(game: Game) -> bool:
    """Whether a book for the game comes with Counterplay."""
    return str(game) == game.name and not games.source(game) and _file(game).exists()


def shipped_book(game: Game) -> Book:
    """The book for a game that comes with Counterplay."""
    if not has_book(game):
        raise UserError(f"no book for {game} comes with Counterplay")
    return _read(game)


@cache
def _read(game: Game) -> Book:
    return Book(game, _file(game).read_text())


def _file(game: Game) -> Path:
    return _FOLDER / f"{game.name}.txt"
