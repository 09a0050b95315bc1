"""What a position of chess is worth, in pawns: a sum of terms that have names.

All but material is counted in numbers of `weights.txt`, each a pair: what it is worth while all pieces are there, and
what it is worth in an ending. Both lie in one integer, so that adding pairs is one addition; `tapered` takes them apart
at last, and goes from the one to the other as pieces go. `features.py` has the same sum once more, for learners.
"""

from typing import NamedTuple

from counterplay.core.bits import Bits
from counterplay.games.chess.board import (
    BLACK,
    FILE,
    KING_STEPS,
    KNIGHT_STEPS,
    NONE,
    OTHER_HALF,
    OUTPOST_ROWS,
    WHITE,
    ahead,
    beside,
    black,
    diagonal_from,
    straight_from,
    takes_left,
    takes_right,
    trail,
    white,
)
from counterplay.games.chess.weights import (
    BACKWARD,
    BARE,
    BISHOP_MOVES,
    CHECKS,
    DOUBLED,
    FREE,
    HITS,
    ISOLATED,
    KNIGHT_MOVES,
    OPEN,
    OUR_KING,
    OUTPOSTS,
    PASSED,
    PLACES,
    QUEEN_MOVES,
    ROOK_MOVES,
    SECOND,
    SHIELD,
    SUPPORTED,
    THEIR_KING,
    TO_MOVE,
    WEIGHTS,
    ZONE,
)

PAIR = 0.5
"""In pawns: with it two bishops are worth 6.5, as the textbooks have it."""
FULL = 24
"""The phase while all pieces are there: a knight or bishop counts 1, a rook 2, a queen 4."""


class Terms(NamedTuple):
    """The parts of the evaluation, in pawns, White's less Black's."""

    material: float
    bishop_pair: float
    placement: float
    mobility: float
    king_safety: float
    pawn_structure: float
    posts: float
    threats: float
    to_move: float


class Side(NamedTuple):
    """The pieces of one side."""

    all: Bits
    pawns: Bits
    knights: Bits
    bishops: Bits
    rooks: Bits
    queens: Bits
    king: int
    turn: int


class Reach(NamedTuple):
    """What the pieces of one side do: sums of weights, and the squares that each kind attacks."""

    placement: int
    mobility: int
    posts: int
    zone: int  # the weight that the attack on the other king has
    pawns: Bits
    knights: Bits
    bishops: Bits
    rooks: Bits
    queens: Bits
    all: Bits


class Pawns(NamedTuple):
    """The pawns of one side that are something. Of the backward ones it is the squares before them."""

    doubled: Bits  # an own pawn is behind it
    isolated: Bits  # none is on the files beside it
    backward: Bits  # none beside or behind it could guard it there, and the other's pawns do
    guarded: Bits  # by a pawn
    beside: Bits  # a pawn is beside it
    passed: Bits  # no pawn of the other side can stop or take it, nor is an own one before it


def terms(s):
    """The parts of the evaluation by name, in pawns, White's less Black's."""
    w, b = side(s, white(s), WHITE), side(s, black(s), BLACK)
    minors = len(w.knights) + len(w.bishops), len(b.knights) + len(b.bishops)
    rooks, queens = (len(w.rooks), len(b.rooks)), (len(w.queens), len(b.queens))
    phase = min(minors[0] + minors[1] + 2 * (rooks[0] + rooks[1]) + 4 * (queens[0] + queens[1]), FULL)
    material = len(w.pawns) - len(b.pawns) + 3 * (minors[0] - minors[1])
    material += 5 * (rooks[0] - rooks[1]) + 9 * (queens[0] - queens[1])
    pair = (1 if len(w.bishops) > 1 else 0) - (1 if len(b.bishops) > 1 else 0)
    occupied = w.all | b.all
    ours, theirs = reach(w, b, occupied), reach(b, w, occupied)
    safety = king_safety(w, b, ours, theirs, occupied) - king_safety(b, w, theirs, ours, occupied)
    structure = pawn_structure(w, b, theirs.pawns, occupied) - pawn_structure(b, w, ours.pawns, occupied)
    return Terms(
        1.0 * material,
        PAIR * pair,
        tapered(ours.placement - theirs.placement, phase),
        tapered(ours.mobility - theirs.mobility, phase),
        tapered(safety, phase),
        tapered(structure, phase),
        tapered(ours.posts - theirs.posts, phase),
        tapered(threats(b, ours, theirs) - threats(w, theirs, ours), phase),
        tapered(WEIGHTS[TO_MOVE] if s.turn == WHITE else -WEIGHTS[TO_MOVE], phase),
    )


