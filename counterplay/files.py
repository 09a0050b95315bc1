"""Writing files whole: whoever reads one never sees half of it, and what fails changes nothing."""

from __future__ import annotations

import os
from pathlib import Path

from counterplay.game import UserError

__all__ = ["write_files"]


def write_files(texts: dict[Path, str]) -> None:
    """Write each text into its file; all of them, or none if one cannot be written."""
    aside = {file: file.with_name(f"{file.name}.{os.getpid()}.part") for file in texts}
    try:
        for file, text in texts.items():
            if file.is_dir():
                raise UserError(f"{file} cannot be written: it is a folder")
            aside[file].write_text(text, encoding="utf-8")
        for file, part in aside.items():
            os.replace(part, file)
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror}") from None
    finally:
        for part in aside.values():
            part.unlink(missing_ok=True)
