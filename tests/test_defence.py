"""Playing on when all is lost: for discs in Othello, for points in Go."""

import pytest

from counterplay import games, native, search
from counterplay.arena import new_player
from counterplay.arena.defence import is_lost
from counterplay.games.go import Go
from counterplay.games.othello import Othello

pytestmark = pytest.mark.long

GAME, DISCS = Othello(size=4), Othello(size=4, margin=True)


def late_positions(number):
    """The states of random games with six empty squares left."""
    for seed in range(number):
        random, states = search.new_random(seed), [GAME.initial()]
        while not GAME.is_terminal(states[-1]) and len(states[-1].mine | states[-1].theirs) < 10:
            a = search.random_action(GAME, states[-1], random)
            states.append(GAME.result(states[-1], a))
        if not GAME.is_terminal(states[-1]):
            yield states


@pytest.mark.parametrize("text", ["alphabeta:depth=12", "level:10"])
def test_a_lost_othello_is_defended_for_the_most_discs(text):
    lost = better = 0
    with native.interpreted():
        for states in late_positions(12):
            s, p = states[-1], GAME.player(states[-1])
            alone = search.alphabeta(GAME, s)
            found = new_player(GAME, text).search(states)
            if not is_lost(alone):
                assert found.values[p] == alone.values[p]
                continue
            lost += 1
            discs = {a: search.minimax(DISCS, DISCS.result(s, a)).values[p] for a in GAME.actions(s)}
            assert discs[found.action] == max(discs.values()) == found.values[p]
            assert found.worth().endswith(f"discs for {GAME.player_names[p]}")
            better += discs[alone.action] < max(discs.values())
    assert lost > 3
    assert better > 0  # so it matters


def test_with_little_time_nothing_new_is_compiled():
    with native.interpreted():
        states = next(each for each in late_positions(12) if is_lost(search.alphabeta(GAME, each[-1])))
        player = new_player(GAME, "alphabeta:seconds=60")
        assert player.search(states).game == GAME
        player.prepare()
        assert player.search(states).game == DISCS


def test_nobody_else_plays_for_discs():
    assert DISCS.consolation() is None
    assert games.load("chess").consolation() is None
    assert Go(size=5, komi=0.5).consolation() == Go(size=5, komi=0.5, margin=True)


def test_points_of_go_are_what_counts_with_a_margin():
    game = Go(size=3, komi=2.5, margin=True)
    s = game.from_text("XXX/X.X/XXX O")
    plain = Go(size=3, komi=2.5)
    assert (plain.utility(s, 0), game.utility(s, 0), game.utility(s, 1)) == (1.0, 6.5 / 11.5, -6.5 / 11.5)
    assert game.in_units(game.utility(s, 0)) == pytest.approx(6.5)
    assert game.scored
    assert not plain.scored


@pytest.mark.slow
def test_go_keeps_its_eyes_when_it_has_lost():
    """White lives with two eyes, but is to give more points than there are; to fill an eye would lose all stones."""
    game = Go(size=5, komi=-24.5)
    s = game.from_text(".O.OX/OOOOX/XXXXX/X.X.X/.X.X. O")
    alone = search.mcts(game, s, simulations=20_000, seed=1)
    assert is_lost(alone)
    assert alone.action_name == "C5"
    found = new_player(game, "mcts:simulations=20000,seed=1").search([s])
    assert found.game == game.consolation()
    assert found.action_name == "pass"
