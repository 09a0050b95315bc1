"""Syzygy tables: that they say what our own tables say, that what is won by them is won, and who may ask them.

The files come with the sources of python-chess; `HINT` says how to get them, and `.ci/run` does it.
"""

import os
import random
import re
import shutil
import sys

import pytest

from counterplay import UserError, games, native
from counterplay.arena import Session, new_player
from counterplay.arena.syzygy import Syzygy, Verdict
from counterplay.core.game import UnreadableText
from counterplay.solve import tables
from tests.talk import run_engine, talk

HINT = (
    "needs python-chess and COUNTERPLAY_SYZYGY, a folder with tables: pip install 'counterplay[syzygy]' && "
    "pip download --no-deps --no-binary chess chess==1.11.2 && tar xzf chess-1.11.2.tar.gz && "
    "export COUNTERPLAY_SYZYGY=$PWD/chess-1.11.2/data/syzygy/regular"
)
CHESS = games.load("chess")
ROOK = "8/8/8/3k4/8/8/8/KR6 w - - 0 1"  # White wins in 29 plies
DRAWN = "8/8/8/8/3k4/8/4P3/4K3 b - - 0 1"  # Ke4, Kd3 and others; not Kc3


@pytest.fixture
def folder():
    pytest.importorskip("chess", reason=HINT)
    if "COUNTERPLAY_SYZYGY" not in os.environ:
        pytest.skip(HINT)
    return os.environ["COUNTERPLAY_SYZYGY"]


@pytest.fixture
def syzygy(folder):
    return Syzygy(CHESS, folder)


def at(text, clock=0):
    return CHESS.from_text(text)._replace(clock=clock)


def name(s, a):
    return CHESS.action_name(s, a)


def some_positions(pieces, number):
    """Random positions of these pieces, as White and Black have them, that are not over."""
    chosen = random.Random(pieces)
    while number:
        squares = dict(zip(chosen.sample(range(64), len(pieces)), pieces, strict=True))
        rows = ["".join(squares.get(8 * row + x, ".") for x in range(8)) for row in range(8)]
        board = re.sub(r"\.+", lambda gap: str(len(gap[0])), "/".join(rows))
        try:
            s = CHESS.from_text(f"{board} {chosen.choice('wb')} - - 0 1")
        except UnreadableText:
            continue
        if not CHESS.is_terminal(s):
            number -= 1
            yield s


def assert_the_same(syzygy, ours, s):
    v, plies = ours.solved(s)
    assert plies >= 0
    there = syzygy.probe(s)
    assert there.wdl == (2 if s.turn == 0 else -2) * v, CHESS.to_text(s)
    return there, plies


# ---- what they say


@pytest.mark.parametrize("pieces", ["KQk", "KRk", "KPk", "Kqk", "Krk", "Kpk"])
def test_they_agree_with_our_own_tables(syzygy, pieces):
    ours = tables.join(CHESS)
    for s in some_positions(pieces, 200):
        there, plies = assert_the_same(syzygy, ours, s)
        if "p" not in pieces.lower() and plies:  # nothing can be taken on the way, so it is the distance to mate
            assert abs(there.dtz) in (plies - 1, plies)


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "pieces"), [pytest.param("KBNK", "KBNk", marks=pytest.mark.rare), ("KQKR", "KQkr")])
def test_they_agree_with_tables_that_we_build(syzygy, tmp_path, ending, pieces):
    tables.build(CHESS, endings=[ending], folder=tmp_path)
    ours = tables.join(CHESS, tmp_path)
    for s in some_positions(pieces, 500):
        assert_the_same(syzygy, ours, s)


