"""Chess engines by UCI, the Universal Chess Interface (Kahlen and Meyer-Kahlen 2006)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from counterplay.arena.outside.player import START_SECONDS, Program
from counterplay.core.game import Game, UserError, listed_actions

__all__ = ["Option", "Uci"]


class Option(NamedTuple):
    """An option of an engine, as it says itself: `option name Hash type spin default 16 min 1 max 1024`."""

    name: str
    kind: str
    about: str

    @classmethod
    def read(cls, line: str) -> Option | None:
        """The option of a line, if it is one."""
        fits = re.fullmatch(r"\s*option\s+name\s+(.+?)\s+type\s+(\w+)(.*)", line)
        return cls(*fits.groups()) if fits else None

    def why_not(self, value: str) -> str:
        """What a value should be that engines would leave unheeded without a word; empty if it may be."""
        if self.kind == "check" and value not in ("true", "false"):
            return "true or false"
        bounds = {name: int(number) for name, number in re.findall(r"\b(min|max)\s+(-?\d+)", self.about)}
        if self.kind == "spin" and len(bounds) == 2:
            is_number = re.fullmatch(r"-?\d{1,18}", value, re.ASCII)
            if not is_number or not bounds["min"] <= int(value) <= bounds["max"]:
                return f"a number from {bounds['min']} to {bounds['max']}"
        return ""


class Uci(Program):
    """A chess engine."""

    kind = "uci"
    example = "uci:stockfish,UCI_Elo=2000"
    needs_limit = True
    hello: ClassVar[str] = "uci"
    """What it is greeted with; it answers that with `ok` behind."""

    @classmethod
    def must_suit(cls, game: Game) -> None:
        if game.name != "chess":
            raise UserError(f"uci is the protocol of chess engines; for {game} write ugi:PROGRAM")

    def move_name(self, s: Any, a: int) -> str:
        """An action in the protocol's words."""
        from counterplay.games.chess import notation  # only chess needs it

        name: Any = notation.uci
        return str(name(a))

    def _greet(self) -> None:
        self.send(self.hello)
        known: dict[str, Option] = {}
        for line in self.lines(START_SECONDS):
            if line.strip() == f"{self.hello}ok":
                break
            if (option := Option.read(line)) is not None:
                known[option.name.lower()] = option
        wanted = dict(self.order.options)
        if getattr(self.game, "chess960", False):
            wanted.setdefault("UCI_Chess960", "true")
        if "UCI_Elo" in wanted and "uci_limitstrength" in known:  # without it an engine does not heed the other
            wanted.setdefault("UCI_LimitStrength", "true")
        for name, value in wanted.items():
            option = known.get(name.lower())
            if option is None:
                close = difflib.get_close_matches(name.lower(), known, n=1)
                names = ", ".join(each.name for each in known.values())
                hint = f"did you mean {known[close[0]].name}?" if close else f"it has: {names or 'none'}"
                raise UserError(f"{self.order.text} has no option '{name}'; {hint}")
            if wrong := option.why_not(value):
                raise UserError(f"{self.order.text}: {option.name} is {wrong}, not '{value}'")
            self.send(f"setoption name {option.name} value {value}")
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
        names = {self.move_name(s, a): int(a) for a in listed_actions(self.game, s)}
        return names.get(name, names.get(name.lower(), -1))

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
