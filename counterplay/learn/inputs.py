"""Which inputs a model has: the game's own, its terms, or the whole state as one of many.

own      `Game.features`, which has a default for every game
terms    what the hand-made estimate adds up, as the viewer sees it: how Samuel's program learned
shapes   what stands on each of the game's `shapes`, an input for every pattern; and on each square
images   the same, but each image of a shape has inputs of its own, so that it matters where on the board it is
turns    the same, and who is to move
sides    what stands where, by `Game.things`, as the viewer sees it, and then the same as the other player does
judged   the same, and to each of them what the game's own estimate says
table    one input for each state, by its hash: a table of values, for games small enough to be known by heart
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.extension import original
from counterplay.core.game import Game
from counterplay.core.memory import Memory
from counterplay.core.vectors import gather, word_of

__all__ = ["INPUTS", "with_inputs"]

TABLE = 1 << 16
"""The entries of a table; states whose hashes meet there share one."""

INPUTS = ("own", "terms", "shapes", "images", "turns", "sides", "judged", "table")
MOST_IMAGES = 1 << 18
"""So many inputs of images: each has a row of weights, and all of them have to be kept."""


_LAYOUT = ("model_masks", "model_places", "model_digits", "model_per_stage")


def with_inputs(game: Game, which: str) -> Game:
    """The game with these inputs for `features`."""
    if which not in INPUTS:
        raise UserError(f"a model has the inputs {', '.join(INPUTS)}; there is no '{which}'")
    if which == "terms":
        if not game.knows.terms:
            raise UserError(f"{game} has no terms to learn the weights of")
        number = len(game.terms(game.initial()))
        return game.extended(features=of_terms, inputs=number, most_active=number)
    if which in ("shapes", "images", "turns"):
        from counterplay.learn.patterns import Patterns

        layout = Patterns(game, stages=1)
        tables = {name.replace("model", "shape"): layout.rules()[name] for name in _LAYOUT}
        squares = sum(plane.width for plane in game.planes(game.initial()))
        if which != "shapes":
            tables |= _apart(game, layout)
        inputs, most = tables["shape_per_stage"] + squares, layout.instances + squares
        if which == "turns":
            tables |= {"shape_turns": inputs}
            return game.extended(features=of_turns, inputs=inputs + game.players, most_active=most + 1, **tables)
        return game.extended(features=of_shapes, inputs=inputs, most_active=most, **tables)
    if which == "sides":
        if not game.knows.things:
            raise UserError(f"{game} has no things(self, s): what stands where, a set of squares for each kind")
        return game.extended(features=of_sides, inputs=game.seen_inputs, most_active=2 * game.most_seen)
    if which == "judged":
        if not (game.knows.things and game.knows.evaluate):
            raise UserError(f"{game} has not both things(self, s) and an evaluate(self, s, p)")
        own: Any = original(game)
        inputs, most = game.seen_inputs, game.most_seen
        return game.extended(features=of_judged, model_own=own.evaluate, inputs=inputs + 1, most_active=2 * most + 2)
    if which == "table":
        return game.extended(features=of_table, inputs=TABLE, most_active=1)
    return game


def _apart(game: Game, layout: Any) -> dict[str, Any]:
    """The layout of patterns with a table for each image."""
    kinds = len(game.planes(game.initial())) + 1
    sizes = [kinds ** len(image) for image in layout.images]
    first = np.cumsum([0, *sizes])
    if first[-1] > MOST_IMAGES:
        raise UserError(f"all images have {first[-1]:,} patterns; {MOST_IMAGES:,} is the most: try features=shapes")
    places = layout.rules()["model_places"].array.copy()
    places[:, 0] = first[:-1]
    return {"shape_places": Memory(places), "shape_per_stage": int(first[-1])}


def of_terms(self: Any, s: Any, on: Any) -> None:
    sign = 1.0 if self.viewer(s) == 0 else -1.0
    terms = self.terms(s)
    for i in range(self.inputs):
        on.add(i, sign * float(terms[i]))


def of_turns(self: Any, s: Any, on: Any) -> None:
    of_shapes(self, s, on)
    on.add(self.shape_turns + self.viewer(s))


def of_shapes(self: Any, s: Any, on: Any) -> None:
    planes = self.planes(s)
    for i in range(len(self.shape_masks)):
        on.add(pattern_at(self.shape_masks, self.shape_places, self.shape_digits, planes, i))
    first = self.shape_per_stage
    for plane in planes:
        for square in plane:
            on.add(first + square)
        first += plane.width


def pattern_at(masks: Any, places: Any, digits: Any, planes: Any, i: int) -> int:
    """The place of what stands on the squares of pattern `i`; `Patterns` lays the tables out."""
    place = places[i, 0]
    for k in range(masks.shape[1]):
        mask, row = masks[i, k], places[i, k + 1]
        for kind in range(len(planes)):
            place += (kind + 1) * digits[row + gather(word_of(planes[kind], k), mask)]
    return int(place)


def of_sides(self: Any, s: Any, on: Any) -> None:
    p = self.viewer(s)
    tell_seen(self, s, p, on)
    tell_seen(self, s, 1 - p, on)


def of_judged(self: Any, s: Any, on: Any) -> None:
    p = self.viewer(s)
    lead = own_lead(self, s, p)
    tell_seen(self, s, p, on)
    on.add(self.inputs - 1, lead)
    tell_seen(self, s, 1 - p, on)
    on.add(self.inputs - 1, -lead)


def tell_seen(game: Any, s: Any, p: int, on: Any) -> None:
    """What stands where, as player `p` sees it."""
    outlook, things = game.outlook(s, p), game.things(s)
    for kind in range(len(things)):
        for square in things[kind]:
            on.add(game.seen_as(p, outlook, kind, square))


def own_lead(game: Any, s: Any, p: int) -> float:
    """What the game's own estimate says for player `p`, from -1 to 1."""
    low, high = game.utility_range
    return float((2.0 * game.model_own(s, p) - low - high) / (high - low))


def of_table(self: Any, s: Any, on: Any) -> None:
    on.add(self.key(s) & TABLE - 1)
