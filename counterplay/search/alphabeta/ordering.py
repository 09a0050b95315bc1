"""The order in which alpha-beta looks at moves, and what it learns from those that were good.

A move's score is one number of 64 bits, so that the next move is the largest of a row, and nothing needs to be shifted:

    bits 27-62   the game's priority, or else the evaluation of the successor, rounded to 36 bits
    bits 9-26    lore: killers, the countermove, history
    bits 0-8     511 less the number of the move, so that of equals the one that the game lists first comes first

History keeps for every move how often it was good enough to end the search of a state (Schaeffer 1983), here as in
newer programs: what is far from its limit grows faster, and moves that were looked at in vain lose as much.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.core.primitives import (
    as_bits,
    list_actions,
    list_noisy,
    list_quiet,
    list_urgent,
    load_short,
    store_short,
)
from counterplay.search.alphabeta.pruning import gives_away, is_loud
from counterplay.search.alphabeta.workspace import (
    ANSWERS,
    HISTORY,
    KINDS,
    PLANS,
    PLIES,
    TRIED,
    WIDTH,
)
from counterplay.search.table import NO_ACTION

__all__ = [
    "ALL",
    "NOTHING_YET",
    "THE_PROMISING",
    "THE_QUIET",
    "drop_quiets",
    "is_answer",
    "kind_of",
    "lore",
    "next_in_time",
    "next_move",
    "note_tried",
    "order_moves",
    "order_noisy",
    "order_quiets",
    "order_urgent",
    "put_off",
    "reward",
    "reward_before",
    "rows_of",
]

_TAKEN = -(1 << 63)
_PROMISING = 1 << 27
"""The least score of a priority of more than 0."""
NOTHING_YET, THE_KNOWN, THE_PROMISING, THE_QUIET, THE_LOSING, ALL = range(6)
"""What is listed of the moves of a state."""
_KILLER, _COUNTER = 50_000, 40_000
_MOST_BONUS = 1600
_MOST_LORE = 16_384
"""Of each of the histories; three of them and a killer fit into 18 bits."""


def sortable(x: float) -> int:
    """A number of 36 bits, the sign included, that grows with `x`."""
    bits = as_bits(x + 0.0)
    return bits >> 28 if bits >= 0 else -((bits & 0x7FFFFFFFFFFFFFFF) >> 28)


def packed(priority: float, known: int, i: int) -> int:
    """The score of move number `i`."""
    return (sortable(priority) << 27) + (known + (1 << 17) << 9) + (WIDTH - 1 - i)


def kind_of(game: Any, s: Any, a: int) -> int:
    """The kind of a move, within bounds whatever the game says."""
    return game.kind(s, a) & (KINDS - 1)  # type: ignore[no-any-return]


class Rows(NamedTuple):
    """Where in `w.lore` the histories of a state's moves are."""

    moves: int
    answers: int
    plans: int


def rows_of(p: int, ply: int, w: Any) -> Rows:
    before, own = w.kinds[ply], w.kinds[max(0, ply - 1)]
    return Rows(p * HISTORY, ANSWERS + before * KINDS, PLANS + own * KINDS)


def lore(game: Any, s: Any, a: int, rows: Rows, w: Any) -> int:
    """What history says of a move: what it did anywhere, and in answer to the move before and the own one before that.

    The latter is for games that tell the `kind` of a move (continuation history).
    """
    found = 0
    if w.use_history:
        found += load_short(w.lore_at, rows.moves + (a & (HISTORY - 1)))
    if game.knows.kind and w.use_continuations:
        kind = kind_of(game, s, a)
        found += load_short(w.lore_at, rows.answers + kind)
        found += load_short(w.lore_at, rows.plans + kind)
    return found


def is_answer(game: Any, a: int, ply: int, w: Any) -> bool:
    """Whether a move refuted a sibling of this state (a killer), or the same move elsewhere (a countermove)."""
    if w.use_killers and (a == w.killers[ply, 0] or a == w.killers[ply, 1]):
        return True
    return bool(game.knows.kind and w.use_continuations and a == w.counters[w.kinds[ply]])


