"""Tables on disk: safetensors files, mapped into memory, with a checksum and what they are of.

A table has for each of its slices two tensors, `results.N` with two bits a position and `plies.N`; one that numbers
positions by their hash has `keys.0` too, and one of a game with dice has `values.N`. Files are written whole, and
reading one runs none of it.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.files import read_json, write_files
from counterplay.solve.tables.probe import Places

__all__ = ["SUFFIX", "Slice", "TableFile", "open_table", "reopened", "save_table", "users_folder"]

SUFFIX = ".table"
VERSION = 1
_MOST_HEADER = 1_000_000
_CHECKED_AT_ONCE = 1_000_000
"""A file of no more bytes is summed up whenever it is opened; a larger one when it is asked for."""


def users_folder() -> Path:
    """Where tables are kept that somebody has built: COUNTERPLAY_TABLES_DIR, or the folder for users' data."""
    given = os.environ.get("COUNTERPLAY_TABLES_DIR")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "counterplay" / "tables"


class Slice(NamedTuple):
    """What a slice's positions are worth, as it is in memory and on disk."""

    results: Any = None
    plies: Any = None
    keys: Any = None
    values: Any = None
    """Where dice are thrown: what the player to move can expect."""


class TableFile(NamedTuple):
    """A file that was opened."""

    file: Path
    about: dict[str, Any]
    """Of which `game`, which `name`, the number of `positions`, `wins`, `draws` and `losses`, the `longest`."""
    slices: dict[int, Slice]

    def point(self, places: Places) -> None:
        """Let a game look up these slices."""
        for number, each in self.slices.items():
            places.point(number, *each)
        places.files = (*places.files, self.file)


def packed(results: Any, plies: Any) -> Slice:
    """A slice of results, a byte each, and plies: as few bits as will do, in whole words."""
    padded = np.zeros(-(-len(results) // 32) * 32, np.uint8)
    padded[: len(results)] = results
    four = padded.reshape(-1, 4)
    bits = four[:, 0] | four[:, 1] << 2 | four[:, 2] << 4 | four[:, 3] << 6
    longest = int(plies.max()) if len(plies) else 0
    few = np.zeros(-(-len(plies) // 8) * 8, np.uint8 if longest < 256 else np.uint16)
    few[: len(plies)] = plies
    return Slice(bits.astype(np.uint8), few)


def save_table(file: Path, about: dict[str, Any], slices: dict[int, Slice]) -> None:
    """Write a table, whole or not at all."""
    tensors: dict[str, Any] = {}
    for number, each in sorted(slices.items()):
        tensors |= {f"{name}.{number}": x for name, x in each._asdict().items() if x is not None}
    at, entries, digest = 0, {}, hashlib.sha256()
    kinds = {"uint8": "U8", "uint16": "U16", "int64": "I64", "float64": "F64"}
    for name, x in tensors.items():
        entries[name] = {"dtype": kinds[x.dtype.name], "shape": [len(x)], "data_offsets": [at, at + x.nbytes]}
        digest.update(x.tobytes())
        at += x.nbytes
    metadata = {"counterplay": json.dumps({"version": VERSION, **about, "sha256": digest.hexdigest()})}
    header = json.dumps({"__metadata__": metadata, **entries}).encode()
    header += b" " * (-len(header) % 8)
    data = b"".join([len(header).to_bytes(8, "little"), header, *(x.tobytes() for x in tensors.values())])
    file.parent.mkdir(parents=True, exist_ok=True)
    write_files({file: data})


def open_table(file: Path, *, is_checked: bool = False) -> TableFile:
    """The table in a file, mapped into memory; summed up if it is small or that is wanted."""
    try:
        mapped: Any = np.memmap(file, np.uint8, "r")
        length = int.from_bytes(mapped[:8].tobytes(), "little")
        if not 0 < length <= min(_MOST_HEADER, len(mapped) - 8):
            raise ValueError
        header = read_json(mapped[8 : 8 + length].tobytes().decode())
        about = read_json(header.pop("__metadata__")["counterplay"])
        data = mapped[8 + length :]
        version, checksum = about["version"], about["sha256"]
        slices: dict[int, dict[str, Any]] = {}
        end = 0
        for name, entry in header.items():
            what, _, number = name.partition(".")
            kind = {"U8": np.uint8, "U16": np.uint16, "I64": np.int64, "F64": np.float64}[entry["dtype"]]
            first, last = entry["data_offsets"]
            if what not in Slice._fields or not 0 <= first <= last <= len(data):
                raise ValueError
            end = max(end, last)
            slices.setdefault(int(number), {})[what] = data[first:last].view(kind)
        if end != len(data):
            raise ValueError
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError(f"{file} is no table of Counterplay, or only a part of one") from None
    if version != VERSION:
        raise UserError(f"{file} was written by another version of Counterplay: build it anew")
    if (is_checked or len(data) <= _CHECKED_AT_ONCE) and hashlib.sha256(data).hexdigest() != checksum:
        raise UserError(f"{file} is damaged: its checksum is not what it was; delete it and build it anew")
    return TableFile(file, about, {number: Slice(**each) for number, each in slices.items()})


def reopened(slices: int, files: tuple[str, ...]) -> Places:
    """The places of the slices in these files, in whatever process."""
    places = Places(slices)
    for file in files:
        open_table(Path(file)).point(places)
    return places
