"""What tables know of one position."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from counterplay.core.errors import UserError
from counterplay.core.game import Game
from counterplay.search.result import Result
from counterplay.search.tabled import table_answer
from counterplay.solve.tables.shelf import is_joined, join

__all__ = ["lookup"]


def lookup(game: Game, s: Any, folder: Path | None = None) -> Result:
    """What every move at `s` is worth, and how far the end is, by the tables; an error if they do not know it."""
    if game.is_terminal(s):
        raise UserError(f"the game is over: {game.outcome(s)}")
    joined = join(game, folder)
    if not is_joined(joined):
        raise UserError(f"there is no table of {game}: `counterplay table {game}` builds one")
    found = table_answer(joined, s)
    if found is None:
        raise UserError(f"no table knows '{game.to_text(s)}'")
    return found
