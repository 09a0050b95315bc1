"""Files of matches: openings that are read, and games that are written for other programs."""

from pathlib import Path

import pytest

from counterplay import UserError, arena, games, native
from counterplay.arena.adjudication import Adjudication, Judge
from counterplay.arena.openings import Openings, random_openings, read_openings
from counterplay.arena.written import must_be_writable, write_games, written

pytestmark = pytest.mark.long

TIC_TAC_TOE = games.load("tic_tac_toe")


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


# ---- openings


def opening_file(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    return tmp_path / name


def test_openings_of_every_kind_of_file(tmp_path):
    chess, checkers = games.load("chess"), games.load("checkers")
    epd = opening_file(
        tmp_path,
        "a.epd",
        "# two, one of them twice\n"
        'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - bm Nf3; id "one";\n'
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 0;\n\n"
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n",
    )
    assert [each.begins for each in read_openings(chess, epd)] == [
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    ]
    elsewhere = '[Event "y"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 *\n'
    text = '[Event "x"]\n\n1. e4 {best} e5 (1... c5) 2. Nf3 *\n\n'
    pgn = opening_file(tmp_path, "b.pgn", text + elsewhere)
    names = [chess.at((), each.begins or None).state for each in read_openings(chess, pgn)]
    assert [len(each.moves) for each in read_openings(chess, pgn)] == [3, 1]
    assert [len(each.moves) for each in read_openings(chess, pgn, 2)] == [2, 1]
    assert chess.to_text(names[1]) == "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    pdn = opening_file(
        tmp_path, "c.pdn", '[Event "Ballot 1"]\n1. 9-13 21-17 2. 5-9 *\n[Event "Ballot 2"]\n1. 9-13 22-18 2. 10-15 *\n'
    )
    assert [len(each.moves) for each in read_openings(checkers, pdn)] == [3, 3]
    plain = opening_file(tmp_path, "d", "b2 a3\n1. b2, c3\nx../.o./...\n")
    found = read_openings(TIC_TAC_TOE, plain)
    assert [(each.begins, len(each.moves)) for each in found] == [("", 2), ("", 2), ("x../.o./...", 0)]
    assert read_openings(TIC_TAC_TOE, plain, most=2) == found[:2]
    ended = arena.tournament(TIC_TAC_TOE, ("random", "random"), "match", 8, openings=plain)
    begins = [each.begins for each in ended.games]
    assert begins == ["", "", "", "", "x../.o./...", "x../.o./...", "", ""]  # they come again
    assert [each.moves[:2] for each in ended.games[:2]] == [("b2", "a3")] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no opening in it"),
        ("# none\n\n", "has no opening in it"),
        ("b2 b2", "line 1: move 2: 'b2' is not a legal move here"),
        ("b2\nhello", "line 2: "),
        ("b2 a3 a2 c2 a1 c3 c1 b1 b3", "line 1: the game is over after this opening; cut it off"),
        ('[Event "x"]\n1. b2 b9', "game 1: move 2"),
    ],
)
def test_what_is_no_opening_is_refused(tmp_path, text, message):
    with pytest.raises(UserError, match=message):
        read_openings(TIC_TAC_TOE, opening_file(tmp_path, "file", text))


def test_balanced_openings_are_even_in_the_eyes_of_a_search():
    judge = Judge(TIC_TAC_TOE, Adjudication())
    found = random_openings(TIC_TAC_TOE, 4, 5, 0, balanced=0.1)
    assert len(found) == 4
    for each in found:
        states = [TIC_TAC_TOE.initial()]
        for a in each.moves:
            states.append(TIC_TAC_TOE.result(states[-1], a))
        assert judge.chance(states)[0] == 0.5
    for wrong in (Openings(plies=-1), Openings(balanced=0.7)):
        with pytest.raises(UserError, match=r"0 plies or more, not -1|0 to 0\.5, not 0\.7"):
            wrong.make(TIC_TAC_TOE, 1, 0)
    with pytest.raises(UserError, match="has not 50 balanced openings"):
        random_openings(games.load("nim:heaps=[1,2]"), 50, 1, 0, balanced=0.1)


# ---- files for others


def games_of(name, number=2, **more):
    game = games.load(name)
    players = ("alphabeta:nodes=50", "random")
    return game, arena.tournament(game, players, "match", number, seed=1, **more)


