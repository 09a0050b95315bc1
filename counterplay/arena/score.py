"""The score of two players against each other: points, the difference in Elo and how sure it is, or why there is none.

Games come in pairs, of one opening with the sides swapped. Pairs are what is independent of each other, so that the
error is that of the pairs' means.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf, log10, sqrt
from typing import Any

from counterplay.arena.record import GameRecord
from counterplay.arena.sprt import OUTCOMES, Sprt

__all__ = ["Score", "mean_gain", "repeated", "score_of"]

_CONFIDENT = 1.96  # standard deviations either side that hold 95 of 100


@dataclass(frozen=True)
class Score:
    """Wins, draws and losses of the first of two players, and what they say about strength."""

    wins: int
    draws: int
    losses: int
    error: float
    """The standard error of the points a game."""
    pairs: tuple[int, ...] = (0, 0, 0, 0, 0)
    """How many pairs of games brought 0, 1/2, 1, 3/2 and 2 points."""
    late: tuple[int, int] = (0, 0)
    """Games that each of the two lost on time."""
    forfeited: tuple[int, int] = (0, 0)
    """Games that each of the two lost by a crash, an illegal move or no answer."""
    spare: tuple[float | None, float | None] = (None, None)
    """The least that each of the two ever had left on its clock; None without clocks."""
    repeated: int = 0
    """Games that had been played before, move for move."""
    wanted: int | None = None
    """How many games were asked for; None if as many as there are."""
    test: Sprt | None = field(default=None)
    """The sequential test that may end the match."""
    gain: float | None = None
    """Where a win can be more than another: the chips or points a game, more or less than in draws."""
    gain_error: float | None = None
    """The standard error of that."""

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Points a game."""
        return (self.wins + 0.5 * self.draws) / self.games if self.games else 0.5

    @property
    def elo(self) -> float:
        """The difference in Elo's ratings that such a score is expected at; infinite when everything is won or lost."""
        return _elo(self.points)

    @property
    def elo_range(self) -> tuple[float, float]:
        """Where the difference lies with 95% confidence."""
        return _elo(self.points - _CONFIDENT * self.error), _elo(self.points + _CONFIDENT * self.error)

    @property
    def llr(self) -> float | None:
        """The log-likelihood ratio of the sequential test."""
        return None if self.test is None else self.test.llr(self.pairs)

    @property
    def verdict(self) -> str | None:
        """What the sequential test says: `accepted`, `rejected`, or None if it goes on."""
        return None if self.test is None else self.test.verdict(self.pairs)

    @property
    def why_no_elo(self) -> str:
        """What keeps the score from saying anything about strength; empty if nothing does."""
        reasons = []
        if lost := sum(self.forfeited):
            reasons.append(f"{_counted(lost, 'was', 'were')} forfeited")
        if self.repeated:
            reasons.append(f"{_counted(self.repeated, 'repeats', 'repeat')} another move for move")
        if self.wanted is not None and self.games < self.wanted:
            reasons.append(f"only {self.games} of {self.wanted} games were played")
        return ", ".join(reasons)

    def __str__(self) -> str:
        parts = [f"+{self.wins} ={self.draws} -{self.losses}, {self.points:.1%} of {self.games} games"]
        if self.gain is not None and self.gain_error is not None:
            parts.append(f"{self.gain:+.2f} ± {_CONFIDENT * self.gain_error:.2f} a game")
        parts.append(f"no Elo: {self.why_no_elo}" if self.why_no_elo else self.elo_text)
        if self.test is not None:
            lower, upper = self.test.bounds
            how = self.verdict or "undecided"
            parts.append(f"LLR {self.llr:.2f} ({lower:.2f} to {upper:.2f}), {self.test} {how}")
        if any(self.late):
            parts.append(f"lost on time {self.late[0]} and {self.late[1]}")
        return ", ".join(parts)

    @property
    def elo_text(self) -> str:
        """`Elo +35 (+10 to +61)`, or what else can be said."""
        low, high = self.elo_range
        if low == -inf and high == inf:
            return "too few games for Elo"
        if high == inf:
            within = f"{low:+.0f} or more"
        elif low == -inf:
            within = f"{high:+.0f} or less"
        else:
            within = f"{low:+.0f} to {high:+.0f}"
        return f"Elo {within}" if abs(self.elo) == inf else f"Elo {self.elo:+.0f} ({within})"

    def as_dict(self) -> dict[str, Any]:
        """For JSON, which has no infinity: null, and so is Elo where there is a reason against it."""
        low, high = self.elo_range
        numbers = {"elo": self.elo, "elo_low": low, "elo_high": high}
        is_told = not self.why_no_elo
        told = {name: value if is_told and abs(value) < inf else None for name, value in numbers.items()}
        counted = {"wins": self.wins, "draws": self.draws, "losses": self.losses, "games": self.games}
        about: dict[str, Any] = {"points": self.points, "error": self.error, "pairs": list(self.pairs), **told}
        about |= {"no_elo": self.why_no_elo or None, "late": list(self.late), "forfeited": list(self.forfeited)}
        about |= {"spare": list(self.spare), "gain": self.gain, "gain_error": self.gain_error}
        test = self.test and {**self.test.as_dict(), "llr": self.llr, "bounds": list(self.test.bounds)}
        return {**counted, **about, "sprt": test, "verdict": self.verdict}


