"""The compiled twins of `core/vectors.py`: vectors of sixteen numbers, in the order that is written there."""

from __future__ import annotations

from contextlib import contextmanager

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin

from counterplay.core import vectors
from counterplay.core.memory import MemoryKind
from counterplay.core.vectors import LANES, LOG2_E, POWER_OF_2, ROUNDER, STEEPEST
from counterplay.native.bits import BitsType
from counterplay.native.features import ActiveType, parts, row_on_stack
from counterplay.native.linked import overload
from counterplay.native.memory import MemoryType
from counterplay.native.seams import AbstractTemplate, TypingError, cgutils, cpu_target, infer_global, signature
from counterplay.native.words import resize

_I32, _I64, _F32 = ir.IntType(32), ir.IntType(64), ir.FloatType()
_VECTOR, _SHORTS = ir.VectorType(_F32, LANES), ir.VectorType(ir.IntType(16), LANES)


def _has(ability: str) -> bool:
    """Whether this processor can do that."""
    *_, abilities = cpu_target.target_context.codegen().magic_tuple()
    return f"+{ability}" in abilities


def _blocks(length: int, bytes_each: int = 4):
    """Places of vectors, so many together as their sums can be held in registers at once."""
    at_once = LANES * (8 if _has("avx512f") else 4) * 4 // bytes_each
    for begin in range(0, length, at_once):
        yield range(begin, min(length, begin + at_once), LANES)


def _i64(n: int) -> ir.Constant:
    return ir.Constant(_I64, n)


def _all(kind, x: float) -> ir.Constant:
    """A constant of that kind: the number, or a vector of it."""
    return ir.Constant(kind, [x] * kind.count) if isinstance(kind, ir.VectorType) else ir.Constant(kind, x)


def _load(builder, base, at):
    found = builder.load(builder.bitcast(builder.gep(base, [at]), _VECTOR.as_pointer()))
    found.align = 4
    return found


def _store(builder, value, base, at):
    builder.store(value, builder.bitcast(builder.gep(base, [at]), _VECTOR.as_pointer())).align = 4


def _load_shorts(builder, base, at):
    """Sixteen integers of 16 bits."""
    found = builder.load(builder.bitcast(builder.gep(base, [at]), _SHORTS.as_pointer()))
    found.align = 2
    return found


def _fused(builder, a, b, c):
    """a b + c, rounded once."""
    kind = a.type
    name = f"llvm.fma.v{kind.count}f32" if isinstance(kind, ir.VectorType) else "llvm.fma.f32"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind] * 3), name)
    return builder.call(function, [a, b, c])


def _spread(builder, x):
    """A vector of sixteen times a number."""
    nothing = ir.Constant(ir.VectorType(x.type, LANES), ir.Undefined)
    nowhere = ir.Constant(ir.VectorType(_I32, LANES), [0] * LANES)
    return builder.shuffle_vector(builder.insert_element(nothing, x, ir.Constant(_I32, 0)), nothing, nowhere)


@contextmanager
def _each_vector(builder, n):
    """The numbers 0, 16, 32, ... below `n`."""
    with cgutils.for_range_slice(builder, _i64(0), n, _i64(LANES), _I64) as (j, _):
        yield j


def _small(context, builder, typ, x):
    """A number in 32 bits."""
    return builder.fptrunc(context.cast(builder, x, typ, types.float64), _F32)


def _is_row(*typs, dtype="float32"):
    return all(isinstance(typ, MemoryType) and typ.kind.dtype == dtype for typ in typs)


def _whole(context, builder, sig, args, *places):
    return [context.cast(builder, args[i], sig.args[i], types.int64) for i in places]


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
    row = row_on_stack(builder, _F32, size)
    for i in range(0, size - size % LANES, LANES):
        _store(builder, _all(_VECTOR, 0.0), row, _i64(i))
    for i in range(size - size % LANES, size):
        builder.store(ir.Constant(_F32, 0.0), builder.gep(row, [_i64(i)]))
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


