"""A game of ours as an environment of PettingZoo's, agent by agent (AEC): every seat is yours, chance is not.

from counterplay.apps.adapters.pettingzoo import env

for agent in (game := env("connect_four")).agent_iter(): ...
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from counterplay import games, search
from counterplay.apps.adapters.numbering import Numbering, inputs_of, must_be_open
from counterplay.arena.bout import MOST_PLIES
from counterplay.core.game import CHANCE, Game, IllegalAction, is_repeated
from counterplay.search.repetition import draw_value

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise ImportError("the adapter to PettingZoo needs it: pip install 'counterplay[pettingzoo]'") from None

__all__ = ["GameAEC", "env"]


def env(game: Game | str, actions: int | None = None, render_mode: str | None = None) -> Any:
    """The environment as learners want it: who plays what is not legal loses."""
    raw = GameAEC(game, actions, render_mode)
    least = raw.game.utility_range[0]
    return wrappers.OrderEnforcingWrapper(wrappers.TerminateIllegalWrapper(raw, illegal_reward=least))


class GameAEC(AECEnv):
    """All seats of a game: `player_0` and so on. Rewards are the utilities at the end, 0 before.

    An observation is the game's `features`, as the player to move sees them, with an `action_mask`.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi"],
        "name": "counterplay_v0",
        "is_parallelizable": False,
    }

    def __init__(self, game: Game | str, actions: int | None = None, render_mode: str | None = None) -> None:
        """`actions` is how many numbers of actions there are, if random games do not tell."""
        super().__init__()
        self.game = games.load(game) if isinstance(game, str) else game
        must_be_open(self.game, "PettingZoo")
        self.render_mode = render_mode
        self._numbering = Numbering(self.game, actions)
        self.possible_agents = [f"player_{p}" for p in range(self.game.players)]
        size, inputs = self._numbering.size, self.game.inputs
        seen = spaces.Box(-np.inf, np.inf, (inputs,), np.float32)
        self._action_spaces = {agent: spaces.Discrete(size) for agent in self.possible_agents}
        self._observation_spaces = {
            agent: spaces.Dict({"observation": seen, "action_mask": spaces.Box(0, 1, (size,), np.int8)})
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Any:
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game; the seed is for the dice."""
        if seed is not None or not hasattr(self, "_random"):
            self._random = search.new_random(seed or 0)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._states = [self.game.initial()]
        self.agent_selection = self.agents[0]
        self._go_on()

    def observe(self, agent: str) -> dict[str, Any]:
        s = self._states[-1]
        is_on = agent == self.agent_selection and not self.terminations[agent] and not self.truncations[agent]
        mask = self._numbering.mask(s) if is_on else np.zeros(self._numbering.size, np.int8)
        return {"observation": inputs_of(self.game, s), "action_mask": mask}

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        legal = self._numbering.legal(self._states[-1])
        if int(action) not in legal:
            raise IllegalAction(f"{action} is not legal here: observe(agent)['action_mask'] says what is")
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self._states.append(self.game.result(self._states[-1], legal[int(action)]))
        self._go_on()
        self._accumulate_rewards()

    def render(self) -> str | None:
        return self.game.show(self._states[-1]) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is left open."""

    def _go_on(self) -> None:
        """Throw the dice, and see who is next or whether the game is over."""
        game, states = self.game, self._states
        while not game.is_terminal(states[-1]) and game.player(states[-1]) == CHANCE:
            states.append(game.result(states[-1], int(search.random_action(game, states[-1], self._random))))
        s = states[-1]
        if game.is_terminal(s):
            self._end({p: float(game.utility(s, p)) for p in range(game.players)}, self.terminations)
        elif is_repeated(game, states):
            self._end(dict.fromkeys(range(game.players), draw_value(game)), self.terminations)
        elif len(states) > MOST_PLIES:
            self._end(dict.fromkeys(range(game.players), draw_value(game)), self.truncations)
        else:
            self.agent_selection = self.possible_agents[int(game.player(s))]
            return
        self.agent_selection = self.possible_agents[
            (self.possible_agents.index(self.agent_selection) + 1) % game.players
        ]

    def _end(self, rewards: dict[int, float], ended: dict[str, bool]) -> None:
        for p, agent in enumerate(self.possible_agents):
            self.rewards[agent], ended[agent] = rewards[p], True
