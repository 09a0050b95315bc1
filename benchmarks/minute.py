"""The first minute: what a newcomer waits for.    python benchmarks/minute.py [BEFORE] [AFTER] [--rounds 3] [--quick]

BEFORE and AFTER are checkouts, by their folders; without them, this one alone. Every figure is CPU time in a process of
its own, the two in turn, the least of the rounds: on a busy machine the ratio says more than the figure. Python has its
byte code of everything already, as after an installation.

    compile    alpha-beta to depth 3 from an empty cache, importing included
    warm       the same with the cache that this has filled
    kept       one engine asked again and again, a search of some 50 nodes; its root is compiled by then
    fresh      a new engine for each such search
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TARGETS = {
    "compile nim": (2.15, "s"),
    "compile connect_four": (2.6, "s"),
    "compile chess": (6.75, "s"),
    "warm nim": (0.6, "s"),
    "kept connect_four": (0.3, "ms"),
    "fresh connect_four": (1.0, "ms"),
}

WHOLE = """
import atexit, sys, time
atexit.register(lambda: print(time.process_time(), file=sys.stderr))
sys.argv = ["counterplay", "search", "{game}", "--depth", "3"]
from counterplay.apps.cli import main
main()
"""
SMALL = """
import sys, time
from counterplay import games, search
game, limits = games.load("{game}"), search.Limits(depth=3)
engine = search.AlphaBeta(game)
def ask():
    return search.alphabeta(game, depth=3) if "{how}" == "fresh" else engine.search(None, limits)
for _ in range({before}):
    ask()
least = 1e9
for _ in range(5):
    began = time.process_time()
    for _ in range({times}):
        ask()
    least = min(least, (time.process_time() - began) / {times})
print(1000 * least, file=sys.stderr)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="What a newcomer waits for.")
    parser.add_argument(
        "checkouts", nargs="*", type=Path, metavar="FOLDER", help="checkouts to compare, before and after"
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured (3)")
    parser.add_argument("--quick", action="store_true", help="next to nothing, to see that all of it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there as well")
    options = parser.parse_args()
    checkouts = options.checkouts or [Path(__file__).parent.parent]
    names = [name for name in TARGETS if not options.quick or name.endswith("nim")]
    with tempfile.TemporaryDirectory() as bytecode:
        os.environ["PYTHONPYCACHEPREFIX"] = bytecode
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        for folder in checkouts:
            once("compile nim", folder.resolve(), options.quick)
        rows = [measure(name, checkouts, 1 if options.quick else options.rounds, options.quick) for name in names]
    print(f"{'':24}" + "".join(f"{folder.resolve().name:>12}" for folder in checkouts) + f"{'ratio':>8}{'target':>10}")
    for row in rows:
        figures = "".join(f"{each:12.2f}" for each in row["figures"])
        print(f"{row['name']:24}{figures}{row['ratio']:8.2f}{row['target']:7.2f} {row['unit']}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


def measure(name: str, checkouts: list[Path], rounds: int, quick: bool) -> dict:
    least = [float("inf")] * len(checkouts)
    for _ in range(rounds):
        for i, folder in enumerate(checkouts):
            least[i] = min(least[i], once(name, folder.resolve(), quick))
    target, unit = TARGETS[name]
    return {"name": name, "unit": unit, "target": target, "figures": least, "ratio": least[-1] / least[0]}


def once(name: str, folder: Path, quick: bool) -> float:
    """One figure for one checkout, with a cache of its own."""
    what, game = name.split()
    with tempfile.TemporaryDirectory() as cache:
        if what in ("kept", "fresh"):
            many, times = (5, 5) if quick else (1_100, 300)
            return figure(SMALL.format(game=game, how=what, before=many, times=times), folder, cache)
        cold = figure(WHOLE.format(game=game), folder, cache)
        return cold if what == "compile" else figure(WHOLE.format(game=game), folder, cache)


def figure(script: str, folder: Path, cache: str) -> float:
    """What a script says last on standard error, run by the code of a checkout."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "COUNTERPLAY_CACHE_DIR": cache, "COUNTERPLAY_QUIET": "1"}
    done = subprocess.run([sys.executable, "-c", script], cwd=cache, env=environment, capture_output=True, text=True)
    try:
        return float(done.stderr.split()[-1])
    except (IndexError, ValueError):
        sys.exit(f"{folder} cannot be measured:\n{done.stderr}")


if __name__ == "__main__":
    main()
