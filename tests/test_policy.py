"""Policies: minimax's cannot be improved nor hurt, bad ones are found out, and what is too large is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CHANCE, IllegalAction, UserError, games, search
from counterplay.games.tree import Tree
from counterplay.search.plain.maxn import maxn
from counterplay.search.policy import (
    Policy,
    best_response,
    minimax_policies,
    no_gain_by_deviating,
    value_of,
    worst_case,
)
from tests.small_games import OnePlayer
from tests.test_maxn import any_game
from tests.test_search import tree

pytestmark = pytest.mark.long


def first(game):
    """The policy that plays the first action it sees."""
    return lambda s: next(iter(game.actions(s)))


def reachable(game, s):
    seen, rest = {s}, [s]
    for t in rest:
        for a in () if game.is_terminal(t) else game.actions(t):
            after = game.result(t, a)
            if after not in seen:
                seen.add(after)
                rest.append(after)
    return seen


# ---- two opponents


@pytest.mark.parametrize("name", ["tic_tac_toe", "nim", "nim:heaps=[2,3],misere=true", "bins", "bins:coin=true"])
def test_minimax_policies_cannot_be_improved_and_cannot_be_hurt(name):
    game = games.load(name)
    policies = minimax_policies(game)
    report = no_gain_by_deviating(game, policies)
    value = search.minimax(game).value
    assert report
    for each, v in zip(report.players, (value, -value), strict=True):
        assert each.value == each.best_response == each.worst_case == v
        assert not each.gains  # leaving its policy can only lose
        assert not each.is_exposed  # the other's leaving can only gain


def test_they_say_what_to_do_in_every_state():
    game = games.load("nim:heaps=[1,2,2]")
    policies = minimax_policies(game)
    for s in reachable(game, game.initial()):
        if not game.is_terminal(s):
            p = game.player(s)
            assert s in policies[p]
            assert s not in policies[1 - p]
            best = search.minimax(game, s)
            assert search.minimax(game, game.result(s, policies[p][s])).value == best.value
            assert policies[p][s] == best.action


def test_a_bad_policy_is_found_out():
    """x puts its marks from the first square on; o, if it knows that, stops it and wins."""
    game = games.load("tic_tac_toe")
    good = minimax_policies(game)
    bad = first(game)
    report = no_gain_by_deviating(game, (bad, bad))
    assert not report
    x, o = report.players
    assert (x.value, x.gains, x.is_exposed) == (8.0, False, True)  # it wins only as long as o is no better
    assert (o.value, o.best_response, o.gains) == (-8.0, 8.0, True)
    text = str(report).splitlines()
    assert text[0] == "player 0: value 8, no gain by deviating, others can push it to -8"
    assert text[1] == "player 1: value -8, gains 16 by deviating, others cannot push it lower"
    assert worst_case(game, (bad, good[1]), 0) == -8.0
    assert best_response(game, (bad, good[1]), 1) == 8.0


def test_against_minimax_any_deviation_only_gains():
    game = games.load("nim:heaps=[2,3]")
    good = minimax_policies(game)
    value = search.minimax(game).value
    last = {s: list(game.actions(s))[-1] for s in reachable(game, game.initial()) if not game.is_terminal(s)}
    for other in (first(game), last, good[1]):
        assert value_of(game, (good[0], other), 0) >= value
    for other in (first(game), last, good[0]):
        assert value_of(game, (other, good[1]), 0) <= value


@settings(max_examples=200, deadline=None, derandomize=True)
@given(tree, st.integers(0, 10**6))
def test_so_it_is_in_every_tree_and_against_every_policy(text, seed):
    game = Tree(text)
    value = search.minimax(game).value
    good = minimax_policies(game)
    some = {
        s: list(game.actions(s))[(seed + s.node) % len(list(game.actions(s)))]
        for s in reachable(game, game.initial())
        if not game.is_terminal(s) and game.player(s) != CHANCE
    }
    assert no_gain_by_deviating(game, good)
    assert value_of(game, good, 0) == pytest.approx(value, abs=1e-9)
    assert value_of(game, (some, good[1]), 0) <= value + 1e-9 <= value_of(game, (good[0], some), 0) + 2e-9
    report = no_gain_by_deviating(game, (some, some))
    for p, each in enumerate(report.players):
        assert each.worst_case <= each.value + 1e-9 <= each.best_response + 2e-9
        assert each.best_response >= (value, -value)[p] - 1e-9  # nobody can be kept below the value
    exposed = [each.is_exposed for each in report.players]
    assert [each.gains for each in report.players] == exposed[::-1]  # what one can gain is what the other can lose


# ---- any number of players


@settings(max_examples=100, deadline=None, derandomize=True)
@given(any_game)
def test_maxn_is_an_equilibrium_of_any_tree(game):
    policies = [Policy(maxn, game)] * game.players
    report = no_gain_by_deviating(game, policies)
    assert report
    assert [each.value for each in report.players] == pytest.approx(maxn(game).values, abs=1e-9)


def test_one_player_can_only_deviate_from_what_is_best():
    game = OnePlayer()
    assert no_gain_by_deviating(game, minimax_policies(game))
    report = no_gain_by_deviating(game, [first(game)])
    assert (report.players[0].value, report.players[0].best_response) == (1.0, 4.0)


def test_chance_counts_by_its_probabilities():
    game = Tree("max[chance[0.9*10,0.1*min[-50,0]],3]")
    policies = minimax_policies(game)
    assert value_of(game, policies, 0) == 4.0
    careless = {game.State(4): 1}  # min gives 0 instead of -50
    assert value_of(game, (policies[0], careless), 0) == best_response(game, (None, careless), 0) == 9.0
    assert no_gain_by_deviating(game, (policies[0], careless)).players[1].gains


# ---- searches as policies


def test_a_search_is_a_policy():
    game = games.load("tic_tac_toe")
    policy = Policy(search.minimax, game, depth=2)
    assert game.action_name(game.initial(), policy(game.initial())) == "b2"
    assert repr(policy) == "Policy(minimax, TicTacToe(m=3, n=3, k=3), depth=2)"
    over = game.at("a1 b1 a2 b2 a3").state
    with pytest.raises(UserError, match=r"nobody is to move at x\.\./xo\./xo\."):
        policy(over)


def test_a_search_can_remember():
    game, asked = Tree(), []

    def counting(game, s):
        asked.append(s)
        return search.minimax(game, s)

    for policy, times in ((Policy(counting, game), 3), (Policy(counting, game, remember=True), 1)):
        asked.clear()
        assert [policy(game.initial()) for _ in range(3)] == [0, 0, 0]
        assert len(asked) == times


def test_searches_dicts_and_functions_play_each_other():
    game = games.load("nim:heaps=[1,2,3]")  # the first player has lost
    solver = Policy(search.minimax, game)
    report = no_gain_by_deviating(game, (minimax_policies(game)[0], solver))
    assert report
    assert report.players[1].value == 1.0
    assert not no_gain_by_deviating(game, (solver, first(game)))


# ---- what is refused


def test_too_large_and_endless_games_are_refused():
    with pytest.raises(UserError, match="connect_four has more than 2,000 states"):
        minimax_policies(games.load("connect_four"), most_states=2000)
    pig = games.load("pig")
    with pytest.raises(UserError, match="a position of pig can come again"):
        minimax_policies(pig)
    with pytest.raises(UserError, match="tic_tac_toe has more than 10 states"):
        best_response(games.load("tic_tac_toe"), (None, first(games.load("tic_tac_toe"))), 0, most_states=10)


def test_policies_that_are_none():
    game = Tree([[3, 12], [2, 4]])
    with pytest.raises(UserError, match="the policy of player 0 has no action for node=0"):
        value_of(game, ({}, {}), 0)
    with pytest.raises(IllegalAction, match="the policy of player 1 gives 7 at node=1, which is not legal"):
        best_response(game, ({}, lambda s: 7), 0)
    with pytest.raises(UserError, match="2 players"):
        no_gain_by_deviating(game, ({},))
    with pytest.raises(UserError, match="player 2"):
        best_response(game, ({}, {}), 2)
    with pytest.raises(search.Unsuited, match="use maxn"):
        minimax_policies(games.load("pig:players=3"))
    with pytest.raises(search.Unsuited, match="a policy needs moves in turn"):
        value_of(type("Hidden", (OnePlayer,), {"perfect_information": False})(), [{}], 0)
