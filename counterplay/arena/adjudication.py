"""Adjudication: a game ends early when a judge sees how it will end.

The judge is a search of our own that is no party, asked after every move with the same small number of nodes, so that
who plays does not matter, nor how fast the machine is. It ends a game that it has solved; one in which a side's chance
to win has been high for some plies in a row; and, late in a game, one that has been even for so long. A text sets it:

    win=0.98,draw=0.02,plies=8,after=80,nodes=5000
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from counterplay import search
from counterplay.core import words
from counterplay.core.game import CHANCE, Game, UnreadableText, UserError
from counterplay.core.texts import read_settings
from counterplay.search.repetition import draw_value

__all__ = ["Adjudication", "Judge"]


@dataclass(frozen=True)
class Adjudication:
    """When a game is over before its end."""

    win: float = 0.98
    """Won by whom the judge gives such a chance."""
    draw: float = 0.02
    """Drawn while no side's chance is further than this from even."""
    plies: int = 8
    """That it must have been so, one after the other."""
    after: int = 80
    """Plies before which no game is a draw."""
    nodes: int = 5_000
    """That the judge looks at for an opinion."""

    def __post_init__(self) -> None:
        if not (0.5 < self.win <= 1 and 0 <= self.draw < 0.5):
            raise UserError(
                f"adjudication needs win above 0.5 and draw below, as chances; not {self.win:g} and {self.draw:g}"
            )
        if self.plies < 1 or self.after < 0 or self.nodes < 1:
            raise UserError("adjudication needs 1 ply and 1 node or more")

    @classmethod
    def read(cls, text: str) -> Adjudication:
        """The rules of a text; `on` for those above."""
        settings = {} if text.strip().lower() == "on" else read_settings(text)
        likes = asdict(cls())
        for name, value in settings.items():
            if name not in likes:
                raise UnreadableText(f"adjudication has no '{name}'; it has: {', '.join(likes)}")
            if isinstance(value, bool) or not isinstance(value, int | type(likes[name])):
                raise UnreadableText(f"adjudication's {name} is a number like {likes[name]}, not '{value}'")
        return cls(**settings)

    def __str__(self) -> str:
        return ",".join(f"{name}={value:g}" for name, value in asdict(self).items())


class Judge:
    """A search that is no party. It looks at positions each by itself, and follows one game."""

    def __init__(self, game: Game, rules: Adjudication) -> None:
        self._game, self._rules = game, rules
        self._engine = search.strongest(game)
        self._opinions: list[float] = []

    def chance(self, states: Sequence[Any]) -> tuple[float, bool]:
        """The first player's chance at the last of `states`, and whether that is certain."""
        game, (*earlier, s) = self._game, states
        self._engine.new_game(0)  # an opinion does not depend on those before
        found = self._engine.search(s, search.Limits(nodes=self._rules.nodes), history=earlier)
        if found.stopped == "interrupted":
            raise KeyboardInterrupt
        if found.proven and not game.chance:  # of a game with dice it would be a mean
            lead = found.values[0] - draw_value(game)
            return 0.5 if lead == 0 else float(lead > 0), True
        is_mean = found.simulations is not None
        return (words.chance_to_win(game, found.value) if is_mean else game.chance_to_win(found.value)), False

    def points(self, states: Sequence[Any]) -> float | None:
        """What the first player gets if the game is over now, in the eyes of the judge; None: it goes on."""
        if self._game.player(states[-1]) == CHANCE:
            return None
        rules, (chance, is_certain) = self._rules, self.chance(states)
        if is_certain:
            return chance
        self._opinions.append(chance)
        last = self._opinions[-rules.plies :]
        if len(last) < rules.plies:
            return None
        if min(last) >= rules.win or max(last) <= 1 - rules.win:
            return float(chance > 0.5)
        is_even = len(states) > rules.after and all(abs(each - 0.5) <= rules.draw for each in last)
        return 0.5 if is_even else None
