"""What must hold of the rules that help a search to solve the rest of a game: each is compared with the plain rules."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

from counterplay.core.game import CHANCE, Game
from counterplay.study.check.examination import Seen
from counterplay.study.check.values import is_finite, listed

__all__ = [
    "finish_is_minimax",
    "glance_is_a_number",
    "plies_left_is_true",
    "sound_actions_are_those_that_do_not_lose",
    "still_possible_is_true",
]

_MOST_NODES = 3_000  # of a position that is played to its end by the plain rules


def plies_left_is_true(game: Game, it: Seen) -> Iterator[str]:
    """`plies_left` is never below 0, and less after every move."""
    if not game.knows.plies_left:
        return
    left = game.plies_left(it.state)
    if left < 0 or (not it.over and left < 1):
        yield f"plies_left says {left}, but the game {'goes on' if not it.over else 'has no fewer than 0 plies left'}"
    for a in it.says["actions"] if not it.over else ():
        if (after := game.plies_left(game.result(it.state, a))) >= left:
            yield f"plies_left says {left}, and after action {a} {after}; it must be less after every move"


def sound_actions_are_those_that_do_not_lose(game: Game, it: Seen) -> Iterator[str]:
    """Where nobody wins at once, `sound_actions` gives the actions after which the other cannot win at once."""
    if not game.knows.sound_actions or it.over or it.says["player"] == CHANCE:
        return
    s, p = it.state, it.says["player"]
    if _wins_at_once(game, s, p):
        return
    given = [int(a) for a in game.sound_actions(s)]
    wanted = [int(a) for a in it.says["actions"] if not _other_wins(game, game.result(s, a), p)]
    if given != wanted:
        yield f"sound_actions gives {listed(given)}, but the actions that do not lose at once are {listed(wanted)}"


def still_possible_is_true(game: Game, it: Seen) -> Iterator[str]:
    """`still_possible` has between its bounds the value of the game, where that is soon found by the plain rules."""
    if not game.knows.still_possible:
        return
    least, most = game.still_possible(it.state)
    v = _value(game, it.state, [_MOST_NODES]) if (least, most) != tuple(game.utility_range) else None
    if v is not None and not least <= v <= most:
        yield f"still_possible says {least:g} to {most:g}, but the value is {v:g}"


def glance_is_a_number(game: Game, it: Seen) -> Iterator[str]:
    """`glance` gives a finite number for every action."""
    for a in it.says["actions"] if game.knows.glance and not it.over else ():
        if not is_finite(v := game.glance(it.state, a)):
            yield f"glance gives {v!r} for action {a}; it must be a finite number"


def finish_is_minimax(game: Game, it: Seen) -> Iterator[str]:
    """`finish` gives the value of the game, or a bound on the right side of the window that it was asked with."""
    if not game.knows.finish or it.over or game.plies_left(it.state) > game.finish_plies:
        return
    v = _value(game, it.state, [_MOST_NODES])
    if v is None:
        return
    least, most = game.utility_range
    windows = [(-inf, inf), (least, most), (least, v), (v, most), *([(v - 1.0, v), (v, v + 1.0)])]
    for low, high in windows:
        found = game.finish(it.state, low, high)
        is_right = found == v if low < v < high else v <= found <= low if v <= low else high <= found <= v
        if not is_right:
            yield f"finish gives {found!r} between {low:g} and {high:g}, but the value is {v!r}"


def _wins_at_once(game: Game, s: Any, p: int) -> bool:
    ends = (game.result(s, a) for a in game.actions(s))
    return any(game.is_terminal(t) and game.utility(t, p) >= game.utility_range[1] for t in ends)


def _other_wins(game: Game, s: Any, p: int) -> bool:
    """Whether after a move of `p` to `s` the other wins with the next, or has won."""
    if game.is_terminal(s):
        return game.utility(s, 1 - p) >= game.utility_range[1]
    return game.player(s) == 1 - p and _wins_at_once(game, s, 1 - p)


def _value(game: Game, s: Any, nodes: list[int]) -> float | None:
    """What `s` is worth to player 0, by plain recursion; None if that takes too many nodes."""
    nodes[0] -= 1
    if nodes[0] < 0:
        return None
    if game.is_terminal(s):
        return float(game.utility(s, 0))
    found = [_value(game, game.result(s, a), nodes) for a in game.actions(s)]
    below = [v for v in found if v is not None]
    return None if len(below) < len(found) else (max if game.player(s) == 0 else min)(below)
