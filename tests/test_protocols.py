"""Engine protocols: every command, golden transcripts, bad lines, searches that are stopped, and python-chess."""

import re
from pathlib import Path

import pytest

from counterplay import UserError, games, native
from counterplay.apps.protocols import PROTOCOLS, protocol_for
from counterplay.apps.protocols.lines import LONGEST, Line, lines_of
from counterplay.apps.protocols.notation import centi, read_move, score
from counterplay.apps.protocols.thinker import ELO, Options
from tests.processes import WATCHDOG_SECONDS
from tests.talk import engine_process, new_dispatcher, run_engine, talk, timeless

pytestmark = pytest.mark.long

GOLDEN = Path(__file__).parent / "golden" / "protocols"


@pytest.fixture(autouse=True)
def _interpreted():
    """Small searches, of which compiling would be the longest part."""
    with native.interpreted():
        yield


# ---- which protocol, and the command


@pytest.mark.parametrize(
    ("game", "name"), [("chess", "uci"), ("go:size=5", "gtp"), ("othello", "nboard"), ("nim", "ugi"), ("pig", "ugi")]
)
def test_each_game_speaks_the_language_of_its_world(game, name):
    loaded = games.load(game)
    assert protocol_for(loaded) is protocol_for(loaded, name) is PROTOCOLS[name]


@pytest.mark.parametrize(
    ("game", "name", "why"),
    [
        ("chess", "gtp", "gtp is not for chess"),
        ("nim", "nboard", "nboard is not for nim"),
        ("two_against_one", "uci", "uci is not for"),
        ("nim", "xboard", "there is no protocol 'xboard'"),
    ],
)
def test_a_protocol_that_does_not_fit_is_refused(game, name, why):
    with pytest.raises(UserError, match=why):
        protocol_for(games.load(game), name)


def test_the_command(counterplay):
    assert counterplay("engine", "chess", "--protocol", "gtp")[0] == 2
    assert counterplay("engine", "chess", "--level", "11")[2].strip() == "counterplay: a level is from 1 to 10, not 11"


# ---- golden transcripts: `> ` is what is sent, all else is answered


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*.txt")), ids=lambda file: file.stem)
def test_transcripts(file):
    first, *lines = file.read_text(encoding="utf-8").splitlines()
    game, protocol = first.removeprefix("# ").split()
    sent = [line[2:] for line in lines if line.startswith("> ")]
    answered = [line for line in lines if not line.startswith("> ")]
    assert [timeless(line) for line in talk(game, *sent, protocol=protocol)] == answered


# ---- input


def pieces(*chunks):
    waiting = list(chunks)
    return list(lines_of(lambda size: waiting.pop(0) if waiting else b""))


def test_lines_come_in_pieces():
    assert pieces(b"uc", b"i\nis", b"ready\r\n\n", b"qu", b"it") == [Line(x) for x in ("uci", "isready", "", "quit")]
    assert pieces() == []
    assert pieces(b"\n\n") == [Line(""), Line("")]


def test_bad_bytes_survive():
    assert pieces(b"go \xff\xfe\x00\n") == [Line("go ��\x00")]


