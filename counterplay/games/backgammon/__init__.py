"""Backgammon, as a money game without the doubling cube."""

from counterplay.games.backgammon.rules import Backgammon

__all__ = ["Backgammon"]
