"""A game for the compiler: a type of its own. At run time it is a pointer to where its memory is, or to nothing.

Its plain attributes and properties are constants, its methods compiled functions. So `Go(size=9)` and `Go(size=19)`
have different machine code, inheritance works, and a search is specialised to a game by ordinary dispatch. Games that
differ in the content of their memory have one type; each brings the addresses of its own.
"""

from __future__ import annotations

import ctypes
import difflib
import inspect
import secrets
import sys
from functools import partial
from types import FunctionType
from typing import Any

from numba import njit, types
from numba.extending import NativeValue, lower_builtin, models, register_model, typeof_impl, unbox
from numba.types import unliteral

from counterplay.core import features, primitives, vectors
from counterplay.core.extension import made_of
from counterplay.core.game import Game
from counterplay.core.memory import Memory, NoContent
from counterplay.native import NativeFunction, main_script, source
from counterplay.native.linked import EntryCompiler, LinkedCompiler, RecursiveCompiler
from counterplay.native.memory import MemoryType, base_address
from counterplay.native.passes import WithFacts
from counterplay.native.seams import (
    AbstractTemplate,
    AttributeTemplate,
    TypingError,
    infer_getattr,
    lower_constant,
    lower_getattr_generic,
    signature,
)

_PRIMITIVES = {getattr(module, name) for module in (primitives, features, vectors) for name in module.__all__}


class GameType(WithFacts, types.Type):
    """The type of one game with its parameters. Its name carries the fingerprint of the rules."""

    def __init__(self, name: str, game: Game | None, importable: bool = False) -> None:
        self.game = game if game is None else _without_content(game)
        self.memories = [] if game is None else list(game.memories)  # the names, in the order of the addresses
        self.importable = importable  # whether code compiled for it can be used by another process
        self.constants: dict[str, str] = {}  # the fingerprints of the attributes that compiled code holds
        super().__init__(name=name)

    @property
    def module(self) -> str:
        return type(self.game).__module__

    @property
    def key(self) -> tuple[str, type]:
        return self.name, type(self.game)  # a class defined once more, in a notebook, has states of its own

    def fact(self, path: tuple[str, ...]) -> bool | None:
        value: Any = self.game
        for name in path:
            value = getattr(value, name, None)
        if type(value) is not bool:
            return None
        self.constants[path[0]] = mark_of(getattr(self.game, path[0]))
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return _type_named, (self.name,)  # from disk only the name is needed: the code is there already


def _without_content(game: Game) -> Game:
    """The game as the compiler may see it: what is in its memory is no part of the type, nor kept alive by it."""
    if not game.memories:
        return game
    twin = object.__new__(type(game))
    twin.__dict__.update(made_of(game) | {name: NoContent(each.kind) for name, each in game.memories.items()})
    return twin


_named: dict[str, GameType] = {}


def _type_named(name: str) -> GameType:
    """What a name on disk means in this process: the first game of that content."""
    return _named.get(name) or GameType(name, None)


@register_model(GameType)
class _GameModel(models.OpaqueModel):
    pass


@typeof_impl.register(Game)
def typeof_game(game: Game, context: Any = None) -> GameType:
    typ: GameType | None = game.__dict__.get("_native_type")
    if typ is None:
        try:
            mark, importable = source.fingerprint(game), _can_be_found_again(game.initial())
        except source.CannotFingerprint:
            mark, importable = secrets.token_hex(16), False
        name = f"{game}#{mark}"
        first = _named.get(name)
        typ = GameType(name, game, importable and (first is None or type(first.game) is type(game)))
        _named.setdefault(name, typ)
        if typ.memories:
            game.__dict__.setdefault("_native_addresses", _Addresses(game))  # another thread's may be in use already
        game.__dict__["_native_type"] = typ
    return typ


class _Addresses:
    """Where the memory of one game is: a row of pointers, and where that row is itself. The game keeps it alive."""

    def __init__(self, game: Game) -> None:
        self.memories = tuple(game.memories.values())
        self.row = (ctypes.c_int64 * len(self.memories))(*(each.address for each in self.memories))
        self.place = ctypes.addressof(self.row)


def mark_of(value: Any) -> str:
    """The fingerprint of a value, or a name that will never come again."""
    try:
        return source.fingerprint(value)
    except source.CannotFingerprint:
        return secrets.token_hex(16)


def constants_hold(game: Game, constants: dict[str, str]) -> bool:
    """Whether code that was compiled with these constants is right for the game, as it is now."""
    return all(hasattr(game, attr) and mark_of(getattr(game, attr)) == mark for attr, mark in constants.items())


def _can_be_found_again(state: Any) -> bool:
    """Whether a process that loads compiled code from disk can find the classes in a state by module and name."""
    if isinstance(state, tuple) and not all(map(_can_be_found_again, state)):
        return False
    cls = type(state)
    if cls.__module__ == "__main__":
        cls.__module__ = main_script.__name__
    found: Any = sys.modules.get(cls.__module__)
    for name in cls.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is cls


@unbox(GameType)
def _unbox(typ: GameType, obj: Any, c: Any) -> NativeValue:
    if not typ.memories:
        return NativeValue(c.context.get_dummy_value())
    addresses = c.pyapi.object_getattr_string(obj, "_native_addresses")
    place = c.pyapi.object_getattr_string(addresses, "place")
    pointer = c.builder.inttoptr(c.pyapi.long_as_longlong(place), c.context.get_value_type(typ))
    c.pyapi.decref(place)
    c.pyapi.decref(addresses)
    return NativeValue(pointer, is_error=c.pyapi.c_api_error())


