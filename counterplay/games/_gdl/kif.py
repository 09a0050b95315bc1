"""Reading KIF, the notation of rule sheets: `(<= (next (cell ?x ?y x)) (does x (mark ?x ?y)))`.

A term is a string or a tuple of terms. The text is read once from left to right, without recursion, and within limits:
a sheet may be anybody's.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from counterplay.core.errors import UnreadableText

__all__ = ["MOST_CHARACTERS", "MOST_NESTED", "Sentence", "Term", "is_variable", "parse", "variables", "written"]

MOST_CHARACTERS = 4_000_000
"""A longer sheet is refused; the longest public one has about 400,000."""
MOST_NESTED = 60
"""Terms within terms; nobody writes more than ten."""

Term = Any  # a string, or a tuple of terms

_TOKENS = re.compile(r";[^\n]*|[()]|[^\s();]+")


class Sentence(NamedTuple):
    """A fact or a rule, and the line that it begins in."""

    term: Term
    line: int


def parse(text: str, lists: bool = False) -> list[Sentence]:
    """The sentences of a sheet. Upper and lower case are the same. With `lists` a term need not begin with a name."""
    if len(text) > MOST_CHARACTERS:
        raise UnreadableText(f"a rule sheet has at most {MOST_CHARACTERS:,} characters, not {len(text):,}")
    sentences: list[Sentence] = []
    open_at: list[int] = []
    open_terms: list[list[Term]] = []
    line, counted = 1, 0
    for found in _TOKENS.finditer(text):
        word, at = found[0].lower(), found.start()
        line, counted = line + text.count("\n", counted, at), at
        if word.startswith(";"):
            continue
        if word == "(":
            if len(open_terms) >= MOST_NESTED:
                raise UnreadableText(f"{_place(text, at)}: more than {MOST_NESTED} parentheses are open")
            open_terms.append([])
            open_at.append(line)
            continue
        if word == ")":
            if not open_terms:
                raise UnreadableText(f"{_place(text, at)}: this ')' closes nothing")
            term: Term = tuple(open_terms.pop())
            began = open_at.pop()
            if not lists and not (term and isinstance(term[0], str)):
                raise UnreadableText(f"{_place(text, at)}: a term begins with a name, as (cell 1 1 b) does")
        else:
            term, began = word, line
        if open_terms:
            open_terms[-1].append(term)
        else:
            sentences.append(Sentence(term, began))
    if open_terms:
        raise UnreadableText(f"the sheet ends before the '(' of line {open_at[0]} is closed")
    return sentences


def _place(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"


def written(term: Term) -> str:
    """The term as a sheet has it."""
    return term if isinstance(term, str) else f"({' '.join(map(written, term))})"


def is_variable(term: Term) -> bool:
    return isinstance(term, str) and term.startswith("?")


def variables(term: Term) -> set[str]:
    """The names of all variables in a term."""
    if isinstance(term, tuple):
        return set().union(*map(variables, term))
    return {term} if is_variable(term) else set()
