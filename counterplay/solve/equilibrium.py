"""The equilibrium of a game with something hidden, by whatever method suits its size."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from counterplay.core.game import Game, UserError
from counterplay.solve.cfr import METHODS, Cfr, Responses, respond
from counterplay.solve.leaf_network import LeafNetwork
from counterplay.solve.resolving import RESOLVING, TRUNK_ITERATIONS, Resolver
from counterplay.solve.sampling import ExternalSampling, OutcomeSampling
from counterplay.solve.sequences import MOST_NODES, SequenceForm, TooLarge, unfold
from counterplay.solve.strategy import About, Strategy
from counterplay.solve.subgames import cut

__all__ = ["OUTCOME", "SAMPLING", "equilibrium", "exploitability", "remembered", "resolver", "worth"]

SAMPLING, OUTCOME = ExternalSampling.method, OutcomeSampling.method
"""The methods for games that are too large to unfold."""
ITERATIONS, SAMPLES = 1_000, 100_000  # if nothing is said
_SAMPLED_NODES = 20_000_000  # and no more states than that, which takes some seconds

Progress = Callable[[int, float | None], None]
"""Is told the iterations so far, and the exploitability after them if it is known."""


def equilibrium(
    game: Game,
    method: str | None = None,
    iterations: int | None = None,
    *,
    seed: int = 0,
    depth: int | None = None,
    network: Path | None = None,
    most_nodes: int = MOST_NODES,
    progress: Progress | None = None,
) -> Strategy:
    """A strategy that is close to an equilibrium of a game for two players, the closer the more iterations.

    `method` is one of METHODS, `sampling`, `outcome` or `resolving`. By default `dcfr`, and `sampling` if the game
    has more than `most_nodes` histories; `seed` is for samples. `resolving` cuts the game after `depth` moves, or where
    `cut` does, and has leaves valued by the `network` in a file, or solves them.
    Without opposite utilities nothing is promised; look at the exploitability.
    """
    if iterations is not None and iterations < 1:
        raise UserError(f"there is 1 iteration or more, not {iterations}")
    known = (*METHODS, SAMPLING, OUTCOME, RESOLVING)
    if method is not None and method not in known:
        raise UserError(f"there is no method '{method}'; there are: {', '.join(known)}")
    if (depth is not None or network is not None) and method != RESOLVING:
        raise UserError(f"a {'network' if depth is None else 'depth'} is for the method {RESOLVING}")
    form: SequenceForm | None = None
    try:
        form = unfold(game, most_nodes)
    except TooLarge:
        if method not in (None, SAMPLING, OUTCOME):
            raise
    if form is None or method in (SAMPLING, OUTCOME):
        kind = OutcomeSampling if method == OUTCOME else ExternalSampling
        return _sampled(kind(game, seed), form, iterations, progress)
    if method == RESOLVING:
        strategy = resolver(game, iterations or TRUNK_ITERATIONS, depth, network).strategy().measured(form)
        if progress is not None:
            progress(strategy.about.iterations, strategy.about.exploitability)
        return strategy
    solver = Cfr(form, method or "dcfr")
    for wanted in _steps(iterations or ITERATIONS):
        solver.run(wanted - solver.iterations)
        found = respond(form, solver.average())
        if progress is not None:
            progress(solver.iterations, found.exploitability)
    about = About(solver.method, solver.iterations, found.values, found.exploitability)
    return Strategy.of_sequences(form, solver.average(), about)


def _sampled(
    solver: ExternalSampling, form: SequenceForm | None, iterations: int | None, progress: Progress | None
) -> Strategy:
    for wanted in _steps(iterations or SAMPLES):
        solver.run(wanted - solver.iterations, None if iterations else _SAMPLED_NODES)
        if progress is not None:
            progress(solver.iterations, None)
    return solver.strategy() if form is None else solver.strategy().measured(form)


def _steps(iterations: int) -> list[int]:
    """After how many iterations to look: 1, 10, 100, and at the end."""
    return [*(10**k for k in range(len(str(iterations)) + 1) if 10**k < iterations), iterations]


def exploitability(strategy: Strategy, most_nodes: int = MOST_NODES) -> float:
    """What who knows the strategy gains against it, on the average of both seats, by the rules of its game."""
    return worth(strategy, most_nodes).exploitability


def worth(strategy: Strategy, most_nodes: int = MOST_NODES) -> Responses:
    """What a strategy gets when both play by it, and what the best responses to it would."""
    return strategy.responses(unfold(strategy.game, most_nodes))


@lru_cache(maxsize=4)
def remembered(game: Game, method: str | None, iterations: int | None, seed: int) -> Strategy:
    """The same as `equilibrium`, found once in a process: a player of a match is made anew for every game."""
    return equilibrium(game, method, iterations, seed=seed)


def resolver(
    game: Game, iterations: int = TRUNK_ITERATIONS, depth: int | None = None, network: Path | None = None
) -> Resolver:
    """Who plays by continual re-solving; `network` is a file that `LeafNetwork` has written.

    He thinks about the trunk once in a process: a player of a match is made anew for every game.
    """
    return _resolver(game, iterations, depth, network)


@lru_cache(maxsize=4)
def _resolver(game: Game, iterations: int, depth: int | None, network: Path | None) -> Resolver:
    trunk = cut(game, depth)
    return Resolver(
        game, iterations, trunk=trunk, leaf_values=None if network is None else LeafNetwork.load(network, trunk)
    )
