"""What a function's machine code depends on: its fingerprint, and a copy of it that a compiler can take.

Both come from the same walk over the names a function uses. The fingerprint covers the byte code of everything
reachable (rules, helpers of other files, constants, searches), so that an edit anywhere gives another fingerprint;
it is part of every cache key and of every compiled symbol. The copy has plain helper functions replaced by compiled
ones, so that rules may call helpers without decorating them.
"""

from __future__ import annotations

import dis
import enum
import functools
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Set
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from counterplay.core.bits import Bits
from counterplay.core.cells import Cells
from counterplay.core.game import FOR_PEOPLE, Game
from counterplay.core.gates import Gates
from counterplay.core.memory import Memory, freeze
from counterplay.core.primitives import Table

__all__ = ["CannotFingerprint", "compilable_copy", "fill", "fingerprint", "is_known_to_compiler"]

_CLASS_NOISE = {
    *("__module__", "__doc__", "__dict__", "__weakref__", "__qualname__", "__annotations__", "parameters"),
    *("__annotate__", "__annotate_func__", "__annotations_cache__", "__firstlineno__", "__static_attributes__"),
}
# Packages that the compiler knows itself: a name and the version (in the cache's key) say it all.
_KNOWN_PACKAGES = {"numpy", "numba", "llvmlite", *sys.stdlib_module_names}

_LOAD_GLOBAL, _LOAD_NAME, _EXTENDED_ARG = (dis.opmap[name] for name in ("LOAD_GLOBAL", "LOAD_NAME", "EXTENDED_ARG"))


class CannotFingerprint(Exception):
    """Something reachable has no stable content, so machine code that uses it must not outlive the process."""


def fingerprint(*things: Any) -> str:
    """A hash of the content of `things` and of everything they use. Arrays among them become read-only."""
    return _digest(_Walk().tokens(things))


