"""Which games and states a search is for, and what two opponents' values mean for each."""

from __future__ import annotations

from math import isinf
from typing import Any

from counterplay.core.game import Game, RulesError, listed_actions
from counterplay.search.result import Result, Unsuited

__all__ = ["for_each_player", "must_be_finite", "must_be_open", "must_be_opponents", "some_actions"]


def must_be_open(game: Game, algorithm: str) -> None:
    """Refuse games with moves at the same time or with something hidden."""
    if game.simultaneous or not game.perfect_information:
        raise Unsuited(f"{algorithm} needs moves in turn and nothing hidden; {game} is not such a game")


def must_be_opponents(game: Game, algorithm: str) -> None:
    """Refuse games of more than two players, or of two whose utilities are not opposite."""
    must_be_open(game, algorithm)
    if game.players > 2 or (game.players == 2 and not game.zero_sum):
        kind = f"{game.players} players" if game.players > 2 else "utilities that are not opposite"
        raise Unsuited(f"{algorithm} is for two opponents with opposite utilities; {game} has {kind}: use maxn")


def some_actions(game: Game, s: Any) -> list[int]:
    """The actions of a state that is not over: one at least, and not more than can be listed."""
    actions = listed_actions(game, s)
    if not actions:
        raise RulesError(_stuck(game))
    return actions


def must_be_finite(result: Result) -> Result:
    """A result, unless the search looked for the best of no actions at all, which is worth minus infinity."""
    if any(isinf(v) for v in result.values):
        raise RulesError(_stuck(result.game))
    return result


def _stuck(game: Game) -> str:
    return f"{game} has a state without actions that is not over; `counterplay check` says which"


def for_each_player(game: Game, v: float) -> tuple[float, ...]:
    """The value for each player when it is `v` for MAX."""
    return (v, game.utility_sum - v) if game.players == 2 else (v,)
