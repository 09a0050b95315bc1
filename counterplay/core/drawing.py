"""Boards as text, in colour and as SVG, from rows of one-character cells. Knows nothing of games.

How a board looks is a `Look`: the surface, its colours, and what each character stands for. A game declares one:

    look = Look("grid", "#2f8f5b", "#14532d", {"x": Piece("disc", "#1c1c1c"), "o": Piece("disc", "#f6f4ec")})
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import NamedTuple

__all__ = [
    "CHESSMEN",
    "DARK_LINES",
    "PLAIN",
    "SHAPES",
    "Look",
    "Piece",
    "Span",
    "board_spans",
    "board_svg",
    "board_text",
    "changed",
    "coloured",
    "text_svg",
]

Board = Sequence[Sequence[str]]
Cell = tuple[int, int]
"""Row and column, from the top left."""


class Piece(NamedTuple):
    """How a character of a board is drawn; colours as in `#rrggbb`."""

    shape: str  # one of SHAPES, or another text, which is drawn as it is
    fill: str
    edge: str = "#000000"
    detail: str = ""  # the lines inside; as the edge, if not given


class Look(NamedTuple):
    """How a board is drawn."""

    surface: str = "plain"  # plain and grid: squares; checkered; lines, whose crossings are the cells; holes
    light: str = "#f4ecd8"  # the colour of the surface, or of its light squares
    dark: str = "#8d7b5a"  # that of its lines, dark squares or holes
    pieces: Mapping[str, Piece] = {
        "x": Piece("disc", "#c0392b", "#5d4a22"),
        "o": Piece("disc", "#f1c40f", "#5d4a22"),
        "X": Piece("disc", "#c0392b", "#5d4a22"),
        "O": Piece("disc", "#f1c40f", "#5d4a22"),
    }


PLAIN = Look()

_NAMES = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
CHESSMEN = {letter.upper(): Piece(shape, "#f8f5ec", "#2a2a2a") for letter, shape in _NAMES.items()} | {
    letter: Piece(shape, "#33312e", "#000000", "#cfcac0") for letter, shape in _NAMES.items()
}
"""The pieces of chess, by their letters in FEN."""

_EMPTY = ". "
_MARK = "#f2c230"


def changed(before: Board, after: Board) -> frozenset[Cell]:
    """The cells to mark as the last move: those that differ.

    Where a piece was put on an empty cell, others that only changed sides, as in Othello, are not marked.
    """
    differ = {
        (r, c): (old, new)
        for r, rows in enumerate(zip(before, after, strict=True))
        for c, (old, new) in enumerate(zip(*rows, strict=True))
        if old != new
    }
    put_down = any(old in _EMPTY for old, _ in differ.values())
    return frozenset(cell for cell, (old, new) in differ.items() if not put_down or old in _EMPTY or new in _EMPTY)


# ---- text


def board_text(board: Board, columns: Sequence[str] = (), rows: Sequence[str] = ()) -> str:
    """Cells separated by blanks, with the rows' names at the left and the columns' below."""
    margin = max((len(name) for name in rows), default=0)
    names = list(rows) or [""] * len(board)
    lines = [f"{name:>{margin}} {' '.join(cells)}".rstrip() for name, cells in zip(names, board, strict=True)]
    if columns:
        lines.append(" " * margin + " " + " ".join(name[-1] for name in columns))
    return "\n".join(line if margin else line[1:] for line in lines)


class Span(NamedTuple):
    """A piece of a line on a terminal: the text, its colour and the colour behind it; "" for the terminal's own."""

    text: str
    colour: str = ""
    behind: str = ""


def board_spans(
    board: Board,
    columns: Sequence[str] = (),
    rows: Sequence[str] = (),
    look: Look = PLAIN,
    marked: Collection[Cell] = (),
) -> list[list[Span]]:
    """The lines of the board for a terminal with colours, at most 80 wide up to 38 columns."""
    margin = max((len(name) for name in rows), default=0)
    wide = margin + 3 * len(board[0]) < 80
    lines = []
    for r, cells in enumerate(board):
        line = [Span(f"{rows[r]:>{margin}} ")] if rows else []
        for c, cell in enumerate(cells):
            text, colour = _glyph(cell, look)
            behind = _behind(look, (len(board) - 1 - r + c) % 2 == 0)
            if (r, c) in marked:
                mark = "#d0501c" if look.surface == "lines" else _MARK  # wood is nearly of the usual colour
                behind = _mixed(behind, mark, 0.6) if behind else "#5a4a10"
            line.append(Span(f" {text} " if wide else f"{text} ", colour, behind))
        lines.append(line)
    if columns:
        names = (f" {name[-1]} " if wide else f"{name[-1]} " for name in columns)
        lines.append([Span(" " * (margin + 1 if margin else 0) + "".join(names).rstrip())])
    return lines


