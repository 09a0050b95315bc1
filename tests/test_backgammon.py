"""Backgammon: its plays are those of GNU Backgammon, of OpenSpiel and of a slow obvious twin."""

import json
import os
import random
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from counterplay import Game, games, native, search
from counterplay.games.backgammon.text import digits, points
from counterplay.native import native as make_native
from counterplay.search.plain.expectiminimax import PRUNING
from tests.processes import WATCHDOG_SECONDS

pytestmark = pytest.mark.long

GAME = games.load("backgammon")
OPENING = "4HPwATDgc/ABMA"
GNUBG = shutil.which("gnubg", path="/usr/games:/usr/local/games:/usr/bin:/usr/local/bin:/bin")
needs_gnubg = pytest.mark.skipif(GNUBG is None, reason="needs GNU Backgammon (Debian: apt install gnubg)")
SPIEL = "needs OpenSpiel (pip install 'counterplay[peers]')"


# ---- the twin: a side is a tuple of 26 numbers, by its own points; 0 is off and 25 the bar


def twin_of(s):
    """The mover's side and the other's."""
    on = [points(men) for men in s[:2]]
    return tuple((15 - sum(side.values()), *(side[point] for point in range(1, 26))) for side in on)


def state_of(mine, theirs, turn=0, big=0, small=0):
    return GAME.State(*(digits(dict(enumerate(side[1:], 1))) for side in (mine, theirs)), turn, big, small)


def may_go(mine, theirs, point, die):
    """Whether a checker on the point may move by the die."""
    if mine[25] > 0 and point != 25:
        return False
    if point > die:
        return theirs[25 - (point - die)] < 2
    if sum(mine[7:]) > 0:
        return False
    return point == die or sum(mine[point + 1 :]) == 0


def gone(mine, theirs, point, die):
    """Both sides after it."""
    mine, to = list(mine), max(0, point - die)
    mine[point] -= 1
    mine[to] += 1
    if to > 0 and theirs[25 - to] == 1:
        theirs = list(theirs)
        theirs[25 - to] = 0
        theirs[25] += 1
    return tuple(mine), tuple(theirs)


def after(positions, die):
    """All positions that one checker's move by the die leads to."""
    return {
        gone(mine, theirs, point, die)
        for mine, theirs in positions
        for point in range(1, 26)
        if mine[point] and may_go(mine, theirs, point, die)
    }


def twin_plays(mine, theirs, big, small):
    """The positions that a throw may lead to: as many dice as possible, and the larger if it can be only one."""
    here = {(mine, theirs)}
    if big == small:
        for _ in range(4):
            here = after(here, big) or here
        return here
    by_big, by_small = after(here, big), after(here, small)
    return after(by_big, small) | after(by_small, big) or by_big or by_small or here


def played_positions(n, seed):
    """States with dice, out of random games."""
    source, skip, found = search.new_random(seed), random.Random(seed), []
    while len(found) < n:
        s = GAME.initial()
        while not GAME.is_terminal(s):
            if s.big and skip.random() < 0.5:
                found.append(s)
            s = GAME.result(s, int(search.random_action(GAME, s, source)))
    return found[:n]


def scattered_positions(n, seed):
    """States that hardly come up in games: any checkers anywhere, few or many, deep at home or on the bar."""
    source, found = random.Random(seed), []
    while len(found) < n:
        own = source.choice([range(1, 26), range(1, 7), range(1, 9), range(13, 26), [1, 2, 25]])
        mine, theirs = [0] * 26, [0] * 26
        for _ in range(source.randint(1, 15)):
            mine[source.choice(list(own))] += 1
        free = [p for p in range(1, 26) if p == 25 or mine[25 - p] == 0]
        for _ in range(source.randint(1, 15)):
            theirs[source.choice(free)] += 1
        throw = sorted((source.randint(1, 6), source.randint(1, 6)), reverse=True)
        found.append(state_of(mine, theirs, source.randint(0, 1), *throw))
    return found


@make_native
def results(game, s):
    """After every play, the mover's side and the other's, as the twin writes them."""
    plays = game.actions(s)
    found = np.zeros((len(plays), 2, 26), np.int64)
    found[:, :, 0] = 15
    for i in range(len(plays)):
        t = game.result(s, plays[i])
        for point in range(1, 26):
            for k in range(4):
                found[i, 0, point] += (t.theirs[k] >> 25 - point & 1) << k
                found[i, 1, point] += (t.mine[k] >> 25 - point & 1) << k
            found[i, 0, 0] -= found[i, 0, point]
            found[i, 1, 0] -= found[i, 1, point]
    return found


