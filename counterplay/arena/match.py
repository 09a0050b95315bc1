"""A match: many games between two players, from distinct openings, each opening once with either side.

The score is kept by pairs of games with the same opening, which are what is independent of each other. A record file
has a line of JSON for the match and one for each game; a match that was interrupted goes on from there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import inf, log10, sqrt
from pathlib import Path
from typing import Any, BinaryIO

from counterplay import search
from counterplay.arena.outside import Forfeit, Resignation
from counterplay.arena.players import Player, dismiss, new_player
from counterplay.core.files import MOST_BYTES, locked, read_json
from counterplay.core.game import CHANCE, Game, UserError, is_repeated
from counterplay.games import source
from counterplay.search.repetition import draw_value

__all__ = ["GameRecord", "Score", "match"]

MOST_PLIES = 2_000
"""A game that lasts longer is a draw."""

PATIENCE = search.Limits(seconds=0.1)
"""What a search has for a move, if nothing is said."""

_CONFIDENT = 1.96  # standard deviations either side that hold 95 of 100


@dataclass(frozen=True)
class GameRecord:
    """A game of a match, by the names of its moves."""

    number: int
    first: int
    """Which of the two players, 0 or 1, had player 1's side."""
    opening: int
    """How many of the moves were given."""
    moves: tuple[str, ...]
    points: float
    """What the first player of the match got: 1, 0.5 or 0."""
    ended: str
    """`rules`, `repetition`, `length`, `resignation`, or `forfeit: ` and why."""


@dataclass(frozen=True)
class Score:
    """Wins, draws and losses of the match's first player, and what they say about strength."""

    wins: int
    draws: int
    losses: int
    error: float
    """The standard error of the points a game."""

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

    def __str__(self) -> str:
        return f"+{self.wins} ={self.draws} -{self.losses}, {self.points:.1%} of {self.games} games, {self._elo_text()}"

    def _elo_text(self) -> str:
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
        """For JSON, which has no infinity: null."""
        low, high = self.elo_range
        numbers = {"elo": self.elo, "elo_low": low, "elo_high": high}
        finite = {name: value if abs(value) < inf else None for name, value in numbers.items()}
        return {**asdict(self), "games": self.games, "points": self.points, **finite}


def _elo(points: float) -> float:
    if points <= 0:
        return -inf
    return inf if points >= 1 else 400 * log10(points / (1 - points))


