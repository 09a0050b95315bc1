"""What to do where something is hidden, and why: a mixture of moves, and what leaving it would cost.

In an equilibrium the moves that are mixed are worth the same, so that no move is better than another. What keeps a
player to the mixture is what the other could do if he knew of another one: that is computed here, exactly.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from counterplay import solve
from counterplay.core.game import CHANCE, Game, Position, UserError, listed_actions
from counterplay.core.views import View, information_key, view
from counterplay.solve import SequenceForm, Side, Strategy

__all__ = ["MixedMove", "Mixture", "Reply", "explain_mixture"]

MOST_HISTORIES = 200_000
"""Of a game that is looked at so; larger ones take too long without compiling."""
_RARE = 0.005  # a chance that nobody has to be told of
_SMALL = 0.001  # what nobody would play another way for


@dataclass(frozen=True)
class Reply:
    """Where the other gains most by knowing."""

    known: str
    action: str


@dataclass(frozen=True)
class MixedMove:
    """One move of a mixture."""

    name: str
    chance: float
    value: float
    """What it is worth to who moves, here, if both play on by the equilibrium."""
    cost: float
    """What the other gains a game, from the start, if he knows that this move is always made here."""
    reply: Reply | None
    """How, if it is anything."""


@dataclass(frozen=True)
class Mixture:
    """The moves of a player at what he knows."""

    game: Game
    view: View = field(repr=False)
    moves: tuple[MixedMove, ...]
    exploitability: float
    """How close the equilibrium is that all this is taken from."""

    def paragraphs(self) -> list[str]:
        """In words: `bet 1 time in 3: if you always did, ...`."""
        unit = f" {self.game.unit}" if self.game.unit else ""
        mixed = [each for each in self.moves if each.chance >= _RARE]
        if len(mixed) == 1:
            text = [f"Always {mixed[0].name}: it is worth {mixed[0].value:+.3f}{unit}."]
        else:
            parts = ", ".join(f"{each.name} {_times(each.chance)}" for each in mixed)
            text = [f"Mix: {parts}. Each is worth {mixed[0].value:+.3f}{unit} here, as long as the other has to guess."]
        best = max(each.value for each in mixed)
        for each in self.moves:
            if each.chance < _RARE:
                lost = (
                    f"loses {best - each.value:.3f}{unit} at once" if best - each.value >= _SMALL else "loses nothing"
                )
                text.append(f"Never {each.name}: it {lost}.")
            elif len(mixed) > 1:
                text.append(f"Always {each.name}? Who knows it gains {each.cost:.3f}{unit} a game{self._told(each)}.")
        return text

    def _told(self, each: MixedMove) -> str:
        if each.reply is None or each.cost < _SMALL:
            return ""
        return f", with {each.reply.action} at [{'; '.join(each.reply.known.split(chr(10)))}]"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        moves = [asdict(each) for each in self.moves]
        about = {"game": str(self.game), "view": self.view.as_dict(), "exploitability": self.exploitability}
        return {**about, "moves": moves}


def explain_mixture(here: Position, iterations: int = 1_000) -> Mixture:
    """What who is to move should do, by an equilibrium of so many iterations."""
    game, s = here
    if game.is_terminal(s) or (p := game.player(s)) == CHANCE:
        raise UserError("nobody chooses a move here: play on by --moves until somebody does")
    try:
        solve.measure(game, MOST_HISTORIES)
    except solve.TooLarge:
        raise UserError(
            f"{game} is too large to solve here; `counterplay search` imagines what is hidden, and says what it plays"
        ) from None
    strategy = solve.equilibrium(game, iterations=iterations)
    form = solve.unfold(game)
    both = strategy.by_sequence(form.sides[0]), strategy.by_sequence(form.sides[1])
    found = _Walk(strategy, p, key := information_key(game.information(s, p), p))
    base = _Replies(form, both, p)
    side, moves = form.sides[p], []
    number = side.keys.tolist().index(key)
    first, end = int(side.first[number]), int(side.first[number + 1])
    for q in range(first, end):
        a = int(side.actions[q])
        changed = [row.copy() for row in both]
        changed[p][first:end] = 0.0
        changed[p][q] = 1.0
        reply = _Replies(form, (changed[0], changed[1]), p)
        cost = max(0.0, reply.value - base.value)
        told = _reply(game, form.sides[1 - p], base, reply, found.states) if cost >= _SMALL else None
        name = game.action_name(s, a)
        moves.append(MixedMove(name, float(both[p][q]), found.values[a], float(cost), told))
    return Mixture(game, view(game, s, p), tuple(moves), float(strategy.about.exploitability or 0.0))


def _times(chance: float) -> str:
    return f"{100 * chance:.0f}%"


def _reply(game: Game, side: Side, base: _Replies, reply: _Replies, states: dict[int, Any]) -> Reply | None:
    """What the other does where he gains most by it."""
    i = int(np.argmax(reply.regrets - base.regrets))
    s, a = states.get(int(side.keys[i])), int(side.actions[reply.best[i]])
    return None if s is None else Reply(str(view(game, s, game.player(s))), game.action_name(s, a))


class _Walk:
    """What each action is worth to player `p` where he knows `key`, and a state of every information set."""

    def __init__(self, strategy: Strategy, p: int, key: int) -> None:
        self._strategy, self._game, self._p, self._key = strategy, strategy.game, p, key
        self.states: dict[int, Any] = {}
        self._totals: dict[int, float] = {}
        self._reach = 0.0
        self._value(self._game.initial(), 1.0)
        self.values = {a: total / self._reach if self._reach > 0.0 else 0.0 for a, total in self._totals.items()}

    def _value(self, s: Any, reach: float) -> float:
        """What `s` is worth to the player; `reach` is how likely chance and the other make it."""
        game, p = self._game, self._p
        if game.is_terminal(s):
            return float(game.utility(s, p))
        who, is_here = game.player(s), False
        if who == CHANCE:
            chances = {a: float(game.probability(s, a)) for a in listed_actions(game, s)}
        else:
            known = view(game, s, who)
            self.states.setdefault(known.key, s)
            chances = self._strategy.chances_at(known)
            is_here = who == p and known.key == self._key
            self._reach += reach if is_here else 0.0
        total = 0.0
        for a, chance in chances.items():
            v = self._value(game.result(s, a), reach if who == p else reach * chance)
            total += chance * v
            if is_here:
                self._totals[a] = self._totals.get(a, 0.0) + reach * v
        return total


class _Replies:
    """The best response of the other player to strategies, by sequence, and what he gains by it at each set."""

    def __init__(self, form: SequenceForm, strategies: tuple[Any, Any], p: int) -> None:
        mine, theirs = form.sides[p], form.sides[1 - p]
        plan = np.ones(mine.sequences)
        for i in range(mine.sets):
            q, end = mine.first[i], mine.first[i + 1]
            plan[q:end] = plan[mine.parent[i]] * strategies[p][q:end]
        paid = theirs.pay * plan[theirs.other]
        gains = np.array([paid[theirs.start[q] : theirs.start[q + 1]].sum() for q in range(theirs.sequences)])
        self.regrets, self.best = np.zeros(theirs.sets), np.zeros(theirs.sets, np.int64)
        for i in range(theirs.sets - 1, -1, -1):
            q, end = theirs.first[i], theirs.first[i + 1]
            self.best[i] = q + int(np.argmax(gains[q:end]))
            most = gains[self.best[i]]
            self.regrets[i] = most - strategies[1 - p][q:end] @ gains[q:end]
            gains[theirs.parent[i]] += most
        self.value = float(gains[0])
