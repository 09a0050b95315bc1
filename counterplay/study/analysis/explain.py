"""Why a move is better than another: by the lines that they lead to and by the named terms of the estimate there.

A game's `terms(s)` are what its `evaluate` adds up, player 0's less player 1's, weighted by `weights` (1 each, if it
has none), before the sum is bent into the range of utilities. So the differences of the weighted terms at the ends of
two lines add up to the difference of the estimates. Whether that is so is looked up for the positions at hand, not
believed.

Where a model estimates, the terms are what it sees there: its features, its patterns, or what a network would miss.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

from counterplay import search
from counterplay.core.game import CHANCE, Game, UserError
from counterplay.core.words import player_name, value_text
from counterplay.learn.model import Model, model_of
from counterplay.search.alphabeta.workspace import PLIES
from counterplay.search.repetition import draw_value
from counterplay.search.run import Progress
from counterplay.study.analysis import learned
from counterplay.study.analysis.prospects import Judge, Prospect, new_judge

__all__ = ["Explanation", "Term", "explain"]

BUDGET = 200_000
"""Nodes to find the move, if no limit is given."""
DEEPER = 2
"""Plies more, to see whether the choice stays."""
_DEEPER_NODES = 10
"""So many times the nodes of the choice may be spent on that, and not less than the budget."""
_MOST_PARTS = 8
"""Of what a model sees, so much is told; the rest is added up."""
_IMPATIENT = 2.0
"""Seconds to compare moves after ctrl-C."""


class Term(NamedTuple):
    """A part of the estimate at the ends of two lines, as the player to move sees it: more is better."""

    name: str
    chosen: float
    other: float

    @property
    def difference(self) -> float:
        """What speaks for the chosen move."""
        return self.chosen - self.other


@dataclass(frozen=True)
class Explanation:
    """Why a move was chosen and not another."""

    game: Game
    state: Any
    algorithm: str
    chosen: Prospect
    other: Prospect | None = None
    """The second best, or the one asked about; None if there is no other move."""
    terms: tuple[Term, ...] = ()
    """The largest difference first. None if the game has no terms, or one of the lines is not ended by an estimate."""
    adds_up: bool = False
    """Whether the terms are weighted as the estimate does it, and add up to it; if not, they are as the game has them.
    """
    history: tuple[tuple[Prospect, Prospect], ...] = ()
    """What the chosen and the other move were worth to searches of depth 1, 2, 3 and so on."""
    deeper: tuple[Prospect, Prospect] | None = None
    """If a search two plies deeper chooses another move: that one, and the chosen one at that depth."""
    deeper_depth: int | None = None
    """How deep that search looked; None if it was not needed or did not come to an end."""
    nodes: int = 0
    seconds: float = 0.0

    @property
    def player(self) -> int:
        return self.game.player(self.state)

    @property
    def model(self) -> Model | None:
        """Whose estimate it is, if it is not the game's own."""
        return model_of(self.game)

    def patterns(self) -> list[learned.Part]:
        """What a model of patterns sees at the end of the chosen line, of the terms, in their order."""
        if not self.terms:
            return []
        found = {part.name: part for part in learned.parts(self.game, self.chosen.end) if part.places}
        return [found[term.name] for term in self.terms if term.name in found]

    @property
    def depth(self) -> int:
        """The plies to which the two moves were compared."""
        return len(self.history)

    @property
    def lead(self) -> float:
        """How much more the chosen move promises to the player to move."""
        return 0.0 if self.other is None else _lead(self.player, (self.chosen, self.other))

    @property
    def misled(self) -> tuple[int, ...]:
        """The depths at which the other move looked better, though it is worse at the last one: a horizon effect."""
        wrong = tuple(i + 1 for i, pair in enumerate(self.history) if _lead(self.player, pair) < 0)
        return wrong if self.lead > 0 else ()

    def unseen(self) -> tuple[Term, ...]:
        """What the last misled depth did not see of the other move: terms that get worse on its line, the worst first.

        Of a `Term` here, `chosen` is what there is in truth and `other` what it believed. Of a model nothing is told:
        it may know whose turn it is by any of its parts, and the turn changes from depth to depth.
        """
        if not self.misled or not self.adds_up or self.other is None or self.model is not None:
            return ()
        before = self.history[self.misled[-1] - 1][1]
        if {before.ends, self.other.ends} != {"estimate"}:
            return ()
        changes = _terms(self.game, self.player, self.other.end, before.end, True)
        worse = (term for term in changes if term.difference < 0)
        return tuple(sorted(worse, key=lambda term: term.difference))

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON. Values and terms are what the player to move gets."""
        p = self.player
        return {
            "game": str(self.game),
            "position": self.game.to_text(self.state),
            "player": p,
            "algorithm": self.algorithm,
            "depth": self.depth,
            "chosen": _as_dict(self.chosen, p),
            "other": None if self.other is None else _as_dict(self.other, p),
            "lead": self.lead,
            "terms": [{**term._asdict(), "difference": term.difference} for term in self.terms],
            "terms_add_up": self.adds_up,
            **self._patterns_as_dict(),
            "history": [
                {"depth": i + 1, "chosen": chosen.values[p], "other": other.values[p]}
                for i, (chosen, other) in enumerate(self.history)
            ],
            "misled_at": list(self.misled),
            "unseen": {term.name: term.difference for term in self.unseen()},
            "deeper_depth": self.deeper_depth,
            "deeper": None if self.deeper is None else [_as_dict(each, p) for each in self.deeper],
            "nodes": self.nodes,
            "seconds": self.seconds,
        }

    def _patterns_as_dict(self) -> dict[str, Any]:
        sign = -1.0 if self.player == 1 else 1.0
        found = [
            {"name": each.name, "squares": [place.name for place in each.places], "value": sign * each.value}
            for each in self.patterns()
        ]
        return {"patterns": found} if found else {}

    def paragraphs(self) -> list[str]:
        """The explanation, a paragraph each: the verdict, the lines, the terms, the horizon."""
        if self.other is None:
            return [f"{self.chosen.name} is the only legal move: there is nothing to compare it with."]
        found = [self._verdict(self.other), self._line(self.chosen), self._line(self.other)]
        return [*found, *self._what_differs(), *self._horizon(self.other), *self._two_plies_more()]

    def __str__(self) -> str:
        return "\n".join(self.paragraphs())

    # ---- in words

    def _verdict(self, other: Prospect) -> str:
        chosen, who = self.chosen, player_name(self.game, self.player)
        outcomes = f"{self._outcome(chosen)}, {self._outcome(other)}"
        if self.lead > 0:
            said = f"{chosen.name} is better than {other.name} for {who}: {outcomes}"
        elif self.lead == 0:
            said = f"{chosen.name} and {other.name} are worth the same to {who}: {outcomes}"
        else:
            said = f"{chosen.name} was chosen, but searched alone {other.name} comes out better for {who}: {outcomes}"
        if chosen.proven and other.proven:
            return f"{said}."
        return f"{said}, as far as {_plies(self.depth)} {'shows' if self.depth == 1 else 'show'}."

    def _outcome(self, what: Prospect) -> str:
        """What a move brings to the player to move."""
        v = what.values[self.player]
        if what.proven:
            soon = f" by force{self._how_soon(what)}"
            said = {"win": f"wins{soon}", "loss": f"loses{soon}", "draw": "is a draw with best play"}
            exactly = f"is worth exactly {value_text(self.game, v, proven=True)}"
            return f"{what.name} {said.get(_decided(self.game, self.player, what), exactly)}"
        return f"{what.name} " + (f"promises {self._worth(v)}" if _is_estimate(self.game, what) else "is undecided")

    def _how_soon(self, what: Prospect) -> str:
        """In how many moves a win or a loss comes, as `search` counts them: ` (mate in 3)`, ` in 4 moves`."""
        if not what.is_shortest or self.game.scored:
            return f" within {_plies(what.depth)}" if what.is_shortest else ""
        text = value_text(self.game, what.values[self.player], proven=True, plies=what.depth)
        word, _, number = text.partition(" in ")
        if word in ("win", "loss"):
            return f" in {number} {'move' if number == '1' else 'moves'}"
        return f" ({text})"

    def _worth(self, v: float) -> str:
        """What is promised: a figure of the game's unit, a chance, or the end of the matter."""
        return {"win": "a win", "loss": "a loss"}.get(said := value_text(self.game, v), said)

    def _line(self, what: Prospect) -> str:
        return f"After {what.name}: {_line_text(self.game, what)}"

    def _what_differs(self) -> list[str]:
        who = player_name(self.game, self.player)
        if not self.terms or self.other is None:
            return []
        shown = [f"{term.difference:+.2f} {_words(term.name)}" for term in self.terms if _shows(term.difference)]
        if not shown:
            return [f"All terms of the estimate are the same at the ends of both lines, for {who}."]
        there = "there" if {self.chosen.ends, self.other.ends} == {"estimate"} else "at the ends of these lines"
        listed = f"With {self.chosen.name} {who} has {there} {', '.join(shown)}, compared with {self.other.name}"
        if self.adds_up:
            total = sum(term.difference for term in self.terms)
            unit = "" if self.model is None else ", in the logarithm of the odds"
            return [f"{listed}: {f'{total:+.2f}' if _shows(total) else 'nothing'} in all{unit}."]
        if self.model is not None:
            return [f"{listed}. (So much would the network's opinion change without each; that does not add up.)"]
        return [f"{listed}. (The game's estimate is not the sum of these terms.)"]

    def _horizon(self, other: Prospect) -> list[str]:
        if not self.misled:
            return []
        p, last = self.player, self.misled[-1]
        then = self.history[last - 1]
        values = " against ".join(self._worth(each.values[p]) for each in (then[1], then[0]))
        since = f"from depth {last + 1} on it does not"
        terms = self.unseen()
        main = [term for term in terms if _shows(term.difference) and term.difference <= terms[0].difference / 10]
        unseen = ", ".join(f"{term.difference:+.2f} {_words(term.name)}" for term in main)
        lost = f" What depth {last} did not see after {other.name}: {unseen}." if unseen else ""
        return [f"Horizon effect: {_depths(self.misled)} {other.name} looked better ({values}); {since}.{lost}"]

    def _two_plies_more(self) -> list[str]:
        if self.deeper_depth is None:
            return []
        if self.deeper is None:
            return [f"Two plies deeper, at depth {self.deeper_depth}, the choice is the same."]
        better, chosen = self.deeper
        p = self.player
        values = f"it promises {self._worth(better.values[p])}, {chosen.name} {self._worth(chosen.values[p])}"
        return [
            f"Horizon effect: two plies deeper, at depth {self.deeper_depth}, the choice is {better.name}: {values}.",
            self._line(better),
            self._line(chosen),
        ]


