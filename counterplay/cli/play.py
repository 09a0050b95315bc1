"""A game on the terminal: people and searches at its seats.

Everything random in a game depends on its seed and the ply only, and players remember nothing from move to move, so
that a game taken back, or saved and loaded, goes on as it would have.
"""

from __future__ import annotations

import random
import re
import shutil
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from glob import glob
from pathlib import Path
from typing import Any

from counterplay import games, search
from counterplay.arena import LEVELS, SavedGame, new_player
from counterplay.arena.levels import LevelPlayer, seed_at
from counterplay.cli import output
from counterplay.cli.prompt import as_shown, ask, meant
from counterplay.game import CHANCE, AmbiguousText, Game, Position, UserError, is_repeated

__all__ = ["HUMAN", "begin", "play_game", "seats"]

HUMAN = "human"
_LOAD = "counterplay play --load"

_COMMANDS = {
    "moves": "the moves that you can make",
    "hint": "a good move, by a search at the highest level",
    "eval": "who stands better, by the same search",
    "undo": "take back your last move, and what came after it",
    "save FILE": "write the game to a file; `play --load FILE` goes on with it",
    "resign": "give up",
    "help": "this",
    "quit": "leave; so does ctrl-D",
}
_FILLED: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": False, "subsequent_indent": "  "}
_OTHER_NAMES = {"?": "help", "h": "help", "q": "quit", "exit": "quit"}


def begin(
    text: str | None,
    load: Path | None,
    position: str | None,
    moves: str,
    seed: int | None,
    at_terminal: bool,
    **who: Any,
) -> SavedGame:
    """The game to play: one that was saved, or a new one. `who` is for `seats`; at a terminal sits a person."""
    if load is not None:
        if text is not None or position is not None or moves:
            raise UserError("--load FILE has the game and its moves; leave out GAME, --position and --moves")
        saved = SavedGame.read(load)
        if saved.players and all(each is None for each in who.values()):
            who = {**who, "players": ",".join(saved.players)}
        try:
            players = seats(saved.load(), at_terminal, **who)
        except UserError as error:
            raise UserError(f"{load}: {error}") from None
        return replace(saved, players=players, seed=saved.seed if seed is None else seed)
    if text is None:
        raise UserError("play needs a game, as in `counterplay play connect_four`, or --load FILE")
    game = games.load(text)
    here, names = game.at((), position), []
    begins = game.to_text(here.state)
    for move in moves.split():
        a = game.parse_action(here.state, move)
        names.append(game.action_name(here.state, a))
        here = here.after(a)
    if seed is None:  # people like another game each time, programs the same
        seed = random.randrange(1_000_000) if at_terminal else 0
    text = str(Path(text).absolute()) if Path(text.partition(":")[0]).suffix == ".py" else text  # wherever it is loaded
    return SavedGame(text, begins, tuple(names), seats(game, at_terminal, **who), seed)


def seats(
    game: Game, at_terminal: bool, players: str | None, you: int | None, level: int | None, depth: int | None
) -> tuple[str, ...]:
    """Who sits at each seat: as `players` says, or a person at seat `you` (from 1; 0: nobody) and the computer.

    In `players` they are joined by commas; so are a player's settings: `alphabeta:depth=6,table_mb=32,human`.
    """
    if players is not None:
        if not you is level is depth is None:
            raise UserError("--players says who plays and how well; leave out --you, --level and --depth")
        found = [each.strip() for each in re.split(r",(?!\s*\w+\s*=)", players)]
        if len(found) != game.players:
            example = ",".join([HUMAN, *["level:5"] * (game.players - 1)])
            raise UserError(
                f"{game} has {game.players} players, as in --players {example}; '{players}' has {len(found)}"
            )
    else:
        if level is not None and depth is not None:
            raise UserError("the computer plays by --level or by --depth, not by both")
        you = int(at_terminal) if you is None else you
        if not 0 <= you <= game.players:
            raise UserError(f"{game} has players 1 to {game.players}; you cannot be {you}")
        if level is None:
            level = 5 if you else len(LEVELS)
        computer = f"{search.best_for(game)}:depth={depth}" if depth is not None else f"level:{level}"
        found = [HUMAN if seat == you else computer for seat in range(1, game.players + 1)]
    for each in found:
        if each != HUMAN:
            new_player(game, each)  # says what is wrong with it before the game begins
    return tuple(found)


def play_game(saved: SavedGame, quiet: bool = False) -> dict[str, Any]:
    """Play on to the end, or until a person leaves, and return the record."""
    going = _Going(saved, saved.load(), quiet)
    try:
        going.play()
    except KeyboardInterrupt:  # while a search runs, that only ends the search
        going.tell()
    going.tell_the_end()
    return going.record()


