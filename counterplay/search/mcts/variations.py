"""Variations of Monte Carlo tree search: what each adds to a choice, an expansion and a simulation's end.

Plain search is compiled without any of this: there `x`, the variations' record, is None. Each variation is a setting
of `mcts`, which cites its paper; here a formula has the paper's name beside it.

    p       who chooses; "for p" means that larger is better for p
    n       visits of a child; `visits` are its parent's
"""

from __future__ import annotations

from functools import cache
from math import exp, inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import CHANCE, Game, UserError
from counterplay.core.primitives import as_bits, as_float, load, store
from counterplay.core.records import USE, new_record, record_type
from counterplay.search.exact.kernel import wins_at_once
from counterplay.search.mcts.nodes import (
    SECTIONS,
    NodeStore,
    action_of,
    add,
    doubt_at,
    link_of,
    total_of,
    unpack,
    values_kept,
    visits_of,
)
from counterplay.search.mcts.thoughts import Thoughts, recall
from counterplay.search.suited import must_be_opponents

__all__ = ["VARIATIONS", "Variation", "new_variations", "sections_for"]


class Variation(NamedTuple):
    """What a variation needs of the game and keeps of each node. Its setting is in `TreeSettings`, with its paper."""

    needs: str = ""
    """What the game must know."""
    keeps: tuple[str, ...] = ()
    """Some of `SECTIONS`."""
    follows_minimax: bool = False
    """Whether it backs up what minimax would: then it is for two opponents, and keeps the dice's probabilities."""
    is_utility: bool = False
    """Whether its setting is a utility, so that it counts in units of half the game's range."""


VARIATIONS = {
    "rave": Variation(keeps=("amaf_visits", "amaf_total")),
    "bias": Variation(needs="evaluate", keeps=("hint",)),
    "minimax": Variation(needs="evaluate", keeps=("guess",), follows_minimax=True),
    "puct": Variation(keeps=("prior",), is_utility=True),
    "fpu": Variation(is_utility=True),
    "expand": Variation(),
    "widening": Variation(keeps=("prior",)),
    "guide": Variation(needs="priority"),
    "quick": Variation(needs="quick_action"),
    "hunch": Variation(needs="hunch", keeps=("amaf_visits", "amaf_total")),
    "solver": Variation(keeps=("low", "high"), follows_minimax=True),
    "cutoff": Variation(needs="evaluate"),
    "blend": Variation(needs="evaluate"),
    "wide": Variation(needs="playouts"),
    "outside": Variation(),  # an evaluator that is no part of the game weighs the leaves
}
"""What makes a search more than plain. A new one is a line here, a setting of that name, and where it acts below."""

_EVEN = 10  # visits, half of them won, that every child begins with where there are hunches
_PLAYED = 1 << 13  # places for the moves of a playout; two moves in one place are taken for one
_PRIOR_SPREAD = 3.0  # the best of the moves by the game's knowledge is taken to be e³ = 20 times as likely as the worst
_UNTRIED = 1e9  # more than any score: without first-play urgency every child is tried once

_WORDS = (*SECTIONS, "room", "thoughts", "thought_keys", "thought_rows")  # addresses, and how many thoughts are kept
_MEMORY = [*((name, np.int64) for name in _WORDS), ("played", np.int64, (_PLAYED,))]
_ANY = record_type(
    [(name, np.float64) for name in VARIATIONS] + [(f"{USE}{name}", np.int64) for name in VARIATIONS] + _MEMORY
)


@cache
def _just(names: tuple[str, ...]) -> Any:
    """The kind of record for these variations and no others."""
    return record_type([(name, np.float64) for name in names] + _MEMORY)


def sections_for(game: Game, given: dict[str, float]) -> tuple[str, ...]:
    """What the variations keep of each node, besides what plain search does."""
    on = [VARIATIONS[name] for name in given]
    kept = {section for variation in on for section in variation.keeps}
    if game.chance and any(variation.follows_minimax for variation in on):
        kept.add("prior")
    return tuple(section for section in SECTIONS if section in kept)


