"""Ratings: known answers, what simulated players are found to be, errors that hold what they promise."""

import json
from math import exp, log10, sqrt

import numpy as np
import pytest

from counterplay import UserError
from counterplay.arena import ratings
from counterplay.arena.ratings import ELO, _likelihood
from counterplay.core.randomness import new_random, unit


def test_two_players_differ_by_the_elo_of_their_score():
    found = ratings(["a", "b"], [(0, 1, 1.0)] * 75 + [(1, 0, 1.0)] * 25, anchor="b")
    a, b = found.players
    assert (a.elo, b.elo) == (pytest.approx(400 * log10(3)), 0.0)
    assert (a.points, a.games, b.points, b.games) == (75, 100, 25, 100)
    # Of a share p of n games the logistic curve has the standard error 1 / sqrt(n p (1 - p)).
    assert a.error == pytest.approx(ELO / sqrt(100 * 0.75 * 0.25))
    assert (b.error, a.within) == (pytest.approx(0, abs=1e-6), 1.96 * a.error)
    assert (found.draws, found.is_bounded) == (0.0, True)
    middle = ratings(["a", "b"], [(0, 1, 1.0)] * 75 + [(0, 1, 0.0)] * 25).players
    assert [each.elo for each in middle] == pytest.approx([a.elo / 2, -a.elo / 2])
    assert [each.error for each in middle] == pytest.approx([a.error / 2, a.error / 2])


def test_draws_are_those_of_davidson():
    # One pair: three outcomes, two parameters, so that the fit is exact: d = log(wins / losses), ν = draws / sqrt(...).
    found = ratings(["a", "b"], [(0, 1, 1.0)] * 50 + [(0, 1, 0.5)] * 30 + [(0, 1, 0.0)] * 20, anchor="b")
    assert found.players[0].elo == pytest.approx(400 * log10(50 / 20))
    nu = 30 / sqrt(50 * 20)
    assert found.draws == pytest.approx(nu / (2 + nu))


def test_the_information_is_the_second_derivative():
    rng = np.random.default_rng(1)
    wins, drawn = rng.integers(0, 9, (4, 4)).astype(float), rng.integers(0, 9, (4, 4)).astype(float)
    np.fill_diagonal(wins, 0)
    draws = np.triu(drawn, 1) + np.triu(drawn, 1).T
    at, step = rng.normal(size=5), 1e-5
    _, slope, information = _likelihood(at, wins, draws, True)
    for i in range(5):
        ahead, behind = (_likelihood(at + sign * step * np.eye(5)[i], wins, draws, True) for sign in (1, -1))
        assert slope[i] == pytest.approx((ahead[0] - behind[0]) / (2 * step), abs=1e-4)
        assert information[i] == pytest.approx(-(ahead[1] - behind[1]) / (2 * step), abs=1e-4)


def thrown(strengths, nu, rounds, seed):
    """Games of everybody with everybody, by Davidson's model."""
    random, games = new_random(seed), []
    for _ in range(rounds):
        for one in range(len(strengths)):
            for other in range(one):
                d = (strengths[one] - strengths[other]) / ELO / 2
                total = exp(d) + nu + exp(-d)
                x = unit(random) * total
                games.append((one, other, 1.0 if x < exp(d) else 0.5 if x < exp(d) + nu else 0.0))
    return games


def test_simulated_players_are_found_within_the_errors():
    true = [150.0, 60.0, 0.0, -40.0, -170.0]
    inside = total = 0
    for seed in range(40):
        found = ratings(list("abcde"), thrown(true, 0.8, 20, seed))
        inside += sum(abs(each.elo - elo) < each.within for each, elo in zip(found.players, true, strict=True))
        total += len(true)
    assert 0.90 < inside / total < 0.99  # 95 of 100
    many = ratings(list("abcde"), thrown(true, 0.8, 1500, 1), anchor="c")
    assert [each.elo for each in many.players] == pytest.approx(true, abs=15)
    assert many.draws == pytest.approx(0.8 / 2.8, abs=0.02)
    assert [each.name for each in many.ranked()] == list("abcde")


@pytest.mark.parametrize("games", [[(0, 1, 1.0)] * 6, [(0, 1, 0.5)] * 6])
def test_where_games_decide_nothing_a_rating_stays_finite_and_says_so(games):
    found = ratings(["a", "b"], games)
    assert not found.is_bounded
    assert all(abs(each.elo) < 1000 and each.error < 1000 for each in found.players)
    assert found.players[0].points == sum(points for *_, points in games)
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["bounded"] is False


def test_what_cannot_be_rated_is_refused():
    with pytest.raises(UserError, match="connect all players"):
        ratings(["a", "b", "c", "d"], [(0, 1, 1.0), (2, 3, 0.0)])
    with pytest.raises(UserError, match="no player 'x' to measure by; there are: a, b"):
        ratings(["a", "b"], [(0, 1, 1.0)], anchor="x")
    for game in ((0, 0, 1.0), (0, 2, 1.0), (0, 1, 0.7)):
        with pytest.raises(UserError, match="is no game"):
            ratings(["a", "b"], [game])
