"""Policies: what to do in every state. A solution of a game is a policy for each player (S → A, the textbook says).

A policy is anything that gives an action for a state: a dict, a function, or a search made into one by `Policy`. The
functions here say what policies are worth against each other, against the best reply, and against anything. They visit
every state in question once, interpreted, and so are for games small enough to be listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from counterplay.core.game import CHANCE, Game, IllegalAction, UserError
from counterplay.search.result import Result
from counterplay.search.suited import must_be_open, must_be_opponents

__all__ = [
    "AnyPolicy",
    "Deviation",
    "Deviations",
    "Policy",
    "best_response",
    "minimax_policies",
    "no_gain_by_deviating",
    "value_of",
    "worst_case",
]

MOST_STATES = 200_000
"""States that the functions here visit before they refuse a game as too large."""

AnyPolicy = Mapping[Any, int] | Callable[[Any], int]
Moves = Callable[[Any], Iterable[int]]
Steps = list[tuple[Any, list[tuple[int, Any]]]]


class Policy:
    """A search as a policy: `Policy(minimax, game, depth=4)(s)` is the action that the search finds at `s`."""

    def __init__(
        self, algorithm: Callable[..., Result], game: Game, *, remember: bool = False, **settings: Any
    ) -> None:
        """With `remember`, no state is searched twice."""
        self.algorithm, self.game, self.settings = algorithm, game, settings
        self._known: dict[Any, int] | None = {} if remember else None

    def __call__(self, s: Any) -> int:
        if self._known is not None and s in self._known:
            return self._known[s]
        action = self.algorithm(self.game, s, **self.settings).action
        if action is None:
            raise UserError(f"nobody is to move at {self.game.to_text(s)}, so there is no action to choose")
        if self._known is not None:
            self._known[s] = action
        return action

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value!r}" for name, value in self.settings.items())
        return f"Policy({self.algorithm.__name__}, {self.game!r}{settings})"


def minimax_policies(game: Game, s: Any = None, most_states: int = MOST_STATES) -> tuple[dict[Any, int], ...]:
    """The minimax policies of the opponents: for every state that can come after `s` its mover's best action.

    Of equally good actions it is the first. One dict for each player, with the states in which it moves.
    """
    must_be_opponents(game, "minimax_policies")
    policies: tuple[dict[Any, int], ...] = tuple({} for _ in range(game.players))
    worth: dict[Any, float] = {}
    for t, steps in _children_first(game, _start(game, s), game.actions, most_states):
        values = {a: worth[after] for a, after in steps}
        if game.is_terminal(t):
            worth[t] = game.utility(t, 0)
        elif (p := game.player(t)) == CHANCE:
            worth[t] = sum(game.probability(t, a) * v for a, v in values.items())
        else:
            policies[p][t] = (max if p == 0 else min)(values, key=values.__getitem__)
            worth[t] = values[policies[p][t]]
    return policies


# ---- what policies are worth


def value_of(
    game: Game, policies: Sequence[AnyPolicy], player: int, s: Any = None, most_states: int = MOST_STATES
) -> float:
    """What `player` gets when everyone keeps to its policy."""
    return _worth(game, s, policies, range(game.players), player, max, most_states)


def best_response(
    game: Game, policies: Sequence[AnyPolicy], player: int, s: Any = None, most_states: int = MOST_STATES
) -> float:
    """What `player` gets at most when the others keep to their policies; its own is not asked."""
    others = [p for p in range(game.players) if p != player]
    return _worth(game, s, policies, others, player, max, most_states)


def worst_case(
    game: Game, policies: Sequence[AnyPolicy], player: int, s: Any = None, most_states: int = MOST_STATES
) -> float:
    """What `player` gets at least when it keeps to its policy, whatever the others do; theirs are not asked."""
    return _worth(game, s, policies, [player], player, min, most_states)


@dataclass(frozen=True)
class Deviation:
    """What leaving its policy would bring a player, and what the others' leaving theirs can do to it."""

    player: int
    value: float
    """When everyone keeps to its policy."""
    best_response: float
    """When this player alone does as it likes: never less than `value`."""
    worst_case: float
    """When this player alone keeps to its policy, and all others turn on it: never more than `value`."""
    tolerance: float

    @property
    def gains(self) -> bool:
        """Whether it pays to deviate. If not, deviating can only lose."""
        return self.best_response > self.value + self.tolerance

    @property
    def is_exposed(self) -> bool:
        """Whether the others' deviating can hurt. If not, it can only do this player good."""
        return self.worst_case < self.value - self.tolerance


