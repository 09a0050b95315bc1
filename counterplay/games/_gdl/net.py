"""From the instances of rules to a net of gates.

An atom is the or of its instances, each the and of its conditions. Three things make the net small:
- each role makes exactly one move. Instances that differ in a move only become one, of which the condition is one of
  these moves, or none of the others if that is shorter;
- what never changes is a constant: a fluent that only ever keeps its value, a move that is never legal;
- what terms have in common is taken out of them, and equal gates are one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from counterplay.core.errors import UserError
from counterplay.core.gates import AND, FALSE, OR, TRUE, Gates
from counterplay.games._gdl.ground import Ground
from counterplay.games._gdl.kif import Term, written
from counterplay.games._gdl.order import components
from counterplay.games._gdl.rules import Atom

__all__ = ["Goal", "Net", "build"]

MOST_GATES = 400_000
_MOST_FACTORED = 2_000  # terms of one sum; beyond that it would take too long
_MOST_COMPARED = 100  # terms of which each is compared with each
_MOST_ROUNDS = 8  # of finding constants

Body = tuple[int, ...]


class Goal(NamedTuple):
    """What a role gets where an output is on."""

    role: int
    value: int


class Net(NamedTuple):
    """A game as gates. Fluents and moves are numbered in the order of their names, the moves role by role."""

    roles: tuple[str, ...]
    fluents: tuple[Term, ...]
    moves: tuple[tuple[Term, ...], ...]
    """The moves of each role."""
    initial: tuple[int, ...]
    """The fluents that are true at the beginning."""
    always: tuple[Term, ...]
    """What is true at the beginning and for ever, so that it is no fluent."""
    goals: tuple[Goal, ...]
    before: Gates
    """From the fluents to: each move legal, the game over, each goal."""
    after: Gates
    """From the fluents and the moves made to the fluents of the next state."""
    size: int
    """The gates of both, those that they share counted once."""


def build(ground: Ground) -> Net:
    """The net of a grounded game."""
    constants: dict[int, int] = {}
    for _ in range(_MOST_ROUNDS):
        builder = _Builder(ground, constants)
        found = builder.constants()
        if not found:
            break
        constants |= found
    return builder.net()


def _natural(term: Term) -> list[tuple[int, int, str]]:
    """By which names are sorted as people do: 2 before 10."""
    parts = re.findall(r"\d+|[^\d]+", written(term))
    return [(0, int(each[:18]), each) if each.isdecimal() else (1, 0, each) for each in parts]


class _Builder:
    def __init__(self, ground: Ground, constants: dict[int, int]) -> None:
        self.ground = ground
        self.fixed = constants
        atoms = ground.atoms
        self.fluents = self._sorted([i for i in ground.fluents if i not in constants], 0)
        self.moves = [self._sorted([i for i in each if i not in constants], 1) for each in ground.moves]
        every_move = [i for each in self.moves for i in each]
        self.literals = {atom: i << 1 for i, atom in enumerate([*self.fluents, *every_move])} | constants
        self.role_of = {self.literals[i]: r for r, each in enumerate(self.moves) for i in each}
        self.of_role = [{self.literals[i] for i in each} for each in self.moves]
        self.inputs = len(self.fluents) + len(every_move)
        self.gates: list[tuple[int, tuple[int, ...]]] = []
        self.known: dict[tuple[int, tuple[int, ...]], int] = {}
        self.number = {atom: i for i, atom in enumerate(atoms)}
        needs = {
            head: sorted({x >> 1 for body in bodies for x in body} & ground.bodies.keys())
            for head, bodies in ground.bodies.items()
        }
        for group in components(needs):
            if len(group) == 1 and group[0] not in needs[group[0]]:
                self.literals[group[0]] = self._sum_of(ground.bodies[group[0]])
            else:
                self._unroll(group)

    def _sorted(self, numbers: Iterable[int], place: int) -> list[int]:
        return sorted(numbers, key=lambda i: _natural(self.ground.atoms[i].arguments[place]))

    def _unroll(self, group: Sequence[int]) -> None:
        """Atoms that depend on each other: begun with none, what follows is true after as many steps as they are."""
        self.literals.update(dict.fromkeys(group, FALSE))
        for _ in group:
            now = {atom: self._sum_of(self.ground.bodies[atom]) for atom in group}
            if all(self.literals[atom] == x for atom, x in now.items()):
                break
            self.literals.update(now)

    # ---- gates

    def _gate(self, kind: int, literals: Iterable[int]) -> int:
        """An and or an or, in its simplest form."""
        nothing, all_of_it = (TRUE, FALSE) if kind == AND else (FALSE, TRUE)
        chosen = {x for x in literals if x != nothing}
        if all_of_it in chosen or any(x ^ 1 in chosen for x in chosen):
            return all_of_it
        if len(chosen) <= 1:
            return chosen.pop() if chosen else nothing
        key = kind, tuple(sorted(chosen))
        if key not in self.known:
            if len(self.gates) >= MOST_GATES:
                raise UserError(f"the sheet is too large: it has more than {MOST_GATES:,} gates")
            self.known[key] = self.inputs + len(self.gates) << 1
            self.gates.append(key)
        return self.known[key]

    def _literal(self, condition: int) -> int:
        """A condition; what can never be true is false."""
        return self.literals.get(condition >> 1, FALSE) ^ condition & 1

    def _sum_of(self, bodies: Iterable[Body]) -> int:
        terms: set[frozenset[int]] = set()
        by_move: dict[tuple[frozenset[int], int], set[int]] = {}
        for body in bodies:
            term = frozenset(x for x in map(self._literal, body) if x != TRUE)
            if FALSE in term or any(x ^ 1 in term for x in term):
                continue
            made = [x for x in term if x in self.role_of]
            if len({self.role_of[x] for x in made}) < len(made):
                continue  # nobody makes two moves at once
            if len(made) == 1:
                by_move.setdefault((term - set(made), self.role_of[made[0]]), set()).add(made[0])
            else:
                terms.add(term)
        for (rest, role), moves in by_move.items():
            one_of = self._one_of(role, moves)
            terms.add(rest if one_of == TRUE else rest | {one_of})
        return self._factored(sorted(terms, key=sorted))

    def _one_of(self, role: int, moves: set[int]) -> int:
        others = self.of_role[role] - moves
        return self._gate(OR, moves) if len(moves) <= len(others) else self._gate(OR, others) ^ 1

    def _factored(self, terms: list[frozenset[int]]) -> int:
        """The or of ands. What most of them have in common is taken out, and so on with the rest."""
        if len(terms) <= _MOST_COMPARED:
            terms = [term for term in terms if not any(other < term for other in terms)]
        if not terms:
            return FALSE
        common = frozenset.intersection(*terms)
        if common:
            return self._gate(AND, [*common, self._factored([term - common for term in terms])])
        parts = []
        while terms:
            counts = Counter(x for term in terms for x in term) if len(terms) <= _MOST_FACTORED else Counter()
            best = max(counts, key=lambda x: (counts[x], -x), default=TRUE)
            if counts[best] < 2:
                parts += [self._gate(AND, term) for term in terms]
                break
            parts.append(self._factored([term for term in terms if best in term]))
            terms = [term for term in terms if best not in term]
        return self._gate(OR, parts)

    # ---- what comes of it

    def _of(self, relation: str, atom: int) -> int:
        """The literal of an atom like this one, but of another relation: what is legal of what is done."""
        other = self.number.get(Atom(relation, self.ground.atoms[atom].arguments), -1)
        return self.literals.get(other, FALSE)

    def constants(self) -> dict[int, int]:
        """Fluents and moves that turn out to be always the same."""
        found = {}
        for atom in self.fluents:
            then, is_so = self._of("next", atom), atom in self.ground.initial
            if then in (self.literals[atom], TRUE if is_so else FALSE):
                found[atom] = TRUE if is_so else FALSE
        for moves in self.moves:
            found.update({atom: FALSE for atom in moves if self._of("legal", atom) == FALSE})
        return found

    def net(self) -> Net:
        ground, atoms = self.ground, self.ground.atoms
        for role, moves in zip(ground.roles, self.moves, strict=True):
            if not moves:
                raise UserError(f"the role {role} never has a legal move, so the game cannot be played")
        goals, outputs = [], []
        for r, role in enumerate(ground.roles):
            for i, atom in enumerate(atoms):
                if atom.relation == "goal" and atom.arguments[0] == role and self.literals.get(i, FALSE) != FALSE:
                    goals.append(Goal(r, _number_of(atom)))
                    outputs.append(self.literals[i])
        order = sorted(range(len(goals)), key=lambda k: goals[k])
        legal = [self._of("legal", atom) for moves in self.moves for atom in moves]
        over = self.literals.get(self.number.get(Atom("terminal", ()), -1), FALSE)
        shown = [*legal, over, *(outputs[k] for k in order)]
        then = [self._of("next", atom) for atom in self.fluents]
        widths = len(self.fluents), self.inputs - len(self.fluents)
        is_always = [i for i, x in self.fixed.items() if x == TRUE and atoms[i].relation == "true"]
        return Net(
            ground.roles,
            tuple(atoms[i].arguments[0] for i in self.fluents),
            tuple(tuple(atoms[i].arguments[1] for i in moves) for moves in self.moves),
            tuple(i for i, atom in enumerate(self.fluents) if atom in ground.initial),
            tuple(atoms[i].arguments[0] for i in self._sorted(is_always, 0)),
            tuple(goals[k] for k in order),
            self._without_moves(shown),
            Gates(widths, self.gates, then),
            len(Gates(widths, self.gates, [*shown, *then]).gates),
        )

    def _without_moves(self, outputs: Sequence[int]) -> Gates:
        """The gates for outputs that depend on fluents only."""
        whole = Gates((len(self.fluents), self.inputs - len(self.fluents)), self.gates, outputs)
        first, skipped = 2 * self.inputs, 2 * (self.inputs - len(self.fluents))

        def moved(x: int) -> int:
            return x - skipped if x >= first else x

        gates = [(kind, tuple(map(moved, literals))) for kind, literals in whole.gates]
        return Gates((len(self.fluents),), gates, [moved(x) for x in whole.outputs])


def _number_of(goal: Atom) -> int:
    value = goal.arguments[1]
    if not (isinstance(value, str) and value.isdecimal() and len(value) <= 6):
        raise UserError(f"a goal is a whole number of 0 or more, not {written(value)[:40]}")
    return int(value)