def _sigmoid_of(builder, x):
    """As `vectors._sigmoid`, of a number or a vector."""
    kind = x.type
    whole_kind = ir.VectorType(_I32, kind.count) if isinstance(kind, ir.VectorType) else _I32

    def number(c: float):
        return _all(kind, c)

    x = builder.select(builder.fcmp_ordered("<", x, number(STEEPEST)), x, number(STEEPEST))
    x = builder.select(builder.fcmp_ordered(">", x, number(-STEEPEST)), x, number(-STEEPEST))
    power = builder.fmul(x, number(-LOG2_E))
    whole = builder.fsub(builder.fadd(power, number(ROUNDER)), number(ROUNDER))
    part = builder.fsub(power, whole)
    pairs = [_fused(builder, part, number(high), number(low)) for low, high in POWER_OF_2]
    square = builder.fmul(part, part)
    total = _fused(builder, square, _fused(builder, square, pairs[2], pairs[1]), pairs[0])
    exponent = builder.shl(builder.fptosi(whole, whole_kind), _all(whole_kind, 23))
    exponential = builder.bitcast(builder.add(builder.bitcast(total, whole_kind), exponent), kind)
    return builder.fdiv(number(1.0), builder.fadd(number(1.0), exponential))


@intrinsic
def _sigmoid(typing, x):
    def codegen(context, builder, sig, args):
        found = _sigmoid_of(builder, _small(context, builder, sig.args[0], args[0]))
        return builder.fpext(found, ir.DoubleType())

    return types.float64(x), codegen


@overload(vectors.sigmoid)
def _ol_sigmoid(x):
    return (lambda x: _sigmoid(x)) if isinstance(x, types.Float | types.Integer) else None


def _times_slopes(slope_of):
    def codegen(context, builder, sig, args):
        i, n = _whole(context, builder, sig, args, 2, 3)
        with _each_vector(builder, n) as j:
            at = builder.add(i, j)
            slope = slope_of(builder, _load(builder, args[1], at))
            _store(builder, builder.fmul(_load(builder, args[0], at), slope), args[0], at)
        return context.get_dummy_value()

    return codegen


def _sigmoid_slope(builder, y):
    return builder.fmul(y, builder.fsub(_all(_VECTOR, 1.0), y))


@intrinsic
def _slopes(typing, row, units, i, n):
    return types.void(row, units, i, n), _times_slopes(_sigmoid_slope)


@overload(vectors.slopes)
def _ol_slopes(row, units, i, n):
    return (lambda row, units, i, n: _slopes(row, units, i, n)) if _is_row(row, units) else None


# ---- units that are cut off


def _clipped_of(builder, x):
    """As `vectors._clipped`, of a number or a vector."""
    for sign, limit in ((">", 0.0), ("<", 1.0)):
        end = _all(x.type, limit)
        x = builder.select(builder.fcmp_ordered(sign, x, end), x, end)
    return x


def _clipped_slope(builder, y):
    nothing, one = _all(_VECTOR, 0.0), _all(_VECTOR, 1.0)
    is_between = builder.and_(builder.fcmp_ordered(">", y, nothing), builder.fcmp_ordered("<", y, one))
    return builder.select(is_between, one, nothing)


@intrinsic
def _clipped_slopes(typing, row, units, i, n):
    return types.void(row, units, i, n), _times_slopes(_clipped_slope)


@overload(vectors.clipped_slopes)
def _ol_clipped_slopes(row, units, i, n):
    return (lambda row, units, i, n: _clipped_slopes(row, units, i, n)) if _is_row(row, units) else None


def _square_slope(builder, y):
    return builder.fmul(_clipped_slope(builder, y), builder.fmul(_all(_VECTOR, 2.0), y))


@intrinsic
def _square_slopes(typing, row, units, i, n):
    return types.void(row, units, i, n), _times_slopes(_square_slope)


@overload(vectors.square_slopes)
def _ol_square_slopes(row, units, i, n):
    return (lambda row, units, i, n: _square_slopes(row, units, i, n)) if _is_row(row, units) else None


@intrinsic
def _squares(typing, row, i, n):
    def codegen(context, builder, sig, args):
        i, n = _whole(context, builder, sig, args, 1, 2)
        with _each_vector(builder, n) as j:
            at = builder.add(i, j)
            y = _load(builder, args[0], at)
            _store(builder, builder.fmul(y, y), args[0], at)
        return context.get_dummy_value()

    return types.void(row, i, n), codegen


@overload(vectors.squares)
def _ol_squares(row, i, n):
    return (lambda row, i, n: _squares(row, i, n)) if _is_row(row) else None


