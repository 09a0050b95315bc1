"""A game by its rule sheet: any game of GDL as a `Game` like the others.

A state is a set of fluents. Of them the net's gates say which moves are legal, whether the game is over and who has
reached which goal; with the moves made they give the fluents of the next state. All roles move in every step: who has
only one legal move has made it, and the others choose one after the other. If several choose in the same step, what
the first ones chose is hidden until all have.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NamedTuple

from counterplay.core.bits import Bits
from counterplay.core.game import Game, IllegalAction, UnreadableText, UserError
from counterplay.core.primitives import Table, load, lowest_one, ones, state_key, store
from counterplay.core.randomness import word as random_word
from counterplay.games._gdl.ground import ground
from counterplay.games._gdl.kif import Term, parse, written
from counterplay.games._gdl.net import Net, build
from counterplay.games._gdl.rules import checked_rules
from counterplay.games._gdl.survey import Survey, survey
from counterplay.games._gdl.writing import Grid, find_grid, short_name

__all__ = ["GdlGame", "sheet_class"]

MOST_STEPS = 100_000
"""If of 64 random games none ends for so long, they never will."""

_SWAPS = (
    (32, 0x00000000FFFFFFFF),
    (16, 0x0000FFFF0000FFFF),
    (8, 0x00FF00FF00FF00FF),
    (4, 0x0F0F0F0F0F0F0F0F),
    (2, 0x3333333333333333),
    (1, 0x5555555555555555),
)


@lru_cache(maxsize=16)
def net_of(sheet: str) -> Net:
    """The gates of a sheet."""
    return build(ground(checked_rules(parse(sheet))))


@lru_cache(maxsize=16)
def survey_of(sheet: str) -> Survey:
    return survey(net_of(sheet))


@lru_cache(maxsize=16)
def sheet_class(sheet: str, file: str, module: str) -> type[Game]:
    """The class of the game that a sheet describes. It is refused in one line if it is no sheet, or too large."""
    try:
        survey_of(sheet)
    except UserError as error:
        raise UnreadableText(f"{file}: {error}") from None
    except RecursionError:
        raise UnreadableText(f"{file}: the sheet is too large: its rules are too deep") from None
    words = "".join(each if each.isascii() and each.isalnum() else " " for each in file.rpartition(".")[0]).split()
    name = "".join(word[:1].upper() + word[1:] for word in words) or "Sheet"
    name = name if name[0].isalpha() else f"Sheet{name}"
    members = {"sheet": sheet, "file": file, "__module__": module, "__qualname__": name}
    return type(name, (GdlGame,), members | {"__doc__": f"The game of the rule sheet {file}."})


class GdlGame(Game):
    """The base of all games by rule sheets; each sheet is a class with its text."""

    sheet: ClassVar[str] = ""
    file: ClassVar[str] = ""

    class State(NamedTuple):
        facts: Bits  # the fluents that are true
        made: Bits  # the moves made in this step so far
        shown: Bits  # the legal moves, whether the game is over, the goals reached: what follows from the facts
        past: int  # what all have done so far, as a hash, where roles choose at the same time; else 0
        turn: int

    @classmethod
    def snake_name(cls):
        return cls.file

    @cached_property
    def net(self):
        return net_of(self.sheet)

    # ---- what the sheet, and play, say about it

    @cached_property
    def players(self):
        return len(self.net.roles)

    @cached_property
    def player_names(self):
        return self.net.roles

    @cached_property
    def simultaneous(self):
        return survey_of(self.sheet).is_simultaneous

    @cached_property
    def zero_sum(self):
        """As seen in random games: `counterplay check` looks for an exception."""
        return self.players == 1 or len(survey_of(self.sheet).sums) == 1

    @cached_property
    def utility_sum(self):
        return float(max(survey_of(self.sheet).sums)) if self.zero_sum and self.players > 1 else 0.0

    @cached_property
    def utility_range(self):
        values = [float(goal.value) for goal in self.net.goals]
        return (min(values), max(values)) if len(set(values)) > 1 else (0.0, max([100.0, *values]))

    @property
    def scored(self):
        """Goals are from 0 to 100, which is a win; a score is what has more than loss, draw and win."""
        low, high = self.utility_range
        return not {float(goal.value) for goal in self.net.goals} <= {low, 0.5 * (low + high), high}

    @cached_property
    def knows(self):
        """Something is hidden only where roles choose at the same time."""
        return super().knows._replace(information=self.simultaneous)

    # ---- the net as constants of the rules

    @cached_property
    def before(self):
        return self.net.before

    @cached_property
    def after(self):
        return self.net.after

    @cached_property
    def moves(self):
        """How many moves there are, of all roles; in `shown` the next place says that the game is over."""
        return sum(map(len, self.net.moves))

    @cached_property
    def beginning(self):
        return Bits(len(self.net.fluents), self.net.initial)

    @cached_property
    def nobody(self):
        return Bits(self.moves)

    @cached_property
    def starts(self):
        """The number of each role's first move, and of all."""
        return tuple(sum(map(len, self.net.moves[:r])) for r in range(self.players + 1))

    @cached_property
    def legal_of(self):
        width = self.moves + 1 + len(self.net.goals)
        return Table(Bits(width, range(self.starts[r], self.starts[r + 1])) for r in range(self.players))

    @cached_property
    def any_move(self):
        return Bits(self.moves + 1 + len(self.net.goals), range(self.moves))

    @cached_property
    def own(self):
        """The moves that are a role's own; the first is nobody's."""
        of_roles = (Bits(self.moves, range(self.starts[r], self.starts[r + 1])) for r in range(self.players))
        return Table((Bits(self.moves), *of_roles))

    @cached_property
    def matters(self):
        """The moves that change something; the others are those of who has to wait."""
        first = len(self.net.fluents)
        used = {x >> 1 for _, literals in self.after.gates for x in literals} | {x >> 1 for x in self.after.outputs}
        return Bits(self.moves, [m for m in range(self.moves) if first + m in used])

    @cached_property
    def goals_of(self):
        width = self.moves + 1 + len(self.net.goals)
        every = [
            [i for i, goal in enumerate(self.net.goals, self.moves + 1) if goal.role == r] for r in range(self.players)
        ]
        return Table(Bits(width, each) for each in every)

    @cached_property
    def worth(self):
        return Table([0.0] * (self.moves + 1) + [float(goal.value) for goal in self.net.goals])

    # ---- rules

    def initial(self):
        return self.begin(self.beginning, 0)

    def begin(self, facts, past):
        """The state of these facts, in which nobody has chosen yet."""
        shown = self.before.run(facts)
        if self.moves in shown:
            return self.State(facts, self.nobody, shown - self.any_move, past, 0)
        s = self.choosing(facts, self.nobody, shown, past, 0)
        if s.turn < self.players:
            return s
        mover = 0  # nobody has a choice: it is the turn of who changes something
        for r in range(self.players - 1, -1, -1):
            if s.made & self.own[r + 1] & self.matters:
                mover = r
        return self.State(facts, s.made, shown, past, mover)

    def choosing(self, facts, made, shown, past, first):
        """The state in which the next role from `first` on has a choice; its turn is nobody's if none has."""
        turn = self.players
        for r in range(first, self.players):
            legal = shown & self.legal_of[r]
            if len(legal) != 1:
                turn = r
                break
            made = made.add(legal.lowest())
        return self.State(facts, made, shown, past, turn)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return s.shown & self.legal_of[s.turn]

    def result(self, s, a):
        made = s.made.add(a)
        if s.turn < self.players - 1:
            then = self.choosing(s.facts, made, s.shown, s.past, s.turn + 1)
            if then.turn < self.players:
                return then
            made = then.made
        past = state_key((made, s.past)) if self.simultaneous else 0
        return self.begin(self.after.run(s.facts, made), past)

    def is_terminal(self, s):
        return self.moves in s.shown

    def utility(self, s, p):
        v = self.utility_range[0]
        for i in s.shown & self.goals_of[p]:
            v = max(v, self.worth[i])
        return v

    # ---- 64 random games at once: a fluent, a move or a goal is a word, and each bit of it a game

    @cached_property
    def playout_words(self):
        chunks = max(len(moves) + 63 for moves in self.net.moves) // 64
        return 2 * len(self.net.fluents) + 2 * self.moves + 1 + len(self.net.goals) + 64 * chunks

    def playouts(self, s, n, w, room):
        """A game that ends makes room for the next one, until `n` have begun."""
        made = room + 8 * s.facts.width
        shown = made + 8 * self.moves
        after = shown + 8 * s.shown.width
        rows = after + 8 * s.facts.width
        for p in range(self.players):
            w.value[p] = 0.0
        for i in range(s.facts.width):
            store(room, i, -1 if i in s.facts else 0)
        begun = min(n, 64)
        live = -1 if begun == 64 else (1 << begun) - 1
        fresh, steps, quiet = live, 0, 0
        while True:
            self.before.run_wide(room, shown)
            over = load(shown, self.moves) & live
            again = 0
            quiet += 1
            if over != 0:
                quiet = 0
                self.collect(over, shown, w)
                live &= ~over
                for game in range(64):
                    if over >> game & 1 and begun < n:
                        again |= 1 << game
                        begun += 1
            if (live | again) == 0:
                break
            if quiet > MOST_STEPS:
                return -1
            steps += ones(live)
            for r in range(self.players):
                first, last = self.starts[r], self.starts[r + 1]
                several = self.offer(s, r, live, fresh, made, shown)
                if several != 0:
                    draw(first, last, several, made, rows, w)
            self.after.run_wide(room, after)
            for i in range(s.facts.width):
                store(room, i, load(after, i) & ~again | (again if i in s.facts else 0))
            live |= again
            fresh = again
        return steps

    def collect(self, over, shown, w):
        """Add up the goals of the games that are over: of several that are reached the highest counts."""
        for p in range(self.players):
            rest = over
            for i in range(self.worth_from[p + 1] - 1, self.worth_from[p] - 1, -1):
                reached = load(shown, i) & rest
                w.value[p] += self.worth[i] * ones(reached)
                rest &= ~reached
            w.value[p] += self.utility_range[0] * ones(rest)

    def offer(self, s, r, live, fresh, made, shown):
        """Write the legal moves of a role where those that are made will be; the games in which there are several.

        In a game that has just begun, those who have chosen at `s` have only what they chose.
        """
        once, several = 0, 0
        for m in range(self.starts[r], self.starts[r + 1]):
            word = load(shown, m) & live
            if r < s.turn:
                word = word & ~fresh | (fresh if m in s.made else 0)
            store(made, m, word)
            several |= once & word
            once |= word
        return several

    @cached_property
    def worth_from(self):
        """The places of each role's goals in `shown`, from the lowest goal to the highest."""
        roles = [goal.role for goal in self.net.goals]
        return tuple(self.moves + 1 + sum(each < r for each in roles) for r in range(self.players + 1))

    def key(self, s):
        return state_key((s.facts, s.made, s.past))

    def information(self, s, p):
        """The facts, one's own move of this step, and all that was done before."""
        return s.facts, s.made & self.own[p + 1], s.past

    # ---- what is learnt from: the facts, for each role to move

    @cached_property
    def inputs(self):
        return self.players * len(self.net.fluents)

    def features(self, s, on):
        for i in s.facts:
            on.add(s.turn * s.facts.width + i)

    # ---- for people

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each move is called: `mark_1_1`; as the sheet writes it, where that could be another one's name."""
        found: list[str] = []
        for moves in self.net.moves:
            short = [short_name(move) for move in moves]
            found += [
                name if short.count(name) == 1 else written(move) for name, move in zip(short, moves, strict=True)
            ]
        return tuple(found)

    def action_name(self, s, a):
        return self.names[a]

    @cached_property
    def grid(self) -> Grid | None:
        return find_grid(self.net)

    def board(self, s):
        return None if self.grid is None else self.grid.rows(s.facts)

    def labels(self):
        return ((), ()) if self.grid is None else self.grid.labels()

    def show(self, s):
        drawn = super().show(s) if self.grid is not None else ""
        rest = [written(term) for i, term in enumerate(self.net.fluents) if i in s.facts and not self.is_drawn(i)]
        return "\n".join(part for part in (drawn, " ".join(rest)) if part)

    def is_drawn(self, i: int) -> bool:
        return self.grid is not None and i in self.grid.cells

    def show_information(self, known, p):
        facts, made, _ = known
        return " ".join([written(self.net.fluents[i]) for i in facts] + [f"you: {self.names[a]}" for a in made])

    def to_text(self, s):
        """The facts as the sheet writes them; then, if some have chosen already, what they did."""
        facts = [written(self.net.fluents[i]) for i in s.facts]
        done = [written(("does", self.net.roles[r], self.move(a))) for r, a in self.chosen(s)]
        return " ".join([*facts, *done, *([f"(past {s.past})"] if s.past else [])]) or "()"

    def move(self, a: int) -> Term:
        return [move for moves in self.net.moves for move in moves][a]

    def chosen(self, s: Any) -> list[tuple[int, int]]:
        """The roles that had a choice in this step and have chosen, and what."""
        if self.is_terminal(s):
            return []
        had = [r for r in range(s.turn) if len(s.shown & self.legal_of[r]) != 1]
        return [(r, (s.made & self.own[r + 1]).lowest()) for r in had]

    def choosers(self, s: Any) -> list[int]:
        """The roles that have a choice in this step; whose turn it is, if none has."""
        return [r for r in range(self.players) if len(s.shown & self.legal_of[r]) != 1] or [s.turn]

    def after_all(self, s: Any, moves: Sequence[Term]) -> list[Any]:
        """The states after `s`, where a step begins, until all roles have made these moves."""
        if len(moves) != self.players:
            raise UnreadableText(f"{self.players} roles make as many moves, not {len(moves)}")
        states = []
        for r in self.choosers(s):
            states.append(s := self.result(s, self.find_move(s, moves[r])))
        return states

    def find_move(self, s: Any, move: Term) -> int:
        """The legal action that is this move of the role whose turn it is."""
        for a in self.actions(s):
            if self.move(a) == move:
                return a
        raise IllegalAction(f"{written(move)[:60]} is not legal for {self.net.roles[s.turn]}")

    def from_text(self, text):
        terms = [] if text.strip() == "()" else [sentence.term for sentence in parse(text)]
        number = {term: i for i, term in enumerate(self.net.fluents)}
        facts, done, past = [], {}, 0
        for term in terms:
            match term:
                case ("does", role, move) if role in self.net.roles:
                    done[self.net.roles.index(role)] = move
                case ("past", str(digits)) if digits.lstrip("-").isdecimal() and len(digits) < 21:
                    past = int(digits)
                case _ if term in number:
                    facts.append(number[term])
                case _ if term not in self.net.always:
                    raise UnreadableText(f"{written(term)[:60]} is no fact of {self.file}")
        s = self.begin(Bits(len(self.net.fluents), facts), past)
        while s.turn in done and not self.is_terminal(s):
            s = self.result(s, self.find_move(s, done.pop(s.turn)))
        return s


