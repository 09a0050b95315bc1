"""Any game tree, written down.

    [[3, 12, 8], [2, 4, 6], [14, 5, 2]]             levels of MAX and MIN in turn, from the root
    max[min[3, 12], B: min[2, y: 4]]                who moves, said; a label before a colon
    [chance[0.9 * 10, 0.1 * -50], 3]                chance with probabilities; without them each is as likely
    p1[p2[(1, 2, 3), (4, 0, 0)], p3[(2, 2, 2)]]     more players, with a utility for each at the leaves

Who moves where nothing is said is the player after the last one, MAX at the root. `max` is p1 and `min` is p2.
"""

import re
from functools import cached_property
from math import isfinite
from typing import NamedTuple

import numpy as np

from counterplay.core.game import CHANCE, Game, UnreadableText


class Node(NamedTuple):
    """A part of a written tree; a leaf has utilities, any other node children."""

    label: str = ""
    player: int | None = None  # None: not said
    children: tuple = ()
    probabilities: tuple = ()
    utilities: tuple = ()


class Layout(NamedTuple):
    """The nodes in rows, root first, so that the children of a node are neighbours."""

    player: np.ndarray
    first_child: np.ndarray
    children: np.ndarray
    probability: np.ndarray  # of coming here from a chance node
    utility: np.ndarray  # by node and player


class Tree(Game):
    """A game tree given as text: walk from the root to a leaf, and get what stands there."""

    tree: str = "[[3,12,8],[2,4,6],[14,5,2]]"

    scored = True
    compiled = False  # a tree is data: to compile each anew takes longer than to search it

    class State(NamedTuple):
        node: int

    def __init__(self, tree=None):
        """`tree` may be the text, or the same as nested lists."""
        try:
            text = " ".join(str(tree).split())
        except RecursionError:
            raise UnreadableText(f"the tree has more than {MOST_DEPTH} brackets inside each other") from None
        text = re.sub(r" ?([][(),:*]) ?", r"\1", text)
        super().__init__(**({} if tree is None else {"tree": text}))

    def validate(self):
        lay_out(self.nodes)

    @cached_property
    def nodes(self):
        return in_rows(parse(self.tree))

    @cached_property
    def layout(self):
        return lay_out(self.nodes)

    @cached_property
    def players(self):
        return self.layout.utility.shape[1]

    @cached_property
    def chance(self):
        return CHANCE in self.layout.player

    @cached_property
    def zero_sum(self):
        leaves = self.layout.children == 0
        return bool(np.all(self.layout.utility[leaves].sum(axis=1) == 0.0))

    @cached_property
    def utility_range(self):
        return float(self.layout.utility.min()), float(self.layout.utility.max())

    # ---- the rules

    def initial(self):
        return self.State(0)

    def player(self, s):
        return int(self.layout.player[s.node])

    def actions(self, s):
        return range(int(self.layout.children[s.node]))

    def result(self, s, a):
        return self.State(int(self.layout.first_child[s.node]) + a)

    def probability(self, s, a):
        return float(self.layout.probability[self.layout.first_child[s.node] + a])

    def is_terminal(self, s):
        return bool(self.layout.children[s.node] == 0)

    def utility(self, s, p):
        return float(self.layout.utility[s.node, p])

    # ---- for people

    def from_text(self, text):
        s = super().from_text(text)
        if not 0 <= s.node < len(self.nodes):
            raise UnreadableText(f"'{text}' is no position: the tree has nodes 0 to {len(self.nodes) - 1}")
        return s

    def action_name(self, s, a):
        """The label of the child, or its number."""
        names = [child.label or str(i + 1) for i, child in enumerate(self.nodes[s.node].children)]
        return names[a] if names.count(names[a]) == 1 else str(a + 1)

    def show(self, s):
        return "\n".join(self._lines(s.node))

    def _lines(self, i):
        """The subtree at node `i`, a line for each node."""
        layout, node = self.layout, self.nodes[i]
        label = f"{node.label}: " if node.label else ""
        if not node.children:
            return [label + ", ".join(f"{u:g}" for u in node.utilities)]
        lines = [label + player_name(layout.player[i])]
        for k in range(len(node.children)):
            branch, below = ("└─ ", "   ") if k == len(node.children) - 1 else ("├─ ", "│  ")
            head, *rest = self._lines(layout.first_child[i] + k)
            chance = f"{node.probabilities[k]:g} * " if layout.player[i] == CHANCE else ""
            lines += [branch + chance + head, *(below + line for line in rest)]
        return lines


def player_name(p):
    return "chance" if p == CHANCE else ("max", "min")[p] if p < 2 else f"p{p + 1}"


def in_rows(root):
    """The nodes of a tree, root first, then its children, then theirs."""
    nodes = [root]
    for node in nodes:  # grows while it runs
        nodes += node.children
    return nodes


