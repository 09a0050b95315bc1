"""Goofspiel: bid the cards of a hand for prizes, both at the same time."""

from typing import NamedTuple

from counterplay.core.game import UnreadableText
from counterplay.games._replay import Replayed


class Goofspiel(Replayed):
    """Bid one of the cards 1 to n for each prize, n first and 1 last, both at once; the higher bid gets it."""

    cards: int = 4

    simultaneous = True

    class State(NamedTuple):
        hands: tuple  # a bit for each card still held
        bid: int  # the first player's in this round; -1: none yet
        past: int  # the bids of all rounds so far, as digits of base 16
        lead: int

    class Hand(NamedTuple):
        bid: int  # one's own in this round; -1: none yet
        past: int

    def validate(self):
        if not 2 <= self.cards <= 7:
            raise UnreadableText(f"goofspiel has 2 to 7 cards, not {self.cards}")

    def initial(self):
        full = (1 << self.cards) - 1
        return self.State((full, full), -1, 0, 0)

    def player(self, s):
        return 0 if s.bid < 0 else 1

    def actions(self, s):
        hand = s.hands[self.player(s)]
        for card in range(self.cards):
            if hand >> card & 1:
                yield card

    def result(self, s, a):
        if s.bid < 0:
            return self.State((s.hands[0] ^ 1 << a, s.hands[1]), a, s.past, s.lead)
        prize = 1
        for card in range(self.cards):
            prize += s.hands[0] >> card & 1
        won = prize * ((s.bid > a) - (s.bid < a))
        return self.State((s.hands[0], s.hands[1] ^ 1 << a), -1, 256 * s.past + 16 * (s.bid + 1) + a + 1, s.lead + won)

    def is_terminal(self, s):
        return s.hands[1] == 0

    def utility(self, s, p):
        won = 1.0 if s.lead > 0 else -1.0 if s.lead < 0 else 0.0
        return won if p == 0 else -won

    def information(self, s, p):
        return self.Hand(s.bid if p == 0 else -1, s.past)

    # ---- for people

    def towards(self, t, s):
        done, rounds = ((each.past.bit_length() + 7) // 8 for each in (t, s))
        if done >= rounds:
            return s.bid if t.bid < 0 else -1
        return (s.past >> 8 * (rounds - done - 1) >> (4 if t.bid < 0 else 0) & 15) - 1

    def action_name(self, s, a):
        return str(a + 1)

    def show(self, s):
        bid = f"\nplayer 1 bids {s.bid + 1}" if s.bid >= 0 else ""
        return self.story(s.past) + bid

    def show_information(self, known, p):
        return self.story(known.past) + (f"\nyou bid {known.bid + 1}" if known.bid >= 0 else "")

    def story(self, past):
        """A line for each prize: who bid what."""
        rounds = []
        while past:
            rounds.append((past >> 4 & 15, past & 15))
            past >>= 8
        lines = [f"prize {self.cards - i}: bids {x} and {y}" for i, (x, y) in enumerate(reversed(rounds))]
        return "\n".join(lines + ([f"prize {self.cards - len(rounds)}"] if len(rounds) < self.cards else []))
