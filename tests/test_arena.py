"""Matches: players by name, openings in pairs, scores with their error, records that go on."""

import json
from dataclasses import replace
from math import inf

import pytest

from counterplay import UserError, arena, games, native
from counterplay.arena import GameRecord
from counterplay.arena.openings import random_openings
from counterplay.arena.score import mean_gain, score_of


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


def records(*points):
    """Games in which the first of two players got these points."""
    sides = [((0, 1), each) if i % 2 == 0 else ((1, 0), 1 - each) for i, each in enumerate(points)]
    return [GameRecord(i, seats, 0, (str(i),), each, "rules") for i, (seats, each) in enumerate(sides)]


def test_a_score_says_how_much_stronger_and_how_sure():
    score = score_of(records(1, 1, 0.5, 1, 0, 1, 1, 0.5))
    assert (score.wins, score.draws, score.losses, score.points) == (5, 2, 1, 0.75)
    assert score.elo == pytest.approx(190.85, abs=0.01)  # 400 log10(3)
    low, high = score.elo_range
    assert low < score.elo < high
    means = (1.0, 0.75, 0.5, 0.75)
    assert score.error == pytest.approx((sum((m - 0.75) ** 2 for m in means) / 3 / 4) ** 0.5)
    assert str(score).startswith("+5 =2 -1, 75.0% of 8 games, Elo +191 (")


def test_where_a_win_can_be_more_than_another_gains_are_counted(tmp_path):
    kuhn, file = games.load("kuhn_poker"), tmp_path / "match.jsonl"
    score = arena.match(kuhn, ("random", "random"), games=12, record=file)
    header, *lines = file.read_text().splitlines()
    games_played = [json.loads(line) for line in lines]
    for each in games_played:
        assert each["gain"] == kuhn.utility(kuhn.at(each["moves"]).state, 0)
    mine = [each["gain"] if each["seats"][0] == 0 else -each["gain"] for each in games_played]
    assert score.gain == pytest.approx(sum(mine) / 12)
    assert f"{score.gain:+.2f} ± {1.96 * score.gain_error:.2f} a game" in str(score)
    assert score.as_dict()["gain"] == score.gain
    old = [json.dumps({key: value for key, value in each.items() if key != "gain"}) for each in games_played]
    file.write_text("\n".join([header, *old]) + "\n")
    again = arena.match(kuhn, ("random", "random"), games=12, record=file)
    assert (again.gain, again.gain_error) == (score.gain, score.gain_error), "from before gains were written"
    assert score_of(records(1, 0)).gain is None
    assert mean_gain(records(1, 1, 0.5, 1), 0) == (0.75, 0.25)
    assert mean_gain(records(1, 1, 0.5, 1), 1) == (-0.75, 0.25)


def test_when_everything_is_won_the_difference_has_no_end_but_a_beginning():
    score = score_of(records(*[1.0] * 20))
    assert score.elo == inf
    assert 0 < score.elo_range[0] < inf
    low = score.elo_range[0]
    assert str(score) == f"+20 =0 -0, 100.0% of 20 games, Elo {low:+.0f} or more"
    assert str(score_of(records(*[0.0] * 20))).endswith(f"Elo {-low:+.0f} or less")
    assert str(score_of([])).endswith("too few games for Elo")
    assert json.loads(json.dumps(score.as_dict(), allow_nan=False))["elo"] is None


def test_openings_are_distinct_and_grow_where_there_are_too_few():
    game = games.load("tic_tac_toe")
    one_ply = random_openings(game, 9, 1, 0)
    assert sorted(each.moves for each in one_ply) == [(i,) for i in range(9)]
    assert {len(each.moves) for each in random_openings(game, 12, 1, 0)} == {1, 2}
    with pytest.raises(UserError, match="has not 50 different openings"):
        random_openings(games.load("nim:heaps=[1,2]"), 50, 1, 0)


def test_both_play_every_opening_from_both_sides(tmp_path):
    game, file = games.load("nim"), tmp_path / "match.jsonl"
    score = arena.match(game, ("alphabeta:depth=12", "random"), 10, opening_plies=1, record=file)
    first, *lines = map(json.loads, file.read_text().splitlines())
    assert first["players"] == ["alphabeta:depth=12", "random"]
    assert [each["seats"] for each in lines] == [[0, 1], [1, 0]] * 5
    for one, two in zip(lines[::2], lines[1::2], strict=True):
        assert one["moves"][0] == two["moves"][0]
    assert len({each["moves"][0] for each in lines}) == 5
    assert score.games == 10
    assert score.points >= 0.8
    for each in lines:  # the record replays to the result
        end = game.at(each["moves"]).state
        assert game.is_terminal(end)
        assert each["points"] == (1.0 if game.utility(end, 0) > 0 else 0.0)


def test_an_interrupted_match_goes_on_and_ends_as_if_nothing_had_happened(tmp_path):
    game, whole, parts = games.load("tic_tac_toe"), tmp_path / "whole", tmp_path / "parts"
    players = ("alphabeta:depth=2", "alphabeta:depth=1")
    score = arena.match(game, players, 8, record=whole)
    arena.match(game, players, 3, record=parts)
    parts.write_text(parts.read_text() + '{"number": 3, "fir')  # killed while writing
    assert arena.match(game, players, 8, record=parts) == score
    assert parts.read_text() == whole.read_text()
    with pytest.raises(UserError, match="record of another match"):
        arena.match(game, players, 8, seed=1, record=parts)
    parts.write_text("not a record\n")
    with pytest.raises(UserError, match="not the record of a match"):
        arena.match(game, players, 8, record=parts)
    assert parts.read_text() == "not a record\n"


