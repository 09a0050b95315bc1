"""The refinements that may change a value, against slow twins and known results; and what the table may answer."""

from math import inf, nextafter
from typing import NamedTuple

import pytest

from counterplay import CHANCE, Game, games, native, search
from counterplay.search.alphabeta.engine import REFINEMENTS, AlphaBeta, alphabeta
from counterplay.search.alphabeta.kernel import value
from counterplay.search.alphabeta.pruning import Node, may_stand_out, with_hindsight
from counterplay.search.alphabeta.workspace import SELECTIVE, new_workspace, useful_refinements
from counterplay.search.limits import Limits
from counterplay.search.plain.expectiminimax import PRUNING
from counterplay.search.table import AT_LEAST, AT_MOST, EXACT, NO_ACTION, NOTHING, UNPROVEN, Entry
from tests.random_tree import KnowingTree
from tests.refinement_twin import Twin, minimax_then_quiet
from tests.test_alphabeta import must_agree

pytestmark = pytest.mark.long

INEXACT = ("quiescence", *sorted(SELECTIVE))


class RichTree(KnowingTree):
    """A random tree in which all that a game may know is known, and wrong as often as not."""

    width: int = 7
    height: int = 9
    selective = True

    def is_noisy(self, s, a):
        return self.noise(s, 20 + a) % 3 == 0

    def is_urgent(self, s):
        return self.noise(s, 40) % 6 == 0

    def is_unsound(self, s, a):
        return self.noise(s, 100 + a) % 4 == 0

    def gain(self, s, a):
        return float(self.noise(s, 60 + a) % 3 + 1) if self.is_noisy(s, a) or self.noise(s, 80 + a) % 7 == 0 else 0.0

    def passed(self, s):
        return self.State(s.place + 997, s.ply, s.seed)


class BentTree(RichTree):
    """The same whose estimates are bent, and say how."""

    half_win = 5.0

    def evaluate(self, s, p):
        return self.utility(s, p) if self.is_terminal(s) else self.squash(self.utility(s, 0) * 2.5) * (1 - 2 * p)


class EndlessTree(KnowingTree):
    """A random tree that no search sees the end of, so that nothing is ever proven."""

    height: int = 1000

    def is_terminal(self, s):
        return s.ply == self.height


class LopsidedTree(KnowingTree):
    """A random tree in which both want much of 4 points, so that the range of utilities has its middle not at 0."""

    utility_range = (-2.0, 6.0)
    utility_sum = 4.0

    def utility(self, s, p):
        v = float(self.noise(s, 4) % 9 - 2)
        return v if p == 0 else 4.0 - v


def searched(game, s, depth, on, window=(-inf, inf)):
    """What the kernel finds with only these refinements on, and how many nodes it looks at."""
    w = new_workspace(game, None, frozenset(REFINEMENTS) - set(on))
    return value(game, s, *window, depth, 0, w), int(w.nodes)


def by_twin(game, s, depth, on, window=(-inf, inf)):
    twin = Twin(game, on)
    return twin.value(s, *window, depth), twin.nodes


# ---- node for node as the twin


@pytest.mark.parametrize(
    "on",
    [
        ["quiescence"],
        ["scout", "null_move"],
        ["scout"],
        ["scout", "reductions"],
        ["scout", "urgency", "quiescence"],
        ["scout", "safety"],
        ["scout", "razoring", "quiescence"],
        ["scout", "futility"],
        ["scout", "lateness"],
        ["scout", "exchanges"],
        ["scout", "exchanges", "urgency", "lateness"],
        ["delta", "quiescence"],
        ["scout", *sorted({*INEXACT} - {"deeper"})],
    ],
    ids=" ".join,
)
def test_what_may_change_the_value_changes_it_as_the_twin_does(on):
    must_be_the_twin_s(RichTree(), on)


@pytest.mark.slow
def test_so_it_does_where_estimates_are_bent():
    must_be_the_twin_s(BentTree(), ["scout", *sorted({*INEXACT} - {"deeper"})])


