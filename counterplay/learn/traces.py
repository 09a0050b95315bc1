"""TD(λ) with eligibility traces, as the textbook has it (Sutton and Barto, chapter 12): to be read, not to be fast.

A trace remembers how much each weight has had a say lately. When the value of the next position comes as a surprise,
all weights learn from it at once, each by its trace:

    δ ← r + γ V(s') - V(s)
    e ← γ λ e + gradient at s
    w ← w + rate δ e

V is what is still to come, and r what the move has brought. A model's value is V with what was earned before, so that
δ is earned(s') + γ (value(s') - earned(s')) - value(s), and without a discount value(s') - value(s).

All values are player 0's here, so that a trace goes on from one player's position to the other's. The gradient is that
of the sum before the sigmoid, which makes each step one down the cross entropy. Over a game it comes to the same as
`learn.td`, which learns backwards from the end, but for the weights' changing on the way; and `td` takes no trace of
every weight along, which for a network would cost more than all the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.features import Active
from counterplay.core.game import CHANCE, Game
from counterplay.core.randomness import new_random, seed_at, unit, word
from counterplay.learn.linear import Linear
from counterplay.native import interpreted
from counterplay.search.playout import choose

__all__ = ["td_with_traces"]


def td_with_traces(
    game: Game,
    model: Linear,
    games: int,
    rate: float,
    trace: float,
    explore: float = 0.0,
    seed: int = 0,
    discount: float = 1.0,
) -> None:
    """Train a linear model by games against itself, interpreted."""
    random = new_random(seed_at(seed, 0))
    clever = game.with_model(model)
    with interpreted():
        for _ in range(games):
            _play(clever, model.weights["weights"], rate, trace, explore, random, discount)


def _play(game: Any, w: Any, rate: float, trace: float, explore: float, random: Any, discount: float) -> None:
    """One game, learned from as it is played."""
    s = game.initial()
    seen, e = _gradient(game, s), np.zeros_like(w)

    def learn(t: Any, discount: float) -> None:
        """What the position seen last should have been worth, to player 0, is what `t` after it is worth."""
        nonlocal e
        value = _sigmoid(float(w @ seen))
        e = e + seen
        w[:] += rate * (_share(game, _before(game, t, 0, discount)) - value) * e
        e = discount * trace * e

    while not game.is_terminal(s):
        p = game.player(s)
        if p == CHANCE:
            s = game.result(s, choose(game, s, random))
        else:
            after = max((game.result(s, a) for a in game.actions(s)), key=lambda t: _before(game, t, p, discount))
            if explore > 0.0 and unit(random) < explore:
                learn(after, discount)  # of the best move; what follows the random one is another story
                e = np.zeros_like(w)
                s = game.result(s, game.sample(s, word(random)))
                seen = None
            else:
                s = after
        if game.is_terminal(s):
            if seen is not None:
                learn(s, discount)
            return
        following = _gradient(game, s)
        if seen is not None and not np.array_equal(following, seen):  # dice that the model does not see change nothing
            learn(s, 1.0 if p == CHANCE else discount)
        seen = following


def _gradient(game: Any, s: Any) -> Any:
    """The inputs of a state, as player 0 sees them: by a weight's input the sum changes with the weight."""
    on = Active(game.model_inputs, game.model_most)
    game.model_see(s, on)
    inputs = np.array(on.row(game.model_inputs), np.float32)
    return inputs if game.viewer(s) == 0 else -inputs


def _before(game: Any, s: Any, p: int, discount: float) -> float:
    """What the move to `s` is worth to a player: what he has earned then, and of what is still to come a part."""
    value = game.evaluate(s, p)
    if discount == 1.0 or game.is_terminal(s):
        return float(value)
    return float(game.earned(s, p) + discount * (value - game.earned(s, p)))


def _share(game: Any, value: float) -> float:
    """A value to player 0 as the part of the range of utilities that it is."""
    low, high = game.utility_range
    return float((value - low) / (high - low))


def _sigmoid(x: float) -> float:
    return float(1.0 / (1.0 + np.exp(-x)))
