"""What a selective search leaves out, or looks at less or more deeply: a small function for each refinement.

None of it is sound: a game has to allow it by `selective`. The numbers that decide are in the workspace, so that to try
others needs no compiling (`AlphaBeta.tune`). Margins count in tenths of what is estimated at half a win; in chess these
are pawns.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, log
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import UserError
from counterplay.search.table import AT_LEAST, AT_MOST, NO_ACTION, UNPROVEN, Entry

__all__ = [
    "DEPTHS",
    "NUMBERS",
    "Node",
    "gives_away",
    "hope_of_quiets",
    "is_certain",
    "is_hopeless",
    "is_loud",
    "is_safe",
    "is_worth_passing",
    "may_drop_losing",
    "may_drop_unsound",
    "may_stand_out",
    "moved",
    "reduction",
    "set_numbers",
    "shallower",
    "with_hindsight",
]

NUMBERS = {
    "safe_depth": 7.0,  # futility from above: to this depth,
    "safe_margin": 1.0,  # with so much for each ply
    "hopeless_from": 2.0,  # razoring: from this depth on, as at 1 a mate at once is not seen,
    "hopeless_depth": 4.0,  # to this one,
    "hopeless_margin": 1.0,  # with so much, and as much for the square of the depth
    "pass_depth": 3.0,  # null move: from this depth on
    "pass_less": 3.0,  # plies less, and
    "pass_share": 0.25,  # so many more for each ply of the depth, but
    "pass_least": 1.0,  # at least this depth: with none, a threat to win at once is not seen
    "verify_depth": 8.0,  # from here on a null move is not believed without a search
    "late_depth": 6.0,
    "late_moves": 3.0,  # quiet moves that are looked at whatever the depth, and its square more
    "futile_depth": 6.0,
    "futile_base": 1.5,
    "futile_margin": 1.2,  # for each ply
    "losing_depth": 2.0,  # captures that lose by exchange
    "unsound_depth": 5.0,  # quiet moves that do, by the plies that they would be looked at
    "reduce_base": 0.9,
    "reduce_share": 0.65,  # of log depth * log number of the move
    "single_depth": 6.0,  # singular extension: from this depth on, by a move that the table has from
    "single_less": 3.0,  # so many plies less, if all others are worse by
    "single_margin": 0.02,  # for each ply
    "delta_margin": 2.0,
    "evasions": 3.0,  # plies of quiescence in which what is urgent is answered
    "aspire_margin": 1 / 200,  # of the range of utilities: how far from the value expected the root looks first
    "aspire_growth": 3.0,  # how much further each time
}
"""The numbers of the selective refinements by name, which a workspace begins with."""

DEPTHS = 64
"""Beyond this depth, and this number of a move, reductions grow no more."""

_LOGARITHMS = np.array([log(number) for number in range(1, DEPTHS)])
_LORE = 5500.0  # history that counts for a ply of reduction


class Node(NamedTuple):
    """What is known of a state before its moves, as the player to move sees it."""

    depth: int
    ply: int
    sign: float
    """1 if the player to move is MAX, else -1."""
    estimate: float
    """The game's, or what the table knows better."""
    is_urgent: bool
    is_narrow: bool
    """Whether all that is asked is if the value is above a bound."""
    is_improving: bool
    """Whether the estimate is better than at the player's last move."""


def set_numbers(w: Any, numbers: Mapping[str, float]) -> None:
    """Put the numbers into a workspace: those given, for the rest the usual ones."""
    for name in numbers:
        if name not in NUMBERS:
            raise UserError(f"there is no number '{name}'; there are: {', '.join(NUMBERS)}")
    for name, usual in NUMBERS.items():
        w[name] = numbers.get(name, usual)
    w.reductions[1:, 1:] = w.reduce_base + np.outer(w.reduce_share * _LOGARITHMS, _LOGARITHMS)


# ---- compiled with the search


def moved(game: Any, v: float, x: float, sign: float) -> float:
    """The value `v`, as a player sees it, moved by `x` tenths of what is half a win; what is certain stays."""
    low, high = game.utility_range
    middle, reach = 0.5 * sign * (low + high), 0.5 * (high - low)
    share = (v - middle) / reach
    if not -1.0 < share < 1.0:
        return v
    if game.half_win > 0.0:
        bent = 10.0 * share / (1.0 - abs(share)) + x
        return float(middle + reach * (bent / (10.0 + abs(bent))))
    return float(min(max(v + 0.05 * reach * x, middle - reach), middle + reach))


def is_certain(game: Any, v: float, sign: float) -> bool:
    """Whether `v` is as much or as little as there is: not an estimate."""
    low, high = game.utility_range
    return bool(v <= (low if sign > 0.0 else -high) or v >= (high if sign > 0.0 else -low))


def is_loud(game: Any, s: Any, a: int) -> bool:
    """Whether a move takes something, well or not; for a game that does not tell, whether it is noisy."""
    if game.knows.gain:
        return bool(game.gain(s, a) > 0.0)
    if game.knows.is_noisy:
        return bool(game.is_noisy(s, a))
    return False


