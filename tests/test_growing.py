"""Monte Carlo tree search by the book, as it is shown: what it writes down, and where it leads."""

import pytest

from counterplay import games
from counterplay.core.errors import UserError
from counterplay.study.trees import Growth, grow

TWO_PLY = "tree:[[3,12,8],[2,4,6],[14,5,2]]"


def test_it_comes_to_the_move_of_minimax():
    found = grow(games.load(TWO_PLY), simulations=2_000, exploration=0.3)
    assert isinstance(found, Growth)
    assert found.best.name == "1"
    assert found.best.mean() == pytest.approx(3, abs=0.5)


def test_every_simulation_adds_a_node_until_the_tree_is_whole():
    found = grow(games.load(TWO_PLY), simulations=40)
    assert len(found.nodes) == 13
    assert [each.added for each in found.simulations[:3]] == [1, 2, 3], "each move at the root is tried once first"
    assert sum(each.added is not None for each in found.simulations) == 12
    root = found.nodes[0]
    assert root.visits == 40 == sum(child.visits for child in root.children.values())
    assert root.totals[0] == sum(each.values[0] for each in found.simulations)


def test_chance_goes_by_the_odds_and_several_players_have_their_own_values():
    chance = grow(games.load("tree:[chance[0.9*1,0.1*11],0]"), simulations=300)
    assert chance.best.kind == "chance"
    assert chance.best.mean() == pytest.approx(2, abs=0.7)
    three = grow(games.load("tree:p1[p2[(1,2,3),(4,0,0)],p3[(2,2,2),(0,0,9)]]"), simulations=200)
    assert three.best.name == "1"
    assert {node.kind for node in three.nodes} == {"p1", "p2", "p3", "end"}


def test_the_same_seed_grows_the_same_tree():
    game = games.load("tic_tac_toe")
    one, two, other = (grow(game, simulations=30, seed=seed).as_dict() for seed in (1, 1, 2))
    assert one == two != other


def test_what_cannot_grow_is_said():
    game = games.load("tic_tac_toe")
    with pytest.raises(UserError, match="1 to 2,000 simulations"):
        grow(game, simulations=0)
    with pytest.raises(UserError, match="over"):
        grow(game, game.at("a1 a2 b1 b2 c1").state)
