"""`Gates` for the compiler: a function of their own, one straight run of ands and ors, without a jump.

It is written in LLVM's own form, gate by gate, so that the compiler's search for types never sees the gates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload_method, register_model, typeof_impl

from counterplay.core.gates import AND, FALSE, TRUE, Gates
from counterplay.native.bits import BitsType
from counterplay.native.seams import TypingError, lower_constant
from counterplay.native.words import I64, joined, words_of

_MOST_OPTIMISED = 300
"""A net of more gates is compiled as it is, without a look for something better: 6 to 14% slower, and much sooner."""


class GatesType(types.Type):
    """The type of one net: all of it is part of the type, so that a value takes no room."""

    def __init__(self, gates: Gates) -> None:
        self.gates = gates
        super().__init__(name=f"Gates({gates.digest})")

    def __reduce__(self):
        return GatesType, (self.gates,)


_types: dict[str, GatesType] = {}


@typeof_impl.register(Gates)
def _typeof_gates(gates: Gates, context) -> GatesType:
    return _types.setdefault(gates.digest, GatesType(gates))


@register_model(GatesType)
class _GatesModel(models.OpaqueModel):
    pass


@lower_constant(GatesType)
def _constant(context, builder, typ: GatesType, value: Gates):
    return context.get_dummy_value()


def _function(module: ir.Module, gates: Gates, suffix: str, kind: ir.FunctionType) -> tuple[ir.Function, bool]:
    """The function of that name, which is in the program once, and whether it is still to be written."""
    name = f"counterplay.gates.{gates.digest}.{suffix}"
    if name in module.globals:
        return module.globals[name], False
    function = ir.Function(module, kind, name)
    function.linkage = "linkonce_odr"
    function.attributes.add("noinline")
    if len(gates.gates) > _MOST_OPTIMISED:
        function.attributes.add("optnone")
    return function, True


def _emit(builder: ir.IRBuilder, gates: Gates, read: Callable[[int], ir.Value]) -> Callable[[int], ir.Value]:
    """Write all gates; what gives the word of a literal afterwards. `read` gives that of an input."""
    words: dict[int, ir.Value] = {FALSE: ir.Constant(I64, 0), TRUE: ir.Constant(I64, -1)}

    def literal(x: int) -> ir.Value:
        if x not in words:
            words[x] = builder.not_(literal(x ^ 1)) if x & 1 else read(x >> 1)
        return words[x]

    for i, (kind, literals) in enumerate(gates.gates):
        word = literal(literals[0])
        for x in literals[1:]:
            word = builder.and_(word, literal(x)) if kind == AND else builder.or_(word, literal(x))
        words[2 * (gates.inputs + i)] = word
    return literal


def _narrow(module: ir.Module, gates: Gates, sources: Sequence[BitsType], target: BitsType) -> ir.Function:
    """From sets to a set: of each word only the lowest bit counts."""
    kind = ir.FunctionType(target.machine, [each.machine for each in sources])
    function, is_new = _function(module, gates, "run", kind)
    if not is_new:
        return function
    builder = ir.IRBuilder(function.append_basic_block())
    places = []
    for typ, argument in zip(sources, function.args, strict=True):
        split = words_of(builder, typ, argument)
        places += [(split[i // 64], i % 64) for i in range(typ.width)]

    def read(i: int) -> ir.Value:
        word, by = places[i]
        return builder.lshr(word, ir.Constant(I64, by)) if by else word

    literal = _emit(builder, gates, read)
    out = []
    for first in range(0, target.width, 64):
        word = ir.Constant(I64, 0)
        for i in range(first, min(first + 64, target.width)):
            bit = builder.and_(literal(gates.outputs[i]), ir.Constant(I64, 1))
            word = builder.or_(word, builder.shl(bit, ir.Constant(I64, i - first)))
        out.append(word)
    builder.ret(joined(builder, target, out))
    return function


def _wide(module: ir.Module, gates: Gates) -> ir.Function:
    """From words in memory to words in memory."""
    row = I64.as_pointer()
    function, is_new = _function(module, gates, "wide", ir.FunctionType(ir.VoidType(), [row, row]))
    if not is_new:
        return function
    source, target = function.args
    target.add_attribute("noalias")
    builder = ir.IRBuilder(function.append_basic_block())

    def place(base: ir.Value, i: int) -> ir.Value:
        return builder.gep(base, [ir.Constant(I64, i)])

    literal = _emit(builder, gates, lambda i: builder.load(place(source, i)))
    for i, x in enumerate(gates.outputs):
        builder.store(literal(x), place(target, i))
    builder.ret_void()
    return function


def _must_fit(gates: GatesType, sets: Sequence[types.Type]) -> None:
    if tuple(each.width if isinstance(each, BitsType) else None for each in sets) != gates.gates.widths:
        raise TypingError(f"these gates take Bits of the widths {gates.gates.widths}")


@intrinsic
def _run_one(typing, gates, one):
    _must_fit(gates, [one])
    target = BitsType(len(gates.gates.outputs))

    def codegen(context, builder, sig, args):
        return builder.call(_narrow(builder.module, gates.gates, [one], target), args[1:])

    return target(gates, one), codegen


@intrinsic
def _run_two(typing, gates, one, two):
    _must_fit(gates, [one, two])
    target = BitsType(len(gates.gates.outputs))

    def codegen(context, builder, sig, args):
        return builder.call(_narrow(builder.module, gates.gates, [one, two], target), args[1:])

    return target(gates, one, two), codegen


@overload_method(GatesType, "run")
def _run(gates, one, two=None):
    if isinstance(two, types.Omitted | types.NoneType) or two is None:
        return lambda gates, one, two=None: _run_one(gates, one)
    return lambda gates, one, two=None: _run_two(gates, one, two)


@intrinsic
def _run_wide(typing, gates, source, target):
    def codegen(context, builder, sig, args):
        row = I64.as_pointer()
        places = [builder.inttoptr(context.cast(builder, args[i], sig.args[i], types.intp), row) for i in (1, 2)]
        builder.call(_wide(builder.module, gates.gates), places)
        return context.get_dummy_value()

    return types.void(gates, source, target), codegen


@overload_method(GatesType, "run_wide")
def _run_wide_method(gates, source, target):
    return lambda gates, source, target: _run_wide(gates, source, target)
