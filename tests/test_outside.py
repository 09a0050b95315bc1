"""Players that are programs: what they are told and asked, and what happens when they crash, hang or cheat."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from counterplay import UserError, arena, games, native
from counterplay.arena.outside import is_installed, must_run_nothing
from counterplay.arena.outside.process import Child, Lost
from counterplay.arena.outside.uci import Option
from counterplay.arena.session import split_players
from tests.processes import WATCHDOG_SECONDS

FAKE = Path(__file__).with_name("fake_engine.py")
CHESS_MOVES = "e2e4+e7e5+g1f3"


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


def fake(protocol, moves, *rest, settings=""):
    """The text of a player that is the fake engine."""
    return f"{protocol}:{shlex.join([sys.executable, str(FAKE), protocol, moves, *map(str, rest)])}{settings}"


def after(game, moves=""):
    """The states of a game after moves."""
    here = game.at(moves)
    return [*here.history, here.state]


def is_alive(pid):
    """Whether a process runs; what has ended and was not asked for its status does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# ---- the four protocols


@pytest.mark.parametrize(
    ("protocol", "game", "taught", "moves", "names"),
    [
        ("uci", "chess", CHESS_MOVES, "e4 e5", ["e4", "Nf3"]),
        ("ugi", "tic_tac_toe", "b2+a1+c1", "b2 a1", ["b2", "c1"]),
        ("gtp", "go:size=5", "C3+C4+pass", "C3 C4", ["C3", "pass"]),
        ("nboard", "othello", "F5+d6+C3", "f5 d6", ["f5", "c3"]),
    ],
)
def test_a_program_hears_the_game_and_answers(protocol, game, taught, moves, names):
    game = games.load(game)
    player = arena.new_player(game, fake(protocol, taught, settings=",seconds=1,depth=3"))
    try:
        start, *_, end = states = after(game, moves)
        assert game.action_name(start, player.choose([start])) == names[0]
        assert game.action_name(end, player.choose(states)) == names[1]
        assert game.action_name(start, player.choose([start])) == names[0]  # the game was taken back
    finally:
        arena.dismiss(player)


def said(protocol, game, moves="", position=None, settings="", clocks=None):
    """All that a program hears until it has moved."""
    game = games.load(game)
    taught = {"uci": CHESS_MOVES, "gtp": "pass+pass+pass+pass", "nboard": "f5+d6+c3"}[protocol]
    player = arena.new_player(game, fake(protocol, taught, settings=settings))
    lines, send = [], type(player).send
    player.send = lambda line: (lines.append(line), send(player, line))
    here = game.at(moves, position)
    if clocks is not None:
        player.tell_time(clocks)
    try:
        player.choose([*here.history, here.state])
    except arena.Forfeit:  # what it is taught may not be legal here
        pass
    finally:
        arena.dismiss(player)
    return lines


def test_chess_engines_are_told_position_options_and_limits():
    lines = said("uci", "chess", "e4 e5", settings=",Skill Level=3,nodes=500,depth=4,seconds=0.25")
    assert "setoption name Skill Level value 3" in lines
    assert lines[-3:] == ["position startpos moves e2e4 e7e5", "go depth 4 nodes 500 movetime 250", "quit"]
    fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    assert said("uci", "chess", "e4", fen, ",nodes=1")[-3] == f"position fen {fen} moves e2e4"
    left = arena.TimeLeft(30.0, 0.5, 12), arena.TimeLeft(20.25, 0.5, 12)
    assert said("uci", "chess", clocks=left, settings=",nodes=1")[-2] == (
        "go wtime 30000 winc 500 btime 20250 binc 500 movestogo 12"
    )


