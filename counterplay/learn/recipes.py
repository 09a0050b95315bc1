"""Recipes: a model and a way to train it, by name.

    samuel                  a weight for each feature, added up, learned from a search (checkers, 1959)
    td-gammon               a network with one hidden layer (backgammon, 1992)
    logistello              tables of patterns (Othello, 1997)
    any                     a small network, for any game of two opponents
    sides                   a network that looks at the board as both players do (Nasu 2018), for chess and breakthrough
    zero                    a network for values and moves, taught by tree search (AlphaGo Zero, 2017)
    descent                 a network for values, taught by best-first minimax (Cohen-Solal, 2020)

Each setting can be changed in the text: `td-gammon:hidden=160,rate=0.05`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, cast

from counterplay.core.errors import UserError
from counterplay.core.game import Game
from counterplay.core.texts import read_settings
from counterplay.learn.convolution import ConvolutionalNetwork
from counterplay.learn.descent import DescentSettings, DescentTraining
from counterplay.learn.dual import DualNetwork
from counterplay.learn.linear import Linear
from counterplay.learn.model import Model
from counterplay.learn.network import Network
from counterplay.learn.patterns import Patterns
from counterplay.learn.sided import SidedNetwork
from counterplay.learn.temporal import Settings, Training
from counterplay.learn.zero import ZeroSettings, ZeroTraining
from counterplay.learn.zero_batches import BatchSettings, BatchTraining

__all__ = ["METHODS", "RECIPES", "Recipe", "recipe_for"]

AnySettings = Settings | ZeroSettings | BatchSettings | DescentSettings


@dataclass(frozen=True)
class Recipe:
    """What to train, and how."""

    name: str
    about: str
    kind: type[Model]
    shape: dict[str, Any]
    """What the model is made with besides the game."""
    games: int
    """How many games, if nobody says."""
    made_for: tuple[str, ...] = ()
    """The games that take this one if nobody names another."""
    depth: int = 1
    """How many plies it looks ahead while it learns, where there are no dice."""
    training: dict[str, Any] = field(default_factory=dict)
    """Settings of the method, where they are not the model's own."""
    method: str = "td"
    """`td`, `zero` or `descent`."""

    def model(self, game: Game, seed: int = 0) -> Model:
        """A new model, which has learned nothing."""
        shape = {name: value for name, value in self.shape.items() if name != "network"}
        if issubclass(self.kind, Network | SidedNetwork | ConvolutionalNetwork):
            shape["seed"] = seed
        return self.kind(game, **shape)

    def begin(self, game: Game, model: Model, games: int | None = None, threads: int = 1, seed: int = 0) -> Training:
        """A training of the model on this game, not yet begun."""
        settings = self.settings(game, games, threads, seed)
        if isinstance(settings, Settings):
            return Training(game, model, settings)
        if isinstance(settings, BatchSettings):
            return BatchTraining(game, cast("ConvolutionalNetwork", model), settings)
        if isinstance(settings, DescentSettings):
            return DescentTraining(game, model, settings)
        return ZeroTraining(game, cast("DualNetwork", model), settings)

    @property
    def kind_of_settings(self) -> type[AnySettings]:
        if self.method == "zero" and self.kind is ConvolutionalNetwork:
            return BatchSettings
        return {"td": Settings, "zero": ZeroSettings, "descent": DescentSettings}[self.method]

    def settings(self, game: Game, games: int | None = None, threads: int = 1, seed: int = 0) -> AnySettings:
        """How to train it on this game."""
        games = self.games if games is None else games
        first, last = self.kind.rate
        first = float(self.training.get("rate", first))
        last = float(self.training.get("last_rate", min(last, first)))
        if self.method in ("zero", "descent"):
            known = _TRAINING[self.method].items()
            own = {name: kind(self.training[name]) for name, kind in known if name in self.training}
            own.pop("rate", None)
            own.pop("last_rate", None)
            made: Any = self.kind_of_settings
            return cast("AnySettings", made(games, (first, last), threads=threads, seed=seed, **own))
        trace = float(self.training.get("trace", self.kind.trace))
        explore = float(self.training.get("explore", 0.0 if game.chance else 0.1))
        depth = int(self.training.get("depth", 1 if game.chance else self.depth))
        warm = float(self.training.get("warm", 0.0))
        discount = float(self.training.get("discount", 1.0))
        return Settings(games, (first, last), trace, explore, threads, seed, depth, warm, discount)

    def __str__(self) -> str:
        """The text that it can be read from."""
        plain = RECIPES[self.name]
        changed = {
            key: value
            for of, before in ((self.shape, plain.shape), (self.training, plain.training))
            for key, value in of.items()
            if before.get(key) != value
        }
        return ":".join(filter(None, (self.name, ",".join(f"{key}={value}" for key, value in changed.items()))))


