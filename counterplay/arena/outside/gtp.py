"""Go programs by GTP, the Go Text Protocol, version 2 (Farnebäck 2002)."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from counterplay.arena.outside.player import START_SECONDS, Program, Resignation
from counterplay.arena.timing import TimeLeft
from counterplay.core.game import Game, UserError

__all__ = ["Gtp"]

_COLOURS = ("black", "white")


class Gtp(Program):
    """A program that plays Go. Our game is scored by area as it stands: dead stones have to be taken."""

    kind = "gtp"
    example = "gtp:gnugo --mode gtp --level 1"

    @classmethod
    def must_suit(cls, game: Game) -> None:
        if game.name != "go" or game.shape[0] != game.shape[1]:  # type: ignore[attr-defined]
            raise UserError(f"gtp is the protocol of programs that play Go on a square board, not {game}")

    def _greet(self) -> None:
        if self.order.options:
            raise UserError(f"'{self.order.text}': a Go program has no options but those of its command")
        game: Any = self.game
        self._say(f"boardsize {game.size}")
        self._say("clear_board")
        self._say(f"komi {game.komi:g}")
        seconds = self.order.limits.seconds
        if seconds is not None and self._say("known_command time_settings") == "true":
            self._say(f"time_settings 0 {ceil(seconds)} 1")  # whole seconds are all that the protocol knows
        self._begun: Any = game.initial()  # what is on its board: this position and so many moves
        self._told: list[int] = []
        self._is_timed = False

    def _ask(self, states: Sequence[Any]) -> str:
        self._tell(states)
        s = states[-1]
        colour = _COLOURS[self.game.player(s)]
        if self._clocks is not None:
            self._tell_clock(colour, self._clocks[self.game.player(s)])
        answer = self._say(f"genmove {colour}", self.move_seconds)
        if answer.lower() == "resign":
            raise Resignation(f"{self.order.text} resigns")
        self._told.append(self._action(s, answer))  # it has made its move on its own board
        return answer

    def _tell_clock(self, colour: str, left: TimeLeft) -> None:
        """What it has, in whole seconds; periods are `stones` of one move each."""
        if not self._is_timed:
            self._say(f"time_settings {int(left.seconds)} {int(left.period)} {int(left.periods > 0)}")
            self._is_timed = True
        stones = left.moves or int(left.periods > 0 and left.seconds <= 0)
        self._say(f"time_left {colour} {int(left.seconds or left.period)} {stones}")

    def _tell(self, states: Sequence[Any]) -> None:
        """Play on its board what has been played on ours since."""
        game, moves = self.game, self.moves(states)
        if self._begun != states[0] or moves[: len(self._told)] != self._told:
            self._say("clear_board")
            self._set_up(states[0])
        for ply in range(len(self._told), len(moves)):
            s, a = states[ply], moves[ply]
            self._say(f"play {_COLOURS[game.player(s)]} {game.action_name(s, a)}")
        self._told = list(moves)

    def _set_up(self, s: Any) -> None:
        """Put the stones of a position on its board: first all of one colour, then the other, so that none is taken."""
        self._begun, self._told = s, []
        for p, stones in sorted((self.game.player(s) ^ i, side) for i, side in enumerate((s.mine, s.theirs))):
            for point in stones:
                self._say(f"play {_COLOURS[p]} {self.game.action_name(s, point)}")

    def _say(self, command: str, seconds: float = START_SECONDS) -> str:
        """What it answers to a command: the text after the sign of equality, up to an empty line."""
        self.send(command)
        answer: list[str] = []
        for line in self.lines(seconds):
            if line.startswith(("=", "?")) and not answer:
                answer = [line]
            elif answer and line.strip():
                answer.append(line)
            elif answer:
                break
        text = " ".join([answer[0].lstrip("=?0123456789"), *answer[1:]]).strip()
        if answer[0].startswith("?"):
            raise self.forfeit(f"refuses '{command}': {text}")
        return text