def test_long_lines_are_left_out():
    long = b"x" * 65_536
    assert pieces(*[long] * (LONGEST // len(long) + 1), b"x\nquit\n") == [Line("", False), Line("quit")]
    said = []
    dispatcher = new_dispatcher("nim", said)
    dispatcher.hear(Line("", False))
    dispatcher.step()
    assert said == [f"info string the line has more than {LONGEST:,} bytes"]


# ---- bad lines: one answer, and nothing changes

BAD = {
    "uci": [
        "hello",
        "position",
        "position startpos e2e4",
        "position fen",
        "position fen 8/8/8 w - - 0 1",
        "position startpos moves e2e5",
        "position startpos moves e2e4 e7e5 e1e3",
        "position startpos moves 0000",
        "go depth",
        "go depth x",
        "go depth 0",
        "go nodes -1",
        "go nodes 99999999999999999999999",
        "go wtime 1e5",
        "go joy",
        "go depth 1 depth 1",
        "go searchmoves e2e5",
        "go depth 1 infinite movetime",
        "setoption",
        "setoption name",
        "setoption name Nothing value 1",
        "setoption name Hash value 0",
        "setoption name Hash value much",
        "setoption name UCI_LimitStrength value maybe",
        "setoption name Threads value 100000",
        "debug maybe",
        "__class__",
        "do_quit",
        "\x00\x01",
    ],
    "ugi": ["query", "query p3turn", "position fen x", "uci", "go wtime 5", "ucinewgame", "go p3time 5"],
    "gtp": [
        "hello",
        "7 hello",
        "boardsize",
        "boardsize 20",
        "boardsize 0",
        "boardsize -3",
        "boardsize 5.5",
        "komi",
        "komi much",
        "komi nan",
        "komi 1e300",
        "play",
        "play b",
        "play b c3",
        "play green c4",
        "play b i3",
        "play b z9",
        "play b resign",
        "genmove",
        "genmove green",
        "time_settings 1",
        "time_settings a b c",
        "time_left b 1",
        "time_left b x 1",
        "kgs-time_settings byoyomi 1",
        "kgs-time_settings hourglass 5",
        "set_free_handicap A1",
        "set_free_handicap A1 A2 pass",
    ],
    "nboard": [
        "hello",
        "nboard",
        "nboard x",
        "set",
        "set depth",
        "set depth 1000",
        "set mood good",
        "set game",
        "set game (;GM[Othello];",
        "set game (;GM[Chess];)",
        "set game (;BO[8 --- *];)",
        "set game (;B[A1];)",
        "set game (;BO[4 ----O*--*O------ ?];)",
        "move",
        "move a1",
        "move zz",
        "hint x",
        "hint 0",
        "ping",
        "set contempt x",
    ],
}
PLACE = {"uci": "chess", "ugi": "tic_tac_toe", "gtp": "go:size=4", "nboard": "othello:size=4"}
BEFORE = {
    "uci": "position startpos moves d2d4",
    "ugi": "position startpos moves b2",
    "gtp": "play b c3",
    "nboard": "move d3",
}


@pytest.mark.parametrize(("protocol", "line"), [(name, line) for name, lines in BAD.items() for line in lines])
def test_a_bad_line_gets_one_answer_and_changes_nothing(protocol, line):
    said = []
    dispatcher = new_dispatcher(PLACE[protocol], said, protocol)
    dispatcher.hear(Line(BEFORE[protocol]))
    dispatcher.step()
    said.clear()
    thinker = dispatcher.thinker
    before = thinker.game, thinker.position, thinker.position.history, thinker.options, thinker.is_thinking
    dispatcher.hear(Line(line))
    dispatcher.step()
    assert len(said) == 1
    assert said[0].startswith(
        {"uci": "info string ", "ugi": "info string ", "gtp": "?", "nboard": "status error: "}[protocol]
    )
    assert "\n" not in said[0].rstrip()
    assert (thinker.game, thinker.position, thinker.position.history, thinker.options, thinker.is_thinking) == before


def test_a_rule_that_fails_is_told_in_a_line():
    said = []
    dispatcher = new_dispatcher("nim", said)

    def fails(text):
        raise ZeroDivisionError("a rule\nof theirs")

    dispatcher.protocol.do_position = fails
    dispatcher.hear(Line("position startpos"))
    dispatcher.step()
    assert said == ["info string ZeroDivisionError: a rule of theirs"]


def test_a_search_that_fails_is_told_and_the_engine_goes_on(monkeypatch):
    from counterplay.search import MonteCarlo

    def fails(self, *_, **__):
        raise ZeroDivisionError("a rule of theirs")

    monkeypatch.setattr(MonteCarlo, "_answer", fails)
    answers = talk("connect_four", "go nodes 10", "query result")
    assert answers == ["info string a rule of theirs", "bestmove (none)", "response none"]


def test_who_sends_too_much_is_told(monkeypatch):
    monkeypatch.setattr("counterplay.apps.protocols.dispatcher._MOST_WAITING", 2)
    said = talk("nim", "go infinite", "query result", "query result", "query result", "stop")
    assert said[0] == "info string too many lines wait for the search to end; this one is left out"
    assert said[-2:] == ["response none", "response none"]


# ---- UCI


def test_an_infinite_search_is_answered_when_it_is_stopped_and_hears_meanwhile():
    answers = talk("tic_tac_toe", "go infinite", "isready", "query result", "stop", "query p1turn")
    heard = [line.split()[0] + line.split()[-1] for line in answers if not line.startswith("info")]
    assert heard[0] == "readyokreadyok"
    assert heard[1].startswith("bestmove")
    assert heard[2:] == ["responsenone", "responsetrue"]  # they waited


def test_a_solved_game_is_not_answered_before_the_stop():
    """Nim with two in a heap is solved at once; the answer waits for the stop."""
    said = []
    dispatcher = new_dispatcher("nim:heaps=[2]", said)
    dispatcher.hear(Line("go infinite"))
    dispatcher.step()
    while dispatcher.thinker.is_thinking:
        dispatcher.step()
    assert not any(line.startswith("bestmove") for line in said)
    dispatcher.hear(Line("isready"))
    dispatcher.hear(Line("stop"))
    dispatcher.step()
    dispatcher.step()
    assert said[-3:][0] == "readyok"
    assert said[-1].startswith("bestmove")


def test_end_of_input_ends_an_infinite_search():
    assert talk("tic_tac_toe", "go infinite")[-1].startswith("bestmove")


def test_pondering_ends_by_the_limits_after_a_hit():
    answers = talk("tic_tac_toe", "go ponder p1time 1000 p2time 1000", "isready", "ponderhit")
    assert "readyok" in answers
    assert answers[-1].startswith("bestmove")
    answers = talk("tic_tac_toe", "go ponder nodes 20", "ponderhit")
    assert answers[-1].startswith("bestmove")


def test_clocks_end_a_search():
    for limits in ("p1time 100 p2time 100 p1inc 5", "movetime 5", "p1time 50 movestogo 1", "p1time -5"):
        answers = talk("connect_four", f"go {limits}")
        assert answers[-1].startswith("bestmove"), limits


def test_searchmoves_and_mates():
    fen = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
    answers = talk("chess", f"position fen {fen}", "go mate 1", "go depth 2 searchmoves g1f1 h2h3", "go depth 1")
    assert "bestmove a1a8" in answers
    mate = next(line for line in answers if line.startswith("info"))
    assert "score mate 1 " in mate
    assert mate.endswith("pv a1a8")
    best = [line.split()[1] for line in answers if line.startswith("bestmove")]
    assert best[0] == best[2] == "a1a8"
    assert best[1] in ("g1f1", "h2h3")


def test_chess960():
    fen = "4k3/8/8/8/8/8/8/1R1K4 w B - 0 1"
    answers = talk(
        "chess",
        f"position fen {fen}",
        "setoption name UCI_Chess960 value true",
        f"position fen {fen}",
        "go depth 1 searchmoves d1b1",
        "setoption name UCI_Chess960 value false",
        f"position fen {fen}",
    )
    assert answers[0].startswith("info string")
    assert answers[-1].startswith("info string")
    assert "bestmove d1b1" in " ".join(answers)


def test_nothing_to_move():
    mated = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
    answers = talk("chess", f"position fen {mated}", "go depth 3")
    assert "score mate 0 " in answers[-2]
    assert answers[-1] == "bestmove (none)"


def test_several_lines_and_a_level():
    answers = talk("tic_tac_toe", "setoption name MultiPV value 3", "go nodes 50", protocol="uci")
    assert {f"multipv {rank}" for rank in (1, 2, 3)} <= {" ".join(line.split()[5:7]) for line in answers}
    answers = talk("tic_tac_toe", "setoption name Skill Level value 0", "go nodes 50", protocol="uci")
    info, best = answers[-2:]
    assert info.split(" pv ")[1].split()[0] == best.split()[1]


def test_strength():
    assert [Options(skill=n).level for n in (0, 1, 2, 19, 20)] == [1, 1, 2, 10, None]
    assert [Options(skill=Options.skill_of(n)).level for n in (1, 5, 10, None)] == [1, 5, 10, None]
    assert [Options(limits_strength=True, elo=elo).level for elo in (ELO[1], ELO[5] + 1, ELO[10])] == [1, 5, 10]
    assert list(ELO.values()) == sorted(ELO.values())


def test_a_new_game_forgets():
    lines = ["go nodes 300", "go nodes 300", "uginewgame", "go nodes 300", "setoption name Clear Hash", "go nodes 300"]
    text = "\n".join(timeless(line) for line in talk("tic_tac_toe", *lines))
    first, second, third, fourth, _ = re.split(r"bestmove.*\n?", text)
    assert first == third == fourth != second


def test_a_long_game_is_read_once():
    """A GUI sends all moves again with each; only the new ones are read, and another beginning is noticed."""
    said = []
    dispatcher = new_dispatcher("tic_tac_toe", said)
    thinker, read = dispatcher.thinker, []

    def reader(s, name):
        read.append(name)
        return read_move(thinker.game, s, name)

    begins = thinker.game.at()
    thinker.set_up(begins, ["a1", "b1"], reader)
    thinker.set_up(begins, ["a1", "b1", "c1"], reader)
    assert read == ["a1", "b1", "c1"]
    assert len(thinker.position.history) == 3
    with pytest.raises(UserError):
        thinker.set_up(begins, ["a1", "b1", "c1", "c1"], reader)
    thinker.set_up(begins, ["a1"], reader)
    assert thinker.position == begins.play("a1")
    thinker.set_up(begins.play("b2"), [], reader)
    assert thinker.position == begins.play("b2")


def test_values_as_protocols_have_them():
    chess, nim, othello = games.load("chess"), games.load("nim"), games.load("othello:margin=on")
    assert centi(chess, 0.5) == 1000  # half a win is ten pawns
    assert centi(chess, 1.0) == 30_000
    assert centi(nim, -0.25) == -25
    assert centi(othello, 0.5) == 3200
    assert score(chess, 1.0, 3) == "mate 2"
    assert score(chess, -1.0, 4) == "mate -2"
    assert score(chess, 0.0, None) == "cp 0"
    assert score(othello, 1.0, 3) == "cp 6400"


def test_names_with_blanks_are_one_word():
    game = games.load("backgammon")
    s = game.at().state
    s = game.result(s, next(iter(game.actions(s))))
    a = next(a for a in game.actions(s) if " " in game.action_name(s, a))
    assert read_move(game, s, game.action_name(s, a).replace(" ", "_")) == a


# ---- other processes


def test_a_process_hears_while_it_thinks():
    with engine_process("nim", "--interpreted") as process:
        process.stdin.write(b"go infinite\nisready\n")
        process.stdin.flush()
        lines = iter(process.stdout.readline, b"")
        before = list(iter(lambda: next(lines), b"readyok\n"))
        assert not any(line.startswith(b"bestmove") for line in before)
        process.stdin.write(b"stop\n")
        process.stdin.flush()
        assert any(line.startswith(b"bestmove") for line in lines if line[:4] != b"info")
        process.stdin.close()
        assert process.wait(WATCHDOG_SECONDS) == 0


@pytest.mark.parametrize("end", [b"", b"quit\n", b"go infinite\nquit\n", b"\xff\xff"])
def test_a_process_ends_in_peace(end):
    status, out, err = run_engine(b"ugi\nisready\n" + end, "nim", "--interpreted")
    assert (status, err) == (0, "")
    assert "ugiok" in out
