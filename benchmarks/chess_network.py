"""The network of chess: positions that Stockfish judges, a whole list of moves at a time, and the fit.

    python benchmarks/chess_network.py positions FOLDER --seed 1 --minutes 3 --games 500     # to be examined by
    python benchmarks/chess_network.py positions FOLDER --seed 2 --minutes 40                # to be learned from
    python benchmarks/chess_network.py train FOLDER --out chess.safetensors [--hidden 256] [--epochs 6]
    counterplay match chess alphabeta:nodes=4000,model=chess.safetensors alphabeta:nodes=4000 --games 400

**Positions.** One question, `go depth 1` with `MultiPV 500`, tells what Stockfish's own network thinks after each move
of a position: thirty positions for the price of one, and just those that a search compares. Thousands of games go on at
the same time, mostly by moves that are among the best, from random openings. A position counts if it is quiet: nobody
is in check, and no captures would change what our own estimate says. Without that the network learns what a capture
will bring, which a search finds out by itself: it would count twice.

**The fit.** What all moves of a position lead to has most of the board in common, and so have their sums in the first
layer and the changes of its weights. So a position with all its moves costs little more than one by itself: about
500,000 positions a second on one core. The error is the mean square of the difference in the chance to win.

A shard is a file of positions (own and other pieces, pawns, knights, diagonal and straight sliders, kings, rooks that
may castle, who is to move), of how many moves each has, and of the moves, with hundredths of a pawn for who makes them.
A game goes on through several shards, so those of another seed are held out: relatives of what was learned would
flatter the fit.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
from chess_fit import PAWN, SLOPE  # beside this file
from chess_positions import MATE, after_some, settled

from counterplay import games, learn
from counterplay.core.bits import Bits
from counterplay.core.features import new_active
from counterplay.core.memory import Memory
from counterplay.core.randomness import new_random, unit
from counterplay.core.vectors import add_active, add_scaled, scratch, sigmoid, square_slopes, squares, word_of
from counterplay.learn.model import in_lines
from counterplay.learn.sided import by_squares, stage_of
from counterplay.native import native

ROUNDS = 20
"""A shard has what was asked in so many moves of all games."""
LONGEST, DECIDED = 240, 700
"""A game is given up some time after one side is so far ahead: endings that are won anyway would be most of it."""
ASTRAY, HEAT, LATE, COOLER = 0.06, 22.0, 40, 10.0
"""The share of random moves; and by how many hundredths of a pawn a move may look better than it is, until some ply."""
STIR = 0.012
"""How much captures may change the estimate of a position that is quiet; about a tenth of a pawn."""
THIN = 0.1
"""The share of games that begin with some pieces taken off."""
MOST = 120
"""The room for the moves of a position."""
UNQUIET = -32768
SIGNS = np.frombuffer(b"1PNBRQKpnbrqk", np.uint8)
GRAIN, STAGES = 512, 8
"""Weights of the first layer are multiples of 1 / GRAIN, so that a search can go on from the sums before."""
BATCH, RATE, WARM, SLOWEST = 512, 0.002, 0.03, 0.01
"""Positions of a step, with all their moves; the rate, for how long it rises first, and what is left of it at last."""
DECAY, SPREAD = 0.9, 0.999
"""Adam's (Kingma & Ba 2014)."""
CERTAIN, LARGEST = 0.995, 1.98
EXAMINED = 12_288


# ---- positions


@native
def squares_of(none, word):  # type: ignore[no-untyped-def]
    """The set whose squares are the ones of a word."""
    for q in range(64):
        if word >> q & 1:
            none = none.add(q)
    return none


@native
def state_of(game, none, row):  # type: ignore[no-untyped-def]
    mine, theirs, pawns, knights = (
        squares_of(none, row[0]),
        squares_of(none, row[1]),
        squares_of(none, row[2]),
        squares_of(none, row[3]),
    )
    diagonal, straight, kings, castling = (
        squares_of(none, row[4]),
        squares_of(none, row[5]),
        squares_of(none, row[6]),
        squares_of(none, row[7]),
    )
    return game.State(mine, theirs, pawns, knights, diagonal, straight, kings, castling, none, int(row[8]), 0, 1)


@native
def write(s, row):  # type: ignore[no-untyped-def]
    sets = s.mine, s.theirs, s.pawns, s.knights, s.diagonal, s.straight, s.kings, s.castling
    for i in range(8):
        row[i] = word_of(sets[i], 0)
    row[8] = s.turn


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
    return s if s.en_passant or game.in_check(other) or game.is_terminal(thin) else thin


