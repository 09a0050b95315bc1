"""Our rules against OpenSpiel's, an implementation by others: the same moves, ends and winners in every state."""

import random

import pytest

from counterplay import games, search

pytestmark = pytest.mark.long

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel (pip install 'counterplay[peers]')")

GAMES = 300

# Both number the squares of tic-tac-toe in reading order and the columns of Connect Four from the left, from 0.
NAMES = ["tic_tac_toe", "connect_four"]

# Random games of Connect Four hardly ever fill the board.
DRAWS = {"tic_tac_toe": "628037145", "connect_four": "331650114266141231434452363064260555520200"}


def sign(x):
    return (x > 0) - (x < 0)


def assert_same(game, s, theirs):
    """Both say the same of this state; the winner if it has ended. Utilities agree in sign, not in size."""
    where = str(theirs)
    assert game.is_terminal(s) == theirs.is_terminal(), where
    assert sorted(map(int, game.actions(s))) == sorted(theirs.legal_actions()), where
    if theirs.is_terminal():
        assert [sign(game.utility(s, p)) for p in range(2)] == [sign(r) for r in theirs.returns()], where
    else:
        assert game.player(s) == theirs.current_player(), where


@pytest.mark.parametrize("name", NAMES)
def test_random_games_are_the_same(name):
    game, rival = games.load(name), pyspiel.load_game(name)
    source, winners = random.Random(1), set()
    for _ in range(GAMES):
        s, theirs = game.initial(), rival.new_initial_state()
        assert_same(game, s, theirs)
        while not theirs.is_terminal():
            a = source.choice(theirs.legal_actions())
            s = game.result(s, a)
            theirs.apply_action(a)
            assert_same(game, s, theirs)
        winners.add(sign(theirs.returns()[0]))
    assert {-1, 1} <= winners


@pytest.mark.parametrize("name", NAMES)
def test_a_full_board_is_a_draw_in_both(name):
    game, rival = games.load(name), pyspiel.load_game(name)
    s, theirs = game.initial(), rival.new_initial_state()
    for a in map(int, DRAWS[name]):
        assert not theirs.is_terminal()
        s = game.result(s, a)
        theirs.apply_action(a)
        assert_same(game, s, theirs)
    assert theirs.is_terminal()
    assert theirs.returns() == [0.0, 0.0]


@pytest.mark.parametrize(("name", "depth"), [("tic_tac_toe", 7), ("connect_four", 5)])
def test_perft_is_the_same(name, depth):
    def lines(state, depth):
        if depth == 0:
            return 1
        return sum(lines(state.child(a), depth - 1) for a in state.legal_actions())

    start = pyspiel.load_game(name).new_initial_state()
    assert search.perft(games.load(name), depth=depth) == [lines(start, plies) for plies in range(depth + 1)]
