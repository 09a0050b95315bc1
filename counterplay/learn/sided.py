"""A network that looks at the board from both sides with the same weights, as those of chess programs do (Nasu 2018).

What stands where is told twice, by `Game.seen_by`: as the player to move sees it, and as the other one does. The first
layer adds up rows of weights for each of them, and a second one has the units of both before it. Units are cut off
below 0 and above 1, which costs less than sigmoids and learns faster from many examples; the output is a sigmoid.

With `features="judged"` the network does not judge alone: it sees what the game's own `evaluate` says, and its output
are odds by which that is multiplied. So it begins as good as the hand-made estimate, and learns where that is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.game import Game
from counterplay.core.vectors import (
    LANES,
    add_both_rows,
    add_scaled,
    clipped_first_layer,
    clipped_layer,
    clipped_slopes,
    layer,
    scratch,
)
from counterplay.learn.model import Model, in_lines, see_features
from counterplay.learn.network import sizes_of
from counterplay.native import native

__all__ = ["SidedNetwork"]


class SidedNetwork(Model):
    """Two hidden layers, `hidden` units for each side and then for both, multiples of 16; at random first, by `seed`.

    The weights are `first`, a row for each input and one for the thresholds; and `rest`, for the second layer and then
    the output a row for each unit, then their thresholds.
    """

    kind = "sided"
    rate = (0.05, 0.005)

    def __init__(
        self, game: Game, hidden: str | Sequence[int] = (64, 16), seed: int = 0, features: str = "sides"
    ) -> None:
        if game.stakes:
            raise UserError(f"{game} can be won by several stakes, and this network has one output: try Network")
        if features not in ("sides", "judged"):
            raise UserError(f"this network has the features sides or judged, not '{features}'")
        super().__init__(game, features)
        self.hidden = sizes_of(hidden)
        if len(self.hidden) != 2 or any(n < LANES or n % LANES for n in self.hidden):
            raise UserError(f"two hidden layers, each of {LANES} units or a multiple of it: (64, 16), not {hidden}")
        random, (one, two) = np.random.default_rng(seed), self.hidden
        first = random.uniform(-0.15, 0.15, (self.inputs + 1, one))
        first[-1] = 0.25
        reach = (2 * one) ** -0.5
        last = random.uniform(-0.25, 0.25, two) * (0.1 if features == "judged" else 1.0)
        rest = [random.uniform(-reach, reach, 2 * one * two), np.full(two, 0.25), last, np.array([-last.sum() / 4])]
        self.weights = {"first": in_lines(first), "rest": in_lines(np.concatenate(rest))}

    @property
    def shape(self) -> dict[str, Any]:
        return {"hidden": list(self.hidden), "features": self.features}

    @property
    def inputs(self) -> int:
        return self.game.inputs

    def rules(self) -> dict[str, Any]:
        return {
            "model_see": see_features,
            "model_guess": model_guess,
            "model_learn": model_learn,
            "model_is_judged": self.features == "judged",
            "model_both": 2 * self.hidden[0],
            "model_second": self.hidden[1],
            "model_units": 2 * self.hidden[0] + self.hidden[1],
        }


def model_guess(self: Any, on: Any, y: Any) -> None:
    forward(self, on, scratch(self.model_units), y)


def model_learn(self: Any, on: Any, target: Any, rate: float) -> None:
    learn(self, on, target, rate)


def forward(game: Any, on: Any, units: Any, y: Any) -> None:
    """The units of both sides, those of the second layer, and the output."""
    n, m = game.model_both, game.model_second
    clipped_first_layer(game.model_first, on, units)
    clipped_layer(units, n, game.model_rest, 0, units, 0, n, m)
    layer(y, 0, game.model_rest, (n + 1) * m, units, n, m, 1)
    if game.model_is_judged:
        y[0] = with_odds(0.5 + 0.5 * on.value(len(on) // 2 - 1), float(y[0]))


def with_odds(chance: float, other: float) -> float:
    """The chance whose odds are those of both, multiplied."""
    both = chance * other
    return both / max(both + (1.0 - chance) * (1.0 - other), 1e-9)


@native
def learn(game, on, target, rate):  # type: ignore[no-untyped-def]
    """A step down the gradient, back through the layers; `errors` are the rate times the gradient of each sum."""
    units, errors, y = scratch(game.model_units), scratch(game.model_units), scratch(game.model_room)
    forward(game, on, units, y)
    n, m = game.model_both, game.model_second
    last = (n + 1) * m
    error = rate * (target[0] - y[0])
    add_scaled(errors, n, error, game.model_rest, last, m)
    add_scaled(game.model_rest, last, error, units, n, m)
    game.model_rest[last + m] += error
    clipped_slopes(errors, units, n, m)
    for j in range(m):
        error = errors[n + j]
        add_scaled(errors, 0, error, game.model_rest, j * n, n)
        add_scaled(game.model_rest, j * n, error, units, 0, n)
        game.model_rest[n * m + j] += error
    clipped_slopes(errors, units, 0, n)
    add_both_rows(game.model_first, on, errors)
