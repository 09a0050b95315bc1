"""The games, one file or folder each, and how to find one by its name.

load("connect_four")                     a game of this folder
load("connect_four:rows=5,columns=6")    with parameters
load("mygame.py")                        the game in a file of yours; `mygame.py:Nim` if it has several
load("mygame.kif")                       the game of a rule sheet in GDL; `breakthrough.kif` and others are ours
load("openspiel:breakthrough")           a game of OpenSpiel's, if that is installed

Files of data name only games of this folder (`load_ours`): what is read never says what code to run.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from counterplay.core.extension import original
from counterplay.core.game import RULES, Game, UnreadableText
from counterplay.core.texts import split_settings
from counterplay.games import _files

__all__ = ["GUESTS", "LOADERS", "load", "load_class", "load_ours", "names", "names_file", "source"]


def names() -> list[str]:
    """The names of all games of the package: files and folders here, but for those with an underscore in front."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))


def load(text: str) -> Game:
    """The game a text names: `name`, `name:parameter=value,...`, `FILE.py[:Class][:parameter=value,...]`."""
    where, rest = _split_name(text)
    class_name = None
    if Path(where).suffix in LOADERS and rest and "=" not in rest.partition(":")[0]:
        class_name, _, rest = rest.partition(":")
    cls = load_class(where, class_name)
    lists = {name for name, default in cls.parameters.items() if isinstance(default, tuple)}
    return cls(**split_settings(rest, first=next(iter(cls.parameters), None), lists=lists))


def load_ours(text: str) -> Game:
    """The game of this package that a text names. For texts from files, which may be anybody's: it runs no file."""
    if names_file(text):
        raise UnreadableText(
            f"'{_split_name(text)[0]}' is a file of code, which is run only if you name it yourself, as the GAME"
        )
    return load(text)


def names_file(text: str) -> bool:
    """Whether a text names a game in a file of the user's own."""
    return Path(_split_name(text)[0]).suffix in LOADERS


def source(game: Game) -> str:
    """The name of the file that a game comes from, without its folder; empty for the games of this package."""
    module = original(game).__module__
    if module.startswith(f"{__name__}.") and not module.startswith(f"{_files.__name__}."):
        return ""
    return Path(getattr(sys.modules.get(module), "__file__", None) or module).name


def load_class(where: str, class_name: str | None = None) -> type[Game]:
    """The game class of that name, or the one in that file."""
    if (suffix := Path(where).suffix) in LOADERS:
        return _only(LOADERS[suffix](Path(where)), where, class_name)
    if where in GUESTS:
        return _only(_classes_in(importlib.import_module(f"{__name__}._{where}")), where, None)
    if where not in names():
        close = difflib.get_close_matches(where, names(), n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(names())}"
        raise UnreadableText(f"there is no game '{where}'; {hint} (a file of your own ends in {' or '.join(LOADERS)})")
    return _only(_classes_in(importlib.import_module(f"{__name__}.{where}")), where, None)


def _split_name(text: str) -> tuple[str, str]:
    """The part before the first colon and the part after; a drive letter's colon belongs to the path."""
    end = text.find(":", 2 if text[1:3] in (":\\", ":/") else 0)
    return (text, "") if end < 0 else (text[:end], text[end + 1 :])


def _only(found: dict[str, type[Game]], where: str, class_name: str | None) -> type[Game]:
    """The class of that name, or the one that there is."""
    if class_name is not None:
        if class_name not in found:
            raise UnreadableText(f"{where} has no game class '{class_name}'; it has: {', '.join(found) or 'none'}")
        return found[class_name]
    if not found:
        raise UnreadableText(f"{where} has no game: write  class MyGame(counterplay.Game)  in it")
    if len(found) > 1:  # a base of others that has not all rules itself is not meant
        whole = {
            name: cls for name, cls in found.items() if all(getattr(cls, r) is not getattr(Game, r) for r in RULES)
        }
        found = whole or found
    if len(found) > 1:
        raise UnreadableText(f"{where} has several games: say which, as {where}:{next(iter(found))}")
    return next(iter(found.values()))


def _classes_in(module: ModuleType) -> dict[str, type[Game]]:
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Game)
        and f"{value.__module__}.".startswith(f"{module.__name__}.")
    }


def _classes_in_file(path: Path) -> dict[str, type[Game]]:
    return _classes_in(_files.module_of_file(path))


def _classes_in_sheet(path: Path) -> dict[str, type[Game]]:
    from counterplay.games._gdl import find_sheet

    return _classes_in(_files.module_of_file(find_sheet(path)))


LOADERS: dict[str, Callable[[Path], dict[str, type[Game]]]] = {".py": _classes_in_file, ".kif": _classes_in_sheet}
"""By a file's suffix: what gives the game classes in such a file, by their names."""

GUESTS = ("openspiel",)
"""Games of other libraries, which stand in no list: each is a file with an underscore in front."""
