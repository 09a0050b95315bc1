"""The root of alpha-beta: its moves listed, ordered and searched, and what follows from that.

What is found stands in the workspace. A move is known there by its number in the game's order:

    w.action    the move itself; w.order has the numbers as they are looked at, the best of the depth before first
    w.later     places in that order that were put off, since another thread was looking at the move
    w.is_asked  whether its value must be exact, however bad it is
    w.is_seen   whether the last search has looked at it
    w.worth     its value for the player to move, w.is_exact whether that is no bound, w.proof the plies after it that
                prove it, or UNPROVEN
    w.lines     the move and best play after it, of w.lengths actions

The same functions run in two ways. At first as plain Python, which asks the compiled `value` of each move: a game is
soon compiled. But a search of 50 nodes takes longer to come back to Python for each move than to look at its nodes. So
after many small searches of a game, or before a match by seconds, its root is compiled too (`ask`), and from then on
taken from disk. At 0.1 s a move that doubled the nodes in chess.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from math import inf
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import Game, UserError
from counterplay.core.primitives import list_actions
from counterplay.native import NativeFunction, is_interpreted, native
from counterplay.search.alphabeta.kernel import value
from counterplay.search.alphabeta.ordering import kind_of, lore, rows_of
from counterplay.search.alphabeta.pruning import Node, is_loud, reduction
from counterplay.search.alphabeta.sharing import (
    NEVER,
    OVERTAKEN,
    SHARED,
    WINDOWS,
    found_elsewhere,
    has_ended,
    is_busy,
    next_depth,
    show_busy,
    tell_finished,
)
from counterplay.search.alphabeta.workspace import PLIES, WIDTH
from counterplay.search.engine import Request
from counterplay.search.limits import as_depth, deeper
from counterplay.search.repetition import draw_value
from counterplay.search.result import ActionValue
from counterplay.search.root import Iteration, OpponentsRoot
from counterplay.search.suited import for_each_player, some_actions
from counterplay.search.table import AT_LEAST, AT_MOST, EXACT, UNPROVEN, find, table_key
from counterplay.search.values import sane_utility

__all__ = ["AlphaBetaRoot", "ask", "compile_root", "kernel_of", "note_search", "root_is_compiled", "too_wide"]

_BEGIN, _LOOK, _HELP = -3, -2, -1
"""Instead of a ply: list the moves of a root; search them; search them deeper and deeper beside another thread."""


_LATE = 5
"""The depth from which on late moves of the root are reduced: a search of few plies must see a mate in two."""
_ASPIRE = 1 / 64
"""How far from the value expected an exact search looks first, of the range of utilities."""
_MANY = 1_000
"""Small searches after which the root is compiled: what that takes is then saved by as many more."""
_SMALL = 10_000
"""Nodes of a search that is small: of a larger one the root is no great part."""


@native
def ask(game, s, alpha, beta, depth, ply, w) -> float:  # type: ignore[no-untyped-def]
    """The root compiled with all below it, by _BEGIN, _LOOK and _HELP; else what `value` returns."""
    if ply == _BEGIN:
        begin(game, s, w)
        return 0.0
    if ply == _LOOK:
        look(game, s, None, depth, w)
        return 0.0
    if ply == _HELP:
        look_on(game, s, None, depth, w)
        return 0.0
    return value(game, s, alpha, beta, depth, ply, w)  # type: ignore[no-any-return]


class _Use:
    """How often a game was searched, and whether its root runs compiled."""

    def __init__(self, game: Game, s: Any, w: Any) -> None:
        self.is_compiled = not is_interpreted(game) and ask.is_ready(game, s, 0.0, 0.0, 0, _BEGIN, w)
        self.small_searches = 0


def root_is_compiled(game: Game, s: Any, w: Any) -> bool:
    """Whether a search of `s` with that workspace has its root compiled: if it is there already, or will have paid."""
    use = game.__dict__.get("_native_root")
    if use is None:
        use = game.__dict__["_native_root"] = _Use(game, s, w)
    return use.is_compiled and not is_interpreted(game)


def note_search(game: Game, nodes: int, is_timed: bool) -> None:
    """Count a search. While a clock runs nothing is to be compiled, so those with a time limit do not count."""
    use = game.__dict__["_native_root"]
    if nodes < _SMALL and not is_timed and not is_interpreted(game):
        use.small_searches += 1
        use.is_compiled = use.is_compiled or use.small_searches >= _MANY


def compile_root(game: Game, s: Any, w: Any) -> None:
    """Have the root compiled by the next search, which must not be timed."""
    if not root_is_compiled(game, s, w) and not is_interpreted(game):
        game.__dict__["_native_root"].is_compiled = True


def kernel_of(game: Game) -> NativeFunction:
    """What gives the value of a state as machine code: that which searches of the game use."""
    use = game.__dict__.get("_native_root")
    return ask if use is not None and use.is_compiled else value


# ---- plain Python, or compiled with the search


def begin(game: Any, s: Any, w: Any) -> None:
    """List the moves of the root, in the order of the game's priority, or else of the evaluation of successors."""
    w.is_over, w.is_expected, w.choices, w.seen_depth = 0, 0, 0, 0
    if game.is_terminal(s):
        w.is_over = 1
        sane_utility(game, s, 0, w)
        return
    p = game.player(s)
    w.player = p
    if w.use_table:
        w.seen_depth = find(w.table_at, w.mask, table_key(game, s)).depth
    n = list_actions(game, s, w.action)
    if n > WIDTH:
        w.too_wide, w.stop, n = 1, 1, WIDTH
    w.choices = n
    for k in range(n):
        score = 0.0
        if game.knows.priority and w.use_priority:
            score += game.priority(s, int(w.action[k]))
        elif game.knows.evaluate and w.use_successors:
            score += game.evaluate(game.result(s, int(w.action[k])), p)
        w.is_asked[k], w.worth[k] = 0, score
        i = k
        while i > 0 and w.worth[w.order[i - 1]] < score:  # of equals the one that the game lists first
            w.order[i] = w.order[i - 1]
            i -= 1
        w.order[i] = k


