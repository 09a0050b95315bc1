"""Standard input as lines, whatever comes: long ones, bad bytes, no end of line at the end."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

__all__ = ["LONGEST", "Line", "lines_of", "listen"]

LONGEST = 1_000_000
"""Bytes of a line; a game of ten thousand moves is shorter."""
_CHUNK = 65_536


class Line(NamedTuple):
    """A line of input, without its end."""

    text: str
    is_whole: bool = True
    """False: it was too long, and nothing of it is here."""


def lines_of(read: Callable[[int], bytes]) -> Iterator[Line]:
    """The lines of what `read` gives, piece by piece, until it gives nothing. Bytes that are no UTF-8 become `�`."""
    rest, is_whole = b"", True
    while chunk := read(_CHUNK):
        for i, piece in enumerate(chunk.split(b"\n")):
            if i > 0:
                yield _line(rest, is_whole)
                rest, is_whole = b"", True
            rest += piece if is_whole else b""
            if len(rest) > LONGEST:
                rest, is_whole = b"", False
    if rest or not is_whole:
        yield _line(rest, is_whole)


def _line(raw: bytes, is_whole: bool) -> Line:
    return Line(raw.decode("utf-8", "replace").rstrip("\r"), is_whole)


def listen(hear: Callable[[Line | None], None], descriptor: int = 0) -> None:
    """Let a thread read a file, standard input if nothing else is said; `hear` gets each line, and None at the end.

    It reads past Python's own buffer: a thread that waits inside that one would not let the process end.
    """

    def body() -> None:
        try:
            for line in lines_of(lambda size: os.read(descriptor, size)):
                hear(line)
        except OSError:  # whoever wrote there has gone in a bad way
            pass
        hear(None)

    threading.Thread(target=body, daemon=True).start()
