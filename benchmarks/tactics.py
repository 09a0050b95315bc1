"""Tactics: how many problems of `tactics.txt` a search solves within so many nodes, and how deep it looks elsewhere.

    python benchmarks/tactics.py 50000 180000        # nodes for a problem; a line for each
    python benchmarks/tactics.py --depth 1000000     # the depth reached in the quiet positions
    python benchmarks/tactics.py --without selective 50000
    python benchmarks/tactics.py --make 200 quiet.txt tactics.txt    # new problems, with /usr/games/stockfish

A problem is a position of a quick game of ours against ourselves, where Stockfish 15.1 (200,000 nodes, two lines) has
one move that is better than all others by two pawns or by a mate, does not see it at a depth of 1, and is not winning
without it. A quiet position is one of moves 10 to 25 of the same games in which nobody is a pawn ahead.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from counterplay import games
from counterplay.search.alphabeta.engine import AlphaBeta
from counterplay.search.limits import Limits

FOLDER = Path(__file__).parent
MATE, GAP, WON = 100_000, 200, 300  # in hundredths of a pawn
NODES, QUICK = 200_000, 1_500


class Stockfish:
    """The scores of the best two moves, in hundredths of a pawn, for who is to move."""

    def __init__(self) -> None:
        path = shutil.which("stockfish", path="/usr/games:/usr/bin:/usr/local/bin")
        if path is None:
            raise SystemExit("needs stockfish (Debian: apt install stockfish)")
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.say("setoption name Hash value 4\nsetoption name MultiPV value 2\nisready")
        while "readyok" not in self.hear():
            pass

    def say(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def best_two(self, fen: str, limit: str) -> tuple[str, int, int]:
        """The best move, its score, and the score of the next one."""
        self.say(f"ucinewgame\nposition fen {fen}\ngo {limit}")
        scores = {1: 0, 2: 0}
        while not (line := self.hear()).startswith("bestmove"):
            words = line.split()
            if "multipv" in words and "score" in words:
                unit, x = words[words.index("score") + 1 : words.index("score") + 3]
                v = int(x) if unit == "cp" else (MATE if int(x) > 0 else -MATE) - int(x)
                scores[int(words[words.index("multipv") + 1])] = v
        return line.split()[1], scores[1], scores[2]


def make(wanted: int, quiet: Path, tactics: Path, seed: int) -> None:
    """Write so many problems, and the quiet positions met on the way."""
    game, judge, chance = games.load("chess"), Stockfish(), random.Random(seed)
    engine = AlphaBeta(game, table_mb=8)
    found, seen = 0, set()
    while found < wanted:
        engine.new_game()
        s = game.initial()
        for _ in range(chance.choice((6, 7, 8, 9, 10))):
            s = game.result(s, chance.choice(list(game.actions(s))))
            if game.is_terminal(s):
                break
        for _ in range(120):
            if game.is_terminal(s):
                break
            fen = game.to_text(s)
            if s.number >= 7 and fen not in seen:
                seen.add(fen)
                best, first, second = judge.best_two(fen, f"nodes {QUICK}")
                if s.number in range(10, 26) and abs(first) < 100 and first - second < 50 and not game.in_check(s):
                    write(quiet, fen)
                if is_clear(first, second) and judge.best_two(fen, "depth 1")[0] != best:
                    # twice, the second time with ten times the nodes: most that looks clear at first is not
                    looks = (judge.best_two(fen, f"nodes {nodes}") for nodes in (NODES // 10, NODES))
                    if all(move == best and is_clear(first, second) for move, first, second in looks):
                        found += 1
                        write(tactics, f"{fen} bm {best}")
            if chance.random() < 0.12:
                a = chance.choice(list(game.actions(s)))
            else:
                a = engine.search(s, Limits(nodes=chance.choice((100, 200, 500)))).action
            s = game.result(s, a)


def is_clear(first: int, second: int) -> bool:
    """Whether a move is better than the next by so much that it decides."""
    return first - second >= GAP and second < WON and first > -WON


def write(file: Path, line: str) -> None:
    with file.open("a") as out:
        out.write(f"{line}\n")


def problems() -> Iterator[tuple[str, str]]:
    for line in (FOLDER / "tactics.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            fen, move = line.split(" bm ")
            yield fen, move


def measure(nodes: int, without: list[str], most: int) -> None:
    game = games.load("chess")
    solved = looked = 0
    spent = time.thread_time()
    each = list(problems())[:most]
    engine = AlphaBeta(game, table_mb=64, without=without)
    for fen, move in each:
        s = game.from_text(fen)
        engine.new_game()
        result = engine.search(s, Limits(nodes=nodes))
        looked += result.nodes
        solved += result.action == game.parse_action(s, move)
    spent = time.thread_time() - spent
    print(f"{nodes:,} nodes: {solved} of {len(each)} solved ({solved / len(each):.1%}), {looked:,} nodes", flush=True)


def measure_depth(nodes: int, without: list[str], most: int) -> None:
    game = games.load("chess")
    depths, looked, spent = [], 0, 0.0
    fens = [each for each in (FOLDER / "quiet.txt").read_text().splitlines() if each and not each.startswith("#")]
    engine = AlphaBeta(game, table_mb=64, without=without)
    engine.search(game.initial(), Limits(nodes=100))
    for fen in fens[:most]:
        engine.new_game()
        before = time.process_time()
        result = engine.search(game.from_text(fen), Limits(nodes=nodes))
        spent += time.process_time() - before
        looked += result.nodes
        depths.append(result.depth)
    print(
        f"depth in {nodes:,} nodes: median {statistics.median(depths)}, mean {statistics.mean(depths):.1f}, from "
        f"{min(depths)} to {max(depths)}, {len(depths)} positions; {looked / spent / 1e6:.2f} M nodes a CPU second"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nodes", nargs="*", type=int)
    parser.add_argument("--depth", type=int, metavar="NODES")
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--most", type=int, default=10_000, help="so many positions only")
    parser.add_argument("--make", nargs=3, metavar=("PROBLEMS", "QUIET", "TACTICS"))
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.make:
        make(int(given.make[0]), Path(given.make[1]), Path(given.make[2]), given.seed)
    if given.depth:
        measure_depth(given.depth, given.without, given.most)
    for nodes in given.nodes:
        measure(nodes, given.without, given.most)


if __name__ == "__main__":
    main()