def our_plays(s):
    """The positions that our plays lead to, in the order of the plays; each once."""
    found = [(tuple(mine), tuple(theirs)) for mine, theirs in results.compiled(GAME, s).tolist()]
    assert len(found) == len(set(found)), GAME.to_text(s)
    return found


def assert_plays_of_the_twin(states):
    for s in states:
        assert set(our_plays(s)) == twin_plays(*twin_of(s), s.big, s.small), GAME.to_text(s)


@pytest.mark.parametrize("positions", [played_positions, scattered_positions])
def test_plays_are_those_of_the_twin(positions):
    assert_plays_of_the_twin(positions(600, seed=1))


@pytest.mark.slow
@pytest.mark.parametrize("positions", [played_positions, scattered_positions])
def test_plays_are_those_of_the_twin_in_20000_positions(positions):
    assert_plays_of_the_twin(positions(10_000, seed=2))


def test_most_plays():
    """A position with more plays than most fits the array."""
    mine = [0] * 10 + [1] * 15 + [0]
    s = state_of(mine, [14] + [0] * 24 + [1], 0, 1, 1)
    assert len(our_plays(s)) == len(twin_plays(*twin_of(s), 1, 1)) > 1500


# ---- GNU Backgammon

SCRIPT = """
import gnubg, json
for command in ("set player 0 human", "set player 1 human", "set display off", "new session"):
    gnubg.command(command)
for automatic in ("roll", "game", "move", "bearoff", "doubles"):
    gnubg.command("set automatic %s off" % automatic)
gnubg.command("set evaluation chequer evaluation plies 0")
work = json.load(open({work!r}))
answers = []
for text in work["positions"]:
    gnubg.command("set gnubgid " + text)
    answers.append([gnubg.gnubgid(), gnubg.board(), [(h["move"], gnubg.parsemove(h["move"]))
                    for h in (gnubg.hint(9999) or {{}}).get("hint", [])]])
for moves in work["games"]:
    gnubg.command("new game")
    gnubg.command("set gnubgid " + moves[0])
    ids = []
    for big, small, name in moves[1:]:
        gnubg.command("set dice %d %d" % (big, small))
        ids.append(gnubg.gnubgid())
        if name != "pass":
            gnubg.command("move " + name)
        elif gnubg.gnubgid() == ids[-1]:
            gnubg.command("move")
    answers.append([ids, gnubg.gnubgid(), gnubg.match()["games"][-1]["info"]])
json.dump(answers, open({answers!r}, "w"))
"""


def ask_gnubg(folder, positions=(), games=()):
    """GNU Backgammon's answers; its Python says all legal plays only by way of its hints."""
    folder.mkdir()
    (folder / "work.json").write_text(json.dumps({"positions": list(positions), "games": list(games)}))
    answers = folder / "answers.json"
    (folder / "ask.py").write_text(SCRIPT.format(work=str(folder / "work.json"), answers=str(answers)))
    command = [GNUBG, "-t", "-q", "-p", str(folder / "ask.py")]
    done = subprocess.run(
        command,
        env={**os.environ, "HOME": str(folder)},  # it makes a folder there, and two at once get into each other's way
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=WATCHDOG_SECONDS,
    )
    assert answers.exists(), done.stdout + done.stderr
    return json.loads(answers.read_text())


def assert_plays_of_gnubg(states, folder, named=True):
    """The same IDs, the same positions after the plays, and the same names of these."""
    parts = 8  # at once, because GNU Backgammon sleeps for 10 ms before every hint
    with ThreadPoolExecutor(parts) as pool:
        work = [[GAME.to_text(s) for s in states[i::parts]] for i in range(parts)]
        answers = list(pool.map(lambda i: ask_gnubg(folder / str(i), work[i]), range(parts)))
    for i in range(parts):
        for s, (text, (theirs, mine), plays) in zip(states[i::parts], answers[i], strict=True):
            assert text == GAME.to_text(s)
            assert twin_of(s) == (with_off(mine), with_off(theirs)), text
            want, here = {}, twin_of(s)
            for name, steps in plays:
                sides = here
                for start, end in steps:
                    sides = gone(*sides, start, start - max(end, 0))
                want[sides] = name
            ours = our_plays(s)
            if not plays:
                assert ours == [here]
            elif named:
                assert {
                    sides: GAME.action_name(s, int(a)) for sides, a in zip(ours, GAME.actions(s), strict=True)
                } == want
            else:
                assert set(ours) == want.keys(), text


