"""Monte Carlo tree search: it converges to minimax, its proofs are right, its tree is the same in both modes."""

import json
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

from counterplay import CHANCE, Game, UserError, games, learn, native, search
from counterplay.games.tree import Tree
from counterplay.search import Limits, MonteCarlo, mcts
from tests.random_tree import RandomTree
from tests.sound_tree import assert_sound

# One setting at least of each variation; those that share a line go together.
VARIATIONS = [
    {"solver": True},
    {"rave": 100},
    {"puct": 1.5},
    {"fpu": 0.1},
    {"widening": 1.0},
    {"bias": 1.0, "minimax": 0.2},
    {"cutoff": 2},
    {"blend": 0.5},
    {"expand": 4},
    {"solver": True, "rave": 50, "widening": 2.0, "cutoff": 3, "bias": 0.5, "minimax": 0.5},
]
TTT = games.load("tic_tac_toe")


def tree_of(game, simulations, s=None, **settings):
    engine = MonteCarlo(game, **{"memory_mb": 1, **settings})
    result = engine.search(s, Limits(simulations=simulations))
    return engine.trees[0], result


# ---- it converges to the value of best play


@pytest.mark.parametrize(
    ("text", "within"),
    [
        ("[[3,12,8],[2,4,6],[14,5,2]]", 1.0),
        ("[chance[0.25*8,0.75*-8],min[1,chance[2,4]]]", 0.5),
        ("max[min[3,12],min[2,4],chance[0.9*10,0.1*0]]", 0.5),
        ("p1[p2[(1,2,3),(4,0,0)],p3[(2,2,2),chance[(0,0,1),(1,0,0)]]]", 0.2),  # three players
        ("p1[p2[(1,2),(4,0)],(2,5)]", 0.2),  # two that are no opponents
    ],
)
def test_trees_converge_to_minimax_and_maxn(text, within):
    game = Tree(text)
    best = search.maxn(game)
    result = mcts(game, simulations=1000, memory_mb=1)
    assert result.values == pytest.approx(best.values, abs=within)
    assert result.action == best.action
    assert result.action == max(result.actions, key=lambda each: each.visits).action


@pytest.mark.slow
def test_the_longer_the_closer():
    """The empty board is a draw; the means come down to it from MAX's advantage in random play."""
    values = [mcts(TTT, simulations=n).value for n in (100, 10_000, 400_000)]
    assert values[0] > values[1] > values[2] > 0
    assert values[2] < 0.1 * TTT.utility_range[1]


@pytest.mark.parametrize("moves", ["a1", "b1", "b2 b1", "a1 b2", "a1 b1", "a1 c1 b2", "b3 b2 a2", "a1 a2 a3 b2"])
def test_positions_converge_to_minimax(moves):
    s = TTT.at(moves).state
    exact = search.minimax(TTT, s)
    result = mcts(TTT, s, 100_000)
    assert result.value == pytest.approx(exact.value, abs=0.06 * TTT.utility_range[1])
    assert {each.action: each.value for each in exact.actions}[result.action] == exact.value


def test_dice_at_the_root():
    game = Tree("chance[0.9*max[1,4],0.1*min[-5,7]]")
    result = mcts(game, simulations=800, memory_mb=1)
    assert (result.action, result.line) == (None, ())
    assert result.value == pytest.approx(0.9 * 4 - 0.1 * 5, abs=0.2)
    assert result.actions[0].visits > 6 * result.actions[1].visits


def test_a_finished_game_has_a_value_and_no_move():
    s = TTT.at("a1 b1 a2 b2 a3").state
    result = mcts(TTT, s)
    assert (result.action, result.value, result.values, result.proven) == (None, 8.0, (8.0, -8.0), True)


@pytest.mark.parametrize("name", [name for name in games.names() if games.load(name).perfect_information])
def test_every_game_can_be_searched(name):
    game = games.load(name)
    with native.interpreted():
        result = mcts(game, simulations=8, memory_mb=1)
    s = game.initial()
    assert (result.stopped, result.simulations) == ("simulations", 8)
    assert sum(each.visits for each in result.actions) == 7  # the first is of the root alone
    assert [each.action for each in result.actions] == list(map(int, game.actions(s)))
    assert (result.action is None) == (game.player(s) == CHANCE)
    assert result.action is None or result.action in game.actions(s)
    assert len(result.values) == game.players
    low, high = game.utility_range
    assert all(low <= v <= high for v in result.values)


# ---- the tree


