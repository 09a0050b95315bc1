"""The compiled twins of `counterplay.core.primitives`."""

from __future__ import annotations

import hashlib
import operator
from functools import reduce

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model, typeof_impl

from counterplay.core import primitives
from counterplay.core.bits import Bits
from counterplay.core.primitives import Table, replace
from counterplay.native.bits import BitsType, nth_square
from counterplay.native.cells import CellsType
from counterplay.native.linked import overload
from counterplay.native.memory import MemoryType
from counterplay.native.seams import cgutils, config, lower_constant, tuple_setitem
from counterplay.native.words import WordsType, words_of

_I64 = ir.IntType(64)
_I16 = ir.IntType(16)


def _mix(builder, x):
    """SplitMix64, as in `primitives.mix64`."""

    def word(n: int) -> ir.Constant:
        return ir.Constant(_I64, n)

    x = builder.mul(x, word(0x9E3779B97F4A7C15))
    x = builder.mul(builder.xor(x, builder.lshr(x, word(30))), word(0xBF58476D1CE4E5B9))
    x = builder.mul(builder.xor(x, builder.lshr(x, word(27))), word(0x94D049BB133111EB))
    return builder.xor(x, builder.lshr(x, word(31)))


def _words(context, builder, typ, value):
    """The 64-bit words that make up a value, as `primitives._words` lists them."""
    if isinstance(typ, types.BaseTuple):
        items = cgutils.unpack_tuple(builder, value, len(typ))
        return [word for t, item in zip(typ, items, strict=True) for word in _words(context, builder, t, item)]
    if isinstance(typ, WordsType):
        return words_of(builder, typ, value)
    if isinstance(typ, types.Float):
        number = builder.fadd(context.cast(builder, value, typ, types.float64), ir.Constant(ir.DoubleType(), 0.0))
        return [builder.bitcast(number, _I64)]
    return [context.cast(builder, value, typ, types.int64)]


def _has_words(typ):
    if isinstance(typ, types.BaseTuple):
        return all(_has_words(t) for t in typ)
    return isinstance(typ, types.Integer | types.Boolean | types.Float | WordsType)


@intrinsic
def _mix64(typing, x):
    def codegen(context, builder, sig, args):
        return _mix(builder, context.cast(builder, args[0], sig.args[0], types.int64))

    return types.int64(x), codegen


@intrinsic
def _state_key(typing, s):
    def codegen(context, builder, sig, args):
        h = ir.Constant(_I64, 0)
        for word in _words(context, builder, sig.args[0], args[0]):
            h = _mix(builder, builder.add(builder.xor(h, word), ir.Constant(_I64, 1)))
        return h

    return types.int64(s), codegen


@overload(primitives.mix64)
def _ol_mix64(x):
    return (lambda x: _mix64(x)) if isinstance(x, types.Integer) else None


@overload(primitives.state_key)
def _ol_state_key(s):
    return (lambda s: _state_key(s)) if _has_words(s) else None


@overload(primitives.count)
def _ol_count(items):
    if isinstance(items, types.Sized) or hasattr(items, "dtype") or isinstance(items, WordsType | types.RangeType):
        return lambda items: len(items)

    def count(items):
        n = 0
        for _ in items:
            n += 1
        return n

    return count


@overload(primitives.nth)
def _ol_nth(items, k):
    if isinstance(items, BitsType):
        return lambda items, k: nth_square(items, k)
    if isinstance(items, types.RangeType):
        return lambda items, k: items.start + k * items.step
    if isinstance(items, types.UniTuple | types.Array | types.List | CellsType):
        return lambda items, k: items[k]

    def nth(items, k):
        found = -1
        for item in items:
            found = item
            if k == 0:
                break
            k -= 1
        return found

    return nth


@intrinsic
def _lowest_one(typing, n):
    def codegen(context, builder, sig, args):
        word = context.cast(builder, args[0], sig.args[0], types.int64)
        return builder.cttz(word, ir.Constant(ir.IntType(1), 0))

    return types.int64(n), codegen


@intrinsic
def _ones(typing, n):
    def codegen(context, builder, sig, args):
        return builder.ctpop(context.cast(builder, args[0], sig.args[0], types.intp))

    return types.intp(n), codegen


@overload(primitives.ones)
def _ol_ones(n):
    return (lambda n: _ones(n)) if isinstance(n, types.Integer) else None


@overload(primitives.lowest_one)
def _ol_lowest_one(n):
    return (lambda n: _lowest_one(n)) if isinstance(n, types.Integer) else None


@overload(primitives.replace)
def _ol_replace(items, i, item, *more):
    if more:
        return lambda items, i, item, *more: replace(replace(items, i, item), *more)
    if isinstance(items, CellsType):
        return lambda items, i, item, *more: items.replaced(i, item)
    if not isinstance(items, types.UniTuple) or not isinstance(i, types.Integer) or not _fits(item, items.dtype):
        return None

    def replaced(items, i, item, *more):
        if i < 0 or i >= len(items):
            raise IndexError("replace: index out of range")
        return tuple_setitem(items, i, item)

    return replaced


