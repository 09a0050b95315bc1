"""Which inputs a model has: the game's own, its terms, or the whole state as one of many.

own      `Game.features`, which has a default for every game
terms    what the hand-made estimate adds up, as the viewer sees it: how Samuel's program learned
table    one input for each state, by its hash: a table of values, for games small enough to be known by heart
"""

from __future__ import annotations

from typing import Any

from counterplay.core.errors import UserError
from counterplay.core.game import Game

__all__ = ["INPUTS", "with_inputs"]

TABLE = 1 << 16
"""The entries of a table; states whose hashes meet there share one."""

INPUTS = ("own", "terms", "table")


def with_inputs(game: Game, which: str) -> Game:
    """The game with these inputs for `features`."""
    if which not in INPUTS:
        raise UserError(f"a model has the inputs {', '.join(INPUTS)}; there is no '{which}'")
    if which == "terms":
        if not game.knows.terms:
            raise UserError(f"{game} has no terms to learn the weights of")
        number = len(game.terms(game.initial()))
        return game.extended(features=of_terms, inputs=number, most_active=number)
    if which == "table":
        return game.extended(features=of_table, inputs=TABLE, most_active=1)
    return game


def of_terms(self: Any, s: Any, on: Any) -> None:
    sign = 1.0 if self.viewer(s) == 0 else -1.0
    terms = self.terms(s)
    for i in range(self.inputs):
        on.add(i, sign * float(terms[i]))


def of_table(self: Any, s: Any, on: Any) -> None:
    on.add(self.key(s) & TABLE - 1)
