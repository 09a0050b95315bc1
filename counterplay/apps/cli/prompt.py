"""Asking a person: lines with completion on a terminal, and what was meant by a line that is none of the answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any

__all__ = ["as_shown", "ask", "meant"]

_LONGEST = 40
"""Characters of a strange line that are shown again."""


def ask(question: str, candidates: Callable[[str], Iterable[str]], arrows: Sequence[str] = ()) -> str | None:
    """A line without the blanks around it; None at the end of input and at ctrl-C.

    On a terminal the tabulator completes to one of `candidates(line so far)`, and the arrow keys, up, right, down and
    left, are the answers `arrows`. From a pipe the line is shown after the question, so that the output reads like a
    terminal's.
    """
    if sys.stdin is None:
        return None
    if sys.stdin.errors != "replace" and hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")  # bytes that are no text are no reason to leave
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        _complete_by(candidates)
        _answer_by_arrows(arrows)
    try:
        line = input(question).strip()
    except (EOFError, KeyboardInterrupt, OSError):
        print(flush=True)
        return None
    if not is_terminal and question:
        print(as_shown(line), flush=True)
    return line


def _complete_by(candidates: Callable[[str], Iterable[str]]) -> None:
    """Set what the tabulator does; nothing where Python has no readline."""
    try:
        import readline
    except ImportError:
        return

    def complete(text: str, number: int) -> str | None:
        found = [each for each in candidates(text) if each.startswith(text)]
        return found[number] if number < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims("")  # the whole line: names of moves may have blanks in them
    is_editline = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_editline else "tab: complete")


def _answer_by_arrows(answers: Sequence[str]) -> None:
    """Let the arrow keys be answers; nothing where Python has no readline, or one that is not GNU's."""
    try:
        import readline
    except ImportError:
        return
    for key, answer in zip("ACBD", answers, strict=False):
        for begin in ("[", "O"):
            readline.parse_and_bind(rf'"\e{begin}{key}": "{answer}\C-m"')


def as_shown(line: str, longest: int = _LONGEST) -> str:
    """A line that anybody may have typed, fit to be printed: short, and without what would move the cursor."""
    encoding = sys.stdout.encoding or "utf-8"
    clean = "".join(c if c.isprintable() else "?" for c in line[:longest])
    return clean.encode(encoding, "replace").decode(encoding) + ("..." if len(line) > longest else "")


def meant(line: str, answers: Sequence[str], most: int = 5) -> list[str]:
    """The answers that are close to a line: those that begin alike, and those that are spelled much the same."""
    wanted = line[:_LONGEST].lower()
    by_lower: dict[str, Any] = {}
    for each in answers:
        by_lower.setdefault(each.lower(), each)
    begin = [low for low in by_lower if wanted and low.startswith(wanted)]
    close = get_close_matches(wanted, by_lower, n=most, cutoff=0.5)
    return [by_lower[low] for low in dict.fromkeys(begin + close)][:most]
