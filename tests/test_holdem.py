"""Texas hold'em: which hand is better, by another way to find out, and how a hand is dealt, bet on and paid."""

from collections import Counter
from itertools import combinations, islice, pairwise

import numpy as np
import pytest

from counterplay import UserError, games, native
from counterplay.core.bits import Bits
from counterplay.core.cards import NAMES
from counterplay.core.randomness import Dice, new_random
from counterplay.core.views import view
from counterplay.games.texas_holdem import TexasHoldem
from counterplay.native import native as make_native

pytestmark = pytest.mark.long

GAME = games.load("texas_holdem")


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


# ---- hands


def kind_of_five(cards):
    """The kind of five cards, and their ranks as they count, the obvious way."""
    ranks, suits = [card % 13 for card in cards], {card // 13 for card in cards}
    by_count = sorted(ranks, key=lambda rank: (ranks.count(rank), rank), reverse=True)
    counts = sorted(Counter(ranks).values(), reverse=True)
    steps = sorted(set(ranks))
    is_straight = len(steps) == 5 and (steps[4] - steps[0] == 4 or steps == [0, 1, 2, 3, 12])
    if is_straight:
        by_count = [3 if steps == [0, 1, 2, 3, 12] else steps[4]]
    kinds = {
        8: is_straight and len(suits) == 1,
        7: counts[0] == 4,
        6: counts[:2] == [3, 2],
        5: len(suits) == 1,
        4: is_straight,
        3: counts[0] == 3,
        2: counts[:2] == [2, 2],
        1: counts[0] == 2,
    }
    return next((kind for kind, holds in kinds.items() if holds), 0), by_count


def best_of(cards):
    return max(kind_of_five(five) for five in combinations(cards, 5))


def hand(text):
    return Bits(52, [NAMES.index(name) for name in text.split()])


def test_seven_cards_are_ranked_as_the_best_five_of_them_are():
    dice, hands = Dice("seven cards"), []
    for deck in (range(52), [card for card in range(52) if card % 13 > 7], range(20)):  # the last two: rare kinds
        hands += [dice.sample(list(deck), 7) for _ in range(500)]
    ranked = [(GAME.strength(Bits(52, cards)), best_of(cards)) for cards in hands]
    assert {kind for _, (kind, _) in ranked} == set(range(9))
    for strength, (kind, _) in ranked:
        assert strength >> 26 == kind
    in_order = sorted(ranked)
    for (less, worse), (more, better) in pairwise(in_order):
        assert worse == better if less == more else worse < better


@make_native
def kinds_of_five(game, first, counts):
    """Count the kinds of all hands of five cards of which `first` is the lowest."""
    for b in range(first + 1, 52):
        for c in range(b + 1, 52):
            for d in range(c + 1, 52):
                for e in range(d + 1, 52):
                    cards = Bits(52).add(first).add(b).add(c).add(d).add(e)
                    counts[game.strength(cards) >> 26] += 1
    return 0


def test_there_are_as_many_hands_of_each_kind_as_is_known():
    """2,598,960 hands in all; the counts are in every book on poker."""
    known = [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40]
    counts = np.zeros(9, np.int64)
    with native.compiled():
        for first in range(48):
            kinds_of_five(GAME, first, counts)
    assert counts.tolist() == known
    assert sum(known) == 2_598_960


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("2c 3d 4h 5s 6c Kd Kh", "Ac 2d 3h 4s 5c Kd Kh"),  # an ace may be low, and is then
        ("As Ks Qs Js Ts 2d 2h", "9s Ks Qs Js Ts 2d 2h"),
        ("Ac Ad Kc Kd Qh Qs Js", "Ac Ad Kc Kd Th Ts 9s"),  # of three pairs two count, and the best other card
        ("Ac Ad Ah Kc Kd Kh 2s", "Ac Ad Ah Qc Qd Kh 2s"),  # three twice make a full house
        ("2c 2d 2h 2s 5c 6d 7h", "Ac Ad Ah Kc Kd Kh 2s"),
        ("2s 4s 6s 8s Ts Ad Ah", "3s 2s 6s 8s Ts Ad Ah"),
    ],
)
def test_of_two_hands_the_better(better, worse):
    assert GAME.strength(hand(better)) > GAME.strength(hand(worse))


def test_cards_that_do_not_count_do_not_decide():
    assert GAME.strength(hand("Ac Kd Qh Js Tc 2d 3h")) == GAME.strength(hand("Ah Ks Qc Jd Th 9s 9d"))
    assert GAME.strength(hand("Ac Ad Kc Kd Qh 2s 3s")) == GAME.strength(hand("Ah As Kh Ks Qd Jc 9c"))


# ---- the course of a hand

DEALT = "Ah Kd 7c 7d"
TABLE = ("Qs Jh 2c", "Th", "2d")