def look(game: Any, s: Any, children: Any, depth: int, w: Any) -> None:
    """Search the moves to one depth, first with the value of the depth before in mind (aspiration).

    `children` are where the moves lead; None: to be found out.
    """
    first = w.order[0]
    w.furthest = min(2 * depth, PLIES)
    w.root_step = depth * WINDOWS
    if w.use_aspiration and w.is_expected and w.multi == 1 and w.asked == 0 and w.most < inf:
        look_about(game, s, children, depth, w)
    else:
        look_between(game, s, children, w.least, w.most, depth, w)
    is_sure = w.is_exact[w.best] and (w.is_seen[first] or w.order[0] != first)
    w.is_better = 1 if is_sure and w.use_unfinished and w.multi == 1 and not w.is_finished and w.best != first else 0
    if w.is_finished:
        tell_finished((depth + 1) * WINDOWS - 1, w)
        w.is_expected, w.expected = 1, w.found
        for k in range(w.choices):
            if w.is_seen[k] and (k == w.best or (w.is_exact[k] and (w.is_asked[k] or is_among_best(k, w)))):
                continue_line(game, s, k, depth, w)
        put_first(w)


def look_on(game: Any, s: Any, children: Any, depth: int, w: Any) -> None:
    """Search the moves to one depth after the other, until all threads are to end, for what that leaves in the table.

    Compiled, it needs no interpreter in between, for which it would have to wait while another thread has it.
    """
    while depth <= w.last_depth and not w.stop and not has_ended(w):
        look(game, s, children, depth, w)
        depth = next_depth(depth, w)


def look_about(game: Any, s: Any, children: Any, depth: int, w: Any) -> None:
    """Search the moves with a narrow window about what is expected; if the value is not inside, with a wider one.

    An exact search opens it at once. A selective one does so step by step, and looks first at what was too good.
    """
    whole = w.most - w.least
    margin = (w.aspire_margin if game.selective else _ASPIRE) * whole
    below, above = w.expected - margin, w.expected + margin
    is_open, is_too_good = True, False
    step = depth * WINDOWS
    while is_open:
        w.root_step = step
        look_between(game, s, children, max(below, w.least), min(above, w.most), depth, w)
        is_low, is_high = w.found <= below and below > w.least, w.found >= above and above < w.most
        is_open = w.is_finished and (is_low or is_high)
        if is_open:
            tell_finished(step, w)
        step += 1
        margin = margin * w.aspire_growth if margin * w.aspire_growth < 0.25 * whole else whole
        if not game.selective:
            below, above = w.least, w.most
        elif is_open and is_low:
            below, above = w.found - margin, 0.5 * (below + above)
        elif is_open:
            above, is_too_good = w.found + margin, True
            put_first(w)
    if is_too_good and not w.is_finished and not w.is_seen[w.order[0]]:
        w.best = w.order[0]
        w.found, w.is_seen[w.best] = w.worth[w.best], 1