def explain(
    game: Game,
    s: Any = None,
    move: str | None = None,
    depth: int | None = None,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    without: Iterable[str] = (),
    history: Sequence[Any] = (),
    progress: Progress | None = None,
) -> Explanation:
    """Why the best move at `s` (default: the initial state) is better than `move`, or than the second best.

    The limits are those of a search; without any, so many nodes as take a second or less. The search is the one that
    suits the game; `without` leaves out refinements of alpha-beta, and `history` has the states before `s`.
    """
    s = game.initial() if s is None else s
    if game.is_terminal(s):
        raise UserError("the game is over here: there is no move to explain")
    if game.player(s) == CHANCE:
        raise UserError("chance is to move here, which has no reasons; say first how the dice fall")
    asked = None if move is None else int(game.parse_action(s, move))
    limits = search.Limits(depth, None, nodes, seconds)
    if not limits.given():
        limits = search.Limits(nodes=BUDGET)
    judge = new_judge(game, s, without, history, progress)
    judge.compile()
    if len(actions := [int(a) for a in game.actions(s)]) == 1:
        (only,) = _compared(judge, actions[0], actions[0], 1, False)
        return Explanation(game, s, judge.algorithm, only[0])
    if seconds is not None:
        judge.deadline = time.perf_counter() + seconds
    half = None if seconds is None else seconds / 2  # the rest is for comparing
    found = judge.choose(search.Limits(limits.depth, None, limits.nodes, half))
    if found.stopped == "interrupted":  # somebody is waiting
        judge.deadline = time.perf_counter() + _IMPATIENT
    best = found.action
    assert best is not None

    last = max(1, found.depth)
    other = judge.second(found, last) if asked in (None, best) else asked
    if other is None:  # no time is left
        other = Judge.second(judge, found, 1)
    assert other is not None
    pairs = _compared(judge, best, other, last, found.proven)
    chosen, second = (_proven(judge, each) for each in pairs[-1])
    is_timed = judge.deadline < inf
    deeper_depth, deeper = (None, None) if is_timed or chosen.proven else _two_plies_more(judge, found, len(pairs))
    adds_up = _adds_up(game, s, [chosen.end, second.end])
    is_estimated = not (chosen.proven or second.proven or "over" in (chosen.ends, second.ends))
    terms = _terms(game, game.player(s), chosen.end, second.end, adds_up) if is_estimated else []
    return Explanation(
        game=game,
        state=s,
        algorithm=judge.algorithm,
        chosen=chosen,
        other=second,
        terms=tuple(sorted(terms, key=lambda term: -abs(term.difference))),
        adds_up=adds_up,
        history=pairs,
        deeper=deeper,
        deeper_depth=deeper_depth,
        nodes=judge.nodes,
        seconds=judge.seconds,
    )


