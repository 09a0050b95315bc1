"""Ctrl-C while compiling: the program ends within about a second, though the compiler hears nothing of it.

Python acts on a signal when the main thread is back in Python, and one call of LLVM may take seconds. But the system's
own handler writes a byte to a file at once (`signal.set_wakeup_fd`), and another thread can read it there.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from counterplay import native

__all__ = ["heard_while_compiling"]

_PATIENCE_SECONDS = 0.8
_POLL_SECONDS = 0.05


@contextmanager
def heard_while_compiling() -> Iterator[None]:
    """Inside, ctrl-C ends the process if the compiler does not let go of it; otherwise it is what it always is."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    before = signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(ours,), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(theirs)  # ends the thread


def _listen(ours: int) -> None:
    while signals := os.read(ours, 64):
        if signal.SIGINT in signals and _goes_on_compiling():
            sys.stderr.write(" interrupted\ncounterplay: interrupted while compiling\n")
            sys.stderr.flush()
            os._exit(130)
    os.close(ours)


def _goes_on_compiling() -> bool:
    """Whether the compiler, if it is at work, has not let go in time."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while native.is_compiling():
        if time.monotonic() > until:
            return True
        time.sleep(_POLL_SECONDS)
    return False
