"""Monte Carlo tree search as a player uses it: settings, limits, threads, a tree that serves the next move, the result.

The algorithm is in `uct.py`, its memory in `tree.py`, what may be added to it in `variations.py`, and what a leaf is
worth in `leaf.py`.
"""

from __future__ import annotations

import contextvars
import time
from collections.abc import Sequence
from dataclasses import fields
from threading import Thread
from typing import Any

import numpy as np

from counterplay.game import CHANCE, Game, UserError
from counterplay.primitives import mix64, state_key
from counterplay.search.leaf import Evaluator, ask
from counterplay.search.limits import Limits
from counterplay.search.repetition import PAST
from counterplay.search.result import ActionValue, Result
from counterplay.search.run import Progress, run, with_line
from counterplay.search.suited import for_each_player, must_be_open
from counterplay.search.tree import MOST_CHILDREN, Memory, keep_below, locate, new_workspace, unpack
from counterplay.search.tree_settings import TreeSettings
from counterplay.search.uct import absorb, gather, simulate
from counterplay.search.variations import highest, new_variations, sections_for

__all__ = ["TreeSearcher", "TreeSettings", "mcts"]

DEFAULT_SIMULATIONS = 10_000
_NO_LIMIT = (1 << 62) - 1
_POLL_SECONDS = 0.005
_NOISE = 0.25  # the share of Dirichlet noise in the priors at the root (Silver et al. 2017)


def mcts(
    game: Game,
    s: Any = None,
    simulations: int | None = None,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    memory_mb: float = 256,
    seed: int = 0,
    threads: int = 1,
    parallel: str = "tree",
    exploration: float = 1.0,
    solver: bool = False,
    rave: float | None = None,
    bias: float | None = None,
    widening: float | None = None,
    minimax: float | None = None,
    cutoff: int | None = None,
    guide: float | None = None,
    puct: float | None = None,
    fpu: float | None = None,
    evaluator: Evaluator | None = None,
    batch: int = 16,
    noise: float | None = None,
    temperature: float = 0.0,
    history: Sequence[Any] = (),
    progress: Progress | None = None,
) -> Result:
    """The best move at `s` (default: the initial state) by simulations: so many, or as the limits allow, or 10,000.

    For any number of players, each out for itself, and with chance. Plain UCT unless told otherwise; `TreeSettings`
    says what each setting is and where it comes from, docs/mcts.md what it is worth. With one thread the same seed
    gives the same tree. `history` has the states before `s`, for games in which a repetition is a draw.
    """
    given = locals()
    settings = TreeSettings(**{f.name: given[f.name] for f in fields(TreeSettings)})
    return TreeSearcher(game, settings).search(s, simulations, Limits(None, None, nodes, seconds), progress, history)