_ZERO = {
    **dict.fromkeys(("simulations", "quick", "opening", "gumbel", "images", "gate", "slots", "batch"), int),
    **dict.fromkeys(("window", "solve"), int),
    **dict.fromkeys(("share", "puct", "noise", "warm", "mix", "repeats", "gumbel_scale", "forced", "resign"), float),
    **dict.fromkeys(("opened", "average", "playouts", "rave", "hunch"), float),
}
_TRAINING: dict[str, dict[str, Any]] = {
    "td": {**dict.fromkeys(("rate", "last_rate", "trace", "explore", "warm", "discount"), float), "depth": int},
    "zero": {"rate": float, "last_rate": float, **_ZERO},
    "descent": {
        **dict.fromkeys(("rate", "last_rate", "explore", "repeats", "memory_mb"), float),
        **dict.fromkeys(("simulations", "opening"), int),
    },
}
"""What can be said of each method, and what kind of number it is."""

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "samuel",
            "a weight for each feature of the game, added up, as Samuel's checkers player of 1959",
            Linear,
            {"features": "own"},
            games=12_000,
            made_for=("checkers",),
            depth=3,
            training={"rate": 0.05, "last_rate": 0.005, "trace": 0.9},
        ),
        Recipe(
            "td-gammon",
            "a network with one hidden layer, as Tesauro's of 1992",
            Network,
            {"hidden": 80, "features": "own"},
            games=300_000,
            made_for=("backgammon",),
        ),
        Recipe(
            "logistello",
            "tables of what stands on lines and corners, by stage of the game, as Buro's of 1997",
            Patterns,
            {"stages": 6},
            games=300_000,
            made_for=("othello",),
        ),
        Recipe(
            "any",
            "a small network that sees the state as it is",
            Network,
            {"hidden": 64, "features": "own"},
            games=30_000,
        ),
        Recipe(
            "sides",
            "a network that looks at the board as both players do, as Nasu's of 2018",
            SidedNetwork,
            {"hidden": "64x16", "features": "sides", "stages": 1},
            games=100_000,
        ),
        Recipe(
            "zero",
            "a network for values and moves, taught by tree search, as AlphaGo Zero of 2017",
            DualNetwork,
            {"network": "compiled", "hidden": "64x32", "features": "own", "alike": False},
            games=20_000,
            method="zero",
        ),
        Recipe(
            "descent",
            "a network for values, taught by best-first minimax to the end of the game, as Cohen-Solal's of 2020",
            Network,
            {"hidden": 64, "features": "own"},
            games=5_000,
            method="descent",
        ),
    )
}

_CONVOLUTIONAL = replace(
    RECIPES["zero"],
    about="a convolutional network for values and moves, taught by tree search, as AlphaGo Zero of 2017",
    kind=ConvolutionalNetwork,
    shape={"network": "conv", "channels": 32, "blocks": 4},
    games=2_000,
)
"""What `zero:network=conv` is."""


METHODS = tuple(_TRAINING)
"""How a model can learn."""


def recipe_for(game: Game, text: str | None = None, method: str | None = None) -> Recipe:
    """The recipe that a text names, or the one that is made for the game and learns by this method."""
    if method is not None and method not in METHODS:
        raise UserError(f"there is no method '{method}'; there are: {', '.join(METHODS)}")
    recipe = _recipe_for(game, method if text is None and method in RECIPES else text)
    if method is not None and method != recipe.method:
        raise UserError(f"{recipe.name} learns by {recipe.method}, not by {method}")
    return recipe


def _recipe_for(game: Game, text: str | None) -> Recipe:
    if text is None:
        made = (recipe for recipe in RECIPES.values() if game.name in recipe.made_for)
        return next(made, RECIPES["any"])
    name, _, rest = text.partition(":")
    if name not in RECIPES:
        raise UserError(f"there is no recipe '{name}'; there are: {', '.join(RECIPES)}")
    recipe = RECIPES[name]
    network = read_settings(rest).get("network", "compiled")
    if name == "zero" and network == "conv":
        recipe = _CONVOLUTIONAL
    elif name == "zero" and network != "compiled":
        raise UserError(f"the network of zero is 'compiled' or 'conv', not '{network}'")
    shape, training = dict(recipe.shape), dict(recipe.training)
    fields = {"last_rate", *recipe.kind_of_settings._fields}
    known = {key: kind for key, kind in _TRAINING[recipe.method].items() if key in fields}
    for key, value in read_settings(rest).items():
        if key in known:
            is_number = isinstance(value, int if known[key] is int else int | float) and not isinstance(value, bool)
            if not is_number:
                what = "a whole number" if known[key] is int else "a number"
                raise UserError(f"'{key}' of a recipe is {what}, not '{value}'")
            training[key] = value
        elif key not in shape:
            raise UserError(f"{name} has no setting '{key}'; it has: {', '.join((*shape, *known))}")
        elif type(value) is not type(shape[key]) and not (key == "hidden" and type(value) is int):  # 64: one layer
            raise UserError(f"'{key}' of {name} is {shape[key]} if nobody says so; '{value}' is nothing like it")
        else:
            shape[key] = value
    return replace(recipe, shape=shape, training=training)
