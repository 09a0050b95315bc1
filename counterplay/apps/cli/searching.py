"""Commands that search a position."""

from pathlib import Path
from typing import Annotated, Any

import typer

from counterplay.apps.cli.arguments import (
    Algorithm,
    GameText,
    Interpreted,
    Json,
    ModelFile,
    MovesText,
    Multi,
    Nodes,
    PositionText,
    Seconds,
    TableSize,
    Threads,
    app,
    load,
    mode,
    tabled,
)
from counterplay.apps.cli.estimating import (
    TABLES,
    Without,
    about_model,
    estimated,
    explained,
    split_without,
    told_model,
)
from counterplay.core import words
from counterplay.core.game import Game, Position, UserError
from counterplay.core.texts import read_settings

_BUDGET = {"nodes": 1_000_000, "seconds": 10.0}
"""What a search may cost if nobody says so: a million nodes, and not for ever where rules are slow."""


@app.command()
def search(
    game: GameText,
    algorithm: Algorithm = None,
    depth: Annotated[int | None, typer.Option(help="Plies to look ahead.")] = None,
    rounds: Annotated[int | None, typer.Option(help="Rounds to look ahead: moves of the last player.")] = None,
    nodes: Nodes = None,
    seconds: Seconds = None,
    threads: Threads = None,
    multi: Multi = None,
    table: TableSize = None,
    without: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="What to leave out: `model`, `tables`; of alphabeta's refinements killers,history,... or all.",
        ),
    ] = None,
    simulations: Annotated[int | None, typer.Option(help="Stop after so many simulations (mcts).")] = None,
    also: Annotated[
        str | None,
        typer.Option("--set", metavar="SETTINGS", help="Other settings of the algorithm: solver=on,seed=3,rave=300."),
    ] = None,
    model: ModelFile = None,
    position: PositionText = None,
    moves: MovesText = "",
    as_json: Json = False,
    interpreted: Interpreted = False,
) -> None:
    """Find the best move and what the position is worth. Ctrl-C gives the best so far.

    Without a limit it looks at a million nodes, for at most ten seconds.
    """
    is_without, left_out = split_without(without, model, others=True)
    settings = {
        "depth": depth,
        "rounds": rounds,
        "nodes": nodes,
        "seconds": seconds,
        "threads": threads,
        "multi": multi,
        "table_mb": table,
        "without": [name for name in left_out if name != TABLES] or None,
        "simulations": simulations,
        **read_settings(also or ""),
    }
    known = load(game, model)
    where = {"moves": moves, "position": position}
    asks = {"is_without": is_without, "has_tables": TABLES not in left_out}
    _search(known, where, algorithm, settings, as_json, interpreted, budget=_BUDGET, **asks)


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
    where = {"moves": moves, "position": position}
    _search(load(game), where, algorithm, settings, as_json, interpreted, is_without=True)


@app.command()
def analyse(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="As elsewhere, or FILE.pgn. A --record may name it.")
    ] = None,
    multi: Annotated[int, typer.Option(metavar="K", help="Show so many best lines.")] = 3,
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Analyse the game in this file.")] = None,
    number: Annotated[int, typer.Option(metavar="K", help="Which of the games in the file, from 1.")] = 1,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the value over the game there.")] = None,
    stdin: Annotated[
        bool, typer.Option("--stdin", help="Be an analysis engine: read queries in JSON, one a line, and answer them.")
    ] = False,
    workers: Annotated[int, typer.Option(metavar="N", help="With --stdin: how many queries at once.")] = 1,
    seconds: Annotated[
        float | None,
        typer.Option(help="Stop after so many seconds. Default: 5, or 1 for each move, if there is no limit."),
    ] = None,
    depth: Annotated[int | None, typer.Option(help="Plies to look ahead.")] = None,
    nodes: Nodes = None,
    threads: Threads = None,
    table: TableSize = None,
    model: ModelFile = None,
    without: Without = None,
    position: PositionText = None,
    moves: MovesText = "",
    as_json: Json = False,
    interpreted: Interpreted = False,
) -> None:
    """Show the best lines of a position as they are found; or a whole game with its mistakes. Ctrl-C ends it."""
    if game is not None and record is None and Path(game).suffix.lower() == ".pgn":
        record, game = Path(game), None
    if stdin and (game is None or record is not None or svg is not None or moves or position is not None):
        raise UserError("--stdin wants a GAME, and takes positions and moves from the queries")
    if game is None and record is None:
        raise UserError("say which GAME, or give the --record of one")
    if record is None and svg is not None:
        raise UserError("--svg draws the value over a game: give its --record")
    if record is not None and moves:
        raise UserError("the moves are in the --record; --moves is for a position")
    from counterplay.apps.cli.show_analysis import analyse_game, analyse_position
    from counterplay.search import best_for
    from counterplay.study.analysis import read_record

    limits = {"depth": depth, "nodes": nodes, "seconds": seconds, "threads": threads, "table_mb": table}
    if game is None and model is not None:
        raise UserError("say which GAME the --model is for")
    is_without, _ = split_without(without, model)
    loaded = None if game is None else load(game, model)
    saved = None if record is None else read_record(record, loaded, position, number)
    if loaded is None:
        assert saved is not None  # one of them was given
        loaded = saved.load()
    loaded = estimated(loaded, best_for(loaded), is_without)
    with mode(interpreted):
        if stdin:
            from counterplay.apps.protocols import run_analysis

            run_analysis(loaded, workers, limits)
        elif saved is not None:
            analyse_game(saved, loaded, svg, as_json, limits)
        elif not loaded.perfect_information:
            from counterplay.apps.cli.show_mixture import analyse_hidden

            analyse_hidden(loaded.at(moves, position), as_json)
        else:
            analyse_position(tabled(loaded.at(moves, position)), multi, as_json, limits)


