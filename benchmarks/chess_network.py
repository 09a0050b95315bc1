"""A network that corrects the estimate of chess: positions of games that Stockfish plays and judges, and the fit.

    python benchmarks/chess_network.py positions FOLDER --seed 1 --shards 7     # to be examined by
    python benchmarks/chess_network.py positions FOLDER --seed 2 --shards 44    # to be learned from
    python benchmarks/chess_network.py quick FOLDER --seed 3 --shards 24        # more of it, of lopsided positions
    python benchmarks/chess_network.py train FOLDER --out chess.safetensors [--hidden 32x16] [--epochs 6]
    counterplay match chess alphabeta:nodes=4000,model=chess.safetensors alphabeta:nodes=4000 --games 400

Positions need stockfish, the fit `pip install torch`. Stockfish plays 2,000 games at once against itself, four plies
deep, from random openings and with a random move now and then; half of the positions have another one beside them, a
random move or two away, as a search meets them. What it says of a position is learned if that is quiet: nobody is in
check, and its best move takes nothing. One question is enough for the move and for the value. `quick` has positions
near games that our own search of one or two plies plays, after all captures that pay; Stockfish judges them one ply
deep.

A shard is a file of rows of nine words (own and other pieces, pawns, knights, diagonal and straight sliders, kings,
rooks that may castle, who is to move) and hundredths of a pawn for the player to move. The error is the mean square of
the difference in the chance to win. A game goes on through several shards, so that those of another seed are held out:
near relatives of what was learned would flatter the fit.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import time
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from chess_fit import PAWN, SLOPE  # beside this file
from chess_positions import MATE, after_some, best_move, settled

from counterplay import games, learn
from counterplay.core.bits import Bits
from counterplay.core.randomness import new_random, unit, word
from counterplay.core.vectors import word_of
from counterplay.native import native

SHARD, GAMES = 50_000, 2000
"""Positions of a shard before those that are there twice are left out, and games at the same time."""
LONGEST = 240
DECIDED = 800
"""A game is given up some time after one side is so far ahead: endings that are won anyway would be most of it."""
ASIDE, ASTRAY = 0.5, 0.1
"""The share of positions beside which another one is judged, a random move or two away; and of random moves played."""
OFTEN, RARELY, DEEPER, WON = 0.4, 0.1, 0.08, 0.35
"""Of quick games: the share of moves after which a position is noted, and where one side is ahead by more than the last
number; and the share of games that look two plies ahead."""
GRAIN = 512
"""Weights of the first layer are multiples of its inverse, so that a search can go on from the sums before."""
SIGNS = np.frombuffer(b"1PNBRQKpnbrqk", np.uint8)
BATCH, RATE = 2048, 0.004
TEMPO, TURNED = 0.25, 0.5
"""To move is worth so many pawns, says the hand-made estimate; what keeps the network to that counts so much. After a
random move it is worth more, and a network that believes it is at odds with itself from one ply to the next."""


# ---- positions


@native
def squares(none, word):  # type: ignore[no-untyped-def]
    """The set whose squares are the ones of a word."""
    for q in range(64):
        if word >> q & 1:
            none = none.add(q)
    return none


@native
def state_of(game, none, row):  # type: ignore[no-untyped-def]
    mine, theirs, pawns, knights = (
        squares(none, row[0]),
        squares(none, row[1]),
        squares(none, row[2]),
        squares(none, row[3]),
    )
    diagonal, straight, kings, castling = (
        squares(none, row[4]),
        squares(none, row[5]),
        squares(none, row[6]),
        squares(none, row[7]),
    )
    return game.State(mine, theirs, pawns, knights, diagonal, straight, kings, castling, none, int(row[8]), 0, 1)


@native
def write(s, row):  # type: ignore[no-untyped-def]
    sets = s.mine, s.theirs, s.pawns, s.knights, s.diagonal, s.straight, s.kings, s.castling
    for i in range(8):
        row[i] = word_of(sets[i], 0)
    row[8] = s.turn


@native
def begin(game, start, row, source):  # type: ignore[no-untyped-def]
    """A random opening."""
    s = start
    while s.number < 4 or game.is_terminal(s):
        s = after_some(game, start, 6 + int(6.0 * unit(source)), source)
    write(s, row)


@native
def go_on(game, start, none, games, moves, scores, plies, source):  # type: ignore[no-untyped-def]
    """Make a move in each game, mostly the one that was found best; begin anew where one is over."""
    for i in range(len(games)):
        s = state_of(game, none, games[i])
        a = game.sample(s, word(source)) if moves[i] < 0 or unit(source) < ASTRAY else moves[i]
        s = game.result(s, a)
        plies[i] += 1
        is_given_up = plies[i] > LONGEST or (abs(scores[i]) > DECIDED and unit(source) < 0.25)
        if is_given_up or game.is_terminal(s):
            begin(game, start, games[i], source)
            plies[i] = 0
        else:
            write(s, games[i])


@native
def look_aside(game, none, games, rows, source):  # type: ignore[no-untyped-def]
    """Positions a random move or two away from those of the games; how many."""
    n = 0
    for i in range(len(games)):
        if unit(source) < ASIDE:
            s = after_some(game, state_of(game, none, games[i]), 1 + int(2.0 * unit(source)), source)
            if not game.is_terminal(s):
                write(s, rows[n])
                n += 1
    return n


@native
def note_quiet(game, none, rows, moves, is_quiet):  # type: ignore[no-untyped-def]
    """Where nobody is in check, and the best move takes nothing and makes no queen."""
    for i in range(len(rows)):
        s = state_of(game, none, rows[i])
        is_quiet[i] = (
            moves[i] >= 0 and not game.in_check(s) and (moves[i] >> 6 & 63) not in s.theirs and moves[i] < 4096
        )


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
def note_game(game, start, source, rows):  # type: ignore[no-untyped-def]
    """Play a quick game, and write positions near it into rows; how many."""
    n, depth = 0, 2 if unit(source) < DEEPER else 1
    s = after_some(game, start, 2 + int(9.0 * unit(source)), source)
    for _ in range(LONGEST):
        is_won = abs(game.evaluate(s, 0)) > WON
        if game.is_terminal(s) or (is_won and unit(source) < 0.1):
            break
        if unit(source) < (RARELY if is_won else OFTEN):
            near = thinned(game, s, source) if unit(source) < 0.1 else s
            near = after_some(game, near, int(4.0 * unit(source) ** 2), source)
            if not game.is_terminal(near):
                near = settled(game, near, game.player(near), -inf, inf)[1]
            if not game.is_terminal(near) and not game.in_check(near):
                write(near, rows[n])
                n += 1
        a = game.sample(s, word(source)) if unit(source) < ASTRAY else best_move(game, s, depth)
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


def judged(program: str, fens: list[str], depth: int, folder: Path) -> tuple[Any, Any]:
    """The best moves, or -1, and hundredths of a pawn for the player to move. From a file: a pipe would wait for us."""
    commands = folder / "commands.txt"
    lines = [f"position fen {fen}\ngo depth {depth}\n" for fen in fens]
    commands.write_text("".join(["setoption name Hash value 4\n", *lines]))
    with commands.open("rb") as given:
        text = subprocess.run([program], stdin=given, capture_output=True, text=True, check=True).stdout
    moves, scores, score = [], [], 0
    for line in text.splitlines():
        if line.startswith("info depth") and " score " in line:
            kind, number = line.split(" score ", 1)[1].split(maxsplit=2)[:2]
            score = int(number) if kind == "cp" else MATE if int(number) > 0 else -MATE
        elif line.startswith("bestmove"):
            scores.append(max(-MATE, min(MATE, score)))
            moves.append(action_of(line.split()[1]))
    return np.array(moves), np.array(scores)


def action_of(move: str) -> int:
    """A move of UCI as chess has it; -1 for none, as where only a pawn could move that takes in passing."""
    if move == "(none)":
        return -1
    origin, target = (ord(move[i]) - ord("a") + 8 * int(move[i + 1]) - 8 for i in (0, 2))
    return origin | target << 6 | (("qrbn".index(move[4]) + 1) << 12 if len(move) > 4 else 0)


def write_positions(folder: Path, shards: int, depth: int, seed: int, program: str) -> None:
    """Stockfish plays many games at once against itself; what it says of each position is what it is worth."""
    game, source, none = games.load("chess"), new_random(seed), Bits(64)
    start, work = game.initial(), folder / f"work-{seed}"
    work.mkdir(parents=True, exist_ok=True)
    boards, plies = np.zeros((GAMES, 9), np.int64), np.zeros(GAMES, np.int64)
    for row in boards:
        begin(game, start, row, source)
    began = time.time()
    for number in range(shards):
        parts: list[Any] = []
        while sum(map(len, parts)) < SHARD:
            aside = np.zeros_like(boards)
            aside = aside[: look_aside(game, none, boards, aside, source)]
            rows = np.concatenate([boards, aside])
            moves, scores = judged(program, fens_of(rows), depth, work)
            is_quiet = np.zeros(len(rows), bool)
            note_quiet(game, none, rows, moves, is_quiet)
            parts.append(np.concatenate([rows, scores[:, None]], axis=1)[is_quiet])
            go_on(game, start, none, boards, moves[:GAMES], scores[:GAMES], plies, source)
        keep(np.unique(np.concatenate(parts), axis=0), folder / f"{seed}-{number:03}.npy", began)
    shutil.rmtree(work)


def write_quick(folder: Path, shards: int, seed: int, program: str) -> None:
    """Positions of quick games, which Stockfish judges."""
    game, source = games.load("chess"), new_random(seed)
    start, work, room = game.initial(), folder / f"work-{seed}", np.zeros((LONGEST, 9), np.int64)
    work.mkdir(parents=True, exist_ok=True)
    began = time.time()
    for number in range(shards):
        parts: list[Any] = []
        while sum(map(len, parts)) < SHARD:
            parts.append(room[: note_game(game, start, source, room)].copy())
        rows = np.unique(np.concatenate(parts), axis=0)
        _, scores = judged(program, fens_of(rows), 1, work)
        keep(np.concatenate([rows, scores[:, None]], axis=1), folder / f"{seed}-{number:03}.npy", began)
    shutil.rmtree(work)


def keep(shard: Any, file: Path, began: float) -> None:
    """Write a shard, whole or not at all."""
    part = file.with_suffix(".part")
    with part.open("wb") as out:
        np.save(out, shard)
    part.rename(file)
    print(f"{file}: {len(shard):,} positions, {time.time() - began:.0f} s", flush=True)


# ---- the fit


def inputs_of(rows: Any, inputs: int, most: int) -> Any:
    """What the player to move sees, by numbers as `seen_as` of chess has them, filled up with `inputs`."""
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


@native
def lead_of(game, none, rows, found):  # type: ignore[no-untyped-def]
    """What the game's own estimate says of each position, to the player to move."""
    for i in range(len(rows)):
        s = state_of(game, none, rows[i])
        found[i] = game.evaluate(s, game.player(s))


