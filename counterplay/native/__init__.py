"""`native`: the decorator that makes a function of `(game, state, ...)` run as machine code, or interpreted.

    @native
    def count(game, s): ...

    count(game, s)                  # compiled for this game and its parameters, from the cache if it was before
    count.interpreted(game, s)      # this call as plain Python
    with interpreted(): ...         # every call inside; COUNTERPLAY_INTERPRETED=1: every call of the process
    with observed(count, watcher):  # the same, and the watcher is told of every call and what it returns

Both give the same results. A game that cannot be compiled is interpreted, and the reason is said once.
This folder is the only part of Counterplay that knows Numba; importing it does not import Numba, calling does.
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FunctionType
from typing import Any, ClassVar, Protocol

from counterplay.core.game import Game
from counterplay.core.texts import printable

__all__ = [
    "CannotCompile",
    "NativeFunction",
    "Observer",
    "compiled",
    "interpreted",
    "is_compiling",
    "is_interpreted",
    "native",
    "observed",
]

_mode: ContextVar[str | None] = ContextVar("mode", default=None)
_observers: ContextVar[dict[NativeFunction, Observer]] = ContextVar("observers", default={})  # noqa: B039
_cannot: dict[tuple[Any, ...], set[Any]] = {}  # by game: the functions that must be interpreted


class CannotCompile(Exception):
    """Why a game or function cannot be machine code, in the words of someone who wrote rules."""


class NoCompiler(CannotCompile):
    """Why nothing at all can be machine code here."""


class NativeFunction:
    """A Python function that runs compiled; made by `native`."""

    __wrapped__: Any

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)

    def __call__(self, game: Game, *args: Any) -> Any:
        if is_interpreted(game) or (_mode.get() is None and _cannot and self in _cannot.get(_identity(game), ())):
            return self.interpreted(game, *args)
        try:
            return self.compiled(game, *args)
        except CannotCompile as why:
            if _mode.get() == "compiled":
                raise
            _say_why(game, why)
            _cannot.setdefault(_identity(game), set()).add(self)
            return self.interpreted(game, *args)

    def interpreted(self, game: Game, *args: Any) -> Any:
        """Run as plain Python, and everything it calls too."""
        token = _mode.set("interpreted")
        try:
            observer = _observers.get().get(self)
            if observer is None:
                return self.__wrapped__(game, *args)
            observer.enter(game, *args)
            outcome = self.__wrapped__(game, *args)
            observer.leave(outcome)
            return outcome
        finally:
            _mode.reset(token)

    def compiled(self, game: Game, *args: Any) -> Any:
        """Run as machine code, or raise CannotCompile."""
        call = _compiler()
        if isinstance(call, NoCompiler):
            raise NoCompiler(*call.args)
        return call(self.__wrapped__, game, *args)

    def is_ready(self, game: Game, *args: Any) -> bool:
        """Whether there is machine code for such arguments, in this process or on disk: none need be made."""
        call = _compiler()
        if isinstance(call, NoCompiler):
            return False
        from counterplay.native.compile import is_ready

        return is_ready(self.__wrapped__, game, *args)

    def __repr__(self) -> str:
        return f"<native {self.__wrapped__.__qualname__}>"


@functools.cache
def _compiler() -> Callable[..., Any] | NoCompiler:
    """What calls a function as machine code, or why nothing can; Numba is imported here, and found wanting once."""
    try:
        from counterplay.native import seams  # noqa: F401  (first of all, whether Numba is as we know it)
        from counterplay.native.compile import call
    except NoCompiler as why:
        return why
    return call


def _say_why(game: Game, why: CannotCompile) -> None:
    """Once for each game; once for all if there is no compiler."""
    if isinstance(why, NoCompiler):
        if not _cannot:
            print(f"counterplay: runs interpreted: {why}", file=sys.stderr)
    elif _identity(game) not in _cannot:
        print(printable(f"counterplay: {game} runs interpreted, which is slower: {why}"), file=sys.stderr)


def native(function: Callable[..., Any]) -> NativeFunction:
    """Make a function whose first argument is a game run compiled, specialised to that game."""
    return NativeFunction(function)


def is_interpreted(game: Game) -> bool:
    """Whether native functions run as plain Python for this game, here and now."""
    mode = _mode.get()
    if mode is not None:
        return mode == "interpreted"
    if os.environ.get("COUNTERPLAY_INTERPRETED", "") not in ("", "0"):
        return True
    return not game.compiled


def is_compiling() -> bool:
    """Whether something is being compiled now, in whatever thread."""
    return Announcement.under_way > 0


def _identity(game: Game) -> tuple[type[Game], str]:
    return type(game), str(game)  # as text, because a parameter may be a list


@contextmanager
def interpreted() -> Iterator[None]:
    """Everything inside runs as plain Python."""
    token = _mode.set("interpreted")
    try:
        yield
    finally:
        _mode.reset(token)


@contextmanager
def compiled() -> Iterator[None]:
    """Everything inside runs as machine code, or fails with CannotCompile; never falls back."""
    token = _mode.set("compiled")
    try:
        yield
    finally:
        _mode.reset(token)


class Observer(Protocol):
    """Is told of every call of a function, those that it makes of itself included, and of what each returns."""

    def enter(self, game: Game, *args: Any) -> None: ...

    def leave(self, outcome: Any) -> None: ...


@contextmanager
def observed(function: NativeFunction, observer: Observer) -> Iterator[None]:
    """Inside, everything runs as plain Python and the observer sees the calls: a search is watched as it is."""
    token = _observers.set({**_observers.get(), function: observer})
    try:
        with interpreted():
            yield
    finally:
        _observers.reset(token)


class Announcement:
    """A line on standard error while something is compiled: what, what for, and how long it took."""

    under_way: ClassVar[int] = 0
    """How many things are being compiled now."""

    def __init__(self, function: FunctionType, game: Game) -> None:
        rooms = (function.__module__ or "").split(".")
        what = function.__name__
        if rooms[:2] == ["counterplay", "search"]:  # a kernel's file or folder says what it is for
            what = rooms[-1] if rooms[2] == "plain" else rooms[2]
        self._began = time.perf_counter()
        Announcement.under_way += 1
        self._quiet = os.environ.get("COUNTERPLAY_QUIET", "") not in ("", "0")
        self._write(f"counterplay: compiling {game} for {what} ...")

    def done(self) -> None:
        self._write(f" {time.perf_counter() - self._began:.1f} s\n")
        Announcement.under_way -= 1

    def failed(self, why: str) -> None:
        self._write(f" {why}\n")
        Announcement.under_way -= 1

    def _write(self, text: str) -> None:
        if not self._quiet and sys.stderr is not None:
            sys.stderr.write(printable(text))
            sys.stderr.flush()
