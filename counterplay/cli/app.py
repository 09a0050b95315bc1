"""The commands. Each reads its arguments, asks the library, and prints; what is heavy is imported when it is needed."""

import time
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from counterplay import __version__
from counterplay.game import CHANCE, Game, Position, UserError

app = typer.Typer(
    name="counterplay",
    help="Play, solve and study games whose rules are plain Python classes.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

GameText = Annotated[str, typer.Argument(metavar="GAME", help="A name, name:parameter=value,..., or FILE.py[:Class].")]
PositionText = Annotated[str | None, typer.Option("--position", metavar="TEXT", help="Begin at this position.")]
MovesText = Annotated[str, typer.Option("--moves", metavar="MOVES", help="Then play these moves: names and blanks.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Interpreted = Annotated[bool, typer.Option("--interpreted", help="Run as plain Python, not compiled.")]


def _at(game: str, position: str | None, moves: str) -> Position:
    from counterplay import games

    return games.load(game).at(moves, position)


def _mode(interpreted: bool) -> AbstractContextManager[None]:
    from counterplay import native

    return native.interpreted() if interpreted else nullcontext()


def _version(wanted: bool) -> None:
    if wanted:
        print(f"counterplay {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    pass


# ---- looking at games and positions


@app.command("games")
def list_games(
    players: Annotated[int | None, typer.Option(help="Only games for so many players.")] = None,
    chance: Annotated[bool | None, typer.Option(help="Only games with (without) chance.")] = None,
    zero_sum: Annotated[bool | None, typer.Option(help="Only zero-sum (other) games.")] = None,
    perfect_information: Annotated[bool | None, typer.Option(help="Only with nothing (something) hidden.")] = None,
    simultaneous: Annotated[bool | None, typer.Option(help="Only with moves at the same time (in turn).")] = None,
    as_json: Json = False,
) -> None:
    """List the games with what they declare; filter by it."""
    from counterplay import games
    from counterplay.cli import output

    wanted = {
        "players": players,
        "chance": chance,
        "zero_sum": zero_sum,
        "perfect_information": perfect_information,
        "simultaneous": simultaneous,
    }
    found = [_declared(games.load(name)) for name in games.names()]
    found = [each for each in found if all(v is None or each[k] == v for k, v in wanted.items())]
    if as_json:
        output.print_json(found)
        return
    for each in found:
        traits = ["1 player" if each["players"] == 1 else f"{each['players']} players"]
        traits += ["chance"] if each["chance"] else []
        traits += ["zero-sum"] if each["zero_sum"] else ["general-sum"]
        traits += [] if each["perfect_information"] else ["hidden information"]
        traits += ["simultaneous moves"] if each["simultaneous"] else []
        parameters = ", ".join(f"{k}={v}" for k, v in each["parameters"].items())
        output.say(f"{each['name']:14} {', '.join(traits)}")
        output.say(f"{'':14} {each['about']}")
        output.say(f"{'':14} {parameters}\n")


def _declared(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "about": (type(game).__doc__ or "").strip().partition("\n")[0],
        "players": game.players,
        "chance": bool(game.chance),
        "perfect_information": game.perfect_information,
        "simultaneous": game.simultaneous,
        "zero_sum": game.zero_sum,
        "utility_sum": game.utility_sum,
        "utility_range": list(game.utility_range),
        "parameters": game.settings,
        "knows": [name for name, known in game.knows._asdict().items() if known],
    }


@app.command()
def show(
    game: GameText,
    position: PositionText = None,
    moves: MovesText = "",
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the position into this file.")] = None,
    as_json: Json = False,
) -> None:
    """Show a position: the board, who is to move, and the legal moves."""
    from counterplay.cli import output

    here = _at(game, position, moves)
    if svg is not None:
        svg.write_text(here._repr_svg_(), encoding="utf-8")
    g, s = here
    over = g.is_terminal(s)
    if as_json:
        output.print_json(
            {
                "game": str(g),
                "position": g.to_text(s),
                "player": None if over else "chance" if g.player(s) == CHANCE else g.player(s),
                "terminal": bool(over),
                "utilities": [g.utility(s, p) for p in range(g.players)] if over else None,
                "moves": here.moves(),
                "key": g.key(s),
                "board": None if g.board(s) is None else ["".join(row) for row in g.board(s) or ()],
            }
        )
        return
    output.say(output.board(here))
    output.say(f"\n{output.turn(here)}")
    if not over:
        output.say(f"moves: {output.listed(here.moves())}")
    output.say(f"position: {g.to_text(s)}")


# ---- counting and searching


@app.command()
def perft(
    game: GameText,
    depth: Annotated[int, typer.Option(help="Plies to look ahead.")] = 5,
    split: Annotated[bool, typer.Option("--split", help="Count below each move at the root too.")] = False,
    finished: Annotated[bool, typer.Option("--games", help="Count the games that end within the depth too.")] = False,
    position: PositionText = None,
    moves: MovesText = "",
    as_json: Json = False,
    interpreted: Interpreted = False,
) -> None:
    """Count the lines of play of each length: the proof that rules are right."""
    from counterplay import search
    from counterplay.cli import output

    g, s = _at(game, position, moves)
    with _mode(interpreted), output.progress(f"perft {depth}") as show_progress:
        search.perft(g, s, min(depth, 0))  # compiles, outside the clock
        began = time.perf_counter()
        nodes = search.perft(g, s, depth, show_progress)
        seconds = time.perf_counter() - began
        below = search.perft_split(g, s, depth, show_progress) if split else {}
        ended = search.count_games(g, s, depth, show_progress) if finished else None
    by_name = {g.action_name(s, a): n for a, n in below.items()}
    if as_json:
        data = {"game": str(g), "position": g.to_text(s), "depth": depth, "nodes": nodes, "seconds": seconds}
        output.print_json(data | ({"split": by_name} if split else {}) | ({"games": ended} if finished else {}))
        return
    table = output.table("#depth", "#nodes")
    for plies, n in enumerate(nodes):
        output.add_row(table, str(plies), f"{n:,}")
    output.say(table)
    if split:
        table = output.table("move", "#nodes")
        for name, n in by_name.items():
            output.add_row(table, name, f"{n:,}")
        output.say()
        output.say(table)
    if finished:
        output.say(f"\n{ended:,} games end within {depth} plies")
    output.say(f"\n{sum(nodes):,} nodes in {seconds:.3f} s")


Algorithm = Annotated[
    str | None,
    typer.Option(
        help="minimax, alphabeta, expectiminimax, expectimax, maxn, paranoid or mcts. Default: what suits the game."
    ),
]
Seconds = Annotated[float | None, typer.Option(help="Stop after so many seconds.")]
Nodes = Annotated[int | None, typer.Option(help="Stop after so many nodes.")]
Threads = Annotated[int | None, typer.Option(help="Search in so many threads (alphabeta, mcts).")]
Multi = Annotated[int | None, typer.Option(help="Exact values for so many best moves (alphabeta).")]
TableSize = Annotated[float | None, typer.Option("--table", metavar="MB", help="Memory for the table (alphabeta).")]


@app.command()
def search(
    game: GameText,
    algorithm: Algorithm = None,
    depth: Annotated[int | None, typer.Option(help="Plies to look ahead. Default: 6, if there is no limit.")] = None,
    rounds: Annotated[int | None, typer.Option(help="Rounds to look ahead: moves of the last player.")] = None,
    nodes: Nodes = None,
    seconds: Seconds = None,
    threads: Threads = None,
    multi: Multi = None,
    table: TableSize = None,
    without: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Refinements to leave out: killers,history,... or all (alphabeta)."),
    ] = None,
    simulations: Annotated[int | None, typer.Option(help="Stop after so many simulations (mcts).")] = None,
    also: Annotated[
        str | None,
        typer.Option("--set", metavar="SETTINGS", help="Other settings of the algorithm: solver=on,seed=3,rave=300."),
    ] = None,
    position: PositionText = None,
    moves: MovesText = "",
    as_json: Json = False,
    interpreted: Interpreted = False,
) -> None:
    """Find the best move and what the position is worth. Ctrl-C gives the best so far."""
    if depth is rounds is nodes is seconds is simulations is None and algorithm != "mcts":
        depth = 6
    settings = {
        "depth": depth,
        "rounds": rounds,
        "nodes": nodes,
        "seconds": seconds,
        "threads": threads,
        "multi": multi,
        "table_mb": table,
        "without": without.split(",") if without else None,
        "simulations": simulations,
        **_read_settings(also or ""),
    }
    _search(_at(game, position, moves), algorithm, settings, as_json, interpreted)


def _read_settings(text: str) -> dict[str, Any]:
    """`solver=on,rave=300` as a dict: numbers, on or off, words."""
    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not name or not equals:
            raise UserError(f"settings are written like solver=on,rave=300; not '{text}'")
        found[name] = {"on": True, "off": False}.get(value, value)
        for kind in (float, int):
            with suppress(ValueError):
                found[name] = kind(value)
    return found


@app.command()
def solve(
    game: GameText,
    algorithm: Algorithm = None,
    seconds: Seconds = None,
    nodes: Nodes = None,
    threads: Threads = None,
    multi: Multi = None,
    table: TableSize = None,
    position: PositionText = None,
    moves: MovesText = "",
    as_json: Json = False,
    interpreted: Interpreted = False,
) -> None:
    """Find the exact value, however long it takes. Ctrl-C gives what is known by then."""
    settings = {"seconds": seconds, "nodes": nodes, "threads": threads, "multi": multi, "table_mb": table}
    _search(_at(game, position, moves), algorithm, settings, as_json, interpreted)


def _search(here: Position, algorithm: str | None, settings: dict[str, Any], as_json: bool, interpreted: bool) -> None:
    from counterplay.cli import output
    from counterplay.search import algorithms

    game, s = here
    given = {name: value for name, value in settings.items() if value is not None}
    name = algorithm or algorithms.best_for(game)
    with _mode(interpreted), output.progress(name) as progress:
        result = algorithms.search(game, s, name, **given, progress=progress)
    if as_json:
        output.print_json(result.as_dict())
        return
    output.say(output.board(here))
    output.say(f"\n{output.turn(here)}\n")
    if result.actions:
        by_visits = any(each.visits for each in result.actions)
        table = output.table("move", *(["#visits"] if by_visits else []), "#value", "")
        bound = "" if by_visits else "at most" if game.player(s) == 0 else "at least"
        for each in result.actions:
            value = ", ".join(f"{v:g}" for v in each.values) if game.players > 2 else f"{each.value:g}"
            mark = "best" if each.action == result.action else "" if each.exact else bound
            if by_visits and each.exact:
                mark = f"{mark} exact".strip()
            visits = [f"{each.visits:,}"] if by_visits else []
            output.add_row(table, game.action_name(s, each.action), *visits, value, mark)
        output.say(table)
        output.say()
    output.say(f"{result.algorithm}: {result}, ended by: {result.stopped}")


@app.command()
def tree(
    game: GameText,
    algorithm: Annotated[str, typer.Option(help="minimax, alphabeta, star1 or star2.")] = "",
    depth: Annotated[int | None, typer.Option(help="Plies to look ahead. Default: to the end.")] = None,
    using: Annotated[
        str, typer.Option("--with", metavar="NAMES", help="Refinements of alphabeta: scout,bounds,... or all.")
    ] = "",
    most: Annotated[int, typer.Option(metavar="N", help="Draw no more nodes than that.")] = 200,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the tree into this file.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page to step through.")] = None,
    position: PositionText = None,
    moves: MovesText = "",
    as_json: Json = False,
) -> None:
    """Draw the tree of a search: values, windows, the best line, and what was cut and why."""
    from counterplay import trees
    from counterplay.cli import output
    from counterplay.search import REFINEMENTS

    g, s = _at(game, position, moves)
    used = set(REFINEMENTS) if using == "all" else set(filter(None, using.split(",")))
    if used - set(REFINEMENTS):
        raise UserError(f"there is no refinement '{min(used - set(REFINEMENTS))}'; there are: {', '.join(REFINEMENTS)}")
    name = algorithm or ("star1" if g.chance else "alphabeta")
    found = trees.trace(g, s, name, depth, set(REFINEMENTS) - used)
    for file, write in ((svg, trees.svg), (html, trees.page)):
        if file is not None:
            file.write_text(write(found, most), encoding="utf-8")
    if as_json:
        output.print_json(found.as_dict())
    elif svg is None and html is None:
        output.say(trees.text(found, most))


# ---- playing, checking, measuring


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

    here = _at(game, position, moves)
    if you is None:
        you = 1 if output.is_interactive() and not as_json else 0
    if not 0 <= you <= here.game.players:
        raise UserError(f"{here.game} has players 1 to {here.game.players}; you cannot be {you}")
    with _mode(interpreted):
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
def check(
    game: Annotated[str, typer.Argument(metavar="FILE.py[:Class]", help="Your game; a name of ours works too.")],
    playouts: Annotated[int, typer.Option(help="Random games to walk through.")] = 20,
    seed: Annotated[int, typer.Option(help="For the random games.")] = 0,
    as_json: Json = False,
) -> None:
    """Check the rules of a game, interpreted and compiled; exit status 1 if something is wrong."""
    from counterplay.check import examine_text
    from counterplay.cli import output

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
        _bench_knowledge(_at(game, position, moves), depth, as_json)
    else:
        _bench_speed(_at(what, position, moves), seconds, as_json)


def _bench_speed(here: Position, seconds: float, as_json: bool) -> None:
    from counterplay.cli import bench, output

    rows = bench.measure(here, seconds)
    if as_json:
        output.print_json({"game": str(here.game), "rates": rows})
        return
    table = output.table("what", "#compiled", "#interpreted", "#ratio")
    for row in rows:
        rates = (row["compiled"], row["interpreted"])
        ratio = f"{rates[0] / rates[1]:,.0f}x" if None not in rates else ""
        output.add_row(table, f"{row['what']}/s", *("-" if r is None else f"{r:,.0f}" for r in rates), ratio)
    output.say(table)


def _bench_ordering(svg: Path | None, as_json: bool) -> None:
    from counterplay.cli import bench, output

    with output.progress("ordering") as progress:
        found = bench.ordering(progress=progress)
    if svg is not None:
        svg.write_text(bench.ordering_chart(found), encoding="utf-8")
    if as_json:
        output.print_json(found)
    else:
        output.say(bench.ordering_table(found))


def _bench_knowledge(here: Position, depth: int, as_json: bool) -> None:
    from counterplay.cli import bench, output

    with output.progress("knowledge") as progress:
        rows = bench.knowledge(here.game, here.state, depth, progress=progress)
    if as_json:
        output.print_json({"game": str(here.game), "depth": depth, "searches": rows})
    else:
        output.say(bench.knowledge_table(rows))


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
