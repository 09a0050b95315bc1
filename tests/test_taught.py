"""Models that are taken by themselves: by which commands and searches, how to do without, and who says which it was."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from counterplay import UserError, games, learn, native, search
from counterplay.arena import ladder
from counterplay.arena.ladder import Rung
from counterplay.arena.players import new_player, taught
from counterplay.games import othello
from counterplay.learn import shelf
from tests.talk import new_dispatcher, run_engine, talk

pytestmark = pytest.mark.long

NEARLY_OVER = "xxxxxx../.xxxxxxx/xxxxxoxo/xxxxoxo./xxoooooo/xoxooooo/xxxooooo/x.xo.xxx x"


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


@pytest.fixture
def shipped():
    """What is told of the model that comes with Othello."""
    return learn.shipped(games.load("othello")).as_dict()


@pytest.fixture
def mine(tmp_path):
    """A model for Othello that thinks of nothing but mobility."""
    model = learn.Linear(games.load("othello"), features="terms")
    model.weights["weights"][0] = 3.0
    file = tmp_path / "mine.safetensors"
    learn.save(model, file)
    return file


# ---- which model, and for whom


def test_the_shelf_says_which_games_take_their_model():
    assert shelf.STRONGER.keys() <= {each.game for each in shelf.on_the_shelf()}
    for name, measured in shelf.STRONGER.items():
        game = games.load(name)
        assert "games" in measured
        assert shelf.usual(game, search.best_for(game)) == "shipped"
        assert shelf.usual(game, "mcts") is None  # it plays on to the end
        assert learn.model_of(shelf.with_usual(game, search.best_for(game))).as_dict()["name"] == "shipped"
    for other in ("othello:size=4", "nim"):
        game = games.load(other)
        assert not shelf.has_shipped(game)
        assert shelf.with_usual(game, "alphabeta") is game


def test_a_game_of_yours_takes_no_model_of_ours_whatever_it_is_called(tmp_path):
    own = tmp_path / "othello.py"
    own.write_text(Path(othello.__file__).read_text())
    game = games.load(str(own))
    assert str(game) == "othello"
    assert shelf.usual(game, "alphabeta") is None
    assert not shelf.has_shipped(game)


def test_a_game_knows_whose_estimate_it_has(mine, shipped):
    game = games.load("othello")
    assert learn.model_of(game) is None
    model = learn.shipped(game)
    clever = game.with_model(model)
    assert learn.model_of(clever) is model
    assert shipped == {"name": "shipped", "kind": model.kind, "games": model.played}
    other = shelf.with_usual(game.with_model(learn.load(mine, game)), "alphabeta")  # it has one already
    assert learn.model_of(other).name == str(mine)
    assert learn.model_of(clever.extended(evaluate=lambda self, s, p: 0.0)) is None


def test_players_take_the_usual_model_unless_they_say_otherwise():
    game = games.load("othello")
    for text, told in {
        "alphabeta": "alphabeta:model=shipped",
        "alphabeta:depth=3": "alphabeta:depth=3,model=shipped",
        "alphabeta:depth=3,model=x": "alphabeta:depth=3,model=x",
        "alphabeta:depth=3,without=model": "alphabeta:depth=3,without=model",
        "alphabeta:depth=3,without=model+killers": "alphabeta:depth=3,without=model+killers",
        "alphabeta:depth=3,without=killers": "alphabeta:depth=3,without=killers,model=shipped",
        "alphabeta:what": "alphabeta:what",
        "mcts:simulations=5": "mcts:simulations=5",
        "level:5": "level:5",
        "random": "random",
        "nobody": "nobody",
    }.items():
        assert taught(game, text) == told
    assert taught(games.load("nim"), "alphabeta:depth=3") == "alphabeta:depth=3"


def test_without_a_model_a_player_is_as_if_there_were_none():
    game, states = games.load("othello"), [games.load("othello").at("d3 c5 d6").state]
    clever = game.with_model(learn.shipped(game))
    plain = new_player(game, "alphabeta:depth=1").search(states).value
    assert new_player(clever, "alphabeta:depth=1").search(states).value != plain
    for text in ("alphabeta:depth=1,without=model", "alphabeta:depth=1,without=model+killers"):
        assert new_player(clever, text).search(states).value == plain
    assert new_player(clever, "mcts:simulations=3,without=model").search(states).game == game
    with pytest.raises(UserError, match="has a model, and does without it"):
        new_player(game, "alphabeta:depth=1,model=shipped,without=model")
    with pytest.raises(UserError, match="there is no setting 'without'"):
        new_player(game, "mcts:simulations=3,without=killers")


def test_a_model_that_speaks_of_moves_leads_the_tree_of_its_player(tmp_path):
    game, file = games.load("tic_tac_toe"), tmp_path / "moves.safetensors"
    learn.save(learn.DualNetwork(game, hidden=16, alike=True), file)
    for text, settings in {
        f"mcts:simulations=3,model={file}": {"puct": 1.5, "cutoff": 0, "solver": True},
        f"mcts:simulations=3,puct=3,solver=false,model={file}": {"puct": 3, "cutoff": 0},
        "mcts:simulations=3": {},
    }.items():
        found = new_player(game, text).search([game.initial()]).settings
        assert {name: found[name] for name in ("puct", "cutoff", "solver") if name in found} == settings
    assert new_player(game, f"alphabeta:depth=1,model={file}").search([game.initial()]).depth == 1


# ---- commands


def test_searches_say_which_model_estimated(answer, counterplay, mine, shipped):
    game = games.load("othello")
    clever = game.with_model(learn.shipped(game))
    found = answer("search", "othello", "--depth", 1)
    assert found["model"] == shipped
    assert found["value"] == search.alphabeta(clever, depth=1).value
    plain = answer("search", "othello", "--depth", 1, "--without", "model,killers")
    assert "model" not in plain
    assert plain["without"] == ["killers"]
    assert plain["value"] == search.alphabeta(game, depth=1).value
    assert answer("search", "othello", "--depth", 1, "--model", mine)["model"]["name"] == str(mine)
    assert answer("search", "othello", "--depth", 1, "--algorithm", "minimax")["value"] == found["value"]
    assert "model" not in answer("search", "othello", "--algorithm", "mcts", "--simulations", 2)
    _, out, _ = counterplay("search", "othello", "--depth", 1)
    what = f"({shipped['kind']}, {shipped['games']:,} games)"
    assert f"estimates: the model that comes with the game {what}; --without model does without" in out
    _, out, _ = counterplay("search", "othello", "--depth", 1, "--model", mine)
    assert f"estimates: {mine} (linear, 0 games)" in out


def test_what_is_proven_needs_no_model(answer, counterplay):
    for command in ("search", "solve"):
        assert answer(command, "othello", "--position", NEARLY_OVER)["proven"]
    assert "model" not in answer("solve", "othello", "--position", NEARLY_OVER)
    assert "estimates:" not in counterplay("search", "othello", "--position", NEARLY_OVER)[1]


def test_analyses_say_it_too(answer, counterplay, tmp_path, monkeypatch, shipped):
    monkeypatch.chdir(tmp_path)
    _, out, _ = counterplay("analyse", "othello", "--depth", 1, "--json")
    assert json.loads(out.splitlines()[-1])["model"] == shipped
    assert "estimates: the model" in counterplay("analyse", "othello", "--depth", 1)[1]
    assert "estimates:" not in counterplay("analyse", "othello", "--depth", 1, "--without", "model")[1]
    Path("game.txt").write_text("f5 d6")
    _, out, _ = counterplay("analyse", "othello", "--record", "game.txt", "--depth", 1, "--json")
    assert json.loads(out.splitlines()[-1])["model"] == shipped
    assert "estimates: the model" in counterplay("analyse", "othello", "--record", "game.txt", "--depth", 1)[1]
    assert answer("explain", "othello", "--depth", 1)["model"] == shipped
    assert "model" not in answer("explain", "othello", "--depth", 1, "--without", "model")


def test_who_plays_says_it_by_name(answer, monkeypatch, tmp_path):
    play = ("play", "othello", "--position", NEARLY_OVER)
    assert answer(*play, "--depth", 1)["players"] == ["alphabeta:depth=1,model=shipped"] * 2
    assert answer(*play, "--depth", 1, "--without", "model")["players"] == ["alphabeta:depth=1"] * 2
    assert answer(*play, "--level", 1)["players"] == ["level:1"] * 2
    (tmp_path / "openings").write_text(NEARLY_OVER)
    players = ("alphabeta:depth=1", "random")
    so = ("--games", 2, "--openings", tmp_path / "openings")
    assert answer("match", "othello", *players, *so)["players"] == ["alphabeta:depth=1,model=shipped", "random"]
    assert answer("match", "othello", *players, *so, "--without", "model")["players"] == list(players)
    rated = answer("tournament", "othello", *players, *so, "--anchor", players[0])
    assert {each["player"] for each in rated["standings"]} == {"alphabeta:depth=1,model=shipped", "random"}


def test_who_climbs_says_it_by_name(answer, monkeypatch):
    monkeypatch.setattr(ladder, "rungs", lambda game: [Rung("random moves", "random")])
    climb = ("ladder", "othello", "--games", 2, "--nodes", 5)
    assert answer(*climb)["player"] == "alphabeta:model=shipped"
    assert answer(*climb, "--without", "model")["player"] == "alphabeta"
    assert answer(*climb, "--player", "random")["player"] == "random"


def test_the_ladder_takes_a_model_of_yours(answer, monkeypatch, mine):
    monkeypatch.setattr(ladder, "rungs", lambda game: [Rung("random moves", "random")])
    told = answer("ladder", "othello", "--games", 2, "--nodes", 5, "--model", mine)
    assert told["player"] == f"alphabeta:model={mine}"
    assert told["rungs"][0]["score"]["games"] == 2


def test_hints_go_by_the_model_and_levels_do_not(monkeypatch):
    from counterplay.apps.cli.show_game import begin

    who = {"players": None, "you": 1, "level": 1, "depth": None}
    session = begin("othello", None, None, "f5", 0, True, **who)
    assert session.players == ("human", "level:1")
    assert learn.model_of(session.game) is None
    monkeypatch.setattr("counterplay.arena.session.LEVELS", {1: None})  # the highest level there is
    assert learn.model_of(session.advise().game).name == "shipped"
    plain = begin("othello", None, None, "f5", 0, True, without="model", **who)
    assert learn.model_of(plain.advise().game) is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("search", "othello", "--model", "shipped", "--without", "model"),
            "give --model or --without model, not both",
        ),
        (("analyse", "othello", "--without", "killers"), "--without takes `model` here, not 'killers'"),
        (("engine", "othello", "--model", "none.safetensors"), "none.safetensors cannot be read"),
    ],
)
def test_bad_wishes_are_one_line(counterplay, tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    status, _, err = counterplay(*arguments)
    assert status == 2
    assert len(err.splitlines()) == 1
    assert says in err


# ---- engines


def test_an_engine_lists_its_models_and_takes_no_other(mine):
    said = talk("othello", "ugi", protocol="ugi")
    assert "option name Model type combo default shipped var none var shipped" in said
    assert not any("Model" in line for line in talk("nim", "ugi"))
    for name in ("Shipped.", str(mine), "../shipped", "/etc/passwd"):
        assert talk("othello", f"setoption name Model value {name}", protocol="ugi") == [
            f"info string '{name}' is none of none, shipped"
        ]


def values(said):
    """What each search thought in the end."""
    return [
        line.split()[line.split().index("cp") + 1]
        for line, following in pairwise(said)
        if following.startswith("bestmove")
    ]


def test_an_engine_goes_by_the_model_that_is_set(mine):
    said = []
    dispatcher = new_dispatcher("othello", said, "ugi")
    thinker = dispatcher.thinker
    thinker.files = (str(mine),)
    assert (thinker.model, thinker.models) == ("shipped", ("none", "shipped", str(mine)))
    game = games.load("othello")
    usual = values(talk("othello", "position startpos", "go depth 1", protocol="ugi"))
    for name, model in {"none": None, "shipped": learn.shipped(game), str(mine): learn.load(mine, game)}.items():
        thinker.set_options(model=name)
        assert thinker.model == name
        engine = thinker._engine(search.Limits(depth=1))
        assert engine.game == (game if model is None else engine.game)
        assert (learn.model_of(engine.game) is None) == (model is None)
    by_name = {
        name: values(talk("othello", f"setoption name Model value {name}", "go depth 1", protocol="ugi"))
        for name in ("none", "shipped")
    }
    assert usual == by_name["shipped"] != by_name["none"]


def test_a_model_that_is_of_no_use_changes_nothing(tmp_path):
    said = []
    dispatcher = new_dispatcher("othello", said, "ugi")
    bad = tmp_path / "bad.safetensors"
    bad.write_text("nothing")
    dispatcher.thinker.files = (str(bad),)
    with pytest.raises(UserError, match="is no model of Counterplay"):
        dispatcher.thinker.set_options(model=str(bad))
    assert dispatcher.thinker.model == "shipped"


def test_the_command_offers_the_files_that_it_was_given(mine, tmp_path):
    other = tmp_path / "other.safetensors"
    other.write_bytes(mine.read_bytes())
    given = ("--model", str(mine), "--model", str(other), "--model", "shipped")
    text = f"ugi\nsetoption name Model value {other}\nposition startpos\ngo depth 1\nsetoption name Model value x\n"
    status, out, err = run_engine(text.encode(), "othello", "--protocol", "ugi", "--interpreted", *given)
    assert (status, err) == (0, "")
    assert f"option name Model type combo default {mine} var none var shipped var {mine} var {other}\n" in out
    assert "bestmove " in out
    assert f"info string 'x' is none of none, shipped, {mine}, {other}\n" in out
