"""Any game in which two players choose once, at the same time: a matrix of what both get.

    rock_paper_scissors                          a game by its name, see NAMED
    0 -1 1; 1 0 -1; -1 1 0                       what the row player gets; the column player loses it
    (-1,-1) (-4,0); (0,-4) (-3,-3)               what each gets
    1/2 0; 0 1/3                                 fractions are exact

Rows are between semicolons, and cells between blanks.
"""

import re
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from counterplay.core.game import UnreadableText
from counterplay.games._replay import Replayed

NAMED = {
    "backoff": ("(-1,-1) (-4,0); (0,-4) (-3,-3)", "correct defective"),
    "battle_of_the_sexes": ("(3,2) (0,0); (0,0) (2,3)", "opera football"),
    "chicken": ("(0,0) (-1,1); (1,-1) (-10,-10)", "swerve straight"),
    "matching_pennies": ("1 -1; -1 1", "heads tails"),
    "prisoners_dilemma": ("(-1,-1) (-3,0); (0,-3) (-2,-2)", "silent confess"),
    "rock_paper_scissors": ("0 -1 1; 1 0 -1; -1 1 0", "rock paper scissors"),
    "stag_hunt": ("(4,4) (0,3); (3,0) (3,3)", "stag hare"),
}
"""Matrices and the names of the actions, for both players alike. `backoff`: two TCP implementations that share a link,
and the delay that each suffers if they keep to the rule of backing off or do not."""
MOST = 100  # actions of a player


class MatrixGame(Replayed):
    """Both players choose an action, neither knowing the other's; the matrix says what they get."""

    payoffs: str = "rock_paper_scissors"
    rows: str = ""
    columns: str = ""

    simultaneous = True
    compiled = False  # a matrix is data: to compile each anew takes longer than to solve it
    scored = True
    player_names = ("row", "column")

    class State(NamedTuple):
        choices: tuple  # -1: not made yet

    class Hand(NamedTuple):
        mine: int
        theirs: int

    def validate(self):
        for what, names, size in zip(("rows", "columns"), self.names, self.shape, strict=True):
            if len(names) != size or len(set(names)) != size:
                raise UnreadableText(
                    f"matrix_game has {size} {what}, each with a name of its own, not {' '.join(names)}"
                )

    @cached_property
    def matrix(self):
        """Rows of pairs of fractions."""
        return read_matrix(NAMED.get(self.payoffs, (self.payoffs, ""))[0])

    @cached_property
    def shape(self):
        return len(self.matrix), len(self.matrix[0])

    @cached_property
    def names(self):
        """What the actions of each player are called; by default as the game is known, or 1, 2, 3."""
        named = NAMED.get(self.payoffs, ("", ""))[1]
        return tuple(
            tuple((given or named).split()) or tuple(str(i + 1) for i in range(size))
            for given, size in zip((self.rows, self.columns), self.shape, strict=True)
        )

    @cached_property
    def zero_sum(self):
        return all(one + two == 0 for row in self.matrix for one, two in row)

    @cached_property
    def utility_range(self):
        return float(self.gains.min()), float(self.gains.max())

    @cached_property
    def gains(self):
        """The matrix in floating point, by row, column and player."""
        return np.array(self.matrix, dtype=float)

    def initial(self):
        return self.State((-1, -1))

    def player(self, s):
        return 0 if s.choices[0] < 0 else 1

    def actions(self, s):
        return range(0 if self.is_terminal(s) else self.shape[self.player(s)])

    def result(self, s, a):
        return self.State((a, -1) if s.choices[0] < 0 else (s.choices[0], a))

    def is_terminal(self, s):
        return s.choices[1] >= 0

    def utility(self, s, p):
        return float(self.gains[s.choices[0], s.choices[1], p])

    def information(self, s, p):
        shown = self.is_terminal(s)
        if p < 0:
            return self.Hand(*s.choices) if shown else self.Hand(-1, -1)
        return self.Hand(s.choices[p], s.choices[1 - p] if shown else -1)

    # ---- for people

    def towards(self, t, s):
        return s.choices[self.player(t)]

    def action_name(self, s, a):
        return self.names[self.player(s)][a]

    def show(self, s):
        chosen = [names[a] if a >= 0 else "?" for names, a in zip(self.names, s.choices, strict=True)]
        return f"{self.table()}\n\nrow: {chosen[0]}   column: {chosen[1]}"

    def show_information(self, known, p):
        choices = (known.theirs, known.mine) if p == 1 else (known.mine, known.theirs)
        return self.show(self.State(choices))

    def table(self):
        """The matrix, with the names of the actions at its edges."""
        cells = [[self._cell(cell) for cell in row] for row in self.matrix]
        lines = [["", *self.names[1]], *([name, *row] for name, row in zip(self.names[0], cells, strict=True))]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)

    def _cell(self, cell):
        return str(cell[0]) if self.zero_sum else f"{cell[0]}, {cell[1]}"


def read_matrix(text):
    """Rows of pairs of fractions."""
    rows = [re.findall(r"\([^()]*\)|[^\s()]+", row) for row in text.strip().rstrip(";").split(";")]
    if not rows[0] or len({len(row) for row in rows}) > 1 or max(len(rows), len(rows[0])) > MOST:
        raise UnreadableText(
            f"'{text}' is no matrix: write rows between semicolons, all of one length and not above {MOST}, as in "
            f"'1 -1; -1 1' or '(3,2) (0,0); (0,0) (2,3)'; or a name: {', '.join(NAMED)}"
        )
    return tuple(tuple(_read_cell(cell) for cell in row) for row in rows)


def _read_cell(text):
    parts = text.strip("()").split(",")
    try:
        numbers = [Fraction(part.strip()) for part in parts]
        if max(len(part) for part in parts) > 30 or len(numbers) != 1 + text.startswith("("):
            raise ValueError
    except (ValueError, ZeroDivisionError):
        raise UnreadableText(
            f"'{text}' is no cell: write a number, or two as in (3,2); or a name: {', '.join(NAMED)}"
        ) from None
    return (numbers[0], -numbers[0]) if len(numbers) == 1 else tuple(numbers)
