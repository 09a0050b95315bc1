"""What a position of chess is worth, in pawns: a weighted sum of terms that have names."""

from typing import NamedTuple

from counterplay.games.chess.board import (
    BLACK,
    CENTRE,
    KING_STEPS,
    KNIGHT_STEPS,
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

# What the evaluation counts, in pawns. Material, mobility and the pair of bishops (6.5 for two) are the textbooks'
# figures; the others are small enough never to outweigh a pawn together.
PAIR, MOBILITY, ZONE, SHIELD, IN_CENTRE = 0.5, 0.1, 0.1, 0.15, 0.1
DOUBLED, ISOLATED, PASSED = 0.2, 0.15, 0.04


class Terms(NamedTuple):
    """The parts of the evaluation, in pawns, White's less Black's."""

    material: float
    bishop_pair: float
    mobility: float
    king_safety: float
    centre: float
    pawn_structure: float


class Activity(NamedTuple):
    """How many squares a side's pieces reach, and how often squares around the enemy king and in the centre."""

    reached: int
    zone: int
    centre: int


def terms(s):
    """The parts of the evaluation by name, in pawns, White's less Black's."""
    ours, theirs = white(s), black(s)
    pawns = len(s.pawns & ours) - len(s.pawns & theirs)
    minors = len((s.knights | s.diagonal) & ours - s.straight) - len((s.knights | s.diagonal) & theirs - s.straight)
    rooks = len(s.straight & ours - s.diagonal) - len(s.straight & theirs - s.diagonal)
    queens = s.straight & s.diagonal
    bishops = s.diagonal - s.straight
    pair = (1 if len(bishops & ours) > 1 else 0) - (1 if len(bishops & theirs) > 1 else 0)
    mine, others = activity(s, ours, theirs, BLACK), activity(s, theirs, ours, WHITE)
    return Terms(
        1.0 * (pawns + 3 * minors + 5 * rooks + 9 * (len(queens & ours) - len(queens & theirs))),
        PAIR * pair,
        MOBILITY * (mine.reached - others.reached),
        safety(s, ours, theirs, others.zone, WHITE) - safety(s, theirs, ours, mine.zone, BLACK),
        IN_CENTRE * (mine.centre - others.centre),
        structure(s.pawns & ours, s.pawns & theirs, WHITE) - structure(s.pawns & theirs, s.pawns & ours, BLACK),
    )


def activity(s, own, enemy, enemy_turn):
    """What the pieces of one side do. Squares that the enemy's pawns guard do not count as reached."""
    occupied, pawns = s.mine | s.theirs, s.pawns & enemy
    free = ~own - takes_left(pawns, enemy_turn) - takes_right(pawns, enemy_turn)
    zone = KING_STEPS[(s.kings & enemy).lowest()]
    guards = takes_left(s.pawns & own, 1 - enemy_turn), takes_right(s.pawns & own, 1 - enemy_turn)
    reached, near = 0, 0
    centre = len(CENTRE & own & s.pawns) + len(CENTRE & guards[0]) + len(CENTRE & guards[1])
    for q in s.knights & own:
        moves = KNIGHT_STEPS[q]
        reached += len(moves & free)
        near += len(moves & zone)
        centre += len(moves & CENTRE)
    for q in s.diagonal & own:
        moves = diagonal_from(q, occupied)
        reached += len(moves & free)
        near += len(moves & zone)
        centre += len(moves & CENTRE)
    for q in s.straight & own:
        moves = straight_from(q, occupied)
        reached += len(moves & free)
        near += len(moves & zone)
    return Activity(reached, near, centre)


def safety(s, own, enemy, attacks, turn):
    """How safe a king is: pawns before it, less what attacks around it. Without an enemy queen it may walk."""
    king = s.kings & own
    if not s.straight & s.diagonal & enemy:
        return 0.0
    front = ahead(king | beside(king), turn)
    shield = len(front & s.pawns & own) + len((front | ahead(front, turn)) & s.pawns & own)
    return SHIELD * shield - ZONE * attacks


def structure(own, enemy, turn):
    """What is good and bad about a side's pawns: those that nothing can stop, doubled and isolated ones."""
    before = ahead(trail(own, turn), turn)
    files = before | trail(own, 1 - turn)
    doubled = len(own & before)
    isolated = len(own - beside(files))
    barred = trail(enemy, 1 - turn)
    passed = own - barred - beside(barred) - ahead(trail(own, 1 - turn), 1 - turn)
    rows = 0
    for q in passed:
        row = q // 8 if turn == WHITE else 7 - q // 8
        rows += row * row
    return PASSED * rows - DOUBLED * doubled - ISOLATED * isolated
