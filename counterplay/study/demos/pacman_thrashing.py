"""Pacman beside a dot, two moves ahead.

By the score alone, to eat now and wait, or to wait now and eat, is worth the same: there is nothing else to gain
within two moves. He plans anew at each step, and so he may wait for ever. When no dot is within two moves, all moves
are alike and he wanders. The good estimate knows how far the nearest dot is, and no move is wasted.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

from counterplay.games.pacman.rules import Pacman
from counterplay.study.demos.outcome import Claim, Outcome, Reel
from counterplay.study.demos.pacman_play import Record, Stage, player_named

SEEDS = 200
DEPTH = 4  # plies: two moves of Pacman, two of the ghost, who is in a room of its own


def run(seeds: int = SEEDS) -> Outcome:
    agent, ghosts = player_named(f"minimax:{DEPTH}"), player_named("policy")
    played: dict[str, list[Record]] = {}
    for estimate in ("score", "good"):
        game: Any = Pacman(layout="thrashing", estimate=estimate)
        stage = Stage(game, "random", (agent, ghosts))
        played[estimate] = [stage.play(agent, ghosts, seed) for seed in range(seeds)]
    need = shortest(game)
    rows = [
        {
            "estimate": estimate,
            "won": sum(record.is_won for record in records) / seeds,
            "steps": sum(record.end.steps for record in records) / seeds,
            "wasted": sum(wasted(record, need) for record in records) / seeds,
            "until first dot": sum(until_first_dot(record) for record in records) / seeds,
            "score": sum(record.end.score for record in records) / seeds,
        }
        for estimate, records in played.items()
    ]
    by_score = rows[0]
    return Outcome(
        seeds,
        rows,
        [
            Claim(
                f"by score alone the dot beside him takes {by_score['until first dot']:.1f} steps, not 1",
                by_score["until first dot"] > 1,
            ),
            Claim(
                f"and of {by_score['steps']:.0f} steps {by_score['wasted']:.0f} are wasted ({need} would do)",
                by_score["wasted"] > need,
            ),
            Claim("with the good estimate not one is wasted", all(wasted(r, need) == 0 for r in played["good"])),
        ],
        text=game.show(game.initial()),
        reels=[
            Reel("score only", game, played["score"][0].states[:160]),
            Reel("good estimate", game, played["good"][0].states),
        ],
    )


def shortest(game: Any) -> int:
    """The fewest steps in which all dots can be eaten, over all orders; for mazes with few dots."""
    s = game.initial()
    far = game.distances.astype(int)
    return min(
        int(sum(far[a, b] for a, b in zip((s.pacman, *order), order, strict=False))) for order in permutations(s.dots)
    )


def wasted(record: Record, need: int) -> int:
    """The steps beyond those that were needed; of a game that was not finished, all beyond them."""
    return int(record.end.steps) - need


def until_first_dot(record: Record) -> int:
    """The steps until a dot was eaten."""
    dots = len(record.start.dots)
    return int(next((s.steps for s in record.states if len(s.dots) < dots), record.end.steps))
