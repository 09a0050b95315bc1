"""A game of ours as an environment of Gymnasium's: you sit at one seat, players of ours at the others.

import gymnasium
import counterplay.apps.adapters.gymnasium

env = gymnasium.make("Counterplay-v0", game="connect_four", opponent="level:3")
observation, info = env.reset(seed=1)
observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from counterplay import games, search
from counterplay.apps.adapters.numbering import Numbering, inputs_of, must_be_open
from counterplay.arena import Forfeit, Player, dismiss, new_player
from counterplay.arena.bout import MOST_PLIES
from counterplay.core.game import CHANCE, Game, UserError, is_repeated
from counterplay.search.repetition import draw_value

try:
    import gymnasium
except ImportError:
    raise ImportError("the adapter to Gymnasium needs it: pip install 'counterplay[gym]'") from None

__all__ = ["GameEnv"]

_MOST_SEEDS = 1 << 31


class GameEnv(gymnasium.Env):
    """One seat of a game. A reward is the utility at the end, 0 before.

    An observation is the game's `features`, as the player to move sees them; `info["action_mask"]` says which actions
    are legal. An action that is not ends the game, with the least utility there is.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        game: Game | str,
        opponent: str | Sequence[str] = "random",
        seat: int | None = 0,
        *,
        actions: int | None = None,
        render_mode: str | None = None,
        **limits: Any,
    ) -> None:
        """`opponent` is a player as in a match, or one for each other seat; `limits` are theirs.

        `seat` is yours, from 0; None is any, drawn at each reset. `actions` is how many numbers of actions there are,
        if random games do not tell.
        """
        self.game = games.load(game) if isinstance(game, str) else game
        must_be_open(self.game, "Gymnasium")
        others = self.game.players - 1
        self._opponents = [opponent] * others if isinstance(opponent, str) else list(opponent)
        if len(self._opponents) != others or (seat is not None and not 0 <= seat <= others):
            raise UserError(f"{self.game} has seats 0 to {others}, one of them yours: {others} opponents, or one text")
        self._wanted_seat, self._limits, self.render_mode = seat, limits, render_mode
        self._numbering = Numbering(self.game, actions)
        self.action_space = gymnasium.spaces.Discrete(self._numbering.size)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (self.game.inputs,), np.float32)
        self._players: dict[int, Player] = {}
        for text in self._opponents:
            new_player(self.game, text, **limits)  # says what is wrong with it

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """A new game, up to your first move. The same seed gives the same opponents and dice."""
        super().reset(seed=seed)
        self.close()
        players = self.game.players
        drawn = int(self.np_random.integers(players))
        self.seat = drawn if self._wanted_seat is None else self._wanted_seat
        others = [p for p in range(players) if p != self.seat]
        seeds = [int(self.np_random.integers(_MOST_SEEDS)) for _ in range(players)]
        for p, text in zip(others, self._opponents, strict=True):
            self._players[p] = new_player(self.game, text, seeds[p], **self._limits)
        self._random = search.new_random(seeds[self.seat])
        self._states = [self.game.initial()]
        self._reward: float | None = None  # what the game has brought, once it is over
        self._go_on()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        s = self._states[-1]
        legal = self._numbering.legal(s)
        if self._reward is not None:
            raise UserError("the game is over: reset the environment")
        if int(action) in legal:
            self._states.append(self.game.result(s, legal[int(action)]))
            self._go_on()
        else:
            self._reward = self.game.utility_range[0]
        is_over, is_long = self._reward is not None, len(self._states) > MOST_PLIES
        reward = 0.0 if self._reward is None else float(self._reward)
        return self._observation(), reward, is_over and not is_long, is_long, self._info()

    def render(self) -> str | None:
        return self.game.show(self._states[-1]) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """End what the opponents have started."""
        dismiss(*self._players.values())
        self._players = {}

    def _go_on(self) -> None:
        """Let the others and chance move until it is your turn, or the game is over."""
        game = self.game
        while self._reward is None:
            s = self._states[-1]
            if game.is_terminal(s):
                self._reward = game.utility(s, self.seat)
            elif is_repeated(game, self._states) or len(self._states) > MOST_PLIES:
                self._reward = draw_value(game)
            elif (p := int(game.player(s))) == self.seat:
                return
            elif p == CHANCE:
                self._states.append(game.result(s, int(search.random_action(game, s, self._random))))
            else:
                try:
                    self._states.append(game.result(s, self._players[p].choose(self._states)))
                except Forfeit:
                    self._reward = game.utility_range[1]

    def _observation(self) -> npt.NDArray[np.float32]:
        return inputs_of(self.game, self._states[-1])

    def _info(self) -> dict[str, Any]:
        s = self._states[-1]
        mask = self._numbering.mask(s) if self._reward is None else np.zeros(self._numbering.size, np.int8)
        return {"action_mask": mask, "seat": self.seat}


gymnasium.register("Counterplay-v0", entry_point=GameEnv)
