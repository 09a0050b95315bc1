"""What searching costs: how fast a game runs on this machine, and how many nodes good ordering and knowledge save.

Times differ from machine to machine and from run to run; numbers of nodes never do.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from counterplay import native, search
from counterplay.core.errors import EndlessGame
from counterplay.core.game import Game, Position, UserError
from counterplay.games.uniform_tree import UniformTree
from counterplay.search.alphabeta.workspace import useful_refinements
from counterplay.search.run import Progress

__all__ = ["knowledge", "measure", "ordering"]

_MOST_LEAVES = 10**9
_CHEAP = 5_000_000  # nodes that minimax may look at beside the others


# ---- speed


def measure(here: Position, seconds: float) -> list[dict[str, Any]]:
    """Rates for each kind of work; `interpreted` or `compiled` is None where it cannot be had."""
    return [
        {
            "what": what,
            "compiled": _rate(work, here, seconds, native.compiled),
            "interpreted": _rate(work, here, seconds, native.interpreted),
        }
        for what, work in (("minimax nodes", _minimax), ("perft nodes", _perft), ("playouts", _playouts))
    ]


def _rate(work: Any, here: Position, seconds: float, mode: Callable[[], Any]) -> float | None:
    """Amount of work a second of this process, whoever else is busy, with a size that takes a while if there is one."""
    try:
        with mode():
            size, amount, spent = 1, work(here, 1), 0.0  # compiles, outside the clock
            while spent < seconds / 10:
                began = time.process_time()
                larger = work(here, size + 1)
                spent = time.process_time() - began
                if larger <= amount:
                    break
                size, amount = size + 1, larger
            began, done = time.process_time(), 0
            while (spent := time.process_time() - began) < seconds:
                done += work(here, size)
            return float(done / spent)
    except (native.CannotCompile, search.Unsuited):
        return None


def _minimax(here: Position, size: int) -> int:
    return _finished(search.minimax(here.game, here.state, size)).nodes


def _perft(here: Position, size: int) -> int:
    return sum(search.perft(here.game, here.state, size))


def _playouts(here: Position, size: int) -> int:
    n = int(4**size)
    try:
        search.mean_utility(here.game, here.state, n, search.new_random(size))
    except EndlessGame as error:
        raise EndlessGame(f"{here.game}: {error}") from None
    return n


# ---- ordering


def ordering(
    width: int = 3, heights: Iterable[int] = range(4, 15), seeds: int = 32, progress: Progress | None = None
) -> dict[str, Any]:
    """How the nodes grow with the height of a uniform tree, by the order in which alpha-beta finds the moves.

    A tree of height m is the part of the tallest one that begins m plies before its end: with its own moves, costs and
    utilities, but the same compiled rules. Where chance has a hand, the mean of `seeds` such trees.

    The exponent x says that the nodes grow like width^(x m). It is the slope of the straight line that fits log(nodes)
    against m log(width) best (least squares). Theory: 1 for every leaf, 1/2 for the best order (Knuth & Moore 1975),
    roughly 3/4 for random order (Russell & Norvig, section 5.2.4), with independent leaves nearer to 0.7 (Pearl 1982).
    Here leaves are akin: a mistake costs all lines that go through it, as in most games, and is refuted sooner.
    """
    heights = sorted(set(heights))
    if len(heights) < 2 or heights[0] < 1 or seeds < 1:
        raise UserError("to see growth takes two different heights of 1 or more, and a seed")
    if width < 2 or width ** heights[-1] > _MOST_LEAVES:
        raise UserError(f"width is 2 or more, and width ** height at most {_MOST_LEAVES:,}: minimax looks at all of it")
    best, worst, shuffled = (UniformTree(width=width, height=heights[-1], order=o) for o in ("best", "worst", "random"))
    plain = {"without": ["all"]}

    def row(
        name: str, theory: float | None, run: Any, game: UniformTree, trees: int, **settings: Any
    ) -> dict[str, Any]:
        nodes = []
        for m in heights:
            starts = [game.State(heights[-1] - m, 0, path) for path in range(trees)]
            each = [_finished(run(game, s, progress=progress, **settings)).nodes for s in starts]
            nodes.append(sum(each) / trees if trees > 1 else each[0])
        return {"name": name, "nodes": nodes, "exponent": _exponent(width, heights, nodes), "theory": theory}

    return {
        "width": width,
        "heights": heights,
        "seeds": seeds,
        "series": [
            row("minimax", 1.0, search.minimax, shuffled, 1),
            row("worst order", 1.0, search.alphabeta, worst, 1, **plain),
            row("random order", 0.75, search.alphabeta, shuffled, seeds, **plain),
            row("random, refined", None, search.alphabeta, shuffled, seeds, table_mb=4),
            row("best order", 0.5, search.alphabeta, best, 1, **plain),
        ],
    }


def _exponent(width: int, heights: list[int], nodes: list[float]) -> float:
    slope, _ = np.polyfit(np.array(heights) * math.log(width), np.log(nodes), 1)
    return round(float(slope), 4)


def _finished(result: search.Result) -> search.Result:
    """The result of a search that was not cut short by ctrl-C, which ends the whole measurement."""
    if result.stopped == "interrupted":
        raise KeyboardInterrupt
    return result


# ---- knowledge


def knowledge(game: Game, s: Any, depth: int, progress: Progress | None = None) -> list[dict[str, Any]]:
    """What each refinement of alpha-beta saves at `s`: with all, without each that is of use here, without any.

    Minimax is the last row, if it is cheap. `ratio` is the number of nodes for each node with all refinements. The
    values agree, but for refinements that look at a different tree: quiescence, and all that `selective` allows.
    """
    each_left_out = {f"without {name}": [name] for name in useful_refinements(game)}
    searches = {"all refinements": [], **each_left_out, "textbook": ["all"]}
    results = {
        name: _finished(search.alphabeta(game, s, depth, without=without, progress=progress))
        for name, without in searches.items()
    }
    if _finished(search.minimax(game, s, depth, nodes=_CHEAP, progress=progress)).stopped != "nodes":
        results["minimax"] = _finished(search.minimax(game, s, depth, progress=progress))
    least = results["all refinements"].nodes
    return [
        {"search": name, "nodes": result.nodes, "ratio": round(result.nodes / least, 3), "value": result.value}
        for name, result in results.items()
    ]
