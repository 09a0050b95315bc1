"""Whose estimates a search goes by: a model's, or those of the game itself."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from counterplay.core.errors import UserError
from counterplay.core.game import Game

__all__ = ["TABLES", "Without", "about_model", "estimated", "explained", "split_without", "told_model"]

MODEL, TABLES = "model", "tables"

Without = Annotated[
    str | None,
    typer.Option(metavar="model", help="`model`: with the game's own estimate, where a model is usually taken."),
]


def split_without(without: str | None, model: str | None = None, others: bool = False) -> tuple[bool, list[str]]:
    """Whether to do without a model, and what `others` are to be left out, if such are known there."""
    names = without.split(",") if without else []
    is_without = MODEL in names
    if is_without and model is not None:
        raise UserError("give --model or --without model, not both")
    rest = [name for name in names if name != MODEL]
    if rest and not others:
        raise UserError(f"--without takes `model` here, not '{rest[0]}'")
    return is_without, rest


def estimated(game: Game, algorithm: str, is_without: bool = False) -> Game:
    """The game as this search sees it: with the model that it usually takes, if it has none yet."""
    from counterplay.learn.shelf import with_usual

    return game if is_without else with_usual(game, algorithm)


def explained(game: Game, algorithm: str, is_without: bool = False) -> Game:
    """The game as its moves are explained: the same, but for games with terms that have names and add up, where what is
    usual is a network, which cannot be taken apart. Who wants that one explained says so."""
    from counterplay.learn import model_of
    from counterplay.study.analysis import learned

    seen = estimated(game, algorithm, is_without)
    model = model_of(seen)
    is_asked_for = model is not None and model is model_of(game)
    return seen if model is None or is_asked_for or learned.adds_up(model) or not game.knows.terms else game


def about_model(game: Game) -> dict[str, Any]:
    """For JSON: which model estimates; nothing if none does."""
    from counterplay.learn import model_of

    model = model_of(game)
    return {} if model is None else {MODEL: model.as_dict()}


def told_model(game: Game) -> list[str]:
    """A line that says which model estimates; none if none does."""
    from counterplay.learn import model_of
    from counterplay.learn.shelf import SHIPPED

    model = model_of(game)
    if model is None:
        return []
    name = "the model that comes with the game" if model.name == SHIPPED else model.name
    rest = "; --without model does without" if model.name == SHIPPED else ""
    return [f"estimates: {name} ({model.kind}, {model.schooling}){rest}"]
