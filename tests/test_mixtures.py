"""Why one mixes: what each move is worth, and what the other gains by knowing what is always done."""

import pytest

from counterplay import UserError, games, native
from counterplay.study.analysis.mixtures import MixedMove, Mixture, Reply, explain_mixture

pytestmark = pytest.mark.long

KUHN = games.load("kuhn_poker")


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


def by_name(found):
    return {each.name: each for each in found.moves}


def test_a_queen_calls_one_time_in_three():
    found = explain_mixture(KUHN.at("J Q bet"), 300)
    assert type(found) is Mixture
    moves = by_name(found)
    assert moves["bet"].chance == pytest.approx(1 / 3, abs=0.01)
    assert moves["bet"].value == pytest.approx(-1.0, abs=0.05)
    assert moves["pass"].value == -1.0
    # Against a queen that never calls, who bluffs with every jack wins 1 with it, and not -1 or nearly so: 1/6 in all.
    assert moves["pass"].cost == pytest.approx(1 / 6, abs=0.01)
    assert moves["pass"].reply == Reply("your card: J   their card: ?\nmoves: none", "bet")
    assert moves["bet"].cost == pytest.approx(1 / 9, abs=0.01)
    assert moves["bet"].reply.action == "pass"


def test_in_words():
    mixed = explain_mixture(KUHN.at("J Q bet"), 300).paragraphs()
    assert mixed[0].startswith("Mix: pass 67%, bet 33%. Each is worth -1.000 chips here")
    assert mixed[1].startswith("Always pass? Who knows it gains 0.166 chips a game, with bet at [your card: J")
    sure = explain_mixture(KUHN.at("K J bet"), 300)
    assert sure.paragraphs() == ["Always pass: it is worth -1.000 chips.", "Never bet: it loses 1.000 chips at once."]
    assert type(sure.moves[0]) is MixedMove


def test_what_is_hidden_has_no_part_in_it():
    one, other = (explain_mixture(KUHN.at(moves), 50) for moves in ("J Q bet", "K Q bet"))
    assert one.as_dict() == other.as_dict()


def test_where_there_is_nothing_to_explain():
    with pytest.raises(UserError, match="nobody chooses"):
        explain_mixture(KUHN.at("K"))
    with pytest.raises(UserError, match="nobody chooses"):
        explain_mixture(KUHN.at("K J bet bet"))


def test_the_commands(counterplay, answer):
    where = ("kuhn_poker", "--moves", "J Q bet", "--interpreted")
    status, out, _ = counterplay("explain", *where)
    assert status == 0
    assert "your card: Q   their card: ?" in out
    assert "Mix: pass 67%" in out
    assert "J Q" not in out
    status, out, _ = counterplay("analyse", *where)
    assert status == 0
    assert "█" * 10 in out
    assert [each["name"] for each in answer("analyse", *where)["moves"]] == ["pass", "bet"]
    assert [each["name"] for each in answer("explain", *where)["moves"]] == ["pass", "bet"]
    assert counterplay("explain", *where, "--depth", 3)[0] == 2
