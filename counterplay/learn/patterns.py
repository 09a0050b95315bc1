"""Patterns: a table of weights for each shape of squares, looked up by what stands on them (Buro's Logistello, 1997).

What stands on the squares of a shape, read as the digits of a number, is the place in its table: 0 for an empty square,
1, 2, ... for the kinds of pieces in the order of `Game.planes`. The images of a shape under the game's symmetries use
the same table. There is a set of tables for each stage of the game, by how many pieces are on the board.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from counterplay.core.bits import Bits
from counterplay.core.errors import UserError
from counterplay.core.features import MOST_ACTIVE
from counterplay.core.game import Game
from counterplay.core.memory import Memory
from counterplay.core.vectors import sigmoid
from counterplay.learn.inputs import pattern_at
from counterplay.learn.linear import guess, learn
from counterplay.learn.model import Model
from counterplay.native import native

__all__ = ["Patterns"]

MOST_WEIGHTS = 1 << 26
"""A model with more would not fit a file that we read."""


class Patterns(Model):
    """Tables of patterns; `shapes` are the squares of each, by default the game's own, and symmetries add the rest."""

    kind = "patterns"
    rate = (0.1, 0.01)
    trace = 0.5

    def __init__(self, game: Game, shapes: Iterable[Sequence[int]] | None = None, stages: int = 6) -> None:
        super().__init__(game)
        self.shapes = [list(map(int, shape)) for shape in (game.shapes if shapes is None else shapes)]
        self.stages = stages
        planes = self._planes()
        self._squares, self._kinds = planes[0].width, len(planes)
        self._must_be_sensible()
        self._lay_out()
        if self.instances > MOST_ACTIVE:
            raise UserError(f"these shapes have {self.instances:,} images; {MOST_ACTIVE:,} is the most")
        if self.inputs > MOST_WEIGHTS:
            raise UserError(f"these patterns have {self.inputs:,} weights; {MOST_WEIGHTS:,} is the most")
        self.weights = {"weights": np.zeros(self.inputs, np.float32)}

    def _planes(self) -> Sequence[Bits]:
        try:
            planes: Sequence[Bits] = tuple(self.game.planes(self.game.initial()))
        except AttributeError:
            planes = ()
        if not planes or not all(isinstance(each, Bits) and each.width == planes[0].width for each in planes):
            raise UserError(f"{self.game} has no planes(self, s): the squares of each kind of piece")
        return planes

    def _must_be_sensible(self) -> None:
        if not self.shapes:
            raise UserError(f"{self.game} names no shapes: give Patterns(game, shapes=[[0, 1, 2], ...])")
        if not 1 <= self.stages <= self._squares:
            raise UserError(f"patterns have 1 to {self._squares} stages here, not {self.stages}")
        for shape in self.shapes:
            if not shape or len(set(shape)) < len(shape) or not all(0 <= q < self._squares for q in shape):
                raise UserError(f"{shape} is no shape: different squares from 0 to {self._squares - 1}")
            if (self._kinds + 1) ** len(shape) > MOST_WEIGHTS:
                raise UserError(f"a shape of {len(shape)} squares has too many patterns")

    def _lay_out(self) -> None:
        """Where everything is: for each image of each shape its squares, its table, and where digits come from."""
        base, words = self._kinds + 1, -(-self._squares // 64)
        turns = [list(range(self._squares)), *(list(turn) for turn in self.game.symmetries)]
        self.images: list[list[int]] = []
        """The squares of each pattern that is looked up, in the order of the digits."""
        masks: list[list[int]] = []
        places: list[list[int]] = []
        digits: dict[tuple[int, ...], int] = {}  # where the row of sums begins for these powers of the base
        sums: list[int] = []
        table, seen = 0, set()
        for shape in self.shapes:
            if frozenset(shape) in seen:  # as the image of another
                continue
            for image in _images(shape, turns):
                seen.add(frozenset(image))
                mask, place = [], [table]
                for word in range(words):
                    here = sorted(q for q in image if q // 64 == word)
                    powers = tuple(base ** image.index(q) for q in here)
                    if powers not in digits:
                        digits[powers] = len(sums)
                        sums += _sums(powers)
                    bits = sum(1 << q - 64 * word for q in here)
                    mask.append(bits - (1 << 64) if bits >> 63 else bits)
                    place.append(digits[powers])
                self.images.append(image)
                masks.append(mask)
                places.append(place)
            table += base ** len(shape)
        self._per_stage = table + 1  # and one weight that always counts
        self._masks, self._places = np.array(masks, np.int64), np.array(places, np.int64)
        self._digits = np.array(sums, np.uint16 if max(sums) < 1 << 16 else np.int32)
        start = sum(map(len, self._planes()))
        room = max(self._squares - start, 1)
        self._stage_of = np.array(
            [min(max(n - start, 0) * self.stages // room, self.stages - 1) for n in range(self._squares + 1)], np.int64
        )

    @property
    def instances(self) -> int:
        """How many patterns are looked up for a state: the shapes with all their images."""
        return len(self._masks)

    @property
    def shape(self) -> dict[str, Any]:
        return {"shapes": self.shapes, "stages": self.stages}

    @property
    def inputs(self) -> int:
        return self.stages * self._per_stage

    @property
    def most_active(self) -> int:
        return self.instances + 1

    def rules(self) -> dict[str, Any]:
        return {
            "model_see": see,
            "model_guess": guess,
            "model_learn": learn,
            "model_value": model_value,
            "model_per_stage": self._per_stage,
            "model_masks": Memory(self._masks),
            "model_places": Memory(self._places),
            "model_digits": Memory(self._digits),
            "model_stage_of": Memory(self._stage_of),
        }


def _images(shape: Sequence[int], turns: Sequence[Sequence[int]]) -> list[list[int]]:
    """The shape as each symmetry turns it, in the same order of its squares; once for each set of squares."""
    images: dict[frozenset[int], list[int]] = {}
    for turn in turns:
        image = [turn[q] for q in shape]
        images.setdefault(frozenset(image), image)
    return list(images.values())


def _sums(powers: Sequence[int]) -> list[int]:
    """The sum of each set of these numbers; bit `i` of its place in the list says whether number `i` is in it."""
    sums = [0]
    for power in powers:
        sums += [power + each for each in sums]
    return sums


# ---- in compiled code


def first_of_stage(self: Any, planes: Any) -> int:
    """Where the tables of a state's stage begin."""
    pieces = 0
    for plane in planes:
        pieces += len(plane)
    return int(self.model_stage_of[pieces] * self.model_per_stage)


def pattern(self: Any, planes: Any, i: int) -> int:
    """The place of what stands on the squares of pattern `i`."""
    return pattern_at(self.model_masks, self.model_places, self.model_digits, planes, i)


def see(self: Any, s: Any, on: Any) -> None:
    planes = self.planes(s)
    first = first_of_stage(self, planes)
    on.clear(first)
    for i in range(len(self.model_masks)):
        on.add(pattern(self, planes, i))
    on.add(self.model_per_stage - 1)


def model_value(self: Any, s: Any) -> Any:
    return value(self, s)


@native
def value(game, s):  # type: ignore[no-untyped-def]
    """As `model.value`, without writing down which patterns there are."""
    planes, n = game.planes(s), len(game.model_masks) + 1
    first = first_of_stage(game, planes)
    even, odd = 0.0, 0.0
    for i in range(0, n - 2, 2):
        even += game.model_weights[first + pattern(game, planes, i)]
        odd += game.model_weights[first + pattern(game, planes, i + 1)]
    always = game.model_weights[first + game.model_per_stage - 1]
    if n % 2 == 1:
        even += always
    else:
        even += game.model_weights[first + pattern(game, planes, n - 2)]
        odd += always
    low, high = game.utility_range
    return min(max(low + (high - low) * sigmoid(even + odd), low), high)
