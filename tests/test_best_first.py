"""Best-first minimax: what it finds is what minimax finds, and what it claims is so."""

import pytest

from counterplay import games, native, search
from counterplay.search import BestFirst, Limits
from tests.random_tree import RandomTree

TIC_TAC_TOE = games.load("tic_tac_toe")


@pytest.mark.parametrize("is_descent", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_value_is_that_of_minimax(seed, is_descent):
    game = RandomTree(height=5)
    s = game.State(0, 0, seed)
    with native.interpreted():
        truth = search.minimax(game, s)
        found = search.best_first(game, s, descent=is_descent)
        assert found.proven
        assert found.stopped == "solved"
        assert found.values == truth.values
        every = BestFirst(game, descent=is_descent).search(s, multi=99)
    values = {each.action: each.value for each in truth.actions}
    assert all(each.proven and each.value == values[each.action] for each in every.actions)


@pytest.mark.parametrize("is_descent", [False, True])
def test_compiled_and_interpreted_grow_the_same_tree(is_descent):
    def grown():
        found = search.best_first(TIC_TAC_TOE, simulations=40, descent=is_descent)
        return found.value, found.line, found.nodes, [(each.value, each.visits) for each in found.actions]

    compiled = grown()
    with native.interpreted():
        assert grown() == compiled


def test_it_follows_the_best_line_until_it_is_no_longer_the_best():
    """After one iteration the root has its children; each further one goes into the best of all that is known."""
    with native.interpreted():
        engine = BestFirst(TIC_TAC_TOE)
        first = engine.search(None, Limits(simulations=1))
        assert (first.nodes, first.depth) == (10, 1)
        assert first.value == max(
            TIC_TAC_TOE.evaluate(TIC_TAC_TOE.result(TIC_TAC_TOE.initial(), a), 0) for a in range(9)
        )
        second = engine.search(None, Limits(simulations=2))
        assert [each.visits for each in second.actions if each.action == first.action] == [1]


def test_a_descent_goes_to_the_end_of_the_game():
    with native.interpreted():
        one = search.best_first(TIC_TAC_TOE, simulations=1, descent=True)
    assert one.depth >= 5
    assert one.settings["descent"]


def test_a_full_memory_ends_the_search():
    game = games.load("connect_four")
    with native.interpreted():
        found = search.best_first(game, memory_mb=0.01)
    assert found.stopped == "memory"
    assert found.action is not None
    assert not found.proven


def test_a_repetition_is_a_draw():
    """A lone rook cannot win by going back and forth: with nothing but repetitions below, all is a draw."""
    chess = games.load("chess")
    here = chess.at(position="7k/8/8/8/8/8/8/K7 w - - 0 1")
    with native.interpreted():
        found = search.best_first(here, simulations=30)
    assert found.value == 0.0


def test_games_with_dice_are_refused():
    with pytest.raises(search.Unsuited, match="without chance"):
        search.best_first(games.load("pig"))


def test_one_player_is_enough():
    class Climb(RandomTree):
        players = 1

        def player(self, s):
            return 0

    game = Climb(height=4)
    with native.interpreted():
        assert search.best_first(game).values == search.minimax(game).values