def score_of(
    records: Iterable[GameRecord],
    players: tuple[int, int] = (0, 1),
    *,
    wanted: int | None = None,
    test: Sprt | None = None,
) -> Score:
    """The score of the first of two players in the games between them."""
    one, other = players
    games = [each for each in records if set(each.seats) == set(players)]
    pairs: dict[int, list[float]] = {}
    for each in games:
        pairs.setdefault(each.number // 2, []).append(each.points_of(one))
    means = [sum(pair) / len(pair) for pair in pairs.values()]
    whole = [sum(pair) / 2 for pair in pairs.values() if len(pair) == 2]
    points = [each.points_of(one) for each in games]
    gain, gain_error = mean_gain(games, one) if any(each.gain is not None for each in games) else (None, None)
    late, forfeited = ([each.loser for each in games if each.ended.startswith(why)] for why in ("time", "forfeit"))
    return Score(
        points.count(1.0),
        points.count(0.5),
        points.count(0.0),
        _error(means),
        tuple(whole.count(outcome) for outcome in OUTCOMES),
        (late.count(one), late.count(other)),
        (forfeited.count(one), forfeited.count(other)),
        (_spare(games, one), _spare(games, other)),
        repeated(games),
        wanted,
        test,
        gain,
        gain_error,
    )


def mean_gain(games: Sequence[GameRecord], player: int) -> tuple[float, float]:
    """What a player got a game, more or less than in a draw, and the standard error of that, by pairs of games."""
    pairs: dict[int, list[float]] = {}
    for each in games:
        pairs.setdefault(each.number // 2, []).append(each.gain_of(player))
    means = [sum(pair) / len(pair) for pair in pairs.values()]
    mean = sum(means) / max(1, len(means))
    spread = sum((each - mean) ** 2 for each in means) / max(1, len(means) - 1)
    return mean, sqrt(spread / max(1, len(means)))


def repeated(games: Iterable[GameRecord]) -> int:
    """How many games between the same players with the same sides had been played before, move for move.

    They are no new experiment. (The same moves with the sides swapped are: both have had the better side once.)
    """
    seen = [(each.seats, each.begins, each.moves) for each in games]
    return len(seen) - len(set(seen))


def _spare(games: Sequence[GameRecord], player: int) -> float | None:
    return min((each.spare[each.seats.index(player)] for each in games if each.spare), default=None)


def _error(means: Sequence[float]) -> float:
    """The standard error of the mean of these means."""
    mean = sum(means) / len(means) if means else 0.5
    spread = sum((each - mean) ** 2 for each in means) / max(1, len(means) - 1)
    # With few pairs alike the spread says too little: one more pair of the other kind is thought of (Laplace).
    least = 0.25 / (len(means) + 2) ** 2 if means else 0.25
    return sqrt(max(spread / max(1, len(means)), least))


def _elo(points: float) -> float:
    if points <= 0:
        return -inf
    return inf if points >= 1 else 400 * log10(points / (1 - points))


def _counted(number: int, one: str, several: str) -> str:
    return f"{number} game {one}" if number == 1 else f"{number} games {several}"
