"""Where we stand: the ladders of five games, as a table for the README.

    python benchmarks/ladders.py                       # about a quarter of an hour on an idle machine with two cores
    python benchmarks/ladders.py --record ladders      # goes on after an interruption
    python benchmarks/ladders.py chess go              # these only

Two ladders are climbed at once, each by one process at a time: while one side thinks, the other waits.
"""

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

# Games a rung, and what else the command is told. Points in backgammon scatter more than wins, and games are short.
GAMES = {"chess": 10, "go": 10, "backgammon": 40, "othello": 10, "checkers": 10}


def climb(game, games, seconds, record):
    """What `counterplay ladder` says of a game."""
    command = [sys.executable, "-m", "counterplay", "ladder", game, "--games", str(games), "--seconds", str(seconds)]
    command += ["--json"] + (["--record", str(record / game)] if record else [])
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def row(told):
    """Where we stand in a game, as a row of the table."""
    score = told["rungs"][-1]["score"]
    result = f"+{score['wins']} ={score['draws']} -{score['losses']}"
    if told["game"] == "backgammon":
        result += f", {told['rungs'][-1]['gain']:+.2f} points a game"
    elo = "" if told["elo"] is None else f"{told['elo']:.0f} ± {1.96 * told['elo_error']:.0f}"
    cells = (told["game"], told["player"], told["above"] or "", told["below"] or "nobody", result, elo, told["games"])
    return f"| {' | '.join(map(str, cells))} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=list(GAMES), help="default: all five")
    parser.add_argument("--seconds", type=float, default=0.05, help="for a move of either side")
    parser.add_argument("--quick", action="store_true", help="two games a rung: does it run?")
    parser.add_argument("--record", type=Path, help="a folder for the games")
    parser.add_argument("--at-once", type=int, default=2, help="how many ladders")
    asked = parser.parse_args()
    with ThreadPoolExecutor(asked.at_once) as pool:
        climbs = [
            pool.submit(climb, game, 2 if asked.quick else GAMES.get(game, 10), asked.seconds, asked.record)
            for game in asked.games
        ]
        print(f"{date.today():%Y-%m-%d}, {asked.seconds:g} s a move\n")
        print("| game | player | above | below | its last rung | Elo | games a rung |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for each in climbs:
            print(row(each.result()), flush=True)


if __name__ == "__main__":
    main()
