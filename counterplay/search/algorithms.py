"""The searches by name, and which one suits a game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from counterplay.core.game import Game, UserError
from counterplay.search.alphabeta.engine import AlphaBeta, alphabeta
from counterplay.search.best_first.engine import BestFirst, best_first
from counterplay.search.engine import Engine
from counterplay.search.ismcts.engine import Determinised, InformationSets, ismcts, pimc
from counterplay.search.limits import Limits
from counterplay.search.mcts.engine import MonteCarlo, mcts
from counterplay.search.plain.expectimax import Expectimax, expectimax
from counterplay.search.plain.expectiminimax import Expectiminimax, expectiminimax
from counterplay.search.plain.maxn import MaxN, maxn
from counterplay.search.plain.minimax import Minimax, minimax
from counterplay.search.plain.paranoid import Paranoid, paranoid
from counterplay.search.result import Result

__all__ = ["ALGORITHMS", "ENGINES", "best_for", "choose", "engine_named", "led_by_model", "new_engine", "split_limits"]
__all__ += ["strongest"]

_ENGINES = (
    *(Minimax, AlphaBeta, Expectiminimax, Expectimax, MaxN, Paranoid, BestFirst, MonteCarlo),
    *(InformationSets, Determinised),
)
ENGINES: dict[str, type[Engine]] = {engine.name: engine for engine in _ENGINES}

ALGORITHMS: dict[str, Callable[..., Result]] = {
    function.__name__: function
    for function in (minimax, alphabeta, expectiminimax, expectimax, maxn, paranoid, best_first, mcts, ismcts, pimc)
}


_WITH_QUICK_PLAYOUTS = {"rave": 1000.0, "hunch": 1.0, "exploration": 0.1}  # for Go, by hand
_OF_PLAYOUTS = {"quick", "guide", "wide", "blend", "rave"}


def best_for(game: Game) -> str:
    """The name of the search that gets the exact value with the least work: what a newcomer should take.

    Where something is hidden no search does, and it is the one that plays.
    """
    if InformationSets.suits(game):
        return InformationSets.name
    return next((each.name for each in (AlphaBeta, Expectiminimax) if each.suits(game)), MaxN.name)


def strongest(game: Game) -> Engine:
    """The search that plays a game best within a small budget."""
    name, settings = _strongest(game)
    memory = {AlphaBeta.name: {"table_mb": 16}, MonteCarlo.name: {"memory_mb": 64}}
    return new_engine(name, game, **settings, **memory.get(name, {}))


def _strongest(game: Game) -> tuple[str, dict[str, Any]]:
    """Its name and settings.

    Where a game has no estimates, a search by depth sees nothing before the end of the game; playouts do. A game that
    says how they go on is one for them.
    """
    if InformationSets.suits(game):
        return InformationSets.name, {}
    if game.knows.model_odds:
        return MonteCarlo.name, led_by_model(game, MonteCarlo.name)
    if game.knows.quick_action:
        return MonteCarlo.name, {"quick": True, **_WITH_QUICK_PLAYOUTS} if game.knows.hunch else {"quick": True}
    if not game.knows.evaluate:
        return MonteCarlo.name, {"solver": Expectiminimax.suits(game)}
    return best_for(game), {}


def led_by_model(game: Game, name: str, asked: Iterable[str] = ()) -> dict[str, Any]:
    """The settings of a search of that name for a game whose model speaks of moves, too; none for any other.

    There are no playouts, unless one of the settings that were asked for is about them.
    """
    if name != MonteCarlo.name or not game.knows.model_odds:
        return {}
    cutoff = {} if _OF_PLAYOUTS & set(asked) else {"cutoff": 0}
    return {"puct": 1.5, **cutoff, "solver": Expectiminimax.suits(game)}


def choose(game: Game, asked: Iterable[str] = ()) -> tuple[str, dict[str, Any]]:
    """The name and settings of a search for whoever names none, but may ask for limits and settings by these names.

    The strongest that takes them. A game of which it does not pay to compile it, such as a tree that was written down,
    is small: there it is the one that is exact.
    """
    name, settings = _strongest(game)
    kind = ENGINES[name]
    takes_all = set(asked) <= {*kind.abilities.limits, "multi", *kind.setting_names()}
    return (name, settings) if takes_all and game.compiled else (best_for(game), {})


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