@app.command()
def explain(
    game: GameText,
    move: Annotated[
        str | None, typer.Option(metavar="NAME", help="The move to compare with. Default: the second best.")
    ] = None,
    depth: Annotated[
        int | None, typer.Option(help="Plies to look ahead. Default: what 200,000 nodes allow, if there is no limit.")
    ] = None,
    nodes: Nodes = None,
    seconds: Seconds = None,
    without: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="What to leave out, as in search: model, tables, refinements."),
    ] = None,
    model: ModelFile = None,
    position: PositionText = None,
    moves: MovesText = "",
    as_json: Json = False,
    interpreted: Interpreted = False,
) -> None:
    """Say why the best move is better than another: lines, terms of the estimate, and what shallow searches missed."""
    from counterplay.apps.cli import output
    from counterplay.apps.cli.show_explanation import say_explanation
    from counterplay.search import best_for
    from counterplay.study import analysis

    is_without, leave_out = split_without(without, model, others=True)
    loaded = load(game, model)
    if not loaded.perfect_information:
        if move is not None or depth is not None or nodes is not None or seconds is not None or without is not None:
            raise UserError(f"{loaded} has something hidden: all moves are explained, by an equilibrium")
        from counterplay.apps.cli.show_mixture import explain_hidden

        with mode(interpreted):
            explain_hidden(loaded.at(moves, position), as_json)
        return
    here = explained(loaded, best_for(loaded), is_without).at(moves, position)
    if TABLES in leave_out:
        leave_out.remove(TABLES)
    else:
        here = tabled(here)
    limits: dict[str, Any] = {"depth": depth, "nodes": nodes, "seconds": seconds}
    with mode(interpreted), output.progress("explain") as progress:
        found = analysis.explain(*here, move, **limits, without=leave_out, history=here.history, progress=progress)
    if as_json:
        output.print_json({**found.as_dict(), **about_model(found.game)})
    else:
        say_explanation(found)


def _search(
    game: Game,
    where: dict[str, Any],
    algorithm: str | None,
    settings: dict[str, Any],
    as_json: bool,
    interpreted: bool,
    budget: dict[str, Any] | None = None,
    is_without: bool = False,
    has_tables: bool = True,
) -> None:
    """Search `game.at(**where)` and tell.

    With a budget it is what plays best within that or other limits; without, what gets to the end.
    """
    from counterplay.apps.cli import output
    from counterplay.search.algorithms import best_for, choose, engine_named, new_engine, split_limits

    given = {name: value for name, value in settings.items() if value is not None}
    if algorithm:
        name, chosen = algorithm, dict[str, Any]()
    else:
        name, chosen = (best_for(game), {}) if budget is None else choose(game, given)
    abilities = engine_named(name).abilities
    if not given.keys() & set(abilities.limits) and (abilities.needs_limit or algorithm is None):
        given |= budget or {}
    limits, multi, own = split_limits(chosen | given)
    here = estimated(game, name, is_without).at(**where)
    here = tabled(here) if has_tables else here
    game, s = here
    with mode(interpreted), output.progress(name) as progress:
        result = new_engine(name, game, **own).search(here, limits, multi=multi, progress=progress)
    if as_json:
        output.print_json({**result.as_dict(), **about_model(game)})
        return
    output.say(_seen(here))
    output.say(f"\n{output.turn(here)}\n")
    if result.actions:
        by_visits = result.simulations is not None
        p = max(0, game.player(s))
        table = output.table("move", *(["#visits"] if by_visits else []), "#value", "")
        for each in result.actions:
            value, mark = result.worth_of(each)
            if by_visits and each.proven:
                mark = f"{mark} exact".strip()
            visits = [f"{each.visits:,}"] if by_visits else []
            output.add_row(table, game.action_name(s, each.action), *visits, value, mark)
        output.say(table)
        output.say(f"{words.caption(game, p, by_visits)}\n")
    output.say(f"{result.algorithm}: {result.told(here.history)}, ended by: {result.stopped}")
    for line in [] if result.proven else told_model(game):
        output.say(line)


def _seen(here: Position) -> Any:
    """The position as who is to move sees it."""
    from counterplay.apps.cli import output
    from counterplay.core.views import view

    game, s = here
    if game.perfect_information or game.is_terminal(s):
        return output.board(here)
    return str(view(game, s, game.player(s)))
