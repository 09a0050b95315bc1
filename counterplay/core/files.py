"""Files: read within bounds, and written whole, so that no reader sees half of one and what fails changes nothing."""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from counterplay.core.errors import UserError

__all__ = ["locked", "read_bytes", "read_json", "read_text", "write_files"]

MOST_BYTES = 64_000_000
"""A larger file is none that we have written."""


def read_bytes(file: Path, most: int) -> bytes:
    """What is in a file that may be anybody's, if it has no more than `most` bytes."""
    try:
        with file.open("rb") as opened:
            data = opened.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: no file can have such a name
        raise UserError(f"{file} cannot be read: {_reason(error)}") from None
    if len(data) > most:
        raise UserError(f"{file} has more than {most:,} bytes, too many to be read")
    return data


def read_text(file: Path) -> str:
    """The text of a file that may be anybody's; what is no UTF-8 in it does no harm."""
    text = read_bytes(file, MOST_BYTES).decode("utf-8-sig", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_json(text: str) -> Any:
    """What a JSON text says; ValueError for one that is none, or nested deeper than anything we write."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def locked(file: Path) -> BinaryIO:
    """A file open to be read and added to, by nobody else who opens it so, until it is closed or the process ends."""
    try:
        opened = file.open("a+b")
    except (OSError, ValueError) as error:
        raise UserError(f"{file} cannot be written: {_reason(error)}") from None
    try:
        if sys.platform == "win32":
            import msvcrt

            opened.seek(1 << 30)  # a byte far behind the end, so that others can read
            msvcrt.locking(opened.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        opened.close()
        raise UserError(f"{file} is being written by another process; wait for it, or name another file") from None
    opened.seek(0)
    return opened


def write_files(texts: Mapping[Path, str | bytes]) -> None:
    """Write each text into its file, or what is none as it is. No file is replaced before all are on the disk."""
    aside: dict[Path, Path] = {}
    try:
        for file, text in texts.items():
            if file.is_dir():
                raise IsADirectoryError(0, "it is a folder")
            aside[file] = _write_aside(file, text)
        for file, part in aside.items():
            os.replace(part, file)
    except (OSError, ValueError) as error:
        raise UserError(f"{file} cannot be written: {_reason(error)}") from None
    finally:
        for part in aside.values():
            with suppress(OSError):
                part.unlink()


def _write_aside(file: Path, text: str | bytes) -> Path:
    """A new file beside `file`, with the text on the disk. Nobody knows its name before, so nothing is in its place."""
    if "\0" in file.name:
        raise ValueError("no file has such a name")
    part = file.with_name(f".{secrets.token_hex(8)}.part")
    data = text.encode("utf-8") if isinstance(text, str) else text
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as opened:
        try:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        except OSError:
            part.unlink(missing_ok=True)
            raise
    return part


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
