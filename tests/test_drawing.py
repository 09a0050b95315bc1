"""Boards as text, in colour on a terminal, and as pictures."""

import io
import xml.etree.ElementTree as ET

import pytest
from rich.console import Console

from counterplay import Position, games
from counterplay.apps.cli import output
from counterplay.core.drawing import (
    CHESSMEN,
    PLAIN,
    SHAPES,
    Look,
    Piece,
    Span,
    board_spans,
    board_svg,
    board_text,
    changed,
    text_svg,
)
from counterplay.native.source import fingerprint

SVG = "{http://www.w3.org/2000/svg}"
SURFACES = ["plain", "grid", "checkered", "lines", "holes"]
ON_A_BOARD = [name for name in games.names() if games.load(name).board(games.load(name).initial()) is not None]


def texts(svg):
    return [each.text for each in ET.fromstring(svg).iter(f"{SVG}text")]


def titles(svg):
    return [each.text for each in ET.fromstring(svg).iter(f"{SVG}title")]


# ---- text


def test_a_board_is_text_with_its_names_at_the_edges():
    assert board_text(["x.", ".o"]) == "x .\n. o"
    assert board_text(["x.", ".o"], "ab", ["10", "9"]) == "10 x .\n 9 . o\n   a b"
    assert board_text(["x.", ".o"], ["1", "2"]) == "x .\n. o\n1 2"


def test_what_changed_is_marked():
    assert changed(["P..", "..."], ["...", "P.."]) == {(0, 0), (1, 0)}  # a step
    assert changed(["P..", "p.."], ["...", "P.."]) == {(0, 0), (1, 0)}  # a capture
    assert changed(["xo.", "..."], ["xxx", "..."]) == {(0, 2)}  # put down; what only turned over is not marked
    assert changed(["xo.", "o.."], ["x..", "ox."]) == {(0, 1), (1, 1)}  # put down, and taken
    assert changed(["xo"], ["xo"]) == frozenset()


def test_a_position_knows_the_last_move():
    game = games.load("othello")
    assert game.at().marked() == frozenset()
    assert game.at("d3").marked() == {(2, 3)}
    assert game.at("d3 c5").marked() == {(4, 2)}
    assert game.at("d3") == Position(game, game.at("d3").state), "how it came about is no part of it"
    assert Position(game, game.at("d3").state).marked() == frozenset()
    assert games.load("nim").at("a1").marked() == frozenset()


# ---- in colour


def shown(lines):
    return ["".join(span.text for span in line) for line in lines]


def test_spans_spell_the_board():
    look = Look("grid", "#00aa00", "#004400", {"x": Piece("disc", "#111111"), "o": Piece("ring", "#eeeeee")})
    lines = board_spans(["x.", ".o"], "ab", "21", look, marked={(0, 1)})
    assert shown(lines) == ["2  ●  · ", "1  ·  o ", "   a  b"]
    assert lines[0][1] == Span(" ● ", "#111111", "#00aa00")
    assert lines[1][1] == Span(" · ", "#004400", "#00aa00")
    assert lines[0][2].behind not in ("", "#00aa00")


def test_a_look_of_no_colours_behind_shows_letters():
    lines = board_spans(["x.", ".A"])
    assert shown(lines) == [" x  · ", " ·  A "]
    assert lines[0][0] == Span(" x ", PLAIN.pieces["x"].fill, "")
    assert lines[1][1] == Span(" A ", "", "")


def test_squares_alternate_and_the_bottom_left_one_is_dark():
    lines = board_spans(["..", ".."], look=Look("checkered", "#eeeeee", "#444444", {}))
    (a2, b2), (a1, b1) = ([span.behind for span in line] for line in lines)
    assert a2 == b1 != a1 == b2
    assert int(a1[1:3], 16) < int(b1[1:3], 16)


@pytest.mark.parametrize("columns", [8, 19, 25, 38])
def test_boards_fit_into_80_columns(columns):
    lines = board_spans(["x" * columns] * 3, "a" * columns, ["10", "9", "8"])
    assert len({len(line) for line in shown(lines)[:3]}) == 1
    assert max(map(len, shown(lines))) <= 80


@pytest.fixture
def terminal(monkeypatch):
    """What commands print, as a terminal with colours gets it."""

    def console(**options):
        made = Console(file=io.StringIO(), force_terminal=True, width=80, highlight=False, **options)
        monkeypatch.setattr(output, "_out", made)
        return made.file

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    return console


