"""What every library of learning wants and our games do not say: how many numbers of actions there are.

An action of ours is any integer. Where the integers are small they are kept, so that a number means the same in every
state. Where they are not, as in backgammon, a number is a place in the list of the legal actions.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from counterplay import search
from counterplay.core.features import Active
from counterplay.core.game import Game, UserError, listed_actions

__all__ = ["Numbering", "inputs_of", "must_be_open"]

_STATES = 1_000
"""That are looked at."""
_MOST_PLIES = 1_000
_LARGEST = 1 << 16
"""Numbers beyond are no numbers that anybody could learn."""
_OFTEN = 10


class Numbering:
    """The actions of a game as numbers from 0 to less than `size`, and back.

    Without a `size` random games are looked at. If the largest action comes up often, it is the largest there is; else
    there is room for larger ones.
    """

    def __init__(self, game: Game, size: int | None = None) -> None:
        self.game = game
        seen, most, self.longest = _looked_at(game)
        largest = max(seen)
        self.is_own = largest < (_LARGEST if size is None else size) and min(seen) >= 0
        """Whether the numbers are the game's own; if not, they are places in the list."""
        if size is not None:
            self.size = size
        elif self.is_own:
            self.size = largest + 1 if seen[largest] >= _OFTEN else 1 << largest.bit_length()
        else:
            self.size = 4 << most.bit_length()  # what is beyond in a longer list is not offered

    def legal(self, s: Any) -> dict[int, int]:
        """The legal actions by their numbers, in the order of these."""
        if self.game.is_terminal(s):
            return {}
        actions = [int(a) for a in listed_actions(self.game, s)]
        if not self.is_own:
            return dict(enumerate(actions[: self.size]))
        if max(actions) >= self.size:
            raise UserError(f"{self.game} has an action {max(actions)}: say how many numbers there are by `actions`")
        return {a: a for a in sorted(actions)}

    def mask(self, s: Any) -> npt.NDArray[np.int8]:
        """1 for the numbers of legal actions, 0 for all others."""
        mask = np.zeros(self.size, np.int8)
        mask[list(self.legal(s))] = 1
        return mask


def inputs_of(game: Game, s: Any) -> npt.NDArray[np.float32]:
    """A state as the game's `features` tell it."""
    on = Active()
    game.features(s, on)
    return np.array(on.row(game.inputs), np.float32)


def must_be_open(game: Game, library: str) -> None:
    """Refuse a game with something hidden: its features would tell."""
    if not game.perfect_information or game.simultaneous:
        raise UserError(f"the adapter to {library} is for games in turn with nothing hidden; {game} is none")


def _looked_at(game: Game) -> tuple[Counter[int], int, int]:
    """How often each action was legal in random games, how many were legal at most, and how long the longest was."""
    random, seen, most, longest, s, ply = search.new_random(1), Counter[int](), 0, 0, game.initial(), 0
    for _ in range(_STATES):
        actions = [int(a) for a in listed_actions(game, s)]
        seen.update(actions)
        s, ply = game.result(s, int(search.random_action(game, s, random))), ply + 1
        most, longest = max(most, len(actions)), max(longest, ply)
        if game.is_terminal(s) or ply == _MOST_PLIES:
            s, ply = game.initial(), 0
    return seen, most, longest
