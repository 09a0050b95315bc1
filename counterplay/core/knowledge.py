"""Which methods of a game are optional knowledge, and which are for people only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["FOR_PEOPLE", "KNOWLEDGE", "for_people", "knowledge"]

KNOWLEDGE: list[str] = []
"""The optional methods that tell a search, or whoever learns, more; `game.knows` says which of them a game gives."""

FOR_PEOPLE: set[str] = {"arrows", "look", "player_names", "scored", "unit", "win_word"}
"""What only people see: it is never compiled, and an edit of it changes no machine code."""

_Method = TypeVar("_Method", bound=Callable[..., Any])


def knowledge(method: _Method) -> _Method:
    """Declare a method of `Game` to be one that a game may know."""
    KNOWLEDGE.append(method.__name__)
    return method


def for_people(method: _Method) -> _Method:
    """Declare a method of `Game` to be for people."""
    FOR_PEOPLE.add(method.__name__)
    return method
