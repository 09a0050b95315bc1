"""Chess: known perft counts, python-chess as a twin, and what is said of the rules, the texts and the evaluation."""

import os
import random
from pathlib import Path

import numpy as np
import pytest

from counterplay import AmbiguousText, IllegalAction, UnreadableText, games, native, search
from counterplay.core.features import Active
from counterplay.games.chess import notation, weights
from counterplay.games.chess.rules import Chess
from counterplay.native import native as make_native
from tests.references import perft_cases

GAME = games.load("chess")
HERE = Path(__file__).parent
FAST = 5_000_000  # lines that are counted in a moment
POSITIONS = int(os.environ.get("CHESS_POSITIONS", "3500"))  # of random games that are compared with python-chess
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def at(fen):
    return GAME.from_text(fen)


def action(s, name):
    return GAME.parse_action(s, name)


def names(s):
    return {GAME.action_name(s, a) for a in GAME.actions(s)}


# ---- perft


CASES = list(perft_cases("chess"))


def assert_counts(game, fen, counts):
    found = search.perft(game, at(fen), max(counts))
    assert {depth: found[depth] for depth in counts} == counts


@pytest.mark.parametrize(("fen", "counts"), CASES)
def test_perft(fen, counts):
    assert_counts(GAME, fen, {depth: n for depth, n in counts.items() if n <= FAST})


@pytest.mark.slow
@pytest.mark.parametrize(("fen", "counts"), [case for case in CASES if max(case[1].values()) > FAST])
def test_perft_of_many_millions(fen, counts):
    assert_counts(GAME, fen, counts)


@pytest.mark.slow
@pytest.mark.parametrize(("fen", "counts"), list(perft_cases("chess_played_on")))
def test_perft_of_endgames_that_are_played_on(fen, counts):
    assert_counts(Chess(play_on=True), fen, counts)


def test_bare_kings_play_on_if_they_are_asked_to():
    fen = "8/8/1k6/8/8/8/5BK1/8 b - - 0 1"  # a dead position
    assert search.perft(GAME, GAME.from_text(fen), 2) == [1, 0, 0]
    assert search.perft(Chess(play_on=True), GAME.from_text(fen), 2)[1] == 6


# ---- python-chess


@pytest.fixture
def chess():
    return pytest.importorskip("chess", reason="needs python-chess (pip install chess)")


def assert_same(board, s):
    """Both say the same of a position: its text, its moves by both names, whether and how it has ended."""
    fen = board.fen()
    assert GAME.to_text(s) == fen
    assert GAME.from_text(fen) == s
    assert GAME.in_check(s) == board.is_check(), fen
    assert GAME.is_insufficient(s) == board.is_insufficient_material(), fen
    actions = list(GAME.actions(s))
    over = board.is_insufficient_material() or board.halfmove_clock >= 100 or not any(board.legal_moves)
    assert GAME.is_terminal(s) == over, fen
    if over:
        winner = 0.0 if not board.is_checkmate() else -1.0 if board.turn else 1.0
        assert actions == []
        assert [GAME.utility(s, 0), GAME.utility(s, 1)] == [winner, -winner], fen
        return
    moves = {move.uci(): board.san(move) for move in board.legal_moves}
    assert {notation.uci(a): GAME.action_name(s, a) for a in actions} == moves, fen
    assert len(actions) == len(moves) == GAME.count_actions(s), fen


@pytest.mark.slow
def test_random_games_are_those_of_python_chess(chess):
    source, ended, seen = random.Random(1), set(), 0
    while seen < POSITIONS:
        board, s = chess.Board(), GAME.initial()
        while True:
            assert_same(board, s)
            seen += 1
            if GAME.is_terminal(s):
                ended.add((GAME.in_check(s), GAME.is_insufficient(s), s.clock >= 100))
                break
            move = source.choice(list(board.legal_moves))
            s = GAME.result(s, action(s, source.choice([board.san(move), board.lan(move), move.uci()])))
            board.push(move)
    assert len(ended) > 1


def real_games():
    return [line for line in (HERE / "data" / "chess_games.txt").read_text().splitlines() if line and line[0] != "#"]


@pytest.mark.slow
def test_real_games_are_those_of_python_chess(chess):
    for game in real_games():
        board, s = chess.Board(), GAME.initial()
        for name in game.split():
            assert_same(board, s)
            s = GAME.result(s, action(s, name))
            board.push_san(name)
        assert_same(board, s)


