"""The searches by name, and which one suits a game."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from counterplay.game import Game, UserError
from counterplay.search.alphabeta import alphabeta
from counterplay.search.expectimax import expectimax
from counterplay.search.expectiminimax import expectiminimax
from counterplay.search.maxn import maxn
from counterplay.search.mcts import mcts
from counterplay.search.minimax import minimax
from counterplay.search.paranoid import paranoid
from counterplay.search.result import Result

__all__ = ["ALGORITHMS", "best_for", "search"]

ALGORITHMS: dict[str, Callable[..., Result]] = {
    function.__name__: function for function in (minimax, alphabeta, expectiminimax, expectimax, maxn, paranoid, mcts)
}


def best_for(game: Game) -> str:
    """The name of the search that gets the exact value with the least work: what a newcomer should take."""
    if game.players > 2 or not game.zero_sum:
        return "maxn"
    return "expectiminimax" if game.chance else "alphabeta"


def search(
    game: Game, s: Any = None, algorithm: str | None = None, *, history: Sequence[Any] = (), **settings: Any
) -> Result:
    """Search with the algorithm of that name (default: the one that suits the game) and its settings.

    `history` has the states before `s`, for those that know of repetitions.
    """
    name = algorithm or best_for(game)
    if name not in ALGORITHMS:
        raise UserError(f"there is no algorithm '{name}'; there are: {', '.join(ALGORITHMS)}")
    function = ALGORITHMS[name]
    known = inspect.signature(function).parameters
    for setting in settings:
        if setting not in known:
            takes = ", ".join(each for each in known if each not in ("game", "s", "progress", "history"))
            raise UserError(f"{name} has no setting '{setting}'; it has: {takes}")
    if "history" in known:
        settings["history"] = history
    return function(game, s, **settings)
