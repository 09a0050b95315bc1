"""Games that never end, rules that never return, states without a move or with too many: what is said, and soon."""

import os
import signal
import subprocess
import sys
import time
from textwrap import dedent

import pytest

from counterplay import UserError, games, native, search
from counterplay.apps.cli import show_game
from counterplay.core.errors import EndlessGame
from counterplay.core.game import RulesError, listed_actions
from counterplay.search.playout import MOST_PLIES
from counterplay.search.run import MOST_THREADS, Job
from counterplay.search.table import TranspositionTable
from counterplay.study.check import examine, examine_text
from counterplay.study.check.watchdog import examine_watched
from tests.processes import WATCHDOG_SECONDS, hear_ctrl_c
from tests.small_games import Nim

pytestmark = pytest.mark.long

GAME = """
from typing import NamedTuple
from counterplay import Game


class Walk(Game):
    class State(NamedTuple):
        ply: int
        row: tuple

    def initial(self):        return self.State(0, (1, 2, 3))
    def player(self, s):      return s.ply % 2
    def actions(self, s):     return range({actions})
    def result(self, s, a):   return self.State({following}, s.row)
    def is_terminal(self, s): return {over}
    def utility(self, s, p):  return 1.0 if p == 0 else -1.0
"""


@pytest.fixture
def walk(tmp_path):
    """A file with a game that has one thing wrong with it."""

    def write(actions="2 if s.ply < 9 else 0", following="s.ply + 1", over="s.ply == 9"):
        file = tmp_path / "walk.py"
        file.write_text(dedent(GAME).format(actions=actions, following=following, over=over))
        return file

    return write


ENDLESS = {"actions": "2", "following": "(s.ply + 1 + a) % 1000", "over": "s.ply < 0"}
STUCK = {"actions": "2 if s.ply < 3 else 0"}
WIDE = {"actions": "10**9 if s.ply < 9 else 0"}


@pytest.mark.parametrize("mode", [native.compiled, native.interpreted])
def test_random_play_notices_a_game_that_never_ends(walk, mode):
    game = games.load(str(walk(**ENDLESS)))
    for play in (
        lambda: search.playout(game, game.initial(), search.new_random(1)),
        lambda: search.mean_utility(game, game.initial(), 3, search.new_random(1)),
    ):
        with pytest.raises(EndlessGame, match=f"did not end within {MOST_PLIES:,} plies"), mode():
            play()
    with mode(), pytest.raises(EndlessGame, match="a random game of walk did not end"):
        search.mcts(game, simulations=5)


def test_play_between_computers_is_left_when_it_never_ends(walk, counterplay, monkeypatch):
    monkeypatch.setattr(show_game, "_MOST_MOVES", 30)
    status, out, _ = counterplay("play", walk(**ENDLESS), "--players", "random,random", "--interpreted")
    assert status == 0
    assert "left after 30 moves; `counterplay check` says whether games end" in out


def test_ctrl_c_ends_random_games_from_python(monkeypatch):
    wait, heard = Job.wait, []

    def interrupted(self, seconds=None):
        if not heard:
            heard.append(True)
            raise KeyboardInterrupt
        return wait(self, seconds)

    game = Nim()
    search.mean_utility(game, game.initial(), 1, search.new_random(1))
    monkeypatch.setattr(Job, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        search.mean_utility(game, game.initial(), 30_000_000, search.new_random(1))


def test_check_says_that_no_game_has_ended(walk):
    report = examine(games.load(str(walk(**ENDLESS))), compare=False)
    assert [problem.property for problem in report.problems] == ["games end"]
    assert "no random game has ended" in str(report)
    long = examine(games.load(str(walk("1 if s.ply < 3000 else 0", over="s.ply == 3000"))), 1, compare=False)
    assert long.ok


def test_bench_names_a_game_that_never_ends(walk, counterplay):
    status, _, err = counterplay("bench", walk(**ENDLESS), "--seconds", 0.01)
    assert (status, err.splitlines()[-1].startswith("counterplay: walk: a random game from here did not end")) == (
        2,
        True,
    )


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "expectiminimax", "maxn", "paranoid"])
def test_a_live_state_without_actions_is_said(walk, algorithm):
    game = games.load(str(walk(**STUCK)))
    with native.interpreted():
        for s in (game.initial(), game.State(3, (1, 2, 3))):
            with pytest.raises(RulesError, match="a state without actions that is not over"):
                search.new_engine(algorithm, game).search(s, search.Limits(depth=6))


