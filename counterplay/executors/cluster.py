"""The workers of a Ray cluster, or of a Ray of this machine alone. (pip install 'counterplay[cluster]')

Nothing of Ray is imported or started before somebody asks for it by name. One that we start ourselves listens to this
machine only (127.0.0.1), has no dashboard, sends no statistics, and ends with us. Of one that others have started we
are a guest.

Ray passes what we send by pickle between its own processes: whoever can reach a cluster can run code on it, so that a
cluster must be trusted and closed to others. What we send are texts, numbers and arrays; a worker loads its game by
its name, or from a file that the machine has itself.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
import time
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, NamedTuple, Self

from counterplay import __version__, games, native
from counterplay.core.errors import UserError
from counterplay.executors.roles import (
    KEPT,
    TRIES,
    Arrays,
    Hand,
    LostWorker,
    Parcel,
    Role,
    copied,
    first_on_this_machine,
    game_text,
    mode,
    new_hand,
)

__all__ = ["Cluster"]

_LOOPBACK = "127.0.0.1"
_LOOK_SECONDS = 2.0
"""How often it is asked how large the cluster is."""
_POLL_SECONDS = 1.0
_ANSWER_SECONDS = 10.0
"""That the head has to answer at all."""
_ALONE_SECONDS = 300.0
"""With no worker at all for so long, nobody can be expected to come."""


class _Work(NamedTuple):
    parcel: Parcel
    shared: int
    lost: int = 0


class Cluster:
    """So many workers, as far as the cluster has processors for them. Each has one parcel at a time.

    A worker gets its parcel when it is ready, so that one that never comes keeps nobody waiting. One that is lost is
    replaced, and its parcel goes to the next that is free.
    """

    def __init__(self, role: Role, number: int, address: str | None = None) -> None:
        self._number, self._address = number, address
        self._role = role.name, game_text(role.game), json.dumps(role.about), native.is_interpreted(role.game)
        self._ray: Any = None
        self._is_ours = False
        self._waiting: deque[_Work] = deque()
        self._starting: dict[Any, Any] = {}  # by what says that it is ready: the worker
        self._idle: list[Any] = []
        self._working: dict[Any, tuple[Any, _Work]] = {}  # by what will be the answer: the worker, and the work
        self._shared: dict[int, Any] = {}
        self._generation = 0
        self._size, self._looked = number, 0.0
        self._met = time.monotonic()  # when there was a processor last
        self._unborn = 0  # workers that were lost before they were ready

    @property
    def room(self) -> int:
        return self._number - len(self._waiting) - len(self._working)

    @property
    def busy(self) -> bool:
        return bool(self._waiting or self._working)

    def share(self, arrays: Arrays) -> int:
        self._generation += 1
        with _told():
            self._shared[self._generation] = self._ray.put(copied(arrays))  # each machine fetches it once
        self._shared.pop(self._generation - KEPT, None)
        return self._generation

    def begin(self, parcel: Parcel, shared: int = 0) -> None:
        self._waiting.append(_Work(parcel, shared))
        with _told():
            self._assign()

    def finished(self, seconds: float | None = None) -> tuple[Parcel, Parcel] | None:
        end = None if seconds is None else time.monotonic() + seconds
        with _told():
            while self.busy:
                self._assign()
                left = _POLL_SECONDS if end is None else min(_POLL_SECONDS, max(0.0, end - time.monotonic()))
                ready, _ = self._ray.wait([*self._working, *self._starting] or [self._ray.put(0)], timeout=left)
                for ref in ready:
                    if ref in self._starting:
                        self._welcome(ref)
                    elif ref in self._working and (found := self._answer(ref)) is not None:
                        return found
                if not ready and end is not None and time.monotonic() >= end:
                    return None
        return None

    # ---- workers

    def _assign(self) -> None:
        """Give work to who is free, and call for more workers if there is more work."""
        while self._waiting and self._idle:
            worker, work = self._idle.pop(), self._waiting.popleft()
            shared = self._shared.get(work.shared)
            answer = worker.work.remote(*work.parcel, work.shared, shared)
            self._working[answer] = worker, work
        now = time.monotonic()
        if now - self._looked >= _LOOK_SECONDS:
            self._looked = now
            self._size = min(self._number, int(self._ray.cluster_resources().get("CPU", 0)))
            if self._size:
                self._met = now
            elif now - self._met > _ALONE_SECONDS:
                raise UserError("the cluster has no processors: start some workers, or leave out --executor ray")
        while len(self._waiting) > len(self._starting) and self._all < self._size:
            worker = self._new_worker()
            self._starting[worker.ready.remote()] = worker

    @property
    def _all(self) -> int:
        return len(self._starting) + len(self._idle) + len(self._working)

    def _new_worker(self) -> Any:
        kind = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Worker)
        return kind.remote(__version__, *self._role)

    def _welcome(self, ref: Any) -> None:
        worker = self._starting.pop(ref)
        try:
            problem = self._ray.get(ref)
        except self._ray.exceptions.RayActorError as error:
            self._blame(error)
            return
        if problem:
            raise UserError(f"a worker cannot begin: {problem}")
        self._idle.append(worker)

    def _answer(self, ref: Any) -> tuple[Parcel, Parcel] | None:
        worker, work = self._working.pop(ref)
        try:
            kind, text, arrays = self._ray.get(ref)
        except self._ray.exceptions.RayActorError:
            if work.lost + 1 >= TRIES:
                raise LostWorker(work.parcel, "a worker of the cluster was lost") from None
            self._waiting.appendleft(work._replace(lost=work.lost + 1))
            return None
        self._idle.append(worker)
        if kind == "answer":
            return work.parcel, Parcel(text, arrays)
        if kind == "user":
            raise UserError(text)
        raise RuntimeError(f"a worker of the cluster has failed:\n{text}")

    def _blame(self, error: Exception) -> None:
        """A worker was lost before it had any work: if none is left again and again, say why."""
        self._unborn += 1
        if self._unborn > 2 * TRIES and not self._idle and not self._working:
            first = str(error).strip().splitlines()[0]
            raise UserError(f"no worker of the cluster can begin: {first}")

    # ---- the cluster

    def __enter__(self) -> Self:
        self._ray = _import_ray()
        is_running = self._ray.is_initialized()
        if not is_running:
            self._is_ours = True
            with _told():
                _connect(self._ray, self._number, self._address)
        elif self._address is None:
            raise UserError("Ray is running in this process already: name its address, such as 'auto'")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        for worker in [*self._starting.values(), *self._idle, *(worker for worker, _ in self._working.values())]:
            with suppress(Exception):  # it may be gone
                self._ray.kill(worker)
        if self._is_ours:
            with suppress(Exception):
                self._ray.shutdown()


def _import_ray() -> Any:
    """Ray, if it is installed. Unless it was imported before, a Ray of this machine will listen to nobody else."""
    try:
        if "ray" not in sys.modules:
            # What Ray does on macOS and Windows by itself: a Ray that it starts has the loopback address. Read once.
            name = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
            before = os.environ.get(name)
            os.environ[name] = "0"
            try:
                import ray
            finally:
                os.environ.pop(name) if before is None else os.environ.__setitem__(name, before)
        import ray
    except ImportError:
        raise UserError("--executor ray needs Ray: pip install 'counterplay[cluster]'") from None
    return ray


def _connect(ray: Any, number: int, address: str | None) -> None:
    """Join the cluster at that address, or start one of this machine."""
    quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
    if address is not None:
        _must_answer(address)
        ray.init(address=address, **quiet)
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(address="local", num_cpus=number, include_dashboard=False, _node_ip_address=_LOOPBACK, **quiet)
    if any(node["NodeManagerAddress"] != _LOOPBACK for node in ray.nodes()):
        ray.shutdown()
        raise UserError("Ray would listen to the network here; start it yourself and name its --address")


def _must_answer(address: str) -> None:
    """Whether somebody listens there: Ray itself would try for many minutes."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if not colon:
        return  # `auto` and the like
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER_SECONDS).close()
    except (OSError, ValueError, OverflowError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UserError(f"the cluster at {address} cannot be reached: {why}") from None


@contextmanager
def _told() -> Iterator[None]:
    """What goes wrong with the cluster itself, in a line."""
    import ray

    try:
        yield
    except (ray.exceptions.RayError, ConnectionError, TimeoutError, RuntimeError, ValueError) as error:
        if isinstance(error, UserError) or not _is_rays(error):
            raise
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise UserError(
            f"the cluster cannot be reached, or was lost: {first}; what was finished is kept, and the same command "
            "goes on if it has a --record or a --resume"
        ) from None


def _is_rays(error: BaseException) -> bool:
    """Whether an error comes from Ray itself, not from us."""
    last = traceback.extract_tb(error.__traceback__)[-1].filename
    return f"{os.sep}ray{os.sep}" in last or isinstance(error, ConnectionError | TimeoutError)


# ---- on whatever machine


class _Worker:
    """A worker of the cluster; what it returns are texts, numbers and arrays."""

    def __init__(self, version: str, name: str, game: str, about: str, is_interpreted: bool) -> None:
        self._version, self._role, self._is_interpreted = version, (name, game, about), is_interpreted
        self._hand: Hand | None = None
        self._has = 0

    def ready(self) -> str:
        """Be prepared; what is against it, if anything is."""
        if self._version != __version__:
            return f"it has Counterplay {__version__}, and not {self._version} as the one who asks"
        name, game, about = self._role
        try:
            with mode(self._is_interpreted):
                self._hand = new_hand(name, games.load(game), json.loads(about))
                if not self._is_interpreted:
                    with first_on_this_machine(__version__, name, game, about):
                        self._hand.prepare()
        except UserError as error:
            return str(error)
        except Exception:
            return traceback.format_exc()
        return ""

    def work(self, text: str, arrays: Arrays, number: int, shared: Arrays | None) -> tuple[str, str, Arrays]:
        assert self._hand is not None  # nobody asks who is not ready
        try:
            with mode(self._is_interpreted):
                if number != self._has and shared is not None:
                    self._hand.take(shared)
                    self._has = number
                return ("answer", *self._hand.work(Parcel(text, arrays)))
        except UserError as error:
            return "user", str(error), {}
        except Exception:
            return "fault", traceback.format_exc(), {}
