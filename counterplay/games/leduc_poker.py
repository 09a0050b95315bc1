"""Leduc poker: two suits of three ranks, a card each and one on the table, two rounds of bets (Southey et al. 2005)."""

from functools import cached_property
from typing import NamedTuple

from counterplay.core.game import CHANCE, UnreadableText
from counterplay.core.primitives import replace
from counterplay.games._replay import Replayed

FOLD, CALL, RAISE = 0, 1, 2
NAMES = ("fold", "call", "raise")
RANKS = "56789TJQK"  # the last of them are in the game
MOST_RAISES = 10  # so that all moves fit into one number


class LeducPoker(Replayed):
    """Both pay 1 and get a card; bets, a card on the table, bets again. A pair with it wins, else the higher rank."""

    ranks: int = 3
    raises: int = 2  # in a round, of both together
    bets: tuple = (2, 4)  # what a raise adds, in the first round and in the second
    tell_suits: bool = False  # whether players see them, though they are worth nothing

    chance = True
    unit = "chips"

    class State(NamedTuple):
        cards: tuple  # of the players, and on the table; -1: not dealt yet
        paid: tuple
        past: int  # the moves + 1, as digits of base 4
        turn: int
        raised: int  # in this round
        acted: int  # moves in this round
        over: bool

    class Hand(NamedTuple):
        mine: int
        theirs: int  # -1: not shown
        table: int
        past: int

    def validate(self):
        if not (2 <= self.ranks <= 9 and 0 <= self.raises <= MOST_RAISES):
            raise UnreadableText(f"leduc_poker has 2 to 9 ranks and 0 to {MOST_RAISES} raises in a round")
        if len(self.bets) != 2 or not all(type(bet) is int and bet > 0 for bet in self.bets):
            raise UnreadableText("leduc_poker has two bets above 0, as in bets=[2,4]")

    @cached_property
    def utility_range(self):
        most = 1.0 + self.raises * sum(self.bets)
        return -most, most

    def initial(self):
        return self.State((-1, -1, -1), (1, 1), 0, CHANCE, 0, 0, False)

    def player(self, s):
        return s.turn

    def actions(self, s):
        if not s.over and s.turn == CHANCE:
            for card in range(2 * self.ranks):
                if card != s.cards[0] and card != s.cards[1]:
                    yield card
        elif not s.over:
            if s.paid[0] != s.paid[1]:
                yield FOLD
            yield CALL
            if s.raised < self.raises:
                yield RAISE

    def probability(self, s, a):
        return 1 / (2 * self.ranks - (s.cards[0] >= 0) - (s.cards[1] >= 0))

    def result(self, s, a):
        if s.turn == CHANCE:
            i = 0 if s.cards[0] < 0 else 1 if s.cards[1] < 0 else 2
            return self.State(replace(s.cards, i, a), s.paid, s.past, CHANCE if i == 0 else 0, 0, 0, False)
        past, other = 4 * s.past + a + 1, 1 - s.turn
        if a == FOLD:
            return self.State(s.cards, s.paid, past, s.turn, s.raised, 0, True)
        bet = 0 if a == CALL else self.bets[0] if s.cards[2] < 0 else self.bets[1]
        paid = replace(s.paid, s.turn, s.paid[other] + bet)
        if a == CALL and s.acted > 0:  # the round is over
            over = s.cards[2] >= 0
            return self.State(s.cards, paid, past, s.turn if over else CHANCE, 0, 0, over)
        return self.State(s.cards, paid, past, other, s.raised + (a == RAISE), s.acted + 1, False)

    def is_terminal(self, s):
        return s.over

    def strength(self, s, p):
        rank = s.cards[p] >> 1
        return rank + (self.ranks if rank == s.cards[2] >> 1 else 0)

    def utility(self, s, p):
        mine, theirs = s.paid[p], s.paid[1 - p]
        if mine != theirs:  # who has paid less has folded
            return float(theirs) if mine > theirs else -float(mine)
        lead = self.strength(s, p) - self.strength(s, 1 - p)
        return float(mine) * ((lead > 0) - (lead < 0))

    def information(self, s, p):
        shown = s.over and s.paid[0] == s.paid[1]
        suit = 0 if self.tell_suits else 1
        mine, theirs = s.cards[max(p, 0)], s.cards[1 - max(p, 0)]
        if p == CHANCE and not shown:
            mine = -1
        return self.Hand(mine >> suit, (theirs if shown else -1) >> suit, s.cards[2] >> suit, s.past)

    # ---- for people

    def towards(self, t, s):
        if t.turn == CHANCE:
            return s.cards[t.cards.index(-1)]
        done, all_moves = ((each.past.bit_length() + 1) // 2 for each in (t, s))
        return (s.past >> 2 * (all_moves - done - 1) & 3) - 1 if done < all_moves else -1

    def action_name(self, s, a):
        return self.card(a) if s.turn == CHANCE else NAMES[a]

    def card(self, card):
        return "?" if card < 0 else self.rank(card >> 1) + "sh"[card & 1]

    def rank(self, rank):
        return "?" if rank < 0 else RANKS[rank - self.ranks]

    def show(self, s):
        hands = [f"player {p + 1}: {self.card(s.cards[p])}   paid {s.paid[p]}" for p in range(2)]
        return "\n".join([*hands, f"table: {self.card(s.cards[2])}", self.story(s.past)])

    def show_information(self, known, p):
        card = self.card if self.tell_suits else self.rank
        who = ("your card", "their card") if p != CHANCE else ("player 1", "player 2")
        cards = f"{who[0]}: {card(known.mine)}   {who[1]}: {card(known.theirs)}   table: {card(known.table)}"
        return f"{cards}\n{self.story(known.past)}"

    def story(self, past):
        names = []
        while past:
            names.append(NAMES[past % 4 - 1])
            past //= 4
        return "moves: " + (" ".join(reversed(names)) or "none")
