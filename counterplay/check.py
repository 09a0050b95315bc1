"""Whether a game keeps its word: random games are played, and every state must have the properties listed below.

    report = examine(game)             # a game
    report = examine_text("mine.py")   # a game in a file, with whatever may be wrong in the file
    report.ok, print(report)

Among the properties is our central claim: the same games, interpreted and compiled, agree in every state and number.
Each kind of problem is reported once, with its first example, in the words of someone who wrote rules.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import inspect
import linecache
import math
import re
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import counterplay
from counterplay import games, search
from counterplay.bits import Bits
from counterplay.game import CHANCE, RULES, Game, RulesError, UnreadableText
from counterplay.native import CannotCompile, compiled, interpreted, native
from counterplay.primitives import mix64
from counterplay.search.playout import choose

__all__ = ["Problem", "Report", "examine", "examine_text"]

PLIES = 2_000  # a random game is left here, so that an endless one does not keep us
STATES = 10_000  # in all random games together
TEXTS = 300  # states whose texts are looked at: a drawing may be slow
NODES = 5_000  # about as many for the minimax that is run in both modes

_FAILED: Any = object()


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a game."""

    property: str
    """What should hold: a short name that stays the same."""
    message: str
    where: str | None = None
    """`file.py:12`, when known."""

    def __str__(self) -> str:
        return (f"{self.where}: " if self.where else "") + f"[{self.property}] {self.message}"


@dataclass(frozen=True)
class Report:
    """What an examination looked at, and what it found."""

    game: str
    problems: tuple[Problem, ...]
    games_played: int = 0
    states_seen: int = 0
    both_modes: bool = False
    """Whether the same games were played compiled and interpreted."""
    why_not: str | None = None
    """Why only one mode was used."""

    @property
    def ok(self) -> bool:
        return not self.problems

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "problems": [asdict(problem) for problem in self.problems], "ok": self.ok}

    def __str__(self) -> str:
        n = len(self.problems)
        found = "no problem" if n == 0 else "1 problem" if n == 1 else f"{n} problems"
        lines = [f"{self.game}: {found} in {self.games_played} random games with {self.states_seen:,} states"]
        lines += [f"  {problem}" for problem in self.problems]
        if self.both_modes:
            lines.append("  compiled and interpreted were compared")
        return "\n".join([*lines, f"  {self.why_not}"] if self.why_not else lines)


@dataclass
class _Seen:
    """A state of a random game, how it came about, and what the rules say of it (no entry where a rule failed)."""

    state: Any
    path: list[tuple[Any, int]]  # every state of its game with the action taken there
    ply: int
    answers: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.fixed = _unfit(self.state) is None
        self.shown = "" if self.fixed else repr(self.state)

    @property
    def over(self) -> bool:
        return bool(self.answers.get("is_terminal"))


