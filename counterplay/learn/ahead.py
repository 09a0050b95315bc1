"""Learning from a search: the model looks some plies ahead, and learns what it finds there.

Without dice this is TD-leaf (J. Baxter, A. Tridgell & L. Weaver, KnightCap, 1998). The best line of a shallow search
ends in a position, its leaf, whose value is the value of the whole search. So the leaf is noted instead of the position
on the board, and what is learned is what leaves are worth, which is what a search will ask the model for.

With dice a search has no one leaf: its value is a mean over throws. There each position is moved towards that mean, as
Samuel's player of 1959 moved its estimate of a board towards what it saw some plies on. One throw and the best reply
to it are 21 lucky and unlucky stories instead of the one that happened to come, so that a step goes nearly the right
way; it costs twenty times as much, and pays when a model has learned what single games can teach it.
"""

from __future__ import annotations

from math import inf

from counterplay.core.features import MOST_ACTIVE, new_active
from counterplay.core.game import CHANCE
from counterplay.core.randomness import unit, word
from counterplay.core.vectors import scratch
from counterplay.learn.selfplay import ACTIVE, PLIES, learn_from, note, note_best
from counterplay.native import native
from counterplay.search.playout import choose

__all__ = ["best_leaf", "expect", "learn_expected", "learn_leaves"]


# ---- without dice: the leaf of the best line


@native
def learn_leaves(game, start, w, random, games, rate, trace, explore, depth):  # type: ignore[no-untyped-def]
    """Play so many games against oneself, looking `depth` plies ahead, and learn from the leaves of each."""
    for _ in range(games):
        if w.stop:
            break
        end = play_by_search(game, start, w, random, explore, depth)
        learn_from(game, end, w, rate, trace, 1.0)
        w.games += 1
    return w.games


@native
def play_by_search(game, start, w, random, explore, depth):  # type: ignore[no-untyped-def]
    """A game whose leaves are noted in `w`.

    A leaf that ends the game has nothing to learn: it is what the one before it should have been. (To learn the
    position on the board instead made Samuel's player worse: it came to know most about games that are over.) Only if
    the search sees the end from the first move on, there is nothing else, and positions are learned as they are.
    """
    s, leaves = start, 0
    w.seen = 0
    while not game.is_terminal(s) and w.seen < PLIES and w.first[w.seen] < ACTIVE - MOST_ACTIVE:
        p, best_value, best, leaf = game.player(s), -inf, s, s
        for a in game.actions(s):
            after = game.result(s, a)
            v, end = best_leaf(game, after, p, depth - 1, best_value, inf, w)
            if v > best_value:
                best_value, best, leaf = v, after, end
        is_end, is_random = game.is_terminal(leaf), explore > 0.0 and unit(random) < explore
        if not is_end:
            note(game, leaf, w, False)
            leaves += 1
            if is_random:  # what comes is not what the leaf stands for
                note_best(game, leaf, w, 1.0)
        elif leaves == 0:
            note(game, s, w, False)
            note_best(game, leaf, w, 1.0)
        elif not w.is_random[w.seen - 1]:
            note_best(game, leaf, w, 1.0)
        if is_random:
            best = game.result(s, game.sample(s, word(random)))
        s = best
    return s


@native
def best_leaf(game, s, p, depth, alpha, beta, w):  # type: ignore[no-untyped-def]
    """What `s` is worth to `p`, if that is between alpha and beta, and where the best line ends. By alpha-beta."""
    if game.is_terminal(s):
        return float(game.utility(s, p)), s
    if depth <= 0:
        w.positions += 1
        return float(game.evaluate(s, p)), s
    leaf, is_ours = s, game.player(s) == p
    for a in game.actions(s):
        v, end = best_leaf(game, game.result(s, a), p, depth - 1, alpha, beta, w)
        if is_ours and v > alpha:
            alpha, leaf = v, end
        if not is_ours and v < beta:
            beta, leaf = v, end
        if alpha >= beta:
            break
    return (alpha if is_ours else beta), leaf


# ---- with dice: the mean over what may be thrown


@native
def learn_expected(game, start, w, random, games, rate, explore, depth):  # type: ignore[no-untyped-def]
    """Play so many games against oneself, and move each position towards what is expected `depth` plies on."""
    for _ in range(games):
        if w.stop:
            break
        s = start
        w.seen = 0
        note(game, s, w, False)
        learn_one(game, s, w, rate, depth)
        while not game.is_terminal(s) and w.seen < PLIES and w.first[w.seen] < ACTIVE - MOST_ACTIVE:
            seen, is_thrown = w.seen, game.player(s) == CHANCE
            s = game.result(s, choose(game, s, random)) if is_thrown else reply(game, s, w, random, explore)
            if not game.is_terminal(s):
                note(game, s, w, is_thrown)
                if w.seen > seen:
                    learn_one(game, s, w, rate, depth)
        w.games += 1
    return w.games


@native
def reply(game, s, w, random, explore):  # type: ignore[no-untyped-def]
    """Where the move leads that the model likes best, or at times a random one."""
    if explore > 0.0 and unit(random) < explore:
        return game.result(s, game.sample(s, word(random)))
    p, best_value, best = game.player(s), -inf, s
    for a in game.actions(s):
        after = game.result(s, a)
        v = game.evaluate(after, p)
        w.positions += 1
        if v > best_value:
            best_value, best = v, after
    return best


@native
def learn_one(game, s, w, rate, depth):  # type: ignore[no-untyped-def]
    """A step of what the model thinks of `s` towards what it expects `depth` plies on."""
    on, target = new_active(game.model_inputs, game.model_most), scratch(game.model_room)
    expect(game, s, game.viewer(s), depth, target, w)
    game.model_see(s, on)
    game.model_learn(on, target, rate)
    w.plies += 1


@native
def expect(game, s, viewer, depth, y, w):  # type: ignore[no-untyped-def]
    """The outputs for `viewer` that are expected `depth` plies on: the best for whoever moves, the mean of throws."""
    if game.is_terminal(s):
        game.model_result(s, viewer, y)
        return 0
    if depth <= 0:
        on = new_active(game.model_inputs, game.model_most)
        game.model_see(s, on)
        game.model_guess(on, y)
        w.positions += 1
        if game.viewer(s) != viewer:
            game.model_turn(y)
        return 0
    after, p = scratch(game.model_room), game.player(s)
    if p == CHANCE:
        for j in range(game.model_outputs):
            y[j] = 0.0
        for a in game.actions(s):
            expect(game, game.result(s, a), viewer, depth - 1, after, w)
            for j in range(game.model_outputs):
                y[j] += game.probability(s, a) * after[j]
        return 0
    best = -inf
    for a in game.actions(s):
        expect(game, game.result(s, a), p, depth - 1, after, w)
        v = float(game.model_worth(after))
        if v > best:
            best = v
            for j in range(game.model_outputs):
                y[j] = after[j]
    if p != viewer:
        game.model_turn(y)
    return 0
