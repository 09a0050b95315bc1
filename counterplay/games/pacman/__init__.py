"""Pacman: one who eats against ghosts who hunt, for the lectures' demonstrations."""

from counterplay.games.pacman.rules import Pacman

__all__ = ["Pacman"]
