"""Reading answers as people write them: `3`, `-1/2`, `c1, c2`, `B A C: 7`, `α=3 β=∞`, `none`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from math import inf
from typing import NamedTuple

from counterplay.core.game import UnreadableText

__all__ = ["Reading", "read"]

_TOKEN = re.compile(
    r"(?P<number>[-+−]?(?:∞|inf(?:inity)?\b|\d+\s?/\s?\d+|\d+\.?\d*(?![\w.])|\.\d+))|(?P<word>[^\W\d]\w*)|(?P<other>\S)",
    re.IGNORECASE,
)
_SILENT = re.compile(r"alpha|beta|a|b|v|α|β|the|and|then|or|is|values?|moves?|leaf|leaves|root|order|max|min|p[123]")
_NONE = {"none", "nothing", "no", "-", "−", "∅"}
_CLOSE = 0.0051
"""How far a number may be from the right one: two decimals are enough."""


class Reading(NamedTuple):
    """What an answer says: names of moves or leaves, and numbers, each in the order they were given."""

    names: tuple[str, ...] = ()
    numbers: tuple[float, ...] = ()

    def is_like(self, other: Reading) -> bool:
        """Whether both say the same, but for rounding."""
        close = (a == b or abs(a - b) < _CLOSE for a, b in zip(self.numbers, other.numbers, strict=False))
        return self.names == other.names and len(self.numbers) == len(other.numbers) and all(close)


def read(text: str, names: Iterable[str]) -> Reading:
    """The names (of those given, in any case) and numbers in a text; other words must be such that mean nothing."""
    known = {name.casefold(): name for name in names}
    found: list[str] = []
    numbers: list[float] = []
    if text.strip().casefold() in _NONE:
        return Reading()
    for match in _TOKEN.finditer(text):
        word = match[0].casefold()
        if match["number"]:
            numbers.append(_number(re.sub(r"\s", "", word)))
        elif word in known:
            found.append(known[word])
        elif match["word"] and not _SILENT.fullmatch(word):
            raise UnreadableText(f"'{match[0]}' is neither a number nor one of {', '.join(known.values())}")
        elif match["other"] and word not in ",;:=()[]{}<>.&|":
            raise UnreadableText(f"'{match[0]}' cannot be read")
    if not found and not numbers:
        raise UnreadableText(f"there is no answer in '{text}'")
    return Reading(tuple(found), tuple(numbers))


def _number(text: str) -> float:
    text = text.replace("−", "-").replace("∞", "inf")
    if "inf" in text:
        return -inf if text.startswith("-") else inf
    try:
        return float(Fraction(text))
    except (ArithmeticError, ValueError):  # divided by zero, too large, or longer than Python reads
        raise UnreadableText(f"'{text[:20]}' is no number to reckon with") from None
