"""What the view Watch asks for: a search of a written tree or a small game, step by step."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from counterplay.apps.studio.live import Asked, Request
from counterplay.apps.studio.tables import Tables
from counterplay.core.game import UserError
from counterplay.study.trees import SEARCHES

__all__ = ["REQUESTS", "routes"]

_SECONDS = 20.0
_MOST_TREE = 20_000
"""Characters of a written tree."""


def routes(tables: Tables) -> APIRouter:
    """This view asks for nothing but thought."""
    return APIRouter()


def _source(tables: Tables, asked: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What is searched: a tree that the page has written, or a game from a position on."""
    tree, moves, begins = asked.get("tree"), asked.get("moves", []), asked.get("begins", "")
    if isinstance(tree, str) and tree.strip():
        if len(tree) > _MOST_TREE:
            raise UserError(f"a tree to be watched has at most {_MOST_TREE:,} characters")
        return "", {"tree": tree, "begins": "", "moves": []}
    if not isinstance(moves, list) or not all(isinstance(each, str) for each in moves) or not isinstance(begins, str):
        raise UserError("moves are a list of names")
    game = tables.catalogue.game(asked.get("game"))
    if not game.perfect_information:
        raise UserError(f"{game} has something hidden: no such search is for it")
    return tables.catalogue.text(asked.get("game")), {"tree": "", "begins": begins, "moves": moves}


def _trace(tables: Tables, asked: dict[str, Any]) -> Asked:
    text, arguments = _source(tables, asked)
    depth, algorithm = asked.get("depth"), asked.get("algorithm")
    if depth is not None and (type(depth) is not int or not 1 <= depth <= 30):
        raise UserError(f"a search to be watched looks 1 to 30 plies ahead, not {depth}")
    if algorithm not in SEARCHES:
        raise UserError(f"'{algorithm}' cannot be watched; these can: {', '.join(SEARCHES)}")
    return Asked("traced", text, {**arguments, "algorithm": algorithm, "depth": depth}, _SECONDS)


def _grow(tables: Tables, asked: dict[str, Any]) -> Asked:
    text, arguments = _source(tables, asked)
    simulations, exploration, seed = asked.get("simulations", 60), asked.get("exploration", 1.0), asked.get("seed", 0)
    if type(simulations) is not int or type(seed) is not int or isinstance(exploration, bool):
        raise UserError("simulations and a seed are whole numbers")
    if not isinstance(exploration, int | float) or not 0 <= exploration <= 100:
        raise UserError(f"c of UCB1 is from 0 to 100, not {exploration}")
    more = {"simulations": simulations, "exploration": float(exploration), "seed": seed % 2**32}
    return Asked("grown", text, {**arguments, **more}, _SECONDS)


REQUESTS: dict[str, Request] = {"trace": _trace, "grow": _grow}