def test_in_a_session_a_program_is_told_the_clocks(monkeypatch):
    heard = []
    monkeypatch.setattr("counterplay.arena.outside.uci.Uci.tell_time", lambda _, clocks: heard.extend(clocks))
    players = ["human", fake("uci", CHESS_MOVES, settings=",nodes=1")]
    session = arena.Session.begin("chess", players, moves="e4", clocks=["60+1", "30"], now=lambda: 0.0)
    assert session.think().name == "e5"
    assert heard == [arena.TimeLeft(61.0, 1.0), arena.TimeLeft(30.0)]


def test_go_programs_are_told_board_komi_stones_and_time():
    assert said("gtp", "go:size=5,komi=0.5", "C3", settings=",seconds=0.1") == [
        "boardsize 5",
        "clear_board",
        "komi 0.5",
        "known_command time_settings",
        "time_settings 0 1 1",
        "play black C3",
        "genmove white",
        "quit",
    ]
    lines = said("gtp", "go:size=3", "B1", "X.O/.../... O moves=1", clocks=[arena.TimeLeft(60.0)] * 2)
    assert lines[3:] == [
        "clear_board",
        "play black A3",
        "play white C3",
        "play white B1",
        "time_settings 60 0 0",
        "time_left black 60 0",
        "genmove black",
        "quit",
    ]


@pytest.mark.parametrize(
    ("left", "told"),
    [
        (arena.TimeLeft(60.0, moves=12), ["time_settings 60 0 0", "time_left black 60 12"]),
        (arena.TimeLeft(9.5, period=30.0, periods=3), ["time_settings 9 30 1", "time_left black 9 0"]),
        (arena.TimeLeft(0.0, period=30.0, periods=3), ["time_settings 0 30 1", "time_left black 30 1"]),
    ],
)
def test_go_programs_are_told_moves_to_go_and_periods(left, told):
    lines = said("gtp", "go:size=3", clocks=[left, left])
    assert [line for line in lines if line.startswith("time_")] == told


def test_othello_programs_are_told_the_game_in_ggf():
    lines = said("nboard", "othello", "f5 d6", settings=",depth=6")
    board = "---------------------------O*------*O---------------------------"
    assert lines[:2] == ["nboard 2", "set depth 6"]
    assert f"BO[8 {board} *]B[F5]W[D6];)" in lines[3]
    passing = said(
        "nboard", "othello", "pass", "oooooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooox. x"
    )
    assert passing[1] == "set depth 8"
    assert "B[PA]" in passing[3]


def test_names_of_several_words_are_one_in_ugi():
    game = games.load("backgammon")
    start = game.at("31").state
    player = arena.new_player(game, fake("ugi", "8/5_6/5", settings=",nodes=1"))
    name = player.move_name(start, game.parse_action(start, "8/5 6/5"))
    assert name == "8/5_6/5"
    assert player._action(start, name) == game.parse_action(start, "8/5 6/5")


# ---- what goes wrong


@pytest.mark.parametrize(
    ("habit", "why"),
    [
        ("crash", r"ended with status 3 \(out of memory\); it had been started again once"),
        ("hang", "does not answer; it had been started again once"),
        ("illegal", "plays 'z9', which is not legal"),
    ],
)
def test_what_a_program_does_wrong_is_a_forfeit_that_says_why(habit, why):
    game = games.load("chess")
    patience = ",patience=0.3" if habit == "hang" else ""  # the others answer, however busy the machine is
    player = arena.new_player(game, fake("uci", CHESS_MOVES, habit, settings=f",nodes=1{patience}"))
    try:
        with pytest.raises(arena.Forfeit, match=why):
            player.choose(after(game, "e4 e5"))
    finally:
        arena.dismiss(player)


def test_a_program_that_crashes_is_started_again_once(tmp_path):
    game = games.load("chess")
    player = arena.new_player(game, fake("uci", CHESS_MOVES, "crash-once", tmp_path / "crashed", settings=",nodes=1"))
    states = after(game, "e4 e5")
    try:
        assert game.action_name(states[-1], player.choose(states)) == "Nf3"
        assert (tmp_path / "crashed").exists()
    finally:
        arena.dismiss(player)


