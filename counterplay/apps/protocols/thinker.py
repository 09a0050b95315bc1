"""What all protocols share: a game, the position on the board, the options, an engine, and the search that goes on.

A `Thinker` is used by one thread. Its searches run in others, and what they find comes back as events: `post` gets a
function that the one thread calls when it gets to it. So no protocol needs a lock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, NamedTuple

from counterplay import search
from counterplay.arena import LEVELS, Budget
from counterplay.arena.book import has_book, shipped_book
from counterplay.arena.levels import LevelPlayer
from counterplay.arena.syzygy import Syzygy
from counterplay.arena.timing import is_sure, longest
from counterplay.core.game import CHANCE, Game, Position, UserError, listed_actions
from counterplay.core.randomness import Dice
from counterplay.learn.shelf import SHIPPED, has_shipped, named, usual, with_usual
from counterplay.search import Limits, Result
from counterplay.search.algorithms import choose
from counterplay.search.run import Job

__all__ = ["BUDGET", "ELO", "FULL_SKILL", "NO_HURRY", "NO_MODEL", "Ask", "Options", "Thinker"]

BUDGET = Limits(nodes=1_000_000, seconds=10.0)
"""What a move may cost where the protocol says nothing: as much as `counterplay search` takes."""
NO_HURRY = Budget(inf, inf)
NO_MODEL = "none"
"""What stands for the game's own estimate where models are named."""

FULL_SKILL = 20
"""The `Skill Level` at which all is done that can be; those below are two to a level."""
ELO = {1: 200, 2: 650, 3: 900, 4: 1050, 5: 1325, 6: 1525, 7: 1775, 8: 1875, 9: 2075, 10: 2450}
"""What `UCI_Elo` takes the levels for; docs/protocols.md says how good a guess that is."""

_FOREVER = 1e8
"""Seconds. A search that is to be stopped from outside needs some limit of time, so that it goes step by step."""
_ENOUGH = 0.5
"""The next depth takes longer than all before it, so that it is not begun after so much of the usual time."""
_AT_ONCE_SECONDS, _AT_ONCE_NODES = 0.005, 200
"""Who has less time than that looks at so many nodes, which is better than nothing."""
_LAST_WAIT_SECONDS = 15.0
"""How long to wait at the end for a search that has been stopped; the compiler cannot be."""


@dataclass(frozen=True)
class Options:
    """What a user may set."""

    hash_mb: int | None = None
    """Memory for what a search remembers; None: as much as the search usually takes."""
    threads: int = 1
    multi: int = 1
    """How many best lines are told."""
    overhead: float = 0.03
    """Seconds that a move takes beside the thinking."""
    skill: int = FULL_SKILL
    limits_strength: bool = False
    elo: int = ELO[10]
    model: str | None = None
    """Whose estimate it goes by; None: that of the usual model, if there is one, which levels do without."""
    book: bool = False
    """Whether moves of the opening book are played without thinking; levels do without, too."""
    syzygy: str | None = None
    """The folder of the Syzygy tables that it plays by; levels do without."""

    @staticmethod
    def skill_of(level: int | None) -> int:
        """The `Skill Level` that is one of the ten levels, or none of them."""
        if level is None:
            return FULL_SKILL
        if level not in LEVELS:
            raise UserError(f"a level is from 1 to {len(LEVELS)}, not {level}")
        return (level - 1) * FULL_SKILL // len(LEVELS)

    @property
    def level(self) -> int | None:
        """One of the ten levels; None: as good as can be."""
        if self.limits_strength:
            return max((level for level, elo in ELO.items() if elo <= self.elo), default=1)
        return None if self.skill >= FULL_SKILL else 1 + self.skill * len(LEVELS) // FULL_SKILL


@dataclass(frozen=True)
class Ask:
    """What is asked of a search."""

    limits: Limits = field(default_factory=Limits)
    """Of nodes or depth; those of time are in the budget."""
    budget: Budget = NO_HURRY
    only: tuple[int, ...] = ()
    multi: int | None = None
    """How many best lines; None: as the options say."""
    is_open: bool = False
    """It must not be answered before somebody says so."""


