"""What `counterplay demo` shows: the figures and claims of a demonstration, and its games, moving or drawn."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from counterplay.apps.cli import output
from counterplay.core.files import write_files
from counterplay.core.game import UserError
from counterplay.study import demos
from counterplay.study.demos.outcome import Outcome, Reel

__all__ = ["list_demos", "run_demo"]

_SECONDS = 0.12  # a frame
_COLOURS = {"%": "blue", ".": "white", "o": "bold white", "P": "bold yellow", "X": "yellow", "g": "bold bright_blue"}
_GHOSTS = ("bold red", "bold cyan", "bold magenta", "bold bright_red")


def list_demos(as_json: bool) -> None:
    if as_json:
        output.print_json([{"name": name, "about": about} for name, about in demos.DEMOS.items()])
        return
    table = output.table("demo", "shows that")
    for name, about in demos.DEMOS.items():
        output.add_row(table, name, about)
    output.say(table)


def run_demo(name: str, seeds: int | None, svg: Path | None, watch: bool, as_json: bool) -> bool:
    """Run it and print; whether all claims hold."""
    demo = demos.load(name)
    if seeds is not None and seeds < 1:
        raise UserError(f"a demonstration plays for 1 seed or more, not {seeds}")
    with output.progress(name):
        began = time.perf_counter()
        outcome = demo.run(seeds or demo.seeds)
        seconds = time.perf_counter() - began
    if watch and not outcome.reels:
        raise UserError(f"{name} has no game to watch")
    if svg is not None:
        write_files({svg: picture(outcome)})
    if as_json:
        output.print_json({"demo": name, "about": demo.about, **outcome.as_dict(), "seconds": seconds})
        return outcome.holds
    if watch:
        for reel in outcome.reels:
            show_reel(reel)
    output.say(f"{demo.about}\n")
    output.say(outcome.text + "\n")
    output.say(_table(outcome.rows))
    output.say()
    for claim in outcome.claims:
        output.say(f"{'holds' if claim.holds else 'DOES NOT HOLD'}: {claim.text}")
    output.say(f"\n{outcome.seeds} seeds in {seconds:.1f} s")
    return outcome.holds


def picture(outcome: Outcome) -> str:
    """The games as a moving SVG, or what else there is to see."""
    from counterplay.games.pacman.drawing import Film, films_svg

    if not outcome.reels:
        return outcome.picture
    return films_svg([Film(reel.title, reel.game.maze, reel.states) for reel in outcome.reels])


def _table(rows: list[dict[str, Any]]) -> Table:
    numbers = {name for name, value in rows[0].items() if not isinstance(value, str)}
    table = output.table(*(f"#{name}" if name in numbers else name for name in rows[0]))
    for row in rows:
        output.add_row(table, *(_cell(name, value) for name, value in row.items()))
    return table


_SHARES = {"won", "lost", "ghosts win", "Pacman wins", "mistakes"}


def _cell(name: str, value: Any) -> str:
    if name in _SHARES:
        return f"{value:.1%}"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


# ---- watching


def show_reel(reel: Reel) -> None:
    """The game, frame by frame on a terminal; else its frames as plain text, one below the other."""
    frames = [s for k, s in enumerate(reel.states) if s.turn == 0 or k == len(reel.states) - 1]
    if not output.is_interactive():
        for s in frames:
            output.say(f"{reel.title}\n{reel.game.show(s)}\n")
        return
    with Live(refresh_per_second=20, transient=False) as live:
        for s in frames:
            live.update(Group(Text(reel.title, "bold"), coloured(reel.game, s)), refresh=True)
            time.sleep(_SECONDS)
        time.sleep(5 * _SECONDS)


def coloured(game: Any, s: Any) -> Text:
    """A position of Pacman in colours."""
    ghosts = {game.maze.squares[square]: i for i, square in enumerate(s.ghosts)}
    text = Text()
    *rows, status = game.show(s).split("\n")
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            style = _GHOSTS[ghosts[r, c]] if cell == "G" else _COLOURS.get(cell, "")
            text.append("█" if cell == "%" else "·" if cell == "." else cell, style)
        text.append("\n")
    return text.append(status)
