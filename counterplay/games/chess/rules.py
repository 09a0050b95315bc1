"""Chess, by the Laws of FIDE.

Squares count from a1 = 0, b1 = 1, ... to h8 = 63. An action is `from | to << 6 | promotion << 12`, where the promotion
is 0 for none, 1 for a queen, 2 rook, 3 bishop, 4 knight; castling is the king's move of two squares, in Chess960 his
move to the rook's square.

The generator gives legal moves only. A king's lines are looked along once: they tell who gives check, so where a move
must end to stop it (`targets`), and who is pinned, so the lines that pinned pieces must not leave.
"""

import math
from typing import NamedTuple

from counterplay.core.bits import Bits
from counterplay.core.drawing import CHESSMEN, Look
from counterplay.core.game import Game
from counterplay.core.primitives import nth, state_key
from counterplay.games.chess import evaluation, features, notation
from counterplay.games.chess.board import (
    CASTLED_ROOKS,
    CASTLING_EMPTY,
    CASTLING_KING,
    CASTLING_ROOK,
    CASTLING_ROOK_ENDS,
    CASTLING_SAFE,
    DIAGONAL_LINES,
    FALLING,
    FILE,
    KING_STEPS,
    KNIGHT_STEPS,
    LAST_ROWS,
    LIGHT,
    NONE,
    PAWN_TAKES,
    RISING,
    ROW,
    STRAIGHT_LINES,
    THIRD_ROW,
    ahead,
    attackers,
    diagonal_from,
    straight_from,
    takes_left,
    takes_right,
)
from counterplay.games.chess.exchanges import is_capture, is_sound, worth

QUEEN, ROOK, BISHOP, KNIGHT = 1, 2, 3, 4  # what a pawn may become


class Limits(NamedTuple):
    """What checks and pins leave to the player to move."""

    targets: Bits  # where a move of any piece but the king must end
    straight_pins: Bits  # the lines from the king to rooks that one piece keeps from it, which that must not leave
    diagonal_pins: Bits
    king: int
    checked: bool


class PawnMoves(NamedTuple):
    """Where pawns can go: a step, two steps, and taking towards the files a and h."""

    one: Bits
    two: Bits
    left: Bits
    right: Bits


