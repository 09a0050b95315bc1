"""The ladder: reference opponents of a game, weak to strong. Whoever climbs it says where he stands.

Each rung is a match, with the openings and seeds of every match. It goes on until a rung is lost: less than half of the
points, or in backgammon less than 0 points a game. Opponents whose program is not installed are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log, sqrt
from pathlib import Path
from typing import Any, NamedTuple

from counterplay.arena.hidden import usual_player
from counterplay.arena.levels import LEVELS
from counterplay.arena.outside import is_installed
from counterplay.arena.score import Score, mean_gain
from counterplay.arena.tournament import Standings, Told, tournament
from counterplay.core.game import Game, UserError
from counterplay.search.algorithms import choose

__all__ = ["Rung", "Standing", "Step", "climb", "climber", "rungs"]


class Rung(NamedTuple):
    """An opponent."""

    name: str
    player: str
    """A text for `new_player`."""
    elo: float | None = None
    """Its rating, if its makers say one."""
    program: str = ""
    """What has to be installed."""


@dataclass(frozen=True)
class Step:
    """What came of a rung."""

    rung: Rung
    score: Score
    gain: float
    """What the climber got a game, more or less than in a draw: in backgammon points, else 1 for a win."""
    error: float
    """The standard error of that."""
    is_scored: bool
    """Whether a win can be more than another."""

    @property
    def is_lost(self) -> bool:
        return self.gain < 0

    def __str__(self) -> str:
        """`Stockfish at 1350: +8 =1 -1, 85%`, or `GNU Backgammon: +4 =0 -6, -0.35 ± 0.21 points a game`."""
        score = self.score
        what = f"{self.gain:+.2f} ± {1.96 * self.error:.2f} a game" if self.is_scored else f"{score.points:.0%}"
        flaw = f", {score.why_no_elo}" if score.why_no_elo else ""
        return f"{self.rung.name}: +{score.wins} ={score.draws} -{score.losses}, {what}{flaw}"

    def as_dict(self) -> dict[str, Any]:
        about = {"name": self.rung.name, "player": self.rung.player, "elo": self.rung.elo, "lost": self.is_lost}
        results = {"gain": self.gain, "error": self.error}
        return {**about, **results, "score": self.score.as_dict()}


@dataclass(frozen=True)
class Standing:
    """How far somebody came."""

    steps: tuple[Step, ...]
    is_top: bool
    """Whether no rung is left above."""

    @property
    def above(self) -> Rung | None:
        """The last opponent that was not lost to."""
        return next((each.rung for each in reversed(self.steps) if not each.is_lost), None)

    @property
    def below(self) -> Rung | None:
        """The opponent that was lost to."""
        return self.steps[-1].rung if self.steps and self.steps[-1].is_lost else None

    @property
    def elo(self) -> tuple[float, float] | None:
        """The rating at which the points of all games are expected, and its standard error.

        By the opponents' ratings, taken as given. None if they have none, if everything was won or lost, or if the
        games of a rung are not worth a rating, such as forfeited ones.
        """
        rated = [(each.rung.elo, each.score) for each in self.steps if each.rung.elo is not None]
        if any(score.why_no_elo for _, score in rated):
            return None
        games, points = sum(score.games for _, score in rated), sum(score.points * score.games for _, score in rated)
        if not 0 < points < games:
            return None
        low, high = (bound([elo for elo, _ in rated]) + way * 4000 for bound, way in ((min, -1), (max, 1)))
        while high - low > 0.01:
            middle = 0.5 * (low + high)
            is_less = sum(score.games * _expected(middle - elo) for elo, score in rated) < points
            low, high = (middle, high) if is_less else (low, middle)
        chances = [(score.games, _expected(low - elo)) for elo, score in rated]
        return low, 400 / log(10) / sqrt(sum(n * p * (1 - p) for n, p in chances))

    def __str__(self) -> str:
        """`above Stockfish at 1950, below Stockfish at 2100: about 2040 ± 60`."""
        above = f"above {self.above.name}" if self.above else ""
        top = ", the last of the ladder" if self.is_top and not self.below else ""
        below = f"below {self.below.name}" if self.below else ""
        elo = f": about {self.elo[0]:.0f} ± {1.96 * self.elo[1]:.0f}" if self.elo else ""
        return (", ".join(each for each in (above, below) if each) or "no rung was played") + top + elo

    def as_dict(self) -> dict[str, Any]:
        elo, error = self.elo or (None, None)
        names = {"above": self.above, "below": self.below}
        stands = {key: None if rung is None else rung.name for key, rung in names.items()}
        rating = {"elo": elo, "elo_error": error}
        return {**stands, **rating, "top": self.is_top, "rungs": [each.as_dict() for each in self.steps]}


def _expected(lead: float) -> float:
    """The points a game that are expected at a lead in Elo's ratings."""
    return float(1 / (1 + 10 ** (-lead / 400)))


