"""What people see of a rule sheet: short names of moves, and a board where its fluents look like one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from string import ascii_letters
from typing import NamedTuple

from counterplay.core.bits import Bits
from counterplay.games._gdl.kif import Term
from counterplay.games._gdl.net import Net

__all__ = ["Grid", "find_grid", "short_name"]

_MOST_LINES = 30
_EMPTY = ("b", "blank", "empty", "e", "none", "free", "dirt", "0")


def short_name(term: Term) -> str:
    """`(mark 1 1)` is `mark_1_1`."""
    return term if isinstance(term, str) else "_".join(map(short_name, term))


class Grid(NamedTuple):
    """A board: fluents like `(cell column row content)`. Rows are counted from the bottom."""

    columns: tuple[str, ...]
    lines: tuple[str, ...]
    cells: Mapping[int, tuple[str, str, str]]
    """By a fluent's number: its column, its row and the character that it is drawn as."""

    def rows(self, facts: Bits) -> list[list[str]]:
        """From the top."""
        drawn = {self.cells[i][:2]: self.cells[i][2] for i in facts if i in self.cells and self.cells[i][2] != "."}
        return [[drawn.get((c, r), ".") for c in self.columns] for r in reversed(self.lines)]

    def labels(self) -> tuple[Sequence[str], Sequence[str]]:
        return self.columns, self.lines[::-1]


def find_grid(net: Net) -> Grid | None:
    """The board of a sheet, if one kind of its fluents has two places and a content, and fills most of a rectangle."""
    kinds = Counter(term[0] for term in net.fluents if isinstance(term, tuple) and len(term) == 4)
    for functor, _ in kinds.most_common():
        terms = {
            i: term[1:]
            for i, term in enumerate(net.fluents)
            if isinstance(term, tuple) and len(term) == 4 and term[0] == functor
        }
        if not all(isinstance(part, str) for term in terms.values() for part in term):
            continue
        columns, lines = ([*dict.fromkeys(term[k] for term in terms.values())] for k in (0, 1))
        columns, lines = _in_order(columns), _in_order(lines)
        places = {term[:2] for term in terms.values()}
        contents = [*dict.fromkeys(term[2] for term in terms.values())]
        fits = 2 <= len(columns) <= _MOST_LINES and 2 <= len(lines) <= _MOST_LINES
        if fits and 2 * len(places) >= len(columns) * len(lines) and len(contents) <= len(ascii_letters):
            marks = _marks(contents)
            return Grid(
                tuple(columns), tuple(lines), {i: (c, r, marks[content]) for i, (c, r, content) in terms.items()}
            )
    return None


def _in_order(names: Sequence[str]) -> list[str]:
    return sorted(names, key=lambda name: (0, int(name), "") if name.isdecimal() and len(name) < 9 else (1, 0, name))


def _marks(contents: Sequence[str]) -> dict[str, str]:
    """A character for each content: its first letter, or another if that is taken."""
    marks: dict[str, str] = {}
    for content in contents:
        if content in _EMPTY:
            marks[content] = "."
            continue
        wanted = [*content[:1], *content[:1].upper(), *content[1:], *ascii_letters]
        marks[content] = next(each for each in wanted if each not in marks.values() and each.isprintable())
    return marks
