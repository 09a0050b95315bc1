"""Alpha-beta: minimax that does not look where nothing can change the decision, with a modern engine's refinements.

Every refinement can be switched off by name; with all of them off this is the textbook's alpha-beta search (Russell &
Norvig, figure 5.7), node for node. `docs/search.md` goes from the one to the other in steps.

    alpha    what MAX is sure of on the path to the root
    beta     what MIN is sure of
    p        the player to move; `sign` turns values for MAX into values for p and back
    w        the thread's workspace: counters, move lists, killers, history, and the principal variation, `w.line`

The value returned is exact if it lies between alpha and beta, at most the true one if it is beta or more, at least
the true one if it is alpha or less (fail-soft). What `game.selective` allows may change it (steps 2 and 6 to 10): the
functions of `pruning.py` say when.
"""

from __future__ import annotations

from math import inf
from typing import Any

from counterplay.native import native
from counterplay.search.alphabeta.ordering import (
    ALL,
    NOTHING_YET,
    THE_PROMISING,
    THE_QUIET,
    drop_quiets,
    is_answer,
    kind_of,
    lore,
    next_in_time,
    next_move,
    note_tried,
    order_moves,
    order_noisy,
    order_quiets,
    order_urgent,
    put_off,
    reward,
    reward_before,
    rows_of,
)
from counterplay.search.alphabeta.pruning import (
    Node,
    gives_away,
    hope_of_quiets,
    is_certain,
    is_hopeless,
    is_loud,
    is_safe,
    is_worth_passing,
    may_drop_losing,
    may_drop_unsound,
    may_stand_out,
    moved,
    reduction,
    shallower,
    with_hindsight,
)
from counterplay.search.alphabeta.sharing import (
    OVERTAKEN,
    SHARED,
    call_back,
    is_busy,
    joined,
    look_round,
    show_busy,
    show_task,
    task_of,
)
from counterplay.search.alphabeta.workspace import KINDS, PLIES, TRIED, go_without_notes, notes_before, notes_of
from counterplay.search.limits import deeper
from counterplay.search.repetition import comes_again, draw_value
from counterplay.search.table import (
    NO_ACTION,
    NOTHING,
    UNPROVEN,
    Entry,
    answers,
    bound_of,
    expect,
    find,
    keep,
    table_key,
)
from counterplay.search.values import just_above, just_below, sane, sane_estimate, sane_utility

__all__ = ["value", "worth"]


