"""The property harness finds what is wrong: one little broken game for every property, and files with mistakes."""

import json
import random
from typing import NamedTuple

import numpy as np
import pytest

from counterplay import CHANCE, Bits, Game, UnreadableText
from counterplay.check import Problem, Report, examination, examine, examine_text, properties


class Take(Game):
    """Take one or two stones of six; whoever takes the last one wins. A correct game, to be broken below."""

    heap: int = 6

    class State(NamedTuple):
        stones: int
        turn: int

    def initial(self):
        return self.State(self.heap, 0)

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

    def evaluate(self, s, p):
        return self.utility(s, p) if s.stones == 0 else 0.5


class Throw(Take):
    """The same, with a coin that decides how many stones go: also correct."""

    chance = True

    def player(self, s):
        return s.turn if s.stones % 2 == 0 else CHANCE

    def probability(self, s, a):
        return 1.0 / min(2, s.stones)


# ---- one rule broken


class ListInState(Take):
    def initial(self):
        return self.State([self.heap], 0)

    def actions(self, s):
        return range(1, min(2, s.stones[0]) + 1)

    def result(self, s, a):
        return self.State([s.stones[0] - a], 1 - s.turn)

    def is_terminal(self, s):
        return s.stones[0] == 0

    evaluate = Game.evaluate


class NoneInState(Take):
    def initial(self):
        return self.State(self.heap, 0)._replace(turn=(0, None))

    def player(self, s):
        return s.turn[0]

    def result(self, s, a):
        return self.State(s.stones - a, (1 - s.turn[0], None))

    def utility(self, s, p):
        return -1.0 if s.turn[0] == p else 1.0


class NumberForState(Take):
    def initial(self):
        return self.heap

    def player(self, s):
        return s % 2

    def actions(self, s):
        return range(1, min(1, s) + 1)

    def result(self, s, a):
        return s - 1

    def is_terminal(self, s):
        return s == 0

    def utility(self, s, p):
        return 0.0

    evaluate = Game.evaluate

    def to_text(self, s):
        return str(s)


class HugeNumber(Take):
    def initial(self):
        return self.State(self.heap + 2**70, 0)

    def actions(self, s):
        return range(1, min(2, s.stones - 2**70) + 1)

    def is_terminal(self, s):
        return s.stones == 2**70

    evaluate = Game.evaluate


class FloatTurn(Take):
    def result(self, s, a):
        return self.State(s.stones - a, 1.0 - s.turn)

    def player(self, s):
        return int(s.turn)


class PlainTuple(Take):
    def result(self, s, a):
        return (s[0] - a, 1 - s[1])

    def player(self, s):
        return s[1]

    def actions(self, s):
        return range(1, min(2, s[0]) + 1)

    def is_terminal(self, s):
        return s[0] == 0

    def utility(self, s, p):
        return -1.0 if s[1] == p else 1.0

    evaluate = Game.evaluate


class GrowingWidth(Take):
    class State(NamedTuple):
        stones: int
        turn: int
        taken: Bits = Bits(3)

    def result(self, s, a):
        return self.State(s.stones - a, 1 - s.turn, Bits(s.taken.width + 1, [s.taken.width]))


class ThirdPlayer(Take):
    def player(self, s):
        return 2


class UndeclaredChance(Throw):
    chance = False


class TextActions(Take):
    def actions(self, s):
        return [str(k) for k in super().actions(s)]

    def result(self, s, a):
        return super().result(s, int(a))


class BoolActions(Take):
    def actions(self, s):
        if s.stones:
            yield True


class ActionsAfterTheEnd(Take):
    def actions(self, s):
        return range(1, 3) if s.stones != 1 else range(1, 2)


class StuckInTheMiddle(Take):
    def actions(self, s):
        return range(1, min(2, s.stones) + 1) if s.stones > 3 else range(0)


class TheSameTwice(Take):
    def actions(self, s):
        if s.stones > 0:
            yield 1
            yield 1


class LooseProbabilities(Throw):
    def probability(self, s, a):
        return 0.45


class ZeroProbability(Throw):
    def probability(self, s, a):
        return 1.0 if a == 1 else 0.0