class TreeSearcher:
    """A tree search that remembers: after a move and a reply the tree below serves on."""

    def __init__(self, game: Game, settings: TreeSettings | None = None) -> None:
        must_be_open(game, "mcts")
        self.game, self.settings = game, settings or TreeSettings()
        given = self.settings.variations(game)
        trees = self.settings.threads if self.settings.parallel == "root" else 1
        sections = sections_for(game, given)
        self.memories = [Memory(game, self.settings.memory_mb / trees, sections) for _ in range(trees)]
        self._root: Any = None  # the state at the root of the trees
        self._is_warm = False
        self._random = np.random.default_rng(self.settings.seed)
        half = 0.5 * (game.utility_range[1] - game.utility_range[0])
        self._threads = []
        for i in range(self.settings.threads):
            memory = self.memories[i % trees]
            w = new_workspace(game, memory, mix64(self.settings.seed) + i)
            w.exploration = self.settings.exploration * half
            w.shared = (self.settings.threads > trees) or self.settings.evaluator is not None
            self._threads.append((w, new_variations(game, memory, given)))

    def search(
        self,
        s: Any = None,
        simulations: int | None = None,
        limits: Limits | None = None,
        progress: Progress | None = None,
        history: Sequence[Any] = (),
    ) -> Result:
        """Search from `s`, with what is remembered of earlier searches."""
        game, limits = self.game, limits or Limits()
        s = game.initial() if s is None else s
        if simulations is not None and simulations < 1:
            raise UserError(f"a search has 1 simulation or more, not {simulations}")
        if simulations is None and not limits.is_anytime and not self.settings.solver:
            simulations = DEFAULT_SIMULATIONS
        if game.is_terminal(s):
            return self._over(s)
        self._warm_up(s)
        began = time.perf_counter()
        self._move_root(s)
        self._prepare(s, simulations or _NO_LIMIT, limits.nodes or _NO_LIMIT, history)
        first = self._threads[0][0]
        before = [int(w.simulations) for w, _ in self._threads]
        run(lambda: self._work(s), first, progress, limits.seconds)
        if any(w.too_wide for w, _ in self._threads):
            raise UserError(
                f"{game} has more than {MOST_CHILDREN:,} moves in a position, which is more than mcts takes"
            )
        done = sum(int(w.simulations) for w, _ in self._threads) - sum(before)
        seconds = time.perf_counter() - began
        return self._result(s, done, simulations, limits, seconds)

    def forget(self) -> None:
        """Begin the next search with nothing, in the same memory."""
        self._root = None

    def _over(self, s: Any) -> Result:
        """The result of a game that is over."""
        values = tuple(float(self.game.utility(s, p)) for p in range(self.game.players))
        settings = self.settings.given()
        return Result(self.game, s, "mcts", None, values[0], values, (), (), 1, 0, 0.0, True, "solved", settings)

    def _warm_up(self, s: Any) -> None:
        """Compile, outside the clock."""
        w, x = self._threads[0]
        if self.settings.evaluator is None:
            w.most_simulations = w.simulations
            simulate(self.game, s, w, x)
        elif self._root is None and not self._is_warm:
            self._is_warm = True
            memory = Memory(self.game, 0.1, self.memories[0].sections)
            w = new_workspace(self.game, memory, 0)
            w.shared = 1
            x = new_variations(self.game, memory, self.settings.variations(self.game))
            _begin(self.game, memory)
            absorb(self.game, gather(self.game, s, w, x), np.zeros(0), w, x)

    def _move_root(self, s: Any) -> None:
        """Keep what the trees have below `s`, if it is a few plies from the old root; else begin anew."""
        game = self.game
        plies = game.players * (2 if game.chance else 1)
        for i, memory in enumerate(self.memories):
            w = self._threads[i][0]
            node = -1 if self._root is None else locate(game, self._root, state_key(s), 0, plies, w)
            if node < 0:
                memory.clear()
                _begin(game, memory)
            elif node > 0:
                addresses = [memory.address_of(name) for name in memory.sections]
                keep_below(game, node, w, np.array(addresses, np.int64))
        self._root = s

    def _prepare(self, s: Any, simulations: int, nodes: int, history: Sequence[Any]) -> None:
        """Set every thread's counters, limits, and the past that repetitions are looked for in."""
        game, n = self.game, len(self._threads)
        earlier = history[-min(PAST, game.reversible(s)) :] if game.knows.reversible and game.reversible(s) else ()
        for i, (w, _) in enumerate(self._threads):
            w.stop = w.deepest = w.full = w.solved = 0
            w.nodes = 1 if i == 0 else 0
            w.most_simulations = w.simulations + (simulations + n - 1 - i) // n
            w.most_nodes = (nodes + n - 1 - i) // n
            if game.knows.reversible:
                w.path[: len(earlier) + 1] = [game.key(each) for each in (*earlier, s)]
                w.past = len(earlier)

    def _work(self, s: Any) -> None:
        """Simulate in all threads until each has what it may, or the first is told to stop."""
        if self.settings.noise is not None:
            self._add_noise(s)
        first, *others = self._threads
        failures: list[BaseException] = []

        def help_out(w: Any, x: Any) -> None:
            try:
                simulate(self.game, s, w, x)
            except BaseException as error:
                failures.append(error)

        helpers = []
        for each in others:
            context = contextvars.copy_context()
            helpers.append(Thread(target=context.run, args=(help_out, *each), daemon=True))
        for helper in helpers:
            helper.start()
        try:
            if self.settings.evaluator is None:
                simulate(self.game, s, *first)
            else:
                self._simulate_in_batches(s, self.settings.evaluator)
            while any(helper.is_alive() for helper in helpers) and not first[0].stop and not first[0].solved:
                helpers[-1].join(_POLL_SECONDS)
                helpers.sort(key=Thread.is_alive)
        finally:
            for w, _ in others:
                w.stop = 1
            for helper in helpers:
                helper.join()
        if failures:
            raise failures[0]

    def _simulate_in_batches(self, s: Any, evaluator: Evaluator, most: int | None = None) -> None:
        """Collect leaves, a visit that looks like a loss on each, have them weighed together, and back them up."""
        game, (w, x) = self.game, self._threads[0]
        end = int(w.most_simulations) if most is None else int(w.simulations) + most
        while w.simulations < end and w.nodes < w.most_nodes and not w.stop and not w.solved:
            pending: list[tuple[Any, Any, Any]] = []
            leaves: set[int] = set()
            while len(pending) < min(self.settings.batch, end - w.simulations) and not w.solved:
                leaf = gather(game, s, w, x)
                if not w.settled:
                    ply = int(w.ply)
                    pending.append((leaf, w.walk[: ply + 1].copy(), w.chooser[: ply + 1].copy()))
                    if int(w.walk[ply]) in leaves:  # no use in asking for more of the same
                        break
                    leaves.add(int(w.walk[ply]))
            if not pending:
                continue
            opinions = ask(evaluator, game, [leaf for leaf, _, _ in pending])
            for (leaf, walk, chooser), (priors, values) in zip(pending, opinions, strict=True):
                w.ply = len(walk) - 1
                w.walk[: len(walk)], w.chooser[: len(walk)] = walk, chooser
                w.value[: len(values)] = values
                absorb(game, leaf, np.zeros(0) if priors is None else priors, w, x)

    def _add_noise(self, s: Any) -> None:
        """Mix noise into the priors at every root, once it has children."""
        for i, memory in enumerate(self.memories):
            w, x = self._threads[i]
            if memory.links[0] == 0 and self.settings.evaluator is not None:
                self._simulate_in_batches(s, self.settings.evaluator, 1)
            elif memory.links[0] == 0:
                most, w.most_simulations = w.most_simulations, w.simulations + 2
                simulate(self.game, s, w, x)
                w.most_simulations = most
            children = memory.children(0)
            if children and self.game.player(s) != CHANCE:
                noise = self._random.dirichlet(np.full(len(children), self.settings.noise))
                priors = memory.section("prior")[children.start : children.stop]
                priors *= 1.0 - _NOISE
                priors += _NOISE * noise

    # ---- what was found

    def _result(self, s: Any, done: int, simulations: int | None, limits: Limits, seconds: float) -> Result:
        game, first = self.game, self._threads[0][0]
        root = _Root(game, s, self.memories)
        best = None if root.p == CHANCE else self._decide(root)
        values = root.values if best is None else best.values
        line = () if best is None else self._line(s, best.action)
        solved = any(bool(w.solved) for w, _ in self._threads)
        nodes = sum(int(w.nodes) for w, _ in self._threads)
        if solved:
            stopped = "solved"
        elif simulations is not None and done >= simulations:
            stopped = "simulations"
        elif limits.nodes is not None and nodes >= limits.nodes:
            stopped = "nodes"
        else:
            stopped = "seconds" if limits.seconds is not None and seconds >= limits.seconds else "interrupted"
        asked = {"simulations": simulations} if simulations is not None else {}
        return Result(
            game=game,
            state=s,
            algorithm="mcts",
            action=None if best is None else best.action,
            value=values[0],
            values=values,
            line=line,
            actions=with_line(tuple(root.actions), line),
            nodes=nodes,
            depth=max(int(w.deepest) for w, _ in self._threads),
            seconds=seconds,
            exact=solved,
            stopped=stopped,
            settings={
                "limits": {**asked, **limits.given()},
                **self.settings.given(),
                "simulations": done,
                "tree_nodes": sum(memory.used for memory in self.memories),
                "tree_is_full": bool(first.full),
            },
        )

    def _decide(self, root: _Root) -> ActionValue:
        """The move most visited, unless one is proven to be better than it seems; or by chance, as its visits."""
        visits = np.array([each.visits for each in root.actions], np.float64)
        if self.settings.temperature > 0 and visits.any():
            weights = (visits / visits.max()) ** (1.0 / self.settings.temperature)
            return root.actions[int(self._random.choice(len(visits), p=weights / weights.sum()))]
        return root.best()

    def _line(self, s: Any, a: int) -> tuple[int, ...]:
        """The moves most visited, one after the other, as far as the first tree goes; dice end it."""
        game, memory = self.game, self.memories[0]
        line, node = [a], 0
        while True:
            actions = {int(memory.actions[child]): child for child in memory.children(node)}
            node = actions.get(a, 0)
            s = game.result(s, a)
            if node == 0 or not memory.children(node) or unpack(int(memory.links[node])).player == CHANCE:
                return tuple(line)
            root = _Root(game, s, [memory], node)
            if not any(each.visits for each in root.actions):
                return tuple(line)
            a = root.best().action
            line.append(a)


