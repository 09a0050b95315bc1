"""Calling a compiled function: the dispatcher, the announcement, and what goes wrong in the user's words."""

from __future__ import annotations

import itertools
import os
import secrets
from types import FunctionType
from typing import Any

import numpy as np
from numba import typeof

import counterplay.native.active_rows
import counterplay.native.bits
import counterplay.native.builtins
import counterplay.native.cells
import counterplay.native.features
import counterplay.native.gates
import counterplay.native.listing
import counterplay.native.primitives
import counterplay.native.vectors  # noqa: F401  (these register what the compiler must know)
from counterplay.core.bits import Bits
from counterplay.core.game import Game
from counterplay.native import CannotCompile
from counterplay.native.cache import DiskCache
from counterplay.native.complaints import explain
from counterplay.native.games import entry, is_compiled
from counterplay.native.inference import answers_kept
from counterplay.native.seams import FunctionIdentity, NumbaError, cpu_target

_caches: dict[FunctionType, DiskCache] = {}
_PLAIN = frozenset({float, bool, type(None), np.int64, np.float64})
_WORD = 1 << 63


def call(function: FunctionType, game: Game, *args: Any) -> Any:
    """Run `function` as machine code for these arguments, compiling it or loading it from disk if need be.

    Numba finds the types of all arguments anew for every call, which for a board of `Bits` takes longer than to search
    some nodes. So a game keeps the machine code of its calls, by what the arguments look like.
    """
    ready = game.__dict__.setdefault("_native_calls", {})
    try:
        look = (function, *map(_look, args))
    except _Unfamiliar:
        return _call_by_types(function, game, *args)
    code = ready.get(look)
    if code is not None:
        try:
            return code(game, *args)
        except Exception as error:
            _say_whose(error, game)
            raise
    outcome = _call_by_types(function, game, *args)
    types = tuple(map(typeof, (game, *args)))
    if types in entry(function).overloads:
        ready[look] = entry(function).overloads[types].entry_point
    return outcome


def is_ready(function: FunctionType, game: Game, *args: Any) -> bool:
    """Whether `function` need not be compiled for such arguments. To find that out takes little of the compiler."""
    try:
        types = tuple(map(typeof, (game, *args)))
    except (NumbaError, ValueError):  # something that has no type cannot be compiled at all
        return False
    return is_compiled(function, types) or _cache_of(function).holds(types, cpu_target.target_context)


class _Unfamiliar(Exception):
    """An argument whose type only Numba can tell."""


def _look(value: Any) -> Any:
    """What decides the type of an argument, the same for all of a type."""
    kind = type(value)
    if kind in _PLAIN:
        return kind
    if kind is int and -_WORD <= value < _WORD:
        return kind
    if kind is Bits:
        return value._width
    if isinstance(value, tuple):
        return (kind, *map(_look, value))
    if kind is np.ndarray:
        return value.dtype, value.ndim, value.flags.num
    if isinstance(value, np.void):
        return value.dtype
    raise _Unfamiliar


def _cache_of(function: FunctionType) -> DiskCache:
    if function not in _caches:
        _caches[function] = DiskCache(function)
    return _caches[function]


def _call_by_types(function: FunctionType, game: Game, *args: Any) -> Any:
    compiled = entry(function)
    compiled._cache = _cache_of(function)
    try:
        with answers_kept():
            return compiled(game, *args)
    except BaseException as error:
        unfinished = DiskCache.abandon(error)
        if isinstance(error, NumbaError) or (unfinished and isinstance(error, Exception)):
            raise CannotCompile(explain(error, game)) from None
        _say_whose(error, game)
        raise  # what a rule raised as it ran


def _say_whose(error: BaseException, game: Game) -> None:
    """Note on what a compiled rule of the user's own raised that it was one: it has no line to tell."""
    module = type(game).__module__
    is_ours = module.startswith("counterplay.games.") and not module.startswith("counterplay.games._files.")
    if isinstance(error, Exception) and not is_ours:
        error.add_note(f"in the compiled rules of {game}; interpreted, the line would be said")


def _unique_symbols() -> None:
    """Begin Numba's count of compiled functions at a random number.

    The count is part of every symbol. Processes that all begin at 1 can give one name to different functions, and a
    later process that loads both from disk would run the wrong one (Numba issue 10486). Our own functions carry
    their fingerprint in the name besides; this covers Numba's.
    """
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(60))


_unique_symbols()
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_unique_symbols)
