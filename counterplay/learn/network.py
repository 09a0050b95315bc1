"""A network: sums of rows for the inputs that are not 0, hidden layers of sigmoids, one output or several.

The network of TD-Gammon (Tesauro 1992, 1995) has one hidden layer of 40 to 80 units. Most inputs are 0, so the first
layer is a sum of a few rows of weights, one for each active input.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.game import Game
from counterplay.core.vectors import (
    LANES,
    add_rows,
    add_scaled,
    first_layer,
    layer,
    scratch,
    slopes,
)
from counterplay.learn.model import Model, in_lines, see_features
from counterplay.native import native

__all__ = ["Network"]


class Network(Model):
    """Hidden layers of sigmoids, whose sizes are multiples of 16, over the inputs; it begins at random, by `seed`.

    The weights are `first`, a row for each input and one for the thresholds; and `rest`, for each layer after that,
    the last one the outputs, a row for each of its units, then their thresholds.
    """

    kind = "network"
    rate = (0.1, 0.01)

    def __init__(
        self, game: Game, hidden: int | str | Sequence[int] = 80, features: str = "own", seed: int = 0
    ) -> None:
        super().__init__(game, features)
        self.hidden = sizes_of(hidden)
        if not self.hidden or any(n < LANES or n % LANES for n in self.hidden):
            raise UserError(f"hidden layers have {LANES} units or a multiple of it, not {hidden}")
        random = np.random.default_rng(seed)
        sizes = (*self.hidden, self.outputs)
        first = random.uniform(-0.1, 0.1, (self.inputs + 1, sizes[0]))
        first[-1] = 0.0
        layers = []
        for before, size in pairwise(sizes):
            reach = 0.1 if size == self.outputs else before**-0.5
            layers += [random.uniform(-reach, reach, size * before), np.zeros(size)]
        layers[-1][1:] = -1.5  # to win or lose by more is rarer
        self.weights = {"first": in_lines(first), "rest": in_lines(np.concatenate(layers))}

    @property
    def shape(self) -> dict[str, Any]:
        return {"hidden": list(self.hidden), **super().shape}

    @property
    def inputs(self) -> int:
        return self.game.inputs

    @property
    def outputs(self) -> int:
        return max(2 * len(self.game.stakes) - 1, 1)

    def rules(self) -> dict[str, Any]:
        return {
            "model_see": see_features,
            "model_guess": model_guess,
            "model_learn": model_learn,
            "model_hidden": self.hidden,
            "model_units": sum(self.hidden),
        }


def sizes_of(hidden: int | str | Sequence[int]) -> tuple[int, ...]:
    """The sizes of hidden layers, from one, or several, or a text like `64x32`."""
    if isinstance(hidden, str):
        parts = hidden.split("x")
        if not all(part.isascii() and part.isdigit() for part in parts):
            raise UserError(f"hidden layers are written like 64 or 64x32, not '{hidden}'")
        return tuple(map(int, parts))
    return (hidden,) if isinstance(hidden, int) else tuple(hidden)


def model_guess(self: Any, on: Any, y: Any) -> None:
    forward(self, on, scratch(self.model_units), y)


def model_learn(self: Any, on: Any, target: Any, rate: float) -> None:
    learn(self, on, target, rate)


def forward(game: Any, on: Any, units: Any, y: Any) -> None:
    """The hidden units, one layer after the other, and the outputs."""
    first_layer(game.model_first, on, units)
    at, w, n = 0, 0, game.model_hidden[0]  # where the layer before begins among the units, the weights, its size
    for i in range(1, len(game.model_hidden)):
        size = game.model_hidden[i]
        layer(units, at + n, game.model_rest, w, units, at, n, size)
        at, w, n = at + n, w + size * n + size, size
    layer(y, 0, game.model_rest, w, units, at, n, game.model_outputs)


@native
def learn(game, on, target, rate):  # type: ignore[no-untyped-def]
    """A step down the gradient, back through the layers; `errors` are the rate times the gradient of each sum."""
    units, errors, y = scratch(game.model_units), scratch(game.model_units), scratch(game.model_room)
    forward(game, on, units, y)
    output_errors(game, units, errors, y, target, rate)
    back(game, on, units, errors)


def output_errors(game: Any, units: Any, errors: Any, y: Any, target: Any, rate: float) -> None:
    """Let the outputs learn, and tell the last hidden layer what was wrong."""
    n = game.model_hidden[len(game.model_hidden) - 1]
    w = len(game.model_rest) - game.model_outputs * (n + 1)
    at = game.model_units - n
    for j in range(game.model_outputs):
        error = rate * (target[j] - y[j])
        add_scaled(errors, at, error, game.model_rest, w + j * n, n)
        add_scaled(game.model_rest, w + j * n, error, units, at, n)
        game.model_rest[w + game.model_outputs * n + j] += error


def back(game: Any, on: Any, units: Any, errors: Any) -> None:
    """Let the hidden layers learn, from the last to the first, from what was wrong with the last."""
    last = len(game.model_hidden) - 1
    n = game.model_hidden[last]
    w = len(game.model_rest) - game.model_outputs * (n + 1)
    at = game.model_units - n
    slopes(errors, units, at, n)
    for step in range(last):
        m, n = n, game.model_hidden[last - 1 - step]
        below, w = at - n, w - m * n - m
        for j in range(m):
            error = errors[at + j]
            add_scaled(errors, below, error, game.model_rest, w + j * n, n)
            add_scaled(game.model_rest, w + j * n, error, units, below, n)
            game.model_rest[w + m * n + j] += error
        slopes(errors, units, below, n)
        at = below
    add_rows(game.model_first, on, errors)
