"""The memory of one thread's alpha-beta search, and which refinements are on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.features import NOTES
from counterplay.core.game import Game, UserError
from counterplay.core.records import new_record, record_type
from counterplay.search.alphabeta.pruning import DEPTHS, NUMBERS, set_numbers
from counterplay.search.exact.memory import is_solvable
from counterplay.search.limits import DEEPEST
from counterplay.search.repetition import PAST
from counterplay.search.run import NO_LIMIT
from counterplay.search.table import NO_ACTION, TranspositionTable

__all__ = [
    "ANSWERS",
    "HISTORY",
    "KINDS",
    "PLANS",
    "PLIES",
    "REFINEMENTS",
    "SELECTIVE",
    "TRIED",
    "WIDTH",
    "Refinement",
    "begin_notes",
    "fade",
    "forget",
    "go_without_notes",
    "new_workspace",
    "notes_before",
    "notes_of",
    "set_strict",
    "use_refinements",
    "useful_refinements",
]

PLIES = 256
"""The longest line."""
WIDTH = 512
"""The most actions in a state."""
HISTORY = 4096
KINDS = 1024
"""Kinds of moves that a game may tell apart, and the last for no move."""
ANSWERS = 2 * HISTORY
PLANS = ANSWERS + KINDS * KINDS
"""Where in `lore` the histories begin of a kind of move after another: after the move before, and the own one before.

What comes first there is the history of moves by player and action."""
LINE = 8
"""Words of a line of the processor's cache, where what an estimate notes begins."""
NOTED = 32
"""Plies that have notes of their own; deeper ones take those of the first again."""
STRIDE = NOTES + 3 * LINE
"""Words from one ply's notes to the next: no power of 2, which would have them all in the same lines of the cache."""
TRIED = 64
"""Moves of a state that are remembered to have been looked at in vain."""


class Refinement(NamedTuple):
    """What a refinement of alpha-beta does, and which games it is of use for."""

    purpose: str
    suits: Callable[[Game], bool] = lambda game: True
    orders: bool = False
    """Whether it has a say in the order of moves."""
    selects: bool = False
    """Whether it looks at less than the depth says, or at more, and so may change a value or hide a win."""


def _selective(game: Game) -> bool:
    return game.selective and game.knows.evaluate


REFINEMENTS = {
    "table": Refinement("remember states, and the best move of the depth before", orders=True),
    "priority": Refinement("order by the game's own priority", lambda game: game.knows.priority, orders=True),
    "killers": Refinement("order by what refuted a sibling", orders=True),
    "history": Refinement("order by what refuted anything anywhere", orders=True),
    "continuations": Refinement(
        "order by what was good after the moves before", lambda game: game.knows.kind, orders=True
    ),
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
    "exact": Refinement("solve the rest of the game by a search without estimates", is_solvable),
    "repetition": Refinement("a position that comes again is a draw", lambda game: game.knows.reversible),
    "reductions": Refinement("look at late moves less deeply first", lambda game: game.selective, selects=True),
    "null_move": Refinement(
        "where even passing is too good, stop", lambda game: _selective(game) and game.knows.passed, selects=True
    ),
    "singular": Refinement("look a ply deeper at a move that no other comes near", _selective, selects=True),
    "urgency": Refinement(
        "look a ply deeper where something must be answered, and answer it in quiescence",
        lambda game: game.selective and game.knows.is_urgent,
        selects=True,
    ),
    "razoring": Refinement(
        "near the depth limit follow noisy moves only where the estimate is much too bad",
        lambda game: _selective(game) and game.knows.is_noisy,
        selects=True,
    ),
    "safety": Refinement("near the depth limit stop where the estimate is much too good", _selective, selects=True),
    "futility": Refinement("near the depth limit leave out quiet moves that cannot help", _selective, selects=True),
    "lateness": Refinement("near the depth limit leave out quiet moves that come late", _selective, selects=True),
    "exchanges": Refinement(
        "near the depth limit leave out captures that lose",
        lambda game: _selective(game) and game.knows.gain and game.knows.is_noisy,
        selects=True,
    ),
    "delta": Refinement(
        "in quiescence leave out captures that win too little",
        lambda game: _selective(game) and game.knows.gain and game.knows.is_noisy,
        selects=True,
    ),
    "hindsight": Refinement("take what the table knows of a state for its estimate", _selective, selects=True),
    "deeper": Refinement("take what the table knows from a deeper search, too", _selective, selects=True),
    "unfinished": Refinement("take a better move from a depth that there was no time to finish", _selective),
}
"""All of them by name. A new one is a line here, a step of the kernel that asks `w.use_NAME`, and its test."""

SELECTIVE = frozenset(name for name, refinement in REFINEMENTS.items() if refinement.selects)
"""Those that do not look at what the depth says, and so may hide a win."""

