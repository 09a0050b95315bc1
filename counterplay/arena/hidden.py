"""Players of games with something hidden. They are handed views, or states that they may be in, never the one they
are in.

random                              any legal action
equilibrium                         close to an equilibrium, which is computed before the first move
equilibrium:method=cfr+,iterations=10000
resolving                           by continual re-solving: solves what is near, and what comes when it comes
resolving:iterations=300,depth=2
resolving:network=FILE              the same, with leaves valued by a network instead of solved
strategy:FILE                       what `counterplay equilibrium GAME --save FILE` has written
ismcts:simulations=1000             a search that imagines what is hidden, with its settings; pimc is another
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from counterplay import search, solve
from counterplay.arena.practice import practise
from counterplay.arena.timing import TimeLeft, allot
from counterplay.core.game import CHANCE, Game, UnreadableText, UserError
from counterplay.core.randomness import new_random, word
from counterplay.core.texts import read_settings
from counterplay.core.views import View, view
from counterplay.search.algorithms import split_limits

__all__ = ["SEARCHES", "hidden_player", "usual_player"]

SEARCHES = tuple(name for name, kind in search.ENGINES.items() if kind.abilities.hidden)
"""The searches that may play: those that look at nothing that is hidden."""
_AT_ONCE = 1e-3  # what a search has when there is no time at all
_LATE = 0.05  # seconds that a search may take longer than it was told

_SETTINGS = {
    "equilibrium": ("method", "iterations", "seed"),
    "resolving": ("iterations", "depth", "network"),
    "random": ("seed",),
}


class Chooser(Protocol):
    """Who chooses by what he knows."""

    def choose(self, known: View, random: Any) -> int:
        """One of the moves of the view."""
        ...


def hidden_player(
    game: Game, text: str, seed: int, limits: dict[str, Any] | None = None
) -> Blindfolded | ImaginingPlayer:
    """The player of that text; `limits` hold for a search where the text has none."""
    name, _, rest = text.strip().partition(":")
    if name in SEARCHES:
        return _searching(game, text, name, rest, seed, limits or {})
    return Blindfolded(game, _chooser(game, text), seed)


@lru_cache(maxsize=8)
def usual_player(game: Game) -> str:
    """Who plays a game best if nobody is named: an equilibrium where it can be computed, else a search."""
    try:
        solve.measure(game)
    except solve.TooLarge:
        return search.InformationSets.name
    return "equilibrium"


def _chooser(game: Game, text: str) -> Chooser:
    name, _, rest = text.strip().partition(":")
    if name == "strategy":
        return solve.Strategy.load(Path(rest), game)
    if name not in _SETTINGS:
        raise UserError(
            f"{game} has something hidden, which '{name}' would see: take random, equilibrium, resolving, "
            f"{', '.join(SEARCHES)} or strategy:FILE"
        )
    settings = _settings(text, rest, _SETTINGS[name])
    if name == "random":
        return Anything()
    for setting, wanted in (("iterations", "iterations are"), ("depth", "depth is")):
        if type(settings.get(setting, 1)) is not int:
            raise UserError(f"'{text}': {wanted} a number, as in '{name}:{setting}=10'")
    if name == "resolving":
        network = settings.pop("network", None)
        return solve.resolver(game, **settings, network=None if network is None else Path(str(network)))
    iterations = settings.get("iterations")
    return solve.remembered(game, settings.get("method"), iterations, int(settings.get("seed", 0)))


def _settings(text: str, rest: str, known: Sequence[str]) -> dict[str, Any]:
    try:
        settings = read_settings(rest)
    except UnreadableText as error:
        raise UnreadableText(f"'{text}' is no player: {error}") from None
    for setting in settings:
        if setting not in known:
            raise UserError(f"'{text}': there is no setting '{setting}'; there are: {', '.join(known)}")
    return settings


def _searching(game: Game, text: str, name: str, rest: str, seed: int, limits: dict[str, Any]) -> ImaginingPlayer:
    kind = search.ENGINES[name]
    known = (*kind.abilities.limits, *kind.setting_names())
    settings = _settings(text, rest, known)
    if not any(limit in settings for limit in kind.abilities.limits):
        settings |= {key: value for key, value in limits.items() if key in known}
    settings.setdefault("seed", seed)
    budget, _, own = split_limits(settings)
    return ImaginingPlayer(search.new_engine(name, game, **own), budget, seed)


class Anything:
    """Any legal action, each as likely as the other."""

    def choose(self, known: View, random: Any) -> int:
        moves = list(known.moves.values())
        return moves[word(random) * len(moves) >> 32]


class Blindfolded:
    """A player as the arena knows players, around one who may see only what his seat knows.

    With perfect recall the last view holds all earlier ones; even how many states there were could tell too much.
    """

    def __init__(self, game: Game, chooser: Chooser, seed: int) -> None:
        self._game, self._chooser, self._random = game, chooser, new_random(seed)

    def choose(self, states: Sequence[Any]) -> int:
        s = states[-1]
        if (p := self._game.player(s)) == CHANCE:
            return int(search.random_action(self._game, s, self._random))
        return self._chooser.choose(view(self._game, s, p), self._random)


class ImaginingPlayer:
    """A search as a player. It is handed a state that it may be in as well, drawn from what its seat knows.

    What it thinks would tell what it knows, so that nobody can ask.
    """

    def __init__(self, engine: search.Engine, limits: search.Limits, seed: int) -> None:
        self._engine, self._limits, self._random = engine, limits, new_random(seed)
        self._clocks: Sequence[TimeLeft] | None = None

    def prepare(self) -> None:
        """Have everything compiled; nothing is remembered of it."""
        practise(self._engine)

    def tell_time(self, clocks: Sequence[TimeLeft]) -> None:
        """What each seat has on its clock at the next move."""
        self._clocks = clocks

    def choose(self, states: Sequence[Any]) -> int:
        game, s, limits = self._engine.game, states[-1], self._limits
        if (p := game.player(s)) == CHANCE:
            return int(search.random_action(game, s, self._random))
        if self._clocks is not None:
            seconds = max(_AT_ONCE, allot(self._clocks[p], _LATE).target)
            limits = replace(limits, seconds=min(seconds, limits.seconds or seconds))
        result = self._engine.search(search.imagine(game, s, p, self._random), limits)
        if result.stopped == "interrupted":  # by ctrl-C: it is not the move that this player would have made
            raise KeyboardInterrupt
        assert result.action is not None  # somebody is to move
        return result.action
