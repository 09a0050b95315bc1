"""Questions with checked answers: the same for a seed on every computer, at the terminal and on paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import fill
from typing import Any

from counterplay.core.game import Game, UnreadableText, UserError
from counterplay.core.randomness import Dice
from counterplay.study.quiz import pictures
from counterplay.study.quiz.answers import Reading, read
from counterplay.study.quiz.kinds import KINDS, Draft, Part, leaf_names
from counterplay.study.quiz.random_trees import branches

__all__ = ["Question", "Verdict", "questions"]

VALUES = ((1, 9), (0, 20), (-10, 20), (-30, 30), (-50, 50))
"""Between which numbers the leaves lie, for each difficulty."""

MOST_QUESTIONS = 200

WIDTH = 80
"""Columns of a terminal."""


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and why the right one is."""

    right: bool
    explanation: str

    def __bool__(self) -> bool:
        return self.right


@dataclass(frozen=True)
class Question:
    """A question about a tree."""

    number: int
    kind: str
    difficulty: int
    seed: int
    game: Game
    ask: str
    """What is asked, without the tree."""
    accepted: tuple[str, ...]
    """All right answers."""
    branches: tuple[str, ...] = field(repr=False)
    """What is below each move at the root, as the game `tree` reads it."""
    about: str = ""
    """The node that is asked about, if it is one."""

    @property
    def answer(self) -> str:
        return self.accepted[0]

    @property
    def form(self) -> str:
        """How an answer is written."""
        return KINDS[self.kind].form

    @property
    def hint(self) -> str:
        return KINDS[self.kind].hint

    @property
    def text(self) -> str:
        """The tree with its leaves, and what is asked."""
        return f"{pictures.text(self.game)}\n\n{fill(self.ask, WIDTH)}"

    @cached_property
    def solution(self) -> list[Part]:
        return KINDS[self.kind].explain(self)

    @property
    def explanation(self) -> str:
        """The solved trees with the reasons."""
        return "\n\n".join(f"{fill(part.words, WIDTH)}\n\n{part.text}" for part in self.solution)

    def check(self, answer: str) -> Verdict:
        """Whether an answer is right; one that cannot be read is a `UserError`."""
        right = [self._read(each) for each in self.accepted]
        try:
            given = self._read(answer)
            if self.kind != "pruned" and tuple(map(len, given)) != tuple(map(len, right[0])):
                raise UnreadableText(f"'{answer.strip()}' does not answer just what is asked")
        except UnreadableText as error:
            raise UnreadableText(f"{error}; write {self.form}") from None
        return Verdict(any(given.is_like(each) for each in right), self.explanation)

    def _read(self, answer: str) -> Reading:
        game, root = self.game, self.game.initial()
        if self.kind == "pruned":
            return self._read_leaves(answer)
        given = read(answer, (game.action_name(root, a) for a in game.actions(root)))
        return given if self.kind in ("order", "expectimax", "expectiminimax") else given._replace(names=())

    def _read_leaves(self, answer: str) -> Reading:
        """The set of leaves: given by names, by values, or by a node that they all are below."""
        game = self.game
        below: dict[str, list[str]] = {}
        values: dict[float, str] = {}

        def walk(s: Any) -> None:
            for a in game.actions(s):
                t, name = game.result(s, a), game.action_name(s, a)
                below[name] = list(leaf_names(game, t)) or [name]
                if game.is_terminal(t):
                    values[game.utility(t, 0)] = name
                walk(t)

        walk(game.initial())
        given = read(answer, below)
        for v in given.numbers:
            if v not in values:
                raise UnreadableText(f"there is no leaf with the value {v:g}")
        named = {leaf for name in given.names for leaf in below[name]} | {values[v] for v in given.numbers}
        return Reading(tuple(sorted(named)))

    def _repr_svg_(self) -> str:
        return pictures.svg(self.game)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "number": self.number,
            "kind": self.kind,
            "difficulty": self.difficulty,
            "seed": self.seed,
            "game": str(self.game),
            "tree": pictures.text(self.game),
            "question": self.ask,
            "form": self.form,
            "hint": self.hint,
            "answer": self.answer,
            "accepted": list(self.accepted),
            "explanation": self.explanation,
        }


def questions(n: int = 10, seed: int = 0, kind: str | None = None, difficulty: int = 2) -> list[Question]:
    """`n` questions of a kind, or of all kinds in turn. Fewer with the same seed are the first of them."""
    if kind is not None and kind not in KINDS:
        raise UserError(f"there are no questions of the kind '{kind}'; there are: {', '.join(KINDS)}")
    if not 1 <= difficulty <= len(VALUES):
        raise UserError(f"the difficulty is 1 to {len(VALUES)}, not {difficulty}")
    if not 1 <= n <= MOST_QUESTIONS:
        raise UserError(f"a quiz has 1 to {MOST_QUESTIONS} questions, not {n}")
    kinds = [kind] if kind is not None else Dice(seed, "kinds").sample(list(KINDS), len(KINDS))
    return [_question(i + 1, kinds[i % len(kinds)], difficulty, seed) for i in range(n)]


def _question(number: int, kind: str, difficulty: int, seed: int) -> Question:
    dice = Dice(seed, number, kind, difficulty)
    good = dice.below(8) > 0  # now and then any tree, so that `none` and the like may be right
    for tree in _trees(dice, kind, difficulty):
        draft: Draft | None = KINDS[kind].draft(tree, dice, difficulty, good)
        if draft is not None:
            game, ask, accepted, about = draft
            return Question(number, kind, difficulty, seed, game, ask, accepted, tuple(tree), about)
    raise AssertionError("trees do not end")


def _trees(dice: Dice, kind: str, difficulty: int) -> Iterator[list[str]]:
    known = KINDS[kind]
    while True:
        yield branches(dice, known.shapes[difficulty - 1], known.movers, *VALUES[difficulty - 1])
