"""Backgammon, as a money game without the doubling cube.

Sets of points are integers, one bit a point, and a side is four of them, the binary digits of its numbers of checkers:
see `board.py`. A play is one integer too, the points that checkers leave:

    different dice    those left by the larger die | those left by the smaller << 26: one point each, or none
    doubles           those left once or three times | those left twice or three times << 26
                      or one that is left four times | 1 << 52
    0                 no checker can move

Each play leads to a position of its own, so there are no duplicates to look for, save where one checker goes by both
dice. With doubles, how often each point is left tells the play.
"""

import re
from math import sqrt
from typing import NamedTuple

import numpy as np

from counterplay.core.drawing import coloured
from counterplay.core.game import CHANCE, Game
from counterplay.core.primitives import lowest_one
from counterplay.games.backgammon import text as text_of
from counterplay.games.backgammon.board import (
    ATHOME,
    BAR,
    MEN,
    OFF,
    OUTSIDE,
    POINTS,
    at_least_two,
    count_on,
    minus,
    mirror,
    moved,
    occupied,
    pips,
    plus,
    rearmost,
    single,
    size,
    sources,
    step,
)

FIELD = 26  # bits to a set of points in a play
SET = (1 << FIELD) - 1
FOUR_TIMES = 1 << 2 * FIELD

PAIRS_AT_MOST = MEN * MEN + MEN  # each die moves some checker, and one checker may go by two ways
DOUBLES_AT_MOST = 3060  # four steps shared out among 15 checkers: 18 over 4