class _Examination:
    """The game, the states seen, and the problems found so far: the first of each kind."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game, self.seed = game, seed
        self.seen: list[_Seen] = []
        self.problems: dict[tuple[str, str | None], Problem] = {}

    def note(self, property: str, rule: str, message: str, it: _Seen | None = None, where: str | None = None) -> None:
        kind = (property, where)
        if kind not in self.problems:
            place = f" ({_position(self.game, it)})" if it is not None else ""
            self.problems[kind] = Problem(property, message + place, where or _line_of(self.game, rule))

    def attempt(self, rule: str, function: Callable[..., Any], *args: Any, it: _Seen | None = None) -> Any:
        """Call a rule, or something about it; an exception is a problem, and so is a changed state."""
        try:
            answer = function(*args)
        except Exception as error:
            where, code = _innermost(error, _folders(self.game))
            self.note(
                "no exception", rule, f"{rule} fails: {_reason(error)}{code}", it, where or _line_of(self.game, rule)
            )
            return _FAILED
        finally:
            if it is not None and not it.fixed and repr(it.state) != it.shown:
                self.note("state unchanged", rule, f"{rule} changed the state it was given, which was {it.shown}", it)
        return answer

    def test(self, table: _Table, it: _Seen) -> None:
        """Note what the properties of a table have to say about a state."""
        for name, rule, wrong in table:
            if (table is _TEXT_PROPERTIES or rule in it.answers) and (name, None) not in self.problems:
                message = self.attempt(rule, wrong, self.game, it, it=it)
                if message not in (None, _FAILED):
                    self.note(name, rule, message, it)


# ---- the properties of one state: what is wrong, or None


def _state_fits(game: Game, it: _Seen) -> str | None:
    """State is a tuple of numbers, `Bits` and tuples of these."""
    return _unfit(it.state)


def _is_true_or_false(game: Game, it: _Seen) -> str | None:
    """True or false: what is_terminal answers."""
    over = it.answers["is_terminal"]
    fine = isinstance(over, bool | np.bool_ | int | Bits)
    return None if fine else f"is_terminal says {over!r}, not True or False; does it return something on every path?"


def _player_exists(game: Game, it: _Seen) -> str | None:
    """Player is one of those declared."""
    p = it.answers["player"]
    if not isinstance(p, int | np.integer) or not -1 <= p < game.players:
        return f"player says {p!r}; it must be one of 0 to {game.players - 1}, or CHANCE"
    if p == CHANCE and not game.chance:
        return "CHANCE moves, but the game does not say so: write  chance = True  in the class"
    return None


def _actions_are_integers(game: Game, it: _Seen) -> str | None:
    """Actions are integers."""
    for a in it.answers["actions"]:
        if not isinstance(a, int | np.integer) or isinstance(a, bool) or abs(a) >= 2**63:
            return f"action {a!r} is {_kind(a)}; an action is an integer of at most 64 bits"
    return None


def _no_actions_at_the_end(game: Game, it: _Seen) -> str | None:
    """No actions at the end of the game."""
    actions = it.answers["actions"]
    if it.over and actions:
        return f"the game is over, but actions still gives {_listed(actions)}; it must give none"
    return None


def _actions_before_the_end(game: Game, it: _Seen) -> str | None:
    """Actions before the end of the game."""
    if it.answers.get("is_terminal", True) or it.answers["actions"]:
        return None
    return "there is no action, but is_terminal says the game goes on; end it, or give an action for passing"


def _actions_differ(game: Game, it: _Seen) -> str | None:
    """Actions are given once each."""
    actions = it.answers["actions"]
    twice = [a for i, a in enumerate(actions) if a in actions[:i]] if len(set(actions)) < len(actions) else []
    return f"actions gives {_listed(twice[:1])} more than once: {_listed(actions)}" if twice else None


def _probabilities_add_up(game: Game, it: _Seen) -> str | None:
    """Probabilities are positive with sum 1."""
    chances = it.answers["probability"]
    if not all(_is_number(x) and x > 0 for x in chances):
        return f"the probabilities are {_listed(chances)}; each must be above 0 (leave out what cannot happen)"
    total = math.fsum(chances)
    return None if abs(total - 1.0) <= 1e-9 else f"the probabilities {_listed(chances)} add up to {total:g}, not to 1"


def _utilities_are_numbers(game: Game, it: _Seen) -> str | None:
    """Utilities are finite numbers."""
    for p, u in enumerate(it.answers["utility"]):
        if not _is_number(u) or not math.isfinite(u):
            return f"the utility of player {p} is {u!r}; it must be a finite number"
    return None


def _utilities_in_range(game: Game, it: _Seen) -> str | None:
    """Utilities lie in utility_range."""
    return _outside(game, it.answers["utility"], "utility")


def _utilities_add_up(game: Game, it: _Seen) -> str | None:
    """Utilities add up to utility_sum, if the game says zero_sum."""
    utilities = it.answers["utility"]
    if not game.zero_sum or game.players == 1 or not all(map(_is_number, utilities)):
        return None
    total = sum(utilities)
    if math.isnan(total) or math.isclose(total, game.utility_sum, rel_tol=1e-9, abs_tol=_slack(game)):
        return None
    return f"the utilities {_listed(utilities)} add up to {total:g}, not {game.utility_sum:g}; if so, zero_sum = False"


def _estimates_end_right(game: Game, it: _Seen) -> str | None:
    """Evaluate is exact at the end."""
    for p, (v, u) in enumerate(zip(it.answers["evaluate"], it.answers.get("utility", ()), strict=False)):
        if _plain(v) != _plain(u):
            return f"the game is over, with utility {u!r} for player {p}, but evaluate says {v!r}; it must say the same"
    return None


def _estimates_in_range(game: Game, it: _Seen) -> str | None:
    """Evaluate lies in utility_range."""
    return None if it.over else _outside(game, it.answers["evaluate"], "estimate")


def _key_fits(game: Game, it: _Seen) -> str | None:
    """Key is a 64-bit integer."""
    key = it.answers["key"]
    fine = isinstance(key, int | np.integer) and -(2**63) <= key < 2**64
    return None if fine else f"key says {key!r}, which is not an integer of 64 bits"


def _shows_text(game: Game, it: _Seen) -> str | None:
    """Show gives a text."""
    shown = game.show(it.state)
    return None if isinstance(shown, str) else f"show gives {shown!r}, not a text"


def _names_differ(game: Game, it: _Seen) -> str | None:
    """Action names are distinct texts."""
    named: dict[str, int] = {}
    for a in it.answers.get("actions", ()):
        name = game.action_name(it.state, a)
        if not isinstance(name, str):
            return f"action_name gives {name!r} for action {a}, not a text"
        if named.setdefault(name, a) != a:
            return f"actions {named[name]} and {a} have the same name '{name}'"
    return None


def _names_read_back(game: Game, it: _Seen) -> str | None:
    """Action names are read back by parse_action."""
    actions = list(dict.fromkeys(it.answers.get("actions", ())))
    names = [game.action_name(it.state, a) for a in actions]
    if len({*map(str, names)}) < len(names):
        return None  # said already
    for a, name in list(zip(actions, names, strict=True))[:: 1 + len(names) // 8]:
        try:
            if (back := game.parse_action(it.state, name)) != a:
                return f"action {a} is called '{name}', but parse_action reads that as action {back!r}"
        except ValueError as error:
            return f"action {a} is called '{name}', but parse_action does not read that: {error}"
    return None


def _text_reads_back(game: Game, it: _Seen) -> str | None:
    """Position text is read back by from_text."""
    text = game.to_text(it.state)
    if not isinstance(text, str):
        return f"to_text gives {text!r}, not a text"
    try:
        back = game.from_text(text)
    except ValueError as error:
        return f"to_text gives '{text}', which from_text does not read: {error}"
    if _same(back, it.state) and _kind(back) == _kind(it.state):
        return None
    return f"to_text gives '{text}', which from_text reads as {back!r}, not {it.state!r}"


_Table = tuple[tuple[str, str, Callable[[Game, _Seen], str | None]], ...]

# The name of the property, the rule that must keep it, what is wrong.
_STATE_PROPERTIES: _Table = (
    ("state is a tuple of numbers", "is_terminal", _state_fits),
    ("is_terminal is true or false", "is_terminal", _is_true_or_false),
    ("player exists", "player", _player_exists),
    ("actions are integers", "actions", _actions_are_integers),
    ("no actions at the end", "actions", _no_actions_at_the_end),
    ("actions before the end", "actions", _actions_before_the_end),
    ("each action once", "actions", _actions_differ),
    ("probabilities add up", "probability", _probabilities_add_up),
    ("utilities are finite", "utility", _utilities_are_numbers),
    ("utilities in range", "utility", _utilities_in_range),
    ("utilities add up", "utility", _utilities_add_up),
    ("evaluate exact at the end", "evaluate", _estimates_end_right),
    ("evaluate in range", "evaluate", _estimates_in_range),
    ("key has 64 bits", "key", _key_fits),
)
_TEXT_PROPERTIES: _Table = (
    ("show gives text", "show", _shows_text),
    ("action names differ", "action_name", _names_differ),
    ("action names read back", "parse_action", _names_read_back),
    ("position text reads back", "from_text", _text_reads_back),
)


# ---- the properties of whole games


def _declarations(exam: _Examination) -> None:
    """Declarations make sense: players, utility_range, utility_sum."""
    game, name = exam.game, "declarations make sense"
    players = exam.attempt("players", lambda: game.players)
    if players is not _FAILED and (not isinstance(players, int) or players < 1):
        exam.note(name, "players", f"players is {players!r}; it must be a whole number from 1 up")
    bounds = exam.attempt("utility_range", lambda: game.utility_range)
    if bounds is not _FAILED:
        pair = (
            isinstance(bounds, tuple) and len(bounds) == 2 and all(_is_number(x) and math.isfinite(x) for x in bounds)
        )
        if not pair or bounds[0] > bounds[1]:
            text = f"utility_range is {bounds!r}; it must be the least and the greatest utility, like (-1.0, 1.0)"
            exam.note(name, "utility_range", text)


def _stable_type(exam: _Examination) -> None:
    """Stable state type: every field has one type, length and width from beginning to end."""
    for it in exam.seen:
        if change := _difference(exam.seen[0].state, it.state, "the state"):
            name, first, now = change
            text = f"{name} was {first} at the start and is {now} here; it must keep one type for the whole game"
            return exam.note("stable state type", "result", text, it)
    return None


def _same_answers(exam: _Examination) -> None:
    """Same answer twice: a rule says the same when it is asked again."""
    for it in exam.seen:
        again = _ask(exam, it)
        if it.ply < len(it.path) and "result" in it.answers:
            a = it.path[it.ply][1]
            again["result"] = exam.attempt("result", exam.game.result, it.state, a, it=it)
        for rule in it.answers:
            if rule in again and again[rule] is not _FAILED and not _same(it.answers[rule], again[rule]):
                text = f"{rule} says {it.answers[rule]!r} and, when asked again, {again[rule]!r}"
                exam.note("same answer twice", rule, text, it)


def _same_replay(exam: _Examination) -> None:
    """Replay: the same actions from the start lead to the same states."""
    s: Any = _FAILED
    for it in exam.seen:
        if it.ply == 0:
            s = exam.attempt("initial", exam.game.initial)
        if s is not _FAILED and not _same(s, it.state):
            text = (
                f"the same moves, played again, lead to {s!r} and not to {it.state!r}: do the rules remember anything?"
            )
            return exam.note("same states when replayed", "result" if it.ply else "initial", text, it)
        if s is not _FAILED and it.ply < len(it.path):
            s = exam.attempt("result", exam.game.result, s, it.path[it.ply][1], it=it)
    return None


def _keys_tell_apart(exam: _Examination) -> None:
    """Keys tell states apart: equal for equal states, different for others."""
    keys: dict[Any, Any] = {}
    states: dict[Any, _Seen] = {}
    for it in exam.seen:
        if "key" not in it.answers:
            continue
        state, key = _plain(it.state), _plain(it.answers["key"])
        if keys.setdefault(state, key) != key:
            text = f"this state had key {keys[state]} before and has {key} now"
            exam.note("keys tell states apart", "key", text, it)
        elif _plain((other := states.setdefault(key, it)).state) != state:
            text = f"key {key} is that of {it.state!r} and of {other.state!r}; different states need different keys"
            exam.note("keys tell states apart", "key", text, it)


def _texts(exam: _Examination) -> None:
    """Show, names and position texts, in some of the states."""
    different = list({_plain(it.state): it for it in exam.seen}.values())
    for it in different[:: 1 + len(different) // TEXTS]:
        exam.test(_TEXT_PROPERTIES, it)


# ---- compiled and interpreted


@native
def step(game, s, random, numbers):  # type: ignore[no-untyped-def]
    """What the rules say of `s`, and a random step from it.

    `numbers` are each player's estimate, then each player's utility, then the actions' probabilities, priorities and
    noises, weighted with their places.
    """
    over = bool(game.is_terminal(s))
    for p in range(game.players):
        numbers[p] = game.evaluate(s, p)
    if over:
        for p in range(game.players):
            numbers[game.players + p] = game.utility(s, p)
        return over, 0, 0, game.key(s), -1, s
    player, i, mixed = game.player(s), 0, 0
    for a in game.actions(s):
        i += 1
        mixed = mix64(mixed ^ a)
        if game.chance and player == CHANCE:
            numbers[2 * game.players] += i * game.probability(s, a)
        numbers[2 * game.players + 1] += i * game.priority(s, a)
        numbers[2 * game.players + 2] += i if game.is_noisy(s, a) else 0
    if i == 0:
        return over, player, mixed, game.key(s), -1, s
    a = choose(game, s, random)
    return over, player, mixed, game.key(s), a, game.result(s, a)


_STEP = ("is_terminal", "player", "actions", "key", "the random choice among actions", "result")
_AGREE = "compiled and interpreted agree"
_FIRST = {"no exception", "state is a tuple of numbers", "stable state type", "actions are integers"}


def _modes(exam: _Examination) -> str | None:
    """Compiled and interpreted agree; the reason if they were not compared."""
    if any(problem.property in _FIRST for problem in exam.problems.values()):
        return "compiled and interpreted were not compared: the problems above come first"
    try:
        with np.errstate(all="ignore"):
            _same_steps(exam)
            _same_minimax(exam)
    except CannotCompile as why:
        return f"runs interpreted only: {why}"
    except Exception as error:
        # From here only the compiled run can fail: the same calls went well interpreted.
        if re.search(r"[/\\](numba|llvmlite)[/\\]", "".join(traceback.format_tb(error.__traceback__)[-1:])):
            return "runs interpreted only: the compiler cannot take these rules"
        exam.note(_AGREE, "result", f"compiled, but not interpreted, the rules fail: {_reason(error)}")
    return None


def _same_steps(exam: _Examination) -> None:
    """The same random games in both modes, state by state."""
    game, size = exam.game, 2 * exam.game.players + 3
    played = -1
    for it in exam.seen:
        if it.ply == 0:
            played += 1
            first, second = search.new_random(exam.seed + played), search.new_random(exam.seed + played)
        numbers, others = np.zeros(size), np.zeros(size)
        slow = step.interpreted(game, it.state, first, numbers)
        with compiled():
            fast = step(game, it.state, second, others)
        for what, x, y in zip(_STEP, slow, fast, strict=True):
            if not _same(x, y) or (what == "result" and _kind(x) != _kind(y)):
                return exam.note(_AGREE, what, f"{what}: {x!r} interpreted, {y!r} compiled", it)
        if not np.array_equal(numbers, others, equal_nan=True):
            i = int(np.flatnonzero(numbers != others)[0])
            what = ("evaluate", "utility")[i // game.players] if i < size - 3 else "probability, priority or is_noisy"
            return exam.note(_AGREE, what, f"{what}: {numbers[i]!r} interpreted, {others[i]!r} compiled", it)
    return None


def _same_minimax(exam: _Examination) -> None:
    """Minimax a few plies ahead: the same value, line and number of nodes in both modes."""
    most = max((len(it.answers.get("actions", ())) for it in exam.seen), default=0)
    depth = max(d for d in (1, 2, 3) if d == 1 or most**d <= NODES)
    try:
        with interpreted():
            slow = search.minimax(exam.game, depth=depth)
    except search.Unsuited:
        return
    with compiled():
        fast = search.minimax(exam.game, depth=depth)
    if "interrupted" in (slow.stopped, fast.stopped):
        raise KeyboardInterrupt
    x, y = ((result.value, result.nodes, result.line) for result in (slow, fast))
    if not _same(x, y):
        text = "minimax {} plies ahead finds value, nodes and line {} interpreted and {} compiled"
        exam.note(_AGREE, "evaluate", text.format(depth, x, y), exam.seen[0])


# ---- the examination


def examine(game: Game, playouts: int = 20, seed: int = 0) -> Report:
    """Play random games and look for everything that a game must not do."""
    exam = _Examination(game, seed)
    _declarations(exam)
    if exam.problems:
        return _report(exam, 0, None)
    played = 0
    while played < playouts and len(exam.seen) < STATES:
        s = exam.attempt("initial", game.initial)
        if s is _FAILED:
            break
        _walk(exam, s, search.new_random(seed + played))
        played += 1
    for it in exam.seen:
        exam.test(_STATE_PROPERTIES, it)
    for whole in (_stable_type, _same_answers, _same_replay, _keys_tell_apart, _texts):
        whole(exam)
    return _report(exam, played, _modes(exam) if exam.seen else "compiled and interpreted were not compared")


def _report(exam: _Examination, played: int, why_not: str | None) -> Report:
    both = played > 0 and why_not is None
    return Report(str(exam.game), tuple(exam.problems.values()), played, len(exam.seen), both, why_not)


def _walk(exam: _Examination, s: Any, random: Any) -> None:
    """One random game from `s`, as far as the rules carry it."""
    path: list[tuple[Any, int]] = []
    for ply in range(PLIES):
        it = _Seen(s, path, ply)
        exam.seen.append(it)
        it.answers = _ask(exam, it)
        if it.over or not it.answers.get("actions") or len(it.answers.keys() & {"is_terminal", "player"}) < 2:
            return
        a = exam.attempt("actions", search.random_action.interpreted, exam.game, s, random, it=it)
        if a is _FAILED:
            return
        following = exam.attempt("result", exam.game.result, s, a, it=it)
        if following is _FAILED:
            return
        path.append((s, a))
        it.answers["result"] = s = following


def _ask(exam: _Examination, it: _Seen) -> dict[str, Any]:
    """What the rules say of a state, by the rules' names."""
    game, s, answers = exam.game, it.state, {}

    def ask(rule: str, function: Callable[..., Any], *args: Any) -> Any:
        answer = exam.attempt(rule, function, *args, it=it)
        if answer is not _FAILED:
            answers[rule] = answer
        return answer

    over = ask("is_terminal", game.is_terminal, s)
    actions = ask("actions", lambda: list(game.actions(s)))
    ask("key", game.key, s)
    if over is _FAILED:
        return answers
    if over:
        ask("utility", lambda: [game.utility(s, p) for p in range(game.players)])
    elif ask("player", game.player, s) == CHANCE and game.chance and actions is not _FAILED:
        ask("probability", lambda: [game.probability(s, a) for a in actions])
    if game.knows.evaluate:
        ask("evaluate", lambda: [game.evaluate(s, p) for p in range(game.players)])
    return answers


