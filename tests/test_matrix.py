"""Matrix games: known ones, and random ones against brute force."""

import warnings
from fractions import Fraction
from itertools import combinations

import pytest

from counterplay import games
from counterplay.core.randomness import Dice
from counterplay.search import Unsuited
from counterplay.solve import (
    Strategy,
    analyse,
    dominance,
    equilibria,
    equilibrium,
    evolution_svg,
    is_attracting,
    is_matrix,
    replicate,
)

pytestmark = pytest.mark.long


def found(name):
    return analyse(games.load(f"matrix_game:{name}"))


# ---- known games


def test_rock_paper_scissors_is_played_at_random():
    analysis = found("rock_paper_scissors")
    third = (Fraction(1, 3),) * 3
    assert [each[:2] for each in analysis.equilibria] == [(third, third)]
    assert (analysis.value, analysis.story, analysis.is_infinite) == (0, (), False)


def test_nobody_backs_off():
    analysis = found("backoff")
    assert [(each.player, each.action, each.by) for each in analysis.story] == [(0, 0, (0, 1)), (1, 0, (0, 1))]
    assert analysis.left == ((1,), (1,))
    assert [each.values for each in analysis.equilibria] == [(-3, -3)]
    assert analysis.equilibria[0].is_pure
    assert analysis.value is None
    assert analysis.as_dict()["dominance"][0] == {"player": 0, "action": "correct", "by": {"defective": "1"}}
    assert analysis.as_dict()["equilibria"] == [
        {"row": {"defective": "1"}, "column": {"defective": "1"}, "values": ["-3", "-3"]}
    ]


def test_the_battle_of_the_sexes_has_three_equilibria():
    analysis = found("battle_of_the_sexes")
    assert [each.values for each in analysis.equilibria] == [(3, 2), (2, 3), (Fraction(6, 5), Fraction(6, 5))]
    assert analysis.equilibria[2].row == (Fraction(3, 5), Fraction(2, 5))
    assert not analysis.is_infinite


def test_a_mixture_may_dominate():
    story, left = dominance([[4, 0], [0, 4], [1, 1]], [[0, 0], [0, 0], [0, 0]])
    assert [(each.player, each.action) for each in story] == [(0, 2)]
    assert left == ((0, 1), (0, 1))
    row, column = story[0].by[:2]
    assert row + column == 1
    assert min(4 * row, 4 * column) > 1


@pytest.mark.parametrize("text", ["(1,1) (1,0); (1,0) (1,1)", "(0,0) (0,0)", "0 0; 0 0"])
def test_a_degenerate_game_says_that_there_are_infinitely_many(text):
    assert found(text).is_infinite


def test_fractions_stay_exact():
    analysis = found("1/3 0; 0 1/7")
    assert analysis.equilibria[0].row == (Fraction(3, 10), Fraction(7, 10))
    assert analysis.value == Fraction(1, 10)


def test_what_is_no_matrix_or_too_large_is_refused():
    assert not is_matrix(games.load("kuhn_poker"))
    with pytest.raises(Unsuited, match="no matrix game"):
        analyse(games.load("kuhn_poker"))
    with pytest.raises(Unsuited, match="too many"):
        next(equilibria([[1] * 12] * 12, [[1] * 12] * 12))


# ---- random games


