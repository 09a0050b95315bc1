"""The application, and what its commands have in common: arguments, and what they mean."""

from contextlib import AbstractContextManager, nullcontext
from typing import Annotated

import typer

from counterplay import __version__
from counterplay.core.game import Game, Position

app = typer.Typer(
    name="counterplay",
    help="Play, solve and study games whose rules are plain Python classes.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

GameText = Annotated[
    str, typer.Argument(metavar="GAME", help="A name, name:parameter=value,..., FILE.py[:Class] or FILE.kif.")
]
PositionText = Annotated[str | None, typer.Option("--position", metavar="TEXT", help="Begin at this position.")]
MovesText = Annotated[str, typer.Option("--moves", metavar="MOVES", help="Then play these moves: names and blanks.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Interpreted = Annotated[bool, typer.Option("--interpreted", help="Run as plain Python, not compiled.")]


ModelFile = Annotated[
    str | None,
    typer.Option("--model", metavar="FILE", help="Estimate by this model, made by `train`; or the one `shipped`."),
]

ExecutorName = Annotated[
    str, typer.Option("--executor", metavar="local|ray", help="Who plays: processes of this machine, or a Ray cluster.")
]
Address = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT", help="Of the cluster, or auto. Default: a Ray for this machine alone."),
]


def load(game: str, model: str | None = None) -> Game:
    """The game of that text; with the estimate of a model, if there is one."""
    from counterplay import games

    loaded = games.load(game)
    if model is None:
        return loaded
    from counterplay.learn.shelf import named

    return loaded.with_model(named(loaded, model))


def at(game: str, position: str | None, moves: str, model: str | None = None) -> Position:
    return load(game, model).at(moves, position)


def tabled(here: Position) -> Position:
    """The position with the tables that are near it."""
    from counterplay.solve import tables

    joined = Position(tables.join_near(*here), here.state)
    joined.history = here.history
    return joined


def mode(interpreted: bool) -> AbstractContextManager[None]:
    from counterplay import native

    return native.interpreted() if interpreted else nullcontext()


Algorithm = Annotated[
    str | None,
    typer.Option(
        help="minimax, alphabeta, expectiminimax, expectimax, maxn, paranoid, mcts, ismcts or pimc. Default: what fits."
    ),
]
Seconds = Annotated[float | None, typer.Option(help="Stop after so many seconds.")]
Nodes = Annotated[int | None, typer.Option(help="Stop after so many nodes.")]
Threads = Annotated[int | None, typer.Option(help="Search in so many threads (alphabeta, mcts).")]
Multi = Annotated[int | None, typer.Option(help="Exact values for so many best moves (alphabeta).")]
TableSize = Annotated[float | None, typer.Option("--table", metavar="MB", help="Memory for the table (alphabeta).")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"counterplay {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    pass
