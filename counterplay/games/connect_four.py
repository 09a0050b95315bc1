"""Connect Four."""

from functools import cached_property
from typing import NamedTuple

from counterplay.core.bits import Bits
from counterplay.core.boards import BoardGame
from counterplay.core.drawing import Look, Piece
from counterplay.core.game import UnreadableText


class ConnectFour(BoardGame):
    """Drop stones into columns; `connect` in a row, column or diagonal wins. x begins."""

    rows: int = 6
    columns: int = 7
    connect: int = 4

    says_turn = False
    look = Look("holes", "#2456b8", "#dfe7f5", {"x": Piece("disc", "#d7322a"), "o": Piece("disc", "#f6c915")})

    class State(NamedTuple):
        mine: Bits  # the stones of the player to move
        theirs: Bits
        ply: int

    # Square `column * stride + height`, with one square above each column that stays empty, so that a line which
    # leaves a column's top does not go on at the bottom of the next.

    def square(self, row, column):
        return column * self.stride + self.rows - 1 - row

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

    @cached_property
    def first_column(self):
        """Its squares, and the one above."""
        return Bits(self.empty.width, range(self.stride))

    @cached_property
    def bottom(self):
        return Bits(self.empty.width, range(0, self.empty.width, self.stride))

    def lands_on(self, s, column):
        return ((self.first_column << column * self.stride) - s.mine - s.theirs).lowest()

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

    # ---- the end of the game

    def plies_left(self, s):
        return self.rows * self.columns - s.ply

    def open_squares(self, stones):
        """The squares on which a stone can land."""
        return (stones << 1 | self.bottom) & self.squares - stones

    def sound_actions(self, s):
        """Stop the line that the other threatens to complete, and do not make the square below one."""
        stones = s.mine | s.theirs
        threats = self.threats(s.theirs) - stones
        squares = self.open_squares(stones)
        must = squares & threats
        if must:
            squares = must if len(must) == 1 else self.empty
        for square in squares - (threats >> 1):
            yield square // self.stride

    @cached_property
    def answers(self):
        """Every second square of a column: those of who answers each stone by one on top of it, from the bottom on."""
        return Bits(self.empty.width, [i for i in self.squares if i % self.stride % 2 == 1])

    def still_possible(self, s):
        """Who has no line left that the other has not touched does not win any more.

        Where the columns are even, more is known. (Allis 1988: o has the even threats, x the odd ones.) Empty squares
        are pairs then, one on top of the other, but for the lowest of a column with an odd number of stones. Such loose
        squares are pairs among themselves. So whoever is not to move can answer each stone in its pair, to the end of
        the game; the other gets no more than his part of the pairs, and of the loose squares all at most.
        """
        x, o = self.sides(s)
        least = -1.0 if self.has_line(self.squares - x) else 0.0
        most = 1.0 if self.has_line(self.squares - o) else 0.0
        if self.rows % 2 == 0:
            loose = self.open_squares(x | o) & self.answers
            if s.ply % 2 == 0:
                most = min(most, self.most_if_o_answers(s.mine, s.theirs, loose))
            else:
                for square in loose:  # their number is odd, and one of them has no partner
                    others = loose.remove(square)
                    most = min(most, self.most_if_o_answers(s.theirs, s.mine, others))
                    if self.wins_by_answers(s.theirs, s.mine, square, others):
                        least = 1.0
        return least, most

    def most_if_o_answers(self, x, o, loose):
        """What x gets at most if o answers in pairs: o has the upper squares, and x comes above no threat there."""
        free = self.squares - x - o
        upper = (free & self.answers) - loose
        lower = free - self.answers - self.above(self.threats(o) & upper)
        if self.has_line(x | lower | loose):
            return 1.0
        return -1.0 if self.has_line(o | upper) else 0.0

    def wins_by_answers(self, x, o, square, loose):
        """Whether x wins by answering in pairs, since o has to go up the column of `square`, to a threat of x's.

        There o has the first square and every second one, elsewhere the lower ones of the pairs, and none above a
        threat of x's that an answer carries out.
        """
        free = self.squares - x - o
        threats = self.threats(x) & free
        column = self.first_column << square // self.stride * self.stride
        wins = (threats & column) - self.answers
        if not wins:
            return False
        shut = self.above(wins | (threats & self.answers) - column - loose)
        own = (free & column & self.answers) | (free - column - self.answers)
        return not self.has_line(o | own - shut | loose)

    def above(self, b):
        """The squares above those of `b`."""
        found = b
        for _ in range(self.rows - 2):
            found = found | (found << 1 & self.squares)
        return found << 1 & self.squares

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

    # ---- for learning

    @cached_property
    def inputs(self):
        return 2 * self.empty.width

    def features(self, s, on):
        """The stones of the player to move, then the other's."""
        for square in s.mine:
            on.add(square)
        for square in s.theirs:
            on.add(self.empty.width + square)

    @property
    def symmetries(self):
        """The mirror."""
        return [
            [(self.columns - 1 - q // self.stride) * self.stride + q % self.stride for q in range(self.empty.width)]
        ]

    def image(self, s, k):
        return self.State(self.mirrored(s.mine), self.mirrored(s.theirs), s.ply)

    def image_action(self, a, k):
        return self.columns - 1 - a

    @property
    def shapes(self):
        """Every line that wins."""
        steps = (1, self.stride - 1, self.stride, self.stride + 1)
        lines = [[first + i * step for i in range(self.connect)] for first in self.squares for step in steps]
        return [line for line in lines if set(line) <= set(self.squares)]

    def priority(self, s, a):
        """Moves that win or threaten much first, then those near the centre."""
        square = self.lands_on(s, a)
        threats = self.threats(s.mine.add(square)) - s.mine - s.theirs
        wins = self.rows * self.columns if square in threats else 0
        return wins + len(threats) - abs(2 * a + 1 - self.columns) / (2 * self.columns)

    def labels(self):
        return [str(c + 1) for c in range(self.columns)], ()

    def action_name(self, s, a):
        return str(a + 1)

    def from_text(self, text):
        """A board, or the columns played one after the other, as in `443`."""
        return self.at(moves=list(text)).state if text.isdigit() and self.columns <= 9 else super().from_text(text)

    def set_up(self, mine, theirs, turn):
        return self.State(mine, theirs, len(mine | theirs))

    def mistake(self, s):
        stones = s.mine | s.theirs
        for square in stones:
            if square % self.stride > 0 and square - 1 not in stones:
                return f"a stone floats in column {square // self.stride + 1}"
        return "the player to move has connected already" if self.has_line(s.mine) else ""

    def validate(self):
        if not (1 <= self.rows <= 20 and 1 <= self.columns <= 20 and self.connect >= 2):
            raise UnreadableText("connect_four needs 1 to 20 rows and columns, and connect of 2 or more")
