"""Proofs: no search claims one that it has not, wins are the shortest and defences the longest, and both are played."""

import random
from functools import cache
from math import inf, nan

import pytest

from counterplay import CHANCE, Game, UserError, games, native, search
from counterplay.games.tree import Tree
from counterplay.search import ENGINES, AlphaBeta, Limits
from counterplay.search.alphabeta import engine as alphabeta_engine
from counterplay.search.alphabeta.workspace import SELECTIVE
from tests.both_modes import both_modes
from tests.random_tree import RandomTree
from tests.small_games import Nim

pytestmark = pytest.mark.long

# ---- how soon


class WinOrLose(RandomTree):
    """A random tree whose ends are won, drawn or lost."""

    utility_range = (-1.0, 1.0)

    def utility(self, s, p):
        v = float(self.noise(s, 4) % 3 - 1)
        return v if p == 0 else -v

    def evaluate(self, s, p):
        return 0.9 * self.utility(s, p)


def distance(game, s, winner, v):
    """The least number of plies within which `winner` can be sure of `v` or more, whatever the other does."""

    @cache
    def is_decided(t, plies):
        if game.is_terminal(t):
            return game.utility(t, winner) >= v
        if plies == 0:
            return False
        after = [is_decided(game.result(t, a), plies - 1) for a in game.actions(t)]
        return any(after) if game.player(t) == winner else all(after)

    return next(plies for plies in range(100) if is_decided(s, plies))


def must_be_shortest(game, s, result):
    """The distance is that of the definition, and the line is as long, and ends with the value."""
    winner = 0 if result.value > 0 else 1
    assert result.is_shortest
    assert result.within == len(result.line) == distance(game, s, winner, result.values[winner])
    for a in result.line:
        s = game.result(s, a)
    assert game.is_terminal(s)
    assert game.utility(s, 0) == result.value


def test_the_distance_is_that_of_the_definition():
    game, decided = WinOrLose(height=8), 0
    for seed in range(150):
        s = game.State(0, 0, seed)
        result = search.alphabeta(game, s, table_mb=1)
        assert result.proven
        if result.value != 0 and result.action is not None:
            must_be_shortest(game, s, result)
            decided += 1
        else:
            assert result.within is None
    assert decided > 60


def test_the_distance_is_the_same_in_both_modes():
    game = WinOrLose()
    for seed in range(20):
        s = game.State(0, 0, seed)
        both_modes(lambda s=s: (lambda found: (found.within, found.line, found.is_shortest))(search.alphabeta(game, s)))


def test_small_boards_are_won_as_soon_as_can_be():
    for name, moves in (("tic_tac_toe", "a3 b3 c2"), ("connect_four:rows=4,columns=4", "2 3"), ("nim:heaps=[2,3]", "")):
        game = games.load(name)
        s = game.at(moves).state
        result = search.alphabeta(game, s, without=["deepening"])
        if result.value != 0:
            must_be_shortest(game, s, result)


def test_what_a_proof_needs_is_a_bound_on_the_distance(monkeypatch):
    monkeypatch.setattr(alphabeta_engine, "_ENDING_NODES", 0)
    game, longer = WinOrLose(height=8), 0
    for seed in range(150):
        s = game.State(0, 0, seed)
        result = search.alphabeta(game, s, table_mb=1, without=["deepening"])
        if result.within is not None and result.value != 0:
            winner = 0 if result.value > 0 else 1
            least = distance(game, s, winner, result.values[winner])
            assert result.within >= least
            assert not result.is_shortest
            longer += result.within > least
            for each in result.actions:
                assert each.within is None or each.proven
    assert longer > 0  # so the search for the shortest one is of use


def test_a_draw_and_an_estimate_have_no_distance():
    game = games.load("tic_tac_toe")
    assert search.alphabeta(game).within is None
    assert search.alphabeta(game, depth=2).within is None
    assert "within" not in search.alphabeta(game).as_dict()


def test_the_distance_is_told():
    game = games.load("tic_tac_toe")
    result = search.alphabeta(game, game.at("a1 b1 a2 b2").state)
    assert str(result).startswith("a3, win in 1 for X (exact), line 1. a3, ")
    assert (result.as_dict()["within"], result.as_dict()["is_shortest"]) == (1, True)


def test_a_solved_search_says_how_far_it_had_to_look():
    game = games.load("connect_four:rows=4,columns=4")
    engine = AlphaBeta(game, table_mb=1)
    first = engine.search()
    assert first.proven
    assert first.depth <= 16
    assert engine.search().depth <= 16  # answered by the table, which knows proofs of any depth


# ---- wins are carried out


def play_out(game, s, engine, defend, limits):
    """Let the engine win from `s`: the plies that it took, and the first distance that it announced."""
    states, announced, since, p = [s], None, 0, game.player(s)
    while not game.is_terminal(states[-1]) and len(states) < 200:
        s = states[-1]
        if game.player(s) == p:
            result = engine.search(s, limits, history=states[:-1])
            if announced is None and result.within is not None:
                announced, since = result.within, len(states) - 1
            a = result.action
        else:
            a = defend(states)
        states.append(game.result(s, a))
    return states, announced, len(states) - 1 - since


