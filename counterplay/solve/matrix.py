"""Matrix games, exactly: what is dominated and why, and all equilibria, in fractions.

Equilibria are found by the vertices of the players' best-response polytopes (Mangasarian 1964). A vertex is a mixture
at which as many things hold with equality as there are actions: an action has probability 0, or an action of the
other's is a best response. Two vertices are an equilibrium where every action of either player is one of these. So all
equilibria are found that are not between others; and there are infinitely many if two of them share a mixture, since
then all between them are equilibria, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, lcm
from typing import Any, NamedTuple

from counterplay.core.game import Game
from counterplay.search.result import Unsuited

__all__ = ["Analysis", "Elimination", "Equilibrium", "analyse", "dominance", "equilibria", "is_matrix"]

Matrix = Sequence[Sequence[Fraction | int]]
"""What a player gets, by row and column."""
Mixture = tuple[Fraction, ...]
"""The probability of each action."""

MOST_VERTICES = 50_000
"""Sets of equalities that are looked at for one player, which takes some seconds."""


class Elimination(NamedTuple):
    """A step of the story: an action that nobody should ever take goes."""

    player: int
    action: int
    by: Mixture
    """The mixture that is better, whatever the other does."""


class Equilibrium(NamedTuple):
    """A mixture for each player, from which neither gains by leaving it alone."""

    row: Mixture
    column: Mixture
    values: tuple[Fraction, Fraction]

    @property
    def is_pure(self) -> bool:
        return max(self.row) == 1 == max(self.column)


@dataclass(frozen=True)
class Analysis:
    """All about a matrix game."""

    game: Game
    story: tuple[Elimination, ...]
    left: tuple[tuple[int, ...], tuple[int, ...]]
    """The actions of each player that are not dominated, after all that are have gone."""
    equilibria: tuple[Equilibrium, ...]
    is_infinite: bool
    """Whether there are infinitely many equilibria: those listed, and mixtures of some of them."""

    @property
    def value(self) -> Fraction | None:
        """What the row player gets in a zero-sum game."""
        return self.equilibria[0].values[0] if self.game.zero_sum else None

    def as_dict(self) -> dict[str, Any]:
        """For JSON; fractions are texts."""
        names = self.game.names  # type: ignore[attr-defined]

        def mixture(x: Mixture, p: int) -> dict[str, str]:
            return {name: str(chance) for name, chance in zip(names[p], x, strict=True) if chance}

        story = [
            {"player": each.player, "action": names[each.player][each.action], "by": mixture(each.by, each.player)}
            for each in self.story
        ]
        found = [
            {"row": mixture(each.row, 0), "column": mixture(each.column, 1), "values": list(map(str, each.values))}
            for each in self.equilibria
        ]
        left = [[names[p][a] for a in self.left[p]] for p in (0, 1)]
        value = None if self.value is None else str(self.value)
        about = {"game": str(self.game), "dominance": story, "left": left, "value": value}
        return {**about, "equilibria": found, "infinitely_many": self.is_infinite}


def is_matrix(game: Game) -> bool:
    """Whether a game is one that `analyse` takes."""
    return hasattr(game, "matrix") and game.players == 2 and game.simultaneous


def analyse(game: Game) -> Analysis:
    """The story of dominance and all equilibria of a matrix game."""
    if not is_matrix(game):
        raise Unsuited(f"{game} is no matrix game")
    matrix = game.matrix  # type: ignore[attr-defined]
    one, two = ([[cell[p] for cell in row] for row in matrix] for p in (0, 1))
    story, left = dominance(one, two)
    found = tuple(equilibria(one, two))
    return Analysis(game, tuple(story), left, found, _share_a_mixture(found))


def _share_a_mixture(found: Sequence[Equilibrium]) -> bool:
    return len({each.row for each in found}) < len(found) or len({each.column for each in found}) < len(found)


# ---- dominance


def dominance(one: Matrix, two: Matrix) -> tuple[list[Elimination], tuple[tuple[int, ...], tuple[int, ...]]]:
    """What is strictly dominated goes, one after the other; the story, and the actions of each player that are left.

    `one` and `two` are what the row player and the column player get. Single actions that dominate are looked for
    before mixtures.
    """
    rows, columns = list(range(len(one))), list(range(len(one[0])))
    story: list[Elimination] = []
    while True:
        mine = [[one[i][j] for j in columns] for i in rows]
        theirs = [[two[i][j] for i in rows] for j in columns]
        for find in (_dominated_by_one, _dominated_by_mixture):
            step = next(((p, *found) for p, gains in ((0, mine), (1, theirs)) if (found := find(gains))), None)
            if step is not None:
                break
        if step is None:
            return story, (tuple(rows), tuple(columns))
        p, gone, by = step
        actions, size = (rows, len(one)) if p == 0 else (columns, len(one[0]))
        chances = dict(zip(actions, by, strict=True))
        story.append(Elimination(p, actions[gone], tuple(chances.get(a, Fraction(0)) for a in range(size))))
        del actions[gone]


def _dominated_by_one(gains: Matrix) -> tuple[int, Mixture] | None:
    """The first row that another is better than in every column."""
    for i, row in enumerate(gains):
        for k, other in enumerate(gains):
            if all(x < y for x, y in zip(row, other, strict=True)):
                return i, tuple(Fraction(a == k) for a in range(len(gains)))
    return None


def _dominated_by_mixture(gains: Matrix) -> tuple[int, Mixture] | None:
    """The first row that a mixture of others is better than: by the game of who is how much better, if that is won."""
    for i, row in enumerate(gains):
        others = [k for k in range(len(gains)) if k != i]
        if len(others) < 2:
            return None
        lead = [[y - x for x, y in zip(row, gains[k], strict=True)] for k in others]
        best = next(equilibria(lead, [[-x for x in each] for each in lead]))
        if best.values[0] > 0:
            chances = dict(zip(others, best.row, strict=True))
            return i, tuple(chances.get(a, Fraction(0)) for a in range(len(gains)))
    return None


# ---- equilibria


def equilibria(one: Matrix, two: Matrix) -> Iterator[Equilibrium]:
    """All equilibria that are not between others, pure ones first."""
    m, n = len(one), len(one[0])
    if comb(m + n, m) > MOST_VERTICES:
        raise Unsuited(f"a matrix of {m} rows and {n} columns has too many equilibria to look for all of them")
    mine, theirs = _as_integers(one), _as_integers(two)
    rows = _vertices(list(zip(*theirs, strict=True)), m, n)
    columns = {y: _swapped(labels, m, n) for y, labels in _vertices([list(row) for row in mine], n, m).items()}
    everything = frozenset(range(m + n))
    pairs = [(x, y) for x, has in rows.items() for y, others in columns.items() if has | others == everything]
    found = [Equilibrium(x, y, (_mean(one, x, y), _mean(two, x, y))) for x, y in pairs]
    yield from sorted(found, key=lambda each: (not each.is_pure, [-c for c in each.row], [-c for c in each.column]))


def _as_integers(matrix: Matrix) -> list[list[int]]:
    """The same game in integers above 0: what is best stays so when all is shifted and stretched."""
    scale = lcm(*(Fraction(x).denominator for row in matrix for x in row))
    least = min(min(row) for row in matrix)
    return [[int((Fraction(x) - least) * scale) + 1 for x in row] for row in matrix]


def _swapped(labels: frozenset[int], m: int, n: int) -> frozenset[int]:
    """Labels of the column player's polytope, numbered as the row player's: rows 0 to m - 1, then columns."""
    return frozenset(label + m if label < n else label - n for label in labels)


def _vertices(limits: Sequence[Sequence[int]], size: int, number: int) -> dict[Mixture, frozenset[int]]:
    """The vertices but 0 of all x >= 0 with limit · x <= 1 for each of the `number` limits, scaled to probabilities.

    The labels of a vertex: i where x[i] is 0, `size` + j where limit j is reached.
    """
    unit = [[int(i == k) for k in range(size)] for i in range(size)]
    found: dict[Mixture, frozenset[int]] = {}
    for tight in combinations(range(size + number), size):
        if tight[-1] < size:  # all are 0
            continue
        system = [[*unit[t], 0] if t < size else [*limits[t - size], 1] for t in tight]
        solved = _solve(system)
        if solved is None:
            continue
        x, scale = solved
        reached = [sum(c * each for c, each in zip(limit, x, strict=True)) for limit in limits]
        if min(x) < 0 or max(reached) > scale:
            continue
        labels = {i for i in range(size) if x[i] == 0} | {size + j for j in range(number) if reached[j] == scale}
        total = sum(x)
        found[tuple(Fraction(each, total) for each in x)] = frozenset(labels)
    return found


def _solve(rows: list[list[int]]) -> tuple[list[int], int] | None:
    """The solution of equations with integers, as numerators and one denominator above 0; None if there is not one.

    By elimination without fractions (Bareiss 1968): every division below is exact.
    """
    n, before = len(rows), 1
    for c in range(n):
        pivot = next((r for r in range(c, n) if rows[r][c]), None)
        if pivot is None:
            return None
        rows[c], rows[pivot] = rows[pivot], rows[c]
        top = rows[c]
        for r in range(n):
            if r != c:
                row, factor = rows[r], rows[r][c]
                rows[r] = [(top[c] * x - factor * y) // before for x, y in zip(row, top, strict=True)]
        before = top[c]
    sign = 1 if before > 0 else -1
    return [sign * row[-1] for row in rows], sign * before


def _mean(matrix: Matrix, x: Mixture, y: Mixture) -> Fraction:
    """What a player gets on the average."""
    return Fraction(sum(p * q * matrix[i][j] for i, p in enumerate(x) if p for j, q in enumerate(y) if q))
