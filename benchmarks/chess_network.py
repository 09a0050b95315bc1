"""A network for chess that looks from both sides: positions of our own quick games, judged by Stockfish, and the fit.

    python benchmarks/chess_network.py positions FOLDER [--shards 40] [--depth 3] [--seed 11]
    python benchmarks/chess_network.py train FOLDER --out chess.safetensors [--hidden 32x16] [--epochs 14]
    counterplay match chess alphabeta:nodes=4000,model=chess.safetensors alphabeta:nodes=4000 --games 400

The first needs stockfish, the second `pip install torch`. Positions are like those of `chess_positions.py`, but played
by compiled code: some 800 a second, most of that Stockfish. A shard is a file of rows of nine words (own and other
pieces, pawns, knights, diagonal and straight sliders, kings, rooks that may castle, who is to move) and hundredths of a
pawn for the player to move. The error is the mean square of the difference in the chance to win, balanced positions
counting up to three times.
"""

from __future__ import annotations

import argparse
import time
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from chess_fit import PAWN, SLOPE  # beside this file
from chess_positions import AT_ONCE, Stockfish, best_move, settled

from counterplay import games, learn
from counterplay.core.randomness import new_random, unit, word
from counterplay.core.vectors import word_of
from counterplay.native import native

SHARD, MOST, TRIES = 60_000, 2000, 4
"""Positions of a shard before those that are there twice are left out, of a game, and tried at each of its moves."""
SIGNS = np.frombuffer(b"1PNBRQKpnbrqk", np.uint8)
HELD_OUT = 0.05


# ---- positions


@native
def thinned(game, s, source):  # type: ignore[no-untyped-def]
    """The position with some pieces taken off, or as it was if a king could be taken then."""
    share, off = unit(source), s.kings - s.kings
    for q in (s.mine | s.theirs) - s.kings:
        if unit(source) < share:
            off = off.add(q)
    mine, theirs, castling = s.mine - off, s.theirs - off, s.castling - off
    kinds = s.pawns - off, s.knights - off, s.diagonal - off, s.straight - off, s.kings
    thin = game.State(mine, theirs, *kinds, castling, s.en_passant, s.turn, 0, 1)
    other = game.State(theirs, mine, *kinds, castling, s.en_passant, 1 - s.turn, 0, 1)
    return s if s.en_passant or game.in_check(other) else thin


@native
def after_some(game, s, n, source):  # type: ignore[no-untyped-def]
    """The position after so many random moves."""
    for _ in range(n):
        if game.is_terminal(s):
            return s
        s = game.result(s, game.sample(s, word(source)))
    return s


@native
def note_game(game, start, source, rows):  # type: ignore[no-untyped-def]
    """Play a game, and write positions near it into rows; how many."""
    n, depth = 0, 2 if unit(source) < 0.85 else 1
    s = after_some(game, start, 2 + int(9.0 * unit(source)), source)
    for _ in range(240):
        if game.is_terminal(s):
            break
        for _ in range(TRIES):
            near = thinned(game, s, source) if unit(source) < 0.15 else s
            near = after_some(game, near, int(4.0 * unit(source) ** 2), source)
            if game.is_terminal(near) or n == len(rows):
                continue
            near = settled(game, near, game.player(near), -inf, inf)[1]
            if game.is_terminal(near) or game.in_check(near):
                continue
            squares = near.mine, near.theirs, near.pawns, near.knights, near.diagonal, near.straight, near.kings
            for i in range(7):
                rows[n, i] = word_of(squares[i], 0)
            rows[n, 7], rows[n, 8] = word_of(near.castling, 0), near.turn
            n += 1
        a = game.sample(s, word(source)) if unit(source) < 0.05 else best_move(game, s, depth)
        s = game.result(s, a)
    return n


def squares_of(rows: Any) -> Any:
    """For each row eight boards: where each of its words has a one."""
    words = np.ascontiguousarray(rows[:, :8]).view(np.uint8).reshape(-1, 8, 8)
    return np.unpackbits(words, axis=2, bitorder="little").reshape(-1, 8, 64).astype(bool)


def kinds_of(at: Any) -> Any:
    """The kind of piece on each square, from 0 for pawns to 5 for kings, where there is one."""
    _, _, _, knights, diagonal, straight, kings, _ = np.moveaxis(at, 1, 0)
    return knights + 2 * (diagonal & ~straight) + 3 * (straight & ~diagonal) + 4 * (diagonal & straight) + 5 * kings


def fens_of(rows: Any) -> list[str]:
    """FENs as Stockfish reads them, an empty square a 1."""
    at = squares_of(rows)
    white = np.where(rows[:, 8:9] == 0, at[:, 0], at[:, 1])
    pieces = np.where(at[:, 0] | at[:, 1], kinds_of(at) + np.where(white, 1, 7), 0)
    text = np.full((len(rows), 8, 9), ord("/"), np.uint8)
    text[:, :, :8] = SIGNS[pieces].reshape(-1, 8, 8)[:, ::-1]
    found = []
    for line, castling, turn in zip(text.reshape(len(rows), 72), at[:, 7], rows[:, 8], strict=True):
        rights = "".join(sign for sign, q in zip("KQkq", (7, 0, 63, 56), strict=True) if castling[q]) or "-"
        found.append(f"{line[:71].tobytes().decode()} {'wb'[turn]} {rights} - 0 1")
    return found


