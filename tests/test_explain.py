"""Explanations: terms that add up, lines that end where the value is from, horizon effects, and what is proven."""

from math import sqrt
from typing import NamedTuple

import pytest

from counterplay import Game, UserError, analysis, games, native, search
from counterplay.core.game import CHANCE
from counterplay.study.analysis.explain import _adds_up, _weighted
from counterplay.study.analysis.prospects import new_judge

pytestmark = pytest.mark.long


class Sale(Game):
    """A piece is lost. To `sell` it brings something; to `check` first only puts the loss off, and costs a pawn more.

    After the first move each has only one. A search of 3 plies believes in the check, one of 4 does not.
    """

    compiled = False

    class State(NamedTuple):
        branch: int  # 0: the start, 1: sold, 2: checked
        ply: int

    class Terms(NamedTuple):
        material: float
        activity: float

    weights = Terms(material=1.0, activity=0.5)
    material = ((0.0,), (0.0, -2.0, -2.0, -2.0, -2.0), (0.0, 0.0, -1.0, 0.0, -4.0))  # by branch and ply
    activity = ((0.0,), (0.0, 1.0, 1.0, 1.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0))

    def initial(self):
        return self.State(0, 0)

    def player(self, s):
        return s.ply % 2

    def actions(self, s):
        return range(2 if s.ply == 0 else 1 if s.ply < 5 else 0)

    def result(self, s, a):
        return self.State(s.branch or 1 + a, s.ply + 1)

    def is_terminal(self, s):
        return s.ply == 5

    def utility(self, s, p):
        return (-0.9 if s.branch == 1 else -1.0) * (1 if p == 0 else -1)

    def terms(self, s):
        return self.Terms(self.material[s.branch][s.ply], self.activity[s.branch][s.ply])

    def evaluate(self, s, p):
        if self.is_terminal(s):
            return self.utility(s, p)
        x = self.terms(s).material + 0.5 * self.terms(s).activity
        x /= 10.0 + abs(x)
        return x if p == 0 else -x

    def action_name(self, s, a):
        return ("sell", "check")[a] if s.ply == 0 else f"on{s.ply}"


def played(game, n, seed):
    """Live states of random games."""
    random, s = search.new_random(seed), game.initial()
    with native.interpreted():
        while n:
            s = game.initial() if game.is_terminal(s) else s
            s = game.result(s, search.random_action(game, s, random))
            if not game.is_terminal(s):
                n -= 1
                yield s


# ---- terms

STRAIGHT = {
    "chess": lambda v: 10 * v / (1 - abs(v)),
    "othello": lambda v: 2 * v / (1 - abs(v)),
    "breakthrough": lambda v: 2 * v / (1 - abs(v)),
    "checkers": lambda v: 2 * v / (1 - abs(v)),
    "go:size=5": lambda v: 10 * v / (1 - abs(v)),
    "backgammon": lambda v: 3 * v / sqrt(9 - v * v),
    "pacman": lambda v: v,
}
"""The estimate of each game that names its terms, before it was bent into the range of utilities."""


def test_every_game_that_names_its_terms_is_tested():
    named = {name for name in games.names() if games.load(name).knows.terms}
    assert named == {name.partition(":")[0] for name in STRAIGHT}


@pytest.mark.parametrize("name", STRAIGHT)
def test_the_weighted_terms_add_up_to_the_estimate(name):
    game = games.load(name)
    states = list(played(game, 40, seed=3))
    for s in states:
        total = sum(_weighted(game, s).values())
        assert STRAIGHT[name](game.evaluate(s, 0)) == pytest.approx(total, abs=1e-9)
    with native.interpreted():
        assert all(_adds_up(game, s, [t]) for s, t in zip(states[:4], states[4:8], strict=True))


def test_terms_that_are_not_what_the_estimate_adds_up_are_found_out():
    class ScoreOnly(games.load_class("pacman")):
        def evaluate(self, s, p):
            return self.utility(s, p)

    game = ScoreOnly()
    states = [s for s in played(game, 30, seed=3) if game.player(s) == 0]
    assert not _adds_up(game, states[0], states)
    assert not _adds_up(games.load("nim"), games.load("nim").initial(), [])


# ---- the explanation


