"""A game in a file, whose rule `worth` is what a test wants, and scripts in processes of their own."""

import os
import subprocess
import sys
import textwrap

from counterplay import Bits
from counterplay.native import native

GAME_FILE = """
from typing import NamedTuple
from counterplay import Bits, Game, mix64
{top}

class Pile(Game):
    heap: int = 9

    class State(NamedTuple):
        stones: int
        turn: int

    def initial(self): return self.State(self.heap, 0)
    def player(self, s): return s.turn
    def actions(self, s): return range(1, min(3, s.stones) + 1)
    def result(self, s, a): return self.State(s.stones - a, 1 - s.turn)
    def is_terminal(self, s): return s.stones == 0
    def utility(self, s, p): return -1.0 if s.turn == p else 1.0
    def show(self, s): return "{shown}"
    def worth(self, s, b):
{rule}
"""


def write_game(path, rule="return s.stones", top="", shown="a pile", name="Pile"):
    """A file with a game in it whose rule `worth` is the given lines."""
    rule = textwrap.indent(textwrap.dedent(rule), " " * 8)
    path.write_text(GAME_FILE.format(top=textwrap.dedent(top), rule=rule, shown=shown).replace("Pile", name))
    return str(path)


@native
def worth(game, s):
    return game.worth(s, Bits(9, (3, 4)))


def environment(tmp_path, **variables):
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("COUNTERPLAY_", "PYTHONHASHSEED"))}
    return {**inherited, "COUNTERPLAY_CACHE_DIR": str(tmp_path / "cache"), **variables}


def python(tmp_path, code, *arguments, **variables):
    """Run a script in a process of its own."""
    (tmp_path / "script.py").write_text(textwrap.dedent(code))
    command = [sys.executable, "script.py", *arguments]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(tmp_path, **variables), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done