# ---- examining a file


def examine_text(text: str, playouts: int = 20, seed: int = 0) -> Report:
    """Load the game a text names, as `games.load` does, and examine it; a mistake in its file is a problem too."""
    try:
        game = games.load(text)
    except (Exception, SystemExit) as error:
        return Report(text, (_loading_problem(text, error),))
    return examine(game, playouts, seed)


def _loading_problem(text: str, error: BaseException) -> Problem:
    match = re.match(r".*?\.py(?=:|$)", text)
    path = Path(match[0]) if match else None
    if isinstance(error, SyntaxError):
        file = Path(error.filename or text).name
        code = f", in  {error.text.strip()}" if error.text else ""
        return Problem("file is Python", f"{error.msg}{code}", f"{file}:{error.lineno}")
    where, code = _innermost(error, {path.resolve().parent} if path else set())
    if isinstance(error, UnreadableText | RulesError):
        name = "game is complete" if isinstance(error, RulesError) else "game is found"
        return Problem(name, str(error), where or _defined(path, str(error)))
    if isinstance(error, SystemExit):
        text = "the file ends the program when it is read; put that under  if __name__ == '__main__':"
        return Problem("file can be run", text, where)
    return Problem("file can be run", f"{_reason(error)}{code}", where or (path.name if path else None))


