"""Regression: a model learns from positions whose values somebody knows; how Logistello came by its weights.

    learn.fit(game, model, [(s, 0.4), ...])          # states, and what each is worth to player 0

The values may be results of recorded games, of deep searches, or what another engine says. What is made small is the
cross entropy (logistic regression), which suits results, since a chance to win is what is learned from them; or the
squares of the errors (`loss="squares"`), which suit values that are exact, and forgive where all is won anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.features import new_active
from counterplay.core.game import Game
from counterplay.core.vectors import scratch
from counterplay.learn.model import Model
from counterplay.native import native

__all__ = ["LOSSES", "Fit", "fit"]

LOSSES = ("logistic", "squares")
"""What can be made small."""


class Fit(NamedTuple):
    """How well a model fits its examples after each time it has gone through them."""

    rounds: int
    error: float
    """The root of the mean square of what it was wrong by, each time before it learned, in units of utility."""


@native
def learn_one(game, s, value, rate, is_squares):  # type: ignore[no-untyped-def]
    """A step towards the value, which is player 0's; what the model expected before."""
    on, y, target = new_active(game.model_inputs, game.model_most), scratch(game.model_room), scratch(game.model_room)
    low, high = game.utility_range
    game.model_see(s, on)
    game.model_guess(on, y)
    target[0] = (value - low) / (high - low)
    if game.viewer(s) != 0:
        game.model_turn(target)
    expected = y[0]
    if is_squares:  # the gradient is that of the cross entropy times the slope of the sigmoid
        target[0] = expected + (target[0] - expected) * expected * (1.0 - expected)
    game.model_learn(on, target, rate)
    if game.viewer(s) != 0:
        game.model_turn(y)
    return low + (high - low) * y[0]


def fit(
    game: Game,
    model: Model,
    examples: Iterable[tuple[Any, float]],
    rounds: int = 10,
    rate: float | Sequence[float] | None = None,
    seed: int = 0,
    progress: Callable[[Fit], None] | None = None,
    loss: str = "logistic",
) -> Fit:
    """Go through the examples so many times, each time in another order; in place. How well it fits at last.

    `loss` is what is made small: the cross entropy (`logistic`), or the `squares` of the errors.
    """
    if loss not in LOSSES:
        raise UserError(f"loss is one of {', '.join(LOSSES)}, not {loss!r}")
    model.must_learn_by("fit")
    if model.outputs != 1:
        raise UserError(f"a value does not tell the {model.outputs} outputs of {model!r}: train it by learn.td")
    clever: Game = game.with_model(model)
    known = [(s, float(value)) for s, value in examples if not game.is_terminal(s)]
    low, high = game.utility_range
    if not known or rounds < 1:
        raise UserError("there is nothing to learn: give examples that are not at an end, and one round or more")
    for s, value in known:
        if not (isfinite(value) and low <= value <= high):
            raise UserError(f"'{game.to_text(s)}' cannot be worth {value}: utilities are from {low:g} to {high:g}")
    first, last = model.rates(rate)
    random, state = np.random.default_rng(seed), Fit(0, 0.0)
    for number in range(rounds):
        falling = first * (last / first) ** (number / rounds) if last > 0.0 else first
        wrong = 0.0
        for i in random.permutation(len(known)).tolist():
            s, value = known[i]
            wrong += (learn_one(clever, s, value, falling, loss == LOSSES[1]) - value) ** 2
        state = Fit(number + 1, (wrong / len(known)) ** 0.5)
        if progress is not None:
            progress(state)
    how = {"method": "fit", "loss": loss, "examples": len(known), "rounds": rounds, "rate": [first, last]}
    model.pedigree.append(how)
    return state
