"""Games in texts of others: the moves of a PGN, a PDN, or of plain text, without what else is written there."""

from __future__ import annotations

import re

from counterplay.core.game import UserError

__all__ = ["headers_of_text", "moves_of_text", "split_games"]


def split_games(text: str) -> list[str]:
    """The games of a PGN or PDN, each with its headers; a text without headers is one."""
    return [each for each in re.split(r"^(?=\[Event )", text, flags=re.MULTILINE) if each.strip()]


def headers_of_text(text: str) -> dict[str, str]:
    """What the headers of a game say: `[White "Anderssen"]`."""
    return dict(re.findall(r'^\[(\w+) +"(.*)"\]', text, re.MULTILINE))


_LONGEST = 1_000_000
"""Characters of one game; a longer text is no game that anybody has played."""
_MARKS = re.compile(r"^\[.*\][ \t]*$|^%.*$|;.*$|\{[^}]*\}?|[()]", re.MULTILINE)
_NUMBERED = re.compile(r"\(\s*\d+\.")
_NUMBER = re.compile(r"^\d+\.+\s*")
_NO_MOVE = re.compile(r"1-0|0-1|1/2-1/2|\*|\$\d+|e\.p\.|")


def moves_of_text(text: str) -> tuple[str, ...]:
    """The names of the moves in a text, without what else a PGN has: headers, comments, variations, numbers, results.

    Blanks stand between moves; in a text with commas the commas and the ends of lines do, for names that have blanks.
    """
    if len(text) > _LONGEST:
        raise UserError(f"a game of {len(text):,} characters is too long to be read; {_LONGEST:,} is the most")
    text = _main_line(text)
    words = re.split(r"[,\n]", text) if "," in text else text.split()
    names = (_NUMBER.sub("", word.strip()).rstrip("!?").strip() for word in words)
    return tuple(name for name in names if not _NO_MOVE.fullmatch(name))


def _main_line(text: str) -> str:
    """A text without headers, comments and variations, in one pass however deeply they are nested.

    A parenthesis opens a variation if a blank is before it or a number follows; else it is the end of a move, as in
    8/4(2) or e8(Q).
    """
    kept: list[str] = []
    opened: list[bool] = []  # of every open parenthesis, whether it is a variation's
    depth, end, is_apart = 0, 0, True  # variations that are open; what was looked at; whether a mark ended just there
    for mark in _MARKS.finditer(text):
        start, found = mark.span()[0], mark[0]
        if depth == 0:
            kept.append(text[end:start])
        before = text[start - 1 : start] if start > end else ""
        is_apart = before.isspace() if before else is_apart
        end = mark.end()
        if found == "(":
            opened.append(depth > 0 or is_apart or _NUMBERED.match(text, start) is not None)
            depth += opened[-1]
            part = "" if opened[-1] else found
        elif found == ")":
            is_variation = bool(opened) and opened.pop()
            depth -= is_variation
            part = " " if is_variation else found
        elif found.startswith("{") and not found.endswith("}"):
            raise UserError("a comment is opened by '{' and never closed")
        else:
            part = " "
        is_apart = part != found
        if depth == 0:
            kept.append(part)
    if depth:
        raise UserError("a variation is opened by '(' and never closed")
    return "".join([*kept, text[end:]])
