"""How our players do against GNU Backgammon: thousands of games in minutes.

python benchmarks/gnubg.py [PLAYER ...] [--games 2000] [--plies 0] [--pubeval] [--json FILE]

With `--pubeval` against Tesauro's Pubeval instead, the linear evaluation that he published in 1993 for others to
measure themselves by; the package `gnubg-nn` has it (pip install gnubg-nn).

Many games are played at once, so that one question to GNU Backgammon has a position of each of them. Every throw of the
dice is used twice, with the seats changed.

Points a game are told as they were, and less luck: what a throw was worth more than the mean of all throws is taken
off, as the model that we ship sees it. That mean is 0 whatever the model thinks, so nobody is favoured, and the error
is a third: the "luck adjusted result" of backgammon programs.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from counterplay import Game, games
from counterplay.arena.outside.gnubg import COMMANDS
from counterplay.arena.outside.player import find_program
from counterplay.arena.players import new_player
from counterplay.core.game import CHANCE
from counterplay.games.backgammon.text import digits, points
from counterplay.learn.shelf import named
from counterplay.native import native

PLAYERS = ("expectiminimax:depth=1,model=shipped", "expectiminimax:depth=3,width=5,model=shipped")
AT_ONCE = 200
_SCRIPT = """
import gnubg, json, sys
for command in {commands!r}:
    gnubg.command(command)
for line in open(0):
    gnubg.command("set gnubgid " + line.strip())
    hints = (gnubg.hint(1) or {{}}).get("hint", [])
    print("answer", json.dumps(gnubg.parsemove(hints[0]["move"]) if hints else []), flush=True)
"""


class Gnubg:
    """GNU Backgammon, asked for its plays at many positions together."""

    def __init__(self, game: Game, plies: int, home: Path) -> None:
        self.game = game
        chequer = [f"set evaluation chequer evaluation {each}" for each in ("cubeful off", f"plies {plies}")]
        (home / "ask.py").write_text(_SCRIPT.format(commands=[*COMMANDS, *chequer]))
        self._process = subprocess.Popen(
            [find_program("gnubg"), "-t", "-q", "-r", "-p", str(home / "ask.py")],
            env={**os.environ, "HOME": str(home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def choose(self, states: list[Any]) -> list[int]:
        """Its play at each of the states."""
        if not states:
            return []
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("".join(f"{self.game.to_text(s)}\n" for s in states))
        self._process.stdin.flush()
        found: list[int] = []
        for line in self._process.stdout:
            if line.startswith("answer "):
                found.append(action_of(self.game, states[len(found)], json.loads(line.removeprefix("answer "))))
                if len(found) == len(states):
                    return found
        raise SystemExit("gnubg has ended")

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


class Pubeval:
    """Tesauro's Pubeval, as the package `gnubg-nn` has it."""

    def __init__(self, game: Game) -> None:
        try:
            import gnubg_nn
        except ImportError:
            raise SystemExit("Pubeval is in another package: pip install gnubg-nn") from None
        self.game, self._best = game, gnubg_nn.pub_best_move

    def choose(self, states: list[Any]) -> list[int]:
        """Its play at each of the states."""
        found = []
        for s in states:
            board = [[points(men)[point] for point in range(1, 26)] for men in (s.theirs, s.mine)]
            ends = [point + 1 for point in self._best(board, s.big, s.small)]
            found.append(action_of(self.game, s, list(zip(ends[::2], ends[1::2], strict=True))))
        return found

    def close(self) -> None:
        """There is nothing to close."""


def action_of(game: Game, s: Any, steps: list[Any]) -> int:
    """The action that moves these checkers, from one point to another each; 25 is the bar and 0 is off."""
    mine, theirs = Counter(points(s.mine)), Counter(points(s.theirs))
    for start, end in steps:
        mine[start] -= 1
        if end > 0:
            mine[end] += 1
            if theirs[25 - end] == 1:
                theirs[25 - end], theirs[25] = 0, theirs[25] + 1
    after = digits(theirs), digits(mine)
    for a in game.actions(s):
        t = game.result(s, a)
        if (t.mine, t.theirs) == after:
            return int(a)
    raise SystemExit(f"{steps} at {game.to_text(s)} is not legal")


