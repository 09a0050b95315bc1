"""One game of a match: two players, an opening, clocks or none, and what ends it.

A game depends on its fixture and the conditions only, wherever and whenever it is played: who plays, from where, with
which seeds. So a match that was interrupted goes on as it would have, and many games may be played at once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from counterplay import search
from counterplay.arena.adjudication import Adjudication, Judge
from counterplay.arena.openings import Opening
from counterplay.arena.outside import Forfeit, Resignation
from counterplay.arena.players import Player, dismiss, new_player
from counterplay.arena.record import GameRecord
from counterplay.arena.timing import Clock
from counterplay.core.game import CHANCE, Game, is_repeated
from counterplay.search.repetition import draw_value

__all__ = ["Conditions", "Fixture", "play"]

MOST_PLIES = 2_000
"""A game that lasts longer is a draw."""

PATIENCE = search.Limits(seconds=0.1)
"""What a search has for a move, if nothing is said."""
CLOCK_ONLY = search.Limits(seconds=1e6)
"""The same in a game with clocks, which say how long it may think."""


@dataclass(frozen=True)
class Conditions:
    """What holds for all games of a match."""

    seed: int = 0
    limits: dict[str, Any] = field(default_factory=dict)
    """For each move: `seconds`, `nodes`, `simulations`."""
    clock: Clock | None = None
    adjudication: Adjudication | None = None

    def about(self) -> dict[str, Any]:
        """For the record."""
        about: dict[str, Any] = {"limits": self.limits}
        about |= {} if self.clock is None else {"clock": str(self.clock)}
        return about | ({} if self.adjudication is None else {"adjudication": str(self.adjudication)})

    def new_player(self, game: Game, text: str, seed: int) -> Player:
        return new_player(game, text, seed, otherwise=CLOCK_ONLY if self.clock else PATIENCE, **self.limits)


class Fixture(NamedTuple):
    """A game that is to be played."""

    number: int
    seats: tuple[int, int]
    """The numbers of the players, by the side that they have."""
    players: tuple[str, str]
    """Their texts."""
    seeds: tuple[int, int]
    opening: Opening
    dice: int
    """The seed of chance: the same for both games of a pair, as far as they go the same way."""


class _Ending(NamedTuple):
    points: float
    """What the first seat got."""
    by: str
    gain: float | None = None
    """The same as a score, if the game has one."""


def play(game: Game, conditions: Conditions, fixture: Fixture) -> GameRecord:
    """Play the game of a fixture to its end."""
    players: list[Player] = []
    try:
        for text, seed in zip(fixture.players, fixture.seeds, strict=True):
            players.append(conditions.new_player(game, text, seed))
        bout = _Bout(game, conditions, fixture, players)
        ending = bout.play()
    finally:
        dismiss(*players)
    opening = fixture.opening
    about = (fixture.number, fixture.seats, len(opening.moves), tuple(bout.names), ending.points, ending.by)
    times = (tuple(bout.used), tuple(bout.spare)) if conditions.clock else ((), ())
    return GameRecord(*about, opening.begins, *times, ending.gain)


class _Bout:
    """A game that is being played."""

    def __init__(self, game: Game, conditions: Conditions, fixture: Fixture, players: Sequence[Player]) -> None:
        self.names: list[str] = []
        self.used: list[float] = []
        self.spare = [] if conditions.clock is None else [conditions.clock.after(()).total] * 2
        self._game, self._clock, self._players, self._fixture = game, conditions.clock, players, fixture
        begins = fixture.opening.begins
        self._states: list[Any] = [game.from_text(begins) if begins else game.initial()]
        self._judge = None if conditions.adjudication is None else Judge(game, conditions.adjudication)
        self._random = search.new_random(fixture.dice)
        self._thought: tuple[list[float], list[float]] = ([], [])  # by seat, the seconds of its moves

    def play(self) -> _Ending:
        for a in self._fixture.opening.moves:
            self._make(a)
        if self._clock is not None:
            for player in self._players:  # what takes time before the first move is not on the clock
                if (prepare := getattr(player, "prepare", None)) is not None:
                    prepare()
        while (ending := self._ending()) is None:
            p = int(self._game.player(self._states[-1]))
            if p == CHANCE:
                self._make(int(search.random_action(self._game, self._states[-1], self._random)))
                continue
            lost = self._move(p)
            if lost is not None:
                return lost
        return ending

    def _ending(self) -> _Ending | None:
        game, s = self._game, self._states[-1]
        if game.is_terminal(s):
            lead = game.utility(s, 0) - draw_value(game)
            won = 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
            return _Ending(won, "rules", float(lead) if game.scored else None)
        if game.knows.reversible and is_repeated(game, self._states):
            return _Ending(0.5, "repetition")
        if len(self.names) >= MOST_PLIES:
            return _Ending(0.5, "length")
        if self._judge is not None and len(self.names) > len(self._fixture.opening.moves):
            points = self._judge.points(self._states)
            return None if points is None else _Ending(points, "adjudication")
        return None

    def _move(self, p: int) -> _Ending | None:
        """Let player `p` move; how the game ends if it cannot, or is too late."""
        player, lost, clock = self._players[p], float(p), self._clock
        if clock is not None and (tell_time := getattr(player, "tell_time", None)) is not None:
            tell_time([clock.after(used) for used in self._thought])
        began = time.perf_counter()
        try:
            a = player.choose(self._states)
        except Resignation:
            return _Ending(lost, "resignation")
        except Forfeit as error:
            return _Ending(lost, f"forfeit: {error}")
        took = time.perf_counter() - began
        if clock is not None:
            left = clock.after(self._thought[p], took).total
            self.spare[p] = round(max(0.0, min(left, self.spare[p])), 4)
            if left <= 0:
                return _Ending(lost, "time")
        self._thought[p].append(took)
        self._make(a, took)
        return None

    def _make(self, a: int, took: float = 0.0) -> None:
        s = self._states[-1]
        self.names.append(self._game.action_name(s, a))
        self.used.append(round(took, 4))
        self._states.append(self._game.result(s, a))