class Backgammon(Game):
    """Race 15 checkers home and off, past the other's, by two dice; a gammon counts 2, a backgammon 3."""

    player_names = ("O", "X")
    unit = "points"
    chance = True
    utility_range = (-3.0, 3.0)

    class State(NamedTuple):
        mine: tuple  # the checkers of the player whose turn it is, by his own count of the points
        theirs: tuple  # the other's, by hers
        turn: int  # -1: each throws a die, the higher begins with both
        big: int  # the larger die; 0: the dice are in the air
        small: int

    def initial(self):
        start = text_of.digits({24: 2, 13: 5, 8: 3, 6: 5})
        return self.State(start, start, -1, 0, 0)

    def player(self, s):
        return CHANCE if s.big == 0 else s.turn

    def is_terminal(self, s):
        return occupied(s.theirs) == 0

    def utility(self, s, p):
        stake = 1.0
        if count_on(s.mine, SET) == MEN:
            stake = 3.0 if occupied(s.mine) & OUTSIDE else 2.0
        return -stake if p == s.turn else stake

    def probability(self, s, a):
        if s.turn < 0:
            return 1 / 30
        return 1 / 36 if a % 11 == 0 else 2 / 36

    # ---- the legal actions, as an array: a generator of so many variables is half as fast

    def actions(self, s):
        plays = np.empty(PAIRS_AT_MOST if s.big != s.small or s.big == 0 else DOUBLES_AT_MOST, np.int64)
        if s.big == 0:
            n = 0 if self.is_terminal(s) else self.rolls(s, plays)
        elif s.big == s.small:
            n = self.doubles(s, plays)
        else:
            n = self.pairs(s, plays)
        return plays[:n]

    def sample(self, s, r):
        plays = self.actions(s)
        return int(plays[r * len(plays) >> 32])

    def rolls(self, s, rolls):
        """The throws `10 * first + second`: at the opening player 0's die and player 1's, later the larger first."""
        n = 0
        for first in range(1, 7):
            for second in range(1, 7 if s.turn < 0 else first + 1):
                if s.turn >= 0 or first != second:
                    rolls[n] = 10 * first + second
                    n += 1
        return n

    def pairs(self, s, plays):
        """The plays by two different dice."""
        men, several = occupied(s.mine), at_least_two(s.mine)
        free, blots = self.landing(s)
        by_big, by_small = sources(men, free, s.big), sources(men, free, s.small)
        n, either_way = 0, 0
        # 1. The larger die first. What both dice allow in this order they mostly allow in the other too. Where one
        # checker goes by both, it does not matter in which order, unless a blot is hit on one of the ways.
        first = by_big
        while first:
            a = first & -first
            first ^= a
            then = sources(moved(men, several, a, s.big), free, s.small)
            if then & a << s.big and not (a << s.big | a << s.small) & blots:
                either_way |= a
            then &= ~(either_way & a >> s.small)
            while then:
                b = then & -then
                then ^= b
                plays[n] = a | b << FIELD
                n += 1
        # 2. The smaller die first, if the larger could not move so before. If it bears off, the larger bears off the
        # next, and that was seen above.
        first = by_small if rearmost(men) << s.small < OFF else 0
        while first:
            b = first & -first
            first ^= b
            then = sources(moved(men, several, b, s.small), free, s.big) & ~by_big & ~((b & either_way) << s.small)
            while then:
                a = then & -then
                then ^= a
                plays[n] = a | b << FIELD
                n += 1
        # 3. One die only, the larger if it can be; or none.
        if n == 0:
            first = by_big if by_big else by_small
            while first:
                a = first & -first
                first ^= a
                plays[n] = a if by_big else a << FIELD
                n += 1
        if n == 0:
            plays[0] = 0
            n = 1
        return n

    def doubles(self, s, plays):
        """The plays by doubles. As many steps must be made as can be; no step takes another's place, so count any."""
        d, (free, _) = s.big, self.landing(s)
        men, steps = s.mine, 0
        while steps < 4:
            movable = sources(occupied(men), free, d)
            if not movable:
                break
            men = step(men, rearmost(movable), d)
            steps += 1
        if steps == 0:
            plays[0] = 0
            return 1
        return add_doubles(plays, 0, s.mine, free, d, steps, BAR, 0)

    def landing(self, s):
        """The points on which the other has at most one checker, and those on which she has one."""
        seen = mirror(at_least_two(s.theirs) & POINTS | (single(s.theirs) & POINTS) << 32)
        return POINTS & ~seen, seen >> 32

    # ---- the result

    def result(self, s, a):
        a = int(a)
        if s.big == 0:
            first, second = a // 10, a % 10
            if s.turn >= 0:
                return self.State(s.mine, s.theirs, s.turn, first, second)
            if first > second:
                return self.State(s.mine, s.theirs, 0, first, second)
            return self.State(s.theirs, s.mine, 1, second, first)
        mine, reached = self.play(s, a)
        hit = mirror(reached) & single(s.theirs)
        theirs = minus(s.theirs, hit, 0, 0)
        while hit:
            theirs = plus(theirs, BAR, 0, 0)
            hit &= hit - 1
        return self.State(theirs, mine, 1 - s.turn, 0, 0)

    def play(self, s, a):
        """The mover's checkers after a play, and the points that they came to."""
        low, high = a & SET, a >> FIELD & SET
        if s.big != s.small:
            to, then = low << s.big & POINTS, high << s.small & POINTS
            mine = plus(s.mine, to ^ then, to & then, 0)
            return minus(mine, low ^ high, low & high, 0), to | then
        ones, fours = (0, low) if a >= FOUR_TIMES else (low, 0)
        mine = plus(s.mine, ones << s.big & POINTS, high << s.big & POINTS, fours << s.big & POINTS)
        return minus(mine, ones, high, fours), (low | high) << s.big & POINTS

    # ---- knowledge

    def squash(self, x):
        """Up to three points, and nearly straight about 0: the estimate is about a third of a point from the truth."""
        return 3.0 * x / sqrt(9.0 + x * x)

    def priority(self, s, a):
        """Plays that hit, bear off, make points and leave no blots first."""
        if s.big == 0:
            return 0.0
        mine, reached = self.play(s, a)
        hit, made, left = mirror(reached) & single(s.theirs), at_least_two(mine), single(mine)
        off = count_on(s.mine, SET) - count_on(mine, SET)
        return 2.0 * size(hit) + 2.0 * off + size(made & POINTS) + 0.5 * size(made & ATHOME) - 0.5 * size(left)

    @property
    def weights(self):
        return WEIGHTS

    def terms(self, s):
        """What `evaluate` adds up, weighted: each is what player 0 has, less what player 1 has."""
        one, other = self.side_terms(side(s, 0), side(s, 1)), self.side_terms(side(s, 1), side(s, 0))
        turn = 0.0 if s.turn < 0 else 1.0 - 2.0 * s.turn
        roll = 4.0 * turn  # half of the 8 pips of a throw: what being to throw is worth in a race
        race = 10 * (other.pips - one.pips + roll) / (one.pips + other.pips + 20)
        return Terms(
            race=race,
            past=race if self.is_race(s) else 0.0,
            bar=one.bar - other.bar,
            shut=one.bar * other.home**2 / 36 - other.bar * one.home**2 / 36,
            off=one.off - other.off,
            gammon=(0.0 if other.off else one.off) - (0.0 if one.off else other.off),
            blots=one.blots - other.blots,
            home=one.home - other.home,
            back=one.back - other.back,
            anchors=one.anchors - other.anchors,
            prime=one.prime - other.prime,
            turn=turn,
        )

    def is_race(self, s):
        """Whether the sides have passed each other, so that nobody can be hit any more."""
        return self.have_passed(occupied(s.mine), occupied(s.theirs))

    def have_passed(self, mine, theirs):
        """The same of the points where they stand: the two rearmost checkers have less than a board between them."""
        return lowest_one(mine | OFF << 1) + lowest_one(theirs | OFF << 1) > 25

    def side_terms(self, men, others):
        made = at_least_two(men) & POINTS
        enemies = mirror(occupied(others))  # her bar is where she enters from: beyond the ace-point
        near = enemies >> 1 | enemies >> 2 | enemies >> 3 | enemies >> 4 | enemies >> 5 | enemies >> 6
        shots = single(men) & near & POINTS
        run, longest = made, 0
        while run:
            run &= run >> 1
            longest += 1
        return Side(
            pips=pips(men),
            bar=count_on(men, BAR),
            off=(MEN - count_on(men, SET)) / MEN,
            blots=size(shots),
            home=size(made & ATHOME),
            back=count_on(men, OUTSIDE),
            anchors=size(made & OUTSIDE),
            prime=longest**2 / 36,
        )

    # ---- for learning

    stakes = (1.0, 2.0, 3.0)
    inputs = 2 * 196
    most_active = 2 * (MEN + 2)  # one for each checker, at most; one for those on the bar and one for those off

    def viewer(self, s):
        """Whose checkers are `mine`, the dice in the air or not; before the first throw it makes no difference."""
        return max(s.turn, 0)

    def features(self, s, on):
        """The inputs of `td_features` but for the turn: first of the player to move, then of the other.

        Of the first three of a point only one is on, for one checker, two, or three and more, as in GNU Backgammon:
        half as many rows to add up, and whatever can be said with the others can be said with these. A race is a game
        of its own, with inputs of its own, from number 196 on. Not point by point, which a processor cannot foresee:
        all points with one checker, then those with two, ...
        """
        mine, theirs = s.mine, s.theirs
        first = 196 if self.have_passed(occupied(mine), occupied(theirs)) else 0
        many, their_many = self.at_least_three(mine), self.at_least_three(theirs)
        self.add_points(on, first, single(mine), single(theirs))
        self.add_points(on, first + 1, at_least_two(mine) & ~many, at_least_two(theirs) & ~their_many)
        self.add_points(on, first + 2, many, their_many)
        self.add_others(on, first, mine)
        self.add_others(on, first + 98, theirs)

    def add_points(self, on, first, mine, theirs):
        points = mine & POINTS | (theirs & POINTS) << 32
        while points:
            place = lowest_one(points)
            points &= points - 1
            on.add(first + 98 * (place >> 5) + 4 * (24 - (place & 31)))

    def at_least_three(self, men):
        return men[0] & men[1] | men[2] | men[3]

    def add_others(self, on, first, men):
        """What is no mere yes or no: more than three checkers on a point, those on the bar, those borne off."""
        many = (men[2] | men[3]) & POINTS
        while many:
            place = lowest_one(many)
            many &= many - 1
            on.add(first + 3 + 4 * (24 - place), 0.5 * (count_on(men, 1 << place) - 3))
        bar, off = count_on(men, BAR), MEN - count_on(men, SET)
        if bar:
            on.add(first + 96, bar / 2)
        if off:
            on.add(first + 97, off / MEN)

    def feature_name(self, s, i):
        """The checkers on a point, counted as their owner does, on the bar, or borne off."""
        side, place = divmod(i % 196, 98)
        whose = self.player_names[self.viewer(s) if side == 0 else 1 - self.viewer(s)]
        where = f"point {place // 4 + 1}" if place < 96 else "bar" if place == 96 else "off"
        return f"{whose} {where}"

    def side_features(self, men):
        """For each point from the own ace-point on, whether there is a checker, a second and a third, and half of how
        many more; then half of those on the bar, and the part borne off."""
        x = np.zeros(98)
        for point in range(1, 25):
            n, i = count_on(men, 1 << 25 - point), 4 * (point - 1)
            x[i], x[i + 1], x[i + 2] = n >= 1, n >= 2, n >= 3
            x[i + 3] = max(n - 3, 0) / 2
        x[96] = count_on(men, BAR) / 2
        x[97] = (MEN - count_on(men, SET)) / MEN
        return x

    def td_features(self, s):
        """The 198 inputs of TD-Gammon 0.0 (Sutton and Barto, Reinforcement Learning, 2nd edition, section 16.1).

        Of player 0, then from number 98 on of player 1, see `side_features`. The last two say whose turn it is.
        """
        x = np.zeros(198)
        for p in range(2):
            x[98 * p : 98 * p + 98] = self.side_features(side(s, p))
            x[196 + p] = s.turn == p
        return x

    def simple_features(self, s):
        """The features of the lecture notes, mostly indicators; `simple_feature_name` says what each is.

        Of o (player 0), then from number 362 on of x: for each of 24 columns, counted from o's ace-point, 15 that say
        whether there are 1, 2, ... 15 checkers; then the number on the bar and the part borne off. The last is 1 if
        it is o's turn.
        """
        x = np.zeros(725)
        for p in range(2):
            men, first = side(s, p), 362 * p
            for column in range(24):
                n = count_on(men, 1 << (24 - column if p == 0 else 1 + column))
                if n > 0:
                    x[first + 15 * column + n - 1] = 1.0
            x[first + 360] = count_on(men, BAR)
            x[first + 361] = (MEN - count_on(men, SET)) / MEN
        x[724] = s.turn == 0
        return x

    def simple_feature_name(self, i):
        """What number `i` of the simple features says, as the notes write it."""
        if i == 724:
            return "it is o's turn"
        who, k = "ox"[i // 362], i % 362
        if k < 360:
            return f"(# {who} in column {k // 15}) = {k % 15 + 1}"
        return f"# {who} on bar" if k == 360 else f"fraction {who} removed"

    # ---- for people

    def action_name(self, s, a):
        return text_of.action_name(s, int(a))

    def parse_action(self, s, text):
        return text_of.parse_action(self, s, text)

    def to_text(self, s):
        return text_of.to_text(s)

    def from_text(self, text):
        return self.State(*text_of.from_text(text))

    def show(self, s):
        return text_of.show(self, s)

    def coloured(self, s):
        return coloured(self.show(s), {"O": "#e8590c", "X": "#4dabf7"})

    def svg(self, s):
        """The position as a picture."""
        return text_of.svg(self, s)

    def spots(self, s):
        """The points, the bar and where checkers are borne off, for whoever clicks."""
        return text_of.spots(s)

    def read_moves(self, s, moves):
        """As for every game; of a text with blanks, words with a stroke that stand side by side are one play."""
        if isinstance(moves, str):
            moves = re.sub(r"(/\S*)[\s,]+(?=[^\s,]*/)", r"\1,", moves).split()
        return super().read_moves(s, moves)


# ---- what an estimate is made of


class Side(NamedTuple):
    """What one player has."""

    pips: int
    bar: int
    off: float  # the part borne off
    blots: int  # that an enemy less than seven points away may hit
    home: int  # points made at home
    back: int  # checkers in the other's home or on the bar
    anchors: int  # points made in the other's home
    prime: float  # the square of the longest row of made points, as part of six's


class Terms(NamedTuple):
    """See `Backgammon.terms`."""

    race: float  # the lead in pips, in tenths of what both have to go
    past: float  # the same once the sides have passed each other, else 0
    bar: float
    shut: float  # checkers on the bar before points that are made
    off: float
    gammon: float  # borne off while the other has none
    blots: float
    home: float
    back: float
    anchors: float
    prime: float
    turn: float


WEIGHTS = Terms(
    race=0.09,
    past=0.13,
    bar=-0.1,
    shut=-0.4,
    off=1.34,
    gammon=0.45,
    blots=-0.08,
    home=0.09,
    back=-0.13,
    anchors=-0.06,
    prime=0.53,
    turn=0.11,
)
"""Fitted by least squares to the equity without cube that GNU Backgammon 1.07 gives at 0 plies, in 12,800 positions of
games that these terms played against themselves. In 3,200 others the error is 0.33 points (root mean square; the
equities' own spread is 0.99) and the correlation is 0.94."""


# ---- small helpers


def add_doubles(plays, n, men, free, d, steps, least, play):
    """Write the plays that go on from `play` with so many steps; the number of plays written then.

    The order of the steps makes no play different, so they go from the rear to the front, from the point `least` on.
    """
    rest = sources(occupied(men), free, d) & -least
    while rest:
        a = rest & -rest
        rest ^= a
        if steps == 1:
            plays[n] = once_more(play, a)
            n += 1
        else:
            n = add_doubles(plays, n, step(men, a, d), free, d, steps - 1, a, once_more(play, a))
    return n


def once_more(play, a):
    """A play by doubles and one step more, from `a`."""
    if not play & a:
        return play | a
    if not play >> FIELD & a:
        return play ^ a | a << FIELD
    return FOUR_TIMES | a


def side(s, p):
    """The checkers of player `p`."""
    return s.mine if p == max(s.turn, 0) else s.theirs
