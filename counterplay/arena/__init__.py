"""Players, matches and sessions: who plays, who is stronger by how much, and a game that people take part in."""

from counterplay.arena.levels import LEVELS, Level
from counterplay.arena.match import match
from counterplay.arena.outside import Forfeit, Resignation
from counterplay.arena.players import Player, dismiss, new_player
from counterplay.arena.ratings import Rating, Ratings, ratings
from counterplay.arena.record import GameRecord
from counterplay.arena.saved import SavedGame
from counterplay.arena.score import Score
from counterplay.arena.session import HUMAN, Choice, Ending, Session
from counterplay.arena.sprt import Sprt
from counterplay.arena.sweep import Trial, sweep
from counterplay.arena.timing import Budget, Clock, TimeLeft, allot
from counterplay.arena.tournament import Standings, tournament
from counterplay.arena.tuning import Tuned, tune

__all__ = ["HUMAN", "LEVELS", "Budget", "Choice", "Clock", "Ending", "Forfeit", "GameRecord", "Level", "Player"]
__all__ += ["Rating", "Ratings", "Resignation", "SavedGame", "Score", "Session", "Sprt", "Standings", "TimeLeft"]
__all__ += ["Trial", "Tuned", "allot", "dismiss", "match", "new_player", "ratings", "sweep", "tournament", "tune"]
