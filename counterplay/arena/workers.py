"""Where the games of a match are played: here, one after the other, or in processes of their own, several at once.

Both take fixtures, as many as there is `room` for, and give the games as they end. What a game is like does not depend
on where it is played. Processes ignore ctrl-C, which is for the one that directs them; they end when it says so, or
when it ends itself, however that happens, and with them all that their players have started.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections import deque
from contextlib import nullcontext, suppress
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Self

from counterplay import native
from counterplay.arena.bout import Conditions, Fixture, play
from counterplay.arena.record import GameRecord
from counterplay.core.game import Game, UserError

__all__ = ["Here", "Processes", "workers"]

MOST_PROCESSES = 256
_LEAVE_SECONDS = 5.0
"""That a process has to end the programs that it started; then it is killed."""


def workers(game: Game, conditions: Conditions, number: int) -> Here | Processes:
    """Who plays so many games at once."""
    if not 1 <= number <= MOST_PROCESSES:
        raise UserError(f"1 to {MOST_PROCESSES} games are played at once, not {number}")
    return Here(game, conditions) if number == 1 else Processes(game, conditions, number)


class Here:
    """This process plays, one game at a time."""

    def __init__(self, game: Game, conditions: Conditions) -> None:
        self._game, self._conditions = game, conditions
        self._waiting: deque[Fixture] = deque()

    @property
    def room(self) -> int:
        """How many games can be begun now."""
        return 1 - len(self._waiting)

    @property
    def busy(self) -> bool:
        return bool(self._waiting)

    def begin(self, fixture: Fixture) -> None:
        self._waiting.append(fixture)

    def finished(self) -> GameRecord:
        """The next game that ends."""
        return play(self._game, self._conditions, self._waiting.popleft())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Processes:
    """So many processes, each started when there is a game for it."""

    def __init__(self, game: Game, conditions: Conditions, number: int) -> None:
        self._started = (game, conditions, native.is_interpreted(game))
        self._number = number
        self._processes: dict[Connection, Any] = {}
        self._playing: dict[Connection, Fixture] = {}

    @property
    def room(self) -> int:
        """How many games can be begun now."""
        return self._number - len(self._playing)

    @property
    def busy(self) -> bool:
        return bool(self._playing)

    def begin(self, fixture: Fixture) -> None:
        free = next((each for each in self._processes if each not in self._playing), None) or self._start()
        self._playing[free] = fixture
        free.send(fixture)

    def finished(self) -> GameRecord:
        """The next game that ends."""
        ready = wait(list(self._playing))[0]
        assert isinstance(ready, Connection)  # we wait for nothing else
        fixture = self._playing.pop(ready)
        try:
            answer = ready.recv()
        except (EOFError, OSError):
            process = self._processes.pop(ready)
            process.join()
            raise UserError(
                f"the process that played game {fixture.number + 1} has ended with status {process.exitcode}; "
                "the games that were finished are kept in the record, if there is one"
            ) from None
        if isinstance(answer, GameRecord):
            return answer
        raise answer

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, *self._started), daemon=True)
        process.start()
        theirs.close()
        self._processes[ours] = process
        return ours

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        for process in self._processes.values():
            process.terminate()
        for connection, process in self._processes.items():
            process.join(_LEAVE_SECONDS)
            if process.exitcode is None:
                process.kill()
                process.join()
            connection.close()


# ---- in the other process


def _work(connection: Connection, game: Game, conditions: Conditions, is_interpreted: bool) -> None:
    """Play what comes, until nobody is there any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that players are dismissed on the way out
    threading.Thread(target=_end_with_the_director, daemon=True).start()
    with native.interpreted() if is_interpreted else nullcontext(), suppress(EOFError, BrokenPipeError):
        while True:
            connection.send(_answer(game, conditions, connection.recv()))


def _answer(game: Game, conditions: Conditions, fixture: Fixture) -> GameRecord | Exception:
    try:
        return play(game, conditions, fixture)
    except UserError as error:
        return UserError(str(error))
    except Exception as error:
        error.add_note(f"in the process that played game {fixture.number + 1}:\n{traceback.format_exc()}")
        return error


def _end_with_the_director() -> None:
    director = multiprocessing.parent_process()
    if director is not None:
        director.join()
        os.kill(os.getpid(), signal.SIGTERM)
