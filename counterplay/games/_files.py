"""Games in files of the user's own. Each file is a module of this one, under a name that tells its path.

So a game or a state of such a file can be pickled: whoever unpickles it, in this process or another, imports the module
by that name, which runs the file at that path and nothing else.
"""

from __future__ import annotations

import difflib
import importlib.util
import os
import re
import sys
from collections.abc import Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from counterplay.core.game import UnreadableText

__all__ = ["module_of_file"]

__path__: list[str] = []  # makes this a package to the import system, which then asks the finder below

_MOST_BYTES = 16_000_000
_SOURCE = "__counterplay_source__"


def module_of_file(path: Path) -> ModuleType:
    """The user's file as a module: run once, and once more whenever it was edited."""
    source, place = _read(path), path.resolve()
    name = f"{__name__}.{_encoded(place)}"
    module = sys.modules.get(name)
    if module is not None and vars(module).get(_SOURCE) == source:
        return module
    spec = importlib.util.spec_from_loader(name, _Loader(place), origin=str(place))
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        _run(module, place, source)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            source = file.read(_MOST_BYTES + 1)
    except ValueError:
        raise UnreadableText(f"no file has a name like {str(path)!r}") from None
    except OSError as error:
        alike = [each.name for each in path.parent.glob(f"*{path.suffix}")]
        close = difflib.get_close_matches(path.name, alike, n=1)
        hint = f"; did you mean {path.with_name(close[0])}?" if close else ""
        raise UnreadableText(f"cannot read {path}: {error.strerror}{hint}") from None
    if len(source) > _MOST_BYTES:
        raise UnreadableText(f"{path} has more than {_MOST_BYTES:,} bytes, which is no game")
    return source


def _run(module: ModuleType, place: Path, source: bytes) -> None:
    """Fill the module. The file's folder is searched first for what it imports, and nothing stale is used."""
    module.__file__ = str(place)
    if place.suffix == ".kif":
        _read_sheet(module, place, source)
    else:
        _execute(module, place, source)
    vars(module)[_SOURCE] = source


def _read_sheet(module: ModuleType, place: Path, source: bytes) -> None:
    """A rule sheet is a module with one class."""
    from counterplay.games._gdl import sheet_class

    cls = sheet_class(source.decode("utf-8", errors="replace"), place.name, module.__name__)
    vars(module)[cls.__name__] = cls


def _execute(module: ModuleType, place: Path, source: bytes) -> None:
    if str(place.parent) not in sys.path:
        sys.path.insert(0, str(place.parent))
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        # Not through the import system's byte code, which an edit within the same second can leave behind.
        exec(compile(source, str(place), "exec"), vars(module))
    finally:
        sys.dont_write_bytecode = writes_bytecode


# ---- names and paths: letters and digits stand for themselves, every other byte is an underscore and two digits


def _encoded(place: Path) -> str:
    return re.sub(rb"[^A-Za-z0-9]", lambda found: b"_%02x" % found[0][0], os.fsencode(place)).decode()


def _decoded(name: str) -> Path:
    return Path(os.fsdecode(re.sub(rb"_([0-9a-f]{2})", lambda found: bytes([int(found[1], 16)]), name.encode())))


class _Loader(Loader):
    """Runs a file when its module is imported by name, as unpickling does."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        _run(module, self._place, _read(self._place))


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        package, _, last = name.rpartition(".")
        if package != __name__:
            return None
        place = _decoded(last)
        return importlib.util.spec_from_loader(name, _Loader(place), origin=str(place))


sys.meta_path.append(_Finder)
