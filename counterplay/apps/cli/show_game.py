"""A game on the terminal: a session, with people at a prompt and boards above it."""

from __future__ import annotations

import shlex
import shutil
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from glob import glob
from itertools import count
from pathlib import Path
from shlex import quote
from typing import Any

from counterplay import search
from counterplay.apps.cli import output
from counterplay.apps.cli.arguments import load as load_game
from counterplay.apps.cli.estimating import estimated, split_without
from counterplay.apps.cli.prompt import as_shown, ask, meant
from counterplay.arena import HUMAN, LEVELS, Choice, SavedGame, Session
from counterplay.arena.hidden import usual_player
from counterplay.arena.outside import Forfeit, must_run_nothing
from counterplay.arena.players import taught
from counterplay.arena.session import split_players
from counterplay.core import words
from counterplay.core.game import CHANCE, AmbiguousText, Game, UserError
from counterplay.core.randomness import any_seed

__all__ = ["begin", "play_game", "seats"]

_PLAY = "counterplay play"
_MOST_MOVES = 10_000
"""A game that only computers play is left after so many; a person knows when it is enough."""

_COMMANDS = {
    "moves": "the moves that you can make",
    "hint": "a good move, by a search at the highest level",
    "eval": "who stands better, by the same search",
    "level N": "how strong the computer is from now on, 1 to 10",
    "undo": "take back your last move, and what came after it",
    "save [FILE]": "write the game to a file; `play --load FILE` goes on with it",
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
    model: str | None = None,
    without: str | None = None,
    **who: Any,
) -> Session:
    """The game to play: one that was saved, or a new one. `who` is for `seats`; at a terminal sits a person.

    What is loaded says which game it is, but for one of your own rules, which `text` has to name. A model that is
    named estimates for everyone; the usual one not for the levels, which were measured without.
    """
    takes_usual = not split_without(without, model)[0] and model is None
    if load is not None:
        if position is not None or moves:
            raise UserError("--load FILE has the game and its moves; leave out --position and --moves")
        if text is None and model is not None:
            raise UserError("say which GAME the --model is for")
        game = None if text is None else load_game(text, model)
        saved = SavedGame.read(load, game)
        if saved.players and all(each is None for each in who.values()):
            who = {**who, "players": ",".join(saved.players)}
            must_run_nothing(split_players(who["players"]))
        try:
            game = saved.load(game)
            players = seats(game, at_terminal, **who)
            seed = saved.seed if seed is None else seed
            return Session(replace(saved, players=players, seed=seed), game, adviser=_adviser(game, takes_usual))
        except UserError as error:
            raise UserError(f"{load}: {error}") from None
    if text is None:
        raise UserError("play needs a game, as in `counterplay play connect_four`, or --load FILE")
    game = load_game(text, model)
    players = seats(game, at_terminal, **who)
    if takes_usual:
        players = tuple(taught(game, each) for each in players)
    if seed is None:  # people like another game each time, programs the same
        seed = any_seed(1_000_000) if at_terminal else 0
    adviser = _adviser(game, takes_usual)
    return Session.begin(text, players, position=position, moves=moves, seed=seed, game=game, adviser=adviser)


def _adviser(game: Game, takes_usual: bool) -> Game:
    """The game as whoever gives hints sees it."""
    return estimated(game, search.algorithms.choose(game)[0], is_without=not takes_usual)


def seats(
    game: Game, at_terminal: bool, players: str | None, you: int | None, level: int | None, depth: int | None
) -> tuple[str, ...]:
    """Who sits at each seat: as `players` says, or a person at seat `you` (from 1; 0: nobody) and the computer."""
    if players is not None:
        if not you is level is depth is None:
            raise UserError("--players says who plays and how well; leave out --you, --level and --depth")
        found = split_players(players)
        if len(found) != game.players:
            example = ",".join([HUMAN, *["level:5"] * (game.players - 1)])
            raise UserError(
                f"{game} has {game.players} players, as in --players {example}; '{players}' has {len(found)}"
            )
        return found
    if level is not None and depth is not None:
        raise UserError("the computer plays by --level or by --depth, not by both")
    you = int(at_terminal) if you is None else you
    if not 0 <= you <= game.players:
        raise UserError(f"{game} has players 1 to {game.players}; you cannot be {you}")
    level_is_said = level is not None
    if level is None:
        level = 5 if you else len(LEVELS)
    computer = f"{search.best_for(game)}:depth={depth}" if depth is not None else f"level:{level}"
    if not game.perfect_information:
        if depth is not None or level_is_said:
            raise UserError(
                f"{game} has something hidden: the computer plays {usual_player(game)}, without --level or --depth"
            )
        computer = usual_player(game)
    return tuple(HUMAN if seat == you else computer for seat in range(1, game.players + 1))


