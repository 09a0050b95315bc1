"""Grounding: all that could ever be true in a game, and all instances of its rules that could ever matter.

By semi-naive Datalog. What depends on neither state nor moves is computed outright, group by group. For the rest every
instance of a rule is found whose conditions could all come true some time: a fact is put to use once, when it is taken
from the queue, together with those that were before it, so that each instance is found when the last of its conditions
is. What is negated is left open, and is part of the instance.

A rule becomes a chain of small functions, each of which binds some variables and calls the next.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from counterplay.core.errors import UserError
from counterplay.games._gdl.kif import Term, is_variable, variables, written
from counterplay.games._gdl.order import components
from counterplay.games._gdl.rules import Atom, Literal, Rule

__all__ = ["Ground", "GroundLimits", "ground"]

_FLUENTS = ("true", "next", "init")
_MOVES = ("does", "legal")
_DYNAMIC = ("true", "does", "next", "legal", "goal", "terminal")
_MOST_DEEP = 40  # terms within terms; Python hashes them by recursion
_STEPS_BETWEEN_LOOKS = 1_000  # at the clock

Values = list[Any]  # of a rule's variables, and the numbers of the atoms that it has met
Step = Callable[[Values], None]
Maker = Callable[[Values], Any]
Start = Callable[[tuple[Any, ...]], None]


@dataclass(frozen=True)
class GroundLimits:
    """What grounding may take; what takes more is refused."""

    seconds: float = 60.0
    """Of CPU time."""
    literals: int = 10_000_000
    """In all instances of rules: about 100 bytes of memory each at worst."""
    atoms: int = 500_000


class Ground(NamedTuple):
    """A game without variables. An atom is a number; a condition is twice that, and one more if it is negated."""

    roles: tuple[str, ...]
    atoms: list[Atom]
    bodies: dict[int, set[tuple[int, ...]]]
    """By an atom: the instances of rules that it follows from."""
    initial: frozenset[int]
    fluents: list[int]
    moves: list[list[int]]
    """The moves of each role."""


def ground(rules: Sequence[Rule], limits: GroundLimits | None = None) -> Ground:
    """The game of these rules, or a `UserError` if it is too large."""
    return _Grounder(rules, limits or GroundLimits()).run()


class _Relation:
    """The facts of one relation that have been put to use; each row is a fact and its number."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[Term, ...], int] = {}
        self.rows: list[tuple[Any, ...]] = []
        self.tables: dict[tuple[int, ...], dict[Any, list[tuple[Any, ...]]]] = {}

    def by(self, places: tuple[int, ...]) -> dict[Any, list[tuple[Any, ...]]]:
        """The rows by what they have at these places."""
        if places not in self.tables:
            self.tables[places] = {}
            for row in self.rows:
                self.tables[places].setdefault(itemgetter(*places)(row), []).append(row)
        return self.tables[places]

    def insert(self, arguments: tuple[Term, ...], number: int) -> tuple[Any, ...]:
        row = (*arguments, number)
        self.numbers[arguments] = number
        self.rows.append(row)
        for places, table in self.tables.items():
            table.setdefault(itemgetter(*places)(row), []).append(row)
        return row


def _flat(atom: Atom) -> tuple[str, tuple[Term, ...]]:
    """The name and arguments by which facts are kept: `(true (cell 1 2 b))` is `true cell/3` of 1, 2, b."""
    if atom.relation in _FLUENTS:
        (term,), before = atom.arguments, ()
    elif atom.relation in _MOVES:
        term, before = atom.arguments[1], atom.arguments[:1]
    else:
        return atom
    if is_variable(term):
        return atom
    functor, inner = (term, ()) if isinstance(term, str) else (term[0], term[1:])
    return f"{atom.relation} {functor}/{len(inner)}", (*before, *inner)


def _depth(term: Term) -> int:
    return 1 + max(map(_depth, term)) if isinstance(term, tuple) else 0


