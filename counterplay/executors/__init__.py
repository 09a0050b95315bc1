"""Who does work that can be done anywhere: this process, processes of this machine, or the workers of a Ray cluster.

    role = Role("counterplay.arena.workers:plays", game, {...})
    with executor(role, workers=4) as at_work:
        at_work.begin(Parcel('{"number": 0}'))
        task, answer = at_work.finished()

All of them take parcels, as many as there is `room` for, and give the answers as they come. An answer depends on its
parcel and on the arrays that are shared only, so that it does not matter who does the work, nor how often: a parcel
whose worker was lost is given to another.
"""

from __future__ import annotations

from counterplay.core.errors import UserError
from counterplay.executors.local import Here, Processes
from counterplay.executors.roles import Executor, Hand, LostWorker, Parcel, Role

__all__ = ["EXECUTORS", "Executor", "Hand", "Here", "LostWorker", "Parcel", "Processes", "Role", "executor"]

EXECUTORS = ("local", "ray")
MOST_PROCESSES = 256
"""Of one machine."""
MOST_WORKERS = 100_000
"""Of a cluster."""


def must_be_sensible(workers: int, kind: str = "local", address: str | None = None) -> None:
    """Refuse what nobody can do, before anything is begun."""
    if kind not in EXECUTORS:
        raise UserError(f"there is no executor '{kind}'; there are: {', '.join(EXECUTORS)}")
    most = MOST_PROCESSES if kind == "local" else MOST_WORKERS
    if not 1 <= workers <= most:
        raise UserError(f"1 to {most} workers play at once, not {workers}")
    if kind == "local" and address is not None:
        raise UserError("an address is that of a Ray cluster: add --executor ray, or leave it out")


def executor(role: Role, workers: int = 1, kind: str = "local", address: str | None = None) -> Executor:
    """So many workers: one local one is this process, several are processes; with `ray` those of the cluster at that
    address, or of one that is started for this machine alone."""
    must_be_sensible(workers, kind, address)
    if kind == "ray":
        from counterplay.executors.cluster import Cluster

        return Cluster(role, workers, address)
    return Here(role) if workers == 1 else Processes(role, workers)
