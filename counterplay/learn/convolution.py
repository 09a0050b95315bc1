"""A convolutional network for values and moves: it sees the board as a board (AlphaGo Zero, 2017; KataGo, 2019).

The input is a plane for each `Bits` of the state, and one that is 1 on the whole board, so that its edge is seen. All
other numbers of the state, and whose turn it is, are the same for every square: they are added to the thresholds of the
first layer. Then come `blocks` of two convolutions each, which are added to what went in (He et al., Deep residual
learning, 2015). Of each square sixteen numbers are left, from which one dense layer gives a score for every move, and
two give the value. Where a move is a square, that square has a score of its own, too.

There are no batch normalisations: the second convolution of every block begins with zeros instead, so that at first
a block changes nothing (Zhang et al., Fixup initialization, 2019).

The weights are as compiled code wants them, so that the network is part of the game like any other model, with no other
library. Torch trains it, and onnxruntime is quicker for many states at once; see `runtimes.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import exp, isqrt
from typing import Any

import numpy as np

from counterplay.core.bits import Bits
from counterplay.core.boards import BoardGame
from counterplay.core.cells import Cells
from counterplay.core.errors import UserError
from counterplay.core.features import MOST_ACTIVE, Active, Learnable, default_features, new_active, number_of_inputs
from counterplay.core.game import CHANCE, Game
from counterplay.core.memory import Memory
from counterplay.core.randomness import new_random
from counterplay.core.vectors import LANES, add_scaled, convolve, layer, scratch
from counterplay.learn.model import Array, Model, in_lines
from counterplay.native import interpreted, native
from counterplay.search.playout import choose

__all__ = ["ConvolutionalNetwork"]

MOST_MOVES = 1 << 15
MOST_CELLS = 1 << 10
MOST_OTHERS = 1 << 10
"""Inputs that are no squares; those beyond are not seen."""
HIDDEN = 32
"""Units between the board and the value."""
NOWHERE = -1
"""In the layout: an input that the network does not see."""


class ConvolutionalNetwork(Model):
    """A network of `blocks` residual blocks of `channels` channels, for values and moves.

    `moves` is how many scores there are for moves: action `a` has number `a` modulo that. By default as many as random
    games show to be needed.
    """

    kind = "conv"
    rate = (0.002, 0.0002)

    def __init__(self, game: Game, channels: int = 32, blocks: int = 4, moves: int = 0, seed: int = 0) -> None:
        super().__init__(game)
        if channels < LANES or channels % LANES or not 1 <= blocks <= 64:
            raise UserError(f"a convolutional network has {LANES}, {2 * LANES}, ... channels and 1 to 64 blocks")
        self.channels, self.blocks = channels, blocks
        self._lay_out()
        needed, self.widest, self.placed = self._survey()
        self.moves = moves or needed
        squares = {square: cell for cell, square in enumerate(self.squares)}
        self.cell_of = np.full(self.moves, NOWHERE, np.int32)
        """The cell whose own score a move has."""
        for move in range(self.moves if self.placed else 0):
            self.cell_of[move] = squares.get(move, NOWHERE)
        self.weights = {name: in_lines(array) for name, array in self._first_weights(seed).items()}

    # ---- what it sees

    def _lay_out(self) -> None:
        """Where each input goes: to a cell of a plane, or to the others."""
        game, start = self.game, self.game.initial()
        self.has_own_planes = type(game).planes is not Learnable.planes
        self.has_sights = type(game).sights is not Learnable.sights
        seen = [*_parts(game.planes(start))] if self.has_own_planes else []
        boards = [item for item in seen or _parts(start) if isinstance(item, Bits)]
        self.first_of_sights = sum(number_of_inputs(item) for item in seen)
        seen += [*_parts(game.sights(start))] if self.has_sights else []
        self.first_of_state = sum(number_of_inputs(item) for item in seen)
        if not boards:
            raise UserError(f"{game} has no `Bits` in its state, so no board for a convolutional network")
        width = boards[0].width if self.has_own_planes else Counter(b.width for b in boards).most_common(1)[0][0]
        self.rows, self.columns, self.squares = _grid(game, width)
        if len(self.squares) > MOST_CELLS:
            raise UserError(f"a convolutional network sees up to {MOST_CELLS:,} squares, not {len(self.squares):,}")
        cell_of = {square: cell for cell, square in enumerate(self.squares)}
        layout: list[int] = []
        planes, others = 0, 0
        for i, item in enumerate([*seen, *_parts(start)]):
            size = number_of_inputs(item)
            if isinstance(item, Bits) and (i < len(seen) or not self.has_own_planes) and item.width == width:
                first = planes * self.cells
                layout += [first + cell_of[q] if q in cell_of else NOWHERE for q in range(width)]
                planes += 1
            elif (isinstance(item, Bits) and self.has_own_planes) or others + size > MOST_OTHERS:
                layout += [NOWHERE] * size
            else:
                layout += range(NOWHERE - 1 - others, NOWHERE - 1 - others - size, -1)
                others += size
        layout += range(NOWHERE - 1 - others, NOWHERE - 1 - others - game.players, -1)
        self.layout = np.array(layout, np.int32)
        """For each input its place among planes x cells; or -2 and below, counted down: its number among the others."""
        self.planes, self.others = planes + 1, others + game.players

    @property
    def cells(self) -> int:
        return len(self.squares)

    @cached_property
    def near(self) -> Any:
        """For each cell the nine around it, and itself in the middle; `cells` is the one outside."""
        found = np.full((self.rows + 2, self.columns + 2), self.cells, np.int32)
        found[1:-1, 1:-1] = np.arange(self.cells).reshape(self.rows, self.columns)
        offsets = [(r, c) for r in range(3) for c in range(3)]
        beside = [found[r : r + self.rows, c : c + self.columns].reshape(-1) for r, c in offsets]
        return np.ascontiguousarray(np.stack(beside, axis=1))

    def _survey(self) -> tuple[int, int, bool]:
        """How many moves need a score, how many there are in one position, and whether a move is the square where
        something is put: by some random games."""
        game, random = self.game, new_random(0)
        most, widest, moves, placed = 0, 1, 0, 0
        with interpreted():
            for _ in range(8):
                s, plies = game.initial(), 0
                while not game.is_terminal(s) and plies < 200:
                    a = choose(game, s, random)
                    after = game.result(s, a)
                    if game.player(s) != CHANCE:
                        most, widest = max(most, *game.actions(s)), max(widest, game.count_actions(s))
                        moves += 1
                        placed += a not in self._stones(s) and a in self._stones(after)
                    s, plies = after, plies + 1
        return min(-(-(most + 1) * 5 // 4), MOST_MOVES), widest, placed >= 0.9 * moves

    def _stones(self, s: Any) -> set[int]:
        """The squares where anything is."""
        on = Active()
        see(self, s, on)
        cells = [self.layout[on.index(k)] for k in range(len(on))]
        return {self.squares[t % self.cells] for t in cells if t >= 0}

    # ---- the weights

    def _first_weights(self, seed: int) -> dict[str, Array]:
        random, c, n = np.random.default_rng(seed), self.channels, self.cells * LANES

        def normal(rows: int, columns: int, inputs: float) -> Array:
            drawn: Array = random.normal(0.0, (2.0 / inputs) ** 0.5, (rows, columns)).astype(np.float32)
            return drawn

        nothing = np.zeros((1, c), np.float32)
        block = [normal(9 * c, c, 9 * c), nothing, np.zeros((9 * c, c), np.float32), nothing]
        blocks = [part for _ in range(self.blocks) for part in (normal(9 * c, c, 9 * c), *block[1:])]
        return {
            "stem": np.concatenate([normal(9 * self.planes, c, 9 * self.planes), nothing]),
            "others": normal(self.others, c, 16 * self.others),
            "blocks": np.concatenate(blocks),
            "head": np.concatenate([normal(c, LANES, c), np.zeros((1, LANES), np.float32)]),
            "squares": np.zeros((c + 1, LANES), np.float32),
            "policy": np.zeros((self.moves, n + LANES), np.float32),
            "values": np.concatenate(
                [normal(HIDDEN, n, n).reshape(-1), np.zeros(HIDDEN + HIDDEN + 1, np.float32)], dtype=np.float32
            ),
        }

    @property
    def shape(self) -> dict[str, Any]:
        return {"channels": self.channels, "blocks": self.blocks, "moves": self.moves}

    @property
    def inputs(self) -> int:
        return len(self.layout)

    @property
    def most_active(self) -> int:
        return min(self.inputs, MOST_ACTIVE)

    # ---- symmetries

    @cached_property
    def turns(self) -> tuple[Any, Any]:
        """The ways to turn the board: where each cell goes, and each move; the first turns nothing.

        A symmetry of the game's is taken if its moves can be found: those that lead to the turned board, the same in
        all positions of some random games.
        """
        squares = {square: cell for cell, square in enumerate(self.squares)}
        cells, moves = [np.arange(self.cells)], [np.arange(self.moves)]
        for turn in self.game.symmetries:
            if {turn[q] for q in self.squares} != set(self.squares):
                continue
            cell = np.array([squares[turn[q]] for q in self.squares])
            move = self._turned_moves(cell)
            if move is not None:
                cells.append(cell)
                moves.append(move)
        return np.array(cells, np.int32), np.array(moves, np.int32)

    def _turned_moves(self, cell: Any) -> Any:
        game, random = self.game, new_random(1)
        found: dict[int, int] = {}
        turn = {q: self.squares[cell[i]] for i, q in enumerate(self.squares)}
        with interpreted():
            for _ in range(6):
                s, plies = game.initial(), 0
                while not game.is_terminal(s) and plies < 60:
                    if game.player(s) != CHANCE:
                        after = {_bits(game.result(_turned(s, turn), a)): a for a in game.actions(_turned(s, turn))}
                        for a in game.actions(s):
                            other = after.get(_bits(_turned(game.result(s, a), turn)))
                            if other is not None and found.setdefault(a, other) != other:
                                return None
                    s, plies = game.result(s, choose(game, s, random)), plies + 1
        turned = [found.get(a, a) for a in range(self.moves)]
        return np.array(turned) if sorted(turned) == list(range(self.moves)) else None

    # ---- many states at once, by NumPy

    def seen(self, states: Sequence[Any]) -> tuple[Array, Array]:
        """The planes of each state, (states, planes, rows, columns), and its other inputs."""
        planes = np.zeros((len(states), self.planes, self.cells), np.float32)
        others = np.zeros((len(states), self.others), np.float32)
        planes[:, -1] = 1.0
        on = Active()
        with interpreted():
            for row, s in enumerate(states):
                see(self, s, on)
                for i, x in on.values.items():
                    t = int(self.layout[i])
                    if t >= 0:
                        planes[row, t // self.cells, t % self.cells] = x
                    elif t != NOWHERE:
                        others[row, NOWHERE - 1 - t] = x
        return planes.reshape(len(states), self.planes, self.rows, self.columns), others

    def plain(self, planes: Array, others: Array) -> tuple[Array, Array]:
        """The scores of all moves and the outputs for the value, by plain NumPy: the reference for all others."""
        w, c = self.weights, self.channels

        def convolution(x: Array, rows: Array, near: Any) -> Any:
            outside = np.zeros((len(x), 1, x.shape[2]), np.float32)
            beside = np.concatenate([x, outside], axis=1)[:, near].reshape(len(x), self.cells, -1)
            return beside @ rows[:-1] + rows[-1]

        x: Any = planes.reshape(len(planes), self.planes, self.cells).transpose(0, 2, 1)
        x = np.maximum(convolution(x, w["stem"], self.near) + (others @ w["others"])[:, None], 0)
        for block in w["blocks"].reshape(self.blocks, 2, 9 * c + 1, c):
            x = np.maximum(x + convolution(np.maximum(convolution(x, block[0], self.near), 0), block[1], self.near), 0)
        here = self.near[:, 4:5]
        features = np.maximum(convolution(x, w["head"], here), 0).reshape(len(x), -1)
        squares = convolution(x, w["squares"], here)[:, :, 0]
        n = features.shape[1]
        scores = features @ w["policy"][:, :n].T + w["policy"][:, n]
        scores += np.where(self.cell_of >= 0, squares[:, self.cell_of], 0)
        first, last = w["values"][: HIDDEN * n].reshape(HIDDEN, n), w["values"][HIDDEN * (n + 1) :]
        hidden = 1 / (1 + np.exp(-(features @ first.T + w["values"][HIDDEN * n : HIDDEN * (n + 1)])))
        return scores, 1 / (1 + np.exp(-(hidden @ last[:-1] + last[-1])))

    def must_learn_by(self, method: str) -> None:
        raise UserError(f"{method} cannot train a convolutional network: learn.zero can")

    def estimate(self, game: Game, s: Any) -> float:
        """As `evaluate`, but quicker without a compiler, and not to the last bit."""
        if game.is_terminal(s):
            return float(game.utility(s, 0))
        low, high = game.utility_range
        v = low + (high - low) * float(self.plain(*self.seen([s]))[1][0])
        return v if game.viewer(s) == 0 else float(game.utility_sum - v)

    # ---- as part of a game

    def rules(self) -> dict[str, Any]:
        cells, c = self.cells, self.channels
        return {
            "model_see": SEEING[self.has_own_planes, self.has_sights],
            "model_guess": model_guess,
            "model_think": model_think,
            "model_odds": model_odds,
            "model_layout": Memory(self.layout),
            "model_near": Memory(self.near),
            "model_here": Memory(np.ascontiguousarray(self.near[:, 4:5])),
            "model_cell_of": Memory(self.cell_of),
            "model_first_of_sights": self.first_of_sights,
            "model_first_of_state": self.first_of_state,
            "model_moves": self.moves,
            "model_cells": cells,
            "model_planes": self.planes,
            "model_channels": c,
            "model_blocks_number": self.blocks,
            "model_planes_room": (cells + 1) * self.planes,
            "model_board_room": (cells + 1) * c,
            "model_head_room": (cells + 1) * LANES,
            "model_thought": LANES + cells * LANES + -(-cells // LANES) * LANES,
        }


def _parts(s: Any) -> Iterator[Any]:
    """The items of a state in the order of `default_features`."""
    if isinstance(s, tuple | Cells):
        for item in s:
            yield from _parts(item)
    else:
        yield s


def _turned(s: Any, turn: dict[int, int]) -> Any:
    """A state with every `Bits` turned that has the squares for it."""
    if isinstance(s, Bits):
        return Bits(s.width, [turn.get(q, q) for q in s])
    if isinstance(s, tuple):
        items = [_turned(item, turn) for item in s]
        return type(s)(*items) if hasattr(s, "_fields") else tuple(items)
    return s


def _bits(s: Any) -> tuple[int, ...]:
    return tuple(int(item) for item in _parts(s) if isinstance(item, Bits))


def _grid(game: Game, width: int) -> tuple[int, int, list[int]]:
    """How the squares of a `Bits` lie: rows, columns, and the square of each cell, row by row."""
    if isinstance(game, BoardGame):
        rows, columns = game.shape
        squares = [int(game.square(r, c)) for r in range(rows) for c in range(columns)]
        if len(set(squares)) == rows * columns and all(0 <= q < width for q in squares):
            return rows, columns, squares
    side = isqrt(width)
    rows, columns = (side, side) if side * side == width else (1, width)
    return rows, columns, list(range(width))


# ---- in compiled code


def see(model: Any, s: Any, on: Any) -> None:
    """`model_see` for whoever has the model and no game with it."""
    on.clear()
    if model.has_own_planes:
        default_features(model.game.planes(s), on)
    if model.has_sights:
        default_features(model.game.sights(s), on, model.first_of_sights)
    default_features(s, on, model.first_of_state)
    on.add(model.inputs - model.game.players + model.game.viewer(s))


def see_state(self: Any, s: Any, on: Any) -> None:
    on.clear()
    default_features(s, on)
    on.add(self.model_inputs - self.players + self.viewer(s))


def see_planes(self: Any, s: Any, on: Any) -> None:
    on.clear()
    default_features(self.planes(s), on)
    default_features(s, on, self.model_first_of_state)
    on.add(self.model_inputs - self.players + self.viewer(s))


def see_sights(self: Any, s: Any, on: Any) -> None:
    on.clear()
    default_features(self.sights(s), on)
    default_features(s, on, self.model_first_of_state)
    on.add(self.model_inputs - self.players + self.viewer(s))


def see_both(self: Any, s: Any, on: Any) -> None:
    on.clear()
    default_features(self.planes(s), on)
    default_features(self.sights(s), on, self.model_first_of_sights)
    default_features(s, on, self.model_first_of_state)
    on.add(self.model_inputs - self.players + self.viewer(s))


SEEING = {
    (False, False): see_state,
    (True, False): see_planes,
    (False, True): see_sights,
    (True, True): see_both,
}
"""By whether the game has planes of its own, and sights."""


@native
def forward(game, on, features, squares):  # type: ignore[no-untyped-def]
    """What is left of each square: its numbers for the dense layers, and its own score."""
    planes, bias = scratch(game.model_planes_room), scratch(game.model_channels)
    x, between = scratch(game.model_board_room), scratch(game.model_board_room)
    n, c = game.model_planes, game.model_channels
    add_scaled(bias, 0, 1.0, game.model_stem, 9 * n * c, c)
    for k in range(len(on)):
        t = game.model_layout[on.index(k)]
        if t >= 0:
            planes[t % game.model_cells * n + t // game.model_cells] = on.value(k)
        elif t < -1:
            add_scaled(bias, 0, on.value(k), game.model_others, (-2 - t) * c, c)
    for cell in range(game.model_cells):
        planes[cell * n + n - 1] = 1.0
    convolve(x, planes, game.model_stem, 0, bias, 0, game.model_near, 1)
    size = (9 * c + 1) * c
    for i in range(0, 2 * game.model_blocks_number * size, 2 * size):
        convolve(between, x, game.model_blocks, i, game.model_blocks, i + size - c, game.model_near, 1)
        convolve(x, between, game.model_blocks, i + size, game.model_blocks, i + 2 * size - c, game.model_near, 2)
    convolve(features, x, game.model_head, 0, game.model_head, c * LANES, game.model_here, 1)
    convolve(squares, x, game.model_squares, 0, game.model_squares, c * LANES, game.model_here, 0)


def model_guess(self: Any, on: Any, y: Any) -> None:
    features, squares = scratch(self.model_head_room), scratch(self.model_head_room)
    forward(self, on, features, squares)
    guess(self, features, y)


def guess(game: Any, features: Any, y: Any) -> None:
    """The value, from what is left of each square."""
    hidden, n = scratch(HIDDEN), game.model_cells * LANES
    layer(hidden, 0, game.model_values, 0, features, 0, n, HIDDEN)
    layer(y, 0, game.model_values, HIDDEN * (n + 1), hidden, 0, HIDDEN, 1)


def model_think(self: Any, s: Any, thought: Any) -> None:
    """Leave in `thought` what the network makes of a state: for `model_verdict` its value, which comes first, and for
    `model_odds` what is left of each square."""
    think(self, s, thought)


@native
def think(game, s, thought):  # type: ignore[no-untyped-def]
    on = new_active(game.model_inputs, game.model_most)
    features, squares = scratch(game.model_head_room), scratch(game.model_head_room)
    game.model_see(s, on)
    forward(game, on, features, squares)
    guess(game, features, thought)
    n = game.model_cells * LANES
    for i in range(n):
        thought[game.model_room + i] = features[i]
    for cell in range(game.model_cells):
        thought[game.model_room + n + cell] = squares[cell * LANES]


def model_odds(self: Any, thought: Any, p: int, a: int) -> float:
    """How much speaks for the move `a`: e to the power of its score."""
    y, n, move = scratch(LANES), self.model_cells * LANES, a % self.model_moves
    layer(y, 0, self.model_policy, move * (n + LANES), thought, self.model_room, n, 1)
    odds = y[0] / max(1.0 - y[0], 1e-6)  # a sigmoid y is e^x / (1 + e^x)
    cell = self.model_cell_of[move]
    if cell < 0:
        return float(odds)
    return float(odds * exp(min(max(thought[self.model_room + n + cell], -30.0), 30.0)))
