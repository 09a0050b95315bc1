"""The game's own language: players, values, outcomes and numbered lines in words."""

import pytest

from counterplay import games
from counterplay.core import words
from counterplay.games.connect_four import ConnectFour
from counterplay.games.pacman import maze as mazes
from counterplay.study import analysis

OPERA = (  # Morphy against the Duke of Brunswick and Count Isouard, Paris 1858
    "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 "
    "11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0"
)


@pytest.mark.parametrize(
    ("game", "v", "how", "said"),
    [
        ("chess", 0.0, {}, "+0.00 pawns"),
        ("chess", 0.0, {"proven": True}, "draw"),
        ("chess", 1 / 3, {}, "+5.00 pawns"),  # half_win = 10: 5 / (10 + 5)
        ("chess", -1 / 3, {"unit": False}, "-5.00"),
        ("chess", 1.0, {}, "win"),
        ("chess", 1.0, {"plies": 5}, "mate in 3"),
        ("chess", -1.0, {"plies": 4}, "mated in 2"),
        ("connect_four", 1.0, {"plies": 7}, "win in 4"),
        ("connect_four", -1.0, {"plies": 7}, "loss in 4"),
        ("connect_four", 0.0, {}, "undecided"),
        ("connect_four", 0.0, {"proven": True}, "draw"),
        ("connect_four", 0.22, {"simulated": True}, "61%"),
        ("connect_four", 1.0, {"simulated": True}, ">99%"),
        ("connect_four", 1.0, {"simulated": True, "proven": True}, "win"),
        ("connect_four", -1.0, {"simulated": True}, "<1%"),
        ("chess", 0.22, {"simulated": True}, "61%"),  # a mean of games is no sum of pawns
        ("othello", 0.22, {}, "61%"),
        ("othello:margin=on", 6 / 64, {"proven": True}, "+6 discs"),
        ("othello:margin=on", 1 / 64, {}, "+1 disc"),
        ("go", 1 / 3, {}, "+5.00 points"),
        ("backgammon", -0.31, {}, "-0.31 points"),
        ("pacman", 532.0, {}, "+532 points"),
        ("tic_tac_toe", 3.0, {}, "+3 lines"),
        ("tic_tac_toe", 8.0, {"proven": True}, "win"),
        ("tree", 3.0, {"proven": True}, "3"),
        ("nim", -1.0, {}, "loss"),
        ("pig", 0.0, {"proven": True}, "50%"),  # a mean over the dice
    ],
)
def test_a_value_in_words(game, v, how, said):
    assert words.value_text(games.load(game), v, **how) == said


def test_values_are_those_of_who_asks():
    chess, three = games.load("chess"), games.load("two_against_one")
    assert words.values_text(chess, (1 / 3, -1 / 3), 1, unit=False) == "-5.00"
    assert words.caption(chess, 1) == "values are for Black, in pawns"
    assert words.caption(chess, 1, simulated=True) == "values are the chance to win for Black"
    assert words.values_text(three, (1.0, -2.0, 1.0), 1) == "1, -2, 1"
    assert words.caption(three, 1) == "values for the first partner, the one, the second partner"
    assert words.player_name(chess, -1) == "chance"


@pytest.mark.parametrize("name", ["chess", "checkers", "go"])
def test_units_undo_the_bending_of_the_estimate(name):
    game = games.load(name)
    for x in (-9.0, -1.0, 0.0, 0.4, 30.0):
        assert game.in_units(game.squash(x)) == pytest.approx(x)
    assert [game.chance_to_win(v) for v in (-1.0, 0.0, 1.0)] == [0.0, 0.5, 1.0]
    assert not game.scored


def test_what_changes_hands():
    assert words.gain_text(games.load("backgammon"), -0.25, 0.5) == "+0.75 points"
    assert words.gain_text(games.load("pig"), 0.2, -0.2) == "-20%"


@pytest.mark.parametrize(
    ("game", "moves", "position", "ended"),
    [
        ("chess", "f3 e5 g4 Qh4", None, "checkmate, Black wins"),
        ("chess", "", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "a draw, stalemate"),
        ("chess", "", "7k/8/6K1/8/8/8/8/8 b - - 0 1", "a draw, nobody can mate"),
        ("chess", "", "7k/8/6K1/8/8/8/8/R7 b - - 100 90", "a draw, by the 50 moves"),
        ("connect_four", "4 3 4 3 4 3 4", None, "X wins"),
        ("tic_tac_toe", "", "xox/xox/oxo", "a draw"),
        ("go:size=5,komi=0.5", "C3 pass pass", None, "Black wins by 24.5 points"),
        ("othello:size=4", "", "xxxx/xxxx/xxxx/xxoo x", "Black wins 14-2"),
        ("tree", "1 2", None, "player 1 wins 12"),
        ("pig:goal=2", "roll 2 hold", None, "player 1 wins"),
        ("nim:heaps=(1,)", "a1", None, "player 1 wins"),
        ("two_against_one:heaps=(1,)", "a1", None, "the first partner 1, the one -2, the second partner 1"),
    ],
)
def test_how_a_game_ended(game, moves, position, ended):
    loaded = games.load(game)
    s = loaded.at(moves, position).state
    assert loaded.is_terminal(s)
    assert loaded.outcome(s) == ended


