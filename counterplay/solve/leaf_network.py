"""A network that guesses what leaves are worth, so that re-solving need not solve what comes after them.

That is what made DeepStack's way possible in large games (Moravčík et al. 2017). Here every leaf has a small network of
its own, and all are computed at once. In goes how likely each hand of both players is; out comes what each is worth.

It learns from subgames that were solved, first with random hands, then with those that are met when the trunk is solved
by the network itself; so it learns to be right where it is asked (Ross, Gordon and Bagnell 2011). Of all rounds, the
network is kept that was least wrong about what it met.

    network = train_network(cut(game))
    Resolver(game, leaf_values=network, trunk=network.trunk)
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.files import read_bytes, write_files
from counterplay.core.primitives import state_key
from counterplay.search.result import Unsuited
from counterplay.solve.resolving import Nested, Resolver
from counterplay.solve.subgames import Trunk

__all__ = ["LeafNetwork", "train_network"]

HIDDEN = (32, 32)
ROUNDS = 12
SAMPLES = 300  # of each round; each is a subgame at every leaf
STEPS, BATCH = 800, 64  # of each round
RATE = 1e-3
_LARGE_ERROR = 0.05  # beyond it an error pulls no more than this (Huber), in the unit of utilities
_HOW = "`counterplay equilibrium GAME --method resolving --network FILE` trains one"
_NOTHING = 1e-12  # as likely as never

Reach = tuple[Any, Any]
"""By player: how likely he comes with each hand of all leaves, in one row or several."""


class LeafNetwork:
    """Hidden layers of rectified sums for each leaf. The hands of both players are in one row, one after the other.

    In go probabilities, which add up to 1 for each player. What comes out is corrected, so that what one player wins
    the other loses, and multiplied with how likely the other comes there at all.
    """

    def __init__(self, trunk: Trunk, hidden: tuple[int, ...] = HIDDEN, seed: int = 0) -> None:
        if not trunk.leaves:
            raise Unsuited(f"{trunk.game} has no leaves that a network could value: cut it after some moves")
        self.trunk, self.error = trunk, np.inf
        hands = [[len(leaf.hands[p]) for leaf in trunk.leaves] for p in (0, 1)]
        self._split, leaves = max(hands[0]), len(trunk.leaves)
        width = self._split + max(hands[1])
        # where the hands of each player are: the leaf, and the column in its row
        self._leaf = [np.repeat(np.arange(leaves), hands[p]) for p in (0, 1)]
        self._column = [np.concatenate([np.arange(n) + p * self._split for n in hands[p]]) for p in (0, 1)]
        random = np.random.default_rng(seed)
        self.weights: list[Any] = []
        for inputs, outputs in pairwise((width, *hidden, width)):
            self.weights.append(random.normal(0.0, np.sqrt(2 / inputs), (leaves, inputs, outputs)))
            self.weights.append(np.zeros((leaves, 1, outputs)))
        self.weights[-2] *= 0.1  # it begins with guesses near 0
        self._means = [np.zeros_like(w) for w in self.weights]  # Adam's: of slopes, and of their squares
        self._squares = [np.zeros_like(w) for w in self.weights]
        self._steps = 0

    # ---- guessing

    def __call__(self, reach: Reach) -> Reach:
        """What each hand is worth, by player."""
        x, others = self._inputs((reach[0][None], reach[1][None]))
        y = self._outputs(x)[-1]
        one, two = (y[self._leaf[p], 0, self._column[p]] * others[p][self._leaf[p], 0] for p in (0, 1))
        return one, two

    def _rows(self, reach: Reach) -> Any:
        """By leaf and sample: a row with all hands of both."""
        rows = np.zeros((len(self.trunk.leaves), len(reach[0]), self.weights[-1].shape[-1]))
        for p in (0, 1):
            rows[self._leaf[p], :, self._column[p]] = reach[p].T
        return rows

    def _inputs(self, reach: Reach) -> tuple[Any, tuple[Any, Any]]:
        """The rows that go in; and by player, leaf and sample, how likely the other comes there."""
        rows, half = self._rows(reach), self._split
        sums = rows[:, :, :half].sum(2), rows[:, :, half:].sum(2)
        for p, part in enumerate((rows[:, :, :half], rows[:, :, half:])):
            part /= np.maximum(sums[p], _NOTHING)[:, :, None]
        return rows, (sums[1], sums[0])

    def _outputs(self, x: Any) -> list[Any]:
        """What goes through each layer, and last what comes out."""
        through = [x]
        for i in range(0, len(self.weights), 2):
            y = through[-1] @ self.weights[i] + self.weights[i + 1]
            through.append(np.maximum(y, 0.0) if i + 2 < len(self.weights) else y)
        through[-1] = through[-1] - 0.5 * (x * through[-1]).sum(2, keepdims=True)  # now both add up to 0
        return through

    # ---- learning

    def learn(self, reach: Reach, values: Reach, steps: int, seed: int) -> None:
        """Learn from samples, rows of what comes in and should come out, by so many steps of Adam."""
        x, others = self._inputs(reach)
        y, half = self._rows(values), self._split
        for p, part in enumerate((y[:, :, :half], y[:, :, half:])):
            part /= np.where(others[p] > _NOTHING, others[p], np.inf)[:, :, None]
        random = np.random.default_rng(seed)
        for t in range(steps):
            some = random.integers(0, x.shape[1], BATCH)
            self._step(x[:, some], y[:, some], RATE * (0.01 + 0.5 * (1.0 + np.cos(np.pi * t / steps))))

    def _step(self, x: Any, y: Any, rate: float) -> None:
        """One step of Adam (Kingma and Ba 2015) down the slopes of a batch."""
        through = self._outputs(x)
        d = np.clip(through[-1] - y, -_LARGE_ERROR, _LARGE_ERROR) / x.shape[1]
        d = d - 0.5 * x * d.sum(2, keepdims=True)
        self._steps += 1
        for i in range(len(self.weights) - 2, -1, -2):
            before = through[i // 2]
            slopes = before.transpose(0, 2, 1) @ d, d.sum(1, keepdims=True)
            d = (d @ self.weights[i].transpose(0, 2, 1)) * (before > 0.0)
            for k, slope in zip((i, i + 1), slopes, strict=True):
                self._means[k] += 0.1 * (slope - self._means[k])
                self._squares[k] += 0.001 * (slope * slope - self._squares[k])
                mean = self._means[k] / (1.0 - 0.9**self._steps)
                square = self._squares[k] / (1.0 - 0.999**self._steps)
                self.weights[k] -= rate * mean / (np.sqrt(square) + 1e-8)

    # ---- files

    def save(self, file: Path) -> None:
        """Write it as safetensors."""
        from safetensors.numpy import save

        arrays = {f"weights{i}": w.astype(np.float32) for i, w in enumerate(self.weights)}
        about = {"counterplay": "leaf network", "game": str(self.trunk.game), "error": json.dumps(self.error)}
        write_files({file: save({**arrays, "identity": _identity(self.trunk)}, about)})

    @classmethod
    def load(cls, file: Path, trunk: Trunk) -> LeafNetwork:
        """The network of a file, if it was trained for this trunk."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        data = read_bytes(file)
        try:
            arrays = load(data)
            said = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
            identity, game, error = arrays.pop("identity"), said["game"], float(said["error"])
            weights = [arrays[f"weights{i}"].astype(float) for i in range(len(arrays))]
            hidden = tuple(w.shape[-1] for w in weights[1:-1:2])
            is_one = said["counterplay"] == "leaf network" and all(np.isfinite(w).all() for w in weights)
        except (SafetensorError, ValueError, KeyError, TypeError, IndexError, RecursionError):
            is_one = False
        if not is_one:
            raise UserError(f"{file} is no network for leaves; {_HOW}")
        if game != str(trunk.game) or not np.array_equal(identity, _identity(trunk)):
            raise UserError(f"{file} was trained for {game}, with other rules or cut elsewhere; {_HOW}")
        network = cls(trunk, hidden)
        if [w.shape for w in weights] != [w.shape for w in network.weights]:
            raise UserError(f"{file} is no network for leaves; {_HOW}")
        network.weights, network.error = weights, error
        return network