def test_a_loss_behind_the_horizon():
    found = analysis.explain(Sale(), depth=4)
    assert (found.chosen.name, found.other.name) == ("sell", "check")
    assert [tuple(round(each.values[0], 3) for each in pair) for pair in found.history] == [
        (-0.13, 0.0),
        (-0.13, -0.091),
        (-0.13, 0.0),
        (-0.167, -0.286),
    ]
    assert found.misled == (1, 2, 3)
    assert [(term.name, term.difference) for term in found.unseen()] == [("material", -4)]
    assert found.terms == (analysis.Term("material", -2, -4), analysis.Term("activity", 0, 0))
    assert found.terms[0].difference == 2
    text = str(found)
    assert (
        "sell is better than check for player 1: sell promises 42%, check promises 36%, as far as 4 plies show." in text
    )
    assert "With sell player 1 has there +2.00 material, compared with check: +2.00 in all." in text
    assert "to depth 3 check looked better (50% against 43%); from depth 4 on it does not." in text
    assert "What depth 3 did not see after check: -4.00 material." in text
    assert "is worth exactly" not in text


def test_a_choice_that_changes_two_plies_deeper():
    found = analysis.explain(Sale(), depth=2)
    assert (found.chosen.name, found.misled, found.deeper_depth) == ("check", (), 4)
    assert [each.name for each in found.deeper] == ["sell", "check"]
    assert "two plies deeper, at depth 4, the choice is sell: it promises 42%, check 36%" in str(found)


def test_what_is_proven_is_said_to_be_exact():
    found = analysis.explain(Sale(), depth=9)
    assert (found.chosen.proven, found.other.proven, found.terms) == (True, True, ())
    assert "sell is worth exactly -0.9, check loses by force in 3 moves." in str(found)
    assert "After sell: on1 on2 on3 on4 (the game is over)." in str(found)


def test_a_proven_win_and_how_soon():
    game = games.load("connect_four")
    here = game.at("6 5 3 4 4 3 5 2 5 5")
    found = analysis.explain(game, here.state, depth=9)
    assert (found.chosen.name, found.chosen.values, found.chosen.proven) == ("4", (1.0, -1.0), True)
    assert (found.chosen.depth, found.chosen.is_shortest, len(found.chosen.names)) == (7, True, 7)
    assert not search.alphabeta(game, here.state, depth=6).proven
    assert "4 wins by force in 4 moves" in str(found)
    lost = analysis.explain(game, here.state, "3", depth=9)
    assert "3 loses by force in 1 move." in str(lost)
    assert lost.other.names == ("3", "4")
    assert lost.lead == 2


def test_moves_that_are_equally_good():
    found = analysis.explain(games.load("tic_tac_toe"), depth=9)
    assert (found.lead, found.chosen.proven, found.other.proven) == (0, True, True)
    assert "are worth the same to X" in str(found)
    assert found.chosen.ends == found.other.ends == "over"
    assert len(found.chosen.names) == 9


def test_without_estimates_nothing_is_promised():
    found = analysis.explain(games.load("nim"), depth=2)
    assert "is undecided" in str(found)
    assert "(there nothing is decided)" in str(found)


def test_a_best_move_that_is_asked_about_is_compared_with_the_second():
    found = analysis.explain(games.load("nim"), move="a2")
    assert (found.chosen.name, found.lead) == ("a2", 2)
    assert found.other.name != "a2"


@pytest.mark.parametrize("seed", range(4))
def test_lines_end_where_the_estimate_was_taken(seed):
    """Beyond the depth come noisy moves only, and the value is the game's estimate of the last state."""
    game = games.load("breakthrough:rows=6,columns=4")
    s = list(played(game, 12, seed))[-1]
    with native.interpreted():
        judge = new_judge(game, s)
        for depth in (1, 2, 3):
            for a in list(game.actions(s))[:3]:
                found = judge.look(a, depth)
                t, noisy = s, []
                for name in found.names:
                    move = game.parse_action(t, name)
                    noisy.append(game.is_noisy(t, move))
                    t = game.result(t, move)
                assert t == found.end
                if found.ends == "estimate":
                    assert game.evaluate(t, 0) == found.values[0]
                    assert found.beyond == max(0, len(found.names) - depth)
                    assert all(noisy[depth:])
                else:
                    assert found.ends == "over"
                    assert game.utility(t, 0) == found.values[0]
                plain = search.alphabeta(game, s, depth=depth, multi=50, without=["bounds"])
                assert found.values[0] == next(each.value for each in plain.actions if each.action == a and each.exact)