def test_what_is_said_of_a_position_and_of_its_moves(syzygy):
    assert syzygy.pieces == 4
    assert syzygy.probe(CHESS.at(position=ROOK)) == syzygy.probe(at(ROOK)) == Verdict(2, 29)
    assert [str(Verdict(wdl, 0)) for wdl in (2, 0, -2)] == ["win", "draw", "loss"]
    s = at("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1")
    moves = {name(s, a): each for a, each in syzygy.moves(s).items()}
    assert moves == {"Kd6": (2, 3), "Kf6": (2, 3), "Kd5": (0, 0), "Kf5": (0, 0)}
    assert [name(s, a) for a in syzygy.moves(s, only=[CHESS.parse_action(s, "Kf5")])] == ["Kf5"]
    mate = at("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    assert name(mate, syzygy.choose(mate)) == "Rh8#"
    over = CHESS.result(mate, syzygy.choose(mate))
    assert syzygy.probe(over) == Verdict(-2, 0)
    assert syzygy.moves(over) == {}
    assert syzygy.narrow(over) == ()


def test_the_fifty_moves_count(syzygy):
    assert syzygy.probe(at(ROOK, 70)) == Verdict(2, 29)
    assert syzygy.probe(at(ROOK, 72)) == Verdict(1, 29)
    lost = CHESS.result(at(ROOK, 80), syzygy.choose(at(ROOK)))
    assert syzygy.probe(lost).wdl == -1
    assert syzygy.narrow(lost).value == 0.0
    assert str(Verdict(1, 29)) != str(Verdict(2, 29))


def test_what_came_twice_wins_nothing(syzygy):
    s = at(ROOK, 20)
    best, second = list(syzygy.moves(s))[:2]
    after = CHESS.result(s, best)
    assert syzygy.choose(s, [after, s]) == best
    assert syzygy.choose(s, [after, s, after, s]) == second
    assert syzygy.moves(s, [after, s, after, s])[best] == Verdict(0, 0)
    reply = CHESS.result(after, syzygy.choose(after))  # nor what the other side could make a draw
    assert syzygy.moves(s, [reply, after, reply, after])[best] == Verdict(0, 0)
    there = CHESS.result(s, second)  # but who loses is glad of it
    assert syzygy.moves(there)[syzygy.choose(there)].wdl == -2
    again = CHESS.result(there, list(syzygy.moves(there))[-1])
    assert CHESS.result(there, syzygy.choose(there, [again, s, again, s])) == again


@pytest.mark.parametrize(
    "text",
    [
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",  # may castle
        "4k3/8/8/8/8/8/3PPP2/4K3 w - - 0 1",  # five pieces
    ],
)
def test_what_is_not_known(syzygy, text):
    assert syzygy.probe(at(text)) is None
    assert syzygy.choose(at(text)) is None
    assert syzygy.narrow(at(text), only=(1, 2)) == (1, 2)


def test_what_is_missing_or_damaged_is_not_known(folder, tmp_path):
    for each in ("KRvK.rtbw", "KRvK.rtbz", "KQvK.rtbw"):
        shutil.copy(os.path.join(folder, each), tmp_path)
    (tmp_path / "KBNvK.rtbw").write_bytes(b"not one")
    (tmp_path / "KBNvK.rtbz").write_bytes(b"")
    few = Syzygy(CHESS, tmp_path)
    assert few.probe(at(ROOK)) == Verdict(2, 29)
    assert few.probe(at("8/8/8/3k4/8/8/8/KQ6 w - - 0 1")) is None  # half of it is there
    assert few.probe(at("8/8/3k4/8/8/8/8/K1BN4 w - - 0 1")) is None
    assert few.choose(at("8/8/8/3k4/8/8/8/KB4N1 w - - 0 1")) is None
    both = Syzygy(CHESS, os.pathsep.join([str(tmp_path), folder]))  # a later folder has them
    assert both.probe(at("8/8/8/3k4/8/8/8/KQ6 w - - 0 1")).wdl == 2


# ---- playing by them


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        (ROOK, 0),
        (ROOK, 70),
        ("8/8/3k4/8/8/8/8/K1BN4 w - - 0 1", 0),
        ("8/8/8/8/8/4k3/4p3/4K3 b - - 0 1", 0),
        ("8/3k4/8/8/8/8/8/KQ4r1 w - - 0 1", 0),
        ("8/8/8/1k6/8/1K6/1P6/8 b - - 0 1", 0),
    ],
)
def test_what_is_won_is_won_before_fifty_moves_are_over(syzygy, text, clock):
    s = at(text, clock)
    winner, states = {2: s.turn, -2: 1 - s.turn}[syzygy.probe(s).wdl], [s]
    while not CHESS.is_terminal(s):
        s = CHESS.result(s, syzygy.choose(s, states[:-1]))
        states.append(s)
    assert CHESS.utility(s, winner) == 1.0


def test_a_player_plays_by_them(folder, syzygy):
    with native.interpreted():
        player = new_player(CHESS, f"alphabeta:depth=1,syzygy={folder}")
        assert player.choose([at(ROOK)]) == syzygy.choose(at(ROOK))
        found = player.search([at(ROOK)])
        assert (found.algorithm, found.value, found.proven, found.stopped) == ("syzygy", 1.0, True, "table")
        lost = CHESS.result(at(ROOK), found.action)
        assert player.search([at(ROOK), lost]).value == 1.0
        mate = player.search([at("k7/8/1K6/8/8/8/8/7R w - - 0 1")])
        assert str(mate).startswith("Rh8#, mate in 1 for White (exact)")
        drawn = player.search([at(DRAWN)])  # a search, of what holds the draw only
        assert drawn.algorithm == "alphabeta"
        holding = [a for a, each in syzygy.moves(at(DRAWN)).items() if each.wdl == 0]
        assert 1 < len(holding) < len(syzygy.moves(at(DRAWN)))
        assert sorted(each.action for each in drawn.actions) == sorted(holding)
        assert player.search([CHESS.initial()]).algorithm == "alphabeta"
        new_player(CHESS, "alphabeta:depth=1,syzygy=off")


def test_a_game_that_people_take_part_in_has_them(folder):
    with native.interpreted():
        session = Session.begin("chess", [f"alphabeta:depth=1,syzygy={folder}", "human"], position=ROOK)
        assert session.choose().result.algorithm == "syzygy"