def _compared(judge: Judge, best: int, other: int, last: int, is_proven: bool) -> tuple[tuple[Prospect, Prospect], ...]:
    """What both moves lead to at each depth from 1 on, to the `last`, or until both are proven or time is up.

    If the best is proven, it is looked at until that is seen again: the table may know a proof longer than the depth.
    """
    pairs: list[tuple[Prospect, Prospect]] = []
    for depth in range(1, PLIES):
        known = pairs[-1] if pairs else (None, None)
        looks = [
            before if before is not None and before.proven else judge.look(a, depth)
            for before, a in zip(known, (best, other), strict=True)
        ]
        if looks[0] is None or looks[1] is None:
            break
        pairs.append((looks[0], looks[1]))
        is_seen = looks[0].proven or not is_proven
        if (looks[0].proven and looks[1].proven) or (depth >= last and is_seen):
            break
    return tuple(pairs)


def _two_plies_more(
    judge: Judge, found: search.Result, depth: int
) -> tuple[int | None, tuple[Prospect, Prospect] | None]:
    """The depth of a deeper search, None if it did not come to its end; and if it chooses otherwise, both moves."""
    depth += DEEPER
    more = judge.choose(search.Limits(depth, nodes=max(BUDGET, _DEEPER_NODES * found.nodes)))
    if more.stopped not in ("depth", "solved"):
        return None, None
    if more.action == found.action or more.action is None or found.action is None:
        return depth, None
    better, chosen = judge.look(more.action, depth), judge.look(found.action, depth)
    if better is None or chosen is None:
        return None, None
    return depth, (better, chosen) if _lead(judge.game.player(judge.s), (better, chosen)) > 0 else None


