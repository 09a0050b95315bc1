"""What all models have: weights of a frozen shape, and the rules that they give to a game.

    model = Network(game, hidden=80)
    clever = game.with_model(model)          # a game like any other; its `evaluate` is what the model says
    model.weights["first"][0] = 0.5          # the next search sees it; nothing is compiled

A model looks at a state as its `viewer`, and its outputs are between 0 and 1. One output is where the value lies in the
range of utilities. Where the game can be won by several stakes, the first output is the chance to win, then come those
to win by each higher stake, then those to lose by it.

Learning is a step down the gradient of the cross entropy between the outputs and a target. Of that the gradient before
the last sigmoid is just `output - target`, times what went in: the rule of the textbooks for one layer, and what
TD-Gammon does with several.

In compiled code a model is some rules of the game, all of whose names begin with `model_`:

    model_see(s, on)                     the active inputs of a state
    model_guess(on, y)                   the outputs
    model_learn(on, target, rate)        one step
    model_worth(y), model_result(s, p, y), model_turn(y)
                                         the value of outputs, the outputs of an end, and as the other player sees them
    model_fade(y, in_hand, discount)     what they are a move before, where what comes later counts less
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import inf
from typing import Any, ClassVar

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.extension import original
from counterplay.core.features import new_active
from counterplay.core.game import Game
from counterplay.core.memory import Memory
from counterplay.core.vectors import LANES, scratch
from counterplay.learn.inputs import with_inputs
from counterplay.native import native
from counterplay.search.mcts.nodes import values_kept

__all__ = ["Model", "copied", "model_of", "without_model"]

Array = np.ndarray[Any, np.dtype[np.float32]]


class Weights(Memory):
    """The weights of a model as part of a game, which tell whose they are."""

    __slots__ = ("model",)

    model: Model

    @classmethod
    def of(cls, model: Model, array: Array) -> Weights:
        made = cls(array)
        made.model = model
        return made


def model_of(game: Game) -> Model | None:
    """The model whose estimate the game has, if it has one's."""
    if game.extension.get("evaluate") not in (evaluate, evaluate_each):
        return None
    return next((each.model for each in game.extension.values() if isinstance(each, Weights)), None)


