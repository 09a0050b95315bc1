"""Players that are not ours: other people's programs and bots, each by the protocol that it speaks.

    uci:stockfish,UCI_Elo=2000                            a chess engine
    gtp:gnugo --mode gtp --level 1                        a Go program
    nboard:PROGRAM                                        an Othello program
    ugi:PROGRAM                                           an engine of any game
    gnubg:plies=0                                         GNU Backgammon
    openspiel:mcts,simulations=1000                       a bot of OpenSpiel's

To add a protocol, write a file with a `Program` and a line in `PROGRAMS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from counterplay.arena.outside.gnubg import Gnubg
from counterplay.arena.outside.gtp import Gtp
from counterplay.arena.outside.nboard import NBoard
from counterplay.arena.outside.openspiel import OpenSpielPlayer
from counterplay.arena.outside.player import Forfeit, Program, Resignation, is_installed, read_order
from counterplay.arena.outside.uci import Uci
from counterplay.arena.outside.ugi import Ugi
from counterplay.core.game import Game, UserError
from counterplay.search.limits import Limits

__all__ = ["KINDS", "Forfeit", "Program", "Resignation", "is_installed", "must_run_nothing", "outsider"]

PROGRAMS: dict[str, type[Program]] = {each.kind: each for each in (Uci, Gtp, NBoard, Ugi, Gnubg)}
KINDS = (*PROGRAMS, "openspiel", "openspiel-mcts")
"""What stands before the colon of such a player; the last is an older name of `openspiel:mcts`."""


def must_run_nothing(players: Iterable[str]) -> None:
    """Refuse players that are programs. For texts from files, which may be anybody's: data never says what to run."""
    for text in players:
        if text.strip().partition(":")[0] in PROGRAMS:
            raise UserError(f"'{text}' is a program, which is run only if you name it yourself, among the players")


def outsider(
    game: Game, text: str, seed: int, given: Mapping[str, Any], otherwise: Limits | None
) -> Program | OpenSpielPlayer:
    """The player of a text that begins with one of `KINDS`. `given` are limits that hold where the text has none."""
    kind, _, rest = text.strip().partition(":")
    if kind == "openspiel":
        return OpenSpielPlayer(game, rest, seed, given)
    if kind == "openspiel-mcts":
        return OpenSpielPlayer(game, f"mcts,{rest}".rstrip(","), seed, given)
    program = PROGRAMS[kind]
    order = read_order(kind, rest, given, has_command=program is not Gnubg)
    if program.needs_limit and otherwise is not None and order.limits == Limits():
        order = order._replace(limits=otherwise)
    return program(game, order)
