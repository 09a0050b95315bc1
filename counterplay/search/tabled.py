"""The answer of a table: where all that matters is known, nothing is searched, and the move makes progress.

A search asks `game.solved` below the root; at the root the value alone would not do, because a win that is always there
tomorrow never comes. So the winner takes the shortest way, and the loser the longest.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from counterplay.core.game import CHANCE, Game
from counterplay.search.repetition import draw_value
from counterplay.search.result import ActionValue, Result
from counterplay.search.suited import for_each_player, some_actions

__all__ = ["Known", "known", "known_moves", "table_answer"]


class Known(NamedTuple):
    """What is certain of a state."""

    value: float
    """To player 0."""
    plies: int
    """To the end of the game; 0 for a draw."""


def known(game: Game, s: Any) -> Known | None:
    """What the rules or the tables say of `s`; None if they do not."""
    if game.is_terminal(s):
        return Known(float(game.utility(s, 0)), 0)
    v, plies = game.solved(s)
    return Known(float(v), int(plies)) if plies >= 0 else None


def known_moves(game: Game, s: Any, only: Iterable[int] = ()) -> dict[int, Known | None]:
    """What is certain after each move at `s`, or after `only` these."""
    allowed = frozenset(only)
    actions = [a for a in map(int, some_actions(game, s)) if not allowed or a in allowed]
    return {a: known(game, game.result(s, a)) for a in actions}


def best_move(game: Game, s: Any, moves: dict[int, Known | None]) -> int | None:
    """The best of the moves, if what is known of them is enough: a win is not topped; else all must be known."""
    sign, draw = (1.0 if game.player(s) == 0 else -1.0), draw_value(game)

    def merit(a: int) -> tuple[float, float]:
        each = moves[a]
        assert each is not None
        gain = sign * (each.value - draw)
        return gain, -each.plies if gain > 0 else each.plies

    certain = [a for a, each in moves.items() if each is not None]
    if not certain:
        return None
    best = max(certain, key=merit)
    is_topped = merit(best)[0] < sign * (game.utility_range[1 if sign > 0 else 0] - draw)
    if is_topped and len(certain) < len(moves):
        here = game.solved(s)  # of moves that nothing is known of, the state itself may say that they are no better
        found = moves[best]
        assert found is not None
        if here[1] < 0 or here[0] != found.value:
            return None
    return best


def table_answer(game: Game, s: Any, only: Iterable[int] = ()) -> Result | None:
    """What a search would find if it could look to the end, from what is known; None if that is not enough."""
    if game.is_terminal(s) or game.player(s) == CHANCE or (not game.chance and game.solved(s)[1] < 0):
        return None
    began = time.perf_counter()  # not before: asking may have to be compiled
    moves = known_moves(game, s, only)
    best = best_move(game, s, moves)
    if best is None:
        return None
    line = (best, *_line(game, game.result(s, best)))
    found = moves[best]
    assert found is not None
    values = for_each_player(game, found.value)
    is_decided = found.value in game.utility_range and not game.chance
    return Result(
        game=game,
        state=s,
        algorithm="table",
        action=best,
        value=found.value,
        values=values,
        line=line,
        actions=tuple(_action_value(game, s, a, each, line) for a, each in moves.items()),
        nodes=1 + len(moves),
        depth=len(line),
        seconds=time.perf_counter() - began,
        proven=True,
        stopped="table",
        within=found.plies + 1 if is_decided else None,
        is_shortest=is_decided,
    )


def _action_value(game: Game, s: Any, a: int, each: Known | None, line: tuple[int, ...]) -> ActionValue:
    if each is None:  # it may come too late, so that it is no better than a draw
        v = draw_value(game)
        return ActionValue(a, v, False, for_each_player(game, v))
    values = for_each_player(game, each.value)
    within = each.plies + 1 if each.value in game.utility_range and not game.chance else None
    return ActionValue(a, each.value, True, values, True, within, line=line if line[0] == a else (a,))


def _line(game: Game, s: Any) -> list[int]:
    """Best play from `s` on, by the tables, while the game is not drawn; it ends before a throw of the dice."""
    line: list[int] = []
    here = known(game, s)
    while here is not None and here.value != draw_value(game) and not game.is_terminal(s) and not game.chance:
        a = best_move(game, s, known_moves(game, s))
        if a is None:
            break
        line.append(a)
        s = game.result(s, a)
        here = known(game, s)
    return line
