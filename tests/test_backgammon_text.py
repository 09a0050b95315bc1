"""Backgammon for people: IDs, names of plays, drawings, and what is said of bad input."""

import shutil
from xml.etree import ElementTree

import pytest

from counterplay import AmbiguousText, IllegalAction, UnreadableText, games
from counterplay.games.backgammon.text import digits, position_id

pytestmark = pytest.mark.long

GAME = games.load("backgammon")
OPENING = "4HPwATDgc/ABMA"
GNUBG = shutil.which("gnubg", path="/usr/games:/usr/local/games:/usr/bin:/usr/local/bin:/bin")
needs_gnubg = pytest.mark.skipif(GNUBG is None, reason="needs GNU Backgammon (Debian: apt install gnubg)")
SPIEL = "needs OpenSpiel (pip install 'counterplay[peers]')"


# ---- texts


@pytest.mark.parametrize(
    ("text", "turn", "throw"),
    [
        (OPENING, 0, (0, 0)),
        (f"{OPENING}:cAkAAAAAAAAA", 1, (0, 0)),
        (f"{OPENING}:MAEHAAAAAAAA", 0, (6, 1)),
        (f"GNUBGID {OPENING}:MIEFAAAAAAAE", 0, (3, 1)),
        (f"{OPENING}:MAAAAAAAAAAA", -1, (0, 0)),
    ],
)
def test_gnubg_ids_are_read(text, turn, throw):
    s = GAME.from_text(text)
    assert s == GAME.State(*GAME.initial()[:2], turn, *throw)
    assert GAME.from_text(GAME.to_text(s)) == s


def test_a_position_id_has_the_other_side_first():
    """As GNU Backgammon 1.07 writes it: two on her six-point; one on my two-point and one on the bar."""
    theirs, mine = ({6: 2}, {2: 1, 25: 1})
    assert GAME.to_text(GAME.State(digits(mine), digits(theirs), 1, 6, 2)) == "YAAAEAAAEAAAAA:cAkLAAAAAAAA"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonsense", "'nonsense' is no position ID, like .*: it has 14 letters, digits, [+] and /"),
        (f"{OPENING}:", "'' is no match ID, like 'cAkAAAAAAAAA': it has 12 letters"),
        (f"{OPENING}:cAkAAAAAAAA-", "is no match ID"),
        (f"{OPENING}:cAkcAAAAAAAA", "has the dice 0 and 7; they are from 1 to 6, or both 0"),
        (f"{OPENING}:cIkDAAAAAAAA", "has the dice 7 and 0"),
        (f"{OPENING}:MAAHAAAAAAAA", "has dice, but its game has not begun"),
        (f"{OPENING}:cAsAAAAAAAAA", "given up"),
        (f"{OPENING}:cBkAAAAAAAAA", "is being doubled"),
        ("//////////////", "a player has at most 15 checkers"),
        (position_id(digits({24: 1}), digits({1: 1})), "both players have checkers on point 24"),
        ("AAAAAAAAAAAAAA", "the player to move has borne off all already"),
        ("AAAAwAAAAAAAAA:MAEHAAAAAAAA", "the game is over, but there are dice"),
    ],
)
def test_what_is_no_position(text, why):
    with pytest.raises(UnreadableText, match=why):
        GAME.from_text(text)


@pytest.mark.parametrize(
    ("position", "throw", "name"),
    [
        (OPENING, "64", "24/18 13/9"),
        (OPENING, "31", "8/5 6/5"),
        (OPENING, "11", "8/7(2) 6/5(2)"),
        (OPENING, "66", "13/7(4)"),
        (OPENING, "65", "24/13"),
        ({"mine": {25: 2, 6: 3}, "theirs": {24: 2, 3: 1, 6: 2}}, "33", "bar/22*(2) 6/3(2)"),
        ({"mine": {25: 1, 6: 3}, "theirs": {3: 1, 4: 1, 6: 2}}, "31", "bar/22*/21*"),
        ({"mine": {25: 1, 6: 3}, "theirs": {3: 2, 1: 2, 6: 2}}, "31", "pass"),
        ({"mine": {6: 2, 3: 2}, "theirs": {6: 2}}, "63", "6/off 3/off"),
        ({"mine": {2: 3, 1: 2}, "theirs": {6: 2}}, "66", "2/off(3) 1/off"),
    ],
)
def test_names_are_written_and_read(position, throw, name):
    if isinstance(position, dict):
        position = GAME.to_text(GAME.State(*map(digits, position.values()), 0, 0, 0))
    s = GAME.at(throw, position).state
    names = GAME.at(throw, position).moves()
    assert name in names
    backwards = " ".join(reversed(name.split()))
    for text in (name, name.upper(), backwards, backwards.replace(" ", ",  "), name.replace("*", "")):
        assert GAME.action_name(s, GAME.parse_action(s, text)) == name
    assert GAME.at(f"{throw} {name} 21", position).state.turn == 1


