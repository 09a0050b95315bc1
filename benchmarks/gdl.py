"""Rule sheets: how long until the first move, and how many random games a second.    python benchmarks/gdl.py [--quick]

For each of our sheets: its gates, the CPU seconds from the sheet to the first move of a tree search in a new process
that has nothing compiled, and the random games a second as an ordinary game, 64 at once, and of our own class of the
same game. One thread, CPU time, the best of 5. For comparison: a prover in Java (ggp-base), measured once beside a
prototype of ours, plays 522 games of tic-tac-toe and 61 of Connect Four a second.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from counterplay import Game, games
from counterplay.core.randomness import new_random
from counterplay.search.playout import mean_utility, total_utility
from counterplay.search.run import new_tally

TWINS = {
    "tic_tac_toe.kif": "tic_tac_toe",
    "connect_four.kif": "connect_four",
    "breakthrough.kif": "breakthrough",
    "nim.kif": "nim",
    "hex_small.kif": "",
    "eight_puzzle.kif": "",
    "three_way.kif": "",
}
_FIRST_MOVE = """
import time
from counterplay import games, search
began = time.process_time()
search.mcts(games.load({name!r}), simulations=1000)
print(time.process_time() - began)
"""


def one_after_the_other(game: Game, n: int) -> None:
    total_utility(game, game.initial(), n, new_random(1), new_tally())


def many_at_once(game: Game, n: int) -> None:
    mean_utility(game, game.initial(), n, new_random(1))


def rate(work: Any, game: Game, seconds: float, rounds: int) -> float:
    """Random games a second, the best of some rounds of about so long."""
    n, best = 64, 0.0
    work(game, n)
    while True:
        began = time.process_time()
        work(game, n)
        if (spent := time.process_time() - began) > seconds / 4:
            break
        n *= 4
    n = max(64, int(n * seconds / spent))
    for _ in range(rounds):
        began = time.process_time()
        work(game, n)
        best = max(best, n / (time.process_time() - began))
    return best


def first_move(name: str) -> float:
    """CPU seconds from the sheet to the first move, by a process that finds nothing in its cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "COUNTERPLAY_CACHE_DIR": folder, "COUNTERPLAY_QUIET": "1"}
        script = _FIRST_MOVE.format(name=name)
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description="Rule sheets: until the first move, and random games a second.")
    parser.add_argument("--quick", action="store_true", help="two sheets and short runs, to see that all of it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there as well")
    options = parser.parse_args()
    seconds, rounds = (0.01, 1) if options.quick else (0.5, 5)
    rows = []
    print(f"NumPy {np.__version__}; load {os.getloadavg()[0]:.1f}")
    print("sheet                 gates  first move  one by one  64 at once   our class")
    for name in list(TWINS)[: 2 if options.quick else None]:
        game: Any = games.load(name)
        row = {
            "sheet": name,
            "gates": game.net.size,
            "first_move_seconds": first_move(name),
            "one_by_one": rate(one_after_the_other, game, seconds, rounds),
            "at_once": rate(many_at_once, game, seconds, rounds),
            "own_class": rate(one_after_the_other, games.load(TWINS[name]), seconds, rounds) if TWINS[name] else None,
        }
        rows.append(row)
        own = f"{row['own_class']:12,.0f}" if row["own_class"] else " " * 12
        first, one, many = row["first_move_seconds"], row["one_by_one"], row["at_once"]
        print(f"{name:20} {row['gates']:6,} {first:9.1f} s {one:11,.0f} {many:11,.0f}{own}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
