"""Every game of the package keeps its word, plays the same in both modes, and plays as it did before."""

import numpy as np
import pytest

from counterplay import games, mix64, native, state_key
from counterplay.native import native as make_native
from counterplay.search import new_random
from counterplay.search.playout import choose
from counterplay.study.check import examine
from tests import golden

NAMES = games.names()
VARIATIONS = [
    "bins:bins=[[-50,50],[1,3,3],[-5,15]],coin=true",
    "bins:opponent_is_random=true",
    "connect_four:rows=4,columns=5",
    "connect_four:rows=9,columns=8,connect=5",  # more than 64 squares
    "breakthrough:rows=5,columns=4",
    "matrix_game:(-1,-1) (-4,0); (0,-4) (-3,-3)",
    "go:size=3,ko=positional,suicide=true,most_moves=40",
    "kalah:houses=3,seeds=12,empty_capture=true",
    "nim:heaps=[1,2,3,1],misere=true",
    "othello:size=6,margin=true",
    "two_against_one:heaps=[2,3],most=2,as_team=true",
    "pig:players=3,goal=20",
    "tic_tac_toe:m=4,n=4,k=4",
    "tic_tac_toe:m=4,n=3,k=3",
    "tree:max[min[3,12],B:min[2,y:4],chance[0.9*10,0.1*-50]]",
    "tree:p1[p2[(1,2,3),(4,0,0)],p3[(2,2,2),chance[(0,0,1),(1,0,0)]]]",
]
HIDDEN = [name for name in NAMES if not games.load(name).perfect_information]
LARGE = ("backgammon", "chess", "go", "othello")  # compiling all that is examined takes longest
LONG = ("backgammon", "chess", "go", "othello", "othello:size=6,margin=true")  # so do their games, interpreted


def slow_if(condition, text):
    return pytest.param(text, marks=pytest.mark.slow if condition else pytest.mark.long if text in LARGE else [])


PLAYOUTS = 1_000
MOST_PLIES = 15_000  # of all these games together; where they are long there are fewer


@make_native
def fingerprints(game, s, random, hashes, utilities):
    """Play a random game for each of `hashes`, which mixes all its states, and write down everyone's utility."""
    end, plies = s, 0
    for i in range(len(hashes)):
        if plies > MOST_PLIES:
            break
        end, h = s, state_key(s)
        while not game.is_terminal(end):
            end = game.result(end, choose(game, end, random))
            h = mix64(h ^ state_key(end))
            plies += 1
        hashes[i] = h
        for p in range(game.players):
            utilities[i, p] = game.utility(end, p)
    return end


@pytest.mark.parametrize(
    ("text", "playouts"),
    [
        *((text, 20) for text in NAMES if text not in [*LARGE, *HIDDEN]),
        *(
            pytest.param(text, 6 if text in LONG else 20, marks=pytest.mark.slow)
            for text in [*LARGE, *HIDDEN, *VARIATIONS]
        ),
        *(pytest.param(text, 20, marks=pytest.mark.rare) for text in LONG),
    ],
)
def test_it_has_all_properties_and_agrees_in_both_modes(text, playouts):
    report = examine(games.load(text), playouts)
    assert report.ok, str(report)
    assert report.both_modes, str(report)
    assert report.games_played == playouts


@pytest.mark.parametrize("text", [slow_if(text in [*HIDDEN, *VARIATIONS], text) for text in NAMES + VARIATIONS])
def test_a_thousand_random_games_are_the_same_in_both_modes(text):
    game = games.load(text)

    def play():
        hashes, utilities = np.zeros(PLAYOUTS, np.int64), np.zeros((PLAYOUTS, game.players))
        end = fingerprints(game, game.initial(), new_random(7), hashes, utilities)
        return end, hashes, utilities

    with native.interpreted():
        slow_end, slow_hashes, slow_utilities = play()
    with native.compiled():
        fast_end, fast_hashes, fast_utilities = play()
    assert slow_end == fast_end
    assert type(slow_end) is type(fast_end)
    np.testing.assert_array_equal(slow_hashes, fast_hashes)
    np.testing.assert_array_equal(slow_utilities, fast_utilities)
    assert len(set(slow_hashes.tolist())) > 1, "random games differ from one another"


@pytest.mark.parametrize("name", NAMES)
def test_it_plays_as_it_did(name):
    assert golden.playthrough(name) == golden.path(name).read_text(encoding="utf-8"), "if meant: python tests/golden.py"


def test_every_playthrough_is_of_a_game():
    assert sorted(file.stem for file in golden.FOLDER.glob("*.txt")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_it_is_named_like_its_file_and_says_what_it_is(name):
    cls = games.load_class(name)
    assert cls.snake_name() == name
    assert games.load(name).name == name
    assert vars(cls).get("__doc__"), "the class says how the game goes"


@pytest.mark.parametrize("text", NAMES + VARIATIONS)
def test_its_texts_load_it_again(text):
    game = games.load(text)
    assert games.load(str(game)) == game
    assert hash(games.load(str(game))) == hash(game)
