"""Positions of chess for fitting its evaluation: of our own games, each with what Stockfish says it is worth.

    python benchmarks/chess_positions.py FILE [--number 100000] [--depth 6] [--seed 1]

A line of the file is a FEN, `|`, and hundredths of a pawn for the player to move. `chess_fit.py` fits to them.

An estimate is asked for wherever a search ends, which is mostly after moves that nobody would play. So the positions
are: of games that a shallow search of ours plays against itself, from random openings and with random moves between;
then up to three random moves, of some also random pieces taken off; then all captures that pay, by our own quiescence.
Nobody is in check. Fitted to the positions of games alone, an estimate knows nothing of what is lopsided, and plays
worse for all its fit.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import time
from math import inf
from pathlib import Path
from typing import Any

from counterplay import games
from counterplay.core.bits import Bits
from counterplay.core.randomness import new_random, word
from counterplay.native import native

MATE = 3000
"""Hundredths of a pawn that a mate counts as, and the most that anything does."""
AT_ONCE = 64


@native
def settled(game, s, p, alpha, beta):  # type: ignore[no-untyped-def]
    """What `s` is worth to `p` when all that pays has been taken, and where that ends."""
    if game.is_terminal(s):
        return float(game.utility(s, p)), s
    v, leaf, is_ours = float(game.evaluate(s, p)), s, game.player(s) == p
    if is_ours:
        alpha = max(alpha, v)
    else:
        beta = min(beta, v)
    for a in game.actions(s):
        if alpha >= beta:
            break
        if game.is_noisy(s, a):
            w, end = settled(game, game.result(s, a), p, alpha, beta)
            if is_ours and w > alpha:
                alpha, leaf = w, end
            if not is_ours and w < beta:
                beta, leaf = w, end
    return (alpha if is_ours else beta), leaf


@native
def worth(game, s, p, depth, alpha, beta):  # type: ignore[no-untyped-def]
    """What `s` is worth to `p`, so many plies ahead."""
    if depth == 0 or game.is_terminal(s):
        return settled(game, s, p, alpha, beta)[0]
    is_ours = game.player(s) == p
    for a in game.actions(s):
        v = worth(game, game.result(s, a), p, depth - 1, alpha, beta)
        if is_ours:
            alpha = max(alpha, v)
        else:
            beta = min(beta, v)
        if alpha >= beta:
            break
    return alpha if is_ours else beta


@native
def best_move(game, s, depth):  # type: ignore[no-untyped-def]
    best, chosen = -inf, -1
    for a in game.actions(s):
        v = worth(game, game.result(s, a), game.player(s), depth - 1, best, inf)
        if v > best or chosen < 0:
            best, chosen = v, a
    return chosen


@native
def after_some(game, s, moves, source):  # type: ignore[no-untyped-def]
    """The position after so many random moves, or where they end the game."""
    for _ in range(moves):
        if game.is_terminal(s):
            return s
        s = game.result(s, game.sample(s, word(source)))
    return s


@native
def disturbed(game, s, moves, source):  # type: ignore[no-untyped-def]
    """Where so many random moves, and then all captures that pay, lead to."""
    s = after_some(game, s, moves, source)
    return settled(game, s, game.player(s), -inf, inf)[1]


@native
def is_over(game, s):  # type: ignore[no-untyped-def]
    return game.is_terminal(s)


@native
def is_checked(game, s):  # type: ignore[no-untyped-def]
    return game.in_check(s)


def thinned(game: Any, s: Any, rng: random.Random) -> Any:
    """The position with some pieces taken off, or as it was if a king could be taken then."""
    share = rng.random()
    off = Bits(64, [q for q in (s.mine | s.theirs) - s.kings if rng.random() < share])
    fields = {name: getattr(s, name) - off for name in s._fields if isinstance(getattr(s, name), Bits)}
    thin = s._replace(**fields, clock=0) if not s.en_passant else s
    flipped = thin._replace(mine=thin.theirs, theirs=thin.mine, turn=1 - thin.turn)
    return s if is_checked(game, flipped) else thin


class Stockfish:
    """Stockfish, asked about many positions at once."""

    def __init__(self, program: str, depth: int) -> None:
        self.depth = depth
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program], stdin=pipe, stdout=pipe, text=True)
        self._say("setoption name Hash value 16")

    def _say(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")

    def worth(self, fens: list[str]) -> list[int]:
        """Hundredths of a pawn for the player to move at each."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        for fen in fens:
            self._say(f"position fen {fen}\ngo depth {self.depth}")
        self.process.stdin.flush()
        found, score = [], 0
        for line in self.process.stdout:
            words = line.split()
            if words[:1] == ["info"] and "score" in words:
                kind, number = words[words.index("score") + 1 :][:2]
                score = int(number) if kind == "cp" else MATE if int(number) > 0 else -MATE
            elif words[:1] == ["bestmove"]:
                found.append(max(-MATE, min(MATE, score)))
                if len(found) == len(fens):
                    break
        return found


def states(game: Any, rng: random.Random, seed: int) -> Any:
    """Positions without end, each once."""
    source, seen = new_random(seed), set()
    while True:
        s = game.initial()
        depth = rng.choice((1, 2, 2, 2))
        for _ in range(rng.choice((2, 4, 6, 8, 10))):
            if not is_over(game, s):
                s = game.result(s, game.sample(s, word(source)))
        for _ in range(240):
            if is_over(game, s):
                break
            for _ in range(2):
                begun = thinned(game, s, rng) if rng.random() < 0.15 else s
                if is_over(game, begun):
                    continue
                found = disturbed(game, begun, rng.choice((0, 1, 1, 2, 2, 3)), source)
                if is_over(game, found) or is_checked(game, found) or game.key(found) in seen:
                    continue
                seen.add(game.key(found))
                yield found
            s = game.result(s, game.sample(s, word(source)) if rng.random() < 0.06 else best_move(game, s, depth))


def write(file: Path, number: int, depth: int, seed: int, program: str = "stockfish", game: Any = None) -> None:
    """Add so many positions to a file."""
    game = games.load("chess") if game is None else game
    fish, begun = Stockfish(program, depth), time.time()
    waiting: list[str] = []
    done = 0
    with file.open("a") as out:
        for s in states(game, random.Random(seed), seed):
            waiting.append(game.to_text(s))
            if len(waiting) < AT_ONCE:
                continue
            for fen, worth_of in zip(waiting, fish.worth(waiting), strict=True):
                out.write(f"{fen}|{worth_of}\n")
            done += len(waiting)
            waiting = []
            if done // AT_ONCE % 100 == 0:
                out.flush()
                print(f"{done:,} positions, {time.time() - begun:.0f} s", flush=True)
            if done >= number:
                break
    fish.process.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--number", type=int, default=100_000)
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    asked = parser.parse_args()
    write(asked.file, asked.number, asked.depth, asked.seed, asked.stockfish)


if __name__ == "__main__":
    main()
