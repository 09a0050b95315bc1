"""A quiz on the terminal, and on paper."""

from __future__ import annotations

import io
import sys
from collections import Counter
from pathlib import Path
from textwrap import fill

from counterplay.apps.cli import output
from counterplay.core.files import write_files
from counterplay.core.game import UserError
from counterplay.study.quiz import Question, sheet, solutions
from counterplay.study.quiz.questions import WIDTH

__all__ = ["ask", "write"]

_HELP = "Write {form}. Or: hint, skip, again (to see the question), quit."


def ask(questions: list[Question]) -> None:
    """Ask them one by one, say what is right and why, and the score at the end, however it ends."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # whatever is typed is an answer, if a wrong one
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    skipped = 0
    try:
        for question in questions:
            answer = _answer(question, len(questions))
            if answer == "quit":
                break
            asked[question.kind] += 1
            if answer == "skip":
                skipped += 1
                output.say(f"\nThe answer is {question.answer}.\n\n{question.explanation}\n")
                continue
            verdict = question.check(answer)
            right[question.kind] += verdict.right
            output.say(f"\n{'Right.' if verdict else f'Wrong: it is {question.answer}.'}\n\n{verdict.explanation}\n")
    except (EOFError, KeyboardInterrupt):
        output.say()
    if not asked:
        output.say("no question was answered")
        return
    left_out = f", {skipped} skipped" if skipped else ""
    output.say(f"{right.total()} of {asked.total()} right{left_out}\n")
    table = output.table("kind", "#right", "#asked")
    for kind, n in asked.items():
        output.add_row(table, kind, str(right[kind]), str(n))
    output.say(table)


def _answer(question: Question, of: int) -> str:
    """An answer that can be read, `skip` or `quit`."""
    shown = f"Question {question.number} of {of}: {question.kind}\n\n{question.text}"
    output.say(shown)
    output.say(f"({question.form})")
    while True:
        answer = input("> ").strip()
        if not sys.stdin.isatty():
            output.say(answer)  # so that what is written to a file can be read
        word = answer.casefold()
        if word in ("quit", "exit", "q"):
            return "quit"
        if word == "skip":
            return "skip"
        if word == "hint":
            output.say(fill(question.hint, WIDTH))
        elif word == "again":
            output.say(shown)
        elif word in ("help", "?", ""):
            output.say(fill(_HELP.format(form=question.form), WIDTH))
        else:
            try:
                question.check(answer)
                return answer
            except UserError as error:
                output.say(fill(str(error), WIDTH))


def write(questions: list[Question], file: Path) -> list[Path]:
    """Write the sheet, and its solutions beside it; both whole, or nothing is changed."""
    if file.suffix.lower() not in (".html", ".htm") and not file.is_dir():
        raise UserError(f"a sheet is a page for a browser, which prints it: name it {file.with_suffix('.html')}")
    files = {file: sheet(questions), file.with_name(f"{file.stem}-solutions{file.suffix}"): solutions(questions)}
    write_files(files)
    return list(files)
