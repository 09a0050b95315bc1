"""Tournaments: who meets whom, what ends a game, openings, processes, records that go on, files for others."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay import UserError, arena, games, native, search
from counterplay.arena import bout
from counterplay.arena.adjudication import Adjudication, Judge
from counterplay.arena.bout import Conditions, Fixture, play
from counterplay.arena.interrupting import CtrlC
from counterplay.arena.openings import Opening, Openings, random_openings, read_openings
from counterplay.arena.pairings import Pair, Plan
from counterplay.arena.score import score_of
from counterplay.arena.written import must_be_writable, write_games, written
from tests.processes import WATCHDOG_SECONDS, hear_ctrl_c
from tests.test_arena import records

pytestmark = [pytest.mark.long, pytest.mark.no_bounds]

TIC_TAC_TOE = games.load("tic_tac_toe")
WEAK = ("alphabeta:depth=1", "random", "alphabeta:depth=2")


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    monkeypatch.setenv("COUNTERPLAY_INTERPRETED", "1")
    with native.interpreted():
        yield


# ---- who meets whom


def test_a_gauntlet_and_a_round_robin_are_complete():
    gauntlet = Plan("gauntlet", 4, 6)
    assert gauntlet.pairs({}) == [Pair(0, other, opening) for opening in range(3) for other in (1, 2, 3)]
    assert (gauntlet.total, gauntlet.openings) == (18, 3)
    for players in range(2, 9):
        plan = Plan("round-robin", players, 4)
        pairs = plan.pairs({})
        for opening in (0, 1):
            met = [{one, other} for one, other, number in pairs if number == opening]
            assert sorted(map(sorted, met)) == [list(each) for each in combinations(range(players), 2)]
        assert plan.total == 2 * len(pairs)
    everybody = {player for one, other, _ in Plan("round-robin", 6, 2).pairs({})[:3] for player in (one, other)}
    assert everybody == set(range(6))  # nobody waits in a round


@given(st.integers(2, 11), st.randoms(use_true_random=False))
def test_in_a_swiss_tournament_nobody_meets_twice_and_equals_meet(players, random):
    plan, results = Plan("swiss", players, 2), {}
    seen = 0
    while True:
        pairs = plan.pairs(results)
        if len(pairs) == seen:
            break
        points = dict.fromkeys(range(players), 0.0)
        for number, (one, other, _) in enumerate(pairs[:seen]):
            points[one] += results[number]
            points[other] += 2 - results[number]
        new = pairs[seen:]
        assert len({player for one, other, _ in new for player in (one, other)}) == 2 * (players // 2)
        if players % 2 == 0 and seen == 0:
            assert [(one, other) for one, other, _ in new] == [(i, i + players // 2) for i in range(players // 2)]
        for number in range(seen, len(pairs)):
            results[number] = random.choice([0.0, 0.5, 1.0, 1.5, 2.0])
        seen = len(pairs)
    assert 2 * seen == plan.total
    assert len({frozenset((one, other)) for one, other, _ in plan.pairs(results)}) == seen


def test_a_swiss_tournament_to_the_last_round_pairs_everybody():
    for players in (4, 5, 6):
        plan, results = Plan("swiss", players, 2, players - 1), {}
        while len(pairs := plan.pairs(results)) > len(results):
            results |= dict.fromkeys(range(len(results), len(pairs)), 2.0)
        assert 2 * len(pairs) == plan.total


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("cup", 4, 2), "no tournament 'cup'; there are: match, gauntlet"),
        (("match", 3, 2), "a match has two players, not 3"),
        (("match", 2, 0), "1 game or more"),
        (("swiss", 1, 2), "2 to 256 players, not 1"),
        (("gauntlet", 3, 3), "an even number of games, not 3"),
        (("gauntlet", 3, 2, 4), "only a swiss tournament has rounds"),
        (("swiss", 4, 2, 9), "4 players can meet in 3 rounds, not 9"),
    ],
)
def test_what_is_no_plan_is_refused(given, message):
    with pytest.raises(UserError, match=message):
        Plan(*given)


def test_a_tournament_rates_its_players():
    ended = arena.tournament(TIC_TAC_TOE, WEAK, "round-robin", 10, seed=3)
    assert (len(ended.games), ended.wanted, ended.why_no_elo) == (30, 30, "")
    assert sum(ended.points(player) for player in range(3)) == 30
    assert ended.ranked()[-1] == 1  # at random
    told = json.loads(json.dumps(ended.as_dict(), allow_nan=False))
    assert [row["player"] for row in told["standings"]] == [ended.players[p] for p in ended.ranked()]
    assert ended.ratings.players[1].elo < -50
    assert sum(each.elo for each in ended.ratings.players) == pytest.approx(0, abs=1e-6)
    assert arena.tournament(TIC_TAC_TOE, WEAK, "round-robin", 10, seed=3, concurrency=2) == ended
    by_random = arena.tournament(TIC_TAC_TOE, WEAK, "round-robin", 10, seed=3, anchor="random")
    assert by_random.ratings.players[1].elo == 0
    twins = arena.tournament(TIC_TAC_TOE, ["random"] * 3, "swiss", 2)
    assert (twins.players, len(twins.games)) == (("random", "random (2)", "random (3)"), 4)


# ---- what a score says, and when it says nothing


def test_no_elo_where_games_were_forfeited_repeated_or_are_missing():
    whole = records(1, 0.5, 1, 0)
    assert score_of(whole, wanted=4).why_no_elo == ""
    assert score_of(whole, wanted=6).why_no_elo == "only 4 of 6 games were played"
    again = [*whole, arena.GameRecord(4, (0, 1), 0, whole[0].moves, 1.0, "rules")]
    assert score_of(again).why_no_elo == "1 game repeats another move for move"
    assert "no Elo: 1 game repeats" in str(score_of(again))
    lost = [*whole, arena.GameRecord(4, (0, 1), 0, ("x",), 0.0, "forfeit: it is gone")]
    score = score_of(lost)
    assert (score.forfeited, score.why_no_elo) == ((1, 0), "1 game was forfeited")
    assert (score.as_dict()["elo"], score.as_dict()["no_elo"]) == (None, "1 game was forfeited")
    late = score_of([*whole, arena.GameRecord(4, (0, 1), 0, ("x",), 1.0, "time")])
    assert (late.late, late.why_no_elo) == ((0, 1), "")
    assert str(late).endswith("lost on time 0 and 1")


def test_deterministic_players_without_openings_get_no_elo():
    score = arena.match(TIC_TAC_TOE, ("alphabeta:depth=1", "alphabeta:depth=2"), 6, opening_plies=0)
    assert (score.repeated, score.games) == (4, 6)
    assert "4 games repeat another" in score.why_no_elo
    three = arena.tournament(TIC_TAC_TOE, ["alphabeta:depth=1"] * 3, "gauntlet", 4, opening_plies=0)
    assert three.why_no_elo == "4 of the games repeat another move for move"
    assert three.as_dict()["standings"][0]["elo"] is None


def test_a_player_against_itself_is_as_strong_as_itself():
    score = arena.match(TIC_TAC_TOE, ("mcts:simulations=4", "mcts:simulations=4"), 400, concurrency=2)
    low, high = score.elo_range
    assert (score.games, score.why_no_elo) == (400, "")
    assert low <= 0 <= high
    assert high - low < 100


def test_a_sequential_test_ends_a_match_at_the_same_game_however_it_is_played(tmp_path):
    players, test = ("alphabeta:depth=2", "random"), "elo0=0,elo1=50"
    score = arena.match(TIC_TAC_TOE, players, 200, sprt=test)
    assert score.verdict == "accepted"
    assert score.llr >= arena.Sprt(0, 50).bounds[1]
    assert 10 < score.games < 200
    assert (score.games % 2, score.why_no_elo) == (0, "")
    assert "normalised Elo 0 against 50 accepted" in str(score)
    assert arena.match(TIC_TAC_TOE, players, 200, sprt=test, concurrency=3, record=tmp_path / "r") == score
    assert arena.match(TIC_TAC_TOE, players, 200, sprt=test, record=tmp_path / "r") == score  # nothing is left to play
    assert arena.match(TIC_TAC_TOE, players[::-1], 200, sprt=test).verdict == "rejected"
    with pytest.raises(UserError, match="for a match of two"):
        arena.tournament(TIC_TAC_TOE, players, "gauntlet", sprt=test)


# ---- one game


class Slow:
    """Plays the first move there is; each takes so many seconds of the clock that a test has."""

    def __init__(self, game, now, seconds):
        self.game, self.now, self.seconds, self.told, self.is_closed = game, now, seconds, [], False

    def tell_time(self, clocks):
        self.told.append([each.total for each in clocks])

    def choose(self, states):
        self.now[0] += self.seconds
        return next(iter(self.game.actions(states[-1])))

    def close(self):
        self.is_closed = True


def test_a_clock_runs_and_a_player_loses_on_time(monkeypatch):
    now, made = [0.0], []

    def slow(game, text, seed, **_):
        made.append(Slow(game, now, float(text)))
        return made[-1]

    monkeypatch.setattr(bout, "new_player", slow)
    monkeypatch.setattr(bout.time, "perf_counter", lambda: now[0])
    fixture = Fixture(0, (0, 1), ("1", "4"), (0, 0), Opening("", (4,)), 0)
    played = play(TIC_TAC_TOE, Conditions(clock=arena.Clock.read("10+1")), fixture)
    assert (played.ended, played.points, played.loser) == ("time", 1.0, 1)
    assert played.used == (0, 4, 1, 4, 1)  # the opening, and no third move of 4 seconds
    assert made[0].told == [[10, 7], [10, 4]]
    assert made[1].told == [[10, 10], [10, 7], [10, 4]]
    assert played.spare == (9, 0)
    assert all(each.is_closed for each in made)
    assert play(TIC_TAC_TOE, Conditions(), fixture).ended == "rules"


def test_a_search_thinks_no_longer_than_its_clock_allows(monkeypatch):
    player = arena.new_player(TIC_TAC_TOE, "alphabeta", otherwise=bout.CLOCK_ONLY)
    player.prepare()
    given, ask = [], search.AlphaBeta.search
    monkeypatch.setattr(
        search.AlphaBeta,
        "search",
        lambda self, s, limits, **more: (given.append(limits), ask(self, s, limits, **more))[1],
    )
    player.tell_time([arena.TimeLeft(4.0), arena.TimeLeft(0.0)])
    states = [TIC_TAC_TOE.initial()]
    states.append(TIC_TAC_TOE.result(states[0], player.choose(states)))
    player.choose(states)
    assert given[0].seconds == arena.allot(arena.TimeLeft(4.0), 0.02).target
    assert 0 < given[1].seconds < 0.01
    quick = arena.new_player(TIC_TAC_TOE, "alphabeta:seconds=0.001")
    quick.tell_time([arena.TimeLeft(4.0)] * 2)
    quick.choose(states[:1])
    assert given[-1].seconds == 0.001
    arena.new_player(TIC_TAC_TOE, "level:1").prepare()


def test_a_judge_ends_what_is_decided():
    judge = Judge(TIC_TAC_TOE, Adjudication())
    assert judge.points([TIC_TAC_TOE.at("a3 b3 b2 c3").state]) == 1.0  # x to move wins
    assert judge.points([TIC_TAC_TOE.initial()]) == 0.5  # small enough to be solved
    whole, short = (
        arena.tournament(TIC_TAC_TOE, ("random", "random"), "match", 6, adjudicate=rules) for rules in (None, "on")
    )
    assert {each.ended for each in whole.games} == {"rules"}
    assert {each.ended for each in short.games} == {"rules", "adjudication"}
    for one, other in zip(short.games, whole.games, strict=True):
        assert one.moves == other.moves[: len(one.moves)]
    pig = games.load("pig:goal=30")
    won = Judge(pig, Adjudication(win=0.6, plies=2, nodes=300))
    ahead = pig.at(position=pig.to_text(pig.initial()._replace(scores=(28, 0)))).state
    assert [won.points([ahead]), won.points([ahead])] == [None, 1.0]
    even = Judge(pig, Adjudication(draw=0.4, plies=2, nodes=300, after=1))
    assert [even.points([pig.initial()] * 2), even.points([pig.initial()] * 2)] == [None, 0.5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("win=0.4", "win above 0.5"),
        ("draws=1", "has no 'draws'; it has: win, draw, plies"),
        ("plies=0", "1 ply and 1 node"),
        ("nodes=2.5", "nodes is a number like 5000"),
        ("off", "not of the form name=value"),
    ],
)
def test_what_is_no_adjudication_is_refused(text, message):
    with pytest.raises(UserError, match=message):
        Adjudication.read(text)
    assert Adjudication.read("on") == Adjudication()
    assert Adjudication.read(str(Adjudication(plies=3))) == Adjudication(plies=3)


# ---- openings


def opening_file(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    return tmp_path / name


def test_openings_of_every_kind_of_file(tmp_path):
    chess, checkers = games.load("chess"), games.load("checkers")
    epd = opening_file(
        tmp_path,
        "a.epd",
        "# two, one of them twice\n"
        'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - bm Nf3; id "one";\n'
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 0;\n\n"
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n",
    )
    assert [each.begins for each in read_openings(chess, epd)] == [
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    ]
    elsewhere = '[Event "y"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 *\n'
    text = '[Event "x"]\n\n1. e4 {best} e5 (1... c5) 2. Nf3 *\n\n'
    pgn = opening_file(tmp_path, "b.pgn", text + elsewhere)
    names = [chess.at((), each.begins or None).state for each in read_openings(chess, pgn)]
    assert [len(each.moves) for each in read_openings(chess, pgn)] == [3, 1]
    assert [len(each.moves) for each in read_openings(chess, pgn, 2)] == [2, 1]
    assert chess.to_text(names[1]) == "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    pdn = opening_file(
        tmp_path, "c.pdn", '[Event "Ballot 1"]\n1. 9-13 21-17 2. 5-9 *\n[Event "Ballot 2"]\n1. 9-13 22-18 2. 10-15 *\n'
    )
    assert [len(each.moves) for each in read_openings(checkers, pdn)] == [3, 3]
    plain = opening_file(tmp_path, "d", "b2 a3\n1. b2, c3\nx../.o./...\n")
    found = read_openings(TIC_TAC_TOE, plain)
    assert [(each.begins, len(each.moves)) for each in found] == [("", 2), ("", 2), ("x../.o./...", 0)]
    ended = arena.tournament(TIC_TAC_TOE, ("random", "random"), "match", 8, openings=plain)
    begins = [each.begins for each in ended.games]
    assert begins == ["", "", "", "", "x../.o./...", "x../.o./...", "", ""]  # they come again
    assert [each.moves[:2] for each in ended.games[:2]] == [("b2", "a3")] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no opening in it"),
        ("# none\n\n", "has no opening in it"),
        ("b2 b2", "line 1: move 2: 'b2' is not a legal move here"),
        ("b2\nhello", "line 2: "),
        ("b2 a3 a2 c2 a1 c3 c1 b1 b3", "line 1: the game is over after this opening; cut it off"),
        ('[Event "x"]\n1. b2 b9', "game 1: move 2"),
    ],
)
def test_what_is_no_opening_is_refused(tmp_path, text, message):
    with pytest.raises(UserError, match=message):
        read_openings(TIC_TAC_TOE, opening_file(tmp_path, "file", text))


def test_balanced_openings_are_even_in_the_eyes_of_a_search():
    judge = Judge(TIC_TAC_TOE, Adjudication())
    found = random_openings(TIC_TAC_TOE, 4, 5, 0, balanced=0.1)
    assert len(found) == 4
    for each in found:
        states = [TIC_TAC_TOE.initial()]
        for a in each.moves:
            states.append(TIC_TAC_TOE.result(states[-1], a))
        assert judge.chance(states)[0] == 0.5
    for wrong in (Openings(plies=-1), Openings(balanced=0.7)):
        with pytest.raises(UserError, match=r"0 plies or more, not -1|0 to 0\.5, not 0\.7"):
            wrong.make(TIC_TAC_TOE, 1, 0)
    with pytest.raises(UserError, match="has not 50 balanced openings"):
        random_openings(games.load("nim:heaps=[1,2]"), 50, 1, 0, balanced=0.1)


# ---- records and processes


def old_form(line):
    """A line as it was written before there were tournaments."""
    first = line["seats"][0]
    points = line["points"] if first == 0 else 1 - line["points"]
    return {
        "number": line["number"],
        "first": first,
        "opening": 4,
        "moves": line["moves"],
        "points": points,
        "ended": "rules",
    }


def test_a_record_of_the_old_form_goes_on(tmp_path):
    whole, old = tmp_path / "whole", tmp_path / "old"
    score = arena.match(TIC_TAC_TOE, ("alphabeta:depth=1", "random"), 6, record=whole)
    header, *lines = map(json.loads, whole.read_text().splitlines())
    assert header == {
        "game": "tic_tac_toe",
        "players": ["alphabeta:depth=1", "random"],
        "seed": 0,
        "opening_plies": 4,
        "limits": {},
    }
    old.write_text("".join(json.dumps(each) + "\n" for each in (header, *map(old_form, lines[:3]))))
    assert arena.match(TIC_TAC_TOE, ("alphabeta:depth=1", "random"), 6, record=old) == score
    from counterplay.study.analysis import read_record

    for number in (1, 2, 5):
        assert read_record(old, number=number) == read_record(whole, number=number)


def lines_of(file):
    return sorted(map(json.loads, file.read_text().splitlines()[1:]), key=lambda line: line["number"])


def command(file, *more):
    match = ["match", "tic_tac_toe", "alphabeta:nodes=60", "mcts:simulations=6", "--games", "40", "--record", str(file)]
    return [sys.executable, "-m", "counterplay", *match, *more]


def begin(file, *more):
    return subprocess.Popen(
        command(file, *more),
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_ctrl_c,
    )


def wait_for_games(process, file, wanted):
    until = time.monotonic() + WATCHDOG_SECONDS
    while not file.exists() or file.read_bytes().count(b"\n") <= wanted:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.002)


def children_of(process):
    return [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


def wait_until_gone(pids):
    until = time.monotonic() + WATCHDOG_SECONDS
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    file = tmp_path_factory.mktemp("whole") / "record"
    environment = {**os.environ, "COUNTERPLAY_INTERPRETED": "1"}
    subprocess.run(command(file), check=True, capture_output=True, timeout=WATCHDOG_SECONDS, env=environment)
    return lines_of(file)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
@pytest.mark.parametrize(("more", "games"), [((), 7), (("--concurrency", "2"), 5), (("--concurrency", "2"), 12)])
def test_a_match_that_is_killed_goes_on_and_ends_as_it_would_have(tmp_path, undisturbed, more, games):
    file = tmp_path / "record"
    with begin(file, *more) as process:
        wait_for_games(process, file, games)
        started = children_of(process)
        process.kill()
    wait_until_gone(started)
    kept = lines_of(file) if file.read_text().endswith("\n") else None
    with begin(file, *more) as process:
        process.communicate(timeout=WATCHDOG_SECONDS)
        assert process.returncode == 0
    assert lines_of(file) == undisturbed
    assert kept is None or all(each in undisturbed for each in kept)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
@pytest.mark.parametrize("more", [(), ("--concurrency", "2")])
def test_ctrl_c_ends_all_processes_and_loses_no_game(tmp_path, undisturbed, more):
    file = tmp_path / "record"
    with begin(file, *more) as process:
        wait_for_games(process, file, 4)
        started = children_of(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=WATCHDOG_SECONDS)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    wait_until_gone(started)
    played = lines_of(file)
    assert len(played) >= 4
    assert all(each in undisturbed for each in played)
    assert "no Elo: only" in out
    told = int(re.search(r"only (\d+) of 40 games were played", out)[1])
    assert told - len(played) in (0, 1)  # a game may have ended just then


def test_what_goes_wrong_in_a_process_is_told():
    chess, dead = games.load("chess"), f"uci:{sys.executable} -c 'raise SystemExit(4)'"
    with pytest.raises(UserError, match="ended with status 4, before it was ready"):
        arena.match(chess, (dead, "random"), 2, concurrency=2, seconds=0.1)
    with pytest.raises(TypeError, match="concurency"):
        arena.match(TIC_TAC_TOE, ("random", "random"), 2, concurency=2)
    with pytest.raises(UserError, match="1 to 256 games are played at once, not 0"):
        arena.match(TIC_TAC_TOE, ("random", "random"), 2, concurrency=0)


BAD_RULES = """
import multiprocessing, os
from counterplay.games.tic_tac_toe import TicTacToe

