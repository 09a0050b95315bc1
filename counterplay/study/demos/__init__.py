"""The lectures' demonstrations, one module each: what is claimed, played many times, with the figures.

load("pacman-suicide").run(seeds=200)    an Outcome: the table, the claims and whether they hold, games to look at
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable
from typing import NamedTuple

from counterplay.core.game import UserError
from counterplay.study.demos.outcome import Claim, Outcome

__all__ = ["DEMOS", "Claim", "Demo", "Outcome", "load"]

DEMOS = {
    "pacman-suicide": "minimax runs into the nearer ghost; expectimax tries",
    "pacman-min-vs-exp": "two beliefs about ghosts, two kinds of ghosts",
    "pacman-depth": "10 plies are better than 2",
    "pacman-thrashing": "an evaluation by score alone dithers beside a dot",
    "pacman-smart-ghosts": "ghosts who search together catch more",
    "bins": "minimax, expectimax, expectiminimax: each has its opponent",
    "horizon": "a loss pushed over the horizon, and quiescence search",
}
"""The names, and what each shows."""


class Demo(NamedTuple):
    """A demonstration that can be run."""

    name: str
    about: str
    seeds: int
    """How many games it plays if nothing is said."""
    run: Callable[[int], Outcome]


def load(name: str) -> Demo:
    """The demonstration of that name."""
    if name not in DEMOS:
        close = difflib.get_close_matches(name, DEMOS, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(DEMOS)}"
        raise UserError(f"there is no demonstration '{name}'; {hint}")
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return Demo(name, DEMOS[name], module.SEEDS, module.run)
