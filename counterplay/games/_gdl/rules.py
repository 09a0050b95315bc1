"""The rules of a sheet, and what the language demands of them.

GDL is Datalog with a few words of its own (Love, Hinrichs, Haley, Schkufza & Genesereth, General Game Playing: Game
Description Language Specification, 2008). What its section on syntactic restrictions says is checked here, so that
what follows may rely on it: every relation has one number of arguments, rules are safe and stratified, recursion is
restricted. Each complaint is one line that names the line of the sheet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from counterplay.core.errors import UnreadableText
from counterplay.games._gdl.kif import Sentence, Term, is_variable, variables, written
from counterplay.games._gdl.order import components

__all__ = ["Atom", "Literal", "Rule", "checked_rules"]

MOST_RULES = 100_000
"""With every `or` written out."""
MOST_CONDITIONS = 200
MOST_ROLES = 16

_ARGUMENTS = {
    **dict.fromkeys(("role", "init", "true", "next", "base"), 1),
    **dict.fromkeys(("legal", "does", "goal", "input", "distinct"), 2),
    "terminal": 0,
}
_CONNECTIVES = ("<=", "not", "or", "and")
_WANTED = ("role", "legal", "goal", "terminal")


class Atom(NamedTuple):
    """A relation and what it holds of."""

    relation: str
    arguments: tuple[Term, ...]

    def __str__(self) -> str:
        return written((self.relation, *self.arguments)) if self.arguments else self.relation


class Literal(NamedTuple):
    """A condition: that an atom `is`, or is `not`; or that its two arguments are `distinct`, or the `same`."""

    kind: str
    atom: Atom


class Rule(NamedTuple):
    """The head holds where all of the body does."""

    head: Atom
    body: tuple[Literal, ...]
    line: int

    def atoms(self, kind: str = "is") -> Iterator[Atom]:
        """What the body says of relations."""
        return (literal.atom for literal in self.body if literal.kind == kind)

    def needs(self) -> set[str]:
        """The relations in the body."""
        return {atom.relation for kind in ("is", "not") for atom in self.atoms(kind)}


def checked_rules(sentences: Sequence[Sentence]) -> list[Rule]:
    """The rules that matter, without `or`, all that the language demands having been checked."""
    rules = [rule for sentence in sentences for rule in _rules_of(sentence)]
    if len(rules) > MOST_RULES:
        raise UnreadableText(f"with every `or` written out the sheet has more than {MOST_RULES:,} rules")
    _must_have_arities(rules)
    _must_keep_words(rules)
    for rule in rules:
        _must_be_safe(rule)
    rules = _that_matter(rules)
    _must_not_look_ahead(rules)
    groups = components(_needs(rules))
    group_of = {relation: i for i, group in enumerate(groups) for relation in group}
    for rule in rules:
        _must_be_stratified(rule, group_of)
        _must_restrict_recursion(rule, group_of)
    return rules


# ---- from sentences to rules


def _rules_of(sentence: Sentence) -> Iterator[Rule]:
    term, line = sentence
    if not (isinstance(term, tuple) and term[0] == "<="):
        yield Rule(_atom(term, line), (), line)
        return
    if len(term) < 2:
        raise UnreadableText(f"line {line}: a rule has a head: (<= head condition ...)")
    for body in _alternatives(term[2:], line):
        if len(body) > MOST_CONDITIONS:
            raise UnreadableText(f"line {line}: a rule has at most {MOST_CONDITIONS} conditions, not {len(body):,}")
        yield Rule(_atom(term[1], line), tuple(body), line)


def _atom(term: Term, line: int) -> Atom:
    relation, arguments = (term, ()) if isinstance(term, str) else (term[0], term[1:])
    if relation in _CONNECTIVES or is_variable(relation):
        raise UnreadableText(f"line {line}: {written(term)[:80]} stands where a relation should")
    return Atom(relation, arguments)


def _alternatives(conditions: Sequence[Term], line: int) -> list[list[Literal]]:
    """The conditions as bodies without `or` and `and`, of which one must hold."""
    bodies: list[list[Literal]] = [[]]
    for condition in conditions:
        options = _options(condition, line)
        if len(bodies) * len(options) > MOST_RULES:
            raise UnreadableText(f"line {line}: with every `or` written out this is more than {MOST_RULES:,} rules")
        bodies = [body + option for body in bodies for option in options]
    return bodies


def _options(condition: Term, line: int) -> list[list[Literal]]:
    word = condition if isinstance(condition, str) else condition[0]
    if word == "or":
        return [option for part in condition[1:] for option in _alternatives([part], line)]
    if word == "and":
        return _alternatives(condition[1:], line)
    if word == "not":
        if len(condition) != 2:
            raise UnreadableText(f"line {line}: `not` has one condition: {written(condition)[:80]}")
        return _refused(condition[1], line)
    return [[Literal("distinct" if word == "distinct" else "is", _atom(condition, line))]]


def _refused(condition: Term, line: int) -> list[list[Literal]]:
    """The ways in which a condition does not hold."""
    word = condition if isinstance(condition, str) else condition[0]
    if word == "not" and len(condition) == 2:
        return _alternatives([condition[1]], line)
    if word == "or":
        return _alternatives([("not", part) for part in condition[1:]], line)
    if word == "and":
        return [option for part in condition[1:] for option in _refused(part, line)]
    return [[Literal("same" if word == "distinct" else "not", _atom(condition, line))]]


# ---- what the language demands


def _must_have_arities(rules: Sequence[Rule]) -> None:
    known = {relation: (n, 0) for relation, n in _ARGUMENTS.items()}
    for rule in rules:
        for atom in (rule.head, *(literal.atom for literal in rule.body)):
            n, line = known.setdefault(atom.relation, (len(atom.arguments), rule.line))
            if n != len(atom.arguments):
                where = f"in line {line} it has {n}" if line else f"it has {n}"
                raise UnreadableText(
                    f"line {rule.line}: {atom.relation} has {len(atom.arguments)} arguments here; {where}"
                )


def _must_keep_words(rules: Sequence[Rule]) -> None:
    """The words of the language are used as it says."""
    heads = {rule.head.relation for rule in rules}
    if "sees" in heads:
        raise UnreadableText("the sheet says by `sees` what is hidden (GDL-II), which cannot be played here")
    for relation in _WANTED:
        if relation not in heads:
            raise UnreadableText(f"no sentence of the sheet says `{relation}`, so it is no game")
    for rule in rules:
        if rule.head.relation in ("true", "does", "distinct"):
            raise UnreadableText(f"line {rule.line}: `{rule.head.relation}` is given, no rule can say it")
        if rule.head.relation == "role" and (rule.body or variables(rule.head.arguments)):
            raise UnreadableText(f"line {rule.line}: the roles are said plainly, as (role white)")
        for relation in ("init", "next"):
            if relation in rule.needs():
                raise UnreadableText(f"line {rule.line}: `{relation}` is no condition; what holds now is `true`")
    if len({rule.head for rule in rules if rule.head.relation == "role"}) > MOST_ROLES:
        raise UnreadableText(f"the sheet has more than {MOST_ROLES} roles")


def _must_be_safe(rule: Rule) -> None:
    bound = set().union(*(variables(atom.arguments) for atom in rule.atoms()))
    again = True
    while again:  # what is the same as something known is known
        again = False
        for atom in rule.atoms("same"):
            sides = [variables(each) for each in atom.arguments]
            for one, other in (sides, sides[::-1]):
                if one <= bound and not other <= bound:
                    bound |= other
                    again = True
    used = variables(rule.head.arguments).union(
        *(variables(literal.atom.arguments) for literal in rule.body if literal.kind != "is")
    )
    if loose := sorted(used - bound):
        raise UnreadableText(
            f"line {rule.line}: {loose[0]} stands in no condition that is not negated, so it could be anything"
        )


def _needs(rules: Sequence[Rule]) -> dict[str, set[str]]:
    needs: dict[str, set[str]] = {}
    for rule in rules:
        needs.setdefault(rule.head.relation, set()).update(rule.needs())
    return needs


def _reached(needs: dict[str, set[str]], *start: str) -> set[str]:
    reached, rest = set(start), list(start)
    while rest:
        for relation in needs.get(rest.pop(), ()):
            if relation not in reached:
                reached.add(relation)
                rest.append(relation)
    return reached


def _that_matter(rules: Sequence[Rule]) -> list[Rule]:
    """The rules without those that nothing in the game depends on, such as `base` and `input`."""
    matter = _reached(_needs(rules), "role", "init", "next", "legal", "goal", "terminal")
    return [rule for rule in rules if rule.head.relation in matter]


def _must_not_look_ahead(rules: Sequence[Rule]) -> None:
    needs = _needs(rules)
    for relation, given in (("init", ("true", "does")), *((each, ("does",)) for each in ("legal", "goal", "terminal"))):
        for each in given:
            if each in _reached(needs, relation):
                raise UnreadableText(f"`{relation}` depends on `{each}`, which comes after it")


def _must_be_stratified(rule: Rule, group_of: dict[str, int]) -> None:
    for atom in rule.atoms("not"):
        if group_of.get(atom.relation, -1) == group_of[rule.head.relation]:
            raise UnreadableText(
                f"line {rule.line}: {rule.head.relation} depends on `not {atom.relation}`, which depends on it in turn"
            )


def _must_restrict_recursion(rule: Rule, group_of: dict[str, int]) -> None:
    """A recursive condition speaks of what is fixed, of what the head has, or of what another condition bounds."""
    group = group_of[rule.head.relation]
    bounded = set().union(
        *(variables(atom.arguments) for atom in rule.atoms() if group_of.get(atom.relation, -1) != group)
    )
    for atom in rule.atoms():
        if group_of.get(atom.relation, -1) != group:
            continue
        for argument in atom.arguments:
            if not (variables(argument) <= bounded or argument in rule.head.arguments):
                raise UnreadableText(
                    f"line {rule.line}: the recursion through {atom} could go on for ever: nothing bounds "
                    f"{sorted(variables(argument))[0]}"
                )
