"""Rule sheets a second time: as logic programs for clingo, state by state; and sheets made at random.

Nothing here uses our reader, grounder or gates: the sheet's text goes to the solver, translated line by line.
"""

import random
import re
from itertools import pairwise, product


class Oracle:
    """What follows from a state and moves, by clingo."""

    def __init__(self, sheet):
        self.program = "\n".join(_clauses(sheet))

    def ask(self, facts, moves=()):
        """The atoms of `legal`, `next`, `goal` and `terminal`, each as a set of tuples of texts."""
        import clingo

        given = [f"ptrue({_term(fact, {})})." for fact in facts]
        given += [f"pdoes({_term(role, {})},{_term(move, {})})." for role, move in moves]
        control = clingo.Control(["--warn=none"])
        control.add("base", [], self.program + "\n" + "\n".join(given))
        control.ground([("base", [])])
        found = {name: set() for name in ("legal", "next", "goal", "terminal", "init")}
        with control.solve(yield_=True) as models:
            for model in models:  # a stratified program has exactly one
                for symbol in model.symbols(atoms=True):
                    if symbol.name[1:] in found:
                        found[symbol.name[1:]].add(tuple(map(_written, symbol.arguments)))
        return found


def _read(text):
    text = re.sub(r";[^\n]*", " ", text).lower()
    stack = [[]]
    for word in re.findall(r"[()]|[^\s()]+", text):
        if word == "(":
            stack.append([])
        elif word == ")":
            stack[-2].append(tuple(stack.pop()))
        else:
            stack[-1].append(word)
    return stack[0]


def _name(word):
    return re.sub(r"[^a-z0-9]", lambda found: f"_{ord(found[0]):x}_", word)


def _term(term, names):
    if isinstance(term, tuple):
        return f"t{_name(term[0])}({','.join(_term(each, names) for each in term[1:])})"
    if term.startswith("?"):
        return names.setdefault(term, f"V{len(names)}")
    return f"t{_name(term)}"


def _written(symbol):
    name = re.sub(r"_([0-9a-f]+)_", lambda found: chr(int(found[1], 16)), symbol.name[1:])
    return (name, *map(_written, symbol.arguments)) if symbol.arguments else name


def _atom(atom, names):
    if isinstance(atom, str):
        return f"p{_name(atom)}"
    return f"p{_name(atom[0])}({','.join(_term(each, names) for each in atom[1:])})"


def _clauses(sheet):
    for sentence in _read(sheet):
        head, body = (sentence[1], sentence[2:]) if sentence[0] == "<=" else (sentence, ())
        for choice in product(*(each[1:] if each[0] == "or" else (each,) for each in body)):
            names = {}
            conditions = []
            for each in choice:
                if each[0] == "not":
                    conditions.append(f"not {_atom(each[1], names)}")
                elif each[0] == "distinct":
                    conditions.append(f"{_term(each[1], names)} != {_term(each[2], names)}")
                else:
                    conditions.append(_atom(each, names))
            yield f"{_atom(head, names)} :- {', '.join(conditions)}." if conditions else f"{_atom(head, names)}."


def random_sheet(seed):
    """A sheet of two or three roles about facts that a few moves turn on and off, by rules made at random."""
    rng = random.Random(seed)
    roles = ["red", "green", "blue"][: rng.randint(2, 3)]
    items = [str(i) for i in range(1, rng.randint(3, 5))]
    out = [f"(role {r})" for r in roles] + [f"(item {i})" for i in items]
    out += [f"(after {a} {b})" for a, b in pairwise(items)]
    out += [f"(init (has {rng.choice(roles)} {i}))" for i in items if rng.random() < 0.7]
    out += ["(init (clock 0))", *(f"(tick {n} {n + 1})" for n in range(6))]
    out.append("(<= (next (clock ?n)) (true (clock ?m)) (tick ?m ?n))")

    def condition():
        kind = rng.randrange(7)
        return (
            "(true (has ?r ?i))",
            "(not (true (has ?r ?i)))",
            "(not (near ?i))",
            "(near ?i)",
            f"(distinct ?i {rng.choice(items)})",
            f"(or (true (has {rng.choice(roles)} ?i)) (true (mark (of ?i))))",
            f"(not (true (has {rng.choice(roles)} {rng.choice(items)})))",
        )[kind]

    def conditions():
        return " ".join(condition() for _ in range(rng.randint(1, 3)))

    out.append("(<= (near ?i) (true (has ?r ?i)))")
    out.append(
        "(<= (near ?i) (after ?i ?j) (near ?j))" if rng.random() < 0.5 else "(<= (near ?i) (true (mark (of ?i))))"
    )
    out.append("(<= (legal ?r wait) (role ?r))")
    for move in ("take", "drop", "(swap up)")[: rng.randint(1, 3)]:
        name = move if move.startswith("(") else f"({move} ?i)"
        out.append(f"(<= (legal ?r {name}) (role ?r) (item ?i) {conditions()})")
        out.append(f"(<= (moved ?r ?i) (item ?i) (does ?r {name}))")
    out.append(f"(<= (next (has ?r ?i)) (moved ?r ?i) {conditions()})")
    out.append(f"(<= (next (has ?r ?i)) (true (has ?r ?i)) (not (moved ?r ?i)) {conditions()})")
    out.append(f"(<= (next (mark (of ?i))) (does ?r ?any) (distinct ?any wait) (item ?i) {conditions()})")
    out.append("(<= (next ?fact) (true ?fact) (does red wait) (distinct ?fact (clock 5)) (not (timely ?fact)))")
    out.append("(<= (timely (clock ?n)) (true (clock ?n)))")
    out.append("(<= terminal (true (clock 6)))")
    out.append(f"(<= terminal (role ?r) (item ?i) (true (clock 4)) {conditions()})")
    out.append("(<= (many ?r) (true (has ?r ?i)) (true (has ?r ?j)) (distinct ?i ?j))")
    out.append("(<= (goal ?r 100) (role ?r) (many ?r))")
    out.append("(<= (goal ?r 20) (role ?r) (not (many ?r)))")
    return "\n".join(out)
