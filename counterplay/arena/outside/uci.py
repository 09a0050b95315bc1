"""Chess engines by UCI, the Universal Chess Interface (Kahlen and Meyer-Kahlen 2006)."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, ClassVar

from counterplay.arena.outside.player import START_SECONDS, Program
from counterplay.core.game import Game, UserError, listed_actions

__all__ = ["Uci"]


class Uci(Program):
    """A chess engine."""

    kind = "uci"
    example = "uci:stockfish,UCI_LimitStrength=true,UCI_Elo=2000"
    needs_limit = True
    hello: ClassVar[str] = "uci"
    """What it is greeted with; it answers that with `ok` behind."""

    @classmethod
    def must_suit(cls, game: Game) -> None:
        if str(game) != "chess":
            raise UserError(f"uci is the protocol of chess engines; for {game} write ugi:PROGRAM")

    def move_name(self, s: Any, a: int) -> str:
        """An action in the protocol's words."""
        from counterplay.games.chess import notation  # only chess needs it

        name: Any = notation.uci
        return str(name(a))

    def _greet(self) -> None:
        self.send(self.hello)
        known: dict[str, str] = {}
        for line in self.lines(START_SECONDS):
            if line.strip() == f"{self.hello}ok":
                break
            if line.startswith("option name ") and " type " in line:
                name = line.removeprefix("option name ").partition(" type ")[0].strip()
                known[name.lower()] = name
        for name, value in self.order.options.items():
            if name.lower() not in known:
                close = difflib.get_close_matches(name.lower(), known, n=1)
                hint = f"did you mean {known[close[0]]}?" if close else f"it has: {', '.join(known.values()) or 'none'}"
                raise UserError(f"{self.order.text} has no option '{name}'; {hint}")
            self.send(f"setoption name {known[name.lower()]} value {value}")
        self.send(f"{self.hello}newgame")
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        self.send("isready")
        for line in self.lines(START_SECONDS):
            if line.strip() == "readyok":
                return

    def _ask(self, states: Sequence[Any]) -> str:
        game, first = self.game, states[0]
        begins = "startpos" if first == game.initial() else f"fen {game.to_text(first)}"
        moves = [self.move_name(s, a) for s, a in zip(states, self.moves(states), strict=False)]
        self.send(f"position {begins}" + (f" moves {' '.join(moves)}" if moves else ""))
        self.send(f"go {self._limits()}")
        for line in self.lines(self.move_seconds):
            if line.startswith("bestmove "):
                return line.split()[1] if len(line.split()) > 1 else ""
        raise AssertionError  # lines end by being lost only

    def _action(self, s: Any, name: str) -> int:
        return {self.move_name(s, a): a for a in listed_actions(self.game, s)}.get(name.lower(), -1)

    def _limits(self) -> str:
        if self._clocks is not None:
            return self._clock_words()
        limits, words = self.order.limits, []
        if limits.depth is not None:
            words.append(f"depth {limits.depth}")
        if limits.nodes is not None:
            words.append(f"nodes {limits.nodes}")
        if limits.seconds is not None:
            words.append(f"movetime {max(1, round(1000 * limits.seconds))}")
        return " ".join(words)

    side_letters: ClassVar[Sequence[str]] = "wb"

    def _clock_words(self) -> str:
        assert self._clocks is not None
        words = []
        for letter, left in zip(self.side_letters, self._clocks, strict=False):
            words.append(f"{letter}time {max(1, int(1000 * left.seconds))} {letter}inc {int(1000 * left.increment)}")
        togo = self._clocks[0].moves
        return " ".join(words) + (f" movestogo {togo}" if togo else "")
