"""The textbook's learners: eligibility traces beside the returns computed backwards, Q-learning and SARSA."""

import numpy as np
import pytest

from counterplay import UserError, games, learn, native, search
from counterplay.learn import temporal
from counterplay.learn.regression import LOSSES
from tests.test_learn_models import positions

pytestmark = pytest.mark.long


@pytest.mark.parametrize("trace", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("text", ["othello:size=4", "pig:goal=9", "kalah"])
def test_traces_come_to_the_same_as_returns_computed_backwards(text, trace):
    """At a rate so small that the weights hardly change in a game, the steps of both are the same."""
    game, steps = games.load(text), []
    rate = 1e-4
    for learned in ("backwards", "traces"):
        model = learn.Linear(game)
        model.weights["weights"][:] = np.random.default_rng(2).normal(scale=0.3, size=model.inputs)
        before = model.weights["weights"].copy()
        if learned == "traces":
            learn.td_with_traces(game, model, 1, rate, trace, explore=0.2, seed=4)
        else:
            with native.interpreted():
                settings = temporal.Settings(1, (rate, rate), trace, 0.2, seed=4)
                temporal.Training(game, model, settings).run()
        steps.append((model.weights["weights"] - before) / rate)
    assert np.abs(steps[0]).max() > 0.1
    assert steps[0] == pytest.approx(steps[1], abs=0.02)


@pytest.mark.parametrize(("text", "moves"), [("tic_tac_toe", "a3 b2 c1 c3"), ("bins", "")])
def test_q_learning_comes_to_the_minimax_values(text, moves):
    game = games.load(text)
    start = game.at(moves).state
    values = learn.q(game, 800, rate=0.5, explore=0.6, start=start)
    with native.interpreted():
        for s in [start, *(game.result(start, a) for a in game.actions(start))]:
            if not game.is_terminal(s):
                wanted = search.alphabeta(game, s).value
                assert values[s, values.best(s)] == pytest.approx(wanted if game.player(s) == 0 else -wanted, abs=1e-3)


def test_sarsa_learns_what_its_own_play_is_worth():
    """Where every second move is a blunder, the better side expects less than it is worth with best play."""
    game = games.load("nim:heaps=(2,3)")
    best, own = (learn.q(game, 4000, explore=0.5, rate=0.05, sarsa=sarsa) for sarsa in (False, True))
    s = game.initial()
    winning = best.best(s)
    assert best[s, winning] == pytest.approx(1.0, abs=0.05)
    assert own[s, winning] < 0.9
    assert len(best) > 4


def test_a_model_fits_what_searches_say():
    """Of some positions the values are known, and it comes to know them by heart."""
    game = games.load("connect_four:rows=4,columns=4,connect=3")
    with native.interpreted():
        examples = [(s, search.alphabeta(game, s, depth=3).value) for s in positions(game, 30)]
        model, seen = learn.Linear(game, features="table"), []
        fitted = learn.fit(game, model, examples, rounds=6, rate=(2.0, 1.0), progress=seen.append)
        assert [each.rounds for each in seen] == [1, 2, 3, 4, 5, 6]
        assert fitted == seen[-1]
        assert seen[-1].error < 0.5 * seen[0].error
    assert model.pedigree[-1]["method"] == "fit"
    with pytest.raises(UserError, match="cannot be worth 3"):
        learn.fit(game, model, [(game.initial(), 3.0)])
    with pytest.raises(UserError, match="nothing to learn"):
        learn.fit(game, model, [])
    backgammon = games.load("backgammon")
    with pytest.raises(UserError, match="does not tell the 5 outputs"):
        learn.fit(backgammon, learn.Network(backgammon), [])


@pytest.mark.parametrize("loss", LOSSES)
def test_a_fit_goes_down_the_gradient_of_its_loss(loss):
    """One step on one example is the rate times the derivative, found by changing each weight a little."""
    game = games.load("nim:heaps=(3,2)")
    (s,), true = [game.at("b1").state], 0.5
    model = learn.Linear(game)
    clever, weights = game.with_model(model), model.weights["weights"]
    weights[:] = np.random.default_rng(2).normal(scale=0.3, size=model.inputs)

    def cost():
        y, t = (clever.evaluate(s, 0) + 1) / 2, (true + 1) / 2
        return (y - t) ** 2 / 2 if loss == "squares" else -t * np.log(y) - (1 - t) * np.log(1 - y)

    with native.interpreted():
        numeric = np.zeros(len(weights))
        for i in range(len(weights)):
            kept, at = weights[i], []
            for change in (1e-2, -1e-2):
                weights[i] = kept + change
                at.append(cost())
            weights[i] = kept
            numeric[i] = (at[0] - at[1]) / 2e-2
        before = weights.copy()
        learn.fit(game, model, [(s, true)], rounds=1, rate=1.0, loss=loss)
    assert before - weights == pytest.approx(numeric, abs=1e-4)
    assert np.abs(numeric).max() > 1e-2
    with pytest.raises(UserError, match="loss is one of logistic, squares, not 'absolute'"):
        learn.fit(game, model, [(s, true)], loss="absolute")


def test_linear_q_learns_from_features():
    game = games.load("nim:heaps=(3,)")
    values = learn.q(game, 500, values=learn.LinearQ(game), rate=0.1, explore=0.5, progress=lambda number: None)
    assert values.best(game.initial()) == game.parse_action(game.initial(), "a3")
    assert len(values) == 3


def test_what_q_learning_cannot_do_is_refused():
    with pytest.raises(UserError, match="two opponents"):
        learn.q(games.load("pig:players=3"), 1)
    with pytest.raises(UserError, match="rate is more than 0"):
        learn.q(games.load("nim"), 1, rate=0.0)