def write_positions(folder: Path, shards: int, depth: int, seed: int, program: str) -> None:
    game, source, fish = games.load("chess"), new_random(seed), Stockfish(program, depth)
    start, room = game.initial(), np.zeros((MOST, 9), np.int64)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(shards):
        began, parts = time.time(), []
        while sum(map(len, parts)) < SHARD:
            parts.append(room[: note_game(game, start, source, room)].copy())
        rows = np.unique(np.concatenate(parts), axis=0)
        fens, worth = fens_of(rows), []
        for i in range(0, len(fens), AT_ONCE):
            worth += fish.worth(fens[i : i + AT_ONCE])
        part = folder / f"{seed}-{number:03}.part"
        with part.open("wb") as out:
            np.save(out, np.concatenate([rows, np.array(worth)[:, None]], axis=1))
        part.rename(part.with_suffix(".npy"))
        print(f"shard {number + 1} of {shards}: {len(rows):,} positions, {time.time() - began:.0f} s", flush=True)
    fish.process.terminate()


# ---- the fit


def inputs_of(rows: Any, inputs: int, most: int) -> Any:
    """What the player to move sees, by numbers as `seen_by` of chess has them, filled up with `inputs`."""
    at = squares_of(rows)
    mine, theirs, castling, kinds = at[:, 0], at[:, 1], at[:, 7], kinds_of(at)
    king = (mine & at[:, 6]).argmax(axis=1)
    flip = np.where(king % 8 < 4, 7, 0) ^ np.where(rows[:, 8] == 1, 56, 0)
    found = np.full((len(rows), most), inputs, np.int16)
    for place, first, which, is_castling in (
        (0, 0, mine, False),
        (16, 384, theirs, False),
        (32, 768, mine & castling, True),
        (34, 776, theirs & castling, True),
    ):
        row, q = np.nonzero(which)
        seen = q ^ flip[row]
        nth = np.arange(len(row)) - np.searchsorted(row, np.arange(len(rows)))[row]
        found[row, place + nth] = first + (seen % 8 if is_castling else 64 * kinds[row, q] + seen)
    return found


def train(folder: Path, out: Path, hidden: str, epochs: int, batch: int = 1024, rate: float = 0.005) -> None:
    import torch
    from torch import nn

    game = games.load("chess")
    model = learn.SidedNetwork(game, hidden=hidden)
    data = np.concatenate([np.load(file) for file in sorted(folder.glob("*.npy"))])
    turned = data[:, [1, 0, *range(2, 8), 8]]
    turned[:, 8] = 1 - turned[:, 8]
    sizes = game.seen_inputs, game.most_seen
    one, other = (torch.from_numpy(inputs_of(rows, *sizes)) for rows in (data, turned))
    pawns = torch.from_numpy(data[:, 9].astype(np.float32) / PAWN)
    wanted, weight = torch.sigmoid(SLOPE * pawns), 1 + 2 * torch.exp(-pawns.abs() / 1.5)

    torch.manual_seed(0)
    n, m = model.hidden
    first, rest = (torch.from_numpy(model.weights[name]) for name in ("first", "rest"))
    rows = nn.Parameter(torch.cat([first[:-1], torch.zeros(1, n)]))
    bias, second = nn.Parameter(first[-1].clone()), nn.Parameter(rest[: 2 * n * m].reshape(m, 2 * n).clone())
    thresholds, last = nn.Parameter(rest[2 * n * m : (2 * n + 1) * m].clone()), nn.Parameter(rest[-m - 1 :].clone())

    def chances(which: Any) -> Any:
        """What the network as it is thinks of some positions."""
        seen = [
            nn.functional.embedding_bag(side[which].long(), rows, mode="sum", padding_idx=sizes[0]) + bias
            for side in (one, other)
        ]
        units = torch.cat(seen, 1).clamp(0, 1)
        units = (units @ second.T + thresholds).clamp(0, 1)
        v = torch.tanh((units @ last[:m] + last[m]) / 2).clamp(-0.99, 0.99)  # a sigmoid, from -1 to 1
        return torch.sigmoid(SLOPE * game.half_win * v / (1 - v.abs()))

    dice = np.random.default_rng(0)
    order = dice.permutation(len(data))
    held, learned = np.split(order, [int(HELD_OUT * len(data))])
    optimiser = torch.optim.Adam([rows, bias, second, thresholds, last], lr=rate)
    steps = epochs * (len(learned) // batch) + 1
    falling = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, steps, pct_start=0.1, final_div_factor=1000)
    for epoch in range(epochs):
        shuffled = dice.permutation(learned)
        for i in range(0, len(shuffled) - batch + 1, batch):
            which = torch.from_numpy(shuffled[i : i + batch])
            loss = ((chances(which) - wanted[which]) ** 2 * weight[which]).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            falling.step()
        with torch.no_grad():
            error = ((chances(held) - wanted[held]) ** 2).mean()
        print(f"epoch {epoch + 1} of {epochs}: {error:.5f} on {len(held):,} held out", flush=True)

    with torch.no_grad():
        model.weights["first"][:] = torch.cat([rows[:-1], bias[None]]).numpy()
        model.weights["rest"][:] = torch.cat([second.flatten(), thresholds, last]).numpy()
    model.pedigree.append({"method": f"fitted to {len(data):,} positions that Stockfish judged", "error": float(error)})
    learn.save(model, out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["positions", "train"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shards", type=int, default=40)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    parser.add_argument("--out", type=Path, default=Path("chess.safetensors"))
    parser.add_argument("--hidden", default="32x16")
    parser.add_argument("--epochs", type=int, default=14)
    asked = parser.parse_args()
    if asked.step == "positions":
        write_positions(asked.folder, asked.shards, asked.depth, asked.seed, asked.stockfish)
    else:
        train(asked.folder, asked.out, asked.hidden, asked.epochs)


if __name__ == "__main__":
    main()
