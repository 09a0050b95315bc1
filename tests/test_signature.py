"""The bench signature: how many nodes every search needs for every game. A change of behaviour shows here.

`python tests/golden.py` writes the file anew; a commit that changes it says why.
"""

import inspect
import json
from pathlib import Path

import pytest

from counterplay import games, native, search
from counterplay.search.perft import lines
from counterplay.search.run import new_tally

FILE = Path(__file__).parent / "golden" / "signature.json"

MOST_LINES = 3000
SIMULATIONS = 20


def small_depth(game):
    """The largest depth, up to 5, at which the game has not too many lines to be looked at interpreted; at least 1."""
    depth = 1
    while depth < 5 and lines.interpreted(game, game.initial(), depth + 1, new_tally()) <= MOST_LINES:
        depth += 1
    return depth


def small_limit(game, function):
    """A limit that is quickly reached: plies, or simulations for a search that counts those."""
    if "depth" in inspect.signature(function).parameters:
        return {"depth": small_depth(game)}
    return {"simulations": SIMULATIONS}


def signature() -> dict[str, dict[str, dict[str, object]]]:
    """By game and algorithm: the nodes, the value and the line to a small depth, interpreted so that it is quick."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    for name in games.names():
        game = games.load(name)
        found[name] = {}
        for algorithm, function in search.ALGORITHMS.items():
            if not search.ENGINES[algorithm].suits(game):
                continue
            with native.interpreted():
                result = function(game, **small_limit(game, function))
            found[name][algorithm] = {"nodes": result.nodes, "value": result.value, "line": " ".join(result.line_names)}
    return found


@pytest.mark.long
def test_every_search_looks_at_the_nodes_it_looked_at_before():
    assert signature() == json.loads(FILE.read_text())
