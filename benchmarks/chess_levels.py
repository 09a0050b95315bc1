"""What `UCI_Elo` should take the levels of chess for: each against its neighbour, and the stronger ones against
Stockfish, which limits itself to a rating. Written to a folder game by game, so it goes on.

    python benchmarks/chess_levels.py [--games 60] [--folder levels] [--concurrency 2]

All games together give a rating to everybody (Bradley and Terry); then all are moved by the same number, so that those
of Stockfish are in the mean what it says of itself. How far each is from that tells how far to trust the scale.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from counterplay import arena, games
from counterplay.arena.levels import LEVELS
from counterplay.arena.ratings import ratings

SECONDS = 0.05
"""For a move of Stockfish; a level has its nodes."""
ANCHORS = {4: 1350, 5: 1350, 6: 1500, 7: 1700, 8: 1900, 9: 2100, 10: 2100}
"""Which rating of Stockfish a level meets."""
SLOWEST = 10
"""Meets nobody else: a game takes it half a minute."""


def stockfish(elo: int) -> str:
    return f"uci:stockfish,UCI_Elo={elo},seconds={SECONDS}"


def pairings() -> list[tuple[str, str]]:
    neighbours = [(f"level:{level}", f"level:{level - 1}") for level in LEVELS if 1 < level < SLOWEST]
    return neighbours + [(f"level:{level}", stockfish(elo)) for level, elo in ANCHORS.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=60, help="of each two that meet")
    parser.add_argument("--folder", type=Path, default=Path("levels"), help="where the records of the matches are")
    parser.add_argument("--concurrency", type=int, default=2)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    names = [f"level:{level}" for level in LEVELS]
    names += [stockfish(elo) for elo in sorted(set(ANCHORS.values()))]
    played: list[tuple[int, int, float]] = []
    for number, players in enumerate(pairings()):
        record = given.folder / f"{number:02}.jsonl"
        chess = games.load("chess")
        score = arena.match(chess, players, given.games, record=record, concurrency=given.concurrency)
        print(f"{players[0]} against {players[1]}: {score}", flush=True)
        one, other = map(names.index, players)
        for count, points in ((score.wins, 1.0), (score.draws, 0.5), (score.losses, 0.0)):
            played += [(one, other, points)] * count
    found = ratings(names, played).players
    nominal = {each.name: int(each.name.split("=")[1].split(",")[0]) for each in found if "UCI_Elo" in each.name}
    shift = statistics.mean(nominal[each.name] - each.elo for each in found if each.name in nominal)
    for each in found:
        says = f", says {nominal[each.name]}" if each.name in nominal else ""
        print(f"{each.name}: {each.elo + shift:.0f} ± {1.96 * each.error:.0f}{says}, {each.games} games")


if __name__ == "__main__":
    main()
