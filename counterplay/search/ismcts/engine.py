"""Searches that imagine what is hidden, as a player uses them: `ismcts`, and `pimc`, the simple one to compare with.

The algorithm is in `kernel.py`, what may be hidden in `worlds.py`. docs/hidden.md says what they are worth: they need
no strategy for the whole game, but never learn to bluff as often as is right.
"""

from __future__ import annotations

import time
from typing import Any

from counterplay.core.errors import EndlessGame
from counterplay.core.game import CHANCE, Game, UserError
from counterplay.core.randomness import new_random, seed_at, unit
from counterplay.search.engine import Abilities, Engine, Request, of_position, why_stopped
from counterplay.search.ismcts.kernel import ALL, EACH, Edges, begin, edge_of, new_edges, new_work, node_key, simulate
from counterplay.search.ismcts.worlds import imagine, worlds_of
from counterplay.search.limits import Limits
from counterplay.search.playout import MOST_PLIES
from counterplay.search.result import ActionValue, Result, Unsuited
from counterplay.search.run import NO_LIMIT, Progress, run
from counterplay.search.suited import for_each_player, some_actions

__all__ = ["Determinised", "InformationSets", "ismcts", "pimc"]

DEFAULT_SIMULATIONS = 10_000
_EDGE_BYTES = 32
_EDGES_EACH = 16  # that a simulation adds, at most but for strange games
_DRAWN = 1_000  # states that are imagined, if it takes as long as a few simulations
OBSERVERS = ("one", "each")


class _Imagining(Engine):
    """What both searches are: simulations of states that the player may be in, and the mean of each move."""

    abilities = Abilities(
        limits=("simulations", "nodes", "seconds"), needs_limit=False, every_value=True, seed=True, hidden=True
    )

    def __init__(self, game: Game, exploration: float, seed: int) -> None:
        super().__init__(game)
        if not 0.0 <= exploration < 1e6:
            raise UserError(f"exploration is a number from 0, not {exploration}")
        self.exploration, self.seed = exploration, seed
        self._asked = 0
        self._tallies = [new_work()]

    @classmethod
    def must_suit(cls, game: Game) -> None:
        if game.perfect_information:
            raise Unsuited(f"{cls.name} is for games with something hidden; {game} hides nothing: use mcts")
        if game.players != 2 or not game.zero_sum:
            raise Unsuited(f"{cls.name} is for two opponents with opposite utilities; {game} is not such a game")

    def new_game(self, seed: int | None = None) -> None:
        if seed is not None:
            self.seed, self._asked = seed, 0

    def _answer(self, request: Request, progress: Progress | None) -> Result:
        game, s, limits = self.game, request.state, request.limits
        if game.is_terminal(s):
            values = tuple(float(game.utility(s, p)) for p in range(2))
            return Result(game, s, self.name, None, values[0], values, (), (), 1, 0, 0.0, True, "solved", {}, 0)
        simulations = limits.simulations
        if simulations is None and not limits.is_anytime:
            simulations = DEFAULT_SIMULATIONS
        p, w = int(game.player(s)), self._tally
        found = _Found(game, s, p, request.only)
        self._prepare(s, p, simulations, limits)
        began = time.perf_counter()
        run(lambda: self._work(s, p, found), w, progress, limits.seconds)
        if w.endless:
            raise EndlessGame(f"a random game of {game} did not end within {MOST_PLIES:,} plies")
        done, nodes, seconds = int(w.simulations), int(w.nodes) + 1, time.perf_counter() - began
        best = None if p == CHANCE else found.best()
        values = for_each_player(game, float(w.total) / max(done, 1)) if best is None else best.values
        is_done = simulations is not None and done >= simulations
        asked = {"simulations": simulations} if simulations is not None else {}
        return Result(
            game=game,
            state=s,
            algorithm=self.name,
            action=None if best is None else best.action,
            value=values[0],
            values=values,
            line=() if best is None else (best.action,),
            actions=tuple(found.actions),
            nodes=nodes,
            depth=int(w.deepest),
            seconds=seconds,
            proven=False,
            stopped="simulations" if is_done else why_stopped(limits, nodes, seconds),
            simulations=done,
            settings={"limits": {**asked, **limits.given()}, **self._settings()},
        )

    def _prepare(self, s: Any, p: int, simulations: int | None, limits: Limits) -> None:
        """Begin anew, and compile outside the clock; what was imagined before a move is no longer so."""
        low, high = self.game.utility_range
        room, w = self._room(simulations), self._tally
        self._edges = new_edges(room)
        begin(w, self._whose(p), room, self.exploration, 0.5 * (high - low), seed_at(self.seed, self._asked))
        self._asked += 1
        simulate(self.game, s, p, self._edges, w)
        w.most_simulations, w.most_nodes = simulations or NO_LIMIT, limits.nodes or NO_LIMIT

    def _whose(self, p: int) -> int:
        """Whose information makes the tree."""
        raise NotImplementedError

    def _room(self, simulations: int | None) -> int:
        """For how many edges, a power of two."""
        raise NotImplementedError

    def _settings(self) -> dict[str, Any]:
        raise NotImplementedError

    def _work(self, s: Any, p: int, found: _Found) -> None:
        """Simulate, and write down what was found."""
        raise NotImplementedError


