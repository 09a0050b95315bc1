"""Looking ahead at the best few moves only: `expectiminimax` with a `width`."""

import pytest

from counterplay import CHANCE, UserError, games, search
from counterplay.arena.players import new_player
from counterplay.native import interpreted
from counterplay.search import Limits
from counterplay.search.plain.selective import SelectiveRoot, value
from counterplay.search.run import new_tally
from tests.both_modes import both_modes
from tests.random_tree import RandomTree

pytestmark = pytest.mark.long


class DicedTree(RandomTree):
    """A random tree with dice, whose estimates are wrong now and then."""

    chance = True

    def player(self, s):
        return (0, CHANCE, 1, CHANCE)[s.ply % 4]

    def probability(self, s, a):
        n = 1 + self.noise(s, 2) % self.width
        return 2.0 * (a + 1) / (n * (n + 1))

    def evaluate(self, s, p):
        v = self.noise(s, 9) % 901 / 100 - 4.5
        return v if p == 0 else -v


GAME = DicedTree(width=4, height=8, meet=False)
ROOTS = [GAME.State(0, 0, seed) for seed in range(12)]


class Tabled(DicedTree):
    """One with a table, which knows a third of the states."""

    def solved(self, s):
        return (0.125 * (self.noise(s, 5) % 9), 0) if self.noise(s, 4) % 3 == 0 else (0.0, -1)


def obvious(game, s, width, depth, replies=None):
    """The same as it would be said: sort, take the first few, look at each."""
    if game.is_terminal(s):
        return game.utility(s, 0)
    if game.solved(s)[1] >= 0:
        return game.solved(s)[0]
    if depth == 0:
        return game.evaluate(s, 0)
    after, below = [game.result(s, a) for a in game.actions(s)], replies or width
    if (p := game.player(s)) == CHANCE:
        return sum(game.probability(s, a) * obvious(game, t, below, depth - 1) for a, t in enumerate(after))
    sign = 1 if p == 0 else -1
    if depth > 1:
        after = sorted(after, key=lambda t: -sign * obvious(game, t, width, 0))[:width]
    return sign * max(sign * obvious(game, t, below, depth - 1) for t in after)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_the_value_is_that_of_the_best_few(width):
    def found():
        results = [search.expectiminimax(GAME, s, depth=6, width=width) for s in ROOTS]
        return [(each.value, each.nodes, each.line, each.actions, each.settings["width"]) for each in results]

    for s, (v, *_, told) in zip(ROOTS, both_modes(found), strict=True):
        assert v == pytest.approx(obvious(GAME, s, width, 6), abs=1e-12)
        assert told == width


def test_fewer_replies_than_first_moves():
    def found():
        results = [search.expectiminimax(GAME, s, depth=6, width=3, replies=1) for s in ROOTS]
        return [(each.value, each.nodes, each.settings["replies"]) for each in results]

    for s, (v, nodes, told) in zip(ROOTS, both_modes(found), strict=True):
        assert v == pytest.approx(obvious(GAME, s, 3, 6, replies=1), abs=1e-12)
        assert nodes <= search.expectiminimax(GAME, s, depth=6, width=3).nodes
        assert told == 1


def test_it_asks_a_table():
    tabled = Tabled(width=4, height=8, meet=False)
    roots = [s for s in ROOTS if tabled.solved(s)[1] < 0]

    def found():
        return [search.expectiminimax(tabled, s, depth=4, width=2).value for s in roots]

    for s, v in zip(roots, both_modes(found), strict=True):
        assert v == pytest.approx(obvious(tabled, s, 2, 4), abs=1e-12)
    assert found() != [search.expectiminimax(GAME, s, depth=4, width=2).value for s in roots]


def test_wide_enough_it_is_minimax():
    for s in ROOTS:
        few, all_of_them = search.expectiminimax(GAME, s, depth=5, width=4), search.minimax(GAME, s, depth=5)
        assert few.value == all_of_them.value
        assert few.actions == all_of_them.actions


def test_what_left_something_out_proves_nothing():
    wide, narrow = ([search.expectiminimax(GAME, s, width=width) for s in ROOTS] for width in (4, 1))
    assert all(result.proven for result in wide)
    assert not any(result.proven for result in narrow)
    assert sum(result.nodes for result in narrow) < sum(result.nodes for result in wide) / 2
    assert any(a.value != b.value for a, b in zip(narrow, wide, strict=True))


def test_actions_that_were_left_out_have_only_a_bound():
    engine, s = search.new_engine("expectiminimax", GAME, width=1), next(s for s in ROOTS if len(GAME.actions(s)) == 4)
    found = engine.search(s, Limits(depth=4)).actions
    assert [each.exact for each in found].count(True) == 1
    assert {each.value for each in found if not each.exact} == {4.0}
    assert all(each.exact for each in engine.search(s, Limits(depth=4), multi=4).actions)
    worst = next(each.action for each in found if not each.exact)
    asked = engine.search(s, Limits(depth=4), also=[worst]).actions
    assert [each.exact for each in asked].count(True) == 2
    assert asked[worst].value == value(GAME, GAME.result(s, worst), 1, 3, new_tally(3))
    assert all(each.exact for each in engine.search(s, Limits(depth=1)).actions), "at the end a look is all there is"


def test_every_state_counts_once():
    """One ply ahead all are looked at, and the best one is followed by one ply more."""
    s = next(s for s in ROOTS if len(GAME.actions(s)) == 4)
    tally = new_tally(2)
    root = SelectiveRoot(GAME, s, tally, 1, 1, frozenset())
    best = root.look(2).line[0]
    after = GAME.result(s, best)
    assert tally.nodes == 1 + 4 + (0 if GAME.is_terminal(after) else len(GAME.actions(after)))


def test_it_can_be_watched():
    seen = []

    class Watcher:
        def enter(self, *arguments):
            seen.append(arguments)

        def leave(self, *arguments):
            pass

    engine = search.new_engine("expectiminimax", GAME, width=2)
    with interpreted():
        engine.watch(ROOTS[0], 3, Watcher())
    assert seen


def test_a_player_can_be_told_how_many():
    with interpreted():
        game = games.load("backgammon")
        s = game.result(game.initial(), 31)
        player = new_player(game, "expectiminimax:depth=2,width=2")
        assert game.action_name(s, player.choose([s])) == "8/5 6/5"


@pytest.mark.parametrize("width", [0, -1, "five", 1.5])
def test_a_width_is_a_number_of_moves(width):
    with pytest.raises(UserError, match="width is how many moves are followed"):
        search.expectiminimax(GAME, ROOTS[0], depth=2, width=width)


def test_replies_need_a_width():
    for replies, width in ((0, 3), ("one", 3), (1, None)):
        with pytest.raises(UserError, match="replies is how many moves are followed after the first"):
            search.expectiminimax(GAME, ROOTS[0], depth=2, width=width, replies=replies)
