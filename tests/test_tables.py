"""Endgame tables: counts that others have published, what searches make of them, and files that survive."""

import json
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from math import comb
from pathlib import Path
from typing import NamedTuple

import pytest

from counterplay import Bits, Game, UserError, games, search
from counterplay.games._endings import SLICE_AT
from counterplay.games.backgammon.text import digits
from counterplay.native import interpreted
from counterplay.search.tabled import Known, known, known_moves, table_answer
from counterplay.solve import tables
from tests.processes import WATCHDOG_SECONDS
from tests.small_games import Nim

pytestmark = pytest.mark.long


class Chase(Game):
    """A cat and a mouse on a ring with a chord: moves can be taken back, so positions come again. It numbers them."""

    ring: int = 9

    class State(NamedTuple):
        cat: int
        mouse: int
        turn: int

    def initial(self):
        return self.State(0, self.ring // 2, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        if self.is_terminal(s):
            return
        yield -1
        yield 1
        if s.turn == 1:
            yield 0
        elif s.cat == 3:
            yield 4

    def result(self, s, a):
        if s.turn == 0:
            return self.State((s.cat + a) % self.ring, s.mouse, 1)
        return self.State(s.cat, (s.mouse + a) % self.ring, 0)

    def is_terminal(self, s):
        return s.cat == s.mouse or s.mouse == 0

    def utility(self, s, p):
        return 1.0 if (s.cat == s.mouse) == (p == 0) else -1.0

    # ---- its positions

    @property
    def positions(self):
        return 2 * self.ring * self.ring

    def index(self, s):
        return (s.cat * self.ring + s.mouse) * 2 + s.turn

    def position(self, i):
        return self.State(i // 2 // self.ring, i // 2 % self.ring, i % 2)


def by_iteration(game, states):
    """(value to player 0, plies) of all states, as the textbook would: again and again over all, until nothing new."""
    found = {s: (game.utility(s, 0), 0) for s in states if game.is_terminal(s)}
    for ply in range(1, 1000):
        new = {}
        for s in states:
            if s in found:
                continue
            sign = 1 if game.player(s) == 0 else -1
            after = [found.get(game.result(s, a)) for a in game.actions(s)]
            if any(each and sign * each[0] > 0 for each in after):
                new[s] = sign * 1.0, ply
            elif all(each and sign * each[0] < 0 for each in after):
                new[s] = sign * -1.0, ply
        if not new:
            break
        found |= new
    return {s: found.get(s, (0.0, 0)) for s in states}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables of checkers with up to four pieces, and of some small games."""
    made = tmp_path_factory.mktemp("tables")
    tables.build(games.load("checkers"), 4, folder=made)
    return made


@pytest.fixture(scope="module")
def checkers(folder):
    return tables.join(games.load("checkers"), folder)


# ---- all of a small game


@pytest.mark.parametrize(
    ("text", "positions", "value", "plies"),
    [
        ("tic_tac_toe", 5478, 0.0, 0),  # OEIS A008907 and many others
        ("connect_four:rows=4,columns=4", 161029, 0.0, 0),  # OEIS A212693
        ("kalah:houses=3,seeds=2", None, 1.0, None),
    ],
)
def test_small_games_are_solved_strongly(tmp_path, text, positions, value, plies):
    game = games.load(text)
    (table,) = tables.build(game, folder=tmp_path)
    assert positions in (None, table.about["positions"])
    joined = tables.join(game, tmp_path)
    found, left = joined.solved(game.initial())
    assert found == value
    assert plies in (None, left)


def test_every_position_has_its_value_and_distance_in_either_mode(tmp_path):
    game = games.load("nim:heaps=(2,3,1)")
    tables.build(game, folder=tmp_path / "compiled")
    with interpreted():
        tables.build(game, folder=tmp_path / "interpreted")
    one, other = (
        next(path.rglob("*.table")).read_bytes() for path in (tmp_path / "compiled", tmp_path / "interpreted")
    )
    assert one == other
    joined = tables.join(game, tmp_path / "compiled")
    states, waiting = set(), [game.initial()]
    while waiting:
        s = waiting.pop()
        if s not in states:
            states.add(s)
            waiting += [game.result(s, a) for a in game.actions(s)]
    expected = by_iteration(game, states)
    assert {s: tuple(known(joined, s)) for s in states} == expected


def test_positions_that_come_again_need_numbers(tmp_path):
    class Endless(Chase):
        positions = None

    with interpreted(), pytest.raises(UserError, match="positions come again"):
        tables.build(Endless(), folder=tmp_path)


def test_a_game_may_number_its_own_positions(tmp_path):
    game = Chase()
    tables.build(game, folder=tmp_path / "compiled")
    with interpreted():
        tables.build(game, folder=tmp_path / "interpreted")
    one, other = (
        next(path.rglob("*.table")).read_bytes() for path in (tmp_path / "compiled", tmp_path / "interpreted")
    )
    assert one == other
    joined = tables.join(game, tmp_path / "compiled")
    states = [game.position(i) for i in range(game.positions)]
    expected = by_iteration(game, states)
    assert {v for v, _ in expected.values()} == {-1.0, 0.0, 1.0}
    assert {s: tuple(known(joined, s)) for s in states} == expected


def test_games_that_no_table_is_for_are_refused(tmp_path):
    for text, why in (("pig", "without chance"), ("uniform_tree", "more than a win"), ("go", None)):
        if why:
            with interpreted(), pytest.raises(UserError, match=why):
                tables.build(games.load(text), folder=tmp_path)


# ---- checkers


def test_checkers_has_chinook_s_positions(folder):
    """Published for 2, 3 and 4 pieces with those that are all of one side, which are no positions of ours."""
    counts = {2: 0, 3: 0, 4: 0}
    for table in tables.found(games.load("checkers"), folder):
        if table.file.is_relative_to(folder):
            counts[len(table.about["name"]) - 1] += table.about["positions"]
    one_sided = {n: 2 * sum(comb(28, men) * comb(32 - men, n - men) for men in range(n + 1)) for n in counts}
    assert {n: counts[n] + one_sided[n] for n in counts} == {2: 6972, 3: 261224, 4: 7092774}


def test_checkers_is_won_drawn_and_lost_as_often_as_it_should(folder):
    built = [t for t in tables.found(games.load("checkers"), folder) if t.file.is_relative_to(folder)]
    found = tables.totals(built)
    assert (found["wins"], found["draws"], found["losses"]) == (2_675_270, 1_728_769, 2_004_797)
    assert found["longest"] == 109


def test_numbers_and_positions_are_the_same_from_both_sides(checkers):
    known_numbers = tables.numbering(games.load("checkers"))
    chosen = random.Random(1)
    for number, size in enumerate(known_numbers.sizes):
        i = number << SLICE_AT | chosen.randrange(size)
        if checkers.is_position(i):
            s = checkers.position(i)
            assert checkers.index(s) == i
            mine, theirs, kings = map(checkers.turned, (s.mine, s.theirs, s.kings))
            assert checkers.index(s._replace(mine=mine, theirs=theirs, kings=kings, turn=1)) == i


def test_alphabeta_proves_what_the_table_says_at_that_ply_and_not_before(checkers):
    plain, chosen = games.load("checkers"), random.Random(2)
    numbers = tables.numbering(plain)
    seen = 0
    engine = search.AlphaBeta(plain, table_mb=4, without=("quiescence",))
    while seen < 200:
        number = chosen.randrange(41)
        i = number << SLICE_AT | chosen.randrange(numbers.sizes[number])
        code = checkers.table_code(i)
        plies = code >> 2
        if not 2 <= plies <= 9 or code & 3 == 3:
            continue
        s = checkers.position(i)
        engine.new_game()
        found = engine.search(s, search.Limits(depth=plies))
        assert found.proven
        assert found.value == checkers.solved(s)[0]
        assert found.within == plies
        engine.new_game()
        less = engine.search(s, search.Limits(depth=plies - 1))
        assert not less.proven or less.within == plies  # the search's own table may know of a longer line
        seen += 1


def test_quiet_plies_are_counted_though_the_table_does_not(checkers):
    s = checkers.from_text("B:W18:B1,K32")
    assert checkers.solved(s) == (1.0, 11)
    assert checkers.solved(s._replace(quiet=69)) == (1.0, 11)
    assert checkers.solved(s._replace(quiet=70))[1] == -1  # it would be a draw before
    drawn = checkers.from_text("B:WK1:BK32")
    assert checkers.solved(drawn._replace(quiet=79)) == (0.0, 0)


# ---- searches


def test_at_the_root_a_table_makes_progress(checkers):
    s = checkers.from_text("B:W18:B1,K32")
    for algorithm in ("alphabeta", "mcts", "expectiminimax"):
        found = search.new_engine(algorithm, checkers).search(s, search.Limits(nodes=1000))
        assert (found.algorithm, found.stopped, found.value, found.within) == ("table", "table", 1.0, 11)
        assert found.proven
        assert found.is_shortest
        assert len(found.line) == 11
    plies = [each.within for each in found.actions]
    assert plies == [43, 43, 11, 11]
    assert table_answer(checkers, s, [found.actions[0].action]).within == 43
    for a in found.line:
        before, s = checkers.solved(s)[1], checkers.result(s, a)
        assert known(checkers, s).plies == before - 1
    assert checkers.is_terminal(s)


class Late(Nim):
    """Nim with a table of its last stones only."""

    heap: int = 12
    positions = 2 * 6

    def index(self, s):
        return 2 * s.stones + s.turn if s.stones < 6 else -1

    def position(self, i):
        return self.State(i // 2, i % 2)


def test_below_the_root_a_table_ends_the_search(tmp_path):
    game = Late()
    tables.build(game, folder=tmp_path)
    joined = tables.join(game, tmp_path)
    with interpreted():
        plain = search.alphabeta(game, without=["all"])
    assert joined.solved(game.initial())[1] == -1
    for asked in (
        lambda: search.alphabeta(joined, without=["all"]),
        lambda: search.expectiminimax(joined, depth=20),
        lambda: search.mcts(joined, simulations=2000, solver=True, seed=1),
    ):
        found = asked()
        assert (found.value, found.proven) == (plain.value, True) == (-1.0, True)
        with interpreted():
            again = asked()
        assert (again.nodes, again.value, again.line) == (found.nodes, found.value, found.line)
    tabled = search.alphabeta(joined, without=["all"])
    assert tabled.nodes < plain.nodes
    assert tabled.within == plain.within == 6  # each takes, and the table's plies are counted
    with interpreted():  # playouts end where the table begins
        sample, longer = (search.mcts(each, simulations=200, seed=1) for each in (joined, game))
    assert sample.nodes < longer.nodes


def test_what_is_known_of_moves(checkers):
    s = checkers.from_text("B:W18:B1,K32")
    assert sorted(map(str, known_moves(checkers, s).values())) == sorted(
        str(Known(1.0, plies)) for plies in (42, 42, 10, 10)
    )


def test_a_game_with_tables_travels_to_another_process(checkers):
    again = pickle.loads(pickle.dumps(checkers))
    s = checkers.from_text("B:W18:B1,K32")
    assert tables.is_joined(again)
    assert again.solved(s) == (1.0, 11)


# ---- files


def test_what_was_killed_goes_on_and_has_the_same_bytes(tmp_path, folder):
    """The process is killed when its first tables are there."""
    here = tables.kept_in(games.load("checkers"), tmp_path)
    command = [sys.executable, "-m", "counterplay", "table", "checkers", "--pieces", "3", "--folder", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + WATCHDOG_SECONDS
    while process.poll() is None and not list(here.glob("*.table")) and time.monotonic() < deadline:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    process.wait(WATCHDOG_SECONDS)
    before = {file.name: file.read_bytes() for file in here.glob("*.table")}
    tables.build(games.load("checkers"), 3, folder=tmp_path, threads=2)
    after = {file.name: file.read_bytes() for file in here.glob("*.table")}
    whole = tables.kept_in(games.load("checkers"), folder)
    assert len(after) == 9
    assert before.items() <= after.items()
    assert all((whole / name).read_bytes() == data for name, data in after.items())


def test_a_game_of_one_s_own_does_not_get_the_tables_of_another(tmp_path):
    """Though it has the same name."""

    class Checkers(Nim):
        pass

    game = Checkers()
    assert str(game) == str(games.load("checkers"))
    assert not tables.is_joined(tables.join(game))
    assert tables.kept_in(game, tmp_path) != tables.kept_in(games.load("checkers"), tmp_path)
    assert tables.kept_in(game, tmp_path) != tables.kept_in(Checkers(heap=3), tmp_path)


def test_damaged_files_are_refused(tmp_path):
    game = games.load("nim:heaps=(2,1)")
    with interpreted():
        (table,) = tables.build(game, folder=tmp_path)
    good = table.file.read_bytes()
    for bad, why in (
        (good[:-8], "only a part"),
        (good[:-1] + bytes([good[-1] ^ 1]), "checksum"),
        (b"", "no table|cannot be read"),
        (b"\xff" * 100, "no table"),
        (good.replace(b'\\"version\\": 1', b'\\"version\\": 9'), "another version"),
    ):
        table.file.write_bytes(bad)
        with pytest.raises(UserError, match=why):
            tables.join(game, tmp_path)
    os.remove(table.file)
    assert not tables.is_joined(tables.join(game, tmp_path))


def test_a_table_that_is_wrong_is_found(tmp_path):
    game = Late()
    with interpreted():
        (table,) = tables.build(game, folder=tmp_path)
        tables.check(game, [table], tmp_path)
        results = table.slices[0].results.copy()
        results[1] ^= 0b11  # a loss is a win
        about = {name: value for name, value in table.about.items() if name not in ("version", "sha256")}
        tables.save_table(table.file, about, {0: table.slices[0]._replace(results=results)})
        with pytest.raises(UserError, match="is wrong about"):
            tables.check(game, tables.build(game, folder=tmp_path), tmp_path)


# ---- commands


def test_the_commands(counterplay, answer, folder, monkeypatch):
    monkeypatch.setenv("COUNTERPLAY_TABLES_DIR", str(folder))
    built = answer("table", "checkers", "--pieces", "2", "--check")
    assert [each["name"] for each in built["tables"]] == ["K-K", "K-M", "M-M"]
    status, out, _ = counterplay("table", "checkers", "--endings", "KM-K")
    assert status == 0
    assert "KM-K" in out
    assert "62" not in out.splitlines()[-1].replace(str(folder), "")
    found = answer("lookup", "checkers", "B:W18:B1,K32")
    assert found["within"] == 11
    assert [each["within"] for each in found["actions"]] == [43, 43, 11, 11]
    status, out, _ = counterplay("lookup", "checkers", "B:W18:B1,K32")
    assert "table: 32-28, win in 6 for Black (exact)" in out
    assert answer("search", "checkers", "--position", "B:W18:B1,K32")["algorithm"] == "table"
    assert (
        answer("search", "checkers", "--position", "B:W18:B1,K32", "--depth", "2", "--without", "tables")["algorithm"]
        == "alphabeta"
    )
    assert answer("search", "checkers", "--depth", "1")["algorithm"] == "alphabeta"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("table", "checkers", "--pieces", "9"), "2 to 6 pieces"),
        (("table", "checkers", "--endings", "KX-K"), "no ending 'KX-K'"),
        (("table", "nim", "--pieces", "3"), "not numbered"),
        (("lookup", "othello"), "there is no table of othello"),
        (("lookup", "checkers"), "no table knows"),
        (("lookup", "checkers", "B:W18:B"), "is over"),
    ],
)
def test_mistakes_are_one_line(counterplay, folder, monkeypatch, arguments, why):
    monkeypatch.setenv("COUNTERPLAY_TABLES_DIR", str(folder))
    status, _, err = counterplay(*arguments)
    assert status == 2
    assert why in err
    assert len(err.splitlines()) == 1


def test_a_player_may_ask_tables(folder, monkeypatch):
    from counterplay.arena.players import new_player

    monkeypatch.setenv("COUNTERPLAY_TABLES_DIR", str(folder))
    game = games.load("checkers")
    s = game.from_text("B:W18:B1,K32")
    assert tables.is_built(game)
    for text in ("alphabeta:depth=1,tables=on", "alphabeta:depth=1"):  # since they are built, it need not be said
        assert game.action_name(s, new_player(game, text).choose([s])) == "32-28"


def test_where_tables_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("COUNTERPLAY_TABLES_DIR", str(tmp_path))
    assert tables.users_folder() == tmp_path
    assert tables.kept_in(games.load("nim:heaps=(2,1)")).parent == tmp_path


# ---- chess


@pytest.fixture(scope="module")
def chess(folder):
    game = games.load("chess")
    tables.build(game, endings=["KPK", "KBNK"], folder=folder)
    return tables.join(game, folder)


def test_chess_has_the_counts_that_are_published(folder, chess):
    built = {
        t.about["name"]: t.about for t in tables.found(games.load("chess"), folder) if t.file.is_relative_to(folder)
    }
    # Mate in 10, 16, 28 and 33 moves: see any book of endgames; black to move is mated last.
    assert {name: about["longest"] for name, about in built.items()} == {"KQK": 20, "KRK": 32, "KPK": 56, "KBNK": 66}
    assert built["KRK"]["draws"] + built["KRK"]["losses"] == 28_056  # positions of the UCI data set "krkopt"
    assert built["KRK"]["draws"] == 2_796  # of which are draws
    assert built["KPK"]["wins"] + built["KPK"]["losses"] == 111_282  # our own count: a change of it would be a fault


def test_chess_positions_have_one_number_from_all_sides(chess):
    numbers, chosen = tables.numbering(games.load("chess")), random.Random(3)

    def seen(s, where, turn):
        moved = {name: Bits(64, map(where, getattr(s, name))) for name in s._fields[:7]}
        return chess.index(s._replace(**moved, turn=turn))

    for number, size in enumerate(numbers.sizes):
        for i in (number << SLICE_AT | chosen.randrange(size) for _ in range(8)):
            if not chess.is_position(i):
                continue
            s = chess.position(i)
            assert chess.index(s) == seen(s, lambda q: q ^ 7, s.turn) == i
            other = seen(s, lambda q: q ^ 56, 1 - s.turn)  # the colours exchanged
            assert other == i or numbers.units[number // 2].name in ("KQKQ", "KRKR", "KBKB", "KNKN")
            if not s.pawns:
                assert seen(s, lambda q: q ^ 56, s.turn) == seen(s, lambda q: q >> 3 | (q & 7) << 3, s.turn) == i


def test_chess_values_follow_from_those_after_each_move(chess):
    numbers, chosen = tables.numbering(games.load("chess")), random.Random(4)
    seen = 0
    while seen < 150:
        number = chosen.choice([0, 1, 2, 3, 4, 5])
        i = number << SLICE_AT | chosen.randrange(numbers.sizes[number])
        if not chess.is_position(i) or chess.is_terminal(s := chess.position(i)):
            continue
        sign = 1.0 if s.turn == 0 else -1.0
        after = [(sign * each.value, -sign * each.value * each.plies) for each in known_moves(chess, s).values()]
        value, plies = known(chess, s)
        best = max(after)
        assert (sign * value, plies) == (best[0], abs(best[1]) + 1 if best[0] else 0)
        seen += 1


def test_the_50_moves_are_counted(chess):
    s = chess.from_text("8/8/8/8/3k4/8/8/KBN5 w - - 0 1")
    assert chess.solved(s) == (1.0, 59)
    assert chess.solved(s._replace(clock=41)) == (1.0, 59)
    assert chess.solved(s._replace(clock=42))[1] == -1


def test_explain_and_analyse_say_what_the_table_knows(counterplay, answer, chess, folder, monkeypatch):
    monkeypatch.setenv("COUNTERPLAY_TABLES_DIR", str(folder))
    position = "8/8/8/3k4/8/8/8/KR6 w - - 0 1"
    status, out, _ = counterplay("explain", "chess", "--position", position)
    assert status == 0
    assert "Re1 wins by force (mate in 15)" in " ".join(out.split())
    found = answer("analyse", "chess", "--position", position, "--multi", "3")
    assert [each["within"] for each in found["lines"]] == [29, 29, 31]
    assert [len(each["line"]) for each in found["lines"]] == [29, 29, 31]


# ---- bearing off


@pytest.fixture(scope="module")
def backgammon(folder):
    game = games.load("backgammon")
    tables.build(game, 3, folder=folder)
    return tables.join(game, folder)


def bearing_off(game, mine, theirs, big=0, small=0):
    return game.State(digits(mine), digits(theirs), 0, big, small)


def test_bearing_off_is_worth_what_can_be_counted(backgammon):
    game = backgammon
    assert game.solved(bearing_off(game, {1: 2}, {1: 1})) == (1.0, 0)
    # Two checkers on the six-point leave together by 3-3 and better doubles, or not at all.
    v, _ = game.solved(bearing_off(game, {6: 2}, {1: 1}))
    assert v == pytest.approx(2 * 4 / 36 - 1)
    assert game.solved(bearing_off(game, {6: 2}, {1: 1})._replace(turn=1))[0] == -v
    assert game.solved(bearing_off(game, {6: 2}, {1: 1}, 6, 5))[1] == -1  # the dice have fallen
    assert game.solved(bearing_off(game, {7: 1}, {1: 1}))[1] == -1


def test_a_search_of_all_throws_agrees_and_the_table_ends_it(backgammon):
    game, plain = backgammon, games.load("backgammon")
    s = bearing_off(game, {6: 1, 4: 1}, {5: 2}, 2, 1)
    tabled = search.expectiminimax(game, s, 1)
    assert (tabled.algorithm, tabled.proven) == ("table", True)
    with interpreted():
        assert search.expectiminimax(game, s, 1).value == tabled.value
        alone = search.minimax(plain, bearing_off(game, {2: 1, 4: 1}, {5: 1, 1: 1}, 2, 1), 20)
    assert alone.proven
    assert table_answer(game, bearing_off(game, {2: 1, 4: 1}, {5: 1, 1: 1}, 2, 1)).value == pytest.approx(alone.value)


ASK_GNUBG = """
import gnubg
for command in ("set player 0 human", "set player 1 human", "set display off", "set jacoby off", "new session"):
    gnubg.command(command)
for each in {texts!r}:
    gnubg.command("set gnubgid " + each)
    print("counterplay", gnubg.evaluate()[0], flush=True)
"""


def test_gnu_backgammon_has_the_same_equities(backgammon, tmp_path):
    """Its two-sided database has 16 bits a number, so that an equity is right to four digits."""
    program = shutil.which("gnubg", path=f"{os.environ.get('PATH', '')}:/usr/games")
    if program is None:
        pytest.skip("needs GNU Backgammon (Debian: apt install gnubg)")
    chosen = random.Random(5)
    sides = [Counter(chosen.choices(range(1, 7), k=chosen.randint(1, 3))) for _ in range(60)]
    states = [bearing_off(backgammon, *pair) for pair in pairwise(sides)]
    script = tmp_path / "ask.py"
    script.write_text(ASK_GNUBG.format(texts=[backgammon.to_text(s) for s in states]))
    said = subprocess.run(
        [program, "-t", "-q", "-r", "-p", str(script)],
        env={"HOME": str(tmp_path), "PATH": os.environ.get("PATH", "")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=WATCHDOG_SECONDS,
    ).stdout
    wins = [float(line.split()[1]) for line in said.splitlines() if line.startswith("counterplay ")]
    assert len(wins) == len(states)
    assert [2 * win - 1 for win in wins] == pytest.approx([backgammon.solved(s)[0] for s in states], abs=1e-4)


def test_what_tables_cost_is_measured():
    script = Path(__file__).parent.parent / "benchmarks" / "tables.py"
    done = subprocess.run(
        [sys.executable, script, "--quick", "--json"],
        env={**os.environ, "COUNTERPLAY_QUIET": "1"},
        check=True,
        capture_output=True,
        timeout=WATCHDOG_SECONDS,
    )
    assert json.loads(done.stdout)["positions"] == 3488
