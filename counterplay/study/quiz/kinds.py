"""The kinds of questions: what is asked of a random tree, which answers are right, and why.

Every answer is found by the searches themselves. A kind rejects a tree that would make a poor question, and the next
one is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from counterplay import games, search
from counterplay.core.game import Game
from counterplay.core.randomness import Dice
from counterplay.study import trees
from counterplay.study.quiz import pictures
from counterplay.study.trees.draw import number

if TYPE_CHECKING:
    from counterplay.study.quiz.questions import Question

__all__ = ["KINDS", "Draft", "Kind", "Part", "leaf_names"]

_APART = 0.1
"""How much better the best move must be than the next, so that rounding does not decide."""


class Draft(NamedTuple):
    """A question without its number."""

    game: Game
    ask: str
    accepted: tuple[str, ...]
    """All right answers, the one to show first."""
    about: str = ""
    """The node that is asked about, if any."""


class Part(NamedTuple):
    """A piece of an explanation: words and a tree, the same for the terminal and for paper."""

    words: str
    text: str
    svg: str


class Kind(NamedTuple):
    """A kind of question."""

    subject: str
    form: str
    """How an answer is written."""
    hint: str
    shapes: tuple[str, str, str, str, str]
    """How many moves there are ply by ply, for each difficulty; see `random_trees.widths`."""
    draft: Callable[[list[str], Dice, int, bool], Draft | None]
    """The question about the tree with these branches, at a difficulty; with True only if it is a good one."""
    explain: Callable[[Question], list[Part]]
    movers: tuple[str, ...] = ("max", "min")


def joined(branches: list[str] | tuple[str, ...], mover: str = "max") -> Game:
    return games.load(f"tree:tree={mover}[{','.join(branches)}]")


def inner_states(game: Game) -> list[Any]:
    """All states at which somebody moves, the root first."""
    states = [game.initial()]
    for s in states:  # grows while it runs
        states += (game.result(s, a) for a in game.actions(s))
    return [s for s in states if not game.is_terminal(s)]


def solved(game: Game, look: Callable[..., search.Result]) -> dict[Any, search.Result]:
    """What a search says of every inner node."""
    return {s: look(game, s) for s in inner_states(game)}


def leaf_names(game: Game, s: Any = None) -> Iterator[str]:
    """The names of the leaves, from left to right."""
    s = game.initial() if s is None else s
    for a in game.actions(s):
        t = game.result(s, a)
        if game.is_terminal(t):
            yield game.action_name(s, a)
        else:
            yield from leaf_names(game, t)


def looked_at(trace: trees.Trace) -> list[str]:
    """The names of the leaves that a search came to."""
    return [visit.name for visit in trace.visits if visit.is_leaf]


def is_clear(result: search.Result) -> bool:
    """Whether the best move at a state is much better than any other."""
    best, second = sorted((each.value for each in result.actions), reverse=True)[:2]
    return best - second >= _APART


def _solved_part(words: str, game: Game, found: pictures.Solved) -> Part:
    return Part(words, pictures.text(game, found), pictures.svg(game, found))


def _watched_part(words: str, trace: trees.Trace) -> Part:
    return Part(words, trees.text(trace), trees.svg(trace, whole=True, tight=True))


# ---- the value of the root


def _draft_value(branches: list[str], dice: Dice, difficulty: int, good: bool) -> Draft | None:
    game = joined(branches)
    v = search.minimax(game).value
    if good and v == max(visit.value for visit in trees.trace(game, algorithm="minimax").visits if visit.is_leaf):
        return None  # who only looks for the largest number would be right
    return Draft(game, "What is the root worth to MAX when both play best (minimax)?", (number(v),))


def _explain_value(question: Question) -> list[Part]:
    found = solved(question.game, search.minimax)
    best = found[question.game.initial()]
    line = " ".join(best.line_names)
    words = f"MAX takes the largest of the values below, MIN the smallest: {number(best.value)}, by the line {line}."
    return [_solved_part(words, question.game, found)]


# ---- what alpha-beta leaves out


def _draft_pruned(branches: list[str], dice: Dice, difficulty: int, good: bool) -> Draft | None:
    game = joined(branches)
    seen = set(looked_at(trees.trace(game)))
    left = [name for name in leaf_names(game) if name not in seen]
    if good and len(left) < (1 if difficulty < 3 else 2):
        return None
    ask = "Alpha-beta searches this tree from left to right. Which leaves does it never look at?"
    return Draft(game, ask, (" ".join(left) or "none",))


def _explain_pruned(question: Question) -> list[Part]:
    trace = trees.trace(question.game)
    every = list(leaf_names(question.game))
    words = f"Alpha-beta looks at {len(looked_at(trace))} of {len(every)} leaves; never looked at: {question.answer}."
    return [_watched_part(words, trace)]


# ---- the window


def _draft_window(branches: list[str], dice: Dice, difficulty: int, good: bool) -> Draft | None:
    game = joined(branches)
    inner = [visit for visit in trees.trace(game).visits[1:] if not visit.is_leaf]
    if good:
        wanted = 1 if difficulty < 3 else 2
        inner = [visit for visit in inner if (visit.alpha > -inf) + (visit.beta < inf) >= wanted]
    if not inner:
        return None
    visit = dice.choice(inner)
    ask = (
        "Alpha-beta searches this tree from left to right. "
        f"What are α (MAX has) and β (MIN has) when it first comes to {visit.name}?"
    )
    return Draft(game, ask, (f"α {number(visit.alpha)}, β {number(visit.beta)}",), visit.name)


def _explain_window(question: Question) -> list[Part]:
    trace = trees.trace(question.game)
    visit = next(visit for visit in trace.visits if visit.name == question.about)
    had = f"MAX already has {number(visit.alpha)}" if visit.alpha > -inf else "MAX has nothing yet"
    left = f"MIN already has {number(visit.beta)}" if visit.beta < inf else "MIN has nothing yet"
    words = f"On the way to {question.about} {had} and {left}: {question.answer}."
    return [_watched_part(words, trace)]


# ---- the order of moves


def _draft_order(branches: list[str], dice: Dice, difficulty: int, good: bool) -> Draft | None:
    looks = {order: len(looked_at(trees.trace(joined(order)))) for order in permutations(branches)}
    fewest = min(looks.values())
    best = [order for order, leaves in looks.items() if leaves == fewest]
    if fewest == max(looks.values()) or (good and looks[tuple(branches)] == fewest):
        return None
    ask = (
        "In which order of the moves at the root does alpha-beta look at the fewest leaves, "
        "if all below them stays as it is? At how many leaves?"
    )
    answers = (f"{' '.join(branch.partition(':')[0] for branch in order)}: {fewest}" for order in best)
    return Draft(joined(branches), ask, tuple(answers))


def _explain_order(question: Question) -> list[Part]:
    order, _, fewest = question.answer.partition(": ")
    below = {branch.partition(":")[0]: branch for branch in question.branches}
    trace = trees.trace(joined([below[name] for name in order.split()]))
    drawn = len(looked_at(trees.trace(question.game)))
    others = len(question.accepted) - 1
    alike = f" {others} other {'order is' if others == 1 else 'orders are'} as good." if others else ""
    words = (
        f"In the order {order} alpha-beta looks at {fewest} leaves, as drawn at {drawn}.{alike} "
        "The sooner MAX has much, the sooner the other moves are cut."
    )
    return [_watched_part(words, trace)]


# ---- an opponent at random


def _draft_expectimax(branches: list[str], dice: Dice, difficulty: int, good: bool) -> Draft | None:
    game = joined(branches)
    random, best = search.expectimax(game), search.minimax(game)
    if not is_clear(random) or not is_clear(best) or (good and random.action == best.action):
        return None
    if difficulty < 3 and random.value * 2 % 1:
        return None  # no thirds for beginners
    ask = (
        "Which move is best for MAX if MIN chooses at random, every move as likely as the other (expectimax), and "
        "what is it worth? And which is best if MIN plays best (minimax)?"
    )
    return Draft(game, ask, (f"{random.action_name} {number(random.value)} {best.action_name}",))


def _explain_expectimax(question: Question) -> list[Part]:
    game, parts = question.game, []
    for look, words in (
        (search.expectimax, "Expectimax, MIN's nodes are means"),
        (search.minimax, "Minimax, MIN takes the smallest"),
    ):
        found = solved(game, look)
        best = found[game.initial()]
        parts.append(_solved_part(f"{words}: {best.action_name}, worth {number(best.value)}.", game, found))
    return parts


# ---- chance


def _draft_expectiminimax(branches: list[str], dice: Dice, difficulty: int, good: bool) -> Draft | None:
    game = joined(branches)
    best = search.expectiminimax(game, prune="none")
    if not is_clear(best) or abs(best.value - round(best.value, 2)) > 1e-9:
        return None  # two decimals are enough for paper
    ask = "Which move is best for MAX, and what is it worth? Probabilities stand at chance's outcomes (expectiminimax)."
    return Draft(game, ask, (f"{best.action_name} {number(best.value)}",))


def _explain_expectiminimax(question: Question) -> list[Part]:
    found = solved(question.game, lambda game, s: search.expectiminimax(game, s, prune="none"))
    best = found[question.game.initial()]
    words = (
        "A chance node is worth the mean of what is below it, each weighed by its probability: "
        f"{best.action_name}, worth {number(best.value)}."
    )
    return [_solved_part(words, question.game, found)]


# ---- three players


def _draft_maxn(branches: list[str], dice: Dice, difficulty: int, good: bool) -> Draft | None:
    game = joined(branches, "p1")
    for s in reversed(inner_states(game)):
        result = search.maxn(game, s)
        mine = [each.values[game.player(s)] for each in result.actions]
        if len(set(mine)) < len(mine):
            return None  # a tie would leave open what the others get
    ask = "Three players, each out for the most for itself (maxⁿ). What do p1, p2 and p3 get when all play best?"
    return Draft(game, ask, (pictures.value_text(result),))


def _explain_maxn(question: Question) -> list[Part]:
    found = solved(question.game, search.maxn)
    line = " ".join(found[question.game.initial()].line_names)
    words = f"Whoever moves takes what has the most for itself: {question.answer}, by the line {line}."
    return [_solved_part(words, question.game, found)]


# ---- all of them

_OPPONENTS = ("23 2", "3 23", "2 2 23", "23 2 23", "2 2 2 2")

KINDS = {
    "value": Kind(
        subject="the value of the root",
        form="a number, like 3",
        hint="Begin above the leaves: MIN takes the smallest number below it, MAX the largest.",
        shapes=_OPPONENTS,
        draft=_draft_value,
        explain=_explain_value,
    ),
    "pruned": Kind(
        subject="the leaves that alpha-beta never looks at",
        form="the leaves, like a2 b1, or none",
        hint="MIN's node is left as soon as it is no more than MAX has elsewhere on the way; MAX's likewise.",
        shapes=_OPPONENTS,
        draft=_draft_pruned,
        explain=_explain_pruned,
    ),
    "window": Kind(
        subject="α and β at a node",
        form="α and then β, like 3 inf",
        hint="α is the most that MAX has at its nodes on the way there, β the least that MIN has at its own.",
        shapes=_OPPONENTS,
        draft=_draft_window,
        explain=_explain_window,
    ),
    "order": Kind(
        subject="the order of moves that prunes most",
        form="the moves and the number, like B A C 7",
        hint="The move that gives MAX the most, looked at first, makes α large for all others.",
        shapes=("3 2", "3 23", "4 23", "3 2 2", "4 2 2"),
        draft=_draft_order,
        explain=_explain_order,
    ),
    "expectimax": Kind(
        subject="expectimax against minimax",
        form="move and value under expectimax, move under minimax, like C 5 B",
        hint="Take the mean at MIN's nodes for the first part, the smallest for the second.",
        shapes=("2 2", "3 23", "34 3", "3 2 2", "2 2 2 2"),
        draft=_draft_expectimax,
        explain=_explain_expectimax,
    ),
    "expectiminimax": Kind(
        subject="trees with chance",
        form="the move and its value, like B 4.5",
        hint="Multiply every outcome's value by its probability, and add.",
        shapes=("2 2", "3 2", "2 2 2", "3 2 2", "2 2 2 2"),
        draft=_draft_expectiminimax,
        explain=_explain_expectiminimax,
        movers=("max", "chance", "min", "chance"),
    ),
    "maxn": Kind(
        subject="three players",
        form="three numbers, like 4 0 7",
        hint="Who moves looks only at its own number, and passes the whole vector up.",
        shapes=("2 2", "3 2", "2 2 2", "3 2 2", "2 2 2 2"),
        draft=_draft_maxn,
        explain=_explain_maxn,
        movers=("p1", "p2", "p3"),
    ),
}
"""The kinds of questions by name."""
