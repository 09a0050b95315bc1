"""The command that opens the studio in a browser."""

from pathlib import Path
from typing import Annotated

import typer

from counterplay.apps.cli.arguments import Json, app
from counterplay.core.errors import UserError


@app.command()
def studio(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME]...", help="FILE.py, or games with parameters; all others are there too."),
    ] = None,
    port: Annotated[int, typer.Option(help="Where to listen. Default: any port that is free.")] = 0,
    host: Annotated[str, typer.Option(help="Another address of this machine, for others to come in.")] = "127.0.0.1",
    no_open: Annotated[bool, typer.Option("--no-open", help="Only print the address; open no browser.")] = False,
    engine: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="A player by another program, as in a match: uci:stockfish. May come again."),
    ] = None,
    store: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where open games are kept. Default: in your home.")
    ] = None,
    processes: Annotated[int | None, typer.Option(metavar="N", help="How many searches may run at once.")] = None,
    as_json: Json = False,
) -> None:
    """Open the studio: a page in your browser to play, analyse, watch searches and learn."""
    try:
        from counterplay.apps.studio.server import run
        from counterplay.apps.studio.store import usual_file
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("counterplay"):
            raise
        raise UserError(f"the studio needs {missing.name}: pip install 'counterplay[studio]'") from None
    if processes is not None and not 1 <= processes <= 64:
        raise UserError(f"1 to 64 searches run at once, not {processes}")
    run(
        games or (),
        engines=engine or (),
        host=host,
        port=port,
        store=store or usual_file(),
        processes=processes,
        opens=not no_open,
        as_json=as_json,
    )
