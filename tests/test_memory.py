"""Memory: numbers that compiled rules read as they are at that moment; games extended by functions over them."""

import copy
import pickle
import threading
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pytest
from numba import types

from counterplay import Game, Memory, UserError, games, native, search
from counterplay.native import CannotCompile, source
from counterplay.native.games import entry, typeof_game
from tests.both_modes import both_modes
from tests.pile import python


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, tmp_path):
    """Each test begins with an empty cache and no switches, whatever the suite runs with."""
    for name in ("COUNTERPLAY_INTERPRETED", "COUNTERPLAY_QUIET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COUNTERPLAY_CACHE_DIR", str(tmp_path / "cache"))


class Race(Game):
    """Two add 1 to 3 to a sum, to `length`; what a sum is worth is for others to say."""

    length: int = 12

    class State(NamedTuple):
        total: int
        turn: int

    utility_range = (-1000.0, 1000.0)

    def initial(self):
        return self.State(0, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return range(1, min(3, self.length - s.total) + 1)

    def result(self, s, a):
        return self.State(s.total + a, 1 - s.turn)

    def is_terminal(self, s):
        return s.total == self.length

    def utility(self, s, p):
        return -1.0 if s.turn == p else 1.0

    @property
    def first(self):
        return 1


def weighted(self, s, p):
    """What the weights say of the sum."""
    v = self.weights[s.total]
    return v if p == 0 else -v


def learned(weights):
    return Race().extended(evaluate=weighted, weights=Memory(weights))


# ---- what a search sees


def best_of_two_plies(weights):
    """Minimax by hand: sums of 2 to 6 after two plies, MAX first."""
    return max(min(weights[a + b] for b in (1, 2, 3)) for a in (1, 2, 3))


@pytest.mark.parametrize("look", [search.minimax, search.alphabeta])
def test_every_search_sees_the_weights_of_that_moment_and_nothing_is_compiled_twice(look, capsys):
    weights, random = np.zeros(13), np.random.default_rng(1)
    game = learned(weights)
    for round in range(1000):
        weights[:] = random.normal(size=13)
        with native.compiled():
            assert look(game, depth=2).value == best_of_two_plies(weights)
        if round % 20 == 0:
            with native.interpreted():
                assert look(game, depth=2).value == best_of_two_plies(weights)
    compiled = [line for line in capsys.readouterr().err.splitlines() if "compiling" in line]
    assert len(compiled) == len(set(compiled)), compiled


@native.native
def estimate(game, s):
    return game.evaluate(s, 0)


def test_another_game_of_the_same_kind_runs_by_the_same_machine_code(capsys):
    start = Race().initial()
    assert estimate.compiled(learned(np.full(13, 2.0)), start) == 2.0
    before = len(entry(estimate.__wrapped__).overloads)
    capsys.readouterr()
    for number in (3.0, 4.0):
        assert estimate.compiled(learned(np.full(13, number)), start) == number
    assert capsys.readouterr().err == ""
    assert len(entry(estimate.__wrapped__).overloads) == before


def test_the_type_of_a_game_keeps_no_memory_alive():
    weights = np.full(13, 2.0)
    game = learned(weights)
    estimate.compiled(game, game.initial())
    assert all(each.address == 0 for each in typeof_game(game).game.memories.values())


def test_machine_code_from_disk_reads_the_numbers_of_its_own_process(tmp_path):
    code = """
        import sys
        import numpy as np
        from counterplay import Memory, games, search

        def weighted(self, s, p):
            return self.weights[s.heaps[0]] if p == 0 else -self.weights[s.heaps[0]]

        weights = np.full(10, float(sys.argv[1]))     # a global of the name by which the rules know the memory
        game = games.load("nim").extended(evaluate=weighted, weights=Memory(weights))
        print(search.minimax(game, depth=1).value)
        weights += 0.25
        print(search.minimax(game, depth=1).value)
    """
    first, second = (python(tmp_path, code, number) for number in ("0.125", "0.5"))
    assert first.stdout.split() == ["0.125", "0.375"]
    assert second.stdout.split() == ["0.5", "0.75"]
    assert "compiling" in first.stderr
    assert second.stderr == ""


def test_threads_with_different_weights_do_not_disturb_each_other():
    total(learned(np.zeros(13)), 1)
    found = {}

    def work(number):
        weights = np.full(13, float(number))
        found[number] = {total(learned(weights), 100_000) for _ in range(20)}

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: {100_000.0 * n} for n in range(1, 5)}


@native.native
def total(game, n):
    v = 0.0
    for i in range(n):
        v += game.weights[i % 13]
    return v


# ---- numbers and indices


