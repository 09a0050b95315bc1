"""Games with something hidden, against OpenSpiel's C++ in turn.    python benchmarks/hidden.py [--quick]

CPU time of one thread; the best of several rounds, ours and theirs in turn, so that a busy machine hurts both.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import pyspiel

from counterplay import games, solve

QUICK = "--quick" in sys.argv
ROUNDS = 1 if QUICK else 5


def rate(work: Callable[[int], Any], n: int) -> float:
    began = time.process_time()
    work(n)
    return n / (time.process_time() - began)


def iterated(step: Callable[[], Any]) -> Callable[[int], None]:
    def work(n: int) -> None:
        for _ in range(n):
            step()

    return work


def comparisons() -> Any:
    """(what, our work, how often, their work, how often)."""
    for name, ours, theirs, n, m in (
        ("Kuhn poker", "kuhn_poker", "kuhn_poker", 200_000, 2_000),
        ("Leduc poker", "leduc_poker:tell_suits=yes", "leduc_poker", 10_000, 20),
        ("liar's dice", "liars_dice", "liars_dice", 300, 2),
    ):
        form, spiel = solve.unfold(games.load(ours)), pyspiel.load_game(theirs)
        for method, solver in (("cfr", pyspiel.CFRSolver), ("cfr+", pyspiel.CFRPlusSolver)):
            mine = solve.Cfr(form, method)
            yield f"{name}, {method}, iterations/s", mine.run, n, iterated(solver(spiel).evaluate_and_update_policy), m
        policy, average = pyspiel.UniformRandomPolicy(spiel), mine.average()
        gain = iterated(lambda form=form, average=average: solve.respond(form, average))
        their_gain = iterated(lambda spiel=spiel, policy=policy: pyspiel.exploitability(spiel, policy))
        yield f"{name}, exploitability/s", gain, n // 50, their_gain, 1 + m // 20
    mine = solve.ExternalSampling(games.load("leduc_poker:tell_suits=yes"))
    theirs = pyspiel.ExternalSamplingMCCFRSolver(pyspiel.load_game("leduc_poker"), seed=1)
    yield "Leduc poker, external sampling, iterations/s", mine.run, 20_000, iterated(theirs.run_iteration), 5_000


def main() -> None:
    print("| | ours | OpenSpiel | ratio |\n| --- | --- | --- | --- |")
    for what, ours, n, theirs, m in comparisons():
        n, m = (1, 1) if QUICK else (n, m)
        ours(1)
        pairs = [(rate(ours, n), rate(theirs, m)) for _ in range(ROUNDS)]
        mine, their = max(a for a, _ in pairs), max(b for _, b in pairs)
        print(f"| {what} | {mine:,.0f} | {their:,.1f} | {mine / their:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
