"""Solving games with something hidden: equilibria, what a strategy is worth, and matrix games exactly.

>>> from counterplay import games, solve
>>> solve.equilibrium(games.load("kuhn_poker"), iterations=100).game.name
'kuhn_poker'
"""

from counterplay.solve.cfr import METHODS, Cfr, Responses, respond
from counterplay.solve.equilibrium import SAMPLING, equilibrium, exploitability, remembered, resolver
from counterplay.solve.leaf_network import LeafNetwork, train_network
from counterplay.solve.matrix import Analysis, Elimination, Equilibrium, analyse, dominance, equilibria, is_matrix
from counterplay.solve.resolving import RESOLVING, LeafValues, Nested, Resolver
from counterplay.solve.sampling import ExternalSampling
from counterplay.solve.sequences import SequenceForm, Side, Size, TooLarge, measure, unfold
from counterplay.solve.strategy import About, Mixed, Row, Strategy
from counterplay.solve.subgames import Leaf, Trunk, cut

__all__ = ["METHODS", "RESOLVING", "SAMPLING", "About", "Analysis", "Cfr", "Elimination", "Equilibrium"]
__all__ += ["ExternalSampling", "Leaf", "LeafNetwork", "LeafValues", "Mixed", "Nested", "Resolver", "Responses", "Row"]
__all__ += ["SequenceForm", "Side", "Size", "Strategy", "TooLarge", "Trunk", "analyse", "cut", "dominance"]
__all__ += ["equilibria", "equilibrium", "exploitability", "is_matrix", "measure", "remembered", "resolver"]
__all__ += ["respond", "train_network", "unfold"]
