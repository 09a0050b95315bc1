"""Which models there are: those that come with Counterplay, and those that you have trained.

`shipped` stands for the model of the game that comes with Counterplay, wherever the name of a file is asked for. Where
it plays better than the game without it, commands take it by themselves.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from counterplay import games
from counterplay.core.errors import UserError
from counterplay.core.game import Game
from counterplay.learn.files import describe, load
from counterplay.learn.model import Model, model_of
from counterplay.search import ENGINES

__all__ = ["SHIPPED", "STRONGER", "Kept", "has_shipped", "kept", "models_in", "named", "on_the_shelf", "shipped"]
__all__ += ["usual", "with_usual"]

SHIPPED = "shipped"
_FOLDER = Path(__file__).parent / SHIPPED
_SUFFIX = ".safetensors"

STRONGER = {
    "backgammon": "70% of 40 games",
    "checkers": "58% of 60 games",
    "chess": "84.5% of 100 games",
    "othello": "73% of 60 games",
}
"""The games whose shipped model is taken by default, and what it got there against the same search without it, both
with 0.05 s a move on a busy machine, in checkers and chess 0.1 s; of backgammon it was the model before this one, which
loses to it."""


class Kept(NamedTuple):
    """A model in a file."""

    file: Path
    game: str
    kind: str
    trained: list[dict[str, Any]]
    shape: dict[str, Any]
    """What the model is made with besides the game."""
    problem: str = ""
    """Why it is none, if it is none."""

    @property
    def played(self) -> int:
        """How many games it has learned from."""
        return sum(each.get("played", 0) for each in self.trained)

    def as_dict(self) -> dict[str, Any]:
        return {**self._asdict(), "file": str(self.file)}


def on_the_shelf() -> list[Kept]:
    """The models that come with Counterplay."""
    return models_in(_FOLDER)


def models_in(folder: Path) -> list[Kept]:
    """The models in a folder; what has their ending and is none is told too."""
    return [kept(file) for file in sorted(folder.glob(f"*{_SUFFIX}"))]


def kept(file: Path) -> Kept:
    """The model in a file, without its weights; or what is wrong with it."""
    try:
        about = describe(file)
    except UserError as error:
        return Kept(file, "", "", [], {}, str(error))
    return Kept(file, about["game"], about["model"], about["trained"], about["shape"])


def usual(game: Game, algorithm: str) -> str | None:
    """The name of the model that a search of a game takes if nobody says which: one that plays better, or none.

    It is for searches by depth, which need an estimate where they end.
    """
    engine = ENGINES.get(algorithm)
    is_by_depth = engine is not None and "depth" in engine.abilities.limits
    return SHIPPED if is_by_depth and str(game) in STRONGER and not games.source(game) else None


def with_usual(game: Game, algorithm: str) -> Game:
    """The game as a search usually sees it; one that has a model already stays as it is."""
    name = None if model_of(game) is not None else usual(game, algorithm)
    return game if name is None else game.with_model(named(game, name))


def has_shipped(game: Game) -> bool:
    """Whether a model for the game comes with Counterplay."""
    return not games.source(game) and _file(game).exists()


def shipped(game: Game) -> Model:
    """The model for a game that comes with Counterplay."""
    file = _file(game)
    if not file.exists():
        raise UserError(f"no model for {game} comes with Counterplay: `counterplay train {game}` makes one")
    model = load(file, game)
    model.name = SHIPPED
    return model


def _file(game: Game) -> Path:
    """Where its model is, if it has one: `othello:size=6` is another game than `othello`."""
    return _FOLDER / f"{str(game).replace(':', '-')}{_SUFFIX}"


def named(game: Game, text: str) -> Model:
    """The model in the file of that name, or the one that comes with the game."""
    return shipped(game) if text == SHIPPED else load(text, game)
