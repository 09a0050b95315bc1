"""The convolutional network: what it sees, that all who run it agree, its files, and games that it learns from."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from counterplay import UserError, games, learn, search
from counterplay.core.memory import Memory
from counterplay.core.randomness import new_random
from counterplay.learn.convolution import think
from counterplay.learn.files import resume
from counterplay.learn.model import value
from counterplay.learn.recipes import recipe_for
from counterplay.learn.runtimes import Learner, evaluator, new_runtime
from counterplay.learn.zero_batches import BatchSettings, BatchTraining, Shards
from counterplay.native import interpreted
from counterplay.search.playout import choose

pytestmark = pytest.mark.long

HINT = "needs torch, onnx and onnxruntime (pip install 'counterplay[zero]')"
GAME = games.load("tic_tac_toe")
SMALL = {"channels": 16, "blocks": 1}
QUICK = {"simulations": 12, "quick": 6, "slots": 8, "batch": 16, "share": 1.0}
SIGHTS = (
    *("mine in atari", "theirs in atari", "mine with two liberties", "theirs with two liberties", "sensible", "the ko"),
)
"""What Go shows beside its board, in this order."""
TOLERANCE = 1e-4
"""By so much may scores and values differ from those of NumPy, whoever computes them."""


def needs_torch():
    for module in ("torch", "onnx", "onnxruntime"):
        pytest.importorskip(module, reason=HINT)


def network(game=GAME, seed=3, **shape):
    """A network none of whose weights is 0."""
    model = learn.ConvolutionalNetwork(game, **{**SMALL, **shape}, seed=seed)
    random = np.random.default_rng(seed)
    for weights in model.weights.values():
        weights[...] = random.normal(0.0, 0.15, weights.shape)
    return model


def some_states(game, number=24):
    random, s, found = new_random(5), game.initial(), []
    with interpreted():
        while len(found) < number:
            s = game.initial() if game.is_terminal(s) else s
            found.append(s)
            s = game.result(s, choose(game, s, random))
    return found


# ---- what it sees


def test_it_sees_each_bits_as_a_plane_and_all_else_beside():
    model = learn.ConvolutionalNetwork(GAME, **SMALL)
    s = GAME.at("b2 a1").state
    planes, others = model.seen([s])
    assert planes.shape == (1, 3, 3, 3)
    assert planes[0, 0].tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]  # mine
    assert planes[0, 1].tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]  # theirs, a1 at the bottom
    assert planes[0, 2].min() == 1
    assert others[0, -2:].tolist() == [1, 0]  # player 0 is to move
    assert model.placed


def test_squares_that_are_no_part_of_the_board_are_not_seen():
    game = games.load("connect_four")
    model = learn.ConvolutionalNetwork(game, **SMALL)
    assert (model.rows, model.columns, model.planes) == (6, 7, 3)
    assert not model.placed
    planes, _ = model.seen([game.at("4 4 1").state])
    assert np.argwhere(planes[0, 1]).tolist() == [[5, 0], [5, 3]]


def test_it_sees_the_sights_of_a_game_beside_its_board():
    game = games.load("go:size=5")
    model = network(game)
    assert model.planes == 3 + 6 + 1
    s = game.from_text("O..../..X../.XO../..X../X.... X")
    planes, _ = model.seen([s])
    cells = {name: np.argwhere(planes[0, k]).tolist() for k, name in enumerate(SIGHTS)}
    assert cells["mine in atari"] == cells["the ko"] == []
    assert cells["theirs in atari"] == [[2, 2]]
    assert cells["mine with two liberties"] == [[4, 0]]
    assert cells["theirs with two liberties"] == [[0, 0]]
    assert planes[0, 4].sum() == 25 - 6  # there is room everywhere
    clever, states = game.with_model(model), some_states(game, 6)
    _, plain = model.plain(*model.seen(states))
    for each, y in zip(states, plain, strict=True):
        found = value(clever, each)
        with interpreted():
            assert value(clever, each) == found
        assert found == pytest.approx(2 * y - 1, abs=TOLERANCE)


def test_symmetries_turn_boards_and_moves():
    game = games.load("connect_four")
    cells, moves = learn.ConvolutionalNetwork(game, **SMALL).turns
    assert cells.shape == (2, 42)
    assert moves[1][:7].tolist() == [6, 5, 4, 3, 2, 1, 0]
    go = games.load("go:size=5")
    model = learn.ConvolutionalNetwork(go, **SMALL)
    cells, moves = model.turns
    assert len(cells) == 8
    assert (moves[:, go.pass_move] == go.pass_move).all()
    for cell, move in zip(cells, moves, strict=True):
        assert all(move[square] == model.squares[cell[i]] for i, square in enumerate(model.squares))


def test_a_state_without_a_board_is_refused():
    with pytest.raises(UserError, match="no `Bits`"):
        learn.ConvolutionalNetwork(games.load("nim"))


@pytest.mark.parametrize("shape", [{"channels": 20}, {"channels": 0}, {"blocks": 0}])
def test_shapes_that_make_no_sense_are_refused(shape):
    with pytest.raises(UserError, match="channels"):
        learn.ConvolutionalNetwork(GAME, **{**SMALL, **shape})


# ---- who runs it


def odds(model, s):
    game = model.game.with_model(model)
    thought = Memory(np.zeros(game.model_thought, np.float32))
    think(game, s, thought)
    assert game.model_verdict(thought, s, 0) == game.evaluate(s, 0)
    found = np.array([game.model_odds(thought, game.player(s), a) for a in game.actions(s)])
    return found / found.sum()


@pytest.mark.parametrize("name", ["tic_tac_toe", "checkers"])
def test_compiled_and_interpreted_agree_to_the_last_bit_and_with_numpy(name):
    game = games.load(name)
    model = network(game)
    clever, states = game.with_model(model), some_states(game, 6)
    _, plain = model.plain(*model.seen(states))
    low, high = game.utility_range
    for s, y in zip(states, plain, strict=True):
        found = value(clever, s)
        with interpreted():
            assert value(clever, s) == found
        assert found == pytest.approx(low + (high - low) * y, abs=TOLERANCE)


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_onnxruntime_and_torch_agree_with_numpy(name):
    needs_torch()
    model = network(games.load(name))
    seen = model.seen(some_states(model.game))
    scores, values = model.plain(*seen)
    assert scores.std() > 0.01
    assert values.std() > 0.001
    for by in ("onnxruntime", "torch"):
        found = new_runtime(model, by)(*seen)
        assert found[0] == pytest.approx(scores, abs=TOLERANCE), by
        assert found[1] == pytest.approx(values, abs=TOLERANCE), by
    with pytest.raises(UserError, match="not by 'tea'"):
        new_runtime(model, "tea")


def test_an_evaluator_says_what_the_model_in_the_game_says():
    needs_torch()
    model = network()
    states = [s for s in some_states(GAME) if not GAME.is_terminal(s)]
    priors, values = evaluator(model)(GAME, states)
    clever = GAME.with_model(model)
    for s, prior, v in zip(states, priors, values, strict=True):
        with interpreted():
            assert clever.evaluate(s, 0) == pytest.approx(v, abs=TOLERANCE)
            assert odds(model, s) == pytest.approx(prior, abs=TOLERANCE)
    result = search.mcts(GAME, simulations=30, evaluator=evaluator(model), batch=4)
    assert result.simulations == 30


def test_without_the_extra_it_is_said_what_to_install(monkeypatch):
    from counterplay.learn import runtimes

    monkeypatch.setattr(runtimes, "find_spec", lambda name: None)
    model = network()
    assert new_runtime(model) == model.plain
    with pytest.raises(UserError, match=r"pip install 'counterplay\[zero\]'"):
        learn.zero(GAME, model, games=2, **QUICK)


# ---- in files


def test_a_network_is_saved_loaded_and_refused(tmp_path):
    from safetensors import safe_open
    from safetensors.numpy import load_file, save_file

    model, file = network(), tmp_path / "m.safetensors"
    learn.save(model, file)
    again = learn.load(file)
    assert isinstance(again, learn.ConvolutionalNetwork)
    assert all((weights == again.weights[name]).all() for name, weights in model.weights.items())
    with safe_open(file, "numpy") as opened:
        about = opened.metadata()
    arrays = load_file(file)
    arrays["blocks"][5, 3] += 3.0
    save_file(arrays, tmp_path / "poisoned.safetensors", about)
    with pytest.raises(UserError, match=r"poisoned.*was worth"):
        learn.load(tmp_path / "poisoned.safetensors")
    (tmp_path / "part.safetensors").write_bytes(file.read_bytes()[:-20])
    with pytest.raises(UserError, match=r"part\.safetensors is no model"):
        learn.load(tmp_path / "part.safetensors")


# ---- learning


def lost_lines(model):
    """How many of all ways to play against it does it lose, in either seat, with 60 simulations a move."""
    engine = search.new_engine("mcts", GAME.with_model(model), puct=1.5, cutoff=0, memory_mb=4)

    def lost(s, seat):
        if GAME.is_terminal(s):
            return int(GAME.utility(s, seat) < 0)
        if GAME.player(s) != seat:
            return sum(lost(GAME.result(s, a), seat) for a in GAME.actions(s))
        engine.new_game(0)
        return lost(GAME.result(s, engine.search(s, search.Limits(simulations=60)).action), seat)

    return lost(GAME.initial(), 0) + lost(GAME.initial(), 1)


@pytest.mark.slow
def test_tic_tac_toe_is_hardly_lost_after_seconds_of_learning():
    """It lost 0 to 2 lines with six seeds; as torch adds up otherwise elsewhere, none cannot be promised."""
    needs_torch()
    model, told = learn.ConvolutionalNetwork(GAME, **SMALL), []
    assert lost_lines(model) > 40
    learn.zero(GAME, model, games=2000, simulations=40, share=1.0, slots=32, batch=64, progress=told.append)
    assert told[-1].is_done
    assert lost_lines(model) <= 8


def test_games_in_batches_are_the_same_compiled_and_interpreted():
    """The same leaves, visits and memory, whichever way, as long as nothing is learned."""
    needs_torch()

    assert_same_games(GAME, {**QUICK, "repeats": 0.0})


def assert_same_games(game, settings):
    """Whether compiled and interpreted games leave the same memory."""

    def played():
        training = BatchTraining(game, network(game), BatchSettings(6, **settings))
        training.run()
        return training.memory()

    compiled = played()
    with interpreted():
        slow = played()
    assert len(compiled["0.index"])
    for name, array in compiled.items():
        assert array.tobytes() == slow[name].tobytes(), name


def test_playouts_and_all_moves_as_first_are_the_same_compiled_and_interpreted():
    needs_torch()
    game = games.load("go:size=2")
    more = {"playouts": 0.75, "rave": 50.0, "hunch": 1.0, "resign": 0.2}
    assert_same_games(game, {**QUICK, "repeats": 0.0, **more})


def test_a_leaf_is_worth_its_playout_where_that_is_all_that_counts():
    """With nothing but playouts no value of the network is seen."""
    needs_torch()

    def found(playouts, bias):
        model = network()
        model.weights["values"][-1] = bias  # how the network likes everything
        training = BatchTraining(GAME, model, BatchSettings(8, **{**QUICK, "repeats": 0.0, "playouts": playouts}))
        training.run()
        return training.memory()["0.searched"]

    assert found(1.0, 5.0).tolist() == found(1.0, -5.0).tolist()
    assert found(0.5, 5.0).tolist() != found(0.5, -5.0).tolist()


def test_who_has_little_left_gives_up_and_some_games_show_whether_that_was_right():
    needs_torch()
    training = BatchTraining(
        GAME, network(), BatchSettings(200, **{**QUICK, "repeats": 0.0, "playouts": 1.0, "resign": 0.3})
    )
    training.run()
    about = training.about
    assert about["resigned"] > about["watched"] > 0
    assert 0 <= about["mistaken"] <= about["watched"]
    given = BatchSettings(8, playouts=1.5), BatchSettings(8, hunch=1.0)
    for settings, message in zip(given, ("playouts is a share", "need rave"), strict=True):
        with pytest.raises(UserError, match=message):
            settings.must_be_sensible()


def test_learning_lowers_the_loss():
    needs_torch()
    model = network()
    learner, random = Learner(model), np.random.default_rng(1)
    states = [s for s in some_states(GAME) if not GAME.is_terminal(s)]
    planes, others = model.seen(states)
    legal = np.zeros((len(states), model.moves), np.int8)
    for row, s in zip(legal, states, strict=True):
        row[list(GAME.actions(s))] = 1
    shares = legal * random.random(legal.shape).astype(np.float32)
    shares /= shares.sum(axis=1, keepdims=True)
    targets = random.random(len(states)).astype(np.float32)
    batch = {"planes": planes, "others": others, "legal": legal, "shares": shares, "targets": targets}
    losses = [sum(learner.step(batch, 0.01)) for _ in range(30)]
    assert losses[-1] < losses[0] - 0.1
    learner.write_back()
    scores, _ = model.plain(planes, others)
    assert np.abs(scores).max() > 0


def test_a_training_that_was_stopped_goes_on(tmp_path):
    needs_torch()
    settings, file = BatchSettings(24, **QUICK), tmp_path / "m.safetensors"
    training = BatchTraining(GAME, network(), settings)
    training.run(until=16)
    assert training.games == 16
    learn.save(training.model, file, training)
    again = BatchTraining(GAME, network(seed=9), settings)
    resume(again, file)
    before, after = training.memory(), again.memory()
    assert before.keys() == after.keys()
    assert all((before[name] == after[name]).all() for name in before)
    assert all((w == again.model.weights[name]).all() for name, w in training.model.weights.items())
    again.run()
    assert again.games == 24


def test_two_threads_play_as_many_games_as_were_asked_for():
    needs_torch()
    training = BatchTraining(GAME, network(), BatchSettings(30, threads=2, **QUICK))
    training.run(until=21)
    assert training.games == 21
    training.run()
    assert training.progress.is_done
    assert training.games == 30


def test_other_ways_to_learn_are_refused():
    for learning in (learn.td, learn.descent):
        with pytest.raises(UserError, match=r"learn\.zero can"):
            learning(GAME, network(), games=1)
    with pytest.raises(UserError, match=r"learn\.zero can"):
        learn.fit(GAME, network(), [(GAME.initial(), 0.0)])
    with pytest.raises(UserError, match="no setting 'speed'"):
        learn.zero(GAME, network(), games=1, speed=3)
    with pytest.raises(UserError, match="at once"):
        BatchSettings(10, slots=0).must_be_sensible()


def test_shards_bring_back_what_came_after_the_checkpoint(tmp_path):
    needs_torch()
    settings, file = BatchSettings(40, **QUICK), tmp_path / "m.safetensors"
    training = BatchTraining(GAME, network(), settings)
    assert training.keep_in(tmp_path / "replay")
    training.run(until=8)
    learn.save(training.model, file, training)
    training.written()
    assert not list((tmp_path / "replay").iterdir())
    training.run(until=20)
    again = BatchTraining(GAME, network(), settings)
    again.keep_in(tmp_path / "replay")
    resume(again, file)
    assert again.games == 8
    again.catch_up()
    assert again.games == 20
    before, after = training.memory(), again.memory()
    for name in before:
        if not name.startswith("learner."):
            assert (before[name] == after[name]).all(), name
    shards = sorted((tmp_path / "replay").iterdir())
    whole = shards[0].read_bytes()
    fresh = BatchTraining(GAME, network(), settings)
    fresh.keep_in(tmp_path / "replay")
    resume(fresh, file)
    shards[0].write_bytes(whole[:-8])
    with pytest.raises(UserError, match=f"{shards[0].name} is a damaged shard"):
        fresh.catch_up()
    shards[0].unlink()
    if len(shards) > 1:
        with pytest.raises(UserError, match="the shard before it is missing"):
            fresh.catch_up()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("index", lambda a: a + 100_000),
        ("target", lambda a: a * np.nan),
        ("share", lambda a: a[:-1]),
        ("count", lambda a: a - 1_000),
        ("value", lambda a: a / 0.0),
    ],
)
def test_a_poisoned_shard_is_refused_by_name(tmp_path, name, change):
    needs_torch()
    from safetensors import safe_open
    from safetensors.numpy import load_file, save_file

    training = BatchTraining(GAME, network(), BatchSettings(4, **{**QUICK, "slots": 4}))
    training.keep_in(tmp_path)
    training.run()
    file = min(tmp_path.iterdir())
    with safe_open(file, "numpy") as opened:
        about = opened.metadata()
    arrays = load_file(file)
    with np.errstate(all="ignore"):
        arrays[name] = np.ascontiguousarray(change(arrays[name]))
    save_file(arrays, file, about)
    fresh = BatchTraining(GAME, network(), training.settings)
    fresh.keep_in(tmp_path)
    with pytest.raises(UserError, match=f"{file.name} is a damaged shard.*'(index|value)?{name}?'"):
        fresh.catch_up()
    assert fresh.games == 0


def test_what_the_optimizer_remembers_is_checked(tmp_path):
    needs_torch()
    settings = BatchSettings(60, **{**QUICK, "repeats": 40.0})
    training = BatchTraining(GAME, network(), settings)
    training.run()
    memory = training.memory()
    assert any(name.startswith("learner.") for name in memory)
    memory["learner.stem.square"] = -memory["learner.stem.square"] - 1.0
    with pytest.raises(ValueError, match="'stem' of the optimizer"):
        BatchTraining(GAME, network(), settings).take_up(training.state(), memory)


def test_a_recipe_names_it_and_a_command_trains_it(tmp_path, counterplay):
    needs_torch()
    text = "zero:network=conv,channels=16,blocks=1,simulations=8,quick=4,slots=4,batch=16"
    recipe = recipe_for(GAME, text)
    assert recipe_for(GAME, str(recipe)) == recipe
    assert recipe_for(GAME, "zero").kind is learn.DualNetwork
    for wrong, why in (
        ("zero:network=tree", "'compiled' or 'conv'"),
        ("zero:network=conv,hidden=8", "no setting 'hidden'"),
        ("zero:slots=8", "no setting 'slots'"),
    ):
        with pytest.raises(UserError, match=why):
            recipe_for(GAME, wrong)
    file = tmp_path / "tic.safetensors"
    status, out, err = counterplay("train", "tic_tac_toe", "--recipe", text, "--games", 12, "--out", file)
    assert status == 0, err
    assert learn.load(file).played == 12
    status, out, err = counterplay("search", "tic_tac_toe", "--model", file, "--simulations", 20)
    assert status == 0, err
    assert "mcts" in out


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a system with SIGKILL")
def test_a_training_that_is_killed_loses_no_game_that_had_ended(tmp_path):
    needs_torch()
    file = tmp_path / "tic.safetensors"
    recipe = "zero:network=conv,channels=16,blocks=1,simulations=40,quick=10,slots=8,batch=32"
    command = [sys.executable, "-m", "counterplay", "train", "tic_tac_toe", "--out", str(file)]
    began = subprocess.Popen([*command, "--recipe", recipe, "--games", "100000"], stdout=subprocess.DEVNULL)
    replay, deadline = tmp_path / "tic.safetensors.training" / "replay", time.monotonic() + 300
    while not (replay.exists() and len(list(replay.glob("*.safetensors"))) >= 3) and time.monotonic() < deadline:
        time.sleep(0.1)
    began.send_signal(signal.SIGKILL)
    began.wait()
    kept = max(replay.glob("*.safetensors"))
    about, _ = Shards(replay, 1 << 30)._read(kept)
    from counterplay.learn.course import Course

    course = Course.taken_up(GAME, file)
    assert course.training.games == about["games"] > 0
    assert course.training._works[0].seen == about["seen"]
