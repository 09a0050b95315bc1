"""What a game knows of itself, and what alpha-beta makes of it: quiescence, null move, reductions, quick wins."""

from typing import NamedTuple

import pytest

from counterplay import Game, native, search
from counterplay.games.tree import Tree
from counterplay.search.alphabeta.engine import alphabeta

pytestmark = pytest.mark.long

QUIET, CAPTURE = 0, 1


class Exchange(Game):
    """One contested square: each side may capture there with its cheapest piece left, or do something else.

    `white` and `black` are the values of the pieces that bear on the square, cheapest first; `target` stands there.
    After `moves` plies the game ends and counts the material.
    """

    white: tuple = (9,)
    black: tuple = (1,)
    target: int = 1
    moves: int = 8

    utility_range = (-99.0, 99.0)
    selective = True

    class State(NamedTuple):
        ply: int
        gain: int  # of white so far
        standing: int  # the value of the piece on the square, white's if negative; 0 for none
        used: tuple  # pieces that have captured

    def initial(self):
        return self.State(0, 0, self.target, (0, 0))

    def player(self, s):
        return s.ply % 2

    def can_capture(self, s):
        p = s.ply % 2
        pieces = len(self.white) if p == 0 else len(self.black)
        return s.used[p] < pieces and (s.standing > 0 if p == 0 else s.standing < 0)

    def actions(self, s):
        if not self.is_terminal(s):
            yield QUIET
            if self.can_capture(s):
                yield CAPTURE

    def result(self, s, a):
        if a == QUIET:
            return self.State(s.ply + 1, s.gain, s.standing, s.used)
        if s.ply % 2 == 0:
            mine = self.white[s.used[0]]
            return self.State(s.ply + 1, s.gain + s.standing, -mine, (s.used[0] + 1, s.used[1]))
        mine = self.black[s.used[1]]
        return self.State(s.ply + 1, s.gain + s.standing, mine, (s.used[0], s.used[1] + 1))

    def is_terminal(self, s):
        return s.ply == self.moves

    def utility(self, s, p):
        return float(s.gain if p == 0 else -s.gain)

    def evaluate(self, s, p):
        return self.utility(s, p)

    def priority(self, s, a):
        return float(a)

    def is_noisy(self, s, a):
        return a == CAPTURE

    def passed(self, s):
        return self.State(s.ply + 1, s.gain, s.standing, s.used)


QUEEN_TAKES_DEFENDED_PAWN = Exchange()


def test_quiescence_sees_the_recapture_that_a_depth_limit_hides():
    """One ply ahead, taking the pawn wins it; the pawn is defended and the queen is lost."""
    blind = alphabeta(QUEEN_TAKES_DEFENDED_PAWN, depth=1, without=["quiescence"])
    assert (blind.action, blind.value) == (CAPTURE, 1.0)
    seeing = alphabeta(QUEEN_TAKES_DEFENDED_PAWN, depth=1)
    assert (seeing.action, seeing.value) == (QUIET, 0.0)
    assert search.minimax(QUEEN_TAKES_DEFENDED_PAWN).value == 0.0


def test_a_good_exchange_is_still_made():
    game = Exchange(white=(1, 3), black=(3,), target=5)
    assert alphabeta(game, depth=1).action == CAPTURE
    assert alphabeta(game).value == search.minimax(game).value


@pytest.mark.parametrize("without", [[], ["null_move"], ["reductions"], ["null_move", "reductions", "quiescence"]])
def test_unsound_refinements_find_the_right_moves_here(without):
    """Passing is never better than the best move in this game, so the null move is sound and nothing is lost."""
    for white, black, target in (((9,), (1,), 1), ((1, 3), (3,), 5), ((3, 3, 9), (1, 3), 3), ((5,), (), 3)):
        game = Exchange(white=white, black=black, target=target)
        with native.interpreted():
            assert alphabeta(game, depth=8, without=without).value == search.minimax(game).value


def test_both_modes_agree_with_all_knowledge_in_use():
    game = Exchange(white=(3, 3, 9), black=(1, 3), target=3)

    def work():
        return [(r.value, r.nodes, r.line) for r in (alphabeta(game, depth=depth) for depth in (1, 3, 6))]

    with native.compiled():
        compiled = work()
    with native.interpreted():
        assert work() == compiled


def test_of_two_wins_the_quicker_is_taken_and_of_two_losses_the_slower():
    quick = alphabeta(Tree("max[slow: min[max[5,-5]], quick: 5]"))
    assert (quick.action_name, quick.value, quick.proven) == ("quick", 5.0, True)
    slow = alphabeta(Tree("max[soon: min[-5], late: min[max[min[-5],-5],max[-5]], also: min[-5,5]]"))
    assert (slow.action_name, slow.value, slow.proven) == ("late", -5.0, True)