def put_first(w: Any) -> None:
    """The best move is the first to be looked at from now on."""
    i = 0
    while w.order[i] != w.best:
        i += 1
    for j in range(i, 0, -1):
        w.order[j] = w.order[j - 1]
    w.order[0] = w.best


def look_between(game: Any, s: Any, children: Any, low: float, high: float, depth: int, w: Any) -> None:
    """Search the moves; how good they are matters between `low` and `high`."""
    w.nodes += 1
    p = game.player(s)
    tops, asked = 0, w.asked  # the largest exact values, at most `multi`; the moves asked for that are not seen yet
    best = -inf
    w.best = w.order[0]
    for k in range(w.choices):
        w.is_seen[k] = 0
    is_shared = w.busy_at != 0 and depth >= SHARED
    waiting = 0
    for turn in range(2 * w.choices if is_shared else w.choices):
        i = turn
        if turn >= w.choices:
            if turn - w.choices == waiting:
                break
            i = w.later[turn - w.choices]
        k = w.order[i]
        child = game.result(s, int(w.action[k])) if children is None else children[k]
        if is_shared:
            if w.multi <= turn < w.choices and not w.is_asked[k] and is_busy(table_key(game, child), w):
                w.later[waiting] = i
                waiting += 1
                continue
            show_busy(table_key(game, child), True, w)
        floor = low if tops < w.multi or w.is_asked[k] else max(low, w.top[tops - 1])
        v = worth_of(game, s, child, i, floor, high, depth, w)
        if w.stop == OVERTAKEN:
            go_after(i, w)
            if w.order[i] != k:
                if is_shared:
                    show_busy(table_key(game, child), False, w)
                k = w.order[i]
                child = game.result(s, int(w.action[k])) if children is None else children[k]
                floor = low if tops < w.multi or w.is_asked[k] else max(low, w.top[tops - 1])
            v = worth_of(game, s, child, i, floor, high, depth, w)
        if is_shared:
            show_busy(table_key(game, child), False, w)
        if w.stop:
            break
        is_exact = v > floor or (v <= low and low == w.least and low > -inf)
        note_move(k, v, is_exact, w.within, w.length[1] if is_exact or v > best else 0, w)
        if is_exact:
            tops = note_top(v, tops, w)
        if v > best:
            best, w.best = v, k
        asked -= w.is_asked[k]
        if best >= high and tops >= w.multi and asked == 0:
            break
    w.found = best
    w.is_finished = 0 if w.stop else 1
    decide(game, s, p, w)


def worth_of(game: Any, s: Any, child: Any, i: int, floor: float, high: float, depth: int, w: Any) -> float:
    """What move number `i` in order is worth to the player to move, if that is more than `floor`."""
    p, k, after = game.player(s), w.order[i], deeper(game, s, depth)
    sign = 1.0 if p == 0 else -1.0
    v = -inf
    is_open = True
    if game.knows.kind:
        w.kinds[1] = kind_of(game, s, int(w.action[k]))
    if i >= w.multi and w.use_scout and floor > -inf and not w.is_asked[k]:  # is it better at all?
        above = np.nextafter(floor, inf)
        w.is_cut[1] = 1
        if game.selective and w.use_reductions and depth >= _LATE and i > 2 and w.multi == 1:
            less = late_at_root(game, s, int(w.action[k]), i, depth, w)
            if less > 0:
                below = floor if p == 0 else -above
                v = sign * value(game, child, below, above if p == 0 else -floor, after - less, 1, w)
                is_open = v > floor and not w.stop
        if is_open:
            v = sign * value(game, child, floor if p == 0 else -above, above if p == 0 else -floor, after, 1, w)
            is_open = v > floor and not w.stop
    if is_open:
        w.is_cut[1] = 0
        v = sign * value(game, child, floor if p == 0 else -high, high if p == 0 else -floor, after, 1, w)
    return v


