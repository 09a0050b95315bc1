"""The lecture's game of bins: you choose a bin, someone chooses a number from it, you get the number.

Game 1 is the default, against an opponent who minimises; `opponent_is_random` makes it a gamble. Game 2 (`coin`)
moves to the bin on the left, with wrap-around, when a coin shows heads after your choice.
"""

from functools import cached_property
from typing import NamedTuple

from counterplay.core.game import CHANCE, Game, UnreadableText

CHOOSING_BIN, FLIPPING, CHOOSING_NUMBER, OVER = range(4)
TAILS, HEADS = range(2)


class Bins(Game):
    """Choose a bin; the opponent chooses the number you get from it."""

    bins: tuple = ((-50, 50), (1, 3), (-5, 15))
    coin: bool = False
    opponent_is_random: bool = False

    class State(NamedTuple):
        stage: int
        bin: int
        number: int  # of the place in the bin

    @cached_property
    def chance(self):
        return self.coin or self.opponent_is_random

    @cached_property
    def numbers(self):
        """All numbers in a row; bin `b` has those from `starts[b]` up to but not including `starts[b + 1]`."""
        return tuple(float(number) for each in self.bins for number in each)

    @cached_property
    def starts(self):
        return tuple(sum(len(each) for each in self.bins[:b]) for b in range(len(self.bins) + 1))

    @cached_property
    def utility_range(self):
        largest = max(abs(number) for number in self.numbers)
        return -largest, largest

    def initial(self):
        return self.State(CHOOSING_BIN, 0, 0)

    def player(self, s):
        if s.stage == CHOOSING_BIN:
            return 0
        return CHANCE if s.stage == FLIPPING or self.opponent_is_random else 1

    def actions(self, s):
        if s.stage == CHOOSING_BIN:
            return range(len(self.bins))
        if s.stage == FLIPPING:
            return range(2)
        return range(self.size(s) if s.stage == CHOOSING_NUMBER else 0)

    def size(self, s):
        return self.starts[s.bin + 1] - self.starts[s.bin]

    def probability(self, s, a):
        return 0.5 if s.stage == FLIPPING else 1 / self.size(s)

    def result(self, s, a):
        if s.stage == CHOOSING_BIN:
            return self.State(FLIPPING if self.coin else CHOOSING_NUMBER, a, 0)
        if s.stage == FLIPPING:
            return self.State(CHOOSING_NUMBER, (s.bin - a) % len(self.bins), 0)
        return self.State(OVER, s.bin, a)

    def is_terminal(self, s):
        return s.stage == OVER

    def utility(self, s, p):
        number = self.numbers[self.starts[s.bin] + s.number]
        return number if p == 0 else -number

    def show(self, s):
        lines = []
        for b, numbers in enumerate(self.bins):
            mark = ">" if s.stage != CHOOSING_BIN and b == s.bin else " "
            lines.append(f"{mark} {bin_name(b)}  " + "  ".join(map(str, numbers)))
        if s.stage == OVER:
            lines.append(f"you get {self.utility(s, 0):g}")
        return "\n".join(lines)

    def action_name(self, s, a):
        if s.stage == CHOOSING_BIN:
            return bin_name(a)
        if s.stage == FLIPPING:
            return ("tails", "heads")[a]
        numbers = self.bins[s.bin]
        return str(numbers[a]) + (f"#{a + 1}" if numbers.count(numbers[a]) > 1 else "")

    def validate(self):
        shaped = all(isinstance(each, tuple) and each for each in self.bins) and 1 <= len(self.bins) <= 26
        if not shaped or not all(isinstance(number, int | float) for each in self.bins for number in each):
            raise UnreadableText("bins needs 1 to 26 bins of numbers, as bins=[[-50,50],[1,3],[-5,15]]")


def bin_name(b):
    return chr(ord("A") + b)
