"""Models: what they are worth in a game, compiled and interpreted; that they learn down the gradient."""

import math
import pickle
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from safetensors.numpy import load_file

from counterplay import Bits, Game, Memory, UserError, games, learn, native, search
from counterplay.core import vectors
from counterplay.core.features import NOTES, Active, new_active
from counterplay.core.primitives import lowest_one
from counterplay.core.randomness import new_random
from counterplay.learn import shelf
from counterplay.search.playout import random_action

pytestmark = pytest.mark.long


def positions(game, number, seed=7):
    """States of random games that are not over."""
    random, found, s = new_random(seed), [], game.initial()
    with native.interpreted():
        while len(found) < number:
            if game.is_terminal(s):
                s = game.initial()
            found.append(s)
            s = game.result(s, random_action(game, s, random))
    return found


def shaken(model, size=0.2):
    """The model with weights at random."""
    random = np.random.default_rng(5)
    for weights in model.weights.values():
        weights[:] = random.normal(scale=size, size=weights.shape)
    return model


@native.native
def estimate(game, s, p):
    return game.evaluate(s, p)


# ---- vectors


def rows(*shape):
    return Memory(np.random.default_rng(3).normal(size=shape).astype(np.float32))


def logistic(x):
    return 1 / (1 + np.exp(-x))


def test_the_sigmoid_is_that_of_the_textbook():
    for x in (-200.0, -30.0, -3.3, -0.5, 0.0, 0.01, 1.0, 17.0, 90.0):
        assert vectors.sigmoid(x) == pytest.approx(logistic(max(x, -87.0)), rel=1e-5)


def test_layers_and_rows_are_what_they_say():
    weights, x, y = rows(3 * 32 + 3), rows(48), vectors.scratch(8)
    vectors.layer(y, 2, weights, 0, x, 16, 32, 3)
    matrix, thresholds = weights.array[:96].reshape(3, 32), weights.array[96:]
    assert y.array[2:5] == pytest.approx(logistic(matrix @ x.array[16:] + thresholds), rel=1e-5)
    table, total, on = rows(4, 16), vectors.scratch(16), Active(3)
    on.add(2)
    on.add(0, -0.5)
    vectors.first_layer(table, on, total)
    assert total.array == pytest.approx(logistic(table.array[3] + table.array[2] - 0.5 * table.array[0]), rel=1e-5)
    before = table.array.copy()
    vectors.add_rows(table, on, total)
    assert table.array - before == pytest.approx(np.outer([-0.5, 0, 1, 1], total.array), rel=1e-4, abs=1e-6)
    vectors.add_scaled(table, 16, 2.0, total, 0, 16)
    assert table.array[1] == pytest.approx(before[1] + 2 * total.array, rel=1e-5)
    units = vectors.scratch(16)
    units.array[:] = 0.25
    vectors.slopes(total, units, 0, 16)
    assert total.array == pytest.approx((table.array[1] - before[1]) / 2 * 0.1875, rel=1e-4, abs=1e-6)


def test_layers_of_units_that_are_cut_off_are_what_they_say():
    weights, x, y = rows(3 * 32 + 3), rows(48), vectors.scratch(8)
    vectors.clipped_layer(y, 2, weights, 0, x, 16, 32, 3)
    matrix, thresholds = weights.array[:96].reshape(3, 32), weights.array[96:]
    assert y.array[2:5] == pytest.approx(np.clip(matrix @ x.array[16:] + thresholds, 0, 1), rel=1e-5)
    table, units, on = rows(4, 16), vectors.scratch(32), Active(3)
    for i in (2, 0, 1, 2):  # two that one player sees, and two that the other does
        on.add(i)
    vectors.clipped_first_layer(table, on, units)
    seen = [table.array[3] + table.array[i] + table.array[j] for i, j in ((2, 0), (1, 2))]
    assert units.array == pytest.approx(np.clip(np.concatenate(seen), 0, 1), rel=1e-5)
    errors, before = rows(32), table.array.copy()
    known = errors.array.copy()
    vectors.clipped_slopes(errors, units, 0, 32)
    assert np.array_equal(errors.array, np.where((units.array > 0) & (units.array < 1), known, 0))
    vectors.add_both_rows(table, on, errors)
    one, other = errors.array[:16], errors.array[16:]
    assert table.array - before == pytest.approx(np.stack([one, other, one + other, one + other]), rel=1e-4, abs=1e-6)


@native.native
def lowest(game, n):
    return lowest_one(n)