@lower_constant(GameType)
def _constant(context: Any, builder: Any, typ: GameType, value: Any) -> Any:
    if typ.memories:
        raise TypingError("a Memory can be reached only through a game that is an argument of the compiled function")
    return context.get_dummy_value()


# ---- from Python functions to compiled ones

_entries: dict[FunctionType, Any] = {}
_linked: dict[FunctionType, Any] = {}


def entry(function: FunctionType) -> Any:
    """The compiled form of a search, to be called from Python."""
    if function not in _entries:
        _make(function, _entries, nogil=True, pipeline_class=EntryCompiler)
    return _entries[function]


def is_compiled(function: FunctionType, types: tuple[Any, ...]) -> bool:
    """Whether there is machine code of a search in this process, for arguments of these types."""
    return function in _entries and types in _entries[function].overloads


def linked(function: FunctionType, forceinline: bool) -> Any:
    """The compiled form of a rule or a helper, to be called from compiled code only."""
    if function not in _linked:
        compiler = RecursiveCompiler if source.calls_itself(function) else LinkedCompiler
        _make(function, _linked, forceinline=forceinline, pipeline_class=compiler)
        _linked[function].get_call_template = partial(_template_for_any_number, _linked[function].get_call_template)
    return _linked[function]


def _template_for_any_number(get_template: Any, args: Any, kws: Any) -> Any:
    """How Numba calls the function. A number that is written in the call is like any other, where that will do.

    Numba would compile the function for that very number, and once more for each other one.
    """
    try:
        return get_template(tuple(map(unliteral, args)), {name: unliteral(value) for name, value in kws.items()})
    except TypingError:
        return get_template(args, kws)


def _make(function: FunctionType, known: dict[FunctionType, Any], **options: Any) -> None:
    copy = source.compilable_copy(function, mark_of(function)[:12])
    known[function] = njit(**options)(copy)

    def convert(value: Any) -> Any:
        is_itself = value is function or source.underlying_function(value) is function
        return known[function] if is_itself else compilable(value)

    source.fill(copy, function, convert)


def compilable(value: Any) -> Any:
    """A plain function as a compiled one, so that rules may call it; anything else as it is."""
    if isinstance(value, NativeFunction):
        return linked(value.__wrapped__, forceinline=False)
    if isinstance(value, FunctionType) and value not in _PRIMITIVES and not source.is_known_to_compiler(value):
        return linked(value, forceinline=True)
    return value


# ---- attributes and methods of a game


@infer_getattr
class _GameAttributes(AttributeTemplate):
    key = GameType

    def generic_resolve(self, typ: GameType, attr: str) -> Any:
        member = inspect.getattr_static(type(typ.game), attr, None)
        if isinstance(member, FunctionType):
            return types.BoundFunction(_method_template(typ, attr, member), typ)
        if isinstance(member, staticmethod):
            return self.context.resolve_value_type(compilable(member.__func__))
        if not hasattr(typ.game, attr):
            names = [name for name in dir(typ.game) if not name.startswith("_")]
            close = difflib.get_close_matches(attr, names, n=1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            raise TypingError(f"{type(typ.game).__name__} has no '{attr}'{hint}")
        value = getattr(typ.game, attr)
        if isinstance(value, Memory):
            if attr not in typ.memories:
                raise TypingError(f"a Memory made by a property cannot be compiled: give it by extended({attr}=...)")
            return MemoryType(value.kind)
        typ.constants[attr] = mark_of(value)
        if type(value) is int:
            return types.literal(value)
        what = f"{type(typ.game).__name__}.{attr} is a {type(value).__name__}"
        if isinstance(value, list | set):
            raise TypingError(f"{what}, which could change while compiled rules could not: make it a tuple")
        try:
            return self.context.resolve_value_type(value)
        except ValueError:
            raise TypingError(f"{what}, which compiled rules cannot use") from None


@lower_getattr_generic(GameType)
def _lower_attribute(context: Any, builder: Any, typ: GameType, value: Any, attr: str) -> Any:
    member = getattr(typ.game, attr)
    if isinstance(member, Memory):
        return base_address(context, builder, MemoryType(member.kind), value, typ.memories.index(attr))
    if callable(member):
        return value
    if type(member) is int:
        return context.get_constant(types.intp, member)
    return context.get_constant_generic(builder, context.typing_context.resolve_value_type(member), member)


_templates: dict[tuple[GameType, str], Any] = {}


def _method_template(typ: GameType, attr: str, function: FunctionType) -> Any:
    if (typ, attr) not in _templates:
        rule = linked(function, forceinline=True)

        class Method(AbstractTemplate):
            key = (typ.name, attr)

            def generic(self, args: Any, kws: Any) -> Any:
                if rule.is_compiling:
                    raise TypingError(f"{attr} calls itself; write it as a loop, or as a function outside the class")
                template, pysig, args, kws = rule.get_call_template((typ, *args), kws)
                sig = template(self.context).apply(args, kws)
                if sig is None:
                    return None
                without_self = pysig.replace(parameters=list(pysig.parameters.values())[1:])
                return signature(sig.return_type, *sig.args[1:], recvr=typ).replace(pysig=without_self)

        @lower_builtin(Method.key, typ, types.VarArg(types.Any))
        def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            function_type = context.typing_context.resolve_value_type(rule)
            full = function_type.get_call_type(context.typing_context, sig.args, {})
            return context.get_function(function_type, full)(builder, args)

        _templates[typ, attr] = Method
    return _templates[typ, attr]