class _Going:
    """A game that is going on."""

    def __init__(self, saved: SavedGame, game: Game, quiet: bool) -> None:
        self.game, self.players, self.seed = game, saved.players, saved.seed
        self.states, self.names = saved.states(game), list(saved.moves)
        self.quiet = quiet
        self._about, self._resigned = saved, saved.resigned
        self._kept: tuple[Path, list[str]] | None = None  # where the game was saved last, and its moves then
        self._people = [seat for seat, each in enumerate(saved.players) if each == HUMAN]

    # ---- the course of the game

    def play(self) -> None:
        if self._people:
            others = sorted({each for each in self.players if each != HUMAN})
            you = " and ".join(f"player {seat + 1}" for seat in self._people)
            against = f" against {', '.join(others)}" if others else ""
            self.tell(f"{self.game}: you are {you}{against}; `help` lists what you can type\n")
        self._show()
        while not self.is_over:
            game, s = self.game, self.states[-1]
            p, ply = game.player(s), len(self.states) - 1
            if p == CHANCE:
                a = int(search.random_action(game, s, search.new_random(seed_at(self.seed, ply, CHANCE))))
            elif p in self._people:
                answer = self._ask()
                if answer is None:
                    return
                if isinstance(answer, str):  # taken back or resigned
                    continue
                a = answer
            else:
                a, is_interrupted = self._think(p, seed_at(self.seed, ply, p))
                if is_interrupted and not self._people:
                    return
            name = game.action_name(s, a)
            self.tell(f"{self._who(p)}: {name}\n")
            self.states.append(game.result(s, a))
            self.names.append(name)
            self._show()

    @property
    def is_over(self) -> bool:
        game, s = self.game, self.states[-1]
        return self._resigned is not None or bool(game.is_terminal(s)) or is_repeated(game, self.states)

    def _think(self, p: int, seed: int) -> tuple[int, bool]:
        """What the computer plays, and whether ctrl-C made it. Its thoughts are shown where somebody sees them."""
        player = new_player(self.game, self.players[p], seed)
        if not hasattr(player, "search"):
            return player.choose(self.states), False
        with output.progress(f"player {p + 1} thinks") as progress:
            result: search.Result = player.search(self.states, None if self.quiet else progress)
        if progress is not None and not self.quiet:
            speed = result.nodes / max(result.seconds, 1e-6) / 1e6
            self.tell(_with_line(f"{_found(result)}, {speed:.1f} M nodes/s", result))
        if result.action is None:
            raise UserError(f"{result.algorithm} finds no action at {self.game.to_text(self.states[-1])}")
        return result.action, result.stopped == "interrupted"

    # ---- a person's turn

    def _ask(self) -> int | str | None:
        """A move; or the command that has changed the game; or None when the person leaves."""
        game, s = self.game, self.states[-1]
        moves = {game.action_name(s, a): int(a) for a in game.actions(s)}
        commands = [each.split()[0] for each in _COMMANDS]

        def candidates(line: str) -> list[str]:
            files = [f"save {name}" for name in glob(f"{line[5:]}*")] if line.startswith("save ") else []
            return [*moves, *commands, *files]

        whose = "your move" if len(self._people) == 1 else f"player {game.player(s) + 1}'s move"
        while True:
            line = ask("" if self.quiet else f"{whose}: ", candidates)
            if line is None:
                return None
            first, _, rest = line.partition(" ")
            command = _OTHER_NAMES.get(first.lower(), first.lower())
            if line in moves:
                return moves[line]
            if not line:
                self.tell("type the name of a move; `moves` lists them, `help` says what else you can type")
            elif command in commands:
                if command == "quit":
                    return None
                if self._obey(command, rest.strip(), list(moves)):
                    return command
            else:
                try:
                    return int(game.parse_action(s, line))
                except AmbiguousText as error:
                    self.tell(str(error))
                except Exception:  # whatever a game makes of what was never meant for it
                    self.tell(_mistake(line, list(moves), commands))

    def _obey(self, command: str, rest: str, moves: list[str]) -> bool:
        """Do what a command says; whether the game is another now."""
        if command == "undo":
            return self._take_back()
        if command == "resign":
            self._resigned = self.game.player(self.states[-1])
            return True
        if command == "save":
            self._save(rest)
        elif command == "moves":
            self.tell(output.listed(moves))
        elif command == "help":
            self.tell("the name of a move, as `moves` lists them, or:")
            for name, what in _COMMANDS.items():
                self.tell(f"  {name:10} {what}")
        else:
            try:
                self._advise(command)
            except UserError as error:  # a game that the search is not for
                self.tell(str(error))
        return False

    def _take_back(self) -> bool:
        """Go back to a person's move before, if there was one."""
        before = [i for i, s in enumerate(self.states[:-1]) if self.game.player(s) in self._people]
        if not before:
            self.tell("there is no move of yours to take back")
            return False
        del self.states[before[-1] + 1 :], self.names[before[-1] :]
        self._show()
        return True

    def _save(self, name: str) -> None:
        file = Path(name).expanduser()
        try:
            if not name:
                raise UserError("save needs the name of a file, as in: save game.json")
            if file.exists():
                SavedGame.read(file)  # refuses to overwrite anything else
            self._saved().write(file)
        except (UserError, ValueError, OSError, RuntimeError) as error:
            self.tell(f"not saved: {as_shown(str(error), 300)}")
            return
        self._kept = file, list(self.names)
        self.tell(f"saved; `{_LOAD} {file}` goes on")

    def _advise(self, command: str) -> None:
        """`hint` or `eval`: what a search at the highest level finds."""
        game, s = self.game, self.states[-1]
        adviser = LevelPlayer(game, len(LEVELS), self.seed)
        with output.progress(command) as progress:
            result = adviser.search(self.states, None if self.quiet else progress)
        if command == "hint":
            self.tell(_with_line(f"{result.action_name}: {_found(result)}", result))
            return
        self.tell(_with_line(f"{_standing(result)}: {_found(result)}", result))
        if game.knows.terms:
            terms = game.terms(s)
            parts = terms._asdict() if hasattr(terms, "_asdict") else dict(enumerate(terms))
            self.tell("the evaluation looks at: " + ", ".join(f"{name} {v:.3g}" for name, v in parts.items()))

    # ---- what people see

    def tell(self, what: str = "") -> None:
        """Say something to people, in lines that fit the terminal. Commands to copy are left whole."""
        if self.quiet:
            return
        for line in what.split("\n"):
            whole = _LOAD in line or len(line) <= _width()
            output.say(line if whole else textwrap.fill(line, _width(), **_FILLED))

    def _show(self) -> None:
        if not self.quiet:
            now = Position(self.game, self.states[-1])
            now.history = tuple(self.states[:-1])
            output.say(output.board(now))
            output.say()

    def _who(self, p: int) -> str:
        if p == CHANCE:
            return "chance"
        kinds = {each for each in self.players if each != HUMAN}
        kind = f" ({self.players[p]})" if len(kinds) > 1 and p not in self._people else ""
        return "you" if [p] == self._people else f"player {p + 1}{kind}"

    def tell_the_end(self) -> None:
        """How the game ended, or how it stands and whether it can go on."""
        game, s = self.game, self.states[-1]
        if self._resigned is not None:
            self.tell(f"{self._who(self._resigned)} resigned")
        elif game.is_terminal(s):
            self.tell(output.turn(Position(game, s)))
            if len(self._people) == 1:
                utilities = [game.utility(s, p) for p in range(game.players)]
                is_best = utilities[self._people[0]] == max(utilities)
                self.tell("it is a draw" if len(set(utilities)) == 1 else "you win" if is_best else "you lose")
        elif is_repeated(game, self.states):
            self.tell("the game is drawn: the position came for the third time")
        else:
            self.tell(f"so far: {output.listed(self.names) or 'no moves'}; {output.turn(Position(game, s))}")
            if self._kept is not None:
                file, names = self._kept
                where = "" if names == self.names else f" from move {len(names) + 1}, where it was saved"
                self.tell(f"`{_LOAD} {file}` goes on{where}")
            elif self._people:
                self.tell("the game was not saved")

    # ---- what programs see

    def _saved(self) -> SavedGame:
        return replace(self._about, moves=tuple(self.names), resigned=self._resigned)

    def record(self) -> dict[str, Any]:
        game, s = self.game, self.states[-1]
        utilities = None
        if game.is_terminal(s):
            utilities = [game.utility(s, p) for p in range(game.players)]
        elif is_repeated(game, self.states) and self._resigned is None:
            utilities = [0.5 * game.utility_sum] * game.players
        return {
            "game": str(game),
            "begins": self._about.begins,
            "moves": self.names,
            "position": game.to_text(s),
            "terminal": self.is_over,
            "utilities": utilities,
            "players": list(self.players),
            "resigned": self._resigned,
        }


