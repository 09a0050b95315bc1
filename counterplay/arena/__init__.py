"""Players and matches: who plays, and who is stronger by how much."""

from counterplay.arena.levels import LEVELS, Level
from counterplay.arena.match import GameRecord, Score, match
from counterplay.arena.players import Player, new_player
from counterplay.arena.saved import SavedGame

__all__ = ["LEVELS", "GameRecord", "Level", "Player", "SavedGame", "Score", "match", "new_player"]