def with_off(side):
    return (15 - sum(side), *side)


@needs_gnubg
@pytest.mark.parametrize("positions", [played_positions, scattered_positions])
def test_plays_are_those_of_gnubg(positions, tmp_path):
    assert_plays_of_gnubg(positions(200, seed=3), tmp_path)


@needs_gnubg
@pytest.mark.parametrize("number", [3_000, pytest.param(20_000, marks=pytest.mark.rare)])
def test_plays_are_those_of_gnubg_in_thousands_of_positions(tmp_path, number):
    assert_plays_of_gnubg(played_positions(number, seed=4), tmp_path, named=False)  # naming takes minutes


def random_game(seed):
    """The states of a random game, each with the name of the action."""
    source, s, steps = search.new_random(seed), GAME.initial(), []
    while not GAME.is_terminal(s):
        a = int(search.random_action(GAME, s, source))
        steps.append((s, GAME.action_name(s, a), a))
        s = GAME.result(s, a)
    return steps, s


@needs_gnubg
def test_whole_games_end_alike_in_gnubg(tmp_path):
    """From the first play on; the last letter of a match ID, E, says that gammons count though nobody has doubled."""
    played = [random_game(seed) for seed in range(24)]
    work = []
    for steps, _ in played:
        first = GAME.to_text(steps[1][0])[:-1] + "E"
        work.append([first, *((int(s.big), int(s.small), name) for s, name, _ in steps if s.big)])
    stakes = set()
    for (steps, end), (ids, last, info) in zip(played, ask_gnubg(tmp_path / "games", games=work), strict=True):
        assert [text[:-1] + "A" for text in ids] == [GAME.to_text(s) for s, _, _ in steps if s.big]
        assert last.split(":")[0] == GAME.to_text(end).split(":")[0]
        winner = {"X": 0, "O": 1}[info["winner"]]  # its Python calls player 0 X, though its boards show O
        assert GAME.utility(end, winner) == info["points-won"] == -GAME.utility(end, 1 - winner)
        stakes.add(info["points-won"])
    assert stakes == {1, 2, 3}


# ---- OpenSpiel: x is its player 0 and o its player 1; doubles are two turns there, each of at most two steps


def spiel_sides(state):
    """What both have on their own points and the bar; what is off."""
    own = [[state.board(p, (24 - point, point - 1)[p]) for point in range(1, 25)] for p in range(2)]
    return tuple((15 - sum(own[p]) - state.board(p, 100), *own[p], state.board(p, 100)) for p in range(2))


def spiel_play(state, want, turns):
    """The state after the play that leads to these sides, or None."""
    for a in state.legal_actions():
        then = state.child(a)
        goes_on = turns > 1 and not then.is_terminal() and then.current_player() == state.current_player()
        found = spiel_play(then, want, turns - 1) if goes_on else then if spiel_sides(then) == want else None
        if found is not None:
            return found
    return None


def spiel_throw(state, one, other):
    """After the throw in which x has thrown `one` and o `other`, or just these two."""
    for a, _ in state.chance_outcomes():
        throw = re.search(r"roll: (\d)(\d)", state.action_to_string(a))
        if {int(throw[1]), int(throw[2])} == {one, other}:
            starts = re.search("([XO]) starts", state.action_to_string(a))
            if starts is None or (starts[1] == "X") == (one > other):
                return state.child(a)
    raise AssertionError((one, other))


def test_whole_games_end_alike_in_open_spiel():
    pyspiel = pytest.importorskip("pyspiel", reason=SPIEL)
    rival = pyspiel.load_game("backgammon(scoring_type=full_scoring)")
    stakes = set()
    for seed in range(100, 112):
        steps, end = random_game(seed)
        theirs = rival.new_initial_state()
        for s, name, a in steps:
            if s.big == 0:
                theirs = spiel_throw(theirs, *divmod(a, 10))
                continue
            assert theirs.current_player() == s.turn
            mine, other = twin_of(GAME.result(s, a))[::-1]
            theirs = spiel_play(theirs, (mine, other) if s.turn == 0 else (other, mine), 1 + (s.big == s.small))
            assert theirs is not None, f"{GAME.to_text(s)} {name}"
        assert theirs.is_terminal()
        assert [GAME.utility(end, p) for p in range(2)] == theirs.returns()
        stakes.add(GAME.utility(end, 1 - end.turn))
    assert stakes == {1.0, 2.0, 3.0}


