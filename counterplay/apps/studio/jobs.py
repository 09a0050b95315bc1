"""What the workers do, by name: each takes a game, `tell`, and plain arguments, and returns plain values for JSON."""

from __future__ import annotations

from typing import Any

from counterplay.arena import SavedGame, Session
from counterplay.core.game import CHANCE, Game, UserError
from counterplay.core.words import line_text, value_text
from counterplay.search import Result
from counterplay.study.analysis import BestLines, ReviewedMove, best_lines, explain, review

__all__ = ["advise", "choose", "judge", "lines", "reasons", "reviewed"]

_MOST_NODES = 2_000_000_000
_JUDGE_NODES = 60_000
_VERDICTS = {"?!": "inaccuracy", "?": "mistake", "??": "blunder", "": ""}
_SHOWN_MOVES = 12


def _session(game: Game, saved: dict[str, Any]) -> Session:
    return Session(_saved(saved), game)


def _saved(saved: dict[str, Any]) -> SavedGame:
    frozen: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in saved.items()}
    return SavedGame(**frozen)


def choose(game: Game, tell: Any, saved: dict[str, Any]) -> dict[str, Any]:
    """The move of the computer whose turn it is."""
    session = _session(game, saved)
    choice = session.choose(tell)
    return {"move": choice.name, "opinion": None if choice.result is None else _opinion(choice.result)}


def advise(game: Game, tell: Any, saved: dict[str, Any]) -> dict[str, Any]:
    """A hint: what a search at the highest level would play, and what it thinks of the position."""
    _must_be_open(game)
    result = _session(game, saved).advise(tell)
    if result.action is None:
        raise UserError("there was no time to find a move")
    return {"move": result.action_name, **_opinion(result)}


def lines(
    game: Game, tell: Any, saved: dict[str, Any], ply: int | None = None, multi: int = 3, nodes: int = _MOST_NODES
) -> dict[str, Any]:
    """The best moves at a ply of a game, told at every depth until it is stopped."""
    _must_be_open(game)
    states = _saved(saved).states(game)[: None if ply is None else ply + 1]
    *earlier, s = states
    tell.describe = lambda result: _told_lines(BestLines(result, multi), earlier)
    seconds = max(0.05, tell.left)
    return _told_lines(
        best_lines(game, s, multi, nodes=nodes, seconds=seconds, history=earlier, progress=tell), earlier
    )


def _told_lines(found: BestLines, earlier: list[Any]) -> dict[str, Any]:
    result = found.result
    told = []
    for each in found.lines:
        text, _ = result.worth_of(each)
        told.append(
            {
                "move": result.game.action_name(result.state, each.action),
                "worth": text,
                "line": line_text(result.game, result.state, each.line, earlier, _SHOWN_MOVES),
                "names": result.names_of(each.line),
            }
        )
    return {"lines": told, **_opinion(result)}


def _opinion(result: Result) -> dict[str, Any]:
    """What a search thinks of a position, for people."""
    game = result.game
    return {
        "worth": result.worth(),
        "chance": _chance(game, result.values),
        "proven": result.proven,
        "depth": result.depth,
        "nodes": result.nodes,
        "seconds": result.seconds,
        "algorithm": result.algorithm,
        "simulations": result.simulations,
        "told": result.told(),
    }


def _chance(game: Game, values: tuple[float, ...]) -> float:
    """What the first player can expect, 0 to 1: the height of the bar."""
    return float(min(max(game.chance_to_win(values[0]), 0.0), 1.0))


def judge(game: Game, tell: Any, saved: dict[str, Any], ply: int) -> dict[str, Any]:
    """What to think of one move of a game, the one at that ply."""
    states = _saved(saved).states(game)[ply : ply + 2]
    found = review(game, states, nodes=_JUDGE_NODES, table_mb=16)
    return _verdict(game, found.moves[0], ply)


def reviewed(game: Game, tell: Any, saved: dict[str, Any], nodes: int = _JUDGE_NODES) -> dict[str, Any]:
    """What to think of every move of a game."""
    _must_be_open(game)
    states = _saved(saved).states(game)

    def progress(done: int, of: int) -> None:
        tell.say({"done": done, "of": of})
        if tell.is_over:
            raise KeyboardInterrupt

    found = review(game, states, nodes=nodes, table_mb=32, progress=progress)
    return {
        "moves": [_verdict(game, move, move.number - 1) for move in found.moves],
        "summary": str(found),
        "complete": found.is_complete,
    }


def _verdict(game: Game, move: ReviewedMove, ply: int) -> dict[str, Any]:
    """A move as the page shows it: the same words as `analyse` has."""
    better = ""
    if move.mark and move.line:
        shown = value_text(game, move.before[move.player], proven=move.proven)
        better = f"better {' '.join(move.line[:6])}: {shown}"
    who = 0 if move.player == CHANCE else move.player
    return {
        "ply": ply,
        "mark": move.mark,
        "verdict": _VERDICTS[move.mark],
        "better": better,
        "best": move.line[0] if move.line and move.mark else "",
        "worth": value_text(game, move.after[who], proven=move.settled),
        "chance": _chance(game, move.after),
        "before": _chance(game, move.before),
    }


def reasons(game: Game, tell: Any, saved: dict[str, Any], ply: int, move: str | None = None) -> dict[str, Any]:
    """Why the best move at a ply is better than the one that was played there, or than `move`, or the second best."""
    _must_be_open(game)
    known = _saved(saved)
    *earlier, s = known.states(game)[: ply + 1]
    move = move or (known.moves[ply] if ply < len(known.moves) else None)
    found = explain(game, s, move, seconds=min(5.0, max(0.1, tell.left)), history=earlier, progress=tell)
    return {"paragraphs": found.paragraphs(), "best": found.chosen.name}


def _must_be_open(game: Game) -> None:
    if not game.perfect_information:
        raise UserError("something is hidden here: nobody may look into the other's hand")
