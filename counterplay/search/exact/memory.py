"""The memory of one thread that solves."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.game import Game
from counterplay.core.records import new_record, record_type

__all__ = ["BUSY", "PLIES", "SOUND", "WIDTH", "is_solvable", "new_memory"]

PLIES = 256
"""The longest line."""
WIDTH = 254
"""The most actions in a state."""
BUSY = 1 << 12
"""Places in which threads show what they are looking at."""
SOUND = -1
"""Instead of a ply: say what solving would cost."""

_PAYS = ("table_from", "order_from", "estimate_from", "probe_from", "share_from")
_COUNTS = ("most_nodes", "stop", "root_left", "deepest", "most_cost")
_MEMORY = record_type(
    [(name, np.int64) for name in ("table_at", "mask", "busy_at", *_COUNTS, *_PAYS)]
    + [(name, np.float64) for name in ("cut", "estimate_weight")]
    + [
        ("cost", np.int64, (PLIES,)),
        ("moves", np.int64, (PLIES, WIDTH)),
        ("keys", np.int64, (PLIES, WIDTH)),
        ("numbers", np.int64, (PLIES, WIDTH)),
        ("scores", np.float64, (PLIES, WIDTH)),
    ]
)


def is_solvable(game: Game) -> bool:
    """Whether the game says how far its end is, and what a state is worth depends on nothing before it."""
    is_duel = game.players == 2 and game.zero_sum and not game.chance
    return bool(is_duel and game.knows.plies_left and not game.knows.reversible)


def new_memory(game: Game, address: int, entries: int) -> Any:
    """Fresh memory, with a table of so many entries, a power of two, at an address that the caller keeps alive.

    From how many plies on something pays was tried on endings of Othello and positions of Connect Four.
    """
    w = new_record(_MEMORY)
    w.table_at, w.mask = address, entries - 4
    w.most_nodes = 1 << 62
    w.order_from = game.finish_plies + 3
    w.table_from = game.finish_plies + 5
    w.probe_from = game.finish_plies + 14
    w.estimate_from = 27
    w.share_from = 2 * game.finish_plies + 11
    w.estimate_weight = 400.0
    return w
