"""Expectiminimax: minimax with chance nodes, pruned by bounds.

Alpha-beta cuts at MAX and MIN. Chance nodes can be cut as well (B. Ballard, The *-minimax search procedure for trees
containing chance nodes, 1983): outcomes that were not looked at yet lie in the game's `utility_range`, and that may be
enough to know that the mean lies outside the window.

    none        every line is followed, as by minimax
    alphabeta   cuts at MAX and MIN only: below a chance node the window is open again
    star1       a chance node gives each outcome a window, and ends when the mean must lie outside its own
    star2       the same after a probe of one reply to each outcome, which narrows the outcome's bounds

The names at a chance node, with those of T. Hauk, M. Buro & J. Schaeffer, *-Minimax performance in backgammon, 2004:

    worst, finest    L and U: every value of the game lies between them
    least, most      A and B: the window of an outcome. Worth `least` or less it keeps the mean at alpha or below,
                     though all others be as good as they can; worth `most` or more, at beta or above
    low, high        what the mean is at least and at most, by what is known so far

States that were seen before equally deep, or to the end of the game, are remembered in a transposition table.

By a `width` it becomes another search, which follows the best few moves only: see `selective.py`.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import CHANCE, Game, UserError
from counterplay.core.primitives import count, nth
from counterplay.native import native
from counterplay.search.deepening import PlainEngine
from counterplay.search.engine import Request, of_position
from counterplay.search.limits import DEEPEST, Limits, deeper
from counterplay.search.plain import selective
from counterplay.search.plain.minimax import worth as unpruned_worth
from counterplay.search.result import ActionValue, Result
from counterplay.search.root import OpponentsRoot, PlainRoot, Vector
from counterplay.search.run import Progress, new_tally
from counterplay.search.suited import for_each_player
from counterplay.search.table import UNPROVEN, Entry, TranspositionTable, answers, bound_of, find, keep
from counterplay.search.values import sane_estimate, sane_utility
from counterplay.search.watching import Watcher, watched

__all__ = ["PRUNING", "Expectiminimax", "expectiminimax"]

PRUNING = ("none", "alphabeta", "star1", "star2")
"""How much may be pruned."""

NONE, ALPHABETA, STAR1, STAR2 = range(4)

_SHALLOW = 2
"""Plies beyond which a search is worth a table in large pages: with dice, three plies are thousands of states."""


class Tried(NamedTuple):
    """An action that a probe has looked at: its number, its value, and how many estimates had been used before."""

    number: int
    value: float
    estimates: int


UNTRIED = Tried(-1, 0.0, 0)
"""No action was looked at before."""


class How(NamedTuple):
    """How a search is done: one of the levels of pruning, and the table's memory (`mask` -1: without a table)."""

    prune: int
    table_at: int = 0
    mask: int = -1


