"""Work that is given to others: processes of this machine, and the workers of a real Ray, some of which are killed."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from counterplay import UserError, arena, games, learn
from counterplay.executors import LostWorker, Parcel, Processes, Role, executor
from counterplay.executors import cluster as on_cluster
from counterplay.executors.roles import first_on_this_machine, game_text
from counterplay.learn.distributed import Spread, SpreadTraining, spread_over
from counterplay.learn.files import resume
from counterplay.learn.recipes import recipe_for
from counterplay.learn.zero import ZeroSettings
from counterplay.native import interpreted
from tests.processes import WATCHDOG_SECONDS
from tests.small_games import Nim

GAME = games.load("tic_tac_toe")
ROOT = Path(__file__).parent.parent
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
PLAYERS = ("alphabeta:nodes=60", "mcts:simulations=6")


def network(seed=1):
    return learn.DualNetwork(GAME, hidden=(16, 16), alike=True, seed=seed)


def weights_of(model):
    return {name: weights.tobytes() for name, weights in model.weights.items()}


def settings(games=24, **more):
    return ZeroSettings(games, simulations=8, quick=4, seed=5, **more)


def trained(spread, journal=None, **more):
    model = network()
    training = SpreadTraining(GAME, model, settings(**more), spread, journal)
    try:
        training.run()
    finally:
        training.close()
    return weights_of(model)


# ---- the seam


def echo(game, about):
    """Not a role of ours: it is of no use that it is there."""


def test_only_roles_of_ours_are_played_and_only_games_that_can_be_loaded():
    with executor(Role("tests.test_cluster:echo", GAME, {})) as at_work:
        at_work.begin(Parcel("{}"))
        with pytest.raises(UserError, match="no work of Counterplay's"):
            at_work.finished()
    for text in ("nim:heaps=[1,2]", "tic_tac_toe", "breakthrough.kif"):
        game = games.load(text)
        assert games.load(game_text(game)) == game
    with pytest.raises(UserError, match="cannot go to other machines"):
        game_text(Nim())
    with pytest.raises(UserError, match="cannot go to other machines"):
        game_text(GAME.with_model(network()))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"kind": "slurm"}, "no executor 'slurm'"),
        ({"workers": 0}, "1 to 256 workers"),
        ({"workers": 10**6, "kind": "ray"}, "1 to 100000 workers"),
        ({"address": "auto"}, "add --executor ray"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_begins(asked, message):
    with pytest.raises(UserError, match=message):
        executor(Role("counterplay.arena.workers:plays", GAME, {}), **asked)


def test_without_ray_a_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r"pip install 'counterplay\[cluster\]'"):
        arena.match(GAME, ("random", "random"), 2, executor="ray")


@pytest.mark.long
def test_machine_code_is_made_by_one_and_then_read_by_all(tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTERPLAY_CACHE_DIR", str(tmp_path / "cache"))
    script = """
import sys, time
from counterplay.executors.roles import first_on_this_machine
with first_on_this_machine("a", "b"):
    began = time.time()
    time.sleep(0.5)
    print(began, time.time())
