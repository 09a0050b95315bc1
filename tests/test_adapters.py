"""Our games in other people's libraries, by their own tests; OpenSpiel's games as ours."""

import sys
from collections import Counter
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest

from counterplay import Game, UserError, arena, games, native, search

pytestmark = pytest.mark.long

# With and without chance, of two players and three, with actions of small numbers and of huge ones.
GAMES = ["tic_tac_toe", "connect_four", "pig:goal=20", "two_against_one", "backgammon"]

needs_open_spiel = pytest.mark.skipif(
    find_spec("pyspiel") is None,
    reason="needs OpenSpiel (pip install 'counterplay[peers]')",
)


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


# ---- numbers of actions


@pytest.mark.parametrize(
    ("name", "size", "is_own"),
    [("tic_tac_toe", 9, True), ("connect_four", 7, True), ("othello", 64, True), ("backgammon", None, False)],
)
def test_actions_have_numbers(name, size, is_own):
    from counterplay.apps.adapters.numbering import Numbering

    game = games.load(name)
    numbering = Numbering(game)
    assert numbering.is_own == is_own
    assert size in (None, numbering.size)
    s = game.initial()
    legal = numbering.legal(s)
    assert sorted(legal.values()) == sorted(int(a) for a in game.actions(s))
    assert list(np.flatnonzero(numbering.mask(s))) == list(legal)
    if is_own:
        assert all(i == a for i, a in legal.items())


def test_an_action_that_random_games_did_not_show_is_told(monkeypatch):
    from counterplay.apps.adapters import numbering

    game = games.load("tic_tac_toe")
    monkeypatch.setattr(numbering, "_looked_at", lambda game: (Counter({7: 20}), 9, 9))
    assert numbering.Numbering(game).size == 8
    with pytest.raises(UserError, match="has an action 8: say how many numbers there are by `actions`"):
        numbering.Numbering(game).legal(game.initial())
    assert list(numbering.Numbering(game, 9).legal(game.initial())) == list(range(9))


# ---- Gymnasium


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gymnasium_is_content(name):
    pytest.importorskip("gymnasium", reason="needs Gymnasium (pip install 'counterplay[gym]')")
    from gymnasium.utils.env_checker import check_env

    from counterplay.apps.adapters.gymnasium import GameEnv

    check_env(GameEnv(name, seat=None), skip_render_check=True)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_one_seat_of_a_game():
    gymnasium = pytest.importorskip("gymnasium", reason="needs Gymnasium (pip install 'counterplay[gym]')")
    from counterplay.apps.adapters.gymnasium import GameEnv

    env = gymnasium.make("Counterplay-v0", game="tic_tac_toe", opponent="alphabeta:depth=9", render_mode="ansi", seat=1)
    seen, info = env.reset(seed=3)
    assert seen.sum() > 0  # the opponent has moved
    assert info["seat"] == 1
    assert info["action_mask"].sum() == 8
    rewards, is_over = [], False
    while not is_over:
        s = env.unwrapped._states[-1]
        a = search.alphabeta(env.unwrapped.game, s).action
        assert env.unwrapped.game.show(s) == env.render()
        _, reward, is_over, truncated, info = env.step(a)
        rewards.append(reward)
        assert not truncated
    assert set(rewards) == {0.0}  # a draw between equals
    assert not info["action_mask"].any()
    with pytest.raises(UserError, match="reset the environment"):
        env.unwrapped.step(0)
    env.close()

    env = GameEnv("tic_tac_toe")
    env.reset(seed=1)
    env.step(0)
    assert env.step(0)[1:3] == (env.game.utility_range[0], True)  # what is not legal loses
    for wrong in ({"opponent": ["random", "random"]}, {"seat": 2}):
        with pytest.raises(UserError, match="seats 0 to 1"):
            GameEnv("tic_tac_toe", **wrong)
    with pytest.raises(UserError, match="there is no player 'nobody'"):
        GameEnv("tic_tac_toe", "nobody")


# ---- PettingZoo


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pettingzoo_is_content(name):
    pytest.importorskip("pettingzoo", reason="needs PettingZoo (pip install 'counterplay[pettingzoo]')")
    from pettingzoo.test import api_test, seed_test

    from counterplay.apps.adapters.pettingzoo import env

    api_test(env(name), num_cycles=60)
    seed_test(lambda: env(name), num_cycles=20)


def test_all_seats_of_a_game():
    pytest.importorskip("pettingzoo", reason="needs PettingZoo (pip install 'counterplay[pettingzoo]')")
    from counterplay.apps.adapters.pettingzoo import GameAEC

    env, game = GameAEC("tic_tac_toe", render_mode="ansi"), games.load("tic_tac_toe")
    env.reset()
    for ply, a in enumerate((0, 3, 1, 4, 2)):
        assert env.agent_selection == f"player_{ply % 2}"
        assert env.observe(env.agent_selection)["action_mask"].sum() == 9 - ply
        env.step(a)
    assert env.rewards["player_0"] == -env.rewards["player_1"] > 0
    assert all(env.terminations.values())
    assert env.render() == game.show(game.at("a3 a2 b3 b2 c3").state)
    env.reset()
    env.step(0)
    with pytest.raises(UserError, match="is not legal here"):
        env.step(0)
    env.close()


# ---- OpenSpiel


