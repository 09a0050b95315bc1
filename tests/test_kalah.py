"""Kalah: against a slow twin written from the rules, the values of the solved boards, and by hand."""

from functools import cache

import pytest

from counterplay import UnreadableText, games, search
from tests.references import perft_cases, random_states

pytestmark = pytest.mark.long

GAME = games.load("kalah")
CHEAP = 20_000

# Irving, Donkers and Uiterwijk, "Solving Kalah", ICGA Journal 23 (2000): for 1, 2, ... seeds a house, what the first
# player gets.
SOLVED = {1: "draw loss win loss win draw", 2: "win loss loss loss win win", 3: "draw win win win win loss"}
WORTH = {"win": 1.0, "draw": 0.0, "loss": -1.0}


# ---- the twin: lists of houses, a store for each side, a seed at a time


def twin_moves(sides, stores, turn, empty_capture=False):
    """What each move leads to, by house; nothing at the end."""
    if not all(map(any, sides)):
        return {}
    return {
        house: twin_result(sides, stores, turn, house, empty_capture)
        for house, seeds in enumerate(sides[turn])
        if seeds
    }


def twin_result(sides, stores, turn, house, empty_capture):
    sides, stores = [list(side) for side in sides], list(stores)
    hand, sides[turn][house] = sides[turn][house], 0
    side, again = turn, False
    while hand:
        house += 1
        again = False
        if house < len(sides[side]):
            sides[side][house] += 1
            hand -= 1
            continue
        if side == turn:
            stores[turn] += 1
            hand -= 1
            again = True
        side, house = 1 - side, -1
    if not again and side == turn and sides[turn][house] == 1:
        opposite = len(sides[turn]) - 1 - house
        if sides[1 - turn][opposite] or empty_capture:
            stores[turn] += sides[1 - turn][opposite] + 1
            sides[turn][house] = sides[1 - turn][opposite] = 0
    return tuple(map(tuple, sides)), tuple(stores), turn if again else 1 - turn


def twin_perft(sides, stores, turn, depth):
    if depth == 0:
        return 1
    return sum(twin_perft(*after, depth - 1) for after in twin_moves(sides, stores, turn).values())


def as_twin(game, s):
    n = game.houses
    pits = tuple(s.pits)
    return (pits[:n], pits[n + 1 : -1]), (pits[n], pits[-1]), s.turn


VARIATIONS = ["kalah", "kalah:empty_capture=true", "kalah:houses=3,seeds=9", "kalah:houses=1,seeds=5"]


@pytest.mark.parametrize("text", VARIATIONS)
def test_random_games_are_those_of_the_twin(text):
    game = games.load(text)
    for seed in range(20):
        for s in random_states(game, seed):
            theirs = twin_moves(*as_twin(game, s), game.empty_capture)
            assert {a: as_twin(game, game.result(s, a)) for a in game.actions(s)} == theirs, game.to_text(s)
            assert game.is_terminal(s) == (not theirs)
        (mine, theirs), stores, _ = as_twin(game, s)
        lead = stores[0] + sum(mine) - stores[1] - sum(theirs)
        assert game.utility(s, 0) == -game.utility(s, 1) == (lead > 0) - (lead < 0)


@pytest.mark.parametrize(("position", "counts"), list(perft_cases("kalah")))
def test_perft(position, counts):
    s = GAME.from_text(position)
    assert search.perft(GAME, s, max(counts))[1:] == list(counts.values())
    for depth, n in counts.items():
        if n <= CHEAP:
            assert twin_perft(*as_twin(GAME, s), depth) == n


# ---- what is known


@cache
def twin_value(houses, seeds, empty_capture):
    """The lead of the first player, by the twin; what is in the stores cannot change what is best."""

    @cache
    def lead(sides, turn):
        moves = twin_moves(sides, (0, 0), turn, empty_capture)
        if not moves:
            return sum(sides[0]) - sum(sides[1])
        return (max, min)[turn](stores[0] - stores[1] + lead(after, t) for after, stores, t in moves.values())

    return lead(((seeds,) * houses,) * 2, 0)


@pytest.mark.parametrize("houses", [1, 2, 3])
def test_the_twin_has_the_values_of_the_paper(houses):
    known = SOLVED[houses].split()
    for seeds in range(1, 7 if houses < 3 else 4):
        lead = twin_value(houses, seeds, True)
        assert (lead > 0) - (lead < 0) == WORTH[known[seeds - 1]]


@pytest.mark.slow
@pytest.mark.parametrize(("houses", "seeds"), [(1, 5), (2, 3), (3, 4), (3, 5), (3, 6)])
def test_solved_boards(houses, seeds):
    game = games.load(f"kalah:houses={houses},seeds={seeds},empty_capture=true")
    result = search.alphabeta(game)
    assert result.proven
    assert result.value == WORTH[SOLVED[houses].split()[seeds - 1]]


def test_a_small_board_is_solved():
    result = search.alphabeta(games.load("kalah:houses=2,seeds=2"))
    assert (result.value, result.proven) == (-1.0, True)


# ---- by hand


@pytest.mark.parametrize(
    ("moves", "pits", "turn"),
    [
        ("c", "[4,4,0,5,5,5,1,4,4,4,4,4,4,0]", 0),  # the last seed in the store: once more
        ("a", "[0,5,5,5,5,4,0,4,4,4,4,4,4,0]", 1),
        ("f a a", "[0,5,5,5,5,0,1,0,6,6,5,5,5,0]", 1),
        ("e a a", "[0,5,5,5,0,5,8,0,0,5,5,5,5,0]", 1),
    ],
)
def test_sowing(moves, pits, turn):
    assert GAME.to_text(GAME.at(moves.split()).state) == f"pits={pits} turn={turn}"


def test_a_capture_takes_the_seeds_opposite_and_the_last_one():
    s = GAME.from_text("pits=[0,0,1,0,0,5,20,0,0,7,0,0,0,15] turn=0")
    assert GAME.to_text(GAME.result(s, 2)) == "pits=[0,0,0,0,0,5,28,0,0,0,0,0,0,15] turn=1"
    assert GAME.is_terminal(GAME.result(s, 2))


@pytest.mark.parametrize(("empty_capture", "store", "house"), [(False, 20, 1), (True, 21, 0)])
def test_an_empty_capture_is_a_matter_of_taste(empty_capture, store, house):
    game = games.load(f"kalah:empty_capture={empty_capture}")
    s = game.result(game.from_text("pits=[0,0,1,0,0,5,20,7,0,0,0,0,0,15] turn=0"), 2)
    assert (s.pits[game.store(0)], s.pits[3]) == (store, house)


@pytest.mark.parametrize(
    "text",
    [
        "pits=[48,48,48,48,4,4,0,4,4,4,4,4,4,0] turn=0",
        "pits=[4,4,4,4,4,4,0,4,4,4,4,4,4,0] turn=2",
        "pits=[49,0,0,0,0,0,0,0,0,0,0,0,0,-1] turn=0",
    ],
)
def test_what_is_no_position_is_refused(text):
    with pytest.raises(UnreadableText):
        GAME.from_text(text)


@pytest.mark.parametrize("text", ["kalah:houses=0", "kalah:houses=27", "kalah:seeds=0"])
def test_parameters_that_make_no_board_are_refused(text):
    with pytest.raises(UnreadableText, match="kalah needs"):
        games.load(text)
