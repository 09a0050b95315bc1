"""Whether a game keeps its word: random games are played, and every state must have the listed properties.

    report = examine(game)
    report = examine_text("mine.py")   # a game in a file, with whatever may be wrong in the file
    report.ok, print(report)

Among the properties is our central claim: the same games, interpreted and compiled, agree in every state and number.
Each kind of problem is reported once, with its first example, in the words of someone who wrote rules.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from io import StringIO
from typing import Any

from counterplay import games
from counterplay.core.game import Game
from counterplay.study.check.examination import Examination, Problem
from counterplay.study.check.facts import facts_of
from counterplay.study.check.mistakes import loading_problem
from counterplay.study.check.modes import INTERPRETED_ONLY, compare_modes
from counterplay.study.check.pitfalls import pitfalls
from counterplay.study.check.properties import check_declarations, check_keys, check_replay, check_states, check_texts

__all__ = ["Problem", "Report", "examine", "examine_text"]


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
    """The reason, if they were not."""
    facts: tuple[str, ...] = ()
    """What the random games were like."""
    warnings: tuple[str, ...] = ()
    """What is allowed, but better avoided."""

    @property
    def ok(self) -> bool:
        return not self.problems

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        told = {"facts": list(self.facts), "warnings": list(self.warnings)}
        return {**asdict(self), **told, "problems": [asdict(problem) for problem in self.problems], "ok": self.ok}

    def __str__(self) -> str:
        n = len(self.problems)
        found = "no problem" if n == 0 else "1 problem" if n == 1 else f"{n} problems"
        seen = f" in {self.games_played} random games with {self.states_seen:,} states" if self.states_seen else ""
        modes = "compiled and interpreted were compared" if self.both_modes else self.why_not
        warnings = [f"warning: {each}" for each in self.warnings]
        told = [modes] if modes and modes not in self.warnings else []
        return "\n  ".join([f"{self.game}: {found}{seen}", *warnings, *map(str, self.problems), *self.facts, *told])


def examine(
    game: Game, playouts: int = 20, seed: int = 0, compare: bool = True, told: Callable[[str], None] | None = None
) -> Report:
    """Play random games and look for everything that a game must not do.

    Without `compare` they are played interpreted only, which saves the seconds that compiling takes. `told` is called
    with the name of every rule before it is asked.
    """
    exam = Examination(game, seed, told)
    with redirect_stdout(StringIO()) as printed:  # by rules, in every state
        check_declarations(exam)
        if exam.problems:
            return Report(str(game), exam.found)
        exam.play(max(1, playouts))
        for check in (check_states, check_texts, check_replay, check_keys):
            check(exam)
        why_not = compare_modes(exam) if compare else "played interpreted only, as asked"
    warnings = [why_not] if why_not and why_not.startswith(INTERPRETED_ONLY) else []
    warnings += pitfalls(game)
    if text := printed.getvalue().strip():
        first = text.splitlines()[0][:60]
        warnings.append(f"a rule prints, as here '{first}'; a search would do so at every state: leave it out")
    facts = () if exam.found else facts_of(exam)  # problems come first
    return Report(str(game), exam.found, exam.played, len(exam.seen), why_not is None, why_not, facts, tuple(warnings))


def examine_text(
    text: str, playouts: int = 20, seed: int = 0, compare: bool = True, told: Callable[[str], None] | None = None
) -> Report:
    """Load the game a text names, as `games.load` does, and examine it; a mistake in its file is a problem too."""
    try:
        game = games.load(text)
    except (Exception, SystemExit) as error:
        return Report(text, (Problem(*loading_problem(text, error)),))
    return examine(game, playouts, seed, compare, told)
