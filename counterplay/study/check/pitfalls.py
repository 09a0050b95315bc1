"""What Python and machine code understand differently, looked for in the text of the rules.

Where a random game meets it, the comparison of both modes finds it. But a random game may not come by, so that what can
be seen in the text alone is said as a warning: `docs/native.md`, The limits, has the whole list.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from types import FunctionType

from counterplay.core.game import KNOWLEDGE, RULES, Game

__all__ = ["pitfalls"]

_SMALL = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32)}
_OURS = "counterplay.core."  # the compiler has twins of these
_WHOLE = {"int", "round", "floor", "ceil", "trunc"}


def pitfalls(game: Game) -> list[str]:
    """A line for each place where the rules would mean one thing interpreted and another compiled."""
    found = [f"{where}: {what}" for function in _compiled_functions(game) for where, what in _in_function(function)]
    return list(dict.fromkeys(found))


def _compiled_functions(game: Game) -> list[FunctionType]:
    """The author's functions that a search compiles: rules, knowledge, and what these call."""
    found: list[FunctionType] = []
    rules = [name for name in (*RULES, "probability", "ends_round", "squash", *KNOWLEDGE) if name != "initial"]
    waiting = [inspect.getattr_static(type(game), name) for name in rules]
    while waiting:
        function = waiting.pop()
        if not isinstance(function, FunctionType) or function in found or function.__module__.startswith(_OURS):
            continue
        found.append(function)
        for name in function.__code__.co_names:
            waiting += [inspect.getattr_static(type(game), name, None), function.__globals__.get(name)]
    return found


def _in_function(function: FunctionType) -> Iterator[tuple[str, str]]:
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return
    for node in ast.walk(tree):
        what = _meaning(node)
        if what is not None:
            yield f"{Path(function.__code__.co_filename).name}:{first + getattr(node, 'lineno', 1) - 1}", what


def _meaning(node: ast.AST) -> str | None:
    """What is different about a piece of a rule; nothing about most."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert) and _is_truth(node.operand):
        return "`~` of a truth value is -1 or -2 interpreted, and the other truth value compiled: write `not`"
    if isinstance(node, ast.BinOp):
        base, by = _number(node.left), _number(node.right)
        if isinstance(node.op, ast.Pow) and isinstance(by, int) and by < 0 and not isinstance(base, float):
            return "an integer to a negative power is a fraction interpreted, and an integer compiled: write 1.0 * x"
        if isinstance(node.op, ast.LShift) and isinstance(base, int) and isinstance(by, int) and by >= 63:
            return f"{base} << {by} does not fit the 64 bits that an integer has when compiled: use Bits"
    if isinstance(node, ast.Call):
        name = _name(node.func)
        if name in _SMALL:
            return f"{name} wraps around interpreted, and has 64 bits compiled: write int"
        if name in _WHOLE and any(_is_endless(each) for each in node.args):
            return f"{name} of infinity or nan is an error interpreted, and some integer compiled"
    return None


def _is_truth(node: ast.AST) -> bool:
    """Whether this is surely True or False."""
    if isinstance(node, ast.BoolOp):
        return all(_is_truth(each) for each in node.values)
    if isinstance(node, ast.Call):
        return _name(node.func) in ("bool", "any", "all", "is_terminal", "is_noisy")
    is_not = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return is_not or isinstance(node, ast.Compare) or (isinstance(node, ast.Constant) and isinstance(node.value, bool))


def _is_endless(node: ast.AST) -> bool:
    """Whether this is infinity or nan, written out."""
    if isinstance(node, ast.UnaryOp):
        return _is_endless(node.operand)
    if isinstance(node, ast.Call) and _name(node.func) == "float" and len(node.args) == 1:
        text = node.args[0]
        return isinstance(text, ast.Constant) and str(text.value).strip("+-").lower() in ("inf", "infinity", "nan")
    return _name(node) in ("inf", "nan")


def _number(node: ast.AST) -> object:
    """The number that is written there; None if it is no number."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return -value if isinstance(value, int | float) else None
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int | float) else None


def _name(node: ast.AST) -> str | None:
    """The last part of a dotted name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