def _added_squares(builder, weights, i, n, unit_at):
    """The squares of units by their weights, added up."""
    place = cgutils.alloca_once(builder, _VECTOR)
    builder.store(_all(_VECTOR, 0.0), place)
    with _each_vector(builder, n) as j:
        y = unit_at(j)
        by = _load(builder, weights, builder.add(i, j))
        builder.store(_fused(builder, builder.fmul(y, y), by, builder.load(place)), place)
    return builder.fpext(_added_up(builder, builder.load(place)), ir.DoubleType())


@intrinsic
def _squares_by(typing, x, at, weights, i, n):
    def codegen(context, builder, sig, args):
        at, i, n = _whole(context, builder, sig, args, 1, 3, 4)

        def unit_at(j):
            return _clipped_of(builder, _load(builder, args[0], builder.add(at, j)))

        return _added_squares(builder, args[2], i, n, unit_at)

    return types.float64(x, at, weights, i, n), codegen


@intrinsic
def _short_squares_by(typing, x, at, one, weights, i, n):
    def codegen(context, builder, sig, args):
        at, one, i, n = _whole(context, builder, sig, args, 1, 2, 4, 5)
        most, nothing = _spread(builder, builder.trunc(one, ir.IntType(16))), ir.Constant(_SHORTS, [0] * LANES)

        def unit_at(j):
            y = _load_shorts(builder, args[0], builder.add(at, j))
            y = builder.select(builder.icmp_signed(">", y, nothing), y, nothing)
            y = builder.select(builder.icmp_signed("<", y, most), y, most)
            return builder.sitofp(builder.sext(y, ir.VectorType(_I32, LANES)), _VECTOR)

        total, size = _added_squares(builder, args[3], i, n, unit_at), builder.sitofp(one, ir.DoubleType())
        return builder.fdiv(total, builder.fmul(size, size))

    return types.float64(x, at, one, weights, i, n), codegen


@overload(vectors.short_squares_by)
def _ol_short_squares_by(x, at, one, weights, i, n):
    if _is_row(x, dtype="int16") and _is_row(weights):
        return lambda x, at, one, weights, i, n: _short_squares_by(x, at, one, weights, i, n)
    return None


@overload(vectors.squares_by)
def _ol_squares_by(x, at, weights, i, n):
    return (lambda x, at, weights, i, n: _squares_by(x, at, weights, i, n)) if _is_row(x, weights) else None


# ---- two rows


def _shuffled(builder, one, other, places):
    """A vector of these places of two others, counted through both."""
    return builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(_I32, len(places)), list(places)))


def _halves_added(builder, sums):
    half = sums.type.count // 2
    nothing = ir.Constant(sums.type, ir.Undefined)
    parts_of = [_shuffled(builder, sums, nothing, range(first, first + half)) for first in (0, half)]
    return builder.fadd(*parts_of)


def _added_up(builder, sums):
    """The numbers of a vector, added by halves."""
    while sums.type.count > 1:
        sums = _halves_added(builder, sums)
    return builder.extract_element(sums, ir.Constant(_I32, 0))


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
        builder.store(_all(_VECTOR, 0.0), place)
    with _each_vector(builder, n) as j:
        with_x = _load(builder, x, builder.add(at, j))
        for place, first in zip(places, firsts, strict=True):
            row = _load(builder, rows, builder.add(first, j))
            builder.store(_fused(builder, row, with_x, builder.load(place)), place)
    return [builder.load(place) for place in places]


def _layer_of(squash):
    """Four units at a time, so that the processor need not wait for one sum after the other; then those left over."""

    def codegen(context, builder, sig, args):
        y, rows, x = args[0], args[2], args[4]
        k, i, at, n, m = _whole(context, builder, sig, args, 1, 3, 5, 6, 7)
        thresholds = builder.add(i, builder.mul(m, n))
        places = [cgutils.alloca_once(builder, _VECTOR) for _ in range(4)]
        four = ir.VectorType(_F32, 4)
        by_four = builder.and_(m, _i64(-4))

        def at_four(base, place):
            return builder.bitcast(builder.gep(base, [place]), four.as_pointer())

        with cgutils.for_range_slice(builder, _i64(0), by_four, _i64(4), _I64) as (unit, _):
            firsts = [builder.add(i, builder.mul(builder.add(unit, _i64(u)), n)) for u in range(4)]
            sums = _products(builder, places, rows, firsts, x, at, n)
            sums = [_halves_added(builder, _halves_added(builder, each)) for each in sums]
            threshold = builder.load(at_four(rows, builder.add(thresholds, unit)))
            threshold.align = 4
            total = squash(builder, builder.fadd(_four_added_up(builder, sums), threshold))
            builder.store(total, at_four(y, builder.add(k, unit))).align = 4
        with cgutils.for_range_slice(builder, by_four, m, _i64(1), _I64) as (unit, _):
            (sums,) = _products(builder, places[:1], rows, [builder.add(i, builder.mul(unit, n))], x, at, n)
            threshold = builder.load(builder.gep(rows, [builder.add(thresholds, unit)]))
            total = builder.fadd(_added_up(builder, sums), threshold)
            builder.store(squash(builder, total), builder.gep(y, [builder.add(k, unit)]))
        return context.get_dummy_value()

    return codegen


