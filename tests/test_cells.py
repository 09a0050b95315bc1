"""`Cells` against plain tuples, interpreted and compiled."""

import pickle
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import Cells, Game, UnreadableText, count, nth, replace, state_key
from counterplay.core.features import Active
from counterplay.native import CannotCompile, compiled, native

pytestmark = pytest.mark.long

MODES = ("interpreted", "compiled")
RANGES = {  # length, least, most
    "a heap": (1, 0, 1),
    "kalah": (14, 0, 48),
    "2048": (16, 0, 15),
    "a hand": (13, 0, 4),
    "digits": (81, 0, 9),
    "pieces": (64, -6, 6),
    "large": (5, -(2**31), 2**31 - 1),
}
QUICK = ("kalah", "digits", "pieces")

thorough = settings(max_examples=100, deadline=None, derandomize=True)


class Row(Game):
    """Two rows of numbers and a place: the smallest game that carries `Cells` everywhere."""

    length: int = 3
    least: int = 0
    most: int = 9

    class State(NamedTuple):
        cells: Cells
        others: Cells
        place: int

    @cached_property
    def blank(self):
        return Cells(self.most, [self.least] * self.length, self.least)

    @cached_property
    def full(self):
        return Cells(self.most, [self.most] * self.length, self.least)

    def initial(self):
        return self.State(self.blank, self.full, 0)

    def player(self, s):
        return s.place % 2

    def actions(self, s):
        for i in range(self.length):
            if s.cells[i] != self.most:
                yield i

    def result(self, s, a):
        return self.State(s.others, replace(s.cells, a, self.most), a)

    def is_terminal(self, s):
        return s.cells == self.full

    def utility(self, s, p):
        return 0.0

    def pairs(self, s):
        """Yields while two iterations are under way."""
        for x in s.cells:
            for y in s.others[1:]:
                if y > x:
                    yield x * 31 + y


ROWS = {name: Row(length=length, least=least, most=most) for name, (length, least, most) in RANGES.items()}


@native
def everything(game, s, first, end, x):
    """The result of every operation on two rows, a place, two bounds and a number."""
    cells, others, i = s
    in_order = 0
    for rank, each in enumerate(cells):
        in_order += (rank + 1) * each
    together = 0
    for one, other in zip(cells, others):  # noqa: B905  (a machine has no `strict`)
        together = together * 31 + one - other & 0xFFFFFF  # a product might not fit 64 bits
    mixed = 0
    for pair in game.pairs(s):
        mixed = mixed * 31 + pair & 0xFFFFFF
    moved = cells
    for k in range(game.length - 1):
        moved = replace(moved, k, cells[k + 1])
    part = cells[first:end]
    return (
        (cells[i], cells[0], cells[game.length - 1], len(cells), cells.least, cells.most),
        (replace(cells, i, x), replace(cells, i, x, 0, others[i]), moved, replace(others, 0, cells[i] == x)),
        (sum(cells), min(cells), max(cells), any(cells), all(cells), x in cells, cells.count(x), bool(cells)),
        (sum(part), any(part), all(part), x in part, x not in part, part.count(x), len(part), bool(part)),
        (sum(cells[:end]), sum(cells[first:]), max(cells[:3]), min(cells[:])),
        (cells == others, cells != others, cells == s.cells, hash(cells), hash(s), state_key(s)),
        (in_order, together, mixed, count(cells), nth(cells, i), game.full, game.State(others, cells, i)),
        Cells(game.most, (x, game.least, others[i]), game.least),
    )


