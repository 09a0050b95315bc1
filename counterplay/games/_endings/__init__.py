"""The endings of games, numbered, so that a table can hold what each position is worth.

A numbering gives a game three rules more, of which a number is `slice << SLICE_AT | place in the slice`:

    index(s)             the number of a state; -1 if the numbering has none for it
    position(i)          the state of a number, as the player to move sees it
    is_position(i)       whether there is such a state at all

Slices are what is solved one after the other: captures and promotions lead to slices that were solved before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from counterplay.core.game import Game

__all__ = ["PLACE", "SLICE_AT", "Numbering", "Unit", "numbering"]

SLICE_AT = 40
"""The bit at which the slice's number begins."""
PLACE = (1 << SLICE_AT) - 1


class Unit(NamedTuple):
    """Slices that are solved together, because moves lead from each to the other."""

    name: str
    slices: tuple[int, ...]
    pieces: int
    needs: tuple[str, ...]
    """The units that moves out of this one lead to."""


class Numbering(NamedTuple):
    """How the endings of a game are numbered."""

    rules: dict[str, Any]
    """What the game is extended with."""
    sizes: tuple[int, ...]
    """How many numbers each slice has."""
    units: tuple[Unit, ...]
    """In an order in which none comes before one that it needs."""
    pieces: Callable[[Any], int]
    """How many pieces a state has: tables are near where these are few."""
    usual: int
    """The pieces up to which tables are built if nobody says so."""
    what: str
    """What the tables do not know of, for people; may be empty."""


def _checkers(game: Game) -> Numbering:
    from counterplay.games._endings.checkers import numbering

    return numbering()


def _chess(game: Game) -> Numbering | None:
    from counterplay.games._endings.chess import numbering

    return numbering() if game.settings == game.parameters else None


def _backgammon(game: Game) -> Numbering:
    from counterplay.games._endings.backgammon import numbering

    return numbering()


_KNOWN: dict[str, Callable[[Game], Numbering | None]] = {
    "backgammon": _backgammon,
    "checkers": _checkers,
    "chess": _chess,
}


def numbering(game: Any) -> Numbering | None:
    """How this game's endings are numbered, by us or by its own `positions`, `position`, `index`; None if they are not.

    A game of one's own numbers all its positions from 0 to `positions` - 1, in one slice.
    """
    if type(game).__module__.startswith("counterplay.games.") and game.name in _KNOWN:
        return _KNOWN[game.name](game)
    positions = getattr(game, "positions", None)
    if not isinstance(positions, int) or not hasattr(game, "index") or not hasattr(game, "position"):
        return None
    rules = {"index": type(game).index, "position": type(game).position}
    rules["is_position"] = getattr(type(game), "is_position", _always)
    return Numbering(rules, (positions,), (Unit("all", (0,), 0, ()),), lambda s: 0, 0, "")


def _always(self: Any, i: int) -> bool:
    return True
