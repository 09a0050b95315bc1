"""Whole games of Pacman in machine code: who plays, how each chooses, and what came of many games.

A player searches so many plies ahead with the library's own kernels, and of equally good actions takes one at random.
Tree search grows its tree from step to step instead, and plays from Python. Everything random comes from the seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import UserError
from counterplay.core.randomness import new_random, unit, word
from counterplay.games.pacman.rules import Pacman, directional_ghosts, random_ghosts
from counterplay.native import native
from counterplay.search import AlphaBeta, Limits, MonteCarlo
from counterplay.search.alphabeta.kernel import worth as alphabeta_worth
from counterplay.search.plain.expectimax import Weights, against
from counterplay.search.plain.expectimax import worth as expectimax_worth
from counterplay.search.plain.minimax import worth as minimax_worth
from counterplay.search.run import new_tally

__all__ = ["POLICIES", "Player", "Record", "Stage", "Summary", "player_named", "random_start", "summary"]

POLICY, MINIMAX, EXPECTIMAX, ALPHABETA, ALONE, TREE = range(6)
KINDS = {"minimax": MINIMAX, "expectimax": EXPECTIMAX, "alphabeta": ALPHABETA, "alone": ALONE, "mcts": TREE}
POLICIES: dict[str, Weights] = {"random": random_ghosts, "directional": directional_ghosts}


class Player(NamedTuple):
    """How Pacman, or the ghosts, choose: by a search of `depth` plies, or by the stage's policy."""

    kind: int
    depth: int
    """Of tree search the number of simulations."""


def player_named(text: str) -> Player:
    """A player by name: `reflex`, `minimax:4`, `alphabeta:10`, `expectimax:4`, `mcts:500`; for ghosts also `alone:4`
    and `policy`."""
    name, _, depth = text.partition(":")
    if name in ("policy", "reflex") and not depth:
        return Player(POLICY if name == "policy" else MINIMAX, 1)
    if name not in KINDS or not depth.isdigit() or not 1 <= int(depth) <= (1_000_000 if name == "mcts" else 200):
        raise UserError(
            f"'{text}' is no player; write reflex, or minimax:4, alphabeta:10 or expectimax:4 with a depth, "
            "or mcts:500 with a number of simulations"
        )
    return Player(KINDS[name], int(depth))


# ---- a choice. Of the arguments `w`, alphabeta's workspace, `beliefs`, whether expectimax is wanted, and `alone`, the
# ---- game with one ghost, those that are None are not needed, and what needs them is not compiled.


def choose(game: Any, s: Any, player: Any, random: Any, tally: Any, w: Any, beliefs: Any, alone: Any) -> int:
    """The action that `player` takes at `s`."""
    if player.kind == POLICY:
        return drawn(game, s, random)
    if alone is not None:  # noqa: SIM102  (the compiler drops what is below only if this stands by itself)
        if player.kind == ALONE:
            return best(alone, on_its_own(alone, s), player, random, tally, w, beliefs)
    return best(game, s, player, random, tally, w, beliefs)


def drawn(game: Any, s: Any, random: Any) -> int:
    """An action of the ghosts' policy."""
    total = 0.0
    for a in game.actions(s):
        total += game.opponents_policy(s, a)
    rest, chosen = unit(random) * total, -1
    for a in game.actions(s):
        chosen = a
        rest -= game.opponents_policy(s, a)
        if rest < 0.0:
            break
    return chosen


def best(game: Any, s: Any, player: Any, random: Any, tally: Any, w: Any, beliefs: Any) -> int:
    """The best action by the player's search, or one at random of those that are equally good."""
    p = game.player(s)
    sign = 1.0 if p == 0 else -1.0
    most, chosen, equals = -inf, -1, 0
    for a in game.actions(s):
        v = sign * looked_ahead(game, game.result(s, a), p, sign * most, player, tally, w, beliefs)
        if v > most:
            most, chosen, equals = v, a, 1
        elif v == most:
            equals += 1
            if word(random) * equals >> 32 == 0:
                chosen = a
    return chosen


def looked_ahead(game: Any, s: Any, p: int, known: float, player: Any, tally: Any, w: Any, beliefs: Any) -> float:
    """What the player's search says that `s`, where `p` has moved to, is worth to Pacman.

    `known` is what `p` has elsewhere; what is worse than that need not be exact.
    """
    depth = player.depth - 1
    if beliefs is not None:  # noqa: SIM102
        if player.kind == EXPECTIMAX:
            return expectimax_worth(game, s, 0, depth, tally)
    if w is not None:  # noqa: SIM102
        if player.kind == ALPHABETA:
            return alphabeta_worth(game, s, p, known, depth, w)
    return minimax_worth(game, s, depth, tally)