def test_squares_of_units_that_are_cut_off_are_what_they_say():
    x, weights = rows(64), rows(100)
    units = np.clip(x.array[16:], 0, 1)
    assert vectors.squares_by(x, 16, weights, 3, 48) == pytest.approx(float(units**2 @ weights.array[3:51]), rel=1e-5)
    y = Memory(units.copy())
    errors, known = rows(48), rows(48).array
    vectors.square_slopes(errors, y, 0, 48)
    assert np.array_equal(errors.array, np.where((units > 0) & (units < 1), 2 * units * known, 0).astype(np.float32))
    vectors.squares(y, 16, 32)
    assert np.array_equal(y.array, np.concatenate([units[:16], units[16:] ** 2]))
    table, on, row = rows(4, 16), Active(3), rows(32)
    before = row.array.copy()
    on.add(2, -1.0)
    on.add(0)
    vectors.add_active(row, 16, table, on)
    assert np.array_equal(row.array[:16], before[:16])
    assert row.array[16:] == pytest.approx(before[16:] - table.array[2] + table.array[0], rel=1e-5)


def test_integers_of_16_bits_are_added_and_squared():
    shorts, grains = Memory(np.arange(32, dtype=np.int16)), Memory(np.arange(64, dtype=np.int16).reshape(4, 16))
    gone, come = Active(3), Active(3)
    gone.add(2)
    for i in (0, 1, 1):
        come.add(i)
    known = np.arange(16, 32) - grains.array[2] + grains.array[0] + 2 * grains.array[1]
    other = Memory(np.zeros(32, np.int16))
    vectors.add_changes(other, shorts, 16, grains, gone, come)
    assert np.array_equal(other.array, [*[0] * 16, *known])
    assert np.array_equal(shorts.array, range(32))
    vectors.add_changes(shorts, shorts, 16, grains, gone, come)
    assert np.array_equal(shorts.array, [*range(16), *known])
    assert vectors.shorts_at(shorts.array.ctypes.data, 32)[20] == shorts[20]


@native.native
def add_up(game, x, at, weights, i):
    return vectors.short_squares_by(x, at, 512, weights, i, 32)


@native.native
def add_up_finely(game, x, at, weights, i):
    return vectors.short_squares_by(x, at, 4096, weights, i, 32)


@native.native
def add_up_coarsely(game, x, at, weights, i):
    return vectors.short_squares_by(x, at, 1, weights, i, 32)


@pytest.mark.parametrize(("one", "ask"), [(1, add_up_coarsely), (512, add_up), (4096, add_up_finely)])
def test_squares_in_integers_are_the_same_compiled_and_interpreted(one, ask):
    game, random = games.load("nim"), np.random.default_rng(4)
    counted = random.integers(-one, 2 * one + 1, 48).astype(np.int16)
    counted[16:20] = -32768, 32767, one, one - 1
    weights = random.integers(-32768, 32768, 40).astype(np.int16)
    squares = counted[16:].astype(object).clip(0, one) ** 2 * 2**14 // one**2
    known = sum(squares * weights[3:35].astype(object))
    assert abs(known) < 2**31
    for x in (Memory(counted), Memory((counted.clip(0, one) / one).astype(np.float32))):
        assert ask.interpreted(game, x, 16, Memory(weights), 3) == known
        assert ask.compiled(game, x, 16, Memory(weights), 3) == known


@pytest.mark.parametrize("size", [0.0, 1e-3, 0.3, 50.0, 1e6])
def test_weights_of_the_output_are_as_fine_as_their_sums_allow(size):
    """Whatever the units are: all of one sign at once are the most."""
    game = games.load("breakthrough")
    model = learn.SidedNetwork(game, hidden=64, grain=512, stages=3)
    model.weights["rest"][:] = np.random.default_rng(6).normal(scale=size, size=len(model.weights["rest"]))
    before = model.weights["rest"].reshape(3, -1).astype(float)
    clever = game.with_model(model)
    wholes = clever.model_wholes.array.reshape(3, 2, 64).astype(np.int64)
    scales = 1 / (clever.model_shares.array * vectors.WHOLE)
    largest = max(abs((wholes * (wholes * sign > 0)).sum(2)).max() for sign in (1, -1)) * vectors.WHOLE
    assert largest < 2**31
    assert size < 0.01 or largest >= 2**29 or abs(wholes).max() >= 2**13, "not twice as fine"
    after = model.weights["rest"].reshape(3, -1).astype(float)
    assert np.array_equal(after[:, :-1].reshape(3, 2, 64) * scales[:, None, None], wholes)
    assert (abs(after - before).max(1) <= 0.5 / scales + 1e-6 * size).all()
    assert np.array_equal(after[:, -1], before[:, -1]), "thresholds stay"
    again = learn.SidedNetwork(game, hidden=64, grain=512, stages=3)
    again.weights["rest"][:] = model.weights["rest"]
    again.round()
    assert np.array_equal(again.weights["rest"], model.weights["rest"])


