"""Reading and writing what people type: boards, the fields of a state, parameters and settings."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from itertools import pairwise
from typing import Any

from counterplay.core.bits import Bits
from counterplay.core.cells import Cells
from counterplay.core.errors import AmbiguousText, UnreadableText, UserError

__all__ = [
    "convert",
    "field_text",
    "fields_text",
    "printable",
    "read_board",
    "read_moves",
    "read_settings",
    "read_value",
    "split_settings",
    "state_from_text",
]

_LONGEST = 10_000
"""Characters of a value; nobody types more, and Python takes long to say no to deep brackets."""
_SWITCH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


# ---- what a terminal is given


def printable(text: str, longest: int | None = None) -> str:
    """A text that may be anybody's, fit for a terminal: nothing in it moves the cursor or is invisible, but for ends of
    lines; with `longest`, no more characters than that."""
    if longest is not None and len(text) > longest:
        text = text[:longest] + "..."
    return text if text.isprintable() else "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)


# ---- boards


def read_board(text: str, rows: int, columns: int, pieces: str) -> list[list[int]]:
    """The squares of each of `pieces`, counted row by row from the top left, in a text like `x.o/.x./...`."""
    lines = [line.replace(" ", "") for line in text.strip().replace("\n", "/").split("/")]
    if len(lines) != rows or any(len(line) != columns for line in lines):
        example = "/".join(["." * columns] * rows)
        raise UnreadableText(f"'{text}' is not a board of {rows} rows and {columns} columns, like '{example}'")
    cells = "".join(lines)
    strange = sorted(set(cells) - set(pieces) - {"."})
    if strange:
        raise UnreadableText(f"'{strange[0]}' is no piece: a board has '.' and {', '.join(repr(p) for p in pieces)}")
    return [[square for square, cell in enumerate(cells) if cell == piece] for piece in pieces]


# ---- moves

_NUMBER = re.compile(r"^\d+\.+\s*")
_PRAISE = re.compile(r"[!?]+$")
_NO_MOVE = re.compile(r"1-0|0-1|1/2-1/2|\*|")


def read_moves(game: Any, s: Any, moves: str | Iterable[str]) -> list[int]:
    """The actions from `s` on that `moves` mean, a list of names or a text.

    In a text blanks stand between moves; or commas, for names that have blanks in them.
    """
    parts = list(moves) if not isinstance(moves, str) else re.split(r"[,\n]", moves) if "," in moves else moves.split()
    found: list[int] = []
    for part in parts:
        try:
            actions = _actions(game, s, part.strip())
        except UserError as error:
            raise error if len(parts) == 1 else type(error)(f"move {len(found) + 1}: {error}") from None
        for a in actions:
            s = game.result(s, a)
        found += actions
    return found


def _actions(game: Any, s: Any, text: str) -> list[int]:
    """The move of that name. What is none may have a number before it or praise behind it, be the result of a game, or
    be several moves: words with blanks between them, or characters like `4444`."""
    try:
        return [int(game.parse_action(s, text))]
    except AmbiguousText:
        raise
    except UserError as error:
        bare = _PRAISE.sub("", _NUMBER.sub("", text))
        if _NO_MOVE.fullmatch(bare):
            return []
        if bare != text:
            return _actions(game, s, bare)
        words = text.split()
        pieces = words if len(words) > 1 else list(text)
        if len(pieces) < 2:
            raise
        found: list[int] = []
        for piece in pieces:
            try:
                actions = _actions(game, s, piece)
            except UserError as other:
                raise (other if len(words) > 1 else error) from None
            for a in actions:
                s = game.result(s, a)
            found += actions
        return found


# ---- settings


def read_settings(text: str) -> dict[str, Any]:
    """`depth=6,rave=on,without=killers+history,heaps=[1,2]` as a dict of values, each read by `read_value`."""
    return {name: read_value(value) for name, value in split_settings(text).items()}


def split_settings(text: str, first: str | None = None, lists: Collection[str] = ()) -> dict[str, str]:
    """`a=1,b=[2,3]` as a dict of texts. A single value without a name is that of `first`, if there is such a name.

    Names of `lists` need no brackets: `b=2,3`.
    """
    found: dict[str, str] = {}
    last = ""
    for part in _split_outside_brackets(text):
        name, equals, value = part.partition("=")
        if not equals or not name.strip().isidentifier():
            if last in lists and part.strip().isdecimal():  # heaps=3,4: the list goes on
                found[last] += f",{part.strip()}"
                continue
            if first is None or found:
                raise UnreadableText(f"'{part.strip()}' is not of the form name=value, as in a=1,b=on")
            name, value = first, part
        name = name.strip()
        if name in found:
            raise UnreadableText(f"'{text}' says twice what {name} is")
        found[name], last = value.strip(), name
    return found


def read_value(text: str) -> Any:
    """A number, on or off (also yes, no, true, false), a list in brackets, words joined by `+` as a list, or a word."""
    if text.lower() in _SWITCH:
        return _SWITCH[text.lower()]
    try:
        value = _python_value(text)
    except ValueError:
        words = text.split("+")
        return words if len(words) > 1 and all(word.isidentifier() for word in words) else text
    return value if isinstance(value, int | float | list | tuple) else text


def _split_outside_brackets(text: str) -> list[str]:
    ends, depth = [-1], 0
    for i, character in enumerate(text):
        depth += (character in "[({") - (character in "])}")
        if character == "," and depth == 0:
            ends.append(i)
    parts = [text[start + 1 : end] for start, end in pairwise([*ends, len(text)])]
    return [part for part in parts if part.strip()]


# ---- values of a type that is known


def convert(what: str, value: Any, default: Any) -> Any:
    """`value` as the type of `default`; a text is read as the command line writes it."""
    kind = type(default)
    if isinstance(value, str) and kind is not str:
        value = _literal(what, value, kind)
    if kind is tuple and isinstance(value, list | tuple):
        return _nested_tuple(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not kind:
        raise UnreadableText(f"{what} must be of type {kind.__name__}, like {field_text(default)}; not {value!r}")
    return value


def _nested_tuple(value: Any) -> Any:
    return tuple(map(_nested_tuple, value)) if isinstance(value, list | tuple) else value


def _literal(what: str, text: str, kind: type) -> Any:
    if kind is bool and text.lower() in _SWITCH:
        return _SWITCH[text.lower()]
    try:
        return float(text) if kind is float else _python_value(text)
    except ValueError:
        raise UnreadableText(f"{what} must be of type {kind.__name__}; '{text}' cannot be read as one") from None


def _python_value(text: str) -> Any:
    """The number, tuple, list or set that a text writes as Python does; ValueError for all else, and for long ones."""
    if len(text) > _LONGEST:
        raise ValueError
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise ValueError from None


# ---- the fields of a state


def fields_text(s: Any) -> str:
    """The fields of a state by name: `stones=21 turn=0`."""
    return " ".join(f"{name}={field_text(value)}" for name, value in zip(_fields(s), s, strict=True))


def field_text(value: Any) -> str:
    """A value without blanks, so that fields can be split at them; a `Bits` is `{0,4}`, a `Cells` is `[3,0,5]`."""
    if isinstance(value, Bits):
        return "{" + ",".join(map(str, value)) + "}"
    if isinstance(value, Cells):
        return "[" + ",".join(map(str, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ",".join(map(field_text, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, str):
        return value
    value = value.item() if hasattr(value, "item") else value  # a number of NumPy's
    return repr(value).replace(" ", "")


def state_from_text(like: Any, text: str) -> Any:
    """The state that `fields_text` wrote, with the types of the state `like`."""
    names = _fields(like)
    parts = dict(part.split("=", 1) for part in text.split() if "=" in part)
    if sorted(parts) != sorted(names) or len(text.split()) != len(names):
        raise UnreadableText(f"'{text}' is not a position; write it like '{fields_text(like)}'")
    values = [_field_from_text(name, parts[name], value) for name, value in zip(names, like, strict=True)]
    return type(like)(*values) if hasattr(like, "_fields") else tuple(values)


def _fields(s: Any) -> tuple[str, ...]:
    return getattr(s, "_fields", None) or tuple(f"f{i}" for i in range(len(s)))


def _field_from_text(name: str, text: str, like: Any) -> Any:
    if isinstance(like, Bits):
        inner = text.removeprefix("{").removesuffix("}")
        try:
            return Bits(like.width, [int(square) for square in inner.split(",") if square])
        except ValueError as error:
            raise UnreadableText(f"{name}={text} is not a set of squares: {error}") from None
    if isinstance(like, Cells):
        return _cells_from_text(name, text, like)
    return _alike(name, text, convert(name, text, like), like)


def _cells_from_text(name: str, text: str, like: Cells) -> Cells:
    try:
        cells = Cells(like.most, [int(x) for x in text.removeprefix("[").removesuffix("]").split(",")], like.least)
    except ValueError as error:
        raise UnreadableText(f"{name}={text} is not a row of numbers: {error}") from None
    if len(cells) != len(like):
        raise UnreadableText(f"{name}={text} has {len(cells)} numbers, not {len(like)}")
    return cells


def _alike(name: str, text: str, value: Any, like: Any) -> Any:
    """`value` with the types of `like`, all the way down; another length, type or size is an error."""
    if isinstance(like, tuple):
        if isinstance(value, list | tuple) and len(value) == len(like):
            parts = [_alike(name, text, x, y) for x, y in zip(value, like, strict=True)]
            return type(like)(*parts) if hasattr(like, "_fields") else tuple(parts)
    elif isinstance(like, Bits):
        if isinstance(value, set) or value == {}:
            with suppress(ValueError, TypeError):  # squares that it has not, or no numbers
                return Bits(like.width, value)
    elif isinstance(like, Cells):
        if isinstance(value, list | tuple) and len(value) == len(like):
            with suppress(ValueError, TypeError):
                return Cells(like.most, value, like.least)
    elif isinstance(value, int) and type(like) is float:
        return float(value)
    elif type(value) is type(like) and not (type(value) is int and not -(1 << 63) <= value < 1 << 63):
        return value
    raise UnreadableText(f"{name}={text} is not like {name}={field_text(like)}, in numbers of at most 64 bits")