class _Grounder:
    def __init__(self, rules: Sequence[Rule], limits: GroundLimits) -> None:
        self.rules, self.limits = rules, limits
        self.began = time.process_time()
        self.left = [_STEPS_BETWEEN_LOOKS]
        self.relations: defaultdict[str, _Relation] = defaultdict(_Relation)
        self.atoms: list[Atom] = []
        self.numbers: dict[tuple[str, tuple[Term, ...]], int] = {}
        self.possible: set[int] = set()  # the atoms that can come true; others are only ever negated
        self.queue: list[int] = []
        self.bodies: defaultdict[int, set[tuple[int, ...]]] = defaultdict(set)
        self.literals = 0
        self.dynamic = self._dynamic()

    def _dynamic(self) -> set[str]:
        """The relations that depend on the state or the moves."""
        dynamic, before = set(_DYNAMIC), 0
        while len(dynamic) != before:
            before = len(dynamic)
            dynamic |= {rule.head.relation for rule in self.rules if rule.needs() & dynamic}
        return dynamic

    def run(self) -> Ground:
        static = [rule for rule in self.rules if rule.head.relation not in self.dynamic]
        needs: defaultdict[str, set[str]] = defaultdict(set)
        for rule in static:
            needs[rule.head.relation] |= rule.needs()
        for group in components({relation: sorted(each) for relation, each in needs.items()}):  # never by a hash
            self._derive([rule for rule in static if rule.head.relation in group], set(group))
        initial = [self._found(Atom("true", atom.arguments)) for atom in self.atoms if atom.relation == "init"]
        self._derive([rule for rule in self.rules if rule.head.relation in self.dynamic], self.dynamic)

        roles = tuple(dict.fromkeys(str(rule.head.arguments[0]) for rule in static if rule.head.relation == "role"))
        possible = {word: [i for i in sorted(self.possible) if self.atoms[i].relation == word] for word in _DYNAMIC}
        moves = [[i for i in possible["does"] if self.atoms[i].arguments[0] == role] for role in roles]
        return Ground(roles, self.atoms, dict(self.bodies), frozenset(initial), possible["true"], moves)

    # ---- facts

    def number(self, atom: Atom) -> int:
        flat = _flat(atom)
        number = self.numbers.get(flat)
        if number is None:
            number = self.numbers[flat] = len(self.atoms)
            self.atoms.append(atom)
            if number >= self.limits.atoms:
                raise UserError(f"the sheet is too large: it has more than {self.limits.atoms:,} facts")
            if any(_depth(each) > _MOST_DEEP for each in atom.arguments):
                raise UserError(f"the sheet is too large: its terms grow, as {written(atom.arguments[0])[:60]} ...")
        return number

    def _found(self, atom: Atom) -> int:
        """Note that an atom can come true, and what comes with it: what is next will be true."""
        number = self.number(atom)
        if number not in self.possible:
            self.possible.add(number)
            self.queue.append(number)
            if atom.relation in ("next", "legal"):
                self._found(Atom("true" if atom.relation == "next" else "does", atom.arguments))
        return number

    def _derive(self, rules: Iterable[Rule], changing: set[str]) -> None:
        """All that follows by these rules from what is known, where `changing` relations are not complete yet."""
        triggers: defaultdict[str, list[Start]] = defaultdict(list)
        for rule in rules:
            places = [i for i, each in enumerate(rule.body) if each.kind == "is" and each.atom.relation in changing]
            for i in places:
                name, _ = _flat(rule.body[i].atom)
                triggers[name].append(_Chain(self, rule).start(i))
            if not places:
                _Chain(self, rule).start(None)(())
        while self.queue:
            number = self.queue.pop()
            atom = self.atoms[number]
            name, arguments = _flat(atom)
            for each, row in {name: arguments, atom.relation: atom.arguments}.items():
                if each == name or each in self.relations:  # `(true ?x)` asks for all fluents, of whatever name
                    inserted = self.relations[each].insert(row, number)
                    for start in triggers[each]:
                        start(inserted)

    def take(self, relation: str, arguments: tuple[Term, ...], body: tuple[int, ...]) -> None:
        """Note an instance of a rule. It is put to use later: nobody adds to rows that are being gone through."""
        head = self._found(Atom(relation, arguments))
        if relation in self.dynamic and body not in self.bodies[head]:
            self.bodies[head].add(body)
            self.literals += 1 + len(body)
            if self.literals > self.limits.literals:
                raise UserError(f"the sheet is too large: its rules have more than {self.limits.literals:,} conditions")

    def look_at_clock(self) -> None:
        self.left[0] = _STEPS_BETWEEN_LOOKS
        if time.process_time() - self.began > self.limits.seconds:
            raise UserError(f"the sheet is too large: its rules were not written out within {self.limits.seconds:g} s")


