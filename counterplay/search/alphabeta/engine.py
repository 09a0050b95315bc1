"""Alpha-beta as a player uses it: settings, limits, threads, the root, and a table that serves the next move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from math import inf
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import Game, UserError
from counterplay.search.alphabeta.endings import Endings
from counterplay.search.alphabeta.kernel import value
from counterplay.search.alphabeta.workspace import (
    BUSY,
    PLIES,
    REFINEMENTS,
    SELECTIVE,
    WIDTH,
    forget,
    new_workspace,
    use_refinements,
)
from counterplay.search.deepening import DepthEngine
from counterplay.search.engine import Abilities, Request, of_position
from counterplay.search.limits import Limits, as_depth, deeper
from counterplay.search.repetition import draw_value, set_past
from counterplay.search.result import ActionValue, Result
from counterplay.search.root import Iteration, OpponentsRoot
from counterplay.search.run import NO_LIMIT, Helpers, Progress, must_be_threads
from counterplay.search.suited import for_each_player
from counterplay.search.table import (
    AT_LEAST,
    AT_MOST,
    EXACT,
    UNPROVEN,
    TranspositionTable,
    find,
    table_key,
)
from counterplay.search.watching import Watcher, watched

__all__ = ["REFINEMENTS", "AlphaBeta", "alphabeta"]

_ENDING_NODES = 200_000
"""Nodes to spend on how soon a game that is decided ends."""
_SURVEY = 1_000_000
"""Nodes of deepening before a search without estimates and limits goes for the end of the game."""

_SMALL, _SHALLOW = 10_000, 10
"""Nodes and plies beyond which a search is worth a table in large pages."""


@of_position
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
    engine = AlphaBeta(game, table_mb=table_mb, threads=threads, without=without)
    limits = Limits(depth, rounds, nodes, seconds)
    return engine.search(s, limits, multi=multi, history=history, progress=progress)


class AlphaBeta(DepthEngine):
    """Alpha-beta as an engine: its table and its ordering serve the next move too."""

    name = "alphabeta"
    abilities = Abilities(history=True, threads=True, chance=False)

    def __init__(
        self, game: Game, *, table_mb: float = 64, threads: int = 1, without: str | Iterable[str] = ()
    ) -> None:
        super().__init__(game)
        must_be_threads(threads)
        self.without = _named(without)
        self.table = None if "table" in self.without else TranspositionTable(table_mb)
        self._tallies = [new_workspace(game, self.table, self.without) for _ in range(threads)]
        self._busy = np.zeros(BUSY, np.int64)
        for w in self._tallies:
            w.busy_at = self._busy.ctypes.data if threads > 1 and w.use_order else 0

    @property
    def memory(self) -> Any:
        """The workspace of the first thread, for `worth`. The engine must outlive it."""
        return self._tally

    def new_game(self, seed: int | None = None) -> None:
        if self.table is not None:
            self.table.clear()
        for w in self._tallies:
            forget(w)

    def quiet_worth(self, s: Any) -> float:
        """What `s` is worth to MAX after all noisy moves, if the search follows them, else its estimate."""
        return float(value(self.game, s, -inf, inf, 0, 0, self._scratch))

    @cached_property
    def _scratch(self) -> Any:
        """A workspace without a table, for what is no search."""
        return new_workspace(self.game, None, self.without | {"table"})

    @property
    def follows_noise(self) -> bool:
        """Whether the search follows noisy moves beyond its depth."""
        return bool(self._tally.use_quiescence)

    def watch(self, s: Any, depth: int | None, watcher: Watcher) -> None:
        """Search `s` to a depth, or to the end, while the watcher is told of every state looked at. Without a table."""
        with watched(value, watcher):
            value(self.game, s, -inf, inf, min(depth or PLIES, PLIES - 1), 0, self._scratch)

    # ---- a search

    def _answer(self, request: Request, progress: Progress | None) -> Result:
        limits = request.limits
        if limits.steps >= PLIES:
            if limits.depth or limits.rounds:
                raise UserError(f"alphabeta looks less than {PLIES} plies ahead, not {limits.steps:,}")
            request = request._replace(limits=replace(limits, depth=PLIES - 1))
        self._tally.most_nodes = NO_LIMIT
        value(self.game, request.state, -inf, inf, 0, 0, self._tally)  # compiles, outside the clock
        for w in self._tallies:
            self._prepare(w, request)
        if self.table is not None:
            self.table.grow_older()
        leader, *others = (_Root(self.game, w, request) for w in self._tallies)
        with Helpers([partial(root.help, leader) for root in others], self.stop):
            result = self._deepen(request, leader, self._depths(leader, request.limits), progress)
        if any(w.too_wide for w in self._tallies):
            raise UserError(
                f"{self.game} has more than {WIDTH} moves in a position, which is more than alphabeta takes"
            )
        return replace(result, nodes=sum(int(w.nodes) for w in self._tallies))

    def _finished(self, result: Result, request: Request) -> Result:
        """The result with the shortest win, or the longest defence, if the game is decided and that is soon found."""
        game, s, limits, w = self.game, request.state, request.limits, self._tally
        result = replace(result, may_hide=tuple(sorted(name for name in SELECTIVE if w[f"use_{name}"])))
        if result.within is None or result.action is None or request.only:
            return result
        most_nodes = _ENDING_NODES if limits.nodes is None else min(_ENDING_NODES, limits.nodes - int(w.nodes))
        # Where there is more to win than a win, that comes before how soon.
        if w.stop or most_nodes < 1 or limits.rounds is not None or result.value not in game.utility_range:
            return result
        winner = 0 if result.value > draw_value(game) else 1
        self._endings.w.stop = 0
        if self._endings.w.use_repetition:
            set_past(game, s, request.history, self._endings.w)
        ending = self._endings.find(s, winner, result.value, result.within, most_nodes)
        if ending is None:
            return result
        best = next(each for each in result.actions if each.action == ending.line[0])
        best = replace(best, value=result.value, values=result.values, exact=True, proven=True)
        best = replace(best, within=ending.plies, line=ending.line)
        return replace(
            result,
            action=best.action,
            line=ending.line,
            actions=tuple(best if each.action == best.action else each for each in result.actions),
            within=ending.plies,
            is_shortest=True,
        )

    @cached_property
    def _endings(self) -> Endings:
        return Endings(self.game, self.without)

    def stop(self) -> None:
        super().stop()
        if "_endings" in self.__dict__:
            self._endings.w.stop = 1

    def _prepare(self, w: Any, request: Request) -> None:
        """Make a thread's workspace ready for a search; what it has learned of the order of moves counts less now."""
        game, s, limits = self.game, request.state, request.limits
        w.nodes = w.too_wide = 0
        w.most_nodes = limits.nodes or NO_LIMIT
        w.history[:] >>= 3
        use_refinements(game, w, self.without | ({"reductions", "null_move"} if limits.rounds else set()))
        if self.table is not None:
            w.age = self.table.age
        if w.use_repetition:
            set_past(game, s, request.history, w)

    def _settings(self, request: Request) -> dict[str, Any]:
        return {
            "without": sorted(self.without),
            "threads": len(self._tallies),
            "multi": request.multi,
            "table_bytes": 0 if self.table is None else self.table.bytes,
        }

    def _depths(self, leader: _Root, limits: Limits) -> Iterator[int]:
        """The depths to search to, one after the other: from one that the search for the move before has reached.

        Without estimates a depth short of the end says little and costs much. When such a game is to be solved, the
        first depths are there to have a move, and then the search goes to the end at once.
        """
        s, w = leader.s, leader.tally
        steps = limits.steps
        if w.use_deepening or limits.is_anytime:
            steps = 1
            if self.table is not None and limits.rounds is None and not leader.is_over:
                entry = find(self.table.address, self.table.mask, table_key(self.game, s))
                steps = min(max(1, entry.depth), limits.steps)
        is_survey = limits.steps == PLIES - 1 and not limits.is_anytime and not self.game.knows.evaluate
        while steps <= limits.steps:
            leader.steps = steps
            if self.table is not None and (w.nodes > _SMALL or steps > _SHALLOW):
                self.table.expect_much()
            yield steps
            steps = limits.steps if is_survey and steps < limits.steps and w.nodes > _SURVEY else steps + 1


