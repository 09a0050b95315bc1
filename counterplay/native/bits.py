"""`Bits` for the compiler: one integer of 64, 128, 192, ... machine bits whose unused upper bits are always zero.

Whole words, rather than LLVM's integer of the exact width, because those load and store in one instruction each;
only `~` and `<<` can set an unused bit, and they mask it off.
"""

from __future__ import annotations

import operator

from llvmlite import ir
from numba import types
from numba.extending import (
    NativeValue,
    box,
    intrinsic,
    lower_builtin,
    models,
    overload_attribute,
    overload_method,
    register_model,
    typeof_impl,
    unbox,
)

from counterplay.core.bits import Bits
from counterplay.native.linked import overload
from counterplay.native.seams import (
    AbstractTemplate,
    RefType,
    TypingError,
    cgutils,
    config,
    impl_ret_untracked,
    infer_global,
    iternext_impl,
    lower_constant,
    signature,
)
from counterplay.native.words import I64, WordsModel, WordsType, made_by, read_integer, remainder, resize


class BitsType(WordsType):
    """The type of every `Bits` of one width."""

    def __init__(self, width: int):
        self.width = width
        super().__init__(width, f"Bits({width})")

    @property
    def key(self) -> int:
        return self.width

    @property
    def iterator_type(self) -> BitsIteratorType:
        return BitsIteratorType(self)

    @property
    def mask(self) -> ir.Constant:
        return self.constant((1 << self.width) - 1)

    @property
    def has_unused(self):
        return self.width % 64 != 0

    def __reduce__(self):
        return BitsType, (self.width,)


class BitsIteratorType(types.SimpleIteratorType):
    def __init__(self, bits: BitsType):
        self.bits = bits
        super().__init__(f"iter({bits.name})", types.intp)

    def __reduce__(self):
        return BitsIteratorType, (self.bits,)


_types: dict[int, BitsType] = {}  # asked for every set in every state that goes into compiled code


@typeof_impl.register(Bits)
def _typeof_bits(value: Bits, context) -> BitsType:
    typ = _types.get(value.width)
    if typ is None:
        typ = _types[value.width] = BitsType(value.width)
    return typ


register_model(BitsType)(WordsModel)


@register_model(BitsIteratorType)
class _BitsIteratorModel(models.StructModel):
    def __init__(self, manager, fe_type: BitsIteratorType):
        super().__init__(manager, fe_type, [("rest", types.EphemeralPointer(fe_type.bits))])


@lower_constant(BitsType)
def _constant(context, builder, typ: BitsType, value: Bits):
    return typ.constant(int(value))


@unbox(BitsType)
def _unbox(typ: BitsType, obj, c):
    value = read_integer(typ, c.pyapi.object_getattr_string(obj, "_n"), c)
    return NativeValue(value, is_error=c.pyapi.c_api_error())


@box(BitsType)
def _box(typ: BitsType, value, c):
    return made_by(Bits.from_int, typ, (typ.width,), value, c)


# ---- operators


def _never_none(args):
    """None has a truth in Python and equals nothing, but Numba would unwrap it and fail when the rule runs."""
    if any(isinstance(arg, types.Optional) and isinstance(arg.type, BitsType) for arg in args):
        raise TypingError("a Bits is sometimes None here: ask `is None` first")


def _binary(op, emit, returns_bool: bool = False):
    """Two sets of one width to a set, or to a truth value."""

    @infer_global(op)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            if returns_bool:
                _never_none(args)
            if len(args) == 2 and isinstance(args[0], BitsType) and args[0] == args[1]:
                return signature(types.boolean if returns_bool else args[0], *args)
            return None

    @lower_builtin(op, BitsType, BitsType)
    def lower(context, builder, sig, args):
        return emit(builder, *args)


