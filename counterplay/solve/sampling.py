"""Sampling: counterfactual regrets by the rules, for games that are too large to unfold (Lanctot et al. 2009).

An iteration is a walk for each player. External sampling takes all of his own actions, and one of everybody else's, as
likely as they play it; the average strategy is that of the visits. Outcome sampling takes one action everywhere, so
that a walk is one game, however many actions there are; what it finds is weighed by how unlikely it was to be found.
What was learnt is kept by what the players know.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.primitives import mix64, state_key
from counterplay.core.randomness import new_random, unit
from counterplay.core.records import new_record, record_type
from counterplay.native import native
from counterplay.solve.cfr import ARRAYS
from counterplay.solve.sequences import TooLarge, must_hide_something, place
from counterplay.solve.strategy import About, Strategy

__all__ = ["ExternalSampling", "OutcomeSampling"]

_MOST_CELLS = 1 << 26
"""Actions of information sets that are remembered; what is met after that is played at random."""
_FIRST_CELLS = 1 << 16
_AT_ONCE = 1_000_000  # states, about, before ctrl-C is heard and room is made: some tenths of a second
_EXPLORE = 0.6
"""How often outcome sampling takes any of a player's own actions, as Lanctot et al. did."""
_MOST_AT_ONCE = 100_000_000
"""States of a walk that is given up, after some ten seconds."""

_COUNTS = record_type([("cells", np.int64), ("nodes", np.int64), ("full", np.int64), ("most", np.int64)])


class Learnt(NamedTuple):
    """A hash table of information sets, and cells for their actions."""

    keys: Any
    numbers: Any
    """By place in the table: the set's first cell, -1 where there is none."""
    actions: Any
    regret: Any
    total: Any


def new_learnt(cells: int) -> Learnt:
    keys, numbers = np.zeros(2 * cells, np.int64), np.full(2 * cells, -1, np.int64)
    return Learnt(keys, numbers, np.zeros(cells, np.int64), np.zeros(cells), np.zeros(cells))


def cells_of(game: Any, s: Any, p: int, n: int, learnt: Any, counts: Any) -> Any:
    """The first cell of what player `p` knows at `s`, where he has `n` actions; -1 if there is no room."""
    key = mix64(state_key(game.information(s, p)) ^ p)
    i = place(learnt.keys, learnt.numbers, key)
    if learnt.numbers[i] < 0:
        first = counts.cells
        if first + n > len(learnt.actions):
            counts.full = 1
            return -1
        learnt.keys[i], learnt.numbers[i] = key, first
        j = first
        for a in game.actions(s):
            learnt.actions[j] = a
            j += 1
        counts.cells = j
    return learnt.numbers[i]


@native
def sample(game, s, p, learnt, counts, random):  # type: ignore[no-untyped-def]
    """What `s` is worth to player `p` in this sample; his regrets below it grow."""
    counts.nodes += 1
    if counts.nodes > counts.most:
        return 0.0
    if game.is_terminal(s):
        return game.utility(s, p)
    who = game.player(s)
    if who == CHANCE:
        rest, chosen = unit(random), -1
        for a in game.actions(s):
            chosen = a
            rest -= game.probability(s, a)
            if rest < 0.0:
                break
        return sample(game, game.result(s, chosen), p, learnt, counts, random)
    n = game.count_actions(s)
    first, wanted = cells_of(game, s, who, n, learnt, counts), 0.0
    if first >= 0:
        for i in range(first, first + n):
            wanted += max(learnt.regret[i], 0.0)
    if who != p:
        rest, chosen, i = unit(random), -1, first
        for a in game.actions(s):
            chance = max(learnt.regret[i], 0.0) / wanted if wanted > 0.0 else 1.0 / n
            if first >= 0:
                learnt.total[i] += chance
            if rest >= 0.0:
                chosen = a
                rest -= chance
            i += 1
        return sample(game, game.result(s, chosen), p, learnt, counts, random)
    v, i = 0.0, first
    for a in game.actions(s):
        chance = max(learnt.regret[i], 0.0) / wanted if wanted > 0.0 else 1.0 / n
        u = sample(game, game.result(s, a), p, learnt, counts, random)
        v += chance * u
        if first >= 0:
            learnt.regret[i] += u  # nothing below has read it: no set comes twice in a game
        i += 1
    if first >= 0:
        for j in range(first, i):
            learnt.regret[j] -= v
    return v


