"""Perft: how many lines of each length the rules allow. The classic proof that a move generator is right."""

from __future__ import annotations

from typing import Any

from counterplay.core.game import Game, UserError
from counterplay.native import native
from counterplay.search.run import Progress, new_tally, run

__all__ = ["count_games", "perft", "perft_split"]


@native
def lines(game, s, depth, tally):  # type: ignore[no-untyped-def]
    """How many lines of exactly `depth` plies begin at `s`."""
    if depth == 0:
        return 1
    if tally.stop:
        return 0
    if depth == 1:  # whether the game is over need not be asked: then there are no actions
        n = game.count_actions(s)
        tally.nodes += n
        return n
    n = 0
    for a in game.actions(s):
        n += lines(game, game.result(s, a), depth - 1, tally)
    return n


@native
def finished(game, s, depth, tally):  # type: ignore[no-untyped-def]
    """How many lines of at most `depth` plies from `s` reach the end of the game."""
    tally.nodes += 1
    if game.is_terminal(s):
        return 1
    if depth == 0 or tally.stop:
        return 0
    n = 0
    for a in game.actions(s):
        n += finished(game, game.result(s, a), depth - 1, tally)
    return n


def perft(game: Game, s: Any = None, depth: int = 1, progress: Progress | None = None) -> list[int]:
    """The number of lines of 0, 1, ..., `depth` plies from `s` (default: the initial state)."""
    s = game.initial() if s is None else s
    return [_count(lines, game, s, plies, progress) for plies in range(_checked(depth) + 1)]


def perft_split(game: Game, s: Any = None, depth: int = 1, progress: Progress | None = None) -> dict[int, int]:
    """For every action at `s`, the number of lines of `depth` plies that begin with it."""
    s = game.initial() if s is None else s
    if _checked(depth) == 0 or game.is_terminal(s):
        return {}
    return {int(a): _count(lines, game, game.result(s, a), depth - 1, progress) for a in game.actions(s)}


def count_games(game: Game, s: Any = None, depth: int = 1, progress: Progress | None = None) -> int:
    """How many different games from `s` end within `depth` plies."""
    return _count(finished, game, game.initial() if s is None else s, _checked(depth), progress)


def _checked(depth: int) -> int:
    if depth < 0:
        raise UserError(f"a depth is 0 or more, not {depth}")
    return depth


def _count(kernel: Any, game: Game, s: Any, depth: int, progress: Progress | None) -> int:
    """Run a counting kernel; a count cut short would be wrong, so ctrl-C gives none."""
    tally = new_tally()
    kernel(game, s, 0, tally)  # compiles, in this thread, where ctrl-C is heard
    n = int(run(lambda: kernel(game, s, depth, tally), tally, progress))
    if tally.stop:
        raise KeyboardInterrupt
    return n
