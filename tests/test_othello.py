"""Othello: against published counts, a slow twin written from the rules, OpenSpiel's rules, and brute force."""

import random

import pytest

from counterplay import Bits, UnreadableText, games, search
from tests.references import perft_cases, plain_alphabeta, random_states

pytestmark = pytest.mark.long

PERFT = list(perft_cases("othello"))
GAME, SMALL = games.load("othello"), games.load("othello:size=6")
CHEAP = 20_000


# ---- the twin: rows of characters, a loop for each direction


def twin_turned(board, side, row, column):
    """The cells that turn over when `side` puts a disc there."""
    other, turned = "xo"[side == "x"], []
    if board[row][column] != ".":
        return []
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            run, r, c = [], row + down, column + right
            while 0 <= r < len(board) and 0 <= c < len(board) and board[r][c] == other:
                run.append((r, c))
                r, c = r + down, c + right
            if 0 <= r < len(board) and 0 <= c < len(board) and board[r][c] == side:
                turned += run
    return turned


def twin_moves(board, side):
    """(name, board after it) of each move; a pass if there is none but for the other side; none at the end."""

    def placements(side):
        for row in range(len(board)):
            for column in range(len(board)):
                if turned := twin_turned(board, side, row, column):
                    after = [list(cells) for cells in board]
                    for r, c in [*turned, (row, column)]:
                        after[r][c] = side
                    yield "abcdefgh"[column] + str(row + 1), after

    moves = list(placements(side))
    if not moves and any(placements("xo"[side == "x"])):
        return [("pass", board)]
    return moves


def twin_perft(board, side, depth):
    moves = twin_moves(board, side)
    if depth == 0 or not moves:
        return 1
    return sum(twin_perft(after, "xo"[side == "x"], depth - 1) for _, after in moves)


def late(game, empty, seed):
    """A position of a random game with so many empty squares."""
    while True:
        for s in random_states(game, seed):
            if len(~(s.mine | s.theirs)) == empty and not game.is_terminal(s):
                return s
        seed += 1000


@pytest.mark.parametrize("size", [4, 6, 8])
def test_random_games_are_those_of_the_twin(size):
    game = games.load(f"othello:size={size}")
    passes = 0
    for seed in range(8):
        for s in random_states(game, seed):
            ours = {game.action_name(s, a): game.board(game.result(s, a)) for a in game.actions(s)}
            assert ours == dict(twin_moves(game.board(s), "xo"[s.turn])), game.to_text(s)
            assert game.is_terminal(s) == (not ours)
            passes += "pass" in ours
    assert passes > 0


# ---- perft


def with_finished(s, depth):
    """Positions after `depth` plies; perft counts lines that are as long as that, so those that ended are added."""
    return search.perft(GAME, s, depth)[-1] + search.count_games(GAME, s, depth - 1)


@pytest.mark.parametrize(("position", "counts"), PERFT)
def test_perft(position, counts):
    s = GAME.from_text(position)
    for depth, n in counts.items():
        if n < 30_000_000:
            assert with_finished(s, depth) == n
        if n < CHEAP:
            assert twin_perft(GAME.board(s), "xo"[s.turn], depth) == n


@pytest.mark.slow
def test_perft_to_11_plies():
    position, counts = PERFT[0]
    assert GAME.from_text(position) == GAME.initial()
    assert with_finished(GAME.initial(), 11) == counts[11] == 212_258_800


def test_all_games_on_four_by_four():
    assert search.count_games(games.load("othello:size=4"), depth=30) == 60_060


# ---- endgames: the search with everything on, against plain alpha-beta


def assert_solved(game, empty, seeds):
    values = set()
    for seed in seeds:
        s = late(game, empty, seed)
        found = search.alphabeta(game, s)
        expected = plain_alphabeta(game, s, *game.utility_range)
        assert found.proven, game.to_text(s)
        assert found.value == (expected if s.turn == 0 else -expected), game.to_text(s)
        values.add(found.value)
    assert len(values) > 1


def test_endgames_with_12_empty_squares_are_solved():
    assert_solved(GAME, 12, range(12))


@pytest.mark.rare
def test_endgames_with_14_empty_squares_of_36_are_solved():
    assert_solved(SMALL, 14, range(12))


@pytest.mark.rare
def test_endgames_are_solved_by_their_margin():
    assert_solved(games.load("othello:margin=true"), 10, range(12))


@pytest.mark.slow
def test_four_by_four_is_a_win_for_the_second_player_by_11_to_3():
    game = games.load("othello:size=4,margin=true")
    result = search.alphabeta(game)
    assert result.value == -1 + 2 * 3 / 16  # the two empty squares count for the winner
    end = game.at(result.line_names)
    assert [sum(row.count(side) for row in game.board(end.state)) for side in "xo"] == [3, 11]


# ---- OpenSpiel


def test_random_games_are_those_of_open_spiel():
    pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel (pip install 'counterplay[peers]')")
    source, passes, results = random.Random(1), 0, set()
    for _ in range(60):
        s, theirs = GAME.initial(), pyspiel.load_game("othello").new_initial_state()
        while not theirs.is_terminal():
            assert GAME.player(s) == theirs.current_player()
            actions = {64 if a == GAME.passing else a: a for a in GAME.actions(s)}
            assert sorted(actions) == theirs.legal_actions()
            a = source.choice(theirs.legal_actions())
            assert theirs.action_to_string(a).lower() == GAME.action_name(s, actions[a])
            passes += a == 64
            theirs.apply_action(a)
            s = GAME.result(s, actions[a])
        assert GAME.is_terminal(s)
        assert [GAME.utility(s, p) for p in range(2)] == theirs.returns()
        results.add(theirs.returns()[0])
    assert passes > 10
    assert {-1.0, 1.0} <= results