@pytest.mark.parametrize("settings", [{}, *VARIATIONS], ids=str)
def test_the_same_seed_gives_the_same_tree_in_both_modes(settings):
    with native.compiled():
        fast, result = tree_of(TTT, 150, seed=3, **settings)
    with native.interpreted():
        slow, again = tree_of(TTT, 150, seed=3, **settings)
    np.testing.assert_array_equal(fast.words, slow.words)
    assert result.actions == again.actions
    other, _ = tree_of(TTT, 150, seed=4, **settings)
    assert "cutoff" in settings or not np.array_equal(fast.words, other.words)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect_four", "pig:players=3,goal=15"])
def test_the_same_tree_with_dice_and_three_players(name):
    game = games.load(name)
    with native.compiled():
        fast, _ = tree_of(game, 200)
    with native.interpreted():
        slow, _ = tree_of(game, 200)
    np.testing.assert_array_equal(fast.words, slow.words)
    assert assert_sound(game, game.initial(), fast) > 100


def test_the_tree_is_sound():
    memory, result = tree_of(TTT, 5000)
    assert memory.visits[0] == 5000
    assert assert_sound(TTT, TTT.initial(), memory) > 2000
    assert result.nodes > 5000
    assert result.depth > 4
    assert result.line[0] == result.action


def test_memory_stays_within_its_budget_and_nothing_is_lost():
    game = games.load("connect_four")
    memory, result = tree_of(game, 20_000, memory_mb=0.05)
    assert memory.bytes <= 50_000
    assert memory.capacity - 7 < memory.used <= memory.capacity
    assert result.settings["tree_is_full"]
    assert memory.visits[0] == result.simulations == 20_000  # the search went on
    full = [child for child in memory.children(0) if memory.children(child)]
    assert len(full) == 7
    with pytest.raises(UserError, match="no room"):
        tree_of(game, 1, memory_mb=0.00001)


def test_the_tree_serves_the_next_move():
    game = games.load("connect_four")
    engine = MonteCarlo(game, memory_mb=8)
    a = engine.search(None, Limits(simulations=20_000)).action
    memory = engine.trees[0]
    reply = game.result(game.result(game.initial(), a), 2)

    def child(node, action):
        return next(each for each in memory.children(node) if memory.actions[each] == action)

    def stats(node):
        return {int(memory.actions[c]): (int(memory.visits[c]), *memory.totals[c]) for c in memory.children(node)}

    node = child(child(0, a), 2)
    kept, visits = stats(node), int(memory.visits[node])
    result = engine.search(reply, Limits(simulations=1))
    added = sum(each.visits for each in result.actions) - sum(n for n, _ in kept.values())
    assert (memory.visits[0], added) == (visits + 1, 1)
    changed = [action for action, each in stats(0).items() if each != kept[action]]
    assert len(changed) == 1
    assert assert_sound(game, reply, memory) < memory.used
    engine.search(reply, Limits(simulations=5000))  # goes on where it was
    assert memory.visits[0] == visits + 5001
    engine.search(game.from_text("1234567"), Limits(simulations=100))  # is not below: begins anew
    assert memory.visits[0] == 100
    assert_sound(game, game.from_text("1234567"), memory)
    assert (memory.words[8 + 2 * memory.used : 8 + 2 * memory.capacity] == 0).all()
    engine.new_game()
    engine.search(game.from_text("1234567"), Limits(simulations=50))
    assert memory.visits[0] == 50


def test_what_variations_keep_moves_with_the_tree():
    engine = MonteCarlo(TTT, memory_mb=1, solver=True, puct=1.0, rave=50)
    s = TTT.initial()
    engine.search(s, Limits(simulations=2000))
    memory = engine.trees[0]
    child = memory.children(0)[int(np.argmax(memory.visits[list(memory.children(0))]))]
    grandchild = memory.children(child)[0]
    names = ("prior", "low", "high", "amaf_visits", "amaf_total")
    kept = {name: [memory.section(name)[c] for c in memory.children(grandchild)] for name in names}
    for node in (child, grandchild):
        s = TTT.result(s, int(memory.actions[node]))
    with native.interpreted():
        engine.search(s, Limits(simulations=1))
    for name in ("prior", "low", "high"):
        assert [memory.section(name)[c] for c in memory.children(0)] == kept[name]
    assert sum(memory.section("amaf_visits")[c] for c in memory.children(0)) >= sum(kept["amaf_visits"])


# ---- proofs


