"""A match or a tournament while it is played, and its table at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterplay import arena, games
from counterplay.apps.cli import output
from counterplay.arena.written import must_be_writable, write_games

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

__all__ = ["Following", "compete", "following", "show_standings"]


def compete(
    game: str, players: Sequence[str], kind: str, number: int, *, out: Path | None, **settings: Any
) -> arena.Standings:
    """Play, showing how it stands, and write the games; after ctrl-C, what there is."""
    loaded = games.load(game)
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
        yield Following(shown)


class Following:
    """Keeps how it stands, for ctrl-C, and shows it if somebody looks."""

    def __init__(self, shown: Live | None) -> None:
        self.last: arena.Standings | None = None
        self._shown = shown

    def __call__(self, standings: arena.Standings) -> None:
        self.last = standings
        if self._shown is not None:
            is_match = len(standings.players) == 2
            self._shown.update(_match_table(standings) if is_match else _table(standings), refresh=True)


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
    columns = ["#", "player", *([] if found is None else ["#Elo", "#±"]), "#points", "#games", "#late", "#forfeits"]
    table = output.table(*columns, *(f"#{place}" for place in range(1, len(ranked) + 1)))
    for place, p in enumerate(ranked, 1):
        played = sum(p in each.seats for each in standings.games)
        rating = [] if found is None else [f"{found.players[p].elo:+.0f}", f"{found.players[p].within:.0f}"]
        lost = [str(standings.lost(p, why)) for why in ("time", "forfeit")]
        cross = [_against(standings, p, q) for q in ranked]
        cells = (str(place), standings.players[p], *rating, f"{standings.points(p):g}", str(played), *lost, *cross)
        output.add_row(table, *cells)
    return table


def _against(standings: arena.Standings, p: int, q: int) -> str:
    """The points of one player against another."""
    met = [each.points_of(p) for each in standings.games if p != q and set(each.seats) == {p, q}]
    return f"{sum(met):g}" if met else "-"


def _match_table(standings: arena.Standings) -> Table:
    """A match so far: a row for each of the two."""
    score = standings.score(0, 1)
    low, high = score.elo_range
    table = output.table("player", "#points", "#won", "#drawn", "#lost", "#late", "#forfeits", "")
    found = f"Elo {score.elo:+.0f} ± {(high - low) / 2:.0f}" if abs(high - low) < 1e6 else "Elo not known yet"
    played = f"game {score.games} of {standings.wanted}"
    if score.test is not None:
        lower, upper = score.test.bounds
        played += f", LLR {score.llr:.2f} ({lower:.2f} to {upper:.2f})"
    points = score.points * score.games
    rows = [(points, score.wins, score.losses, found), (score.games - points, score.losses, score.wins, played)]
    for player, (got, won, lost, note) in enumerate(rows):
        counts = (f"{got:g}", str(won), str(score.draws), str(lost))
        failed = (str(score.late[player]), str(score.forfeited[player]))
        output.add_row(table, standings.players[player], *counts, *failed, note)
    return table
