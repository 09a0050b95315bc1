"""Alpha-beta as a player uses it: settings, limits, threads, the root, and a table that serves the next move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from math import inf
from typing import Any

from counterplay.core.game import Game, UserError
from counterplay.search.alphabeta.endings import Endings
from counterplay.search.alphabeta.kernel import value
from counterplay.search.alphabeta.pruning import set_numbers
from counterplay.search.alphabeta.root import (
    AlphaBetaRoot,
    compile_root,
    kernel_of,
    note_search,
    root_is_compiled,
    too_wide,
)
from counterplay.search.alphabeta.sharing import ENDED, FINISHED, new_board
from counterplay.search.alphabeta.workspace import (
    PLIES,
    REFINEMENTS,
    SELECTIVE,
    begin_notes,
    fade,
    forget,
    new_workspace,
    use_refinements,
)
from counterplay.search.deepening import DepthEngine
from counterplay.search.engine import Abilities, Request, of_position
from counterplay.search.exact.solver import Solver, Solving
from counterplay.search.limits import Limits
from counterplay.search.repetition import draw_value, set_past
from counterplay.search.result import Result
from counterplay.search.root import Root
from counterplay.search.run import NO_LIMIT, Helpers, Progress, must_be_threads
from counterplay.search.table import (
    TranspositionTable,
)
from counterplay.search.watching import Watcher, watched

__all__ = ["REFINEMENTS", "AlphaBeta", "alphabeta"]

_ENDING_NODES = 200_000
"""Nodes to spend on how soon a game that is decided ends."""
_SURVEY = 1_000_000
"""Nodes of deepening before a search without estimates and limits goes for the end of the game."""

_SMALL, _SHALLOW = 10_000, 10
"""Nodes, and plies to begin with, beyond which a search is worth a table in large pages."""


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
        self._table_mb = table_mb
        self.table = None if "table" in self.without else TranspositionTable(table_mb)
        self._tallies = [new_workspace(game, self.table, self.without) for _ in range(threads)]
        self._left_out = self.without
        self._busy = new_board(threads)
        for number, w in enumerate(self._tallies):
            w.thread, w.threads = number, threads
            w.lore_at = self._tally.lore_at
            w.busy_at = self._busy.ctypes.data if threads > 1 and w.use_table else 0

    @property
    def memory(self) -> Any:
        """The workspace of the first thread, for `worth`. The engine must outlive it."""
        return self._tally

    def new_game(self, seed: int | None = None) -> None:
        if self.table is not None:
            self.table.clear()
        if "_solver" in self.__dict__:
            self._solver.clear()
        for w in self._tallies:
            forget(w)

    def hasten(self) -> None:
        compile_root(self.game, self.game.initial(), self._tally)
        if self.table is not None:
            self.table.expect_much()

    def tune(self, numbers: Mapping[str, float]) -> None:
        """Change numbers of the selective refinements, by their names in `pruning.NUMBERS`; the rest are as usual."""
        for w in self._tallies:
            set_numbers(w, numbers)

    def quiet_worth(self, s: Any) -> float:
        """What `s` is worth to MAX after all noisy moves, if the search follows them, else its estimate."""
        return float(kernel_of(self.game)(self.game, s, -inf, inf, 0, 0, self._scratch))

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
        if not root_is_compiled(self.game, request.state, self._tally):  # compile now, outside the clock
            self._tally.most_nodes = NO_LIMIT
            value(self.game, request.state, -inf, inf, 0, 0, self._tally)
        self._busy[FINISHED:] = 0
        self._use(self.without | (SELECTIVE if limits.rounds else frozenset()))
        for w in self._tallies:
            self._prepare(w, request)
        if self.table is not None:
            self.table.grow_older()
        leader, *others = roots = [AlphaBetaRoot(self.game, w, request) for w in self._tallies]
        root: Root = leader
        helps = [partial(each.help, leader) for each in others]
        if self._may_solve(leader, request):
            root = solving = Solving(roots, request, self._solver)
            helps = [partial(solving.help, number) for number in range(1, len(roots))]
        with Helpers(helps, self.stop) as helpers:
            result = self._deepen(request, root, self._depths(leader, request.limits, helpers), progress)
        if any(w.too_wide for w in self._tallies):
            raise too_wide(self.game)
        note_search(self.game, int(self._tally.nodes), request.limits.seconds is not None)
        return result if not others else replace(result, nodes=sum(int(w.nodes) for w in self._tallies))

    def _finished(self, result: Result, request: Request) -> Result:
        """The result with the shortest win, or the longest defence, if the game is decided and that is soon found."""
        game, s, limits, w = self.game, request.state, request.limits, self._tally
        result = replace(result, may_hide=tuple(sorted(name for name in SELECTIVE if w[f"use_{name}"])))
        if result.within is None or result.action is None or request.only:
            return result
        most_nodes = (
            _ENDING_NODES if not w.use_exact else min(_ENDING_NODES, max(_ENDING_NODES // 20, int(w.nodes) // 4))
        )
        most_nodes = most_nodes if limits.nodes is None else min(most_nodes, limits.nodes - int(w.nodes))
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

    def _may_solve(self, leader: AlphaBetaRoot, request: Request) -> bool:
        """Whether the search may go on to the end of the game, which is in sight."""
        limits, w = request.limits, self._tally
        if not w.use_exact or not w.use_table or leader.is_over or limits.rounds is not None:
            return False
        return bool(self.game.plies_left(request.state) <= limits.steps)

    @cached_property
    def _solver(self) -> Solver:
        return Solver(self.game, self._table_mb, len(self._tallies))

    @cached_property
    def _endings(self) -> Endings:
        return Endings(self.game, self.without)

    def stop(self) -> None:
        self._busy[ENDED] = 1
        super().stop()
        if "_endings" in self.__dict__:
            self._endings.w.stop = 1

    def _use(self, without: frozenset[str]) -> None:
        """Switch on all refinements but these, if others were on: that takes as long as a search of 200 nodes."""
        if without != self._left_out:
            for w in self._tallies:
                use_refinements(self.game, w, without)
            self._left_out = without

    def _prepare(self, w: Any, request: Request) -> None:
        """Make a thread's workspace ready for a search; what it has learned of the order of moves counts less now."""
        game, s, limits = self.game, request.state, request.limits
        w.nodes = w.too_wide = 0
        if game.knows.model_onward:
            begin_notes(w)
        w.most_nodes = limits.nodes or NO_LIMIT
        fade(w)
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

    def _depths(self, leader: AlphaBetaRoot, limits: Limits, helpers: Helpers) -> Iterator[int]:
        """The depths to search to, one after the other: from one that the search for the move before has reached.

        A search of one ply takes no longer than to start the threads that help.

        Without estimates a depth short of the end says little and costs much. When such a game is to be solved, the
        first depths are there to have a move, and then the search goes to the end at once.
        """
        w, steps = leader.tally, limits.steps
        if w.use_deepening or limits.is_anytime:
            steps = 1
            # Of a selective search a depth says little: the table may know the root, but not all below it as deep.
            is_known = self.table is not None and not w.use_selection
            if is_known and limits.rounds is None and not leader.is_over:
                steps = min(max(1, leader.seen_depth), limits.steps)
        is_survey = limits.steps == PLIES - 1 and not limits.is_anytime and not self.game.knows.evaluate
        while steps <= limits.steps:
            leader.steps = steps
            if self.table is not None and (w.nodes > _SMALL or (w.nodes == 0 and self._expects_much(steps, limits))):
                self.table.expect_much()
            if steps > 1:
                helpers.start()
            yield steps
            steps = limits.steps if is_survey and steps < limits.steps and w.nodes > _SURVEY else steps + 1

    def _expects_much(self, steps: int, limits: Limits) -> bool:
        """Whether a search that begins at a depth is likely to be large: to exchange pages later takes 0.06 s.

        By limits alone a game without estimates does not tell: it is often solved long before they are reached.
        """
        is_long = limits.seconds is not None or (limits.nodes is not None and limits.nodes > _SMALL)
        return steps > _SHALLOW or (is_long and limits.steps > _SHALLOW and self.game.knows.evaluate)


def _named(without: str | Iterable[str]) -> frozenset[str]:
    """Refinements by their names; `all` are all of them, `selective` those that may hide something."""
    groups = {"all": frozenset(REFINEMENTS), "selective": SELECTIVE}
    names = [without] if isinstance(without, str) else list(without)
    return frozenset().union(*(groups.get(name, {name}) for name in names))
