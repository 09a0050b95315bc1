"""Backgammon for people: GNU Backgammon's IDs, the names of plays, and the board drawn."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from counterplay.core.game import AmbiguousText, IllegalAction, UnreadableText

BAR, MEN = 25, 15
FIELD = 26
CANNOT_MOVE = "pass"
SIDES = "OX"  # player 0's checkers and player 1's, as GNU Backgammon draws them


# ---- checkers


def digits(points: Mapping[int, int]) -> tuple[int, ...]:
    """Checkers by point, 25 for the bar, as the digits of a state."""
    return tuple(sum(1 << 25 - point for point, n in points.items() if n >> k & 1) for k in range(4))


def points(men: tuple[int, ...]) -> dict[int, int]:
    """How many checkers there are on each point, from the bar down."""
    return {25 - i: sum((int(men[k]) >> i & 1) << k for k in range(4)) for i in range(25)}


def members(bits: int) -> list[int]:
    """The points of a set, from the bar down."""
    return [25 - i for i in range(25) if bits >> i & 1]


# ---- GNU Backgammon's IDs (GNU Backgammon Manual, "A technical description of the Position ID" and "... Match ID")

NO_GAME, PLAYING, OVER = 0, 1, 2
_CENTRED = 3
_EXAMPLE = "'4HPwATDgc/ABMA' or '4HPwATDgc/ABMA:cAkAAAAAAAAA'"


def to_text(s: Any) -> str:
    """Position ID and match ID, with the cube in the middle."""
    state = OVER if not any(s.theirs) else NO_GAME if s.turn < 0 else PLAYING
    turn = max(s.turn, 0)
    match, at = 0, 0
    fields = ((0, 4), (_CENTRED, 2), (turn, 1), (0, 1), (state, 3), (turn, 1), (0, 3), (s.big, 3), (s.small, 3))
    for value, width in fields:
        match |= int(value) << at
        at += width
    return f"{position_id(s.mine, s.theirs)}:{_base64(match, 9)}"


def position_id(mine: tuple[int, ...], theirs: tuple[int, ...]) -> str:
    """For every point and the bar, the other's first, as many ones as checkers and a zero."""
    bits, at = 0, 0
    for men in (theirs, mine):
        on = points(men)
        for point in range(1, 26):
            bits |= (1 << on[point]) - 1 << at
            at += on[point] + 1
    return _base64(bits, 10)


def from_text(text: str) -> tuple[Any, ...]:
    """The fields of the state of a position ID, alone (then player 0 is to throw) or with a match ID."""
    text = text.strip().removeprefix("GNUBGID").strip()
    position, colon, match = text.partition(":")
    mine, theirs = _checkers(position)
    turn, big, small, state = _turn(match) if colon else (0, 0, 0, PLAYING)
    if not any(mine):
        raise UnreadableText(f"'{text}' cannot be: the player to move has borne off all already")
    if big and not any(theirs):
        raise UnreadableText(f"'{text}' cannot be: the game is over, but there are dice")
    return mine, theirs, turn if state != NO_GAME else -1, big, small