def tapered(pair, phase):
    """A sum of pairs of weights at a phase of the game, in pawns."""
    late = (pair + (1 << 31)) >> 32
    early = pair - (late << 32)
    return (early * phase + late * (FULL - phase)) / (100.0 * FULL)


def side(s, own, turn):
    rooks, bishops = s.straight & own, s.diagonal & own
    queens = rooks & bishops
    return Side(
        own, s.pawns & own, s.knights & own, bishops - queens, rooks - queens, queens, (s.kings & own).lowest(), turn
    )


def view(own, other):
    """How the squares of one side are numbered: what to change in their numbers, and the first of its weights."""
    is_left, is_apart = own.king % 8 < 4, (own.king % 8 < 4) != (other.king % 8 < 4)
    return (7 if is_left else 0) ^ (56 if own.turn == BLACK else 0), PLACES + (384 if is_apart else 0)


def reach(own, other, occupied):
    """What the pieces of one side do. Squares that the other's pawns guard do not count as reached."""
    flip, first = view(own, other)
    guarded = takes_left(other.pawns, other.turn) | takes_right(other.pawns, other.turn)
    attacked = takes_left(own.pawns, own.turn) | takes_right(own.pawns, own.turn)
    free, zone = ~own.all - guarded, KING_STEPS[other.king]
    knights, bishops, rooks, queens = NONE, NONE, NONE, NONE
    place, mobility, posts, attackers, squares = WEIGHTS[first + 320 + (own.king ^ flip)], 0, 0, 0, 0
    for q in own.pawns:
        place += WEIGHTS[first + (q ^ flip)]
    for q in own.knights:
        moves = KNIGHT_STEPS[q]
        knights |= moves
        place += WEIGHTS[first + 64 + (q ^ flip)]
        mobility += WEIGHTS[KNIGHT_MOVES + len(moves & free)]
        attackers += 1 if moves & zone else 0
        squares += len(moves & zone)
    for q in own.bishops:
        moves = diagonal_from(q, occupied)
        bishops |= moves
        place += WEIGHTS[first + 128 + (q ^ flip)]
        mobility += WEIGHTS[BISHOP_MOVES + len(moves & free)]
        attackers += 1 if moves & zone else 0
        squares += len(moves & zone)
    for q in own.rooks:
        moves = straight_from(q, occupied)
        rooks |= moves
        place += WEIGHTS[first + 192 + (q ^ flip)]
        mobility += WEIGHTS[ROOK_MOVES + len(moves & free)]
        attackers += 1 if moves & zone else 0
        squares += len(moves & zone)
        if not FILE[q] & own.pawns:
            posts += WEIGHTS[OPEN + (1 if FILE[q] & other.pawns else 0)]
    for q in own.queens:
        moves = straight_from(q, occupied) | diagonal_from(q, occupied)
        queens |= moves
        place += WEIGHTS[first + 256 + (q ^ flip)]
        mobility += WEIGHTS[QUEEN_MOVES + len(moves & free)]
        attackers += 1 if moves & zone else 0
        squares += len(moves & zone)
    posted = outposts(own, other, attacked, guarded)
    posts += WEIGHTS[OUTPOSTS] * len(own.knights & posted) + WEIGHTS[OUTPOSTS + 1] * len(own.bishops & posted)
    attack = ZONE + (0 if own.queens else 60) + 12 * min(attackers, 4) + min(squares, 11)
    everything = attacked | knights | bishops | rooks | queens | KING_STEPS[own.king]
    return Reach(place, mobility, posts, attack, attacked, knights, bishops, rooks, queens, everything)


def outposts(own, other, attacked, guarded):
    """Squares in the other half that an own pawn guards and that no pawn of the other side can ever attack."""
    return attacked & OUTPOST_ROWS[own.turn] - trail(guarded, other.turn)


