"""Checkers: against known perft counts, a slow twin written from the rules, OpenSpiel's rules, and by hand."""

import random

import numpy as np
import pytest

from counterplay import AmbiguousText, IllegalAction, UnreadableText, games, native, search
from counterplay.core.game import is_repeated
from counterplay.native import native as make_native
from tests.references import perft_cases

pytestmark = pytest.mark.long

GAME = games.load("checkers")
PERFT = list(perft_cases("checkers"))
FAST = 5_000_000  # lines that are counted in a moment


# ---- a slow twin: a dictionary of (row, column) to piece, moves by recursion, nothing shared with the game


def place(square):
    """Row and column of a square's number; row 0 is at the top."""
    row, i = divmod(square - 1, 4)
    return row, 2 * i + (1 if row % 2 == 0 else 0)


NUMBERS = {place(n): n for n in range(1, 33)}


def twin_board(s):
    text = GAME.to_text(s).split(":")
    board = {}
    for part in text[1:3]:
        for item in part[1:].split(",") if part[1:] else ():
            king = item.startswith("K")
            piece = part[0].lower()
            board[place(int(item.removeprefix("K")))] = piece.upper() if king else piece
    return board


def twin_directions(piece):
    return [(dr, dc) for dr in {"b": (1,), "w": (-1,)}.get(piece, (1, -1)) for dc in (-1, 1)]


def twin_jumps(board, here, path):
    """(path, board) of every way to jump on from `here` to the end."""
    piece, found = board[here], []
    for dr, dc in twin_directions(piece):
        over, to = (here[0] + dr, here[1] + dc), (here[0] + 2 * dr, here[1] + 2 * dc)
        if to not in NUMBERS or to in board or board.get(over, piece).lower() == piece.lower():
            continue
        after = {where: what for where, what in board.items() if where not in (here, over)}
        if piece.islower() and to[0] == {"b": 7, "w": 0}[piece]:
            after[to] = piece.upper()
            found.append(((*path, NUMBERS[to]), after))
        else:
            after[to] = piece
            found += twin_jumps(after, to, (*path, NUMBERS[to])) or [((*path, NUMBERS[to]), after)]
    return found


def twin_moves(board, side):
    """(path, board, whether it is quiet) of every legal move."""
    mine = [where for where, piece in board.items() if piece.lower() == side]
    jumps = [(*jump, False) for where in mine for jump in twin_jumps(board, where, (NUMBERS[where],))]
    if jumps:
        return jumps
    found = []
    for where in mine:
        piece = board[where]
        for dr, dc in twin_directions(piece):
            to = (where[0] + dr, where[1] + dc)
            if to in NUMBERS and to not in board:
                after = {other: what for other, what in board.items() if other != where}
                after[to] = piece.upper() if to[0] == {"b": 7, "w": 0}[side] else piece
                found.append(((NUMBERS[where], NUMBERS[to]), after, piece.isupper()))
    return found


def twin_perft(board, side, depth):
    if depth == 0:
        return 1
    return sum(twin_perft(after, "wb"[side == "w"], depth - 1) for _, after, _ in twin_moves(board, side))


def assert_same_as_twin(s):
    board, side = twin_board(s), "bw"[s.turn]
    expected = {path: (after, quiet) for path, after, quiet in twin_moves(board, side)}
    actions = list(GAME.actions(s))
    where = GAME.to_text(s)
    assert sorted(tuple(GAME.path(a)) for a in actions) == sorted(expected), where
    assert GAME.is_terminal(s) == (not expected), where
    for a in actions:
        after, quiet = expected[tuple(GAME.path(a))]
        child = GAME.result(s, a)
        assert twin_board(child) == after, (where, GAME.action_name(s, a))
        assert child.turn == 1 - s.turn
        assert child.quiet == (s.quiet + 1 if quiet else 0)
    if not expected:
        assert GAME.utility(s, s.turn) == -1.0
        assert GAME.utility(s, 1 - s.turn) == 1.0


