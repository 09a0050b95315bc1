"""The ladder: opponents weak to strong, until one wins; where that leaves us."""

import json
import sys
import types
from dataclasses import replace
from pathlib import Path

import pytest

from counterplay import UserError, games, native
from counterplay.arena import ladder
from counterplay.arena.ladder import Rung, Standing, Step, climb, climber, rungs
from counterplay.arena.match import Score
from tests.test_outside import fake

pytestmark = pytest.mark.long

GAME = "nim:heaps=4,5,6"
CHEAT = fake("ugi", "nothing+nothing", "illegal", settings=",nodes=1")  # it loses every game
EASY, EVEN, HARD = Rung("easy", CHEAT), Rung("even", "alphabeta:depth=5"), Rung("hard", "alphabeta:depth=5")


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


@pytest.fixture
def three(monkeypatch):
    """A ladder of three rungs."""
    monkeypatch.setattr(ladder, "rungs", lambda game: [EASY, EVEN, HARD])


def step(elo, wins, losses, gain=0.0):
    return Step(Rung(f"at {elo}", "random", elo), Score(wins, 0, losses, 0.1), gain, 0.1, False)


@pytest.mark.parametrize("name", ["chess", "go", "backgammon", "othello", "checkers", "nim"])
def test_every_game_has_opponents_and_one_who_climbs(name, monkeypatch):
    game = games.load(name)
    monkeypatch.setattr(ladder, "is_installed", lambda program: True)
    everybody = rungs(game)
    monkeypatch.setattr(ladder, "is_installed", lambda program: False)
    ours = rungs(game)
    assert ours[0].player == "random"
    assert not any(each.program for each in ours)
    assert len({each.name for each in everybody}) == len(everybody) >= len(ours) - 1
    assert any(each.program for each in everybody) == (name in ("chess", "go", "backgammon"))
    assert climber(game).split(":")[0] in ("alphabeta", "expectiminimax", "mcts")


def test_it_goes_on_until_a_rung_is_lost(three):
    game, seen = games.load(GAME), []
    standing = climb(game, "random", 6, ended=seen.append)
    assert [each.rung for each in seen] == [each.rung for each in standing.steps]
    assert standing.steps[-1].is_lost
    assert (standing.below, standing.above, standing.is_top) == (EVEN, EASY, False)
    assert str(standing) == "above easy, below even"


def test_who_loses_to_nobody_is_above_all(three):
    standing = climb(games.load(GAME), "alphabeta:depth=5", 2)
    assert [each.rung for each in standing.steps] == [EASY, EVEN, HARD]
    assert str(standing) == "above hard, the last of the ladder"
    assert json.loads(json.dumps(standing.as_dict()))["top"] is True


def test_a_climb_goes_on_from_its_records(three, tmp_path):
    game, begun = games.load(GAME), []
    whole = climb(game, "random", 6, record=tmp_path)
    files = {file: file.read_text() for file in tmp_path.iterdir()}
    assert {file.name for file in files} == {"easy.jsonl", "even.jsonl"}
    (tmp_path / "even.jsonl").write_text("".join(files[tmp_path / "even.jsonl"].splitlines(True)[:3]))
    assert climb(game, "random", 6, record=tmp_path, begun=lambda rung: begun.append(rung)) == whole
    assert begun == [EASY, EVEN]
    assert {file: file.read_text() for file in tmp_path.iterdir()} == files


def test_a_gammon_counts_twice_where_points_are_counted(monkeypatch):
    game = games.load("pig:goal=4")
    monkeypatch.setattr(ladder, "rungs", lambda game: [Rung("easy", "random")])
    standing = climb(game, "expectiminimax:depth=1", 4)
    assert standing.steps[0].gain == standing.steps[0].score.points * 2 - 1
    backgammon = games.load("backgammon")
    standing = climb(backgammon, "expectiminimax:depth=1", 2)
    assert (standing.steps[0].score.wins, standing.steps[0].gain in (1.0, 1.5, 2.0, 2.5, 3.0)) == (2, True)
    assert f"{standing.steps[0].gain:+.2f} ± " in str(standing.steps[0])


def test_a_rating_is_that_at_which_the_points_are_expected():
    assert Standing((step(1500, 5, 5),), False).elo == (pytest.approx(1500, abs=0.1), pytest.approx(109.9, abs=0.1))
    assert Standing((step(1500, 10, 1), step(1900, 1, 10)), False).elo[0] == pytest.approx(1700, abs=0.1)
    assert Standing((step(1500, 3, 1),), False).elo[0] == pytest.approx(1500 + 190.85, abs=0.1)
    assert Standing((step(1500, 4, 0),), False).elo is None
    assert Standing((), False).elo is None
    forfeited = replace(step(1500, 5, 5), score=Score(5, 0, 5, 0.1, forfeited=(0, 1)))
    assert Standing((forfeited,), False).elo is None
    assert str(forfeited).endswith("50%, 1 game was forfeited")
    assert str(Standing((), False)) == "no rung was played"
    assert str(Standing((step(1500, 5, 5, -0.1),), False)) == "below at 1500: about 1500 ± 215"


def test_the_command(counterplay, answer, tmp_path):
    status, out, _ = counterplay("ladder", GAME, "--player", "random", "--games", "2", "--nodes", "50")
    assert status == 0
    first, *rest, last = out.splitlines()
    assert first == "nim:heaps=(4,5,6): random, 50 nodes a move, 2 games a rung"
    assert all(each.startswith(("random moves: +", "level ")) for each in rest)
    assert last.startswith("stands ")
    told = answer("ladder", GAME, "--player", "random", "--games", "2", "--record", str(tmp_path / "new"))
    assert told["rungs"][0]["name"] == "random moves"
    assert (tmp_path / "new" / "random-moves.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nim", "--games", "3"], "an even number of games, 2 or more"),
        (["nim", "--player", "nobody"], "there is no player 'nobody'"),
        (["two_against_one"], "a match is between two opponents"),
        (["nim", "--record", "/dev/null/x"], "cannot be a folder of records"),
    ],
)
def test_what_cannot_be_climbed_is_one_line(arguments, message, counterplay):
    status, _, err = counterplay("ladder", *arguments)
    assert (status, message in err) == (2, True)
    assert len(err.splitlines()) == 1


def test_odd_numbers_of_games_are_refused():
    with pytest.raises(UserError, match="even number"):
        climb(games.load("nim"), "random", 1)


def test_the_table_of_five_games(monkeypatch, capsys):
    path = Path(__file__).parent.parent / "benchmarks" / "ladders.py"
    module = types.ModuleType("ladders")
    exec(compile(path.read_text(), str(path), "exec"), vars(module))
    told = {"game": "chess", "player": "alphabeta", "games": 10}
    standing = Standing((step(1500, 9, 1), step(1650, 2, 8, -0.6)), False)
    monkeypatch.setitem(vars(module), "climb", lambda game, games, seconds, record: told | standing.as_dict())
    monkeypatch.setattr(sys, "argv", ["ladders.py", "chess"])
    vars(module)["main"]()
    row = capsys.readouterr().out.splitlines()[-1]
    assert row.startswith("| chess | alphabeta | at 1500 | at 1650 | +2 =0 -8 | 16")
