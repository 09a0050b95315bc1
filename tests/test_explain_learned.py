"""What a model sees: the parts of its opinion, in words and on the board; and all that is known of a model."""

import json
import sys
from math import log

import numpy as np
import pytest

from counterplay import analysis, games, learn, native
from counterplay.core.drawing import board_text
from counterplay.study.analysis.learned import Part, adds_up, drawn, parts

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


def log_odds(game, s):
    """Of what the estimate for player 0 is, on the way from the worst to the best."""
    low, high = game.utility_range
    share = (game.evaluate(s, 0) - low) / (high - low)
    return log(share / (1 - share))


@pytest.mark.parametrize("moves", ["f5", "f5 d6", "f5 d6 c3 d3 c4"])
def test_the_parts_of_a_sum_add_up_to_its_opinion_whoever_moves(moves):
    game = games.load("othello")
    by_terms = learn.Linear(game, features="terms")
    by_terms.weights["weights"][:] = np.linspace(0.5, -0.3, by_terms.inputs)
    for model in (learn.shipped(game), by_terms):
        clever = game.with_model(model)
        assert adds_up(model)
        s = clever.at(moves).state
        found = parts(clever, s)
        assert sum(part.value for part in found) == pytest.approx(log_odds(clever, s), abs=1e-5)
    assert [part.name for part in found] == [*game.terms(s)._fields, "always"]


def test_what_a_network_would_miss_is_what_it_thinks_without_it():
    game = games.load("othello")
    model = learn.Network(game, hidden=16, seed=3)
    clever = game.with_model(model)
    assert not adds_up(model)
    s = clever.at("f5").state
    found = {part.name: part.value for part in parts(clever, s)}
    assert found.keys() == {"Black d5", "Black e4", "Black e5", "Black f5", "White d4"}
    square = game.square(3, 3)  # d4, which is White's, who is to move
    without = s._replace(mine=s.mine.remove(square))
    assert found["White d4"] == pytest.approx(clever.evaluate(s, 0) - clever.evaluate(without, 0), abs=1e-6)


def test_inputs_have_names():
    kalah, four = games.load("kalah"), games.load("connect_four")
    assert kalah.feature_name(kalah.initial(), 0) == "pits[0]"
    assert kalah.feature_name(kalah.initial(), 14 * 33) == "turn"
    assert kalah.feature_name(kalah.initial(), 15 * 33 + 40) == "pits[1]"  # the other player's view
    assert four.feature_name(four.initial(), 7) == "input 7"
    backgammon = games.load("backgammon")
    s = backgammon.at("31 8/5 6/5").state  # the other one is to throw
    names = {backgammon.feature_name(s, i) for i in range(backgammon.inputs)}
    assert {"X point 6", "O point 24", "X bar", "O off"} <= names
    assert len(names) == 2 * 26
    checkers = games.load("checkers")
    s = checkers.at("11-15").state
    on = {part.name for part in parts(checkers.with_model(learn.Linear(checkers)), s)}
    assert {"men", "mobility", "white man on 21", "black man on 15", "always"} <= on
    assert "black man on 11" not in on
    nim = games.load("nim:heaps=1,2")
    table = nim.with_model(learn.Linear(nim, features="table"))
    assert [part.name for part in parts(table, nim.initial())] == ["the whole position", "always"]


@pytest.mark.parametrize(
    ("name", "moves"), [("checkers", "11-15"), ("checkers", "11-15 22-18"), ("connect_four", "4 4"), ("othello", "f5")]
)
def test_squares_are_where_the_board_has_them(name, moves):
    game = games.load(name)
    s = game.at(moves).state
    board = game.board(s)
    for plane, whose in zip(game.planes(s), "mmtt" if name == "checkers" else "mt", strict=True):
        mover = game.board(s)  # what stands there is the mover's, or not
        for square in plane:
            place = game.place(s, square)
            piece = board[place.row][place.column]
            sides = {"checkers": "bw", "connect_four": "xo", "othello": "xo"}[name]
            assert mover[place.row][place.column].lower() == sides[game.player(s) ^ (whose == "t")], (place, piece)
    assert game.place(s, 10**6 if name != "checkers" else 0) is None or name == "checkers"