_binary(operator.and_, lambda b, x, y: b.and_(x, y))
_binary(operator.or_, lambda b, x, y: b.or_(x, y))
_binary(operator.xor, lambda b, x, y: b.xor(x, y))
_binary(operator.sub, lambda b, x, y: b.and_(x, b.not_(y)))
_binary(operator.eq, lambda b, x, y: b.icmp_unsigned("==", x, y), returns_bool=True)
_binary(operator.ne, lambda b, x, y: b.icmp_unsigned("!=", x, y), returns_bool=True)
for _inplace, _plain in (
    (operator.iand, lambda b, x, y: b.and_(x, y)),
    (operator.ior, lambda b, x, y: b.or_(x, y)),
    (operator.ixor, lambda b, x, y: b.xor(x, y)),
    (operator.isub, lambda b, x, y: b.and_(x, b.not_(y))),
):
    _binary(_inplace, _plain)


def _shift(op, emit):
    """A set moved by an integer; by the width or more (or by a negative number) nothing is left."""

    @infer_global(op)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) == 2 and isinstance(args[0], BitsType) and isinstance(args[1], types.Integer):
                return signature(args[0], args[0], types.intp)
            return None

    @lower_builtin(op, BitsType, types.Integer)
    def lower(context, builder, sig, args):
        typ, (value, by) = sig.args[0], args
        inside = builder.icmp_unsigned("<", by, ir.Constant(I64, typ.width))
        moved = emit(builder, value, resize(builder, by, typ.machine))
        if emit is _left and typ.has_unused:
            moved = builder.and_(moved, typ.mask)
        return builder.select(inside, moved, typ.constant(0))


def _left(builder, value, by):
    return builder.shl(value, by)


def _right(builder, value, by):
    return builder.lshr(value, by)


for _op in (operator.lshift, operator.ilshift):
    _shift(_op, _left)
for _op in (operator.rshift, operator.irshift):
    _shift(_op, _right)


def _unary(op, returns, emit):
    @infer_global(op)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            if returns is types.boolean:
                _never_none(args)
            if len(args) == 1 and isinstance(args[0], BitsType):
                return signature(returns or args[0], args[0])
            return None

    @lower_builtin(op, BitsType)
    def lower(context, builder, sig, args):
        return emit(builder, sig.args[0], args[0])


def _truth(builder, typ: BitsType, value):
    return builder.icmp_unsigned("!=", value, typ.constant(0))


_unary(operator.invert, None, lambda b, typ, x: b.xor(x, typ.mask))
_unary(operator.truth, types.boolean, _truth)
_unary(bool, types.boolean, _truth)
_unary(operator.not_, types.boolean, lambda b, typ, x: b.icmp_unsigned("==", x, typ.constant(0)))
_unary(len, types.intp, lambda b, typ, x: resize(b, b.ctpop(x), I64))


# ---- one square


@intrinsic
def _lowest(typing, bits):
    """The first square; the width if there is none."""

    def codegen(context, builder, sig, args):
        typ = sig.args[0]
        found = resize(builder, builder.cttz(args[0], ir.Constant(ir.IntType(1), 0)), I64)
        if not typ.has_unused:
            return found
        return builder.select(_truth(builder, typ, args[0]), found, ir.Constant(I64, typ.width))

    return types.intp(bits), codegen


@intrinsic
def _single(typing, bits, square):
    """The set of just `square`, which must be on the board, in the width of `bits`."""

    def codegen(context, builder, sig, args):
        typ = sig.args[0]
        by = context.cast(builder, args[1], sig.args[1], types.intp)
        inside = builder.icmp_unsigned("<", by, ir.Constant(I64, typ.width))
        one = builder.shl(typ.constant(1), resize(builder, by, typ.machine))
        return builder.select(inside, one, typ.constant(0))

    return bits(bits, square), codegen


@intrinsic
def nth_square(typing, bits, k):
    """Square number `k` of the set, counted from 0; there must be so many.

    In one word: deposit a single bit at the place of the k-th set one, on processors that can; else drop the first k.
    """

    def codegen(context, builder, sig, args):
        *_, features = context.codegen().magic_tuple()
        method = deposit if bits.words == 1 and "+bmi2" in features else drop
        return method(context, builder, sig, args)

    def deposit(context, builder, sig, args):
        by = context.cast(builder, args[1], sig.args[1], types.intp)
        kind = ir.FunctionType(I64, [I64, I64])
        pdep = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind)
        found = builder.call(pdep, [builder.shl(ir.Constant(I64, 1), by), args[0]])
        return builder.cttz(found, ir.Constant(ir.IntType(1), 0))

    def drop(context, builder, sig, args):
        typ = sig.args[0]
        by = context.cast(builder, args[1], sig.args[1], types.intp)
        rest = cgutils.alloca_once_value(builder, args[0])
        with cgutils.for_range(builder, by):
            value = builder.load(rest)
            builder.store(builder.and_(value, builder.sub(value, typ.constant(1))), rest)
        return resize(builder, builder.cttz(builder.load(rest), ir.Constant(ir.IntType(1), 0)), I64)

    return types.intp(bits, k), codegen