def test_the_network_of_chess_says_in_integers_what_it_says_in_floats():
    game = games.load("chess")
    model, exact = shelf.shipped(game), learn.SidedNetwork(game, hidden=256, stages=8)
    file = Path(learn.__file__).parent / "shipped" / "chess.safetensors"
    for name, weights in load_file(file).items():
        exact.weights[name][:] = weights
    live = positions(game, 40)
    with native.interpreted():
        known = [game.with_model(exact).evaluate(s, 0) for s in live]
        assert [game.with_model(model).evaluate(s, 0) for s in live] == pytest.approx(known, abs=2e-4)


def test_a_stage_has_weights_of_its_own():
    game = games.load("chess")
    model = learn.SidedNetwork(game, hidden=16, stages=2)
    few, many = game.from_text("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"), game.initial()
    with native.interpreted():
        before = [game.with_model(model).evaluate(s, 0) for s in (few, many)]
        model.weights["rest"][:33] += 1.0  # of the stage with the fewest things
        after = [game.with_model(model).evaluate(s, 0) for s in (few, many)]
    assert after[0] != before[0]
    assert after[1] == before[1]


def test_squares_become_digits():
    assert [lowest_one(n) for n in (1, 12, -16)] == [0, 2, 4]
    assert [lowest.compiled(games.load("nim"), n) for n in (1, 12, -16)] == [0, 2, 4]
    b = Bits(100, [0, 3, 63, 64, 99])
    assert vectors.word_of(b, 0) == 1 + 8 - (1 << 63)
    assert vectors.word_of(b, 1) == 1 + (1 << 35)
    assert vectors.gather(0b101100, 0b111010) == 0b1010
    assert vectors.gather(vectors.word_of(b, 0), -1 << 62) == 0b10


# ---- in a game


MODELS = {
    "table": ("nim", lambda game: learn.Linear(game, features="table")),
    "default": ("kalah", learn.Linear),
    "terms": ("checkers", lambda game: learn.Linear(game, features="terms")),
    "stakes": ("backgammon", lambda game: learn.Network(game, hidden=32)),
    "chance": ("pig", lambda game: learn.Network(game, hidden=16)),
    "two layers": ("connect_four", lambda game: learn.Network(game, hidden=(32, 16))),
    "both sides": ("breakthrough", lambda game: learn.SidedNetwork(game, hidden=(32, 16))),
    "chess": ("chess", lambda game: learn.SidedNetwork(game, hidden=(16, 32))),
    "corrected": ("breakthrough", lambda game: learn.SidedNetwork(game, hidden=(16, 16), features="judged")),
    "rounded": ("breakthrough", lambda game: learn.SidedNetwork(game, hidden=32, grain=256)),
    "squares": ("chess", lambda game: learn.SidedNetwork(game, hidden=48, stages=8)),
    "lines": ("connect_four:rows=5", learn.Patterns),
    "wide": ("go", lambda game: learn.Patterns(game, shapes=[[0, 1, 9, 10], [3, 40, 63, 64, 80]], stages=3)),
}


@pytest.mark.parametrize("name", MODELS)
def test_compiled_and_interpreted_agree_to_the_last_bit(name):
    text, make = MODELS[name]
    game = games.load(text)
    clever = game.with_model(shaken(make(game)))
    values = set()
    for s in positions(game, 12):
        with native.interpreted():
            value = clever.evaluate(s, 0)
            assert value + clever.evaluate(s, 1) == pytest.approx(game.utility_sum)
        assert estimate.compiled(clever, s, 0) == value
        assert game.utility_range[0] <= value <= game.utility_range[1]
        values.add(value)
    assert len(values) > 3


