"""What a click on a board means, found from the rules alone."""

import pytest

from counterplay import games
from counterplay.apps.studio.board import clicks, moves, picture, steps
from counterplay.core.game import listed_actions
from counterplay.core.randomness import new_random, word


def ways(game, position=None, played=()):
    """By the names of the moves: the clicks, in the names of cells."""
    loaded = games.load(game)
    here = loaded.at(played, position)
    columns, rows = loaded.labels()
    return {
        each["name"]: [[f"{columns[c]}{rows[r]}" for r, c in way] for way in each["clicks"]]
        for each in moves(loaded, here.state)
    }


def test_a_piece_is_clicked_and_then_where_it_goes():
    found = ways("chess")
    assert found["e4"] == [["e2", "e4"]]
    assert found["Nf3"] == [["g1", "f3"]]
    assert ways("breakthrough")["a7a6"] == [["a7", "a6"]]


def test_castling_is_the_kings_move_where_the_rook_can_go_there_itself():
    found = ways("chess", "4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert found["O-O"] == [["e1", "g1"]]
    assert found["Rf1"] == [["h1", "f1"]]
    assert found["Kf1"] == [["e1", "f1"]]


def test_a_pawn_that_becomes_something_else_has_been_moved():
    found = ways("chess", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    assert {name for name, way in found.items() if way == [["a7", "a8"]]} == {"a8=Q+", "a8=R+", "a8=B", "a8=N"}
    assert ways("chess", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")["exd6"] == [["e5", "d6"]]


def test_what_is_captured_on_the_way_is_not_clicked():
    game = games.load("checkers")
    jumps = [each for each in moves(game, game.at("11-15 22-18").state) if "x" in each["name"]]
    assert jumps
    assert all(len(way) == 2 for each in jumps for way in each["clicks"])
    found = ways("go:size=5", played="A1 B1 E5 A2")  # a stone in the corner is taken; the next move is elsewhere
    assert found["C3"] == [["C3"]]
    assert found["pass"] == []


def test_stones_are_put_down_by_one_click():
    assert ways("othello")["d3"] == [["d3"]]
    assert ways("tic_tac_toe")["b2"] == [["b2"]]
    assert ways("go:size=5", played="A2 A1 E5 E4")["B1"] == [["B1"]], "the stone that is captured was not clicked"


def test_a_click_anywhere_in_a_column_drops_a_disc_and_only_there():
    four, three = games.load("connect_four"), games.load("tic_tac_toe")
    assert [each["column"] for each in moves(four, four.initial())] == list(range(7))
    last = three.at("a3 b3 c3 a1 b1 c1 a2 c2").state  # one cell is left, and still no column is meant
    assert all("column" not in each for each in moves(three, last))


def test_games_without_a_board_have_names():
    kalah = games.load("kalah")
    assert moves(kalah, kalah.initial())[0] == {"name": "a", "clicks": []}
    assert "svg" not in picture(kalah, kalah.initial())
    assert "cells" not in picture(games.load("backgammon"), games.load("backgammon").initial())
    shown = picture(games.load("chess"), games.load("chess").initial())
    assert shown["cells"][0] == "rnbqkbnr"
    assert shown["svg"].startswith("<svg")


def test_plays_of_backgammon_are_steps_from_point_to_point():
    game = games.load("backgammon")
    here = game.at("31")
    spots = game.spots(here.state)
    assert set(spots) == {*map(str, range(1, 25)), "bar", "off"}
    assert all(left >= 0 and left + width <= 1.001 and top + height <= 1 for left, top, width, height in spots.values())
    found = {each["name"]: each["steps"] for each in moves(game, here.state)}
    assert found["8/5 6/5"] == [["8", "5"], ["6", "5"]]
    assert steps("13/10(2) 8/5*/2", spots) == [["13", "10"]] * 2 + [["8", "5"], ["5", "2"]]
    assert steps("bar/22 6/off", spots) == [["bar", "22"], ["6", "off"]]
    assert steps("pass", spots) == steps("13/77", spots) == []
    assert games.load("pacman").spots(None) == {}


def test_a_board_that_changes_nowhere_has_no_clicks():
    assert clicks(["ab"], ["ab"]) == ([], 0)
    assert clicks(["a."], [".a"]) == ([[(0, 0), (0, 1)]], 2)
    assert clicks(["a."], ["ab"]) == ([[(0, 1)]], 1)
    assert clicks(["ab"], [".."]) == ([[(0, 0)], [(0, 1)]], 2), "what is taken away is clicked"


@pytest.mark.parametrize("name", games.names())
def test_every_move_of_a_random_game_can_be_made(name):
    """The page plays a move whose clicks no other has, and offers a choice of names between those that share them."""
    game, random = games.load(name), new_random(5)
    s = game.initial()
    for _ in range(12):
        if game.is_terminal(s):
            break
        actions = listed_actions(game, s)
        found = moves(game, s)
        assert [each["name"] for each in found] == [game.action_name(s, a) for a in actions]
        for each in found:
            assert all(1 <= len(way) <= 2 for way in each["clicks"])
        s = game.result(s, actions[word(random) * len(actions) >> 32])
