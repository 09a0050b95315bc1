"""Solving games with something hidden: equilibria, what a strategy is worth, and matrix games exactly.

>>> from counterplay import games, solve
>>> solve.equilibrium(games.load("kuhn_poker"), iterations=100).game.name
'kuhn_poker'
"""

from counterplay.solve.cfr import METHODS, Cfr, Responses, respond
from counterplay.solve.equilibrium import SAMPLING, equilibrium, exploitability, remembered, worth
from counterplay.solve.matrix import Analysis, Elimination, Equilibrium, analyse, dominance, equilibria, is_matrix
from counterplay.solve.sampling import ExternalSampling
from counterplay.solve.sequences import SequenceForm, Side, Size, TooLarge, measure, unfold
from counterplay.solve.strategy import About, Row, Strategy

__all__ = ["METHODS", "SAMPLING", "About", "Analysis", "Cfr", "Elimination", "Equilibrium", "ExternalSampling"]
__all__ += ["Responses", "Row", "SequenceForm", "Side", "Size", "Strategy", "TooLarge", "analyse", "dominance"]
__all__ += ["equilibria", "equilibrium", "exploitability", "is_matrix", "measure", "remembered", "respond", "unfold"]
__all__ += ["worth"]