def king_safety(own, other, ours, theirs, occupied):
    """How well one's king is sheltered, and how hard the other's is attacked."""
    found = WEIGHTS[ours.zone]
    for i, is_there in enumerate(safe_checks(own, other, ours, theirs, occupied)):
        found += WEIGHTS[CHECKS + i] if is_there else 0
    front, second, bare = shelter(own)
    return found + WEIGHTS[SHIELD + front] + WEIGHTS[SECOND + second] + WEIGHTS[BARE + bare]


def safe_checks(own, other, ours, theirs, occupied):
    """Whether a knight, bishop, rook or queen can give check on a square that the other side does not guard."""
    safe = ~own.all - theirs.all
    diagonal, straight = diagonal_from(other.king, occupied) & safe, straight_from(other.king, occupied) & safe
    return (
        bool(KNIGHT_STEPS[other.king] & ours.knights & safe),
        bool(diagonal & ours.bishops),
        bool(straight & ours.rooks),
        bool((diagonal | straight) & ours.queens),
    )


def shelter(own):
    """How many pawns are before a king, how many a row further, and how many files about it have none."""
    king = NONE.add(own.king)
    row = king | beside(king)
    front = ahead(row, own.turn)
    files = trail(own.pawns, BLACK) | trail(own.pawns, WHITE)
    return len(front & own.pawns), len(ahead(front, own.turn) & own.pawns), len(row - files)


def pawn_structure(own, other, guarded, occupied):
    """What is good and bad about a side's pawns; `guarded` are the squares that the other's pawns guard."""
    pawns = kinds_of_pawns(own, other, guarded)
    found = WEIGHTS[DOUBLED] * len(pawns.doubled) + WEIGHTS[ISOLATED] * len(pawns.isolated)
    found += WEIGHTS[BACKWARD] * len(pawns.backward)
    found += WEIGHTS[SUPPORTED] * len(pawns.guarded) + WEIGHTS[SUPPORTED + 1] * len(pawns.beside)
    found += WEIGHTS[SUPPORTED + 2] * len((pawns.guarded | pawns.beside) & OTHER_HALF[own.turn])
    for q in pawns.passed:
        row, stop = row_of(q, own.turn), q + 8 - 16 * own.turn
        found += WEIGHTS[PASSED + row]
        if stop not in occupied:
            found += WEIGHTS[FREE + row]
        if row > 2:
            found += WEIGHTS[OUR_KING + distance(own.king, stop)] + WEIGHTS[THEIR_KING + distance(other.king, stop)]
    return found


def kinds_of_pawns(own, other, guarded):
    pawns, turn = own.pawns, own.turn
    ways, trails = trail(pawns, turn), trail(pawns, 1 - turn)
    barred = trail(other.pawns, 1 - turn)
    return Pawns(
        doubled=pawns & ahead(ways, turn),
        isolated=pawns - beside(ways | trails),
        backward=ahead(pawns - beside(ways), turn) & guarded,
        guarded=pawns & (takes_left(pawns, turn) | takes_right(pawns, turn)),
        beside=pawns & beside(pawns),
        passed=pawns - barred - beside(barred) - ahead(trails, 1 - turn),
    )


def row_of(q, turn):
    """The row of a square as a side counts, from 0."""
    return q // 8 if turn == WHITE else 7 - q // 8


def distance(q, other):
    """How many moves a king needs from one square to another."""
    return max(abs(q % 8 - other % 8), abs(q // 8 - other // 8))


def threats(other, ours, theirs):
    """What is attacked by something that is worth less, or stands unguarded."""
    found = 0
    for i, n in enumerate(hits(other, ours, theirs)):
        found += n * WEIGHTS[HITS + i]
    return found


def hits(other, ours, theirs):
    """How many pieces of the other side are attacked, in the order of the weights."""
    minors, by_minor = other.knights | other.bishops, ours.knights | ours.bishops
    return (
        len(minors & ours.pawns),
        len(other.rooks & ours.pawns),
        len(other.queens & ours.pawns),
        len(minors & by_minor),
        len(other.rooks & by_minor),
        len(other.queens & by_minor),
        len(other.queens & ours.rooks),
        len((other.all - NONE.add(other.king)) & (ours.all - theirs.all)),
    )