class _Chain:
    """A rule as a chain of functions, in an order in which much is bound early."""

    def __init__(self, grounder: _Grounder, rule: Rule) -> None:
        self.grounder, self.rule = grounder, rule
        self.places: dict[str, int] = {}  # where the value of each variable is kept
        self.width = 0
        self.met: list[int] = []  # where the numbers of atoms are kept
        self.refused: list[tuple[str, Maker]] = []
        self.links: list[Callable[[Step], Step]] = []

    def start(self, trigger: int | None) -> Start:
        """What goes through all instances in which the condition number `trigger` is a given fact."""
        self.grounder.look_at_clock()
        rest = list(self.rule.body)
        if trigger is not None:
            self._scan(rest.pop(trigger).atom, given=True)
        while rest:
            best = min(rest, key=self._cost)
            rest.remove(best)
            self._add(best)
        step = self._end()
        for link in reversed(self.links):
            step = link(step)
        room = [None] * self.width
        return lambda row: step([row, *room])

    # ---- in which order

    def _is_bound(self, term: Term) -> bool:
        return variables(term) <= self.places.keys()

    def _cost(self, literal: Literal) -> tuple[Any, ...]:
        """What is sure first, then what leaves least open."""
        arguments = literal.atom.arguments
        is_open = [not self._is_bound(each) for each in arguments]
        if literal.kind != "is":
            ready = not any(is_open) or (literal.kind == "same" and not all(is_open))
            return (0 if ready else 9,)
        name, flat = _flat(literal.atom)
        unbound = sum(not self._is_bound(each) for each in flat)
        is_dynamic = literal.atom.relation in self.grounder.dynamic
        size = 0 if is_dynamic else len(self.grounder.relations[name].rows)
        return (1, 0, 0, 0) if not unbound else (2, unbound - len(flat) / 100, is_dynamic, size)

    # ---- terms

    def _place(self, variable: str) -> int:
        self.width += 1
        self.places[variable] = self.width  # 0 is the given row
        return self.width

    def _maker(self, term: Term) -> Maker:
        if is_variable(term):
            return itemgetter(self.places[term])
        if isinstance(term, str) or not variables(term):
            return lambda v: term
        makers = [self._maker(each) for each in term]
        return lambda v: tuple([make(v) for make in makers])

    def _row_maker(self, terms: Sequence[Term]) -> Maker:
        if len(terms) > 1 and all(map(is_variable, terms)):
            return itemgetter(*(self.places[each] for each in terms))
        makers = [self._maker(each) for each in terms]
        return lambda v: tuple([make(v) for make in makers])

    def _matcher(self, pattern: Term) -> Callable[[Term, Values], bool]:
        """What binds the variables of a pattern to the parts of a term, if the term is like that."""
        if is_variable(pattern):
            if pattern in self.places:
                place = self.places[pattern]
                return lambda term, v: v[place] == term
            place = self._place(pattern)

            def bind(term: Term, v: Values) -> bool:
                v[place] = term
                return True

            return bind
        if isinstance(pattern, str):
            return lambda term, v: term == pattern
        parts = [self._matcher(each) for each in pattern[1:]]
        functor, size = pattern[0], len(pattern)

        def match(term: Term, v: Values) -> bool:
            if type(term) is not tuple or len(term) != size or term[0] != functor:
                return False
            return all(part(each, v) for part, each in zip(parts, term[1:], strict=True))

        return match

    # ---- conditions

    def _add(self, literal: Literal) -> None:
        atom = literal.atom
        if literal.kind in ("distinct", "same"):
            self._compare(literal.kind, *atom.arguments)
        elif literal.kind == "not":
            self._refuse(atom)
        elif all(map(self._is_bound, atom.arguments)):
            self._look_up(atom)
        else:
            self._scan(atom)

    def _compare(self, kind: str, one: Term, other: Term) -> None:
        if not self._is_bound(one):
            one, other = other, one
        make, is_same = self._maker(one), kind == "same"
        if not self._is_bound(other):
            match = self._matcher(other)
            self._filter(lambda v: match(make(v), v))
        else:
            make_other = self._maker(other)
            self._filter(lambda v: (make(v) == make_other(v)) is is_same)

    def _filter(self, holds: Callable[[Values], bool]) -> None:
        def link(then: Step) -> Step:
            def step(v: Values) -> None:
                if holds(v):
                    then(v)

            return step

        self.links.append(link)

    def _refuse(self, atom: Atom) -> None:
        if atom.relation in self.grounder.dynamic:
            self.refused.append((atom.relation, self._row_maker(atom.arguments)))
            return
        name, arguments = _flat(atom)
        known, make = self.grounder.relations[name].numbers, self._row_maker(arguments)
        self._filter(lambda v: make(v) not in known)

    def _look_up(self, atom: Atom) -> None:
        """A condition of which all is bound."""
        name, arguments = _flat(atom)
        known, make = self.grounder.relations[name].numbers, self._row_maker(arguments)
        self.width += 1
        place = self.width
        if atom.relation in self.grounder.dynamic:
            self.met.append(place)

        def is_known(v: Values) -> bool:
            number = known.get(make(v))
            v[place] = number
            return number is not None

        self._filter(is_known)

    def _scan(self, atom: Atom, given: bool = False) -> None:
        """A condition that binds variables: by the given row, or by every row that fits."""
        grounder = self.grounder
        name, arguments = _flat(atom)
        relation = grounder.relations[name]
        bound = () if given else tuple(i for i, each in enumerate(arguments) if self._is_bound(each))
        key: Maker | None = None
        if bound:
            make = self._row_maker([arguments[i] for i in bound])
            key = (lambda v: make(v)[0]) if len(bound) == 1 else make
        table = relation.by(bound) if bound else {}
        plain: list[tuple[int, int]] = []  # from a place of the row to one of the values
        others: list[tuple[int, Callable[[Term, Values], bool]]] = []
        for i, each in enumerate(arguments):
            if i in bound:
                continue
            if is_variable(each) and each not in self.places:
                plain.append((i, self._place(each)))
            else:
                others.append((i, self._matcher(each)))
        if atom.relation in grounder.dynamic:
            self.width += 1
            plain.append((len(arguments), self.width))
            self.met.append(self.width)
        left, rows = grounder.left, relation.rows

        def link(then: Step) -> Step:
            def step(v: Values) -> None:
                left[0] -= 1
                if left[0] < 0:
                    grounder.look_at_clock()
                for row in (v[0],) if given else rows if key is None else table.get(key(v), ()):
                    for i, place in plain:
                        v[place] = row[i]
                    if not others or all(match(row[i], v) for i, match in others):
                        then(v)

            return step

        self.links.append(link)

    def _end(self) -> Step:
        relation, make_head = self.rule.head.relation, self._row_maker(self.rule.head.arguments)
        met, refused, number, take = self.met, self.refused, self.grounder.number, self.grounder.take

        def step(v: Values) -> None:
            body = {v[place] << 1 for place in met}
            body.update(number(Atom(name, make(v))) << 1 | 1 for name, make in refused)
            take(relation, make_head(v), tuple(sorted(body)))

        return step
