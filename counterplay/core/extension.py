"""What `Game.extended` is made of: the class of a game with more rules, and what may be given to it."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from threading import Lock
from types import FunctionType
from typing import Any
from weakref import WeakValueDictionary

from counterplay.core.errors import UserError
from counterplay.core.memory import is_array

__all__ = ["class_with", "made_of", "must_fit", "original"]

_PROPERTIES = (property, cached_property)
_FIXED = {
    *("parameters", "settings", "validate", "name", "snake_name", "knows", "at"),
    *("extension", "extended", "memories", "compiled"),
}


def must_fit(game: Any, name: str, value: Any, rules: Mapping[str, Callable[..., Any]]) -> None:
    """Refuse what would not do what it seems to; `rules` are those that a game and its searches know."""
    before = inspect.getattr_static(type(game), name, None)
    if name in game.parameters:
        raise UserError(f"'{name}' is a parameter: make another game with {type(game).__name__}({name}=...)")
    if name in _FIXED or name.startswith("_"):
        raise UserError(f"'{name}' cannot be given to a game")
    if isinstance(value, type):
        raise UserError(f"'{name}' is a class, not a function")
    if callable(value):
        _must_be_a_rule(game, name, value, before, rules)
    elif isinstance(before, FunctionType):
        raise UserError(f"'{name}' is a rule: give a function for it")
    elif is_array(value):
        raise UserError(f"'{name}' is a NumPy array: give Memory(array) if it may change, else a Table or a tuple")
    elif type(value).__hash__ is None:
        raise UserError(f"'{name}' is a {type(value).__name__}, which may change: give a tuple")


def _must_be_a_rule(
    game: Any, name: str, function: Callable[..., Any], before: Any, rules: Mapping[str, Callable[..., Any]]
) -> None:
    if before is not None and not isinstance(before, FunctionType):
        raise UserError(f"'{name}' of {game.name} is no function, so it cannot become one")
    if before is None and (close := _closest(name, tuple(rules))):
        raise UserError(f"is '{name}' meant to be '{close}'?")
    if name in rules:
        arguments = inspect.signature(rules[name]).parameters
        try:
            inspect.signature(function).bind(*arguments)
        except TypeError:
            raise UserError(f"a function for '{name}' takes ({', '.join(arguments)})") from None


@lru_cache(maxsize=256)
def _closest(name: str, rules: tuple[str, ...]) -> str | None:
    """The rule that is written nearly like that, if there is one."""
    return next(iter(difflib.get_close_matches(name, rules, n=1, cutoff=0.8)), None)


_classes: WeakValueDictionary[tuple[Any, ...], type] = WeakValueDictionary()
_one_at_a_time = Lock()


def class_with(kind: type, members: Mapping[str, Any]) -> type:
    """The class with the functions among `members`: always the same one for the same functions, so compiled once.

    Values belong to each game; but a property of that name gives way to them.
    """
    functions = {name: value for name, value in members.items() if callable(value)}
    hidden = [name for name in members if isinstance(inspect.getattr_static(kind, name, None), _PROPERTIES)]
    key = (kind, *sorted(functions.items()), *sorted(hidden))
    with _one_at_a_time:
        made = _classes.get(key)
        if made is None:
            named = {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__}
            methods = {name: _as_method(function) for name, function in functions.items()}
            made = _classes[key] = type(kind.__name__, (kind,), named | dict.fromkeys(hidden) | methods)
        return made


def _as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function in a form that Python binds to an object; one that `native` decorated is an object itself."""
    inner = inspect.unwrap(function)
    if isinstance(inner, FunctionType):
        return inner

    def method(self: Any, *args: Any) -> Any:
        return function(self, *args)

    return method


def original(game: Any) -> type:
    """The class of the game before it was extended."""
    kind: type = type(game)
    return kind.__mro__[1] if game.extension else kind


def made_of(game: Any) -> dict[str, Any]:
    """The attributes that a game was made with, without what was computed or compiled since."""
    return {
        name: value
        for name, value in vars(game).copy().items()  # another thread may be adding something computed
        if not name.startswith("_native")
        and not isinstance(inspect.getattr_static(type(game), name, None), _PROPERTIES)
    }
