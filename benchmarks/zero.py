"""What `zero` and `descent` are worth.    python benchmarks/zero.py speed|exam|first|match|duel ...

    speed                               games of Connect Four a second, 100 simulations for every move, one thread
    exam --model FILE                   how many of 320 positions of Connect Four a network answers right
    first --model FILE                  games as first player against perfect play; needs `pip install bitbully`
    first --player PLAYER               the same of any player, as in `alphabeta:seconds=0.1,book=on`
    match GAME --model FILE             against plain `mcts` of so many `--times` the simulations, or of `--equal` time
    duel GAME                           `descent` against `zero`, the same CPU time to learn and to play

The positions of the examination are in connect_four_exam.txt: each a game of 4 to 25 random moves, and for every column
whether it wins (+), draws (=) or loses (-), where they are not all alike. bitbully has judged them, with its book of
twelve plies; `--check N` has our own alpha-beta judge those again that have N stones or more, and wants the same.

Times are CPU times of the process, so that they mean something on a busy machine; but its caches are shared.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from pathlib import Path
from typing import Any

from counterplay import CHANCE, Game, games, learn, search
from counterplay.arena import new_player
from counterplay.learn.descent import DescentSettings, DescentTraining
from counterplay.learn.zero import ZeroSettings, ZeroTraining
from counterplay.search import Engine, Limits

EXAM = Path(__file__).parent / "connect_four_exam.txt"
SIGNS = {"+": 1, "=": 0, "-": -1}
OPENING = 4


def clever(game: Game, file: str) -> Engine:
    """The search that plays with a network of values and moves."""
    return player(game.with_model(learn.load(file, game)))


def player(game: Game) -> Engine:
    if game.knows.model_odds:
        return search.new_engine("mcts", game, puct=1.5, cutoff=0, solver=True, memory_mb=64)
    return search.new_engine("best_first", game, memory_mb=64)


# ---- speed


def speed() -> None:
    game = games.load("connect_four")
    for features in ("own", "shapes"):
        model = learn.DualNetwork(game, hidden=(64, 32), features=features, alike=True)
        settings = ZeroSettings(games=1 << 30, simulations=100, quick=100, share=1.0)
        training = ZeroTraining(game, model, settings)
        training.run(until=64)  # which compiles
        best = 0.0
        for _ in range(7):
            before, began = training.games, time.process_time()
            training.run(until=before + 512)
            best = max(best, (training.games - before) / (time.process_time() - began))
        print(f"features={features}: {best:.0f} games/s, learning included, best of 7")


# ---- Connect Four, examined


def positions(game: Game) -> list[tuple[Any, dict[int, int], int]]:
    """The states of the examination, with what each column is worth to who moves, and how many stones there are."""
    found = []
    for line in EXAM.read_text().split("\n"):
        if line:
            moves, judged = line.split()
            worth = {column: SIGNS[sign] for column, sign in enumerate(judged) if sign != "."}
            found.append((game.at(" ".join(moves)).state, worth, len(moves)))
    return found


def exam(options: argparse.Namespace) -> None:
    game = games.load("connect_four")
    if options.check is not None:
        check(game, options.check)
        return
    engine = clever(game, options.model)
    for simulations in (2, 100, 800, 4000):
        right, asked = 0, positions(game)
        for s, worth, _ in asked:
            engine.new_game(0)
            found = engine.search(s, Limits(simulations=simulations))
            right += worth[int(found.action or 0)] == max(worth.values())
        share = right / len(asked)
        error = math.sqrt(share * (1 - share) / len(asked))
        print(f"{simulations:5} simulations: {right} of {len(asked)} right, {share:.3f} ± {error:.3f}", flush=True)


def check(game: Game, stones: int) -> None:
    """Judge the positions with so many stones or more by our own search, and say where it does not agree."""
    engine, agreed, wrong = search.new_engine("alphabeta", game, table_mb=512), 0, 0
    for s, worth, number in sorted(positions(game), key=lambda each: -each[2]):
        if number < stones:
            break
        p = game.player(s)
        for column, judged in worth.items():
            after = game.result(s, column)
            value = game.utility(after, p) if game.is_terminal(after) else engine.search(after).values[p]
            wrong += (value > 0) - (value < 0) != judged
        agreed += 1
    print(f"{agreed} positions with {stones} stones or more judged again, {wrong} columns differ")


def first(options: argparse.Namespace) -> None:
    """The network or the player begins; the other takes any column of those that bitbully likes best."""
    import bitbully

    game, dice = games.load("connect_four"), random.Random(5)
    book, wins = bitbully.BitBully(opening_book="12-ply-dist"), 0
    engine = clever(game, options.model) if options.model else None
    for number in range(1, options.games + 1):
        states, moves = [game.initial()], []
        if engine is not None:
            engine.new_game(number)
        else:
            begins = new_player(game, options.player, seed=number)
            begins.prepare()
        while not game.is_terminal(states[-1]):
            if len(moves) % 2 == 1:
                scores = book.score_all_moves(bitbully.Board(moves))
                a = int(dice.choice([column for column, score in scores.items() if score == max(scores.values())]))
            elif engine is None:
                a = begins.choose(states)
            else:
                a = int(engine.search(states[-1], Limits(simulations=options.simulations)).action or 0)
            moves.append(a)
            states.append(game.result(states[-1], a))
        worth = game.utility(states[-1], 0)
        wins += worth > 0
        if options.player:
            gone = [i for i in range(1, len(moves), 2) if not wins_there(book, bitbully, moves[:i])][:1]
            played = "".join(str(column + 1) for column in moves)
            print(played, f"{worth:+.0f}", *(f"no win after {i}" for i in gone), flush=True)
    name = options.player or f"{options.simulations} simulations"
    print(f"{name}: {wins} of {options.games} games as first player won")


def wins_there(book: Any, bitbully: Any, moves: list[int]) -> bool:
    """Whether the first player, who has just moved, still wins."""
    board = bitbully.Board(moves)
    return bool(board.has_win() or max(book.score_all_moves(board).values(), default=0) < 0)


# ---- matches


class Same:
    """So many simulations for every move."""

    def __init__(self, simulations: int) -> None:
        self.simulations = simulations

    def limits(self) -> Limits:
        return Limits(simulations=self.simulations)

    def took(self, simulations: int, seconds: float) -> None:
        pass


class Paced:
    """As many simulations as take so many CPU seconds, by how long the search before took."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.speed, self.spent, self.moves = seconds, 0.0, 0.0, 0

    def limits(self) -> Limits:
        return Limits(simulations=max(int(self.seconds * self.speed), 100))

    def took(self, simulations: int, seconds: float) -> None:
        if simulations >= 100:  # and not proven at once
            self.speed = simulations / seconds
            self.spent, self.moves = self.spent + seconds, self.moves + 1


