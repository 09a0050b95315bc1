"""The benchmarks run, compare equal work, and do without peers that are not installed."""

import importlib
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from counterplay import games
from counterplay.arena import new_player
from counterplay.arena.outside.player import is_installed
from counterplay.core.randomness import new_random
from counterplay.games.chess import weights
from counterplay.native import interpreted
from tests.processes import WATCHDOG_SECONDS

pytestmark = pytest.mark.long

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"

needs_compiler = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++ (Debian: apt install g++)")
needs_open_spiel = pytest.mark.skipif(
    not importlib.util.find_spec("pyspiel"), reason="needs OpenSpiel (pip install 'counterplay[peers]')"
)


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, BENCHMARKS / "run.py", "--quick", *arguments],
        env={**os.environ, "COUNTERPLAY_QUIET": "1", **environment},
        capture_output=True,
        text=True,
    )


def rows_of(folder, *names, **environment):
    done = run(*names, "--json", folder / "report.json", **environment)
    assert done.returncode == 0, done.stderr
    return {row["name"]: row for row in json.loads((folder / "report.json").read_text())["rows"]}


@pytest.fixture
def measure(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("measure")


@pytest.mark.rare
@needs_compiler
@needs_open_spiel
def test_every_row_has_rates(tmp_path):
    rows = rows_of(tmp_path)
    assert len(rows) >= 12
    for row in rows.values():
        assert row["missing"] is None
        assert row["ours"] > 0
        assert row["peer"] > 0
        assert 0 < row["lowest"] <= row["ratio"] <= row["highest"]
        if row["same_amount"]:
            assert row["ours_amount"] == row["peer_amount"]


@needs_compiler
def test_the_twin_counts_what_we_count(tmp_path):
    rows = rows_of(tmp_path, "twin")
    # Connect Four's 1 + 7 + 49 + 343 + 2401 states of at most 4 plies; nobody can win that early.
    assert rows["minimax-connect_four-twin"]["ours_amount"] == 2801
    assert rows["minimax-connect_four-twin"]["peer_amount"] == 2801
    # Kalah's 1 + 6 + 35 + 185 + 942 states; no game ends that early.
    assert rows["minimax-kalah-twin"]["ours_amount"] == 1169
    assert rows["minimax-kalah-twin"]["peer_amount"] == 1169
    assert rows["perft-connect_four-twin"]["ours_amount"] == 2401
    assert rows["perft-connect_four-twin"]["peer_amount"] == 2401


def test_the_table_begins_with_the_machine():
    done = run("minimax-connect_four-interpreted")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("processor: ")
    assert "minimax-connect_four-interpreted" in done.stdout


@pytest.mark.parametrize(
    ("name", "hint"), [("twin", "apt install g++"), ("playouts-tic_tac_toe", "counterplay[peers]")]
)
def test_a_missing_peer_is_a_row_that_says_how_to_install_it(tmp_path, name, hint):
    (tmp_path / "pyspiel.py").write_text("raise ImportError")
    rows = rows_of(tmp_path, name, PATH="", PYTHONPATH=f"{tmp_path}{os.pathsep}{BENCHMARKS.parent}")
    assert rows
    for row in rows.values():
        assert hint in row["missing"]
        assert row["ours"] > 0
        assert row["ratio"] is None


def test_an_unknown_name_is_answered_with_the_names():
    done = run("parcheesi")
    assert done.returncode == 2
    assert "minimax-connect_four-twin" in done.stderr


def test_ours_and_the_peer_work_in_turn(measure):
    order = []

    def work(name, seconds):
        return lambda: (order.append(name), (10, seconds))[1]

    row = measure.measure(measure.Pair("a", "nodes", "b", work("ours", 2.0), work("peer", 4.0)), rounds=3)
    assert order == ["ours", "peer"] * 4
    assert (row.ours, row.peer, row.ratio, row.lowest, row.highest) == (5.0, 2.5, 2.0, 2.0, 2.0)


def test_the_ratio_is_of_the_medians(measure):
    seconds = iter([1.0, 1.0, 2.0, 10.0])  # the first is the warm-up
    row = measure.measure(
        measure.Pair("a", "nodes", "b", lambda: (10, next(seconds)), lambda: (10, 1.0)),
        rounds=3,
    )
    assert (row.ratio, row.lowest, row.highest) == (0.5, 0.1, 1.0)


def test_different_work_is_an_error(measure):
    pair = measure.Pair("a", "nodes", "b", lambda: (10, 1.0), lambda: (11, 1.0), same_amount=True)
    with pytest.raises(measure.Mismatch, match="ours counts 10 nodes, b 11"):
        measure.measure(pair)


@pytest.mark.slow
def test_learned_estimates_are_compared_with_those_made_by_hand(tmp_path):
    command = [sys.executable, BENCHMARKS / "learning.py", "--quick", "--json", tmp_path / "learning.json"]
    subprocess.run(command, env={**os.environ, "COUNTERPLAY_QUIET": "1"}, check=True, capture_output=True)
    rows = json.loads((tmp_path / "learning.json").read_text())
    assert [row["game"] for row in rows] == ["othello:size=4"]
    assert all(row["games"] > 0 and row["two"] > 0 for row in rows)


@pytest.mark.slow
def test_the_examination_in_connect_four_is_right():
    """Our own search judges the late positions as the file does."""
    command = [sys.executable, BENCHMARKS / "zero.py", "exam", "--check", "21"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=WATCHDOG_SECONDS)
    assert done.stdout == "36 positions with 21 stones or more judged again, 0 columns differ\n"


def test_any_game_is_learned_and_asked_to_play(tmp_path):
    command = [sys.executable, BENCHMARKS / "any_game.py", "--quick", "--json", tmp_path / "any.json"]
    subprocess.run(command, check=True, capture_output=True, timeout=WATCHDOG_SECONDS)
    (row,) = json.loads((tmp_path / "any.json").read_text())
    assert row["game"] == "last_stone"
    assert row["games"] >= 1
    assert all(0 <= row[name] <= 1 for name in ("perfect", "random", "mcts"))


def test_weights_in_memory_are_compared_with_constants(tmp_path):
    command = [sys.executable, BENCHMARKS / "memory.py", "--quick", "--json", tmp_path / "memory.json"]
    subprocess.run(command, env={**os.environ, "COUNTERPLAY_QUIET": "1"}, check=True, capture_output=True)
    rows = json.loads((tmp_path / "memory.json").read_text())
    assert [row["work"] for row in rows] == ["1,000 evaluations", "alphabeta, depth 2"]
    assert all(row["ratio"] > 0 for row in rows)


@needs_open_spiel
@pytest.mark.rare
def test_hidden_games_are_compared():
    command = [sys.executable, BENCHMARKS / "hidden.py", "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG_SECONDS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| Leduc poker") == 4


@pytest.mark.skipif(not is_installed("gnubg"), reason="needs GNU Backgammon (Debian: apt install gnubg)")
def test_games_against_gnubg_come_to_an_end(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(BENCHMARKS)
    gnubg, game = importlib.import_module("gnubg"), games.load("backgammon")
    opponent = gnubg.Gnubg(game, 0, tmp_path)
    with interpreted():
        score = gnubg.play(game, game, "random", opponent, 2).as_dict()
    opponent.close()
    assert score["games"] == 2
    assert score["points"] < 0
    assert abs(score["fair"]) < 9


@pytest.mark.rare
def test_re_solving_thinks_as_long_as_cfr(tmp_path):
    command = [sys.executable, BENCHMARKS / "resolving.py", "--quick", "--svg", tmp_path / "curves.svg"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG_SECONDS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| CFR") == 2
    assert "re-solving wins" in done.stdout
    assert "re-solving, network" in (tmp_path / "curves.svg").read_text()


@pytest.mark.rare
def test_the_first_minute_is_measured(tmp_path):
    report = tmp_path / "report.json"
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "minute.py", "--quick", "--json", report],
        capture_output=True,
        text=True,
        timeout=WATCHDOG_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(report.read_text())}
    assert rows.keys() == {"compile nim", "warm nim"}
    assert all(row["figures"][0] > 0 and row["ratio"] == 1 for row in rows.values())


# ---- the evaluation of chess


@pytest.fixture
def fitting(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("chess_positions"), importlib.import_module("chess_fit")


def test_positions_of_chess_are_settled_and_thinned(fitting):
    positions, _ = fitting
    game = games.load("chess")
    with interpreted():
        s = game.from_text("6k1/8/8/3q4/4P3/8/8/6K1 w - - 0 1")
        assert game.to_text(positions.disturbed(game, s, 0, new_random(0))) == "6k1/8/8/3P4/8/8/8/6K1 b - - 0 1"
        assert game.action_name(s, positions.best_move(game, s, 1)) == "exd5"
        thin = positions.thinned(game, game.initial(), random.Random(3))
        assert thin.kings == game.initial().kings
        assert game.from_text(game.to_text(thin)) == thin


def test_the_evaluation_of_chess_is_fitted_to_positions(fitting, tmp_path):
    _, fit = fitting
    game, source, file = games.load("chess"), random.Random(1), tmp_path / "positions.txt"
    with interpreted():
        lines = []
        for _ in range(40):
            s = game.initial()
            for _ in range(source.randrange(4, 20)):
                s = game.result(s, source.choice(list(game.actions(s))))
            pawns = (1 - 2 * s.turn) * (2 * game.terms(s).mobility + game.terms(s).material)
            lines.append(f"{game.to_text(s)}|{round(fit.PAWN * pawns)}\n")
        file.write_text("".join(lines))
        data = fit.Positions([file])
    rows = np.arange(len(data))
    before, after = np.zeros(2 * weights.NUMBER), fit.fit(data, rows, 60, 1e-7, 1e-7)
    wrong = [np.mean((fit.chance(data.estimate(w, rows)) - fit.chance(data.pawns)) ** 2) for w in (before, after)]
    assert wrong[1] < 0.2 * wrong[0]


def test_a_refinement_s_match_is_played_once(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(BENCHMARKS)
    refinements = importlib.import_module("refinements")
    for name, less in {"LONGEST": 3, "OPENING": 2, "LORE": 16, "ANSWERS": 8, "KINDS": 8, "TABLE_MB": 0.001}.items():
        monkeypatch.setattr(refinements, name, less)
    options = ["--games", "4", "--nodes", "15", "--match-only", "--record", str(tmp_path / "rows.jsonl")]
    monkeypatch.setattr(sys, "argv", ["refinements.py", "killers", *options])
    with interpreted():
        refinements.main()
    told = capsys.readouterr().out
    assert "| `killers` | 4 | +" in told
    monkeypatch.setattr(refinements, "match", None)
    refinements.main()
    assert capsys.readouterr().out == told


def test_several_numbers_are_measured_in_the_same_games(monkeypatch, capsys):
    monkeypatch.syspath_prepend(BENCHMARKS)
    refinements = importlib.import_module("refinements")
    for name, less in {"LONGEST": 3, "OPENING": 2, "LORE": 16, "ANSWERS": 8, "KINDS": 8, "TABLE_MB": 0.001}.items():
        monkeypatch.setattr(refinements, name, less)
    options = ["--together", "--games", "4", "--nodes", "15", "--set", "late_moves=5", "--set", "safe_margin=2"]
    monkeypatch.setattr(sys, "argv", ["refinements.py", *options])
    with interpreted():
        refinements.main()
    told = capsys.readouterr().out
    assert "4 games, Elo" in told
    assert "| `late_moves=5` | +" in told.replace("-", "+")
    assert "| `safe_margin=2` |" in told


def test_what_each_of_several_numbers_is_worth_is_found(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    effects = importlib.import_module("refinements").effects
    random = np.random.default_rng(0)
    lots = random.integers(0, 2, (4000, 3)) - random.integers(0, 2, (4000, 3))
    points = lots @ [0.1, 0.0, -0.05] + random.normal(0.0, 0.3, 4000)
    worth, error = effects(list(lots), list(points))
    assert np.all(abs(np.array(worth) - [69.5, 0.0, -34.75]) < 1.5 * np.array(error))
    assert max(error) < 10


def test_the_error_of_a_match_is_that_of_its_pairs(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    elo = importlib.import_module("refinements").elo
    assert elo([(1.0, 0.0)] * 10) == (0.0, 0.0)  # who has White wins: nothing about the sides
    difference, error = elo([(1.0, 1.0), (0.0, 0.0)] * 50)
    assert difference == pytest.approx(0.0)
    assert 68 < error < 71


def test_levels_get_the_ratings_that_fit_games_against_others_and_among_themselves(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    chess_levels = importlib.import_module("chess_levels")
    truth = [700.0 + 150.0 * level for level in range(1, 11)]
    anchored = {level: truth[level - 1] for level in (4, 7, 10)}
    elos, part = chess_levels.fitted(anchored, dict.fromkeys(range(2, 10), 250.0))
    assert elos == pytest.approx(truth)
    assert part == pytest.approx(0.6)


def test_what_a_node_costs_is_compared_with_another_version():
    script = [sys.executable, BENCHMARKS / "node_speed.py", "--nodes", "300", "--positions", "2", "--rounds", "1"]
    done = subprocess.run([*script, "--against", BENCHMARKS.parent], capture_output=True, text=True)
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [BENCHMARKS.parent.name] * 2 + ["ratio"]
    none = subprocess.run([*script, "--against", "/nowhere"], capture_output=True, text=True)
    assert none.returncode != 0
    assert "there is no Counterplay in /nowhere" in none.stderr


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("--depth=2", "kalah: 2 threads take "),
        ("--simulations=20", "kalah: 2 threads take "),
        ("--depth=90", "nim: all 2 positions were solved"),
    ],
)
def test_threads_are_compared_with_one(limit, said):
    script = [sys.executable, BENCHMARKS / "threads.py", limit, "--positions", "2", "--repeat", "1", "--plies", "2"]
    interpreted = {**os.environ, "COUNTERPLAY_INTERPRETED": "1"}
    done = subprocess.run([*script, said.split(":")[0]], env=interpreted, capture_output=True, text=True)
    assert done.stdout.startswith(said), done.stderr


@pytest.mark.parametrize(("name", "moves"), [("nim", "a1"), (f"{BENCHMARKS / 'hex.py'}", "d4 c3")], ids=["nim", "hex"])
def test_a_version_of_counterplay_is_an_engine_for_matches(name, moves):
    game = games.load(name)
    script = f"{BENCHMARKS / 'version_before.py'} {BENCHMARKS.parent}"
    player = new_player(game, f"ugi:{sys.executable} {script} {name},nodes=200")
    try:
        player.prepare()
        here = game.at(moves)
        assert player.choose([*here.history, here.state]) in list(game.actions(here.state))
    finally:
        player.close()
