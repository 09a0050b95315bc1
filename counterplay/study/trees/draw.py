"""Drawing a watched search: as text, and as SVG with MAX up, MIN down, chance round, and what was cut crossed out.

A tree that people can read has its leaves side by side in the order of the moves and every node above the middle of
its children. That needs no layout library: leaves stand from left to right, each with room for what is written there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from math import inf
from typing import Any

from counterplay.core.drawing import DARK_LINES
from counterplay.core.game import CHANCE
from counterplay.study.trees.record import Trace, Visit

__all__ = ["Drawn", "arrange", "number", "svg", "text"]

MOST_DRAWN = 200
"""Nodes in a picture; of a larger tree the upper part is drawn, and how much lies below."""

MOST_NOTES = 12
"""Reasons for cuts that are written below a picture."""

STEP_X, STEP_Y, SIZE, MARGIN = 58, 92, 17, 40
NAMED_AT = 0.72  # how far down an edge the name of its move stands
LETTER = 6.4  # how wide a letter is, at most on the average
TIGHT_X, TIGHT_TOP = 48, 26
INK, FAINT, CUT, BEST = "#1c2430", "#9aa3ad", "#c22f2f", "#1f6fb2"
FILL = {"max": "#dcebfa", "min": "#fbe3d6", "chance": "#e9e2f6", "p3": "#e0f1df", "end": "#ffffff", "limit": "#f4f4f4"}
NAMES = {"max": "MAX", "min": "MIN", "chance": "chance", "end": "", "limit": "estimate"}


def number(x: float) -> str:
    """A value for people: ∞ for infinity, and no more digits than need be."""
    if abs(x) == inf:
        return "∞" if x > 0 else "−∞"
    return f"{x:.4g}".replace("-", "−")


# ---- text


def text(trace: Trace, most: int = MOST_DRAWN) -> str:
    """The tree as indented lines: who moves, the value, the window, what was cut and why."""
    lines: list[str] = []
    limit = _deepest(trace, most)
    line = {id(visit) for visit in trace.line}

    def put(visit: Visit, indent: int) -> None:
        name = f"{visit.name}: " if visit.name else ""
        star = " *" if id(visit) in line else ""
        window = "" if visit.is_leaf else f"  (α {number(visit.alpha)}, β {number(visit.beta)})"
        who = f"{NAMES[visit.kind]} " if NAMES[visit.kind] else ""
        lines.append(f"{'  ' * indent}{name}{who}{number(visit.value)}{window}{star}")
        if indent >= limit and visit.children:
            lines.append(f"{'  ' * indent}  ... {_below(visit):,} more")
            return
        for child in visit.children:
            put(child, indent + 1)
        if visit.skipped:
            names = ", ".join(name for _, name in visit.skipped)
            lines.append(f"{'  ' * indent}  not looked at: {names}" + (f" ({visit.reason})" if visit.reason else ""))

    put(trace.root, 0)
    return "\n".join(lines)


# ---- SVG


@dataclass
class Drawn:
    """A node with its place in the picture. One without a visit stands for a move that was never looked at."""

    visit: Visit | None
    label: str
    shown: str
    depth: int
    x: float = 0.0
    cut_at: int | None = None
    """The visit after which it was known that this move would not be looked at."""
    right: float = 0.0
    """Where the next one may begin."""
    folded: int = 0
    """How many visits below it are not drawn."""
    children: list[Drawn] = field(default_factory=list)

    @property
    def y(self) -> float:
        return MARGIN + 14 + self.depth * STEP_Y

    def all(self) -> Iterator[Drawn]:
        yield self
        for child in self.children:
            yield from child.all()


def arrange(
    trace: Trace,
    most: int = MOST_DRAWN,
    shown: Callable[[Visit], str] | None = None,
    whole: bool = False,
    tight: bool = False,
) -> Drawn:
    """Every node that is drawn, with its place; see `svg`."""
    limit = _deepest(trace, most)
    game, step = trace.game, TIGHT_X if tight else STEP_X

    def build(visit: Visit, depth: int) -> Drawn:
        node = Drawn(visit, visit.name, number(visit.value) if shown is None else shown(visit), depth)
        if depth >= limit and visit.children:
            node.folded = _below(visit)
            return node
        children = {id(child): build(child, depth + 1) for child in visit.children}
        node.children = list(children.values())
        if shown is not None and children and game.player(visit.state) == CHANCE:
            for child in visit.children:
                children[id(child)].label += f"\n{number(game.probability(visit.state, child.action or 0))}"
        for a, name in visit.skipped:
            node.children.append(unseen(game.result(visit.state, a), name, depth + 1, visit.number))
        return node

    def unseen(s: Any, name: str, depth: int, cut_at: int) -> Drawn:
        over = game.is_terminal(s)
        node = Drawn(None, name, number(game.utility(s, 0)) if over else "", depth, cut_at=cut_at)
        if whole and not over:
            for a in game.actions(s):
                node.children.append(unseen(game.result(s, a), game.action_name(s, a), depth + 1, cut_at))
        return node

    def place(node: Drawn, left: float) -> None:
        """Give the node, and all below it, a place that begins at `left`."""
        node.right = left
        for child in node.children:
            place(child, node.right)
            node.right = child.right
        named = max((len(line) for line in node.label.splitlines()), default=0)
        apart = (12 + LETTER * named) / NAMED_AT  # from the middle of the next, whose half may be as small as can be
        node.right = max(node.right, left + max(step, 2 * apart - step))
        node.x = (node.children[0].x + node.children[-1].x) / 2 if node.children else (left + node.right) / 2
        if shown is None and node.visit is not None and not node.visit.is_leaf:
            window = _window(node, tight).splitlines()
            node.right = max(node.right, node.x + SIZE + 16 + LETTER * max(map(len, window), default=0))

    root = build(trace.root, 0)
    place(root, MARGIN)
    return root


def _window(node: Drawn, tight: bool) -> str:
    """The α and β that are written beside a node: side by side, or on paper one above the other."""
    visit = node.visit
    if visit is None or visit.is_leaf or not (visit.alpha > -inf or visit.beta < inf or node.depth == 0):
        return ""
    between = "\n" if tight else "  "
    return f"α {number(visit.alpha)}{between}β {number(visit.beta)}"


def svg(
    trace: Trace,
    most: int = MOST_DRAWN,
    shown: Callable[[Visit], str] | None = None,
    whole: bool = False,
    tight: bool = False,
) -> str:
    """The tree as a picture.

    `shown` says what to write into the nodes instead of their values; then there are no windows, but probabilities.
    With `whole` what was cut is drawn down to its leaves. `tight` is for paper: less room, and α above β.
    """
    root = arrange(trace, most, shown, whole, tight)
    nodes = list(root.all())
    width = root.right + MARGIN
    cut = sum(1 for node in nodes if node.visit is not None and node.visit.reason)
    bottom = 18 * min(cut, MOST_NOTES) + MARGIN / 2
    height = max(node.y for node in nodes) + SIZE + (4 if tight else 24) + bottom
    top = TIGHT_TOP if tight else 0
    width = max(width, 360)
    on_line = {id(trace.root), *map(id, trace.line)} if shown is None or trace.line else set()
    title = f"{trace.algorithm} on {trace.game}: value {number(trace.value)}" if shown is None else str(trace.game)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {top} {width:g} {height - top:g}" width="{width:g}" '
        f'height="{height - top:g}" font-family="system-ui, sans-serif" font-size="13" fill="{INK}" '
        f'class="counterplay-lines">{DARK_LINES}',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>',
    ]
    for node in nodes:
        parts += (_edge(node, child, on_line) for child in node.children)
    for node in nodes:
        parts += (_name(node, child) for child in node.children)
    reasons = [(node.visit, node.visit.reason) for node in nodes if node.visit is not None and node.visit.reason]
    notes = {id(visit): i for i, (visit, _) in enumerate(reasons, 1)}
    for node in nodes:
        parts.append(_node(node, on_line, notes.get(id(node.visit), 0), _window(node, tight) if shown is None else ""))
    for i, (visit, reason) in enumerate(reasons[:MOST_NOTES], 1):
        y = height - bottom + 18 * i
        words = f'<text x="{MARGIN}" y="{y:g}" font-size="12" fill="{CUT}">{i}: {escape(reason)}</text>'
        parts.append(f'<g data-skips="{visit.number}">{words}</g>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _edge(parent: Drawn, child: Drawn, on_line: set[int]) -> str:
    x1, y1, x2, y2 = parent.x, parent.y + (SIZE if parent.visit else -SIZE), child.x, child.y - SIZE
    best = child.visit is not None and id(child.visit) in on_line
    colour, wide = (CUT, 1.2) if child.visit is None else (BEST, 3.0) if best else (INK, 1.2)
    dashes = ' stroke-dasharray="4 4"' if child.visit is None else ""
    mark = ""
    mx, my = (x1 + x2) / 2, (y1 + y2) / 2
    if child.visit is None and parent.visit is not None:
        mark = f'<path d="M{mx - 6:g} {my - 6:g}l12 12m0 -12l-12 12" stroke="{CUT}" stroke-width="2.4"/>'
    return (
        f'<g{_group(child)}><line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" '
        f'stroke-width="{wide:g}"{dashes}/>{mark}</g>'
    )


def _name(parent: Drawn, child: Drawn) -> str:
    """The name of the move that leads to a child, beside the edge and above all others."""
    x1, y1, x2, y2 = parent.x, parent.y + (SIZE if parent.visit else -SIZE), child.x, child.y - SIZE
    x, y = x1 + NAMED_AT * (x2 - x1) + (8 if x2 >= x1 else -8), y1 + NAMED_AT * (y2 - y1)
    style = (
        f'text-anchor="{"start" if x2 >= x1 else "end"}" font-size="11" fill="{FAINT if child.visit is None else INK}"'
    )
    halo = 'stroke="#ffffff" stroke-width="3" paint-order="stroke"'
    label = "".join(
        f'<text x="{x:g}" y="{y - 12 * i:g}" {style} {halo}>{escape(line)}</text>'
        for i, line in enumerate(reversed(child.label.splitlines()))
    )
    return f"<g{_group(child)}>{label}</g>"


def _group(child: Drawn) -> str:
    """When a move is seen, for the page: as its state is looked at, or as it is known that it will not be."""
    return f' data-skips="{child.cut_at}"' if child.visit is None else f' data-leads="{child.visit.number}"'


def _node(node: Drawn, on_line: set[int], note: int, window: str) -> str:
    """A node, with its α and β in lines, if they are shown."""
    x, y, visit = node.x, node.y, node.visit
    if visit is None:
        shown = f'<text x="{x:g}" y="{y + 5:g}" text-anchor="middle" fill="{FAINT}">{escape(node.shown)}</text>'
        return f"<g{_group(node)}>{shown}</g>"
    edge = BEST if id(visit) in on_line else INK
    style = f'fill="{FILL[visit.kind]}" stroke="{edge}" stroke-width="{2.4 if edge == BEST else 1.2}"'
    if visit.kind == "limit":
        style += ' stroke-dasharray="3 3"'
    half = max(SIZE, LETTER * len(node.shown) / 2 + 2)
    shape = {
        "max": f'<path d="M{x:g} {y - SIZE - 5:g}l{SIZE + 8:g} {2 * SIZE + 5:g}h-{2 * SIZE + 16:g}z" {style}/>',
        "min": f'<path d="M{x:g} {y + SIZE + 5:g}l{SIZE + 8:g} -{2 * SIZE + 5:g}h-{2 * SIZE + 16:g}z" {style}/>',
        "p3": f'<path d="M{x:g} {y - SIZE - 5:g}l{SIZE + 12:g} {SIZE + 5:g}l-{SIZE + 12:g} {SIZE + 5:g}'
        f'l-{SIZE + 12:g} -{SIZE + 5:g}z" {style}/>',
        "chance": f'<circle cx="{x:g}" cy="{y:g}" r="{SIZE:g}" {style}/>',
    }.get(visit.kind, f'<rect x="{x - half:g}" y="{y - 13:g}" width="{2 * half:g}" height="26" rx="3" {style}/>')
    dy = {"max": 11, "min": -1}.get(visit.kind, 5)
    size = 13 if len(node.shown) < 5 else 10.5
    parts = [
        shape,
        f'<text class="v" x="{x:g}" y="{y + dy:g}" text-anchor="middle" font-weight="600" font-size="{size:g}">'
        f"{node.shown}</text>",
    ]
    parts += (
        f'<text class="w" x="{x + SIZE + 12:g}" y="{y - 9 + 12 * i:g}" font-size="10.5" fill="#5b6570">'
        f"{escape(line)}</text>"
        for i, line in enumerate(window.splitlines())
    )
    if note:
        place = f'x="{x - SIZE - 12:g}" y="{y + SIZE:g}" text-anchor="end"'
        parts.append(f'<text class="r" {place} fill="{CUT}">{note}</text>')
    if node.folded:
        parts.append(
            f'<text x="{x:g}" y="{y + SIZE + 20:g}" text-anchor="middle" font-size="10.5">+{node.folded:,}</text>'
        )
    leaf = ' class="leaf"' if visit.is_leaf else ""
    return f'<g data-visit="{visit.number}"{leaf}>{"".join(parts)}</g>'


# ---- large trees


def _below(visit: Visit) -> int:
    return sum(1 + _below(child) for child in visit.children)


def _deepest(trace: Trace, most: int) -> int:
    """The depth to which the tree can be drawn with no more nodes than that; at least 1."""
    row, drawn, depth = [trace.root], 1, 0
    while row:
        row = [child for visit in row for child in visit.children]
        drawn += len(row)
        if drawn > most and depth >= 1:
            return depth
        depth += 1
    return depth
