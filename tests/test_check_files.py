"""The property harness reads files with mistakes: each is told with its file, line and advice, and no traceback."""

import pytest

from counterplay.study.check import examine_text
from tests.small_games import NIM_FILE as NIM

pytestmark = pytest.mark.long


@pytest.fixture
def examined(tmp_path):
    """Write a file with one change of Nim, and examine it."""

    def write_and_examine(old="", new="", name="mygame.py", suffix=""):
        assert old in NIM
        (tmp_path / name).write_text(NIM.replace(old, new, 1) if old else NIM + new)
        report = examine_text(f"{tmp_path / name}{suffix}")
        for word in ("Traceback", "numba"):
            assert word.lower() not in str(report).lower()
        return report

    return write_and_examine


def line(old):
    """The line of Nim that begins with a text."""
    return next(number for number, text in enumerate(NIM.splitlines(), 1) if text.strip().startswith(old))


def test_a_correct_file(examined):
    report = examined()
    assert report.ok, report
    assert (report.game, report.both_modes) == ("nim", True)


def test_parameters_and_a_class_in_the_text(examined):
    report = examined(new="\n\nclass Other(Nim):\n    pass\n", suffix=":Other:heap=2")
    assert (report.ok, report.game) == (True, "other:heap=2")


@pytest.mark.parametrize(
    ("old", "new", "name", "words"),
    [
        ("def player(self, s):", "def player(self, s)", "file is Python", "expected ':', in  def player(self, s)"),
        ("s.stones == 0", "s.stone == 0", "no exception", "no attribute 'stone'; did you mean 'stones'?"),
        ("self.heap, 0", "self.hep, 0", "no exception", "no attribute 'hep'; did you mean 'heap'?"),
        ("min(", "mim(", "no exception", "name 'mim' is not defined; did you mean 'min'?"),
        ("1 - s.turn", '"b" + s.turn', "no exception", "result fails: TypeError: can only concatenate str"),
        ("def player(self, s)", "def player(self)", "rules take what they are given", "write  def player(self, s)"),
        ("class Nim(Game)", "class Nim(Gane)", "file can be run", "name 'Gane' is not defined; did you mean 'Game'?"),
        ("def is_terminal", "def is_termnal", "game is complete", "is 'is_termnal' meant to be 'is_terminal'?"),
    ],
)
def test_a_mistake_in_a_file_has_its_line_and_advice(examined, old, new, name, words):
    problem = examined(old, new).problems[0]
    assert problem.property == name
    assert words in problem.message
    number = next(number for number, text in enumerate(NIM.splitlines(), 1) if old in text)
    assert problem.where == f"mygame.py:{number}"


def test_a_missing_rule(examined):
    start = NIM.index("    def utility")
    problem = examined(NIM[start:], "").problems[0]
    assert problem.property == "game is complete"
    assert "Nim has no utility: add  def utility(self, s, p)" in problem.message
    assert problem.where == f"mygame.py:{line('class Nim')}"


def test_a_missing_import(examined):
    problem = examined("from counterplay import Game\n", "").problems[0]
    assert "name 'Game' is not defined; add  from counterplay import Game" in problem.message
    assert problem.where == f"mygame.py:{line('class Nim') - 1}"


def test_a_missing_module(examined):
    problem = examined("from typing", "import nowhere_to_be_found\nfrom typing").problems[0]
    assert problem.property == "file can be run"
    assert "No module named 'nowhere_to_be_found'" in problem.message
    assert problem.where == "mygame.py:1"


def test_a_file_that_ends_the_program(examined):
    problem = examined(new="\nraise SystemExit(2)\n").problems[0]
    assert "if __name__ == '__main__':" in problem.message
    assert problem.where == f"mygame.py:{NIM.count(chr(10)) + 2}"


def test_a_file_without_a_game(examined):
    problem = examined("class Nim(Game)", "class Nim").problems[0]
    assert "mygame.py has no game: write  class MyGame(counterplay.Game)  in it" in problem.message
    assert problem.where == "mygame.py"


def test_a_class_that_is_not_there(examined):
    problem = examined(suffix=":Nom").problems[0]
    assert "has no game class 'Nom'; it has: Nim" in problem.message


def test_a_file_that_is_not_there(tmp_path):
    problem = examine_text(str(tmp_path / "lost.py")).problems[0]
    assert problem.property == "game is found"
    assert "cannot read" in problem.message
    assert problem.where == "lost.py"


def test_a_name_that_is_not_there():
    problem = examine_text("tic_tac_to").problems[0]
    assert "did you mean tic_tac_toe?" in problem.message


def test_a_rule_that_does_not_compile_is_told_with_its_line(examined):
    report = examined("return s.turn\n", "return s.turn if {'a': [s]} else 0\n")
    assert report.ok, report
    assert report.why_not.startswith(f"runs interpreted only: mygame.py:{line('return s.turn')}: ")