def on_its_own(alone: Any, s: Any) -> Any:
    """What the ghost to move sees if it is the only one."""
    i = s.turn - 1
    ghosts, headings, scared = (s.ghosts[i],), (s.headings[i],), (s.scared[i],)
    return alone.State(s.pacman, ghosts, headings, scared, s.dots, s.capsules, s.score, s.steps, 1, s.alive)


# ---- games


@native
def play_on(game, s, pacman, ghosts, random, moves, tally, w, beliefs, alone):  # type: ignore[no-untyped-def]
    """Play from `s` to the end, writing down the actions: the last state, and how many there were."""
    n = 0
    while not game.is_terminal(s):
        moves[n] = choose(game, s, pacman if s.turn == 0 else ghosts, random, tally, w, beliefs, alone)
        s = game.result(s, moves[n])
        n += 1
    return s, n


@dataclass(frozen=True)
class Record:
    """A game that was played."""

    game: Any
    start: Any
    moves: tuple[int, ...]
    end: Any

    @cached_property
    def states(self) -> tuple[Any, ...]:
        states = [self.start]
        for a in self.moves:
            states.append(self.game.result(states[-1], a))
        return tuple(states)

    @property
    def is_won(self) -> bool:
        return not self.end.dots

    @property
    def is_lost(self) -> bool:
        return not self.end.alive


class Stage:
    """A maze with the ghosts' policy, and the memory for searches: plays one game for each seed."""

    def __init__(self, game: Any, policy: str = "random", players: tuple[Player, ...] = ()) -> None:
        """`players` are all who will play, so that only what they need is compiled."""
        kinds = {player.kind for player in players}
        self.game = game
        self.staged: Any = against(game, POLICIES[policy])
        self._engine = AlphaBeta(game, table_mb=4) if ALPHABETA in kinds else None
        self._memory = (
            new_tally(),
            None if self._engine is None else self._engine.memory,
            True if EXPECTIMAX in kinds else None,
            against(Pacman(**{**game.settings, "ghosts": 1}), POLICIES[policy]) if ALONE in kinds else None,
        )

    def play(self, pacman: Player, ghosts: Player, seed: int, s: Any = None) -> Record:
        """A game from `s` (default: the initial state)."""
        s = self.game.initial() if s is None else s
        if TREE in (pacman.kind, ghosts.kind):
            return self._play_by_tree(pacman, ghosts, seed, s)
        moves = np.zeros((self.game.limit + 1) * (self.game.n_ghosts + 1), np.int64)
        end, n = play_on(self.staged, s, pacman, ghosts, new_random(seed), moves, *self._memory)
        return Record(self.game, s, tuple(moves[:n].tolist()), end)

    def _play_by_tree(self, pacman: Player, ghosts: Player, seed: int, start: Any) -> Record:
        """The same with a player who grows a tree, whose leaves are worth the estimate: playouts lose their way."""
        engine = MonteCarlo(self.game, cutoff=0, memory_mb=16, seed=seed)
        s, moves, random = start, [], new_random(seed)
        while not self.game.is_terminal(s):
            player = pacman if s.turn == 0 else ghosts
            if player.kind == TREE:
                a = engine.search(s, Limits(simulations=player.depth)).line[0]
            else:
                a = int(choose(self.staged, s, player, random, *self._memory))
            moves.append(a)
            s = self.game.result(s, a)
        return Record(self.game, start, tuple(moves), s)


def random_start(game: Any, seed: int, apart: int = 4) -> Any:
    """The initial state with Pacman and the ghosts elsewhere, at least `apart` steps from each other if that can be."""
    random, s = new_random(seed), game.initial()
    squares = list(range(len(game.maze.squares)))
    pacman = squares[word(random) * len(squares) >> 32]
    far = [i for i in squares if apart <= game.distances[pacman, i] < 255]
    ghosts = tuple(far[word(random) * len(far) >> 32] for _ in s.ghosts)
    return s._replace(pacman=pacman, ghosts=ghosts, dots=s.dots.remove(pacman))


@dataclass(frozen=True)
class Summary:
    """What came of many games."""

    games: int
    score: float
    """On average; the error is what chance may do to it, one standard deviation."""
    error: float
    won: float
    lost: float
    steps: float


def summary(records: list[Record]) -> Summary:
    scores = np.array([record.end.score for record in records], float)
    return Summary(
        len(records),
        float(scores.mean()),
        float(scores.std() / max(1, len(scores)) ** 0.5),
        sum(record.is_won for record in records) / len(records),
        sum(record.is_lost for record in records) / len(records),
        sum(record.end.steps for record in records) / len(records),
    )