@pytest.mark.parametrize("name", ON_A_BOARD)
def test_on_a_terminal_boards_are_in_colour(name, terminal):
    printed = terminal(color_system="truecolor")
    here = games.load(name).at()
    drawn = output.board(here)
    output.say(drawn)
    assert "\x1b[" in printed.getvalue()
    assert len(str(here).split("\n")) == len(drawn.plain.split("\n"))
    assert max(map(len, drawn.plain.split("\n"))) <= 80


@pytest.mark.parametrize("options", [{"color_system": None}, {"color_system": "truecolor", "no_color": True}])
def test_without_colours_boards_are_text(options, terminal):
    terminal(**options)
    here = games.load("othello").at("d3")
    assert output.board(here).plain == str(here)


def test_the_environment_may_forbid_colours(terminal, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    terminal(color_system="truecolor")
    assert output.board(games.load("othello").at()).plain == str(games.load("othello").at())


def test_the_last_move_is_marked_on_the_terminal(terminal):
    terminal(color_system="truecolor")
    game = games.load("othello")
    moved, same = game.at("d3"), Position(game, game.at("d3").state)
    assert output.board(moved).plain == output.board(same).plain
    assert output.board(moved).spans != output.board(same).spans


# ---- pictures


@pytest.mark.parametrize("surface", SURFACES)
def test_pictures_have_the_names_and_the_pieces(surface):
    look = Look(surface, "#ffffff", "#888888", {"x": Piece("disc", "#ff0000"), "&": Piece("<>", "#0000ff")})
    svg = board_svg(["x.&", "..."], ["a", "b", "<"], ["2", "1"], look, {(0, 0), (1, 1)})
    assert {"a", "b", "<", "2", "1"} <= set(texts(svg))
    assert titles(svg) == ["x", "&"]
    assert svg.count("<circle") == 1
    assert svg != board_svg(["x.&", "..."], ["a", "b", "<"], ["2", "1"], look)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_drawn_in_its_colours(shape):
    svg = board_svg(
        ["A"], look=Look("grid", "#ffffff", "#888888", {"A": Piece(shape, "#123456", "#654321", "#abcdef")})
    )
    assert titles(svg) == ["A"]
    assert not texts(svg)
    assert "#123456" in svg
    others = [board_svg(["A"], look=Look("grid", "#ffffff", "#888888", {"A": Piece(s, "#123456")})) for s in SHAPES]
    assert len(set(others)) == len(SHAPES)


def test_chessmen_are_twelve_different_pieces():
    svg = board_svg(["KQRBNP", "kqrbnp"], look=Look("checkered", "#eeeeee", "#888888", CHESSMEN))
    assert "".join(titles(svg)) == "KQRBNPkqrbnp"
    assert len(set(CHESSMEN.values())) == 12


def test_letters_without_a_piece_are_drawn_as_they_are():
    svg = board_svg([["Z", "<", ".", " "]])
    assert [each.tail for each in ET.fromstring(svg).iter(f"{SVG}title")] == ["Z", "<"]


@pytest.mark.parametrize(("size", "stars"), [(5, 0), (9, 5), (13, 5), (19, 9), (10, 0)])
def test_a_go_board_has_its_star_points(size, stars):
    svg = board_svg(["." * size] * size, look=Look("lines", "#dddddd", "#333333", {}))
    paths = [each.get("d") for each in ET.fromstring(svg).iter(f"{SVG}path") if each.get("fill") == "#333333"]
    assert sum(path.count("M") for path in paths) == stars


@pytest.mark.parametrize("name", ON_A_BOARD)
def test_a_declared_look_draws_every_piece(name):
    """No letters among the pieces, if the game says how they look."""
    game = games.load(name)
    board = game.board(game.initial())
    svg = game.at()._repr_svg_()
    columns, rows = game.labels()
    pieces = [cell for row in board for cell in row if cell not in ". "]
    assert titles(svg) == pieces
    if game.look != PLAIN:
        assert set(pieces) <= set(game.look.pieces)
        assert len(texts(svg)) == len(columns) + len(rows)


def test_another_look_is_no_reason_to_compile_anew(monkeypatch):
    game = games.load("othello")
    before = fingerprint(game)
    monkeypatch.setattr(type(game), "look", PLAIN)
    assert fingerprint(game) == before


def test_pictures_of_text():
    assert texts(text_svg("a < b\n c")) == ["a < b", " c"]


@pytest.mark.parametrize(("name", "piece"), [("pacman", "P"), ("pacman", "%"), ("backgammon", "X")])
def test_games_without_cells_have_colours_too(name, piece):
    game = games.load(name)
    s = game.initial()
    lines = game.coloured(s)
    assert "\n".join("".join(span.text for span in line) for line in lines) == game.show(s)
    assert {span.colour for line in lines for span in line if span.text == piece} != {""}
    assert games.load("nim").coloured(games.load("nim").initial()) is None
