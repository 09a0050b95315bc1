"""Games of a model against itself, and learning from them: what `temporal.py` runs, compiled."""

from __future__ import annotations

from math import inf, log
from typing import Any

import numpy as np

from counterplay.core.features import MOST_ACTIVE, new_active
from counterplay.core.game import CHANCE
from counterplay.core.randomness import unit, word
from counterplay.core.records import record_type
from counterplay.core.vectors import scratch
from counterplay.native import native
from counterplay.search.playout import choose

__all__ = ["ACTIVE", "OUTPUTS", "PLIES", "WORK", "learn_from", "note", "note_best", "play_and_learn"]

PLIES = 4096
"""A game is learned from so many positions; one that is longer is broken off there, as if it went on as expected."""
ACTIVE = 1 << 18
"""The active inputs of all positions of a game."""
OUTPUTS = 16
"""Of a model, at most."""

WORK = record_type(
    [(name, np.int64) for name in ("stop", "games", "plies", "seen", "positions")]
    + [
        ("first", np.int64, (PLIES + 1,)),
        ("viewer", np.int64, (PLIES,)),
        ("is_random", np.int64, (PLIES,)),
        ("is_thrown", np.int64, (PLIES,)),
        ("in_hand", np.float64, (PLIES,)),
        ("best", np.float32, (PLIES, OUTPUTS)),
        ("index", np.int32, (ACTIVE,)),
        ("value", np.float32, (ACTIVE,)),
    ]
)
"""One thread's game: for each position where its active inputs begin, whose view they are, whether what followed is not
what it should be worth (a random move did), and what the best would have led to; whether it is dice that led to it; and
what player 0 has in hand there, as a part of the range of utilities."""


@native
def play_and_learn(game, start, w, random, games, rate, trace, explore, warm, discount):  # type: ignore[no-untyped-def]
    """Play so many games against oneself, and learn from each."""
    for _ in range(games):
        if w.stop:
            break
        end = play(game, start, w, random, explore, warm, discount)
        learn_from(game, end, w, rate, trace, discount)
        w.games += 1
    return w.games


@native
def play(game, start, w, random, explore, warm, discount):  # type: ignore[no-untyped-def]
    """A game, its positions noted in `w`; the state at its end, or where there is no more room for notes.

    With `warm` moves are drawn by softmax: the one with the highest value plus a noise of Gumbel's is drawn with just
    that probability (Gumbel 1954), and no list of values has to be kept.
    """
    s = start
    w.seen = 0
    note(game, s, w, False)
    while not game.is_terminal(s) and w.seen < PLIES and w.first[w.seen] < ACTIVE - MOST_ACTIVE:
        if game.chance and game.player(s) == CHANCE:
            s = game.result(s, choose(game, s, random))
            if not game.is_terminal(s):
                note(game, s, w, True)
            continue
        p, best_value, best = game.player(s), -inf, s
        drawn_noisy, drawn_value, drawn = -inf, -inf, s
        for a in game.actions(s):
            after = game.result(s, a)
            v = game.evaluate(after, p)
            if discount < 1.0:
                v = faded_value(game, after, p, v, discount)
            w.positions += 1
            if v > best_value:
                best_value, best = v, after
            if warm > 0.0:
                noisy = v - warm * log(max(-log(1.0 - unit(random)), 1e-300))
                if noisy > drawn_noisy:
                    drawn_noisy, drawn_value, drawn = noisy, v, after
        if explore > 0.0 and unit(random) < explore:
            note_best(game, best, w, discount)
            best = game.result(s, game.sample(s, word(random)))
        elif warm > 0.0:
            if drawn_value < best_value:
                note_best(game, best, w, discount)
            best = drawn
        s = best
        if not game.is_terminal(s):
            note(game, s, w, False)
    return s