def test_the_solver_proves_tic_tac_toe():
    result = mcts(TTT, solver=True)
    assert (result.value, result.proven, result.stopped) == (0.0, True, "solved")
    exact = {each.action: each.value for each in search.minimax(TTT).actions}
    assert any(each.proven for each in result.actions)
    for each in result.actions:  # what is not exact is within its bounds, which are no better for MAX than a draw
        assert each.value == exact[each.action] if each.proven else each.value <= 0.0
    assert len(result.line) == 9


@pytest.mark.parametrize(
    ("moves", "value"),
    [
        ("45152162432774277", -1.0),
        ("6664257556435577", 1.0),
        ("155313553533724475", 1.0),
        ("36743224654352455711", 1.0),
        ("6411712567162364225", -1.0),
        ("7335663743766337", 1.0),
    ],
)
def test_the_solver_proves_forced_wins_in_connect_four(moves, value):
    """Positions of 16 to 20 stones that alpha-beta solved, none won in one move."""
    game = games.load("connect_four")
    s = game.from_text(moves)
    result = mcts(game, s, solver=True)
    assert (result.value, result.proven, result.stopped) == (value, True, "solved")
    best = next(each for each in result.actions if each.action == result.action)
    assert (best.value, best.proven) == (value, True)
    assert game.player(s) == 0 or value == -1.0 or all(each.proven for each in result.actions)


SMALL_FOUR = games.load("connect_four:rows=4,columns=5")