def coloured(text: str, colours: Mapping[str, str]) -> list[list[Span]]:
    """The lines of a text with some characters in colour, for games that draw no board of cells."""
    parts = re.compile(f"([{re.escape(''.join(colours))}])")
    return [[Span(part, colours.get(part, "")) for part in parts.split(line) if part] for line in text.split("\n")]


_GLYPHS = {
    **dict.fromkeys(("disc", "stone", "draught"), "●"),
    **dict(zip(("king", "queen", "rook", "bishop", "knight", "pawn", "crowned"), "♚♛♜♝♞♟◉", strict=True)),
}


def _glyph(cell: str, look: Look) -> tuple[str, str]:
    """The character for a cell, and its colour."""
    if cell in _EMPTY:
        has_dots = look.surface != "checkered" and cell == "."
        return ("·" if has_dots else " "), look.dark
    piece = look.pieces.get(cell)
    if piece is None or look.surface == "plain":
        return cell, piece.fill if piece else ""
    return _GLYPHS.get(piece.shape, cell), piece.fill


def _behind(look: Look, is_dark: bool) -> str:
    """The colour behind a cell. Light squares are darkened, or white pieces would be lost on them."""
    if look.surface == "plain":
        return ""
    if look.surface == "checkered":
        return _mixed(look.dark, "#000000", 0.25) if is_dark else _mixed(look.light, look.dark, 0.6)
    return look.light


