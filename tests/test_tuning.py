"""Numbers that are tuned by games: they go where they win, the same way however they are played."""

from typing import NamedTuple

import numpy as np
import pytest

from counterplay import Game, Memory, UserError, arena, games, search
from counterplay.arena.tuning import Knob, knobs_of
from counterplay.native import interpreted


class Takers(Game):
    """Two take numbers in turn from either end of a row; who has more in the end has won.

    To look at the lead is right, and to like the left end is not worth anything.
    """

    row: tuple = (3, 9, 2, 7, 5, 8, 1, 6, 4, 9, 2, 7)

    class State(NamedTuple):
        left: int
        right: int
        lead: int
        turn: int

    class Terms(NamedTuple):
        lead: float
        left: float

    weights = Terms(lead=-0.2, left=0.5)
    half_win = 5.0

    def initial(self):
        return self.State(0, len(self.row), 0, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return (0, 1)

    def result(self, s, a):
        got = self.row[s.left] if a == 0 else self.row[s.right - 1]
        lead = s.lead + (got if s.turn == 0 else -got)
        return self.State(s.left + (1 - a), s.right - a, lead, 1 - s.turn)

    def is_terminal(self, s):
        return s.left == s.right

    def utility(self, s, p):
        won = 1.0 if s.lead > 0 else -1.0 if s.lead < 0 else 0.0
        return won if p == 0 else -won

    def terms(self, s):
        return self.Terms(float(s.lead), s.left * (1.0 if s.turn == 1 else -1.0))


GAME = Takers()
ASKED = {"pairs": 32, "rate": 1.0, "seed": 3}
PLAYER = "alphabeta:depth=1,weights=[{lead=-0.2,0.3},{left=0.5,0.3}]"


@pytest.mark.long
def test_weights_go_where_they_win(tmp_path):
    with interpreted():
        told = []
        tuned = arena.tune(GAME, PLAYER, **ASKED, verify=20, progress=told.append, record=tmp_path / "r")
        assert tuned.numbers["lead"] > 0.1
        assert tuned.score.points > 0.8
        assert (tuned.pairs, len(told), told[-1].numbers) == (32, 4, tuned.numbers)
        lines = (tmp_path / "r").read_text().splitlines(keepends=True)
        (tmp_path / "r").write_text("".join(lines[:40]) + lines[40][:5])  # it was killed there
        again = arena.tune(GAME, PLAYER, **ASKED, record=tmp_path / "r")
        assert again.numbers == tuned.numbers
        assert (tmp_path / "r").read_text() == "".join(lines)
        with pytest.raises(UserError, match="another match"):
            arena.tune(GAME, PLAYER, pairs=31, record=tmp_path / "r")


def test_numbers_have_names():
    template, knobs = knobs_of(GAME, "alphabeta:depth=1")
    assert template == "alphabeta:depth=1,weights=[{lead},{left}]"
    assert knobs == [Knob("lead", -0.2, pytest.approx(0.04)), Knob("left", 0.5, 0.1)]
    assert knobs_of(GAME, "mcts:exploration={c=0}")[1] == [Knob("c", 0.0, 0.1)]
    assert knobs_of(GAME, "mcts:exploration={c=1,0.5,0..}")[1] == [Knob("c", 1.0, 0.5, 0.0)]
    for wrong in (
        "mcts:exploration={c}",
        "mcts:a={c=1},b={c=2}",
        "mcts:a={c=x}",
        "mcts:a={c=1,0}",
        "mcts:a={c=1,1,2..3}",
    ):
        with pytest.raises(UserError, match="number"):
            knobs_of(GAME, f"mcts:{wrong}")
    with pytest.raises(UserError, match="has no weights to tune"):
        knobs_of(games.load("tic_tac_toe"), "alphabeta")


def test_a_player_with_weights_of_its_own():
    with interpreted():
        for weights, wanted in (("[1,0]", 9), ("[-1,0]", 3)):
            row = Takers(row=(3, 1, 1, 9))
            player = arena.new_player(row, f"alphabeta:depth=1,weights={weights}")
            a = player.choose([row.initial()])
            assert row.row[0 if a == 0 else -1] == wanted
    for wrong in ("[1]", "1", "[1,x]"):
        with pytest.raises(UserError, match="are 2 numbers in brackets"):
            arena.new_player(GAME, f"alphabeta:depth=1,weights={wrong}")
    with pytest.raises(UserError, match="has no weights"):
        arena.new_player(games.load("tic_tac_toe"), "alphabeta:depth=1,weights=[1]")


@pytest.mark.long
def test_weights_in_memory_are_those_of_the_class_to_the_last_bit_and_need_no_compiling():
    weights = np.array(GAME.weights)
    other = GAME.extended(weights=Memory(weights))
    slow = [search.alphabeta(GAME, depth=depth).value for depth in (1, 4)]
    assert [search.alphabeta(other, depth=depth).value for depth in (1, 4)] == slow
    weights[0] = 0.7
    with interpreted():
        expected = search.alphabeta(other, depth=4).value
    assert search.alphabeta(other, depth=4).value == expected != slow[1]


@pytest.mark.long
def test_the_command_tunes(counterplay, answer, tmp_path):
    asked = ("tune", "tic_tac_toe", "mcts:simulations=4,exploration={c=0.1,0.5,0..2}", "--pairs", 8)
    told = answer(*asked, "--verify", 4, "--resume", tmp_path / "r")
    assert (told["pairs"], list(told["numbers"]), told["score"]["games"]) == (8, ["c"], 4)
    status, out, err = counterplay(*asked, "--verify", 0, "--record", tmp_path / "r")
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == f"c = {told['numbers']['c']:.6g}"
    for wrong in (("--pairs", 0), ("--rate", 0), ("--executor", "x")):
        status, _, err = counterplay(*asked, *wrong)
        assert (status, err.count("\n")) == (2, 1)
