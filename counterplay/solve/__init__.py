"""Solving games with something hidden: equilibria, what a strategy is worth, and matrix games exactly.

>>> from counterplay import games, solve
>>> solve.equilibrium(games.load("kuhn_poker"), iterations=100).game.name
'kuhn_poker'
"""

from counterplay.solve.cfr import METHODS, Cfr, Responses, respond
from counterplay.solve.equilibrium import OUTCOME, SAMPLING, equilibrium, exploitability, remembered, resolver, worth
from counterplay.solve.evolution import evolution_svg, is_attracting, replicate
from counterplay.solve.leaf_network import LeafNetwork, train_network
from counterplay.solve.matrix import Analysis, Elimination, Equilibrium, analyse, dominance, equilibria, is_matrix
from counterplay.solve.resolving import RESOLVING, LeafValues, Nested, Resolver
from counterplay.solve.sampling import ExternalSampling, OutcomeSampling
from counterplay.solve.sequences import SequenceForm, Side, Size, TooLarge, measure, unfold
from counterplay.solve.strategy import About, Mixed, Row, Strategy
from counterplay.solve.subgames import Leaf, Trunk, cut

__all__ = ["METHODS", "OUTCOME", "RESOLVING", "SAMPLING", "About", "Analysis", "Cfr", "Elimination"]
__all__ += ["Equilibrium", "ExternalSampling", "Leaf", "LeafNetwork", "LeafValues", "Mixed", "Nested"]
__all__ += ["OutcomeSampling", "Resolver", "Responses", "Row", "SequenceForm", "Side", "Size", "Strategy"]
__all__ += ["TooLarge", "Trunk", "analyse", "cut", "dominance", "equilibria", "equilibrium", "evolution_svg"]
__all__ += [
    "exploitability",
    "is_attracting",
    "is_matrix",
    "measure",
    "remembered",
    "replicate",
    "resolver",
    "respond",
    "train_network",
    "unfold",
    "worth",
]