def _mixed(a: str, b: str, part: float) -> str:
    """Colour `a` with a part of `b`."""
    pairs = ((int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(x + (y - x) * part):02x}" for x, y in pairs)


# ---- pictures

_SIZE = 40  # of a cell

# Pieces as outlines in a box of 100 by 100: the body, and lines drawn upon it.
_BASE = "M27 75h46q6 0 6 6v7h-58v-7q0-6 6-6z"
_OUTLINES = {
    "pawn": (
        f"M50 17a14 14 0 1 0 .01 0zM35 46h30l-5 7h-20zM41 50h18c1 13 5 19 13 27h-44c8-8 12-14 13-27z{_BASE}",
        "M36 49h28M30 75h40",
    ),
    "rook": (f"M25 18h12v8h8v-8h10v8h8v-8h12v21l-7 6l3 32h-42l3-32l-7-6z{_BASE}", "M31 44h38M30 75h40"),
    "knight": (
        "M35 26l1-14l11 9c19 2 30 17 30 39c0 6-1 11-2 17h-45c0-13 14-18 16-31c-5 4-10 4-14 8c-3 3-4 8-9 6"
        f"c-6-2-9-6-6-12c4-8 9-13 12-20z{_BASE}",
        "M38 32l3 3M55 31c9 6 12 17 11 31M30 75h40",
    ),
    "bishop": (
        "M50 9a6 6 0 1 0 .01 0z"
        f"M50 19c-15 12-20 21-20 31c0 7 4 12 9 16l-5 11h32l-5-11c5-4 9-9 9-16c0-10-5-19-20-31z{_BASE}",
        "M50 34v16M42 42h16M38 66h24M30 75h40",
    ),
    "queen": (
        "M19 27a5 5 0 1 0 .01 0zM34 17a5 5 0 1 0 .01 0zM50 12a5 5 0 1 0 .01 0z"
        "M66 17a5 5 0 1 0 .01 0zM81 27a5 5 0 1 0 .01 0z"
        f"M18 34l14 32l-3 11h42l-3-11l14-32l-15 17l-1-25l-11 23l-5-29l-5 29l-11-23l-1 25z{_BASE}",
        "M33 66q17-6 34 0M30 75h40",
    ),
    "king": (
        "M46 7h8v7h7v7h-7v9h-8v-9h-7v-7h7zM50 27c-8 7-8 14 0 24c8-10 8-17 0-24z"
        f"M50 41c-6-12-33-12-33 6c0 10 9 15 13 21l-2 9h44l-2-9c4-6 13-11 13-21c0-18-27-18-33-6z{_BASE}",
        "M50 43v21M31 67q19-7 38 0M30 75h40",
    ),
}
_CROWN = "M30 63l-5-27l14 11l11-18l11 18l14-11l-5 27z"
SHAPES = ("disc", "stone", "draught", "crowned", "cross", "ring", *_OUTLINES)


def board_svg(
    board: Board,
    columns: Sequence[str] = (),
    rows: Sequence[str] = (),
    look: Look = PLAIN,
    marked: Collection[Cell] = (),
) -> str:
    """The board with its pieces, the names of rows and columns, and the cells of the last move marked."""
    left, below = (24 if rows else 4), (24 if columns else 4)
    width, height = _SIZE * len(board[0]), _SIZE * len(board)
    parts = [f'<g transform="translate({left},4)">', *_surface(board, look)]
    on_top = look.surface in ("lines", "holes")
    parts += [] if on_top else [_place(r, c, _TINT) for r, c in sorted(marked)]
    for r, cells in enumerate(board):
        for c, cell in enumerate(cells):
            if cell not in _EMPTY:
                parts.append(_place(r, c, _drawn(cell, look.pieces.get(cell))))
    if on_top:
        parts += [_place(r, c, _ring(look.pieces.get(board[r][c]))) for r, c in sorted(marked)]
    parts.append("</g>")
    for c, name in enumerate(columns):
        parts.append(f'<text x="{left + _SIZE * (c + 0.5):g}" y="{height + 17}" {_CENTRED}>{escape(name)}</text>')
    for r, name in enumerate(rows):
        parts.append(f'<text x="12" y="{4 + _SIZE * (r + 0.5):g}" {_CENTRED}>{escape(name)}</text>')
    return _svg(left + width + 4, 4 + height + below, parts)


def text_svg(text: str) -> str:
    """Plain text in a fixed-width font."""
    lines = text.split("\n")
    parts = [
        f'<text x="8" y="{22 + 18 * i}" xml:space="preserve" font-family="monospace">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    return _svg(16 + 9 * max(map(len, lines)), 14 + 18 * len(lines), parts)


def _surface(board: Board, look: Look) -> list[str]:
    """What lies below the pieces."""
    height, width = len(board), len(board[0])
    whole = f'<rect width="{_SIZE * width}" height="{_SIZE * height}" fill="{look.light}"'
    if look.surface == "checkered":
        dark = [(r, c) for r in range(height) for c in range(width) if (height - 1 - r + c) % 2 == 0]
        squares = "".join(f"M{_SIZE * c} {_SIZE * r}h{_SIZE}v{_SIZE}h-{_SIZE}z" for r, c in dark)
        return [f'{whole}/><path d="{squares}" fill="{look.dark}"/>']
    if look.surface == "holes":
        holes = (_circle(c + 0.5, r + 0.5, 0.4) for r in range(height) for c in range(width))
        return [f'{whole} rx="6"/><path d="{"".join(holes)}" fill="{look.dark}"/>']
    inset = _SIZE / 2 if look.surface == "lines" else 0  # lines through the cells, or between them
    across, down = _SIZE * width - inset, _SIZE * height - inset
    more = 0 if inset else 1
    lines = "".join(f"M{inset:g} {inset + _SIZE * r:g}H{across:g}" for r in range(height + more))
    lines += "".join(f"M{inset + _SIZE * c:g} {inset:g}V{down:g}" for c in range(width + more))
    stars = "".join(_circle(c + 0.5, r + 0.5, 0.08) for r, c in _stars(height, width) if inset)
    drawn = [f'{whole}/><path d="{lines}" fill="none" stroke="{look.dark}" stroke-linecap="square"/>']
    return drawn + ([f'<path d="{stars}" fill="{look.dark}"/>'] if stars else [])


def _stars(height: int, width: int) -> list[Cell]:
    """The crossings that a Go board marks."""
    if height != width or height % 2 == 0 or height < 9:
        return []
    first, middle = (2 if height < 12 else 3), height // 2
    far = height - 1 - first
    corners = [(first, first), (first, far), (far, first), (far, far), (middle, middle)]
    edges = [(first, middle), (middle, first), (middle, far), (far, middle)]
    return corners + (edges if height > 13 else [])


def _circle(x: float, y: float, radius: float, unit: float = _SIZE) -> str:
    """A circle as a part of a path, measured in cells."""
    x, y, radius = x * unit, y * unit, radius * unit
    half = f"a{radius:g} {radius:g} 0 1 0"
    return f"M{x - radius:g} {y:g}{half} {2 * radius:g} 0{half} {-2 * radius:g} 0z"


def _place(r: int, c: int, what: str) -> str:
    return f'<g transform="translate({_SIZE * c},{_SIZE * r}) scale({_SIZE / 100:g})">{what}</g>'


_TINT = f'<rect width="100" height="100" fill="{_MARK}" fill-opacity="0.6"/>'


def _ring(piece: Piece | None) -> str:
    """A mark upon a piece, or where one has been: a ring that stands out from it."""
    colour = "#d03020" if piece is None else _against(piece.fill)
    return f'<ellipse cx="50" cy="50" rx="20" ry="20" fill="none" stroke="{colour}" stroke-width="7"/>'


def _against(colour: str) -> str:
    """White upon dark, black upon light."""
    return "#ffffff" if sum(int(colour[i : i + 2], 16) for i in (1, 3, 5)) < 384 else "#202020"


def _drawn(cell: str, piece: Piece | None) -> str:
    """A piece in a box of 100 by 100."""
    title = f"<title>{escape(cell)}</title>"
    if piece is None or piece.shape not in SHAPES:
        text, fill = (cell, "#000000") if piece is None else (piece.shape, piece.fill)
        return f'<text x="50" y="50" {_CENTRED} font-size="55" fill="{fill}">{title}{escape(text)}</text>'
    shape, fill, edge, detail = piece
    detail = detail or edge
    if shape in _OUTLINES:
        body, lines = _OUTLINES[shape]
        stroke = f'stroke-width="7" stroke-linejoin="round" stroke="{edge}"'
        inner = f'<path d="{lines}" fill="none" stroke="{detail}" stroke-width="4" stroke-linecap="round"/>'
        return f'<g>{title}<path d="{body}" fill="{edge}" {stroke}/><path d="{body}" fill="{fill}"/>{inner}</g>'
    if shape == "cross":
        stroke = f'stroke="{fill}" stroke-width="13" stroke-linecap="round"'
        return f'<path d="M22 22L78 78M78 22L22 78" {stroke}>{title}</path>'
    if shape == "ring":
        return f'<circle cx="50" cy="50" r="29" fill="none" stroke="{fill}" stroke-width="13">{title}</circle>'
    radius = 47 if shape == "stone" else 39
    disc = f'<circle cx="50" cy="50" r="{radius}" fill="{fill}" stroke="{edge}" stroke-width="3">{title}</circle>'
    if shape in ("draught", "crowned"):
        disc += f'<path d="{_circle(0.5, 0.5, 0.31, 100)}" fill="none" stroke="{detail}" stroke-width="3"/>'
    if shape == "crowned":
        return f'{disc}<path d="{_CROWN}" fill="{detail}" transform="translate(11,12) scale(0.78)"/>'
    if shape == "draught":
        return f'{disc}<path d="{_circle(0.5, 0.5, 0.2, 100)}" fill="none" stroke="{detail}" stroke-width="3"/>'
    shine = 'fill="#ffffff" fill-opacity="0.28" transform="rotate(-35 38 32)"'
    return f'{disc}<ellipse cx="38" cy="32" rx="16" ry="9" {shine}/>'


_CENTRED = 'text-anchor="middle" dominant-baseline="central"'


_DARK = "<style>@media screen and (prefers-color-scheme:dark)"
_DARK_PAPER = f"{_DARK}{{.counterplay-paper{{fill:#0d1117}}.counterplay-ink{{fill:#c9d1d9}}}}</style>"

DARK_LINES = f"{_DARK}{{.counterplay-lines{{filter:invert(.9) hue-rotate(180deg)}}}}</style>"
"""For pictures of that class, which are lines upon white: light upon dark, where the reader's screen is so."""


def _svg(width: float, height: float, parts: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'class="counterplay-ink" font-family="sans-serif" font-size="14">{_DARK_PAPER}'
        '<rect class="counterplay-paper" width="100%" height="100%" fill="white"/>' + "".join(parts) + "</svg>"
    )
