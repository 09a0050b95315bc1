"""What the commands print: JSON for programs, tables and boards for people, progress while they wait."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from counterplay.core.drawing import board_spans, board_text
from counterplay.core.game import CHANCE, Position

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.status import Status

    from counterplay.arena import Score
    from counterplay.search import Result

__all__ = [
    "add_row",
    "board",
    "has_colours",
    "is_interactive",
    "listed",
    "print_json",
    "progress",
    "say",
    "score_line",
    "table",
    "turn",
]

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
    """The position as the game shows it; on a terminal with colours its board is drawn in them."""
    game, s = position
    text, cells = str(position), game.board(s)
    plain = None if cells is None else board_text(cells, *game.labels())
    if cells is None or plain is None or plain not in text or not has_colours():
        return Text(text)
    drawn = Text()
    for line in board_spans(cells, *game.labels(), game.look, position.marked()):
        drawn.append("\n" if drawn else "")
        for span in line:
            style = f"bold {span.colour}" if span.colour else ""
            drawn.append(span.text, f"{style} on {span.behind}".strip() if span.behind else style)
    above, below = text.split(plain, 1)
    return Text.assemble(above, drawn, below)


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
        utilities = ", ".join(f"{game.utility(s, p):g}" for p in range(game.players))
        return f"the game is over; utilities: {utilities}"
    p = game.player(s)
    return "chance is to move" if p == CHANCE else f"{game.player_names[p]} is to move"


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


class ScoreLine:
    """The score of a match so far, with a bar on a terminal."""

    def __init__(self, bar: Bar | None, task: Any) -> None:
        self.score: Score | None = None
        self._bar, self._task = bar, task

    def __call__(self, score: Score) -> None:
        self.score = score
        if self._bar is not None:
            self._bar.update(self._task, completed=score.games, score=str(score))


@contextmanager
def score_line(what: str, games: int) -> Iterator[ScoreLine]:
    """Follow a match: a bar while somebody looks."""
    if not _err.is_terminal:
        yield ScoreLine(None, None)
        return
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[score]}"),
    )
    with Bar(*columns, console=_err, transient=True) as bar:
        yield ScoreLine(bar, bar.add_task(escape(what), total=games, score=""))


def is_interactive() -> bool:
    """Whether a person sits at both ends."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
