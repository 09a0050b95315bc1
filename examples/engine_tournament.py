"""An engine tournament: everyone against everyone, a cross table, and ratings.

Four players of tic-tac-toe: one who moves at random, alpha-beta that sees one and three moves ahead, and a search by
random playouts. Every pair plays from random openings, each opening once with either side, so that nobody is helped by
moving first. With the same seed it is the same tournament on every machine.

    python examples/engine_tournament.py [FOLDER]

writes the games of each pair into the folder, or here, as tournament-....jsonl, where `counterplay analyse --record`
reads them. Run it again, and games that are there already are not played again.
"""

import sys
from itertools import combinations
from math import log10
from pathlib import Path

from counterplay import arena, games

# A player is a text: a search by its name, with its settings. docs/arena.md lists them.
PLAYERS = {
    "random": "random",
    "one ply": "alphabeta:depth=1",
    "three plies": "alphabeta:depth=3",
    "playouts": "mcts:simulations=100",
}
GAMES = 20
SEED = 7


def main(folder: Path) -> None:
    game = games.load("tic_tac_toe")

    # ---- 1. The matches. A score knows wins, draws and losses of the first of the two.
    points: dict[tuple[str, str], float] = {}
    for one, two in combinations(PLAYERS, 2):
        record = folder / f"tournament-{one}-{two}.jsonl".replace(" ", "_")
        pair = PLAYERS[one], PLAYERS[two]
        score = arena.match(game, pair, GAMES, seed=SEED, opening_plies=2, record=record)
        print(f"{one} against {two}: {score.wins} wins, {score.draws} draws, {score.losses} losses")
        points[one, two] = score.points * GAMES
        points[two, one] = GAMES - points[one, two]

    # ---- 2. The table, the best first.
    elo = ratings(points)
    ranking = sorted(PLAYERS, key=lambda name: -elo[name])
    print(f"\n{'':12}{''.join(f'{name:>12}' for name in ranking)}       points   Elo")
    for name in ranking:
        row = "".join(f"{'-' if name == other else f'{points[name, other]:g}':>12}" for other in ranking)
        total = sum(points[name, other] for other in ranking if other != name)
        print(f"{name:12}{row}{total:>8g} of {GAMES * (len(PLAYERS) - 1)}{elo[name]:>+6.0f}")


def ratings(points: dict[tuple[str, str], float]) -> dict[str, float]:
    """Elo's ratings, 0 on average, under which the points of everybody are just what one expects.

    A player of strength a gets a / (a + b) of the points against one of strength b, and 400 Elo more are ten times the
    strength. Strengths are found by putting them right in turn until all are (Zermelo 1929). Everybody is given a draw
    with everybody beyond the games, or who wins all of them would be infinitely strong.
    """
    names = list(PLAYERS)
    strength = dict.fromkeys(names, 1.0)
    for _ in range(2_000):
        for name in names:
            others = [other for other in names if other != name]
            won = sum(points[name, other] + 0.5 for other in others)
            strength[name] = won / sum((GAMES + 1) / (strength[name] + strength[other]) for other in others)
    elo = {name: 400 * log10(strength[name]) for name in names}
    mean = sum(elo.values()) / len(elo)
    return {name: elo[name] - mean for name in names}


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
