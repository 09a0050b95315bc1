"""What games share that two sides play on a board of squares, each with pieces of its own: texts, names, drawings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

from counterplay.core.bits import Bits
from counterplay.core.features import Place
from counterplay.core.game import Game, UnreadableText
from counterplay.core.texts import read_board

__all__ = ["BoardGame"]


class BoardGame(Game):
    """A game whose state has the pieces of the player to move, `mine`, and `theirs`; or says otherwise by `sides`."""

    pieces: ClassVar[str] = "xo"
    """The characters of player 0's pieces and of player 1's."""
    says_turn: ClassVar[bool] = True
    """Whether a text says who is to move. If not, both put down a piece in turn, so that to count them is enough."""

    @property
    def player_names(self) -> tuple[str, ...]:
        return tuple(self.pieces.upper())

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns the board has; a game that calls its parameters otherwise says so here."""
        return self.rows, self.columns  # type: ignore[attr-defined]

    def square(self, row: int, column: int) -> int:
        """Which square of a `Bits` that is, counted from the top left."""
        return row * self.shape[1] + column

    @cached_property
    def empty(self) -> Bits:
        """The board without pieces."""
        return Bits(self.shape[0] * self.shape[1])

    def sides(self, s: Any) -> tuple[Any, Any]:
        """The pieces of player 0 and those of player 1."""
        return (s.mine, s.theirs) if self.player(s) == 0 else (s.theirs, s.mine)

    def set_up(self, mine: Bits, theirs: Bits, turn: int) -> Any:
        """The state with those pieces of the player to move and of the other."""
        return self.State(mine, theirs, turn)  # type: ignore[attr-defined]

    def mistake(self, s: Any) -> str:
        """Why a position that somebody wrote cannot be; nothing if it can."""
        return ""

    # ---- for people

    def board(self, s: Any) -> Sequence[Sequence[str]]:
        rows, columns = self.shape
        first, second = self.sides(s)
        squares = ([self.square(r, c) for c in range(columns)] for r in range(rows))
        return [
            [self.pieces[0] if q in first else self.pieces[1] if q in second else "." for q in row] for row in squares
        ]

    def labels(self) -> tuple[Sequence[str], Sequence[str]]:
        """Letters for the columns, and for the rows numbers from the bottom up, as in chess."""
        rows, columns = self.shape
        return [chr(ord("a") + c) for c in range(columns)], [str(rows - r) for r in range(rows)]

    def square_name(self, square: int) -> str:
        """The name of a square that is counted from the top left."""
        columns, rows = self.labels()
        return columns[square % self.shape[1]] + rows[square // self.shape[1]]

    def place(self, s: Any, square: int) -> Place | None:
        rows, columns = self.shape
        for row, column in product(range(rows), range(columns)):
            if self.square(row, column) == square:
                is_named = all(self.labels())
                name = self.square_name(row * columns + column) if is_named else f"{column + 1}/{rows - row}"
                return Place(row, column, name)
        return None

    def action_name(self, s: Any, a: int) -> str:
        """The square of that number."""
        return self.square_name(a)

    def to_text(self, s: Any) -> str:
        """The rows from the top and, if need be, who is to move."""
        return super().to_text(s) + (f" {self.pieces[self.player(s)]}" if self.says_turn else "")

    def from_text(self, text: str) -> Any:
        board, turn = text.strip(), -1
        if self.says_turn:
            board, turn = board[:-1], self.pieces.find(board[-1:] or " ")
            if turn < 0 or not board.endswith((" ", "\n")):
                ends = " or ".join(f"' {piece}'" for piece in self.pieces)
                raise UnreadableText(f"'{text}' does not say who is to move: end it with {ends}")
        x, o = self.pieces[0], self.pieces[1]
        first, second = (Bits(self.empty.width, squares) for squares in self.read(board))
        if not self.says_turn:
            turn = len(first) - len(second)
            if turn not in (0, 1):
                raise UnreadableText(f"'{text}' cannot be: {x} begins, so there are as many {x} as {o} or one more")
        s = self.set_up(first, second, 0) if turn == 0 else self.set_up(second, first, 1)
        if mistake := self.mistake(s):
            raise UnreadableText(f"'{text}' cannot be: {mistake}")
        return s

    def read(self, text: str) -> list[list[int]]:
        """The squares of each side's pieces on a written board."""
        rows, columns = self.shape
        found = read_board(text, rows, columns, self.pieces)
        return [[self.square(*divmod(i, columns)) for i in squares] for squares in found]