# ---- words


def _mistake(line: str, moves: Sequence[str], commands: Sequence[str]) -> str:
    close = meant(line, [*moves, *commands])
    hint = (
        f"did you mean {' or '.join(close)}?"
        if close
        else f"legal: {', '.join(moves[:8])}" + (", ..." if len(moves) > 8 else "")
    )
    return f"'{as_shown(line)}' is not a legal move here; {hint} (`moves` lists all)"


def _found(result: search.Result) -> str:
    """Depth and value, which is for the first player."""
    values = result.values if len(result.values) > 2 or not result.game.zero_sum else result.values[:1]
    shown = ", ".join(f"{v:.3g}" for v in values)
    whose = " for player 1" if len(values) == 1 else ""
    return f"value {shown}{whose} ({'exact' if result.exact else f'depth {result.depth}'})"


def _with_line(text: str, result: search.Result) -> str:
    """A text with as much of the best line as fits beside it."""
    names = result.line_names
    for shown in range(len(names), 0, -1):
        whole = f"{text}, line {output.listed(names[:shown])}{' ...' if shown < len(names) else ''}"
        if shown == 1 or len(whole) <= _width():
            return whole
    return text


def _width() -> int:
    """How wide the terminal is; 80 where there is none."""
    return max(20, shutil.get_terminal_size().columns)


def _standing(result: search.Result) -> str:
    """Who stands better, in words."""
    game, values = result.game, result.values
    best = max(values)
    leaders = [f"player {p + 1}" for p, v in enumerate(values) if v == best]
    if len(leaders) == len(values):
        return "it is even"
    return f"{' and '.join(leaders)} {'wins' if result.exact and best == game.utility_range[1] else 'stands better'}"
