"""How strong a model is: quick matches, all compiled, between two estimates of one game.

    quick_match(game.with_model(model), game, games=200, depth=2)       # against the hand-made estimate
    quick_match(game.with_model(model), None, games=200)                # against random moves

Both players look `depth` plies ahead by plain alpha-beta and choose the best move, by lot among equals. With more
players ours has one seat and theirs all others. Thousands of games take seconds, which is what a learning curve needs;
to know it well, play a match of `counterplay.arena`.
"""

from __future__ import annotations

import math
import time
from math import inf
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.randomness import new_random, unit, word
from counterplay.core.records import new_record, record_type
from counterplay.native import native
from counterplay.search.playout import choose
from counterplay.search.run import Job

__all__ = ["Score", "quick_match"]

OPENING = 4
"""Random moves that games without dice begin with, so that they differ."""
MOST_PLIES = 1_000
"""A game that is longer is a draw."""

_TALLY = record_type([(name, np.int64) for name in ("stop", "games", "wins", "draws")] + [("points", np.float64)])


class Score(NamedTuple):
    """What the first player of a match has got."""

    games: int
    wins: int
    draws: int
    points: float
    """Its mean utility, less the other's, by two: in backgammon points a game. If there are not two, see `lead`."""

    @property
    def share(self) -> float:
        """Wins and half the draws, of all games."""
        return (self.wins + 0.5 * self.draws) / max(self.games, 1)

    @property
    def error(self) -> float:
        """The standard error of the share."""
        n, share = max(self.games, 1), self.share
        mean_square = (self.wins + 0.25 * self.draws) / n
        return math.sqrt(max(mean_square - share * share, 0.0) / n)


@native
def worth(game, s, p, depth, alpha, beta):  # type: ignore[no-untyped-def]
    """What `s` is worth to `p`: exact inside (alpha, beta), else a bound."""
    if game.is_terminal(s):
        return float(game.utility(s, p))
    if depth <= 0:
        return float(game.evaluate(s, p))
    player = game.player(s)
    if game.chance and player == CHANCE:
        total = 0.0
        for a in game.actions(s):
            total += game.probability(s, a) * worth(game, game.result(s, a), p, depth - 1, -inf, inf)
        return total
    if player == p:
        for a in game.actions(s):
            alpha = max(alpha, worth(game, game.result(s, a), p, depth - 1, alpha, beta))
            if alpha >= beta:
                break
        return alpha
    for a in game.actions(s):
        beta = min(beta, worth(game, game.result(s, a), p, depth - 1, alpha, beta))
        if alpha >= beta:
            break
    return beta


@native
def best_action(game, s, depth, random):  # type: ignore[no-untyped-def]
    """The best action `depth` plies ahead, by lot among equals; at depth 0 any."""
    if depth == 0:
        return choose(game, s, random)
    p, best, chosen, equals = game.player(s), -inf, -1, 0
    for a in game.actions(s):
        # One that is just as good must be told from one that is worse, so the bound is a little below the best.
        v = worth(game, game.result(s, a), p, depth - 1, best - 1e-9, inf)
        if v > best:
            best, chosen, equals = v, a, 1
        elif v == best:
            equals += 1
            if unit(random) * equals < 1.0:
                chosen = a
    return chosen


@native
def play_games(ours, theirs, start, w, random, games, opening, depths):  # type: ignore[no-untyped-def]
    """Play so many games; each opening once with us in each seat, and all other seats theirs.

    A game of one player is played twice, by us and by them, and counts once.
    """
    begun, seats, before = start, max(ours.players, 2), 0.0
    for i in range(games):
        if w.stop:
            return w.games
        if i % seats == 0:
            begun = start
            for _ in range(opening):
                after = ours.result(begun, ours.sample(begun, word(random)))
                if not ours.is_terminal(after):
                    begun = after
        s, we, plies = begun, i % seats, 0
        while not ours.is_terminal(s) and plies < MOST_PLIES:
            if ours.chance and ours.player(s) == CHANCE:
                s = ours.result(s, choose(ours, s, random))
            elif ours.player(s) == we or (ours.players == 1 and we == 0):
                s = ours.result(s, best_action(ours, s, depths[0], random))
            else:
                s = ours.result(s, best_action(theirs, s, depths[1], random))
            plies += 1
        if ours.players == 1 and we == 0:
            before = ours.utility(s, 0) if ours.is_terminal(s) else ours.utility_range[0]
            continue
        w.games += 1
        ahead = lead(ours, s, we, before) if ours.is_terminal(s) else 0.0
        w.points += 0.5 * ahead if ours.players == 2 else ahead
        w.wins += 1 if ahead > 0.0 else 0
        w.draws += 1 if ahead == 0.0 else 0
    return w.games


def lead(game: Any, s: Any, we: int, before: float) -> float:
    """What we have got in the end, less what the others have on average; of one player's game, than they without us."""
    if game.players == 1:
        return float(before - game.utility(s, 0))
    others = 0.0
    for p in range(game.players):
        if p != we:
            others += game.utility(s, p)
    return float(game.utility(s, we) - others / (game.players - 1))


def quick_match(
    ours: Game,
    theirs: Game | None,
    games: int = 200,
    depth: int | tuple[int, int] = 1,
    seed: int = 0,
    seconds: float | None = None,
) -> Score:
    """Play a match between two estimates of a game, `theirs` random moves if it is None; what `ours` has got.

    `depth` is for both, or for each. The match is broken off after so many `seconds`.
    """
    depths = (depth, depth) if isinstance(depth, int) else depth
    if theirs is None:
        theirs, depths = ours, (depths[0], 0)
    start = ours.initial()
    opening = 0 if ours.chance else OPENING
    w: Any = new_record(_TALLY)
    random = new_random(seed)

    def stop() -> None:
        w.stop = 1

    job = Job(lambda: play_games(ours, theirs, start, w, random, games, opening, depths), stop)
    deadline = inf if seconds is None else time.perf_counter() + seconds
    try:
        while not job.wait(0.05):
            if w.games and time.perf_counter() > deadline:  # not while it compiles
                stop()
    except BaseException:
        stop()
        job.wait()
        raise
    job.result()
    return Score(int(w.games), int(w.wins), int(w.draws), float(w.points) / max(int(w.games), 1))