OPEN = [name for name in games.names() if games.load(name).perfect_information]


@pytest.mark.parametrize("name", [*OPEN, "pig:players=3", "two_against_one"])
def test_every_game_can_be_explained(name):
    game = games.load(name)
    s = next(
        s for s in [game.initial(), *played(game, 9, 1)] if game.player(s) != CHANCE and len(list(game.actions(s))) > 1
    )
    with native.interpreted():
        found = analysis.explain(game, s, seconds=0.05)
    assert found.algorithm == search.best_for(game)
    assert found.other is not None
    assert found.depth >= 1
    assert len(found.chosen.values) == game.players
    assert str(found).count("After ") == 2
    assert found.adds_up == game.knows.terms


def test_a_move_that_repeats_the_position_is_a_draw():
    game = games.load("chess")
    here = game.at("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1")
    with native.interpreted():
        found = analysis.explain(*here, "Ng8", depth=2, history=here.history)
    assert (found.other.ends, found.other.values, found.other.proven) == ("repetition", (0.0, 0.0), True)
    assert "After Ng8: a repetition, which is a draw." in str(found)


def test_chance_is_a_mean():
    game = games.load("pig")
    with native.interpreted():
        found = analysis.explain(game, game.at("roll 3").state, depth=4)
    assert found.chosen.ends == found.other.ends == "throw"
    assert found.chosen.values[0] == search.minimax(game, game.at("roll 3").state, depth=4).value
    assert "then the dice; the value is the mean of what follows." in str(found)


# ---- the command


def test_the_command_as_json(answer):
    told = answer("explain", "connect_four", "--moves", "6 5 3 4 4 3 5 2 5 5", "--move", "3", "--depth", 9)
    assert (told["chosen"]["action_name"], told["chosen"]["within"], told["player"]) == ("4", 7, 0)
    assert (told["other"]["line_names"], told["other"]["value"], told["other"]["proven"]) == (["3", "4"], -1.0, True)
    assert told["lead"] == 2
    assert len(told["history"]) == told["depth"]
    assert (told["terms"], told["deeper"], told["misled_at"]) == ([], None, [])


def test_the_command_in_words(counterplay, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = counterplay("explain", "connect_four", "--moves", "6 5 3 4 4 3 5 2 5 5", "--move", "3")
    assert status == 0
    assert "4 is better than 3 for X: 4 wins by force in 4 moves" in out
    assert max(map(len, out.splitlines())) <= 80


def test_terms_are_a_table(counterplay):
    status, out, _ = counterplay("explain", "pacman", "--depth", 1, "--moves", "stop E", "--interpreted")
    assert status == 0
    rows = [line.split() for line in out.splitlines()]
    assert ["term", "W", "E", "difference"] in rows
    assert ["danger", "-1.39", "-3.12", "+1.74"] in rows  # 50 · (1/4² - 1/6²)


def test_one_legal_move_needs_no_reason(counterplay, answer):
    status, out, _ = counterplay("explain", "nim", "--moves", "a3 b4 c4")
    assert status == 0
    assert "c1 is the only legal move: there is nothing to compare it with." in out
    assert answer("explain", "nim", "--moves", "a3 b4 c4")["other"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tic_tac_toe", "--position", "xxx/oo./..."], "the game is over here: there is no move to explain"),
        (["pig", "--moves", "roll"], "chance is to move here"),
        (["nim", "--move", "z9"], "'z9' is not a legal move here"),
        (["nim", "--depth", "0"], "a search looks 1 to 20,000 plies ahead, not 0"),
        (["nim", "--without", "luck"], "there is no refinement 'luck'"),
    ],
)
def test_what_cannot_be_explained(counterplay, arguments, message):
    status, out, err = counterplay("explain", *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_position_without_a_choice_is_an_error_in_python_too():
    game = games.load("tic_tac_toe")
    with pytest.raises(UserError, match="the game is over here"):
        analysis.explain(game, game.from_text("xxx/oo./..."))
