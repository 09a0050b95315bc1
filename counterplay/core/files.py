"""Writing files whole: whoever reads one never sees half of it, and what fails changes nothing."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from counterplay.core.game import UserError

__all__ = ["write_files"]


def write_files(texts: dict[Path, str]) -> None:
    """Write each text into its file. No file is replaced before all texts are on the disk."""
    aside = {file: file.with_name(f"{file.name}.{os.getpid()}.part") for file in texts}
    try:
        for file, text in texts.items():
            if file.is_dir():
                raise IsADirectoryError(0, "it is a folder")
            aside[file].write_text(text, encoding="utf-8")
        for file, part in aside.items():
            os.replace(part, file)
    except (OSError, ValueError) as error:  # ValueError: no file can have such a name
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UserError(f"{file} cannot be written: {reason}") from None
    finally:
        for part in aside.values():
            with suppress(OSError, ValueError):
                part.unlink()
