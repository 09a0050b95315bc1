"""Checkers, or English draughts.

The 32 dark squares are bits of a row of 35, with a gap after every second row of the board:

        0   1   2   3        squares  1  2  3  4      black's side; row 0
      4   5   6   7                   5  6  7  8
    (8)   9  10  11  12               9 10 11 12
     13  14  15  16                  13 14 15 16
   (17)  18  19  20  21              17 18 19 20
     22  23  24  25                  21 22 23 24
   (26)  27  28  29  30              25 26 27 28
     31  32  33  34                  29 30 31 32      white's side; row 7

So a step is always 4 or 5 bits, and one that leaves the board at its side ends in a gap (Samuel 1959). The sets have 64
bits, so that those of two directions fit into one. An action is a path, all of it: in its bits

    0-5     the bit of the square where it begins
    6-9     how many pieces it jumps; 0 is a step
    10-     the directions, two bits each, the first lowest: 0 is +4, 1 is +5, 2 is -4, 3 is -5
"""

import re
from functools import cached_property
from typing import NamedTuple

from counterplay.core.bits import Bits
from counterplay.core.drawing import Look, Piece
from counterplay.core.features import Place
from counterplay.core.game import AmbiguousText, Game, IllegalAction, UnreadableText
from counterplay.core.primitives import count, nth, state_key

