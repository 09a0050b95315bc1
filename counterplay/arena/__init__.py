"""Players and matches: who plays, and who is stronger by how much."""

from counterplay.arena.match import GameRecord, Score, match
from counterplay.arena.players import Player, new_player

__all__ = ["GameRecord", "Player", "Score", "match", "new_player"]
