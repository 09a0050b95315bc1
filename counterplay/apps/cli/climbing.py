"""The command that says where we stand: `ladder`."""

from pathlib import Path
from typing import Annotated

import typer

from counterplay.apps.cli.arguments import GameText, Json, ModelFile, app, load
from counterplay.apps.cli.competing import Concurrency
from counterplay.apps.cli.estimating import Without, split_without


@app.command()
def ladder(
    game: GameText,
    player: Annotated[
        str | None, typer.Option(metavar="A", help="Who climbs, as in a match. Default: the strongest search.")
    ] = None,
    games: Annotated[int, typer.Option("--games", metavar="N", help="Games a rung, an even number.")] = 10,
    seconds: Annotated[float | None, typer.Option(help="Seconds a move, for both. Default: 0.1.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Nodes a move, for both, instead.")] = None,
    concurrency: Concurrency = 1,
    seed: Annotated[int, typer.Option(help="For openings, dice and players.")] = 0,
    record: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the games there; go on from them.")
    ] = None,
    model: ModelFile = None,
    without: Without = None,
    as_json: Json = False,
) -> None:
    """Play the reference opponents that are installed, weak to strong, until one wins. Ctrl-C gives what is known."""
    from contextlib import ExitStack

    from counterplay.apps.cli import output
    from counterplay.apps.cli.show_tournament import following
    from counterplay.arena.ladder import Rung, Standing, Step, climb, climber
    from counterplay.arena.players import taught
    from counterplay.arena.tournament import Told

    is_without, _ = split_without(without, model)
    played = load(game)
    player = climber(load(game, model)) if player is None else player
    if model is not None:  # only the climber has it, so it is part of that player's text
        player += f"{',' if ':' in player else ':'}model={model}"
    elif not is_without:
        player = taught(played, player)
    if seconds is None and nodes is None:
        seconds = 0.1
    steps: list[Step] = []
    with ExitStack() as shown:

        def begun(rung: Rung) -> Told:
            return shown.enter_context(following())

        def ended(step: Step) -> None:
            shown.close()
            steps.append(step)
            if not as_json:
                output.say(str(step))

        if not as_json:
            limits = {"s": seconds, "nodes": nodes}
            limit = ", ".join(f"{value:,} {unit}" for unit, value in limits.items() if value is not None)
            output.say(f"{played}: {player}, {limit} a move, {games} games a rung")
        try:
            standing = climb(
                played,
                player,
                games,
                seed=seed,
                concurrency=concurrency,
                record=record,
                begun=begun,
                ended=ended,
                seconds=seconds,
                nodes=nodes,
            )
        except KeyboardInterrupt:
            if not steps:
                raise
            standing = Standing(tuple(steps), is_top=False)
    if as_json:
        output.print_json({"game": str(played), "player": player, "games": games, **standing.as_dict()})
    else:
        output.say(f"stands {standing}")
