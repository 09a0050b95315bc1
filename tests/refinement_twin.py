"""Alpha-beta with what may change its value, written a second time: slow, plain, without ordering and table.

The textbook's function with quiescence search, scout and all that `selective` allows, as it is described in
docs/search.md, each there if its name is in `on`. It must look at the same nodes as the kernel with all else left out.
"""

from math import inf, log, nextafter


class Twin:
    """The search of one game; `nodes` counts, noisy moves beyond the depth too. All is seen by the player to move.

    By ply: `estimates` of the states on the way; whether a state `is_cut`, expected to be too good, and whether the
    move to it `is_folly`, because it gives something away.
    """

    def __init__(self, game, on):
        self.game, self.on, self.nodes = game, set(on), 0
        self.estimates, self.is_cut, self.is_folly, self.no_pass_before = {}, {0: False}, {0: False}, 0

    def value(self, s, alpha, beta, depth):
        """What `s` is worth to MAX."""
        if self.game.is_terminal(s) or self.game.player(s) == 0:
            return self.worth(s, 0, alpha, beta, depth, 0)
        return -self.worth(s, 1, -beta, -alpha, depth, 0)

    def worth(self, s, p, low, high, depth, ply):
        """What `s` is worth to `p`, whoever moves there."""
        game, on = self.game, self.on
        self.nodes += 1
        if game.is_terminal(s):
            return game.utility(s, p)
        if game.player(s) != p:
            self.nodes -= 1
            return -self.worth(s, 1 - p, -high, -low, depth, ply)
        is_urgent = "urgency" in on and game.is_urgent(s)
        depth += is_urgent and not self.is_folly[ply]
        if depth == 0:
            return self.quiet(s, p, low, high, 0) if "quiescence" in on else game.evaluate(s, p)

        is_narrow, is_cut = nextafter(low, inf) >= high, self.is_cut[ply]
        guess = self.estimates[ply] = -inf if is_urgent else game.evaluate(s, p)
        is_improving = not is_urgent and (ply < 3 or guess > self.estimates[ply - 2])
        may_prune = is_narrow and not is_urgent and not self.is_certain(low, p) and not self.is_certain(high, p)
        if may_prune and "safety" in on and depth <= 7 and self.moved(guess, -(depth - is_improving), p) >= high:
            return guess
        is_hopeless = 2 <= depth <= 4 and self.moved(guess, 1.0 + depth * depth, p) < low
        if may_prune and {"razoring", "quiescence"} <= on and is_hopeless:
            v = self.quiet(s, p, low, nextafter(low, inf), 0)
            if v <= low:
                return v
        if may_prune and "null_move" in on and depth >= 3 and guess >= high and ply >= self.no_pass_before:
            other = game.passed(s)
            if game.player(other) != p:
                below, less = nextafter(high, -inf), max(1, depth - int(3 + depth / 4))
                self.is_cut[ply + 1], self.is_folly[ply + 1] = not is_cut, False
                v = self.worth(other, p, below, high, less, ply + 1)
                if v >= high and depth >= 8 and self.no_pass_before == 0:
                    self.no_pass_before = ply + 1 + 3 * less // 4
                    v = self.worth(s, p, below, high, less, ply)
                    self.no_pass_before = 0
                if v >= high:
                    return high if self.is_certain(v, p) else v

        best, looked, quiets = -inf, 0, 0
        for a in game.actions(s):
            t, is_quiet, r = game.result(s, a), not self.is_loud(s, a), 0
            reduced = int(0.9 + 0.65 * log(depth) * log(looked + 1))
            is_threat = "urgency" in on and game.is_urgent(t)
            is_losing = not is_quiet and not game.is_noisy(s, a)
            is_unsound = is_quiet and is_threat and "exchanges" in on and game.is_unsound(s, a)
            self.is_folly[ply + 1] = looked > 0 and (is_losing or is_unsound)
            is_threat = is_threat and not (looked and is_unsound)
            if looked and may_prune and not is_threat and not self.is_certain(best, p):
                left = max(0, depth - 1 - reduced)
                if (
                    is_quiet
                    and "futility" in on
                    and left <= 6
                    and ((hope := self.moved(guess, 1.5 + 1.2 * left, p)) <= low)
                ):
                    best = max(best, hope)
                    continue
                if (
                    is_quiet
                    and "lateness" in on
                    and depth <= 6
                    and (quiets >= (3 + depth**2) / (1 if is_improving else 2))
                ):
                    continue
                if is_losing and "exchanges" in on and depth <= 2:
                    continue
                if is_quiet and "exchanges" in on and left <= 5 and game.is_unsound(s, a):
                    continue
            if "reductions" in on and depth > 2 and looked > (1 if is_narrow else 2) and (is_quiet or is_losing):
                r = reduced + (not is_improving) - (is_threat or is_losing or is_urgent)
                r += is_cut if is_narrow else -1
                r = max(0, min(r, depth - 2)) // (1 if is_quiet else 2)
            floor, v = max(low, best) if looked else low, inf
            if looked and "scout" in on and floor > -inf:
                if r:
                    self.is_cut[ply + 1] = True
                    v = self.worth(t, p, floor, nextafter(floor, inf), depth - 1 - r, ply + 1)
                if v > floor:
                    self.is_cut[ply + 1] = not is_cut
                    v = self.worth(t, p, floor, nextafter(floor, inf), depth - 1, ply + 1)
            if v > floor and (v < high or v == inf):
                self.is_cut[ply + 1] = is_narrow and not is_cut
                v = self.worth(t, p, floor, high, depth - 1, ply + 1)
            looked, quiets = looked + 1, quiets + is_quiet
            best = max(best, v)
            if v >= high:
                break
        return best

    def quiet(self, s, p, low, high, plies):
        """The mover is content with the estimate, or makes a noisy move; what is urgent he must answer by some move."""
        game, on = self.game, self.on
        if game.player(s) != p:
            return -self.quiet(s, 1 - p, -high, -low, plies)
        is_urgent = "urgency" in on and plies < 3 and game.is_urgent(s)
        guess = best = -inf if is_urgent else game.evaluate(s, p)
        for a in game.actions(s):
            if best >= high:
                break
            floor = max(low, best)
            if not is_urgent:
                if not game.is_noisy(s, a):
                    continue
                if "delta" in on and (hope := self.moved(guess, game.gain(s, a) + 2.0, p)) <= floor:
                    best = max(best, hope)
                    continue
            t = game.result(s, a)
            self.nodes += 1
            v = game.utility(t, p) if game.is_terminal(t) else self.quiet(t, p, floor, high, plies + 1)
            best = max(best, v)
        return best

    def is_loud(self, s, a):
        game = self.game
        return game.gain(s, a) > 0 if game.knows.gain else game.knows.is_noisy and game.is_noisy(s, a)

    def is_certain(self, v, p):
        low, high = self.game.utility_range
        return v <= (low if p == 0 else -high) or v >= (high if p == 0 else -low)

    def moved(self, v, x, p):
        """The value moved by so many tenths of half a win, as the estimate is bent; what is certain stays."""
        low, high = self.game.utility_range
        middle, reach = (low + high) / 2 * (1 if p == 0 else -1), (high - low) / 2
        share = (v - middle) / reach
        if abs(share) >= 1:
            return v
        if self.game.half_win:
            bent = 10 * share / (1 - abs(share)) + x
            return middle + reach * (bent / (10 + abs(bent)))
        return min(max(v + 0.05 * reach * x, middle - reach), middle + reach)


def quiet_by_definition(game, s):
    """What `s` is worth to MAX when nothing noisy is left, every noisy line followed to its end."""
    if game.is_terminal(s):
        return game.utility(s, 0)
    noisy = (game.result(s, a) for a in game.actions(s) if game.is_noisy(s, a))
    values = [game.evaluate(s, 0), *(quiet_by_definition(game, t) for t in noisy)]
    return max(values) if game.player(s) == 0 else min(values)


def minimax_then_quiet(game, s, depth):
    """Minimax to the depth, and quiescence by definition from there on."""
    if game.is_terminal(s):
        return game.utility(s, 0)
    if depth == 0:
        return quiet_by_definition(game, s)
    values = [minimax_then_quiet(game, game.result(s, a), depth - 1) for a in game.actions(s)]
    return max(values) if game.player(s) == 0 else min(values)
