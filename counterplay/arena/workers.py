"""Who plays the games of a match: this process, one after the other, or several workers at once, here or on a cluster.

Fixtures go out, as many as there is `room` for, and games come back as they end. What a game is like does not depend on
where it is played. A game whose worker was lost is played again by another.
"""

from __future__ import annotations

import json
import traceback
from dataclasses import asdict
from types import TracebackType
from typing import Any, NamedTuple, Self

from counterplay.arena.adjudication import Adjudication
from counterplay.arena.bout import Conditions, Fixture, play
from counterplay.arena.levels import LevelPlayer
from counterplay.arena.openings import Opening
from counterplay.arena.players import EnginePlayer
from counterplay.arena.record import GameRecord
from counterplay.arena.timing import Clock
from counterplay.core.game import Game, UserError
from counterplay.executors import LostWorker, Parcel, Role, executor, must_be_sensible
from counterplay.executors.roles import Arrays
from counterplay.learn.identity import fingerprint

__all__ = ["Where", "Workers", "compile_players", "plays"]


class Where(NamedTuple):
    """Where games are played, and how many at once."""

    concurrency: int = 1
    executor: str = "local"
    address: str | None = None

    def must_be_sensible(self) -> None:
        if self.executor == "local" and self.address is None and not 1 <= self.concurrency <= 256:
            raise UserError(f"1 to 256 games are played at once, not {self.concurrency}")
        must_be_sensible(self.concurrency, self.executor, self.address)

    @property
    def is_here(self) -> bool:
        return self.executor == "local" and self.concurrency == 1


class Workers:
    """Play the games of one match."""

    def __init__(self, game: Game, conditions: Conditions, players: tuple[str, ...], where: Where) -> None:
        where.must_be_sensible()
        about = {"conditions": _written(conditions), "players": list(dict.fromkeys(players))}
        about |= {"rules": fingerprint(game)} if where.executor != "local" else {}
        role = Role(f"{__name__}:{plays.__name__}", game, about)
        self._executor = executor(role, where.concurrency, where.executor, where.address)

    @property
    def room(self) -> int:
        """How many games can be begun now."""
        return self._executor.room

    @property
    def busy(self) -> bool:
        return self._executor.busy

    def begin(self, fixture: Fixture) -> None:
        self._executor.begin(Parcel(json.dumps(fixture)))

    def finished(self) -> GameRecord:
        """The next game that ends."""
        try:
            found = self._executor.finished()
        except LostWorker as error:
            number = json.loads(error.parcel.text)[0] + 1
            how = error.how.replace("a process", f"the process that played game {number}")
            how = how.replace("a worker of the cluster", f"the worker that played game {number}")
            raise UserError(f"{how}; the games that were finished are kept in the record, if there is one") from None
        assert found is not None  # nobody asks when nothing was begun
        return GameRecord.read(json.loads(found[1].text))

    def __enter__(self) -> Self:
        self._executor.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._executor.__exit__(kind, error, tb)


def compile_players(game: Game, conditions: Conditions, players: list[str]) -> None:
    """Have the machine code of all players on the disk: so it is made once, and not while somebody's clock runs."""
    for text in players:
        player = conditions.new_player(game, text, 0)
        if isinstance(player, EnginePlayer | LevelPlayer):
            player.prepare()


# ---- in whatever process


def plays(game: Game, about: dict[str, Any]) -> _Playing:
    """The role of who plays games of a match."""
    if about.get("rules", "") not in ("", fingerprint(game)):
        raise UserError(f"the rules of {game} are others here than where the match was begun")
    return _Playing(game, _read(about["conditions"]), about["players"])


class _Playing:
    def __init__(self, game: Game, conditions: Conditions, players: list[str]) -> None:
        self._game, self._conditions, self._players = game, conditions, players

    def prepare(self) -> None:
        compile_players(self._game, self._conditions, self._players)

    def take(self, arrays: Arrays) -> None:
        """There is nothing to share: players are texts."""

    def work(self, parcel: Parcel) -> Parcel:
        number, seats, players, seeds, (begins, moves), dice = json.loads(parcel.text)
        opening = Opening(begins, tuple(moves))
        fixture = Fixture(number, tuple(seats), tuple(players), tuple(seeds), opening, dice)
        try:
            played = play(self._game, self._conditions, fixture)
        except UserError:
            raise
        except Exception as error:
            error.add_note(f"in the process that played game {number + 1}:\n{traceback.format_exc()}")
            raise
        return Parcel(json.dumps(played.as_dict()))


# ---- conditions as JSON


def _written(conditions: Conditions) -> dict[str, Any]:
    clock, judge = conditions.clock, conditions.adjudication
    return {
        "seed": conditions.seed,
        "limits": conditions.limits,
        "clock": None if clock is None else clock._asdict(),
        "adjudication": None if judge is None else asdict(judge),
    }


def _read(fields: dict[str, Any]) -> Conditions:
    clock, judge = fields["clock"], fields["adjudication"]
    return Conditions(
        fields["seed"],
        fields["limits"],
        None if clock is None else Clock(**clock),
        None if judge is None else Adjudication(**judge),
    )
