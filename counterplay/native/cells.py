"""`Cells` for the compiler: its numbers side by side in one integer of whole words, each less the least.

A number takes 1, 2, 4, 8, 16 or 32 bits, so that none lies across two words. Few words are looked for by comparing
the index, many are put on the stack.
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
    overload,
    overload_attribute,
    overload_method,
    register_model,
    typeof_impl,
    unbox,
)

from counterplay.core.cells import Cells
from counterplay.native.seams import (
    AbstractTemplate,
    RefType,
    cgutils,
    impl_ret_untracked,
    infer_global,
    iternext_impl,
    lower_constant,
    signature,
)
from counterplay.native.words import I64, WordsModel, WordsType, joined, made_by, read_integer, remainder, words_of

FEW_WORDS = 4


class CellsType(WordsType):
    """The type of every `Cells` of one length and range."""

    def __init__(self, length: int, least: int, most: int):
        self.length, self.least, self.most = length, least, most
        self.bits = Cells(most, [least], least).bits
        self.dtype = types.intp
        super().__init__(length * self.bits, f"Cells({length}, {least}..{most})")

    @property
    def key(self) -> tuple[int, int, int]:
        return self.length, self.least, self.most

    @property
    def iterator_type(self) -> PartIteratorType:
        return PartIteratorType(self)

    def __reduce__(self):
        return CellsType, self.key


class PartType(types.IterableType):
    """Some numbers of a `Cells`, one after the other: what `cells[first:end]` is. (Interpreted, it is a tuple.)"""

    def __init__(self, cells: CellsType):
        self.cells = cells
        self.dtype = types.intp
        super().__init__(f"part of {cells.name}")

    @property
    def iterator_type(self) -> PartIteratorType:
        return PartIteratorType(self.cells)

    def __reduce__(self):
        return PartType, (self.cells,)


class PartIteratorType(types.SimpleIteratorType):
    def __init__(self, cells: CellsType):
        self.cells = cells
        super().__init__(f"iter({cells.name})", types.intp)

    def __reduce__(self):
        return PartIteratorType, (self.cells,)


_types: dict[tuple[int, int, int], CellsType] = {}  # asked for every row in every state that goes into compiled code


@typeof_impl.register(Cells)
def _typeof_cells(value: Cells, context) -> CellsType:
    key = len(value), value.least, value.most
    typ = _types.get(key)
    if typ is None:
        typ = _types[key] = CellsType(*key)
    return typ


register_model(CellsType)(WordsModel)


@register_model(PartType)
class _PartModel(models.StructModel):
    def __init__(self, manager, fe_type: PartType):
        members = [("cells", fe_type.cells), ("first", types.intp), ("end", types.intp)]
        super().__init__(manager, fe_type, members)


@register_model(PartIteratorType)
class _PartIteratorModel(models.StructModel):
    def __init__(self, manager, fe_type: PartIteratorType):
        members = [("cells", fe_type.cells), ("next", types.EphemeralPointer(types.intp)), ("end", types.intp)]
        super().__init__(manager, fe_type, members)


@lower_constant(CellsType)
def _constant(context, builder, typ: CellsType, value: Cells):
    return typ.constant(value.packed)


@unbox(CellsType)
def _unbox(typ: CellsType, obj, c):
    value = read_integer(typ, c.pyapi.object_getattr_string(obj, "packed"), c)
    return NativeValue(value, is_error=c.pyapi.c_api_error())


@box(CellsType)
def _box(typ: CellsType, value, c):
    return made_by(Cells.unpacked, typ, (typ.most, typ.least, typ.length), value, c)


# ---- construction: Cells(most, items), with a range known when compiling, of a tuple


@intrinsic(prefer_literal=True)
def _all_least(typing, most, items, least):
    """A row as long as `items`, with its range known: nothing but the least number."""
    if not isinstance(most, types.IntegerLiteral) or not isinstance(least, types.IntegerLiteral):
        return None
    typ = CellsType(len(items), least.literal_value, most.literal_value)
    return typ(most, items, least), lambda context, builder, sig, args: typ.constant(0)


@intrinsic
def _numbers(typing, items):
    """A tuple of integers as one of 64-bit integers, whatever literals and types they were."""
    typ = types.UniTuple(types.intp, len(items))

    def codegen(context, builder, sig, args):
        values = cgutils.unpack_tuple(builder, args[0], len(items))
        pairs = zip(values, sig.args[0], strict=True)
        return context.make_tuple(builder, typ, [context.cast(builder, x, t, types.intp) for x, t in pairs])

    return typ(items), codegen


@overload(Cells, prefer_literal=True)
def _construct(most, items, least=0):
    if not isinstance(items, types.BaseTuple) or not all(isinstance(t, types.Integer | types.Boolean) for t in items):
        return None

    def construct(most, items, least=0):
        cells = _all_least(most, items, least)
        for i, x in enumerate(_numbers(items)):
            cells = cells.replaced(i, x)
        return cells

    return construct if isinstance(most, types.IntegerLiteral) else None


# ---- one number


def _place(builder, typ: CellsType, i):
    """In which word number `i` is, and at which of its bits."""
    in_a_word = 64 // typ.bits
    word = builder.lshr(i, ir.Constant(I64, in_a_word.bit_length() - 1))
    bit = builder.mul(builder.and_(i, ir.Constant(I64, in_a_word - 1)), ir.Constant(I64, typ.bits))
    return word, bit


def _is(builder, word, w: int):
    return builder.icmp_unsigned("==", word, ir.Constant(I64, w))


def _on_stack(builder, typ: CellsType, value, word):
    """The address of a word, and that of all of them, after these were put on the stack."""
    stack = cgutils.alloca_once_value(builder, value)
    words = builder.bitcast(stack, I64.as_pointer())
    return builder.gep(words, [word], inbounds=True), stack


def _number(builder, typ: CellsType, value, i):
    """Number `i`, less the least."""
    word, bit = _place(builder, typ, i)
    if typ.words > FEW_WORDS:
        found = builder.load(_on_stack(builder, typ, value, word)[0])
    else:
        found, *others = words_of(builder, typ, value)
        for w, other in enumerate(others, 1):
            found = builder.select(_is(builder, word, w), other, found)
    return builder.and_(builder.lshr(found, bit), ir.Constant(I64, (1 << typ.bits) - 1))


@intrinsic
def _get(typing, cells, i):
    """Number `i`, which must be one of them."""

    def codegen(context, builder, sig, args):
        i = context.cast(builder, args[1], sig.args[1], types.intp)
        return builder.add(_number(builder, cells, args[0], i), ir.Constant(I64, cells.least))

    return types.intp(cells, i), codegen


@intrinsic
def _put(typing, cells, i, x):
    """The row with `x` as number `i`; both must be in range.

    What is added is the difference: of `cells[i] + 1` the compiler then knows that it is 1, without looking.
    """

    def codegen(context, builder, sig, args):
        value = args[0]
        i, x = (context.cast(builder, args[k], sig.args[k], types.intp) for k in (1, 2))
        old = builder.add(_number(builder, cells, value, i), ir.Constant(I64, cells.least))
        word, bit = _place(builder, cells, i)
        difference = builder.shl(builder.sub(x, old), bit)
        if cells.words > FEW_WORDS:
            place, stack = _on_stack(builder, cells, value, word)
            builder.store(builder.add(builder.load(place), difference), place)
            return builder.load(stack)
        words = words_of(builder, cells, value)
        if cells.words == 1:
            return builder.add(words[0], difference)
        zero = ir.Constant(I64, 0)
        here = [builder.select(_is(builder, word, w), difference, zero) for w in range(cells.words)]
        return joined(builder, cells, [builder.add(*pair) for pair in zip(words, here, strict=True)])

    return cells(cells, i, x), codegen


@overload_method(CellsType, "replaced")
def _replaced(cells, i, x):
    if not isinstance(i, types.Integer) or not isinstance(x, types.Integer | types.Boolean):
        return None
    length, least, most = cells.key

    def replaced(cells, i, x):
        if i < 0 or i >= length:
            raise IndexError("an index is outside its Cells")
        if x < least or x > most:
            raise ValueError("a number is outside the range of its Cells")
        return _put(cells, i, x)

    return replaced


@overload(operator.getitem)
def _getitem(cells, i):
    if isinstance(cells, CellsType) and isinstance(i, types.Integer):
        length = cells.length

        def getitem(cells, i):
            if i < 0 or i >= length:
                raise IndexError("an index is outside its Cells")
            return _get(cells, i)

        return getitem
    if isinstance(cells, CellsType) and isinstance(i, types.SliceType) and not i.has_step:
        length = cells.length

        def part(cells, i):
            if i.start < 0 or i.stop < 0:
                raise IndexError("a part of Cells is [first:end], which count from 0")
            return _part(cells, min(i.start, length), min(i.stop, length))

        return part
    return None


# ---- several of them


@intrinsic
def _part(typing, cells, first, end):
    typ = PartType(cells)

    def codegen(context, builder, sig, args):
        part = context.make_helper(builder, typ)
        part.cells, part.first, part.end = args
        return part._getvalue()

    return typ(cells, types.intp, types.intp), codegen


@lower_builtin("getiter", PartType)
def _getiter_part(context, builder, sig, args):
    part = context.make_helper(builder, sig.args[0], value=args[0])
    iterator = context.make_helper(builder, sig.return_type)
    iterator.cells, iterator.end = part.cells, part.end
    iterator.next = cgutils.alloca_once_value(builder, part.first)
    return impl_ret_untracked(context, builder, sig.return_type, iterator._getvalue())


@lower_builtin("getiter", CellsType)
def _getiter(context, builder, sig, args):
    iterator = context.make_helper(builder, sig.return_type)
    iterator.cells, iterator.end = args[0], ir.Constant(I64, sig.args[0].length)
    iterator.next = cgutils.alloca_once_value(builder, ir.Constant(I64, 0))
    return impl_ret_untracked(context, builder, sig.return_type, iterator._getvalue())


@lower_builtin("iternext", PartIteratorType)
@iternext_impl(RefType.UNTRACKED)
def _iternext(context, builder, sig, args, result):
    typ = sig.args[0].cells
    iterator = context.make_helper(builder, sig.args[0], value=args[0])
    i = builder.load(iterator.next)
    valid = builder.icmp_signed("<", i, iterator.end)
    result.set_valid(valid)
    with builder.if_then(valid):
        result.yield_(builder.add(_number(builder, typ, iterator.cells, i), ir.Constant(I64, typ.least)))
        builder.store(builder.add(i, ir.Constant(I64, 1)), iterator.next)


def _length(context, builder, typ, value):
    if isinstance(typ, CellsType):
        return ir.Constant(I64, typ.length)
    part = context.make_helper(builder, typ, value=value)
    n, zero = builder.sub(part.end, part.first), ir.Constant(I64, 0)
    return builder.select(builder.icmp_signed("<", n, zero), zero, n)


def _by_length(op, returns, emit):
    """What depends on the length alone: `len`, and that what is empty is false."""

    @infer_global(op)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) == 1 and isinstance(args[0], CellsType | PartType):
                return signature(returns, args[0])
            return None

    @lower_builtin(op, CellsType)
    @lower_builtin(op, PartType)
    def lower(context, builder, sig, args):
        return emit(builder, _length(context, builder, sig.args[0], args[0]))


def _is_not_empty(builder, n):
    return builder.icmp_signed("!=", n, ir.Constant(I64, 0))


_by_length(len, types.intp, lambda builder, n: n)
_by_length(bool, types.boolean, _is_not_empty)
_by_length(operator.truth, types.boolean, _is_not_empty)
_by_length(operator.not_, types.boolean, lambda builder, n: builder.not_(_is_not_empty(builder, n)))


@overload(operator.contains)
def _contains(items, x):
    if not isinstance(items, CellsType | PartType) or not isinstance(x, types.Integer | types.Boolean):
        return None

    def contains(items, x):
        found = False
        for each in items:
            found |= each == x
        return found

    return contains


@overload_method(CellsType, "count")
@overload_method(PartType, "count")
def _count(items, x):
    def count(items, x):
        n = 0
        for each in items:
            n += each == x
        return n

    return count if isinstance(x, types.Integer | types.Boolean) else None


@overload(operator.eq)
def _eq(x, y):
    return (lambda x, y: _equal(x, y)) if isinstance(x, CellsType) and x == y else None


@overload(operator.ne)
def _ne(x, y):
    return (lambda x, y: not _equal(x, y)) if isinstance(x, CellsType) and x == y else None


@intrinsic
def _equal(typing, x, y):
    return types.boolean(x, y), lambda context, builder, sig, args: builder.icmp_unsigned("==", *args)


@overload_attribute(CellsType, "least")
def _least(cells):
    least = cells.least
    return lambda cells: least


@overload_attribute(CellsType, "most")
def _most(cells):
    most = cells.most
    return lambda cells: most


@overload_method(CellsType, "__hash__")
def _hash(cells):
    """Python's own, so that rows, and states of them, hash alike in both modes."""
    return lambda cells: hash((len(cells), remainder(cells)))
