"""What a move leads to: the positions after two moves, searched in the same way to the same depth."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from counterplay import search
from counterplay.core.game import CHANCE, Game, is_repeated
from counterplay.search.repetition import comes_again_on, draw_value
from counterplay.search.run import Progress
from counterplay.search.suited import for_each_player
from counterplay.search.tabled import best_moves, known_moves, table_answer

__all__ = ["Judge", "Prospect", "new_judge"]

_TABLE_MB = 16
_PROOF_NODES = 100_000
"""Nodes to spend on how soon a proven win or loss comes about."""


@dataclass(frozen=True)
class Prospect:
    """What a move leads to, as a search of some depth sees it."""

    action: int
    names: tuple[str, ...]
    """The move and best play of all after it, as far as known."""
    values: tuple[float, ...]
    """One for each player."""
    proven: bool
    """True: these are the game's own values, whatever a deeper search may look at."""
    end: Any
    """The state at the end of the line."""
    ends: str
    """What is there: `over`, the game is; `estimate`, the value is the game's estimate of `end`; `repetition`, a draw
    by it; `throw`, the dice, so that the value is a mean; `unknown`, the line is not known to where the value is from.
    """
    depth: int
    """Plies looked ahead, the move included."""
    is_shortest: bool = False
    """True: whatever the others do, the value comes about within `depth` plies."""
    beyond: int = 0
    """How many of the line's last moves lie beyond that depth: noisy moves, followed until the position is quiet."""

    @property
    def name(self) -> str:
        return self.names[0]


class Judge:
    """Finds what moves at `s` lead to, by the search that suits the game."""

    def __init__(self, game: Game, s: Any, history: Sequence[Any], progress: Progress | None) -> None:
        self.game, self.s, self.history, self.progress = game, s, history, progress
        self.algorithm = search.best_for(game)
        self.deadline = inf
        """A time of `perf_counter` at which to give up."""
        self.nodes, self.seconds = 0, 0.0
        self._engine = search.new_engine(self.algorithm, game)

    def compile(self) -> None:
        """So that it is not done while the clock runs."""
        self._search(self.s, 1, inf)

    def choose(self, limits: search.Limits) -> search.Result:
        """The best move within limits."""
        return self._counted(self._engine.search(self.s, limits, history=self.history, progress=self.progress))

    def second(self, chosen: search.Result, depth: int) -> int | None:
        """The best of the other moves; None if there was no time to find it."""
        p, found = self.game.player(self.s), []
        for each in chosen.actions:
            if each.action != chosen.action:
                found.append(self.look(each.action, depth))
                if found[-1] is None:
                    return None
        return max((each for each in found if each is not None), key=lambda each: each.values[p]).action

    def look(self, a: int, depth: int) -> Prospect | None:
        """What move `a` leads to, `depth` plies ahead; None if there was no time to find out."""
        game, t = self.game, self.game.result(self.s, a)
        if game.is_terminal(t):
            values = tuple(float(game.utility(t, p)) for p in range(game.players))
            return self._prospect(a, (), values, True, depth)
        if is_repeated(game, [*self.history, self.s, t]):
            values = (draw_value(game),) * game.players
            return replace(self._prospect(a, (), values, True, depth), ends="repetition")
        if depth == 1:
            return self._prospect(a, (), self._estimates(t), False, depth)
        left = self.deadline - time.perf_counter()
        if left <= 0:
            return None
        result = self._counted(self._search(t, depth - 1, left))
        if result.stopped not in ("depth", "solved"):
            return None
        return self._prospect(a, self._whole(t, result, depth - 1), result.values, result.proven, depth)

    def proof(self, found: Prospect) -> Prospect:
        """The same with the line of a short proof, whose length is its `depth`, if there is one to be found soon."""
        return found

    def _counted(self, result: search.Result) -> search.Result:
        self.nodes += result.nodes
        self.seconds += result.seconds
        return result

    def _estimates(self, t: Any) -> tuple[float, ...]:
        """The value of `t` for each player without looking ahead."""
        return tuple(float(self.game.evaluate(t, p)) for p in range(self.game.players))

    def _search(self, t: Any, depth: int, seconds: float) -> search.Result:
        limits = search.Limits(depth=depth, seconds=None if seconds == inf else seconds)
        self._engine.new_game()  # what a depth knows of a move is not what a deeper one has proven
        return self._engine.search(t, limits, history=[*self.history, self.s], progress=self.progress)

    def _whole(self, t: Any, found: search.Result, depth: int) -> tuple[int, ...]:
        """The line found, continued to where its value comes from."""
        return found.line

    def _prospect(self, a: int, line: Sequence[int], values: tuple[float, ...], proven: bool, depth: int) -> Prospect:
        game, s = self.game, self.s
        names, states = [], []
        for each in (a, *line):
            names.append(game.action_name(s, each))
            s = game.result(s, each)
            states.append(s)
        ends = self._ends(states, values, max(0, depth - len(names)))
        beyond = 0 if proven else max(0, len(names) - depth)
        return Prospect(a, tuple(names), values, proven, s, ends, depth, beyond=beyond)

    def _ends(self, states: Sequence[Any], values: tuple[float, ...], left: int) -> str:
        """What is at the last of the states of a line, of a value found with so many plies left there."""
        game, t = self.game, states[-1]
        if game.is_terminal(t):
            return "over"
        if left > 0 and game.player(t) == CHANCE:
            return "throw"
        if left > 0 and comes_again_on(game, [*self.history, self.s], states):
            return "repetition"
        is_estimate = left == 0 and values == tuple(game.evaluate(t, p) for p in range(game.players))
        return "estimate" if is_estimate else "unknown"


