"""Little games that several test files use."""

import inspect
from typing import NamedTuple

from counterplay import Game


class Nim(Game):
    """Take 1 to `most` stones of a heap; whoever takes the last one wins."""

    heap: int = 9
    most: int = 3

    class State(NamedTuple):
        stones: int
        turn: int

    def initial(self):
        return self.State(self.heap, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return range(1, min(self.most, s.stones) + 1)

    def result(self, s, a):
        return self.State(s.stones - a, 1 - s.turn)

    def is_terminal(self, s):
        return s.stones == 0

    def utility(self, s, p):
        return -1.0 if s.turn == p else 1.0


NIM_FILE = "from typing import NamedTuple\nfrom counterplay import Game\n\n" + inspect.getsource(Nim)
"""Nim as a user's own file."""


class OnePlayer(Game):
    """Choose 0 or 1 twice; get the number in binary, plus one."""

    players = 1
    zero_sum = False
    utility_range = (1.0, 4.0)

    def initial(self):
        return (0, 0)

    def player(self, s):
        return 0

    def actions(self, s):
        return range(2 if s[0] < 2 else 0)

    def result(self, s, a):
        return (s[0] + 1, 2 * s[1] + a)

    def is_terminal(self, s):
        return s[0] == 2

    def utility(self, s, p):
        return s[1] + 1.0


class LongGame(Game):
    """One move at a time for a long time."""

    length: int = 10

    def initial(self):
        return (0,)

    def player(self, s):
        return s[0] % 2

    def actions(self, s):
        return range(1 if s[0] < self.length else 0)

    def result(self, s, a):
        return (s[0] + 1,)

    def is_terminal(self, s):
        return s[0] == self.length

    def utility(self, s, p):
        return 0.0
