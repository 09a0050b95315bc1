"""A mistake in someone's rules, told in one line: file, line, what Python says of it. No traceback, no compiler."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

__all__ = ["describe", "place"]

_PATHS = sysconfig.get_paths()
_NOT_THE_USERS = tuple(
    str(Path(folder).resolve())
    for folder in (str(Path(__file__).parent), _PATHS["stdlib"], _PATHS["purelib"], _PATHS["platlib"])
)


def place(error: BaseException) -> tuple[str, int] | None:
    """The file and line of the user's own code in which an exception arose; None if it did not."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return error.filename, error.lineno
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        is_file = not frame.filename.startswith("<")
        if is_file and not str(Path(frame.filename).resolve()).startswith(_NOT_THE_USERS):
            return frame.filename, frame.lineno or 0
    return None


def describe(error: BaseException) -> str | None:
    """`mygame.py:14: name 'stone' is not defined. Did you mean: 'stones'?`; None if no file of a user is at fault."""
    where = place(error)
    if where is None:
        return None
    *_, said = traceback.TracebackException.from_exception(error).format_exception_only()
    kind, _, message = said.strip().partition(": ")
    return f"{Path(where[0]).name}:{where[1]}: {message or kind}"
