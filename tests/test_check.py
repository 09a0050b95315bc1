"""The property harness finds what is wrong: one little broken game for every property."""

import json
import random
from typing import NamedTuple

import numpy as np
import pytest

from counterplay import CHANCE, Bits, Game, UnreadableText
from counterplay.study.check import Problem, Report, examination, examine, properties
from tests.small_games import Nim

pytestmark = pytest.mark.long


class Take(Nim):
    """One or two stones of six. A correct game, to be broken below."""

    heap: int = 6
    most: int = 2

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


class Wide(NamedTuple):
    stones: int
    turn: int
    taken: Bits = Bits(3)


def counted(game):
    """How often the game was asked: what rules must not know."""
    game.__dict__["calls"] = game.__dict__.get("calls", 0) + 1
    return game.calls


def unreadable(self, s, text):
    raise UnreadableText("a move is written one or two")


def take(**rules):
    """The game of taking stones with some rules changed."""
    return type("Broken", (Take,), rules)


def throw(**rules):
    return type("Broken", (Throw,), rules)


MIDDLE = {"evaluate": Game.evaluate}
IN_A_LIST = take(
    initial=lambda self: self.State([self.heap], 0),
    actions=lambda self, s: range(1, min(2, s.stones[0]) + 1),
    result=lambda self, s, a: self.State([s.stones[0] - a], 1 - s.turn),
    is_terminal=lambda self, s: s.stones[0] == 0,
    **MIDDLE,
)
IN_A_PAIR = take(
    initial=lambda self: self.State(self.heap, (0, None)),
    player=lambda self, s: s.turn[0],
    result=lambda self, s, a: self.State(s.stones - a, (1 - s.turn[0], None)),
    utility=lambda self, s, p: -1.0 if s.turn[0] == p else 1.0,
)
A_NUMBER = take(
    initial=lambda self: self.heap,
    player=lambda self, s: s % 2,
    actions=lambda self, s: range(min(1, s)),
    result=lambda self, s, a: s - 1,
    is_terminal=lambda self, s: s == 0,
    utility=lambda self, s, p: 0.0,
    **MIDDLE,
)
A_HUGE_NUMBER = take(
    initial=lambda self: self.State(self.heap + 2**70, 0),
    actions=lambda self, s: range(1, min(2, s.stones - 2**70) + 1),
    is_terminal=lambda self, s: s.stones == 2**70,
    **MIDDLE,
)
A_FLOAT_LATER = take(
    result=lambda self, s, a: self.State(s.stones - a, 1.0 - s.turn), player=lambda self, s: int(s.turn)
)
A_PLAIN_TUPLE_LATER = take(
    player=lambda self, s: s[1],
    actions=lambda self, s: range(1, min(2, s[0]) + 1),
    result=lambda self, s, a: (s[0] - a, 1 - s[1]),
    is_terminal=lambda self, s: s[0] == 0,
    utility=lambda self, s, p: -1.0 if s[1] == p else 1.0,
    **MIDDLE,
)
MORE_SQUARES_LATER = take(
    State=Wide, result=lambda self, s, a: Wide(s.stones - a, 1 - s.turn, Bits(s.taken.width + 1, [s.taken.width]))
)

