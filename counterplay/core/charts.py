"""Charts as SVG, complete in themselves: a page or a README can show them as they are. Know nothing of games.

`line_chart` compares series of figures; `value_chart` follows one value with what there is to say about its points;
`flow_chart` shows where pairs of shares drift.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from counterplay.core.drawing import DARK_LINES

__all__ = ["Dot", "Spot", "flow_chart", "line_chart", "value_chart"]

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
_LETTER = 7.6  # the width of a letter of the legend, about
_INK, _GRID = "#333333", "#dddddd"


class _Field(NamedTuple):
    """Where the lines are; left of it and below are the axes, whose names end at `height`."""

    left: int
    right: int
    top: int
    bottom: int
    height: int


_LINES = _Field(72, 520, 48, 384, 440)  # the legend is on the right
_LONGEST = 64
"""Letters of a title that are drawn: a picture wider than its lines would be shown too small."""
_VALUES = _Field(66, 744, 44, 264, 320)  # the legend is below


def line_chart(series: Mapping[str, Points], title: str, x_label: str, y_label: str, log_y: bool = True) -> str:
    """A line with marks for each named series of (x, y), and a legend; on a logarithmic scale y must be above 0."""
    xs = [x for points in series.values() for x, _ in points]
    ys = [y for points in series.values() for _, y in points]
    if not xs or (log_y and min(ys) <= 0):
        raise ValueError("a chart needs points" if not xs else "on a logarithmic scale every y must be above 0")
    x_ticks = _steps(min(xs), max(xs), inside=True)
    y_ticks = _powers(min(ys), max(ys)) if log_y else _steps(min(0.0, *ys), max(ys))
    across = _scale(min(xs), max(xs), _LINES.left + 12, _LINES.right - 12)
    height = math.log10 if log_y else float
    up = _scale(height(y_ticks[0]), height(y_ticks[-1]), _LINES.bottom, _LINES.top)
    shown = title if len(title) <= _LONGEST else f"{title[: _LONGEST - 1]}…"
    width = math.ceil(
        max(_LINES.right + 60 + _LETTER * max(map(len, series)), _LINES.left + 1.4 * _LETTER * len(shown))
    )
    parts = [
        _title(_LINES, shown),
        *(_y_tick(_LINES, up(height(y)), _power_text(y) if log_y else f"{y:g}") for y in y_ticks),
        *(_x_tick(_LINES, across(x), f"{x:g}") for x in x_ticks),
        _axes(_LINES, x_label, y_label),
    ]
    drawn: list[list[tuple[float, float]]] = []
    for i, (name, points) in enumerate(series.items()):
        places = [(across(x), up(height(y))) for x, y in points]
        parts += [_line(i, places, over_another=places in drawn), _legend(i, name)]
        drawn.append(places)
    return _svg(width, _LINES.height, title, parts)


class Dot(NamedTuple):
    """A remark on a point of a value chart."""

    x: float
    kind: str
    """What is said of it: the name of its row in the legend; those named first are drawn first and lightest."""
    label: str
    """Shown beside it, if there is room."""
    about: str
    """Shown when one points at it."""


_WARNINGS = ("#f0c000", "#e07000", "#c00020")
_AHEAD, _BEHIND = "#8fb8de", "#e8b48a"


def value_chart(
    values: Points,
    bounds: tuple[float, float, float],
    title: str,
    x_label: str,
    y_label: str,
    dots: Sequence[Dot] = (),
    kinds: Sequence[str] = (),
) -> str:
    """A value that goes up and down between the first and last of `bounds`, filled to the one between, with dots.

    `kinds` are up to three sorts of dots, from light to grave, for the legend.
    """
    if not values:
        raise ValueError("a chart needs points")
    low, middle, high = bounds
    low, high = min(low, *(y for _, y in values)), max(high, *(y for _, y in values))
    across = _scale(values[0][0], values[-1][0], _VALUES.left + 10, _VALUES.right - 10)
    up = _scale(low, high, _VALUES.bottom, _VALUES.top)
    places = [(across(x), up(y)) for x, y in values]
    at = {x: place for (x, _), place in zip(values, places, strict=True)}
    level = f'<path d="M{_VALUES.left},{up(middle):.1f}H{_VALUES.right}" stroke="{_INK}" stroke-dasharray="2 4"/>'
    parts = [
        _title(_VALUES, title),
        *(_y_tick(_VALUES, up(y), f"{y:.3g}") for y in (low + (high - low) * k / 4 for k in range(5))),
        *(
            _x_tick(_VALUES, across(x), f"{x:g}")
            for x in _steps(values[0][0], values[-1][0], inside=True)
            if x % 1 == 0
        ),
        _area(places, up(middle), _AHEAD, min),
        _area(places, up(middle), _BEHIND, max),
        level,
        f'<path d="{_path(places)}" fill="none" stroke="{_INK}" stroke-width="2" stroke-linejoin="round"/>',
        _axes(_VALUES, x_label, y_label),
    ]
    parts += [_warning(kinds.index(dot.kind), *at[dot.x], dot.about) for dot in dots]
    taken = [(x, y + 4, 7.0) for x, y in (at[dot.x] for dot in dots)]  # centre, base line and half the width
    for dot in sorted(dots, key=lambda dot: -kinds.index(dot.kind)):  # the gravest get their labels first
        parts.append(_label(dot.label, *at[dot.x], taken))
    x = _VALUES.left
    for i, kind in enumerate(kinds):
        parts.append(
            f'{_warning(i, x + 6, _VALUES.height + 8)}<text x="{x + 18}" y="{_VALUES.height + 12}">{kind}</text>'
        )
        x += 44 + round(_LETTER * len(kind))
    return _svg(_VALUES.right + 16, _VALUES.height + (24 if kinds else 0), title, parts)


class Spot(NamedTuple):
    """A place of a flow chart at which nothing moves."""

    x: float
    y: float
    is_full: bool


_SQUARE = _Field(72, 432, 48, 408, 464)  # the legend is below


def flow_chart(
    paths: Sequence[Points], spots: Sequence[Spot], title: str, x_label: str, y_label: str, legend: tuple[str, str]
) -> str:
    """Paths through pairs of numbers from 0 to 1, with an arrow each, and spots, full or not as `legend` explains."""
    across, up = _scale(0, 1, _SQUARE.left, _SQUARE.right), _scale(0, 1, _SQUARE.bottom, _SQUARE.top)
    ticks = (0.0, 0.25, 0.5, 0.75, 1.0)
    parts = [
        _title(_SQUARE, title),
        *(_y_tick(_SQUARE, up(y), f"{y:g}") for y in ticks),
        *(_x_tick(_SQUARE, across(x), f"{x:g}") for x in ticks),
        _axes(_SQUARE, x_label, y_label),
    ]
    for path in paths:
        places = [(across(x), up(y)) for x, y in path]
        parts.append(f'<path d="{_path(places)}" fill="none" stroke="{_COLOURS[0]}" stroke-opacity="0.75"/>')
        parts.append(_arrow(places))
    parts += [_spot(across(spot.x), up(spot.y), spot.is_full) for spot in spots]
    for i, text in enumerate(legend):
        y = _SQUARE.height + 8 + 20 * i
        parts.append(f'{_spot(_SQUARE.left + 6, y - 4, i == 0)}<text x="{_SQUARE.left + 20}" y="{y}">{text}</text>')
    width = math.ceil(max(_SQUARE.right + 24, _SQUARE.left + 1.4 * _LETTER * len(title)))
    return _svg(width, _SQUARE.height + 40, title, parts)


def _arrow(places: Sequence[tuple[float, float]]) -> str:
    """The head of an arrow a little way along a path."""
    (x, y), (x2, y2) = places[len(places) // 4], places[len(places) // 4 + 1]
    turn = math.degrees(math.atan2(y2 - y, x2 - x))
    return (
        f'<path transform="translate({x:.1f},{y:.1f}) rotate({turn:.0f})" d="M5,0L-4,-3.5V3.5Z" fill="{_COLOURS[0]}"/>'
    )


def _spot(x: float, y: float, is_full: bool) -> str:
    colour = _COLOURS[1] if is_full else "white"
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" fill="{colour}" stroke="{_COLOURS[1]}" stroke-width="2"/>'


def _area(places: list[tuple[float, float]], level: float, colour: str, beyond: Callable[[float, float], float]) -> str:
    """What lies between a line and a level on one side of it."""
    edge = [places[0]]
    for (x, y), (x2, y2) in pairwise(places):
        if (y - level) * (y2 - level) < 0:
            edge.append((x + (x2 - x) * (level - y) / (y2 - y), level))
        edge.append((x2, y2))
    corners = [(edge[0][0], level), *((x, beyond(y, level)) for x, y in edge), (edge[-1][0], level)]
    return f'<path d="{_path(corners)}Z" fill="{colour}" fill-opacity="0.7"/>'


def _warning(i: int, x: float, y: float, about: str = "") -> str:
    shape, told = _SHAPES[(2, 3, 0)[i]], f"<title>{escape(about)}</title>" if about else ""
    where = f"translate({x:.1f},{y:.1f}) scale(1.25)"
    return f'<path transform="{where}" d="{shape}" fill="{_WARNINGS[i]}" stroke="{_INK}">{told}</path>'


def _label(text: str, x: float, y: float, taken: list[tuple[float, float, float]]) -> str:
    """A text near a point where nothing else is yet; nothing if there is no room."""
    half = 0.5 * _LETTER * len(text) * 11 / 13
    x = min(max(x, _VALUES.left + half + 2), _VALUES.right - half)
    for place in (y - 11, y + 20, y - 25, y + 34):
        is_free = all(abs(x - x2) > half + half2 or abs(place - y2) > 13 for x2, y2, half2 in taken)
        if is_free and _VALUES.top - 6 < place < _VALUES.bottom - 2:
            taken.append((x, place, half))
            halo = 'stroke="white" stroke-width="3" paint-order="stroke" stroke-linejoin="round"'
            return f'<text x="{x:.1f}" y="{place:.1f}" text-anchor="middle" font-size="11" {halo}>{escape(text)}</text>'
    return ""


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


def _svg(width: int, height: int, title: str, parts: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{escape(title)}" font-family="sans-serif" font-size="13" fill="{_INK}" '
        f'class="counterplay-lines">{DARK_LINES}<rect width="{width}" height="{height}" fill="white"/>'
        + "".join(parts)
        + "</svg>\n"
    )


def _title(field: _Field, title: str) -> str:
    return f'<text x="{field.left}" y="26" font-size="16" font-weight="bold">{escape(title)}</text>'


def _y_tick(field: _Field, y: float, text: str) -> str:
    return (
        f'<path d="M{field.left},{y:.1f}H{field.right}" stroke="{_GRID}"/>'
        f'<text x="{field.left - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    )


def _x_tick(field: _Field, x: float, text: str) -> str:
    return (
        f'<path d="M{x:.1f},{field.bottom}v5" stroke="{_INK}"/>'
        f'<text x="{x:.1f}" y="{field.bottom + 20}" text-anchor="middle">{text}</text>'
    )


def _axes(field: _Field, x_label: str, y_label: str) -> str:
    middle = (field.left + field.right) / 2, (field.top + field.bottom) / 2
    return (
        f'<path d="M{field.left},{field.top}V{field.bottom}H{field.right}" fill="none" stroke="{_INK}"/>'
        f'<text x="{middle[0]:.1f}" y="{field.height - 14}" text-anchor="middle">{escape(x_label)}</text>'
        f'<text transform="translate(20,{middle[1]:.1f}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>'
    )


def _line(i: int, places: list[tuple[float, float]], over_another: bool) -> str:
    """A line with its marks; over another one dashed and with small marks, so that both are seen."""
    dashes = ' stroke-dasharray="8 8"' if over_another else ""
    marks = (_mark(i, x, y, 0.6 if over_another else 1.0) for x, y in places)
    return f'<path d="{_path(places)}" fill="none" stroke="{_colour(i)}" stroke-width="2"{dashes}/>' + "".join(marks)


def _path(places: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _mark(i: int, x: float, y: float, size: float = 1.0) -> str:
    where = f"translate({x:.1f},{y:.1f})" + (f" scale({size:g})" if size != 1.0 else "")
    return f'<path transform="{where}" d="{_SHAPES[i % len(_SHAPES)]}" fill="{_colour(i)}" stroke="white"/>'


def _colour(i: int) -> str:
    return _COLOURS[i % len(_COLOURS)]


def _legend(i: int, name: str) -> str:
    x, y = _LINES.right + 16, _LINES.top + 12 + 24 * i
    return (
        f'<path d="M{x},{y}h28" stroke="{_colour(i)}" stroke-width="2"/>{_mark(i, x + 14, y)}'
        f'<text x="{x + 36}" y="{y + 4}">{escape(name)}</text>'
    )
