"""Whether levels mean something: each against the one two below it. Written to a folder game by game, so it goes on.

python benchmarks/levels.py [--games 60] [--folder /tmp/levels] [--only connect_four] [--levels 3-10]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from counterplay import arena, games

GAMES = ("connect_four", "othello")


def levels(text: str) -> range:
    first, _, last = text.partition("-")
    found = range(int(first), int(last or first) + 1)
    if not found or not set(found) <= set(range(3, 11)):
        raise ValueError(text)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--folder", type=Path, default=Path("levels"), help="where the records of the matches are")
    parser.add_argument("--only", choices=GAMES, help="one of the games")
    parser.add_argument(
        "--levels", type=levels, default="3-10", metavar="N or N-M", help="which levels play the one two below"
    )
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for name in [given.only] if given.only else GAMES:
        for level in given.levels:
            players = f"level:{level}", f"level:{level - 2}"
            record = given.folder / f"{name}-{level}-{level - 2}.jsonl"
            began = time.process_time()
            score = arena.match(games.load(name), players, given.games, record=record)
            seconds = time.process_time() - began
            print(f"{name:13} {players[0]:>8} {players[1]:>8}  {score}  {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