def test_the_way_of_a_checker_may_matter():
    """By 5 and by 3, and a blot on both ways: neither, or which of them, is hit is part of the play."""
    mine, theirs = {24: 1, 6: 2}, {25 - 21: 1, 25 - 19: 1}
    s = GAME.State(digits(mine), digits(theirs), 0, 5, 3)
    names = names_of(s)
    assert "24/21*/16" in names
    assert "24/19*/16" in names
    assert "24/16" not in names
    assert GAME.action_name(s, GAME.parse_action(s, "24/19/16")) == "24/19*/16"
    with pytest.raises(AmbiguousText, match=r"'24/16' could be 24/19\*/16 or 24/21\*/16"):
        GAME.parse_action(s, "24/16")


def names_of(s):
    return [GAME.action_name(s, int(a)) for a in GAME.actions(s)]


@pytest.mark.parametrize(
    ("text", "kind", "why"),
    [
        ("8/3", IllegalAction, "'8/3' is not a legal play of 31 here; legal: 24/23 24/21, 24/20, "),
        ("8/5* 6/5", IllegalAction, "is not a legal play"),
        ("pass", IllegalAction, "you cannot pass here"),
        ("cannot move", IllegalAction, "you cannot pass here"),
        ("hello", UnreadableText, "'hello' is no move of a checker; they are like 24/18, bar/22[*], 8/4[(]2[)], 6/off"),
        ("5/8", UnreadableText, "'5/8' is no move of a checker"),
        ("26/8", UnreadableText, "'26/8' is no move of a checker"),
    ],
)
def test_what_is_no_play(text, kind, why):
    with pytest.raises(kind, match=why):
        GAME.parse_action(GAME.at("31").state, text)


def test_what_is_no_throw():
    with pytest.raises(IllegalAction, match="'33' is not a throw that can be here, like 12"):
        GAME.at("33")
    over = GAME.from_text("AAAAwAAAAAAAAA:MAIAAAAAAAAA")
    assert GAME.is_terminal(over)
    with pytest.raises(IllegalAction, match="the game is over"):
        GAME.parse_action(over, "33")


@pytest.mark.parametrize("arguments", [("--position", "nonsense"), ("--moves", "31 8/3"), ("--moves", "31 hello")])
def test_the_command_line_says_what_is_wrong_in_one_line(counterplay, arguments):
    status, _, err = counterplay("show", "backgammon", *arguments)
    assert (status, len(err.splitlines())) == (2, 1)


def test_moves_on_the_command_line(counterplay):
    status, out, _ = counterplay("show", "backgammon", "--moves", "31 8/5 6/5 64 24/14")
    assert status == 0
    assert "O to throw" in out


# ---- drawings

BOARD = """
+-12-11-10--9--8--7-+---+--6--5--4--3--2--1-+
|  O           X    |   |  X           O    |   X: 2 off
|  O           X    |   |  X           O    |
|  O           X    |   |  X                |
|  O                |   |  X                |
|  7                | X |  X                |
|                   |BAR|                   |   X to play 62
|                   | O |  O                |
|                   |   |  O                |
|                   |   |  O                |
|  X                |   |  O                |
|  X  X             |   |  O                |   O
+-13-14-15-16-17-18-+---+-19-20-21-22-23-24-+
"""


def test_show():
    """The mover's numbers are at the edges; a pile above five says how high it is."""
    s = GAME.State(digits({25: 1, 6: 5, 8: 3, 13: 2, 14: 1}), digits({25: 1, 23: 2, 13: 7, 6: 5}), 1, 6, 2)
    assert GAME.show(s) == BOARD.strip("\n").replace("2 off", "3 off")
    assert max(map(len, GAME.show(s).splitlines())) <= 80
    assert "who begins?" in GAME.show(GAME.initial())
    assert "O to throw" in GAME.show(GAME.from_text(OPENING))


@pytest.mark.parametrize(("loser", "wins"), [({6: 14}, "a game"), ({6: 15}, "a gammon"), ({19: 15}, "a backgammon")])
def test_the_end_is_shown_and_paid(loser, wins):
    s = GAME.State(digits(loser), digits({}), 0, 0, 0)
    assert f"X wins {wins}" in GAME.show(s)
    stake = float(["a game", "a gammon", "a backgammon"].index(wins) + 1)
    assert (GAME.utility(s, 0), GAME.utility(s, 1)) == (-stake, stake)
    assert (GAME.evaluate(s, 0), GAME.evaluate(s, 1)) == (-stake, stake)


def test_a_checker_on_the_bar_makes_it_a_backgammon():
    s = GAME.State(digits({6: 14, 25: 1}), digits({}), 1, 0, 0)
    assert GAME.utility(s, 0) == 3.0


def test_svg():
    s = GAME.State(digits({25: 1, 6: 5, 8: 3, 13: 2, 14: 1}), digits({25: 1, 23: 2, 13: 7, 6: 5}), 1, 6, 2)
    picture = ElementTree.fromstring(GAME.svg(s))
    tags = [element.tag.split("}")[1] for element in picture]
    assert tags.count("polygon") == 24
    assert tags.count("circle") == 12 + 13 + 1  # five of the seven are drawn; one stands for the three that are off
    assert {"7", "3", "dark to play 62"} <= {element.text for element in picture}
