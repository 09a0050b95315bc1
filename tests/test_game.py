"""What a game class gives its author: parameters, texts, names, errors, pictures."""

import xml.etree.ElementTree as ET
from typing import NamedTuple

import pytest

from counterplay import AmbiguousText, Bits, Game, IllegalAction, Position, RulesError, UnreadableText, games
from counterplay.core.game import read_board
from counterplay.games.tree import Tree, parse
from tests.small_games import NIM_FILE, Nim


class BigNim(Nim):
    heap: int = 100
    rate: float = 0.5


# ---- parameters


def test_annotated_attributes_are_parameters_inherited_ones_too():
    assert BigNim.parameters == {"heap": 100, "most": 3, "rate": 0.5}
    game = BigNim(most=5, rate=1)
    assert game.settings == {"heap": 100, "most": 5, "rate": 1.0}
    assert repr(game) == "BigNim(heap=100, most=5, rate=1.0)"
    assert str(game) == "big_nim:most=5,rate=1.0"
    assert eval(repr(game)) == game
    assert hash(game) == hash(BigNim(most=5, rate=1.0))
    assert game != BigNim()
    assert Nim() != BigNim(heap=9)


def test_declared_properties_are_not_parameters():
    assert "players" not in Nim.parameters
    assert games.load("pig").parameters["players"] == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"heaps": 3}, "has no parameter 'heaps'; it has: heap, most"),
        ({"heap": "many"}, "must be of type int"),
        ({"heap": 2.5}, "must be of type int"),
        ({"heap": True}, "must be of type int"),
        ({"heap": "__import__('os')"}, "cannot be read"),
    ],
)
def test_bad_parameters_are_named(given, message):
    with pytest.raises(UnreadableText, match=message):
        Nim(**given)


def test_games_do_not_change():
    with pytest.raises(AttributeError, match=r"make another with Nim\(heap=...\)"):
        Nim().heap = 3


def test_missing_rules_are_named_with_advice():
    class Empty(Game):
        def initial(self):
            return (0,)

        def is_termnal(self, s):
            return True

    with pytest.raises(RulesError, match="Empty has no player, actions, result, is_terminal, utility: add  def player"):
        Empty()

    class Misspelt(Nim):
        is_terminal = Game.is_terminal

        def is_termnal(self, s):
            return True

    with pytest.raises(RulesError, match="is 'is_termnal' meant to be 'is_terminal'"):
        Misspelt()

    class Dice(Nim):
        chance = True

    with pytest.raises(RulesError, match="no probability"):
        Dice()


def test_knowledge_is_what_the_class_gives_itself():
    assert not any(Nim().knows)
    assert games.load("tic_tac_toe").knows.evaluate
    assert not games.load("tic_tac_toe").knows.priority
    nim = Nim()
    assert (nim.evaluate(nim.initial(), 0), nim.priority(nim.initial(), 1)) == (0.0, 0.0)
    assert not nim.is_noisy(nim.initial(), 1)


# ---- texts


def test_default_text_is_the_fields():
    game = Nim()
    assert game.to_text(game.initial()) == "stones=9 turn=0"
    assert game.from_text("turn=1 stones=4") == (4, 1)
    assert isinstance(game.from_text("stones=4 turn=1"), Nim.State)
    for text in ("", "stones=4", "stones=4 turn=x", "stones=4 turn=1 more=2", "4 1"):
        with pytest.raises(UnreadableText):
            game.from_text(text)


def test_bits_have_a_text_too():
    class Board(Nim):
        class State(NamedTuple):
            stones: Bits
            turns: tuple

        def initial(self):
            return self.State(Bits(9, [0, 4]), (1,))

    game = Board()
    assert game.to_text(game.initial()) == "stones={0,4} turns=(1,)"
    assert game.from_text("stones={0,4} turns=(1,)") == game.initial()
    with pytest.raises(UnreadableText, match="square 9 is outside"):
        game.from_text("stones={9} turns=(1,)")


def test_names_parse_back_whatever_their_case():
    game = games.load("bins")
    s = game.initial()
    assert game.parse_action(s, "b") == game.parse_action(s, " B ") == 1
    with pytest.raises(IllegalAction, match="'D' is not a legal move here; legal: A, B, C"):
        game.parse_action(s, "D")

    class TwoCases(Nim):
        def action_name(self, s, a):
            return "xXy"[a - 1]

    assert TwoCases().parse_action(Nim.State(3, 0), "X") == 2
    with pytest.raises(AmbiguousText, match="'Yy' could be yy or YY"):
        BothYs().parse_action(Nim.State(3, 0), "Yy")


class BothYs(Nim):
    def action_name(self, s, a):
        return ("yy", "YY", "z")[a - 1]


def test_no_move_can_be_played_when_the_game_is_over():
    game = Nim(heap=1)
    with pytest.raises(IllegalAction, match="the game is over"):
        game.at("1 1")


# ---- the games' own texts