def play_game(session: Session, text: str | None = None, quiet: bool = False) -> dict[str, Any]:
    """Play on to the end, or until a person leaves, and return the record. `text` is what named the game."""
    shown = _Shown(session, text, quiet)
    try:
        shown.play()
    except KeyboardInterrupt:  # while a search runs, that only ends the search
        shown.tell()
    shown.tell_the_end()
    return session.record()


class _Shown:
    """A session as people see it."""

    def __init__(self, session: Session, text: str | None, quiet: bool) -> None:
        self.session, self.quiet = session, quiet
        # What goes on with a saved game; one of your own rules has to be named again.
        self._goes_on = f"{_PLAY} {shlex.quote(text)} --load" if text and session.saved().source else f"{_PLAY} --load"
        self._kept: tuple[Path, tuple[str, ...]] | None = None  # where the game was saved last, and its moves then

    # ---- the course of the game

    def play(self) -> None:
        session = self.session
        if session.people:
            others = sorted({each for each in session.players if each != HUMAN})
            you = " and ".join(words.player_name(session.game, seat) for seat in session.people)
            against = f" against {', '.join(others)}" if others else ""
            self.tell(f"{session.game}: you are {you}{against}; `help` lists what you can type\n")
        self._show()
        while (seat := session.seat) is not None:
            if not session.people and len(session.moves) >= _MOST_MOVES:
                self.tell(f"left after {_MOST_MOVES:,} moves; `counterplay check` says whether games end")
                return
            if seat in session.people:
                move = self._ask(seat)
                if move is None:
                    return
            else:
                try:
                    choice = self._choose(seat)
                except Forfeit as error:
                    self.tell(str(error))
                    session.resign(seat)
                    continue
                if choice.is_stopped and not session.people:
                    return
                move = choice.action
            if isinstance(move, int):
                self._play(seat, move)

    def _play(self, seat: int, move: int) -> None:
        try:
            name = self.session.play(move)
        except UserError:  # the time was up before
            return
        if not self.session.keeps_secrets or (seat,) == self.session.people:
            self.tell(f"{self._who(seat)}: {name}\n")
        if self.session.seat != CHANCE:  # dice come at once: one board for the move and the throw
            self._show()

    def _choose(self, seat: int) -> Choice:
        """What the computer or chance plays. Its thoughts are shown where somebody sees them."""
        if seat == CHANCE:
            return self.session.choose()
        with output.progress(f"{words.player_name(self.session.game, seat)} thinks") as progress:
            choice = self.session.choose(None if self.quiet else progress)
        result = choice.result
        if result is not None and progress is not None and not self.quiet:
            self._tell_line(f"{_found(result)}{output.speed(result.nodes, result.seconds)}", result)
        return choice

    # ---- a person's turn

    def _ask(self, seat: int) -> int | str | None:
        """A move; or the command that has changed the game; or None when the person leaves."""
        moves, commands = self.session.legal(), [each.split()[0] for each in _COMMANDS]

        def candidates(line: str) -> list[str]:
            files = [f"save {name}" for name in glob(f"{line[5:]}*")] if line.startswith("save ") else []
            return [*moves, *commands, *files]

        is_only = len(self.session.people) == 1
        whose = "your move" if is_only else f"{words.player_name(self.session.game, seat)}'s move"
        while True:
            line = ask("" if self.quiet else f"{whose}: ", candidates, self.session.game.arrows)
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
                    return self.session.number_of(line)
                except AmbiguousText as error:
                    self.tell(str(error))
                except UserError:
                    self.tell(_mistake(line, list(moves), commands))

    def _obey(self, command: str, rest: str, moves: list[str]) -> bool:
        """Do what a command says; whether the game is another now."""
        try:
            if command == "undo":
                self.session.undo()
                self._show()
                return True
            if command == "resign":
                self.session.resign()
                return True
            if command in ("hint", "eval"):
                self._advise(command)
            if command == "level":
                self.session.set_level(rest)
                self.tell(f"from now on {' and '.join(self.session.computers)} plays")
        except UserError as error:  # nothing to take back, or a game that the search is not for
            self.tell(str(error))
        if command == "save":
            self._save(rest)
        elif command == "moves":
            self.tell(output.listed(moves))
        elif command == "help":
            self.tell("the name of a move, as `moves` lists them, or:")
            for name, what in _COMMANDS.items():
                self.tell(f"  {name:11} {what}")
        return False

    def _save(self, name: str) -> None:
        file = Path(name).expanduser() if name else self._kept[0] if self._kept else _new_file(self.session.game)
        try:
            self.session.save(file)
        except (UserError, ValueError, OSError, RuntimeError) as error:
            self.tell(f"not saved: {as_shown(str(error), 300)}")
            return
        self._kept = file, self.session.moves
        self.tell(f"saved; `{self._goes_on} {quote(str(file))}` goes on")

    def _advise(self, command: str) -> None:
        """`hint` or `eval`: what a search at the highest level finds."""
        game, s = self.session.position
        with output.progress(command) as progress:
            result = self.session.advise(None if self.quiet else progress)
        if command == "hint":
            self._tell_line(f"{result.action_name}: {_found(result)}", result)
            return
        self._tell_line(f"{_standing(result)}: {_found(result)}", result)
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
            whole = self._goes_on in line or len(line) <= _width()
            output.say(line if whole else textwrap.fill(line, _width(), **_FILLED))

    def _tell_line(self, text: str, result: search.Result) -> None:
        """A text with as much of the best line as fits beside it."""
        earlier = self.session.states[:-1]
        for shown in range(len(result.line), 0, -1):
            whole = f"{text}, line {output.line_of(result, earlier, shown)}"
            if shown == 1 or len(whole) <= _width():
                self.tell(whole)
                return
        self.tell(text)

    def _show(self) -> None:
        session = self.session
        if self.quiet:
            return
        if session.game.perfect_information or not session.people:
            output.say(output.board(session.position))
        elif len(session.people) == 1:
            output.say(str(session.view(session.people[0])))
        elif session.seat in session.people:  # they look at the screen in turn
            output.say(str(session.view(session.seat)))
        else:
            return
        output.say()

    def _who(self, seat: int) -> str:
        if seat == CHANCE:
            return "chance"
        session = self.session
        kinds = {each for each in session.players if each != HUMAN}
        kind = f" ({session.players[seat]})" if len(kinds) > 1 and seat not in session.people else ""
        return "you" if (seat,) == session.people else f"{words.player_name(session.game, seat)}{kind}"

    def tell_the_end(self) -> None:
        """How the game ended, or how it stands and whether it can go on."""
        session = self.session
        ending = session.ending
        if ending is None:
            self._tell_what_goes_on()
        elif ending.by == "rules":
            self.tell(output.turn(session.position))
            if len(session.people) == 1 and ending.winners:
                self.tell("you win" if session.people[0] in ending.winners else "you lose")
        elif ending.by == "repetition":
            self.tell("the game is drawn: the position came for the third time")
        else:
            assert ending.seat is not None  # who resigned, or had no time left
            self.tell(f"{self._who(ending.seat)} {'resigned' if ending.by == 'resignation' else 'ran out of time'}")

    def _tell_what_goes_on(self) -> None:
        moves = self.session.moves
        if self.session.keeps_secrets:
            self.tell("the game was not played to its end")
            return
        self.tell(f"so far: {output.listed(list(moves)) or 'no moves'}; {output.turn(self.session.position)}")
        if self._kept is not None:
            file, kept = self._kept
            where = "" if kept == moves else f" from move {len(kept) + 1}, where it was saved"
            self.tell(f"`{self._goes_on} {quote(str(file))}` goes on{where}")
        elif self.session.people:
            self.tell("the game was not saved")


