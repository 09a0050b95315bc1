"""Whether two threads are ahead of one: the wall time to the same depth.

    python benchmarks/threads.py [--seconds 0.1] [--threads 2] [--positions 20] [--repeat 3] [GAME ...]
    python benchmarks/threads.py --depth 12 --positions 299 --repeat 5 --model shipped chess
    python benchmarks/threads.py --plies 5 connect_four    # nearer to the beginning, where it is not soon solved
    python benchmarks/threads.py --simulations 20000 chess othello connect_four go    # the same for tree search

How deep: as one thread looks in so many seconds at each position, or the depth given. One thread takes the same way
each time, and is timed once; more of them take another each time, and are timed as often as is said. Each search begins
with an empty table. The root is compiled, as it is in a match by seconds.

Tree search makes the same number of simulations from an empty tree, with the settings that a player has who is told
none. A simulation of one of many threads may be worth less, since it does not know what others will find: what the
threads are worth in all, a match tells.

On a machine that has other things to do the figures mean nothing: at the end it says how many processors were ours
while the threads searched.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from pathlib import Path
from typing import Any, NamedTuple

from counterplay import Game, games
from counterplay.arena.practice import practise
from counterplay.learn.shelf import has_shipped, shipped
from counterplay.search import AlphaBeta, Engine, Limits, MonteCarlo, strongest

MIDDLEGAMES = Path(__file__).parent / "middlegames.txt"


class Costs(NamedTuple):
    """What a search took."""

    seconds: float
    processor: float
    nodes: int
    is_proven: bool


def positions(game: Game, number: int, plies: int) -> list[Any]:
    """Middlegames of chess; of other games different positions after so many random plies."""
    if game.name == "chess":
        rows = [row for row in MIDDLEGAMES.read_text().split("\n") if row and not row.startswith("#")]
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


def engines(game: Game, asked: argparse.Namespace) -> list[Engine]:
    """The search by one thread, and by more."""
    if not asked.simulations:
        return [AlphaBeta(game, threads=n) for n in (1, asked.threads)]
    usual = strongest(game)
    settings = usual.settings.given() if isinstance(usual, MonteCarlo) else {}
    settings |= {"memory_mb": 256, "parallel": asked.parallel}
    return [MonteCarlo(game, **{**settings, "threads": n}) for n in (1, asked.threads)]


def costs(engine: Engine, s: Any, limits: Limits) -> Costs:
    engine.new_game()
    before, used = time.perf_counter(), time.process_time()
    found = engine.search(s, limits)
    return Costs(time.perf_counter() - before, time.process_time() - used, found.nodes, found.proven)


def measure(name: str, asked: argparse.Namespace) -> None:
    game = games.load(name)
    if asked.model and has_shipped(game):
        game = shipped(game).joined_to(game)
    one, more = both = engines(game, asked)
    states = positions(game, asked.positions, asked.plies)
    limits = Limits(simulations=asked.simulations) if asked.simulations else Limits(depth=asked.depth or 12)
    for engine in both:
        engine.hasten()
        practise(engine)
        costs(engine, states[0], limits)  # its memory is in large pages from now on
    alone: list[Costs] = []
    together: list[list[Costs]] = []
    for s in states:
        if not asked.simulations and not asked.depth:
            one.new_game()
            limits = Limits(depth=one.search(s, Limits(seconds=asked.seconds)).depth)
        first, others = costs(one, s, limits), [costs(more, s, limits) for _ in range(asked.repeat)]
        if not first.is_proven:
            alone.append(first)
            together.append(others)
    if alone:
        tell(name, asked, alone, together)
    else:
        print(f"{name}: all {len(states)} positions were solved", flush=True)


def tell(name: str, asked: argparse.Namespace, alone: list[Costs], together: list[list[Costs]]) -> None:
    every = [each for searches in together for each in searches]
    seconds = sum(each.seconds for each in alone)
    mean = sum(each.seconds for each in every) / asked.repeat / seconds
    best = sum(min(each.seconds for each in searches) for searches in together) / seconds
    logs = [
        math.log(statistics.fmean(each.seconds for each in searches) / first.seconds)
        for first, searches in zip(alone, together, strict=True)
    ]
    geometric = math.exp(statistics.fmean(logs))
    nodes = sum(each.nodes for each in every) / asked.repeat / sum(each.nodes for each in alone)
    ours = sum(each.processor for each in every) / sum(each.seconds for each in every)
    print(
        f"{name}: {asked.threads} threads take {mean:.3f} of the time of one ({geometric:.3f} in the "
        f"geometric mean, {best:.2f} by the best of {asked.repeat}) and {nodes:.3f} of the nodes; {len(alone)} "
        f"positions, {1000 * seconds / len(alone):.0f} ms each by one thread; {ours:.2f} processors were ours",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=["chess", "othello", "connect_four"])
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--depth", type=int, help="for all positions, instead of --seconds")
    parser.add_argument("--simulations", type=int, help="tree search instead, for so many simulations")
    parser.add_argument("--parallel", choices=["tree", "root"], default="tree", help="what its threads share")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--model", choices=["shipped"], help="the model that ships with a game, if there is one")
    parser.add_argument("--plies", type=int, default=12, help="of random moves before, but for chess")
    asked = parser.parse_args()
    for name in asked.games:
        measure(name, asked)


if __name__ == "__main__":
    main()
