"""The same maze, ghost and evaluation, and only the depth of Pacman's search differs."""

from __future__ import annotations

from typing import Any

from counterplay.games.pacman.rules import Pacman
from counterplay.study.demos.outcome import Claim, Outcome, Reel
from counterplay.study.demos.pacman_play import Stage, player_named, random_start, summary

SEEDS = 400
DEPTHS = (2, 4, 6, 8, 10)


def run(seeds: int = SEEDS) -> Outcome:
    game: Any = Pacman(layout="pockets")
    ghosts = player_named("policy")
    agents = {depth: player_named(f"minimax:{depth}") for depth in DEPTHS}
    # Expectimax does not play, but with it this is the machine code that pacman-min-vs-exp uses too.
    stage = Stage(game, "random", (*agents.values(), ghosts, player_named("expectimax:2")))
    starts = [random_start(game, seed) for seed in range(seeds)]
    played = {
        depth: [stage.play(agent, ghosts, seed, s) for seed, s in enumerate(starts)] for depth, agent in agents.items()
    }
    found = {depth: summary(records) for depth, records in played.items()}
    rows = [
        {
            "depth": depth,
            "won": each.won,
            "lost": each.lost,
            "steps": each.steps,
            "score": each.score,
            "error": each.error,
        }
        for depth, each in found.items()
    ]
    least, most = found[DEPTHS[0]], found[DEPTHS[-1]]
    seed = next((i for i in range(seeds) if played[2][i].is_lost and played[10][i].is_won), 0)
    return Outcome(
        seeds,
        rows,
        [
            Claim(f"10 plies score more than 2 ({most.score:.0f} against {least.score:.0f})", most.score > least.score),
            Claim(f"and win more games ({most.won:.0%} against {least.won:.0%})", most.won > least.won),
        ],
        text=game.show(game.initial()),
        reels=[Reel(f"{depth} plies", game, played[depth][seed].states) for depth in (2, 10)],
    )