class Model:
    """The base of every model. A subclass gives its weights, the rules that use them, and constants for these."""

    kind: ClassVar[str]
    rate: ClassVar[tuple[float, float]]
    """How fast it learns at first and at last, unless somebody says otherwise."""
    trace: ClassVar[float] = 0.0
    """How much of a later position's surprise it takes for its own, unless somebody says otherwise: lambda."""

    many_players: ClassVar[bool] = False
    """Whether it is also for one player, and for more than two."""

    weights: dict[str, Array]
    """The numbers that learn, by name."""

    def __init__(self, game: Game, features: str = "own") -> None:
        is_duel = game.players == 2 and game.zero_sum
        if game.simultaneous or not (is_duel or self.many_players):
            raise UserError(f"{game} is not for two opponents who move in turn: a model cannot tell who it speaks for")
        if not game.utility_range[0] < game.utility_range[1] or not np.isfinite(game.utility_range).all():
            raise UserError(f"{game} has no utility_range that a model could fill")
        self.game: Game = with_inputs(without_model(game), features)
        self.features = features
        self.pedigree: list[dict[str, Any]] = []
        """How it was trained: one entry for each time, in order."""
        self.name = ""
        """How people call it: the file that it comes from, or `shipped`."""

    @property
    def played(self) -> int:
        """How many games it has learned from."""
        return sum(each.get("played", 0) for each in self.pedigree)

    @property
    def schooling(self) -> str:
        """What it has learned from, in a few words: games, or positions that somebody has judged."""
        judged = sum(each.get("examples", 0) for each in self.pedigree)
        return f"{judged:,} positions" if judged and not self.played else f"{self.played:,} games"

    def as_dict(self) -> dict[str, Any]:
        """Which one it is, for JSON."""
        return {"name": self.name, "kind": self.kind, "games": self.played}

    # ---- what a subclass says

    @property
    def shape(self) -> dict[str, Any]:
        """What it is made with besides the game."""
        return {"features": self.features}

    @property
    def inputs(self) -> int:
        raise NotImplementedError

    @property
    def most_active(self) -> int:
        """How many inputs are told of a state at most."""
        return self.game.most_active

    @property
    def outputs(self) -> int:
        return 1

    def rules(self) -> dict[str, Any]:
        """`model_see`, `model_guess` and `model_learn`, with what else these use."""
        raise NotImplementedError

    def must_learn_by(self, method: str) -> None:
        """Refuse a way to learn that is not for this model."""

    def estimate(self, game: Game, s: Any) -> float:
        """What the state is worth to player 0, by a `game` with this model: for the canary, where no bit matters."""
        return game.evaluate(s, 0)

    # ---- as part of a game

    @cached_property
    def members(self) -> dict[str, Any]:
        """All that it gives to a game."""
        is_for_each = values_kept(self.game) > 1
        worth, result, turn, fade = STAKES if self.outputs > 1 and not is_for_each else ONE_OUTPUT
        return {
            **self.game.extension,
            "evaluate": evaluate_each if is_for_each else evaluate,
            "model_value": model_value,
            "model_share": model_share,
            "model_verdict": verdict_each if is_for_each else verdict,
            "model_worth": worth,
            "model_result": result,
            "model_turn": turn,
            "model_fade": fade,
            "model_inputs": self.inputs,
            "model_most": self.most_active,
            "model_outputs": self.outputs,
            "model_room": -(-self.outputs // LANES) * LANES,  # for the outputs, in whole vectors
            **{f"model_{name}": Weights.of(self, array) for name, array in self.weights.items()},
            **self.rules(),
        }

    def joined_to(self, game: Game) -> Any:
        """The game with this model's estimate; `game.with_model(model)` asks for it."""
        if str(game) != str(self.game):
            raise UserError(f"the model is for {self.game}, not for {game}")
        return without_model(game).extended(**self.members)

    def rates(self, given: float | Sequence[float] | None) -> tuple[float, float]:
        """How fast to learn at first and at last, from one number, or two, or none."""
        pair = self.rate if given is None else (given, given) if isinstance(given, int | float) else tuple(given)
        if len(pair) != 2 or not 0.0 <= pair[1] <= pair[0] < inf:
            raise UserError(f"a rate is a number, or two, of which the second is no larger: (0.1, 0.01), not {given}")
        return float(pair[0]), float(pair[1])

    def __repr__(self) -> str:
        shape = ", ".join(f"{name}={value!r}" for name, value in self.shape.items() if len(repr(value)) < 40)
        return f"{type(self).__name__}({self.game}, {shape})"


def copied(model: Any) -> Any:
    """The model as it is now, which does not learn on."""
    copy = type(model)(model.game, **model.shape)
    for name, weights in model.weights.items():
        copy.weights[name][:] = weights
    return copy


def in_lines(numbers: Any, kind: Any = np.float32) -> Any:
    """The numbers in that kind, beginning where a line of the processor's cache does: so does every row of sixteen."""
    array = np.asarray(numbers, kind)
    in_line = 64 // array.itemsize
    room = np.empty(array.size + in_line, kind)
    first = -(room.ctypes.data // array.itemsize) % in_line
    aligned = room[first : first + array.size].reshape(array.shape)
    aligned[...] = array
    return aligned


def without_model(game: Game) -> Game:
    """The game as it was before a model was joined to it."""
    if "model_value" not in game.extension:
        return game
    ours = {"evaluate", "features", "inputs", "most_active"}
    kept = {k: v for k, v in game.extension.items() if not k.startswith("model_") and k not in ours}
    plain: Game = original(game)(**game.settings)
    return plain.extended(**kept)


# ---- the rules of every game with a model


def evaluate(self: Any, s: Any, p: int) -> float:
    if self.is_terminal(s):
        return float(self.utility(s, p))
    v = self.model_value(s)
    return float(v if p == self.viewer(s) else self.utility_sum - v)


def evaluate_each(self: Any, s: Any, p: int) -> float:
    """The same where each player has a value of its own: the first output is the viewer's, then they go on in turn."""
    if self.is_terminal(s):
        return float(self.utility(s, p))
    low, high = self.utility_range
    return float(low + (high - low) * self.model_share(s, (p - self.viewer(s)) % self.players))


def verdict(self: Any, thought: Any, s: Any, p: int) -> float:
    """What `evaluate` says of a live state, from what a model that says something of moves, too, made of it before."""
    v = self.model_worth(thought)
    return float(v if p == self.viewer(s) else self.utility_sum - v)


def verdict_each(self: Any, thought: Any, s: Any, p: int) -> float:
    """The same where each player has a value of its own."""
    low, high = self.utility_range
    return float(low + (high - low) * thought[(p - self.viewer(s)) % self.players])


def model_share(self: Any, s: Any, k: int) -> Any:
    return output(self, s, k)


@native
def output(game, s, k):  # type: ignore[no-untyped-def]
    """One of the model's outputs."""
    on, y = new_active(game.model_inputs, game.model_most), scratch(game.model_room)
    game.model_see(s, on)
    game.model_guess(on, y)
    return float(y[k])


def model_value(self: Any, s: Any) -> Any:
    return value(self, s)


@native
def value(game, s):  # type: ignore[no-untyped-def]
    """What the model expects for the viewer. (Compiled once and called, not copied into every search.)"""
    on, y = new_active(game.model_inputs, game.model_most), scratch(game.model_room)
    game.model_see(s, on)
    game.model_guess(on, y)
    return game.model_worth(y)


def see_features(self: Any, s: Any, on: Any) -> None:
    """`model_see` of the models that take the game's features as they are."""
    on.clear()
    self.features(s, on)


# ---- one output: where the value lies in the range of utilities


def one_worth(self: Any, y: Any) -> Any:
    low, high = self.utility_range
    return min(max(low + (high - low) * y[0], low), high)


def one_result(self: Any, s: Any, p: int, y: Any) -> None:
    low, high = self.utility_range
    y[0] = (self.utility(s, p) - low) / (high - low)


def one_turn(self: Any, y: Any) -> None:
    y[0] = 1.0 - y[0]


def one_fade(self: Any, y: Any, in_hand: float, discount: float) -> None:
    y[0] = in_hand + discount * (y[0] - in_hand)


ONE_OUTPUT: tuple[Callable[..., Any], ...] = (one_worth, one_result, one_turn, one_fade)


# ---- stakes: to win, to win by the second stake or more, ..., to lose by the second stake or more, ...


def stakes_worth(self: Any, y: Any) -> Any:
    stakes, n = self.stakes, len(self.stakes)
    total = stakes[0] * (2.0 * y[0] - 1.0)
    for i in range(1, n):
        total += (stakes[i] - stakes[i - 1]) * (y[i] - y[n - 1 + i])
    low, high = self.utility_range
    return min(max(total, low), high)


def stakes_result(self: Any, s: Any, p: int, y: Any) -> None:
    stakes, n, u = self.stakes, len(self.stakes), self.utility(s, p)
    y[0] = 1.0 if u > 0.0 else 0.0
    for i in range(1, n):
        between = 0.5 * (stakes[i - 1] + stakes[i])
        y[i] = 1.0 if u > between else 0.0
        y[n - 1 + i] = 1.0 if -u > between else 0.0


def stakes_turn(self: Any, y: Any) -> None:
    n = len(self.stakes)
    y[0] = 1.0 - y[0]
    for i in range(1, n):
        win, loss = y[i], y[n - 1 + i]
        y[i] = loss
        y[n - 1 + i] = win


def stakes_fade(self: Any, y: Any, in_hand: float, discount: float) -> None:
    """The chances of a game that may be broken off as even; stakes are won at the end, so nothing is in hand before."""
    y[0] = 0.5 + discount * (y[0] - 0.5)
    for i in range(1, 2 * len(self.stakes) - 1):
        y[i] = discount * y[i]


STAKES: tuple[Callable[..., Any], ...] = (stakes_worth, stakes_result, stakes_turn, stakes_fade)
