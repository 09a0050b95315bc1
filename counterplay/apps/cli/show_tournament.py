"""A match or a tournament while it is played, and its table at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.text import Text

from counterplay import arena, games
from counterplay.apps.cli import output
from counterplay.apps.cli.estimating import split_without
from counterplay.arena.players import taught
from counterplay.arena.written import must_be_writable, write_games

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

_REST_SECONDS = 0.1
"""Between two looks: nobody reads faster, and of many games a table takes time to make."""

__all__ = ["Following", "compete", "following", "show_standings", "tuning_shown"]


def compete(
    game: str,
    players: Sequence[str],
    kind: str,
    number: int,
    *,
    out: Path | None,
    without: str | None = None,
    **settings: Any,
) -> arena.Standings:
    """Play, showing how it stands, and write the games; after ctrl-C, what there is."""
    loaded = games.load(game)
    is_without, _ = split_without(without)
    if not is_without:
        players = [taught(loaded, each) for each in players]
        if settings.get("anchor") is not None:
            settings["anchor"] = taught(loaded, settings["anchor"])
    if out is not None:
        must_be_writable(loaded, out)
    with following() as told:
        try:
            ended = arena.tournament(loaded, players, kind, number, progress=told, **settings)
        except KeyboardInterrupt:
            if told.last is None:
                raise
            ended = told.last
    if out is not None:
        clock = settings.get("clock") or ""
        write_games(loaded, out, ended.players, ended.games, str(clock))
    return ended


@contextmanager
def following() -> Iterator[Following]:
    """What is told how a tournament stands."""
    with output.live() as shown:
        told = Following(shown)
        try:
            yield told
        finally:
            told.show()


@contextmanager
def tuning_shown() -> Iterator[Callable[[arena.Tuned], None]]:
    """What is told where the numbers are that are being tuned."""
    with output.live() as shown:

        def told(tuned: arena.Tuned) -> None:
            if shown is not None:
                numbers = ", ".join(f"{name} {number:.4g}" for name, number in tuned.numbers.items())
                shown.update(Text(f"pair {tuned.pairs} of {tuned.of}: {numbers}"), refresh=True)

        yield told


class Following:
    """Keeps how it stands, for ctrl-C, and shows it if somebody looks."""

    def __init__(self, shown: Live | None) -> None:
        self.last: arena.Standings | None = None
        self._shown, self._next = shown, 0.0

    def __call__(self, standings: arena.Standings) -> None:
        self.last = standings
        if time.monotonic() >= self._next:
            self.show()
            self._next = time.monotonic() + _REST_SECONDS

    def show(self) -> None:
        """Show how it stands now."""
        if self._shown is not None and self.last is not None:
            is_match = len(self.last.players) == 2
            self._shown.update(_match(self.last) if is_match else _table(self.last), refresh=True)


def show_standings(standings: arena.Standings) -> None:
    """The table at the end, and what is to be said about it."""
    output.say(_table(standings))
    if why := standings.why_no_elo:
        output.say(f"no Elo: {why}")
    elif standings.ratings is not None and not standings.ratings.is_bounded:
        output.say("some have won or lost everything: differences may be larger than these ratings say")


def _table(standings: arena.Standings) -> Table:
    """Who has how many points against whom, the first one first, and the ratings."""
    ranked, found = standings.ranked(), None if standings.why_no_elo else standings.ratings
    lost = {"late": "time", "forfeits": "forfeit"}  # columns that nobody needs are left out
    lost = {name: why for name, why in lost.items() if any(standings.lost(p, why) for p in ranked)}
    columns = ["#", "player", *([] if found is None else ["#Elo", "#±"]), "#points", "#games", *(f"#{x}" for x in lost)]
    table = output.table(*columns, *(f"#{place}" for place in range(1, len(ranked) + 1)))
    table.columns[1].min_width = max(map(len, standings.players))
    for place, p in enumerate(ranked, 1):
        played = sum(p in each.seats for each in standings.games)
        rating = [] if found is None else [f"{found.players[p].elo:+.0f}", f"{found.players[p].within:.0f}"]
        counts = [f"{standings.points(p):g}", str(played), *(str(standings.lost(p, why)) for why in lost.values())]
        cross = [_against(standings, p, q) for q in ranked]
        output.add_row(table, str(place), standings.players[p], *rating, *counts, *cross)
    return table


def _against(standings: arena.Standings, p: int, q: int) -> str:
    """The points of one player against another."""
    met = [each.points_of(p) for each in standings.games if p != q and set(each.seats) == {p, q}]
    return f"{sum(met):g}" if met else "-"


def _match(standings: arena.Standings) -> Group:
    """A match so far: a row for each of the two, and what that means."""
    score = replace(standings.score(0, 1), wanted=None)  # that it goes on is nothing against it
    table = output.table("player", "#points", "#won", "#drawn", "#lost", "#late", "#forfeits")
    points = score.points * score.games
    rows = [(points, score.wins, score.losses), (score.games - points, score.losses, score.wins)]
    for player, (got, won, lost) in enumerate(rows):
        counts = (f"{got:g}", str(won), str(score.draws), str(lost))
        failed = (str(score.late[player]), str(score.forfeited[player]))
        output.add_row(table, standings.players[player], *counts, *failed)
    means = [f"game {score.games} of {standings.wanted}", score.why_no_elo or _elo(score)]
    if score.test is not None:
        lower, upper = score.test.bounds
        means.append(f"LLR {score.llr:.2f} ({lower:.2f} to {upper:.2f})")
    return Group(table, Text("; ".join(means)))


def _elo(score: arena.Score) -> str:
    low, high = score.elo_range
    return f"Elo {score.elo:+.0f} ± {(high - low) / 2:.0f}" if isfinite(high - low) else score.elo_text