class GreatUtility(Take):
    utility_range = (-0.5, 0.5)
    evaluate = Game.evaluate


class NaNUtility(Take):
    def utility(self, s, p):
        return float("nan")

    evaluate = Game.evaluate


class NoUtility(Take):
    def utility(self, s, p):
        pass

    evaluate = Game.evaluate


class BothWin(Take):
    def utility(self, s, p):
        return 1.0


class WrongSum(Take):
    utility_sum = 1.0


class GreatEstimate(Take):
    def evaluate(self, s, p):
        return self.utility(s, p) if s.stones == 0 else 10.0


class InfiniteEstimate(Take):
    def evaluate(self, s, p):
        return self.utility(s, p) if s.stones == 0 else float("inf")


class LateEstimate(Take):
    def evaluate(self, s, p):
        return 0.25


class SilentShow(Take):
    def show(self, s):
        pass


class OneName(Take):
    def action_name(self, s, a):
        return "take"


class NumberName(Take):
    def action_name(self, s, a):
        return a

    def parse_action(self, s, text):
        return int(text)


class OtherAction(Take):
    def parse_action(self, s, text):
        return 3 - int(text)


class UnreadName(Take):
    def parse_action(self, s, text):
        raise UnreadableText("a move is written one or two")


class OtherPosition(Take):
    def from_text(self, text):
        return self.initial()


class UnreadPosition(Take):
    def to_text(self, s):
        return "somewhere"


class NumberPosition(Take):
    def to_text(self, s):
        return s.stones

    def show(self, s):
        return "o" * s.stones


class NoPlayers(Take):
    players = 0


class UpsideDown(Take):
    utility_range = (1.0, -1.0)


class ChangingPlayer(Take):
    calls: int = 0

    def player(self, s):
        self.__dict__["calls"] += 1
        return self.calls % 2


class ChangingResult(Take):
    calls: int = 0

    def result(self, s, a):
        self.__dict__["calls"] += 1
        return self.State(s.stones - a, self.calls % 2)


class ChangingStart(Take):
    calls: int = 0

    def initial(self):
        self.__dict__["calls"] += 1
        return self.State(self.heap + self.calls % 3, 0)


class ActionsEatTheState(ListInState):
    def actions(self, s):
        yield from range(1, min(2, s.stones[0]) + 1)
        if s.stones[0] > 3:
            s.stones[0] -= 1


class OneKey(Take):
    def key(self, s):
        return 7


class HugeKey(Take):
    def key(self, s):
        return 2**70 + 2 * s.stones + s.turn


class TextKey(Take):
    def key(self, s):
        return f"{s.stones} {s.turn}"


