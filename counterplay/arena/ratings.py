"""Ratings of many players at once, from all games that they played with each other.

    ratings(["a", "b", "c"], [(0, 1, 1.0), (1, 2, 0.5), ...], anchor="a")

The model is Bradley and Terry's with draws as Davidson has them (JASA 65, 1970): for two players whose ratings differ
by d, in units of 400 / log 10, a win, a draw and a loss are as likely as e^(d/2), ν and e^(-d/2) are to each other. So
a difference is that of Elo, 400 for 10 points to 1, and ν says how often equals draw. The likeliest ratings are found
by Newton's method; the standard errors come from the information that Fisher found in the likelihood.

Games are taken to be independent. Two games of one opening are not quite, so that the errors are rather too large.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from counterplay.core.game import UserError

__all__ = ["Rating", "Ratings", "ratings"]

ELO = 400 / log(10)
"""Elo in a unit of the logistic curve."""
CONFIDENT = 1.96
"""Standard deviations either side that hold 95 of 100."""
_STEPS = 100

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """What the games say of one player."""

    name: str
    elo: float
    error: float
    """The standard error of `elo`; 0 for the player that all are measured by."""
    points: float
    """All points: a win is 1, a draw half of one."""
    games: int

    @property
    def within(self) -> float:
        """The true rating is within so many Elo of the one found, with 95% confidence."""
        return CONFIDENT * self.error

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "within": self.within}


@dataclass(frozen=True)
class Ratings:
    """The ratings of all players, in the order in which they were named."""

    players: tuple[Rating, ...]
    draws: float
    """How likely a draw is between equals."""
    is_bounded: bool
    """Whether the games alone decide. If a player, or several together, got all points or none against the rest, or
    nobody ever won, then any difference would do; one more game, half won and half lost, is thought of for each two
    who met."""

    def ranked(self) -> list[Rating]:
        """The strongest first."""
        return sorted(self.players, key=lambda each: -each.elo)

    def as_dict(self) -> dict[str, Any]:
        ranked = [each.as_dict() for each in self.ranked()]
        return {"ratings": ranked, "draws_between_equals": self.draws, "bounded": self.is_bounded}


def ratings(names: Sequence[str], games: Iterable[tuple[int, int, float]], anchor: str | None = None) -> Ratings:
    """The ratings of the players, by games: two of their numbers, and the points that the first of them got.

    They are measured by the mean of all, or by the player `anchor`, which has 0.
    """
    if anchor is not None and anchor not in names:
        raise UserError(f"there is no player '{anchor}' to measure by; there are: {', '.join(names)}")
    wins, draws = _counts(len(names), games)
    points, played = (wins + draws / 2).sum(1), (wins + wins.T + draws).sum(1)
    met = wins + wins.T + draws > 0
    if len(names) < 2 or not _reached(met).all():
        raise UserError("ratings need games that connect all players")
    is_bounded = bool(_reached(wins + draws > 0).all() and wins.any())
    if not is_bounded:
        wins = wins + met / 2
    strengths, nu, information = _fit(wins, draws)
    spread = _covariance(information, None if anchor is None else list(names).index(anchor))
    strengths = strengths - (strengths.mean() if anchor is None else strengths[list(names).index(anchor)])
    errors = np.sqrt(np.maximum(0.0, np.diag(spread)))
    found = [
        Rating(name, float(ELO * strengths[i]), float(ELO * errors[i]), float(points[i]), int(played[i]))
        for i, name in enumerate(names)
    ]
    return Ratings(tuple(found), nu / (2 + nu), is_bounded)


def _counts(players: int, games: Iterable[tuple[int, int, float]]) -> tuple[Floats, Floats]:
    """How often each has beaten each, and drawn with each."""
    wins, draws = np.zeros((players, players)), np.zeros((players, players))
    for one, other, points in games:
        if one == other or not (0 <= one < players and 0 <= other < players) or points not in (0.0, 0.5, 1.0):
            raise UserError(f"({one}, {other}, {points}) is no game: two players below {players}, and 0, 0.5 or 1")
        if points == 0.5:
            draws[one, other] += 1
            draws[other, one] += 1
        else:
            winner, loser = (one, other) if points == 1.0 else (other, one)
            wins[winner, loser] += 1
    return wins, draws


def _reached(steps: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """From whom one gets to whom by such steps. Ratings are finite if everybody has taken points, by and by, from
    everybody (Ford, 1957)."""
    reached = steps | np.eye(len(steps), dtype=bool)
    for _ in range(len(steps).bit_length()):
        reached = reached @ reached
    return reached


def _fit(wins: Floats, draws: Floats) -> tuple[Floats, float, Floats]:
    """The likeliest strengths and ν, and the information about the strengths and log ν; without draws, ν is 0."""
    n, with_draws = len(wins), bool(draws.any())
    found = np.zeros(n + with_draws)
    value, slope, information = _likelihood(found, wins, draws, with_draws)
    for _ in range(_STEPS):
        step = np.linalg.pinv(information) @ slope
        if np.abs(step).max() < 1e-10:
            break
        shorter = 1.0
        while shorter > 1e-6:
            new = _likelihood(found + shorter * step, wins, draws, with_draws)
            if new[0] >= value:
                break
            shorter /= 2
        found, (value, slope, information) = found + shorter * step, new
    return found[:n], float(np.exp(found[n])) if with_draws else 0.0, information


def _likelihood(found: Floats, wins: Floats, draws: Floats, with_draws: bool) -> tuple[float, Floats, Floats]:
    """The log-likelihood, its slope, and the information: the negative of its second derivative."""
    n = len(wins)
    half = (found[:n, None] - found[None, :n]) / 2
    parts = np.stack([half, np.full_like(half, found[n] if with_draws else -np.inf), -half])
    total = np.logaddexp(np.logaddexp(parts[0], parts[1]), parts[2])
    won, drawn, lost = np.exp(parts - total)
    games = wins + wins.T + draws
    value = (wins * (half - total)).sum() + ((draws * (found[n] - total)).sum() / 2 if with_draws else 0.0)
    # Of one game, by the difference: the slope of the expected points, and their covariance with whether it is a draw.
    slope = np.zeros(len(found))
    slope[:n] = ((wins - wins.T) / 2 - games * (won - lost) / 2).sum(1)
    between = games * ((won + lost) - (won - lost) ** 2) / 4
    information = np.zeros((len(found), len(found)))
    information[:n, :n] = np.diag(between.sum(1)) - between
    if with_draws:
        slope[n] = (draws - games * drawn).sum() / 2
        information[:n, n] = information[n, :n] = -(games * drawn * (won - lost) / 2).sum(1)
        information[n, n] = (games * drawn * (1 - drawn)).sum() / 2
    return float(value), slope, information


def _covariance(information: Floats, anchor: int | None) -> Floats:
    """How the strengths vary, measured by their mean or by one of them."""
    inverse = np.asarray(np.linalg.pinv(information), np.float64)  # says nothing about the mean, which is 0
    if anchor is None:
        return inverse
    differences = np.eye(len(inverse))
    differences[:, anchor] -= 1.0
    return differences @ inverse @ differences.T
