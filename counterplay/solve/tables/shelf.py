"""Which tables there are, building more of them, and joining them to a game.

    game = tables.join(games.load("checkers"))        # every search of it asks the tables that are found
    tables.build(games.load("checkers"), pieces=4)    # into the user's folder, where they are found

Some come with Counterplay. Those that somebody has built are in the user's folder, see `users_folder`.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from counterplay.core.errors import UserError
from counterplay.core.extension import original
from counterplay.core.files import locked
from counterplay.core.game import Game
from counterplay.games._endings import Numbering, Unit, numbering
from counterplay.solve.tables.build import Progress, build_unit
from counterplay.solve.tables.explore import explore
from counterplay.solve.tables.files import SUFFIX, Slice, TableFile, open_table, users_folder
from counterplay.solve.tables.probe import Places, probing

__all__ = ["build", "found", "is_built", "is_joined", "join", "join_near", "kept_in", "totals"]

_SHIPPED = Path(__file__).parent / "shipped"
_NEAR, _VERY_NEAR = 8, 2
"""So many pieces may have to be taken before a position is in a table; with more a search is not told of it.

Who has built tables wants them; for the small ones that come with Counterplay nobody should wait for the compiler."""


def found(game: Game, folder: Path | None = None) -> list[TableFile]:
    """The tables of a game: those that come with Counterplay, and those in the user's folder, or in another."""
    tables = []
    for place in (_SHIPPED, folder or users_folder()):
        tables += [open_table(file) for file in sorted((place / _slug(game)).glob(f"*{SUFFIX}"))]
    return [table for table in tables if table.about["game"] == str(game)]


def kept_in(game: Game, folder: Path | None = None) -> Path:
    """The folder in which the tables of a game are."""
    return (folder or users_folder()) / _slug(game)


def join(game: Game, folder: Path | None = None) -> Game:
    """The game with all tables that there are for it: searches ask them, and `solved` does. As it is, if none are."""
    tables = found(game, folder)
    if not tables:
        return game
    known = numbering(game)
    places = Places(len(known.sizes) if known else 1)
    for table in tables:
        table.point(places)
    joined = game.extended(**probing(places, known.rules if known else {}))
    for table in tables:
        _must_agree(joined, known, table)
    return joined


def join_near(game: Game, s: Any, folder: Path | None = None) -> Game:
    """The same, where a search of `s` may come to a position of a table; else the game as it is."""
    known = numbering(game)
    tables = found(game, folder)
    if known is not None and tables:
        most = max(unit.pieces for unit in known.units if set(unit.slices) <= _numbers(tables))
        if known.pieces(s) > most + (_NEAR if is_built(game, folder) else _VERY_NEAR):
            return game
    return join(game, folder) if tables else game


def _numbers(tables: Iterable[TableFile]) -> set[int]:
    """The slices that are in tables."""
    return {number for table in tables for number in table.slices}


def is_built(game: Game, folder: Path | None = None) -> bool:
    """Whether somebody has built tables of the game, besides those that come with Counterplay."""
    return any(kept_in(game, folder).glob(f"*{SUFFIX}"))


def is_joined(game: Game) -> bool:
    """Whether tables have been joined to the game."""
    return "table_at" in game.extension


def _slug(game: Game) -> str:
    """The name of a game as that of a folder. One that is not ours may have any name, and its rules may be edited."""
    name = re.sub(r"[^A-Za-z0-9=]+", "-", str(game)).strip("-")[:100]
    return name if re.match(r"counterplay\.games\.(?!_)", original(game).__module__) else f"{name}-{_rules_hash(game)}"


def _rules_hash(game: Game) -> str:
    """A hash of the source of a game's classes and of its parameters."""
    texts = [repr(game.settings)]
    for each in original(game).__mro__:
        if not each.__module__.startswith(("counterplay.core", "builtins")):
            try:
                texts.append(inspect.getsource(each))
            except (OSError, TypeError):  # it was written at a prompt
                texts.append(each.__qualname__)
            except SyntaxError:  # it is a rule sheet
                texts.append(Path(inspect.getfile(each)).read_text(encoding="utf-8"))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:8]


