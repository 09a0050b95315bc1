"""Monte Carlo tree search as a player uses it: settings, limits, threads, a tree that serves the next move, the result.

The algorithm is in `uct.py`, its memory in `nodes.py`, what may be added to it in `variations.py`, and what a leaf is
worth in `leaf.py`.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np

from counterplay.core.errors import EndlessGame
from counterplay.core.game import CHANCE, Game, UserError
from counterplay.core.primitives import mix64, state_key
from counterplay.search.engine import Abilities, Engine, Request, of_position, why_stopped, with_line
from counterplay.search.limits import Limits
from counterplay.search.mcts.leaf import Evaluator, ask
from counterplay.search.mcts.nodes import MOST_CHILDREN, NodeStore, keep_below, locate, new_workspace, unpack
from counterplay.search.mcts.settings import TreeSettings
from counterplay.search.mcts.uct import absorb, gather, simulate
from counterplay.search.mcts.variations import highest, new_variations, sections_for
from counterplay.search.playout import MOST_PLIES
from counterplay.search.repetition import set_past
from counterplay.search.result import ActionValue, Result
from counterplay.search.run import NO_LIMIT, Helpers, Progress, run
from counterplay.search.suited import for_each_player

__all__ = ["MonteCarlo", "TreeSettings", "mcts"]

DEFAULT_SIMULATIONS = 10_000
_NOISE = 0.25  # the share of Dirichlet noise in the priors at the root (Silver et al. 2017)


@of_position
def mcts(
    game: Game,
    /,
    s: Any = None,
    simulations: int | None = None,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    history: Sequence[Any] = (),
    progress: Progress | None = None,
    **settings: Any,
) -> Result:
    """The best move at `s` (default: the initial state) by simulations: so many, or as the limits allow, or 10,000.

    For any number of players, each out for itself, and with chance. Plain UCT unless told otherwise; `TreeSettings`
    says what each setting is and where it comes from, docs/mcts.md what it is worth. With one thread the same seed
    gives the same tree. `history` has the states before `s`, for games in which a repetition is a draw.
    """
    limits = Limits(nodes=nodes, seconds=seconds, simulations=simulations)
    return MonteCarlo(game, **settings).search(s, limits, history=history, progress=progress)


def _with_settings(function: Any) -> inspect.Signature:
    """The signature of a function with every setting by its name, for `help` and for those who complete names."""
    known = inspect.signature(function)
    plain = [each for each in known.parameters.values() if each.kind is not each.VAR_KEYWORD]
    settings = [
        inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type)
        for each in fields(TreeSettings)
    ]
    return known.replace(parameters=[*plain, *settings])


mcts.__signature__ = _with_settings(mcts)  # type: ignore[attr-defined]


class MonteCarlo(Engine):
    """Monte Carlo tree search as an engine: after a move and a reply the tree below serves on.

    `settings` are those of `TreeSettings`.
    """

    name = "mcts"
    abilities = Abilities(
        limits=("simulations", "nodes", "seconds"),
        needs_limit=False,
        every_value=True,
        history=True,
        seed=True,
        threads=True,
        many_players=True,
    )

    def __init__(self, game: Game, **settings: Any) -> None:
        super().__init__(game)
        for name in settings:
            if name not in self.setting_names():
                raise UserError(f"mcts has no setting '{name}'; it has: {', '.join(self.setting_names())}")
        self.settings = TreeSettings(**settings)
        given = self.settings.variations(game)
        trees = self.settings.threads if self.settings.parallel == "root" else 1
        sections = sections_for(game, given)
        self.trees = [NodeStore(game, self.settings.memory_mb / trees, sections) for _ in range(trees)]
        self._root: Any = None  # the state at the root of the trees
        self._is_warm = False
        self._before = 0  # simulations before the search that goes on
        self._threads = []
        self._rooms: list[Any] = []  # the memory of playouts that are played many at once
        for i in range(self.settings.threads):
            memory = self.trees[i % trees]
            w = new_workspace(game, memory, 0)
            w.exploration = self.settings.exploration * _half_range(game)
            w.shared = (self.settings.threads > trees) or self.settings.evaluator is not None
            x = new_variations(game, memory, given)
            if self.settings.wide:
                self._rooms.append(np.zeros(game.playout_words, np.int64))
                x.room = self._rooms[-1].ctypes.data
            self._threads.append((w, x))
        self._tallies = [w for w, _ in self._threads]
        self.new_game(self.settings.seed)

    @classmethod
    def setting_names(cls) -> tuple[str, ...]:
        return tuple(each.name for each in fields(TreeSettings))

    def new_game(self, seed: int | None = None) -> None:
        self._root = None  # the next search begins with nothing, in the same memory
        if seed is not None:
            self._random = np.random.default_rng(seed)
            for i, w in enumerate(self._tallies):
                w.counter = mix64(mix64(seed) + i) >> 2

    def _answer(self, request: Request, progress: Progress | None) -> Result:
        game, s, limits = self.game, request.state, request.limits
        simulations = limits.simulations
        if simulations is None and not limits.is_anytime and not self.settings.solver:
            simulations = DEFAULT_SIMULATIONS
        if game.is_terminal(s):
            return self._over(s)
        self._warm_up(s)
        began = time.perf_counter()
        self._move_root(s)
        self._prepare(s, simulations or NO_LIMIT, limits.nodes or NO_LIMIT, request.history)
        self._before = before = self._simulations
        run(lambda: self._work(s), self._tally, progress, limits.seconds)
        if any(w.too_wide for w in self._tallies):
            raise UserError(
                f"{game} has more than {MOST_CHILDREN:,} moves in a position, which is more than mcts takes"
            )
        if any(w.endless for w in self._tallies):
            raise EndlessGame(
                f"a random game of {game} did not end within {MOST_PLIES:,} plies; try --set cutoff=100, by `evaluate`"
            )
        done = self._simulations - before
        return self._result(request, done, simulations, time.perf_counter() - began)

    @property
    def _simulations(self) -> int:
        """All of this engine, in every thread."""
        return sum(int(w.simulations) for w in self._tallies)

    def lead(self) -> float | None:
        done = self._simulations - self._before
        if done <= 0 or self.settings.temperature > 0 or self._root is None:
            return None
        visits = [0, *sorted(each.visits for each in _Root(self.game, self._root, self.trees).actions)]
        return (visits[-1] - visits[-2]) / done

    def _over(self, s: Any) -> Result:
        """The result of a game that is over."""
        values = tuple(float(self.game.utility(s, p)) for p in range(self.game.players))
        settings = self.settings.given()
        return Result(self.game, s, "mcts", None, values[0], values, (), (), 1, 0, 0.0, True, "solved", settings, 0)

    def _warm_up(self, s: Any) -> None:
        """Compile, outside the clock."""
        w, x = self._threads[0]
        if self.settings.evaluator is None:
            w.most_simulations = w.simulations
            simulate(self.game, s, w, x)
        elif self._root is None and not self._is_warm:
            self._is_warm = True
            memory = NodeStore(self.game, 0.1, self.trees[0].sections)
            w = new_workspace(self.game, memory, 0)
            w.shared = 1
            x = new_variations(self.game, memory, self.settings.variations(self.game))
            _begin(self.game, memory)
            absorb(self.game, gather(self.game, s, w, x), np.zeros(0), w, x)

    def _move_root(self, s: Any) -> None:
        """Keep what the trees have below `s`, if it is a few plies from the old root; else begin anew."""
        game = self.game
        plies = game.players * (2 if game.chance else 1)
        for i, memory in enumerate(self.trees):
            w = self._threads[i][0]
            node = -1 if self._root is None else locate(game, self._root, state_key(s), 0, plies, w)
            if node < 0:
                memory.clear()
                _begin(game, memory)
            elif node > 0:
                addresses = [memory.address_of(name) for name in memory.sections]
                keep_below(game, node, w, np.array(addresses, np.int64))
                _reopen(game, s, memory)
        self._root = s

    def _prepare(self, s: Any, simulations: int, nodes: int, history: Sequence[Any]) -> None:
        """Set every thread's counters, limits, and the past that repetitions are looked for in."""
        game, n = self.game, len(self._threads)
        for i, (w, _) in enumerate(self._threads):
            w.deepest = w.full = w.solved = w.too_wide = w.endless = 0
            w.nodes = 1 if i == 0 else 0
            w.most_simulations = w.simulations + (simulations + n - 1 - i) // n
            w.most_nodes = (nodes + n - 1 - i) // n
            if game.knows.reversible:
                set_past(game, s, history, w)
        for memory in self.trees:
            for thoughts in memory.thoughts:
                thoughts.forget()

    def _work(self, s: Any) -> None:
        """Simulate in all threads until each has what it may, or the first is told to stop."""
        if self.settings.noise is not None:
            self._add_noise(s)
        (w, x), *others = self._threads
        with Helpers([partial(simulate, self.game, s, *each) for each in others], self.stop) as helpers:
            helpers.start()
            if self.settings.evaluator is None:
                simulate(self.game, s, w, x)
            else:
                self._simulate_in_batches(s, self.settings.evaluator)
            helpers.wait(lambda: bool(w.stop or w.solved))

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
        for i, memory in enumerate(self.trees):
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

    def _result(self, request: Request, done: int, simulations: int | None, seconds: float) -> Result:
        game, first = self.game, self._threads[0][0]
        s, limits = request.state, request.limits
        root = _Root(game, s, self.trees, only=request.only)
        best = None if root.p == CHANCE else self._decide(root)
        values = root.values if best is None else best.values
        line = () if best is None else self._line(s, best.action)
        solved = any(bool(w.solved) for w, _ in self._threads)
        nodes = sum(int(w.nodes) for w, _ in self._threads)
        if solved:
            stopped = "solved"
        elif simulations is not None and done >= simulations:
            stopped = "simulations"
        else:
            stopped = why_stopped(limits, nodes, seconds)
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
            proven=best.proven if best is not None and request.only else solved,
            stopped=stopped,
            simulations=done,
            settings={
                "limits": {**asked, **limits.given()},
                **self.settings.given(),
                "tree_nodes": sum(memory.used for memory in self.trees),
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
        game, memory = self.game, self.trees[0]
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


def _begin(game: Game, memory: NodeStore) -> None:
    """A root of which nothing is proven."""
    if "low" in memory.sections:
        memory.section("low")[0], memory.section("high")[0] = game.utility_range[0], highest(game)


def _reopen(game: Game, s: Any, memory: NodeStore) -> None:
    """Of the new root only what its moves prove counts: what the game knew of it beforehand names no move."""
    children, p = memory.children(0), game.player(s)
    if "low" in memory.sections and p != CHANCE:
        _begin(game, memory)
        if children:
            best = max if p == 0 else min
            for name in ("low", "high"):
                bounds = memory.section(name)
                bounds[0] = best(bounds[children.start : children.stop])


def _half_range(game: Game) -> float:
    """Half of what lies between the least and the greatest utility: the unit of the settings."""
    return 0.5 * (game.utility_range[1] - game.utility_range[0])


class _Root:
    """What trees say of a node: in each it is number `node`, its state is `s`."""

    def __init__(
        self, game: Game, s: Any, memories: list[NodeStore], node: int = 0, only: frozenset[int] = frozenset()
    ) -> None:
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
        actions = [a for a in map(int, game.actions(s)) if not only or a in only]
        self.actions = [self._action(a, tallies.get(a, (0, 0.0)), bounds) for a in actions]
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
        return ActionValue(a, values[0], visits > 0 or low == high, values, low == high, visits=visits)

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
