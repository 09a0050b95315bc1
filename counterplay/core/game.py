"""What a game is: the textbook's six functions, what it declares about itself, and how people read it.

    class Nim(Game):
        heap: int = 21                                   # an annotated attribute is a parameter: Nim(heap=10)

        class State(NamedTuple):
            stones: int
            turn: int

        def initial(self): return self.State(self.heap, 0)
        def player(self, s): return s.turn
        def actions(self, s): return range(1, min(3, s.stones) + 1)     # none at the end
        def result(self, s, a): return self.State(s.stones - a, 1 - s.turn)
        def is_terminal(self, s): return s.stones == 0
        def utility(self, s, p): return -1.0 if s.turn == p else 1.0

A state is an immutable tuple of numbers, `Bits` and tuples of them; an action is an integer. Everything else about
a game is optional and has a default below. An attribute or property of the game that is not a method is a constant
when the rules are compiled; what may change is a `Memory`.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections import namedtuple
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, NamedTuple, Self

from counterplay.core import drawing, extension, words
from counterplay.core.errors import AmbiguousText, IllegalAction, RulesError, UnreadableText, UserError
from counterplay.core.features import Learnable
from counterplay.core.knowledge import FOR_PEOPLE, KNOWLEDGE, for_people, knowledge
from counterplay.core.memory import Memory, is_array, read_only
from counterplay.core.primitives import nth_action, number_of_actions, state_key, weighted_sum
from counterplay.core.randomness import word
from counterplay.core.texts import convert, field_text, fields_text, read_board, read_moves, state_from_text

__all__ = [
    "CHANCE",
    "FOR_PEOPLE",
    "KNOWLEDGE",
    "AmbiguousText",
    "Game",
    "IllegalAction",
    "Position",
    "RulesError",
    "UnreadableText",
    "UserError",
    "is_repeated",
    "listed_actions",
    "read_board",
]

CHANCE = -1
"""The player who moves when a die is thrown or a card drawn."""

MOST_ACTIONS = 1_000_000
"""A state with more is refused wherever its actions are listed."""

RULES = ("initial", "player", "actions", "result", "is_terminal", "utility")


class Game(Learnable):
    """The base class of every game. Override the six rules; add what else the game knows about itself."""

    # ---- what a game declares
    players: ClassVar[int] = 2
    chance: ClassVar[bool] = False
    """Whether `player` may be CHANCE; then `probability` is a rule too."""
    simultaneous: ClassVar[bool] = False
    zero_sum: ClassVar[bool] = True
    """Whether the players' utilities always add up to `utility_sum`."""
    utility_sum: ClassVar[float] = 0.0
    utility_range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    """The least and the greatest utility any player can get."""
    selective: ClassVar[bool] = False
    """Whether a search may leave out what hardly matters, at the price that its value is no longer minimax's."""
    finish_plies: ClassVar[int] = 0
    """With at most so many plies left `finish` is asked."""
    half_win: ClassVar[float] = 0.0
    """The sum of the weighted `terms` that is estimated at half a win; 0: the sum is in units of utility itself."""
    weights: ClassVar[Any] = ()
    """What each of the `terms` counts; none: 1 each."""
    compiled: ClassVar[bool] = True
    """Whether it pays to compile this game; a game that is mere data may say no."""
    look: ClassVar[drawing.Look] = drawing.PLAIN
    """How its board is drawn: the surface, and what the characters of `board` stand for."""
    unit: ClassVar[str] = ""
    """In what the `terms` and scores of the game are counted: pawns, discs, points."""
    arrows: ClassVar[tuple[str, ...]] = ()
    """The moves that the arrow keys up, right, down and left stand for."""
    win_word: ClassVar[str] = "win"
    """What comes about when a win is near: `mate` in 3."""

    @property
    def player_names(self) -> tuple[str, ...]:
        """What people call the players, one name each: a game may say `player_names = ("White", "Black")`."""
        return tuple(f"player {p + 1}" for p in range(self.players))

    @property
    def scored(self) -> bool:
        """Whether utilities are a score, not a win, a draw or a loss. Default: the range is not -1 to 1, nor 0 to 1."""
        return words.is_scored(self)

    @property
    def perfect_information(self) -> bool:
        """Whether nothing is hidden: so it is unless the game says by `information` what each player knows."""
        return not self.knows.information

    # ---- the rules (the textbook's contract)

    def initial(self) -> Any:
        """The state in which the game begins."""
        raise NotImplementedError

    def player(self, s: Any) -> int:
        """Whose turn it is: 0 is MAX, or CHANCE."""
        raise NotImplementedError

    def actions(self, s: Any) -> Iterable[int]:
        """The legal actions, each once, none at a terminal state; a generator, a `Bits`, a range, a tuple, an array."""
        raise NotImplementedError

    def result(self, s: Any, a: int) -> Any:
        """The state after action `a`."""
        raise NotImplementedError

    def is_terminal(self, s: Any) -> bool:
        """Whether the game is over."""
        raise NotImplementedError

    def utility(self, s: Any, p: int) -> float:
        """What a terminal state is worth to player `p`."""
        raise NotImplementedError

    def probability(self, s: Any, a: int) -> float:
        """How likely CHANCE is to choose `a`; a rule of games with chance, never asked of others."""
        return 0.0

    def ends_round(self, s: Any) -> bool:
        """Whether the move at `s` ends a round, for searches that count those. Default: it is the last player's."""
        return self.player(s) == self.players - 1

    # ---- knowledge a search may use; `game.knows.evaluate` says whether the game has it

    @knowledge
    def evaluate(self, s: Any, p: int) -> float:
        """An estimate of the utility for `p`, exact on terminal states.

        Default: the sum of the weighted terms, bent by `squash`; without terms the middle of the range.
        """
        if not self.knows.terms:
            return 0.5 * (self.utility_range[0] + self.utility_range[1])
        return self.utility(s, p) if self.is_terminal(s) else self.weighed(s, p)

    def weighed(self, s: Any, p: int) -> float:
        """What the default `evaluate` says of a state that is not terminal, for a search that knows so."""
        v = self.squash(weighted_sum(self.terms(s), self.weights))
        return v if p == 0 else self.utility_sum - v

    @knowledge
    def terms(self, s: Any) -> Any:
        """What speaks for player 0, less the same for player 1, as a NamedTuple of numbers: the parts of an estimate.

        For two opponents or one player. With `weights` it is all that the default `evaluate` needs.
        """
        return ()

    def squash(self, x: float) -> float:
        """The sum `x` of the weighted terms as an estimate for player 0; 0 is the middle of the range.

        Default: bent so that `half_win` is half a win and no sum quite a win; without it, cut at the range's ends.
        """
        low, high = self.utility_range
        middle, reach = 0.5 * (low + high), 0.5 * (high - low)
        if self.half_win > 0.0:
            return middle + reach * (x / (self.half_win + abs(x)))
        return min(max(middle + x, low), high)

    @knowledge
    def priority(self, s: Any, a: int) -> float:
        """How early to look at `a`: larger first."""
        return 0.0

    @knowledge
    def is_noisy(self, s: Any, a: int) -> bool:
        """Whether `a` upsets the evaluation (a capture), so that quiescence search must follow it."""
        return False

    @knowledge
    def noisy_actions(self, s: Any) -> Iterable[int]:
        """The actions that may be noisy, in the order of `actions`: all that are, `is_noisy` is asked of each.

        Give it if they are found without listing the others.
        """
        return (a for a in self.actions(s) if self.is_noisy(s, a))

    @knowledge
    def quiet_actions(self, s: Any) -> Iterable[int]:
        """The actions that `noisy_actions` leaves out, in the order of `actions`.

        Give it beside that: then a search need not list them where they will not help.
        """
        noisy = tuple(self.noisy_actions(s))
        return (a for a in self.actions(s) if a not in noisy)

    @knowledge
    def urgent_actions(self, s: Any) -> Iterable[int]:
        """Those of `quiet_actions` that may make the position urgent, in their order; `makes_urgent` is asked of each.

        Give it if they are found without asking that of all quiet ones.
        """
        return self.quiet_actions(s)

    @knowledge
    def is_urgent(self, s: Any) -> bool:
        """Whether the player to move must answer something before all else (chess: is in check)."""
        return False

    @knowledge
    def makes_urgent(self, s: Any, a: int) -> bool:
        """Whether the position after `a` is urgent; give it if that is found without making the move."""
        return self.is_urgent(self.result(s, a))

    @knowledge
    def is_unsound(self, s: Any, a: int) -> bool:
        """Whether `a`, which takes nothing, gives away what it moves (chess: the piece would be lost by exchange)."""
        return False

    @knowledge
    def gain(self, s: Any, a: int) -> float:
        """What `a` wins at once, before any reply, in tenths of `half_win` (chess: pawns); 0 if it takes nothing."""
        return 0.0

    @knowledge
    def kind(self, s: Any, a: int) -> int:
        """What sort of move `a` is, from 0 to 1,022, for a search that learns which move answers which."""
        return a & 511

    @knowledge
    def passed(self, s: Any) -> Any:
        """`s` with the other player to move. Give it only if passing would never be the best move (null move)."""
        return s

    @knowledge
    def key(self, s: Any) -> int:
        """A 64-bit number, equal for equal states and for practical purposes different for others."""
        return state_key(s)

    @knowledge
    def reversible(self, s: Any) -> int:
        """How many plies ago an equal position could have been (chess: the plies since a capture or a pawn's move).

        Give it if a position that comes for the third time is a draw. What came before is not part of a state, which
        would make every copy of it dear; whoever plays or searches keeps the history.
        """
        return 0

    @knowledge
    def canonical(self, s: Any) -> Any:
        """The state that stands for all that are alike by a symmetry of the board: the same for each of them.

        What is worth the same needs to be searched only once.
        """
        return s

    @knowledge
    def solved(self, s: Any) -> tuple[float, int]:
        """What is known of a live state, from a table: its value to player 0, and in how many plies the game ends.

        Of a draw the plies are 0; -1: nothing is known. `counterplay.solve.tables` gives it to a game.
        """
        return 0.0, -1

    @knowledge
    def plies_left(self, s: Any) -> int:
        """At most how many plies the game still lasts; less after every move.

        Give it if that can be said: then a search that comes near the end solves the rest.
        """
        return 1 << 30

    @knowledge
    def finish(self, s: Any, low: float, high: float) -> float:
        """What a live state with at most `finish_plies` plies left is worth to player 0 if both play on to the end.

        Exact between `low` and `high`; else a bound: `low` or less, `high` or more. Give it if the game has a quicker
        way than to search by the rules.
        """
        return 0.0

    @knowledge
    def still_possible(self, s: Any) -> tuple[float, float]:
        """The least and the most that player 0 can still get if both play best, as far as is seen without searching.

        Give it if that is soon less than the whole range.
        """
        return self.utility_range[0], self.utility_range[1]

    @knowledge
    def sound_actions(self, s: Any) -> Iterable[int]:
        """The actions, in their order, but for those after which the other player can win at once; none: all are such.

        To win is to get the most there is. It is asked only where the player to move cannot win at once himself.
        """
        return self.actions(s)

    @knowledge
    def glance(self, s: Any, a: int) -> float:
        """A `priority` that does not look where `a` leads: for the last plies, where that would take too long."""
        return 0.0

    @knowledge
    def count_actions(self, s: Any) -> int:
        """How many actions there are; give it if that is known without listing them."""
        return number_of_actions(self, s)

    @knowledge
    def sample(self, s: Any, r: int) -> int:
        """A random action of a live state: number `r * n >> 32` of the `n` actions in their order, `r` of 32 bits.

        Give it if the action of a number is found without listing those before.
        """
        return nth_action(self, s, r * number_of_actions(self, s) >> 32)

    @knowledge
    def quick_action(self, s: Any, last: int, random: Any) -> int:
        """How a live state is played on quickly and not foolishly, for the playouts of tree search.

        `last` is the action before, -1 if it is not known; `random` is drawn from by `unit` and `word` of
        `counterplay.core.randomness`. Default: any action.
        """
        return self.sample(s, word(random))

    @knowledge
    def hunch(self, s: Any, a: int, last: int) -> float:
        """How a move looks before it was tried: as if so many visits to it had been won; below 0, lost.

        `last` is the action before, -1 if it is not known. Default: no opinion.
        """
        return 0.0

    @knowledge
    def playouts(self, s: Any, n: int, w: Any, room: int) -> int:
        """Play `n` random games from `s` and put what each player got, of all of them, into `w.value`; all their steps.

        Give it if many games can be played at once. `w` is a source of random numbers; `room` is the address of
        `playout_words` words of memory. Less than 0: a game did not end.
        """
        return 0

    playout_words: ClassVar[int] = 0
    """The memory that `playouts` needs, in words of 64 bits."""

    # ---- what is hidden; what is learnt from is in `Learnable`

    @knowledge
    def information(self, s: Any, p: int) -> tuple[Any, ...]:
        """All that player `p` knows and remembers at `s`, a tuple: equal where `p` cannot tell two states apart.

        `p` may be CHANCE: what everybody sees. Default: the whole state. A game that gives it has something hidden;
        moves at the same time are moves in turn that are hidden until all have been made.
        """
        return tuple(s)

    @knowledge
    def sample_state(self, s: Any, p: int, random: Any) -> Any:
        """A state that player `p` cannot tell from `s`: what he does not know drawn anew, as it is likely.

        Nothing of `s` may be used that `information(s, p)` does not tell. For searches that imagine what is hidden;
        without it they go through the whole game, if that is small.
        """
        return s

    # ---- for people

    @for_people
    def board(self, s: Any) -> Sequence[Sequence[str]] | None:
        """The position as rows of one-character cells, top row first ('.' is empty), for games on a board."""
        return None

    @for_people
    def labels(self) -> tuple[Sequence[str], Sequence[str]]:
        """The names of the board's columns and rows, for its edges; empty for none."""
        return (), ()

    @for_people
    def show(self, s: Any) -> str:
        """The position as a person likes to read it."""
        board = self.board(s)
        return self.to_text(s) if board is None else drawing.board_text(board, *self.labels())

    @for_people
    def show_information(self, known: Any, p: int) -> str:
        """What player `p` knows, as a person likes to read it: of `information` only, so that nothing else is told."""
        return fields_text(known)

    @for_people
    def svg_information(self, known: Any, p: int) -> str | None:
        """The same as an SVG, if the game draws it."""
        return None

    @for_people
    def coloured(self, s: Any) -> list[list[drawing.Span]] | None:
        """The same in colours, line by line, if the game draws itself and needs no `board`."""
        return None

    @for_people
    def svg(self, s: Any) -> str | None:
        """The position as an SVG, if the game draws itself and needs no `board`."""
        return None

    @for_people
    def spots(self, s: Any) -> dict[str, tuple[float, float, float, float]]:
        """Where the game's own picture can be clicked: each spot's left, top, width and height, as parts of the whole.

        A move is clicked by the spots that its name has, step by step: `13/10 24/21*` is 13, 10 and 24, 21. Default:
        nowhere. A game with a `board` needs none.
        """
        return {}

    @for_people
    def action_name(self, s: Any, a: int) -> str:
        """What people call action `a` in state `s`; different for different actions."""
        return str(a)

    @for_people
    def parse_action(self, s: Any, text: str) -> int:
        """The legal action of that name."""
        names = {self.action_name(s, a): a for a in listed_actions(self, s)} if not self.is_terminal(s) else {}
        wanted = text.strip()
        if wanted in names:
            return names[wanted]
        matches = [a for name, a in names.items() if name.lower() == wanted.lower()]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise AmbiguousText(f"'{wanted}' could be {' or '.join(self.action_name(s, a) for a in matches)}")
        if not names:
            raise IllegalAction(f"'{wanted}' cannot be played: the game is over")
        shown = ", ".join(list(names)[:40]) + (", ..." if len(names) > 40 else "")
        raise IllegalAction(f"'{wanted}' is not a legal move here; legal: {shown}")

    @for_people
    def in_units(self, v: float) -> float | None:
        """A value in units of the game; None if it has none, and what people want to hear is the chance to win.

        Default: a score as it is; else an estimate before `squash` has bent it.
        """
        return words.in_units(self, v)

    @for_people
    def chance_to_win(self, v: float) -> float:
        """The points, 0 to 1, that a player can expect to whom a search gives the value `v`; half for a draw.

        Default: where `v` lies in the range of utilities.
        """
        return words.chance_to_win(self, v)

    @for_people
    def outcome(self, s: Any) -> str:
        """How the game ended at `s`: `White wins`, `a draw`."""
        return words.outcome(self, s)

    @for_people
    def consolation(self) -> Game | None:
        """The game that who has lost this one plays on: for discs or points, with the same states and actions.

        Default: none, a loss is a loss.
        """
        return None

    @for_people
    def move_number(self, s: Any, earlier: Sequence[Any] = ()) -> int:
        """The number of the next move where both sides' moves are counted together, after the `earlier` states."""
        return 1 + sum(self.player(each) == 1 for each in earlier)

    @for_people
    def to_text(self, s: Any) -> str:
        """The standard text of a position. Default: its board's rows, `x.o/...`, or its fields, `stones=21 turn=0`."""
        board = self.board(s)
        return fields_text(s) if board is None else "/".join("".join(row) for row in board)

    @for_people
    def from_text(self, text: str) -> Any:
        """The position of that text. A game with a `board` reads it by `read_board`."""
        return state_from_text(self.initial(), text)

    # ---- parameters

    parameters: ClassVar[dict[str, Any]] = {}
    """Names and defaults of the parameters, from the annotated attributes of the class."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = {
            name: cls.__dict__[name]
            for name, kind in inspect.get_annotations(cls).items()
            if name in cls.__dict__ and not str(kind).startswith(("ClassVar", "typing.ClassVar"))
        }
        cls.parameters = {**cls.parameters, **own}
        for name, value in list(vars(cls).items()):
            if is_array(value):  # compiled rules have it as it is now, so no one may change it
                setattr(cls, name, read_only(value))

    def __init__(self, **given: Any) -> None:
        cls = type(self)
        missing = [rule for rule in RULES if getattr(cls, rule) is getattr(Game, rule)]
        if missing:
            raise RulesError(f"{cls.__name__} has no {_listed(missing)}: {_advice(cls, missing[0])}")
        for name in given:
            if name not in self.parameters:
                raise UnreadableText(f"{self.name} has no parameter '{name}'; it has: {_listed(self.parameters)}")
        for name, default in self.parameters.items():
            self.__dict__[name] = convert(f"{self.name}'s {name}", given.get(name, default), default)
        self.validate()
        if self.chance and cls.probability is Game.probability:
            raise RulesError(f"{cls.__name__} declares chance but has no probability: {_advice(cls, 'probability')}")
        self._must_fit_together()

    def _must_fit_together(self) -> None:
        """Refuse a game whose optional parts leave a question open."""
        cls, knows = type(self), self.knows
        is_duel = self.players == 1 or (self.players == 2 and self.zero_sum)
        if knows.terms and cls.evaluate is Game.evaluate and not is_duel:
            raise RulesError(f"{cls.__name__} has terms, but not two opponents: add  def evaluate(self, s, p)")
        if knows.features and cls.inputs is Game.inputs:
            raise RulesError(f"{cls.__name__} has features, but does not say how many: add  inputs = ...")
        if knows.information and self.perfect_information:
            raise RulesError(f"{cls.__name__} says by information what is hidden: leave out perfect_information = True")
        if len(self.player_names) != self.players:
            raise RulesError(f"{cls.__name__} has {self.players} players: player_names must have a name for each")

    @for_people
    def validate(self) -> None:
        """Raise ValueError when the parameters make no game."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a game does not change: make another with {type(self).__name__}({name}=...)")

    @property
    def settings(self) -> dict[str, Any]:
        """The values of the parameters."""
        return {name: self.__dict__[name] for name in self.parameters}

    @classmethod
    def snake_name(cls) -> str:
        """The name of the game for people and files: ConnectFour is connect_four."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()

    @property
    def name(self) -> str:
        return self.snake_name()

    @cached_property
    def knows(self) -> Any:
        """Which of the optional methods the class gives, a `Knowledge`; a constant when compiled."""
        cls = type(self)
        given = {name: getattr(cls, name) is not getattr(Game, name) for name in KNOWLEDGE}
        given["evaluate"] = given["evaluate"] or given["terms"]
        return Knowledge(**given)

    @cached_property
    def has_weighed_terms(self) -> bool:
        """Whether `evaluate` is the default one, of terms."""
        return bool(self.knows.terms and type(self).evaluate is Game.evaluate)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Game):
            return False
        return self.settings == other.settings and self.extension == other.extension

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.settings.values()), frozenset(self.extension.items())))

    def __repr__(self) -> str:
        plain = f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.settings.items())})"
        members = [f"{k}={getattr(v, '__qualname__', None) or repr(v)}" for k, v in self.extension.items()]
        return f"{plain}.extended({', '.join(members)})" if members else plain

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (extension.original(self), self.settings, self.extension)  # what else it keeps follows from these

    def __str__(self) -> str:
        changed = [f"{k}={field_text(v)}" for k, v in self.settings.items() if v != self.parameters[k]]
        return self.name + (":" + ",".join(changed) if changed else "")

    # ---- a game with more to it

    extension: ClassVar[dict[str, Any]] = {}
    """What `extended` gave the game, by name."""

    def extended(self, **members: Any) -> Self:
        """A game like this one, with functions as rules of its own and with memory or constants that they use.

            game.extended(evaluate=weighted, weights=Memory(array))      # weighted(self, s, p) reads self.weights[i]

        What the class has of these names is replaced. Its parameters, name and texts stay. The same functions with
        other memory of the same kind run by the same machine code.
        """
        known = {name: getattr(Game, name) for name in (*RULES, "probability", *KNOWLEDGE)}
        for name, value in members.items():
            extension.must_fit(self, name, value, known)
        if not members:
            return self
        merged = {**self.extension, **members}
        game: Self = object.__new__(extension.class_with(extension.original(self), merged))
        values = {name: value for name, value in merged.items() if not callable(value)}
        game.__dict__.update(extension.made_of(self) | values | {"extension": merged})
        return game

    @property
    def memories(self) -> dict[str, Memory]:
        """The memory among its attributes, in the order of their names."""
        found = {name: value for cls in reversed(type(self).__mro__) for name, value in vars(cls).items()}
        found.update(extension.made_of(self))
        return {name: found[name] for name in sorted(found) if isinstance(found[name], Memory)}

    def at(self, moves: str | Iterable[str] = (), position: str | None = None) -> Position:
        """The position after `moves` (names, or one text of names and blanks) from `position` or the start."""
        here = Position(self, self.initial() if position is None else self.from_text(position))
        for a in self.read_moves(here.state, moves):
            here = here.after(a)
        return here

    @for_people
    def read_moves(self, s: Any, moves: str | Iterable[str]) -> list[int]:
        """The actions from `s` on that names, or a text as people paste it, mean: `1. e4 e5 2. Nf3`, `4,4`, `4444`."""
        return read_moves(self, s, moves)


Knowledge: Any = namedtuple("Knowledge", KNOWLEDGE)  # type: ignore[misc]
"""Which optional methods a game has: a truth value for each name in `KNOWLEDGE`."""


class _GameAndState(NamedTuple):
    game: Game
    state: Any


class Position(_GameAndState):
    """A state of a game, together with the game: it prints as the board and draws itself in a notebook."""

    history: tuple[Any, ...] = ()
    """The states before, the first one first, if known: so the last move can be marked, and a repetition seen. No part
    of what is compared."""

    def play(self, move: str) -> Position:
        """The position after the move of that name."""
        return self.after(self.game.parse_action(self.state, move))

    def after(self, a: int) -> Position:
        """The position after action `a`."""
        following = Position(self.game, self.game.result(self.state, a))
        following.history = (*self.history, self.state)
        return following

    def moves(self) -> list[str]:
        """The names of the legal moves."""
        if self.game.is_terminal(self.state):
            return []
        return [self.game.action_name(self.state, a) for a in listed_actions(self.game, self.state)]

    def __str__(self) -> str:
        return self.game.show(self.state)

    def _repr_svg_(self) -> str:
        if (drawn := self.game.svg(self.state)) is not None:
            return drawn
        board = self.game.board(self.state)
        if board is None:
            return drawing.text_svg(self.game.show(self.state))
        return drawing.board_svg(board, *self.game.labels(), self.game.look, self.marked())

    def marked(self) -> frozenset[tuple[int, int]]:
        """The cells (row, column) of the board that the last move changed."""
        before = self.game.board(self.history[-1]) if self.history else None
        after = self.game.board(self.state)
        return frozenset() if before is None or after is None else drawing.changed(before, after)


def is_repeated(game: Game, states: Sequence[Any]) -> bool:
    """Whether the last of `states`, all those of a game so far, came for the third time and is a draw by that."""
    *earlier, s = states
    back = game.reversible(s)
    return back > 0 and sum(game.key(each) == game.key(s) for each in earlier[-back:]) >= 2


def listed_actions(game: Game, s: Any) -> list[int]:
    """The actions at `s` as a list; an error if they are more than anybody could list."""
    actions = list(islice(game.actions(s), MOST_ACTIONS + 1))
    if len(actions) > MOST_ACTIONS:
        raise RulesError(f"{game} has more than {MOST_ACTIONS:,} actions at a state, too many to be listed")
    return actions


def _made(cls: type[Game], settings: dict[str, Any], members: dict[str, Any]) -> Game:
    """The game of a pickle. (A class that `extended` made has no name by which it could be found.)"""
    return cls(**settings).extended(**members)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _advice(cls: type[Game], rule: str) -> str:
    """What to do about a missing rule: mend a misspelling, or write it."""
    written = [name for name in vars(cls) if not name.startswith("_") and name not in RULES]
    close = difflib.get_close_matches(rule, written, n=1)
    if close:
        return f"is '{close[0]}' meant to be '{rule}'?"
    arguments = {"initial": "self", "utility": "self, s, p"}.get(rule, "self, s")
    if rule in ("result", "probability"):
        arguments = "self, s, a"
    return f"add  def {rule}({arguments})"
