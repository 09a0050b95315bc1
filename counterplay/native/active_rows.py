"""The compiled twins of `core/vectors.py` that add the rows of active inputs: the first layers of networks."""

from __future__ import annotations

from contextlib import contextmanager

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from counterplay.core import vectors
from counterplay.core.vectors import LANES
from counterplay.native.features import ActiveType, parts
from counterplay.native.lanes import (
    I16,
    I64,
    VECTOR,
    fused,
    i64,
    in_blocks,
    integers,
    is_row,
    load_shorts,
    load_vector,
    short_lanes,
    spread,
    store_shorts,
    store_vector,
)
from counterplay.native.linked import overload
from counterplay.native.seams import TypingError, cgutils
from counterplay.native.vectors import clipped_of, sigmoid_of


def _must_fit(rows, on, row, sides=1, dtype="float32"):
    if not (is_row(rows, row, dtype=dtype) and isinstance(on, ActiveType)):
        return False
    number, length = rows.kind.shape
    if length % LANES or row.kind.shape[0] < sides * length or number != on.inputs + 1:
        raise TypingError(f"rows of {length} numbers, one for each input and one more, do not fit what is given")
    return True


@contextmanager
def _each_active(builder, part, begin, end):
    """Where the row of each active input begins, and its value, sixteen times."""
    with cgutils.for_range_slice(builder, begin, end, i64(1), I64) as (k, _):
        row = builder.zext(builder.load(builder.gep(part.indices, [k])), I64)
        yield row, spread(builder, builder.load(builder.gep(part.values, [k])))


def _sides(builder, part, sides: int):
    """Which of the active inputs each side sees, from where to where: all, or each its half."""
    number = builder.load(part.number)
    half = number if sides == 1 else builder.lshr(number, i64(1))
    return [(builder.mul(half, i64(side)), builder.mul(half, i64(side + 1))) for side in range(sides)]


def _first_layer_of(rows, on, squash, sides: int):
    number, length = rows.kind.shape

    def codegen(context, builder, sig, args):
        part = parts(context, builder, on, args[1])
        for side, seen in enumerate(_sides(builder, part, sides)):
            for blocks in in_blocks(length):
                places = [cgutils.alloca_once(builder, VECTOR) for _ in blocks]
                for place, j in zip(places, blocks, strict=True):
                    builder.store(load_vector(builder, args[0], i64((number - 1) * length + j)), place)
                with _each_active(builder, part, *seen) as (row, x):
                    first = builder.mul(row, i64(length))
                    for place, j in zip(places, blocks, strict=True):
                        row = load_vector(builder, args[0], builder.add(first, i64(j)))
                        builder.store(fused(builder, x, row, builder.load(place)), place)
                for place, j in zip(places, blocks, strict=True):
                    store_vector(builder, squash(builder, builder.load(place)), args[2], i64(side * length + j))
        return context.get_dummy_value()

    return codegen


@intrinsic
def _first_layer(typing, rows, on, units):
    return types.void(rows, on, units), _first_layer_of(rows, on, sigmoid_of, 1)


@overload(vectors.first_layer)
def _ol_first_layer(rows, on, units):
    return (lambda rows, on, units: _first_layer(rows, on, units)) if _must_fit(rows, on, units) else None


@intrinsic
def _clipped_first_layer(typing, rows, on, units):
    return types.void(rows, on, units), _first_layer_of(rows, on, clipped_of, 2)


@overload(vectors.clipped_first_layer)
def _ol_clipped_first_layer(rows, on, units):
    return (lambda rows, on, units: _clipped_first_layer(rows, on, units)) if _must_fit(rows, on, units, 2) else None


