"""Commands that check rules and measure speed."""

from pathlib import Path
from typing import Annotated

import typer

from counterplay.apps.cli.arguments import Json, MovesText, PositionText, app, at
from counterplay.core.files import write_files
from counterplay.core.game import Position, UserError


@app.command()
def check(
    game: Annotated[str, typer.Argument(metavar="FILE.py[:Class]", help="Your game; a name of ours works too.")],
    playouts: Annotated[int, typer.Option(help="Random games to walk through.")] = 20,
    seed: Annotated[int, typer.Option(help="For the random games.")] = 0,
    patience: Annotated[float, typer.Option(metavar="SECONDS", help="How long a rule may take to return.")] = 20.0,
    as_json: Json = False,
) -> None:
    """Check the rules of a game, interpreted and compiled; exit status 1 if something is wrong."""
    from counterplay import games
    from counterplay.apps.cli import output
    from counterplay.study.check import examine_text
    from counterplay.study.check.watchdog import examine_watched

    if patience <= 0:
        raise UserError(f"a rule may take more than 0 seconds, not {patience:g}")
    if games.names_file(game):
        report = examine_watched(game, playouts, seed, patience)
    else:  # rules of ours return
        report = examine_text(game, playouts, seed)
    if "game is found" in {problem.property for problem in report.problems}:
        raise UserError(report.problems[0].message)
    if as_json:
        output.print_json(report.as_dict())
    else:
        output.say(str(report))
    raise typer.Exit(0 if report.ok else 1)


@app.command()
def bench(
    what: Annotated[str, typer.Argument(metavar="GAME | ordering | knowledge", help="What to measure.")],
    game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="For knowledge: the game.")] = None,
    seconds: Annotated[float, typer.Option(help="How long to measure each speed, about.")] = 1.0,
    depth: Annotated[int, typer.Option(help="For knowledge: plies to look ahead.")] = 8,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="For ordering: draw it into this file.")] = None,
    position: PositionText = None,
    moves: MovesText = "",
    as_json: Json = False,
) -> None:
    """Measure: how fast a GAME runs; what the order of moves is worth; what each refinement is worth for a GAME."""
    if what == "ordering":
        _bench_ordering(svg, as_json)
    elif what == "knowledge":
        if game is None:
            raise UserError("knowledge of which game? For example: counterplay bench knowledge connect_four")
        _bench_knowledge(at(game, position, moves), depth, as_json)
    else:
        _bench_speed(at(what, position, moves), seconds, as_json)


def _bench_speed(here: Position, seconds: float, as_json: bool) -> None:
    from counterplay.apps.cli import output
    from counterplay.apps.cli.show_experiments import speed_table
    from counterplay.study import experiments

    rows = experiments.measure(here, seconds)
    if as_json:
        output.print_json({"game": str(here.game), "rates": rows})
    else:
        output.say(speed_table(rows))


def _bench_ordering(svg: Path | None, as_json: bool) -> None:
    from counterplay.apps.cli import output
    from counterplay.apps.cli.show_experiments import ordering_chart, ordering_table
    from counterplay.study import experiments

    with output.progress("ordering") as progress:
        found = experiments.ordering(progress=progress)
    if svg is not None:
        write_files({svg: ordering_chart(found)})
    if as_json:
        output.print_json(found)
    else:
        output.say(ordering_table(found))


def _bench_knowledge(here: Position, depth: int, as_json: bool) -> None:
    from counterplay.apps.cli import output
    from counterplay.apps.cli.show_experiments import knowledge_table
    from counterplay.study import experiments

    with output.progress("knowledge") as progress:
        rows = experiments.knowledge(here.game, here.state, depth, progress=progress)
    if as_json:
        output.print_json({"game": str(here.game), "depth": depth, "searches": rows})
    else:
        output.say(knowledge_table(rows))
