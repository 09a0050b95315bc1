"""Monte Carlo tree search by the book, written down simulation by simulation, to be looked at.

This is plain UCT as the textbooks have it, with a tree of Python objects, so that each of its four steps can be shown.
The search that plays, `search/mcts`, is another and much faster; on small trees both come to the same moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, log, sqrt
from typing import Any, NamedTuple

from counterplay import native
from counterplay.core.game import CHANCE, Game, UserError
from counterplay.core.randomness import new_random
from counterplay.search import random_action

__all__ = ["Grown", "Growth", "Simulation", "grow"]

MOST_SIMULATIONS = 2_000


@dataclass
class Grown:
    """A node of the tree: a state that was reached, and what the simulations through it came to."""

    number: int
    state: Any
    kind: str
    """`max`, `min`, `chance` or `end`; with more players `p1`, `p2`, ..."""
    parent: int | None
    name: str
    """Of the move that leads here."""
    children: dict[int, Grown] = field(default_factory=dict)
    visits: int = 0
    totals: list[float] = field(default_factory=list)

    def mean(self, p: int = 0) -> float:
        """What player `p` got on average."""
        return self.totals[p] / self.visits


class Simulation(NamedTuple):
    """One round: down the tree, a node more, a game at random, and back."""

    path: tuple[int, ...]
    """The nodes from the root on, the new one included."""
    added: int | None
    """The node that is new; none where the path ended at an end of the game."""
    values: tuple[float, ...]
    """What each player got."""


class Growth(NamedTuple):
    """All simulations in order, and the nodes that they made."""

    game: Game
    nodes: tuple[Grown, ...]
    simulations: tuple[Simulation, ...]

    @property
    def best(self) -> Grown | None:
        """The child of the root that was visited most; None if the root has none."""
        return max(self.nodes[0].children.values(), key=lambda node: node.visits, default=None)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        about = ("number", "parent", "name", "kind")
        return {
            "game": str(self.game),
            "nodes": [{key: getattr(node, key) for key in about} for node in self.nodes],
            "simulations": [each._asdict() for each in self.simulations],
            "best": None if self.best is None else self.best.number,
        }


def grow(game: Game, s: Any = None, simulations: int = 100, exploration: float = 1.0, seed: int = 0) -> Growth:
    """Search from `s` (default: the initial state) by so many simulations; `exploration` is c of UCB1."""
    if not 1 <= simulations <= MOST_SIMULATIONS:
        raise UserError(f"1 to {MOST_SIMULATIONS:,} simulations can be looked at, not {simulations}")
    s = game.initial() if s is None else s
    if game.is_terminal(s):
        raise UserError("the game is over here: nothing grows")
    with native.interpreted():
        return _grow(game, s, simulations, exploration, new_random(seed))


def _grow(game: Game, s: Any, simulations: int, exploration: float, random: Any) -> Growth:
    nodes: list[Grown] = []
    done: list[Simulation] = []

    def new_node(state: Any, parent: int | None, name: str) -> Grown:
        nodes.append(Grown(len(nodes), state, _kind(game, state), parent, name, totals=[0.0] * game.players))
        return nodes[-1]

    new_node(s, None, "")
    for _ in range(simulations):
        path, added = [nodes[0]], None
        while not game.is_terminal(path[-1].state) and added is None:  # select, then expand
            here = path[-1]
            a = _chosen(game, here, exploration, random)
            if a not in here.children:
                name = game.action_name(here.state, a)
                added = here.children[a] = new_node(game.result(here.state, a), here.number, name)
            path.append(here.children[a])
        values = _played_out(game, path[-1].state, random)  # simulate
        for node in path:  # back up
            node.visits += 1
            node.totals = [total + v for total, v in zip(node.totals, values, strict=True)]
        done.append(Simulation(tuple(each.number for each in path), None if added is None else added.number, values))
    return Growth(game, tuple(nodes), tuple(done))


def _kind(game: Game, s: Any) -> str:
    if game.is_terminal(s):
        return "end"
    p = game.player(s)
    return "chance" if p == CHANCE else ("max", "min")[p] if game.players <= 2 else f"p{p + 1}"


def _chosen(game: Game, here: Grown, exploration: float, random: Any) -> int:
    """The action to follow: at random by the odds where chance moves, the first untried, or the best by UCB1."""
    p = game.player(here.state)
    if p == CHANCE:
        return int(random_action(game, here.state, random))
    low, high = game.utility_range
    best, best_bound = 0, -inf
    for a in map(int, game.actions(here.state)):
        child = here.children.get(a)
        if child is None:
            return a
        share = (child.mean(p) - low) / (high - low) if high > low else 0.5
        bound = share + exploration * sqrt(log(here.visits) / child.visits)
        if bound > best_bound:
            best, best_bound = a, bound
    return best


def _played_out(game: Game, s: Any, random: Any) -> tuple[float, ...]:
    while not game.is_terminal(s):
        s = game.result(s, int(random_action(game, s, random)))
    utilities: Sequence[float] = [float(game.utility(s, p)) for p in range(game.players)]
    return tuple(utilities)
