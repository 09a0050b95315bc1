"""Random numbers: for a seed the same for ever. Matches, quizzes and saved games go on by these very numbers."""

import numpy as np

from counterplay import games
from counterplay.core.randomness import Dice, any_seed, first_counter, new_random, seed_at, unit, word
from counterplay.core.records import new_record, record_type
from counterplay.native import native


@native
def draws(game, random):
    return word(random), unit(random)


def test_a_source_gives_the_same_numbers_for_ever():
    random = new_random(7)
    assert [word(random) for _ in range(3)] == [1012108588, 2014064392, 235637089]
    assert [unit(random) for _ in range(2)] == [0.8002502509905723, 0.6026695700299916]


def test_compiled_draws_the_same():
    one, other, game = new_random(7), new_random(7), games.load("nim")
    for _ in range(3):
        assert draws.compiled(game, one) == draws.interpreted(game, other)


def test_any_record_with_a_counter_is_a_source():
    mine = new_record(record_type([("counter", np.int64), ("other", np.int64)]))
    mine.counter = first_counter(7)
    assert word(mine) == word(new_random(7))


def test_a_seed_for_each_moment():
    assert (seed_at(1, 2, 3), seed_at(1, 3, 2), seed_at(5)) == (923568627, 1795467787, 5)


def test_dice_give_the_same_choices_for_ever():
    dice = Dice(3, "kinds")
    assert [dice.below(100) for _ in range(5)] == [38, 10, 25, 81, 65]
    assert (dice.choice("abcdef"), dice.sample(range(10), 4)) == ("a", [0, 4, 2, 9])


def test_any_seed_is_another_each_time():
    seeds = {any_seed(10**9) for _ in range(5)}
    assert len(seeds) > 1
    assert all(0 <= seed < 10**9 for seed in seeds)
