"""Exceptions in plain words: what Python says, what may have been meant, where to look. No traceback, no compiler."""

from __future__ import annotations

import ast
import builtins
import difflib
import inspect
import linecache
import re
import sysconfig
import traceback
from pathlib import Path
from textwrap import dedent
from typing import TypeGuard

import counterplay
from counterplay.core.game import Game, RulesError, UserError

__all__ = ["line_of", "loading_problem", "place", "place_in_dump", "reason", "where_is_set"]

_PATHS = sysconfig.get_paths()
_NOT_THEIRS = [
    Path(folder).resolve()
    for folder in (Path(counterplay.__file__).parent, _PATHS["stdlib"], _PATHS["purelib"], _PATHS["platlib"])
]


def place(error: BaseException) -> str | None:
    """`file.py:12`, the deepest place of an exception in the author's own files."""
    found = _file_and_line(error)
    return f"{Path(found[0]).name}:{found[1]}" if found else None


def _file_and_line(error: BaseException) -> tuple[str, int] | None:
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return error.filename, error.lineno
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if _is_theirs(frame.filename):
            return frame.filename, frame.lineno or 0
    return None


def _is_theirs(file: str) -> bool:
    """Whether a file is the author's own."""
    return not file.startswith("<") and not any(Path(file).resolve().is_relative_to(each) for each in _NOT_THEIRS)


def place_in_dump(text: str) -> str | None:
    """`file.py:12`, the deepest place in the author's own files of what `faulthandler` has written."""
    places = re.findall(r'^  File "(.+)", line (\d+) in', text, re.MULTILINE)
    return next((f"{Path(file).name}:{line}" for file, line in places if _is_theirs(file)), None)


def line_of(game: Game, rule: str) -> str | None:
    """`file.py:12`, where a game's own class defines a rule."""
    member = inspect.getattr_static(type(game), rule, None)
    code = getattr(getattr(member, "func", member), "__code__", None)  # that of a cached_property is in `func`
    if code is None or member is getattr(Game, rule, None):
        return None
    return f"{Path(code.co_filename).name}:{code.co_firstlineno}"


def where_is_set(game: Game) -> str | None:
    """`file.py:12`, the first line of `actions` that makes a set."""
    try:
        lines, first = inspect.getsourcelines(type(game).actions)
        nodes = list(ast.walk(ast.parse(dedent("".join(lines)))))
    except (OSError, TypeError, SyntaxError):
        return None
    sets = [each.lineno for each in nodes if isinstance(each, ast.Set | ast.SetComp) or _calls_set(each)]
    file = inspect.getsourcefile(type(game).actions) or ""
    return f"{Path(file).name}:{first + min(sets) - 1}" if sets else None


def _calls_set(node: ast.AST) -> TypeGuard[ast.expr]:
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return is_call and node.func.id in ("set", "frozenset")  # type: ignore[attr-defined]


def reason(error: BaseException) -> str:
    """Python's message, what may have been meant, and the line of code."""
    message = str(error)
    if "numba" in message.lower():  # the words of a compiler, not of someone who writes rules
        message = ""
    where = _file_and_line(error)
    if where:
        linecache.checkcache(where[0])
    code = linecache.getline(*where).strip() if where else ""
    return (
        type(error).__name__ + (f": {message}" if message else "") + _meant(error) + (f", in  {code}" if code else "")
    )


def _meant(error: BaseException) -> str:
    """What an unknown name may have been meant to be."""
    name = getattr(error, "name", None)
    if isinstance(error, AttributeError) and name:
        candidates = [each for each in dir(error.obj) if not each.startswith("_")]
    elif isinstance(error, NameError) and name:
        if name in counterplay.__all__:
            return f"; add  from counterplay import {name}"
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        if hasattr(frame.f_locals.get("self"), name):
            return f"; did you mean 'self.{name}'?"
        candidates = [*frame.f_locals, *frame.f_globals, *dir(builtins)]
    else:
        return ""
    close = difflib.get_close_matches(name, candidates, n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def loading_problem(text: str, error: BaseException) -> tuple[str, str, str | None]:
    """What is wrong when a game cannot be loaded: the property that fails, the message, where."""
    match = re.match(r".*?\.py(?=:|$)", text)
    file = Path(match[0]) if match else None
    where = place(error) or (_defined(file, str(error)) if file else None)
    if isinstance(error, RulesError):
        return "game is complete", str(error), where
    if isinstance(error, UserError):
        return "game is found", str(error), where
    if isinstance(error, SyntaxError):
        code = (error.text or "").strip()
        return "file is Python", error.msg + (f", in  {code}" if code else ""), where
    advice = "; put it under  if __name__ == '__main__':" if isinstance(error, SystemExit) else ""
    if isinstance(error, TypeError) and "__init__() missing" in str(error):
        return "game is complete", f"{error}: write parameters without __init__, like  heap: int = 21", where
    return "file can be run", reason(error) + advice, where


def _defined(file: Path, message: str) -> str:
    """Where a file defines what a message speaks of: the name in quotes, or the first word."""
    lines = file.read_text(errors="replace").splitlines() if file.is_file() else []
    for name in [*re.findall(r"'(\w+)'", message), message.partition(" ")[0]]:
        for number, line in enumerate(lines, 1):
            if re.match(rf"\s*(def|class) {re.escape(name)}\b", line):
                return f"{file.name}:{number}"
    return file.name
