"""The sequential probability ratio test: play until it is clear enough whether a player is stronger by so much.

    test = Sprt(elo0=0, elo1=5)
    test.llr(pairs)          the log-likelihood ratio of what was played so far
    test.verdict(pairs)      "accepted", "rejected", or None: go on

Two hypotheses, that the difference is `elo0` and that it is `elo1`, are compared after every pair of games, and the
match ends when the log-likelihood ratio leaves its bounds (Wald, Sequential tests of statistical hypotheses, 1945).

What is counted are pairs of games from one opening with the sides swapped, by their points 0, 1/2, 1, 3/2, 2: five
numbers, hence "pentanomial". The two games of a pair depend on each other through the opening; pairs do not.

The method is fishtest's: the generalised likelihood ratio. Of all distributions over the five outcomes that agree with
a hypothesis, the one that makes the played games most likely is found, exactly, as a multinomial maximum likelihood
under the constraint; the ratio is that of the two likelihoods. It is no normal approximation, which strays where a
match is short or lopsided. Michel Van den Bergh's notes have the theory, hardy.uhasselt.be/Fishtest:
support_MLE_multinomial.pdf, proposition 1.1, for a given expectation; normalized_elo_practical.pdf for Elo normalised
by the spread of the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite, log, sqrt
from typing import Any, ClassVar

from counterplay.core.game import UnreadableText, UserError
from counterplay.core.texts import read_settings

__all__ = ["Sprt"]

OUTCOMES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""What a pair of games can bring, in points a game."""

_EVEN = 0.5
_UNSEEN = 1e-3
"""An outcome that has not come yet counts as so many pairs, as in fishtest, so that it is not taken for impossible."""
_STEPS = 60
"""Halvings of an interval: enough for all digits of a float."""
_ROUNDS = 60
"""Most often ten are enough to satisfy a constraint on expectation and spread together."""
_MOST_NORMALISED = 200.0
"""Beyond, the rounds need not end; so large a difference shows in a few games without any test."""


@dataclass(frozen=True)
class Sprt:
    """What is tested, and how sure one wants to be."""

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    """How likely it may be to accept a player that is `elo0` stronger."""
    beta: float = 0.05
    """How likely it may be to reject a player that is `elo1` stronger."""
    model: str = "normalised"
    """`normalised` Elo measures by the spread of a game's points, so that draws do not matter; or `logistic`."""

    MODELS: ClassVar[tuple[str, ...]] = ("normalised", "logistic")

    def __post_init__(self) -> None:
        if not (isfinite(self.elo0) and isfinite(self.elo1) and self.elo0 < self.elo1):
            raise UserError(f"a sequential test needs elo0 below elo1, not {self.elo0:g} and {self.elo1:g}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise UserError(f"alpha and beta are between 0 and 0.5, not {self.alpha:g} and {self.beta:g}")
        if self.model not in self.MODELS:
            raise UserError(f"there is no Elo '{self.model}'; there are: {', '.join(self.MODELS)}")
        if self.model == "normalised" and max(abs(self.elo0), abs(self.elo1)) > _MOST_NORMALISED:
            raise UserError(f"normalised Elo is tested from -{_MOST_NORMALISED:g} to {_MOST_NORMALISED:g}, no further")

    @classmethod
    def read(cls, text: str) -> Sprt:
        """The test of a text like `elo0=0,elo1=5`, and perhaps `alpha=0.05,beta=0.05,model=logistic`."""
        settings = read_settings(text)
        for name, value in settings.items():
            if name not in cls.__dataclass_fields__:
                known = ", ".join(cls.__dataclass_fields__)
                raise UnreadableText(f"a sequential test has no '{name}'; it has: {known}")
            if name != "model" and (isinstance(value, bool) or not isinstance(value, int | float)):
                raise UnreadableText(f"{name} is a number, not '{value}'")
        return cls(**settings)

    @property
    def bounds(self) -> tuple[float, float]:
        """Where the log-likelihood ratio ends the test: rejected at the first, accepted at the second (Wald)."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Sequence[int]) -> float:
        """The log-likelihood ratio of so many pairs with 0, 1/2, 1, 3/2 and 2 points; 0 before any is played."""
        if len(pairs) != len(OUTCOMES):
            raise UserError(f"pairs of games are counted by {len(OUTCOMES)} outcomes, not {len(pairs)}")
        if not sum(pairs):
            return 0.0
        counts = [float(count) or _UNSEEN for count in pairs]
        seen = [count / sum(counts) for count in counts]
        zero, one = (self._likeliest(seen, elo) for elo in (self.elo0, self.elo1))
        return sum(count * log(q / p) for count, p, q in zip(counts, zero, one, strict=True))

    def verdict(self, pairs: Sequence[int]) -> str | None:
        """`accepted` if elo1 is believed, `rejected` if elo0 is, None as long as neither."""
        llr, (lower, upper) = self.llr(pairs), self.bounds
        return "accepted" if llr >= upper else "rejected" if llr <= lower else None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.model} Elo {self.elo0:g} against {self.elo1:g}"

    def _likeliest(self, seen: Sequence[float], elo: float) -> list[float]:
        """The distribution that makes what was seen most likely, of those with that difference in Elo."""
        if self.model == "logistic":
            return _with_expectation(seen, 1 / (1 + 10 ** (-elo / 400)))
        return _with_effect(seen, elo * log(10) / 800 * sqrt(2))  # a pair's mean has the spread of a game over √2


def _with_expectation(seen: Sequence[float], score: float) -> list[float]:
    """The likeliest distribution whose expectation is the score."""
    return _tilted(seen, [x - score for x in OUTCOMES])


def _with_effect(seen: Sequence[float], effect: float) -> list[float]:
    """The likeliest distribution whose expectation is so many of its standard deviations above even.

    The constraint is not linear in the probabilities; it is taken for linear at what was found before, until that
    does not change any more.
    """
    found = [1 / len(OUTCOMES)] * len(OUTCOMES)
    for _ in range(_ROUNDS):
        before = found
        mean = sum(p * x for p, x in zip(found, OUTCOMES, strict=True))
        spread = sqrt(sum(p * (x - mean) ** 2 for p, x in zip(found, OUTCOMES, strict=True)))
        gradient = [x - _EVEN - effect * spread * (1 + ((x - mean) / spread) ** 2) / 2 for x in OUTCOMES]
        found = _tilted(seen, gradient)
        if max(abs(p - q) for p, q in zip(found, before, strict=True)) < 1e-12:
            break
    return found


def _tilted(seen: Sequence[float], costs: Sequence[float]) -> list[float]:
    """The likeliest distribution under which the costs have expectation 0: each p is divided by 1 + x cost.

    x is Lagrange's multiplier. It is where Σ p cost / (1 + x cost) = 0, which falls from +∞ to -∞ in between the poles.
    """
    low, high = -1 / max(costs), -1 / min(costs)
    for _ in range(_STEPS):
        x = (low + high) / 2
        if sum(p * cost / (1 + x * cost) for p, cost in zip(seen, costs, strict=True)) > 0:
            low = x
        else:
            high = x
    return [p / (1 + x * cost) for p, cost in zip(seen, costs, strict=True)]
