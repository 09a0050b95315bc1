"""Ctrl-C during many short searches.

A search that hears ctrl-C ends with what it knows. If it had come to its end anyway, nothing tells that there was a
ctrl-C, and whoever lets one search follow another would go on.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

__all__ = ["CtrlC"]


class CtrlC:
    """For the length of a `with`, ctrl-C is what it always is, and remembered."""

    def __init__(self) -> None:
        self._came = False
        self._before: Any = None

    def raise_again(self) -> None:
        """Raise KeyboardInterrupt if there was a ctrl-C that somebody else has taken."""
        if self._came:
            raise KeyboardInterrupt

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self._came = True
        self._before(number, frame)

    def __enter__(self) -> CtrlC:
        before = signal.getsignal(signal.SIGINT)
        if callable(before) and threading.current_thread() is threading.main_thread():
            self._before = before
            signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
