"""Othello, on 8x8 squares or any other even size."""

from functools import cached_property
from typing import NamedTuple

from counterplay.core.bits import Bits
from counterplay.core.boards import BoardGame
from counterplay.core.drawing import Look, Piece
from counterplay.core.game import UnreadableText
from counterplay.core.primitives import state_key


class Othello(BoardGame):
    """Put down a disc so that it flanks rows of the opponent's, which turn over. Most discs win; x (black) begins."""

    size: int = 8
    margin: bool = False

    player_names = ("Black", "White")
    unit = "discs"
    reduces_late = True
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

    def flanked_up(self, disc, mine, discs, step):
        run = self.run_up(disc, discs, step)
        return run if run << step & mine else self.empty

    def flanked_down(self, disc, mine, discs, step):
        run = self.run_down(disc, discs, step)
        return run if run >> step & mine else self.empty

    def turned(self, mine, theirs, square):
        """The discs of `theirs` that turn over when one of `mine` is put on `square`."""
        n, inner, disc = self.size, theirs & self.inner, self.empty.add(square)
        found = self.flanked_up(disc, mine, inner, 1) | self.flanked_down(disc, mine, inner, 1)
        found = found | self.flanked_up(disc, mine, theirs, n) | self.flanked_down(disc, mine, theirs, n)
        found = found | self.flanked_up(disc, mine, inner, n + 1) | self.flanked_down(disc, mine, inner, n + 1)
        return found | self.flanked_up(disc, mine, inner, n - 1) | self.flanked_down(disc, mine, inner, n - 1)

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