def leads_of(game: Any, rows: Any) -> Any:
    found = np.zeros(len(rows))
    lead_of(game, Bits(64), rows, found)
    return found.clip(-0.99, 0.99).astype(np.float32)


class Positions:
    """Positions as the network sees them, with what they are worth in pawns and what the own estimate says."""

    def __init__(self, game: Any, files: list[Path]) -> None:
        import torch

        data = np.concatenate([np.load(file) for file in files])
        turned = data[:, [1, 0, *range(2, 8), 8]]
        turned[:, 8] = 1 - turned[:, 8]
        self.one, self.other, self.lead, self.lead_turned = (
            torch.from_numpy(of(rows))
            for of in (partial(inputs_of, inputs=game.seen_inputs, most=game.most_seen), partial(leads_of, game))
            for rows in (data, turned)
        )
        self.pawns = torch.from_numpy(data[:, 9].astype(np.float32) / PAWN)

    def __len__(self) -> int:
        return len(self.pawns)


def train(folder: Path, out: Path, hidden: str, epochs: int, features: str, held_out: int) -> None:
    import torch
    from torch import nn

    game = games.load("chess")
    model = learn.SidedNetwork(game, hidden=hidden, features=features, grain=GRAIN)
    files = sorted(folder.glob("*.npy"))
    others = [file for file in files if file.name.startswith(f"{held_out}-")]
    learned, held = Positions(game, [file for file in files if file not in others]), Positions(game, others)

    torch.manual_seed(0)
    (n, m), inputs = model.hidden, game.seen_inputs
    first, rest = (torch.from_numpy(model.weights[name]) for name in ("first", "rest"))
    rows, bias = nn.Parameter(torch.cat([first[:inputs], torch.zeros(1, n)])), nn.Parameter(first[-1].clone())
    own = nn.Parameter(first[inputs].clone())  # of what the own estimate says, if it is an input
    second = nn.Parameter(rest[: 2 * n * m].reshape(m, 2 * n).clone())
    thresholds, last = nn.Parameter(rest[2 * n * m : (2 * n + 1) * m].clone()), nn.Parameter(rest[-m - 1 :].clone())
    is_judged = features == "judged"

    def seen(side: Any) -> Any:
        return nn.functional.embedding_bag(side.int(), rows, mode="sum", padding_idx=inputs) + bias

    def chance(one: Any, other: Any, lead: Any) -> Any:
        """What the network as it is thinks of what both sides see, and of what the own estimate says."""
        units = [one + lead[:, None] * own, other - lead[:, None] * own] if is_judged else [one, other]
        second_units = (torch.cat(units, 1).clamp(0, 1) @ second.T + thresholds).clamp(0, 1)
        total = second_units @ last[:m] + last[m]
        if is_judged:
            total = total + torch.log1p(lead) - torch.log1p(-lead)  # odds are multiplied
        v = torch.tanh(total / 2).clamp(-0.99, 0.99)  # a sigmoid, from -1 to 1
        return torch.sigmoid(SLOPE * game.half_win * v / (1 - v.abs()))

    def errors(data: Positions, which: Any) -> tuple[Any, Any]:
        """Of positions, and of the same if it were the other's turn."""
        one, other, pawns = seen(data.one[which]), seen(data.other[which]), data.pawns[which]
        error = chance(one, other, data.lead[which]) - torch.sigmoid(SLOPE * pawns)
        turned = chance(other, one, data.lead_turned[which]) - torch.sigmoid(SLOPE * (2 * TEMPO - pawns))
        return (error**2).mean(), (turned**2).mean()

    optimiser = torch.optim.Adam([rows, own, bias, second, thresholds, last], lr=RATE)
    steps = epochs * (len(learned) // BATCH) + 1
    falling = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, steps, pct_start=0.1, final_div_factor=1000)
    for epoch in range(epochs):
        for which in torch.randperm(len(learned)).split(BATCH)[:-1]:
            error, turned = errors(learned, which)
            loss = error + TURNED * turned
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            falling.step()
        with torch.no_grad():
            left = float(torch.stack([errors(held, which)[0] for which in torch.arange(len(held)).split(BATCH)]).mean())
        print(f"epoch {epoch + 1} of {epochs}: {left:.5f} on {len(held):,} held out", flush=True)

    with torch.no_grad():
        more = [own[None]] if is_judged else []
        model.weights["first"][:] = torch.cat([rows[:-1], *more, bias[None]]).numpy()
        model.weights["rest"][:] = torch.cat([second.flatten(), thresholds, last]).numpy()
    how = {"recipe": "fit", "examples": len(learned), "error": left, "note": "Stockfish judged the positions"}
    model.pedigree.append(how)
    learn.save(model, out, half=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["positions", "quick", "train"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shards", type=int, default=40)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    parser.add_argument("--out", type=Path, default=Path("chess.safetensors"))
    parser.add_argument("--hidden", default="32x16")
    parser.add_argument("--features", choices=["judged", "sides"], default="judged")
    parser.add_argument("--held-out", type=int, default=1, help="The seed of the positions that are held out.")
    parser.add_argument("--epochs", type=int, default=6)
    asked = parser.parse_args()
    if asked.step == "positions":
        write_positions(asked.folder, asked.shards, asked.depth, asked.seed, asked.stockfish)
    elif asked.step == "quick":
        write_quick(asked.folder, asked.shards, asked.seed, asked.stockfish)
    else:
        train(asked.folder, asked.out, asked.hidden, asked.epochs, asked.features, asked.held_out)


if __name__ == "__main__":
    main()
