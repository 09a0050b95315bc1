"""NBoard's protocol for Othello, versions 1 and 2 (Welty 2004, 2014).

    nboard VERSION                   `set myname ...`
    set depth N, set game GGF, set contempt X
    move MOVE[/EVAL/TIME]            `F5`, or `PA` for a pass
    hint N                           the N best moves, `search PV EVAL 0 DEPTH`, as they are found
    go                               the same of the best one, then `=== MOVE/EVAL/TIME`; it is not played
    ping N                           thinking ends, then `pong N`
    learn                            `learned`: games are not kept
    analyze                          `analysis PLY EVAL` of each position of the game, from the last to the first
    quit

An EVAL is for who is to move, in discs. Where the game counts wins only, 64 is a sure win and 0 an even game. What is
wrong gets one line `status error: ...`, and changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from counterplay.apps.protocols.dispatcher import Protocol
from counterplay.apps.protocols.notation import whole_number
from counterplay.apps.protocols.thinker import Ask, Thinker
from counterplay.core.game import Position, UserError, listed_actions
from counterplay.games.othello import Othello
from counterplay.search import Limits, Result
from counterplay.study.analysis import BestLines

__all__ = ["NBoard"]

_MOST_DEPTH = 60
_PROPERTY = re.compile(r"([A-Z]{1,2})\[([^\]]*)\]", re.ASCII)


class NBoard(Protocol):
    """Speaks NBoard's protocol."""

    games = (Othello,)
    urgent = frozenset({"ping", "quit"})
    early = frozenset({"nboard", "quit"})

    def __init__(self, thinker: Thinker, say: Callable[[str], None]) -> None:
        super().__init__(thinker, say)
        self._depth: int | None = None
        self._lines = 1
        self._separator = "/"
        self._pings: list[str] = []
        """Pings that are answered when the search has ended."""

    def complain(self, text: str, why: str) -> None:
        self.say(f"status error: {why}")

    @property
    def _othello(self) -> Any:
        return self.thinker.game

    # ---- setting up

    def do_nboard(self, rest: str) -> None:
        version = whole_number(rest, 1, 99)
        self._separator = "/" if version == 1 else " "
        self._say_name()

    def do_set(self, rest: str) -> None:
        what, _, value = rest.partition(" ")
        settings = {"depth": self._set_depth, "game": self._set_game, "contempt": _float}
        if what not in settings:
            raise UserError(f"there is {', '.join(settings)} to set, not '{what}'")
        settings[what](value.strip())

    def _set_depth(self, value: str) -> None:
        self._depth = whole_number(value, 1, _MOST_DEPTH)
        self._say_name()

    def _say_name(self) -> None:
        self.say(f"set myname Counterplay{self._depth or ''}")

    def _set_game(self, value: str) -> None:
        begins, moves = read_ggf(self._othello, value)
        self.thinker.set_up(Position(self._othello, begins), moves, self._read)

    def do_move(self, rest: str) -> None:
        name, *_ = re.split(r"[/ ]", rest)
        if self._othello.is_terminal(self.thinker.position.state):
            raise UserError("the game is over")
        self.thinker.make(self._read(self.thinker.position.state, name))

    def _read(self, s: Any, name: str) -> int:
        """The move of a name. GGF and NBoard write a pass as PA."""
        return int(self._othello.parse_action(s, "pass" if name.lower() in ("pa", "pass") else name.lower()))

    def _name(self, s: Any, a: int) -> str:
        name = self._othello.action_name(s, a)
        return "PA" if name == "pass" else name.upper()

    # ---- thinking

    def do_hint(self, rest: str) -> None:
        self._lines = whole_number(rest or "1", 1, 1000)
        self._think(self._hinted)

    def do_go(self, rest: str) -> None:
        self._lines = 1
        self._think(self._chosen)

    def _ask(self) -> Ask:
        usual = self.thinker.usual_ask(self._lines)
        return usual if self._depth is None else Ask(Limits(depth=self._depth), multi=self._lines)

    def _think(self, answered: Callable[[Result], None]) -> None:
        if self._othello.is_terminal(self.thinker.position.state):
            raise UserError("the game is over")

        def done(outcome: Result | Exception) -> None:
            try:
                if isinstance(outcome, Exception):
                    raise outcome
                answered(outcome)
            finally:
                self._pong()

        self.thinker.begin(self._ask(), self._tell, done)

    def _tell(self, result: Result) -> None:
        game, s = self._othello, result.state
        p = game.player(s)
        for each in BestLines(result, self._lines).lines:
            names, t = [], s
            for a in each.line:
                names.append(self._name(t, a))
                t = game.result(t, a)
            self.say(f"search {''.join(names)} {self._eval(each.values[p])} 0 {result.depth}")
        self.say(f"nodestats {result.nodes} {result.seconds:.2f}")

    def _hinted(self, result: Result) -> None:
        self._tell(result)
        self.say("status")

    def _chosen(self, result: Result) -> None:
        self._tell(result)
        game, s = self._othello, result.state
        a = result.action if result.action is not None else listed_actions(game, s)[0]
        worth = self._eval(result.values[game.player(s)])
        self.say(f"=== {self._separator.join((self._name(s, a), worth, f'{result.seconds:.2f}'))}")

    def _eval(self, v: float) -> str:
        discs = self._othello.in_units(v)
        return f"{v * self._othello.size**2 if discs is None else discs:.2f}"

    def do_ping(self, rest: str) -> None:
        number = whole_number(rest, -(10**9), 10**9)
        self._pings.append(str(number))
        if self.thinker.is_thinking:
            self.thinker.stop()
        else:
            self._pong()

    def _pong(self) -> None:
        pings, self._pings = self._pings, []
        for each in pings:
            self.say(f"pong {each}")

    def do_learn(self, rest: str) -> None:
        self.say("learned")

    def do_analyze(self, rest: str) -> None:
        """One search after the other, each begun by the answer to the one before."""
        here = self.thinker.position
        self._lines = 1
        self._analyse(here, [*here.history, here.state])

    def _analyse(self, here: Position, states: Sequence[Any]) -> None:
        game, s = self._othello, states[-1]

        def done(outcome: Result | Exception) -> None:
            self.thinker.position = here
            if isinstance(outcome, Exception):
                self._pong()
                raise outcome
            p = 0 if game.is_terminal(s) else game.player(s)
            self.say(f"analysis {len(states) - 1} {self._eval(outcome.values[p])}")
            if len(states) > 1 and not self._pings:
                self._analyse(here, states[:-1])
            else:
                self._pong()

        self.thinker.position = Position(game, s)
        try:
            self.thinker.begin(self._ask(), lambda result: None, done)
        except BaseException:
            self.thinker.position = here
            raise

    def do_quit(self, rest: str) -> None:
        self.is_over = True


