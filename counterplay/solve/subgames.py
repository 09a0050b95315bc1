"""A game cut in two: the trunk, which is looked at first, and the subgames that come after it.

The cut goes through public states: what everybody sees says that the trunk has ended. By default that is where chance
has shown something after somebody has moved, as the card on the table of Leduc poker; or after a number of moves.
What a player may know where a subgame begins is one of his hands there. A subgame is a game of its own as soon as it
is said how likely each player has come to it with each of his hands.

    trunk = cut(games.load("leduc_poker"))
    trunk.leaves[3].form                the sequence form of a subgame, with sequence 1 + h for hand h
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import CHANCE, Game, UserError, listed_actions
from counterplay.core.views import information_key
from counterplay.search.result import Unsuited
from counterplay.solve.sequences import Root, SequenceForm, Side, TooLarge, must_hide_something, side_of, unfold_from

__all__ = ["Leaf", "Trunk", "cut"]

_MOST_STATES = 300_000
"""States of a trunk, which is walked by the rules as they are written: some seconds."""


@dataclass
class Leaf:
    """A public state at which the trunk ends."""

    game: Game
    public: Any
    """What everybody sees there."""
    hands: tuple[dict[int, int], dict[int, int]] = field(default_factory=lambda: ({}, {}))
    """By player and `information_key` of what he knows: the number of his hand."""
    into: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    """By player and hand: the sequence of the trunk that leads to it."""
    roots: list[Root] = field(default_factory=list)
    """The states that it may be, each by hands: sequence 1 + h for hand h."""

    @cached_property
    def form(self) -> SequenceForm:
        """The subgame that begins here, unfolded."""
        return unfold_from(self.game, self.roots, (len(self.hands[0]), len(self.hands[1])))

    def _meets(self, s: Any, sequences: tuple[int, int], reach: float) -> None:
        """Note a state of this leaf."""
        for p in (0, 1):
            key, hands, into = information_key(self.game.information(s, p), p), self.hands[p], self.into[p]
            if key not in hands:
                hands[key] = len(hands)
                into.append(sequences[p])
            elif into[hands[key]] != sequences[p]:
                raise UserError(f"{self.game} cannot be solved: a player forgets; `counterplay check` says where")
        one, two = (self.hands[p][information_key(self.game.information(s, p), p)] for p in (0, 1))
        self.roots.append(Root(s, reach, (1 + one, 1 + two)))


class Trunk(NamedTuple):
    """The beginning of a game, up to where its subgames begin."""

    game: Game
    sides: tuple[Side, Side]
    """As those of a whole game; what comes after the leaves pays nothing here."""
    leaves: tuple[Leaf, ...]

    def unfold(self) -> SequenceForm:
        """All subgames at once, which have nothing in common: their hands are numbered one leaf after the other."""
        roots, before = [], np.zeros(2, int)
        for leaf in self.leaves:
            for root in leaf.roots:
                one, two = root.sequences
                roots.append(root._replace(sequences=(one + int(before[0]), two + int(before[1]))))
            before += len(leaf.hands[0]), len(leaf.hands[1])
        form = unfold_from(self.game, roots, (int(before[0]), int(before[1])))
        for p in (0, 1):
            if np.isin(form.sides[p].keys, self.sides[p].keys).any():
                raise Unsuited(f"{self.game} cannot be cut there: who is in a subgame might be before it")
        return form

    def into(self, p: int) -> Any:
        """By hand of player `p`, one leaf after the other: the sequence that leads to it."""
        return np.array([q for leaf in self.leaves for q in leaf.into[p]], np.int64)


def cut(game: Game, depth: int | None = None) -> Trunk:
    """The trunk of a game: `depth` moves of players, or up to where chance shows something after a move."""
    must_hide_something(game)
    if depth is not None and depth < 1:
        raise UserError(f"the trunk has 1 move or more, not {depth}")
    walk = _Walk(game, depth)
    walk.down(game.initial(), (0, 0), 1.0, 0, False)
    return Trunk(game, (walk.side(0), walk.side(1)), tuple(walk.leaves.values()))


class _Walk:
    """A walk through the trunk, and what it has found: sets and sequences of either player, ends, and leaves."""

    def __init__(self, game: Game, depth: int | None) -> None:
        self.game, self.depth, self.states = game, depth, 0
        self.leaves: dict[Any, Leaf] = {}
        self.sets: tuple[dict[int, int], dict[int, int]] = {}, {}  # by information_key: the number
        self.parent: tuple[list[int], list[int]] = [], []
        self.first: tuple[list[int], list[int]] = [1], [1]
        self.actions: tuple[list[int], list[int]] = [-1], [-1]
        self.ends: list[tuple[int, int, float, float]] = []

    def down(self, s: Any, sequences: tuple[int, int], reach: float, moves: int, shown: bool) -> None:
        """All below `s`, before which players have made so many moves; `shown`: chance has moved after them."""
        game = self.game
        self.states += 1
        if self.states > _MOST_STATES:
            raise TooLarge(f"the trunk of {game} has more than {_MOST_STATES:,} states")
        if game.is_terminal(s):
            self.ends.append((*sequences, reach * game.utility(s, 0), reach * game.utility(s, 1)))
            return
        p = game.player(s)
        if p == CHANCE:
            for a in listed_actions(game, s):
                self.down(game.result(s, a), sequences, reach * game.probability(s, a), moves, moves > 0)
            return
        if shown if self.depth is None else moves >= self.depth:
            public = game.information(s, CHANCE)
            self.leaves.setdefault(public, Leaf(game, public))._meets(s, sequences, reach)
            return
        actions = listed_actions(game, s)
        first = self._first_of(information_key(game.information(s, p), p), p, sequences[p], actions)
        for q, a in enumerate(actions, first):
            after = (q, sequences[1]) if p == 0 else (sequences[0], q)
            self.down(game.result(s, a), after, reach, moves + 1, False)

    def _first_of(self, key: int, p: int, before: int, actions: list[int]) -> int:
        """The first sequence of a set."""
        number = self.sets[p].setdefault(key, len(self.sets[p]))
        if number == len(self.parent[p]):
            self.parent[p].append(before)
            self.actions[p].extend(actions)
            self.first[p].append(len(self.actions[p]))
        first, end = self.first[p][number : number + 2]
        if self.parent[p][number] != before or self.actions[p][first:end] != actions:
            raise UserError(f"{self.game} cannot be solved: a player forgets; `counterplay check` says where")
        return first

    def side(self, p: int) -> Side:
        """What was found about one player."""
        ends = np.array(self.ends, float).reshape(-1, 4)
        pays = ends[:, p].astype(np.int64), ends[:, 1 - p].astype(np.int64), ends[:, 2 + p]
        keys, actions = np.array(list(self.sets[p]), np.int64), np.array(self.actions[p], np.int64)
        return side_of(keys, np.array(self.parent[p], np.int64), np.array(self.first[p], np.int64), actions, pays)