def must_be_the_twin_s(game, on):
    changed = 0
    for seed in range(60):
        s, depth = game.State(0, 0, seed), 1 + seed % 6
        for window in ((-inf, inf), (-1.5, 0.5)):
            found = searched(game, s, depth, on, window)
            assert found == by_twin(game, s, depth, on, window)
            if seed < 12:
                with native.interpreted():
                    assert searched(game, s, depth, on, window) == found
            changed += found != by_twin(game, s, depth, set() if on == ["scout"] else {"scout"} & set(on), window)
    assert changed > 0


BOARDS = [
    ("chess", "r1bqkbnr/ppp2ppp/2np4/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4", 1),
    ("chess", "4k3/2p5/8/8/8/8/2P2B2/4K3 w - - 0 1", 4),
    ("checkers", None, 4),
    ("breakthrough:rows=6,columns=5", None, 3),
    ("othello", None, 4),
    ("go:size=5", None, 2),
]


@pytest.mark.parametrize(("name", "position", "depth"), BOARDS)
def test_on_real_boards_the_nodes_are_the_twin_s(name, position, depth):
    game = games.load(name)
    s = game.at(position=position).state if position else game.initial()
    on = {"scout", *(name for name in INEXACT if name in useful_refinements(game) and name != "deeper")}
    with native.compiled() if name == "chess" else native.interpreted():
        for _ in range(4):
            assert searched(game, s, depth, on) == by_twin(game, s, depth, on)
            s = game.result(s, min(game.actions(s), key=lambda a: (a * 7919) % 31))


# ---- quiescence


TACTICS = [
    # who takes last wins the exchange on d5: a knight for a pawn, or nothing
    ("chess", "4k3/8/2p5/3p4/4P3/2N5/8/4K3 w - - 0 1"),
    ("chess", "4k3/8/8/3n4/2B1P3/8/8/4K3 b - - 0 1"),
    ("chess", "r3k3/8/8/8/8/8/8/R3K3 w - - 0 1"),
    ("chess", "3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1"),
    ("breakthrough:rows=6,columns=4", None),
    ("checkers", None),
]


@pytest.mark.parametrize(("name", "position"), TACTICS)
@pytest.mark.parametrize("depth", [1, 2])
def test_quiescence_has_the_value_of_its_definition(name, position, depth):
    """With everything else of alpha-beta on: what may not change the value does not, beyond the depth either."""
    game = games.load(name)
    s = game.at(position=position).state if position else game.initial()
    for _ in range(3):
        with native.interpreted():
            assert alphabeta(game, s, depth, without="selective").value == minimax_then_quiet(game, s, depth)
        s = game.result(s, max(game.actions(s)))
        if game.is_terminal(s):
            break


# ---- null move and reductions

MATES = [  # the one move that mates by force, and the plies it takes
    ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", "Bc5+", 5),
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "Ra6", 3),
    ("3qr2k/pbpp2pp/1p5N/3Q2b1/2P1P3/P7/1PP2PPP/R4RK1 w - - 0 1", "Qg8+", 3),
    ("6k1/5ppp/8/8/8/8/5PPP/R3R1K1 w - - 0 1", None, 1),
]


@pytest.mark.parametrize(("position", "move", "plies"), MATES)
@pytest.mark.parametrize("without", [[], ["null_move"], ["reductions"], list(INEXACT)], ids=" ".join)
def test_mates_are_found_with_and_without(position, move, plies, without):
    chess = games.load("chess")
    s = chess.at(position=position).state
    result = alphabeta(chess, s, plies + 1, without=without)
    assert abs(result.value) == 1.0
    assert (result.value > 0) == (chess.player(s) == 0)
    assert move is None or result.action_name == move


