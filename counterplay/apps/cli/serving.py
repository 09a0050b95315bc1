"""Commands that other programs drive, on standard input and output."""

from typing import Annotated

import typer

from counterplay.apps.cli.arguments import GameText, Interpreted, ModelFile, Threads, app, load, mode


@app.command()
def engine(
    game: GameText,
    protocol: Annotated[
        str | None,
        typer.Option(
            help="uci, gtp, nboard, ugi; ggp for rule sheets. Default: uci for chess, gtp for go, nboard for othello, "
            "else ugi."
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="With ggp: where to listen on this machine; 0 for any.")] = 9147,
    seconds: Annotated[
        float | None, typer.Option(help="Seconds a move where the protocol sets no limit. Default: 10.")
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(help="Nodes a move where the protocol sets no limit. Default: a million.")
    ] = None,
    level: Annotated[int | None, typer.Option(metavar="1..10", help="Play at a level, not as well as can be.")] = None,
    threads: Threads = None,
    model: ModelFile = None,
    interpreted: Interpreted = False,
) -> None:
    """Be an engine for other programs: chess by UCI, Go by GTP, Othello by NBoard's protocol, all others by UGI.

    With ggp it is a general player: a game manager sends it any rule sheet over HTTP.
    """
    from counterplay.apps.protocols import protocol_for, run_engine, run_ggp
    from counterplay.apps.protocols.thinker import BUDGET, Options
    from counterplay.search import Limits

    loaded = load(game, model)
    if protocol == "ggp":
        with mode(interpreted):
            run_ggp(port)
        return
    kind = protocol_for(loaded, protocol)
    options = Options(threads=threads or 1, skill=Options.skill_of(level))
    budget = BUDGET if nodes is seconds is None else Limits(nodes=nodes, seconds=seconds)
    with mode(interpreted):
        run_engine(loaded, kind, options, budget)
