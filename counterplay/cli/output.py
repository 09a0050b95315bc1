"""What the commands print: JSON for programs, tables and boards for people, progress while they wait."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from counterplay.game import CHANCE, Position

__all__ = ["board", "is_interactive", "plain", "print_json", "progress", "say", "table", "turn"]

_COLOURS = {"x": "bold red", "o": "bold yellow"}

_out = Console(highlight=False, soft_wrap=True)
_err = Console(stderr=True, highlight=False)


def print_json(data: Any) -> None:
    print(json.dumps(data, allow_nan=False))


def say(what: str | Text | Table = "") -> None:
    _out.print(what, markup=isinstance(what, str))


def plain(text: str) -> Text:
    """A text in which square brackets are just brackets."""
    return Text(text)


def table(*columns: str) -> Table:
    """An empty table with those headings; those that begin with `#` are numbers."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column.removeprefix("#"), justify="right" if column.startswith("#") else "left")
    return made


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


@contextmanager
def progress(what: str) -> Iterator[Callable[[Any], None] | None]:
    """A line on the terminal with the nodes so far, while something long runs; nothing if nobody looks."""
    if not _err.is_terminal:
        yield None
        return
    began = time.perf_counter()
    with _err.status(what) as status:

        def show(tally: Any) -> None:
            rate = tally.nodes / (time.perf_counter() - began)
            stopping = ", stopping" if tally.stop else "; ctrl-C ends it"
            status.update(f"{what}: {int(tally.nodes):,} nodes, {rate / 1e6:.1f} M nodes/s{stopping}")

        yield show


def is_interactive() -> bool:
    """Whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()
