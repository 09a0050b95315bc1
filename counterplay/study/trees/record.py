"""Recording a search: the function that plays is watched while it runs, call by call.

A `Visit` is a state that the search looked at, with the window it was given and the value it returned. What was cut is
what the search did not call, so it cannot be told wrong. `Trace.steps` has the run in order, for those who follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any

from counterplay.core.game import CHANCE, Game, UserError
from counterplay.search import REFINEMENTS, AlphaBeta, Expectiminimax, Minimax

__all__ = ["SEARCHES", "Step", "Trace", "Visit", "trace"]

SEARCHES: dict[str, Callable[[Game, Iterable[str]], Minimax | AlphaBeta | Expectiminimax]] = {
    "minimax": lambda game, without: Minimax(game),
    "alphabeta": lambda game, without: AlphaBeta(game, table_mb=0.001, without=without),
    "star1": lambda game, without: Expectiminimax(game, prune="star1", table_mb=0),
    "star2": lambda game, without: Expectiminimax(game, prune="star2", table_mb=0),
}
"""What can be watched: minimax, alpha-beta, and expectiminimax with its two ways to cut at chance nodes."""

MOST_VISITS = 50_000


@dataclass
class Visit:
    """A state as the search looked at it."""

    number: int
    state: Any
    kind: str
    """`max`, `min`, `chance`, `end` of the game or `limit` of the search."""
    action: int | None
    """The one that led here; None at the root, and where the search made no move to get here (a null move)."""
    name: str
    """Of the action."""
    alpha: float
    beta: float
    value: float = 0.0
    """What the search returned."""
    children: list[Visit] = field(default_factory=list)
    skipped: list[tuple[int, str]] = field(default_factory=list)
    """Actions that were never looked at, with their names."""
    reason: str = ""
    """Why they were not."""
    best: Visit | None = None
    """The child whose value this is, if there is one."""

    @property
    def is_leaf(self) -> bool:
        return self.kind in ("end", "limit")


@dataclass(frozen=True)
class Step:
    """A moment of the run, and what is known then at the state that it is about."""

    visit: int
    event: str
    """`enter` a state, `back` from one of its children, `cut` the rest, `leave` with a value."""
    alpha: float
    beta: float
    v: float | None
    """The best so far; the part of the mean that is known, at a chance node."""
    text: str


@dataclass(frozen=True)
class Trace:
    """A whole run."""

    game: Game
    algorithm: str
    root: Visit
    visits: tuple[Visit, ...]
    """In the order in which they were looked at."""
    steps: tuple[Step, ...]

    @property
    def value(self) -> float:
        return self.root.value

    @property
    def line(self) -> list[Visit]:
        """The states after the root when everyone plays best, as far as the search knows; it ends before a throw."""
        found, here = [], self.root.best
        while here is not None:
            found.append(here)
            here = here.best
        return found

    @property
    def skipped(self) -> list[str]:
        """The names of the moves that were never looked at, with the way to them."""
        return [
            " ".join((*_way(self, visit), name)) for visit in self.visits for _, name in visit.skipped if visit.reason
        ]

    def _repr_svg_(self) -> str:
        """For notebooks: the tree, its upper part if it is large."""
        from counterplay.study.trees.draw import svg

        return svg(self)

    def as_dict(self) -> dict[str, Any]:
        """For JSON: every visit with its parent, and the steps; infinity is null."""
        parents = {child.number: visit.number for visit in self.visits for child in visit.children}
        return {
            "game": str(self.game),
            "algorithm": self.algorithm,
            "value": self.value,
            "line": [visit.name for visit in self.line],
            "visits": [
                {
                    "number": visit.number,
                    "parent": parents.get(visit.number),
                    "move": visit.name,
                    "kind": visit.kind,
                    "alpha": _finite(visit.alpha),
                    "beta": _finite(visit.beta),
                    "value": visit.value,
                    "skipped": [name for _, name in visit.skipped],
                    "reason": visit.reason,
                }
                for visit in self.visits
            ],
            "steps": [
                {**asdict(step), "alpha": _finite(step.alpha), "beta": _finite(step.beta), "v": _finite(step.v)}
                for step in self.steps
            ],
        }


def _finite(x: float | None) -> float | None:
    return x if x is not None and abs(x) < inf else None


def trace(
    game: Game,
    s: Any = None,
    algorithm: str = "alphabeta",
    depth: int | None = None,
    without: Iterable[str] = REFINEMENTS,
) -> Trace:
    """Watch a search of `s` (default: the initial state) to a depth, or to the end of the game.

    `without` names the refinements of alpha-beta to leave out: all of them, if nothing is said, as in a lecture.
    """
    if algorithm not in SEARCHES:
        raise UserError(f"'{algorithm}' cannot be watched; these can: {', '.join(SEARCHES)}")
    if depth is not None and depth < 1:
        raise UserError(f"a search looks 1 ply or more ahead, not {depth}")
    if algorithm == "alphabeta" and game.chance:
        raise UserError(f"alphabeta is for games without chance; {game} has chance: watch star1 or star2")
    watcher = _Watcher(game)
    engine = SEARCHES[algorithm](game, without)
    engine.watch(game.initial() if s is None else s, depth, watcher)
    return Trace(game, algorithm, watcher.visits[0], tuple(watcher.visits), tuple(watcher.steps))


class _Watcher:
    """Is told of the calls and makes visits and steps of them."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.visits: list[Visit] = []
        self.steps: list[Step] = []
        self._open: list[_Open] = []

    def enter(self, s: Any, depth: int, alpha: float, beta: float) -> None:
        if len(self.visits) == MOST_VISITS:
            raise UserError(f"that is more than {MOST_VISITS:,} states to watch; say a smaller depth")
        game = self.game
        kind = "end" if game.is_terminal(s) else "limit" if depth == 0 else _who(game, s)
        action = self._open[-1].action_to(s) if self._open else None
        name = game.action_name(self._open[-1].visit.state, action) if action is not None else ""
        visit = Visit(len(self.visits), s, kind, action, name, alpha, beta)
        self.visits.append(visit)
        self._open.append(_Open(game, visit))
        self._note("enter", f"look at {name}" if name else "begin")

    def leave(self, v: float) -> None:
        here = self._open[-1]
        visit = here.visit
        visit.value = float(v)
        here.close()
        if visit.reason:
            self._note("cut", visit.reason)
        what = {"end": "the game ends here", "limit": "an estimate"}.get(visit.kind, "back with the value")
        here.v = visit.value
        self._note("leave", f"{what}: {visit.value:g}")
        self._open.pop()
        if self._open:
            parent = self._open[-1]
            parent.add(visit)
            said = {"max": "MAX has at least", "min": "MIN has at most", "chance": "known of the mean:"}
            self._note("back", f"{said[parent.visit.kind]} {parent.v:g}")

    def _note(self, event: str, text: str) -> None:
        here = self._open[-1]
        self.steps.append(Step(here.visit.number, event, here.alpha, here.beta, here.v, text))