def test_to_resign_is_no_mistake():
    game = games.load("go:size=5")
    player = arena.new_player(game, fake("gtp", "C3+C4+C2", "resign"))
    try:
        with pytest.raises(arena.Resignation, match="resigns"):
            player.choose(after(game, "C3 C4"))
    finally:
        arena.dismiss(player)


def test_a_program_that_never_starts_is_a_mistake_of_the_user():
    game = games.load("chess")
    player = arena.new_player(game, fake("uci", CHESS_MOVES, "stillborn", settings=",nodes=1"))
    with pytest.raises(UserError, match=r"ended with status 1 \(no such network file\), before it was ready") as error:
        player.choose([game.initial()])
    assert not isinstance(error.value, arena.Forfeit)
    player = arena.new_player(game, fake("uci", CHESS_MOVES, settings=",Skil Level=3,nodes=1"))
    with pytest.raises(UserError, match="has no option 'Skil Level'; did you mean Skill Level"):
        player.choose([game.initial()])


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ("Skill Level=21", "Skill Level is a number from 0 to 20, not '21'"),
        ("skill level=x", "Skill Level is a number from 0 to 20, not 'x'"),
        ("UCI_LimitStrength=yes", "UCI_LimitStrength is true or false, not 'yes'"),
    ],
)
def test_values_that_an_engine_would_leave_unheeded_are_refused(setting, why):
    player = arena.new_player(games.load("chess"), fake("uci", CHESS_MOVES, settings=f",{setting},nodes=1"))
    with pytest.raises(UserError, match=why):
        player.prepare()


@pytest.mark.parametrize("level", [0, 20])
def test_the_least_and_the_most_of_an_option_are_heeded(level):
    assert f"setoption name Skill Level value {level}" in said("uci", "chess", settings=f",Skill Level={level},nodes=1")


def test_to_name_a_rating_is_to_limit_the_strength():
    lines = said("uci", "chess", settings=",UCI_Elo=1500,nodes=1")
    assert lines[1:3] == ["setoption name UCI_Elo value 1500", "setoption name UCI_LimitStrength value true"]
    assert Option.read("option name Clear Hash type button") == Option("Clear Hash", "button", "")
    assert Option.read("id name fake") is None


def test_a_program_that_refuses_the_game_is_too():
    game = games.load("go:size=5")
    player = arena.new_player(game, fake("gtp", "C3", "refuse"))
    with pytest.raises(UserError, match="refuses 'boardsize 5': unacceptable size, before it was ready") as error:
        player.prepare()
    assert not isinstance(error.value, arena.Forfeit)


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        ("chess", "uci:nosuchprogram,nodes=1", "there is no program 'nosuchprogram'"),
        ("chess", f"uci:{sys.executable}", "needs a limit, as in 'uci:stockfish"),
        ("chess", "uci:,nodes=1", "names no program; write it like 'uci:stockfish"),
        ("chess", "uci:'x,nodes=1", "is no command: No closing quotation"),
        ("chess", "uci:x,nodes=many", "nodes is a number, not 'many'"),
        ("nim", "uci:x,nodes=1", "protocol of chess engines; for nim write ugi:PROGRAM"),
        ("go:size=5,columns=4", "gtp:x", "on a square board"),
        ("othello:size=6", "nboard:x", "Othello on 8x8"),
        ("two_against_one", "ugi:x,nodes=1", "for two players"),
        ("chess", "gnubg:plies=0", "gnubg plays backgammon, not chess"),
        ("backgammon", "gnubg:x", "is not of the form 'gnubg:plies=0'"),
    ],
)
def test_what_is_no_program_of_a_game_is_refused_at_once(game, text, message):
    with pytest.raises(UserError, match=re.escape(message)):
        arena.new_player(games.load(game), text)