def expected(game, cells, others, i, first, end, x):
    """The same with tuples."""
    least, most = game.least, game.most

    def row(numbers):
        return Cells(most, numbers, least)

    s = Row.State(row(cells), row(others), i)
    mixed = 0
    for pair in (a * 31 + b for a in cells for b in others[1:] if b > a):
        mixed = mixed * 31 + pair & 0xFFFFFF
    together = 0
    for one, other in zip(cells, others, strict=True):
        together = together * 31 + one - other & 0xFFFFFF
    part = cells[first:end]
    other = (others[i], *replace(cells, i, x)[1:])
    return (
        (cells[i], cells[0], cells[-1], len(cells), least, most),
        (row(replace(cells, i, x)), row(other), row((*cells[1:], cells[-1])), row((cells[i] == x, *others[1:]))),
        (sum(cells), min(cells), max(cells), any(cells), all(cells), x in cells, cells.count(x), True),
        (sum(part), any(part), all(part), x in part, x not in part, part.count(x), len(part), bool(part)),
        (sum(cells[:end]), sum(cells[first:]), max(cells[:3]), min(cells)),
        (cells == others, cells != others, True, hash(s.cells), hash(s), state_key(s)),
        (
            sum(rank * each for rank, each in enumerate(cells, 1)),
            together,
            mixed,
            len(cells),
            cells[i],
            row([most] * len(cells)),
            (s.others, s.cells, i),
        ),
        row((x, least, others[i])),
    )


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        pytest.param(name, mode, marks=pytest.mark.slow if mode == "compiled" and name not in QUICK else [])
        for name in RANGES
        for mode in MODES
    ],
)
def test_every_operation_is_that_of_tuples(name, mode):
    run, game = getattr(everything, mode), ROWS[name]
    numbers = st.one_of(st.integers(game.least, game.most), st.sampled_from([game.least, game.most]))
    rows = st.one_of(
        st.lists(numbers, min_size=game.length, max_size=game.length).map(tuple),
        st.just((0,) * game.length),
        st.integers(0, game.length - 1).map(lambda i: (0,) * i + (1,) + (0,) * (game.length - 1 - i)),
    )
    bounds = st.one_of(st.integers(0, game.length + 2), st.just(2**40))

    @thorough
    @given(rows, rows, st.integers(0, game.length - 1), bounds, bounds, numbers)
    def agrees(cells, others, i, first, end, x):
        s = Row.State(Cells(game.most, cells, game.least), Cells(game.most, others, game.least), i)
        assert run(game, s, first, end, x) == expected(game, cells, others, i, first, end, x)

    agrees()


# ---- games of numbers


@native
def slid(game, row):
    """A row of 2048 slid to the left: what is equal and meets becomes the next power of two, once."""
    out, n, merged = game.blank, 0, True
    for x in row:
        if x:
            if not merged and out[n - 1] == x:
                out, merged = replace(out, n - 1, x + 1), True
            else:
                out, n, merged = replace(out, n, x), n + 1, False
    return out


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([0, 0, 0, 0], [0, 0, 0, 0]),
        ([0, 2, 0, 2], [3, 0, 0, 0]),
        ([1, 1, 1, 1], [2, 2, 0, 0]),
        ([2, 1, 1, 0], [2, 2, 0, 0]),
        ([1, 1, 1, 0], [2, 1, 0, 0]),
        ([4, 3, 3, 0], [4, 4, 0, 0]),
    ],
)
def test_a_row_of_2048_slides(before, after, mode):
    assert getattr(slid, mode)(Row(length=4, most=17), Cells(17, before)) == Cells(17, after)


@native
def taken(game, hand, wanted):
    """All cards of a rank go from one hand into another: Go Fish."""
    return replace(hand, wanted, 0), replace(game.blank, wanted, hand[wanted]), 4 in hand


@pytest.mark.parametrize("mode", MODES)
def test_cards_go_from_hand_to_hand(mode):
    game, hand = Row(length=13, most=4), Cells(4, [0, 1, 4] + [0] * 9 + [3])
    left, given, whole = getattr(taken, mode)(game, hand, 12)
    assert (left[12], given[12], sum(left), sum(given), whole) == (0, 3, 5, 3, True)


@native
def fits(game, grid, square, digit):
    """Whether a digit may stand on a square of a Sudoku."""
    row, column = square // 9, square % 9
    if digit in grid[9 * row : 9 * row + 9]:
        return False
    corner = row // 3 * 27 + column // 3 * 3
    for i in range(9):  # noqa: SIM110  (a generator expression cannot be compiled)
        if grid[9 * i + column] == digit or grid[corner + i // 3 * 9 + i % 3] == digit:
            return False
    return True


@pytest.mark.parametrize("mode", MODES)
def test_digits_fit_into_a_grid(mode):
    grid = replace(Cells(9, [0] * 81), 0, 5, 40, 7, 80, 1)
    found = {d: [q for q in range(81) if getattr(fits, mode)(ROWS["digits"], grid, q, d)] for d in (5, 7, 2)}
    assert len(found[2]) == 81
    for digit, square in ((5, 0), (7, 40)):
        row, column = divmod(square, 9)
        seen = {
            q for q in range(81) if q // 9 == row or q % 9 == column or (q // 27, q % 9 // 3) == (row // 3, column // 3)
        }
        assert found[digit] == sorted(set(range(81)) - seen)


# ---- errors, the same in both modes


@native
def put(game, cells, i, x):
    return replace(cells, i, x)


@native
def get(game, cells, i):
    return cells[i]


@native
def some(game, cells, first, end):
    return sum(cells[first:end])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["kalah", "digits", "pieces"])
