"""Tournaments: many games between two players or more, by a plan, with a record to go on from.

    tournament(game, ["level:3", "level:5", "level:7"], kind="round-robin", games=20)

A match is the tournament of two (`match.py`). The order in which games end does not matter: a sequential test looks at
pairs in the order of their numbers, and games beyond its end do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from counterplay.arena.adjudication import Adjudication
from counterplay.arena.bout import Conditions, Fixture
from counterplay.arena.interrupting import CtrlC
from counterplay.arena.openings import Opening, Openings
from counterplay.arena.pairings import Pair, Plan
from counterplay.arena.players import dismiss
from counterplay.arena.ratings import Ratings, ratings
from counterplay.arena.record import GameRecord, Record
from counterplay.arena.score import Score, repeated, score_of
from counterplay.arena.sprt import Sprt
from counterplay.arena.timing import Clock
from counterplay.arena.workers import Where, Workers, compile_players
from counterplay.core.game import Game, UserError
from counterplay.games import source
from counterplay.search.repetition import draw_value

__all__ = ["Standings", "Told", "tournament"]


@dataclass(frozen=True)
class Standings:
    """How a tournament stands, or how it ended."""

    players: tuple[str, ...]
    """Their texts; those of the same text have a number behind it."""
    games: tuple[GameRecord, ...] = field(repr=False)
    """In the order of their numbers."""
    wanted: int
    """How many games there will be; if a sequential test has ended, how many it took."""
    test: Sprt | None = None
    anchor: str | None = None
    """The player by whom ratings are measured; None: by the mean of all."""

    def score(self, one: int, other: int) -> Score:
        """The score of a player, by number, against another."""
        wanted = self.wanted if len(self.players) == 2 else None
        return score_of(self.games, (one, other), wanted=wanted, test=self.test)

    def points(self, player: int) -> float:
        """All points of a player."""
        return sum(each.points_of(player) for each in self.games if player in each.seats)

    def lost(self, player: int, why: str) -> int:
        """How many games a player lost by `time` or `forfeit`."""
        return sum(each.loser == player and each.ended.startswith(why) for each in self.games)

    @cached_property
    def ratings(self) -> Ratings | None:
        """The ratings of all; None as long as the games do not connect all players."""
        try:
            return ratings(self.players, [(*each.seats, each.points) for each in self.games], self.anchor)
        except UserError:
            return None

    @property
    def why_no_elo(self) -> str:
        """What keeps the games from saying anything about strength; empty if nothing does."""
        lost = sum(self.lost(player, "forfeit") for player in range(len(self.players)))
        reasons = [f"{lost} of the games were forfeited"] if lost else []
        if again := repeated(self.games):
            reasons.append(f"{again} of the games repeat another move for move")
        if len(self.games) < self.wanted:
            reasons.append(f"only {len(self.games)} of {self.wanted} games were played")
        return ", ".join(reasons)

    def ranked(self) -> list[int]:
        """The numbers of the players, those with the most points a game first."""
        played = [sum(player in each.seats for each in self.games) for player in range(len(self.players))]
        return sorted(range(len(played)), key=lambda p: (-self.points(p) / max(1, played[p]), p))

    def as_dict(self) -> dict[str, Any]:
        found = None if self.why_no_elo else self.ratings
        elo = [None] * len(self.players) if found is None else [each.as_dict() for each in found.players]
        rows = [
            {
                "player": self.players[p],
                "points": self.points(p),
                "games": sum(p in each.seats for each in self.games),
                "late": self.lost(p, "time"),
                "forfeited": self.lost(p, "forfeit"),
                "elo": rating and rating["elo"],
                "within": rating and rating["within"],
                "against": {
                    self.players[q]: self.score(p, q).points * self.score(p, q).games
                    for q in range(len(self.players))
                    if q != p and self.score(p, q).games
                },
            }
            for p, rating in ((p, elo[p]) for p in self.ranked())
        ]
        about = {"games": len(self.games), "wanted": self.wanted, "no_elo": self.why_no_elo or None}
        return {**about, "bounded": found and found.is_bounded, "standings": rows}


Told = Callable[[Standings], None]
"""Is told how a tournament stands, after every game."""


def tournament(
    game: Game,
    players: Sequence[str],
    kind: str = "round-robin",
    games: int = 2,
    *,
    rounds: int = 0,
    anchor: str | None = None,
    seed: int = 0,
    opening_plies: int | None = None,
    openings: Path | None = None,
    balanced: float | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    simulations: int | None = None,
    clock: str | Clock | None = None,
    adjudicate: str | Adjudication | None = None,
    sprt: str | Sprt | None = None,
    concurrency: int = 1,
    executor: str = "local",
    address: str | None = None,
    record: Path | None = None,
    progress: Told | None = None,
) -> Standings:
    """Play a tournament, of one of the `KINDS` in `pairings.py`, and return how it ended.

    There are so many `games` between each two that meet. They begin with `opening_plies` random moves, or those of the
    file `openings`, each opening once with either side; `balanced=0.1` takes only those in which no side has more than
    60% of the chances. `seconds`, `nodes` and `simulations` are for each move, a `clock` like `60+0.5` for all
    moves of a player; who has neither and needs one gets a tenth of a second a move. `adjudicate` ends games early, and
    `sprt` a match of two. Ratings are measured by the player `anchor`, or by the mean. `concurrency` is how many games
    are played at once, in processes; with `executor="ray"` by workers of the Ray cluster at the `address`.

    With a `record` every game is written there when it ends, and those that are there already are not played again.
    """
    limits = {"seconds": seconds, "nodes": nodes, "simulations": simulations}
    director = _Director(
        game,
        tuple(players),
        Plan(kind, len(players), games, rounds),
        Openings(opening_plies, openings, balanced),
        Conditions(
            seed,
            {name: value for name, value in limits.items() if value is not None},
            Clock.read(clock) if isinstance(clock, str) else clock,
            Adjudication.read(adjudicate) if isinstance(adjudicate, str) else adjudicate,
        ),
        Sprt.read(sprt) if isinstance(sprt, str) else sprt,
        anchor,
    )
    return director.run(Where(concurrency, executor, address), record, progress)


@dataclass
class _Director:
    """Lets the games be played that are due, and counts them."""

    game: Game
    players: tuple[str, ...]
    plan: Plan
    openings: Openings
    conditions: Conditions
    test: Sprt | None
    anchor: str | None

    def __post_init__(self) -> None:
        game, plan = self.game, self.plan
        if self.anchor is not None and self.anchor not in self.players:
            raise UserError(f"there is no player '{self.anchor}' to measure by; there are: {', '.join(self.players)}")
        if game.players != 2 or not game.zero_sum:
            raise UserError(f"a match is between two opponents; {game} is for {game.players} or not zero-sum")
        if self.test is not None and plan.kind != "match":
            raise UserError(f"a sequential test is for a match of two, not for a {plan.kind}")
        for text in self.players:  # says what is wrong before anything is written
            dismiss(self.conditions.new_player(game, text, 0))
        self._finished: dict[int, GameRecord] = {}
        self._verdict = _Verdict(self.test)

    def run(self, where: Where, record: Path | None, progress: Told | None) -> Standings:
        def tell() -> None:
            if progress is not None:
                progress(self._standings())

        about, openings = self._about(), self.openings.make(self.game, self.plan.openings, self.conditions.seed)
        at_work = Workers(self.game, self.conditions, self.players, where)
        with Record(record, about) as kept, at_work:
            self._take(kept.games, record)
            if self._finished:
                tell()
            if where.executor == "local" and len(self._finished) < self.plan.total and self._verdict.games is None:
                compile_players(self.game, self.conditions, list(dict.fromkeys(self.players)))
            try:
                with CtrlC() as ctrl_c:
                    for played in self._played(at_work, openings):
                        kept.add(played)
                        tell()
                        ctrl_c.raise_again()
            except KeyboardInterrupt:
                tell()  # a game may have ended that nobody was told of
                raise
        return self._standings()

    def _take(self, games: dict[int, GameRecord], record: Path | None) -> None:
        """Count the games that were played before, if these players met in them."""
        self._finished = {n: _with_gain(self.game, each) for n, each in games.items() if n < self.plan.total}
        met = {number: pair.seats(number) for number, pair in self._known()}
        for number, each in self._finished.items():
            if met.get(number) != each.seats:
                raise UserError(f"{record} has a game {number + 1} between others than this tournament has")
        self._verdict.look(self._finished)

    def _played(self, at_work: Workers, openings: Sequence[Opening]) -> Iterator[GameRecord]:
        """The games that were not played before, as they end, until there is no more to play or to find out."""
        due = self._due(openings)
        while self._verdict.games is None:
            while at_work.room and (fixture := next(due, None)) is not None:
                at_work.begin(fixture)
            if not at_work.busy:  # of a Swiss tournament the next round may be known now
                due = self._due(openings)
                if (fixture := next(due, None)) is None:
                    return
                at_work.begin(fixture)
            played = at_work.finished()
            self._finished[played.number] = played
            self._verdict.look(self._finished)
            yield played

    def _about(self) -> dict[str, Any]:
        """The first line of the record, which belongs to this tournament only. What is usual is not in it, so that
        records from before there were tournaments go on."""
        game, plan = self.game, self.plan
        about: dict[str, Any] = {"game": str(game), "players": list(self.players), "seed": self.conditions.seed}
        about |= self.openings.about()
        about |= {"source": source(game)} if source(game) else {}  # who reads the record has to name that file too
        about |= {} if plan.kind == "match" else {"kind": plan.kind}
        about |= {"rounds": plan.rounds, "games": plan.games} if plan.kind == "swiss" else {}
        about |= {} if self.test is None else {"sprt": self.test.as_dict()}
        return about | self.conditions.about()

    def _due(self, openings: Sequence[Opening]) -> Iterator[Fixture]:
        """The games that are still to be played, as far as they are known."""
        for number, pair in self._known():
            if number not in self._finished:
                yield self._fixture(number, pair, openings)

    def _known(self) -> Iterator[tuple[int, Pair]]:
        points = {
            number // 2: each.points + 1.0 - self._finished[number + 1].points
            for number, each in self._finished.items()
            if number % 2 == 0 and number + 1 in self._finished
        }
        for index, pair in enumerate(self.plan.pairs(points)):
            for number in (2 * index, 2 * index + 1):
                if number < self.plan.total:
                    yield number, pair

    def _fixture(self, number: int, pair: Pair, openings: Sequence[Opening]) -> Fixture:
        seed, (one, other) = self.conditions.seed, pair.seats(number)
        # New players for every game: what one remembers of earlier games must not matter, or a match that was
        # interrupted would not go on as it would have.
        seeds = {pair.one: 2 * (seed + number), pair.other: 2 * (seed + number) + 1}
        texts = self.players[one], self.players[other]
        opening = openings[pair.opening % len(openings)]
        dice = seed * 1_000_003 + pair.opening
        return Fixture(number, (one, other), texts, (seeds[one], seeds[other]), opening, dice)

    def _standings(self) -> Standings:
        end = self.plan.total if self._verdict.games is None else self._verdict.games
        games = tuple(self._finished[number] for number in sorted(self._finished) if number < end)
        return Standings(_distinct(self.players), games, end, self.test, self.anchor)


def _with_gain(game: Game, played: GameRecord) -> GameRecord:
    """A game of a record from before gains were written."""
    if not game.scored or played.gain is not None or played.ended != "rules":
        return played
    s = game.at(played.moves, played.begins or None).state
    return replace(played, gain=float(game.utility(s, 0)) - draw_value(game))


class _Verdict:
    """Follows a sequential test: it looks at the pairs in their order, and no further than its end."""

    def __init__(self, test: Sprt | None) -> None:
        self.games: int | None = None
        """With how many games the test has ended."""
        self._test, self._pairs, self._next = test, [0] * 5, 0

    def look(self, finished: dict[int, GameRecord]) -> None:
        while self._test is not None and self.games is None:
            one, other = finished.get(2 * self._next), finished.get(2 * self._next + 1)
            if one is None or other is None:
                return
            self._pairs[round(2 * (one.points + 1.0 - other.points))] += 1
            self._next += 1
            if self._test.verdict(self._pairs) is not None:
                self.games = 2 * self._next


def _distinct(players: Sequence[str]) -> tuple[str, ...]:
    """The names of players; the second of a name has a 2 behind it."""
    numbers: dict[str, Iterator[int]] = {}
    named = []
    for name in players:
        number = next(numbers.setdefault(name, count(1)))
        named.append(name if number == 1 else f"{name} ({number})")
    return tuple(named)
