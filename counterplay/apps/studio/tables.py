"""The games that are open: each a table, at which people sit and workers think.

A table is told of by its `state`, plain values for the page. Pages that look at a table hear of every change. Computers
think only while somebody looks; when the last page is closed, what is being searched is given up.
"""

from __future__ import annotations

import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from threading import RLock
from typing import Any

from counterplay import native
from counterplay.apps.studio.board import moves as clickable
from counterplay.apps.studio.board import picture
from counterplay.apps.studio.catalogue import MOST_SECONDS, Catalogue
from counterplay.apps.studio.store import Store
from counterplay.apps.studio.workers import Job, Workers
from counterplay.arena import HUMAN, SavedGame, Session
from counterplay.core.game import CHANCE, Game, UserError
from counterplay.core.words import player_name

__all__ = ["Table", "Tables"]

MOST_OPEN = 200
"""Tables in memory at which nobody looks; others come back from the store."""
_MOST_TEXT = 400_000
_BUSY = 8
"""When more jobs wait, moves are judged later or not at all."""
_SOON, _LATER = 0, 2  # a move that somebody waits for, and a verdict on one that was made


class Table:
    """A game that is open."""

    def __init__(self, id: str, name: str, saved: SavedGame, notes: dict[str, Any], game: Game, tables: Tables) -> None:
        self.id, self.name, self.game = id, name, game
        self._about, self._tables = saved, tables
        self.players = saved.players
        """Who plays, as texts for `new_player`; the session here thinks that whoever is no person plays at random."""
        self._session = self._seated(saved)
        self._verdicts: dict[int, dict[str, Any]] = {int(ply): each for ply, each in notes.get("verdicts", {}).items()}
        self._lock = RLock()
        self._listeners: set[Callable[[dict[str, Any]], None]] = set()
        self._thinking: Job | None = None
        self._judging: dict[int, Job] = {}
        self._version, self._note = time.time_ns() // 1_000_000, ""  # grows even if the table is made anew
        self._last_drawn: tuple[Any, dict[str, Any], list[dict[str, Any]]] | None = None

    def _seated(self, saved: SavedGame) -> Session:
        here = tuple(HUMAN if each == HUMAN else "random" for each in saved.players)
        return Session(replace(saved, players=here), self.game)

    # ---- who looks

    def listen(self, listener: Callable[[dict[str, Any]], None]) -> None:
        """Tell somebody of every change, from now on."""
        with self._lock:
            self._listeners.add(listener)
            self._go_on()
        listener(self.state())

    def leave(self, listener: Callable[[dict[str, Any]], None]) -> None:
        """Somebody looks no more; if nobody does, nobody thinks."""
        with self._lock:
            self._listeners.discard(listener)
            if not self._listeners:
                self._give_up()

    @property
    def is_watched(self) -> bool:
        return bool(self._listeners)

    # ---- what can be done

    def play(self, move: str) -> None:
        """A person's move."""
        with self._lock:
            if self._session.turn != HUMAN:
                raise UserError("it is not your turn")
            self._session.play(move)
            self._changed()

    def undo(self) -> None:
        """Back to the move before of a person; after the end too."""
        with self._lock:
            self._give_up()
            self._session.undo()
            self._verdicts = {ply: each for ply, each in self._verdicts.items() if ply < len(self._session.moves)}
            self._changed()

    def resign(self) -> None:
        with self._lock:
            people = self._session.people
            if not people:
                raise UserError("nobody here could resign")
            seat = self._session.seat
            self._session.resign(seat if seat in people else people[0])
            self._changed()

    def take_over(self, seat: Any, player: Any) -> None:
        """Somebody else sits down at a seat: a person for the computer, or the other way."""
        with self._lock:
            if type(seat) is not int or not 0 <= seat < self.game.players:
                raise UserError(f"{self.game} has seats 0 to {self.game.players - 1}, not {seat}")
            players = list(self.players)
            players[seat] = self._tables.catalogue.player(self.game, player)
            if (
                not self.game.perfect_information
                and self._session.moves
                and HUMAN in (players[seat], self.players[seat])
            ):
                raise UserError("nobody changes seats in a game with something hidden: he would know two hands")
            saved = replace(self.saved(), players=tuple(players))
            self.players, self._about = saved.players, saved
            self._session = self._seated(saved)
            self._changed()

    # ---- how it stands

    def saved(self) -> SavedGame:
        """The game as it stands, with those who really play it."""
        return replace(self._session.saved(), players=self.players)

    def download(self) -> str:
        """The text of the game for the person who plays it."""
        if self._session.keeps_secrets:
            raise UserError("the text would tell what is hidden: the game can be saved when it is over")
        return json.dumps(asdict(self.saved()), indent=1) + "\n"

    def picture_at(self, ply: int) -> dict[str, Any]:
        """The position after so many moves."""
        states = self._session.states
        if self._session.keeps_secrets or not 0 <= ply < len(states):
            raise UserError("there is no such position to be shown")
        return picture(self.game, states[ply], states[ply - 1] if ply else None)

    def state(self) -> dict[str, Any]:
        """All that the page shows."""
        with self._lock:
            session, game = self._session, self.game
            states, ending = session.states, session.ending
            turn = session.turn
            hides = not game.perfect_information and ending is None
            seat = session.seat
            if hides:
                viewer = session.people[0] if session.people else CHANCE
                seen = session.view(viewer)
                shown: dict[str, Any] = {"text": str(seen)}
                legal = [{"name": name, "clicks": []} for name in seen.moves] if turn == HUMAN else []
            else:
                shown, legal = self._drawn(states, turn == HUMAN)
            moves = [] if hides else [self._move(ply, name) for ply, name in enumerate(session.moves)]
            people = session.people
            return {
                "id": self.id,
                "game": self.name,
                "version": self._version,
                "players": list(self.players),
                "names": list(game.player_names),
                "people": list(people),
                "turn": turn,
                "seat": seat,
                "whose": "" if seat is None else player_name(game, seat),
                "picture": shown,
                "legal": legal,
                "moves": moves,
                "ending": "" if ending is None else self._ended(),
                "left": [None if clock is None else session.left(p) for p, clock in enumerate(session.clocks)],
                "can_undo": game.perfect_information and any(game.player(each) in people for each in states[:-1]),
                "hidden": not game.perfect_information,
                "thinking": self._thinking is not None,
                "note": self._note,
            }

    def _drawn(self, states: tuple[Any, ...], is_open: bool) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The picture and what can be clicked, made once for each position."""
        key = (len(states), states[-1], is_open)
        if self._last_drawn is None or self._last_drawn[0] != key:
            shown = picture(self.game, states[-1], states[-2] if len(states) > 1 else None)
            self._last_drawn = (key, shown, clickable(self.game, states[-1]) if is_open else [])
        return self._last_drawn[1:]

    def _move(self, ply: int, name: str) -> dict[str, Any]:
        states = self._session.states
        mover = int(self.game.player(states[ply]))
        return {"name": name, "seat": mover, **self._verdicts.get(ply, {})}

    def _ended(self) -> str:
        ending, game = self._session.ending, self.game
        assert ending is not None  # it is asked for when the game is over
        if ending.by == "rules":
            return game.outcome(self._session.states[-1])
        if ending.by == "repetition":
            return "a draw: the position came for the third time"
        assert ending.seat is not None  # somebody's resignation, or somebody's time
        who = game.player_names[ending.seat]
        winner = f"{game.player_names[ending.winners[0]]} wins: " if ending.winners else ""
        return f"{winner}{who} resigned" if ending.by == "resignation" else f"{winner}the time of {who} is up"

    # ---- inside

    def _changed(self) -> None:
        """The game is another now: keep it, think on, and tell those who look."""
        if self._thinking is not None:
            self._thinking.cancel()
        self._thinking, self._note = None, ""
        self._go_on()
        self._keep()
        self._tell()

    def _keep(self) -> None:
        verdicts = {str(ply): each for ply, each in self._verdicts.items()}
        self._tables.store.keep(self.id, self.name, self.saved(), {"verdicts": verdicts})

    def _tell(self) -> None:
        self._version += 1
        if self._listeners:
            state = self.state()
            for listener in list(self._listeners):
                listener(state)

    def _give_up(self) -> None:
        """Think no more: nobody looks, or the game went another way."""
        if self._thinking is not None:
            self._thinking.cancel()
        self._thinking = None
        for job in self._judging.values():
            job.cancel()
        self._judging.clear()

    def _go_on(self) -> None:
        """Throw the dice; let the computer think if it is its turn and somebody looks."""
        while self._session.turn == "chance":
            with native.interpreted():
                self._session.think()
        if not self._listeners or self._thinking is not None:
            return
        if self._session.turn == "computer" and not self._note:
            for job in self._judging.values():  # moves are judged while a person thinks
                job.cancel()
            self._judging.clear()
            saved, version = asdict(self.saved()), len(self._session.moves)
            tell = lambda what, said: self._thought(version, what, said)  # noqa: E731
            self._thinking = self._begin("choose", {"saved": saved}, tell, _SOON)
        elif self.game.perfect_information:
            self._judge_moves()

    def _judge_moves(self) -> None:
        """Have those of the last moves looked at that nobody has judged, unless there is too much else to do."""
        if self._tables.workers.waiting > _BUSY:
            return
        states, saved = self._session.states, asdict(self.saved())
        for ply in reversed(range(max(0, len(states) - 5), len(states) - 1)):
            if ply not in self._verdicts | self._judging and self.game.player(states[ply]) != CHANCE:
                tell = lambda what, said, ply=ply: self._judged(ply, what, said)  # noqa: E731
                self._judging[ply] = self._begin("judge", {"saved": saved, "ply": ply}, tell, _LATER)

    def _begin(self, kind: str, arguments: dict[str, Any], tell: Callable[[str, Any], None], urgency: int) -> Job:
        text = self._tables.catalogue.text(self.name)
        return self._tables.workers.begin(kind, text, arguments, tell, seconds=MOST_SECONDS, urgency=urgency)

    def _thought(self, version: int, what: str, said: Any) -> None:
        """A worker has chosen, or is on its way."""
        with self._lock:
            if self._thinking is None or version != len(self._session.moves):
                return
            if what == "progress":
                if said.get("compiling") and self._note != _COMPILING:
                    self._note = _COMPILING
                    self._tell()
                return
            self._thinking = None
            if what == "failed":
                self._note = str(said)
                self._tell()
                return
            if not self._session.is_over:
                self._session.play(str(said["move"]))
            self._changed()

    def _judged(self, ply: int, what: str, said: Any) -> None:
        with self._lock:
            if what != "progress":
                self._judging.pop(ply, None)
            if what == "done" and ply < len(self._session.moves):
                self._verdicts[ply] = said
                self._keep()
                self._tell()


_COMPILING = "the rules are being compiled, once; the page works meanwhile"


class Tables:
    """All open games, by their ids."""

    def __init__(self, catalogue: Catalogue, store: Store, workers: Workers) -> None:
        self.catalogue, self.store, self.workers = catalogue, store, workers
        self._open: OrderedDict[str, Table] = OrderedDict()
        self._lock = RLock()

    def begin(self, asked: dict[str, Any]) -> Table:
        """A new game: `game`, `seats`, and perhaps a `position`, `moves`, a `clock` and a `seed`."""
        name = asked.get("game")
        game = self.catalogue.game(name)
        players = self.catalogue.seats(game, asked.get("seats"))
        position, moves = _text(asked, "position") or None, _text(asked, "moves")
        seed = asked.get("seed", secrets.randbelow(1 << 31))
        if type(seed) is not int or not 0 <= seed < 1 << 53:
            raise UserError("a seed is a whole number")
        here = tuple(HUMAN if each == HUMAN else "random" for each in players)
        clocks = self.catalogue.clocks(game, asked.get("clock"))
        text = self.catalogue.text(name)
        session = Session.begin(text, here, position=position, moves=moves, seed=seed, clocks=clocks, game=game)
        return self._sit_down(str(name), replace(session.saved(), players=players), game)

    def load(self, text: Any, name: Any = None) -> Table:
        """A game that was saved, from its text; `name` is what the page calls it, if the text does not say."""
        if not isinstance(text, str) or len(text) > _MOST_TEXT:
            raise UserError(f"a saved game is a text of at most {_MOST_TEXT:,} characters")
        saved = SavedGame.parse(text, Path("this text"))
        known = saved.game if saved.game in self.catalogue.names else name
        game = self.catalogue.game(known)
        saved.load(game)
        players = self.catalogue.allowed(game, saved.players) or (HUMAN,) * game.players
        return self._sit_down(str(known), replace(saved, players=players), game)

    def _sit_down(self, name: str, saved: SavedGame, game: Game) -> Table:
        table = Table(secrets.token_urlsafe(9), name, saved, {}, game, self)
        with self._lock:
            self._open[table.id] = table
            self._make_room()
        table._changed()
        return table

    def find(self, id: str) -> Table:
        """The table of that id; from the store, if it is not open."""
        with self._lock:
            if id in self._open:
                self._open.move_to_end(id)
                return self._open[id]
            found = self.store.find(id)
            if found is None:
                raise UserError("there is no such game any more")
            name, saved, notes = found
            table = Table(id, name, saved, notes, self.catalogue.game(name), self)
            self._open[id] = table
            self._make_room()
            return table

    def forget(self, id: str) -> None:
        """Throw a game away."""
        with self._lock:
            table = self._open.pop(id, None)
        if table is not None:
            table._give_up()
        self.store.forget(id)

    def _make_room(self) -> None:
        unused = [id for id, table in self._open.items() if not table.is_watched]
        for id in unused[: max(0, len(self._open) - MOST_OPEN)]:
            del self._open[id]


def _text(asked: dict[str, Any], field: str) -> str:
    text = asked.get(field) or ""
    if not isinstance(text, str) or len(text) > _MOST_TEXT:
        raise UserError(f"{field} is a text")
    return text
