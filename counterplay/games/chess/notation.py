"""How people write chess: positions in FEN, moves in SAN (`Nf3`, `exd8=Q+`, `O-O`) and as UCI does (`g1f3`, `e7d8q`).

Of the PGN standard (Edwards 1994), sections 8.2.3 and 16.1. `game` is always the game of chess. In Chess960 a rook that
may castle is named by its file (`HAha`, as Shredder does), or by KQkq if it is the outermost on its side (X-FEN); the
latter is what we write. UCI has the king take his own rook then.
"""

import re

from counterplay.core.bits import Bits
from counterplay.core.game import AmbiguousText, IllegalAction, UnreadableText
from counterplay.games.chess.board import attackers

PIECES = "PNBRQK"
FIELDS = ("pawns", "knights", "diagonal", "straight", "kings")
FIELDS_OF = {"P": (0,), "N": (1,), "B": (2,), "R": (3,), "Q": (2, 3), "K": (4,)}
PROMOTIONS = " QRBN"  # by their numbers in an action
RIGHTS = {"K": 7, "Q": 0, "k": 63, "q": 56}  # the rook's square in ordinary chess
FILES = "abcdefgh"
SAN = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)[-x:]?([a-h][1-8])(?:=?\(?([NBRQ])\)?)?", re.ASCII)
UCI = re.compile(r"([a-h][1-8])([a-h][1-8])([nbrqNBRQ]?)", re.ASCII)
EN_PASSANT = re.compile(r"e\.?p\.?$")


