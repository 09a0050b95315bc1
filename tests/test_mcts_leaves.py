"""Tree search with leaves weighed from outside, in batches, and with several threads."""

import numpy as np
import pytest

from counterplay import UserError, games, native
from counterplay.core.primitives import compare_swap, load, load_short, store_short
from counterplay.native import native as make_native
from counterplay.search import Limits, MonteCarlo, mcts
from tests.sound_tree import assert_sound

pytestmark = pytest.mark.long

TTT = games.load("tic_tac_toe")


# ---- leaves weighed from outside


def uniform(game, states):
    """No opinion on moves; the game's own estimate of states."""
    return None, [game.evaluate(s, 0) for s in states]


def test_an_evaluator_gets_many_leaves_at_once():
    sizes = []

    def counted(game, states):
        sizes.append(len(states))
        assert not any(game.is_terminal(s) for s in states)
        return uniform(game, states)

    engine = MonteCarlo(TTT, evaluator=counted, batch=8, memory_mb=1)
    result = engine.search(None, Limits(simulations=300))
    assert result.simulations == 300
    assert max(sizes) == 8
    assert sum(sizes) <= 300
    assert len(sizes) < 100
    memory = engine.trees[0]
    assert memory.visits[0] == 300
    assert sum(each.visits for each in result.actions) <= 299
    assert_sound(TTT, TTT.initial(), memory, exactly=False)
    assert (result.action_name, result.settings["evaluator"]) == ("b2", "counted")


def test_an_evaluator_gives_priors_and_values_for_each_player():
    def certain(game, states):
        """The first action is the best, and the last player wins."""
        priors = [[1.0] + [0.0] * (game.count_actions(s) - 1) for s in states]
        return priors, [[-0.5] * (game.players - 1) + [1.0]] * len(states)

    game = games.load("pig:players=3,goal=15")
    with native.interpreted():
        result = mcts(game, simulations=60, evaluator=certain, batch=4, memory_mb=1)
    assert result.values[2] > 0.9 > 0 > result.values[0]
    result = mcts(TTT, simulations=60, evaluator=certain, batch=1)
    assert result.action == 0
    assert result.actions[0].visits > 50


def test_an_evaluator_with_the_solver_proves_too():
    s = TTT.at("a1 b2 a2 b3").state
    result = mcts(TTT, s, solver=True, evaluator=uniform, memory_mb=1, noise=0.5)
    assert (result.value, result.proven, result.action_name) == (8.0, True, "a3")


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ((None, [0.0, 0.0]), "not an array of shape"),
        (([[1.0]], [0.0]), "each of the 9 actions"),
        (([[-1.0] * 9], [0.0]), "0 or more"),
    ],
)
def test_an_evaluator_that_answers_nonsense_is_told(answer, complaint):
    with pytest.raises(UserError, match=complaint):
        mcts(TTT, simulations=1, batch=1, evaluator=lambda game, states: answer)


# ---- threads


def test_threads_share_a_tree_and_lose_no_visit():
    game = games.load("connect_four")
    engine = MonteCarlo(game, threads=2, memory_mb=8)
    result = engine.search(None, Limits(simulations=20_001))
    memory = engine.trees[0]
    assert result.simulations == memory.visits[0] == 20_001
    assert_sound(game, game.initial(), memory, exactly=False)
    assert memory.totals[0, 0] == round(memory.totals[0, 0])  # every virtual loss was taken back
    assert abs(memory.totals[0, 0]) < 20_001
    assert result.action == 3


def test_threads_with_trees_of_their_own_add_up_at_the_root():
    engine = MonteCarlo(TTT, threads=2, parallel="root", memory_mb=2)
    result = engine.search(None, Limits(simulations=1000))
    assert len(engine.trees) == 2
    assert sum(memory.bytes for memory in engine.trees) <= 2_000_000
    assert [int(memory.visits[0]) for memory in engine.trees] == [500, 500]
    assert sum(each.visits for each in result.actions) == 998
    again = MonteCarlo(TTT, threads=2, parallel="root", memory_mb=2).search(None, Limits(simulations=1000))
    assert result.actions == again.actions


def test_short_numbers_are_the_same_in_both_modes():
    @make_native
    def put(game, address, value):
        before = load_short(address, 1)
        store_short(address, 1, value)
        return before

    for run in (put.compiled, put.interpreted):
        numbers = np.array([1, -2, 3], np.int16)
        assert run(TTT, int(numbers.ctypes.data), -16384) == -2
        assert numbers.tolist() == [1, -16384, 3]


def test_compare_swap_is_the_same_in_both_modes():
    @make_native
    def attempt(game, address, old, new):
        return compare_swap(address, 1, old, new)

    for run in (attempt.compiled, attempt.interpreted):
        words = np.array([7, 8], np.int64)
        address = int(words.ctypes.data)
        assert not run(TTT, address, 7, -1)
        assert run(TTT, address, 8, -1)
        assert (list(words), load(address, 1)) == ([7, -1], -1)
