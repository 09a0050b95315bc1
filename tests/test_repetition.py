"""Repetition: what a search takes for a draw, what that is worth, and the past that it looks back on."""

from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

from counterplay import Game, games, is_repeated
from counterplay.search.alphabeta.engine import REFINEMENTS, AlphaBeta, alphabeta
from counterplay.search.alphabeta.workspace import new_workspace
from counterplay.search.limits import Limits
from counterplay.search.mcts.engine import mcts
from counterplay.search.repetition import PAST, comes_again, comes_again_on, draw_value, set_past
from tests.both_modes import both_modes

pytestmark = pytest.mark.long


class Shuffle(Game):
    """Each player moves a piece one square up or down in a ring. MAX, who is behind, may give up a point instead.

    That cannot be taken back, so that no position from before it comes again.
    """

    squares: int = 3
    utility_range = (-8.0, 8.0)

    class State(NamedTuple):
        first: int
        second: int
        turn: int
        lead: int
        quiet: int  # plies since something changed for good

    def initial(self):
        return self.State(0, 0, 0, -2, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return range(3 if s.turn == 0 else 2)

    def result(self, s, a):
        if a == 2:
            return self.State(s.first, s.second, 1, s.lead - 1, 0)
        step = 1 if a == 0 else self.squares - 1
        if s.turn == 0:
            return self.State((s.first + step) % self.squares, s.second, 1, s.lead, s.quiet + 1)
        return self.State(s.first, (s.second + step) % self.squares, 0, s.lead, s.quiet + 1)

    def is_terminal(self, s):
        return s.lead == -8

    def utility(self, s, p):
        return float(s.lead if p == 0 else -s.lead)

    def evaluate(self, s, p):
        return self.utility(s, p)

    def reversible(self, s):
        return s.quiet

    def key(self, s):
        return (((s.lead + 8) * 16 + s.first) * 16 + s.second) * 2 + s.turn


class Shared(Shuffle):
    """The same with utilities that add up to 3 instead of 0."""

    utility_sum = 3.0
    utility_range = (-6.5, 9.5)

    def utility(self, s, p):
        return 1.5 + (s.lead if p == 0 else -s.lead)


class Swing(Shuffle):
    """Both move the same piece to and fro, so that a position comes again after two plies already."""

    def result(self, s, a):
        t = super().result(s._replace(turn=0), a)
        return t._replace(turn=1 - s.turn)


GAME = Shuffle(squares=2)  # both ways lead to the other square: a position comes again after four plies


def states_of(game, actions):
    states = [game.initial()]
    for a in actions:
        states.append(game.result(states[-1], a))
    return states


def by_definition(game, past, states):
    """On the line before, or twice in the past; in both only as far back as nothing has changed for good."""
    *line, s = states
    back = game.reversible(s)
    line, past = line[max(0, len(line) - back) :], past[max(0, len(past) - max(0, back - len(line))) :]
    return game.key(s) in map(game.key, line) or [game.key(each) for each in past].count(game.key(s)) >= 2


def minimax_with_draws(game, past, line, depth):
    """The value of the last state of a line for MAX, the definition written down; estimates come first at depth 0."""
    s = line[-1]
    if game.is_terminal(s) or depth == 0:
        return game.evaluate(s, 0)
    if len(line) > 1 and by_definition(game, past, line):
        return game.utility_sum / 2
    values = [minimax_with_draws(game, past, [*line, game.result(s, a)], depth - 1) for a in game.actions(s)]
    return max(values) if game.player(s) == 0 else min(values)


# ---- the rule


@pytest.mark.parametrize("game", [GAME, Swing(squares=2)])
def test_a_line_comes_again_by_the_definition(game):
    found = 0
    for actions in product((0, 1, 2), (0, 1), (0, 1, 2), (0, 1), (0, 1, 2), (0, 1), (0, 1, 2)):
        states = states_of(game, actions)
        for root in (0, 2, 5):
            expected = by_definition(game, states[:root], states[root:])
            assert comes_again_on(game, states[:root], states[root:]) == expected
            found += expected
    assert found > 100


def test_a_search_without_a_line_has_the_rule_of_the_game():
    """At the root a search asks what those who play ask: whether this is the third time."""
    for actions in product((0, 2), (0,), (0, 2), (0,), (0, 2), (0,), (0, 2), (0,), (0,), (0,)):
        states = states_of(GAME, actions)
        assert comes_again_on(GAME, states[:-1], states[-1:]) == is_repeated(GAME, states)
    assert is_repeated(GAME, states_of(GAME, [0] * 8))
    assert not is_repeated(GAME, states_of(GAME, [0] * 7))


def test_where_repetitions_are_no_draws_nothing_comes_again():
    nim = games.load("nim")
    assert not comes_again_on(nim, [nim.initial()], [nim.initial(), nim.initial(), nim.initial()])


# ---- within a search


@pytest.mark.parametrize("game", [GAME, Shuffle(), Shared(squares=2)])
@pytest.mark.parametrize("without", [{"table"}, {*REFINEMENTS} - {"repetition"}])
def test_the_first_repetition_within_a_search_is_a_draw(game, without):
    """At every depth: a search that waited for the third time would need four plies more to see it."""
    s = game.initial()
    values = both_modes(lambda: [alphabeta(game, s, depth, without=without).value for depth in range(1, 7)])
    assert values == [minimax_with_draws(game, [], [s], depth) for depth in range(1, 7)]
    if game.squares == 2:
        assert values[4] == draw_value(game)  # four plies and one more
        assert values[3] == game.evaluate(s, 0)


def test_the_past_counts_when_a_position_was_there_twice():
    """The root after 6 plies: two more bring the position of plies 0 and 4 for the third time, one earlier not."""
    for plies, depth in ((6, 3), (6, 2), (2, 3), (7, 2), (3, 2)):
        *past, s = states_of(GAME, [0] * plies)

        def work(s=s, past=past, depth=depth):
            return alphabeta(GAME, s, depth, history=past, without={"table"}).value

        assert both_modes(work) == minimax_with_draws(GAME, past, [s], depth)
    *past, s = states_of(GAME, [0] * 6)
    assert alphabeta(GAME, s, 3, history=past).value == 0.0
    assert alphabeta(GAME, s, 3).value == -2.0


def test_a_tree_search_gives_a_draw_its_worth():
    """After seven plies either move brings a position for the third time, whatever is thought of it else."""
    game = Shared(squares=2)
    *past, s = states_of(game, [0] * 7)
    result = both_modes(lambda: mcts(game, s, 300, cutoff=0, memory_mb=1, history=past).actions)
    assert [each.value for each in result] == [1.5, 1.5]


def test_a_kept_engine_forgets_the_past_of_the_search_before():
    engine = AlphaBeta(GAME, without=["table"])
    *past, s = states_of(GAME, [0] * 6)
    assert engine.search(s, Limits(depth=3), history=past).value == 0.0
    assert engine.search(s, Limits(depth=3)).value == -2.0


# ---- the past


def test_the_past_goes_back_to_the_last_change_for_good():
    w = new_workspace(GAME, None, frozenset())
    *past, s = states_of(GAME, [0, 0, 2, 0, 1, 0])
    set_past(GAME, s, past, w)
    assert w.past == 3
    assert w.path[:4].tolist() == [GAME.key(each) for each in (*past[-3:], s)]
    set_past(GAME, GAME.initial(), past, w)
    assert (w.past, w.path[0]) == (0, GAME.key(GAME.initial()))


def test_a_long_past_is_cut_where_the_memory_ends():
    w = new_workspace(GAME, None, frozenset())
    *past, s = states_of(GAME, [0] * (PAST + 100))
    set_past(GAME, s, past, w)
    assert w.past == PAST
    assert w.path[PAST] == GAME.key(s)
    assert comes_again(GAME, GAME.result(s, 0), GAME.key(GAME.result(s, 0)), 1, w)
    assert w.path[PAST + 1] == GAME.key(GAME.result(s, 0))


def test_a_game_without_repetition_has_no_past():
    connect_four = games.load("connect_four")
    w = new_workspace(connect_four, None, frozenset())
    w.past = 7
    set_past(connect_four, connect_four.initial(), [connect_four.initial()], w)
    assert w.past == 0


def test_a_draw_is_an_equal_share():
    assert [draw_value(game) for game in (GAME, Shared(), games.load("chess"))] == [0.0, 1.5, 0.0]
    three = games.load("pig:players=3")
    assert draw_value(three) == three.utility_sum / 3
    assert isinstance(draw_value(GAME), float)
    assert np.isfinite(draw_value(games.load("backgammon")))