def test_the_computer_says_that_it_has_no_move(walk, counterplay):
    status, _, err = counterplay("play", walk(**STUCK), "--level", 3, "--interpreted")
    assert (status, err) == (
        2,
        "counterplay: there is a state without actions that is not over; `counterplay check` says which\n",
    )


@pytest.mark.parametrize("command", [("show",), ("search", "--depth", 1), ("play", "--level", 2), ("check",)])
def test_more_actions_than_can_be_listed_are_refused(walk, counterplay, command):
    status, out, err = counterplay(command[0], walk(**WIDE), *command[1:])
    assert status == (1 if command == ("check",) else 2)
    most = "512 moves in a position" if command[0] == "search" else "1,000,000 actions at a state"
    assert f"walk has more than {most}" in out + err


def test_actions_are_listed():
    game = games.load("tic_tac_toe")
    assert listed_actions(game, game.initial()) == list(range(9))


def test_what_compiled_rules_raise_is_one_line(walk, counterplay):
    status, _, err = counterplay("search", walk(following="s.ply + s.row[s.ply]"), "--depth", 8)
    last = err.splitlines()[-1]
    assert (status, last.startswith("counterplay: in the compiled rules of walk"), "IndexError" in last) == (
        2,
        True,
        True,
    )


@pytest.mark.parametrize("algorithm", ["alphabeta", "mcts"])
def test_there_are_not_that_many_threads(algorithm):
    with pytest.raises(UserError, match=f"1 to {MOST_THREADS} threads, not 100000"):
        search.new_engine(algorithm, games.load("tic_tac_toe"), threads=100_000)


def test_a_table_larger_than_the_memory_is_refused(monkeypatch):
    def no_memory(*_):
        raise MemoryError

    monkeypatch.setattr("counterplay.search.table.np.zeros", no_memory)
    with pytest.raises(UserError, match=r"no memory for a table of 1e\+06 MB"):
        TranspositionTable(1e6)


# ---- rules that never return, and ctrl-C


LOOPS = {"following": "s.ply + 1 if s.ply != 5 else next(n for n in iter(int, 1) if n)"}


def test_check_ends_a_rule_that_never_returns(walk, counterplay):
    status, out, _ = counterplay("check", walk(**LOOPS), "--patience", 3)
    assert status == 1
    assert "walk.py:14: [rules return] result did not return within 3 seconds; does it loop for ever?" in out


def test_check_outlives_a_file_that_ends_the_process(walk, counterplay):
    status, out, _ = counterplay("check", walk(over="__import__('os')._exit(3)"))
    assert status == 1
    assert "[no crash] the process ended (status 3) while it asked is_terminal" in out


def test_the_examination_by_a_watched_process_is_the_same(walk):
    file = str(walk(**STUCK))
    told = []
    assert examine_watched(file, playouts=3) == examine_text(file, playouts=3, told=told.append)
    assert {"initial", "actions", "result"} <= set(told)


def test_patience_is_more_than_nothing(walk, counterplay):
    assert counterplay("check", walk(), "--patience", 0)[::2] == (
        2,
        "counterplay: a rule may take more than 0 seconds, not 0\n",
    )


def interrupted(tmp_path, *arguments, is_ready):
    """Start a command, press ctrl-C when its output says that it is ready: exit status and output."""
    command = [sys.executable, "-m", "counterplay", *map(str, arguments)]
    environment = {**os.environ, "COUNTERPLAY_CACHE_DIR": str(tmp_path / "cold"), "PYTHONUNBUFFERED": "1"}
    environment.pop("COUNTERPLAY_QUIET", None)
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, preexec_fn=hear_ctrl_c
    )
    seen = b""
    while is_ready not in seen:
        part = os.read(process.stdout.fileno(), 4096)
        assert part, seen
        seen += part
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=WATCHDOG_SECONDS)
    return process.returncode, (seen + rest).decode()


@pytest.mark.parametrize("command", [("search", "chess", "--depth", 3), ("bench", "othello"), ("perft", "chess")])
def test_ctrl_c_while_compiling_ends_the_program(tmp_path, command):
    status, out = interrupted(tmp_path, *command, is_ready=b"compiling")
    assert status == 130
    assert "... interrupted\ncounterplay: interrupted" in out


def test_whether_something_is_being_compiled_is_known(walk):
    assert not native.is_compiling()
    announcement = native.Announcement(test_actions_are_listed, games.load("nim"))
    assert native.is_compiling()
    announcement.failed("interrupted")
    assert not native.is_compiling()