@native.native
def every_number(game, memory):
    v = 0.0
    for i in range(game.table.shape[0]):
        for j in range(game.table.shape[1]):
            v = v * 3.7 + game.table[i, j] / 7 + memory[j]
    return v, len(game.table), game.table.shape, game.table[1, True]


KINDS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float32", "float64"]


@pytest.mark.parametrize("dtype", KINDS)
def test_both_modes_read_the_same_number_whatever_its_kind(dtype):
    random = np.random.default_rng(2)
    numbers = random.normal(size=(5, 3)) * 100
    table = np.ascontiguousarray(np.abs(numbers) if dtype[0] == "u" else numbers).astype(dtype)
    game = Race().extended(table=Memory(table))
    value, length, shape, one = both_modes(lambda: every_number(game, Memory(table[2])))
    assert (length, shape, one) == (5, (5, 3), table[1, 1].item())
    assert type(one) is type(table[1, 1].item())
    assert isinstance(value, float)


@native.native
def put(game, memory, i, x):
    memory[i] = x
    memory[i] += 1
    return memory[i]


@pytest.mark.parametrize(
    ("dtype", "x"), [("float32", 0.1), ("float32", 2**60 + 2**35 + 1), ("float64", 7), ("int8", -9), ("uint32", True)]
)
def test_both_modes_store_the_same_number(dtype, x):
    """2**60 + 2**35 + 1 lies just above the middle of two floats of 32 bits, and in the middle if rounded before."""

    def work():
        array = np.zeros(3, dtype)
        return put(Race(), Memory(array), 2, x), array.tolist()

    both_modes(work)


@native.native
def at(game, i):
    return game.weights[i]


@native.native
def at_two(game, i, j):
    return game.weights[i, j]


@pytest.mark.parametrize("index", [-1, 13, 99])
def test_an_index_outside_is_an_error_when_interpreted(index):
    with pytest.raises(IndexError, match="an index is outside its Memory"):
        at.interpreted(learned(np.zeros(13)), index)
    with pytest.raises(IndexError, match="an index is outside its Memory"):
        Memory(np.zeros(3))[index] = 1.0


def test_with_bounds_checked_an_index_outside_is_an_error_when_compiled(tmp_path):
    code = """
        import numpy as np
        from counterplay import Memory, games
        from counterplay.native import native

        @native
        def read(game, i):
            return game.weights[i]

        @native
        def write(game, memory, i, j):
            memory[i, j] = 1

        game = games.load("nim").extended(weights=Memory(np.arange(5.0)))
        table = Memory(np.zeros((3, 4), np.int8))
        print(read.compiled(game, 4))
        write.compiled(game, table, 2, 3)
        print(table.array.sum())
        for call in (lambda: read.compiled(game, -1), lambda: read.compiled(game, 5),
                     lambda: write.compiled(game, table, 0, 4), lambda: write.compiled(game, table, -1, 2)):
            try:
                call()
            except IndexError as error:
                print(error)
    """
    out = python(tmp_path, code, NUMBA_BOUNDSCHECK="1").stdout.splitlines()
    assert out == ["4.0", "1", *["an index is outside its Memory"] * 4]


def test_a_file_mapped_into_memory_is_a_memory(tmp_path):
    np.save(tmp_path / "table.npy", np.arange(13.0))
    table = np.load(tmp_path / "table.npy", mmap_mode="r")
    assert both_modes(lambda: at(learned(table), 7)) == 7.0


@pytest.mark.parametrize(
    ("use", "reason"),
    [
        (lambda: put.compiled(Race(), Memory(read_only_array()), 0, 1.0), "a Memory of a read-only array cannot be"),
        (
            lambda: put.compiled(Race(), Memory(np.zeros(3, np.int8)), 0, 1.0),
            "of type int cannot hold one",
        ),
        (lambda: at_two.compiled(learned(np.zeros(13)), 1, 2), "a Memory of 1 dimensions has as many indices, not 2"),
        (lambda: at.compiled(learned(np.zeros(13)), 1.5), "a Memory is read by whole numbers"),
        (lambda: of_the_module.compiled(Race(), 1), "a Memory must belong to the game, or be an argument"),
        (lambda: of_another.compiled(Race(), 1), "a Memory can be reached only through a game that is an argument"),
        (
            lambda: at.compiled(Made(), 1),
            "a Memory made by a property cannot be compiled: give it by",
        ),
        (lambda: bias.compiled(Biased()), "a property of the game reads memory, which may change: make it a method"),
    ],
)
def test_what_memory_cannot_do_compiled_is_said_in_one_line(use, reason):
    with pytest.raises(CannotCompile, match=reason) as caught:
        use()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("array", "error"), [("read only", ValueError), ("int8", TypeError)])
