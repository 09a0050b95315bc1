"""A match: many games between two players, from distinct openings, each opening once with either side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from counterplay.arena.score import Score
from counterplay.arena.tournament import tournament
from counterplay.core.game import Game

__all__ = ["match"]


def match(
    game: Game,
    players: tuple[str, str],
    games: int = 100,
    *,
    seed: int = 0,
    record: Path | None = None,
    progress: Callable[[Score], None] | None = None,
    **more: Any,
) -> Score:
    """Play so many games between two players (see `new_player`) and return the first one's score.

    `more` is what a `tournament` takes: limits, a clock, openings, a sequential test, how many games at once.
    """
    told = None if progress is None else lambda standings: progress(standings.score(0, 1))
    ended = tournament(game, players, "match", games, seed=seed, record=record, progress=told, **more)
    return ended.score(0, 1)
