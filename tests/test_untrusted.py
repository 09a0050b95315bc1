"""Files of data may be anybody's: none says what code to run, and none hangs, crashes or floods whoever reads it."""

import json
import shlex

import pytest

from counterplay import UserError, games, native
from counterplay.arena import SavedGame, Session, match
from counterplay.core.texts import printable
from counterplay.study.analysis import read_record

RULES = """
from pathlib import Path
from typing import NamedTuple
from counterplay import Game

Path(__file__).with_name("was_run").touch()


class Race(Game):
    goal: int = 3

    class State(NamedTuple):
        ply: int

    def initial(self):        return self.State(0)
    def player(self, s):      return s.ply % 2
    def actions(self, s):     return range(0 if self.is_terminal(s) else 2)
    def result(self, s, a):   return self.State(s.ply + 1)
    def is_terminal(self, s): return s.ply >= self.goal
    def utility(self, s, p):  return 1.0 if s.ply % 2 == p else -1.0
"""


@pytest.fixture
def rules(tmp_path):
    """A file with a game, and the file that is there once it has been run."""
    file = tmp_path / "race.py"
    file.write_text(RULES)
    return file, tmp_path / "was_run"


# ---- data never names code to run

SAVED = {"begins": "ply=0", "moves": ["0"], "players": ["random", "random"]}


@pytest.mark.parametrize("about", [{"game": "{file}"}, {"game": "{file}:Race"}, {"game": "race", "source": "race.py"}])
@pytest.mark.parametrize("kind", ["saved", "match"])
def test_a_game_in_a_file_of_code_is_not_loaded_because_data_names_it(kind, about, rules, tmp_path, counterplay):
    code, was_run = rules
    about = {name: text.format(file=code) for name, text in about.items()}
    data = tmp_path / "data.json"
    lines = [about | SAVED] if kind == "saved" else [about | {"players": ["a", "b"]}, {"moves": ["0"], "first": 0}]
    data.write_text("\n".join(map(json.dumps, lines)))
    ways = [("analyse", "--record", data)] + ([("play", "--load", data)] if kind == "saved" else [])
    for way in ways:
        status, out, err = counterplay(*way)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert "as the GAME" in err
    for read in (read_record, *([SavedGame.read, Session.load] if kind == "saved" else [])):
        with pytest.raises(UserError, match="as the GAME"):
            read(data)
    assert not was_run.exists()


def test_only_games_of_the_package_are_ours(rules):
    code, was_run = rules
    assert games.load_ours("pig:goal=10") == games.load("pig:goal=10")
    with pytest.raises(UserError, match="is run only if you name it yourself"):
        games.load_ours(f"{code}:goal=4")
    assert not was_run.exists()
    assert (games.source(games.load(str(code))), games.source(games.load("chess"))) == ("race.py", "")


def test_a_game_of_your_own_goes_on_when_you_name_it(rules, tmp_path, counterplay, monkeypatch):
    code, _ = rules
    game, file = games.load(f"{code}:goal=4"), tmp_path / "game.json"
    with native.interpreted():
        session = Session.begin(f"{code}:goal=4", ("human", "human"), game=game)
        session.play("1")
        session.save(file)
        session.save(file)  # over a saved game, whose rules need not be run for that
        again = Session.load(file, game=game)
        assert (again.moves, again.game) == (("1",), game)
        assert again.record() == session.record()
        assert session.record()["source"] == "race.py"
        with pytest.raises(UserError, match="a game of race:goal=4, not of race"):
            Session.load(file, game=games.load(str(code)))
    status, out, _ = counterplay("play", f"{code}:goal=4", "--load", file, "--players", "random,random")
    assert (status, "the game is over" in out) == (0, True)
    status, out, _ = counterplay("analyse", f"{code}:goal=4", "--record", file, "--depth", 2, "--interpreted")
    assert status == 0


def test_save_says_how_to_go_on_with_a_game_of_your_own(rules, tmp_path, counterplay, monkeypatch):
    code, _ = rules
    mine = code.rename(tmp_path / "my race.py")
    lines = iter([f"save {tmp_path}/g", None])
    monkeypatch.setattr("counterplay.apps.cli.show_game.ask", lambda *_: next(lines))
    _, out, err = counterplay("play", mine, "--you", 1, "--interpreted")
    assert f"`counterplay play {shlex.quote(str(mine))} --load {tmp_path}/g` goes on" in out, err


def test_the_record_of_a_match_of_your_own_game_needs_the_game(rules, tmp_path):
    code, _ = rules
    game, file = games.load(str(code)), tmp_path / "record"
    with native.interpreted():
        match(game, ("random", "random"), 2, opening_plies=0, record=file)
        assert json.loads(file.read_text().splitlines()[0])["source"] == "race.py"
        with pytest.raises(UserError, match=r"race in race\.py: name that file too"):
            read_record(file)
        assert len(read_record(file, game).moves) == 3


# ---- what reaches a terminal or a page


def test_no_control_character_reaches_the_terminal(counterplay, tmp_path):
    evil = "\x1b]0;gone\x07\x1b[2J"
    file = tmp_path / "game.json"
    file.write_text(json.dumps({"game": "tic_tac_toe", "begins": ".../.../...", "moves": [evil, "x" * 100_000]}))
    _, out, err = counterplay("play", "--load", file)
    assert "\x1b" not in err
    assert "move 1" in err
    for command in (("show", f"nim{evil}"), ("search", f"nim:{evil}=3"), ("show", "nim", "--moves", "x" * 100_000)):
        _, out, err = counterplay(*command)
        assert "\x1b" not in out + err
        assert "\x07" not in out + err
        assert len(err) < 3_000


def test_names_of_moves_are_shown_without_control_characters(counterplay, tmp_path):
    code = tmp_path / "race.py"
    code.write_text(RULES + "    def action_name(self, s, a): return f'\\x1b[2J{a}'\n")
    for command in (("show",), ("search", "--depth", 2), ("tree",), ("play", "--depth", 1), ("perft", "--split")):
        status, out, err = counterplay(command[0], code, *command[1:])
        assert (status, "\x1b" in out + err) == (0, False)


def test_printable_keeps_lines_and_letters():
    assert printable("a\tb\nö♔\x1b[0m\u202e") == "a\tb\nö♔?[0m?"
    assert printable("abcdef", 3) == "abc..."


def test_a_move_cannot_end_the_script_of_a_page(tmp_path, counterplay):
    code, page = tmp_path / "race.py", tmp_path / "page.html"
    code.write_text(RULES + "    def action_name(self, s, a): return f'<!--<script>{a}</script>&'\n")
    status, _, err = counterplay("tree", code, "--html", page)
    assert (status, err) == (0, "")
    text = page.read_text()
    assert text.count("<script") == text.count("</script") == 1
    assert "<!--" not in text
    assert r"\u003c!--\u003cscript\u003e" in text
