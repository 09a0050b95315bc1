"""The equilibrium of a game with something hidden, by whatever method suits its size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from counterplay.core.game import Game, UserError
from counterplay.solve.cfr import METHODS, Cfr, Responses, respond
from counterplay.solve.sampling import ExternalSampling
from counterplay.solve.sequences import MOST_NODES, SequenceForm, TooLarge, unfold
from counterplay.solve.strategy import About, Strategy

__all__ = ["SAMPLING", "equilibrium", "exploitability", "remembered", "worth"]

SAMPLING = "sampling"
"""The method for games that are too large to unfold."""
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
    most_nodes: int = MOST_NODES,
    progress: Progress | None = None,
) -> Strategy:
    """A strategy that is close to an equilibrium of a game for two players, the closer the more iterations.

    `method` is one of METHODS or `sampling`; by default `dcfr`, and `sampling`, which `seed` is for, if the game has
    more than `most_nodes` histories. Without opposite utilities nothing is promised; look at the exploitability.
    """
    if iterations is not None and iterations < 1:
        raise UserError(f"there is 1 iteration or more, not {iterations}")
    if method not in (None, SAMPLING, *METHODS):
        raise UserError(f"there is no method '{method}'; there are: {', '.join((*METHODS, SAMPLING))}")
    form: SequenceForm | None = None
    try:
        form = unfold(game, most_nodes)
    except TooLarge:
        if method not in (None, SAMPLING):
            raise
    if form is None or method == SAMPLING:
        return _sampled(game, form, iterations, seed, progress)
    solver = Cfr(form, method or "dcfr")
    for wanted in _steps(iterations or ITERATIONS):
        solver.run(wanted - solver.iterations)
        found = respond(form, solver.average())
        if progress is not None:
            progress(solver.iterations, found.exploitability)
    about = About(solver.method, solver.iterations, found.values, found.exploitability)
    return Strategy.of_sequences(form, solver.average(), about)


def _sampled(
    game: Game, form: SequenceForm | None, iterations: int | None, seed: int, progress: Progress | None
) -> Strategy:
    solver = ExternalSampling(game, seed)
    for wanted in _steps(iterations or SAMPLES):
        solver.run(wanted - solver.iterations, None if iterations else _SAMPLED_NODES)
        if progress is not None:
            progress(solver.iterations, None)
    strategy = solver.strategy()
    if form is not None:
        found = respond(form, (strategy.by_sequence(form.sides[0]), strategy.by_sequence(form.sides[1])))
        strategy.about = replace(strategy.about, values=found.values, exploitability=found.exploitability)
    return strategy


def _steps(iterations: int) -> list[int]:
    """After how many iterations to look: 1, 10, 100, and at the end."""
    return [*(10**k for k in range(len(str(iterations)) + 1) if 10**k < iterations), iterations]


def exploitability(strategy: Strategy, most_nodes: int = MOST_NODES) -> float:
    """What who knows the strategy gains against it, on the average of both seats, by the rules of its game."""
    return worth(strategy, most_nodes).exploitability


def worth(strategy: Strategy, most_nodes: int = MOST_NODES) -> Responses:
    """What a strategy gets when both play by it, and what the best responses to it would."""
    form = unfold(strategy.game, most_nodes)
    return respond(form, (strategy.by_sequence(form.sides[0]), strategy.by_sequence(form.sides[1])))


@lru_cache(maxsize=4)
def remembered(game: Game, method: str | None, iterations: int | None, seed: int) -> Strategy:
    """The same as `equilibrium`, found once in a process: a player of a match is made anew for every game."""
    return equilibrium(game, method, iterations, seed=seed)
