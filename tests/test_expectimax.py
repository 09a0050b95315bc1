"""Expectimax: the best reply to a known policy, against a slow obvious twin and the lectures' games of bins."""

import textwrap
from math import inf, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CHANCE, Game, UserError, games, native, search
from counterplay.games.tree import Tree
from counterplay.search.engine import Request
from counterplay.search.limits import Limits
from counterplay.search.plain.expectimax import Expectimax, against, expectimax, uniform
from counterplay.search.run import new_tally
from tests.both_modes import both_modes
from tests.pile import python

pytestmark = pytest.mark.long

# ---- policies


def last_action(game, s, a):
    """A policy without doubt."""
    last = -1
    for each in game.actions(s):
        last = each
    return 1.0 if a == last else 0.0


def rather_later(game, s, a):
    """Weights, no probabilities: each action is likelier than the one before."""
    return a + 1


# ---- the lectures' games of bins


def test_bins_game_1_against_a_random_opponent_is_c():
    result = both_modes(lambda: expectimax(games.load("bins")).as_dict() | {"seconds": 0})
    assert (result["action_name"], result["value"], result["proven"]) == ("C", 5.0, True)
    assert {each["action_name"]: each["value"] for each in result["actions"]} == {"A": 0.0, "B": 2.0, "C": 5.0}
    assert (result["player"], result["policy"], result["nodes"]) == (0, "uniform", 10)


def test_a_random_opponent_is_as_good_as_chance():
    chance = search.minimax(games.load("bins:opponent_is_random=true"))
    result = expectimax(games.load("bins"))
    assert (result.values, result.nodes) == (chance.values, chance.nodes)


def test_bins_game_2_with_a_coin_and_a_random_opponent():
    """The mean of a bin and the one to its left: A 0 and C 5, B 2 and A 0, C 5 and B 2."""
    result = expectimax(games.load("bins:coin=true"))
    assert [each.value for each in result.actions] == [2.5, 1.0, 3.5]


def test_an_opponent_who_gives_the_last_number():
    """Only what the policy plays is looked at: a root, three bins and one number of each."""
    result = both_modes(lambda: expectimax(games.load("bins"), policy=last_action).as_dict() | {"seconds": 0})
    assert (result["action_name"], result["value"], result["nodes"]) == ("A", 50.0, 7)
    assert result["policy"] == "last_action"


def test_weights_are_in_proportion():
    result = both_modes(lambda: expectimax(games.load("bins"), policy=rather_later).as_dict() | {"seconds": 0})
    assert [each["value"] for each in result["actions"]] == pytest.approx([50 / 3, 7 / 3, 25 / 3])
    halved = expectimax(games.load("bins"), policy=lambda game, s, a: (a + 1) / 2)
    assert halved.value == result["value"]


def test_a_policy_may_ask_the_game():
    """Someone who is kind nine times of ten, and else cruel."""

    def kind(game, s, a):
        worst, best = inf, -inf
        for each in game.actions(s):
            number = game.utility(game.result(s, each), 0)
            worst, best = min(worst, number), max(best, number)
        number = game.utility(game.result(s, a), 0)
        return 0.9 if number == best else 0.1 if number == worst else 0.0

    result = both_modes(lambda: expectimax(games.load("bins"), policy=kind).as_dict() | {"seconds": 0})
    assert result["value"] == pytest.approx(40.0)


def test_the_second_player_chooses_against_a_random_first():
    """MIN's own utility is the opposite of MAX's; MAX does not choose, so there is no action at the root."""
    tree = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]
    result = both_modes(lambda: expectimax(Tree(tree), player=1).as_dict() | {"seconds": 0})
    assert (result["action"], result["value"]) == (None, pytest.approx((3 + 2 + 2) / 3))
    assert [each["value"] for each in result["actions"]] == [3.0, 2.0, 2.0]


# ---- against a slow obvious twin, on random trees


def obvious_values(game, s, me, policy):
    """What each player gets; the first of equally good actions counts."""
    if game.is_terminal(s):
        return [game.utility(s, p) for p in range(game.players)]
    below = {a: obvious_values(game, game.result(s, a), me, policy) for a in game.actions(s)}
    if game.player(s) == me:
        return max(below.values(), key=lambda v: v[me])
    if game.player(s) == CHANCE:
        weights = {a: game.probability(s, a) for a in below}
    else:
        weights = {a: policy(game, s, a) for a in below}
    total = sum(weights.values())
    return [sum(weights[a] / total * v[p] for a, v in below.items()) for p in range(game.players)]


