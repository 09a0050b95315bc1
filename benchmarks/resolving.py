"""Continual re-solving on Leduc poker against CFR of equal time of thinking.    python benchmarks/resolving.py

Time is what one hand takes, in CPU milliseconds of one thread, the best of several rounds. Who plays by re-solving
thinks about the trunk and about one subgame; its network was trained before, and the trunk was cut. CFR by sampling
thinks about the whole game by the rules, from nothing, as one must where a game cannot be unfolded. CFR over the
unfolded game unfolds it first. `--svg FILE` draws exploitability over time; `--network FILE` keeps the network.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from counterplay import games, solve
from counterplay.core.charts import line_chart
from counterplay.core.views import view

GAME = games.load("leduc_poker")
ONE_HAND = ("Ks Qh", "Ks Qh call raise call Jh")  # a decision in the trunk, and one in a subgame
Strategies = Callable[[int], Callable[[], solve.Strategy]]
"""Thinks for so many iterations; what comes of it, when all is asked for, need not be counted."""


def by_resolving(trunk: solve.Trunk, leaf_values: solve.LeafValues) -> Strategies:
    def think(iterations: int) -> Callable[[], solve.Strategy]:
        player = solve.Resolver(GAME, iterations, trunk=trunk, leaf_values=leaf_values)
        for moves in ONE_HAND:
            player.chances_at(view(*GAME.at(moves), 0))
        return player.strategy

    return think


def by_sampling(seed: int) -> Strategies:
    def think(iterations: int) -> Callable[[], solve.Strategy]:
        solver = solve.ExternalSampling(GAME, seed)
        solver.run(iterations)
        return solver.strategy

    return think


def by_unfolding(iterations: int) -> Callable[[], solve.Strategy]:
    solver = solve.Cfr(solve.unfold(GAME))
    solver.run(iterations)
    about = solve.About("dcfr", iterations)
    return lambda: solve.Strategy.of_sequences(solver.form, solver.average(), about)


def milliseconds(think: Strategies, iterations: int, rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        think(iterations)
        best = min(best, time.process_time() - began)
    return 1000 * best


def advantage(form: solve.SequenceForm, one: solve.Strategy, other: solve.Strategy) -> float:
    """What `one` wins of the other in a hand, on the average of both seats and of all cards."""
    sides = form.sides
    first = solve.respond(form, (one.by_sequence(sides[0]), other.by_sequence(sides[1]))).values[0]
    second = solve.respond(form, (other.by_sequence(sides[0]), one.by_sequence(sides[1]))).values[1]
    return 0.5 * (first + second)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--quick", action="store_true", help="does it run? Its figures mean nothing")
    asked.add_argument("--svg", type=Path)
    asked.add_argument("--network", type=Path)
    options = asked.parse_args()
    rounds, form, trunk = (1 if options.quick else 5), solve.unfold(GAME), solve.cut(GAME)
    if options.network is not None and options.network.exists():
        network = solve.LeafNetwork.load(options.network, trunk)
    else:
        network = solve.train_network(trunk, 1 if options.quick else 12)
        if options.network is not None:
            network.save(options.network)
    players: dict[str, tuple[Strategies, tuple[int, ...]]] = {
        "re-solving, network": (by_resolving(trunk, network), (3, 10, 30, 100, 300, 1_000)),
        "re-solving, nested": (by_resolving(trunk, solve.Nested(trunk)), (3, 10, 30, 60)),
        "CFR by sampling": (by_sampling(1), (300, 1_000, 3_000, 10_000, 20_000)),
        "CFR, unfolded": (by_unfolding, (1, 10, 30, 100, 1_000)),
    }
    print("| | iterations | CPU ms a hand | exploitability |\n| --- | --- | --- | --- |")
    curves: dict[str, list[tuple[float, float]]] = {}
    for name, (think, counts) in players.items():
        for n in counts[:1] if options.quick else counts:
            think(1)
            taken, gain = milliseconds(think, n, rounds), think(n)().responses(form).exploitability
            curves.setdefault(name, []).append((taken, gain))
            print(f"| {name} | {n:,} | {taken:.1f} | {gain:.3g} |", flush=True)
    if options.svg is not None:
        title = "Leduc poker: what who knows the strategy gains"
        options.svg.write_text(
            line_chart(curves, title, "CPU milliseconds of thinking in a hand", "chips a hand"), encoding="utf-8"
        )
    n = 3 if options.quick else 100
    resolving, wanted = by_resolving(trunk, network), milliseconds(by_resolving(trunk, network), n, rounds)
    rate = 1_000 / milliseconds(by_sampling(1), 1_000, rounds)
    samples = max(1, round(wanted * rate))
    mine, gains = resolving(n)(), []
    for seed in range(1 if options.quick else 50):
        gains.append(advantage(form, mine, by_sampling(seed)(samples)()))
    print(f"\nequal time, {wanted:.1f} ms a hand: {n} iterations of re-solving against {samples:,} samples")
    print(f"re-solving wins {sum(gains) / len(gains):+.3f} chips a hand, {min(gains):+.3f} to {max(gains):+.3f}")


if __name__ == "__main__":
    main()