@native
def value(game, s, alpha, beta, depth, ply, w) -> float:  # type: ignore[no-untyped-def]
    """What `s` is worth to MAX, `depth` plies ahead.

    Leaves in `w.within` in how many plies that comes about, whatever the other side does; or UNPROVEN, if an estimate
    had a part in it.
    """
    # 1. The end of the game, or what a table knows of it.
    w.nodes += 1
    w.unused = min(w.unused, depth)
    w.length[ply] = 0
    w.within = 0
    key = 0
    if w.use_table and depth > 0:
        key = table_key(game, s)
        expect(w.table_at, w.mask, key)  # it is there by step 5
    if game.is_terminal(s):
        return sane_utility(game, s, 0, w)
    if w.nodes >= w.most_nodes:
        w.stop = 1
    if w.busy_at != 0 and depth > 1:
        look_round(w)
    if game.knows.solved and not w.is_strict:  # strict: tables do not say by which moves
        v, w.within = game.solved(s)
        if w.within >= 0:
            return float(v)

    # 2. The end of the search; what is urgent is answered first, unless it was folly to make it so.
    is_urgent, asked = False, depth
    if game.knows.is_urgent and w.use_urgency:
        is_urgent = bool(game.is_urgent(s))
        depth += 1 if is_urgent and ply < w.furthest and not w.is_folly[ply] else 0
    is_end = depth == 0 or ply == PLIES - 1 or bool(w.stop)
    is_quiet_end = is_end and not (ply < PLIES - 1 and not w.stop and game.knows.is_noisy and w.use_quiescence)
    if is_quiet_end and w.is_strict:
        w.within = UNPROVEN
        w.cutoffs += 1
        return w.unknown  # type: ignore[no-any-return]

    # 3. A position that comes again.
    own_key = key
    if not is_end:
        if key == 0 and (w.use_table or w.use_repetition):
            key = table_key(game, s)
        own_key = game.key(s) if game.knows.canonical else key
        if game.knows.reversible and w.use_repetition and comes_again(game, s, own_key, ply, w):
            w.within = UNPROVEN
            w.cutoffs += 1
            return draw_value(game)

    # 4. From here on everything is seen by the player to move, who wants more than `low` and gets no more than `high`.
    # The estimate is all that there is at the end of the search, unless something noisy is left.
    p = game.player(s)
    sign = 1.0 if p == 0 else -1.0
    low, high = (alpha, beta) if p == 0 else (-beta, -alpha)
    is_narrow = just_above(low) >= high
    guess = -inf
    if game.knows.model_onward:
        go_without_notes(ply, w)
    is_selective = game.selective and game.knows.evaluate and bool(w.use_selection)
    must_answer = is_urgent and not is_quiet_end and (not is_end or w.evasions > 0.0)
    if (is_end or is_selective) and not must_answer:
        guess = sign * estimate(game, s, ply, w)  # before step 5, whose memory is on its way meanwhile
    if is_end:
        w.within = UNPROVEN
        w.cutoffs += 1
        if game.knows.is_noisy and not is_quiet_end and guess < high:
            w.since = ply
            return quiet_value(game, s, alpha, beta, ply, guess, w)  # type: ignore[no-any-return]
        return sign * guess
    if game.selective and is_selective:
        w.estimates[ply] = guess

    # 5. What the transposition table knows of this state, if it was seen equally deep or to the end.
    known, is_canonical, entry = NO_ACTION, key == own_key, NOTHING
    left_out = NO_ACTION  # a move without which the state is asked about (step 7): of that the table knows nothing
    if game.selective:
        left_out = w.left_out[ply]
        w.left_out[ply] = NO_ACTION
    if w.use_table and left_out == NO_ACTION:
        entry = find(w.table_at, w.mask, key)
        enough = depth
        if game.selective and w.use_deeper and is_narrow:
            enough = max(depth, entry.depth)
        if answers(entry, alpha, beta, enough) and not (w.is_strict and entry.within > depth):
            w.within = entry.within
            w.cutoffs += 1 if entry.within == UNPROVEN else 0
            w.unused = min(w.unused, max(0, depth - (entry.depth if entry.within == UNPROVEN else entry.within)))
            return entry.value
        if entry.bound != 0 and is_canonical:
            known = entry.action

    # 6. Where the estimate is far from what is asked, less will do than to look at all moves.
    node = Node(depth, ply, sign, -inf, is_urgent, is_narrow, False)
    may_prune = False  # in the loop, once a move is known that is not lost
    is_shared = w.busy_at != 0 and depth >= SHARED
    is_task = is_shared and left_out == NO_ACTION
    is_joined, more = False, 0
    if game.selective and is_task:
        is_joined, more = joined(task_of(key, depth), ply, w)
    if game.selective and is_selective:
        if not is_urgent:
            is_improving = ply < 3 or guess > w.estimates[ply - 2]
            node = Node(depth, ply, sign, with_hindsight(guess, sign, entry, w), is_urgent, is_narrow, is_improving)
            may_prune = is_narrow and not is_certain(game, low, sign) and not is_certain(game, high, sign)
        if left_out == NO_ACTION and may_prune and is_safe(game, node, high, w):
            w.within = UNPROVEN
            w.cutoffs += 1
            return sign * node.estimate
        may_raze = may_prune and left_out == NO_ACTION and guess <= low
        if game.knows.is_noisy and may_raze and is_hopeless(game, node, low, w):
            below, above = (low, just_above(low)) if p == 0 else (-just_above(low), -low)
            w.cutoffs += 1
            w.since = ply
            v = sign * quiet_value(game, s, below, above, ply, guess, w)
            if v <= low:
                return sign * v  # type: ignore[no-any-return]
        # If even passing is too good, so is some move; far from the depth limit, only if a search says so, too.
        may_pass = may_prune and left_out == NO_ACTION and not is_joined
        if game.knows.passed and may_pass and is_worth_passing(node, high, w):
            other = game.passed(s)
            if game.player(other) != p:
                w.kinds[ply + 1], w.is_cut[ply + 1], w.is_folly[ply + 1] = KINDS - 1, 1 - w.is_cut[ply], 0
                w.came_by[ply + 1] = NO_ACTION
                below, above = (just_below(high), high) if p == 0 else (-high, just_above(-high))
                less = shallower(depth, w)
                v = sign * value(game, other, below, above, less, ply + 1, w)
                if v >= high and not w.stop and depth >= w.verify_depth and w.pass_from == 0:
                    w.pass_from = ply + 1 + 3 * less // 4
                    v = sign * value(game, s, below, above, less, ply, w)
                    w.pass_from = 0
                if v >= high and not w.stop:
                    w.within = UNPROVEN
                    return sign * (high if is_certain(game, v, sign) else v)  # type: ignore[no-any-return]

    # 7. Does the move that the table has stand out? What do the others bring, at half the depth?
    if game.selective and w.use_selection and not is_joined and may_stand_out(game, node, known, entry, w):
        enough_else = moved(game, sign * entry.value, -w.single_margin * depth, sign)
        below, above = (just_below(enough_else), enough_else) if p == 0 else (-enough_else, just_above(-enough_else))
        w.left_out[ply], was_cut = known, w.is_cut[ply]
        v = sign * value(game, s, below, above, (depth - 1) // 2, ply, w)
        w.left_out[ply], w.is_cut[ply] = NO_ACTION, was_cut
        if v < enough_else:
            more = 1
        elif is_narrow and enough_else >= high and not w.stop:  # two moves are too good
            w.within = UNPROVEN
            return sign * enough_else
        elif sign * entry.value >= high:
            more = -1

    # 8. The moves, the most promising first. The first is mostly enough, so they are not all listed before.
    after = deeper(game, s, depth)
    if is_task:
        show_task(task_of(key, depth), more, ply, w)
    is_first_needed = not (game.selective and is_narrow and not w.is_cut[ply])  # or else no move will be good enough
    listed, n = NOTHING_YET, 0
    if not w.use_order:
        listed, n = ALL, order_moves(game, s, p, depth, ply, known, w)
    best, best_move = -inf, NO_ACTION
    within, looked, tried, waiting, taken_up = 0, 0, 0, 0, 0
    has_dropped = False  # quiet moves
    i = -1
    while w.use_order or i + 1 < n:
        i += 1
        a, rank, was_put_off = NO_ACTION, looked + waiting, False
        if w.use_order:
            a, listed, n = next_in_time(game, s, p, depth, ply, known, listed, n, w)
            if game.knows.quiet_actions and a == NO_ACTION and listed == THE_PROMISING:  # are the others worth listing?
                if looked > 0 and may_prune and not has_dropped and not is_certain(game, best, sign):
                    hope = hope_of_quiets(game, node, rank, tried + waiting, low, w)
                    has_dropped = hope <= low
                    best, within = (max(best, hope), UNPROVEN) if has_dropped else (best, within)
                if has_dropped:
                    n = order_urgent(game, s, p, depth, ply, known, w)
                else:
                    n = order_quiets(game, s, p, depth, ply, known, w)
                listed = THE_QUIET
                continue
            if a == NO_ACTION and taken_up == waiting:
                break
            if a == NO_ACTION:  # what another thread was busy with, as if it came in its turn
                a, rank, was_put_off = w.put_off[ply, taken_up], w.ranks[ply, taken_up], True
                taken_up += 1
        else:
            a = next_move(ply, i, n, w)
        is_quiet, is_losing, is_threat, r = True, False, False, 0

        # 9. Moves that will not help are left out, and late ones looked at less deeply first. Not what makes an
        # answer urgent, unless it gives something away for that.
        if game.selective and w.use_selection:
            if a in (NO_ACTION, left_out):  # dropped, or not asked about
                continue
            is_quiet = not is_loud(game, s, a)
            w.is_folly[ply + 1] = 0
            if looked > 0:
                if game.knows.is_urgent and w.use_urgency:
                    is_threat = bool(game.makes_urgent(s, a))
                if is_threat or not is_quiet:
                    is_losing = gives_away(game, s, a, w)
                    w.is_folly[ply + 1] = is_losing
                    is_threat = is_threat and not (is_losing and is_quiet)
                if may_prune and not was_put_off and not is_certain(game, best, sign):
                    if is_quiet and not has_dropped:
                        hope = hope_of_quiets(game, node, rank, tried + waiting, low, w)
                        has_dropped = hope <= low
                        if has_dropped:
                            best, within = max(best, hope), UNPROVEN
                            n = drop_quiets(game, s, ply, i, listed, n, w)
                    is_out = has_dropped if is_quiet else is_losing and may_drop_losing(node, w)
                    if is_quiet and not is_out and not is_threat and may_drop_unsound(node, rank, w):
                        is_out = gives_away(game, s, a, w)
                    if is_out and not is_threat:
                        within = UNPROVEN
                        continue
                if w.use_reductions and depth > 2 and rank > (1 if is_narrow else 2):
                    if is_quiet:
                        is_special = is_threat or is_answer(game, a, ply, w)
                        r = reduction(node, rank, lore(game, s, a, rows_of(p, ply, w), w), is_special, w)
                    elif is_losing:
                        r = reduction(node, rank, 0, True, w) // 2

        child, child_key = game.result(s, a), 0
        if is_shared:
            child_key = table_key(game, child)
            may_wait = not was_put_off and waiting < TRIED and (looked > 0 or not is_first_needed)
            if may_wait and is_busy(child_key, w):
                waiting = put_off(a, rank, waiting, ply, w)
                continue
            show_busy(child_key, True, w)
        if game.knows.kind:
            w.kinds[ply + 1] = kind_of(game, s, a)
        if game.selective:
            w.came_by[ply + 1] = a if is_quiet else NO_ACTION
        is_open = True  # whether its value matters and is not known yet
        if looked > 0 and w.use_scout and low > -inf:
            # 10. Scout: is it better than the best so far at all?
            below, above = (low, just_above(low)) if p == 0 else (-just_above(low), -low)
            if game.selective and r > 0:
                w.is_cut[ply + 1] = 1
                v = sign * value(game, child, below, above, after - r, ply + 1, w)
                is_open = v > low
            if is_open:
                w.is_cut[ply + 1] = 1 - w.is_cut[ply]
                v = sign * value(game, child, below, above, after, ply + 1, w)
                is_open = low < v < high
        if is_open:
            # 11. Its value.
            w.is_cut[ply + 1] = 1 - w.is_cut[ply] if game.selective and is_narrow else 0
            below, above = (low, high) if p == 0 else (-high, -low)
            v = sign * value(game, child, below, above, after + more if a == known else after, ply + 1, w)
        if is_shared:
            show_busy(child_key, False, w)
        if w.stop:
            break
        looked += 1
        if is_quiet:
            tried = note_tried(a, tried, ply, w)
        if v > best:
            best, best_move = v, a
            low = max(low, v)
            w.line[ply, 0] = a
            w.length[ply] = w.length[ply + 1] + 1
            for j in range(w.length[ply + 1]):
                w.line[ply, j + 1] = w.line[ply + 1, j]
        # 12. Too good: the opponent will not let us get here.
        if v >= high:
            within = one_more(w.within)
            if is_quiet:
                reward(game, s, p, a, tried, depth, ply, w)
            break
        within = longer(within, one_more(w.within))

    if is_task:
        show_task(0, 0, ply, w)
        if w.stop == OVERTAKEN and w.back_to == ply:  # another thread has the answer
            w.stop = 0
            return value(game, s, alpha, beta, asked, ply, w)  # type: ignore[no-any-return]
    w.within = UNPROVEN if w.stop else within
    if game.selective and left_out != NO_ACTION:
        w.within = UNPROVEN
        return sign * max(best, low)  # type: ignore[no-any-return]
    if game.selective and w.use_selection and not w.stop and best <= (alpha if p == 0 else -beta):
        reward_before(game, p, depth, ply, w)
    if w.use_table and not w.stop:
        best_move = best_move if is_canonical else NO_ACTION
        bound = bound_of(sign * best, alpha, beta)
        keep(w.table_at, w.mask, w.age, key, Entry(sign * best, best_move, depth, within, bound))
        if is_task:
            call_back(task_of(key, depth), ply, w)
    return sign * best


def one_more(within: int) -> int:
    """A proof for the state before: a ply longer."""
    return UNPROVEN if within == UNPROVEN else within + 1


def longer(one: int, other: int) -> int:
    """The longer of two proofs that are both needed."""
    return UNPROVEN if one == UNPROVEN or other == UNPROVEN else max(one, other)


def estimate(game: Any, s: Any, ply: int, w: Any) -> float:
    """The game's estimate for MAX. It is no function of its own when compiled: half of all states need nothing else."""
    if game.knows.model_onward:
        w.noted[ply] = ply
        return sane(game.model_onward(s, 0, notes_before(ply, w), notes_of(ply, w)), w)
    return sane_estimate(game, s, 0, w)


def pat(game: Any, s: Any, ply: int, w: Any) -> float:
    """What the player to move has beyond the depth if he makes no move: the estimate, as he sees it.

    -inf if something is urgent: for some plies after the depth ended, at `w.since`, that must be answered, by any move.
    """
    w.cutoffs += 1
    w.within = UNPROVEN
    is_urgent = False
    if game.knows.is_urgent and w.use_urgency and ply - w.since < w.evasions:
        is_urgent = bool(game.is_urgent(s))
    if game.knows.model_onward:
        go_without_notes(ply, w)
    if is_urgent and ply < PLIES - 1 and not w.stop:
        return -inf
    v = estimate(game, s, ply, w)
    return v if game.player(s) == 0 else -v


@native
def quiet_value(game, s, alpha, beta, ply, guess, w) -> float:  # type: ignore[no-untyped-def]
    """What `s` is worth when nothing is left to capture: the player to move may stand pat or make a noisy move.

    To stand pat brings him `guess`, which is not too good; -inf if he may not.
    """
    p = game.player(s)
    sign = 1.0 if p == 0 else -1.0
    low, high = (alpha, beta) if p == 0 else (-beta, -alpha)
    best = guess
    low = max(low, best)
    n = 0
    if game.knows.is_urgent and guess == -inf:
        n = order_moves(game, s, p, 0, ply, NO_ACTION, w)
    else:
        n = order_noisy(game, s, ply, w)
    for i in range(n):
        a = next_move(ply, i, n, w)
        if guess > -inf:
            if game.knows.gain and w.use_delta:  # even with all that it wins and a margin it is not enough
                hope = moved(game, guess, game.gain(s, a) + w.delta_margin, sign)
                if hope <= low:
                    best = max(best, hope)
                    continue
            if game.knows.noisy_actions and not game.is_noisy(s, a):
                continue
        child = game.result(s, a)
        w.nodes += 1
        w.length[ply + 1] = 0
        if game.knows.kind:
            w.kinds[ply + 1] = kind_of(game, s, a)
        if game.is_terminal(child):
            v = sign * sane_utility(game, child, 0, w)
        else:
            v, plies = game.solved(child) if game.knows.solved else (0.0, -1)
            v *= sign
            if plies < 0 or w.is_strict:
                below, above = (low, high) if p == 0 else (-high, -low)
                v = pat(game, child, ply + 1, w)
                is_enough = v >= (above if game.player(child) == 0 else -below) or ply + 1 == PLIES - 1 or w.stop
                if is_enough:
                    v = sign * (v if game.player(child) == 0 else -v)
                else:
                    v = sign * quiet_value(game, child, below, above, ply + 1, v, w)
        best = max(best, v)
        low = max(low, v)
        if v >= high or w.stop:
            break
    w.within = UNPROVEN
    return float(sign * best)


def worth(game: Any, s: Any, p: int, known: float, depth: int, w: Any) -> float:
    """What `s`, to which `p` has moved, is worth to MAX, for compiled callers, who have an engine's `memory`.

    `known` is what `p` has elsewhere, for MAX: how much worse than that `s` is need not be known.
    """
    low, high = (just_below(known), inf) if p == 0 else (-inf, just_above(known))
    return float(value(game, s, low, high, depth, 1, w))