def repeating(game, seed):
    """A defender who goes back to where the game was before if that is possible, and else anywhere."""
    dice = random.Random(seed)

    def defend(states):
        actions = [int(a) for a in game.actions(states[-1])]
        back = [a for a in actions if game.result(states[-1], a) in states]
        return dice.choice(back or actions)

    return defend


def won_positions(game, plies, wanted, nodes):
    """Positions of random games that a search of so many nodes has proven to be won by the player to move."""
    found, seed = [], 0
    while len(found) < wanted:
        seed += 1
        source, s = search.new_random(seed), game.initial()
        for _ in range(plies):
            if not game.is_terminal(s):
                s = game.result(s, search.random_action(game, s, source))
        if not game.is_terminal(s):
            result = search.alphabeta(game, s, nodes=nodes, table_mb=1)
            if result.proven and result.values[game.player(s)] > 0:
                found.append(s)
    return found


@pytest.mark.parametrize(("name", "plies"), [("breakthrough:rows=6,columns=4", 12), ("connect_four", 16)])
def test_a_kept_engine_wins_what_is_won_within_what_it_announced(name, plies):
    game = games.load(name)
    for seed, s in enumerate(won_positions(game, plies, 20, 20_000)):
        p = game.player(s)
        engine = AlphaBeta(game, table_mb=1)
        states, announced, took = play_out(game, s, engine, repeating(game, seed), Limits(nodes=20_000))
        assert game.utility(states[-1], p) > 0
        assert announced is not None
        assert took <= announced


ENDGAMES = [
    f"{fen} - - 0 1"
    for fen in (
        "4k3/8/4K3/8/8/8/8/Q7 w",
        "7k/8/5K2/8/8/8/8/1Q6 w",
        "k7/8/1K6/8/8/8/8/7R w",
        "7k/8/6K1/8/8/8/8/R7 w",
        "8/8/8/8/8/5k2/4q3/7K b",
        "8/8/8/8/8/1k6/7q/K7 b",
        "3k4/8/3K4/8/8/8/8/6RR w",
        "4k3/7R/R7/8/8/8/8/4K3 w",
        "6k1/5ppp/8/8/8/8/8/K2R4 w",
        "6k1/5ppp/8/8/8/8/1r6/K2R4 w",
    )
]


@pytest.mark.slow
def test_in_chess_no_win_is_repeated_away():
    chess = games.load("chess")
    wins = 0
    for text in ENDGAMES:
        for seed in range(4):
            s = chess.from_text(text)
            p = chess.player(s)
            engine = AlphaBeta(chess, table_mb=8)
            states, announced, took = play_out(chess, s, engine, repeating(chess, seed), Limits(nodes=60_000))
            if announced is not None:
                assert chess.is_terminal(states[-1])
                assert chess.utility(states[-1], p) == 1.0, (text, seed)
                assert took <= announced, (text, seed)
                wins += 1
    assert wins >= 40


def test_what_is_lost_is_defended_longest():
    game, told = WinOrLose(height=8), 0
    for seed in range(150):
        s = game.State(0, 0, seed)
        result = search.alphabeta(game, s, table_mb=1)
        p = game.player(s)
        if result.action is None or result.values[p] >= 0:
            continue
        winner, v = 1 - p, result.values[1 - p]
        holds = {}
        for a in game.actions(s):
            t = game.result(s, a)
            if search.minimax(game, t).values[winner] == v:
                holds[a] = distance(game, t, winner, v)
        if len(set(holds.values())) > 1:
            assert holds[result.action] == max(holds.values())
            told += 1
    assert told > 5


# ---- no false proof


class Gambling(RandomTree):
    """A random tree in which chance takes part."""

    chance = True

    def player(self, s):
        return CHANCE if s.ply and self.noise(s, 6) % 3 == 0 else self.noise(s, 1) % 2

    def probability(self, s, a):
        return 1.0 / (1 + self.noise(s, 2) % self.width)


class ThreeAtOnce(RandomTree):
    """A random tree for three players, each for himself."""

    players = 3
    zero_sum = False

    def player(self, s):
        return self.noise(s, 1) % 3

    def utility(self, s, p):
        return float(self.noise(s, 10 + p) % 9 - 4)


OPEN = [name for name, kind in ENGINES.items() if not kind.abilities.hidden]
SMALL_GAMES = {
    "expectiminimax": Gambling(height=5),
    "expectimax": Gambling(height=5),
    "maxn": ThreeAtOnce(height=5),
    "alphabeta": WinOrLose(height=7),
}
"""For some searches one of their own, which ends soon enough to be proven."""
SETTINGS = {"mcts": {"solver": True, "memory_mb": 1}, "alphabeta": {"table_mb": 1}}


