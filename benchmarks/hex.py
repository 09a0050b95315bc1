"""Hex, with nothing but its rules: a game of which a search knows nothing, for matches between versions.

    counterplay match benchmarks/hex.py --games 100 \
        "ugi:python benchmarks/version_before.py . benchmarks/hex.py,seconds=0.1" \
        "ugi:python benchmarks/version_before.py ../before benchmarks/hex.py,seconds=0.1"
"""

from functools import cached_property
from typing import NamedTuple

from counterplay import Bits, Game


class Hex(Game):
    """x joins the upper to the lower edge, o the left to the right one; one of them must."""

    size: int = 7

    class State(NamedTuple):
        mine: Bits  # the stones of the player to move
        theirs: Bits
        turn: int

    # Square `row * stride + column`, with one column more that stays empty, so that neighbours are six shifts.

    @cached_property
    def stride(self):
        return self.size + 1

    @cached_property
    def none(self):
        return Bits(self.size * self.stride)

    @cached_property
    def squares(self):
        return Bits(self.none.width, [i for i in range(self.none.width) if i % self.stride < self.size])

    @cached_property
    def begins(self):
        """The edge from which each player must go."""
        upper, left = range(self.size), range(0, self.none.width, self.stride)
        return Bits(self.none.width, upper), Bits(self.none.width, left)

    @cached_property
    def ends(self):
        last = self.size - 1
        lower, right = range(last * self.stride, self.none.width - 1), range(last, self.none.width, self.stride)
        return Bits(self.none.width, lower), Bits(self.none.width, right)

    def initial(self):
        return self.State(self.none, self.none, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return self.none if self.is_terminal(s) else self.squares - s.mine - s.theirs

    def result(self, s, a):
        return self.State(s.theirs, s.mine.add(a), 1 - s.turn)

    def is_joined(self, stones, p):
        """Whether a player has a way of stones from edge to edge."""
        way, before = stones & self.begins[p], self.none
        while way != before:
            before = way
            up, down = way >> self.stride, way << self.stride
            way = (way | way << 1 | way >> 1 | up | up << 1 | down | down >> 1) & stones
        return bool(way & self.ends[p])

    def is_terminal(self, s):
        return self.is_joined(s.theirs, 1 - s.turn)

    def utility(self, s, p):
        return -1.0 if p == s.turn else 1.0

    def action_name(self, s, a):
        return chr(ord("a") + a % self.stride) + str(a // self.stride + 1)
