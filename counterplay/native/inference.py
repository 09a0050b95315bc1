"""Finding out what a call returns, once for each kind of arguments.

Numba infers types by going over a function until nothing changes, and once more for each call of itself. Every time it
asks anew what `+` of two integers is, of some twenty candidates: 5,000 questions for alpha-beta on a small game, of
which 200 differ. Here an answer is kept for as long as one function is compiled with all that it calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from numba import types

from counterplay.native.seams import cpu_target

__all__ = ["answers_kept"]

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