class _Known(NamedTuple):
    """A game as it was sent, and where it led."""

    begins: Position
    names: tuple[str, ...]
    here: Position


class Thinker:
    """Holds a game and thinks about it."""

    def __init__(self, game: Game, post: Callable[[Callable[[], None]], None]) -> None:
        self.options, self.usual = Options(), BUDGET
        self.files: tuple[str, ...] = ()
        """The models that whoever started us has named. No other is ever read: the one who asks is anybody."""
        self._post = post
        self._search: _Search | None = None
        self._games = 0
        """How many have begun: a level errs differently in each."""
        self.play(game)

    def play(self, game: Game) -> None:
        """Turn to another game, or to another board of it, at its beginning."""
        self._engines: dict[str, search.Engine] = {}
        self._known_by: dict[str, Game] = {}
        self.game, self.position = game, Position(game, game.initial())
        self._known = _Known(self.position, (), self.position)

    # ---- whose estimates it goes by

    @property
    def models(self) -> tuple[str, ...]:
        """The names that the option `model` takes."""
        return (NO_MODEL, *((SHIPPED,) if has_shipped(self.game) else ()), *self.files)

    @property
    def model(self) -> str:
        """The name of the model that estimates for a search without limits."""
        return self.options.model or usual(self.game, choose(self.game)[0]) or NO_MODEL

    @property
    def _estimated(self) -> Game:
        """The game with the estimate that somebody asked for, if anybody did."""
        name = self.options.model
        if name is None or name == NO_MODEL:
            return self.game
        if name not in self._known_by:
            self._known_by[name] = self.game.with_model(named(self.game, name))
        return self._known_by[name]

    @property
    def _syzygy(self) -> Syzygy | None:
        """The Syzygy tables that it plays by, if somebody has named any."""
        return None if self.options.syzygy is None else Syzygy(self.game, self.options.syzygy)

    # ---- the position

    def set_up(self, begins: Position, names: Sequence[str], read: Callable[[Any, str], int]) -> None:
        """The position after moves, each read by `read(s, name)`. If one is not legal, nothing changes.

        A GUI sends the whole game with each move, so that those that are known already are not read again.
        """
        known = self._known
        is_more = known.begins == begins and tuple(names[: len(known.names)]) == known.names
        here = known.here if is_more else begins
        states = [*here.history, here.state]
        for name in names[len(known.names) :] if is_more else names:
            if self.game.is_terminal(states[-1]):
                raise UserError(f"'{name}' cannot be played: the game is over")
            states.append(self.game.result(states[-1], read(states[-1], name)))
        *earlier, s = states
        here = Position(self.game, s)
        here.history = tuple(earlier)
        self.position, self._known = here, _Known(begins, tuple(names), here)

    def make(self, a: int) -> None:
        """Play a legal action."""
        self.position = self.position.after(a)

    # ---- thinking

    @property
    def is_thinking(self) -> bool:
        return self._search is not None

    @property
    def is_warming(self) -> bool:
        """Whether nobody has asked for what goes on."""
        return self._search is not None and self._search.tell is None

    @property
    def deadline(self) -> float:
        """When the search has to be stopped, by `time.monotonic`."""
        return inf if self._search is None else self._search.deadline

    def begin(self, ask: Ask, told: Callable[[Result], None], answered: Callable[[Result | Exception], None]) -> None:
        """Search the position. `told` gets what each depth finds, `answered` what is found in the end."""
        game, s = self.game, self.position.state
        if self.is_thinking:
            raise UserError("a search is going on")
        if not game.is_terminal(s) and game.player(s) == CHANCE:
            raise UserError("chance is to move: its throw must be sent as a move")
        limits = ask.limits
        if not limits.given():
            limits = Limits(seconds=_FOREVER)
        if ask.budget.limit < _AT_ONCE_SECONDS and not ask.is_open:
            limits = Limits(nodes=min(_AT_ONCE_NODES, limits.nodes or _AT_ONCE_NODES))
        level = self.options.level
        asker: _Asker
        if level is not None:
            asker = _LevelAsker(LevelPlayer(self._estimated, level, seed=self._games))
        else:
            multi = self.options.multi if ask.multi is None else ask.multi
            known = self._from_book() if self.options.book and not ask.only and not ask.is_open else None
            tables = self._syzygy
            only = ask.only if tables is None else tables.narrow(self.position, only=ask.only)
            if isinstance(only, Result):
                asker = _KnownAsker(only)
            elif known is None:
                asker = _EngineAsker(self._engine(limits), limits, multi, only)
            else:
                asker = _EngineAsker(self._engine(limits), Limits(nodes=_AT_ONCE_NODES), 1, (known,))
        is_forced = not game.is_terminal(s) and len(listed_actions(game, s)) == 1
        self._search = _Search(asker, self.position, ask.budget, is_forced, told, answered, self._post, self._done)
        if not ask.is_open:
            self._search.hurry()

    def usual_ask(self, multi: int | None = None) -> Ask:
        """What is asked where the protocol sets no limits."""
        seconds = inf if self.usual.seconds is None else self.usual.seconds
        return Ask(replace(self.usual, seconds=None), Budget(inf, seconds), multi=multi)

    def warm_up(self) -> None:
        """Compile in the background what the first search needs, so that it is in time."""
        if not self.is_thinking and not self.game.is_terminal(self.game.initial()):
            here = Position(self.game, self.game.initial())
            if self.game.player(here.state) == CHANCE:
                here = here.after(listed_actions(self.game, here.state)[0])
            asker = _EngineAsker(self._engine(Limits(nodes=1)), Limits(nodes=1), 1, ())
            self._search = _Search(asker, here, NO_HURRY, False, None, self._warmed, self._post, self._done)

    def hurry(self) -> None:
        """From now on time counts for the search that is going on."""
        if self._search is not None:
            self._search.hurry()

    def stop(self) -> None:
        """End the search that is going on, with what is known by then."""
        if self._search is not None:
            self._search.stop()

    def new_game(self) -> None:
        """Forget what earlier searches have seen."""
        self._games += 1
        for engine in self._engines.values():
            engine.new_game(seed=0)

    def set_options(self, **changes: Any) -> None:
        """Change options; an engine that is another by that is made when it is needed."""
        before, self.options = self.options, replace(self.options, **changes)
        try:
            _ = self._estimated, self._syzygy  # of a model or of tables that are of no use this says so
        except UserError:
            self.options = before
            raise
        if any(getattr(before, name) != getattr(self.options, name) for name in ("hash_mb", "threads", "model")):
            self._engines = {}

    def close(self) -> None:
        """Stop, and wait for the end of it."""
        self.stop()
        if self._search is not None:
            self._search.job.wait(_LAST_WAIT_SECONDS)

    def hash_full(self) -> int:
        """How many of a thousand places of the table are taken."""
        tables = [getattr(engine, "table", None) for engine in self._engines.values()]
        return max((int(table.permille) for table in tables if table is not None), default=0)

    # ---- inside

    def _from_book(self) -> int | None:
        """The move of the opening book, if it has one here."""
        if not has_book(self.game):
            return None
        dice = Dice(self._games, "book", len(self.position.history))
        return shipped_book(self.game).choose(self.position.state, dice)

    def _engine(self, limits: Limits) -> search.Engine:
        """The engine that `counterplay search` would take for these limits."""
        game = self._estimated
        name, settings = choose(game, limits.given())
        if name not in self._engines:
            kind = search.ENGINES[name]
            given = {"threads": self.options.threads} if kind.abilities.threads else {}
            memory = {"table_mb", "memory_mb"} & set(kind.setting_names())
            if self.options.hash_mb is not None:
                given |= dict.fromkeys(memory, self.options.hash_mb)
            seen = with_usual(game, name) if self.options.model is None else game
            self._engines[name] = engine = search.new_engine(name, seen, **settings, **given)
            engine.hasten()  # it is asked many times, often for a tenth of a second
        return self._engines[name]

    def _done(self) -> None:
        self._search = None

    def _warmed(self, outcome: Result | Exception) -> None:
        """Nobody asked for it; what was wrong comes up again when somebody does."""
        self.new_game()