def test_a_network_that_corrects_multiplies_the_odds_of_the_own_estimate():
    game = games.load("breakthrough")
    model = learn.SidedNetwork(game, hidden=(16, 16), features="judged")
    model.weights["rest"][-17:] = 0.0  # whatever it sees, it says that both are equally likely to win
    clever = game.with_model(model)
    low, high = game.utility_range

    def odds(value):
        return (value - low) / (high - value)

    with native.interpreted():
        for s in positions(game, 6):
            assert clever.evaluate(s, 0) == pytest.approx(game.evaluate(s, 0), abs=1e-6)
        model.weights["rest"][-1] = math.log(3.0)  # three to one, for the player to move
        for s in positions(game, 6):
            p = game.player(s)
            assert odds(clever.evaluate(s, p)) == pytest.approx(3.0 * odds(game.evaluate(s, p)), rel=1e-4)


@native.native
def judge_onward(game, s, before, notes):
    return game.model_onward(s, 0, before, notes)


def judged_in_turn(ask, game, states):
    """What `ask` says of each, from the notes of one of the two before."""
    notes = np.zeros((3, NOTES), np.int64)
    at = [each.ctypes.data for each in notes]
    return [ask(game, s, at[(i + 1 + i % 2) % 3], at[i % 3]) for i, s in enumerate(states)]


@pytest.mark.parametrize("shape", [{"hidden": 32}, {"hidden": 80, "stages": 5}], ids=["plain", "stages"])
@pytest.mark.parametrize("name", ["breakthrough", "chess"])
def test_a_rounded_network_goes_on_from_the_state_before_and_says_the_same(name, shape):
    """In any order of states, to the last bit, and in both modes: also after captures, castling and other outlooks."""
    game = games.load(name)
    clever = game.with_model(shaken(learn.SidedNetwork(game, grain=512, **shape)))
    live = positions(game, 300)[::4]
    outlooks = {tuple(game.outlook(s, p) for p in range(2)) for s in live}
    assert name != "chess" or len(outlooks) > 1
    asked = [*live, *live[::7]]
    compiled = judged_in_turn(judge_onward.compiled, clever, asked)
    with native.interpreted():
        assert judged_in_turn(judge_onward, clever, asked) == compiled
        fresh = [clever.evaluate(s, 0) for s in asked]
    assert fresh == compiled
    assert len(set(fresh)) > len(live) // 2


@pytest.mark.parametrize("interpreted", [False, True])
def test_an_input_that_is_not_there_is_no_row(interpreted):
    game = games.load("breakthrough").extended(seen_as=seen_too_far)
    clever = game.with_model(learn.SidedNetwork(game, hidden=16, grain=512))
    ask = judge_onward.__wrapped__ if interpreted else judge_onward.compiled
    with native.interpreted() if interpreted else nullcontext(), pytest.raises(ValueError, match="not below"):
        judged_in_turn(ask, clever, [game.initial()])


def seen_too_far(self, p, outlook, kind, square):
    return 10_000 + square


def test_a_search_is_the_same_whether_a_network_goes_on_or_begins_anew():
    game = games.load("breakthrough:rows=6,columns=5")
    model = shaken(learn.SidedNetwork(game, hidden=16, grain=512))
    model.round()
    clever = game.with_model(model)
    anew = game.extended(**{name: rule for name, rule in clever.extension.items() if name != "model_onward"})
    assert clever.knows.model_onward
    assert not anew.knows.model_onward
    one, other = (search.alphabeta(each, depth=5) for each in (clever, anew))
    assert (one.value, one.line, one.nodes) == (other.value, other.line, other.nodes)


def test_every_search_takes_a_game_with_a_model_and_ends_are_exact():
    game = games.load("nim")
    model = learn.Linear(game, features="table")
    clever, start = game.with_model(model), game.initial()
    with native.interpreted():
        at_end = game.at("a3 b4 c5").state
        assert [clever.evaluate(at_end, p) for p in range(2)] == [game.utility(at_end, p) for p in range(2)]
        assert search.alphabeta(clever).value == search.alphabeta(game).value  # to the end, where no estimate counts
        assert clever.evaluate(start, 0) == 0.0
        model.weights["weights"][:] = 1.0  # whoever is to move likes it
        assert clever.evaluate(start, 0) == pytest.approx(math.tanh(1.0))
        assert search.minimax(clever, depth=1).value == pytest.approx(-math.tanh(1.0))
        assert search.minimax(clever, depth=2).value == pytest.approx(math.tanh(1.0))


def test_a_game_with_a_model_travels_to_other_processes():
    game = games.load("kalah")
    clever = game.with_model(shaken(learn.Linear(game)))
    again = pickle.loads(pickle.dumps(clever))
    with native.interpreted():
        for s in positions(game, 3):
            assert again.evaluate(s, 0) == clever.evaluate(s, 0)


