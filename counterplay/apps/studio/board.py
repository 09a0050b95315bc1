"""A position for the page: its picture, and what clicks on its cells mean.

No game says how it is clicked. The boards before and after an action say which cells it changes. A piece that leaves
one cell and stands on another has been moved: click it, then where it goes. Anything else is put down: click there.
Actions that clicks cannot tell apart are told apart by their names, and so are those that change no cell. A game that
draws itself may say by `spots` where its picture is clicked.
"""

from __future__ import annotations

import re
import time
from collections.abc import Container, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from counterplay.core import drawing
from counterplay.core.game import CHANCE, Game, Position, listed_actions
from counterplay.core.randomness import new_random, word

__all__ = ["clicks", "moves", "picture", "steps"]

Board = Sequence[Sequence[str]]
Cell = tuple[int, int]

_EMPTY = ". "
_MOST_CLICKED = 400
"""Actions of a state whose cells are looked for; where there are more, they have names only."""
_LEARN_SECONDS, _LEARN_PLIES = 0.2, 12


def picture(game: Game, s: Any, before: Any = None) -> dict[str, Any]:
    """How the page draws a position: an image, where its cells are, or only a text; the last move is marked."""
    here = Position(game, s)
    here.history = () if before is None else (before,)
    if (drawn := game.svg(s)) is not None:
        return {"svg": drawn, "text": game.show(s), "spots": game.spots(s)}
    board = game.board(s)
    if board is None:
        return {"text": game.show(s)}
    columns, rows = game.labels()
    return {
        "svg": drawing.board_svg(board, columns, rows, game.look, here.marked()),
        "text": game.show(s),
        "cells": ["".join(row) for row in board],
        "columns": list(columns),
        "rows": list(rows),
        "left": 24 if rows else 4,  # as `board_svg` has it: a cell is 40 wide, with names beside and below
        "below": 24 if columns else 4,
    }


def moves(game: Game, s: Any) -> list[dict[str, Any]]:
    """The legal actions by their names, each with the `clicks` that mean it, cell after cell, if there are any."""
    actions = [int(a) for a in listed_actions(game, s)]
    board = game.board(s)
    found: list[dict[str, Any]] = [{"name": game.action_name(s, a), "clicks": []} for a in actions]
    if board is None and (spots := game.spots(s)):
        for each in found:
            each["steps"] = steps(each["name"], spots)
    if board is None or len(actions) > _MOST_CLICKED or game.player(s) == CHANCE:
        return found
    own = _own_pieces(game)[game.player(s)]
    ways = [clicks(board, _board(game, game.result(s, a)), own) for a in actions]
    exact = {frozenset(way) for of, size in ways if size == 2 for way in of if len(way) == 2}
    for each, (of, size) in zip(found, ways, strict=True):
        # A king that castles passes where the rook could go by itself: the lesser move has that click.
        each["clicks"] = [way for way in of if size <= 2 or frozenset(way) not in exact]
    if _fills_columns(game):
        for each in found:
            for ((_, column),) in each["clicks"]:
                each["column"] = column
    return found


def steps(name: str, spots: Container[str]) -> list[list[str]]:
    """The steps, from spot to spot, that a move's name has: `13/10(2) 8/5*/2`; none if it has others than `spots`."""
    found: list[list[str]] = []
    for part in name.split():
        times = re.search(r"\((\d+)\)", part)
        places = [re.sub(r"\(\d+\)|\W", "", place) for place in part.split("/")]
        if len(places) < 2 or not all(place in spots for place in places):
            return []
        found += [list(pair) for pair in pairwise(places)] * (int(times[1]) if times else 1)
    return found


def clicks(before: Board, after: Board, own: frozenset[str] = frozenset()) -> tuple[list[list[Cell]], int]:
    """The ways to click an action that makes `after` of `before`, and how many cells it changes.

    `own`: pieces that the player moves elsewhere in the game, so that one that changes as it moves, a pawn that
    becomes a queen, is known to have been moved.
    """
    differ = {
        (r, c): (old, new)
        for r, rows in enumerate(zip(before, after, strict=True))
        for c, (old, new) in enumerate(zip(*rows, strict=True))
        if old != new
    }
    put = [cell for cell, (_, new) in differ.items() if new not in _EMPTY]
    fresh = [cell for cell in put if differ[cell][0] in _EMPTY]
    to = fresh or put  # where something was put on an empty cell, what turned over was not clicked
    left = [cell for cell, (old, _) in differ.items() if old not in _EMPTY and cell not in fresh]
    moved = [[f, t] for f in left for t in to if f != t and differ[f][0] == differ[t][1]]
    if not moved:
        moved = [[f, t] for f in left for t in to if f != t and differ[f][0] in own]
    if moved:
        return moved, len(differ)
    return [[cell] for cell in (to or left)], len(differ)


def _board(game: Game, s: Any) -> Board:
    board = game.board(s)
    assert board is not None  # it had one a move ago
    return board


@lru_cache(maxsize=256)
def _own_pieces(game: Game) -> tuple[frozenset[str], ...]:
    """For each player the pieces that are seen to move in a few random plies."""
    found: list[set[str]] = [set() for _ in range(game.players)]
    random, s, until = new_random(0), game.initial(), time.monotonic() + _LEARN_SECONDS
    for _ in range(_LEARN_PLIES):
        if game.is_terminal(s) or time.monotonic() > until:
            break
        actions, p, board = listed_actions(game, s), game.player(s), _board(game, s)
        if p != CHANCE:
            for a in actions[:_MOST_CLICKED]:
                after = _board(game, game.result(s, a))
                for way in clicks(board, after)[0]:
                    if len(way) == 2:
                        (r, c), _ = way
                        found[p].add(board[r][c])
        s = game.result(s, actions[word(random) * len(actions) >> 32])
    return tuple(map(frozenset, found))


@lru_cache(maxsize=256)
def _fills_columns(game: Game) -> bool:
    """Whether a click anywhere in a column is clear: at the beginning each column has at most one cell to fill."""
    s = game.initial()
    board = game.board(s)
    if board is None or len(board) < 2 or game.is_terminal(s) or game.player(s) == CHANCE:
        return False
    ways = [clicks(board, _board(game, game.result(s, a)))[0] for a in listed_actions(game, s)[:_MOST_CLICKED]]
    cells = [way[0] for of in ways for way in of if len(of) == 1 and len(way) == 1]
    return len(cells) == len(ways) > 1 and len({column for _, column in cells}) == len(cells)