@native
def begin(game, start, row, source):  # type: ignore[no-untyped-def]
    """A random opening."""
    s = start
    while s.number < 4 or game.is_terminal(s):
        s = after_some(game, start, 6 + int(6.0 * unit(source)), source)
    if unit(source) < THIN:
        s = thinned(game, s, source)
    write(s, row)


@native
def go_on(game, start, none, rows, first, moves, scores, plies, source):  # type: ignore[no-untyped-def]
    """Make a move in each game, mostly one of the best; begin anew where it is over."""
    for i in range(len(rows)):
        n, best, a = first[i + 1] - first[i], -MATE, 0
        is_over = n == 0
        if not is_over:
            a = moves[first[i] + int(n * unit(source))]
            if unit(source) >= ASTRAY:
                heat, top = HEAT if plies[i] < LATE else COOLER, -1e9
                for k in range(first[i], first[i + 1]):
                    luck = -np.log(1e-12 - np.log(1e-12 + unit(source)))  # Gumbel's: so odds fall as scores do
                    if scores[k] + heat * luck > top:
                        top, a = scores[k] + heat * luck, moves[k]
            for k in range(first[i], first[i + 1]):
                best = max(best, scores[k])
            s = game.result(state_of(game, none, rows[i]), a)
            plies[i] += 1
            is_over = game.is_terminal(s) or plies[i] > LONGEST or (abs(best) > DECIDED and unit(source) < 0.2)
            if not is_over:
                write(s, rows[i])
        if is_over:
            begin(game, start, rows[i], source)
            plies[i] = 0


@native
def note_unquiet(game, none, rows, first, moves, scores):  # type: ignore[no-untyped-def]
    """Mark the moves that lead to where somebody is in check, or captures pay; how many are left."""
    left = 0
    for i in range(len(rows)):
        s = state_of(game, none, rows[i])
        for k in range(first[i], first[i + 1]):
            after = game.result(s, int(moves[k]))
            v = game.evaluate(after, after.turn)
            bar = v + STIR * (1.0 - abs(v)) ** 2
            if (
                game.in_check(after)
                or abs(scores[k]) >= MATE
                or settled(game, after, after.turn, bar - 1e-6, bar)[0] >= bar
            ):
                scores[k] = UNQUIET
            else:
                left += 1
    return left


@native
def read(game, text, first, moves, scores):  # type: ignore[no-untyped-def]
    """What Stockfish said, moves with their scores, into the rows; how many questions it has answered."""
    at, asked, found = 0, 0, 0
    while at < len(text) and asked < len(first) - 1:
        end = at
        while end < len(text) and text[end] != ord("\n"):
            end += 1
        k = after_word(game, text, at, end, ord(" "), ord("p"), ord("v"))
        if text[at] == ord("b"):  # bestmove
            asked += 1
            first[asked] = found
        elif k < end:
            moves[found] = move_at(game, text, k, end)
            scores[found] = score_at(game, text, at, end)
            found += 1
        at = end + 1
    return asked


@native
def after_word(game, text, at, end, one, two, three):  # type: ignore[no-untyped-def]
    """Where it goes on after three letters and a space, or `end`."""
    for k in range(at, end - 4):
        if text[k] == one and text[k + 1] == two and text[k + 2] == three and text[k + 3] == ord(" "):
            return k + 4
    return end


@native
def move_at(game, text, k, end):  # type: ignore[no-untyped-def]
    """The move of UCI that is there, as chess has it."""
    a = (text[k] - ord("a") + 8 * (text[k + 1] - ord("1"))) | (
        text[k + 2] - ord("a") + 8 * (text[k + 3] - ord("1"))
    ) << 6
    if k + 4 < end and text[k + 4] != ord(" "):
        kind = text[k + 4]
        a |= (1 if kind == ord("q") else 2 if kind == ord("r") else 3 if kind == ord("b") else 4) << 12
    return a


@native
def square_at(game, text, k):  # type: ignore[no-untyped-def]
    return text[k] - ord("a") + 8 * (text[k + 1] - ord("1"))


@native
def score_at(game, text, at, end):  # type: ignore[no-untyped-def]
    """Hundredths of a pawn; a mate is MATE of them."""
    k = after_word(game, text, at, end, ord(" "), ord("c"), ord("p"))
    is_mate = k == end
    if is_mate:
        k = after_word(game, text, at, end, ord("a"), ord("t"), ord("e"))
    sign, v = 1, 0
    if text[k] == ord("-"):
        sign, k = -1, k + 1
    while text[k] >= ord("0") and text[k] <= ord("9"):
        v = 10 * v + text[k] - ord("0")
        k += 1
    return sign * (MATE if is_mate else min(v, MATE))