def order_moves(game: Any, s: Any, p: int, depth: int, ply: int, known: int, w: Any) -> int:
    """List the actions of `s` with a score each, larger to be looked at earlier; how many they are.

    By the game's priority or else the evaluation of the successor; what is equal in that by killers and history.
    (Connect Four at 16 plies: to mix history into the priority made the tree three times as large.) Not the best move
    of an earlier visit, which was looked at before.
    """
    n = within_width(list_actions(game, s, w.moves[ply]), w)
    score_moves(game, s, p, depth, ply, known, n, w)
    return n


def order_quiets(game: Any, s: Any, p: int, depth: int, ply: int, known: int, w: Any) -> int:
    """The same with those that `noisy_actions` leaves out."""
    n = within_width(list_quiet(game, s, w.moves[ply]), w)
    score_moves(game, s, p, depth, ply, known, n, w)
    return n


def order_urgent(game: Any, s: Any, p: int, depth: int, ply: int, known: int, w: Any) -> int:
    """The same with those of them after which an answer is urgent, and which give nothing away."""
    n = 0
    if game.knows.is_urgent and w.use_urgency:
        for i in range(within_width(list_urgent(game, s, w.urgent), w)):
            a = int(w.urgent[i])
            if makes_it_urgent(game, s, a, w):
                w.moves[ply, n] = a
                n += 1
        score_moves(game, s, p, depth, ply, known, n, w)
    return n


def makes_it_urgent(game: Any, s: Any, a: int, w: Any) -> bool:
    """Whether an answer to a quiet move is urgent, unless it gives something away: such a move is never left out."""
    return bool(game.makes_urgent(s, a)) and not gives_away(game, s, a, w)


def within_width(n: int, w: Any) -> int:
    """So many moves, if that is not too many."""
    if n > WIDTH:
        w.too_wide, w.stop = 1, 1
    return min(n, WIDTH)


def score_moves(game: Any, s: Any, p: int, depth: int, ply: int, known: int, n: int, w: Any) -> None:
    """Give the first `n` moves of a ply their scores."""
    rows, killer, other, counter = rows_of(p, ply, w), NO_ACTION, NO_ACTION, NO_ACTION
    if w.use_killers:
        killer, other = w.killers[ply, 0], w.killers[ply, 1]
    if game.knows.kind and w.use_continuations:
        counter = w.counters[w.kinds[ply]]
    for i in range(n if w.use_order else 0):
        a = int(w.moves[ply, i])
        priority = 0.0
        if game.knows.priority and w.use_priority:
            priority = game.priority(s, a)
        elif game.knows.evaluate and w.use_successors and depth > 1:
            priority = game.evaluate(game.result(s, a), p)
        learned = lore(game, s, a, rows, w)
        if a == killer:
            learned += _KILLER
        elif a in (other, counter):
            learned += _COUNTER
        w.scores[ply, i] = _TAKEN if a == known else packed(priority, learned, i)


def order_promising(game: Any, s: Any, ply: int, known: int, w: Any) -> int:
    """List the noisy actions apart, in the order of their priority alone; how many they are.

    Those with a priority of more than 0 are promising. The others wait there until all else was looked at, or, if the
    game does not list the quiet ones by themselves, are listed again with all.
    """
    n = 0
    if game.knows.noisy_actions and game.knows.priority and w.use_priority:
        n = within_width(list_noisy(game, s, w.moves[PLIES + ply]), w)
        for i in range(n):
            a = int(w.moves[PLIES + ply, i])
            w.scores[PLIES + ply, i] = _TAKEN if a == known else packed(game.priority(s, a), 0, i)
    return n


def leave_out_promising(ply: int, n: int, noisy: int, w: Any) -> None:
    """Take off the list what came before."""
    for k in range(noisy):
        if w.scores[PLIES + ply, k] == _TAKEN:
            for i in range(n):
                if w.moves[ply, i] == w.moves[PLIES + ply, k]:
                    w.scores[ply, i] = _TAKEN


