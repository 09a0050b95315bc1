"""`Memory` for the compiler: a pointer to its first number. What kind of numbers, and how many, is in the type.

No reference is counted and no index wraps around, so that a loop over it is as fast as one in C.
"""

from __future__ import annotations

import operator

from llvmlite import ir
from numba import from_dtype, types
from numba.extending import (
    NativeValue,
    intrinsic,
    models,
    overload_attribute,
    register_model,
    typeof_impl,
    unbox,
)
from numpy import dtype

from counterplay.core.memory import Memory, MemoryKind
from counterplay.native.linked import overload
from counterplay.native.seams import TypingError, cgutils, config, lower_constant


class MemoryType(types.Type):
    """The type of every memory of one kind."""

    def __init__(self, kind: MemoryKind):
        self.kind = kind
        self.element = from_dtype(dtype(kind.dtype))
        super().__init__(name=f"{kind}" if kind.writable else f"read-only {kind}")

    @property
    def key(self) -> MemoryKind:
        return self.kind

    @property
    def number(self) -> types.Type:
        """What a number is once it has been read: as in Python, there is one size of float and one of integer."""
        if isinstance(self.element, types.Float):
            return types.float64
        return types.intp if isinstance(self.element, types.Integer) else types.boolean

    def takes(self, value: types.Type) -> bool:
        """Whether such a value can be stored."""
        whole = isinstance(value, types.Integer | types.Boolean)
        return whole or (isinstance(value, types.Float) and self.number == types.float64)

    def __reduce__(self):
        return MemoryType, (self.kind,)


@typeof_impl.register(Memory)
def _typeof_memory(memory: Memory, context) -> MemoryType:
    return MemoryType(memory.kind)


@register_model(MemoryType)
class _MemoryModel(models.PrimitiveModel):
    def __init__(self, manager, typ: MemoryType):
        super().__init__(manager, typ, manager.lookup(typ.element).get_data_type().as_pointer())


@unbox(MemoryType)
def _unbox(typ: MemoryType, obj, c):
    address = c.pyapi.object_getattr_string(obj, "address")
    pointer = c.builder.inttoptr(c.pyapi.long_as_longlong(address), c.context.get_value_type(typ))
    c.pyapi.decref(address)
    return NativeValue(pointer, is_error=c.pyapi.c_api_error())


@lower_constant(MemoryType)
def _constant(context, builder, typ: MemoryType, value: Memory):
    raise TypingError("a Memory must belong to the game, or be an argument: elsewhere its address would be a constant")


def base_address(context, builder, typ: MemoryType, addresses, i: int):
    """The pointer number `i` in a row of addresses, which does not change while compiled code runs."""
    pointer = context.get_value_type(typ)
    row = builder.bitcast(addresses, pointer.as_pointer())
    loaded = builder.load(builder.gep(row, [ir.Constant(ir.IntType(64), i)], inbounds=True))
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


# ---- reading and writing


def _indices(context, builder, typ, index):
    """The indices as machine integers, one for each dimension."""
    if isinstance(typ, types.BaseTuple):
        items = cgutils.unpack_tuple(builder, index, len(typ))
        return [context.cast(builder, item, t, types.intp) for t, item in zip(typ, items, strict=True)]
    return [context.cast(builder, index, typ, types.intp)]


def _place(context, builder, sig, args):
    """A pointer to the number at an index."""
    shape = sig.args[0].kind.shape
    at, *rest = _indices(context, builder, sig.args[1], args[1])
    for i, n in zip(rest, shape[1:], strict=True):
        at = builder.add(builder.mul(at, ir.Constant(at.type, n)), i)
    return builder.gep(args[0], [at], inbounds=True)


@intrinsic
def _read(typing, memory, index):
    def codegen(context, builder, sig, args):
        element = context.unpack_value(builder, memory.element, _place(context, builder, sig, args))
        return context.cast(builder, element, memory.element, memory.number)

    return memory.number(memory, index), codegen


@intrinsic
def _write(typing, memory, index, value):
    def codegen(context, builder, sig, args):
        number = context.cast(builder, args[2], sig.args[2], memory.number)  # as Python does, before it is rounded
        element = context.cast(builder, number, memory.number, memory.element)
        context.pack_value(builder, memory.element, element, _place(context, builder, sig, args))
        return context.get_dummy_value()

    return types.void(memory, index, value), codegen


@intrinsic
def _is_inside(typing, memory, index):
    def codegen(context, builder, sig, args):
        inside = ir.Constant(ir.IntType(1), 1)
        for i, n in zip(_indices(context, builder, sig.args[1], args[1]), memory.kind.shape, strict=True):
            inside = builder.and_(inside, builder.icmp_unsigned("<", i, ir.Constant(i.type, n)))
        return inside

    return types.boolean(memory, index), codegen


def _must_be_index(memory, index):
    each = tuple(index) if isinstance(index, types.BaseTuple) else (index,)
    if not all(isinstance(i, types.Integer | types.Boolean) for i in each):
        raise TypingError("a Memory is read by whole numbers: memory[i], or memory[i, j] in two dimensions")
    if len(each) != len(memory.kind.shape):
        raise TypingError(f"a Memory of {len(memory.kind.shape)} dimensions has as many indices, not {len(each)}")


@overload(operator.getitem)
def _getitem(memory, index):
    if not isinstance(memory, MemoryType):
        return None
    _must_be_index(memory, index)
    if not config.BOUNDSCHECK:
        return lambda memory, index: _read(memory, index)

    def checked(memory, index):
        if not _is_inside(memory, index):
            raise IndexError("an index is outside its Memory")
        return _read(memory, index)

    return checked


@overload(operator.setitem)
def _setitem(memory, index, value):
    if not isinstance(memory, MemoryType):
        return None
    _must_be_index(memory, index)
    if not memory.kind.writable:
        raise TypingError("a Memory of a read-only array cannot be written")
    if not memory.takes(value):
        raise TypingError(f"a Memory with numbers of type {memory.number} cannot hold one of type {value}")
    if not config.BOUNDSCHECK:
        return lambda memory, index, value: _write(memory, index, value)

    def checked(memory, index, value):
        if not _is_inside(memory, index):
            raise IndexError("an index is outside its Memory")
        _write(memory, index, value)

    return checked


@overload(len)
def _len(memory):
    if not isinstance(memory, MemoryType):
        return None
    length = memory.kind.shape[0]
    return lambda memory: length


@overload_attribute(MemoryType, "shape")
def _shape(memory):
    shape = memory.kind.shape
    return lambda memory: shape