# The property that fails, what is said, and the game.
BROKEN = [
    ("state is a tuple of numbers", "s.stones is list [6]; use a tuple", IN_A_LIST),
    ("state is a tuple of numbers", "s.turn[1] is NoneType None; use a number such as -1", IN_A_PAIR),
    ("state is a tuple of numbers", "the state is int 6; it must be a tuple", A_NUMBER),
    ("state is a tuple of numbers", "more than 64 bits", A_HUGE_NUMBER),
    ("stable state type", "s.turn was int at the start and is float here", A_FLOAT_LATER),
    ("count actions counts them", "count_actions says 3, but actions gives 2", take(count_actions=lambda self, s: 3)),
    ("sample gives them by number", "number 1 of 2 actions: 2", take(sample=lambda self, s, r: 1)),
    (
        "quick action is legal",
        "quick_action gives 3, which is none",
        take(quick_action=lambda self, s, last, random: 3),
    ),
    (
        "noisy actions are all that are noisy",
        "noisy_actions leaves out 1, which is noisy; it gives 2",
        take(is_noisy=lambda self, s, a: True, noisy_actions=lambda self, s: range(2, min(2, s.stones) + 1)),
    ),
    (
        "noisy actions are all that are noisy",
        "noisy_actions gives 3, which are not in this order among the actions",
        take(is_noisy=lambda self, s, a: False, noisy_actions=lambda self, s: [3]),
    ),
    (
        "quiet actions are the others",
        "quiet_actions gives 2, but noisy_actions leaves out 1, 2",
        take(quiet_actions=lambda self, s: range(2, min(2, s.stones) + 1)),
    ),
    (
        "urgent actions are all quiet ones that are",
        "urgent_actions leaves out 1, which makes the position urgent; it gives 2",
        take(is_urgent=lambda self, s: True, urgent_actions=lambda self, s: range(2, min(2, s.stones) + 1)),
    ),
    (
        "urgent actions are all quiet ones that are",
        "urgent_actions gives 3, which are not in this order among the quiet ones",
        take(urgent_actions=lambda self, s: [3]),
    ),
    (
        "makes urgent foresees",
        "makes_urgent says False of 1, but is_urgent says True after it",
        take(is_urgent=lambda self, s: True, makes_urgent=lambda self, s, a: False),
    ),
    ("stable state type", "s was State at the start and is tuple of 2 here", A_PLAIN_TUPLE_LATER),
    ("stable state type", "s.taken was Bits(3) at the start and is Bits(4) here", MORE_SQUARES_LATER),
    ("player exists", "player says 2; it must be one of 0 to 1, or CHANCE", take(player=lambda self, s: 2)),
    ("player exists", "write  chance = True", throw(chance=False)),
    (
        "actions are integers",
        "action '1' is str",
        take(
            actions=lambda self, s: [str(k) for k in Take.actions(self, s)],
            result=lambda self, s, a: Take.result(self, s, int(a)),
        ),
    ),
    ("actions are integers", "action True is bool", take(actions=lambda self, s: [True] * (s.stones > 0))),
    (
        "no actions at the end",
        "the game is over, but actions still gives 1, 2; it must give none",
        take(actions=lambda self, s: range(1, 3) if s.stones != 1 else range(1, 2)),
    ),
    (
        "actions until the end",
        "is_terminal says the game goes on",
        take(actions=lambda self, s: range(1, min(2, s.stones) + 1) if s.stones > 3 else range(0)),
    ),
    (
        "each action once",
        "actions gives 1 more than once: 1, 1",
        take(actions=lambda self, s: [1, 1] if s.stones else []),
    ),
    ("probabilities add up", "add up to 0.9, not to 1", throw(probability=lambda self, s, a: 0.45)),
    (
        "probabilities add up",
        "the probabilities are 1.0, 0.0; each must be above 0",
        throw(probability=lambda self, s, a: 2.0 - a),
    ),
    (
        "utility in range",
        "1.0, outside the declared utility_range from -0.5 to 0.5",
        take(utility_range=(-0.5, 0.5), **MIDDLE),
    ),
    ("utility in range", "is nan; it must be a finite number", take(utility=lambda self, s, p: float("nan"), **MIDDLE)),
    ("utility in range", "is None; it must be a finite number", take(utility=lambda self, s, p: None, **MIDDLE)),
    ("utilities add up", "the utilities 1.0, 1.0 add up to 2, not to 0", take(utility=lambda self, s, p: 1.0)),
    ("utilities add up", "add up to 0, not to 1", take(utility_sum=1.0)),
    (
        "evaluate in range",
        "the estimate for player 0 is 10.0, outside the declared utility_range",
        take(evaluate=lambda self, s, p: 10.0 if s.stones else self.utility(s, p)),
    ),
    (
        "evaluate in range",
        "the estimate for player 0 is inf; it must be a finite number",
        take(evaluate=lambda self, s, p: float("inf") if s.stones else self.utility(s, p)),
    ),
    ("evaluate exact at the end", "evaluate says 0.25 and must say the same", take(evaluate=lambda self, s, p: 0.25)),
    ("show gives text", "show gives None, not a text", take(show=lambda self, s: None)),
    ("action names differ", "actions 1 and 2 have the same name 'take'", take(action_name=lambda self, s, a: "take")),
    (
        "action names differ",
        "action_name gives 1 for action 1, not a text",
        take(action_name=lambda self, s, a: a, parse_action=lambda self, s, text: int(text)),
    ),
    (
        "action names read back",
        "action 1 is called '1', but parse_action reads that as 2",
        take(parse_action=lambda self, s, text: 3 - int(text)),
    ),
    ("action names read back", "a move is written one or two", take(parse_action=unreadable)),
    (
        "position text reads back",
        "which from_text reads as State(stones=6, turn=0), not as",
        take(from_text=lambda self, text: self.initial()),
    ),
    (
        "position text reads back",
        "'somewhere', which from_text does not read",
        take(to_text=lambda self, s: "somewhere"),
    ),
    (
        "position text reads back",
        "to_text gives 6, not a text",
        take(to_text=lambda self, s: s.stones, show=lambda self, s: "o" * s.stones),
    ),
    ("declarations make sense", "players is 0; it must be an integer from 1 up", take(players=0)),
    (
        "declarations make sense",
        "utility_range is 1.0, -1.0; it must be the least and the greatest",
        take(utility_range=(1.0, -1.0)),
    ),
    (
        "same answers again",
        "when asked again; do the rules remember anything?",
        take(player=lambda self, s: counted(self) % 2),
    ),
    (
        "same answers again",
        "result was State(",
        take(result=lambda self, s, a: self.State(s.stones - a, counted(self) % 2)),
    ),
    ("same answers again", "state was State(", take(initial=lambda self: self.State(self.heap + counted(self) % 3, 0))),
    ("keys tell states apart", "are different, but have the same key 7", take(key=lambda self, s: 7)),
    (
        "canonical stands for all",
        "where the player to move or the end of the game is another",
        take(canonical=lambda self, s: self.State(s.stones, 1)),
    ),
    (
        "images lead to images",
        "does not lead to image 0 of where that leads",
        take(symmetries=((0,),), image=lambda self, s, k: self.State(s.stones, 0)),
    ),
    (
        "earned is in range",
        "the sums earned 1.0, 1.0 add up to 2, not to 0",
        take(earned=lambda self, s, p: 1.0),
    ),
    (
        "earned is in range",
        "the sum earned for player 0 is 6.0, outside the declared utility_range",
        take(earned=lambda self, s, p: float(s.stones) if p == 0 else -float(s.stones)),
    ),
    (
        "plies left is true",
        "it must be less after every move",
        take(plies_left=lambda self, s: self.heap if s.stones else 0),
    ),
    (
        "sound actions are those that do not lose",
        "sound_actions gives 1, 2, but the actions that do not lose at once are",
        take(sound_actions=lambda self, s: range(1, min(2, s.stones) + 1)),
    ),
    (
        "still possible is true",
        "still_possible says 0 to 1, but",
        take(still_possible=lambda self, s: (-1.0 if s.stones > 3 else 0.0, 1.0)),
    ),
    ("glance is a number", "it must be a finite number", take(glance=lambda self, s, a: float("nan"))),
    (
        "finish is minimax",
        "but the value is",
        take(plies_left=lambda self, s: s.stones, finish_plies=4, finish=lambda self, s, low, high: 1.0),
    ),
    (
        "keys tell states apart",
        "it must be an integer of 64 bits",
        take(key=lambda self, s: 2**70 + 2 * s.stones + s.turn),
    ),
    ("keys tell states apart", "key says '(6, 0)'; it must be an integer", take(key=lambda self, s: f"{tuple(s)}")),
]


