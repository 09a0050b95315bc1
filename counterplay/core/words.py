"""A game in its own language: who is who, what a value means, how a game ended, lines of moves with numbers.

Everything that words a value does it here, so that `search`, `play`, `analyse` and `explain` say the same. Programs get
utilities for the first player instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

__all__ = [
    "caption",
    "chance_to_win",
    "gain_text",
    "in_units",
    "is_duel",
    "is_scored",
    "line_text",
    "outcome",
    "player_name",
    "value_text",
    "values_text",
]

_WINS = ((-1.0, 1.0), (0.0, 1.0))
"""Ranges of utility that mean a loss and a win."""


def player_name(game: Any, p: int) -> str:
    """What people call a player; a throw of the dice is chance's."""
    return "chance" if p < 0 else str(game.player_names[p])


def is_duel(game: Any) -> bool:
    """Whether one value tells all: what one gets the other loses, or there is only one."""
    return game.players == 1 or (game.players == 2 and bool(game.zero_sum))


# ---- values: the defaults of what a game declares for people


def is_scored(game: Any) -> bool:
    low, high = game.utility_range
    return (float(low), float(high)) not in _WINS


def in_units(game: Any, v: float) -> float | None:
    if game.scored:
        return v
    if not game.unit:
        return None
    low, high = game.utility_range
    middle, reach = 0.5 * (low + high), 0.5 * (high - low)
    if game.half_win <= 0.0:
        return float(v - middle)
    share = (v - middle) / reach
    return float(game.half_win * share / (1.0 - abs(share))) if abs(share) < 1.0 else inf * share


def chance_to_win(game: Any, v: float) -> float:
    low, high = game.utility_range
    return min(max((v - low) / (high - low), 0.0), 1.0) if high > low else 0.5


def outcome(game: Any, s: Any) -> str:
    utilities = [float(game.utility(s, p)) for p in range(game.players)]
    best = max(utilities)
    winners = [name for name, u in zip(game.player_names, utilities, strict=True) if u == best]
    if not is_duel(game) or game.players == 1:
        each = zip(game.player_names, utilities, strict=True)
        return ", ".join(f"{name} {_counted(game, u)}" for name, u in each)
    if len(winners) == 2:
        return "a draw"
    return f"{winners[0]} wins" + (f" {_counted(game, best)}" if game.scored else "")


# ---- values in words


def value_text(
    game: Any,
    v: float,
    *,
    proven: bool = False,
    plies: int | None = None,
    simulated: bool = False,
    unit: bool = True,
) -> str:
    """What the utility `v` means to the player who gets it: `+0.35 pawns`, `61%`, `a draw`, `mate in 3`.

    `proven`: it is the game's own value. `plies`: how far the end is, if that is known. `simulated`: a mean over games
    played out, so that a win is a win only when it is proven. `unit`: say of what, which a table does in its heading.
    """
    if not game.scored and is_duel(game):
        low, high = game.utility_range
        if v in (low, high) and (proven or not simulated):
            return _won(game, v == high, plies)
        if proven and not game.chance:
            return "draw" if v == 0.5 * (low + high) else f"{v:.4g}"  # neither won nor lost, and no mean of games
        if not proven and not simulated and not game.knows.evaluate and v == 0.5 * (low + high):
            return "undecided"
    x = None if simulated and not game.scored else game.in_units(v)
    if x is None:
        return _percent(chance_to_win(game, v) if simulated else game.chance_to_win(v))
    return _counted(game, x) if unit else _figure(game, x)


def values_text(game: Any, values: Sequence[float], p: int, **how: Any) -> str:
    """The value for player `p`; where opponents do not share it, those of all players."""
    told = values[p : p + 1] if is_duel(game) else values
    return ", ".join(value_text(game, v, **how) for v in told)


def caption(game: Any, p: int, simulated: bool = False) -> str:
    """What the figures of a table are, and for whom."""
    if not is_duel(game):
        return f"values for {', '.join(game.player_names)}"
    who, middle = player_name(game, p), 0.5 * sum(game.utility_range)
    if game.in_units(middle) is None or (simulated and not game.scored):
        return f"values are the chance to win for {who}"
    return f"values are for {who}" + (f", in {game.unit}" if game.unit else "")


def gain_text(game: Any, before: float, after: float) -> str:
    """What a change of the value gives to the player who gets it: a score, or chances to win."""
    if game.scored:
        return _counted(game, after - before)
    return f"{100 * (game.chance_to_win(after) - game.chance_to_win(before)):+.0f}%"


def _won(game: Any, is_win: bool, plies: int | None) -> str:
    word = game.win_word if is_win else {"mate": "mated"}.get(game.win_word, "loss")
    if plies is None:
        return "win" if is_win else "loss"
    return f"{word} in {(plies + 1) // 2}"


def _percent(chance: float) -> str:
    """Not quite a win is never 100%."""
    if chance >= 0.995:
        return ">99%"
    return "<1%" if chance <= 0.005 else f"{100 * chance:.0f}%"


def _figure(game: Any, x: float) -> str:
    """Pawns with two places, as is the custom; others as short as they are. A sign, where there is a unit."""
    if not game.unit:
        return f"{x + 0.0:.4g}"
    figure = f"{round(x, 2) + 0.0:+.2f}"
    return figure if game.half_win > 0.0 and not game.scored else figure.rstrip("0").rstrip(".")


def _counted(game: Any, x: float) -> str:
    figure = _figure(game, x)
    one = figure in ("+1", "-1") and game.unit.endswith("s")
    return f"{figure} {game.unit.removesuffix('s') if one else game.unit}".strip()


# ---- lines


def has_numbers(game: Any, names: Sequence[str]) -> bool:
    """Whether moves are numbered: where two play in turn without dice, and moves are no numbers themselves."""
    return game.players == 2 and not game.chance and not any(name.isdigit() for name in names)


def line_text(game: Any, s: Any, line: Sequence[int], earlier: Sequence[Any] = (), most: int | None = None) -> str:
    """The moves of a line from `s` on by their names: `7. Nf3 Nc6 8. Bb5`; `most` leaves out those after so many.

    There are numbers where two play in turn without dice; not beside moves that are numbers themselves. `earlier` has
    the states before `s`, as far as they are known.
    """
    names, movers = [], []
    for a in line if most is None else line[:most]:
        names.append(game.action_name(s, a))
        movers.append(game.player(s))
        if len(names) == 1:
            number = game.move_number(s, earlier)
        s = game.result(s, a)
    more = " ..." if most is not None and most < len(line) else ""
    separator = ", " if any(" " in name for name in names) else " "
    if not has_numbers(game, names):
        return separator.join(names) + more
    words, last = [], None
    for name, p in zip(names, movers, strict=True):
        if last is not None and (p == 0 or last == p):
            number += 1
        words.append(f"{number}. {name}" if p == 0 else name if last == 0 else f"{number}... {name}")
        last = p
    return separator.join(words) + more
