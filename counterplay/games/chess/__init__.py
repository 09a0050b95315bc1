"""Chess, by the Laws of FIDE."""

from counterplay.games.chess.rules import Chess

__all__ = ["Chess"]
