"""Machine code and plain Python: which runs when, what rules may use, what failures say."""

import dis
import gc
import re
import textwrap
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from types import CodeType
from typing import NamedTuple

import llvmlite.binding
import numba
import numba.core.event
import numpy as np
import pytest
from numba.core.runtime import _nrt_python as memory
from numba.core.runtime import rtsys as runtime

from counterplay import Bits, Game, games, search
from counterplay import native as native_package
from counterplay.native import CannotCompile, compiled, interpreted, is_interpreted, native
from counterplay.native import compile as native_compile
from counterplay.native.source import calls_itself, fingerprint, globals_used
from tests.pile import python, worth, write_game
from tests.small_games import Nim

MODES = ("interpreted", "compiled")


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, tmp_path):
    """Each test begins with an empty cache and no switches, whatever the suite runs with."""
    for name in ("COUNTERPLAY_INTERPRETED", "COUNTERPLAY_QUIET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COUNTERPLAY_CACHE_DIR", str(tmp_path / "cache"))


NIM = Nim()


# ---- modes


@native
def squared(game, x):
    return x * x


@native
def calls_another(game, x):
    return squared(game, x)


@native
def next_to(game, pair):
    bits, step = pair
    return bits << step


def is_machine_code(game, function=squared):
    """Whether 64 bits are all there are."""
    return function(game, 10**10) != 10**20


def test_a_native_function_runs_as_machine_code():
    assert is_machine_code(NIM)
    assert is_machine_code(NIM, calls_another)
    assert not is_interpreted(NIM)


def test_types_are_found_once_for_all_calls_that_look_alike(monkeypatch):
    calls = []
    by_types = native_compile._call_by_types
    monkeypatch.setattr(native_compile, "_call_by_types", lambda *args: calls.append(args) or by_types(*args))
    nim = Nim()
    assert [squared(nim, x) for x in (2, 3, 1.5, 2.5, -4, True)] == [4, 9, 2.25, 6.25, 16, 1]
    assert [args[2] for args in calls] == [2, 1.5, True]
    a, b, far = Bits(9, [2]), Bits(9, [3, 4]), Bits(90, [88])
    assert [tuple(next_to(nim, (each, 1))) for each in (a, b, far, a)] == [(3,), (4, 5), (89,), (3,)]
    assert [args[2][0] for args in calls[3:]] == [a, far]


def test_the_names_of_globals_are_those_of_the_disassembler():
    """Byte code is another in each version of Python; a fingerprint that misses a name would let code be stale."""
    codes = [
        compile(file.read_text("utf-8"), file.name, "exec") for file in Path(dis.__file__).parent.glob("[a-h]*.py")
    ]
    codes += [compile("\n".join(f"n{i}" for i in range(5_000)), "many names", "exec")]
    for code in codes:
        for each in (code, *(const for const in code.co_consts if isinstance(const, CodeType))):
            seen = {i.argval for i in dis.get_instructions(each) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
            inner = [globals_used(const) for const in each.co_consts if isinstance(const, CodeType)]
            assert globals_used(each) == seen.union(*inner)


def test_a_number_beyond_the_machine_is_refused_each_time():
    nim = Nim()
    assert squared(nim, 3) == 9
    for _ in range(2):
        with pytest.raises(OverflowError):
            squared(nim, 1 << 80)


def test_interpreted_runs_one_call_and_all_it_calls_as_python():
    assert not is_machine_code(NIM, squared.interpreted)
    assert not is_machine_code(NIM, calls_another.interpreted)
    assert is_machine_code(NIM)


def test_inside_interpreted_every_call_is_python():
    with interpreted():
        assert not is_machine_code(NIM)
        with compiled():
            assert is_machine_code(NIM)
        assert is_interpreted(NIM)
    assert is_machine_code(NIM)


def test_a_game_may_say_that_compiling_does_not_pay():
    class Data(Nim):
        compiled = False

    assert not is_machine_code(Data())


def test_the_environment_makes_a_whole_process_interpreted_without_a_compiler(tmp_path):
    code = """
        import sys
        from counterplay import games, search
        print(search.minimax(games.load("tic_tac_toe"), depth=2).nodes, "numba" in sys.modules)
    """
    assert python(tmp_path, code, COUNTERPLAY_INTERPRETED="1").stdout.split() == ["82", "False"]


def test_both_modes_find_the_same_value_and_nodes():
    game = games.load("tic_tac_toe")
    with compiled():
        fast = search.minimax(game, depth=4)
    with interpreted():
        slow = search.minimax(game, depth=4)
    assert (fast.value, fast.nodes, fast.line, fast.actions) == (slow.value, slow.nodes, slow.line, slow.actions)


def test_what_a_rule_raises_as_it_runs_is_what_the_caller_gets():
    with compiled(), pytest.raises(ValueError, match="no stones"):
        stones_below(NIM, NIM.initial(), 9)
    assert stones_below(NIM, NIM.initial(), 4) == 5


@native
def stones_below(game, s, n):
    if n >= s.stones:
        raise ValueError("no stones")
    return s.stones - n


def test_threads_may_compile_at_the_same_time():
    heaps = range(20, 26)
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda heap: first_choices(Nim(heap=heap), Nim(heap=heap).initial()), heaps))
    assert found == [heap * 10 + 3 for heap in heaps]


