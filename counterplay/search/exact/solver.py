"""When the rest of a game is solved instead of looked at ply by ply, and what is said of it then.

A search that may go on to the end of the game solves it as soon as a few depths have given it an order of moves. One
with a limit first finds out what solving would cost: it solves ever more plies of one line, from its end back, and from
how the cost grows says what the whole would take. If that fits the limit, it tries; if it fails after all, it goes on
as before, with the rest of the limit.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from math import exp, inf, log
from typing import Any

import numpy as np

from counterplay.core.game import Game
from counterplay.search.engine import Request
from counterplay.search.exact.kernel import ask
from counterplay.search.exact.memory import BUSY, PLIES, SOUND, new_memory
from counterplay.search.repetition import draw_value
from counterplay.search.result import ActionValue
from counterplay.search.root import Iteration, OpponentsRoot
from counterplay.search.run import NO_LIMIT
from counterplay.search.suited import for_each_player
from counterplay.search.table import TranspositionTable

__all__ = ["Solver", "Solving"]

_SURVEY, _BLIND_SURVEY = 3_000, 100
"""Nodes of deepening before the rest is solved: they give a move, and an order for the moves of the root.

Few of them without estimates, which would tell one move from another.
"""
_SOUNDING = 0.03
"""The part of a limit that finding out the cost may take."""
_HOPE = 1.0
"""Solving is tried if it is expected to cost no more than this part of what is left of the limit."""
_BLIND_HOPE = 20.0
"""The same without estimates: then depths that do not see the end say little, and what is expected is a rough guess."""
_SHARE = 0.75
"""The part of what is left of a limit that is spent on trying."""
_LINE_NODES = 100_000
"""Nodes to spend on the line after the first move, beyond half of what solving took."""
_PATIENCE = (100, 3_000, 100_000)
"""Nodes to spend on each move, to find one for the line: at first few on each, then more."""
_SMALL, _SMALL_NODES = 1 << 18, 100_000
"""Entries of the table that a search begins with, and the nodes after which it begins again with all of it."""
_SECOND = 2_000_000
"""Nodes in a second, until the speed is known."""
_IDLE_SECONDS = 0.0005


class Solver:
    """What an engine keeps for solving: the table, which holds true from move to move, and memory for each thread."""

    def __init__(self, game: Game, table_mb: float, threads: int) -> None:
        self._table = TranspositionTable(table_mb)
        self._busy = np.zeros(BUSY, np.int64)
        self._entries = self._table.bytes // 16
        self.memories = [new_memory(game, self._table.address, self._entries) for _ in range(threads)]
        for w in self.memories:
            w.busy_at = self._busy.ctypes.data if threads > 1 else 0
        self.nodes_per_second = float(_SECOND)
        self.is_all = False
        self.use_part(is_all=False)

    def use_part(self, is_all: bool) -> None:
        """Use all of the table from now on, or for a start as much of it as fits the processor's cache.

        To touch memory for the first time costs more than to solve what is small.
        """
        self.is_all = is_all
        if is_all:
            self._table.expect_much()
        for w in self.memories:
            w.mask = (self._entries if is_all else min(self._entries, _SMALL)) - 4

    def clear(self) -> None:
        """Forget everything."""
        self._table.clear()


class Solving(OpponentsRoot):
    """The root of an alpha-beta search that solves the rest of the game when that can be done."""

    def __init__(self, roots: Sequence[Any], request: Request, solver: Solver) -> None:
        leader, *self.helpers = roots
        super().__init__(leader.game, leader.s, leader.tally)
        self.leader, self.request, self.solver = leader, request, solver
        self.w = solver.memories[0]
        self.left = int(self.game.plies_left(self.s))
        self.p, self.sign = leader.p, leader.sign
        self.only = request.only
        self._began = time.perf_counter()
        self._expected: float | None = None
        self._is_solving = self._has_failed = False
        for w in solver.memories:
            w.root_left = self.left
        self._compile()

    def _compile(self) -> None:
        """Have the kernel compiled before the clock runs."""
        t = self.tally
        nodes, most_nodes, t.most_nodes = t.nodes, t.most_nodes, NO_LIMIT
        ask(self.game, self.s, 0.0, 0.0, PLIES - 1, t, self.w)
        t.nodes, t.most_nodes = nodes, most_nodes

    # ---- one depth

    def look(self, depth: int) -> Iteration:
        """Solve the game, if it is time for that and it can be done; else search to the depth as alpha-beta does."""
        nodes = self._allowed(depth)
        found = self._solved(nodes) if nodes > 0 else None
        return self.leader.look(depth) if found is None else found  # type: ignore[no-any-return]

    def _allowed(self, depth: int) -> int:
        """How many nodes may be spent on solving now."""
        t = self.tally
        enough = _SURVEY if self.game.knows.evaluate else _BLIND_SURVEY
        if self._has_failed or t.stop or (t.nodes < enough and depth < self.left):
            return 0
        limits = self.request.limits
        if not limits.is_anytime:
            return NO_LIMIT
        room = float(inf if limits.nodes is None else limits.nodes - t.nodes)
        if self._expected is None:
            self._expected = self._cost(_SOUNDING * min(room, self._nodes_in_time()))
        room = min(room, self._nodes_in_time())
        hope = _HOPE if self.game.knows.evaluate else _BLIND_HOPE
        return int(_SHARE * room) if self._expected <= hope * room else 0

    def _nodes_in_time(self) -> float:
        """How many nodes there is time for."""
        seconds = self.request.limits.seconds
        if seconds is None:
            return inf
        return max(0.0, seconds - (time.perf_counter() - self._began)) * self.solver.nodes_per_second

    def _cost(self, nodes: float) -> float:
        """How many nodes it will probably take to solve the game, as far as can be found out with so many."""
        t, w = self.tally, self.w
        w.most_nodes, w.stop, w.most_cost = t.nodes + int(nodes), 0, int(nodes / 4)
        before, began = int(t.nodes), time.perf_counter()
        ask(self.game, self.s, 0.0, 0.0, SOUND, t, w)
        spent, seconds = int(t.nodes) - before, time.perf_counter() - began
        if spent > 1_000 and seconds > 0:
            self.solver.nodes_per_second = spent / seconds
        costs = w.cost.tolist()
        seen = [(ply, log(costs[ply])) for ply in range(PLIES) if costs[ply] > 10][:10]
        if not seen:
            return inf if costs[0] == 0 else 1.0
        first, last = seen[0], seen[-1]
        slope = (first[1] - last[1]) / (last[0] - first[0]) if last[0] > first[0] else 1.0
        return exp(min(first[1] + max(slope, 0.1) * first[0], 100.0))

    # ---- solving

    def _solved(self, nodes: int) -> Iteration | None:
        """What solving says; None if it was stopped or took more nodes than it may."""
        solver = self.solver
        found = self._tried(nodes if solver.is_all else min(nodes, _SMALL_NODES))
        if found is None and not solver.is_all and nodes > _SMALL_NODES and not self.tally.stop:
            solver.use_part(is_all=True)
            found = self._tried(nodes)
        self._has_failed = found is None
        return found

    def _tried(self, nodes: int) -> Iteration | None:
        """The same with the part of the table that is used now."""
        t, w = self.tally, self.w
        before = int(t.nodes)
        for each in self.solver.memories:
            each.stop, each.deepest, each.most_nodes = 0, 0, NO_LIMIT
        w.most_nodes = min(NO_LIMIT, before + nodes)
        self._is_solving = True
        for helper in self.helpers:
            helper.tally.stop = 1  # no more alpha-beta
        moves = _Moves(self, self._order())
        moves.settle(t, w)
        self._is_solving = False
        for each in self.solver.memories[1:]:
            each.stop = 1
        if not moves.is_done:
            return None
        best = moves.best
        line = (moves.listed[best], *self._line(best, moves, (int(t.nodes) - before) // 2 + _LINE_NODES))
        t.unused = int(t.unused) - max(int(w.deepest), len(line))  # it began as the depth that was asked for
        values = for_each_player(self.game, self.sign * moves.worth[best])
        within = self.left if values[0] != draw_value(self.game) else None
        return Iteration(values, partial(self._told, moves, within), line, finished=True, proven=True, within=within)

    def _order(self) -> list[int]:
        """The numbers of the moves, the best of the last depth first."""
        return self.tally.order[: len(self.leader.listed)].tolist()  # type: ignore[no-any-return]

    def _told(self, moves: _Moves, within: int | None) -> tuple[ActionValue, ...]:
        """Every move in the game's order."""
        game, unseen, told = self.game, self.unseen(self.p), []
        for k, a in enumerate(moves.listed):
            if k in moves.worth:
                v, is_exact = self.sign * moves.worth[k], moves.is_exact[k]
                plies = self.left if is_exact and v != draw_value(game) else None
                told.append(ActionValue(a, v, is_exact, for_each_player(game, v), is_exact, plies))
            else:
                told.append(ActionValue(a, unseen[0], False, unseen))
        return tuple(told)

    def _line(self, best: int, moves: _Moves, nodes: int) -> list[int]:
        """Best play after a move, as far as so many nodes go: at each state a move that keeps the value."""
        game, t = self.game, self.tally
        s, v, line = moves.children[best], self.sign * moves.worth[best], list[int]()
        counted, most_nodes, t.most_nodes = int(t.nodes), int(t.most_nodes), NO_LIMIT
        while not game.is_terminal(s):
            p, actions = game.player(s), list(map(int, game.actions(s)))
            each = ((most, a) for most in _PATIENCE for a in actions)  # the table soon has one of them
            a = next((a for most, a in each if self._keeps(game.result(s, a), v, p, most)), None)
            if a is None or t.nodes > counted + nodes:
                break
            line.append(a)
            s = game.result(s, a)
        t.nodes, t.most_nodes = counted, most_nodes  # what is looked at again for this is not counted
        return line

    def _keeps(self, s: Any, v: float, p: int, nodes: int) -> bool:
        """Whether `p`, who moves to `s`, has the value `v` there, which is all that he can have; as far as is found."""
        self.w.most_nodes, self.w.stop = self.tally.nodes + nodes, 0
        alpha, beta = (np.nextafter(v, -inf), v) if p == 0 else (v, np.nextafter(v, inf))
        found = ask(self.game, s, alpha, beta, 1, self.tally, self.w)
        return bool(not self.tally.stop and not self.w.stop and (found >= v if p == 0 else found <= v))

    # ---- the other threads

    def help(self, number: int) -> None:
        """What another thread does: search as alpha-beta does, and solve while the leader solves."""
        root, w = self.helpers[number - 1], self.solver.memories[number]
        t = root.tally
        while self.tally.stop != 1:  # which is set before all others; it may be overtaken for a moment
            if self._is_solving:
                _Moves(self, self._order()).settle(t, w)
            else:
                root.help(self.leader)
            t.stop = 0
            time.sleep(_IDLE_SECONDS)