# ---- one search


class _EngineAsker:
    """Asks an engine."""

    def __init__(self, engine: search.Engine, limits: Limits, multi: int, only: tuple[int, ...]) -> None:
        self.engine, self._limits, self._multi, self._only = engine, limits, multi, only
        self.deepens, self.simulates = ("depth" in engine.abilities.limits, "simulations" in engine.abilities.limits)

    def lead(self) -> float | None:
        return self.engine.lead()

    def start(self, here: Position, progress: Any, then: Callable[[], None]) -> Job[Result]:
        limits, multi, only, history = self._limits, self._multi, self._only, here.history
        return self.engine.start(
            here.state, limits, multi=multi, only=only, history=history, progress=progress, then=then
        )


class _LevelAsker:
    """Asks a player of a level, which has limits of its own."""

    deepens = simulates = False

    def __init__(self, player: LevelPlayer) -> None:
        self.engine = player

    def lead(self) -> float | None:
        return None

    def start(self, here: Position, progress: Any, then: Callable[[], None]) -> Job[Result]:
        states = (*here.history, here.state)
        return Job(lambda: self.engine.search(states, progress), self.engine.stop, then)


class _KnownAsker:
    """Has nothing to ask: the answer is known."""

    deepens = simulates = False

    def __init__(self, answer: Result) -> None:
        self._answer = answer

    def lead(self) -> float | None:
        return None

    def start(self, here: Position, progress: Any, then: Callable[[], None]) -> Job[Result]:
        return Job(lambda: self._answer, lambda: None, then)


