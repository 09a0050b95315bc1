"""Connect Four."""

from functools import cached_property
from typing import NamedTuple

from counterplay.bits import Bits
from counterplay.game import Game, UnreadableText


class ConnectFour(Game):
    """Drop stones into columns; `connect` in a row, column or diagonal wins. x begins."""

    rows: int = 6
    columns: int = 7
    connect: int = 4

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

    def result(self, s, a):
        stones = s.mine | s.theirs
        square = a * self.stride
        while square in stones:
            square += 1
        return self.State(s.theirs, s.mine.add(square), s.ply + 1)

    def has_line(self, b):
        for step in (1, self.stride - 1, self.stride, self.stride + 1):
            run = b
            for _ in range(self.connect - 1):
                run = run & run >> step
            if run:
                return True
        return False

    def is_terminal(self, s):
        return self.has_line(s.theirs) or s.ply == self.rows * self.columns

    def utility(self, s, p):
        if not self.has_line(s.theirs):
            return 0.0
        return -1.0 if p == s.ply % 2 else 1.0