def random_game(dice, least=1, most=5, values=19):
    """Payoffs from few values are often degenerate, from many hardly ever."""
    m, n = (least + dice.below(most - least + 1) for _ in range(2))
    return [[[dice.below(values) - values // 2 for _ in range(n)] for _ in range(m)] for _ in range(2)]


def is_equilibrium(one, two, x, y):
    mine = [sum(q * a for q, a in zip(y, row, strict=True)) for row in one]
    theirs = [sum(p * row[j] for p, row in zip(x, two, strict=True)) for j in range(len(y))]
    best = all(v == max(mine) for v, p in zip(mine, x, strict=True) if p)
    return best and all(v == max(theirs) for v, q in zip(theirs, y, strict=True) if q)


def solution(rows, right):
    """By Cramer's rule, so that nothing is shared with what is tested; None if there is not exactly one."""
    if (whole := determinant(rows)) == 0:
        return None
    replaced = ([[*row[:c], b, *row[c + 1 :]] for row, b in zip(rows, right, strict=True)] for c in range(len(rows)))
    return [Fraction(determinant(each), whole) for each in replaced]


def determinant(rows):
    """By elimination in integers (Bareiss 1968): all divisions come out even."""
    rows, before, sign = [list(row) for row in rows], 1, 1
    while len(rows) > 1:
        pivot = next((i for i, row in enumerate(rows) if row[0]), None)
        if pivot is None:
            return 0
        top, sign = rows.pop(pivot), sign * (-1) ** pivot
        rows = [[(top[0] * x - row[0] * y) // before for x, y in zip(row[1:], top[1:], strict=True)] for row in rows]
        before = top[0]
    return sign * rows[0][0] if rows else 1


def indifferent(gains, support, others, size):
    """The mixture on `support` against which all of `others` gain the same; None if there is not exactly one."""
    rows = [[*(gains(j, i) for i in support), -1] for j in others] + [[1] * len(support) + [0]]
    solved = solution(rows, [0] * len(others) + [1])
    if solved is None or min(solved[:-1]) <= 0:
        return None
    chances = dict(zip(support, solved, strict=False))
    return tuple(chances.get(i, Fraction(0)) for i in range(size))


def by_supports(one, two):
    """Support enumeration: all equilibria of a game that is not degenerate."""
    m, n = len(one), len(one[0])
    for k in range(1, min(m, n) + 1):
        for rows in combinations(range(m), k):
            for columns in combinations(range(n), k):
                x = indifferent(lambda j, i: two[i][j], rows, columns, m)
                y = indifferent(lambda i, j: one[i][j], columns, rows, n)
                if x and y and is_equilibrium(one, two, x, y):
                    yield x, y


GAMES = 340  # of each kind, which are more than a thousand


@pytest.mark.parametrize("values", [3, 19, 1999999])
def test_random_games_have_the_equilibria_of_brute_force(values):
    dice, degenerate = Dice("matrix", values), 0
    for _ in range(GAMES):
        one, two = random_game(dice, values=values)
        ours = [each[:2] for each in equilibria(one, two)]
        assert ours
        assert len(set(ours)) == len(ours)
        assert all(is_equilibrium(one, two, *each) for each in ours)
        shared = len({x for x, _ in ours}) < len(ours) or len({y for _, y in ours}) < len(ours)
        degenerate += shared
        if not shared and values < 1999999:
            assert set(by_supports(one, two)) <= set(ours)
        pure = {(i, j) for i in range(len(one)) for j in range(len(one[0])) if is_pure_equilibrium(one, two, i, j)}
        assert pure == {(x.index(1), y.index(1)) for x, y in ours if max(x) == max(y) == 1}
        if values == 1999999:
            assert set(by_supports(one, two)) == set(ours)
            assert len(ours) % 2 == 1, "almost all games have an odd number"
    assert (degenerate == 0) == (values == 1999999)


NASHPY_GAMES = 200  # it takes ten times as long as we


def test_random_games_have_the_equilibria_of_nashpys_vertices():
    """All that it finds, in floating point, are ours; where several things hold at once it does not find all."""
    nashpy = pytest.importorskip("nashpy", reason="pip install 'counterplay[peers]'")
    dice, fewer = Dice("nashpy"), 0
    for _ in range(NASHPY_GAMES):
        one, two = random_game(dice, least=2)
        ours = [[float(p) for p in (*each.row, *each.column)] for each in equilibria(one, two)]
        with warnings.catch_warnings(action="ignore"):  # it warns of games that are degenerate
            theirs = [[*x, *y] for x, y in nashpy.Game(one, two).vertex_enumeration()]
        same = [[mine == pytest.approx(each, abs=1e-6) for mine in ours] for each in theirs]
        assert all(map(any, same))
        fewer += not all(map(any, zip(*same, strict=True)))
    assert fewer < 0.05 * NASHPY_GAMES


def is_pure_equilibrium(one, two, i, j):
    return one[i][j] == max(row[j] for row in one) and two[i][j] == max(two[i])


def test_dominance_loses_no_equilibrium():
    dice = Dice("dominance")
    for _ in range(60):
        one, two = random_game(dice)
        _, (rows, columns) = dominance(one, two)
        for x, y, _ in equilibria(one, two):
            assert {i for i, p in enumerate(x) if p} <= set(rows)
            assert {j for j, q in enumerate(y) if q} <= set(columns)


def test_the_value_of_a_zero_sum_game_is_the_one_that_is_learnt():
    exact = found("3 -1 0; -2 4 1; 0 1 -1")
    learnt = equilibrium(exact.game, "cfr+", 3_000)
    assert learnt.about.values[0] == pytest.approx(float(exact.value), abs=1e-3)


# ---- evolution


def gains(analysis):
    return ([[cell[p] for cell in row] for row in analysis.game.matrix] for p in (0, 1))


@pytest.mark.parametrize("name", ["backoff", "battle_of_the_sexes", "chicken", "matching_pennies", "stag_hunt"])
def test_nothing_moves_at_an_equilibrium_and_what_attracts_is_come_back_to(name):
    analysis = found(name)
    one, two = gains(analysis)
    for each in analysis.equilibria:
        at = float(each.row[0]), float(each.column[0])
        assert replicate(one, two, *at) == pytest.approx((0, 0))
        x, y = (share + 0.05 if share < 0.5 else share - by for share, by in zip(at, (0.05, 0.02), strict=True))
        for _ in range(3_000):
            dx, dy = replicate(one, two, x, y)
            x, y = x + 0.01 * dx, y + 0.01 * dy
        assert ((x, y) == pytest.approx(at, abs=0.02)) == is_attracting(one, two, each)


def test_the_picture_has_the_equilibria_and_only_for_two_by_two(counterplay, tmp_path):
    svg = evolution_svg(found("chicken"))
    assert svg.count("<circle") == 3 + 2, "three equilibria, and two in the legend"
    assert "share of row that plays swerve" in svg
    file = tmp_path / "chicken.svg"
    assert counterplay("equilibrium", "matrix_game:chicken", "--svg", str(file))[0] == 0
    assert file.read_text() == svg
    for game in ("matrix_game", "kuhn_poker"):
        status, _, err = counterplay("equilibrium", game, "--svg", str(tmp_path / "other.svg"))
        assert status == 2
        assert err.count("\n") == 1
    assert not (tmp_path / "other.svg").exists()


# ---- the command


def test_the_command_tells_the_story(counterplay, answer):
    status, out, _ = counterplay("equilibrium", "matrix_game:backoff")
    assert status == 0
    assert "row never takes correct: defective is better, whatever the other does" in out
    assert "one equilibrium:\n  row defective; column defective: -3 and -3" in out
    assert "infinitely many equilibria" in counterplay("equilibrium", "matrix_game:0 0; 0 0")[1]
    assert "the value of the game is 0 for row" in counterplay("equilibrium", "matrix_game")[1]
    assert answer("equilibrium", "matrix_game")["value"] == "0"
    assert counterplay("equilibrium", "matrix_game:1 2; 3")[0] == 2


def test_the_command_learns_a_strategy_and_keeps_it(counterplay, answer, tmp_path):
    file = tmp_path / "kuhn.safetensors"
    status, out, _ = counterplay("equilibrium", "kuhn_poker", "--interpreted", "--iterations", 20, "--save", file)
    assert status == 0
    assert "your card: J their card: ?; moves: none" in out
    assert f"--players human,strategy:{file}" in out
    assert len(list(Strategy.load(file).rows())) == 12
    told = answer("equilibrium", "matrix_game", "--method", "cfr+", "--iterations", 10, "--interpreted")
    assert (told["method"], told["sets"], len(told["strategy"])) == ("cfr+", 2, 2)
    played = answer("play", "kuhn_poker", "--players", f"strategy:{file},random", "--interpreted")
    assert played["terminal"]
    assert counterplay("equilibrium", "nim")[0] == 2
