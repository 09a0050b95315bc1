"""The games, one file each, and how to find one by its name.

load("connect_four")                     a game of this folder
load("connect_four:rows=5,columns=6")    with parameters
load("mygame.py")                        the game in a file of yours; `mygame.py:Nim` if it has several
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import pkgutil
import sys
from pathlib import Path
from types import ModuleType

from counterplay.game import Game, UnreadableText

__all__ = ["load", "load_class", "names"]


def names() -> list[str]:
    """The names of all games of the package: the files in this folder, but for those with an underscore in front."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))


def load(text: str) -> Game:
    """The game a text names: `name`, `name:parameter=value,...`, `FILE.py[:Class][:parameter=value,...]`."""
    where, rest = _split_name(text)
    class_name = None
    if where.endswith(".py") and rest and "=" not in rest.partition(":")[0]:
        class_name, _, rest = rest.partition(":")
    cls = load_class(where, class_name)
    return cls(**_parameters(cls, rest))


def load_class(where: str, class_name: str | None = None) -> type[Game]:
    """The game class of that name, or the one in that file."""
    if where.endswith(".py"):
        return _class_in(_module_of_file(Path(where)), where, class_name)
    if where not in names():
        close = difflib.get_close_matches(where, names(), n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(names())}"
        raise UnreadableText(f"there is no game '{where}'; {hint} (a file of your own ends in .py)")
    return _class_in(importlib.import_module(f"{__name__}.{where}"), where, None)


def _split_name(text: str) -> tuple[str, str]:
    """The part before the first colon and the part after; a drive letter's colon belongs to the path."""
    end = text.find(":", 2 if text[1:3] in (":\\", ":/") else 0)
    return (text, "") if end < 0 else (text[:end], text[end + 1 :])


def _parameters(cls: type[Game], text: str) -> dict[str, str]:
    """`a=1,b=[2,3]` as a dict; a single value without a name is the first parameter's."""
    given: dict[str, str] = {}
    for part in _split_outside_brackets(text):
        name, equals, value = part.partition("=")
        if not equals or not name.strip().isidentifier():
            if not cls.parameters or given:
                raise UnreadableText(f"'{part}' is not of the form parameter=value")
            name, value = next(iter(cls.parameters)), part
        given[name.strip()] = value.strip()
    return given


def _split_outside_brackets(text: str) -> list[str]:
    parts, depth = [""], 0
    for character in text:
        depth += (character in "[({") - (character in "])}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]


def _class_in(module: ModuleType, where: str, class_name: str | None) -> type[Game]:
    found = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Game) and value.__module__ == module.__name__
    }
    if class_name is not None:
        if class_name not in found:
            raise UnreadableText(f"{where} has no game class '{class_name}'; it has: {', '.join(found) or 'none'}")
        return found[class_name]
    if not found:
        raise UnreadableText(f"{where} has no game: write  class MyGame(counterplay.Game)  in it")
    if len(found) > 1:
        raise UnreadableText(f"{where} has several games: say which, as {where}:{next(iter(found))}")
    return next(iter(found.values()))


def _module_of_file(path: Path) -> ModuleType:
    """Run a user's file as a module. Its folder is searched first for what it imports, and nothing stale is used."""
    try:
        source = path.read_bytes()
    except OSError as error:
        close = difflib.get_close_matches(path.name, [each.name for each in path.parent.glob("*.py")], n=1)
        hint = f"; did you mean {path.with_name(close[0])}?" if close else ""
        raise UnreadableText(f"cannot read {path}: {error.strerror}{hint}") from None
    place = path.resolve()
    name = f"counterplay_file_{place.stem}_{hashlib.blake2b(str(place).encode(), digest_size=6).hexdigest()}"
    spec = importlib.util.spec_from_file_location(name, place)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if str(place.parent) not in sys.path:
        sys.path.insert(0, str(place.parent))
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        # Not through the import system's byte code, which an edit within the same second can leave behind.
        exec(compile(source, str(place), "exec"), vars(module))
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.dont_write_bytecode = writes_bytecode
    return module