# ---- words


def _new_file(game: Game) -> Path:
    """A name for a game that is saved without one: `chess.json`, `chess-2.json`."""
    names = (Path(f"{game.name}{f'-{n}' if n > 1 else ''}.json") for n in count(1))
    return next(file for file in names if not file.exists())


def _mistake(line: str, moves: Sequence[str], commands: Sequence[str]) -> str:
    close = meant(line, [*moves, *commands])
    hint = (
        f"did you mean {' or '.join(close)}?"
        if close
        else f"legal: {', '.join(moves[:8])}" + (", ..." if len(moves) > 8 else "")
    )
    return f"'{as_shown(line)}' is not a legal move here; {hint} (`moves` lists all)"


def _found(result: search.Result) -> str:
    """What it is worth to who moves, and how sure that is."""
    return f"{result.worth()} ({'exact' if result.proven else f'depth {result.depth}'})"


def _width() -> int:
    """How wide the terminal is; 80 where there is none."""
    return max(20, shutil.get_terminal_size().columns)


def _standing(result: search.Result) -> str:
    """Who stands better, in words."""
    game, values = result.game, result.values
    best = max(values)
    leaders = [name for name, v in zip(game.player_names, values, strict=True) if v == best]
    if len(leaders) == len(values):
        return "it is even"
    return f"{' and '.join(leaders)} {'wins' if result.proven and best == game.utility_range[1] else 'stands better'}"