def scattered(source):
    """A random position, crowded or not, with more kings than any game has; often one side stands to be jumped."""
    squares = source.sample(range(1, 33), source.randint(2, 20))
    cut, kings = source.randint(1, len(squares) - 1), source.random()
    pair = squares[:cut][:12], squares[cut:][:12]
    if source.random() < 0.5:
        prey = source.choice(((6, 7, 8, 14, 15, 16, 22, 23, 24), (9, 10, 11, 17, 18, 19, 25, 26, 27)))
        prey = source.sample(prey, source.randint(3, 9))
        pair = prey, source.sample(sorted(set(range(1, 33)) - set(prey)), source.randint(1, 3))
    black, white = pair if source.random() < 0.5 else pair[::-1]
    sides = {"B": (black, range(29, 33)), "W": (white, range(1, 5))}
    lists = {
        side: ",".join(f"K{n}" if n in last_row or source.random() < kings else str(n) for n in squares)
        for side, (squares, last_row) in sides.items()
    }
    return GAME.from_text(f"{source.choice('BW')}:W{lists['W']}:B{lists['B']}")


def test_moves_are_those_of_the_twin_in_random_games():
    source = random.Random(1)
    for _ in range(25):
        s = GAME.initial()
        while not GAME.is_terminal(s):
            assert_same_as_twin(s)
            s = GAME.result(s, source.choice(list(GAME.actions(s))))
        if s.quiet < GAME.quiet_plies:
            assert_same_as_twin(s)


def test_moves_are_those_of_the_twin_in_scattered_positions():
    source, jumps, stuck = random.Random(2), [0] * 13, 0
    for _ in range(3_000):
        s = scattered(source)
        assert_same_as_twin(s)
        stuck += GAME.is_terminal(s)
        for a in GAME.actions(s):
            jumps[len(GAME.path(a)) - 1] += 1
    assert min(jumps[1:10]) > 0, "there were jumps of every length"
    assert stuck > 0


@make_native
def sampled(game, s, n, found):
    """Sample with `n` words that are spread evenly."""
    for i in range(n):
        found[i] = game.sample(s, (i << 32) // n)
    return game.count_actions(s)


def test_samples_are_the_actions_in_their_order():
    source = random.Random(7)
    for s in [GAME.initial(), *(scattered(source) for _ in range(100))]:
        actions = list(GAME.actions(s))
        for run in (sampled.compiled, sampled.interpreted) if actions else ():
            found = np.zeros(3 * len(actions), np.int64)
            assert run(GAME, s, len(found), found) == len(actions)
            words = ((i << 32) // len(found) for i in range(len(found)))
            assert found.tolist() == [actions[r * len(actions) >> 32] for r in words]
    assert GAME.count_actions(GAME.from_text("B:WK5:BK32:H80")) == 0


def test_compiled_lines_are_as_many_as_the_twins():
    source = random.Random(3)
    for _ in range(40):
        s = scattered(source)
        expected = [twin_perft(twin_board(s), "bw"[s.turn], depth) for depth in range(4)]
        with native.compiled():
            assert search.perft(GAME, s, depth=3) == expected, GAME.to_text(s)


# ---- perft


@pytest.mark.parametrize(
    ("position", "depth", "n"),
    [
        pytest.param(position, depth, n, marks=[pytest.mark.slow] if n > FAST else [], id=f"{position} {depth}")
        for position, counts in PERFT
        for depth, n in counts.items()
    ],
)
def test_perft(position, depth, n):
    split = search.perft_split(GAME, GAME.from_text(position), depth)
    assert sum(split.values()) == n


def test_the_first_count_is_from_the_start():
    first = PERFT[0][0]
    assert GAME.from_text(first) == GAME.initial()
    assert GAME.to_text(GAME.initial()) == first


# ---- OpenSpiel: the board turned round, jumps one by one, a draw after 40 plies without a capture

TURNED = {"o": "b", "8": "B", "+": "w", "*": "W"}


def spiel_board(state):
    """What the state shows, with our names and seen from our side: their first player is our black."""
    rows = [line[1:] for line in str(state).splitlines()[:8]]
    cells = ((7 - r, 7 - c, cell) for r, row in enumerate(rows) for c, cell in enumerate(row))
    return {(r, c): TURNED[cell] for r, c, cell in cells if cell != "."}


def spiel_lines(state, path=()):
    """(path, state) of each whole move: as long as the same player goes on, it is the same move."""
    for a in state.legal_actions():
        name = state.action_to_string(a)
        (c1, r1), (c2, r2) = (("abcdefgh".index(name[i]), 8 - int(name[i + 1])) for i in (0, 2))
        squares = (*(path or (NUMBERS[7 - r1, 7 - c1],)), NUMBERS[7 - r2, 7 - c2])
        child = state.child(a)
        if not child.is_terminal() and child.current_player() == state.current_player():
            yield from spiel_lines(child, squares)
        else:
            yield squares, child


@pytest.mark.parametrize("seed", range(4))
def test_random_games_are_those_of_openspiel(seed):
    pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel (pip install 'counterplay[peers]')")
    rival, source, results = pyspiel.load_game("checkers"), random.Random(seed), []
    for _ in range(50):
        s, theirs, peaceful = GAME.initial(), rival.new_initial_state(), 0
        while not theirs.is_terminal():
            assert GAME.player(s) == theirs.current_player()
            lines = dict(spiel_lines(theirs))
            ours = {tuple(GAME.path(a)): a for a in GAME.actions(s)}
            assert sorted(ours) == sorted(lines), GAME.to_text(s)
            path = source.choice(sorted(lines))
            peaceful = 0 if GAME.is_noisy(s, ours[path]) else peaceful + 1
            s, theirs = GAME.result(s, ours[path]), lines[path]
            assert twin_board(s) == spiel_board(theirs)
        if peaceful == 40:  # a draw for them, whoever moved what
            assert theirs.returns() == [0.0, 0.0]
        else:
            assert GAME.is_terminal(s)
            assert theirs.returns() == [GAME.utility(s, 0), GAME.utility(s, 1)]
        results.append(theirs.returns()[0])
    assert {-1.0, 1.0} <= set(results)


# ---- the rules by hand


def moves(position):
    return sorted(GAME.at(position=position).moves())


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("B:W32:B1", ["1-5", "1-6"]),
        ("W:W32:B1", ["32-27", "32-28"]),
        ("B:W32:BK14", ["14-10", "14-17", "14-18", "14-9"]),
        ("B:W18:B14,1", ["14x23"]),  # to jump is a duty
        ("B:W10:B14", ["14-17", "14-18"]),  # a man does not jump backwards
        ("B:W10:BK14", ["14x7"]),
        ("B:W18,27:B14", ["14x32"]),  # all the way is a duty too
        ("B:W25,26:B21", ["21x30"]),  # becomes a king on 30 and stops, though a king could jump 26
        ("B:W25,26:BK21", ["21x23"]),
        ("B:W6,7,14,15:B2", ["2x11x18", "2x9x18"]),
        ("B:W6,7,14,15:BK2", ["2x11x18x9x2", "2x9x18x11x2"]),  # the same pieces, but two paths
        ("B:W6,7,15,22:B2", ["2x25", "2x9"]),  # the longer jump is no duty
    ],
)
def test_moves(position, expected):
    assert moves(position) == expected


