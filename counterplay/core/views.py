"""What one player may see of a state of a game with something hidden.

A view is made of the player's `information` and of the moves that he has, and of nothing else. So whoever is handed a
view, a program or a person, cannot tell more than the rules allow, and two states that the player cannot tell apart
have equal views.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.core import drawing
from counterplay.core.game import CHANCE, Game, UserError, listed_actions
from counterplay.core.primitives import mix64, state_key
from counterplay.core.texts import field_text

__all__ = ["View", "information_key", "view"]


class View(NamedTuple):
    """What one player knows: it prints as the game shows it, and draws itself in a notebook."""

    game: Game
    seat: int
    """Whose view it is; CHANCE is a spectator, who sees what everybody sees."""
    known: Any
    """The player's `information`."""
    moves: dict[str, int]
    """The actions that the player has, by their names; none if it is not his turn."""
    utility: float | None
    """What the player got, when the game is over."""

    @property
    def key(self) -> int:
        """The number of what is known."""
        return information_key(self.known, self.seat)

    def __str__(self) -> str:
        return self.game.show_information(self.known, self.seat)

    def _repr_svg_(self) -> str:
        return self.game.svg_information(self.known, self.seat) or drawing.text_svg(str(self))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        known = {"known": field_text(tuple(self.known)), "shown": str(self)}
        return {"game": str(self.game), "seat": self.seat, **known, "moves": list(self.moves), "utility": self.utility}


def view(game: Game, s: Any, p: int) -> View:
    """The state `s` as player `p` sees it."""
    if not CHANCE <= p < game.players:
        raise UserError(f"{game} has seats 0 to {game.players - 1}, not {p}")
    over, moves = game.is_terminal(s), {}
    if not over and p != CHANCE and game.player(s) == p:
        moves = {game.action_name(s, int(a)): int(a) for a in listed_actions(game, s)}
    utility = float(game.utility(s, p)) if over and p != CHANCE else None
    return View(game, p, game.information(s, p), moves, utility)


def information_key(known: Any, p: int) -> int:
    """The number by which what player `p` knows is found again; the same compiled and interpreted."""
    return mix64(state_key(known) ^ p)
