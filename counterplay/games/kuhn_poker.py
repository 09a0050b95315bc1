"""Kuhn poker: three cards, one each, one bet; the smallest game in which one has to bluff (Kuhn 1950)."""

from typing import NamedTuple

from counterplay.core.game import CHANCE, UnreadableText
from counterplay.core.primitives import replace
from counterplay.games._replay import Replayed

PASS, BET = 0, 1
NAMES = ("pass", "bet")
RANKS = "A23456789TJQK"  # the last of them are in the game


class KuhnPoker(Replayed):
    """Both pay 1 and get a card. Pass or bet 1 more; who passes a bet folds, else the higher card takes the pot."""

    cards: int = 3

    chance = True
    utility_range = (-2.0, 2.0)
    unit = "chips"

    class State(NamedTuple):
        cards: tuple  # -1: not dealt yet
        past: int  # a 1, then a bit for each move: 0 pass, 1 bet

    class Hand(NamedTuple):
        mine: int
        theirs: int  # -1: not shown
        past: int

    def validate(self):
        if not 2 <= self.cards <= len(RANKS):
            raise UnreadableText(f"kuhn_poker has 2 to {len(RANKS)} cards, not {self.cards}")

    def initial(self):
        return self.State((-1, -1), 1)

    def player(self, s):
        return CHANCE if s.cards[1] < 0 else 1 if s.past in (0b10, 0b11) else 0

    def actions(self, s):
        if s.cards[1] < 0:
            for card in range(self.cards):
                if card != s.cards[0]:
                    yield card
        elif not self.is_terminal(s):
            yield PASS
            yield BET

    def probability(self, s, a):
        return 1 / self.cards if s.cards[0] < 0 else 1 / (self.cards - 1)

    def result(self, s, a):
        if s.cards[1] < 0:
            return self.State(replace(s.cards, 0 if s.cards[0] < 0 else 1, a), 1)
        return self.State(s.cards, 2 * s.past + a)

    def is_terminal(self, s):
        return s.past > 3 and s.past != 0b101

    def folded(self, s):
        """Who has folded, -1 if nobody."""
        return 1 if s.past == 0b110 else 0 if s.past == 0b1010 else -1

    def utility(self, s, p):
        if self.folded(s) >= 0:
            return -1.0 if self.folded(s) == p else 1.0
        stake = 1.0 if s.past == 0b100 else 2.0
        return stake if s.cards[p] > s.cards[1 - p] else -stake

    def information(self, s, p):
        shown = self.is_terminal(s) and self.folded(s) < 0
        if p == CHANCE:
            return self.Hand(s.cards[0] if shown else -1, s.cards[1] if shown else -1, s.past)
        return self.Hand(s.cards[p], s.cards[1 - p] if shown else -1, s.past)

    # ---- for people

    def towards(self, t, s):
        if t.cards[1] < 0:
            return s.cards[0 if t.cards[0] < 0 else 1]
        later = s.past.bit_length() - t.past.bit_length() - 1
        return s.past >> later & 1 if later >= 0 else -1

    def action_name(self, s, a):
        return self.card(a) if s.cards[1] < 0 else NAMES[a]

    def show(self, s):
        return "\n".join(
            [*(f"player {p + 1}: {self.card(card)}" for p, card in enumerate(s.cards)), self.story(s.past)]
        )

    def show_information(self, known, p):
        who = ("your card", "their card") if p != CHANCE else ("player 1", "player 2")
        cards = f"{who[0]}: {self.card(known.mine)}   {who[1]}: {self.card(known.theirs)}"
        return f"{cards}\n{self.story(known.past)}"

    def card(self, card):
        return "?" if card < 0 else RANKS[card - self.cards]

    def story(self, past):
        return "moves: " + (" ".join(NAMES[int(bit)] for bit in f"{past:b}"[1:]) or "none")