@intrinsic
def _add_active(typing, row, at, rows, on):
    length = rows.kind.shape[1]

    def codegen(context, builder, sig, args):
        (at,) = integers(context, builder, sig, args, 1)
        part = parts(context, builder, on, args[3])
        number = builder.load(part.number)
        for blocks in in_blocks(length):
            places = [cgutils.alloca_once(builder, VECTOR) for _ in blocks]
            for place, j in zip(places, blocks, strict=True):
                builder.store(load_vector(builder, args[0], builder.add(at, i64(j))), place)
            with _each_active(builder, part, i64(0), number) as (active, x):
                first = builder.mul(active, i64(length))
                for place, j in zip(places, blocks, strict=True):
                    more = load_vector(builder, args[2], builder.add(first, i64(j)))
                    builder.store(fused(builder, x, more, builder.load(place)), place)
            for place, j in zip(places, blocks, strict=True):
                store_vector(builder, builder.load(place), args[0], builder.add(at, i64(j)))
        return context.get_dummy_value()

    return types.void(row, at, rows, on), codegen


@overload(vectors.add_active)
def _ol_add_active(row, at, rows, on):
    return (lambda row, at, rows, on: _add_active(row, at, rows, on)) if _must_fit(rows, on, row) else None


@intrinsic
def _add_changes(typing, row, before, at, rows, gone, come):
    length = rows.kind.shape[1]
    lanes = short_lanes(length)

    def codegen(context, builder, sig, args):
        (at,) = integers(context, builder, sig, args, 2)
        for blocks in in_blocks(length, 2, lanes):
            places = [cgutils.alloca_once(builder, ir.VectorType(I16, lanes)) for _ in blocks]
            for place, j in zip(places, blocks, strict=True):
                builder.store(load_shorts(builder, args[1], builder.add(at, i64(j)), lanes), place)
            for some, on, combine in ((gone, args[4], builder.sub), (come, args[5], builder.add)):
                part = parts(context, builder, some, on)
                with _each_active(builder, part, i64(0), builder.load(part.number)) as (active, _):
                    first = builder.mul(active, i64(length))
                    for place, j in zip(places, blocks, strict=True):
                        more = load_shorts(builder, args[3], builder.add(first, i64(j)), lanes)
                        builder.store(combine(builder.load(place), more), place)
            for place, j in zip(places, blocks, strict=True):
                store_shorts(builder, builder.load(place), args[0], builder.add(at, i64(j)))
        return context.get_dummy_value()

    return types.void(row, before, at, rows, gone, come), codegen


@overload(vectors.add_changes)
def _ol_add_changes(row, before, at, rows, gone, come):
    if all(_must_fit(rows, on, each, dtype="int16") for on in (gone, come) for each in (row, before)):
        return lambda row, before, at, rows, gone, come: _add_changes(row, before, at, rows, gone, come)
    return None


def _add_rows_of(rows, on, sides: int):
    number, length = rows.kind.shape

    def codegen(context, builder, sig, args):
        part = parts(context, builder, on, args[1])
        for side, seen in enumerate(_sides(builder, part, sides)):
            for blocks in in_blocks(length):
                changes = [load_vector(builder, args[2], i64(side * length + j)) for j in blocks]

                def add(first, x, changes=changes, blocks=blocks):
                    for more, j in zip(changes, blocks, strict=True):
                        at = builder.add(first, i64(j))
                        row = load_vector(builder, args[0], at)
                        total = builder.fadd(row, more) if x is None else fused(builder, x, more, row)
                        store_vector(builder, total, args[0], at)

                add(i64((number - 1) * length), None)
                with _each_active(builder, part, *seen) as (row, x):
                    add(builder.mul(row, i64(length)), x)
        return context.get_dummy_value()

    return codegen


@intrinsic
def _add_rows(typing, rows, on, change):
    return types.void(rows, on, change), _add_rows_of(rows, on, 1)


@overload(vectors.add_rows)
def _ol_add_rows(rows, on, change):
    return (lambda rows, on, change: _add_rows(rows, on, change)) if _must_fit(rows, on, change) else None


@intrinsic
def _add_both_rows(typing, rows, on, change):
    return types.void(rows, on, change), _add_rows_of(rows, on, 2)


@overload(vectors.add_both_rows)
def _ol_add_both_rows(rows, on, change):
    return (lambda rows, on, change: _add_both_rows(rows, on, change)) if _must_fit(rows, on, change, 2) else None