BROKEN = [
    ("state is a tuple of numbers", ListInState, "s.stones is list [6]; use a tuple"),
    ("state is a tuple of numbers", NoneInState, "s.turn[1] is NoneType None; use a number such as -1"),
    ("state is a tuple of numbers", NumberForState, "the state is int 6; it must be a tuple"),
    ("state is a tuple of numbers", HugeNumber, "more than 64 bits"),
    ("stable state type", FloatTurn, "s.turn was int at the start and is float here"),
    ("stable state type", PlainTuple, "s was State at the start and is tuple of 2 here"),
    ("stable state type", GrowingWidth, "s.taken was Bits(3) at the start and is Bits(4) here"),
    ("player exists", ThirdPlayer, "player says 2; it must be one of 0 to 1, or CHANCE"),
    ("player exists", UndeclaredChance, "write  chance = True"),
    ("actions are integers", TextActions, "action '1' is str"),
    ("actions are integers", BoolActions, "action True is bool"),
    ("no actions at the end", ActionsAfterTheEnd, "the game is over, but actions still gives 1, 2; it must give none"),
    ("actions until the end", StuckInTheMiddle, "is_terminal says the game goes on"),
    ("each action once", TheSameTwice, "actions gives 1 more than once: 1, 1"),
    ("probabilities add up", LooseProbabilities, "add up to 0.9, not to 1"),
    ("probabilities add up", ZeroProbability, "the probabilities are 1.0, 0.0; each must be above 0"),
    ("utility in range", GreatUtility, "1.0, outside the declared utility_range from -0.5 to 0.5"),
    ("utility in range", NaNUtility, "is nan; it must be a finite number"),
    ("utility in range", NoUtility, "is None; it must be a finite number"),
    ("utilities add up", BothWin, "the utilities 1.0, 1.0 add up to 2, not to 0"),
    ("utilities add up", WrongSum, "add up to 0, not to 1"),
    ("evaluate in range", GreatEstimate, "the estimate for player 0 is 10.0, outside the declared"),
    ("evaluate in range", InfiniteEstimate, "the estimate for player 0 is inf; it must be a finite number"),
    ("evaluate exact at the end", LateEstimate, "evaluate says 0.25 and must say the same"),
    ("show gives text", SilentShow, "show gives None, not a text"),
    ("action names differ", OneName, "actions 1 and 2 have the same name 'take'"),
    ("action names differ", NumberName, "action_name gives 1 for action 1, not a text"),
    ("action names read back", OtherAction, "action 1 is called '1', but parse_action reads that as 2"),
    ("action names read back", UnreadName, "a move is written one or two"),
    ("position text reads back", OtherPosition, "which from_text reads as State(stones=6, turn=0), not as"),
    ("position text reads back", UnreadPosition, "'somewhere', which from_text does not read"),
    ("position text reads back", NumberPosition, "to_text gives 6, not a text"),
    ("declarations make sense", NoPlayers, "players is 0; it must be an integer from 1 up"),
    ("declarations make sense", UpsideDown, "utility_range is 1.0, -1.0; it must be the least and the greatest"),
    ("same answers again", ChangingPlayer, "when asked again; do the rules remember anything?"),
    ("same answers again", ChangingResult, "result was State("),
    ("same answers again", ChangingStart, "state was State("),
    ("keys tell states apart", OneKey, "are different, but have the same key 7"),
    ("keys tell states apart", HugeKey, "it must be an integer of 64 bits"),
    ("keys tell states apart", TextKey, "key says '6 0'; it must be an integer of 64 bits"),
]


@pytest.mark.parametrize(("name", "broken", "words"), BROKEN, ids=[cls.__name__ for _, cls, _ in BROKEN])
def test_a_broken_rule_is_found_and_nothing_else(name, broken, words):
    report = examine(broken(), compare=False)
    assert [problem.property for problem in report.problems] == [name]
    assert words in report.problems[0].message


def test_every_property_is_broken_by_some_game():
    tables = [*properties._OF_STATES.values(), *properties._OF_TEXTS.values()]
    names = {function.__name__.replace("_", " ") for functions in tables for function in functions}
    assert names <= {name for name, _, _ in BROKEN}


@pytest.mark.parametrize("correct", [Take, Throw])
def test_a_correct_game_is_ok_and_runs_in_both_modes(correct):
    report = examine(correct())
    assert report.ok, report
    assert report.both_modes
    assert report.games_played == 20
    assert 20 * 4 <= report.states_seen <= 20 * 7
    assert "no problem in 20 random games" in str(report)


def test_a_changed_state_is_found():
    report = examine(ActionsEatTheState())
    assert "state unchanged" in {problem.property for problem in report.problems}
    message = next(problem.message for problem in report.problems if problem.property == "state unchanged")
    assert "actions changed the state it was given, which was State(stones=[6], turn=0)" in message


def test_a_message_says_where_in_the_game_and_where_in_the_file():
    problem = examine(LateEstimate(), compare=False).problems[0]
    assert "in position 'stones=0 turn=" in problem.message
    assert "moves: " in problem.message
    assert problem.where == f"test_check.py:{LateEstimate.evaluate.__code__.co_firstlineno}"
    assert str(problem) == f"{problem.where}: [evaluate exact at the end] {problem.message}"


def test_a_report_is_plain_data():
    data = examine(BothWin(), playouts=3, compare=False).as_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["ok"] is False
    assert data["games_played"] == 3
    assert data["problems"][0]["property"] == "utilities add up"
    assert (data["both_modes"], data["why_not"]) == (False, "played interpreted only, as asked")


def test_the_text_of_a_report_counts_problems():
    problem = Problem("a property", "is wrong", "file.py:3")
    assert str(Report("take", (problem,))).splitlines() == ["take: 1 problem", "  file.py:3: [a property] is wrong"]
    assert str(Report("take", (problem, problem))).startswith("take: 2 problems")