"""
    started = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=ROOT) for _ in range(3)]
    spans = sorted(tuple(map(float, each.communicate(timeout=WATCHDOG_SECONDS)[0].split())) for each in started)
    assert all(began >= spans[0][1] for began, _ in spans[1:])
    with first_on_this_machine("a", "b"):  # and who comes later waits for nobody
        pass


# ---- matches by processes


@pytest.mark.long
@linux_only
def test_a_process_that_is_killed_costs_no_game():
    role = Role("counterplay.arena.workers:plays", GAME, {"conditions": CONDITIONS, "players": ["random"]})
    with interpreted(), Processes(role, 2) as at_work:
        numbers = iter(range(30))
        played = []
        while len(played) < 30:
            while at_work.room and (number := next(numbers, None)) is not None:
                at_work.begin(fixture(number))
            task, answer = at_work.finished()
            played.append(json.loads(answer.text)["number"])
            assert json.loads(task.text)[0] == played[-1]
            if len(played) in (5, 11):
                os.kill(at_work.pids[0], signal.SIGKILL)
        assert sorted(played) == list(range(30))


CONDITIONS = {"seed": 0, "limits": {}, "clock": None, "adjudication": None}


def fixture(number):
    return Parcel(json.dumps([number, [0, 1], ["random", "random"], [number, number + 1], ["", []], 0]))


@pytest.mark.long
def test_work_that_costs_three_workers_is_given_to_no_other(tmp_path):
    file = tmp_path / "bad.py"
    file.write_text(
        "import os\nfrom counterplay.games.tic_tac_toe import TicTacToe\n"
        "class Bad(TicTacToe):\n    def result(self, s, a):\n        os._exit(3)\n"
    )
    about = {"conditions": CONDITIONS, "players": ["random"]}
    with interpreted(), Processes(Role("counterplay.arena.workers:plays", games.load(str(file)), about), 2) as at_work:
        at_work.begin(fixture(4))
        with pytest.raises(LostWorker, match="status 3, 3 times") as lost:
            at_work.finished()
    assert lost.value.parcel == fixture(4)


@pytest.mark.long
def test_a_sweep_finds_the_better_setting():
    trials = arena.sweep(GAME, "alphabeta:depth={d}", {"d": [1, 5]}, against="random", games=20, seed=2)
    assert [trial.settings for trial in trials] == [{"d": 5}, {"d": 1}]
    assert trials[0].player == "alphabeta:depth=5"
    assert isinstance(trials[0], arena.Trial)
    assert trials[0].score.points > trials[1].score.points > 0.5
    with pytest.raises(UserError, match=r"no \{e\} to put"):
        arena.sweep(GAME, "alphabeta:depth=1", {"e": [1]}, against="random")


# ---- learning with workers


@pytest.mark.long
def test_who_plays_makes_no_difference_to_what_is_learned(tmp_path):
    """With two processes, one of them killed, every parcel is the same, and so is each weight at the end."""
    spread = Spread(2, parcel=4)
    whole = trained(spread)
    model = network()
    training = SpreadTraining(GAME, model, settings(), spread, tmp_path)
    training.run(until=8)
    os.kill(training._executor.pids[0], signal.SIGKILL)
    training.run()
    training.close()
    assert weights_of(model) == whole
    assert training.progress.games == 24
    assert trained(Spread(1, parcel=4)) == trained(Spread(1, parcel=4)) != whole
    kept = sorted(each.name for each in tmp_path.iterdir())
    assert len(kept) == 6
    # what was played is not played again
    monkey = SpreadTraining(GAME, network(), settings(), spread, tmp_path)
    monkey._executor = NobodyPlays()
    monkey.run()
    assert weights_of(monkey.model) == whole


class NobodyPlays:
    room, busy = 1, False

    def share(self, arrays):
        raise AssertionError

    begin = finished = share


@pytest.mark.long
def test_a_training_with_workers_goes_on_to_the_same_weights(tmp_path):
    spread, file = Spread(1, parcel=4), tmp_path / "m.safetensors"
    whole = trained(spread)
    training = SpreadTraining(GAME, network(), settings(), spread, tmp_path / "parcels")
    training.run(until=12)
    learn.save(training.model, file, training)
    training.run(until=20)  # lost: only its parcels are there
    training.close()
    again = SpreadTraining(GAME, network(seed=9), settings(), spread, tmp_path / "parcels")
    resume(again, file)
    assert again.games == 12
    again.run()
    again.state()
    again.state()
    assert weights_of(again.model) == whole
    assert not list((tmp_path / "parcels").iterdir())  # a checkpoint has all of it
    plain = recipe_for(GAME, "zero:hidden=16x16,alike=true,simulations=8,quick=4")
    one = spread_over(GAME, plain.begin(GAME, plain.model(GAME), 8), spread)
    one.run()
    assert one.progress.is_done
    with pytest.raises(UserError, match="only zero is played by workers"):
        spread_over(GAME, recipe_for(GAME, "any").begin(GAME, recipe_for(GAME, "any").model(GAME)), spread)
    with pytest.raises(UserError, match="say --workers or --threads"):
        trained(spread, threads=2)


@pytest.mark.long
def test_what_comes_back_is_looked_at_and_refused_by_name(tmp_path):
    training = SpreadTraining(GAME, network(), settings(), Spread(1, parcel=4), tmp_path)
    training.run(until=4)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    from safetensors.numpy import load

    arrays, told = load(whole), {name: int(training._works[0][name]) for name in training._counted}
    told["learned"] = 0
    good = Parcel(json.dumps(told), arrays)
    assert training._checked(good, 4, "it") is good
    for name, change in (
        ("index", lambda each: each + 10**6),
        ("count", lambda each: each + 1),
        ("player", lambda each: each - 1),
        ("target", lambda each: each * np.nan),
        ("share", lambda each: each.astype(np.float64)),
        ("action", lambda each: each[1:]),
    ):
        bad = Parcel(good.text, {**arrays, name: change(arrays[name])})
        with pytest.raises(UserError, match=f"it is of no use: '{name}'"):
            training._checked(bad, 4, "it")
    for text in ("[]", "{}", json.dumps({**told, "games": 5}), json.dumps({**told, "seen": -1})):
        with pytest.raises(UserError, match="it is of no use"):
            training._checked(Parcel(text, arrays), 4, "it")
    file.write_bytes(whole[: len(whole) // 2])
    again = SpreadTraining(GAME, network(), settings(), Spread(1, parcel=4), tmp_path)
    with pytest.raises(UserError, match=rf"{file.name} is damaged"):
        again.run()


@pytest.mark.long
def test_the_command_trains_with_workers(counterplay, tmp_path):
    file = tmp_path / "m.safetensors"
    recipe = "zero:hidden=16x16,alike=true,simulations=8,quick=4"
    asked = ("train", "tic_tac_toe", "--recipe", recipe, "--games", 30, "--out", file, "--workers", 1)
    status, out, err = counterplay(*asked)
    assert (status, "done: 30 games" in out) == (0, True), err
    assert learn.load(file).pedigree[-1]["played"] == 30
    assert not file.with_name("m.safetensors.training").exists()
    for wrong, message in (
        (("--executor", "ray"), "say by --workers"),
        (("--workers", 2, "--seconds", 3), "give --games, not --seconds"),
        (("--workers", 2, "--threads", 2, "--recipe", "zero"), "say --workers or --threads"),
        (("--workers", 2, "--executor", "x", "--recipe", "zero"), "no executor 'x'"),
    ):
        status, _, err = counterplay("train", "tic_tac_toe", "--out", tmp_path / "n.safetensors", *wrong)
        assert (status, message in err) == (2, True), err


# ---- a real Ray


def ray_or_skip():
    """Without importing it: whether it listens to this machine only is decided then."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("needs Ray (pip install 'counterplay[cluster]')")


