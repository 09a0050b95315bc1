"""Your own game in five minutes.

Chomp: a bar of chocolate whose lower left square is poisoned. In turn, each player chooses a square and eats it with
all that is above and to the right of it. Whoever is left with the poison loses. It is not among Counterplay's games;
here it is written, checked, played, solved and drawn.

    python examples/your_own_game.py [FOLDER]

writes chomp.svg into the folder, or here.
"""

import sys
from pathlib import Path
from typing import NamedTuple

from counterplay import Bits, Game, arena, check, search

# ---- 1. The rules
#
# A game is a class with six methods, which are those of the textbook. A state is an immutable tuple; sets of squares
# are `Bits`. An action is an integer: here, the number of a square. What is annotated in the class is a parameter:
# Chomp(rows=3, columns=5) is another bar.


class Chomp(Game):
    """Eat a square with all above and right of it; whoever must eat the poison at the lower left loses."""

    rows: int = 4
    columns: int = 4

    class State(NamedTuple):
        left: Bits  # the squares that are left, counted from the lower left
        turn: int

    def initial(self):
        return self.State(Bits(self.rows * self.columns, range(self.rows * self.columns)), 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return s.left.remove(0)  # nobody eats the poison: to be left with it is the end

    def result(self, s, a):
        left = s.left
        for i in s.left:
            if i // self.columns >= a // self.columns and i % self.columns >= a % self.columns:
                left = left.remove(i)
        return self.State(left, 1 - s.turn)

    def is_terminal(self, s):
        return len(s.left) == 1

    def utility(self, s, p):
        return -1.0 if p == s.turn else 1.0  # who is to move is left with the poison

    # Optional, for people: a board to draw, and names of the moves.

    def board(self, s):
        numbers = [range(r * self.columns, (r + 1) * self.columns) for r in reversed(range(self.rows))]
        return [["." if i not in s.left else "O" if i else "X" for i in row] for row in numbers]

    def labels(self):
        return [chr(ord("a") + c) for c in range(self.columns)], [str(r + 1) for r in reversed(range(self.rows))]

    def action_name(self, s, a):
        return chr(ord("a") + a % self.columns) + str(a // self.columns + 1)

    # A board does not tell whose turn it is, and `check` would complain that a position cannot be read back. So we say
    # how it is written: how much is left of each column, and who moves, as in `4 4 4 2 1`.

    def to_text(self, s):
        heights = [len([i for i in s.left if i % self.columns == c]) for c in range(self.columns)]
        return " ".join(map(str, [*heights, s.turn + 1]))

    def from_text(self, text):
        *heights, player = map(int, text.split())
        squares = [r * self.columns + c for c, height in enumerate(heights) for r in range(height)]
        return self.State(Bits(self.rows * self.columns, squares), player - 1)


def main(folder: Path) -> None:
    game = Chomp()

    # ---- 2. Check it. Random games, in which everything is asked that a game must be able to answer.
    report = check.examine(game, playouts=10)
    print(f"checked: {'nothing to complain about' if report.ok else report}")

    # ---- 3. Play it. A position knows its moves by name and prints as the board.
    here = game.at("d3 b4")
    print(f"\n{here}\nthen one may eat {' '.join(here.moves())}")

    # ---- 4. Solve it. Without a limit a search goes on until the value is certain. On a square bar the first player
    # wins by b2, which leaves two arms of the same length: whatever the other eats of one arm, eat of the other.
    solved = search.alphabeta(game)
    print(f"\n{solved.action_name} wins: value {solved.value:g}, exact: {solved.proven}")
    print(f"best play: {' '.join(solved.line_names)}")

    # Who begins always wins: if it does not win to eat only the upper right corner, the reply that refutes it could
    # have been played at once (strategy stealing). That does not say which bite wins. For small bars:
    print("\nthe best first bite of a bar")
    for rows, columns in ((2, 3), (2, 5), (3, 3), (3, 4), (3, 5)):
        best = search.minimax_policies(other := Chomp(rows=rows, columns=columns))[0][other.initial()]
        print(f"  {rows} by {columns}: {other.action_name(other.initial(), best)}")

    # ---- 5. Let it be played: a search against somebody who moves at random, 20 games.
    score = arena.match(game, ("alphabeta:depth=12", "random"), games=20, opening_plies=0, seed=1)
    print(f"\nalphabeta against random: {score.wins} wins, {score.losses} losses")

    # ---- 6. Draw it, with the last move marked.
    picture = folder / "chomp.svg"
    picture.write_text(game.at("b2")._repr_svg_(), encoding="utf-8")
    print(f"\ndrawn: {picture}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