@intrinsic
def _layer(typing, y, k, weights, i, x, at, n, m):
    return types.void(y, k, weights, i, x, at, n, m), _layer_of(_sigmoid_of)


@overload(vectors.layer)
def _ol_layer(y, k, weights, i, x, at, n, m):
    if _is_row(y, weights, x):
        return lambda y, k, weights, i, x, at, n, m: _layer(y, k, weights, i, x, at, n, m)
    return None


@intrinsic
def _clipped_layer(typing, y, k, weights, i, x, at, n, m):
    return types.void(y, k, weights, i, x, at, n, m), _layer_of(_clipped_of)


@overload(vectors.clipped_layer)
def _ol_clipped_layer(y, k, weights, i, x, at, n, m):
    if _is_row(y, weights, x):
        return lambda y, k, weights, i, x, at, n, m: _clipped_layer(y, k, weights, i, x, at, n, m)
    return None


@intrinsic
def _add_scaled(typing, a, i, x, b, k, n):
    def codegen(context, builder, sig, args):
        i, k, n = _whole(context, builder, sig, args, 1, 4, 5)
        by = _spread(builder, _small(context, builder, sig.args[2], args[2]))
        with _each_vector(builder, n) as j:
            at = builder.add(i, j)
            total = _fused(builder, by, _load(builder, args[3], builder.add(k, j)), _load(builder, args[0], at))
            _store(builder, total, args[0], at)
        return context.get_dummy_value()

    return types.void(a, i, x, b, k, n), codegen


@overload(vectors.add_scaled)
def _ol_add_scaled(a, i, x, b, k, n):
    return (lambda a, i, x, b, k, n: _add_scaled(a, i, x, b, k, n)) if _is_row(a, b) else None


# ---- convolutions


_CELLS_AT_ONCE = 4
_SUMS_AT_ONCE = 16


def _cells_convolved(builder, args, first, cells, sizes, i, k, kind):
    """The sums of some cells side by side, so that each weight is fetched once for all of them."""
    (y, x, weights, _, bias, _, near, _), (taps, n, m) = args, sizes
    vectors_of = range(0, m, LANES)
    places = [[cgutils.alloca_once(builder, _VECTOR) for _ in vectors_of] for _ in range(cells)]
    for sums in places:
        for place, j in zip(sums, vectors_of, strict=True):
            builder.store(_load(builder, bias, builder.add(k, _i64(j))), place)
    with cgutils.for_range(builder, _i64(taps), intp=_I64) as tap:
        rows = []
        for cell in range(cells):
            at = builder.add(builder.mul(builder.add(first, _i64(cell)), _i64(taps)), tap.index)
            beside = builder.zext(builder.load(builder.gep(near, [at])), _I64)
            rows.append(builder.gep(x, [builder.mul(beside, _i64(n))]))
        with cgutils.for_range(builder, _i64(n), intp=_I64) as channel:
            row = builder.add(builder.mul(tap.index, _i64(n)), channel.index)
            at = builder.add(i, builder.mul(row, _i64(m)))
            weight = [_load(builder, weights, builder.add(at, _i64(j))) for j in vectors_of]
            for sums, beside in zip(places, rows, strict=True):
                by = _spread(builder, builder.load(builder.gep(beside, [channel.index])))
                for place, each in zip(sums, weight, strict=True):
                    builder.store(_fused(builder, by, each, builder.load(place)), place)
    is_added, is_cut = (builder.icmp_signed(">=", kind, _i64(least)) for least in (2, 1))
    nothing = _all(_VECTOR, 0.0)
    for cell, sums in enumerate(places):
        for place, j in zip(sums, vectors_of, strict=True):
            at = builder.add(builder.mul(builder.add(first, _i64(cell)), _i64(m)), _i64(j))
            total = builder.load(place)
            total = builder.select(is_added, builder.fadd(total, _load(builder, y, at)), total)
            positive = builder.select(builder.fcmp_ordered(">", total, nothing), total, nothing)
            _store(builder, builder.select(is_cut, positive, total), y, at)


