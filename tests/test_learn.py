"""Learning in short: a model is trained, kept and used, all of it interpreted."""

import numpy as np
import pytest

from counterplay import games, learn, native, search


@pytest.mark.parametrize("make", [learn.Linear, lambda game: learn.Network(game, hidden=16)])
def test_a_model_is_trained_kept_and_used(make, tmp_path):
    game, file = games.load("nim:heaps=(1,2)"), tmp_path / "nim.safetensors"
    model = make(game)
    with native.interpreted():
        progress = learn.td(game, model, games=60, rate=(0.3, 0.1), trace=0.5, explore=0.5)
        learn.save(model, file)
        again = learn.load(file)
        assert (progress.games, progress.is_done) == (60, True)
        assert all(np.array_equal(again.weights[name], weights) for name, weights in model.weights.items())
        clever = game.with_model(again)
        best = search.minimax(clever, depth=1).action
    assert game.action_name(game.initial(), best) == "b1"  # which leaves two equal heaps