@intrinsic
def _repeat(typing, item, n):
    if not isinstance(n, types.IntegerLiteral):
        return None
    typ = types.UniTuple(types.unliteral(item), max(0, n.literal_value))

    def codegen(context, builder, sig, args):
        value = context.cast(builder, args[0], sig.args[0], typ.dtype)
        return context.make_tuple(builder, typ, [value] * typ.count)

    return typ(item, n), codegen


@overload(primitives.repeat)
def _ol_repeat(item, n):
    return (lambda item, n: _repeat(item, n)) if isinstance(n, types.IntegerLiteral) else None


@intrinsic
def _weighted_sum(typing, terms, weights):
    """Written out term by term: the terms may be of different types."""

    def codegen(context, builder, sig, args):
        numbers = [
            [
                context.cast(builder, item, t, types.float64)
                for t, item in zip(typ, cgutils.unpack_tuple(builder, value, len(typ)), strict=True)
            ]
            for typ, value in zip(sig.args, args, strict=True)
        ]
        products = (
            [builder.fmul(*pair) for pair in zip(numbers[1], numbers[0], strict=True)] if len(weights) else numbers[0]
        )
        return reduce(builder.fadd, products) if products else ir.Constant(ir.DoubleType(), 0.0)

    return types.float64(terms, weights), codegen


@intrinsic
def _as_floats(typing, terms):
    """A tuple of numbers of any types as one of floats."""

    def codegen(context, builder, sig, args):
        items = cgutils.unpack_tuple(builder, args[0], len(terms))
        floats = [context.cast(builder, item, t, types.float64) for t, item in zip(terms, items, strict=True)]
        return context.make_tuple(builder, sig.return_type, floats)

    return types.UniTuple(types.float64, len(terms))(terms), codegen


@overload(primitives.weighted_sum)
def _ol_weighted_sum(terms, weights):
    if isinstance(weights, MemoryType) and isinstance(terms, types.BaseTuple) and len(terms) > 0:
        if not all(isinstance(t, types.Integer | types.Boolean | types.Float) for t in terms):
            return None
        return _sum_by_memory
    are_tuples = isinstance(terms, types.BaseTuple) and isinstance(weights, types.BaseTuple)
    if not are_tuples or len(weights) not in (0, len(terms)):
        return None
    if not all(isinstance(t, types.Integer | types.Boolean | types.Float) for t in (*terms, *weights)):
        return None
    return lambda terms, weights: _weighted_sum(terms, weights)


def _sum_by_memory(terms, weights):
    """Weights that may change: they are read when they are used."""
    numbers = _as_floats(terms)
    if len(weights) != len(numbers):
        raise ValueError("there is another number of terms than of weights")
    total = float(weights[0]) * numbers[0]
    for i in range(1, len(numbers)):
        total = total + float(weights[i]) * numbers[i]
    return total


def _fits(item, dtype):
    """Whether a tuple of `dtype` takes such an item without losing anything of it."""
    if isinstance(dtype, types.Integer):
        return isinstance(item, types.Integer | types.Boolean)
    if isinstance(dtype, types.Float):
        return isinstance(item, types.Integer | types.Boolean | types.Float)
    return item == dtype


# ---- tables: constant data beside the code


