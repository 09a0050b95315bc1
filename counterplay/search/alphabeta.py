"""Alpha-beta: minimax that does not look where nothing can change the decision, with a modern engine's refinements.

Every refinement can be switched off by name; with all of them off this is the textbook's alpha-beta search (Russell &
Norvig, figure 5.7), node for node. `docs/search.md` goes from the one to the other in steps.

    alpha    what MAX is sure of on the path to the root
    beta     what MIN is sure of
    p        the player to move; `sign` turns values for MAX into values for p and back
    w        the thread's workspace: counters, move lists, killers, history, and the principal variation, `w.line`

The value returned is exact if it lies between alpha and beta, at most the true one if it is beta or more, at least
the true one if it is alpha or less (fail-soft).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf
from threading import Thread
from typing import Any

import numpy as np

from counterplay.game import Game, UserError
from counterplay.native import native
from counterplay.search.limits import Limits, as_depth, deeper
from counterplay.search.repetition import PAST, comes_again, draw_value
from counterplay.search.result import ActionValue, Result, Unsuited
from counterplay.search.run import Iteration, Progress, deepen
from counterplay.search.suited import for_each_player, must_be_opponents
from counterplay.search.table import (
    AT_LEAST,
    AT_MOST,
    EXACT,
    NO_ACTION,
    Entry,
    Table,
    answers,
    bound_of,
    find,
    keep,
    table_key,
)
from counterplay.search.workspace import (
    BUSY,
    PLIES,
    REFINEMENTS,
    WIDTH,
    new_workspace,
    order_moves,
    reward,
    show_busy,
    take_free,
    take_next,
)

__all__ = ["REFINEMENTS", "Searcher", "alphabeta"]

_SURVEY = 1_000_000
"""Nodes of deepening before a search without estimates and limits goes for the end of the game."""


@native
def value(game, s, alpha, beta, depth, ply, w):  # type: ignore[no-untyped-def]
    """What `s` is worth to MAX, `depth` plies ahead. Leaves in `w.proven` whether that holds at any depth."""
    # 1. The end of the game.
    w.nodes += 1
    w.unused = min(w.unused, depth)
    w.length[ply] = 0
    w.proven = 1
    if game.is_terminal(s):
        return game.utility(s, 0)
    if w.nodes >= w.most_nodes:
        w.stop = 1

    # 2. The end of the search.
    if depth == 0 or ply == PLIES - 1 or w.stop:
        if w.use_quiescence:
            return quiet_value(game, s, alpha, beta, ply, w)
        w.proven = 0
        w.cutoffs += 1
        return game.evaluate(s, 0)

    # 3. A position that comes again.
    if game.knows.reversible and w.use_repetition and comes_again(game, s, ply, w):
        w.proven = 0
        w.cutoffs += 1
        return draw_value(game)

    # 4. From here on everything is seen by the player to move, who wants more than `low` and gets no more than `high`.
    p = game.player(s)
    sign = 1.0 if p == 0 else -1.0
    low, high = (alpha, beta) if p == 0 else (-beta, -alpha)

    # 5. What the transposition table knows of this state, if it was seen equally deep or to the end.
    key, known, is_canonical = 0, NO_ACTION, True
    if w.use_table:
        key = table_key(game, s)
        is_canonical = not game.knows.canonical or key == game.key(s)
        entry = find(w.table_at, w.mask, key)
        if answers(entry, alpha, beta, depth):
            w.proven = 1 if entry.proven else 0
            w.cutoffs += 0 if entry.proven else 1
            w.unused = min(w.unused, max(0, depth - entry.depth))
            return entry.value
        if entry.bound != 0 and is_canonical:
            known = entry.action

    # 6. If even passing is too good, so is some move.
    after = deeper(game, s, depth)
    if w.use_null_move and depth > 3 and high < inf and sign * game.evaluate(s, 0) >= high:
        other = game.passed(s)
        if game.player(other) != p:
            below, above = (np.nextafter(high, -inf), high) if p == 0 else (-high, np.nextafter(-high, inf))
            v = sign * value(game, other, below, above, depth - 3, ply + 1, w)
            if v >= high and not w.stop:
                w.proven = 0
                return sign * v

    # 7. The moves, the most promising first.
    n = order_moves(game, s, p, depth, ply, known, False, w)
    is_shared = w.busy_at != 0 and depth > 3
    best, best_move = -inf, NO_ACTION
    proven = 1
    for i in range(n):
        a = take_free(game, s, ply, i, n, w) if is_shared else take_next(ply, i, n, w)
        child = game.result(s, a)
        if is_shared:
            show_busy(table_key(game, child), True, w)
        is_open = True  # whether its value matters and is not known yet
        if i > 0 and w.use_scout and low > -inf:
            # 8. Scout: is it better than the best so far at all? Late moves are asked at a lesser depth first.
            just_above = np.nextafter(low, inf)
            below, above = (low, just_above) if p == 0 else (-just_above, -low)
            if w.use_reductions and i > 3 and depth > 2 and not (game.knows.is_noisy and game.is_noisy(s, a)):
                v = sign * value(game, child, below, above, after - 1, ply + 1, w)
                is_open = v > low
            if is_open:
                v = sign * value(game, child, below, above, after, ply + 1, w)
                is_open = low < v < high
        if is_open:
            # 9. Its value.
            below, above = (low, high) if p == 0 else (-high, -low)
            v = sign * value(game, child, below, above, after, ply + 1, w)
        if is_shared:
            show_busy(table_key(game, child), False, w)
        if w.stop:
            break
        if v > best:
            best, best_move = v, a
            low = max(low, v)
            w.line[ply, 0] = a
            w.length[ply] = w.length[ply + 1] + 1
            for j in range(w.length[ply + 1]):
                w.line[ply, j + 1] = w.line[ply + 1, j]
        # 10. Too good: the opponent will not let us get here.
        if v >= high:
            proven = w.proven
            reward(p, a, depth, ply, w)
            break
        proven &= w.proven

    w.proven = proven
    if w.stop:
        w.proven = 0
    elif w.use_table:
        best_move = best_move if is_canonical else NO_ACTION
        bound = bound_of(sign * best, alpha, beta)
        keep(w.table_at, w.mask, w.age, key, Entry(sign * best, best_move, depth, proven == 1, bound))
    return sign * best


@native
def quiet_value(game, s, alpha, beta, ply, w):  # type: ignore[no-untyped-def]
    """What `s` is worth when nothing is left to capture: the player to move may stand pat or make a noisy move."""
    w.cutoffs += 1
    w.proven = 0
    p = game.player(s)
    sign = 1.0 if p == 0 else -1.0
    low, high = (alpha, beta) if p == 0 else (-beta, -alpha)
    best = sign * game.evaluate(s, 0)
    if best >= high or ply == PLIES - 1 or w.stop:
        return sign * best
    low = max(low, best)
    n = order_moves(game, s, p, 0, ply, NO_ACTION, True, w)
    for i in range(n):
        a = take_next(ply, i, n, w)
        child = game.result(s, a)
        w.nodes += 1
        w.length[ply + 1] = 0
        if game.is_terminal(child):
            v = sign * game.utility(child, 0)
        else:
            below, above = (low, high) if p == 0 else (-high, -low)
            v = sign * quiet_value(game, child, below, above, ply + 1, w)
        best = max(best, v)
        low = max(low, v)
        if v >= high or w.stop:
            break
    w.proven = 0
    return sign * best


def alphabeta(
    game: Game,
    s: Any = None,
    depth: int | None = None,
    *,
    rounds: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    multi: int = 1,
    threads: int = 1,
    table_mb: float = 64,
    without: Iterable[str] = (),
    history: Sequence[Any] = (),
    progress: Progress | None = None,
) -> Result:
    """The best move at `s` (default: the initial state) as far as the limits allow; without limits, until solved.

    `multi` asks for the exact values of so many best moves, `without` names refinements to leave out ("all": all),
    `history` has the states before `s`, for games in which a repetition is a draw.
    """
    searcher = Searcher(game, table_mb=table_mb, threads=threads, without=without)
    return searcher.search(s, Limits(depth, rounds, nodes, seconds), multi, progress, history)


class Searcher:
    """A search that remembers: its table and its ordering serve the next move too."""

    def __init__(self, game: Game, *, table_mb: float = 64, threads: int = 1, without: Iterable[str] = ()) -> None:
        must_be_opponents(game, "alphabeta")
        if game.chance:
            raise Unsuited(f"alphabeta is for games without chance; {game} has chance: use expectiminimax")
        if threads < 1:
            raise UserError(f"a search has 1 thread or more, not {threads}")
        names = frozenset(REFINEMENTS if "all" in without else without)
        self.game = game
        self.table = None if "table" in names else Table(table_mb)
        self.without = names
        self._workspaces = [new_workspace(game, self.table, names) for _ in range(threads)]
        self._busy = np.zeros(BUSY, np.int64)
        for w in self._workspaces:
            w.busy_at = self._busy.ctypes.data if threads > 1 and w.use_order else 0

    def search(
        self,
        s: Any = None,
        limits: Limits | None = None,
        multi: int = 1,
        progress: Progress | None = None,
        history: Sequence[Any] = (),
        also: Iterable[int] = (),
    ) -> Result:
        """Search from `s`, with what is remembered of earlier searches.

        `also` has actions whose exact values are wanted, however bad they are.
        """
        if multi < 1:
            raise UserError(f"multi is the number of best moves wanted, 1 or more, not {multi}")
        game, limits = self.game, limits or Limits()
        if limits.steps >= PLIES:
            if limits.depth or limits.rounds:
                raise UserError(f"alphabeta looks less than {PLIES} plies ahead, not {limits.steps:,}")
            limits = replace(limits, depth=PLIES - 1)
        s = game.initial() if s is None else s
        first, *others = self._workspaces
        value(game, s, -inf, inf, 0, 0, first)  # compiles, outside the clock
        for w in self._workspaces:
            w.nodes = w.stop = 0
            w.most_nodes = limits.nodes or (1 << 62) - 1
            w.history[:] //= 8
            if limits.rounds is not None:  # there is no such thing as a round less half a move
                w.use_reductions = w.use_null_move = 0
            if self.table is not None:
                w.age = self.table.age
            if w.use_repetition:
                earlier = history[-min(PAST, game.reversible(s)) :] if game.reversible(s) else ()
                w.path[: len(earlier) + 1] = [game.key(each) for each in (*earlier, s)]
                w.past = len(earlier)
        if self.table is not None:
            self.table.grow_older()
        roots = [_Root(game, s, w, multi, frozenset(also)) for w in self._workspaces]
        plan = self._depths(roots[0], limits)
        helpers = [Thread(target=root.help, args=(roots[0], limits), daemon=True) for root in roots[1:]]

        def look(depth: int, tally: Any) -> Iteration:
            return roots[0].look(depth)

        for helper in helpers:
            helper.start()
        try:
            table = 0 if self.table is None else self.table.bytes
            settings = {"without": sorted(self.without), "threads": len(roots), "multi": multi, "table_bytes": table}
            result = deepen(game, s, "alphabeta", limits, look, progress, plan, settings, tally=first)
        finally:
            for w in others:
                w.stop = 1
            for helper in helpers:
                helper.join()
        if any(w.too_wide for w in self._workspaces):
            raise UserError(f"{game} has more than {WIDTH} moves in a position, which is more than alphabeta takes")
        return replace(result, nodes=sum(int(w.nodes) for w in self._workspaces))

    def _depths(self, leader: _Root, limits: Limits) -> Iterator[int]:
        """The depths to search to, one after the other: from one that the search for the move before has reached.

        Without estimates a depth short of the end says little and costs much. When such a game is to be solved, the
        first depths are there to have a move, and then the search goes to the end at once.
        """
        s, w = leader.s, leader.w
        steps = limits.steps
        if w.use_deepening or limits.is_anytime:
            steps = 1
            if self.table is not None and limits.rounds is None and not self.game.is_terminal(s):
                entry = find(self.table.address, self.table.mask, table_key(self.game, s))
                steps = min(max(1, entry.depth), limits.steps)
        is_survey = limits.steps == PLIES - 1 and not limits.is_anytime and not self.game.knows.evaluate
        while steps <= limits.steps:
            leader.steps = steps
            yield steps
            steps = limits.steps if is_survey and steps < limits.steps and w.nodes > _SURVEY else steps + 1


class _Root:
    """The root of a search in one thread: keeps the order of the moves from one depth to the next."""

    def __init__(self, game: Game, s: Any, w: Any, multi: int, also: frozenset[int]) -> None:
        self.game, self.s, self.w, self.multi, self.also = game, s, w, multi, also
        self.steps = 0
        """The depth of the current search, in plies or rounds."""
        self.over = game.is_terminal(s)
        self.p = 0 if self.over else game.player(s)
        self.sign = 1.0 if self.p == 0 else -1.0
        self.listed = [] if self.over else [int(a) for a in game.actions(s)]
        self.children = {a: game.result(s, a) for a in self.listed}
        self.order = list(self.listed)
        if w.use_priority:
            self.order.sort(key=lambda a: -game.priority(s, a))
        elif w.use_successors:
            self.order.sort(key=lambda a: -game.evaluate(self.children[a], self.p))
        self.expected: float | None = None
        low, high = game.utility_range
        self.low, self.high = ((low, high) if self.p == 0 else (-high, -low)) if w.use_bounds else (-inf, inf)

    def look(self, depth: int) -> Iteration:
        """Search to one depth, first with the value of the depth before in mind."""
        game, w = self.game, self.w
        if self.over:
            v = value(game, self.s, -inf, inf, depth, 0, w)
            return Iteration(for_each_player(game, float(v)), (), ())
        found = None
        is_only_best = self.multi == 1 and not self.also
        if w.use_aspiration and self.expected is not None and is_only_best and self.high < inf:
            margin = (self.high - self.low) / 64
            below, above = self.expected - margin, self.expected + margin
            found = self._moves(depth, max(below, self.low), min(above, self.high))
            if not w.stop and not (below < found[1] < above):
                found = None
        best, v, values, lines, proven = found or self._moves(depth, self.low, self.high)
        if not w.stop:
            self.expected = v
            self.order.sort(key=lambda a: a != best)  # stable: the best to the front
            w.cutoffs = 0 if proven else max(1, int(w.cutoffs))
            by_value = sorted((a for a, (_, exact) in values.items() if exact), key=lambda a: -values[a][0])
            for a in {best, *by_value[: self.multi], *self.also.intersection(by_value)}:
                lines[a] = self._continued(lines[a], self.sign * values[a][0], depth)
        actions = tuple(self._reported(a, values, lines) for a in self.listed)
        return Iteration(for_each_player(game, self.sign * v), actions, lines[best])

    def _moves(self, depth: int, low: float, high: float) -> Any:
        """Search the moves between `low` and `high`, all seen by the player to move."""
        game, s, w = self.game, self.s, self.w
        w.nodes += 1
        after = deeper(game, s, depth)
        values: dict[int, tuple[float, bool]] = {}
        unproven: list[int] = []
        top: list[float] = []  # the largest exact values, at most `multi`
        best, best_value = self.order[0], -inf
        lines: dict[int, tuple[int, ...]] = {best: (best,)}
        for i, a in enumerate(self.order):
            child = self.children[a]
            floor = low if len(top) < self.multi or a in self.also else max(low, min(top))
            v = inf
            if i >= self.multi and w.use_scout and floor > -inf and a not in self.also:
                v = self._child(child, floor, float(np.nextafter(floor, inf)), after)
            if v > floor and not w.stop:
                v = self._child(child, floor, high, after)
            if w.stop:
                break
            exact = v > floor or (v <= low and low == self.low > -inf)
            values[a] = v, exact
            if not w.proven:
                unproven.append(a)
            if exact:
                top = sorted([*top, v], reverse=True)[: self.multi]
            if exact or v > best_value:
                lines[a] = (a, *(int(w.line[1, j]) for j in range(int(w.length[1]))))
            if v > best_value:
                best, best_value = a, v
            if best_value >= high and len(top) >= self.multi and self.also <= values.keys():
                break
        if not values:
            return best, self.sign * float(game.evaluate(s, 0)), values, lines, False
        # Nothing tops the highest utility: once that is certain, what is uncertain about the others does not matter.
        proven = not unproven or (best_value >= self.high and best not in unproven)
        if proven:
            for a in unproven:
                del values[a]
        return best, best_value, values, lines, proven

    def _continued(self, line: tuple[int, ...], v: float, depth: int) -> tuple[int, ...]:
        """The line, which ends where the table had the answer, continued by what the table knows.

        A state on it is worth `v`, so that a move after which the player has that much for sure is a best one.
        """
        game, s = self.game, self.s
        for a in line:
            s, depth = game.result(s, a), deeper(game, s, depth)
        while self.w.use_table and depth > 0 and not game.is_terminal(s) and len(line) < PLIES:
            enough = AT_LEAST if game.player(s) == 0 else AT_MOST
            depth = deeper(game, s, depth)
            fits = (a for a in map(int, game.actions(s)) if self._has(game.result(s, a), v, enough, depth))
            best = next(fits, None)
            if best is None:
                break
            line, s = (*line, best), game.result(s, best)
        return line

    def _has(self, s: Any, v: float, enough: int, depth: int) -> bool:
        """Whether `s` is known to be worth `v`, or a bound is `v` that is `enough` or beyond which there is nothing."""
        if self.game.is_terminal(s):
            return bool(self.game.utility(s, 0) == v)
        entry = find(self.w.table_at, self.w.mask, table_key(self.game, s))
        fits = entry.bound in (EXACT, enough) or (entry.bound and v in self.game.utility_range)
        return bool(fits and entry.value == v and (entry.proven or entry.depth == depth))

    def _child(self, child: Any, low: float, high: float, depth: int) -> float:
        alpha, beta = (low, high) if self.p == 0 else (-high, -low)
        return float(self.sign * value(self.game, child, alpha, beta, depth, 1, self.w))

    def _reported(
        self, a: int, values: dict[int, tuple[float, bool]], lines: dict[int, tuple[int, ...]]
    ) -> ActionValue:
        """What is known of an action, for MAX; of one that was not looked at, the best that it could be."""
        v, exact = values.get(a, (self.game.utility_range[1] if self.p == 0 else -self.game.utility_range[0], False))
        line = lines[a] if exact else ()
        return ActionValue(a, self.sign * v, exact, for_each_player(self.game, self.sign * v), line=line)

    def help(self, leader: _Root, limits: Limits) -> None:
        """Search to the depth that the leader searches to, then deeper, until stopped: the table is for both."""
        steps = 0
        while not self.w.stop and steps < limits.steps:
            steps = max(steps + 1, leader.steps)
            self.look(as_depth(steps, limits.rounds is not None))