def test_out_of_range_is_an_error(name, mode):
    game = ROWS[name]
    cells = game.blank
    for i in (-1, game.length, 2**40):
        with pytest.raises(IndexError):
            getattr(put, mode)(game, cells, i, 1)
        with pytest.raises(IndexError):
            getattr(get, mode)(game, cells, i)
    for x in (game.least - 1, game.most + 1, 2**40, -(2**40)):
        with pytest.raises(ValueError, match=r"range|from"):
            getattr(put, mode)(game, cells, 0, x)
    for first, end in ((-1, 2), (0, -1)):
        with pytest.raises(IndexError):
            getattr(some, mode)(game, cells, first, end)


@native
def every_second(game, cells):
    return sum(cells[::2])


@native
def compared_with_tuple(game, cells):
    return cells == (1, 2)


@native
def of_a_list(game, cells):
    return Cells(9, [1, 2, 3])


@native
def of_an_unknown_range(game, cells):
    return Cells(cells[0], (1, 2))


@native
def with_a_fraction(game, cells):
    return replace(cells, 0, 0.5)


@native
def assigned(game, cells):
    cells[0] = 1
    return cells


@pytest.mark.parametrize(
    ("function", "advice"),
    [
        (every_second, "first:end"),
        (compared_with_tuple, "=="),
        (of_a_list, "tuple of items"),
        (of_an_unknown_range, "known beforehand"),
        (with_a_fraction, "replace"),
        (assigned, r"replace\(items, i, item\)"),
    ],
)
def test_what_cannot_be_compiled_says_what_to_write(function, advice):
    with compiled(), pytest.raises(CannotCompile, match=advice):
        function(ROWS["a hand"], ROWS["a hand"].blank)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((9, [1, 10]), "10 is no number from 0 to 9"),
        ((9, [-1]), "-1 is no number"),
        ((9, []), "at least one"),
        ((0, [0]), "not from 0 to 0"),
        ((2**32, [0]), "at most 32 bits"),
    ],
)
def test_a_row_has_numbers_of_its_range(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        Cells(*arguments)


def test_a_row_does_not_change():
    with pytest.raises(AttributeError, match="do not change"):
        Cells(9, [1]).most = 10


# ---- as Python values


@pytest.mark.parametrize("name", RANGES)
def test_a_row_survives_repr_pickle_hash_and_packing(name):
    game = ROWS[name]
    rows = st.lists(st.integers(game.least, game.most), min_size=game.length, max_size=game.length)

    @thorough
    @given(rows)
    def survives(numbers):
        cells = Cells(game.most, numbers, game.least)
        unpacked = Cells.unpacked(game.most, game.least, game.length, cells.packed)
        copies = [eval(repr(cells)), pickle.loads(pickle.dumps(cells)), unpacked]
        assert copies == [cells] * 3
        assert {*copies} == {cells}
        assert list(cells) == numbers
        s = Row.State(cells, game.full, 0)
        assert game.from_text(game.to_text(s)) == s

    survives()


def test_rows_equal_only_rows_of_one_range():
    assert Cells(9, [1, 2]) != Cells(8, [1, 2])
    assert Cells(9, [1, 2]) != Cells(9, [1, 2], least=-1)
    assert Cells(9, [1, 2]) != (1, 2)


def test_numpy_integers_are_numbers_and_indices_like_any():
    cells = Cells(np.int64(9), np.array([1, 2, 3]))
    assert cells == Cells(9, [1, 2, 3])
    assert cells[np.int64(1)] == 2
    assert replace(cells, np.int64(1), np.int8(7)) == Cells(9, [1, 7, 3])
    assert all(type(x) is int for x in cells)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("cells=[1,2] others=[0,0,0] place=0", "2 numbers, not 3"),
        ("cells=[1,2,10] others=[0,0,0] place=0", "10 is no number from 0 to 9"),
        ("cells=[1,2,x] others=[0,0,0] place=0", "not a row of numbers"),
        ("cells=(1,2,3) others=[0,0,0] place=0", "not a row of numbers"),
    ],
)
def test_a_text_that_is_no_row_is_told_in_one_line(text, complaint):
    with pytest.raises(UnreadableText, match=complaint):
        Row().from_text(text)


def test_its_numbers_are_the_inputs_for_learning():
    game, on = Row(), Active()
    game.features(Row.State(Cells(9, [0, 5, 7]), game.full, 2), on)
    assert game.inputs == 2 * 7 * 33
    sizes = on.row(game.inputs)[::33]
    assert sizes[:7] == [0.0, 5 / 37, 7 / 39, 9 / 41, 9 / 41, 9 / 41, 2 / 34]
    assert [i % 33 - 1 for i in on.values if i % 33] == [0, 5, 7, 9, 9, 9, 2]
