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
from counterplay.apps.cli.estimating import about_model, told_model
from counterplay.arena import SavedGame
from counterplay.core import words
from counterplay.core.files import write_files
from counterplay.core.game import CHANCE, Game, Position, UserError
from counterplay.core.texts import printable
from counterplay.search import ActionValue, Result
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
        output.print_json({**found.as_dict(), **about_model(game), "final": True})
    elif Console().is_terminal:
        _say(*board)
        with _Screen(multi, here.history) as screen:
            found = best_lines(game, s, multi, **limits, progress=screen, history=here.history)
        _say(*_shown(found, here.history))
    else:
        found = best_lines(game, s, multi, **limits, history=here.history)
        _say(*board, *_shown(found, here.history))


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

    def __init__(self, multi: int, earlier: Sequence[Any]) -> None:
        self._multi, self._earlier = multi, earlier
        self._lines: BestLines | None = None
        self._live: Live | None = None
        self._began = 0.0

    def __call__(self, tally: Any) -> None:
        if self._live is None:  # not before: the compiler may have had something to say
            self._live = Live(console=Console(highlight=False), transient=True, auto_refresh=False)
            self._live.start()
            self._began = time.perf_counter()
        nodes, seconds = int(tally.nodes), max(1e-3, time.perf_counter() - self._began)
        state = f"{nodes:,} nodes{output.speed(nodes, seconds)}; {'stopping' if tally.stop else 'ctrl-C ends it'}"
        parts = _rows(self._lines, self._earlier) if self._lines is not None else []
        depth = f"depth {self._lines.result.depth}, " if self._lines is not None else ""
        self._live.update(Group(*parts, Text(depth + state)), refresh=True)

    def found(self, result: Result) -> None:
        self._lines = BestLines(result, self._multi)  # drawn by the next call, in the caller's thread

    def __enter__(self) -> _Screen:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()


def _shown(found: BestLines, earlier: Sequence[Any]) -> list[Table | Text]:
    """The lines for good, and how they were found."""
    result = found.result
    how = "exact" if result.proven else f"estimate at depth {result.depth}"
    spent = f"{result.nodes:,} nodes in {result.seconds:.3f} s{output.speed(result.nodes, result.seconds)}"
    told = [f"{result.algorithm}: {how}, {spent}, ended by: {result.stopped}"]
    return [*_rows(found, earlier), *map(Text, [*told, *([] if result.proven else told_model(result.game))])]


def _rows(found: BestLines, earlier: Sequence[Any]) -> list[Table | Text]:
    """A bar for who stands better, and a row for each line."""
    game, result = found.result.game, found.result
    parts: list[Table | Text] = [*_bars(result), Text()]
    if found.lines:
        p = game.player(result.state)
        table = output.table("#", "#value", "line")
        values = [words.values_text(game, each.values, p, unit=False, **_how(result, each)) for each in found.lines]
        room = _width() - 8 - max(5, *map(len, values))
        for rank, (each, value) in enumerate(zip(found.lines, values, strict=True), 1):
            output.add_row(table, str(rank), value, _fitting(game, result.state, each.line, earlier, room))
        parts += [table, Text(f"{words.caption(game, p, result.simulations is not None)}\n")]
    return parts


def _how(result: Result, each: Result | ActionValue) -> dict[str, Any]:
    """How sure a value is; of a table's, how far the end is."""
    plies = each.within if result.stopped == "table" else None
    return {"proven": each.proven, "simulated": result.simulations is not None, "plies": plies}


def _bars(result: Result) -> list[Text]:
    """How the chances are shared: one bar between two opponents, else one for each player."""
    game, names, values = result.game, result.game.player_names, result.values
    if game.players == 2 and game.zero_sum:
        filled, empty = _bar(result, values[0])
        return [Text.assemble(f"{names[0]} ", filled, empty, f" {names[1]}   {result.worth()}")]
    told = [words.value_text(game, v, **_how(result, result)) for v in values]
    wide = max(map(len, names))
    return [
        Text.assemble(f"{name:{wide}} ", *_bar(result, v), f" {text}")
        for name, v, text in zip(names, values, told, strict=True)
    ]


def _bar(result: Result, v: float) -> tuple[Text, Text]:
    is_mean = result.simulations is not None
    n = round(_BAR * (words.chance_to_win(result.game, v) if is_mean else result.game.chance_to_win(v)))
    if output.has_colours():
        return Text("█" * n, "bold cyan"), Text("█" * (_BAR - n), "bright_black")
    return Text("[" + "#" * n), Text("-" * (_BAR - n) + "]")


def _fitting(game: Game, s: Any, line: Sequence[int], earlier: Sequence[Any], room: int) -> str:
    """As many moves as there is room for."""
    text = words.line_text(game, s, line, earlier)
    shown = len(line)
    while len(text) > room and shown > 1:
        shown -= 1
        text = words.line_text(game, s, line, earlier, shown)
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
                **about_model(game),
            }
        )
    else:
        of = "of the way from the worst to the best" if game.scored else "of the chance to win"
        _say(f"{words.caption(game, 0)}; losses are parts {of}\n", _table(found), "")
        if not found.is_complete:
            done = f"{len(found.moves)} of {len(found.states) - 1} moves"
            output.say(f"interrupted: {done} are analysed, from number {found.moves[0].number} on\n")
        output.say(str(found))
        _say(*told_model(game))
    if svg is not None:
        names = " against ".join(record.players) if len(record.players) == 2 else ""
        write_files({svg: found.svg(names and f"{game}: {names}")})


def _table(found: Review) -> Table:
    game = found.game
    table = output.table("#", "player", "move", "", "#value", "#loss", "better")
    names = max(len(move.name) for move in found.moves)
    values = [_value(game, move.after, move.settled) for move in found.moves]
    players = max(len(words.player_name(game, move.player)) for move in found.moves)
    room = _width() - 28 - max(6, players) - max(4, names) - max(5, *map(len, values))
    for move, value in zip(found.moves, values, strict=True):
        style = _STYLES.get(move.mark, "")
        loss = f"{100 * move.loss:.0f}%" if move.player != CHANCE else ""
        cells = (_number(found, move), words.player_name(game, move.player), move.name, move.mark, value, loss)
        shown = map(printable, (*cells, _better(found, move, room)))
        table.add_row(*(Text(cell, style if i in (2, 3) else "") for i, cell in enumerate(shown)))
    return table


def _value(game: Game, values: Sequence[float], is_proven: bool) -> str:
    """For the first player, whoever moves; where opponents do not share a value, for each."""
    return words.values_text(game, values, 0, proven=is_proven, unit=False)


def _number(found: Review, move: ReviewedMove) -> str:
    """As it is the custom of the game: a move of both together has one, or each its own."""
    game, i = found.game, move.number - 1
    if not words.has_numbers(game, [each.name for each in found.moves]):
        return str(move.number)
    return f"{game.move_number(found.states[i], found.states[:i])}{'.' if move.player == 0 else '...'}"


def _better(found: Review, move: ReviewedMove, room: int) -> str:
    """What should have been played, of a move that is marked; for chance, whose luck it was."""
    game, i = found.game, move.number - 1
    if move.player == CHANCE:
        return f"luck {words.gain_text(game, move.before[0], move.after[0])}" if words.is_duel(game) else "luck"
    if not move.mark:
        return ""
    value = _value(game, move.before, move.proven) + ": "
    line = game.read_moves(found.states[i], move.line)
    return value + _fitting(game, found.states[i], line, found.states[:i], room - len(value))


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