def test_another_model_of_the_same_shape_needs_nothing_compiled(capsys, monkeypatch):
    monkeypatch.delenv("COUNTERPLAY_QUIET", raising=False)
    game = games.load("nim")
    one, other = (game.with_model(learn.Linear(game, features="table")) for _ in range(2))
    estimate.compiled(one, game.initial(), 0)
    capsys.readouterr()
    estimate.compiled(other, game.initial(), 0)
    assert capsys.readouterr().err == ""
    assert one != other
    assert one == game.with_model(learn.Linear(game)).with_model(other.extension and _model_of(one))


def _model_of(game):
    """A model with the very weights of a game."""
    model = learn.Linear(games.load(str(game)), features="table")
    model.weights["weights"] = game.model_weights.array
    return model


def test_a_model_is_for_its_own_game():
    model = learn.Linear(games.load("nim"))
    with pytest.raises(UserError, match="the model is for nim, not for kalah"):
        games.load("kalah").with_model(model)
    with pytest.raises(UserError, match="no terms"):
        learn.Linear(games.load("nim"), features="terms")
    with pytest.raises(UserError, match="there is no 'smells'"):
        learn.Linear(games.load("nim"), features="smells")
    with pytest.raises(UserError, match="two opponents"):
        learn.Linear(games.load("pig:players=3"))
    with pytest.raises(UserError, match="16 units or a multiple"):
        learn.Network(games.load("nim"), hidden=10)
    with pytest.raises(UserError, match="has no things"):
        learn.SidedNetwork(games.load("nim"))
    with pytest.raises(UserError, match="one or two hidden layers"):
        learn.SidedNetwork(games.load("breakthrough"), hidden="64x16x16")
    with pytest.raises(UserError, match="that corrects an estimate has two hidden layers"):
        learn.SidedNetwork(games.load("breakthrough"), hidden=64, features="judged")
    with pytest.raises(UserError, match="1 to 36 stages here, not 40"):
        learn.SidedNetwork(games.load("chess"), stages=40)
    with pytest.raises(UserError, match="several stakes"):
        learn.SidedNetwork(games.load("backgammon"))
    with pytest.raises(UserError, match="the features sides or judged"):
        learn.SidedNetwork(games.load("breakthrough"), features="own")
    with pytest.raises(UserError, match="has not both things"):
        learn.SidedNetwork(games.load("nim"), features="judged")
    with pytest.raises(UserError, match="2048 units are too many"):
        learn.SidedNetwork(games.load("breakthrough"), hidden=2048, grain=512)
    with pytest.raises(UserError, match="with a grain has one hidden layer"):
        learn.SidedNetwork(games.load("breakthrough"), hidden=(64, 16), grain=512)
    with pytest.raises(UserError, match="at most 64 squares"):
        learn.SidedNetwork(games.load("breakthrough:rows=10,columns=10"), hidden=16, grain=512)
    with pytest.raises(UserError, match="a power of 2 from 1 to 4,096, not 300"):
        learn.SidedNetwork(games.load("breakthrough"), hidden=16, grain=300)
    rounded = learn.SidedNetwork(games.load("breakthrough"), hidden=16, grain=512)
    with pytest.raises(UserError, match="learns no more"):
        learn.td(games.load("breakthrough"), rounded, games=1)
    with pytest.raises(UserError, match="has no planes"):
        learn.Patterns(games.load("nim"))
    with pytest.raises(UserError, match="names no shapes"):
        learn.Patterns(games.load("tic_tac_toe"))
    with pytest.raises(UserError, match="is no shape"):
        learn.Patterns(games.load("tic_tac_toe"), shapes=[[0, 0]])
    with pytest.raises(UserError, match="3,263 images; 1,024 is the most"):
        learn.Patterns(games.load("go"), shapes=[[a, b] for a in range(50) for b in range(a + 1, 51)])
    with pytest.raises(UserError, match="stages"):
        learn.Patterns(games.load("tic_tac_toe"), shapes=[[0, 1]], stages=0)


# ---- gradients


def loss(game, model, s, target):
    """The cross entropy between the outputs and the target."""
    clever = game.with_model(model)
    on, y = new_active(clever.model_inputs, clever.model_most), vectors.scratch(clever.model_room)
    clever.model_see(s, on)
    clever.model_guess(on, y)
    total = 0.0
    for t, x in zip(target, y.array.astype(float), strict=False):
        total -= t * math.log(x) + (1 - t) * math.log(1 - x)
    return total


