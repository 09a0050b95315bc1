"""Commands that find out who is stronger: matches and tournaments, and numbers that make a player so."""

from pathlib import Path
from typing import Annotated

import typer

from counterplay.apps.cli.arguments import Address, ExecutorName, GameText, Json, app
from counterplay.apps.cli.estimating import Without

Seconds = Annotated[float | None, typer.Option(help="Seconds a move. Default: 0.1 for who has no limit.")]
Nodes = Annotated[int | None, typer.Option(help="Nodes a move.")]
Simulations = Annotated[int | None, typer.Option(help="Simulations a move.")]
ClockText = Annotated[
    str | None,
    typer.Option("--clock", metavar="60+0.5", help="Seconds for all moves of a player, and more for each."),
]
OpeningPlies = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Random moves that every game begins with, 4 by default; of a file's games, how many."
    ),
]
OpeningsFile = Annotated[
    Path | None,
    typer.Option(
        "--openings", metavar="FILE", help="Begin with these: EPD, PGN, PDN, or moves or positions, a line each."
    ),
]
Balanced = Annotated[
    float | None,
    typer.Option(metavar="0..0.5", help="Only openings in which neither side's chance is further than this from even."),
]
Adjudicate = Annotated[
    str | None,
    typer.Option(metavar="RULES", help="End games that are decided: `on`, or win=0.98,draw=0.02,plies=8,after=80,..."),
]
Concurrency = Annotated[int, typer.Option(metavar="N", help="Games that are played at once, each by a worker.")]
Seed = Annotated[int, typer.Option(help="For openings, dice and players.")]
RecordFile = Annotated[
    Path | None, typer.Option("--record", metavar="FILE", help="Write the games there; go on from it.")
]
OutFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Then write the games as .pgn, .pdn, .sgf, .ggf or .txt.")
]


@app.command("match")
def play_match(
    game: GameText,
    a: Annotated[str, typer.Argument(metavar="A", help="A player: random, alphabeta:depth=6, mcts:simulations=1000.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another; uci:stockfish and the like for others' programs.")],
    games: Annotated[int, typer.Option("--games", metavar="N", help="How many games, at most.")] = 100,
    sprt: Annotated[
        str | None,
        typer.Option(metavar="elo0=0,elo1=5", help="Stop when it is clear which; also alpha=, beta=, model=logistic."),
    ] = None,
    seconds: Seconds = None,
    nodes: Nodes = None,
    simulations: Simulations = None,
    clock: ClockText = None,
    opening_plies: OpeningPlies = None,
    openings: OpeningsFile = None,
    balanced: Balanced = None,
    adjudicate: Adjudicate = None,
    concurrency: Concurrency = 1,
    executor: ExecutorName = "local",
    address: Address = None,
    seed: Seed = 0,
    record: RecordFile = None,
    out: OutFile = None,
    without: Without = None,
    as_json: Json = False,
) -> None:
    """Play a match between two players and say who is stronger. Ctrl-C gives the score so far."""
    from counterplay.apps.cli import output
    from counterplay.apps.cli.show_tournament import compete

    ended = compete(
        game,
        (a, b),
        "match",
        games,
        out=out,
        without=without,
        sprt=sprt,
        seconds=seconds,
        nodes=nodes,
        simulations=simulations,
        clock=clock,
        opening_plies=opening_plies,
        openings=openings,
        balanced=balanced,
        adjudicate=adjudicate,
        concurrency=concurrency,
        executor=executor,
        address=address,
        seed=seed,
        record=record,
    )
    score = ended.score(0, 1)
    if as_json:
        output.print_json({"game": game, "players": list(ended.players), **score.as_dict()})
        return
    output.say(f"{' against '.join(ended.players)}: {score}")


@app.command("tournament")
def play_tournament(
    game: GameText,
    players: Annotated[list[str], typer.Argument(metavar="PLAYER", help="Two or more, as in a match.")],
    kind: Annotated[
        str,
        typer.Option(help="round-robin: all against all; gauntlet: the first against the others; swiss: in rounds."),
    ] = "round-robin",
    games: Annotated[
        int, typer.Option("--games", metavar="N", help="Between each two that meet; an even number.")
    ] = 10,
    rounds: Annotated[int, typer.Option(metavar="N", help="Of a swiss tournament. Default: as a knockout.")] = 0,
    anchor: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="Measure ratings by this player. Default: by the mean.")
    ] = None,
    seconds: Seconds = None,
    nodes: Nodes = None,
    simulations: Simulations = None,
    clock: ClockText = None,
    opening_plies: OpeningPlies = None,
    openings: OpeningsFile = None,
    balanced: Balanced = None,
    adjudicate: Adjudicate = None,
    concurrency: Concurrency = 1,
    executor: ExecutorName = "local",
    address: Address = None,
    seed: Seed = 0,
    record: RecordFile = None,
    out: OutFile = None,
    without: Without = None,
    as_json: Json = False,
) -> None:
    """Play a tournament and rate the players. Ctrl-C gives the table so far."""
    from counterplay.apps.cli import output
    from counterplay.apps.cli.show_tournament import compete, show_standings

    ended = compete(
        game,
        tuple(players),
        kind,
        games,
        out=out,
        without=without,
        rounds=rounds,
        anchor=anchor,
        seconds=seconds,
        nodes=nodes,
        simulations=simulations,
        clock=clock,
        opening_plies=opening_plies,
        openings=openings,
        balanced=balanced,
        adjudicate=adjudicate,
        concurrency=concurrency,
        executor=executor,
        address=address,
        seed=seed,
        record=record,
    )
    if as_json:
        output.print_json({"game": game, "kind": kind, **ended.as_dict()})
        return
    show_standings(ended)


@app.command("tune")
def tune_player(
    game: GameText,
    player: Annotated[
        str,
        typer.Argument(metavar="PLAYER", help="With numbers in braces: mcts:exploration={c=1.4}; or for its weights."),
    ] = "alphabeta:nodes=500",
    pairs: Annotated[int, typer.Option(metavar="N", help="Pairs of games to tune by.")] = 200,
    verify: Annotated[int, typer.Option(metavar="N", help="Then so many games against the player as it was.")] = 100,
    rate: Annotated[float, typer.Option(help="How far a pair that is won moves a number, by its width.")] = 0.3,
    seconds: Seconds = None,
    nodes: Nodes = None,
    simulations: Simulations = None,
    concurrency: Concurrency = 1,
    executor: ExecutorName = "local",
    address: Address = None,
    seed: Seed = 0,
    record: Annotated[
        Path | None,
        typer.Option("--record", "--resume", metavar="FILE", help="Write the games there; go on from it."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Tune the numbers of a player, or the weights of a game's estimate, by games against itself (SPSA)."""
    from counterplay import arena, games
    from counterplay.apps.cli import output
    from counterplay.apps.cli.show_tournament import tuning_shown

    with tuning_shown() as told:
        tuned = arena.tune(
            games.load(game),
            player,
            pairs,
            rate=rate,
            seed=seed,
            verify=verify,
            concurrency=concurrency,
            executor=executor,
            address=address,
            record=record,
            progress=told,
            seconds=seconds,
            nodes=nodes,
            simulations=simulations,
        )
    if as_json:
        output.print_json({"game": game, **tuned.as_dict()})
        return
    for name, number in tuned.numbers.items():
        output.say(f"{name} = {number:.6g}")
    output.say(tuned.player)
    if tuned.score is not None:
        output.say(f"against {tuned.begun}: {tuned.score}")
