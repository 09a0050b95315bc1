"""What the view Quiz asks for: questions about trees, and whether an answer is right.

A question is made from its seed each time it is asked about, so that the server keeps nothing, and the page is not told
the answer before it has given one.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body

from counterplay import native
from counterplay.apps.studio.live import Request
from counterplay.apps.studio.tables import Tables
from counterplay.core.game import CHANCE, Game, UserError
from counterplay.study.quiz import KINDS, Question, questions

__all__ = ["REQUESTS", "routes"]

Fields = dict[str, Any]
Given = Annotated[Fields, Body()]
_MOST_ANSWER = 500


def routes(tables: Tables) -> APIRouter:
    """The addresses of this view."""
    router = APIRouter()

    @router.get("/api/quiz")
    def kinds() -> list[Fields]:
        return [{"name": name, "subject": kind.subject} for name, kind in KINDS.items()]

    @router.post("/api/quiz")
    def ask(asked: Given) -> Fields:
        question = _question(asked)
        return {
            "kind": question.kind,
            "difficulty": question.difficulty,
            "seed": question.seed,
            "ask": question.ask,
            "form": question.form,
            "hint": question.hint,
            "about": question.about,
            "nodes": _nodes(question.game),
        }

    @router.post("/api/quiz/answer")
    def answer(asked: Given) -> Fields:
        question, text = _question(asked), asked.get("answer")
        if not isinstance(text, str) or len(text) > _MOST_ANSWER:
            raise UserError("an answer is a short text")
        with native.interpreted():
            verdict = question.check(text)
            parts = [{"words": part.words, "svg": part.svg} for part in question.solution]
        return {"right": bool(verdict), "answer": question.answer, "solution": parts}

    return router


def _question(asked: Fields) -> Question:
    kind, difficulty, seed = asked.get("kind"), asked.get("difficulty", 2), asked.get("seed")
    if type(seed) is not int or not 0 <= seed < 1 << 32 or type(difficulty) is not int or kind not in KINDS:
        raise UserError("a question has a kind, a difficulty and a seed")
    with native.interpreted():
        (question,) = questions(1, seed, kind, difficulty)
    return question


def _nodes(game: Game) -> list[Fields]:
    """The tree for the page: every node with its parent, who moves, and what stands at the leaves."""
    found: list[Fields] = []

    def walk(s: Any, parent: int | None, name: str, share: float | None) -> None:
        over, number = game.is_terminal(s), len(found)
        p = CHANCE if over else game.player(s)
        kind = "end" if over else "chance" if p == CHANCE else ("max", "min")[p] if game.players == 2 else "player"
        text = (
            ", ".join(f"{game.utility(s, q):g}" for q in range(1 if game.players == 2 else game.players))
            if over
            else ""
        )
        depth = 0 if parent is None else found[parent]["depth"] + 1
        node = {"parent": parent, "depth": depth, "name": name, "kind": kind, "text": text, "share": share}
        found.append(node | ({"who": f"p{p + 1}"} if kind == "player" else {}))
        if not over:
            for a in map(int, game.actions(s)):
                odds = float(game.probability(s, a)) if p == CHANCE else None
                walk(game.result(s, a), number, game.action_name(s, a), odds)

    walk(game.initial(), None, "", None)
    return found


REQUESTS: dict[str, Request] = {}