def _identity(trunk: Trunk) -> Any:
    """Numbers that are other ones for any other trunk: of what is known at the leaves."""
    leaves = [[state_key(leaf.public), *leaf.hands[0], *leaf.hands[1]] for leaf in trunk.leaves]
    return np.array([key for keys in leaves for key in keys], np.int64)


# ---- a training


def train_network(
    trunk: Trunk, rounds: int = ROUNDS, *, seed: int = 0, progress: Callable[[int, float], None] | None = None
) -> LeafNetwork:
    """A network for the leaves of a trunk. `progress` is told after each round by how much it was wrong."""
    teacher, network = Nested(trunk), LeafNetwork(trunk, seed=seed)
    random = np.random.default_rng(seed)
    best = network
    asked = [_random_hands(trunk, random) for _ in range(SAMPLES)]
    answers = [teacher(each) for each in asked]
    for n in range(1, rounds + 1):
        network.learn(_in_rows(asked), _in_rows(answers), STEPS, seed + n)
        met = _met(network)
        some = [met[i] for i in random.choice(len(met), min(SAMPLES, len(met)), replace=False)]
        right = [teacher(each) for each in some]
        network.error = float(np.mean([_wrong_by(network(each), v) for each, v in zip(some, right, strict=True)]))
        if network.error < best.error or n == 1:
            best = deepcopy(network)
        if progress is not None:
            progress(n, network.error)
        asked, answers = asked + some, answers + right
    return best


def _random_hands(trunk: Trunk, random: Any) -> Reach:
    one, two = (
        np.concatenate([random.dirichlet(np.full(len(leaf.hands[p]), 0.6)) for leaf in trunk.leaves]) for p in (0, 1)
    )
    return one, two


def _met(network: LeafNetwork) -> list[Reach]:
    """What a network is asked when the trunk is solved by it."""
    met: list[Reach] = []

    def watched(reach: Reach) -> Reach:
        met.append(reach)
        return network(reach)

    Resolver(network.trunk.game, trunk=network.trunk, leaf_values=watched)
    return met


def _in_rows(pairs: list[Reach]) -> Reach:
    return np.array([one for one, _ in pairs]), np.array([two for _, two in pairs])


def _wrong_by(guess: Reach, right: Reach) -> float:
    """By how much a hand of a leaf is valued wrongly, on the average."""
    return float(np.mean(np.abs(np.concatenate(guess) - np.concatenate(right))))
