"""Small games solved strongly: every state that can come about, with its value and how far the end is.

A game that does not number its positions is walked through once, depth first. A state is found again by the hash of all
of it, so that its number is its place in a hash table, whose words are side by side in one piece of memory:

    word 0    the hash of the state; 0: the place is free
    word 1    plies << 4 | who is to move << 2 | result for that player; OPEN while its moves are looked at
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.game import Game
from counterplay.core.primitives import load, state_key, store
from counterplay.core.records import new_record, record_type
from counterplay.native import native
from counterplay.search.limits import DEEPEST
from counterplay.search.run import run
from counterplay.search.suited import must_be_opponents
from counterplay.solve.tables.build import News, Progress
from counterplay.solve.tables.files import Slice, packed, save_table
from counterplay.solve.tables.probe import DRAW, LOSS, WIN

__all__ = ["MOST_STATES", "explore"]

MOST_STATES = 50_000_000
"""States of a game that is walked through; each takes 32 bytes or more meanwhile."""
_FIRST_PLACES = 1 << 16
_OPEN = -1
_WALK = record_type(
    [(name, np.int64) for name in ("nodes", "stop", "table", "mask", "full", "cycle", "deep", "scored", "moves")]
)

RANK = (0, LOSS, DRAW, WIN)
"""Ranks by result, and results by rank: a loss is 1 in both, a draw is 2 by rank, a win 3."""


@native
def walk(game, s, depth, w):  # type: ignore[no-untyped-def]
    """What `s` is worth to player 0: `plies << 2 | result`."""
    key = state_key(s)
    at = key & w.mask
    while load(w.table, 2 * at) != 0 and load(w.table, 2 * at) != key:
        at = at + 1 & w.mask
    if load(w.table, 2 * at) == key:
        word = load(w.table, 2 * at + 1)
        if word == _OPEN:
            w.cycle, w.stop = 1, 1
            return DRAW
        return word >> 4 << 2 | turned(word & 3, word >> 2 & 3)
    w.nodes += 1
    if 2 * w.nodes > w.mask:
        w.full, w.stop = 1, 1
    if depth == DEEPEST:
        w.deep, w.stop = 1, 1
    store(w.table, 2 * at, key)
    store(w.table, 2 * at + 1, _OPEN)
    if game.is_terminal(s):
        u, low, high = game.utility(s, 0), game.utility_range[0], game.utility_range[1]
        result = WIN if u == high else LOSS if u == low else DRAW
        if result == DRAW and u != game.utility_sum / game.players:
            w.scored, w.stop = 1, 1
        store(w.table, 2 * at + 1, result)
        return result
    p = game.player(s)
    best, plies = 0, 0
    for a in game.actions(s):
        if w.stop:
            break
        w.moves += 1
        found = walk(game, game.result(s, a), depth + 1, w)
        rank, left = RANK[turned(found & 3, p)], (found >> 2) + 1
        if rank > best or (rank == best and (left < plies if rank == RANK[WIN] else left > plies)):
            best, plies = rank, left
    result = RANK[best]
    plies = 0 if result == DRAW else plies
    store(w.table, 2 * at + 1, plies << 4 | p << 2 | result)
    return plies << 2 | turned(result, p)


def turned(result: int, p: int) -> int:
    """A result for player 0 as player `p` sees it, or the other way round."""
    return result if p == 0 or result == DRAW else WIN + LOSS - result


def explore(game: Game, file: Path, most: int = MOST_STATES, progress: Progress | None = None) -> None:
    """Solve all of a small game, and write its table to a file."""
    must_be_opponents(game, "a table")
    if game.chance or game.players != 2:
        raise UserError(f"a table of all positions is for two players without chance, which {game} is not")
    places = _FIRST_PLACES
    while True:
        w, table = new_record(_WALK), np.zeros(2 * places, np.int64)
        w.table, w.mask = table.ctypes.data, places - 1
        _walk_in_a_thread(game, w, progress)
        if w.cycle or w.deep:
            raise UserError(
                f"in {game} positions come again, or games have no end: to make a table, "
                "number its positions by `positions`, `position(i)` and `index(s)`"
            )
        if w.scored:
            raise UserError(f"{game} ends with more than a win, a draw or a loss, which is all that a table knows")
        if not w.full:
            break
        if places > most:
            raise UserError(f"{game} has more than {places // 2:,} positions, too many for a table of all of them")
        places *= 4
    if w.stop:
        raise KeyboardInterrupt
    _save(game, file, table.reshape(-1, 2), int(w.moves))


def _walk_in_a_thread(game: Game, w: Any, progress: Progress | None) -> None:
    """Walk through the game on a deep stack, so that somebody can end it."""
    tell = None if progress is None else lambda w: progress(News("all", "walk", int(w.nodes), 0))
    run(lambda: walk(game, game.initial(), 0, w), w, tell)


def _save(game: Game, file: Path, table: Any, moves: int) -> None:
    keys = table[:, 0].copy()
    words = np.where(keys == 0, 0, table[:, 1])
    results, plies = (words & 3).astype(np.uint8), words >> 4
    in_bits = packed(results, plies.astype(np.uint16))
    totals = np.bincount(results, minlength=4)
    about = {
        "game": str(game),
        "name": "all",
        "positions": int(totals[1:].sum()),
        "wins": int(totals[WIN]),
        "draws": int(totals[DRAW]),
        "losses": int(totals[LOSS]),
        "longest": int(plies.max()),
        "moves": moves,
    }
    save_table(file, about, {0: Slice(in_bits.results, in_bits.plies, keys)})