# ---- compiled with the rules


def draw(first, last, several, made, rows, w):
    """Where a game has several moves, leave one of them, each as likely as the other."""
    chunks = 0
    for m in range(first, last, 64):
        for i in range(64):
            store(rows, 64 * chunks + i, load(made, m + i) if m + i < last else 0)
        transpose(rows + 512 * chunks)
        chunks += 1
    for m in range(first, last):
        store(made, m, load(made, m) & ~several)
    for game in range(64):
        if several >> game & 1:
            total = 0
            for c in range(chunks):
                total += ones(load(rows, 64 * c + game))
            k, c = random_word(w) * total >> 32, 0
            row = load(rows, game)
            while k >= ones(row):
                k -= ones(row)
                c += 1
                row = load(rows, 64 * c + game)
            for _ in range(k):
                row &= row - 1
            m = first + 64 * c + lowest_one(row)
            store(made, m, load(made, m) | 1 << game)


def transpose(rows):
    """Turn 64 rows of 64 bits into columns, in place (Warren, Hacker's Delight, 7-3)."""
    for by, mask in _SWAPS:
        for block in range(0, 64, 2 * by):
            for i in range(block, block + by):
                one, other = load(rows, i), load(rows, i + by)
                change = (one >> by ^ other) & mask
                store(rows, i, one ^ change << by)
                store(rows, i + by, other ^ change)