@pytest.mark.parametrize("name", ["terms", "stakes", "two layers", "lines"])
def test_learning_goes_down_the_gradient(name):
    text, make = MODELS[name]
    game = games.load(text)
    model, s = shaken(make(game), 0.3), positions(game, 9)[-1]
    clever, target = game.with_model(model), vectors.scratch(16)
    wanted = [0.9, 0.2, 0.1, 0.3, 0.05][: model.outputs]
    target.array[: model.outputs] = wanted
    before = {name: weights.copy() for name, weights in model.weights.items()}
    with native.interpreted():
        on = new_active(clever.model_inputs, clever.model_most)
        clever.model_see(s, on)
        clever.model_learn(on, target, 1e-2)
        steps = {key: (weights - before[key]).reshape(-1) / -1e-2 for key, weights in model.weights.items()}
        for key, weights in model.weights.items():
            weights[:] = before[key]
        for key, step in steps.items():
            flat, changed = model.weights[key].reshape(-1), np.flatnonzero(step)
            for i in [*changed[:: max(len(changed) // 12, 1)], 0, len(flat) - 1]:
                slope = []
                for shift in (0.01, -0.01):
                    flat[i] = before[key].reshape(-1)[i] + shift
                    slope.append(loss(game, model, s, wanted) / 0.02)
                flat[i] = before[key].reshape(-1)[i]
                assert step[i] == pytest.approx(slope[0] - slope[1], rel=1e-3, abs=1e-4), (key, i)


# ---- patterns


def test_images_of_a_shape_share_a_table():
    game = games.load("othello:size=6")
    model = learn.Patterns(game, shapes=[[0, 1, 2], [5, 4, 3]], stages=2)
    assert model.instances == 8  # the corner of three, as the eight symmetries have it; the second shape is one of them
    assert model.inputs == 2 * (27 + 1)
    random = np.random.default_rng(1)
    model.weights["weights"][:] = random.normal(size=model.inputs)
    clever = game.with_model(model)
    with native.interpreted():
        for s in positions(game, 20):
            values = [
                clever.evaluate(game.set_up(*(Bits(36, [turn[q] for q in side]) for side in s[:2]), s.turn), 0)
                for turn in (range(36), *game.symmetries)
            ]
            assert values == pytest.approx([values[0]] * 8)


def test_the_shapes_of_othello_are_logistellos():
    model = learn.Patterns(games.load("othello"))
    assert (len(model.shapes), model.instances) == (11, 46)
    assert learn.Patterns(games.load("connect_four")).instances == 69


class Corridor(Game):
    """Two walk towards each other; features of one's own, one of them wrong."""

    inputs = 4

    class State(NamedTuple):
        steps: int
        turn: int

    def initial(self):
        return self.State(0, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return range(1 if s.steps < 6 else 0)

    def result(self, s, a):
        return self.State(s.steps + 1, 1 - s.turn)

    def is_terminal(self, s):
        return s.steps == 6

    def utility(self, s, p):
        return 1.0 if p == 0 else -1.0

    def features(self, s, on):
        on.add(s.steps)


def test_the_shapes_of_go_are_small_blocks():
    game = games.load("go:size=5")
    model = learn.Patterns(game, stages=2)
    assert model.instances == 9 + 8, "nine blocks, and two ways to lie in each corner"
    assert model.inputs == 2 * (3 * 3**9 + 3**8 + 1), "in a corner, at an edge, in the centre"
    assert game.place(game.initial(), game.shapes[0][4]).name == "B2"
    wide = games.load("go:size=3,columns=4")
    assert learn.Patterns(wide, stages=1).instances == 2 + 2 + 2


def test_a_wrong_input_is_an_error_in_both_modes():
    game = Corridor()
    clever = game.with_model(learn.Linear(game))
    wrong = Corridor.State(5, 0)
    with pytest.raises(ValueError, match="not below `inputs`"), native.interpreted():
        clever.evaluate(wrong, 0)
    with pytest.raises(ValueError, match="not below `inputs`"):
        estimate.compiled(clever, wrong, 0)


def test_a_model_tells_what_it_has_learned_from():
    game = games.load("nim")
    model = learn.Linear(game, features="table")
    assert model.schooling == "0 games"
    learn.fit(game, model, [(s, 1.0) for s in positions(game, 5)], rounds=1)
    assert model.schooling == "5 positions"
    learn.td(game, model, games=20)
    assert model.schooling == "20 games"
