"""The sequence form of a game with something hidden: the game unfolded once, and never walked again.

A sequence is what a player does at all his turns so far. Where a game ends, each player has come by one sequence; so
what a game pays is a sparse matrix by both players' sequences, chance multiplied in (Koller, Megiddo and von Stengel
1994). A strategy is then a row of numbers, and whatever solves the game goes over arrays.

    form = unfold(game)
    form.sides[0].sets          player 0's information sets, those before first
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import CHANCE, Game, UserError
from counterplay.core.primitives import mix64, state_key
from counterplay.core.records import new_record, record_type
from counterplay.native import native
from counterplay.search.result import Unsuited

__all__ = ["MOST_NODES", "Root", "SequenceForm", "Side", "TooLarge", "measure", "must_hide_something", "side_of"]
__all__ += ["unfold", "unfold_from"]

MOST_NODES = 20_000_000
"""Histories of a game that is unfolded; that takes about 40 bytes for each."""

_SIZE = record_type([("nodes", np.int64), ("ends", np.int64), ("decisions", np.int64), ("most", np.int64)])
_SEEN = record_type([("ends", np.int64), ("sets", np.int64, (2,)), ("sequences", np.int64, (2,)), ("wrong", np.int64)])
_FORGETS, _BETRAYS = 1, 2


class TooLarge(Unsuited):
    """A game that has too many histories to be unfolded."""


class Size(NamedTuple):
    """How large a game is, as a tree."""

    nodes: int
    ends: int
    decisions: int


class Side(NamedTuple):
    """One player's information sets and sequences, and what these pay. Sequence 0 is the one before any move.

    Sets are in an order in which none comes before the one that leads to it.
    """

    keys: Any
    """By set: its `information_key`."""
    parent: Any
    """By set: the sequence that leads to it."""
    first: Any
    """By set: its first sequence; those of set i end before `first[i + 1]`."""
    actions: Any
    """By sequence: the last action; -1 for sequence 0."""
    start: Any
    """By sequence: its ends of the game are from `start[q]` up to `start[q + 1]`."""
    other: Any
    """By end: the other player's sequence."""
    pay: Any
    """By end: what this player gets, times the probability of chance."""

    @property
    def sets(self) -> int:
        return len(self.parent)

    @property
    def sequences(self) -> int:
        return int(self.first[-1])


class SequenceForm(NamedTuple):
    """An unfolded game."""

    game: Game
    size: Size
    sides: tuple[Side, Side]


class Root(NamedTuple):
    """A state to unfold from, and how the players have come to it."""

    state: Any
    reach: float
    """How likely chance makes it."""
    sequences: tuple[int, int]
    """The sequence of each player that leads to it."""


class _Rows(NamedTuple):
    """What is written while a game is unfolded: by player, and a hash table of the sets."""

    keys: Any
    numbers: Any
    set_keys: Any
    parent: Any
    first: Any
    size: Any
    actions: Any
    ends: Any
    pay: Any


def measure(game: Game, most: int = MOST_NODES, states: Sequence[Any] | None = None) -> Size:
    """How large the game is, or what comes after some states; `TooLarge` if it has more than `most` histories."""
    must_hide_something(game)
    size = new_record(_SIZE)
    size.most = most
    for s in [game.initial()] if states is None else states:
        count(game, s, size)
    if size.nodes > most:
        raise TooLarge(f"{game} has more than {most:,} histories, too many to unfold: solve it by sampling")
    return Size(int(size.nodes), int(size.ends), int(size.decisions))


def must_hide_something(game: Game) -> None:
    """Refuse games that a search is for, and those of other than two players."""
    if game.players != 2:
        raise Unsuited(f"an equilibrium is found for two players; {game} has {game.players}")
    if game.perfect_information:
        raise Unsuited(f"{game} hides nothing, so that there is a best move: `counterplay search` finds it")


@native
def count(game, s, size):  # type: ignore[no-untyped-def]
    """Count what is below `s`, unless it is too much."""
    size.nodes += 1
    if size.nodes > size.most:
        return 0
    if game.is_terminal(s):
        size.ends += 1
        return 0
    if game.player(s) != CHANCE:
        size.decisions += 1
    for a in game.actions(s):
        count(game, game.result(s, a), size)
        if size.nodes > size.most:
            return 0
    return 0


def place(keys: Any, numbers: Any, key: int) -> int:
    """Where a key is in the hash table, or belongs."""
    i = key & (len(keys) - 1)
    while numbers[i] >= 0 and keys[i] != key:
        i = (i + 1) & (len(keys) - 1)
    return i


