"""Matrix games as evolution sees them: nobody reasons, but what does better than the average spreads.

Two populations, one for each seat, in which x and y play the first action. The replicator equations (Taylor & Jonker
1978) say how the shares change:

    x' = x (1 - x) (what the first action gets against y, less what the second gets)

and so for y. Both equilibria and dominance can be seen: where nothing moves, and where everything goes.
"""

from __future__ import annotations

from fractions import Fraction

from counterplay.core.charts import Spot, flow_chart
from counterplay.core.game import UserError
from counterplay.solve.matrix import Analysis, Equilibrium, Matrix

__all__ = ["evolution_svg", "is_attracting", "replicate"]

_STEP, _STEPS, _STILL = 0.02, 1_500, 1e-4  # of a path: how far, how often, and when it has come to rest
_STARTS = (0.06, 0.28, 0.5, 0.72, 0.94)


def replicate(one: Matrix, two: Matrix, x: float, y: float) -> tuple[float, float]:
    """How fast the shares of the first action change; `one` and `two` are what row and column get."""
    row = [float(gain[0]) * y + float(gain[1]) * (1 - y) for gain in one]
    column = [float(two[0][j]) * x + float(two[1][j]) * (1 - x) for j in (0, 1)]
    return x * (1 - x) * (row[0] - row[1]), y * (1 - y) * (column[0] - column[1])


def is_attracting(one: Matrix, two: Matrix, found: Equilibrium) -> bool:
    """Whether everything near an equilibrium goes there: in two populations, if it is strict (Selten 1980)."""
    if not found.is_pure:
        return False
    i, j = found.row.index(1), found.column.index(1)
    return one[i][j] > one[1 - i][j] and two[i][j] > two[i][1 - j]


def evolution_svg(analysis: Analysis) -> str:
    """Where two populations drift that play a 2x2 game, as a picture."""
    game = analysis.game
    matrix: list[list[tuple[Fraction, Fraction]]] = game.matrix  # type: ignore[attr-defined]
    if (len(matrix), len(matrix[0])) != (2, 2):
        raise UserError("only a game of two rows and two columns has a picture: two shares are all that fits on paper")
    one, two = ([[cell[p] for cell in row] for row in matrix] for p in (0, 1))
    size = max((abs(gain) for table in (one, two) for row in table for gain in row), default=0) or 1

    def flow(x: float, y: float) -> tuple[float, float]:
        dx, dy = replicate(one, two, x, y)
        return dx / float(size), dy / float(size)

    paths = [_path(flow, x, y) for x in _STARTS for y in _STARTS]
    spots = [
        Spot(float(each.row[0]), float(each.column[0]), is_attracting(one, two, each)) for each in analysis.equilibria
    ]
    (row, _), (column, _) = game.names  # type: ignore[attr-defined]
    who = game.player_names
    return flow_chart(
        [path for path in paths if len(path) > 1],
        spots,
        f"{game.payoffs.replace('_', ' ')}: what spreads",  # type: ignore[attr-defined]
        f"share of {who[0]} that plays {row}",
        f"share of {who[1]} that plays {column}",
        ("equilibrium to which all near it go", "other equilibrium"),
    )


def _path(flow, x: float, y: float) -> list[tuple[float, float]]:  # type: ignore[no-untyped-def]
    """Where a pair of shares goes, by the midpoint rule, in steps of about the same length."""
    path = [(x, y)]
    for _ in range(_STEPS):
        dx, dy = flow(x, y)
        speed = (dx * dx + dy * dy) ** 0.5
        if speed < _STILL:
            break
        step = min(_STEP / speed, 2.0)
        dx, dy = flow(x + dx * step / 2, y + dy * step / 2)
        x, y = min(max(x + dx * step, 0.0), 1.0), min(max(y + dy * step, 0.0), 1.0)
        path.append((x, y))
        if len(path) > 60 and abs(x - path[0][0]) + abs(y - path[0][1]) < _STEP:
            break  # once round
    return path
