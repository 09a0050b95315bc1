"""The trees of questions, as text and as SVG: with the leaves' values only, or solved."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from counterplay.core.game import CHANCE, Game
from counterplay.search import Result
from counterplay.study import trees
from counterplay.study.trees.draw import number

__all__ = ["Solved", "svg", "text", "value_text"]

Solved = Mapping[Any, Result]
"""What a search found at each inner node. Of a tree without it only the leaves' values are shown."""


def value_text(result: Result) -> str:
    """The value for MAX, or one for each of three players."""
    return ",".join(map(number, result.values)) if result.game.players > 2 else number(result.value)


def kind(game: Game, s: Any, solved: Solved) -> str:
    """Who chooses at a node: `max`, `min`, `p3`, `chance`, or nobody as it is a leaf. A random MIN is chance."""
    if game.is_terminal(s):
        return "end"
    p = game.player(s)
    return "chance" if p == CHANCE or (s in solved and solved[s].action is None) else ("max", "min", "p3")[p]


# ---- text


def text(game: Game, solved: Solved | None = None) -> str:
    """The tree from the root down, every node above the middle of its children, who moves at the left."""
    solved = solved or {}
    plies = [[game.initial()]]
    names, chances = {game.initial(): "root"}, {}
    while not game.is_terminal(plies[-1][0]):
        plies.append([])
        for s in plies[-2]:
            for a in game.actions(s):
                plies[-1].append(t := game.result(s, a))
                names[t] = game.action_name(s, a)
                if game.player(s) == CHANCE:
                    chances[t] = number(game.probability(s, a)).removeprefix("0")  # room is short

    def cells(s: Any) -> list[str]:
        """The lines of a node: its probability, its name, its values."""
        head = [chances[s]] if s in chances else []
        if game.is_terminal(s):
            most = game.players if game.players > 2 else 1
            return [*head, names[s], *(number(game.utility(s, p)) for p in range(most))]
        return [*head, names[s], *([value_text(solved[s])] if s in solved else [])]

    span = dict.fromkeys(plies[-1], 1)  # how many leaves are below
    for row in reversed(plies[:-1]):
        span |= {s: sum(span[game.result(s, a)] for a in game.actions(s)) for s in row}
    column = max(-(-(max(map(len, cells(s))) + 1) // span[s]) for s in span)
    middle = {s: i * column + column // 2 for i, s in enumerate(plies[-1])}
    lines: list[str] = []
    for row in reversed(plies):
        if row is not plies[-1]:
            children = {s: [middle[game.result(s, a)] for a in game.actions(s)] for s in row}
            middle |= {s: (at[0] + at[-1]) // 2 for s, at in children.items()}
            lines.insert(0, _joined([(middle[s], at) for s, at in children.items()]))
        shown = [cells(s) for s in row]
        labels = _labels(game, row[0], solved, len(shown[0]))
        for i in reversed(range(len(shown[0]))):
            placed = _placed([(middle[s], each[i]) for s, each in zip(row, shown, strict=True)])
            lines.insert(0, f"{labels[i]:7}{placed}".rstrip())
    return "\n".join(lines)


def _labels(game: Game, s: Any, solved: Solved, lines: int) -> list[str]:
    """What stands at the left of a ply's lines: who moves; at the leaves of three players, whose values these are."""
    if game.is_terminal(s):
        whose = [f"p{p + 1}" for p in range(game.players)] if game.players > 2 else [""]
        return [""] * (lines - len(whose)) + whose
    who = kind(game, s, solved)
    name = who if who == "chance" else f"p{game.player(s) + 1}" if game.players > 2 else who.upper()
    return [*[""] * (lines - (2 if s in solved else 1)), name, ""]


def _placed(cells: list[tuple[int, str]]) -> str:
    """Words in a line, each about the place it belongs to."""
    line = ""
    for middle, word in cells:
        line = line.ljust(middle - len(word) // 2) + word
    return line


def _joined(nodes: list[tuple[int, list[int]]]) -> str:
    """The line that joins nodes to their children below."""
    line = ""
    for middle, children in nodes:
        line = line.ljust(children[0])
        for x in range(children[0], children[-1] + 1):
            ends = "┌" if x == children[0] else "┐" if x == children[-1] else ""
            line += ends or ("┼" if x in children else "┴") if x == middle else ends or ("┬" if x in children else "─")
    return " " * 7 + line


# ---- SVG


def svg(game: Game, solved: Solved | None = None) -> str:
    """The tree as a picture, with the room to write into the nodes if it is not solved."""
    found = solved or {}
    visits: list[trees.Visit] = []

    def walk(s: Any, action: int | None, name: str) -> trees.Visit:
        here = trees.Visit(len(visits), s, kind(game, s, found), action, name, -inf, inf)
        visits.append(here)
        if not here.is_leaf:
            here.children = [walk(game.result(s, a), a, game.action_name(s, a)) for a in game.actions(s)]
        if s in found and found[s].action is not None:
            here.best = here.children[found[s].action or 0]
        return here

    def shown(visit: trees.Visit) -> str:
        s = visit.state
        if visit.is_leaf:
            return ",".join(number(game.utility(s, p)) for p in range(game.players if game.players > 2 else 1))
        if s in found:
            return value_text(found[s])
        return f"p{game.player(s) + 1}" if game.players > 2 else ""

    root = walk(game.initial(), None, "")
    return trees.svg(trees.Trace(game, "", root, tuple(visits), ()), shown=shown, tight=True)
