"""Training by temporal differences, and models on disk."""

import itertools
import json
import signal
import subprocess
import sys

import numpy as np
import pytest

from counterplay import UserError, games, learn, native, search
from counterplay.core.features import new_active
from counterplay.core.randomness import new_random
from counterplay.core.records import new_record
from counterplay.learn import files, identity, selfplay, temporal
from tests.processes import WATCHDOG_SECONDS
from tests.test_learn_models import Corridor, positions, shaken

pytestmark = pytest.mark.long


def trained(text, make, settings, compiled=True):
    """The weights after a training."""
    game = games.load(text)
    model = make(game)
    with native.compiled() if compiled else native.interpreted():
        temporal.Training(game, model, settings).run()
    return model.weights


def assert_same(one, other):
    assert one.keys() == other.keys()
    for name in one:
        assert np.array_equal(one[name], other[name]), name


# ---- what is played and learned


def corrected(game):
    return learn.SidedNetwork(game, hidden=(16, 16), features="judged")


def with_squares(game):
    return learn.SidedNetwork(game, hidden=16, stages=3)


SMALL = {
    "network": ("nim:heaps=(2,2)", lambda game: learn.Network(game, hidden=16), 0.1, 0.3, 0.2),
    "sides": ("breakthrough:rows=4,columns=3", lambda game: learn.SidedNetwork(game, hidden=(16, 16)), 0.1, 0.3, 0.2),
    "corrected": ("breakthrough:rows=4,columns=3", corrected, 0.1, 0.3, 0.2),
    "squares": ("breakthrough:rows=4,columns=3", with_squares, 0.1, 0.3, 0.2),
    "patterns": ("othello:size=4", lambda game: learn.Patterns(game, stages=2), 0.1, 0.5, 0.1),
    "dice": ("pig:goal=9", learn.Linear, 0.05, 0.9, 0.05),
}
WARM = {"network": 0.3, "sides": 0.0, "corrected": 0.0, "squares": 0.0, "patterns": 0.0, "dice": 0.1}


@pytest.mark.parametrize("name", SMALL)
def test_compiled_and_interpreted_learn_the_same_to_the_last_bit(name):
    text, make, rate, trace, explore = SMALL[name]
    settings = temporal.Settings(6, (rate, rate / 10), trace, explore, seed=3, warm=WARM[name])
    weights = trained(text, make, settings)
    assert_same(weights, trained(text, make, settings, compiled=False))
    assert any(np.abs(each).max() > 0 for each in weights.values())


def test_a_training_that_is_stopped_anywhere_and_goes_on_ends_the_same(tmp_path):
    text, make, rate, trace, explore = SMALL["network"]
    settings = temporal.Settings(200, (rate, rate / 10), trace, explore)
    wanted = trained(text, make, settings)
    game, file = games.load(text), tmp_path / "model.safetensors"
    model = make(game)
    for stops in itertools.count():
        training = temporal.Training(game, model, settings)
        if stops:
            files.resume(training, file)
        if training.progress.is_done:
            break
        w, random, end = training._works[0], training._randoms[0], training.games + 37
        number = min(temporal.TOGETHER - training.games % temporal.TOGETHER, end - training.games, 200 - training.games)
        rate = settings.rate_at(training.games)
        temporal.play_and_learn(training.game, game.initial(), w, random, number, rate, trace, explore, 0.0, 1.0)
        files.save(model, file, training)
        model = make(game)  # as another process would have it
    assert stops > 4
    assert_same(wanted, learn.load(file).weights)


def test_killed_and_resumed_it_ends_the_same(tmp_path):
    """A process that dies at any moment leaves a whole checkpoint, and the next one goes on from it."""
    code = """
        import sys
        from counterplay import games, learn
        game = games.load("nim:heaps=(2,2)")
        model = learn.Network(game, hidden=16)
        def die(progress):
            if progress.games < 1500 and len(sys.argv) > 2:
                import os, signal
                os.kill(os.getpid(), signal.SIGKILL)
        learn.td(game, model, games=2000, checkpoint=sys.argv[1], progress=die, every=0.0)
        learn.save(model, sys.argv[1] + ".end")
    """
    script = tmp_path / "train.py"
    script.write_text("\n".join(line[8:] for line in code.splitlines()))

    def run(*arguments):
        done = subprocess.run([sys.executable, script, *arguments], timeout=WATCHDOG_SECONDS, check=False)
        return done.returncode

    assert run(tmp_path / "whole") == 0
    assert run(tmp_path / "part", "die") == -signal.SIGKILL
    assert run(tmp_path / "part") == 0
    assert_same(learn.load(tmp_path / "whole.end").weights, learn.load(tmp_path / "part.end").weights)