def go_after(i: int, w: Any) -> None:
    """Another thread has finished this step: go on with what it has left in the table, not to be overtaken again.

    The move that it found best comes next, in place `i`: compared with it, the table knows enough of the others.
    """
    w.root_step = NEVER
    w.stop = 1 if has_ended(w) else 0
    best = found_elsewhere(w)
    for j in range(w.choices):
        if w.order[j] == best and not w.is_seen[best]:
            w.order[i], w.order[j] = w.order[j], w.order[i]
            break


def late_at_root(game: Any, s: Any, a: int, rank: int, depth: int, w: Any) -> int:
    """Plies by which a move that comes late is asked less deeply first: one less than `kernel.value` would have it."""
    if is_loud(game, s, a) or (game.knows.is_urgent and w.use_urgency and game.makes_urgent(s, a)):
        return 0
    p = game.player(s)
    node = Node(depth, 0, 1.0 if p == 0 else -1.0, 0.0, False, False, True)
    return max(0, reduction(node, rank, lore(game, s, a, rows_of(p, 0, w), w), False, w) - 1)


def note_move(k: int, v: float, is_exact: bool, within: int, length: int, w: Any) -> None:
    """Write down what was found of a move, with the first plies of the line that the search has left."""
    w.is_seen[k], w.worth[k], w.is_exact[k], w.proof[k] = 1, v, is_exact, within
    w.lengths[k] = length + 1
    w.lines[k, 0] = w.action[k]
    for j in range(length):
        w.lines[k, j + 1] = w.line[1, j]


def note_top(v: float, tops: int, w: Any) -> int:
    """Put an exact value among the `tops` largest ones, of which `multi` are kept; how many there are then."""
    i = tops
    while i > 0 and w.top[i - 1] < v:
        if i < w.multi:
            w.top[i] = w.top[i - 1]
        i -= 1
    if i < w.multi:
        w.top[i] = v
    return int(min(tops + 1, w.multi))


def is_among_best(k: int, w: Any) -> bool:
    """Whether fewer than `multi` exact values come before that of a move; of equals that looked at first does."""
    before, is_earlier = 0, True
    for i in range(w.choices):
        j = w.order[i]
        is_earlier = is_earlier and j != k
        if w.is_seen[j] and w.is_exact[j] and (w.worth[j] > w.worth[k] or (w.worth[j] == w.worth[k] and is_earlier)):
            before += 1
    return bool(before < w.multi)


def decide(game: Any, s: Any, p: int, w: Any) -> None:
    """What follows from the moves that were seen: whether it is proven, and of equal proofs the better one.

    Nothing tops the highest utility: once that is certain, what is uncertain about the others does not matter.
    """
    w.root_within = UNPROVEN
    if w.found >= w.most and w.is_seen[w.best] and w.proof[w.best] != UNPROVEN:
        take_shortest_win(game, s, p, w)
        return
    longest, is_proven = 0, w.is_finished == 1
    for k in range(w.choices):
        if w.is_seen[k]:
            is_proven = is_proven and w.proof[k] != UNPROVEN
            longest = max(longest, w.proof[k])
    if is_proven:
        w.root_within = longest + 1
        if w.found <= w.least:  # all is lost: hold out as long as can be
            hold_out(w)


def hold_out(w: Any) -> None:
    """Take the move that is worth most, and of those the one that is proven to lose last."""
    for i in range(w.choices):
        k, best = w.order[i], w.best
        is_better = w.worth[k] > w.worth[best] or (w.worth[k] == w.worth[best] and w.proof[k] > w.proof[best])
        if w.is_seen[k] and is_better:
            w.best = k


