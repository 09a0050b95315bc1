"""The demonstrations: every claim of the lectures holds, in both modes, and the command says so."""

import json
import xml.etree.ElementTree as ET

import pytest

from counterplay import UserError, demos, games, native, search
from counterplay.games.pacman.rules import Pacman
from counterplay.study.demos import horizon, pacman_suicide, pacman_thrashing
from counterplay.study.demos.outcome import Claim, Outcome
from counterplay.study.demos.pacman_play import Stage, player_named, random_start, summary

pytestmark = pytest.mark.long

QUICK = {"pacman-suicide": 12, "pacman-thrashing": 3, "bins": 200}
"""Seeds that are enough, for those that do not take long interpreted."""


@pytest.mark.parametrize("name", QUICK)
def test_claims_hold_interpreted_with_few_seeds(name):
    with native.interpreted():
        outcome = demos.load(name).run(QUICK[name])
    assert outcome.holds, outcome.claims
    assert len(outcome.rows) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in demos.DEMOS if name not in ("bins", "horizon")])
def test_claims_hold_with_all_seeds(name):
    demo = demos.load(name)
    outcome = demo.run(demo.seeds)
    assert outcome.holds, outcome.claims
    assert outcome.seeds == demo.seeds >= 200


@pytest.mark.slow
def test_the_horizon_in_positions_of_random_games():
    outcome = demos.load("horizon").run(40)
    assert outcome.holds, outcome.claims
    assert [row["move"] for row in outcome.rows] == ["e4+", "Bxb3"]


def test_the_judge_of_the_horizon_speaks_in_pawns():
    half_win = games.load("chess").half_win
    assert horizon.in_pawns(0.0) == 0.0
    assert horizon.in_pawns(3.0 / (half_win + 3.0)) == pytest.approx(3.0)
    assert horizon.in_pawns(-1.0) == -20.0


# ---- players of Pacman


@pytest.mark.slow
def test_games_are_the_same_in_both_modes():
    game = Pacman(layout="tiny", limit=20)
    players = player_named("expectimax:4"), player_named("minimax:3"), player_named("policy"), player_named("reflex")
    stage = Stage(game, "directional", players)

    def games_of():
        return [stage.play(a, b, seed) for a in players[:2] for b in players[1:3] for seed in range(4)]

    with native.interpreted():
        slow = games_of()
    with native.compiled():
        fast = games_of()
    assert [(r.moves, r.end) for r in slow] == [(r.moves, r.end) for r in fast]
    assert all(r.states[-1] == r.end for r in fast)


def test_alphabeta_chooses_among_the_moves_that_minimax_finds_best():
    game = Pacman(layout="suicide")
    players = player_named("alphabeta:6"), player_named("minimax:6"), player_named("policy")
    stage = Stage(game, "random", players)
    with native.interpreted():
        for seed in range(6):
            s = random_start(game, seed)
            best = search.minimax(game, s, 6)
            values = {each.action: each.value for each in best.actions}
            for player in players[:2]:
                moved = stage.play(player, players[2], seed, s).moves[0]
                assert values[moved] == best.value


def test_ghosts_on_their_own_see_themselves_only():
    game = Pacman(layout="suicide")
    players = player_named("alone:4"), player_named("policy"), player_named("minimax:3")
    stage = Stage(game, "random", players)
    with native.interpreted():
        record = stage.play(players[2], players[0], 1)
    assert record.is_lost
    assert summary([record]).lost == 1.0


def test_tree_search_eats_all_dots_and_its_game_comes_again_by_its_seed():
    game = Pacman(layout="tiny", limit=30)
    pacman, ghosts = player_named("mcts:60"), player_named("policy")
    stage = Stage(game, "random", (pacman, ghosts))
    with native.interpreted():
        records = [stage.play(pacman, ghosts, seed) for seed in (1, 2, 1)]
    assert summary(records).won == 1.0
    assert records[0].moves == records[2].moves
    assert all(record.states[-1] == record.end for record in records)


def test_starts_are_apart_and_differ():
    game = Pacman(layout="ring")
    starts = [random_start(game, seed, apart=5) for seed in range(20)]
    assert len(set(starts)) == 20
    assert all(game.distances[s.pacman, ghost] >= 5 for s in starts for ghost in s.ghosts)
    assert all(s.pacman not in s.dots for s in starts)


@pytest.mark.parametrize("text", ["minimax", "minimax:0", "minimax:x", "human:3", "reflex:2", ""])
def test_players_that_are_none(text):
    with pytest.raises(UserError, match="is no player; write reflex, or minimax:4"):
        player_named(text)


def test_the_shortest_way_through_the_thrashing_maze():
    """1 to the dot at the side, 6 to the left end, 14 to the right end."""
    assert pacman_thrashing.shortest(Pacman(layout="thrashing")) == 1 + 6 + 14


def test_the_nearer_ghost_is_in_the_east():
    assert pacman_suicide.toward_nearer_ghost(Pacman(layout="suicide")) == 1


# ---- the command


def test_they_are_listed(counterplay):
    status, out, _ = counterplay("demo")
    assert status == 0
    assert all(name in out for name in demos.DEMOS)
    listed = json.loads(counterplay("demo", "--json")[1])
    assert [each["name"] for each in listed] == list(demos.DEMOS)


def test_json_and_text_say_the_same(counterplay):
    status, out, _ = counterplay("demo", "bins", "--seeds", 20, "--json")
    found = json.loads(out)
    assert (status, found["holds"], found["seeds"], len(found["rows"])) == (0, True, 20, 4)
    status, out, _ = counterplay("demo", "bins", "--seeds", 20)
    assert status == 0
    assert "  C ○ -2" in out
    assert all(f"holds: {claim['text']}" in out for claim in found["claims"])


def test_films_and_pictures(counterplay, tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTERPLAY_INTERPRETED", "1")
    film, still = tmp_path / "film.svg", tmp_path / "still.svg"
    status, out, _ = counterplay("demo", "pacman-suicide", "--seeds", 5, "--svg", film, "--watch")
    assert status == 0
    assert out.count("minimax, 9 plies: score -501\n") == 2  # the beginning and the end
    assert "X" in out  # where he was caught
    assert len(ET.parse(film).getroot().findall(".//{*}animateTransform")) >= 6
    assert counterplay("demo", "bins", "--svg", still)[0] == 0
    assert "game 1" in still.read_text()


def test_mistakes_get_one_line(counterplay):
    for arguments, complaint in (
        (["pacman-suicid"], "did you mean pacman-suicide?"),
        (["xyz"], "there are: pacman-suicide, pacman-min-vs-exp"),
        (["bins", "--seeds", 0], "1 seed or more"),
        (["bins", "--watch"], "no game to watch"),
    ):
        status, _, err = counterplay("demo", *arguments)
        assert status == 2
        assert complaint in err
        assert "\n" not in err.strip()


def test_a_claim_that_does_not_hold_is_said(counterplay, monkeypatch):
    false = Outcome(1, [{"a": 1}], [Claim("the moon is made of cheese", False)])
    monkeypatch.setattr("counterplay.study.demos.bins.run", lambda seeds: false)
    status, out, _ = counterplay("demo", "bins")
    assert status == 1
    assert "DOES NOT HOLD: the moon is made of cheese" in out
