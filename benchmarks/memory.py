"""What it costs to read weights from memory instead of constants.    python benchmarks/memory.py [--quick]

The same 64 weights, once as a `Table` in the machine code and once as a `Memory`: in a loop of evaluations, and inside
alpha-beta on tic-tac-toe of 4x4. Both work in turn, in CPU time, and the best of 7 counts. The target is a ratio below
1.05.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from counterplay import Game, Memory, Table, games, search
from counterplay.native import native

WEIGHTS = np.random.default_rng(1).normal(size=64) / 1000


def weighted(self: Any, s: Any, p: int) -> float:
    """A sum of 64 products, of the weights and of what is on the squares."""
    v = 0.0
    for i in range(64):
        v += self.weights[i] * (1.0 if i & 15 in s.mine else -0.5 if i & 15 in s.theirs else 0.25)
    v = min(1.0, max(-1.0, v))
    return v if p == 0 else -v


@native
def many(game: Game, s: Any, n: int) -> float:
    """The sum of `n` evaluations, of two states in turn: of one, the compiler would do the work once."""
    v = 0.0
    for _ in range(n):
        s = game.State(~s.mine, s.theirs, 1 - s.turn)
        v += game.evaluate(s, 0)
    return v


def main() -> None:
    parser = argparse.ArgumentParser(description="What it costs to read weights from memory.")
    parser.add_argument("--quick", action="store_true", help="one short run of each, to see that all of it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there as well")
    options = parser.parse_args()
    n, depth, rounds = (1000, 2, 1) if options.quick else (1_000_000, 9, 7)
    plain = games.load("tic_tac_toe:m=4,n=4,k=4")
    both = {
        "constants": plain.extended(evaluate=weighted, weights=Table(WEIGHTS.tolist())),
        "memory": plain.extended(evaluate=weighted, weights=Memory(WEIGHTS)),
    }
    works = {
        f"{n:,} evaluations": lambda game: many(game, game.at("a1 b1").state, n),
        f"alphabeta, depth {depth}": lambda game: search.alphabeta(game, depth=depth).value,
    }
    rows = [measure(what, work, both, rounds) for what, work in works.items()]
    print(f"{'work':24}{'constants, s':>14}{'memory, s':>14}{'ratio':>8}")
    for row in rows:
        print(f"{row['work']:24}{row['constants']:14.4f}{row['memory']:14.4f}{row['ratio']:8.3f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


def measure(what: str, work: Any, both: dict[str, Game], rounds: int) -> dict[str, Any]:
    answers = {name: work(game) for name, game in both.items()}  # compiles
    if len(set(answers.values())) != 1:
        raise ValueError(f"the same weights give different values: {answers}")
    best = dict.fromkeys(both, float("inf"))
    for _ in range(rounds):
        for name, game in both.items():
            began = time.process_time()
            work(game)
            best[name] = min(best[name], time.process_time() - began)
    return {"work": what, **best, "ratio": best["memory"] / best["constants"]}


if __name__ == "__main__":
    main()
