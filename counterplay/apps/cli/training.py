"""Commands that learn: `train`, and what there is of models."""

from pathlib import Path
from typing import Annotated

import typer

from counterplay.apps.cli.arguments import Address, ExecutorName, GameText, Interpreted, Json, app, mode
from counterplay.core.errors import UserError


@app.command()
def train(
    game: GameText,
    recipe: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="samuel, td-gammon, logistello, any, sides, zero or descent, as in any:hidden=96."
        ),
    ] = None,
    number: Annotated[
        int | None, typer.Option("--games", metavar="N", help="Games to learn from. Default: the recipe's.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Instead: about so long, without measuring.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the model goes. Default: GAME.safetensors.")
    ] = None,
    begun_with: Annotated[
        str | None,
        typer.Option("--from", metavar="FILE", help="Begin with this model, of the same shape, or `shipped`."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the training of this file.")] = False,
    method: Annotated[
        str | None,
        typer.Option(help="How it learns: td, by differences of positions; zero, by tree search; descent, by minimax."),
    ] = None,
    seed: Annotated[int, typer.Option(help="For the first weights, and for chance.")] = 0,
    threads: Annotated[int, typer.Option(help="Play in so many threads; only with one is a run repeatable.")] = 1,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Zero: let so many workers play the games that one learns from."),
    ] = None,
    executor: ExecutorName = "local",
    address: Address = None,
    half: Annotated[bool, typer.Option("--half", help="Write weights of 16 bits: a file of half the size.")] = False,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the curve there.")] = None,
    elo: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the Elo of the generations there.")] = None,
    tensorboard: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the curve there as events for TensorBoard.")
    ] = None,
    as_json: Json = False,
    interpreted: Interpreted = False,
) -> None:
    """Let a game teach itself: a model learns from games against itself. Ctrl-C keeps all; --resume goes on."""
    from contextlib import ExitStack

    from counterplay import games
    from counterplay.apps.cli.show_training import follow
    from counterplay.core.files import write_files
    from counterplay.learn.course import Course, curve_svg, elo_svg, games_within
    from counterplay.learn.distributed import Spread
    from counterplay.learn.events import Events
    from counterplay.learn.recipes import recipe_for
    from counterplay.learn.shelf import named

    loaded = games.load(game)
    file = Path(f"{loaded.name}.safetensors") if out is None else out
    if number is not None and seconds is not None:
        raise UserError("give --games or --seconds, not both")
    if seconds is not None and not 0 < seconds < 1e7:
        raise UserError(f"--seconds is how long to train, more than 0, not {seconds:g}")
    if workers is None and (executor != "local" or address is not None):
        raise UserError("say by --workers how many workers of the cluster play")
    if workers is not None and seconds is not None:
        raise UserError("with --workers give --games, not --seconds")
    if resume and begun_with is not None:
        raise UserError("give --from or --resume: a training that was begun has its own weights")
    spread = None if workers is None else Spread(workers, executor, address)
    with mode(interpreted), ExitStack() as open_files:
        if resume:
            course = Course.taken_up(loaded, file, spread, half)
            begun = {"--recipe": str(course.recipe), "--games": course.training.settings.games}
            for option, wish in (("--recipe", recipe), ("--games", number)):
                if wish not in (None, begun[option]):
                    raise UserError(f"the training of {file} was begun with {option} {begun[option]}, not {wish}")
        else:
            chosen = recipe_for(loaded, recipe, method)
            if seconds is not None:
                number = games_within(loaded, chosen, seconds, threads)
            model = None if begun_with is None else named(loaded, begun_with)
            course = Course(loaded, chosen, file, number, threads, seed, spread, half, model)
            course.must_be_new()
        events = None if tensorboard is None else open_files.enter_context(Events(tensorboard))
        try:
            follow(course, game, as_json, events)
        finally:
            points = [point.as_dict() for point in course.curve]
            for picture, drawn in ((svg, curve_svg), (elo, elo_svg)):
                if picture is not None and points:
                    write_files({picture: drawn(loaded, str(course.recipe), points)})


@app.command()
def models(
    which: Annotated[
        str, typer.Argument(metavar="[NAME|FILE|FOLDER]", help="A game or a file: all about that model. Default: here.")
    ] = ".",
    as_json: Json = False,
) -> None:
    """List the models that come with Counterplay, and those in a folder of yours; or tell all about one of them."""
    from counterplay.apps.cli import output
    from counterplay.apps.cli.show_training import show_model, show_models
    from counterplay.learn.shelf import STRONGER, kept, models_in, on_the_shelf

    folder, ours = Path(which), on_the_shelf()
    one = kept(folder) if folder.is_file() else next((each for each in ours if each.game == which), None)
    if one is not None:
        if one.problem:
            raise UserError(one.problem)
        measured = STRONGER.get(one.game, "") if one in ours else ""
        if as_json:
            output.print_json({**one.as_dict(), "stronger": measured or None})
        else:
            try:
                show_model(one, measured)
            except (TypeError, ValueError, LookupError, AttributeError):  # a file may be anybody's
                raise UserError(f"{one.file} tells nothing sensible of how it was trained") from None
        return
    if not folder.is_dir():
        names = ", ".join(each.game for each in ours)
        raise UserError(f"there is no folder {folder}, and no game with a model of ours by that name: {names}")
    yours = models_in(folder)
    if as_json:
        found = {"shipped": ours, "trained": yours}
        output.print_json({whose: [each.as_dict() for each in some] for whose, some in found.items()})
    else:
        show_models(ours, yours)
