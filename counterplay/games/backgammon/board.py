"""Arithmetic of backgammon: sets of points, and numbers of checkers on all points at once.

A player counts the points from his own ace-point: 24 to 1, with 25 the bar and 0 what is borne off. A set of points is
an integer whose bit `25 - point` says whether the point is in it; so a checker moves up, from bit 0 (the bar) to bit
24 (the ace-point), by shifting its bit left, and a bit beyond is off. A side's checkers are the binary digits of how
many there are on each point: four such sets, of which the first has the points with an odd number of checkers. Sums of
all points together are then a few operations, and so is a whole turn. What is on none of them is borne off.
"""

MEN = 15

BAR = 1
POINTS = (1 << 25) - 2  # all but the bar
HOME = 1 << 19  # the six-point: the first bit at home
OFF = 1 << 25
ATHOME = OFF - HOME
OUTSIDE = (1 << 7) - 1  # the bar and the other's home
DIGIT = tuple(sum(1 << 25 - point for point in range(1, 26) if point >> k & 1) for k in range(5))
"""The points with a one in place `k` of their number."""


# ---- sets of points


def rearmost(points):
    """The first of them, counted from the bar; none of none."""
    return points & -points


def sources(men, free, d):
    """The points of which a checker can move by a die `d`; `free` are those it may come to."""
    last = rearmost(men)
    if last == BAR:
        return free >> d & BAR
    if last < HOME:
        return men & free >> d
    if last << d > OFF:
        return last  # a die larger than need be bears off the rearmost, and nothing else can move by it
    return men & (free | OFF) >> d


def moved(men, several, a, d):
    """The occupied points when a checker has gone from `a`; `several` are those with more than one."""
    return (men if a & several else men ^ a) | a << d & POINTS


def mirror(points):
    """The points as the other counts them; a second set may stand 32 bits higher.

    The order of 32 bits is turned round by swapping neighbours, pairs, fours, ..., and 25 - i is 31 - i - 6.
    """
    x = points
    x = x >> 1 & 0x5555555555555555 | (x & 0x5555555555555555) << 1
    x = x >> 2 & 0x3333333333333333 | (x & 0x3333333333333333) << 2
    x = x >> 4 & 0x0F0F0F0F0F0F0F0F | (x & 0x0F0F0F0F0F0F0F0F) << 4
    x = x >> 8 & 0x00FF00FF00FF00FF | (x & 0x00FF00FF00FF00FF) << 8
    x = x >> 16 & 0x0000FFFF0000FFFF | (x & 0x0000FFFF0000FFFF) << 16
    return x >> 6


def size(points):
    """How many points there are: pairs of bits are added up, then fours, then eights (Warren, Hacker's Delight 5-1)."""
    x = points - (points >> 1 & 0x55555555)
    x = (x & 0x33333333) + (x >> 2 & 0x33333333)
    return ((x + (x >> 4) & 0x0F0F0F0F) * 0x01010101 & 0xFFFFFFFF) >> 24


# ---- checkers: numbers on every point, as binary digits


def occupied(men):
    return men[0] | men[1] | men[2] | men[3]


def at_least_two(men):
    return men[1] | men[2] | men[3]


def single(men):
    return men[0] & ~(men[1] | men[2] | men[3])


def count_on(men, points):
    """How many checkers there are on these points."""
    n = 0
    for k in range(4):
        n += size(men[k] & points) << k
    return n


def pips(men):
    """How far there is to go: the sum of the numbers of the points, one binary digit of theirs at a time."""
    n = 0
    for k in range(5):
        n += count_on(men, DIGIT[k]) << k
    return n


def plus(men, ones, twos, fours):
    """One, two and four checkers more on the points of each set: an addition with carries, of all points at once."""
    one, two, four = men[0], men[1] ^ twos, men[2] ^ fours
    carry = one & ones
    carry_two = men[1] & twos | two & carry
    carry_four = men[2] & fours | four & carry_two
    return one ^ ones, two ^ carry, four ^ carry_two, men[3] ^ carry_four


def minus(men, ones, twos, fours):
    """So many checkers less."""
    one, two, four = men[0], men[1] ^ twos, men[2] ^ fours
    borrow = ~one & ones
    borrow_two = ~men[1] & twos | ~two & borrow
    borrow_four = ~men[2] & fours | ~four & borrow_two
    return one ^ ones, two ^ borrow, four ^ borrow_two, men[3] ^ borrow_four


def step(men, a, d):
    """The checkers when one has gone from `a` by the die `d`."""
    return minus(plus(men, a << d & POINTS, 0, 0), a, 0, 0)
