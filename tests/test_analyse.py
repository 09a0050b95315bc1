"""Analysing: lines and losses against values that are known, records of every kind, and what is shown of it."""

import json
import os
import pty
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from counterplay import CHANCE, UserError, analysis, games, native, search
from counterplay.arena import SavedGame
from tests.processes import WATCHDOG_SECONDS

pytestmark = pytest.mark.long

TIC_TAC_TOE, NIM, CONNECT_FOUR = (games.load(name) for name in ("tic_tac_toe", "nim", "connect_four"))
LOST_AT_ONCE = "b2 b3 a3 c1 a1 a2 c3"  # the centre is answered at an edge, which loses by force
SVG = "{http://www.w3.org/2000/svg}"


def played(game, s, line):
    for a in line:
        assert a in list(game.actions(s))
        s = game.result(s, a)
    return s


# ---- what a search says of each move


def test_the_line_of_each_move_leads_to_its_value():
    found = search.alphabeta(TIC_TAC_TOE, multi=9)
    assert all(each.exact and each.line[0] == each.action for each in found.actions)
    ends = {each.action: played(TIC_TAC_TOE, found.state, each.line) for each in found.actions}
    over = {a: TIC_TAC_TOE.utility(s, 0) for a, s in ends.items() if TIC_TAC_TOE.is_terminal(s)}
    assert all(over[each.action] == each.value for each in found.actions if each.action in over)
    assert len(over) > 6
    best = found.as_dict()["actions"][found.action]
    assert (best["line"], best["line_names"]) == (list(found.line), found.line_names)


@pytest.mark.parametrize("moves", ["", "b2 b3", "a3 b2 c1"])
def test_any_move_can_be_valued_however_bad(moves):
    s = TIC_TAC_TOE.at(moves).state
    engine = search.AlphaBeta(TIC_TAC_TOE, table_mb=1)
    for each in search.minimax(TIC_TAC_TOE, s, depth=3).actions:
        found = engine.search(s, search.Limits(depth=3), also=[each.action])
        mine = next(other for other in found.actions if other.action == each.action)
        assert (mine.value, mine.exact) == (each.value, True)
        assert len(mine.line) > 1


# ---- best lines


@pytest.mark.parametrize(("moves", "sign"), [("", 1), ("b2", -1)])
def test_best_lines_are_the_best_moves_in_order(moves, sign):
    s = TIC_TAC_TOE.at(moves).state
    found = analysis.best_lines(TIC_TAC_TOE, s, 4, depth=3)
    values = [each.value for each in found.lines]
    every = sorted((each.value for each in search.minimax(TIC_TAC_TOE, s, depth=3).actions), key=lambda v: -sign * v)
    assert values == every[:4]
    assert found.lines[0].action == found.result.action
    assert [each["line_names"] for each in found.as_dict()["lines"]] == [found.names(each) for each in found.lines]
    assert str(found).count("\n") == 3


def test_best_lines_of_games_with_chance_and_of_three_players():
    pig = games.load("pig:goal=10")
    with native.interpreted():
        here = analysis.best_lines(pig, pig.at("roll 6").state, depth=4)
        exact = search.expectiminimax(pig, pig.at("roll 6").state, depth=4, prune="none")
        dice = analysis.best_lines(pig, pig.at("roll").state, depth=3)
    assert [each.value for each in here.lines] == sorted((each.value for each in exact.actions), reverse=True)
    assert (dice.lines, dice.result.action) == ((), None)
    three = analysis.best_lines(games.load("tree:p1[p2[(5,1,0),(2,3,1)],p3[(4,0,2),(1,5,2)]]"))
    assert [each.values for each in three.lines] == [(4.0, 0.0, 2.0), (2.0, 3.0, 1.0)]


def test_a_win_that_is_proven_is_shown_though_the_rest_is_not_known():
    found = analysis.best_lines(CONNECT_FOUR, CONNECT_FOUR.at("4 4 3 3").state, 7, nodes=100_000)
    assert (found.result.value, found.result.proven) == (1.0, True)
    assert {tuple(found.names(each)[:1]) for each in found.lines if each.value == 1.0} == {("2",), ("5",)}


# ---- whole games


