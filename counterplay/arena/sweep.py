"""A sweep: the same player with many settings, each against one opponent, all games by the same workers.

sweep(game, "mcts:simulations=200,exploration={c}", {"c": [0.5, 1.0, 1.4]}, against="mcts:simulations=200")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from counterplay.arena.score import Score
from counterplay.arena.tournament import Standings, tournament
from counterplay.core.game import Game, UserError

__all__ = ["Trial", "sweep"]


class Trial(NamedTuple):
    """A player with some settings, and how it did."""

    settings: dict[str, Any]
    player: str
    score: Score


def sweep(
    game: Game,
    player: str,
    values: Mapping[str, Sequence[Any]],
    against: str,
    games: int = 100,
    *,
    progress: Callable[[Standings], None] | None = None,
    **more: Any,
) -> list[Trial]:
    """Let the player of that text, with each value of each name in braces put in, play so many games against another.

    All combinations of the values are tried, and the best comes first. `more` is what a `tournament` takes: limits,
    a `record` to go on from, `concurrency`, an `executor`.
    """
    for name in values:
        if f"{{{name}}}" not in player:
            raise UserError(f"the player '{player}' has no {{{name}}} to put a value in")
    combined = [dict(zip(values, each, strict=True)) for each in product(*values.values())]
    texts = [_filled(player, each) for each in combined]
    ended = tournament(game, [against, *texts], "gauntlet", games, progress=progress, **more)
    trials = [Trial(each, texts[i], ended.score(i + 1, 0)) for i, each in enumerate(combined)]
    return sorted(trials, key=lambda trial: -trial.score.points)


def _filled(player: str, settings: Mapping[str, Any]) -> str:
    for name, value in settings.items():
        player = player.replace(f"{{{name}}}", str(value))
    return player
