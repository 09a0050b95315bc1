"""The record of a match or a tournament: a line of JSON that says what is played, then one for each game.

    {"game": "nim", "players": ["alphabeta:depth=3", "random"], "seed": 0, "opening_plies": 4, "limits": {}}
    {"number": 0, "seats": [0, 1], "opening": 4, "moves": ["1-1", ...], "points": 1.0, "ended": "rules"}

A line is on the disk before the next game is counted. Games are written as they end, which need not be the order of
their numbers. Whatever ends the process, what was played is not played again.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, BinaryIO

from counterplay.core.files import MOST_BYTES, locked, read_json
from counterplay.core.game import UserError

__all__ = ["GameRecord", "Record"]


@dataclass(frozen=True)
class GameRecord:
    """A game, by the names of its moves."""

    number: int
    seats: tuple[int, int]
    """Who sat where: the numbers of the players who had player 1's and player 2's side."""
    opening: int
    """How many of the moves were given."""
    moves: tuple[str, ...]
    points: float
    """What the first of `seats` got: 1, 0.5 or 0."""
    ended: str
    """`rules`, `repetition`, `length`, `time`, `resignation`, `adjudication`, or `forfeit: ` and why."""
    begins: str = ""
    """The text of the first position; empty for the one in which the game always begins."""
    used: tuple[float, ...] = ()
    """In a game with clocks: the seconds that each move took; 0 for moves that were given, or thrown by dice."""

    spare: tuple[float, ...] = ()
    """In a game with clocks: the least that each seat had left on its clock when it had made a move."""

    gain: float | None = None
    """Where utilities are a score and the rules ended the game: what the first of `seats` got, more than in a draw."""

    def points_of(self, player: int) -> float:
        """What a player got who took part."""
        return self.points if player == self.seats[0] else 1.0 - self.points

    def gain_of(self, player: int) -> float:
        """The same in chips or points, more or less than in a draw; 1 for a win where only wins count."""
        if self.gain is None:
            return 2.0 * self.points_of(player) - 1.0
        return self.gain if player == self.seats[0] else -self.gain

    @property
    def loser(self) -> int | None:
        """Who lost; nobody in a draw."""
        return None if self.points == 0.5 else self.seats[1 if self.points == 1.0 else 0]

    def as_dict(self) -> dict[str, Any]:
        """The line of the record; what says nothing is left out."""
        optional = {name: value for name in ("begins", "used", "spare") if (value := getattr(self, name))}
        about = {"number": self.number, "seats": self.seats, "opening": self.opening, "moves": self.moves}
        optional |= {} if self.gain is None else {"gain": self.gain}
        return {**about, "points": self.points, "ended": self.ended, **optional}

    @classmethod
    def read(cls, fields: Any) -> GameRecord:
        """The game of a line; ValueError, TypeError or KeyError if it is none.

        Before there were tournaments, a line said by `first` which of two players began, and `points` were those of
        the match's first player.
        """
        fields = dict(fields)
        if "first" in fields:
            first = fields.pop("first")
            fields["seats"] = (first, 1 - first)
            fields["points"] = fields["points"] if first == 0 else 1.0 - fields["points"]
        lists = {name: tuple(fields[name]) for name in ("seats", "moves", "used", "spare") if name in fields}
        record = cls(**{**fields, **lists})
        texts = (record.ended, record.begins, *record.moves)
        numbers = (record.number, record.opening, *record.seats)
        if not all(isinstance(each, str) for each in texts) or not all(type(each) is int for each in numbers):
            raise TypeError
        if record.points not in (0.0, 0.5, 1.0) or min(numbers) < 0:
            raise ValueError
        if len(record.seats) != 2 or len(record.spare) not in (0, 2):
            raise ValueError
        if not all(type(each) in (int, float) and 0 <= each < inf for each in record.used + record.spare):
            raise ValueError
        if record.gain is not None and not (type(record.gain) in (int, float) and abs(record.gain) < inf):
            raise ValueError
        return record


class Record:
    """The file of a match, for as long as it is played: nobody else writes to it, and what is written is on the disk.

    The lock is the system's own on the open file, so that it ends with the process, however that ends. Without a path
    nothing is kept.
    """

    def __init__(self, path: Path | None, about: dict[str, Any]) -> None:
        self.games: dict[int, GameRecord] = {}
        """Those that were played before, by their numbers."""
        self._path, self._file = path, None if path is None else locked(path)
        if self._file is not None:
            try:
                self._begin(self._file, about)
            except BaseException:
                self._file.close()
                raise

    def _begin(self, file: BinaryIO, about: dict[str, Any]) -> None:
        """Read what is there; what was being written when the match was stopped is cut off."""
        data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise UserError(f"{self._path} has more than {MOST_BYTES:,} bytes, too many to go on from")
        header = (json.dumps(about) + "\n").encode()
        whole = data[: data.rfind(b"\n") + 1]
        if whole or not header.startswith(data):
            self.games = _games_of(whole.decode("utf-8", errors="replace"), about, str(self._path))
        if whole != data:
            file.truncate(len(whole))
        if not whole:
            self._write(header)

    def add(self, game: GameRecord) -> None:
        if self._file is not None:
            self._write((json.dumps(game.as_dict()) + "\n").encode())

    def _write(self, line: bytes) -> None:
        assert self._file is not None  # nobody writes to no file
        try:
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise UserError(f"{self._path} cannot be written: {error.strerror}") from None

    def __enter__(self) -> Record:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _games_of(text: str, about: dict[str, Any], name: str) -> dict[int, GameRecord]:
    """The games of a match that was begun before, proven to be those of this one."""
    try:
        first, *lines = map(read_json, text.splitlines())
        games = [GameRecord.read(fields) for fields in lines]
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UserError(f"{name} is not the record of a match; name another file") from None
    by_number = {each.number: each for each in games}
    if first != about or len(by_number) != len(games):
        raise UserError(f"{name} is the record of another match; go on with its settings or name another file")
    return by_number