def test_a_pgn_is_read_by_others_and_by_us(tmp_path):
    pgn = pytest.importorskip("chess.pgn", reason="needs python-chess (pip install chess)")
    from counterplay.study.analysis import read_record

    openings = opening_file(tmp_path, "o", "e4 e5\n4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\n")
    game, ended = games_of("chess", 4, openings=openings, adjudicate="win=0.9,plies=2,nodes=40,after=20,draw=0.1")
    file = tmp_path / "games.pgn"
    write_games(game, file, ended.players, ended.games)
    with file.open() as opened:
        for number, record in enumerate(ended.games, 1):
            read = pgn.read_game(opened)
            assert not read.errors
            end = game.at(record.moves, record.begins or None).state
            assert read.end().board().fen(en_passant="fen").split()[:3] == game.to_text(end).split()[:3]
            assert read.headers["White"] == ended.players[record.seats[0]]
            assert read.headers["Result"] == {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}[record.points]
            assert read_record(file, game, number=number).moves == record.moves


def test_games_of_checkers_go_and_othello(tmp_path):
    from counterplay.study.analysis import read_record

    checkers, ended = games_of("checkers")
    file = tmp_path / "games.pdn"
    write_games(checkers, file, ended.players, ended.games)
    assert read_record(file, checkers, number=2).moves == ended.games[1].moves
    one = ended.games[0]
    text = file.read_text()
    assert f'[Black "{ended.players[one.seats[0]]}"]' in text.split("\n\n")[0]
    assert f'[Result "{ {1.0: "0-1", 0.5: "1/2-1/2", 0.0: "1-0"}[one.points] }"]' in text.split("\n\n")[0]

    go = games.load("go:size=3,komi=0.5")
    moves = ("B2", "pass", "A1", "pass", "pass")
    played = [
        arena.GameRecord(0, (0, 1), 0, moves, 1.0, "rules"),
        arena.GameRecord(1, (1, 0), 0, moves[:1], 1.0, "time"),
    ]
    played += [arena.GameRecord(2, (0, 1), 0, ("A1",), 0.0, "resignation", ".../.X./..O O")]
    assert written(go, Path("x.sgf"), ("a]", "b"), played) == (
        "(;FF[4]GM[1]SZ[3]KM[0.5]RO[1]PB[a\\]]PW[b]RE[B+8.5]\n;B[bb];W[];B[ac];W[];B[])\n"
        "(;FF[4]GM[1]SZ[3]KM[0.5]RO[2]PB[b]PW[a\\]]RE[B+T]\n;B[bb])\n"
        "(;FF[4]GM[1]SZ[3]KM[0.5]RO[3]PB[a\\]]PW[b]RE[W+R]AB[bb]AW[cc]PL[W]\n;W[ac])\n"
    )

    othello = games.load("othello:size=4")
    first = othello.at().moves()[0]
    played = [arena.GameRecord(0, (0, 1), 0, (first,), 0.0, "time", used=(0.25,), spare=(0.0, 1.0))]
    assert written(othello, Path("x.GGF"), ("a", "b"), played) == (
        "(;GM[Othello]PC[counterplay]DT[0]PB[a]PW[b]TY[4]RE[-16:t]"
        f"BO[4 ---- -O*- -*O- ---- *]B[{first.upper()}//0.25];)\n"
    )
    othello, ended = games_of("othello:size=4")
    assert written(othello, Path("x.ggf"), ended.players, ended.games).count("(;GM[Othello]") == 2


def test_games_for_people_and_what_cannot_be_written(tmp_path, answer, counterplay):
    file = tmp_path / "games.txt"
    asked = ("match", "tic_tac_toe", "random", "alphabeta:depth=1", "--games", 2, "--out", file)
    assert answer(*asked)["games"] == 2
    first = file.read_text().splitlines()[0]
    assert first.startswith("1. random - alphabeta:depth=1 ")
    assert first.endswith("(rules)")
    start = arena.GameRecord(0, (0, 1), 0, ("b2",), 0.5, "length", "x../.../..o")
    assert "from x../.../..o\n" in written(TIC_TAC_TOE, file, ("a", "b"), [start])
    for name, message in (
        ("x.pgn", r"\.pgn is for chess; the games of tic_tac_toe go to \.txt"),
        ("x", "no suffix of games"),
    ):
        with pytest.raises(UserError, match=message):
            must_be_writable(TIC_TAC_TOE, Path(name))
        assert counterplay(*asked[:-1], tmp_path / name)[0] == 2
