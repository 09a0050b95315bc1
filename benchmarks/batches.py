"""What the compiled games around a convolutional network cost: leaves a second, as part of onnxruntime's own rate.

    pip install -e '.[zero]'
    python benchmarks/batches.py                      # Connect Four and Go 9x9, batches of 32, 64 and 128

Games against itself go on, 100 simulations a move, with an untrained network of 32 channels and 4 blocks; nothing is
learned. Onnxruntime by itself gets the same arrays again and again. Both work in turn, round by round, in one process
and one thread, and CPU time is what counts; the ratio is the median of the rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time

from counterplay import games
from counterplay.core.records import new_record
from counterplay.learn.batches import Batch
from counterplay.learn.convolution import ConvolutionalNetwork
from counterplay.learn.runtimes import new_runtime
from counterplay.learn.zero import _replay
from counterplay.learn.zero_batches import BatchSettings


def measure(name: str, slots: int, rounds: int, seconds: float, channels: int, blocks: int) -> dict[str, float]:
    """Leaves a second of CPU time with the games, and those of onnxruntime alone."""
    game = games.load(name)
    model = ConvolutionalNetwork(game, channels, blocks)
    run, replay, settings = (
        new_runtime(model, "onnxruntime"),
        new_record(_replay(1)),
        BatchSettings(1 << 40, slots=slots),
    )
    batch = Batch(game.with_model(model), model, slots, settings)
    batch.seed(1)

    def ours() -> int:
        return batch.advance(replay, run, settings.games)

    def theirs() -> int:
        run(batch.planes, batch.others)
        return slots

    for _ in range(300):  # games spread out, and all is compiled
        ours()
    rates: dict[str, list[float]] = {"ours": [], "onnxruntime": []}
    for _ in range(rounds):
        for who, work in (("ours", ours), ("onnxruntime", theirs)):
            began, leaves = time.process_time(), 0
            while time.process_time() - began < seconds:
                leaves += work()
            rates[who].append(leaves / (time.process_time() - began))
    ratios = [a / b for a, b in zip(rates["ours"], rates["onnxruntime"], strict=True)]
    found = {who: statistics.median(each) for who, each in rates.items()}
    return {**found, "ratio": statistics.median(ratios), "worst": min(ratios), "best": max(ratios)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="*", default=["connect_four", "go"])
    parser.add_argument("--slots", nargs="*", type=int, default=[32, 64, 128])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--channels", type=int, default=32)
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    print("game          batch  ours/s  onnxruntime/s  ratio  spread")
    for name in given.games:
        for slots in given.slots:
            found = measure(name, slots, given.rounds, given.seconds, given.channels, given.blocks)
            print(
                f"{name:13} {slots:5} {found['ours']:7.0f} {found['onnxruntime']:14.0f} {found['ratio']:6.3f}"
                f"  {found['worst']:.3f} to {found['best']:.3f}",
                flush=True,
            )
            if given.json:
                print(json.dumps({"game": name, "slots": slots, **found}))


if __name__ == "__main__":
    main()
