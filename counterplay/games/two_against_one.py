"""Two against one: a game of stones for three, in which the first and the third are partners.

The answer is known for one heap and `most` of 2 or more (see `docs/games/two_against_one.md` for the proof): the
partners win, unless the one is to move and can take all, or the first partner is to move and has to leave that to it.
"""

from functools import cached_property
from typing import NamedTuple

from counterplay.core.game import Game, UnreadableText
from counterplay.core.primitives import replace

LONE = 1
SIDES = (0, 1, 0)  # by seat: the partners, the one, the partners


class TwoAgainstOne(Game):
    """In turn take 1 to `most` stones from a heap; who takes the last one wins, and so does a partner."""

    heaps: tuple = (7,)
    most: int = 3
    as_team: bool = False  # as a game of two players, the partners being one: for searches for two opponents

    class State(NamedTuple):
        heaps: tuple
        turn: int

    @cached_property
    def players(self):
        return 2 if self.as_team else 3

    @cached_property
    def player_names(self):
        return ("a partner", "the one") if self.as_team else ("the first partner", "the one", "the second partner")

    @cached_property
    def utility_range(self):
        return (-1.0, 1.0) if self.as_team else (-2.0, 2.0)

    def initial(self):
        return self.State(self.heaps, 0)

    def player(self, s):
        return SIDES[s.turn] if self.as_team else s.turn

    def actions(self, s):
        """Action `heap * most + stones - 1`."""
        for heap in range(len(self.heaps)):
            for stones in range(1, min(self.most, s.heaps[heap]) + 1):
                yield heap * self.most + stones - 1

    def result(self, s, a):
        heap, stones = a // self.most, a % self.most + 1
        return self.State(replace(s.heaps, heap, s.heaps[heap] - stones), (s.turn + 1) % 3)

    def is_terminal(self, s):
        return sum(s.heaps) == 0

    def utility(self, s, p):
        """1 for each partner and -2 for the one, or the opposite; as a team 1 and -1."""
        partners_win = (s.turn + 2) % 3 != LONE  # who has just moved has won
        sign = 1.0 if partners_win else -1.0
        if self.as_team:
            return sign if p == 0 else -sign
        return -2.0 * sign if p == LONE else sign

    # ---- for people

    def show(self, s):
        heaps = "\n".join(f"{heap_name(i)}  {'o ' * stones}({stones})" for i, stones in enumerate(s.heaps))
        who = ("the first partner", "the one", "the second partner")[s.turn]
        return heaps if self.is_terminal(s) else f"{heaps}\n{who} is to move"

    def action_name(self, s, a):
        return f"{heap_name(a // self.most)}{a % self.most + 1}"

    def validate(self):
        fits = all(isinstance(stones, int) and 0 <= stones <= 1000 for stones in self.heaps)
        if not fits or not 1 <= len(self.heaps) <= 26 or sum(self.heaps) < 1 or not 1 <= self.most <= 1000:
            raise UnreadableText(
                "two_against_one needs heaps of 0 to 1,000 stones, as heaps=[7], and most of 1 or more"
            )


def heap_name(i):
    return chr(ord("a") + i)
