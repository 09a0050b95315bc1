"""The best lines of a position, by the search that suits the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from counterplay import search
from counterplay.core.game import CHANCE, Game
from counterplay.search import ActionValue, Limits, Result
from counterplay.search.run import Progress

__all__ = ["BestLines", "best_lines"]

SECONDS = 5.0
"""For a position, if nothing is said."""


@dataclass(frozen=True)
class BestLines:
    """A position's best moves, each with best play after it."""

    result: Result
    multi: int
    """How many were wanted."""

    @property
    def lines(self) -> tuple[ActionValue, ...]:
        """The best first; by simulations, those that were visited most. Where chance moves there are none.

        Moves of which only a bound is known are left out.
        """
        game, s = self.result.game, self.result.state
        if game.is_terminal(s) or game.player(s) == CHANCE:
            return ()
        p = game.player(s)
        known = [each for each in self.result.actions if each.exact]
        if self.result.simulations is None:
            known.sort(key=lambda each: (-each.values[p], each.action != self.result.action, self._distance(each, p)))
        else:
            known.sort(key=lambda each: (each.action != self.result.action, -each.visits, -each.values[p]))
        return tuple(known[: self.multi])

    def _distance(self, each: ActionValue, p: int) -> int:
        """Of what a table tells: how soon a win comes, or how late a loss, the better first."""
        far = each.within or 0 if self.result.stopped == "table" else 0
        return far if each.values[p] == max(each.values) else -far

    def names(self, line: ActionValue) -> list[str]:
        """What people call the moves of a line."""
        return self.result.names_of(line.line)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: the result's, with `lines` instead of `actions`."""
        found = self.result.as_dict()
        actions = {each["action"]: each for each in found.pop("actions")}
        lines = [
            {"rank": rank, **actions[each.action], "line": list(each.line), "line_names": self.names(each)}
            for rank, each in enumerate(self.lines, 1)
        ]
        return {**found, "lines": lines}

    def __str__(self) -> str:
        rows = [f"{rank}. {each.value:+.4g}  {' '.join(self.names(each))}" for rank, each in enumerate(self.lines, 1)]
        return "\n".join(rows) or str(self.result)


def best_lines(
    game: Game,
    s: Any = None,
    multi: int = 3,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    table_mb: float | None = None,
    history: Sequence[Any] = (),
    progress: Progress | None = None,
) -> BestLines:
    """The `multi` best moves at `s` (default: the initial state) with their values and lines, as the limits allow.

    Without a limit it takes 5 seconds. `threads` and `table_mb` are alphabeta's; `history` has the states before `s`.
    """
    engine = new_engine(game, threads, table_mb)
    limits = limits_of(depth, nodes, seconds, SECONDS)
    return BestLines(engine.search(s, limits, multi=multi, history=history, progress=progress), multi)


def new_engine(game: Game, threads: int | None = None, table_mb: float | None = None) -> search.Engine:
    """The search that suits the game, with these settings where they are given."""
    given = {"threads": threads, "table_mb": table_mb}
    return search.new_engine(search.best_for(game), game, **{key: v for key, v in given.items() if v is not None})


def limits_of(depth: int | None, nodes: int | None, seconds: float | None, default: float) -> Limits:
    """The limits that are given, or `default` seconds if none is."""
    return Limits(depth, None, nodes, default if depth is nodes is seconds is None else seconds)
