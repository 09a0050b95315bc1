"""Paranoid: one player against all the others, who are thought to play together against it.

Sturtevant & Korf, On pruning techniques for multi-player games, AAAI 2000. That makes a game of any number of players
one of two, `player` and the coalition, and alpha-beta prunes it fully, which it cannot do for maxⁿ. The value is what
`player` is sure of whatever the others want, so it holds in games of any utilities; it is a pessimist's.
"""

from __future__ import annotations

from math import inf, nextafter
from typing import Any, NamedTuple

from counterplay.core.game import CHANCE, Game, UserError
from counterplay.core.primitives import repeat, replace
from counterplay.native import native
from counterplay.search.deepening import PlainEngine
from counterplay.search.engine import Abilities, Request, of_position
from counterplay.search.limits import Limits, deeper
from counterplay.search.result import ActionValue, Result
from counterplay.search.root import PlainRoot, Vector
from counterplay.search.run import Progress
from counterplay.search.vectors import estimates, plus, utilities

__all__ = ["Paranoid", "paranoid"]


class View(NamedTuple):
    """What stays the same all through a search."""

    player: int
    prune: bool


@native
def value(game, s, alpha, beta, depth, view, tally):  # type: ignore[no-untyped-def]
    """What `s` is worth to each player, `depth` plies ahead, if all play for or against `view.player`.

    `alpha` and `beta` are what the player and the coalition are sure of elsewhere. The player's value v is exact if
    alpha < v < beta; the true one is at most v if v <= alpha, and at least v if v >= beta.
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
    me, p, depth = view.player, game.player(s), deeper(game, s, depth)
    if game.chance and p == CHANCE:
        best = repeat(0.0, game.players)
        for a in game.actions(s):
            v = value(game, game.result(s, a), -inf, inf, depth, view, tally)
            best = plus(best, game.probability(s, a), v)
    elif p == me:
        best = repeat(-inf, game.players)
        for a in game.actions(s):
            v = value(game, game.result(s, a), alpha, beta, depth, view, tally)
            if v[me] > best[me]:
                best = v
                if view.prune:
                    alpha = max(alpha, v[me])
                    if v[me] >= beta:
                        break
    else:
        best = repeat(inf, game.players)
        for a in game.actions(s):
            v = value(game, game.result(s, a), alpha, beta, depth, view, tally)
            if v[me] < best[me]:
                best = v
                if view.prune:
                    beta = min(beta, v[me])
                    if v[me] <= alpha:
                        break
    return best


class _Root(PlainRoot):
    def __init__(self, game: Game, s: Any, tally: Any, view: View) -> None:
        super().__init__(game, s, tally)
        self.view = view

    def value(self, t: Any, alpha: float, beta: float, depth: int) -> Vector:
        return value(self.game, t, alpha, beta, depth, self.view, self.tally)  # type: ignore[no-any-return]

    def child(self, t: Any, depth: int, p: int, best: ActionValue | None) -> tuple[Vector, bool]:
        game, me = self.game, self.view.player
        alpha, beta = -inf, inf
        if best is not None and p != CHANCE:
            alpha, beta = (best.values[me], inf) if p == me else (-inf, best.values[me])
        v = self.value(t, alpha, beta, depth)
        is_whole = not self.view.prune or depth == 0 or game.is_terminal(t) or game.player(t) == CHANCE
        return v, alpha < v[me] < beta or is_whole

    def worth(self, values: Vector, p: int) -> float:
        me = self.view.player
        return values[me] if p == me else -values[me]

    def unseen(self, p: int) -> Vector:
        low, high = map(float, self.game.utility_range)
        me = self.view.player
        return replace(repeat(high, self.game.players), me, high if p == me else low)  # type: ignore[no-any-return]

    def keeps(self, t: Any, depth: int, values: Vector) -> bool:
        mine = values[self.view.player]  # what is worth the same is inside the window, and exact
        return self.value(t, nextafter(mine, -inf), nextafter(mine, inf), depth) == values


class Paranoid(PlainEngine):
    """The paranoid search as an engine. Asked for the values of several moves, it does not prune."""

    name = "paranoid"
    abilities = Abilities(many_players=True)

    def __init__(self, game: Game, *, player: int | None = None, prune: bool = True) -> None:
        super().__init__(game)
        if player is not None and not 0 <= player < game.players:
            raise UserError(f"{game} has players 0 to {game.players - 1}, not {player}")
        self.player, self.prune = player, bool(prune)

    def _view(self, request: Request) -> View:
        """At a throw of the dice, or at the end, the first player's unless somebody's is asked for."""
        game, s, player = self.game, request.state, self.player
        if player is None:
            player = 0 if game.is_terminal(s) else max(0, game.player(s))
        return View(int(player), self.prune and not request.wants_several)

    def _root(self, request: Request, tally: Any) -> _Root:
        return _Root(self.game, request.state, tally, self._view(request))

    def _settings(self, request: Request) -> dict[str, Any]:
        return self._view(request)._asdict()


@of_position
def paranoid(
    game: Game,
    s: Any = None,
    depth: int | None = None,
    *,
    player: int | None = None,
    rounds: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    prune: bool = True,
    progress: Progress | None = None,
) -> Result:
    """What `player` (default: who is to move) is sure of at `s` when all others play against it.

    The values of the result are what each gets when everyone plays so, and of equally good actions the first. Pruning
    changes none of them. Of a root action that is not `exact`, only `player`'s value tells something: it is a bound,
    what is true being no better for who moves.

    Limits are as for `minimax`, which this is for two opponents.
    """
    engine = Paranoid(game, player=player, prune=prune)
    return engine.search(s, Limits(depth, rounds, nodes, seconds), progress=progress)