def lay_out(nodes):
    """The tree as arrays, every node with its mover."""
    sizes = {len(node.utilities) for node in nodes if not node.children}
    if len(sizes) > 1:
        raise UnreadableText("every leaf of a tree must have the same number of utilities")
    players = max(2, *sizes)
    turns, player, first_child, probability = [0], [], [], [1.0]
    for i, node in enumerate(nodes):
        p = turns[i] if node.player is None else node.player
        if p >= players:
            raise UnreadableText(f"{player_name(p)} moves, but the leaves have {players} utilities; write (1, 2, 3)")
        player.append(p)
        first_child.append(len(turns))
        turns += [turns[i] if p == CHANCE else (p + 1) % players] * len(node.children)
        probability += node.probabilities
    return Layout(
        np.array(player),
        np.array(first_child),
        np.array([len(node.children) for node in nodes]),
        np.array(probability),
        np.array([_for_all(node.utilities, players) for node in nodes], dtype=np.float64),
    )


def _for_all(utilities, players):
    """One number is MAX's, and MIN's is its opposite."""
    if len(utilities) == 1:
        return [utilities[0], -utilities[0]]
    return utilities or [0.0] * players


# ---- reading

MOST_DEPTH, MOST_CHARACTERS = 200, 1_000_000
"""Brackets inside each other, and how long the text may be."""

_TOKEN = re.compile(r"\s*([A-Za-z_]\w*|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\S)")


def parse(text):
    """The tree that a text describes."""
    if len(text) > MOST_CHARACTERS:
        raise UnreadableText(f"a tree of {len(text):,} characters is too long; {MOST_CHARACTERS:,} is the most")
    tokens = _Tokens(_TOKEN.findall(text.rstrip()))
    node = _node(tokens, 0)
    if tokens.next():
        raise UnreadableText(f"'{''.join(tokens.rest()[:8])}' stands after the end of the tree")
    if not node.children:
        raise UnreadableText(f"'{text}' is no tree; write one like {Tree.parameters['tree']}")
    return node


class _Tokens:
    """The words of a text, read from left to right; after the last come empty ones."""

    def __init__(self, words):
        self._words, self._at = words, 0

    def next(self, ahead=0):
        """The next word, which stays there; or one behind it."""
        at = self._at + ahead
        return self._words[at] if at < len(self._words) else ""

    def take(self, n=1):
        """The next word, after which `n` are read."""
        word = self.next()
        self._at += n
        return word

    def rest(self):
        return self._words[self._at :]


def _node(tokens, depth):
    """The node at the beginning of the tokens."""
    if depth > MOST_DEPTH:
        raise UnreadableText(f"the tree has more than {MOST_DEPTH} brackets inside each other")
    if tokens.next(1) == ":":
        label = tokens.take(2)
        return _node(tokens, depth + 1)._replace(label=label)
    head = tokens.take()
    if head == "[":
        return _inner(None, tokens, depth)
    if head == "(":
        return _leaf(tokens)
    if tokens.next() == "[" and (player := _player(head)) is not None:
        tokens.take()
        return _inner(player, tokens, depth)
    return Node(utilities=(_number(head),))


def _player(word):
    named = {"max": 0, "min": 1, "chance": CHANCE}
    if word in named:
        return named[word]
    if re.fullmatch(r"p[1-9]\d?", word):
        return int(word[1:]) - 1
    raise UnreadableText(f"'{word}' does not move in a tree: max, min, chance, p1, p2, ... do")


def _inner(player, tokens, depth):
    """Children up to the closing bracket, each with a probability before a `*` if it is chance's."""
    children, weights = [], []
    while True:
        weights.append(_number(tokens.take(2)) if tokens.next(1) == "*" else None)
        children.append(_node(tokens, depth + 1))
        separator = tokens.take()
        if separator == "]":
            return Node(player=player, children=tuple(children), probabilities=_probabilities(player, weights))
        if separator != ",":
            raise UnreadableText(f"a ',' or ']' is missing in the tree{f' before {separator!r}' if separator else ''}")


def _probabilities(player, weights):
    given = [weight for weight in weights if weight is not None]
    if not given:
        return (1.0 / len(weights),) * len(weights)
    if player != CHANCE or len(given) < len(weights):
        raise UnreadableText("probabilities, as in chance[0.9 * 1, 0.1 * 2], are for chance, and then for each child")
    if min(given) <= 0 or abs(sum(given) - 1.0) > 1e-9:
        raise UnreadableText(f"the probabilities {', '.join(f'{w:g}' for w in given)} are not positive with sum 1")
    return tuple(given)


def _leaf(tokens):
    """The utilities of a leaf up to the closing parenthesis."""
    numbers = []
    while True:
        numbers.append(_number(tokens.take()))
        separator = tokens.take()
        if separator == ")":
            return Node(utilities=tuple(numbers))
        if separator != ",":
            raise UnreadableText("a leaf with several utilities is written (1, 2, 3)")


def _number(token):
    try:
        number = float(token)
    except ValueError:
        what = f"'{token}'" if token else "the end of the text"
        raise UnreadableText(f"{what} stands in the tree where a number or a '[' is needed") from None
    if not isfinite(number):
        raise UnreadableText(f"'{token}' stands in the tree where a number is needed that is not infinite")
    return number