@native
def best_after(game, s):  # type: ignore[no-untyped-def]
    """What a state is worth to player 0 if whoever has thrown plays what looks best."""
    if game.is_terminal(s):
        return float(game.utility(s, 0))
    p, best = game.player(s), -inf
    for a in game.actions(s):
        best = max(best, game.evaluate(game.result(s, a), p))
    return best if p == 0 else -best


@native
def luck_of(game, s, roll):  # type: ignore[no-untyped-def]
    """How much better for player 0 a throw is than the mean of all."""
    mean = 0.0
    for a in game.actions(s):
        mean += game.probability(s, a) * best_after(game, game.result(s, a))
    return best_after(game, game.result(s, roll)) - mean


@dataclass
class Bout:
    """A game under way: where we sit, and what luck we have had."""

    s: Any
    we: int
    dice: random.Random
    luck: float = 0.0


@dataclass
class Score:
    """Points a game, each with its standard error."""

    won: list[float] = field(default_factory=list)
    lucky: list[float] = field(default_factory=list)

    def as_dict(self) -> dict[str, float]:
        plain, fair = mean_of(self.won), mean_of([w - x for w, x in zip(self.won, self.lucky, strict=True)])
        return {"games": len(self.won), "points": plain[0], "error": plain[1], "fair": fair[0], "fair_error": fair[1]}


def mean_of(values: list[float]) -> tuple[float, float]:
    n = len(values)
    mean = sum(values) / n
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / max(n - 1, 1) / n)


def play(game: Game, judge: Game, text: str, opponent: Gnubg | Pubeval, number: int, seed: int = 0) -> Score:
    """So many games of a player against another program; `judge` is the same game with an estimate, which sees luck."""
    player, score = new_player(game, text), Score()
    waiting = [Bout(game.initial(), i % 2, random.Random(f"{seed} {i // 2}")) for i in range(number)][::-1]
    going: list[Bout] = []
    while going or waiting:
        while waiting and len(going) < AT_ONCE:
            going.append(waiting.pop())
        for bout in going:
            throw(judge, bout)
        ours = [bout for bout in going if game.player(bout.s) == bout.we]
        theirs = [bout for bout in going if game.player(bout.s) != bout.we]
        for bout in ours:
            bout.s = game.result(bout.s, player.choose([bout.s]))
        for bout, a in zip(theirs, opponent.choose([bout.s for bout in theirs]), strict=True):
            bout.s = game.result(bout.s, a)
        for bout in going:
            if game.is_terminal(bout.s):
                score.won.append(float(game.utility(bout.s, bout.we)))
                score.lucky.append(bout.luck)
        going = [bout for bout in going if not game.is_terminal(bout.s)]
    return score


def throw(judge: Game, bout: Bout) -> None:
    """Throw the dice, and note whose luck it was."""
    if judge.player(bout.s) == CHANCE:
        rolls = [int(a) for a in judge.actions(bout.s)]
        (roll,) = bout.dice.choices(rolls, [judge.probability(bout.s, a) for a in rolls])
        luck = luck_of(judge, bout.s, roll)
        bout.luck += luck if bout.we == 0 else -luck
        bout.s = judge.result(bout.s, roll)


def main() -> None:
    parser = argparse.ArgumentParser(description="How our players do against GNU Backgammon.")
    parser.add_argument("players", nargs="*", default=PLAYERS, metavar="PLAYER")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--plies", type=int, default=0, help="how far GNU Backgammon looks ahead")
    parser.add_argument("--pubeval", action="store_true", help="play Pubeval instead")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there as well")
    options = parser.parse_args()
    game, rows = games.load("backgammon"), []
    judge: Game = game.with_model(named(game, "shipped"))
    for text in options.players:
        began = time.process_time()
        with tempfile.TemporaryDirectory() as home:
            opponent = Pubeval(game) if options.pubeval else Gnubg(game, options.plies, Path(home))
            score = play(game, judge, text, opponent, options.games, options.seed)
            opponent.close()
        row = {"player": text, **score.as_dict()}
        rows.append(row)
        told = f"{row['points']:+.3f} ± {row['error']:.3f} points a game, less luck {row['fair']:+.3f} ± "
        print(f"{text}: {told}{row['fair_error']:.3f}, {row['games']} games, {time.process_time() - began:.0f} CPU s")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
