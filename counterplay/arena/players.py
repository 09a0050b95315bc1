"""Players: anything that chooses an action, given the states of a game so far.

    random                              any legal action
    alphabeta:depth=6                   a search by its name, with its settings
    mcts:simulations=5000,seed=3
    alphabeta:depth=6,model=FILE        with the estimate of a model, which `counterplay train` has made
    alphabeta:depth=6,without=model     with the game's own estimate
    alphabeta:depth=6,weights=[1,0.5]   with other weights of its terms
    alphabeta:depth=6,tables=on         asking the endgame tables that there are; so it does if you have built some
    alphabeta:nodes=100000,book=on      asking the opening book of the game first, if one comes with it
    alphabeta:seconds=1,syzygy=FOLDER   chess by the Syzygy tables in a folder, once few pieces are left
    level:5                             as strong as a person would like, from 1 to 10: see `levels.py`
    uci:stockfish,UCI_Elo=2000          other people's programs and bots: see `outside/`

Where something is hidden, players are handed views and not states: see `hidden.py`.
To add a kind of player, write a class with a `choose` and a line in `new_player`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import Any, Protocol

import numpy as np

from counterplay import search
from counterplay.arena import outside
from counterplay.arena.book import Book, shipped_book
from counterplay.arena.defence import Defence
from counterplay.arena.hidden import hidden_player
from counterplay.arena.levels import LEVELS, LevelPlayer
from counterplay.arena.practice import practise
from counterplay.arena.syzygy import Syzygy
from counterplay.arena.timing import Budget, TimeLeft, allot, is_sure, longest
from counterplay.core.game import Game, UnreadableText, UserError
from counterplay.core.memory import Memory
from counterplay.core.randomness import Dice
from counterplay.core.texts import read_settings
from counterplay.learn.model import without_model
from counterplay.learn.shelf import named, usual
from counterplay.search.algorithms import led_by_model, split_limits
from counterplay.search.run import Progress
from counterplay.solve import tables

__all__ = ["Player", "dismiss", "new_player", "taught"]

_LATE = 0.01
"""Seconds that a search takes longer than it was told, on a machine that has nothing else to do."""
_FORGET = 0.9
"""If it was later, so much of that is expected of the next move: others are using the machine too."""
_ENOUGH = 0.5
"""The next depth takes longer than all before it, so that it is not begun after so much of the usual time."""
_AT_ONCE = 1e-3
"""What a search has when there is no time at all: it must have looked at something."""
_LITTLE = 200
"""Nodes to look at where the move is known already."""


class Player(Protocol):
    """Who chooses actions in one game.

    It may have more. `prepare()` does what takes time before the first move. `tell_time(clocks)` hears before a move
    what every seat has on its clock. `close()` is called by `dismiss` when the game is over. A player that cannot go
    on raises `Forfeit`.
    """

    def choose(self, states: Sequence[Any]) -> int:
        """The action at the last of `states`, which are all those of the game so far."""
        ...


def dismiss(*players: Player) -> None:
    """The game is over: whoever has to be told is told, and what a player has started ends."""
    for each in players:
        if (close := getattr(each, "close", None)) is not None:
            close()


def new_player(
    game: Game, text: str, seed: int = 0, *, otherwise: search.Limits | None = None, **limits: Any
) -> Player:
    """The player of that text. `limits` (`seconds`, `nodes`, `simulations`) hold where the text has no setting.

    A search that needs a limit and has none gets `otherwise`; an error without that.
    """
    given = {key: value for key, value in limits.items() if value is not None}
    if not game.perfect_information:
        return hidden_player(game, text, seed, given)
    name, _, rest = text.strip().partition(":")
    if name == "level":
        return LevelPlayer(game, rest, seed)
    if name in outside.KINDS:
        return outside.outsider(game, text, seed, given, otherwise)
    try:
        settings = read_settings(rest)
    except UnreadableText as error:
        raise UnreadableText(f"'{text}' is no player: {error}") from None
    if name == "random":
        _must_be_known(text, settings, ("seed",))
        return RandomPlayer(game, settings.get("seed", seed))
    if name not in search.ENGINES:
        raise UserError(
            f"there is no player '{name}'; there are: random, {', '.join(search.ENGINES)}, level:1 to "
            f"level:{len(LEVELS)}, and others' programs by {', '.join(outside.KINDS[:-1])}"
        )
    kind = search.ENGINES[name]
    book = shipped_book(game) if settings.pop("book", False) else None
    syzygy = _syzygy(game, text, settings)
    game = _estimating(game, text, settings)
    known = (*kind.abilities.limits, "multi", *kind.setting_names(), "tables")
    _must_be_known(text, settings, known, "model", "weights", "without", "book", "syzygy")
    settings = {key: value for key, value in given.items() if key in known} | settings
    settings = led_by_model(game, name, settings) | settings
    if kind.abilities.seed:
        settings.setdefault("seed", seed)
    if settings.pop("tables", tables.is_built(game)):
        game = tables.join(game)
    budget, multi, own = split_limits(settings)
    if kind.abilities.needs_limit and budget == search.Limits() and otherwise is not None:
        budget = otherwise
    if kind.abilities.needs_limit and budget == search.Limits():
        raise UserError(f"{name} needs a limit, as in '{name}:{kind.abilities.limits[0]}=4'")
    return EnginePlayer(game, partial(search.new_engine, name, **own), budget, multi, book, seed, syzygy)


def taught(game: Game, text: str) -> str:
    """The text of a player with the model that its search usually takes, if it says nothing of models itself."""
    name, _, rest = text.strip().partition(":")
    model = usual(game, name)
    if model is None:
        return text
    try:
        settings = read_settings(rest)
    except UnreadableText:
        return text  # whoever makes the player says what is wrong with it
    is_said = "model" in settings or "model" in _words(settings.get("without", ()))
    return text if is_said else f"{text}{',' if rest else ':'}model={model}"


def _estimating(game: Game, text: str, settings: dict[str, Any]) -> Game:
    """The game with the estimate that a player's settings ask for; `model` and `without=model` are taken from these."""
    model, left_out = settings.pop("model", None), _words(settings.get("without", ()))
    if "model" in left_out:
        if model is not None:
            raise UserError(f"'{text}' has a model, and does without it")
        left_out.remove("model")
        settings["without"] = left_out
        if not left_out:
            del settings["without"]
        game = without_model(game)
    elif model is not None:
        return game.with_model(named(game, str(model)))
    return _weighed(game, text, settings)


