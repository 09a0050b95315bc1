"""Machine code on disk: what it depends on, and what the next process finds there."""

import os
import re
import stat
import subprocess
import sys
import textwrap
from types import ModuleType

import pytest

from counterplay import games
from counterplay.native import cache, source
from tests.pile import environment, python, worth, write_game

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, tmp_path):
    """Each test begins with an empty cache and no switches, whatever the suite runs with."""
    for name in ("COUNTERPLAY_INTERPRETED", "COUNTERPLAY_QUIET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COUNTERPLAY_CACHE_DIR", str(tmp_path / "cache"))


def test_code_from_disk_needs_little_of_the_compiler(tmp_path):
    """All that Numba knows of NumPy is loaded to compile, which takes longer than everything else at a warm start."""
    code = """
        import sys
        from counterplay import games, search
        print(search.minimax(games.load("nim"), depth=3).nodes, "numba.np.linalg" in sys.modules)
    """
    cold, warm = (python(tmp_path, code).stdout.split() for _ in range(2))
    assert (cold[1], warm[1]) == ("True", "False")
    assert cold[0] == warm[0]


# ---- the fingerprint: what machine code depends on


def made(text, name="f"):
    """The function of that name after running the text."""
    scope = {"__name__": "made"}
    exec(textwrap.dedent(text), scope)
    return scope[name]


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("def f(x): return x + N", "1", "2"),
        ("def f(x): return x + N", "1", "1.0"),
        ("def f(x): return x + N", "1", "True"),
        ("def f(x): return x N 1", "+", "-"),
        ("def f(x, y=N): return x + y", "1", "2"),
        ("def f(x, *, y=N): return x + y", "1", "2"),
        ("K = N\ndef f(x): return x + K", "1", "2"),
        ("K = 1, (2, N)\ndef f(x): return K", "3", "4"),
        ("K = [1, N]\ndef f(x): return K", "3", "4"),
        ("K = {1: N}\ndef f(x): return K", "3", "4"),
        ("K = {1, N}\ndef f(x): return K", "3", "4"),
        ("K = 1\ndef f(x): return [i + K + N for i in x]", "1", "2"),
        ("def f(x): return x in {1, N}", "2", "3"),
        ("def h(x): return x + N\ndef f(x): return h(x)", "1", "2"),
        ("def h(x, y=N): return x + y\ndef f(x): return h(x)", "1", "2"),
        ("def m(k):\n def f(x): return x + k\n return f\nf = m(N)", "1", "2"),
        ("from N import sin\ndef f(x): return sin(x)", "math", "cmath"),
        ("import numpy\nT = numpy.array([1, N])\ndef f(x): return T", "2", "3"),
        ("class A:\n def g(self): return N\ng = A.g\ndef f(x): return g(x)", "2", "3"),
        ("class A(tuple):\n def g(self): return N\ng = A().g\ndef f(x): return g()", "2", "3"),
    ],
)
def test_the_fingerprint_changes_with_code_constants_defaults_closures_and_helpers(text, one, other):
    before, same, after = (source.fingerprint(made(text.replace("N", value))) for value in (one, one, other))
    assert before == same
    assert before != after


def test_the_fingerprint_follows_modules_within_packages():
    function = made("def f(x): return a.b.c(x)")
    package, module = ModuleType("a"), ModuleType("b")
    package.b = module
    function.__globals__["a"] = package
    marks = set()
    for n in (1, 2):
        module.c = made(f"def f(x): return {n}")
        marks.add(source.fingerprint(function))
    assert len(marks) == 2


def test_the_fingerprint_of_a_game_is_of_its_rules_not_of_how_it_is_shown(tmp_path):
    def mark(parameters="", **changes):
        return source.fingerprint(games.load(write_game(tmp_path / "marked.py", **changes) + parameters))

    assert mark() == mark(shown="another text") == mark(":heap=9")
    assert len({mark(), mark(rule="return 1"), mark(":heap=8")}) == 3
    uses = "return len(self.show(s))"
    assert mark(rule=uses) != mark(rule=uses, shown="a text that a rule reads")