def test_how_pacman_ended():
    game = games.load("pacman")
    s = game.initial()
    assert game.outcome(s._replace(alive=False, score=-491)) == "Pacman is caught: -491 points"
    assert game.outcome(s._replace(dots=s.dots - s.dots, score=600)) == "Pacman has eaten everything: +600 points"


def test_lines_are_numbered():
    chess = games.load("chess")
    here = chess.at("e4")
    line = chess.read_moves(here.state, "e5 Nf3 Nc6")
    assert words.line_text(chess, here.state, line, here.history) == "1... e5 2. Nf3 Nc6"
    assert words.line_text(chess, here.state, line, here.history, most=2) == "1... e5 2. Nf3 ..."
    late = chess.from_text("4k3/8/8/8/8/8/4P3/4K3 w - - 0 31")
    assert words.line_text(chess, late, chess.read_moves(late, "e4 Kd7")) == "31. e4 Kd7"
    squares = games.load("tic_tac_toe")
    here = squares.at("a1 b2 c3")
    assert (
        words.line_text(squares, here.state, squares.read_moves(here.state, "c1 a3"), here.history) == "2... c1 3. a3"
    )
    four, dice = ConnectFour(), games.load("backgammon")
    assert words.line_text(four, four.initial(), [3, 3]) == "4 4"  # no numbers beside numbers
    here = dice.at("31")
    assert words.line_text(dice, here.state, dice.read_moves(here.state, "8/5 6/5")) == "8/5 6/5"


# ---- what people paste


@pytest.mark.parametrize(
    ("game", "pasted", "plain"),
    [
        ("chess", "1. e4 e5 2. Nf3", "e4 e5 Nf3"),
        ("chess", "1.e4 e5 2.Nf3! Nc6?? 1/2-1/2", "e4 e5 Nf3 Nc6"),
        ("chess", "E4 E5 nf3 NC6 BB5 A6 bxc6", "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6"),
        ("chess", "e4, e5, nf3", "e4 e5 Nf3"),
        ("chess", OPERA, OPERA.replace("1-0", "").lower()),
        ("backgammon", "3-1 8/5 6/5 6-5", "31 8/5,6/5 65"),
        ("connect_four", "4,4", "4 4"),
        ("connect_four", "44444", "4 4 4 4 4"),
        ("connect_four", "1. 4 4 2. 4", "4 4 4"),
        ("checkers", "1. 11-15 23-19 2. 8-11", "11-15 23-19 8-11"),
        ("pacman", "right left", "E W"),
    ],
)
def test_moves_as_people_paste_them(game, pasted, plain):
    loaded = games.load(game)
    assert loaded.at(pasted) == loaded.at(plain.split())


def test_a_wrong_move_in_a_text_is_named_by_its_number():
    chess = games.load("chess")
    with pytest.raises(ValueError, match=r"^move 3: 'Nf6' is not a legal move here"):
        chess.at("1. e4 e5 2. Nf6")
    with pytest.raises(ValueError, match=r"^'4x' is not a legal move here"):
        ConnectFour().at("4x")
    with pytest.raises(ValueError, match="'nd2' could be Nbd2 or Nfd2"):
        chess.at("nd2", "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1")


def test_capitals_matter_where_they_tell_moves_apart():
    chess = games.load("chess")
    both = "4k3/8/8/8/1B6/2p5/1P6/4K3 w - - 0 1"
    assert chess.at("bxc3", both) != chess.at("Bxc3", both)


def test_lists_need_no_brackets():
    assert games.load("nim:heaps=3,4") == games.load("nim:heaps=(3,4)")
    assert games.load("nim:heaps=3,4,misere=on") == games.load("nim:heaps=(3,4),misere=on")
    with pytest.raises(ValueError, match="not of the form"):
        games.load("nim:heaps=3,four")


# ---- reviews


@pytest.mark.rare
def test_the_mistake_of_the_opera_game_is_marked():
    found = analysis.review(games.load("chess"), OPERA, depth=13)  # what it costs is seen late
    mistake = found.moves[17]
    assert (mistake.name, found.game.player_names[mistake.player]) == ("b5", "Black")
    assert mistake.mark


def test_blanks_behind_a_maze_do_not_matter():
    maze = "%%%%%%\n%P .G%\n%%%%%%\n"
    assert mazes.parse(maze.replace("G%", "G%  ")) == mazes.parse(maze.replace("%\n", "% \n", 1)) == mazes.parse(maze)


def test_a_pgn_needs_no_game(counterplay, tmp_path):
    (tmp_path / "mate.pgn").write_text("1. f3 e5 2. g4 Qh4# 0-1\n")
    for arguments in ((tmp_path / "mate.pgn",), ("--record", tmp_path / "mate.pgn")):
        status, out, err = counterplay("analyse", *arguments, "--depth", 1, "--interpreted")
        assert status == 0, err
        assert "2...  Black   Qh4#" in out
        assert out.splitlines()[-2].startswith("Black: 2 moves")  # the last line says who estimates