# ---- the end


def test_a_wiped_out_board_is_won_and_empty_squares_are_the_winners():
    before = "......../......../......../...oxo../...xx.../......../......../........ o"
    s = GAME.from_text("......../......../......../...ooo../...oo.../......../......../........ x")
    assert not GAME.is_terminal(GAME.from_text(before))
    assert GAME.is_terminal(s)
    assert [GAME.utility(s, p) for p in range(2)] == [-1.0, 1.0]
    assert games.load("othello:margin=true").utility(s, 1) == 1.0


def test_the_margin_is_the_difference_with_the_empty_squares():
    game = games.load("othello:margin=true")
    full = game.from_text("/".join(["xxxxxxxx"] * 5 + ["oooooooo"] * 3) + " o")
    assert game.utility(full, 0) == (40 - 24) / 64
    even = game.from_text("/".join(["xxxxxxxx"] * 4 + ["oooooooo"] * 4) + " x")
    assert [game.utility(even, p) for p in range(2)] == [0.0, 0.0]


# ---- knowledge


def mirrored(game, s):
    """The same position with the colours exchanged, upside down and turned about the diagonal."""
    cells = [list(column)[::-1] for column in zip(*game.board(s), strict=True)]
    text = "/".join("".join(row) for row in cells)
    return game.from_text(text.translate(str.maketrans("xo", "ox")) + " " + "ox"[s.turn])


@pytest.mark.parametrize("game", [GAME, SMALL], ids=str)
def test_the_estimate_does_not_care_for_sides(game):
    for seed in range(5):
        for s in random_states(game, seed):
            other = mirrored(game, s)
            assert tuple(game.terms(other)) == tuple(-x for x in game.terms(s))
            assert game.evaluate(other, 1) == game.evaluate(s, 0) == -game.evaluate(s, 1)
            assert all(-1.0 <= x <= 1.0 for x in game.terms(s))


def test_terms_of_a_position_counted_by_hand():
    s = GAME.from_text("xxo...../.o....../......../...ox.../...xo.../......../......../........ x")
    terms = GAME.terms(s)
    assert terms.corners == 0.25  # a1
    assert terms.beside == 0.0  # b2 is no danger: its corner is taken
    assert terms.stability == 2 / 64  # a1 and b1
    assert terms.parity == -1.0  # x is to move with an even number of empty squares: o comes last
    assert terms.mobility == (7 - 4) / (7 + 4)  # b3 c3 c4 d1 d3 e6 f5; c5 d6 e3 f4
    assert terms.frontier == 0.0  # all four of each have an empty neighbour


def test_stable_discs_stay():
    found = 0
    for seed in range(6):
        states = list(random_states(GAME, seed))
        for i, s in enumerate(states):
            sides = [(s.mine, s.theirs), (s.theirs, s.mine)]
            x, o = (GAME.stable(*each) for each in (sides if s.turn == 0 else reversed(sides)))
            for later in states[i:]:
                sides = (later.mine, later.theirs) if later.turn == 0 else (later.theirs, later.mine)
                assert not x - sides[0], GAME.to_text(s)
                assert not o - sides[1], GAME.to_text(s)
            found += len(x | o)
    assert found > 1000


def test_a_full_board_is_stable_and_corners_make_edges_so():
    full = ~GAME.empty
    assert GAME.stable(full, GAME.empty) == full
    edge = Bits(64, [0, 1, 2, 8, 9, 16, 35])
    assert GAME.stable(edge, GAME.empty) == Bits(64, [0, 1, 2, 8, 9, 16])
    assert not GAME.stable(Bits(64, [1, 2, 3]), GAME.empty)


def test_moves_are_looked_at_from_corners_to_giving_them_away():
    s = GAME.from_text(".oxx..../.......x/.......o/...ox.../.oxoo.../oo....../......../........ x")
    order = sorted(GAME.actions(s), key=lambda a: -GAME.priority(s, a))
    names = [GAME.action_name(s, a) for a in order]
    assert names[0] == "a1"
    replies = [len(GAME.result(s, a).moves) for a in order[1:]]
    assert replies == sorted(replies)


# ---- texts


def test_moves_are_named_from_the_top_left():
    assert GAME.at().moves() == ["d3", "c4", "f5", "e6"]
    assert GAME.at("F5 d6").moves() == GAME.at("f5 d6").moves()


def test_a_pass_is_a_move():
    here = GAME.at(position="xxxxxooo/oxoxxxxx/oxoxoxxx/oxoooxxx/oxoxoooo/ooxooo../oooooo../oxxo.o.. o")
    assert here.moves() == ["pass"]
    after = here.play("PASS")
    assert after.game.board(after.state) == here.game.board(here.state)
    assert GAME.player(after.state) == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("......../......../......../...ox.../...xo.../......../......../........", "end it with ' x' or ' o'"),
        ("......../......../......../...ox.../...xo.../......../......../........x", "end it with ' x' or ' o'"),
        ("...../..... x", "8 rows and 8 columns"),
        ("......../......../......../...ox.../...xO.../......../......../........ x", "'O' is no piece"),
        ("......../......../......../...ox.../...x..../......../......../........ x", "never empty"),
        ("", "end it with"),
    ],
)
def test_texts_that_are_no_position(text, why):
    with pytest.raises(UnreadableText, match=why):
        GAME.from_text(text)


@pytest.mark.parametrize("size", [2, 7, 28])
def test_sizes_that_are_no_board(size):
    with pytest.raises(UnreadableText, match="even size of 4 to 26"):
        games.load(f"othello:size={size}")