def test_the_fingerprint_of_a_parameter_given_as_its_default_is_the_same():
    one, other = games.load("nim"), games.load("nim:heaps=[3,4,5]")
    assert source.fingerprint(one) == source.fingerprint(other)


def test_what_has_no_lasting_content_has_no_fingerprint():
    with pytest.raises(source.CannotFingerprint):
        source.fingerprint(made("thing = object()\ndef f(x): return thing"))


def test_the_fingerprint_is_the_same_in_every_process(tmp_path):
    code = """
        import enum, math
        from typing import NamedTuple
        from counterplay import Bits, games
        from counterplay.native import source

        class Piece(enum.IntEnum):
            PAWN = 1
            KING = 2

        class Move(NamedTuple):
            start: int
            end: int = 5

        NAMES = frozenset({"pawn", "king", "queen", "rook"})

        def adder(k, names={"a": 1, "b": 2}):
            return lambda x: x + k + len(names)

        add = adder(3)

        def f(x):
            if x in {"one", "two", "three", "four"} or x in NAMES or x == Piece.KING:
                return Move(1, math.floor(add(x)))
            return [y for y in Bits(9, (1, 2))]

        print(source.fingerprint(f), source.fingerprint(games.load("tic_tac_toe")))
    """
    one, other = (python(tmp_path, code, PYTHONHASHSEED=seed).stdout for seed in ("1", "2"))
    assert one == other
    assert len(set(one.split())) == 2


# ---- the cache on disk

WORTH = """
import sys
from counterplay import games
from counterplay.native import native

@native
def worth(game, s):
    return game.worth(s, 0)

for text in sys.argv[1:]:
    game = games.load(text)
    print(worth(game, game.initial()))
"""


MAIN_SCRIPT = """
import pickle
from pathlib import Path
from typing import NamedTuple
from counterplay import Game, games
from counterplay.native import native

class Mark(NamedTuple):
    n: int

class Own(Game):
    class State(NamedTuple):
        stones: int
        mark: Mark

    def initial(self): return self.State(9, Mark(0))
    def player(self, s): return 0
    def actions(self, s): return range(1, s.stones + 1)
    def result(self, s, a): return self.State(s.stones - a, Mark(a))
    def is_terminal(self, s): return s.stones == 0
    def utility(self, s, p): return 0.0

@native
def play(game, s, n):
    for _ in range(n):
        for a in game.actions(s):
            break
        s = game.result(s, a)
    return s

kept = Path("kept.pickle")
if kept.exists():
    game, s = pickle.loads(kept.read_bytes())  # from the process before, which had run them compiled
    print(type(game) is Own, type(s) is Own.State, type(s.mark) is Mark, play(game, s, 1))

for game in (Own(), games.load("tic_tac_toe"), games.load("pile.py")):
    s = play(game, game.initial(), 2)
    print(game, s, type(s) is type(game).State)
    if type(game) is Own:
        print(type(s.mark) is Mark)
        kept.write_bytes(pickle.dumps((game, s)))
"""


@pytest.fixture(scope="module")
def two_processes(tmp_path_factory):
    """The same script run twice, with games of every origin in it."""
    place = tmp_path_factory.mktemp("two")
    write_game(place / "pile.py")
    return python(place, MAIN_SCRIPT), python(place, MAIN_SCRIPT)


@pytest.mark.parametrize("game", ["own for play", "tic_tac_toe for play", "pile for play"])
def test_the_next_process_does_not_compile_again(two_processes, game):
    first, second = two_processes
    assert f"compiling {game}" in first.stderr
    assert f"compiling {game}" not in second.stderr


def test_the_next_process_finds_the_same_and_in_the_right_classes(two_processes):
    first, second = two_processes
    assert second.stdout.splitlines()[1:] == first.stdout.splitlines()
    assert "False" not in second.stdout


