"""Counterplay: write the rules of a game as a plain Python class; it is played, solved and explained at the speed of C.

>>> from counterplay import games, search
>>> search.minimax(games.load("tic_tac_toe")).value
0.0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from counterplay.core.bits import Bits
from counterplay.core.boards import BoardGame
from counterplay.core.cells import Cells
from counterplay.core.game import (
    CHANCE,
    AmbiguousText,
    Game,
    IllegalAction,
    Position,
    RulesError,
    UnreadableText,
    UserError,
    is_repeated,
    read_board,
)
from counterplay.core.memory import Memory
from counterplay.core.primitives import Table, count, mix64, nth, replace, state_key

if TYPE_CHECKING:
    from counterplay import arena, games, learn, native, search, solve
    from counterplay.study import analysis, quiz, trees

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "AmbiguousText",
    "Bits",
    "BoardGame",
    "Cells",
    "Game",
    "IllegalAction",
    "Memory",
    "Position",
    "RulesError",
    "Table",
    "UnreadableText",
    "UserError",
    "analysis",
    "arena",
    "count",
    "games",
    "is_repeated",
    "learn",
    "mix64",
    "native",
    "nth",
    "quiz",
    "read_board",
    "replace",
    "search",
    "solve",
    "state_key",
    "trees",
]


_ROOMS = {
    **dict.fromkeys(("arena", "games", "learn", "native", "search", "solve"), "counterplay"),
    **dict.fromkeys(("analysis", "check", "demos", "experiments", "quiz", "trees"), "counterplay.study"),
}
"""The larger parts, and where they are."""


def __getattr__(name: str) -> Any:
    """Import the larger parts when they are first asked for."""
    if name in _ROOMS:
        return importlib.import_module(f"{_ROOMS[name]}.{name}")
    raise AttributeError(f"counterplay has no '{name}'")
