"""Minimax, perft and random play: the worked examples of the lectures, known counts, and a slow obvious twin."""

import signal
import subprocess
import sys
import textwrap
from math import inf, nextafter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import UserError, games, native, search
from counterplay.games.tree import Tree
from counterplay.search.run import new_tally, run
from counterplay.search.values import just_above, just_below
from tests.both_modes import both_modes
from tests.processes import WATCHDOG_SECONDS, hear_ctrl_c
from tests.references import obvious_value
from tests.small_games import LongGame, OnePlayer


def values(result):
    return {result.game.action_name(result.state, each.action): each.value for each in result.actions}


# ---- the lectures' worked examples


def test_two_ply_tree_has_value_3():
    result = search.minimax(Tree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    assert (result.value, result.action, result.line) == (3.0, 0, (0, 0))
    assert [each.value for each in result.actions] == [3.0, 2.0, 2.0]
    assert (result.nodes, result.depth, result.proven, result.stopped) == (13, 2, True, "solved")


@pytest.mark.parametrize(
    ("tree", "value", "action"),
    [([[10, 8], [4, 50]], 8.0, 0), ([[3, 5], [2, 10]], 3.0, 0), ([[2, 10], [3, 5]], 3.0, 1)],
)
def test_small_trees(tree, value, action):
    result = search.minimax(Tree(tree))
    assert (result.value, result.action) == (value, action)


def test_bins_game_1_against_a_minimiser_is_b():
    result = search.minimax(games.load("bins"))
    assert (result.action_name, result.value) == ("B", 1.0)
    assert values(result) == {"A": -50.0, "B": 1.0, "C": -5.0}


def test_bins_game_1_against_a_random_opponent_is_c():
    result = search.minimax(games.load("bins:opponent_is_random=true"))
    assert (result.action_name, result.value) == ("C", 5.0)
    assert values(result) == {"A": 0.0, "B": 2.0, "C": 5.0}


def test_bins_game_2_with_a_coin_is_c():
    result = search.minimax(games.load("bins:coin=true"))
    assert (result.action_name, result.value) == ("C", -2.0)
    assert values(result) == {"A": -27.5, "B": -24.5, "C": -2.0}


def test_tic_tac_toe_two_plies_ahead_prefers_the_centre():
    result = search.minimax(games.load("tic_tac_toe"), depth=2)
    assert (result.action_name, result.value, result.proven, result.stopped) == ("b2", 1.0, False, "depth")
    corners, edges = dict.fromkeys(("a1", "a3", "c1", "c3"), -1.0), dict.fromkeys(("a2", "b1", "b3", "c2"), -2.0)
    assert values(result) == {"b2": 1.0} | corners | edges


def test_tic_tac_toe_is_a_draw():
    result = search.minimax(games.load("tic_tac_toe"))
    assert (result.value, result.proven, result.nodes, result.depth) == (0.0, True, 549_946, 9)
    assert len(result.line) == 9


@pytest.mark.parametrize("heaps", [(1,), (2, 2), (1, 2, 3), (3, 4, 5), (1, 1, 2), (2, 5)])
@pytest.mark.parametrize("misere", [False, True])
def test_nim_agrees_with_bouton(heaps, misere):
    """The mover wins iff the heaps' xor is not 0; at misère with heaps of one only, iff it is."""
    xor = 0
    for heap in heaps:
        xor ^= heap
    wins = (xor == 0) if misere and max(heaps) == 1 else (xor != 0)
    game = games.load(f"nim:heaps={list(heaps)},misere={misere}")
    with native.interpreted() if sum(heaps) < 9 else native.compiled():
        assert search.minimax(game).value == (1.0 if wins else -1.0)


# ---- against a slow obvious twin, on random trees


leaf = st.integers(-9, 9).map(str)
tree = st.recursive(
    leaf,
    lambda child: st.builds(
        lambda who, children: f"{who}[{','.join(children)}]",
        st.sampled_from(["", "max", "min", "chance"]),
        st.lists(child, min_size=1, max_size=4),
    ),
    max_leaves=30,
).filter(lambda text: text.endswith("]"))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(tree)
def test_minimax_equals_the_obvious_recursion(text):
    game = Tree(text)
    result = search.minimax(game)
    assert result.value == obvious_value(game, game.initial())
    assert result.proven
    assert result.nodes == len(game.nodes)
    s = game.initial()
    for a in result.line:  # each step of the line keeps the value
        s = game.result(s, a)
        assert obvious_value(game, s) == result.value


@pytest.mark.parametrize("text", ["[[3,12,8],[2,4,6],[14,5,2]]", "[chance[0.25*8,0.75*-8],min[1,chance[2,4]]]"])
def test_compiled_trees_equal_interpreted_ones(text):
    result = both_modes(lambda: search.minimax(Tree(text)).as_dict() | {"seconds": 0})
    assert result["proven"]


@pytest.mark.parametrize("name", ["connect_four", "tic_tac_toe", "nim", "pig", "bins", "bins:coin=true"])
def test_compiled_and_interpreted_agree_to_the_last_node(name):
    def work():
        return search.minimax(games.load(name), depth=4).as_dict() | {"seconds": 0}

    assert both_modes(work)["depth"] <= 4


# ---- the result


def test_values_are_for_max_whoever_moves():
    game = games.load("tic_tac_toe")
    here = game.at("a1 b2 a2 b3")  # x to move wins at a3
    assert search.minimax(game, here.state).value == 8.0
    here = game.at("a1 b2 a2 b3 c1")  # o to move wins at b1
    result = search.minimax(game, here.state)
    assert (result.value, result.action_name, result.values) == (-8.0, "b1", (-8.0, 8.0))


def test_a_finished_game_has_a_value_and_no_move():
    game = games.load("tic_tac_toe")
    result = search.minimax(game, game.at("a1 b1 a2 b2 a3").state)
    assert (result.action, result.action_name, result.value, result.line) == (None, None, 8.0, ())


def test_at_a_throw_of_the_dice_there_is_a_value_and_no_move():
    game = games.load("pig")
    result = search.minimax(game, game.at("roll").state, depth=2)
    assert result.action is None
    assert result.value == pytest.approx(sum(each.value for each in result.actions) / 6)


def test_result_reads_well():
    text = str(search.minimax(Tree([[3, 12], [2, 4]])))
    assert text.startswith("1, 3 for player 1 (exact), line 1 1, 7 nodes in ")


def test_json_has_values_for_each_player_only_when_they_are_not_opposite():
    assert "values" not in search.minimax(Tree()).as_dict()
    one = search.minimax(OnePlayer())
    assert one.as_dict()["values"] == [4.0]
    assert [each.values for each in one.actions] == [(2.0,), (4.0,)]


def test_minimax_refuses_what_it_is_not_for():
    with pytest.raises(search.Unsuited, match="pig:players=3 has 3 players"):
        search.minimax(games.load("pig:players=3"))
    with pytest.raises(search.Unsuited, match="utilities that are not opposite"):
        search.minimax(Tree("[(1,2),(3,3)]"))
    for depth in (0, -1, 10**9):
        with pytest.raises(UserError, match="plies ahead"):
            search.minimax(games.load("nim"), depth=depth)


def test_evaluate_in_the_middle_of_the_range_stands_for_what_is_not_seen():
    result = search.minimax(Tree([[3, [9, 1]], [2, 4]]), depth=2)
    assert not result.proven
    assert [each.value for each in result.actions] == [0.0, 2.0]  # utilities range from -9 to 9


# ---- stopping


def test_stop_ends_a_search_with_the_actions_finished_by_then():
    """The progress call is the only thing that can stop it: an empty Connect Four board is too large to solve."""
    tallies = []

    def stop(tally):
        tallies.append(tally)
        tally.stop = 1

    result = search.minimax(games.load("connect_four"), progress=stop)
    assert tallies
    assert (result.stopped, result.proven) == ("interrupted", False)
    assert result.action in range(7)
    assert not result.actions[-1].exact


def test_what_is_unfinished_is_never_called_exact():
    for nodes in range(1, 8):
        for text, whole in (("[[1],[2]]", 5), ("chance[1,3]", 3)):
            result = search.minimax(Tree(text), nodes=nodes)
            assert result.proven == (result.stopped == "solved")
            if result.proven:
                assert result.nodes >= whole
                assert result.value == 2.0


def test_ctrl_c_gives_the_best_so_far():
    script = """
        from counterplay import games, search
        def tell(tally):
            print("running", flush=True)
        print(search.minimax(games.load("connect_four"), progress=tell).stopped, flush=True)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=hear_ctrl_c)
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=WATCHDOG_SECONDS)
    assert rest.splitlines()[-1] == "interrupted"


def test_run_passes_on_what_goes_wrong():
    def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(fail, new_tally())


def test_a_search_goes_as_deep_as_the_game_is_long():
    game = LongGame(length=5000)
    assert both_modes(lambda: search.minimax(game).depth) == 5000


# ---- perft


def test_tic_tac_toe_counts():
    game = games.load("tic_tac_toe")
    counts = both_modes(lambda: search.perft(game, depth=4))
    assert counts == [1, 9, 72, 504, 3024]
    counts = search.perft(game, depth=9)
    assert sum(counts) == 549_946
    assert search.perft(game, depth=10) == [*counts, 0]
    assert search.count_games(game, depth=9) == 255_168


def test_connect_four_counts():
    counts = search.perft(games.load("connect_four"), depth=8)
    assert counts == [1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234]


def test_split_adds_up():
    game = games.load("connect_four")
    s = game.at("4 4").state
    split = both_modes(lambda: search.perft_split(game, s, 4))
    assert list(split) == list(range(7))
    assert sum(split.values()) == search.perft(game, s, 4)[4]
    assert search.perft_split(game, s, 0) == {}
    assert search.count_games(games.load("nim:heaps=[1,1]"), depth=2) == 2
    with pytest.raises(UserError):
        search.perft(game, depth=-1)


# ---- random play


def test_random_actions_are_legal_and_all_occur():
    game = games.load("pig")
    random = search.new_random(7)
    s = game.at("roll").state
    faces = [search.random_action(game, s, random) for _ in range(600)]
    assert set(faces) == {1, 2, 3, 4, 5, 6}
    assert all(60 <= faces.count(face) <= 140 for face in range(1, 7))  # 100 expected, deviation 9


def test_chance_follows_its_probabilities():
    game = Tree("chance[0.9*1,0.1*-1]")
    with native.interpreted():
        mean = search.mean_utility(game, game.initial(), 2000, search.new_random(3))
    assert mean == pytest.approx(0.8, abs=0.06)


def test_same_seed_same_games():
    game = games.load("connect_four")

    def mean(seed):
        return search.mean_utility(game, game.initial(), 200, search.new_random(seed))

    assert both_modes(lambda: mean(1)) == mean(1) != mean(2)
    end = both_modes(lambda: search.playout(game, game.initial(), search.new_random(5)))
    assert game.is_terminal(end)


def test_minimax_bounds_random_play():
    """MAX's value under best play by both lies above the worst and below the best of what random play can give."""
    game = games.load("nim:heaps=[2,3]")
    mean = search.mean_utility(game, game.initial(), 500, search.new_random(1))
    assert -1.0 < mean < search.minimax(game).value < inf


TIC_TAC_TOE = games.load("tic_tac_toe")


@native.native
def neighbours(game, x):
    return just_above(x), just_below(x)


@given(st.floats(allow_nan=False))
@settings(max_examples=200, deadline=None)
@pytest.mark.parametrize("mode", [native.compiled, native.interpreted])
def test_the_next_number_is_that_of_the_library_in_both_modes(mode, x):
    with mode():
        for each in (x, -x, 0.0, -0.0, inf, -inf):
            assert neighbours(TIC_TAC_TOE, each) == (nextafter(each, inf), nextafter(each, -inf))


@pytest.mark.parametrize("name", games.names())
def test_what_a_search_asks_instead_of_the_default_estimate_is_the_same(name):
    game = games.load(name)
    s = game.initial()
    assert game.has_weighed_terms == (game.knows.terms and "evaluate" not in vars(type(game)))
    if game.has_weighed_terms:
        assert [game.weighed(s, p) for p in range(game.players)] == [game.evaluate(s, p) for p in range(game.players)]