def _on_board(bits, square):
    if square < 0 or square >= bits.width:
        raise ValueError("a square is outside its Bits")


@overload(_on_board, inline="always")
def _ol_on_board(bits, square):
    """Checked when arrays are checked too (NUMBA_BOUNDSCHECK=1); otherwise a square outside is no square."""
    if config.BOUNDSCHECK:
        return _on_board
    return lambda bits, square: None


@overload_method(BitsType, "add")
def _add(bits, square):
    def add(bits, square):
        _on_board(bits, square)
        return bits | _single(bits, square)

    return add if isinstance(square, types.Integer) else None


@overload_method(BitsType, "remove")
def _remove(bits, square):
    def remove(bits, square):
        _on_board(bits, square)
        return bits - _single(bits, square)

    return remove if isinstance(square, types.Integer) else None


@overload_method(BitsType, "runs")
def _runs(bits, step, length):
    def runs(bits, step, length):
        found, reach = bits, 1
        while reach < length:
            more = min(reach, length - reach)
            found &= found >> more * step
            reach += more
        return found

    return runs if isinstance(step, types.Integer) and isinstance(length, types.Integer) else None


@intrinsic
def _seen(typing, line, square, blockers):
    """After the obstruction difference (Michael Hoffmann 2010): the bits up to the blocker above, of those from the one
    below on; all there are, where nothing blocks. Each is an instruction or two where the processor has BMI.
    """

    def codegen(context, builder, sig, args):
        typ = sig.args[0]
        by = resize(builder, context.cast(builder, args[1], sig.args[1], types.intp), typ.machine)
        one, false = typ.constant(1), ir.Constant(ir.IntType(1), 0)
        here = builder.shl(one, by)
        stones = builder.and_(args[0], args[2])
        above = builder.and_(stones, builder.shl(typ.constant(-2), by))
        up = builder.xor(above, builder.sub(above, one))
        below = builder.or_(builder.and_(stones, builder.sub(here, one)), one)
        top = typ.constant(1 << typ.machine.width - 1)
        down = builder.ashr(top, builder.ctlz(below, false))
        return builder.and_(builder.and_(args[0], builder.not_(here)), builder.and_(up, down))

    return line(line, square, blockers), codegen


@overload_method(BitsType, "seen")
def _seen_method(line, square, blockers):
    def seen(line, square, blockers):
        _on_board(line, square)
        return _seen(line, square, blockers)

    return seen if isinstance(square, types.Integer) and blockers == line else None


@intrinsic
def _flanked(typing, line, square, mine, theirs):
    """The bits from above the own one below to under the own one above; `here` where there is none that flanks."""

    def codegen(context, builder, sig, args):
        typ = sig.args[0]
        by = resize(builder, context.cast(builder, args[1], sig.args[1], types.intp), typ.machine)
        zero, one, false = typ.constant(0), typ.constant(1), ir.Constant(ir.IntType(1), 0)
        here = builder.shl(one, by)
        lower = builder.sub(here, one)
        rest = builder.and_(args[0], builder.not_(args[3]))
        above = builder.and_(rest, builder.not_(builder.or_(lower, here)))
        below = builder.and_(rest, lower)
        first = builder.and_(builder.and_(above, builder.neg(above)), args[2])
        top = typ.constant(1 << typ.machine.width - 1)
        last = builder.lshr(top, builder.ctlz(builder.or_(below, one), false))
        last = builder.and_(last, builder.and_(below, args[2]))
        high = builder.select(builder.icmp_unsigned("!=", first, zero), first, here)
        low = builder.select(builder.icmp_unsigned("!=", last, zero), builder.shl(last, one), here)
        span = builder.and_(builder.sub(high, low), args[0])
        return builder.and_(span, builder.not_(here))

    return line(line, square, mine, theirs), codegen


