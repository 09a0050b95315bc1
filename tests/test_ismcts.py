"""Searches that imagine what is hidden: they look at nothing else, and what they are worth is known."""

import json
import threading
from math import nan

import pytest

from counterplay import CHANCE, UserError, games, native, search
from counterplay.arena import HUMAN, Clock, Session, match, new_player
from counterplay.arena.exploiting import strategy_of
from counterplay.arena.hidden import SEARCHES, hidden_player, usual_player
from counterplay.arena.ladder import climb, climber, rungs
from counterplay.core.randomness import new_random
from counterplay.games.kuhn_poker import KuhnPoker
from counterplay.search import Determinised, InformationSets, Limits, Unsuited, imagine, ismcts, pimc
from counterplay.search.ismcts.worlds import MOST_STATES, worlds_of

pytestmark = pytest.mark.long

BOTH = pytest.mark.parametrize("find", [ismcts, pimc])
DEALT = "Ah Kd 7c 7d"
KUHN = games.load("kuhn_poker")


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


def told(result):
    """What must not differ from one run to the next."""
    return result.action, result.values, result.nodes, result.depth, result.actions


# ---- what they find


@pytest.mark.parametrize("settings", [{}, {"observer": "each"}, {"temperature": 1.0, "exploration": 0.5}])
def test_they_take_what_is_plain(settings):
    """With the king one calls a bet, with the jack never."""
    assert ismcts(KUHN.at("J K bet"), 300, **settings).action_name == "bet"
    fold = ismcts(KUHN.at("K J bet"), 300, **settings)
    assert {KUHN.action_name(fold.state, each.action): each.exact for each in fold.actions} == {"pass": 1, "bet": 1}
    assert fold.value == pytest.approx(1.0, abs=0.3)


def test_values_are_means_for_the_first_player():
    result = pimc(KUHN.at("J K bet"), 400)
    assert (result.action_name, result.value) == ("bet", -2.0), "the king wins, and player 1 loses 2"
    assert result.values == (-2.0, 2.0)
    assert sum(each.visits for each in result.actions) == result.simulations == 400
    assert result.algorithm == "pimc"
    json.dumps(result.as_dict())


@BOTH
def test_where_nobody_chooses_there_is_only_a_value(find):
    result = find(KUHN, simulations=50)
    assert result.action is None
    assert result.actions == ()
    assert -2.0 <= result.value <= 2.0
    over = find(KUHN.at("K J bet bet"))
    assert (over.value, over.action, over.proven) == (2.0, None, True)


@BOTH
def test_compiled_and_interpreted_agree(find):
    for game, moves in ((games.load("texas_holdem"), f"{DEALT} raise"), (games.load("leduc_poker"), "Js Kh call")):
        here = game.at(moves)
        slow = find(here, 120)
        with native.compiled():
            assert told(find(here, 120)) == told(slow)
    with native.compiled():
        each = ismcts(here, 120, observer="each")
    assert told(ismcts(here, 120, observer="each")) == told(each)


def test_the_moves_of_others_may_differ_from_one_imagined_state_to_the_next():
    """In the dark the other's free squares are not known; what he could take is counted."""
    result = ismcts(games.load("goofspiel:cards=3").at("1"), 200)
    assert sum(each.visits for each in result.actions) == 200


def test_without_room_they_go_on_with_what_they_know():
    result = InformationSets(games.load("leduc_poker"), memory_mb=0.01).search(
        games.load("leduc_poker").at("Js Kh"), Limits(simulations=400)
    )
    assert result.simulations == 400


# ---- nothing else has a part in it


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize(
    ("game", "one", "other"),
    [
        ("leduc_poker", "Js Kh call", "Qs Kh call"),
        ("leduc_poker", "Js Kh call", "Js Ks call"),  # suits are not told
        ("texas_holdem", f"{DEALT} raise", "2h 3d 7c 7d raise"),
        ("matrix_game:rock_paper_scissors", "rock", "paper"),
        ("goofspiel:cards=3", "1", "2"),
        ("liars_dice", "3 5 1x3", "2 5 1x3"),
        ("dark_tictactoe", "b2 a1 c1 c1", "b3 a1 c1 c1"),
    ],
)
def test_what_is_hidden_has_no_part_in_what_they_find(name, game, one, other):
    loaded = games.load(game)
    found = [search.new_engine(name, loaded).search(loaded.at(moves), Limits(simulations=60)) for moves in (one, other)]
    assert told(found[0]) == told(found[1])
    states = [loaded.at(moves).state for moves in (one, other)]
    drawn = [[imagine(loaded, s, 1, random) for random in [new_random(3)] for _ in range(5)] for s in states]
    assert drawn[0] == drawn[1]
    assert all(loaded.information(s, 1) == loaded.information(states[0], 1) for s in drawn[0])
    players = [hidden_player(loaded, f"{name}:simulations=30", 7) for _ in states]
    assert len({player.choose([s]) for player, s in zip(players, states, strict=True)}) == 1


def test_worlds_are_as_likely_as_chance_makes_them():
    game = games.load("leduc_poker")
    worlds = worlds_of(game, game.at("Js Kh").state, 0)
    assert len(worlds.states) == 2 * 5, "either jack, and any other card"
    drawn = [worlds.draw(random) for random in [new_random(1)] for _ in range(600)]
    for s in worlds.states:
        assert drawn.count(s) == pytest.approx(60, abs=30)


