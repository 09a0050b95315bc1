"""What workers are told and what they answer: texts, numbers and arrays, nothing else.

A `Role` says what a worker is for: the function of ours that makes it, the game, and what else it must know. The
function returns a `Hand`, which does the work.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from hashlib import blake2b
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from counterplay import games, native
from counterplay.core.errors import UserError
from counterplay.core.extension import original
from counterplay.core.files import locked
from counterplay.core.game import Game

__all__ = ["Arrays", "Executor", "Hand", "LostWorker", "Parcel", "Role", "game_text", "new_hand"]

Arrays = Mapping[str, NDArray[Any]]
_NONE: Arrays = {}

TRIES = 3
"""A parcel that has cost so many workers is given to no other: it may be what ends them."""
_OURS = "counterplay."
_POLL_SECONDS = 0.05
_DONE = b"done"


class Parcel(NamedTuple):
    """What goes to a worker, and what comes back."""

    text: str
    """JSON."""
    arrays: Arrays = _NONE


class Role(NamedTuple):
    """What a worker is for."""

    name: str
    """`module:function` of ours, called with the game and `about`, which returns a `Hand`."""
    game: Game
    about: dict[str, Any]
    """What can be JSON."""


class Hand(Protocol):
    """Who does the work, in whatever process."""

    def prepare(self) -> None:
        """Have all machine code on the disk. Of the workers of a machine one does it before the others."""
        ...

    def take(self, arrays: Arrays) -> None:
        """From now on these are the arrays that all share."""
        ...

    def work(self, parcel: Parcel) -> Parcel: ...


class Executor(Protocol):
    """Has work done by its workers, a parcel at a time each."""

    @property
    def room(self) -> int:
        """How many parcels can be begun now."""
        ...

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        ...

    def share(self, arrays: Arrays) -> int:
        """Arrays for all workers, such as weights; the number to begin parcels with. The last three are kept."""
        ...

    def begin(self, parcel: Parcel, shared: int = 0) -> None:
        """Give a parcel to a worker that has the arrays of this number; 0: none."""
        ...

    def finished(self, seconds: float | None = None) -> tuple[Parcel, Parcel] | None:
        """The next parcel that is answered, and the answer; None if there is none within these seconds."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None: ...


KEPT = 3
"""So many generations of shared arrays are kept."""


class LostWorker(UserError):
    """A parcel that has cost too many workers."""

    def __init__(self, parcel: Parcel, how: str) -> None:
        super().__init__(f"{how}, {TRIES} times over the same piece of work")
        self.parcel, self.how = parcel, how


# ---- in whatever process


def new_hand(name: str, game: Game, about: dict[str, Any]) -> Hand:
    """Make the hand that a role names; only functions of this package are called."""
    module, _, function = name.partition(":")
    if not module.startswith(_OURS):
        raise UserError(f"'{name}' is no work of Counterplay's")
    hand: Hand = getattr(importlib.import_module(module), function)(game, about)
    return hand


@contextmanager
def mode(is_interpreted: bool) -> Iterator[None]:
    with native.interpreted() if is_interpreted else nullcontext():
        yield


@contextmanager
def first_on_this_machine(*key: str) -> Iterator[None]:
    """Of all that come with this key, the first is inside alone, and the others when it is done: so machine code is
    made once, and then read by all at the same time."""
    from counterplay.native.cache import folder

    place = folder()
    if place is None:
        yield
        return
    file = place / f"{blake2b(json.dumps(key).encode(), digest_size=16).hexdigest()}.lock"
    while True:
        try:
            lock = locked(file)
            break
        except UserError:
            time.sleep(_POLL_SECONDS)
    try:
        if lock.read() == _DONE:
            lock.close()
            yield
        else:
            yield
            lock.write(_DONE)
    finally:
        lock.close()


# ---- games by their texts


def game_text(game: Game) -> str:
    """The text by which a worker on another machine loads the game; an error if there is none."""
    kind = original(game)
    settings = str(game).partition(":")[2]
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None) if games.source(game) else None
    text = str(game) if file is None else f"{file}:{kind.__name__}:{settings}".rstrip(":")
    try:
        again = None if game.extension or kind.__module__ == "__main__" else games.load(text)
    except UserError:
        again = None
    if again is None or original(again) is not kind or again.settings != game.settings:
        raise UserError(f"{game} cannot go to other machines: put its class into a file, and load it as FILE.py:Class")
    return text


def copied(arrays: Arrays) -> dict[str, NDArray[Any]]:
    """Arrays as they are now, whatever becomes of them."""
    return {name: np.array(array) for name, array in arrays.items()}
