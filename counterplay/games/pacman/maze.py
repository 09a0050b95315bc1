"""The mazes of Pacman: layouts read from text, and what can be known of a maze before the game begins."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import NamedTuple

import numpy as np

from counterplay.core.files import read_text
from counterplay.core.game import UnreadableText, UserError

LAYOUTS = Path(__file__).parent / "layouts"
NORTH, EAST, SOUTH, WEST, STOP = range(5)
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # rows and columns, by direction
MOST_SQUARES, MOST_GHOSTS = 400, 4
MOST_CHARACTERS = 100_000
FAR = 255
"""The distance of squares between which there is no way."""


class Maze(NamedTuple):
    """A layout. Its open squares are numbered row by row from the top left; walls have no number."""

    rows: tuple[str, ...]
    squares: tuple[tuple[int, int], ...]  # row and column of each open square
    pacman: int
    ghosts: tuple[int, ...]
    dots: tuple[int, ...]
    capsules: tuple[int, ...]


def names() -> list[str]:
    """The layouts of the package."""
    return sorted(file.stem for file in LAYOUTS.glob("*.txt"))


def read(layout: str) -> Maze:
    """The maze of a layout by its name, or of a file."""
    is_ours = layout in names()
    file = LAYOUTS / f"{layout}.txt" if is_ours else Path(layout)
    if not is_ours and not file.is_file():
        raise UnreadableText(f"there is no layout '{layout}'; there are: {', '.join(names())}, or give a file's path")
    try:
        text = read_text(file)
    except UserError as error:
        raise UnreadableText(f"no layout: {error}") from None
    return parse(text, layout)


def parse(text: str, name: str = "the layout") -> Maze:
    """The maze that a text draws; what is wrong with it is said in a line, with the place."""
    if len(text) > MOST_CHARACTERS:
        raise UnreadableText(f"{name} has {len(text):,} characters; {MOST_CHARACTERS:,} is the most")
    rows = text.splitlines()
    while rows and not rows[-1].strip():
        rows.pop()
    if len({len(row) for row in rows}) > 1:  # blanks behind the maze are none of its squares
        width = max(len(row.rstrip()) for row in rows)
        rows = [row[:width] + row[width:].rstrip() for row in rows]
    if not rows:
        raise UnreadableText(f"{name} is empty; a layout has walls %, dots ., capsules o, a Pacman P and ghosts G")
    for r, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise UnreadableText(f"{name}, line {r + 1}: {len(row)} characters, but line 1 has {len(rows[0])}")
        for c, cell in enumerate(row):
            if cell not in "%.oPG ":
                raise UnreadableText(f"{name}, line {r + 1}, column {c + 1}: '{cell}' is none of % . o P G and blank")
    squares = tuple((r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell != "%")
    found = {kind: tuple(i for i, (r, c) in enumerate(squares) if rows[r][c] == kind) for kind in "PG.o"}
    if len(squares) > MOST_SQUARES:
        raise UnreadableText(f"{name} has {len(squares)} squares that are no walls; {MOST_SQUARES} is the most")
    if len(found["P"]) != 1:
        raise UnreadableText(f"{name} has {len(found['P'])} Pacmen P; it needs 1")
    if not 1 <= len(found["G"]) <= MOST_GHOSTS:
        raise UnreadableText(f"{name} has {len(found['G'])} ghosts G; it needs 1 to {MOST_GHOSTS}")
    if not found["."]:
        raise UnreadableText(f"{name} has no dot; there must be one to eat")
    maze = Maze(tuple(rows), squares, found["P"][0], found["G"], found["."], found["o"])
    _must_be_playable(maze, name)
    return maze


def _must_be_playable(maze: Maze, name: str) -> None:
    onward, far = neighbours(maze), distances(maze)
    for i in (*maze.dots, *maze.capsules):
        if far[maze.pacman, i] == FAR:
            r, c = maze.squares[i]
            raise UnreadableText(f"{name}, line {r + 1}, column {c + 1}: Pacman cannot get to this '{maze.rows[r][c]}'")
    for i in maze.ghosts:
        if (onward[i] < 0).all():
            r, c = maze.squares[i]
            raise UnreadableText(f"{name}, line {r + 1}, column {c + 1}: this ghost cannot move")


# ---- what is known beforehand


def neighbours(maze: Maze) -> np.ndarray:
    """By square and direction the square one gets to, or -1 at a wall."""
    number = {place: i for i, place in enumerate(maze.squares)}
    return np.array([[number.get((r + y, c + x), -1) for y, x in STEPS] for r, c in maze.squares], np.int16)


def distances(maze: Maze) -> np.ndarray:
    """The steps from each square to each other, or FAR."""
    onward = neighbours(maze).tolist()
    found = np.full((len(onward), len(onward)), FAR, np.uint8)
    for start in range(len(onward)):
        found[start, start] = 0
        waiting = deque([start])
        while waiting:
            here = waiting.popleft()
            for there in onward[here]:
                if there >= 0 and found[start, there] == FAR:
                    found[start, there] = min(found[start, here] + 1, FAR - 1)
                    waiting.append(there)
    return found


def choices(maze: Maze) -> np.ndarray:
    """The directions one may go, by square and by who goes: a ghost heading north, ... west or nowhere; Pacman; a ghost
    halfway north, ... west of the square.

    A row begins with the number of choices. A ghost turns back only if there is no other way, and never halfway; Pacman
    may stop.
    """
    found = np.zeros((len(maze.squares), 10, 6), np.int8)
    for i, onward in enumerate(neighbours(maze).tolist()):
        open_ways = [d for d in range(4) if onward[d] >= 0]
        for heading in range(4):
            back = (heading + 2) % 4
            ways = [d for d in open_ways if d != back] or open_ways
            found[i, heading, : len(ways) + 1] = [len(ways), *ways]
        for who, ways in ((4, open_ways), (5, [*open_ways, STOP])):
            found[i, who, : len(ways) + 1] = [len(ways), *ways]
        for heading in open_ways:
            found[i, 6 + heading, :2] = [1, heading]
    return found