class InformationSets(_Imagining):
    """Information-set Monte Carlo tree search as an engine.

    `observer=one` is the single-observer tree of Cowling et al. 2012, in which the others act on what the player at the
    root knows; with `each` everybody acts on what he knows himself, which takes many more simulations in a large game.
    With a `temperature` the move is drawn by its visits to the power of 1 / temperature, as one bluffs; without it is
    the one most visited.
    """

    name = "ismcts"

    def __init__(
        self,
        game: Game,
        *,
        exploration: float = 1.0,
        observer: str = "one",
        temperature: float = 0.0,
        memory_mb: float = 64.0,
        seed: int = 0,
    ) -> None:
        super().__init__(game, exploration, seed)
        if observer not in OBSERVERS:
            raise UserError(f"there is no observer '{observer}'; there are: {', '.join(OBSERVERS)}")
        if not 0.0 <= temperature < 1e6:
            raise UserError(f"a temperature is a number from 0, not {temperature}")
        if not 0.01 <= memory_mb <= 1e6:
            raise UserError(f"memory_mb is 0.01 or more, not {memory_mb}")
        self.observer, self.temperature, self.memory_mb = observer, temperature, memory_mb

    def _whose(self, p: int) -> int:
        return EACH if self.observer == "each" or p == CHANCE else p

    def _room(self, simulations: int | None) -> int:
        most = max(64, int(self.memory_mb * 2**20) // _EDGE_BYTES)
        wanted = most if simulations is None else min(most, _EDGES_EACH * simulations + 64)
        return 1 << (wanted.bit_length() - 1)

    def _settings(self) -> dict[str, Any]:
        about = {"exploration": self.exploration, "observer": self.observer, "temperature": self.temperature}
        return {**about, "seed": self.seed}

    def _work(self, s: Any, p: int, found: _Found) -> None:
        game, w = self.game, self._tally
        if p == CHANCE or game.knows.sample_state:
            simulate(game, s, p, self._edges, w)
        else:
            worlds, end = worlds_of(game, s, p), int(w.most_simulations)
            each = 1 + min(end, DEFAULT_SIMULATIONS) // _DRAWN
            while w.simulations < end and w.nodes < w.most_nodes and not w.stop:
                w.most_simulations = min(end, int(w.simulations) + each)
                simulate(game, worlds.draw(w), p, self._edges, w)
        if p != CHANCE:
            found.add(self._edges, node_key(game, s, p, int(w.whose)), float(w.simulations))
            if self.temperature > 0.0:
                found.draw(self.temperature, unit(new_random(int(w.counter))))


class Determinised(_Imagining):
    """Perfect-information Monte Carlo: each of many imagined states is searched as if everybody saw everything.

    The simple way, to compare with (Ginsberg 2001, for bridge). A move's value is its mean over all imagined states,
    each with `world_simulations` simulations: so who plays by it believes that he will know tomorrow what is hidden
    today (strategy fusion: Frank and Basin 1998).
    """

    name = "pimc"

    def __init__(self, game: Game, *, exploration: float = 1.0, world_simulations: int = 100, seed: int = 0) -> None:
        super().__init__(game, exploration, seed)
        if not isinstance(world_simulations, int) or world_simulations < 1:
            raise UserError(f"an imagined state is searched by 1 simulation or more, not {world_simulations}")
        self.world_simulations = world_simulations

    def _whose(self, p: int) -> int:
        return ALL

    def _room(self, simulations: int | None) -> int:
        each = min(self.world_simulations, simulations or self.world_simulations)
        return 1 << (_EDGES_EACH * each + 64).bit_length()

    def _settings(self) -> dict[str, Any]:
        return {"exploration": self.exploration, "world_simulations": self.world_simulations, "seed": self.seed}

    def _work(self, s: Any, p: int, found: _Found) -> None:
        game, w = self.game, self._tally
        end, w.imagines = int(w.most_simulations), 0
        while w.simulations < end and w.nodes < w.most_nodes and not w.stop:
            world = s if p == CHANCE else imagine(game, s, p, w)
            w.most_simulations = min(end, int(w.simulations) + self.world_simulations)
            simulate(game, world, p, self._edges, w)
            if p != CHANCE:
                found.add(self._edges, node_key(game, world, p, ALL), 1.0)
            for array in self._edges:
                array[:] = 0
            w.used = w.full = 0


class _Found:
    """What is known of the moves at the root: visits, and the mean of what trees say."""

    def __init__(self, game: Game, s: Any, p: int, only: frozenset[int]) -> None:
        self._game, self._p = game, p
        self._moves = [a for a in some_actions(game, s) if not only or a in only] if p != CHANCE else []
        self._visits = dict.fromkeys(self._moves, 0)
        self._total = dict.fromkeys(self._moves, 0.0)
        self._weight = dict.fromkeys(self._moves, 0.0)
        self._drawn: int | None = None

    def add(self, edges: Edges, node: int, weight: float) -> None:
        """What a tree says of them, which counts so much."""
        for a in self._moves:
            i = edge_of(edges, node, a)
            if n := int(edges.visits[i]):
                self._visits[a] += n
                self._total[a] += weight * float(edges.total[i]) / n
                self._weight[a] += weight

    @property
    def actions(self) -> list[ActionValue]:
        """Every move with its mean; one that was never tried as the best it could be."""
        most, found = self._game.utility_range[1], []
        for a in self._moves:
            n = self._visits[a]
            values = self._values(self._total[a] / self._weight[a] if n else most)
            found.append(ActionValue(a, values[0], n > 0, values, visits=n))
        return found

    def best(self) -> ActionValue:
        """The move most visited, of equals the better; or the one that was drawn."""
        if self._drawn is not None:
            return next(each for each in self.actions if each.action == self._drawn)
        return max(self.actions, key=lambda each: (each.visits, each.values[self._p]))

    def draw(self, temperature: float, x: float) -> None:
        """Take a move by its visits instead; `x` is from 0 to 1."""
        most = max(1, *self._visits.values())
        weights = [(self._visits[a] / most) ** (1.0 / temperature) for a in self._moves]
        rest = x * sum(weights)
        for a, weight in zip(self._moves, weights, strict=True):
            self._drawn = a
            rest -= weight
            if rest < 0.0:
                break

    def _values(self, v: float) -> tuple[float, ...]:
        """For each player, if it is `v` for who is to move."""
        return for_each_player(self._game, v if self._p == 0 else self._game.utility_sum - v)


@of_position
def ismcts(
    game: Game,
    /,
    s: Any = None,
    simulations: int | None = None,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Result:
    """A good move where something is hidden, by simulations: so many, or as the limits allow, or 10,000.

    For two opponents. Only what the player to move knows of `s` has a part in it. `settings` are those of
    `InformationSets`.
    """
    limits = Limits(nodes=nodes, seconds=seconds, simulations=simulations)
    return InformationSets(game, **settings).search(s, limits, progress=progress)


@of_position
def pimc(
    game: Game,
    /,
    s: Any = None,
    simulations: int | None = None,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Result:
    """The same by searching imagined states as if nothing were hidden. `settings` are those of `Determinised`."""
    limits = Limits(nodes=nodes, seconds=seconds, simulations=simulations)
    return Determinised(game, **settings).search(s, limits, progress=progress)
