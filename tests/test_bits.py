"""`Bits` against plain Python integers, interpreted and compiled."""

import os
import pickle
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import Bits, Game
from counterplay.native import CannotCompile, compiled, native

pytestmark = pytest.mark.long

WIDTHS = (1, 8, 63, 64, 65, 81, 128, 361, 400)
MODES = ("interpreted", "compiled")

thorough = settings(max_examples=100, deadline=None, derandomize=True)


class Board(Game):
    """Two sets and a square, on a board of any width: the smallest game that carries `Bits` everywhere."""

    width: int = 9

    class State(NamedTuple):
        mine: Bits
        theirs: Bits
        square: int

    @cached_property
    def even(self):
        return Bits(self.width, range(0, self.width, 2))

    def initial(self):
        return self.State(Bits(self.width), Bits(self.width), 0)

    def player(self, s):
        return 0

    def actions(self, s):
        return ~(s.mine | s.theirs)

    def result(self, s, a):
        return self.State(s.theirs, s.mine.add(a), a)

    def is_terminal(self, s):
        return not ~(s.mine | s.theirs)

    def utility(self, s, p):
        return 0.0

    def pairs(self, s):
        """Yields while two iterations are under way."""
        for i in s.mine:
            for j in s.theirs:
                if j != i:
                    yield i * self.width + j


BOARDS = {width: Board(width=width) for width in WIDTHS}


@native
def everything(game, s, k):
    """The result of every operation on the sets, the square of the state, and a shift by `k`."""
    x, y, square = s
    both, either, one, left = x, x, x, x
    both &= y
    either |= y
    one ^= y
    left -= y
    up, down = x, x
    up <<= k
    down >>= k
    in_order = 0
    for rank, i in enumerate(x):
        in_order += (rank + 1) * i
    mixed = 0
    for pair in game.pairs(s):
        mixed = mixed * 31 + pair & 0xFFFFFF
    return (
        (x & y, x | y, x ^ y, x - y, ~x, x << k, x >> k),
        (both, either, one, left, up, down),
        (x == y, x != y, x == s.mine, bool(x), not x, 1 if x else 0, len(x), x.width),
        (x.lowest(), square in x, square not in x, -1 in x, game.width in x, x.add(square), x.remove(square)),
        (Bits(game.width), Bits(game.width, (square, 0)), Bits(game.width, range(square)), Bits(game.width, y)),
        (in_order, mixed, game.even, game.State(y, x & game.even, k)),
        (hash(x), hash(s), x.runs(1, 3), x.runs(square + 1, 2), x.runs(1, 1)),
        (x.seen(square, y), y.seen(square, x), x.seen(0, y), x.seen(game.width - 1, y)),
        (
            x.flanked(square, y, ~y),
            (~x).flanked(square, y, x - y),
            x.flanked(0, y, ~y),
            x.flanked(game.width - 1, y, ~y),
        ),
        (x.between(square, k % game.width), x.between(k % game.width, square), x.between(square, square)),
    )


def expected(width, x, y, square, k):
    """The same with masked integers."""
    mask = (1 << width) - 1
    bit = 1 << square
    members = [i for i in range(width) if x >> i & 1]
    others = [i for i in range(width) if y >> i & 1]
    even = sum(1 << i for i in range(0, width, 2))
    mixed = 0
    for pair in (i * width + j for i in members for j in others if j != i):
        mixed = mixed * 31 + pair & 0xFFFFFF
    up = (x << k) & mask if k < width else 0
    sets = (x & y, x | y, x ^ y, x & ~y, ~x & mask, up, x >> k)
    inside = bool(x & bit)
    state = Board.State(Bits.from_int(width, x), Bits.from_int(width, y), square)
    return (
        sets,
        (*sets[:4], *sets[5:]),
        (x == y, x != y, True, x != 0, x == 0, int(x != 0), len(members), width),
        (members[0] if members else width, inside, not inside, False, False, x | bit, x & ~bit),
        (0, bit | 1, bit - 1, y),
        (sum(rank * i for rank, i in enumerate(members, 1)), mixed, even, (y, x & even, k)),
        (hash(state.mine), hash(state), x & x >> 1 & x >> 2, x & x >> square + 1, x),
        (seen(width, x, square, y), seen(width, y, square, x), seen(width, x, 0, y), seen(width, x, width - 1, y)),
        (
            flanked(width, x, square, y, ~y),
            flanked(width, ~x, square, y, x & ~y),
            flanked(width, x, 0, y, ~y),
            flanked(width, x, width - 1, y, ~y),
        ),
        (*[sum(1 << i for i in members if min(square, k % width) < i < max(square, k % width))] * 2, 0),
    )