def play(ours: Engine, theirs: Engine, limits: tuple[Any, Any], number: int, seed: int = 1) -> tuple[float, int]:
    """The share of the points, each random opening with both colours."""
    game, dice, points = ours.game, random.Random(seed), 0.0
    begun = game.initial()
    for engine in (ours, theirs):
        engine.search(begun, Limits(simulations=1000))  # which compiles
    for i in range(number):
        if i % 2 == 0:
            begun = game.initial()
            for _ in range(OPENING):
                after = game.result(begun, dice.choice(list(game.actions(begun))))
                begun = begun if game.is_terminal(after) else after
        s = begun
        for engine in (ours, theirs):
            engine.new_game(i)
        while not game.is_terminal(s):
            who = 0 if game.player(s) == i % 2 else 1
            if game.chance and game.player(s) == CHANCE:
                outcomes = list(game.actions(s))
                s = game.result(s, dice.choices(outcomes, [game.probability(s, a) for a in outcomes])[0])
                continue
            began = time.process_time()
            found = (ours, theirs)[who].search(s, limits[who].limits())
            limits[who].took(found.simulations, time.process_time() - began)
            s = game.result(s, int(found.action or 0))
        points += 0.5 * (1 + (game.utility(s, i % 2) > 0) - (game.utility(s, i % 2) < 0))
    return points / number, number


def told(name: str, share: float, number: int) -> None:
    print(
        f"{name}: {share:.3f} ± {math.sqrt(max(share * (1 - share), 0.01) / number):.3f} of {number} games", flush=True
    )


def match(options: argparse.Namespace) -> None:
    game = games.load(options.game)
    ours = clever(game, options.model)
    theirs = search.new_engine("mcts", game, memory_mb=256)
    if options.equal:
        paces = Paced(options.seconds), Paced(options.seconds)
        share, number = play(ours, theirs, paces, options.games)
        ms = " and ".join(f"{1000 * pace.spent / pace.moves:.1f}" for pace in paces)
        told(f"{options.game}, {ms} CPU ms a move", share, number)
    else:
        few, many = Same(options.simulations), Same(options.simulations * options.times)
        share, number = play(ours, theirs, (few, many), options.games)
        told(
            f"{options.game}, {options.simulations} simulations v mcts with {options.times} times as many",
            share,
            number,
        )


def duel(options: argparse.Namespace) -> None:
    """Both learn for the same CPU time, with the same hidden units; then they play with the same time a move."""
    game, hidden = games.load(options.game), options.hidden

    def begin(name: str, number: int) -> ZeroTraining | DescentTraining:
        if name == "zero":
            dual = learn.DualNetwork(game, hidden=hidden)
            return ZeroTraining(game, dual, ZeroSettings(number, dual.rate, simulations=64, quick=16))
        plain = learn.Network(game, hidden=hidden)
        return DescentTraining(game, plain, DescentSettings(number, plain.rate))

    players = []
    for name in ("descent", "zero"):
        trial = begin(name, 1 << 30)
        trial.run(until=64)  # which compiles
        before, began = trial.games, time.process_time()
        while time.process_time() - began < options.cpu / 20:
            trial.run(until=trial.games + 64)
        rate = (trial.games - before) / (time.process_time() - began)
        training, began = begin(name, max(int(rate * options.cpu), 64)), time.process_time()
        training.run()
        print(f"{name}: {training.games} games in {time.process_time() - began:.0f} CPU s", flush=True)
        players.append(player(game.with_model(training.model)))
    paces = Paced(options.seconds), Paced(options.seconds)
    told(f"{options.game}: descent v zero", *play(players[0], players[1], paces, options.games))


def main() -> None:
    parser = argparse.ArgumentParser(description="What zero and descent are worth.")
    parser.add_argument("what", choices=["speed", "exam", "first", "match", "duel"])
    parser.add_argument("game", nargs="?", default="connect_four")
    parser.add_argument("--model", metavar="FILE")
    parser.add_argument("--player")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--simulations", type=int, default=800)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--equal", action="store_true", help="the same CPU time a move for both")
    parser.add_argument("--seconds", type=float, default=0.02)
    parser.add_argument("--cpu", type=float, default=60.0, help="CPU seconds to learn")
    parser.add_argument("--hidden", default="64x32")
    parser.add_argument("--check", type=int, metavar="STONES")
    options = parser.parse_args()
    if options.what == "speed":
        speed()
    else:
        {"exam": exam, "first": first, "match": match, "duel": duel}[options.what](options)


if __name__ == "__main__":
    main()