def order_noisy(game: Any, s: Any, ply: int, w: Any) -> int:
    """The same with the noisy actions only; if the game lists those by itself, some may not be, and are to be asked.

    They are in the order of their priority, or of what they win, if the game tells that.
    """
    chosen = 0
    if game.knows.noisy_actions:
        chosen = within_width(list_noisy(game, s, w.moves[ply]), w)
    else:
        for i in range(within_width(list_actions(game, s, w.moves[ply]), w)):
            a = int(w.moves[ply, i])
            if game.is_noisy(s, a):
                w.moves[ply, chosen] = a
                chosen += 1
    for i in range(chosen if w.use_order else 0):
        priority = 0.0
        if game.knows.gain and w.use_priority:
            priority = game.gain(s, int(w.moves[ply, i]))
        elif game.knows.priority and w.use_priority:
            priority = game.priority(s, int(w.moves[ply, i]))
        w.scores[ply, i] = packed(priority, 0, i)
    return chosen


def next_in_time(game: Any, s: Any, p: int, depth: int, ply: int, known: int, listed: int, n: int, w: Any) -> Any:
    """The next move, of lists that are made no sooner than they are needed; what is listed then, and how many it are.

    First the move that the table has; then what looks promising, where a game lists noisy actions by themselves. Most
    states are done with by then, and never list the rest; and what was learned meanwhile has its say in its order.

    If a game lists quiet actions by themselves, too, there is no move when they are next: it is for the caller whether
    to list all of them (`order_quiets`), or few (`order_urgent`). Last come the noisy ones that do not look promising.
    """
    a = NO_ACTION
    if listed == NOTHING_YET:
        listed, a = THE_KNOWN, known
    if listed == THE_KNOWN and a == NO_ACTION:
        listed, n = THE_PROMISING, order_promising(game, s, ply, known, w)
        w.noisy[ply] = n
    if listed == THE_PROMISING:
        a = best_of(PLIES + ply, n, _PROMISING, w)
        if a == NO_ACTION and not lists_quiets(game, w):
            listed, n = ALL, order_moves(game, s, p, depth, ply, known, w)
            leave_out_promising(ply, n, w.noisy[ply], w)
    if listed in (THE_QUIET, ALL):
        a = best_of(ply, n, _TAKEN + 1, w)
        if a == NO_ACTION and listed == THE_QUIET:
            listed, n = THE_LOSING, w.noisy[ply]
    if listed == THE_LOSING:
        a = best_of(PLIES + ply, n, _TAKEN + 1, w)
    return a, listed, n


def lists_quiets(game: Any, w: Any) -> bool:
    """Whether quiet moves are listed by themselves, after the promising ones."""
    return bool(game.knows.noisy_actions and game.knows.quiet_actions and game.knows.priority and w.use_priority)


def next_move(ply: int, i: int, n: int, w: Any) -> int:
    """Move number `i` in order, which is taken then; NO_ACTION for those that were dropped."""
    return best_of(ply, n, _TAKEN + 1, w) if w.use_order else int(w.moves[ply, i])


def best_of(row: int, n: int, least: int, w: Any) -> int:
    """The move of a row that has the highest score, which is taken then; NO_ACTION if that is less than `least`."""
    scores = w.scores[row]
    best = _TAKEN
    for j in range(n):
        best = max(best, scores[j])
    if best < least:
        return NO_ACTION
    place = WIDTH - 1 - (int(best) & (WIDTH - 1))
    w.scores[row, place] = _TAKEN
    return int(w.moves[row, place])


def drop_quiets(game: Any, s: Any, ply: int, i: int, listed: int, n: int, w: Any) -> int:
    """Take the quiet moves after number `i` off a list of all or of the quiet ones, but for those after which an answer
    is urgent; how long it is then."""
    if listed == THE_QUIET:
        return keep_urgent(game, s, ply, n, w)
    for j in range(0 if w.use_order else i + 1, n if listed == ALL else 0):
        if not w.use_order or w.scores[ply, j] != _TAKEN:
            a = int(w.moves[ply, j])
            is_kept = is_loud(game, s, a)
            if game.knows.is_urgent and w.use_urgency and not is_kept:
                is_kept = makes_it_urgent(game, s, a, w)
            if not is_kept:
                w.moves[ply, j], w.scores[ply, j] = NO_ACTION, _TAKEN
    return n