@pytest.mark.slow
def test_a_match_is_played_by_them(folder, counterplay, tmp_path):
    (tmp_path / "openings.epd").write_text(ROOK)
    one, openings = f"alphabeta:depth=1,syzygy={folder}", ("--openings", tmp_path / "openings.epd")
    with native.interpreted():
        status, out, err = counterplay("match", "chess", one, f"{one},multi=2", "--games", 2, *openings)
    assert status == 0, err
    assert "+1 =0 -1" in out


def test_chess_by_other_rules_has_them_too(folder):
    for text in ("chess:chess960=on", "chess:play_on=on"):
        game = games.load(text)
        assert Syzygy(game, folder).probe(game.from_text(ROOK)) == Verdict(2, 29)


# ---- engines


def test_the_option_of_uci(folder, syzygy):
    ask = [f"position fen {ROOK}", "go depth 1"]
    name = f"setoption name SyzygyPath value {folder}"
    with native.interpreted():
        answers = talk("chess", name, *ask, "setoption name SyzygyPath value <empty>", *ask)
        told, best, told_after, _ = answers
        assert told.startswith("info depth 1 seldepth 1 multipv 1 score cp 30000 nodes 16 ")
        assert told.endswith(" pv b1e1")
        assert best == "bestmove b1e1"
        assert "score cp 30000" not in told_after
        only = talk("chess", name, *ask[:1], "go depth 1 searchmoves b1b8 b1b7")
        assert only[-1] in ("bestmove b1b8", "bestmove b1b7")
        pondered = talk("chess", name, *ask[:1], "go ponder", "ponderhit")
        assert pondered[-1] == best
        drawn = talk("chess", name, f"position fen {DRAWN}", "go depth 1")
        holding = {move for move, each in syzygy.moves(at(DRAWN)).items() if each.wdl == 0}
        assert CHESS.parse_action(at(DRAWN), drawn[-1].split()[1]) in holding
        level = talk("chess", name, "setoption name Skill Level value 0", *ask)
        assert "score cp 30000" not in level[0]


def test_an_engine_mates_by_them_as_a_gui_runs_it(folder, syzygy):
    """Every answer of another process is the table's; the moves are sent as a GUI sends them."""
    s, moves, lines = at(ROOK), [], [f"setoption name SyzygyPath value {folder}"]
    expected = []
    while not CHESS.is_terminal(s):
        lines += [f"position fen {ROOK} moves {' '.join(moves)}", "go movetime 100"]
        a = syzygy.choose(s)
        moves.append(f"{'abcdefgh'[a & 7]}{1 + (a >> 3 & 7)}{'abcdefgh'[a >> 6 & 7]}{1 + (a >> 9 & 7)}")
        expected.append(f"bestmove {moves[-1]}")
        s = CHESS.result(s, a)
    status, out, err = run_engine(("\n".join(lines) + "\n").encode(), "chess", "--interpreted")
    assert (status, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith("bestmove")] == expected


# ---- what is wrong


def test_what_is_no_folder_of_tables(tmp_path):
    pytest.importorskip("chess", reason=HINT)
    (tmp_path / "README").write_text("KRvK")
    with pytest.raises(UserError, match=r"no Syzygy tables in '.*': it takes files like KRvK\.rtbw"):
        Syzygy(CHESS, tmp_path)
    with pytest.raises(UserError, match=r"nowhere' is no folder of Syzygy tables: No such file or directory"):
        new_player(CHESS, f"alphabeta:depth=1,syzygy={tmp_path / 'nowhere'}")
    with pytest.raises(UserError, match="write syzygy=FOLDER"):
        new_player(CHESS, "alphabeta:depth=1,syzygy=on")
    with pytest.raises(UserError, match="Syzygy tables are for chess, not for nim"):
        new_player(games.load("nim"), f"alphabeta:depth=1,syzygy={tmp_path}")


def test_a_wrong_folder_changes_nothing_of_an_engine(folder, tmp_path):
    ask = [f"position fen {ROOK}", "go depth 1"]
    lines = [f"setoption name SyzygyPath value {each}" for each in (folder, tmp_path / "nowhere")]
    with native.interpreted():
        answers = talk("chess", *lines, *ask)
    assert answers[0].startswith("info string '")
    assert answers[0].endswith("is no folder of Syzygy tables: No such file or directory")
    assert "score cp 30000" in answers[1]
    (said,) = talk("tic_tac_toe", f"setoption name SyzygyPath value {folder}")
    assert said.startswith("info string there is no option 'SyzygyPath'")


def test_without_python_chess_one_line_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "chess", None)
    monkeypatch.setitem(sys.modules, "chess.syzygy", None)
    with pytest.raises(UserError, match=r"pip install 'counterplay\[syzygy\]'"):
        Syzygy(CHESS, tmp_path)
