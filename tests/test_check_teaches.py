"""`check` as a teacher: what random games were like, and what to write instead of a beginner's mistake."""

import pytest

from counterplay import games
from counterplay.study.check import examine, examine_text
from counterplay.study.check.pitfalls import pitfalls
from tests.test_check import Take

pytestmark = pytest.mark.long

TAKE = """\
from typing import NamedTuple
from counterplay import Game


class Take(Game):
    class State(NamedTuple):
        stones: int
        turn: int

    def initial(self):
        return self.State(6, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return range(1, min(2, s.stones) + 1)

    def result(self, s, a):
        return self.State(s.stones - a, 1 - s.turn)

    def is_terminal(self, s):
        return s.stones == 0

    def utility(self, s, p):
        return -1.0 if s.turn == p else 1.0
"""

MISTAKES = [
    (
        "return range(1, min(2, s.stones) + 1)",
        "return {k for k in (1, 2) if k <= s.stones}",
        "take.py:17: [actions have an order] actions gives a set, which has no order: give a tuple",
    ),
    ("return range(1", "range(1", "actions fails: TypeError: it gives None; is a `return` or a `yield` missing?"),
    (
        "return self.State(s.stones",
        "self.State(s.stones",
        "result fails: TypeError: it gives None; is a `return` missing?",
    ),
    ("return s.turn\n", "s.turn\n", "player fails: TypeError: it gives None; is a `return` missing?"),
    ("return s.stones == 0", "s.stones == 0", "is_terminal fails: TypeError: it gives None; is a `return` missing?"),
    ("return self.State(6, 0)", "self.State(6, 0)", "initial fails: TypeError: it gives None; is a `return` missing?"),
    (
        "utility(self, s, p):\n        return -1.0 if s.turn == p else 1.0",
        "utility(self, s):\n        return 1.0",
        "[rules take what they are given] utility(self, s) cannot be called: write  def utility(self, s, p)",
    ),
    (
        "    def initial(self):\n",
        "    def __init__(self, heap):\n        self.heap = heap\n\n    def initial(self):\n",
        "write parameters without __init__, like  heap: int = 21",
    ),
]


@pytest.mark.parametrize(("right", "wrong", "said"), MISTAKES)
def test_what_to_write_instead(tmp_path, right, wrong, said):
    assert right in TAKE
    (tmp_path / "take.py").write_text(TAKE.replace(right, wrong))
    report = examine_text(str(tmp_path / "take.py"), compare=False)
    assert said in str(report.problems[0])  # the cause comes first


def test_what_random_games_were_like():
    report = examine(Take(), compare=False)
    assert "games had 3 to 5 moves, " in str(report)
    assert "there were 1 to 2 moves to choose from, " in str(report)
    assert "of 20 games won: player 1 " in str(report)
    assert "\n  who moved last won 20 of 20\n" in str(report)
    turned = type("Turned", (Take,), {"utility": lambda self, s, p: 1.0 if s.turn == p else -1.0})
    assert "who moved last lost 20 of 20: is that as it should be?" in str(examine(turned(), compare=False))
    assert report.as_dict()["facts"] == list(report.facts)
    never = type("Never", (Take,), {"result": lambda self, s, a: s})
    assert "no random game has ended" in str(examine(never(), playouts=1, compare=False))


def test_prints_are_said_once(tmp_path, capsys):
    (tmp_path / "take.py").write_text(
        TAKE.replace("        return s.turn\n", "        print('hello', s)\n        return s.turn\n")
    )
    report = examine_text(str(tmp_path / "take.py"), compare=False)
    assert capsys.readouterr().out == ""
    assert report.ok
    assert str(report).count("a rule prints, as here 'hello State(stones=6, turn=0)'") == 1


def test_interpreted_only_is_said_first(tmp_path):
    (tmp_path / "take.py").write_text(TAKE.replace("return s.turn\n", "return {0: 0, 1: 1}.get(s.turn, open)\n"))
    report = examine_text(str(tmp_path / "take.py"))
    assert not report.both_modes
    assert str(report).splitlines()[1].startswith("  warning: runs interpreted only: ")
    assert str(report).count("runs interpreted only") == 1


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("~(s.turn == 1)", "`~` of a truth value"),
        ("~(not s.turn)", "`~` of a truth value"),
        ("~bool(s.turn)", "`~` of a truth value"),
        ("~(s.turn == 1 or s.turn == 2)", "`~` of a truth value"),
        ("s.stones ** -2", "an integer to a negative power"),
        ("(1 << 64) * s.turn", "1 << 64 does not fit the 64 bits"),
        ("int(float('-inf'))", "int of infinity or nan"),
        ("round(-np.inf)", "round of infinity or nan"),
        ("np.uint8(s.turn)", "uint8 wraps around interpreted"),
        ("-~s.turn - 1", None),
        ("int(s.stones / 2.0 ** -1) * 0", None),
    ],
)
def test_what_the_modes_would_understand_differently_is_seen_in_the_text(tmp_path, rule, said):
    file = tmp_path / "take.py"
    file.write_text("import numpy as np\n" + TAKE.replace("return s.turn\n", f"return {rule} if False else s.turn\n"))
    found = pitfalls(games.load(str(file)))
    line = 1 + file.read_text().splitlines().index(f"        return {rule} if False else s.turn")
    assert [each.partition(": ")[0] for each in found] == ([] if said is None else [f"take.py:{line}"])
    assert said is None or said in found[0]


def test_pitfalls_are_warnings(tmp_path):
    file = tmp_path / "take.py"
    file.write_text(TAKE.replace("return s.turn\n", "return ~(s.turn == 1) if False else s.turn\n"))
    report = examine_text(str(file), playouts=1, compare=False)
    assert report.ok
    assert "warning: take.py:" in str(report)


def test_our_games_have_no_pitfalls():
    assert [each for name in games.names() for each in pitfalls(games.load(name))] == []


def test_a_slice_gets_its_remedy(tmp_path):
    part = "return self.State((s.stones, 0)[: s.turn + 1][0]"
    (tmp_path / "take.py").write_text(TAKE.replace("return self.State(s.stones", part))
    assert "to change an item use replace(items, i, item)" in str(examine_text(str(tmp_path / "take.py"), playouts=1))


def test_a_base_without_all_rules_is_not_meant(tmp_path):
    (tmp_path / "take.py").write_text(
        TAKE.replace("class Take(Game):", "class Heaps(Game):\n    sign = 1\n\n\nclass Take(Heaps):")
    )
    assert games.load(str(tmp_path / "take.py")).name == "take"