@dataclass(frozen=True)
class Deviations:
    """The answer of `no_gain_by_deviating`; as a condition it is true when nobody gains."""

    players: tuple[Deviation, ...]

    def __bool__(self) -> bool:
        return not any(each.gains for each in self.players)

    def __str__(self) -> str:
        return "\n".join(
            f"player {each.player}: value {each.value:g}, "
            + (f"gains {each.best_response - each.value:g} by deviating" if each.gains else "no gain by deviating")
            + (f", others can push it to {each.worst_case:g}" if each.is_exposed else ", others cannot push it lower")
            for each in self.players
        )


def no_gain_by_deviating(
    game: Game,
    policies: Sequence[AnyPolicy],
    tolerance: float = 1e-9,
    s: Any = None,
    most_states: int = MOST_STATES,
) -> Deviations:
    """Whether the policies, one for each player, are an equilibrium from `s` (default: the initial state).

    Two opponents are in equilibrium exactly when the policy of each makes sure of the minimax value for it: then
    leaving its own can only lose it value, and the other's leaving theirs can only gain it some.
    """
    args = s, most_states
    return Deviations(
        tuple(
            Deviation(
                p,
                value_of(game, policies, p, *args),
                best_response(game, policies, p, *args),
                worst_case(game, policies, p, *args),
                tolerance,
            )
            for p in range(game.players)
        )
    )


def _worth(
    game: Game,
    s: Any,
    policies: Sequence[AnyPolicy],
    keeping: Iterable[int],
    player: int,
    pick: Callable[[Iterable[float]], float],
    most_states: int,
) -> float:
    """What `player` gets from `s` when those `keeping` to their policies do, and the rest `pick` from its values."""
    must_be_open(game, "a policy")
    if len(policies) != game.players or player not in range(game.players):
        raise UserError(
            f"{game} has {game.players} players, each with a policy; not {len(policies)}, or player {player}"
        )
    start, keeping = _start(game, s), set(keeping)

    def moves(t: Any) -> Iterable[int]:
        p = game.player(t)
        return [_action(game, policies[p], t)] if p in keeping else game.actions(t)

    worth: dict[Any, float] = {}
    for t, steps in _children_first(game, start, moves, most_states):
        if game.is_terminal(t):
            worth[t] = float(game.utility(t, player))
        elif game.player(t) == CHANCE:
            worth[t] = sum(game.probability(t, a) * worth[after] for a, after in steps)
        else:
            worth[t] = pick(worth[after] for _, after in steps)
    return worth[start]


def _action(game: Game, policy: AnyPolicy, s: Any) -> int:
    """What the policy says, if that is a legal action."""
    if isinstance(policy, Mapping):
        if s not in policy:
            raise UserError(f"the policy of player {game.player(s)} has no action for {game.to_text(s)}")
        a = policy[s]
    else:
        a = policy(s)
    if a not in list(game.actions(s)):
        raise IllegalAction(f"the policy of player {game.player(s)} gives {a} at {game.to_text(s)}, which is not legal")
    return int(a)


def _start(game: Game, s: Any) -> Any:
    return game.initial() if s is None else s


def _children_first(game: Game, s: Any, moves: Moves, most_states: int) -> Steps:
    """Every state that `moves` lead to from `s`, with its steps (action, state after it), after all of those states."""

    def steps_at(t: Any) -> list[tuple[int, Any]]:
        return [] if game.is_terminal(t) else [(int(a), game.result(t, a)) for a in moves(t)]

    steps = {s: steps_at(s)}
    path, on_path = [(s, iter(steps[s]))], {s}
    finished: Steps = []
    while path:
        t, rest = path[-1]
        for _, after in rest:
            if after in on_path:
                raise UserError(
                    f"a position of {game} can come again ({game.to_text(after)}): it has no end to count from"
                )
            if after not in steps:
                if len(steps) >= most_states:
                    raise UserError(f"{game} has more than {most_states:,} states, too many to list; search it instead")
                steps[after] = steps_at(after)
                path.append((after, iter(steps[after])))
                on_path.add(after)
                break
        else:
            path.pop()
            on_path.remove(t)
            finished.append((t, steps[t]))
    return finished
