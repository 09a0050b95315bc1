"""Sums over rows of 32-bit numbers, as learners need them: sixteen numbers at a time, in an order that is fixed.

Each is an ordinary function of NumPy here, slow and obvious, and has a compiled twin in `native/vectors.py` or
`native/active_rows.py` with the same result to the last bit, on every processor. A row is a part of a `Memory` of
kind `float32`: from number `i` on, `n` numbers, where `n` is a multiple of `LANES`. A product that is added to
something is fused: rounded once, with the sum, as processors do it in one step.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from counterplay.core.memory import Memory

__all__ = ["LANES", "WHOLE", "add_active", "add_both_rows", "add_changes", "add_rows", "add_scaled"]
__all__ += ["clipped_first_layer", "clipped_layer", "clipped_slopes", "convolve", "first_layer", "gather", "layer"]
__all__ += ["row_at", "scratch"]
__all__ += ["short_squares_by", "shorts_at", "sigmoid", "slopes", "square_slopes", "squares", "squares_by", "word_of"]

LANES = 16

WHOLE = 1 << 14
"""The square of 1, where squares are integers of 16 bits."""

STEEPEST = 87.0
"""Beyond it, up and down, `sigmoid` stays as it is: its exponential would leave the range of 32 bits."""
LOG2_E = 1.44269504
ROUNDER = 12582912.0
"""Added to a small number and taken away again, it leaves the nearest whole number: 1.5 times 2 to the 23."""
POWER_OF_2 = ((1.0, 0.693146978), (0.240222421, 0.0555073375), (0.0096715127, 0.00132647264))
"""2 to the x as a polynomial from -1/2 to 1/2, lower powers first, within a part in ten million (minimax)."""

_Row = np.ndarray[Any, np.dtype[np.float32]]


def scratch(n: int) -> Any:
    """A row of `n` numbers for the length of a call, all 0; compiled, on the stack, and `n` known beforehand."""
    return Memory(np.zeros(n, np.float32))


def row_at(address: int, n: int) -> Any:
    """The row of `n` numbers at an address that the caller keeps alive; compiled, `n` is known beforehand."""
    return Memory(np.ctypeslib.as_array((ctypes.c_float * n).from_address(int(address))))


def shorts_at(address: int, n: int) -> Any:
    """The same of integers of 16 bits."""
    return Memory(np.ctypeslib.as_array((ctypes.c_int16 * n).from_address(int(address))))


def sigmoid(x: float) -> float:
    """1 / (1 + exp(-x)), computed in 32 bits."""
    return float(_sigmoid(np.full(1, x, np.float32))[0])


def _sigmoid(x: _Row) -> _Row:
    most = np.float32(STEEPEST)
    x = np.where(x < most, x, most)
    x = np.where(x > -most, x, -most)
    power = x * np.float32(-LOG2_E)
    whole = (power + np.float32(ROUNDER)) - np.float32(ROUNDER)
    part = power - whole
    pairs = [_fused(part, np.float32(high), np.float32(low)) for low, high in POWER_OF_2]
    square = part * part
    total = _fused(square, _fused(square, pairs[2], pairs[1]), pairs[0])
    exponential = (total.view(np.int32) + (whole.astype(np.int32) << 23)).view(np.float32)
    one = np.float32(1.0)
    return np.asarray(one / (one + exponential))


def _fused(a: Any, b: Any, c: Any) -> _Row:
    """a b + c, rounded once.

    In 64 bits the product is exact. The sum is not, and to round it again could go wrong just between two numbers of 32
    bits; so where something was lost, its last bit is made a one ("round to odd", Boldo and Melquiond 2008).
    """
    product, more = np.multiply(a, b, dtype=np.float64), np.asarray(c, np.float64)
    total = product + more
    of_more = total - product
    lost = (product - (total - of_more)) + (more - of_more)
    is_even = (total.view(np.int64) & 1) == 0
    total = np.where((lost != 0) & is_even, np.nextafter(total, np.copysign(np.inf, lost)), total)
    return np.asarray(total.astype(np.float32))


def slopes(row: Any, units: Any, i: int, n: int) -> None:
    """Multiply each number of a row by the slope of the sigmoid whose value `units` has there, y (1 - y)."""
    y = units.array[i : i + n]
    row.array[i : i + n] *= y * (np.float32(1.0) - y)


def layer(y: Any, k: int, weights: Any, i: int, x: Any, at: int, n: int, m: int) -> None:
    """A layer of `m` sigmoids into `y`, from number `k` on. Its input is the row of `n` numbers of `x` from `at` on.

    The weights are a row of `n` for each unit, and then `m` thresholds, which are added last. The products of a row are
    added in sixteen sums side by side, and these by halves.
    """
    _flat(y)[k : k + m] = _sigmoid(_sums(weights, i, x, at, n, m))


def _sums(weights: Any, i: int, x: Any, at: int, n: int, m: int) -> _Row:
    """What the units of a layer add up, with their thresholds."""
    after = i + m * n
    rows, thresholds = _flat(weights)[i:after].reshape(m, n), _flat(weights)[after : after + m]
    row, sums = _flat(x)[at : at + n], np.zeros((m, LANES), np.float32)
    for j in range(0, n, LANES):
        sums = _fused(rows[:, j : j + LANES], row[j : j + LANES], sums)
    return _by_halves(sums) + thresholds


def _by_halves(sums: _Row) -> _Row:
    """What each row of sums adds up to."""
    while sums.shape[1] > 1:
        half = sums.shape[1] // 2
        sums = sums[:, :half] + sums[:, half:]
    return np.asarray(sums[:, 0])


def add_scaled(a: Any, i: int, x: float, b: Any, k: int, n: int) -> None:
    """Add `x` times the row of `b` to the row of `a`."""
    _flat(a)[i : i + n] = _fused(np.float32(x), _flat(b)[k : k + n], _flat(a)[i : i + n])


def first_layer(rows: Any, on: Any, units: Any) -> None:
    """Sigmoids of sums: of the last row, and of the row of each active input by its value, in that order."""
    total = rows.array[-1].copy()
    for k in range(len(on)):
        total = _fused(np.float32(on.value(k)), rows.array[on.index(k)], total)
    units.array[: len(total)] = _sigmoid(total)


def add_active(row: Any, at: int, rows: Any, on: Any) -> None:
    """Add to a row, from number `at` on, the row of each active input by its value, in that order."""
    n = rows.shape[1]
    total = _flat(row)[at : at + n]
    for k in range(len(on)):
        total = _fused(np.float32(on.value(k)), rows.array[on.index(k)], total)
    _flat(row)[at : at + n] = total


def add_changes(row: Any, before: Any, at: int, rows: Any, gone: Any, come: Any) -> None:
    """Make a row, from number `at` on, of what stands there in another one (or the same): less the rows of the active
    inputs in `gone`, and with those in `come`.

    All are of integers of 16 bits, which wrap around; the values of the inputs do not count.
    """
    total = _flat(row)[at : at + rows.shape[1]]
    total[:] = _flat(before)[at : at + rows.shape[1]]
    for k in range(len(gone)):
        total -= rows.array[gone.index(k)]
    for k in range(len(come)):
        total += rows.array[come.index(k)]


def add_rows(rows: Any, on: Any, change: Any) -> None:
    """Add the first of `change` to the last row, and by its value to the row of each active input."""
    first = change.array[: rows.shape[1]]
    rows.array[-1] += first
    for k in range(len(on)):
        rows.array[on.index(k)] = _fused(np.float32(on.value(k)), first, rows.array[on.index(k)])


# ---- the same for units that are cut off below 0 and above 1, and for a board that is seen by both players


def _clipped(x: _Row) -> _Row:
    x = np.where(x > np.float32(0.0), x, np.float32(0.0))
    return np.where(x < np.float32(1.0), x, np.float32(1.0))


def clipped_slopes(row: Any, units: Any, i: int, n: int) -> None:
    """Multiply each number of a row by the slope of such a unit: 1, or 0 where it is cut off."""
    y = units.array[i : i + n]
    row.array[i : i + n] *= np.where((y > 0.0) & (y < 1.0), np.float32(1.0), np.float32(0.0))


def clipped_layer(y: Any, k: int, weights: Any, i: int, x: Any, at: int, n: int, m: int) -> None:
    """As `layer`, of units that are cut off instead of sigmoids."""
    _flat(y)[k : k + m] = _clipped(_sums(weights, i, x, at, n, m))


def clipped_first_layer(rows: Any, on: Any, units: Any) -> None:
    """As `first_layer`, of units that are cut off, and twice: the first half of the active inputs is what one player
    sees, the second half what the other one sees, and both have units of their own."""
    n, half = rows.shape[1], len(on) // 2
    for side in range(2):
        total = rows.array[-1].copy()
        for k in range(side * half, side * half + half):
            total = _fused(np.float32(on.value(k)), rows.array[on.index(k)], total)
        units.array[side * n : side * n + n] = _clipped(total)


def squares_by(x: Any, at: int, weights: Any, i: int, n: int) -> float:
    """The squares of the numbers of a row, cut off as such units, by the weights from number `i` on, added up.

    In sixteen sums side by side, and these by halves.
    """
    row, by = _clipped(_flat(x)[at : at + n]), _flat(weights)[i : i + n]
    sums: _Row = np.zeros((1, LANES), np.float32)
    for j in range(0, n, LANES):
        sums = _fused(row[j : j + LANES] * row[j : j + LANES], by[j : j + LANES], sums)
    return float(_by_halves(sums)[0])


def short_squares_by(x: Any, at: int, one: int, weights: Any, i: int, n: int) -> int:
    """The same in integers, by weights of 16 bits: a number that is cut off at 1 has the square `WHOLE`.

    The numbers are integers of 16 bits, too, of which `one`, a power of 2, counts as 1, or multiples of `1 / one`.
    What is beyond a whole is cut off of a square. The sum must fit into 32 bits.
    """
    row, by = _flat(x)[at : at + n], _flat(weights)[i : i + n].astype(np.int64)
    if row.dtype == np.float32:
        row = row * np.float32(one)
    units = row.astype(np.int64).clip(0, one)
    return int(units * units * WHOLE // one**2 @ by)


def squares(row: Any, i: int, n: int) -> None:
    """Multiply each number of a row by itself."""
    _flat(row)[i : i + n] *= _flat(row)[i : i + n]


def square_slopes(row: Any, units: Any, i: int, n: int) -> None:
    """Multiply each number of a row by the slope of the square of such a unit: 2 y, or 0 where it is cut off."""
    y = units.array[i : i + n]
    row.array[i : i + n] *= np.where((y > 0.0) & (y < 1.0), np.float32(2.0) * y, np.float32(0.0))


def add_both_rows(rows: Any, on: Any, change: Any) -> None:
    """As `add_rows`, from a change for each of the halves."""
    n, half = rows.shape[1], len(on) // 2
    for side in range(2):
        first = change.array[side * n : side * n + n]
        rows.array[-1] += first
        for k in range(side * half, side * half + half):
            rows.array[on.index(k)] = _fused(np.float32(on.value(k)), first, rows.array[on.index(k)])


# ---- convolutions


def convolve(y: Any, x: Any, weights: Any, i: int, bias: Any, k: int, near: Any, kind: int) -> None:
    """A convolution of `x` into `y`, with weights from number `i` on and a row of thresholds from number `k` on.

    Both have a row of channels for each cell of a board, and one more that stays 0: the cell outside. `near` has for
    each cell its neighbours, of which each has its own weights: a row for each channel of `x`. `kind` is 0 for the sums
    as they are, 1 if those below 0 become 0, and 2 if that is so after what was in `y` is added. The products of a cell
    are added one after the other. `y` has a multiple of `LANES` channels.
    """
    cells, taps = near.shape
    x_rows, y_rows = x.array.reshape(cells + 1, -1), y.array.reshape(cells + 1, -1)
    n, m = x_rows.shape[1], y_rows.shape[1]
    rows = _flat(weights)[i : i + taps * n * m].reshape(taps, n, m)
    total: _Row = np.tile(_flat(bias)[k : k + m], (cells, 1))
    for tap in range(taps):
        beside = x_rows[near.array[:, tap]]
        for channel in range(n):
            total = _fused(beside[:, channel : channel + 1], rows[tap, channel], total)
    if kind == 2:
        total = total + y_rows[:cells]
    y_rows[:cells] = np.where(total > 0, total, np.float32(0.0)) if kind else total


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
    found, place, left = 0, 0, mask & (1 << 64) - 1
    while left:
        lowest = left & -left
        if word & lowest:
            found |= 1 << place
        place += 1
        left ^= lowest
    return found
