"""Two ghosts after one Pacman in a maze of rings, where whoever is followed by one can run round and round.

Either each ghost searches for itself, as if there were no other, or one search moves both, and then one drives Pacman
into the arms of the other. They look equally far ahead: three moves of everybody.
"""

from __future__ import annotations

from typing import Any

from counterplay.games.pacman.rules import Pacman
from counterplay.study.demos.outcome import Claim, Outcome, Reel
from counterplay.study.demos.pacman_play import Stage, player_named, summary

SEEDS = 200
ROUNDS = 3


def run(seeds: int = SEEDS) -> Outcome:
    game: Any = Pacman(layout="ring")
    pacman = player_named(f"minimax:{2 * ROUNDS}")
    kinds = {"independent": player_named(f"alone:{2 * ROUNDS}"), "together": player_named(f"minimax:{3 * ROUNDS}")}
    stage = Stage(game, "random", (pacman, *kinds.values()))
    played = {kind: [stage.play(pacman, ghosts, seed) for seed in range(seeds)] for kind, ghosts in kinds.items()}
    found = {kind: summary(records) for kind, records in played.items()}
    rows = [
        {
            "ghosts": kind,
            "ghosts win": each.lost,
            "Pacman wins": each.won,
            "steps": each.steps,
            "score": each.score,
            "error": each.error,
        }
        for kind, each in found.items()
    ]
    each, both = found["independent"], found["together"]
    seed = next((i for i in range(seeds) if played["together"][i].is_lost and played["independent"][i].is_won), 0)
    return Outcome(
        seeds,
        rows,
        [
            Claim(f"together they win more games ({both.lost:.0%} against {each.lost:.0%})", both.lost > each.lost),
            Claim(
                f"and leave Pacman fewer points ({both.score:.0f} against {each.score:.0f})", both.score < each.score
            ),
        ],
        text=game.show(game.initial()),
        reels=[Reel(kind, game, played[kind][seed].states) for kind in kinds],
    )
