"""What a learned estimate costs, and how fast models learn.    python benchmarks/learning.py [--quick]

Evaluations are counted where they are made in a search: at every successor of the positions of random games, less the
time of the same walk without them. The hand-made estimate and the model work in turn, in CPU time, and the best of 7
counts. The targets are a ratio below 1.7 for backgammon's network of 80 units, below 2 for Othello's 46 patterns, 4,500
and 10,000 games a second. A second model of the same shape must be ready within 0.1 s.

Two threads share the weights, and each slows the other down a little. How much faster than one they are is measured in
CPU time too, one and two in turn: as if there were two cores for them. The target is 1.7 times.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from counterplay import Game, games, learn
from counterplay.core.game import CHANCE
from counterplay.core.randomness import new_random
from counterplay.learn.temporal import Settings, Training
from counterplay.native import native
from counterplay.search.playout import choose

MODELS = {"backgammon": learn.Network, "othello": learn.Patterns}


@native
def walk(game: Game, s: Any, start: Any, n: int, random: Any, is_estimated: int) -> tuple[int, float]:
    """How many successors there are along `n` plies of random games, and the sum of what they are worth."""
    count, total = 0, 0.0
    for _ in range(n):
        if game.is_terminal(s):
            s = start
        if game.player(s) != CHANCE:
            for a in game.actions(s):
                after = game.result(s, a)
                if not game.is_terminal(after):
                    count += 1
                    total += game.evaluate(after, 0) if is_estimated else float(game.viewer(after))
        s = game.result(s, choose(game, s, random))
    return count, total


def nanoseconds(rounds: int, n: int, *each: Game) -> list[float]:
    """What an evaluation takes in each of the games."""
    best = np.full((len(each), 2), np.inf)
    count = 1
    for _ in range(rounds + 1):  # the first one compiles
        for i, game in enumerate(each):
            for is_estimated in (0, 1):
                start, random = game.initial(), new_random(1)
                began = time.process_time()
                count, _ = walk(game, start, start, n, random, is_estimated)
                best[i, is_estimated] = min(best[i, is_estimated], time.process_time() - began)
    return [float(1e9 * (with_it - without) / count) for without, with_it in best]


def games_a_second(game: Game, kind: type[learn.Model], number: int, rounds: int) -> tuple[float, float]:
    """Games of self-play, learned from, in a second by one thread, and by two; the best round of each counts."""
    explore, best = 0.0 if game.chance else 0.1, [0.0, 0.0]
    settings = [Settings(100 * number, kind.rate, kind.trace, explore, threads) for threads in (1, 2)]
    trainings = [Training(game, kind(game), each) for each in settings]
    for _ in range(rounds + 1):
        for i, training in enumerate(trainings):
            before, began = training.games, time.process_time()
            training.run(until=before + number)
            seconds = (time.process_time() - began) / (i + 1)  # of each thread
            best[i] = max(best[i], (training.games - before) / seconds)
    return best[0], best[1]


def main() -> None:
    parser = argparse.ArgumentParser(description="What a learned estimate costs, and how fast models learn.")
    parser.add_argument("--quick", action="store_true", help="one short run on a small game: does it run?")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there as well")
    options = parser.parse_args()
    plies, number, rounds = (100, 64, 1) if options.quick else (20_000, 1000, 7)
    rows = []
    for name, kind in {"othello:size=4": learn.Patterns}.items() if options.quick else MODELS.items():
        game = games.load(name)
        hand, learned = nanoseconds(rounds, plies, game, game.with_model(kind(game)))
        rate, by_two = games_a_second(game, kind, number, rounds)
        other, random, start = game.with_model(kind(game)), new_random(1), game.initial()
        began = time.perf_counter()
        walk(other, start, start, 1, random, 1)
        second = time.perf_counter() - began
        figures = {"hand": hand, "model": learned, "ratio": learned / hand, "games": rate, "two": by_two / rate}
        rows.append({"game": name, **figures, "second": second})
    print(
        f"{'game':16}{'hand-made, ns':>15}{'model, ns':>12}{'ratio':>8}{'games/s':>10}{'by two':>8}{'2nd model, s':>14}"
    )
    for row in rows:
        costs = f"{row['hand']:15.0f}{row['model']:12.0f}{row['ratio']:8.2f}"
        print(f"{row['game']:16}{costs}{row['games']:10,.0f}{row['two']:8.2f}{row['second']:11.3f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
