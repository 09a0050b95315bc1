"""The lectures' games of bins: A {-50, 50}, B {1, 3}, C {-5, 15}. You choose a bin, someone a number from it.

Game 1 against an opponent who minimises is B, worth 1; against one who picks at random it is C, worth 5. In game 2 a
coin moves the bin one to the left, with wrap-around, before the opponent minimises: expectiminimax says C, worth -2.
Each belief is played against each opponent, so that it shows what it costs to be wrong.
"""

from __future__ import annotations

from typing import Any

from counterplay import games, native, search
from counterplay.core.drawing import text_svg
from counterplay.core.game import CHANCE, Game
from counterplay.study.demos.outcome import Claim, Outcome

SEEDS = 200


def run(seeds: int = SEEDS) -> Outcome:
    with native.interpreted():  # trees of ten leaves need no compiler
        return _run(seeds)


def _run(seeds: int) -> Outcome:
    first, second = games.load("bins"), games.load("bins:coin=true")
    searches = {
        ("1", "minimax", "minimises"): search.minimax(first),
        ("1", "expectimax", "is random"): search.expectimax(first),
        ("2", "expectiminimax", "minimises"): search.expectiminimax(second),
        ("2", "expectimax", "is random"): search.expectimax(second),
    }
    rows: list[dict[str, Any]] = []
    for (number, name, believed), result in searches.items():
        row: dict[str, Any] = {"game": number, "search": name, "believes": believed, "bin": result.action_name}
        row |= {"value": result.value}
        for opponent in ("minimises", "is random"):
            row[f"if it {opponent}"] = sum(got(result, opponent, seed) for seed in range(seeds)) / seeds
        rows.append(row)
    chosen = {key: (result.action_name, result.value) for key, result in searches.items()}
    by_minimax, by_expectimax = rows[0], rows[1]
    minimises, is_random = "if it minimises", "if it is random"
    return Outcome(
        seeds,
        rows,
        [
            Claim("game 1 by minimax: B, worth 1", chosen["1", "minimax", "minimises"] == ("B", 1.0)),
            Claim("game 1 by expectimax: C, worth 5", chosen["1", "expectimax", "is random"] == ("C", 5.0)),
            Claim("game 2 by expectiminimax: C, worth -2", chosen["2", "expectiminimax", "minimises"] == ("C", -2.0)),
            Claim(
                "each is better against the opponent that it believes in",
                by_minimax[minimises] > by_expectimax[minimises] and by_expectimax[is_random] > by_minimax[is_random],
            ),
        ],
        text=(shown := trees(first, second)),
        picture=text_svg(shown),
    )


def got(result: search.Result, opponent: str, seed: int) -> float:
    """The number that the search's choice gets in one game."""
    game, random = result.game, search.new_random(seed)
    s = game.result(result.state, result.action or 0)
    while not game.is_terminal(s):
        if game.player(s) == CHANCE or opponent == "is random":
            a = search.random_action(game, s, random)
        else:
            a = min(game.actions(s), key=lambda a: game.utility(game.result(s, a), 0))
        s = game.result(s, a)
    return game.utility(s, 0)


def trees(first: Game, second: Game) -> str:
    """The trees of both games, with values: you △, I ▽, chance ○."""
    random = games.load("bins:opponent_is_random=true")
    parts = (
        ("game 1, I minimise", first),
        ("game 1, I pick at random", random),
        ("game 2: a coin first, then I minimise", second),
    )
    return "\n\n".join(f"{title}\n" + "\n".join(tree(game, game.initial())) for title, game in parts)


def tree(game: Game, s: Any, name: str = "", indent: str = "") -> list[str]:
    """A node with its value, and those below it; leaves stand in one line."""
    if game.is_terminal(s):
        return [f"{indent}{game.utility(s, 0):g}"]
    value = search.minimax(game, s).value
    mark = {CHANCE: "○", 0: "△", 1: "▽"}[game.player(s)]
    below = [(game.action_name(s, a), game.result(s, a)) for a in game.actions(s)]
    line = f"{indent}{name + ' ' if name else ''}{mark} {value:g}"
    if all(game.is_terminal(t) for _, t in below):
        return [f"{line}: " + ", ".join(f"{game.utility(t, 0):g}" for _, t in below)]
    return [line, *(each for label, t in below for each in tree(game, t, label, indent + "  "))]
