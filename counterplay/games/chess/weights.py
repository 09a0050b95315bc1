"""The numbers of the evaluation, which `weights.txt` has in hundredths of a pawn: read, and packed two into one.

In the file a section begins with its name. Each of its rows has numbers for the beginning of the game, `|`, and those
for the ending. Squares are drawn as White sees them, the eighth row first, with White's king on the files e to h.
`python benchmarks/chess_fit.py` makes the file.
"""

from pathlib import Path

from counterplay.core.primitives import Table

KINDS = ("pawn", "knight", "bishop", "rook", "queen", "king")

SECTIONS = {
    **{f"{kind}, kings on {wing}": 64 for wing in ("one wing", "both wings") for kind in KINDS},
    "knight's moves": 9,
    "bishop's moves": 14,
    "rook's moves": 15,
    "queen's moves": 28,
    **{f"attack by {n}, {queen}": 12 for queen in ("with a queen", "without") for n in range(5)},
    "safe checks": 4,
    "pawns before the king": 4,
    "pawns two before the king": 4,
    "bare files": 4,
    "doubled": 1,
    "isolated": 1,
    "backward": 1,
    "supported": 3,
    "passed, by row": 8,
    "free to go, by row": 8,
    "own king's distance": 8,
    "other king's distance": 8,
    "rook on open files": 2,
    "outposts": 2,
    "hit by a pawn": 3,
    "hit by a minor piece": 3,
    "hit by a rook": 1,
    "hanging": 1,
    "to move": 1,
}
"""What is counted, and in how many numbers; the order is that of the inputs for learners."""

FIRST = dict(zip(SECTIONS, [sum(list(SECTIONS.values())[:i]) for i in range(len(SECTIONS))], strict=True))
NUMBER = sum(SECTIONS.values())

PLACES = 0  # by whether the kings are on both wings, kind, and square
KNIGHT_MOVES = FIRST["knight's moves"]  # by the number of squares that one reaches; so for the next three
BISHOP_MOVES = FIRST["bishop's moves"]
ROOK_MOVES = FIRST["rook's moves"]
QUEEN_MOVES = FIRST["queen's moves"]
ZONE = FIRST["attack by 0, with a queen"]  # by whether there is a queen, how many attack, and on how many squares
CHECKS = FIRST["safe checks"]  # by a knight, bishop, rook, queen
SHIELD = FIRST["pawns before the king"]
SECOND = FIRST["pawns two before the king"]
BARE = FIRST["bare files"]  # of the king's and those beside it, without an own pawn
DOUBLED, ISOLATED, BACKWARD = FIRST["doubled"], FIRST["isolated"], FIRST["backward"]
SUPPORTED = FIRST["supported"]  # by a pawn that guards it, or beside one; and if that is in the other half of the board
PASSED = FIRST["passed, by row"]  # the row as the own side counts, from 0
FREE = FIRST["free to go, by row"]  # passed, and nothing stands before it
OUR_KING = FIRST["own king's distance"]  # from the square before a passed pawn that is on the fourth row or further
THEIR_KING = FIRST["other king's distance"]
OPEN = FIRST["rook on open files"]  # open; then without an own pawn
OUTPOSTS = FIRST["outposts"]  # a knight's, a bishop's
HITS = FIRST["hit by a pawn"]  # by a pawn: knight or bishop, rook, queen; by those; a queen by a rook; any unguarded
TO_MOVE = FIRST["to move"]


def read(text):
    """The numbers in the file's text, all of the beginning and all of the ending."""
    early, late = [0] * NUMBER, [0] * NUMBER
    at, row, is_drawn = 0, 0, False
    for line in text.splitlines():
        if "|" in line:
            left, right = (list(map(int, half.split())) for half in line.split("|"))
            first = at + 56 - 8 * row if is_drawn else at
            early[first : first + len(left)], late[first : first + len(right)] = left, right
            row += 1
        elif line.strip():
            at, row, is_drawn = FIRST[line.strip()], 0, SECTIONS[line.strip()] == 64
    return early, late


def written(early, late):
    """The text of the file."""
    lines = []
    for name, size in SECTIONS.items():
        at = FIRST[name]
        starts = [at + 56 - 8 * row for row in range(8)] if size == 64 else [at]
        width = 8 if size == 64 else size
        lines.append(name)
        for first in starts:
            halves = ("".join(f"{x:5}" for x in half[first : first + width]) for half in (early, late))
            lines.append("  |".join(halves))
    return "\n".join(lines) + "\n"


def packed(early, late):
    """Both numbers of each pair in one."""
    return Table(one + (other << 32) for one, other in zip(early, late, strict=True))


WEIGHTS = packed(*read(Path(__file__).with_name("weights.txt").read_text()))
