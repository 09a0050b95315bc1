"""Rule sheets: read, checked, grounded, made gates of, and played; against clingo and against our own classes."""

import pickle
from pathlib import Path

import pytest

from counterplay import Bits, UnreadableText, UserError, games, search
from counterplay.core.gates import AND, FALSE, OR, TRUE, Gates
from counterplay.core.randomness import Dice, new_random
from counterplay.games._gdl import SHEETS, find_sheet, sheet_class, sheets
from counterplay.games._gdl.ground import GroundLimits, ground
from counterplay.games._gdl.kif import MOST_NESTED, parse
from counterplay.games._gdl.rules import checked_rules
from counterplay.native import interpreted
from counterplay.search.perft import perft
from tests.gdl_oracle import Oracle, random_sheet

pytestmark = pytest.mark.long

TINY = """
(role a) (init (p 1))
(<= (legal a go) (role a))
(<= (next (p 2)) (true (p 1)))
(<= terminal (true (p 2)))
(goal a 100)
"""


def game_of(text, file="tiny.kif"):
    return sheet_class(text, file, __name__)()


# ---- reading and checking


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(role a))", "line 1, column 9: this ')' closes nothing"),
        ("(role a)\n\n (init (p", "the sheet ends before the '(' of line 3 is closed"),
        ("(role a)\n  ()", "line 2, column 4: a term begins with a name, as (cell 1 1 b) does"),
        ("(" * (MOST_NESTED + 1), "line 1, column 61: more than 60 parentheses are open"),
        ("(<=)", "line 1: a rule has a head: (<= head condition ...)"),
        ("(<= (p ?x) (?x))", "line 1: (?x) stands where a relation should"),
        ("(<= p (not q r))", "line 1: `not` has one condition: (not q r)"),
        (TINY + "(role a b)", "line 7: role has 2 arguments here; it has 1"),
        (TINY + "(q 1)\n(q 1 2)", "line 8: q has 2 arguments here; in line 7 it has 1"),
        (TINY + "(<= (q ?x) (not (r ?x)))", "line 7: ?x stands in no condition that is not negated, so it could be"),
        (TINY + "(<= (true (p 3)) (role a))", "line 7: `true` is given, no rule can say it"),
        (TINY + "(<= (goal a 0) (next (p 2)))", "line 7: `next` is no condition; what holds now is `true`"),
        (TINY + "(<= (role ?x) (role ?x))", "line 7: the roles are said plainly, as (role white)"),
        (TINY + "(<= (legal a ?x) (does a ?x))", "`legal` depends on `does`, which comes after it"),
        (TINY + "(<= (init (p 3)) (true (p 2)))", "`init` depends on `true`, which comes after it"),
        (TINY + "(<= (sees a x) (role a))", "the sheet says by `sees` what is hidden (GDL-II), which cannot"),
        (TINY.replace("terminal", "finished"), "no sentence of the sheet says `terminal`, so it is no game"),
        (
            TINY + "(<= terminal (q 1))(<= (q ?x) (r ?x) (not (s ?x)))(<= (s ?x) (r ?x) (q ?x))(r 1)",
            "line 7: q depends on `not s`, which depends on it in turn",
        ),
        (
            TINY + "(<= terminal (n 1))(n 0)(<= (n (s ?x)) (n ?x))",
            "line 7: the recursion through (n ?x) could go on for ever: nothing bounds ?x",
        ),
        (TINY + f"(<= terminal {'(role a)' * 201})", "line 7: a rule has at most 200 conditions, not 201"),
        (TINY + "(goal a high)", "a goal is a whole number of 0 or more, not high"),
        (TINY + "(role b)", "the role b never has a legal move, so the game cannot be played"),
    ],
)
def test_what_is_wrong_with_a_sheet_is_said_in_one_line(text, complaint):
    with pytest.raises(UnreadableText) as error:
        game_of(text)
    assert str(error.value).startswith(f"tiny.kif: {complaint}")
    assert "\n" not in str(error.value)


def test_comments_and_case_do_not_matter():
    assert parse("; a remark )\n(Role White) ; another\nTERMINAL") == [(("role", "white"), 2), ("terminal", 3)]