def test_black_begins_at_the_top():
    assert GAME.player(GAME.initial()) == 0
    assert GAME.show(GAME.initial()).splitlines()[0].split() == ["1", "b", "b", "b", "b"]


@pytest.mark.parametrize(
    ("position", "move", "after"),
    [
        ("B:W18:B14,1", "14x23", "W:W:B1,23"),
        ("B:W5:B27", "27-32", "W:W5:BK32"),
        ("B:W25,26:B21", "21x30", "W:W26:BK30"),
        ("B:W6,7,14,15:BK2", "2x9x18x11x2", "W:W:BK2"),
        ("B:W6,7,14,15:B2", "2x9x18", "W:W7,15:B18"),
        ("W:WK10,6:B7,K1", "10x3", "B:W6,K3:BK1"),
        ("B:W5,K9:BK32:H7", "32-27", "W:W5,K9:BK27:H8"),
        ("B:W5:B1,K32:H7", "1-6", "W:W5:B6,K32"),
    ],
)
def test_results(position, move, after):
    assert GAME.to_text(GAME.at(move, position).state) == after


@pytest.mark.parametrize(
    ("position", "value"),
    [
        ("W:W:B1", 1.0),  # nothing left
        ("B:WK10:B", -1.0),
        ("W:W21:B14,17", 1.0),  # blocked: 17 stands before it, and 14 behind that
        ("W:WK5:BK1:H80", 0.0),
        ("W:W21:B14,17:H80", 1.0),  # blocked at the last quiet ply is lost all the same
    ],
)
def test_ends(position, value):
    s = GAME.from_text(position)
    assert GAME.is_terminal(s)
    assert list(GAME.actions(s)) == []
    assert [GAME.utility(s, p) for p in range(2)] == [value, -value]
    assert [GAME.evaluate(s, p) for p in range(2)] == [value, -value]


