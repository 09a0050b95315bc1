"""Fit the evaluation of chess to what Stockfish says of positions of our own games.

    python benchmarks/chess_fit.py [--number 100000]    # all of it: positions, fit, counterplay/games/chess/weights.txt
    python benchmarks/chess_fit.py FILE ... --out w.txt # only the fit, to positions that chess_positions.py has made

What is fitted are all numbers of `weights.txt`; material and the pair of bishops stay as the textbooks have them. The
error is the mean square of the difference in the chance to win, so that what is won anyway counts little. To it come
penalties that keep numbers where people would look for them: small, and like their neighbours on the board or in the
list. A tenth of the positions is held out, and told of at the end.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from chess_positions import write  # beside this file

from counterplay import games
from counterplay.core.bits import Bits
from counterplay.core.features import new_active
from counterplay.games.chess import weights
from counterplay.games.chess.features import MATERIAL
from counterplay.native import native

FILE = Path(weights.__file__).with_name("weights.txt")
MOST = 256
SLOPE = 0.55
"""The chance to win rises with pawns as the sigmoid of so many times them."""
PAWN = 125
"""What we call a pawn, in Stockfish's hundredths: so that a pawn, a knight, a rook are worth about 1, 3, 5 to both."""
PLAIN = np.array([1.0, 3.0, 3.0, 5.0, 9.0, 0.5])


@native
def inputs_of(game, s, index, value):  # type: ignore[no-untyped-def]
    """Fill a row with the numbers and values of the inputs that are not 0; how many."""
    on = new_active(game.inputs, game.most_active)
    game.features(s, on)
    for k in range(len(on)):
        index[k], value[k] = on.index(k), on.value(k)
    return len(on)


def state_of(game: Any, fen: str) -> Any:
    """The position of a FEN that we have written, so that nothing needs to be checked."""
    board, side, *_ = fen.split()
    at: dict[str, list[int]] = {piece: [] for piece in "PNBRQKpnbrqk"}
    square = 56
    for sign in board:
        if sign == "/":
            square -= 16
        elif sign.isdigit():
            square += int(sign)
        else:
            at[sign].append(square)
            square += 1

    def both(kinds: str) -> Bits:
        return Bits(64, [q for kind in kinds for q in at[kind] + at[kind.lower()]])

    sides = [Bits(64, [q for kind in kinds for q in at[kind]]) for kinds in ("PNBRQK", "pnbrqk")]
    turn = int(side == "b")
    kinds = (both("P"), both("N"), both("BQ"), both("RQ"), both("K"))
    return game.State(sides[turn], sides[1 - turn], *kinds, Bits(64), Bits(64), turn, 0, 1)


class Positions:
    """Positions as rows of inputs; the inputs of plain material are added up."""

    def __init__(self, files: list[Path]) -> None:
        game = games.load("chess")
        lines = dict(line.rstrip().split("|") for file in files for line in file.open() if "|" in line)
        n = len(lines)
        self.index, self.value = np.zeros((n, MOST), np.int16), np.zeros((n, MOST), np.float32)
        self.material, self.pawns = np.zeros(n, np.float32), np.zeros(n, np.float32)
        index, value = np.zeros(1024, np.int64), np.zeros(1024, np.float64)
        widest = 0
        for i, (fen, score) in enumerate(lines.items()):
            number = inputs_of(game, state_of(game, fen), index, value)
            plain = index[:number] >= MATERIAL
            self.material[i] = PLAIN[index[:number][plain] - MATERIAL] @ value[:number][plain]
            kept = number - int(plain.sum())
            self.index[i, :kept], self.value[i, :kept] = index[:number][~plain], value[:number][~plain]
            self.pawns[i] = int(score) / PAWN
            widest = max(widest, kept)
        self.index, self.value = self.index[:, :widest], self.value[:, :widest]

    def __len__(self) -> int:
        return len(self.pawns)

    def estimate(self, w: Any, rows: Any) -> Any:
        return self.material[rows] + (w[self.index[rows]] * self.value[rows]).sum(1)


def chance(pawns: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-SLOPE * pawns))


def neighbours() -> Any:
    """Pairs of numbers that should be alike: beside each other on the board, or in a list."""
    found = []
    for name, size in weights.SECTIONS.items():
        first = weights.FIRST[name]
        for k in range(size):
            if size == 64:
                found += [
                    (first + k, first + k + step) for step in (1, 8) if k + step < 64 and (step == 8 or k % 8 < 7)
                ]
            elif k + 1 < size and size > 4:
                found.append((first + k, first + k + 1))
    found += [(k, 384 + k) for k in range(384)]  # kings on one wing, and on both
    for first in (weights.ZONE, weights.ZONE + 60):  # one attacker, and one more
        found += [(first + k, first + k + 12) for k in range(12, 48)]
    pairs = np.array(found)
    phases = np.array([(k, k + weights.NUMBER) for k in range(weights.HITS, weights.TO_MOVE)])  # early, and late
    return np.concatenate([pairs, pairs + weights.NUMBER, phases])