def _named(without: str | Iterable[str]) -> frozenset[str]:
    """Refinements by their names; `all` are all of them, `selective` those that may hide something."""
    groups = {"all": frozenset(REFINEMENTS), "selective": SELECTIVE}
    names = [without] if isinstance(without, str) else list(without)
    return frozenset().union(*(groups.get(name, {name}) for name in names))


class _Seen(NamedTuple):
    """A root action, as the player to move sees it."""

    value: float
    exact: bool
    within: int
    """Plies to the end after the action, or UNPROVEN."""
    line: tuple[int, ...]


class _Moves(NamedTuple):
    """What a search of all moves found, as the player to move sees it."""

    best: int
    value: float
    seen: dict[int, _Seen]
    finished: bool
    within: int
    """Plies to the end, or UNPROVEN."""


class _Root(OpponentsRoot):
    """The root of a search in one thread: keeps the order of the moves from one depth to the next."""

    def __init__(self, game: Game, w: Any, request: Request) -> None:
        s = request.state
        super().__init__(game, s, w)
        self.only = request.only
        self.multi, self.also, self.limits = request.multi, request.also, request.limits
        self.steps = 0
        """The depth of the current search, in plies or rounds."""
        self.is_over = game.is_terminal(s)
        self.p = 0 if self.is_over else game.player(s)
        self.sign = 1.0 if self.p == 0 else -1.0
        self.order = [] if self.is_over else list(self.actions)
        self.children = {a: game.result(s, a) for a in self.order}
        if w.use_priority:
            self.order.sort(key=lambda a: -game.priority(s, a))
        elif w.use_successors:
            self.order.sort(key=lambda a: -game.evaluate(self.children[a], self.p))
        self.expected: float | None = None
        low, high = game.utility_range
        self.low, self.high = ((low, high) if self.p == 0 else (-high, -low)) if w.use_bounds else (-inf, inf)

    def look(self, depth: int) -> Iteration:
        """Search to one depth, first with the value of the depth before in mind."""
        if self.is_over:
            return self.over(depth)
        found = self._moves_as_expected(depth) or self._moves(depth, self.low, self.high)
        if found.finished:
            self.expected = found.value
            self.order.sort(key=lambda a: a != found.best)  # stable: the best to the front
        actions = self._actions(found, depth)
        line = next(each.line for each in actions.values() if each.action == found.best)
        values = for_each_player(self.game, self.sign * found.value)
        proven = found.within != UNPROVEN
        within = found.within if proven and values[0] != draw_value(self.game) else None
        return Iteration(values, self.report(actions, self.p), line, found.finished, proven, within)

    def help(self, leader: _Root) -> None:
        """Search to the depth that the leader searches to, then deeper, until stopped: the table is for both."""
        steps = 0
        while not self.tally.stop and steps < self.limits.steps:
            steps = max(steps + 1, leader.steps)
            self.look(as_depth(steps, self.limits.rounds is not None))

    def _moves_as_expected(self, depth: int) -> _Moves | None:
        """What was found near the value of the depth before (aspiration); None if the value is not there."""
        w = self.tally
        if not w.use_aspiration or self.expected is None or self.multi > 1 or self.also or self.high == inf:
            return None
        margin = (self.high - self.low) / 64
        below, above = self.expected - margin, self.expected + margin
        found = self._moves(depth, max(below, self.low), min(above, self.high))
        return found if not found.finished or below < found.value < above else None

    def _moves(self, depth: int, low: float, high: float) -> _Moves:
        """Search the moves between `low` and `high`."""
        game, w = self.game, self.tally
        w.nodes += 1
        after = deeper(game, self.s, depth)
        seen: dict[int, _Seen] = {}
        top: list[float] = []  # the largest exact values, at most `multi`
        best, best_value = self.order[0], -inf
        for i, a in enumerate(self.order):
            wanted = a in self.also
            floor = low if len(top) < self.multi or wanted else max(low, min(top))
            is_scouted = i >= self.multi and w.use_scout and floor > -inf and not wanted
            if is_scouted:  # is it better at all?
                v = self._child(a, floor, float(np.nextafter(floor, inf)), after)
            if not is_scouted or (v > floor and not w.stop):
                v = self._child(a, floor, high, after)
            if w.stop:
                break
            exact = v > floor or (v <= low and low == self.low > -inf)
            line = (a, *map(int, w.line[1, : int(w.length[1])])) if exact or v > best_value else (a,)
            seen[a] = _Seen(v, exact, int(w.within), line)
            if exact:
                top = sorted([*top, v], reverse=True)[: self.multi]
            if v > best_value:
                best, best_value = a, v
            if best_value >= high and len(top) >= self.multi and self.also <= seen.keys():
                break
        if not seen:
            return _Moves(best, self.sign * self.estimates()[0], seen, False, UNPROVEN)
        return self._decided(best, best_value, seen)

    def _decided(self, best: int, v: float, seen: dict[int, _Seen]) -> _Moves:
        """What follows from the moves that were seen: whether it is proven, and of equal proofs the better one.

        Nothing tops the highest utility: once that is certain, what is uncertain about the others does not matter.
        """
        finished, proofs = not self.tally.stop, {a: each for a, each in seen.items() if each.within != UNPROVEN}
        if v >= self.high and best in proofs:  # the shortest win, also of those that the table knows from before
            known = {a: each for a, each in {**self._known_wins(seen), **proofs}.items() if each.value >= v}
            best = min(known, key=lambda a: (known[a].within, a != best))
            return _Moves(best, v, {**proofs, best: known[best]}, finished, known[best].within + 1)
        if not finished or len(proofs) < len(seen):
            return _Moves(best, v, seen, finished, UNPROVEN)
        if v <= self.low:  # all is lost: hold out as long as can be
            best = max(proofs, key=lambda a: (proofs[a].value, proofs[a].within, a == best))
        return _Moves(best, v, seen, True, 1 + max(each.within for each in proofs.values()))

    def _known_wins(self, seen: dict[int, _Seen]) -> dict[int, _Seen]:
        """The moves not looked at of which the table knows that they win."""
        found = {}
        enough = (EXACT, AT_LEAST if self.p == 0 else AT_MOST)
        for a in self.order if self.tally.use_table else ():
            if a not in seen:
                entry = find(self.tally.table_at, self.tally.mask, table_key(self.game, self.children[a]))
                is_proven = entry.within != UNPROVEN and entry.bound in enough
                if is_proven and self.sign * entry.value >= self.high:
                    found[a] = _Seen(self.sign * entry.value, True, entry.within, (a,))
        return found

    def _child(self, a: int, low: float, high: float, depth: int) -> float:
        """What a move is worth to the player to move, if that is between `low` and `high`."""
        alpha, beta = (low, high) if self.p == 0 else (-high, -low)
        return float(self.sign * value(self.game, self.children[a], alpha, beta, depth, 1, self.tally))

    def _actions(self, found: _Moves, depth: int) -> dict[int, ActionValue]:
        """What was found of each move, for MAX; the lines of the best ones as far as the table knows them."""
        exact = sorted((a for a, each in found.seen.items() if each.exact), key=lambda a: -found.seen[a].value)
        told = {found.best, *exact[: self.multi], *self.also.intersection(exact)} if found.finished else set()
        actions = {}
        for a, each in found.seen.items():
            v = self.sign * each.value
            line = self._continued(each.line, v, depth) if a in told else each.line
            line = line if each.exact or a == found.best else (a,)
            proven = each.exact and each.within != UNPROVEN
            within = each.within + 1 if proven and v != draw_value(self.game) else None
            values = for_each_player(self.game, v)
            actions[a] = ActionValue(a, v, each.exact, values, proven, within, line=line)
        if found.best not in actions:  # stopped before anything was found
            best_case = self.unseen(self.p)
            actions[found.best] = ActionValue(found.best, best_case[0], False, best_case)
        return actions

    def _continued(self, line: tuple[int, ...], v: float, depth: int) -> tuple[int, ...]:
        """The line, which ends where the table had the answer, continued by what the table knows.

        A state on it is worth `v`, so that a move after which the player has that much for sure is a best one.
        """
        game, s = self.game, self.s
        for a in line:
            s, depth = game.result(s, a), deeper(game, s, depth)
        while self.tally.use_table and depth > 0 and not game.is_terminal(s) and len(line) < PLIES:
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
        entry = find(self.tally.table_at, self.tally.mask, table_key(self.game, s))
        fits = entry.bound in (EXACT, enough) or (entry.bound and v in self.game.utility_range)
        return bool(fits and entry.value == v and (entry.within != UNPROVEN or entry.depth == depth))
