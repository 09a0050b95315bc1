"""Whether two threads are ahead of one in short searches: the wall time to the same depth.

    python benchmarks/threads.py [--seconds 0.1] [--threads 2] [--positions 20] [chess othello connect_four]
    python benchmarks/threads.py --plies 4 connect_four    # nearer to the beginning, where it is not soon solved

How deep one thread looks at each position in so many seconds is found out first; then both are timed to that depth, in
turn, each with an empty table. The root is compiled, as it is in a match by seconds. On a machine that has other things
to do the figures mean nothing: at the end it says how much of the time the processor was ours.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from pathlib import Path
from typing import Any

from counterplay import Game, games
from counterplay.arena.practice import practise
from counterplay.search import AlphaBeta, Limits

QUIET = Path(__file__).parent / "quiet.txt"


def positions(game: Game, number: int, plies: int) -> list[Any]:
    """Quiet positions of chess; of other games different ones after so many random plies."""
    if game.name == "chess":
        rows = [row for row in QUIET.read_text().split("\n") if row and not row.startswith("#")]
        return [game.from_text(row) for row in rows[:: max(1, len(rows) // number)][:number]]
    dice, found = random.Random(1), []
    while len(found) < number:
        s = game.initial()
        for _ in range(plies):
            if not game.is_terminal(s):
                s = game.result(s, dice.choice(list(game.actions(s))))
        if not game.is_terminal(s) and s not in found:
            found.append(s)
    return found


def measure(name: str, asked: argparse.Namespace) -> None:
    game = games.load(name)
    one, more = (AlphaBeta(game, threads=n) for n in (1, asked.threads))
    for engine in (one, more):
        engine.hasten()
        practise(engine)
    began, used, ratios, totals = time.perf_counter(), time.process_time(), [], [0.0, 0.0]
    for s in positions(game, asked.positions, asked.plies):
        one.new_game()
        found = one.search(s, Limits(seconds=asked.seconds))
        if found.proven:
            continue
        best = [math.inf, math.inf]
        for _ in range(3):
            for i, engine in enumerate((one, more)):
                engine.new_game()
                before = time.perf_counter()
                engine.search(s, Limits(depth=found.depth))
                best[i] = min(best[i], time.perf_counter() - before)
        ratios.append(best[1] / best[0])
        totals = [total + each for total, each in zip(totals, best, strict=True)]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    share = (time.process_time() - used) / (time.perf_counter() - began)
    print(
        f"{name}: {asked.threads} threads take {totals[1] / totals[0]:.2f} of the time of one, {mean:.2f} in the mean, "
        f"{len(ratios)} positions, best of 3; {share:.2f} processors were ours",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=["chess", "othello", "connect_four"])
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--plies", type=int, default=12, help="of random moves before, but for chess")
    asked = parser.parse_args()
    for name in asked.games:
        measure(name, asked)


if __name__ == "__main__":
    main()
