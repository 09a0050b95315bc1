"""A game between a person and the computer, or the computer and itself, on the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from counterplay import search
from counterplay.cli import output
from counterplay.game import CHANCE, Game, Position, UserError, is_repeated

__all__ = ["play_game"]

_BUDGET = 300_000
"""Nodes the computer may spend on a move when no depth is given."""

_HELP = "a move by its name, or: moves, undo, help, quit"


def play_game(here: Position, you: int | None, depth: int | None, seed: int, quiet: bool) -> dict[str, Any]:
    """Play to the end (or until the person quits) and return the record. `you` is the person's seat, if any."""
    game, random = here.game, search.new_random(seed)
    think = _opponent(game, depth)
    history = [here.state]
    played: list[str] = []

    def show() -> None:
        if not quiet:
            now = Position(game, history[-1])
            now.before = history[-2] if len(history) > 1 else here.before
            output.say(output.board(now))
            output.say()

    show()
    while not (game.is_terminal(s := history[-1]) or is_repeated(game, history)):
        p = game.player(s)
        if p == you:
            answer = _ask(game, s)
            if answer is None:
                break
            if answer == "undo":
                _take_back(game, history, played, you)
                show()
                continue
            a = game.parse_action(s, answer)
        elif p == CHANCE:
            a = search.random_action(game, s, random)
        else:
            a = think(history)
        name = game.action_name(s, a)
        who = "chance" if p == CHANCE else "you" if p == you else f"player {p + 1}"
        if not quiet:
            output.say(f"{who}: {name}\n")
        history.append(game.result(s, a))
        played.append(name)
        show()
    end, repeated = history[-1], is_repeated(game, history)
    draw = [0.5 * game.utility_sum] * game.players
    if not quiet:
        if game.is_terminal(end):
            output.say(output.turn(Position(game, end)))
        elif repeated:
            output.say("the game is drawn: the position came for the third time")
        else:
            output.say(f"so far: {output.listed(played)}")
    return {
        "game": str(game),
        "begins": game.to_text(history[0]),
        "moves": played,
        "position": game.to_text(end),
        "terminal": bool(game.is_terminal(end)) or repeated,
        "utilities": [game.utility(end, q) for q in range(game.players)]
        if game.is_terminal(end)
        else draw
        if repeated
        else None,
    }


def _ask(game: Game, s: Any) -> str | None:
    """A legal move or `undo`; None when the person leaves. Bad input is answered and asked again."""
    while True:
        try:
            answer = input("your move: ").strip()
        except (EOFError, KeyboardInterrupt):
            output.say()
            return None
        if answer in ("quit", "exit", "q"):
            return None
        if answer == "undo":
            return answer
        if answer == "moves":
            output.say(output.listed(Position(game, s).moves()))
        elif answer in ("help", "?", ""):
            output.say(_HELP)
        else:
            try:
                game.parse_action(s, answer)
                return answer
            except UserError as error:
                output.say(f"{error} ({_HELP})")


def _take_back(game: Game, history: list[Any], played: list[str], you: int | None) -> None:
    """Go back to the person's move before; stay if there was none."""
    before = [i for i, s in enumerate(history[:-1]) if game.player(s) == you]
    if before:
        del history[before[-1] + 1 :], played[before[-1] :]


def _opponent(game: Game, depth: int | None) -> Callable[[list[Any]], int]:
    """How the computer chooses a move, given all states of the game: by the search that suits it, within a budget."""
    limits = search.Limits(depth=depth) if depth else search.Limits(nodes=_BUDGET)
    if search.best_for(game) == "alphabeta":
        searcher = search.Searcher(game, table_mb=16)  # remembers from move to move
        return lambda states: searcher.search(states[-1], limits, history=states[:-1]).action or 0
    look = search.ALGORITHMS[search.best_for(game)]
    return lambda states: look(game, states[-1], depth=limits.depth, nodes=limits.nodes).action or 0