def _syzygy(game: Game, text: str, settings: dict[str, Any]) -> Syzygy | None:
    """The Syzygy tables that a player's settings name, which are taken from these."""
    folder = settings.pop("syzygy", None)
    if folder is None or folder is False:
        return None
    if folder is True:
        raise UserError(f"'{text}' does not say where the tables are: write syzygy=FOLDER")
    return Syzygy(game, "+".join(folder) if isinstance(folder, list) else str(folder))


def _weighed(game: Game, text: str, settings: dict[str, Any]) -> Game:
    """The game with the `weights` that a player's settings have, in memory, so that others need no compiling."""
    weights = settings.pop("weights", None)
    if weights is None:
        return game
    if not game.weights or not game.knows.terms:
        raise UserError(f"'{text}': {game} has no weights")
    is_list = isinstance(weights, list | tuple) and all(type(each) in (int, float) for each in weights)
    if not is_list or len(weights) != len(game.weights) or not all(isfinite(each) for each in weights):
        raise UserError(f"'{text}': the weights of {game} are {len(game.weights)} numbers in brackets")
    return game.extended(weights=Memory(np.array(weights, np.float64)))


def _words(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value) if isinstance(value, list | tuple) else []


class RandomPlayer:
    """Any legal action, each as likely as the other."""

    def __init__(self, game: Game, seed: int) -> None:
        self._game, self._random = game, search.new_random(seed)

    def choose(self, states: Sequence[Any]) -> int:
        return int(search.random_action(self._game, states[-1], self._random))


