"""The examination of one game: random games, what the rules say in every state of them, and the problems found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from counterplay.core.game import CHANCE, Game, listed_actions
from counterplay.search import new_random, random_action
from counterplay.study.check.mistakes import line_of, place, reason, where_is_set
from counterplay.study.check.values import same, unfit

__all__ = ["FAILED", "Examination", "Problem", "Seen"]

PLIES = 2_000  # a random game is left here, so that an endless one does not keep us
MOST_PLIES = 20_000  # if none has ended by then, one is played on so far without a look at each state
STATES = 10_000  # no new game is begun when so many were seen

FAILED: Any = object()
"""What a rule that raised an exception has answered."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a game."""

    property: str
    """What should hold: a short name that stays the same."""
    message: str
    where: str | None = None
    """`file.py:12`, when known."""

    def __str__(self) -> str:
        return (f"{self.where}: " if self.where else "") + f"[{self.property}] {self.message}"


@dataclass
class Seen:
    """A state of a random game, how it came about, and what the rules say of it."""

    state: Any
    path: list[tuple[Any, int]]
    """Every state of its game with the action taken there."""
    ply: int
    says: dict[str, Any] = field(default_factory=dict)
    """By the rule's name: the answer, or a list of them, one for each player or action; nothing where it failed."""

    def __post_init__(self) -> None:
        self.is_fit = unfit(self.state) is None
        self.before = "" if self.is_fit else repr(self.state)  # such a state might change

    @property
    def over(self) -> bool:
        return self.says.get("is_terminal") is True


