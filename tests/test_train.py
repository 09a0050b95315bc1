"""`counterplay train`: recipes, quick matches, courses that are killed and taken up again, and models in use."""

import json
import random
import signal
import subprocess
import sys

import numpy as np
import pytest

from counterplay import UserError, games, learn, native, search
from counterplay.learn import course as courses
from counterplay.learn import shelf
from counterplay.learn.course import Course, curve_svg, elo_of, elo_svg, games_within
from counterplay.learn.recipes import RECIPES, recipe_for
from counterplay.learn.strength import Score, quick_match
from tests.processes import WATCHDOG_SECONDS

pytestmark = pytest.mark.long


@pytest.fixture
def quick(monkeypatch):
    """Matches of a few games, and a look at the clock after each few: interpreted, that is all there is time for."""
    monkeypatch.setattr(courses, "MATCH_GAMES", 2)
    monkeypatch.setattr(courses, "_STEP_SECONDS", 1e-9)
    monkeypatch.setattr(courses, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(courses, "CHECKPOINT_SHARE", float("inf"))
    with native.interpreted():
        yield


def test_checkpoints_that_cost_much_are_written_rarely(tmp_path, monkeypatch):
    seconds = iter(range(100))
    course = new_course(tmp_path / "nim.safetensors")
    monkeypatch.setattr(courses.time, "perf_counter", lambda: next(seconds))
    assert course._checkpoint() == 1 + 1 / courses.CHECKPOINT_SHARE > 1 + courses.CHECKPOINT_SECONDS
    assert course._checkpoint() == 2 + courses.CHECKPOINT_SECONDS  # it is there already


def new_course(out, number=200):
    game = games.load("nim:heaps=1,2")
    return Course(game, recipe_for(game, "samuel"), out, number)


def test_a_training_goes_on_from_another_model_and_tells_of_both(tmp_path):
    first = new_course(tmp_path / "first.safetensors", 60)
    first.run(lambda *_: None)
    before = learn.load(first.out, first.game)
    second = Course(first.game, first.recipe, tmp_path / "second.safetensors", 40, begun_with=before)
    for name, weights in before.weights.items():
        assert (second.model.weights[name] == weights).all()
    second._checkpoint()
    again = Course.taken_up(first.game, second.out)
    again.run(lambda *_: None)
    pedigree = learn.load(second.out, first.game).pedigree
    assert [each["played"] for each in pedigree] == [60, 40]
    assert pedigree[0] == before.pedigree[0]
    with pytest.raises(UserError, match="of its own shape only"):
        Course(first.game, recipe_for(first.game, "any"), tmp_path / "third.safetensors", begun_with=before)


# ---- recipes


def test_recipes_are_read_from_their_own_text():
    for name, recipe in RECIPES.items():
        for game in map(games.load, recipe.made_for or ("breakthrough",)):
            if name != "sides":  # which nobody gets without asking for it
                assert recipe_for(game, method=recipe.method) == recipe
            assert str(recipe_for(game, name)) == name
            assert recipe.model(game).weights
    game = games.load("backgammon")
    changed = recipe_for(game, "td-gammon:hidden=32,rate=0.05,trace=0.5")
    assert str(changed) == "td-gammon:hidden=32,rate=0.05,trace=0.5"
    assert changed.model(game).hidden == (32,)
    settings = changed.settings(game, 7, seed=3)
    assert settings == (7, (0.05, 0.01), 0.5, 0.0, 1, 3, 1, 0.0, 1.0)
    one_layer = recipe_for(games.load("chess"), "sides:hidden=32,stages=4").model(games.load("chess"))
    assert (one_layer.hidden, one_layer.stages) == ((32,), 4)
    assert recipe_for(games.load("othello:size=6")).name == "logistello"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("alphazero", "there is no recipe 'alphazero'; there are: samuel, td-gammon, logistello, any"),
        ("td-gammon:stages=3", "td-gammon has no setting 'stages'; it has: hidden, features, rate"),
        ("td-gammon:hidden=many", "'hidden' of td-gammon is 80 if nobody says so; 'many' is nothing like it"),
        ("any:rate=fast", "'rate' of a recipe is a number, not 'fast'"),
    ],
)
def test_recipes_that_are_none_are_refused(text, says):
    with pytest.raises(UserError) as error:
        recipe_for(games.load("connect_four"), text)
    assert str(error.value).startswith(says)


# ---- examples for a regression


