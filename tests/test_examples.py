"""The examples run as they are, from the folder of the project, and write only where they are told."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.processes import WATCHDOG_SECONDS

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent


def visible_files():
    """Those of the project's and the examples' folders; other tests at the same time may make hidden ones."""
    return {path for folder in (ROOT, ROOT / "examples") for path in folder.glob("[!._]*")}


def run(name, folder, **environment):
    """What an example prints."""
    files = visible_files()
    done = subprocess.run(
        [sys.executable, f"examples/{name}", str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "COUNTERPLAY_QUIET": "1", **environment},
        capture_output=True,
        text=True,
        timeout=WATCHDOG_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert visible_files() == files
    return done.stdout


def test_your_own_game(tmp_path):
    """Interpreted, which saves compiling a game that no other test has."""
    out = run("your_own_game.py", tmp_path, COUNTERPLAY_INTERPRETED="1")
    assert "checked: nothing to complain about" in out
    assert "b2 wins: value 1, exact: True" in out
    for bar, bite in (("2 by 3", "c2"), ("2 by 5", "e2"), ("3 by 3", "b2")):  # known: a corner, and b2 on squares
        assert f"{bar}: {bite}" in out
    assert "alphabeta against random: 20 wins, 0 losses" in out
    ET.parse(tmp_path / "chomp.svg")


def test_alpha_beta_step_by_step(tmp_path):
    out = run("alpha_beta_step_by_step.py", tmp_path)
    assert "minimax: value 3, 13 states looked at" in out
    assert "alpha-beta: value 3, 11 states looked at" in out
    steps = [line.split() for line in out.splitlines()]
    assert ["2", "3", "∞", "∞", "look", "at", "2"] in steps
    assert "2        3    2    2  MIN here is ≤ 2, MAX already has 3  <- CUT" in out
    assert ["3", "3", "5", "5", "MIN", "has", "at", "most", "5"] in steps
    cut = [line for line in out.splitlines() if line.startswith("never looked at")]
    assert [line.split(":")[1] for line in cut] == [" 2 2, which is 4", " 2 3, which is 6"]
    assert "in a better order: value 3, 9 states, 4 leaves cut" in out
    assert (tmp_path / "alpha_beta.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_engine_tournament(tmp_path):
    """What one gets the other does not; the ranking is that of the points."""
    out = run("engine_tournament.py", tmp_path)
    lines = out.splitlines()
    table = [line for line in lines if " of 60" in line]
    names = [line[:12].strip() for line in table]
    assert set(names) == {"random", "one ply", "three plies", "playouts"}
    assert names[-1] == "random"
    points = [float(line[:-6].split()[-3]) for line in table]
    assert points == sorted(points, reverse=True)
    assert sum(points) == 6 * 20
    elo = [float(line.split()[-1]) for line in table]
    assert elo == sorted(elo, reverse=True)
    assert abs(sum(elo)) <= 2
    assert max(map(len, lines)) <= 80
    assert len((tmp_path / "tournament.jsonl").read_text().splitlines()) == 1 + 6 * 20
