"""What a node of chess costs, here and in another version of Counterplay: CPU nanoseconds, in turn on one core.

    git worktree add ../before 661ca34^
    python benchmarks/node_speed.py --against ../before --rounds 5

Each searches the same 20 quiet positions to the same number of nodes, from an empty table, as it does unless told
otherwise: here by the network that ships, there by what there was then. They take turns position by position, so that a
machine that is slower for a while is so for both. What else it does makes all figures larger, and the ratio less so.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

QUIET = Path(__file__).parent / "quiet.txt"


class Cost(NamedTuple):
    """What the searches of one round took."""

    seconds: float
    nodes: int

    @property
    def nanoseconds(self) -> float:
        return 1e9 * self.seconds / self.nodes


def serve(nodes: int) -> None:
    """Search what is asked, a position a line: for the process of one Counterplay."""
    from counterplay import games
    from counterplay.search import AlphaBeta, Limits

    game = games.load("chess")
    with suppress(ImportError):  # older versions have no models
        from counterplay.learn.shelf import with_usual

        game = with_usual(game, "alphabeta")
    engine = AlphaBeta(game, table_mb=64)
    if hasattr(engine, "hasten"):  # as before a match by seconds; older versions know nothing of it
        engine.hasten()
    engine.search(game.initial(), Limits(nodes=nodes))  # compiles
    print("ready", flush=True)
    for line in sys.stdin:
        engine.new_game()
        s, began = game.from_text(line.strip()), time.process_time()
        found = engine.search(s, Limits(nodes=nodes))
        print(time.process_time() - began, found.nodes, flush=True)


class Version:
    """A Counterplay in a process of its own."""

    def __init__(self, folder: Path, nodes: int) -> None:
        environment = {**os.environ, "PYTHONPATH": str(folder.resolve())}
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--serve", "--nodes", str(nodes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        if self._told() != "ready":
            sys.exit(f"the Counterplay in {folder} does not search")

    def _told(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def search(self, position: str) -> Cost:
        assert self._process.stdin is not None
        self._process.stdin.write(position + "\n")
        self._process.stdin.flush()
        seconds, nodes = self._told().split()
        return Cost(float(seconds), int(nodes))

    def close(self) -> None:
        self._process.communicate()


def added(costs: list[Cost]) -> Cost:
    return Cost(sum(each.seconds for each in costs), sum(each.nodes for each in costs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, metavar="DIR", help="the folder of another version")
    parser.add_argument("--nodes", type=int, default=200_000, help="of each search")
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        serve(asked.nodes)
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    positions = [line for line in QUIET.read_text().splitlines() if line and not line.startswith("#")]
    folders = [Path(__file__).parents[1], *([asked.against] if asked.against else [])]
    for folder in folders:
        if not (folder / "counterplay").is_dir():
            parser.error(f"there is no Counterplay in {folder}")
    versions = [Version(folder, asked.nodes) for folder in folders]
    rounds: list[list[Cost]] = []
    for _ in range(asked.rounds):
        costs = [[each.search(position) for each in versions] for position in positions[: asked.positions]]
        rounds.append([added(list(of_one)) for of_one in zip(*costs, strict=True)])
    for folder, of_one in zip(folders, zip(*rounds, strict=True), strict=True):
        cost = statistics.median(each.nanoseconds for each in of_one)
        print(f"{folder.resolve().name}: {cost:.0f} ns a node, {1e3 / cost:.2f} M nodes a second")
    if asked.against:
        ratios = [theirs.nanoseconds / ours.nanoseconds for ours, theirs in rounds]
        print(f"ratio: {statistics.median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}")
    for each in versions:
        each.close()


if __name__ == "__main__":
    main()
