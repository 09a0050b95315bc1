"""A network that looks at the board from both sides with the same weights, as those of chess programs do (Nasu 2018).

What stands where, by `Game.things`, is told twice: as the player to move sees it, and as the other one does. The first
layer adds up rows of weights for each of them, and a second one has the units of both before it. Units are cut off
below 0 and above 1, which costs less than sigmoids and learns faster from many examples; the output is a sigmoid.

With one hidden layer the output has the squares of its units before it, so that two things on the board can be worth
more together than each alone. Most of the time of a network goes into its second layer: so one of 256 units takes less
than one of 128 and 16. What follows the first layer may be there once for each of some `stages` of the game, by how
many things are left.

With `features="judged"` the network does not judge alone: it sees what the game's own `evaluate` says, and its output
are odds by which that is multiplied. So it begins as good as the hand-made estimate, and learns where that is wrong.

A search asks about states that differ by a move from the one before on the board. If all weights of the first layer
are multiples of `1 / grain`, its sums come out the same in any order, and can be counted in integers. So those of one
state are those of the other, less the rows of what has gone, and with those of what has come: `model_onward`. The
weights of the output are rounded, too, so that it is added up in integers of 16 and 32 bits. That is for networks with
one hidden layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.features import NOTES, new_active
from counterplay.core.game import Game
from counterplay.core.memory import Memory
from counterplay.core.primitives import keep_state, kept_state, load, lowest_one, store
from counterplay.core.vectors import (
    LANES,
    WHOLE,
    add_both_rows,
    add_changes,
    add_scaled,
    clipped_first_layer,
    clipped_layer,
    clipped_slopes,
    layer,
    scratch,
    short_squares_by,
    shorts_at,
    sigmoid,
    square_slopes,
    squares,
    squares_by,
)
from counterplay.learn.model import Model, in_lines, see_features
from counterplay.learn.network import sizes_of
from counterplay.native import native

__all__ = ["SidedNetwork"]

GRAINS = tuple(2**k for k in range(13))
"""Of a power of 2 every multiple is exact, and so is every sum of them."""
MOST_GRAINS = 2047
"""A number of 16 bits with its eleven digits tells all whole numbers up to here apart."""
MOST_SHORT = 32767
MOST_SUM = (2**31 - 1) // WHOLE
LEAST = 2.0**-16
"""Weights of the output are multiples of no less: then there may be none at all."""
HEAD = 24
"""Bytes with which the notes of a state begin: the outlooks of both players, and how many things there are."""


class SidedNetwork(Model):
    """`hidden` units for each side, and in a second layer, if there is one, for both; at random first, by `seed`.

    The weights are `first`, a row for each input and one for the thresholds; and `rest`, once for each
    of the `stages`: for the second layer and then the output a row for each unit, then their thresholds. With a `grain`
    it is for searching, and learns no more.
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
        stages: int = 1,
    ) -> None:
        if game.stakes:
            raise UserError(f"{game} can be won by several stakes, and this network has one output: try Network")
        if features not in ("sides", "judged"):
            raise UserError(f"this network has the features sides or judged, not '{features}'")
        super().__init__(game, features)
        self.hidden = sizes_of(hidden)
        if not 1 <= len(self.hidden) <= 2 or any(n < LANES or n % LANES for n in self.hidden):
            raise UserError(f"one or two hidden layers, each of {LANES} units or a multiple of it: 64x16, not {hidden}")
        if features == "judged" and len(self.hidden) == 1:
            raise UserError("a network that corrects an estimate has two hidden layers: 64x16")
        if not 1 <= stages <= self.game.most_seen:
            raise UserError(f"there are 1 to {self.game.most_seen} stages here, not {stages}")
        random, one = np.random.default_rng(seed), self.hidden[0]
        first = random.uniform(-0.15, 0.15, (self.inputs + 1, one))
        first[-1] = 0.25
        rest = np.tile(self._random_rest(random), stages)
        self.weights = {"first": in_lines(first), "rest": in_lines(rest)}
        self.grain, self.stages = grain, stages
        if grain:
            if grain not in GRAINS:
                raise UserError(f"a grain is a power of 2 from {GRAINS[0]} to {GRAINS[-1]:,}, not {grain}")
            if len(self.hidden) > 1:
                raise UserError("a network with a grain has one hidden layer")
            if self._sums_at + 4 * one > 8 * NOTES:
                raise UserError(f"with a grain {one} units are too many: a search has no room for their sums")
            if any(each.width > 64 for each in self.game.things(self.game.initial())):
                raise UserError(f"a grain is for boards of at most 64 squares, and {game} has more")
            if len(self.game.things(self.game.initial())) > 64:
                raise UserError(f"a grain is for at most 64 kinds of things, and {game} has more")

    def _random_rest(self, random: Any) -> Any:
        """What follows the first layer, at random."""
        one, reach = self.hidden[0], (2 * self.hidden[0]) ** -0.5
        if len(self.hidden) == 1:
            return np.append(random.uniform(-reach, reach, 2 * one), 0.0)
        two = self.hidden[1]
        last = random.uniform(-0.25, 0.25, two) * (0.1 if self.features == "judged" else 1.0)
        second = random.uniform(-reach, reach, 2 * one * two)
        return np.concatenate([second, np.full(two, 0.25), last, [-last.sum() / 4]])

    @property
    def shape(self) -> dict[str, Any]:
        more = {name: n for name, n, usual in (("grain", self.grain, 0), ("stages", self.stages, 1)) if n != usual}
        return {"hidden": list(self.hidden), "features": self.features} | more

    @property
    def inputs(self) -> int:
        return self.game.inputs

    def must_learn_by(self, method: str) -> None:
        if self.grain:
            raise UserError("a network with a grain is rounded, and learns no more: train one without, and round that")

    def round(self) -> None:
        """Make all weights multiples of something, and so small that all sums are exact.

        Those of the first layer are multiples of `1 / grain`, those of the output of a power of 2 for each stage.
        """
        first, most = self.weights["first"], min(MOST_GRAINS, MOST_SHORT // (self.game.most_seen + 1))
        first[:] = np.round(first * self.grain).clip(-most, most) / self.grain
        by_stage, scales = self._by_stage, self._scales[:, None]
        by_stage[:] = np.round(by_stage * scales) / scales

    @property
    def _by_stage(self) -> Any:
        """The weights of the output, a row for each stage, without the thresholds."""
        return self.weights["rest"].reshape(self.stages, -1)[:, :-1]

    @property
    def _scales(self) -> Any:
        """For each stage the largest power of 2 by which weights of the output can be multiplied: rounded, each has 16
        bits, and what a side adds up 32, whatever its units are."""
        sides = self._by_stage.astype(np.float64).reshape(self.stages, 2, -1)
        of_one_sign = (abs(sides).sum(2) + abs(sides.sum(2))).max(1) / 2
        room = MOST_SUM - sides.shape[2]  # each may be rounded up
        scales = np.minimum(MOST_SHORT / (abs(sides).max((1, 2)) + LEAST), room / (of_one_sign + LEAST))
        return 2.0 ** np.floor(np.log2(scales))

    @property
    def _sums_at(self) -> int:
        """Where in the notes the sums are: after their head and the things, a word for each kind, where a line of the
        processor's cache begins."""
        return -(-(HEAD + 8 * len(self.game.things(self.game.initial()))) // 64) * 64

    def rules(self) -> dict[str, Any]:
        onward = {}
        if self.grain:
            self.round()
            scales = self._scales
            onward = {
                "model_onward": model_onward,
                "model_output": by_short_squares,
                "model_grain": self.grain,
                "model_sums_at": self._sums_at,
                "model_grains": Memory(in_lines(self.weights["first"] * self.grain, np.int16)),
                "model_wholes": Memory(in_lines((self._by_stage * scales[:, None]).reshape(-1), np.int16)),
                "model_shares": Memory(1.0 / (scales * WHOLE)),
            }
        return {
            "model_output": by_squares,
            "model_see": see_features,
            "model_guess": model_guess,
            "model_learn": model_learn,
            "model_is_judged": self.features == "judged",
            "model_both": 2 * self.hidden[0],
            "model_second": sum(self.hidden[1:]),
            "model_units": 2 * self.hidden[0] + sum(self.hidden[1:]),
            "model_stages": self.stages,
            "model_per_stage": len(self.weights["rest"]) // self.stages,
            "model_most_things": self.game.most_seen,
            **onward,
        }


def model_guess(self: Any, on: Any, y: Any) -> None:
    forward(self, on, scratch(self.model_units), y)


def model_learn(self: Any, on: Any, target: Any, rate: float) -> None:
    learn(self, on, target, rate)


def forward(game: Any, on: Any, units: Any, y: Any) -> None:
    """The units of both sides, those of the second layer, and the output."""
    clipped_first_layer(game.model_first, on, units)
    things = len(on) // 2
    lead = 0.0
    if game.model_is_judged:
        things -= 1
        lead = on.value(things)
    if game.model_second == 0:
        y[0] = game.model_output(things, units, 0, game.model_both // 2)
    else:
        conclude(game, things, lead, units, y)


def stage_number(game: Any, things: int) -> int:
    """The stage at which there are so many things on the board."""
    return int(min(things * game.model_stages // (game.model_most_things + 1), game.model_stages - 1))


def stage_of(game: Any, things: int) -> int:
    """Where the weights begin that are for so many things on the board."""
    return int(stage_number(game, things) * game.model_per_stage)


def by_squares(self: Any, things: int, sums: Any, one: int, other: int) -> float:
    """The output of a network with one hidden layer, whose sums for both sides begin at `one` and at `other`."""
    rest, n, first = self.model_rest, self.model_both // 2, stage_of(self, things)
    total = squares_by(sums, one, rest, first, n) + squares_by(sums, other, rest, first + n, n)
    return float(sigmoid(total + rest[first + 2 * n]))


def by_short_squares(self: Any, things: int, sums: Any, one: int, other: int) -> float:
    """The same of a network with a grain: in integers, so that it matters not whether the sums are, too."""
    wholes, grain, n, stage = self.model_wholes, self.model_grain, self.model_both // 2, stage_number(self, things)
    first = stage * 2 * n
    count = short_squares_by(sums, one, grain, wholes, first, n)
    count += short_squares_by(sums, other, grain, wholes, first + n, n)
    threshold = self.model_rest[(stage + 1) * self.model_per_stage - 1]
    return float(sigmoid(count * self.model_shares[stage] + threshold))


def conclude(game: Any, things: int, lead: float, units: Any, y: Any) -> None:
    """The second layer and the output, from the units of both sides and what the own estimate says."""
    n, m, first = game.model_both, game.model_second, stage_of(game, things)
    clipped_layer(units, n, game.model_rest, first, units, 0, n, m)
    layer(y, 0, game.model_rest, first + (n + 1) * m, units, n, m, 1)
    if game.model_is_judged:
        y[0] = with_odds(0.5 + 0.5 * lead, float(y[0]))


def with_odds(chance: float, other: float) -> float:
    """The chance whose odds are those of both, multiplied."""
    both = chance * other
    return both / max(both + (1.0 - chance) * (1.0 - other), 1e-9)


# ---- from the state before


def model_onward(self: Any, s: Any, p: int, before: int, notes: int) -> float:
    v = value_onward(self, s, before, notes)
    return float(v if p == self.viewer(s) else self.utility_sum - v)


def value_onward(game: Any, s: Any, before: int, notes: int) -> float:
    """What the model expects for the viewer, by the sums of another state, as far as that was the same."""
    sums, y = shorts_at(notes + game.model_sums_at, game.model_both), scratch(game.model_room)
    things, one = follow(game, s, before, notes, sums), game.viewer(s) * (game.model_both // 2)
    y[0] = game.model_output(things, sums, one, game.model_both // 2 - one)
    return float(game.model_worth(y))


def follow(game: Any, s: Any, before: int, notes: int, sums: Any) -> int:
    """Make the sums of both players of those before, by what has come and gone; note what there is; how much it is."""
    now, one, other = game.things(s), game.outlook(s, 0), game.outlook(s, 1)
    before_at, now_at, none = before + HEAD, notes + HEAD, now[0] - now[0]
    keep_state(now_at, now, now)
    inputs, most = game.model_inputs, game.model_most
    gone, come = new_active(inputs, most), new_active(inputs, most)
    other_gone, other_come = new_active(inputs, most), new_active(inputs, most)
    changed = 0  # a bit for each kind: a branch for each would be guessed wrong too often
    for kind in range(len(now)):
        changed |= int(load(before_at, kind) != load(now_at, kind)) << kind
    while changed:
        kind = lowest_one(changed)
        changed &= changed - 1
        there, here = kept_state(before_at + 8 * kind, none), kept_state(now_at + 8 * kind, none)
        for square in there - here:
            gone.add(game.seen_as(0, one, kind, square))
            other_gone.add(game.seen_as(1, other, kind, square))
        for square in here - there:
            come.add(game.seen_as(0, one, kind, square))
            other_come.add(game.seen_as(1, other, kind, square))
    things = load(before, 2) + len(come) - len(gone)
    store(notes, 2, things)
    change(game, 0, one, now, before, notes, sums, gone, come)
    change(game, 1, other, now, before, notes, sums, other_gone, other_come)
    return int(things)


def change(game: Any, p: int, seen: int, now: Any, before: int, notes: int, sums: Any, gone: Any, come: Any) -> None:
    """Change the sums of a player, or begin them anew where the board looks different to him now."""
    n, none, base = game.model_both // 2, now[0] - now[0], before
    store(notes, p, 1 + seen)
    if load(before, p) != 1 + seen:
        base = notes
        gone.clear()
        come.clear()
        for j in range(n):
            sums[p * n + j] = game.model_grains[game.model_inputs, j]
        for kind in range(len(now)):
            for square in kept_state(notes + HEAD + 8 * kind, none):
                come.add(game.seen_as(p, seen, kind, square))
    earlier = shorts_at(base + game.model_sums_at, game.model_both)
    add_changes(sums, earlier, p * n, game.model_grains, gone, come)


# ---- learning


@native
def learn(game, on, target, rate):  # type: ignore[no-untyped-def]
    """A step down the gradient, back through the layers; `errors` are the rate times the gradient of each sum."""
    units, errors, y = scratch(game.model_units), scratch(game.model_units), scratch(game.model_room)
    forward(game, on, units, y)
    n, m = game.model_both, game.model_second
    first = stage_of(game, len(on) // 2 - (1 if game.model_is_judged else 0))
    error = rate * (target[0] - y[0])
    if m == 0:
        add_scaled(errors, 0, error, game.model_rest, first, n)
        square_slopes(errors, units, 0, n)
        squares(units, 0, n)
        add_scaled(game.model_rest, first, error, units, 0, n)
        game.model_rest[first + n] += error
    else:
        last = first + (n + 1) * m
        add_scaled(errors, n, error, game.model_rest, last, m)
        add_scaled(game.model_rest, last, error, units, n, m)
        game.model_rest[last + m] += error
        clipped_slopes(errors, units, n, m)
        for j in range(m):
            error = errors[n + j]
            add_scaled(errors, 0, error, game.model_rest, first + j * n, n)
            add_scaled(game.model_rest, first + j * n, error, units, 0, n)
            game.model_rest[first + n * m + j] += error
        clipped_slopes(errors, units, 0, n)
    add_both_rows(game.model_first, on, errors)