RAY_SCRIPT = """
import json, os, signal, sys
from pathlib import Path
from counterplay import arena, games

def listening():
    "The addresses at which this process and those below it wait for others, as Linux writes them."
    pids, found = [os.getpid()], set()
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").glob("*"):
            try:
                pids += map(int, (task / "children").read_text().split())
            except OSError:
                continue
    inodes = set()
    for pid in pids:
        for link in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                name = os.readlink(link)
            except OSError:
                continue
            if name.startswith("socket:["):
                inodes.add(name[8:-1])
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                found.add(fields[1].split(":")[0])
    return pids[1:], sorted(found)

lost, told = [], {}

def called(pids, *names):
    "Those of these processes, as far as they are still there, that have one of these names."
    for pid in pids:
        try:
            line = Path(f"/proc/{pid}/cmdline").read_text()
        except OSError:
            continue
        if any(name in line for name in names):
            yield pid

def watch(score):
    if score.games == 8 and not lost:
        workers = []
        while len(workers) < 3:  # the last may still be on its way; the watchdog ends it if none comes
            pids, told["listening"] = listening()
            workers = list(called(pids, "_Worker"))
        told["workers"] = len(workers)
        lost.append(workers[0])
        os.kill(workers[0], signal.SIGKILL)
    if score.games == 20 and sys.argv[2] == "head":
        for pid in called(listening()[0], "gcs_server", "raylet/raylet"):
            os.kill(pid, signal.SIGKILL)

game = games.load("tic_tac_toe")
players = ("alphabeta:nodes=60", "mcts:simulations=6")
arena.match(game, players, 40, executor="ray", concurrency=3, record=Path(sys.argv[1]), progress=watch)
print(json.dumps(told))
"""


