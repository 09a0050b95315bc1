"""The memory of one thread's alpha-beta search, and the order in which it looks at moves."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from counterplay.game import Game, UserError
from counterplay.search.limits import DEEPEST
from counterplay.search.table import NO_ACTION, Table

__all__ = ["PLIES", "REFINEMENTS", "WIDTH", "new_workspace", "order_moves", "reward", "take_next"]

PLIES = 256
"""The longest line."""
WIDTH = 512
"""The most actions in a state."""
_HISTORY = 4096
_MOST_HISTORY = 1 << 20
_KNOWLEDGE = 1e9  # what a unit of priority or evaluation counts more than any history

REFINEMENTS = (
    "table",  # remember states, and the best move of the depth before
    "priority",  # order by the game's own priority
    "killers",  # order by what refuted a sibling
    "history",  # order by what refuted anything anywhere
    "successors",  # order by the evaluation of where a move leads
    "scout",  # after the first move only ask whether another is better (principal-variation search)
    "bounds",  # stop at the best utility there is
    "quiescence",  # at the depth limit follow noisy moves until the position is quiet
    "deepening",  # one ply deeper each time
    "aspiration",  # expect the value of the depth before
    "reductions",  # look at late moves less deeply first, where the game says so
    "null_move",  # where even passing is too good, stop, where the game says so
)

_COUNTS = ("nodes", "most_nodes", "cutoffs", "unused", "stop", "proven", "too_wide", "table_at", "mask", "age")
_WORKSPACE = np.dtype(
    [(name, np.int64) for name in _COUNTS]
    + [(f"use_{name}", np.int64) for name in (*REFINEMENTS, "order")]
    + [
        ("moves", np.int64, (PLIES, WIDTH)),
        ("scores", np.float64, (PLIES, WIDTH)),
        ("killers", np.int64, (PLIES, 2)),
        ("history", np.int64, (2, _HISTORY)),
        ("line", np.int64, (PLIES + 1, PLIES + 1)),
        ("length", np.int64, (PLIES + 1,)),
    ]
)


def new_workspace(game: Game, table: Table | None, without: frozenset[str]) -> Any:
    """Fresh memory with the refinements switched on that are not in `without` and of use for the game."""
    for name in without:
        if name not in REFINEMENTS:
            raise UserError(f"there is no refinement '{name}'; there are: {', '.join(REFINEMENTS)}")
    w = np.zeros(1, _WORKSPACE).view(np.recarray)[0]
    knows = game.knows
    useful = {
        "table": table is not None,
        "priority": knows.priority,
        "successors": knows.evaluate and not knows.priority,
        "quiescence": knows.is_noisy,
        "reductions": game.reduces_late,
        "null_move": knows.passed,
    }
    for name in REFINEMENTS:
        w[f"use_{name}"] = name not in without and useful.get(name, True)
    w.use_order = any(w[f"use_{name}"] for name in ("table", "priority", "killers", "history", "successors"))
    if table is not None:
        w.table_at, w.mask = table.address, table.mask
    w.most_nodes = (1 << 62) - 1
    w.unused = DEEPEST
    w.killers[:] = NO_ACTION
    return w


# ---- compiled with the search


def order_moves(game: Any, s: Any, p: int, depth: int, ply: int, known: int, w: Any) -> int:
    """List the actions of `s` with a score each, larger to be looked at earlier; how many there are.

    First the best move of an earlier visit; then by the game's priority or else the evaluation of the successor; what
    is equal in that by killers and history. (Connect Four at 16 plies: to mix history into the priority made the tree
    three times as large.)
    """
    n = 0
    for a in game.actions(s):
        if n == WIDTH:
            w.too_wide, w.stop = 1, 1
            break
        w.moves[ply, n] = a
        if w.use_order:
            score = 0.0
            if w.use_priority:
                score = _KNOWLEDGE * game.priority(s, a)
            elif w.use_successors and depth > 1:
                score = _KNOWLEDGE * game.evaluate(game.result(s, a), p)
            if w.use_killers and (a == w.killers[ply, 0] or a == w.killers[ply, 1]):
                score += 2.0 * _MOST_HISTORY
            if w.use_history:
                score += w.history[p, a & (_HISTORY - 1)]
            if a == known:
                score = inf
            w.scores[ply, n] = score
        n += 1
    return n


def take_next(ply: int, i: int, n: int, w: Any) -> int:
    """Move number `i` in order; of equal scores the one that the game lists first."""
    if w.use_order:
        best = i
        for j in range(i + 1, n):
            if w.scores[ply, j] > w.scores[ply, best]:
                best = j
        move, score = w.moves[ply, best], w.scores[ply, best]
        for j in range(best, i, -1):
            w.moves[ply, j], w.scores[ply, j] = w.moves[ply, j - 1], w.scores[ply, j - 1]
        w.moves[ply, i], w.scores[ply, i] = move, score
    return int(w.moves[ply, i])


def reward(p: int, a: int, depth: int, ply: int, w: Any) -> None:
    """Note that action `a` was good enough to end the search of a state."""
    if w.use_killers and w.killers[ply, 0] != a:
        w.killers[ply, 1] = w.killers[ply, 0]
        w.killers[ply, 0] = a
    if w.use_history:
        seen = w.history[p, a & (_HISTORY - 1)] + min(depth, PLIES) ** 2
        w.history[p, a & (_HISTORY - 1)] = seen
        if seen > _MOST_HISTORY:
            for i in range(_HISTORY):
                w.history[p, i] //= 2
