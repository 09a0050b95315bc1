"""Minimax: the value of a game when everyone plays best, by looking at every line.

This is the textbook's function (Russell & Norvig, figure 5.3, with chance nodes as in 5.5). Every later search must
agree with it; none may look at more nodes.
"""

from __future__ import annotations

import time
from math import inf
from typing import Any

from counterplay.game import CHANCE, Game, UserError
from counterplay.native import native
from counterplay.search.result import ActionValue, Result, Unsuited
from counterplay.search.run import DEEPEST, Progress, new_tally, run

__all__ = ["minimax"]


@native
def value(game, s, depth, tally):  # type: ignore[no-untyped-def]
    """What `s` is worth to MAX, `depth` plies ahead: MAX takes the largest, MIN the smallest, CHANCE the mean."""
    tally.nodes += 1
    tally.unused = min(tally.unused, depth)
    if game.is_terminal(s):
        return game.utility(s, 0)
    if depth == 0 or tally.stop:
        tally.cutoffs += 1
        return game.evaluate(s, 0)
    p = game.player(s)
    if game.chance and p == CHANCE:
        v = 0.0
        for a in game.actions(s):
            v += game.probability(s, a) * value(game, game.result(s, a), depth - 1, tally)
    elif p == 0:
        v = -inf
        for a in game.actions(s):
            v = max(v, value(game, game.result(s, a), depth - 1, tally))
    else:
        v = inf
        for a in game.actions(s):
            v = min(v, value(game, game.result(s, a), depth - 1, tally))
    return v


def minimax(game: Game, s: Any = None, depth: int | None = None, progress: Progress | None = None) -> Result:
    """The minimax value of `s` (default: the initial state), exact, or looking `depth` plies ahead.

    At the depth limit the game's `evaluate` stands for the value. Ctrl-C ends the search with the actions that were
    finished by then.
    """
    _must_suit(game)
    if depth is not None and not 1 <= depth <= DEEPEST:
        raise UserError(f"a search looks 1 to {DEEPEST:,} plies ahead, not {depth}")
    s = game.initial() if s is None else s
    plies = depth or DEEPEST
    tally = new_tally(plies)
    value(game, s, 0, new_tally())  # compiles, outside the clock
    began = time.perf_counter()
    v, actions, line = run(lambda: _decide(game, s, plies, tally), tally, progress)
    exact = bool(tally.cutoffs == 0)
    return Result(
        game=game,
        state=s,
        algorithm="minimax",
        action=line[0] if line else None,
        value=v,
        values=_for_each_player(game, v),
        line=line,
        actions=actions,
        nodes=int(tally.nodes),
        depth=plies - int(tally.unused),
        seconds=time.perf_counter() - began,
        exact=exact,
        stopped="interrupted" if tally.stop else "solved" if exact else "depth",
    )


def _must_suit(game: Game) -> None:
    if game.players > 2 or (game.players == 2 and not game.zero_sum):
        kind = f"{game.players} players" if game.players > 2 else "utilities that are not opposite"
        raise Unsuited(f"minimax is for two opponents with opposite utilities; {game} has {kind}")
    if game.simultaneous or not game.perfect_information:
        raise Unsuited(f"minimax needs moves in turn and nothing hidden; {game} is not such a game")


def _for_each_player(game: Game, v: float) -> tuple[float, ...]:
    return (v, game.utility_sum - v) if game.players == 2 else (v,)


def _decide(game: Game, s: Any, depth: int, tally: Any) -> tuple[float, tuple[ActionValue, ...], tuple[int, ...]]:
    """The value, every root action's value, and the principal line."""
    if game.is_terminal(s):
        return float(value(game, s, depth, tally)), (), ()
    tally.nodes += 1
    values: dict[int, float] = {}
    for a in game.actions(s):
        v = value(game, game.result(s, a), depth - 1, tally)
        if tally.stop:
            break
        values[int(a)] = float(v)
    p = game.player(s)
    unknown = game.utility_range[1 if p == 0 else 0]
    actions = tuple(_action_value(game, int(a), values.get(int(a)), unknown) for a in game.actions(s))
    if p == CHANCE:
        return sum(game.probability(s, a) * v for a, v in values.items()), actions, ()
    if not values:
        return float(game.evaluate(s, 0)), actions, (actions[0].action,)
    best = (max if p == 0 else min)(values, key=values.__getitem__)
    return values[best], actions, (best, *_line(game, game.result(s, best), depth - 1, values[best]))


def _action_value(game: Game, a: int, v: float | None, unknown: float) -> ActionValue:
    known = unknown if v is None else v
    return ActionValue(a, known, v is not None, _for_each_player(game, known))


def _line(game: Game, s: Any, depth: int, v: float) -> list[int]:
    """Best play from `s`, whose value is `v`: at each step the first action that keeps the value."""
    line: list[int] = []
    while depth > 0 and not game.is_terminal(s) and game.player(s) != CHANCE:
        depth -= 1
        *others, best = (int(a) for a in game.actions(s))
        for a in others:  # if none of them keeps the value, the last one does
            if value(game, game.result(s, a), depth, new_tally(depth)) == v:
                best = a
                break
        line.append(best)
        s = game.result(s, best)
    return line
