"""Opening books: moves that were thought about beforehand, longer than anybody can at the board.

    alphabeta:nodes=100000,book=on      a player that asks the book first

A book is a text with a line of moves in each row, as the game calls them; `#` begins a comment. Where a position comes
about in several ways, all lines that go through it count. After `>` only the last move is one to play: the others are
how the position came about. A position is known by its images, too. `books/` has those that come with Counterplay, each
named like its game; `python benchmarks/book.py` makes them, by our own searches and from nothing else.
"""

from __future__ import annotations

from functools import cache
from itertools import takewhile
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
        names: list[str] = []
        states = [game.initial()]
        for number, row in enumerate(text.splitlines(), 1):
            is_answer, before = row.startswith(">"), names
            names = row.partition("#")[0].removeprefix(">").split()
            pairs = zip(before, names, strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))  # read in the row before
            del states[same + 1 :]
            try:
                for name in names[same:]:
                    s = states[-1]
                    states.append(game.result(s, game.parse_action(s, name)))
            except UserError as error:
                raise UserError(f"row {number} of the book of {game}: {error}") from None
            for s, name in list(zip(states, names, strict=False))[-1 if is_answer else 0 :]:
                self._note(s, game.parse_action(s, name))

    def _note(self, s: Any, a: int) -> None:
        """Another line has that move at that position, and its images at the images of it."""
        game = self.game
        alike = {game.key(s): a}
        for k in range(len(game.symmetries) if game.knows.image else 0):
            alike.setdefault(game.key(game.image(s, k)), game.image_action(a, k))
        for key, each in alike.items():
            moves = self._known.setdefault(key, {})
            moves[each] = moves.get(each, 0) + 1

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
