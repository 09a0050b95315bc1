"""Solving games with something hidden: equilibria, what a strategy is worth, and matrix games exactly.

>>> from counterplay import games, solve
>>> solve.equilibrium(games.load("kuhn_poker"), iterations=100).game.name
'kuhn_poker'
"""

from counterplay.solve.cfr import METHODS, Cfr, Responses, respond
from counterplay.solve.equilibrium import SAMPLING, equilibrium, exploitability, remembered
from counterplay.solve.sampling import ExternalSampling
from counterplay.solve.sequences import SequenceForm, Side, Size, TooLarge, measure, unfold
from counterplay.solve.strategy import About, Row, Strategy

__all__ = [
    "METHODS",
    "SAMPLING",
    "About",
    "Cfr",
    "ExternalSampling",
    "Responses",
    "Row",
    "SequenceForm",
    "Side",
    "Size",
]
__all__ += ["Strategy", "TooLarge", "equilibrium", "exploitability", "measure", "remembered", "respond", "unfold"]