def _digest(tokens: Iterator[str | bytes]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for token in tokens:
        digest.update(token.encode() if isinstance(token, str) else token)
        digest.update(b"\0")
    return digest.hexdigest()


def is_known_to_compiler(thing: Any) -> bool:
    """Whether a module, or what a module defines, belongs to a package the compiler handles itself."""
    name = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", None) or ""
    return name.partition(".")[0] in _KNOWN_PACKAGES


@functools.cache
def globals_used(code: CodeType) -> frozenset[str]:
    """The global names in a code object and those nested in it; `self.weights` uses no global `weights`."""
    own, arg = set(), 0
    for op, byte in zip(code.co_code[::2], code.co_code[1::2], strict=True):  # `dis` itself takes ten times as long
        arg = arg << 8 | byte
        if op == _LOAD_GLOBAL:
            own.add(code.co_names[arg >> 1])
        elif op == _LOAD_NAME:
            own.add(code.co_names[arg])
        if op != _EXTENDED_ARG:
            arg = 0
    return frozenset(own.union(*(globals_used(const) for const in code.co_consts if isinstance(const, CodeType))))


def calls_itself(function: FunctionType) -> bool:
    """Whether the function uses its own name."""
    name = function.__name__
    return name in globals_used(function.__code__) and function.__globals__.get(name) is function


def names_used(code: CodeType) -> Iterator[str]:
    """Global and attribute names in a code object and those nested in it."""
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from names_used(const)


class _Walk:
    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._tuples: dict[int, str] = {}
        self._alive: list[Any] = []  # keeps ids unique for the length of the walk

    def tokens(self, value: Any) -> Iterator[str | bytes]:
        if value is None or isinstance(value, bool | int | float | complex | str | bytes) or value is Ellipsis:
            yield f"{type(value).__name__} {value!r}"
        elif isinstance(value, Bits | Cells):
            yield repr(value)
        elif isinstance(value, Table):
            yield from ("table", self._tuple(tuple(value)))
        elif isinstance(value, Gates):
            yield f"gates {value.digest}"
        elif isinstance(value, Memory):
            yield f"memory {value.kind!r}"
        elif isinstance(value, np.ndarray):
            freeze(value)  # machine code will hold it as it is now
            yield f"array {value.dtype.descr} {value.shape}"
            yield np.ascontiguousarray(value).tobytes()
        elif isinstance(value, np.generic | np.dtype):
            yield f"numpy {value!r}"
        elif isinstance(value, enum.Enum):
            yield f"enum {value!r}"
        elif isinstance(value, range | slice):
            yield repr(value)
        elif isinstance(value, tuple):
            yield self._tuple(value)
        else:
            yield from self._compound(value)

    def _tuple(self, value: tuple[Any, ...]) -> str:
        """The same for equal tuples, whether or not they are one object."""
        if id(value) not in self._tuples:
            self._alive.append(value)
            self._tuples[id(value)] = "a tuple inside itself"
            self._tuples[id(value)] = _digest(self._items(value))
        return self._tuples[id(value)]

    def _items(self, value: Any) -> Iterator[str | bytes]:
        yield f"{type(value).__name__} {len(value)}"
        for item in value:
            yield from self.tokens(item)

    def _compound(self, value: Any) -> Iterator[str | bytes]:
        if id(value) in self._seen:
            yield f"again {self._seen[id(value)]}"
            return
        self._seen[id(value)] = len(self._seen)
        self._alive.append(value)
        if isinstance(value, list):
            yield from self._items(value)
        elif isinstance(value, dict):
            yield from self._items(value.items())
        elif isinstance(value, set | frozenset):  # in an order that no hash decides
            yield from (type(value).__name__, *sorted(_digest(self.tokens(item)) for item in value))
        elif isinstance(value, CodeType):
            yield from self._code(value)
        elif isinstance(value, FunctionType):
            yield from self._function(value)
        elif isinstance(value, property):
            yield from self.tokens(value.fget)
        elif isinstance(value, functools.cached_property):
            yield from self.tokens(value.func)
        elif isinstance(value, staticmethod | classmethod):
            yield from self.tokens(value.__func__)
        elif isinstance(value, MethodType):
            yield from self.tokens((value.__func__, value.__self__))
        elif isinstance(value, ModuleType):
            yield f"module {value.__name__}"
        elif isinstance(value, Game):
            yield "game"
            yield from self.tokens((type(value), value.settings, value.extension, value.memories))
        elif isinstance(value, type):
            yield from self._class(value)
        elif isinstance(function := underlying_function(value), FunctionType):
            yield "native"
            yield from self.tokens(function)
        elif isinstance(value, BuiltinFunctionType) and isinstance(value.__self__, ModuleType | None):
            yield f"builtin {value.__module__}.{value.__qualname__}"
        elif is_known_to_compiler(type(value)) and " at 0x" not in repr(value):
            yield f"known {value!r}"
        else:
            raise CannotFingerprint(f"a value of type {type(value).__name__}")

    def _code(self, code: CodeType) -> Iterator[str | bytes]:
        yield code.co_code
        yield f"{code.co_names} {code.co_varnames} {code.co_freevars} {code.co_cellvars}"
        yield f"{code.co_argcount} {code.co_kwonlyargcount} {code.co_flags}"
        yield from self.tokens(code.co_consts)
        yield code.co_exceptiontable

    def _function(self, function: FunctionType) -> Iterator[str | bytes]:
        if is_known_to_compiler(function):
            yield f"known {function.__module__}.{function.__qualname__}"
            return
        yield f"function {function.__name__} {function.__annotations__.get('return') in (float, 'float')}"
        yield from self.tokens(function.__code__)
        yield from self.tokens((function.__defaults__, function.__kwdefaults__))
        for cell in function.__closure__ or ():
            yield from self.tokens(_cell_contents(cell))
        yield from self._named(globals_used(function.__code__), function.__globals__, function.__code__, [])

    def _named(
        self, names: Iterable[str], scope: dict[str, Any], code: CodeType, outer: list[ModuleType]
    ) -> Iterator[str | bytes]:
        """What the names mean in a function's globals, and in the modules that are reached from there."""
        for name in sorted(names):
            if name in scope:
                value = scope[name]
                yield f"name {name}"
                yield from self.tokens(value)
                if isinstance(value, ModuleType) and not is_known_to_compiler(value) and value not in outer:
                    yield from self._named(set(names_used(code)), vars(value), code, [*outer, value])

    def _class(self, cls: type) -> Iterator[str | bytes]:
        yield f"class {cls.__qualname__}"
        if cls is Game or not (issubclass(cls, Game) or not is_known_to_compiler(cls)):
            return
        ignorable = FOR_PEOPLE - _names_used_by_rules(cls) if issubclass(cls, Game) else set()
        for base in cls.__mro__[:-1]:
            if is_known_to_compiler(base) or base is tuple:
                yield f"base {base.__qualname__}"
                continue
            for name, value in sorted(vars(base).items()):
                ignored = name in _CLASS_NOISE or name in ignorable
                if not ignored and not (name.startswith("__") and base is Game):
                    yield f"member {name}"
                    yield from self._member(value)

    def _member(self, value: Any) -> Iterator[str | bytes]:
        try:
            yield from self.tokens(value)
        except CannotFingerprint:
            # Class machinery (descriptors of slots and the like) that rules cannot compile anyway.
            yield f"opaque {type(value).__qualname__}"


def _names_used_by_rules(cls: type) -> set[str]:
    """The names in all methods of a game class, except those that are for people only."""
    methods = {name: value for base in cls.__mro__ if base is not Game for name, value in vars(base).items()}
    rules = [value for name, value in methods.items() if name not in FOR_PEOPLE and isinstance(value, FunctionType)]
    return {name for rule in rules for name in names_used(rule.__code__)}


def underlying_function(value: Any) -> Any:
    """The Python function inside a native function or another compiled one, if `value` is such a wrapper."""
    return getattr(value, "__wrapped__", None) or getattr(value, "py_func", None)


def _cell_contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # still empty: a class that refers to itself, as `super()` does
        return None


def compilable_copy(function: FunctionType, suffix: str) -> FunctionType:
    """`function` with a name that carries its content and with no globals yet: `fill` gives it those."""
    cells = tuple(CellType() for _ in function.__closure__ or ())
    scope = {"__builtins__": function.__globals__.get("__builtins__", __builtins__)}
    copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells or None)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__annotations__ = {
        name: function.__annotations__[name] for name in ("return",) if name in function.__annotations__
    }
    copy.__module__ = function.__module__
    copy.__qualname__ = f"{function.__qualname__}_{suffix}"
    return copy


def fill(copy: FunctionType, function: FunctionType, convert: Callable[[Any], Any]) -> None:
    """Give the copy what the original uses, each value passed through `convert`."""
    for new, old in zip(copy.__closure__ or (), function.__closure__ or (), strict=True):
        new.cell_contents = convert(_cell_contents(old))
    names = globals_used(function.__code__)
    _fill_scope(copy.__globals__, function.__globals__, names, set(names_used(function.__code__)), convert, {})


def _fill_scope(
    copy: dict[str, Any],
    scope: dict[str, Any],
    names: Set[str],
    attributes: Set[str],
    convert: Callable[[Any], Any],
    modules: dict[ModuleType, ModuleType],
) -> None:
    """Copy the names, converted; of a user's module those that a function may reach as `module.attribute`."""
    for name in names & scope.keys():
        value = scope[name]
        if isinstance(value, ModuleType) and not is_known_to_compiler(value):
            if value not in modules:
                modules[value] = ModuleType(value.__name__)
                _fill_scope(vars(modules[value]), vars(value), attributes, attributes, convert, modules)
            copy[name] = modules[value]
        else:
            copy[name] = convert(value)