def test_what_cannot_be_written_cannot_be_written_interpreted(array, error):
    memory = Memory(read_only_array() if array == "read only" else np.zeros(3, array))
    with pytest.raises(error):
        memory[0] = 1.5


def read_only_array():
    array = np.zeros(13)
    array.flags.writeable = False
    return array


HERE = Memory(np.zeros(3))
LEARNED = learned(np.zeros(13))


@native.native
def of_the_module(game, i):
    return HERE[i]


@native.native
def of_another(game, i):
    return LEARNED.weights[i]


class Made(Race):
    @cached_property
    def weights(self):
        return Memory(np.zeros(13))


class Biased(Race):
    weights = Memory(np.ones(13))

    @property
    def bias(self):
        return self.weights[0]


@native.native
def bias(game):
    return game.bias


def test_a_memory_may_be_an_attribute_of_the_class_or_a_parameter():
    class Parametrised(Race):
        weights: Memory = Memory(np.zeros(13))

    assert both_modes(lambda: at(Biased(), 3)) == 1.0
    weights = np.arange(13.0)
    game = Parametrised(weights=Memory(weights))
    assert both_modes(lambda: at(game, 3)) == 3.0
    assert game == Parametrised(weights=Memory(weights)) != Parametrised()


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        ([1.0, 2.0], "made of a NumPy array, not of list"),
        (np.array(1.0), "made of a NumPy array"),
        (np.zeros(3, np.uint64), "not uint64"),
        (np.zeros(3, "f4,i4"), "a Memory has numbers of"),
        (np.zeros((4, 4))[:, 1], "in one piece"),
        (np.zeros(3, ">f8"), "in one piece"),
    ],
)
def test_what_is_no_memory_is_refused(array, reason):
    with pytest.raises(TypeError, match=reason):
        Memory(array)


def test_the_array_is_not_copied_and_equality_is_of_the_place():
    array = np.zeros((2, 3))
    memory = Memory(array)
    memory[1, 2] = 5.0
    assert array[1, 2] == 5.0
    assert memory == Memory(array) != Memory(array.copy())
    assert hash(memory) == hash(Memory(array))
    assert memory != Memory(array.reshape(3, 2))
    assert (repr(memory), len(memory), memory.shape) == ("Memory(float64[2, 3])", 2, (2, 3))


# ---- the fingerprint


def test_the_fingerprint_is_of_the_kind_not_of_the_numbers():
    marks = {
        name: source.fingerprint(learned(array))
        for name, array in {
            "zeros": np.zeros(13),
            "ones": np.ones(13),
            "float32": np.zeros(13, np.float32),
            "longer": np.zeros(14),
            "square": np.zeros((13, 13)),
            "read only": read_only_array(),
        }.items()
    }
    assert marks.pop("zeros") == marks["ones"]
    assert len(set(marks.values())) == 5


def test_a_global_is_no_part_of_the_fingerprint_because_an_attribute_has_its_name():
    scope = {"weights": np.zeros(3)}
    exec("def f(self): return self.weights[0]", scope)
    before = source.fingerprint(scope["f"])
    scope["weights"][0] = 1.0
    assert source.fingerprint(scope["f"]) == before


# ---- extended games


def doubled(self, s, p):
    return 2 * weighted(self, s, p)


def test_an_extended_game_is_the_game_with_other_rules():
    weights, other = Memory(np.zeros(13)), Memory(np.ones(13))
    game = Race(length=10).extended(evaluate=weighted, weights=weights)
    assert isinstance(game, Race)
    assert (str(game), game.name, game.settings, game.players) == ("race:length=10", "race", {"length": 10}, 2)
    assert repr(game) == "Race(length=10).extended(evaluate=weighted, weights=Memory(float64[13]))"
    assert game.knows.evaluate
    assert not Race().knows.evaluate
    assert game == Race(length=10).extended(weights=weights, evaluate=weighted)
    assert hash(game) == hash(Race(length=10).extended(weights=weights, evaluate=weighted))
    differing = [
        Race(length=10),
        Race(length=11).extended(evaluate=weighted, weights=weights),
        game.extended(weights=other),
        game.extended(evaluate=doubled),
        game.extended(first=3),
    ]
    assert all(each != game for each in differing)
    assert len({game, *differing}) == 6
    assert game.extended() is game


def test_an_extended_game_may_be_extended_again():
    game = Race().extended(evaluate=weighted).extended(weights=Memory(np.ones(13)))
    assert type(game) is type(learned(np.zeros(13)))
    assert both_modes(lambda: estimate(game, game.initial())) == 1.0
    assert both_modes(lambda: estimate(game.extended(evaluate=doubled), game.initial())) == 2.0


