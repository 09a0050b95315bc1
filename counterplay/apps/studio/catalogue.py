"""What the page may name: games, players and models, all known to the server before the page is.

A game is one of the package, or was named on the command line. A seat is described by a few fields, of which the text
for `new_player` is made here: so no text from the page names a file or a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from counterplay import games, search
from counterplay.arena import HUMAN, LEVELS, Clock
from counterplay.arena.outside import KINDS as PROGRAMS
from counterplay.core.game import Game, UserError
from counterplay.learn.shelf import SHIPPED, named, on_the_shelf

__all__ = ["MOST_SECONDS", "Catalogue"]

MOST_SECONDS = 30.0
"""That a move may take, whatever the page asks for."""
_LIMITS: dict[str, tuple[float, float]] = {
    "depth": (1, 64),
    "nodes": (1, 1_000_000_000),
    "simulations": (1, 10_000_000),
    "seconds": (0.01, MOST_SECONDS),
}


class Catalogue:
    """The games and players of this server."""

    def __init__(self, named: Sequence[str] = (), engines: Sequence[str] = (), models: Path | None = None) -> None:
        """`named`: games of the command line, files of code among them; `engines`: players by other programs.

        `models`: the folder of the models that are trained here.
        """
        self._models = models
        self.texts = tuple(dict.fromkeys((*named, *games.names())))
        """What each game is loaded by; the page sees `str(game)`, never a path."""
        self.engines = tuple(engines)
        for text in engines:
            if text.partition(":")[0] not in PROGRAMS:
                raise UserError(f"'{text}' is no player by another program: they begin with {', '.join(PROGRAMS)}")
        self._named = {str(games.load(text)): text for text in named}  # says now what is wrong with one

    @cached_property
    def names(self) -> dict[str, str]:
        """The games by what the page calls them, with the texts that load them."""
        return self._named | {name: name for name in games.names() if name not in self._named}

    def text(self, name: Any) -> str:
        """What loads the game that the page calls so."""
        if not isinstance(name, str) or name not in self.names:
            raise UserError(f"there is no game '{name}' here; name it when you start the studio")
        return self.names[name]

    def game(self, name: Any) -> Game:
        """The game that the page calls so; the same object each time."""
        return _loaded(self.text(name))

    def about(self, name: str) -> dict[str, Any]:
        """What the page has to know of a game before it is played."""
        game = self.game(name)
        return {
            "name": name,
            "title": _title(name),
            "own": name in self._named,
            "players": list(game.player_names),
            "hidden": not game.perfect_information,
            "chance": game.chance,
            "arrows": list(game.arrows),
            "searches": self.searches(game),
            "levels": len(LEVELS) if game.perfect_information else 0,
            "model": game.perfect_information and str(game) in _modelled(),
            "trained": game.perfect_information and self._models is not None and self.trained(game).exists(),
            "engines": list(self.engines) if game.perfect_information else [],
        }

    @staticmethod
    def searches(game: Game) -> list[str]:
        """The searches that a seat may play by."""
        if not game.perfect_information:
            return []
        return [name for name, engine in search.ENGINES.items() if engine.suits(game)]

    def player(self, game: Game, seat: Any) -> str:
        """The text for `new_player` of a seat as the page describes it: `{"kind": "level", "level": 5}`."""
        if not isinstance(seat, dict):
            raise UserError("a seat is described by its kind")
        kind = seat.get("kind")
        if kind in (HUMAN, "random"):
            return str(kind)
        if kind == "level":
            return f"level:{_number(seat, 'level', 1, len(LEVELS))}"
        if kind == "equilibrium" and not game.perfect_information:
            return "equilibrium"
        if kind == "engine" and seat.get("engine") in self.engines:
            return str(seat["engine"])
        if kind == "search" and seat.get("search") in self.searches(game):
            return f"{seat['search']}:{self._limits(seat, search.ENGINES[seat['search']])}"
        if kind == "model" and game.perfect_information:
            model = SHIPPED
            if seat.get("model") == "trained":
                model = str(self.trained(game, must_exist=True))
            speaks_of_moves = game.with_model(named(game, model)).knows.model_odds
            name = "mcts" if speaks_of_moves else search.best_for(game)
            return f"{name}:{self._limits(seat, search.ENGINES[name])},model={model}"
        raise UserError(f"there is no such player for {game}")

    @staticmethod
    def _limits(seat: dict[str, Any], engine: type[search.Engine]) -> str:
        """Its limits as settings, and always one of time."""
        known = [name for name in _LIMITS if name in engine.abilities.limits]
        given = {name: _number(seat, name, *_LIMITS[name]) for name in known if seat.get(name) not in (None, "")}
        given.setdefault("seconds", MOST_SECONDS if given else 1)
        return ",".join(f"{name}={value}" for name, value in given.items() if name in known)

    def trained(self, game: Game, must_exist: bool = False) -> Path:
        """Where the model is that is trained here for a game."""
        if self._models is None:
            raise UserError("this studio keeps nothing on disk, models neither")
        self._models.mkdir(parents=True, exist_ok=True)
        file = self._models / f"{game.name}.safetensors"
        if must_exist and not file.exists():
            raise UserError(f"no model of {game} has been trained here yet")
        return file

    def seats(self, game: Game, given: Any) -> tuple[str, ...]:
        """The players of all seats."""
        if not isinstance(given, list) or len(given) != game.players:
            raise UserError(f"{game} has {game.players} seats")
        players = tuple(self.player(game, seat) for seat in given)
        if not game.perfect_information and players.count(HUMAN) > 1:
            raise UserError("two people before one screen would see each other's hand: only one can play here")
        return players

    def allowed(self, game: Game, players: Sequence[str]) -> tuple[str, ...]:
        """The players of a game that was saved somewhere: those that the page could have asked for, else a level."""
        return tuple(each if self._is_allowed(game, each) else self.usual(game) for each in players)

    def _is_allowed(self, game: Game, text: str) -> bool:
        kind, _, rest = text.partition(":")
        if text in (HUMAN, "random", *self.engines):
            return True
        if kind == "level":
            return rest in map(str, LEVELS) and game.perfect_information
        if kind not in self.searches(game):
            return False
        settings = [setting.partition("=") for setting in rest.split(",")]
        return all(name in _LIMITS or (name == "model" and value == SHIPPED) for name, _, value in settings) and any(
            name == "seconds" and _within(value, MOST_SECONDS) for name, _, value in settings
        )

    @staticmethod
    def usual(game: Game) -> str:
        """Whom to play against if nothing is said."""
        return "level:5" if game.perfect_information else "equilibrium"

    @staticmethod
    def clocks(game: Game, text: Any) -> tuple[str, ...]:
        """A clock for every seat, from a text like `300+2`; none for an empty one."""
        if not text:
            return ()
        if not isinstance(text, str):
            raise UserError("a clock is a text like 300+2")
        Clock.read(text)  # says what is wrong with it
        return (text,) * game.players


def _title(name: str) -> str:
    head, _, rest = name.partition(":")
    title = head.replace("_", " ").title()
    return f"{title} ({rest})" if rest else title


def _number(fields: dict[str, Any], name: str, low: float, high: float) -> float | int:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise UserError(f"{name} is from {low:g} to {high:g}, not {value}")
    return value if isinstance(low, float) else int(value)


def _within(text: str, most: float) -> bool:
    try:
        return 0 < float(text) <= most
    except ValueError:
        return False


@cache
def _modelled() -> frozenset[str]:
    """The games for which a model comes with Counterplay."""
    return frozenset(kept.game for kept in on_the_shelf())


@lru_cache(maxsize=64)
def _loaded(text: str) -> Game:
    return games.load(text)