MATES_IN_THREE = [  # the one move that mates in three, by Stockfish 15.1
    ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", "Bc5+"),
    ("4B3/8/1p1P4/kP4p1/1N2p1P1/PK2P1P1/8/8 w - - 0 52", "d7"),
    ("1rbk4/2p5/2P1p3/p3B3/P3B1Pp/2PP1PnP/5K2/RNq5 b - - 1 41", "Rb2+"),
    ("6nr/p3k1p1/5p2/8/2q2bPp/P2RP2P/5n2/1K3B2 b - - 1 29", "Nxd3"),
    ("8/7P/2k5/B6R/2B1P1P1/6P1/8/K7 w - - 3 70", "h8=Q"),
    ("5k2/8/7p/7P/3BQ3/8/3N1K2/8 w - - 7 64", "Bc5+"),
    ("8/6R1/P7/8/7k/2B5/6p1/6K1 w - - 1 64", "a7"),
    ("5k2/R7/2P2p1p/5P1P/1P1PP3/5P2/4N3/2B1K3 w - - 2 43", "c7"),
    ("8/8/3k2p1/1B4n1/3p4/p7/7q/5K2 b - - 5 59", "a2"),
    ("5k2/8/5np1/p5P1/Pp6/1P4p1/1K2Q3/8 w - - 0 46", "gxf6"),
    ("4Q3/4bp1p/2p1pk1P/1p1p4/3P1N2/3r3N/P3R1K1/8 w - - 6 46", "Qh8+"),
    ("1n1k2r1/5p1p/1npb4/3p4/5Pb1/8/5N1P/5RKR b - - 0 32", "Bh3+"),
    ("2k5/p4p2/1Rpr4/4p1rp/P1P1nb2/7b/2K5/8 b - - 2 41", "Rg2+"),
    ("k5b1/6b1/5qPp/8/8/8/8/6K1 b - - 1 71", "Bd5"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("position", "move"), MATES_IN_THREE)
def test_nothing_is_hidden_from_a_search_that_is_to_prove(position, move):
    chess = games.load("chess")
    result = alphabeta(chess, chess.from_text(position), 5, without="selective")
    assert (result.action_name, result.within, result.is_shortest, result.may_hide) == (move, 5, True, ())
    assert result.worth().startswith("mate in 3 for ")


class Countdown(Game):
    """Take one or two of a heap; who takes the last wins. With a multiple of three left, to pass would be best."""

    heap: int = 9
    selective = True

    class State(NamedTuple):
        left: int
        turn: int

    def initial(self):
        return self.State(self.heap, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return range(1, min(s.left, 2) + 1)

    def result(self, s, a):
        return self.State(s.left - a, 1 - s.turn)

    def is_terminal(self, s):
        return s.left == 0

    def utility(self, s, p):
        return -1.0 if s.turn == p else 1.0

    def evaluate(self, s, p):
        return 0.5 if s.turn == p else -0.5  # the move is thought to be an advantage

    def passed(self, s):
        return self.State(s.left, 1 - s.turn)


def test_in_zugzwang_a_null_move_is_wrong_and_so_a_game_has_to_ask_for_it():
    """Three left, and MAX is asked for 0 or more: to pass would give it 1, but every move loses."""
    game = Countdown()
    s = game.State(3, 0)
    with native.interpreted():
        asked = (nextafter(0.0, -inf), 0.0)
        assert searched(game, s, 6, {"null_move"}, asked)[0] == 0.0
        assert searched(game, s, 6, set(), asked)[0] == -1.0
        assert searched(game, s, 9, {"null_move"}, asked)[0] == -1.0  # far from the depth limit it is verified
    assert search.minimax(game, s).value == -1.0
    assert new_workspace(games.load("chess"), None, frozenset()).use_null_move
    assert not new_workspace(games.load("checkers"), None, frozenset()).use_null_move  # nothing of the kind is known


def test_on_a_chess_board_null_move_sees_a_zugzwang_later():
    """Black has no move but with the rook, which the king's is about to lose: Rf1 makes that felt.

    Without reductions, which see it later for reasons of their own.
    """
    chess, others = games.load("chess"), ["reductions", "singular"]
    s = chess.at(position="8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1").state
    assert alphabeta(chess, s, 7, without=["null_move", *others]).action_name == "Rf1"
    assert alphabeta(chess, s, 7, without=others).action_name != "Rf1"
    assert alphabeta(chess, s, 9, without=others).action_name == "Rf1"


# ---- hindsight


def test_what_the_table_knows_of_a_state_is_its_estimate_where_it_is_a_bound_beyond_it():
    w = new_workspace(games.load("chess"), None, frozenset())
    known = {bound: Entry(0.2, 0, 3, UNPROVEN, bound) for bound in (AT_LEAST, AT_MOST, EXACT)}
    for sign in (1.0, -1.0):  # MIN sees 0.2 as -0.2, and at least as at most
        below, above = (AT_LEAST, AT_MOST) if sign > 0.0 else (AT_MOST, AT_LEAST)
        for guess, is_wrong in ((-0.5, (below, EXACT)), (0.5, (above, EXACT))):
            for bound, entry in known.items():
                assert with_hindsight(guess, sign, entry, w) == (sign * 0.2 if bound in is_wrong else guess)
        assert with_hindsight(0.1, sign, NOTHING, w) == 0.1
    w.use_hindsight = 0
    assert with_hindsight(-0.5, 1.0, known[EXACT], w) == -0.5


# ---- a move that stands out


def test_a_move_stands_out_only_if_the_table_has_found_it_good_enough_and_not_by_a_proof():
    chess = games.load("chess")
    w = new_workspace(chess, None, frozenset())
    good = Entry(0.2, 7, 5, UNPROVEN, AT_LEAST)

    def may(entry=good, depth=8, ply=3, sign=1.0, known=7):
        return may_stand_out(chess, Node(depth, ply, sign, 0.0, False, True, True), known, entry, w)

    assert may()
    assert may(good._replace(bound=EXACT))
    assert may(good._replace(bound=AT_MOST), sign=-1.0)
    assert not may(good._replace(bound=AT_MOST))
    assert not may(sign=-1.0)
    assert not may(depth=9)
    assert not may(depth=5)
    assert not may(known=NO_ACTION)
    assert not may(ply=w.furthest)
    assert not may(good._replace(within=4))
    assert not may(good._replace(value=1.0))
    w.use_singular = 0
    assert not may()


def test_what_stands_out_is_looked_at_more_deeply_and_alike_in_both_modes():
    chess = games.load("chess")
    s = chess.from_text("r1bq1rk1/ppp2ppp/2n2n2/3pp3/1b1PP3/2N2N2/PPP1BPPP/R1BQ1RK1 w - - 0 7")
    found = []
    for without in ((), ("singular",)):
        engine = AlphaBeta(chess, table_mb=1, without=without)
        engine.tune({"single_depth": 3})
        compiled = engine.search(s, Limits(depth=4))
        with native.interpreted():
            engine.new_game()
            plain = engine.search(s, Limits(depth=4))
        assert (plain.value, plain.nodes, plain.line) == (compiled.value, compiled.nodes, compiled.line)
        found.append(compiled.nodes)
    assert found[0] != found[1]


# ---- a depth that was not finished


def test_a_better_move_is_taken_from_a_depth_that_was_not_finished():
    """What is taken is worth more, in the depth that is then finished, than what was best in the depth before.

    Without what lets a move be looked at to another depth, or with other replies, the next time.
    """
    chess, changed, steady = games.load("chess"), 0, ["reductions", "singular", "exchanges"]
    for position in (
        "2R2b1r/3pkp2/2p2npp/8/7P/3BP3/1P3PP1/2B1K3 w",
        "1r2kb1r/2p2p1p/5np1/p1nPp3/2B5/B1N2P1P/3P1K1P/R5R1 w",
    ):
        s = chess.at(position=f"{position} - - 0 20").state
        for nodes in range(400, 3000, 100):
            limits = Limits(nodes=nodes)
            plain = AlphaBeta(chess, table_mb=1, without=["unfinished", *steady]).search(s, limits)
            better = AlphaBeta(chess, table_mb=1, without=steady).search(s, limits)
            assert (better.depth, better.nodes, better.stopped) == (plain.depth, plain.nodes, "nodes")
            if better.action != plain.action:
                changed += 1
                limits = Limits(depth=plain.depth + 1)
                whole = AlphaBeta(chess, table_mb=1, without=steady).search(s, limits, multi=64)  # no bounds
                worth = {each.action: each.value for each in whole.actions}
                assert worth[better.action] > worth[plain.action]
    assert changed > 3


def test_several_best_moves_are_all_of_the_same_depth():
    chess = games.load("chess")
    s = chess.at(moves="d4 d5 c4 e6 Nc3 Nf6").state
    for nodes in range(7000, 10500, 500):
        stopped = AlphaBeta(chess, table_mb=1).search(s, Limits(nodes=nodes), multi=3)
        whole = AlphaBeta(chess, table_mb=1).search(s, Limits(depth=stopped.depth), multi=3)
        assert stopped.actions == whole.actions


def test_an_exact_search_uses_nothing_of_a_depth_that_was_not_finished():
    assert not new_workspace(games.load("connect_four"), None, frozenset()).use_unfinished
    assert new_workspace(games.load("chess"), None, frozenset()).use_unfinished


# ---- bounds


def test_moves_that_were_not_looked_at_are_the_best_that_they_could_be():
    """As good as the best utility there is for who moves, of a range that is not the same to both sides of 0."""
    game, unseen = LopsidedTree(), 0
    with native.interpreted():
        for seed in range(80):
            s = game.State(0, 0, seed)
            result, truth = alphabeta(game, s, 4, table_mb=0.05), search.minimax(game, s, 4)
            must_agree(result, truth)
            best = 6.0 if game.player(s) == 0 else -2.0
            unseen += sum(each.value == best and not each.exact for each in result.actions)
    assert unseen > 5


# ---- the table


def test_what_the_table_answers_is_of_the_depth_asked_for():
    """An engine that has looked further ahead gives at a lesser depth the value of that depth."""
    game = EndlessTree()
    for seed in range(40):
        s = game.State(0, 0, seed)
        kept = AlphaBeta(game, table_mb=1)
        for depth in (6, 3, 5, 2, 4, 1):
            assert kept.search(s, Limits(depth=depth)).value == search.minimax(game, s, depth).value


def test_a_table_with_room_for_two_tells_nothing_wrong():
    least = 1e-6  # megabytes
    pig, tree = games.load("pig"), KnowingTree()
    with native.interpreted():
        for depth in range(1, 7):
            truth = search.minimax(pig, depth=depth).value
            assert search.expectiminimax(pig, depth=depth, table_mb=least).value == pytest.approx(truth, abs=1e-9)
        for seed in range(20):
            s = tree.State(0, 0, seed)
            assert alphabeta(tree, s, 5, table_mb=least).value == search.minimax(tree, s, 5).value


class Toss(Game):
    """Heads or tails after each call; there is nobody to move when it is over, and nobody may ask."""

    chance = True

    class State(NamedTuple):
        called: int
        tossed: int

    def initial(self):
        return self.State(-1, -1)

    def player(self, s):
        assert not self.is_terminal(s)
        return 0 if s.called < 0 else CHANCE

    def actions(self, s):
        return range(2)

    def result(self, s, a):
        return s._replace(called=a) if s.called < 0 else s._replace(tossed=a)

    def probability(self, s, a):
        return 0.75 if a == 1 else 0.25

    def is_terminal(self, s):
        return s.tossed >= 0

    def utility(self, s, p):
        v = 1.0 if s.called == s.tossed else -1.0
        return v if p == 0 else -v


@pytest.mark.parametrize("prune", PRUNING)
def test_a_throw_that_ends_the_game_is_looked_at_once_and_nobody_is_asked_to_move_there(prune):
    with native.interpreted():
        result = search.expectiminimax(Toss(), prune=prune)
    assert (result.value, result.action, result.proven) == (0.5, 1, True)
    assert result.nodes <= 7
