"""Learning by tree search from nothing: the network of values and moves, and games that are searched."""

import numpy as np
import pytest

from counterplay import UserError, games, learn, search
from counterplay.core.features import Active
from counterplay.core.memory import Memory
from counterplay.learn.dual import learn_both, think
from counterplay.learn.files import resume
from counterplay.learn.zero import ZeroSettings, ZeroTraining
from counterplay.native import interpreted

pytestmark = pytest.mark.long

GAME = games.load("tic_tac_toe")
SMALL = {"hidden": (32, 16), "alike": True}


def network(seed=3, game=GAME, **shape):
    """A network whose weights for moves are not all 0."""
    model = learn.DualNetwork(game, **{**SMALL, **shape}, seed=seed)
    model.weights["policy"][:] = np.random.default_rng(seed).normal(0.0, 0.5, model.weights["policy"].shape)
    return model


def twin(model, s, actions):
    """What the network says, by NumPy: its value, and the probability of each action."""
    on = Active()
    model.game.features(s, on)
    first, rest, policy = (np.array(model.weights[name], np.float64) for name in ("first", "rest", "policy"))
    x = 1 / (1 + np.exp(-(first[-1] + sum(value * first[i] for i, value in on.values.items()))))
    at = 0
    for size in (*model.hidden[1:], 1):
        rows = rest[at : at + size * len(x)].reshape(size, len(x))
        thresholds = rest[at + size * len(x) : at + size * len(x) + size]
        at += size * len(x) + size
        hidden, x = x, 1 / (1 + np.exp(-(rows @ x + thresholds)))
    rows = policy.reshape(-1, len(hidden) + 16)
    scores = np.array([rows[a, :-16] @ hidden + rows[a, -16] for a in actions])
    return x[0], np.exp(scores) / np.exp(scores).sum()


def odds(model, s, actions):
    game = model.game.with_model(model)
    units = Memory(np.zeros(game.model_units, np.float32))
    think(game, s, units)
    found = np.array([game.model_odds(units, game.player(s), a) for a in actions])
    return found / found.sum()


def test_values_and_moves_are_those_of_numpy():
    model, (low, high) = network(), GAME.utility_range
    for moves in ("", "b2", "b2 a1 c3"):
        s = GAME.at(moves).state
        actions = list(GAME.actions(s))
        value, shares = twin(model, s, actions)
        with interpreted():
            assert odds(model, s, actions) == pytest.approx(shares, rel=1e-4)
            estimate = GAME.with_model(model).evaluate(s, GAME.player(s))
        assert estimate == pytest.approx(low + (high - low) * value, abs=1e-4)


def test_a_step_goes_down_the_gradient():
    """The change of each weight is the rate times the derivative of the cross entropy, by finite differences."""
    model, rate, target = network(), 1e-3, 0.8
    s = GAME.at("b2 a1").state
    actions = list(GAME.actions(s))
    wanted = np.arange(1.0, len(actions) + 1) / sum(range(1, len(actions) + 1))

    def loss():
        value, shares = twin(model, s, actions)
        of_value = target * np.log(value) + (1 - target) * np.log(1 - value)
        return -of_value - (wanted * np.log(shares)).sum()

    slopes = {}
    for name, places in (
        ("first", [(0, 3), (18, 5)]),
        ("rest", [(7,), (16 * 16 + 2,), (-1,)]),
        ("policy", [(40,), (16,)]),
    ):
        for place in places:
            kept, slopes[name, place] = float(model.weights[name][place]), 0.0
            for step in (1e-3, -1e-3):
                model.weights[name][place] = kept + step
                slopes[name, place] += loss() * np.sign(step) / 2e-3
            model.weights[name][place] = kept
    before = {name: weights.copy() for name, weights in model.weights.items()}
    on = Active()
    model.game.features(s, on)
    with interpreted():
        goal = Memory(np.array([target], np.float32))
        learn_both(GAME.with_model(model), on, goal, 0, np.array(actions), wanted, 0, len(actions), rate)
    for (name, place), slope in slopes.items():
        change = float(model.weights[name][place] - before[name][place])
        assert change == pytest.approx(-rate * slope, rel=0.05, abs=2e-8), (name, place)