@intrinsic
def _convolve(typing, y, x, weights, i, bias, k, near, kind):
    (cells, taps), m, n = near.kind.shape, y.kind.shape[0], x.kind.shape[0]
    if m % (cells + 1) or n % (cells + 1) or m // (cells + 1) % LANES:
        raise TypingError("a convolution has as many channels for each cell, and one cell more")
    sizes = taps, n // (cells + 1), m // (cells + 1)
    at_once = min(max(_SUMS_AT_ONCE * LANES // sizes[2], 1), _CELLS_AT_ONCE)

    def codegen(context, builder, sig, args):
        i, k, kind = _whole(context, builder, sig, args, 3, 5, 7)
        whole = cells - cells % at_once
        with cgutils.for_range_slice(builder, _i64(0), _i64(whole), _i64(at_once), _I64) as (first, _):
            _cells_convolved(builder, args, first, at_once, sizes, i, k, kind)
        if cells % at_once:
            _cells_convolved(builder, args, _i64(whole), cells % at_once, sizes, i, k, kind)
        return context.get_dummy_value()

    return types.void(y, x, weights, i, bias, k, near, kind), codegen


@overload(vectors.convolve)
def _ol_convolve(y, x, weights, i, bias, k, near, kind):
    if _is_row(y, x, weights, bias) and isinstance(near, MemoryType) and near.kind.dtype == "int32":
        return lambda y, x, weights, i, bias, k, near, kind: _convolve(y, x, weights, i, bias, k, near, kind)
    return None


# ---- the rows of active inputs


def _must_fit(rows, on, row, sides=1, dtype="float32"):
    if not (_is_row(rows, row, dtype=dtype) and isinstance(on, ActiveType)):
        return False
    number, length = rows.kind.shape
    if length % LANES or row.kind.shape[0] < sides * length or number != on.inputs + 1:
        raise TypingError(f"rows of {length} numbers, one for each input and one more, do not fit what is given")
    return True


@contextmanager
def _each_active(builder, part, begin, end):
    """Where the row of each active input begins, and its value, sixteen times."""
    with cgutils.for_range_slice(builder, begin, end, _i64(1), _I64) as (k, _):
        row = builder.zext(builder.load(builder.gep(part.indices, [k])), _I64)
        yield row, _spread(builder, builder.load(builder.gep(part.values, [k])))


def _sides(builder, part, sides: int):
    """Which of the active inputs each side sees, from where to where: all, or each its half."""
    number = builder.load(part.number)
    half = number if sides == 1 else builder.lshr(number, _i64(1))
    return [(builder.mul(half, _i64(side)), builder.mul(half, _i64(side + 1))) for side in range(sides)]


def _first_layer_of(rows, on, squash, sides: int):
    number, length = rows.kind.shape

    def codegen(context, builder, sig, args):
        part = parts(context, builder, on, args[1])
        for side, seen in enumerate(_sides(builder, part, sides)):
            for blocks in _blocks(length):
                places = [cgutils.alloca_once(builder, _VECTOR) for _ in blocks]
                for place, j in zip(places, blocks, strict=True):
                    builder.store(_load(builder, args[0], _i64((number - 1) * length + j)), place)
                with _each_active(builder, part, *seen) as (row, x):
                    first = builder.mul(row, _i64(length))
                    for place, j in zip(places, blocks, strict=True):
                        row = _load(builder, args[0], builder.add(first, _i64(j)))
                        builder.store(_fused(builder, x, row, builder.load(place)), place)
                for place, j in zip(places, blocks, strict=True):
                    _store(builder, squash(builder, builder.load(place)), args[2], _i64(side * length + j))
        return context.get_dummy_value()

    return codegen


@intrinsic
def _first_layer(typing, rows, on, units):
    return types.void(rows, on, units), _first_layer_of(rows, on, _sigmoid_of, 1)


@overload(vectors.first_layer)
def _ol_first_layer(rows, on, units):
    return (lambda rows, on, units: _first_layer(rows, on, units)) if _must_fit(rows, on, units) else None


@intrinsic
def _clipped_first_layer(typing, rows, on, units):
    return types.void(rows, on, units), _first_layer_of(rows, on, _clipped_of, 2)


@overload(vectors.clipped_first_layer)
def _ol_clipped_first_layer(rows, on, units):
    return (lambda rows, on, units: _clipped_first_layer(rows, on, units)) if _must_fit(rows, on, units, 2) else None


@intrinsic
def _add_active(typing, row, at, rows, on):
    length, is_short = rows.kind.shape[1], _is_row(rows, dtype="int16")
    load, vector = (_load_shorts, _SHORTS) if is_short else (_load, _VECTOR)

    def scaled(builder, x, more, total):
        if not is_short:
            return _fused(builder, x, more, total)
        return builder.add(total, builder.mul(builder.fptosi(x, _SHORTS), more))

    def codegen(context, builder, sig, args):
        (at,) = _whole(context, builder, sig, args, 1)
        part = parts(context, builder, on, args[3])
        number = builder.load(part.number)
        for blocks in _blocks(length, 2 if is_short else 4):
            places = [cgutils.alloca_once(builder, vector) for _ in blocks]
            for place, j in zip(places, blocks, strict=True):
                builder.store(load(builder, args[0], builder.add(at, _i64(j))), place)
            with _each_active(builder, part, _i64(0), number) as (active, x):
                first = builder.mul(active, _i64(length))
                for place, j in zip(places, blocks, strict=True):
                    more = load(builder, args[2], builder.add(first, _i64(j)))
                    builder.store(scaled(builder, x, more, builder.load(place)), place)
            for place, j in zip(places, blocks, strict=True):
                to = builder.bitcast(builder.gep(args[0], [builder.add(at, _i64(j))]), vector.as_pointer())
                builder.store(builder.load(place), to).align = 2 if is_short else 4
        return context.get_dummy_value()

    return types.void(row, at, rows, on), codegen


@overload(vectors.add_active)
def _ol_add_active(row, at, rows, on):
    if _must_fit(rows, on, row) or _must_fit(rows, on, row, dtype="int16"):
        return lambda row, at, rows, on: _add_active(row, at, rows, on)
    return None


def _add_rows_of(rows, on, sides: int):
    number, length = rows.kind.shape

    def codegen(context, builder, sig, args):
        part = parts(context, builder, on, args[1])
        for side, seen in enumerate(_sides(builder, part, sides)):
            for blocks in _blocks(length):
                changes = [_load(builder, args[2], _i64(side * length + j)) for j in blocks]

                def add(first, x, changes=changes, blocks=blocks):
                    for more, j in zip(changes, blocks, strict=True):
                        at = builder.add(first, _i64(j))
                        row = _load(builder, args[0], at)
                        total = builder.fadd(row, more) if x is None else _fused(builder, x, more, row)
                        _store(builder, total, args[0], at)

                add(_i64((number - 1) * length), None)
                with _each_active(builder, part, *seen) as (row, x):
                    add(builder.mul(row, _i64(length)), x)
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


# ---- squares as the digits of a number


@intrinsic
def _word_of(typing, b, k):
    def codegen(context, builder, sig, args):
        if b.words == 1:
            return args[0]
        by = builder.mul(context.cast(builder, args[1], sig.args[1], types.int64), _i64(64))
        return resize(builder, builder.lshr(args[0], resize(builder, by, b.machine)), _I64)

    return types.int64(b, k), codegen


@overload(vectors.word_of)
def _ol_word_of(b, k):
    return (lambda b, k: _word_of(b, k)) if isinstance(b, BitsType) else None


@intrinsic
def _extract(typing, word, mask):
    def codegen(context, builder, sig, args):
        kind = ir.FunctionType(_I64, [_I64, _I64])
        return builder.call(builder.module.declare_intrinsic("llvm.x86.bmi.pext.64", (), kind), args)

    return types.int64(types.int64, types.int64), codegen


@overload(vectors.gather)
def _ol_gather(word, mask):
    if _has("bmi2"):
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
