"""Which models there are: those that come with Counterplay, and those that you have trained.

`shipped` stands for the model of the game that comes with Counterplay, wherever the name of a file is asked for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from counterplay.core.errors import UserError
from counterplay.core.game import Game
from counterplay.learn.files import describe, load
from counterplay.learn.model import Model

__all__ = ["SHIPPED", "Kept", "models_in", "named", "shipped"]

SHIPPED = "shipped"
_FOLDER = Path(__file__).parent / SHIPPED
_SUFFIX = ".safetensors"


class Kept(NamedTuple):
    """A model in a file."""

    file: Path
    game: str
    kind: str
    trained: list[dict[str, Any]]
    problem: str = ""
    """Why it is none, if it is none."""

    def as_dict(self) -> dict[str, Any]:
        return {**self._asdict(), "file": str(self.file)}


def shipped() -> list[Kept]:
    """The models that come with Counterplay."""
    return models_in(_FOLDER)


def models_in(folder: Path) -> list[Kept]:
    """The models in a folder; what has their ending and is none is told too."""
    return [_kept(file) for file in sorted(folder.glob(f"*{_SUFFIX}"))]


def _kept(file: Path) -> Kept:
    try:
        about = describe(file)
    except UserError as error:
        return Kept(file, "", "", [], str(error))
    return Kept(file, about["game"], about["model"], about["trained"])


def named(game: Game, text: str) -> Model:
    """The model in the file of that name, or the one that comes with the game."""
    if text != SHIPPED:
        return load(text, game)
    file = _FOLDER / f"{game.name}{_SUFFIX}"
    if not file.exists():
        raise UserError(f"no model for {game.name} comes with Counterplay: `counterplay train {game.name}` makes one")
    return load(file, game)
