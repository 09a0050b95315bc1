"""Trees at random, in the style of the lectures: every ply has one mover, and all leaves lie equally deep.

Inner nodes are A, B, C, ... ply by ply, and leaves are named after the node above them: a1, a2, b1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice
from string import ascii_uppercase

from counterplay.core.randomness import Dice

__all__ = ["branches", "leaves", "vectors"]

MOST_LEAVES = 16
"""That many are still readable side by side, in 80 columns and on paper."""

PROBABILITIES = ((1, 1), (1, 3), (3, 1), (1, 4), (4, 1), (3, 7), (7, 3), (2, 3), (3, 2))
"""Odds of two outcomes that are easy to work with on paper."""


def leaves(dice: Dice, n: int, low: int, high: int) -> list[str]:
    """Values for MAX. No two are alike, so that no tie ever has two right answers."""
    return [str(value) for value in dice.sample(range(low, high + 1), n)]


def vectors(dice: Dice, n: int) -> list[str]:
    """Values for three players, a digit for each; neighbours are seldom alike, as all digits come in turn."""
    for_each = [[digit for _ in range(0, n, 10) for digit in dice.sample(range(10), 10)] for _ in range(3)]
    return [f"({a},{b},{c})" for a, b, c in islice(zip(*for_each, strict=True), n)]


def widths(dice: Dice, shape: str) -> list[list[int]]:
    """How many children each node has, ply by ply. Shape `2 23`: two moves at the root, then two or three at each."""
    while True:
        rows = [[1]]
        for word in shape.split():
            rows.append([int(dice.choice(word)) for _ in range(sum(rows[-1]))])
        if sum(rows[-1]) <= MOST_LEAVES:
            return rows[1:]


def branches(dice: Dice, shape: str, movers: Sequence[str], low: int, high: int) -> list[str]:
    """What stands below each move at the root, as the game `tree` reads it. Movers take turns, ply by ply."""
    rows = widths(dice, shape)
    count = sum(rows[-1])
    values = iter(vectors(dice, count) if "p3" in movers else leaves(dice, count, low, high))
    sizes = [iter(row) for row in rows]
    letters = iter(ascii_uppercase)
    names = [iter(list(islice(letters, sum(row)))) for row in rows[:-1]]
    mover = list(islice(cycle(movers), len(rows)))

    def below(ply: int, name: str) -> list[str]:
        """The children of the next node at this ply, written from left to right."""
        size = next(sizes[ply])
        if ply == len(rows) - 1:
            children = [f"{name.lower()}{k}:{next(values)}" for k in range(1, size + 1)]
        else:
            children = [node(ply + 1, next(names[ply])) for _ in range(size)]
        if mover[ply] == "chance":
            odds = dice.choice(PROBABILITIES)
            children = [f"{odd / sum(odds):g}*{child}" for odd, child in zip(odds, children, strict=True)]
        return children

    def node(ply: int, name: str) -> str:
        return f"{name}:{mover[ply]}[{','.join(below(ply, name))}]"

    return below(0, "")