def fens_of(rows: Any) -> list[str]:
    """FENs as Stockfish reads them, an empty square a 1."""
    words = np.ascontiguousarray(rows[:, :8]).view(np.uint8).reshape(-1, 8, 8)
    at = np.unpackbits(words, axis=2, bitorder="little").reshape(-1, 8, 64).astype(bool)
    mine, theirs, _, knights, diagonal, straight, kings, castling = np.moveaxis(at, 1, 0)
    kinds = knights + 2 * (diagonal & ~straight) + 3 * (straight & ~diagonal) + 4 * (diagonal & straight) + 5 * kings
    white = np.where(rows[:, 8:9] == 0, mine, theirs)
    pieces = np.where(mine | theirs, kinds + np.where(white, 1, 7), 0)
    text = np.full((len(rows), 8, 9), ord("/"), np.uint8)
    text[:, :, :8] = SIGNS[pieces].reshape(-1, 8, 8)[:, ::-1]
    found = []
    for line, may, turn in zip(text.reshape(len(rows), 72), castling, rows[:, 8], strict=True):
        rights = "".join(sign for sign, q in zip("KQkq", (7, 0, 63, 56), strict=True) if may[q]) or "-"
        found.append(f"{line[:71].tobytes().decode()} {'wb'[turn]} {rights} - 0 1")
    return found


