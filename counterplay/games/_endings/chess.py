"""The endings of chess, numbered: king and at most two pieces, of either side, against king; of pawns one, and no more.

A slice is what stands on the board, and which side is to move: the first, which is called white here, or the other. If
the pieces are the other colour's, the board is turned round. Without pawns the board is turned and mirrored until the
white king stands on one of ten squares; with the black king that makes 462 pairs, and every other piece is one of 64.
With a pawn it is mirrored until that stands on the left half.
"""

from itertools import combinations_with_replacement, product

from counterplay.core.bits import Bits
from counterplay.core.primitives import Table
from counterplay.games._endings import PLACE, SLICE_AT, Numbering, Unit
from counterplay.games.chess.board import KING_STEPS

NONE = Bits(64)
LETTERS = "QRBNP"
QUEEN, ROOK, BISHOP, KNIGHT, PAWN = range(5)
BLACK, NOBODY = 5, 10  # a piece is its kind, and 5 more if it is black
PAWN_SQUARES = 24

MATERIAL = [  # white's pieces and black's, in an order in which none comes before what it may become
    *(((kind,), ()) for kind in (QUEEN, ROOK, PAWN)),
    *((pair, ()) for pair in combinations_with_replacement((QUEEN, ROOK, BISHOP, KNIGHT), 2)),
    *(((one,), (other,)) for one, other in combinations_with_replacement((QUEEN, ROOK, BISHOP, KNIGHT), 2)),
]


def transposed(q):
    """The square on the other side of the diagonal from a1 to h8."""
    return q >> 3 | (q & 7) << 3


