"""Endings of Othello and positions of Connect Four, random but always the same, solved: CPU seconds and nodes.

    python benchmarks/endings.py othello 20 15                     median of 15 endings with 20 empty squares, by discs
    python benchmarks/endings.py connect_four 8,10,12,14 10        ten positions with as many stones each
    python benchmarks/endings.py connect_four 12 10 --against DIR  alternated with the Counterplay in another folder

CPU time of the thread that searches, without compiling; a machine that is busy with other things makes it longer. The
two are asked the same position in turn, each in a process of its own, and must agree on every value.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path


def positions(game, pieces, number):
    """Random positions with so many pieces that are not over and not won with the next move."""
    source, found = random.Random(pieces), []
    while len(found) < number:
        s = game.initial()
        while not game.is_terminal(s) and len(s.mine | s.theirs) < pieces:
            s = game.result(s, source.choice(list(game.actions(s))))
        if game.is_terminal(s) or any(game.is_terminal(game.result(s, a)) for a in game.actions(s)):
            continue
        found.append(s)
    return found


def serve(name, table_mb):
    """Solve what is asked, a line of JSON each: for the process of one Counterplay."""
    from counterplay import games
    from counterplay.search import AlphaBeta

    game = games.load(name)
    AlphaBeta(game, table_mb=1).search(positions(game, _pieces(game, 8), 1)[0])  # compiles
    print("ready", flush=True)
    for line in sys.stdin:
        engine, began = AlphaBeta(game, table_mb=table_mb), time.process_time()
        result = engine.search(game.from_text(json.loads(line)))
        seconds = time.process_time() - began
        print(
            json.dumps({"value": result.value, "proven": result.proven, "nodes": result.nodes, "s": seconds}),
            flush=True,
        )


def _pieces(game, left):
    return game.shape[0] * game.shape[1] - left


class Solver:
    """A Counterplay in a process of its own."""

    def __init__(self, folder, name, table_mb):
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        command = [sys.executable, __file__, "serve", name, str(table_mb)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        assert self._process.stdout.readline() == "ready\n"

    def ask(self, text):
        self._process.stdin.write(json.dumps(text) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def main():
    if sys.argv[1:2] == ["serve"]:
        serve(sys.argv[2], float(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("game", choices=["othello", "connect_four"])
    parser.add_argument("sizes", help="empty squares, or stones, with commas between")
    parser.add_argument("number", type=int, nargs="?", default=10)
    parser.add_argument("--against", help="the folder of another Counterplay")
    parser.add_argument("--table", type=float, default=64, help="MB")
    asked = parser.parse_args()
    from counterplay import games

    name = "othello:margin=true" if asked.game == "othello" else asked.game
    game, ours = games.load(name), Solver(Path(__file__).parents[1], name, asked.table)
    theirs = Solver(Path(asked.against), name, asked.table) if asked.against else None
    for size in map(int, asked.sizes.split(",")):
        pieces = _pieces(game, size) if asked.game == "othello" else size
        times, others, nodes = [], [], 0
        for s in positions(game, pieces, asked.number):
            found = ours.ask(game.to_text(s))
            assert found["proven"]
            times.append(found["s"])
            nodes += found["nodes"]
            if theirs is not None:
                other = theirs.ask(game.to_text(s))
                assert other["value"] == found["value"], game.to_text(s)
                others.append(other["s"])
        line = f"{size:3}: median {statistics.median(times):.3f} s, mean {statistics.mean(times):.3f}, {nodes:,} nodes"
        if others:
            line += f"; other: median {statistics.median(others):.3f} s, mean {statistics.mean(others):.3f}"
            ratios = [other / own for other, own in zip(others, times, strict=True)]
            line += f"; {sum(others) / sum(times):.1f} times in all, {statistics.median(ratios):.1f} median"
        print(line, flush=True)
    ours.close()
    if theirs is not None:
        theirs.close()


if __name__ == "__main__":
    main()
