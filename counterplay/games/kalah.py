"""Kalah: sow seeds round the board into your store; solved in 2000 by Irving, Donkers and Uiterwijk."""

from functools import cached_property
from typing import NamedTuple

from counterplay.core.cells import Cells
from counterplay.core.game import Game, UnreadableText
from counterplay.core.primitives import replace


class Kalah(Game):
    """Sow the seeds of a house, one by one, counter-clockwise; whoever has more in the store at the end wins.

    The last seed in your own store: move again. In an empty house of yours: it and all seeds opposite go to your
    store, if there are any opposite or `empty_capture` is on. When the houses of a side are empty, all seeds left go
    to the other side's store.
    """

    houses: int = 6
    seeds: int = 4
    empty_capture: bool = False

    class State(NamedTuple):
        pits: Cells  # the houses of player 0 and the store, then those of player 1
        turn: int

    @cached_property
    def all_seeds(self):
        return 2 * self.houses * self.seeds

    @cached_property
    def start(self):
        side = [self.seeds] * self.houses + [0]
        return Cells(self.all_seeds, side + side)

    def initial(self):
        return self.State(self.start, 0)

    def player(self, s):
        return s.turn

    def first(self, p):
        """The first house of a player."""
        return p * (self.houses + 1)

    def store(self, p):
        return self.first(p) + self.houses

    def houses_of(self, s, p):
        """The seeds in the houses of a player."""
        return s.pits[self.first(p) : self.store(p)]

    def actions(self, s):
        if not self.is_terminal(s):
            for house in range(self.houses):
                if s.pits[self.first(s.turn) + house] > 0:
                    yield house

    def result(self, s, a):
        store, other_store = self.store(s.turn), self.store(1 - s.turn)
        pit = self.first(s.turn) + a
        hand, pits = s.pits[pit], replace(s.pits, pit, 0)
        while hand > 0:
            pit = 0 if pit == len(pits) - 1 else pit + 1
            if pit != other_store:
                pits = replace(pits, pit, pits[pit] + 1)
                hand -= 1
        if self.first(s.turn) <= pit < store and pits[pit] == 1:
            opposite = 2 * self.houses - pit
            if pits[opposite] > 0 or self.empty_capture:
                won = pits[opposite] + 1
                pits = replace(pits, pit, 0, opposite, 0, store, pits[store] + won)
        return self.State(pits, s.turn if pit == store else 1 - s.turn)

    def is_terminal(self, s):
        return not any(self.houses_of(s, 0)) or not any(self.houses_of(s, 1))

    def score(self, s, p):
        """What a player has in the end: the store, and what is left in the houses."""
        return s.pits[self.store(p)] + sum(self.houses_of(s, p))

    def utility(self, s, p):
        mine, theirs = self.score(s, p), self.score(s, 1 - p)
        return 1.0 if mine > theirs else -1.0 if mine < theirs else 0.0

    def evaluate(self, s, p):
        """How many more seeds the player has in the store, of all."""
        if self.is_terminal(s):
            return self.utility(s, p)
        return (s.pits[self.store(p)] - s.pits[self.store(1 - p)]) / self.all_seeds

    def priority(self, s, a):
        """Moves that end in the store first, because one moves again; then the houses next to it."""
        round_the_board = 2 * self.houses + 1  # the other store is left out
        moves_again = (a + s.pits[self.first(s.turn) + a]) % round_the_board == self.houses
        return a + (self.houses if moves_again else 0)

    # ---- for people

    def show(self, s):
        """As player 1 sees it: one's own houses below, the store to the right."""
        names = [house_name(i) for i in range(self.houses)]
        mine, theirs = list(self.houses_of(s, 0)), list(self.houses_of(s, 1))
        rows = [names[::-1], theirs[::-1], mine, names]
        lines = ["     " + "".join(f"{x:>3}" for x in row) for row in rows]
        stores = f"{s.pits[self.store(1)]:>4} " + "   " * self.houses + f"{s.pits[self.store(0)]:>4}"
        return "\n".join([*lines[:2], stores, *lines[2:]])

    def action_name(self, s, a):
        return house_name(a)

    def from_text(self, text):
        s = super().from_text(text)
        if sum(s.pits) != self.all_seeds or s.turn not in (0, 1):
            raise UnreadableText(f"'{text}' is no position: it has {self.all_seeds} seeds in all, and turn is 0 or 1")
        return s

    def validate(self):
        if not (1 <= self.houses <= 26 and 1 <= self.seeds <= 20):
            raise UnreadableText("kalah needs 1 to 26 houses, and 1 to 20 seeds in each")


def house_name(i):
    return chr(ord("a") + i)
