"""The endings of checkers, numbered as Chinook numbered them: by how many men and kings each side has.

A slice has so many men of the player to move, men of the other, kings of the player to move, kings of the other. The
player to move goes down the board; if he does not, the board is turned round. Men are placed first, each side's on the
28 squares that it can stand on, then the kings on squares that are left: a set of squares is a number in the
combinatorial number system (R. Lake, J. Schaeffer, P. Lu, Solving large retrograde analysis problems using a network
of workstations, 1994). Where men of both sides would stand on one square there is no position.
"""

from itertools import product
from math import comb

from counterplay.core.bits import Bits
from counterplay.core.primitives import Table
from counterplay.games._endings import PLACE, SLICE_AT, Numbering, Unit
from counterplay.games.checkers import BITS, CELLS

MOST = 6  # pieces
SIDE = MOST + 1
MEN = 28  # squares that a man can stand on

COUNTS = [
    (a, b, k, m)
    for n in range(2, MOST + 1)
    for men in range(n + 1)  # a promotion leads to fewer men, a capture to fewer pieces
    for a, b, k, m in product(range(n + 1), repeat=4)
    if a + b == men and a + b + k + m == n and a + k > 0 and b + m > 0
]
SIZES = tuple(comb(MEN, a) * comb(MEN, b) * comb(32 - a - b, k) * comb(32 - a - b - k, m) for a, b, k, m in COUNTS)


def code(a, b, k, m):
    """The four counts as one number."""
    return ((a * SIDE + b) * SIDE + k) * SIDE + m


NUMBERS: dict[tuple[int, ...], int] = {counts: number for number, counts in enumerate(COUNTS)}
SLICES = Table([NUMBERS.get(each, -1) for each in product(range(SIDE), repeat=4)])
COUNTS_OF = Table([n for each in COUNTS for n in each])
CHOOSE = Table([comb(n, k) for n in range(33) for k in range(8)])  # n over k is number 8 * n + k
NUMBER = Table([q - (q + 1) // 9 for q in range(CELLS)])  # of a bit: squares from 0 to 31
BELOW = Table([Bits(64, range(q)) for q in range(CELLS)])
NOTHING = Bits(64)
BIT = Table(list(BITS))


def rank(b, blockers, edge, is_turned):
    """The number of a set of squares among those of its size, where neither `blockers` nor squares before `edge` count.

    Turned round, the last square is the first.
    """
    found, k, all_blockers = 0, len(b) if is_turned else 1, len(blockers)
    for q in b:
        below = len(blockers & BELOW[q])
        square = 31 - NUMBER[q] - (all_blockers - below) if is_turned else NUMBER[q] - below
        found += CHOOSE[8 * (square - edge) + k]
        k += -1 if is_turned else 1
    return found


def unrank(found, size, blockers, edge):
    """The set of squares of that number."""
    b, square = NOTHING, 31
    for k in range(size, 0, -1):
        while CHOOSE[8 * square + k] > found:
            square -= 1
        found -= CHOOSE[8 * square + k]
        n = square + edge
        for q in blockers:
            n += 1 if NUMBER[q] <= n else 0
        b = b.add(BIT[n])
    return b


def pieces(i):
    """Men of the player to move, of the other, kings of the player to move, of the other."""
    at, rest = 4 * (i >> SLICE_AT), i & PLACE
    a, b, k, m = COUNTS_OF[at], COUNTS_OF[at + 1], COUNTS_OF[at + 2], COUNTS_OF[at + 3]
    free = 32 - a - b
    ways = CHOOSE[8 * (free - k) + m]
    number, rest = rest % ways, rest // ways
    ways = CHOOSE[8 * free + k]
    number_of_kings, rest = rest % ways, rest // ways
    ways = CHOOSE[8 * MEN + b]
    mine, theirs = unrank(rest // ways, a, NOTHING, 0), unrank(rest % ways, b, NOTHING, 4)
    kings = unrank(number_of_kings, k, mine | theirs, 0)
    return mine, theirs, kings, unrank(number, m, mine | theirs | kings, 0)


# ---- the rules


def index(self, s):
    if len(s.mine) + len(s.theirs) > MOST:
        return -1
    my_men, their_men, my_kings, their_kings = (
        s.mine - s.kings,
        s.theirs - s.kings,
        s.mine & s.kings,
        s.theirs & s.kings,
    )
    a, b, k, m = len(my_men), len(their_men), len(my_kings), len(their_kings)
    number = SLICES[code(a, b, k, m)]
    if number < 0:
        return -1
    men, is_turned = my_men | their_men, s.turn == 1
    i = rank(my_men, NOTHING, 0, is_turned)
    i = i * CHOOSE[8 * MEN + b] + rank(their_men, NOTHING, 4, is_turned)
    i = i * CHOOSE[8 * (32 - a - b) + k] + rank(my_kings, men, 0, is_turned)
    i = i * CHOOSE[8 * (32 - a - b - k) + m] + rank(their_kings, men | my_kings, 0, is_turned)
    return number << SLICE_AT | i


def position(self, i):
    my_men, their_men, my_kings, their_kings = pieces(i)
    return self.State(my_men | my_kings, their_men | their_kings, my_kings | their_kings, 0, 0)


def is_position(self, i):
    my_men, their_men, _, _ = pieces(i)
    return not my_men & their_men


def comes_in_time(self, s, plies):
    """Whether a win or a loss in so many plies comes before the game is a draw by too many quiet ones."""
    return s.quiet + plies <= self.quiet_plies


def numbering():
    units, seen = [], set()
    for number, (a, b, k, m) in enumerate(COUNTS):
        other = NUMBERS[b, a, m, k]
        if number not in seen:
            seen |= {number, other}
            units.append(((a, b, k, m), tuple(sorted({number, other}))))
    made = tuple(Unit(name(*each), slices, sum(each), needs(*each)) for each, slices in units)
    rules = {"index": index, "position": position, "is_position": is_position, "comes_in_time": comes_in_time}
    return Numbering(rules, SIZES, made, lambda s: len(s.mine | s.theirs), 4, "quiet plies are not counted")


def name(a, b, k, m):
    """`KM-K` for a king and a man against a king, whoever is to move."""
    a, b, k, m = COUNTS[min(NUMBERS[a, b, k, m], NUMBERS[b, a, m, k])]
    sides = "K" * k + "M" * a, "K" * m + "M" * b
    return "-".join(sorted(sides, key=lambda side: (-len(side), side)))


def needs(a, b, k, m):
    """A man becomes a king, or pieces are taken, or both; of either side, and those that are left have solved it."""
    found = set()
    for mine, other, kings, others in ((a, b, k, m), (b, a, m, k)):
        after = [(mine, other, kings, others)]
        if mine:
            after.append((mine - 1, other, kings + 1, others))
        for x, y, u, v in after:
            for men, taken in product(range(y + 1), range(v + 1)):
                left = x, y - men, u, v - taken
                if left != (mine, other, kings, others) and left[1] + left[3] > 0:
                    found.add(name(*left))
    return tuple(sorted(found))
