"""A game on disk: what `play` saves and continues, and what `analyse` reads. JSON, moves by their names."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from counterplay import games
from counterplay.files import write_files
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
        write_files({file: json.dumps(asdict(self), indent=1) + "\n"})

    @classmethod
    def read(cls, file: Path) -> SavedGame:
        """The game in a file, proven playable from beginning to end."""
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            known = {field.name for field in fields(cls)}
            saved = cls(**{name: _frozen(value) for name, value in found.items() if name in known})
            saved._must_be_typed()
        except OSError as error:
            raise UserError(f"{file} cannot be read: {error.strerror}") from None
        except (ValueError, TypeError, AttributeError):
            raise UserError(f"{file} is not a saved game; `save FILE` in `counterplay play` writes one") from None
        try:
            game = saved.load()
            saved.states(game)
            if saved.resigned is not None and not 0 <= saved.resigned < game.players:
                raise UserError(f"nobody at seat {saved.resigned} can resign: {game} has seats 0 to {game.players - 1}")
        except UserError as error:
            raise UserError(f"{file}: {error}") from None
        return saved

    def _must_be_typed(self) -> None:
        """Raise TypeError for fields that no `write` has written."""
        texts = (self.game, self.begins, *self.moves, *self.players)
        numbers = (self.seed, 0 if self.resigned is None else self.resigned)
        if not (isinstance(self.moves, tuple) and isinstance(self.players, tuple)):
            raise TypeError
        if not all(isinstance(each, str) for each in texts) or not all(type(each) is int for each in numbers):
            raise TypeError


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
