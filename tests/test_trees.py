"""Watched searches: the lectures' trees with their α, β, v and cuts; a watched search is the search itself."""

import json
import xml.etree.ElementTree as ET
from math import inf

import pytest
from hypothesis import given, settings

from counterplay import Position, UserError, games, native, search, trees
from counterplay.games.tree import Tree
from counterplay.search.run import new_tally
from counterplay.study.trees.draw import arrange
from tests.test_expectiminimax import any_tree
from tests.test_search import tree as two_player_tree


def test_the_two_ply_tree_as_in_the_lecture():
    """3 12 8 / 2 4 6 / 14 5 2: every α, β and v of the run, and the leaves 4 and 6 cut."""
    found = trees.trace(Tree("[[3,12,8],[2,4,6],[14,5,2]]"))
    assert (found.value, found.skipped) == (3, ["2 2", "2 3"])
    assert [visit.name for visit in found.line] == ["1", "1"]
    inner = [(v.kind, v.alpha, v.beta, v.value) for v in found.visits if not v.is_leaf]
    assert inner == [("max", -inf, inf, 3), ("min", -inf, inf, 3), ("min", 3, inf, 2), ("min", 3, inf, 2)]
    assert [v.value for v in found.visits if v.is_leaf] == [3, 12, 8, 2, 14, 5, 2]
    assert found.visits[6].reason == ""
    (cut,) = (step for step in found.steps if step.event == "cut")
    assert (cut.text, cut.alpha, cut.v) == ("MIN here is ≤ 2, MAX already has 3", 3, 2)
    at_the_root = [(step.alpha, step.beta, step.v) for step in found.steps if step.visit == 0]
    assert at_the_root == [(-inf, inf, -inf), *[(3, inf, 3)] * 4]
    third = [(step.event, step.beta, step.v) for step in found.steps if step.visit == 7]
    assert third == [("enter", inf, inf), ("back", 14, 14), ("back", 5, 5), ("back", 2, 2), ("leave", 2, 2)]


@pytest.mark.parametrize(
    ("text", "value", "skipped"),
    [
        ("[[10,8],[4,50]]", 8, ["2 2"]),
        ("[[3,5],[2,10]]", 3, ["2 2"]),
        ("[[2,10],[3,5]]", 3, []),
    ],
)
def test_the_small_examples(text, value, skipped):
    found = trees.trace(Tree(text))
    assert (found.value, found.skipped) == (value, skipped)


def test_bins_with_a_coin():
    found = trees.trace(games.load("bins:coin=true"), algorithm="star1")
    assert found.value == -2
    assert [(v.name, v.value) for v in found.root.children] == [("A", -27.5), ("B", -24.5), ("C", -2)]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(text=two_player_tree.filter(lambda text: "chance" not in text))
def test_a_trace_changes_neither_values_nor_counts(text):
    game = Tree(text)
    for algorithm in ("minimax", "alphabeta"):
        found = trees.trace(game, algorithm=algorithm)
        plain = search.minimax(game) if algorithm == "minimax" else search.alphabeta(game, without=["all"], depth=200)
        assert found.value == plain.value
        if algorithm == "minimax":
            assert len(found.visits) == plain.nodes
        seen = len(found.visits) + sum(len(visit.skipped) for visit in found.visits)
        assert len({visit.number for visit in found.visits}) == len(found.visits)
        assert seen <= len(game.nodes)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(text=any_tree)
def test_chance_is_watched_too(text):
    game = Tree(text)
    tally = new_tally(1000)
    from counterplay.search.plain.expectiminimax import STAR1, UNTRIED, How, value

    with native.interpreted():
        v = value(game, game.initial(), UNTRIED, -inf, inf, 1000, tally, How(STAR1))
    found = trees.trace(game, algorithm="star1", depth=1000)
    assert (found.value, len(found.visits)) == (v, tally.nodes)


def test_observing_ends_with_the_block():
    seen = []

    class Watcher:
        def enter(self, game, *args):
            seen.append(args[0])

        def leave(self, outcome):
            seen.append(outcome)

    from counterplay.search.plain.minimax import value

    game = Tree("[1,2]")
    with native.observed(value, Watcher()):
        value(game, game.initial(), 9, new_tally(9))
    value(game, game.initial(), 9, new_tally(9))
    assert seen == [(0,), (1,), 1.0, (2,), 2.0, 2.0]


def test_pictures_of_large_trees_show_the_upper_part():
    found = trees.trace(games.load("tic_tac_toe"), depth=4)
    assert len(found.visits) > 300
    root = arrange(found, 100)
    drawn = [node for node in root.all() if node.visit is not None]
    assert len(drawn) <= 100
    assert sum(node.folded for node in drawn) + len(drawn) == len(found.visits)
    ET.fromstring(trees.svg(found, 100))
    assert " more" in trees.text(found, 100)


@pytest.mark.slow
def test_what_cannot_be_watched_is_refused():
    with pytest.raises(UserError, match="'maxn' cannot be watched; these can: minimax"):
        trees.trace(games.load("nim"), algorithm="maxn")
    with pytest.raises(UserError, match="watch star1 or star2"):
        trees.trace(games.load("pig"))
    with pytest.raises(UserError, match="1 ply or more"):
        trees.trace(games.load("nim"), depth=0)
    with pytest.raises(UserError, match="states to watch; say a smaller depth"):
        trees.trace(games.load("tic_tac_toe"), algorithm="minimax", depth=7)