def test_the_quiet_rule_counts_to_its_parameter():
    game = games.load("checkers:quiet_plies=4")
    here = game.at(position="B:WK5:BK32")
    for ply, move in enumerate(["32-28", "5-1", "28-32", "1-5"]):
        assert not game.is_terminal(here.state)
        assert game.reversible(here.state) == ply
        here = here.play(move)
    assert game.is_terminal(here.state)
    assert game.utility(here.state, 0) == 0.0
    with pytest.raises(UnreadableText, match="quiet_plies"):
        games.load("checkers:quiet_plies=0")


def test_only_moves_that_come_back_are_reversible():
    for position, move, expected in [
        ("B:WK5:B14,K32:H9", "32-28", 10),  # a king's step
        ("B:WK5:B14,K32:H9", "14-17", 0),  # a man's step
        ("B:WK5,27:B14,K32:H9", "32x23", 0),  # a jump
    ]:
        assert GAME.reversible(GAME.at(move, position).state) == expected


def test_the_third_time_is_a_draw():
    """A position has one key, however many quiet plies led to it."""
    states = [GAME.from_text("B:W13,K5:BK32")]
    for move in ["32-28", "5-1", "28-32", "1-5"] * 2:
        assert not is_repeated(GAME, states)
        states.append(GAME.result(states[-1], GAME.parse_action(states[-1], move)))
    assert is_repeated(GAME, states)
    assert GAME.key(states[0]) == GAME.key(states[8]) != GAME.key(states[1])
    assert not GAME.is_terminal(states[8])


# ---- texts


@pytest.mark.parametrize(
    "text",
    [
        "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29",
        "W:WK1,K32:BK2:H79",
        "W:W:B1,2",
    ],
)
def test_positions_are_written_as_they_are_read(text):
    assert GAME.to_text(GAME.from_text(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "B:W21-32:B1-12",
        "b : b1-12 : w21-32",
        "B:W32,31,30,29,21-28:B1-12.",
        "B:H0:W21-32:B1-12",
    ],
)
def test_other_ways_to_write_the_start(text):
    assert GAME.from_text(text) == GAME.initial()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "write it like"),
        ("W18:B12", "write it like"),
        ("B:W18", "write it like"),
        ("B:W18:B12:B13", "write it like"),
        ("X:W18:B12", "write it like"),
        ("B:W33:B12", "'33' is no square"),
        ("B:W0:B12", "'0' is no square"),
        ("B:WQ8:B12", "'Q8' is no square"),
        ("B:W18,:B12", "'' is no square"),
        ("B:W12-9:B1", "'12-9' is no square"),
        ("B:W18:B18", "both have a piece on square 18"),
        ("B:W18,K18:B1", "each on a square of its own"),
        ("B:W20-32:B1", "at most 12"),
        ("B:W3:B12", "a man on square 3 is a king"),
        ("B:W20:B31", "a man on square 31 is a king"),
        ("B:W:B12", "the game was over"),
        ("W:W20:B1:H81", "0 to 80"),
        ("W:W20:B1:Hx", "0 to 80"),
    ],
)
def test_what_is_no_position(text, reason):
    with pytest.raises(UnreadableText, match=reason):
        GAME.from_text(text)


def test_moves_are_named_by_their_ends_unless_two_are_alike():
    fork = GAME.at(position="B:W6,7,14,15:B2")
    assert fork.moves() == ["2x9x18", "2x11x18"]
    with pytest.raises(AmbiguousText, match="'2x18' could be 2x9x18 or 2x11x18"):
        fork.play("2x18")
    assert GAME.to_text(fork.play("2x11x18").state) == "W:W6,14:B18"
    chain = GAME.at(position="B:W18,27:B14")
    assert chain.moves() == ["14x32"]
    assert chain.play("14x32") == chain.play("14x23x32") == chain.play(" 14X23:32 ")


def test_a_whole_path_is_never_ambiguous():
    """The two squares of the single jump are all of its path, though longer ones begin and end there too."""
    here = GAME.at(position="W:WK14:B18,25,K9,K17,K26")
    assert sorted(here.moves()) == ["14x21x30x23x14x5", "14x23x30x21x14x5", "14x5"]
    assert GAME.to_text(here.play("14x5").state) == "B:WK5:B18,25,K17,K26"
    for name in here.moves():
        assert GAME.action_name(here.state, GAME.parse_action(here.state, name)) == name


@pytest.mark.parametrize("text", ["", "11", "11-", "11_15", "a3-b4", "111-15", "11--15"])
def test_what_is_no_move(text):
    with pytest.raises(UnreadableText, match="write it like"):
        GAME.parse_action(GAME.initial(), text)