def bounds() -> Any:
    """The least and the greatest that each number may be: what is good for people is not bad for us by chance."""
    low, high = np.full((2, weights.NUMBER), -np.inf), np.full((2, weights.NUMBER), np.inf)
    for name in ("safe checks", "rook on open files", "outposts", "supported", "to move"):
        low[:, weights.FIRST[name] :][:, : weights.SECTIONS[name]] = 0.0
    low[:, weights.HITS : weights.TO_MOVE] = 0.0
    high[:, weights.TO_MOVE] = 0.25  # more would say more of our random moves than of chess
    high[:, [weights.DOUBLED, weights.ISOLATED, weights.BACKWARD]] = 0.0
    low[1, weights.SHIELD : weights.DOUBLED] = high[1, weights.SHIELD : weights.DOUBLED] = 0.0  # no shelter in endings
    return low.ravel(), high.ravel()


def fit(data: Positions, rows: Any, rounds: int, small: float, alike: float, seed: int = 0) -> Any:
    """The numbers, in pawns: Adam (Kingma & Ba 2014) over batches."""
    rng, size = np.random.default_rng(seed), 2 * weights.NUMBER
    w, m, v = np.zeros(size), np.zeros(size), np.zeros(size)
    target, (one, other) = chance(data.pawns), neighbours().T
    batch, step = 4096, 0
    low, high = bounds()
    for number in range(rounds):
        rate = 0.02 if number < rounds * 0.6 else 0.005 if number < rounds * 0.85 else 0.001
        order = rng.permutation(rows)
        for at in range(0, len(order), batch):
            some = order[at : at + batch]
            p = chance(data.estimate(w, some))
            slope = 2.0 * (p - target[some]) * p * (1.0 - p) * SLOPE / len(some)
            g = np.bincount(data.index[some].ravel(), (slope[:, None] * data.value[some]).ravel(), size)
            differ = alike * (w[one] - w[other])
            g += np.bincount(one, differ, size) - np.bincount(other, differ, size) + small * w
            step += 1
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            w -= rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-9)
            w = np.clip(w, low, high)
    return w


def told(name: str, data: Positions, rows: Any, w: Any) -> None:
    estimate = data.estimate(w, rows)
    loss = float(np.mean((chance(estimate) - chance(data.pawns[rows])) ** 2))
    close = np.abs(data.pawns[rows]) < 4
    linear = np.corrcoef(np.clip(estimate, -10, 10), np.clip(data.pawns[rows], -10, 10))[0, 1]
    near = np.corrcoef(estimate[close], data.pawns[rows][close])[0, 1]
    print(f"{name:28} loss {loss:.5f}, r {linear:.3f}, r within four pawns {near:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--out", type=Path, default=FILE)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--small", type=float, default=5e-7)
    parser.add_argument("--alike", type=float, default=2e-6)
    parser.add_argument("--number", type=int, default=100_000, help="Positions to make, if no FILE has them.")
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    asked = parser.parse_args()
    begun = time.process_time()
    if not asked.files:
        asked.files = [Path("chess-positions.txt")]
        write(asked.files[0], asked.number, depth=6, seed=1, program=asked.stockfish)
    data = Positions(asked.files)
    rows = np.random.default_rng(1).permutation(len(data))
    held, learned = rows[: len(rows) // 10], rows[len(rows) // 10 :]
    print(f"{len(data):,} positions, read in {time.process_time() - begun:.0f} s", flush=True)
    early, late = weights.read(FILE.read_text())
    told("material, held out", data, held, np.zeros(2 * weights.NUMBER))
    told("as it was, held out", data, held, np.array(early + late) / 100)
    w = fit(data, learned, asked.rounds, asked.small, asked.alike)
    numbers = [round(x) for x in (100 * w).tolist()]
    told("fitted, learned from", data, learned, np.array(numbers) / 100)
    told("fitted, held out", data, held, np.array(numbers) / 100)
    asked.out.write_text(weights.written(numbers[: weights.NUMBER], numbers[weights.NUMBER :]))
    print(f"{asked.out}, {time.process_time() - begun:.0f} s of processor time", flush=True)


if __name__ == "__main__":
    sys.exit(main())
