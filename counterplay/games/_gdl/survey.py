"""What only play tells of a rule sheet: whether roles ever choose at the same time, and what their goals add up to.

128 random games are played at once, by integers of which each binary digit is a game.
"""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.randomness import Dice
from counterplay.games._gdl.net import Net

__all__ = ["Survey", "survey"]

_GAMES = 128
_MOST_STEPS, _FEWEST_STEPS = 400, 60
_GATES_RUN = 300_000  # in all, which takes a fraction of a second


class Survey(NamedTuple):
    """What was seen."""

    is_simultaneous: bool
    sums: frozenset[int]
    """What the goals of all roles added up to at the ends that were reached."""


def survey(net: Net) -> Survey:
    """Random games, each begun anew when it ends."""
    dice = Dice(1)
    every = (1 << _GAMES) - 1
    first = [every if i in net.initial else 0 for i in range(len(net.fluents))]
    starts = [sum(map(len, net.moves[:r])) for r in range(len(net.roles))]
    moves = sum(map(len, net.moves))
    least = min((goal.value for goal in net.goals), default=0)
    words, is_simultaneous = first, False
    sums: set[int] = set()
    for step in range(_MOST_STEPS):
        if step > _FEWEST_STEPS and step * net.size > (_GATES_RUN if sums else 10 * _GATES_RUN):
            break
        shown = [word & every for word in net.before.evaluate(words)]
        over = shown[moves]
        for game in _ones(over):
            got = dict.fromkeys(range(len(net.roles)), least)
            for goal, word in zip(net.goals, shown[moves + 1 :], strict=True):
                if word >> game & 1:
                    got[goal.role] = max(goal.value, got[goal.role])
            sums.add(sum(got.values()))
        made, choosing = [0] * moves, 0
        for r, start in enumerate(starts):
            legal: list[list[int]] = [[] for _ in range(_GAMES)]
            for m in range(start, start + len(net.moves[r])):
                for game in _ones(shown[m]):
                    legal[game].append(m)
            chooses = 0
            for game, options in enumerate(legal):
                if options:
                    made[dice.choice(options)] |= 1 << game
                chooses |= (len(options) > 1) << game
            is_simultaneous |= bool(choosing & chooses & ~over)
            choosing |= chooses
        after = net.after.evaluate([*words, *made])
        words = [(new & ~over | old & over) & every for new, old in zip(after, first, strict=True)]
    return Survey(is_simultaneous, frozenset(sums))


def _ones(word: int) -> list[int]:
    """The places of the ones among the binary digits."""
    found = []
    while word:
        lowest = word & -word
        found.append(lowest.bit_length() - 1)
        word ^= lowest
    return found