def take_shortest_win(game: Any, s: Any, p: int, w: Any) -> None:
    """Of the moves that win, those included of which the table knows it from before, the one that does so soonest."""
    for k in range(w.choices):
        if not w.is_seen[k] and w.use_table:
            entry = find(w.table_at, w.mask, table_key(game, game.result(s, int(w.action[k]))))
            v = entry.value if p == 0 else -entry.value
            is_enough = entry.bound == EXACT or entry.bound == (AT_LEAST if p == 0 else AT_MOST)
            if entry.within != UNPROVEN and is_enough and v >= w.found and entry.within < w.proof[w.best]:
                note_move(k, v, True, entry.within, 0, w)
                w.is_seen[k] = 2  # looked up
    best = w.best
    for kind in range(2, 0, -1):
        for i in range(w.choices):
            k = w.order[i]
            is_win = w.is_seen[k] == kind and w.proof[k] != UNPROVEN and w.worth[k] >= w.found
            if is_win and w.proof[k] < w.proof[best]:
                best = k
    for k in range(w.choices):
        if w.is_seen[k] == 2 or w.proof[k] == UNPROVEN:
            w.is_seen[k] = 0
    w.is_seen[best] = 1
    w.best, w.root_within = best, w.proof[best] + 1


def continue_line(game: Any, s: Any, k: int, depth: int, w: Any) -> None:
    """Continue the line of a move, which ends where the table had the answer, by what the table knows.

    A state on it is worth as much as the move, so that a move after which the player has that much for sure is a best
    one.
    """
    v = w.worth[k] if game.player(s) == 0 else -w.worth[k]
    for j in range(w.lengths[k]):
        depth = deeper(game, s, depth)
        s = game.result(s, int(w.lines[k, j]))
    while w.use_table and depth > 0 and not game.is_terminal(s) and w.lengths[k] < PLIES:
        enough = AT_LEAST if game.player(s) == 0 else AT_MOST
        depth = deeper(game, s, depth)
        n, i = min(list_actions(game, s, w.moves[0]), WIDTH), 0
        while i < n and not is_known_to_be(game, game.result(s, int(w.moves[0, i])), v, enough, depth, w):
            i += 1
        if i == n:
            break
        w.lines[k, w.lengths[k]] = w.moves[0, i]
        w.lengths[k] += 1
        s = game.result(s, int(w.moves[0, i]))


def is_known_to_be(game: Any, s: Any, v: float, enough: int, depth: int, w: Any) -> bool:
    """Whether `s` is known to be worth `v`, or a bound is `v` that is `enough` or beyond which there is nothing."""
    if game.is_terminal(s):
        return bool(game.utility(s, 0) == v)
    entry = find(w.table_at, w.mask, table_key(game, s))
    low, high = game.utility_range
    is_extreme = v <= low or v >= high
    fits = entry.bound == EXACT or entry.bound == enough or (entry.bound != 0 and is_extreme)
    is_deep = entry.depth >= depth if game.selective else entry.depth == depth
    return bool(fits and entry.value == v and (entry.within != UNPROVEN or is_deep))


# ---- for Python


