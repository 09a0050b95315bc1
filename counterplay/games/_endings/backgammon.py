"""The last of backgammon, numbered: both sides have all checkers at home, and only a few each.

Nobody can hit any more, and whoever has less than 15 left has borne one off, so that no gammon can be lost. A slice
has so many checkers of the player to throw, and so many of the other. How `n` checkers stand on six points is one of
the ways to put five bars among them: a set, and so a number.
"""

from math import comb

from counterplay.core.primitives import Table, as_float, load
from counterplay.games._endings import PLACE, SLICE_AT, Numbering, Unit
from counterplay.games.backgammon.board import OFF, POINTS, count_on, occupied

MOST = 10  # checkers of a side
HOME_POINTS = 6
HOME = sum(1 << 25 - point for point in range(1, HOME_POINTS + 1))
CHOOSE = Table([comb(n, k) for n in range(MOST + 6) for k in range(8)])  # n over k is number 8 * n + k
WAYS = Table([comb(n + 5, 5) for n in range(MOST + 1)])  # to place n checkers


def ways(men):
    """The number of a side's checkers among all ways to place so many."""
    found, bar = 0, 0
    for k in range(1, HOME_POINTS):
        bar += count_on(men, OFF >> k)  # of the point k
        found += CHOOSE[8 * (bar + k - 1) + k]
    return found


def index(self, s):
    if s.turn < 0 or s.big != 0 or (occupied(s.mine) | occupied(s.theirs)) & ~HOME:
        return -1
    mine, theirs = count_on(s.mine, POINTS), count_on(s.theirs, POINTS)
    if not 1 <= mine <= MOST or not 1 <= theirs <= MOST:
        return -1
    return ((mine - 1) * MOST + theirs - 1) << SLICE_AT | ways(s.mine) * WAYS[theirs] + ways(s.theirs)


def solved(self, s):
    """The points that player 0 can expect, and no plies: how many throws it takes is anybody's guess."""
    i = self.index(s)
    values = self.table_at[i >> SLICE_AT, 0] if i >= 0 else 0
    if values == 0:
        return 0.0, -1
    v = as_float(load(values, i & PLACE))
    return v if s.turn == 0 else -v, 0


def numbering():
    sizes = [comb(a + 5, 5) * comb(b + 5, 5) for a in range(1, MOST + 1) for b in range(1, MOST + 1)]
    units = []
    for n in range(1, MOST + 1):
        pairs = {(n, k) for k in range(1, n + 1)} | {(k, n) for k in range(1, n + 1)}
        slices = tuple(sorted((a - 1) * MOST + b - 1 for a, b in pairs))
        units.append(Unit(f"bearoff-{n}", slices, n, (f"bearoff-{n - 1}",) if n > 1 else ()))
    rules = {"index": index, "solved": solved}
    return Numbering(rules, tuple(sizes), tuple(units), most_checkers, 6, "")


def most_checkers(s):
    """The checkers of the side that has more; many while somebody is not at home."""
    if (occupied(s.mine) | occupied(s.theirs)) & ~HOME:
        return 100
    return max(count_on(s.mine, POINTS), count_on(s.theirs, POINTS))
