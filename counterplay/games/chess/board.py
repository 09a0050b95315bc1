"""The chessboard: squares, steps and lines of the pieces, and how pawns go. All of it is compiled with the rules."""

from counterplay.core.bits import Bits
from counterplay.core.primitives import Table

WHITE, BLACK = 0, 1


def squares(*names):
    return Bits(64, [ord(name[0]) - ord("a") + 8 * (int(name[1]) - 1) for name in names])


def table(*steps, slides=False, sides=(1,)):
    """For every square, and every side if there are two: where a piece that makes such (column, row) steps gets to."""
    return Table(
        Bits(64, {q for dx, dy in steps for q in _reached(square, dx, dy * side, 7 if slides else 1)})
        for side in sides
        for square in range(64)
    )


def _reached(square, dx, dy, most):
    places = [(square % 8 + i * dx, square // 8 + i * dy) for i in range(1, most + 1)]
    return [x + 8 * y for x, y in places if 0 <= x < 8 and 0 <= y < 8]


NONE = Bits(64)
FILE_A, FILE_H = Bits(64, range(0, 64, 8)), Bits(64, range(7, 64, 8))
LAST_ROWS = Bits(64, [*range(8), *range(56, 64)])
LIGHT = Bits(64, [q for q in range(64) if (q + q // 8) % 2])

KNIGHT_STEPS = table(*((x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y)))
KING_STEPS = table(*((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y))
PAWN_TAKES = table((-1, 1), (1, 1), sides=(1, -1))  # of White from square 0 on, of Black from 64 on
FILE = table((0, 1), (0, -1), slides=True)
ROW = table((1, 0), (-1, 0), slides=True)
RISING = table((1, 1), (-1, -1), slides=True)
FALLING = table((1, -1), (-1, 1), slides=True)
STRAIGHT_LINES = Table(FILE[q] | ROW[q] for q in range(64))
DIAGONAL_LINES = Table(RISING[q] | FALLING[q] for q in range(64))
THIRD_ROW = Table([Bits(64, range(16, 24)), Bits(64, range(40, 48))])  # where a pawn's first step ends, by colour
OTHER_HALF = Table([Bits(64, range(32, 64)), Bits(64, range(32))])  # of the board, by colour
OUTPOST_ROWS = Table([Bits(64, range(24, 48)), Bits(64, range(16, 40))])  # where a piece is well placed, by colour

# Castling: 0 and 1 White's, short and long; 2 and 3 Black's.
CASTLING_ROOK = Table([7, 0, 63, 56])
CASTLING_KING = Table([6, 2, 62, 58])  # where the king goes
CASTLING_ROOK_ENDS = Table([5, 3, 61, 59])
CASTLED_ROOKS = Table(squares(*names.split()) for names in ("d1 f1", "d8 f8"))  # by colour
CASTLING_EMPTY = Table(squares(*names.split()) for names in ("f1 g1", "b1 c1 d1", "f8 g8", "b8 c8 d8"))
CASTLING_SAFE = Table(squares(*names.split()) for names in ("f1 g1", "c1 d1", "f8 g8", "c8 d8"))


def straight_from(q, occupied):
    return FILE[q].seen(q, occupied) | ROW[q].seen(q, occupied)


def diagonal_from(q, occupied):
    return RISING[q].seen(q, occupied) | FALLING[q].seen(q, occupied)


def attackers(s, q, occupied):
    """The pieces of both sides that attack a square."""
    return (
        KNIGHT_STEPS[q] & s.knights
        | KING_STEPS[q] & s.kings
        | PAWN_TAKES[q] & s.pawns & black(s)
        | PAWN_TAKES[64 + q] & s.pawns & white(s)
        | straight_from(q, occupied) & s.straight
        | diagonal_from(q, occupied) & s.diagonal
    )


def white(s):
    return s.mine if s.turn == WHITE else s.theirs


def black(s):
    return s.theirs if s.turn == WHITE else s.mine


def ahead(pawns, turn):
    return pawns << 8 if turn == WHITE else pawns >> 8


def takes_left(pawns, turn):
    pawns -= FILE_A
    return pawns << 7 if turn == WHITE else pawns >> 9


def takes_right(pawns, turn):
    pawns -= FILE_H
    return pawns << 9 if turn == WHITE else pawns >> 7


def beside(b):
    return (b - FILE_A) >> 1 | (b - FILE_H) << 1


def trail(b, turn):
    """The squares of a set and all before them."""
    b |= ahead(b, turn)
    b |= b << 16 if turn == WHITE else b >> 16
    return b | (b << 32 if turn == WHITE else b >> 32)