def answers(program: str, fens: list[str], folder: Path) -> Any:
    """What Stockfish says of all moves. From a file: a pipe would wait for us; and twice more, as its end stops it."""
    lines = [f"position fen {fen}\ngo depth 1\n" for fen in [*fens, fens[0], fens[0]]]
    commands = folder / "commands.txt"
    commands.write_text("".join(["setoption name Hash value 4\nsetoption name MultiPV value 500\n", *lines]))
    with commands.open("rb") as given:
        text = subprocess.run([program], stdin=given, stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(text, np.uint8)


def write_positions(folder: Path, minutes: float, at_once: int, seed: int, program: str) -> None:
    """Games go on at the same time, and all their moves are judged."""
    game, source, none = games.load("chess"), new_random(seed), Bits(64)
    start, work = game.initial(), folder / f"work-{seed}"
    work.mkdir(parents=True, exist_ok=True)
    rows, plies, first = np.zeros((at_once, 9), np.int64), np.zeros(at_once, np.int64), np.zeros(at_once + 1, np.int64)
    moves, scores = np.zeros(MOST * at_once, np.int64), np.zeros(MOST * at_once, np.int64)
    for row in rows:
        begin(game, start, row, source)
    began, number, total = time.time(), 0, 0
    while time.time() - began < 60 * minutes:
        parts = []
        for _ in range(ROUNDS):
            if read(game, answers(program, fens_of(rows), work), first, moves, scores) < at_once:
                raise SystemExit("stockfish has not answered all questions")
            before, judged = rows.copy(), scores.copy()
            total += note_unquiet(game, none, rows, first, moves, judged)
            go_on(game, start, none, rows, first, moves, scores, plies, source)
            found = moves[: first[-1]].astype(np.int16), judged[: first[-1]].astype(np.int16)
            parts.append((before, np.diff(first).astype(np.int16), *found))
        number += 1
        file = folder / f"{seed}-{number:04}.npz"
        names = "rows", "counts", "moves", "scores"
        arrays = dict(zip(names, map(np.concatenate, zip(*parts, strict=True)), strict=True))
        with file.with_suffix(".part").open("wb") as out:
            np.savez(out, **arrays)
        file.with_suffix(".part").rename(file)
        print(f"{file}: {total:,} positions, {time.time() - began:.0f} s", flush=True)
    (work / "commands.txt").unlink()
    work.rmdir()


class Siblings:
    """Positions, and what all their moves are worth."""

    def __init__(self, files: list[Path]) -> None:
        if not files:
            raise SystemExit("there are no positions to learn from, or none of another seed to be examined by")
        parts = [np.load(file) for file in files]
        self.rows, counts, self.moves, self.scores = (
            np.concatenate([part[name] for part in parts]) for name in ("rows", "counts", "moves", "scores")
        )
        self.first = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def quiet(self) -> int:
        return int((self.scores != UNQUIET).sum())


# ---- the fit


@native
def study(game, none, rows, first, moves, scores, which, learns, tally):  # type: ignore[no-untyped-def]
    """Go through positions with all their moves, and add up squared errors and, into `fit_*`, their gradients."""
    n = game.model_both // 2
    before, sums, totals = scratch(game.model_both), scratch(game.model_both), scratch(game.model_both)
    units, errors, change = (
        scratch(game.model_both),
        scratch(game.model_both),
        new_active(game.fit_inputs, game.fit_most),
    )
    for i in which:
        s = state_of(game, none, rows[i])
        outlooks = game.outlook(s, 0), game.outlook(s, 1)
        for p in range(2):
            begin_sums(game, s, p, before, change)
            for j in range(n):
                totals[p * n + j] = 0.0
        for k in range(first[i], first[i + 1]):
            if scores[k] == UNQUIET:
                continue
            after = game.result(s, int(moves[k]))
            for p in range(2):
                if game.outlook(after, p) == outlooks[p]:
                    tell_change(game, s, after, p, change)
                    for j in range(n):
                        sums[p * n + j] = before[p * n + j]
                    add_active(sums, p * n, game.model_first, change)
                else:
                    begin_sums(game, after, p, sums, change)
            one, things = after.turn * n, len(after.mine | after.theirs) + len(after.castling)
            share = min(max(2.0 * by_squares(game, things, sums, one, n - one) - 1.0, -CERTAIN), CERTAIN)
            chance = sigmoid(SLOPE * game.half_win * share / (1.0 - abs(share)))
            error = chance - sigmoid(-SLOPE / PAWN * scores[k])
            tally[0] += error * error
            tally[1] += 1
            if not learns:
                continue
            # of the chance by pawns, and of these by what the output adds up
            slope = SLOPE * chance * (1.0 - chance) * 0.5 * game.half_win * (1.0 + abs(share)) / (1.0 - abs(share))
            w = stage_of(game, things)
            for j in range(n):  # the player to move comes first there
                units[j] = min(max(sums[one + j], 0.0), 1.0)
                units[n + j] = min(max(sums[n - one + j], 0.0), 1.0)
                errors[j] = errors[n + j] = 0.0
            add_scaled(errors, 0, error * slope, game.model_rest, w, 2 * n)
            square_slopes(errors, units, 0, 2 * n)
            squares(units, 0, 2 * n)
            add_scaled(game.fit_rest, w, error * slope, units, 0, 2 * n)
            game.fit_rest[w + 2 * n] += error * slope
            for p in range(2):
                mine = 0 if p == after.turn else n
                if game.outlook(after, p) == outlooks[p]:
                    add_scaled(totals, p * n, 1.0, errors, mine, n)
                    tell_change(game, s, after, p, change)
                else:
                    add_scaled(game.fit_first, game.fit_inputs * n, 1.0, errors, mine, n)
                    tell_all(game, after, p, change)
                pass_on(game, errors, mine, change)
        if learns:
            for p in range(2):
                add_scaled(game.fit_first, game.fit_inputs * n, 1.0, totals, p * n, n)
                tell_all(game, s, p, change)
                pass_on(game, totals, p * n, change)


def begin_sums(game: Any, s: Any, p: int, sums: Any, change: Any) -> None:
    """The sums of all that a player sees."""
    n = game.model_both // 2
    for j in range(n):
        sums[p * n + j] = game.model_first[game.fit_inputs, j]
    tell_all(game, s, p, change)
    add_active(sums, p * n, game.model_first, change)


def tell_all(game: Any, s: Any, p: int, change: Any) -> None:
    """All that a player sees."""
    outlook, things = game.outlook(s, p), game.things(s)
    change.clear()
    for kind in range(len(things)):
        for q in things[kind]:
            change.add(game.seen_as(p, outlook, kind, q), 1.0)


def tell_change(game: Any, s: Any, after: Any, p: int, change: Any) -> None:
    """What a player sees come and go."""
    outlook, old, new = game.outlook(s, p), game.things(s), game.things(after)
    change.clear()
    for kind in range(len(old)):
        if old[kind] != new[kind]:
            for q in old[kind] - new[kind]:
                change.add(game.seen_as(p, outlook, kind, q), -1.0)
            for q in new[kind] - old[kind]:
                change.add(game.seen_as(p, outlook, kind, q), 1.0)


def pass_on(game: Any, errors: Any, at: int, change: Any) -> None:
    """What the inputs had to do with it."""
    n = game.model_both // 2
    for k in range(len(change)):
        add_scaled(game.fit_first, change.index(k) * n, change.value(k), errors, at, n)


class Fit:
    """A network that learns from siblings by Adam (Kingma & Ba 2014)."""

    def __init__(self, model: Any, seed: int = 0) -> None:
        self.weights = [model.weights["first"], model.weights["rest"]]
        self.gradients, self.means, self.spreads, self.room = (
            [in_lines(np.zeros(each.shape)) for each in self.weights] for _ in range(4)
        )
        first, rest = (Memory(each) for each in self.gradients)
        inputs, most = model.inputs, 2 * model.game.most_seen
        self.game = model.joined_to(games.load("chess")).extended(
            fit_first=first, fit_rest=rest, fit_inputs=inputs, fit_most=most
        )
        self.random, self.steps = np.random.default_rng(seed), 0

    def go_through(self, data: Siblings, which: Any, learns: bool) -> tuple[float, int]:
        tally = np.zeros(2)
        study(self.game, Bits(64), data.rows, data.first, data.moves, data.scores, which, learns, tally)
        return float(tally[0]), int(tally[1])

    def step(self, data: Siblings, which: Any, rate: float) -> None:
        _, n = self.go_through(data, which, True)
        self.steps += 1
        scale = rate * np.sqrt(1 - SPREAD**self.steps) / (1 - DECAY**self.steps)
        for x, g, m, v, room in zip(self.weights, self.gradients, self.means, self.spreads, self.room, strict=True):
            g *= np.float32(1 / max(n, 1))
            m *= np.float32(DECAY)
            m += np.multiply(g, np.float32(1 - DECAY), out=room)
            v *= np.float32(SPREAD)
            v += np.multiply(np.multiply(g, g, out=room), np.float32(1 - SPREAD), out=room)
            np.sqrt(v, out=room)
            room += np.float32(1e-7)
            np.divide(m, room, out=room)
            x -= np.multiply(room, np.float32(scale), out=room)
            g.fill(0)
        np.clip(self.weights[0], -LARGEST, LARGEST, out=self.weights[0])


def train(folder: Path, out: Path, hidden: int, epochs: float, held_out: int, begin_with: Path | None) -> None:
    game = games.load("chess")
    files = sorted(folder.glob("*.npz"))
    others = [file for file in files if file.name.startswith(f"{held_out}-")]
    learned, held = Siblings([file for file in files if file not in others]), Siblings(others)
    model = learn.SidedNetwork(game, hidden=hidden, stages=STAGES)
    if begin_with:
        for name, weights in learn.load(begin_with).weights.items():
            model.weights[name][:] = weights
    fit = Fit(model)
    exam = fit.random.permutation(len(held))[:EXAMINED]
    steps = int(epochs * len(learned) / BATCH)
    print(f"{learned.quiet:,} positions after the moves of {len(learned):,}; {steps:,} steps", flush=True)
    order, error = fit.random.permutation(len(learned)), 0.0
    for step in range(1, steps + 1):
        at = (step - 1) * BATCH % (len(learned) - len(learned) % BATCH)
        if at == 0:
            order = fit.random.permutation(len(learned))
        share = step / steps
        falling = SLOWEST + (1 - SLOWEST) * 0.5 * (1 + np.cos(np.pi * share))
        fit.step(learned, order[at : at + BATCH], RATE * min(1.0, share / WARM) * falling)
        if step % max(1, steps // 12) == 0 or step == steps:
            total, n = fit.go_through(held, exam, False)
            error = total / n
            print(f"step {step:,}: {error:.5f} of {n:,} held out, {time.process_time():.0f} CPU s", flush=True)
            save(model, out, learned.quiet, error)


def save(model: Any, out: Path, examples: int, error: float) -> None:
    """The network as a search takes it: rounded."""
    rounded = learn.SidedNetwork(games.load("chess"), hidden=model.hidden, stages=STAGES, grain=GRAIN)
    for name, weights in model.weights.items():
        rounded.weights[name][:] = weights
    how = {"recipe": "fit", "examples": examples, "error": error, "note": "Stockfish judged the positions"}
    rounded.pedigree.append(how)
    learn.save(rounded, out, half=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["positions", "train"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=40.0)
    parser.add_argument("--games", type=int, default=6000, help="So many at the same time.")
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    parser.add_argument("--out", type=Path, default=Path("chess.safetensors"))
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--held-out", type=int, default=1, help="The seed of the positions that are held out.")
    parser.add_argument("--epochs", type=float, default=6.0)
    parser.add_argument("--from", dest="begin_with", type=Path, help="A network to begin with.")
    asked = parser.parse_args()
    if asked.step == "positions":
        write_positions(asked.folder, asked.minutes, asked.games, asked.seed, asked.stockfish)
    else:
        train(asked.folder, asked.out, asked.hidden, asked.epochs, asked.held_out, asked.begin_with)


if __name__ == "__main__":
    main()