def soon(seed):
    """A position of a small Connect Four some random moves from the start, not over."""
    random, s = np.random.default_rng(seed), SMALL_FOUR.initial()
    for _ in range(int(random.integers(5, 12))):
        after = SMALL_FOUR.result(s, int(random.choice(list(SMALL_FOUR.actions(s)))))
        s = s if SMALL_FOUR.is_terminal(after) else after
    return s


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({}, marks=pytest.mark.long),
        pytest.param({"puct": 1.0}, marks=pytest.mark.rare),
        pytest.param({"widening": 1.0, "cutoff": 0, "puct": 1.0}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_proofs_by_what_the_game_knows_agree_with_minimax(settings):
    """`sound_actions` and `still_possible` are taken for proofs, below the root and at its moves."""
    game = SMALL_FOUR.with_model(learn.DualNetwork(SMALL_FOUR, (16, 16))) if "cutoff" in settings else SMALL_FOUR
    for seed in range(40):
        s = soon(seed)
        exact = {each.action: each.value for each in search.minimax(SMALL_FOUR, s).actions}
        result = mcts(game, s, solver=True, memory_mb=2, simulations=60, **settings)
        for each in result.actions:
            assert each.value == exact[each.action] or not each.proven, (seed, each)
        whole = mcts(game, s, solver=True, memory_mb=8, **settings)
        assert (whole.proven, whole.value) == (True, exact[whole.action]), seed


def test_what_the_game_knows_saves_simulations():
    """x threatens at both ends: the loss is seen in the first simulations of every move."""
    s = SMALL_FOUR.from_text("2233")
    assert list(SMALL_FOUR.actions(s)) == [0, 1, 2, 3, 4]
    result = mcts(SMALL_FOUR, SMALL_FOUR.result(s, 3), solver=True, memory_mb=1)
    assert (result.value, result.proven) == (1.0, True)
    assert result.simulations < 5


def test_a_proof_without_moves_is_sought_again_when_it_becomes_the_root():
    """What the game knew of a node names no move; when the game gets there, one that wins has to be found."""
    for seed in range(30):
        engine, s = MonteCarlo(SMALL_FOUR, solver=True, memory_mb=2), soon(seed)
        value = engine.search(s).value
        while not SMALL_FOUR.is_terminal(s):
            result = engine.search(s)
            assert (result.value, result.proven) == (value, True), seed
            s = SMALL_FOUR.result(s, result.action)
        assert SMALL_FOUR.utility(s, 0) == value, seed


def test_the_same_proofs_in_both_modes():
    for seed in range(3):
        compiled = tree_of(SMALL_FOUR, 200, soon(seed), solver=True, puct=1.0)[0]
        with native.interpreted():
            slow = tree_of(SMALL_FOUR, 200, soon(seed), solver=True, puct=1.0)[0]
        for name in ("low", "high"):
            assert (compiled.section(name) == slow.section(name)).all()
        assert (compiled.visits == slow.visits).all()


@pytest.mark.parametrize("seed", range(10))
def test_proofs_agree_with_minimax(seed):
    game = RandomTree(height=4, width=3)
    s = game.initial()._replace(seed=seed)
    with native.interpreted():
        exact = search.minimax(game, s)
        values = {each.action: each.value for each in exact.actions}
        for settings in ({}, {"rave": 30.0, "widening": 1.0}, {"puct": 1.0}):
            result = mcts(game, s, solver=True, memory_mb=0.1, **settings)
            assert (result.value, result.proven, values[result.action]) == (exact.value, True, exact.value)
            for each in result.actions:
                assert each.value == values[each.action] or not each.proven


@pytest.mark.parametrize(
    "text", ["chance[0.25*8,0.75*-8]", "[chance[0.25*8,0.75*-8],min[1,chance[2,4]]]", "chance[[1,2],min[3,5],4]"]
)
def test_proofs_with_dice_agree_with_minimax(text):
    result = mcts(Tree(text), solver=True, memory_mb=1)
    assert (result.value, result.proven) == (search.minimax(Tree(text)).value, True)


def test_the_mean_of_a_proven_node_is_its_value():
    memory, _ = tree_of(TTT, 3000, solver=True)
    low, high = memory.section("low"), memory.section("high")
    proven = [node for node in range(memory.used) if memory.visits[node] and low[node] == high[node]]
    assert len(proven) > 500
    for node in proven:
        assert memory.totals[node, 0] == low[node] * memory.visits[node]


def test_what_is_proven_is_preferred_to_what_is_visited():
    """MAX's sure draw is taken, though the search went on looking for more than that elsewhere."""
    result = mcts(Tree("[0,[[-9,[9,-9]],[-9,[-9,9]]]]"), solver=True, simulations=7, memory_mb=1)
    assert result.action == 0


def test_a_proven_loss_is_not_taken_while_there_is_hope():
    """All moves lose, but only some are seen to: of the others the one most visited is taken."""
    result = mcts(Tree("[-9,[[-9,[-9,-9]],[-9,[-9,-9]]],-9]"), solver=True, simulations=5, memory_mb=1)
    assert (result.action, result.actions[0].proven, result.actions[2].proven, result.proven) == (1, True, True, False)


# ---- variations


@pytest.mark.parametrize("settings", [{}, *VARIATIONS, {"threads": 2}, {"threads": 2, "parallel": "root"}], ids=str)
def test_every_variation_finds_a_win_and_a_defence(settings):
    wins = mcts(TTT, TTT.at("a1 b2 a2 b3").state, 600, memory_mb=2, **settings)
    assert wins.action_name == "a3"
    defends = mcts(TTT, TTT.at("a1 b2 a2").state, 2000, memory_mb=2, **settings)
    assert defends.action_name == "a3"


def test_guided_playouts_follow_the_priority():
    game = games.load("connect_four")
    s = game.from_text("112233")  # x wins at 4: so does every guided playout
    guided, plain = (mcts(game, s, 1, guide=guide, memory_mb=1, solver=True).nodes for guide in (1.0, 0.0))
    assert guided == 2 < plain


def test_a_playout_is_cut_and_evaluated():
    result = mcts(TTT, simulations=1, cutoff=0)
    assert result.nodes == 1  # nothing but the root
    memory, _ = tree_of(TTT, 10, cutoff=0)
    visited = [node for node in memory.children(0) if memory.visits[node] == 1]
    for node in visited:
        assert memory.totals[node, 0] == TTT.evaluate(TTT.result(TTT.initial(), int(memory.actions[node])), 0)


def test_children_are_made_when_a_leaf_was_visited_often_enough():
    memory, _ = tree_of(TTT, 300, expand=12)
    inner = [node for node in range(1, memory.used) if len(memory.children(node))]
    leaves = [node for node in range(1, memory.used) if not len(memory.children(node))]
    assert inner
    assert min(memory.visits[node] for node in inner) >= 12
    assert max(memory.visits[node] for node in leaves) < 12
    with pytest.raises(UserError, match="expand is 2 or more"):
        mcts(TTT, simulations=2, expand=1)


def test_a_playout_is_blended_with_what_evaluate_says():
    """The same playouts, as nothing is chosen by values yet: each leaf is half of both."""
    start = TTT.initial()
    plain, half, none = (tree_of(TTT, 10, seed=5, blend=share)[0] for share in (0.0, 0.5, 1.0))
    visited = [node for node in plain.children(0) if plain.visits[node] == 1]
    assert len(visited) > 5
    for node in visited:
        guess = TTT.evaluate(TTT.result(start, int(plain.actions[node])), 0)
        assert none.totals[node, 0] == guess
        assert half.totals[node, 0] == pytest.approx(0.5 * (guess + plain.totals[node, 0]))
    with pytest.raises(UserError, match="blend is a share"):
        mcts(TTT, simulations=2, blend=1.5)


def test_widening_lets_the_best_moves_in_first():
    game = games.load("connect_four")
    memory, result = tree_of(game, 10, widening=1.0)
    order = sorted(range(7), key=lambda a: -game.priority(game.initial(), a))
    visits = {each.action: each.visits for each in result.actions}
    assert [visits[a] > 0 for a in order] == [True] * 4 + [False] * 3  # 1 + sqrt(9)
    assert [int(memory.actions[c]) for c in memory.children(0)] == order


def test_priors_add_up_and_follow_the_priority():
    game = games.load("connect_four")
    memory, _ = tree_of(game, 200, puct=2.0)
    priors = {int(memory.actions[c]): memory.section("prior")[c] for c in memory.children(0)}
    assert sum(priors.values()) == pytest.approx(1.0)
    assert max(priors, key=priors.get) == max(range(7), key=lambda a: game.priority(game.initial(), a))
    noisy, _ = tree_of(game, 200, puct=2.0, noise=0.3)
    mixed = {int(noisy.actions[c]): noisy.section("prior")[c] for c in noisy.children(0)}
    assert sum(mixed.values()) == pytest.approx(1.0)
    assert all(mixed[a] >= 0.75 * priors[a] for a in priors)
    assert mixed != priors


def test_first_play_urgency_need_not_try_everything():
    game = Tree("[9,1,1,1,1,1,1,1]")
    tried = [sum(each.visits > 0 for each in mcts(game, simulations=20, memory_mb=1, exploration=0.01, **f).actions)
             for f in ({}, {"fpu": 0.0})]  # fmt: skip
    assert tried[0] == 8 > tried[1]


def test_all_moves_as_first_are_counted():
    memory, _ = tree_of(TTT, 1, rave=50)
    assert not memory.children(0)
    memory, _ = tree_of(TTT, 2, rave=50)
    later = sum(memory.section("amaf_visits")[c] for c in memory.children(0))
    assert 3 <= later <= 5  # x's moves in one game


def test_implicit_minimax_keeps_the_minimax_of_the_evaluation():
    memory, _ = tree_of(TTT, 400, minimax=0.5)
    guess = memory.section("guess")

    def value(node, s):
        children = list(memory.children(node))
        if not children:
            return TTT.evaluate(s, 0)
        values = [value(c, TTT.result(s, int(memory.actions[c]))) for c in children]
        return max(values) if TTT.player(s) == 0 else min(values)

    for child in memory.children(0):
        assert guess[child] == value(child, TTT.result(TTT.initial(), int(memory.actions[child])))


def test_temperature_draws_by_visits():
    s = TTT.at("b2").state
    drawn, most_visited = set(), 0
    for seed in range(12):
        cold = mcts(TTT, s, 300, memory_mb=1, seed=seed)
        warm = mcts(TTT, s, 300, memory_mb=1, temperature=1.0, seed=seed)
        assert cold.action == max(cold.actions, key=lambda each: each.visits).action
        most_visited += warm.action == max(warm.actions, key=lambda each: each.visits).action
        drawn.add(warm.action)
    assert len(drawn) > 1
    assert most_visited < 12


# ---- repetition


class Walk(Game):
    """Two walkers on a line take turns to step left or right; who first comes to `goal` wins. x is nearer."""

    goal: int = 6

    class State(NamedTuple):
        first: int
        second: int
        turn: int
        plies: int

    def initial(self):
        return self.State(1, 0, 0, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return range(0 if self.is_terminal(s) else 2)

    def result(self, s, a):
        step = 2 * a - 1
        if s.turn == 0:
            return self.State(max(s.first + step, 0), s.second, 1, s.plies + 1)
        return self.State(s.first, max(s.second + step, 0), 0, s.plies + 1)

    def is_terminal(self, s):
        return s.first == self.goal or s.second == self.goal or s.plies == 40

    def utility(self, s, p):
        v = 1.0 if s.first == self.goal else -1.0 if s.second == self.goal else 0.0
        return v if p == 0 else -v

    def reversible(self, s):
        return s.plies

    def key(self, s):
        return (s.first * 64 + s.second) * 2 + s.turn


def test_a_repetition_is_a_draw():
    """Both step back and forth: in the tree no line has a position twice, whatever the random games do."""
    game = Walk()
    with native.interpreted():
        memory, result = tree_of(game, 400)
        assert result.action == 1
        stack = [(0, game.initial(), ())]
        while stack:
            node, s, before = stack.pop()
            if game.key(s) in before:
                assert not memory.children(node)
                assert memory.totals[node, 0] == 0.0
            for child in memory.children(node):
                if memory.visits[child]:
                    stack.append((child, game.result(s, int(memory.actions[child])), (*before, game.key(s))))
        start = game.initial()
        away = game.result(game.result(start, 1), 1)
        back = game.result(game.result(away, 0), 0)
        twice = mcts(game, away, 200, memory_mb=1, history=[start, away, back, away])
        assert twice.simulations == 200


# ---- limits and settings


def test_limits_end_a_search():
    assert mcts(TTT, simulations=77).settings["limits"] == {"simulations": 77}
    by_nodes = mcts(TTT, nodes=1000)
    assert (by_nodes.stopped, by_nodes.nodes < 1020) == ("nodes", True)
    by_time = mcts(TTT, seconds=0.02)
    assert by_time.stopped == "seconds"
    assert mcts(TTT).simulations == 10_000


def test_stop_ends_a_search_with_what_is_known():
    def stop(tally):
        tally.stop = 1

    game = games.load("connect_four")
    for settings in ({}, {"threads": 2}):
        result = mcts(game, simulations=10**9, progress=stop, **settings)
        assert (result.stopped, result.proven) == ("interrupted", False)
        assert result.action in range(7)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"simulations": 0}, "1 simulation or more"),
        ({"nodes": 0}, "1 node or more"),
        ({"rave": 0}, "rave is more than 0"),
        ({"rave": "x"}, "rave is more than 0, not x"),
        ({"exploration": -1}, "exploration is 0 or more"),
        ({"guide": 2}, "from 0 to 1"),
        ({"guide": 0.5}, "needs a game with `priority`"),
        ({"quick": True}, "needs a game with `quick_action`"),
        ({"hunch": 1.0}, "set rave"),
        ({"threads": 0}, "threads is 1 or more"),
        ({"threads": 100_000}, "1 to 256 threads"),
        ({"evaluator": "x"}, "an evaluator is a Python function"),
        ({"parallel": "leaf"}, "'tree' or at the 'root'"),
        ({"noise": 0.3}, "only puct has"),
        ({"threads": 2, "evaluator": print}, "instead of threads"),
        ({"memory_mb": 0}, "memory_mb is more than 0"),
    ],
)
def test_settings_that_make_no_sense_are_told(settings, complaint):
    with pytest.raises(UserError, match=complaint):
        mcts(TTT, **settings)


