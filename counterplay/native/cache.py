"""Machine code on disk: one file for each compiled function and game, in a folder of the user's own.

The file's name is a hash of all that the code depends on: the fingerprints of the function and of the game, the
argument types, the processor, and the versions of Python, Numba and this package's compiler. So an edit anywhere
is another file, and nothing is ever stale. What the code holds of the game's attributes is recorded in the file and
compared when it is loaded, since they may come from elsewhere, such as a file of data.

Files are written whole and renamed into place: processes that start cold at the same time each compile, and the
last one's equal file stays.

A cache file is a pickle, so whoever can write one can run code. Three things keep others out, whatever the umask: the
folder is private to the user (mode 0700), and one that others may write to is not used; every file is private too; and
what is opened is loaded only if it is a plain file of the user's that nobody else may write to.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import secrets
import stat
import sys
import time
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import numba

from counterplay.native import Announcement, source
from counterplay.native.games import constants_hold
from counterplay.native.linked import complete
from counterplay.native.seams import CompileResult, RuntimeLinker, config, dumps, runtime

_LIMIT_BYTES = 500_000_000
_DIGEST_BYTES = 16
_ABANDONED_SECONDS = 3600
"""A file that is still being written after so long is one whose process has died."""

_HAS_USERS = hasattr(os, "getuid")  # not on Windows
_WRITE_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_ANY_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_AS_IT_IS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Open the file itself, not what a link leads to; wait for nobody at the other end of a pipe; bytes are bytes."""

_compiling: ContextVar[tuple[DiskCache, Any, Announcement] | None] = ContextVar("compiling", default=None)
"""The outermost function that this thread compiles, and its argument types."""


def folder() -> Path | None:
    """The private cache folder, made if needed; None if there can be none."""
    base = os.environ.get("COUNTERPLAY_CACHE_DIR")
    path = Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "counterplay"
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
        if not _is_own(status):
            return None
        if _HAS_USERS and status.st_mode & _ANY_OTHERS:  # they could read it, but put nothing in
            path.chmod(0o700)
    except (OSError, RuntimeError, ValueError):  # ValueError: no folder can have such a name
        return None
    return path


def _is_own(status: os.stat_result) -> bool:
    """Whether a file or folder is the user's, and nobody else may write to it."""
    return not _HAS_USERS or (status.st_uid == os.getuid() and not status.st_mode & _WRITE_OTHERS)


def _toolchain() -> str:
    """The versions of everything that turns source into machine code, this folder's own sources included."""
    own = hashlib.blake2b()
    package = Path(__file__).parent
    twins = [
        package.parent / "core" / f"{name}.py"
        for name in ("bits", "cells", "features", "gates", "memory", "primitives", "vectors")
    ]
    for file in [*sorted(package.glob("*.py")), *twins]:
        own.update(file.read_bytes())
    switches = (config.BOUNDSCHECK, config.OPT, config.DEBUGINFO_DEFAULT, config.ENABLE_AVX)
    return f"{sys.version} {numba.__version__} {llvmlite.__version__} {switches} {own.hexdigest()}"


class DiskCache:
    """What Numba asks for compiled code before compiling, for one function. Only the outermost call is kept."""

    _toolchain: str | None = None

    def __init__(self, function: FunctionType) -> None:
        self._function = function
        try:
            self._fingerprint: str | None = source.fingerprint(function)
        except source.CannotFingerprint:
            self._fingerprint = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for these argument types, or None when it must be compiled now."""
        if _compiling.get() is not None:
            return None
        runtime.initialize(target_context)  # what machine code needs; the compiler itself only if it must compile
        path = self._path(sig, target_context)
        if path is not None:
            try:
                constants, data = pickle.loads(_read(path))
                if constants_hold(sig[0].game, constants):
                    result = CompileResult._rebuild(target_context, *pickle.loads(data))
                    os.utime(path)
                    return result
            except FileNotFoundError:
                pass
            except Exception:  # damaged, not ours, or made for classes that are no longer there: compile and replace it
                _remove(path)
        _compiling.set((self, sig, Announcement(self._function, sig[0].game)))
        return None

    def holds(self, sig: Any, target_context: Any) -> bool:
        """Whether there is a file for these argument types."""
        path = self._path(sig, target_context)
        return path is not None and path.is_file()

    def save_overload(self, sig: Any, compiled: Any) -> None:
        match _compiling.get():
            case (cache, outermost, announcement) if cache is self and outermost == sig:
                _compiling.set(None)
            case _:
                return
        complete(compiled.library)
        path = self._path(sig, compiled.target_context)
        if path is not None and _stands_alone(compiled.library):
            _write(path, pickle.dumps((sig[0].constants, dumps(compiled._reduce()))))
        announcement.done()

    @staticmethod
    def abandon(error: BaseException) -> bool:
        """Whether a compilation is under way: it has failed by that error."""
        match _compiling.get():
            case (_, _, announcement):
                announcement.failed("not possible" if isinstance(error, Exception) else "interrupted")
                _compiling.set(None)
                return True
        return False

    def _path(self, sig: Any, target_context: Any) -> Path | None:
        """Where the code for these argument types is kept; None if it cannot outlive the process."""
        game_type = sig[0]
        directory = folder()
        if directory is None or self._fingerprint is None or not game_type.importable:
            return None
        if DiskCache._toolchain is None:
            DiskCache._toolchain = _toolchain()
        parts = (
            DiskCache._toolchain,
            self._function.__qualname__,
            self._fingerprint,
            game_type.module,
            str(sig),
            str(target_context.codegen().magic_tuple()),
        )
        key = hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()
        return directory / f"{game_type.game.name}-{self._function.__name__}-{key}.bin"


def _stands_alone(library: Any) -> bool:
    """Whether machine code refers to nothing in this process's memory.

    Functions that call each other, or themselves with other types, do: Numba patches the address in at run time, and
    never does so for code from disk, which would then jump to nowhere.
    """
    patched = any(value.name.startswith(RuntimeLinker.PREFIX) for value in library._final_module.global_variables)
    return not patched and not library.has_dynamic_globals


def _read(path: Path) -> bytes:
    """What `_write` wrote. Damaged machine code would crash the process, so a file begins with a digest of the rest."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | _AS_IT_IS)) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or not _is_own(status):
            raise PermissionError(f"{path} is not a file of ours")
        content = file.read()
    digest, data = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    if digest != _digest(data):
        raise ValueError(f"{path} is damaged")
    return data


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()


def _write(path: Path, data: bytes) -> None:
    """Write a file whole, and drop the longest unused ones when the folder grows too large."""
    part = path.with_name(f"{secrets.token_hex(8)}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _AS_IT_IS, 0o600), "wb") as file:
            file.write(_digest(data) + data)
        os.replace(part, path)
        for left in path.parent.glob("*.part"):
            if time.time() - left.lstat().st_mtime > _ABANDONED_SECONDS:
                _remove(left)
        files = sorted(path.parent.glob("*.bin"), key=lambda each: each.stat().st_mtime, reverse=True)
        total = 0
        for old in files:
            total += old.stat().st_size
            if total > _LIMIT_BYTES:
                old.unlink(missing_ok=True)
    except OSError:
        _remove(part)  # a full or read-only disk costs the next start some seconds, nothing else


def _remove(path: Path) -> None:
    """Take a file, a link or an empty folder out of the way, if that is possible."""
    with suppress(OSError):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