@native
def value(game, s, tried, alpha, beta, depth, tally, how) -> float:  # type: ignore[no-untyped-def]
    """What `s` is worth to MAX, `depth` plies ahead, if that is between `alpha` and `beta`.

    If it is not, a bound that shows it: a number from the value up to `alpha`, or from `beta` up to the value.
    `tried` is the action that a probe of `s` has looked at before, or UNTRIED.
    """
    # 1. The end of the game, or of the search.
    is_new = tried.number < 0
    tally.nodes += 1 if is_new else 0
    tally.unused = min(tally.unused, depth)
    if game.is_terminal(s):
        return sane_utility(game, s, 0, tally)
    if game.knows.solved:
        v, plies = game.solved(s)
        if plies >= 0:
            return float(v)
    if depth == 0 or tally.stop:
        tally.cutoffs += 1
        return sane_estimate(game, s, 0, tally)
    if tally.nodes >= tally.most_nodes:
        tally.stop = 1

    # 2. What is known of this state from before. The action of an entry is the number of the best one.
    here = Visit(
        key=game.key(s) if how.mask >= 0 else 0,
        alpha=alpha,
        beta=beta,
        depth=depth,
        estimates=tally.cutoffs if is_new else tried.estimates,
    )
    first = tried.number
    if how.mask >= 0:
        entry = find(how.table_at, how.mask, here.key)
        if answers(entry, alpha, beta, depth):
            tally.cutoffs += 1 if entry.within == UNPROVEN else 0
            tally.unused = min(tally.unused, max(0, depth - entry.depth))
            return entry.value
        if is_new and entry.bound != 0:
            first = entry.action
    p, depth = game.player(s), deeper(game, s, depth)

    # 3. MAX and MIN: alpha-beta, the most promising action first.
    if not game.chance or p != CHANCE:
        if first < 0:
            first = promising(game, s)
        v = tried.value
        if is_new:
            a = nth(game.actions(s), first)
            v = value(game, game.result(s, a), UNTRIED, alpha, beta, depth, tally, how)
        best = first
        for i, a in enumerate(game.actions(s)):
            if v >= beta if p == 0 else v <= alpha:
                break
            if i != first:
                low, high = (max(alpha, v), beta) if p == 0 else (alpha, min(beta, v))
                u = value(game, game.result(s, a), UNTRIED, low, high, depth, tally, how)
                if u > v if p == 0 else u < v:
                    v, best = u, i
        return remembered(v, best, here, tally, how)

    # 4. CHANCE without cuts: the mean of the outcomes.
    v = 0.0
    if how.prune == ALPHABETA:
        for a in game.actions(s):
            v += game.probability(s, a) * value(game, game.result(s, a), UNTRIED, -inf, inf, depth, tally, how)
        return remembered(v, -1, here, tally, how)

    # 5. Star2 alone: probe one reply to each outcome. MAX gets at least what it brings, MIN gives at most that. If this
    #    does not end it, it is the exact value of the reply.
    worst, finest = game.utility_range
    low, high = float(worst), float(finest)
    alpha, beta = alpha - hair(game), beta + hair(game)
    is_probed = how.prune == STAR2 and depth > 0
    n = count(game.actions(s)) if is_probed else 0
    at_least, at_most = np.full(n, low), np.full(n, high)
    if is_probed:
        for i, a in enumerate(game.actions(s)):
            p, outcome = game.probability(s, a), game.result(s, a)
            low, high = low - p * at_least[i], high - p * at_most[i]  # of all but this outcome
            least, most = (alpha - high) / p, (beta - low) / p
            if game.is_terminal(outcome) or (game.knows.solved and game.solved(outcome)[1] >= 0):
                at_least[i] = at_most[i] = value(game, outcome, UNTRIED, worst, finest, depth, tally, how)
            elif game.player(outcome) != CHANCE:
                tally.nodes += 1
                reply = game.result(outcome, nth(game.actions(outcome), promising(game, outcome)))
                below = deeper(game, outcome, depth)
                if game.player(outcome) == 0:
                    at_least[i] = value(game, reply, UNTRIED, worst, min(most, finest), below, tally, how)
                else:
                    at_most[i] = value(game, reply, UNTRIED, max(least, worst), finest, below, tally, how)
            low, high = low + p * at_least[i], high + p * at_most[i]
            if at_most[i] <= least:
                return remembered(high, -1, here, tally, how)
            if at_least[i] >= most:
                return remembered(low, -1, here, tally, how)

    # 6. Star1, and Star2 after its probes: search each outcome in its window, until the mean must lie outside its own.
    for i, a in enumerate(game.actions(s)):
        p, outcome = game.probability(s, a), game.result(s, a)
        floor, ceiling = (at_least[i], at_most[i]) if is_probed else (float(worst), float(finest))
        low, high = low - p * floor, high - p * ceiling  # of all but this outcome
        least, most = (alpha - high) / p, (beta - low) / p
        u = floor
        if not is_probed or floor < ceiling:
            reply = tried_reply(game, outcome, floor, ceiling, here.estimates) if is_probed else UNTRIED
            u = value(game, outcome, reply, max(least, floor), min(most, ceiling), depth, tally, how)
        v, low, high = v + p * u, low + p * u, high + p * u
        if u <= least:
            return remembered(high, -1, here, tally, how)
        if u >= most:
            return remembered(low, -1, here, tally, how)
    return remembered(v, -1, here, tally, how)


class Visit(NamedTuple):
    """A state as it is looked at: its key, the window, the depth, and the number of estimates used so far."""

    key: int
    alpha: float
    beta: float
    depth: int
    estimates: int


def remembered(v: float, best: int, here: Visit, tally: Any, how: How) -> float:
    """The value of a state, noted in the table."""
    if how.mask >= 0 and not tally.stop:
        within = 0 if tally.cutoffs == here.estimates else UNPROVEN  # how many plies is not counted here
        entry = Entry(v, best, here.depth, within, bound_of(v, here.alpha, here.beta))
        keep(how.table_at, how.mask, 0, here.key, entry)
    return v


def promising(game: Any, s: Any) -> int:
    """The number of the action with the largest priority."""
    chosen, largest = 0, -inf
    if game.knows.priority:
        for i, a in enumerate(game.actions(s)):
            if game.priority(s, a) > largest:
                chosen, largest = i, game.priority(s, a)
    return chosen


def tried_reply(game: Any, s: Any, at_least: float, at_most: float, estimates: int) -> Tried:
    """What a probe of `s` found."""
    if game.player(s) == CHANCE:
        return UNTRIED
    return Tried(promising(game, s), at_least if game.player(s) == 0 else at_most, estimates)


def hair(game: Any) -> float:
    """How much wider than need be the windows of chance nodes are, so that rounding never decides about a cut."""
    worst, best = game.utility_range
    return 1e-9 * float(max(abs(worst), abs(best)))


