"""`Active` for the compiler: the inputs of a state as rows on the stack; and the default features of every state."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, models, overload_method, register_model

from counterplay.core import features
from counterplay.core.features import SMALL, default_features
from counterplay.native.bits import BitsType
from counterplay.native.cells import CellsType
from counterplay.native.linked import overload
from counterplay.native.seams import AbstractTemplate, cgutils, infer_global, signature

_I64 = ir.IntType(64)


class ActiveType(types.Type):
    """Room for `most` of `inputs` inputs."""

    def __init__(self, inputs: int, most: int):
        self.inputs, self.most = inputs, most
        super().__init__(name=f"Active({inputs}, {most})")

    @property
    def key(self) -> tuple[int, int]:
        return self.inputs, self.most

    def __reduce__(self):
        return ActiveType, self.key


@register_model(ActiveType)
class _ActiveModel(models.StructModel):
    """Each part has a place of its own on the stack, so that the compiler sees that none changes another."""

    def __init__(self, manager, typ: ActiveType):
        members = [
            ("number", types.CPointer(types.int64)),
            ("first", types.CPointer(types.int64)),
            ("indices", types.CPointer(types.int32)),
            ("values", types.CPointer(types.float32)),
        ]
        super().__init__(manager, typ, members)


def parts(context, builder, typ: ActiveType, value):
    """The pointers that make up an `Active`."""
    return context.make_helper(builder, typ, value)


# As no overload, but in the caller itself: the stack of a function that has returned is nobody's.


@infer_global(features.new_active)
class _NewActive(AbstractTemplate):
    prefer_literal = True

    def generic(self, args, kws):
        if len(args) == 2 and all(isinstance(n, types.IntegerLiteral) for n in args):
            return signature(ActiveType(*(n.literal_value for n in args)), *args)
        return None


@lower_builtin(features.new_active, types.Integer, types.Integer)
def _new_active(context, builder, sig, args):
    on = context.make_helper(builder, sig.return_type)
    on.number, on.first = cgutils.alloca_once(builder, _I64), cgutils.alloca_once(builder, _I64)
    on.indices = row_on_stack(builder, ir.IntType(32), sig.return_type.most)
    on.values = row_on_stack(builder, ir.FloatType(), sig.return_type.most)
    for place in (on.number, on.first):
        builder.store(ir.Constant(_I64, 0), place)
    return on._getvalue()


def row_on_stack(builder, kind, n: int):
    """A pointer to room for `n` numbers, whatever they are. (Numba's own `alloca_once` would make all of them 0, one by
    one, in every call.)"""
    with builder.goto_entry_block():
        row = builder.alloca(ir.ArrayType(kind, n))
    row.align = 64
    return builder.bitcast(row, kind.as_pointer())


@intrinsic
def _number(typing, on):
    def codegen(context, builder, sig, args):
        return builder.load(parts(context, builder, on, args[0]).number)

    return types.int64(on), codegen


@intrinsic
def _first(typing, on):
    def codegen(context, builder, sig, args):
        return builder.load(parts(context, builder, on, args[0]).first)

    return types.int64(on), codegen


@intrinsic
def _begin(typing, on, first):
    def codegen(context, builder, sig, args):
        on_ = parts(context, builder, on, args[0])
        builder.store(ir.Constant(_I64, 0), on_.number)
        builder.store(context.cast(builder, args[1], sig.args[1], types.int64), on_.first)
        return context.get_dummy_value()

    return types.void(on, first), codegen


@intrinsic
def _put(typing, on, n, i, x):
    """Make input `i` of value `x` number `n`, the last."""

    def codegen(context, builder, sig, args):
        on_ = parts(context, builder, on, args[0])
        i = context.cast(builder, args[2], sig.args[2], types.int32)
        x = context.cast(builder, args[3], sig.args[3], types.float64)
        builder.store(i, builder.gep(on_.indices, [args[1]], inbounds=True))
        builder.store(builder.fptrunc(x, ir.FloatType()), builder.gep(on_.values, [args[1]], inbounds=True))
        builder.store(builder.add(args[1], ir.Constant(_I64, 1)), on_.number)
        return context.get_dummy_value()

    return types.void(on, types.int64, i, x), codegen


@intrinsic
def _index(typing, on, k):
    def codegen(context, builder, sig, args):
        k = context.cast(builder, args[1], sig.args[1], types.int64)
        found = builder.load(builder.gep(parts(context, builder, on, args[0]).indices, [k], inbounds=True))
        return builder.zext(found, _I64)

    return types.int64(on, k), codegen


@intrinsic
def _value(typing, on, k):
    def codegen(context, builder, sig, args):
        k = context.cast(builder, args[1], sig.args[1], types.int64)
        found = builder.load(builder.gep(parts(context, builder, on, args[0]).values, [k], inbounds=True))
        return builder.fpext(found, ir.DoubleType())

    return types.float64(on, k), codegen


@overload_method(ActiveType, "clear")
def _clear(on, first=0):
    return lambda on, first=0: _begin(on, first)


@overload_method(ActiveType, "add")
def _add(on, i, x=1.0):
    inputs, most = on.inputs, on.most

    def add(on, i, x=1.0):
        n, place = _number(on), _first(on) + i
        if n >= most:
            raise ValueError("a state has more active inputs than a learner takes")
        if place < 0 or place >= inputs:  # learning would write to anywhere
            raise ValueError("features tell of an input that is not below `inputs`")
        _put(on, n, place, x)

    return add if isinstance(i, types.Integer | types.Boolean) else None


@overload_method(ActiveType, "index")
def _ol_index(on, k):
    return lambda on, k: _index(on, k)


@overload_method(ActiveType, "value")
def _ol_value(on, k):
    return lambda on, k: _value(on, k)


@overload(len)
def _len(on):
    return (lambda on: _number(on)) if isinstance(on, ActiveType) else None


# ---- the default: from the state by itself


def _width(typ) -> int:
    """`number_of_inputs` of a type."""
    if isinstance(typ, types.BaseTuple):
        return sum(map(_width, typ))
    if isinstance(typ, CellsType):
        return typ.length * (1 + SMALL)
    if isinstance(typ, BitsType):
        return typ.width
    return 1 if isinstance(typ, types.Float) else 1 + SMALL


@overload(features.default_features)
def _default_features(s, on, first=0):
    if isinstance(s, types.UniTuple | CellsType):
        width = _width(s) // max(len(s) if isinstance(s, types.UniTuple) else s.length, 1)

        def of_equals(s, on, first=0):
            at = first
            for item in s:
                default_features(item, on, at)
                at += width

        return of_equals
    if isinstance(s, types.BaseTuple):
        if len(s) == 0:
            return lambda s, on, first=0: None
        width = _width(s[0])

        def of_each(s, on, first=0):
            default_features(s[0], on, first)
            default_features(s[1:], on, first + width)

        return of_each
    if isinstance(s, BitsType):

        def of_squares(s, on, first=0):
            for square in s:
                on.add(first + square)

        return of_squares
    if isinstance(s, types.Float):

        def of_float(s, on, first=0):
            if s != 0.0:
                on.add(first, s / (1.0 + abs(s)))

        return of_float
    if isinstance(s, types.Integer | types.Boolean):

        def of_number(s, on, first=0):
            n = int(s)
            if n != 0:
                on.add(first, n / (SMALL + abs(n)))
            if 0 <= n < SMALL:
                on.add(first + 1 + n)

        return of_number
    return None
