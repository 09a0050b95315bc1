"""Counterfactual regret minimisation over the sequence form: CFR and what came of it, in one kernel.

Every iteration, a player plays each action in proportion to how much he regrets not to have played it more (Zinkevich
et al. 2007). The average of what both have played becomes an equilibrium of a zero-sum game. The methods differ in
three numbers: what is kept of regrets above and below 0, and what the iterations weigh in the average.

| method     | regrets above 0 | below 0 | weight of iteration t |                                 |
| ---------- | --------------- | ------- | --------------------- | ------------------------------- |
| `cfr`      | kept            | kept    | 1                     | Zinkevich et al. 2007           |
| `cfr+`     | kept            | dropped | t                     | Tammelin 2014                   |
| `linear`   | t / (t + 1)     | the same | t                    | Brown and Sandholm 2019         |
| `dcfr`     | t^1.5 / (t^1.5 + 1) | half | t^2                   | Brown and Sandholm 2019         |

With more than two players' interests, or without opposite ones, nothing is promised but that both regret little.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import Game, UserError
from counterplay.native import native
from counterplay.solve.sequences import SequenceForm, Side

__all__ = ["METHODS", "Cfr"]


class Arrays(Game):
    """Stands where a kernel wants a game: the kernels here go over arrays, and are compiled once for all games."""

    def initial(self) -> Any:
        return (0,)

    def player(self, s: Any) -> int:
        return 0

    def actions(self, s: Any) -> Any:
        return ()

    def result(self, s: Any, a: int) -> Any:
        return s

    def is_terminal(self, s: Any) -> bool:
        return True

    def utility(self, s: Any, p: int) -> float:
        return 0.0


ARRAYS = Arrays()


class Weights(NamedTuple):
    """What iterations do to what was learnt before them: a number for all, or one for each."""

    above: Any
    """What is kept of regrets above 0."""
    below: Any
    """And of those below."""
    average: Any
    """What is kept of the sum of strategies."""
    weight: Any
    """What the iteration's own strategy is multiplied with."""


class Work(NamedTuple):
    """What a solver keeps: for each a pair of rows, by player, of numbers by sequence."""

    now: Any
    """The strategy of this iteration."""
    regret: Any
    total: Any
    """The sum of the plans of all iterations."""
    x: Any
    """The plan of this iteration."""
    g: Any
    """What sequences gain."""


METHODS: dict[str, Callable[[Any], Weights]] = {
    "cfr": lambda t: Weights(1.0, 1.0, 1.0, 1.0),
    "cfr+": lambda t: Weights(1.0, 0.0, 1.0, t),
    "linear": lambda t: Weights((t - 1) / t, (t - 1) / t, (t - 1) / t, 1.0),
    "dcfr": lambda t: Weights((t - 1) ** 1.5 / ((t - 1) ** 1.5 + 1), 0.5, ((t - 1) / t) ** 2, 1.0),
}
"""By name: the weights of the iterations t, an array of numbers from 1 up."""

_ENTRIES_AT_ONCE = 20_000_000  # steps that a kernel makes before it hears ctrl-C: some hundredths of a second


# ---- the three steps of an iteration


def plan(side: Any, strategy: Any, x: Any) -> None:
    """How likely each sequence is by its player's own choices: the realisation plan `x`."""
    x[0] = 1.0
    for i in range(len(side.parent)):
        reach = x[side.parent[i]]
        for q in range(side.first[i], side.first[i + 1]):
            x[q] = reach * strategy[q]


def gains(side: Any, x: Any, g: Any) -> None:
    """What each sequence pays where it ends the game, against the other's plan `x`.

    Two ends at a time, since additions to one number wait for one another.
    """
    other, pay, t = side.other, side.pay, 0
    for q in range(len(g)):
        v, end = 0.0, side.start[q + 1]
        while t + 1 < end:
            v += pay[t] * x[other[t]] + pay[t + 1] * x[other[t + 1]]
            t += 2
        if t < end:
            v += pay[t] * x[other[t]]
            t += 1
        g[q] = v


def learn(side: Any, g: Any, strategy: Any, regret: Any, above: float, below: float) -> None:
    """Regrets, and the strategy that follows from them, from the last sets to the first; `g` is used up."""
    for i in range(len(side.parent) - 1, -1, -1):
        first, end = side.first[i], side.first[i + 1]
        if end - first == 1:  # nothing to choose, nothing to regret
            g[side.parent[i]] += g[first]
            continue
        v = 0.0
        for q in range(first, end):
            v += strategy[q] * g[q]
        g[side.parent[i]] += v
        total = 0.0
        for q in range(first, end):
            r = regret[q]
            r = r * (above if r > 0.0 else below) + g[q] - v
            regret[q] = r
            total += max(r, 0.0)
        share = 1.0 / (total if total > 0.0 else end - first)
        for q in range(first, end):
            strategy[q] = max(regret[q], 0.0) * share if total > 0.0 else share


def turn(side: Any, work: Any, p: int, weights: Any) -> None:
    """Player `p`'s part of an iteration, against the other's plan."""
    add_up(work.total[p], work.x[p], weights)
    gains(side, work.x[1 - p], work.g[p])
    learn(side, work.g[p], work.now[p], work.regret[p], weights[0], weights[1])
    plan(side, work.now[p], work.x[p])