@st.composite
def tree_and_player(draw):
    """A tree of 2 to 4 players with utilities of any kind, and one of the players."""
    players = draw(st.integers(2, 4))
    leaf = st.lists(st.integers(-9, 9), min_size=players, max_size=players).map(
        lambda us: f"({','.join(map(str, us))})"
    )
    who = st.sampled_from(["", "chance", *(f"p{p + 1}" for p in range(players))])
    tree = st.recursive(
        leaf,
        lambda child: st.builds(
            lambda who, below: f"{who}[{','.join(below)}]", who, st.lists(child, min_size=1, max_size=4)
        ),
        max_leaves=25,
    ).filter(lambda text: text.endswith("]"))
    return draw(tree), draw(st.integers(0, players - 1))


@settings(max_examples=400, deadline=None, derandomize=True)
@given(tree_and_player(), st.sampled_from([uniform, last_action, rather_later]))
def test_expectimax_equals_the_obvious_recursion(tree, policy):
    text, me = tree
    game = Tree(text)
    s = game.initial()
    result = expectimax(game, player=me, policy=policy)
    assert result.proven
    assert result.value == result.values[0]
    assert result.values == pytest.approx(obvious_values(game, s, me, policy))
    for each in result.actions:
        assert each.exact
        assert each.values == pytest.approx(obvious_values(game, game.result(s, each.action), me, policy))
    if policy is not last_action:
        assert result.nodes == len(game.nodes)
    if game.player(s) != me:
        assert (result.action, result.line) == (None, ())
        return
    own = [each.values[me] for each in result.actions]
    assert result.action == own.index(max(own))
    for a in result.line:  # moves of the player's own, each of which keeps the value
        assert game.player(s) == me
        s = game.result(s, a)
        assert obvious_values(game, s, me, policy)[me] == pytest.approx(result.values[me])
    assert game.is_terminal(s) or game.player(s) != me


@settings(max_examples=60, deadline=None, derandomize=True)
@given(tree_and_player())
def test_after_a_stop_nothing_unfinished_is_called_exact(tree):
    """Stopped after every possible number of nodes, the actions that are called exact are."""
    text, me = tree
    game = Tree(text)
    s = game.initial()
    true = {a: obvious_values(game, game.result(s, a), me, uniform) for a in game.actions(s)}
    for most_nodes in range(1, len(game.nodes) + 1):
        tally = new_tally(1000, most_nodes)
        with native.interpreted():
            found = Expectimax(game, player=me)._root(Request(s, Limits(), 1, frozenset(), ()), tally).look(1000)
        assert all(each.values == pytest.approx(true[each.action]) for each in found.actions if each.exact)
        if found.proven:
            assert found.values == pytest.approx(obvious_values(game, s, me, uniform))
        if game.player(s) == me:
            assert found.line[0] in true


# ---- compiled and interpreted


@pytest.mark.parametrize("name", ["pig", "pig:players=3", "bins:coin=true", "tic_tac_toe"])
@pytest.mark.parametrize("policy", [None, rather_later])
def test_compiled_and_interpreted_agree_to_the_last_node(name, policy):
    def work():
        return expectimax(games.load(name), depth=4, player=1, policy=policy).as_dict() | {"seconds": 0}

    assert both_modes(work)["depth"] <= 4


def test_a_game_and_a_policy_are_put_together_once():
    """So they are compiled once for all searches of a process."""
    assert against(games.load("bins"), rather_later) is against(games.load("bins"), rather_later)
    assert against(games.load("bins"), rather_later) is not against(games.load("bins"), last_action)
    assert against(games.load("bins"), rather_later) is not against(games.load("bins:coin=true"), rather_later)