HOSTILE = {
    "deep": "(" * 1_000_000,
    "long": "(role a)" * 1_300_000,
    "or": f"(<= terminal {'(or (true x) (true y)) ' * 40})",
    "product": TINY + " ".join(f"(d {i})" for i in range(60)) + "(<= terminal (w ?a ?b ?c ?d ?e))"
    "(<= (w ?a ?b ?c ?d ?e) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e))",
    "silent": TINY + " ".join(f"(d {i})" for i in range(60)) + "(<= terminal (d ?a) (d ?b) (d ?c) (d ?d) (d ?e)"
    "(d ?f) (distinct (g ?a ?b ?c ?d ?e ?f) (g ?a ?b ?c ?d ?e ?f)))",
    "counter": TINY + "(<= (next (n ?x ?y ?z)) (true (n ?x ?y ?z)))" + " ".join(f"(d {i})" for i in range(90))
    + "(<= (next (n ?x ?y ?z)) (d ?x) (d ?y) (d ?z))",
    "growing": TINY + "(<= (next (f ?x)) (true ?x))",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_sheets_are_refused(name):
    with pytest.raises(UserError) as error:
        ground(checked_rules(parse(HOSTILE[name])), GroundLimits(seconds=0.3, literals=100_000, atoms=50_000))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 150


# ---- as a game


@pytest.mark.parametrize(
    ("sheet", "ours", "depth"),
    [
        ("tic_tac_toe", "tic_tac_toe", 5),
        ("connect_four", "connect_four", 4),
        ("breakthrough", "breakthrough", 2),
        ("breakthrough_small", "breakthrough:rows=5,columns=4", 4),
        ("nim", "nim", 4),
    ],
)
def test_sheets_have_as_many_positions_as_our_own_games(sheet, ours, depth):
    with interpreted():
        assert perft(games.load(f"{sheet}.kif"), depth=depth) == perft(games.load(ours), depth=depth)


def test_compiled_is_interpreted():
    game = games.load("nim.kif")
    counts = perft(game, depth=4)
    with interpreted():
        assert perft(game, depth=4) == counts


@pytest.mark.parametrize(
    ("sheet", "roles", "is_zero_sum", "is_simultaneous"),
    [
        ("tic_tac_toe", ("x", "o"), True, False),
        ("eight_puzzle", ("robot",), True, False),
        ("three_way", ("red", "green", "blue"), False, False),
        ("rock_paper_scissors", ("left", "right"), True, True),
    ],
)
def test_what_play_tells(sheet, roles, is_zero_sum, is_simultaneous):
    game = games.load(f"{sheet}.kif")
    assert (game.player_names, game.zero_sum, game.simultaneous) == (roles, is_zero_sum, is_simultaneous)
    assert game.perfect_information is not is_simultaneous


def test_what_is_chosen_at_the_same_time_is_hidden():
    game = games.load("rock_paper_scissors.kif")
    rock, paper = (game.at([move]).state for move in ("rock", "paper"))
    assert game.player(rock) == 1
    assert game.information(rock, 1) == game.information(paper, 1)
    assert game.information(rock, 0) != game.information(paper, 0)
    assert game.from_text(game.to_text(paper)) == paper
    end = game.at(["paper", "rock"]).state
    assert [game.utility(end, p) for p in (0, 1)] == [100.0, 0.0]


def test_a_sheet_is_shown_as_a_board():
    position = games.load("tic_tac_toe.kif").at("mark_1_1 mark_2_2")
    assert str(position) == "3 . . .\n2 . o .\n1 x . .\n  1 2 3\n(control x)"


def test_a_file_of_the_users_comes_before_ours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_sheet(Path("nim.kif")) == SHEETS / "nim.kif"
    Path("nim.kif").write_text(TINY)
    assert games.load("nim.kif").players == 1
    with pytest.raises(UnreadableText, match=r"cannot read nin.kif: .*; did you mean nim.kif\?"):
        games.load("nin.kif")


def test_sheets_travel():
    game = games.load("nim.kif")
    assert pickle.loads(pickle.dumps(game)) == game
    assert games.source(game) == "nim.kif"


# ---- many games at once


def test_gates_are_what_they_say():
    net = Gates((2, 1), [(AND, (0, 2)), (OR, (6, 5)), (AND, (0, 4))], [8, 7, FALSE, TRUE])
    assert len(net.gates) == 2  # nobody needs the third
    for a, b, c in [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]:
        found = net.run(Bits.from_int(2, a + 2 * b), Bits.from_int(1, c))
        assert [i in found for i in range(4)] == [bool((a and b) or not c), not (a and b), False, True]
    assert net.evaluate([0b1100, 0b1010, 0b0111]) == [0b1100 & 0b1010 | ~0b0111, ~(0b1100 & 0b1010), 0, -1]
    with pytest.raises(TypeError, match="these gates take Bits of the widths"):
        net.run(Bits(2))


@pytest.mark.parametrize("moves", ["", "take_a_3 take_b_4 take_c_1"])
def test_64_games_at_once_are_the_same_in_both_modes(moves):
    game = games.load("nim.kif")
    s = game.at(moves).state
    value = search.mean_utility(game, s, 200, new_random(5))
    with interpreted():
        assert search.mean_utility(game, s, 200, new_random(5)) == value


@pytest.mark.parametrize("sheet", ["rock_paper_scissors.kif", "three_way.kif", "eight_puzzle.kif"])
def test_64_games_at_once_have_the_mean_of_one_after_the_other(sheet):
    """Also where somebody has chosen already."""
    game = games.load(sheet)
    if game.simultaneous:
        s, expected = game.at(["rock"]).state, 50.0
    else:
        s, expected = game.initial(), {"three_way.kif": 45.0, "eight_puzzle.kif": 0.8}[sheet]
    with interpreted():
        assert search.mean_utility(game, s, 1000, new_random(2)) == pytest.approx(expected, abs=5.0)


def test_a_tree_search_takes_64_games_from_each_leaf():
    game = games.load("nim.kif")
    found = search.mcts(game, simulations=12, wide=True)
    assert found.settings["wide"]
    with interpreted():
        again = search.mcts(game, simulations=12, wide=True)
    assert (again.action, again.values, again.nodes) == (found.action, found.values, found.nodes)
    with pytest.raises(UserError, match="mcts with wide needs a game with `playouts`"):
        search.mcts(games.load("nim"), simulations=1, wide=True)


# ---- against clingo


def positions(game, number):
    """States of random games, with the moves that were made there, which are none at an end."""
    dice, net = Dice(3), game.net
    facts = game.beginning
    for _ in range(number):
        shown = game.before.run(facts)
        legal = [[m for m in range(*game.starts[r : r + 2]) if m in shown] for r in range(game.players)]
        is_over = game.moves in shown
        made = [] if is_over else [dice.choice(each) for each in legal]
        yield facts, shown, made
        facts = game.beginning if is_over else game.after.run(facts, game.nobody | type(facts)(game.moves, made))
    assert net.roles


def agree(game, text, number):
    oracle, net = Oracle(text), game.net
    moves = [(role, move) for role, each in zip(net.roles, net.moves, strict=True) for move in each]
    terms = lambda facts: {net.fluents[i] for i in facts} | set(net.always)  # noqa: E731
    assert {fact for (fact,) in oracle.ask(())["init"]} == terms(game.beginning)
    for facts, shown, made in positions(game, number):
        found = oracle.ask(terms(facts), [moves[m] for m in made])
        assert bool(found["terminal"]) == (game.moves in shown)
        assert {each for each in found["legal"] if each[0] in net.roles} == {
            moves[m] for m in range(len(moves)) if m in shown
        }
        goals = {(net.roles[g.role], str(g.value)) for i, g in enumerate(net.goals, game.moves + 1) if i in shown}
        assert found["goal"] == goals
        if made:
            after = game.after.run(facts, type(facts)(game.moves, made))
            assert {fact for (fact,) in found["next"]} == terms(after)


@pytest.mark.parametrize("sheet", sheets())
def test_our_sheets_agree_with_clingo(sheet):
    pytest.importorskip("clingo", reason="pip install 'counterplay[test]'")
    agree(games.load(sheet), (SHEETS / sheet).read_text(), 30)


@pytest.mark.parametrize("seed", range(20))
def test_random_sheets_agree_with_clingo(seed):
    pytest.importorskip("clingo", reason="pip install 'counterplay[test]'")
    text = random_sheet(seed)
    agree(game_of(text), text, 25)