# ---- the dice


def test_the_opening_throw():
    s = GAME.initial()
    throws = [int(a) for a in GAME.actions(s)]
    assert len(throws) == 30
    assert [GAME.probability(s, a) for a in throws] == [1 / 30] * 30
    assert GAME.result(s, 31)[2:] == (0, 3, 1)
    assert GAME.result(s, 13)[2:] == (1, 3, 1)
    assert 22 not in throws


def test_later_throws():
    s = GAME.from_text(OPENING)
    chances = {int(a): GAME.probability(s, a) for a in GAME.actions(s)}
    assert len(chances) == 21
    assert {a for a, chance in chances.items() if chance == 1 / 36} == {11, 22, 33, 44, 55, 66}
    assert sum(chances.values()) == pytest.approx(1)
    assert GAME.action_name(s, 31) == "31"
    assert GAME.parse_action(s, "13") == GAME.parse_action(s, " 31 ") == 31


def test_a_sample_is_the_action_of_that_number():
    for s in [*played_positions(30, seed=5), GAME.initial(), GAME.from_text(OPENING)]:
        for r in (0, 1 << 31, 0xFFFFFFFF, 987654321):
            assert GAME.sample(s, r) == Game.sample(GAME, s, r)


# ---- perft


def perft_lines():
    for line in (Path(__file__).parent / "perft" / "backgammon.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            position, *counts = line.split("; ")
            yield position, [tuple(map(int, count.split())) for count in counts]


def twin_lines(mine, theirs, depth):
    """How many lines there are of `depth` plies, from before a throw."""
    if depth == 0 or sum(theirs[1:]) == 0:
        return 1 if depth == 0 else 0
    if depth == 1:
        return 21
    total = 0
    for big in range(1, 7):
        for small in range(1, big + 1):
            plays = twin_plays(mine, theirs, big, small)
            total += len(plays) if depth == 2 else sum(twin_lines(t, m, depth - 2) for m, t in plays)
    return total


@pytest.mark.parametrize(("position", "counts"), list(perft_lines()))
def test_perft(position, counts):
    s = GAME.from_text(position)
    depth = max(depth for depth, _ in counts)
    assert counts == list(enumerate(search.perft(GAME, s, depth)))[1:]
    if s.turn >= 0 and s.big == 0:
        for depth, lines in counts:
            if lines < 5_000:
                assert twin_lines(*twin_of(s), depth) == lines


# ---- features and estimates


@make_native
def both_features(game, s):
    return game.td_features(s), game.simple_features(s)


def test_features_of_the_opening():
    x, simple = GAME.td_features(GAME.from_text(OPENING)), GAME.simple_features(GAME.from_text(OPENING))
    assert x.shape == (198,)
    for first in (0, 98):
        on = {int(i) - first: float(x[i]) for i in np.flatnonzero(x[first : first + 98]) + first}
        ones = {4 * (point - 1) + k: 1.0 for point, n in ((24, 2), (13, 3), (8, 3), (6, 3)) for k in range(n)}
        assert on == ones | {4 * 12 + 3: 1.0, 4 * 5 + 3: 1.0}  # half of the two beyond three
    assert x[196:].tolist() == [1.0, 0.0]
    assert {GAME.simple_feature_name(i) for i in np.flatnonzero(simple)} == {
        *(f"(# o in column {c}) = {n}" for c, n in ((5, 5), (7, 3), (12, 5), (23, 2))),
        *(f"(# x in column {c}) = {n}" for c, n in ((18, 5), (16, 3), (11, 5), (0, 2))),
        "it is o's turn",
    }


def test_features_of_bar_and_off():
    s = GAME.State(digits({25: 3, 1: 1}), digits({2: 3}), 1, 2, 1)
    x, simple = GAME.td_features(s), GAME.simple_features(s)
    assert (x[96], x[97], x[194], x[195]) == (0.0, 12 / 15, 1.5, 11 / 15)
    assert x[196:].tolist() == [0.0, 1.0]
    named = {GAME.simple_feature_name(i): float(simple[i]) for i in np.flatnonzero(simple)}
    assert named == {
        "(# o in column 1) = 3": 1.0,
        "fraction o removed": 12 / 15,
        "(# x in column 23) = 1": 1.0,
        "# x on bar": 3.0,
        "fraction x removed": 11 / 15,
    }


def test_features_are_the_same_compiled():
    for s in played_positions(20, seed=6):
        for ours, theirs in zip(both_features(GAME, s), both_features.interpreted(GAME, s), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_terms_of_a_position():
    """O has 5 on the bar, one blot that X may hit and a prime of two; X has six points in a row and 2 off."""
    mine, theirs = {25: 5, 6: 2, 5: 2, 8: 1, 1: 5}, dict.fromkeys(range(1, 7), 2) | {20: 1}
    t = GAME.terms(GAME.State(digits(mine), digits(theirs), 0, 0, 0))
    gone_mine, gone_theirs = 125 + 22 + 8 + 5, 42 + 20
    assert t.race == pytest.approx(10 * (gone_theirs - gone_mine + 4) / (gone_mine + gone_theirs + 20))
    assert (t.past, t.bar, t.shut, t.off, t.gammon) == (0.0, 5, 5.0, -2 / 15, -2 / 15)
    assert (t.blots, t.home, t.back, t.anchors, t.turn) == (1 - 1, 3 - 6, 5 - 1, 0, 1.0)
    assert t.prime == pytest.approx(4 / 36 - 1)


def test_estimates_are_of_both_sides_and_within_the_range():
    for s in [*played_positions(200, seed=7), *scattered_positions(200, seed=7)]:
        v = GAME.evaluate(s, 0)
        assert -3 < v < 3
        assert GAME.evaluate(s, 1) == -v
        assert GAME.evaluate(GAME.State(s.mine, s.theirs, 1 - s.turn, 0, 0), 1) == v
    assert GAME.evaluate(GAME.initial(), 0) == 0.0


def test_the_estimate_finds_the_best_opening_plays():
    """Those on which everybody agrees: GNU Backgammon, too, makes a point with each of these throws."""
    for throw, name in (("31", "8/5 6/5"), ("42", "8/4 6/4"), ("61", "13/7 8/7")):
        result = search.expectiminimax(GAME, GAME.at(throw).state, depth=1)
        assert result.action_name == name


@make_native
def estimate(game, s):
    return game.evaluate(s, 0)


def obvious_value(s, depth):
    if GAME.is_terminal(s) or depth == 0:
        return estimate(GAME, s)
    below = [(int(a), obvious_value(GAME.result(s, a), depth - 1)) for a in GAME.actions(s)]
    if s.big == 0:
        return sum(GAME.probability(s, a) * v for a, v in below)
    return (max if s.turn == 0 else min)(v for _, v in below)


def assert_searched_like_the_twin(states, depth):
    nodes = dict.fromkeys(PRUNING, 0)
    for s in states:
        true = obvious_value(s, depth)
        for prune in PRUNING:
            result = search.expectiminimax(GAME, s, depth=depth, prune=prune)
            assert result.value == pytest.approx(true, abs=1e-8), (GAME.to_text(s), prune)
            nodes[prune] += result.nodes
    assert nodes["star2"] < nodes["star1"] < nodes["none"]


def test_expectiminimax_is_that_of_the_twin():
    """A play, the other's throw and the other's plays, from positions with few plays."""
    few = [s for s in played_positions(3000, seed=8) if 1 < len(GAME.actions(s)) <= 3]
    assert_searched_like_the_twin(few[:60], depth=3)


@pytest.mark.slow
def test_expectiminimax_is_that_of_the_twin_in_200_positions():
    states = [s for s in played_positions(6000, seed=9) if 1 < len(GAME.actions(s)) <= 6]
    assert_searched_like_the_twin(states[:200], depth=3)


def test_a_search_is_the_same_in_both_modes():
    s = next(s for s in played_positions(500, seed=10) if 1 < len(GAME.actions(s)) <= 3)
    for prune in PRUNING:
        with native.interpreted():
            slow = search.expectiminimax(GAME, s, depth=2, prune=prune)
        with native.compiled():
            fast = search.expectiminimax(GAME, s, depth=2, prune=prune)
        assert (slow.value, slow.nodes, slow.line) == (fast.value, fast.nodes, fast.line)
