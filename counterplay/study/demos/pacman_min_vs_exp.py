"""What Pacman believes of the ghost, and what the ghost does: four pairings.

Minimax believes that the ghost does its worst, expectimax that it strolls at random. Each is right once. A pessimist
among strolling ghosts keeps out of pockets that were safe enough and earns less; an optimist among hunters walks into
a pocket and is trapped.
"""

from __future__ import annotations

from typing import Any

from counterplay.games.pacman.rules import Pacman
from counterplay.study.demos.outcome import Claim, Outcome, Reel
from counterplay.study.demos.pacman_play import Stage, player_named, random_start, summary

SEEDS = 3000  # against random ghosts the difference is small beside the luck of a game
DEPTH = 6  # plies: three moves of Pacman, about as long as the pockets are deep


def run(seeds: int = SEEDS) -> Outcome:
    game: Any = Pacman(layout="pockets")
    beliefs = {name: player_named(f"{name}:{DEPTH}") for name in ("minimax", "expectimax")}
    ghosts = {"adversarial": player_named(f"minimax:{DEPTH}"), "random": player_named("policy")}
    stage = Stage(game, "random", (*beliefs.values(), *ghosts.values()))
    starts = [random_start(game, seed) for seed in range(seeds)]
    played = {
        (belief, kind): [stage.play(agent, ghost, seed, s) for seed, s in enumerate(starts)]
        for belief, agent in beliefs.items()
        for kind, ghost in ghosts.items()
    }
    found = {pair: summary(records) for pair, records in played.items()}
    rows = [
        {
            "Pacman": belief,
            "ghost": kind,
            "won": each.won,
            "lost": each.lost,
            "steps": each.steps,
            "score": each.score,
            "error": each.error,
        }
        for (belief, kind), each in found.items()
    ]
    careful, daring = found["minimax", "random"], found["expectimax", "random"]
    safe, rash = found["minimax", "adversarial"], found["expectimax", "adversarial"]
    trapped = next(
        (r for r in played["expectimax", "adversarial"] if r.is_lost), played["expectimax", "adversarial"][0]
    )
    return Outcome(
        seeds,
        rows,
        [
            Claim(
                f"against random ghosts expectimax scores more ({daring.score:.0f} against {careful.score:.0f})",
                daring.score > careful.score,
            ),
            Claim(
                f"against adversarial ghosts expectimax loses more games ({rash.lost:.0%} against {safe.lost:.0%})",
                rash.lost > safe.lost,
            ),
            Claim(f"and scores less ({rash.score:.0f} against {safe.score:.0f})", rash.score < safe.score),
        ],
        text=game.show(game.initial()),
        reels=[Reel("expectimax is trapped by an adversarial ghost", game, trapped.states)],
    )
