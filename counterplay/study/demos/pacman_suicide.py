"""Pacman between two ghosts in a corridor.

If the ghosts do their worst he is lost, and every step before the end costs a point. So minimax runs into the nearer
ghost: it *is* the best against a perfect opponent. These ghosts are not; expectimax knows, runs the other way and
wins about every second game.
"""

from __future__ import annotations

from typing import Any

from counterplay.games.pacman.rules import Pacman
from counterplay.study.demos.outcome import Claim, Outcome, Reel
from counterplay.study.demos.pacman_play import Stage, player_named, summary

SEEDS = 200
DEPTH = 9  # plies: three moves of Pacman, as long as it takes until he is caught


def run(seeds: int = SEEDS) -> Outcome:
    game: Any = Pacman(layout="suicide")
    agents = {name: player_named(f"{name}:{DEPTH}") for name in ("minimax", "expectimax")}
    ghosts = player_named("policy")
    stage = Stage(game, "random", (*agents.values(), ghosts))
    played = {name: [stage.play(agent, ghosts, seed) for seed in range(seeds)] for name, agent in agents.items()}
    found = {name: summary(records) for name, records in played.items()}
    rows = [
        {
            "Pacman": name,
            "won": found[name].won,
            "lost": found[name].lost,
            "steps": found[name].steps,
            "score": found[name].score,
            "least steps": min(record.end.steps for record in records),
        }
        for name, records in played.items()
    ]
    first, second = found["minimax"], found["expectimax"]
    nearer = all(record.moves[0] == toward_nearer_ghost(game) for record in played["minimax"])
    longer = [record for record in played["expectimax"] if record.is_won] or played["expectimax"]
    reels = [
        Reel(f"minimax, {DEPTH} plies: score {played['minimax'][0].end.score}", game, played["minimax"][0].states),
        Reel(f"expectimax, {DEPTH} plies: score {longer[0].end.score}", game, longer[0].states),
    ]
    return Outcome(
        seeds,
        rows,
        [
            Claim(
                f"minimax always steps towards the nearer ghost and dies ({first.lost:.0%})", nearer and first.lost == 1
            ),
            Claim(f"it could not die sooner: after {first.steps:g} step", first.steps == 1),
            Claim(f"expectimax wins sometimes ({second.won:.0%})", 0 < second.won < 1),
            Claim(f"and scores more ({second.score:.0f} against {first.score:.0f})", second.score > first.score),
        ],
        text=game.show(game.initial()),
        reels=reels,
    )


def toward_nearer_ghost(game: Any) -> int:
    """The direction in which the way to the nearest ghost begins."""
    s = game.initial()
    ghost = min(s.ghosts, key=lambda square: int(game.distances[s.pacman, square]))
    return int(min(game.actions(s), key=lambda a: int(game.distances[game.target(s.pacman, a), ghost])))