def test_dice_are_thrown_and_draws_by_repetition_end_games():
    assert arena.match(games.load("pig:goal=6"), ("expectiminimax:depth=2", "random"), 4, opening_plies=0).games == 4
    from tests.test_alphabeta import Perpetual

    score = arena.match(Perpetual(), ("alphabeta:depth=6", "alphabeta:depth=6"), 2, opening_plies=0)
    assert (score.draws, score.games) == (2, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alpha:depth=3", "no player 'alpha'; there are: random, minimax"),
        ("alphabeta:deep=3", "no setting 'deep'; there are: depth"),
        ("alphabeta", "needs a limit, as in 'alphabeta:depth=4'"),
        ("alphabeta:depth", "is not of the form name=value"),
        ("random:depth=3", "no setting 'depth'; there are: seed"),
    ],
)
def test_what_is_no_player_is_refused(text, message):
    with pytest.raises(UserError, match=message):
        arena.new_player(games.load("nim"), text)


@pytest.mark.parametrize(
    "text",
    [
        "alphabeta:depth=3,without=killers+history,table_mb=0.5,multi=2",
        "mcts:simulations=40,solver=on,rave=50,memory_mb=1",
        "minimax:nodes=50",
        "expectimax:depth=2",
        "random:seed=3",
    ],
)
def test_settings_are_read_as_they_are_written(text):
    game = games.load("nim")
    assert arena.new_player(game, text).choose([game.initial()]) in list(game.actions(game.initial()))


def test_a_player_of_openspiel_numbers_actions_as_we_do():
    pytest.importorskip("pyspiel", reason="needs OpenSpiel (pip install 'counterplay[peers]')")
    for name in ("tic_tac_toe", "connect_four", "othello"):
        score = arena.match(games.load(name), ("random", "openspiel-mcts:simulations=50"), 2, opening_plies=3)
        assert score.games == 2
    game = games.load("tic_tac_toe")
    for text in ("openspiel:mcts,simulations=50,uct_c=1.4", "openspiel:uniform_random"):
        assert arena.match(game, ("random", text), 2).games == 2
    for text, message in (
        ("openspiel:mcts", "needs a limit, as in 'openspiel:mcts,simulations=1000'"),
        ("openspiel:mcts,depth=3", "no setting 'depth'; there are: simulations"),
        ("openspiel:uniform_random,seed=3", "uniform_random has no settings"),
        ("openspiel:ucts", "no bot 'openspiel:ucts'; there are: mcts, "),
    ):
        with pytest.raises(UserError, match=message):
            arena.new_player(game, text)
    with pytest.raises(UserError, match="plays tic_tac_toe, connect_four, othello, and its own games; not nim"):
        arena.new_player(games.load("nim"), "openspiel-mcts:simulations=5")


def test_the_command(counterplay, answer):
    players = ("alphabeta:depth=12", "random")
    assert answer("match", "nim", *players, "--games", "4", "--opening-plies", "1")["games"] == 4
    assert (
        answer("match", "nim:heaps=3,1", "alphabeta", "random", "--games", "2", "--opening-plies", "1")["games"] == 2
    )  # 0.1 s a move
    status, out, _ = counterplay("match", "nim", "random", "random", "--games", "2")
    assert (status, "of 2 games" in out) == (0, True)
    status, _, err = counterplay("match", "pig:players=3", "random", "random")
    assert (status, "a match is between two opponents" in err) == (2, True)


@pytest.mark.parametrize("player", ["alphabeta:depth=3", "mcts:simulations=50", "level:5"])
def test_a_move_that_ctrl_c_cut_short_is_not_played(player, monkeypatch):
    game = games.load("tic_tac_toe")
    chooser = arena.new_player(game, player)
    search = type(chooser).search
    monkeypatch.setattr(type(chooser), "search", lambda *given: replace(search(*given), stopped="interrupted"))
    with pytest.raises(KeyboardInterrupt):
        chooser.choose([game.initial()])


def test_two_matches_never_write_to_one_record(tmp_path):
    game, file = games.load("tic_tac_toe"), tmp_path / "record"
    refused = []

    def meanwhile(score):
        with pytest.raises(UserError, match="is being written by another process"):
            arena.match(game, ("random", "random"), 2, record=file)
        refused.append(score)

    with native.interpreted():
        arena.match(game, ("random", "random"), 2, record=file, progress=meanwhile)
        assert len(refused) == 2
        assert len(file.read_text().splitlines()) == 3
        arena.match(game, ("random", "random"), 4, record=file)  # it is free again


@pytest.mark.parametrize("cut", [1, 30, -1, -20])
def test_a_record_goes_on_wherever_it_was_cut_off(tmp_path, cut):
    game, whole, part = games.load("tic_tac_toe"), tmp_path / "whole", tmp_path / "part"
    with native.interpreted():
        arena.match(game, ("random", "random"), 3, record=whole)
        part.write_text(whole.read_text()[:cut])
        arena.match(game, ("random", "random"), 3, record=part)
    assert part.read_text() == whole.read_text()


def test_a_record_that_cannot_be_written_is_one_line(tmp_path):
    for file in (tmp_path, tmp_path / "no" / "where"):
        with pytest.raises(UserError, match="cannot be written"):
            arena.match(games.load("tic_tac_toe"), ("random", "random"), 1, record=file)