def keep_urgent(game: Any, s: Any, ply: int, n: int, w: Any) -> int:
    """The same where only quiet moves are listed: those that are left move up, in the order that they have."""
    kept, j = 0, 0
    if game.knows.quiet_actions and game.knows.is_urgent and w.use_urgency:
        for i in range(within_width(list_urgent(game, s, w.urgent), w)):
            a = int(w.urgent[i])
            while j < n and w.moves[ply, j] != a:
                j += 1
            if j < n and w.scores[ply, j] != _TAKEN and makes_it_urgent(game, s, a, w):
                w.moves[ply, kept], w.scores[ply, kept] = a, w.scores[ply, j] + j - kept
                kept += 1
    return kept


def put_off(a: int, rank: int, waiting: int, ply: int, w: Any) -> int:
    """Leave a move for the end, since another thread is looking at it, number `waiting`; how many there are then.

    When we come back to it, what the other thread found is in the table (after an idea of Kerrigan's). It keeps its
    rank: it is neither left out nor looked at less deeply for having waited.
    """
    w.put_off[ply, waiting], w.ranks[ply, waiting] = a, rank
    return waiting + 1


# ---- what is learned


def draw(at: int, bonus: int, w: Any) -> None:
    """Move a number of history by a bonus, or a malus: the nearer to its limit, the less it grows.

    All threads of a search learn in the same memory. What one of them writes over is forgotten, and that is little.
    """
    old = load_short(w.lore_at, at)
    store_short(w.lore_at, at, old + bonus - old * abs(bonus) // _MOST_LORE)


def note_tried(a: int, tried: int, ply: int, w: Any) -> int:
    """Remember a move that was looked at, number `tried`; how many there are then."""
    if tried < TRIED:
        w.tried[ply, tried] = a
        tried += 1
    return tried


def reward(game: Any, s: Any, p: int, a: int, tried: int, depth: int, ply: int, w: Any) -> None:
    """Note that action `a` was good enough to end the search of a state, and that those before it were not."""
    if w.use_killers and w.killers[ply, 0] != a:
        w.killers[ply, 1] = w.killers[ply, 0]
        w.killers[ply, 0] = a
    bonus = bonus_of(game, depth)
    rows = rows_of(p, ply, w)
    learn(game, s, a, bonus, rows, w)
    for i in range(tried):
        if w.tried[ply, i] != a:
            learn(game, s, int(w.tried[ply, i]), -bonus, rows, w)
    if game.knows.kind and w.use_continuations:
        w.counters[w.kinds[ply]] = a


def reward_before(game: Any, p: int, depth: int, ply: int, w: Any) -> None:
    """Note that nothing was found against the quiet move that led to a state, of which `p` is to move."""
    if ply < 2 or w.came_by[ply] == NO_ACTION:
        return
    bonus, kind = bonus_of(game, depth) // 2, w.kinds[ply]
    if w.use_history:
        draw((1 - p) * HISTORY + (w.came_by[ply] & (HISTORY - 1)), bonus, w)
    if game.knows.kind and w.use_continuations:
        draw(ANSWERS + w.kinds[ply - 1] * KINDS + kind, bonus, w)
        draw(PLANS + w.kinds[ply - 2] * KINDS + kind, bonus, w)


def bonus_of(game: Any, depth: int) -> int:
    """By how much history changes: the deeper the search, the more; a selective one must learn fast."""
    return min((64 if game.selective else 32) * min(depth, 8) ** 2, _MOST_BONUS)


def learn(game: Any, s: Any, a: int, bonus: int, rows: Rows, w: Any) -> None:
    """Move all that history has of a move."""
    if w.use_history:
        draw(rows.moves + (a & (HISTORY - 1)), bonus, w)
    if game.knows.kind and w.use_continuations:
        kind = kind_of(game, s, a)
        draw(rows.answers + kind, bonus, w)
        draw(rows.plans + kind, bonus, w)
