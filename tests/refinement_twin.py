"""Alpha-beta with what may change its value, written a second time: slow, plain, without ordering and table.

The textbook's function with quiescence search, null move, scout and late-move reductions as they are described in
docs/search.md, each there if its name is in `on`. It must look at the same nodes as the kernel with all else left out.
"""

from math import inf, nextafter


class Twin:
    """The search of one game; `nodes` counts, noisy moves beyond the depth too."""

    def __init__(self, game, on):
        self.game, self.on, self.nodes = game, on, 0

    def value(self, s, alpha, beta, depth):
        """What `s` is worth to MAX."""
        game = self.game
        self.nodes += 1
        if game.is_terminal(s):
            return game.utility(s, 0)
        if depth == 0:
            return self.quiet(s, alpha, beta) if "quiescence" in self.on else game.evaluate(s, 0)
        p = game.player(s)
        low, high = (alpha, beta) if p == 0 else (-beta, -alpha)

        def ask(t, least, most, left):
            """What `t` is worth to the player who moves at `s`."""
            return self.value(t, least, most, left) if p == 0 else -self.value(t, -most, -least, left)

        if "null_move" in self.on and depth > 3 and high < inf and game.evaluate(s, p) >= high:
            other = game.passed(s)
            if game.player(other) != p:
                v = ask(other, nextafter(high, -inf), high, depth - 3)
                if v >= high:
                    return v if p == 0 else -v

        best = -inf
        for i, a in enumerate(game.actions(s)):
            t, floor = game.result(s, a), max(low, best)
            if i == 0 or "scout" not in self.on or floor == -inf:
                v = ask(t, floor, high, depth - 1)
            else:
                is_late = "reductions" in self.on and i > 3 and depth > 2 and not game.is_noisy(s, a)
                v = ask(t, floor, nextafter(floor, inf), depth - 2) if is_late else inf
                if v > floor:
                    v = ask(t, floor, nextafter(floor, inf), depth - 1)
                if floor < v < high:
                    v = ask(t, floor, high, depth - 1)
            best = max(best, v)
            if best >= high:
                break
        return best if p == 0 else -best

    def quiet(self, s, alpha, beta):
        """The mover is content with the estimate, or makes a noisy move."""
        game = self.game
        p = game.player(s)
        low, high = (alpha, beta) if p == 0 else (-beta, -alpha)
        best = game.evaluate(s, p)
        for a in game.actions(s):
            if best >= high:
                break
            if game.is_noisy(s, a):
                t, floor = game.result(s, a), max(low, best)
                self.nodes += 1
                if game.is_terminal(t):
                    v = game.utility(t, p)
                else:
                    v = self.quiet(t, floor, high) if p == 0 else -self.quiet(t, -high, -floor)
                best = max(best, v)
        return best if p == 0 else -best


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