# ---- both modes


@make_native
def summary(game, s, counts):
    """What compiled rules say of a position, in numbers."""
    n = 0
    for a in game.actions(s):
        counts[n] = a
        n += 1
    for k in range(n):
        counts[256 + k] = game.sample(s, ((k << 32) + n - 1) // n)
    return n, game.count_actions(s), game.can_move(s), game.in_check(s), game.evaluate(s, 0), game.passed(s)


@pytest.mark.long
def test_both_modes_say_the_same_of_positions_of_real_games():
    for game in real_games()[3:9]:
        here = GAME.at()
        for name in game.split():
            here = here.play(name)
            if GAME.is_terminal(here.state):
                break
            found = [(np.zeros(512, np.int64), mode) for mode in ("interpreted", "compiled")]
            slow, fast = (getattr(summary, mode)(GAME, here.state, counts) for counts, mode in found)
            assert slow == fast
            np.testing.assert_array_equal(found[0][0], found[1][0])
            n = slow[0]
            assert slow[1] == n
            np.testing.assert_array_equal(found[0][0][:n], found[0][0][256 : 256 + n])


# ---- the end


@pytest.mark.parametrize(
    "pieces", ["8/8/8/8/8/8/8/K1k5", "k7/8/8/8/8/8/8/KN6", "8/8/8/8/8/8/b7/K2k4", "8/8/8/1b6/8/8/B1B5/K1k5"]
)
def test_too_little_material_is_a_draw(pieces):
    s = at(f"{pieces} w - - 0 1")
    assert GAME.is_terminal(s)
    assert list(GAME.actions(s)) == []
    assert GAME.utility(s, 0) == GAME.evaluate(s, 0) == 0.0


@pytest.mark.parametrize(
    "pieces", ["k7/8/8/8/8/8/8/KNN5", "8/8/8/8/8/6b1/B7/K1k5", "8/8/8/8/6n1/8/B7/K1k5", "8/8/8/8/8/8/P7/K1k5"]
)
def test_material_that_some_mate_exists_with_is_no_draw(pieces):
    assert not GAME.is_terminal(at(f"{pieces} w - - 0 1"))


def test_stalemate_is_a_draw():
    s = at("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert GAME.is_terminal(s)
    assert GAME.utility(s, 0) == 0.0


def test_fifty_moves_of_both_are_a_draw_and_a_mate_on_the_last_of_them_wins():
    s = at("6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 80")
    assert not GAME.is_terminal(s)
    drawn = GAME.result(s, action(s, "Ra7"))
    assert (GAME.is_terminal(drawn), GAME.utility(drawn, 0), GAME.count_actions(drawn)) == (True, 0.0, 0)
    mated = GAME.result(s, action(s, "Ra8"))
    assert (GAME.is_terminal(mated), GAME.utility(mated, 0), GAME.evaluate(mated, 1)) == (True, 1.0, -1.0)


# ---- keys and repetition


def test_the_key_is_that_of_the_rule_of_repetition():
    first, again = GAME.at(), GAME.at("Nf3 Nf6 Ng1 Ng8")
    assert first.state != again.state
    assert GAME.key(first.state) == GAME.key(again.state)
    assert [GAME.reversible(GAME.at(moves).state) for moves in ("", "Nf3 Nf6", "Nf3 Nf6 e4")] == [0, 2, 0]
    # The king has moved: castling is gone, and the position is another.
    assert GAME.key(GAME.at("e4 e5").state) != GAME.key(GAME.at("e4 e5 Ke2 Ke7 Ke1 Ke8").state)


def test_en_passant_is_part_of_a_position_only_if_it_is_legal():
    assert GAME.to_text(GAME.at("e4").state).split()[3] == "-"
    assert GAME.to_text(GAME.at("e4 a6 e5 d5").state).split()[3] == "d6"
    pinned = at("8/8/8/KPp4r/8/8/8/7k w - c6 0 1")
    assert not pinned.en_passant
    assert at("8/8/8/1Pp4r/8/8/K7/7k w - c6 0 1").en_passant


# ---- texts


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "6 fields"),
        ("8/8/8/8/8/8/8 w - - 0 1", "8 rows, not 7"),
        ("8/8/8/8/8/8/8/9 w - - 0 1", "'9' is no piece"),
        ("8/8/8/8/8/8/8/KX5k w - - 0 1", "'X' is no piece"),
        ("8/8/8/8/8/8/8/K6kq w - - 0 1", "row 1 .* has 9 squares"),
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "Black has 0 kings"),
        ("8/8/8/8/8/8/8/K6k x - - 0 1", "w or b, not 'x'"),
        ("8/8/8/8/8/8/8/K6k w qK - 0 1", "castling rights"),
        ("8/8/8/8/8/8/8/K6k w - e4 0 1", "en passant"),
        ("8/8/8/8/8/8/8/K6k w - e6 0 1", "no pawn has just passed by e6"),
        ("8/8/8/8/8/8/8/K6k w - - x 1", "plies and moves"),
        ("8/8/8/8/8/8/8/K5Pk w - - 0 1", "a pawn stands"),
        ("8/8/8/8/8/8/8/K6k w K - 0 1", "castling K needs a king on e1 and a rook on h1"),
        ("8/8/8/8/8/8/8/KR5k w - - 0 1", "could take the king"),
        ("QQQQQQQQ/QQ6/8/8/8/7k/8/K7 w - - 0 1", "0 pawns and 9 promoted"),
        ("8/8/8/PPPPPPPP/PPPPPPPP/7k/8/K7 w - - 0 1", "17 pieces"),
        ("8/8/8/8/2n5/k7/2p5/K2r4 w - - 0 1", None),
        ("4r3/8/8/8/1b5k/5n2/8/4K3 w - - 0 1", "3 pieces give check"),
    ],
)
def test_a_position_that_cannot_be_is_refused_in_a_line(text, reason):
    if reason is None:
        assert GAME.to_text(at(text)) == text
        return
    with pytest.raises(UnreadableText, match=reason) as error:
        at(text)
    assert "\n" not in str(error.value)


