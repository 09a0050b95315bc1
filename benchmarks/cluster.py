"""How zero grows with machines, on paper: what is measured here, and a simulation that finds the bottleneck.

    python benchmarks/cluster.py [--quick] [--game connect_four] [--svg docs/cluster.svg] [--json FILE]

Measured, each by the CPU time of its thread: how fast a worker plays (compiled, one core), how long the learner takes
to check, remember and learn from a game and from a parcel, the bytes of a game as they are sent, and of the weights.

Simulated: workers that take parcels and send them back through the learner's link, a learner that takes them in the
order of their numbers and hands out weights after each generation, as `learn/distributed.py` does it. A machine
fetches each generation once. Nothing is lost, and the learner's machine does nothing else.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import random
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay import games, learn
from counterplay.core.charts import line_chart
from counterplay.executors import Parcel
from counterplay.learn.distributed import PARCEL, Spread, SpreadTraining, selfplays
from counterplay.learn.identity import fingerprint
from counterplay.learn.zero import ZeroSettings

CORES = 8
"""Of each machine."""
LINK = 125e6
"""Bytes a second: one gigabit."""
SPREAD = 0.2
"""How much the time of a parcel varies (the standard deviation of its logarithm)."""
MACHINES = (1, 3, 10, 30, 100, 300, 1000)


class Figures(NamedTuple):
    """What is measured, or thought of."""

    games: float
    """That a worker plays a second."""
    bytes: float
    """Of a game, as it comes back."""
    weights: float
    """Bytes of a generation."""
    learn: float
    """Seconds of the learner for a game."""
    handle: float
    """And for a parcel."""
    parcel: int = PARCEL


class Found(NamedTuple):
    """What so many machines come to."""

    machines: int
    games: float
    """Learned from, a second."""
    bytes: float
    """That come in and go out at the learner, a second."""
    learner: float
    """How busy the learner is, from 0 to 1."""
    link: float
    workers: float

    @property
    def bottleneck(self) -> str:
        return max(("learner", "link", "workers"), key=lambda name: float(getattr(self, name)))


def simulate(f: Figures, machines: int, cores: int = CORES, link: float = LINK, generations: int = 12) -> Found:
    """Let so many generations be played and learned; the first three and the last two do not count."""
    dice, workers = random.Random(1), machines * cores
    parcels, size = generations * workers, f.parcel * f.bytes / link
    free, inbox, arrived = list(range(workers)), [], set()
    has, published = [-1] * machines, 0  # generations, by machine and by the learner
    given = learned = 0
    now = came = went = 0.0  # the learner's time, and until when the link is busy either way
    played = learning = carried = sent = 0.0
    marks: list[tuple[float, ...]] = []
    while len(marks) < 2:
        while free and given < parcels and max(0, given // workers - 1) <= published:
            worker, generation = free.pop(), max(0, given // workers - 1)
            start, machine = now, worker // cores
            if has[machine] < generation:
                went = max(now, went) + f.weights / link
                start, has[machine] = went, generation
                carried, sent = carried + f.weights / link, sent + f.weights
            takes = f.parcel / f.games * math.exp(dice.gauss(-SPREAD * SPREAD / 2, SPREAD))
            played += takes
            heapq.heappush(inbox, (start + takes, given, worker))
            given += 1
        if learned in arrived:
            arrived.remove(learned)
            now, learning, learned = now + f.parcel * f.learn, learning + f.parcel * f.learn, learned + 1
            if learned % workers == 0:
                published = learned // workers
            if learned in (3 * workers, parcels - 2 * workers):
                marks.append((now, played, learning, carried, sent))
        else:
            done, number, worker = heapq.heappop(inbox)
            came = max(done, came) + size
            carried, sent = carried + size, sent + f.parcel * f.bytes
            now = max(now, came) + f.handle
            learning += f.handle
            arrived.add(number)
            free.append(worker)
    took, played, learning, carried, sent = (b - a for a, b in zip(*marks, strict=True))
    done_games = (parcels - 5 * workers) * f.parcel
    share = min(1.0, played / took / workers)
    return Found(machines, done_games / took, sent / took, min(1.0, learning / took), min(1.0, carried / took), share)


# ---- what is measured


def measure(game_text: str, simulations: int, parcels: int, repeats: float = 10.0) -> dict[str, float]:
    """CPU seconds of a worker and of the learner, and bytes."""
    game = games.load(game_text)
    settings = ZeroSettings(10**9, simulations=simulations, quick=max(simulations // 5, 2), repeats=repeats)
    model = learn.DualNetwork(game, alike=True)
    about = {"settings": settings._asdict(), "shape": model.shape, "rules": fingerprint(game)}
    worker = selfplays(game, json.loads(json.dumps(about)))
    training = SpreadTraining(game, model, settings, Spread(1))
    weights = {**model.weights, ".counts": np.zeros(2, np.int64)}

    def parcel(number: int) -> Parcel:
        worker.take(weights)
        return worker.work(Parcel(json.dumps({"parcel": number, "games": PARCEL})))

    def absorb(answer: Parcel) -> None:
        training._absorb(training._checked(answer, PARCEL, "it"))

    absorb(parcel(0))  # compiles, and the games of a network that knows nothing are longer
    play, take, sent = 0.0, 0.0, 0
    for number in range(1, parcels + 1):
        began = time.thread_time()
        answer = parcel(number)
        played = time.thread_time()
        absorb(answer)
        play, take = play + played - began, take + time.thread_time() - played
        sent += sum(array.nbytes for array in answer.arrays.values()) + len(answer.text)
    number_of = parcels * PARCEL
    return {
        "games a second": number_of / play,
        "bytes a game": sent / number_of,
        "weights": float(sum(array.nbytes for array in weights.values())),
        "learner seconds a game": take / number_of,
        "positions a game": float(training._works[0].seen) / (number_of + PARCEL),
    }


def handling(game_text: str, parcels: int, ray: bool) -> float:
    """CPU seconds that the learner's process spends on a parcel beside learning: to hand it out, to get it back, to
    write it down. With workers of a Ray of this machine, or with processes."""
    game = games.load(game_text)
    settings = ZeroSettings((parcels + 4) * PARCEL, simulations=4, quick=2, repeats=0.0)
    spread = Spread(2, "ray" if ray else "local")
    with tempfile.TemporaryDirectory() as folder:
        training = SpreadTraining(game, learn.DualNetwork(game, alike=True), settings, spread, Path(folder))
        try:
            training.run(until=4 * PARCEL)
            began = time.process_time()
            training.run()
            return (time.process_time() - began) / parcels
        finally:
            training.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--game", default="connect_four")
    parser.add_argument("--processes", action="store_true", help="handle parcels of processes, not of Ray")
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    cases = [(100, 10.0), (800, 10.0), (800, 1.0)]
    drawn: dict[str, list[tuple[float, float]]] = {}
    report: list[dict[str, Any]] = []
    handle = handling(given.game, 4 if given.quick else 100, not given.processes)
    print(f"a parcel of {PARCEL} games is handed out, got back and written down in {1e3 * handle:.2f} ms of the CPU")
    for simulations, repeats in [(20, 1.0)] if given.quick else cases:
        found = measure(given.game, simulations, 1 if given.quick else 6 if simulations > 100 else 24, repeats)
        figures = Figures(
            found["games a second"], found["bytes a game"], found["weights"], found["learner seconds a game"], handle
        )
        name = f"{simulations} simulations, repeats={repeats:g}"
        print(f"{name}: {', '.join(f'{key} {value:,.4g}' for key, value in found.items())}")
        rows = [simulate(figures, machines) for machines in MACHINES[: 3 if given.quick else None]]
        for row in rows:
            print(
                f"{row.machines:6,} machines: {row.games:9,.0f} games/s, {row.bytes / 1e6:8,.2f} MB/s, "
                f"learner {row.learner:4.0%}, link {row.link:4.0%}, workers {row.workers:4.0%}: {row.bottleneck}"
            )
        drawn[name] = [(math.log10(row.machines), row.games) for row in rows]
        report.append({"case": name, **found, "rows": [{**row._asdict(), "bound": row.bottleneck} for row in rows]})
    if given.svg:
        title = f"{given.game}: games learned from, on paper"
        given.svg.write_text(
            line_chart(drawn, title, f"machines of {CORES} cores, as a power of 10", "games a second"), encoding="utf-8"
        )
    if given.json:
        given.json.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