@native
def sample_outcome(game, s, p, mine, others, taken, learnt, counts, random):  # type: ignore[no-untyped-def]
    """What `s` is worth to player `p`, as far as one game tells; his regrets along it grow.

    How likely it was to come here: `mine` by his own choices, `others` by everybody else's, `taken` as it was sampled.
    """
    counts.nodes += 1
    if counts.nodes > counts.most:
        return 0.0
    if game.is_terminal(s):
        return game.utility(s, p)
    who = game.player(s)
    if who == CHANCE:
        rest, chosen, likely = unit(random), -1, 1.0
        for a in game.actions(s):
            chosen, likely = a, game.probability(s, a)
            rest -= likely
            if rest < 0.0:
                break
        after = game.result(s, chosen)
        return sample_outcome(game, after, p, mine, others * likely, taken * likely, learnt, counts, random)
    n = game.count_actions(s)
    first, wanted = cells_of(game, s, who, n, learnt, counts), 0.0
    if first >= 0:
        for i in range(first, first + n):
            wanted += max(learnt.regret[i], 0.0)
    explore = _EXPLORE if who == p else 0.0
    rest, chosen, at, likely, share, i = unit(random), -1, first, 1.0, 1.0, first
    for a in game.actions(s):
        chance = max(learnt.regret[i], 0.0) / wanted if wanted > 0.0 else 1.0 / n
        if rest >= 0.0:
            chosen, at, likely = a, i, chance
            share = explore / n + (1.0 - explore) * chance
            rest -= share
        i += 1
    after = game.result(s, chosen)
    if who != p:
        return sample_outcome(game, after, p, mine, others * likely, taken * share, learnt, counts, random)
    found = sample_outcome(game, after, p, mine * likely, others, taken * share, learnt, counts, random) / share
    v, weight = likely * found, others / taken
    if first >= 0:
        for i in range(first, first + n):
            chance = max(learnt.regret[i], 0.0) / wanted if wanted > 0.0 else 1.0 / n
            learnt.total[i] += mine * chance / taken
        for i in range(first, first + n):
            learnt.regret[i] += weight * ((found if i == at else 0.0) - v)
    return v


@native
def many_outcomes(game, s, n, learnt, counts, random):  # type: ignore[no-untyped-def]
    """So many iterations of outcome sampling."""
    for _ in range(n):
        sample_outcome(game, s, 0, 1.0, 1.0, 1.0, learnt, counts, random)
        sample_outcome(game, s, 1, 1.0, 1.0, 1.0, learnt, counts, random)
    return 0


@native
def many(game, s, n, learnt, counts, random):  # type: ignore[no-untyped-def]
    """So many iterations."""
    for _ in range(n):
        sample(game, s, 0, learnt, counts, random)
        sample(game, s, 1, learnt, counts, random)
    return 0


@native
def move(game, old, new):  # type: ignore[no-untyped-def]
    """Put the sets of a table into a larger one."""
    for i in range(len(old.keys)):
        if old.numbers[i] >= 0:
            j = place(new.keys, new.numbers, old.keys[i])
            new.keys[j], new.numbers[j] = old.keys[i], old.numbers[i]
    for i in range(len(old.actions)):
        new.actions[i], new.regret[i], new.total[i] = old.actions[i], old.regret[i], old.total[i]
    return 0


class ExternalSampling:
    """A game that is being solved by samples."""

    method, _many = "sampling", many

    def __init__(self, game: Game, seed: int = 0, cells: int = _FIRST_CELLS) -> None:
        """`cells`: for how many actions there is room at first."""
        must_hide_something(game)
        self.game, self.iterations = game, 0
        self._learnt, self._counts, self._random = new_learnt(cells), new_record(_COUNTS), new_random(seed)

    @property
    def nodes(self) -> int:
        """States visited so far."""
        return int(self._counts.nodes)

    def run(self, iterations: int, most_nodes: int | None = None) -> None:
        """So many iterations more, each a walk for either player; less if by then it has visited `most_nodes`."""
        n = 1
        while iterations > 0 and (most_nodes is None or self.nodes < most_nodes):
            n, before = min(iterations, n), self.nodes
            self._counts.most = before + _MOST_AT_ONCE
            self._many(self.game, self.game.initial(), n, self._learnt, self._counts, self._random)
            if self.nodes > self._counts.most:
                raise TooLarge(f"{self.game} is too large for sampling: a walk has more than {_MOST_AT_ONCE:,} states")
            self.iterations, iterations = self.iterations + n, iterations - n
            self._make_room()
            n = 2 * n if 2 * (self.nodes - before) < _AT_ONCE else n

    def _make_room(self) -> None:
        room = len(self._learnt.actions)
        if self._counts.full and 2 * room <= _MOST_CELLS:
            larger = new_learnt(2 * room)
            move(ARRAYS, self._learnt, larger)
            self._learnt, self._counts.full = larger, 0

    def strategy(self) -> Strategy:
        """The average strategy of all visits."""
        learnt = self._learnt
        used = learnt.numbers >= 0
        order = np.argsort(learnt.numbers[used])
        first = np.append(learnt.numbers[used][order], self._counts.cells)
        total = learnt.total[: self._counts.cells]
        sizes = np.diff(first)
        sums = np.repeat(np.add.reduceat(total, first[:-1]), sizes)
        chances = np.where(sums > 0.0, total / np.where(sums > 0.0, sums, 1.0), np.repeat(1.0 / sizes, sizes))
        about = About(self.method, self.iterations)
        actions = learnt.actions[: self._counts.cells].copy()
        return Strategy(self.game, learnt.keys[used][order], first, actions, chances, about)


class OutcomeSampling(ExternalSampling):
    """The same by single games: an iteration is quicker, and more of them are needed."""

    method, _many = "outcome", many_outcomes