# ---- the opponents


def rungs(game: Game) -> list[Rung]:
    """The opponents that are installed, weak to strong."""
    if not game.perfect_information:
        return list(_hidden(game))
    known = {"chess": _chess, "go": _go, "backgammon": _backgammon}.get(game.name, _levels)()
    here = [rung for rung in known if not rung.program or is_installed(rung.program)]
    return here or list(_levels())


def _levels() -> Iterator[Rung]:
    """Ourselves: for games of which no program is installed."""
    yield Rung("random moves", "random")
    for level in LEVELS:
        yield Rung(f"level {level}", f"level:{level}")


def _hidden(game: Game) -> Iterator[Rung]:
    """Ourselves, too, where something is hidden; last an equilibrium, if it can be computed."""
    yield Rung("random moves", "random")
    yield Rung("pimc", "pimc:simulations=1000")
    for simulations in (100, 1_000, 10_000):
        yield Rung(f"ismcts, {simulations:,} simulations", f"ismcts:simulations={simulations}")
    if (best := usual_player(game)) == "equilibrium":
        yield Rung("equilibrium", best)


def _chess() -> Iterator[Rung]:
    """Stockfish is said to have these ratings at a minute a game; at less time it has less."""
    for elo in range(1350, 2851, 150):
        text = f"uci:stockfish,UCI_Elo={elo},Hash=16"
        yield Rung(f"Stockfish at {elo}", text, elo, "stockfish")
    yield Rung("GNU Chess", "uci:gnuchess --uci", None, "gnuchess")
    yield Rung("Stockfish", "uci:stockfish,Hash=16", None, "stockfish")


def _go() -> Iterator[Rung]:
    """Our rules count every stone that stays on the board, so that it has to take dead ones before it passes."""
    yield Rung("random moves", "random")
    for level in range(1, 11):
        text = f"gtp:gnugo --mode gtp --level {level} --chinese-rules --capture-all-dead"
        yield Rung(f"GNU Go at level {level}", text, None, "gnugo")


def _backgammon() -> Iterator[Rung]:
    yield Rung("random moves", "random")
    for noise in (0.5, 0.2, 0.1, 0.05, 0.02):
        yield Rung(f"GNU Backgammon with noise {noise}", f"gnubg:plies=0,noise={noise}", None, "gnubg")
    yield Rung("GNU Backgammon", "gnubg:plies=0", None, "gnubg")
    yield Rung("GNU Backgammon, 2 plies", "gnubg:plies=2", None, "gnubg")


# ---- climbing


def climb(
    game: Game,
    player: str | None = None,
    games: int = 10,
    *,
    record: Path | None = None,
    seed: int = 0,
    concurrency: int = 1,
    begun: Callable[[Rung], Told | None] | None = None,
    ended: Callable[[Step], None] | None = None,
    **limits: Any,
) -> Standing:
    """Play so many games with each opponent until a rung is lost.

    `player` is who climbs, by default the strongest search of ours; `limits` (`seconds`, `nodes`) are for a move of
    either side, and `concurrency` is how many games are played at once. `record` is a folder, with the record of a
    match for each rung: from these a climb goes on. `begun` is told of every rung and returns what is told of its
    games, `ended` is told what came of it.
    """
    if games < 2 or games % 2:
        raise UserError(f"a rung has an even number of games, 2 or more, so that both begin equally often; not {games}")
    player = climber(game) if player is None else player
    steps: list[Step] = []
    opponents = rungs(game)
    if record is not None:
        try:
            record.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{record} cannot be a folder of records: {error.strerror}") from None
    for number, rung in enumerate(opponents):
        played = tournament(
            game,
            (player, rung.player),
            "match",
            games,
            seed=1000 * seed + number,  # luck with the dice of one rung is none on the next
            opening_plies=0 if game.chance else 4,  # dice make games different by themselves
            concurrency=concurrency,
            record=record and record / f"{re.sub(r'[^a-z0-9.]+', '-', rung.name.lower())}.jsonl",
            progress=None if begun is None else begun(rung),
            **limits,
        )
        steps.append(_step(game, rung, played))
        if ended is not None:
            ended(steps[-1])
        if steps[-1].is_lost:
            break
    return Standing(tuple(steps), len(steps) == len(opponents))


def climber(game: Game) -> str:
    """The text of the strongest search of ours."""
    name, settings = choose(game)
    return ":".join([name, *([",".join(f"{key}={value}" for key, value in settings.items())] if settings else [])])


def _step(game: Game, rung: Rung, played: Standings) -> Step:
    return Step(rung, played.score(0, 1), *mean_gain(played.games, 0), game.scored)