def flanked(width, line, square, mine, theirs):
    """Step by step along the line, each way until something is not theirs: if that is mine, all before it."""
    found = 0
    for way in (range(square + 1, width), range(square - 1, -1, -1)):
        run = 0
        for i in way:
            if line >> i & 1 and theirs >> i & 1:
                run |= 1 << i
            elif line >> i & 1:
                found |= run if mine >> i & 1 else 0
                break
    return found


def seen(width, line, square, blockers):
    """Step by step along the line, each way until something blocks."""
    found = 0
    for way in (range(square + 1, width), range(square - 1, -1, -1)):
        for i in way:
            found |= line & 1 << i
            if line & blockers & 1 << i:
                break
    return found


def plain(value):
    """Every `Bits` in nested tuples as its integer."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return int(value) if isinstance(value, Bits) else value


def sets_of(width):
    """Integers of that many bits, with the full, the empty and the sparse as likely as any."""
    few = st.lists(st.integers(0, width - 1), max_size=3).map(lambda squares: sum(1 << i for i in set(squares)))
    return st.one_of(st.integers(0, (1 << width) - 1), few, few.map(lambda n: n ^ ((1 << width) - 1)))


@pytest.mark.parametrize(
    ("width", "mode"),
    [
        pytest.param(width, mode, marks=pytest.mark.slow if mode == "compiled" and width not in (64, 361) else [])
        for width in WIDTHS
        for mode in MODES
    ],
)
def test_every_operation_is_that_of_masked_integers(width, mode):
    run = getattr(everything, mode)
    squares = st.integers(0, width - 1)
    shifts = st.one_of(st.integers(0, width + 70), st.sampled_from([63, 64, 65, width - 1, width, 2**40]))

    @thorough
    @given(sets_of(width), sets_of(width), squares, shifts)
    def agrees(x, y, square, k):
        s = Board.State(Bits.from_int(width, x), Bits.from_int(width, y), square)
        assert plain(run(BOARDS[width], s, k)) == expected(width, x, y, square, k)

    agrees()


@pytest.mark.parametrize("width", WIDTHS)
def test_compiled_code_returns_bits_and_states_of_the_same_class(width):
    s = BOARDS[width].initial()
    values = everything.compiled(BOARDS[width], s, 1)
    assert values[0][4] == Bits.full(width)
    assert type(values[5][3]) is Board.State
    assert values[5][3] == Board.State(Bits(width), Bits(width), 1)


@native
def number(game, b):
    return int(b)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", [1, 8, 63])
def test_int_of_a_set_that_fits_a_machine_integer(width, mode):
    assert getattr(number, mode)(BOARDS[width], Bits.full(width)) == (1 << width) - 1


@pytest.mark.parametrize("width", [64, 361])
def test_int_of_a_larger_set_cannot_compile(width):
    with pytest.raises(CannotCompile):
        number.compiled(BOARDS[width], Bits(width))


CENTRE = Bits(81, [40])


@native
def around_the_centre(game, b):
    return b & ~CENTRE | CENTRE << 1


@pytest.mark.parametrize("mode", MODES)
def test_a_global_bits_is_a_constant_of_compiled_code(mode):
    assert getattr(around_the_centre, mode)(BOARDS[81], Bits(81, [0, 40])) == Bits(81, [0, 41])


@native
def in_python_containers(game, b):
    """What else iterates: lists, enumerate, zip, and a set that changes while it is walked."""
    rest, total = b, 0
    for i, square in enumerate(b):
        rest = rest.remove(square)
        total += i * square
    for square, above in zip(b, b << 1):  # noqa: B905  (a machine has no `strict`)
        total += above - square
    return list(b), rest, total


@pytest.mark.parametrize("mode", MODES)
def test_a_set_iterates_wherever_python_does(mode):
    squares, rest, total = getattr(in_python_containers, mode)(BOARDS[81], Bits(81, [3, 40, 77]))
    assert (list(squares), rest, total) == ([3, 40, 77], Bits(81), 40 + 2 * 77 + 3)


@native
def found_or_not(game, b, square):
    """A set that may be None."""
    found = None
    if square in b:
        found = b.remove(square)
    return found is None, len(found) if found is not None else -1


@pytest.mark.parametrize("mode", MODES)
def test_a_set_may_be_none(mode):
    assert getattr(found_or_not, mode)(BOARDS[8], Bits(8, [1, 2]), 1) == (False, 1)
    assert getattr(found_or_not, mode)(BOARDS[8], Bits(8, [1, 2]), 3) == (True, -1)


# ---- errors


@native
def with_int(game, b):
    return b & 1


@native
def with_other_width(game, b):
    return b | CENTRE


@native
def minus_int(game, b):
    return b - 1


@native
def compared_with_int(game, b):
    return b == 1


@native
def truth_of_what_may_be_none(game, b):
    found = b if 1 in b else None
    return 1 if found else 0


@native
def none_equals(game, b):
    found = b if 1 in b else None
    return found == b


@native
def width_known_only_later(game, b):
    return Bits(b.lowest())


@pytest.mark.parametrize("function", [with_int, with_other_width, minus_int])
def test_combining_with_anything_but_bits_of_one_width_is_an_error(function):
    with pytest.raises(TypeError, match="Bits"):
        function.interpreted(BOARDS[8], Bits(8, [1]))
    with compiled(), pytest.raises(CannotCompile):
        function(BOARDS[8], Bits(8, [1]))


@pytest.mark.parametrize(
    "function", [compared_with_int, truth_of_what_may_be_none, none_equals, width_known_only_later]
)
def test_what_has_no_machine_type_cannot_compile(function):
    with compiled(), pytest.raises(CannotCompile):
        function(BOARDS[8], Bits(8, [1]))


def test_bits_equal_only_bits_of_the_same_width():
    assert Bits(8, [1]) != Bits(9, [1])
    assert Bits(8, [1]) != 2


@pytest.mark.parametrize("square", [-1, 9, 64, 2**70])
def test_a_square_outside_the_board_is_an_error_and_is_in_no_set(square):
    everywhere = Bits.full(9)
    for change in (everywhere.add, everywhere.remove, lambda i: Bits(9, [i])):
        with pytest.raises(ValueError, match="outside"):
            change(square)
    assert square not in everywhere


@native
def add_and_remove(game, b, square):
    return b.add(square), b.remove(square)


@pytest.mark.parametrize("square", [-1, 9, 64, 2**40])
def test_compiled_a_square_outside_the_board_changes_nothing_unless_bounds_are_checked(square):
    b = Bits(9, [4])
    if os.environ.get("NUMBA_BOUNDSCHECK", "0") != "0":
        with pytest.raises(ValueError, match="outside"):
            add_and_remove.compiled(BOARDS[8], b, square)
    else:
        assert add_and_remove.compiled(BOARDS[8], b, square) == (b, b)


def test_a_board_has_at_least_one_square():
    with pytest.raises(ValueError, match="at least 1"):
        Bits(0)


def test_a_set_does_not_change():
    b = Bits(9)
    with pytest.raises(AttributeError, match="does not change"):
        b.width = 10


# ---- as Python values


@pytest.mark.parametrize("width", WIDTHS)
def test_a_set_survives_repr_pickle_and_hash(width):
    @thorough
    @given(sets_of(width))
    def survives(n):
        b = Bits.from_int(width, n)
        squares = [i for i in range(width) if n >> i & 1]
        copies = [eval(repr(b)), pickle.loads(pickle.dumps(b)), Bits(width, squares), Bits(width, reversed(squares))]
        assert copies == [b] * 4
        assert {*copies} == {b}
        assert list(b) == squares

    survives()


@pytest.mark.parametrize("width", [81, 361])
def test_numpy_integers_are_squares_and_shifts_like_any(width):
    i = width - 1
    far = np.int64(i)
    b = Bits(np.int64(width), np.array([0, i]))
    assert b == Bits(width, [0, i])
    assert Bits(width).add(far) == Bits(width, [i])
    assert b.remove(far) == Bits(width, [0]) == b >> far
    assert far in b
    assert Bits(width, [0]) << far == Bits(width, [i])
    assert Bits.from_int(width, np.uint64(5)) == Bits(width, [0, 2])
