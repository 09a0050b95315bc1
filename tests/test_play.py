"""`counterplay play`: people and searches at a board, what can be typed, games that go on, and levels."""

import io
import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from counterplay import UserError, arena, games, native
from counterplay.apps.cli.prompt import as_shown, meant
from counterplay.apps.cli.show_game import seats
from counterplay.arena import SavedGame
from counterplay.arena.levels import LevelPlayer
from tests.processes import WATCHDOG_SECONDS, hear_ctrl_c


@pytest.fixture
def typed(counterplay, monkeypatch):
    """Run `play` with lines, or bytes, from a pipe: what it prints. It always ends well."""

    def run(lines, *arguments):
        sent = lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sent), "utf-8"))
        status, out, err = counterplay("play", *arguments)
        assert status == 0, err
        return out

    return run


def answers(out):
    """What was said after each prompt, by what was typed there; boards are left out with all that follows them."""
    said = {}
    for part in out.split("your move: ")[1:]:
        line, _, rest = part.partition("\n")
        said.setdefault(line, " ".join(rest.split("\n\n")[0].split()))
    return said


# ---- who plays


def test_without_a_terminal_the_computer_plays_all_sides(counterplay):
    status, out, _ = counterplay("play", "tic_tac_toe")
    assert status == 0
    assert "the game is over: a draw" in out  # both play perfectly
    assert "O: " in out


def test_json_has_the_record(answer):
    record = answer("play", "connect_four", "--depth", 2, "--seed", 3)
    game = games.load("connect_four")
    assert game.to_text(game.at(record["moves"]).state) == record["position"]
    assert record["terminal"]
    assert (record["players"], record["resigned"]) == (["alphabeta:depth=2"] * 2, None)
    assert record == answer("play", "connect_four", "--depth", 2, "--seed", 3)


def test_chance_and_many_players(answer):
    record = answer("play", "pig:players=3,goal=12")
    assert record["terminal"]
    assert sorted(record["utilities"]) == [-0.5, -0.5, 1.0]


def test_players_by_name(answer):
    record = answer(
        "play", "tic_tac_toe", "--players", "random,minimax:depth=9", "--interpreted", "--moves", "b2 a1 b1"
    )
    assert record["players"] == ["random", "minimax:depth=9"]
    assert record["moves"][:4] == ["b2", "a1", "b1", "b3"]  # the only move that does not lose
    game = games.load("tic_tac_toe")
    texts = "alphabeta:depth=2,table_mb=1,human"
    assert seats(game, False, texts, None, None, None) == ("alphabeta:depth=2,table_mb=1", "human")


