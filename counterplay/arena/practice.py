"""Practice before a game that is timed: after it, everything that a search does is compiled and loaded."""

from __future__ import annotations

from counterplay import search

__all__ = ["practise"]

_PLIES, _SIZE = 6, 200
"""Plies, and nodes or simulations, after which all of a search was in use, what it remembers between moves too."""


def practise(engine: search.Engine) -> None:
    """Let an engine play a little with itself, and forget it."""
    game, random = engine.game, search.new_random(0)
    limit = next(each for each in ("nodes", "simulations") if each in engine.abilities.limits)
    states = [game.initial()]
    for _ in range(_PLIES):
        *earlier, s = states
        if game.is_terminal(s):
            break
        a = engine.search(s, search.Limits(**{limit: _SIZE}), history=earlier).action  # none where dice are thrown
        states.append(game.result(s, int(search.random_action(game, s, random)) if a is None else a))
    engine.new_game()