def _defined(path: Path | None, message: str) -> str | None:
    """The line of the file that defines what a message speaks of: the name in quotes, or the first word."""
    try:
        nodes = ast.walk(ast.parse(path.read_bytes())) if path else ()
    except (OSError, SyntaxError, ValueError):
        nodes = ()
    lines = {node.name: node.lineno for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    for name in [*re.findall(r"'(\w+)'", message), message.partition(" ")[0]]:
        if path and name in lines:
            return f"{path.name}:{lines[name]}"
    return path.name if path else None


# ---- exceptions in plain words


def _reason(error: BaseException) -> str:
    """Python's message, and what may have been meant."""
    message = str(error)
    if "numba" in message.lower():  # words of a compiler, not of someone who writes rules
        message = ""
    return type(error).__name__ + (f": {message}" if message else "") + _did_you_mean(error)


def _did_you_mean(error: BaseException) -> str:
    name = getattr(error, "name", None)
    if isinstance(error, AttributeError) and name and error.obj is not None:
        candidates = [each for each in dir(error.obj) if not each.startswith("_")]
    elif isinstance(error, NameError) and name:
        if name in counterplay.__all__:
            return f"; add  from counterplay import {name}"
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        if hasattr(frame.f_locals.get("self"), name):
            return f"; did you mean 'self.{name}'?"
        candidates = [*frame.f_locals, *frame.f_globals, *dir(builtins)]
    else:
        return ""
    close = difflib.get_close_matches(name, candidates, n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def _innermost(error: BaseException, folders: set[Path]) -> tuple[str | None, str]:
    """The deepest place of the author's own in an exception: `file.py:12`, and the code there."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        file = Path(frame.f_code.co_filename)
        if file.parent in folders:
            linecache.checkcache(str(file))
            code = linecache.getline(str(file), line).strip()
            return f"{file.name}:{line}", f", in  {code}" if code else ""
    return None, ""


def _code(game: Game, rule: str) -> Any:
    """The code object of a rule that the game's own classes define."""
    member = inspect.getattr_static(type(game), rule, None)
    function = getattr(member, "fget", None) or getattr(member, "func", member)
    return None if member is getattr(Game, rule, None) else getattr(function, "__code__", None)


def _folders(game: Game) -> set[Path]:
    return {Path(code.co_filename).parent for rule in RULES if (code := _code(game, rule)) is not None}


def _line_of(game: Game, rule: str) -> str | None:
    code = _code(game, rule)
    return f"{Path(code.co_filename).name}:{code.co_firstlineno}" if code else None


def _position(game: Game, it: _Seen) -> str:
    """Where in which game a state stands, for people."""
    try:
        text = game.to_text(it.state)
    except Exception:
        text = repr(it.state)
    names = []
    for s, a in it.path[max(0, it.ply - 10) : it.ply]:
        try:
            names.append(str(game.action_name(s, a)))
        except Exception:
            names.append(str(a))
    moves = ("... " if it.ply > 10 else "") + " ".join(names)
    return f"in position '{str(text)[:300]}' " + (f"after {it.ply} moves: {moves}" if it.ply else "at the start")


# ---- values


def _plain(value: Any) -> Any:
    """A value that equals another's exactly if both mean the same: a NaN is itself, and NumPy's numbers are Python's."""
    if isinstance(value, tuple | list):
        return tuple(map(_plain, value))
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return value if isinstance(value, int | float | Bits | str | None) else repr(value)


def _same(x: Any, y: Any) -> bool:
    return bool(_plain(x) == _plain(y))


def _kind(value: Any) -> str:
    """The type of a value as far as machine code cares: `int`, `Bits(9)`, `State(int, float)`."""
    if isinstance(value, tuple):
        return ("" if type(value) is tuple else type(value).__name__) + "(" + ", ".join(map(_kind, value)) + ")"
    if isinstance(value, Bits):
        return f"Bits({value.width})"
    numbers: dict[str, Any] = {"bool": np.bool_, "int": np.integer, "float": np.floating}
    return next((name for name, kind in numbers.items() if isinstance(value, kind)), type(value).__name__)


def _unfit(value: Any, name: str = "the state") -> str | None:
    """Why a value cannot be a state or a part of one."""
    if isinstance(value, tuple):
        return next((why for part, x in _parts(value) if (why := _unfit(x, part))), None)
    kind = _kind(value)
    if name == "the state":
        return f"the state is {kind}; it must be a tuple, best a NamedTuple"
    if kind == "int" and not -(2**63) <= value < 2**63:
        return f"{name} is {value}, which has more than 64 bits; a set of squares is a Bits"
    if kind in ("bool", "int", "float") or isinstance(value, Bits):
        return None
    advice = {"list": "a tuple", "ndarray": "a tuple or a Bits", "set": "a Bits", "NoneType": "a number such as -1"}
    return f"{name} is {kind} {value!r}; use {advice.get(kind, 'numbers, Bits and tuples of them')}"


def _parts(value: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    names = getattr(value, "_fields", range(len(value)))
    yield from ((f"field `{name}`", x) for name, x in zip(names, value, strict=True))


def _difference(first: Any, now: Any, name: str) -> tuple[str, str, str] | None:
    """Where the types of two values differ: the name of the part, and both types."""
    if isinstance(first, tuple) and type(first) is type(now) and len(first) == len(now):
        pairs = zip(_parts(first), _parts(now), strict=True)
        return next((change for (part, x), (_, y) in pairs if (change := _difference(x, y, part))), None)
    return None if _kind(first) == _kind(now) else (name, _kind(first), _kind(now))


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float | np.integer | np.floating)


def _slack(game: Game) -> float:
    """What rounding may do to a utility."""
    return 1e-9 * max(1.0, *map(abs, game.utility_range))


def _outside(game: Game, values: list[Any], what: str) -> str | None:
    low, high = game.utility_range
    for p, v in enumerate(values):
        if not _is_number(v) or math.isnan(v):
            return f"the {what} for player {p} is {v!r}, which is not a number" if what == "estimate" else None
        if not low - _slack(game) <= v <= high + _slack(game):
            return f"the {what} for player {p} is {v!r}, outside the declared utility_range from {low:g} to {high:g}"
    return None


def _listed(values: list[Any]) -> str:
    return ", ".join(map(str, values[:12])) + (", ..." if len(values) > 12 else "")