def test_illegal_moves():
    with pytest.raises(IllegalAction, match="legal: 9-13, 10-14"):
        GAME.parse_action(GAME.initial(), "11-20")
    with pytest.raises(IllegalAction, match="the game is over"):
        GAME.parse_action(GAME.from_text("W:W:B1"), "11-15")


# ---- knowledge


def turned(s):
    """The position with colours exchanged, seen from the other side."""

    def turn_round(b):
        return type(b)(b.width, [34 - i for i in b])

    return GAME.State(turn_round(s.mine), turn_round(s.theirs), turn_round(s.kings), 1 - s.turn, s.quiet)


def test_terms_are_counted():
    s = GAME.from_text("B:W18,24,27,28,K10,K15:B3,12,16,20,K22,K25")
    terms = GAME.terms(s)
    assert terms.men == 4 - 4
    assert terms.kings == 2 - 2
    assert terms.trade == 0
    assert terms.advance == (0 + 2 + 3 + 4) - (3 + 2 + 1 + 1)
    assert terms.back_row == 1 - 0
    assert terms.centre == 1 - 3
    assert terms.mobility == (2 + 0 + 1 + 0 + 2 + 3) - (1 + 1 + 1 + 0 + 3 + 2)
    lead = GAME.terms(GAME.from_text("W:W30:B1,2,K32"))
    assert lead == (1, 1, 0.5, 0, 2 - 1, 0, 6 - 2)


def test_the_estimate_is_the_weighted_sum_drawn_together():
    s = GAME.from_text("W:W30:B1,2,K32")
    total = sum(weight * term for weight, term in zip(GAME.weights, GAME.terms(s), strict=True))
    assert GAME.evaluate(s, 0) == pytest.approx(total / (GAME.half_win + total))
    assert GAME.evaluate(s, 1) == -GAME.evaluate(s, 0)


def test_neither_colour_is_favoured():
    source = random.Random(4)
    assert GAME.evaluate(GAME.initial(), 0) == 0.0
    for _ in range(300):
        s = scattered(source)
        assert GAME.evaluate(s, 0) == pytest.approx(GAME.evaluate(turned(s), 1), abs=1e-12)
        assert -1 <= GAME.evaluate(s, 0) <= 1
        assert GAME.is_terminal(s) == (abs(GAME.evaluate(s, 0)) == 1)
        assert len(list(GAME.actions(s))) == len(list(GAME.actions(turned(s))))


def test_jumps_are_noisy_and_the_longest_come_first():
    here = GAME.at(position="B:W6,7,15,22:B2")
    long, short = (GAME.parse_action(here.state, name) for name in ("2x25", "2x9"))
    assert GAME.priority(here.state, long) == 3
    assert GAME.priority(here.state, short) == 1
    assert GAME.is_noisy(here.state, short)
    step = GAME.parse_action(GAME.initial(), "11-15")
    assert not GAME.is_noisy(GAME.initial(), step)
    assert GAME.priority(GAME.initial(), step) == 0


def test_every_path_is_another_number():
    source = random.Random(5)
    for _ in range(300):
        s = scattered(source)
        actions = list(GAME.actions(s))
        assert len({tuple(GAME.path(a)) for a in actions}) == len(set(actions)) == len(actions)
        assert all(0 <= a < 1 << 34 for a in actions)


# ---- the search plays it


@pytest.mark.slow
@pytest.mark.parametrize("position", ["B:WK32:BK23,K19", "W:WK32:BK23,K19"])
def test_two_kings_beat_one(position):
    result = search.alphabeta(GAME, GAME.from_text(position), depth=18)
    assert result.value == 1.0
    assert result.proven


def test_a_piece_is_given_for_two():
    result = search.alphabeta(GAME, GAME.from_text("W:W17,26,27:B10,13,18"), depth=3)
    assert result.line_names == ["26-23", "13x22", "23x7"]
    assert result.value < -0.4


def test_the_search_beats_a_random_player():
    source = random.Random(6)
    for number in range(6):
        s = GAME.initial()
        while not GAME.is_terminal(s):
            mine = s.turn == number % 2
            a = search.alphabeta(GAME, s, depth=5).action if mine else source.choice(list(GAME.actions(s)))
            s = GAME.result(s, a)
        assert GAME.utility(s, number % 2) == 1.0