@native
def faded_value(game, s, p, v, discount):  # type: ignore[no-untyped-def]
    """What the move to `s` is worth to `p` if `s` is worth `v`. (Called, so that the loop over moves stays short.)"""
    if game.is_terminal(s):
        return v
    in_hand = game.earned(s, p)
    return in_hand + discount * (v - in_hand)


@native
def note(game, s, w, unless_same):  # type: ignore[no-untyped-def]
    """Write down a position as the model sees it; after a throw of dice only if it sees them."""
    on = new_active(game.model_inputs, game.model_most)
    game.model_see(s, on)
    if unless_same and is_same(w, on):
        w.viewer[w.seen - 1] = game.viewer(s)
        return
    first = w.first[w.seen]
    for k in range(len(on)):
        w.index[first + k] = on.index(k)
        w.value[first + k] = on.value(k)
    w.viewer[w.seen] = game.viewer(s)
    w.is_random[w.seen] = 0
    w.is_thrown[w.seen] = 1 if unless_same else 0
    w.in_hand[w.seen] = in_hand_of_first(game, s)
    w.seen += 1
    w.first[w.seen] = first + len(on)


def in_hand_of_first(game: Any, s: Any) -> float:
    """What player 0 has earned so far, as a part of the range of utilities."""
    low, high = game.utility_range
    return float((game.earned(s, 0) - low) / (high - low))


def is_same(w: Any, on: Any) -> bool:
    """Whether the last position noted has just these inputs."""
    first, end = w.first[w.seen - 1], w.first[w.seen]
    if end - first != len(on):
        return False
    k = 0
    while k < len(on) and w.index[first + k] == on.index(k) and w.value[first + k] == on.value(k):
        k += 1
    return k == len(on)


@native
def note_best(game, best, w, discount):  # type: ignore[no-untyped-def]
    """Write down what the best move leads to, for the player of the last position: a random one follows."""
    y, viewer = scratch(game.model_room), w.viewer[w.seen - 1]
    if game.is_terminal(best):
        game.model_result(best, viewer, y)
    else:
        on = new_active(game.model_inputs, game.model_most)
        game.model_see(best, on)
        game.model_guess(on, y)
        if game.viewer(best) != viewer:
            game.model_turn(y)
        if discount < 1.0:
            fade(game, y, in_hand_of_first(game, best), viewer, discount)
    w.is_random[w.seen - 1] = 1
    for j in range(game.model_outputs):
        w.best[w.seen - 1, j] = y[j]


@native
def learn_from(game, end, w, rate, trace, discount):  # type: ignore[no-untyped-def]
    """Learn the positions of a game from the last to the first."""
    on = new_active(game.model_inputs, game.model_most)
    y, target = scratch(game.model_room), scratch(game.model_room)
    viewer = w.viewer[w.seen - 1]
    if game.is_terminal(end):
        game.model_result(end, viewer, target)
    else:
        recall(w, w.seen - 1, on)
        game.model_guess(on, target)
    for back in range(w.seen):
        t = w.seen - 1 - back
        if w.viewer[t] != viewer:
            game.model_turn(target)
            viewer = w.viewer[t]
        if w.is_random[t]:
            for j in range(game.model_outputs):
                target[j] = w.best[t, j]
        recall(w, t, on)
        game.model_learn(on, target, rate)
        game.model_guess(on, y)
        for j in range(game.model_outputs):
            target[j] = trace * target[j] + (1.0 - trace) * y[j]
        if discount < 1.0 and not w.is_thrown[t]:
            fade(game, target, w.in_hand[t], viewer, discount)
    w.plies += w.seen


def fade(game: Any, y: Any, in_hand: float, viewer: int, discount: float) -> None:
    """What outputs for `viewer` are worth a move before: what he has in hand there, and of the rest a part."""
    game.model_fade(y, in_hand if viewer == 0 else 1.0 - in_hand, discount)


def recall(w: Any, t: int, on: Any) -> None:
    """The inputs of the position number `t` of the game."""
    on.clear()
    for k in range(w.first[t], w.first[t + 1]):
        on.add(w.index[k], w.value[k])
