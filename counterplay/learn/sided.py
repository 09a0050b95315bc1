"""A network that looks at the board from both sides with the same weights, as those of chess programs do (Nasu 2018).

What stands where, by `Game.things`, is told twice: as the player to move sees it, and as the other one does. The first
layer adds up rows of weights for each of them, and a second one has the units of both before it. Units are cut off
below 0 and above 1, which costs less than sigmoids and learns faster from many examples; the output is a sigmoid.

With `features="judged"` the network does not judge alone: it sees what the game's own `evaluate` says, and its output
are odds by which that is multiplied. So it begins as good as the hand-made estimate, and learns where that is wrong.

A search asks about one state after the other that differ by a few moves. If all weights of the first layer are
multiples of `1 / grain`, its sums come out the same in any order. So those of one state are those of the last one, less
the rows of what has gone, and with those of what has come: `model_onward`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.features import NOTES
from counterplay.core.game import Game
from counterplay.core.primitives import keep_state, kept_state, load, store
from counterplay.core.vectors import (
    LANES,
    add_both_rows,
    add_scaled,
    clipped_first_layer,
    clipped_layer,
    clipped_slopes,
    clipped_sum,
    layer,
    row_at,
    scratch,
)
from counterplay.learn.inputs import own_lead
from counterplay.learn.model import Model, in_lines, see_features
from counterplay.learn.network import sizes_of
from counterplay.native import native

__all__ = ["SidedNetwork"]

GRAINS = tuple(2**k for k in range(13))
"""Of a power of 2 every multiple is exact, and so is every sum of them."""
MOST_GRAINS = 2047
"""A number of 16 bits with its eleven digits tells all whole numbers up to here apart."""
OUTLOOKS = 16
"""Bytes of the outlooks of both players, with which the notes of a search begin."""


class SidedNetwork(Model):
    """Two hidden layers, `hidden` units for each side and then for both, multiples of 16; at random first, by `seed`.

    The weights are `first`, a row for each input and one for the thresholds; and `rest`, for the second layer and then
    the output a row for each unit, then their thresholds. With a `grain` it is for searching, and learns no more.
    """

    kind = "sided"
    rate = (0.05, 0.005)

    def __init__(
        self,
        game: Game,
        hidden: str | Sequence[int] = (64, 16),
        seed: int = 0,
        features: str = "sides",
        grain: int = 0,
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
        self.grain = grain
        if grain:
            if grain not in GRAINS:
                raise UserError(f"a grain is a power of 2 from {GRAINS[0]} to {GRAINS[-1]:,}, not {grain}")
            if self._sums_at + 8 * one > 8 * NOTES:
                raise UserError(f"with a grain {one} units are too many: a search has no room for their sums")
            if any(each.width > 64 for each in self.game.things(self.game.initial())):
                raise UserError(f"a grain is for boards of at most 64 squares, and {game} has more")

    @property
    def shape(self) -> dict[str, Any]:
        return {"hidden": list(self.hidden), "features": self.features} | ({"grain": self.grain} if self.grain else {})

    @property
    def inputs(self) -> int:
        return self.game.inputs

    def must_learn_by(self, method: str) -> None:
        if self.grain:
            raise UserError("a network with a grain is rounded, and learns no more: train one without, and round that")

    def round(self) -> None:
        """Make all weights of the first layer multiples of `1 / grain`, as far as numbers of 16 bits have them all."""
        first = self.weights["first"]
        first[:] = np.round(first * self.grain).clip(-MOST_GRAINS, MOST_GRAINS) / self.grain

    @property
    def _sums_at(self) -> int:
        """Where in the notes the sums are: after the outlooks of both players and the things before and now, a word for
        each kind, where a line of the processor's cache begins."""
        return -(-(OUTLOOKS + 2 * 8 * len(self.game.things(self.game.initial()))) // 64) * 64

    def rules(self) -> dict[str, Any]:
        onward = {}
        if self.grain:
            self.round()
            onward = {"model_onward": model_onward, "model_sums_at": self._sums_at}
        return onward | {
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
    clipped_first_layer(game.model_first, on, units)
    conclude(game, on.value(len(on) // 2 - 1) if game.model_is_judged else 0.0, units, y)


def conclude(game: Any, lead: float, units: Any, y: Any) -> None:
    """The second layer and the output, from the units of both sides and what the own estimate says."""
    n, m = game.model_both, game.model_second
    clipped_layer(units, n, game.model_rest, 0, units, 0, n, m)
    layer(y, 0, game.model_rest, (n + 1) * m, units, n, m, 1)
    if game.model_is_judged:
        y[0] = with_odds(0.5 + 0.5 * lead, float(y[0]))


def with_odds(chance: float, other: float) -> float:
    """The chance whose odds are those of both, multiplied."""
    both = chance * other
    return both / max(both + (1.0 - chance) * (1.0 - other), 1e-9)


# ---- from the state before


def model_onward(self: Any, s: Any, p: int, notes: int) -> float:
    v = value_onward(self, s, notes)
    return float(v if p == self.viewer(s) else self.utility_sum - v)


@native
def value_onward(game, s, notes):  # type: ignore[no-untyped-def]
    """What the model expects for the viewer, by the sums of the state asked about last, as far as that was the same."""
    n, units, y = game.model_both // 2, scratch(game.model_units), scratch(game.model_room)
    sums = row_at(notes + game.model_sums_at, game.model_both)
    follow(game, s, notes, sums)
    viewer, lead, own = game.viewer(s), 0.0, 0
    if game.model_is_judged:
        y[0], own = own_lead(game, s, viewer), (game.model_inputs - 1) * n
        lead = float(y[0])  # in 32 bits
    clipped_sum(units, 0, sums, viewer * n, lead, game.model_first, own, n)
    clipped_sum(units, n, sums, (1 - viewer) * n, -lead, game.model_first, own, n)
    conclude(game, lead, units, y)
    return game.model_worth(y)


def follow(game: Any, s: Any, notes: int, sums: Any) -> None:
    """Change the sums of both players by what has come and gone since, and note what there is now."""
    now, n = game.things(s), game.model_both // 2
    before_at, now_at, none = notes + OUTLOOKS, notes + OUTLOOKS + 8 * len(now), now[0] - now[0]
    seen = game.outlook(s, 0), game.outlook(s, 1)
    for p in range(2):
        if load(notes, p) != 1 + seen[p]:  # the board looks different to the player now
            store(notes, p, 1 + seen[p])
            for j in range(n):
                sums[p * n + j] = game.model_first[game.model_inputs, j]
            for kind in range(len(now)):
                for square in kept_state(before_at + 8 * kind, none):
                    add_seen(game, sums, p, 1.0, game.seen_as(p, seen[p], kind, square))
    keep_state(now_at, now, now)
    for kind in range(len(now)):
        before, here = kept_state(before_at + 8 * kind, none), kept_state(now_at + 8 * kind, none)
        if before != here:
            for p in range(2):
                for square in before - here:
                    add_seen(game, sums, p, -1.0, game.seen_as(p, seen[p], kind, square))
                for square in here - before:
                    add_seen(game, sums, p, 1.0, game.seen_as(p, seen[p], kind, square))
            keep_state(before_at + 8 * kind, here, none)


def add_seen(game: Any, sums: Any, p: int, sign: float, i: int) -> None:
    """Add the row of an input to the sums of a player, or take it away."""
    if i < 0 or i >= game.model_inputs:  # there is no such row
        raise ValueError("`seen_as` tells of an input that is not below `seen_inputs`")
    n = game.model_both // 2
    add_scaled(sums, p * n, sign, game.model_first, n * i, n)


# ---- learning


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