class TableType(types.Type):
    """The type of one table: its content is part of the type, so that a value of it takes no room."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.digest = hashlib.blake2b(repr(table).encode(), digest_size=16).hexdigest()
        super().__init__(name=f"Table({len(table)}, {self.digest})")

    @property
    def dtype(self) -> types.Type:
        first = self.table[0]
        if isinstance(first, Bits):
            return BitsType(first.width)
        return types.intp if isinstance(first, int) else types.float64

    def __reduce__(self):
        return TableType, (self.table,)


_types: dict[int, tuple[Table, TableType]] = {}  # by identity, because to hash the content takes a while


@typeof_impl.register(Table)
def _typeof_table(table: Table, context) -> TableType:
    if id(table) not in _types:
        _types[id(table)] = table, TableType(table)
    return _types[id(table)][1]


@register_model(TableType)
class _TableModel(models.OpaqueModel):
    pass


@lower_constant(TableType)
def _constant(context, builder, typ: TableType, value: Table):
    return context.get_dummy_value()


@intrinsic
def _item(typing, table, i):
    """The item, from an array of constants that is in the program once, however many functions use it."""

    def codegen(context, builder, sig, args):
        module, item = builder.module, context.get_data_type(table.dtype)
        name = f"counterplay.table.{table.digest}"
        data = module.globals.get(name)
        if data is None:
            numbers = [float(x) if isinstance(x, float) else int(x) for x in table.table]
            kind = ir.ArrayType(item, len(numbers))
            data = ir.GlobalVariable(module, kind, name)
            data.initializer = ir.Constant(kind, numbers)
            data.global_constant, data.unnamed_addr, data.linkage = True, True, "linkonce_odr"
        at = context.cast(builder, args[1], sig.args[1], types.intp)
        return builder.load(builder.gep(data, [ir.Constant(_I64, 0), at], inbounds=True))

    return table.dtype(table, i), codegen


@overload(operator.getitem)
def _getitem(table, i):
    if not isinstance(table, TableType) or not isinstance(i, types.Integer):
        return None
    length = len(table.table)
    if not config.BOUNDSCHECK:
        return lambda table, i: _item(table, i)

    def checked(table, i):
        if i < 0 or i >= length:
            raise IndexError("an index is outside its Table")
        return _item(table, i)

    return checked


@overload(len)
def _len(table):
    if not isinstance(table, TableType):
        return None
    length = len(table.table)
    return lambda table: length


# ---- memory by its address


def _pointer(context, builder, sig, args, kind=_I64):
    base, i = (context.cast(builder, args[k], sig.args[k], types.intp) for k in (0, 1))
    return builder.gep(builder.inttoptr(base, kind.as_pointer()), [i])


@intrinsic
def _load(typing, address, i):
    def codegen(context, builder, sig, args):
        return builder.load(_pointer(context, builder, sig, args))

    return types.int64(address, i), codegen


@intrinsic
def _store(typing, address, i, value):
    def codegen(context, builder, sig, args):
        word = context.cast(builder, args[2], sig.args[2], types.int64)
        builder.store(word, _pointer(context, builder, sig, args))
        return context.get_dummy_value()

    return types.void(address, i, value), codegen


@intrinsic
def _load_short(typing, address, i):
    def codegen(context, builder, sig, args):
        return builder.sext(builder.load(_pointer(context, builder, sig, args, _I16)), _I64)

    return types.int64(address, i), codegen


@intrinsic
def _store_short(typing, address, i, value):
    def codegen(context, builder, sig, args):
        word = context.cast(builder, args[2], sig.args[2], types.int16)
        builder.store(word, _pointer(context, builder, sig, args, _I16))
        return context.get_dummy_value()

    return types.void(address, i, value), codegen


@intrinsic
def _prefetch(typing, address, i):
    def codegen(context, builder, sig, args):
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        place = builder.bitcast(_pointer(context, builder, sig, args), byte)
        builder.call(fetch, [place, number(0), number(3), number(1)])  # to read, often, data
        return context.get_dummy_value()

    return types.void(address, i), codegen


@intrinsic
def _compare_swap(typing, address, i, old, new):
    def codegen(context, builder, sig, args):
        old, new = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (2, 3))
        found = builder.cmpxchg(_pointer(context, builder, sig, args), old, new, "seq_cst", "seq_cst")
        return builder.extract_value(found, 1)

    return types.boolean(address, i, old, new), codegen


def _state_at(context, builder, typ, sig, args):
    """Where a state is, as the machine has it in registers."""
    address = context.cast(builder, args[0], sig.args[0], types.intp)
    return builder.inttoptr(address, context.get_value_type(typ).as_pointer())


@intrinsic
def _keep_state(typing, address, s, like):
    def codegen(context, builder, sig, args):
        value = context.cast(builder, args[1], s, like)
        builder.store(value, _state_at(context, builder, like, sig, args)).align = 8
        return context.get_dummy_value()

    return types.void(address, s, like), codegen


@intrinsic
def _kept_state(typing, address, like):
    def codegen(context, builder, sig, args):
        found = builder.load(_state_at(context, builder, like, sig, args))
        found.align = 8
        return found

    return like(address, like), codegen


@overload(primitives.keep_state)
def _ol_keep_state(address, s, like):
    return (lambda address, s, like: _keep_state(address, s, like)) if _has_words(like) else None


@overload(primitives.kept_state)
def _ol_kept_state(address, like):
    return (lambda address, like: _kept_state(address, like)) if _has_words(like) else None


@intrinsic
def _as_bits(typing, x):
    def codegen(context, builder, sig, args):
        return builder.bitcast(context.cast(builder, args[0], sig.args[0], types.float64), _I64)

    return types.int64(x), codegen


@intrinsic
def _as_float(typing, bits):
    def codegen(context, builder, sig, args):
        return builder.bitcast(context.cast(builder, args[0], sig.args[0], types.int64), ir.DoubleType())

    return types.float64(bits), codegen


@overload(primitives.load)
def _ol_load(address, i):
    return lambda address, i: _load(address, i)


@overload(primitives.prefetch)
def _ol_prefetch(address, i):
    return lambda address, i: _prefetch(address, i)


@overload(primitives.store)
def _ol_store(address, i, value):
    return lambda address, i, value: _store(address, i, value)


@overload(primitives.load_short)
def _ol_load_short(address, i):
    return lambda address, i: _load_short(address, i)


@overload(primitives.store_short)
def _ol_store_short(address, i, value):
    return lambda address, i, value: _store_short(address, i, value)


@overload(primitives.compare_swap)
def _ol_compare_swap(address, i, old, new):
    return lambda address, i, old, new: _compare_swap(address, i, old, new)


@overload(primitives.as_bits)
def _ol_as_bits(x):
    return (lambda x: _as_bits(x)) if isinstance(x, types.Float | types.Integer) else None


@overload(primitives.as_float)
def _ol_as_float(bits):
    return (lambda bits: _as_float(bits)) if isinstance(bits, types.Integer) else None
