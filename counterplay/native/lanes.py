"""What compiled twins of vectors are built of: sixteen numbers at a time, loaded, spread, multiplied and stored."""

from __future__ import annotations

from contextlib import contextmanager

from llvmlite import ir
from numba import types

from counterplay.core.vectors import LANES
from counterplay.native.memory import MemoryType
from counterplay.native.seams import cgutils, cpu_target

__all__ = [
    "F32",
    "I16",
    "I32",
    "I64",
    "VECTOR",
    "each_vector",
    "every",
    "fused",
    "has",
    "i64",
    "in_blocks",
    "integers",
    "is_row",
    "load_shorts",
    "load_vector",
    "short_lanes",
    "small",
    "spread",
    "store_shorts",
    "store_vector",
]

I16, I32, I64, F32 = ir.IntType(16), ir.IntType(32), ir.IntType(64), ir.FloatType()
VECTOR = ir.VectorType(F32, LANES)


def has(ability: str) -> bool:
    """Whether this processor can do that."""
    *_, abilities = cpu_target.target_context.codegen().magic_tuple()
    return f"+{ability}" in abilities


def short_lanes(length: int) -> int:
    """How many integers of 16 bits to take at a time, of so many: as many as the processor can, or half of that."""
    return 2 * LANES if has("avx512bw") and length % (2 * LANES) == 0 else LANES


def in_blocks(length: int, bytes_each: int = 4, lanes: int = LANES):
    """Places of vectors, so many together as their sums can be held in registers at once."""
    at_once = LANES * (8 if has("avx512f") else 4) * 4 // bytes_each
    for begin in range(0, length, at_once):
        yield range(begin, min(length, begin + at_once), lanes)


def i64(n: int) -> ir.Constant:
    return ir.Constant(I64, n)


def every(kind, x: float) -> ir.Constant:
    """A constant of that kind: the number, or a vector of it."""
    return ir.Constant(kind, [x] * kind.count) if isinstance(kind, ir.VectorType) else ir.Constant(kind, x)


def load_vector(builder, base, at):
    found = builder.load(builder.bitcast(builder.gep(base, [at]), VECTOR.as_pointer()))
    found.align = 4
    return found


def store_vector(builder, value, base, at):
    builder.store(value, builder.bitcast(builder.gep(base, [at]), VECTOR.as_pointer())).align = 4


def load_shorts(builder, base, at, lanes: int = LANES):
    """So many integers of 16 bits."""
    found = builder.load(builder.bitcast(builder.gep(base, [at]), ir.VectorType(I16, lanes).as_pointer()))
    found.align = 2
    return found


def store_shorts(builder, value, base, at):
    builder.store(value, builder.bitcast(builder.gep(base, [at]), value.type.as_pointer())).align = 2


def fused(builder, a, b, c):
    """a b + c, rounded once."""
    kind = a.type
    name = f"llvm.fma.v{kind.count}f32" if isinstance(kind, ir.VectorType) else "llvm.fma.f32"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind] * 3), name)
    return builder.call(function, [a, b, c])


def spread(builder, x, lanes: int = LANES):
    """A vector of so many times a number."""
    nothing = ir.Constant(ir.VectorType(x.type, lanes), ir.Undefined)
    nowhere = ir.Constant(ir.VectorType(I32, lanes), [0] * lanes)
    return builder.shuffle_vector(builder.insert_element(nothing, x, ir.Constant(I32, 0)), nothing, nowhere)


@contextmanager
def each_vector(builder, n, begin=None, lanes: int = LANES):
    """The numbers 0, 16, 32, ... below `n`, or those from another one on, so many apart."""
    with cgutils.for_range_slice(builder, i64(0) if begin is None else begin, n, i64(lanes), I64) as (j, _):
        yield j


def small(context, builder, typ, x):
    """A number in 32 bits."""
    return builder.fptrunc(context.cast(builder, x, typ, types.float64), F32)


def is_row(*typs, dtype="float32"):
    return all(isinstance(typ, MemoryType) and typ.kind.dtype == dtype for typ in typs)


def integers(context, builder, sig, args, *places):
    return [context.cast(builder, args[i], sig.args[i], types.int64) for i in places]
