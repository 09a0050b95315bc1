"""What a leaf of the tree is worth: a random playout, the game's `evaluate`, or an evaluator for many leaves at once.

The first two are compiled with the search. An evaluator is any Python function

    evaluator(game, states) -> (priors, values)

`states` is a list of states that are not terminal. `values` has a number for each, its value for MAX, or a row for
each with the value for every player. `priors` has a sequence for each: how likely each action is to be the best one, in
the game's order; or it is None, for no opinion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np

from counterplay.core.game import CHANCE, Game, UserError
from counterplay.core.randomness import unit, word
from counterplay.search.exact.kernel import wins_at_once
from counterplay.search.mcts.nodes import action_of, values_kept
from counterplay.search.mcts.thoughts import recall
from counterplay.search.mcts.variations import get, is_proven, note_played, prove, put
from counterplay.search.playout import MOST_PLIES, choose
from counterplay.search.values import sane, sane_estimate, sane_utility

__all__ = ["Evaluator", "ask", "weigh"]

WIDE = 64
"""Playouts at once: as many as a word has bits."""

Evaluator = Callable[[Game, list[Any]], tuple[Any, Any]]


# ---- compiled with the search


def weigh(game: Any, s: Any, w: Any, x: Any) -> None:
    """Leave in `w.value` what the leaf `s` is worth, by a game played on from there."""
    if x is not None and is_proven(w.walk[w.ply], x):
        w.value[0] = get(x.low, w.walk[w.ply])
        return
    if x is not None and x.use_solver and w.ply > 0:  # at the root a move has to be found, too
        s = foresee(game, s, w, x)
        if is_proven(w.walk[w.ply], x):
            w.value[0] = get(x.low, w.walk[w.ply])
            return
    if game.knows.playouts and x is not None and x.use_wide and not game.is_terminal(s):
        weigh_many(game, s, w, x)
        blend(game, s, w, x)
        return
    leaf, plies, is_over, is_known = s, 0, False, False
    last = action_of(w.walk[w.ply], w) if w.ply > 0 else -1
    while True:
        is_over = game.is_terminal(s)
        if is_over:
            break
        if game.knows.solved:
            v, left = game.solved(s)
            if left >= 0:
                w.value[0] = v
                is_known = True
                break
        if x is not None and x.use_cutoff and plies >= x.cutoff:
            break
        if plies >= MOST_PLIES:
            w.endless, w.stop = 1, 1
            break
        a = choose(game, s, w) if x is None else choose_by_all(game, s, last, w, x)
        s, last = game.result(s, a), a
        plies += 1
    w.nodes += plies
    if not is_known:
        for k in range(values_kept(game)):
            w.value[k] = sane_utility(game, s, k, w) if x is None or is_over else estimate(game, s, k, w, x)
    if x is not None and x.use_solver and (is_over or is_known) and plies == 0:
        put(x.low, w.walk[w.ply], w.value[0])
        put(x.high, w.walk[w.ply], w.value[0])
    if x is not None and plies > 0:
        blend(game, leaf, w, x)


def estimate(game: Any, s: Any, k: int, w: Any, x: Any) -> float:
    """What the live state `s` is worth to player `k` by the game's `evaluate`."""
    if game.knows.model_odds and x.thoughts:
        return sane(float(game.model_verdict(recall(game, s, x), s, k)), w)
    return sane_estimate(game, s, k, w)


def blend(game: Any, s: Any, w: Any, x: Any) -> None:
    """Mix what the game's `evaluate` says of the leaf `s` into what a playout from there gave."""
    if x.use_blend:
        for k in range(values_kept(game)):
            w.value[k] += x.blend * (estimate(game, s, k, w, x) - w.value[k])


def foresee(game: Any, s: Any, w: Any, x: Any) -> Any:
    """Note what is sure of the leaf `s` by the game's `sound_actions` and `still_possible`; the state to weigh for it.

    While only one move does not lose at once, a state is worth what that one leads to.
    """
    node = w.walk[w.ply]
    if game.knows.sound_actions:
        is_forced = True
        while is_forced and not game.is_terminal(s):
            p, only, sound = game.player(s), 0, 0
            if wins_at_once(game, s, p):
                prove(game, node, 1 - p, x)
                return s
            for a in game.sound_actions(s):
                only, sound = a, sound + 1
            if sound == 0:
                prove(game, node, p, x)
                return s
            is_forced = sound == 1
            if is_forced:
                s = game.result(s, only)
                w.nodes += 1
        if game.is_terminal(s):
            v = sane_utility(game, s, 0, w)
            put(x.low, node, v)
            put(x.high, node, v)
            return s
    if game.knows.still_possible and not game.is_terminal(s):
        least, most = game.still_possible(s)
        put(x.low, node, max(get(x.low, node), float(least)))
        put(x.high, node, min(get(x.high, node), float(most)))
    return s


def weigh_many(game: Any, s: Any, w: Any, x: Any) -> None:
    """Leave in `w.value` the mean of `WIDE` games from `s` that are played at once."""
    plies = game.playouts(s, WIDE, w, x.room)
    if plies < 0:
        w.endless, w.stop = 1, 1
    w.nodes += max(plies, 0)
    for k in range(values_kept(game)):
        w.value[k] /= WIDE


def choose_by_all(game: Any, s: Any, last: int, w: Any, x: Any) -> int:
    """A playout's next action after `last`, with the variations that are on."""
    p = game.player(s)
    if game.knows.quick_action and x.use_quick and p != CHANCE:
        a = game.quick_action(s, last, w)
    elif x.use_guide and p != CHANCE and unit(w) < x.guide:
        a = likely(game, s, w)
    else:
        a = choose(game, s, w)
    if x.use_rave:
        note_played(p, a, w, x)
    return int(a)


def likely(game: Any, s: Any, w: Any) -> int:
    """The action that comes first by the game's `priority`, of equals any."""
    best, best_priority, equals = 0, -inf, 0
    for a in game.actions(s):
        priority = float(game.priority(s, a))
        equals = equals + 1 if priority == best_priority else 1 if priority > best_priority else equals
        if priority > best_priority or (priority == best_priority and word(w) * equals >> 32 == 0):
            best, best_priority = a, priority
    return best


# ---- many leaves at once


def ask(evaluator: Evaluator, game: Game, states: list[Any]) -> list[tuple[Any, Any]]:
    """The evaluator's opinion of each state: its priors in the game's order, or None, and the values to keep."""
    priors, values = evaluator(game, states)
    table = np.asarray(values, np.float64)
    if table.shape not in ((len(states),), (len(states), game.players)):
        raise UserError(
            f"an evaluator gives {len(states)} states {len(states)} values, or {len(states)} x {game.players}; "
            f"not an array of shape {table.shape}"
        )
    kept = values_kept(game)
    if table.ndim == 1 and kept > 1:
        raise UserError(f"an evaluator of {game} gives a value for each of {game.players} players")
    rows = table.reshape(len(states), -1)[:, :kept]
    if priors is None:
        return [(None, row) for row in rows]
    return [(_checked(game, s, each), row) for s, each, row in zip(states, priors, rows, strict=True)]


def _checked(game: Game, s: Any, priors: Sequence[float]) -> Any:
    given = np.asarray(priors, np.float64)
    actions = game.count_actions(s)
    if given.shape != (actions,) or not np.isfinite(given).all() or (given < 0).any():
        raise UserError(f"an evaluator gives a prior of 0 or more for each of the {actions} actions, not {priors}")
    return given
