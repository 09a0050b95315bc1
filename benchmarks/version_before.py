"""Another version of Counterplay as an engine, for matches against it: UGI around its strongest search for a game.

    git worktree add ../before 661ca34^
    counterplay match checkers alphabeta:seconds=0.1 \
        "ugi:python benchmarks/version_before.py ../before checkers,seconds=0.1" --games 100

For versions that have no engine protocol of their own; it needs no more of them than `search.strongest`. A game may be
a file of rules, which both sides read.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

LIMITS = {"depth": ("depth", int), "nodes": ("nodes", int), "movetime": ("seconds", lambda ms: int(ms) / 1000)}
PRACTICE_MS = 200
"""How long to think before a game, so that all is compiled at the first move."""


def main(folder: Path, name: str) -> None:
    sys.path.insert(0, str(folder.resolve()))
    from counterplay import games, search

    game = games.load(name)
    engine = search.strongest(game)
    states = [game.initial()]

    def answered(words: list[str]) -> str:
        """What it says to a line."""
        limits = [(*LIMITS[word], x) for word, x in pairwise(words) if word in LIMITS]
        given = {limit: number(x) for limit, number, x in limits}
        found = engine.search(states[-1], search.Limits(**given), history=states[:-1])
        return f"bestmove {joined(game, states[-1], found.action)}"

    for line in sys.stdin:
        words = line.split()
        match words[:1]:
            case ["ugi"]:
                print(f"id name Counterplay of {folder.resolve().name}\nugiok", flush=True)
            case ["isready"]:
                answered(["movetime", str(PRACTICE_MS)])
                engine.new_game()
                print("readyok", flush=True)
            case ["uginewgame"]:
                engine.new_game()
            case ["position"]:
                states[:] = states_of(game, line)
            case ["go"]:
                print(answered(words), flush=True)
            case ["quit"]:
                break


def joined(game: Any, s: Any, a: int) -> str:
    """A move's name as UGI has it, in one word."""
    return "_".join(game.action_name(s, a).split())


def states_of(game: Any, line: str) -> list[Any]:
    """All states of a `position` line."""
    begins, _, moves = line.strip().removeprefix("position ").partition(" moves ")
    states = [game.initial() if begins == "startpos" else game.from_text(begins.removeprefix("fen "))]
    for name in moves.split():
        s = states[-1]
        states.append(game.result(s, next(a for a in game.actions(s) if joined(game, s, a) == name)))
    return states


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
