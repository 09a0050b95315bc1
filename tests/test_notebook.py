"""What positions, results and trees show in a notebook."""

import xml.etree.ElementTree as ET
from typing import NamedTuple

import pytest

from counterplay import Game, games, native, search, trees
from counterplay.games.tree import Tree
from tests.small_games import Nim

pytestmark = pytest.mark.long

SVG = "{http://www.w3.org/2000/svg}"


class Brackets(Game):
    """Names that a page would take for its own."""

    compiled = False

    class State(NamedTuple):
        over: int

    def initial(self):
        return self.State(0)

    def player(self, s):
        return 0

    def actions(self, s):
        return range(2 if s.over == 0 else 0)

    def result(self, s, a):
        return self.State(1 + a)

    def is_terminal(self, s):
        return s.over > 0

    def utility(self, s, p):
        return (s.over - 1.5) * (1 if p == 0 else -1)

    def action_name(self, s, a):
        return ("<script>", "a & b")[a]


def parsed(result):
    return ET.fromstring(f"<div>{result._repr_html_()}</div>")


def table_of(result):
    return [[cell.text for cell in row] for row in parsed(result).iter("tr")]


def test_a_result_shows_the_board_the_moves_and_the_line():
    game = games.load("tic_tac_toe")
    here = game.at("b2")
    result = search.alphabeta(game, here.state, multi=9)
    shown = parsed(result)
    rows = table_of(result)
    assert rows[0] == ["move", "value"]
    assert rows[1] == [result.action_name, "draw"]
    told = {0.0: "draw", 8.0: "loss"}  # MIN moves
    values = [[game.action_name(here.state, each.action), told[each.value]] for each in result.actions]
    assert sorted(rows[1:]) == sorted(values)
    assert [value for _, value in rows[1:]] == sorted(value for _, value in values)  # the best first
    assert shown.find(".//caption").text == "values are for O, in lines"
    (board,) = shown.iter(f"{SVG}svg")
    assert ET.tostring(board) == ET.tostring(ET.fromstring(here.after(result.action)._repr_svg_()))
    assert sum(each.get("fill") == "#f2c230" for each in board.iter(f"{SVG}rect")) == 1  # the move is marked
    assert shown.find("p").text == f"alphabeta: {result}"
    assert "line 1... " in shown.find("p").text


def test_bounds_are_said_to_be_bounds():
    result = search.alphabeta(Tree("[[3,12,8],[2,4,6],[14,5,2]]"), without=["all"])
    assert table_of(result)[1:] == [["1", "3"], ["2", "at most 2"], ["3", "at most 2"]]


def test_a_bound_that_says_nothing_is_not_said():
    nim = Nim(heap=3)
    result = search.alphabeta(nim)
    assert [(result.worth_of(each)) for each in result.actions] == [("?", "not needed")] * 2 + [("win in 1", "best")]
    assert table_of(result)[1:] == [["3", "win in 1"], ["1", "?"], ["2", "?"]]
    assert str(result).startswith("3, win in 1 for player 1 (exact), line 3, ")


def test_names_are_escaped():
    result = search.minimax(Brackets())
    assert "<script>" not in result._repr_html_()
    assert table_of(result)[1:] == [["a & b", "0.5"], ["<script>", "-0.5"]]


def test_a_page_has_its_own_colours():
    """Upon a dark page the text is light; only boards bring their paper with them."""
    shown = parsed(search.minimax(Brackets()))
    assert not any("color" in (each.get("style") or "") for each in shown.iter())


def test_three_players_and_the_end_of_a_game():
    with native.interpreted():
        game = games.load("pig:players=3")
        three = search.maxn(game, game.at("roll 3").state, depth=2)
        over = search.alphabeta(ttt := games.load("tic_tac_toe"), ttt.from_text("xxx/oo./..."))
    assert all(len(value.split(", ")) == 3 for _, value in table_of(three)[1:])
    assert table_of(over) == [["move", "value"]]
    assert "win for X (exact)" in parsed(over).find("p").text


def test_a_tree_draws_itself():
    found = trees.trace(Tree("[[3,12,8],[2,4,6],[14,5,2]]"))
    assert found._repr_svg_() == trees.svg(found)
    texts = "".join(ET.fromstring(found._repr_svg_()).itertext())
    assert "MIN here is ≤ 2, MAX already has 3" in texts