def gives_away(game: Any, s: Any, a: int, w: Any) -> bool:
    """Whether a move takes something and is not noisy, so that it loses by exchange; or is quiet, and unsound."""
    if is_loud(game, s, a):
        return bool(game.knows.is_noisy and not game.is_noisy(s, a))
    return bool(game.knows.is_unsound and w.use_exchanges and game.is_unsound(s, a))


def with_hindsight(guess: float, sign: float, entry: Entry, w: Any) -> float:
    """The estimate as a player sees it; or what the table knows of the state, where that is a bound beyond it."""
    v = sign * entry.value
    is_more = v > guess and entry.bound & (AT_LEAST if sign > 0.0 else AT_MOST)
    is_less = v < guess and entry.bound & (AT_MOST if sign > 0.0 else AT_LEAST)
    return float(v) if w.use_hindsight and (is_more or is_less) else guess


def is_safe(game: Any, node: Node, high: float, w: Any) -> bool:
    """Futility from above: the estimate is too good by so much that a shallow search will not change it."""
    if not w.use_safety or node.depth > w.safe_depth:
        return False
    margin = w.safe_margin * (node.depth - (1 if node.is_improving else 0))
    return moved(game, node.estimate, -margin, node.sign) >= high


def is_hopeless(game: Any, node: Node, low: float, w: Any) -> bool:
    """Razoring: the estimate is too bad by so much that only what is taken by force could help."""
    if not (w.use_razoring and w.use_quiescence and w.hopeless_from <= node.depth <= w.hopeless_depth):
        return False
    return moved(game, node.estimate, w.hopeless_margin * (1.0 + node.depth * node.depth), node.sign) < low


def is_worth_passing(node: Node, high: float, w: Any) -> bool:
    """Null move: the estimate is too good already, and while one is verified no other is made."""
    return bool(w.use_null_move and node.depth >= w.pass_depth and node.estimate >= high and node.ply >= w.pass_from)


def shallower(depth: int, w: Any) -> int:
    """The depth to search to after passing."""
    return max(int(w.pass_least), depth - int(w.pass_less + w.pass_share * depth))


def may_stand_out(game: Any, node: Node, known: int, entry: Entry, w: Any) -> bool:
    """Singular extension: the table has a move that was good enough in a search not much less deep, and no proof."""
    if not w.use_singular or known == NO_ACTION or node.depth < w.single_depth or node.ply >= w.furthest:
        return False
    is_good = entry.bound & (AT_LEAST if node.sign > 0.0 else AT_MOST) and entry.depth >= node.depth - w.single_less
    return bool(is_good and entry.within == UNPROVEN and not is_certain(game, node.sign * entry.value, node.sign))


def hope_of_quiets(game: Any, node: Node, rank: int, quiets: int, low: float, w: Any) -> float:
    """The most that the quiet moves from this rank on may bring, if that is too little; -inf if they come too late;
    else inf."""
    hope = hoped(game, node, rank, w)
    if hope <= low:
        return hope
    return -inf if is_late(node, quiets, w) else inf


def is_late(node: Node, quiets: int, w: Any) -> bool:
    """Late move pruning: near the horizon only so many quiet moves are looked at, half of them if things get worse."""
    if not w.use_lateness or node.depth > w.late_depth:
        return False
    most = w.late_moves + node.depth * node.depth
    return bool(quiets >= (most if node.is_improving else 0.5 * most))


def hoped(game: Any, node: Node, rank: int, w: Any) -> float:
    """Futility: the most that a quiet move of this rank may bring, by the estimate and a margin for each ply left."""
    left = plies_left(node, rank, w)
    if not w.use_futility or left > w.futile_depth:
        return inf
    return moved(game, node.estimate, w.futile_base + w.futile_margin * left, node.sign)


def plies_left(node: Node, rank: int, w: Any) -> int:
    """How deep a quiet move of this rank would be looked at, by and large."""
    return int(max(0, node.depth - 1 - w.reductions[min(node.depth, DEPTHS - 1), min(rank + 1, DEPTHS - 1)]))


def may_drop_unsound(node: Node, rank: int, w: Any) -> bool:
    """Near the horizon a quiet move is not looked at that gives away what it moves."""
    return bool(w.use_exchanges and plies_left(node, rank, w) <= w.unsound_depth)


def may_drop_losing(node: Node, w: Any) -> bool:
    """Near the horizon a capture that loses by exchange is not looked at."""
    return bool(w.use_exchanges and node.depth <= w.losing_depth)


def reduction(node: Node, rank: int, lore: int, is_special: bool, w: Any) -> int:
    """Plies by which a quiet move is asked less deeply first: more the later it comes and the deeper the search.

    `lore` is what history says of it; `is_special` is a killer or countermove, or a move that makes the other side's
    position urgent. Where the state is expected to be too good (`w.is_cut`), a late move is hardly the reason.
    """
    r = w.reductions[min(node.depth, DEPTHS - 1), min(rank + 1, DEPTHS - 1)]
    if not node.is_narrow:
        r -= 1
    elif w.is_cut[node.ply]:
        r += 1
    if not node.is_improving:
        r += 1
    if is_special or node.is_urgent:
        r -= 1
    r -= int(max(-2.0, min(2.0, lore / _LORE)))
    return int(max(0, min(r, node.depth - 2)))
