"""A game of ours as a Python game of OpenSpiel's, so that its algorithms and tests take it.

    import pyspiel
    from counterplay.apps.adapters.openspiel import to_openspiel

    game = to_openspiel("connect_four")          # a pyspiel.Game
    pyspiel.load_game("counterplay_connect_four")   # and from then on by its name, too

The other way round there is nothing to do: `games.load("openspiel:hex")` is a game of OpenSpiel's.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from counterplay import games
from counterplay.apps.adapters.numbering import Numbering, inputs_of, must_be_open
from counterplay.core.game import CHANCE, Game

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ImportError:
    raise ImportError("the adapter to OpenSpiel needs it: pip install 'counterplay[peers]'") from None

__all__ = ["to_openspiel"]

_ROOM = 4
"""A game may be so many times longer than the longest of some random ones."""


def to_openspiel(game: Game | str, actions: int | None = None) -> Any:
    """The game as a `pyspiel.Game`. `actions` is how many numbers of actions there are, if random games do not tell."""
    ours = games.load(game) if isinstance(game, str) else game
    must_be_open(ours, "OpenSpiel")
    name = f"counterplay_{re.sub('[^a-z0-9]+', '_', str(ours).lower()).strip('_')}"
    numbering = Numbering(ours, actions)
    about = _type_of(ours, name)
    low, high = ours.utility_range
    info = pyspiel.GameInfo(
        num_distinct_actions=numbering.size,
        max_chance_outcomes=numbering.size if ours.chance else 0,
        num_players=ours.players,
        min_utility=low,
        max_utility=high,
        utility_sum=ours.utility_sum if ours.zero_sum else None,
        max_game_length=_ROOM * numbering.longest,
    )

    class Adapted(SpielGame):
        def __init__(self, params: Any = None) -> None:
            super().__init__(about, info, params or {})
            self.game, self.numbering = ours, numbering

    if name not in pyspiel.registered_names():
        pyspiel.register_game(about, Adapted)
    return Adapted()


def _type_of(game: Game, name: str) -> Any:
    """What OpenSpiel wants to know of a kind of game."""
    kind = pyspiel.GameType
    if not game.zero_sum:
        utility = kind.Utility.GENERAL_SUM
    else:
        utility = kind.Utility.CONSTANT_SUM if game.utility_sum else kind.Utility.ZERO_SUM
    return kind(
        short_name=name,
        long_name=str(game),
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if game.chance else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION,
        utility=utility,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=game.players,
        min_num_players=game.players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )


class SpielGame(pyspiel.Game):
    """A game of ours."""

    game: Game
    numbering: Numbering

    def new_initial_state(self, _: Any = None) -> SpielState:
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """What players see: with perfect recall all moves, else the position."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return _Observer(self.game)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class SpielState(pyspiel.State):
    """A state of ours. Its actions have the numbers of the numbering."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.s = game.game.initial()

    @property
    def _about(self) -> Any:
        return self.get_game()

    def current_player(self) -> Any:
        game = self._about.game
        if game.is_terminal(self.s):
            return pyspiel.PlayerId.TERMINAL
        p = int(game.player(self.s))
        return pyspiel.PlayerId.CHANCE if p == CHANCE else p

    def is_terminal(self) -> bool:
        return bool(self._about.game.is_terminal(self.s))

    def returns(self) -> list[float]:
        game = self._about.game
        is_over = game.is_terminal(self.s)
        return [float(game.utility(self.s, p)) if is_over else 0.0 for p in range(game.players)]

    def _legal_actions(self, player: int) -> list[int]:
        return list(self._about.numbering.legal(self.s))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        about = self._about
        return [(i, float(about.game.probability(self.s, a))) for i, a in about.numbering.legal(self.s).items()]

    def _apply_action(self, action: int) -> None:
        about = self._about
        self.s = about.game.result(self.s, about.numbering.legal(self.s)[action])

    def _action_to_string(self, player: int, action: int) -> str:
        about = self._about
        return str(about.game.action_name(self.s, about.numbering.legal(self.s)[action]))

    def __str__(self) -> str:
        return str(self._about.game.to_text(self.s))


class _Observer:
    """The game's `features` as a tensor, and its text."""

    def __init__(self, game: Game) -> None:
        self.tensor = np.zeros(game.inputs, np.float32)
        self.dict = {"observation": self.tensor}
        self._game = game

    def set_from(self, state: SpielState, player: int) -> None:
        self.tensor[:] = inputs_of(self._game, state.s)

    def string_from(self, state: SpielState, player: int) -> str:
        return str(state)
