"""The memory of one thread's alpha-beta search, and the order in which it looks at moves."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import Game, UserError
from counterplay.core.primitives import list_actions, load, store
from counterplay.core.records import new_record, record_type
from counterplay.search.exact.memory import is_solvable
from counterplay.search.limits import DEEPEST
from counterplay.search.repetition import PAST
from counterplay.search.run import NO_LIMIT
from counterplay.search.table import NO_ACTION, TranspositionTable, table_key

__all__ = [
    "BUSY",
    "PLIES",
    "REFINEMENTS",
    "SELECTIVE",
    "WIDTH",
    "Refinement",
    "forget",
    "new_workspace",
    "order_moves",
    "reward",
    "set_strict",
    "show_busy",
    "take_free",
    "take_next",
    "use_refinements",
    "useful_refinements",
]

PLIES = 256
"""The longest line."""
WIDTH = 512
"""The most actions in a state."""
BUSY = 1 << 12
"""Places in which threads show what they are looking at."""
_HISTORY = 4096
_MOST_HISTORY = 1 << 20
_KNOWLEDGE = 1e9  # what a unit of priority or evaluation counts more than any history


class Refinement(NamedTuple):
    """What a refinement of alpha-beta does, and which games it is of use for."""

    purpose: str
    suits: Callable[[Game], bool] = lambda game: True
    orders: bool = False
    """Whether it has a say in the order of moves."""


REFINEMENTS = {
    "table": Refinement("remember states, and the best move of the depth before", orders=True),
    "priority": Refinement("order by the game's own priority", lambda game: game.knows.priority, orders=True),
    "killers": Refinement("order by what refuted a sibling", orders=True),
    "history": Refinement("order by what refuted anything anywhere", orders=True),
    "successors": Refinement(
        "order by the evaluation of where a move leads",
        lambda game: game.knows.evaluate and not game.knows.priority,
        orders=True,
    ),
    "scout": Refinement("after the first move only ask whether another is better (principal variation search)"),
    "bounds": Refinement("stop at the best utility there is"),
    "quiescence": Refinement(
        "at the depth limit follow noisy moves until the position is quiet", lambda game: game.knows.is_noisy
    ),
    "deepening": Refinement("one ply deeper each time"),
    "aspiration": Refinement("expect the value of the depth before"),
    "reductions": Refinement("look at late moves less deeply first", lambda game: game.reduces_late),
    "null_move": Refinement("where even passing is too good, stop", lambda game: game.knows.passed),
    "exact": Refinement("solve the rest of the game by a search without estimates", is_solvable),
    "repetition": Refinement("a position that comes again is a draw", lambda game: game.knows.reversible),
}
"""All of them by name. A new one is a line here, a step of the kernel that asks `w.use_NAME`, and its test."""

SELECTIVE = frozenset({"reductions", "null_move"})
"""Those that look at less than the depth says, and so may hide a win."""

_COUNTS = ("nodes", "most_nodes", "cutoffs", "unused", "stop", "within", "too_wide", "strange", "is_strict")
_PLACES = ("table_at", "mask", "age", "busy_at", "past")
_MOVES = ("action", "order", "is_asked", "is_seen", "is_exact", "proof", "lengths")
_ROOT = ("is_over", "player", "choices", "seen_depth", "multi", "asked", "best", "root_within", "is_finished")
_WORKSPACE = record_type(
    [(name, np.int64) for name in (*_COUNTS, *_PLACES, *_ROOT, "is_expected")]
    + [(f"use_{name}", np.int64) for name in (*REFINEMENTS, "order")]
    + [(name, np.float64) for name in ("unknown", "least", "most", "expected", "found")]
    + [
        (name, np.int64, (WIDTH,))
        for name in ("action", "order", "is_asked", "is_seen", "is_exact", "proof", "lengths")
    ]
    + [(name, np.float64, (WIDTH,)) for name in ("worth", "top")]
    + [
        ("moves", np.int64, (PLIES, WIDTH)),
        ("scores", np.float64, (PLIES, WIDTH)),
        ("killers", np.int64, (PLIES, 2)),
        ("history", np.int64, (2, _HISTORY)),
        ("line", np.int64, (PLIES + 1, PLIES + 1)),
        ("length", np.int64, (PLIES + 1,)),
        ("path", np.int64, (PAST + PLIES,)),
        ("lines", np.int64, (WIDTH, PLIES + 1)),
    ]
)


def useful_refinements(game: Game) -> tuple[str, ...]:
    """The refinements that can do something for a game; some need what the game may not know."""
    return tuple(name for name, refinement in REFINEMENTS.items() if refinement.suits(game))


def new_workspace(game: Game, table: TranspositionTable | None, without: frozenset[str]) -> Any:
    """Fresh memory with the refinements switched on that are not in `without` and of use for the game."""
    for name in without:
        if name not in REFINEMENTS:
            raise UserError(f"there is no refinement '{name}'; there are: {', '.join(REFINEMENTS)}")
    w = new_record(_WORKSPACE)
    if table is not None:
        w.table_at, w.mask = table.address, table.mask
    w.most_nodes = NO_LIMIT
    w.unused = DEEPEST
    forget(w)
    use_refinements(game, w, without)
    return w


def use_refinements(game: Game, w: Any, without: frozenset[str]) -> None:
    """Switch on the refinements that are not in `without` and of use for the game; the rest off."""
    useful = useful_refinements(game)
    for name in REFINEMENTS:
        w[f"use_{name}"] = name in useful and name not in without and (name != "table" or w.table_at != 0)
    w.use_order = any(w[f"use_{name}"] for name, refinement in REFINEMENTS.items() if refinement.orders)


def set_strict(w: Any, unknown: float) -> None:
    """From now on only what is proven counts: `unknown` stands for every estimate."""
    w.is_strict, w.unknown = 1, unknown


def forget(w: Any) -> None:
    """Drop what was learned of the order of moves."""
    w.history[:] = 0
    w.killers[:] = NO_ACTION


# ---- compiled with the search


def order_moves(game: Any, s: Any, p: int, depth: int, ply: int, known: int, noisy_only: bool, w: Any) -> int:
    """List the actions of `s`, or the noisy ones, with a score each, larger to be looked at earlier; how many they are.

    First the best move of an earlier visit; then by the game's priority or else the evaluation of the successor; what
    is equal in that by killers and history. (Connect Four at 16 plies: to mix history into the priority made the tree
    three times as large.)
    """
    n = list_actions(game, s, w.moves[ply])
    if n > WIDTH:
        w.too_wide, w.stop, n = 1, 1, WIDTH
    chosen = 0
    for i in range(n):
        a = int(w.moves[ply, i])
        if game.knows.is_noisy and noisy_only and not game.is_noisy(s, a):
            continue
        w.moves[ply, chosen] = a
        if w.use_order:
            score = 0.0
            if game.knows.priority and w.use_priority:
                score = _KNOWLEDGE * game.priority(s, a)
            elif game.knows.evaluate and w.use_successors and depth > 1:
                score = _KNOWLEDGE * game.evaluate(game.result(s, a), p)
            if w.use_killers and (a == w.killers[ply, 0] or a == w.killers[ply, 1]):
                score += 2.0 * _MOST_HISTORY
            if w.use_history:
                score += w.history[p, a & (_HISTORY - 1)]
            if a == known:
                score = inf
            w.scores[ply, chosen] = score
        chosen += 1
    return chosen


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


def take_free(game: Any, s: Any, ply: int, i: int, n: int, w: Any) -> int:
    """The next move as `take_next` has it, but last those that another thread is looking at.

    When we come back to them, what the other thread found is in the table (a simple form of ABDADA, Weill 1996; after
    an idea of Kerrigan's). It does not matter if a note is overwritten or out of date: then both look.
    """
    a = take_next(ply, i, n, w)
    while i > 0 and w.scores[ply, i] > -inf:
        key = table_key(game, game.result(s, a))
        if load(w.busy_at, key & (BUSY - 1)) != key:
            break
        w.scores[ply, i] = -inf
        a = take_next(ply, i, n, w)
    return a


def show_busy(key: int, is_busy: bool, w: Any) -> None:
    """Tell the other threads that this one looks at a state, or does so no more."""
    store(w.busy_at, key & (BUSY - 1), key if is_busy else 0)


def reward(p: int, a: int, depth: int, ply: int, w: Any) -> None:
    """Note that action `a` was good enough to end the search of a state."""
    if w.use_killers and w.killers[ply, 0] != a:
        w.killers[ply, 1] = w.killers[ply, 0]
        w.killers[ply, 0] = a
    if w.use_history:
        weight = min(depth, PLIES)
        seen = w.history[p, a & (_HISTORY - 1)] + weight * weight
        w.history[p, a & (_HISTORY - 1)] = seen
        if seen > _MOST_HISTORY:
            for i in range(_HISTORY):
                w.history[p, i] //= 2