class AlphaBetaJudge(Judge):
    """The same by alpha-beta: one table serves all depths and both moves, and captures are followed to the end."""

    def __init__(
        self, game: Game, s: Any, history: Sequence[Any], progress: Progress | None, without: Iterable[str]
    ) -> None:
        super().__init__(game, s, history, progress)
        self.without = frozenset(without)
        self._engine = self._chooser = search.AlphaBeta(game, table_mb=_TABLE_MB, without=self.without)
        # Asked for one depth after the other: so what a depth knows of a move is not what a deeper one has proven.
        self._comparer = search.AlphaBeta(game, table_mb=_TABLE_MB, without=self.without | {"deepening"})

    def choose(self, limits: search.Limits) -> search.Result:
        return self._ask(self._chooser, self.s, limits, multi=2)

    def second(self, chosen: search.Result, depth: int) -> int | None:
        others = [each for each in chosen.actions if each.action != chosen.action and each.exact]
        if not others:  # a win is proven, and of the others nothing is known: then look as if more could be had
            engine = search.AlphaBeta(self.game, table_mb=_TABLE_MB, without=self.without | {"bounds"})
            seconds = None if self.deadline == inf else max(0.01, self.deadline - time.perf_counter())
            again = self._ask(engine, self.s, search.Limits(depth=depth, seconds=seconds), multi=2)
            others = [each for each in again.actions if each.action != chosen.action and each.exact]
        p = self.game.player(self.s)
        return max(others, key=lambda each: each.values[p]).action if others else None

    def _ask(
        self, engine: search.Engine, t: Any, limits: search.Limits, multi: int = 1, past: Sequence[Any] | None = None
    ) -> search.Result:
        """Search `t`, before which there was `past`, and count it."""
        history = self.history if past is None else past
        return self._counted(engine.search(t, limits, multi=multi, history=history, progress=self.progress))

    def proof(self, found: Prospect) -> Prospect:
        """By a search without a table, which may know of proofs that are longer than the depth."""
        t = self.game.result(self.s, found.action)
        engine = search.AlphaBeta(self.game, without=self.without | {"table"})
        result = self._ask(engine, t, search.Limits(nodes=_PROOF_NODES), past=[*self.history, self.s])
        if not result.proven:
            return found
        return replace(
            self._prospect(found.action, result.line, result.values, True, 1 + result.depth), is_shortest=True
        )

    def _estimates(self, t: Any) -> tuple[float, ...]:
        return for_each_player(self.game, self._chooser.quiet_worth(t))

    def _search(self, t: Any, depth: int, seconds: float) -> search.Result:
        limits = search.Limits(depth=depth, seconds=None if seconds == inf else seconds)
        return self._comparer.search(t, limits, history=[*self.history, self.s], progress=self.progress)

    def _prospect(self, a: int, line: Sequence[int], values: tuple[float, ...], proven: bool, depth: int) -> Prospect:
        if depth == 1 and not proven:
            line = self._noisy(self.game.result(self.s, a), values[0])
        return super()._prospect(a, line, values, proven, depth)

    def _whole(self, t: Any, found: search.Result, depth: int) -> tuple[int, ...]:
        """A line ends where the table knew the value; so search on from there. At its end follow the noisy moves.

        The line of a proven value goes on to the end of the game.
        """
        game, past, line, states = self.game, [*self.history, self.s], list(found.line), [t]
        for a in line:
            states.append(game.result(states[-1], a))
        while not game.is_terminal(states[-1]) and (len(line) < depth or found.proven):
            if comes_again_on(game, past, states):
                return tuple(line)
            left = depth - len(line)
            engine = self._comparer if left > 0 else self._chooser  # what is proven deeper is not for the comparer
            limits = search.Limits(depth=left) if left > 0 else search.Limits(nodes=_PROOF_NODES)
            more = engine.search(states[-1], limits, history=[*past, *states[:-1]], progress=self.progress)
            if not more.line or (found.proven and not more.proven):
                return tuple(line)
            for a in more.line:
                states.append(game.result(states[-1], a))
            line += more.line
        return (*line, *self._noisy(states[-1], found.value)) if len(line) == depth else tuple(line)

    def _noisy(self, t: Any, v: float) -> list[int]:
        """The noisy moves from `t`, where the search's depth ends, to where its value `v` was taken."""
        game, line = self.game, list[int]()
        while self._chooser.follows_noise and not game.is_terminal(t) and game.evaluate(t, 0) != v:
            noisy = (int(a) for a in game.actions(t) if game.is_noisy(t, a))
            best = next((a for a in noisy if self._chooser.quiet_worth(game.result(t, a)) == v), None)
            if best is None:
                break
            line.append(best)
            t = game.result(t, best)
        return line