@native
def first_choices(game, s):
    return s.stones * 10 + len(game.actions(s))


# ---- what rules may use


class Piece(IntEnum):
    PAWN = 1
    KING = 2


class Grid(Game):
    """A game that uses of Python what rules are wont to use."""

    size: int = 3
    weight: float = 0.5
    wrap: bool = False
    steps: tuple = (1, 2, 4)

    class State(NamedTuple):
        board: Bits
        score: float

    table = np.arange(12).reshape(3, 4)
    big = 2**62
    king = Piece.KING

    @cached_property
    def area(self):
        return self.size * self.size

    @property
    def corners(self):
        return Bits(self.area, [0, self.area - 1])

    @property
    def rows(self):
        return tuple((r, Bits(self.area, range(r * self.size, (r + 1) * self.size))) for r in range(self.size))

    def initial(self):
        return self.State(self.corners, 1.5)

    def player(self, s):
        return 0

    def actions(self, s):
        for square in ~s.board:
            if self.allows(square):
                yield square

    def result(self, s, a):
        return self.State(s.board.add(a), s.score + self.weight)

    def is_terminal(self, s):
        return not ~s.board

    def utility(self, s, p):
        return s.score

    def allows(self, square):
        return True

    @staticmethod
    def doubled(x):
        return 2 * x

    def scaled(self, x, factor=10, offset=0):
        return x * factor + offset


class Even(Grid):
    """Overrides a helper that inherited rules call."""

    def allows(self, square):
        return square % 2 == 0


@native
def facts(game, s):
    listed = 0
    for a in game.actions(s):
        listed = listed * 31 + a & 0xFFFFFF
    in_rows = 0
    for r, row in game.rows:
        in_rows += r * len(row & s.board)
    after = game.result(s, 1)
    return (
        (listed, in_rows, game.area, game.size, game.weight, game.wrap, game.steps[1], sum(game.steps), game.big),
        (
            game.corners,
            after,
            after.score,
            game.doubled(21),
            int(game.table[1, 2]),
            game.knows.evaluate,
            game.king == Piece.KING,
        ),
        (game.scaled(2), game.scaled(2, 3), game.scaled(2, offset=1), game.scaled(factor=4, x=1)),
    )


@pytest.mark.parametrize("game", [Grid(), Grid(size=5, weight=2.0, steps=(3, 0, 1)), Even(size=4)], ids=str)
def test_attributes_properties_and_methods_are_those_of_the_game(game):
    s = game.initial()
    assert facts.compiled(game, s) == facts.interpreted(game, s)


def test_a_parameter_and_a_subclass_change_the_machine_code():
    s = Grid(size=4).initial()
    listed = {game: facts.compiled(game, s)[0][0] for game in (Grid(size=4), Even(size=4))}
    assert len(set(listed.values())) == 2
    assert facts.compiled(Grid(size=4), s)[0][3] == 4
    assert facts.compiled(Grid(size=5), Grid(size=5).initial())[0][3] == 5


def tripled(x):
    return 3 * x


def factorial(n):
    if n < 2:
        return 1
    return n * factorial(n - 1)


def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


def adder(k):
    def add(x):
        return x + k

    return add


add_seven = adder(7)


@native
def with_helpers(game, x):
    def inner(y):
        return y - x

    return tripled(x), factorial(x), is_even(x), add_seven(x), inner(100), [tripled(i) for i in range(x)]


def test_functions_that_call_themselves_are_known():
    assert calls_itself(factorial)
    assert not calls_itself(tripled)