class Bad(TicTacToe):
    how: str = ""

    def result(self, s, a):
        if multiprocessing.parent_process() is not None:
            os._exit(7) if self.how == "ends" else 1 / 0
        return super().result(s, a)
"""


def test_rules_that_end_a_process_or_fail_in_it(tmp_path):
    file = tmp_path / "bad.py"
    file.write_text(BAD_RULES)
    with pytest.raises(UserError, match=r"the process that played game \d has ended with status 7"):
        arena.match(games.load(f"{file}:Bad:how=ends"), ("random", "random"), 2, concurrency=2)
    with pytest.raises(ZeroDivisionError) as error:
        arena.match(games.load(f"{file}:Bad"), ("random", "random"), 2, concurrency=2)
    assert "in the process that played game" in error.value.__notes__[0]


def test_ctrl_c_that_a_search_has_taken_is_raised_again():
    def taken():
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with CtrlC() as ctrl_c:
        ctrl_c.raise_again()
        taken()
        with pytest.raises(KeyboardInterrupt):
            ctrl_c.raise_again()
    assert signal.getsignal(signal.SIGINT) is before


# ---- files for others


def games_of(name, number=2, **more):
    game = games.load(name)
    players = ("alphabeta:nodes=50", "random")
    return game, arena.tournament(game, players, "match", number, seed=1, **more)


def test_a_pgn_is_read_by_others_and_by_us(tmp_path):
    pgn = pytest.importorskip("chess.pgn", reason="needs python-chess (pip install chess)")
    from counterplay.study.analysis import read_record

    openings = opening_file(tmp_path, "o", "e4 e5\n4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\n")
    game, ended = games_of("chess", 4, openings=openings, adjudicate="win=0.9,plies=2,nodes=40,after=20,draw=0.1")
    file = tmp_path / "games.pgn"
    write_games(game, file, ended.players, ended.games)
    with file.open() as opened:
        for number, record in enumerate(ended.games, 1):
            read = pgn.read_game(opened)
            assert not read.errors
            end = game.at(record.moves, record.begins or None).state
            assert read.end().board().fen(en_passant="fen").split()[:3] == game.to_text(end).split()[:3]
            assert read.headers["White"] == ended.players[record.seats[0]]
            assert read.headers["Result"] == {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}[record.points]
            assert read_record(file, game, number=number).moves == record.moves


def test_games_of_checkers_go_and_othello(tmp_path):
    from counterplay.study.analysis import read_record

    checkers, ended = games_of("checkers")
    file = tmp_path / "games.pdn"
    write_games(checkers, file, ended.players, ended.games)
    assert read_record(file, checkers, number=2).moves == ended.games[1].moves
    one = ended.games[0]
    text = file.read_text()
    assert f'[Black "{ended.players[one.seats[0]]}"]' in text.split("\n\n")[0]
    assert f'[Result "{ {1.0: "0-1", 0.5: "1/2-1/2", 0.0: "1-0"}[one.points] }"]' in text.split("\n\n")[0]

    go = games.load("go:size=3,komi=0.5")
    moves = ("B2", "pass", "A1", "pass", "pass")
    played = [
        arena.GameRecord(0, (0, 1), 0, moves, 1.0, "rules"),
        arena.GameRecord(1, (1, 0), 0, moves[:1], 1.0, "time"),
    ]
    played += [arena.GameRecord(2, (0, 1), 0, ("A1",), 0.0, "resignation", ".../.X./..O O")]
    assert written(go, Path("x.sgf"), ("a]", "b"), played) == (
        "(;FF[4]GM[1]SZ[3]KM[0.5]RO[1]PB[a\\]]PW[b]RE[B+8.5]\n;B[bb];W[];B[ac];W[];B[])\n"
        "(;FF[4]GM[1]SZ[3]KM[0.5]RO[2]PB[b]PW[a\\]]RE[B+T]\n;B[bb])\n"
        "(;FF[4]GM[1]SZ[3]KM[0.5]RO[3]PB[a\\]]PW[b]RE[W+R]AB[bb]AW[cc]PL[W]\n;W[ac])\n"
    )

    othello = games.load("othello:size=4")
    first = othello.at().moves()[0]
    played = [arena.GameRecord(0, (0, 1), 0, (first,), 0.0, "time", used=(0.25,), spare=(0.0, 1.0))]
    assert written(othello, Path("x.GGF"), ("a", "b"), played) == (
        "(;GM[Othello]PC[counterplay]DT[0]PB[a]PW[b]TY[4]RE[-16:t]"
        f"BO[4 ---- -O*- -*O- ---- *]B[{first.upper()}//0.25];)\n"
    )
    othello, ended = games_of("othello:size=4")
    assert written(othello, Path("x.ggf"), ended.players, ended.games).count("(;GM[Othello]") == 2


def test_games_for_people_and_what_cannot_be_written(tmp_path, answer, counterplay):
    file = tmp_path / "games.txt"
    asked = ("match", "tic_tac_toe", "random", "alphabeta:depth=1", "--games", 2, "--out", file)
    assert answer(*asked)["games"] == 2
    first = file.read_text().splitlines()[0]
    assert first.startswith("1. random - alphabeta:depth=1 ")
    assert first.endswith("(rules)")
    start = arena.GameRecord(0, (0, 1), 0, ("b2",), 0.5, "length", "x../.../..o")
    assert "from x../.../..o\n" in written(TIC_TAC_TOE, file, ("a", "b"), [start])
    for name, message in (
        ("x.pgn", r"\.pgn is for chess; the games of tic_tac_toe go to \.txt"),
        ("x", "no suffix of games"),
    ):
        with pytest.raises(UserError, match=message):
            must_be_writable(TIC_TAC_TOE, Path(name))
        assert counterplay(*asked[:-1], tmp_path / name)[0] == 2


# ---- the commands


def test_the_command_of_a_tournament(counterplay, answer):
    asked = ("tournament", "tic_tac_toe", *WEAK, "--games", 4)
    told = answer(*asked, "--kind", "gauntlet")
    assert (told["kind"], told["games"], len(told["standings"])) == ("gauntlet", 8, 3)
    status, out, _ = counterplay(*asked, "--kind", "swiss", "--rounds", 2, "--anchor", "random")
    head, *rows = out.splitlines()
    assert (status, head.split()[:4], len(rows) >= 3) == (0, ["player", "Elo", "±", "points"], True)
    status, out, _ = counterplay(
        "tournament", "tic_tac_toe", *["alphabeta:depth=1"] * 2, "--opening-plies", 0, "--games", 4
    )
    assert (status, "no Elo: 2 of the games repeat" in out) == (0, True)
    status, out, _ = counterplay("tournament", "tic_tac_toe", "random", "alphabeta:depth=9", "--games", 2)
    assert (status, "±" in out) == (0, True)
    for wrong, message in (
        (("--kind", "cup"), "no tournament 'cup'"),
        (("--anchor", "x"), "no player 'x' to measure by"),
        (("--clock", "soon"), "no clock"),
        (("--openings", "none.pgn"), "cannot be read"),
        (("--adjudicate", "perhaps"), "name=value"),
        (("--concurrency", 0), "played at once"),
    ):
        status, out, err = counterplay(*asked, *wrong)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert message in err


def test_the_command_of_a_match_with_everything(answer, counterplay, tmp_path):
    asked = ("match", "tic_tac_toe", "alphabeta:depth=2", "random", "--games", 60)
    told = answer(*asked, "--sprt", "elo0=0,elo1=100,model=logistic", "--adjudicate", "nodes=30")
    assert told["verdict"] == "accepted"
    assert told["sprt"]["llr"] > 2.9
    assert (told["late"], told["no_elo"]) == ([0, 0], None)
    told = answer(*asked[:-1], 2, "--clock", "60+1")
    assert (told["games"], min(told["spare"]) > 10) == (2, True)
    status, _, err = counterplay(*asked, "--sprt", "elo0=9")
    assert (status, "elo0 below elo1" in err) == (2, True)


def test_somebody_who_looks_sees_it_grow(monkeypatch):
    from rich.console import Console

    from counterplay.apps.cli import output
    from counterplay.apps.cli.show_tournament import compete

    console = Console(force_terminal=True, width=150, record=True, file=io.StringIO())
    monkeypatch.setattr(output, "_err", console)
    compete("tic_tac_toe", ("alphabeta:depth=1", "random"), "match", 4, out=None, sprt="elo0=0,elo1=100")
    seen = console.export_text()
    assert "game 4 of 4; " in seen
    assert "; LLR " in seen
    assert "forfeits" in seen
    compete("tic_tac_toe", WEAK, "gauntlet", 2, out=None)
    assert "alphabeta:depth=2" in console.export_text()
