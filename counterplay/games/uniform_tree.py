"""A tree as regular as the textbook's: what it takes to search it is known by theory, and best play by construction."""

from functools import cached_property
from typing import NamedTuple

from counterplay.core.game import Game, UnreadableText
from counterplay.core.primitives import mix64

ORDERS = ("best", "worst", "random")
BEST, WORST = 0, 1


class UniformTree(Game):
    """Every state has `width` moves, every line `height` plies; moves cost their maker, and whoever pays less wins.

    The costs of a state's moves are all different, and the best costs nothing: best play is 0 to 0. `order` says how
    the moves are listed: `best` first, `worst` first or at `random`. No two lines lead to the same state.
    """

    width: int = 3
    height: int = 6
    order: str = "random"

    class State(NamedTuple):
        ply: int
        lead: int  # what MIN has paid less what MAX has paid: the value of the state, as from here on it is 0 to 0
        path: int  # a hash of the moves up to here

    # Move a costs 0, 1, ... or width-1 of its ply's unit. A unit is more than all that the same player can still lose
    # later, so that in worst order no line is without hope until it ends, and alpha-beta must look at everything.

    @cached_property
    def units(self):
        """What the move to each ply costs for each step that it is worse than the best."""
        return tuple(self.width ** ((self.height - ply) // 2) for ply in range(self.height + 1))

    @cached_property
    def utility_range(self):
        most = float((self.width - 1) * max(sum(self.units[1::2]), sum(self.units[2::2])))
        return -most, most

    @cached_property
    def listing(self):
        return ORDERS.index(self.order)

    def initial(self):
        return self.State(0, 0, 0)

    def player(self, s):
        return s.ply % 2

    def actions(self, s):
        return range(0 if self.is_terminal(s) else self.width)

    def path_after(self, s, a):
        return mix64(s.path * self.width + a + 1)

    def cost(self, s, a):
        """In units; at random it is the rank of the move's hash among those of all moves."""
        if self.listing == BEST:
            return a
        if self.listing == WORST:
            return self.width - 1 - a
        rank, own = 0, self.path_after(s, a)
        for other in range(self.width):
            if self.path_after(s, other) < own:
                rank += 1
        return rank

    def result(self, s, a):
        paid = self.cost(s, a) * self.units[s.ply + 1]
        return self.State(s.ply + 1, s.lead - paid if s.ply % 2 == 0 else s.lead + paid, self.path_after(s, a))

    def is_terminal(self, s):
        return s.ply == self.height

    def utility(self, s, p):
        return float(s.lead if p == 0 else -s.lead)

    def evaluate(self, s, p):
        """The lead, mistaken by up to a unit of the last move: of two moves that differ by 1, 1 time in 8 the wrong."""
        if self.is_terminal(s):
            return self.utility(s, p)
        low, high = self.utility_range
        estimate = s.lead + self.units[s.ply] * (mix64(~s.path) / 2.0**63)
        estimate = min(max(estimate, low), high)
        return estimate if p == 0 else -estimate

    def from_text(self, text):
        s = super().from_text(text)
        if not 0 <= s.ply <= self.height or not -(2**63) <= s.path < 2**63:
            raise UnreadableText(f"'{text}' cannot be: ply is 0 to {self.height}, and path a number of 64 bits")
        low, high = ((self.width - 1) * sum(self.units[first : s.ply + 1 : 2]) for first in (1, 2))
        if not -low <= s.lead <= high:
            raise UnreadableText(f"'{text}' cannot be: at ply {s.ply} the lead is from {-low} to {high}")
        return s

    def validate(self):
        if self.order not in ORDERS:
            raise UnreadableText(f"uniform_tree's order is one of {', '.join(ORDERS)}; not '{self.order}'")
        if not (1 <= self.width <= 512 and 1 <= self.height <= 200):
            raise UnreadableText("uniform_tree needs a width of 1 to 512 and a height of 1 to 200")
        if self.width ** ((self.height + 1) // 2) > 2**53:
            raise UnreadableText(
                "uniform_tree needs width ** ((height + 1) // 2) up to 2 ** 53, so as to add up exactly"
            )
