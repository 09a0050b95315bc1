"""Maxⁿ: any number of players, each out for itself (Luckhardt & Irani, AAAI 1986).

A value is a vector with a number for each player. The player to move takes the action whose vector has the most for
it, and of several such actions the first: what the *others* get depends on this rule, so it is part of the algorithm.

Pruning is Korf's (Multi-player alpha-beta pruning, Artificial Intelligence 48, 1991). It needs a bound on what one
player can get, and for shallow pruning a bound on what two can get together. Deep pruning is not sound in maxⁿ.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

from counterplay.core.game import CHANCE, Game
from counterplay.core.primitives import repeat, replace
from counterplay.native import native
from counterplay.search.deepening import PlainEngine
from counterplay.search.engine import Abilities, Request, of_position
from counterplay.search.limits import Limits, deeper
from counterplay.search.result import ActionValue, Result
from counterplay.search.root import PlainRoot, Vector
from counterplay.search.run import Progress
from counterplay.search.vectors import estimates, plus, utilities

__all__ = ["MaxN", "Most", "maxn", "most_of"]

NOBODY = CHANCE
"""Who moved to a state when it does not matter: nobody has anything elsewhere to compare with."""


class Most(NamedTuple):
    """What players can get at most."""

    one: float
    two: float
    """Any two of them together."""


# ---- the algorithm


@native
def value(game, s, depth, above, has, most, tally):  # type: ignore[no-untyped-def]
    """What `s` is worth to each player, `depth` plies ahead.

    `above`, who moved here, `has` as much elsewhere. If `s` cannot give it more, the vector is only some vector of
    this tree that gives it no more either: `above` will not come here, and nothing else about `s` matters.
    """
    tally.nodes += 1
    tally.unused = min(tally.unused, depth)
    if game.is_terminal(s):
        return utilities(game, s, tally)
    if depth == 0 or tally.stop:
        tally.cutoffs += 1
        return estimates(game, s, tally)
    if tally.nodes >= tally.most_nodes:
        tally.stop = 1
    p, depth = int(game.player(s)), deeper(game, s, depth)
    if game.chance and p == CHANCE:
        mean = repeat(0.0, game.players)
        for a in game.actions(s):
            v = value(game, game.result(s, a), depth, NOBODY, -inf, most, tally)
            mean = plus(mean, game.probability(s, a), v)
        return mean
    best = repeat(-inf, game.players)
    mine = has if p == above else -inf  # who moves twice has the same things elsewhere
    enough = most.one if p == above else min(most.one, most.two - has)
    for a in game.actions(s):
        v = value(game, game.result(s, a), depth, p, mine, most, tally)
        if v[p] > best[p]:
            best, mine = v, max(mine, v[p])
            if v[p] >= enough:  # there is no better, or what that leaves for `above` is no more than it has
                break
    return best


def most_of(game: Game, limits: Limits) -> Most:
    """What the game's declarations say about the most that one player, and two together, can get.

    Two get most when all others get least, if the sum of all is known. Utilities add up to `utility_sum` if the game
    says so. Estimates need not: where limits may call for them, only the sum of the default's is known.
    """
    low, high = game.utility_range
    doubt = 1e-9 * max(abs(low), abs(high)) if game.chance else 0.0  # means are rounded, and must not seem better
    total = game.utility_sum if game.zero_sum else inf
    if limits != Limits():
        total = inf if game.knows.evaluate else max(total, game.players * 0.5 * (low + high))
    return Most(high + doubt, total - sum([low] * (game.players - 2)) + doubt)


class _Root(PlainRoot):
    def __init__(self, game: Game, s: Any, tally: Any, most: Most) -> None:
        super().__init__(game, s, tally)
        self.most = most

    def child(self, t: Any, depth: int, p: int, best: ActionValue | None) -> tuple[Vector, bool]:
        above, has = (NOBODY, -inf) if p == CHANCE else (p, best.values[p] if best else -inf)
        v = value(self.game, t, depth, above, has, self.most, self.tally)
        if p == CHANCE or v[p] > has or depth == 0:
            return v, True
        pruned = _bounds(self.game, t, v, p, has, self.most)
        return (v, True) if pruned is None else (pruned, False)

    def keeps(self, t: Any, depth: int, values: Vector) -> bool:
        return bool(value(self.game, t, depth, NOBODY, -inf, self.most, self.tally) == values)

    def is_enough(self, best: ActionValue, p: int) -> bool:
        return p != CHANCE and best.values[p] >= self.most.one


def _bounds(game: Game, s: Any, v: Vector, p: int, has: float, most: Most) -> Vector | None:
    """The most that each gets at `s` if its search ended early, with `v`, because `p` `has` no less elsewhere."""
    q = NOBODY if game.is_terminal(s) else game.player(s)
    high, bounds = float(game.utility_range[1]), None
    if q == p and most.two < inf:
        bounds = replace(repeat(high, game.players), p, has)
    elif q not in (NOBODY, p) and v[q] >= most.two - has:
        bounds = replace(repeat(min(high, most.two - v[q]), game.players), q, high)
    return bounds


class MaxN(PlainEngine):
    """Maxⁿ as an engine. Asked for the values of several moves, it does not prune."""

    name = "maxn"
    abilities = Abilities(many_players=True)

    def __init__(self, game: Game, *, prune: bool = True) -> None:
        super().__init__(game)
        self.prune = prune

    def _prunes(self, request: Request) -> bool:
        return self.prune and not request.wants_several

    def _root(self, request: Request, tally: Any) -> _Root:
        most = most_of(self.game, request.limits) if self._prunes(request) else Most(inf, inf)
        return _Root(self.game, request.state, tally, most)

    def _settings(self, request: Request) -> dict[str, Any]:
        return {"prune": self._prunes(request)}


@of_position
def maxn(
    game: Game,
    s: Any = None,
    depth: int | None = None,
    *,
    rounds: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    prune: bool = True,
    progress: Progress | None = None,
) -> Result:
    """The maxⁿ vector of `s` (default: the initial state), exact, or as far as the limits allow.

    Everyone maximises its own utility; of actions that are equally good for the player who chooses, it takes the
    first. Pruning never changes the vector. A root action that is not `exact` was pruned or not reached: its values
    are then the most that each player could get there.

    At the depth limit the game's `evaluate` stands for the value, of each player by itself. With a limit of nodes or
    seconds the search goes a ply deeper each time until it is reached; ctrl-C ends it with what is known by then.
    """
    engine = MaxN(game, prune=prune)
    return engine.search(s, Limits(depth, rounds, nodes, seconds), progress=progress)
