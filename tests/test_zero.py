"""Learning by tree search from nothing: the network of values and moves, and games that are searched."""

import ctypes
import sys
from typing import NamedTuple

import numpy as np
import pytest

from counterplay import Game, UserError, games, learn, search
from counterplay.core.bits import Bits
from counterplay.core.features import Active
from counterplay.core.memory import Memory
from counterplay.learn.dual import learn_both, think
from counterplay.learn.files import resume
from counterplay.learn.rooted import pick, ponder
from counterplay.learn.strength import quick_match
from counterplay.learn.zero import ZeroSettings, ZeroTraining, begin
from counterplay.native import interpreted, native
from counterplay.search.algorithms import led_by_model
from counterplay.search.mcts import thoughts
from counterplay.search.mcts.nodes import NodeStore
from counterplay.search.mcts.thoughts import forget, recall
from counterplay.search.mcts.variations import new_variations

pytestmark = pytest.mark.long

zero_module = sys.modules["counterplay.learn.zero"]  # the name in the package is the function's

GAME = games.load("tic_tac_toe")
SMALL = {"hidden": (32, 16), "alike": True}


class OneGuess(Game):
    """One player names three digits of 0 to 2; each that is right is worth something."""

    players = 1
    utility_range = (0.0, 3.0)

    class State(NamedTuple):
        named: int
        right: int

    def initial(self):
        return self.State(0, 0)

    def player(self, s):
        return 0

    def actions(self, s):
        return range(0 if s.named == 3 else 3)

    def result(self, s, a):
        return self.State(s.named + 1, s.right + (1 if a == s.named else 0))

    def is_terminal(self, s):
        return s.named == 3

    def utility(self, s, p):
        return float(s.right)


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
    thought = Memory(np.zeros(game.model_thought, np.float32))
    think(game, s, thought)
    assert game.model_verdict(thought, s, 0) == game.evaluate(s, 0)
    found = np.array([game.model_odds(thought, game.player(s), a) for a in actions])
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


LITTLE = games.load("connect_four:rows=4,columns=4,connect=3")


def test_however_little_is_kept_of_what_the_network_thought_the_same_is_learned(monkeypatch):
    def trained():
        model = network(game=LITTLE)
        ZeroTraining(LITTLE, model, ZeroSettings(games=64, simulations=30, quick=10)).run()
        return {name: weights.tobytes() for name, weights in model.weights.items()}

    much = trained()
    monkeypatch.setattr(thoughts, "MOST_THOUGHTS", 1)
    assert trained() == much


def test_a_search_goes_by_what_the_network_thinks_now():
    model = network()
    clever = GAME.with_model(model)

    def values(engine):
        engine.new_game(0)
        found = engine.search(GAME.initial(), search.Limits(simulations=50))
        return [(each.action, each.visits, each.values) for each in found.actions]

    engine = search.new_engine("mcts", clever, puct=1.5, cutoff=0)
    before = values(engine)
    for weights in model.weights.values():
        weights *= -1.0
    after = values(engine)
    assert after != before
    assert after == values(search.new_engine("mcts", clever, puct=1.5, cutoff=0))


@native
def thought_of(game, s, x):
    """What a state is worth by what was thought of it, when nothing else was."""
    forget(x)
    recall(game, s, x)
    return game.model_verdict(recall(game, s, x), s, 0)


@pytest.mark.parametrize("game", [GAME, OneGuess()])
def test_what_was_thought_of_a_state_is_found_again(game):
    clever = game.with_model(network(game=game))
    memory = NodeStore(clever, 0.1, ("prior",))
    x = new_variations(clever, memory, {"puct": 1.0, "cutoff": 0.0})
    s = game.result(game.initial(), 1)
    with interpreted():
        slow = thought_of(clever, s, x)
    assert slow == thought_of(clever, s, x) == clever.evaluate(s, 0)
    kept = np.ctypeslib.as_array((ctypes.c_int64 * x.thoughts).from_address(int(x.thought_keys)))
    assert np.count_nonzero(kept) == 1
    memory.thoughts[0].forget()
    assert np.count_nonzero(kept) == 0


