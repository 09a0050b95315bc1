"""Learning by best-first minimax to the end of the game."""

import numpy as np
import pytest

from counterplay import UserError, games, learn, search
from counterplay.learn.descent import DescentSettings, DescentTraining
from counterplay.learn.files import resume
from counterplay.learn.recipes import recipe_for
from counterplay.learn.strength import quick_match
from counterplay.native import interpreted

pytestmark = pytest.mark.long

GAME = games.load("tic_tac_toe")
RATE = (0.1, 0.01)


def training_of(games_=8, seed=0, **more):
    settings = DescentSettings(games_, RATE, **{"simulations": 3, "memory_mb": 1.0, **more})
    return DescentTraining(GAME, learn.Network(GAME, hidden=16, seed=seed), settings)


def bytes_of(model):
    return {name: weights.tobytes() for name, weights in model.weights.items()}


def test_compiled_and_interpreted_learn_the_same_to_the_last_bit():
    compiled, slow = training_of(), training_of()
    compiled.run()
    with interpreted():
        slow.run()
    assert bytes_of(compiled.model) == bytes_of(slow.model)
    assert compiled.progress.positions == slow.progress.positions


def test_what_is_remembered_are_values_some_of_them_certain():
    """All lie within the range; there are positions that are won for sure, and such as are lost."""
    training = training_of(32, simulations=6, explore=0.3)
    training.run()
    r = training._works[0]
    assert int(r.seen) > 1000
    targets = r["target"][: min(int(r.seen), len(r["target"]))]
    assert ((targets >= 0.0) & (targets <= 1.0)).all()
    assert (targets == 1.0).any()
    assert (targets == 0.0).any()


def test_it_learns_tic_tac_toe_in_seconds():
    model = learn.Network(GAME, hidden=32)
    told = []
    learn.descent(GAME, model, games=6000, progress=told.append)
    assert told[-1].is_done
    clever, raw = GAME.with_model(model), GAME.with_model(learn.Network(GAME, hidden=32))
    assert quick_match(clever, None, 600, 1).share > quick_match(raw, None, 600, 1).share + 0.05
    assert quick_match(clever, raw, 600, 1).share > 0.6
    assert abs(clever.evaluate(GAME.initial(), 0)) < 4.0  # of 8: near a draw
    assert search.best_first(clever, simulations=50).action is not None


def test_a_training_that_was_stopped_goes_on_to_the_same_weights(tmp_path):
    whole, first, file = training_of(128), training_of(128), tmp_path / "m.safetensors"
    whole.run()
    first.run(until=64)
    learn.save(first.model, file, first)
    again = training_of(128, seed=9)
    resume(again, file)
    assert again.games == 64
    again.run()
    assert bytes_of(again.model) == bytes_of(whole.model)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("memory.0.index", lambda a: a + 1000),
        ("memory.0.target", lambda a: a * np.nan),
        ("memory.0.value", lambda a: a[:-1]),
    ],
)
def test_a_poisoned_memory_is_refused_by_name(tmp_path, name, change):
    from safetensors import safe_open
    from safetensors.numpy import load_file, save_file

    file, training = tmp_path / "m.safetensors", training_of()
    training.run()
    learn.save(training.model, file, training)
    with safe_open(file, "numpy") as opened:
        about = opened.metadata()
    arrays = load_file(file)
    arrays[name] = np.ascontiguousarray(change(arrays[name]))
    save_file(arrays, file, about)
    fresh = training_of()
    with pytest.raises(UserError, match=f"damaged.*{name.rpartition('.')[2]}"):
        resume(fresh, file)
    assert fresh.games == 0


def test_a_small_tree_is_enough():
    """When the memory is full, it goes on with what it knows."""
    training = training_of(8, memory_mb=0.02)
    with interpreted():
        training.run()
    assert training.games == 8


def test_it_is_a_recipe():
    recipe = recipe_for(GAME, None, "descent")
    assert recipe.method == "descent"
    assert str(recipe_for(GAME, "descent:simulations=3,hidden=32")) == "descent:hidden=32,simulations=3"
    assert isinstance(recipe.begin(GAME, recipe.model(GAME)), DescentTraining)


@pytest.mark.parametrize(
    ("game", "settings", "reason"),
    [
        ("tic_tac_toe", {"games": 0}, "one game or more"),
        ("tic_tac_toe", {"explore": 2.0}, "explore is a share"),
        ("tic_tac_toe", {"speed": 3}, "no setting 'speed'"),
        ("pig", {}, "without dice"),
    ],
)
def test_what_makes_no_sense_is_refused(game, settings, reason):
    game = games.load(game)
    with pytest.raises(UserError, match=reason):
        learn.descent(game, learn.Network(game, hidden=16), **{"games": 10, **settings})


def test_the_command_trains_by_it(counterplay, tmp_path):
    told = counterplay(
        "train", "tic_tac_toe", "--method", "descent", "--games", 20, "--out", tmp_path / "d.safetensors"
    )
    assert told[0] == 0
    assert "8 descents a move, 10% random moves" in told[1]
