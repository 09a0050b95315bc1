"""Dark tic-tac-toe: nobody sees the other's marks (also called phantom tic-tac-toe)."""

from typing import NamedTuple

from counterplay.core.bits import Bits
from counterplay.core.drawing import board_text
from counterplay.core.game import CHANCE
from counterplay.core.primitives import replace
from counterplay.core.randomness import word
from counterplay.games._replay import Replayed

LINES = tuple(
    Bits(9, squares)
    for squares in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
)


class DarkTictactoe(Replayed):
    """Tic-tac-toe, but nobody sees the other's marks: who tries a square that is taken is told so, and tries again."""

    player_names = ("x", "o")

    class State(NamedTuple):
        marks: tuple  # of x and of o
        tried: tuple  # the squares + 1 that each has tried, in order, as digits of base 10
        turn: int

    class Hand(NamedTuple):
        mine: Bits
        theirs: Bits  # those that were met, or all when the game is over
        tried: int
        over: bool

    def initial(self):
        return self.State((Bits(9), Bits(9)), (0, 0), 0)

    def player(self, s):
        return s.turn

    def met(self, tried):
        """The squares tried."""
        squares = Bits(9)
        while tried > 0:
            squares = squares.add(tried % 10 - 1)
            tried //= 10
        return squares

    def actions(self, s):
        if self.is_terminal(s):
            return Bits(9)
        return ~self.met(s.tried[s.turn])

    def result(self, s, a):
        p = s.turn
        tried = replace(s.tried, p, 10 * s.tried[p] + a + 1)
        if a in s.marks[1 - p]:
            return self.State(s.marks, tried, p)
        return self.State(replace(s.marks, p, s.marks[p].add(a)), tried, 1 - p)

    def has_won(self, s, p):
        for line in LINES:
            if len(s.marks[p] & line) == 3:
                return True
        return False

    def is_terminal(self, s):
        return len(s.marks[0] | s.marks[1]) == 9 or self.has_won(s, 0) or self.has_won(s, 1)

    def utility(self, s, p):
        return 1.0 if self.has_won(s, p) else -1.0 if self.has_won(s, 1 - p) else 0.0

    def information(self, s, p):
        over = self.is_terminal(s)
        if p == CHANCE:
            return self.Hand(s.marks[0] if over else Bits(9), s.marks[1] if over else Bits(9), 0, over)
        theirs = s.marks[1 - p] if over else s.marks[1 - p] & self.met(s.tried[p])
        return self.Hand(s.marks[p], theirs, s.tried[p], over)

    def sample_state(self, s, p, random):
        """A game with the same moves of `p`, in which the other tries at random what fits to what `p` has met."""
        mine, met = s.marks[p], s.marks[1 - p] & self.met(s.tried[p])
        while True:
            t, left, fits = self.initial(), self.backwards(s.tried[p]), True
            while fits and (left > 0 or t.turn != s.turn):
                a = left % 10 - 1  # what `p` tries next
                if t.turn == p:
                    fits = left > 0 and (a in met) == (a in t.marks[1 - p])
                    left //= 10
                else:
                    a = self.sample(t, word(random))
                    fits = a in t.marks[p] or a not in mine
                if fits:
                    t = self.result(t, a)
                    fits = not self.is_terminal(t)
            if fits:
                return t

    def backwards(self, tried):
        """The same squares with the last as the first."""
        turned = 0
        while tried > 0:
            turned = 10 * turned + tried % 10
            tried //= 10
        return turned

    # ---- for people

    def towards(self, t, s):
        done, tried = (str(each.tried[t.turn]) if each.tried[t.turn] > 0 else "" for each in (t, s))
        return int(tried[len(done)]) - 1 if len(done) < len(tried) else -1

    def action_name(self, s, a):
        return "abc"[a % 3] + "321"[a // 3]

    def show(self, s):
        return board_text(self.cells(*s.marks), "abc", "321")

    def show_information(self, known, p):
        marks = (known.theirs, known.mine) if p == 1 else (known.mine, known.theirs)
        return board_text(self.cells(*marks), "abc", "321")

    def cells(self, xs, os):
        marks = ["x" if square in xs else "o" if square in os else "." for square in range(9)]
        return [marks[3 * row : 3 * row + 3] for row in range(3)]
