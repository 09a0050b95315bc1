"""UGI, the Universal Game Interface (kz04px 2020): UCI for any game of any number of players.

    ugi, isready, setoption, uginewgame, position, go, stop, ponderhit, quit   as in UCI, with p1time, p2time, p1inc ...
    query gameover                   `response true` or `response false`
    query p1turn                     whether the first player is to move
    query result                     `response p1win`, `p2win`, `draw` or `none`

A position is written as the game writes it, moves by their names with `_` for a blank. A throw of the dice is a move
like others: whoever plays for chance sends it.
"""

from __future__ import annotations

from collections.abc import Callable

from counterplay.apps.protocols.thinker import Thinker
from counterplay.apps.protocols.uci import UniversalInterface
from counterplay.core.game import UserError, is_repeated

__all__ = ["Ugi"]


class Ugi(UniversalInterface):
    """Speaks UGI."""

    word = "ugi"

    def __init__(self, thinker: Thinker, say: Callable[[str], None]) -> None:
        super().__init__(thinker, say, [f"p{p + 1}" for p in range(thinker.game.players)])

    def do_ugi(self, rest: str) -> None:
        self.identify()

    def do_uginewgame(self, rest: str) -> None:
        self.thinker.new_game()

    def do_query(self, rest: str) -> None:
        questions = {"gameover": self._is_over, "p1turn": self._is_first, "result": self._result}
        if rest not in questions:
            raise UserError(f"query knows {', '.join(questions)}, not '{rest}'")
        self.say(f"response {questions[rest]()}")

    def _is_over(self) -> str:
        return "false" if self._result() == "none" else "true"

    def _is_first(self) -> str:
        return "true" if self.thinker.game.player(self.thinker.position.state) == 0 else "false"

    def _result(self) -> str:
        game, (_, s) = self.thinker.game, self.thinker.position
        if not game.is_terminal(s):
            return "draw" if is_repeated(game, (*self.thinker.position.history, s)) else "none"
        utilities = [game.utility(s, p) for p in range(game.players)]
        winners = [p for p, u in enumerate(utilities) if u == max(utilities)]
        if game.players == 1:
            return "p1win" if utilities[0] > 0.5 * sum(game.utility_range) else "draw"
        return f"p{winners[0] + 1}win" if len(winners) == 1 else "draw"