class AlphaBetaRoot(OpponentsRoot):
    """The root of a search in one thread: the order of its moves is kept from one depth to the next."""

    def __init__(self, game: Game, w: Any, request: Request) -> None:
        super().__init__(game, request.state, w)
        self.limits = request.limits
        self.steps = 0
        """The depth of the current search, in plies or rounds."""
        self._is_compiled = root_is_compiled(game, self.s, w)
        if self._is_compiled:
            ask(game, self.s, 0.0, 0.0, 0, _BEGIN, w)
        else:
            begin(game, self.s, w)
        self.is_over = bool(w.is_over)
        self.seen_depth = int(w.seen_depth)
        """How deep the root was looked at before, as the table has it."""
        self.p = 0 if self.is_over else int(w.player)
        self.sign = 1.0 if self.p == 0 else -1.0
        if w.too_wide:
            raise too_wide(game)
        if not self.is_over and not w.choices:
            some_actions(game, self.s)  # says what is wrong
        self._choose(w, request)
        low, high = game.utility_range
        w.least, w.most = ((low, high) if self.p == 0 else (-high, -low)) if w.use_bounds else (-inf, inf)

    def _choose(self, w: Any, request: Request) -> None:
        """Which moves are looked at, and which ones are asked for."""
        w.multi, w.asked = min(request.multi, WIDTH), len(request.also)
        n = int(w.choices)
        if request.only:
            allowed = [k for k in range(n) if int(w.action[k]) in request.only]
            places = {k: place for place, k in enumerate(allowed)}
            w.order[: len(allowed)] = [places[k] for k in w.order[:n].tolist() if k in places]
            w.action[: len(allowed)] = w.action[allowed]
            w.choices = n = len(allowed)
        for k in range(n) if request.also else ():
            w.is_asked[k] = int(w.action[k]) in request.also
        self.listed = tuple(w.action[:n].tolist())

    def look(self, depth: int) -> Iteration:
        """Search to one depth."""
        if self.is_over:
            return self.over(depth)
        game, w = self.game, self.tally
        self._search(depth)
        found = _Moves.found_in(w, self.listed)
        is_any = any(found.is_seen)  # if not, it was stopped before anything was found
        within = int(w.root_within) if is_any else UNPROVEN
        values = for_each_player(game, self.sign * float(w.found)) if is_any else self.estimates()
        return Iteration(
            values=values,
            tell=partial(self._told, found),
            line=found.lines.get(found.best, (self.listed[found.best],)),
            finished=is_any and bool(w.is_finished),
            better=bool(w.is_better),
            proven=within != UNPROVEN,
            within=within if within != UNPROVEN and values[0] != draw_value(game) else None,
        )

    def _search(self, depth: int) -> None:
        """Search to one depth; what is found stands in the workspace."""
        if self._is_compiled:
            ask(self.game, self.s, 0.0, 0.0, depth, _LOOK, self.tally)
        else:
            look(self.game, self.s, self._children, depth, self.tally)

    @cached_property
    def _children(self) -> list[Any]:
        return [self.game.result(self.s, a) for a in self.listed]

    def _told(self, found: _Moves) -> tuple[ActionValue, ...]:
        """Every move in the game's order: what was found of it, for MAX, or the best that it could be."""
        game, unseen, draw = self.game, self.unseen(self.p), draw_value(self.game)
        told = []
        for k, a in enumerate(self.listed):
            if found.is_seen[k]:
                v, is_exact = self.sign * found.worth[k], bool(found.is_exact[k])
                proven = is_exact and found.proof[k] != UNPROVEN
                within = found.proof[k] + 1 if proven and v != draw else None
                line = found.lines.get(k, (a,))
                told.append(ActionValue(a, v, is_exact, for_each_player(game, v), proven, within, line=line))
            else:
                told.append(ActionValue(a, unseen[0], False, unseen))
        return tuple(told)

    def help(self, leader: AlphaBetaRoot) -> None:
        """Search to the depth that the leader searches to, then deeper, until stopped: the table is for both."""
        w, in_rounds = self.tally, self.limits.rounds is not None
        w.last_depth, w.stride = as_depth(self.limits.steps, in_rounds), as_depth(2, in_rounds) - as_depth(1, in_rounds)
        depth = as_depth(max(1, leader.steps), in_rounds)
        if self.is_over:
            return
        if self._is_compiled:
            ask(self.game, self.s, 0.0, 0.0, depth, _HELP, w)
        else:
            look_on(self.game, self.s, self._children, depth, w)


class _Moves(NamedTuple):
    """What a search of all moves has left in the workspace, by their numbers, as the player to move sees it."""

    best: int
    is_seen: list[int]
    worth: list[float]
    is_exact: list[int]
    proof: list[int]
    lines: dict[int, tuple[int, ...]]
    """Of those that are exact, and of the best."""

    @classmethod
    def found_in(cls, w: Any, listed: Sequence[int]) -> _Moves:
        n, best = len(listed), int(w.best)
        is_seen, is_exact = w.is_seen[:n].tolist(), w.is_exact[:n].tolist()
        lengths, lines = w.lengths, w.lines
        return cls(
            best,
            is_seen,
            w.worth[:n].tolist(),
            is_exact,
            w.proof[:n].tolist(),
            {k: tuple(lines[k, : lengths[k]].tolist()) for k in range(n) if is_seen[k] and (is_exact[k] or k == best)},
        )


def too_wide(game: Game) -> UserError:
    """Why a search of the game was given up."""
    return UserError(f"{game} has more than {WIDTH} moves in a position, which is more than alphabeta takes")
