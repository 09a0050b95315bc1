"""The compiled twins of `core/vectors.py`: vectors of sixteen numbers, in the order that is written there."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin

from counterplay.core import vectors
from counterplay.core.memory import MemoryKind
from counterplay.core.vectors import LANES, LOG2_E, POWER_OF_2, ROUNDER, STEEPEST
from counterplay.native.bits import BitsType
from counterplay.native.features import row_on_stack
from counterplay.native.lanes import (
    F32,
    I16,
    I32,
    I64,
    VECTOR,
    each_vector,
    every,
    fused,
    has,
    i64,
    integers,
    is_row,
    load_shorts,
    load_vector,
    short_lanes,
    small,
    spread,
    store_vector,
)
from counterplay.native.linked import overload
from counterplay.native.memory import MemoryType
from counterplay.native.seams import AbstractTemplate, TypingError, cgutils, infer_global, signature
from counterplay.native.words import resize

# ---- scratch


@infer_global(vectors.scratch)
class _Scratch(AbstractTemplate):
    prefer_literal = True

    def generic(self, args, kws):
        if len(args) == 1 and isinstance(args[0], types.IntegerLiteral):
            return signature(MemoryType(MemoryKind("float32", (args[0].literal_value,), True)), *args)
        return None


@lower_builtin(vectors.scratch, types.Integer)
def _scratch(context, builder, sig, args):
    (size,) = sig.return_type.kind.shape
    row = row_on_stack(builder, F32, size)
    for i in range(0, size - size % LANES, LANES):
        store_vector(builder, every(VECTOR, 0.0), row, i64(i))
    for i in range(size - size % LANES, size):
        builder.store(ir.Constant(F32, 0.0), builder.gep(row, [i64(i)]))
    return row


class _At(AbstractTemplate):
    prefer_literal = True
    dtype: str

    def generic(self, args, kws):
        if len(args) == 2 and isinstance(args[0], types.Integer) and isinstance(args[1], types.IntegerLiteral):
            return signature(MemoryType(MemoryKind(self.dtype, (args[1].literal_value,), True)), *args)
        return None


@infer_global(vectors.row_at)
class _RowAt(_At):
    dtype = "float32"


@infer_global(vectors.shorts_at)
class _ShortsAt(_At):
    dtype = "int16"


@lower_builtin(vectors.shorts_at, types.Integer, types.Integer)
@lower_builtin(vectors.row_at, types.Integer, types.Integer)
def _row_at(context, builder, sig, args):
    address = context.cast(builder, args[0], sig.args[0], types.int64)
    return builder.inttoptr(address, context.get_value_type(sig.return_type))


# ---- sigmoids


def sigmoid_of(builder, x):
    """As `vectors._sigmoid`, of a number or a vector."""
    kind = x.type
    whole_kind = ir.VectorType(I32, kind.count) if isinstance(kind, ir.VectorType) else I32

    def number(c: float):
        return every(kind, c)

    x = builder.select(builder.fcmp_ordered("<", x, number(STEEPEST)), x, number(STEEPEST))
    x = builder.select(builder.fcmp_ordered(">", x, number(-STEEPEST)), x, number(-STEEPEST))
    power = builder.fmul(x, number(-LOG2_E))
    whole = builder.fsub(builder.fadd(power, number(ROUNDER)), number(ROUNDER))
    part = builder.fsub(power, whole)
    pairs = [fused(builder, part, number(high), number(low)) for low, high in POWER_OF_2]
    square = builder.fmul(part, part)
    total = fused(builder, square, fused(builder, square, pairs[2], pairs[1]), pairs[0])
    exponent = builder.shl(builder.fptosi(whole, whole_kind), every(whole_kind, 23))
    exponential = builder.bitcast(builder.add(builder.bitcast(total, whole_kind), exponent), kind)
    return builder.fdiv(number(1.0), builder.fadd(number(1.0), exponential))


@intrinsic
def _sigmoid(typing, x):
    def codegen(context, builder, sig, args):
        found = sigmoid_of(builder, small(context, builder, sig.args[0], args[0]))
        return builder.fpext(found, ir.DoubleType())

    return types.float64(x), codegen


@overload(vectors.sigmoid)
def _ol_sigmoid(x):
    return (lambda x: _sigmoid(x)) if isinstance(x, types.Float | types.Integer) else None


def _times_slopes(slope_of):
    def codegen(context, builder, sig, args):
        i, n = integers(context, builder, sig, args, 2, 3)
        with each_vector(builder, n) as j:
            at = builder.add(i, j)
            slope = slope_of(builder, load_vector(builder, args[1], at))
            store_vector(builder, builder.fmul(load_vector(builder, args[0], at), slope), args[0], at)
        return context.get_dummy_value()

    return codegen


def _sigmoid_slope(builder, y):
    return builder.fmul(y, builder.fsub(every(VECTOR, 1.0), y))


@intrinsic
def _slopes(typing, row, units, i, n):
    return types.void(row, units, i, n), _times_slopes(_sigmoid_slope)


@overload(vectors.slopes)
def _ol_slopes(row, units, i, n):
    return (lambda row, units, i, n: _slopes(row, units, i, n)) if is_row(row, units) else None


# ---- units that are cut off


def clipped_of(builder, x):
    """As `vectors._clipped`, of a number or a vector."""
    for sign, limit in ((">", 0.0), ("<", 1.0)):
        end = every(x.type, limit)
        x = builder.select(builder.fcmp_ordered(sign, x, end), x, end)
    return x


def _clipped_slope(builder, y):
    nothing, one = every(VECTOR, 0.0), every(VECTOR, 1.0)
    is_between = builder.and_(builder.fcmp_ordered(">", y, nothing), builder.fcmp_ordered("<", y, one))
    return builder.select(is_between, one, nothing)


@intrinsic
def _clipped_slopes(typing, row, units, i, n):
    return types.void(row, units, i, n), _times_slopes(_clipped_slope)


@overload(vectors.clipped_slopes)
def _ol_clipped_slopes(row, units, i, n):
    return (lambda row, units, i, n: _clipped_slopes(row, units, i, n)) if is_row(row, units) else None


def _square_slope(builder, y):
    return builder.fmul(_clipped_slope(builder, y), builder.fmul(every(VECTOR, 2.0), y))


@intrinsic
def _square_slopes(typing, row, units, i, n):
    return types.void(row, units, i, n), _times_slopes(_square_slope)


@overload(vectors.square_slopes)
def _ol_square_slopes(row, units, i, n):
    return (lambda row, units, i, n: _square_slopes(row, units, i, n)) if is_row(row, units) else None


@intrinsic
def _squares(typing, row, i, n):
    def codegen(context, builder, sig, args):
        i, n = integers(context, builder, sig, args, 1, 2)
        with each_vector(builder, n) as j:
            at = builder.add(i, j)
            y = load_vector(builder, args[0], at)
            store_vector(builder, builder.fmul(y, y), args[0], at)
        return context.get_dummy_value()

    return types.void(row, i, n), codegen


@overload(vectors.squares)
def _ol_squares(row, i, n):
    return (lambda row, i, n: _squares(row, i, n)) if is_row(row) else None


@intrinsic
def _squares_by(typing, x, at, weights, i, n):
    def codegen(context, builder, sig, args):
        at, i, n = integers(context, builder, sig, args, 1, 3, 4)
        place = cgutils.alloca_once(builder, VECTOR)
        builder.store(every(VECTOR, 0.0), place)
        with each_vector(builder, n) as j:
            y = clipped_of(builder, load_vector(builder, args[0], builder.add(at, j)))
            by = load_vector(builder, args[2], builder.add(i, j))
            builder.store(fused(builder, builder.fmul(y, y), by, builder.load(place)), place)
        return builder.fpext(_added_up(builder, builder.load(place)), ir.DoubleType())

    return types.float64(x, at, weights, i, n), codegen


def _short_units(builder, x, is_short, one, at, lanes):
    """So many numbers as integers of 16 bits, of which `one` counts as 1, and which are cut off there and at 0."""
    shorts = ir.VectorType(I16, lanes)
    if is_short:
        y = load_shorts(builder, x, at, lanes)
    else:
        size = spread(builder, builder.sitofp(one, F32))
        y = builder.fptosi(builder.fmul(load_vector(builder, x, at), size), shorts)
    nothing, most = every(shorts, 0), spread(builder, builder.trunc(one, I16), lanes)
    y = builder.select(builder.icmp_signed(">", y, nothing), y, nothing)
    return builder.select(builder.icmp_signed("<", y, most), y, most)


@intrinsic
def _short_squares_by(typing, x, at, one, weights, i, n):
    """Written so that each of its lines becomes one step of a processor that has it: the higher half of products of 16
    bits, and the sums of neighbouring ones."""
    is_short = is_row(x, dtype="int16")

    def total_of(builder, args, places, begin, end, lanes):
        """Two sums side by side: each would have to wait for what it was before."""
        at, one, i = places
        twice, half = ir.VectorType(I32, lanes), ir.VectorType(I32, lanes // 2)
        larger = spread(builder, builder.trunc(builder.udiv(i64(1 << 15), one), I16), lanes)
        sums = [cgutils.alloca_once(builder, half) for _ in range(2)]
        for place in sums:
            builder.store(every(half, 0), place)

        def add(place, j):
            y = builder.mul(_short_units(builder, args[0], is_short, one, builder.add(at, j), lanes), larger)
            wide = builder.zext(y, twice)
            square = builder.trunc(builder.lshr(builder.mul(wide, wide), every(twice, 16)), y.type)
            by = load_shorts(builder, args[3], builder.add(i, j), lanes)
            product = builder.mul(builder.sext(square, twice), builder.sext(by, twice))
            pairs = [_shuffled(builder, product, product, range(first, lanes, 2)) for first in (0, 1)]
            builder.store(builder.add(builder.load(place), builder.add(*pairs)), place)

        paired = builder.and_(end, i64(-2 * lanes))
        with each_vector(builder, paired, begin, 2 * lanes) as j:
            add(sums[0], j)
            add(sums[1], builder.add(j, i64(lanes)))
        with each_vector(builder, end, paired, lanes) as j:
            add(sums[0], j)
        return _added_up(builder, builder.add(*map(builder.load, sums)))

    def codegen(context, builder, sig, args):
        *places, n = integers(context, builder, sig, args, 1, 2, 4, 5)
        lanes = short_lanes(0) if is_short else LANES
        whole = builder.and_(n, i64(-lanes))
        total = total_of(builder, args, places, i64(0), whole, lanes)
        if lanes > LANES:
            total = builder.add(total, total_of(builder, args, places, whole, n, LANES))
        return builder.sext(total, I64)

    return types.int64(x, at, one, weights, i, n), codegen


@overload(vectors.short_squares_by)
def _ol_short_squares_by(x, at, one, weights, i, n):
    if (is_row(x) or is_row(x, dtype="int16")) and is_row(weights, dtype="int16"):
        return lambda x, at, one, weights, i, n: _short_squares_by(x, at, one, weights, i, n)
    return None


@overload(vectors.squares_by)
def _ol_squares_by(x, at, weights, i, n):
    return (lambda x, at, weights, i, n: _squares_by(x, at, weights, i, n)) if is_row(x, weights) else None


# ---- two rows


def _shuffled(builder, one, other, places):
    """A vector of these places of two others, counted through both."""
    return builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(I32, len(places)), list(places)))


def _halves_added(builder, sums):
    half = sums.type.count // 2
    nothing = ir.Constant(sums.type, ir.Undefined)
    parts_of = [_shuffled(builder, sums, nothing, range(first, first + half)) for first in (0, half)]
    return (builder.add if sums.type.element == I32 else builder.fadd)(*parts_of)


def _added_up(builder, sums):
    """The numbers of a vector, added by halves."""
    while sums.type.count > 1:
        sums = _halves_added(builder, sums)
    return builder.extract_element(sums, ir.Constant(I32, 0))


def _four_added_up(builder, sums):
    """Four vectors of four numbers, each added by halves, as one vector of the four totals."""
    pairs = [
        builder.fadd(_shuffled(builder, one, other, (0, 1, 4, 5)), _shuffled(builder, one, other, (2, 3, 6, 7)))
        for one, other in (sums[:2], sums[2:])
    ]
    one, other = pairs
    return builder.fadd(_shuffled(builder, one, other, (0, 2, 4, 6)), _shuffled(builder, one, other, (1, 3, 5, 7)))


def _products(builder, places, rows, firsts, x, at, n):
    """Add up the products of each row and `x`, sixteen sums a row, into its place."""
    for place in places:
        builder.store(every(VECTOR, 0.0), place)
    with each_vector(builder, n) as j:
        with_x = load_vector(builder, x, builder.add(at, j))
        for place, first in zip(places, firsts, strict=True):
            row = load_vector(builder, rows, builder.add(first, j))
            builder.store(fused(builder, row, with_x, builder.load(place)), place)
    return [builder.load(place) for place in places]


def _layer_of(squash):
    """Four units at a time, so that the processor need not wait for one sum after the other; then those left over."""

    def codegen(context, builder, sig, args):
        y, rows, x = args[0], args[2], args[4]
        k, i, at, n, m = integers(context, builder, sig, args, 1, 3, 5, 6, 7)
        thresholds = builder.add(i, builder.mul(m, n))
        places = [cgutils.alloca_once(builder, VECTOR) for _ in range(4)]
        four = ir.VectorType(F32, 4)
        by_four = builder.and_(m, i64(-4))

        def at_four(base, place):
            return builder.bitcast(builder.gep(base, [place]), four.as_pointer())

        with cgutils.for_range_slice(builder, i64(0), by_four, i64(4), I64) as (unit, _):
            firsts = [builder.add(i, builder.mul(builder.add(unit, i64(u)), n)) for u in range(4)]
            sums = _products(builder, places, rows, firsts, x, at, n)
            sums = [_halves_added(builder, _halves_added(builder, each)) for each in sums]
            threshold = builder.load(at_four(rows, builder.add(thresholds, unit)))
            threshold.align = 4
            total = squash(builder, builder.fadd(_four_added_up(builder, sums), threshold))
            builder.store(total, at_four(y, builder.add(k, unit))).align = 4
        with cgutils.for_range_slice(builder, by_four, m, i64(1), I64) as (unit, _):
            (sums,) = _products(builder, places[:1], rows, [builder.add(i, builder.mul(unit, n))], x, at, n)
            threshold = builder.load(builder.gep(rows, [builder.add(thresholds, unit)]))
            total = builder.fadd(_added_up(builder, sums), threshold)
            builder.store(squash(builder, total), builder.gep(y, [builder.add(k, unit)]))
        return context.get_dummy_value()

    return codegen


@intrinsic
def _layer(typing, y, k, weights, i, x, at, n, m):
    return types.void(y, k, weights, i, x, at, n, m), _layer_of(sigmoid_of)


@overload(vectors.layer)
def _ol_layer(y, k, weights, i, x, at, n, m):
    if is_row(y, weights, x):
        return lambda y, k, weights, i, x, at, n, m: _layer(y, k, weights, i, x, at, n, m)
    return None


@intrinsic
def _clipped_layer(typing, y, k, weights, i, x, at, n, m):
    return types.void(y, k, weights, i, x, at, n, m), _layer_of(clipped_of)


@overload(vectors.clipped_layer)
def _ol_clipped_layer(y, k, weights, i, x, at, n, m):
    if is_row(y, weights, x):
        return lambda y, k, weights, i, x, at, n, m: _clipped_layer(y, k, weights, i, x, at, n, m)
    return None


@intrinsic
def _add_scaled(typing, a, i, x, b, k, n):
    def codegen(context, builder, sig, args):
        i, k, n = integers(context, builder, sig, args, 1, 4, 5)
        by = spread(builder, small(context, builder, sig.args[2], args[2]))
        with each_vector(builder, n) as j:
            at = builder.add(i, j)
            total = fused(
                builder, by, load_vector(builder, args[3], builder.add(k, j)), load_vector(builder, args[0], at)
            )
            store_vector(builder, total, args[0], at)
        return context.get_dummy_value()

    return types.void(a, i, x, b, k, n), codegen


@overload(vectors.add_scaled)
def _ol_add_scaled(a, i, x, b, k, n):
    return (lambda a, i, x, b, k, n: _add_scaled(a, i, x, b, k, n)) if is_row(a, b) else None


# ---- convolutions


_CELLS_AT_ONCE = 4
_SUMS_AT_ONCE = 16


def _cells_convolved(builder, args, first, cells, sizes, i, k, kind):
    """The sums of some cells side by side, so that each weight is fetched once for all of them."""
    (y, x, weights, _, bias, _, near, _), (taps, n, m) = args, sizes
    vectors_of = range(0, m, LANES)
    places = [[cgutils.alloca_once(builder, VECTOR) for _ in vectors_of] for _ in range(cells)]
    for sums in places:
        for place, j in zip(sums, vectors_of, strict=True):
            builder.store(load_vector(builder, bias, builder.add(k, i64(j))), place)
    with cgutils.for_range(builder, i64(taps), intp=I64) as tap:
        rows = []
        for cell in range(cells):
            at = builder.add(builder.mul(builder.add(first, i64(cell)), i64(taps)), tap.index)
            beside = builder.zext(builder.load(builder.gep(near, [at])), I64)
            rows.append(builder.gep(x, [builder.mul(beside, i64(n))]))
        with cgutils.for_range(builder, i64(n), intp=I64) as channel:
            row = builder.add(builder.mul(tap.index, i64(n)), channel.index)
            at = builder.add(i, builder.mul(row, i64(m)))
            weight = [load_vector(builder, weights, builder.add(at, i64(j))) for j in vectors_of]
            for sums, beside in zip(places, rows, strict=True):
                by = spread(builder, builder.load(builder.gep(beside, [channel.index])))
                for place, each in zip(sums, weight, strict=True):
                    builder.store(fused(builder, by, each, builder.load(place)), place)
    is_added, is_cut = (builder.icmp_signed(">=", kind, i64(least)) for least in (2, 1))
    nothing = every(VECTOR, 0.0)
    for cell, sums in enumerate(places):
        for place, j in zip(sums, vectors_of, strict=True):
            at = builder.add(builder.mul(builder.add(first, i64(cell)), i64(m)), i64(j))
            total = builder.load(place)
            total = builder.select(is_added, builder.fadd(total, load_vector(builder, y, at)), total)
            positive = builder.select(builder.fcmp_ordered(">", total, nothing), total, nothing)
            store_vector(builder, builder.select(is_cut, positive, total), y, at)


@intrinsic
def _convolve(typing, y, x, weights, i, bias, k, near, kind):
    (cells, taps), m, n = near.kind.shape, y.kind.shape[0], x.kind.shape[0]
    if m % (cells + 1) or n % (cells + 1) or m // (cells + 1) % LANES:
        raise TypingError("a convolution has as many channels for each cell, and one cell more")
    sizes = taps, n // (cells + 1), m // (cells + 1)
    at_once = min(max(_SUMS_AT_ONCE * LANES // sizes[2], 1), _CELLS_AT_ONCE)

    def codegen(context, builder, sig, args):
        i, k, kind = integers(context, builder, sig, args, 3, 5, 7)
        whole = cells - cells % at_once
        with cgutils.for_range_slice(builder, i64(0), i64(whole), i64(at_once), I64) as (first, _):
            _cells_convolved(builder, args, first, at_once, sizes, i, k, kind)
        if cells % at_once:
            _cells_convolved(builder, args, i64(whole), cells % at_once, sizes, i, k, kind)
        return context.get_dummy_value()

    return types.void(y, x, weights, i, bias, k, near, kind), codegen


@overload(vectors.convolve)
def _ol_convolve(y, x, weights, i, bias, k, near, kind):
    if is_row(y, x, weights, bias) and isinstance(near, MemoryType) and near.kind.dtype == "int32":
        return lambda y, x, weights, i, bias, k, near, kind: _convolve(y, x, weights, i, bias, k, near, kind)
    return None


# ---- squares as the digits of a number


@intrinsic
def _word_of(typing, b, k):
    def codegen(context, builder, sig, args):
        if b.words == 1:
            return args[0]
        by = builder.mul(context.cast(builder, args[1], sig.args[1], types.int64), i64(64))
        return resize(builder, builder.lshr(args[0], resize(builder, by, b.machine)), I64)

    return types.int64(b, k), codegen


@overload(vectors.word_of)
def _ol_word_of(b, k):
    return (lambda b, k: _word_of(b, k)) if isinstance(b, BitsType) else None


@intrinsic
def _extract(typing, word, mask):
    def codegen(context, builder, sig, args):
        kind = ir.FunctionType(I64, [I64, I64])
        return builder.call(builder.module.declare_intrinsic("llvm.x86.bmi.pext.64", (), kind), args)

    return types.int64(types.int64, types.int64), codegen


@overload(vectors.gather)
def _ol_gather(word, mask):
    if has("bmi2"):
        return lambda word, mask: _extract(word, mask)

    def one_by_one(word, mask):
        found, place, left = 0, 0, mask
        while left != 0:
            low = left & -left
            if word & low != 0:
                found |= 1 << place
            place += 1
            left ^= low
        return found

    return one_by_one
