"""Examples for `learn.fit`: positions with what each is worth to player 0.

learn.by_results(game, ["e2e4 e7e5 ...", ...])         # positions of recorded games, by how these ended
learn.by_search(game, learn.random_states(game, 1_000), depth=4)     # by what our own search says
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from counterplay.core.errors import UserError
from counterplay.core.game import Game
from counterplay.core.randomness import new_random, word
from counterplay.native import interpreted
from counterplay.search.algorithms import choose as choose_search
from counterplay.search.algorithms import new_engine, split_limits
from counterplay.search.playout import choose

__all__ = ["by_results", "by_search", "random_states"]

Example = tuple[Any, float]


def by_results(game: Game, records: Iterable[str | Sequence[str]], skip: int = 0) -> list[Example]:
    """Every position of whole games, given by their moves, but for the first `skip`; its value is the result."""
    found: list[Example] = []
    for number, moves in enumerate(records, 1):
        here = game.at(moves)
        if not game.is_terminal(here.state):
            raise UserError(f"game {number} has not ended, so that nobody knows what its positions were worth")
        value = float(game.utility(here.state, 0))
        found += [(s, value) for s in here.history[skip:]]
    return found


def by_search(game: Game, states: Iterable[Any], **limits: Any) -> list[Example]:
    """Each state with what the search that suits the game finds within limits like `depth=6`, `nodes=10_000`."""
    name, chosen = choose_search(game, limits)
    budget, multi, own = split_limits(chosen | limits)
    engine = new_engine(name, game, **own)
    found: list[Example] = []
    for s in states:
        engine.new_game()
        found.append((s, float(engine.search(s, budget, multi=multi).values[0])))
    return found


def random_states(game: Game, number: int, seed: int = 0) -> list[Any]:
    """States in which somebody is to move, one of each of so many random games; some may be there twice."""
    random, found = new_random(seed), []
    with interpreted():
        for _ in range(number):
            s, met = game.initial(), []
            while not game.is_terminal(s):
                if game.player(s) >= 0:
                    met.append(s)
                s = game.result(s, choose(game, s, random))
            found.append(met[word(random) % len(met)])
    return found
