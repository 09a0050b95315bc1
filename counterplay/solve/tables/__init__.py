"""Endgame tables: what every position of an ending is worth, and how far its end is.

>>> from counterplay import games
>>> from counterplay.solve import tables
>>> game = tables.join(games.load("nim"))        # as it is: there is no table of nim unless somebody has built one
>>> tables.is_joined(game)
False
"""

from counterplay.games._endings import Numbering, Unit, numbering
from counterplay.solve.tables.build import News
from counterplay.solve.tables.check import check
from counterplay.solve.tables.files import TableFile, open_table, save_table, users_folder
from counterplay.solve.tables.lookup import lookup
from counterplay.solve.tables.shelf import build, found, is_built, is_joined, join, join_near, kept_in, totals

__all__ = ["News", "Numbering", "TableFile", "Unit", "build", "found", "is_joined", "join", "kept_in", "numbering"]
__all__ += ["check", "is_built", "join_near", "lookup", "open_table", "save_table", "totals", "users_folder"]
