"""Go, by area scoring."""

from counterplay.games.go.rules import Go

__all__ = ["Go"]