def test_the_losing_move_is_a_blunder_and_the_better_one_is_shown():
    found = analysis.review(TIC_TAC_TOE, LOST_AT_ONCE, depth=9)
    assert [move.mark for move in found.moves] == ["", "??", "", "", "", "", ""]
    assert [move.before[0] for move in found.moves] == [0, 0, 8, 8, 8, 8, 8]
    assert [move.after[0] for move in found.moves] == [0, 8, 8, 8, 8, 8, 8]
    blunder = found.moves[1]
    assert (blunder.loss, blunder.proven, blunder.player) == (0.5, True, 1)
    assert blunder.line[0] in ("a3", "c3", "a1", "c1")  # the corners hold the draw
    assert found.is_complete
    one, two = found.summary()
    assert (one["moves"], one["blunders"], one["mean_loss"]) == (4, 0, 0.0)
    assert (two["moves"], two["blunders"], two["mean_loss"]) == (3, 1, pytest.approx(1 / 6))
    assert str(found).splitlines()[1] == "O: 3 moves, 0 inaccuracies, 0 mistakes, 1 blunder, mean loss 16.7%"


def test_in_nim_every_move_that_leaves_a_sum_is_judged_by_it():
    """Who leaves heaps whose exclusive or is 0 wins (Bouton 1901)."""
    random, states = search.new_random(5), [NIM.initial()]
    while not NIM.is_terminal(states[-1]):
        states.append(NIM.result(states[-1], search.random_action(NIM, states[-1], random)))

    def is_lost(s):
        total = 0
        for heap in s.heaps:
            total ^= heap
        return total == 0

    found = analysis.review(NIM, states, depth=30)
    assert len(found.moves) == len(states) - 1
    for move, s, t in zip(found.moves, states, states[1:], strict=False):
        assert (move.mark == "??") == (not is_lost(s) and not is_lost(t)), move
        best = NIM.result(s, NIM.parse_action(s, move.line[0]))
        assert is_lost(best) or is_lost(s)
    assert any(move.mark for move in found.moves)


def test_a_win_given_away_at_connect_four_is_a_blunder():
    found = analysis.review(CONNECT_FOUR, "4 4 3 3 7 2", nodes=20_000)
    missed = found.moves[4]
    assert (missed.name, missed.mark, missed.before[0]) == ("7", "??", 1.0)
    assert missed.line[0] in ("2", "5")
    assert missed.after[0] < 1.0
    assert not any(move.mark for move in found.moves[:2])


@pytest.mark.parametrize(("chosen", "mark", "loss"), [(1, "", 0), (2, "?!", 0.06), (3, "?", 0.11), (4, "??", 0.16)])
def test_marks_go_by_the_part_of_the_range_that_is_lost(chosen, mark, loss):
    move = analysis.review(games.load("tree:[100,88,78,68,-100]"), str(chosen)).moves[0]
    assert (move.mark, move.loss, move.proven) == (mark, pytest.approx(loss), True)
    assert analysis.MARKS.get(mark, 0) <= move.loss


def test_from_a_win_to_a_loss_is_a_blunder_however_small():
    tree = games.load("tree:[[1],[-1],[-100],[100,-100]]")
    move = analysis.review(tree, "2 1").moves[0]
    assert (move.loss, move.mark, move.line) == (pytest.approx(0.01), "??", ("1", "1"))


def test_names_texts_and_states_are_the_same_game():
    states = [TIC_TAC_TOE.at(LOST_AT_ONCE.split()[:n]).state for n in range(8)]
    reviews = [analysis.review(TIC_TAC_TOE, moves, depth=2) for moves in (LOST_AT_ONCE, LOST_AT_ONCE.split(), states)]
    assert reviews[0].states == reviews[1].states == reviews[2].states == tuple(states)
    assert [move.action for move in reviews[0].moves] == [move.action for move in reviews[2].moves]
    later = analysis.review(TIC_TAC_TOE, "a2", position="x.o/.x./..o", depth=2)
    assert later.states[0] == TIC_TAC_TOE.from_text("x.o/.x./..o")
    with pytest.raises(UserError, match="move 2: no move leads"):
        analysis.review(TIC_TAC_TOE, [states[0], states[1], states[3]], depth=2)
    for nothing in ("", [states[0]]):
        with pytest.raises(UserError, match="no move"):
            analysis.review(TIC_TAC_TOE, nothing, depth=2)


def test_chance_is_luck_and_not_judged():
    pig = games.load("pig:goal=8")
    with native.interpreted():
        found = analysis.review(pig, "roll 6 hold roll 1 roll 3 roll 2", depth=4)
        value = search.minimax(pig, pig.at("roll").state, depth=4).value
    dice = [move for move in found.moves if move.player == CHANCE]
    assert [move.name for move in dice] == ["6", "1", "3", "2"]
    assert not any(move.loss or move.mark for move in dice)
    assert dice[0].before[0] == pytest.approx(value)
    assert dice[0].luck > 0  # a six for player 1
    assert dice[1].luck > 0  # player 2 loses the turn
    assert dice[0].luck == dice[0].after[0] - dice[0].before[0]
    assert {"player": "chance", "luck": dice[0].luck}.items() <= dice[0].as_dict().items()
    assert [each["moves"] for each in found.summary()] == [4, 1]


