"""A game that is a random tree, or a random graph in which ways meet: compiled once, a tree for every seed."""

from typing import NamedTuple

from counterplay import Game, mix64


class RandomTree(Game):
    """Up to `width` actions and `height` plies; who moves, how many actions, where it ends, what it pays: by hash.

    With `meet` different orders of the same actions lead to the same state.
    """

    width: int = 4
    height: int = 6
    meet: bool = True

    utility_range = (-4.0, 4.0)

    class State(NamedTuple):
        place: int
        ply: int
        seed: int

    def noise(self, s, salt):
        return mix64(mix64(s.place + salt) ^ mix64(s.ply) ^ s.seed) & 0xFFFF

    def initial(self):
        return self.State(0, 0, 0)

    def player(self, s):
        return self.noise(s, 1) % 2

    def actions(self, s):
        return range(0 if self.is_terminal(s) else 1 + self.noise(s, 2) % self.width)

    def result(self, s, a):
        place = s.place + a if self.meet else mix64(s.place * 8 + a) >> 8
        return self.State(place, s.ply + 1, s.seed)

    def is_terminal(self, s):
        return s.ply == self.height or (s.ply > 1 and self.noise(s, 3) % 8 == 0)

    def utility(self, s, p):
        v = float(self.noise(s, 4) % 9 - 4)
        return v if p == 0 else -v

    def evaluate(self, s, p):
        return self.utility(s, p)


class KnowingTree(RandomTree):
    """The same with knowledge for the ordering, good or bad."""

    def priority(self, s, a):
        return float(self.noise(s, 5 + a) % 5)


class UniformTree(Game):
    """Every state has `width` actions, every line `height` plies. Best order: the first action is always a best one."""

    width: int = 3
    height: int = 4

    class State(NamedTuple):
        ply: int
        lead: int  # of the first player, by the mistakes made: each costs its maker 1

    @property
    def utility_range(self):
        return -float(self.height), float(self.height)

    def initial(self):
        return self.State(0, 0)

    def player(self, s):
        return s.ply % 2

    def actions(self, s):
        return range(0 if s.ply == self.height else self.width)

    def result(self, s, a):
        mistake = 1 if a > 0 else 0
        return self.State(s.ply + 1, s.lead - mistake if s.ply % 2 == 0 else s.lead + mistake)

    def is_terminal(self, s):
        return s.ply == self.height

    def utility(self, s, p):
        return float(s.lead if p == 0 else -s.lead)