@pytest.mark.parametrize("moments", [60, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", OPEN)
def test_interrupted_anywhere_no_search_claims_what_is_not_so(name, moments):
    game, settings = SMALL_GAMES.get(name, games.load("nim:heaps=[2,2,2]")), SETTINGS.get(name, {})
    whole = search.new_engine(name, game, **settings).search(None, Limits())
    assert whole.proven
    truths = {each.action: each.values for each in search.new_engine(name, game, **settings).search(multi=99).actions}
    dice, claims = random.Random(moments), 0
    for mode, share in ((native.compiled, 1.0), (native.interpreted, 0.2)):
        with mode():
            for _ in range(int(moments * share)):
                nodes = dice.randrange(1, min(whole.nodes + 5, 3000))
                variant = {"without": dice.choice([[], ["deepening"], ["all"]])} if name == "alphabeta" else {}
                engine = search.new_engine(name, game, **settings, **variant)
                result = engine.search(None, Limits(nodes=nodes), multi=dice.choice([1, 1, 3]))
                if result.proven:
                    claims += 1
                    assert result.values == whole.values
                for each in result.actions:
                    assert not each.proven or each.values == truths[each.action]
    assert claims < moments * 1.2  # some were interrupted


def test_stopped_from_outside_alphabeta_proves_nothing_that_is_not_so():
    """As ctrl-C and a time limit do it: at a moment of the machine's, in the only depth that is looked at."""
    game = games.load("connect_four:rows=4,columns=5")
    truth = search.alphabeta(game).value
    stopped = 0
    for delay in range(60):
        engine = AlphaBeta(game, table_mb=1, without=["deepening"])
        job = engine.start()
        for _ in range(delay * 200):
            pass
        engine.stop()
        result = job.result()
        stopped += not result.proven
        assert result.value == truth or not result.proven
    assert stopped > 0


class Strange(Nim):
    """Nim with a utility that is none, for one heap only."""

    bad: float = nan

    def utility(self, s, p):
        if s.turn == 1:
            return self.bad
        return 1.0 if p == 0 else -1.0


@pytest.mark.parametrize("name", OPEN)
def test_a_utility_that_is_none_is_said(name):
    said = "no number, or outside of its utility_range, which is from -1 to 1"
    for bad in (nan, inf, 5.0, -1.5):  # each is another game to the compiler: one of them will do for it
        engine = search.new_engine(name, Strange(bad=bad, heap=5))
        for mode in (native.interpreted, native.compiled) if bad == 5.0 else (native.interpreted,):
            with mode(), pytest.raises(UserError, match=said):
                engine.search(None, Limits(nodes=5000))
        with native.interpreted():
            job = engine.start(None, Limits(nodes=5000))
        with pytest.raises(UserError, match="utility_range"):
            job.result()


def test_rounding_is_no_strange_utility():
    with native.interpreted():
        assert search.minimax(Strange(bad=1.0 + 1e-12, heap=3)).proven


# ---- a search to a depth that says no


@pytest.mark.parametrize(
    "fen",
    [
        "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1",  # Ra6, f6, Bxf6, Rg7, Rxa8
        "1k5r/pP3ppp/3p2b1/1BN1n3/1Q2P3/P1B5/KP3P1P/7q w - - 1 0",
        "3r4/pR2N3/2pkb3/5p2/8/2B5/qP3PPP/4R1K1 w - - 1 0",
    ],
)
def test_a_mate_in_three_is_found_at_its_depth_by_what_hides_nothing(fen):
    chess = games.load("chess")
    s = chess.from_text(fen)
    proof = search.alphabeta(chess, s, depth=5, without=["selective"])
    assert (proof.proven, proof.within, proof.is_shortest, proof.may_hide) == (True, 5, True, ())
    assert len(proof.line) == 5
    usual = search.alphabeta(chess, s, depth=5)
    assert usual.proven or usual.may_hide == tuple(sorted(SELECTIVE))


# ---- rounds


def test_a_round_of_pacman_ends_with_the_last_ghost():
    game = games.load("pacman:layout=classic,ghosts=2")
    assert game.n_ghosts == 2
    looked = search.minimax(game, rounds=1)
    plies = search.minimax(game, depth=3)
    assert (looked.value, looked.nodes) == (plies.value, plies.nodes)


class Ticks(Game):
    """Two players of whom the second moves twice in a round."""

    def initial(self):
        return (0,)

    def player(self, s):
        return 0 if s[0] % 3 == 0 else 1

    def ends_round(self, s):
        return s[0] % 3 == 2

    def actions(self, s):
        return range(0 if self.is_terminal(s) else 2)

    def result(self, s, a):
        return (s[0] + 1,)

    def is_terminal(self, s):
        return s[0] == 9

    def utility(self, s, p):
        return 0.0


def test_a_game_says_where_its_rounds_end():
    assert both_modes(lambda: search.minimax(Ticks(), rounds=2).nodes) == search.minimax(Ticks(), depth=6).nodes


def test_trees_of_known_values_are_proven():
    assert search.alphabeta(Tree("[[3,12,8],[2,4,6],[14,5,2]]")).proven