_Asker = _EngineAsker | _LevelAsker | _KnownAsker


class _Search:
    """A search that goes on in a thread of its own, and what has become of it."""

    def __init__(
        self,
        asker: _Asker,
        here: Position,
        budget: Budget,
        is_forced: bool,
        tell: Callable[[Result], None] | None,
        answered: Callable[[Result | Exception], None],
        post: Callable[[Callable[[], None]], None],
        done: Callable[[], None],
    ) -> None:
        self.asker, self.tell = asker, tell
        self.deadline = inf
        self._budget, self._is_forced = budget, is_forced
        self._post = post
        self._began, self._is_stopped = time.monotonic(), False

        def end() -> None:
            outcome: Result | Exception
            try:
                outcome = self.job.result()
            except Exception as error:
                outcome = error
            done()
            answered(outcome)

        self.job = asker.start(here, self, lambda: post(end))

    def __call__(self, tally: Any) -> None:
        """Called by the search, about ten times a second."""
        if self._is_stopped or self._is_sure():  # of a level, it may have been said before there was anything to stop
            tally.stop = 1

    def _is_sure(self) -> bool:
        """Whether a search by simulations knows enough."""
        if self.deadline == inf or not self.asker.simulates:
            return False
        return self._is_forced or is_sure(self.asker.lead(), time.monotonic() - self._began, self._budget)

    def found(self, result: Result) -> None:
        """Called by the search, after each depth."""
        self._post(lambda: self._take(result))

    def _take(self, result: Result) -> None:
        if self.tell is not None:
            self.tell(result)
        spent = time.monotonic() - self._began
        if self.deadline < inf and (self._is_forced or spent > _ENOUGH * self._budget.target):
            self.stop()

    def hurry(self) -> None:
        limit = longest(self._budget, self.asker.deepens, self.asker.simulates)
        self.deadline = time.monotonic() + max(limit, _AT_ONCE_SECONDS)

    def stop(self) -> None:
        self._is_stopped = True
        self.deadline = inf
        self.job.stop()
