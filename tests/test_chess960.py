"""Chess960: known perft counts, python-chess as a twin, and how castling is written."""

import random

import pytest

from counterplay import IllegalAction, UnreadableText, games, search
from counterplay.games.chess import notation
from counterplay.games.chess.rules import Chess
from counterplay.native import interpreted
from tests.references import perft_cases

pytestmark = pytest.mark.long

GAME = games.load("chess:chess960=on")
POSITIONS = 500  # of random games that are compared with python-chess


@pytest.fixture
def chess():
    return pytest.importorskip("chess", reason="needs python-chess (pip install chess)")


def at(fen):
    return GAME.from_text(fen)


@pytest.mark.parametrize(("fen", "counts"), list(perft_cases("chess960")))
def test_perft(fen, counts):
    found = search.perft(GAME, at(fen), max(counts))
    assert {depth: found[depth] for depth in counts} == counts


def test_the_starting_positions_have_the_numbers_that_everybody_gives_them(chess):
    assert [GAME.to_text(at(str(n))) for n in range(960)] == [
        chess.Board.from_chess960_pos(n).fen() for n in range(960)
    ]
    assert at("518") == GAME.initial() == Chess().initial()


def test_random_games_are_those_of_python_chess(chess):
    source, seen, castled = random.Random(960), 0, 0
    with interpreted():
        while seen < POSITIONS:
            number = source.randrange(960)
            board, s = chess.Board.from_chess960_pos(number), at(str(number))
            for _ in range(80):
                assert at(board.shredder_fen()) == at(board.fen()) == s
                assert GAME.to_text(s) == board.fen()
                seen += 1
                if GAME.is_terminal(s):
                    break
                actions = list(GAME.actions(s))
                moves = {move.uci(): board.san(move) for move in board.legal_moves}
                assert {notation.uci(a): GAME.action_name(s, a) for a in actions} == moves, board.fen()
                assert len(actions) == len(moves) == GAME.count_actions(s)
                castling = [move for move in board.legal_moves if board.is_castling(move)]
                wanted = castling if castling and source.random() < 0.3 else list(board.legal_moves)
                move = source.choice(wanted)
                castled += move in castling
                name = source.choice([board.san(move), move.uci()])
                s = GAME.result(s, GAME.parse_action(s, name))
                board.push(move)
    assert castled > 3


def test_castling_is_written_with_the_rook_in_uci_and_with_o_in_san():
    with interpreted():
        s = at("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1")
        short, long = GAME.parse_action(s, "O-O"), GAME.parse_action(s, "e1b1")
        assert (notation.uci(short), GAME.action_name(s, long)) == ("e1g1", "O-O-O")
        assert GAME.to_text(GAME.result(s, short)) == "4k3/8/8/8/8/8/8/1R3RK1 b - - 1 1"
        assert GAME.to_text(GAME.result(s, long)) == "4k3/8/8/8/8/8/8/2KR2R1 b - - 1 1"
        with pytest.raises(IllegalAction, match="'Kb1' is not a legal move"):
            GAME.parse_action(s, "Kb1")


@pytest.mark.parametrize(("row", "is_free"), [("rRK5", False), ("1RK5", True)])
def test_a_rook_that_keeps_a_check_away_may_not_castle(row, is_free):
    with interpreted():
        assert ("O-O-O" in GAME.at(position=f"4k3/8/8/8/8/8/8/{row} w B - 0 1").moves()) == is_free


def test_rights_are_written_by_the_file_where_letters_would_not_tell():
    inner = "4k3/8/8/8/8/8/8/4KR1R w F - 0 1"
    assert GAME.to_text(at(inner)) == inner
    assert GAME.to_text(at("4k3/8/8/8/8/8/8/R3KR1R w HA - 0 1")) == "4k3/8/8/8/8/8/8/R3KR1R w KQ - 0 1"


@pytest.mark.parametrize(
    ("game", "text", "reason"),
    [
        (GAME, "4k3/8/8/8/8/8/8/4KR1R w FH - 0 1", "castling H needs a king and one rook on that side of it"),
        (GAME, "4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling K needs a king and one rook on that side of it"),
        (GAME, "4k3/8/8/8/8/8/4K3/7R w H - 0 1", "castling H needs a king"),
        (GAME, "4k3/8/8/8/8/8/8/4K2R w X - 0 1", "castling rights are some of KQkq, or the files of rooks like HAha"),
        (GAME, "960", "the numbers of starting positions are 0 to 959"),
        (Chess(), "4k3/8/8/8/8/8/8/4K2R w H - 0 1", "for Chess960, chess:chess960=on"),
    ],
)
def test_rights_that_cannot_be_are_refused_in_a_line(game, text, reason):
    with pytest.raises(UnreadableText, match=reason):
        game.from_text(text)
