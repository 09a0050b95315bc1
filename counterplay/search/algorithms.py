"""The searches by name, and which one suits a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from counterplay.core.game import Game, UserError
from counterplay.search.alphabeta.engine import AlphaBeta, alphabeta
from counterplay.search.engine import Engine
from counterplay.search.limits import Limits
from counterplay.search.mcts.engine import MonteCarlo, mcts
from counterplay.search.plain.expectimax import Expectimax, expectimax
from counterplay.search.plain.expectiminimax import Expectiminimax, expectiminimax
from counterplay.search.plain.maxn import MaxN, maxn
from counterplay.search.plain.minimax import Minimax, minimax
from counterplay.search.plain.paranoid import Paranoid, paranoid
from counterplay.search.result import Result

__all__ = ["ALGORITHMS", "ENGINES", "best_for", "engine_named", "new_engine", "split_limits", "strongest"]

ENGINES: dict[str, type[Engine]] = {
    engine.name: engine for engine in (Minimax, AlphaBeta, Expectiminimax, Expectimax, MaxN, Paranoid, MonteCarlo)
}

ALGORITHMS: dict[str, Callable[..., Result]] = {
    function.__name__: function for function in (minimax, alphabeta, expectiminimax, expectimax, maxn, paranoid, mcts)
}


def best_for(game: Game) -> str:
    """The name of the search that gets the exact value with the least work: what a newcomer should take."""
    return next((each.name for each in (AlphaBeta, Expectiminimax) if each.suits(game)), MaxN.name)


def strongest(game: Game) -> Engine:
    """The search that plays a game best within a small budget.

    Where a game has no estimates, a search by depth sees nothing before the end of the game; playouts do.
    """
    if not game.knows.evaluate:
        return MonteCarlo(game, memory_mb=64, solver=Expectiminimax.suits(game))
    return AlphaBeta(game, table_mb=16) if AlphaBeta.suits(game) else new_engine(best_for(game), game)


def engine_named(name: str) -> type[Engine]:
    """The kind of engine of that name."""
    if name not in ENGINES:
        raise UserError(f"there is no algorithm '{name}'; there are: {', '.join(ENGINES)}")
    return ENGINES[name]


def new_engine(name: str, game: Game, **settings: Any) -> Engine:
    """An engine by the name of its search, with its settings."""
    kind = engine_named(name)
    known = kind.setting_names()
    for setting in settings:
        if setting not in known:
            takes = ", ".join((*kind.abilities.limits, "multi", *known))
            raise UserError(f"{name} has no setting '{setting}'; it has: {takes}")
    return kind(game, **settings)


def split_limits(settings: dict[str, Any]) -> tuple[Limits, int, dict[str, Any]]:
    """Of all that was said about a search the limits, how many best moves are wanted, and the engine's settings."""
    names = {each.name for each in fields(Limits)}
    limits = {name: value for name, value in settings.items() if name in names}
    rest = {name: value for name, value in settings.items() if name not in names and name != "multi"}
    return Limits(**limits), settings.get("multi", 1), rest