class _Root(OpponentsRoot, PlainRoot):
    def __init__(self, game: Game, s: Any, tally: Any, how: How) -> None:
        super().__init__(game, s, tally)
        self.how = how

    def value(self, t: Any, alpha: float, beta: float, depth: int) -> float:
        if self.how.prune == NONE:
            return unpruned_worth(self.game, t, depth, self.tally)
        return float(value(self.game, t, UNTRIED, alpha, beta, depth, self.tally, self.how))

    def child(self, t: Any, depth: int, p: int, best: ActionValue | None) -> tuple[Vector, bool]:
        alpha = best.value if best is not None and p == 0 else -inf
        beta = best.value if best is not None and p == 1 else inf
        v = self.value(t, alpha, beta, depth)
        return for_each_player(self.game, v), self.how.prune == NONE or alpha < v < beta

    def keeps(self, t: Any, depth: int, values: Vector) -> bool:
        low, high = values[0] - hair(self.game), values[0] + hair(self.game)
        return low < self.value(t, low, high, depth) < high


class Expectiminimax(PlainEngine):
    """Expectiminimax as an engine, with its table. Asked for the values of several moves, it does not prune."""

    name = "expectiminimax"

    def __init__(
        self,
        game: Game,
        *,
        prune: str = "star2",
        table_mb: float = 16,
        width: int | None = None,
        replies: int | None = None,
    ) -> None:
        super().__init__(game)
        if prune not in PRUNING:
            raise UserError(f"prune is one of {', '.join(PRUNING)}, not {prune!r}")
        if width is not None and (not isinstance(width, int) or width < 1):
            raise UserError(f"width is how many moves are followed, 1 or more, not {width!r}")
        if replies is not None and (not isinstance(replies, int) or replies < 1 or width is None):
            raise UserError(f"replies is how many moves are followed after the first, with a width; not {replies!r}")
        self.prune, self.width, self.replies = prune, width, width if replies is None else replies
        self.table = TranspositionTable(table_mb) if table_mb and prune != "none" and width is None else None

    def new_game(self, seed: int | None = None) -> None:
        if self.table is not None:
            self.table.clear()

    def _how(self, prune: str) -> How:
        if self.table is None or prune == "none":
            return How(PRUNING.index(prune))
        return How(PRUNING.index(prune), self.table.address, self.table.mask)

    def _prune(self, request: Request) -> str:
        return "none" if request.wants_several else self.prune

    def _answer(self, request: Request, progress: Progress | None) -> Result:
        if self.table is not None and request.limits.steps > _SHALLOW:
            self.table.expect_much()
        return super()._answer(request, progress)

    def _root(self, request: Request, tally: Any) -> PlainRoot:
        if self.width is not None and self.replies is not None:
            most = max(self.width, request.multi)
            return selective.SelectiveRoot(self.game, request.state, tally, self.replies, most, request.also)
        how = self._how(self._prune(request))
        return _Root(self.game, request.state, tally, how)

    def _settings(self, request: Request) -> dict[str, Any]:
        if self.width is not None:
            return {"width": self.width} | ({} if self.replies == self.width else {"replies": self.replies})
        return {"prune": self._prune(request), "table_bytes": 0 if self.table is None else self.table.bytes}

    def watch(self, s: Any, depth: int | None, watcher: Watcher) -> None:
        """Search `s` to a depth, or to the end, while the watcher is told of every state looked at. Without a table."""
        if self.replies is not None:
            with watched(selective.value, watcher):
                selective.value(self.game, s, self.replies, depth or DEEPEST, new_tally(depth or DEEPEST))
            return
        with watched(value, watcher):
            how = How(PRUNING.index(self.prune))
            value(self.game, s, UNTRIED, -inf, inf, depth or DEEPEST, new_tally(depth or DEEPEST), how)


@of_position
def expectiminimax(
    game: Game,
    s: Any = None,
    depth: int | None = None,
    *,
    rounds: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    prune: str = "star2",
    table_mb: float = 16,
    width: int | None = None,
    replies: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """The value of `s` (default: the initial state) for two opponents and chance, as minimax finds it.

    Whatever `prune` is, the value is minimax's but for rounding: within 1e-9 of the largest utility, and the same to
    the last bit where nothing was cut. For this `evaluate` must lie in `utility_range` and probabilities must add up
    to 1. The best action is exact; others are exact or bounds, which are never better than the best found before.
    `table_mb` is the size of the table, 0 for none; without pruning there is none. Limits are as for minimax.

    With a `width` only so many moves are followed, those that look best at first sight, and after the first move only
    so many as `replies` says, if it does; the value is then an estimate, unless nowhere were there more.
    """
    engine = Expectiminimax(game, prune=prune, table_mb=table_mb, width=width, replies=replies)
    return engine.search(s, Limits(depth, rounds, nodes, seconds), progress=progress)
