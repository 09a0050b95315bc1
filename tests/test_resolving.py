"""Continual re-solving: games cut in two, subgames solved again, and how good who plays so is."""

import numpy as np
import pytest

from counterplay import CHANCE, Game, UserError, games, native, solve
from counterplay.core.randomness import new_random
from counterplay.core.views import view
from counterplay.search import Unsuited
from counterplay.solve import LeafNetwork, Nested, Resolver, cut, train_network, unfold
from counterplay.solve.resolving import solve_from

pytestmark = pytest.mark.long

KUHN = games.load("kuhn_poker")
LEDUC = games.load("leduc_poker")


def exploitability(player):
    return player.strategy().measured(unfold(player.game)).about.exploitability


@pytest.fixture(scope="module")
def leduc_player():
    return Resolver(LEDUC)


# ---- the cut


def test_leduc_poker_is_cut_where_the_card_is_shown():
    trunk = cut(LEDUC)
    assert len(trunk.leaves) == 15, "five ways through the first round, and three ranks on the table"
    assert [side.sets for side in trunk.sides] == [9, 9]
    whole, after = unfold(LEDUC), trunk.unfold()
    for p in (0, 1):
        found = np.concatenate([trunk.sides[p].keys, after.sides[p].keys])
        np.testing.assert_array_equal(np.sort(found), np.sort(whole.sides[p].keys))
    leaf = trunk.leaves[0]
    assert leaf.public.table >= 0
    assert {len(hands) for hands in leaf.hands} == {3}, "a rank each"
    assert sum(root.reach for each in trunk.leaves for root in each.roots) == pytest.approx(5), "one for each way"
    assert sum(each.form.size.nodes for each in trunk.leaves) == after.size.nodes


def test_a_game_is_cut_after_moves():
    trunk = cut(KUHN, depth=1)
    assert [side.sets for side in trunk.sides] == [3, 0], "the second player knows his card and has not moved"
    assert [[len(hands) for hands in leaf.hands] for leaf in trunk.leaves] == [[3, 3], [3, 3]]
    assert trunk.into(1).tolist() == [0] * 6
    assert cut(KUHN).leaves == (), "chance shows nothing later: it is all trunk"
    with pytest.raises(UserError, match="1 move or more"):
        cut(KUHN, depth=0)
    with pytest.raises(Unsuited, match="hides nothing"):
        cut(games.load("nim"))


class WhoIsFirst(Game):
    """Chance says who moves first, and tells nobody; all that counts is whether both do the same."""

    chance = True

    def initial(self):
        return (-1, -1, -1)  # who begins, and what each did

    def player(self, s):
        return CHANCE if s[0] < 0 else s[0] if s[1 + s[0]] < 0 else 1 - s[0]

    def actions(self, s):
        return (0, 1)

    def probability(self, s, a):
        return 0.5

    def result(self, s, a):
        i = self.player(s) + 1
        return (*s[:i], a, *s[i + 1 :])

    def is_terminal(self, s):
        return s[1] >= 0 and s[2] >= 0

    def utility(self, s, p):
        return 1.0 if (s[1] == s[2]) == (p == 0) else -1.0

    def information(self, s, p):
        return (s[1 + p] if p >= 0 else -1,)


def test_where_a_player_cannot_tell_that_the_trunk_is_over_there_is_no_cut():
    with native.interpreted():
        with pytest.raises(UserError, match="cannot be cut there: who is in a subgame might be before it"):
            cut(WhoIsFirst(), depth=1).unfold()
        assert exploitability(Resolver(WhoIsFirst(), 10)) == pytest.approx(0.0)


# ---- subgames


def test_subgames_at_an_equilibrium_are_worth_what_the_whole_game_is():
    solver = solve.Cfr(unfold(LEDUC))
    solver.run(3_000)
    found = solve.respond(solver.form, solver.average())
    trunk = cut(LEDUC)
    strategy = solve.Strategy.of_sequences(solver.form, solver.average(), solve.About("dcfr", 3_000))
    plans = []
    for p in (0, 1):
        side, x = trunk.sides[p], np.ones(trunk.sides[p].sequences)
        chances = strategy.by_sequence(side)
        for i in range(side.sets):
            a, b = side.first[i], side.first[i + 1]
            x[a:b] = x[side.parent[i]] * chances[a:b]
        plans.append(x)
    reach = plans[0][trunk.into(0)], plans[1][trunk.into(1)]
    values = Nested(trunk, 2_000)(reach)
    ends, side = 0.0, trunk.sides[0]
    for q in range(side.sequences):
        for t in range(side.start[q], side.start[q + 1]):
            ends += plans[0][q] * side.pay[t] * plans[1][side.other[t]]
    assert values[0] @ reach[0] == pytest.approx(-(values[1] @ reach[1]), abs=1e-3), "what one wins the other loses"
    assert ends + values[0] @ reach[0] == pytest.approx(found.values[0], abs=1e-3)


