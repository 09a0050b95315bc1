"""Make the opening book of a game that can be solved: how the first player wins, where a short search would not see it.

    python benchmarks/solved_book.py [GAME] [--plies 16] [--easy 150000] [--table 4000] [--minutes 60] [--out FILE]

The first position is proven to be won, by our own search for the exact value, whose table then knows most of the proof.
From there each position that comes up if the first player keeps to the book, whatever the other does, gets a move that
is proven to win; unless so many nodes are enough to find one, for then a player needs no book, there and after it.
Positions with few pieces come first, so that what is done when the time is over is a book as well.
GAME is connect_four unless another is named. A wide table helps: the proof of Connect Four has some 10^8 positions.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from math import inf, nextafter
from pathlib import Path
from typing import Any

from counterplay import Game, arena, games
from counterplay.search.exact.kernel import ask
from counterplay.search.exact.solver import Solver
from counterplay.search.run import NO_LIMIT, new_tally

FOLDER = Path(arena.__file__).parent / "books"
PATIENCE = (3_000, 300_000, 30_000_000, NO_LIMIT)
"""Nodes to spend on each move, to find one that wins: at first few on each, then more."""


class Prover:
    """Says whether the first player wins a position."""

    def __init__(self, game: Game, table_mb: float) -> None:
        self.game, self.tally = game, new_tally()
        self._solver = Solver(game, table_mb, 1)
        self._solver.use_part(is_all=True)
        self._memory = self._solver.memories[0]
        self._memory.root_left = game.plies_left(game.initial())  # nothing that is known ever gives way as old
        self.tally.most_nodes = NO_LIMIT

    def wins(self, s: Any, nodes: int) -> bool:
        """Whether it is proven within so many nodes that the first player wins `s`."""
        game, t, w = self.game, self.tally, self._memory
        most = game.utility_range[1]
        if game.is_terminal(s):
            return bool(game.utility(s, 0) >= most)
        w.stop, w.most_nodes = 0, min(NO_LIMIT, t.nodes + nodes)
        found = ask(game, s, nextafter(most, -inf), most, 1, t, w)
        return bool(not w.stop and found >= most)

    def winning(self, s: Any, patience: tuple[int, ...]) -> int | None:
        """A move that wins `s`, one that is soon proven to."""
        moves = sorted(map(int, self.game.actions(s)), key=lambda a: -self.game.priority(s, a))
        each = ((a, nodes) for nodes in patience for a in moves)
        return next((a for a, nodes in each if self.wins(self.game.result(s, a), nodes)), None)

    def forget(self) -> None:
        self._solver.clear()


def make(asked: argparse.Namespace) -> None:
    game = games.load(asked.game)
    prover, novice = Prover(game, asked.table), Prover(game, 4)
    began, spent = time.monotonic(), time.process_time()
    rows: list[list[str]] = []
    level: dict[int, tuple[Any, list[str]]] = {0: (game.initial(), [])}
    for ply in range(0, asked.plies + 1, 2):
        further: dict[int, tuple[Any, list[str]]] = {}
        for s, names in level.values():
            if time.monotonic() - began > 60 * asked.minutes:
                break
            novice.forget()
            if ply > 0 and novice.wins(s, asked.easy):
                continue
            a = prover.winning(s, PATIENCE if ply > 0 else PATIENCE[-1:])
            assert a is not None, f"{game.to_text(s)} is not won"
            line, there = [*names, game.action_name(s, a)], game.result(s, a)
            rows.append(line)
            if ply == 0:
                print(f"won, {prover.tally.nodes:,} nodes, {time.process_time() - spent:.0f} CPU s", flush=True)
            for b in () if game.is_terminal(there) else map(int, game.actions(there)):
                after = game.result(there, b)
                if not game.is_terminal(after):
                    further.setdefault(game.key(game.canonical(after)), (after, [*line, game.action_name(there, b)]))
        write(asked, game, rows, ply)
        print(f"{ply} pieces: {len(rows)} moves so far, {time.process_time() - spent:.0f} CPU s", flush=True)
        level = further


def write(asked: argparse.Namespace, game: Game, rows: list[list[str]], ply: int) -> None:
    about = f"# {len(rows)} positions of up to {ply} pieces, each with a move that is proven to win."
    text = [about, "# Made by benchmarks/solved_book.py; see counterplay/arena/book.py."]
    text += ["> " + " ".join(line) for line in sorted(rows)]
    (asked.out or FOLDER / f"{game.name}.txt").write_text("\n".join(text) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", default="connect_four")
    parser.add_argument("--plies", type=int, default=16)
    parser.add_argument("--easy", type=int, default=150_000, help="nodes that any player has time for")
    parser.add_argument("--table", type=float, default=4000, help="MB")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    threading.stack_size(512 << 20)  # the search is recursive
    work = threading.Thread(target=make, args=(asked,))
    work.start()
    work.join()


if __name__ == "__main__":
    sys.exit(main())
