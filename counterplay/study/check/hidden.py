"""What must hold for a game with something hidden: nobody forgets, and nobody's moves tell what he may not know.

A small game is looked at as a whole, so that this is proven; of a large one some random games are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from counterplay.core.game import CHANCE, Game, listed_actions
from counterplay.search import new_random, random_action
from counterplay.study.check.examination import Examination
from counterplay.study.check.values import plain, shape, unfit

__all__ = ["check_information"]

WHOLE = 20_000  # states of a game that is looked at as a whole
GAMES = 200  # random games otherwise
_SEED = 1  # of what is imagined

Own = tuple[tuple[Any, int], ...]
"""What a player remembers: what he knew at each of his moves, and the move."""


class _Met(NamedTuple):
    """A state, and what each player has done on the way to it."""

    state: Any
    own: tuple[Own, ...]


def check_information(exam: Examination) -> None:
    """Players remember all that they knew and did, and states that they cannot tell apart have the same moves."""
    game = exam.game
    if not game.knows.information or exam.problems:
        return
    exam.attempt("information", lambda: _look(exam, game))


def _look(exam: Examination, game: Game) -> None:
    known: dict[Any, _Met] = {}
    shapes: dict[int, dict[str, str]] = {}
    for met in _states(game):
        s = met.state
        for p in range(CHANCE, game.players):
            information = game.information(s, p)
            if why := unfit(information):
                exam.note("information is a tuple of numbers", "information", f"for player {p}: {why}")
                return
            if shapes.setdefault(p, shape(information)) != shape(information):
                text = f"what player {p} knows is {information!r}, of another shape than at the start"
                exam.note("information keeps its type", "information", f"{text}; it must keep one for the whole game")
                return
        if game.is_terminal(s) or (p := game.player(s)) == CHANCE:
            continue
        information = game.information(s, p)
        first = known.setdefault((p, plain(information)), met)
        for name, text in _differences(game, p, information, first, met):
            exam.note(name, "information", text)
            return
        if game.knows.sample_state and (text := _wrongly_imagined(game, p, first.state, s)):
            exam.note("what is imagined could be so", "sample_state", text)
            return


def _differences(game: Game, p: int, information: Any, one: _Met, other: _Met) -> Iterator[tuple[str, str]]:
    """What player `p` could tell apart where he knows the same."""
    where = f"player {p} knows {information!r} in {game.to_text(one.state)} and in {game.to_text(other.state)}"
    moves, others = ([(a, game.action_name(s, a)) for a in listed_actions(game, s)] for s in (one.state, other.state))
    if moves != others:
        yield "no move tells what is hidden", f"{where}, but has other moves there: {moves} and {others}"
    if one.own[p] != other.own[p]:
        mine, theirs = (" ".join(str(a) for _, a in each.own[p]) or "no move" for each in (one, other))
        did = f"after {mine} of his own and after {theirs}" if mine != theirs else "though he knew other things before"
        yield "players remember", f"{where}, {did}: information forgets; let it tell all that he has seen and done"


def _wrongly_imagined(game: Game, p: int, one: Any, other: Any) -> str:
    """What is wrong with the states that player `p` imagines at two that he cannot tell apart; empty if nothing is."""
    drawn = game.sample_state(other, p, new_random(_SEED))
    where = f"for player {p} at {game.to_text(other)}"
    if unfit(drawn) or shape(drawn) != shape(other):
        return f"{where} it is {drawn!r}, which is no state of the game"
    if game.is_terminal(drawn) or game.player(drawn) != p:
        return f"{where} it is {game.to_text(drawn)}, where it is not his turn"
    if plain(game.information(drawn, p)) != plain(game.information(other, p)):
        return f"{where} it is {game.to_text(drawn)}, where he knows something else"
    if plain(drawn) != plain(game.sample_state(one, p, new_random(_SEED))):
        return f"{where} it is another than at {game.to_text(one)}, though he knows the same: it tells what is hidden"
    return ""


def _states(game: Game) -> Iterator[_Met]:
    """All states of a small game, or those of random games."""
    found = list(islice(_all_states(game), WHOLE + 1))
    return iter(found) if len(found) <= WHOLE else _random_states(game)


def _all_states(game: Game) -> Iterator[_Met]:
    waiting = [_Met(game.initial(), ((),) * game.players)]
    while waiting:
        yield (met := waiting.pop())
        if not game.is_terminal(met.state):
            waiting += [_after(game, met, a) for a in reversed(listed_actions(game, met.state))]


def _random_states(game: Game) -> Iterator[_Met]:
    for seed in range(GAMES):
        random, met = new_random(seed), _Met(game.initial(), ((),) * game.players)
        for _ in range(WHOLE // GAMES):
            yield met
            if game.is_terminal(met.state):
                break
            met = _after(game, met, int(random_action.interpreted(game, met.state, random)))


def _after(game: Game, met: _Met, a: int) -> _Met:
    s, own = met.state, list(met.own)
    if (p := game.player(s)) != CHANCE:
        own[p] = (*own[p], (plain(game.information(s, p)), a))
    return _Met(game.result(s, a), tuple(own))
