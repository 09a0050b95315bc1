"""Engines of any game by UGI, the Universal Game Interface: UCI's words, for whatever has moves with names.

A blank ends a move there, so that a name of several words is joined to one: `24/18_13/11`.
"""

from __future__ import annotations

from typing import Any

from counterplay.arena.outside.uci import Uci
from counterplay.core.game import Game, UserError

__all__ = ["Ugi"]


class Ugi(Uci):
    """An engine of any game for two."""

    kind = "ugi"
    example = "ugi:PROGRAM"
    hello = "ugi"
    side_letters = ("p1", "p2")

    @classmethod
    def must_suit(cls, game: Game) -> None:
        if game.players != 2:
            raise UserError(f"ugi is a protocol for two players; {game} has {game.players}")

    def move_name(self, s: Any, a: int) -> str:
        return self.game.action_name(s, a).replace(" ", "_")
