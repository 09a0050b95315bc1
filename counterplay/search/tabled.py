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

__all__ = ["Known", "best_moves", "known", "known_moves", "table_answer"]


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


def best_moves(game: Game, s: Any, moves: dict[int, Known | None]) -> list[int]:
    """The moves of which something is known, the best first; none if that is not enough to know the best.

    A win is not topped; else all must be known, or the state itself says that the others are no better.
    """
    sign, draw = (1.0 if game.player(s) == 0 else -1.0), draw_value(game)
    certain = {a: each for a, each in moves.items() if each is not None}

    def merit(a: int) -> tuple[float, int]:
        gain = sign * (certain[a].value - draw)
        return gain, -certain[a].plies if gain > 0 else certain[a].plies

    order = sorted(certain, key=merit, reverse=True)  # stable: of equals the first
    if order and len(order) < len(moves):
        (v, plies), best = game.solved(s), certain[order[0]].value
        if best != game.utility_range[1 if sign > 0 else 0] and (plies < 0 or v != best):
            return []
    return order


def table_answer(game: Game, s: Any, only: Iterable[int] = (), multi: int = 1) -> Result | None:
    """What a search would find if it could look to the end, from what is known; None if that is not enough.

    The `multi` best moves get their lines.
    """
    if game.is_terminal(s) or game.player(s) == CHANCE or (not game.chance and game.solved(s)[1] < 0):
        return None
    began = time.perf_counter()  # not before: asking may have to be compiled
    moves = known_moves(game, s, only)
    order = best_moves(game, s, moves)
    if not order:
        return None
    lines = {a: (a, *_line(game, game.result(s, a))) for a in order[:multi]}
    best, line, found = order[0], lines[order[0]], moves[order[0]]
    assert found is not None  # it is one of those that are known
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
        actions=tuple(_action_value(game, a, each, lines.get(a, (a,))) for a, each in moves.items()),
        nodes=1 + len(moves),
        depth=len(line),
        seconds=time.perf_counter() - began,
        proven=True,
        stopped="table",
        within=found.plies + 1 if is_decided else None,
        is_shortest=is_decided,
    )


def _action_value(game: Game, a: int, each: Known | None, line: tuple[int, ...]) -> ActionValue:
    if each is None:  # it may come too late, so that it is no better than a draw
        v = draw_value(game)
        return ActionValue(a, v, False, for_each_player(game, v))
    values = for_each_player(game, each.value)
    within = each.plies + 1 if each.value in game.utility_range and not game.chance else None
    return ActionValue(a, each.value, True, values, True, within, line=line)


def _line(game: Game, s: Any) -> list[int]:
    """Best play from `s` on, by the tables, while the game is not drawn; it ends before a throw of the dice."""
    line: list[int] = []
    here = known(game, s)
    while here is not None and here.value != draw_value(game) and not game.is_terminal(s) and not game.chance:
        order = best_moves(game, s, known_moves(game, s))
        if not order:
            break
        line.append(order[0])
        s = game.result(s, order[0])
        here = known(game, s)
    return line
