"""A game on disk: what `play` saves and continues, and what `analyse` reads. JSON, moves by their names.

Such a file may be anybody's. It names a game of the package; a game in a file of code is never loaded because data says
so, but only if whoever reads the data names it too.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from math import inf
from pathlib import Path
from typing import Any

from counterplay import games
from counterplay.core.files import read_json, read_text, write_files
from counterplay.core.game import Game, UserError

__all__ = ["SavedGame"]


@dataclass(frozen=True)
class SavedGame:
    """A game as far as it was played, and who plays it."""

    game: str
    """Its name and parameters, as `str(game)` has them."""
    begins: str
    """The text of the first position."""
    moves: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    """One for each seat: `human` or a text for `new_player`; empty if that is not known."""
    seed: int = 0
    resigned: int | None = None
    """The seat that gave up, from 0."""
    clocks: tuple[str, ...] = ()
    """One for each seat: a text for `Clock.read`, or an empty one; empty for games without clocks."""
    used: tuple[float, ...] = ()
    """In a game with clocks: the seconds that each move took, and those of the turn that is on."""
    flagged: int | None = None
    """The seat whose time was up, from 0."""
    source: str = ""
    """The name of the file that a game of somebody's own is from, for people; nothing is loaded by it."""

    def load(self, game: Game | None = None) -> Game:
        """The game that this is one of: that of the caller, if it is the same, or one of the package."""
        if game is not None:
            if str(game) != self.game:
                raise UserError(f"this is a game of {self.game}, not of {game}")
            return game
        if self.source:
            raise UserError(f"this is a game of {self.game} in {self.source}: name that file too, as the GAME")
        return games.load_ours(self.game)

    def states(self, game: Game) -> list[Any]:
        """All positions of the game, the first and the last included."""
        start = game.initial()  # a game that cannot read its boards can still be saved, if it begins at the start
        states = [start if game.to_text(start) == self.begins else game.from_text(self.begins)]
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
    def read(cls, file: Path, game: Game | None = None) -> SavedGame:
        """The game in a file, proven playable from beginning to end; `game` is for `load`."""
        saved = cls.parse(read_text(file), file)
        try:
            game = saved.load(game)
            saved.states(game)
            for seat, what in ((saved.resigned, "resign"), (saved.flagged, "run out of time")):
                if seat is not None and not 0 <= seat < game.players:
                    raise UserError(f"nobody at seat {seat} can {what}: {game} has seats 0 to {game.players - 1}")
        except UserError as error:
            raise UserError(f"{file}: {error}") from None
        return saved

    @classmethod
    def parse(cls, text: str, file: Path) -> SavedGame:
        """The game in the text of a file, as it stands there."""
        try:
            found = read_json(text)
            known = {field.name for field in fields(cls)}
            saved = cls(**{name: _frozen(value) for name, value in found.items() if name in known})
            saved._must_be_typed()
        except (ValueError, TypeError, AttributeError):
            raise UserError(f"{file} is not a saved game; `save FILE` in `counterplay play` writes one") from None
        return saved

    def _must_be_typed(self) -> None:
        """Raise TypeError for fields that no `write` has written."""
        if not all(isinstance(each, tuple) for each in (self.moves, self.players, self.clocks, self.used)):
            raise TypeError
        texts = (self.game, self.source, self.begins, *self.moves, *self.players, *self.clocks)
        numbers = (self.seed, *(seat for seat in (self.resigned, self.flagged) if seat is not None))
        if not all(isinstance(each, str) for each in texts) or not all(type(each) is int for each in numbers):
            raise TypeError
        if not all(type(each) in (int, float) and 0 <= each < inf for each in self.used):
            raise TypeError


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