def _lead(p: int, pair: tuple[Prospect, Prospect]) -> float:
    """How much more the first promises to player `p`; what may be mere rounding of sums is nothing."""
    lead = pair[0].values[p] - pair[1].values[p]
    return lead if abs(lead) > 1e-9 * max(abs(pair[0].values[p]), 1e-3) else 0.0


def _proven(judge: Judge, what: Prospect) -> Prospect:
    """The same; of a win or a loss with the line of a short proof."""
    is_decided = what.proven and _decided(judge.game, 0, what) in ("win", "loss")
    return judge.proof(what) if is_decided else what


def _decided(game: Game, p: int, what: Prospect) -> str:
    """`win`, `loss` or `draw`, if a value is the most, the least or the fair share that player `p` can get."""
    (low, high), v = game.utility_range, what.values[p]
    if game.players != 2 or not game.zero_sum or low + high != game.utility_sum:
        return ""
    return {high: "win", low: "loss", draw_value(game): "draw"}.get(v, "")


def _is_estimate(game: Game, what: Prospect) -> bool:
    """Whether a value that is not exact tells anything: without an `evaluate` the middle of the range does not."""
    return game.knows.evaluate or what.values[0] != sum(game.utility_range) / 2


# ---- terms


def _terms(game: Game, p: int, chosen: Any, other: Any, adds_up: bool) -> list[Term]:
    """The terms of two states as player `p` sees them: weighted, if they add up, else as the game has them."""
    if not _has_terms(game):
        return []
    sign, is_learned = -1.0 if p == 1 else 1.0, model_of(game) is not None
    one, two = (_weighted(game, s) if adds_up or is_learned else game.terms(s)._asdict() for s in (chosen, other))
    names = dict.fromkeys([*one, *two])
    terms = [Term(name, sign * one.get(name, 0.0) + 0.0, sign * two.get(name, 0.0) + 0.0) for name in names]  # no -0.0
    return _main(terms) if is_learned else terms


