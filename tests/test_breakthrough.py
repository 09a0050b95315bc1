"""Breakthrough: against a slow twin written from the rules, OpenSpiel's rules, brute force, and by hand."""

import random

import pytest

from counterplay import UnreadableText, games, search
from tests.references import perft_cases, plain_alphabeta, random_states

pytestmark = pytest.mark.long

PERFT = list(perft_cases("breakthrough"))
GAME = games.load("breakthrough")
CHEAP = 20_000
HINT = "needs OpenSpiel (pip install 'counterplay[peers]')"


# ---- the twin: rows of characters, a loop over the pieces


def twin_moves(board, side):
    """The boards after each move; none at the end."""
    height, width = len(board), len(board[0])
    cells = "".join("".join(row) for row in board)
    if "b" in board[-1] or "w" in board[0] or "b" not in cells or "w" not in cells:
        return
    down, other = (1, "w") if side == "b" else (-1, "b")
    for r in range(height):
        for c in range(width):
            for right in (-1, 0, 1):
                if board[r][c] == side and 0 <= c + right < width:
                    there = board[r + down][c + right]
                    if there == "." or (there == other and right != 0):
                        after = [list(row) for row in board]
                        after[r][c], after[r + down][c + right] = ".", side
                        yield after


def twin_perft(board, side, depth):
    if depth == 0:
        return 1
    return sum(twin_perft(after, "bw"[side == "b"], depth - 1) for after in twin_moves(board, side))


@pytest.mark.parametrize(("rows", "columns"), [(8, 8), (3, 2), (5, 4), (6, 7), (9, 10)])
def test_random_games_are_those_of_the_twin(rows, columns):
    game = games.load(f"breakthrough:rows={rows},columns={columns}")
    ends = set()
    for seed in range(10):
        for s in random_states(game, seed):
            ours = sorted(game.board(game.result(s, a)) for a in game.actions(s))
            assert ours == sorted(twin_moves(game.board(s), "bw"[s.turn])), game.to_text(s)
            assert game.is_terminal(s) == (not ours)
        ends.add(game.utility(s, 0))
        assert game.utility(s, 0) == (1.0 if "b" in game.board(s)[-1] or not s.w else -1.0)
    assert ends == {-1.0, 1.0}


# ---- OpenSpiel


def rival(pyspiel, game):
    return pyspiel.load_game("breakthrough", {"rows": game.rows, "columns": game.columns}).new_initial_state()


def rival_name(name):
    """OpenSpiel's name of a move: a star behind it for a capture."""
    return name.replace("x", "") + ("*" if "x" in name else "")


@pytest.mark.parametrize("text", ["breakthrough", "breakthrough:rows=5,columns=4"])
def test_random_games_are_those_of_open_spiel(text):
    pyspiel = pytest.importorskip("pyspiel", reason=HINT)
    game, source = games.load(text), random.Random(1)
    for _ in range(40):
        s, theirs = game.initial(), rival(pyspiel, game)
        while not theirs.is_terminal():
            assert game.player(s) == theirs.current_player()
            ours = {rival_name(game.action_name(s, a)): a for a in game.actions(s)}
            legal = {theirs.action_to_string(a): a for a in theirs.legal_actions()}
            assert ours.keys() == legal.keys()
            name = source.choice(sorted(legal))
            theirs.apply_action(legal[name])
            s = game.result(s, ours[name])
        assert game.is_terminal(s)
        assert [game.utility(s, p) for p in range(2)] == theirs.returns()


# ---- perft


@pytest.mark.parametrize(("position", "counts"), PERFT)
def test_perft(position, counts):
    rows = position.split()[0].split("/")
    game = games.load(f"breakthrough:rows={len(rows)},columns={len(rows[0])}")
    s = game.from_text(position)
    most = max(depth for depth, n in counts.items() if n < 30_000_000)
    assert search.perft(game, s, most)[1:] == [counts[depth] for depth in range(1, most + 1)]
    for depth, n in counts.items():
        if n < CHEAP:
            assert twin_perft(game.board(s), "bw"[s.turn], depth) == n


@pytest.mark.slow
def test_perft_is_that_of_open_spiel():
    pyspiel = pytest.importorskip("pyspiel", reason=HINT)

    def lines(state, depth):
        if depth == 0 or state.is_terminal():
            return int(depth == 0)
        return sum(lines(state.child(a), depth - 1) for a in state.legal_actions())

    position, counts = PERFT[0]
    assert position == GAME.to_text(GAME.initial())
    assert [lines(rival(pyspiel, GAME), depth) for depth in (1, 2, 3, 4)] == [counts[depth] for depth in (1, 2, 3, 4)]


