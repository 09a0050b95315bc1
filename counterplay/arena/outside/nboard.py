"""Othello programs by the NBoard protocol, version 2 (Welty 2014).

The protocol has a depth, and no word for seconds, nodes or a clock: a program keeps to its own time, and we to our
patience.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from counterplay.arena.outside.player import START_SECONDS, Program
from counterplay.core.game import Game, UserError

__all__ = ["NBoard"]

_DEPTH = 8
"""The protocol wants one to be set."""
_PASSING = "PA"
_DISCS = str.maketrans("xo.", "*O-")


class NBoard(Program):
    """A program that plays Othello."""

    kind = "nboard"
    example = "nboard:PROGRAM"

    @classmethod
    def must_suit(cls, game: Game) -> None:
        if str(game) != "othello":
            raise UserError(f"nboard is the protocol of programs that play Othello on 8x8, not {game}")

    def _greet(self) -> None:
        if self.order.options:
            raise UserError(f"'{self.order.text}': the protocol has no options but depth=N")
        self.send("nboard 2")
        self.send(f"set depth {self.order.limits.depth or _DEPTH}")
        self._pings = 0
        self._wait(START_SECONDS)

    def _ask(self, states: Sequence[Any]) -> str:
        self.send(f"set game {self._ggf(states)}")
        self._wait(START_SECONDS)
        self.send("go")
        for line in self.lines(self.move_seconds):
            if line.startswith("==="):
                words = re.split(r"[/\s]+", line.removeprefix("===").strip())  # MOVE EVAL TIME; strokes in version 1
                return words[0]
        raise AssertionError  # lines end by being lost only

    def _action(self, s: Any, name: str) -> int:
        return super()._action(s, "pass" if name.upper() in (_PASSING, "PASS") else name.lower())

    def _wait(self, seconds: float) -> None:
        """Until it has read all that was said."""
        self._pings += 1
        self.send(f"ping {self._pings}")
        for line in self.lines(seconds):
            if line.strip() == f"pong {self._pings}":
                return

    def _ggf(self, states: Sequence[Any]) -> str:
        """The game so far in the Generic Game Format: the position it began at and the moves since."""
        game, first = self.game, states[0]
        board = game.board(first)
        assert board is not None  # Othello has one
        cells = "".join("".join(row) for row in board).translate(_DISCS)
        named = ((game.player(s), game.action_name(s, a)) for s, a in zip(states, self.moves(states), strict=False))
        moves = "".join(f"{'BW'[p]}[{_PASSING if name == 'pass' else name.upper()}]" for p, name in named)
        names = "PB[Black]PW[White]RE[?]TI[0]TY[8]"
        return f"(;GM[Othello]PC[counterplay]{names}BO[8 {cells} {'*O'[game.player(first)]}]{moves};)"
