"""This machine: work is done here, one piece after the other, or in processes of their own, several at once.

Processes ignore ctrl-C, which is for the one that directs them; they end when it says so, or when it ends itself,
however that happens, and with them all that they have started. Parcels go through pipes that nobody else can open.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections import deque
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, NamedTuple, Self

from counterplay import native
from counterplay.core.errors import UserError
from counterplay.core.game import Game
from counterplay.executors.roles import KEPT, TRIES, Arrays, Hand, LostWorker, Parcel, Role, copied, mode, new_hand

__all__ = ["Here", "Processes"]

_LEAVE_SECONDS = 5.0
"""That a process has to end the programs that it started; then it is killed."""


class Here:
    """This process does the work, when it is asked for the answer."""

    def __init__(self, role: Role) -> None:
        self._role = role
        self._hand: Hand | None = None
        self._waiting: deque[tuple[Parcel, int]] = deque()
        self._shared: dict[int, Arrays] = {}
        self._number = self._has = 0

    @property
    def room(self) -> int:
        return 1 - len(self._waiting)

    @property
    def busy(self) -> bool:
        return bool(self._waiting)

    def share(self, arrays: Arrays) -> int:
        self._number += 1
        self._shared[self._number] = copied(arrays)
        self._shared.pop(self._number - KEPT, None)
        return self._number

    def begin(self, parcel: Parcel, shared: int = 0) -> None:
        self._waiting.append((parcel, shared))

    def finished(self, seconds: float | None = None) -> tuple[Parcel, Parcel] | None:
        if not self._waiting:
            return None
        parcel, shared = self._waiting.popleft()
        if self._hand is None:
            self._hand = new_hand(*self._role)
        if shared != self._has:
            self._hand.take(self._shared[shared])
            self._has = shared
        return parcel, self._hand.work(parcel)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class _Work(NamedTuple):
    """A parcel, and how often its worker was lost."""

    parcel: Parcel
    shared: int
    lost: int = 0


class Processes:
    """So many processes, each started when there is work for it."""

    def __init__(self, role: Role, number: int) -> None:
        self._role, self._is_interpreted = role, native.is_interpreted(role.game)
        self._number = number
        self._processes: dict[Connection, Any] = {}
        self._working: dict[Connection, _Work] = {}
        self._shared: dict[int, Arrays] = {}
        self._has: dict[Connection, int] = {}
        self._generation = 0

    @property
    def room(self) -> int:
        return self._number - len(self._working)

    @property
    def busy(self) -> bool:
        return bool(self._working)

    def share(self, arrays: Arrays) -> int:
        self._generation += 1
        self._shared[self._generation] = copied(arrays)
        self._shared.pop(self._generation - KEPT, None)
        return self._generation

    def begin(self, parcel: Parcel, shared: int = 0) -> None:
        self._give(_Work(parcel, shared))

    def finished(self, seconds: float | None = None) -> tuple[Parcel, Parcel] | None:
        while True:
            ready = wait(list(self._working), seconds)
            if not ready:
                return None
            connection = ready[0]
            assert isinstance(connection, Connection)  # we wait for nothing else
            work = self._working.pop(connection)
            try:
                answer = connection.recv()
            except (EOFError, OSError):
                self._lose(connection, work)
                continue
            if isinstance(answer, Parcel):
                return work.parcel, answer
            raise answer

    @property
    def pids(self) -> list[int]:
        """The processes that there are now."""
        return [process.pid for process in self._processes.values()]

    def _give(self, work: _Work) -> None:
        free = next((each for each in self._processes if each not in self._working), None) or self._start()
        self._working[free] = work
        with suppress(BrokenPipeError, ConnectionResetError):  # it has died; whoever waits for its answer finds out
            if work.shared != self._has[free]:
                free.send(self._shared[work.shared])
                self._has[free] = work.shared
            free.send(work.parcel)

    def _lose(self, connection: Connection, work: _Work) -> None:
        """A process has ended before its time: another does what it was doing."""
        process = self._processes.pop(connection)
        process.join()
        connection.close()
        if work.lost + 1 >= TRIES:
            raise LostWorker(work.parcel, f"a process has ended with status {process.exitcode}")
        self._give(work._replace(lost=work.lost + 1))

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        args = (theirs, self._role.name, self._role.game, self._role.about, self._is_interpreted)
        process = context.Process(target=_serve, args=args, daemon=True)
        process.start()
        theirs.close()
        self._processes[ours], self._has[ours] = process, 0
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


def _serve(connection: Connection, name: str, game: Game, about: dict[str, Any], is_interpreted: bool) -> None:
    """Do what comes, until nobody is there any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that players are dismissed on the way out
    threading.Thread(target=_end_with_the_director, daemon=True).start()
    with mode(is_interpreted), suppress(EOFError, BrokenPipeError):
        hand: Hand | None = None
        while True:
            received = connection.recv()
            try:
                hand = hand or new_hand(name, game, about)
                if isinstance(received, Parcel):
                    connection.send(hand.work(received))
                else:
                    hand.take(received)
            except UserError as error:
                connection.send(UserError(str(error)))
            except (EOFError, BrokenPipeError):
                raise
            except Exception as error:
                error.add_note(f"in a process of its own:\n{traceback.format_exc()}")
                connection.send(error)


def _end_with_the_director() -> None:
    director = multiprocessing.parent_process()
    if director is not None:
        director.join()
        os.kill(os.getpid(), signal.SIGTERM)
