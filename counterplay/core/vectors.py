"""Sums over rows of 32-bit numbers, as learners need them: sixteen numbers at a time, in an order that is fixed.

Each is an ordinary function of NumPy here, slow and obvious, and has a compiled twin in `native/vectors.py` with the
same result to the last bit, on every processor. A row is a part of a `Memory` of kind `float32`: from number `i` on,
`n` numbers, where `n` is a multiple of `LANES`. Nothing is fused and nothing reordered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.memory import Memory

__all__ = ["LANES", "add_rows", "add_scaled", "gather", "layer", "scratch", "sigmoid", "sigmoids"]
__all__ += ["slopes", "sum_rows", "word_of"]

LANES = 16

STEEPEST = 87.0
"""Beyond it, up and down, `sigmoid` stays as it is: its exponential would leave the range of 32 bits."""
LOG2_E = 1.44269504
ROUNDER = 12582912.0
"""Added to a small number and taken away again, it leaves the nearest whole number: 1.5 times 2 to the 23."""
POWER_OF_2 = (1.0, 0.693146978, 0.240222421, 0.0555073375, 0.0096715127, 0.00132647264)
"""2 to the x as a polynomial in x, from -1/2 to 1/2; the error is at most a part in ten million (minimax)."""

_Row = np.ndarray[Any, np.dtype[np.float32]]


def scratch(n: int) -> Any:
    """A row of `n` numbers for the length of a call, all 0; compiled, on the stack, and `n` known beforehand."""
    return Memory(np.zeros(n, np.float32))


def sigmoid(x: float) -> float:
    """1 / (1 + exp(-x)), computed in 32 bits."""
    return float(_sigmoid(np.full(1, x, np.float32))[0])


def sigmoids(row: Any, i: int, n: int) -> None:
    """Put each number of a row through `sigmoid`."""
    row.array[i : i + n] = _sigmoid(row.array[i : i + n])


def _sigmoid(x: _Row) -> _Row:
    most = np.float32(STEEPEST)
    x = np.where(x < most, x, most)
    x = np.where(x > -most, x, -most)
    power = x * np.float32(-LOG2_E)
    whole = (power + np.float32(ROUNDER)) - np.float32(ROUNDER)
    part = power - whole
    total = np.full_like(x, POWER_OF_2[-1])
    for coefficient in POWER_OF_2[-2::-1]:
        total = total * part + np.float32(coefficient)
    exponential = (total.view(np.int32) + (whole.astype(np.int32) << 23)).view(np.float32)
    one = np.float32(1.0)
    return np.asarray(one / (one + exponential))


def slopes(row: Any, units: Any, i: int, n: int) -> None:
    """Multiply each number of a row by the slope of the sigmoid whose value `units` has there, y (1 - y)."""
    y = units.array[i : i + n]
    row.array[i : i + n] *= y * (np.float32(1.0) - y)


def layer(y: Any, k: int, weights: Any, i: int, x: Any, at: int, n: int, m: int) -> None:
    """The sums of `m` units into `y`, from number `k` on. The input is the row of `n` numbers of `x` that begins `at`.

    The weights are a row of `n` for each unit, and then `m` thresholds, which are added last. The products of a row are
    added in sixteen sums side by side, and these by halves.
    """
    rows, row = _flat(weights), _flat(x)[at : at + n]
    for unit in range(m):
        products = (rows[i + unit * n : i + unit * n + n] * row).reshape(-1, LANES)
        sums = np.zeros(LANES, np.float32)
        for each in products:
            sums = sums + each
        while len(sums) > 1:
            half = len(sums) // 2
            sums = sums[:half] + sums[half:]
        _flat(y)[k + unit] = sums[0] + rows[i + m * n + unit]


def add_scaled(a: Any, i: int, x: float, b: Any, k: int, n: int) -> None:
    """Add `x` times the row of `b` to the row of `a`."""
    _flat(a)[i : i + n] += np.float32(x) * _flat(b)[k : k + n]


def sum_rows(rows: Any, on: Any, total: Any) -> None:
    """The last row, and the row of each active input by its value, added up in that order into the first of `total`."""
    n = rows.shape[1]
    total.array[:n] = rows.array[-1]
    for k in range(len(on)):
        total.array[:n] += np.float32(on.value(k)) * rows.array[on.index(k)]


def add_rows(rows: Any, on: Any, change: Any) -> None:
    """Add the first of `change` to the last row, and by its value to the row of each active input."""
    first = change.array[: rows.shape[1]]
    rows.array[-1] += first
    for k in range(len(on)):
        rows.array[on.index(k)] += np.float32(on.value(k)) * first


def _flat(memory: Any) -> _Row:
    row: _Row = memory.array.reshape(-1)
    return row


# ---- squares as the digits of a number


def word_of(b: Any, k: int) -> int:
    """The squares 64 k to 64 k + 63 of a `Bits`, as an integer of 64 bits."""
    word = int(b) >> 64 * k & (1 << 64) - 1
    return word - (1 << 64) if word >> 63 else word


def gather(word: int, mask: int) -> int:
    """The bits of `word` where `mask` has a one, side by side, the lowest first."""
    found, place = 0, 0
    for i in range(64):
        if mask >> i & 1:
            found |= (word >> i & 1) << place
            place += 1
    return found