@pytest.mark.parametrize("mode", MODES)
def test_rules_call_plain_functions_recursive_ones_and_closures(mode):
    assert getattr(with_helpers, mode)(NIM, 5) == (15, 120, False, 12, 95, [0, 3, 6, 9, 12])


# ---- games in files


@native
def twice_worth(game, s):
    return 2 * worth(game, s)


def test_a_file_imports_helpers_as_names_as_modules_and_from_packages(tmp_path):
    (tmp_path / "native_helper.py").write_text("N = 5\ndef f(x): return x * N\ndef g(x): return f(x) + 1\n")
    (tmp_path / "native_package").mkdir()
    (tmp_path / "native_package" / "__init__.py").write_text("")
    (tmp_path / "native_package" / "inner.py").write_text("M = 7\ndef h(x): return x * M\n")
    top = "import native_helper, native_package.inner\nfrom native_helper import f"
    rule = """
        first = f(s.stones) + native_helper.g(s.stones) * 100 + native_helper.N * 10_000
        return first + native_package.inner.h(1) * 100_000 + native_package.inner.M * 1_000_000
    """
    game = games.load(write_game(tmp_path / "helped.py", rule, top))
    assert worth.interpreted(game, game.initial()) == worth.compiled(game, game.initial()) == 7_754_645


def test_a_class_defined_once_more_has_states_of_its_own(tmp_path):
    """As when a cell of a notebook is run again."""
    scope = {"__name__": __name__}
    path = tmp_path / "again.py"
    write_game(path)
    for _ in range(2):
        exec(path.read_text(), scope)
        game = scope["Pile"]()
        end = search.playout.compiled(game, game.initial(), search.new_random(1))
        assert type(end) is type(game).State


# ---- what cannot be compiled

PRICES = "PRICES = {1: 2, 9: 5}"


def test_a_game_that_cannot_be_compiled_is_interpreted_and_says_so_once(tmp_path, capsys):
    game = games.load(write_game(tmp_path / "dear.py", "return PRICES[s.stones]", PRICES))
    for function, expected in ((worth, 5), (twice_worth, 10), (worth, 5), (twice_worth, 10)):
        assert function(game, game.initial()) == expected
    tried, reason, *more = capsys.readouterr().err.splitlines()
    assert tried == "counterplay: compiling pile for worth ... not possible"
    assert re.fullmatch(r"counterplay: pile runs interpreted, .*: dear\.py:\d+: 'PRICES' is a dict.*", reason)
    assert more == ["counterplay: compiling pile for twice_worth ... not possible"]


def test_a_game_with_a_list_as_a_parameter_falls_back_as_well():
    class Listed(Nim):
        layout: list = [1, 2]  # noqa: RUF012  (the default of a parameter)

        def worth(self, s, b):
            return self.layout[0]

    assert worth(Listed(layout=[7]), Nim().initial()) == 7
    assert worth(Listed(layout=[8]), Nim().initial()) == 8


def test_inside_compiled_nothing_falls_back(tmp_path, monkeypatch):
    game = games.load(write_game(tmp_path / "dear.py", "return PRICES[s.stones]", PRICES))
    worth(game, game.initial())
    monkeypatch.setenv("COUNTERPLAY_INTERPRETED", "1")
    with compiled(), pytest.raises(CannotCompile):
        worth(game, game.initial())


