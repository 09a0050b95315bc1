"""Inputs for learning: numbers that stand for a state, most of them 0.

on = Active()
game.features(s, on)        # calls on.add(i), or on.add(i, x), for each input that is not 0
on.row(game.inputs)         # all inputs, as a list
"""

from __future__ import annotations

from typing import Any

from counterplay.core.bits import Bits
from counterplay.core.cells import Cells

__all__ = ["Active", "default_features", "number_of_inputs"]


class Active:
    """The inputs of one state that are not 0, with their values."""

    def __init__(self) -> None:
        self.values: dict[int, float] = {}

    def add(self, i: int, x: float = 1.0) -> None:
        """Input `i` is `x`; what is added twice counts twice."""
        self.values[i] = self.values.get(i, 0.0) + x

    def row(self, inputs: int) -> list[float]:
        """All inputs in order, those that are 0 too."""
        return [self.values.get(i, 0.0) for i in range(inputs)]


def default_features(s: Any, on: Any) -> None:
    """The inputs of a state just as it is: of a `Bits` one for each square, of a number the number itself."""
    _add(s, on, 0)


def number_of_inputs(s: Any) -> int:
    """How many inputs `default_features` has for states like `s`."""
    if isinstance(s, tuple | Cells):
        return sum(map(number_of_inputs, s))
    return s.width if isinstance(s, Bits) else 1


def _add(value: Any, on: Any, first: int) -> None:
    if isinstance(value, tuple | Cells):
        for item in value:
            _add(item, on, first)
            first += number_of_inputs(item)
    elif isinstance(value, Bits):
        for square in value:
            on.add(first + square)
    elif value:
        on.add(first, float(value))