def new_variations(game: Game, memory: NodeStore, given: dict[str, float], is_fixed: bool = False) -> Any:
    """The variations that are switched on, with what they need; None if there are none.

    If that `is_fixed`, machine code is made for just these, and is faster; else it is the same for whatever is on.
    """
    if not given:
        return None
    for name in given:
        variation = VARIATIONS[name]
        if variation.follows_minimax:
            must_be_opponents(game, f"mcts with {name}")
        if variation.needs and not getattr(game.knows, variation.needs):
            raise UserError(f"mcts with {name} needs a game with `{variation.needs}`; {game} has none")
    x = new_record(_just(tuple(given)) if is_fixed else _ANY)
    for name, setting in given.items():
        x[name] = setting
        if not is_fixed:
            x[f"{USE}{name}"] = 1
    for name in memory.sections:
        x[name] = memory.address_of(name)
    if game.knows.model_odds and "outside" not in given:
        kept = Thoughts(game)
        memory.thoughts.append(kept)
        x.thoughts, x.thought_keys, x.thought_rows = kept.places, kept.keys, kept.rows
    return x


# ---- compiled with the search


def get(section: int, node: int) -> float:
    return as_float(load(section, node))


def put(section: int, node: int, value: float) -> None:
    store(section, node, as_bits(value))


def mean_for(game: Any, node: int, p: int, w: Any) -> float:
    """What `p` got on average in the visits to a node that was visited."""
    mean = total_of(game, node, p, w) / visits_of(game, node, w)
    return mean + game.utility_sum if values_kept(game) == 1 and p == 1 else mean


def is_proven(node: int, x: Any) -> bool:
    return bool(x.use_solver and load(x.low, node) == load(x.high, node))


def is_futile(child: int, node: int, p: int, x: Any) -> bool:
    """Whether `p` has no less at `node` already, for sure, than `child` can give (Cazenave & Saffidine 2010)."""
    if p == 0:
        return get(x.high, child) <= get(x.low, node)
    return get(x.low, child) >= get(x.high, node)


def pick_by_all(game: Any, node: int, link: int, w: Any, x: Any) -> int:
    """The child with the best score by all variations that are on."""
    first, p, count = unpack(link)
    visits = visits_of(game, node, w)
    allowed = min(count, 1 + int(x.widening * sqrt(visits))) if x.use_widening else count
    spread = x.puct * sqrt(visits) if x.use_puct else w.exploration * doubt_at(visits, w)
    urgency = mean_for(game, node, p, w) - x.fpu if x.use_fpu else _UNTRIED
    beta = sqrt(x.rave / (3.0 * visits + x.rave)) if x.use_rave else 0.0  # Gelly & Silver 2007
    best, best_score = first, -inf
    for child in range(first, first + count):
        if child - first >= allowed and best_score > -inf:
            break
        if x.use_solver and is_futile(child, node, p, x):
            continue
        n = visits_of(game, child, w)
        q = mean_for(game, child, p, w) if n > 0 else urgency
        if x.use_rave and load(x.amaf_visits, child) > 0:
            amaf = get(x.amaf_total, child) / load(x.amaf_visits, child)
            q = (1.0 - beta) * q + beta * amaf if n > 0 else amaf
        if x.use_minimax and n > 0:
            guess = get(x.guess, child)
            q = (1.0 - x.minimax) * q + x.minimax * (guess if p == 0 else game.utility_sum - guess)
        score = q + (spread * get(x.prior, child) / (1 + n) if x.use_puct else spread * sqrt(1.0 / max(n, 1)))
        if x.use_bias:
            score += x.bias * get(x.hint, child) / (n + 1)
        if score > best_score:
            best, best_score = child, score
    return best


def is_ordered(p: int, x: Any) -> bool:
    """Whether the order of the children says something, so that they must not be shuffled."""
    return p == CHANCE or (x is not None and bool(x.use_puct or x.use_widening))


