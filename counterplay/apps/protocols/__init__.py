"""Engine protocols: how programs that we have not written drive a search of ours, on standard input and output.

`uci.py`, `ugi.py`, `gtp.py` and `nboard.py` each read like the protocol's specification. They share a `Thinker`, which
holds the game and thinks, and a `Dispatcher`, which gives them one line after the other.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from queue import Queue
from typing import Any

from counterplay.apps.protocols.dispatcher import Dispatcher, Protocol
from counterplay.apps.protocols.gtp import Gtp
from counterplay.apps.protocols.lines import Line, listen
from counterplay.apps.protocols.nboard import NBoard
from counterplay.apps.protocols.queries import AnalysisEngine
from counterplay.apps.protocols.thinker import Options
from counterplay.apps.protocols.uci import Uci
from counterplay.apps.protocols.ugi import Ugi
from counterplay.core.game import Game, UserError
from counterplay.games.chess.rules import Chess
from counterplay.search import Limits
from counterplay.study.analysis.lines import SECONDS, limits_of

__all__ = ["PROTOCOLS", "protocol_for", "run_analysis", "run_engine", "run_ggp"]

_MOST_UNHEARD = 10_000
"""Queries that are read ahead of the one that is being looked at."""

PROTOCOLS: dict[str, type[Protocol]] = {"uci": Uci, "ugi": Ugi, "gtp": Gtp, "nboard": NBoard}


def protocol_for(game: Game, name: str | None = None) -> type[Protocol]:
    """The protocol of that name, or the one that the world of the game speaks."""
    if name is None:
        own = next((each for each in (Gtp, NBoard) if isinstance(game, each.games)), Ugi)
        return Uci if isinstance(game, Chess) else own
    if name not in PROTOCOLS:
        raise UserError(f"there is no protocol '{name}'; there are: {', '.join(PROTOCOLS)}")
    kind = PROTOCOLS[name]
    if not isinstance(game, kind.games) or (kind is Uci and game.players != 2):
        raise UserError(f"{name} is not for {game}; ugi is for every game")
    return kind


def run_engine(game: Game, kind: type[Protocol], options: Options, budget: Limits, models: Sequence[str] = ()) -> None:
    """Speak a protocol on standard input and output until one of them ends. `models`: files that may be asked for."""
    dispatcher = Dispatcher(game, kind, _say)
    dispatcher.thinker.files = tuple(models)
    dispatcher.thinker.set_options(**vars(options))
    dispatcher.thinker.usual = budget
    listen(dispatcher.hear)
    dispatcher.serve()


def run_ggp(port: int) -> None:
    """Play for a game manager over HTTP until ctrl-C."""
    from counterplay.apps.protocols.ggp import GgpServer

    with GgpServer(port) as server:
        _say(f"listening on {server.address}")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return


def run_analysis(game: Game, workers: int, limits: dict[str, Any]) -> None:
    """Answer queries on standard input until it ends."""
    depth, nodes, seconds = (limits[name] for name in ("depth", "nodes", "seconds"))
    default = limits_of(depth, nodes, seconds, SECONDS)
    engine = AnalysisEngine(game, _say, workers, limits["threads"], limits["table_mb"], default)
    lines: Queue[Line | None] = Queue(_MOST_UNHEARD)
    listen(lines.put)
    engine.serve(lines)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
