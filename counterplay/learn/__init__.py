"""Learning to play: models of what a state is worth, and ways to train them.

>>> from counterplay import games, learn
>>> game = games.load("tic_tac_toe")
>>> model = learn.Linear(game)
>>> game.with_model(model).evaluate(game.initial(), 0)
0.0
"""

from __future__ import annotations

from counterplay.learn.convolution import ConvolutionalNetwork
from counterplay.learn.descent import descent
from counterplay.learn.distributed import zero_by_workers
from counterplay.learn.dual import DualNetwork
from counterplay.learn.examples import by_results, by_search, random_states
from counterplay.learn.files import load, save
from counterplay.learn.linear import Linear
from counterplay.learn.model import Model, model_of
from counterplay.learn.network import Network
from counterplay.learn.patterns import Patterns
from counterplay.learn.qlearning import LinearQ, QTable, q
from counterplay.learn.regression import fit
from counterplay.learn.shelf import shipped
from counterplay.learn.sided import SidedNetwork
from counterplay.learn.temporal import td
from counterplay.learn.traces import td_with_traces
from counterplay.learn.zero import zero

__all__ = [
    "ConvolutionalNetwork",
    "DualNetwork",
    "Linear",
    "LinearQ",
    "Model",
    "Network",
    "Patterns",
    "QTable",
    "SidedNetwork",
    "by_results",
    "by_search",
    "descent",
    "fit",
    "load",
    "model_of",
    "q",
    "random_states",
    "save",
    "shipped",
    "td",
    "td_with_traces",
    "zero",
    "zero_by_workers",
]
