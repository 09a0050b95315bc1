"""Commands that play: a game, questions, demonstrations."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from counterplay.apps.cli.arguments import Interpreted, Json, ModelFile, MovesText, PositionText, app, mode
from counterplay.apps.cli.estimating import Without


@app.command()
def play(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="A name, name:parameter=value,..., FILE.py[:Class] or FILE.kif."),
    ] = None,
    you: Annotated[
        int | None,
        typer.Option(metavar="N", help="The player you are, 0 for none. Default: 1 at a terminal, else 0."),
    ] = None,
    level: Annotated[
        int | None,
        typer.Option(metavar="1..10", help="How strong the computer is. Default: 5; 10 if it plays all sides."),
    ] = None,
    depth: Annotated[int | None, typer.Option(help="Plies the computer looks ahead, instead of a level.")] = None,
    players: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="All players: human, level:5, random, alphabeta:depth=6, ... as in a match."),
    ] = None,
    load: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Go on with a saved game; of your own rules with GAME.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="For dice and errors. Default: 0; at a terminal any.")] = None,
    model: ModelFile = None,
    without: Without = None,
    position: PositionText = None,
    moves: MovesText = "",
    as_json: Json = False,
    interpreted: Interpreted = False,
) -> None:
    """Play against the computer, or let it play; without a terminal it plays all sides and shows the game."""
    from counterplay.apps.cli import output
    from counterplay.apps.cli.show_game import begin, play_game

    at_terminal = output.is_interactive() and not as_json
    with mode(interpreted):
        wanted = {"players": players, "you": you, "level": level, "depth": depth}
        session = begin(game, load, position, moves, seed, at_terminal, model, without, **wanted)
        record = play_game(session, game, quiet=as_json)
    if as_json:
        output.print_json(record)


@app.command()
def quiz(
    kind: Annotated[
        str | None,
        typer.Option(help="value, pruned, window, order, expectimax, expectiminimax or maxn. Default: all in turn."),
    ] = None,
    difficulty: Annotated[int, typer.Option(metavar="1..5", help="How large the trees are.")] = 2,
    questions: Annotated[int, typer.Option(metavar="N", help="How many.")] = 10,
    seed: Annotated[int | None, typer.Option(help="The same questions again. Default: new ones.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Write a sheet to print, and FILE-solutions.html; ask nothing."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Ask about game trees, as the lectures do: values, pruning, windows, orders, chance; and explain the answers."""
    from counterplay.apps.cli import output
    from counterplay.apps.cli.show_quiz import ask, write
    from counterplay.core.randomness import any_seed
    from counterplay.study.quiz import questions as new_questions

    seed = any_seed(10_000) if seed is None else seed
    asked = new_questions(questions, seed, kind, difficulty)
    written = write(asked, out) if out is not None else []
    if as_json:
        about = {"seed": seed, "difficulty": difficulty, "kind": kind}
        output.print_json({**about, "questions": [question.as_dict() for question in asked]})
    elif written:
        first, second = (quote(str(file)) for file in written)
        output.say(f"{first} has the questions, {second} the solutions (seed {seed})")
    else:
        output.say(f"{len(asked)} questions, difficulty {difficulty}, seed {seed}; `help` says what you can type\n")
        ask(asked)


@app.command()
def demo(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Which; without it they are listed.")] = None,
    seeds: Annotated[int | None, typer.Option(help="Games to play for each figure.")] = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it, moving, into this file.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show a game of it first.")] = False,
    as_json: Json = False,
) -> None:
    """Run a demonstration of the lectures: figures, and whether the claim holds; exit status 1 if it does not."""
    from counterplay.apps.cli.show_demo import list_demos, run_demo

    if name is None:
        list_demos(as_json)
    elif not run_demo(name, seeds, svg, watch, as_json):
        raise typer.Exit(1)
