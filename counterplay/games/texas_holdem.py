"""Texas hold'em for two with fixed bets: two cards each, five on the table, four rounds of bets."""

from functools import cached_property
from typing import NamedTuple

from counterplay.core.bits import Bits
from counterplay.core.cards import NAMES, Seat, table_svg
from counterplay.core.game import CHANCE, UnreadableText
from counterplay.core.primitives import nth, replace
from counterplay.core.randomness import word
from counterplay.games._replay import Replayed

FOLD, CALL, RAISE = 0, 1, 2
STREETS = ("preflop", "flop", "turn", "river")
SMALL_BLIND, BIG_BLIND = 1, 2
MOST_RAISES = 5  # so that all moves fit into one number

RANKS = 0x1FFF  # a bit for each rank of a suit, from 2 to ace
PAIR, TWO_PAIRS, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH = range(1, 9)
KINDS = ("high card", "a pair", "two pairs", "three of a kind", "a straight", "a flush", "a full house")
KINDS += ("four of a kind", "a straight flush")
PLAYERS = ("player 1", "player 2")


class TexasHoldem(Replayed):
    """Both bet on the best five of seven cards. The first player deals: he pays 1, the other 2, and begins preflop."""

    bets: tuple = (2, 2, 4, 4)  # what a raise adds, by street
    raises: tuple = (3, 4, 4, 4)  # of both together, by street

    chance = True
    unit = "chips"

    class State(NamedTuple):
        hands: tuple
        table: tuple  # flop, turn and river
        paid: tuple
        past: int  # the moves + 1, as digits of base 4
        turn: int
        raised: int  # on this street
        acted: int  # moves on this street
        over: bool

    class Hand(NamedTuple):
        mine: Bits
        theirs: Bits  # none: not shown
        table: tuple
        past: int

    def validate(self):
        if len(self.bets) != 4 or not all(type(bet) is int and bet > 0 for bet in self.bets):
            raise UnreadableText("texas_holdem has four bets above 0, as in bets=[2,2,4,4]")
        if len(self.raises) != 4 or not all(type(n) is int and 0 <= n <= MOST_RAISES for n in self.raises):
            raise UnreadableText(f"texas_holdem has 0 to {MOST_RAISES} raises on each street, as in raises=[3,4,4,4]")

    @cached_property
    def utility_range(self):
        most = float(BIG_BLIND + sum(n * bet for n, bet in zip(self.raises, self.bets, strict=True)))
        return -most, most

    def initial(self):
        none = Bits(52)
        return self.State((none, none), (none, none, none), (SMALL_BLIND, BIG_BLIND), 0, CHANCE, 0, 0, False)

    def player(self, s):
        return s.turn

    def deck(self, s):
        return ~(s.hands[0] | s.hands[1] | s.table[0] | s.table[1] | s.table[2])

    def street(self, table):
        return (len(table[0]) == 3) + len(table[1]) + len(table[2])

    def actions(self, s):
        if not s.over and s.turn == CHANCE:
            for card in self.deck(s):
                yield card
        elif not s.over:
            if s.paid[0] != s.paid[1]:
                yield FOLD
            yield CALL
            if s.raised < self.raises[self.street(s.table)]:
                yield RAISE

    def probability(self, s, a):
        return 1 / len(self.deck(s))

    def result(self, s, a):
        if s.turn == CHANCE:
            return self.dealt(s, a)
        past, other = 4 * s.past + a + 1, 1 - s.turn
        if a == FOLD:
            return self.State(s.hands, s.table, s.paid, past, s.turn, s.raised, 0, True)
        street = self.street(s.table)
        paid = replace(s.paid, s.turn, s.paid[other] + (self.bets[street] if a == RAISE else 0))
        if a == CALL and s.acted > 0:  # the street is over
            over = street == 3
            return self.State(s.hands, s.table, paid, past, s.turn if over else CHANCE, 0, 0, over)
        return self.State(s.hands, s.table, paid, past, other, s.raised + (a == RAISE), s.acted + 1, False)

    def dealt(self, s, card):
        """The state after a card, which goes to where one is missing: to both players, then on the table."""
        for p in range(2):
            if len(s.hands[p]) < 2:
                hands = replace(s.hands, p, s.hands[p].add(card))
                return self.State(hands, s.table, s.paid, s.past, 0 if len(hands[1]) == 2 else CHANCE, 0, 0, False)
        i = 0 if len(s.table[0]) < 3 else 1 if len(s.table[1]) < 1 else 2
        table = replace(s.table, i, s.table[i].add(card))
        return self.State(s.hands, table, s.paid, s.past, 1 if len(table[0]) == 3 else CHANCE, 0, 0, False)

    def is_terminal(self, s):
        return s.over

    def utility(self, s, p):
        mine, theirs = s.paid[p], s.paid[1 - p]
        if mine != theirs:  # who has paid less has folded
            return float(theirs) if mine > theirs else -float(mine)
        lead = self.strength(self.seven(s, p)) - self.strength(self.seven(s, 1 - p))
        return float(mine) * ((lead > 0) - (lead < 0))

    def seven(self, s, p):
        """All cards that a player may use."""
        return s.hands[p] | s.table[0] | s.table[1] | s.table[2]

    # ---- which hand is better

    def strength(self, cards):
        """A number that is larger for a better hand: its kind, the ranks that make it, then the others, as bits."""
        n = int(cards)
        a, b, c, d = n & RANKS, n >> 13 & RANKS, n >> 26 & RANKS, n >> 39 & RANKS  # the ranks of each suit
        once = a | b | c | d
        twice = a & b | c & d | (a | b) & (c | d)
        thrice = a & b & (c | d) | c & d & (a | b)
        four = a & b & c & d
        best = 0
        for suit in (a, b, c, d):
            if self.best(suit, 5) != self.best(suit, 4):  # five of a suit or more
                run = self.straight(suit)
                best = self.packed(STRAIGHT_FLUSH, run, 0) if run > 0 else self.packed(FLUSH, self.best(suit, 5), 0)
        if best >= self.packed(STRAIGHT_FLUSH, 0, 0):
            return best
        if four > 0:
            top = self.best(four, 1)
            return self.packed(FOUR, top, self.best(once & ~top, 1))
        top = self.best(thrice, 1)
        if twice & ~top > 0 and top > 0:
            return self.packed(FULL_HOUSE, top, self.best(twice & ~top, 1))
        if best > 0:
            return best
        run = self.straight(once)
        if run > 0:
            return self.packed(STRAIGHT, run, 0)
        if top > 0:
            return self.packed(THREE, top, self.best(once & ~top, 2))
        top = self.best(twice, 2)
        if top != self.best(top, 1):
            return self.packed(TWO_PAIRS, top, self.best(once & ~top, 1))
        return self.packed(PAIR if top > 0 else 0, top, self.best(once & ~top, 3 if top > 0 else 5))

    def packed(self, kind, ranks, others):
        return (kind << 13 | ranks) << 13 | others

    def best(self, ranks, n):
        """The `n` highest of the ranks."""
        found, bit = 0, 1 << 12
        while bit > 0 and n > 0:
            if ranks & bit:
                found |= bit
                n -= 1
            bit >>= 1
        return found

    def straight(self, ranks):
        """The highest rank from which five go down, as a bit; 0 if there is none. An ace is below 2, too."""
        steps = ranks << 1 | ranks >> 12
        tops = steps & steps << 1 & steps << 2 & steps << 3 & steps << 4
        return self.best(tops >> 1, 1)

    # ---- what is hidden

    def information(self, s, p):
        shown = s.over and s.paid[0] == s.paid[1]
        seat = max(p, 0)
        mine = s.hands[seat] if p != CHANCE or shown else Bits(52)
        return self.Hand(mine, s.hands[1 - seat] if shown else Bits(52), s.table, s.past)

    def sample_state(self, s, p, random):
        """The other's cards dealt anew."""
        unseen, hand = self.deck(s) | s.hands[1 - p], Bits(52)
        while len(hand) < len(s.hands[1 - p]):
            card = nth(unseen, word(random) * len(unseen) >> 32)
            unseen, hand = unseen.remove(card), hand.add(card)
        hands = replace(s.hands, 1 - p, hand)
        return self.State(hands, s.table, s.paid, s.past, s.turn, s.raised, s.acted, s.over)

    # ---- for people

    def towards(self, t, s):
        if t.turn == CHANCE:
            for now, then in zip((*t.hands, *t.table), (*s.hands, *s.table), strict=True):
                if now != then:
                    return (then - now).lowest()
            return -1
        done, all_moves = ((each.past.bit_length() + 1) // 2 for each in (t, s))
        return (s.past >> 2 * (all_moves - done - 1) & 3) - 1 if done < all_moves else -1

    def action_name(self, s, a):
        return NAMES[a] if s.turn == CHANCE else self.move_name(a, self.street(s.table), s.paid[0] != s.paid[1])

    def move_name(self, a, street, is_behind):
        return ("fold", "call" if is_behind else "check", "raise" if is_behind or street == 0 else "bet")[a]

    def told(self, past):
        """What the moves tell everybody: what both have paid, a line for each street, and who has folded, or -1."""
        digits = []
        while past:
            digits.append(past % 4 - 1)
            past //= 4
        paid, street, turn, acted, folded = [SMALL_BLIND, BIG_BLIND], 0, 0, 0, -1
        lines: list[str] = []
        for a in reversed(digits):
            lines += [STREETS[street]] if len(lines) <= street else []
            lines[street] += f" {self.move_name(a, street, paid[0] != paid[1])}"
            if a == FOLD:
                folded = turn
                break
            paid[turn] = paid[1 - turn] + (self.bets[street] if a == RAISE else 0)
            ends = a == CALL and acted > 0
            street, turn, acted = (street + 1, 1, 0) if ends else (street, 1 - turn, acted + 1)
        return paid, lines, folded

    def names_of(self, cards, n):
        """The names of cards, the highest first; of those that are not shown a question mark each."""
        ordered = sorted(cards, key=lambda card: (-(card % 13), card))
        return [NAMES[card] for card in ordered] + ["?"] * (n - len(ordered))

    def show(self, s):
        return self.table_text(PLAYERS, s.hands, s.table, s.past)

    def show_information(self, known, p):
        return self.table_text(self.seat_names(p), self.hands_seen(known, p), known.table, known.past)

    def seat_names(self, p):
        """What player `p` calls the two, the dealer first."""
        return PLAYERS if p == CHANCE else ("you", "they") if p == 0 else ("they", "you")

    def hands_seen(self, known, p):
        return (known.theirs, known.mine) if p == 1 else (known.mine, known.theirs)

    def seats(self, names, hands, table, past):
        """Both players as people see them, and a line for each street."""
        paid, lines, folded = self.told(past)
        seats = []
        for p in range(2):
            seven = hands[p] | table[0] | table[1] | table[2]
            kind = KINDS[self.strength(seven) >> 26] if len(hands[p]) == 2 and len(seven) == 7 else ""
            said = "folded" if p == folded else kind
            seats.append(Seat(names[p], self.names_of(hands[p], 2), paid[p], said, deals=p == 0))
        return seats, lines

    def table_text(self, names, hands, table, past):
        seats, lines = self.seats(names, hands, table, past)
        rows = [f"{each.name:>8}: {' '.join(each.cards)}  paid {each.paid:>2} {each.said}".rstrip() for each in seats]
        streets = "  ".join(" ".join(self.names_of(cards, 0)) for cards in table if cards)
        return "\n".join([*rows, f"   table: {streets or 'no card yet'}", f"   moves: {', '.join(lines) or 'none'}"])

    def svg(self, s):
        return self.drawn(PLAYERS, s.hands, s.table, s.past)

    def svg_information(self, known, p):
        return self.drawn(self.seat_names(p), self.hands_seen(known, p), known.table, known.past)

    def drawn(self, names, hands, table, past):
        seats, lines = self.seats(names, hands, table, past)
        below = names.index("you") if "you" in names else 0
        cards = [name for street in table for name in self.names_of(street, 0)]
        return table_svg(seats[1 - below], seats[below], cards + [""] * (5 - len(cards)), lines[-1] if lines else "")