def furnish(game: Any, s: Any, node: int, first: int, p: int, count: int, w: Any, x: Any) -> None:
    """Fill in what the variations keep of the new children of `s`, whose actions are listed."""
    ranks = p != CHANCE and bool(x.use_puct or x.use_widening)
    by_model = game.knows.model_odds and ranks and not x.use_outside
    by_priority = game.knows.priority or x.use_outside or not game.knows.evaluate
    least, most = inf, -inf
    for child in range(first, first + count):
        a = action_of(child, w)
        if x.use_solver:
            put(x.low, child, float(game.utility_range[0]))
            put(x.high, child, highest(game))
        if game.knows.hunch and x.use_hunch and p != CHANCE:
            begin_with(game, child, float(game.hunch(s, a, action_of(node, w) if node > 0 else -1)), x)
        worth = 0.0
        if x.use_minimax or (p != CHANCE and (x.use_bias or (ranks and not by_priority and not by_model))):
            worth = float(game.evaluate(game.result(s, a), max(p, 0)))
        if x.use_minimax:
            put(x.guess, child, worth if p != 1 else game.utility_sum - worth)
        if x.use_bias:
            put(x.hint, child, worth)
        if game.chance and p == CHANCE and x.prior != 0:
            put(x.prior, child, float(game.probability(s, a)))
        if ranks and not by_model:
            if by_priority:  # an evaluator from outside speaks later, if at all
                worth = 0.0 if x.use_outside else float(game.priority(s, a))
            put(x.prior, child, worth)
            least, most = min(least, worth), max(most, worth)
    if game.knows.sound_actions and x.use_solver and not (node == 0 and wins_at_once(game, s, p)):
        rule_out(game, s, first, p, count, w, x)
    if ranks:
        if game.knows.model_odds and by_model:
            ask_model(game, s, first, p, count, w, x)
        else:
            as_probabilities(first, count, least, most, x)
        if x.use_widening:
            sort_by_prior(first, count, w, x)


def rule_out(game: Any, s: Any, first: int, p: int, count: int, w: Any, x: Any) -> None:
    """Mark the moves of `p` as lost after which the other wins at once, by the game's `sound_actions`."""
    for child in range(first, first + count):
        prove(game, child, p, x)
    for a in game.sound_actions(s):
        for child in range(first, first + count):
            if action_of(child, w) == a:
                put(x.low, child, float(game.utility_range[0]))
                put(x.high, child, highest(game))


def prove(game: Any, node: int, loser: int, x: Any) -> None:
    """Note that a node is lost for one of two opponents."""
    v = float(game.utility_range[0]) if loser == 0 else highest(game)
    put(x.low, node, v)
    put(x.high, node, v)


def ask_model(game: Any, s: Any, first: int, p: int, count: int, w: Any, x: Any) -> None:
    """The priors that a model gives to the moves at `s`."""
    thought, total = recall(game, s, x), 0.0
    for child in range(first, first + count):
        odds = game.model_odds(thought, p, action_of(child, w))
        put(x.prior, child, odds)
        total += odds
    for child in range(first, first + count):
        put(x.prior, child, get(x.prior, child) / total)


def begin_with(game: Any, child: int, hunch: float, x: Any) -> None:
    """Let a new child look as if it had been seen among all moves: so often evenly, and so often won, or lost."""
    low, high = game.utility_range
    visits = _EVEN + int(x.hunch * abs(hunch))
    total = 0.5 * _EVEN * (low + high) + (visits - _EVEN) * (high if hunch > 0.0 else low)
    add(x.amaf_visits, child, visits, 0)
    put(x.amaf_total, child, total)


def highest(game: Any) -> float:
    """The most that MAX can get: what is left when the other gets least, if that is less than the range says."""
    if game.players == 1:
        return float(game.utility_range[1])
    return min(float(game.utility_range[1]), float(game.utility_sum - game.utility_range[0]))


