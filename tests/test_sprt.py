"""The sequential test: published ratios, what it may get wrong and how often, and what is no test."""

import csv
from math import log, sqrt
from pathlib import Path

import pytest

from counterplay import UserError
from counterplay.arena import Sprt
from counterplay.arena.sprt import OUTCOMES, _with_effect
from counterplay.core.randomness import new_random, unit

PUBLISHED = Path(__file__).parent / "data" / "sequential_tests.csv"
"""200 tests from public commit messages of Stockfish: the printed ratio, the hypotheses, the pairs by their points."""


def test_published_ratios_are_reproduced():
    with PUBLISHED.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 200
    for row in rows:
        test = Sprt(float(row["elo0"]), float(row["elo1"]))
        pairs = [int(row[f"pairs{i}"]) for i in range(5)]
        assert test.llr(pairs) == pytest.approx(float(row["llr"]), abs=0.02)  # they are printed to 0.01


def test_the_logistic_ratio_is_that_of_a_hand_made_maximum():
    # Wins and losses only: the likeliest distribution with a score is that score, so the ratio is elementary.
    pairs, test = [40, 0, 0, 0, 60], Sprt(0, 100, model="logistic")
    score = 1 / (1 + 10 ** (-100 / 400))
    assert test.llr(pairs) == pytest.approx(60 * log(score / 0.5) + 40 * log((1 - score) / 0.5), abs=0.02)


def test_what_is_found_has_the_effect_that_was_wanted():
    for seen in ([0.1, 0.2, 0.4, 0.2, 0.1], [0.01, 0.01, 0.01, 0.01, 0.96], [0.3, 0.1, 0.0001, 0.1, 0.4999]):
        for effect in (-0.5, 0.0, 0.02, 0.6):
            found = _with_effect(seen, effect)
            mean = sum(p * x for p, x in zip(found, OUTCOMES, strict=True))
            spread = sqrt(sum(p * (x - mean) ** 2 for p, x in zip(found, OUTCOMES, strict=True)))
            assert sum(found) == pytest.approx(1)
            assert (mean - 0.5) / spread == pytest.approx(effect, abs=1e-6)


@pytest.mark.parametrize("model", Sprt.MODELS)
def test_swapping_the_sides_turns_the_sign(model):
    pairs = [3, 20, 51, 30, 8]
    there, back = Sprt(-20, 40, model=model), Sprt(-40, 20, model=model)
    assert there.llr(pairs) == pytest.approx(-back.llr(pairs[::-1]))
    assert there.llr([0] * 5) == 0.0


def outcome_of(test, distribution, seed, most=4000, step=10):
    """The verdict on a player whose pairs are thrown by these probabilities; looked at after every few of them."""
    random, pairs = new_random(seed), [0] * 5
    for played in range(1, most):
        x, i = unit(random), 0
        while x >= distribution[i] and i < 4:
            x, i = x - distribution[i], i + 1
        pairs[i] += 1
        if played % step == 0 and (verdict := test.verdict(pairs)):
            return verdict
    return None


@pytest.mark.parametrize("model", Sprt.MODELS)
def test_it_errs_as_seldom_as_it_promises(model):
    test, runs = Sprt(0, 60, alpha=0.1, beta=0.1, model=model), 60
    even = [0.1, 0.2, 0.4, 0.2, 0.1]
    stronger = test._likeliest(even, test.elo1)
    false = [outcome_of(test, even, seed) for seed in range(runs)]
    true = [outcome_of(test, stronger, seed) for seed in range(runs)]
    assert None not in false + true
    # A tenth of 60 are 6; by chance it may be some more, 13 in one of 500 such tests.
    assert false.count("accepted") <= 13
    assert true.count("rejected") <= 13
    assert false.count("rejected") == runs - false.count("accepted")


def test_a_text_says_what_is_tested():
    assert Sprt.read("elo0=0,elo1=5") == Sprt(0, 5)
    assert Sprt.read("elo0=-1.75,elo1=0.25,alpha=0.01,beta=0.1,model=logistic") == Sprt(
        -1.75, 0.25, 0.01, 0.1, "logistic"
    )
    assert str(Sprt(0, 5)) == "normalised Elo 0 against 5"
    assert Sprt().as_dict() == {"elo0": 0.0, "elo1": 5.0, "alpha": 0.05, "beta": 0.05, "model": "normalised"}
    assert Sprt().bounds == pytest.approx((-2.944, 2.944), abs=0.001)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("elo0=5,elo1=0", "elo0 below elo1"),
        ("elo0=zero", "elo0 is a number"),
        ("elo0=on", "elo0 is a number"),
        ("elo=3", "has no 'elo'; it has: elo0, elo1, alpha, beta, model"),
        ("alpha=0.7", "between 0 and 0.5"),
        ("elo1=1e999", "elo0 below elo1"),
        ("elo1=500", "from -200 to 200"),
        ("model=bayes", "no Elo 'bayes'; there are: normalised, logistic"),
        ("5", "not of the form name=value"),
    ],
)
def test_what_is_no_test_is_refused(text, message):
    with pytest.raises(UserError, match=message):
        Sprt.read(text)
    with pytest.raises(UserError, match="5 outcomes, not 3"):
        Sprt().llr([1, 2, 3])
