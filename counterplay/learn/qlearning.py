"""Q-learning and SARSA: what an action is worth, learned by playing, with no need to know where actions lead.

    values = learn.q(game, games=20_000)
    values.best(s)                  # the action it likes best
    values[s, a]                    # what it expects of `a` at `s`, for the player to move

The learner only sees the state, the actions, what it gets and the next state; it never asks the rules what would happen
(Watkins 1989; Sutton and Barto, chapter 6). Both players learn from the same table, each for himself:

    Q(s, a) ← Q(s, a) + rate (r + best of what follows, as the mover sees it - Q(s, a))

Q-learning looks at the best action that follows, whatever is played: it learns the best play while it explores.
SARSA looks at the action that is played next, so that it learns what its own play, blunders included, is worth.
It is interpreted, to be read and changed; for speed there is `learn.td`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.features import Active
from counterplay.core.game import CHANCE, Game, listed_actions
from counterplay.core.randomness import new_random, unit, word
from counterplay.native import interpreted
from counterplay.search.playout import choose

__all__ = ["LinearQ", "QTable", "q"]


class QTable:
    """A value for each state and action that was met; 0 for all others."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._values: dict[tuple[Any, int], float] = {}

    def __getitem__(self, at: tuple[Any, int]) -> float:
        return self._values.get(at, 0.0)

    def learn(self, s: Any, a: int, target: float, rate: float) -> None:
        """Come nearer to the target, by a part of the way."""
        before = self[s, a]
        self._values[s, a] = before + rate * (target - before)

    def best(self, s: Any) -> int:
        """The action of the greatest value; the first of equal ones."""
        return max(listed_actions(self.game, s), key=lambda a: self[s, a])

    def __len__(self) -> int:
        return len(self._values)


class LinearQ(QTable):
    """A weight for each input and action: for states too many to be listed, and actions that mean much the same."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._weights: dict[int, Any] = {}

    def _inputs(self, s: Any) -> Any:
        on = Active(self.game.inputs)
        self.game.features(s, on)
        return np.array([*on.row(self.game.inputs), 1.0])

    def __getitem__(self, at: tuple[Any, int]) -> float:
        s, a = at
        return float(self._weights[a] @ self._inputs(s)) if a in self._weights else 0.0

    def learn(self, s: Any, a: int, target: float, rate: float) -> None:
        """A step down the gradient of half the square of the error."""
        inputs = self._inputs(s)
        weights = self._weights.setdefault(a, np.zeros(len(inputs)))
        weights += rate * (target - float(weights @ inputs)) * inputs

    def __len__(self) -> int:
        return len(self._weights)


def q(
    game: Game,
    games: int,
    values: QTable | None = None,
    rate: float = 0.3,
    explore: float = 0.3,
    sarsa: bool = False,
    seed: int = 0,
    start: Any = None,
    progress: Callable[[int], None] | None = None,
) -> QTable:
    """Learn by games against oneself, moving at random now and then (`explore`); into `values`, or a new table.

    The games begin at the state `start`, or as the rules say.
    """
    if game.players > 2 or not game.zero_sum:
        raise UserError(f"{game} is not for two opponents or one player")
    if not (0.0 < rate <= 1.0 and 0.0 <= explore <= 1.0):
        raise UserError("rate is more than 0 and explore is 0 or more; neither is more than 1")
    values = QTable(game) if values is None else values
    random = new_random(seed)
    with interpreted():
        for number in range(games):
            _play(game, values, game.initial() if start is None else start, rate, explore, sarsa, random)
            if progress is not None:
                progress(number + 1)
    return values


def _play(game: Game, values: QTable, s: Any, rate: float, explore: float, sarsa: bool, random: Any) -> None:
    s = _after_chance(game, s, random)
    if game.is_terminal(s):
        return
    a = _chosen(game, values, s, explore, random)
    while True:
        p, following = game.player(s), _after_chance(game, game.result(s, a), random)
        if game.is_terminal(following):
            values.learn(s, a, game.utility(following, p), rate)
            return
        played = _chosen(game, values, following, explore, random)
        expected = values[following, played if sarsa else values.best(following)]
        same = game.player(following) == p
        values.learn(s, a, expected if same else game.utility_sum - expected, rate)
        s, a = following, played


def _chosen(game: Game, values: QTable, s: Any, explore: float, random: Any) -> int:
    return game.sample(s, word(random)) if unit(random) < explore else values.best(s)


def _after_chance(game: Game, s: Any, random: Any) -> Any:
    """The state when all dice have fallen."""
    while not game.is_terminal(s) and game.player(s) == CHANCE:
        s = game.result(s, choose(game, s, random))
    return s
