"""What `analyse` shows: the best lines of a position as they are found, or a game move by move."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from counterplay.apps.cli import output
from counterplay.arena import SavedGame
from counterplay.core.files import write_files
from counterplay.core.game import CHANCE, Game, Position, UserError
from counterplay.core.texts import printable
from counterplay.search import Result
from counterplay.study.analysis import BestLines, Review, ReviewedMove, best_lines, review

__all__ = ["analyse_game", "analyse_position"]

_BAR = 40  # characters of a bar that is quite full
_STYLES = {"?!": "yellow", "?": "dark_orange", "??": "bold red"}


# ---- a position


def analyse_position(here: Position, multi: int, as_json: bool, limits: dict[str, Any]) -> None:
    """The best lines: live where somebody looks, then once for good; or a line of JSON for each depth."""
    game, s = here
    board = (output.board(here), f"\n{output.turn(here)}\n")
    if as_json:
        found = best_lines(game, s, multi, **limits, progress=_JsonLines(multi), history=here.history)
        output.print_json({**found.as_dict(), "final": True})
    elif Console().is_terminal:
        _say(*board)
        with _Screen(multi) as screen:
            found = best_lines(game, s, multi, **limits, progress=screen, history=here.history)
        _say(*_shown(found))
    else:
        found = best_lines(game, s, multi, **limits, history=here.history)
        _say(*board, *_shown(found))


def _say(*parts: str | Text | Table) -> None:
    for part in parts:
        output.say(part)


class _JsonLines:
    """Prints what each depth found, at once."""

    def __init__(self, multi: int) -> None:
        self._multi = multi

    def __call__(self, tally: Any) -> None:
        pass

    def found(self, result: Result) -> None:
        output.print_json({**BestLines(result, self._multi).as_dict(), "final": False})
        sys.stdout.flush()


class _Screen:
    """The lines of the last depth, with nodes and speed, drawn anew about ten times a second."""

    def __init__(self, multi: int) -> None:
        self._multi = multi
        self._lines: BestLines | None = None
        self._live: Live | None = None
        self._began = 0.0

    def __call__(self, tally: Any) -> None:
        if self._live is None:  # not before: the compiler may have had something to say
            self._live = Live(console=Console(highlight=False), transient=True, auto_refresh=False)
            self._live.start()
            self._began = time.perf_counter()
        nodes, seconds = int(tally.nodes), max(1e-3, time.perf_counter() - self._began)
        state = f"{_counted(nodes, seconds)}; {'stopping' if tally.stop else 'ctrl-C ends it'}"
        parts = _rows(self._lines) if self._lines is not None else []
        depth = f"depth {self._lines.result.depth}, " if self._lines is not None else ""
        self._live.update(Group(*parts, Text(depth + state)), refresh=True)

    def found(self, result: Result) -> None:
        self._lines = BestLines(result, self._multi)  # drawn by the next call, in the caller's thread

    def __enter__(self) -> _Screen:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()


def _shown(found: BestLines) -> list[Table | Text]:
    """The lines for good, and how they were found."""
    result = found.result
    how = "exact" if result.proven else f"estimate at depth {result.depth}"
    end = f"{result.algorithm}: {how}, {_counted(result.nodes, result.seconds)}, ended by: {result.stopped}"
    return [*_rows(found), Text(end)]


def _rows(found: BestLines) -> list[Table | Text]:
    """A bar for who stands better, and a row for each line."""
    game, result = found.result.game, found.result
    parts: list[Table | Text] = [*_bars(game, result.values), Text()]
    if found.lines:
        table = output.table("#", "#value", "line")
        values = [_value(game, each.values) for each in found.lines]
        room = _width() - 8 - max(5, *map(len, values))
        for rank, (each, value) in enumerate(zip(found.lines, values, strict=True), 1):
            output.add_row(table, str(rank), value, _fitting(found.names(each), room))
        parts += [table, Text()]
    return parts


def _counted(nodes: int, seconds: float) -> str:
    speed = f", {nodes / seconds / 1e6:.1f} M nodes/s" if seconds > 0.1 else ""  # less is the clock's own noise
    return f"{nodes:,} nodes in {seconds:.3f} s{speed}"


def _value(game: Game, values: Sequence[float]) -> str:
    """For player 1; with more than two players, for each."""
    return ", ".join(map(_figure, values if game.players > 2 else values[:1]))


def _figure(v: float) -> str:
    """With a sign and three places at most."""
    return f"{round(v, 3) + 0.0:+.3f}".rstrip("0").rstrip(".")


def _bars(game: Game, values: Sequence[float]) -> list[Text]:
    """How the range of utilities is shared: one bar between two opponents, else one for each player."""
    if game.players == 2 and game.zero_sum:
        filled, empty = _bar(game, values[0])
        return [Text.assemble("player 1 ", filled, empty, f" player 2   {_value(game, values)} for player 1")]
    return [Text.assemble(f"player {p + 1} ", *_bar(game, v), f" {_value(game, (v,))}") for p, v in enumerate(values)]


def _bar(game: Game, v: float) -> tuple[Text, Text]:
    low, high = game.utility_range
    share = (v - low) / (high - low) if high > low else 0.5
    n = round(_BAR * min(max(share, 0.0), 1.0))
    if output.has_colours():
        return Text("█" * n, "bold cyan"), Text("█" * (_BAR - n), "bright_black")
    return Text("[" + "#" * n), Text("-" * (_BAR - n) + "]")


def _fitting(names: list[str], room: int) -> str:
    """As many moves as there is room for."""
    separator = ", " if any(" " in name for name in names) else " "
    text = separator.join(names)
    shown = len(names)
    while len(text) > room and shown > 1:
        shown -= 1
        text = separator.join(names[:shown]) + " ..."
    return text


def _width() -> int:
    return min(Console().width, 120)


# ---- a game


def analyse_game(record: SavedGame, game: Game, svg: Path | None, as_json: bool, limits: dict[str, Any]) -> None:
    """Every move with what it was worth, the mistakes with what would have been better, and a plot if it is wanted."""
    if svg is not None and not svg.parent.is_dir():  # now, not after all the work
        raise UserError(f"{svg} cannot be written: there is no folder {svg.parent}")
    with _progress(f"analysing {game} from the end") as progress:
        found = review(game, record.moves, record.begins, **limits, progress=progress)
    if as_json:
        for move in found.moves:
            output.print_json(move.as_dict())
        output.print_json(
            {
                "summary": True,
                "game": str(game),
                "begins": record.begins,
                "moves": list(record.moves),
                "complete": found.is_complete,
                "limits": found.limits.given(),
                "players": found.summary(),
            }
        )
    else:
        who = "for each player" if game.players > 2 else "for player 1"
        _say(f"values {who}; losses as parts of the range from the worst to the best\n", _table(found), "")
        if not found.is_complete:
            done = f"{len(found.moves)} of {len(found.states) - 1} moves"
            output.say(f"interrupted: {done} are analysed, from number {found.moves[0].number} on\n")
        output.say(str(found))
    if svg is not None:
        names = " against ".join(record.players) if len(record.players) == 2 else ""
        write_files({svg: found.svg(names and f"{game}: {names}")})


def _table(found: Review) -> Table:
    game = found.game
    table = output.table("#", "player", "move", "", "#value", "#loss", "better")
    names = max(len(move.name) for move in found.moves)
    values = [_value(game, move.after) for move in found.moves]
    room = _width() - 34 - max(4, names) - max(5, *map(len, values))
    for move, value in zip(found.moves, values, strict=True):
        style = _STYLES.get(move.mark, "")
        who = "chance" if move.player == CHANCE else str(move.player + 1)
        loss = f"{move.loss:.3f}" if move.player != CHANCE else ""
        cells = (str(move.number), who, move.name, move.mark, value, loss, _better(game, move, room))
        table.add_row(*(Text(printable(cell), style if i in (2, 3) else "") for i, cell in enumerate(cells)))
    return table


def _better(game: Game, move: ReviewedMove, room: int) -> str:
    """What should have been played, of a move that is marked; for chance, whose luck it was."""
    if move.player == CHANCE:
        return f"luck {_figure(move.luck)}" if game.players <= 2 else "luck"
    if not move.mark:
        return ""
    value = _value(game, move.before) + ": "
    return value + _fitting(list(move.line), room - len(value))


@contextmanager
def _progress(what: str) -> Iterator[Any]:
    """A bar while somebody looks."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(20), MofNCompleteColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(f"{what}; ctrl-C ends it", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