@pytest.mark.slow
@linux_only
@pytest.mark.parametrize("lost", ["worker", pytest.param("head", marks=pytest.mark.rare)])
def test_a_ray_of_this_machine_loses_a_worker_and_its_head_but_no_game(tmp_path, lost):
    """Three workers, one killed in the middle; then, too, the head. What was finished stays, and the match goes on."""
    ray_or_skip()
    record, whole = tmp_path / "record", tmp_path / "whole"
    environment = {**os.environ, "COUNTERPLAY_INTERPRETED": "1", "PYTHONPATH": str(ROOT)}
    environment["RAY_gcs_rpc_server_reconnect_timeout_s"] = "5"  # how long Ray waits for its head; else a minute
    done = subprocess.run(
        [sys.executable, "-c", RAY_SCRIPT, record, lost],
        capture_output=True,
        text=True,
        timeout=WATCHDOG_SECONDS,
        env=environment,
    )
    with interpreted():
        arena.match(GAME, PLAYERS, 40, record=whole)
    expected, kept = lines_of(whole), lines_of(record)
    if lost == "worker":
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout.splitlines()[-1])
        assert told["workers"] == 3
        assert set(told["listening"]) <= {"0100007F", "0000000000000000FFFF00000100007F"}  # 127.0.0.1
        assert kept == expected
    else:
        assert done.returncode != 0
        assert len(kept) >= 20
        assert all(each in expected for each in kept)
        with interpreted():
            arena.match(GAME, PLAYERS, 40, record=record)
        assert lines_of(record) == expected


def lines_of(file):
    return sorted(map(json.loads, file.read_text().splitlines()[1:]), key=lambda line: line["number"])


@pytest.mark.rare
@linux_only
def test_ray_learns_what_processes_learn(tmp_path):
    """The same run with one worker of Ray as with one here; and with two of Ray, one killed, as with two processes."""
    ray_or_skip()
    expected = [trained(Spread(number, parcel=4)) for number in (1, 2)]
    ray = on_cluster._import_ray()
    on_cluster._connect(ray, 2, None)
    try:
        assert trained(Spread(1, "ray", "auto", parcel=4)) == expected[0]
        model = network()
        training = SpreadTraining(GAME, model, settings(), Spread(2, "ray", "auto", parcel=4))
        training.run(until=8)
        at_work = training._executor
        ray.kill([*at_work._idle, *(worker for worker, _ in at_work._working.values())][0])
        training.run()
        training.close()
        assert weights_of(model) == expected[1]
        with pytest.raises(UserError, match="running in this process already"):
            trained(Spread(1, "ray", parcel=4))
        with pytest.raises(UserError, match="cannot go to other machines"):
            arena.match(Nim(), ("random", "random"), 2, executor="ray", address="auto")
    finally:
        ray.shutdown()


@pytest.mark.long
def test_a_cluster_that_is_not_there_is_told_at_once():
    ray_or_skip()
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:x"):
        with pytest.raises(UserError, match=f"the cluster at {address} cannot be reached"):
            arena.match(GAME, ("random", "random"), 2, executor="ray", address=address)


# ---- on paper


@pytest.fixture
def paper(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("cluster")


@pytest.mark.parametrize(
    ("changed", "bound", "games"),
    [
        ({}, "workers", 10 * 8 * 100),
        ({"learn": 1e-3}, "learner", 1000),
        ({"handle": 0.064}, "learner", 1000),
        ({"bytes": 125e3}, "link", 1000),
        ({"weights": 125e6}, "link", 0),
    ],
)
def test_the_bottleneck_is_found(paper, changed, bound, games):
    """80 workers that play 100 games a second each, and what holds them up."""
    figures = paper.Figures(games=100, bytes=100, weights=1000, learn=1e-6, handle=1e-6)._replace(**changed)
    found = paper.simulate(figures, machines=10, cores=8)
    assert found.bottleneck == bound
    if games:
        assert 0.6 * games < found.games <= 1.02 * games
        assert found.bytes == pytest.approx(found.games * figures.bytes, rel=0.2)
    one = paper.simulate(figures, machines=1, cores=1)
    assert one.games <= 1.1 * found.games


@pytest.mark.rare
@pytest.mark.slow
def test_the_figures_are_measured_and_drawn(tmp_path):
    program = [sys.executable, ROOT / "benchmarks" / "cluster.py", "--quick", "--processes", "--game", "tic_tac_toe"]
    more = ["--svg", tmp_path / "c.svg", "--json", tmp_path / "c.json"]
    done = subprocess.run([*program, *more], capture_output=True, text=True, timeout=WATCHDOG_SECONDS)
    assert done.returncode == 0, done.stderr
    (case,) = json.loads((tmp_path / "c.json").read_text())
    assert case["games a second"] > 1
    assert case["bytes a game"] > 100
    assert [row["machines"] for row in case["rows"]] == [1, 3, 10]
    assert "<svg" in (tmp_path / "c.svg").read_text()