@pytest.mark.parametrize(("name", "words", "broken"), BROKEN)
def test_a_broken_rule_is_found_and_nothing_else(name, words, broken):
    report = examine(broken(), compare=False)
    assert [problem.property for problem in report.problems] == [name]
    assert words in report.problems[0].message


def test_every_property_is_broken_by_some_game():
    tables = [*properties._OF_STATES.values(), *properties._OF_TEXTS.values()]
    names = {function.__name__.replace("_", " ") for functions in tables for function in functions}
    assert names <= {name for name, *_ in BROKEN}


@pytest.mark.parametrize("correct", [Take, Throw])
def test_a_correct_game_is_ok_and_runs_in_both_modes(correct):
    report = examine(correct())
    assert report.ok, report
    assert report.both_modes
    assert report.games_played == 20
    assert 20 * 4 <= report.states_seen <= 20 * 7
    assert "no problem in 20 random games" in str(report)


def test_a_changed_state_is_found():
    def actions(self, s):
        yield from range(1, min(2, s.stones[0]) + 1)
        if s.stones[0] > 3:
            s.stones[0] -= 1

    report = examine(type("Eating", (IN_A_LIST,), {"actions": actions})())
    assert "state unchanged" in {problem.property for problem in report.problems}
    message = next(problem.message for problem in report.problems if problem.property == "state unchanged")
    assert "actions changed the state it was given, which was State(stones=[6], turn=0)" in message


class LateEstimate(Take):
    def evaluate(self, s, p):
        return 0.25


def test_a_message_says_where_in_the_game_and_where_in_the_file():
    problem = examine(LateEstimate(), compare=False).problems[0]
    assert "in position 'stones=0 turn=" in problem.message
    assert "moves: " in problem.message
    assert problem.where == f"test_check.py:{LateEstimate.evaluate.__code__.co_firstlineno}"
    assert str(problem) == f"{problem.where}: [evaluate exact at the end] {problem.message}"


def test_a_report_is_plain_data():
    data = examine(LateEstimate(), playouts=3, compare=False).as_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["ok"] is False
    assert data["games_played"] == 3
    assert data["problems"][0]["property"] == "evaluate exact at the end"
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
    assert [problem.property for problem in report.problems] == ["games end"], report
    assert report.states_seen == 2 * examination.PLIES
    assert 100 < game.shows <= properties.TEXTS


def test_the_same_seed_gives_the_same_report():
    random.seed(1)
    first = examine(Take(), playouts=5, seed=3, compare=False)
    random.seed(2)
    assert examine(Take(), playouts=5, seed=3, compare=False) == first
    assert examine(Take(), playouts=5, seed=4, compare=False) != first
