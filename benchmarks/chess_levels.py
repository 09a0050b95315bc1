"""What `UCI_Elo` should take the levels of chess for: each against its neighbour, and the stronger ones against
Stockfish, which limits itself to a rating. Written to a folder game by game, so it goes on.

    python benchmarks/chess_levels.py [--games 60] [--folder levels] [--concurrency 2]

Ratings are those that fit all matches best, by least squares, with Stockfish being what it says. Games among relatives
tell them apart more than games against others do, so that differences between neighbours count for a part only, the
same for all, which is found by the same fit.
"""

from __future__ import annotations

import argparse
from math import log10
from pathlib import Path

import numpy as np

from counterplay import arena, games
from counterplay.arena.levels import LEVELS

SECONDS = 0.05
"""For a move of Stockfish; a level has its nodes."""
ANCHORS = {4: 1350, 5: 1350, 6: 1500, 7: 1700, 8: 1900, 9: 2100, 10: 2100}
"""Which rating of Stockfish a level meets."""
SLOWEST = 10
"""Meets nobody else: a game takes it half a minute."""


def difference(score: arena.Score) -> float:
    """In Elo, as if one more game had been drawn: whoever wins all is not infinitely better."""
    share = (score.points * score.games + 0.5) / (score.games + 1)
    return -400.0 * log10(1.0 / share - 1.0)


def fitted(anchored: dict[int, float], apart: dict[int, float]) -> tuple[list[float], float]:
    """The ratings of all levels, and what differences between neighbours count.

    `anchored` are ratings by games against Stockfish, `apart` is by how much a level was better than the one below.
    """
    rows, right = [], []
    for level, elo in anchored.items():
        rows.append([float(each == level) for each in LEVELS] + [0.0])
        right.append(elo)
    for level, elo in apart.items():
        rows.append([float(each == level) - float(each == level - 1) for each in LEVELS] + [-elo])
        right.append(0.0)
    *elos, part = np.linalg.lstsq(np.array(rows), np.array(right), rcond=None)[0].tolist()
    return elos, part


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=60, help="of each two that meet")
    parser.add_argument("--folder", type=Path, default=Path("levels"), help="where the records of the matches are")
    parser.add_argument("--concurrency", type=int, default=2)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    chess = games.load("chess")

    def met(level: int, other: str, name: str) -> float:
        record = given.folder / f"{level}-{name}.jsonl"
        players = f"level:{level}", other
        score = arena.match(chess, players, given.games, record=record, concurrency=given.concurrency)
        print(f"{players[0]} against {other}: {score}", flush=True)
        return difference(score)

    apart = {level: met(level, f"level:{level - 1}", f"{level - 1}") for level in LEVELS if 1 < level < SLOWEST}
    anchored = {
        level: elo + met(level, f"uci:stockfish,UCI_Elo={elo},seconds={SECONDS}", f"stockfish-{elo}")
        for level, elo in ANCHORS.items()
    }
    elos, part = fitted(anchored, apart)
    for level, elo in zip(LEVELS, elos, strict=True):
        print(f"level {level}: {elo:.0f}" + (f", by Stockfish {anchored[level]:.0f}" if level in anchored else ""))
    print(f"differences between neighbours count {part:.2f}")


if __name__ == "__main__":
    main()
