"""The protocol of general game playing, over HTTP: a game manager sends a rule sheet, clocks, and then the moves.

    (info)                                      ((name counterplay) (status available))
    (start MATCH ROLE (SENTENCE ...) 30 10)     ready       30 seconds until then, 10 for each move
    (play MATCH nil), (play MATCH (MOVE ...))   our move    the moves are those of the last step, of all roles in order
    (stop MATCH (MOVE ...)), (abort MATCH)      done

One match at a time. Only programs on this machine are heard, and none that is a web page.
"""

from __future__ import annotations

from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from counterplay.arena.general import GeneralPlayer
from counterplay.core.errors import UnreadableText, UserError
from counterplay.games._gdl import sheet_class
from counterplay.games._gdl.kif import MOST_CHARACTERS, Term, parse, written

__all__ = ["GgpServer", "Manager"]

_HOST = "127.0.0.1"
_HOSTS = (_HOST, "localhost")
_SILENT_SECONDS = 30.0
"""Who has begun a message and says nothing for so long is not listened to any more."""
_MARGIN, _SHARE = 0.2, 0.9
"""What is kept of a clock for the way of the answer: so many seconds, and a part of it."""
_LONGEST_CLOCK = 100_000.0


class Match:
    """A game that is going on, and who plays it for us."""

    def __init__(self, name: str, role: str, sheet: str, start: float, play: float) -> None:
        game: Any = sheet_class(sheet, f"{name[:40]}.kif", __name__)()
        if role not in game.net.roles:
            raise UnreadableText(f"the sheet has no role {role}; it has: {', '.join(game.net.roles)}")
        self.name, self.game, self.seat, self.seconds = name, game, game.net.roles.index(role), play
        self.states = [game.initial()]
        self.player = GeneralPlayer(game, self.seat)
        self.player.prepare(start)

    def hear(self, moves: Sequence[Term]) -> None:
        """All roles have moved."""
        if not self.game.is_terminal(self.states[-1]):
            self.states += self.game.after_all(self.states[-1], moves)

    def move(self) -> Term:
        """Our move."""
        game, s = self.game, self.states[-1]
        if game.is_terminal(s):
            raise UserError("the game is over")
        if self.seat not in game.choosers(s):
            return game.move((s.shown & game.legal_of[self.seat]).lowest())
        states = [*self.states]
        while s.turn != self.seat:  # they choose at the same time: what they choose is not known to us
            s = game.result(s, next(iter(game.actions(s))))
            states.append(s)
        return game.move(self.player.choose(states, self.seconds))


class Manager:
    """Answers a game manager's messages."""

    def __init__(self) -> None:
        self.match: Match | None = None

    def answer(self, text: str) -> str:
        """The answer to a message; an error in one line, if it is none."""
        try:
            sentences = parse(text, lists=True)
            if len(sentences) != 1:
                raise UnreadableText("a message is one sentence, as (info)")
            return self._answer(sentences[0].term)
        except UserError as error:
            return f'(error "{error}")'

    def _answer(self, message: Term) -> str:
        match message:
            case "info" | ("info",):
                status = "available" if self.match is None else "busy"
                return f"((name counterplay) (status {status}))"
            case ("start", str(name), str(role), tuple(sheet), str(start), str(play)):
                self.close()
                text = "\n".join(map(written, sheet))
                self.match = Match(name, role, text, _clock(start), _clock(play))
                return "ready"
            case ("play", str(name), moves):
                match = self._match(name)
                if isinstance(moves, tuple):
                    match.hear(moves)
                return written(match.move())
            case ("stop", str(name), _) | ("abort", str(name)):
                self._match(name)
                self.close()
                return "done"
        raise UnreadableText(f"unknown message {written(message)[:60]}")

    def _match(self, name: str) -> Match:
        if self.match is None or self.match.name != name:
            raise UserError(f"there is no match {name[:60]}")
        return self.match

    def close(self) -> None:
        """End the match that is going on."""
        if self.match is not None:
            self.match.player.close()
            self.match = None


def _clock(text: str) -> float:
    """How long to think, of so many seconds."""
    if not (text.isdecimal() and len(text) < 10):
        raise UnreadableText(f"a clock is a whole number of seconds, not {text[:20]}")
    seconds = min(float(text), _LONGEST_CLOCK)
    return max(0.0, min(_SHARE * seconds, seconds - _MARGIN))


class GgpServer(HTTPServer):
    """Listens on a port of this machine; 0: any that is free."""

    def __init__(self, port: int) -> None:
        self.manager = Manager()
        try:
            super().__init__((_HOST, port), _Handler)
        except (OSError, OverflowError) as error:
            raise UserError(f"cannot listen on port {port}: {error}") from None

    @property
    def address(self) -> str:
        return f"http://{_HOST}:{self.server_port}"

    def server_close(self) -> None:
        self.manager.close()
        super().server_close()


class _Handler(BaseHTTPRequestHandler):
    timeout = _SILENT_SECONDS
    server: GgpServer

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        host = (self.headers.get("Host") or _HOST).rpartition(":")[0] or (self.headers.get("Host") or _HOST)
        if self.headers.get("Origin") is not None or host not in _HOSTS:
            self.send_error(403, "only programs on this machine are heard")
        elif not length.isdecimal():
            self.send_error(411)
        elif len(length) > 9 or int(length) > MOST_CHARACTERS:
            self.send_error(413)
        else:
            said = self.rfile.read(int(length)).decode("utf-8", errors="replace")
            answer = self.server.manager.answer(said).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/acl")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: standard error is the user's."""
