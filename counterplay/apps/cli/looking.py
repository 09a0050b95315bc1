"""Commands that look: games, positions, lines of play counted, trees."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from counterplay.apps.cli.arguments import GameText, Interpreted, Json, MovesText, PositionText, app, at, mode
from counterplay.core.files import write_files
from counterplay.core.game import CHANCE, Game, Position, UserError


@app.command("games")
def list_games(
    name: Annotated[str | None, typer.Argument(metavar="[GAME]", help="Only this one, with all about it.")] = None,
    players: Annotated[int | None, typer.Option(help="Only games for so many players.")] = None,
    chance: Annotated[bool | None, typer.Option(help="Only games with (without) chance.")] = None,
    zero_sum: Annotated[bool | None, typer.Option(help="Only zero-sum (other) games.")] = None,
    perfect_information: Annotated[bool | None, typer.Option(help="Only with nothing (something) hidden.")] = None,
    simultaneous: Annotated[bool | None, typer.Option(help="Only with moves at the same time (in turn).")] = None,
    as_json: Json = False,
) -> None:
    """List the games with what they declare; filter by it, or show one."""
    from counterplay import games
    from counterplay.apps.cli import output

    wanted = {
        "players": players,
        "chance": chance,
        "zero_sum": zero_sum,
        "perfect_information": perfect_information,
        "simultaneous": simultaneous,
    }
    loaded = [games.load(each) for each in (games.names() if name is None else [name])]
    found = {str(game): _declared(game) for game in loaded}
    found = {key: each for key, each in found.items() if all(v is None or each[k] == v for k, v in wanted.items())}
    if as_json:
        output.print_json(list(found.values()))
    elif name is not None:
        for game in loaded:
            _say_all(game)
    else:
        table = output.table("game", "#players", "kind", "parameters")
        for each in found.values():
            parameters = ", ".join(f"{k}={v}" for k, v in each["parameters"].items())
            output.add_row(table, each["name"], str(each["players"]), ", ".join(_traits(each)), parameters)
        output.say(table)


def _traits(declared: dict[str, Any]) -> list[str]:
    """What kind of game it is, in a few words."""
    traits = ["zero-sum"] if declared["zero_sum"] else ["general-sum"]
    traits += ["chance"] if declared["chance"] else []
    if declared["simultaneous"]:
        return [*traits, "simultaneous"]  # of course they do not see each other's moves
    return traits + ([] if declared["perfect_information"] else ["hidden"])


def _say_all(game: Game) -> None:
    """A game with all that it declares."""
    from counterplay.apps.cli import output

    declared = _declared(game)
    output.say(f"{game}: {declared['about']}\n")
    table = output.table("", "")
    low, high = game.utility_range
    rows = {
        "players": ", ".join(game.player_names),
        "kind": ", ".join(_traits(declared)),
        "parameters": ", ".join(f"{k}={v}" for k, v in declared["parameters"].items()) or "none",
        "utilities": f"{low:g} to {high:g}",
        "unit": game.unit or ("none" if game.scored else "the chance to win"),
        "knows": ", ".join(declared["knows"]) or "the rules only",
        "begins": game.to_text(game.initial()),
    }
    for what, said in rows.items():
        output.add_row(table, what, said)
    output.say(table)


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
        "player_names": list(game.player_names),
        "unit": game.unit,
        "knows": [name for name, known in game.knows._asdict().items() if known],
    }


@app.command()
def show(
    game: GameText,
    position: PositionText = None,
    moves: MovesText = "",
    seat: Annotated[int | None, typer.Option(metavar="N", help="Only what player N may know.")] = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the position into this file.")] = None,
    as_json: Json = False,
) -> None:
    """Show a position: the board, who is to move, and the legal moves."""
    from counterplay.apps.cli import output

    here = at(game, position, moves)
    if seat is not None and not here.game.perfect_information:
        _show_view(here, seat, svg, as_json)
        return
    if svg is not None:
        write_files({svg: here._repr_svg_()})
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


def _show_view(here: Position, seat: int, svg: Path | None, as_json: bool) -> None:
    """What one player, counted from 1, may know of a position."""
    from counterplay.apps.cli import output
    from counterplay.core.views import view

    if not 1 <= seat <= here.game.players:
        raise UserError(f"{here.game} has players 1 to {here.game.players}, not {seat}")
    known = view(here.game, here.state, seat - 1)
    if svg is not None:
        write_files({svg: known._repr_svg_()})
    if as_json:
        output.print_json(known.as_dict())
        return
    output.say(str(known))
    if known.moves:
        output.say(f"\nmoves: {output.listed(list(known.moves))}")


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
    from counterplay.apps.cli import output

    g, s = at(game, position, moves)
    with mode(interpreted), output.progress(f"perft {depth}") as show_progress:
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
    from counterplay.apps.cli import output
    from counterplay.search import REFINEMENTS
    from counterplay.study import trees

    g, s = at(game, position, moves)
    used = set(REFINEMENTS) if using == "all" else set(filter(None, using.split(",")))
    if used - set(REFINEMENTS):
        raise UserError(f"there is no refinement '{min(used - set(REFINEMENTS))}'; there are: {', '.join(REFINEMENTS)}")
    name = algorithm or ("star1" if g.chance else "alphabeta")
    found = trees.trace(g, s, name, depth, set(REFINEMENTS) - used)
    wanted = ((svg, trees.svg), (html, trees.page))
    write_files({file: drawn(found, most) for file, drawn in wanted if file is not None})
    if as_json:
        output.print_json(found.as_dict())
    elif svg is None and html is None:
        output.say(trees.text(found, most))
