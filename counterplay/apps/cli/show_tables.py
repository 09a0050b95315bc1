"""Endgame tables as people read them: what was built, and what is known of a position."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from counterplay.apps.cli import output
from counterplay.core import words
from counterplay.core.game import Position
from counterplay.search import Result
from counterplay.solve import tables

__all__ = ["as_dict", "show_lookup", "show_tables", "watching"]

_MOST_SHOWN = 60  # tables


@contextmanager
def watching() -> Iterator[Any]:
    """A line on the terminal that says how far the building is; None if nobody looks."""
    with output.live() as live:
        if live is None:
            yield None
            return

        def tell(news: tables.News) -> None:
            share = f"{100 * news.done // news.of}%" if news.of else f"{news.done:,} positions"
            live.update(f"{news.unit}: {news.step} {share}; ctrl-C ends it, what is finished is kept", refresh=True)

        yield tell


def show_tables(found: list[tables.TableFile]) -> None:
    """The size of each table, and who wins in it."""
    rows = output.table("table", "#positions", "#wins", "#draws", "#losses", "#longest")
    several = [each.about for each in found[:_MOST_SHOWN]]
    if len(found) > 1:
        several.append({"name": "all", **tables.totals(found)})
    for about in several:
        figures = (f"{about[name]:,}" for name in ("positions", "wins", "draws", "losses", "longest"))
        output.add_row(rows, about["name"], *figures)
    output.say(rows)
    output.say("\nwins and losses are of the player to move, the longest is counted in plies")
    size = sum(each.file.stat().st_size for each in found) / 1e6
    output.say(f"{size:.1f} MB in {found[0].file.parent}, where searches find it")


def as_dict(found: list[tables.TableFile]) -> dict[str, Any]:
    """For JSON."""
    return {
        **tables.totals(found),
        "tables": [{**each.about, "file": str(each.file), "bytes": each.file.stat().st_size} for each in found],
    }


def show_lookup(here: Position, result: Result) -> None:
    """The board, what each move is worth, and best play."""
    game, s = here
    output.say(output.board(here))
    output.say(f"\n{output.turn(here)}\n")
    rows = output.table("move", "#value", "#plies", "")
    for each in result.actions:
        value, mark = result.worth_of(each)
        output.add_row(
            rows, game.action_name(s, each.action), value, "" if each.within is None else str(each.within), mark
        )
    output.say(rows)
    output.say(f"{words.caption(game, result.player)}\n")
    output.say(f"table: {result.told(here.history)}")