def as_probabilities(first: int, count: int, least: float, most: float, x: Any) -> None:
    """Turn what is known of the moves, on whatever scale, into priors that add up to 1."""
    scale = _PRIOR_SPREAD / (most - least) if most > least else 0.0
    total = 0.0
    for child in range(first, first + count):
        weight = exp(scale * (get(x.prior, child) - most))
        put(x.prior, child, weight)
        total += weight
    for child in range(first, first + count):
        put(x.prior, child, get(x.prior, child) / total)


def sort_by_prior(first: int, count: int, w: Any, x: Any) -> None:
    """The likeliest first, which are the first that progressive widening lets in; equal ones as the game has them."""
    for i in range(first + 1, first + count):
        j = i
        while j > first and get(x.prior, j - 1) < get(x.prior, j):
            swap(w.moves, 2 * j, 2 * j - 2)
            swap(x.prior, j, j - 1)
            if x.use_solver:
                swap(x.low, j, j - 1)
                swap(x.high, j, j - 1)
            if x.use_bias:
                swap(x.hint, j, j - 1)
            if x.use_minimax:
                swap(x.guess, j, j - 1)
            j -= 1


def swap(address: int, i: int, j: int) -> None:
    item = load(address, i)
    store(address, i, load(address, j))
    store(address, j, item)


def note_played(p: int, a: int, w: Any, x: Any) -> None:
    """Remember for RAVE that `p` played `a` in this simulation."""
    x.played[(a * 64 + p) & (_PLAYED - 1)] = w.simulations + 1


def was_played(p: int, a: int, w: Any, x: Any) -> bool:
    return bool(x.played[(a * 64 + p) & (_PLAYED - 1)] == w.simulations + 1)


def learn_from_all_moves(game: Any, w: Any, x: Any) -> None:
    """All moves as first (RAVE): a move that its player made later counts, a little, as if it had been made here."""
    for d in range(w.ply, -1, -1):
        link = link_of(w.walk[d], w)
        if link <= 0:
            continue
        first, p, count = unpack(link)
        if p == CHANCE:
            continue
        if d < w.ply:
            note_played(p, action_of(w.walk[d + 1], w), w, x)
        v = w.value[p] if values_kept(game) > 1 or p == 0 else game.utility_sum - w.value[0]
        for child in range(first, first + count):
            if was_played(p, action_of(child, w), w, x):
                add(x.amaf_visits, child, 1, 0)
                put(x.amaf_total, child, get(x.amaf_total, child) + v)


def refine(game: Any, section: int, node: int, w: Any, x: Any) -> bool:
    """Bring a section that follows minimax up to date at a node, from its children: whether that changed it.

    What is sure may come from the game itself (`leaf.foresee`), and then be more than the children say.
    """
    first, p, count = unpack(link_of(node, w))
    v = 0.0 if p == CHANCE else get(section, first)
    for child in range(first, first + count):
        if p == CHANCE:
            v += get(x.prior, child) * get(section, child)
        else:
            v = max(v, get(section, child)) if p == 0 else min(v, get(section, child))
    if game.knows.still_possible and section == x.low:
        v = max(v, get(section, node))
    if game.knows.still_possible and section == x.high:
        v = min(v, get(section, node))
    changed = v != get(section, node)
    put(section, node, v)
    return changed


def refine_above(game: Any, section: int, w: Any, x: Any) -> None:
    """The same for all nodes on the way, from the leaf's parent up to where nothing changes any more."""
    d = w.ply - 1
    while d >= 0 and refine(game, section, w.walk[d], w, x):
        d -= 1


def clamped(v: float, node: int, x: Any) -> float:
    """A simulation's value, no worse and no better than is proven of a node that it went through."""
    return min(max(v, get(x.low, node)), get(x.high, node))


def error_of(node: int, w: Any, x: Any) -> float:
    """What the sum of a proven node lacks to be that of its value in every visit.

    The visits before the proof were mostly too hopeful for who chose the node, and are in the sums of all above it.
    """
    return get(x.low, node) * load(w.stats, 2 * node) - as_float(load(w.stats, 2 * node + 1))