def _must_agree(game: Game, known: Numbering | None, table: TableFile) -> None:
    """Refuse a table whose slices are not those of the game as it is now."""
    if known is None:
        fits = table.slices.keys() == {0} and table.slices[0].keys is not None and len(table.slices[0].keys) > 0
    else:
        fits = all(
            number < len(known.sizes) and _fits(each, known.sizes[number]) for number, each in table.slices.items()
        )
    if not fits:
        raise UserError(f"{table.file} is not a table of {game} as it is now: delete it and build it anew")


def _fits(each: Slice, size: int) -> bool:
    """Whether a slice has a place for each of so many positions."""
    if each.values is not None:
        return len(each.values) == size
    return len(each.results) * 4 == -(-size // 32) * 32 and size <= len(each.plies) < size + 8


# ---- building


def build(
    game: Game,
    pieces: int | None = None,
    endings: Iterable[str] = (),
    *,
    folder: Path | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> list[TableFile]:
    """Build the tables of a game that are not there yet, and return all that were asked for.

    Of a game whose endings are numbered: those of so many `pieces`, or the `endings` of these names; and all that these
    lead to. Of another, which must be small: one table of all positions.
    """
    if game.extension and original(game) is not type(game):
        game = original(game)(**game.settings)
    here = kept_in(game, folder)
    try:
        here.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{here} cannot be made: {error.strerror or error}") from None
    with locked(here / ".lock"):
        known = numbering(game)
        if known is None:
            if pieces is not None or endings:
                raise UserError(f"the endings of {game} are not numbered: its table is of all positions")
            file = here / f"all{SUFFIX}"
            if not file.exists():
                explore(game, file, progress=progress)
            return [open_table(file)]
        return _build_units(game, known, _wanted(game, known, pieces, tuple(endings)), here, threads, progress)


def _build_units(
    game: Game, known: Numbering, units: list[Unit], here: Path, threads: int, progress: Progress | None
) -> list[TableFile]:
    places, tables = Places(len(known.sizes)), []
    for unit in units:
        file = here / f"{unit.name}{SUFFIX}"
        if not file.exists():
            if game.chance:
                from counterplay.solve.tables.bearoff import build_bearoff  # with a game that others can do without

                build_bearoff(game, known, unit, file)
            else:
                build_unit(game, known, unit, places, file, threads=threads, progress=progress)
        tables.append(open_table(file))
        tables[-1].point(places)
    return tables


def _wanted(game: Game, known: Numbering, pieces: int | None, endings: tuple[str, ...]) -> list[Unit]:
    """The units that are asked for, and those that they need, in the order in which they can be built."""
    units = {unit.name: unit for unit in known.units}
    for name in endings:
        if name not in units:
            raise UserError(f"{game} has no ending '{name}'; it has: {', '.join(units)}")
    most = max(unit.pieces for unit in known.units)
    if pieces is not None and not min(unit.pieces for unit in known.units) <= pieces <= most:
        raise UserError(f"tables of {game} are of 2 to {most} pieces, not of {pieces}")
    limit = (known.usual if not endings else -1) if pieces is None else pieces
    wanted: set[str] = set()
    waiting = [*endings, *(unit.name for unit in known.units if unit.pieces <= limit)]
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            waiting += units[name].needs
    return [unit for unit in known.units if unit.name in wanted]


def totals(tables: Iterable[TableFile]) -> dict[str, Any]:
    """What several tables have together."""
    abouts = [table.about for table in tables]
    added = {name: sum(each[name] for each in abouts) for name in ("positions", "wins", "draws", "losses", "moves")}
    return {**added, "longest": max(each["longest"] for each in abouts)}
