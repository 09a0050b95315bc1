"""Breakthrough: a race of pawns, by Dan Troyka (2000)."""

from functools import cached_property
from typing import NamedTuple

from counterplay.core.bits import Bits
from counterplay.core.boards import BoardGame
from counterplay.core.drawing import Look, Piece
from counterplay.core.game import UnreadableText


class Breakthrough(BoardGame):
    """Pieces go one square forward, straight or aslant, and capture aslant; reach the far row. b (top) begins."""

    rows: int = 8
    columns: int = 8

    player_names = ("Black", "White")
    pieces = "bw"
    selective = True
    look = Look("checkered", "#dfe3e6", "#7f93a6", {"b": Piece("pawn", "#2f2f33"), "w": Piece("pawn", "#fbfaf5")})

    class State(NamedTuple):
        b: Bits  # player 0, who goes down
        w: Bits
        turn: int

    class Terms(NamedTuple):
        """What `evaluate` adds up, of player 0 less that of player 1."""

        material: float  # pieces, as a share of those at the beginning
        advance: float  # rows gone by all pieces together, as a share of the most they could have gone
        lead: float  # rows gone by the foremost piece, as a share of all rows
        hanging: float  # pieces that can be captured and not taken back, as a share of those at the beginning
        free: float  # rows gone by the foremost piece that no opponent can meet any more, as a share of all rows
        turn: float  # 1 for the player to move

    # Square `row * columns + column`, from the top left. An action is `3 * square + direction` of the piece that moves:
    # direction 0 is a column to the left, 1 straight, 2 a column to the right, as the board is drawn.

    def sides(self, s):
        return s.b, s.w

    @cached_property
    def not_left(self):
        """All columns but the leftmost."""
        return Bits(self.empty.width, [i for i in range(self.empty.width) if i % self.columns > 0])

    @cached_property
    def not_right(self):
        return Bits(self.empty.width, [i for i in range(self.empty.width) if i % self.columns < self.columns - 1])

    @cached_property
    def top(self):
        return Bits(self.empty.width, range(self.columns))

    @cached_property
    def bottom(self):
        return Bits(self.empty.width, range(self.empty.width - self.columns, self.empty.width))

    @cached_property
    def depth(self):
        """The rows that each side fills at the beginning."""
        return 2 if self.rows >= 6 else 1

    @cached_property
    def home(self):
        """The pieces at the beginning: of player 0 and of player 1."""
        n = self.depth * self.columns
        width = self.empty.width
        return Bits(width, range(n)), Bits(width, range(width - n, width))

    def initial(self):
        return self.State(self.home[0], self.home[1], 0)

    def player(self, s):
        return s.turn

    def movable(self, s, direction):
        """The pieces of the player to move that may go in a direction."""
        n, inside = self.columns, ~self.empty
        if direction == 0:
            inside = self.not_left
        elif direction == 2:
            inside = self.not_right
        if s.turn == 0:
            onto = ~(s.b | s.w) if direction == 1 else ~s.b
            return s.b & inside & onto >> n - 1 + direction
        onto = ~(s.b | s.w) if direction == 1 else ~s.w
        return s.w & inside & onto << n + 1 - direction

    def actions(self, s):
        if not self.is_terminal(s):
            for direction in (1, 0, 2):
                for square in self.movable(s, direction):
                    yield 3 * square + direction

    def target(self, s, a):
        """The square where action `a` leads."""
        return a // 3 + (self.columns if s.turn == 0 else -self.columns) + a % 3 - 1

    def result(self, s, a):
        to = self.target(s, a)
        if s.turn == 0:
            return self.State(s.b.remove(a // 3).add(to), s.w.remove(to), 1)
        return self.State(s.b.remove(to), s.w.remove(a // 3).add(to), 0)

    def is_terminal(self, s):
        return not s.b or not s.w or bool(s.b & self.bottom | s.w & self.top)

    def utility(self, s, p):
        """1 for whoever has reached the far row or captured everything, which only the last mover can."""
        return -1.0 if p == s.turn else 1.0

    # ---- for learning

    @property
    def seen_inputs(self):
        return 2 * self.empty.width

    @property
    def most_seen(self):
        return 2 * self.depth * self.columns

    def things(self, s):
        return s.b, s.w

    def seen_as(self, p, outlook, kind, square):
        """Own pieces, then the other's, on a board that the player goes down."""
        squares = self.empty.width
        return (squares if kind != p else 0) + (square if p == 0 else squares - 1 - square)

    def mirror_square(self, square):
        return square + self.columns - 1 - 2 * (square % self.columns)

    def mirrored(self, b):
        found = self.empty
        for square in b:
            found = found.add(self.mirror_square(square))
        return found

    @property
    def symmetries(self):
        """The mirror."""
        return [[self.mirror_square(square) for square in range(self.empty.width)]]

    def image(self, s, k):
        return self.State(self.mirrored(s.b), self.mirrored(s.w), s.turn)

    def image_action(self, a, k):
        return 3 * self.mirror_square(a // 3) + 2 - a % 3

    # ---- knowledge

    def gone(self, square, p):
        """How many rows a piece of `p` on that square has gone, counted from the edge."""
        row = square // self.columns
        return row if p == 0 else self.rows - 1 - row

    def attacked(self, pieces, p):
        """The squares on which `pieces`, of player `p`, could capture."""
        n = self.columns
        if p == 0:
            return (pieces & self.not_left) << n - 1 | (pieces & self.not_right) << n + 1
        return (pieces & self.not_left) >> n + 1 | (pieces & self.not_right) >> n - 1

    def ahead(self, pieces, p):
        """The squares that `pieces` may ever come to, if nothing is in their way."""
        n, seen = self.columns, pieces
        for _ in range(self.rows - 1):
            seen = seen | self.attacked(seen, p) | (seen << n if p == 0 else seen >> n)
        return seen

    def total(self, pieces, p):
        """The rows gone by all pieces together."""
        n = 0
        for row in range(self.rows):
            n += self.gone(row * self.columns, p) * len(pieces & self.top << row * self.columns)
        return n

    def foremost(self, pieces, p):
        """The rows gone by the foremost piece."""
        n = 0
        for row in range(self.rows):
            if pieces & self.top << row * self.columns:
                n = max(n, self.gone(row * self.columns, p))
        return n

    def terms(self, s):
        """What there is to say for player 0 and against player 1."""
        most, far = self.depth * self.columns, self.rows - 1
        by_b, by_w = self.attacked(s.b, 0), self.attacked(s.w, 1)
        free_b, free_w = s.b - self.ahead(s.w, 1), s.w - self.ahead(s.b, 0)
        return self.Terms(
            material=(len(s.b) - len(s.w)) / most,
            advance=(self.total(s.b, 0) - self.total(s.w, 1)) / (most * far),
            lead=(self.foremost(s.b, 0) - self.foremost(s.w, 1)) / far,
            hanging=(len((s.b & by_w) - by_b) - len((s.w & by_b) - by_w)) / most,
            free=(self.foremost(free_b, 0) - self.foremost(free_w, 1)) / far,
            turn=1.0 if s.turn == 0 else -1.0,
        )

    # By logistic regression, of who won on the terms of 2,159 positions in 180 games that `alphabeta` played against
    # itself, 3 plies ahead, after 6 to 14 random moves.
    weights = Terms(material=3.8, advance=3.1, lead=1.7, hanging=-4.0, free=2.1, turn=0.2)

    half_win = 2.0  # so x / (2 + |x|), near to tanh(x / 2), which the regression stands for, and alike on every machine

    def captures(self, s, a):
        return self.target(s, a) in (s.w if s.turn == 0 else s.b)

    def is_noisy(self, s, a):
        """Captures, and the last step: both upset the estimate."""
        return self.captures(s, a) or self.gone(self.target(s, a), s.turn) == self.rows - 1

    def priority(self, s, a):
        """The last step, captures of what has come farthest, safe steps by how far they get, then the others."""
        to, me = self.target(s, a), s.turn
        mine, theirs = (s.b, s.w) if me == 0 else (s.w, s.b)
        far = self.gone(to, me)
        if far == self.rows - 1:
            return 1000.0
        lost = to in self.attacked(theirs, 1 - me)
        if to in theirs:
            return 100.0 + self.gone(to, 1 - me) - (0.5 if lost else 0.0)
        if lost and to not in self.attacked(mine.remove(a // 3), me):
            return float(far - self.rows)
        return float(far)

    # ---- for people

    def action_name(self, s, a):
        """`a7a6`, `a7b6`, and `a7xb6` if it captures."""
        here, there = map(self.square_name, (a // 3, self.target(s, a)))
        return f"{here}x{there}" if self.captures(s, a) else here + there

    def set_up(self, mine, theirs, turn):
        return self.State(mine, theirs, 0) if turn == 0 else self.State(theirs, mine, 1)

    def mistake(self, s):
        most = self.depth * self.columns
        if max(len(s.b), len(s.w)) > most:
            return f"a side has at most {most} pieces"
        mine, theirs, goal = (s.b, s.w, self.bottom) if s.turn == 0 else (s.w, s.b, self.top)
        return "the player to move has won already" if mine & goal or not theirs else ""

    def validate(self):
        if not (3 <= self.rows <= 26 and 2 <= self.columns <= 26):
            raise UnreadableText("breakthrough needs 3 to 26 rows and 2 to 26 columns")
