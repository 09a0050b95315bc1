"""How protocols write moves, values and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterplay.core.game import Game, UserError
from counterplay.games.chess.notation import uci
from counterplay.games.chess.rules import Chess

__all__ = ["centi", "line_names", "move_name", "read_move", "score", "whole_number"]

_uci: Any = uci  # rules and what belongs to them have no types
_MOST = 30_000
"""Hundredths. No estimate is told as more than that: it would look like a mate."""


def move_name(game: Game, s: Any, a: int) -> str:
    """A move as one word: chess as UCI has it, `e7e8q`; other games by their own names, a blank written as `_`."""
    return str(_uci(a)) if isinstance(game, Chess) else game.action_name(s, a).replace(" ", "_")


def read_move(game: Game, s: Any, text: str) -> int:
    """The legal move of that name."""
    try:
        return int(game.parse_action(s, text))
    except UserError:
        if "_" not in text:
            raise
        return int(game.parse_action(s, text.replace("_", " ")))


def line_names(game: Game, s: Any, line: Sequence[int]) -> list[str]:
    """The moves of a line that begins at `s`."""
    if isinstance(game, Chess):  # their names need no board, which takes longer than a quick search
        return [str(_uci(a)) for a in line]
    names = []
    for a in line:
        names.append(move_name(game, s, a))
        s = game.result(s, a)
    return names


def centi(game: Game, v: float) -> int:
    """The utility `v` in hundredths of the game's unit, such as a pawn; without a unit, of a sure win."""
    low, high = game.utility_range
    x = game.in_units(v)
    if x is None:
        x = (v - 0.5 * (low + high)) / (0.5 * (high - low)) if high > low else 0.0
    return round(100 * min(max(x, -_MOST / 100), _MOST / 100))


def score(game: Game, v: float, within: int | None) -> str:
    """What the player to move gets, as UCI says it: `cp 35`, or `mate -2` if the end is known to come so soon."""
    if within is None or game.scored or v not in game.utility_range:
        return f"cp {centi(game, v)}"
    moves = (within + 1) // 2
    return f"mate {moves if v == game.utility_range[1] else -moves}"


def whole_number(text: str, least: int, most: int) -> int:
    """The number of a text, within bounds."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and least <= int(text) <= most):
        raise UserError(f"'{text}' is no number from {least} to {most}")
    return int(text)
