"""Games and states go to other processes, and settings are read alike everywhere."""

import copy
import multiprocessing
import pickle
import subprocess
import sys

import pytest

from counterplay import UnreadableText, games, search
from counterplay.core.texts import read_settings, read_value, split_settings

pytestmark = pytest.mark.long

RULES = """
from typing import NamedTuple
from counterplay import Game

class Countdown(Game):
    start: int = 4

    class State(NamedTuple):
        left: int
        turn: int

    def initial(self): return self.State(self.start, 0)
    def player(self, s): return s.turn
    def actions(self, s): return range(1, min(2, s.left) + 1)
    def result(self, s, a): return self.State(s.left - a, 1 - s.turn)
    def is_terminal(self, s): return s.left == 0
    def utility(self, s, p): return -1.0 if p == s.turn else 1.0
"""


@pytest.fixture
def file(tmp_path):
    found = tmp_path / "my games" / "count_down-1.5.py"
    found.parent.mkdir()
    found.write_text(RULES)
    return found


# ---- pickle and copy


@pytest.mark.parametrize("text", [*games.names(), "nim:heaps=[1,2],misere=yes", "tree:[[1,2],[3,4]]"])
def test_games_and_positions_survive_a_pickle_and_a_copy(text):
    game = games.load(text)
    here = game.at()
    for again in (pickle.loads(pickle.dumps(here)), copy.deepcopy(here), copy.copy(here)):
        assert again == here
        assert type(again.game) is type(game)
        assert type(again.state) is type(here.state)
        assert again.game.settings == game.settings


def test_a_game_of_a_file_survives_and_shares_its_class(file):
    game = games.load(f"{file}:start=9")
    one, two = pickle.loads(pickle.dumps((game, game.initial()))), pickle.loads(pickle.dumps((game, game.initial())))
    assert one == two == (game, game.initial())
    assert type(one[0]) is type(two[0]) is type(game)
    assert type(one[1]) is type(game.initial())


def test_a_game_of_a_file_is_unpickled_where_nobody_has_loaded_the_file(file, tmp_path):
    game = games.load(f"{file}:start=5")
    kept = tmp_path / "kept.pickle"
    kept.write_bytes(pickle.dumps((game, game.initial())))
    program = (
        "import pickle, sys; from pathlib import Path; "
        "game, s = pickle.loads(Path(sys.argv[1]).read_bytes()); "
        "from counterplay import games, search; "
        "again = games.load(f'{sys.argv[2]}:start=5'); "
        "print(game, s, game == again, type(game) is type(again), search.alphabeta(game, s).value)"
    )
    command = [sys.executable, "-c", program, str(kept), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "countdown:start=5 State(left=5, turn=0) True True 1.0\n"
    file.unlink()
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert "UnreadableText: cannot read" in done.stderr


def value_of(game, s):
    return search.minimax(game, s).value


def test_a_game_of_a_file_goes_to_a_process_that_is_spawned(file):
    game = games.load(str(file))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(value_of, (game, game.initial())) == value_of(game, game.initial())


# ---- one module a file


def test_a_file_is_run_once_until_it_is_edited(file):
    first = games.load_class(str(file))
    assert games.load_class(str(file)) is first
    assert games.load(f"{file}:start=3") == first(start=3)
    file.write_text(RULES.replace("start: int = 4", "start: int = 6"))
    edited = games.load_class(str(file))
    assert edited is not first
    assert (first().start, edited().start) == (4, 6)


def test_a_kind_of_file_is_added_by_a_line(file, monkeypatch):
    monkeypatch.setitem(games.LOADERS, ".count", lambda path: {"Countdown": games.load_class(str(file))})
    assert games.load("some.count:Countdown:start=2").initial().left == 2
    assert games.load("some.count:start=2").initial().left == 2
    with pytest.raises(UnreadableText, match=r"ends in .py or .kif or .count"):
        games.load("nothing")


# ---- settings


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("6", 6), ("-1", -1), ("0.5", 0.5), ("1e6", 1e6)),
        *(("on", True), ("Yes", True), ("true", True), ("off", False), ("no", False), ("False", False)),
        *(("uct", "uct"), ("small maze", "small maze"), ("", ""), ("'5'", "'5'"), ("2-1", "2-1")),
        *(("killers+history", ["killers", "history"]), ("[1,2]", [1, 2]), ("(1,[2,3])", (1, [2, 3]))),
    ],
)
def test_a_value_is_a_number_a_switch_words_or_a_list(text, value):
    assert read_value(text) == value
    assert type(read_value(text)) is type(value)


def test_settings_are_split_outside_brackets():
    assert read_settings(" a=1, b=on,c=[1,2],d=x+y ") == {"a": 1, "b": True, "c": [1, 2], "d": ["x", "y"]}
    assert read_settings("") == {}
    assert split_settings("[[1,2],[3,4]]", first="tree") == {"tree": "[[1,2],[3,4]]"}
    assert split_settings("max[a:1,b:2]", first="tree") == {"tree": "max[a:1,b:2]"}


@pytest.mark.parametrize(
    ("text", "message"),
    [("5", "'5' is not of the form name=value"), ("a=1,2", "'2' is not"), ("=1", "'=1' is"), ("a=1,a=2", "says twice")],
)
def test_what_is_no_setting_is_refused(text, message):
    with pytest.raises(UnreadableText, match=message):
        read_settings(text)
