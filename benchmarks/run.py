"""Compare our speed with our peers'.    python benchmarks/run.py [NAME ...] [--quick] [--json FILE]"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from measure import ROUNDS, Pair, Row, measure
from pairs import pairs
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

COLUMNS = ("comparison", "ours", "peer", "ratio", "spread", "target")


def main() -> None:
    options = _options()
    about = machine()
    print("\n".join(f"{name}: {value}" for name, value in about.items()), end="\n\n", flush=True)
    rows = []
    for pair in options.pairs:
        if sys.stderr.isatty():
            print(f"measuring {pair.name} ...", file=sys.stderr)
        rows.append(measure(pair, options.rounds))
    show(rows)
    if options.json:
        options.json.write_text(json.dumps({"machine": about, "rows": [asdict(row) for row in rows]}, indent=2) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare our speed with our peers'.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="only comparisons with this in their name or their peer's"
    )
    parser.add_argument("--quick", action="store_true", help="one round of next to nothing, to see that all of it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there as well")
    options = parser.parse_args()
    every = pairs(options.quick)
    for name in options.names:
        if not any(_has(pair, name) for pair in every):
            parser.error(f"no comparison is named '{name}'; there are: {', '.join(pair.name for pair in every)}")
    options.pairs = [pair for pair in every if not options.names or any(_has(pair, name) for name in options.names)]
    options.rounds = 1 if options.quick else ROUNDS
    return options


def _has(pair: Pair, name: str) -> bool:
    return name.lower() in f"{pair.name} {pair.against}".lower()


def machine() -> dict[str, str]:
    """What the figures depend on."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "Python": platform.python_version(),
        "Numba": _version("numba"),
        "OpenSpiel": _version("open_spiel"),
        "g++": _compiler(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _compiler() -> str:
    program = shutil.which("g++")
    if program is None:
        return "none"
    return subprocess.run([program, "-dumpfullversion"], capture_output=True, text=True).stdout.strip()


def show(rows: list[Row]) -> None:
    """The table, drawn on a terminal, plain text elsewhere. The unit and the peer stand below the name."""
    table = [(_cells(row), _below(row)) for row in rows]
    if sys.stdout.isatty():
        drawn = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        for name in COLUMNS:
            drawn.add_column(name, justify="left" if name == "comparison" else "right", overflow="fold")
        for (name, *figures), below in table:
            drawn.add_row(f"{name}\n[dim]{escape(below)}[/dim]", *figures)
        Console().print(drawn)
        return
    widths = [max(map(len, column)) for column in zip(COLUMNS, *(cells for cells, _ in table), strict=True)]
    for cells, below in ((COLUMNS, ""), *table):
        line = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        print(line.rstrip(), f"\n  {below}" if below else "", sep="")


def _cells(row: Row) -> tuple[str, ...]:
    target = "" if row.target is None else f"{row.target:g}"
    if row.missing is not None:
        return (row.name, _short(row.ours), "-", "-", "-", target)
    spread = f"{_digits(row.lowest)}..{_digits(row.highest)}"
    return (row.name, _short(row.ours), _short(row.peer), _digits(row.ratio), spread, target)


def _below(row: Row) -> str:
    return f"{row.unit}/s, {row.against}" + (f": {row.missing}" if row.missing else "")


def _digits(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def _short(rate: float) -> str:
    """Three digits: 88.2 M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rate >= size:
            return f"{rate / size:.3g} {letter}"
    return f"{rate:.3g}"


if __name__ == "__main__":
    main()