@native.native
def sum_of_constants(game, s):
    return game.first + game.zero_for_each[1] + game.opponents_policy(s, 2)


def test_constants_and_new_rules_may_be_given_too():
    """As expectimax does with the opponents' policy."""

    def policy(game, s, a):
        return game.length * a

    game = Race().extended(first=100, zero_for_each=(0.0, 0.5), opponents_policy=policy)
    assert both_modes(lambda: sum_of_constants(game, game.initial())) == 124.5
    other = Race().extended(first=200, zero_for_each=(0.0, 0.5), opponents_policy=policy)
    assert type(other) is type(game)
    assert both_modes(lambda: sum_of_constants(other, game.initial())) == 224.5
    decorated = game.extended(opponents_policy=native.native(policy))
    assert both_modes(lambda: sum_of_constants(decorated, game.initial())) == 124.5


def test_any_callable_is_a_rule_though_it_may_not_compile():
    class Policy:
        def __call__(self, game, s, a):
            return 7

    game = Race().extended(zero_for_each=(0.0, 0.5), opponents_policy=Policy())
    assert sum_of_constants(game, game.initial()) == 8.5


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"length": 3}, r"'length' is a parameter: make another game with Race\(length=...\)"),
        ({"evaluate": 3}, "'evaluate' is a rule: give a function"),
        ({"players": weighted}, "'players' of race is no function"),
        ({"evalaute": weighted}, "is 'evalaute' meant to be 'evaluate'"),
        ({"evaluate": lambda s, p: 0.0}, r"a function for 'evaluate' takes \(self, s, p\)"),
        ({"weights": np.zeros(3)}, r"'weights' is a NumPy array: give Memory\(array\)"),
        ({"weights": [1, 2]}, "'weights' is a list, which may change: give a tuple"),
        ({"knows": 1}, "'knows' cannot be given"),
        ({"_x": 1}, "'_x' cannot be given"),
        ({"Move": int}, "'Move' is a class"),
    ],
)
def test_what_does_not_extend_a_game_is_refused(members, reason):
    with pytest.raises(UserError, match=reason):
        Race().extended(**members)


def test_games_with_memory_can_be_copied_and_pickled_after_they_were_compiled():
    game = learned(np.full(13, 6.0))
    estimate.compiled(game, game.initial())
    assert copy.copy(game) == game
    again = pickle.loads(pickle.dumps(game))
    assert again != game  # it has numbers of its own
    game.weights[0] = 1.0
    assert estimate.compiled(again, game.initial()) == 6.0
    assert estimate.compiled(copy.copy(game), game.initial()) == 1.0


def test_what_was_computed_before_is_computed_anew():
    class Cached(Race):
        @cached_property
        def twice(self):
            return 2 * self.evaluate(self.initial(), 0)

    game = Cached()
    assert (game.twice, game.extended(evaluate=lambda self, s, p: 5.0).twice) == (0.0, 10.0)


# ---- arrays that are constants


GLOBAL = np.arange(4)


class Tabled(Race):
    before = np.arange(4)
    window = before[:2]
    table = before.reshape(2, 2)

    @cached_property
    def computed(self):
        return np.arange(4)[1:]


@native.native
def from_tables(game):
    return game.table[0, 1] + game.computed[0] + GLOBAL[1]


def test_an_array_that_compiled_rules_hold_cannot_be_changed():
    original = Tabled.before
    game = Tabled()
    assert both_modes(lambda: from_tables(game)) == 3
    for array in (game.table, original, Tabled.window, game.computed, game.computed.base, GLOBAL, GLOBAL[1:]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    assert both_modes(lambda: from_tables(game)) == 3


def test_a_view_of_a_class_attribute_that_was_made_before_changes_neither_mode():
    numbers = np.arange(4)
    view = numbers[:]

    class Viewed(Tabled):
        table = numbers.reshape(2, 2)

    view[1] = 9
    assert both_modes(lambda: from_tables(Viewed())) == 3


def test_the_type_of_a_memory_is_like_that_of_its_twin():
    """What is read is what Python has: one size of float, one of integer."""
    at.compiled(learned(np.zeros(13, np.float32)), 0)
    signatures = entry(at.__wrapped__).nopython_signatures
    assert types.float64 in {signature.return_type for signature in signatures}


def test_games_of_the_house_can_be_extended():
    for name in ("connect_four", "chess", "backgammon"):
        game = games.load(name)
        changed = game.extended(evaluate=weighted, weights=Memory(np.zeros(3)))
        assert (str(changed), changed.settings, changed.initial()) == (name, game.settings, game.initial())
