"""Liar's dice with one die each: bid higher and higher, until somebody does not believe it."""

from functools import cached_property
from typing import NamedTuple

from counterplay.core.game import CHANCE, UnreadableText
from counterplay.core.primitives import replace
from counterplay.core.randomness import word
from counterplay.games._replay import Replayed


class LiarsDice(Replayed):
    """A bid says how many of the two dice show a face; the highest face counts as any. Bid higher, or call the liar."""

    faces: int = 6

    chance = True

    class State(NamedTuple):
        dice: tuple  # faces from 0; -1: not thrown yet
        bids: int  # a bit for each bid made, the lowest bid first, and the last bit for `liar`
        turn: int

    class Hand(NamedTuple):
        mine: int
        theirs: int  # -1: under the cup
        bids: int

    def validate(self):
        if not 2 <= self.faces <= 20:
            raise UnreadableText(f"liars_dice has dice of 2 to 20 faces, not {self.faces}")

    @cached_property
    def liar(self):
        """The action of not believing the last bid. Bid b is: b // faces + 1 dice show face b % faces."""
        return 2 * self.faces

    def initial(self):
        return self.State((-1, -1), 0, CHANCE)

    def player(self, s):
        return s.turn

    def last_bid(self, bids):
        """The highest bid, -1 if there is none."""
        last = -1
        for bid in range(self.liar):
            if bids >> bid & 1:
                last = bid
        return last

    def actions(self, s):
        if s.turn == CHANCE:
            for face in range(self.faces):
                yield face
        elif not self.is_terminal(s):
            for bid in range(self.last_bid(s.bids) + 1, self.liar):
                yield bid
            if s.bids > 0:
                yield self.liar

    def probability(self, s, a):
        return 1 / self.faces

    def result(self, s, a):
        if s.turn == CHANCE:
            i = 0 if s.dice[0] < 0 else 1
            return self.State(replace(s.dice, i, a), 0, CHANCE if i == 0 else 0)
        return self.State(s.dice, s.bids | 1 << a, 1 - s.turn)

    def is_terminal(self, s):
        return s.bids >> self.liar != 0

    def utility(self, s, p):
        bid, shown = self.last_bid(s.bids), 0
        for die in s.dice:
            if die == bid % self.faces or die == self.faces - 1:
                shown += 1
        is_true = shown > bid // self.faces
        return 1.0 if is_true == (p == s.turn) else -1.0  # the bidder's turn comes after the caller's

    def information(self, s, p):
        shown = self.is_terminal(s)
        if p == CHANCE:
            return self.Hand(s.dice[0] if shown else -1, s.dice[1] if shown else -1, s.bids)
        return self.Hand(s.dice[p], s.dice[1 - p] if shown else -1, s.bids)

    def sample_state(self, s, p, random):
        """The other's die thrown again."""
        return self.State(replace(s.dice, 1 - p, word(random) * self.faces >> 32), s.bids, s.turn)

    # ---- for people

    def towards(self, t, s):
        if t.turn == CHANCE:
            return s.dice[t.dice.index(-1)]
        later = s.bids & ~t.bids
        return (later & -later).bit_length() - 1

    def action_name(self, s, a):
        if s.turn == CHANCE:
            return str(a + 1)
        return "liar" if a == self.liar else f"{a // self.faces + 1}x{a % self.faces + 1}"

    def show(self, s):
        dice = [f"player {p + 1}: {die + 1 if die >= 0 else '?'}" for p, die in enumerate(s.dice)]
        return "\n".join([*dice, self.story(s.bids)])

    def show_information(self, known, p):
        who = ("your die", "their die") if p != CHANCE else ("player 1", "player 2")
        mine, theirs = ("?" if die < 0 else die + 1 for die in (known.mine, known.theirs))
        return f"{who[0]}: {mine}   {who[1]}: {theirs}\n{self.story(known.bids)}"

    def story(self, bids):
        s = self.State((0, 0), 0, 0)
        return "bids: " + (" ".join(self.action_name(s, a) for a in range(self.liar + 1) if bids >> a & 1) or "none")