@native
def spread(game, s, mine, theirs, reach, rows, seen):  # type: ignore[no-untyped-def]
    """Write down all below `s`, which player 0 has come to by sequence `mine` and player 1 by `theirs`.

    `reach` is how likely chance makes it.
    """
    if game.is_terminal(s):
        t = seen.ends
        rows.ends[0, t], rows.ends[1, t] = mine, theirs
        rows.pay[0, t], rows.pay[1, t] = reach * game.utility(s, 0), reach * game.utility(s, 1)
        seen.ends = t + 1
        return 0
    p = game.player(s)
    if p == CHANCE:
        for a in game.actions(s):
            spread(game, game.result(s, a), mine, theirs, reach * game.probability(s, a), rows, seen)
        return 0
    before = mine if p == 0 else theirs
    key = mix64(state_key(game.information(s, p)) ^ p)
    i = place(rows.keys, rows.numbers, key)
    number = rows.numbers[i]
    if number < 0:
        number, q = seen.sets[p], seen.sequences[p]
        rows.keys[i], rows.numbers[i] = key, number
        rows.set_keys[p, number], rows.parent[p, number], rows.first[p, number] = key, before, q
        for a in game.actions(s):
            rows.actions[p, q] = a
            q += 1
        rows.size[p, number] = q - rows.first[p, number]
        seen.sets[p], seen.sequences[p] = number + 1, q
    if rows.parent[p, number] != before:
        seen.wrong = _FORGETS
    first, i = rows.first[p, number], 0
    for a in game.actions(s):
        if i >= rows.size[p, number] or rows.actions[p, first + i] != a:
            seen.wrong = _BETRAYS
        if seen.wrong != 0:
            return 0
        q = first + i
        spread(game, game.result(s, a), q if p == 0 else mine, theirs if p == 0 else q, reach, rows, seen)
        i += 1
    if i != rows.size[p, number]:
        seen.wrong = _BETRAYS
    return 0


def unfold(game: Game, most: int = MOST_NODES) -> SequenceForm:
    """The sequence form of a game for two players; `TooLarge` if it has more than `most` histories."""
    return _unfold(game, measure(game, most), [Root(game.initial(), 1.0, (0, 0))], (0, 0))


def unfold_from(game: Game, roots: Sequence[Root], hands: tuple[int, int], most: int = MOST_NODES) -> SequenceForm:
    """The sequence form of all that comes after some states.

    Each player begins with one of so many hands: sequences 1 to `hands[p]`, which no set of this form leads to.
    """
    return _unfold(game, measure(game, most, [root.state for root in roots]), roots, hands)


def _unfold(game: Game, size: Size, roots: Sequence[Root], hands: tuple[int, int]) -> SequenceForm:
    slots = 1 << (2 * size.decisions + 1).bit_length()
    sets, sequences = (2, size.decisions + 1), (2, size.nodes + 1 + max(hands))
    rows = _Rows(
        np.zeros(slots, np.int64),
        np.full(slots, -1, np.int64),
        np.zeros(sets, np.int64),
        np.zeros(sets, np.int64),
        np.zeros(sets, np.int64),
        np.zeros(sets, np.int64),
        np.full(sequences, -1, np.int64),
        np.zeros((2, size.ends), np.int64),
        np.zeros((2, size.ends)),
    )
    seen = new_record(_SEEN)
    seen.sequences[:] = 1 + hands[0], 1 + hands[1]
    for root in roots:
        spread(game, root.state, *root.sequences, root.reach, rows, seen)
    if seen.wrong:
        why = "forgets what he knew or did" if seen.wrong == _FORGETS else "has other moves where he knows the same"
        raise UserError(f"{game} cannot be solved: a player {why}; `counterplay check` says where")
    n, k = seen.sets, seen.sequences
    sides = [
        side_of(
            rows.set_keys[p, : n[p]],
            rows.parent[p, : n[p]],
            np.append(rows.first[p, : n[p]], k[p]),
            rows.actions[p, : k[p]],
            (rows.ends[p], rows.ends[1 - p], rows.pay[p]),
        )
        for p in (0, 1)
    ]
    return SequenceForm(game, size, (sides[0], sides[1]))


def side_of(keys: Any, parent: Any, first: Any, actions: Any, ends: tuple[Any, Any, Any]) -> Side:
    """A side of these arrays. `ends`: by end, his sequence, the other's and what it pays; equal ones are added up."""
    order = np.lexsort((ends[1], ends[0]))
    mine, other, pay = (each[order] for each in ends)
    is_new = np.ones(len(mine), bool)
    is_new[1:] = (mine[1:] != mine[:-1]) | (other[1:] != other[:-1])
    pay = np.bincount(np.cumsum(is_new) - 1, pay).astype(float)
    mine, other = mine[is_new], other[is_new]
    counts = pay != 0.0
    return Side(
        keys.copy(),
        parent.astype(np.int32),
        first.astype(np.int32),
        actions.copy(),
        np.searchsorted(mine[counts], np.arange(len(actions) + 1)).astype(np.int32),
        other[counts].astype(np.uint32),
        pay[counts],
    )