def test_a_position_may_leave_out_the_last_fields():
    assert at("8/8/8/8/8/8/8/K5rk") == at("8/8/8/8/8/8/8/K5rk w - - 0 1")


def test_a_pawn_that_passed_by_the_wrong_side_is_refused():
    with pytest.raises(UnreadableText, match="no pawn"):
        at("4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1")


@pytest.mark.parametrize(
    ("fen", "name", "texts"),
    [
        (START, "Nf3", ["Nf3", "g1f3", "Ng1f3", "Ngf3", "N1f3", "Nf3+", "Nf3!?", " Nf3 "]),
        (KIWIPETE, "O-O", ["O-O", "0-0", "o-o", "e1g1", "O-O+"]),
        (KIWIPETE, "O-O-O", ["O-O-O", "0-0-0", "e1c1"]),
        (KIWIPETE, "dxe6", ["dxe6", "d5e6", "d5xe6", "de6", "d:e6"]),
        ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "axb8=Q+", ["axb8=Q+", "axb8=Q", "axb8Q", "axb8(Q)", "a7b8q", "a7b8Q"]),
        ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=N", ["a8=N", "a8N", "a7a8n"]),
        ("k7/8/8/1Pp5/8/8/8/K7 w - c6 0 1", "bxc6", ["bxc6", "bxc6e.p.", "b5c6"]),
        ("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "Rad1", ["Rad1", "Ra1d1", "a1d1"]),
        ("4k3/R7/8/8/8/8/8/R3K3 w - - 0 1", "R1a5", ["R1a5", "Ra1a5"]),
        ("1k6/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "Qh4e1", ["Qh4e1", "h4e1"]),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "Ra8#", ["Ra8#", "Ra8+", "Ra8"]),
    ],
)
def test_moves_are_read_in_all_the_usual_ways(fen, name, texts):
    s = at(fen)
    assert name in names(s)
    assert {GAME.action_name(s, action(s, text)) for text in texts} == {name}


@pytest.mark.parametrize(
    ("fen", "text", "error", "says"),
    [
        (START, "Nf4", IllegalAction, "not a legal move here; legal: a3"),
        (START, "O-O", IllegalAction, "not a legal move"),
        (START, "e2e5", IllegalAction, "not a legal move"),
        (START, "hello", UnreadableText, "like Nf3"),
        ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8", IllegalAction, "a8=Q"),
        ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "Rf1", None, ""),
        ("4k3/8/8/8/8/8/K7/R6R w - - 0 1", "Rd1", AmbiguousText, "Rad1 or Rhd1"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "Kg8", IllegalAction, "the game is over"),
    ],
)
def test_a_move_that_cannot_be_is_refused_in_a_line(fen, text, error, says):
    if error is None:
        assert GAME.action_name(at(fen), action(at(fen), text)) == "Rf1"
        return
    with pytest.raises(error, match=says):
        action(at(fen), text)


