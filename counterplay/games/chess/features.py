"""What a learner sees of a position of chess: all that the evaluation counts, each at the phase of the game.

Pieces on their squares, which are numbered from the own king's side, by whether both kings are on one wing; then moves,
attacks, pawns and the rest, as `weights.py` lists them; what the other side has counts against. First come all of them
by how much is left of the beginning of the game, then by how much there is of the ending, then plain material.

So the inputs by the weights of `weights.txt` add up to what `evaluation.py` says.
"""

from counterplay.games.chess.board import BLACK, FILE, KNIGHT_STEPS, OTHER_HALF, WHITE, diagonal_from, straight_from
from counterplay.games.chess.evaluation import (
    FULL,
    distance,
    hits,
    kinds_of_pawns,
    outposts,
    reach,
    row_of,
    safe_checks,
    shelter,
    side,
    view,
)
from counterplay.games.chess.weights import (
    BACKWARD,
    BARE,
    BISHOP_MOVES,
    CHECKS,
    DOUBLED,
    FIRST,
    FREE,
    HITS,
    ISOLATED,
    KINDS,
    KNIGHT_MOVES,
    NUMBER,
    OPEN,
    OUR_KING,
    OUTPOSTS,
    PASSED,
    QUEEN_MOVES,
    ROOK_MOVES,
    SECOND,
    SECTIONS,
    SHIELD,
    SUPPORTED,
    THEIR_KING,
    TO_MOVE,
)

MATERIAL = 2 * NUMBER
INPUTS = MATERIAL + 6
MOST = 512


def features(s, on):
    """Tell `on` of the position as the player to move sees it."""
    own, other = side(s, s.mine, s.turn), side(s, s.theirs, 1 - s.turn)
    occupied = s.mine | s.theirs
    phase = len(s.knights) + len(s.diagonal) + 2 * len(s.straight) + len(own.queens) + len(other.queens)
    early = min(phase, FULL) / FULL
    ours, theirs = reach(own, other, occupied), reach(other, own, occupied)
    tell_side(own, other, ours, theirs, occupied, early, 1.0, on)
    tell_side(other, own, theirs, ours, occupied, early, -1.0, on)
    tell(on, TO_MOVE, 1.0, early)


def tell(on, i, x, early):
    """Weight number `i` counts `x` times."""
    if x != 0.0:
        if early > 0.0:
            on.add(i, x * early)
        if early < 1.0:
            on.add(NUMBER + i, x * (1.0 - early))


def tell_side(own, other, ours, theirs, occupied, early, sign, on):
    tell_pieces(own, other, ours, theirs, occupied, early, sign, on)
    tell(on, ours.zone, sign, early)
    for i, is_there in enumerate(safe_checks(own, other, ours, theirs, occupied)):
        if is_there:
            tell(on, CHECKS + i, sign, early)
    front, second, bare = shelter(own)
    tell(on, SHIELD + front, sign, early)
    tell(on, SECOND + second, sign, early)
    tell(on, BARE + bare, sign, early)
    tell_pawns(own, other, theirs.pawns, occupied, early, sign, on)
    for i, n in enumerate(hits(other, ours, theirs)):
        tell(on, HITS + i, sign * n, early)