def test_games_and_states_of_a_script_can_be_pickled_and_used_by_the_next_process(two_processes):
    assert two_processes[1].stdout.splitlines()[0] == "True True True State(stones=6, mark=Mark(n=1))"


def test_functions_that_call_each_other_are_right_in_the_next_process_too(tmp_path):
    """Numba cannot link them from disk. A function that calls itself with other types is such a case as well."""
    top = """
        def is_even(n):
            if n == 0:
                return True
            return is_odd(n - 1)

        def is_odd(n):
            if n == 0:
                return False
            return is_even(n - 1)

        def total(n, flag):
            if n == 0:
                return 0
            return n + total(n - 1, 1)
    """
    write_game(tmp_path / "mutual.py", "return is_even(s.stones)", top)
    write_game(tmp_path / "typed.py", "return total(s.stones, False)", top)
    for _ in range(2):
        assert python(tmp_path, WORTH, "mutual.py", "typed.py").stdout.split() == ["False", "45"]


def test_an_edit_anywhere_takes_effect_in_the_next_process(tmp_path):
    """Edits of the same length, made within the same second."""
    game, helper, data = tmp_path / "edited.py", tmp_path / "helper.py", tmp_path / "data.txt"
    top = """
        import helper
        from helper import f
        from pathlib import Path
        Game.price = property(lambda self: int(Path("data.txt").read_text()))
    """
    rule = "return 1 + f(s.stones) * 10 + helper.N * 1000 + self.price * 10_000"
    write_game(game, rule, top)
    helper.write_text("N = 3\ndef f(x): return x - N\n")
    data.write_text("5")

    def run():
        return int(python(tmp_path, WORTH, "edited.py").stdout)

    assert run() == 53_061
    write_game(game, rule.replace("1 +", "2 +"), top)
    assert run() == 53_062
    helper.write_text("N = 3\ndef f(x): return x + N\n")
    assert run() == 53_122
    helper.write_text("N = 4\ndef f(x): return x + N\n")
    assert run() == 54_132
    data.write_text("6")
    assert run() == 64_132


def test_a_damaged_file_is_replaced(tmp_path):
    files = [write_game(tmp_path / f"{name}.py", name=name) for name in ("Short", "Noise", "Wrong")]
    assert python(tmp_path, WORTH, *files).stdout.split() == ["9"] * 3

    short, noise, wrong = (next((tmp_path / "cache").glob(f"{name}-*")) for name in ("short", "noise", "wrong"))
    short.write_bytes(short.read_bytes()[:-100])
    noise.write_bytes(os.urandom(1000))
    code = bytearray(wrong.read_bytes())
    code[len(code) // 2] ^= 0xFF
    wrong.write_bytes(code)
    again = python(tmp_path, WORTH, *files)
    assert again.stdout.split() == ["9"] * 3
    assert again.stderr.count("compiling") == 3

    assert python(tmp_path, WORTH, *files).stderr == ""


def test_cold_processes_at_the_same_time_are_both_right(tmp_path):
    write_game(tmp_path / "pile.py", "return s.stones * 7")
    (tmp_path / "script.py").write_text(WORTH)
    command = [sys.executable, "script.py", "pile.py"]
    both = [
        subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [process.communicate()[0].strip() for process in both] == ["63", "63"]


def test_helpers_of_one_name_in_two_files_stay_apart_when_both_come_from_disk(tmp_path):
    """Numba issue 10486: symbols of code that two processes compiled can collide in a third."""
    for file, factor in (("one.py", 2), ("two.py", 5)):
        top = f"def helper(x):\n    if x < 100:\n        return x * {factor}\n    return helper(x - 1)"
        write_game(tmp_path / file, "return helper(s.stones)", top)
        python(tmp_path, WORTH, file)
    both = python(tmp_path, WORTH, "one.py", "two.py")
    assert both.stderr == ""
    assert both.stdout.split() == ["18", "45"]


def test_the_folder_is_private(tmp_path):
    assert cache.folder() == tmp_path / "cache"
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_to_is_not_used(tmp_path, mode):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(mode)
    game = games.load(write_game(tmp_path / "open.py", f"return {mode}"))
    assert worth.compiled(game, game.initial()) == mode
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_folder_that_others_may_read_is_made_private(tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o755)
    assert cache.folder() == tmp_path / "cache"
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700


def test_files_are_private_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        cache._write(cache.folder() / "a.bin", b"code")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "cache" / "a.bin").stat().st_mode) == 0o600
    assert cache._read(tmp_path / "cache" / "a.bin") == b"code"


