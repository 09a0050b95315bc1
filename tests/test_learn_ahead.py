"""Learning from what a search finds: TD-leaf, and with dice the mean over throws."""

import numpy as np
import pytest

from counterplay import CHANCE, UserError, games, learn, search
from counterplay.core.features import new_active
from counterplay.core.records import new_record
from counterplay.core.vectors import scratch
from counterplay.learn.ahead import best_leaf, expect, learn_expected, learn_leaves
from counterplay.learn.recipes import recipe_for
from counterplay.learn.selfplay import WORK
from counterplay.native import compiled, interpreted
from tests.random_tree import RandomTree
from tests.small_games import Nim

pytestmark = pytest.mark.long

FAR = 100.0


class Thrown(RandomTree):
    """A random tree in which every second ply is a throw."""

    chance = True

    def player(self, s):
        return CHANCE if s.ply % 2 else s.ply // 2 % 2

    def probability(self, s, a):
        return 1.0 / (1 + self.noise(s, 2) % self.width)


def random_model(game, kind=learn.Linear, seed=1, **shape):
    model, random = kind(game, **shape), np.random.default_rng(seed)
    for weights in model.weights.values():
        weights[...] = random.normal(scale=0.5, size=weights.shape)
    return model


# ---- leaves


def test_the_leaf_has_the_value_of_the_search():
    game = games.load("tic_tac_toe")
    clever = game.with_model(random_model(game))
    w = new_record(WORK)
    with interpreted():
        for moves in ("", "b2", "a1 b2 c3"):
            s = game.at(moves).state
            v, leaf = best_leaf(clever, s, 0, 3, -FAR, FAR, w)
            assert v == search.minimax(clever, s, depth=3).value
            assert v == clever.evaluate(leaf, 0)
    assert w.positions > 0


def test_a_step_goes_down_the_gradient_of_the_search():
    """What learning a leaf changes is the derivative of the search's value, found by changing each weight a little."""
    game = games.load("tic_tac_toe")
    model = random_model(game)
    clever, weights, w = game.with_model(model), model.weights["weights"], new_record(WORK)
    with interpreted():
        s = game.at("b2").state
        _, leaf = best_leaf(clever, s, 0, 2, -FAR, FAR, w)
        on, y, target = new_active(clever.model_inputs, clever.model_most), scratch(1), scratch(1)
        clever.model_see(leaf, on)
        clever.model_guess(on, y)
        sign = 1.0 if clever.viewer(leaf) == 0 else -1.0
        numeric, little = np.zeros(len(weights)), 1e-2
        for i in sorted({on.index(k) for k in range(len(on))}):
            kept, at = weights[i], []
            for change in (little, -little):
                weights[i] = kept + change
                at.append(best_leaf(clever, s, 0, 2, -FAR, FAR, w)[0])
            weights[i] = kept
            numeric[i] = (at[0] - at[1]) / (2 * little)
        before = weights.copy()
        target[0] = 1.0
        clever.model_learn(on, target, 1.0)
    low, high = game.utility_range
    slope = (high - low) * y[0] * (1.0 - y[0])
    assert (weights - before) / (1.0 - y[0]) * slope * sign == pytest.approx(numeric, abs=2e-4)


def test_leaves_are_learned_alike_compiled_and_interpreted():
    game, found = Nim(), []
    for mode in (compiled, interpreted):
        model = learn.Linear(game)
        with mode():
            done = learn.td(game, model, games=40, rate=(0.1, 0.05), trace=0.5, explore=0.2, depth=2, seed=3)
        found.append((model.weights["weights"].tobytes(), done.games, done.plies, done.positions))
    assert found[0] == found[1]
    assert found[0][1] == 40
    assert any(found[0][0])


def test_what_a_search_sees_to_the_end_is_learned_as_it_is():
    """Three stones: who moves takes them all. There is no leaf to learn, but the position on the board."""
    game = Nim(heap=3)
    model = learn.Linear(game, features="table")
    with interpreted():
        w, clever = new_record(WORK), game.with_model(model)
        assert learn_leaves(clever, game.initial(), w, search.new_random(1), 30, 0.5, 0.0, 0.5, 3) == 30
        assert clever.evaluate(game.initial(), 0) > 0.8
    assert w.plies > 30


def test_leaves_teach_a_game():
    """Leave a multiple of four stones: a search needs to be told only about positions before those that it sees."""
    game = Nim(heap=10)
    table = learn.Linear(game, features="table")
    with interpreted():
        learn.td(game, table, games=150, rate=0.5, trace=0.0, explore=0.3, depth=3)
        told = game.with_model(table)
        best = [search.minimax(told, game.State(n, 0), depth=3).action for n in (5, 6, 7, 9, 10)]
        perfect = [search.minimax(game, game.State(n, 0)).action for n in (5, 6, 7, 9, 10)]
    assert best == perfect


# ---- throws


def test_what_is_expected_is_what_a_search_finds():
    game = Thrown(width=3, height=6)
    clever = game.with_model(random_model(game, learn.Network, hidden=16))
    w, y = new_record(WORK), scratch(16)
    with interpreted():
        for seed in range(4):
            s = game.State(0, 0, seed)
            for viewer in (0, 1):
                expect(clever, s, viewer, 3, y, w)
                value = search.minimax(clever, s, depth=3).values[viewer]
                assert clever.model_worth(y) == pytest.approx(value, abs=1e-6)


def test_throws_are_learned_alike_compiled_and_interpreted():
    game, found = Thrown(width=3, height=6), []
    for mode in (compiled, interpreted):
        model = learn.Network(game, hidden=16, seed=2)
        with mode():
            done = learn.td(game, model, games=6, rate=0.1, depth=2, explore=0.1, seed=3)
        found.append((*(weights.tobytes() for weights in model.weights.values()), done.plies, done.positions))
    assert found[0] == found[1]


def test_the_dice_of_backgammon_are_no_position_of_their_own():
    """Its inputs do not tell the dice: only positions before a throw are learned, all stakes at once."""
    game = games.load("backgammon")
    model = learn.Network(game, hidden=16)
    s = game.from_text("AQAABAAAAAAAAA:MAEAAAAAAAAA")
    with interpreted():
        w, clever, y = new_record(WORK), game.with_model(model), scratch(16)
        learn_expected(clever, s, w, search.new_random(1), 1, 0.1, 0.0, 2)
        expect(clever, s, 0, 2, y, w)
    assert w.plies == 1
    assert (y[0], y[1]) == pytest.approx((1.0, 0.0), abs=1e-6)


# ---- what can be asked


def test_a_depth_is_a_number_of_plies():
    game = Nim()
    with pytest.raises(UserError, match="1 to 20 plies ahead, not 0"):
        learn.td(game, learn.Linear(game), games=1, depth=0)
    with pytest.raises(UserError, match="'depth' of a recipe is a whole number, not '1"):
        recipe_for(game, "samuel:depth=1.5")
    assert recipe_for(game, "samuel:depth=3").settings(game).depth == 3