def tell_pieces(own, other, ours, theirs, occupied, early, sign, on):
    flip, first = view(own, other)
    tell(on, first + 320 + (own.king ^ flip), sign, early)
    free = ~own.all - theirs.pawns
    for q in own.pawns:
        tell(on, first + (q ^ flip), sign, early)
    for q in own.knights:
        tell(on, first + 64 + (q ^ flip), sign, early)
        tell(on, KNIGHT_MOVES + len(KNIGHT_STEPS[q] & free), sign, early)
    for q in own.bishops:
        tell(on, first + 128 + (q ^ flip), sign, early)
        tell(on, BISHOP_MOVES + len(diagonal_from(q, occupied) & free), sign, early)
    for q in own.rooks:
        tell(on, first + 192 + (q ^ flip), sign, early)
        tell(on, ROOK_MOVES + len(straight_from(q, occupied) & free), sign, early)
        if not FILE[q] & own.pawns:
            tell(on, OPEN + (1 if FILE[q] & other.pawns else 0), sign, early)
    for q in own.queens:
        tell(on, first + 256 + (q ^ flip), sign, early)
        moves = straight_from(q, occupied) | diagonal_from(q, occupied)
        tell(on, QUEEN_MOVES + len(moves & free), sign, early)
    posted = outposts(own, other, ours.pawns, theirs.pawns)
    tell(on, OUTPOSTS, sign * len(own.knights & posted), early)
    tell(on, OUTPOSTS + 1, sign * len(own.bishops & posted), early)
    for i, pieces in enumerate((own.pawns, own.knights, own.bishops, own.rooks, own.queens)):
        if pieces:
            on.add(MATERIAL + i, sign * len(pieces))
    if len(own.bishops) > 1:
        on.add(MATERIAL + 5, sign)


def tell_pawns(own, other, guarded, occupied, early, sign, on):
    pawns = kinds_of_pawns(own, other, guarded)
    tell(on, DOUBLED, sign * len(pawns.doubled), early)
    tell(on, ISOLATED, sign * len(pawns.isolated), early)
    tell(on, BACKWARD, sign * len(pawns.backward), early)
    supported = (pawns.guarded | pawns.beside) & OTHER_HALF[own.turn]
    for i, some in enumerate((pawns.guarded, pawns.beside, supported)):
        tell(on, SUPPORTED + i, sign * len(some), early)
    for q in pawns.passed:
        row, stop = row_of(q, own.turn), q + 8 - 16 * own.turn
        tell(on, PASSED + row, sign, early)
        if stop not in occupied:
            tell(on, FREE + row, sign, early)
        if row > 2:
            tell(on, OUR_KING + distance(own.king, stop), sign, early)
            tell(on, THEIR_KING + distance(other.king, stop), sign, early)


# ---- what stands where, for a network that looks from both sides

SEEN = 2 * 6 * 64 + 2 * 8
MOST_SEEN = 32 + 4


def things(s):
    """The pieces of each kind and the rooks that may still castle, White's and then Black's."""
    white, black = (s.mine, s.theirs) if s.turn == WHITE else (s.theirs, s.mine)
    queens = s.diagonal & s.straight
    bishops, rooks = s.diagonal - queens, s.straight - queens
    return (
        s.pawns & white,
        s.knights & white,
        bishops & white,
        rooks & white,
        queens & white,
        s.kings & white,
        s.castling & white,
        s.pawns & black,
        s.knights & black,
        bishops & black,
        rooks & black,
        queens & black,
        s.kings & black,
        s.castling & black,
    )


def outlook(s, p):
    """What turns the board so that the player sees it from the left to the right and away, or from the right to the
    left if the own king is on the left."""
    own = s.mine if p == s.turn else s.theirs
    return (7 if (s.kings & own).lowest() % 8 < 4 else 0) ^ (56 if p == BLACK else 0)


def seen_as(p, outlook, kind, square):
    """Own pieces, the other's, and the rooks that may still castle, by their files."""
    is_others, q = int(kind // 7 != p), square ^ outlook
    return 768 + 8 * is_others + q % 8 if kind % 7 == 6 else 384 * is_others + 64 * (kind % 7) + q


def name(i):
    """What an input tells of, in the words of `weights.txt`."""
    if i >= MATERIAL:
        return (*(f"{kind}s" for kind in KINDS[:5]), "bishop pair")[i - MATERIAL]
    when = "early" if i < NUMBER else "late"
    section = max((each for each in SECTIONS if FIRST[each] <= i % NUMBER), key=lambda each: FIRST[each])
    place, size = i % NUMBER - FIRST[section], SECTIONS[section]
    if size == 64:
        kind, _, wings = section.partition(", ")
        return f"{kind} on {'abcdefgh'[place % 8]}{place // 8 + 1}, {wings}, {when}"
    return f"{section}, {when}" if size == 1 else f"{section} {place}, {when}"