def planted(kind, path, monkeypatch):
    """Put something at a cache file's place that is not a file which only the user could have written."""
    if kind == "other user":
        mine = os.fstat
        monkeypatch.setattr(os, "fstat", lambda fd: os.stat_result([*mine(fd)[:4], os.getuid() + 1, *mine(fd)[5:]]))
        return
    elsewhere = path.with_name("elsewhere")
    path.rename(elsewhere)
    match kind:
        case "others may write":
            elsewhere.rename(path)
            path.chmod(0o666)
        case "link":
            path.symlink_to(elsewhere)
        case "folder":
            path.mkdir()
        case "full folder":
            path.mkdir()
            (path / "file").touch()
        case "pipe":
            os.mkfifo(path)


@pytest.mark.parametrize("kind", ["other user", "others may write", "link", "folder", "full folder", "pipe"])
def test_what_others_may_have_planted_is_never_loaded(tmp_path, monkeypatch, kind):
    path = cache.folder() / "a.bin"
    cache._write(path, b"code")
    planted(kind, path, monkeypatch)
    with pytest.raises(OSError, match=r"not a file of ours|Is a directory|symbolic links|Too many"):
        cache._read(path)
    monkeypatch.undo()
    cache._remove(path)
    cache._write(path, b"new code")
    if kind != "full folder":  # which nobody but its owner dares to delete
        assert cache._read(path) == b"new code"


def test_a_folder_at_a_cache_file_s_place_costs_only_compiling(tmp_path):
    game = games.load(write_game(tmp_path / "blocked.py", "return 77"))
    assert worth.compiled(game, game.initial()) == 77
    (file,) = (tmp_path / "cache").glob("*.bin")
    file.unlink()
    (file / "inside").mkdir(parents=True)
    assert python(tmp_path, WORTH, "blocked.py").stdout.split() == ["77"]
    assert list((tmp_path / "cache").glob("*.part")) == []


def test_what_a_dead_process_was_writing_is_cleared_away(tmp_path):
    old, new = cache.folder() / "old.part", cache.folder() / "new.part"
    old.symlink_to(tmp_path / "target")
    os.utime(old, (0, 0), follow_symlinks=False)
    new.touch()
    cache._write(cache.folder() / "a.bin", b"code")
    assert sorted(path.name for path in cache.folder().iterdir()) == ["a.bin", "new.part"]
    assert not (tmp_path / "target").exists()


def test_a_full_folder_loses_what_was_not_used_for_longest(monkeypatch):
    monkeypatch.setattr(cache, "_LIMIT_BYTES", 2500)
    for age, name in enumerate(["c.bin", "b.bin", "a.bin"]):
        cache._write(cache.folder() / name, bytes(1000))
        os.utime(cache.folder() / name, (age, age))
    cache._write(cache.folder() / "a.bin", bytes(1000))
    assert sorted(path.name for path in cache.folder().iterdir()) == ["a.bin", "b.bin"]


def test_compiling_is_announced_unless_quiet(tmp_path, monkeypatch, capsys):
    game = games.load(write_game(tmp_path / "loud.py", "return 1"))
    worth(game, game.initial())
    assert re.fullmatch(r"counterplay: compiling pile for worth \.\.\. \d+\.\d s\n", capsys.readouterr().err)
    monkeypatch.setenv("COUNTERPLAY_QUIET", "1")
    game = games.load(write_game(tmp_path / "loud.py", "return 2"))
    worth(game, game.initial())
    assert capsys.readouterr().err == ""