def test_two_people_play_and_one_resigns(typed):
    out = typed(["a1", "b2", "resign"], "tic_tac_toe", "--players", "human,human", "--json")
    record = json.loads(out)  # and nothing else is printed
    assert (record["moves"], record["resigned"], record["terminal"]) == (["a1", "b2"], 0, True)
    assert record["utilities"] is None
    assert "O resigned" in typed(["a1", "resign"], "tic_tac_toe", "--players", "human,human")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nim", "--you", 3], "players 1 to 2"),
        (["nim", "--level", 11], "a level is from 1 to 10, as in 'level:5', not '11'"),
        (["nim", "--level", 3, "--depth", 2], "by --level or by --depth"),
        (["nim", "--players", "human"], "2 players, as in --players human,level:5; 'human' has 1"),
        (["nim", "--players", "human,grandmaster"], "no player 'grandmaster'"),
        (["nim", "--players", "human,random", "--you", 1], "leave out --you"),
        ([], "needs a game"),
        (["--load", "nowhere.json"], "nowhere.json cannot be read"),
        (["nim", "--load", "nowhere.json", "--moves", "1"], "leave out --position and --moves"),
    ],
)
def test_what_is_asked_wrongly_is_one_line(counterplay, arguments, message):
    status, out, err = counterplay("play", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


# ---- what can be typed


def test_a_session_from_a_pipe(typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("not a game\n")
    lines = ["", "b9", "unod", "moves", "help", "hint", "eval", "save", "save mine.txt", "save no/where", "save g"]
    out = typed([*lines, "undo", "B3"], "tic_tac_toe", "--you", 1, "--level", 1, "--moves", "a1 b1 a2 b2")
    said = answers(out)
    assert "`help`" in said[""]
    assert "did you mean b3?" in said["b9"]
    assert "did you mean undo?" in said["unod"]
    assert said["moves"] == "a3 b3 c3 c2 c1"
    assert all(
        command in said["help"]
        for command in ("undo", "hint", "eval", "moves", "save [FILE]", "level N", "resign", "quit")
    )
    value = "win in 1 for X (exact), line 3. a3"
    assert said["hint"] == f"a3: {value}"
    assert said["eval"] == f"X wins: {value}"
    assert said["save"] == "saved; `counterplay play --load tic_tac_toe.json` goes on"
    assert "not saved" in said["save mine.txt"]
    assert (tmp_path / "mine.txt").read_text() == "not a game\n"
    assert "not saved: no/where cannot be written" in said["save no/where"]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["g", "mine.txt", "tic_tac_toe.json"]
    assert "you: b3" in out
    assert out.endswith("`counterplay play --load g` goes on from move 5, where it was saved\n")
    assert max(map(len, out.splitlines())) <= 80


def test_a_saved_game_has_a_name_that_can_be_copied(typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = typed(["save my game.json", "a1", "save", "quit"], "tic_tac_toe", "--players", "human,human")
    assert out.count("`counterplay play --load 'my game.json'` goes on") == 3
    assert len(SavedGame.read(tmp_path / "my game.json").moves) == 1  # the second `save` took the same name
    typed(["save"], "tic_tac_toe", "--players", "human,human")
    typed(["save"], "tic_tac_toe", "--players", "human,human")
    names = ["my game.json", "tic_tac_toe-2.json", "tic_tac_toe.json"]
    assert sorted(each.name for each in tmp_path.iterdir()) == names


def test_the_level_changes_during_a_game(typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = typed(["level 9", "level 11", "level", "save g", "quit"], "tic_tac_toe", "--you", 1, "--level", 1)
    said = answers(out)
    assert said["level 9"] == "from now on level:9 plays"
    assert "a level is from 1 to 10" in said["level 11"]
    assert "a level is from 1 to 10" in said["level"]
    assert SavedGame.read(tmp_path / "g").players == ("human", "level:9")
    assert "no computer plays here" in typed(["level 3"], "tic_tac_toe", "--players", "human,human")


def test_one_board_for_a_move_and_the_throw_after_it(typed):
    out = typed(["8/5 6/5"], "backgammon", "--you", 1, "--level", 1, "--moves", "31", "--interpreted")
    before, _, after = out.partition("you: 8/5 6/5")
    assert before.count("|BAR|") == 1
    assert after.lstrip().startswith("chance: ")


def test_the_end_is_told(typed):
    from_here = ["tic_tac_toe", "--you", 1, "--level", 10, "--moves", "a1 b1 a2 b2"]
    assert typed(["a3"], *from_here).endswith("over: X wins\nyou win\n")
    assert typed(["c1"], *from_here).endswith("over: O wins\nyou lose\n")  # b3
    full = "tic_tac_toe", "--you", 1, "--moves", "b2 a1 c1 a3 a2 c2 b3 b1"
    assert typed(["c3"], *full).endswith("over: a draw\n")


def test_named_terms_are_part_of_eval(typed):
    with native.interpreted():
        out = typed(["eval"], "breakthrough:rows=4,columns=3", "--you", 1, "--level", 1)
    terms = games.load("breakthrough").terms(games.load("breakthrough").initial())
    assert all(name in out for name in terms._fields)


def test_nothing_that_is_typed_ends_the_game(typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    noise = bytes(range(256)) * 20 + b"\n" + b"x" * 100_000 + b"\n\x1b[2J\x00\xff\n   \n-1\n1e999\nsave \x00\n{}[]%s\n"
    out = typed(noise + b"a1\n", "tic_tac_toe", "--you", 1, "--level", 1, "--seed", 1)
    assert "you: a1" in out  # the game went on
    assert "\x1b" not in out
    assert "\0" not in out
    assert out.count("is not a legal move here") >= 5
    assert list(tmp_path.iterdir()) == []
    assert out.endswith("X is to move\nthe game was not saved\n")


def test_a_move_goes_before_a_command_of_the_same_name(typed, tmp_path):
    source = (
        "from typing import NamedTuple\nfrom counterplay import Game\n\n\n"
        "class Words(Game):\n    class State(NamedTuple):\n        ply: int\n\n"
        "    def initial(self):        return self.State(0)\n"
        "    def player(self, s):      return s.ply % 2\n"
        "    def actions(self, s):     return range(0 if self.is_terminal(s) else 2)\n"
        "    def result(self, s, a):   return self.State(s.ply + 1)\n"
        "    def is_terminal(self, s): return s.ply == 3\n"
        "    def utility(self, s, p):  return 0.0\n"
        "    def action_name(self, s, a): return ('quit', 'undo')[a]\n"
    )
    file = tmp_path / "words.py"
    file.write_text(source)
    out = typed(["quit", "undo", "undo"], file, "--players", "human,human", "--interpreted")
    assert "the game is over" in out
    assert "player 2: undo" in out


def test_what_was_meant():
    moves = ["Nf3", "Nc3", "e4", "e3", "O-O"]
    assert meant("nf", moves) == ["Nf3"]
    assert meant("E5", moves) == ["e4", "e3"]
    assert meant("Nf4", moves)[0] == "Nf3"
    assert meant("x" * 10_000, moves) == []
    assert as_shown("a\x1b[2J" + "b" * 100) == "a?[2J" + "b" * 35 + "..."


# ---- games that go on


def test_a_saved_game_goes_on_as_it_would_have(typed, tmp_path):
    """The same dice, the same errors of the level, the same end, whether or not it was saved and taken back between."""
    file = tmp_path / "game.json"
    about = ["pig:goal=25", "--you", 1, "--level", 2, "--seed", 5, "--interpreted"]
    moves = ["roll", "hold"] * 20
    whole = json.loads(typed(moves, *about, "--json"))
    assert whole["terminal"]
    out = typed(["roll", f"save {file}", "undo", "roll", "quit"], *about)
    assert f"`counterplay play --load {file}` goes on\n" in out
    kept = SavedGame.read(file)
    assert (kept.players, kept.seed, kept.resigned) == (("human", "level:2"), 5, None)
    rest = moves[1:] if kept.moves[0] == "roll" else moves
    assert json.loads(typed(rest, "--load", file, "--json", "--interpreted")) == whole


def test_repetition_is_remembered_by_a_saved_game(counterplay, answer, tmp_path):
    source = (
        "from typing import NamedTuple\nfrom counterplay import Game\n\n\n"
        "class ToAndFro(Game):\n"
        '    """Walk to and fro."""\n\n'
        "    class State(NamedTuple):\n        ply: int\n\n"
        "    def initial(self):        return self.State(0)\n"
        "    def player(self, s):      return s.ply % 2\n"
        "    def actions(self, s):     return range(0 if self.is_terminal(s) else 1)\n"
        "    def result(self, s, a):   return self.State(s.ply + 1)\n"
        "    def is_terminal(self, s): return s.ply == 50\n"
        "    def utility(self, s, p):  return 1.0 if p == 0 else -1.0\n"
        "    def reversible(self, s):  return s.ply\n"
        "    def key(self, s):         return s.ply % 4\n"
    )
    file = tmp_path / "to_and_fro.py"
    file.write_text(source)
    told = answer("play", file, "--depth", "1", "--interpreted")
    assert (len(told["moves"]), told["terminal"], told["utilities"]) == (8, True, [0, 0])
    assert "the position came for the third time" in counterplay("play", file, "--depth", "1", "--interpreted")[1]
    saved = SavedGame("to_and_fro", "ply=0", ("0",) * 5, ("random", "random"))
    saved.write(tmp_path / "game.json")
    assert len(answer("play", file, "--load", tmp_path / "game.json", "--interpreted")["moves"]) == 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a saved game"),
        ("[]", "is not a saved game"),
        ('{"game": "nim", "begins": "", "moves": 3}', "is not a saved game"),
        ('{"game": "nim", "begins": "1,2", "moves": [1]}', "is not a saved game"),
        ('{"game": "nim", "begins": "1,2", "seed": "x"}', "is not a saved game"),
        ('{"game": "tic_tac_toe", "begins": ".../.../...", "resigned": 7}', "nobody at seat 7"),
        ('{"game": "mim", "begins": ""}', "no game 'mim'"),
        ('{"game": "tic_tac_toe", "begins": ".../.../...", "moves": ["a1", "a1"]}', "move 2: 'a1' is not a legal move"),
        ('{"game": "tic_tac_toe", "begins": ".../.../...", "players": ["human"]}', "has 2 players"),
    ],
)
def test_a_file_that_is_no_game_is_one_line(counterplay, tmp_path, text, message):
    file = tmp_path / "game.json"
    file.write_text(text)
    status, _, err = counterplay("play", "--load", file)
    assert (status, err.count("\n")) == (2, 1)
    assert message in err


# ---- at a terminal


class Terminal:
    """A command in a terminal of its own."""

    def __init__(self, *arguments, **environment):
        self.ours, theirs = pty.openpty()
        command = [sys.executable, "-c", "from counterplay.apps.cli import main; main()", *map(str, arguments)]
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "COUNTERPLAY_QUIET": "1", **environment}
        self.process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True,
            preexec_fn=self.attach,
        )  # fmt: skip
        os.close(theirs)
        self.seen = ""

    @staticmethod
    def attach():
        hear_ctrl_c()
        os.close(os.open(os.ttyname(0), os.O_RDWR))  # makes it the terminal that ctrl-C is of

    def until(self, text, urge=""):
        """What is shown before a text comes. `urge` is sent again for as long as nothing comes."""
        deadline = time.monotonic() + WATCHDOG_SECONDS
        while text not in self.seen:
            assert time.monotonic() < deadline, f"no '{text}' after: {self.seen}"
            if select.select([self.ours], [], [], 1)[0]:
                self.seen += os.read(self.ours, 4096).decode(errors="replace")
            else:
                self.send(urge)
        before, _, self.seen = self.seen.partition(text)
        return before

    def send(self, text):
        os.write(self.ours, text.encode())

    def ends(self):
        status = self.process.wait(timeout=WATCHDOG_SECONDS)
        os.close(self.ours)
        return status


def test_a_person_at_a_terminal():
    """Bad moves are answered, the tabulator completes, ctrl-C at the prompt leaves."""
    terminal = Terminal("play", "tic_tac_toe", "--level", 1, NO_COLOR="1")
    for line in ("z9\n", "mov\t\n", "a1\n", "un\t\n"):
        terminal.until("your move: ")
        terminal.send(line)
    terminal.until("your move: ")
    terminal.send("\x03")
    rest = terminal.until("was not saved", urge="\x03")  # Python is deaf between the prompt and its waiting for a key
    assert "so far: no moves" in rest
    assert terminal.ends() == 0


def test_arrow_keys_move_pacman():
    terminal = Terminal("play", "pacman", "--level", 1, "--interpreted")
    terminal.until("your move: ")
    terminal.send("\x1b[C")
    assert "you: E" in terminal.until("your move: ")
    terminal.send("\x04")
    terminal.until("was not saved")
    assert terminal.ends() == 0


def test_ctrl_c_makes_the_computer_move():
    terminal = Terminal("play", "connect_four", "--players", "alphabeta:seconds=1000,human")
    terminal.until("depth ")  # it thinks
    terminal.send("\x03")
    assert "X: " in terminal.until("your move: ")
    terminal.send("\x04")
    terminal.until("was not saved")
    assert terminal.ends() == 0


def test_ctrl_c_leaves_a_game_without_people():
    terminal = Terminal("play", "connect_four", "--players", "alphabeta:seconds=1000,alphabeta:seconds=1000")
    terminal.until("depth ")
    terminal.send("\x03")
    terminal.until("so far: no moves; X is to move")
    assert terminal.ends() == 0


# ---- levels


def test_levels_are_players_that_depend_on_the_seed_only():
    game = games.load("tic_tac_toe")
    states = [game.initial(), game.at("b2").state]
    chosen = [arena.new_player(game, "level:2", seed).choose(states) for seed in range(12)]
    again = [arena.new_player(game, "level:2", seed) for seed in range(12)]
    assert chosen == [player.choose(states) for player in again] == [player.choose(states) for player in again]
    assert len(set(chosen)) > 2
    with pytest.raises(UserError, match="a level is from 1 to 10, as in 'level:5', not 'high'"):
        arena.new_player(game, "level:high")
    with pytest.raises(UserError, match="no player is to move"):
        LevelPlayer(game, 1).choose([game.at("a1 b1 a2 b2 a3").state])


def test_the_lowest_level_wins_where_it_can_at_once():
    game = games.load("tic_tac_toe")
    here = game.at("a1 b1 a2 b2")
    for seed in range(20):
        assert game.action_name(here.state, LevelPlayer(game, 1, seed).choose([here.state])) == "a3"


@pytest.mark.parametrize("level", [2, 6, 10])
def test_errors_are_as_frequent_as_declared(level):
    """Where one move alone does not lose, it is overlooked with the level's probability."""
    game, n = games.load("tic_tac_toe"), 80
    s = game.at("b2 a1 b1").state
    found = [LevelPlayer(game, level, seed).search([s]) for seed in range(n)]
    wrong = sum(result.action_name != "b3" for result in found)
    p = arena.LEVELS[level].error
    assert abs(wrong - n * p) <= 3 * (n * p * (1 - p)) ** 0.5
    assert all(result.line[0] == result.action for result in found)
    assert all(result.value > 0 for result in found if result.action_name != "b3")  # it knows what it does


def test_levels_fall_and_rise_together():
    levels = list(arena.LEVELS.values())
    assert [each.nodes for each in levels] == sorted({each.nodes for each in levels})
    assert [each.error for each in levels] == sorted({each.error for each in levels}, reverse=True)
    assert levels[-1] == arena.Level(1_000_000, 0.0)


@pytest.mark.slow
def test_a_higher_level_is_stronger():
    score = arena.match(games.load("connect_four"), ("level:5", "level:1"), 20)
    assert score.points >= 0.8


def test_levels_play_any_game():
    with native.interpreted():
        for name in ("two_against_one", "pig:players=3,goal=10", "pig:goal=10", "nim:heaps=[2,3]"):
            game = games.load(name)
            result = LevelPlayer(game, 2, 1).search([game.initial()])
            assert result.action in list(game.actions(game.initial()))


def test_the_table_of_levels_is_measured_and_goes_on(tmp_path):
    command = [sys.executable, Path(__file__).parent.parent / "benchmarks" / "levels.py", "--folder", tmp_path]
    command += ["--games", "2", "--only", "connect_four", "--levels", "3"]
    rows = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("  ") for _ in range(2)]
    assert rows[0][:-1] == rows[1][:-1]  # but for the time
    assert len((tmp_path / "connect_four-3-1.jsonl").read_text().splitlines()) == 3