def test_interrupting_leaves_what_is_done():
    def stop_after(n):
        def progress(done, total):
            assert total == 8
            if done > n:
                raise KeyboardInterrupt

        return progress

    found = analysis.review(TIC_TAC_TOE, LOST_AT_ONCE, depth=3, progress=stop_after(2))
    assert ([move.number for move in found.moves], found.is_complete) == ([6, 7], False)
    ET.fromstring(found.svg())
    with pytest.raises(KeyboardInterrupt):
        analysis.review(TIC_TAC_TOE, LOST_AT_ONCE, depth=3, progress=stop_after(0))


def test_the_plot_has_the_value_at_every_move_and_a_dot_for_every_mark():
    found = analysis.review(TIC_TAC_TOE, LOST_AT_ONCE, depth=9)
    svg = ET.fromstring(found._repr_svg_())
    line = next(each.get("d") for each in svg.iter(f"{SVG}path") if each.get("stroke-linejoin"))
    ys = [float(point.split(",")[1]) for point in line[1:].split("L")]
    assert len(ys) == 8
    assert ys[0] == ys[1] > ys[2] == ys[7]
    assert [each.text for each in svg.iter(f"{SVG}title")] == [
        f"2. b3??: win; better {' '.join(found.moves[1].line[:6])}: draw"
    ]
    assert "b3??" in [each.text for each in svg.iter(f"{SVG}text")]


# ---- records


PGN = """\ufeff[Event "London"]
[White "A, B"]
[Black "C"]

1. e4 {a comment (with brackets)} e5 2.Nf3!? $14 (2. f4 exf4 (2... d5) 3. Nf3) 2... Nc6 ; and to the end of the line
% a line for programs
3. Bb5 a6?! 4.Bxc6 dxc6 5. O-O e8(Q) 1/2-1/2
"""


def test_what_a_pgn_has_besides_moves_is_left_out():
    names = analysis.moves_of_text(PGN.lstrip("\ufeff"))
    assert " ".join(names) == "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O e8(Q)"
    assert analysis.moves_of_text("4 4 3 *") == ("4", "4", "3")
    assert analysis.moves_of_text("1. 31, 8/5 6/5\n2. 11, 8/7(2) 6/5(2)") == ("31", "8/5 6/5", "11", "8/7(2) 6/5(2)")