class EnginePlayer:
    """What an engine finds, which keeps what it has seen from move to move; when all is lost, what still counts."""

    def __init__(
        self,
        game: Game,
        new_engine: Callable[[Game], search.Engine],
        limits: search.Limits,
        multi: int = 1,
        book: Book | None = None,
        seed: int = 0,
        syzygy: Syzygy | None = None,
    ) -> None:
        self._engine, self._limits, self._multi = new_engine(game), limits, multi
        self._book, self._seed, self._syzygy = book, seed, syzygy
        self._defence = Defence(game, new_engine)
        self._clocks: Sequence[TimeLeft] | None = None
        self._late = _LATE

    def prepare(self) -> None:
        """Have everything compiled and loaded; nothing is remembered of it."""
        if self._limits.seconds is not None:
            self._engine.hasten()
        practise(self._engine)
        self._defence.prepare()

    def tell_time(self, clocks: Sequence[TimeLeft]) -> None:
        """What each seat has on its clock at the next move, which is thought about no longer than that allows."""
        self._clocks = clocks

    def choose(self, states: Sequence[Any]) -> int:
        known = self._in_book(states)
        if known is not None:
            return known
        result = self.search(states)
        if result.stopped == "interrupted":  # by ctrl-C: it is not the move that this player would have made
            raise KeyboardInterrupt
        if result.action is None:
            raise UserError(f"{result.algorithm} finds no action at {result.game.to_text(states[-1])}")
        return result.action

    def _in_book(self, states: Sequence[Any]) -> int | None:
        """The move of the opening book, if it has one here."""
        return None if self._book is None else self._book.choose(states[-1], Dice(self._seed, "book", len(states)))

    def _ask(
        self, states: Sequence[Any], limits: search.Limits, only: Sequence[int], progress: Progress | None
    ) -> search.Result:
        *earlier, s = states
        return self._engine.search(s, limits, multi=self._multi, only=only, history=earlier, progress=progress)

    def _ask_in_time(
        self, states: Sequence[Any], left: TimeLeft, only: Sequence[int], progress: Progress | None
    ) -> search.Result:
        budget, kinds = allot(left, self._late), self._engine.abilities.limits
        seconds = max(_AT_ONCE, longest(budget, "depth" in kinds, "simulations" in kinds))
        limits = replace(self._limits, seconds=min(seconds, self._limits.seconds or seconds))
        watch = _Watch(self._engine, budget, progress)
        result = self._ask(states, limits, only, watch)
        assert limits.seconds is not None  # it was just set
        self._late = max(_LATE, watch.spent - limits.seconds, _FORGET * self._late)
        return result

    def search(self, states: Sequence[Any], progress: Progress | None = None) -> search.Result:
        """What it finds at the last of `states`; of a move in the book what little thought says of it."""
        known = self._in_book(states)
        if known is not None:
            return self._ask(states, replace(self._limits, nodes=_LITTLE), (known,), progress)
        only = () if self._syzygy is None else self._syzygy.narrow(states[-1], states[:-1])
        if isinstance(only, search.Result):
            return only
        if self._clocks is not None:  # what is lost is lost without compiling another game on one's own time
            return self._ask_in_time(states, self._clocks[self._engine.game.player(states[-1])], only, progress)
        found = self._ask(states, self._limits, only, progress)
        return self._defence.instead(found, self._limits, states[:-1], progress)

    def stop(self) -> None:
        """End the search that is going on."""
        self._engine.stop()
        self._defence.stop()


class _Watch:
    """Follows a search that has a clock: it begins no new depth when that is no use, and ends when it is sure."""

    def __init__(self, engine: search.Engine, budget: Budget, progress: Progress | None) -> None:
        self._engine, self._budget, self._progress = engine, budget, progress
        self._simulates = "simulations" in engine.abilities.limits
        self._began = time.perf_counter()

    @property
    def spent(self) -> float:
        return time.perf_counter() - self._began

    def __call__(self, tally: Any) -> None:
        if self._progress is not None:
            self._progress(tally)
        if self._simulates and is_sure(self._engine.lead(), self.spent, self._budget):
            self._engine.stop()

    def found(self, result: search.Result) -> None:
        if (tell := getattr(self._progress, "found", None)) is not None:
            tell(result)
        if self.spent > _ENOUGH * self._budget.target:
            self._engine.stop()


def _must_be_known(text: str, settings: dict[str, Any], known: Sequence[str], *more: str) -> None:
    for setting in settings:
        if setting not in known:
            there = dict.fromkeys((*known, *more))
            raise UserError(f"'{text}': there is no setting '{setting}'; there are: {', '.join(there)}")
