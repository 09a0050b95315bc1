"""Learning with a discount and with rewards on the way: against values found by going through the whole game."""

from typing import NamedTuple

import numpy as np
import pytest

from counterplay import Game, games, learn, native, search
from counterplay.core.vectors import scratch
from counterplay.learn import recipes, temporal
from tests.small_games import Nim

pytestmark = pytest.mark.long


class Coins(Game):
    """Take the first or the last coin of a row; in the end the difference counts."""

    row = (6, 9, 2, 1)
    utility_range = (-18.0, 18.0)

    class State(NamedTuple):
        first: int
        last: int
        lead: int  # of player 0
        turn: int

    def initial(self):
        return self.State(0, len(self.row) - 1, 0, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return range(min(s.last - s.first + 1, 2))

    def result(self, s, a):
        coin = self.row[s.last if a else s.first]
        lead = s.lead + coin if s.turn == 0 else s.lead - coin
        return self.State(s.first + 1 - a, s.last - a, lead, 1 - s.turn)

    def is_terminal(self, s):
        return s.first > s.last

    def utility(self, s, p):
        return float(s.lead) if p == 0 else -float(s.lead)


class PaidAtOnce(Coins):
    """The same, but each coin is a reward."""

    def earned(self, s, p):
        return self.utility(s, p)


class Doubled(Nim):
    """Whoever takes the last stone wins, by two if it was not alone."""

    stakes = (1.0, 2.0)
    utility_range = (-2.0, 2.0)


def to_come(game, s, discount):
    """What is still to come for player 0, by the textbook: the best of r + discount to_come(s'); nothing at the end."""
    found = []
    for a in game.actions(s):
        t = game.result(s, a)
        is_over = game.is_terminal(t)
        r = (game.utility(t, 0) if is_over else game.earned(t, 0)) - game.earned(s, 0)
        found.append(r if is_over else r + discount * to_come(game, t, discount))
    return (max if game.player(s) == 0 else min)(found)


def live_states(game, s):
    """All states that can come, but ends."""
    if game.is_terminal(s):
        return set()
    return {s}.union(*(live_states(game, game.result(s, a)) for a in game.actions(s)))


# ---- what is learned


@pytest.mark.parametrize("kind", [PaidAtOnce, Nim])
@pytest.mark.parametrize("discount", [1.0, 0.5])
def test_a_table_learns_the_discounted_values(kind, discount):
    game = kind(heap=5) if kind is Nim else kind()
    model = learn.Linear(game, features="table")
    learn.td(game, model, games=20_000, rate=(1.0, 0.05), trace=0.0, explore=0.5, discount=discount)
    clever, reach = game.with_model(model), game.utility_range[1]
    for s in live_states(game, game.initial()):
        wanted = game.earned(s, 0) + to_come(game, s, discount)
        assert clever.evaluate(s, 0) == pytest.approx(wanted, abs=0.05 * reach), s
        assert clever.evaluate(s, 1) == pytest.approx(-wanted, abs=0.05 * reach), s


def test_a_discount_makes_haste():
    """Who cannot wait takes the 6, though it gives the 9 away; and a win now is more than the same win later."""
    game = PaidAtOnce()
    for discount, best in ((1.0, 1), (0.5, 0)):
        after = [game.result(game.initial(), a) for a in range(2)]
        values = [game.earned(t, 0) + discount * to_come(game, t, discount) for t in after]
        assert values[best] > values[1 - best]
    nim = Nim(heap=9)
    assert to_come(nim, nim.State(3, 0), 0.5) == 1.0  # takes all
    assert to_come(nim, nim.State(7, 0), 0.5) == 0.25  # takes three, and the rest after the reply


def test_learned_with_a_discount_a_search_still_finds_the_best_move():
    game = Nim(heap=7)
    model = learn.Linear(game, features="table")
    with native.interpreted():
        learn.td(game, model, games=150, rate=0.5, trace=0.0, explore=0.3, discount=0.8)
        assert search.minimax(game.with_model(model), depth=1).action == 3


# ---- how


def trained(game, compiled=True, make=learn.Linear, **settings):
    model = make(game)
    with native.compiled() if compiled else native.interpreted():
        temporal.Training(game, model, temporal.Settings(8, (0.3, 0.1), 0.6, 0.3, **settings)).run()
    return next(iter(model.weights.values()))


def small_network(game):
    return learn.Network(game, hidden=16)


@pytest.mark.parametrize(
    ("game", "make"),
    [(PaidAtOnce(), learn.Linear), (games.load("pig:goal=9"), learn.Linear), (Doubled(), small_network)],
)
def test_compiled_and_interpreted_learn_the_same_with_a_discount(game, make):
    weights = trained(game, make=make, discount=0.8, warm=0.1)
    assert np.array_equal(weights, trained(game, compiled=False, make=make, discount=0.8, warm=0.1))
    assert not np.array_equal(weights, trained(game, make=make, warm=0.1))


def test_without_a_discount_rewards_change_nothing():
    for discount in (1.0, 0.9):
        plain, paid = (trained(kind(), compiled=False, discount=discount) for kind in (Coins, PaidAtOnce))
        assert np.array_equal(plain, paid) == (discount == 1.0)


@pytest.mark.parametrize("trace", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("text", ["coins", "pig:goal=9", "kalah"])
def test_traces_come_to_the_same_with_a_discount(text, trace):
    game, steps, rate = PaidAtOnce() if text == "coins" else games.load(text), [], 1e-4
    for learned in ("backwards", "traces"):
        model = learn.Linear(game)
        model.weights["weights"][:] = np.random.default_rng(2).normal(scale=0.3, size=model.inputs)
        before = model.weights["weights"].copy()
        if learned == "traces":
            learn.td_with_traces(game, model, 1, rate, trace, explore=0.2, seed=4, discount=0.8)
        else:
            with native.interpreted():
                settings = temporal.Settings(1, (rate, rate), trace, 0.2, seed=4, discount=0.8)
                temporal.Training(game, model, settings).run()
        steps.append((model.weights["weights"] - before) / rate)
    assert np.abs(steps[0]).max() > 0.1
    assert steps[0] == pytest.approx(steps[1], abs=0.02)


@pytest.mark.parametrize("game", [Doubled(), Nim()])
def test_outputs_fade_as_their_value_does(game):
    clever, y = game.with_model(small_network(game)), scratch(16)
    y.array[:3] = 0.7, 0.3, 0.1
    before = clever.model_worth(y)
    clever.model_fade(y, 0.5, 0.8)
    assert clever.model_worth(y) == pytest.approx(0.8 * before)
    turned = scratch(16)
    turned.array[:] = y.array
    clever.model_turn(turned)
    assert clever.model_worth(turned) == pytest.approx(-0.8 * before)


def test_a_recipe_has_a_discount():
    game = games.load("nim")
    recipe = recipes.recipe_for(game, "any:discount=0.9")
    settings = recipe.settings(game)
    assert settings.discount == 0.9
    assert "discount 0.9" in settings.in_words()
    assert str(recipe) == "any:discount=0.9"
    assert "discount" not in recipes.recipe_for(game).settings(game).in_words()


def test_pacman_is_paid_on_the_way():
    game = games.load("pacman")
    s = game.result(game.initial(), next(iter(game.actions(game.initial()))))
    assert game.knows.earned
    assert game.earned(s, 0) == -game.earned(s, 1) == s.score