def test_ctrl_c_keeps_what_was_learned(tmp_path):
    game = games.load("nim:heaps=(2,2)")
    model, file = learn.Network(game, hidden=16), tmp_path / "model.safetensors"

    def interrupt(progress):
        raise KeyboardInterrupt

    progress = learn.td(game, model, games=10**9, progress=interrupt, checkpoint=file, every=0.01)
    assert 0 < progress.games < 10**9
    assert not progress.is_done
    assert model.pedigree[-1]["played"] == progress.games
    assert_same(learn.load(file).weights, model.weights)


def test_several_threads_play_all_games():
    game = games.load("nim:heaps=(2,2)")
    model, seen = learn.Network(game, hidden=16), []
    progress = learn.td(game, model, games=1000, threads=3, progress=seen.append)
    assert progress.games == 1000
    assert progress.is_done
    assert seen[-1] == progress
    assert progress.plies >= 2000


def test_a_training_that_makes_no_sense_is_refused():
    game = games.load("nim")
    model = learn.Linear(game)
    for settings, complaint in [
        ({"games": 0}, "one game or more"),
        ({"games": 1, "rate": (0.1, 0.2)}, "the second is no larger"),
        ({"games": 1, "rate": [0.1]}, "a number, or two"),
        ({"games": 1, "rate": float("nan")}, "a number, or two"),
        ({"games": 1, "trace": 1.5}, "from 0 to 1"),
        ({"games": 1, "explore": -1.0}, "from 0 to 1"),
        ({"games": 1, "threads": 0}, "threads"),
        ({"games": 1, "warm": float("nan")}, "temperature"),
        ({"games": 1, "warm": 0.1, "depth": 2}, "depth=1 or warm=0"),
        ({"games": 1, "discount": 1.1}, "from 0 to 1"),
        ({"games": 1, "discount": 0.9, "depth": 2}, "depth=1 or discount=1"),
    ]:
        with pytest.raises(UserError, match=complaint):
            learn.td(game, model, **settings)


# ---- what is learned


def test_a_table_learns_what_nim_is_worth():
    """By heart: after some thousand games every move it likes best is one that wins, where there is one."""
    game = games.load("nim:heaps=(2,3)")
    model = learn.Linear(game, features="table")
    learn.td(game, model, games=20_000, rate=(0.5, 0.05), trace=0.5, explore=0.3)
    clever = game.with_model(model)
    with native.interpreted():
        for s in positions(game, 40):
            right = search.alphabeta(game, s)
            best = max(game.actions(s), key=lambda a, s=s: clever.evaluate(game.result(s, a), game.player(s)))
            assert search.alphabeta(game, game.result(s, best)).value == right.value


def test_warm_moves_are_drawn_by_softmax_and_targets_are_those_of_the_best():
    """The first move of 4,000 games, nothing learned: as often as exp(value / warm) says, and noted as no mistake."""
    game, warm = games.load("nim:heaps=(1,2)"), 0.03
    model = learn.Linear(game, features="table")
    weights = model.weights["weights"]
    weights[:] = np.sin(np.arange(weights.size))
    clever = game.with_model(model)
    s = game.initial()
    after = [game.result(s, a) for a in game.actions(s)]
    values = np.array([clever.evaluate(each, game.player(s)) for each in after])
    wanted = np.exp(values / warm) / np.exp(values / warm).sum()
    assert wanted.max() - wanted.min() > 0.1
    w, random, drawn = new_record(selfplay.WORK), new_random(5), np.zeros(len(after))
    on = new_active(clever.model_inputs, clever.model_most)
    for _ in range(4000):
        selfplay.play(clever, s, w, random, 0.0, warm, 1.0)
        seen = list(w.index[w.first[1] : w.first[2]])
        for k, each in enumerate(after):
            on.clear()
            clever.model_see(each, on)
            if seen == [on.index(i) for i in range(len(on))]:
                drawn[k] += 1
                assert w.is_random[0] == (values[k] < values.max())
    assert drawn.sum() == 4000
    assert np.abs(drawn / 4000 - wanted).max() < 0.03


def test_the_default_features_learn_without_a_line_of_code():
    game = games.load("nim:heaps=(13,)")
    model = learn.Linear(game)
    learn.td(game, model, games=3000, rate=(0.1, 0.01), trace=0.5, explore=0.2)
    clever = game.with_model(model)
    with native.interpreted():
        s = game.initial()
        best = max(game.actions(s), key=lambda a: clever.evaluate(game.result(s, a), 0))
    assert game.action_name(s, best) == "a13"


# ---- files


@pytest.fixture
def saved(tmp_path):
    game = games.load("kalah")
    model = shaken(learn.Linear(game))
    model.pedigree.append({"method": "by hand"})
    file = tmp_path / "kalah.safetensors"
    learn.save(model, file)
    return file


def about(file):
    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    return json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["counterplay"])