def score_of(records: Sequence[GameRecord]) -> Score:
    """The score of the games so far."""
    points = [record.points for record in records]
    pairs: dict[int, list[float]] = {}
    for record in records:
        pairs.setdefault(record.number // 2, []).append(record.points)
    means = [sum(pair) / len(pair) for pair in pairs.values()]
    mean = sum(means) / len(means) if means else 0.5
    spread = sum((each - mean) ** 2 for each in means) / max(1, len(means) - 1)
    # With few pairs alike the spread says too little: one more pair of the other kind is thought of (Laplace).
    least = 0.25 / (len(means) + 2) ** 2 if means else 0.25
    error = sqrt(max(spread / max(1, len(means)), least))
    return Score(points.count(1.0), points.count(0.5), points.count(0.0), error)


def match(
    game: Game,
    players: tuple[str, str],
    games: int = 100,
    *,
    seed: int = 0,
    opening_plies: int = 4,
    record: Path | None = None,
    progress: Callable[[Score], None] | None = None,
    **limits: Any,
) -> Score:
    """Play so many games between two players (see `new_player`) and return the first one's score.

    `limits` (`seconds`, `nodes`, `simulations`) are for each move of either player; a player that has none and needs
    one gets a tenth of a second. With a `record` every game is written there when it ends, and those that are there
    already are not played again.
    """
    if game.players != 2 or not game.zero_sum:
        raise UserError(f"a match is between two opponents; {game} is for {game.players} or not zero-sum")
    if games < 1:
        raise UserError(f"a match has 1 game or more, not {games}")
    for text in players:
        new_player(game, text, seed, otherwise=PATIENCE, **limits)  # says what is wrong before anything is written
    about = {"game": str(game), "players": list(players), "seed": seed, "opening_plies": opening_plies}
    about |= {"source": source(game)} if source(game) else {}  # who reads the record has to name that file too
    about |= {"limits": {key: value for key, value in limits.items() if value is not None}}
    with _Record(record, about) as kept:
        records = kept.games[:games]
        openings = _openings(game, (games + 1) // 2, opening_plies, seed)
        if progress is not None and records:
            progress(score_of(records))
        for number in range(len(records), games):
            first = number % 2
            # New players for every game: what one remembers of earlier games must not matter, or a match that was
            # interrupted would not go on as it would have.
            sides = [
                new_player(game, text, 2 * (seed + number) + i, otherwise=PATIENCE, **limits)
                for i, text in enumerate(players)
            ]
            seats = [sides[first], sides[1 - first]]
            try:
                moves, utilities, ended = _play(game, seats, openings[number // 2], seed * 1_000_003 + number // 2)
            finally:
                dismiss(*sides)
            lead = utilities[first] - draw_value(game)
            points = 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
            records.append(GameRecord(number, first, len(openings[number // 2]), moves, points, ended))
            kept.add(records[-1])
            if progress is not None:
                progress(score_of(records))
    return score_of(records)


def _play(
    game: Game, seats: Sequence[Player], opening: Sequence[int], seed: int
) -> tuple[tuple[str, ...], tuple[float, ...], str]:
    """A game from an opening: the names of its moves, what each seat got, and what ended it."""
    random = search.new_random(seed)  # the same dice for both games of a pair, as far as they go the same way
    states, fair = [game.initial()], draw_value(game)
    names: list[str] = []
    for ply in range(MOST_PLIES):
        s = states[-1]
        if game.is_terminal(s):
            return tuple(names), tuple(float(game.utility(s, p)) for p in (0, 1)), "rules"
        if game.knows.reversible and is_repeated(game, states):
            break
        p = game.player(s)
        if ply < len(opening):
            a = opening[ply]
        elif p == CHANCE:
            a = int(search.random_action(game, s, random))
        else:
            try:
                a = seats[p].choose(states)
            except Forfeit as error:
                ended = "resignation" if isinstance(error, Resignation) else f"forfeit: {error}"
                return tuple(names), (fair - 1.0, fair + 1.0) if p == 0 else (fair + 1.0, fair - 1.0), ended
        names.append(game.action_name(s, a))
        states.append(game.result(s, a))
    return tuple(names), (fair, fair), "length" if len(names) == MOST_PLIES else "repetition"


def _openings(game: Game, wanted: int, plies: int, seed: int) -> list[list[int]]:
    """Distinct random openings of so many plies, or of more where there are not enough; none of them ends the game."""
    if plies == 0:
        return [[] for _ in range(wanted)]
    random = search.new_random(seed)
    found: dict[int, list[int]] = {}
    while True:
        is_over = True  # every game ends before it has so many plies
        for _ in range(100 * wanted):
            s = game.initial()
            moves: list[int] = []
            while len(moves) < plies and not game.is_terminal(s):
                a = int(search.random_action(game, s, random))
                moves.append(a)
                s = game.result(s, a)
            if not game.is_terminal(s):
                is_over = False
                found.setdefault(game.key(s), moves)
            if len(found) == wanted:
                return list(found.values())
        if is_over:
            raise UserError(f"{game} has not {wanted} different openings; play fewer games")
        plies += 1


class _Record:
    """The file of a match, for as long as it is played: nobody else writes to it, and what is written is on the disk.

    The lock is the system's own on the open file, so that it ends with the process, however that ends.
    """

    def __init__(self, path: Path | None, about: dict[str, Any]) -> None:
        self.games: list[GameRecord] = []
        """Those that were played before."""
        self._path, self._file = path, None if path is None else locked(path)
        if self._file is not None:
            try:
                self._begin(self._file, about)
            except BaseException:
                self._file.close()
                raise

    def _begin(self, file: BinaryIO, about: dict[str, Any]) -> None:
        """Read what is there; what was being written when the match was stopped is cut off."""
        text = file.read(MOST_BYTES).decode("utf-8", errors="replace")
        header = json.dumps(about) + "\n"
        whole = text[: text.rfind("\n") + 1]
        if not whole and header.startswith(text):
            whole = ""
        else:
            self.games = _games_of(whole, about, str(self._path))
        if whole != text:
            file.truncate(len(whole.encode()))
        if not whole:
            self._write(header)

    def add(self, game: GameRecord) -> None:
        if self._file is not None:
            self._write(json.dumps(asdict(game)) + "\n")

    def _write(self, line: str) -> None:
        assert self._file is not None  # nobody writes to no file
        try:
            self._file.write(line.encode())
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise UserError(f"{self._path} cannot be written: {error.strerror}") from None

    def __enter__(self) -> _Record:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _games_of(text: str, about: dict[str, Any], name: str) -> list[GameRecord]:
    """The games of a match that was begun before, proven to be those of this one."""
    try:
        first, *lines = map(read_json, text.splitlines())
        games = [GameRecord(**{**fields, "moves": tuple(fields["moves"])}) for fields in lines]
        known = all(each.points in (0.0, 0.5, 1.0) for each in games)
    except (ValueError, TypeError, KeyError):
        raise UserError(f"{name} is not the record of a match; name another file") from None
    if first != about or not known or [each.number for each in games] != list(range(len(games))):
        raise UserError(f"{name} is the record of another match; go on with its settings or name another file")
    return games
