"""Othello, on 8x8 squares or any other even size."""

from functools import cached_property
from itertools import product
from math import ceil, floor
from typing import NamedTuple

from counterplay.core.bits import Bits
from counterplay.core.boards import BoardGame
from counterplay.core.drawing import Look, Piece
from counterplay.core.game import UnreadableText
from counterplay.core.primitives import Table, state_key


class Othello(BoardGame):
    """Put down a disc so that it flanks rows of the opponent's, which turn over. Most discs win; x (black) begins."""

    size: int = 8
    margin: bool = False

    player_names = ("Black", "White")
    unit = "discs"
    selective = True
    look = Look("grid", "#2e8b57", "#145232", {"x": Piece("disc", "#1d1d1d"), "o": Piece("disc", "#f7f5ee", "#8a8a80")})

    class State(NamedTuple):
        mine: Bits  # the discs of the player to move
        theirs: Bits
        turn: int
        moves: Bits  # what `mine` and `theirs` allow: kept, because every question about a state begins with it

    class Terms(NamedTuple):
        """What `evaluate` adds up, of player 0 less that of player 1; each from -1 to 1."""

        mobility: float  # moves to choose from, as a share of both players'
        frontier: float  # discs without an empty neighbour, which give the opponent nothing to flank, as a share
        corners: float  # of the four, as a share of four
        beside: float  # discs diagonally beside an empty corner, which give it away, as a share of four; less is better
        stability: float  # discs that can never be turned, as a share of the board
        parity: float  # 1 for the player who will probably put down the last disc

    # Square `row * size + column`, from the top left. The four squares in the middle are occupied from the first to the
    # last move. So a pass is the "move" onto the first of them, and all moves fit into one set of squares.

    @cached_property
    def passing(self):
        return (self.size // 2 - 1) * (self.size + 1)

    @cached_property
    def shape(self):
        return self.size, self.size

    @cached_property
    def inner(self):
        """All squares but the first and the last column: rows that do not run up and down must stay inside them."""
        return Bits(self.size**2, [i for i in range(self.size**2) if 0 < i % self.size < self.size - 1])

    def run_up(self, b, discs, step):
        """The `discs` in unbroken runs that begin beside a square of `b` and go on by `step`."""
        run = discs & b << step
        run = run | discs & run << step
        pairs = discs & discs << step
        for _ in range(self.size // 2 - 2):  # a run is at most two shorter than the board is wide
            run = run | pairs & run << 2 * step
        return run

    def run_down(self, b, discs, step):
        """The same in the opposite direction."""
        run = discs & b >> step
        run = run | discs & run >> step
        pairs = discs & discs >> step
        for _ in range(self.size // 2 - 2):
            run = run | pairs & run >> 2 * step
        return run

    def placements(self, mine, theirs):
        """The squares where a disc of `mine` flanks some of `theirs`."""
        n, inner = self.size, theirs & self.inner
        found = self.run_up(mine, inner, 1) << 1 | self.run_down(mine, inner, 1) >> 1
        found = found | self.run_up(mine, theirs, n) << n | self.run_down(mine, theirs, n) >> n
        found = found | self.run_up(mine, inner, n + 1) << n + 1 | self.run_down(mine, inner, n + 1) >> n + 1
        found = found | self.run_up(mine, inner, n - 1) << n - 1 | self.run_down(mine, inner, n - 1) >> n - 1
        return found - mine - theirs

    def line_table(self, down, right):
        """For each square the others of the line through it in that direction."""
        n = self.size
        steps = [k for k in range(1 - n, n) if k]
        return Table(
            Bits(
                n**2,
                [
                    (q // n + k * down) * n + q % n + k * right
                    for k in steps
                    if 0 <= q // n + k * down < n and 0 <= q % n + k * right < n
                ],
            )
            for q in range(n**2)
        )

    @cached_property
    def level(self):
        return self.line_table(0, 1)

    @cached_property
    def upright(self):
        return self.line_table(1, 0)

    @cached_property
    def falling(self):
        return self.line_table(1, 1)

    @cached_property
    def rising(self):
        return self.line_table(1, -1)

    def turned(self, mine, theirs, square):
        """The discs of `theirs` that turn over when one of `mine` is put on `square`."""
        found = self.level[square].flanked(square, mine, theirs) | self.upright[square].flanked(square, mine, theirs)
        found = found | self.falling[square].flanked(square, mine, theirs)
        return found | self.rising[square].flanked(square, mine, theirs)

    def set_up(self, mine, theirs, turn):
        """The state with those discs: who cannot put one down must pass, and if both cannot the game is over."""
        moves = self.placements(mine, theirs)
        if not moves and self.placements(theirs, mine):
            moves = self.empty.add(self.passing)
        return self.State(mine, theirs, turn, moves)

    def initial(self):
        first, n = self.passing, self.size
        o, x = Bits(n**2, [first, first + n + 1]), Bits(n**2, [first + 1, first + n])
        return self.set_up(x, o, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return s.moves

    def result(self, s, a):
        if a == self.passing:
            return self.set_up(s.theirs, s.mine, 1 - s.turn)
        turned = self.turned(s.mine, s.theirs, a)
        return self.set_up(s.theirs - turned, (s.mine | turned).add(a), 1 - s.turn)

    def is_terminal(self, s):
        return not s.moves

    def utility(self, s, p):
        """1, 0 or -1; with `margin` the difference in discs, empty squares counted for the winner, per square."""
        lead = len(s.mine) - len(s.theirs)
        if lead == 0:
            return 0.0
        value = 1.0
        if self.margin:
            value = 1.0 - 2.0 * min(len(s.mine), len(s.theirs)) / self.size**2
        return value if (lead > 0) == (p == s.turn) else -value

    # ---- knowledge

    @cached_property
    def corners(self):
        n = self.size
        return Bits(n**2, [0, n - 1, n * (n - 1), n**2 - 1])

    @cached_property
    def diagonals(self):
        """Each corner with the square diagonally beside it, the "X square"."""
        n = self.size
        return (0, n + 1), (n - 1, 2 * n - 2), (n * (n - 1), n * (n - 2) + 1), (n**2 - 1, n**2 - n - 2)

    @cached_property
    def columns(self):
        """The first and the last column."""
        return ~self.inner

    @cached_property
    def rows(self):
        """The first and the last row."""
        n = self.size
        return Bits(n**2, [*range(n), *range(n * (n - 1), n**2)])

    @cached_property
    def after_first(self):
        """All columns but the first, which a step to the right can reach."""
        return Bits(self.size**2, [i for i in range(self.size**2) if i % self.size > 0])

    @cached_property
    def before_last(self):
        return Bits(self.size**2, [i for i in range(self.size**2) if i % self.size < self.size - 1])

    def smeared_up(self, b, onto, step):
        """`b` and all squares that steps from it reach, each onto a square of `onto`."""
        reach = 1
        while reach < self.size - 1:
            b = b | onto & b << reach * step
            onto = onto & onto << reach * step
            reach *= 2
        return b | onto & b << reach * step

    def smeared_down(self, b, onto, step):
        reach = 1
        while reach < self.size - 1:
            b = b | onto & b >> reach * step
            onto = onto & onto >> reach * step
            reach *= 2
        return b | onto & b >> reach * step

    def stable(self, b, others):
        """Discs of `b` that can never be turned.

        Such a disc is safe along each of its four lines, because the line is full, or ends here, or goes on with
        another such disc. This finds all but those that are safe for subtler reasons.
        """
        n, right, left, all_squares = self.size, self.after_first, self.before_last, ~self.empty
        free, edge = ~(b | others), self.rows | self.columns
        level = self.columns | ~(self.smeared_up(free, right, 1) | self.smeared_down(free, left, 1))
        upright = self.rows | ~(self.smeared_up(free, all_squares, n) | self.smeared_down(free, all_squares, n))
        falling = edge | ~(self.smeared_up(free, right, n + 1) | self.smeared_down(free, left, n + 1))
        rising = edge | ~(self.smeared_up(free, left, n - 1) | self.smeared_down(free, right, n - 1))
        found = b & level & upright & falling & rising
        while True:
            more = b & (level | found << 1 | found >> 1) & (upright | found << n | found >> n)
            more = more & (falling | found << n + 1 | found >> n + 1) & (rising | found << n - 1 | found >> n - 1)
            if more == found:
                return found
            found = more

    def beside_free(self, free):
        """The squares with a neighbour in `free`."""
        wide = free | free << 1 & self.after_first | free >> 1 & self.before_last
        return wide | wide << self.size | wide >> self.size

    def gives_corners(self, b, free):
        """How many discs of `b` lie diagonally beside a free corner."""
        n = 0
        for corner, square in self.diagonals:
            if corner in free and square in b:
                n += 1
        return n

    @staticmethod
    def share(a, b):
        """How much more `a` is than `b`, as a part of both: from -1 to 1."""
        return (a - b) / (a + b) if a + b > 0 else 0.0

    def terms(self, s):
        """What there is to say for player 0 and against player 1."""
        x, o = self.sides(s)
        free = ~(x | o)
        edge_of = self.beside_free(free)
        last = 1.0 if (len(free) % 2 == 1) == (s.turn == 0) else -1.0
        return self.Terms(
            mobility=self.share(len(self.placements(x, o)), len(self.placements(o, x))),
            frontier=self.share(len(x & edge_of), len(o & edge_of)),
            corners=(len(x & self.corners) - len(o & self.corners)) / 4,
            beside=(self.gives_corners(x, free) - self.gives_corners(o, free)) / 4,
            stability=(len(self.stable(x, o)) - len(self.stable(o, x))) / self.size**2,
            parity=last,
        )

    # By logistic regression, of who won on the terms of 5,256 positions in 449 games that `alphabeta` played against
    # itself, 4 plies ahead, after 8 to 14 random moves. Parity told nothing (-0.005); 0.02 is that of late positions.
    weights = Terms(mobility=1.2, frontier=-1.7, corners=3.4, beside=-2.2, stability=7.2, parity=0.02)

    half_win = 2.0  # so x / (2 + |x|), near to tanh(x / 2), which the regression stands for, and alike on every machine

    def priority(self, s, a):
        """Corners first, then what leaves the opponent the fewest replies; beside a free corner last."""
        after = self.result(s, a)
        replies = 0 if self.passing in after.moves else len(after.moves)
        if a in self.corners:
            replies -= 3
        return float(-replies - self.gives_corners(self.empty.add(a), ~(s.mine | s.theirs)))

    def key(self, s):
        return state_key((s.mine, s.theirs, s.turn))

    # ---- the end of the game

    finish_plies = 8  # four squares and as many passes

    def plies_left(self, s):
        """Each empty square is filled once, and before each but the next a player may have to pass."""
        if not s.moves:
            return 0
        return 2 * (self.size**2 - len(s.mine | s.theirs)) - (0 if self.passing in s.moves else 1)

    def count_actions(self, s):
        return len(s.moves)

    @cached_property
    def beside(self):
        """The squares around each square."""
        n = self.size
        return Table(
            Bits(n**2, [r * n + c for r, c in product(range(n), range(n)) if max(abs(r - q // n), abs(c - q % n)) == 1])
            for q in range(n**2)
        )

    @cached_property
    def quarters(self):
        """For each square the quarter of the board that it is in."""
        n = self.size
        half = n // 2
        return Table(
            Bits(n**2, [i for i in range(n**2) if (i // n < half, i % n < half) == (q // n < half, q % n < half)])
            for q in range(n**2)
        )

    @cached_property
    def rank(self):
        """How good a square is by itself: corners, then what is far from them on the edge, then the middle."""
        n = self.size
        ranks = []
        for q in range(n**2):
            down, right = sorted((min(q // n, n - 1 - q // n), min(q % n, n - 1 - q % n)))
            ranks.append(
                9
                if right == 0
                else (2 if right == 1 else 8 if right == 2 else 6)
                if down == 0
                else (1 if right == 1 else 3)
                if down == 1
                else 6
            )
        return Table(ranks)

    def glance(self, s, a):
        """By the square, and first where an odd number of them is empty: who fills the last one has the last word."""
        return self.rank[a] + 8 * (len(self.quarters[a] - s.mine - s.theirs) % 2)

    def lead(self, mine, theirs):
        """The difference in discs when nobody can move, with the empty squares for the winner."""
        a, b = len(mine), len(theirs)
        return self.size**2 - 2 * b if a > b else 2 * a - self.size**2 if b > a else 0

    def last_one(self, mine, theirs, square):
        """The lead of `mine`, who is to move, with one square empty."""
        if self.beside[square] & theirs:
            turned = self.turned(mine, theirs, square)
            if turned:
                return 2 * (len(mine) + len(turned) + 1) - self.size**2
        if self.beside[square] & mine:
            turned = self.turned(theirs, mine, square)
            if turned:
                return 2 * (len(mine) - len(turned)) - self.size**2
        return self.lead(mine, theirs)

    def last_few(self, mine, theirs, empty, low, high):
        """The lead of `mine`, who is to move, with up to four squares empty: exact between `low` and `high`.

        First the squares of quarters where an odd number of them is empty. Written out for each number of squares:
        compiled, a function that calls itself is not inlined.
        """
        n = len(empty)
        if n == 4:
            return self.last_four(mine, theirs, empty, low, high)
        if n == 3:
            return self.last_three(mine, theirs, empty, low, high)
        if n == 2:
            return self.last_two(mine, theirs, empty, low, high)
        if n == 1:
            return self.last_one(mine, theirs, empty.lowest())
        return self.lead(mine, theirs)

    def last_four(self, mine, theirs, empty, low, high):
        odd, sign = self.empty, 1
        for q in empty:
            if len(self.quarters[q] & empty) % 2 == 1:
                odd = odd.add(q)
        for _ in range(2):
            best = -(self.size**2) - 1
            for part in (odd, empty - odd):
                for q in part:
                    if self.beside[q] & theirs:
                        turned = self.turned(mine, theirs, q)
                        if turned:
                            others = empty.remove(q)
                            v = -self.last_three(theirs - turned, (mine | turned).add(q), others, -high, -low)
                            if v >= high:
                                return sign * v
                            best = max(best, v)
                            low = max(low, v)
            if best >= -(self.size**2):
                return sign * best
            mine, theirs, low, high, sign = theirs, mine, -high, -low, -sign
        return self.lead(mine, theirs)

    def last_three(self, mine, theirs, empty, low, high):
        sign = 1
        for _ in range(2):
            best = -(self.size**2) - 1
            for q in empty:
                if self.beside[q] & theirs:
                    turned = self.turned(mine, theirs, q)
                    if turned:
                        others = empty.remove(q)
                        v = -self.last_two(theirs - turned, (mine | turned).add(q), others, -high, -low)
                        if v >= high:
                            return sign * v
                        best = max(best, v)
                        low = max(low, v)
            if best >= -(self.size**2):
                return sign * best
            mine, theirs, low, high, sign = theirs, mine, -high, -low, -sign
        return self.lead(mine, theirs)

    def last_two(self, mine, theirs, empty, low, high):
        sign = 1
        for _ in range(2):
            best = -(self.size**2) - 1
            for q in empty:
                if self.beside[q] & theirs:
                    turned = self.turned(mine, theirs, q)
                    if turned:
                        other = empty.remove(q).lowest()
                        v = -self.last_one(theirs - turned, (mine | turned).add(q), other)
                        if v >= high:
                            return sign * v
                        best = max(best, v)
            if best >= -(self.size**2):
                return sign * best
            mine, theirs, low, high, sign = theirs, mine, -high, -low, -sign
        return self.lead(mine, theirs)

    def finish(self, s, low, high):
        """The last four squares, without the lists and counts of a search."""
        squares = self.size**2
        if s.turn == 1:
            low, high = -high, -low
        if self.margin:
            # A little wider than asked, so that rounding does no harm; leads are even, so that it costs nothing.
            below, above = floor(max(low, -1.0) * squares - 0.001), ceil(min(high, 1.0) * squares + 0.001)
        else:
            below, above = -1 if low < 0.0 else 0, 1 if high > 0.0 else 0
        lead = self.last_few(s.mine, s.theirs, ~(s.mine | s.theirs), int(below), int(above))
        v = 0.0
        if lead != 0:
            v = 1.0 - (squares - abs(lead)) / squares if self.margin else 1.0
        return v if (lead > 0) == (s.turn == 0) else -v

    # ---- for learning

    @cached_property
    def inputs(self):
        return 2 * self.size**2

    def features(self, s, on):
        """The discs of the player to move, then the other's."""
        for square in s.mine:
            on.add(square)
        for square in s.theirs:
            on.add(self.size**2 + square)

    @property
    def symmetries(self):
        """The eight ways to turn a square and look at it in a mirror."""
        n = self.size
        ways = [
            [n * (row if down else n - 1 - row) + (column if right else n - 1 - column) for row, column in squares]
            for squares in ([divmod(q, n) for q in range(n * n)], [divmod(q, n)[::-1] for q in range(n * n)])
            for down in (True, False)
            for right in (True, False)
        ]
        return ways[1:]

    def image_square(self, square, k):
        """Where a square goes by number `k` of the symmetries."""
        way, last = k + 1, self.size - 1
        row, column = square // self.size, square % self.size
        if way >= 4:
            row, column = column, row
        if way & 2:
            row = last - row
        if way & 1:
            column = last - column
        return row * self.size + column

    def image_of(self, b, k):
        found = self.empty
        for square in b:
            found = found.add(self.image_square(square, k))
        return found

    def image(self, s, k):
        return self.set_up(self.image_of(s.mine, k), self.image_of(s.theirs, k), s.turn)

    def image_action(self, a, k):
        return a if a == self.passing else self.image_square(a, k)

    @property
    def shapes(self):
        """The patterns of Logistello: the edge with its X squares, two corners, rows and diagonals (Buro 1997)."""
        n = self.size
        rows = [[n * row + column for column in range(n)] for row in range(1, n // 2)]
        diagonals = [[n * i + i + first for i in range(n - first)] for first in range(n - 3)]
        edge = [*range(n), n + 1, 2 * n - 2]
        wide = [n * row + column for row in range(2) for column in range(min(5, n))]
        corner = [n * row + column for row in range(3) for column in range(3)]
        return [edge, wide, corner, *rows, *diagonals] if n <= 10 else [wide, corner]

    # ---- for people

    def feature_name(self, s, i):
        side, square = divmod(i, self.size**2)
        whose = self.player_names[self.viewer(s) if side == 0 else 1 - self.viewer(s)]
        return f"{whose} {self.square_name(square)}"

    def labels(self):
        """Rows count from the top, as Othello players do."""
        return [chr(ord("a") + c) for c in range(self.size)], [str(r + 1) for r in range(self.size)]

    @property
    def scored(self):
        return self.margin

    def in_units(self, v):
        """Discs more than the other, if the utility tells them."""
        return v * self.size**2 if self.margin else None

    def consolation(self):
        """Who has lost plays for discs."""
        return None if self.margin else Othello(size=self.size, margin=True)

    def outcome(self, s):
        black, white = map(len, self.sides(s))
        return "a draw" if black == white else f"{'Black' if black > white else 'White'} wins {black}-{white}"

    def action_name(self, s, a):
        return "pass" if a == self.passing else self.square_name(a)

    def mistake(self, s):
        middle = Bits(self.size**2, [self.passing + i for i in (0, 1, self.size, self.size + 1)])
        return "the four squares in the middle are never empty" if middle - s.mine - s.theirs else ""

    def validate(self):
        if self.size % 2 or not 4 <= self.size <= 26:
            raise UnreadableText("othello needs an even size of 4 to 26")
