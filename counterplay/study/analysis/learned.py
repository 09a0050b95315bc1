"""What a model sees in a position: what each part of it adds to its opinion, in words and on the board.

A sum of weights can be taken apart: what `Linear` and `Patterns` add up is the logarithm of the odds, and each feature
or pattern has its share of it. A network cannot. There each thing is taken away in turn, and what that changes is its
part; what several are worth together is no part of any.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from counterplay.core.drawing import board_text
from counterplay.core.features import Active, Place
from counterplay.core.game import Game
from counterplay.core.vectors import scratch
from counterplay.learn.linear import Linear
from counterplay.learn.model import Model, model_of
from counterplay.learn.patterns import Patterns
from counterplay.native import interpreted

__all__ = ["Part", "adds_up", "drawn", "parts"]

ALWAYS = "always"
"""What a model adds whatever the position is like."""
_SIDE_BY_SIDE = 3
_BETWEEN = 4


class Part(NamedTuple):
    """What a model sees in a position."""

    name: str
    value: float
    """What it adds for player 0: to the logarithm of the odds if the model is a sum, else to the value."""
    places: tuple[Place, ...] = ()
    """The squares of a pattern."""


def adds_up(model: Model) -> bool:
    """Whether the parts of its opinion add up to that."""
    return isinstance(model, Linear | Patterns)


def parts(game: Game, s: Any) -> list[Part]:
    """All parts of the opinion that the model of the game has of a state."""
    model = model_of(game)
    if model is None or game.is_terminal(s):
        return []
    sign, seen = 1.0 if game.viewer(s) == 0 else -1.0, Active()
    with interpreted():
        game.model_see(s, seen)  # type: ignore[attr-defined]
        if isinstance(model, Patterns):
            return [each._replace(value=sign * each.value) for each in _of_patterns(game, s, model, seen)]
        weights = model.weights["weights"] if isinstance(model, Linear) else None
        found: dict[str, float] = {}
        told = [(seen.index(k), seen.value(k)) for k in range(len(seen))]
        for name, inputs in _groups(game, s, model, told).items():
            if weights is None:
                value = _worth(game, told) - _worth(game, [each for each in told if each not in inputs])
            else:
                value = sum(float(weights[i]) * x for i, x in inputs)
            found[name] = value
    return [Part(name, sign * value) for name, value in found.items()]


def _groups(game: Game, s: Any, model: Model, told: Iterable[tuple[int, float]]) -> dict[str, list[tuple[int, float]]]:
    """The active inputs by what they tell of."""
    groups: dict[str, list[tuple[int, float]]] = {}
    for i, x in told:
        if i >= game.inputs:
            name = ALWAYS
        elif model.features == "terms":
            name = game.terms(s)._fields[i]
        elif model.features == "table":
            name = "the whole position"
        else:
            name = game.feature_name(s, i)
        groups.setdefault(name, []).append((i, x))
    return groups


def _worth(game: Any, told: Iterable[tuple[int, float]]) -> float:
    """What the model makes of these inputs, for the viewer."""
    seen, y = Active(), scratch(game.model_room)
    for i, x in told:
        seen.add(i, x)
    game.model_guess(seen, y)
    return float(game.model_worth(y))


def _of_patterns(game: Game, s: Any, model: Patterns, seen: Active) -> Iterable[Part]:
    weights = model.weights["weights"]
    for k, image in enumerate(model.images):
        places = [game.place(s, square) for square in image]
        known = tuple(place for place in places if place is not None)
        name = _run(known) if len(known) == len(image) else f"pattern {k + 1}"
        yield Part(name, float(weights[seen.index(k)]), known)
    yield Part(ALWAYS, float(weights[seen.index(len(model.images))]))


def _run(places: Sequence[Place]) -> str:
    """The names of squares: `a1-h1 b2 g2`. Three and more in a line are told by their ends."""
    said: list[list[Place]] = []
    for place in places:
        line = said[-1] if said else []
        if line and _is_line([*line, place]):
            line.append(place)
        else:
            said.append([place])
    return " ".join(" ".join(place.name for place in line) if len(line) < 3 else _ends(line) for line in said)


def _ends(line: Sequence[Place]) -> str:
    return f"{min(line).name}-{max(line).name}"


def _is_line(places: Sequence[Place]) -> bool:
    """Whether each is a neighbour of the one before it, all in one direction."""
    steps = {(b.row - a.row, b.column - a.column) for a, b in pairwise(places)}
    return len(steps) == 1 and max(map(abs, steps.pop())) == 1


def drawn(game: Game, s: Any, shown: Sequence[Part], sign: float = 1.0) -> str:
    """The patterns among some parts, each on a board that is empty but for it, three beside each other."""
    board = game.board(s)
    patterns = [part for part in shown if part.places][:_SIDE_BY_SIDE]
    if board is None or not patterns:
        return ""
    columns = []
    for part in patterns:
        inside = {(place.row, place.column) for place in part.places}
        cells = [[cell if (r, c) in inside else " " for c, cell in enumerate(row)] for r, row in enumerate(board)]
        columns.append([f"{sign * part.value:+.2f}", *board_text(cells, *game.labels()).split("\n")])
    wide = [max(map(len, lines)) + _BETWEEN for lines in columns]
    rows = zip(*columns, strict=True)
    return "\n".join("".join(f"{line:{n}}" for line, n in zip(row, wide, strict=True)).rstrip() for row in rows)
