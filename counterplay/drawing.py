"""Boards as text and as SVG, from rows of one-character cells. Knows nothing of games."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["board_svg", "board_text", "text_svg"]

Board = Sequence[Sequence[str]]

_COLOURS = {"x": "#c0392b", "o": "#f1c40f", "X": "#c0392b", "O": "#f1c40f"}
_CELL = 40


def board_text(board: Board, columns: Sequence[str] = (), rows: Sequence[str] = ()) -> str:
    """Cells separated by blanks, with the rows' names at the left and the columns' below."""
    margin = max((len(name) for name in rows), default=0)
    names = list(rows) or [""] * len(board)
    lines = [f"{name:>{margin}} {' '.join(cells)}".rstrip() for name, cells in zip(names, board, strict=True)]
    if columns:
        lines.append(" " * margin + " " + " ".join(name[-1] for name in columns))
    return "\n".join(line if margin else line[1:] for line in lines)


def board_svg(board: Board, columns: Sequence[str] = (), rows: Sequence[str] = ()) -> str:
    """A square for every cell; `x` and `o` as discs, any other letter as itself."""
    left, bottom = (24 if rows else 4), (24 if columns else 4)
    width, height = left + _CELL * len(board[0]) + 4, 4 + _CELL * len(board) + bottom
    parts = []
    for r, cells in enumerate(board):
        for c, cell in enumerate(cells):
            x, y = left + _CELL * c, 4 + _CELL * r
            parts.append(f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="#f4ecd8" stroke="#8d7b5a"/>')
            middle = f'x="{x + _CELL / 2}" y="{y + _CELL / 2}"'
            if cell in _COLOURS:
                parts.append(
                    f'<circle cx="{x + _CELL / 2}" cy="{y + _CELL / 2}" r="{_CELL * 0.38}" '
                    f'fill="{_COLOURS[cell]}" stroke="#5d4a22"><title>{escape(cell)}</title></circle>'
                )
            elif cell not in ". ":
                parts.append(f"<text {middle} {_CENTRED} font-size='{_CELL * 0.55}'>{escape(cell)}</text>")
    for c, name in enumerate(columns):
        parts.append(f'<text x="{left + _CELL * (c + 0.5)}" y="{height - 12}" {_CENTRED}>{escape(name)}</text>')
    for r, name in enumerate(rows):
        parts.append(f'<text x="12" y="{4 + _CELL * (r + 0.5)}" {_CENTRED}>{escape(name)}</text>')
    return _svg(width, height, parts)


def text_svg(text: str) -> str:
    """Plain text in a fixed-width font."""
    lines = text.split("\n")
    parts = [
        f'<text x="8" y="{22 + 18 * i}" xml:space="preserve" font-family="monospace">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    return _svg(16 + 9 * max(map(len, lines)), 14 + 18 * len(lines), parts)


_CENTRED = 'text-anchor="middle" dominant-baseline="central"'


def _svg(width: float, height: float, parts: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="14"><rect width="100%" height="100%" fill="white"/>'
        + "".join(parts)
        + "</svg>"
    )