def test_a_pgn_of_several_games_and_one_that_begins_elsewhere(tmp_path):
    chess = games.load("chess")
    file = tmp_path / "two.pgn"
    second = '[Event "2"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 Kd7 *\n'
    file.write_text(PGN.replace(" e8(Q)", "") + "\n" + second, encoding="utf-8")
    first = analysis.read_record(file, chess)
    assert (first.players, len(first.moves), first.begins) == (("A, B", "C"), 9, chess.to_text(chess.initial()))
    assert len(first.states(chess)) == 10
    other = analysis.read_record(file, chess, number=2)
    assert (other.moves, other.begins) == (("e4", "Kd7"), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")


def test_records_of_matches_and_saved_games(tmp_path, counterplay):
    match = tmp_path / "match.jsonl"
    players = ("alphabeta:depth=2", "random")
    assert counterplay("match", "tic_tac_toe", *players, "--games", 2, "--opening-plies", 1, "--record", match)[0] == 0
    lines = [json.loads(line) for line in match.read_text().splitlines()]
    first, second = (analysis.read_record(match, number=n) for n in (1, 2))
    assert (list(first.moves), first.players) == (lines[1]["moves"], players)
    assert (list(second.moves), second.players) == (lines[2]["moves"], players[::-1])
    with match.open("a") as file:
        file.write('{"number": 2, "mov')  # the match goes on while we look
    assert analysis.read_record(match, TIC_TAC_TOE, number=2) == second
    saved = SavedGame("tic_tac_toe", TIC_TAC_TOE.to_text(TIC_TAC_TOE.initial()), ("b2", "a3"))
    saved.write(tmp_path / "game.json")
    assert analysis.read_record(tmp_path / "game.json") == saved


# ---- the command


def json_lines(counterplay, *arguments):
    status, out, err = counterplay("analyse", *arguments, "--json")
    assert status == 0, err
    return [json.loads(line) for line in out.splitlines()]


def test_json_has_a_line_for_each_depth_and_the_last_is_the_searchs_own(counterplay):
    *depths, last = json_lines(counterplay, "tic_tac_toe", "--moves", "b2", "--depth", 4, "--nodes", 10_000)
    assert [each["depth"] for each in depths] == [1, 2, 3, 4]
    assert [each["final"] for each in (*depths, last)] == [False] * 4 + [True]
    own = search.alphabeta(TIC_TAC_TOE, TIC_TAC_TOE.at("b2").state, depth=4, nodes=10_000, multi=3).as_dict()
    best = sorted((each for each in own.pop("actions") if each["exact"]), key=lambda each: each["value"])[:3]
    assert [each["value"] for each in last["lines"]] == [each["value"] for each in best]
    assert [each["rank"] for each in last["lines"]] == [1, 2, 3]
    assert {**last, "seconds": 0} | {"lines": 0, "final": 0} == {**own, "seconds": 0, "lines": 0, "final": 0}


def test_from_a_pipe_only_the_end_is_shown(counterplay):
    status, out, _ = counterplay("analyse", "tic_tac_toe", "--depth", 3, "--multi", 2)
    assert status == 0
    assert out.count("X [####") == 1
    assert "\n1     +3  1. b2 a3 2. c3\n2     +1  1. a3 b2 2. c3\nvalues are for X, in lines\n" in out
    assert "alphabeta: estimate at depth 3" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_game_is_shown_move_by_move(counterplay, tmp_path):
    file, svg = tmp_path / "game.txt", tmp_path / "value.svg"
    file.write_text(LOST_AT_ONCE)
    status, out, err = counterplay("analyse", "tic_tac_toe", "--record", file, "--depth", 9, "--svg", svg)
    assert status == 0, err
    row = next(line.split() for line in out.splitlines() if "??" in line)
    assert row[:7] == ["1...", "O", "b3", "??", "win", "50%", "draw:"]
    assert max(map(len, out.splitlines())) <= 80
    assert ET.parse(svg).getroot().tag == f"{SVG}svg"
    *moves, summary = json_lines(counterplay, "tic_tac_toe", "--record", file, "--depth", 9)
    found = analysis.review(TIC_TAC_TOE, LOST_AT_ONCE, depth=9)
    assert moves == [move.as_dict() for move in found.moves]
    assert (summary["players"], summary["complete"], summary["summary"]) == (found.summary(), True, True)


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ((), "which GAME"),
        (("tic_tac_toe", "--svg", "x.svg"), "--record"),
        (("tic_tac_toe", "--multi", 0), "1 or more"),
        (("tic_tac_toe", "--seconds", 0), "more than 0"),
        (("pig", "--threads", 2), "expectiminimax has no setting 'threads'"),
        (("--record", "none.txt"), "cannot be read"),
        (("--record", "text"), "say which GAME"),
        (("tic_tac_toe", "--record", "text"), "move 3: 'b2' is not a legal move"),
        (("tic_tac_toe", "--record", "text", "--moves", "b2"), "--moves"),
        (("tic_tac_toe", "--record", "text", "--number", 2), "has one game; there is no number 2"),
        (("tic_tac_toe", "--record", "text", "--svg", "nowhere/x.svg"), "no folder nowhere"),
        (("tic_tac_toe", "--record", "empty"), "no game"),
        (("tic_tac_toe", "--record", "noise"), "no move"),
        (("nim", "--record", "match"), "a game of tic_tac_toe, not of nim"),
        (("--record", "match"), "no game in it"),
        (("--record", "saved"), "move 1: "),
        (("--record", "saved", "--position", "x"), "--position"),
    ],
    ids=lambda each: " ".join(map(str, each)) if isinstance(each, tuple) else "",
)
def test_what_is_wrong_is_said_in_a_line(arguments, wrong, counterplay, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("b2 a3 b2")
    (tmp_path / "empty").write_text("")
    (tmp_path / "noise").write_text("{nothing} *")
    (tmp_path / "match").write_text('{"game": "tic_tac_toe", "players": ["a", "b"]}\n')
    (tmp_path / "saved").write_text('{"game": "tic_tac_toe", "begins": ".../.../...", "moves": ["x9"]}')
    files = set(tmp_path.iterdir())
    status, out, err = counterplay("analyse", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert wrong in err
    assert set(tmp_path.iterdir()) == files


def test_on_a_terminal_the_last_state_stays():
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from counterplay.apps.cli import main; main()", "analyse", "nim", "--depth", "12"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "COUNTERPLAY_QUIET": "1"}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    seen = b""
    while b"ended by: " not in seen:
        seen += os.read(ours, 4096)
    assert process.wait(WATCHDOG_SECONDS) == 0
    os.close(ours)
    assert "player 1 is to move" in seen.decode()
    assert "alphabeta: exact" in seen.decode()
