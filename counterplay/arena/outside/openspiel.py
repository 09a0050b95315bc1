"""OpenSpiel's bots by their names, as players of the games that it and we both have.

openspiel:mcts,simulations=1000     its C++ tree search with random rollouts
openspiel:uniform_random            a bot of its register
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from counterplay.arena.outside.player import action_between
from counterplay.core.game import Game, UserError
from counterplay.core.texts import read_settings

__all__ = ["OpenSpielPlayer"]

_ENDLESS = 1 << 30
_SETTINGS = ("simulations", "seconds", "uct_c", "seed")
_GAMES = ("tic_tac_toe", "connect_four", "othello")
"""Games of ours of which we know how OpenSpiel numbers the actions."""


class OpenSpielPlayer:
    """A bot of OpenSpiel's."""

    def __init__(self, game: Game, text: str, seed: int, given: Mapping[str, Any]) -> None:
        """`text` is the bot's name, and what it is told: `mcts,simulations=1000`."""
        try:
            import pyspiel
        except ImportError:
            raise UserError("openspiel needs OpenSpiel: pip install 'counterplay[peers]'") from None
        name, _, rest = text.partition(",")
        theirs = getattr(game, "spiel", None)  # a game of OpenSpiel's own, see `apps/adapters/openspiel.py`
        if theirs is None and str(game) not in _GAMES:
            raise UserError(f"openspiel plays {', '.join(_GAMES)}, and its own games; not {game}")
        self._game, self._has_their_numbers = game, theirs is not None
        self._spiel = pyspiel.load_game(game.name) if theirs is None else theirs
        settings = {key: value for key, value in given.items() if key in _SETTINGS} | read_settings(rest)
        if name == "mcts":
            self._bot = _tree_search(pyspiel, self._spiel, text, {"seed": seed, **settings})
        elif name in pyspiel.registered_bots():
            if rest:
                raise UserError(f"'openspiel:{text}': {name} has no settings")
            self._bot = name
        else:
            known = ", ".join(("mcts", *pyspiel.registered_bots()))
            raise UserError(f"there is no bot 'openspiel:{name}'; there are: {known}")
        self._pyspiel = pyspiel

    def choose(self, states: Sequence[Any]) -> int:
        state = self._spiel.new_initial_state()
        for before, after in pairwise(states):
            state.apply_action(self._number(action_between(self._game, before, after)))
        if isinstance(self._bot, str):  # of the register; they want to know their seat
            self._bot = self._pyspiel.load_bot(self._bot, self._spiel, state.current_player())
        chosen = int(self._bot.step(state))
        return next(int(a) for a in self._game.actions(states[-1]) if self._number(int(a)) == chosen)

    def _number(self, a: int) -> int:
        """OpenSpiel's number of our action `a`; they are the same but for the pass in Othello."""
        if self._has_their_numbers:
            return a
        return 64 if self._game.name == "othello" and a == self._game.passing else a  # type: ignore[attr-defined]


def _tree_search(pyspiel: Any, game: Any, text: str, settings: Mapping[str, Any]) -> Any:
    for setting in settings:
        if setting not in _SETTINGS:
            raise UserError(f"'openspiel:{text}': there is no setting '{setting}'; there are: {', '.join(_SETTINGS)}")
    simulations, seconds = settings.get("simulations"), settings.get("seconds")
    if simulations is None and seconds is None:
        raise UserError("openspiel:mcts needs a limit, as in 'openspiel:mcts,simulations=1000'")
    return pyspiel.MCTSBot(
        game,
        pyspiel.RandomRolloutEvaluator(1, settings["seed"]),
        uct_c=settings.get("uct_c", 2.0),
        max_simulations=simulations or _ENDLESS,
        max_memory_mb=1000,
        solve=False,
        seed=settings["seed"],
        verbose=False,
        max_wall_clock_time=seconds or -1.0,
    )