# ---- exceptions


class Failing(Take):
    def utility(self, s, p):
        return s.stone / 2

    def show(self, s):
        return self.State.nothing

    evaluate = Game.evaluate


class FailingStart(Take):
    def initial(self):
        return self.State(self.heap, 0, 0)


class Forgetful(Take):
    def actions(self, s):
        heap  # noqa: B018, F821


def test_exceptions_are_told_with_their_lines_and_the_rest_goes_on():
    report = examine(Failing())
    assert {problem.property for problem in report.problems} == {"no exception"}
    first, second = report.problems
    assert (
        "utility fails: AttributeError: 'State' object has no attribute 'stone'; did you mean 'stones'?"
        in first.message
    )
    assert "return s.stone / 2" in first.message
    assert first.where == f"test_check.py:{Failing.utility.__code__.co_firstlineno + 1}"
    assert "show fails: AttributeError" in second.message
    assert (report.both_modes, report.games_played) == (False, 20)
    assert "not compared" in report.why_not


class FailingLater(Take):
    """Where the random game of the test does not go."""

    def evaluate(self, s, p):
        return 1 / (s.stones - 5) if s.stones == 5 else 0.5 if s.stones else self.utility(s, p)


class FailingPriority(Take):
    def priority(self, s, a):
        return (1.0,)[a]


class DrawnPlayer(Take):
    def player(self, s):
        return np.zeros(2)

    def is_terminal(self, s):
        return np.bool_(s.stones == 0)


class ManyAtTheEnd(Take):
    def is_terminal(self, s):
        return np.zeros(2) == s.stones


class MutableState(Take):
    def initial(self):
        return Memory(self.heap)


class Memory:
    def __init__(self, stones):
        self.stones, self.turn = stones, 0

    def __repr__(self):
        return f"Memory({self.stones})"


def test_minimax_may_fail_where_random_games_did_not_go():
    (problem,) = examine(FailingLater(heap=9), playouts=1).problems
    assert "minimax fails: ZeroDivisionError: division by zero, in  return 1 / (s.stones - 5)" in problem.message


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (FailingPriority, "priority fails: IndexError: tuple index out of range, in  return (1.0,)[a]"),
        (DrawnPlayer, "player says array([0., 0.]); it must be one of 0 to 1, or CHANCE"),
        (ManyAtTheEnd, "is_terminal fails: ValueError: The truth value of an array"),
        (MutableState, "the state is Memory Memory(6); it must be a tuple, best a NamedTuple"),
    ],
)
def test_strange_answers_stop_nothing(broken, words):
    assert words in str(examine(broken()))


def test_a_game_that_cannot_begin():
    report = examine(FailingStart())
    assert [problem.property for problem in report.problems] == ["no exception"]
    assert "initial fails: TypeError" in report.problems[0].message
    assert (report.states_seen, report.both_modes) == (0, False)


def test_an_attribute_without_self():
    report = examine(Forgetful())
    assert "did you mean 'self.heap'?" in report.problems[0].message


# ---- compiled and interpreted


# Interpreted, integers grow as they must; compiled, they have 64 bits.


class OverflowingEstimate(Take):
    def evaluate(self, s, p):
        if s.stones == 0:
            return self.utility(s, p)
        return 0.5 if s.stones << 61 > 0 else 0.25


class OverflowingResult(Take):
    def result(self, s, a):
        return self.State(s.stones - a, 1 - s.turn if s.stones << 61 > 0 else s.turn)


class OverflowingFailure(Take):
    def player(self, s):
        if s.stones << 61 < 0:
            raise ValueError("less than nothing")
        return s.turn


class SeldomOverflowing(Take):
    """Right wherever the random game of the test goes, but not where minimax looks."""

    def evaluate(self, s, p):
        if s.stones == 0:
            return self.utility(s, p)
        return 0.5 if s.stones != 5 or s.stones << 61 > 0 else 0.75


class Writing(Take):
    def player(self, s):
        return s.turn if json.dumps([s.turn]) else 0