def test_examples_have_the_result_of_their_game_or_what_a_search_says():
    game = games.load("nim:heaps=1,2")
    with native.interpreted():
        (first, value), *_, (last, _) = learn.by_results(game, ["a1 b2", ["b1", "a1", "b1"]])
        assert first == game.initial()
        assert value == game.utility(game.at("a1 b2").state, 0)
        assert last == game.at("b1 a1").state
        assert len(learn.by_results(game, ["a1 b2", "b1 a1 b1"], skip=1)) == 3
        with pytest.raises(UserError, match="game 1 has not ended"):
            learn.by_results(game, ["a1"])
        states = learn.random_states(game, 5, seed=2)
        found = learn.by_search(game, states, depth=5)
        assert [s for s, _ in found] == states
        assert [value for _, value in found] == [search.minimax(game, s).values[0] for s in states]
        model = learn.Linear(game)
        assert learn.fit(game, model, found, rounds=200, rate=0.5).error < 0.3


# ---- quick matches


def test_quick_matches_are_the_same_in_either_mode_and_won_by_who_knows_more():
    game = games.load("nim:heaps=5,6")
    model = learn.Linear(game)
    clever = game.with_model(model)
    with native.interpreted():
        plain = quick_match(clever, None, 20, depth=5, seed=1)
    assert quick_match(clever, None, 20, depth=5, seed=1) == plain
    assert plain.games == 20
    assert plain.share > 0.6  # it sees the end after a move or two, the other does not
    assert plain.points == pytest.approx(2 * plain.share - 1)
    assert quick_match(clever, clever, 20, depth=9).share == 0.5  # each opening is won by the same side


def test_a_score_has_a_share_and_its_error():
    score = Score(100, 50, 20, 0.3)
    assert score.share == 0.6
    assert score.error == pytest.approx(((50 + 5) / 100 - 0.36) ** 0.5 / 10)


# ---- courses


def test_a_course_ends_with_a_model_that_tells_its_curve(quick, tmp_path):
    course = new_course(tmp_path / "nim.safetensors")
    told = []
    course.run(lambda progress, curve: told.append(progress.games))
    assert told[0] == 0
    assert told[-1] == 200
    model = learn.load(tmp_path / "nim.safetensors")
    (trained,) = model.pedigree
    assert [point["games"] for point in trained["curve"]] == [0, 2, 6, *range(20, 201, 20)]
    assert trained["curve"][-1]["shares"].keys() == {"random", "earlier"}
    assert trained["recipe"] == "samuel"
    assert [file.name for file in tmp_path.iterdir()] == ["nim.safetensors"]  # no checkpoints are left
    svg = curve_svg(course.game, trained["recipe"], trained["curve"])
    assert "random moves" in svg
    assert "hand-made" not in svg
    assert "Elo above the first" in elo_svg(course.game, trained["recipe"], trained["curve"])
    even = [{"games": n, "shares": {"earlier": share}} for n, share in ((1, 0.5), (2, 0.75), (3, 0.25))]
    assert elo_of([{"games": 0, "shares": {}}, *even]) == [(0, 0.0), (1, 0.0), (2, 190.8), (3, 0.0)]
    with pytest.raises(UserError, match="exists already: name another --out"):
        new_course(tmp_path / "nim.safetensors").must_be_new()


class Killed(Exception):
    pass


def test_killed_anywhere_it_ends_with_the_same_weights(quick, tmp_path):
    whole = new_course(tmp_path / "whole.safetensors")
    whole.run(lambda *_: None)
    out, chance = tmp_path / "killed.safetensors", random.Random(5)
    course, kept = new_course(out), set()
    kills = 0
    while True:
        left = chance.randrange(1, 9)

        def told(progress, curve):
            nonlocal left
            kept.add(len(list(tmp_path.glob("killed*/[0-9]*"))))
            left -= 1
            if left == 0 and progress.games < 200:
                raise Killed

        try:
            course.run(told)
            break
        except Killed:
            kills += 1
            course = Course.taken_up(course.game, out)
    assert kills >= 3
    assert max(kept) == 3
    for name, weights in whole.model.weights.items():
        assert weights.tobytes() == course.model.weights[name].tobytes()
    assert [point.games for point in course.curve] == [point.games for point in whole.curve]
    assert np.any(course.model.weights["weights"] != 0)


def test_ctrl_c_keeps_what_was_learned(counterplay, quick, tmp_path):
    course = new_course(tmp_path / "nim.safetensors")

    def told(progress, curve):
        if progress.games >= 60:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        course.run(told)
    assert learn.load(tmp_path / "nim.safetensors").pedigree[0]["played"] >= 60
    with pytest.raises(UserError, match="has been begun: go on with --resume, or name another --out"):
        new_course(tmp_path / "nim.safetensors").must_be_new()
    status, _, err = counterplay("train", course.game, "--resume", "--games", 5, "--out", course.out)
    assert status == 2
    assert "was begun with --games 200, not 5" in err
    again = Course.taken_up(course.game, tmp_path / "nim.safetensors")
    assert again.training.games == course.training.games
    again.run(lambda *_: None)
    assert learn.load(tmp_path / "nim.safetensors").pedigree[0]["played"] == 200
    with pytest.raises(UserError, match="there is no training of"):
        Course.taken_up(course.game, tmp_path / "nim.safetensors")


