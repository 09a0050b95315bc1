"""Whether tables are what they were when they were built, and of the game as it is now."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from counterplay.core.errors import UserError
from counterplay.core.game import Game
from counterplay.games._endings import SLICE_AT, numbering
from counterplay.search.tabled import Known, best_moves, known, known_moves
from counterplay.solve.tables.files import TableFile, open_table
from counterplay.solve.tables.shelf import join

__all__ = ["check"]

_POSITIONS = 50
"""So many of each slice are looked at."""


def check(game: Game, tables: Iterable[TableFile], folder: Path | None = None) -> None:
    """Sum up the files, and see that some positions of each are worth what their moves say; an error if not."""
    known_numbers = numbering(game)
    joined: Any = join(game, folder)
    for table in tables:
        open_table(table.file, is_checked=True)
        if known_numbers is None or game.chance:
            continue
        chosen = random.Random(0)
        for number in table.slices:
            for _ in range(_POSITIONS):
                i = number << SLICE_AT | chosen.randrange(known_numbers.sizes[number])
                if joined.is_position(i) and not _follows(joined, joined.position(i)):
                    where = game.to_text(joined.position(i))
                    raise UserError(f"{table.file} is wrong about '{where}': delete it and build it anew")


def _follows(game: Game, s: Any) -> bool:
    """Whether what is known of a position follows from what is known after its moves, as far as that is."""
    here = known(game, s)
    if game.is_terminal(s) or here is None:
        return True
    moves = known_moves(game, s)
    if None in moves.values():  # a win that comes too late to be told
        return True
    best = moves[best_moves(game, s, moves)[0]]
    assert best is not None
    return here == Known(best.value, best.plies + 1 if best.value in game.utility_range else 0)
