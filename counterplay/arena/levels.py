"""Levels 1 to 10: players for people, as strong as a person would like.

A level has a budget of nodes, and an error. The player ranks the moves by a search within the budget, and overlooks
each of them, the best first, with the probability of the error; it plays the first that it does not overlook. So its
mistakes are those of a person, who misses the best move more often than all of the good ones. What ends the game well
at once is never overlooked.

What a level plays depends on the game so far and the seed only: it remembers nothing from move to move. A game that
was saved or taken back goes on as it would have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from counterplay import search
from counterplay.arena.defence import Defence
from counterplay.arena.practice import practise
from counterplay.core.game import CHANCE, Game, UserError
from counterplay.core.randomness import seed_at, unit, word
from counterplay.search.run import Progress
from counterplay.search.suited import some_actions

__all__ = ["LEVELS", "Level", "LevelPlayer"]


class Level(NamedTuple):
    """How strong a player is."""

    nodes: int
    """States that it may look at for a move."""
    error: float
    """How likely it is to overlook a move."""


LEVELS = {
    1: Level(100, 0.95),
    2: Level(300, 0.8),
    3: Level(1_500, 0.6),
    4: Level(2_500, 0.52),
    5: Level(6_000, 0.41),
    6: Level(15_000, 0.35),
    7: Level(50_000, 0.22),
    8: Level(120_000, 0.14),
    9: Level(300_000, 0.08),
    10: Level(1_000_000, 0.0),
}
"""The same for all games; found by `benchmarks/levels.py`. A million nodes take from 0.05 s to 1.2 s, by the game."""


class LevelPlayer:
    """A player of a level. With `seconds` it ends sooner where a search is slow, and may move otherwise next time."""

    def __init__(self, game: Game, level: int | str, seed: int = 0, seconds: float | None = None) -> None:
        known = {str(number): each for number, each in LEVELS.items()}
        if str(level) not in known:
            raise UserError(f"a level is from 1 to {len(LEVELS)}, as in 'level:5', not '{level}'")
        self.game, self.level, self.seed = game, known[str(level)], seed
        self._limits = search.Limits(nodes=self.level.nodes, seconds=seconds)
        self._engine = search.strongest(game)
        self._defence = Defence(game, search.strongest)

    def prepare(self) -> None:
        """Have everything compiled and loaded; nothing is remembered of it."""
        practise(self._engine)
        self._defence.prepare()

    def stop(self) -> None:
        """End the search that is going on."""
        self._engine.stop()
        self._defence.stop()

    def choose(self, states: Sequence[Any]) -> int:
        result = self.search(states)
        if result.stopped == "interrupted":  # by ctrl-C: it is not the move that this player would have made
            raise KeyboardInterrupt
        assert result.action is not None  # somebody is to move, and the search has an opinion of every move
        return result.action

    def search(self, states: Sequence[Any], progress: Progress | None = None) -> search.Result:
        """What it finds at the last of `states`; the action, value and line are those of the move that it plays."""
        game, s = self.game, states[-1]
        p = game.player(s)
        if game.is_terminal(s) or p == CHANCE:
            raise UserError(f"no player is to move at {game.to_text(s)}")
        ply, moves = len(states) - 1, [int(a) for a in some_actions(game, s)]
        win = _win(game, s, moves)
        overlooked = self._overlooked(len(moves), ply) if win is None else 0
        self._engine.new_game(seed_at(self.seed, ply))
        limits = self._limits
        wanted = 1 if self._engine.abilities.every_value else overlooked + 1
        found = self._engine.search(s, limits, multi=wanted, history=states[:-1], progress=progress)
        # By visits in a tree search, else by value, equals in any order. A move that is not exact was not looked at, or
        # is worse than those that are.
        order = {a: (a == found.action, seed_at(self.seed, ply, a)) for a in moves}
        ranked = sorted(
            found.actions,
            key=lambda each: (order[each.action][0], each.visits, each.exact, each.values[p], order[each.action][1]),
            reverse=True,
        )
        played = ranked[overlooked]
        if win is not None and game.utility(game.result(s, win), p) >= found.values[p]:  # there may be more to win
            played = next(each for each in ranked if each.action == win)
        if played.action == found.action:
            return self._defence.instead(found, limits, states[:-1], progress)
        return replace(found, action=played.action, value=played.value, values=played.values, line=played.line)

    def _overlooked(self, moves: int, ply: int) -> int:
        """How many of so many moves are overlooked at a ply; if it would be all of them, any number less."""
        random = search.new_random(seed_at(self.seed, ply, moves))
        for number in range(moves):
            if unit(random) >= self.level.error:
                return number
        return word(random) % moves


def _win(game: Game, s: Any, moves: Sequence[int]) -> int | None:
    """The move that ends the game at once with more than the middle of the utilities, if there is one; the best."""
    p, ends = game.player(s), {a: game.result(s, a) for a in moves}
    gains = {a: game.utility(end, p) for a, end in ends.items() if game.is_terminal(end)}
    best = max(gains, key=gains.__getitem__, default=None)
    return best if best is not None and gains[best] > 0.5 * sum(game.utility_range) else None
