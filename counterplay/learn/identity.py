"""Whether a game is still the one that a model was trained for: a fingerprint of its rules and of what a learner sees.

It is of the source, so that it is the same with every version of Python, and it does not change with comments, blanks
or docstrings. What only people or searches use is no part of it.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import io
import textwrap
import tokenize
from collections.abc import Iterator
from functools import cached_property, lru_cache
from types import CodeType, FunctionType
from typing import Any

from counterplay.core.bits import Bits
from counterplay.core.game import RULES, Game
from counterplay.core.primitives import Table

__all__ = ["fingerprint"]

_SEEN = ("features", "planes", "viewer", "inputs", "stakes")
_DECLARED = ("players", "chance", "utility_range", "utility_sum")
_NOISE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def fingerprint(game: Game) -> str:
    """A hash of the rules of a game and its parameters, of its features, and of all functions that these use."""
    rules = (*RULES, *(("probability",) if game.chance else ()))
    digest = hashlib.blake2b(digest_size=16)
    for text in (str(game), *_texts(game, [*rules, *_SEEN, *_DECLARED])):
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()


def _texts(game: Game, names: list[str]) -> Iterator[str]:
    """What the named members are, and what they use in turn, each once."""
    waiting: list[tuple[str, Any]] = [(name, inspect.getattr_static(type(game), name)) for name in names]
    seen: set[Any] = set()
    while waiting:
        name, thing = waiting.pop(0)
        function = _function(thing)
        if function is None:
            yield f"{name} = {getattr(game, name)!r}"
        elif function not in seen and not function.__module__.startswith("counterplay.core"):
            seen.add(function)
            yield f"{name}: {_source(function)}"
            for used in sorted(_names(function.__code__)):
                found = inspect.getattr_static(type(game), used, None) or function.__globals__.get(used)
                if _function(found) is not None:
                    waiting.append((used, found))
                elif isinstance(found, int | float | str | tuple | Bits | Table):
                    yield f"{used} = {found!r}"


def _function(thing: Any) -> FunctionType | None:
    if isinstance(thing, property):
        thing = thing.fget
    elif isinstance(thing, cached_property):
        thing = thing.func
    elif isinstance(thing, staticmethod):
        thing = thing.__func__
    return thing if isinstance(thing, FunctionType) else None


def _names(code: CodeType) -> set[str]:
    inner = (_names(const) for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*inner)


@lru_cache(maxsize=1024)
def _source(function: FunctionType) -> str:
    """The words of its source; where there is none, as in an interactive session, what it was compiled to."""
    try:
        source = textwrap.dedent(inspect.getsource(function))
        without = _without_docstring(source)
        tokens = tokenize.generate_tokens(io.StringIO(without).readline)
        return " ".join(token.string for token in tokens if token.type not in _NOISE)
    except (OSError, TypeError, SyntaxError, tokenize.TokenError):
        return f"{function.__code__.co_code.hex()} {function.__code__.co_consts!r}"


def _without_docstring(source: str) -> str:
    """The lines of a function without its docstring."""
    (function,) = ast.parse(source).body
    if not isinstance(function, ast.FunctionDef) or ast.get_docstring(function) is None:
        return source
    lines, text = source.splitlines(keepends=True), function.body[0]
    return "".join(lines[: text.lineno - 1] + lines[text.end_lineno or text.lineno :])
