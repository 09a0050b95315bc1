"""Tournaments: who meets whom, what ends a game, processes, records that go on, the commands."""

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
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay import UserError, arena, games, native, search
from counterplay.arena import bout
from counterplay.arena import players as playing
from counterplay.arena.adjudication import Adjudication, Judge
from counterplay.arena.bout import Conditions, Fixture, play
from counterplay.arena.interrupting import CtrlC
from counterplay.arena.openings import Opening
from counterplay.arena.pairings import Pair, Plan
from counterplay.arena.score import score_of
from tests.processes import WATCHDOG_SECONDS, hear_ctrl_c
from tests.test_arena import records

pytestmark = pytest.mark.long

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
    ended = arena.tournament(TIC_TAC_TOE, players, "match", 200, sprt=test)
    assert (ended.wanted, ended.why_no_elo) == (score.games, "")
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
    """On a machine so busy that every answer comes 0.3 seconds late, which is what is expected of the next one, too."""
    now, given, ask, left = [0.0], [], search.AlphaBeta.search, arena.TimeLeft(40.0)

    def asked(self, s, limits, **more):
        given.append(limits.seconds)
        now[0] += limits.seconds + 0.3
        return ask(self, s, search.Limits(depth=1), **more)

    player = arena.new_player(TIC_TAC_TOE, "alphabeta", otherwise=bout.CLOCK_ONLY)
    player.prepare()
    monkeypatch.setattr(search.AlphaBeta, "search", asked)
    monkeypatch.setattr(playing, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    player.tell_time([left, arena.TimeLeft(0.0)])
    states = [TIC_TAC_TOE.initial()]
    for _ in range(2):
        player.choose(states)
    assert given == pytest.approx([arena.allot(left, late).limit for late in (0.01, 0.3)])
    player.choose([*states, TIC_TAC_TOE.result(states[0], 0)])
    assert 0 < given[-1] < 0.01
    quick = arena.new_player(TIC_TAC_TOE, "alphabeta:seconds=0.001")
    quick.tell_time([left, left])
    quick.choose(states)
    assert given[-1] == 0.001


def test_a_search_begins_no_depth_that_it_would_not_finish(monkeypatch):
    seen, now = [], [0.0]

    class Shown:
        def __call__(self, tally):
            pass

        def found(self, result):
            seen.append(result.depth)
            now[0] += 0.4

    monkeypatch.setattr(playing, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    clocks = [arena.TimeLeft(40.0)] * 2  # about two seconds a move: half of it is over after three depths
    for text, depths in (("alphabeta", [1, 2, 3]), ("mcts:simulations=50", [])):
        player = arena.new_player(TIC_TAC_TOE, text, otherwise=bout.CLOCK_ONLY)
        player.tell_time(clocks)
        seen.clear()
        result = player.search([TIC_TAC_TOE.initial()], Shown())
        assert [depth for depth in seen if depths] == depths
        assert result.stopped in ("depth", "simulations")  # nothing was cut short
    arena.new_player(TIC_TAC_TOE, "level:1").prepare()  # it thinks as long as it likes, but is ready


def test_a_judge_ends_what_is_decided():
    judge = Judge(TIC_TAC_TOE, Adjudication(nodes=6_000))
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


def test_games_of_others_and_records_beyond_measure_are_refused(tmp_path, monkeypatch):
    file, players = tmp_path / "record", ("random", "random", "random")
    arena.tournament(TIC_TAC_TOE, players, "gauntlet", 2, record=file)
    lines = file.read_text().splitlines()
    assert '"seats": [0, 2]' in lines[3]
    file.write_text("\n".join([*lines[:3], lines[3].replace('"seats": [0, 2]', '"seats": [1, 2]'), ""]))
    with pytest.raises(UserError, match="has a game 3 between others"):
        arena.tournament(TIC_TAC_TOE, players, "gauntlet", 2, record=file)
    before = file.read_text()
    monkeypatch.setattr("counterplay.arena.record.MOST_BYTES", 100)
    with pytest.raises(UserError, match="more than 100 bytes, too many to go on from"):
        arena.tournament(TIC_TAC_TOE, players, "gauntlet", 2, record=file)
    assert file.read_text() == before


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

    outside = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
    try:
        with CtrlC() as ctrl_c:
            ctrl_c.raise_again()
            taken()
            with pytest.raises(KeyboardInterrupt):
                ctrl_c.raise_again()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, outside)


# ---- the commands


def test_the_command_of_a_tournament(counterplay, answer, tmp_path):
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
        status, out, err = counterplay(*asked, *wrong, "--record", tmp_path / "record")
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert message in err
        assert not (tmp_path / "record").exists()


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
