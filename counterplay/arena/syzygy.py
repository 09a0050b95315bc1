"""Syzygy tablebases (R. de Man 2013): chess with few pieces, known to its end, and so that 50 moves are enough.

    alphabeta:seconds=1,syzygy=FOLDER   a player that plays by the tables in a folder as soon as they know the position

The files are not ours, and python-chess reads them, which is under the GPL. It is no part of Counterplay: nobody else
imports it, and this module does when somebody names a folder (`pip install 'counterplay[syzygy]'`).
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from counterplay.core.errors import UserError
from counterplay.core.game import Game, Position, listed_actions
from counterplay.search.result import ActionValue, Result
from counterplay.search.suited import for_each_player

if TYPE_CHECKING:
    import chess.syzygy

__all__ = ["Syzygy", "Verdict"]

_LAST_PLY = 99
"""Who is done by then wins before the 50 moves are over, though tables may be wrong by a ply."""


class Verdict(NamedTuple):
    """What tables say of a position, or of a move, for whose turn it is."""

    wdl: int
    """2 a win, 0 a draw, -2 a loss; 1 and -1 a win and a loss that the 50 moves make a draw."""
    dtz: int
    """Plies to mate or to the next capture or pawn's move on the way there, below 0 for who loses; 0 in a draw.

    The winner hurries and the loser does not. Tables may have one less than it is."""

    def __str__(self) -> str:
        words = {
            2: "win",
            1: "draw by 50 moves, else a win",
            0: "draw",
            -1: "draw by 50 moves, else a loss",
            -2: "loss",
        }
        return words[self.wdl]


class Syzygy:
    """The tables of one folder, or of several with the separator of paths between them.

    Not known is a position with more pieces than the tables have, or one that may castle, or whose table is missing.
    """

    def __init__(self, game: Game, folder: str | os.PathLike[str]) -> None:
        from counterplay.games.chess import Chess  # whoever has no tables can do without it

        if not isinstance(game, Chess):
            raise UserError(f"Syzygy tables are for chess, not for {game}")
        self.game: Any = game
        self._tables = _opened(os.fspath(folder))
        self.pieces = max(len(name) - 1 for name in self._tables.wdl)
        """How many there are on the board at most, in a position that is known."""

    def probe(self, s: Any) -> Verdict | None:
        """What a position, or a state, is worth to who is to move; None if that is not known."""
        game = self.game
        s = s.state if isinstance(s, Position) else s
        if game.is_terminal(s):
            return Verdict(round(2 * game.utility(s, s.turn)), 0)
        if self._is_beyond(s):
            return None
        from chess import Board

        board = Board(game.to_text(s))
        try:
            wdl, dtz = self._tables.probe_wdl(board), self._tables.probe_dtz(board)
        except Exception:  # one is missing, or damaged, of which python-chess promises nothing
            return None
        return Verdict(wdl, dtz) if s.clock == 0 else _in_time(wdl, dtz, s.clock)

    def moves(self, s: Any, history: Sequence[Any] = (), only: Iterable[int] = ()) -> dict[int, Verdict]:
        """What each move is worth to who makes it, the best first; empty if that is not known of all of them.

        Of moves that win, those that make progress are better, and those that resist longer of others. `history` has
        the states before, as a position has them: what could come for the third time wins nothing.
        """
        game, allowed = self.game, frozenset(only)
        if isinstance(s, Position):
            s, history = s.state, s.history
        if game.is_terminal(s) or self._is_beyond(s):
            return {}
        earlier = (*history, s)[-1 - game.reversible(s) :]
        twice = {key for key, times in Counter(map(game.key, earlier)).items() if times > 1}
        found: dict[int, tuple[Verdict, int]] = {}
        for a in map(int, listed_actions(game, s)):
            if allowed and a not in allowed:
                continue
            after = game.result(s, a)
            theirs = self.probe(after)
            if theirs is None:
                return {}
            found[a] = _of_move(theirs, after, self._draws(after, theirs, twice)), theirs.dtz
        order = sorted(found, key=lambda a: (found[a][0].wdl, -found[a][0].dtz, found[a][1]), reverse=True)
        return {a: found[a][0] for a in order}

    def choose(self, s: Any, history: Sequence[Any] = ()) -> int | None:
        """The best move; None if it is not known."""
        return next(iter(self.moves(s, history)), None)

    def narrow(self, s: Any, history: Sequence[Any] = (), only: Iterable[int] = ()) -> Result | tuple[int, ...]:
        """The answer, where tables have one. Else the moves that are worth searching: those of a draw that hold it.

        Where nothing is known these are `only`, as they were.
        """
        began = time.perf_counter()
        s, history = (s.state, s.history) if isinstance(s, Position) else (s, history)
        moves = self.moves(s, history, only)
        if not moves:
            return tuple(only)
        best = next(iter(moves))
        holding = tuple(a for a, each in moves.items() if each.wdl == 0)
        if moves[best].wdl == 0 and len(holding) > 1:
            return holding
        game, actions = self.game, listed_actions(self.game, s)
        told = {a: self._told(s, a, each) for a, each in moves.items()}
        return Result(
            game=game,
            state=s,
            algorithm="syzygy",
            action=best,
            value=told[best].value,
            values=told[best].values,
            line=(best,),
            actions=tuple(told[a] for a in map(int, actions) if a in told),
            nodes=1 + len(moves),
            depth=1,
            seconds=time.perf_counter() - began,
            proven=True,
            stopped="table",
            within=told[best].within,
            is_shortest=told[best].within is not None,
        )

    def _is_beyond(self, s: Any) -> bool:
        """Whether no table could know it."""
        return len(s.mine | s.theirs) > self.pieces or bool(s.castling)

    def _draws(self, after: Any, theirs: Verdict, twice: set[int]) -> bool:
        """Whether a move is a draw by repetition, or lets the loser make it one."""
        game = self.game
        if not twice or game.is_terminal(after):
            return False
        is_saved = theirs.wdl < 0 and any(game.key(game.result(after, b)) in twice for b in game.actions(after))
        return game.key(after) in twice or is_saved

    def _told(self, s: Any, a: int, each: Verdict) -> ActionValue:
        """A move as a search tells it; how far the end is tables do not know, but for mate at once."""
        v = float(int(each.wdl / 2) if s.turn == 0 else -int(each.wdl / 2))  # what 50 moves save is a draw
        is_mate = each.wdl == 2 and self.game.is_terminal(self.game.result(s, a))
        return ActionValue(a, v, True, for_each_player(self.game, v), True, 1 if is_mate else None)


def _in_time(wdl: int, dtz: int, clock: int) -> Verdict:
    """The same when so many quiet plies are over already, of which tables do not know."""
    is_late = abs(wdl) == 2 and clock + abs(dtz) > _LAST_PLY
    return Verdict(wdl // 2 if is_late else wdl, dtz)


def _of_move(theirs: Verdict, after: Any, draws: bool) -> Verdict:
    """What a move is worth that leads to a position which is worth so much to the other side."""
    if draws or theirs.wdl == 0:
        return Verdict(0, 0)
    way = 1 if theirs.wdl < 0 else -1
    is_progress = after.clock == 0 or theirs.dtz == 0
    return Verdict(-theirs.wdl, way if is_progress else way - theirs.dtz)


@cache
def _opened(folders: str) -> chess.syzygy.Tablebase:
    """The tables in folders. They are looked for once; a file is opened when it is needed."""
    try:
        import chess.syzygy
    except ImportError:
        raise UserError("Syzygy tables need python-chess: pip install 'counterplay[syzygy]'") from None
    tables = chess.syzygy.Tablebase()
    for folder in folders.split(os.pathsep):
        try:
            tables.add_directory(folder)
        except OSError as error:
            raise UserError(f"'{folder}' is no folder of Syzygy tables: {error.strerror or error}") from None
    if not tables.wdl or not tables.dtz:
        raise UserError(f"there are no Syzygy tables in '{folders}': it takes files like KRvK.rtbw and KRvK.rtbz, both")
    return tables
