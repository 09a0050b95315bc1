"""Stockfish, GNU Go and GNU Backgammon play whole games with us, each by its own protocol."""

import json

import pytest

from counterplay import UserError, arena, games, native
from counterplay.arena.outside import is_installed
from tests.processes import WATCHDOG_SECONDS

pytestmark = [pytest.mark.long, pytest.mark.no_bounds]


def needs(program):
    return pytest.mark.skipif(not is_installed(program), reason=f"needs {program} (Debian: apt install {program})")


@pytest.mark.parametrize(
    ("game", "us", "them"),
    [
        pytest.param("chess", "alphabeta:nodes=20", "uci:stockfish,Hash=1,nodes=2000", marks=needs("stockfish")),
        pytest.param(
            "go:size=5",
            "random",
            "gtp:gnugo --mode gtp --level 1 --chinese-rules --capture-all-dead",
            marks=needs("gnugo"),
        ),
        pytest.param("backgammon", "random", "gnubg:plies=0,noise=0.01", marks=needs("gnubg")),
    ],
)
def test_whole_games_by_the_rules_of_both(game, us, them, tmp_path):
    record = tmp_path / "record"
    opening_plies = 0 if game == "backgammon" else 2
    with native.interpreted():
        them += f",patience={WATCHDOG_SECONDS}"
        score = arena.match(games.load(game), (us, them), 2, opening_plies=opening_plies, record=record)
    assert score.games == 2
    for line in record.read_text().splitlines()[1:]:
        assert json.loads(line)["ended"] in ("rules", "repetition", "resignation"), line
    assert score.points <= 0.5  # they are better than that


@needs("stockfish")
def test_stockfish_says_which_options_it_has():
    player = arena.new_player(games.load("chess"), "uci:stockfish,UCI_LimitStrenght=true,nodes=1")
    with pytest.raises(UserError, match="did you mean UCI_LimitStrength"):
        player.choose([games.load("chess").initial()])


@needs("gnubg")
def test_gnubg_plays_what_it_is_known_to_play_and_errs_if_it_is_told_to():
    game = games.load("backgammon")
    states = [game.at("31").state, game.at("42").state, game.at("61").state]
    with native.interpreted():
        best, noisy = (arena.new_player(game, text) for text in ("gnubg:plies=0", "gnubg:plies=0,noise=1"))
        try:
            chosen = [[game.action_name(s, each.choose([s])) for s in states] for each in (best, noisy)]
        finally:
            arena.dismiss(best, noisy)
    assert chosen[0] == ["8/5 6/5", "8/4 6/4", "13/7 8/7"]  # the opening moves of every book
    assert chosen[1] != chosen[0]
    for text, message in (("gnubg:plies=9", "from 0 to 4"), ("gnubg:speed=1", "there are: plies, noise")):
        with pytest.raises(UserError, match=message):
            arena.new_player(game, text)
