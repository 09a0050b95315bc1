"""What a model makes of states, kept for a while, for who asks again.

A tree search asks a model twice of many a leaf: what it is worth when it comes there, and how good its moves look when
it comes again. The search of the next move meets most of what this one met, and moves in another order lead to the same
states. So what a model thinks of a state, its outputs and what it says of moves by, is kept under the state's key, the
last of all that share a place. Each thread has its own; it is forgotten whenever the model may have learned.

    keys    a word for each place: the `state_key` of what is there, with its last bit 1; 0: nothing
    rows    `model_thought` numbers of 32 bits for each place, see `learn.dual`
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.primitives import load, state_key, store
from counterplay.core.vectors import LANES, row_at

__all__ = ["Thoughts", "forget", "recall"]

MOST_THOUGHTS = 1 << 12
"""So many are kept: they should stay near the processor, and a game against oneself seldom needs older ones."""
MOST_BYTES = 1 << 22
"""But fewer, where each is large."""
_LINE = 4 * LANES  # bytes of the processor's cache, where each row begins


class Thoughts:
    """The memory of one thread."""

    def __init__(self, game: Any) -> None:
        size = 4 * game.model_thought
        self.places = MOST_THOUGHTS
        while self.places > 1 and self.places * size > MOST_BYTES:
            self.places //= 2
        self._keys = np.zeros(self.places, np.int64)
        self._rows = np.zeros(self.places * size + _LINE, np.uint8)
        self.keys = int(self._keys.ctypes.data)
        self.rows = -(-int(self._rows.ctypes.data) // _LINE) * _LINE

    def forget(self) -> None:
        """Keep nothing: the model may have learned."""
        self._keys[:] = 0


# ---- compiled with the search


def forget(x: Any) -> None:
    """`Thoughts.forget` for compiled code."""
    for i in range(x.thoughts):
        store(x.thought_keys, i, 0)


def recall(game: Any, s: Any, x: Any) -> Any:
    """What the model makes of the live state `s`: a row that is good until the next one is asked for."""
    key = state_key(s) | 1
    place = key >> 1 & x.thoughts - 1
    thought = row_at(x.thought_rows + 4 * game.model_thought * place, game.model_thought)
    if load(x.thought_keys, place) != key:
        game.model_think(s, thought)
        store(x.thought_keys, place, key)
    return thought
