"""The command line, as a user and as a program sees it."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from counterplay import games, native, search
from tests.processes import WATCHDOG_SECONDS
from tests.small_games import NIM_FILE


@pytest.fixture
def nim_file(tmp_path):
    helper = f"helper_{abs(hash(str(tmp_path)))}"
    (tmp_path / f"{helper}.py").write_text("def most():\n    return 3\n")
    file = tmp_path / "nim.py"
    file.write_text(f"from {helper} import most\n" + NIM_FILE.replace("self.most", "most()"))
    return file


def misspell_stones(file):
    """Make a mistake in a rule; the number of its line."""
    before, _, after = file.read_text().partition("return s.stones == 0")
    file.write_text(f"{before}return s.stone == 0{after}")
    return before.count("\n") + 1


def in_new_process(*arguments, **options):
    command = [sys.executable, "-c", "from counterplay.apps.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG_SECONDS, check=False, **options)


# ---- what is answered


def test_games_lists_what_is_declared(counterplay, answer):
    listed = {each["name"]: each for each in answer("games")}
    assert list(listed) == games.names()
    assert listed["pig"]["chance"]
    assert not listed["nim"]["chance"]
    assert listed["connect_four"]["parameters"] == {"rows": 6, "columns": 7, "connect": 4}
    assert listed["tic_tac_toe"]["knows"] == ["evaluate"]
    assert {"players", "zero_sum", "perfect_information", "simultaneous", "utility_range"} <= listed["bins"].keys()
    with_chance = [name for name, each in listed.items() if each["chance"]]
    assert [each["name"] for each in answer("games", "--chance")] == with_chance
    assert "pig" not in [each["name"] for each in answer("games", "--no-chance", "--players", 2)]
    status, out, _ = counterplay("games")
    assert status == 0
    assert "rows=6, columns=7, connect=4" in out
    rows = [line.split()[0] for line in out.splitlines()[1:] if not line.startswith(" ")]
    assert rows == games.names()
    status, out, _ = counterplay("games", "chess")
    assert status == 0
    assert out.startswith("chess: Chess by the Laws of FIDE")
    assert "White, Black" in out
    assert "pawns" in out
    assert [each["name"] for each in answer("games", "nim:heaps=3,4")] == ["nim"]


def test_search_answers_with_the_fields_of_the_result(answer):
    found = answer("search", "tic_tac_toe", "--algorithm", "minimax", "--depth", 2)
    fields = {"action", "action_name", "value", "line", "nodes", "depth", "seconds", "proven", "actions"}
    assert fields <= found.keys()
    assert (found["action"], found["action_name"], found["value"], found["proven"]) == (4, "b2", 1.0, False)
    assert found["actions"][0] == {"action": 0, "action_name": "a3", "value": -1.0, "exact": True, "proven": False}


def test_search_without_a_limit_has_a_budget(answer):
    """Six plies of tic-tac-toe say that the first player is ahead."""
    found = answer("search", "tic_tac_toe")
    assert (found["value"], found["proven"], found["stopped"]) == (0.0, True, "solved")
    assert found["limits"]["nodes"] == 1_000_000


@pytest.mark.parametrize(
    ("options", "algorithm", "limits"),
    [
        ((), "mcts", {"nodes": 1_000_000, "seconds": 10.0}),
        (("--simulations", 50), "mcts", {"simulations": 50}),
        (("--depth", 4), "alphabeta", {"depth": 4}),
        (("--without", "killers"), "alphabeta", {"nodes": 1_000_000, "seconds": 10.0}),
        (("--algorithm", "minimax"), "minimax", {"nodes": 1_000_000, "seconds": 10.0}),
    ],
)
def test_search_takes_the_strongest_that_takes_the_options(answer, options, algorithm, limits):
    found = answer("search", "nim:heaps=[1,2]", *options)
    assert found["algorithm"] == algorithm
    assert limits.items() <= found["limits"].items()


def test_search_of_a_tree_is_exact(answer):
    found = answer("search", "tree:p1[p2[(5,1,0),(2,3,1)],p3[(4,0,2),(1,5,2)]]")
    assert (found["algorithm"], found["proven"]) == ("maxn", True)


def test_search_interpreted_gives_the_same(answer):
    compiled, interpreted = (answer("search", "nim", "--depth", 4, *mode) for mode in ((), ("--interpreted",)))
    assert {**compiled, "seconds": 0} == {**interpreted, "seconds": 0}


def test_search_begins_where_it_is_told(answer):
    by_moves = answer("search", "connect_four", "--moves", "4 4 3 3 2", "--depth", 3)
    by_position = answer("search", "connect_four", "--position", "44332", "--depth", 3)
    assert by_moves["position"] == by_position["position"]
    both = answer("search", "connect_four", "--position", "443", "--moves", "3 2", "--depth", 3)
    assert both["position"] == by_moves["position"]
    assert both["value"] == 1.0  # two open ends: x wins whatever o does


def test_search_shows_the_board_and_the_moves(counterplay):
    status, out, _ = counterplay(
        "search", "connect_four", "--position", "443322", "--depth", 2, "--algorithm", "minimax"
    )
    assert status == 0
    assert ". o o o . . ." in out
    assert "X is to move" in out
    assert "1, win for X (estimate at depth 2)" in out


def test_solve_is_exact(answer):
    found = answer("solve", "bins:coin=true")
    assert (found["value"], found["proven"], found["stopped"]) == (-2.0, True, "solved")


def test_perft_counts(counterplay, answer):
    found = answer("perft", "connect_four", "--depth", 4, "--split")
    assert found["nodes"] == [1, 7, 49, 343, 2401]
    assert found["split"] == {str(column): 343 for column in range(1, 8)}
    assert answer("perft", "tic_tac_toe", "--depth", 9, "--games")["games"] == 255_168
    status, out, _ = counterplay("perft", "connect_four", "--depth", 3, "--split", "--games")
    assert status == 0
    assert "343" in out
    assert "0 games end within 3 plies" in out


def test_show(counterplay, answer, tmp_path):
    found = answer("show", "connect_four", "--moves", "4 4")
    assert (found["player"], found["terminal"], found["moves"]) == (0, False, list("1234567"))
    assert found["board"][-1] == "...x..."
    assert answer("show", "pig", "--moves", "roll")["player"] == "chance"
    over = answer("show", "nim:heaps=[1]", "--moves", "a1")
    assert (over["player"], over["terminal"], over["utilities"], over["moves"]) == (None, True, [1.0, -1.0], [])
    svg = tmp_path / "board.svg"
    status, out, _ = counterplay("show", "connect_four", "--moves", "4 4", "--svg", svg)
    assert status == 0
    assert "moves: 1 2 3 4 5 6 7" in out
    assert ET.parse(svg).getroot().tag.endswith("svg")
    assert "the game is over" in counterplay("show", "nim:heaps=[1]", "--moves", "a1")[1]


def test_bench_measures(counterplay, answer):
    rows = answer("bench", "nim:heaps=[2,2]", "--seconds", 0.01)["rates"]
    assert [row["what"] for row in rows] == ["minimax nodes", "perft nodes", "playouts"]
    assert all(row["compiled"] > 0 and row["interpreted"] > 0 for row in rows)
    rows = answer("bench", "pig:players=3,goal=5", "--seconds", 0.01)["rates"]
    assert rows[0]["compiled"] is None  # minimax is not for three
    assert "playouts/s" in counterplay("bench", "nim:heaps=[2,2]", "--seconds", 0.01)[1]


def test_bench_measures_ordering_and_knowledge(counterplay, answer, tmp_path, monkeypatch):
    from counterplay import experiments

    monkeypatch.setattr(experiments.ordering, "__kwdefaults__", None)
    monkeypatch.setattr(experiments.ordering, "__defaults__", (3, range(2, 5), 2, None))
    chart = tmp_path / "ordering.svg"
    with native.interpreted():
        found = answer("bench", "ordering", "--svg", chart)
        assert "exponent" in counterplay("bench", "ordering")[1]
        rows = answer("bench", "knowledge", "tic_tac_toe", "--depth", 3)["searches"]
        assert "textbook" in counterplay("bench", "knowledge", "tic_tac_toe", "--depth", 3)[1]
    assert {series["name"] for series in found["series"]} >= {"minimax", "worst order", "best order"}
    assert ET.parse(chart).getroot().tag.endswith("svg")
    assert len({row["value"] for row in rows}) == 1  # what each refinement is worth never shows in the value
    status, _, err = counterplay("bench", "knowledge")
    assert (status, err.count("\n")) == (2, 1)


def test_version(counterplay):
    assert counterplay("--version")[1].startswith("counterplay ")


# ---- a game of one's own


@pytest.mark.slow
def test_an_edited_helper_takes_effect(nim_file):
    """The same command line before and after one byte of an imported helper changes: other moves, another value."""

    def value():
        done = in_new_process("solve", nim_file, "--json")
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        return found["value"], len(found["actions"])

    assert value() == (1.0, 3)  # 9 stones, take 1 to 3: not a multiple of 4
    (helper,) = nim_file.parent.glob("helper_*.py")
    helper.write_text(helper.read_text().replace("3", "8"))
    assert value() == (-1.0, 8)  # take 1 to 8: a multiple of 9


def test_check_accepts_good_rules_and_names_bad_ones(counterplay, answer, nim_file):
    status, out, _ = counterplay("check", nim_file)
    assert status == 0, out
    assert answer("check", nim_file)["ok"]
    wrong = misspell_stones(nim_file)
    status, out, err = counterplay("check", nim_file)
    assert status == 1
    assert f"nim.py:{wrong}" in out
    assert "stones" in out
    assert "Traceback" not in out + err


def test_a_mistake_in_the_rules_is_one_line(counterplay, nim_file):
    wrong = misspell_stones(nim_file)
    status, _, err = counterplay("search", nim_file, "--interpreted")
    assert status == 2
    assert f"nim.py:{wrong}: AttributeError: 'State' object has no attribute 'stone'; did you mean 'stones'?" in err
    assert err.count("\n") == 1


# ---- bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "conect_four"], "did you mean connect_four?"),
        (["search", "connect_four:rows=many"], "must be of type int"),
        (["search", "connect_four", "--position", "what"], "is not a board of 6 rows and 7 columns"),
        (["search", "connect_four", "--moves", "4 9"], "'9' is not a legal move here; legal: 1, 2, 3, 4, 5, 6, 7"),
        (["search", "pig:players=3", "--algorithm", "minimax"], "minimax is for two opponents"),
        (["search", "nim", "--algorithm", "minimax", "--threads", "2"], "minimax has no setting 'threads'"),
        (["search", "nim", "--algorithm", "magic"], "there is no algorithm 'magic'"),
        (["search", "nim", "--depth", "0"], "plies ahead"),
        (["perft", "nim", "--depth", "-1"], "a depth is 0 or more"),
        (["show", "missing.py"], "cannot read missing.py"),
        (["show", "tree:[1,2"], "is missing in the tree"),
    ],
)
def test_bad_input_is_one_line_and_exit_status_2(counterplay, arguments, message):
    status, out, err = counterplay(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("counterplay: ")
    assert message in err


# ---- quick to start


@pytest.mark.parametrize("arguments", [["--help"], ["games"], ["games", "--json"], ["show", "connect_four"]])
def test_numba_is_not_imported_before_it_is_needed(arguments):
    script = (
        "import sys\nfrom counterplay.apps.cli import main\n"
        f"sys.argv[1:] = {arguments!r}\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print('numba' in sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG_SECONDS, check=True)
    assert done.stderr.strip() == "False"


def test_the_public_names_are_there():
    import counterplay

    assert all(hasattr(counterplay, name) for name in counterplay.__all__)
    assert counterplay.search is search
    with pytest.raises(AttributeError, match="counterplay has no 'serach'"):
        _ = counterplay.serach


def test_a_search_knows_the_moves_before(answer):
    """The knights go out and back; Black's last step home makes the first position come for the third time."""
    moves = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1"
    options = ("--depth", 2, "--multi", 30, "--interpreted")
    position = answer("show", "chess", "--moves", moves)["position"]
    known = answer("search", "chess", "--moves", moves, *options)
    unknown = answer("search", "chess", "--position", position, *options)
    values = [{each["action_name"]: each["value"] for each in found["actions"]} for found in (known, unknown)]
    assert values[0].pop("Ng8") == 0.0 < values[1].pop("Ng8")
    assert values[0] == values[1]