class Chess(Game):
    """Chess by the Laws of FIDE: checkmate wins; stalemate, 50 moves, too little material and repetition are draws."""

    play_on: bool = False  # though nobody can mate: so published counts of lines have it
    chess960: bool = False  # kings and rooks castle from wherever they began

    player_names = ("White", "Black")
    unit = "pawns"
    win_word = "mate"
    half_win = 10.0
    selective = True
    most_reversible = 100  # plies without a capture or a pawn's move: 50 of each side, and the game is a draw
    look = Look("checkered", "#f0d9b5", "#b58863", CHESSMEN)

    class State(NamedTuple):
        mine: Bits  # the pieces of the player to move
        theirs: Bits
        pawns: Bits
        knights: Bits
        diagonal: Bits  # bishops and queens
        straight: Bits  # rooks and queens
        kings: Bits
        castling: Bits  # the rooks that may still castle
        en_passant: Bits  # the square that a pawn has just passed by, if it can be taken there
        turn: int
        clock: int  # plies since the last capture or pawn move
        number: int  # of the move: 1, and one more after each of Black's

    def initial(self):
        return self.from_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")

    def player(self, s):
        return s.turn

    # ---- checks and pins

    def in_check(self, s):
        return bool(attackers(s, (s.kings & s.mine).lowest(), s.mine | s.theirs) & s.theirs)

    def limits(self, s):
        occupied = s.mine | s.theirs
        king = (s.kings & s.mine).lowest()
        stops = (KNIGHT_STEPS[king] & s.knights | PAWN_TAKES[64 * s.turn + king] & s.pawns) & s.theirs
        checks = len(stops)
        straight_pins, diagonal_pins = NONE, NONE
        for q in STRAIGHT_LINES[king] & s.straight & s.theirs:
            between = (FILE[king] if q in FILE[king] else ROW[king]).between(king, q)
            blockers = len(between & occupied)
            if blockers == 0:
                stops |= between.add(q)
                checks += 1
            elif blockers == 1:
                straight_pins |= between.add(q)
        for q in DIAGONAL_LINES[king] & s.diagonal & s.theirs:
            between = (RISING[king] if q in RISING[king] else FALLING[king]).between(king, q)
            blockers = len(between & occupied)
            if blockers == 0:
                stops |= between.add(q)
                checks += 1
            elif blockers == 1:
                diagonal_pins |= between.add(q)
        targets = ~s.mine if checks == 0 else stops if checks == 1 else NONE
        return Limits(targets, straight_pins, diagonal_pins, king, checks > 0)

    # ---- where pieces can go

    def king_moves(self, s, limits):
        """Castling included."""
        around = KING_STEPS[limits.king] - s.mine
        castling = NONE if limits.checked else s.castling & s.mine
        if not around and not castling:
            return NONE
        occupied = s.mine | s.theirs
        danger = self.attacked(s, occupied.remove(limits.king))
        moves = around - danger
        if castling and self.chess960:
            for rook in castling:
                if self.can_castle(s, limits.king, rook, danger):
                    moves = moves.add(rook)
        elif castling:
            for i in range(2 * s.turn, 2 * s.turn + 2):
                if CASTLING_ROOK[i] in castling and not CASTLING_EMPTY[i] & occupied and not CASTLING_SAFE[i] & danger:
                    moves = moves.add(CASTLING_KING[i])
        return moves

    def can_castle(self, s, king, rook, danger):
        """Chess960: whether nothing else stands where king and rook go, nor attacks the king on his way and at its end.

        There he may be attacked along the row because the rook has left it.
        """
        i = 2 * s.turn + (1 if rook < king else 0)
        king_end, rook_end = CASTLING_KING[i], CASTLING_ROOK_ENDS[i]
        others = (s.mine | s.theirs).remove(king).remove(rook)
        way = ROW[king].between(king, king_end).add(king_end)
        if (way | ROW[rook].between(rook, rook_end).add(rook_end)) & others or way & danger:
            return False
        return not attackers(s, king_end, others.add(rook_end)) & s.theirs

    def attacked(self, s, occupied):
        """The squares that the opponent attacks."""
        pawns = s.pawns & s.theirs
        found = KING_STEPS[(s.kings & s.theirs).lowest()]
        found |= takes_left(pawns, 1 - s.turn) | takes_right(pawns, 1 - s.turn)
        for q in s.knights & s.theirs:
            found |= KNIGHT_STEPS[q]
        for q in s.diagonal & s.theirs:
            found |= diagonal_from(q, occupied)
        for q in s.straight & s.theirs:
            found |= straight_from(q, occupied)
        return found

    def pawn_moves(self, s, limits):
        """All but en passant."""
        pawns, empty, turn = s.pawns & s.mine, ~(s.mine | s.theirs), s.turn
        pushed = pawns - limits.diagonal_pins
        one = ahead(pushed - limits.straight_pins, turn)
        one |= ahead(pushed & limits.straight_pins, turn) & limits.straight_pins
        one &= empty
        two = ahead(one & THIRD_ROW[turn], turn) & empty
        taking = pawns - limits.straight_pins
        free, pinned = taking - limits.diagonal_pins, taking & limits.diagonal_pins
        left = takes_left(free, turn) | takes_left(pinned, turn) & limits.diagonal_pins
        right = takes_right(free, turn) | takes_right(pinned, turn) & limits.diagonal_pins
        victims = s.theirs & limits.targets
        return PawnMoves(one & limits.targets, two & limits.targets, left & victims, right & victims)

    def en_passant_takers(self, s):
        """The pawns that may take en passant."""
        takers = NONE
        if s.en_passant:
            target = s.en_passant.lowest()
            victim = ahead(s.en_passant, 1 - s.turn)
            king = (s.kings & s.mine).lowest()
            for q in PAWN_TAKES[64 * (1 - s.turn) + target] & s.pawns & s.mine:
                occupied = (s.mine | s.theirs | s.en_passant).remove(q) - victim
                if not attackers(s, king, occupied) & s.theirs - victim:
                    takers = takers.add(q)
        return takers

    def knight_moves(self, q, limits):
        return KNIGHT_STEPS[q] & limits.targets

    def diagonal_moves(self, q, occupied, limits):
        moves = diagonal_from(q, occupied) & limits.targets
        return moves & limits.diagonal_pins if q in limits.diagonal_pins else moves

    def straight_moves(self, q, occupied, limits):
        moves = straight_from(q, occupied) & limits.targets
        return moves & limits.straight_pins if q in limits.straight_pins else moves

    def actions(self, s):
        if self.is_drawn(s):
            return
        limits = self.limits(s)
        occupied, up = s.mine | s.theirs, 8 - 16 * s.turn
        pawns = self.pawn_moves(s, limits)
        for step, reached in ((up, pawns.one), (2 * up, pawns.two), (up - 1, pawns.left), (up + 1, pawns.right)):
            for q in reached:
                first, last = (QUEEN, KNIGHT) if q in LAST_ROWS else (0, 0)
                for promotion in range(first, last + 1):
                    yield q - step | q << 6 | promotion << 12
        for q in self.en_passant_takers(s):
            yield q | s.en_passant.lowest() << 6
        for q in (s.knights & s.mine) - limits.straight_pins - limits.diagonal_pins:
            for to in self.knight_moves(q, limits):
                yield q | to << 6
        for q in (s.diagonal & s.mine) - limits.straight_pins:
            for to in self.diagonal_moves(q, occupied, limits):
                yield q | to << 6
        for q in (s.straight & s.mine) - limits.diagonal_pins:
            for to in self.straight_moves(q, occupied, limits):
                yield q | to << 6
        for to in self.king_moves(s, limits):
            yield limits.king | to << 6

    def count_actions(self, s):
        if self.is_drawn(s):
            return 0
        limits = self.limits(s)
        pawns, knights, diagonal, straight = self.counts(s, limits)
        return pawns + knights + diagonal + straight + len(self.king_moves(s, limits))

    def counts(self, s, limits):
        """How many moves there are of pawns, of knights, on diagonals, and on rows and files."""
        occupied, moved = s.mine | s.theirs, self.pawn_moves(s, limits)
        pawns = len(moved.one) + len(moved.two) + len(moved.left) + len(moved.right)
        if (moved.one | moved.left | moved.right) & LAST_ROWS:
            pawns += 3 * (len(moved.one & LAST_ROWS) + len(moved.left & LAST_ROWS) + len(moved.right & LAST_ROWS))
        if s.en_passant:
            pawns += len(self.en_passant_takers(s))
        knights, diagonal, straight = 0, 0, 0
        for q in (s.knights & s.mine) - limits.straight_pins - limits.diagonal_pins:
            knights += len(self.knight_moves(q, limits))
        for q in (s.diagonal & s.mine) - limits.straight_pins:
            diagonal += len(self.diagonal_moves(q, occupied, limits))
        for q in (s.straight & s.mine) - limits.diagonal_pins:
            straight += len(self.straight_moves(q, occupied, limits))
        return pawns, knights, diagonal, straight

    def sample(self, s, r):
        """By counting first, and then generating only the kind of piece that moves."""
        limits = self.limits(s)
        occupied, up = s.mine | s.theirs, 8 - 16 * s.turn
        king = self.king_moves(s, limits)
        pawns, knights, diagonal, straight = self.counts(s, limits)
        k = r * (pawns + knights + diagonal + straight + len(king)) >> 32
        if k < pawns:
            moved = self.pawn_moves(s, limits)
            for step, reached in ((up, moved.one), (2 * up, moved.two), (up - 1, moved.left), (up + 1, moved.right)):
                for q in reached:
                    ways = 4 if q in LAST_ROWS else 1
                    if k < ways:
                        return q - step | q << 6 | (k + 1 if ways == 4 else 0) << 12
                    k -= ways
            return nth(self.en_passant_takers(s), k) | s.en_passant.lowest() << 6
        k -= pawns
        if k < knights:
            for q in (s.knights & s.mine) - limits.straight_pins - limits.diagonal_pins:
                moves = self.knight_moves(q, limits)
                if k < len(moves):
                    return q | nth(moves, k) << 6
                k -= len(moves)
        k -= knights
        if k < diagonal:
            for q in (s.diagonal & s.mine) - limits.straight_pins:
                moves = self.diagonal_moves(q, occupied, limits)
                if k < len(moves):
                    return q | nth(moves, k) << 6
                k -= len(moves)
        k -= diagonal
        if k < straight:
            for q in (s.straight & s.mine) - limits.diagonal_pins:
                moves = self.straight_moves(q, occupied, limits)
                if k < len(moves):
                    return q | nth(moves, k) << 6
                k -= len(moves)
        return limits.king | nth(king, k - straight) << 6

    def result(self, s, a):
        origin, target, promotion = a & 63, a >> 6 & 63, a >> 12
        if self.chess960 and target in s.mine:
            return self.castled(s, origin, target)
        start, end = NONE.add(origin), NONE.add(target)
        both = start | end
        captures, is_pawn = bool(s.theirs & end), bool(s.pawns & start)
        # What was on the target goes, what was on the origin goes there.
        mine, theirs = s.mine ^ both, s.theirs - end
        pawns = s.pawns - both | (end if is_pawn else NONE)
        knights = s.knights - both | (end if s.knights & start else NONE)
        diagonal = s.diagonal - both | (end if s.diagonal & start else NONE)
        straight = s.straight - both | (end if s.straight & start else NONE)
        kings = s.kings - both | (end if s.kings & start else NONE)
        en_passant = NONE
        if is_pawn:
            if end & s.en_passant:
                victim = ahead(end, 1 - s.turn)
                theirs, pawns = theirs - victim, pawns - victim
            elif promotion != 0:
                pawns -= end
                knights |= end if promotion == KNIGHT else NONE
                diagonal |= end if promotion in (QUEEN, BISHOP) else NONE
                straight |= end if promotion in (QUEEN, ROOK) else NONE
            elif abs(target - origin) == 16 and PAWN_TAKES[64 * s.turn + (origin + target) // 2] & pawns & theirs:
                en_passant = NONE.add((origin + target) // 2)
        elif s.kings & start and abs(target - origin) == 2:
            i = 2 * s.turn + (1 if target < origin else 0)
            rook = NONE.add(CASTLING_ROOK[i]).add((origin + target) // 2)
            mine, straight = mine ^ rook, straight ^ rook
        castling = s.castling - both - (s.mine if s.kings & start else NONE)
        clock = 0 if is_pawn or captures else s.clock + 1
        turn, number = 1 - s.turn, s.number + s.turn
        pieces = (theirs, mine, pawns, knights, diagonal, straight, kings, castling)
        after = self.State(*pieces, en_passant, turn, clock, number)
        if en_passant and not self.en_passant_takers(after):
            return self.State(*pieces, NONE, turn, clock, number)
        return after

    def castled(self, s, king, rook):
        """Chess960: both go to where they are after castling in ordinary chess."""
        i = 2 * s.turn + (1 if rook < king else 0)
        ends = NONE.add(CASTLING_KING[i]).add(CASTLING_ROOK_ENDS[i])
        mine = s.mine.remove(king).remove(rook) | ends
        straight = s.straight.remove(rook).add(CASTLING_ROOK_ENDS[i])
        kings = s.kings.remove(king).add(CASTLING_KING[i])
        pieces = (s.theirs, mine, s.pawns, s.knights, s.diagonal, straight, kings, s.castling - s.mine)
        return self.State(*pieces, NONE, 1 - s.turn, s.clock + 1, s.number + s.turn)

    # ---- the end

    def is_drawn(self, s):
        """By 50 moves of both sides without capture or pawn move, or because no series of moves could mate.

        The latter: kings with nothing else, or one knight, or any bishops that all stand on squares of one colour.
        """
        if s.clock >= self.most_reversible:
            return True
        return not self.play_on and not (s.pawns | s.straight) and self.is_insufficient(s)

    def is_insufficient(self, s):
        if s.pawns | s.straight:
            return False
        if s.knights:
            return len(s.knights | s.diagonal) == 1
        return not s.diagonal & LIGHT or not s.diagonal - LIGHT

    def can_move(self, s):
        limits = self.limits(s)
        moved = self.pawn_moves(s, limits)
        if moved.one | moved.left | moved.right | moved.two:
            return True
        for q in (s.knights & s.mine) - limits.straight_pins - limits.diagonal_pins:
            if self.knight_moves(q, limits):
                return True
        if self.king_moves(s, limits):
            return True
        occupied = s.mine | s.theirs
        for q in (s.diagonal & s.mine) - limits.straight_pins:
            if self.diagonal_moves(q, occupied, limits):
                return True
        for q in (s.straight & s.mine) - limits.diagonal_pins:
            if self.straight_moves(q, occupied, limits):
                return True
        return bool(self.en_passant_takers(s))

    def is_terminal(self, s):
        return self.is_drawn(s) or not self.can_move(s)

    def utility(self, s, p):
        """Mate counts even if the 50 moves are over, or the material is too little for any other."""
        if not self.in_check(s) or self.can_move(s):
            return 0.0
        return -1.0 if p == s.turn else 1.0

    # ---- knowledge

    def reversible(self, s):
        return s.clock

    def key(self, s):
        """Equal for positions that are equal by the rule of repetition: the counters of moves are not part of it."""
        first = s.pawns | s.diagonal  # three bits tell the six kinds of pieces apart
        second = s.knights | s.diagonal | s.kings
        third = s.straight | s.kings
        # Three short hashes side by side are sooner there than a long one.
        pieces = state_key((1, s.mine, first)) ^ state_key((2, second, third))
        return pieces ^ state_key((3, s.castling | s.en_passant, s.turn))

    def passed(self, s):
        """Not in check, nor with pawns only, where having to move may be the worst (zugzwang)."""
        if not (s.knights | s.diagonal | s.straight) & s.mine or self.in_check(s):
            return s
        # Nothing that was before can come again after a move that is none.
        pieces = (s.theirs, s.mine, s.pawns, s.knights, s.diagonal, s.straight, s.kings, s.castling)
        return self.State(*pieces, NONE, 1 - s.turn, 0, s.number + s.turn)

    def terms(self, s):
        """The parts of the evaluation by name, in pawns, White's less Black's."""
        return evaluation.terms(s)

    def priority(self, s, a):
        """Captures that lose nothing, the most valuable victims by the least valuable attackers; then quiet moves,
        all alike, so that the search orders them by what was good elsewhere; last what loses something."""
        target = a >> 6 & 63
        queens = 9.0 if a >> 12 == QUEEN else 0.0
        if is_capture(s, a):
            order = worth(s, target) + queens - 0.01 * worth(s, a & 63)
            return 10.0 + order if queens or is_sound(s, a) else order - 20.0
        if a >> 12:
            return 18.0 if queens else -1.0
        if PAWN_TAKES[64 * s.turn + target] & s.pawns & s.theirs and (a & 63) not in s.pawns:
            return -1.0
        return 0.0

    def is_noisy(self, s, a):
        """Captures that lose nothing, and new queens."""
        return a >> 12 == QUEEN or (a >> 12 == 0 and is_capture(s, a) and is_sound(s, a))

    def noisy_actions(self, s):
        """Captures and new queens, sound or not, in the order of `actions`."""
        limits = self.limits(s)
        occupied, up = s.mine | s.theirs, 8 - 16 * s.turn
        pawns = self.pawn_moves(s, limits)
        for step, reached in ((up, pawns.one & LAST_ROWS), (up - 1, pawns.left), (up + 1, pawns.right)):
            for q in reached:
                yield q - step | q << 6 | (QUEEN if q in LAST_ROWS else 0) << 12
        if s.en_passant:
            for q in self.en_passant_takers(s):
                yield q | s.en_passant.lowest() << 6
        for q in (s.knights & s.mine) - limits.straight_pins - limits.diagonal_pins:
            for to in self.knight_moves(q, limits) & s.theirs:
                yield q | to << 6
        for q in (s.diagonal & s.mine) - limits.straight_pins:
            for to in self.diagonal_moves(q, occupied, limits) & s.theirs:
                yield q | to << 6
        for q in (s.straight & s.mine) - limits.diagonal_pins:
            for to in self.straight_moves(q, occupied, limits) & s.theirs:
                yield q | to << 6
        if KING_STEPS[limits.king] & s.theirs:
            for to in self.king_moves(s, limits) & s.theirs:
                yield limits.king | to << 6

    def quiet_actions(self, s):
        """All but captures and new queens; a new rook, bishop or knight counts as quiet even if it captures."""
        if self.is_drawn(s):
            return
        limits = self.limits(s)
        occupied, up = s.mine | s.theirs, 8 - 16 * s.turn
        pawns = self.pawn_moves(s, limits)
        left, right = pawns.left & LAST_ROWS, pawns.right & LAST_ROWS
        for step, reached in ((up, pawns.one), (2 * up, pawns.two), (up - 1, left), (up + 1, right)):
            for q in reached:
                first, last = (ROOK, KNIGHT) if q in LAST_ROWS else (0, 0)
                for promotion in range(first, last + 1):
                    yield q - step | q << 6 | promotion << 12
        for q in (s.knights & s.mine) - limits.straight_pins - limits.diagonal_pins:
            for to in self.knight_moves(q, limits) - s.theirs:
                yield q | to << 6
        for q in (s.diagonal & s.mine) - limits.straight_pins:
            for to in self.diagonal_moves(q, occupied, limits) - s.theirs:
                yield q | to << 6
        for q in (s.straight & s.mine) - limits.diagonal_pins:
            for to in self.straight_moves(q, occupied, limits) - s.theirs:
                yield q | to << 6
        for to in self.king_moves(s, limits) - s.theirs:
            yield limits.king | to << 6

    def urgent_actions(self, s):
        """Those of them that end where such a piece attacks the enemy king, and all of pieces that he sees on a line
        along which another one moves; of pawns that become something all, of the king where castling may do it."""
        if self.is_drawn(s):
            return
        limits = self.limits(s)
        occupied, up, king = s.mine | s.theirs, 8 - 16 * s.turn, (s.kings & s.theirs).lowest()
        straight, diagonal = straight_from(king, occupied), diagonal_from(king, occupied)
        openers = NONE  # what may open a line by leaving it
        if STRAIGHT_LINES[king] & s.straight & s.mine:
            openers |= straight & s.mine
        if DIAGONAL_LINES[king] & s.diagonal & s.mine:
            openers |= diagonal & s.mine
        pawns = self.pawn_moves(s, limits)
        opened = ahead(openers, s.turn)
        wanted = PAWN_TAKES[64 * (1 - s.turn) + king] | LAST_ROWS | opened | ahead(opened, s.turn)
        left, right = pawns.left & LAST_ROWS, pawns.right & LAST_ROWS
        for step, reached in ((up, pawns.one), (2 * up, pawns.two), (up - 1, left), (up + 1, right)):
            for q in reached & wanted:
                first, last = (ROOK, KNIGHT) if q in LAST_ROWS else (0, 0)
                for promotion in range(first, last + 1):
                    yield q - step | q << 6 | promotion << 12
        for q in (s.knights & s.mine) - limits.straight_pins - limits.diagonal_pins:
            wanted = ~s.theirs if q in openers else KNIGHT_STEPS[king] - s.theirs
            if KNIGHT_STEPS[q] & wanted:
                for to in self.knight_moves(q, limits) & wanted:
                    yield q | to << 6
        for q in (s.diagonal & s.mine) - limits.straight_pins:
            wanted = (diagonal | straight if q in s.straight else diagonal) - s.theirs
            wanted = ~s.theirs if q in openers else wanted
            if DIAGONAL_LINES[q] & wanted:
                for to in self.diagonal_moves(q, occupied, limits) & wanted:
                    yield q | to << 6
        for q in (s.straight & s.mine) - limits.diagonal_pins:
            wanted = (diagonal | straight if q in s.diagonal else straight) - s.theirs
            wanted = ~s.theirs if q in openers else wanted
            if STRAIGHT_LINES[q] & wanted:
                for to in self.straight_moves(q, occupied, limits) & wanted:
                    yield q | to << 6
        rooks = s.castling & s.mine
        if openers & rooks.add(limits.king) or (rooks and CASTLED_ROOKS[s.turn] & STRAIGHT_LINES[king]):
            for to in self.king_moves(s, limits) - s.theirs:
                yield limits.king | to << 6

    def is_urgent(self, s):
        return self.in_check(s)

    def makes_urgent(self, s, a):
        """Whether the piece that moves attacks the enemy king, or opens a line to him: asked of every quiet move, so
        without the position after it, but for the few moves that change more than two squares or what a piece is."""
        origin, target, king = a & 63, a >> 6 & 63, (s.kings & s.theirs).lowest()
        if a >> 12 or origin in s.kings or target in s.en_passant:
            return self.in_check(self.result(s, a))
        if origin in s.knights and target in KNIGHT_STEPS[king]:
            return True
        if origin in s.pawns and king in PAWN_TAKES[64 * s.turn + target]:
            return True
        occupied, mine = (s.mine | s.theirs).remove(origin).add(target), s.mine.remove(origin)
        is_straight, is_diagonal = origin in s.straight, origin in s.diagonal
        if origin in STRAIGHT_LINES[king] or (is_straight and target in STRAIGHT_LINES[king]):
            straight = (s.straight & mine).add(target) if is_straight else s.straight & mine
            if STRAIGHT_LINES[king] & straight and straight_from(king, occupied) & straight:
                return True
        if origin in DIAGONAL_LINES[king] or (is_diagonal and target in DIAGONAL_LINES[king]):
            diagonal = (s.diagonal & mine).add(target) if is_diagonal else s.diagonal & mine
            return bool(DIAGONAL_LINES[king] & diagonal) and bool(diagonal_from(king, occupied) & diagonal)
        return False

    def is_unsound(self, s, a):
        return not is_sound(s, a)

    def gain(self, s, a):
        """The piece that is taken, and a new queen for a pawn; a little less if a dear piece does it."""
        target = a >> 6 & 63
        queens = 8.0 if a >> 12 == QUEEN else 0.0
        if is_capture(s, a):
            won = worth(s, target) if target in s.theirs else 1
            return queens + won - 0.001 * worth(s, a & 63)
        return queens

    def kind(self, s, a):
        """The piece that moves, and where to."""
        q = a & 63
        piece = 0
        if q in s.straight:
            piece = 4 if q in s.diagonal else 3
        elif q in s.diagonal:
            piece = 2
        elif q in s.knights:
            piece = 1
        elif q in s.kings:
            piece = 5
        return 384 * s.turn + 64 * piece + (a >> 6 & 63)

    # ---- for learning

    inputs = features.INPUTS
    most_active = features.MOST
    seen_inputs = features.SEEN
    most_seen = features.MOST_SEEN

    def features(self, s, on):
        """Pieces on their squares as their king sees them, and all else that the evaluation counts."""
        features.features(s, on)

    def things(self, s):
        return features.things(s)

    def outlook(self, s, p):
        return features.outlook(s, p)

    def seen_as(self, p, outlook, kind, square):
        return features.seen_as(p, outlook, kind, square)

    # ---- for people

    def feature_name(self, s, i):
        return features.name(i)

    def chance_to_win(self, v):
        """By how players of lichess.org fared with so many pawns more (lila, `WinPercent.scala`)."""
        if abs(v) >= 1.0:
            return float(v > 0.0)
        pawns = self.half_win * v / (1.0 - abs(v))
        return 1.0 / (1.0 + math.exp(-0.368208 * pawns))

    def outcome(self, s):
        if self.in_check(s) and not self.can_move(s):
            return f"checkmate, {self.player_names[1 - s.turn]} wins"
        why = "stalemate" if not self.can_move(s) else "by the 50 moves" if s.clock >= 100 else "nobody can mate"
        return f"a draw, {why}"

    def move_number(self, s, earlier=()):
        return s.number

    def board(self, s):
        return [[notation.piece_at(s, 8 * y + x) for x in range(8)] for y in reversed(range(8))]

    def labels(self):
        return list("abcdefgh"), list("87654321")

    def action_name(self, s, a):
        return notation.san(self, s, a)

    def parse_action(self, s, text):
        return notation.parse(self, s, text)

    def to_text(self, s):
        return notation.to_fen(self, s)

    def from_text(self, text):
        return notation.from_fen(self, text)
