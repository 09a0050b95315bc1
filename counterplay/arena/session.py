"""A session: a game that is being played, by people and players, whatever shows it.

    session = Session.begin("connect_four", ["human", "level:5"])
    session.play("4")             # a person's move
    session.think()               # the computer's, or a throw of the dice
    session.undo()

Everything random depends on the seed and the ply only, and players remember nothing from move to move, so that a game
taken back, or saved and loaded, goes on as it would have. Every method may be called from any thread while `think`,
`choose` or `advise` runs in another; whatever changes the game ends that search.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from threading import RLock
from typing import Any

from counterplay import games, search
from counterplay.arena.levels import LEVELS, LevelPlayer
from counterplay.arena.outside import Forfeit, must_run_nothing
from counterplay.arena.players import dismiss, new_player
from counterplay.arena.saved import SavedGame
from counterplay.arena.timing import Clock, TimeLeft, allot
from counterplay.core.files import read_text
from counterplay.core.game import CHANCE, Game, IllegalAction, Position, UserError, is_repeated, listed_actions
from counterplay.core.randomness import new_random, seed_at
from counterplay.core.views import View, view
from counterplay.search.repetition import draw_value
from counterplay.search.run import Progress

__all__ = ["HUMAN", "Choice", "Ending", "Session", "split_players"]

HUMAN = "human"
"""What stands for a person where players are named."""
_SHOWN = 8  # legal moves that an error lists
_HINT_SECONDS = 5.0  # where rules run interpreted, the nodes of the highest level would take a minute
_LATE_SECONDS = 0.1  # a search is told the time ten times a second, so that it may end so late


def split_players(text: str) -> tuple[str, ...]:
    """Players joined by commas, as their settings are, too: `alphabeta:depth=6,table_mb=32,human` are two."""
    return tuple(each.strip() for each in re.split(r",(?!\s*\w[\w .-]*=)", text))


@dataclass(frozen=True)
class Choice:
    """What the computer, or chance, plays."""

    seat: int
    """Whose move it is; CHANCE for a throw of the dice."""
    action: int
    name: str
    result: search.Result | None = None
    """The search behind it, if there was one."""
    is_stopped: bool = False
    """Whether it had to move at once: by `stop` or ctrl-C."""

    def as_dict(self) -> dict[str, Any]:
        about = {"seat": self.seat, "action": self.action, "name": self.name, "stopped": self.is_stopped}
        return about | {"result": None if self.result is None else self.result.as_dict()}


@dataclass(frozen=True)
class Ending:
    """How a game ended."""

    by: str
    """`rules`, `repetition`, `resignation` or `time`."""
    winners: tuple[int, ...]
    """The seats that won; none in a draw, and where it is not said who gains when one of several gives up."""
    utilities: tuple[float, ...] | None
    """By seat; None if the rules did not come so far."""
    seat: int | None = None
    """Who resigned, or ran out of time."""

    def as_dict(self) -> dict[str, Any]:
        utilities = None if self.utilities is None else list(self.utilities)
        return {"by": self.by, "winners": list(self.winners), "utilities": utilities, "seat": self.seat}


class Session:
    """A game from its beginning to its end: seats, moves, clocks."""

    def __init__(
        self,
        saved: SavedGame,
        game: Game | None = None,
        now: Callable[[], float] = time.monotonic,
        adviser: Game | None = None,
    ) -> None:
        """Go on with a game as it was saved. `game`: what `saved.load()` gives, if it is there already.

        `now` tells the time in seconds, from any beginning. `adviser`: the game as whoever gives advice sees it, with
        a model's estimate perhaps.
        """
        self.game = saved.load() if game is None else game
        self._adviser = adviser or self.game
        self.players, self.seed = saved.players, saved.seed
        self.people = tuple(seat for seat, each in enumerate(saved.players) if each == HUMAN)
        if len(self.players) != self.game.players:
            raise UserError(f"{self.game} has {self.game.players} players, not {len(self.players)}")
        if saved.clocks and len(saved.clocks) != self.game.players:
            raise UserError(f"{self.game} has {self.game.players} players, but {len(saved.clocks)} clocks")
        for each in self.players:
            if each != HUMAN:
                new_player(self.game, each)  # says what is wrong with it before the game begins
        self.clocks = tuple(Clock.read(each) if each else None for each in saved.clocks) or (None,) * self.game.players
        self._about, self._now, self._lock = saved, now, RLock()
        self._states, self._names = saved.states(self.game), list(saved.moves)
        self._resigned, self._flagged = saved.resigned, saved.flagged
        turns = [*saved.used, *[0.0] * (len(self._names) + 1)][: len(self._names) + 1]
        *self._used, self._spent = turns  # seconds of each move, and of the turn that is on
        self._since: float | None = now()
        self._watch: _Watch | None = None
        self._version = 0
        self._changed()

    @classmethod
    def begin(
        cls,
        text: str,
        players: Sequence[str],
        *,
        position: str | None = None,
        moves: str | Sequence[str] = (),
        seed: int = 0,
        clocks: Sequence[str] = (),
        game: Game | None = None,
        now: Callable[[], float] = time.monotonic,
        adviser: Game | None = None,
    ) -> Session:
        """A new game of the game that `text` names, from `position` and after `moves`.

        `players` has `human` or a text for `new_player` for each seat, and `clocks` a text like `300+2`, or an empty
        one for a seat that has all the time in the world. `game` is that of the text, if it is there already.
        """
        game = games.load(text) if game is None else game
        here, names = game.at((), position), []
        begins = game.to_text(here.state)
        for a in game.read_moves(here.state, moves):
            names.append(game.action_name(here.state, a))
            here = here.after(a)
        saved = SavedGame(str(game), begins, tuple(names), tuple(players), seed, clocks=tuple(clocks))
        return cls(replace(saved, source=games.source(game)), game, now, adviser)

    @classmethod
    def load(cls, file: Path, now: Callable[[], float] = time.monotonic, game: Game | None = None) -> Session:
        """Go on with the game in a file; one of your own rules needs the `game`."""
        saved = SavedGame.read(file, game)
        try:
            must_run_nothing(saved.players)
            return cls(saved, game, now)
        except UserError as error:
            raise UserError(f"{file}: {error}") from None

    # ---- how it stands

    @property
    def states(self) -> tuple[Any, ...]:
        """All states so far, the first and the last included."""
        with self._lock:
            return tuple(self._states)

    @property
    def moves(self) -> tuple[str, ...]:
        """The names of the moves so far."""
        with self._lock:
            return tuple(self._names)

    @property
    def position(self) -> Position:
        """The last state, with what came before."""
        *earlier, s = self.states
        here = Position(self.game, s)
        here.history = tuple(earlier)
        return here

    @property
    def keeps_secrets(self) -> bool:
        """Whether there is something that a person here must not see: it is hidden, and the game goes on."""
        return not self.game.perfect_information and bool(self.people) and not self.is_over

    def view(self, seat: int) -> View:
        """What a seat knows now."""
        return view(self.game, self.states[-1], seat)

    @property
    def ending(self) -> Ending | None:
        """How the game ended; None while it goes on."""
        with self._lock:
            self._look_at_clock()
            return self._ending

    @property
    def is_over(self) -> bool:
        return self.ending is not None

    @property
    def seat(self) -> int | None:
        """Whose turn it is, from 0; CHANCE when dice are to be thrown; None when the game is over."""
        with self._lock:
            return None if self.is_over else int(self.game.player(self._states[-1]))

    @property
    def turn(self) -> str:
        """What comes next: `human`, `computer`, `chance`, or `over`."""
        seat = self.seat
        if seat is None:
            return "over"
        return "chance" if seat == CHANCE else "human" if seat in self.people else "computer"

    def legal(self) -> dict[str, int]:
        """The actions that can be taken now, by their names."""
        with self._lock:
            s = self._states[-1]
            return (
                {} if self.is_over else {self.game.action_name(s, int(a)): int(a) for a in listed_actions(self.game, s)}
            )

    def number_of(self, move: str | int) -> int:
        """The action that can be taken now and has that name, or that very number; an error if there is none."""
        with self._lock:
            if isinstance(move, str):
                try:
                    found = self.game.read_moves(self._states[-1], [move])
                    if len(found) == 1:
                        return found[0]
                    legal = list(self.legal())
                except UserError:
                    raise
                except Exception:  # whatever a game makes of a text that was never meant for it
                    legal = list(self.legal())
            else:
                actions = self.legal()
                if move in actions.values():
                    return int(move)
                legal = [f"{a} ({name})" for name, a in actions.items()]
        shown = ", ".join(legal[:_SHOWN]) + (", ..." if len(legal) > _SHOWN else "")
        raise IllegalAction(f"'{move}' is not a legal move here; legal: {shown}")

    # ---- what can be done

    def play(self, move: str | int) -> str:
        """Play a move for whoever is to move, by its name or the number of its action; its name."""
        with self._lock:
            self._must_go_on()
            s = self._states[-1]
            a = self.number_of(move)
            name = self.game.action_name(s, a)
            self._states.append(self.game.result(s, a))
            self._names.append(name)
            self._used.append(self._elapsed())
            self._spent, self._since = 0.0, self._now()
            self._changed()
            return name

    def choose(self, progress: Progress | None = None) -> Choice:
        """What the computer or chance would play now; nothing is played. `progress` is told how a search goes."""
        with self._lock:
            seat = self._must_go_on()
            if seat in self.people:
                raise UserError(f"{self.game.player_names[seat]} is a person; nobody else chooses their move")
            game, states = self.game, list(self._states)
            s, seed = states[-1], seed_at(self.seed, len(self._names), seat)
            text = "random" if seat == CHANCE else self.players[seat]  # at random is by the odds, for chance
            player: Any = new_player(game, text, seed)
            left = None if seat == CHANCE else self._time_left(seat)
            until = inf if left is None else self._now() + allot(left, _LATE_SECONDS).target
            clocks = [each for p in range(game.players) if (each := self._time_left(p)) is not None]
            if len(clocks) == game.players and hasattr(player, "tell_time"):
                player.tell_time(clocks)
            watch = self._begin_search(player, progress, until) if hasattr(player, "search") else None
        if watch is None:
            try:
                return self._choice(seat, s, player.choose(states))
            finally:
                dismiss(player)
        result = self._search(watch, states)
        is_stopped = result.stopped == "interrupted"
        if result.action is None and not is_stopped:
            raise UserError(f"{result.algorithm} finds no action at {game.to_text(s)}")
        # Stopped before it had an opinion of any move, it plays whatever it may.
        a = int(search.random_action(game, s, new_random(seed))) if result.action is None else result.action
        return self._choice(seat, s, a, result, is_stopped and not watch.is_late)

    def think(self, progress: Progress | None = None) -> Choice | None:
        """Let the computer, or chance, choose and play; None if by then the game was over, or was changed.

        A program that forfeits resigns by that; the error says why.
        """
        with self._lock:
            seat = self._must_go_on()
            before = self._version
        try:
            choice = self.choose(progress)
        except Forfeit:
            self.resign(seat)
            raise
        with self._lock:
            self._look_at_clock()
            if self._version != before:
                return None
            self.play(choice.action)
        return choice

    def stop(self) -> None:
        """End the search that runs now, if one does: it goes on with the best that it has found."""
        with self._lock:
            if self._watch is not None:
                self._watch.stop()

    def advise(self, progress: Progress | None = None) -> search.Result:
        """What a search at the highest level finds here, within seconds: a hint, and who stands better."""
        with self._lock:
            states = list(self._states)
            adviser = LevelPlayer(self._adviser, len(LEVELS), self.seed, _HINT_SECONDS)
            watch = self._begin_search(adviser, progress)
        return self._search(watch, states)

    def undo(self) -> int:
        """Go back to a person's move before; how many moves were taken back. Clocks go back, too."""
        with self._lock:
            if not self.game.perfect_information:
                raise UserError(f"no move of {self.game} can be taken back: one knows more than before it")
            before = [ply for ply, s in enumerate(self._states[:-1]) if self.game.player(s) in self.people]
            if not before:
                raise UserError("there is no move of yours to take back")
            ply, played = before[-1], len(self._names)
            del self._states[ply + 1 :], self._names[ply:], self._used[ply:]
            self._resigned = self._flagged = None
            self._spent, self._since = 0.0, self._now()
            self._changed()
            return played - ply

    def resign(self, seat: int | None = None) -> None:
        """Give up, for a seat or for who is to move."""
        with self._lock:
            mover = self._must_go_on()
            seat = mover if seat is None else seat
            if not 0 <= seat < self.game.players:
                raise UserError(f"say who resigns: {self.game} has seats 0 to {self.game.players - 1}, not {seat}")
            self._resigned = seat
            self._changed()

    @property
    def computers(self) -> tuple[str, ...]:
        """How the seats play that are no person's, each way once."""
        return tuple(dict.fromkeys(each for each in self.players if each != HUMAN))

    def set_level(self, level: str | int) -> None:
        """Let the computer play at a level from now on, wherever it sits."""
        with self._lock:
            text = f"level:{level}"
            new_player(self.game, text)  # says what is wrong with it
            if not self.computers:
                raise UserError("no computer plays here")
            self.players = tuple(each if each == HUMAN else text for each in self.players)
            self._about = replace(self._about, players=self.players)

    # ---- clocks

    def left(self, seat: int) -> float:
        """Seconds on the clock of a seat, 0 when its time is up; infinite if it has none."""
        with self._lock:
            left = self._time_left(seat)
            return inf if left is None else max(0.0, left.total)

    def _time_left(self, seat: int) -> TimeLeft | None:
        """What a seat has on its clock, if it has one."""
        clock = self.clocks[seat]
        if clock is None:
            return None
        game, (*earlier, s) = self.game, self._states
        used = [seconds for each, seconds in zip(earlier, self._used, strict=True) if game.player(each) == seat]
        is_on = not game.is_terminal(s) and game.player(s) == seat
        return clock.after(used, self._elapsed() if is_on else 0.0)

    def _elapsed(self) -> float:
        """Seconds of the turn that is on."""
        return self._spent + (0.0 if self._since is None else self._now() - self._since)

    def _look_at_clock(self) -> None:
        """End the game if the time of the player to move is up."""
        if self._ending is None and any(self.clocks):
            seat = int(self.game.player(self._states[-1]))
            if seat != CHANCE and self.left(seat) <= 0:
                self._flagged = seat
                self._changed()

    # ---- on disk, and for programs

    def saved(self) -> SavedGame:
        """The game as it stands, to be written or gone on with."""
        with self._lock:
            is_timed = any(self.clocks)
            return replace(
                self._about,
                moves=tuple(self._names),
                resigned=self._resigned,
                flagged=self._flagged,
                used=(*self._used, self._elapsed()) if is_timed else (),
            )

    def save(self, file: Path) -> None:
        """Write the game to a file. Only another saved game is overwritten."""
        if self.keeps_secrets:
            raise UserError("the file would tell what is hidden: the game can be saved when it is over")
        if file.exists():
            SavedGame.parse(read_text(file), file)
        self.saved().write(file)

    def record(self) -> dict[str, Any]:
        """The game for programs, as `counterplay play --json` prints it."""
        with self._lock:
            ending = self.ending
            moves: dict[str, Any] = {"moves": list(self._names), "position": self.game.to_text(self._states[-1])}
            if self.keeps_secrets:
                moves = {"views": [self.view(seat).as_dict() for seat in self.people]}
            return {
                "game": str(self.game),
                "begins": self._about.begins,
                **moves,
                "terminal": ending is not None,
                "utilities": None if ending is None or ending.utilities is None else list(ending.utilities),
                "players": list(self.players),
                "resigned": self._resigned,
                **({"source": self._about.source} if self._about.source else {}),
            }

    def as_dict(self) -> dict[str, Any]:
        """For JSON: the record, and how the game stands now."""
        with self._lock:
            ending = self.ending
            return {
                **self.record(),
                "seed": None if self.keeps_secrets else self.seed,
                "turn": self.turn,
                "seat": self.seat,
                "legal": list(self.legal()) if not self.keeps_secrets or self.seat in self.people else [],
                "ending": None if ending is None else ending.as_dict(),
                "left": [None if clock is None else self.left(seat) for seat, clock in enumerate(self.clocks)],
                "thinking": self._watch is not None,
            }

    # ---- inside

    def _changed(self) -> None:
        """The game is another now: what is being searched is out of date, and it may be over."""
        self.stop()
        self._version += 1
        self._ending = self._find_ending()
        if self._ending is not None:
            self._spent, self._since = self._elapsed(), None

    def _find_ending(self) -> Ending | None:
        game, s = self.game, self._states[-1]
        for by, seat in (("resignation", self._resigned), ("time", self._flagged)):
            if seat is not None:
                return Ending(by, (1 - seat,) if game.players == 2 else (), None, seat)
        if game.is_terminal(s):
            utilities = tuple(float(game.utility(s, p)) for p in range(game.players))
            best = max(utilities)
            is_even = len(set(utilities)) == 1
            return Ending("rules", () if is_even else tuple(p for p, u in enumerate(utilities) if u == best), utilities)
        if is_repeated(game, self._states):
            return Ending("repetition", (), (draw_value(game),) * game.players)
        return None

    def _must_go_on(self) -> int:
        """Who is to move; an error if nobody is."""
        ending = self.ending
        if ending is None:
            return int(self.game.player(self._states[-1]))
        if ending.by == "time":
            assert ending.seat is not None  # somebody's time
            raise UserError(f"the game is over: the time of {self.game.player_names[ending.seat]} is up")
        raise UserError("the game is over")

    def _choice(
        self, seat: int, s: Any, a: int, result: search.Result | None = None, is_stopped: bool = False
    ) -> Choice:
        return Choice(seat, a, self.game.action_name(s, a), result, is_stopped)

    def _begin_search(self, player: Any, progress: Progress | None, until: float = inf) -> _Watch:
        """From now on `stop` ends the search that is about to begin; there is one at a time."""
        if self._watch is not None:
            raise UserError("the computer is thinking already")
        self._watch = _Watch(player, progress, until, self._now)
        return self._watch

    def _search(self, watch: _Watch, states: Sequence[Any]) -> search.Result:
        try:
            result: search.Result = watch.player.search(states, watch)
            return result
        finally:
            with self._lock:
                self._watch = None


class _Watch:
    """Stands between a search and who is told of it, and ends the search when it is asked to or when its time is up."""

    def __init__(self, player: Any, progress: Progress | None, until: float, now: Callable[[], float]) -> None:
        self.is_late = False
        """Whether the search was ended by the clock."""
        self.player = player
        self._progress, self._until, self._now = progress, until, now
        self._is_stopped = False

    def __call__(self, tally: Any) -> None:
        if not self._is_stopped and self._now() >= self._until:
            self.is_late = True
            self.stop()
        if self._is_stopped:
            tally.stop = 1
        if self._progress is not None:
            self._progress(tally)

    def found(self, result: search.Result) -> None:
        tell = getattr(self._progress, "found", None)
        if tell is not None:
            tell(result)

    def stop(self) -> None:
        self._is_stopped = True
        if hasattr(self.player, "stop"):
            self.player.stop()