_COUNTS = ("nodes", "most_nodes", "cutoffs", "unused", "stop", "within", "too_wide", "strange", "is_strict")
_PLACES = ("table_at", "mask", "age", "lore_at", "notes_at", "past", "furthest", "pass_from", "since")
_SHARING = ("busy_at", "thread", "threads", "root_step", "back_to", "last_depth", "stride")
_ROOT = ("is_over", "player", "choices", "seen_depth", "multi", "asked", "best", "root_within")
_FOUND = ("is_finished", "is_better", "is_expected")
_WORKSPACE = record_type(
    [(name, np.int64) for name in (*_COUNTS, *_PLACES, *_SHARING, *_ROOT, *_FOUND)]
    + [(f"use_{name}", np.int64) for name in (*REFINEMENTS, "order", "selection")]
    + [(name, np.float64) for name in ("unknown", "least", "most", "expected", "found", *NUMBERS)]
    + [
        (name, np.int64, (WIDTH,))
        for name in ("action", "order", "later", "is_asked", "is_seen", "is_exact", "proof", "lengths")
    ]
    + [(name, np.float64, (WIDTH,)) for name in ("worth", "top")]
    + [
        ("moves", np.int64, (2 * PLIES, WIDTH)),  # of each ply all or the quiet ones; then of each the noisy ones
        ("scores", np.int64, (2 * PLIES, WIDTH)),
        ("noisy", np.int64, (PLIES,)),
        ("urgent", np.int64, (WIDTH,)),
        ("tried", np.int64, (PLIES, TRIED)),
        ("put_off", np.int64, (PLIES, TRIED)),
        ("ranks", np.int64, (PLIES, TRIED)),
        ("killers", np.int64, (PLIES, 2)),
        ("reductions", np.int64, (DEPTHS, DEPTHS)),
        ("estimates", np.float64, (PLIES,)),
        ("is_cut", np.int64, (PLIES + 1,)),
        ("left_out", np.int64, (PLIES + 1,)),
        ("is_folly", np.int64, (PLIES + 1,)),
        ("kinds", np.int64, (PLIES + 1,)),
        ("came_by", np.int64, (PLIES + 1,)),
        ("tasks", np.int64, (PLIES + 1,)),
        ("noted", np.int64, (PLIES + 1,)),
        ("counters", np.int64, (KINDS,)),
        ("line", np.int64, (PLIES + 1, PLIES + 1)),
        ("length", np.int64, (PLIES + 1,)),
        ("path", np.int64, (PAST + PLIES,)),
        ("lines", np.int64, (WIDTH, PLIES + 1)),
        ("notes", np.int64, (NOTED * STRIDE + LINE,)),
        ("lore", np.int16, (PLANS + KINDS * KINDS,)),
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
    w.furthest = PLIES // 2
    w.lore_at = w.lore.ctypes.data
    w.notes_at = w.notes.ctypes.data + -w.notes.ctypes.data % (8 * LINE)
    w.killers[:] = w.counters[:] = w.left_out[:] = NO_ACTION
    w.kinds[0] = KINDS - 1
    set_numbers(w, {})
    use_refinements(game, w, without)
    return w


def begin_notes(w: Any) -> None:
    """Forget what a model has noted: it may have learned since. Of the root nothing is noted, but what stood two plies
    deeper is still much like the states after its moves."""
    w.notes[:] = 0
    w.noted[0] = 2


def notes_of(ply: int, w: Any) -> int:
    """Where a model makes notes of a state at that ply."""
    return int(w.notes_at + 8 * STRIDE * (ply & (NOTED - 1)))


def notes_before(ply: int, w: Any) -> int:
    """Where it has made notes of the last state on the path that it was asked about; or, if that is here, elsewhere."""
    before = int(w.noted[max(0, ply - 1)])
    return notes_of(before if (before ^ ply) & (NOTED - 1) else ply + 1, w)


def go_without_notes(ply: int, w: Any) -> None:
    """The model is not asked about a state, or not yet: what comes after it goes on from what is before."""
    w.noted[ply] = w.noted[max(0, ply - 1)]


def use_refinements(game: Game, w: Any, without: frozenset[str]) -> None:
    """Switch on the refinements that are not in `without` and of use for the game; the rest off."""
    useful = useful_refinements(game)
    for name in REFINEMENTS:
        w[f"use_{name}"] = name in useful and name not in without and (name != "table" or w.table_at != 0)
    w.use_order = any(w[f"use_{name}"] for name, refinement in REFINEMENTS.items() if refinement.orders)
    w.use_selection = any(w[f"use_{name}"] for name in SELECTIVE)


def set_strict(w: Any, unknown: float) -> None:
    """From now on only what is proven counts: `unknown` stands for every estimate."""
    w.is_strict, w.unknown = 1, unknown


def forget(w: Any) -> None:
    """Drop what was learned of the order of moves."""
    w.lore[: None if w.use_continuations else ANSWERS] = 0
    w.killers[:] = w.counters[:] = NO_ACTION


def fade(w: Any) -> None:
    """A new search begins: what was learned of the order of moves counts less."""
    w.lore[:ANSWERS] >>= 1