def read_ggf(game: Any, text: str) -> tuple[Any, list[str]]:
    """The first position and the moves of a game in GGF: `(;GM[Othello]...BO[8 ---...--- *]B[F5]W[D6];)`."""
    if not (text.startswith("(;") and text.endswith(";)")):
        raise UserError("a game in GGF begins with (; and ends with ;)")
    begins, moves = game.initial(), []
    for name, value in _PROPERTY.findall(text):
        if name == "BO":
            size, *rest = value.split() or [""]
            squares, side = "".join(rest[:-1]), (rest or [""])[-1]
            n = game.size
            if size != str(n) or len(squares) != n * n or set(squares) - set("-*Oo") or side not in ("*", "O"):
                raise UserError(f"BO[...] is no board of {n} times {n} squares of -, * and O, and who is to move")
            rows = [squares[i : i + n] for i in range(0, n * n, n)]
            board = "/".join(rows).translate(str.maketrans("-*Oo", ".xoo"))
            begins = game.from_text(f"{board} {'x' if side == '*' else 'o'}")
        elif name in ("B", "W"):
            moves.append(value.split("/")[0].strip())
        elif name == "GM" and value.lower() != "othello":
            raise UserError(f"the game is {value}, not Othello")
    return begins, moves


def _float(text: str) -> None:
    try:
        float(text)
    except ValueError:
        raise UserError(f"'{text}' is no number") from None
