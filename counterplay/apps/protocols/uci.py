"""UCI, the Universal Chess Interface (Huber and Meyer-Kahlen 2000, revised 2006), for chess and what is like it.

    uci                                             the name, the options, `uciok`
    isready                                         `readyok`, also while thinking
    setoption name NAME [value VALUE]
    ucinewgame
    position startpos|fen FEN [moves MOVE ...]
    go [depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N] [mate N]
       [infinite] [ponder] [searchmoves MOVE ...]   `info ...` lines, then `bestmove MOVE [ponder MOVE]`
    stop, ponderhit, debug on|off, quit

What is wrong gets one line `info string ...`, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from math import inf
from typing import ClassVar, NamedTuple

from counterplay import __version__
from counterplay.apps.protocols.dispatcher import Protocol
from counterplay.apps.protocols.notation import line_names, move_name, read_move, score, whole_number
from counterplay.apps.protocols.thinker import ELO, FULL_SKILL, NO_HURRY, Ask, Thinker
from counterplay.arena import Budget, TimeLeft, allot
from counterplay.arena.book import has_book
from counterplay.core.game import Position, UserError, listed_actions
from counterplay.games.chess import Chess
from counterplay.search import ENGINES, Limits, Result
from counterplay.search.algorithms import choose
from counterplay.search.run import MOST_THREADS
from counterplay.study.analysis import BestLines

__all__ = ["Uci", "UniversalInterface"]

_NUMBERS = ("depth", "nodes", "movetime", "movestogo", "mate")
_FLAGS = ("infinite", "ponder")
_MOST = 10**12  # larger numbers than that are mistakes
_MOST_HASH_MB = 65_536
_MOST_LINES = 500
_NOTHING = "<empty>"  # what UCI writes for an empty text


# ---- options, as they are listed, and how their values are read


class _Spin(NamedTuple):
    field: str
    default: int
    least: int
    most: int
    unit: float = 1

    def __str__(self) -> str:
        return f"spin default {self.default} min {self.least} max {self.most}"

    def read(self, text: str) -> float:
        return whole_number(text, self.least, self.most) * self.unit


class _Check(NamedTuple):
    field: str
    default: bool = False

    def __str__(self) -> str:
        return f"check default {str(self.default).lower()}"

    def read(self, text: str) -> bool:
        return _switch(text)


class _Combo(NamedTuple):
    field: str
    default: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        return f"combo default {self.default} var {' var '.join(self.values)}"

    def read(self, text: str) -> str:
        if text not in self.values:
            raise UserError(f"'{text}' is none of {', '.join(self.values)}")
        return text


class _Path(NamedTuple):
    field: str

    def __str__(self) -> str:
        return f"string default {_NOTHING}"

    def read(self, text: str) -> str | None:
        return None if text in ("", _NOTHING) else text


class _Button(NamedTuple):
    field: str = ""

    def __str__(self) -> str:
        return "button"

    def read(self, text: str) -> None:
        pass


class _Rule(_Check):
    """A parameter of the game; the board is set up anew."""


_Option = _Spin | _Check | _Combo | _Path | _Button


class UniversalInterface(Protocol):
    """What UCI and UGI share."""

    word: ClassVar[str]
    """What the protocol calls itself in its commands."""
    urgent = frozenset({"isready", "stop", "ponderhit"})
    early = frozenset({"uci", "ugi", "debug", "quit"})

    def __init__(self, thinker: Thinker, say: Callable[[str], None], sides: Sequence[str]) -> None:
        """`sides`: how the players' clocks are called, `w` for `wtime` and `winc`."""
        super().__init__(thinker, say)
        self._sides = sides
        self._is_open = False
        self._held: Result | Exception | None = None
        """The answer to a search that may not be answered yet."""
        self._told = 0
        """The nodes of the result that was told last."""

    def complain(self, text: str, why: str) -> None:
        self.say(f"info string {why}")

    # ---- who we are, and what can be set

    def identify(self) -> None:
        self.say(f"id name Counterplay {__version__} {self.thinker.game}")
        self.say("id author the authors of Counterplay")
        for name, each in self._options.items():
            self.say(f"option name {name} type {each}")
        self.say(f"{self.word}ok")

    @cached_property
    def _options(self) -> dict[str, _Option]:
        kind = ENGINES[choose(self.thinker.game, ("nodes",))[0]]
        low, high = min(ELO.values()), max(ELO.values())
        is_960 = self.thinker.game.settings.get("chess960")
        rules = {} if is_960 is None else {"UCI_Chess960": _Rule("chess960", is_960)}
        names = self.thinker.models
        books = {"OwnBook": _Check("book")} if has_book(self.thinker.game) else {}
        syzygy = {"SyzygyPath": _Path("syzygy")} if isinstance(self.thinker.game, Chess) else {}
        models = {"Model": _Combo("model", self.thinker.model, names)} if len(names) > 1 else {}
        return {
            "Hash": _Spin("hash_mb", 256 if "memory_mb" in kind.setting_names() else 64, 1, _MOST_HASH_MB),
            "Threads": _Spin("threads", 1, 1, MOST_THREADS),
            "MultiPV": _Spin("multi", 1, 1, _MOST_LINES),
            "Move Overhead": _Spin("overhead", 30, 0, 5000, unit=0.001),
            "Skill Level": _Spin("skill", FULL_SKILL, 0, FULL_SKILL),
            "UCI_LimitStrength": _Check("limits_strength"),
            "UCI_Elo": _Spin("elo", high, low, high),
            "Ponder": _Check(""),  # whether the GUI will let us is no concern of ours
            "Clear Hash": _Button(),
            **books,
            **syzygy,
            **models,
            **rules,
        }

    def do_setoption(self, rest: str) -> None:
        words = rest.split()
        if not words or words[0] != "name":
            raise UserError("write setoption name NAME value VALUE")
        at = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:at]), " ".join(words[at + 1 :])
        known = {each.lower(): each for each in self._options}
        if name.lower() not in known:
            raise UserError(f"there is no option '{name}'; there are: {', '.join(known.values())}")
        name = known[name.lower()]
        option = self._options[name]
        setting = option.read(value)
        if isinstance(option, _Button):
            self.thinker.new_game()
        elif isinstance(option, _Rule):
            game = self.thinker.game
            self.thinker.play(type(game)(**{**game.settings, option.field: setting}))
        elif option.field:
            self.thinker.set_options(**{option.field: setting})

    def do_debug(self, rest: str) -> None:
        _switch({"on": "true", "off": "false"}.get(rest, rest))  # there is nothing more to tell than is told anyway

    def do_isready(self, rest: str) -> None:
        self.say("readyok")

    def do_quit(self, rest: str) -> None:
        self.is_over = True

    # ---- the position

    def do_position(self, rest: str) -> None:
        game, words = self.thinker.game, rest.split()
        at = words.index("moves") if "moves" in words else len(words)
        kind, text, names = (words or [""])[0], " ".join(words[1:at]), words[at + 1 :]
        if kind == "startpos" and not text:
            begins = Position(game, game.initial())
        elif kind == "fen" and text:
            begins = Position(game, game.from_text(text))
        else:
            raise UserError("write position startpos, or position fen FEN, and then perhaps moves MOVE ...")
        self.thinker.set_up(begins, names, lambda s, name: read_move(game, s, name))

    # ---- thinking

    @property
    def is_busy(self) -> bool:
        return super().is_busy or self._held is not None

    def do_go(self, rest: str) -> None:
        given, moves = self._read_go(rest.split())
        only = tuple(read_move(self.thinker.game, self.thinker.position.state, name) for name in moves)
        depth = given.get("depth", 2 * given["mate"] - 1 if "mate" in given else None)
        limits = Limits(depth=depth, nodes=given.get("nodes"))
        is_open = "infinite" in given or "ponder" in given
        ask = Ask(limits, self._budget(given), only, is_open=is_open)
        if not is_open and not limits.given() and ask.budget == NO_HURRY:
            ask = replace(self.thinker.usual_ask(), only=only)
        self.thinker.begin(ask, self._tell, self._answered)
        self._is_open, self._told = is_open, 0

    def _read_go(self, words: Sequence[str]) -> tuple[dict[str, int], Sequence[str]]:
        """The numbers of a `go` by their names, and the moves that may be searched."""
        clocks = [f"{side}{what}" for side in self._sides for what in ("time", "inc")]
        given: dict[str, int] = {}
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word == "searchmoves":
                if not rest:
                    raise UserError("searchmoves wants moves")
                return given, rest
            if word in given:
                raise UserError(f"go says twice what {word} is")
            if word in _FLAGS:
                given[word] = 1
            elif word in _NUMBERS or word in clocks:
                least = -_MOST if word.endswith("time") and word in clocks else 0 if word in clocks else 1
                given[word] = whole_number(rest.pop(0) if rest else "", least, _MOST)
            else:
                raise UserError(f"go knows no '{word}'")
        return given, ()

    def _budget(self, given: dict[str, int]) -> Budget:
        """How long to think, by the clock of who is to move. What comes first ends it."""
        overhead, game, s = self.thinker.options.overhead, self.thinker.game, self.thinker.position.state
        budget = NO_HURRY
        side = self._sides[game.player(s)] if not game.is_terminal(s) else self._sides[0]
        if "movetime" in given:
            budget = Budget(inf, max(0.001, given["movetime"] / 1000 - overhead))
        if f"{side}time" in given and "infinite" not in given:
            seconds, gain = given[f"{side}time"] / 1000, given.get(f"{side}inc", 0) / 1000
            clock = allot(TimeLeft(seconds, gain, given.get("movestogo")), overhead)
            budget = Budget(clock.target, min(clock.limit, budget.limit))
        return budget

    def do_stop(self, rest: str) -> None:
        self._let_answer()
        self.thinker.stop()

    def do_ponderhit(self, rest: str) -> None:
        self.thinker.hurry()
        self._let_answer()

    def release(self) -> None:
        if self._is_open:
            self.do_stop("")

    def _let_answer(self) -> None:
        """From now on the search may be answered; if it has ended, it is."""
        held, self._is_open, self._held = self._held, False, None
        if held is not None:
            self._say_best(held)

    # ---- what was found

    def _answered(self, outcome: Result | Exception) -> None:
        if self._is_open:
            self._held = outcome
        else:
            self._say_best(outcome)

    def _say_best(self, outcome: Result | Exception) -> None:
        game = self.thinker.game
        if isinstance(outcome, Exception):
            self.say(f"info string {' '.join(str(outcome).split())}")
            self.say("bestmove (none)")
            return
        if outcome.nodes != self._told or self.thinker.options.level is not None:
            self._tell(outcome)
        s, line = outcome.state, outcome.line
        if game.is_terminal(s):
            self.say("bestmove (none)")
            return
        a = outcome.action if outcome.action is not None else listed_actions(game, s)[0]
        names = line_names(game, s, line[:2]) if line[:1] == (a,) else [move_name(game, s, a)]
        self.say(f"bestmove {names[0]}" + (f" ponder {names[1]}" if len(names) > 1 else ""))

    def _tell(self, result: Result) -> None:
        """A line for each of the best moves."""
        game, s = result.game, result.state
        self._told = result.nodes
        ms = round(1000 * result.seconds)
        speed = round(result.nodes / result.seconds) if result.seconds > 0 else result.nodes
        spent = f"nodes {result.nodes} nps {speed} hashfull {self.thinker.hash_full()} time {ms}"
        if game.is_terminal(s):
            self.say(f"info depth 0 score {score(game, self._for_mover(result.values), 0)} {spent}")
            return
        p = game.player(s)
        best = BestLines(result, self.thinker.options.multi).lines
        if not best or self.thinker.options.level is not None:  # a level tells what it plays
            best = tuple(each for each in result.actions if each.action == result.action)
        deepest = max([result.depth, *(len(each.line) for each in best)])
        for rank, each in enumerate(best, 1):
            within = result.within if each.action == result.action and result.is_shortest else each.within
            bound = "" if each.exact else " upperbound"
            self.say(
                f"info depth {result.depth} seldepth {deepest} multipv {rank}"
                f" score {score(game, each.values[p], within)}{bound}"
                f" {spent} pv {' '.join(line_names(game, s, each.line))}"
            )

    def _for_mover(self, values: Sequence[float]) -> float:
        """What whoever would be to move gets of a game that is over."""
        s = self.thinker.position.state
        return values[max(0, self.thinker.game.player(s))]


class Uci(UniversalInterface):
    """Speaks UCI."""

    word = "uci"

    def __init__(self, thinker: Thinker, say: Callable[[str], None]) -> None:
        super().__init__(thinker, say, ("w", "b"))

    def do_uci(self, rest: str) -> None:
        self.identify()

    def do_ucinewgame(self, rest: str) -> None:
        self.thinker.new_game()


def _switch(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise UserError(f"'{text}' is neither true nor false")
    return text.lower() == "true"