def rewritten(file, change):
    """The file with something changed in what it says about itself, or in its weights."""
    from safetensors.numpy import load, save

    said, weights = about(file), load(file.read_bytes())
    change(said, weights)
    file.write_bytes(save(weights, {"counterplay": json.dumps(said)}))


@pytest.mark.parametrize(
    ("text", "make"),
    [
        ("kalah", learn.Linear),
        ("checkers", lambda game: learn.Linear(game, features="terms")),
        ("backgammon", lambda game: learn.Network(game, hidden=(32, 16))),
        ("othello:size=6", lambda game: learn.Patterns(game, stages=3)),
        ("breakthrough:rows=5", lambda game: learn.SidedNetwork(game, hidden="32x16")),
        ("breakthrough:rows=5", corrected),
    ],
)
def test_what_is_loaded_is_what_was_saved(text, make, tmp_path):
    game = games.load(text)
    model = shaken(make(game))
    learn.save(model, tmp_path / "model")
    again = learn.load(tmp_path / "model")
    assert_same(model.weights, again.weights)
    assert (repr(again), again.shape, again.pedigree) == (repr(model), model.shape, model.pedigree)
    with native.interpreted():
        for s in positions(game, 5):
            assert game.with_model(again).evaluate(s, 0) == game.with_model(model).evaluate(s, 0)


def test_a_file_says_what_it_is(saved):
    said = about(saved)
    assert (said["game"], said["model"], said["shape"]) == ("kalah", "linear", {"features": "own"})
    assert said["trained"] == [{"method": "by hand"}]
    assert len(said["canary"]) == files.CANARY
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def change_canary(said, weights):
    said["canary"][3][1] += 0.01


def change_weight(said, weights):
    weights["weights"][7] += 0.5


def make_endless(said, weights):
    weights["weights"][7] = np.nan


def make_larger(said, weights):
    weights["weights"] = np.zeros(3, np.float32)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (change_canary, "was worth .* when saved, and now"),
        (make_endless, "no finite number"),
        (make_larger, "another shape"),
        (lambda said, weights: said.update(game="nim"), "is a model for nim, not for kalah"),
        (lambda said, weights: said.update(fingerprint="0"), "the rules or the features of kalah have changed"),
        (lambda said, weights: said.update(model="oracle"), "kind 'oracle', which is not known"),
        (lambda said, weights: said.update(version=9), "another version"),
        (lambda said, weights: said.pop("canary"), "no model of Counterplay, or only a part"),
    ],
)
def test_a_file_that_is_wrong_is_refused_in_one_line(saved, change, complaint):
    rewritten(saved, change)
    with pytest.raises(UserError, match=complaint) as refused:
        learn.load(saved, games.load("kalah"))
    assert str(saved) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_part_of_a_file_or_none_is_refused(saved, tmp_path):
    data = saved.read_bytes()
    for part in (b"", data[:5], data[:100], data[:-1], b"\xff" * 200, data[8:]):
        saved.write_bytes(part)
        with pytest.raises(UserError, match="no model of Counterplay, or only a part"):
            learn.load(saved)
    with pytest.raises(UserError, match="cannot be read"):
        learn.load(tmp_path / "nothing")


def test_what_is_not_finite_is_not_saved(tmp_path):
    model = learn.Linear(games.load("kalah"))
    model.weights["weights"][0] = np.inf
    with pytest.raises(UserError, match="no finite number; lower the rate"):
        learn.save(model, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_a_training_goes_on_only_where_it_was(saved, tmp_path):
    game = games.load("kalah")
    with pytest.raises(UserError, match="no training that could go on"):
        learn.td(game, learn.Linear(game), games=5, checkpoint=saved)
    file = tmp_path / "begun"
    with native.interpreted():
        learn.td(game, learn.Linear(game), games=1, checkpoint=file)
        with pytest.raises(UserError, match="was begun has games=1: go on with the same"):
            learn.td(game, learn.Linear(game), games=2, checkpoint=file)
        with pytest.raises(UserError, match="has another model: linear"):
            learn.td(game, learn.Network(game), games=1, checkpoint=file)


# ---- the fingerprint


def test_rules_and_features_are_the_fingerprint_and_words_are_not():
    class Reworded(Corridor):
        def features(self, s, on):
            """The same with a docstring."""
            # and a comment
            on.add(s.steps)

    class Changed(Corridor):
        def features(self, s, on):
            on.add(s.turn)

    class Longer(Corridor):
        def is_terminal(self, s):
            return s.steps == 8

    def named(kind):
        kind.__name__ = "Corridor"
        return identity.fingerprint(kind())

    marks = [named(kind) for kind in (Corridor, Reworded, Changed, Longer)]
    assert marks[0] == marks[1]
    assert len(set(marks)) == 3
    assert identity.fingerprint(games.load("nim")) != identity.fingerprint(games.load("nim:misere=yes"))
