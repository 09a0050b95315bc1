"""Commands that other programs drive, on standard input and output."""

from typing import Annotated

import typer

from counterplay.apps.cli.arguments import GameText, Interpreted, Threads, app, load, mode
from counterplay.apps.cli.estimating import Without, split_without


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
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Estimate by this model, made by `train`, or the one `shipped`. Of several the first; others by "
            "the option Model.",
        ),
    ] = None,
    without: Without = None,
    interpreted: Interpreted = False,
) -> None:
    """Be an engine for other programs: chess by UCI, Go by GTP, Othello by NBoard's protocol, all others by UGI.

    With ggp it is a general player: a game manager sends it any rule sheet over HTTP.
    """
    from counterplay.apps.protocols import protocol_for, run_engine, run_ggp
    from counterplay.apps.protocols.thinker import BUDGET, NO_MODEL, Options
    from counterplay.learn.shelf import SHIPPED
    from counterplay.search import Limits

    names = model or []
    is_without, _ = split_without(without, names[0] if names else None)
    loaded = load(game)
    if protocol == "ggp":
        with mode(interpreted):
            run_ggp(port)
        return
    kind = protocol_for(loaded, protocol)
    chosen = NO_MODEL if is_without else names[0] if names else None
    options = Options(threads=threads or 1, skill=Options.skill_of(level), model=chosen)
    budget = BUDGET if nodes is seconds is None else Limits(nodes=nodes, seconds=seconds)
    with mode(interpreted):
        run_engine(loaded, kind, options, budget, [name for name in names if name != SHIPPED])
