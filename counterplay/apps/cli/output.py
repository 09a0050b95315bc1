"""What the commands print: JSON for programs, tables and boards for people, progress while they wait."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from counterplay.core import words
from counterplay.core.drawing import Span, board_spans, board_text
from counterplay.core.game import Position
from counterplay.core.texts import printable

if TYPE_CHECKING:
    from rich.live import Live
    from rich.status import Status

    from counterplay.search import Result

__all__ = [
    "add_row",
    "board",
    "has_colours",
    "is_interactive",
    "line_of",
    "listed",
    "live",
    "print_json",
    "progress",
    "say",
    "speed",
    "table",
    "turn",
]

_out = Console(highlight=False, soft_wrap=True)
_err = Console(stderr=True, highlight=False)


def print_json(data: Any) -> None:
    print(json.dumps(data, allow_nan=False), flush=True)  # whoever reads it may wait for this line


def say(what: str | Text | Table = "") -> None:
    """Print; a text is printed as it is, whatever brackets and colons are in it, but for control characters."""
    _out.print(_clean(what) if isinstance(what, str) else what)


def _clean(text: str) -> Text:
    """Text for the terminal: names and comments may come from a file of anybody's."""
    return Text(printable(text))


def table(*columns: str) -> Table:
    """An empty table with those headings; those that begin with `#` are numbers."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(_clean(column.removeprefix("#")), justify="right" if column.startswith("#") else "left")
    return made


def add_row(to: Table, *cells: str) -> None:
    """A row of texts as they are."""
    to.add_row(*map(_clean, cells))


def board(position: Position) -> Text:
    """The position as the game shows it; on a terminal with colours its board is drawn in them."""
    game, s = position
    text, cells = str(position), game.board(s)
    plain = None if cells is None else board_text(cells, *game.labels())
    if not has_colours():
        return _clean(text)
    if cells is None or plain is None or plain not in text:
        lines = game.coloured(s)
        return _clean(text) if lines is None else _drawn(lines)
    above, below = text.split(plain, 1)
    drawn = _drawn(board_spans(cells, *game.labels(), game.look, position.marked()))
    return Text.assemble(_clean(above), drawn, _clean(below))


def _drawn(lines: Sequence[Sequence[Span]]) -> Text:
    drawn = Text()
    for number, line in enumerate(lines):
        drawn.append("\n" if number else "")
        for span in line:
            style = f"bold {span.colour}" if span.colour else ""
            drawn.append(printable(span.text), f"{style} on {span.behind}".strip() if span.behind else style)
    return drawn


def has_colours() -> bool:
    """Whether what is printed goes to a terminal that shows colours, and more than ASCII, and nobody minds."""
    return _out.is_terminal and _out.color_system is not None and not _out.no_color and not _out.options.ascii_only


def listed(moves: list[str]) -> str:
    """The names of moves, with commas where names have blanks in them."""
    return (", " if any(" " in name for name in moves) else " ").join(moves)


def turn(position: Position) -> str:
    """Who is to move, or how the game ended."""
    game, s = position
    if game.is_terminal(s):
        return f"the game is over: {game.outcome(s)}"
    return f"{words.player_name(game, game.player(s))} is to move"


def line_of(result: Result, earlier: Sequence[Any] = (), most: int | None = None) -> str:
    """Best play as a search saw it, with numbers; `earlier` has the states before."""
    return words.line_text(result.game, result.state, result.line, earlier, most)


def speed(nodes: int, seconds: float) -> str:
    """How fast that was; nothing where the clock's own noise would be told."""
    if seconds < 0.1:
        return ""
    rate = nodes / seconds
    return f", {rate / 1e6:.1f} M nodes/s" if rate >= 1e5 else f", {rate:,.0f} nodes/s"


class Progress:
    """A line on the terminal that follows a search: nodes and speed, and what the last depth found."""

    def __init__(self, what: str, status: Status) -> None:
        self._what, self._status = what, status
        self._began = 0.0
        self._found = ""

    def __call__(self, tally: Any) -> None:
        if not self._began:  # not before: the compiler may have had something to say, on a line of its own
            self._began = time.perf_counter()
            self._status.start()
        stopping = "stopping" if tally.stop else "ctrl-C ends it"
        nodes, seconds = int(tally.nodes), time.perf_counter() - self._began
        self._status.update(_clean(f"{self._what}: {self._found}{nodes:,} nodes{speed(nodes, seconds)}; {stopping}"))

    def found(self, result: Result) -> None:
        self._found = f"depth {result.depth}, {result.worth()}, {line_of(result, most=8)}; "


@contextmanager
def progress(what: str) -> Iterator[Progress | None]:
    """Show progress on the terminal while something long runs; nothing if nobody looks."""
    if not _err.is_terminal:
        yield None
        return
    status = _err.status(what)
    try:
        yield Progress(what, status)
    finally:
        status.stop()


@contextmanager
def live() -> Iterator[Live | None]:
    """Something on the terminal that changes while something long runs; nothing if nobody looks."""
    if not _err.is_terminal:
        yield None
        return
    from rich.live import Live

    with Live(console=_err, transient=True, auto_refresh=False) as shown:
        yield shown


def is_interactive() -> bool:
    """Whether a person sits at both ends."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