class Several(Take):
    """Three players, for whom there is no minimax."""

    players = 3

    def result(self, s, a):
        return self.State(s.stones - a, (s.turn + 1) % 3)

    def utility(self, s, p):
        return -1.0 if s.turn == p else 0.5


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (OverflowingEstimate, "evaluate: 0.5 interpreted, 0.25 compiled"),
        (OverflowingResult, "result: State(stones="),
        (OverflowingFailure, "compiled, but not interpreted, the rules fail: ValueError: less than nothing"),
    ],
)
def test_modes_that_differ_are_found(broken, words):
    report = examine(broken())
    assert [problem.property for problem in report.problems] == ["compiled and interpreted agree"]
    assert words in report.problems[0].message


def test_minimax_looks_where_random_games_did_not_go():
    report = examine(SeldomOverflowing(heap=9), playouts=1, seed=0)
    assert [problem.property for problem in report.problems] == ["compiled and interpreted agree"]
    assert "minimax 3 plies ahead: value, nodes and line are (" in report.problems[0].message


def test_a_game_that_does_not_compile_runs_interpreted():
    report = examine(Writing())
    assert report.ok
    assert not report.both_modes
    assert report.why_not.startswith("runs interpreted only: ")
    assert "numba" not in report.why_not.lower()


def test_a_game_without_minimax_is_compared_too():
    report = examine(Several())
    assert report.ok, report
    assert report.both_modes


# ---- no false alarm


class NumPyNumbers(Take):
    table: tuple = (0, 1)

    def result(self, s, a):
        return self.State(np.int64(s.stones - a), np.array(self.table)[1 - s.turn])

    def actions(self, s):
        return np.arange(1, min(2, s.stones) + 1)

    def utility(self, s, p):
        return np.float64(-1.0 if s.turn == p else 1.0)

    def to_text(self, s):
        return f"{s.stones},{s.turn}"

    def from_text(self, text):
        return self.State(*map(int, text.split(",")))


class NotANumber(Take):
    class State(NamedTuple):
        stones: int
        turn: int
        rest: float = float("nan")

    to_text, from_text = NumPyNumbers.to_text, NumPyNumbers.from_text

    def result(self, s, a):
        return self.State(s.stones - a, 1 - s.turn, s.rest * 2)


class Endless(Take):
    """Nobody ever wins, and every drawing is counted."""

    shows: int = 0

    def actions(self, s):
        return range(1, 2)

    def result(self, s, a):
        return self.State(s.stones + 1, 1 - s.turn)

    def is_terminal(self, s):
        return False

    evaluate = Game.evaluate

    def show(self, s):
        self.__dict__["shows"] += 1
        return "."


def test_numpy_numbers_and_nan_are_no_problem():
    for game in (NumPyNumbers(), NotANumber()):
        report = examine(game)
        assert report.ok, report
        assert report.both_modes, report


def test_an_endless_game_ends_and_few_of_its_states_are_drawn():
    game = Endless()
    report = examine(game, playouts=2, compare=False)
    assert report.ok, report
    assert report.states_seen == 2 * examination.PLIES
    assert 100 < game.shows <= properties.TEXTS


# ---- files

NIM = """from typing import NamedTuple
from counterplay import Game

class Nim(Game):
    heap: int = 5

    class State(NamedTuple):
        stones: int
        turn: int

    def initial(self):
        return self.State(self.heap, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return range(1, min(3, s.stones) + 1)

    def result(self, s, a):
        return self.State(s.stones - a, 1 - s.turn)

    def is_terminal(self, s):
        return s.stones == 0

    def utility(self, s, p):
        return -1.0 if s.turn == p else 1.0
"""


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
        ("min(3", "mim(3", "no exception", "name 'mim' is not defined; did you mean 'min'?"),
        ("1 - s.turn", '"b" + s.turn', "no exception", "result fails: TypeError: can only concatenate str"),
        ("def player(self, s)", "def player(self)", "no exception", "takes 1 positional argument but 2 were given"),
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


def test_the_same_seed_gives_the_same_report():
    random.seed(1)
    first = examine(Take(), playouts=5, seed=3, compare=False)
    random.seed(2)
    assert examine(Take(), playouts=5, seed=3, compare=False) == first
    assert examine(Take(), playouts=5, seed=4, compare=False) != first