@pytest.mark.parametrize(
    "setting",
    [
        {"gumbel": 3},
        {"solve": 8, "resign": 0.1},
        *(
            pytest.param(each, marks=pytest.mark.rare)
            for each in ({"forced": 2.0}, {"images": 1}, {"resign": 0.1}, {"gate": 48, "games": 64}, {"opened": 1.0})
        ),
    ],
)
def test_every_setting_is_the_same_compiled_and_interpreted_and_does_something(setting):
    def trained(**more):
        model = network(game=LITTLE)
        training = ZeroTraining(LITTLE, model, ZeroSettings(**{"games": 16, "simulations": 12, "quick": 6} | more))
        training.run()
        return {name: weights.tobytes() for name, weights in model.weights.items()}, training.about

    compiled = trained(**setting)
    with interpreted():
        assert trained(**setting) == compiled
    assert trained(games=setting.get("games", 16))[0] != compiled[0]


def root_after(network_seed, **setting):
    """What is at the root after a search in full: the visits and the share of each move."""
    model = network(seed=network_seed)
    training = ZeroTraining(GAME, model, ZeroSettings(games=1, simulations=40, **{"noise": 0.0, **setting}))
    ((memory, (x, sections), _),) = training._trees.values()
    w = training._randoms[0]
    with interpreted():
        ponder(training.game, GAME.initial(), w, x, sections, 40, True, training.settings)
        chosen = pick(training.game, w, x, False, training.settings.gumbel > 0)
    children = memory.children(0)
    rows = slice(children.start, children.stop)
    priors = memory.section("guess")[rows].copy()
    return memory.visits[rows], memory.section("prior")[rows], priors, chosen - children.start


def test_gumbel_looks_at_the_moves_that_were_drawn_and_plays_one_of_them():
    visits, shares, _, chosen = root_after(3, gumbel=4)
    assert sum(visits > 1) == 4  # the search that made the children may have tried another
    assert visits[chosen] >= sorted(visits)[-2]
    assert shares.sum() == pytest.approx(1.0)
    assert (shares > 0).all()


def test_forced_playouts_are_made_and_not_learned():
    visits, shares, priors, _ = root_after(3, forced=2.0)
    tried = visits > 0
    assert (visits[tried] >= np.floor(np.sqrt(2.0 * priors[tried] * visits.sum())) - 1).all()
    plain, _, _, _ = root_after(3)
    assert (visits > 0).sum() >= (plain > 0).sum()
    assert shares.sum() == pytest.approx(1.0)
    assert shares.max() >= visits.max() / visits.sum()  # what was pruned went to the others


