"""Tic-tac-toe and its family: k in a row on a board of m columns and n rows."""

from functools import cached_property
from typing import NamedTuple

from counterplay.core.bits import Bits
from counterplay.core.boards import BoardGame
from counterplay.core.drawing import Look, Piece
from counterplay.core.game import UnreadableText


class TicTacToe(BoardGame):
    """Two players put their mark on an empty square in turn; `k` in a row wins. x begins."""

    m: int = 3
    n: int = 3
    k: int = 3

    unit = "lines"
    scored = False
    says_turn = False
    look = Look("grid", "#fbfaf5", "#9a9a9a", {"x": Piece("cross", "#c0392b"), "o": Piece("ring", "#2456b8")})

    class State(NamedTuple):
        mine: Bits  # the marks of the player to move
        theirs: Bits
        turn: int

    @cached_property
    def shape(self):
        return self.n, self.m

    @cached_property
    def directions(self):
        """East, south, south-east, south-west: the step, and the squares from which a line of k fits."""
        fits = {(dr, dc): Bits(self.m * self.n, self._starts(dr, dc)) for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1))}
        return tuple((dr * self.m + dc, starts) for (dr, dc), starts in fits.items())

    def _starts(self, dr, dc):
        for r in range(self.n - dr * (self.k - 1)):
            for c in range(self.m):
                if 0 <= c + dc * (self.k - 1) < self.m:
                    yield r * self.m + c

    def lines(self, b):
        """How many lines of k lie wholly in `b`."""
        count = 0
        for step, starts in self.directions:
            count += len(b.runs(step, self.k) & starts)
        return count

    @cached_property
    def utility_range(self):
        lines = float(self.lines(~self.empty))
        return -lines, lines  # a win is worth every line there is, so that no `evaluate` can top it

    def initial(self):
        return self.State(self.empty, self.empty, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return self.empty if self.lines(s.theirs) else ~(s.mine | s.theirs)

    def result(self, s, a):
        return self.State(s.theirs, s.mine.add(a), 1 - s.turn)

    def is_terminal(self, s):
        return self.lines(s.theirs) > 0 or not ~(s.mine | s.theirs)

    def utility(self, s, p):
        if self.lines(s.theirs) == 0:
            return 0.0
        return self.utility_range[0] if p == s.turn else self.utility_range[1]

    def evaluate(self, s, p):
        """Lines still open for `p`, less those open for the opponent."""
        if self.is_terminal(s):
            return self.utility(s, p)
        lead = float(self.lines(~s.theirs) - self.lines(~s.mine))
        return lead if p == s.turn else -lead

    def mistake(self, s):
        return f"the player to move has {self.k} in a row already" if self.lines(s.mine) else ""

    def validate(self):
        if not (1 <= self.m <= 26 and 1 <= self.n <= 26 and 1 <= self.k <= max(self.m, self.n)):
            raise UnreadableText("tic_tac_toe needs 1 to 26 columns (m) and rows (n), and k no longer than the board")