def _has_terms(game: Game) -> bool:
    return model_of(game) is not None or game.knows.terms


def _main(terms: list[Term]) -> list[Term]:
    """Those that differ most; all others as one."""
    ranked = sorted(terms, key=lambda term: -abs(term.difference))
    main, others = ranked[:_MOST_PARTS], ranked[_MOST_PARTS:]
    rest = Term("all others", sum(term.chosen for term in others), sum(term.other for term in others))
    return [*main, rest] if others else main


def _weighted(game: Game, s: Any) -> dict[str, float]:
    """What each term adds to the estimate for player 0, before that is bent into the range of utilities."""
    if model_of(game) is not None:
        return {part.name: part.value for part in learned.parts(game, s)}
    terms = game.terms(s)
    weights = game.weights or (1.0,) * len(terms)
    return {name: float(w * x) for name, w, x in zip(terms._fields, weights, terms, strict=True)}


def _adds_up(game: Game, s: Any, ends: Iterable[Any]) -> bool:
    """Whether the estimate grows with the sum of the weighted terms, at `s`, after each move from there, and at `ends`.

    Equal sums must have equal estimates, larger sums larger ones, but at the limits of the range of utilities.
    """
    model = model_of(game)
    if not _has_terms(game) or game.players > 2 or not game.zero_sum or (model and not learned.adds_up(model)):
        return False
    states = [s, *(game.result(s, a) for a in game.actions(s)), *ends]
    found = sorted(
        (sum(_weighted(game, t).values()), float(game.evaluate(t, 0))) for t in states if not game.is_terminal(t)
    )
    for (less, before), (more, after) in pairwise(found):
        is_same = more - less < 1e-9
        if abs(after - before) > 1e-6 if is_same else after <= before and after not in game.utility_range:
            return False
    return True


# ---- words


def _line_text(game: Game, what: Prospect) -> str:
    """The line after a move, and what is at its end."""
    names = what.names[1:]
    line = (", " if any(" " in name for name in names) else " ").join(names)
    ends = {
        "over": "the game is over",
        "estimate": "there the estimate was taken" if _is_estimate(game, what) else "there nothing is decided",
        "repetition": "a repetition, which is a draw",
        "throw": "then the dice; the value is the mean of what follows",
        "unknown": "and on, further than the line is known",
    }[what.ends]
    if what.beyond:
        moves = "the last move" if what.beyond == 1 else f"the last {what.beyond} moves"
        ends += f"; {moves} beyond depth {what.depth}, to where the position is quiet"
    return f"{line} ({ends})." if line else f"{ends}."


def _plies(n: int | None) -> str:
    return "1 ply" if n == 1 else f"{n} plies"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _shows(x: float) -> bool:
    """Whether two decimals show anything of it."""
    return abs(x) >= 0.005


def _depths(depths: Sequence[int]) -> str:
    """`to depth 3`, `at depths 2 and 4`."""
    last = depths[-1]
    if list(depths) == list(range(1, last + 1)):
        return f"to depth {last}"
    *others, _ = map(str, depths)
    return f"at depths {', '.join(others)} and {last}" if others else f"at depth {last}"


def _as_dict(what: Prospect, p: int) -> dict[str, Any]:
    return {
        "action": what.action,
        "action_name": what.name,
        "value": what.values[p],
        "values": list(what.values),
        "proven": what.proven,
        "within": what.depth if what.is_shortest else None,
        "line_names": list(what.names),
        "ends": what.ends,
        "beyond": what.beyond,
    }
