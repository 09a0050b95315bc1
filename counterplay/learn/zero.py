"""Zero: values and moves learned from nothing but games against oneself (Silver et al., AlphaGo Zero, 2017).

    model = learn.DualNetwork(game, hidden=(64, 32))
    learn.zero(game, model, games=20_000, simulations=100, threads=2, progress=print)

In each position a tree search looks ahead, led by what the network says of moves and states, and so knows better than
the network alone. What it found is what the network learns: of the moves the shares of the visits, of the state half of
the value that the search found and half of the game's result. A better network makes a better search, and so on.

The search is `mcts` with `puct`, `cutoff=0` and, for one player or two opponents, `solver`; `rooted.py` leads it at the
root. It, the games and the learning are one piece of compiled code a thread. Positions are kept, the last `POSITIONS`
of each thread, and each is learned from `repeats` times on average as it grows old. Threads share the weights without
locks, as in `td`.

With one player or two opponents a state has one value, as its viewer sees it. With more players, or where one's gain is
not the other's loss, it has one for each, the viewer's first, then the next player's and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.features import new_active
from counterplay.core.game import CHANCE, Game
from counterplay.core.randomness import seed_at, unit, word
from counterplay.core.records import new_record, record_type
from counterplay.core.vectors import scratch
from counterplay.learn import rooted
from counterplay.learn.convolution import ConvolutionalNetwork
from counterplay.learn.dual import DualNetwork, learn_both
from counterplay.learn.model import copied
from counterplay.learn.replay import ReplayTraining
from counterplay.learn.rooted import pick, ponder
from counterplay.learn.selfplay import PLIES
from counterplay.learn.strength import quick_match
from counterplay.learn.temporal import Progress, falling, go_on
from counterplay.native import native
from counterplay.search.exact.kernel import settle
from counterplay.search.exact.memory import is_solvable, new_memory
from counterplay.search.mcts.nodes import NodeStore, action_of, link_of, new_workspace, unpack, values_kept
from counterplay.search.mcts.thoughts import forget
from counterplay.search.mcts.variations import get, is_proven, mean_for, new_variations, sections_for
from counterplay.search.playout import choose
from counterplay.search.run import NO_LIMIT, must_be_threads
from counterplay.search.table import TranspositionTable

__all__ = ["ZeroSettings", "ZeroTraining", "zero"]

POSITIONS = 1 << 16
"""So many positions are remembered, unless somebody says otherwise."""
INPUTS = 1 << 22
"""And so many active inputs of them, and of moves; whichever is full first, the oldest are forgotten."""
MOST_POSITIONS = 1 << 19
"""So many of all threads together, if somebody says so: more would be a checkpoint too large to be read again."""
BATCH = 16
"""After so many games of a thread it learns."""
OPENED = 0.5
"""The share of games that begin with random moves."""
PLAYED_ON = 0.25
"""The share of games that are played on when they are solved."""
SOLVING_MB = 8
WATCHED = 0.1
"""The share of games in which nobody may give up, to see how often that would have been wrong."""
AVERAGED = 100
"""So many times weights are taken for their mean."""
GATE_GAMES = 100
"""So many games decide whether a new network plays on."""
GATE_SECONDS = 3.0


@cache
def _replay(values: int, window: int = POSITIONS) -> np.dtype[Any]:
    """What a thread remembers, so many positions, where a state has so many values.

    Positions, inputs and moves are counted on for ever, and are where their number modulo the room says.
    """
    counts = ("stop", "games", "plies", "positions", "seen", "inputs", "moves", "learned")
    inputs = window * INPUTS // POSITIONS
    of_position = ("first", "count", "first_move", "count_moves", "player", "viewer", "proven")
    return record_type(
        [(name, np.int64) for name in (*counts, "resigned", "watched", "mistaken")]
        + [(name, np.int64, (window,)) for name in of_position]
        + [("target", np.float32, (window, values)), ("searched", np.float32, (window, values))]
        + [("index", np.int32, (inputs,)), ("value", np.float32, (inputs,))]
        + [("action", np.int32, (inputs,)), ("share", np.float32, (inputs,))]
    )


class ZeroSettings(NamedTuple):
    """How to train."""

    games: int
    rate: tuple[float, float] = DualNetwork.rate
    simulations: int = 100
    """What a move is searched by where the position is learned from."""
    quick: int = 20
    """And where it is not: most of a game, so that there are more games (playout cap randomisation, Wu 2019)."""
    share: float = 0.5
    """The share of moves that are searched in full and learned from."""
    puct: float = 1.5
    noise: float = 0.25
    """The share of noise in the priors at the root of a full search."""
    opening: int = 6
    """Some of the games begin with up to so many random moves."""
    opened: float = OPENED
    """The share of games that do."""
    warm: float = 0.3
    """In the first part of a game, this share of its usual length, moves are drawn by their visits; then the most
    visited is played."""
    mix: float = 0.5
    """The share of the game's result in the target of a value; the rest is what the search found."""
    repeats: float = 10.0
    """How often a position is learned from, on average."""
    window: int = POSITIONS
    """So many positions of each thread are remembered."""
    gumbel: int = 0
    """If not 0: so many moves at the root are drawn by their priors and share a full search, by sequential halving
    (Danihelka et al. 2022); `noise` and `forced` then play no part."""
    gumbel_scale: float = 1.0
    """How much values count beside priors there; c_scale of the paper."""
    forced: float = 0.0
    """If not 0: a move that a full search has tried gets at least the root of (this x prior x visits) of them, and what
    it got only so is not learned (forced playouts and policy target pruning, Wu 2019, who took 2)."""
    images: int = 0
    """Each position is remembered in so many other ways to look at it, too, any of the game's `symmetries`."""
    resign: float = 0.0
    """If not 0: who has less than this part of all that could be had gives up, but for one game in ten, which shows how
    often that would have been a mistake."""
    gate: int = 0
    """If not 0: games are played by the network as it was when it last won a match; each so many games there is one."""
    solve: int = 0
    """If not 0: a position with at most so many plies left is solved, which is then the game's result, and is learned
    for sure, but no moves of it; one game in four is played on, and its last positions are learned so, with moves."""
    average: float = 0.0
    """If not 0: what is left at the end is the mean of the weights as they were in the last part of the training, this
    share of its games (Polyak & Juditsky 1992; Izmailov et al., Averaging weights leads to wider optima, 2018)."""
    threads: int = 1
    seed: int = 0

    def in_words(self) -> str:
        """How games are played, for people."""
        return f"{self.simulations} simulations for {self.share:.0%} of moves, {self.quick} for others"

    def must_be_sensible(self) -> None:
        must_be_threads(self.threads)
        if self.games < 1 or self.simulations < 2 or self.quick < 2:
            raise UserError("zero needs one game or more, and two simulations or more a move")
        for name in ("share", "noise", "warm", "mix", "resign", "opened", "average"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise UserError(f"{name} is a share, from 0 to 1, not {getattr(self, name)}")
        for name in ("gumbel", "gumbel_scale", "forced", "images", "gate", "opening", "repeats", "solve"):
            if not 0 <= getattr(self, name) < 1e9:
                raise UserError(f"{name} is a number, 0 or more, not {getattr(self, name)}")
        most = max(MOST_POSITIONS // self.threads, POSITIONS)
        if not 64 <= self.window <= most:
            raise UserError(f"a window is from 64 to {most:,} positions, not {self.window}")

    def rate_at(self, game: int) -> float:
        """The rate of a game, the same for `BATCH` of them."""
        return falling(self.rate, game // BATCH * BATCH / self.games)


class Tools(NamedTuple):
    """What a thread searches with, besides its workspace."""

    x: Any
    """The variations of `mcts`."""
    sections: Any
    """What has to be cleared with the tree."""


# ---- compiled: a game, and learning from what is remembered


@native
def play_and_learn(player, learner, start, r, w, tools, exact, games, rate, settings):  # type: ignore[no-untyped-def]
    """Play so many games, then learn. Both are the game with a network: the one that plays, and the one that learns.

    `exact` is the memory for solving; None: nothing is solved.
    """
    before = r.seen
    play_games(player, start, r, w, tools, exact, games, settings)
    learn(learner, r, w, int((r.seen - before) * settings.repeats / (1 + settings.images)), rate)
    return r.games


@native
def play_games(game, start, r, w, tools, exact, games, settings):  # type: ignore[no-untyped-def]
    """Play so many games, by a network that does not learn meanwhile."""
    forget(tools.x)
    for _ in range(games):
        if r.stop:
            break
        play(game, start, r, w, tools, exact, settings)
        r.games += 1
    return r.games


@native
def play(game, start, r, w, tools, exact, settings):  # type: ignore[no-untyped-def]
    """A game against oneself; some of its positions are remembered, with what became of them."""
    s, first, x = begin(game, start, w, settings.opening, settings.opened), r.seen, tools.x
    is_solved, worth = False, 0.0
    plies, warm = 0, settings.warm * r.plies / max(r.games, 1)
    is_watched, loser = settings.resign > 0.0 and unit(w) < WATCHED, -1
    while not game.is_terminal(s) and plies < PLIES:
        plies += 1
        if game.chance and game.player(s) == CHANCE:
            s = game.result(s, choose(game, s, w))
            continue
        before = r.seen
        if exact is not None and game.plies_left(s) <= settings.solve:
            v = solved_value(game, s, w, exact)
            if not is_solved:
                is_solved, worth = True, v
                if unit(w) >= PLAYED_ON:
                    if r.seen - first < len(r.first) // 2:
                        remember_solved(game, s, r, w, settings.images)
                        make_sure(game, r, before, v)
                    break
        is_full = unit(w) < settings.share
        ponder(game, s, w, x, tools.sections, settings.simulations if is_full else settings.quick, is_full, settings)
        r.positions += settings.simulations if is_full else settings.quick
        if is_full and r.seen - first < len(r.first) // 2:
            remember_all(game, s, r, w, x, settings.images)
        if exact is not None and is_solved:
            make_sure(game, r, before, v)
        if settings.resign > 0.0 and loser < 0 and is_hopeless(game, s, w, settings.resign):
            loser = game.player(s)
            if not is_watched:
                break
        is_gumbel = is_full and settings.gumbel > 0
        s = game.result(s, action_of(pick(game, w, x, plies <= warm, is_gumbel), w))
    r.plies += plies
    low, high = game.utility_range
    is_over = is_solved or game.is_terminal(s)
    if loser >= 0 and is_watched:
        r.watched += 1
        r.mistaken += 1 if not is_over or gain(game, s, loser, is_solved, worth) > low else 0
    elif loser >= 0:
        r.resigned += 1
    for i in range(first, r.seen):
        k = i % len(r.first)
        for j in range(game.model_outputs):
            p = (r.viewer[k] + j) % game.players
            r.target[k, j] = r.searched[k, j]
            is_given_up = loser >= 0 and not is_watched
            if (is_over or is_given_up) and not r.proven[k]:
                u = gain(game, s, p, is_solved, worth)
                if is_given_up:
                    u = low if p == loser else game.utility_sum - low
                r.target[k, j] = settings.mix * (u - low) / (high - low) + (1.0 - settings.mix) * float(
                    r.searched[k, j]
                )
    return plies


def gain(game: Any, s: Any, p: int, is_solved: bool, worth: float) -> float:
    """What `p` gets at the end `s` of a game, or if it was solved before, and was worth so much to player 0."""
    if is_solved:
        return float(worth if p == 0 else game.utility_sum - worth)
    return float(game.utility(s, p)) if game.is_terminal(s) else 0.0


def solved_value(game: Any, s: Any, w: Any, exact: Any) -> float:
    """What a position is worth to player 0, by alpha-beta to the end of the game."""
    low, high = game.utility_range
    exact.root_left = game.plies_left(s)
    return float(settle(game, s, float(low), float(high), 0, w, exact))


def make_sure(game: Any, r: Any, first: int, v: float) -> None:
    """The positions from number `first` on are worth so much to player 0 for sure."""
    low, high = game.utility_range
    for i in range(first, r.seen):
        k = i % len(r.first)
        r.searched[k, 0] = ((v if r.viewer[k] == 0 else game.utility_sum - v) - low) / (high - low)
        r.proven[k] = 1


def is_hopeless(game: Any, s: Any, w: Any, resign: float) -> bool:
    """Whether who is to move has less than this part of what could be had, by the search, and nobody can tell him."""
    low, high = game.utility_range
    return bool(mean_for(game, 0, game.player(s), w) < low + resign * (high - low))


def begin(game: Any, start: Any, w: Any, opening: int, opened: float) -> Any:
    """The start, or in a share of the games without dice a position after some random moves."""
    s = start
    if not game.chance and opening > 0 and unit(w) < opened:
        for _ in range(word(w) * (opening + 1) >> 32):
            after = game.result(s, choose(game, s, w))
            if not game.is_terminal(after):
                s = after
    return s


@native
def remember_all(game, s, r, w, x, images):  # type: ignore[no-untyped-def]
    """Write down the position that was searched, and some images of it."""
    remember(game, s, s, -1, r, w, x)
    if game.knows.image and game.model_turns > 0:
        for _ in range(images):
            k = word(w) * game.model_turns >> 32
            remember(game, s, game.image(s, k), k, r, w, x)
    return r.seen


@native
def remember_solved(game, s, r, w, images):  # type: ignore[no-untyped-def]
    """Write down a position that was not searched, and some images of it: there is nothing to learn of its moves."""
    for i in range(1 + (images if game.knows.image and game.model_turns > 0 else 0)):
        seen = s
        if game.knows.image and i > 0:
            seen = game.image(s, word(w) * game.model_turns >> 32)
        k = remember_seen(game, s, seen, r)
        r.first_move[k], r.count_moves[k] = r.moves, 0
        r.seen += 1
    return r.seen


@native
def remember_seen(game, s, seen, r):  # type: ignore[no-untyped-def]
    """Write down the inputs of a position as it is `seen`, and who is to move; where it is."""
    k = r.seen % len(r.first)
    on = new_active(game.model_inputs, game.model_most)
    game.model_see(seen, on)
    r.first[k], r.count[k], r.player[k], r.viewer[k] = r.inputs, len(on), game.player(s), game.viewer(s)
    for i in range(len(on)):
        r.index[(r.inputs + i) % len(r.index)] = on.index(i)
        r.value[(r.inputs + i) % len(r.index)] = on.value(i)
    r.inputs += len(on)
    return k


@native
def remember(game, s, seen, turn, r, w, x):  # type: ignore[no-untyped-def]
    """Write down the position that was searched as it is `seen`: its inputs, its moves with their shares, its values.

    `turn` is the number of the symmetry that it is seen by, -1 for none.
    """
    k, viewer = remember_seen(game, s, seen, r), game.viewer(s)
    first, _, count = unpack(link_of(0, w))
    r.first_move[k], r.count_moves[k] = r.moves, count
    for i in range(count):
        a = action_of(first + i, w)
        if game.knows.image and turn >= 0:
            a = game.image_action(a, turn)
        r.action[(r.moves + i) % len(r.action)] = a
        r.share[(r.moves + i) % len(r.action)] = get(x.prior, first + i)
    r.moves += count
    low, high = game.utility_range
    for j in range(game.model_outputs):
        mean = mean_for(game, 0, (viewer + j) % game.players, w)
        r.searched[k, j] = (mean - low) / (high - low)
    r.proven[k] = 1 if x.use_solver and is_proven(0, x) else 0
    r.seen += 1
    return count


@native
def learn(game, r, w, steps, rate):  # type: ignore[no-untyped-def]
    """Learn from so many of the positions that are remembered, any of them."""
    on, target = new_active(game.model_inputs, game.model_most), scratch(game.model_room)
    known = min(r.seen, len(r.first))
    for _ in range(steps):
        k = (r.seen - 1 - (word(w) * known >> 32)) % len(r.first)
        if r.inputs - r.first[k] > len(r.index) or r.moves - r.first_move[k] > len(r.action):
            continue  # written over
        on.clear()
        for i in range(r.first[k], r.first[k] + r.count[k]):
            on.add(r.index[i % len(r.index)], r.value[i % len(r.index)])
        for j in range(game.model_outputs):
            target[j] = r.target[k, j]
        learn_both(game, on, target, r.player[k], r.action, r.share, r.first_move[k], r.count_moves[k], rate)
        r.learned += 1
    return r.learned


# ---- training


class ZeroTraining(ReplayTraining):
    """A training under way, as `Training` is. What it remembers is written down, too, and who plays."""

    _counted = (
        *("games", "plies", "positions", "seen", "inputs", "moves", "learned"),
        *("resigned", "watched", "mistaken"),
    )
    _room: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("first", "count", "first_move", "count_moves", "player", "viewer", "proven"), "seen"),
        **dict.fromkeys(("target", "searched"), "seen"),
        **dict.fromkeys(("index", "value"), "inputs"),
        **dict.fromkeys(("action", "share"), "moves"),
    }

    settings: ZeroSettings  # type: ignore[assignment]

    def __init__(self, game: Game, model: DualNetwork, settings: ZeroSettings) -> None:
        super().__init__(game, model, settings)  # type: ignore[arg-type]
        if settings.images > 0 and not (game.knows.image and len(game.symmetries) > 0):
            raise UserError(f"{game} has no `image` and `symmetries`: leave images out")
        if settings.resign > 0.0 and values_kept(game) > 1:
            raise UserError(f"only one of two opponents can resign, not a player of {game}")
        if settings.solve > 0 and not is_solvable(game):
            raise UserError(f"{game} does not say how many plies are left at most (`plies_left`): leave solve out")
        self._works = [new_record(_replay(model.outputs, settings.window)) for _ in range(settings.threads)]
        self.player = copied(model) if settings.gate > 0 else model
        """The network that plays; the same that learns, unless there is a gate."""
        self._playing: Game = game.with_model(self.player)
        self._gated = 0  # the matches that there were
        self.passed = 0
        """How many of them the network that learns has won."""
        self._averaged = 0  # how often weights were taken
        self._means: dict[str, Any] = {}
        given = {"puct": settings.puct * _half_range(game), "fpu": 0.0, "cutoff": 0.0}
        if values_kept(game) == 1:
            given["solver"] = 1.0
        sections = (*sections_for(self.game, given), *rooted.KEPT)
        self._trees: dict[int, tuple[NodeStore, Tools, Any]] = {}
        self._tables: list[TranspositionTable] = []
        self._randoms = []
        for thread in range(settings.threads):
            memory = NodeStore(self.game, _megabytes(settings), sections)
            w = new_workspace(self.game, memory, seed_at(settings.seed, thread))
            w.most_nodes = NO_LIMIT
            none = np.zeros(0, np.int64)  # of a new child each of these is written, so that none needs to be cleared
            tools = Tools(new_variations(self.game, memory, given, is_fixed=True), none)
            self._trees[memory.address] = memory, tools, self._new_exact()
            self._randoms.append(w)  # each search draws from its own workspace

    def _new_exact(self) -> Any:
        """Memory for solving, if there is something to solve."""
        if self.settings.solve == 0:
            return None
        table = TranspositionTable(SOLVING_MB)
        self._tables.append(table)
        exact = new_memory(self.game, table.address, table.bytes // 16)
        exact.estimate_from = 1 << 30  # the network is not asked
        return exact

    def _learn(self, w: Any, random: Any, number: int, rate: float) -> None:
        _, tools, exact = self._trees[int(random.tree)]
        for first in range(0, number, BATCH):
            if not w.stop:
                some = min(BATCH, number - first)
                play_and_learn(
                    self._playing, self.game, self._start, w, random, tools, exact, some, rate, self.settings
                )
                self._pass_gate()
                self._take_weights()

    def run(self, seconds: float | None = None, until: int | None = None) -> None:
        super().run(seconds, until)
        if self.games >= self.settings.games:
            for name, mean in self._means.items():
                self.model.weights[name][:] = mean

    def _take_weights(self) -> None:
        """Now and then in the last part of a training, add the weights to their means."""
        of, average = self.settings.games, self.settings.average
        if average == 0.0 or self.games < of * (1.0 - average + average * (self._averaged + 1) / AVERAGED):
            return
        with self._lock:
            self._averaged += 1
            for name, weights in self.model.weights.items():
                mean = self._means.setdefault(name, np.zeros(weights.shape, np.float64))
                mean += (weights - mean) / self._averaged

    def _pass_gate(self) -> None:
        """Now and then, let the network that learns play against the one that plays, and take its place if it wins."""
        gate = self.settings.gate
        if gate == 0 or self.games // gate <= self._gated:
            return
        with self._lock:
            if self.games // gate > self._gated:
                self._gated = self.games // gate
                depth = 1 if self.game.chance else 2
                score = quick_match(self.game, self._playing, GATE_GAMES, depth, self._gated)
                if score.share > 0.5:
                    self.passed += 1
                    for name, weights in self.model.weights.items():
                        self.player.weights[name][:] = weights

    @property
    def about(self) -> dict[str, Any]:
        """What there is to tell besides: how often it was given up, and how often wrongly; matches at the gate."""
        told: dict[str, Any] = {}
        if self.settings.resign > 0.0:
            for name in ("resigned", "watched", "mistaken"):
                told[name] = int(sum(r[name] for r in self._works))
        if self.settings.gate > 0:
            told |= {"matches": self._gated, "passed": self.passed}
        return told

    # ---- on paper

    def state(self) -> dict[str, Any]:
        return {**super().state(), "gated": self._gated, "passed": self.passed, "averaged": self._averaged}

    def memory(self) -> dict[str, Any]:
        playing = self.player.weights if self.settings.gate > 0 else {}
        means = {f"mean.{name}": each.copy() for name, each in self._means.items()}
        return {**super().memory(), **{f"player.{name}": each.copy() for name, each in playing.items()}, **means}

    def take_up(self, state: dict[str, Any], memory: dict[str, Any]) -> None:
        gated, passed, averaged = int(state["gated"]), int(state["passed"]), int(state.get("averaged", 0))
        means = {name: memory[f"mean.{name}"] for name in (self.model.weights if averaged else ())}
        for name, mean in means.items():
            if mean.shape != self.model.weights[name].shape or not np.isfinite(mean).all():
                raise ValueError(f"'mean.{name}' is not what it should be")
        if self.settings.gate > 0:
            for name, weights in self.player.weights.items():
                kept = memory[f"player.{name}"]
                if kept.shape != weights.shape or not np.isfinite(kept).all():
                    raise ValueError(f"'player.{name}' is not what it should be")
        super().take_up(state, memory)
        self._gated, self.passed, self._averaged, self._means = gated, passed, averaged, means
        if self.settings.gate > 0:
            for name, weights in self.player.weights.items():
                weights[:] = memory[f"player.{name}"]


def _half_range(game: Game) -> float:
    return 0.5 * (game.utility_range[1] - game.utility_range[0])


def _megabytes(settings: ZeroSettings) -> float:
    """Room for the tree of one search: every simulation makes the children of one node at most."""
    return max(4.0, settings.simulations * 256 * 80 / 1e6)


def zero(
    game: Game,
    model: DualNetwork | ConvolutionalNetwork,
    games: int,
    rate: float | Sequence[float] | None = None,
    progress: Callable[[Progress], None] | None = None,
    checkpoint: str | Path | None = None,
    every: float = 10.0,
    **settings: Any,
) -> Progress:
    """Train the model by games against itself, in place, each move searched; how far it came.

    `settings` are those of `ZeroSettings`, or of `BatchSettings` for a convolutional network; all else is as for `td`.
    """
    if isinstance(model, ConvolutionalNetwork):
        from counterplay.learn.zero_batches import train

        return train(game, model, games, rate, progress, checkpoint, every, **settings)
    for name in settings:
        if name not in ZeroSettings._fields:
            raise UserError(f"zero has no setting '{name}'; it has: {', '.join(ZeroSettings._fields)}")
    training = ZeroTraining(game, model, ZeroSettings(games, model.rates(rate), **settings))
    return go_on(training, "zero", progress, checkpoint, every)