def _checkers(position: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    bits = _number(position, 10, f"position ID, like {_EXAMPLE}")
    sides = []
    for _ in range(2):
        men = {}
        for point in range(1, 26):
            n = 0
            while bits & 1:
                n, bits = n + 1, bits >> 1
            men[point], bits = n, bits >> 1
        sides.append(men)
    theirs, mine = sides
    if bits or max(sum(men.values()) for men in sides) > MEN:
        raise UnreadableText(f"'{position}' is no position ID: a player has at most {MEN} checkers")
    both = [point for point in range(1, 25) if mine[point] and theirs[25 - point]]
    if both:
        raise UnreadableText(f"'{position}' is no position: both players have checkers on point {both[0]}")
    return digits(mine), digits(theirs)


def _turn(match: str) -> tuple[int, int, int, int]:
    """Whose turn it is, the dice, the larger first, and the state of the game. Cube and score play no part."""
    bits = _number(match, 9, "match ID, like 'cAkAAAAAAAAA'")
    turn, state, asked, one, other = bits >> 11 & 1, bits >> 8 & 7, bits >> 12 & 7, bits >> 15 & 7, bits >> 18 & 7
    if state not in (NO_GAME, PLAYING, OVER) or asked:
        raise UnreadableText(f"match ID '{match}' is of a game that was given up or is being doubled, not played")
    if max(one, other) > 6 or (one == 0) != (other == 0):
        raise UnreadableText(f"match ID '{match}' has the dice {one} and {other}; they are from 1 to 6, or both 0")
    if state == NO_GAME and one:
        raise UnreadableText(f"match ID '{match}' has dice, but its game has not begun")
    return turn, max(one, other), min(one, other), state


def _base64(bits: int, size: int) -> str:
    return base64.b64encode(bits.to_bytes(size, "little")).decode().rstrip("=")


def _number(text: str, size: int, what: str) -> int:
    letters = -(-size * 8 // 6)
    if not re.fullmatch(rf"[A-Za-z0-9+/]{{{letters}}}", text):
        raise UnreadableText(f"'{text}' is no {what}: it has {letters} letters, digits, + and /")
    data = base64.b64decode(text + "=" * (-letters % 4))
    return int.from_bytes(data, "little")


# ---- plays

Steps = Counter[tuple[int, int]]
"""How often a checker goes from one point to another."""


def steps_of(s: Any, a: int) -> Steps:
    """What each die does in a play; 0 is off."""
    low, high = members(a), members(a >> FIELD)
    if s.big != s.small:
        pairs = [(point, s.big) for point in low] + [(point, s.small) for point in high]
        return Counter((point, max(0, point - die)) for point, die in pairs)
    once = 4 if a >> 2 * FIELD else 1
    times = Counter(dict.fromkeys(low, once)) + Counter(dict.fromkeys(high, 2))
    return Counter({(point, max(0, point - s.big)): n for point, n in times.items()})


def hits_of(s: Any, steps: Steps) -> set[int]:
    """The points on which a blot of the other's is hit."""
    theirs = points(s.theirs)
    return {to for _, to in steps if to and theirs[25 - to] == 1}


def paths_of(s: Any, steps: Steps, hits: set[int]) -> Counter[tuple[int, ...]]:
    """The ways of the checkers, from the rearmost on, each as far as it goes: its ends, and where it hits between."""
    left, paths = Counter(steps), []
    for start in range(BAR, 0, -1):
        while ends := [to for (point, to), n in left.items() if point == start and n]:
            path = [start]
            while ends:
                left[path[-1], min(ends)] -= 1
                path.append(min(ends))
                ends = [to for (point, to), n in left.items() if point == path[-1] and n]
            paths.append((start, *(point for point in path[1:-1] if point in hits), path[-1]))
    farther_first = s.big == s.small
    return Counter(sorted(paths, key=lambda path: (-path[0], path[-1] if farther_first else -path[-1])))


def action_name(s: Any, a: int) -> str:
    """As GNU Backgammon writes it: `24/18 13/11`, `bar/22*`, `8/4(2)`, `6/off`; the throw, if it is one."""
    if s.big == 0:
        return str(a)
    if a == 0:
        return CANNOT_MOVE
    steps = steps_of(s, a)
    hits, words = hits_of(s, steps), []
    for path, n in paths_of(s, steps, hits).items():
        word = "/".join(_point(point) + "*" * (i > 0 and point in hits) for i, point in enumerate(path))
        hits -= set(path[1:])
        words.append(f"{word}({n})" if n > 1 else word)
    return " ".join(words)


def _point(point: int) -> str:
    return "bar" if point == BAR else str(point) if point else "off"


def parse_action(game: Any, s: Any, text: str) -> int:
    """The legal play of a text, in any order of its parts; stars and points between may be left out where one fits."""
    if game.is_terminal(s):
        raise IllegalAction(f"'{text.strip()}' cannot be played: the game is over")
    names = {action_name(s, int(a)): int(a) for a in game.actions(s)}
    wanted = " ".join(text.lower().replace(",", " ").split())
    if wanted == "cannot move":
        wanted = CANNOT_MOVE
    if s.big == 0:
        wanted = wanted.replace("-", "").replace(" ", "")  # 31, 3-1 or 3 1
        swapped = wanted[::-1] if s.turn >= 0 else wanted
        if wanted in names or swapped in names:
            return names.get(wanted, names.get(swapped, 0))
        raise IllegalAction(f"'{text.strip()}' is not a throw that can be here, like {next(iter(names))}")
    if wanted in names:
        return names[wanted]
    legal = ", ".join(list(names)[:40]) + (", ..." if len(names) > 40 else "")
    if wanted == CANNOT_MOVE:
        raise IllegalAction(f"you cannot pass here; legal: {legal}")
    changes, via, hits = _read(wanted)
    found = []
    for name, a in names.items():
        steps = steps_of(s, a)
        if _changes(steps) == changes and via <= {to for _, to in steps} and hits <= hits_of(s, steps):
            found.append(name)
    if not found:
        raise IllegalAction(f"'{text.strip()}' is not a legal play of {s.big}{s.small} here; legal: {legal}")
    if len(found) > 1:
        raise AmbiguousText(f"'{text.strip()}' could be {' or '.join(found)}")
    return names[found[0]]


def _read(text: str) -> tuple[Counter[int], set[int], set[int]]:
    """How many checkers more there are on each point, the points named between, and those with a star."""
    changes: Counter[int] = Counter()
    via, hits = set(), set()
    for word in text.split():
        form = re.fullmatch(r"((?:bar|off|[0-9]{1,2})\*?(?:/(?:bar|off|[0-9]{1,2})\*?)+)(?:\(([0-9])\))?", word)
        path = [_point_of(part) for part in form[1].split("/")] if form else []
        if not form or not all(25 >= p > q >= 0 for p, q in pairwise(path)):
            raise UnreadableText(f"'{word}' is no move of a checker; they are like 24/18, bar/22*, 8/4(2), 6/off")
        n = int(form[2] or 1)
        changes[path[0]] -= n
        changes[path[-1]] += n
        via |= set(path[1:-1])
        hits |= {_point_of(part) for part in form[1].split("/") if part.endswith("*")}
    return _without_zeros(changes), via, hits


def _changes(steps: Steps) -> Counter[int]:
    changes: Counter[int] = Counter()
    for (start, end), n in steps.items():
        changes[start] -= n
        changes[end] += n
    return _without_zeros(changes)


def _without_zeros(changes: Counter[int]) -> Counter[int]:
    return Counter({point: n for point, n in changes.items() if n})


def _point_of(text: str) -> int:
    text = text.rstrip("*")
    return BAR if text == "bar" else 0 if text == "off" else int(text)


# ---- the board: player 0 moves clockwise to the lower right, and the mover's numbers stand at the edges

_ROWS = 5


def _sides(s: Any) -> tuple[dict[int, int], dict[int, int]]:
    """The checkers of player 0 and of player 1, each by their own points; what is off stands on point 0."""
    sides = [{**points(men), 0: MEN - sum(points(men).values())} for men in (s.mine, s.theirs)]
    return (sides[1], sides[0]) if s.turn == 1 else (sides[0], sides[1])


def _column(point: int, sides: tuple[dict[int, int], dict[int, int]]) -> tuple[str, int]:
    """Whose checkers stand on a point of player 0's, and how many."""
    mine, theirs = sides[0][point], sides[1][25 - point]
    return (SIDES[0], mine) if mine else (SIDES[1], theirs)


def _stack(side: str, n: int, rows: int = _ROWS) -> list[str]:
    """A pile of checkers from the edge of the board on; the number, if it is higher than the board."""
    cells = [side if i < n else "" for i in range(rows)]
    return cells if n <= rows else [*cells[:-1], str(n)]


def show(game: Any, s: Any) -> str:
    """The board as it is drawn in books."""
    sides = _sides(s)
    top, bottom = range(13, 25), range(12, 0, -1)
    halves = []
    for row in (top, bottom):
        columns = [_stack(*_column(point, sides)) for point in row]
        bar = _stack(SIDES[row is top], sides[row is top][BAR], 4)
        numbers = [point if s.turn != 1 else 25 - point for point in row]
        halves.append([_edge(numbers), *(_row(columns, bar, i) for i in range(_ROWS))])
    upper, lower = halves
    off = [f"{SIDES[p]}: {sides[p][0]} off" if sides[p][0] else f"{SIDES[p]}" for p in range(2)]
    upper[1] += f"   {off[1]}"
    lower[1] += f"   {off[0]}"
    return "\n".join([*upper, f"|{' ' * 19}|BAR|{' ' * 19}|   {_status(game, s)}", *reversed(lower)])


def _edge(numbers: list[int]) -> str:
    left, right = ("".join(f"{n:->3}" for n in part) for part in (numbers[:6], numbers[6:]))
    return f"+{left}-+---+{right}-+"


def _row(columns: list[list[str]], bar: list[str], i: int) -> str:
    left, right = ("".join(f"{column[i]:>3}" for column in part) for part in (columns[:6], columns[6:]))
    return f"|{left} |{bar[_ROWS - 1 - i] if i else '':^3}|{right} |"


def _status(game: Any, s: Any, who: Sequence[str] = SIDES) -> str:
    if game.is_terminal(s):
        stake = int(game.utility(s, 1 - s.turn))
        return f"{who[1 - s.turn]} wins {('a game', 'a gammon', 'a backgammon')[stake - 1]}"
    if s.turn < 0:
        return "who begins?"
    return f"{who[s.turn]} to play {s.big}{s.small}" if s.big else f"{who[s.turn]} to throw"


# ---- the board as SVG

_POINT, _MARGIN, _BAR_WIDTH, _OFF_WIDTH = 44, 26, 44, 56  # pixels
_HEIGHT = 11 * _POINT
_LOOKS = {"O": ("#fbf6e9", "#3b2a1a"), "X": ("#5b2333", "#fbf6e9")}  # a checker and what is written on it


def svg(game: Any, s: Any) -> str:
    """The board with points, checkers, bar, what is off, and the dice."""
    sides = _sides(s)
    width = 12 * _POINT + _BAR_WIDTH + 2 * _MARGIN + _OFF_WIDTH
    parts = [
        f'<rect width="{width}" height="{_HEIGHT + 2 * _MARGIN}" fill="#3b2a1a"/>',
        f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{12 * _POINT + _BAR_WIDTH}" height="{_HEIGHT}" fill="#e8d9b5"/>',
        f'<rect x="{_MARGIN + 6 * _POINT}" y="{_MARGIN}" width="{_BAR_WIDTH}" height="{_HEIGHT}" fill="#6b4a2b"/>',
    ]
    for point in range(1, 25):
        x, top = _left_of(point), point > 12
        edge, tip = (_MARGIN, _MARGIN + 4.6 * _POINT) if top else (_MARGIN + _HEIGHT, _MARGIN + 6.4 * _POINT)
        colour = "#b5651d" if point % 2 else "#c9a66b"
        parts.append(f'<polygon points="{x},{edge} {x + _POINT},{edge} {x + _POINT / 2},{tip}" fill="{colour}"/>')
        number = point if s.turn != 1 else 25 - point
        y = _MARGIN / 2 if top else _HEIGHT + 1.5 * _MARGIN
        parts.append(_label(x + _POINT / 2, y, number, "#e8d9b5"))
        parts += _pile(*_column(point, sides), x + _POINT / 2, top)
    right = width - _MARGIN / 2 - _OFF_WIDTH / 2
    for p, who in enumerate(SIDES):
        parts += _pile(who, sides[p][BAR], _MARGIN + 6 * _POINT + _BAR_WIDTH / 2, p == 1)
        parts += _pile(who, min(sides[p][0], 1), right, p == 1, str(sides[p][0]))
    status = _status(game, s, ("light", "dark"))
    parts.append(_label(_MARGIN + 9 * _POINT + _BAR_WIDTH, _MARGIN + _HEIGHT / 2, status, "#3b2a1a"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_HEIGHT + 2 * _MARGIN}" width="{width}" '
        f'font-family="sans-serif" font-size="15">{"".join(parts)}</svg>'
    )


def spots(s: Any) -> dict[str, tuple[float, float, float, float]]:
    """Where the picture has the points of who is to move, the bar and the checkers borne off, as parts of the whole."""
    width, height = 12 * _POINT + _BAR_WIDTH + 2 * _MARGIN + _OFF_WIDTH, _HEIGHT + 2 * _MARGIN
    half = _HEIGHT / 2

    def part(left: float, is_top: bool, wide: float) -> tuple[float, float, float, float]:
        return left / width, (_MARGIN if is_top else _MARGIN + half) / height, wide / width, half / height

    found = {}
    for point in range(1, 25):
        number = point if s.turn != 1 else 25 - point
        found[str(number)] = part(_left_of(point), point > 12, _POINT)
    found["bar"] = part(_MARGIN + 6 * _POINT, s.turn == 1, _BAR_WIDTH)
    found["off"] = part(width - _MARGIN / 2 - _OFF_WIDTH, s.turn == 1, _OFF_WIDTH)
    return found


def _left_of(point: int) -> float:
    """Where a point of player 0's begins, from the left."""
    column = point - 13 if point > 12 else 12 - point
    return _MARGIN + column * _POINT + (_BAR_WIDTH if column >= 6 else 0)


def _pile(who: str, n: int, x: float, top: bool, written: str = "") -> list[str]:
    """Checkers from the edge on, at most five; the last says how many there are if there are more."""
    parts, (fill, ink) = [], _LOOKS[who]
    for i in range(min(n, _ROWS)):
        y = (i + 0.5) * 0.95 * _POINT
        y = _MARGIN + (y if top else _HEIGHT - y)
        parts.append(f'<circle cx="{x}" cy="{y:g}" r="{0.45 * _POINT}" fill="{fill}" stroke="{ink}"/>')
    written = written or (str(n) if n > _ROWS else "")
    return [*parts, _label(x, y, written, ink)] if parts and written else parts


def _label(x: float, y: float, text: object, ink: str) -> str:
    centred = 'text-anchor="middle" dominant-baseline="central"'
    return f'<text x="{x:g}" y="{y:g}" fill="{ink}" {centred}>{text}</text>'
