"""GTP, the Go Text Protocol, version 2 (Farnebäck 2002).

    [ID] COMMAND [ARGUMENT ...]      is answered by `=[ID] TEXT` or `?[ID] WHAT WAS WRONG`, and an empty line

    protocol_version, name, version, known_command NAME, list_commands, quit
    boardsize N, clear_board, komi X
    play COLOUR VERTEX               any colour at any time; VERTEX is like `D4`, or `pass`
    genmove COLOUR, reg_genmove COLOUR
    undo, showboard, final_score, set_free_handicap VERTEX ...
    time_settings MAIN PERIOD STONES, time_left COLOUR SECONDS STONES, kgs-time_settings KIND ...

Commands are answered one after the other: what comes while a move is being thought about waits.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from math import inf, isfinite
from typing import Any

from counterplay import __version__
from counterplay.apps.protocols.dispatcher import Protocol
from counterplay.apps.protocols.thinker import NO_HURRY, Ask, Thinker
from counterplay.arena import Budget, Clock, TimeLeft, allot
from counterplay.core.game import Position, UserError, listed_actions
from counterplay.games.go import Go
from counterplay.search import Limits, Result

__all__ = ["Gtp"]

_COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
_HOPELESS, _MANY = 0.03, 1_000
"""Who wins fewer than this part of so many simulations gives up."""


class Gtp(Protocol):
    """Speaks GTP."""

    games = (Go,)
    begins_warm = False  # most begin by saying how large the board is

    def __init__(self, thinker: Thinker, say: Callable[[str], None]) -> None:
        super().__init__(thinker, say)
        self._id = ""
        self._earlier: list[Position] = []
        """What `undo` goes back to."""
        self._clock: Clock | None = None
        self._used: tuple[list[float], list[float]] = ([], [])
        self._left: dict[int, TimeLeft] = {}
        """What the controller said last of each colour's time."""

    # ---- questions and answers

    def answer(self, text: str) -> None:
        self._id, line = _without_id(text)
        if line:
            super().answer(line)

    def complain(self, text: str, why: str) -> None:
        number, _ = _without_id(text) if text else (self._id, "")
        self.say(f"?{number} {why}\n")

    def _reply(self, text: str = "") -> None:
        self.say(f"={self._id}{'' if text[:1] in ('', chr(10)) else ' '}{text}\n")

    # ---- about us

    def do_protocol_version(self, rest: str) -> None:
        self._reply("2")

    def do_name(self, rest: str) -> None:
        self._reply("Counterplay")

    def do_version(self, rest: str) -> None:
        self._reply(__version__)

    def do_list_commands(self, rest: str) -> None:
        self._reply("\n".join(each.replace("kgs_", "kgs-") for each in self.commands()))

    def do_known_command(self, rest: str) -> None:
        self._reply("true" if rest.replace("kgs-", "kgs_") in self.commands() else "false")

    def do_quit(self, rest: str) -> None:
        self._reply()
        self.is_over = True

    # ---- the board

    @property
    def _go(self) -> Any:
        return self.thinker.game

    def do_boardsize(self, rest: str) -> None:
        if not re.fullmatch(r"[0-9]{1,4}", rest, re.ASCII):
            raise UserError("syntax error: boardsize wants a number")
        if not 1 <= int(rest) <= 19:
            raise UserError("unacceptable size")
        self._play(size=int(rest), columns=0)
        self._clear()
        self._reply()

    def do_clear_board(self, rest: str) -> None:
        self._clear()
        self._reply()

    def do_komi(self, rest: str) -> None:
        komi = _float(rest)
        if abs(komi) > 1000:
            raise UserError(f"syntax error: a komi is from -1000 to 1000, not {rest}")
        here = self.thinker.position
        earlier = self._earlier
        self._play(komi=komi)  # states know nothing of komi, so that the game goes on
        self.thinker.position, self._earlier = self._moved(here), [self._moved(each) for each in earlier]
        self._reply()

    def _play(self, **settings: float) -> None:
        """The same game with other parameters, if they are others."""
        game = type(self._go)(**{**self._go.settings, **settings})
        if game != self._go:
            self.thinker.play(game)

    def _moved(self, here: Position) -> Position:
        there = Position(self._go, here.state)
        there.history = here.history
        return there

    def _clear(self) -> None:
        self.thinker.position = Position(self._go, self._go.initial())
        self._earlier, self._used, self._left = [], ([], []), {}
        self.thinker.new_game()

    def do_play(self, rest: str) -> None:
        words = rest.split()
        if len(words) != 2:
            raise UserError("syntax error: write play COLOUR VERTEX")
        self._make(self._turned(_colour(words[0])), words[1])
        self._reply()

    def do_set_free_handicap(self, rest: str) -> None:
        words = rest.split()
        if self._earlier or len(words) < 2 or len({word.lower() for word in words}) < len(words):
            raise UserError("syntax error: two vertices or more, all different, on an empty board")
        before = self.thinker.position
        try:
            for word in words:
                if word.lower() == "pass":
                    raise UserError("syntax error: pass is no handicap")
                self._make(self._turned(0), word)
        except UserError:
            self.thinker.position, self._earlier = before, []
            raise
        self._reply()

    def do_undo(self, rest: str) -> None:
        if not self._earlier:
            raise UserError("cannot undo")
        self.thinker.position = self._earlier.pop()
        self._reply()

    def do_showboard(self, rest: str) -> None:
        self._reply("\n" + self._go.show(self.thinker.position.state))

    def do_final_score(self, rest: str) -> None:
        lead = self._go.area(self.thinker.position.state) - self._go.komi
        self._reply("0" if lead == 0 else f"{'B' if lead > 0 else 'W'}+{abs(lead):g}")

    def _turned(self, colour: int) -> Position:
        """The position with that colour to move: who is passed over has not passed. After two passes play goes on."""
        game, here = self._go, self.thinker.position
        s = here.state
        if game.is_terminal(s) and s.ply < game.limit:
            s = s._replace(passes=0)
        if game.player(s) != colour:
            s = game.result(s._replace(passes=0), game.pass_move)._replace(passes=s.passes)
        if s.ply >= game.limit:
            raise UserError("illegal move: the game is too long")
        turned = Position(game, s)
        turned.history = here.history
        return turned

    def _make(self, here: Position, vertex: str) -> None:
        """Play at a vertex; what was there before can be gone back to."""
        names = {self._go.action_name(here.state, a).lower(): int(a) for a in listed_actions(self._go, here.state)}
        if vertex.lower() not in names:
            raise UserError("illegal move" if _is_vertex(vertex) else "invalid color or coordinate")
        self._earlier.append(self.thinker.position)
        self.thinker.position = here.after(names[vertex.lower()])

    # ---- time

    def do_time_settings(self, rest: str) -> None:
        words = rest.split()
        if len(words) != 3:
            raise UserError("syntax error: write time_settings MAIN PERIOD STONES")
        main, period, stones = _float(words[0], 0), _float(words[1], 0), int(_float(words[2], 0))
        self._set_clock(None if period > 0 and stones == 0 else _canadian(main, period, stones))

    def do_kgs_time_settings(self, rest: str) -> None:
        kind, *words = rest.split() or [""]
        numbers = [_float(word, 0) for word in words]
        wanted = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3}
        if wanted.get(kind) != len(numbers):
            known = "none, absolute MAIN, byoyomi MAIN PERIOD PERIODS, canadian MAIN PERIOD STONES"
            raise UserError(f"syntax error: write {known}")
        if kind == "none":
            self._set_clock(None)
        elif kind == "absolute":
            self._set_clock(Clock(numbers[0]))
        elif kind == "canadian":
            self._set_clock(_canadian(numbers[0], numbers[1], int(numbers[2])))
        else:
            self._set_clock(Clock(numbers[0], period=numbers[1], periods=int(numbers[2])))

    def _set_clock(self, clock: Clock | None) -> None:
        self._clock, self._used, self._left = clock, ([], []), {}
        self._reply()

    def do_time_left(self, rest: str) -> None:
        words = rest.split()
        if len(words) != 3:
            raise UserError("syntax error: write time_left COLOUR SECONDS STONES")
        colour, seconds, stones = _colour(words[0]), _float(words[1], 0), int(_float(words[2], 0))
        clock = self._clock
        if clock is not None and clock.periods and stones:  # in byo-yomi, as KGS tells it: so many periods
            self._left[colour] = TimeLeft(0.0, period=min(clock.period, seconds), periods=stones)
        elif clock is not None and clock.periods:
            self._left[colour] = TimeLeft(seconds, period=clock.period, periods=clock.periods)
        else:
            self._left[colour] = TimeLeft(seconds, moves=stones or None)
        self._reply()

    def _budget(self, colour: int) -> Budget:
        if colour in self._left:
            left = self._left.pop(colour)
        elif self._clock is not None:
            left = self._clock.after(self._used[colour])
        else:
            return NO_HURRY
        return allot(left, self.thinker.options.overhead)

    # ---- thinking

    def do_genmove(self, rest: str) -> None:
        self._think(rest, plays=True)

    def do_reg_genmove(self, rest: str) -> None:
        self._think(rest, plays=False)

    def _think(self, rest: str, plays: bool) -> None:
        colour = _colour(rest)
        before, here = self.thinker.position, self._turned(colour)
        budget = self._budget(colour)
        ask = Ask(Limits(), budget) if budget != NO_HURRY else self.thinker.usual_ask()
        began = time.monotonic()
        self.thinker.position = here

        def answered(outcome: Result | Exception) -> None:
            self.thinker.position = before
            if isinstance(outcome, Exception):
                raise outcome
            s = here.state
            name = "resign" if _is_lost(outcome) else ""
            a = outcome.action if outcome.action is not None else self._go.pass_move
            if plays and not name:
                self._earlier.append(before)
                self.thinker.position = here.after(a)
                self._used[colour].append(time.monotonic() - began)
            self._reply(name or self._go.action_name(s, a))

        try:
            self.thinker.begin(ask, lambda result: None, answered)
        except UserError:
            self.thinker.position = before
            raise


