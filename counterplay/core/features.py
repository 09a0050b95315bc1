"""Inputs for learning: numbers that stand for a state, most of them 0; and what a game tells a learner.

    on = Active()
    game.features(s, on)        # calls on.add(i), or on.add(i, x), for each input that is not 0
    on.row(game.inputs)         # all inputs, as a list

Compiled, `on` is a few rows on the stack; the twin is in `native/features.py`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

from counterplay.core.bits import Bits
from counterplay.core.cells import Cells
from counterplay.core.knowledge import for_people, knowledge

__all__ = ["NOTES", "Active", "Learnable", "Place", "default_features", "new_active", "number_of_inputs"]

MOST_ACTIVE = 1024
"""So many inputs of one state may be told; a state has them on the stack."""

NOTES = 1024
"""So many words may be kept of one state, to judge the next one faster."""

SMALL = 32
"""Whole numbers below this are inputs of their own: what 3 is worth need not lie between 2 and 4."""


class Active:
    """The inputs of one state that are not 0, with their values, in the order in which they were told."""

    def __init__(self, inputs: int = 1 << 31, most: int = MOST_ACTIVE) -> None:
        self.inputs, self.most = inputs, most
        self.clear()

    def clear(self, first: int = 0) -> None:
        """Forget all; the next are counted from `first`."""
        self._first = first
        self._told: list[tuple[int, float]] = []

    def add(self, i: int, x: float = 1.0) -> None:
        """Input `i` is `x`; what is added twice counts twice."""
        if len(self._told) >= self.most:
            raise ValueError("a state has more active inputs than a learner takes")
        if not 0 <= self._first + i < self.inputs:
            raise ValueError("features tell of an input that is not below `inputs`")
        self._told.append((self._first + int(i), float(x)))

    def __len__(self) -> int:
        return len(self._told)

    def index(self, k: int) -> int:
        """Which input was told as number `k`."""
        return self._told[k][0]

    def value(self, k: int) -> float:
        """Its value, as a number of 32 bits has it."""
        return ctypes.c_float(self._told[k][1]).value

    @property
    def values(self) -> dict[int, float]:
        """The value of each input that is not 0."""
        found: dict[int, float] = {}
        for i, x in self._told:
            found[i] = found.get(i, 0.0) + x
        return found

    def row(self, inputs: int) -> list[float]:
        """All inputs in order, those that are 0 too."""
        values = self.values
        return [values.get(i, 0.0) for i in range(inputs)]


def new_active(inputs: int, most: int) -> Any:
    """Room for `most` of `inputs` inputs; compiled, both must be known beforehand."""
    return Active(inputs, most)


def default_features(s: Any, on: Any, first: int = 0) -> None:
    """The inputs of a state just as it is, from number `first` on.

    Of a `Bits` each square is one. A whole number is one that says how large it is, and `SMALL` more for the small
    ones; any other number is one. They stay between -1 and 1, so that a learner takes no great leaps.
    """
    if isinstance(s, tuple | Cells):
        for item in s:
            default_features(item, on, first)
            first += number_of_inputs(item)
    elif isinstance(s, Bits):
        for square in s:
            on.add(first + square)
    else:
        if s:
            on.add(first, s / ((SMALL if _is_whole(s) else 1.0) + abs(s)))
        if _is_whole(s) and 0 <= s < SMALL:
            on.add(first + 1 + s)


def number_of_inputs(s: Any) -> int:
    """How many inputs `default_features` has for states like `s`."""
    if isinstance(s, tuple | Cells):
        return sum(map(number_of_inputs, s))
    if isinstance(s, Bits):
        return s.width
    return 1 + SMALL if _is_whole(s) else 1


def _is_whole(x: Any) -> bool:
    return hasattr(x, "__index__")


def _default_name(s: Any, i: int, name: str = "") -> str:
    """What input `i` of `default_features` tells of: a field of the state, or one of several in a field."""
    if isinstance(s, tuple | Cells):
        fields = getattr(s, "_fields", None) or [f"{name}[{k}]" for k in range(len(s))]
        for field, item in zip(fields, s, strict=True):
            inside = number_of_inputs(item)
            if i < inside:
                return _default_name(item, i, field)
            i -= inside
    return f"{name}[{i}]" if isinstance(s, Bits) else name


class Place(NamedTuple):
    """A square of the board: its row and column there, from the top left, and its name."""

    row: int
    column: int
    name: str


class Learnable:
    """What a game tells whoever learns to play it. All of it has a default, made from the state."""

    stakes: ClassVar[tuple[float, ...]] = ()
    """What a game can be won by, the least first, where there are several and never a draw: backgammon's (1, 2, 3)."""

    @knowledge
    def features(self, s: Any, on: Any) -> None:
        """Tell by `on.add(i)`, or `on.add(i, x)`, which inputs of a learner are 1, or `x`; all others are 0.

        As the `viewer` sees it. Default: each square of each `Bits` and each number of the state, in order, see
        `default_features`; once for each viewer, and once more for where CHANCE is to move, since a state may mean
        another thing to each.
        """
        view = self.viewer(s)
        if self.chance and self.player(s) < 0:  # type: ignore[attr-defined]
            view += self.players  # type: ignore[attr-defined]
        default_features(s, on, view * (self.inputs // self.views))

    @property
    def inputs(self) -> int:
        """How many inputs `features` has."""
        return self.views * number_of_inputs(self.initial())  # type: ignore[attr-defined]

    @property
    def most_active(self) -> int:
        """How many inputs `features` tells of one state at most. A learner that knows that they are few is faster."""
        return min(self.inputs, MOST_ACTIVE)

    @property
    def views(self) -> int:
        """How many sets of inputs the default has."""
        return self.players * (2 if self.chance else 1)  # type: ignore[attr-defined,no-any-return]

    def viewer(self, s: Any) -> int:
        """The player as whom `features` sees the state. Default: who is to move, player 0 for CHANCE."""
        return max(self.player(s), 0)  # type: ignore[attr-defined,no-any-return]

    def planes(self, s: Any) -> Any:
        """The squares of each kind of piece, a tuple of disjoint `Bits`, as the `viewer` sees them. For patterns."""
        return s.mine, s.theirs

    def sights(self, s: Any) -> Any:
        """More sets of squares that are worth seeing, a tuple of `Bits`, as the `viewer` has them. Default: none.

        For convolutional networks, beside the board itself: what follows from it, but is hard to see.
        """
        return ()

    seen_inputs: ClassVar[int] = 0
    """How many inputs `seen_as` has."""
    most_seen: ClassVar[int] = 0
    """How many things a state has at most."""

    @knowledge
    def things(self, s: Any) -> Any:
        """What stands where, a tuple of `Bits`, one for each kind of thing; the same for both players.

        For networks that look at the board from both sides.
        """
        return ()

    def outlook(self, s: Any, p: int) -> int:
        """How player `p` looks at the board, a number from 0 on. While it is the same, things look as before."""
        return 0

    def seen_as(self, p: int, outlook: int, kind: int, square: int) -> int:
        """The input that says to player `p` that there is a thing of that kind on that square.

        What is one's own to one is the other's to the other.
        """
        return 0

    @property
    def symmetries(self) -> Sequence[Sequence[int]]:
        """The ways to turn the board that change nothing: for each, where each square goes. For patterns."""
        return ()

    @property
    def shapes(self) -> Sequence[Sequence[int]]:
        """The squares of each pattern worth knowing, without its images under the `symmetries`. For patterns."""
        return ()

    @knowledge
    def earned(self, s: Any, p: int) -> float:
        """What player `p` has of the result in hand at a live state: the rewards of the moves so far, added up.

        All of it is in the `utility` of the end. For who learns with a discount: what a move adds to it is its reward,
        and only what is still to come is worth less for coming later. Default: nothing; the result is all there is.
        """
        return 0.5 * self.utility_sum  # type: ignore[attr-defined,no-any-return]

    @knowledge
    def image(self, s: Any, k: int) -> Any:
        """The state as number `k` of the `symmetries` shows it, for who learns from all images of a position.

        Whatever `image_action` makes of an action leads from there to what this makes of its result.
        """
        return s

    def image_action(self, a: int, k: int) -> int:
        """What an action becomes there. Default: the same."""
        return a

    @knowledge
    def model_odds(self, thought: Any, p: int, a: int) -> float:
        """How much speaks for a move, by a model that says so of a state; see `counterplay.learn.dual`."""
        return 1.0

    @knowledge
    def model_onward(self, s: Any, p: int, before: int, notes: int) -> float:
        """`evaluate` by a model, for who asks about many live states that have much in common.

        `notes` is the address of `NOTES` words, 0 at first, in which it may keep what helps with other states, and
        `before` that of the notes of another state, which had best be much the same. What they are never changes the
        value.
        """
        return 0.0

    @for_people
    def feature_name(self, s: Any, i: int) -> str:
        """What input `i` tells of the state `s`, for whoever wants to know what a model thinks; several may be alike.

        Default: the field of the state that it comes from.
        """
        if self.knows.features:  # type: ignore[attr-defined]
            return f"input {i}"
        start = self.initial()  # type: ignore[attr-defined]
        return _default_name(start, i % number_of_inputs(start))

    @for_people
    def place(self, s: Any, square: int) -> Place | None:
        """Where on the board of `s` the square is that `planes` gives by that number, if that is known."""
        return None

    @for_people
    def with_model(self, model: Any) -> Self:
        """This game with what a model of `counterplay.learn` says as its `evaluate`, for every search."""
        return model.joined_to(self)  # type: ignore[no-any-return]
