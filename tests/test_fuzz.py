"""A fuzz target for each reader: whatever a text is, what comes out is a value or a UserError, and it comes soon.

Texts are made of the pieces that a format is made of, and of real texts with parts taken out, doubled or exchanged. The
examples are the same in every run.
"""

import json
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterplay import UserError, games, native
from counterplay.arena import SavedGame, Sprt, match
from counterplay.arena.adjudication import Adjudication
from counterplay.arena.openings import read_openings
from counterplay.arena.record import Record
from counterplay.arena.score import score_of
from counterplay.arena.timing import Clock
from counterplay.core.texts import read_settings
from counterplay.games.pacman import maze
from counterplay.study.analysis import moves_of_text, read_record

pytestmark = pytest.mark.long

bounded = settings(
    max_examples=60, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
LONG_SECONDS = 5
"""CPU time for a long text; a reader that takes time by the square of the length would need hours."""


def only_user_errors(read, *arguments):
    try:
        return read(*arguments)
    except UserError:
        return None


def texts(*pieces):
    """Texts of these pieces, with noise between."""
    noise = st.sampled_from(["\0", "\x1b[2J", "²", "٣", "é", "\n", " ", "-", "9" * 5000, "{", "(", "[", '"', "\ud800"])
    return st.lists(st.one_of(st.sampled_from(pieces), noise), max_size=12).map("".join)


@st.composite
def mutated(draw, text):
    """A text with some parts of it taken out, doubled or exchanged."""
    for _ in range(draw(st.integers(1, 3))):
        i, j = sorted(draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
        text = draw(st.sampled_from([text[:i] + text[j:], text[:j] + text[i:], text[j:] + text[:i]]))
    return text


# ---- positions and moves of every game


def game_names():
    return [name for name in games.names() if not name.startswith("_")]


@pytest.mark.parametrize("name", game_names())
@bounded
@given(data=st.data())
def test_positions(name, data):
    game = games.load(name)
    real = game.to_text(game.initial())
    pieces = (*sorted(set(real)), real, "/", " ", "=", ",", "1", "e.p.", "K11R", "8")
    text = data.draw(st.one_of(mutated(real), texts(*pieces)))
    s = only_user_errors(game.from_text, text)
    if s is not None:
        game.to_text(s), game.show(s), game.key(s), game.is_terminal(s), list(game.actions(s))


@pytest.mark.parametrize("name", game_names())
@bounded
@given(data=st.data())
def test_moves(name, data):
    game = games.load(name)
    s = game.initial()
    real = game.action_name(s, next(iter(game.actions(s))))
    pieces = ("Nf3", "e4", "O-O", "e8=Q", "24/18", "bar/22*", "8/4(2)", "6/off", "11-15", "3x4", "pass", "a1", "1", "x")
    a = only_user_errors(game.parse_action, s, data.draw(st.one_of(mutated(real), texts(real, *pieces))))
    assert a is None or a in set(game.actions(s))


FEN = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1"


@bounded
@given(st.one_of(mutated(FEN), texts("K", "k", "8", "11", "/", "8/8/8/8/8/8/8/8", " w ", " KQkq", " - ", "0 1")))
def test_fen(text):
    game = games.load("chess")
    s = only_user_errors(game.from_text, text)
    if s is not None:
        assert game.from_text(game.to_text(s)) == s


@pytest.mark.parametrize("row", ["K11R", "11111111", "44", "7", "9", "0"])
def test_a_fen_counts_empty_squares_once(row):
    with pytest.raises(UserError, match=r"side by side|squares, not 8|is no piece"):
        games.load("chess").from_text(f"{row}/8/8/8/8/8/8/4k3 w - - 0 1")


@bounded
@given(st.one_of(mutated("4HPwATDgc/ABMA:cAkAAAAAAAAA"), texts("4HPwATDgc/ABMA", ":", "cAkAAAAAAAAA", "GNUBGID", "//")))
def test_backgammon_ids(text):
    game = games.load("backgammon")
    s = only_user_errors(game.from_text, text)
    if s is not None:
        assert game.from_text(game.to_text(s)) == s


LAYOUT = "%%%%%%%\n%P . o%\n%  G  %\n%%%%%%%\n"


@bounded
@given(st.one_of(mutated(LAYOUT), texts("%%%%\n", "%P.%\n", "%G %\n", "%%%%", "o")))
def test_pacman_layouts(text):
    only_user_errors(maze.parse, text)


# ---- games by name, settings, trees


TREE = "max[min[3, 12], B: min[2, y: 4], chance[0.5 * 1, 0.5 * (1, 2)]]"


@bounded
@given(
    st.one_of(mutated(TREE), texts("[", "]", "(1,2)", "max", "chance", "0.5*", "x:", ",", "nan", "1e999", "p99", "3"))
)
def test_trees(text):
    only_user_errors(games.load, f"tree:tree={text}")


@bounded
@given(
    texts("nim", "pig", "tree", ":", "=", "heaps", "goal", "[1,2]", "{[]:1}", "True", ",", ".py", "pacman", "layout")
)
def test_games_by_name(text):
    only_user_errors(games.load_ours, text)


@bounded
@given(texts("a", "=", "1", ",", "[", "]", "(", "on", "+", "{[]:1}", "-" * 3000, "'", "1e999", "0x", "1_0"))
def test_settings(text):
    only_user_errors(read_settings, text)
    only_user_errors(Clock.read, text)


# ---- files


def read_match(file, about):
    with Record(file, about) as record:
        return score_of(record.games.values())


def read_file(text, *readers):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file"
        file.write_text(text, encoding="utf-8", errors="surrogatepass")
        for read in readers:
            only_user_errors(read, file)


PGN = '[Event "x"]\n[FEN "8/8/8/8/8/8/8/4K2k w - - 0 1"]\n\n1. e4 {good (} e5 (1... c5 2. Nf3 (2. c3)) 2. Nf3!? $3 *\n'


@bounded
@given(
    st.one_of(mutated(PGN), texts("{", "}", "(", ")", ";", "1.", "e4 ", "[Event ", '[FEN "x"]', "%", "!?", ",", "\n"))
)
def test_pgn(text):
    only_user_errors(moves_of_text, text)
    read_file(text, lambda file: read_record(file, games.load("chess")))


@bounded
@given(
    st.one_of(mutated(PGN), mutated("b2 a3\n# x\nx../.o./...\n"), texts("b2", "1. ", "x../", ".../...", "e4", ";", "["))
)
def test_openings(text):
    read_file(text, *(lambda file, game=game: read_openings(game, file, 3) for game in map(games.load, GAMES)))


GAMES = ("chess", "tic_tac_toe", "nim")


@bounded
@given(
    texts("elo0", "elo1", "win", "plies", "model", "=", "1", ",", "-", "0.5", "on", "logistic", "nan", "1e999", "[1]")
)
def test_settings_of_matches(text):
    only_user_errors(Sprt.read, text)
    only_user_errors(Adjudication.read, text)


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(["", "nim", "a1", "\0", "x.py"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=2)),
    max_leaves=5,
)
SAVED = {"game": "tic_tac_toe", "begins": ".../.../...", "moves": ["b2"], "players": ["human", "random"], "seed": 0}
SAVED |= {"resigned": None, "clocks": [], "used": [], "flagged": None, "source": ""}
HEADER = {"game": "tic_tac_toe", "players": ["random", "random"], "seed": 0, "opening_plies": 4, "limits": {}}
OLD = {"number": 0, "first": 0, "opening": 4, "moves": ["b2"], "points": 1.0, "ended": "rules"}
PLAYED = {"number": 0, "seats": [0, 1], "opening": 4, "moves": ["b2"], "points": 1.0, "ended": "rules"}
PLAYED |= {"begins": "x../.../...", "used": [0.5], "spare": [1.0, 0.5]}


@st.composite
def changed(draw, fields):
    return {**fields, **draw(st.dictionaries(st.sampled_from(sorted(fields)), values, max_size=2))}


@bounded
@given(changed(SAVED), st.data())
def test_saved_games(fields, data):
    text = json.dumps(fields)
    for each in (text, data.draw(mutated(text))):
        read_file(each, SavedGame.read, read_record)


@bounded
@given(changed(HEADER), st.one_of(changed(OLD), changed(PLAYED)), st.data())
def test_match_records(header, played, data):
    text = f"{json.dumps(header)}\n{json.dumps(played)}\n"
    for each in (text, data.draw(mutated(text))):
        read_file(each, read_record, lambda file: read_match(file, HEADER))


# ---- long texts


@pytest.mark.parametrize(
    "text",
    [
        *("{" * 100_000, "(" * 30_000, "(" * 30_000 + ")" * 30_000, "( " * 30_000, "[" * 100_000, "[\n" * 50_000),
        *("!" * 100_000 + "x", "]" * 100_000 + "x", "[" + "]" * 100_000 + "x", " " * 100_000 + "x", "1." * 50_000),
        *(";" * 100_000, "%\n" * 50_000, '[A "' * 25_000, "a," * 50_000, "a:" * 50_000, "-" * 100_000 + "1"),
        *("1" * 100_000, "\n" * 100_000, "/" * 100_000, "{}" * 50_000, '{"a":' * 20_000, "[" * 100_000 + "]" * 100_000),
    ],
    ids=lambda text: repr(text[:6]),
)
def test_no_reader_takes_long(text):
    chess, tree = games.load("chess"), games.load("tree")
    began = time.process_time()
    only_user_errors(moves_of_text, text)
    only_user_errors(games.load_ours, f"tree:tree={text}")
    only_user_errors(games.load_ours, f"nim:heaps={text}")
    only_user_errors(tree.from_text, f"node={text}")
    only_user_errors(read_settings, text)
    only_user_errors(maze.parse, text)
    for name in game_names():
        game = games.load(name)
        only_user_errors(game.from_text, text)
        only_user_errors(game.parse_action, game.initial(), text)
    read_file(text, SavedGame.read, lambda file: read_record(file, chess), lambda file: read_match(file, HEADER))
    assert time.process_time() - began < LONG_SECONDS


def test_a_match_goes_on_from_no_record_but_its_own(tmp_path):
    file = tmp_path / "record"
    file.write_text('{"game": "nim", "players": 5}\n')
    with native.interpreted(), pytest.raises(UserError, match="is the record of another match"):
        match(games.load("nim"), ("random", "random"), 1, record=file)
    with pytest.raises(UserError, match=r"is not the record of a match|has no game in it"):
        read_record(file)