@needs_open_spiel
@pytest.mark.parametrize("name", GAMES)
def test_openspiel_is_content(name, capfd):
    import pyspiel

    from counterplay.apps.adapters.openspiel import to_openspiel

    game = to_openspiel(name)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
    assert pyspiel.load_game(game.get_type().short_name).num_distinct_actions() == game.num_distinct_actions()


@needs_open_spiel
def test_its_algorithms_solve_our_games():
    from open_spiel.python.algorithms import minimax

    from counterplay.apps.adapters.openspiel import to_openspiel

    for text in ("nim:heaps=1,2,2", "nim:heaps=1,2,3"):
        value, _ = minimax.alpha_beta_search(to_openspiel(text))
        assert value == search.alphabeta(games.load(text)).value


@needs_open_spiel
def test_our_searches_solve_its_games():
    theirs, ours = games.load("openspiel:nim(pile_sizes=1;2;2)"), games.load("nim:heaps=1,2,2")
    assert search.minimax(theirs).value == search.alphabeta(theirs).value == search.alphabeta(ours).value
    game = games.load("openspiel:pig(winscore=6,horizon=20)")
    assert game.chance
    assert search.expectiminimax(game, depth=4).action is not None
    assert arena.match(games.load("openspiel:hex(board_size=3)"), ("alphabeta:depth=2", "random"), 2).games == 2


@needs_open_spiel
@pytest.mark.parametrize(
    "text", ["tic_tac_toe", "breakthrough(rows=4,columns=3)", "pig(horizon=30)", "kuhn_poker", "matrix_pd"]
)
def test_its_games_are_games(text):
    """Its rules, asked through ours, say the same of random games."""
    import pyspiel

    game = games.load(f"openspiel:{text}")
    assert isinstance(game, Game)
    theirs, random = game.spiel.new_initial_state(), search.new_random(1)
    s = game.initial()
    assert (game.to_text(s), game.from_text("start")) == ("start", s)
    while not theirs.is_terminal():
        assert (game.is_terminal(s), game.player(s)) == (False, theirs.current_player())
        assert list(game.actions(s)) == theirs.legal_actions()
        assert game.show(s) == str(theirs).rstrip("\n")
        assert len({game.action_name(s, a) for a in game.actions(s)}) == len(game.actions(s))
        if theirs.is_chance_node():
            assert {a: game.probability(s, a) for a in game.actions(s)} == dict(theirs.chance_outcomes())
        else:
            assert len(game.information(s, 0)) == 1
        a = int(search.random_action(game, s, random))
        theirs.apply_action(a)
        s = game.result(s, a)
        assert game.from_text(game.to_text(s)) == s
    assert game.is_terminal(s)
    assert [game.utility(s, p) for p in range(game.players)] == theirs.returns()
    is_open = game.spiel.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION
    assert game.perfect_information == is_open


@needs_open_spiel
def test_what_is_forgotten_is_made_again(monkeypatch):
    monkeypatch.setattr("counterplay.games._openspiel.MOST_KEPT", 2)
    assert search.minimax(games.load("openspiel:nim(pile_sizes=1;2)")).value == 1.0


@needs_open_spiel
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("openspiel:breakthru", "OpenSpiel has no game 'breakthru'; did you mean breakthrough?"),
        ("openspiel:hex(bard=3)", "does not load 'hex.bard=3.': .*board_size"),
        ("openspiel:mfg_crowd_modelling", "cannot be played here"),
    ],
)
def test_games_that_it_has_not_are_one_line(text, message):
    with pytest.raises(UserError, match=message):
        games.load(text)


@needs_open_spiel
def test_positions_that_cannot_be_are_refused():
    game = games.load("openspiel:tic_tac_toe")
    for text, message in (("4,x", "numbers of the actions"), ("4,4", "4 is not legal after 4")):
        with pytest.raises(UserError, match=message):
            game.from_text(text)
    with pytest.raises(UserError, match="nothing hidden"):
        search.alphabeta(games.load("openspiel:kuhn_poker"), depth=2)


@needs_open_spiel
def test_its_bots_play_its_games():
    game = games.load("openspiel:breakthrough(rows=4,columns=3)")
    assert arena.match(game, ("alphabeta:depth=1", "openspiel:mcts,simulations=20"), 2, opening_plies=2).games == 2


def test_hidden_games_are_not_told():
    from counterplay.apps.adapters.numbering import inputs_of, must_be_open

    class Hidden(games.load_class("tic_tac_toe")):
        def information(self, s, p):
            return (p,)

    with pytest.raises(UserError, match="nothing hidden"):
        must_be_open(Hidden(), "nobody")
    game = games.load("tic_tac_toe")
    assert inputs_of(game, game.at("b2").state).sum() > 0


def test_what_is_not_installed_is_told(monkeypatch):
    for library in ("pyspiel", "gymnasium", "pettingzoo"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UserError, match=r"pip install 'counterplay\[peers\]'"):
        games.load("openspiel:hex")
    with pytest.raises(UserError, match=r"pip install 'counterplay\[peers\]'"):
        arena.new_player(games.load("tic_tac_toe"), "openspiel:mcts,simulations=10")
    for adapter, extra in (("gymnasium", "gym"), ("pettingzoo", "pettingzoo"), ("openspiel", "peers")):
        name = f"counterplay.apps.adapters.{adapter}"
        monkeypatch.delitem(sys.modules, name, raising=False)
        with pytest.raises(ImportError, match=f"pip install 'counterplay.{extra}.'"):
            import_module(name)