def test_how_many_games_there_is_time_for():
    game = games.load("nim:heaps=1,2")
    with native.interpreted():
        assert games_within(game, recipe_for(game, "samuel"), 0.1) >= 1


# ---- the command, and models in use


def test_train_and_use_what_it_has_made(counterplay, answer, quick, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = counterplay("train", "nim:heaps=1,2", "--games", 100, "--recipe", "samuel", "--svg", "curve.svg")
    assert (status, err) == (0, "")
    first, *_, last = out.splitlines()
    assert first.startswith("nim:heaps=(1,2): samuel, a weight for each feature")
    assert last == "use it: counterplay play nim:heaps=1,2 --model nim.safetensors"
    assert "       100 games" in out
    assert (tmp_path / "curve.svg").read_text().startswith("<svg")
    status, out, _ = counterplay("train", "nim:heaps=1,2", "--games", 40, "--out", "b.safetensors", "--json")
    *points, ended = map(json.loads, out.splitlines())
    assert points[0]["shares"].keys() == {"random"}
    assert (ended["ended"], ended["games"], ended["of"]) == ("done", 40, 40)
    model = ("--model", "nim.safetensors")
    game = games.load("nim:heaps=1,2")
    clever = game.with_model(learn.load("nim.safetensors"))
    found = answer("search", game, "--depth", 1, *model)
    assert found["value"] == pytest.approx(search.alphabeta(clever, clever.initial(), depth=1).value)
    assert found["value"] != answer("search", game, "--depth", 1)["value"]
    assert counterplay("analyse", game, "--depth", 1, *model)[0] == 0
    assert answer("explain", game, "--depth", 1, *model)
    assert answer("play", game, *model)["players"]
    listed = answer("models")["trained"]
    assert [(each["file"], each["kind"]) for each in listed] == [
        ("b.safetensors", "network"),
        ("nim.safetensors", "linear"),
    ]
    (tmp_path / "bad.safetensors").write_text("nothing")
    status, out, _ = counterplay("models")
    assert status == 0
    assert "bad.safetensors is no model of Counterplay" in out
    assert "nim.safetensors" in out
    won = answer("match", game, "alphabeta:depth=1,model=nim.safetensors", "random", "--games", 2, "--opening-plies", 0)
    assert won["games"] == 2


def test_what_ships_is_small_and_still_fits_its_game():
    found = shelf.on_the_shelf()
    games_of = {each.game for each in found}
    assert games_of == {"backgammon", "checkers", "chess", "connect_four", "othello", "othello:size=6"}
    assert sum(each.file.stat().st_size for each in found) < 8_000_000
    for each in found:
        assert each.trained
        assert not each.problem
        game = games.load(each.game)
        assert shelf.has_shipped(game)
        assert shelf.named(game, shelf.SHIPPED).kind == each.kind  # the canary sang
    by_zero = {each.game for each in found if each.trained[-1]["recipe"].startswith("zero")}
    assert by_zero == {"connect_four", "othello:size=6"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("train", "two_against_one", "--games", 5), "is not for two opponents"),
        (("train", "nim", "--games", 0), "a training has one game or more, not 0"),
        (("train", "nim", "--games", 5, "--seconds", 5), "give --games or --seconds, not both"),
        (("train", "nim", "--seconds", -1), "--seconds is how long to train, more than 0, not -1"),
        (("train", "nim", "--method", "guess"), "there is no method 'guess'; there are: td, zero"),
        (("train", "nim", "--method", "zero", "--recipe", "samuel"), "samuel learns by td, not by zero"),
        (("train", "nim", "--resume"), "there is no training of nim.safetensors to go on with"),
        (("train", "nim", "--recipe", "logistello"), "nim"),
        (("train", "nim", "--games", 5, "--out", "no/such/x"), "there is no folder no/such"),
        (("search", "nim", "--model", "none.safetensors"), "none.safetensors cannot be read"),
        (("search", "nim", "--model", "shipped"), "no model for nim comes with Counterplay"),
        (("models", "no/such"), "there is no folder no/such"),
        (("match", "nim", "alphabeta:depth=1,model=none", "random"), "none cannot be read"),
    ],
)
def test_bad_wishes_are_one_line(counterplay, quick, tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    status, _, err = counterplay(*arguments)
    assert status == 2
    assert len(err.splitlines()) == 1
    assert says in err
    assert list(tmp_path.iterdir()) == []


KILLS_ITSELF = """
import os, shutil, signal, sys
from pathlib import Path
from counterplay.apps.cli import main
from counterplay.learn import course, temporal

left = int(sys.argv.pop(1))
course.CHECKPOINT_SECONDS, course._STEP_SECONDS, course.MATCH_GAMES = 0.0, 1e-9, 4
course.CHECKPOINT_SHARE = float("inf")

def counted(of, name):
    before = getattr(of, name)
    def step(*args, **settings):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return before(*args, **settings)
    setattr(of, name, step)

for of, name in (temporal.Training, "run"), (os, "fsync"), (os, "replace"), (Path, "rename"), (shutil, "rmtree"):
    counted(of, name)
main()
"""
"""The command line, which is killed instead of doing its first argument's number of steps: games, or ways to write."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("recipe", "games_", "times"),
    [
        ("samuel", 8000, 4),
        pytest.param("samuel", 8000, 10, marks=pytest.mark.rare),
        pytest.param("zero:hidden=16x16,simulations=8,quick=4,gate=64", 512, 4, marks=pytest.mark.rare),
        pytest.param("descent:hidden=16,simulations=2,memory_mb=1", 512, 4, marks=pytest.mark.rare),
    ],
)
def test_kill_9_at_some_moments_and_resume_end_with_the_same_weights(tmp_path, recipe, games_, times):
    """Compiled, by the command itself; at moments of training, of writing, of renaming and of tidying up."""

    def run(out, left, *options):
        train = ("train", "nim", "--recipe", recipe, "--json", "--out", str(out), *options)
        done = subprocess.run([sys.executable, "-c", KILLS_ITSELF, str(left), *train], timeout=WATCHDOG_SECONDS)
        return done.returncode

    def begin_or_go_on():
        return ("--resume",) if list(tmp_path.glob("killed.training/[0-9]*")) else number

    number, chance = ("--games", str(games_)), random.Random(4)
    assert run(tmp_path / "whole", 0, *number) == 0
    for _ in range(times):
        assert run(tmp_path / "killed", chance.randrange(1, 60), *begin_or_go_on()) == -signal.SIGKILL
    assert run(tmp_path / "killed", 0, *begin_or_go_on()) == 0
    whole, killed = (learn.load(tmp_path / name) for name in ("whole", "killed"))
    for name, weights in whole.weights.items():
        assert weights.tobytes() == killed.weights[name].tobytes()
        assert np.any(weights != 0)
    assert [each["games"] for each in whole.pedigree[0]["curve"]] == [
        each["games"] for each in killed.pedigree[0]["curve"]
    ]
    assert {file.name for file in tmp_path.iterdir()} == {"whole", "killed"}


# ---- for TensorBoard


def test_the_curve_can_be_drawn_by_tensorboard(counterplay, quick, tmp_path, monkeypatch):
    pytest.importorskip("tensorboardX", reason="needs tensorboardX (pip install 'counterplay[tensorboard]')")
    from tensorboardX.proto.event_pb2 import Event

    monkeypatch.chdir(tmp_path)
    train = ("train", "nim:heaps=1,2", "--games", 100, "--recipe", "samuel")
    assert counterplay(*train, "--tensorboard", "events")[0] == 0
    (file,) = (tmp_path / "events").iterdir()
    scalars = {}
    for record in records(file.read_bytes()):
        event = Event.FromString(record)
        for value in event.summary.value:
            scalars.setdefault(value.tag, {})[event.step] = value.simple_value
    curve = learn.load("nim.safetensors").pedigree[0]["curve"]
    shares = {point["games"]: pytest.approx(point["shares"]["random"], abs=1e-6) for point in curve}
    assert scalars["share/random"] == shares
    assert scalars["points"].keys() == shares.keys()
    assert "share/earlier" in scalars
    (tmp_path / "file").write_text("")
    status, _, err = counterplay(*train, "--out", "b", "--tensorboard", "file")
    assert status == 2
    assert "file cannot be a folder of events" in err


def records(data):
    """The records of an event file: each between its length with a checksum, and a checksum."""
    while data:
        length = int.from_bytes(data[:8], "little")
        yield data[12 : 12 + length]
        data = data[16 + length :]


def test_without_tensorboardx_the_hint_is_one_line(counterplay, quick, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    status, _, err = counterplay("train", "nim:heaps=1,2", "--games", 10, "--tensorboard", "events")
    assert status == 2
    assert err.strip() == "counterplay: --tensorboard needs tensorboardX: pip install 'counterplay[tensorboard]'"
    assert list(tmp_path.iterdir()) == []