def test_patterns_are_named_by_their_squares_and_drawn_on_the_board():
    game = games.load("othello")
    clever = game.with_model(learn.shipped(game))
    s = clever.at("f5 d6").state
    found = {part.name: part for part in parts(clever, s)}
    assert len(found) == learn.shipped(game).instances + 1
    assert {"a1-h1 b2 g2", "a1-a8 b2 b7", "a1-h8", "h1-a8", "a1-c1 a2-c2 a3-c3"} <= found.keys()
    text = drawn(clever, s, [found["a1-h8"], Part("always", 1.0)], sign=-1.0)
    first, *lines = text.splitlines()
    assert first == f"{-found['a1-h8'].value:+.2f}"
    board = [[cell if r == c else " " for c, cell in enumerate(row)] for r, row in enumerate(game.board(s))]
    assert "\n".join(lines) == board_text(board, *game.labels())
    several = drawn(clever, s, list(found.values()))
    assert len(several.splitlines()) == 10
    assert several.splitlines()[0].count(".") == 3
    assert drawn(clever, s, [Part("always", 1.0)]) == ""
    assert parts(game, s) == []


def test_explain_tells_what_the_model_sees(counterplay, answer, monkeypatch):
    module = sys.modules[analysis.Explanation.__module__]  # `analysis.explain` is the function
    monkeypatch.setattr(module, "_two_plies_more", lambda *_: (None, None))  # it takes long, interpreted
    arguments = ("explain", "othello", "--moves", "f5 d6 c3", "--depth", 1)
    told = answer(*arguments)
    assert told["terms_add_up"]
    assert told["terms"][-1]["name"] == "all others" or len(told["terms"]) == 9
    assert {"name", "squares", "value"} == told["patterns"][0].keys()
    odds = [log((1 + told[which]["value"]) / (1 - told[which]["value"])) for which in ("chosen", "other")]
    assert sum(term["difference"] for term in told["terms"]) == pytest.approx(odds[0] - odds[1], abs=1e-4)
    _, out, _ = counterplay(*arguments)
    assert "in all, in the logarithm of the odds." in " ".join(out.split())
    assert f"the first patterns of these, at the end of the line of {told['chosen']['action_name']}:" in out
    by_terms = ("explain", "backgammon", "--moves", "31", "--move", "13/9", "--depth", 1)
    assert {term["name"] for term in answer(*by_terms)["terms"]} <= set(games.load("backgammon").weights._fields)
    _, out, _ = counterplay(*by_terms, "--model", "shipped")
    assert "O point 5" in out
    assert "without each; that does not add up.)" in " ".join(out.split())
    assert "patterns" not in answer("explain", "othello", "--depth", 1, "--without", "model")


def test_an_explanation_knows_its_model():
    game = games.load("othello")
    model = learn.shipped(game)
    found = analysis.explain(game.with_model(model), depth=1)
    assert found.model is model
    assert all(part.places for part in found.patterns())
    assert analysis.explain(game, depth=1).model is None
    assert analysis.explain(game, depth=1).patterns() == []


# ---- all about one model


def test_models_tells_all_about_one(counterplay, answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, _ = counterplay("models", "othello")
    assert status == 0
    first, second, third, *_ = out.splitlines()
    assert first.startswith("othello.safetensors: patterns for othello, shapes ")
    assert second.startswith("taken by default: ")
    trained = learn.shipped(games.load("othello")).pedigree[0]
    assert third.startswith(f"1. {trained['recipe']}, {trained['played']:,} games, rate {trained['rate'][0]:g} to ")
    assert "points against r random moves" in out
    told = answer("models", "othello")
    assert (told["game"], told["kind"], told["trained"][0]["recipe"]) == ("othello", "patterns", trained["recipe"])
    assert told["stronger"]
    nim = games.load("nim:heaps=1,2")
    learn.save(learn.Linear(nim), "mine.safetensors")
    assert answer("models", "mine.safetensors")["stronger"] is None
    assert (
        counterplay("models", "mine.safetensors")[1] == "mine.safetensors: linear for nim:heaps=(1,2), features own\n"
    )


@pytest.mark.parametrize(
    ("trained", "says"),
    [
        ([{"played": 3, "rate": "fast"}], "tells nothing sensible of how it was trained"),
        ([{"played": 3, "curve": [{"shares": {"random": 0.5}, "x": 1}]}], "tells nothing sensible of how it was"),
        ([{"played": 3, "curve": [{"x": 1}]}], "is no model of Counterplay"),
        ([{"played": 3, "curve": [5]}], "is no model of Counterplay"),
        ([{"played": "many"}], "is no model of Counterplay"),
        ("long", "is no model of Counterplay"),
    ],
)
def test_a_file_that_tells_nonsense_is_one_line(counterplay, tmp_path, monkeypatch, trained, says):
    monkeypatch.chdir(tmp_path)
    model = learn.Linear(games.load("nim:heaps=1,2"))
    model.pedigree = json.loads(json.dumps(trained))
    learn.save(model, "odd.safetensors")
    status, _, err = counterplay("models", "odd.safetensors")
    assert status == 2
    assert len(err.splitlines()) == 1
    assert says in err
    assert counterplay("models")[0] == 0
