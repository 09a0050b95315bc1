"""What `Bits` and `Cells` are for the compiler: one machine integer of whole 64-bit words."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models

I64 = ir.IntType(64)


class WordsType(types.IterableType):
    """The type of values that are packed into `bits` bits; those of the last word that are left over are zero."""

    def __init__(self, bits: int, name: str):
        self.words = (bits + 63) // 64
        self.machine = ir.IntType(64 * self.words)
        super().__init__(name=name)

    def constant(self, n: int) -> ir.Constant:
        return ir.Constant(self.machine, n)


class WordsModel(models.PrimitiveModel):
    def __init__(self, manager, fe_type: WordsType):
        super().__init__(manager, fe_type, fe_type.machine)


def resize(builder, value, to: ir.IntType):
    if value.type.width < to.width:
        return builder.zext(value, to)
    return builder.trunc(value, to) if value.type.width > to.width else value


def words_of(builder, typ: WordsType, value):
    """The words of a value, the lowest first."""
    return [resize(builder, builder.lshr(value, typ.constant(64 * i)), I64) for i in range(typ.words)]


def joined(builder, typ: WordsType, words):
    """The value of these words."""
    value = resize(builder, words[0], typ.machine)
    for i, word in enumerate(words[1:], 1):
        value = builder.or_(value, builder.shl(resize(builder, word, typ.machine), typ.constant(64 * i)))
    return value


# ---- between Python's integers and machine integers, a word at a time


def read_integer(typ: WordsType, n, c):
    """The value of a Python integer, whose reference is given back."""
    api, builder = c.pyapi, c.builder
    if typ.words == 1:
        word = api.long_as_ulonglong(n)
        api.decref(n)
        return joined(builder, typ, [word])
    words = []
    word_mask = api.long_from_ulonglong(ir.Constant(I64, -1))
    for i in range(typ.words):
        shift = api.long_from_longlong(ir.Constant(I64, 64 * i))
        shifted = api.number_rshift(n, shift)
        low = api.number_and(shifted, word_mask)
        words.append(api.long_as_ulonglong(low))
        for temporary in (shift, shifted, low):
            api.decref(temporary)
    api.decref(n)
    api.decref(word_mask)
    return joined(builder, typ, words)


def made_by(function, typ: WordsType, numbers: tuple[int, ...], value, c):
    """The Python object that `function(*numbers, integer)` makes of a value."""
    api, builder = c.pyapi, c.builder
    total = api.long_from_longlong(ir.Constant(I64, 0))
    for i, word in enumerate(words_of(builder, typ, value)):
        part = api.long_from_ulonglong(word)
        shift = api.long_from_longlong(ir.Constant(I64, 64 * i))
        shifted = api.number_lshift(part, shift)
        total_after = api.number_or(total, shifted)
        for temporary in (part, shift, shifted, total):
            api.decref(temporary)
        total = total_after
    arguments = (*(api.long_from_longlong(ir.Constant(I64, n)) for n in numbers), total)
    make = api.unserialize(api.serialize_object(function))
    result = api.call_function_objargs(make, arguments)
    for temporary in (*arguments, make):
        api.decref(temporary)
    return result


@intrinsic
def remainder(typing, value):
    """The value as a number modulo 2^61 - 1, which is how Python hashes integers."""

    def codegen(context, builder, sig, args):
        modulus = ir.Constant(I64, (1 << 61) - 1)
        h = ir.Constant(I64, 0)
        for word in reversed(words_of(builder, value, args[0])):
            # h * 2^64 is h * 8 here: a rotation of 61 bits
            high = builder.lshr(h, ir.Constant(I64, 58))
            h = builder.or_(builder.and_(builder.shl(h, ir.Constant(I64, 3)), modulus), high)
            h = builder.urem(builder.add(h, builder.urem(word, modulus)), modulus)
        return h

    return types.intp(value), codegen
