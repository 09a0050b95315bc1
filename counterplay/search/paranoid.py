"""Paranoid: one player against all the others, who are thought to play together against it.

Sturtevant & Korf, On pruning techniques for multi-player games, AAAI 2000. That makes a game of any number of players
one of two, `player` and the coalition, and alpha-beta prunes it fully, which it cannot do for maxⁿ. The value is what
`player` is sure of whatever the others want, so it holds in games of any utilities; it is a pessimist's.
"""

from __future__ import annotations

from math import inf, nextafter
from typing import Any, NamedTuple

from counterplay.game import CHANCE, Game, UserError
from counterplay.native import native
from counterplay.primitives import repeat, replace
from counterplay.search.limits import Limits, deeper
from counterplay.search.maxn import Vector, estimates, expect, plus, utilities
from counterplay.search.result import ActionValue, Result
from counterplay.search.run import Iteration, Progress, deepen, follow, new_tally
from counterplay.search.suited import must_be_open

__all__ = ["paranoid"]


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
        return utilities(game, s)
    if depth == 0 or tally.stop:
        tally.cutoffs += 1
        return estimates(game, s)
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
    must_be_open(game, "paranoid")
    s = game.initial() if s is None else s
    if player is None:
        player = 0 if game.is_terminal(s) else max(0, game.player(s))  # at a throw of the dice, the first
    if not 0 <= player < game.players:
        raise UserError(f"{game} has players 0 to {game.players - 1}, not {player}")
    view = View(int(player), bool(prune))
    value(game, s, -inf, inf, 0, view, new_tally())  # compiles, outside the clock
    limits = Limits(depth, rounds, nodes, seconds)

    def look(steps: int, tally: Any) -> Iteration:
        return _decide(game, s, steps, view, tally)

    return deepen(game, s, "paranoid", limits, look, progress, settings=view._asdict())


def _decide(game: Game, s: Any, depth: int, view: View, tally: Any) -> Iteration:
    """The vector, every root action's vector, and the principal line."""

    def look(t: Any, left: int, alpha: float = -inf, beta: float = inf) -> Vector:
        return value(game, t, alpha, beta, left, view, tally)  # type: ignore[no-any-return]

    if game.is_terminal(s):
        return Iteration(look(s, depth), (), ())
    me, p = view.player, game.player(s)
    if p == CHANCE:
        return expect(game, s, depth, tally, lambda t, left, *_: look(t, left))
    tally.nodes += 1
    left, alpha, beta = deeper(game, s, depth), -inf, inf
    found: dict[int, ActionValue] = {}
    best: ActionValue | None = None
    for a in map(int, game.actions(s)):
        t = game.result(s, a)
        v = look(t, left, alpha, beta)
        if tally.stop:
            break
        better = alpha < v[me] < beta
        whole = not view.prune or left == 0 or game.is_terminal(t) or game.player(t) == CHANCE
        found[a] = ActionValue(a, v[0], better or whole, v)
        if better:
            best = found[a]
            alpha, beta = (v[me], inf) if p == me else (-inf, v[me])
    low, high = map(float, game.utility_range)
    unknown = replace(repeat(high, game.players), me, high if p == me else low)
    actions = tuple(found.get(int(a)) or ActionValue(int(a), unknown[0], False, unknown) for a in game.actions(s))
    if best is None:
        return Iteration(estimates(game, s), actions, (actions[0].action,))
    wanted = best.values
    window = nextafter(wanted[me], -inf), nextafter(wanted[me], inf)  # what is worth the same is inside, and exact
    s = game.result(s, best.action)
    line = follow(game, s, left, tally, lambda t, left: look(t, left, *window) == wanted)
    return Iteration(wanted, actions, (best.action, *line))