class TableJudge(Judge):
    """The same where tables know all moves: nothing is searched, and everything is proven."""

    def __init__(
        self, game: Game, s: Any, history: Sequence[Any], progress: Progress | None, answer: search.Result
    ) -> None:
        super().__init__(game, s, history, progress)
        self.algorithm, self._answer = answer.algorithm, answer

    def compile(self) -> None:
        """What tables are asked by is compiled already."""

    def choose(self, limits: search.Limits) -> search.Result:
        return self._counted(self._answer)

    def second(self, chosen: search.Result, depth: int) -> int | None:
        return best_moves(self.game, self.s, known_moves(self.game, self.s))[1]

    def look(self, a: int, depth: int) -> Prospect | None:
        each = next(each for each in self._answer.actions if each.action == a)
        after = None if len(each.line) > 1 else table_answer(self.game, self.game.result(self.s, a))
        line = each.line[1:] if after is None else after.line
        found = self._prospect(a, line, each.values, True, each.within or 1 + len(line))
        return replace(found, is_shortest=each.within is not None)


def new_judge(
    game: Game,
    s: Any,
    without: Iterable[str] = (),
    history: Sequence[Any] = (),
    progress: Progress | None = None,
) -> Judge:
    """A judge of the moves at `s`; `without` is for alpha-beta."""
    answer = table_answer(game, s) if game.knows.solved else None
    if answer is not None and all(each.exact for each in answer.actions):
        return TableJudge(game, s, history, progress, answer)
    if search.AlphaBeta.suits(game):
        return AlphaBetaJudge(game, s, history, progress, without)
    return Judge(game, s, history, progress)