def _is_lost(result: Result) -> bool:
    """Whether nothing helps, or next to nothing by many simulations: then it is polite to say so."""
    least, most = result.game.utility_range
    hope = (result.values[result.game.player(result.state)] - least) / (most - least)
    return hope <= 0.0 if result.proven else (result.simulations or 0) >= _MANY and hope < _HOPELESS


def _without_id(text: str) -> tuple[str, str]:
    """A command's number and the rest; without comments, tabs and what no terminal shows (section 2.2)."""
    clean = "".join(c for c in text.partition("#")[0].replace("\t", " ") if c.isprintable()).strip()
    number, _, rest = clean.partition(" ")
    return (number, rest.strip()) if re.fullmatch(r"[0-9]{1,10}", number, re.ASCII) else ("", clean)


def _colour(text: str) -> int:
    if text.lower() not in _COLOURS:
        raise UserError("invalid color or coordinate")
    return _COLOURS[text.lower()]


def _is_vertex(text: str) -> bool:
    return bool(re.fullmatch(r"[A-HJ-T](1[0-9]|[1-9])|PASS", text.upper(), re.ASCII))


def _float(text: str, least: float = -inf) -> float:
    try:
        x = float(text)
    except ValueError:
        x = inf
    if not (isfinite(x) and least <= x < 1e7):
        raise UserError(f"syntax error: '{text}' is no number that makes sense here")
    return x


def _canadian(main: float, period: float, stones: int) -> Clock:
    """Canadian byo-yomi as far as nobody tells how the time goes: a period's share is there for every stone."""
    return Clock(main, period=period / stones, periods=1) if period > 0 and stones > 0 else Clock(main)
