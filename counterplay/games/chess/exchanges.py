"""What captures win and lose: pieces in pawns, and who is left when both sides have taken on a square."""

from counterplay.games.chess.board import attackers


def worth(s, q):
    """What stands on a square, in pawns; 0 for nothing."""
    if q in s.pawns:
        return 1
    if q in s.straight:
        return 9 if q in s.diagonal else 5
    if q in s.knights | s.diagonal:
        return 3
    return 100 if q in s.kings else 0


def is_capture(s, a):
    return (a >> 6 & 63) in s.theirs or (bool(s.en_passant) and takes_en_passant(s, a))


def takes_en_passant(s, a):
    return (a >> 6 & 63) in s.en_passant and (a & 63) in s.pawns


def is_sound(s, a):
    """Whether a move loses no material if both sides go on taking on that square as long as it pays them.

    Each takes with the least valuable piece, or stops. `balance` is what the side whose turn it is has won so far:
    I am content with 0, the opponent, who would show that the capture was unsound, with more. Pins are not seen.
    """
    origin, target = a & 63, a >> 6 & 63
    won = worth(s, target) if target in s.theirs else int(is_capture(s, a))
    stake = worth(s, origin)
    if won >= stake:
        return True
    occupied = (s.mine | s.theirs).remove(origin)
    takers = attackers(s, target, occupied) & occupied
    mine, balance = False, -won
    while balance < (0 if mine else 1):
        own, other = (s.mine, s.theirs) if mine else (s.theirs, s.mine)
        q = least(s, takers & own)
        if q == 64 or (q in s.kings and takers & other):  # no taker, or a king that cannot take what is guarded
            return not mine
        balance, stake, mine = -(balance + stake), worth(s, q), not mine
        occupied = occupied.remove(q)
        takers = attackers(s, target, occupied) & occupied
    return mine


def least(s, b):
    """The square of the least valuable piece in a set; 64 if there is none."""
    found = b & s.pawns
    for kind in (s.knights, s.diagonal - s.straight, s.straight - s.diagonal, s.diagonal & s.straight, s.kings):
        if not found:
            found = b & kind
    return found.lowest()