class Large(KuhnPoker):
    cards: int = 13

    def is_terminal(self, s):
        return s.past > 1 << 16

    def player(self, s):
        return CHANCE if s.cards[1] < 0 else 0

    def actions(self, s):
        if s.cards[1] < 0:
            for card in range(self.cards):
                if card != s.cards[0]:
                    yield card
        elif not self.is_terminal(s):
            yield 0
            yield 1


def test_a_large_game_needs_a_rule_to_imagine_by():
    game = Large()
    with pytest.raises(Unsuited, match="needs  def sample_state"):
        ismcts(game.at("K Q"), 10)
    assert MOST_STATES < 1_000_000


@BOTH
def test_games_that_they_are_not_for(find):
    with pytest.raises(Unsuited, match="hides nothing: use mcts"):
        find(games.load("nim"))
    with pytest.raises(Unsuited, match="opposite utilities"):
        find(games.load("matrix_game:chicken"))


# ---- as engines


@pytest.mark.parametrize("kind", [InformationSets, Determinised])
def test_as_engines_they_can_be_asked_again_stopped_and_begun_anew(kind):
    engine, here = kind(KUHN, seed=3), KUHN.at("K J")
    first = engine.search(here, Limits(simulations=100))
    assert told(engine.search(here, Limits(simulations=100))) != told(first), "other random numbers each time"
    engine.new_game(seed=3)
    assert told(engine.search(here, Limits(simulations=100))) == told(first)
    assert engine.search(here, Limits(nodes=50)).stopped == "nodes"
    began = threading.Event()
    job = engine.start(here, Limits(seconds=600), progress=lambda tally: began.set())
    began.wait()
    job.stop()
    assert job.result().stopped == "interrupted"
    only = engine.search(here, Limits(simulations=20), only=[1])
    assert [each.action for each in only.actions] == [1]


def test_settings_that_make_no_sense():
    for wrong in ({"observer": "two"}, {"exploration": -1.0}, {"temperature": -1.0}, {"memory_mb": 0.0}):
        with pytest.raises(UserError, match=r"not|no observer"):
            InformationSets(KUHN, **wrong)
    with pytest.raises(UserError, match="1 simulation or more"):
        Determinised(KUHN, world_simulations=0)


class Strange(KuhnPoker):
    def utility(self, s, p):
        return nan


def test_a_utility_that_is_none_is_said():
    with pytest.raises(UserError, match="no number"):
        ismcts(Strange().at("K J"), 20)


# ---- as players


def test_they_play_matches():
    score = match(KUHN, ("ismcts:simulations=60", "random"), games=40, opening_plies=0)
    assert score.points > 0.5
    timed = new_player(KUHN, "pimc:simulations=50,world_simulations=10")
    timed.prepare()
    timed.tell_time([Clock.read("10+1").after(())] * 2)
    assert timed.choose([KUHN.at("J K bet").state]) == 1
    assert timed.choose([KUHN.initial()]) in range(3)
    assert new_player(KUHN, "ismcts", simulations=5).choose([KUHN.at("J K").state]) in (0, 1)
    for text, wrong in {"ismcts:depth=3": "no setting 'depth'", "ismcts:5": "is no player"}.items():
        with pytest.raises(UserError, match=wrong):
            new_player(KUHN, text)


def test_who_plays_if_nobody_is_named():
    assert usual_player(KUHN) == "equilibrium"
    with native.compiled():
        assert usual_player(games.load("texas_holdem")) == "ismcts"
    assert search.best_for(games.load("texas_holdem")) == "ismcts"
    assert isinstance(search.strongest(games.load("texas_holdem")), InformationSets)


def test_the_ladder_of_a_game_with_something_hidden():
    assert [rung.name for rung in rungs(KUHN)][::5] == ["random moves", "equilibrium"]
    with native.compiled():
        assert rungs(games.load("texas_holdem"))[-1].player == "ismcts:simulations=10000"
    standing = climb(KUHN, "random", games=2, simulations=5)
    assert standing.steps[0].is_scored
    assert standing.steps[0].rung.name == "random moves"
    assert climber(KUHN) == "ismcts"


def test_nobody_is_told_what_a_player_thinks():
    session = Session.begin("kuhn_poker", [HUMAN, "ismcts:simulations=20"], moves="K J pass")
    choice = session.choose()
    assert choice.result is None


def test_what_a_player_does_everywhere_is_a_strategy_with_its_exploitability():
    uniform = strategy_of(KUHN, "random", samples=400)
    assert uniform.about.exploitability == pytest.approx(11 / 24, abs=0.05)
    good = strategy_of(KUHN, "equilibrium:iterations=300", samples=400)
    assert good.about.exploitability < 0.05
    assert good.about.values[0] == pytest.approx(-1 / 18, abs=0.05)
    searched = strategy_of(KUHN, "ismcts:simulations=40", samples=3)
    assert len(searched) == 12
    assert 0.0 < searched.about.exploitability < 0.5
    with pytest.raises(UserError, match="1 time or more"):
        strategy_of(KUHN, "random", samples=0)


def test_the_commands(counterplay, answer):
    found = answer("search", "kuhn_poker", "--moves", "J K bet", "--simulations", 50, "--interpreted")
    assert (found["algorithm"], found["action_name"]) == ("ismcts", "bet")
    status, out, _ = counterplay("search", "kuhn_poker", "--moves", "J K bet", "--simulations", 50, "--interpreted")
    assert status == 0
    assert "your card: K   their card: ?" in out
    asked = answer("equilibrium", "kuhn_poker", "--of", "random", "--samples", 3, "--interpreted")
    assert asked["exploitability"] > 0.1
    status, _, err = counterplay("equilibrium", "kuhn_poker", "--of", "random", "--method", "cfr")
    assert status == 2
    assert "leave out" in err
