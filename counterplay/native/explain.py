"""Why Numba cannot compile something, in the words of someone who wrote rules: file, line, reason, advice."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

from counterplay.game import Game

# What Numba says, and what it means to the author of a game.
_MEANINGS = (
    (r"(\w+ has no '\w+'(?:; did you mean '\w+'\?)?)", r"\1"),
    (r"Untyped global name '([\w.]+)'.*?<class '([\w.]+)'>", r"'\1' is a \2, which compiled rules cannot use"),
    (r"Unknown attribute '(\w+)' of type (\w+)", r"\2 has no '\1'"),
    (r"Cannot unify (\S.*?) and (\S.*?) for '(\w+?)(?:\.\d+)?'", r"'\3' is sometimes a \1 and sometimes a \2"),
    (r"Can't unify return type .*?: (.*)", r"it returns values of different types (\1)"),
    (
        r"No implementation of function Function\(<(?:built-in )?\w+ '?(\w+)'?.*?>\).*?>>> (.*?)\n",
        r"\2 is not possible",
    ),
    (r"Invalid use of .*?(\w+)\W*with (?:parameters|argument\(s\)) (.*)", r"\1 cannot be used with \2"),
    (r"NameError: (.*)", r"\1"),
    (r"(?:The|Use of) unsupported.*?\((\w+)\)", r"'\1' is not supported in compiled rules"),
    (r"(Unsupported.*?|.*? (?:is|are) not supported.*?)(?:\n|$)", r"\1"),
    (r"cannot determine Numba type of (?:value )?(.*)", r"the state contains \1"),
    (r"non-precise type (\w+)", r"the type of a value cannot be found"),
)


def explain(error: BaseException, game: Game) -> str:
    """One line: where the trouble is, and what it is."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    where = _place(text, game)
    return (f"{where}: " if where else "") + _meaning(text, error)


def _meaning(text: str, error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "a rule calls itself; write it as a loop, or as a function outside the class"
    for pattern, meaning in _MEANINGS:
        match = re.search(pattern, text, re.DOTALL if ">>>" in pattern else 0)
        if match:
            return _plain(match.expand(meaning))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return _plain(lines[1] if len(lines) > 1 and lines[0].startswith("Failed in") else lines[0])


def _plain(text: str) -> str:
    """Numba's type names as Python's."""
    text = re.sub(r"\bLiteral\[(\w+)\]\((.*?)\)", r"\1", text)
    text = re.sub(r"\b(?:u?int|intp)(?:8|16|32|64)?\b", "int", text)
    text = re.sub(r"\bfloat(?:32|64)\b", "float", text)
    text = re.sub(r"\bunicode_type\b", "str", text)
    text = re.sub(r"\w+(?::[^\s#]*)?#[0-9a-f]{32}", "the game", text)
    return re.sub(r"\s+", " ", text).strip()


def _place(text: str, game: Game) -> str | None:
    """The first place in the game's own files that the message names, deepest call first."""
    files = {Path(f).name: f for cls in type(game).__mro__[:-2] if (f := _file(cls))}
    for name, line in re.findall(r'File "(.*?)", line (\d+)', text):
        if Path(name).name in files:
            return f"{Path(name).name}:{line}"
    return None


def _file(cls: Any) -> str | None:
    try:
        return inspect.getfile(cls)
    except (TypeError, OSError):
        return None
