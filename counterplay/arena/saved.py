"""A game on disk: what `play` saves and continues, and what `analyse` reads. JSON, moves by their names."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from counterplay import games
from counterplay.game import Game, UserError

__all__ = ["SavedGame"]


@dataclass(frozen=True)
class SavedGame:
    """A game as far as it was played, and who plays it."""

    game: str
    """As `games.load` takes it."""
    begins: str
    """The text of the first position."""
    moves: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    """One for each seat: `human` or a text for `new_player`; empty if that is not known."""
    seed: int = 0
    resigned: int | None = None
    """The seat that gave up, from 0."""

    def load(self) -> Game:
        return games.load(self.game)

    def states(self, game: Game) -> list[Any]:
        """All positions of the game, the first and the last included."""
        states = [game.from_text(self.begins)]
        for number, name in enumerate(self.moves, 1):
            try:
                states.append(game.result(states[-1], game.parse_action(states[-1], name)))
            except UserError as error:
                raise UserError(f"move {number}: {error}") from None
        return states

    def write(self, file: Path) -> None:
        """Write the file whole, or leave what was there."""
        text = json.dumps(asdict(self), indent=1) + "\n"
        try:
            with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as aside:
                aside.write(text)
            os.replace(aside.name, file)
        except OSError as error:
            raise UserError(f"{file} cannot be written: {error.strerror}") from None

    @classmethod
    def read(cls, file: Path) -> SavedGame:
        """The game in a file, proven playable from beginning to end."""
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            known = {field.name for field in fields(cls)}
            saved = cls(**{name: _frozen(value) for name, value in found.items() if name in known})
        except OSError as error:
            raise UserError(f"{file} cannot be read: {error.strerror}") from None
        except (ValueError, TypeError, AttributeError):
            raise UserError(f"{file} is not a saved game; `save FILE` in `counterplay play` writes one") from None
        try:
            saved.states(saved.load())
        except UserError as error:
            raise UserError(f"{file}: {error}") from None
        return saved


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
