"""Equilibria: published values, OpenSpiel's numbers, both modes alike, strategies that play and are kept in files."""

import json
from math import inf

import numpy as np
import pytest

from counterplay import CHANCE, UserError, games, native, solve
from counterplay.core.randomness import new_random
from counterplay.core.views import view
from counterplay.games.kuhn_poker import KuhnPoker
from counterplay.search import Unsuited
from counterplay.solve import METHODS, Cfr, ExternalSampling, OutcomeSampling, Strategy, equilibrium, respond, unfold
from counterplay.solve.cfr import uniform
from counterplay.solve.sequences import must_hide_something

pytestmark = pytest.mark.long

KUHN = games.load("kuhn_poker")
LEDUC = games.load("leduc_poker")


@pytest.fixture(scope="module")
def kuhn():
    return unfold(KUHN)


@pytest.fixture(scope="module")
def leduc():
    return unfold(LEDUC)


# ---- a slow obvious twin: the tree, walked


def walked_value(game, strategy, s, p):
    """What player `p` gets from `s` on when all play by the strategy."""
    if game.is_terminal(s):
        return game.utility(s, p)
    mover = game.player(s)
    if mover == CHANCE:
        return sum(game.probability(s, a) * walked_value(game, strategy, game.result(s, a), p) for a in game.actions(s))
    chances = strategy.chances_at(view(game, s, mover)).items()
    return sum(chance * walked_value(game, strategy, game.result(s, a), p) for a, chance in chances)


def best_by_brute_force(game, strategy, p):
    """What player `p` gets at most: every pure strategy of his is tried."""
    sets = {}

    def collect(s):
        if game.is_terminal(s):
            return
        if game.player(s) == p:
            known = view(game, s, p)
            sets.setdefault(known.key, list(known.moves.values()))
        for a in game.actions(s):
            collect(game.result(s, a))

    def value(s, chosen):
        if game.is_terminal(s):
            return game.utility(s, p)
        mover = game.player(s)
        if mover == CHANCE:
            return sum(game.probability(s, a) * value(game.result(s, a), chosen) for a in game.actions(s))
        if mover == p:
            return value(game.result(s, chosen[view(game, s, p).key]), chosen)
        chances = strategy.chances_at(view(game, s, mover)).items()
        return sum(chance * value(game.result(s, a), chosen) for a, chance in chances)

    collect(game.initial())
    best = -inf
    keys = list(sets)
    for number in range(2 ** len(keys)):
        chosen = {key: sets[key][number >> i & 1] for i, key in enumerate(keys)}
        best = max(best, value(game.initial(), chosen))
    return best


def test_values_and_best_responses_are_those_of_the_tree_and_of_brute_force(kuhn):
    with native.interpreted():
        strategy = equilibrium(KUHN, "cfr", 7)
        found = respond(kuhn, (strategy.by_sequence(kuhn.sides[0]), strategy.by_sequence(kuhn.sides[1])))
        for p in (0, 1):
            assert found.values[p] == pytest.approx(walked_value(KUHN, strategy, KUHN.initial(), p), abs=1e-12)
            assert found.best[p] == pytest.approx(best_by_brute_force(KUHN, strategy, p), abs=1e-12)
    assert found.exploitability == pytest.approx(strategy.about.exploitability, abs=1e-12)
    mixed = respond(kuhn, (found.actions[0], strategy.by_sequence(kuhn.sides[1])))
    assert mixed.values[0] == pytest.approx(found.best[0], abs=1e-12), "the best response gets what it promises"


# ---- known values


def test_the_sizes_are_those_of_the_literature(kuhn, leduc):
    assert kuhn.size == (58, 30, 24)
    assert [side.sets for side in kuhn.sides] == [6, 6]
    assert leduc.size.nodes == 9457
    assert [side.sets for side in leduc.sides] == [144, 144]
    assert sum(side.sets for side in unfold(games.load("leduc_poker:tell_suits=yes")).sides) == 936


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_value_of_kuhn_poker(kuhn, method):
    strategy = equilibrium(KUHN, method, 2_000)
    assert strategy.about.values[0] == pytest.approx(-1 / 18, abs=1e-3)
    assert strategy.about.exploitability < 1e-3
    assert (strategy.about.method, strategy.about.iterations, len(strategy)) == (method, 2_000, 12)


