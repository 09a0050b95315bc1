"""Compiled and interpreted agree: the same random games and a small minimax, in both modes."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay import search
from counterplay.core.game import CHANCE
from counterplay.core.primitives import mix64, state_key
from counterplay.native import CannotCompile, compiled, interpreted, native
from counterplay.search.playout import choose
from counterplay.study.check.examination import FAILED, Examination
from counterplay.study.check.mistakes import reason
from counterplay.study.check.values import same, shape

__all__ = ["COMPILER", "INTERPRETED_ONLY", "compare_modes"]

INTERPRETED_ONLY = "runs interpreted only"
"""How a reason begins that keeps a game from being compiled."""

NODES = 5_000  # about as many at most for the minimax, which is slow when interpreted

COMPILER = "the compiler"
"""What is told of while rules are compiled, which may take long and is no rule."""

_NAME = "compiled and interpreted agree"
_COME_FIRST = {"no exception", "state is a tuple of numbers", "stable state type", "actions are integers"}


@native
def step(game, s, random, numbers):  # type: ignore[no-untyped-def]
    """What the rules say of `s`, and a random step from it, in the order of `_ANSWERS`.

    `numbers` are each player's estimate, then each player's utility, then the probabilities, priorities and noises
    of the actions, weighted with their places.
    """
    over, others = bool(game.is_terminal(s)), 2 * game.players
    for p in range(game.players):
        numbers[p] = game.evaluate(s, p)
        if over:
            numbers[game.players + p] = game.utility(s, p)
    if over:
        return over, 0, 0, game.key(s), -1, s
    player, i, mixed = game.player(s), 0, game.count_actions(s)
    for a in game.actions(s):
        i += 1
        mixed = mix64(mixed ^ a)
        if game.chance and player == CHANCE:
            numbers[others] += i * game.probability(s, a)
        numbers[others + 1] += i * game.priority(s, a)
        numbers[others + 2] += i if game.is_noisy(s, a) else 0
    if i == 0:
        return over, player, mixed, game.key(s), -1, s
    a = choose(game, s, random)
    return over, player, mixed, game.key(s), a, game.result(s, a)


@native
def known(game, s):  # type: ignore[no-untyped-def]
    """What each player knows at `s`, and what everybody sees, mixed into one number."""
    mixed = 0
    for p in range(CHANCE, game.players):
        mixed = mix64(mixed ^ state_key(game.information(s, p)))
    return mixed


_ANSWERS = ("is_terminal", "player", "actions", "key", "the random choice of an action", "result")


def compare_modes(exam: Examination) -> str | None:
    """Note where the modes differ; if they cannot be compared, say why."""
    if exam.problems & _COME_FIRST or not exam.seen:
        return "compiled and interpreted were not compared: the problems above come first"
    try:
        _same_steps(exam)
        _same_minimax(exam)
    except CannotCompile as why:
        return f"{INTERPRETED_ONLY}: {why}"
    except Exception as error:  # of the compiled run: the same calls went well interpreted
        exam.note(_NAME, "result", f"compiled, but not interpreted, the rules fail: {reason(error)}")
    return None


def _same_steps(exam: Examination) -> None:
    """The same random games in both modes, state by state."""
    game, played = exam.game, 0
    each = range(game.players)
    names = [*_ANSWERS, *("evaluate" for _ in each), *("utility" for _ in each), "probability", "priority", "is_noisy"]
    names += ["information"] if game.knows.information else []
    for it in exam.seen:
        if it.ply == 0:
            one, other = search.new_random(exam.seed + played), search.new_random(exam.seed + played)
            played += 1
        numbers = np.zeros((2, 2 * game.players + 3))
        slow = [*step.interpreted(game, it.state, one, numbers[0]), *numbers[0].tolist()]
        exam.told(COMPILER if it is exam.seen[0] else "a compiled rule")
        with compiled():
            fast = [*step(game, it.state, other, numbers[1]), *numbers[1].tolist()]
            fast += [known(game, it.state)] if game.knows.information else []
        slow += [known.interpreted(game, it.state)] if game.knows.information else []
        for rule, x, y in zip(names, slow, fast, strict=True):
            if not same(x, y) or (rule == "result" and shape(x) != shape(y)):
                exam.note(_NAME, rule, f"{rule}: {x!r} interpreted, {y!r} compiled", it)
                return


def _same_minimax(exam: Examination) -> None:
    """Minimax a few plies ahead: the same value, number of nodes and line in both modes."""
    most = max(len(it.says.get("actions", ())) for it in exam.seen)
    depth = max(d for d in (1, 2, 3) if d == 1 or most**d <= NODES)

    def value_nodes_and_line() -> Any:
        try:
            result = search.minimax(exam.game, depth=depth)
        except search.Unsuited:
            return None
        if result.stopped == "interrupted":
            raise KeyboardInterrupt
        return result.value, result.nodes, result.line

    with interpreted():
        slow = exam.attempt("minimax", value_nodes_and_line)
    if slow is FAILED:
        return
    exam.told(COMPILER)
    with compiled():
        fast = value_nodes_and_line()
    if not same(slow, fast):
        text = f"minimax {depth} plies ahead: value, nodes and line are {slow} interpreted, {fast} compiled"
        exam.note(_NAME, "evaluate", text, exam.seen[0])
