"""Pacman's maze as SVG: a position, or whole games that move by themselves (SMIL; no program, no further files)."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

__all__ = ["Film", "films_svg", "maze_svg"]

_CELL = 20
_SECONDS, _REST = 0.16, 1.6  # a move takes so long; so long the end is shown
_DARK, _WALL, _DOT, _PACMAN, _INK = "#0b0b18", "#3a56d6", "#f7c9a4", "#ffd91a", "#e6e6f0"
_GHOSTS = ("#ee3b32", "#39c7dd", "#f59bc4", "#f0962e")
_SCARED = "#3557ff"
_TURNS = (-90, 0, 90, 180)  # by direction
_MOUTH = "M0 0L7.4 -4.6A8.7 8.7 0 1 0 7.4 4.6Z"
_BODY = "M-8 8.5V-1A8 8 0 0 1 8 -1V8.5L5.3 6L2.7 8.5L0 6L-2.7 8.5L-5.3 6Z"
_EYES = (
    '<g fill="white"><circle cx="-3" cy="-2" r="2.3"/><circle cx="3" cy="-2" r="2.3"/></g>'
    '<g fill="#1c2a6b"><circle cx="-3" cy="-2" r="1.1"/><circle cx="3" cy="-2" r="1.1"/></g>'
)
_WORRY = (
    '<g fill="white"><circle cx="-3" cy="-2" r="1.5"/><circle cx="3" cy="-2" r="1.5"/></g>'
    '<path d="M-5 4l1.7 -1.6L-1.7 4L0 2.4L1.7 4L3.3 2.4L5 4" fill="none" stroke="white"/>'
)


class Film(NamedTuple):
    """A game to look at."""

    title: str
    maze: Any
    states: Sequence[Any]


def maze_svg(maze: Any, s: Any) -> str:
    """A position."""
    parts = [_walls(maze), *_eaten(maze, (s,))]
    parts += [_place(maze, s.pacman, _pacman_shape(s, 1))]
    for i, square in enumerate(s.ghosts):
        parts.append(_place(maze, square, _ghost_shape(i, s.scared[i] > 0)))
    width, height = _size(maze)
    return _svg(width, height + 20, [*parts, _caption(f"score {s.score}, step {s.steps}", height + 14)])


def films_svg(films: Sequence[Film]) -> str:
    """Games one below the other, each played again and again; a viewer that cannot move pictures shows the start."""
    parts, top, widest = [], 0.0, 0.0
    for film in films:
        width, height = _size(film.maze)
        parts.append(f'<g transform="translate(0,{top:g})">{_caption(film.title, 14)}')
        parts.append(f'<g transform="translate(0,20)">{"".join(_moving(film))}</g></g>')
        top, widest = top + height + 28, max(widest, width, 8 + 6.9 * len(film.title))
    return _svg(widest, top - 8, parts)


# ---- what moves


def _moving(film: Film) -> list[str]:
    maze, states = film.maze, film.states
    parts = [_walls(maze), *_eaten(maze, states)]
    turns = [0]
    for before, after in pairwise(states):
        turns.append(_direction(maze, before.pacman, after.pacman, turns[-1]))
    turned = _steps("transform", [str(_TURNS[d]) for d in turns], kind="rotate")
    end = states[-1]
    death = "" if end.alive else _steps("opacity", ["1"] * (len(states) - 1) + ["0.25"])
    pacman = f"<g>{turned}{death}{_pacman_shape(states[0], 1)}</g>"
    parts.append(_walking(maze, [s.pacman for s in states], pacman))
    for i in range(len(states[0].ghosts)):
        scared = [s.scared[i] > 0 for s in states]
        shapes = _ghost_shape(i, scared[0])
        if any(scared):
            shapes = "".join(
                f'<g opacity="{int(scared[0] == mode)}">'
                f"{_steps('opacity', ['1' if now == mode else '0' for now in scared])}{_ghost_shape(i, mode)}</g>"
                for mode in (False, True)
            )
        parts.append(_walking(maze, [s.ghosts[i] for s in states], shapes))
    return parts


def _duration(n: int) -> float:
    return _SECONDS * (n - 1) + _REST


def _times(n: int) -> list[str]:
    whole = _duration(n)
    return [f"{_SECONDS * k / whole:.4f}" for k in range(n)]


def _steps(attribute: str, values: list[str], kind: str = "") -> str:
    """An animation that jumps from value to value, one for each state; where nothing changes, nothing is written."""
    kept = [k for k in range(len(values)) if k == 0 or values[k] != values[k - 1]]
    if len(kept) == 1:
        return ""
    times = _times(len(values))
    what = f'animateTransform type="{kind}"' if kind else "animate"
    return (
        f'<{what} attributeName="{attribute}" calcMode="discrete" values="{";".join(values[k] for k in kept)}" '
        f'keyTimes="{";".join(times[k] for k in kept)}" dur="{_duration(len(values)):.2f}s" repeatCount="indefinite"/>'
    )


def _walking(maze: Any, squares: list[int], shape: str) -> str:
    """Somebody on the way through the maze, from square to square; whoever is sent home jumps."""
    places = [_centre(maze, i) for i in squares]
    times, values, at = _times(len(squares)), [places[0]], ["0"]
    for k in range(1, len(places)):
        far = abs(places[k][0] - places[k - 1][0]) + abs(places[k][1] - places[k - 1][1]) > _CELL
        rests = places[k] == places[k - 1] and k + 1 < len(places) and places[k + 1] == places[k]
        if far:
            values.append(places[k - 1])
            at.append(times[k])
        if not rests:
            values.append(places[k])
            at.append(times[k])
    values.append(places[-1])
    at.append("1")
    way = ";".join(f"{x:g},{y:g}" for x, y in values)
    return (
        f'<g transform="translate({values[0][0]:g},{values[0][1]:g})">'
        f'<animateTransform attributeName="transform" type="translate" values="{way}" '
        f'keyTimes="{";".join(at)}" dur="{_duration(len(squares)):.2f}s" repeatCount="indefinite"/>{shape}</g>'
    )


def _direction(maze: Any, before: int, after: int, last: int) -> int:
    (y, x), (v, u) = maze.squares[before], maze.squares[after]
    step = (v - y, u - x)
    return {(-1, 0): 0, (0, 1): 1, (1, 0): 2, (0, -1): 3}.get(step, last)


# ---- shapes


def _walls(maze: Any) -> str:
    """Lines through neighbouring walls: a broad one, and a dark one upon it."""
    walls = {(r, c) for r, row in enumerate(maze.rows) for c, cell in enumerate(row) if cell == "%"}
    path, solid = "", ""
    for r, c in sorted(walls):
        x, y = (c + 0.5) * _CELL, (r + 0.5) * _CELL
        path += f"M{x:g} {y:g}h.01"
        path += f"M{x:g} {y:g}h{_CELL}" if (r, c + 1) in walls else ""
        path += f"M{x:g} {y:g}v{_CELL}" if (r + 1, c) in walls else ""
        if {(r, c + 1), (r + 1, c), (r + 1, c + 1)} <= walls:
            solid += f"M{x:g} {y:g}h{_CELL}v{_CELL}h-{_CELL}z"
    style = 'fill="none" stroke-linecap="round" stroke-linejoin="round"'
    return (
        f'<path d="{path}" {style} stroke="{_WALL}" stroke-width="{0.6 * _CELL:g}"/>'
        f'<path d="{path}" {style} stroke="{_DARK}" stroke-width="{0.4 * _CELL:g}"/>'
        + (f'<path d="{solid}" fill="{_DARK}"/>' if solid else "")
    )


def _eaten(maze: Any, states: Sequence[Any]) -> list[str]:
    """Dots and capsules, which vanish when they are eaten."""
    parts = []
    for kind, radius in (("dots", 2.2), ("capsules", 5.5)):
        for i in getattr(states[0], kind):
            x, y = _centre(maze, i)
            gone = _steps("opacity", ["1" if i in getattr(s, kind) else "0" for s in states])
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius}" fill="{_DOT}">{gone}</circle>')
    return parts


def _pacman_shape(s: Any, direction: int) -> str:
    faded = "" if s.alive else ' opacity="0.25"'
    return f'<path d="{_MOUTH}" fill="{_PACMAN}" transform="rotate({_TURNS[direction]})"{faded}/>'


def _ghost_shape(i: int, scared: bool) -> str:
    return f'<path d="{_BODY}" fill="{_SCARED if scared else _GHOSTS[i]}"/>{_WORRY if scared else _EYES}'


def _place(maze: Any, square: int, shape: str) -> str:
    x, y = _centre(maze, square)
    return f'<g transform="translate({x:g},{y:g})">{shape}</g>'


def _centre(maze: Any, square: int) -> tuple[float, float]:
    r, c = maze.squares[square]
    return (c + 0.5) * _CELL, (r + 0.5) * _CELL


def _size(maze: Any) -> tuple[float, float]:
    return _CELL * len(maze.rows[0]), _CELL * len(maze.rows)


def _caption(text: str, y: float) -> str:
    return f'<text x="6" y="{y:g}" fill="{_INK}">{escape(text)}</text>'


def _svg(width: float, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="{_DARK}"/>{"".join(parts)}</svg>\n'
    )
