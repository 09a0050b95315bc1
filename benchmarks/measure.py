"""Measuring a pair: ours and a peer's rate of the same kind of work, in turn, so that both meet the same machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

Work = Callable[[], tuple[float, float]]
"""Does some work and returns (amount, seconds): how much of it, and how long that took by its own clock."""

ROUNDS = 7


class Missing(Exception):
    """A peer that is not installed; the message says how to install it."""


class Mismatch(Exception):
    """Ours and the peer did different work where it must be the same."""


@dataclass(frozen=True)
class Pair:
    """One comparison, one row of the table."""

    name: str
    unit: str
    """What is counted; the rate is this per second."""
    against: str
    """Whose rate ours is divided by."""
    ours: Work
    peer: Work
    """May raise Missing."""
    target: float | None = None
    """The ratio of ours to the peer's that we aim at."""
    same_amount: bool = False
    """Whether both must count the same amount, because they walk the same tree."""


@dataclass(frozen=True)
class Row:
    """What measuring a pair gave. Rates are per second; the peer's fields are None where it is missing."""

    name: str
    unit: str
    against: str
    target: float | None
    same_amount: bool
    rounds: int
    ours: float
    ours_amount: float
    peer: float | None = None
    peer_amount: float | None = None
    ratio: float | None = None
    """Of the medians."""
    lowest: float | None = None
    highest: float | None = None
    """Of the ratios of the single rounds."""
    missing: str | None = None


def measure(pair: Pair, rounds: int = ROUNDS) -> Row:
    """Warm both up, then let them work in turn; an odd delay hits one round, not one side."""
    ours_amount, _ = pair.ours()
    try:
        peer_amount, _ = pair.peer()
    except Missing as hint:
        alone = median(_rate(pair.ours()) for _ in range(rounds))
        return Row(**_given(pair), rounds=rounds, ours=alone, ours_amount=ours_amount, missing=str(hint))
    if pair.same_amount and ours_amount != peer_amount:
        raise Mismatch(f"{pair.name}: ours counts {ours_amount:,} {pair.unit}, {pair.against} {peer_amount:,}")
    measured = [(_rate(pair.ours()), _rate(pair.peer())) for _ in range(rounds)]
    ours, peer = median(ours for ours, _ in measured), median(peer for _, peer in measured)
    ratios = [ours / peer for ours, peer in measured]
    return Row(
        **_given(pair),
        rounds=rounds,
        ours=ours,
        ours_amount=ours_amount,
        peer=peer,
        peer_amount=peer_amount,
        ratio=ours / peer,
        lowest=min(ratios),
        highest=max(ratios),
    )


def _rate(done: tuple[float, float]) -> float:
    amount, seconds = done
    return amount / seconds


def _given(pair: Pair) -> dict:
    return {name: getattr(pair, name) for name in ("name", "unit", "against", "target", "same_amount")}
