"""Commands that solve games with something hidden."""

from pathlib import Path
from typing import Annotated

import typer

from counterplay.apps.cli.arguments import GameText, Interpreted, Json, app, mode
from counterplay.core.files import write_files
from counterplay.core.game import UserError


@app.command()
def equilibrium(
    game: GameText,
    method: Annotated[
        str | None,
        typer.Option(help="cfr, cfr+, linear, dcfr, sampling, outcome or resolving. Default: what suits the game."),
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="How often to go through the game. Default: 1000.")] = None,
    of: Annotated[
        str | None, typer.Option("--of", metavar="PLAYER", help="Say instead how much this player can be exploited.")
    ] = None,
    samples: Annotated[int, typer.Option(metavar="N", help="How often that player is asked everywhere.")] = 10,
    seed: Annotated[int, typer.Option(help="For sampling.")] = 0,
    depth: Annotated[
        int | None, typer.Option(help="For resolving: the moves of the trunk. Default: until chance shows something.")
    ] = None,
    network: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="For resolving: a network for the leaves; trained, if there is none."),
    ] = None,
    rows: Annotated[int, typer.Option(metavar="N", help="Show the strategy in so many situations.")] = 20,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the strategy, as FILE.safetensors; it can play.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of a 2x2 matrix: draw into FILE what spreads by evolution.")
    ] = None,
    as_json: Json = False,
    interpreted: Interpreted = False,
) -> None:
    """Find how to play where something is hidden, so that nobody gains by knowing it.

    A matrix game is solved exactly, with all equilibria, unless a method is named.
    """
    from counterplay import games, solve
    from counterplay.apps.cli import output, show_equilibrium

    found = games.load(game)
    learns = method is not None or iterations is not None or save is not None or of is not None
    if of is not None and (method is not None or iterations is not None):
        raise UserError("--of PLAYER looks at what a player does: leave out --method and --iterations")
    if svg is not None and (learns or not solve.is_matrix(found)):
        raise UserError("--svg draws matrix games that are solved exactly: leave it out, or name one and no method")
    with mode(interpreted):
        if solve.is_matrix(found) and not learns:
            analysis = solve.analyse(found)
            if svg is not None:
                write_files({svg: solve.evolution_svg(analysis)})
            if as_json:
                output.print_json(analysis.as_dict())
            else:
                show_equilibrium.show_analysis(analysis)
            return
        if method == solve.RESOLVING and network is not None and not network.exists():
            show_equilibrium.train_network(solve.cut(found, depth), seed).save(network)
        steps: list[tuple[int, float | None]] = []
        if of is not None:
            from counterplay.arena.exploiting import strategy_of

            strategy = strategy_of(found, of, samples, seed)
        else:
            strategy = solve.equilibrium(
                found,
                method,
                iterations,
                seed=seed,
                depth=depth,
                network=network,
                progress=lambda *news: steps.append((news[0], news[1])),
            )
    if save is not None:
        strategy.save(save)
    if as_json:
        output.print_json(show_equilibrium.as_dict(strategy, steps, rows))
    else:
        show_equilibrium.show_strategy(strategy, steps, rows)
        if save is not None:
            output.say(f"\n{save} has the strategy: `counterplay play {game} --players human,strategy:{save}`")