def test_castling_moves_both_and_loses_the_rights():
    s = at("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 10")
    assert GAME.to_text(GAME.result(s, action(s, "O-O"))) == "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 4 10"
    assert GAME.to_text(GAME.result(s, action(s, "O-O-O"))) == "r3k2r/8/8/8/8/8/8/2KR3R b kq - 4 10"
    assert GAME.to_text(GAME.result(s, action(s, "Rxa8+"))) == "R3k2r/8/8/8/8/8/8/4K2R b Kk - 0 10"


# ---- knowledge


def mirrored(fen):
    """The same position with the colours exchanged."""
    board, side, rights, passed, *rest = fen.split()
    board = "/".join(reversed(board.swapcase().split("/")))
    rights = "".join(sorted(rights.swapcase()))
    passed = passed if passed == "-" else passed[0] + str(9 - int(passed[1]))
    return " ".join([board, "b" if side == "w" else "w", rights, passed, *rest])


@pytest.mark.parametrize("fen", [fen for fen, _ in CASES])
def test_the_evaluation_does_not_depend_on_the_colour(fen):
    s, other = at(fen), at(mirrored(fen))
    assert GAME.terms(s) == pytest.approx([-x for x in GAME.terms(other)], abs=1e-12)
    assert GAME.evaluate(s, 0) == pytest.approx(GAME.evaluate(other, 1), abs=1e-12)
    assert GAME.evaluate(s, 0) == -GAME.evaluate(s, 1)
    assert -1.0 < GAME.evaluate(s, 0) < 1.0


def terms(fen):
    return GAME.terms(at(fen))


def test_the_terms_are_what_their_names_say():
    start = GAME.terms(GAME.initial())._asdict()
    assert start.pop("to_move") > 0
    assert start == dict.fromkeys(
        ("material", "bishop_pair", "placement", "mobility", "king_safety", "pawn_structure", "posts", "threats"), 0.0
    )
    assert terms("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").material == 9
    assert terms("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1").material == -5
    assert terms("rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQK1NR w KQkq - 0 1").material == 0
    assert terms("rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQK1NR w KQkq - 0 1").bishop_pair == -0.5
    assert GAME.terms(GAME.at("e4 a6").state).placement > 0
    assert GAME.terms(GAME.at("e4 a6").state).mobility > 0
    doubled, healthy = "4k3/8/8/8/P7/P7/8/4K3 w - - 0 1", "4k3/8/8/8/8/PP6/8/4K3 w - - 0 1"
    assert terms(doubled).pawn_structure < terms(healthy).pawn_structure
    assert terms("4k3/P7/8/8/8/8/8/4K3 w - - 0 1").pawn_structure > terms(healthy).pawn_structure
    safe, bare = "q5k1/5ppp/8/8/8/8/5PPP/Q5K1 w - - 0 1", "q5k1/5ppp/8/8/8/PPP5/8/Q5K1 w - - 0 1"
    assert terms(bare).king_safety < terms(safe).king_safety == 0


def test_the_evaluation_knows_what_people_know():
    castled = "r1bq1rk1/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQ1RK1 w - - 0 1"
    walked = "r1bq1rk1/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPPKPPP/R1BQ3R w - - 0 1"
    assert sum(terms(castled)) > sum(terms(walked)) + 0.3
    on_open = "6k1/pp3ppp/8/8/8/8/PP3PPP/3R2K1 w - - 0 1"
    assert terms(on_open).posts > terms("6k1/pp3ppp/8/8/8/8/PP3PPP/R5K1 w - - 0 1").posts
    assert terms("6k1/5p2/8/3pN3/3P4/8/8/6K1 w - - 0 1").posts == 0  # a pawn could chase it away
    assert terms("6k1/8/8/3pN3/3P4/8/8/6K1 w - - 0 1").posts > 0
    assert terms("3q2k1/5ppp/8/8/5N2/8/5PPP/6K1 w - - 0 1").threats == 0
    assert terms("6k1/3q1ppp/8/4N3/8/8/5PPP/6K1 w - - 0 1").threats > 0
    active, passive = "8/8/8/3k4/8/8/8/R3K2r w - - 0 1", "8/8/8/8/8/8/8/R3K2k w - - 0 1"
    assert terms(active).placement < terms(passive).placement  # in endings a king belongs into the middle


