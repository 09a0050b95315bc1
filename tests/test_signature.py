"""The bench signature: how many nodes every search needs for every game. A change of behaviour shows here.

`python tests/golden.py` writes the file anew; a commit that changes it says why.
"""

import json
from pathlib import Path

from counterplay import games, native, search

FILE = Path(__file__).parent / "golden" / "signature.json"

DEPTH = {"connect_four": 4, "nim": 3, "pig": 5, "tic_tac_toe": 4}


def signature() -> dict[str, dict[str, dict[str, object]]]:
    """By game and algorithm: the nodes, the value and the line to a small depth, interpreted so that it is quick."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    for name in games.names():
        game = games.load(name)
        found[name] = {}
        for algorithm, function in search.ALGORITHMS.items():
            with native.interpreted():
                try:
                    result = function(game, depth=DEPTH.get(name, 4))
                except search.Unsuited:
                    continue
            found[name][algorithm] = {"nodes": result.nodes, "value": result.value, "line": " ".join(result.line_names)}
    return found


def test_every_search_looks_at_the_nodes_it_looked_at_before():
    assert signature() == json.loads(FILE.read_text())
