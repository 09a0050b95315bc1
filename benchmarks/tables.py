"""What endgame tables cost: to build, and to be asked.    python benchmarks/tables.py [--quick]

Checkers with up to four pieces is built into a folder that is thrown away. Then a million positions at random are asked
for: by their number, and as a search does it, by the state. What it takes to make the state is measured by itself and
taken off. CPU time, the best of 5. The target is less than 3 seconds, and less than 0.3 microseconds.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from counterplay import Game, games
from counterplay.games._endings import SLICE_AT
from counterplay.native import native
from counterplay.solve import tables

MAKE, NUMBER, STATE = range(3)


@native
def many(game: Game, numbers: Any, what: int) -> float:
    """Make the states of these numbers, or ask by the number, or make the states and ask by them."""
    total = 0.0
    for i in numbers:
        if what == NUMBER:
            total += game.table_code(i)
        else:
            s = game.position(i)
            total += len(s.mine & s.kings) - len(s.theirs)
            if what == STATE:
                total += game.solved(s)[0]
    return total


def seconds(work: Any) -> float:
    """CPU time, the best of 5."""
    best = 1e9
    for _ in range(5):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def measure(pieces: int, asked: int) -> dict[str, float]:
    game = games.load("checkers")
    with tempfile.TemporaryDirectory() as folder:
        tables.build(game, 2, folder=Path(folder) / "compiled")
        began = time.process_time()
        built = tables.build(game, pieces, folder=Path(folder))
        spent = time.process_time() - began
        joined: Any = tables.join(game, Path(folder))
        sizes = tables.numbering(game).sizes
        slices = sorted(number for each in built for number in each.slices)
        share = np.array([sizes[number] for number in slices]) / sum(sizes[number] for number in slices)
        random = np.random.default_rng(1)
        chosen = random.choice(slices, asked, p=share)
        numbers = np.array([int(n) << SLICE_AT | int(random.integers(sizes[n])) for n in chosen])
        numbers = np.array([i for i in numbers.tolist() if joined.is_position(i)])
        taken = {}
        for what in (MAKE, NUMBER, STATE):
            many(joined, numbers, what)
            taken[what] = seconds(lambda what=what: many(joined, numbers, what)) / len(numbers)
    return {
        "positions": sum(each.about["positions"] for each in built),
        "build_seconds": spent,
        "by_number_ns": 1e9 * taken[NUMBER],
        "by_state_ns": 1e9 * (taken[STATE] - taken[MAKE]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two pieces only, to see that it runs")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measure(2, 1000) if given.quick else measure(4, 200_000)
    if given.json:
        print(json.dumps(found))
        return
    print(f"{found['positions']:,} positions built in {found['build_seconds']:.2f} CPU s")
    print(f"asked by number {found['by_number_ns']:.0f} ns, by state {found['by_state_ns']:.0f} ns")


if __name__ == "__main__":
    main()