def test_compiled_code_of_a_policy_is_found_by_the_next_process(tmp_path):
    script = """
        from counterplay import games
        from counterplay.search.plain.expectimax import expectimax
        def policy(game, s, a):
            return 1.0 + LIKES_LATER * a
        print(expectimax(games.load("bins"), policy=policy).value)
    """

    def run(likes_later):
        return python(tmp_path, f"LIKES_LATER = {likes_later}\n" + textwrap.dedent(script))

    first, second, changed = run(0), run(0), run(10**9)
    assert (first.stdout, second.stdout) == ("5.0\n", "5.0\n")
    assert float(changed.stdout) == pytest.approx(50.0)
    assert ["compiling" in each.stderr for each in (first, second, changed)] == [True, False, True]


class Half:
    """A policy that is no function, and so cannot be compiled."""

    def __call__(self, game, s, a):
        return 0.5


def test_a_policy_that_cannot_be_compiled_is_interpreted(capsys):
    result = expectimax(games.load("bins"), policy=Half())
    assert (result.action_name, result.value, result.settings["policy"]) == ("C", 5.0, "Half")
    assert "bins runs interpreted" in capsys.readouterr().err


# ---- limits, and what it is not for


def test_a_limit_of_nodes_is_kept_to():
    result = expectimax(games.load("pig"), nodes=5000)
    assert (result.stopped, result.action_name, result.proven) == ("nodes", "roll", False)
    assert 5000 <= result.nodes <= 5000 + 6 * 20  # the siblings on the way back up are counted too


def test_a_limit_of_seconds_ends_the_search():
    result = expectimax(games.load("pig"), seconds=0.05)
    assert (result.stopped, result.action_name) == ("seconds", "roll")


def test_a_stop_gives_a_legal_move():
    """The progress call is the only thing that can stop it: a game of pig has no last move."""

    def stop(tally):
        tally.stop = 1

    game = games.load("pig")
    result = expectimax(game, game.at("roll 6").state, depth=100, progress=stop)
    assert (result.stopped, result.proven, result.action) == ("interrupted", False, 0)
    assert not any(each.exact for each in result.actions)
    other = expectimax(game, game.at("roll 6").state, depth=100, player=1, progress=stop)
    assert (other.stopped, other.proven, other.action) == ("interrupted", False, None)


def test_depth_in_plies_and_rounds():
    game = Tree([[3, [9, 1]], [2, 4]])  # utilities range from -9 to 9, so what is not seen counts as 0
    assert [each.value for each in expectimax(game, depth=2).actions] == [1.5, 3.0]
    assert [each.value for each in expectimax(game, rounds=1).actions] == [1.5, 3.0]
    assert [each.value for each in expectimax(game, depth=3).actions] == [6.0, 3.0]


def test_a_finished_game_has_values_and_no_move():
    game = games.load("tic_tac_toe")
    result = expectimax(game, game.at("a1 b1 a2 b2 a3").state)
    assert (result.action, result.values, result.line) == (None, (8.0, -8.0), ())


class Walk(Game):
    """One player goes left or right three times and gets the number of the place."""

    players = 1
    zero_sum = False
    utility_range = (-3.0, 3.0)

    def initial(self):
        return (0, 0)

    def player(self, s):
        return 0

    def actions(self, s):
        return range(2 if s[0] < 3 else 0)

    def result(self, s, a):
        return (s[0] + 1, s[1] + (1 if a else -1))

    def is_terminal(self, s):
        return s[0] == 3

    def utility(self, s, p):
        return float(s[1])


def test_alone_a_player_has_a_plan():
    result = expectimax(Walk())
    assert (result.value, result.line) == (3.0, (1, 1, 1))


def negative(game, s, a):
    return -1.0


def undefined(game, s, a):
    return nan


def nothing(game, s, a):
    return 0.0


@pytest.mark.parametrize("mode", [native.compiled, native.interpreted])
@pytest.mark.parametrize(("policy", "why"), [(negative, "0 or more"), (undefined, "0 or more"), (nothing, "above 0")])
def test_a_policy_that_is_none(policy, why, mode):
    with mode(), pytest.raises(UserError, match=why):
        expectimax(games.load("bins"), policy=policy)


def test_what_it_is_not_for():
    with pytest.raises(UserError, match="bins has players 0 to 1, not 2"):
        expectimax(games.load("bins"), player=2)
    with pytest.raises(search.Unsuited, match="expectimax needs moves in turn"):
        expectimax(Hidden())


class Hidden(Walk):
    perfect_information = False