@pytest.mark.slow
def test_perft_to_6_plies():
    assert search.perft(GAME, depth=6)[-1] == PERFT[0][1][6] == 149_264_638


# ---- solving


@pytest.mark.slow
def test_small_boards_are_solved():
    game = games.load("breakthrough:rows=5,columns=3")
    values = []
    for s in [game.initial(), *(game.at(move).state for move in game.at().moves())]:
        found = search.alphabeta(game, s)
        expected = plain_alphabeta(game, s, -1.0, 1.0)
        assert found.proven
        assert found.value == (expected if s.turn == 0 else -expected)
        values.append(found.value)
    assert values[0] == max(values[1:])


# ---- knowledge


def mirrored(game, s):
    """The same position with the sides exchanged and the board turned round."""
    text = game.to_text(s).rpartition(" ")[0][::-1]
    return game.from_text(text.translate(str.maketrans("bw", "wb")) + " " + "wb"[s.turn])


def test_the_estimate_does_not_care_for_sides():
    for seed in range(8):
        for s in random_states(GAME, seed):
            other = mirrored(GAME, s)
            assert tuple(GAME.terms(other)) == tuple(-x for x in GAME.terms(s))
            assert GAME.evaluate(other, 1) == GAME.evaluate(s, 0) == -GAME.evaluate(s, 1)
            priorities = sorted(GAME.priority(s, a) for a in GAME.actions(s))
            assert priorities == sorted(GAME.priority(other, a) for a in GAME.actions(other))


def test_terms_of_a_position_counted_by_hand():
    s = GAME.from_text("......../......../.b....../..w...../.......b/......../w......./...w.... w")
    terms = GAME.terms(s)
    assert terms.material == (2 - 3) / 16
    assert terms.advance == (2 + 4 - 4 - 1 - 0) / (16 * 7)
    assert terms.lead == (4 - 4) / 7
    assert terms.hanging == (1 - 1) / 16  # b6 and c5 attack each other, and nobody takes back
    assert terms.free == (4 - 0) / 7  # h4 is past the others' reach, c5 and a2 are in front of b6's, d1 of h4's
    assert terms.turn == -1.0


def test_noisy_moves_are_captures_and_the_last_step():
    here = GAME.at(position="......../.w....../..b...../......../......../......../b......./.......w b")
    noisy = {GAME.action_name(here.state, a): GAME.is_noisy(here.state, a) for a in GAME.actions(here.state)}
    assert noisy == {"a2a1": True, "a2b1": True, "c6c5": False, "c6b5": False, "c6d5": False}
    order = sorted(GAME.actions(here.state), key=lambda a: -GAME.priority(here.state, a))
    assert {GAME.action_name(here.state, a) for a in order[:2]} == {"a2a1", "a2b1"}
    fight = GAME.at(position="......../......../..b...../.w.w..../......../......../......../.......w b").state
    assert {GAME.action_name(fight, a) for a in GAME.actions(fight) if GAME.is_noisy(fight, a)} == {"c6xb5", "c6xd5"}


# ---- texts


def test_moves_say_from_where_to_where_and_whether_they_capture():
    here = GAME.at("d7d6 e2e3 d6d5 e3e4")
    assert "d5xe4" in here.moves()
    assert "d5d4" in here.moves()
    after = here.play("D5XE4").state
    assert (len(after.b), len(after.w)) == (16, 15)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("bbbbbbbb/bbbbbbbb/......../......../......../......../wwwwwwww/wwwwwwww", "end it with ' b' or ' w'"),
        ("bb/ww b", "8 rows and 8 columns"),
        ("bbbbbbbb/bbbbbbbb/......../....x.../......../......../wwwwwwww/wwwwwwww w", "'x' is no piece"),
        ("bbbbbbbb/bbbbbbbb/b......./......../......../......../wwwwwwww/wwwwwwww w", "at most 16 pieces"),
        (".w....../......../b......./......../......../......../......../........ w", "has won already"),
        ("......../......../b......./......../......../......../......../........ b", "has won already"),
    ],
)
def test_texts_that_are_no_position(text, why):
    with pytest.raises(UnreadableText, match=why):
        GAME.from_text(text)


@pytest.mark.parametrize("text", ["rows=2", "columns=1", "columns=27"])
def test_boards_that_are_too_small_or_too_large(text):
    with pytest.raises(UnreadableText, match="3 to 26 rows and 2 to 26 columns"):
        games.load(f"breakthrough:{text}")