def test_one_game_that_cannot_be_compiled_does_not_hinder_the_next(tmp_path, capsys):
    bad = games.load(write_game(tmp_path / "dear.py", "return PRICES[s.stones]", PRICES))
    good = games.load(write_game(tmp_path / "cheap.py"))
    worth(bad, bad.initial())
    assert worth(good, good.initial()) == 9
    assert re.search(r"compiling pile for worth \.\.\. \d", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("return s.stonez", "State has no 'stonez'"),
        ("return self.hepa", "Pile has no 'hepa'; did you mean 'heap'?"),
        ("return b.count()", "Bits has no 'count'"),
        ("return stones", "name 'stones' is not defined"),
        ("return b & 1", "Bits(9) & int is not possible"),
        ("return b | Bits(10)", "Bits(9) | Bits(10) is not possible"),
        ("return b[0]", "Bits(9)[int] is not possible"),
        ("return b.add(0.5)", "Bits(9).add(float) is not possible"),
        ("return len(Bits(s.stones))", "the width of a Bits must be known beforehand"),
        ("return any(i in b for i in range(3))", "a generator expression cannot be compiled: write a loop, or a list"),
        ("return (1, 2, 3)[s.turn :]", "a part of a tuple has bounds that are written out"),
        ("return [1 if s.stones else b]", "is sometimes int and sometimes Bits(9)"),
        ("return self.worth(s, b)", "worth calls itself; write it as a loop"),
        ("return self.State(1)", "a call of State: missing a required argument: 'turn'"),
        ("return self.player(s, 1)", "a call does not fit (self, s): too many positional arguments"),
        ("return s._replace(turn=1)", "State._replace cannot be compiled: write State(...) with every field"),
        ("self.heap = 3", "'heap' cannot be set: a game and its states do not change"),
        ("s.stones = 3", "'stones' cannot be set: a game and its states do not change"),
        ("return Pile.State(1, 2)", "'Pile' is a class: reach it through the game, as self.State"),
        ("return thing.n", "'thing' is a Thing, which compiled rules cannot use"),
        ("return numbers[0]", "'numbers' is a list of int"),
        ("return self.names", "Pile.names is a dict, which compiled rules cannot use"),
        ("return self.heaps[0]", "Pile.heaps is a list, which could change while compiled rules could not"),
        ("return self.huge", "1180591620717411303424 does not fit 64 bits"),
        ("import math\nreturn math.pi", "an import inside a rule cannot be compiled"),
        ("return super().key(s)", "super() cannot be compiled"),
        ("return mix64('x')", "mix64(str) is not possible"),
        ("with open('x') as f: return 1", "`with` cannot be compiled"),
    ],
)
def test_a_typical_mistake_is_explained_with_its_place(tmp_path, rule, reason):
    top = """
        class Thing: n = 3
        thing = Thing()
        numbers = [1, 2]
    """
    path = write_game(tmp_path / "mistaken.py", rule, top)
    text = (
        (tmp_path / "mistaken.py")
        .read_text()
        .replace("heap: int = 9", "heap: int = 9; names, heaps, huge = {}, [1], 2**70")
    )
    (tmp_path / "mistaken.py").write_text(text)
    game = games.load(path)
    with pytest.raises(CannotCompile) as caught:
        worth.compiled(game, game.initial())
    match = re.fullmatch(r"mistaken\.py:(\d+): (.*)", str(caught.value))
    assert match, caught.value
    assert reason in match[2]
    assert text.splitlines()[int(match[1]) - 1].strip() in (*rule.splitlines(), "def worth(self, s, b):")
    assert not re.search("numba|nopython|Traceback|#[0-9a-f]{32}|int64", str(caught.value), re.IGNORECASE)


def test_a_mistake_in_a_helper_is_placed_in_the_helper(tmp_path):
    (tmp_path / "mistaken_helper.py").write_text("def f(b):\n    return b.count()\n")
    game = games.load(write_game(tmp_path / "caller.py", "return f(b)", "from mistaken_helper import f"))
    with pytest.raises(CannotCompile, match=r"^mistaken_helper\.py:2: Bits has no 'count'$"):
        worth.compiled(game, game.initial())


def test_a_state_whose_field_changes_its_type_is_explained(tmp_path):
    path = write_game(tmp_path / "changing.py")
    text = (tmp_path / "changing.py").read_text().replace("self.State(s.stones - a", "self.State(s.stones / 2")
    (tmp_path / "changing.py").write_text(text)
    game = games.load(path)
    with pytest.raises(CannotCompile, match=r"changing.py:\d+: the fields of State are sometimes \(int x 2\) and"):
        search.playout.compiled(game, game.initial(), search.new_random(1))


# ---- another Numba than we know

SEARCH = """
    from counterplay import games, native, search
    for name in ("tic_tac_toe", "nim"):
        print(search.minimax(games.load(name), depth=2).nodes)
    try:
        with native.compiled():
            search.minimax(games.load("nim"), depth=2)
    except native.CannotCompile as error:
        print(error)
"""


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("import numba.core.codegen as c; del c.RuntimeLinker", "cannot import name 'RuntimeLinker'"),
        ("import numba.core.compiler as c; del c.CompileResult._rebuild", "CompileResult has no _rebuild"),
        ("import numba.core.bytecode as c; del c.FunctionIdentity._unique_ids", "FunctionIdentity has no _unique_ids"),
        ("import numba.core.codegen as c; del c.JITCPUCodegen.set_env", "JITCPUCodegen has no set_env"),
        ("import numba.core.compiler as c; c.run_frontend = lambda: 0", "takes 0 positional arguments"),
    ],
)
def test_a_numba_that_moved_what_we_use_is_done_without_and_that_is_said_once(tmp_path, change, reason):
    done = python(tmp_path, f"import numba; numba.__version__ = '9.9.1'\n{change}\n{textwrap.dedent(SEARCH)}")
    said = r"Numba 9\.9\.1 is newer than what Counterplay knows \(.*" + re.escape(reason) + r".*\)"
    assert re.fullmatch(f"counterplay: runs interpreted: {said}\n", done.stderr), done.stderr
    *nodes, refused = done.stdout.splitlines()
    assert nodes == ["82", "126"]  # 1 + 9 + 72; 1 + 12 + 113
    assert re.fullmatch(said, refused)


