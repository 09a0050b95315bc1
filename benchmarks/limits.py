"""How late searches end: after a time limit, and after a request to stop.    python benchmarks/limits.py [--quick]

A figure is the worst of several runs, in milliseconds, each search on the game that suits it. The targets are 30 ms
after a limit and 20 ms after a request, on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from counterplay import games, search

GAMES = {"expectiminimax": "pig", "expectimax": "pig", "maxn": "pig:players=3", "paranoid": "pig:players=3"}
ELSE = "connect_four"


def main() -> None:
    parser = argparse.ArgumentParser(description="How late searches end.")
    parser.add_argument("--quick", action="store_true", help="one run of each, to see that all of it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there as well")
    options = parser.parse_args()
    limits = [0.05] if options.quick else [0.1, 0.2, 0.5] * 3
    rows = [measure(name, limits) for name in search.ALGORITHMS]
    print(f"{'search':16}{'game':16}{'limit, ms late':>16}{'stop, ms late':>16}")
    for row in rows:
        print(f"{row['search']:16}{row['game']:16}{row['limit_ms']:16.2f}{row['stop_ms']:16.2f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


def measure(name: str, limits: list[float]) -> dict:
    game = games.load(GAMES.get(name, ELSE))
    look = search.ALGORITHMS[name]
    look(game, seconds=0.01)  # compiles
    late = max(after_limit(look, game, seconds) for seconds in limits)
    stop = max(after_request(look, game, seconds) for seconds in limits)
    return {"search": name, "game": str(game), "limit_ms": 1000 * late, "stop_ms": 1000 * stop}


def after_limit(look, game, seconds: float) -> float:
    began = time.perf_counter()
    look(game, seconds=seconds)
    return time.perf_counter() - began - seconds


def after_request(look, game, seconds: float) -> float:
    """Ask for the end as ctrl-C does, by the tally that the progress function is given."""
    asked: list[float] = []

    def progress(tally) -> None:
        if not asked and time.perf_counter() - began > seconds:
            asked.append(time.perf_counter())
            tally.stop = 1

    began = time.perf_counter()
    look(game, seconds=60, progress=progress)
    return time.perf_counter() - asked[0]


if __name__ == "__main__":
    main()