BITS = tuple(n + n // 8 for n in range(32))  # of squares 1 to 32
SQUARES = {bit: n + 1 for n, bit in enumerate(BITS)}
ROWS = tuple(Bits(64, BITS[4 * r : 4 * r + 4]) for r in range(8))
STEPS = (4, 5, -4, -5)
CELLS = 35  # of the row
JUMPS_AT, PATH_AT = 6, 10


class Checkers(Game):
    """Step diagonally, jump what stands in the way; to jump is a duty. Who cannot move loses. b (black) begins."""

    quiet_plies: int = 80

    player_names = ("Black", "White")
    unit = "men"
    look = Look(
        "checkered",
        "#ecdcb4",
        "#5f7f52",
        {
            "b": Piece("draught", "#2b2b2b", "#000000", "#6a6a6a"),
            "w": Piece("draught", "#f4ead2", "#6b5a3a", "#b8a67e"),
            "B": Piece("crowned", "#2b2b2b", "#000000", "#d9b44a"),
            "W": Piece("crowned", "#f4ead2", "#6b5a3a", "#a5782a"),
        },
    )

    class State(NamedTuple):
        mine: Bits  # the pieces of the player to move
        theirs: Bits
        kings: Bits  # of both
        turn: int
        quiet: int  # plies since a man moved or a piece was taken

    class Terms(NamedTuple):
        """What `evaluate` adds up, of player 0 less that of player 1."""

        men: float
        kings: float
        trade: float  # the lead in pieces as a share of all pieces: who is ahead wants exchanges
        advance: float  # rows that men have gone
        back_row: float  # men on their first row, where they keep the opponent from becoming kings
        centre: float  # pieces on the eight squares in the middle
        mobility: float  # steps to empty squares, whoever is to move

    # From a logistic regression on the results of 7,500 games of the search against itself, where 8 to 15 pieces were
    # left; rounded. It could not tell `trade` and `centre` from nothing: those two are from matches.
    weights = Terms(men=1.0, kings=1.35, trade=2.0, advance=0.02, back_row=0.2, centre=0.03, mobility=0.03)
    half_win = 2.0

    squares = Bits(64, BITS)
    nothing = Bits(64)
    last_rows = ROWS[0] | ROWS[7]
    middle = Bits(64, [BITS[n - 1] for n in (10, 11, 14, 15, 18, 19, 22, 23)])

    def initial(self):
        black, white = ROWS[0] | ROWS[1] | ROWS[2], ROWS[5] | ROWS[6] | ROWS[7]
        return self.State(black, white, self.nothing, 0, 0)

    def player(self, s):
        return s.turn

    # ---- moves

    def downward(self, s):
        """The pieces of the player to move that may go towards higher bits."""
        return s.mine if s.turn == 0 else s.mine & s.kings

    def upward(self, s):
        return s.mine & s.kings if s.turn == 0 else s.mine

    def can_jump(self, s):
        """The pieces of the player to move that may jump."""
        down, up = self.downward(s), self.upward(s)
        empty = self.squares - s.mine - s.theirs
        return (
            down & (s.theirs >> 4 & empty >> 8 | s.theirs >> 5 & empty >> 10)
            | up & (s.theirs << 4 & empty << 8 | s.theirs << 5 & empty << 10)
        )  # fmt: skip

    def can_step(self, s):
        empty = self.squares - s.mine - s.theirs
        return self.downward(s) & (empty >> 4 | empty >> 5) | self.upward(s) & (empty << 4 | empty << 5)

    # The steps of both directions side by side in one set: by the lower bit of the two squares, 32 more for the second.

    def steps_down(self, s):
        down, empty = self.downward(s), self.squares - s.mine - s.theirs
        return down & empty >> 4 | (down & empty >> 5) << 32

    def steps_up(self, s):
        up, empty = self.upward(s), self.squares - s.mine - s.theirs
        return up >> 4 & empty | (up >> 5 & empty) << 32

    def step_down(self, i):
        return i & 31 | i >> 5 << PATH_AT

    def step_up(self, i):
        return (i & 31) + 4 + (i >> 5) | 2 + (i >> 5) << PATH_AT

    def actions(self, s):
        if s.quiet >= self.quiet_plies:
            return
        jumpers = self.can_jump(s)
        if not jumpers:
            for i in self.steps_down(s):
                yield self.step_down(i)
            for i in self.steps_up(s):
                yield self.step_up(i)
        empty = self.squares - s.mine - s.theirs
        for start in jumpers:
            # Depth first through all that the piece can jump, lower squares first. Where it is and what it has taken
            # follow from the path, so going back needs no stack.
            is_king = start in s.kings
            room = empty.add(start)
            here, prey, path, n = start, s.theirs, 0, 0
            tried, is_end = 0, False  # jumps from here to bits below `tried` are done
            while True:
                ahead = self.landings(here, prey, is_king or s.turn == 0, is_king or s.turn == 1) & room
                ahead = ahead >> tried
                if ahead:
                    to = tried + ahead.lowest()
                    prey = prey.remove(here + to >> 1)
                    path |= ((to - here & 3) >> 1 | (2 if to < here else 0)) << 2 * n
                    here, n, is_end = to, n + 1, True
                    tried = 64 if not is_king and to in self.last_rows else 0  # a new king jumps no further
                    continue
                if is_end:
                    yield start | n << JUMPS_AT | path << PATH_AT
                    is_end = False
                if n == 0:
                    break
                n -= 1
                step = STEPS[path >> 2 * n]
                path &= (1 << 2 * n) - 1
                prey = prey.add(here - step)
                tried, here = here + 1, here - 2 * step

    def landings(self, here, prey, down, up):
        """Where a piece would be that jumps from `here` over one of `prey`."""
        b, found = self.nothing.add(here), self.nothing
        if down:
            found = (b << 4 & prey) << 4 | (b << 5 & prey) << 5
        if up:
            found = found | (b >> 4 & prey) >> 4 | (b >> 5 & prey) >> 5
        return found

    def count_actions(self, s):
        if s.quiet >= self.quiet_plies:
            return 0
        if self.can_jump(s):
            return count(self.actions(s))
        return len(self.steps_down(s)) + len(self.steps_up(s))

    def sample(self, s, r):
        if self.can_jump(s):
            return nth(self.actions(s), r * count(self.actions(s)) >> 32)
        down, up = self.steps_down(s), self.steps_up(s)
        k = r * (len(down) + len(up)) >> 32
        return self.step_down(nth(down, k)) if k < len(down) else self.step_up(nth(up, k - len(down)))

    def result(self, s, a):
        start, jumps, path = a & 63, a >> JUMPS_AT & 15, a >> PATH_AT
        here, theirs = start, s.theirs
        if jumps == 0:
            here += STEPS[path]
        for _ in range(jumps):
            step = STEPS[path & 3]
            theirs = theirs.remove(here + step)
            here += 2 * step
            path >>= 2
        mine = s.mine.remove(start).add(here)
        kings = s.kings & (mine | theirs)
        is_king = start in s.kings
        if is_king or here in self.last_rows:
            kings = kings.add(here)
        quiet = s.quiet + 1 if is_king and jumps == 0 else 0
        return self.State(theirs, mine, kings, 1 - s.turn, quiet)

    # ---- the end

    def cannot_move(self, s):
        return not self.can_step(s) and not self.can_jump(s)

    def is_terminal(self, s):
        return s.quiet >= self.quiet_plies or self.cannot_move(s)

    def utility(self, s, p):
        if not self.cannot_move(s):
            return 0.0
        return -1.0 if p == s.turn else 1.0

    # ---- knowledge

    def terms(self, s):
        """The estimate taken apart."""
        black, white = (s.mine, s.theirs) if s.turn == 0 else (s.theirs, s.mine)
        black_men, white_men = black - s.kings, white - s.kings
        lead, pieces = len(black) - len(white), len(black) + len(white)
        empty = self.squares - black - white
        return self.Terms(
            men=float(len(black_men) - len(white_men)),
            kings=float(len(black & s.kings) - len(white & s.kings)),
            trade=lead / max(pieces, 1),
            advance=float(self.rows_down(black_men) + self.rows_down(white_men) - 7 * len(white_men)),
            back_row=float(len(black_men & ROWS[0]) - len(white_men & ROWS[7])),
            centre=float(len(black & self.middle) - len(white & self.middle)),
            mobility=float(self.steps(black, black & s.kings, empty) - self.steps(white & s.kings, white, empty)),
        )

    def rows_down(self, b):
        """The rows of all squares of `b` added up, by the three binary digits of a row's number."""
        return len(b & self.row_digits[0]) + 2 * len(b & self.row_digits[1]) + 4 * len(b & self.row_digits[2])

    @cached_property
    def row_digits(self):
        return tuple(Bits(64, [bit for r in range(8) if r >> k & 1 for bit in ROWS[r]]) for k in range(3))

    def steps(self, down, up, empty):
        return len(down & empty >> 4) + len(down & empty >> 5) + len(up & empty << 4) + len(up & empty << 5)

    def is_noisy(self, s, a):
        """Jumps."""
        return a >> JUMPS_AT & 15 > 0

    def priority(self, s, a):
        """What takes most first. Steps are left to what the search learns: finer orders were slower or worse."""
        return float(a >> JUMPS_AT & 15)

    def reversible(self, s):
        return s.quiet

    def key(self, s):
        """Of the position alone: it is a repetition however many quiet plies there were."""
        return state_key((s.mine, s.theirs, s.kings, s.turn))

    # ---- for learning

    inputs = 7 + 3 * 4 * CELLS

    def features(self, s, on):
        """The terms of the player to move; then his men, his kings, the other's men and kings, by how many are left.

        Squares are counted from the side of the player to move.
        """
        terms = self.terms(s)
        for i in range(7):
            on.add(i, terms[i] if s.turn == 0 else -terms[i])
        pieces = len(s.mine) + len(s.theirs)
        first = 7 + 4 * CELLS * (0 if pieces > 16 else 1 if pieces > 8 else 2)
        for square in s.mine | s.theirs:
            kind = (0 if square in s.mine else 2) + (1 if square in s.kings else 0)
            on.add(first + CELLS * kind + (square if s.turn == 0 else CELLS - 1 - square))

    def planes(self, s):
        mine, theirs, kings = s.mine, s.theirs, s.kings
        if s.turn == 1:
            mine, theirs, kings = self.turned(mine), self.turned(theirs), self.turned(kings)
        return mine - kings, mine & kings, theirs - kings, theirs & kings

    def turned(self, b):
        """The squares as they are seen from the other side."""
        found = self.nothing
        for square in b:
            found = found.add(CELLS - 1 - square)
        return found

    @property
    def shapes(self):
        """Two squares in each of three rows, wherever they fit."""
        corners = [(row, column) for row in range(6) for column in range(3)]
        return [[BITS[4 * (row + i) + column + k] for i in range(3) for k in range(2)] for row, column in corners]

    # ---- for people

    def board(self, s):
        black, white = (s.mine, s.theirs) if s.turn == 0 else (s.theirs, s.mine)
        rows = [[" "] * 8 for _ in range(8)]
        for n, bit in enumerate(BITS):
            row, i = divmod(n, 4)
            piece = "b" if bit in black else "w" if bit in white else "."
            rows[row][2 * i + 1 - row % 2] = piece.upper() if bit in s.kings else piece
        return rows

    def labels(self):
        """Each row's first square: squares are counted from 1, row by row."""
        return (), [str(1 + 4 * r) for r in range(8)]

    def place(self, s, square):
        """`planes` are seen from the side of the player to move."""
        n = SQUARES[square if s.turn == 0 else CELLS - 1 - square]
        row, i = divmod(n - 1, 4)
        return Place(row, 2 * i + 1 - row % 2, str(n))

    def feature_name(self, s, i):
        """A term, or a piece on a square."""
        if i < 7:
            return self.Terms._fields[i]
        kind, square = divmod((i - 7) % (4 * CELLS), CELLS)
        whose = (s.turn if kind < 2 else 1 - s.turn) == 0
        return f"{'black' if whose else 'white'} {('man', 'king')[kind % 2]} on {self.place(s, square).name}"

    def path(self, a):
        """The squares that action `a` touches, from the first to the last."""
        here, jumps, path = a & 63, a >> JUMPS_AT & 15, a >> PATH_AT
        squares = [SQUARES[here]]
        for i in range(max(jumps, 1)):
            here += STEPS[path >> 2 * i & 3] * (2 if jumps else 1)
            squares.append(SQUARES[here])
        return squares

    def action_name(self, s, a):
        """`11-15`, `22x15`; all squares, `1x10x19`, where the first and the last fit another move too."""
        path = self.path(a)
        ends = [path[0], path[-1]]
        alike = [other for other in map(self.path, self.actions(s)) if [other[0], other[-1]] == ends]
        return ("x" if a >> JUMPS_AT & 15 else "-").join(map(str, path if len(alike) > 1 else ends))

    def parse_action(self, s, text):
        """The move of those squares: the first and the last, or all that it touches."""
        wanted = text.strip().lower()
        if not re.fullmatch(r"\d{1,2}([-x:]\d{1,2})+", wanted):
            raise UnreadableText(f"'{wanted}' is no move; write it like 11-15, 22x15 or 1x10x19")
        squares = [int(n) for n in re.split("[-x:]", wanted)]
        paths = {a: self.path(a) for a in self.actions(s)}
        fits = [a for a, path in paths.items() if squares in (path, [path[0], path[-1]])]
        whole = [a for a in fits if paths[a] == squares]
        if len(fits) > 1 and len(whole) != 1:
            names = " or ".join(self.action_name(s, a) for a in fits)
            raise AmbiguousText(f"'{wanted}' could be {names}")
        if not fits:
            legal = ", ".join(self.action_name(s, a) for a in paths)
            raise IllegalAction(
                f"'{wanted}' is not a legal move here; legal: {legal}"
                if legal
                else f"'{wanted}' cannot be played: the game is over"
            )
        return (whole or fits)[0]

    def to_text(self, s):
        """As in PDN: who is to move, white's and black's squares, `K` for kings; `H` and the quiet plies, if any."""
        sides = {"BW"[s.turn]: s.mine, "WB"[s.turn]: s.theirs}
        text = "BW"[s.turn]
        for side in "WB":
            men, kings = sides[side] - s.kings, sides[side] & s.kings
            text += f":{side}" + ",".join([str(SQUARES[i]) for i in men] + [f"K{SQUARES[i]}" for i in kings])
        return text + (f":H{s.quiet}" if s.quiet else "")

    def from_text(self, text):
        """A text as `to_text` writes it; also `1-12` for squares in a row, and white and black in either order."""
        wanted = re.sub(r"\s", "", text).upper().removesuffix(".")
        turn, *parts = wanted.split(":")
        found = {part[:1]: part[1:] for part in parts}
        if turn not in ("B", "W") or not {"B", "W"} <= set(found) <= {"B", "W", "H"} or len(parts) != len(found):
            raise UnreadableText(f"'{text}' is not a position; write it like B:W18,24,K10:B12,16,K22")
        quiet = found.get("H", "0")
        if not quiet.isdecimal() or int(quiet) > self.quiet_plies:
            raise UnreadableText(f"H{quiet} is no number of quiet plies: 0 to {self.quiet_plies} are possible")
        (black, black_kings), (white, white_kings) = (self.read_side(side, found[side]) for side in "BW")
        if both := black & white:
            raise UnreadableText(f"'{text}' cannot be: both have a piece on square {SQUARES[both.lowest()]}")
        mine, theirs = (black, white) if turn == "B" else (white, black)
        if not theirs:
            raise UnreadableText(f"'{text}' cannot be: the game was over before {turn} came to move")
        return self.State(mine, theirs, black_kings | white_kings, "BW".index(turn), int(quiet))

    def read_side(self, side, text):
        """The pieces of a side, and the kings among them, from a list as in `18,24,K10`."""
        pieces: list[int] = []
        kings: list[int] = []
        for item in text.split(",") if text else ():
            match = re.fullmatch(r"(K?)(\d{1,2})(?:-(\d{1,2}))?", item)
            first, last = (int(match[2]), int(match[3] or match[2])) if match else (0, 0)
            if not 1 <= first <= last <= 32:
                raise UnreadableText(f"'{item}' is no square; squares are 1 to 32, K before a king's")
            pieces += BITS[first - 1 : last]
            kings += BITS[first - 1 : last] if match and match[1] else []
        everyone, crowned = Bits(64, pieces), Bits(64, kings)
        if len(everyone) < len(pieces) or len(everyone) > 12:
            raise UnreadableText(f"'{side}{text}' cannot be: a side has at most 12 pieces, each on a square of its own")
        if uncrowned := (everyone - crowned) & (ROWS[7] if side == "B" else ROWS[0]):
            raise UnreadableText(f"'{side}{text}' cannot be: a man on square {SQUARES[uncrowned.lowest()]} is a king")
        return everyone, crowned

    def validate(self):
        if not 1 <= self.quiet_plies <= 1_000_000:
            raise UnreadableText("checkers needs quiet_plies of 1 to 1,000,000")
