"""What the commands print: JSON for programs, tables and boards for people, progress while they wait."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from counterplay.game import CHANCE, Position

if TYPE_CHECKING:
    from counterplay.search import Result

__all__ = ["add_row", "board", "is_interactive", "print_json", "progress", "say", "table", "turn"]

_COLOURS = {"x": "bold red", "o": "bold yellow"}

_out = Console(highlight=False, soft_wrap=True)
_err = Console(stderr=True, highlight=False)


def print_json(data: Any) -> None:
    print(json.dumps(data, allow_nan=False))


def say(what: str | Text | Table = "") -> None:
    """Print; a text is printed as it is, whatever brackets and colons are in it."""
    _out.print(Text(what) if isinstance(what, str) else what)


def table(*columns: str) -> Table:
    """An empty table with those headings; those that begin with `#` are numbers."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column.removeprefix("#"), justify="right" if column.startswith("#") else "left")
    return made


def add_row(to: Table, *cells: str) -> None:
    """A row of texts as they are."""
    to.add_row(*map(Text, cells))


def board(position: Position) -> Text:
    """The position as the game shows it, with x and o in colour if it is a board."""
    text = Text(str(position))
    if position.game.board(position.state) is not None:
        for piece, colour in _COLOURS.items():
            text.highlight_regex(rf"(?<![a-z]){piece}(?![a-z])", colour)
    return text


def turn(position: Position) -> str:
    """Who is to move, or how the game ended."""
    game, s = position
    if game.is_terminal(s):
        utilities = ", ".join(f"{game.utility(s, p):g}" for p in range(game.players))
        return f"the game is over; utilities: {utilities}"
    p = game.player(s)
    return "chance is to move" if p == CHANCE else f"player {p + 1} is to move"


class Progress:
    """A line on the terminal that follows a search: nodes and speed, and what the last depth found."""

    def __init__(self, what: str, status: Status) -> None:
        self._what, self._status = what, status
        self._began = time.perf_counter()
        self._found = ""

    def __call__(self, tally: Any) -> None:
        rate = tally.nodes / (time.perf_counter() - self._began)
        stopping = "stopping" if tally.stop else "ctrl-C ends it"
        speed = f"{int(tally.nodes):,} nodes, {rate / 1e6:.1f} M nodes/s"
        self._status.update(Text(f"{self._what}: {self._found}{speed}; {stopping}"))

    def found(self, result: Result) -> None:
        line = " ".join(result.line_names[:8])
        self._found = f"depth {result.depth}, value {result.value:g}, line {line}; "


@contextmanager
def progress(what: str) -> Iterator[Progress | None]:
    """Show progress on the terminal while something long runs; nothing if nobody looks."""
    if not _err.is_terminal:
        yield None
        return
    with _err.status(what) as status:
        yield Progress(what, status)


def is_interactive() -> bool:
    """Whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()