def test_the_inputs_by_the_weights_add_up_to_the_estimate():
    early, late = weights.read(Path(weights.__file__).with_name("weights.txt").read_text())
    numbers = [x / 100 for x in early + late] + [1.0, 3.0, 3.0, 5.0, 9.0, 0.5]
    assert weights.read(weights.written(early, late)) == (early, late)
    assert len(numbers) == GAME.inputs
    for fen, _ in CASES:
        s, on = at(fen), Active(GAME.inputs, GAME.most_active)
        GAME.features(s, on)
        total = sum(numbers[i] * x for i, x in on.values.items())
        assert total == pytest.approx((1 - 2 * s.turn) * sum(GAME.terms(s)), abs=1e-9)


def test_inputs_have_names():
    named = [GAME.feature_name(GAME.initial(), i) for i in range(GAME.inputs)]
    assert len(set(named)) == GAME.inputs
    assert named[8] == "pawn on a2, kings on one wing, early"
    assert named[-1] == "bishop pair"


def test_the_search_may_pass_unless_in_check_or_with_pawns_only():
    s = GAME.passed(GAME.initial())
    assert (s.turn, s.mine, s.clock) == (1, GAME.initial().theirs, 0)
    for fen in ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "4k3/8/8/8/8/8/P3r3/R3K3 w - - 0 1"):
        assert GAME.passed(at(fen)) == at(fen)


@pytest.mark.parametrize(
    ("fen", "name", "sound"),
    [
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "Rxe5", True),  # nothing guards the pawn
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "Nxe5", False),  # three guards behind each other
        ("4k3/8/3p4/4p3/8/8/4R3/4K3 w - - 0 1", "Rxe5", False),
        ("4k3/8/3p4/4p3/5P2/8/8/4K3 w - - 0 1", "fxe5", True),
        ("4k3/8/3p4/4n3/5P2/8/8/4K3 w - - 0 1", "fxe5", True),
        ("4k3/4q3/8/4p3/8/8/4R3/4RK2 w - - 0 1", "Rxe5", True),  # a queen does not take a rook that another guards
        ("4k3/4r3/8/4p3/8/8/4R3/4RK2 w - - 0 1", "Rxe5", True),
        ("8/8/3k4/4p3/8/8/4R3/5K2 w - - 0 1", "Rxe5", False),  # the king takes
        ("8/8/3k4/4p3/8/8/4R3/4RK2 w - - 0 1", "Rxe5", True),  # the king must not
        ("k7/8/8/1Pp5/8/8/8/K7 w - c6 0 1", "bxc6", True),
    ],
)
def test_sound_captures_come_first_and_are_followed(fen, name, sound):
    s = at(fen)
    a = action(s, name)
    assert (not GAME.is_unsound(s, a)) == GAME.is_noisy(s, a) == (GAME.priority(s, a) > 0) == sound


def test_the_order_of_moves_is_good_captures_then_quiet_then_bad():
    s = at("4k3/1P6/2p5/3p1q2/4P3/3Q4/8/4K3 w - - 0 1")
    order = sorted(GAME.actions(s), key=lambda a: -GAME.priority(s, a))
    found = [GAME.action_name(s, a) for a in order]
    assert found[:3] == ["exf5", "b8=Q+", "exd5"]
    assert found[-1] == "Qxd5"
    assert found.index("Qc4") > found.index("Ke2")  # where a pawn takes it


@pytest.mark.parametrize("mode", ["interpreted", pytest.param("compiled", marks=pytest.mark.slow)])
def test_a_mate_in_two_is_found_and_certain(mode):
    """Morphy's problem of 1857: 1. Ra6."""
    s = at("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")
    with getattr(native, mode)():
        found = search.alphabeta(GAME, s, depth=3)
    assert (found.line_names[0], found.value) == ("Ra6", 1.0)


@pytest.mark.slow
def test_the_search_sees_the_draw_by_fifty_moves():
    s = at("7k/8/8/8/8/8/8/KQ6 w - - 98 120")
    found = search.alphabeta(GAME, s, depth=3)
    assert found.value == 0.0
