"""Finding out what a call returns, once for each kind of arguments.

Numba infers types by going over a function until nothing changes. Every time it asks anew what `+` of two integers is,
of some twenty candidates: 5,000 questions for alpha-beta on a small game, of which 200 differ. Here an answer is kept
for as long as one function is compiled with all that it calls.

For each call that a function makes of itself, Numba goes over all of it anew, to see what it returns. One that says
that, by `-> float`, is believed. And before each function Numba looks at all that is registered, nine times; here only
if there is something new.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from numba import types

from counterplay.native.seams import TypeInferer, cpu_target

__all__ = ["answers_kept", "are_answers_kept"]

_answers: ContextVar[dict[Any, Any] | None] = ContextVar("answers", default=None)
_resolve = cpu_target.typing_context.resolve_function_type


@contextmanager
def answers_kept() -> Iterator[None]:
    """Inside, what is known of a call of a built-in function is not found out again. No rule may be registered."""
    token = _answers.set({})
    try:
        yield
    finally:
        _answers.reset(token)


def are_answers_kept() -> bool:
    """Whether a function of ours is being compiled, or one that it calls."""
    return _answers.get() is not None


def _resolve_once(function: Any, args: Any, kws: Any) -> Any:
    answers = _answers.get()
    if answers is None or kws or not isinstance(function, types.Function):
        return _resolve(function, args, kws)
    asked = (id(function), tuple(args))  # its hash would be that of all its candidates
    if asked not in answers:
        answer = _resolve(function, args, kws)
        if answer is None or not answer.return_type.is_precise():  # more may be known the next time
            return answer
        answers[asked] = function, answer  # as long as it is there, no other has its id
    return answers[asked][1]


cpu_target.typing_context.resolve_function_type = _resolve_once


_infer_return = TypeInferer.return_types_from_partial


def _declared_return(inferer: Any) -> Any:
    """What a function returns that is being compiled and calls itself."""
    declared = inferer.func_ir.func_id.func.__annotations__.get("return")
    return types.float64 if declared in (float, "float") else _infer_return(inferer)


TypeInferer.return_types_from_partial = _declared_return


def _refresh_if_new(context: Any) -> None:
    """Let a context look only when something was registered since it did, and not while it looks."""
    refresh, seen, is_looking = context.refresh, -1, False

    def refresh_if_new() -> None:
        nonlocal seen, is_looking
        there = _registered()
        if is_looking or (seen == there and are_answers_kept()):
            return
        is_looking = True
        try:
            refresh()
            seen = there  # what was registered meanwhile is for the next time
        finally:
            is_looking = False

    context.refresh = refresh_if_new


def _registered() -> int:
    """How much there is in the registries, which only ever grow."""
    known = {**cpu_target.typing_context._registries, **cpu_target.target_context._registries}
    return sum(len(each) for registry in known for each in vars(registry).values())


_refresh_if_new(cpu_target.typing_context)
_refresh_if_new(cpu_target.target_context)
