"""Watching a search: somebody is told of every state that its kernel looks at, and of what it finds."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import Any, Protocol

from counterplay.native import NativeFunction, observed

__all__ = ["Watcher", "watched"]


class Watcher(Protocol):
    """Is told of every call of a kernel, in order."""

    def enter(self, s: Any, depth: int, alpha: float, beta: float) -> None:
        """The kernel looks at `s`, so many plies ahead, within this window."""
        ...

    def leave(self, v: float) -> None:
        """It has found the value of the state that it entered last and has not left."""
        ...


class _ByName:
    """An observer of a kernel, whatever the order of its arguments."""

    def __init__(self, kernel: NativeFunction, watcher: Watcher) -> None:
        self._names = list(inspect.signature(kernel).parameters)
        self._watcher = watcher

    def enter(self, *args: Any) -> None:
        given = dict(zip(self._names, args, strict=True))
        self._watcher.enter(given["s"], given["depth"], given.get("alpha", -inf), given.get("beta", inf))

    def leave(self, v: Any) -> None:
        self._watcher.leave(float(v))


@contextmanager
def watched(kernel: NativeFunction, watcher: Watcher) -> Iterator[None]:
    """Inside, everything runs as plain Python, and the watcher is told of every call of the kernel."""
    with observed(kernel, _ByName(kernel, watcher)):
        yield
