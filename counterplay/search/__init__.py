"""Searches: one file an algorithm. Each returns a `Result`."""

from counterplay.core.randomness import new_random
from counterplay.search.algorithms import ALGORITHMS, ENGINES, best_for, new_engine, strongest
from counterplay.search.alphabeta.engine import REFINEMENTS, AlphaBeta, alphabeta
from counterplay.search.best_first.engine import BestFirst, best_first
from counterplay.search.engine import Abilities, Engine
from counterplay.search.ismcts.engine import Determinised, InformationSets, ismcts, pimc
from counterplay.search.ismcts.worlds import imagine
from counterplay.search.limits import Limits
from counterplay.search.mcts.engine import MonteCarlo, TreeSettings, mcts
from counterplay.search.perft import count_games, perft, perft_split
from counterplay.search.plain.expectimax import Expectimax, expectimax
from counterplay.search.plain.expectiminimax import Expectiminimax, expectiminimax
from counterplay.search.plain.maxn import MaxN, maxn
from counterplay.search.plain.minimax import Minimax, minimax
from counterplay.search.plain.paranoid import Paranoid, paranoid
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
from counterplay.search.run import Job

__all__ = [
    "ALGORITHMS",
    "ENGINES",
    "REFINEMENTS",
    "Abilities",
    "ActionValue",
    "AlphaBeta",
    "BestFirst",
    "Determinised",
    "Deviations",
    "Engine",
    "Expectimax",
    "Expectiminimax",
    "InformationSets",
    "Job",
    "Limits",
    "MaxN",
    "Minimax",
    "MonteCarlo",
    "Paranoid",
    "Policy",
    "Result",
    "TreeSettings",
    "Unsuited",
    "alphabeta",
    "best_first",
    "best_for",
    "best_response",
    "count_games",
    "expectimax",
    "expectiminimax",
    "imagine",
    "ismcts",
    "maxn",
    "mcts",
    "mean_utility",
    "minimax",
    "minimax_policies",
    "new_engine",
    "new_random",
    "no_gain_by_deviating",
    "paranoid",
    "perft",
    "perft_split",
    "pimc",
    "playout",
    "random_action",
    "strongest",
    "value_of",
    "worst_case",
]
