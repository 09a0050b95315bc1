"""Searches: one file an algorithm. Each returns a `Result`."""

from counterplay.randomness import new_random
from counterplay.search.algorithms import ALGORITHMS, best_for
from counterplay.search.alphabeta import REFINEMENTS, Searcher, alphabeta
from counterplay.search.expectimax import expectimax
from counterplay.search.expectiminimax import expectiminimax
from counterplay.search.limits import Limits
from counterplay.search.maxn import maxn
from counterplay.search.mcts import TreeSearcher, TreeSettings, mcts
from counterplay.search.minimax import minimax
from counterplay.search.paranoid import paranoid
from counterplay.search.perft import count_games, perft, perft_split
from counterplay.search.playout import mean_utility, playout, random_action
from counterplay.search.policy import (
    Deviations,
    Policy,
    best_response,
    minimax_policies,
    no_gain_by_deviating,
    value_of,
    worst_case,
)
from counterplay.search.result import ActionValue, Result, Unsuited

__all__ = [
    "ALGORITHMS",
    "REFINEMENTS",
    "ActionValue",
    "Deviations",
    "Limits",
    "Policy",
    "Result",
    "Searcher",
    "TreeSearcher",
    "TreeSettings",
    "Unsuited",
    "alphabeta",
    "best_for",
    "best_response",
    "count_games",
    "expectimax",
    "expectiminimax",
    "maxn",
    "mcts",
    "mean_utility",
    "minimax",
    "minimax_policies",
    "new_random",
    "no_gain_by_deviating",
    "paranoid",
    "perft",
    "perft_split",
    "playout",
    "random_action",
    "value_of",
    "worst_case",
]
