"""Another program as a child of ours: lines go to it and come from it, and nothing of it is left when we are done.

It has a process group of its own: ctrl-C at the terminal is ours alone, and what it starts ends with it. A thread reads
what it says, so that nobody waits for it longer than he wants to. The group is killed when the child is closed, when
nobody holds it any more, and at the latest when the interpreter ends. If we are killed ourselves, its input ends.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import time
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Thread
from typing import IO

__all__ = ["Child", "Lost"]

_MOST_LINES = 10_000
"""That wait for us; a program that says more has to wait itself."""
_LONGEST_LINE = 1 << 16
_LAST_WORDS = 3
"""Lines of its errors that a report may show."""
_LAST_MOMENT = 1.0


class Lost(Exception):
    """A program that has ended, or does not answer; the message says which, as in `ended with status 1`."""


class Child:
    """A program that runs."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=None if environment is None else {**os.environ, **environment},
                start_new_session=True,
            )
        except OSError as error:
            raise Lost(f"cannot be started: {error.strerror}") from None
        assert self._process.stdin is not None  # it is a pipe
        self._input = self._process.stdin
        self._lines: queue.Queue[str | None] = queue.Queue(_MOST_LINES)
        self._errors: deque[str] = deque(maxlen=_LAST_WORDS)
        # The threads hold no reference to the child, so that it ends when nobody else does.
        Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True).start()
        self._listener = Thread(target=_listen, args=(self._process.stderr, self._errors), daemon=True)
        self._listener.start()
        self._end = weakref.finalize(self, _end, self._process)  # also when the interpreter ends

    def send(self, line: str) -> None:
        """Say a line to it."""
        try:
            self._input.write(f"{line}\n".encode())
            self._input.flush()
        except (OSError, ValueError):
            raise Lost(self._how_it_ended()) from None

    def line(self, until: float) -> str:
        """The next line that it says; `until` is a time of `time.monotonic`."""
        try:
            line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise Lost("does not answer") from None
        if line is None:
            self._lines.put(None)  # for whoever asks again
            raise Lost(self._how_it_ended())
        return line

    def close(self, patience: float) -> None:
        """Give it so many seconds to leave by itself, and end what is left of it."""
        with suppress(OSError):
            self._input.close()
        until = time.monotonic() + patience
        with suppress(queue.Empty):  # what it still says is of no interest, but it must not wait for us
            while self._lines.get(timeout=max(0.0, until - time.monotonic())) is not None:
                pass
        self._end()

    def _how_it_ended(self) -> str:
        with suppress(subprocess.TimeoutExpired):  # its output ends a moment before it does
            self._process.wait(_LAST_MOMENT)
        self._end()
        self._listener.join(_LAST_MOMENT)
        status = self._process.returncode
        how = f"ended by signal {-status}" if status < 0 else f"ended with status {status}"
        return f"{how} ({' / '.join(self._errors)})" if self._errors else how


def _read(stream: IO[bytes], lines: queue.Queue[str | None]) -> None:
    with suppress(OSError, ValueError):
        while data := stream.readline(_LONGEST_LINE):
            lines.put(data.decode(errors="replace").rstrip("\r\n"))
    lines.put(None)


def _listen(stream: IO[bytes], errors: deque[str]) -> None:
    with suppress(OSError, ValueError):
        while data := stream.readline(_LONGEST_LINE):
            if line := data.decode(errors="replace").strip():
                errors.append(line)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the whole group: the program, if it still runs, and what it has started."""
    with suppress(OSError):  # nobody is left
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