class _Moves:
    """The moves of the root while they are solved: values for the player to move."""

    def __init__(self, root: Solving, order: Sequence[int]) -> None:
        self.root, self.order = root, order
        self.listed: tuple[int, ...] = root.leader.listed
        self.children = [root.game.result(root.s, a) for a in self.listed]
        self.worth: dict[int, float] = {}
        self.is_exact: dict[int, bool] = {}
        self.best = order[0]
        self.is_done = False

    def settle(self, t: Any, w: Any) -> None:
        """Solve one after the other, until the best is known, and the others that are asked for."""
        root = self.root
        request, sign = root.request, root.sign
        least, most = sorted(sign * v for v in root.game.utility_range)
        tops: list[float] = []
        asked = {k for k, a in enumerate(self.listed) if a in request.also}
        t.nodes += 1
        for i, k in enumerate(self.order):
            floor = least if len(tops) < request.multi or k in asked else max(least, tops[-1])
            v = inf
            if i >= request.multi and k not in asked:
                v = self._value(k, floor, float(np.nextafter(floor, inf)), t, w)
            if v > floor and not t.stop and not w.stop:
                v = self._value(k, floor, most, t, w)
            if t.stop or w.stop:
                return
            self.worth[k] = v
            self.is_exact[k] = v > floor or (v <= least and floor == least)
            if self.is_exact[k]:
                tops = sorted([*tops, v], reverse=True)[: request.multi]
            if v > self.worth.get(self.best, -inf):
                self.best = k
            asked.discard(k)
            if self.worth[self.best] >= most and len(tops) >= request.multi and not asked:
                break
        self.is_done = True

    def _value(self, k: int, low: float, high: float, t: Any, w: Any) -> float:
        root = self.root
        alpha, beta = (low, high) if root.p == 0 else (-high, -low)
        v: float = root.sign * float(ask(root.game, self.children[k], alpha, beta, 1, t, w))
        return v
