"""Players, matches and sessions: who plays, who is stronger by how much, and a game that people take part in."""

from counterplay.arena.clock import Clock
from counterplay.arena.levels import LEVELS, Level
from counterplay.arena.match import GameRecord, Score, match
from counterplay.arena.players import Player, new_player
from counterplay.arena.ratings import Rating, Ratings, ratings
from counterplay.arena.saved import SavedGame
from counterplay.arena.session import HUMAN, Choice, Ending, Session
from counterplay.arena.sprt import Sprt

__all__ = ["HUMAN", "LEVELS", "Choice", "Clock", "Ending", "GameRecord", "Level", "Player", "Rating", "Ratings"]
__all__ += ["SavedGame", "Score", "Session", "Sprt", "match", "new_player", "ratings"]