@pytest.mark.parametrize("package", ["numba", "llvmlite"])
def test_a_numba_that_cannot_be_imported_is_done_without(tmp_path, package):
    (tmp_path / f"{package}.py").write_text("raise ImportError('needs another\\nNumPy')")
    done = python(tmp_path, SEARCH)
    assert done.stderr == "counterplay: runs interpreted: Numba cannot be imported: needs another NumPy\n"
    assert done.stdout.splitlines()[0] == "82"


def test_only_the_seams_reach_into_numba():
    inside = re.compile(r"^\s*(from|import) numba\.(core|cpython|np|misc)", re.MULTILINE)
    files = Path(native_package.__file__).parent.glob("*.py")
    assert [file.name for file in files if inside.search(file.read_text())] == ["seams.py"]


# ---- compiling takes its time, but not twice


def test_the_type_of_a_call_is_found_once_for_a_compilation(monkeypatch):
    """Alpha-beta on a small game asks 5,000 times, and 200 different questions."""
    from counterplay.native import inference

    asked = []
    resolve = inference._resolve
    monkeypatch.setattr(
        inference,
        "_resolve",
        lambda function, args, kws: asked.append((function, args)) or resolve(function, args, kws),
    )

    @native
    def fall(game, n, x):
        if n == 0:
            return x + 0.5
        return fall(game, n - 1, x + 1.0) + fall(game, n - 2, x) if n > 1 else x

    assert fall.compiled(NIM, 5, 1.0) == fall.interpreted(NIM, 5, 1.0)
    plain = [(str(function), args) for function, args in asked if "built-in" in str(function)]
    assert plain
    assert len(plain) == len(set(plain))


def test_a_function_that_says_what_it_returns_is_not_gone_over_for_each_call_of_itself(monkeypatch):
    from counterplay.native import inference

    asked = []
    monkeypatch.setattr(inference, "_infer_return", lambda inferer: asked.append(inferer))

    @native
    def halved(game, n, x) -> float:
        return x if n == 0 else halved(game, n - 1, x / 2) + halved(game, n - 1, x / 4)

    assert halved.compiled(NIM, 3, 1.0) == halved.interpreted(NIM, 3, 1.0)
    assert asked == []


def test_a_function_that_says_otherwise_is_another_one():
    def plain(x):
        return x

    def float_of(x) -> float:
        return x

    float_of.__name__ = plain.__name__
    assert fingerprint(plain) != fingerprint(float_of)


def test_what_a_game_lacks_is_not_compiled():
    @native
    def worth_or_more(game, s):
        if game.knows.passed:
            return {"no": "compiler", "takes": s}
        return 1 if not game.chance and game.knows.evaluate else 2

    assert worth_or_more.compiled(NIM, NIM.initial()) == worth_or_more.interpreted(NIM, NIM.initial())


def test_functions_of_numbas_own_serve_others_after_they_served_us():
    @native
    def least(game, x, y):
        return min(x, y, 7) + sum((x, y)) + abs(x - y)

    assert least.compiled(NIM, 3, 5) == least.interpreted(NIM, 3, 5) == 13
    theirs = numba.njit(lambda x, y: min(x, y, 7) + sum((x, y)) + abs(x - y))
    assert theirs(3, 5) == 13


def test_garbage_is_left_while_compiling_and_collected_afterwards():
    from counterplay.native.thrift import garbage_kept

    @native
    def seen_as_compiled(game):
        return collected_by_then

    assert gc.isenabled()
    with garbage_kept():
        with garbage_kept():
            pass
        collected_by_then = gc.isenabled()
        assert not seen_as_compiled.compiled(NIM)
        assert not gc.isenabled()
    assert gc.isenabled()
    assert squared.compiled(NIM, 3) == 9
    assert gc.isenabled()


