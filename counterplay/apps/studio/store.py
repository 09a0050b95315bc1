"""The open games on disk: a small SQLite file, written at every move, so that a server that is killed loses none."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Any

from counterplay.arena import SavedGame
from counterplay.core.game import UserError

__all__ = ["Store", "usual_file"]

MOST_GAMES = 500
"""That are kept; the one that has not been touched for the longest time goes first."""
_SCHEMA = """
create table if not exists games (
    id text primary key, name text not null, saved text not null, notes text not null, touched real not null
)"""


def usual_file() -> Path:
    """Where open games are kept if nothing is said."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "counterplay" / "studio.sqlite"


class Store:
    """Games by their ids. Any thread may ask."""

    def __init__(self, file: Path | None) -> None:
        """`file`: None keeps all in memory, for as long as the server runs."""
        try:
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch(mode=0o600)
            self._db = sqlite3.connect(":memory:" if file is None else file, check_same_thread=False)
            with self._db:
                self._db.execute("pragma journal_mode=wal")  # a move is one small write
                self._db.execute("pragma synchronous=normal")
                self._db.execute(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise UserError(f"{file} cannot keep the open games: {error}") from None
        self._lock = Lock()

    def keep(self, id: str, name: str, saved: SavedGame, notes: dict[str, Any]) -> None:
        """Write a game as it stands; `name` is what the page calls the game, `notes` what was found out on the way."""
        row = (id, name, json.dumps(asdict(saved)), json.dumps(notes), time.time())
        with self._lock, self._db:
            self._db.execute("insert or replace into games values (?, ?, ?, ?, ?)", row)
            self._db.execute(
                "delete from games where id not in (select id from games order by touched desc limit ?)", (MOST_GAMES,)
            )

    def find(self, id: str) -> tuple[str, SavedGame, dict[str, Any]] | None:
        """The game of that id: what the page calls it, how it stands, and the notes."""
        with self._lock, closing(self._db.execute("select name, saved, notes from games where id = ?", (id,))) as rows:
            found = rows.fetchone()
        if found is None:
            return None
        name, saved, notes = found
        return name, SavedGame.parse(saved, Path("the store")), json.loads(notes)

    def newest(self, most: int = 50) -> list[dict[str, Any]]:
        """The games that were touched last, of those that have begun."""
        asked = "select id, name, saved, touched from games order by touched desc limit ?"
        with self._lock, closing(self._db.execute(asked, (most,))) as rows:
            found = rows.fetchall()
        games = [(id, name, json.loads(saved), touched) for id, name, saved, touched in found]
        return [
            {"id": id, "name": name, "moves": len(saved["moves"]), "players": saved["players"], "touched": touched}
            for id, name, saved, touched in games
            if saved["moves"]
        ]

    def forget(self, id: str) -> None:
        with self._lock, self._db:
            self._db.execute("delete from games where id = ?", (id,))

    def close(self) -> None:
        with self._lock:
            self._db.close()