@pytest.mark.parametrize(
    ("moves", "gain"),
    [
        (f"{DEALT} fold", -1),
        (f"{DEALT} raise fold", 2),
        (f"{DEALT} call check {TABLE[0]} check bet fold", 2),
        (f"{DEALT} raise call {TABLE[0]} check bet call {TABLE[1]} check check {TABLE[2]} bet call", 10),  # a straight
        (f"{DEALT} call raise raise raise call {TABLE[0]} bet raise raise raise fold", 8 + 6),
        ("Ah Kd As Kc call check Qs Jh Th check check 2c check check 2d check check", 0),
    ],
)
def test_what_a_hand_pays(moves, gain):
    end = GAME.at(moves)
    assert GAME.is_terminal(end.state)
    assert [GAME.utility(end.state, p) for p in (0, 1)] == [gain, -gain]


def test_who_begins_and_how_often_it_is_raised():
    assert GAME.utility_range == (-48.0, 48.0)
    here = GAME.at(DEALT)
    assert (here.state.turn, here.state.paid, here.moves()) == (0, (1, 2), ["fold", "call", "raise"])
    assert here.play("call").moves() == ["check", "raise"], "the big blind may still raise"
    assert GAME.at(f"{DEALT} raise raise raise").moves() == ["fold", "call"]
    flop = GAME.at(f"{DEALT} call check {TABLE[0]}")
    assert (flop.state.turn, flop.moves()) == (1, ["check", "bet"])
    capped = GAME.at(f"{DEALT} call check {TABLE[0]} bet raise raise raise")
    assert (capped.state.paid, capped.moves()) == ((10, 8), ["fold", "call"])
    assert GAME.utility(GAME.at(f"{DEALT} call raise fold").state, 0) == -2
    for wrong in ("bets=[2,2]", "bets=[0,2,4,4]", "raises=[9,4,4,4]", "raises=[1]"):
        with pytest.raises(UserError, match="texas_holdem has"):
            games.load(f"texas_holdem:{wrong}")


def test_cards_are_as_likely_as_the_deck_says():
    s = GAME.at("Ah Kd 7c").state
    assert len(list(GAME.actions(s))) == 49
    assert sum(GAME.probability(s, a) for a in GAME.actions(s)) == pytest.approx(1.0)


# ---- what a player sees


def test_what_is_shown_to_whom():
    here = GAME.at(f"{DEALT} raise call {TABLE[0]} check")
    assert str(view(*here, 0)).splitlines() == [
        "     you: Ah Kd  paid  4",
        "    they: ? ?  paid  4",
        "   table: Qs Jh 2c",
        "   moves: preflop raise call, flop check",
    ]
    assert str(view(*here, -1)).count("?") == 4
    end = GAME.at(f"{DEALT} call check {TABLE[0]} check check {TABLE[1]} check check {TABLE[2]} check check")
    assert "they: Ah Kd  paid  2 a straight" in str(view(*end, 1))
    assert "7c" in str(view(*end, -1)), "at a showdown everybody sees both hands"
    folded = str(view(*GAME.at(f"{DEALT} fold"), 1))
    assert "they: ? ?  paid  1 folded" in folded


def test_the_picture_of_a_seat_has_what_the_seat_knows():
    here = GAME.at(f"{DEALT} raise call {TABLE[0]} check")
    drawn = view(*here, 1)._repr_svg_()
    assert drawn.count("face down") == 2
    for name in ("7c", "7d", "Qs", "Jh", "2c"):
        assert f"<title>{name}</title>" in drawn
    assert "Ah" not in drawn
    assert "Kd" not in drawn
    assert "pot 8" in drawn
    assert "Ah" in here._repr_svg_(), "the whole state shows all"


# ---- what the others may have


def test_the_other_cards_are_dealt_anew_from_what_is_known():
    here = GAME.at(f"{DEALT} raise call {TABLE[0]} check")
    other = GAME.at(f"{DEALT.replace('7c 7d', '9s 3h')} raise call {TABLE[0]} check")
    seen = set()
    for seed in range(200):
        one, two = (GAME.sample_state(each.state, 0, new_random(seed)) for each in (here, other))
        assert one == two, "it does not depend on what is hidden"
        assert GAME.information(one, 0) == GAME.information(here.state, 0)
        assert len(one.hands[1]) == 2
        assert not one.hands[1] & (one.hands[0] | one.table[0])
        seen |= set(one.hands[1])
    assert len(seen) == 47


def test_a_smaller_game():
    game = TexasHoldem(raises=(1, 1, 1, 1), bets=(1, 1, 1, 1))
    assert game.utility_range == (-6.0, 6.0)
    assert list(islice(game.actions(game.at(DEALT).state), 3)) == [0, 1, 2]