def _begin(game: Game, memory: Memory) -> None:
    """A root of which nothing is proven."""
    if "low" in memory.sections:
        memory.section("low")[0], memory.section("high")[0] = game.utility_range[0], highest(game)


class _Root:
    """What trees say of a node: in each it is number `node`, its state is `s`."""

    def __init__(self, game: Game, s: Any, memories: list[Memory], node: int = 0) -> None:
        self.game, self.p = game, int(game.player(s))
        tallies: dict[int, tuple[int, Any]] = {}
        bounds: dict[int, tuple[float, float]] = {}
        for memory in memories:
            children = memory.children(node)
            rows = slice(children.start, children.stop)
            every = zip(memory.actions[rows].tolist(), memory.visits[rows].tolist(), memory.totals[rows], strict=True)
            for a, n, total in every:
                visits, totals = tallies.get(a, (0, 0.0))
                tallies[a] = visits + n, totals + total
            if "low" in memory.sections:
                found = (memory.actions, memory.section("low"), memory.section("high"))
                for a, low, high in zip(*(each[rows].tolist() for each in found), strict=True):
                    least, most = bounds.get(a, (-np.inf, np.inf))
                    bounds[a] = max(low, least), min(high, most)
        self.bounds = bounds
        self.actions = [self._action(int(a), tallies.get(int(a), (0, 0.0)), bounds) for a in game.actions(s)]
        visits = sum(int(memory.visits[node]) for memory in memories)
        totals = sum(memory.totals[node] for memory in memories)
        mean = for_all(game, totals / max(visits, 1))
        if self.p == CHANCE and all(each.visits for each in self.actions):
            odds = [game.probability(s, each.action) for each in self.actions]
            each_player = zip(*(each.values for each in self.actions), strict=True)
            mean = tuple(float(sum(o * v for o, v in zip(odds, theirs, strict=True))) for theirs in each_player)
        self.values = mean

    def _action(self, a: int, tally: tuple[int, Any], bounds: dict[int, tuple[float, float]]) -> ActionValue:
        """An action with its mean, within what is proven of it; one never tried as the best it could be."""
        game, (visits, totals) = self.game, tally
        low, high = bounds.get(a, (-np.inf, np.inf))
        if visits:
            values = for_all(game, totals / visits)
        elif game.players == 2 and game.zero_sum:
            values = for_each_player(game, highest(game) if self.p == 0 else float(game.utility_range[0]))
        else:
            values = (float(game.utility_range[1]),) * game.players
        if a in bounds:
            values = for_each_player(game, min(max(values[0], low), high))
        return ActionValue(a, values[0], low == high, values, visits)

    def best(self) -> ActionValue:
        """The action most visited, of equals the better: of those that may be better than what is sure, if it seems so.

        A loss that is proven is not taken while there is something else: the other player may not see it.
        """
        p = self.p
        sure = max(self.actions, key=lambda each: (self._sure(each), each.visits))
        enough = self._sure(sure)
        open_ = [each for each in self.actions if self._most(each) > enough]
        if not open_:
            return sure
        best = max(open_, key=lambda each: (each.visits, each.values[p]))
        return best if best.values[p] > enough or enough == self.game.utility_range[0] else sure

    def _sure(self, each: ActionValue) -> float:
        """What the player to move is sure to get by an action."""
        low, high = self.bounds.get(each.action, (-np.inf, np.inf))
        return low if self.p == 0 else self.game.utility_sum - high

    def _most(self, each: ActionValue) -> float:
        """What the player to move can get by an action at most."""
        low, high = self.bounds.get(each.action, (-np.inf, np.inf))
        return high if self.p == 0 else self.game.utility_sum - low


def for_all(game: Game, kept: Any) -> tuple[float, ...]:
    """The value for each player, from those that a tree keeps."""
    return for_each_player(game, float(kept[0])) if len(kept) == 1 else tuple(float(v) for v in kept)
