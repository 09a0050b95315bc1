"""Commands that build endgame tables and look positions up in them."""

from pathlib import Path
from typing import Annotated

import typer

from counterplay.apps.cli.arguments import GameText, Interpreted, Json, MovesText, app, mode

Folder = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Where tables are kept. Default: your own folder for them.")
]


@app.command()
def table(
    game: GameText,
    pieces: Annotated[int | None, typer.Option(metavar="N", help="Endings of up to so many pieces.")] = None,
    endings: Annotated[str, typer.Option(metavar="NAMES", help="Only these, and what they lead to: KPK,KBNK.")] = "",
    folder: Folder = None,
    threads: Annotated[int, typer.Option(help="Work in so many threads.")] = 1,
    check: Annotated[bool, typer.Option("--check", help="Sum up files, look at some positions of each.")] = False,
    as_json: Json = False,
    interpreted: Interpreted = False,
) -> None:
    """Solve endings, or all of a small game, and keep what every position is worth.

    What is there already is not built again; ctrl-C keeps what is finished, and the next time it goes on from there.
    """
    from counterplay import games
    from counterplay.apps.cli import output, show_tables
    from counterplay.solve import tables

    named = [name.strip() for name in endings.split(",") if name.strip()]
    with mode(interpreted), show_tables.watching() as progress:
        found = tables.build(games.load(game), pieces, named, folder=folder, threads=threads, progress=progress)
        if check:
            tables.check(games.load(game), found, folder)
    if as_json:
        output.print_json(show_tables.as_dict(found))
    else:
        show_tables.show_tables(found)


@app.command()
def lookup(
    game: GameText,
    position: Annotated[
        str | None, typer.Argument(metavar="[POSITION]", help="Default: where the game begins.")
    ] = None,
    moves: MovesText = "",
    folder: Folder = None,
    as_json: Json = False,
    interpreted: Interpreted = False,
) -> None:
    """Say what tables know of a position: what every move is worth, and how far the end is."""
    from counterplay import games
    from counterplay.apps.cli import output, show_tables
    from counterplay.solve import tables

    here = games.load(game).at(moves, position)
    with mode(interpreted):
        result = tables.lookup(here.game, here.state, folder)
    if as_json:
        output.print_json(result.as_dict())
    else:
        show_tables.show_lookup(here, result)