def test_leduc_poker_is_solved(leduc):
    strategy = equilibrium(LEDUC, "cfr+", 10_000)
    assert strategy.about.values[0] == pytest.approx(-0.0856064, abs=1e-6)
    assert strategy.about.exploitability < 2e-5


def test_liars_dice_and_goofspiel():
    assert equilibrium(games.load("liars_dice:faces=3"), iterations=300).about.exploitability < 1e-3
    found = equilibrium(games.load("goofspiel:cards=3"), iterations=300).about
    assert found.values == pytest.approx((0.0, 0.0), abs=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_compiled_and_interpreted_agree_to_the_last_bit(method):
    game = games.load("kuhn_poker:cards=4")

    def solve_it():
        form = unfold(game)
        solver = Cfr(form, method)
        solver.run(20)
        return form, solver.average(), respond(form, solver.average())

    with native.compiled():
        fast, fast_average, fast_found = solve_it()
    with native.interpreted():
        slow, slow_average, slow_found = solve_it()
    for one, other in zip(fast.sides, slow.sides, strict=True):
        for array, twin in zip(one, other, strict=True):
            np.testing.assert_array_equal(array, twin)
    for p in (0, 1):
        np.testing.assert_array_equal(fast_average[p], slow_average[p])
        np.testing.assert_array_equal(fast_found.actions[p], slow_found.actions[p])
    assert fast_found[:2] == slow_found[:2]


def test_it_goes_on_where_it_was(kuhn):
    once, twice = Cfr(kuhn), Cfr(kuhn)
    once.run(30)
    twice.run(10)
    twice.run(20)
    assert twice.iterations == 30
    for one, other in zip(once.average(), twice.average(), strict=True):
        np.testing.assert_array_equal(one, other)


# ---- OpenSpiel


@pytest.mark.parametrize(
    ("name", "form_name"), [("kuhn_poker", "kuhn_poker"), ("leduc_poker", "leduc_poker:tell_suits=yes")]
)
@pytest.mark.parametrize("method", ["cfr", "cfr+"])
def test_exploitability_is_openspiels_after_as_many_iterations(name, form_name, method):
    """To 6 digits; regrets of CFR+ near 0 round differently, which may show in the fifth."""
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'counterplay[peers]'")
    theirs = pyspiel.load_game(name)
    solver = pyspiel.CFRSolver(theirs) if method == "cfr" else pyspiel.CFRPlusSolver(theirs)
    form = unfold(games.load(form_name))
    ours = Cfr(form, method)
    for more in (1, 4, 15):
        for _ in range(more):
            solver.evaluate_and_update_policy()
        ours.run(more)
        expected = pyspiel.exploitability(theirs, solver.average_policy())
        assert respond(form, ours.average()).exploitability == pytest.approx(
            expected, rel=1e-4 if method == "cfr+" else 1e-6
        )


GOOFSPIEL = "turn_based_simultaneous_game(game=goofspiel(num_cards=4,points_order=descending,returns_type=win_loss))"


@pytest.mark.parametrize(
    ("name", "theirs"), [("liars_dice:faces=3", "liars_dice(dice_sides=3)"), ("goofspiel:cards=4", GOOFSPIEL)]
)
def test_liars_dice_and_goofspiel_are_worth_what_openspiel_says(name, theirs):
    """The trees are the same, so is the exploitability of a strategy of theirs, and so are the values."""
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'counterplay[peers]'")
    ours, theirs = games.load(name), pyspiel.load_game(theirs)
    solver = pyspiel.CFRPlusSolver(theirs)
    for _ in range(200):
        solver.evaluate_and_update_policy()
    policy, chances = solver.average_policy(), {}

    def walk(s, t):
        while t.is_terminal() and not ours.is_terminal(s):  # Goofspiel's last cards: they bid them by themselves
            (forced,), p = ours.actions(s), ours.player(s)
            chances[view(ours, s, p).key] = [forced], [1.0]
            s = ours.result(s, forced)
        assert t.is_terminal() == ours.is_terminal(s)
        if t.is_terminal():
            assert t.returns() == [ours.utility(s, 0), ours.utility(s, 1)]
            return
        p, mine, legal = ours.player(s), list(ours.actions(s)), t.legal_actions()
        assert (p == CHANCE) == t.is_chance_node()
        assert len(mine) == len(legal)
        if p != CHANCE:
            assert p == t.current_player()
            likely = policy.action_probabilities(t)
            chances[view(ours, s, p).key] = mine, [likely[a] for a in legal]
        for a, b in zip(mine, legal, strict=True):
            walk(ours.result(s, a), t.child(b))

    walk(ours.initial(), theirs.new_initial_state())
    keys, (actions, likely) = list(chances), zip(*chances.values(), strict=True)
    first = np.append(0, np.cumsum([len(each) for each in actions]))
    actions, likely = np.concatenate(actions), np.concatenate(likely)
    found = Strategy(ours, np.array(keys), first, actions, likely, solve.About("theirs", 200))
    form = unfold(ours)
    assert len(found) == sum(side.sets for side in form.sides)
    responses = found.responses(form)
    assert responses.exploitability == pytest.approx(pyspiel.exploitability(theirs, policy), abs=1e-12)
    assert abs(equilibrium(ours, "cfr+", 1_000).about.values[0] - responses.values[0]) < 2 * responses.exploitability


# ---- sampling


def test_samples_come_close_to_an_equilibrium():
    solver = ExternalSampling(KUHN, seed=1, cells=16)  # which is too little: it must make room
    solver.run(20_000)
    assert solve.exploitability(solver.strategy()) < 0.02
    assert solver.nodes > 20_000
    again = ExternalSampling(KUHN, seed=1, cells=16)
    again.run(20_000)
    np.testing.assert_array_equal(solver.strategy().chances, again.strategy().chances)
    solver.run(1_000_000, most_nodes=0)
    assert solver.iterations == 20_000


def test_single_games_come_close_to_an_equilibrium():
    solver = OutcomeSampling(KUHN, seed=1, cells=16)
    solver.run(100_000)
    assert solve.exploitability(solver.strategy()) < 0.03
    assert solver.nodes < 100_000 * 2 * 6, "a walk is a game"
    found = equilibrium(KUHN, solve.OUTCOME, 5_000, seed=2).about
    assert (found.method, found.iterations) == ("outcome", 5_000)
    assert found.exploitability < 0.2
    assert equilibrium(KUHN, solve.OUTCOME, 50, most_nodes=50).about == solve.About("outcome", 50)


@pytest.mark.parametrize("kind", [ExternalSampling, OutcomeSampling])
def test_samples_are_the_same_in_both_modes(kind):
    found = []
    for mode in (native.compiled, native.interpreted):
        with mode():
            solver = kind(KUHN, seed=3)
            solver.run(50)
            found.append((solver.strategy().chances.tolist(), solver.nodes))
    assert found[0] == found[1]


def test_a_game_too_large_to_unfold_is_sampled():
    with pytest.raises(solve.TooLarge, match="more than 50 histories"):
        solve.measure(KUHN, 50)
    told = []
    found = equilibrium(KUHN, iterations=200, most_nodes=50, progress=lambda *news: told.append(news))
    assert found.about == solve.About(solve.SAMPLING, 200)
    assert told == [(1, None), (10, None), (100, None), (200, None)]
    with pytest.raises(solve.TooLarge):
        equilibrium(KUHN, "cfr", most_nodes=50)
    assert equilibrium(KUHN, solve.SAMPLING, 500).about.exploitability > 0


# ---- what cannot be solved


def test_other_numbers_of_players_are_refused():
    with pytest.raises(Unsuited, match="two players"):
        must_hide_something(games.load("pig:players=3"))
    with pytest.raises(Unsuited, match="hides nothing"):
        equilibrium(games.load("nim"))


def test_a_game_too_large_to_be_sampled_is_refused(monkeypatch):
    monkeypatch.setattr("counterplay.solve.sampling._MOST_AT_ONCE", 20)
    with native.interpreted(), pytest.raises(solve.TooLarge, match="more than 20 states"):
        ExternalSampling(KUHN).run(100)


class Forgetful(KuhnPoker):
    def information(self, s, p):
        return (s.past,) if s.past > 3 else (s.cards[p] * 100 + s.past,)


class Betraying(KuhnPoker):
    def actions(self, s):
        if s.cards[1] < 0:
            for card in range(3):
                if card != s.cards[0]:
                    yield card
        elif not self.is_terminal(s):
            if s.past == 1 or s.cards[0] > 0:
                yield 0
            yield 1


@pytest.mark.parametrize(("cls", "why"), [(Forgetful, "forgets"), (Betraying, "other moves")])
def test_a_game_that_forgets_or_betrays_is_refused(cls, why):
    with native.interpreted(), pytest.raises(UserError, match=why):
        unfold(cls())


def test_wrong_methods_and_numbers():
    with pytest.raises(UserError, match="no method 'magic'"):
        equilibrium(KUHN, "magic")
    with pytest.raises(UserError, match="no method 'magic'"):
        Cfr(unfold(KUHN), "magic")
    with pytest.raises(UserError, match="1 iteration or more"):
        equilibrium(KUHN, iterations=0)


# ---- strategies


def test_a_strategy_mixes_plays_and_prints():
    strategy = solve.remembered(KUHN, "cfr+", 2_000, 0)
    assert solve.remembered(KUHN, "cfr+", 2_000, 0) is strategy
    with_queen = view(*KUHN.at("K Q bet"), 1)
    assert strategy.mix(with_queen)["bet"] == pytest.approx(1 / 3, abs=0.01), "a queen calls one time in three"
    random = new_random(0)
    calls = sum(strategy.choose(with_queen, random) for _ in range(3_000))
    assert 900 < calls < 1_100
    rows = list(strategy.rows())
    assert len(rows) == 12
    assert {row.player for row in rows} == {0, 1}
    bluff = next(row for row in rows if row.player == 1 and row.known == "your card: J   their card: ?\nmoves: pass")
    assert bluff.mix["bet"] == pytest.approx(1 / 3, abs=0.01)


def test_what_was_never_met_is_played_at_random():
    strategy = Strategy(KUHN, np.zeros(0, np.int64), np.zeros(1, np.int64), *(np.zeros(0),) * 2, solve.About("none", 0))
    assert strategy.chances_at(view(*KUHN.at("K Q"), 0)) == {0: 0.5, 1: 0.5}
    assert strategy.chances_at(view(*KUHN.at("K Q"), 1)) == {}
    form = unfold(KUHN)
    np.testing.assert_array_equal(strategy.by_sequence(form.sides[0]), uniform(form.sides[0]))


def test_a_strategy_is_kept_in_a_file(tmp_path):
    file, strategy = tmp_path / "kuhn.safetensors", equilibrium(KUHN, "cfr+", 100)
    strategy.save(file)
    again = Strategy.load(file)
    assert (again.game, again.about) == (KUHN, strategy.about)
    for array in ("keys", "first", "actions", "chances"):
        np.testing.assert_array_equal(getattr(again, array), getattr(strategy, array))
    assert solve.exploitability(again) == strategy.about.exploitability


def test_files_that_are_no_strategy_are_refused(tmp_path):
    file, strategy = tmp_path / "kuhn.safetensors", equilibrium(KUHN, "cfr+", 100)
    strategy.save(file)
    whole = file.read_bytes()
    header = json.dumps({"__metadata__": {"counterplay": "strategy"}}).encode()
    broken = {
        "cut": whole[:-5],
        "empty": b"",
        "text": b"hello",
        "other": len(header).to_bytes(8, "little") + header,
        "not_finite": whole.replace(np.float64(strategy.chances[0]).tobytes(), np.float64("nan").tobytes()),
        "not_1": whole.replace(np.float64(strategy.chances[0]).tobytes(), np.float64(0.9).tobytes()),
    }
    for name, data in broken.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(UserError, match="is no strategy"):
            Strategy.load(tmp_path / name)
    with pytest.raises(UserError, match="not for kuhn_poker:cards=4"):
        Strategy.load(file, games.load("kuhn_poker:cards=4"))

    class Renamed(KuhnPoker):
        name = "kuhn_poker"

        def information(self, s, p):
            return self.Hand(s.cards[p] + 7, -1, s.past)

    with native.interpreted(), pytest.raises(UserError, match="other rules"):
        Strategy.load(file, Renamed())


def test_without_opposite_interests_nothing_is_promised_but_small_regrets():
    found = equilibrium(games.load("matrix_game:backoff"), "cfr+", 500)
    assert found.about.values == pytest.approx((-3.0, -3.0), abs=0.01)