@overload_method(BitsType, "flanked")
def _flanked_method(line, square, mine, theirs):
    def flanked(line, square, mine, theirs):
        _on_board(line, square)
        return _flanked(line, square, mine, theirs)

    return flanked if isinstance(square, types.Integer) and mine == line and theirs == line else None


@intrinsic
def _between(typing, bits, one, other):
    def codegen(context, builder, sig, args):
        typ = sig.args[0]
        one, other = (context.cast(builder, args[i], sig.args[i], types.intp) for i in (1, 2))
        ordered = builder.icmp_signed("<", one, other)
        low = resize(builder, builder.select(ordered, one, other), typ.machine)
        high = resize(builder, builder.select(ordered, other, one), typ.machine)
        under = builder.sub(builder.shl(typ.constant(1), high), typ.constant(1))
        return builder.and_(args[0], builder.and_(under, builder.shl(typ.constant(-2), low)))

    return bits(bits, one, other), codegen


@overload_method(BitsType, "between")
def _between_method(bits, one, other):
    def between(bits, one, other):
        _on_board(bits, one)
        _on_board(bits, other)
        return _between(bits, one, other)

    return between if isinstance(one, types.Integer) and isinstance(other, types.Integer) else None


@overload_method(BitsType, "lowest")
def _lowest_method(bits):
    return lambda bits: _lowest(bits)


@overload_attribute(BitsType, "width")
def _width(bits):
    width = bits.width
    return lambda bits: width


@overload(operator.contains)
def _contains(bits, square):
    if isinstance(bits, BitsType) and isinstance(square, types.Integer):
        return lambda bits, square: bool(bits & _single(bits, square))
    return None


@overload_method(BitsType, "__hash__")
def _hash(bits):
    """Python's own, so that sets, and states of them, hash alike in both modes."""
    return lambda bits: hash((bits.width, remainder(bits)))


@overload(int)
def _int(bits):
    """The set as a number, for the widths that fit one."""
    if isinstance(bits, BitsType) and bits.width < 64:
        return lambda bits: _low_word(bits)
    return None


@intrinsic
def _low_word(typing, bits):
    def codegen(context, builder, sig, args):
        return resize(builder, args[0], I64)

    return types.intp(bits), codegen


# ---- construction: Bits(width) and Bits(width, squares), with a width known when compiling


@intrinsic(prefer_literal=True)
def _empty(typing, width):
    if not isinstance(width, types.IntegerLiteral):
        return None
    typ = BitsType(width.literal_value)
    return typ(width), lambda context, builder, sig, args: typ.constant(0)


@overload(Bits, prefer_literal=True)
def _construct(width, squares=()):
    if not isinstance(width, types.IntegerLiteral):
        return None
    if isinstance(squares, types.Omitted) or squares == types.Tuple(()) or squares == ():
        return lambda width, squares=(): _empty(width)

    def construct(width, squares=()):
        bits = _empty(width)
        for square in squares:
            bits = bits.add(square)
        return bits

    return construct


# ---- iteration


@lower_builtin("getiter", BitsType)
def _getiter(context, builder, sig, args):
    iterator = context.make_helper(builder, sig.return_type)
    iterator.rest = cgutils.alloca_once_value(builder, args[0])
    return impl_ret_untracked(context, builder, sig.return_type, iterator._getvalue())


@lower_builtin("iternext", BitsIteratorType)
@iternext_impl(RefType.UNTRACKED)
def _iternext(context, builder, sig, args, result):
    typ = sig.args[0].bits
    iterator = context.make_helper(builder, sig.args[0], value=args[0])
    rest = builder.load(iterator.rest)
    valid = _truth(builder, typ, rest)
    result.set_valid(valid)
    with builder.if_then(valid):
        lowest = builder.cttz(rest, ir.Constant(ir.IntType(1), 1))
        result.yield_(resize(builder, lowest, I64))
        builder.store(builder.and_(rest, builder.sub(rest, typ.constant(1))), iterator.rest)
