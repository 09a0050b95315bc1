"""An engine tournament: everyone against everyone, a cross table, and ratings.

Four players of tic-tac-toe: one who moves at random, alpha-beta that sees one and three moves ahead, and a search by
random playouts. Every pair plays from random openings, each opening once with either side, so that nobody is helped by
moving first. With the same seed it is the same tournament on every machine.

    python examples/engine_tournament.py [FOLDER]

writes the games into the folder, or here, as tournament.jsonl, where `counterplay analyse --record` reads them. Run it
again, and games that are there already are not played again.
"""

import sys
from itertools import combinations
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
    game, names = games.load("tic_tac_toe"), list(PLAYERS)

    # ---- 1. The games, and who won how many of them.
    ended = arena.tournament(
        game,
        list(PLAYERS.values()),
        "round-robin",
        GAMES,
        seed=SEED,
        opening_plies=2,
        record=folder / "tournament.jsonl",
    )
    for one, two in combinations(range(len(names)), 2):
        score = ended.score(one, two)
        print(f"{names[one]} against {names[two]}: {score.wins} wins, {score.draws} draws, {score.losses} losses")

    # ---- 2. The table, the best first. Ratings are those under which such points are the likeliest.
    ratings, ranking = ended.ratings, ended.ranked()
    assert ratings is not None  # everybody has met everybody
    print(f"\n{'':12}{''.join(f'{names[p]:>12}' for p in ranking)}       points   Elo")
    for p in ranking:
        row = "".join(f"{'-' if p == q else f'{ended.score(p, q).points * GAMES:g}':>12}" for q in ranking)
        total = f"{ended.points(p):>8g} of {GAMES * (len(names) - 1)}"
        print(f"{names[p]:12}{row}{total}{ratings.players[p].elo:>+6.0f}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
