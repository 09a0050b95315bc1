"""Any game, within a minute: what `train` makes of games that tell a learner nothing.    python benchmarks/any_game.py

Each game is learned by the recipe `any`, a small network that sees the state as it is, for so many seconds of CPU time,
60 if nothing is said. Then it is asked to play. Where a search can solve the game, the question is how many of its
moves keep what the position is worth, looking one ply ahead; everywhere, how it fares against random moves, one ply
ahead too; and by the same time for each move against Monte Carlo tree search.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from counterplay import Game, arena, games, learn, search
from counterplay.core.game import listed_actions
from counterplay.core.randomness import new_random
from counterplay.learn.recipes import recipe_for
from counterplay.learn.strength import quick_match
from counterplay.learn.temporal import Training
from counterplay.native import interpreted

OWN_GAME = """
from typing import NamedTuple

from counterplay import Game


class LastStone(Game):
    heap: int = 21
    take: int = 3

    class State(NamedTuple):
        stones: int
        turn: int

    def initial(self):
        return self.State(self.heap, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        for k in range(1, min(self.take, s.stones) + 1):
            yield k

    def result(self, s, a):
        return self.State(s.stones - a, 1 - s.turn)

    def is_terminal(self, s):
        return s.stones == 0

    def utility(self, s, p):
        return -1.0 if s.turn == p else 1.0
"""
"""The README's own game."""

GAMES = ("last_stone", "kalah:houses=3,seeds=3", "kalah", "breakthrough:rows=6,columns=6")
SOLVED = ("last_stone", "kalah:houses=3,seeds=3")
"""The games that a search solves in no time, from anywhere."""


def load(name: str, folder: Path) -> Game:
    """The game of that name; the README's from a file, as a user's would be."""
    if name != "last_stone":
        return games.load(name)
    file = folder / f"{name}.py"
    file.write_text(OWN_GAME)
    return games.load(str(file))


def trained(game: Game, recipe: str, seconds: float) -> tuple[learn.Model, int, float]:
    """A model, after how many games, and the CPU time that it took without compiling."""
    chosen = recipe_for(game, recipe)
    trial = Training(game, chosen.model(game), chosen.settings(game, 1 << 40))
    trial.run(0.1)  # compiles
    before, began = trial.games, time.process_time()
    while time.process_time() - began < seconds / 20:
        trial.run(0.1)
    speed = (trial.games - before) / (time.process_time() - began)
    model = chosen.model(game)
    training = Training(game, model, chosen.settings(game, max(int(0.9 * seconds * speed), 1)))
    began = time.process_time()
    training.run()
    return model, training.games, time.process_time() - began


def perfect_share(game: Game, clever: Game, number: int) -> float:
    """How many of its moves keep the value of the position, of those where another move would not."""
    exact, ours = search.AlphaBeta(game, table_mb=16), search.AlphaBeta(clever, table_mb=0, without=["table"])
    random, s, kept, asked, seen = new_random(1), game.initial(), 0, 0, set[Any]()
    for _ in range(100 * number):
        if asked >= number:
            break
        if game.is_terminal(s):
            s = game.initial()
        if s not in seen:
            seen.add(s)
            p = game.player(s)
            worth = {int(a): _exact(exact, game, game.result(s, a), p) for a in listed_actions(game, s)}
            if len(set(worth.values())) > 1:
                asked += 1
                played = ours.search(s, search.Limits(depth=1)).action
                kept += worth[int(played)] == max(worth.values()) if played is not None else 0
        s = game.result(s, search.random_action(game, s, random))
    return kept / max(asked, 1)


def _exact(engine: search.Engine, game: Game, s: Any, p: int) -> float:
    return float(game.utility(s, p) if game.is_terminal(s) else engine.search(s).values[p])


def main() -> None:
    parser = argparse.ArgumentParser(description="What `train` makes of games that tell a learner nothing.")
    parser.add_argument("--quick", action="store_true", help="some games of one, as plain Python: does it run?")
    parser.add_argument("--seconds", type=float, default=60.0, help="of CPU time to learn each")
    parser.add_argument("--recipe", default="any")
    parser.add_argument("--games", type=int, default=40, help="against mcts")
    parser.add_argument("--move", type=float, default=0.05, help="seconds a move against mcts")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there as well")
    parser.add_argument("names", nargs="*", default=list(GAMES), help="default: all of them")
    options = parser.parse_args()
    names = ["last_stone"] if options.quick else options.names
    seconds, number = (0.2, 2) if options.quick else (options.seconds, options.games)
    rows: list[dict[str, Any]] = []
    print(f"{'game':32}{'games':>10}{'CPU s':>8}{'perfect':>9}{'v random':>10}{'v mcts':>8}")
    with tempfile.TemporaryDirectory() as folder, interpreted() if options.quick else nullcontext():
        for name in names:
            game = load(name, Path(folder))
            model, played, spent = trained(game, options.recipe, seconds)
            clever, file = game.with_model(model), Path(folder) / "model.safetensors"
            learn.save(model, file)
            perfect = perfect_share(game, clever, 20 if options.quick else 300) if name in SOLVED else None
            random = quick_match(clever, None, 20 if options.quick else 400, depth=1).share
            players = (f"alphabeta:model={file}", "mcts:solver=on")
            mcts = arena.match(game, players, number, seconds=options.move, seed=1).points
            rows.append({"game": name, "games": played, "seconds": spent, "perfect": perfect, "random": random})
            rows[-1] |= {"mcts": mcts}
            told = "" if perfect is None else f"{perfect:.1%}"
            print(f"{name:32}{played:10,}{spent:8.1f}{told:>9}{random:10.1%}{mcts:8.1%}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
