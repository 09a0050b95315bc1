"""Stockfish, GNU Go and GNU Backgammon play whole games with us, each by its own protocol."""

import json
import shlex
import sys

import pytest

from counterplay import UserError, arena, games, native
from counterplay.arena.outside import is_installed
from tests.processes import WATCHDOG_SECONDS

pytestmark = pytest.mark.long


def needs(program):
    return pytest.mark.skipif(not is_installed(program), reason=f"needs {program} (Debian: apt install {program})")


@pytest.mark.parametrize(
    ("game", "us", "them"),
    [
        pytest.param("chess", "alphabeta:nodes=20", "uci:stockfish,Hash=1,nodes=2000", marks=needs("stockfish")),
        pytest.param("chess:chess960=on", "random", "uci:stockfish,Hash=1,nodes=500", marks=needs("stockfish")),
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


@pytest.mark.parametrize(
    ("game", "protocol", "limit"),
    [
        ("tic_tac_toe", "ugi", ",nodes=50"),
        ("backgammon", "ugi", ",nodes=5"),
        ("chess", "uci", ",nodes=5"),
        pytest.param("go:size=3", "gtp", "", marks=pytest.mark.rare),
        ("othello", "nboard", ",depth=1"),
    ],
)
def test_our_own_engine_plays_by_every_protocol(game, protocol, limit, tmp_path, monkeypatch):
    """What `counterplay engine` says and what we understand were written apart; a whole game needs both."""
    monkeypatch.setenv("COUNTERPLAY_INTERPRETED", "1")
    record, played = tmp_path / "record", games.load(game)
    command = shlex.join([sys.executable, "-m", "counterplay", "engine", game, "--protocol", protocol])
    them = f"{protocol}:{command}{limit},patience={WATCHDOG_SECONDS}"
    with native.interpreted():
        opening_plies = 0 if played.chance else 2
        assert arena.match(played, ("random", them), 1, opening_plies=opening_plies, record=record).games == 1
    for line in record.read_text().splitlines()[1:]:
        assert json.loads(line)["ended"] in ("rules", "repetition", "resignation"), line


@needs("stockfish")
def test_stockfish_castles_from_anywhere():
    game = games.load("chess:chess960=on")
    s = game.from_text("3k4/8/8/8/8/8/5PPP/1R3KR1 w GB - 0 1")
    player = arena.new_player(game, "uci:stockfish,Hash=1,nodes=20")
    try:
        states = [s]
        with native.interpreted():
            for name in ("O-O", "Ke7", "h3", "Ke8"):
                states.append(game.result(states[-1], game.parse_action(states[-1], name)))
            assert player.choose(states) in list(game.actions(states[-1]))
    finally:
        arena.dismiss(player)


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
