"""Connect Four."""

from functools import cached_property
from typing import NamedTuple

from counterplay.bits import Bits
from counterplay.drawing import Look, Piece
from counterplay.game import Game, UnreadableText, read_board


class ConnectFour(Game):
    """Drop stones into columns; `connect` in a row, column or diagonal wins. x begins."""

    rows: int = 6
    columns: int = 7
    connect: int = 4

    player_names = ("x", "o")
    look = Look("holes", "#2456b8", "#dfe7f5", {"x": Piece("disc", "#d7322a"), "o": Piece("disc", "#f6c915")})

    class State(NamedTuple):
        mine: Bits  # the stones of the player to move
        theirs: Bits
        ply: int

    # Square `column * stride + height`, with one square above each column that stays empty, so that a line which
    # leaves a column's top does not go on at the bottom of the next.

    @cached_property
    def stride(self):
        return self.rows + 1

    @cached_property
    def empty(self):
        return Bits(self.columns * self.stride)

    def initial(self):
        return self.State(self.empty, self.empty, 0)

    def player(self, s):
        return s.ply % 2

    def actions(self, s):
        if self.is_terminal(s):
            return
        stones = s.mine | s.theirs
        for column in range(self.columns):
            if column * self.stride + self.rows - 1 not in stones:
                yield column

    def lands_on(self, s, column):
        stones = s.mine | s.theirs
        square = column * self.stride
        while square in stones:
            square += 1
        return square

    def result(self, s, a):
        return self.State(s.theirs, s.mine.add(self.lands_on(s, a)), s.ply + 1)

    def has_line(self, b):
        for step in (1, self.stride - 1, self.stride, self.stride + 1):
            if b.runs(step, self.connect):
                return True
        return False

    def is_terminal(self, s):
        return self.has_line(s.theirs) or s.ply == self.rows * self.columns

    def utility(self, s, p):
        if not self.has_line(s.theirs):
            return 0.0
        return -1.0 if p == s.ply % 2 else 1.0

    @cached_property
    def squares(self):
        return Bits(self.empty.width, [i for i in range(self.empty.width) if i % self.stride < self.rows])

    def mirrored(self, b):
        column, other = Bits(self.empty.width, range(self.stride)), self.empty
        for c in range(self.columns):
            other = other | ((b >> c * self.stride) & column) << (self.columns - 1 - c) * self.stride
        return other

    def canonical(self, s):
        """Of a position and its mirror image the one that has a stone of the mover's at the first square to differ."""
        mine, theirs = self.mirrored(s.mine), self.mirrored(s.theirs)
        differ = (s.mine ^ mine) | (s.theirs ^ theirs)
        return s if not differ or differ.lowest() in s.mine | theirs else self.State(mine, theirs, s.ply)

    def threats(self, b):
        """The squares that would complete a line of `b`."""
        found = self.empty
        for step in (1, self.stride - 1, self.stride, self.stride + 1):
            for gap in range(self.connect):
                here = self.squares  # those whose line has all but this one
                for i in range(gap):
                    here = here & b << (gap - i) * step
                for i in range(gap + 1, self.connect):
                    here = here & b >> (i - gap) * step
                found = found | here
        return found

    def priority(self, s, a):
        """Moves that win or threaten much first, then those near the centre."""
        square = self.lands_on(s, a)
        threats = self.threats(s.mine.add(square)) - s.mine - s.theirs
        wins = self.rows * self.columns if square in threats else 0
        return wins + len(threats) - abs(2 * a + 1 - self.columns) / (2 * self.columns)

    def board(self, s):
        x, o = (s.mine, s.theirs) if s.ply % 2 == 0 else (s.theirs, s.mine)
        squares = ([c * self.stride + h for c in range(self.columns)] for h in reversed(range(self.rows)))
        return [["x" if i in x else "o" if i in o else "." for i in row] for row in squares]

    def labels(self):
        return [str(c + 1) for c in range(self.columns)], ()

    def action_name(self, s, a):
        return str(a + 1)

    def from_text(self, text):
        """A board, or the columns played one after the other, as in `443`."""
        if text.isdigit() and self.columns <= 9:
            return self.at(moves=list(text)).state
        x, o = read_board(text, self.rows, self.columns, "xo")
        heights = [0] * self.columns
        stones = {}
        for i in sorted([*x, *o], reverse=True):
            row, column = divmod(i, self.columns)
            if self.rows - 1 - row != heights[column]:
                raise UnreadableText(f"'{text}' cannot be: a stone floats in column {column + 1}")
            stones[i] = column * self.stride + heights[column]
            heights[column] += 1
        first, second = (Bits(self.empty.width, [stones[i] for i in side]) for side in (x, o))
        if len(x) - len(o) not in (0, 1):
            raise UnreadableText(f"'{text}' cannot be: x begins, so there are as many x as o or one more")
        mine, theirs = (first, second) if len(x) == len(o) else (second, first)
        if self.has_line(mine):
            raise UnreadableText(f"'{text}' cannot be: the player to move has connected already")
        return self.State(mine, theirs, len(x) + len(o))

    def validate(self):
        if not (1 <= self.rows <= 20 and 1 <= self.columns <= 20 and self.connect >= 2):
            raise UnreadableText("connect_four needs 1 to 20 rows and columns, and connect of 2 or more")
