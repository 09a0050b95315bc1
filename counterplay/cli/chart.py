"""A line chart as SVG, complete in itself: a page or a README can show it as it is. Knows nothing of games."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape

__all__ = ["line_chart"]

Points = Sequence[tuple[float, float]]

# Okabe & Ito's colours, which colour-blind people tell apart, and shapes for those who see or print no colours.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")
_SHAPES = (
    "M-4,-4H4V4H-4Z",
    "M0,-5.5L5,4H-5Z",
    "M-4.2,0A4.2,4.2 0 1 0 4.2,0A4.2,4.2 0 1 0 -4.2,0Z",
    "M0,-5.5L5.5,0L0,5.5L-5.5,0Z",
    "M0,5.5L5,-4H-5Z",
)
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 520, 48, 384  # the field with the lines; below it the x axis, right of it the legend
_HEIGHT = 440
_LETTER = 7.6  # the width of a letter of the legend, about
_INK, _GRID = "#333333", "#dddddd"


def line_chart(series: Mapping[str, Points], title: str, x_label: str, y_label: str, log_y: bool = True) -> str:
    """A line with marks for each named series of (x, y), and a legend; on a logarithmic scale y must be above 0."""
    xs = [x for points in series.values() for x, _ in points]
    ys = [y for points in series.values() for _, y in points]
    if not xs or (log_y and min(ys) <= 0):
        raise ValueError("a chart needs points" if not xs else "on a logarithmic scale every y must be above 0")
    x_ticks = _steps(min(xs), max(xs), inside=True)
    y_ticks = _powers(min(ys), max(ys)) if log_y else _steps(min(0.0, *ys), max(ys))
    across = _scale(min(xs), max(xs), _LEFT + 12, _RIGHT - 12)
    height = math.log10 if log_y else float
    up = _scale(height(y_ticks[0]), height(y_ticks[-1]), _BOTTOM, _TOP)
    width = math.ceil(max(_RIGHT + 60 + _LETTER * max(map(len, series)), _LEFT + 1.4 * _LETTER * len(title)))
    parts = [
        f'<text x="{_LEFT}" y="26" font-size="16" font-weight="bold">{escape(title)}</text>',
        *(_y_tick(up(height(y)), _power_text(y) if log_y else f"{y:g}") for y in y_ticks),
        *(_x_tick(across(x), f"{x:g}") for x in x_ticks),
        _axes(x_label, y_label),
    ]
    drawn: list[list[tuple[float, float]]] = []
    for i, (name, points) in enumerate(series.items()):
        places = [(across(x), up(height(y))) for x, y in points]
        parts += [_line(i, places, over_another=places in drawn), _legend(i, name)]
        drawn.append(places)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" viewBox="0 0 {width} {_HEIGHT}" '
        f'role="img" aria-label="{escape(title)}" font-family="sans-serif" font-size="13" fill="{_INK}">'
        f'<rect width="{width}" height="{_HEIGHT}" fill="white"/>' + "".join(parts) + "</svg>\n"
    )


# ---- scales


def _scale(low: float, high: float, begin: float, end: float) -> Callable[[float], float]:
    """From numbers to places in the drawing; a single number is put in the middle."""
    if low == high:
        return lambda v: (begin + end) / 2
    return lambda v: begin + (v - low) / (high - low) * (end - begin)


def _powers(low: float, high: float) -> list[float]:
    """Powers of ten from below `low` to above `high`, at most about ten of them."""
    first, last = math.floor(math.log10(low) + 1e-12), math.ceil(math.log10(high) - 1e-12)
    last = max(last, first + 1)
    step = math.ceil((last - first) / 10)
    return [10.0**k for k in range(first, last + step, step)]


def _steps(low: float, high: float, inside: bool = False) -> list[float]:
    """Round numbers, between three and about ten of them, from `low` or below to `high` or above, or `inside`."""
    if low == high:
        return [low] if inside else [low, low + 1]
    raw = (high - low) / 10
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= raw * (1 - 1e-9))
    first, last = (math.ceil, math.floor) if inside else (math.floor, math.ceil)
    return [round(k * step, 12) for k in range(first(low / step), last(high / step) + 1)]


def _power_text(y: float) -> str:
    exponent = str(round(math.log10(y))).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{exponent}"


# ---- parts of the drawing


def _y_tick(y: float, text: str) -> str:
    return (
        f'<path d="M{_LEFT},{y:.1f}H{_RIGHT}" stroke="{_GRID}"/>'
        f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    )


def _x_tick(x: float, text: str) -> str:
    return (
        f'<path d="M{x:.1f},{_BOTTOM}v5" stroke="{_INK}"/>'
        f'<text x="{x:.1f}" y="{_BOTTOM + 20}" text-anchor="middle">{text}</text>'
    )


def _axes(x_label: str, y_label: str) -> str:
    middle = (_LEFT + _RIGHT) / 2, (_TOP + _BOTTOM) / 2
    return (
        f'<path d="M{_LEFT},{_TOP}V{_BOTTOM}H{_RIGHT}" fill="none" stroke="{_INK}"/>'
        f'<text x="{middle[0]:.1f}" y="{_HEIGHT - 14}" text-anchor="middle">{escape(x_label)}</text>'
        f'<text transform="translate(20,{middle[1]:.1f}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>'
    )


def _line(i: int, places: list[tuple[float, float]], over_another: bool) -> str:
    """A line with its marks; over another one dashed and with small marks, so that both are seen."""
    path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dashes = ' stroke-dasharray="8 8"' if over_another else ""
    marks = (_mark(i, x, y, 0.6 if over_another else 1.0) for x, y in places)
    return f'<path d="{path}" fill="none" stroke="{_colour(i)}" stroke-width="2"{dashes}/>' + "".join(marks)


def _mark(i: int, x: float, y: float, size: float = 1.0) -> str:
    where = f"translate({x:.1f},{y:.1f})" + (f" scale({size:g})" if size != 1.0 else "")
    return f'<path transform="{where}" d="{_SHAPES[i % len(_SHAPES)]}" fill="{_colour(i)}" stroke="white"/>'


def _colour(i: int) -> str:
    return _COLOURS[i % len(_COLOURS)]


def _legend(i: int, name: str) -> str:
    x, y = _RIGHT + 16, _TOP + 12 + 24 * i
    return (
        f'<path d="M{x},{y}h28" stroke="{_colour(i)}" stroke-width="2"/>{_mark(i, x + 14, y)}'
        f'<text x="{x + 36}" y="{y + 4}">{escape(name)}</text>'
    )
