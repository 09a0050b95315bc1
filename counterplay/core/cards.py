"""Playing cards: their names, and a table with two players as an SVG. Knows nothing of games.

A card is a text, `Ah` or `Td`, or a rank alone where suits are worth nothing; `?` lies face down, and where "" is no
card lies yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

__all__ = ["NAMES", "Seat", "table_svg"]

NAMES = tuple(rank + suit for suit in "cdhs" for rank in "23456789TJQKA")
"""The 52 cards by their numbers: suit by suit, from the two to the ace."""


class Seat(NamedTuple):
    """One of two players at a table."""

    name: str
    cards: Sequence[str]
    paid: int
    said: str = ""
    """How he stands: `folded`, `a flush`."""
    deals: bool = False


_WIDTH, _HEIGHT = 460, 340
_CARD = (56, 78)
_GAP = 8
_RED, _BLACK = "#c0262d", "#1d1d1f"
_SUITS = {  # in a box of 100 by 100
    "s": "M50 6C58 24 90 38 90 62A20 20 0 0 1 55 72Q57 86 68 92H32Q43 86 45 72A20 20 0 0 1 10 62C10 38 42 24 50 6Z",
    "h": "M50 92C38 74 8 58 8 32A21 21 0 0 1 50 26A21 21 0 0 1 92 32C92 58 62 74 50 92Z",
    "d": "M50 4L86 50L50 96L14 50Z",
    "c": "M37 44A21 21 0 1 1 63 44A21 21 0 1 1 55 70Q57 86 68 92H32Q43 86 45 70A21 21 0 1 1 37 44Z",
}
_MIDDLE = 'text-anchor="middle" dominant-baseline="central"'


def table_svg(above: Seat, below: Seat, table: Sequence[str], said: str = "") -> str:
    """A table seen from the seat below: both players' cards, those in the middle, and what is in the pot."""
    felt = f'<rect x="3" y="3" width="{_WIDTH - 6}" height="{_HEIGHT - 6}" rx="46" fill="#2c6e49" stroke="#5b3a1e"'
    parts = [f'{felt} stroke-width="6"/>']
    parts += _row(table, _HEIGHT / 2 - _CARD[1] / 2)
    parts += _seat(above, 18) + _seat(below, _HEIGHT - 18 - _CARD[1])
    pot = above.paid + below.paid
    parts.append(_text(_WIDTH / 2, 114, f"pot {pot}" + (f" · {said}" if said else ""), 14))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif">{"".join(parts)}</svg>'
    )


def _seat(seat: Seat, y: float) -> list[str]:
    """A player's cards, with his name at the left of them and what he has paid at the right."""
    parts = _row(seat.cards, y)
    left, right, middle = 86, _WIDTH - 86, y + _CARD[1] / 2
    parts.append(_text(left, middle - (9 if seat.said else 0), seat.name, 17))
    if seat.said:
        parts.append(_text(left, middle + 12, seat.said, 13))
    parts.append(f'<circle cx="{right - 24}" cy="{middle:g}" r="9" fill="#e9b949" stroke="#8a6410" stroke-width="3"/>')
    parts.append(_text(right + 6, middle, str(seat.paid), 17))
    if seat.deals:
        parts.append(f'<circle cx="{right + 40}" cy="{middle:g}" r="11" fill="#f6f4ec"><title>dealer</title></circle>')
        parts.append(_text(right + 40, middle, "D", 13, _BLACK))
    return parts


def _row(cards: Sequence[str], y: float) -> list[str]:
    across = len(cards) * (_CARD[0] + _GAP) - _GAP
    return [_card(card, (_WIDTH - across) / 2 + i * (_CARD[0] + _GAP), y) for i, card in enumerate(cards)]


def _card(card: str, x: float, y: float) -> str:
    width, height = _CARD
    outline = f'width="{width}" height="{height}" rx="6"'
    at = f'<g transform="translate({x:g},{y:g})">'
    if not card:
        return f'{at}<rect {outline} fill="none" stroke="#ffffff" stroke-opacity="0.35" stroke-dasharray="5 4"/></g>'
    if card == "?":
        weave = "".join(f"M{8 + 10 * i} 8V{height - 8}" for i in range(5))
        weave += "".join(f"M8 {9 + 10 * i}H{width - 8}" for i in range(7))
        back = f'<rect {outline} fill="#2f4f8f" stroke="#f6f4ec" stroke-width="3"/>'
        return f'{at}{back}<path d="{weave}" stroke="#7f9bd1" fill="none"/><title>face down</title></g>'
    rank, suit = card[0].replace("T", "10") if len(card) > 1 else card, card[1:]
    colour = _RED if suit in ("h", "d") else _BLACK
    front = f'<rect {outline} fill="#fdfcf7" stroke="#8b8b8b"/><title>{escape(card)}</title>'
    if suit not in _SUITS:
        return f"{at}{front}{_text(width / 2, height / 2, rank, 34, colour)}</g>"
    sign = f'<path d="{_SUITS[suit]}" fill="{colour}" transform="translate(16,38) scale(0.34)"/>'
    small = f'<path d="{_SUITS[suit]}" fill="{colour}" transform="translate(36,8) scale(0.13)"/>'
    return f"{at}{front}{_text(17, 19, rank, 24, colour)}{small}{sign}</g>"


def _text(x: float, y: float, text: str, size: int, colour: str = "#ffffff") -> str:
    return f'<text x="{x:g}" y="{y:g}" {_MIDDLE} font-size="{size}" fill="{colour}">{escape(text)}</text>'