def test_images_are_remembered_with_their_moves():
    training = ZeroTraining(LITTLE, network(game=LITTLE), ZeroSettings(games=4, simulations=8, quick=4, images=1))
    training.run()
    r, n = training._works[0], LITTLE.empty.width
    (mirror,) = LITTLE.symmetries
    for k in range(0, int(r.seen), 2):
        one, other = (set(r["index"][r["first"][i] : r["first"][i] + r["count"][i]].tolist()) for i in (k, k + 1))
        assert {mirror[q % n] + q // n * n for q in one} == other
        moves = [r["action"][r["first_move"][i] : r["first_move"][i] + r["count_moves"][i]] for i in (k, k + 1)]
        assert (moves[0] == LITTLE.columns - 1 - moves[1]).all()
        assert r["target"][k] == r["target"][k + 1]


def test_what_is_remembered_goes_round_in_a_circle(monkeypatch):
    """With little room everything is soon written over, positions, inputs and moves each at another time."""
    small = {"POSITIONS": 64, "INPUTS": 300}
    for name, number in small.items():
        monkeypatch.setattr(zero_module, name, number)
    monkeypatch.setattr(zero_module, "_replay", zero_module._replay.__wrapped__)
    training = ZeroTraining(GAME, network(), ZeroSettings(games=32, simulations=6, quick=2, share=1.0, window=64))
    with interpreted():
        training.run()
    r = training._works[0]
    assert len(r["action"]) == 300
    assert min(int(r.seen) // 64, int(r.inputs) // 300, int(r.moves) // 300) >= 2
    assert int(r.learned) > 0
    assert all(np.isfinite(weights).all() for weights in training.model.weights.values())


def test_resignations_are_counted_and_some_games_show_whether_they_were_right():
    training = ZeroTraining(LITTLE, network(game=LITTLE), ZeroSettings(games=256, simulations=8, quick=4, resign=0.2))
    training.run()
    about = training.about
    assert about["resigned"] > about["watched"] > 0
    assert 0 <= about["mistaken"] <= about["watched"]


def test_a_model_of_moves_means_no_playouts_unless_somebody_speaks_of_them():
    clever = GAME.with_model(network())
    assert led_by_model(clever, "mcts")["cutoff"] == led_by_model(clever, "mcts", ["simulations"])["cutoff"] == 0
    assert "cutoff" not in led_by_model(clever, "mcts", ["blend"])
    assert led_by_model(GAME, "mcts", ["blend"]) == led_by_model(clever, "alphabeta") == {}


def test_the_mean_of_the_last_weights_is_what_is_left():
    """Of 128 games the last quarter: weights are taken after 112 and after 128, each time when some were learned."""
    given = {"games": 128, "rate": (0.1, 0.1), "simulations": 8, "quick": 4}
    averaged, learned = (ZeroTraining(GAME, network(), ZeroSettings(**given, average=part)) for part in (0.25, 0.0))
    averaged.run()
    taken = []
    for games_played in (112, 128):
        learned.run(until=games_played)
        taken.append({name: weights.copy() for name, weights in learned.model.weights.items()})
    for name, weights in averaged.model.weights.items():
        assert weights == pytest.approx(0.5 * (taken[0][name] + taken[1][name]), abs=1e-6), name
    assert (averaged.model.weights["policy"] != taken[1]["policy"]).any()


def test_positions_near_the_end_are_learned_as_what_they_are_worth():
    """One game in four is played on when it is solved; what is learned of it is what alpha-beta says."""
    settings = ZeroSettings(games=64, simulations=6, quick=4, solve=8, opened=1.0)
    training = ZeroTraining(LITTLE, network(game=LITTLE), settings)
    training.run()
    r, width, late, early = training._works[0], LITTLE.empty.width, 0, 0
    for k in range(int(r.seen)):
        on = r["index"][r["first"][k] : r["first"][k] + r["count"][k]].tolist()
        mine, theirs = Bits(width, [q for q in on if q < width]), Bits(width, [q - width for q in on if q >= width])
        s = LITTLE.State(mine, theirs, len(on))
        if LITTLE.plies_left(s) <= 8:
            value = search.alphabeta(LITTLE, s).values[LITTLE.player(s)]
            assert r["target"][k, 0] == (value + 1.0) / 2.0
            late += 1
        else:
            early += 1
    assert late > 40  # where games were solved, and what came after that in those that were played on
    assert early > 10
    assert int(r.plies) < 64 * 12  # most games end where they are solved
    seen = int(r.seen)
    valued = r["count_moves"][:seen] == 0
    assert 20 < valued.sum() < late  # where a game ended so: of that position no moves are known
    assert r["proven"][:seen][valued].all()


def test_all_games_can_begin_with_random_moves():
    training = ZeroTraining(LITTLE, network(game=LITTLE), ZeroSettings(games=1, opening=3, opened=1.0))
    (w,) = training._randoms
    with interpreted():
        begun = {begin(LITTLE, LITTLE.initial(), w, 3, 1.0).ply for _ in range(40)}
        assert begun == {0, 1, 2, 3}
        assert {begin(LITTLE, LITTLE.initial(), w, 3, 0.0).ply for _ in range(5)} == {0}


def test_a_gate_lets_nobody_pass_who_does_not_win():
    settings = ZeroSettings(games=64, simulations=8, quick=4, gate=32, rate=(1e-6, 1e-6))
    model = network(game=LITTLE)
    training = ZeroTraining(LITTLE, model, settings)
    before = {name: weights.copy() for name, weights in model.weights.items()}
    training.run()
    assert training.about["matches"] == 2
    if training.passed == 0:
        assert all((before[name] == weights).all() for name, weights in training.player.weights.items())
    assert any((before[name] != weights).any() for name, weights in model.weights.items())


def test_a_proven_position_is_learned_as_it_is():
    """A move before the end the search has a proof, and what it is worth is not mixed with anything."""
    training = ZeroTraining(GAME, network(), ZeroSettings(games=32, simulations=30, quick=4))
    training.run()
    r = training._works[0]
    proven = r["proven"][: int(r.seen)] == 1
    assert proven.any()
    assert set(np.unique(r["target"][: int(r.seen)][proven])) <= {0.0, 0.5, 1.0}


@pytest.mark.parametrize(
    ("name", "players"),
    [("pig:players=3,goal=8", 3), pytest.param("pig:goal=8", 2, marks=pytest.mark.rare), (OneGuess(), 1)],
    ids=["three", "dice", "one"],
)
def test_one_player_or_many_with_dice_or_without(name, players):
    game = games.load(name) if isinstance(name, str) else name
    model = learn.DualNetwork(game, hidden=16)
    assert (game.players, model.outputs) == (players, 3 if players == 3 else 1)

    def trained():
        training = ZeroTraining(game, learn.DualNetwork(game, hidden=16), ZeroSettings(games=8, simulations=8, quick=4))
        training.run()
        return {name: weights.tobytes() for name, weights in training.model.weights.items()}

    compiled = trained()
    with interpreted():
        assert trained() == compiled


@pytest.mark.rare
def test_with_three_players_each_learns_its_own_value():
    game = games.load("pig:players=3,goal=8")
    model = learn.DualNetwork(game, hidden=32)
    learn.zero(game, model, games=2000, simulations=30, quick=8)
    clever = game.with_model(model)
    values = [clever.evaluate(game.initial(), p) for p in range(3)]
    assert values[0] > values[1] > values[2]  # who is nearer to the dice has more
    assert sum(values) == pytest.approx(game.utility_sum, abs=0.3)
    assert quick_match(clever, None, 600, 1).share > 1 / 3 + 0.04


def test_one_player_learns_to_guess():
    game = OneGuess()
    model = learn.DualNetwork(game, hidden=16)
    learn.zero(game, model, games=600, simulations=12, quick=6)
    assert game.with_model(model).evaluate(game.initial(), 0) > 0.8
    assert quick_match(game.with_model(model), None, 50, 1).share > 0.6


def test_a_training_that_was_stopped_goes_on_to_the_same_weights(tmp_path):
    settings = ZeroSettings(games=256, simulations=12, quick=6, gate=64, average=0.7)
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
        ("memory.0.count", lambda a: a * 0 + 10_000),
        ("memory.0.action", lambda a: -1 - a),
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


def test_half_a_file_has_weights_of_16_bits(tmp_path):
    model, half, whole = network(), tmp_path / "half.safetensors", tmp_path / "whole.safetensors"
    exact = {name: weights.copy() for name, weights in model.weights.items()}
    learn.save(model, whole)
    learn.save(model, half, half=True)
    again = learn.load(half)
    assert half.stat().st_size < 0.8 * whole.stat().st_size  # what is told of it takes some room, too
    for name, weights in exact.items():
        assert (again.weights[name] == weights.astype(np.float16)).all()
        assert (again.weights[name] == model.weights[name]).all()
        assert again.weights[name].dtype == np.float32
    model.weights["first"][0, 0] = 1e6
    with pytest.raises(UserError, match="no finite number"):
        learn.save(model, half, half=True)


def test_patterns_on_shapes_can_be_inputs():
    game = games.load("connect_four")
    model = learn.DualNetwork(game, **SMALL, features="shapes")
    on = Active()
    model.game.features(game.at("4 4").state, on)
    assert len(on) == len(list(game.shapes)) + 2
    turns = learn.DualNetwork(game, **SMALL, features="turns")
    for moves, player in (("4 4", 0), ("4 4 3", 1)):
        on.clear()
        turns.game.features(game.at(moves).state, on)
        assert max(on.values) == turns.inputs - 2 + player


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"games": 0}, "one game or more"),
        ({"simulations": 1}, "two simulations"),
        ({"share": 2.0}, "share is a share"),
        ({"speed": 3}, "no setting 'speed'"),
        ({"gumbel": -1}, "gumbel is a number"),
        ({"images": 1}, "leave images out"),
        ({"opened": 2.0}, "opened is a share"),
        ({"window": 10}, "a window is from 64 to 524,288"),
        ({"window": 500_000, "threads": 2}, "a window is from 64 to 262,144"),
        ({"solve": 4}, "leave solve out"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, reason):
    with pytest.raises(UserError, match=reason):
        learn.zero(GAME, learn.DualNetwork(GAME, **SMALL), **{"games": 10, **settings})