def square_name(q):
    return FILES[q % 8] + str(q // 8 + 1)


def square_number(name):
    return FILES.index(name[0]) + 8 * (int(name[1]) - 1)


def piece_at(s, q):
    """The letter of the piece on a square, White's in capitals; '.' if there is none."""
    kinds = tuple(i for i, field in enumerate(FIELDS) if q in getattr(s, field))
    letter = next((letter for letter, fields in FIELDS_OF.items() if fields == kinds), ".")
    return letter if (q in s.mine) == (s.turn == 0) else letter.lower()


# ---- positions


def to_fen(game, s):
    rows = []
    for row in game.board(s):
        text = "".join(row)
        rows.append(re.sub(r"\.+", lambda gap: str(len(gap[0])), text))
    rights = "".join(_right_name(s, q) for q in _by_right(s.castling)) or "-"
    passed = square_name(s.en_passant.lowest()) if s.en_passant else "-"
    return f"{'/'.join(rows)} {'wb'[s.turn]} {rights} {passed} {s.clock} {s.number}"


def _by_right(castling):
    """The squares of the rooks that may castle in the order of KQkq."""
    return sorted(castling, key=lambda q: (q // 8, -q))


def _right_name(s, q):
    """The letter for a rook that may castle."""
    row, king = q // 8, next(k for k in s.kings if k // 8 == q // 8 and (k in s.mine) == (q in s.mine))
    rooks = [r for r in (s.mine if q in s.mine else s.theirs) & s.straight - s.diagonal if r // 8 == row]
    letter = "K" if q == max(rooks) and q > king else "Q" if q == min(rooks) and q < king else FILES[q % 8].upper()
    return letter if row == 0 else letter.lower()


def _rights(game, rights, pieces, wrong):
    """The squares of the rooks that may castle by the third field of a FEN."""
    if not game.chess960:
        if not re.fullmatch(r"-|K?Q?k?q?", rights, re.ASCII):
            by_file = re.fullmatch(r"[A-HKQa-hkq]{1,4}", rights, re.ASCII)
            hint = "; for Chess960, chess:chess960=on" if by_file else ""
            raise wrong(f"castling rights are some of KQkq in this order, or -, not '{rights}'{hint}")
        return [RIGHTS[letter] for letter in rights.replace("-", "")]
    if not re.fullmatch(r"-|[A-HKQa-hkq]{1,4}", rights, re.ASCII):
        raise wrong(f"castling rights are some of KQkq, or the files of rooks like HAha, or -, not '{rights}'")
    found: list[int] = []
    for letter in rights.replace("-", ""):
        row, own = (0, "KR") if letter.isupper() else (7, "kr")
        king = next((q for q, piece in pieces.items() if piece == own[0] and q // 8 == row), -1)
        rooks = [q for q, piece in sorted(pieces.items()) if piece == own[1] and q // 8 == row and king >= 0]
        sides = {"K": [q for q in rooks if q > king][-1:], "Q": [q for q in rooks if q < king][:1]}
        named = sides.get(letter.upper(), [q for q in rooks if FILES[q % 8] == letter.lower()])
        if not named or any(q // 8 == row and (q > king) == (named[0] > king) for q in found):
            raise wrong(f"castling {letter} needs a king and one rook on that side of it, both on row {row + 1}")
        found += named
    return found


CHESS960_KNIGHTS = ((0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4))


def chess960_start(number):
    """The starting position of that number, 0 to 959, by R. Scharnagl's scheme; 518 is that of ordinary chess."""
    row: list[str] = [""] * 8
    rest, light = divmod(number, 4)
    rest, dark = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    row[2 * light + 1] = row[2 * dark] = "B"

    def free():
        return [x for x in range(8) if not row[x]]

    row[free()[queen]] = "Q"
    for x in [free()[i] for i in CHESS960_KNIGHTS[knights]]:
        row[x] = "N"
    for x, piece in zip(free(), "RKR", strict=True):
        row[x] = piece
    men = "".join(row)
    return f"{men.lower()}/pppppppp/8/8/8/8/PPPPPPPP/{men} w KQkq - 0 1"


def from_fen(game, text):
    """The position of a FEN; the last fields may be missing. Positions that cannot be in any game are refused."""

    def wrong(why):
        return UnreadableText(f"'{text}' is no position of chess: {why}")

    words = text.split()
    if game.chess960 and re.fullmatch(r"[0-9]{1,9}", text.strip(), re.ASCII):
        if int(text) >= 960:
            raise wrong("the numbers of starting positions are 0 to 959")
        words = chess960_start(int(text)).split()
    if not 1 <= len(words) <= 6:
        raise wrong("a FEN has 6 fields, like 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'")
    board, side, rights, passed, clock, number = [*words, *("", "w", "-", "-", "0", "1")[len(words) :]]
    pieces = _pieces(board, wrong)
    if side not in ("w", "b"):
        raise wrong(f"the side to move is w or b, not '{side}'")
    castling = _rights(game, rights, pieces, wrong)
    if not re.fullmatch(r"-|[a-h][36]", passed, re.ASCII):
        raise wrong(f"the en passant square is on row 3 or 6, or -, not '{passed}'")
    if not re.fullmatch(r"[0-9]{1,4}", clock, re.ASCII) or not re.fullmatch(r"[0-9]{1,5}", number, re.ASCII):
        raise wrong(f"the numbers of plies and moves are '{clock} {number}', which should be like '0 1'")
    turn = "wb".index(side)
    white = [q for q, letter in pieces.items() if letter.isupper()]
    black = [q for q in pieces if q not in white]
    sets = [Bits(64, [q for q, x in pieces.items() if i in FIELDS_OF[x.upper()]]) for i in range(len(FIELDS))]
    mine, theirs = (white, black) if turn == 0 else (black, white)
    target = [square_number(passed)] if passed != "-" else []
    s = game.State(
        Bits(64, mine),
        Bits(64, theirs),
        *sets,
        Bits(64, castling),
        Bits(64, target),
        turn,
        int(clock),
        max(1, int(number)),
    )
    why = _impossible(game, s, pieces)
    if why:
        raise wrong(why)
    return s if game.en_passant_takers(s) else s._replace(en_passant=Bits(64))


def _pieces(board, wrong):
    """The letters of a FEN's first field by their squares."""
    rows = board.split("/")
    if len(rows) != 8:
        raise wrong(f"a board has 8 rows, not {len(rows)}")
    pieces: dict[int, str] = {}
    for y, row in enumerate(rows):
        strange = re.search(r"[^PNBRQKpnbrqk1-8]", row, re.ASCII)
        if strange:
            raise wrong(f"'{strange[0]}' is no piece: there are PNBRQK for White and pnbrqk for Black")
        if re.search(r"[1-8]{2}", row, re.ASCII):
            raise wrong(f"row {8 - y} ('{row}') has two numbers side by side; write their sum")
        cells = re.sub(r"[1-8]", lambda gap: "." * int(gap[0]), row)
        if len(cells) != 8:
            raise wrong(f"row {8 - y} ('{row}') has {len(cells)} squares, not 8")
        pieces |= {8 * (7 - y) + x: letter for x, letter in enumerate(cells) if letter != "."}
    return pieces


def _impossible(game, s, pieces):
    """Why no game can get to a position, as far as is easily said; nothing if it may."""
    for name, capital in (("White", True), ("Black", False)):
        own = [letter.upper() for letter in pieces.values() if letter.isupper() == capital]
        if own.count("K") != 1:
            return f"{name} has {own.count('K')} kings, not 1"
        if len(own) > 16:
            return f"{name} has {len(own)} pieces, more than 16"
        promoted = sum(max(0, own.count(piece) - most) for piece, most in (("Q", 1), ("R", 2), ("B", 2), ("N", 2)))
        if own.count("P") + promoted > 8:
            return f"{name} has {own.count('P')} pawns and {promoted} promoted ones, more than 8"
    if any(q // 8 in (0, 7) for q in s.pawns):
        return "a pawn stands on the first or the last row"
    for letter, rook in () if game.chess960 else RIGHTS.items():
        king = 4 if letter.isupper() else 60
        if rook in s.castling and (pieces.get(king), pieces.get(rook)) != (("K", "R") if king == 4 else ("k", "r")):
            return f"castling {letter} needs a king on {square_name(king)} and a rook on {square_name(rook)}"
    if s.en_passant:
        target, up = s.en_passant.lowest(), 8 if s.turn == 0 else -8
        pawn = "p" if s.turn == 0 else "P"
        empty = target not in pieces and target + up not in pieces
        if target // 8 != (5 if s.turn == 0 else 2) or pieces.get(target - up) != pawn or not empty:
            return f"no pawn has just passed by {square_name(target)}"
    king = (s.kings & s.theirs).lowest()
    if attackers(s, king, s.mine | s.theirs) & s.mine:
        return f"{'White' if s.turn == 0 else 'Black'} is to move and could take the king"
    checkers = attackers(s, (s.kings & s.mine).lowest(), s.mine | s.theirs) & s.theirs
    if len(checkers) > 2:
        return f"{len(checkers)} pieces give check at once, more than 2"
    return None


# ---- moves


def uci(a):
    promotion = PROMOTIONS[a >> 12].lower().strip()
    return square_name(a & 63) + square_name(a >> 6 & 63) + promotion


def san(game, s, a):
    """The move's name in SAN, with + for check and # for mate."""
    return name_of(game, s, a) + _mark(game, game.result(s, a))


def is_castling(s, a):
    """Whether the king goes two squares, or takes his own rook as in Chess960."""
    origin, target = a & 63, a >> 6 & 63
    return origin in s.kings and (target in s.mine or abs(target - origin) == 2)


def name_of(game, s, a):
    """The move's name in SAN without the mark."""
    origin, target = a & 63, a >> 6 & 63
    piece = piece_at(s, origin).upper()
    if is_castling(s, a):
        return "O-O" if target > origin else "O-O-O"
    takes = "x" if target in s.theirs or (piece == "P" and (target - origin) % 8) else ""
    if piece == "P":
        which, letter = (square_name(origin)[0] if takes else ""), ""
    else:
        letter = piece
        which = _which(origin, _rivals(game, s, origin, target, piece))
    promotion = f"={PROMOTIONS[a >> 12]}" if a >> 12 else ""
    return f"{letter}{which}{takes}{square_name(target)}{promotion}"


def _rivals(game, s, origin, target, piece):
    """The squares of other pieces of the same kind that may move to the same square."""
    kinds = FIELDS_OF[piece]
    alike = (attackers(s, target, s.mine | s.theirs) & s.mine).remove(origin)
    for i, field in enumerate(FIELDS):
        alike = alike & getattr(s, field) if i in kinds else alike - getattr(s, field)
    return {a & 63 for a in game.actions(s) if a >> 6 & 63 == target and a & 63 in alike} if alike else set()


def _which(origin, others):
    """What of its square tells a piece from others that could move to the same: the file, else the row, else both."""
    name = square_name(origin)
    if not others:
        return ""
    if all(q % 8 != origin % 8 for q in others):
        return name[0]
    return name[1] if all(q // 8 != origin // 8 for q in others) else name


def _mark(game, s):
    if not game.in_check(s):
        return ""
    return "+" if game.can_move(s) else "#"


def parse(game, s, text):
    """The legal move that a text in SAN or of UCI means. Marks of check, of mate and of praise do not matter."""
    given = text.strip()
    wanted = EN_PASSANT.sub("", given.rstrip("+#!?"))
    actions = list(game.actions(s))
    if not actions:
        raise IllegalAction(f"'{given}' cannot be played: the game is over")
    castle = re.fullmatch(r"([Oo0])-\1(-\1)?", wanted)
    if castle:
        name = "O-O-O" if castle[2] else "O-O"
        found = [a for a in actions if name_of(game, s, a) == name]
    elif UCI.fullmatch(wanted):
        found = [a for a in actions if uci(a) == wanted.lower()]
    else:
        found = _in_san(s, actions, wanted)
    if found is None:
        raise UnreadableText(f"'{given}' is no move of chess: write it like Nf3, exd5, O-O, e8=Q or g1f3")
    if len(found) == 1:
        return found[0]
    names = [name_of(game, s, a) for a in found or actions]
    if found:
        raise AmbiguousText(f"'{given}' could be {' or '.join(names)}")
    raise IllegalAction(f"'{given}' is not a legal move here; legal: {', '.join(names)}")


def _in_san(s, actions, wanted):
    """The moves that a text in SAN means; capitals matter only where they tell moves apart. None if it is no SAN."""
    exactly = SAN.fullmatch(wanted)
    found = [a for a in actions if exactly and _fits(s, a, exactly)]
    if found:
        return found
    small = re.sub(r"(?<=[18])(=?\(?)([nbrq])", lambda piece: piece[1] + piece[2].upper(), wanted.lower())
    readings = [match for text in (small, small[:1].upper() + small[1:]) if (match := SAN.fullmatch(text))]
    if not readings:
        return None
    return [a for a in actions if any(_fits(s, a, match) for match in readings)]


def _fits(s, a, match):
    piece, column, row, target, promotion = match.groups()
    name = square_name(a & 63)
    return (
        piece_at(s, a & 63).upper() == (piece or "P")
        and a >> 6 & 63 not in s.mine  # castling in Chess960 has no name like this
        and square_name(a >> 6 & 63) == target
        and column in ("", name[0])
        and row in ("", name[1])
        and PROMOTIONS[a >> 12].strip() == (promotion or "")
    )