def test_the_command(counterplay, answer, tmp_path):
    status, out, _ = counterplay("tree", "tree")
    assert status == 0
    assert "not looked at: 2, 3 (MIN here is ≤ 2, MAX already has 3)" in out
    told = answer("tree", "tree:tree=[[10,8],[4,50]]")
    assert (told["value"], told["line"], len(told["visits"])) == (8, ["1", "2"], 6)
    assert told["visits"][0]["alpha"] is None
    picture, page = tmp_path / "tree.svg", tmp_path / "tree.html"
    status, out, _ = counterplay("tree", "nim:heaps=[1,2]", "--svg", picture, "--html", page)
    assert (status, out) == (0, "")
    ET.parse(picture)
    assert "http" not in page.read_text().replace("http://www.w3.org/2000/svg", "")  # needs nothing from elsewhere
    status, _, err = counterplay("tree", "nim", "--with", "luck")
    assert (status, "no refinement 'luck'" in err) == (2, True)


@pytest.mark.slow
def test_the_page_in_a_browser(new_page, tmp_path):
    """Forward to the cut, back again, to the end; nothing is wider than the window, on a screen and on a telephone."""
    found = trees.trace(Tree("[[3,12,8],[2,4,6],[14,5,2]]"))
    file = tmp_path / "tree.html"
    file.write_text(trees.page(found), encoding="utf-8")
    errors = []
    for width in (1280, 390):
        page = new_page(viewport={"width": width, "height": 900})
        page.on("pageerror", lambda error: errors.append(error))
        page.goto(file.as_uri())
        told = page.evaluate("steps")
        assert len(told) == len(found.steps)
        cut = next(i for i, step in enumerate(told) if step["event"] == "cut")
        for step_number, step in enumerate(told):
            shown = {name: page.inner_text(f"#{name}") for name in ("alpha", "beta", "v", "text")}
            assert shown == {name: step[name] for name in shown}
            hidden = page.eval_on_selector_all("g[data-skips]", "all => all.map(g => g.classList.contains('soon'))")
            assert hidden == [step_number < cut] * 7  # two branches, their names and ends, and the reason
            page.click("#forward")
        assert page.inner_text("#v") == "3"
        page.keyboard.press("ArrowLeft")
        assert page.inner_text("#count") == f"{len(told) - 1} of {len(told)}"
        page.click("#first")
        assert page.inner_text("#text") == "begin"
        page.click("#play")
        page.wait_for_function("at > 1")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert not errors
        page.close()
    assert json.loads(json.dumps(found.as_dict()))["value"] == 3


SEEN = "all => all.filter(g => getComputedStyle(g).visibility === 'visible').length"
OVERLAPS = """() => {
  const boxes = [...document.querySelectorAll("#tree text")].map((t) => [t.textContent, t.getBoundingClientRect()]);
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom - 2 <= b.top || b.bottom - 2 <= a.top;
  return boxes.flatMap(([t, a], i) => boxes.slice(i + 1).filter(([, b]) => !apart(a, b)).map(([u]) => [t, u]));
}"""


@pytest.mark.slow
def test_the_page_has_the_board_and_keeps_the_future_to_itself(new_page, tmp_path):
    game = games.load("tic_tac_toe")
    found = trees.trace(game, game.at("a1 b2 a2 a3 c1").state)
    file = tmp_path / "tree.html"
    file.write_text(trees.page(found), encoding="utf-8")
    page = new_page(viewport={"width": 1280, "height": 900})
    page.goto(file.as_uri())
    states = "[data-visit]"
    assert page.eval_on_selector_all(states, SEEN) == 1  # the root
    assert page.eval_on_selector_all("[data-skips]", SEEN) == 0
    page.check("#future")
    assert page.eval_on_selector_all(states, SEEN) == len(found.visits)
    page.uncheck("#future")
    page.click("#forward")
    first = found.root.children[0]
    board = Position(game, first.state)
    board.history = (found.root.state,)
    drawn = page.evaluate("boards[steps[at].visit]")
    assert drawn == board._repr_svg_()
    assert page.eval_on_selector_all("#board svg", "all => all.length") == 1
    is_blue = "document.querySelector('#tree.running') === null"
    assert not page.evaluate(is_blue)  # which line is best is not told before the end
    page.evaluate("show(steps.length)")
    assert page.evaluate(is_blue)
    assert page.eval_on_selector_all(states, SEEN) == len(found.visits)
    assert page.evaluate(OVERLAPS) == []
    before = page.evaluate("scale")
    page.click("#larger")
    assert page.evaluate("scale") > before
    page.click("#fit")
    assert page.evaluate("document.querySelector('#tree').scrollWidth <= document.querySelector('#tree').clientWidth")


@pytest.mark.slow
def test_names_do_not_overlap_however_long(new_page, tmp_path):
    game = games.load("backgammon")
    found = trees.trace(game, game.at("31").state, algorithm="star1", depth=1)
    file = tmp_path / "tree.html"
    file.write_text(trees.page(found), encoding="utf-8")
    page = new_page(viewport={"width": 1280, "height": 900})
    page.goto(file.as_uri())
    assert max(len(visit.name) for visit in found.visits) > 10
    assert page.evaluate(OVERLAPS) == []


def test_a_game_without_a_board_has_none_on_the_page():
    assert "const boards = {};" in trees.page(trees.trace(Tree("[[3,12,8],[2,4,6],[14,5,2]]")))