def test_compiled_and_interpreted_learn_the_same_to_the_last_bit():
    def trained():
        model = network()
        settings = ZeroSettings(games=20, simulations=12, quick=6)
        ZeroTraining(GAME, model, settings).run()
        return model.weights

    compiled = trained()
    with interpreted():
        slow = trained()
    for name, weights in compiled.items():
        assert weights.tobytes() == slow[name].tobytes(), name


def test_a_training_that_was_stopped_goes_on_to_the_same_weights(tmp_path):
    settings = ZeroSettings(games=256, simulations=12, quick=6)
    whole, model, file = network(), network(), tmp_path / "m.safetensors"
    ZeroTraining(GAME, whole, settings).run()
    training = ZeroTraining(GAME, model, settings)
    training.run(until=128)
    learn.save(model, file, training)
    again = ZeroTraining(GAME, network(seed=9), settings)
    resume(again, file)
    assert again.games == 128
    again.run()
    for name, weights in whole.weights.items():
        assert weights.tobytes() == again.model.weights[name].tobytes(), name


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("memory.0.index", lambda a: a + 1000),
        ("memory.0.target", lambda a: a * np.nan),
        ("memory.0.share", lambda a: a[:-1]),
    ],
)
def test_a_poisoned_memory_is_refused_by_name(tmp_path, name, change):
    from safetensors import safe_open
    from safetensors.numpy import load_file, save_file

    settings, file = ZeroSettings(games=16, simulations=12, quick=6), tmp_path / "m.safetensors"
    training = ZeroTraining(GAME, network(), settings)
    training.run()
    learn.save(training.model, file, training)
    with safe_open(file, "numpy") as opened:
        about = opened.metadata()
    arrays = load_file(file)
    arrays[name] = np.ascontiguousarray(change(arrays[name]))
    save_file(arrays, file, about)
    fresh = ZeroTraining(GAME, network(), settings)
    with pytest.raises(UserError, match=f"damaged.*{name.rpartition('.')[2]}"):
        resume(fresh, file)
    assert fresh.games == 0


def loses(engine, s, seat):
    """Whether the engine can lose from `s` on, whatever the other does."""
    game = engine.game
    if game.is_terminal(s):
        return game.utility(s, seat) < 0
    if game.player(s) == seat:
        engine.new_game(0)
        return loses(engine, game.result(s, engine.search(s, search.Limits(simulations=60)).action), seat)
    return any(loses(engine, game.result(s, a), seat) for a in game.actions(s))


def test_tic_tac_toe_is_never_lost_after_seconds_of_learning():
    model = learn.DualNetwork(GAME, **SMALL)
    told = []
    learn.zero(GAME, model, games=12_000, simulations=40, quick=10, progress=told.append)
    assert told[-1].is_done
    engine = search.new_engine("mcts", GAME.with_model(model), puct=1.5, cutoff=0, memory_mb=4)
    assert not any(loses(engine, GAME.initial(), seat) for seat in (0, 1))


def test_priors_lead_the_search():
    """A network that believes in one move looks at it most."""
    model = learn.DualNetwork(GAME, **SMALL)
    row = model.hidden[-1] + 16
    model.weights["policy"][5 * row + row - 16] = 6.0
    result = search.mcts(GAME.with_model(model), simulations=30, puct=1.5, cutoff=0)
    assert result.action == 5


def test_a_model_of_moves_is_saved_and_loaded(tmp_path):
    model = network(features="own")
    learn.save(model, tmp_path / "m.safetensors")
    again = learn.load(tmp_path / "m.safetensors")
    assert isinstance(again, learn.DualNetwork)
    assert all((weights == again.weights[name]).all() for name, weights in model.weights.items())
    assert again.shape == model.shape


def test_patterns_on_shapes_can_be_inputs():
    game = games.load("connect_four")
    model = learn.DualNetwork(game, **SMALL, features="shapes")
    on = Active()
    model.game.features(game.at("4 4").state, on)
    assert len(on) == len(list(game.shapes)) + 2


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"games": 0}, "one game or more"),
        ({"simulations": 1}, "two simulations"),
        ({"share": 2.0}, "share is a share"),
        ({"speed": 3}, "no setting 'speed'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, reason):
    with pytest.raises(UserError, match=reason):
        learn.zero(GAME, learn.DualNetwork(GAME, **SMALL), **{"games": 10, **settings})