def test_who_is_promised_much_declines():
    leaf = cut(KUHN, depth=1).leaves[1]
    form = leaf.form
    reach = np.ones(3), np.ones(3)
    entered = solve_from(form, reach, 200, me=0, promised=np.full(3, -9.0)).work.x[1][1:4]
    declined = solve_from(form, reach, 200, me=0, promised=np.full(3, 9.0)).work.x[1][1:4]
    np.testing.assert_allclose(entered, 1.0)
    np.testing.assert_allclose(declined, 0.0)


# ---- how good it is


def test_it_is_hardly_exploitable_on_leduc_poker(leduc_player):
    strategy = leduc_player.strategy()
    assert strategy.about == solve.About(solve.RESOLVING, 1_000)
    assert len(strategy) == 288
    assert exploitability(leduc_player) < 0.01


def test_it_is_ahead_of_cfr_by_samples_of_equal_time(leduc_player):
    """As many samples as `benchmarks/resolving.py` makes while re-solving by a network thinks."""
    solver = solve.ExternalSampling(LEDUC)
    solver.run(1_650)
    form, mine, theirs = unfold(LEDUC), leduc_player.strategy(), solver.strategy()
    first = solve.respond(form, (mine.by_sequence(form.sides[0]), theirs.by_sequence(form.sides[1]))).values[0]
    second = solve.respond(form, (theirs.by_sequence(form.sides[0]), mine.by_sequence(form.sides[1]))).values[1]
    assert 0.5 * (first + second) > 0.1


@pytest.mark.parametrize(
    ("name", "depth", "most"), [("kuhn_poker", 1, 5e-3), ("kuhn_poker", 2, 5e-3), ("goofspiel:cards=3", 2, 1e-3)]
)
def test_other_games_are_cut_after_moves(name, depth, most):
    game = games.load(name)
    found = solve.equilibrium(game, solve.RESOLVING, 300, depth=depth).about
    assert found.exploitability < most
    assert found.method == "resolving"


def test_without_leaves_it_is_cfr():
    player = Resolver(KUHN, 50)
    assert player.strategy().chances.tolist() == solve.equilibrium(KUHN, "dcfr", 50).chances.tolist()


def test_compiled_and_interpreted_agree_to_the_last_bit():
    found = []
    for mode in (native.compiled, native.interpreted):
        with mode():
            trunk = cut(KUHN, depth=1)
            player = Resolver(KUHN, 10, trunk=trunk, leaf_values=Nested(trunk, 10), subgame_iterations=20)
            found.append(player.strategy().chances.tolist())
    assert found[0] == found[1]


# ---- a network for the leaves


@pytest.fixture(scope="module")
def network():
    return train_network(cut(LEDUC), 7)


def test_a_network_guesses_what_leaves_are_worth(network):
    trunk = network.trunk
    values = network((np.ones(45), np.ones(45)))
    assert values[0].sum() == pytest.approx(-values[1].sum(), abs=1e-9), "what one wins the other loses"
    right = Nested(trunk)((np.ones(45), np.ones(45)))
    assert np.abs(values[0] - right[0]).mean() < 0.1 * np.abs(right[0]).mean()
    np.testing.assert_allclose(network((np.full(45, 0.5), np.ones(45)))[0], values[0])
    np.testing.assert_allclose(network((np.full(45, 0.5), np.ones(45)))[1], 0.5 * values[1])
    assert exploitability(Resolver(LEDUC, trunk=trunk, leaf_values=network)) < 0.03


def test_a_network_learns_the_slopes_that_it_has():
    trunk = cut(KUHN, depth=1)
    network, random = LeafNetwork(trunk, (4,), seed=3), np.random.default_rng(0)
    for w in network.weights:
        w += random.normal(0.0, 0.3, w.shape)
    x, _ = network._inputs((random.random((5, 6)), random.random((5, 6))))
    y = network._outputs(x)[-1] + random.uniform(-0.01, 0.01, (2, 5, 6))  # errors that are not clipped

    def loss():
        return 0.5 * ((network._outputs(x)[-1] - y) ** 2).sum() / 5

    before = [w.copy() for w in network.weights]
    network._step(x, y, 0.0)
    for mean, w in zip(network._means, network.weights, strict=True):
        for _ in range(5):
            i = tuple(random.integers(0, n) for n in w.shape)
            w[i] += 1e-5
            up = loss()
            w[i] -= 2e-5
            slope = (up - loss()) / 2e-5
            w[i] += 1e-5
            assert 10.0 * mean[i] == pytest.approx(slope, rel=1e-3, abs=1e-9)
    for w, old in zip(network.weights, before, strict=True):
        np.testing.assert_allclose(w, old)