TRIANGLE = [q for q in range(64) if q // 8 <= q % 8 < 4]  # a1, b1, c1, d1, b2, ... d4
PAIRS = [
    (white, black)
    for white, black in product(TRIANGLE, range(64))
    if white != black and black not in KING_STEPS[white] and (white // 8 != white % 8 or black // 8 <= black % 8)
]
WHITE_KING = Table([white for white, _ in PAIRS])
BLACK_KING = Table([black for _, black in PAIRS])
NUMBERS: dict[tuple[int, ...], int] = {pair: number for number, pair in enumerate(PAIRS)}
PAIR = Table([NUMBERS.get(each, -1) for each in product(range(64), repeat=2)])


def name(white, black):
    return "K" + "".join(LETTERS[kind] for kind in white) + "K" + "".join(LETTERS[kind] for kind in black)


def of_both(white, black):
    """The pieces as numbers, the lower first; NOBODY if there is no second."""
    return (*sorted([*white, *(kind + BLACK for kind in black)]), NOBODY)[:2]


UNIT = [-1] * 121  # of two pieces, 11 * the first + the second: the unit, and 32 more if the colours are exchanged
for number, (white, black) in reversed(list(enumerate(MATERIAL))):
    for first, second, turned in ((black, white, 32), (white, black, 0)):
        one, other = of_both(first, second)
        UNIT[11 * one + other] = number + turned
UNIT = Table(UNIT)
PIECES = Table([piece for white, black in MATERIAL for piece in of_both(white, black)])


def size(white, black):
    if PAWN in white:
        return PAWN_SQUARES * 64 * 64
    return len(PAIRS) * 64 ** (len(white) + len(black))


SIZES = tuple(size(*each) for each in MATERIAL for _ in range(2))


# ---- the rules


def piece_at(s, q, white):
    """What stands on a square: its kind, and 5 more if it is black."""
    if q in s.pawns:
        kind = PAWN
    elif q in s.knights:
        kind = KNIGHT
    elif q in s.straight:
        kind = QUEEN if q in s.diagonal else ROOK
    else:
        kind = BISHOP
    return kind if q in white else kind + BLACK


def place(king, other, a, b, one, two):
    """The number of the squares of two kings and two pieces `one` and `two`, of which the second may be NOBODY."""
    if one == PAWN:
        side = 7 if a & 7 > 3 else 0
        a ^= side
        return ((a >> 3) * 4 - 4 + (a & 3)) * 4096 + (king ^ side) * 64 + (other ^ side)
    turn = (7 if king & 7 > 3 else 0) | (56 if king >> 3 > 3 else 0)
    king, other, a, b = king ^ turn, other ^ turn, a ^ turn, b ^ turn
    if king >> 3 > king & 7 or (king >> 3 == king & 7 and other >> 3 > other & 7):
        king, other, a, b = transposed(king), transposed(other), transposed(a), transposed(b)
    found = pieces_number(a, b, one, two)
    if king >> 3 == king & 7 and other >> 3 == other & 7:  # both ways are alike for the kings: the lower number it is
        found = min(found, pieces_number(transposed(a), transposed(b), one, two))
    pair = PAIR[64 * king + other]
    return pair * (64 if two == NOBODY else 4096) + found


def pieces_number(a, b, one, two):
    if two == NOBODY:
        return a
    return 64 * min(a, b) + max(a, b) if one == two else 64 * a + b


def index(self, s):
    men = s.mine | s.theirs
    if len(men) > 4 or s.castling or s.en_passant:
        return -1
    white = s.mine if s.turn == 0 else s.theirs
    king, other = (s.kings & white).lowest(), (s.kings - white).lowest()
    one, two, a, b = NOBODY, NOBODY, 0, 0
    for q in men - s.kings:
        piece = piece_at(s, q, white)
        if one == NOBODY:
            one, a = piece, q
        elif piece < one:
            one, two, a, b = piece, one, q, a
        else:
            two, b = piece, q
    unit = UNIT[11 * one + two]
    if unit < 0:
        return -1
    turn = s.turn
    if unit >= 32:  # black's pieces are white's in the table, and the board is turned upside down
        unit, turn = unit - 32, 1 - turn
        king, other, a, b = other ^ 56, king ^ 56, a ^ 56, b ^ 56
        one = (one + BLACK) % 10
        if two != NOBODY:
            two = (two + BLACK) % 10
            if two < one:
                one, two, a, b = two, one, b, a
    return (2 * unit + turn) << SLICE_AT | place(king, other, a, b, one, two)


def squares(i):
    """White's king, black's, and the squares of the pieces."""
    unit, rest = i >> SLICE_AT + 1, i & PLACE
    one, two = PIECES[2 * unit], PIECES[2 * unit + 1]
    if one == PAWN:
        pawn = rest >> 12
        return rest >> 6 & 63, rest & 63, (pawn >> 2) * 8 + 8 + (pawn & 3), 0
    a, b = (rest & 63, 0) if two == NOBODY else (rest >> 6 & 63, rest & 63)
    pair = rest >> 6 if two == NOBODY else rest >> 12
    return WHITE_KING[pair], BLACK_KING[pair], a, b


def position(self, i):
    king, other, a, b = squares(i)
    unit, turn = i >> SLICE_AT + 1, i >> SLICE_AT & 1
    white, black = NONE.add(king), NONE.add(other)
    kings, pawns, knights, diagonal, straight = white | black, NONE, NONE, NONE, NONE
    for k in range(2):
        piece, q = PIECES[2 * unit + k], a if k == 0 else b
        if piece != NOBODY:
            square, kind = NONE.add(q), piece % 5
            white, black = (white | square, black) if piece < BLACK else (white, black | square)
            pawns |= square if kind == PAWN else NONE
            knights |= square if kind == KNIGHT else NONE
            diagonal |= square if kind in (QUEEN, BISHOP) else NONE
            straight |= square if kind in (QUEEN, ROOK) else NONE
    mine, theirs = (white, black) if turn == 0 else (black, white)
    return self.State(mine, theirs, pawns, knights, diagonal, straight, kings, NONE, NONE, turn, 0, 1)


def is_position(self, i):
    """Whether pieces stand on squares of their own, the number is theirs, and who is to move cannot take the king."""
    king, other, a, b = squares(i)
    unit = i >> SLICE_AT + 1
    one, two = PIECES[2 * unit], PIECES[2 * unit + 1]
    if a in (king, other) or king == other or (two != NOBODY and b in (king, other, a)):
        return False
    if place(king, other, a, b, one, two) != i & PLACE:
        return False
    s = self.position(i)
    if KING_STEPS[king] & s.kings:
        return False
    pieces = (s.pawns, s.knights, s.diagonal, s.straight, s.kings)
    return not self.in_check(self.State(s.theirs, s.mine, *pieces, NONE, NONE, 1 - s.turn, 0, 1))


def comes_in_time(self, s, plies):
    """Whether a mate in so many plies comes before the game is a draw by 50 moves."""
    return s.clock + plies <= self.most_reversible


def numbering():
    names = {name(*each) for each in MATERIAL}
    units = []
    for number, (white, black) in enumerate(MATERIAL):
        after = [((kind,), ()) for kind in (QUEEN, ROOK) if white == (PAWN,)]  # other promotions are draws
        if len(white) + len(black) == 2:
            after = [((kind,), ()) for kind in (*white, *black)]
        needs = tuple(sorted({name(*each) for each in after} & names))
        units.append(Unit(name(white, black), (2 * number, 2 * number + 1), 2 + len(white) + len(black), needs))
    rules = {"index": index, "position": position, "is_position": is_position, "comes_in_time": comes_in_time}
    return Numbering(rules, SIZES, tuple(units), lambda s: len(s.mine | s.theirs), 3, "the 50 moves are not counted")
