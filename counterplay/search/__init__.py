"""Searches: one file an algorithm. Each returns a `Result`."""

from counterplay.search.limits import Limits
from counterplay.search.minimax import minimax
from counterplay.search.perft import count_games, perft, perft_split
from counterplay.search.playout import mean_utility, new_random, playout, random_action
from counterplay.search.result import ActionValue, Result, Unsuited

__all__ = [
    "ActionValue",
    "Limits",
    "Result",
    "Unsuited",
    "count_games",
    "mean_utility",
    "minimax",
    "new_random",
    "perft",
    "perft_split",
    "playout",
    "random_action",
]
