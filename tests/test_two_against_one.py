"""Two against one: maxⁿ, paranoid and alpha-beta as a team give the answer that was derived by hand."""

from functools import cache

import pytest

from counterplay import UserError, games, native, search
from counterplay.games.two_against_one import TwoAgainstOne

pytestmark = pytest.mark.long


def partners_win(stones, most, turn):
    """The theorem for one heap, `most` of 2 or more: proved in docs/games/two_against_one.md."""
    if turn == 1:
        return stones > most
    return turn == 2 or stones != most + 1


@cache
def by_brute_force(heaps, most, turn):
    """Whether the partners can win: nothing but the rules, on sorted heaps."""
    outcomes = []
    for i, heap in enumerate(heaps):
        for stones in range(1, min(most, heap) + 1):
            left = tuple(sorted((*heaps[:i], heap - stones, *heaps[i + 1 :])))
            outcomes.append(turn != 1 if sum(left) == 0 else by_brute_force(left, most, (turn + 1) % 3))
    return all(outcomes) if turn == 1 else any(outcomes)


@pytest.mark.parametrize("most", [2, 3, 5])
@pytest.mark.parametrize("turn", [0, 1, 2])
def test_the_theorem_holds_for_every_heap(most, turn):
    for stones in range(1, 41):
        assert by_brute_force((stones,), most, turn) == partners_win(stones, most, turn), stones


@pytest.mark.parametrize("stones", [1, 3, 4, 5, 7, 11])
@pytest.mark.parametrize("turn", [0, 1, 2])
def test_three_searches_know_the_answer(stones, turn):
    """Partners get 1 each and the one -2, or the opposite; which is what the one is sure of, and what the team gets."""
    three, two = TwoAgainstOne(heaps=(stones,)), TwoAgainstOne(heaps=(stones,), as_team=True)
    s = three.State((stones,), turn)
    sign = 1.0 if partners_win(stones, 3, turn) else -1.0
    with native.interpreted():
        each_for_itself = search.maxn(three, s)
        against_the_one = search.paranoid(three, s, player=1)
        as_a_team = search.alphabeta(two, s)
    assert each_for_itself.proven
    assert each_for_itself.values == (sign, -2 * sign, sign)
    assert against_the_one.values[1] == -2 * sign
    assert as_a_team.values == (sign, -sign)


@pytest.mark.slow
@pytest.mark.parametrize("heaps", [(1, 2), (2, 2), (2, 3), (1, 1, 2), (3, 3)])
def test_several_heaps_by_brute_force_and_by_search_in_both_modes(heaps):
    game = TwoAgainstOne(heaps=heaps, most=2)
    sign = 1.0 if by_brute_force(heaps, 2, 0) else -1.0

    def found():
        result = search.maxn(game)
        return result.values, result.nodes, result.line

    with native.interpreted():
        slow = found()
    with native.compiled():
        assert found() == slow
    assert slow[0] == (sign, -2 * sign, sign)


def test_the_best_reply_of_the_team_wins_by_force():
    """From 7 stones: whatever the one does, the partners take the last."""
    game = TwoAgainstOne()
    s = game.initial()
    ends = set()

    def follow(s):
        if game.is_terminal(s):
            ends.add(game.utility(s, 0))
        elif s.turn == 1:
            for a in game.actions(s):
                follow(game.result(s, a))
        else:
            follow(game.result(s, search.maxn(game, s).action))

    with native.interpreted():
        follow(s)
    assert ends == {1.0}


def test_names_texts_and_parameters():
    game = games.load("two_against_one:heaps=[3,2],most=2")
    s = game.at("a2 b1").state
    assert s == ((1, 1), 2)
    assert game.from_text(game.to_text(s)) == s
    assert game.show(s) == "a  o (1)\nb  o (1)\nthe second partner is to move"
    assert [game.action_name(s, a) for a in game.actions(s)] == ["a1", "b1"]
    for wrong in ("heaps=[]", "heaps=[0]", "heaps=[-1]", "most=0"):
        with pytest.raises(UserError, match="two_against_one needs heaps"):
            games.load(f"two_against_one:{wrong}")
