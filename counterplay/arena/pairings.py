"""Who plays whom: the pairs of games of a match, a gauntlet, a round robin or a Swiss tournament.

    match           two players
    gauntlet        the first player against each of the others
    round-robin     everybody against everybody
    swiss           rounds, in each of which those meet who have about the same points and have not met before

A pair of games has one opening and the sides swapped; game 2n and game 2n + 1 are pair n. All pairs with the same
number of opening begin alike, so that nobody is lucky with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from counterplay.core.game import UserError

__all__ = ["KINDS", "Pair", "Plan"]

KINDS = ("match", "gauntlet", "round-robin", "swiss")
_MOST_PLAYERS = 256
_TRIES = 10_000
"""Pairings of a Swiss round that are tried before some meet again."""


class Pair(NamedTuple):
    """Two games."""

    one: int
    """The number of the player who begins the first of them."""
    other: int
    opening: int
    """The number of the opening."""


@dataclass(frozen=True)
class Plan:
    """What kind of tournament, and how long."""

    kind: str
    players: int
    games: int
    """Between each two that meet; in a Swiss tournament, in a round."""
    rounds: int = 0
    """Of a Swiss tournament; 0: as many as a knockout would have."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UserError(f"there is no tournament '{self.kind}'; there are: {', '.join(KINDS)}")
        if self.games < 1:
            raise UserError(f"a match has 1 game or more, not {self.games}")
        if self.kind == "match" and self.players != 2:
            raise UserError(f"a match has two players, not {self.players}")
        if not 2 <= self.players <= _MOST_PLAYERS:
            raise UserError(f"a tournament has 2 to {_MOST_PLAYERS} players, not {self.players}")
        if self.kind != "match" and self.games % 2:
            raise UserError(f"every opening is played with both sides: an even number of games, not {self.games}")
        if self.rounds and self.kind != "swiss":
            raise UserError(f"only a swiss tournament has rounds, not a {self.kind}")
        most = self.players - 1 + self.players % 2
        if not 0 <= self.rounds <= most:
            raise UserError(f"{self.players} players can meet in {most} rounds, not {self.rounds}")

    @property
    def total(self) -> int:
        """How many games there are in all."""
        if self.kind == "swiss":
            return self._rounds * (self.players // 2) * self.games
        meetings = {"match": 1, "gauntlet": self.players - 1, "round-robin": self.players * (self.players - 1) // 2}
        return meetings[self.kind] * self.games

    @property
    def openings(self) -> int:
        """How many openings there are."""
        return (self._rounds if self.kind == "swiss" else 1) * ((self.games + 1) // 2)

    @property
    def _rounds(self) -> int:
        return self.rounds or (self.players - 1).bit_length()

    def pairs(self, results: Mapping[int, float]) -> list[Pair]:
        """The pairs in their order, as far as they are known.

        `results` has, for pairs that were played, the points of their `one`. Only a Swiss tournament asks for them:
        there a round is known when the one before is over.
        """
        if self.kind == "swiss":
            return self._swiss(results)
        meetings = {
            "match": [(0, 1)],
            "gauntlet": [(0, other) for other in range(1, self.players)],
            "round-robin": _everybody(self.players),
        }[self.kind]
        return [Pair(*meeting, opening) for opening in range(self.openings) for meeting in meetings]

    def _swiss(self, results: Mapping[int, float]) -> list[Pair]:
        pairs: list[Pair] = []
        points, met, idle = [0.0] * self.players, set[frozenset[int]](), set[int]()
        for number in range(self._rounds):
            begins = len(pairs)
            ranked = sorted(range(self.players), key=lambda p: (-points[p], p))
            if self.players % 2:
                rests = next(p for p in reversed(ranked) if p not in idle)
                ranked.remove(rests)
                idle.add(rests)
                points[rests] += self.games  # as if it had won
            meetings = _meetings(ranked, points, met)
            openings = range(number * (self.games // 2), (number + 1) * (self.games // 2))
            pairs += [Pair(*meeting, opening) for opening in openings for meeting in meetings]
            met |= {frozenset(meeting) for meeting in meetings}
            if not all(n in results for n in range(begins, len(pairs))):
                break
            for n in range(begins, len(pairs)):
                points[pairs[n].one] += results[n]
                points[pairs[n].other] += 2 - results[n]
        return pairs


def _everybody(players: int) -> list[tuple[int, int]]:
    """All meetings, in rounds in which everybody plays once: one stays, the others go round the table (Schurig)."""
    seats: list[int | None] = [*range(players), *([None] if players % 2 else [])]
    meetings = []
    for _ in range(len(seats) - 1):
        for one, other in zip(seats[: len(seats) // 2], reversed(seats), strict=False):
            if one is not None and other is not None:
                meetings.append((min(one, other), max(one, other)))
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return meetings


def _meetings(ranked: Sequence[int], points: Sequence[float], met: set[frozenset[int]]) -> list[tuple[int, int]]:
    """A round: the first gets an opponent of about its points whom it has not met, and so on down.

    Of those with equal points the upper half meets the lower half, as in the Dutch system.
    """
    tries = 0

    def rest(left: list[int], may_meet_again: bool) -> list[tuple[int, int]] | None:
        nonlocal tries
        if not left:
            return []
        one, *others = left
        group = [p for p in others if points[p] == points[one]]
        wanted = {p: i for i, p in enumerate(group[len(group) // 2 :] + group[: len(group) // 2][::-1])}
        for other in sorted(others, key=lambda p: (points[one] - points[p], wanted.get(p, 0), others.index(p))):
            tries += 1
            if tries > _TRIES and not may_meet_again:
                return None
            if frozenset((one, other)) in met and not may_meet_again:
                continue
            found = rest([p for p in others if p != other], may_meet_again)
            if found is not None:
                return [(one, other), *found]
        return None

    return rest(list(ranked), False) or rest(list(ranked), True) or []