def test_a_match_records_a_forfeit_as_a_loss(tmp_path):
    record = tmp_path / "record"
    game, cheat = games.load("tic_tac_toe"), fake("ugi", "b2+b2+a1+a1", "illegal", settings=",nodes=1")
    score = arena.match(game, ("random", cheat), 2, opening_plies=2, record=record)
    ends = [json.loads(line)["ended"] for line in record.read_text().splitlines()[1:]]
    assert all(re.fullmatch("forfeit: .* plays 'z9', which is not legal", each) for each in ends)
    assert (score.wins, score.losses) == (2, 0)


def test_a_session_goes_on_to_its_end_when_a_program_forfeits(counterplay, answer):
    cheat = fake("ugi", "b2+b2+a1+a1", "illegal", settings=",nodes=1")
    session = arena.Session.begin("tic_tac_toe", ["human", cheat], moves="b2 a1 c1")
    with pytest.raises(arena.Forfeit):
        session.think()
    assert session.ending.winners == (0,)
    played = answer("play", "tic_tac_toe", "--players", f"random,{cheat}", "--moves", "b2 a1 c1")
    assert played["resigned"] == 1


def test_players_are_told_apart_by_their_commas():
    texts = ("human", "uci:stockfish,Skill Level=3,nodes=10", "gtp:gnugo --mode gtp --level 1")
    assert split_players(",".join(texts)) == texts


def test_no_file_says_what_program_to_run(tmp_path, counterplay):
    file, evil = tmp_path / "game.json", tmp_path / "evil"
    for players in (["human", f"ugi:touch {evil}"], [f"human,ugi:touch {evil}"]):
        arena.SavedGame("tic_tac_toe", ".../.../...", players=tuple(players)).write(file)
        status, _, err = counterplay("play", "--load", str(file))
        assert (status, "is run only if you name it yourself" in err) == (2, True)
    with pytest.raises(UserError):
        arena.Session.load(file)
    with pytest.raises(UserError, match="is a program"):
        must_run_nothing(["level:3", "gnubg:plies=0"])
    assert not evil.exists()


# ---- nothing is left behind


def test_a_child_is_heard_and_ended():
    child = Child([sys.executable, "-u", "-c", "print('hello'); print(input()); import sys; sys.exit(4)"])
    until = time.monotonic() + WATCHDOG_SECONDS
    assert child.line(until) == "hello"
    child.send("wörld")
    assert child.line(until) == "wörld"
    for _ in range(2):
        with pytest.raises(Lost, match="ended with status 4"):
            child.line(until)
    with pytest.raises(Lost, match="ended with status 4"):
        child.send("too late")
    child.close(0.0)
    with pytest.raises(Lost, match="cannot be started: Permission denied"):
        Child([str(FAKE.parent)])


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks into /proc")
@pytest.mark.parametrize("end", ["dismiss", "exit", "ctrl-c", "forget"])
def test_what_a_program_has_started_ends_with_it(end, tmp_path):
    file = tmp_path / "pid"
    text = fake("ugi", "b2+b2", "orphan", file, settings=",nodes=1")
    ends = {
        "dismiss": "arena.dismiss(player)",
        "exit": "pass",
        "forget": "del player",
        "ctrl-c": "import os, signal; os.kill(os.getpid(), signal.SIGINT)",
    }
    script = (
        "from counterplay import arena, games, native\n"
        "with native.interpreted():\n"
        " game = games.load('tic_tac_toe')\n"
        f" player = arena.new_player(game, {text!r})\n"
        f" player.choose([game.initial()])\n {ends[end]}\n"
    )
    subprocess.run([sys.executable, "-c", script], timeout=WATCHDOG_SECONDS, stderr=subprocess.DEVNULL)
    pid = int(file.read_text())
    try:
        assert not is_alive(pid)
    finally:
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)


def test_whether_a_program_is_installed():
    assert is_installed(sys.executable)
    assert not is_installed("nosuchprogram")
