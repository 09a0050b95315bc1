"""Infection: a game that nobody has told Counterplay anything about but the rules, for benchmarks/zero.py.

It has no features, no estimate, no symmetries: what `zero` makes of it is what it makes of a game of yours.
"""

from functools import cached_property
from typing import NamedTuple

from counterplay import Bits, Game


class Infection(Game):
    """Put a stone beside one of yours; all of the other's around it become yours. When one cannot, most stones win."""

    size: int = 6

    class State(NamedTuple):
        mine: Bits  # the stones of the player to move
        theirs: Bits
        turn: int

    @cached_property
    def empty(self):
        return Bits(self.size**2)

    @cached_property
    def not_left(self):
        return Bits(self.size**2, [i for i in range(self.size**2) if i % self.size > 0])

    @cached_property
    def not_right(self):
        return Bits(self.size**2, [i for i in range(self.size**2) if i % self.size < self.size - 1])

    def around(self, b):
        """The squares of `b` and all beside them, also aslant."""
        row = b | (b & self.not_left) >> 1 | (b & self.not_right) << 1
        return row | row << self.size | row >> self.size

    def initial(self):
        n, last = self.size, self.size**2 - 1
        return self.State(self.empty.add(0).add(last), self.empty.add(n - 1).add(last - n + 1), 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return self.around(s.mine) - s.mine - s.theirs

    def result(self, s, a):
        taken = s.theirs & self.around(self.empty.add(a))
        return self.State(s.theirs - taken, (s.mine | taken).add(a), 1 - s.turn)

    def is_terminal(self, s):
        return not self.actions(s)

    def utility(self, s, p):
        mine, theirs = len(s.mine), len(s.theirs)
        if mine == theirs:
            return 0.0
        return 1.0 if (mine > theirs) == (p == s.turn) else -1.0
