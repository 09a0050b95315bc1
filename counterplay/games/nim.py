"""Nim: the game of heaps whose theory is known since 1901 (Bouton)."""

from typing import NamedTuple

from counterplay.core.game import Game, UnreadableText
from counterplay.core.primitives import replace


class Nim(Game):
    """Take any number of stones from one heap; whoever takes the last stone wins, or loses if `misere`."""

    heaps: tuple = (3, 4, 5)
    misere: bool = False

    class State(NamedTuple):
        heaps: tuple
        turn: int

    def initial(self):
        return self.State(self.heaps, 0)

    def player(self, s):
        return s.turn

    # Taking k stones from heap i is the action k * number of heaps + i.

    def actions(self, s):
        for i in range(len(s.heaps)):
            for k in range(1, s.heaps[i] + 1):
                yield k * len(s.heaps) + i

    def result(self, s, a):
        k, i = a // len(s.heaps), a % len(s.heaps)
        return self.State(replace(s.heaps, i, s.heaps[i] - k), 1 - s.turn)

    def is_terminal(self, s):
        return sum(s.heaps) == 0

    def utility(self, s, p):
        took_last = p != s.turn
        return 1.0 if took_last != self.misere else -1.0

    def show(self, s):
        return "\n".join(f"{heap_name(i)}  {'o ' * stones}({stones})" for i, stones in enumerate(s.heaps))

    def action_name(self, s, a):
        """`b2`: two stones from heap b."""
        return f"{heap_name(a % len(s.heaps))}{a // len(s.heaps)}"

    def validate(self):
        if not 1 <= len(self.heaps) <= 26 or not all(isinstance(h, int) and h >= 0 for h in self.heaps):
            raise UnreadableText("nim needs 1 to 26 heaps of 0 or more stones, as heaps=[3,4,5]")


def heap_name(i):
    return chr(ord("a") + i)
