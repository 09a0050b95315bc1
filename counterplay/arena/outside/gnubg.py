"""GNU Backgammon, by the Python that is built into it.

    gnubg:plies=0               as it plays without looking ahead, which is well
    gnubg:plies=0,noise=0.1     and errs in its estimates by so many points

It evaluates for money, without a cube and with every gammon, as our game counts. It gets a home of its own, so that
neither what the user has set there nor another one of its kind gets in the way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from counterplay.arena.outside.player import START_SECONDS, Order, Program
from counterplay.core.game import Game, UserError
from counterplay.core.texts import read_value

__all__ = ["Gnubg"]

_MARK = "counterplay"
_CANNOT_MOVE = "pass"

# It sends an empty list where there is nothing to choose. Position by position: what was before plays no part.
_SCRIPT = """
import gnubg, json, sys
for command in {commands!r}:
    gnubg.command(command)
print({mark!r}, "ready", flush=True)
for line in open(0):
    gnubg.command("set gnubgid " + line.strip())
    hints = (gnubg.hint(1) or {{}}).get("hint", [])
    print({mark!r}, json.dumps([hint["move"] for hint in hints]), flush=True)
"""

COMMANDS = (
    "set player 0 human",
    "set player 1 human",
    "set display off",
    *(f"set automatic {each} off" for each in ("game", "roll", "move", "bearoff", "doubles")),
    "set jacoby off",
    "new session",
)

_MOST = {"plies": 4, "noise": 1.0}


class Gnubg(Program):
    """GNU Backgammon."""

    kind = "gnubg"
    example = "gnubg:plies=0"

    def __init__(self, game: Game, order: Order) -> None:
        if order.command:
            raise UserError(f"'{order.text}' is not of the form '{self.example}'")
        super().__init__(game, order._replace(command=("gnubg",)))
        self._settings = _settings(order)
        self._home: TemporaryDirectory[str] | None = None

    @classmethod
    def must_suit(cls, game: Game) -> None:
        if str(game) != "backgammon":
            raise UserError(f"gnubg plays backgammon, not {game}")

    def _start(self) -> None:
        self._home = self._home or TemporaryDirectory(prefix="counterplay-gnubg-")
        chequer = [f"set evaluation chequer evaluation {name} {value}" for name, value in self._settings.items()]
        script = Path(self._home.name) / "ask.py"
        script.write_text(_SCRIPT.format(commands=[*COMMANDS, *chequer], mark=_MARK))
        self._command = (self._command[0], "-t", "-q", "-r", "-p", str(script))
        super()._start()

    def _environment(self) -> Mapping[str, str] | None:
        assert self._home is not None  # it was made first
        return {"HOME": self._home.name}

    def close(self) -> None:
        super().close()
        if self._home is not None:
            self._home.cleanup()
            self._home = None

    def _greet(self) -> None:
        self._hear(START_SECONDS)

    def _ask(self, states: Sequence[Any]) -> str:
        self.send(self.game.to_text(states[-1]))
        plays = json.loads(self._hear(self.move_seconds))
        return str(plays[0]) if plays else _CANNOT_MOVE

    def _hear(self, seconds: float) -> str:
        """What it says to us, among all that it says."""
        for line in self.lines(seconds):
            if line.startswith(f"{_MARK} "):
                return line.removeprefix(f"{_MARK} ")
        raise AssertionError  # lines end by being lost only

    def _leave(self) -> None:
        """The end of its input is enough."""


def _settings(order: Order) -> dict[str, str]:
    """How it evaluates, in its own words."""
    settings = {"cubeful": "off", "plies": "0"}
    for name, text in order.options.items():
        if name not in _MOST:
            raise UserError(f"'{order.text}': there is no setting '{name}'; there are: {', '.join(_MOST)}")
        value, most = read_value(text), _MOST[name]
        if isinstance(value, bool) or not isinstance(value, int | type(most)) or not 0 <= value <= most:
            raise UserError(f"'{order.text}': {name} is a number from 0 to {most}, not '{text}'")
        settings[name] = f"{value}"
    return settings
