"""`Gates`: a net of and- and or-gates, a constant of a game as a `Table` is.

    >>> both = Gates((2,), [(AND, (0, 2)), (AND, (0, 3))], [4, 7])   # a and b; not (a and not b)
    >>> both.run(Bits(2, [0]))
    Bits(2)
    >>> both.run(Bits(2, [0, 1]))
    Bits(2, [0, 1])

Interpreted it is a loop over the gates; compiled, one straight run of machine code (`native/gates.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property

from counterplay.core.bits import Bits
from counterplay.core.primitives import load, store

__all__ = ["AND", "FALSE", "OR", "TRUE", "Gates"]

AND, OR = 0, 1
FALSE, TRUE = -2, -1
"""The literals that are always so; as with others, the lowest bit of a literal negates it."""


class Gates:
    """Inputs, gates in an order in which each needs only what is before it, and outputs.

    A node is an input, counted from 0 through all `widths`, or a gate, counted on from there. A literal is twice its
    node, plus one if it is negated. A gate is `AND` or `OR` with its literals, two or more. What no output needs is
    left out.
    """

    __slots__ = ("__dict__", "digest", "gates", "outputs", "widths")

    def __init__(
        self, widths: Sequence[int], gates: Sequence[tuple[int, tuple[int, ...]]], outputs: Sequence[int]
    ) -> None:
        self.widths = tuple(widths)
        inputs = sum(widths)
        needed = {x >> 1 for x in outputs if x >= 0}
        for i in range(len(gates) - 1, -1, -1):
            if inputs + i in needed:
                needed.update(x >> 1 for x in gates[i][1] if x >= 0)
        kept = [i for i in range(len(gates)) if inputs + i in needed]
        node = {inputs + i: inputs + k for k, i in enumerate(kept)}

        def renumbered(x: int) -> int:
            return x if x < 2 * inputs else node[x >> 1] << 1 | x & 1

        self.gates = tuple((gates[i][0], tuple(map(renumbered, gates[i][1]))) for i in kept)
        self.outputs = tuple(map(renumbered, outputs))
        content = repr((self.widths, self.gates, self.outputs))
        self.digest = hashlib.blake2b(content.encode(), digest_size=16).hexdigest()

    @cached_property
    def inputs(self) -> int:
        return sum(self.widths)

    def run(self, *sets: Bits) -> Bits:
        """The outputs that are on when these inputs are: one `Bits` for each of the `widths`."""
        if tuple(each.width for each in sets) != self.widths:
            raise TypeError(f"these gates take Bits of the widths {self.widths}")
        out = self.evaluate([int(each) >> i & 1 for each in sets for i in range(each.width)])
        return Bits(len(out), [i for i, word in enumerate(out) if word & 1])

    def run_wide(self, source: int, target: int) -> None:
        """The same 64 times at once: an input is a word at the address `source`, an output one at `target`."""
        for i, word in enumerate(self.evaluate([load(source, i) for i in range(self.inputs)])):
            store(target, i, word)

    def evaluate(self, words: Sequence[int]) -> list[int]:
        """The outputs for inputs that are integers, of which each binary digit is a case of its own."""
        known = [0] * (2 * (self.inputs + len(self.gates)) + 2)
        known[TRUE] = -1
        for i, word in enumerate(words):
            known[2 * i], known[2 * i + 1] = word, ~word
        at = 2 * self.inputs
        for kind, literals in self.gates:
            word = known[literals[0]]
            if kind == AND:
                for x in literals[1:]:
                    word &= known[x]
            else:
                for x in literals[1:]:
                    word |= known[x]
            known[at], known[at + 1] = word, ~word
            at += 2
        return [known[x] for x in self.outputs]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Gates) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<{len(self.gates)} gates from {self.widths} to {len(self.outputs)}, {self.digest[:8]}>"