def test_places_for_what_calls_return_are_not_cleared_beforehand():
    @native
    def parts(game, n) -> int:
        return 100 // n if n < 2 else parts(game, n - 1) + parts(game, n // 2)

    @numba.njit
    def theirs(n):
        return 100 // n if n < 2 else theirs(n - 1) + theirs(n // 2)

    def beginning(function):
        (code,) = function.overloads.values()
        return re.search(r"define [^{]*{(.*?)^  br ", code.library.get_llvm_str(), re.DOTALL | re.MULTILINE)[1]

    assert parts.compiled(NIM, 4) == parts.interpreted(NIM, 4) == theirs(4) == 500
    with pytest.raises(ZeroDivisionError):
        parts.compiled(NIM, 0)
    ours = beginning(native_compile.entry(parts.__wrapped__))
    assert "alloca" in ours
    assert "store" not in ours
    assert "store" in beginning(theirs)  # Numba's own functions are as ever


LARGE = "\n".join(f"  %v{i + 1} = add i64 %v{i}, {i}" for i in range(5_000))
MODULE = f"""
define i64 @small(i64 %v) {{
  %square = mul i64 %v, %v
  ret i64 %square
}}
define i64 @once(i64 %v0) {{
{LARGE}
  %more = call i64 @twice(i64 %v5000)
  ret i64 %more
}}
define i64 @twice(i64 %v0) {{
{LARGE}
  %more = call i64 @small(i64 %v5000)
  ret i64 %more
}}
define i64 @around(i64 %v) {{
  %x = call i64 @once(i64 %v)
  %y = call i64 @twice(i64 %x)
  %z = call i64 @small(i64 %y)
  ret i64 %z
}}
"""


def test_what_is_large_and_called_in_two_places_is_not_copied_into_both(monkeypatch):
    from counterplay.native import inlining

    if not inlining._can_decide():
        pytest.skip("this llvmlite cannot say what is inlined")
    module = llvmlite.binding.parse_assembly(MODULE)
    monkeypatch.setattr(inlining, "_wanted", {"small", "once", "twice"})
    inlining.decide(module)
    module.verify()
    assert {each.name for each in module.functions if b"alwaysinline" in each.attributes} == {"small", "once"}


def test_a_search_is_the_same_whatever_is_inlined(monkeypatch):
    from counterplay.native import inlining

    monkeypatch.setattr(inlining, "_SMALL", 0)
    game = games.load("kalah")
    with compiled():
        fast = search.alphabeta(game, depth=4)
    with interpreted():
        slow = search.alphabeta(game, depth=4)
    assert (fast.value, fast.nodes, fast.line) == (slow.value, slow.nodes, slow.line)


def test_arrays_are_counted_where_there_are_some():
    @native
    def sums(game, n):
        total = 0.0
        for i in range(n):
            pair = (np.full(3, float(i)), i)
            total += pair[0].sum() + pair[1]
        return total

    assert sums.compiled(NIM, 4) == sums.interpreted(NIM, 4)
    memory.memsys_enable_stats()
    try:
        before = runtime.get_allocation_stats()
        sums.compiled(NIM, 100)
        after = runtime.get_allocation_stats()
    finally:
        memory.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free >= 100


def test_others_are_told_what_numba_does():
    assert squared.compiled(NIM, 4) == 16
    with numba.core.event.install_recorder("numba:run_pass") as heard:
        assert numba.njit(lambda x: x + 1)(1) == 2
    assert heard.buffer


@native
def power(game, x, y):
    return x**y


@native
def inverted(game, x):
    return ~(x == 1)


def test_what_differs_between_the_modes_is_what_the_documents_say():
    """docs/native.md, "The limits": as far as compiled code says the same on every machine."""
    game = games.load("nim")
    assert (power.interpreted(game, 2, -1), power.compiled(game, 2, -1)) == (0.5, 0)
    assert (inverted.interpreted(game, 1), inverted.compiled(game, 1)) == (-2, False)


def test_a_function_that_belongs_to_no_module_is_compiled():
    scope = {"native": native}
    exec("@native\ndef stones(game, s):\n    return s.heaps[0]", scope)
    game = games.load("nim")
    assert scope["stones"].__module__ is None
    assert scope["stones"].compiled(game, game.initial()) == 3
