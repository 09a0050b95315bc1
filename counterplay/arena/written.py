"""The games of a match as files that other programs read, by the file's suffix.

.pgn    chess: Portable Game Notation (Edwards 1994)
.pdn    checkers: Portable Draughts Notation
.sgf    Go: Smart Game Format 4 (red-bean.com/sgf)
.ggf    Othello: Generic Game Format (skatgame.net/mburo/ggsa/ggf)
.txt    every game, for people
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from counterplay.arena.record import GameRecord
from counterplay.core.files import write_files
from counterplay.core.game import Game, UserError
from counterplay.core.words import line_text
from counterplay.games import source

__all__ = ["must_be_writable", "write_games", "written"]

_WIDTH = 79
_UNKNOWN_DATE = "????.??.??"  # a record says nothing of dates, so that the same games are the same file


class _Played(NamedTuple):
    """A game, played through."""

    game: Any
    record: GameRecord
    players: tuple[str, str]
    """By seat."""
    states: list[Any]
    moves: list[int]
    clock: str

    @property
    def line(self) -> str:
        return line_text(self.game, self.states[0], self.moves)

    @property
    def by(self) -> str:
        """What ended it, in a word."""
        return self.record.ended.partition(":")[0]


def must_be_writable(game: Game, file: Path) -> None:
    """Refuse a file whose suffix stands for no format, or for one of another game."""
    _format(game, file)


def written(game: Game, file: Path, players: Sequence[str], games: Sequence[GameRecord], clock: str = "") -> str:
    """The text of the file: all games, in the order of their numbers."""
    write = _format(game, file)
    return write([_played(game, each, players, clock) for each in games])


def write_games(game: Game, file: Path, players: Sequence[str], games: Sequence[GameRecord], clock: str = "") -> None:
    """Write the file whole, or leave what was there."""
    write_files({file: written(game, file, players, games, clock)})


def _format(game: Game, file: Path) -> Callable[[list[_Played]], str]:
    suffix = file.suffix.lower()
    if suffix not in _FORMATS:
        raise UserError(f"{file} has no suffix of games; there are: {', '.join(_FORMATS)}")
    name, write = _FORMATS[suffix]
    if name and (game.name != name or source(game)):
        fits = [each for each, (of, _) in _FORMATS.items() if of in ("", game.name)]
        raise UserError(f"{suffix} is for {name}; the games of {game} go to {' or '.join(fits)}")
    return write


def _played(game: Game, record: GameRecord, players: Sequence[str], clock: str) -> _Played:
    s = game.from_text(record.begins) if record.begins else game.initial()
    moves = game.read_moves(s, record.moves)
    states = [s]
    for a in moves:
        states.append(game.result(states[-1], a))
    one, other = record.seats
    return _Played(game, record, (players[one], players[other]), states, moves, clock)


# ---- PGN and PDN

_TERMINATION = {"time": "time forfeit", "forfeit": "rules infraction", "adjudication": "adjudication"}
_RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}


def _pgn(games: list[_Played]) -> str:
    return "\n".join(_with_headers(each, _RESULTS[each.record.points], each.players, {}) for each in games)


def _pdn(games: list[_Played]) -> str:
    """As PGN. Black begins, and the result is White's before Black's, as there."""
    about = {"GameType": "21,B,8,8,N1,0"}
    return "\n".join(
        _with_headers(each, _RESULTS[1.0 - each.record.points], each.players[::-1], about) for each in games
    )


def _with_headers(played: _Played, result: str, players: tuple[str, str], more: dict[str, str]) -> str:
    record, (white, black) = played.record, players
    headers = {"Event": "counterplay", "Site": "?", "Date": _UNKNOWN_DATE, "Round": str(record.number + 1)}
    headers |= {"White": white, "Black": black, "Result": result, **more}
    headers |= {"SetUp": "1", "FEN": record.begins} if record.begins else {}
    headers |= {"TimeControl": played.clock} if played.clock else {}
    headers["Termination"] = _TERMINATION.get(played.by, "normal")
    lines = [f'[{name} "{_escaped(text)}"]' for name, text in headers.items()]
    why = "" if played.by == "rules" else " {" + record.ended.replace("}", ")") + "}"
    return "\n".join([*lines, "", *textwrap.wrap(f"{played.line}{why} {result}".strip(), _WIDTH), ""])


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


# ---- SGF


def _sgf(games: list[_Played]) -> str:
    return "\n".join(map(_sgf_game, games)) + "\n"


def _sgf_game(played: _Played) -> str:
    game, record, s = played.game, played.record, played.states[0]
    rows, columns = game.shape
    size = f"{rows}" if rows == columns else f"{columns}:{rows}"
    about = {"FF": "4", "GM": "1", "SZ": size, "KM": f"{game.komi:g}", "RO": str(record.number + 1)}
    about |= {"PB": played.players[0], "PW": played.players[1], "RE": _sgf_result(played)}
    root = "".join(f"{name}[{_sgf_escaped(text)}]" for name, text in about.items())
    if record.begins:
        stones = dict.fromkeys(game.pieces, "")
        for row, line in enumerate(game.board(s)):
            for column, letter in enumerate(line):
                if letter in stones:
                    stones[letter] += f"[{_sgf_point(row, column)}]"
        root += "".join(f"{name}{points}" for name, points in zip(("AB", "AW"), stones.values(), strict=True) if points)
        root += f"PL[{'BW'[game.player(s)]}]"
    nodes = [
        f";{'BW'[game.player(s)]}[{'' if a == game.pass_move else _sgf_point(*_place(game, s, a))}]"
        for s, a in zip(played.states, played.moves, strict=False)
    ]
    return f"(;{root}\n" + "\n".join(textwrap.wrap("".join(nodes), _WIDTH, break_on_hyphens=False)) + ")"


def _sgf_result(played: _Played) -> str:
    if played.record.points == 0.5:
        return "0"
    winner = "B" if played.record.points == 1.0 else "W"
    if played.by == "rules":
        return f"{winner}+{abs(played.game.area(played.states[-1]) - played.game.komi):g}"
    return winner + {"time": "+T", "resignation": "+R", "forfeit": "+F"}.get(played.by, "+")


def _place(game: Any, s: Any, a: int) -> tuple[int, int]:
    """Row, from the top, and column of a move."""
    name = game.action_name(s, a)
    columns, rows = game.labels()
    return rows.index(name[1:]), columns.index(name[0])


def _sgf_point(row: int, column: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[column] + "abcdefghijklmnopqrstuvwxyz"[row]


def _sgf_escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]").replace("\n", " ")


# ---- GGF


def _ggf(games: list[_Played]) -> str:
    return "\n".join(map(_ggf_game, games)) + "\n"


def _ggf_game(played: _Played) -> str:
    game, s = played.game, played.states[0]
    signs = {game.pieces[0]: "*", game.pieces[1]: "O", ".": "-"}
    board = " ".join("".join(signs[cell] for cell in row) for row in game.board(s))
    about = {"GM": "Othello", "PC": "counterplay", "DT": "0", "PB": played.players[0], "PW": played.players[1]}
    about |= {"TY": f"{game.size}", "RE": _ggf_result(played)}
    about |= {"BO": f"{game.size} {board} {'*O'[game.player(s)]}"}
    text = "".join(f"{name}[{value.replace(']', ')')}]" for name, value in about.items())
    for s, a, took in zip(played.states, played.moves, played.record.used or [0.0] * len(played.moves), strict=False):
        name = "PA" if a == game.passing else game.action_name(s, a).upper()
        text += f"{'BW'[game.player(s)]}[{name}{f'//{took:.2f}' if took else ''}]"
    return f"(;{text};)"


def _ggf_result(played: _Played) -> str:
    """Black's discs less White's; who runs out of time, resigns or forfeits loses by all of them."""
    game, points = played.game, played.record.points
    cells = [cell for row in game.board(played.states[-1]) for cell in row]
    lead = cells.count(game.pieces[0]) - cells.count(game.pieces[1])
    if played.by in ("rules", "repetition", "length"):
        return f"{lead:+d}"
    flag = {"time": ":t", "resignation": ":r"}.get(played.by, "")
    return f"{round((2 * points - 1) * game.size**2):+d}{flag}"


# ---- text


def _text(games: list[_Played]) -> str:
    return "\n".join(map(_text_game, games))


def _text_game(played: _Played) -> str:
    record, (one, other) = played.record, played.players
    head = f"{record.number + 1}. {one} - {other} {_RESULTS[record.points]} ({record.ended})"
    begins = [f"from {record.begins}"] if record.begins else []
    return "\n".join([head, *begins, *textwrap.wrap(played.line, _WIDTH, break_on_hyphens=False), ""])


_FORMATS: dict[str, tuple[str, Callable[[list[_Played]], str]]] = {
    ".pgn": ("chess", _pgn),
    ".pdn": ("checkers", _pdn),
    ".sgf": ("go", _sgf),
    ".ggf": ("othello", _ggf),
    ".txt": ("", _text),
}
"""By suffix: the game that it is for, if it is for one, and what writes it."""