def test_a_training_is_the_same_again_and_keeps_the_best(monkeypatch):
    monkeypatch.setattr("counterplay.solve.leaf_network.SAMPLES", 20)
    monkeypatch.setattr("counterplay.solve.leaf_network.STEPS", 50)
    trunk, told = cut(KUHN, depth=1), []
    once = train_network(trunk, 3, seed=5, progress=lambda *news: told.append(news))
    again = train_network(trunk, 3, seed=5)
    for w, same in zip(once.weights, again.weights, strict=True):
        np.testing.assert_array_equal(w, same)
    assert [n for n, _ in told] == [1, 2, 3]
    assert once.error == min(error for _, error in told)
    with pytest.raises(Unsuited, match="no leaves"):
        LeafNetwork(cut(KUHN))


def test_a_network_is_kept_in_a_file(network, tmp_path, answer, counterplay):
    file = tmp_path / "leduc.safetensors"
    network.save(file)
    again = LeafNetwork.load(file, network.trunk)
    assert again.error == network.error
    reach = np.ones(45), np.ones(45)
    np.testing.assert_allclose(again(reach)[0], network(reach)[0], atol=1e-5)
    asked = ("equilibrium", "leduc_poker", "--method", "resolving", "--network", file)
    assert answer(*asked, "--rows", 0)["exploitability"] < 0.03
    status, _, _ = counterplay("match", "leduc_poker", f"resolving:network={file},iterations=9", "random", "--games", 2)
    assert status == 0
    whole = file.read_bytes()
    for data in (b"", b"hello", whole[:-4], whole.replace(b"leaf network", b"leaf_network")):
        (tmp_path / "broken").write_bytes(data)
        with pytest.raises(UserError, match="is no network for leaves"):
            LeafNetwork.load(tmp_path / "broken", network.trunk)
    with pytest.raises(UserError, match="trained for leduc_poker"):
        LeafNetwork.load(file, cut(LEDUC, depth=2))


def test_the_command_trains_a_network_if_there_is_none(answer, tmp_path, monkeypatch):
    monkeypatch.setattr("counterplay.solve.leaf_network.SAMPLES", 20)
    monkeypatch.setattr("counterplay.solve.leaf_network.STEPS", 50)
    file = tmp_path / "kuhn.safetensors"
    told = answer(
        "equilibrium", "kuhn_poker", "--method", "resolving", "--depth", 1, "--iterations", 50, "--network", file
    )
    assert told["exploitability"] < 0.1
    LeafNetwork.load(file, cut(KUHN, depth=1))


# ---- playing


def test_it_plays_what_it_says_and_thinks_of_one_subgame_at_a_time(leduc_player):
    strategy = leduc_player.strategy()
    for moves in ("Ks Qh", "Ks Qh call", "Ks Qh call raise call Jh", "Ks Qh call call Qs call raise"):
        s = LEDUC.at(moves)[1]
        known = view(LEDUC, s, LEDUC.player(s))
        assert leduc_player.chances_at(known) == pytest.approx(strategy.chances_at(known))
        assert sum(leduc_player.mix(known).values()) == pytest.approx(1.0)
        assert leduc_player.choose(known, new_random(0)) in known.moves.values()
    assert leduc_player.chances_at(view(*LEDUC.at("Ks Qh"), 1)) == {}, "it is not his turn"


def test_a_player_of_a_match(answer):
    assert solve.resolver(LEDUC, 20) is solve.resolver(LEDUC, 20)
    told = answer("match", "leduc_poker", "resolving:iterations=20", "random", "--games", 20, "--opening-plies", 0)
    assert told["games"] == 20


def test_wrong_settings(counterplay):
    for text, why in (
        ("resolving:iterations=0", "1 iteration or more"),
        ("resolving:depth=no", "depth is a number"),
        ("resolving:speed=3", "no setting 'speed'"),
    ):
        status, _, err = counterplay("match", "kuhn_poker", text, "random", "--games", 2)
        assert status == 2
        assert why in err
    status, _, err = counterplay("equilibrium", "kuhn_poker", "--depth", 2)
    assert status == 2
    assert "a depth is for the method resolving" in err
    status, _, err = counterplay("equilibrium", "kuhn_poker", "--network", "nowhere")
    assert status == 2
    assert "a network is for the method resolving" in err
    with pytest.raises(solve.TooLarge):
        solve.equilibrium(KUHN, solve.RESOLVING, most_nodes=50)