class _Open:
    """A visit that is not over: what the textbook's variables α, β and v are at this moment."""

    def __init__(self, game: Game, visit: Visit) -> None:
        self.game, self.visit = game, visit
        self.alpha, self.beta = visit.alpha, visit.beta
        self.v: float | None = {"max": -inf, "min": inf, "chance": 0.0}.get(visit.kind)
        self._left: list[int] = [] if visit.is_leaf else [int(a) for a in game.actions(visit.state)]

    def action_to(self, s: Any) -> int | None:
        """The action that leads to `s`: of several one that was not taken yet."""
        game, here = self.game, self.visit.state
        every = [] if self.visit.is_leaf else [int(a) for a in game.actions(here)]
        fits = [a for a in every if game.result(here, a) == s]
        return next((a for a in fits if a in self._left), fits[0] if fits else None)

    def add(self, child: Visit) -> None:
        """A child has been looked at."""
        visit = self.visit
        visit.children.append(child)
        if child.action in self._left:
            self._left.remove(child.action)
        if visit.kind == "chance":
            self.v = (self.v or 0.0) + self.game.probability(visit.state, child.action or 0) * child.value
        elif visit.kind == "max" and (self.v is None or child.value > self.v):
            self.v, visit.best = child.value, child
            self.alpha = max(self.alpha, child.value)
        elif visit.kind == "min" and (self.v is None or child.value < self.v):
            self.v, visit.best = child.value, child
            self.beta = min(self.beta, child.value)

    def close(self) -> None:
        """What was left out, and why."""
        visit = self.visit
        if not self._left or visit.is_leaf:
            return
        visit.skipped = [(a, self.game.action_name(visit.state, a)) for a in self._left]
        who = {"max": "MAX", "min": "MIN", "chance": "the mean"}[visit.kind]
        worst, best = self.game.utility_range
        if visit.value <= visit.alpha == worst:
            visit.reason = f"{who} here is {visit.value:g}, and there is nothing less"
        elif visit.value >= visit.beta == best:
            visit.reason = f"{who} here is {visit.value:g}, and there is nothing more"
        elif visit.value <= visit.alpha:
            visit.reason = f"{who} here is ≤ {visit.value:g}, MAX already has {visit.alpha:g}"
        elif visit.value >= visit.beta:
            visit.reason = f"{who} here is ≥ {visit.value:g}, MIN already has {visit.beta:g}"


def _who(game: Game, s: Any) -> str:
    p = game.player(s)
    return "chance" if p == CHANCE else "max" if p == 0 else "min"


def _way(found: Trace, to: Visit) -> list[str]:
    """The names of the moves from the root to a visit."""

    def down(visit: Visit) -> list[str] | None:
        if visit is to:
            return []
        for child in visit.children:
            rest = down(child)
            if rest is not None:
                return [child.name, *rest]
        return None

    return down(found.root) or []