def add_up(total: Any, now: Any, weights: Any) -> None:
    """Add what is `now` to the weighted sum of all iterations."""
    for i in range(len(total)):
        total[i] = total[i] * weights[2] + weights[3] * now[i]


@native
def cfr(game, sides, work, weights):  # type: ignore[no-untyped-def]
    """An iteration for each row of `weights`, the players in turn."""
    plan(sides[0], work.now[0], work.x[0])
    plan(sides[1], work.now[1], work.x[1])
    for t in range(len(weights)):
        turn(sides[0], work, 0, weights[t])
        turn(sides[1], work, 1, weights[t])
    return 0


# ---- what a strategy is worth: the same loop with max


@native
def responses(game, sides, strategies, x, g, best):  # type: ignore[no-untyped-def]
    """What each player gets against the other: by his strategy, and by the best response, whose actions are in `best`.

    `best[p]` has 1 for the sequences that the best response of player p takes, 0 for the others.
    """
    plan(sides[0], strategies[0], x[0])
    plan(sides[1], strategies[1], x[1])
    values = (0.0, 0.0, 0.0, 0.0)
    for p in range(2):
        gains(sides[p], x[1 - p], g[p])
        v = 0.0
        for q in range(len(g[p])):
            v += g[p][q] * x[p][q]
        for i in range(len(sides[p].parent) - 1, -1, -1):
            first, end = sides[p].first[i], sides[p].first[i + 1]
            chosen = first
            for q in range(first, end):
                best[p][q] = 0.0
                if g[p][q] > g[p][chosen]:
                    chosen = q
            best[p][chosen] = 1.0
            g[p][sides[p].parent[i]] += g[p][chosen]
        values = (v, values[1], g[p][0], values[3]) if p == 0 else (values[0], v, values[2], g[p][0])
    return values


class Responses(NamedTuple):
    """What two strategies are worth."""

    values: tuple[float, float]
    """What each player gets."""
    best: tuple[float, float]
    """What each would get by the best response to the other."""
    actions: tuple[Any, Any]
    """By player and sequence: 1 where the best response goes, else 0."""

    @property
    def exploitability(self) -> float:
        """What a player who knows the other's strategy gains on the average of both seats; 0 in an equilibrium."""
        return 0.5 * (self.best[0] - self.values[0] + self.best[1] - self.values[1])


def respond(form: SequenceForm, strategies: tuple[Any, Any]) -> Responses:
    """The values of two strategies, by sequence, and the best responses to them."""
    best = rows(form.sides)
    v0, v1, b0, b1 = responses(ARRAYS, form.sides, strategies, rows(form.sides), rows(form.sides), best)
    return Responses((float(v0), float(v1)), (float(b0), float(b1)), best)


# ---- a solver


class Cfr:
    """A game that is being solved: run it, look at what it has found, run it on."""

    def __init__(self, form: SequenceForm, method: str = "dcfr") -> None:
        if method not in METHODS:
            raise UserError(f"there is no method '{method}'; there are: {', '.join(METHODS)}")
        self.form, self.method, self.iterations = form, method, 0
        self._work = new_work(form.sides)

    def run(self, iterations: int) -> None:
        """So many iterations more."""
        entries = sum(len(side.pay) + 4 * side.sequences for side in self.form.sides)
        while iterations > 0:
            n = min(iterations, 1 + _ENTRIES_AT_ONCE // max(entries, 1))
            cfr(ARRAYS, self.form.sides, self._work, weights_of(self.method, n, self.iterations))
            self.iterations, iterations = self.iterations + n, iterations - n

    def average(self) -> tuple[Any, Any]:
        """The average strategy of each player, by sequence: how likely the last action is where it is chosen."""
        one, two = (behaviour(side, total) for side, total in zip(self.form.sides, self._work.total, strict=True))
        return one, two


def rows(sides: tuple[Side, Side]) -> tuple[Any, Any]:
    """For each player a 0 by sequence."""
    return np.zeros(sides[0].sequences), np.zeros(sides[1].sequences)


def new_work(sides: tuple[Side, Side]) -> Work:
    """For a solver that has not begun."""
    return Work((uniform(sides[0]), uniform(sides[1])), *(rows(sides) for _ in range(4)))


def weights_of(method: str, iterations: int, before: int = 0) -> Any:
    """A row of `Weights` for each of so many iterations, those `before` them already made."""
    weights = np.empty((iterations, len(Weights._fields)))
    for column, each in enumerate(METHODS[method](np.arange(1.0, iterations + 1) + before)):
        weights[:, column] = each
    return weights


def uniform(side: Side) -> Any:
    """The strategy by which every action is as likely as the others."""
    return behaviour(side, np.zeros(side.sequences))


def behaviour(side: Side, total: Any) -> Any:
    """The strategy of a realisation plan, or of a sum of such plans; each as likely where nobody comes."""
    sizes, begin = np.diff(side.first), side.first[0]
    sums = np.repeat(np.add.reduceat(total, side.first[:-1]) if len(sizes) else np.zeros(0), sizes)
    shares = np.repeat(1.0 / sizes, sizes)
    strategy = np.ones(side.sequences)
    strategy[begin:] = np.where(sums > 0.0, total[begin:] / np.where(sums > 0.0, sums, 1.0), shares)
    return strategy
