"""A network that says two things of a state: what it is worth, and how good each move looks (AlphaGo Zero, 2017).

It is a `Network` with one output, and beside that output a row of weights for each move. The sum of a move's row over
the last hidden layer is its score, and the scores of the legal moves, as powers of e, are the odds of their being best.
Only the moves that there are get a score, so that a game may have thousands of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from counterplay.core.features import Active, new_active
from counterplay.core.game import CHANCE, Game
from counterplay.core.randomness import new_random
from counterplay.core.vectors import LANES, add_scaled, layer, scratch
from counterplay.learn.model import in_lines
from counterplay.learn.network import Network, back, forward, output_errors
from counterplay.native import interpreted, native
from counterplay.search.mcts.nodes import values_kept
from counterplay.search.playout import choose

__all__ = ["DualNetwork"]

MOST_MOVES = 1 << 15
"""Moves whose numbers differ by a multiple of it share a row."""


class DualNetwork(Network):
    """A network for values and moves.

    `moves` is how many rows there are for moves: action `a` has row `a` modulo that. By default as many as random games
    show to be needed. A move of one player means something else than the same number of the other's, unless `alike`:
    say so for games such as Connect Four, where both drop stones into the same columns.
    """

    kind = "dual"
    rate = (0.1, 0.01)
    many_players = True

    def __init__(
        self,
        game: Game,
        hidden: int | str | Sequence[int] = (64, 32),
        features: str = "own",
        moves: int = 0,
        alike: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__(game, hidden, features, seed)
        needed, active = _survey(self.game)
        self.moves, self.alike = moves or needed, alike
        self._spread(active, np.random.default_rng(seed))
        rows = self.moves * (1 if alike else self.game.players)
        self.weights["policy"] = in_lines(np.zeros(rows * (self.hidden[-1] + LANES)))

    def _spread(self, active: float, random: np.random.Generator) -> None:
        """Begin with weights large enough that two layers of sigmoids pass on what they see (Glorot & Bengio 2010)."""
        first, rest = self.weights["first"], self.weights["rest"]
        reach = 2.0 / max(active, 1.0) ** 0.5
        first[:-1] = random.uniform(-reach, reach, first[:-1].shape)
        at = 0
        for before, size in pairwise(self.hidden):
            reach = 4.0 * (6.0 / (before + size)) ** 0.5
            rest[at : at + size * before] = random.uniform(-reach, reach, size * before)
            at += size * before + size

    @property
    def shape(self) -> dict[str, Any]:
        return {**super().shape, "moves": self.moves, "alike": self.alike}

    @property
    def outputs(self) -> int:
        return values_kept(self.game)

    def rules(self) -> dict[str, Any]:
        return {
            **super().rules(),
            "model_think": model_think,
            "model_odds": model_odds,
            "model_thought": -(-self.outputs // LANES) * LANES + self.hidden[-1],
            "model_moves": self.moves,
            "model_alike": self.alike,
            "model_turns": len(self.game.symmetries) if self.game.knows.image else 0,
        }


def _survey(game: Game) -> tuple[int, float]:
    """How many moves need a row, and how many inputs are active, by some random games.

    One more than the largest action that they met, and a quarter as much again for those that they did not.
    """
    most, active, states, random, on = 0, 0, 0, new_random(0), Active()
    with interpreted():
        for _ in range(8):
            s, plies = game.initial(), 0
            while not game.is_terminal(s) and plies < 200:
                if game.player(s) != CHANCE:
                    most = max(most, *game.actions(s))
                    on.clear()
                    game.features(s, on)
                    active, states = active + len(on), states + 1
                s, plies = game.result(s, choose(game, s, random)), plies + 1
    return min(-(-(most + 1) * 5 // 4), MOST_MOVES), active / max(states, 1)


# ---- in compiled code


def model_think(self: Any, s: Any, thought: Any) -> None:
    """Leave in `thought` what the network makes of a state: for `model_verdict` its outputs, which come first, and for
    `model_odds` the last hidden layer."""
    think(self, s, thought)


@native
def think(game, s, thought):  # type: ignore[no-untyped-def]
    on, units = new_active(game.model_inputs, game.model_most), scratch(game.model_units)
    game.model_see(s, on)
    forward(game, on, units, thought)
    n = game.model_hidden[len(game.model_hidden) - 1]
    for i in range(n):
        thought[game.model_room + i] = units[game.model_units - n + i]


def model_odds(self: Any, thought: Any, p: int, a: int) -> float:
    """How much speaks for the move `a` of player `p`, by what was thought of a state."""
    return odds(self, thought, self.model_room, p, a)


def odds(game: Any, units: Any, at: int, p: int, a: int) -> float:
    """The same by the last hidden layer, which is in `units` from `at` on: e to the power of the move's score."""
    y, n = scratch(LANES), game.model_hidden[len(game.model_hidden) - 1]
    layer(y, 0, game.model_policy, row_of(game, p, a), units, at, n, 1)
    return float(y[0] / max(1.0 - y[0], 1e-6))  # a sigmoid y is e^x / (1 + e^x)


def row_of(game: Any, p: int, a: int) -> int:
    """Where the weights of a move begin."""
    row = a % game.model_moves
    if not game.model_alike:
        row += p * game.model_moves
    return row * (game.model_hidden[len(game.model_hidden) - 1] + LANES)  # type: ignore[no-any-return]


@native
def learn_both(game, on, target, p, actions, shares, first, count, rate):  # type: ignore[no-untyped-def]
    """A step towards the value `target[0]`, and for player `p` towards moves in these shares.

    `actions` and `shares` have them from number `first` on, in a circle, all that are legal. Of the cross entropy the
    gradient by the score of a move is just what the network gives it less what it should have.
    """
    units, errors, y = scratch(game.model_units), scratch(game.model_units), scratch(game.model_room)
    forward(game, on, units, y)
    n = game.model_hidden[len(game.model_hidden) - 1]
    at = game.model_units - n
    output_errors(game, units, errors, y, target, rate)
    total = 0.0
    for i in range(first, first + count):
        total += odds(game, units, at, p, actions[i % len(actions)])
    for i in range(first, first + count):
        k = i % len(actions)
        row = row_of(game, p, actions[k])
        error = rate * (float(shares[k]) - odds(game, units, at, p, actions[k]) / total)
        add_scaled(errors, at, error, game.model_policy, row, n)
        add_scaled(game.model_policy, row, error, units, at, n)
        game.model_policy[row + n] += error
    back(game, on, units, errors)