def test_variations_refuse_games_they_are_not_for():
    with pytest.raises(search.Unsuited, match="mcts with solver is for two opponents"):
        mcts(games.load("pig:players=3"), solver=True)
    with pytest.raises(UserError, match="needs a game with `evaluate`; nim has none"):
        mcts(games.load("nim"), bias=1.0)


def test_the_command_takes_simulations_and_settings():
    def command(*more):
        words = ["search", "tic_tac_toe", "--algorithm", "mcts", "--interpreted", *more]
        return subprocess.run([sys.executable, "-m", "counterplay", *words], capture_output=True, text=True)

    data = json.loads(command("--simulations", "60", "--set", "solver=on,seed=3,rave=30", "--json").stdout)
    assert (data["simulations"], data["solver"], data["seed"], data["rave"]) == (60, True, 3, 30.0)
    shown = command("--moves", "a1 b2 a2 b3", "--set", "solver=on").stdout
    assert "visits" in shown
    assert "best exact" in shown
    wrong = command("--set", "solver")
    assert (wrong.returncode, "is not of the form name=value" in wrong.stderr) == (2, True)


def test_the_result_says_how_it_came_about():
    result = mcts(TTT, simulations=50, seed=7, rave=30.0)
    data = result.as_dict()
    assert (data["simulations"], data["seed"], data["rave"], data["stopped"]) == (50, 7, 30.0, "simulations")
    assert sum(each["visits"] for each in data["actions"]) == 49
    assert "50 simulations" in str(result)
    assert search.ALGORITHMS["mcts"] is mcts
    engine = MonteCarlo(TTT)
    assert engine.search(None, Limits(nodes=100)).stopped == "nodes"