class Examination:
    """A game, the states seen, and the problems found so far: the first of each kind."""

    def __init__(self, game: Game, seed: int, told: Callable[[str], None] | None = None) -> None:
        self.game, self.seed = game, seed
        self.told = told or (lambda rule: None)
        """Is called with the name of every rule before it is asked."""
        self.played = 0
        self.seen: list[Seen] = []
        self._problems: dict[tuple[str, str | None], Problem] = {}

    @property
    def found(self) -> tuple[Problem, ...]:
        return tuple(self._problems.values())

    @property
    def problems(self) -> set[str]:
        """The names of the properties that failed."""
        return {problem.property for problem in self.found}

    def note(self, name: str, rule: str, message: str, it: Seen | None = None, where: str | None = None) -> None:
        """Note a problem with a rule, unless one of its kind is known; exceptions differ by their place too."""
        if (name, where) not in self._problems:
            text = message if it is None else f"{message} ({_position(self.game, it)})"
            self._problems[name, where] = Problem(name, text, where or line_of(self.game, rule))

    def attempt(self, rule: str, function: Callable[..., Any], *args: Any, it: Seen | None = None) -> Any:
        """Call a rule, or something that calls it. An exception is a problem, and so is a changed state."""
        self.told(rule)
        try:
            answer = function(*args)
        except Exception as error:
            where = place(error) or line_of(self.game, rule)
            self.note("no exception", rule, f"{rule} fails: {reason(error)}", it, where)
            answer = FAILED
        if it is not None and not it.is_fit and repr(it.state) != it.before:
            self.note("state unchanged", rule, f"{rule} changed the state it was given, which was {it.before}", it)
        return answer

    def play(self, playouts: int) -> None:
        """Play random games, and see what the rules say in every state."""
        unfinished: list[tuple[Any, Any]] = []
        while self.played < playouts and len(self.seen) < STATES:
            random = new_random(self.seed + self.played)
            s = self._play(random)
            unfinished += [] if s is FAILED else [(s, random)]
            self.played += 1
        if len(unfinished) == self.played and self._goes_on(*unfinished[0]):
            text = f"no random game has ended, and one went on for {MOST_PLIES:,} moves: is_terminal is never true, or"
            self.note("games end", "is_terminal", f"{text} games go in circles; count the moves and end them somewhere")

    def _goes_on(self, s: Any, random: Any) -> bool:
        """Whether a game that was left after PLIES has not ended at MOST_PLIES either."""
        for _ in range(MOST_PLIES - PLIES):
            if self.attempt("is_terminal", self.game.is_terminal, s):  # or it has failed
                return False
            a = self.attempt("actions", random_action.interpreted, self.game, s, random)
            s = FAILED if a is FAILED else self.attempt("result", self.game.result, s, a)
            if s is FAILED:
                return False
        return True

    def _play(self, random: Any) -> Any:
        """One random game, as far as the rules carry it; the state after PLIES, FAILED if it has ended before."""
        path: list[tuple[Any, int]] = []
        s = self.attempt("initial", lambda: _answered(self.game.initial()))
        while s is not FAILED and len(path) < PLIES:
            it = Seen(s, path, len(path))
            self.seen.append(it)
            it.says = self.ask(it, s)
            if it.over or not it.says.get("actions") or not {"is_terminal", "player"} <= it.says.keys():
                return FAILED
            a = self.attempt("actions", random_action.interpreted, self.game, s, random, it=it)
            if a is FAILED:
                return FAILED
            path.append((s, a))
            s = self.attempt("result", lambda s, a: _answered(self.game.result(s, a)), s, a, it=it)
            if s is not FAILED:
                it.says["result"] = s
        return s

    def _listed(self, it: Seen, s: Any) -> list[Any]:
        """The actions at `s`; a set of them has no order that both modes and all processes would share."""
        found = _answered(self.game.actions(s), "a `return` or a `yield`")
        if isinstance(found, set | frozenset):
            text = "actions gives a set, which has no order: give a tuple or a range, or yield them one by one"
            self.note("actions have an order", "actions", text, it, where_is_set(self.game))
        return listed_actions(self.game, s)

    def ask(self, it: Seen, s: Any) -> dict[str, Any]:
        """What the rules say of `s`, which is the state of `it` or should equal it."""
        game, says = self.game, {"state": s}

        def ask(rule: str, function: Callable[..., Any], *args: Any) -> Any:
            answer = self.attempt(rule, function, *args, it=it)
            if answer is not FAILED:
                says[rule] = answer
            return answer

        over = ask("is_terminal", lambda: bool(_answered(game.is_terminal(s))))
        actions = ask("actions", lambda: self._listed(it, s))
        if game.knows.key or it.is_fit:
            ask("key", game.key, s)
        if over is FAILED or actions is FAILED:
            return says
        if over:
            ask("utility", lambda: [game.utility(s, p) for p in range(game.players)])
        elif same(ask("player", lambda: _answered(game.player(s))), CHANCE) and game.chance:
            ask("probability", lambda: [game.probability(s, a) for a in actions])
        if game.knows.evaluate:
            ask("evaluate", lambda: [game.evaluate(s, p) for p in range(game.players)])
        if game.knows.priority:
            ask("priority", lambda: [game.priority(s, a) for a in actions])
        if game.knows.is_noisy:
            ask("is_noisy", lambda: [game.is_noisy(s, a) for a in actions])
        if it.ply < len(it.path):
            ask("result", game.result, s, it.path[it.ply][1])
        return says


def _answered(answer: Any, missing: str = "a `return`") -> Any:
    """What a rule has answered; an error if it has not."""
    if answer is None:
        raise TypeError(f"it gives None; is {missing} missing?")
    return answer


def _position(game: Game, it: Seen) -> str:
    """Where in which game a state stands, for people."""

    def quietly(function: Callable[..., str], *args: Any) -> str:
        try:
            return str(function(*args))[:300]
        except Exception:
            return str(args[-1])[:300]

    moves = [quietly(game.action_name, s, a) for s, a in it.path[max(0, it.ply - 10) : it.ply]]
    count = "1 move" if it.ply == 1 else f"{it.ply} moves"
    after = f"after {count}: {'... ' if it.ply > 10 else ''}{' '.join(moves)}" if it.ply else "at the start"
    return f"in position '{quietly(game.to_text, it.state)}' {after}"
