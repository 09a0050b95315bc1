"""What must hold for every game: one function each, named like the property, that says what is wrong, or nothing."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from counterplay.core.game import CHANCE, KNOWLEDGE, RULES, Game
from counterplay.core.randomness import new_random
from counterplay.study.check.ends import (
    finish_is_minimax,
    glance_is_a_number,
    plies_left_is_true,
    sound_actions_are_those_that_do_not_lose,
    still_possible_is_true,
)
from counterplay.study.check.examination import FAILED, Examination, Seen
from counterplay.study.check.values import is_finite, kind, listed, plain, same, shape, unfit

__all__ = ["check_declarations", "check_keys", "check_replay", "check_states", "check_texts"]

TEXTS = 300  # states whose texts are looked at: a drawing may be slow
NAMES = 8  # about as many actions of a state are read back: to read one may mean to name them all

Property = Callable[[Game, Seen], Iterator[str]]


# ---- of one state


def state_is_a_tuple_of_numbers(game: Game, it: Seen) -> Iterator[str]:
    """A state is a tuple of numbers, `Bits` and tuples of these."""
    if why := unfit(it.state):
        yield why


def stable_state_type(game: Game, it: Seen) -> Iterator[str]:
    """Every field keeps its type, its length and its width from beginning to end."""
    first, now = shape(game.initial()), shape(it.state)
    for name in {**first, **now}:
        if (before := first.get(name, "absent")) != (after := now.get(name, "absent")):
            yield f"{name} was {before} at the start and is {after} here; it must keep one type for the whole game"


def player_exists(game: Game, it: Seen) -> Iterator[str]:
    """The player is 0 .. players-1, or CHANCE if the game declares it."""
    p = it.says["player"]
    if not isinstance(p, int | np.integer) or not CHANCE <= int(p) < game.players:
        yield f"player says {p!r}; it must be one of 0 to {game.players - 1}, or CHANCE"
    elif p == CHANCE and not game.chance:
        yield "CHANCE moves, but the game does not declare it: write  chance = True  in the class"


def actions_are_integers(game: Game, it: Seen) -> Iterator[str]:
    """An action is an integer of at most 64 bits."""
    for a in it.says["actions"]:
        if kind(a) != "int" or not -(2**63) <= a < 2**63:
            yield f"action {a!r} is {kind(a)}; an action is an integer of at most 64 bits"


def no_actions_at_the_end(game: Game, it: Seen) -> Iterator[str]:
    """A terminal state has no actions."""
    if it.over and it.says["actions"]:
        yield f"the game is over, but actions still gives {listed(it.says['actions'])}; it must give none"


def actions_until_the_end(game: Game, it: Seen) -> Iterator[str]:
    """A live state has at least one action."""
    if not it.says["actions"] and not it.says.get("is_terminal", True):
        yield "there is no action, but is_terminal says the game goes on; end it, or give an action for passing"


def each_action_once(game: Game, it: Seen) -> Iterator[str]:
    """No action is given twice."""
    actions = it.says["actions"]
    if len(set(actions)) < len(actions):
        twice = next(a for i, a in enumerate(actions) if a in actions[:i])
        yield f"actions gives {twice} more than once: {listed(actions)}"


def count_actions_counts_them(game: Game, it: Seen) -> Iterator[str]:
    """`count_actions` says how many there are."""
    given, n = len(it.says["actions"]), game.count_actions(it.state) if game.knows.count_actions else None
    if n is not None and n != given:
        yield f"count_actions says {n}, but actions gives {given}"


def sample_gives_them_by_number(game: Game, it: Seen) -> Iterator[str]:
    """`sample` gives the action of a number in the order of `actions`: the first, the last, another."""
    actions = it.says["actions"] if game.knows.sample and not it.over else ()
    for k in sorted({0, it.ply % len(actions), len(actions) - 1}) if actions else ():
        r = -(-(k << 32) // len(actions))
        if (a := game.sample(it.state, r)) != actions[k]:
            yield f"sample gives {a} for r = {r}, which is number {k} of {len(actions)} actions: {actions[k]}"


def quick_action_is_legal(game: Game, it: Seen) -> Iterator[str]:
    """`quick_action` gives one of the actions, whatever the last one was."""
    actions = list(it.says["actions"]) if game.knows.quick_action and not it.over else []
    for seed in range(3) if actions and it.says["player"] != CHANCE else ():
        a = game.quick_action(it.state, -1 if seed == 0 else actions[-1], new_random(it.ply * 3 + seed))
        if a not in actions:
            yield f"quick_action gives {a}, which is none of the actions: {listed(actions)}"


def noisy_actions_are_all_that_are_noisy(game: Game, it: Seen) -> Iterator[str]:
    """`noisy_actions` gives every action that `is_noisy` calls so, in the order of `actions`, and none but actions."""
    if not game.knows.noisy_actions or it.over or it.says["player"] == CHANCE:
        return
    actions, given = list(it.says["actions"]), list(game.noisy_actions(it.state))
    noisy = [a for a in actions if game.is_noisy(it.state, a)]
    if [a for a in actions if a in given] != given:
        yield f"noisy_actions gives {listed(given)}, which are not in this order among the actions: {listed(actions)}"
    elif missing := [a for a in noisy if a not in given]:
        yield f"noisy_actions leaves out {missing[0]}, which is noisy; it gives {listed(given)}"


def quiet_actions_are_the_others(game: Game, it: Seen) -> Iterator[str]:
    """`quiet_actions` gives the actions that `noisy_actions` leaves out, in the order of `actions`."""
    if not game.knows.quiet_actions or it.over or it.says["player"] == CHANCE:
        return
    noisy, given = set(game.noisy_actions(it.state)), list(game.quiet_actions(it.state))
    others = [a for a in it.says["actions"] if a not in noisy]
    if given != others:
        yield f"quiet_actions gives {listed(given)}, but noisy_actions leaves out {listed(others)}"


def urgent_actions_are_all_quiet_ones_that_are(game: Game, it: Seen) -> Iterator[str]:
    """`urgent_actions` gives every quiet action that `makes_urgent`, in their order, and none but quiet ones."""
    if not game.knows.urgent_actions or it.over or it.says["player"] == CHANCE:
        return
    quiet, given = list(game.quiet_actions(it.state)), list(game.urgent_actions(it.state))
    if [a for a in quiet if a in given] != given:
        yield f"urgent_actions gives {listed(given)}, which are not in this order among the quiet ones: {listed(quiet)}"
    elif missing := [a for a in quiet if a not in given and game.makes_urgent(it.state, a)]:
        yield f"urgent_actions leaves out {missing[0]}, which makes the position urgent; it gives {listed(given)}"


def makes_urgent_foresees(game: Game, it: Seen) -> Iterator[str]:
    """`makes_urgent` says of a move what `is_urgent` says after it."""
    for a in it.says["actions"] if game.knows.makes_urgent and not it.over and it.says["player"] != CHANCE else ():
        said, true = bool(game.makes_urgent(it.state, a)), bool(game.is_urgent(game.result(it.state, a)))
        if said != true:
            yield f"makes_urgent says {said} of {a}, but is_urgent says {true} after it"


def canonical_stands_for_all(game: Game, it: Seen) -> Iterator[str]:
    """`canonical` of a canonical state is that state, with the same player to move and as many actions."""
    if not game.knows.canonical:
        return
    c = game.canonical(it.state)
    if plain(again := game.canonical(c)) != plain(c):
        yield f"canonical gives {c!r}, but for that one {again!r}"
    if (over := bool(game.is_terminal(c))) != it.over or (not over and game.player(c) != it.says["player"]):
        yield f"canonical gives {c!r}, where the player to move or the end of the game is another"
    elif (n := len(list(game.actions(c)))) != len(it.says["actions"]):
        yield f"canonical gives {c!r}, which has {n} actions and not {len(it.says['actions'])}"


def images_lead_to_images(game: Game, it: Seen) -> Iterator[str]:
    """By every symmetry, what `image_action` makes of an action leads to the `image` of where the action leads."""
    if not game.knows.image or it.over:
        return
    for k in range(len(game.symmetries)):
        seen = game.image(it.state, k)
        for a in list(it.says["actions"])[:NAMES]:
            turned = game.image_action(a, k)
            if turned not in list(game.actions(seen)):
                yield f"image_action makes {turned} of {a}, which is no action in image {k}"
            elif plain(game.result(seen, turned)) != plain(game.image(game.result(it.state, a), k)):
                yield f"image_action makes {turned} of {a}, which does not lead to image {k} of where that leads"


def earned_is_in_range(game: Game, it: Seen) -> Iterator[str]:
    """What players have `earned` at a live state is finite, in `utility_range`, and one's gain is the other's loss."""
    if not game.knows.earned or it.over:
        return
    given = [game.earned(it.state, p) for p in range(game.players)]
    yield from _outside(game, given, "sum earned")
    if game.zero_sum and game.players > 1 and abs(sum(given) - game.utility_sum) > _slack(game):
        yield f"the sums earned {listed(given)} add up to {sum(given):g}, not to {game.utility_sum:g}"


def probabilities_add_up(game: Game, it: Seen) -> Iterator[str]:
    """Probabilities are above 0, with sum 1."""
    given = it.says["probability"]
    if not all(is_finite(x) and x > 0 for x in given):
        yield f"the probabilities are {listed(given)}; each must be above 0 (leave out what cannot happen)"
    elif abs(math.fsum(given) - 1.0) > 1e-9:
        yield f"the probabilities {listed(given)} add up to {math.fsum(given):g}, not to 1"


def utility_in_range(game: Game, it: Seen) -> Iterator[str]:
    """Utilities are finite and in `utility_range`."""
    return _outside(game, it.says["utility"], "utility")


def utilities_add_up(game: Game, it: Seen) -> Iterator[str]:
    """Utilities add up to `utility_sum`, if the game declares `zero_sum`."""
    total = sum(it.says["utility"])
    if game.zero_sum and game.players > 1 and abs(total - game.utility_sum) > _slack(game):
        given = listed(it.says["utility"])
        yield f"the utilities {given} add up to {total:g}, not to {game.utility_sum:g}; or is  zero_sum = False  true?"


def evaluate_in_range(game: Game, it: Seen) -> Iterator[str]:
    """Estimates are finite and in `utility_range`."""
    return _outside(game, it.says["evaluate"], "estimate")


def evaluate_exact_at_the_end(game: Game, it: Seen) -> Iterator[str]:
    """The estimate of a terminal state is its utility."""
    for p, (v, u) in enumerate(zip(it.says["evaluate"], it.says.get("utility", ()), strict=False)):
        if v != u:
            yield f"the game is over, with utility {u!r} for player {p}; evaluate says {v!r} and must say the same"


def _outside(game: Game, values: list[Any], what: str) -> Iterator[str]:
    low, high = game.utility_range
    for p, v in enumerate(values):
        if not is_finite(v):
            yield f"the {what} for player {p} is {v!r}; it must be a finite number"
        elif not low - _slack(game) <= v <= high + _slack(game):
            yield f"the {what} for player {p} is {v!r}, outside the declared utility_range from {low:g} to {high:g}"


def _slack(game: Game) -> float:
    """What rounding may do to a utility."""
    return 1e-9 * max(1.0, *map(abs, game.utility_range))


# ---- of the texts for people


def show_gives_text(game: Game, it: Seen) -> Iterator[str]:
    """`show` gives a text."""
    if not isinstance(shown := game.show(it.state), str):
        yield f"show gives {shown!r}, not a text"


def action_names_differ(game: Game, it: Seen) -> Iterator[str]:
    """Action names are texts, different for different actions."""
    named: dict[Any, int] = {}
    for a in it.says.get("actions", ()):
        name = game.action_name(it.state, a)
        if not isinstance(name, str):
            yield f"action_name gives {name!r} for action {a}, not a text"
        if named.setdefault(name, a) != a:
            yield f"actions {named[name]} and {a} have the same name '{name}'"


def action_names_read_back(game: Game, it: Seen) -> Iterator[str]:
    """`parse_action` reads the names of the actions."""
    actions = it.says.get("actions", ()) if not it.over else ()
    for a in actions[:: 1 + len(actions) // NAMES]:
        name = game.action_name(it.state, a)
        try:
            back: Any = game.parse_action(it.state, name)
        except ValueError as error:
            back = f"nothing: {error}"
        if back != a:
            yield f"action {a} is called '{name}', but parse_action reads that as {back}"


def position_text_reads_back(game: Game, it: Seen) -> Iterator[str]:
    """`from_text` reads what `to_text` gives, as the same state."""
    if shape(it.state) != shape(game.initial()):
        return  # another property tells of that
    text = game.to_text(it.state)
    if not isinstance(text, str):
        yield f"to_text gives {text!r}, not a text"
    try:
        back: Any = game.from_text(text)
    except ValueError as error:
        yield f"to_text gives '{text}', which from_text does not read: {error}"
        return
    if not same(back, it.state) or shape(back) != shape(it.state):
        yield f"to_text gives '{text}', which from_text reads as {back!r}, not as {it.state!r}"


# ---- the tables: a rule, and the properties that it must have; the first that fails is told

_OF_STATES: dict[str, tuple[Property, ...]] = {
    "state": (state_is_a_tuple_of_numbers, stable_state_type),
    "player": (player_exists,),
    "actions": (
        actions_are_integers,
        no_actions_at_the_end,
        actions_until_the_end,
        each_action_once,
        count_actions_counts_them,
        sample_gives_them_by_number,
        quick_action_is_legal,
        noisy_actions_are_all_that_are_noisy,
        quiet_actions_are_the_others,
        urgent_actions_are_all_quiet_ones_that_are,
        makes_urgent_foresees,
        canonical_stands_for_all,
        images_lead_to_images,
        earned_is_in_range,
        plies_left_is_true,
        sound_actions_are_those_that_do_not_lose,
        still_possible_is_true,
        glance_is_a_number,
        finish_is_minimax,
    ),
    "probability": (probabilities_add_up,),
    "utility": (utility_in_range, utilities_add_up),
    "evaluate": (evaluate_in_range, evaluate_exact_at_the_end),
}
_OF_TEXTS: dict[str, tuple[Property, ...]] = {
    "show": (show_gives_text,),
    "action_name": (action_names_differ, action_names_read_back),
    "to_text": (position_text_reads_back,),
}


def check_states(exam: Examination) -> None:
    """Every state has the properties of the first table, as far as its rules answered."""
    for it in exam.seen:
        for rule, properties in _OF_STATES.items():
            if rule in it.says:
                where = rule if rule != "state" else "result" if it.ply else "initial"
                _first_wrong(exam, it, where, properties)


def check_texts(exam: Examination) -> None:
    """Some of the states have the properties of the second table; a state that is none has no texts either."""
    different = list({plain(it.state): it for it in exam.seen if it.is_fit}.values())
    for it in different[:: 1 + len(different) // TEXTS]:
        for rule, properties in _OF_TEXTS.items():
            _first_wrong(exam, it, rule, properties)


def _first_wrong(exam: Examination, it: Seen, rule: str, properties: tuple[Property, ...]) -> None:
    for property in properties:
        message = exam.attempt(rule, lambda of=property: next(of(exam.game, it), None), it=it)
        if message not in (None, FAILED):
            exam.note(property.__name__.replace("_", " "), rule, message, it)
        if message is not None:
            return


# ---- of a game as a whole


def check_declarations(exam: Examination) -> None:
    """Declarations make sense: there are players, and `utility_range` is the least and the greatest utility."""
    for rule in (*RULES, "probability", *KNOWLEDGE):
        wanted, given = (inspect.signature(getattr(owner, rule)) for owner in (Game, type(exam.game)))
        needed = list(wanted.parameters)
        try:
            given.bind(*needed)
        except TypeError:
            text = f"{rule}{given} cannot be called: write  def {rule}({', '.join(needed)})"
            exam.note("rules take what they are given", rule, text)
    players = exam.attempt("players", lambda: exam.game.players)
    if players is not FAILED and (not isinstance(players, int) or players < 1):
        exam.note("declarations make sense", "players", f"players is {players!r}; it must be an integer from 1 up")
    bounds = exam.attempt("utility_range", lambda: [*map(float, exam.game.utility_range)])
    if bounds is not FAILED and (len(bounds) != 2 or not all(map(is_finite, bounds)) or bounds[0] > bounds[1]):
        text = f"utility_range is {listed(bounds)}; it must be the least and the greatest utility, like (-1.0, 1.0)"
        exam.note("declarations make sense", "utility_range", text)


def check_replay(exam: Examination) -> None:
    """Same answers again: played again, a game has the same states, and the rules say the same of them."""
    s = FAILED
    for it in exam.seen:
        if it.ply == 0:
            s = exam.attempt("initial", exam.game.initial)
        again = exam.ask(it, s) if s is not FAILED else {}
        for rule, answer in it.says.items():
            if rule in again and not same(answer, again[rule]):
                text = f"{rule} was {answer!r} and is {again[rule]!r} when asked again; do the rules remember anything?"
                exam.note("same answers again", rule if rule != "state" else "initial", text, it)
        s = again.get("result", FAILED)


def check_keys(exam: Examination) -> None:
    """Keys tell states apart: they have 64 bits, equal for equal states and different for others."""
    name, states, keys = "keys tell states apart", {}, {}  # type: ignore[var-annotated]
    for it in exam.seen:
        if "key" not in it.says:
            continue
        key, state = it.says["key"], plain(it.state)
        if kind(key) != "int" or not -(2**63) <= key < 2**64:
            exam.note(name, "key", f"key says {key!r}; it must be an integer of 64 bits", it)
        elif keys.setdefault(state, key) != key:
            exam.note(name, "key", f"this state had key {keys[state]} before and has {key} now", it)
        elif plain((other := states.setdefault(plain(key), it)).state) != state and not _repeats(exam.game, other, it):
            text = f"{it.state!r} and {other.state!r} are different, but have the same key {key}"
            exam.note(name, "key", text, it)


def _repeats(game: Game, one: Seen, other: Seen) -> bool:
    """Whether two states of a game with repetition are one position, and differ in how long ago it was irreversible."""
    if not game.knows.reversible or game.reversible(one.state) == game.reversible(other.state):
        return False
    return one.over or other.over or all(one.says.get(rule) == other.says.get(rule) for rule in ("player", "actions"))
