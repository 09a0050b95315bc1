"""Minimax: the value of a game when everyone plays best, by looking at every line.

This is the textbook's function (Russell & Norvig, figure 5.3, with chance nodes as in 5.5). Every later search must
agree with it; none may look at more nodes.
"""

from __future__ import annotations

from math import inf
from typing import Any

from counterplay.core.game import CHANCE, Game
from counterplay.native import native
from counterplay.search.deepening import PlainEngine
from counterplay.search.engine import Abilities, Request, of_position
from counterplay.search.limits import DEEPEST, Limits, deeper
from counterplay.search.result import ActionValue, Result
from counterplay.search.root import OpponentsRoot, PlainRoot, Vector
from counterplay.search.run import Progress, new_tally
from counterplay.search.suited import for_each_player
from counterplay.search.values import sane_estimate, sane_utility
from counterplay.search.watching import Watcher, watched

__all__ = ["Minimax", "minimax", "worth"]


@native
def value(game, s, depth, tally) -> float:  # type: ignore[no-untyped-def]
    """What `s` is worth to MAX, `depth` plies ahead: MAX takes the largest, MIN the smallest, CHANCE the mean."""
    tally.nodes += 1
    tally.unused = min(tally.unused, depth)
    if game.is_terminal(s):
        return sane_utility(game, s, 0, tally)
    if depth == 0 or tally.stop:
        tally.cutoffs += 1
        return sane_estimate(game, s, 0, tally)
    if tally.nodes >= tally.most_nodes:
        tally.stop = 1
    p, depth = game.player(s), deeper(game, s, depth)
    if game.chance and p == CHANCE:
        v = 0.0
        for a in game.actions(s):
            v += game.probability(s, a) * value(game, game.result(s, a), depth, tally)
    elif p == 0:
        v = -inf
        for a in game.actions(s):
            v = max(v, value(game, game.result(s, a), depth, tally))
    else:
        v = inf
        for a in game.actions(s):
            v = min(v, value(game, game.result(s, a), depth, tally))
    return v


class _Root(OpponentsRoot, PlainRoot):
    def child(self, t: Any, depth: int, p: int, best: ActionValue | None) -> tuple[Vector, bool]:
        return for_each_player(self.game, float(value(self.game, t, depth, self.tally))), True

    def keeps(self, t: Any, depth: int, values: Vector) -> bool:
        return bool(value(self.game, t, depth, self.tally) == values[0])


class Minimax(PlainEngine):
    """Minimax as an engine."""

    name = "minimax"
    abilities = Abilities(every_value=True)

    def _root(self, request: Request, tally: Any) -> _Root:
        return _Root(self.game, request.state, tally)

    def watch(self, s: Any, depth: int | None, watcher: Watcher) -> None:
        """Search `s` to a depth, or to the end, while the watcher is told of every state looked at."""
        with watched(value, watcher):
            value(self.game, s, depth or DEEPEST, new_tally(depth or DEEPEST))


def worth(game: Any, s: Any, depth: int, tally: Any) -> float:
    """The same for compiled callers, who have a tally from `new_tally`."""
    return float(value(game, s, depth, tally))


@of_position
def minimax(
    game: Game,
    s: Any = None,
    depth: int | None = None,
    *,
    rounds: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> Result:
    """The minimax value of `s` (default: the initial state), exact, or as far as the limits allow.

    At the depth limit the game's `evaluate` stands for the value. With a limit of nodes or seconds the search goes a
    ply deeper each time until it is reached; ctrl-C ends it with what is known by then.
    """
    return Minimax(game).search(s, Limits(depth, rounds, nodes, seconds), progress=progress)
