"""A weight for each input, added up: Samuel's checkers player, and the textbook's first learner."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.game import Game
from counterplay.core.vectors import sigmoid
from counterplay.learn.model import Model

__all__ = ["Linear"]


class Linear(Model):
    """The value is the sigmoid of the weighted sum of the inputs and of one more that is always 1."""

    kind = "linear"
    rate = (0.02, 0.002)
    trace = 0.7

    def __init__(self, game: Game, features: str = "own") -> None:
        super().__init__(game, features)
        self.weights = {"weights": np.zeros(self.inputs, np.float32)}

    @property
    def inputs(self) -> int:
        return self.game.inputs + 1

    @property
    def most_active(self) -> int:
        return self.game.most_active + 1

    def rules(self) -> dict[str, Any]:
        return {"model_see": see, "model_guess": guess, "model_learn": learn}


def see(self: Any, s: Any, on: Any) -> None:
    on.clear()
    self.features(s, on)
    on.add(self.inputs)


def total(self: Any, on: Any) -> Any:
    """The weighted sum, in two halves, which a processor adds up side by side."""
    even, odd, n = 0.0, 0.0, len(on)
    for k in range(0, n - 1, 2):
        even += on.value(k) * self.model_weights[on.index(k)]
        odd += on.value(k + 1) * self.model_weights[on.index(k + 1)]
    if n % 2 == 1:
        even += on.value(n - 1) * self.model_weights[on.index(n - 1)]
    return even + odd


def guess(self: Any, on: Any, y: Any) -> None:
    y[0] = sigmoid(total(self, on))


def learn(self: Any, on: Any, target: Any, rate: float) -> None:
    step = rate * (target[0] - sigmoid(total(self, on)))
    for k in range(len(on)):
        i = on.index(k)
        self.model_weights[i] += step * on.value(k)