def test_connect_four_reads_columns_and_boards():
    game = games.load("connect_four")
    here = game.at("4 4 3")
    assert game.from_text("443") == here.state
    assert game.to_text(here.state) == "......./......./......./......./...o.../..xx..."
    assert game.from_text(game.to_text(here.state)) == here.state
    assert here.moves() == ["1", "2", "3", "4", "5", "6", "7"]
    assert str(here).splitlines()[-2:] == [". . x x . . .", "1 2 3 4 5 6 7"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("448", "'8' is not a legal move"),
        ("4444444", "'4' is not a legal move"),
        ("12121212", "the game is over"),
        ("......./......./......./......./...o.../..x....", "floats in column 4"),
        ("......./......./......./......./......./..oo...", "x begins"),
        ("......./......./......./......./ooo..../xxxxo..", "connected already"),
        ("...", "not a board of 6 rows and 7 columns"),
        ("......./......./......./......./......./..z....", "'z' is no piece"),
    ],
)
def test_connect_four_says_what_is_wrong(text, message):
    game = games.load("connect_four")
    with pytest.raises((UnreadableText, IllegalAction), match=message):
        game.from_text(text)


def test_tic_tac_toe_reads_boards():
    game = games.load("tic_tac_toe")
    assert game.from_text("x.o/.x./...") == game.at("a3 c3 b2").state
    for text in ("x.o/.x.", "xxx/.x./...", "xxx/o.o/.o."):
        with pytest.raises(UnreadableText):
            game.from_text(text)


def test_read_board_takes_line_breaks_and_blanks():
    assert read_board("x .\n. o", 2, 2, "xo") == [[0], [3]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1,2", r"',' or '\]' is missing"),
        ("[1,2]]", "stands after the end"),
        ("[1,,2]", "a number or a"),
        ("[]", "a number or a"),
        ("7", "is no tree"),
        ("", "a number or a"),
        ("mid[1,2]", "'mid' does not move"),
        ("[0.5*1,0.5*2]", "are for chance"),
        ("chance[0.5*1,2]", "are for chance"),
        ("chance[0.5*1,0.6*2]", "sum 1"),
        ("[(1,2),3]", "same number of utilities"),
        ("p3[1,2]", "p3 moves"),
        ("[(1 2),3]", "several utilities"),
    ],
)
def test_a_tree_that_cannot_be_read_says_why(text, message):
    with pytest.raises(UnreadableText, match=message):
        Tree(text)


def test_trees_have_labels_players_and_probabilities():
    node = parse("A: max[x: 3, chance[0.25*1, 0.75*-1]]")
    assert (node.label, node.player, node.children[0].label) == ("A", 0, "x")
    assert node.children[1].probabilities == (0.25, 0.75)
    game = Tree("p1[p2[(1,2,3),(4,0,0)],p3[(2,2,2)]]")
    assert (game.players, game.zero_sum, game.utility_range) == (3, False, (0.0, 4.0))
    assert [game.player(game.State(i)) for i in range(3)] == [0, 1, 2]
    assert "└─ p3\n   └─ 2, 2, 2" in game.show(game.initial())
    turns = Tree("[chance[[1,2],3],4]")
    assert turns.player(turns.State(3)) == 1  # after MAX and the dice comes MIN


@pytest.mark.parametrize(
    "text",
    ["tic_tac_toe:k=9", "connect_four:rows=0", "nim:heaps=[]", "nim:heaps=[-1]", "pig:players=1", "bins:bins=[[],[1]]"],
)
def test_parameters_that_make_no_game_are_refused(text):
    with pytest.raises(UnreadableText):
        games.load(text)


# ---- finding games


def test_load_reads_parameters():
    assert games.load("connect_four:rows=5, columns=4").settings == {"rows": 5, "columns": 4, "connect": 4}
    assert games.load("nim:heaps=[1,2],misere=yes").settings == {"heaps": (1, 2), "misere": True}
    assert games.load("tree:[[1,2],[3,4]]") == Tree([[1, 2], [3, 4]])
    with pytest.raises(UnreadableText, match="did you mean connect_four"):
        games.load("conect_four")
    with pytest.raises(UnreadableText, match="name=value"):
        games.load("connect_four:rows=5,6")


def test_load_takes_files(tmp_path):
    file = tmp_path / "mine.py"
    rules = "from tests_nim import Nim\nclass First(Nim):\n    heap: int = 5\n"
    (tmp_path / "tests_nim.py").write_text(NIM_FILE)
    file.write_text(rules)
    assert str(games.load(f"{file}")) == "first"
    assert games.load(f"{file}:First:heap=7").heap == 7
    assert games.load(f"{file}:heap=7").heap == 7
    with pytest.raises(UnreadableText, match="no game class 'Second'; it has: First"):
        games.load(f"{file}:Second")
    file.write_text(rules + "class Second(First): pass\n")
    with pytest.raises(UnreadableText, match="several games"):
        games.load(f"{file}")
    assert games.load_class(f"{file}", "Second").__name__ == "Second"
    file.write_text("x = 1\n")
    with pytest.raises(UnreadableText, match="has no game"):
        games.load(f"{file}")
    with pytest.raises(UnreadableText, match="cannot read"):
        games.load(f"{tmp_path}/missing.py")


# ---- pictures


@pytest.mark.parametrize("name", games.names())
def test_a_position_draws_itself(name):
    here = games.load(name).at()
    picture = ET.fromstring(here._repr_svg_())
    assert picture.tag.endswith("svg")
    assert len(picture)


def test_stones_are_discs_and_columns_are_named():
    svg = games.load("connect_four").at("4 4 3")._repr_svg_()
    assert svg.count("<circle") == 3
    assert ">7</text>" in svg
    assert isinstance(Position(Nim(), (3, 0)), tuple)
