"""`mix64`, `state_key` and `replace`: compiled as interpreted, and what each promises."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from counterplay import Bits, Game, mix64, replace, state_key
from counterplay.core.primitives import Table, count, list_actions, nth, nth_action, number_of_actions
from counterplay.native import CannotCompile, native

thorough = settings(max_examples=200, deadline=None, derandomize=True)
words = st.integers(-(2**63), 2**63 - 1)
numbers = st.floats(allow_nan=False)


class Deep(NamedTuple):
    """A state of everything that a state may hold."""

    n: int
    x: float
    flag: bool
    small: Bits
    word: Bits
    large: Bits
    pair: tuple[int, float]
    table: tuple[tuple[int, int], tuple[int, int]]


class Anything(Game):
    """A game that is never played: native functions want one."""

    def initial(self):
        return Deep(0, 0.0, False, Bits(9), Bits(64), Bits(361), (0, 0.0), ((0, 0), (0, 0)))

    def player(self, s):
        return 0

    def actions(self, s):
        return range(0)

    def result(self, s, a):
        return s

    def is_terminal(self, s):
        return True

    def utility(self, s, p):
        return 0.0


GAME = Anything()


def sets(width):
    return st.integers(0, (1 << width) - 1).map(lambda n: Bits.from_int(width, n))


states = st.builds(
    Deep, words, numbers, st.booleans(), sets(9), sets(64), sets(361), st.tuples(words, numbers),
    st.tuples(st.tuples(words, words), st.tuples(words, words)),
)  # fmt: skip


# ---- mix64


@native
def mixed(game, x):
    return mix64(x)


@thorough
@given(words)
@example(0)
@example(-1)
@example(-(2**63))
@example(2**63 - 1)
def test_mix64_compiled_is_mix64(x):
    assert mixed.compiled(GAME, x) == mix64(x)


@thorough
@given(words)
def test_mix64_is_a_signed_word_of_the_low_64_bits(x):
    assert -(2**63) <= mix64(x) < 2**63
    assert mix64(x) == mix64(x + 2**64)


def test_mix64_maps_different_numbers_to_different_numbers():
    sample = [*range(-50_000, 50_000), *(1 << k for k in range(17, 63)), -(2**63), 2**63 - 1]
    assert len({mix64(x) for x in sample}) == len(sample)


def test_mix64_of_one_is_the_published_constant():
    """The first output of SplitMix64 seeded with 0 (Vigna's splitmix64.c)."""
    assert mix64(1) % 2**64 == 0xE220A8397B1DCDAF


# ---- state_key


@native
def key(game, s):
    return state_key(s)


@thorough
@given(states)
@example(
    Deep(-1, -0.0, True, Bits.full(9), Bits.full(64), Bits.full(361), (2**63 - 1, 5e-324), ((-(2**63), 0), (1, 2)))
)
def test_state_key_compiled_is_state_key(s):
    assert key.compiled(GAME, s) == state_key(s)


@pytest.mark.parametrize("s", [(), (0,), (True, False), ((), (1,)), 7, -0.0, Bits(65, [64])])
def test_state_key_takes_any_state(s):
    assert key.compiled(GAME, s) == state_key(s)


@thorough
@given(states, states)
def test_state_key_differs_when_any_field_does(s, other):
    for name, value in other._asdict().items():
        changed = s._replace(**{name: value})
        assert (state_key(changed) == state_key(s)) == (changed == s)


def test_state_key_tells_neighbours_and_orders_apart():
    boards = [Bits(361, [i]) for i in range(361)]
    states = [(b, Bits(361)) for b in boards] + [(Bits(361), b) for b in boards] + [(b, b) for b in boards]
    assert len({state_key(s) for s in states}) == len(states)


def test_state_key_of_minus_zero_is_that_of_zero():
    assert state_key((-0.0,)) == state_key((0.0,))


def test_state_key_knows_no_text():
    with pytest.raises(CannotCompile):
        key.compiled(GAME, ("x", 1))


# ---- Table

NUMBERS = Table([3, -(2**63), 2**63 - 1, 0])
HALVES = Table([0.5, -1.5])
BOARDS = {width: Table(Bits(width, [i, width - 1]) for i in range(9)) for width in (9, 64, 361)}
SMALL, WORD, LARGE = BOARDS.values()


@native
def looked_up(game, i):
    return NUMBERS[i % 4], HALVES[i % 2], SMALL[i], WORD[i], LARGE[i], len(LARGE)


@pytest.mark.parametrize("i", range(9))
def test_a_table_gives_its_items_in_both_modes(i):
    sets = [Bits(width, [i, width - 1]) for width in BOARDS]
    said = ((3, -(2**63), 2**63 - 1, 0)[i % 4], (0.5, -1.5)[i % 2], *sets, 9)
    assert looked_up.compiled(GAME, i) == looked_up.interpreted(GAME, i) == said


def test_a_table_is_its_items():
    assert list(NUMBERS)[:1] == [3]
    assert Table([1, 2]) == eval(repr(Table([1, 2]))) != Table([2, 1])
    assert hash(Table([1, 2])) == hash(Table([1, 2]))
    for i in (-1, 4):
        with pytest.raises(IndexError):
            NUMBERS[i]


@pytest.mark.parametrize("items", [[], [1, 2.0], [True], ["x"], [Bits(8), Bits(9)]])
def test_a_table_is_of_one_kind(items):
    with pytest.raises(TypeError, match="all of them"):
        Table(items)


# ---- count and nth


def squares(b):
    for i in b:  # noqa: UP028  (`yield from` cannot be compiled)
        yield i


@native
def counted(game, b, k, low, high, step):
    """Whatever `actions` may return: a set, a generator, a range, a list, a tuple."""
    return (
        (count(b), count(squares(b)), count(list(b)), count(range(low, high, step)), count((low, high, step))),
        (nth(b, k), nth(squares(b), k), nth(list(b), k), nth(range(low, high, step), 1), nth((low, high, step), 2)),
    )


@pytest.mark.parametrize("width", [9, 64, 361])
def test_count_and_nth_of_anything_that_lists_actions(width):
    @thorough
    @given(st.data())
    def agree(data):
        b = data.draw(sets(width).filter(bool))
        k = data.draw(st.integers(0, len(b) - 1))
        low, step = data.draw(st.integers(-20, 20)), data.draw(st.sampled_from([-3, -1, 1, 2]))
        high = low + step * data.draw(st.integers(2, 9))
        span = range(low, high, step)
        expected = (len(b), len(b), len(b), len(span), 3), (*[list(b)[k]] * 3, span[1], step)
        assert counted.interpreted(GAME, b, k, low, high, step) == expected
        assert counted.compiled(GAME, b, k, low, high, step) == expected

    agree()


# ---- replace


@native
def replaced(game, items, i, item):
    return replace(items, i, item)


@pytest.mark.parametrize("items", [st.tuples(*[words] * 5), st.tuples(*[numbers] * 5), st.tuples(*[sets(81)] * 5)])
def test_replace_compiled_is_replace(items):
    @thorough
    @given(items, items, st.integers(0, 4), st.integers(0, 4))
    def agrees(before, others, i, j):
        after = replaced.compiled(GAME, before, i, others[j])
        assert after == replace(before, i, others[j])
        assert [k for k in range(5) if after[k] != before[k]] in ([i], [])
        assert after[i] == others[j]

    agrees()


@pytest.mark.parametrize("mode", ["interpreted", "compiled"])
@pytest.mark.parametrize("i", [-1, 3, 2**40])
def test_replace_outside_the_tuple_is_an_error(mode, i):
    with pytest.raises(IndexError, match="out of range"):
        getattr(replaced, mode)(GAME, (1, 2, 3), i, 0)


@pytest.mark.parametrize(("items", "item"), [((1.5, 2.5), 3), ((1, 2), True), (((1, 2), (3, 4)), (5, 6))])
def test_replace_takes_what_the_tuple_can_hold(items, item):
    assert replaced.compiled(GAME, items, 1, item) == replace(items, 1, item)


@pytest.mark.parametrize(("items", "item"), [((1, 2), 0.5), ((1, 2), (3, 4)), ((1, 2.5), 3)])
def test_replace_that_would_change_a_type_cannot_compile(items, item):
    with pytest.raises(CannotCompile):
        replaced.compiled(GAME, items, 1, item)


@native
def several_replaced(game, items, i, one, j, other):
    return replace(items, i, one, j, other), replace(items, 0, one, 1, other, i, items[j])


@pytest.mark.parametrize("mode", ["interpreted", "compiled"])
@pytest.mark.parametrize(("i", "j"), [(0, 2), (2, 0), (1, 1)])
def test_several_items_are_replaced_one_after_the_other(mode, i, j):
    one_by_one = replace(replace((1, 2, 3), i, 7), j, 8)
    moved = replace(replace(replace((1, 2, 3), 0, 7), 1, 8), i, (1, 2, 3)[j])
    assert getattr(several_replaced, mode)(GAME, (1, 2, 3), i, 7, j, 8) == (one_by_one, moved)


# ---- what Python has and Numba has not


class Steps(Anything):
    """Numbers by `yield`."""

    def steps(self, items):
        for x in items:
            yield x - 1


STEPS = Steps()


@native
def looped_over(game, items, b, n):
    large = [x > 1 for x in items]
    return (
        (any(items), all(items), any(range(n)), all(range(n)), any(large), all(large)),
        (any(b), all(b), sum(b), sum(items), max(items), min(items)),
        (any(game.steps(items)), all(game.steps(items)), sum(game.steps(items))),
        (any((n > 0, n > 5)), all((n > 0, n > 5))),
    )


@thorough
@given(st.tuples(*[st.integers(0, 2)] * 3), sets(81), st.integers(0, 9))
def test_any_all_and_sum_are_those_of_python(items, b, n):
    assert looped_over.compiled(STEPS, items, b, n) == looped_over.interpreted(STEPS, items, b, n)


# ---- all actions at once


class Yielded(Anything):
    """Actions by `yield` of every kind: in loops within loops, early ends, of helpers, and none."""

    most: int = 3

    def actions(self, s):
        if s.flag:
            return
        for q in s.small:
            yield q
            for k in range(self.most):
                if k == 2 and s.n < 0:
                    return
                if k % 2 == 0:
                    yield self.shifted(q, k)
        n = s.n
        while n > 0:
            n //= 2
            yield n

    def shifted(self, q, k):
        return q | k << 6


class Returned(Anything):
    def actions(self, s):
        return s.small


@native
def listed_by_row(game, s, row):
    return list_actions(game, s, row)


@native
def number(game, s):
    return number_of_actions(game, s)


@native
def picked(game, s, k):
    return nth_action(game, s, k)


@pytest.mark.parametrize("rules", [Yielded(), Yielded(most=1), Returned()], ids=str)
@thorough
@given(squares=sets(9), n=st.integers(-5, 1000), flag=st.booleans(), room=st.integers(0, 40))
def test_actions_are_listed_at_once(rules, squares, n, flag, room):
    s = GAME.initial()._replace(small=squares, n=n, flag=flag)
    expected = list(rules.actions(s))
    rows = np.full((2, room), -1)
    assert listed_by_row.interpreted(rules, s, rows[0]) == len(expected)
    assert listed_by_row.compiled(rules, s, rows[1]) == len(expected)
    assert rows[0].tolist() == rows[1].tolist() == [*expected[:room], *[-1] * (room - len(expected))]
    for mode in ("interpreted", "compiled"):
        assert getattr(number, mode)(rules, s) == len(expected)
        assert [getattr(picked, mode)(rules, s, k) for k in range(len(expected))] == expected
