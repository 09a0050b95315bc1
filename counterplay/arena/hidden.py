"""Players of games with something hidden. They are handed views, never states.

random                              any legal action
equilibrium                         close to an equilibrium, which is computed before the first move
equilibrium:method=cfr+,iterations=10000
resolving                           by continual re-solving: solves what is near, and what comes when it comes
resolving:iterations=300,depth=2
resolving:network=FILE              the same, with leaves valued by a network instead of solved
strategy:FILE                       what `counterplay equilibrium GAME --save FILE` has written
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from counterplay import search, solve
from counterplay.core.game import CHANCE, Game, UnreadableText, UserError
from counterplay.core.randomness import new_random, word
from counterplay.core.texts import read_settings
from counterplay.core.views import View, view

__all__ = ["hidden_player"]

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


def hidden_player(game: Game, text: str, seed: int) -> Blindfolded:
    """The player of that text."""
    return Blindfolded(game, _chooser(game, text), seed)


def _chooser(game: Game, text: str) -> Chooser:
    name, _, rest = text.strip().partition(":")
    if name == "strategy":
        return solve.Strategy.load(Path(rest), game)
    if name not in _SETTINGS:
        raise UserError(
            f"{game} has something hidden, which '{name}' would see: take random, equilibrium, resolving or "
            "strategy:FILE"
        )
    try:
        settings = read_settings(rest)
    except UnreadableText as error:
        raise UnreadableText(f"'{text}' is no player: {error}") from None
    for setting in settings:
        if setting not in _SETTINGS[name]:
            raise UserError(f"'{text}': there is no setting '{setting}'; there are: {', '.join(_SETTINGS[name])}")
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
