"""Tactics: how many problems of `tactics.txt` a search solves within so many nodes, and how deep it looks elsewhere.

    python benchmarks/tactics.py 50000 180000        # nodes for a problem; a line for each
    python benchmarks/tactics.py --depth 1000000     # the depth reached in the quiet positions
    python benchmarks/tactics.py --without selective 50000
    python benchmarks/tactics.py --model shipped 50000
    python benchmarks/tactics.py --make positions.txt tactics.txt --most 200    # new problems, needs stockfish

A problem is a position of our own quick games, most with random moves between, in which nothing is left to take that
pays. Stockfish 15.1 (200,000 nodes, two lines) has one move that is better than all others by two pawns or by a mate,
has another at depth 1, and is not winning without it; a mate in n has `dm n`. The latter half was found by a look with
few nodes first, which leaves out what Stockfish takes long to see; in eight one is two to nine pawns behind, and one
is a known mate. `quiet.txt` has positions of moves 10 to 25 of such games in which nobody is a pawn ahead.
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
from typing import Any

from counterplay import games, learn
from counterplay.search.alphabeta.engine import AlphaBeta
from counterplay.search.limits import Limits

FOLDER = Path(__file__).parent
MATE, GAP, WON = 100_000, 200, 300  # in hundredths of a pawn
NODES = 200_000
FEW_NODES, FEW_GAP = 2_000, 50  # a first look, which is cheap


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


def make(positions: Path, tactics: Path, wanted: int) -> None:
    """Write so many problems; each line of `positions` is a FEN, `|`, and hundredths of a pawn for who is to move."""
    game, judge, found = games.load("chess"), Stockfish(), 0
    lines = positions.read_text().splitlines()
    random.Random(2).shuffle(lines)
    known = {line.split(" bm ")[0] for line in tactics.read_text().splitlines()} if tactics.exists() else set()
    for line in lines:
        fen, score = line.split("|")
        s = game.from_text(fen)
        # Nothing is left to take that pays, and yet it is worth far more than the pieces on the board.
        material = sum(game.worth(s, q) for q in s.mine - s.kings) - sum(game.worth(s, q) for q in s.theirs - s.kings)
        if not -GAP <= 100 * material < WON or int(score) < max(GAP, 100 * material + GAP) or fen in known:
            continue
        _, first, second = judge.best_two(fen, f"nodes {FEW_NODES}")
        if first - second < FEW_GAP or second >= WON + GAP:
            continue
        best = judge.best_two(fen, f"nodes {NODES // 10}")
        if is_clear(*best[1:]) and judge.best_two(fen, "depth 1")[0] != best[0]:
            move, first, second = judge.best_two(fen, f"nodes {NODES}")
            if move == best[0] and is_clear(first, second):
                with tactics.open("a") as out:
                    out.write(f"{fen} bm {move}{f' dm {MATE - first}' if first > MATE // 2 else ''}\n")
                found += 1
        if found == wanted:
            break


def is_clear(first: int, second: int) -> bool:
    """Whether a move is better than the next by so much that it decides."""
    return first - second >= GAP and second < WON and first > -WON


def problems() -> Iterator[tuple[str, str]]:
    for fen, move, _ in problems_and_mates():
        yield fen, move


def problems_and_mates() -> Iterator[tuple[str, str, int]]:
    """Positions, the moves that solve them, and in how many moves that is mate; 0 if it is none."""
    for line in (FOLDER / "tactics.txt").read_text().splitlines():
        fen, _, solution = line.partition(" bm ")
        move, _, mate = solution.partition(" dm ")
        yield fen, move, int(mate or 0)


def chess(model: str | None) -> Any:
    """The game with its own estimate, or with that of the network that ships."""
    game = games.load("chess")
    return learn.shipped(game).joined_to(game) if model else game


def measure(game: Any, nodes: int, without: list[str], most: int) -> None:
    solved = looked = mates = 0
    each = list(problems_and_mates())[:most]
    engine = AlphaBeta(game, table_mb=64, without=without)
    for fen, move, mate in each:
        s = game.from_text(fen)
        engine.new_game()
        result = engine.search(s, Limits(nodes=nodes))
        looked += result.nodes
        is_solved = result.action == game.parse_action(s, move)
        solved += is_solved
        mates += is_solved and 0 < mate <= 3
    soon = sum(0 < mate <= 3 for *_, mate in each)
    print(
        f"{nodes:,} nodes: {solved} of {len(each)} solved ({solved / len(each):.1%}), of the mates in 3 or sooner "
        f"{mates} of {soon}; {looked:,} nodes",
        flush=True,
    )


def measure_depth(game: Any, nodes: int, without: list[str], most: int) -> None:
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
    parser.add_argument("--model", choices=["shipped"], help="the network that ships")
    parser.add_argument("--most", type=int, default=10_000, help="so many positions only")
    parser.add_argument("--make", nargs=2, type=Path, metavar=("POSITIONS", "TACTICS"))
    given = parser.parse_args()
    if given.make:
        make(*given.make, wanted=given.most)
    game = chess(given.model)
    if given.depth:
        measure_depth(game, given.depth, given.without, given.most)
    for nodes in given.nodes:
        measure(game, nodes, given.without, given.most)


if __name__ == "__main__":
    main()
