"""Repetition: a position that comes again is a draw, in games that say so by `reversible`.

What came before is no part of a state, so a search keeps the keys of the states on the way to where it is:

    w.path    keys: of the game so far, as far back as it can matter, then of the line that is looked at
    w.past    how many of them belong to the game so far; `w.path[w.past]` is the root

In a game a position is a draw when it comes for the third time (`counterplay.is_repeated`). Within a search once is
enough: a player who can come back once can do so again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from counterplay.core.game import Game

__all__ = ["PAST", "comes_again", "comes_again_on", "draw_value", "set_past"]

PAST = 512
"""The most plies of the game so far that can matter for repetitions."""


def set_past(game: Game, s: Any, history: Sequence[Any], w: Any) -> None:
    """Begin a search of `s`, which the states of `history` have led to: fill `w.path` and `w.past`."""
    back = min(PAST, game.reversible(s)) if game.knows.reversible else 0
    earlier = history[-back:] if back else ()
    w.path[: len(earlier) + 1] = [game.key(each) for each in (*earlier, s)]
    w.past = len(earlier)


def comes_again_on(game: Game, past: Sequence[Any], states: Sequence[Any]) -> bool:
    """Whether a search takes the last of `states`, a line from its root on, for a draw; `past` came before the root."""
    if not game.knows.reversible:
        return False
    path = [game.key(each) for each in (*past, *states)]
    return comes_again(game, states[-1], path[-1], len(states) - 1, _Way(path, len(past)))


class _Way(NamedTuple):
    """The part of a workspace that repetitions are looked for in."""

    path: list[int]
    past: int


# ---- compiled with the search


def comes_again(game: Any, s: Any, key: int, ply: int, w: Any) -> bool:
    """Whether `s` was there on the way from the root, or twice in the game before; from now on it is on the way.

    `key` is its own, `game.key(s)`, which a search has at hand.
    """
    here = w.past + ply
    w.path[here] = key
    seen = 0
    for back in range(2, min(game.reversible(s), here) + 1):
        if w.path[here - back] == key:
            seen += 2 if back <= ply else 1
    return seen > 1


def draw_value(game: Any) -> float:
    """What a draw is worth to each player: an equal share of the utilities."""
    return game.utility_sum / game.players  # type: ignore[no-any-return]
