"""Commands that play: games, matches, demonstrations."""

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.arguments import GameText, Interpreted, Json, MovesText, PositionText, app, at, mode
from counterplay.game import UserError


@app.command()
def play(
    game: GameText,
    you: Annotated[
        int | None,
        typer.Option(metavar="N", help="The player you are, 0 for none. Default: 1 at a terminal, else 0."),
    ] = None,
    depth: Annotated[int | None, typer.Option(help="Plies the computer looks ahead. Default: by its budget.")] = None,
    seed: Annotated[int, typer.Option(help="For the dice.")] = 0,
    position: PositionText = None,
    moves: MovesText = "",
    as_json: Json = False,
    interpreted: Interpreted = False,
) -> None:
    """Play against the computer; without a terminal it plays all sides and shows the game."""
    from counterplay.cli import output
    from counterplay.cli.play import play_game

    here = at(game, position, moves)
    if you is None:
        you = 1 if output.is_interactive() and not as_json else 0
    if not 0 <= you <= here.game.players:
        raise UserError(f"{here.game} has players 1 to {here.game.players}; you cannot be {you}")
    with mode(interpreted):
        record = play_game(here, you - 1 if you else None, depth, seed, quiet=as_json)
    if as_json:
        output.print_json(record)


@app.command("match")
def play_match(
    game: GameText,
    a: Annotated[str, typer.Argument(metavar="A", help="A player: random, alphabeta:depth=6, mcts:simulations=1000.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another; openspiel-mcts:... if it is installed.")],
    games: Annotated[int, typer.Option("--games", metavar="N", help="How many games.")] = 100,
    seconds: Annotated[float | None, typer.Option(help="Seconds a move, for both.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Nodes a move, for both.")] = None,
    simulations: Annotated[int | None, typer.Option(help="Simulations a move, for both.")] = None,
    opening_plies: Annotated[int, typer.Option(help="Random moves that every game begins with.")] = 4,
    seed: Annotated[int, typer.Option(help="For openings, dice and players.")] = 0,
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the games there; go on from it.")] = None,
    as_json: Json = False,
) -> None:
    """Play a match between two players and say who is stronger. Ctrl-C gives the score so far."""
    from counterplay import games as all_games
    from counterplay.arena import match
    from counterplay.cli import output

    with output.score_line(f"{a} against {b}", games) as told:
        try:
            score = match(
                all_games.load(game),
                (a, b),
                games,
                seed=seed,
                opening_plies=opening_plies,
                record=record,
                progress=told,
                seconds=seconds,
                nodes=nodes,
                simulations=simulations,
            )
        except KeyboardInterrupt:
            if told.score is None:
                raise
            score = told.score
    if as_json:
        output.print_json({"game": game, "players": [a, b], **score.as_dict()})
        return
    output.say(f"{a} against {b}: {score}")


@app.command()
def demo(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Which; without it they are listed.")] = None,
    seeds: Annotated[int | None, typer.Option(help="Games to play for each figure.")] = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it, moving, into this file.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show a game of it first.")] = False,
    as_json: Json = False,
) -> None:
    """Run a demonstration of the lectures: figures, and whether the claim holds; exit status 1 if it does not."""
    from counterplay.cli.demo import list_demos, run_demo

    if name is None:
        list_demos(as_json)
    elif not run_demo(name, seeds, svg, watch, as_json):
        raise typer.Exit(1)
