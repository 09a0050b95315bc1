"""Comparing values and their types, as far as machine code cares."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from counterplay.core.bits import Bits
from counterplay.core.cells import Cells

__all__ = ["is_finite", "kind", "listed", "plain", "same", "shape", "unfit"]

_NUMBERS: dict[str, Any] = {"bool": np.bool_, "int": np.integer, "float": np.floating}
_INSTEAD = {"list": "a tuple", "ndarray": "a tuple or a Bits", "set": "a Bits", "NoneType": "a number such as -1"}


def plain(value: Any) -> Any:
    """Equal for what means the same, and hashable: a NaN is itself, and NumPy's numbers are Python's."""
    if isinstance(value, tuple | list):
        return tuple(map(plain, value))
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, int | float | Bits | Cells) and value == value else repr(value)


def same(x: Any, y: Any) -> bool:
    return bool(plain(x) == plain(y))


def kind(value: Any) -> str:
    """The type of one value: `int`, `Bits(9)`, `tuple of 3`, the name of a NamedTuple."""
    if type(value) is tuple:
        return f"tuple of {len(value)}"
    if isinstance(value, Bits):
        return f"Bits({value.width})"
    if isinstance(value, Cells):
        return f"Cells({len(value)}, {value.least}..{value.most})"
    return next((name for name, type_ in _NUMBERS.items() if isinstance(value, type_)), type(value).__name__)


def parts(value: Any, name: str = "s") -> Iterator[tuple[str, Any]]:
    """A value and all that it consists of, named as rules name them: `s`, `s.heaps`, `s.heaps[0]`."""
    yield name, value
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        for i, item in enumerate(value):
            yield from parts(item, f"{name}.{names[i]}" if names else f"{name}[{i}]")


def shape(value: Any) -> dict[str, str]:
    """The types of all parts of a value."""
    return {name: kind(part) for name, part in parts(value)}


def unfit(state: Any) -> str | None:
    """Why a value cannot be a state."""
    if not isinstance(state, tuple):
        return f"the state is {kind(state)} {state!r}; it must be a tuple, best a NamedTuple"
    for name, value in parts(state):
        what = kind(value)
        if what == "int" and not -(2**63) <= value < 2**63:
            return f"{name} is {value}, which has more than 64 bits; a set of squares is a Bits"
        if what not in _NUMBERS and not isinstance(value, tuple | Bits | Cells):
            return f"{name} is {what} {value!r}; use {_INSTEAD.get(what, 'numbers, Bits, Cells and tuples of them')}"
    return None


def is_finite(x: Any) -> bool:
    return isinstance(x, int | float | np.integer | np.floating) and math.isfinite(x)


def listed(values: Any) -> str:
    """Some values for people."""
    return ", ".join(map(str, values[:12])) + (", ..." if len(values) > 12 else "")
